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
static bool (*refuse_from)(const char *name, unsigned int nth);

static struct lull_ctx *open_emulated(void)
{
	struct lull_ctx *ctx = open_gpu(0);

	if (!ctx || (find_emulated("emulated_refuse", &refuse) &&
		     find_emulated("emulated_refuse_from", &refuse_from)))
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

/* ---- calls of a proof -------------------------------------------------- */

static void open_both(struct lull_ctx *ctx, const struct golden *g,
		      struct lull_key **ret_key, struct lull_wtns **ret_wtns)
{
	EXPECT_EQ(LULL_OK, lull_key_open_mem(ctx, g->key.data, g->key.bytes,
					     ret_key, NULL));
	EXPECT_EQ(LULL_OK, lull_wtns_open_mem(ctx, g->wtns.data, g->wtns.bytes,
					      ret_wtns, NULL));
}

/* Golden bytes, or LULL_DEVICE and where; never a proof of what was not waited
 * for. */
static int prove_or_tell(struct lull_ctx *ctx, const struct lull_key *key,
			 const struct lull_wtns *wtns, const struct golden *g)
{
	struct lull_proof *proof = NULL;
	struct lull_error error = { 0 };
	char text[TEXT_BYTES];
	int err;

	err = lull_prove_blinded(ctx, key, wtns, NULL, g->r, g->s, &proof,
				 &error);
	if (err != error.code || (err && err != LULL_DEVICE))
		TEST_FAIL_("%d: %s", err, error.msg);
	if (err)
		return err;
	lull_proof_json(proof, text, sizeof(text));
	EXPECT_STREQ(g->proof, text);
	lull_proof_free(proof);
	return LULL_OK;
}

/* Once the device has done all that it was given, whether it has something of a
 * proof.  The host has nothing. */
static bool is_left(const struct golden *g)
{
	const size_t word = sizeof(uint64_t);
	const uint8_t *last = g->wtns.data + g->wtns.bytes - LULL_FR_BYTES;
	bool (*holds)(const void *bytes, size_t nr);
	uint64_t (*left)(void);

	if (!find_emulated("emulated_holds", &holds) ||
	    !find_emulated("emulated_left_on_host", &left)) {
		TEST_FAIL_("no %s", "emulated devices");
		return true;
	}
	EXPECT_EQ(0, left());
	return holds(last + word, word);
}

/* The nth such call of a proof that is not the key's first is refused; false where
 * there are fewer.  Nothing is left of that proof. */
static bool refuse_call(const char *call, unsigned int nth,
			const struct golden *g)
{
	struct lull_ctx *ctx = open_gpu(0);
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	bool refused;

	open_both(ctx, g, &key, &wtns);
	expect_golden(ctx, key, wtns, g);
	refuse(call, nth);
	prove_or_tell(ctx, key, wtns, g);
	refused = !refuse(call, 0);
	EXPECT_TRUE(!is_left(g));
	prove_or_tell(ctx, key, wtns, g);
	if (test_failed)
		printf("# %s %u\n", call, nth);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	return refused;
}

static void refuse_calls(const char *call)
{
	struct lull_ctx *ctx = open_emulated();
	unsigned int nth = 1;
	struct golden g;

	if (!ctx)
		return;
	lull_ctx_destroy(ctx);
	g = golden_load(NAME, 0);
	while (nth < NR_CALLS_MAX && !test_failed && refuse_call(call, nth, &g))
		nth++;
	printf("# %s: %u\n", call, nth - 1);
	EXPECT_TRUE(nth > 1 && nth < NR_CALLS_MAX);
	golden_free(&g);
}

TEST(events_are_refused)
{
	refuse_calls("cudaEventRecord");
}

/* As where the driver has no memory for a kernel's stack. */
TEST(launches_are_refused)
{
	refuse_calls("launch");
}

/* The device's failure, and none of the proof's. */
TEST(the_cpu_takes_over_from_a_launch)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .backend = "cuda",
					    .fallback_cpu = 1 };
	struct lull_ctx *first = open_emulated(), *ctx = NULL;
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	struct golden g;

	if (!first)
		return;
	g = golden_load(NAME, 0);
	ASSERT_EQ(LULL_OK, lull_ctx_create(&opts, &ctx, NULL));
	open_both(ctx, &g, &key, &wtns);
	refuse("launch", 3); /* any */
	EXPECT_EQ(LULL_OK, lull_prove_blinded(ctx, key, wtns, NULL, g.r, g.s,
					      &proof, NULL));
	EXPECT_TRUE(!refuse("launch", 0));
	if (strncmp(lull_proof_backend(proof), "cpu (fallback: ", 15))
		TEST_FAIL_("found '%s'", lull_proof_backend(proof));
	lull_proof_free(proof);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	lull_ctx_destroy(first);
	golden_free(&g);
}

/* ---- overwriting --------------------------------------------------------- */

/* From the nth one of a proof on nothing is overwritten that it leaves, until it has
 * ended: false where that takes fewer.  The proof is good; the device, which has
 * something of it, is told of and given nothing more. */
static bool refuse_overwriting(unsigned int nth, const struct golden *g)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .backend = "cuda",
					    .warn = hear };
	struct lull_wtns *wtns = NULL;
	struct lull_ctx *ctx = NULL;
	struct lull_key *key = NULL;
	bool refused;

	EXPECT_EQ(LULL_OK, lull_ctx_create(&opts, &ctx, NULL));
	open_both(ctx, g, &key, &wtns);
	plan_text[0] = '\0';
	refuse_from("cudaMemsetAsync", nth);
	EXPECT_EQ(LULL_OK, prove_or_tell(ctx, key, wtns, g));
	refused = !refuse("cudaMemsetAsync", 0);
	EXPECT_EQ(refused, is_left(g));
	EXPECT_EQ(refused, !!strstr(plan_text, "is left out: cuda/"));
	EXPECT_EQ(refused ? LULL_DEVICE : LULL_OK,
		  prove_or_tell(ctx, key, wtns, g));
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	return refused;
}

TEST(overwriting_is_refused)
{
	struct lull_ctx *ctx = open_emulated();
	unsigned int nth = 1;
	struct golden g;

	if (!ctx)
		return;
	g = golden_load(NAME, 0);
	/* Once, what it computed in: what cannot be queued is done at once. */
	EXPECT_TRUE(refuse_call("cudaMemsetAsync", 1, &g));
	while (!test_failed && refuse_overwriting(nth, &g))
		nth++;
	/* What it computed in, and its seat. */
	EXPECT_EQ(3, nth);
	golden_free(&g);
	lull_ctx_destroy(ctx);
}

TEST_MAIN
