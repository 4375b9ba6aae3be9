// SPDX-License-Identifier: Apache-2.0
/*
 * supraseal.c - liblull_supraseal.so, loaded as a host would have it
 *
 * Its functions are found by name; what they are given is built from a circuit
 * and a witness.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "assignment.h"
#include "prove/bellman.h"
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
static void find(void *to, const char *name)
{
	void *symbol = dlsym(lib.handle, name);

	if (!symbol) {
		printf("Bail out! no %s: %s\n", name, dlerror());
		exit(1);
	}
	memcpy(to, &symbol, sizeof(symbol));
}

/* Beside this program where it is, as for emulated devices; else of the build. */
static void library_path(char path[PATH_BYTES])
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

static void load_library(void)
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

static struct lull_supraseal_assignment prover_of(const struct assignment *t)
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

static void set_up(void)
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

static void expect_ok(struct lull_supraseal_error error)
{
	if (error.code)
		TEST_FAIL_("%d: %s", error.code, error.message);
	EXPECT_TRUE(error.code || !error.message);
	free(error.message);
}

static void expect_error(struct lull_supraseal_error error, int code,
			 const char *msg)
{
	EXPECT_EQ(code, error.code);
	if (!error.message || !strstr(error.message, msg))
		TEST_FAIL_("expected %s, found %s", msg,
			   error.message ? error.message : "nothing");
	free(error.message);
}

static struct lull_supraseal_srs open_srs(bool cache)
{
	struct lull_supraseal_srs srs = { NULL };

	set_up();
	expect_ok(lib.create(&srs, params_path, cache));
	return srs;
}

/* Exactly the interface: nothing of liblull is to be seen. */
TEST(exports)
{
	static const char *const hidden[] = { "lull_version", "lull_prove",
					      "lull_key_open",
					      "lull_bellman_to_mont" };
	size_t i;

	set_up();
	for (i = 0; i < LULL_ARRAY_SIZE(hidden); i++)
		EXPECT_TRUE(!dlsym(lib.handle, hidden[i]));
}

/* A point of a proof against the plain coordinates that lull_prove() gave. */
static void expect_point(const uint8_t *plain, const uint64_t *found,
			 size_t bytes)
{
	uint8_t want[192];

	memcpy(want, plain, bytes);
	lull_bellman_to_mont(want, bytes / LULL_BELLMAN_FP_BYTES);
	EXPECT_MEMEQ(want, found, bytes);
}

static void scalar(uint8_t plain[LULL_FR_BYTES],
		   struct lull_supraseal_fr *ret_mont, unsigned int seed)
{
	struct fr x;

	memset(plain, (int)(seed * 5 + 3), LULL_FR_BYTES);
	plain[LULL_FR_BYTES - 1] = (uint8_t)seed;
	fr_load(&x, plain);
	memcpy(ret_mont, &x, sizeof(x));
}

/* Circuits with r and s of their own, each as lull_prove() has it. */
static void prove_with_given_scalars(struct lull_supraseal_srs srs)
{
	struct lull_supraseal_proof proofs[NR];
	struct lull_supraseal_fr r_s[NR], s_s[NR];
	uint8_t r[NR][LULL_FR_BYTES], s[NR][LULL_FR_BYTES];
	struct lull_proof *want = NULL;
	unsigned int i;

	for (i = 0; i < NR; i++) {
		scalar(r[i], &r_s[i], i + 1);
		scalar(s[i], &s_s[i], i + 11);
	}
	memset(proofs, POISON, sizeof(proofs));
	expect_ok(lib.generate(provers, NR, r_s, s_s, proofs, &srs));
	for (i = 0; i < NR; i++) {
		ASSERT_EQ(LULL_OK, lull_prove_blinded(ctx, zkey, wtns, NULL,
						      r[i], s[i], &want, NULL));
		expect_point(want->points.a, proofs[i].a, 96);
		expect_point(want->points.b, proofs[i].b, 192);
		expect_point(want->points.c, proofs[i].c, 96);
		lull_proof_free(want);
	}
	lib.drop(&srs);
}

TEST(proofs_with_given_scalars)
{
	prove_with_given_scalars(open_srs(false));
}

/* On the GPU, where this host has one; false, and the test is skipped, where it
 * has none.  No parameters are open, so the library makes a context anew. */
static bool open_srs_on_gpu(struct lull_supraseal_srs *ret_srs)
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

TEST(gpu_proofs_with_given_scalars)
{
	struct lull_supraseal_srs srs = { NULL };

	if (open_srs_on_gpu(&srs))
		prove_with_given_scalars(srs);
}

