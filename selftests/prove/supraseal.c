// SPDX-License-Identifier: Apache-2.0
/*
 * supraseal.c - liblull_supraseal.so, loaded as a host would have it
 */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "prove/bellman.h"
#include "supraseal_host.h"

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
TEST_MAIN
