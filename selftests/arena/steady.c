// SPDX-License-Identifier: Apache-2.0
/*
 * steady.c - from the second proof of a key on, the arena is silent
 *
 * And nothing else has memory to speak of: the program is linked with --wrap
 * for what allocates, and looks at the sizes.
 */
#include "../prove/prove.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "pool.h"

#define LARGE_BYTES ((size_t)1 << 20)
/* A key of some 10 MB, scratch of as much; LULL_STEADY_LOG2_ROWS makes it less,
 * for machines that are emulated. */
#define LOG2_ROWS 14
#define NR_SILENT 3 /* proofs behind each other, the first is none of them */
#define NR_PROOFS_MAX 16

/* ---- what allocates ---------------------------------------------------- */

static atomic_size_t largest;	 /* malloc, calloc, realloc */
static atomic_uint nr_large_map; /* memory mapped that can be written */
static atomic_uint nr_unmaps;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t nr, size_t bytes);
void *__real_realloc(void *p, size_t bytes);
void *__real_mmap(void *at, size_t bytes, int prot, int flags, int fd,
		  off_t offset);
int __real_munmap(void *at, size_t bytes);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t nr, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes);
void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd,
		  off_t offset);
int __wrap_munmap(void *at, size_t bytes);

static void note_bytes(size_t bytes)
{
	size_t was = atomic_load(&largest);

	while (bytes > was)
		if (atomic_compare_exchange_strong(&largest, &was, bytes))
			break;
}

void *__wrap_malloc(size_t bytes)
{
	note_bytes(bytes);
	return __real_malloc(bytes);
}

void *__wrap_calloc(size_t nr, size_t bytes)
{
	note_bytes(nr * bytes);
	return __real_calloc(nr, bytes);
}

void *__wrap_realloc(void *p, size_t bytes)
{
	note_bytes(bytes);
	return __real_realloc(p, bytes);
}

void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd,
		  off_t offset)
{
	if (bytes > LARGE_BYTES && prot & PROT_WRITE)
		atomic_fetch_add(&nr_large_map, 1);
	return __real_mmap(at, bytes, prot, flags, fd, offset);
}

int __wrap_munmap(void *at, size_t bytes)
{
	atomic_fetch_add(&nr_unmaps, 1);
	return __real_munmap(at, bytes);
}

/* ---- one circuit ------------------------------------------------------- */

static char r1cs[PATH_BYTES], wtns_path[PATH_BYTES], zkey[PATH_BYTES];
static char proof_path[PATH_BYTES], public_path[PATH_BYTES];

static struct lull_ctx *ctx_on(const char *arena, struct lull_error *why)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .nr_threads = 2,
					    .arena = arena };
	struct lull_ctx *ctx = NULL;

	lull_ctx_create(&opts, &ctx, why);
	return ctx;
}

static bool make_key(void)
{
	const char *rows = getenv("LULL_STEADY_LOG2_ROWS");
	struct lull_ctx *ctx = ctx_on("thp", NULL);
	int err;

	if (!ctx || !make_circuit("dense", "bn128",
				  rows ? (unsigned int)strtoul(rows, NULL, 10)
				       : LOG2_ROWS,
				  r1cs, wtns_path))
		return false;
	scratch_path(zkey, "made.zkey");
	err = lull_key_generate_toxic(ctx, r1cs, zkey, NULL);
	lull_ctx_destroy(ctx);
	return !err;
}

static long nr_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

/* A witness is read, proved and closed, as a prover does all day. */
static struct lull_ctx_stats prove_once(struct lull_ctx *ctx,
					const struct lull_key *key)
{
	struct lull_ctx_stats stats = { .size = sizeof(stats) };
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;

	EXPECT_EQ(LULL_OK, lull_wtns_open(ctx, wtns_path, &wtns, NULL));
	EXPECT_EQ(LULL_OK, lull_prove(ctx, key, wtns, NULL, &proof, NULL));
	lull_proof_free(proof);
	lull_wtns_close(wtns);
	EXPECT_EQ(LULL_OK, lull_ctx_stats(ctx, &stats, NULL));
	return stats;
}

/* Page faults that are not the arena's: stacks, mallocs of a few bytes.  A thread
 * that had no processor in one proof may touch in the next what it has not touched
 * yet, which in pages of 4 KiB is more: the arena counts none of that anew. */
#define OTHER_FAULTS_MAX 8

/* Outlives a test that it is the reason to skip. */
static struct lull_error error;

