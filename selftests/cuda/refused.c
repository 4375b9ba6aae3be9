// SPDX-License-Identifier: Apache-2.0
/*
 * refused.c - single calls of CUDA's that fail, each in its turn
 *
 * What fails is told, or done without, and nothing of it is left for the next
 * key or proof.  Emulated devices refuse calls; skips on others.
 */
#include "gpu_ctx.h"

#define NAME "bn128-poseidon2"
/* More than there are of any call. */
#define NR_CALLS_MAX 1000

static bool (*refuse)(const char *name, unsigned int nth);

static struct lull_ctx *open_emulated(void)
{
	struct lull_ctx *ctx = open_gpu(0);

	if (!ctx || find_emulated("emulated_refuse", &refuse))
		return ctx;
	lull_ctx_destroy(ctx);
	test_skipped = "real devices refuse nothing when told to";
	return NULL;
}

/* A key, given to the device: LULL_OK, with proofs, or LULL_NOMEM and a text. */
static int open_and_prove(struct lull_ctx *ctx, const struct golden *g)
{
	struct lull_error error = { 0 };
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	int err =
		lull_key_open_mem(ctx, g->key.data, g->key.bytes, &key, &error);

	if (err) {
		EXPECT_EQ(LULL_NOMEM, err);
		if (!strstr(error.msg, "out of memory"))
			TEST_FAIL_("no reason: %s", error.msg);
		return err;
	}
	EXPECT_EQ(LULL_OK, lull_wtns_open_mem(ctx, g->wtns.data, g->wtns.bytes,
					      &wtns, NULL));
	expect_golden(ctx, key, wtns, g);
	lull_wtns_close(wtns);
	lull_key_close(key);
	return err;
}

/* Some refusals cost the key, others a proof at a time; the next key is as if
 * there had been none. */
static void refuse_memory(const char *call)
{
	struct lull_ctx *ctx = open_emulated();
	struct golden g;
	unsigned int nr_done_without = 0, nth;
	bool more = true;

	if (!ctx)
		return;
	g = golden_load(NAME, 0);
	for (nth = 1; more && nth < NR_CALLS_MAX && !test_failed; nth++) {
		refuse(call, nth);
		if (!open_and_prove(ctx, &g))
			nr_done_without++;
		more = !refuse(call, 0);
		EXPECT_EQ(LULL_OK, open_and_prove(ctx, &g));
	}
	/* The last one is refused nothing. */
	EXPECT_TRUE(nth > 2 && !more);
	EXPECT_TRUE(nr_done_without > 1);
	printf("# %s: %u calls, %u of them done without\n", call, nth - 2,
	       nr_done_without - 1);
	golden_free(&g);
	lull_ctx_destroy(ctx);
}

TEST(pinned_memory_is_refused)
{
	refuse_memory("cudaHostAlloc");
}

TEST(device_memory_is_refused)
{
	refuse_memory("cudaMalloc");
}

/* ---- events ------------------------------------------------------------ */

/* Golden bytes, or LULL_DEVICE and where; never a proof of what was not waited
 * for. */
static void prove_or_tell(struct lull_ctx *ctx, const struct lull_key *key,
			  const struct lull_wtns *wtns, const struct golden *g)
{
	struct lull_proof *proof = NULL;
	struct lull_error error = { 0 };
	char text[TEXT_BYTES];
	int err;

	err = lull_prove_blinded(ctx, key, wtns, NULL, g->r, g->s, &proof,
				 &error);
	if (err && err != LULL_DEVICE)
		TEST_FAIL_("%d: %s", err, error.msg);
	if (err)
		return;
	lull_proof_json(proof, text, sizeof(text));
	EXPECT_STREQ(g->proof, text);
	lull_proof_free(proof);
}

/* Once the device has done all that it was given, nothing of a proof is left: it
 * was waited for before its memory was wiped. */
static void expect_nothing_left(const struct golden *g)
{
	const size_t word = sizeof(uint64_t);
	const uint8_t *last = g->wtns.data + g->wtns.bytes - LULL_FR_BYTES;
	bool (*holds)(const void *bytes, size_t nr);
	uint64_t (*left)(void);

	ASSERT_TRUE(find_emulated("emulated_holds", &holds) &&
		    find_emulated("emulated_left_on_host", &left));
	EXPECT_TRUE(!holds(last + word, word));
	EXPECT_EQ(0, left());
}

/* The nth event of a proof that is not the key's first is not recorded; false
 * where there are fewer. */
static bool refuse_event(unsigned int nth, const struct golden *g)
{
	struct lull_ctx *ctx = open_gpu(0);
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	bool refused;

	EXPECT_EQ(LULL_OK, lull_key_open_mem(ctx, g->key.data, g->key.bytes,
					     &key, NULL));
	EXPECT_EQ(LULL_OK, lull_wtns_open_mem(ctx, g->wtns.data, g->wtns.bytes,
					      &wtns, NULL));
	expect_golden(ctx, key, wtns, g);
	refuse("cudaEventRecord", nth);
	prove_or_tell(ctx, key, wtns, g);
	refused = !refuse("cudaEventRecord", 0);
	expect_nothing_left(g);
	if (test_failed)
		printf("# event %u\n", nth);
	prove_or_tell(ctx, key, wtns, g);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	return refused;
}

TEST(events_are_refused)
{
	struct lull_ctx *ctx = open_emulated();
	unsigned int nth = 1;
	struct golden g;

	if (!ctx)
		return;
	lull_ctx_destroy(ctx);
	g = golden_load(NAME, 0);
	while (nth < NR_CALLS_MAX && !test_failed && refuse_event(nth, &g))
		nth++;
	printf("# %u events\n", nth - 1);
	EXPECT_TRUE(nth > 1 && nth < NR_CALLS_MAX);
	golden_free(&g);
}

TEST_MAIN