/* The proof in bellman's bytes, for the check by pairing. */
static void to_bytes(const struct lull_supraseal_proof *from,
		     uint8_t out[LULL_BELLMAN_PROOF_BYTES])
{
	struct lull_json_proof proof = { .curve = LULL_CURVE_BLS12_381 };

	memcpy(proof.a, from->a, sizeof(from->a));
	memcpy(proof.b, from->b, sizeof(from->b));
	memcpy(proof.c, from->c, sizeof(from->c));
	lull_bellman_from_mont(proof.a, 2);
	lull_bellman_from_mont(proof.b, 4);
	lull_bellman_from_mont(proof.c, 2);
	EXPECT_EQ(LULL_OK, lull_bellman_put_proof(&proof, out, NULL));
}

static void prove_with_fresh_scalars(struct lull_supraseal_srs srs)
{
	struct lull_supraseal_proof proofs[NR];
	uint8_t bytes[NR * LULL_BELLMAN_PROOF_BYTES];
	uint8_t publics[NR * LULL_FR_BYTES];
	struct lull_vkey *vkey = NULL;
	struct lull_error error = { 0 };
	unsigned int i;

	expect_ok(lib.generate(provers, NR, NULL, NULL, proofs, &srs));
	for (i = 0; i < NR; i++) {
		to_bytes(&proofs[i], bytes + i * LULL_BELLMAN_PROOF_BYTES);
		fr_to_plain((limb_t *)(void *)(publics + i * LULL_FR_BYTES),
			    &poseidon.inputs[1]);
	}
	EXPECT_TRUE(memcmp(&proofs[0], &proofs[1], sizeof(proofs[0])));
	EXPECT_TRUE(memcmp(&proofs[1], &proofs[2], sizeof(proofs[0])));
	ASSERT_EQ(LULL_OK, lull_vkey_open_bellman(params_path, &vkey, NULL));
	EXPECT_EQ(LULL_OK, lull_vkey_verify(vkey, bytes, publics, NR, &error));
	lull_vkey_close(vkey);
	lib.drop(&srs);
}

TEST(proofs_with_fresh_scalars)
{
	prove_with_fresh_scalars(open_srs(false));
}

TEST(gpu_proofs_with_fresh_scalars)
{
	struct lull_supraseal_srs srs = { NULL };

	if (open_srs_on_gpu(&srs))
		prove_with_fresh_scalars(srs);
}

/* The last circuit is refused: nothing is written of any. */
static void expect_refused(const struct lull_supraseal_srs *srs,
			   const struct lull_supraseal_fr *r_s,
			   const struct lull_supraseal_fr *s_s, int code,
			   const char *msg)
{
	struct lull_supraseal_proof proofs[NR];

	memset(proofs, POISON, sizeof(proofs));
	expect_error(lib.generate(provers, NR, r_s, s_s, proofs, srs), code,
		     msg);
	EXPECT_TRUE(untouched(proofs, sizeof(proofs)));
}

TEST(refusals)
{
	struct lull_supraseal_srs srs = open_srs(false), empty = { NULL };
	struct lull_supraseal_assignment was = provers[NR - 1];
	struct lull_supraseal_assignment *p = &provers[NR - 1];
	struct lull_supraseal_fr r_s[NR], s_s[NR];
	uint8_t plain[LULL_FR_BYTES];
	struct fr other;
	unsigned int i;

	for (i = 0; i < NR; i++) {
		scalar(plain, &r_s[i], i + 1);
		scalar(plain, &s_s[i], i + 2);
	}
	memset(&r_s[NR - 1], 0, sizeof(r_s[0]));
	memset(&s_s[NR - 1], 0, sizeof(s_s[0]));
	expect_refused(&srs, r_s, s_s, EINVAL, "circuit 2 of 3: ");
	expect_refused(&srs, r_s, s_s, EINVAL, "r and s are both zero");
	expect_refused(&srs, r_s, NULL, EINVAL,
		       "circuit 0 of 3: struct lull_assignment: expected both "
		       "of r and s");
	expect_refused(&empty, NULL, NULL, EINVAL, "the parameters are empty");
	p->a_aux_bit_len--;
	expect_refused(&srs, NULL, NULL, EINVAL,
		       "circuit 2 of 3: a_aux_bit_len is not "
		       "aux_assignment_size");
	*p = was;
	p->b_aux_bit_len++;
	expect_refused(&srs, NULL, NULL, EINVAL, "b_aux_bit_len is not");
	*p = was;
	p->b_inp_bit_len++;
	expect_refused(&srs, NULL, NULL, EINVAL, "b_inp_bit_len is not");
	*p = was;
	p->abc_size = 4;
	expect_refused(&srs, NULL, NULL, EINVAL,
		       "rows: the key expects from 513 to 1024, found 4");
	*p = was;
	p->aux_assignment_data = NULL;
	expect_refused(&srs, NULL, NULL, EINVAL, "an array is missing");
	*p = was;
	other = poseidon.c[9];
	fr_add(&poseidon.c[9], &other, &fr_one);
	expect_refused(&srs, NULL, NULL, EINVAL, "circuit 0 of 3: ");
	poseidon.c[9] = other;
	expect_ok(lib.generate(provers, 0, NULL, NULL, NULL, &srs));
	lib.drop(&srs);
}

