// SPDX-License-Identifier: Apache-2.0
/*
 * idle.c - an idle engine's arena is registered with no device
 *
 * And is again for the next job, which proves as before.  Skips where there is
 * no GPU.  Emulated devices say what is registered with them.
 */
#include <time.h>

#include "arena/arena.h"
#include "gpu_ctx.h"
#include "lib.h"
#include "lull_pipeline.h"

#define NAME "bn128-chain1000"
#define NR_PARTITIONS 3
#define WAIT_MS 60000
#define LOOKS_MAX 400

/* What is registered with emulated devices; @otherwise on others. */
static uint64_t registered(uint64_t otherwise)
{
	uint64_t (*bytes)(void);

	return find_emulated("emulated_registered_bytes", &bytes) ? bytes()
								  : otherwise;
}

static struct lull_ctx_stats stats_of(struct lull_ctx *ctx)
{
	struct lull_ctx_stats stats = { .size = sizeof(stats) };

	EXPECT_EQ(LULL_OK, lull_ctx_stats(ctx, &stats, NULL));
	return stats;
}

static uint64_t nr_releases(struct lull_pipeline *pipeline)
{
	struct lull_pipeline_stats stats = { .size = sizeof(stats) };

	EXPECT_EQ(LULL_OK, lull_pipeline_stats(pipeline, &stats, NULL));
	return stats.idle_releases;
}

/* Proofs are checked by pairing before they are handed out. */
static void prove_job(struct lull_pipeline *pipeline, struct lull_key *key,
		      const char *witness)
{
	const char *const paths[NR_PARTITIONS] = { witness, witness, witness };
	const struct lull_job_opts opts = { .size = sizeof(opts),
					    .nr_partitions = NR_PARTITIONS,
					    .paths = paths };
	struct lull_job *job = NULL;
	struct lull_error error = { 0 };
	unsigned int i;

	ASSERT_EQ(LULL_OK, lull_job_submit(pipeline, key, &opts, &job, NULL));
	EXPECT_EQ(1, lull_job_wait(job, WAIT_MS));
	for (i = 0; i < NR_PARTITIONS; i++)
		if (!lull_job_proof(job, i, &error))
			TEST_FAIL_("%s", error.msg);
	lull_job_free(job);
}

/* While somebody is at work in the arena nothing becomes idle, however long this
 * thread gets no processor. */
static struct lull_ctx_stats prove_busy(struct lull_ctx *ctx,
					struct lull_pipeline *pipeline,
					struct lull_key *key,
					const char *witness)
{
	struct lull_ctx_stats busy;

	prove_job(pipeline, key, witness);
	busy = stats_of(ctx);
	EXPECT_TRUE(busy.pinned_bytes > 0);
	EXPECT_EQ(busy.pinned_bytes, registered(busy.pinned_bytes));
	lull_arena_leave(ctx->arena);
	return busy;
}

static void wait_for_release(struct lull_pipeline *pipeline, uint64_t nr)
{
	const struct timespec some = { 0, 50 * 1000 * 1000 };
	unsigned int i;

	for (i = 0; i < LOOKS_MAX && nr_releases(pipeline) < nr; i++)
		nanosleep(&some, NULL);
	EXPECT_EQ(nr, nr_releases(pipeline));
}

/* With room for all, or with points streamed out of the registered arena. */
static void go_idle(uint64_t vram_bytes)
{
	const struct lull_pipeline_opts opts = { .size = sizeof(opts),
						 .idle_release_s = 1 };
	struct lull_ctx *ctx = open_gpu_in(vram_bytes, "thp");
	struct lull_pipeline *pipeline = NULL;
	struct lull_key *key = NULL;
	struct lull_ctx_stats busy, idle, again;
	char key_path[PATH_BYTES], wtns_path[PATH_BYTES];
	uint64_t i;

	ASSERT_TRUE(ctx);
	golden_path(key_path, NAME, "zkey");
	golden_path(wtns_path, NAME, "wtns");
	ASSERT_EQ(LULL_OK, lull_key_open(ctx, key_path, &key, NULL));
	lull_arena_enter(ctx->arena);
	ASSERT_EQ(LULL_OK, lull_pipeline_create(ctx, &opts, &pipeline, NULL));
	for (i = 1; i <= 2; i++) {
		busy = prove_busy(ctx, pipeline, key, wtns_path);
		wait_for_release(pipeline, i);
		idle = stats_of(ctx);
		EXPECT_EQ(0, idle.pinned_bytes);
		EXPECT_EQ(0, registered(0));
		EXPECT_TRUE(idle.held_bytes < busy.held_bytes);
		lull_arena_enter(ctx->arena);
	}
	again = prove_busy(ctx, pipeline, key, wtns_path);
	EXPECT_TRUE(again.registered_bytes >=
		    idle.registered_bytes + again.pinned_bytes);
	lull_pipeline_destroy(pipeline);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	EXPECT_EQ(0, registered(0));
}

static bool has_gpu(void)
{
	struct lull_ctx *ctx = open_gpu(0);

	lull_ctx_destroy(ctx);
	if (ctx && strcmp(backend_name(), "cuda"))
		test_skipped = "the CPU registers nothing";
	return ctx && !test_skipped;
}

TEST(registration_ends_and_begins_again)
{
	if (has_gpu())
		go_idle(0);
}

/* In the least budget, points are read where the arena has them. */
TEST(streamed_points_are_registered_again)
{
	if (has_gpu())
		go_idle(least_bytes(NAME));
	if (!test_skipped)
		EXPECT_TRUE(strstr(plan_text, "streamed in"));
}

TEST_MAIN
