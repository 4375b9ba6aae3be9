// SPDX-License-Identifier: Apache-2.0
/*
 * counts.c - what a device copied, holds and was busy with
 *
 * Skips where there is no GPU.  Emulated devices count copies for themselves.
 */
#include "gpu_ctx.h"

/* What a proof copied and how long it was at work, as the backend counts it;
 * emulated devices count for themselves. */
static struct lull_device_stats count_proof(struct lull_ctx *ctx,
					    struct lull_key *key,
					    struct lull_wtns *wtns,
					    const struct golden *g)
{
	struct lull_device_stats was = device_stats(ctx), is;
	uint64_t up[2] = { 0 }, down[2] = { 0 };
	bool emulated = emulation_saw(&up[0], &down[0]);

	expect_golden(ctx, key, wtns, g);
	is = device_stats(ctx);
	is.up_bytes -= was.up_bytes;
	is.down_bytes -= was.down_bytes;
	is.busy_ns -= was.busy_ns;
	if (emulated) {
		emulation_saw(&up[1], &down[1]);
		EXPECT_EQ(up[1] - up[0], is.up_bytes);
		EXPECT_EQ(down[1] - down[0], is.down_bytes);
	}
	return is;
}

/* With all that fits on the device the witness goes up and a few points come
 * down; with less, points go up too.  Each proof copies as much as the other. */
static void count_within(uint64_t vram, bool streamed, uint64_t *ret_peak)
{
	struct lull_ctx *ctx = open_gpu(vram);
	struct lull_device_stats opened, first, second;
	struct golden g = golden_load("bn128-chain1000", 0);
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	uint64_t witness_bytes, (*left)(void);

	ASSERT_TRUE(ctx);
	ASSERT_EQ(LULL_OK,
		  lull_key_open_mem(ctx, g.key.data, g.key.bytes, &key, NULL));
	ASSERT_EQ(LULL_OK, lull_wtns_open_mem(ctx, g.wtns.data, g.wtns.bytes,
					      &wtns, NULL));
	opened = device_stats(ctx);
	first = count_proof(ctx, key, wtns, &g);
	second = count_proof(ctx, key, wtns, &g);
	witness_bytes = g.wtns.bytes - VALUES_AT;
	EXPECT_EQ(first.up_bytes, second.up_bytes);
	EXPECT_EQ(first.down_bytes, second.down_bytes);
	if (streamed)
		EXPECT_TRUE(first.up_bytes > witness_bytes);
	else
		EXPECT_EQ(witness_bytes, first.up_bytes);
	EXPECT_TRUE(first.down_bytes && first.busy_ns && second.busy_ns);
	EXPECT_TRUE(streamed || opened.up_bytes > 1000 * 64);
	EXPECT_EQ(1, opened.nr_devices);
	EXPECT_TRUE(opened.proof_bytes &&
		    opened.proof_bytes < opened.used_bytes);
	EXPECT_EQ(opened.used_bytes, second.used_bytes);
	EXPECT_EQ(lull_ctx_device_peak_bytes(ctx), second.peak_bytes);
	*ret_peak = second.peak_bytes;
	/* Nothing of the proofs, and be it how many of its values are ones. */
	if (find_emulated("emulated_left_on_host", &left))
		EXPECT_EQ(0, left());
	lull_wtns_close(wtns);
	lull_key_close(key);
	EXPECT_EQ(0, device_stats(ctx).used_bytes);
	lull_ctx_destroy(ctx);
	golden_free(&g);
}

TEST(copies_and_work_are_counted)
{
	struct lull_ctx *ctx = open_gpu(0);
	uint64_t peak = 0, small = 0;

	if (!ctx)
		return;
	lull_ctx_destroy(ctx);
	if (strcmp(backend_name(), "cuda"))
		SKIP("the CPU copies nothing");
	count_within(0, false, &peak);
	count_within(least_bytes("bn128-chain1000"), true, &small);
	EXPECT_TRUE(small && small < peak);
}

TEST_MAIN
