// SPDX-License-Identifier: Apache-2.0
/*
 * idle.c - when an idle pipeline gives memory back, and when it does not
 *
 * Work lasts as long as a test wants: this program's getrandom(2), which every
 * proof begins with, waits while @hold is set.
 */
#include "sched/bed.h"

#include <stdatomic.h>
#include <sys/random.h>
#include <time.h>

#include "arena/arena.h"
#include "lib.h"

static void wait_ms(long ms)
{
	const struct timespec some = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&some, NULL);
}

/* Ticks of 50 ms: several times what a release takes to come. */
#define TICKS 200

/* How many releases there are, once there are more than @nr or for long none. */
static uint64_t releases_after(struct lull_pipeline *pipeline, uint64_t nr)
{
	unsigned int i;

	for (i = 0; i < TICKS && stats_of(pipeline).idle_releases <= nr; i++)
		wait_ms(50);
	return stats_of(pipeline).idle_releases;
}

TEST(an_idle_pipeline_gives_memory_back)
{
	struct bed bed = make_bed("cpu", GOLDEN_CHAIN);
	struct lull_pipeline *pipeline = make_pipeline(
		&bed, (struct lull_pipeline_opts){ .idle_release_s = 1 });
	struct lull_job *job = submit(pipeline, &bed, 2, NULL);

	expect_all_proved(job, 2);
	lull_job_free(job);
	EXPECT_EQ(0, stats_of(pipeline).idle_releases);
	EXPECT_EQ(1, releases_after(pipeline, 0));
	EXPECT_TRUE(stats_of(pipeline).idle_released_bytes > 0);
	/* And has it again. */
	job = submit(pipeline, &bed, 2, NULL);
	expect_all_proved(job, 2);
	lull_job_free(job);
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
	struct lull_job *job = submit(pipeline, &bed, 2, NULL);
	uint64_t beside, released;

	expect_all_proved(job, 2);
	lull_job_free(job);
	EXPECT_EQ(1, releases_after(pipeline, 0));
	released = stats_of(pipeline).idle_released_bytes;
	beside = held_bytes(&bed) - vec.bytes;
	lull_arena_retire(&vec);
	EXPECT_EQ(2, releases_after(pipeline, 1));
	EXPECT_EQ(beside, held_bytes(&bed));
	EXPECT_EQ(4 * LULL_ARENA_SLOT_BYTES,
		  stats_of(pipeline).idle_released_bytes - released);
	/* Opened and closed meanwhile. */
	vec = carve_slots(&bed);
	lull_arena_retire(&vec);
	EXPECT_EQ(3, releases_after(pipeline, 2));
	EXPECT_EQ(beside, held_bytes(&bed));
	/* A job has it again. */
	job = submit(pipeline, &bed, 2, NULL);
	expect_all_proved(job, 2);
	lull_job_free(job);
	EXPECT_EQ(4, releases_after(pipeline, 3));
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
}

/* ---- a neighbour --------------------------------------------------------- */

static atomic_bool hold;

ssize_t getrandom(void *buf, size_t bytes, unsigned int flags)
{
	(void)flags;
	while (atomic_load(&hold))
		wait_ms(10);
	memset(buf, 0x2a, bytes);
	return (ssize_t)bytes;
}

/* Longer than a release takes to come. */
#define LONG_MS 2500

/* A bed with free memory, that a pipeline which never has a job would release. */
struct quiet {
	struct bed bed;
	struct lull_pipeline *idle;
	bool watched;
};

static struct quiet make_quiet(void)
{
	struct quiet q = { .bed = make_bed("cpu", GOLDEN_CHAIN) };
	struct lull_vec vec = carve_slots(&q.bed);

	q.idle = make_pipeline(
		&q.bed, (struct lull_pipeline_opts){ .idle_release_s = 1 });
	lull_arena_retire(&vec);
	return q;
}

static void expect_none_now(struct quiet *q)
{
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

	atomic_store(&hold, true);
	job = submit(busy, &q.bed, 1, NULL);
	expect_none_now(&q);
	atomic_store(&hold, false);
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
	if (!q->watched)
		expect_none_now(q);
	q->watched = true;
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
	EXPECT_TRUE(q.watched);
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
	EXPECT_TRUE(q.watched);
	expect_one_later(&q);
}

TEST_MAIN
