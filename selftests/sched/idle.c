// SPDX-License-Identifier: Apache-2.0
/*
 * idle.c - when an idle pipeline gives memory back, and when it does not
 */
#include "sched/bed.h"

#include "sched/hold.h"

#include "arena/arena.h"
#include "base/base.h"
#include "base/trace.h"
#include "lib.h"

/* Ticks of 50 ms: many times what a release takes to come. */
#define TICKS 1200

/* How many releases there are, once there are more than @nr or for long none. */
static uint64_t releases_after(struct lull_pipeline *pipeline, uint64_t nr)
{
	unsigned int i;

	for (i = 0; i < TICKS && stats_of(pipeline).idle_releases <= nr; i++)
		wait_ms(50);
	return stats_of(pipeline).idle_releases;
}

/* A job: how many releases there had been while it was under way. */
static uint64_t prove_some(struct bed *bed, struct lull_pipeline *pipeline)
{
	struct lull_job *job;
	uint64_t nr;

	hold_proofs();
	job = submit(pipeline, bed, 2, NULL);
	await_proof();
	nr = stats_of(pipeline).idle_releases;
	let_proofs_go();
	expect_all_proved(job, 2);
	lull_job_free(job);
	return nr;
}

TEST(an_idle_pipeline_gives_memory_back)
{
	struct bed bed = make_bed("cpu", GOLDEN_CHAIN);
	struct lull_pipeline *pipeline = make_pipeline(
		&bed, (struct lull_pipeline_opts){ .idle_release_s = 1 });
	uint64_t begin = lull_trace_now_ns(), nr = prove_some(&bed, pipeline);

	EXPECT_EQ(nr + 1, releases_after(pipeline, nr));
	EXPECT_TRUE(lull_trace_now_ns() - begin >= LULL_NS_PER_S);
	EXPECT_TRUE(stats_of(pipeline).idle_released_bytes > 0);
	/* And has it again. */
	EXPECT_EQ(nr + 1, prove_some(&bed, pipeline));
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
}

static uint64_t held_bytes(struct bed *bed)
{
	struct lull_ctx_stats stats = { .size = sizeof(stats) };

	lull_ctx_stats(bed->ctx, &stats, NULL);
	return stats.held_bytes;
}

/* As a key has it, of which there is none here that takes a slot of its own. */
static struct lull_vec carve_slots(struct bed *bed)
{
	struct lull_vec vec = { 0 };

	EXPECT_EQ(LULL_OK,
		  lull_arena_carve(bed->ctx->arena, 4 * LULL_ARENA_SLOT_BYTES,
				   0, "a key", &vec, NULL));
	return vec;
}

/* Whenever that is: no partition need have been in flight before it. */
TEST(the_memory_of_a_key_that_is_closed_goes_back)
{
	struct bed bed = make_bed("cpu", GOLDEN_CHAIN);
	struct lull_pipeline *pipeline = make_pipeline(
		&bed, (struct lull_pipeline_opts){ .idle_release_s = 1 });
	struct lull_vec vec = carve_slots(&bed);
	uint64_t beside, released, nr = prove_some(&bed, pipeline);

	EXPECT_EQ(nr + 1, releases_after(pipeline, nr));
	released = stats_of(pipeline).idle_released_bytes;
	beside = held_bytes(&bed) - vec.bytes;
	lull_arena_retire(&vec);
	EXPECT_EQ(nr + 2, releases_after(pipeline, nr + 1));
	EXPECT_EQ(beside, held_bytes(&bed));
	EXPECT_EQ(4 * LULL_ARENA_SLOT_BYTES,
		  stats_of(pipeline).idle_released_bytes - released);
	/* Opened and closed meanwhile. */
	vec = carve_slots(&bed);
	lull_arena_retire(&vec);
	EXPECT_EQ(nr + 3, releases_after(pipeline, nr + 2));
	EXPECT_EQ(beside, held_bytes(&bed));
	/* A job has it again. */
	EXPECT_EQ(nr + 3, prove_some(&bed, pipeline));
	EXPECT_EQ(nr + 4, releases_after(pipeline, nr + 3));
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
}

/* ---- a neighbour --------------------------------------------------------- */

/* Longer than a release takes to come. */
#define LONG_MS 2500

/* A pipeline that never has a job, beside others' work. */
struct quiet {
	struct bed bed;
	struct lull_pipeline *idle;
};

static struct quiet make_quiet(void)
{
	return (struct quiet){ .bed = make_bed("cpu", GOLDEN_CHAIN) };
}

/* Begins in the middle of others' work, with free memory that the pipeline would
 * release. */
static void expect_none_now(struct quiet *q)
{
	struct lull_vec vec = carve_slots(&q->bed);

	q->idle = make_pipeline(
		&q->bed, (struct lull_pipeline_opts){ .idle_release_s = 1 });
	lull_arena_retire(&vec);
	wait_ms(LONG_MS);
	EXPECT_EQ(0, stats_of(q->idle).idle_releases);
}

static void expect_one_later(struct quiet *q)
{
	EXPECT_EQ(1, releases_after(q->idle, 0));
	lull_pipeline_destroy(q->idle);
	free_bed(&q->bed);
}

TEST(nothing_goes_back_while_another_pipeline_proves)
{
	struct quiet q = make_quiet();
	struct lull_pipeline *busy =
		make_pipeline(&q.bed, (struct lull_pipeline_opts){ 0 });
	struct lull_job *job;

	hold_proofs();
	job = submit(busy, &q.bed, 1, NULL);
	await_proof();
	expect_none_now(&q);
	let_proofs_go();
	expect_all_proved(job, 1);
	lull_job_free(job);
	lull_pipeline_destroy(busy);
	expect_one_later(&q);
}

/* Once, in the middle of whatever it is. */
static void watch(void *arg, const char *what)
{
	struct quiet *q = arg;

	(void)what;
	if (!q->idle)
		expect_none_now(q);
}

static void watch_steps(void *arg, const char *what, unsigned int nr_done,
			unsigned int nr_all)
{
	(void)nr_done, (void)nr_all;
	watch(arg, what);
}

TEST(nothing_goes_back_while_a_caller_proves)
{
	struct quiet q = make_quiet();
	const struct lull_prove_opts opts = { .size = sizeof(opts),
					      .progress = watch,
					      .progress_arg = &q };
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;

	EXPECT_EQ(LULL_OK,
		  lull_wtns_open(q.bed.ctx, q.bed.wtns, &wtns, NULL));
	EXPECT_EQ(LULL_OK, lull_prove(q.bed.ctx, q.bed.key, wtns, &opts, &proof,
				      NULL));
	ASSERT_TRUE(q.idle);
	lull_proof_free(proof);
	lull_wtns_close(wtns);
	expect_one_later(&q);
}

TEST(nothing_goes_back_while_a_key_is_converted)
{
	struct quiet q = make_quiet();
	const struct lull_convert_opts opts = { .size = sizeof(opts),
						.progress = watch_steps,
						.progress_arg = &q };
	char from[PATH_BYTES], to[PATH_BYTES];

	golden_path(from, GOLDEN_CHAIN, "zkey");
	scratch_path(to, "idle.lkey");
	EXPECT_EQ(LULL_OK,
		  lull_key_convert(q.bed.ctx, from, to, &opts, NULL));
	ASSERT_TRUE(q.idle);
	expect_one_later(&q);
}

TEST_MAIN