TEST(files_that_are_no_parameters)
{
	struct lull_supraseal_srs srs = { &srs };
	char path[PATH_BYTES];

	set_up();
	scratch_path(path, "missing");
	expect_error(lib.create(&srs, path, false), ENOENT, "missing");
	expect_error(lib.create(&srs, path, true), ENOENT, "missing");
	expect_error(lib.create(&srs, GOLDEN POSEIDON ".zkey", true), EINVAL,
		     "section ic, offset 0x364: expected");
	EXPECT_TRUE(srs.ptr == &srs);
}

/* References and the cache: one reading for a path, until it is evicted. */
TEST(references)
{
	struct lull_supraseal_srs a = open_srs(true), b = open_srs(true);
	struct lull_supraseal_srs c = open_srs(false), d = lib.clone(&a), e;
	struct lull_supraseal_proof proof;
	struct lull_supraseal_srs none = { NULL };

	EXPECT_TRUE(a.ptr == b.ptr && a.ptr == d.ptr);
	EXPECT_TRUE(a.ptr != c.ptr);
	lib.drop(&a);
	lib.drop(&b);
	lib.evict(&d);
	lib.evict(&d);
	e = open_srs(true);
	EXPECT_TRUE(e.ptr != d.ptr);
	/* The last reference still works. */
	expect_ok(lib.generate(provers, 1, NULL, NULL, &proof, &d));
	lib.drop(&d);
	lib.drop(&c);
	lib.evict(&e);
	expect_ok(lib.generate(provers, 1, NULL, NULL, &proof, &e));
	lib.drop(&e);
	lib.drop(&none);
}

/* More paths than are kept: the one used longest ago is read again. */
TEST(the_cache_has_a_bound)
{
	struct lull_supraseal_srs srs[6], again;
	char path[6][PATH_BYTES], name[32];
	struct blob b;
	unsigned int i;

	set_up();
	b = blob_read(params_path);
	for (i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "copy-%u.params", i);
		scratch_path(path[i], name);
		blob_write(&b, path[i]);
		expect_ok(lib.create(&srs[i], path[i], true));
	}
	blob_free(&b);
	expect_ok(lib.create(&again, path[5], true));
	EXPECT_TRUE(again.ptr == srs[5].ptr);
	lib.drop(&again);
	expect_ok(lib.create(&again, path[0], true));
	EXPECT_TRUE(again.ptr != srs[0].ptr);
	for (i = 0; i < 6; i++) {
		lib.evict(&srs[i]);
		lib.drop(&srs[i]);
	}
	lib.evict(&again);
	lib.drop(&again);
}

/* ---- a GPU, unless the CPU is asked for --------------------------------- */

/* Returns whether there is one. */
static bool expect_no_gpu(const char *backend)
{
	struct lull_supraseal_srs srs = { &srs };
	struct lull_supraseal_error error;

	if (backend)
		setenv("LULL_BACKEND", backend, 1);
	else
		unsetenv("LULL_BACKEND");
	error = lib.create(&srs, params_path, true);
	if (!error.code) {
		lib.evict(&srs);
		lib.drop(&srs);
		return true;
	}
	expect_error(error, ENODEV, "No CUDA devices available: ");
	EXPECT_TRUE(srs.ptr == &srs);
	return false;
}

TEST(without_a_gpu)
{
	struct lull_supraseal_srs srs = { &srs };
	struct lull_supraseal_error error;
	bool has_gpu;

	set_up();
	has_gpu = expect_no_gpu(NULL);
	EXPECT_EQ(has_gpu, expect_no_gpu(""));
	EXPECT_EQ(has_gpu, expect_no_gpu("cuda"));
	/* Another fault has its own text. */
	setenv("LULL_BACKEND", "gpu", 1);
	expect_error(lib.create(&srs, params_path, false), EINVAL,
		     "backend: expected auto, cpu, cuda or null");
	setenv("LULL_BACKEND", "auto", 1);
	expect_ok(lib.create(&srs, params_path, false));
	lib.drop(&srs);
	setenv("LULL_BACKEND", "cuda", 1);
	setenv("LULL_ARENA", "paper", 1);
	error = lib.create(&srs, params_path, false);
	EXPECT_TRUE(error.code && !strstr(error.message, "No CUDA devices"));
	free(error.message);
	unsetenv("LULL_ARENA");
	setenv("LULL_BACKEND", "cpu", 1);
}

