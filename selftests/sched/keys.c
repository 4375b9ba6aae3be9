// SPDX-License-Identifier: Apache-2.0
/*
 * keys.c - keys that come while partitions of another are under way
 *
 * What keys and partitions have together is never more than the bound, so a key
 * that finds no room waits, and its job with it; nobody else is harmed.  The room
 * is taken by the test itself where it has to be known how much there is.
 */
#include "sched/bed.h"

#include <stdatomic.h>

#include "sched/pipeline.h"

#define SHORT_MS 100
#define ROUNDS 20

/* Two keys of one context, and what a partition and a key of each take. */
struct pair {
	struct bed a, b;
	uint64_t key_a, key_b, each;
};

static struct pair make_pair(void)
{
	struct pair pair = { .a = make_bed("cpu", GOLDEN_SMALL) };
	char path[PATH_BYTES];

	pair.b = pair.a;
	golden_path(path, GOLDEN_BLS, "zkey");
	golden_path(pair.b.wtns, GOLDEN_BLS, "wtns");
	if (lull_key_open(pair.a.ctx, path, &pair.b.key, NULL)) {
		printf("Bail out! no second key\n");
		exit(1);
	}
	pair.each = lull_max(bytes_of_one(&pair.a, &pair.key_a),
			     bytes_of_one(&pair.b, &pair.key_b));
	return pair;
}

static void free_pair(struct pair *pair)
{
	lull_key_close(pair->b.key);
	free_bed(&pair->a);
}

/* Where both keys and a partition of either just fit. */
static struct lull_pipeline *make_tight(struct pair *pair)
{
	return make_pipeline(
		&pair->a,
		(struct lull_pipeline_opts){
			.in_flight = 4,
			.workers_per_device = 2,
			.host_bytes = pair->key_a + pair->key_b + pair->each });
}

/* Takes all that is left, as partitions under way would. */
static uint64_t take_the_rest(struct lull_pipeline *pipeline)
{
	struct lull_pipeline_stats stats = stats_of(pipeline);
	uint64_t bytes = stats.host_bytes - stats.host_bytes_held -
			 stats.host_bytes_used;
	static atomic_bool never;
	bool waited;

	EXPECT_EQ(LULL_OK, lull_budget_admit(pipeline->budget, bytes, &never,
					     &waited, NULL));
	return bytes;
}

static void expect_bounded(struct lull_pipeline *pipeline)
{
	struct lull_pipeline_stats stats = stats_of(pipeline);

	EXPECT_TRUE(stats.host_bytes_held + stats.host_bytes_used <=
		    stats.host_bytes);
	EXPECT_TRUE(stats.host_bytes_max <= stats.host_bytes);
}

/* Nothing is held, promised or used any more. */
static void expect_empty(struct lull_pipeline *pipeline)
{
	struct lull_pipeline_stats stats = stats_of(pipeline);

	EXPECT_EQ(0, stats.host_bytes_held);
	EXPECT_EQ(0, stats.host_bytes_promised);
	EXPECT_EQ(0, stats.host_bytes_used);
	EXPECT_TRUE(stats.host_bytes_max <= stats.host_bytes);
}

/* A job of the first key, which has ended, and no room for the second's. */
static struct lull_job *
fill_up(struct pair *pair, struct lull_pipeline *pipeline, uint64_t *ret_rest)
{
	struct lull_job *a = submit(pipeline, &pair->a, 1, NULL);

	expect_all_proved(a, 1);
	EXPECT_EQ(pair->key_a, stats_of(pipeline).host_bytes_held);
	*ret_rest = take_the_rest(pipeline);
	return a;
}

static void take_down(struct pair *pair, struct lull_pipeline *pipeline)
{
	expect_empty(pipeline);
	lull_pipeline_destroy(pipeline);
	free_pair(pair);
}

TEST(a_key_waits_for_room_and_its_job_is_proved)
{
	struct pair pair = make_pair();
	struct lull_pipeline *pipeline = make_tight(&pair);
	uint64_t rest;
	struct lull_job *a = fill_up(&pair, pipeline, &rest), *b;

	b = submit(pipeline, &pair.b, 3, NULL);
	EXPECT_EQ(pair.key_a, stats_of(pipeline).host_bytes_held);
	EXPECT_EQ(pair.key_b, stats_of(pipeline).host_bytes_promised);
	expect_bounded(pipeline);
	EXPECT_EQ(0, lull_job_wait(b, SHORT_MS));
	EXPECT_EQ(0, status_of(b).nr_proved);
	lull_budget_release(pipeline->budget, rest);
	expect_all_proved(b, 3);
	EXPECT_EQ(pair.key_a + pair.key_b, stats_of(pipeline).host_bytes_held);
	lull_job_free(a);
	lull_job_free(b);
	take_down(&pair, pipeline);
}

