/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supraseal_host.h - a host that has loaded liblull_supraseal.so
 *
 * Its functions are found by name; what they are given is built from a circuit
 * and a witness.
 */
#ifndef LULL_SELFTESTS_SUPRASEAL_HOST_H
#define LULL_SELFTESTS_SUPRASEAL_HOST_H

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "assignment.h"
#include "supraseal/supraseal.h"

#define POSEIDON "bls12381-poseidon2"
#define NR 3
#define LIBRARY "liblull_supraseal.so"

static struct {
	void *handle;
	struct lull_supraseal_error (*create)(struct lull_supraseal_srs *,
					      const char *, bool);
	void (*evict)(const struct lull_supraseal_srs *);
	void (*drop)(struct lull_supraseal_srs *);
	struct lull_supraseal_srs (*clone)(const struct lull_supraseal_srs *);
	struct lull_supraseal_error (*generate)(
		const struct lull_supraseal_assignment *, size_t,
		const struct lull_supraseal_fr *,
		const struct lull_supraseal_fr *, struct lull_supraseal_proof *,
		const struct lull_supraseal_srs *);
} lib;

static struct lull_ctx *ctx;
static struct lull_key *zkey;
static struct lull_wtns *wtns;
static struct assignment poseidon;
static struct lull_supraseal_assignment provers[NR];
static char params_path[PATH_BYTES];

/* A pointer to a function, as POSIX has dlsym() used. */
static inline void find(void *to, const char *name)
{
	void *symbol = dlsym(lib.handle, name);

	if (!symbol) {
		printf("Bail out! no %s: %s\n", name, dlerror());
		exit(1);
	}
	memcpy(to, &symbol, sizeof(symbol));
}

/* Beside this program where it is, as for emulated devices; else of the build. */
static inline void library_path(char path[PATH_BYTES])
{
	const char *build = getenv("LULL_BUILD"),
		   *name = program_invocation_name;
	const char *slash = strrchr(name, '/');

	snprintf(path, PATH_BYTES, "%.*s%s",
		 slash ? (int)(slash + 1 - name) : 0, name, LIBRARY);
	if (slash && !access(path, R_OK))
		return;
	snprintf(path, PATH_BYTES, "%s/" LIBRARY,
		 build ? build : "build/gcc-plain");
}

static inline void load_library(void)
{
	char path[PATH_BYTES];

	library_path(path);
	setenv("LULL_THREADS", "2", 1);
	setenv("LULL_BACKEND", "cpu", 1);
	lib.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib.handle) {
		printf("Bail out! %s\n", dlerror());
		exit(1);
	}
	find(&lib.create, "create_SRS");
	find(&lib.evict, "evict_SRS");
	find(&lib.drop, "drop_SRS");
	find(&lib.clone, "clone_SRS");
	find(&lib.generate, "generate_groth16_proofs_c");
}

static inline struct lull_supraseal_assignment
prover_of(const struct assignment *t)
{
	return (struct lull_supraseal_assignment){
		.a_aux_density = t->a_aux,
		.a_aux_bit_len = t->nr_aux,
		.a_aux_popcount = t->nr_a_aux,
		.b_inp_density = t->b_input,
		.b_inp_bit_len = t->nr_inputs,
		.b_inp_popcount = t->nr_b_input,
		.b_aux_density = t->b_aux,
		.b_aux_bit_len = t->nr_aux,
		.b_aux_popcount = t->nr_b_aux,
		.a = (const void *)t->a,
		.b = (const void *)t->b,
		.c = (const void *)t->c,
		.abc_size = t->nr_rows,
		.inp_assignment_data = (const void *)t->inputs,
		.inp_assignment_size = t->nr_inputs,
		.aux_assignment_data = (const void *)t->aux,
		.aux_assignment_size = t->nr_aux,
	};
}

static inline void set_up(void)
{
	size_t i;

	if (ctx)
		return;
	load_library();
	ctx = make_ctx(2);
	scratch_path(params_path, "k.params");
	if (lull_key_open(ctx, GOLDEN POSEIDON ".zkey", &zkey, NULL) ||
	    lull_wtns_open(ctx, GOLDEN POSEIDON ".wtns", &wtns, NULL) ||
	    lull_key_bellman_write(zkey, params_path, NULL)) {
		printf("Bail out! no key\n");
		exit(1);
	}
	read_assignment(&poseidon, GOLDEN POSEIDON ".r1cs",
			GOLDEN POSEIDON ".wtns");
	order_as_converted(&poseidon);
	for (i = 0; i < NR; i++)
		provers[i] = prover_of(&poseidon);
}

static inline void expect_ok(struct lull_supraseal_error error)
{
	if (error.code)
		TEST_FAIL_("%d: %s", error.code, error.message);
	EXPECT_TRUE(error.code || !error.message);
	free(error.message);
}

static inline void expect_error(struct lull_supraseal_error error, int code,
				const char *msg)
{
	EXPECT_EQ(code, error.code);
	if (!error.message || !strstr(error.message, msg))
		TEST_FAIL_("expected %s, found %s", msg,
			   error.message ? error.message : "nothing");
	free(error.message);
}

static inline struct lull_supraseal_srs open_srs(bool cache)
{
	struct lull_supraseal_srs srs = { NULL };

	set_up();
	expect_ok(lib.create(&srs, params_path, cache));
	return srs;
}

/* On the GPU, where this host has one; false, and the test is skipped, where it
 * has none.  No parameters are open, so the library makes a context anew. */
static inline bool open_srs_on_gpu(struct lull_supraseal_srs *ret_srs)
{
	struct lull_supraseal_error error;
	static char reason[300];

	set_up();
	setenv("LULL_BACKEND", "cuda", 1);
	error = lib.create(ret_srs, params_path, false);
	setenv("LULL_BACKEND", "cpu", 1);
	if (!error.code)
		return true;
	if (error.code != ENODEV)
		TEST_FAIL_("%d: %s", error.code, error.message);
	snprintf(reason, sizeof(reason), "%s", error.message);
	free(error.message);
	test_skipped = reason;
	return false;
}

#define WAIT_S 30
#define LOOK_NS (2 * 1000 * 1000)

/* Whether a number came to what is expected, in good time. */
static inline bool comes_to(const atomic_int *number, int want)
{
	const struct timespec look = { 0, LOOK_NS };
	const int looks = WAIT_S * (1000000000 / LOOK_NS);
	int i;

	for (i = 0; i < looks && atomic_load(number) != want; i++)
		nanosleep(&look, NULL);
	return atomic_load(number) == want;
}

#endif