TEST(numbers_in_the_environment)
{
	const struct {
		const char *name, *text;
	} wrong[] = {
		{ "LULL_THREADS", "two" },    { "LULL_THREADS", "4097" },
		{ "LULL_THREADS", "-1" },     { "LULL_VRAM_KEY", "24G" },
		{ "LULL_VRAM_KEY", " 1024" }, { "LULL_VRAM_KEY", "1e30" },
	};
	struct lull_supraseal_srs srs = { &srs };
	char was[16], said[64];
	size_t i;

	set_up();
	snprintf(was, sizeof(was), "%s", getenv("LULL_THREADS"));
	for (i = 0; i < LULL_ARRAY_SIZE(wrong); i++) {
		setenv(wrong[i].name, wrong[i].text, 1);
		snprintf(said, sizeof(said), "%s: expected a number up to ",
			 wrong[i].name);
		expect_error(lib.create(&srs, params_path, false), EINVAL,
			     said);
		setenv("LULL_THREADS", was, 1);
		setenv("LULL_VRAM_KEY", "", 1);
	}
	expect_ok(lib.create(&srs, params_path, false));
	lib.drop(&srs);
	unsetenv("LULL_VRAM_KEY");
}

/* ---- while a file is read ----------------------------------------------- */

#define WAIT_S 30
#define LOOK_NS (2 * 1000 * 1000)
#define HELD "held.params"

/* Of files of this name, the opening lasts until it is let go. */
static atomic_int nr_held, let_go;

/* The library's, too: a program's functions come first (selftests/Makefile). */
__attribute__((visibility("default"))) int open(const char *path, int flags,
						...);

int open(const char *path, int flags, ...)
{
	const struct timespec look = { 0, LOOK_NS };
	const char *name = strrchr(path, '/');
	va_list args;
	int mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, int) : 0;
	va_end(args);
	if (name && !strcmp(name + 1, HELD)) {
		atomic_fetch_add(&nr_held, 1);
		while (!atomic_load(&let_go))
			nanosleep(&look, NULL);
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* Whether a number came to what is expected, in good time. */
static bool comes_to(const atomic_int *number, int want)
{
	const struct timespec look = { 0, LOOK_NS };
	const int looks = WAIT_S * (1000000000 / LOOK_NS);
	int i;

	for (i = 0; i < looks && atomic_load(number) != want; i++)
		nanosleep(&look, NULL);
	return atomic_load(number) == want;
}

static void *read_held(void *arg)
{
	struct lull_supraseal_srs *srs = arg;
	char path[PATH_BYTES];

	scratch_path(path, HELD);
	expect_ok(lib.create(srs, path, true));
	return NULL;
}

/* Everything that reads no file. */
struct meanwhile {
	struct lull_supraseal_srs cached, last;
	atomic_int done;
};

static void *use_meanwhile(void *arg)
{
	struct meanwhile *m = arg;
	struct lull_supraseal_srs other, again = { NULL };
	struct lull_supraseal_proof proof;

	other = lib.clone(&m->cached);
	lib.drop(&other);
	lib.drop(&m->last);
	expect_ok(lib.create(&again, params_path, true));
	EXPECT_TRUE(again.ptr == m->cached.ptr);
	expect_ok(lib.generate(provers, 1, NULL, NULL, &proof, &again));
	lib.evict(&again);
	lib.drop(&again);
	atomic_store(&m->done, 1);
	return NULL;
}

TEST(nobody_waits_for_a_file)
{
	struct lull_supraseal_srs held[2] = { { NULL }, { NULL } };
	struct meanwhile m = { { NULL }, { NULL }, 0 };
	char path[PATH_BYTES];
	pthread_t threads[3];
	struct blob b;
	unsigned int i;

	m.cached = open_srs(true);
	m.last = open_srs(false);
	b = blob_read(params_path);
	scratch_path(path, HELD);
	atomic_store(&let_go, 1);
	blob_write(&b, path);
	blob_free(&b);
	atomic_store(&let_go, 0);
	atomic_store(&nr_held, 0);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, read_held,
					    &held[i]));
	EXPECT_TRUE(comes_to(&nr_held, 1));
	ASSERT_EQ(0, pthread_create(&threads[2], NULL, use_meanwhile, &m));
	EXPECT_TRUE(comes_to(&m.done, 1));
	EXPECT_EQ(1, atomic_load(&nr_held));
	atomic_store(&let_go, 1);
	for (i = 0; i < LULL_ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	/* Both have what one of them read. */
	EXPECT_EQ(1, atomic_load(&nr_held));
	EXPECT_TRUE(held[0].ptr == held[1].ptr);
	lib.evict(&held[0]);
	lib.drop(&held[0]);
	lib.drop(&held[1]);
	lib.drop(&m.cached);
}