static void expect_silence(const char *carrier)
{
	struct lull_ctx_stats was = { 0 }, is;
	struct lull_key *key = NULL;
	struct lull_ctx *ctx;
	unsigned int i, nr_silent = 0;
	long faults = 0, last = 0;

	ctx = ctx_on(carrier, &error);
	if (!ctx)
		SKIP(error.msg);
	ASSERT_TRUE(zkey[0] || make_key());
	ASSERT_EQ(LULL_OK, lull_key_open(ctx, zkey, &key, NULL));
	for (i = 0; i < NR_PROOFS_MAX && nr_silent < NR_SILENT; i++) {
		is = prove_once(ctx, key);
		last = nr_faults() - faults;
		if (i) {
			EXPECT_EQ(was.faulted_bytes, is.faulted_bytes);
			EXPECT_EQ(was.zeroed_bytes, is.zeroed_bytes);
			EXPECT_EQ(was.held_bytes, is.held_bytes);
			EXPECT_EQ(was.fresh_bytes, is.fresh_bytes);
			EXPECT_EQ(0, is.unmapped_bytes);
			EXPECT_EQ(0, is.flushes);
			EXPECT_EQ(0, is.munmaps);
			EXPECT_EQ(0, nr_unmaps);
			EXPECT_TRUE(is.kept_bytes > was.kept_bytes);
			nr_silent++;
		}
		if (!test_sanitized() && last > OTHER_FAULTS_MAX)
			nr_silent = 0;
		was = is;
		atomic_store(&nr_unmaps, 0);
		faults = nr_faults();
	}
	if (nr_silent < NR_SILENT)
		TEST_FAIL_("%u proofs, of the last %ld page faults", i,
			   last);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
}

TEST(silent_on_module)
{
	expect_silence("module");
}

TEST(silent_on_hugetlb)
{
	if (small_pool())
		SKIP(small_pool());
	expect_silence("hugetlb");
}

TEST(silent_on_thp)
{
	expect_silence("thp");
}

TEST(loud_on_malloc)
{
	struct lull_ctx_stats was, is;
	struct lull_key *key = NULL;
	struct lull_ctx *ctx;

	ctx = ctx_on("malloc-serial", NULL);
	ASSERT_TRUE(ctx && (zkey[0] || make_key()));
	ASSERT_EQ(LULL_OK, lull_key_open(ctx, zkey, &key, NULL));
	was = prove_once(ctx, key);
	is = prove_once(ctx, key);
	EXPECT_TRUE(is.munmaps > was.munmaps);
	EXPECT_TRUE(is.unmapped_bytes > was.unmapped_bytes + LARGE_BYTES);
	EXPECT_TRUE(is.faulted_bytes > was.faulted_bytes + LARGE_BYTES);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
}

/* Every public function, on a circuit with large vectors. */
TEST(nothing_large_from_elsewhere)
{
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	char vkey[PATH_BYTES], again[PATH_BYTES];
	struct lull_ctx *ctx = ctx_on("thp", NULL);

	ASSERT_TRUE(ctx && (zkey[0] || make_key()));
	scratch_path(vkey, "vkey.json");
	scratch_path(again, "again.zkey");
	scratch_path(proof_path, "proof.json");
	scratch_path(public_path, "public.json");
	atomic_store(&largest, 0);
	atomic_store(&nr_large_map, 0);
	EXPECT_EQ(LULL_OK, lull_key_generate_toxic(ctx, r1cs, again, NULL));
	EXPECT_EQ(LULL_OK, lull_key_open(ctx, zkey, &key, NULL));
	EXPECT_EQ(LULL_OK, lull_key_check(key, NULL));
	EXPECT_EQ(LULL_OK, lull_wtns_open(ctx, wtns_path, &wtns, NULL));
	EXPECT_EQ(LULL_OK, lull_wtns_check(wtns, r1cs, NULL));
	EXPECT_EQ(LULL_OK, lull_prove(ctx, key, wtns, NULL, &proof, NULL));
	ASSERT_TRUE(proof != NULL);
	EXPECT_EQ(LULL_OK,
		  lull_proof_write(proof, proof_path, public_path, NULL));
	EXPECT_EQ(LULL_OK, lull_key_vkey_write(key, vkey, NULL));
	EXPECT_EQ(LULL_OK, lull_verify(vkey, public_path, proof_path, NULL));
	if (largest > LARGE_BYTES)
		TEST_FAIL_("malloc of %zu bytes", largest);
	EXPECT_EQ(0, nr_large_map);
	EXPECT_TRUE(largest > 0);
	lull_proof_free(proof);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
}

TEST_MAIN
