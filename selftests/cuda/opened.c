// SPDX-License-Identifier: Apache-2.0
/*
 * opened.c - what is found out about a GPU when it is opened
 *
 * Emulated devices refuse calls, and have known memory; skips on others.
 */
#include "gpu_ctx.h"

#define NAME "bn128-poseidon2"
/* As emulated_runtime.cpp has it: of a device, and of that for stacks. */
#define DEVICE_BYTES (8ull << 30)
#define STACK_BYTES (400ull << 20)
/* More than there is. */
#define MUCH_BYTES (1ull << 40)

static bool (*refuse)(const char *name, unsigned int nth);

static struct lull_ctx *open_emulated(uint64_t vram_bytes)
{
	struct lull_ctx *ctx = open_gpu(vram_bytes);

	if (!ctx || find_emulated("emulated_refuse", &refuse))
		return ctx;
	lull_ctx_destroy(ctx);
	test_skipped = "real devices are what they are";
	return NULL;
}

/* ---- what it may not have ------------------------------------------------ */

/* One more context, of which that call is refused. */
static int open_without(const char *call, const char *backend,
			struct lull_ctx **ret_ctx, struct lull_error *reterr)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .backend = backend };
	int err;

	refuse(call, 1);
	err = lull_ctx_create(&opts, ret_ctx, reterr);
	EXPECT_TRUE(!refuse(call, 0));
	return err;
}

static void not_opened(const char *call, int code, const char *want)
{
	struct lull_ctx *first = open_emulated(0), *ctx = NULL;
	struct lull_error error = { 0 };
	const char *backend;

	if (!first)
		return;
	EXPECT_EQ(code, open_without(call, "cuda", &ctx, &error));
	if (strncmp(error.msg, want, strlen(want)))
		TEST_FAIL_("no '%s' in '%s'", want, error.msg);
	ASSERT_EQ(LULL_OK, open_without(call, "auto", &ctx, NULL));
	backend = lull_ctx_backend(ctx);
	if (strncmp(backend, "cpu (auto: ", 11) || !strstr(backend, want))
		TEST_FAIL_("found '%s'", backend);
	lull_ctx_destroy(ctx);
	lull_ctx_destroy(first);
}

TEST(no_code_for_the_gpu)
{
	not_opened("cudaFuncGetAttributes", LULL_UNSUPPORTED,
		   "GPU 0, emulated: compute capability 9.0, liblull_cuda.so "
		   "is for sm_");
}

TEST(no_room_for_stacks)
{
	not_opened("stacks", LULL_NOMEM,
		   "GPU 0: expected room for the stacks of kernels, found ");
}

/* ---- memory -------------------------------------------------------------- */

/* What the plan says of the budget where less is free than may be used. */
struct budget {
	unsigned long long bytes, wanted, free, kept;
};

/* More than there is may be used. */
static struct lull_ctx *open_for_all(struct budget *ret)
{
	struct lull_ctx *ctx = open_emulated(MUCH_BYTES);
	const char *at = ctx ? strstr(plan_text, "a budget of ") : NULL;

	*ret = (struct budget){ 0 };
	if (ctx && (!at || sscanf(at,
				  "a budget of %llu bytes instead of %llu: "
				  "%llu are free, of which %llu stay so",
				  &ret->bytes, &ret->wanted, &ret->free,
				  &ret->kept) != 4))
		TEST_FAIL_("no budget in '%s'", plan_text);
	return ctx;
}

static void prove(struct lull_ctx *ctx)
{
	struct golden g = golden_load(NAME, 0);
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;

	EXPECT_EQ(LULL_OK, lull_key_open_mem(ctx, g.key.data, g.key.bytes, &key,
					     NULL));
	EXPECT_EQ(LULL_OK, lull_wtns_open_mem(ctx, g.wtns.data, g.wtns.bytes,
					      &wtns, NULL));
	expect_golden(ctx, key, wtns, &g);
	lull_wtns_close(wtns);
	lull_key_close(key);
	golden_free(&g);
}

/* Stacks are taken before that is asked for, and nothing else is by a proof. */
TEST(the_budget_is_what_is_free)
{
	struct budget budget, later;
	struct lull_ctx *ctx = open_for_all(&budget);

	if (!ctx)
		return;
	EXPECT_EQ(MUCH_BYTES, budget.wanted);
	EXPECT_EQ(DEVICE_BYTES - STACK_BYTES, budget.free);
	EXPECT_TRUE(budget.kept);
	EXPECT_EQ(budget.free - budget.kept, budget.bytes);
	prove(ctx);
	lull_ctx_destroy(ctx);
	ctx = open_for_all(&later);
	EXPECT_EQ(budget.free, later.free);
	lull_ctx_destroy(ctx);
}

TEST(a_budget_that_is_free)
{
	struct lull_ctx *ctx = open_emulated(1 << 30);

	if (!ctx)
		return;
	EXPECT_TRUE(!strstr(plan_text, "a budget of "));
	prove(ctx);
	lull_ctx_destroy(ctx);
}

TEST_MAIN