/* ---- many callers -------------------------------------------------------- */

#define CALLERS 5

/* Densities that nobody may read until the test says so: a caller that was
 * admitted stands still at its own. */
static uint8_t *pages[CALLERS];
static atomic_int nr_reading, may_read;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	const struct timespec look = { 0, LOOK_NS };
	uint8_t *page = info->si_addr;
	unsigned int i;

	(void)signal;
	(void)context;
	page -= (uintptr_t)page % (size_t)sysconf(_SC_PAGESIZE);
	for (i = 0; i < CALLERS && pages[i] != page; i++)
		;
	if (i == CALLERS)
		abort();
	atomic_fetch_add(&nr_reading, 1);
	while (!atomic_load(&may_read))
		nanosleep(&look, NULL);
	if (mprotect(page, (size_t)sysconf(_SC_PAGESIZE), PROT_READ))
		abort();
}

static void *prove_one(void *arg)
{
	struct lull_supraseal_srs *srs = arg;
	static atomic_int nr;
	unsigned int i = (unsigned int)atomic_fetch_add(&nr, 1) % CALLERS;
	struct lull_supraseal_assignment mine = provers[0];
	struct lull_supraseal_proof proof;

	mine.a_aux_density = (const void *)pages[i];
	expect_ok(lib.generate(&mine, 1, NULL, NULL, &proof, srs));
	return NULL;
}

static void expect_admitted(struct lull_supraseal_srs srs, int most)
{
	const struct timespec more = { 0, 200 * 1000 * 1000 };
	const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct sigaction act = { .sa_sigaction = on_fault,
				 .sa_flags = SA_SIGINFO | SA_NODEFER },
			 was;
	pthread_t threads[CALLERS];
	unsigned int i;

	atomic_store(&nr_reading, 0);
	atomic_store(&may_read, 0);
	for (i = 0; i < CALLERS; i++) {
		pages[i] = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ASSERT_TRUE(pages[i] != MAP_FAILED);
		memcpy(pages[i], poseidon.a_aux, (poseidon.nr_aux + 7) / 8);
		mprotect(pages[i], bytes, PROT_NONE);
	}
	sigaction(SIGSEGV, &act, &was);
	for (i = 0; i < CALLERS; i++)
		ASSERT_EQ(0,
			  pthread_create(&threads[i], NULL, prove_one, &srs));
	EXPECT_TRUE(comes_to(&nr_reading, most));
	nanosleep(&more, NULL);
	EXPECT_EQ(most, atomic_load(&nr_reading));
	atomic_store(&may_read, 1);
	for (i = 0; i < CALLERS; i++)
		pthread_join(threads[i], NULL);
	/* Which thread reads which page is not said: all are done here. */
	for (i = 0; i < CALLERS; i++)
		munmap(pages[i], bytes);
	EXPECT_EQ(CALLERS, atomic_load(&nr_reading));
	sigaction(SIGSEGV, &was, NULL);
	lib.drop(&srs);
}

TEST(callers_in_turn)
{
	expect_admitted(open_srs(false), 1);
}

TEST(gpu_callers_in_turn)
{
	struct lull_supraseal_srs srs = { NULL };

	if (open_srs_on_gpu(&srs))
		expect_admitted(srs, 2);
}

static void *prove_thread(void *arg)
{
	struct lull_supraseal_srs srs = lib.clone(arg);
	struct lull_supraseal_proof proofs[NR];

	expect_ok(lib.generate(provers, NR, NULL, NULL, proofs, &srs));
	lib.drop(&srs);
	return NULL;
}

TEST(several_callers_at_once)
{
	struct lull_supraseal_srs srs = open_srs(true);
	pthread_t threads[3];
	unsigned int i;

	for (i = 0; i < LULL_ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, prove_thread,
					    &srs));
	for (i = 0; i < LULL_ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	lib.evict(&srs);
	lib.drop(&srs);
}

TEST_MAIN
