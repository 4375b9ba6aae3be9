// SPDX-License-Identifier: Apache-2.0
/*
 * steady.c - from the second proof of a key on, the prover is silent
 *
 * Proves the same key and witness several times through the public interface
 * on an arena of the module, and counts three times over: by the module's
 * counters, by /proc/interrupts and by tlb:tlb_flush.  Runs as root in a
 * virtual machine that does nothing else (scripts/check); it counts what the
 * whole machine does.
 */
#include "storm/counted.h"

#define GOLDEN "selftests/golden/"
#define NR_THREADS 3
#define NR_PROOFS 4
/* Something else in the machine may flush now and then: the best of these
 * must be silent, and ours always are. */
#define NR_ATTEMPTS 3

/* One prover with a key and a witness. */
struct prover {
	struct lull_ctx *ctx;
	struct lull_key *key;
	struct lull_wtns *wtns;
};

static bool set_up(struct prover *p, const char *arena, const char *circuit)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .nr_threads = NR_THREADS,
					    .arena = arena };
	char path[128];
	struct lull_error err = { .msg = "" };
	bool ok;

	*p = (struct prover){ 0 };
	ok = counting_begins() && !lull_ctx_create(&opts, &p->ctx, &err);
	snprintf(path, sizeof(path), GOLDEN "%s.zkey", circuit);
	ok = ok && !lull_key_open(p->ctx, path, &p->key, &err);
	snprintf(path, sizeof(path), GOLDEN "%s.wtns", circuit);
	ok = ok && !lull_wtns_open(p->ctx, path, &p->wtns, &err);
	if (!ok)
		printf("# %s: %s\n", circuit, err.msg);
	return ok;
}

static void take_down(struct prover *p)
{
	lull_wtns_close(p->wtns);
	lull_key_close(p->key);
	lull_ctx_destroy(p->ctx);
	counting_ends();
}

static bool prove(const struct prover *p)
{
	const struct lull_prove_opts opts = { .size = sizeof(opts) };
	struct lull_error err = { .msg = "" };
	struct lull_proof *proof;

	if (lull_prove(p->ctx, p->key, p->wtns, &opts, &proof, &err)) {
		printf("# %s\n", err.msg);
		return false;
	}
	lull_proof_free(proof);
	return true;
}

/* NR_PROOFS proofs: what they brought about. */
static bool prove_counted(const struct prover *p, struct counted *ret_delta)
{
	struct counted before, after;
	unsigned int i;

	if (!count(&before))
		return false;
	for (i = 0; i < NR_PROOFS; i++)
		if (!prove(p))
			return false;
	if (!count(&after))
		return false;
	*ret_delta = counted_between(&before, &after);
	return true;
}

static void expect_silence(const char *circuit)
{
	struct counted delta, first;
	struct lull_ctx_stats stats = { .size = sizeof(stats) };
	uint64_t least_flushes = UINT64_MAX, least_ipis = UINT64_MAX;
	struct prover p;
	unsigned int i;

	ASSERT_TRUE(set_up(&p, "module", circuit));
	EXPECT_STREQ("", counters.why);
	/* The first proof is where memory is had. */
	EXPECT_TRUE(prove_counted(&p, &first));
	say(circuit, NR_PROOFS, &first);
	EXPECT_TRUE(first.module.faults > 0);
	EXPECT_TRUE(first.module.zeroed_bytes > 0);
	for (i = 0; i < NR_ATTEMPTS && (least_flushes || least_ipis); i++) {
		ASSERT_TRUE(prove_counted(&p, &delta));
		say(circuit, NR_PROOFS, &delta);
		EXPECT_EQ(0, delta.host.flushes_own);
		EXPECT_EQ(0, delta.nr_munmaps);
		EXPECT_EQ(0, delta.module.faults);
		EXPECT_EQ(0, delta.module.zeroed_bytes);
		EXPECT_EQ(0, delta.module.acquired_bytes);
		EXPECT_EQ(0, delta.module.flushes);
		EXPECT_EQ(0, delta.module.batches);
		if (delta.host.flushes < least_flushes)
			least_flushes = delta.host.flushes;
		if (delta.host.ipis_tlb < least_ipis)
			least_ipis = delta.host.ipis_tlb;
	}
	EXPECT_EQ(0, least_flushes);
	EXPECT_EQ(0, least_ipis);
	EXPECT_EQ(LULL_OK, lull_ctx_stats(p.ctx, &stats, NULL));
	printf("# %s\n", stats.arena);
	EXPECT_TRUE(!strncmp(stats.arena, "module (2 MiB", 13));
	EXPECT_TRUE(stats.kept_bytes > 0);
	EXPECT_EQ(0, stats.fresh_bytes);
	EXPECT_EQ(0, stats.munmaps);
	take_down(&p);
}

TEST(bn254_is_silent)
{
	expect_silence("bn128-chain1000");
}

TEST(bls12_381_is_silent)
{
	expect_silence("bls12381-chain1000");
}

/* The same counters see one munmap() of memory that was touched. */
TEST(counters_see)
{
	struct counted before, after;
	struct prover p;
	void *mem;

	ASSERT_TRUE(set_up(&p, "module", "bn128-chain1000"));
	mem = mmap(NULL, STORM_SLOT_BYTES, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(mem != MAP_FAILED);
	ASSERT_TRUE(count(&before));
	memset(mem, 1, STORM_SLOT_BYTES);
	munmap(mem, STORM_SLOT_BYTES);
	ASSERT_TRUE(count(&after));
	EXPECT_TRUE(after.host.flushes_own > before.host.flushes_own);
	EXPECT_TRUE(after.host.ipis_tlb > before.host.ipis_tlb);
	EXPECT_TRUE(after.host.faults > before.host.faults);
	EXPECT_EQ(before.nr_munmaps + 1, after.nr_munmaps);
	take_down(&p);
}

TEST_MAIN