/* It ends at once, and nobody waits for its key any more. */
TEST(a_job_whose_key_waits_is_canceled)
{
	struct pair pair = make_pair();
	struct lull_pipeline *pipeline = make_tight(&pair);
	uint64_t rest;
	struct lull_job *a = fill_up(&pair, pipeline, &rest), *b;

	b = submit(pipeline, &pair.b, 6, NULL);
	lull_job_cancel(b);
	EXPECT_EQ(1, lull_job_wait(b, WAIT_MS));
	EXPECT_EQ(6, status_of(b).nr_canceled);
	lull_job_free(b);
	EXPECT_EQ(0, stats_of(pipeline).host_bytes_promised);
	lull_budget_release(pipeline->budget, rest);
	lull_job_free(a);
	a = submit(pipeline, &pair.a, 2, NULL);
	expect_all_proved(a, 2);
	lull_job_free(a);
	take_down(&pair, pipeline);
}

/* The second of a key has its place in line when the first goes. */
TEST(a_key_that_waits_is_inherited)
{
	struct pair pair = make_pair();
	struct lull_pipeline *pipeline = make_tight(&pair);
	uint64_t rest;
	struct lull_job *a = fill_up(&pair, pipeline, &rest), *first, *second;

	first = submit(pipeline, &pair.b, 2, NULL);
	second = submit(pipeline, &pair.b, 2, NULL);
	EXPECT_EQ(pair.key_b, stats_of(pipeline).host_bytes_promised);
	lull_job_free(first);
	EXPECT_EQ(pair.key_b, stats_of(pipeline).host_bytes_promised);
	lull_budget_release(pipeline->budget, rest);
	expect_all_proved(second, 2);
	EXPECT_EQ(pair.key_a + pair.key_b, stats_of(pipeline).host_bytes_held);
	lull_job_free(second);
	lull_job_free(a);
	take_down(&pair, pipeline);
}

/* For ever, since keys of jobs that are not freed go by nothing of their own. */
TEST(a_key_that_can_never_fit_is_refused)
{
	struct pair pair = make_pair();
	struct lull_pipeline *pipeline = make_pipeline(
		&pair.a, (struct lull_pipeline_opts){
				 .host_bytes = pair.key_a + pair.each });
	struct lull_job *a = submit(pipeline, &pair.a, 2, NULL), *b = NULL;
	const char *paths[] = { pair.b.wtns };
	const struct lull_job_opts opts = { .size = sizeof(opts),
					    .nr_partitions = 1,
					    .paths = paths };
	struct lull_error error = { 0 };

	EXPECT_EQ(LULL_NOMEM,
		  lull_job_submit(pipeline, pair.b.key, &opts, &b, &error));
	EXPECT_TRUE(strstr(error.msg, "that are held"));
	expect_all_proved(a, 2);
	lull_job_free(a);
	take_down(&pair, pipeline);
}

/* Jobs of both keys in turn, of which some are canceled; what was there at most
 * is looked at behind each. */
TEST(keys_that_come_and_go_stay_within_the_bound)
{
	struct pair pair = make_pair();
	struct lull_pipeline *pipeline = make_pipeline(
		&pair.a, (struct lull_pipeline_opts){
				 .in_flight = 6,
				 .workers_per_device = 3,
				 .dealloc = "async",
				 .host_bytes = pair.key_a + pair.key_b +
					       2 * pair.each });
	struct lull_job *jobs[4];
	unsigned int round, i;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < LULL_ARRAY_SIZE(jobs); i++) {
			jobs[i] = submit(pipeline,
					 (i + round) % 2 ? &pair.b : &pair.a, 3,
					 NULL);
			expect_bounded(pipeline);
		}
		if (round % 3 == 1)
			lull_job_cancel(jobs[round % 4]);
		for (i = 0; i < LULL_ARRAY_SIZE(jobs); i++)
			if (round % 3 != 1 || i != round % 4)
				expect_all_proved(jobs[i], 3);
		for (i = 0; i < LULL_ARRAY_SIZE(jobs); i++)
			lull_job_free(jobs[(i + round) % 4]);
		expect_empty(pipeline);
	}
	lull_pipeline_destroy(pipeline);
	free_pair(&pair);
}

/* The largest witness of one job is proved while another's key has the rest. */
TEST(a_job_that_comes_harms_no_large_witness)
{
	struct pair pair = make_pair();
	struct lull_pipeline *pipeline = make_tight(&pair);
	struct blob wtns = blob_read(pair.a.wtns);
	const size_t bytes = LULL_WTNS_EXTRA_BYTES / 2;
	void *zeros = calloc(1, bytes);
	struct bed large = pair.a;
	struct lull_job *a, *b;

	blob_add_section(&wtns, 9, zeros, bytes);
	scratch_path(large.wtns, "large.wtns");
	blob_write(&wtns, large.wtns);
	blob_free(&wtns);
	free(zeros);
	a = submit(pipeline, &large, NR_PARTITIONS, NULL);
	b = submit(pipeline, &pair.b, 2, NULL);
	expect_all_proved(a, NR_PARTITIONS);
	expect_all_proved(b, 2);
	lull_job_free(a);
	lull_job_free(b);
	take_down(&pair, pipeline);
}

TEST_MAIN
