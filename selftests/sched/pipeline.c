// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline.c - many partitions at once, under every policy, canceled anywhere
 *
 * Meant for the TSan build as much as for the plain one.  The null backend
 * tries the scheduling alone; the CPU's proofs are checked by pairing before
 * they come back.
 */
#include "sched/bed.h"

#include "sched/hold.h"

#include <poll.h>
#include <sched.h>
#include <sys/stat.h>
#include <time.h>

#include "arena/arena.h"

static const char *const deallocs[] = { "retire", "inline", "async", "serial" };
static const char *const gates[] = { "off", "flag", "tokens" };

/* ---- proofs ------------------------------------------------------------ */

TEST(every_policy_proves)
{
	struct bed bed = make_bed("cpu", GOLDEN_SMALL);
	uint64_t before = used_bytes(&bed);
	size_t d, g;

	for (d = 0; d < LULL_ARRAY_SIZE(deallocs); d++) {
		for (g = 0; g < LULL_ARRAY_SIZE(gates); g++) {
			struct lull_pipeline *pipeline = make_pipeline(
				&bed, (struct lull_pipeline_opts){
					      .in_flight = 1 + (d + g) % 4,
					      .workers_per_device = 1 + g % 2,
					      .dealloc = deallocs[d],
					      .bandwidth_gate = gates[g] });
			struct lull_job *job = submit(pipeline, &bed, 6, NULL);

			expect_all_proved(job, 6);
			EXPECT_EQ(0, stats_of(pipeline).host_bytes_used);
			lull_job_free(job);
			EXPECT_EQ(0, stats_of(pipeline).host_bytes_held);
			EXPECT_EQ(before, used_bytes(&bed));
			lull_pipeline_destroy(pipeline);
		}
	}
	free_bed(&bed);
}

TEST(proofs_verify_and_are_fresh)
{
	struct bed bed = make_bed("cpu", GOLDEN_CHAIN);
	struct lull_pipeline *pipeline = make_pipeline(
		&bed, (struct lull_pipeline_opts){ .in_flight = 3 });
	struct lull_job *job = submit(pipeline, &bed, 4, NULL);
	char texts[2][TEXT_BYTES];
	unsigned int i;

	expect_all_proved(job, 4);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(LULL_OK,
			  verify_proof(bed.key, lull_job_proof(job, i, NULL)));
	for (i = 0; i < 2; i++)
		lull_proof_json(lull_job_proof(job, i, NULL), texts[i],
				TEXT_BYTES);
	EXPECT_TRUE(strcmp(texts[0], texts[1]) != 0);
	lull_job_free(job);
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
}

TEST(witnesses_from_memory)
{
	struct bed bed = make_bed("cpu", GOLDEN_SMALL);
	struct bed other = make_bed("cpu", GOLDEN_CHAIN);
	struct lull_pipeline *pipeline =
		make_pipeline(&bed, (struct lull_pipeline_opts){ 0 });
	const struct lull_wtns *all[3];
	struct lull_job_opts opts = { .size = sizeof(opts),
				      .nr_partitions = 3,
				      .wtns = all };
	struct lull_error error = { 0 };
	struct lull_wtns *wtns, *wrong;
	struct lull_job *job = NULL;

	ASSERT_EQ(LULL_OK, lull_wtns_open(bed.ctx, bed.wtns, &wtns, NULL));
	ASSERT_EQ(LULL_OK, lull_wtns_open(other.ctx, other.wtns, &wrong, NULL));
	all[0] = all[1] = all[2] = wtns;
	EXPECT_EQ(LULL_OK,
		  lull_job_submit(pipeline, bed.key, &opts, &job, NULL));
	expect_all_proved(job, 3);
	lull_job_free(job);
	all[2] = wrong;
	EXPECT_EQ(LULL_MISMATCH,
		  lull_job_submit(pipeline, bed.key, &opts, &job, &error));
	EXPECT_TRUE(strstr(error.msg, "witness values"));
	lull_wtns_close(wtns);
	lull_wtns_close(wrong);
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
	free_bed(&other);
}

TEST(several_jobs_of_several_keys)
{
	struct bed bed = make_bed("cpu", GOLDEN_SMALL);
	struct lull_pipeline *pipeline = make_pipeline(
		&bed, (struct lull_pipeline_opts){ .in_flight = 4,
						   .workers_per_device = 2,
						   .dealloc = "async" });
	struct bed second = bed;
	struct lull_job *jobs[6];
	char path[PATH_BYTES];
	unsigned int i;

	golden_path(path, GOLDEN_BLS, "zkey");
	golden_path(second.wtns, GOLDEN_BLS, "wtns");
	ASSERT_EQ(LULL_OK, lull_key_open(bed.ctx, path, &second.key, NULL));
	for (i = 0; i < 6; i++)
		jobs[i] = submit(pipeline, i % 2 ? &second : &bed, 3, NULL);
	/* Freed in another order than they end; keys stay held meanwhile. */
	for (i = 0; i < 6; i++)
		expect_all_proved(jobs[i], 3);
	EXPECT_TRUE(stats_of(pipeline).host_bytes_held > 0);
	for (i = 0; i < 6; i++)
		lull_job_free(jobs[i]);
	EXPECT_EQ(0, stats_of(pipeline).host_bytes_held);
	lull_pipeline_destroy(pipeline);
	lull_key_close(second.key);
	free_bed(&bed);
}

/* ---- what goes wrong --------------------------------------------------- */

static void expect_one_failure(struct bed *bed, const char *bad, int code,
			       const char *part)
{
	struct lull_pipeline *pipeline = make_pipeline(
		bed, (struct lull_pipeline_opts){ .in_flight = 3 });
	struct lull_job *job = submit(pipeline, bed, 5, bad);
	struct lull_error error = { 0 };
	unsigned int i;

	EXPECT_EQ(1, lull_job_wait(job, WAIT_MS));
	EXPECT_EQ(4, status_of(job).nr_proved);
	EXPECT_EQ(1, status_of(job).nr_failed);
	for (i = 0; i < 5; i++)
		EXPECT_EQ(i != 1, !!lull_job_proof(job, i, &error));
	EXPECT_EQ(code, error.code);
	if (!strstr(error.msg, part))
		TEST_FAIL_("expected \"%s\" in \"%s\"", part, error.msg);
	lull_job_free(job);
	lull_pipeline_destroy(pipeline);
}

TEST(a_bad_witness_harms_no_other)
{
	struct bed bed = make_bed("cpu", GOLDEN_CHAIN);
	char path[PATH_BYTES], other[PATH_BYTES];
	struct blob wtns = blob_read(bed.wtns);

	expect_one_failure(&bed, "selftests/none", LULL_IO, "No such file");
	golden_path(other, GOLDEN_SMALL, "wtns");
	expect_one_failure(&bed, other, LULL_MISMATCH, "witness values");
	scratch_path(path, "bad.wtns");
	wtns.data[wtns.bytes - 32] ^= 1;
	blob_write(&wtns, path);
	expect_one_failure(&bed, path, LULL_UNSATISFIED, "satisfy");
	memset(wtns.data + wtns.bytes - 32, UINT8_MAX, 32);
	blob_write(&wtns, path);
	expect_one_failure(&bed, path, LULL_RANGE, "below r");
	wtns.bytes -= 7;
	blob_write(&wtns, path);
	expect_one_failure(&bed, path, LULL_FORMAT, "bad.wtns");
	blob_free(&wtns);
	free_bed(&bed);
}

TEST(jobs_that_are_refused)
{
	struct bed bed = make_bed("null", GOLDEN_SMALL);
	struct lull_pipeline *pipeline =
		make_pipeline(&bed, (struct lull_pipeline_opts){ 0 });
	struct lull_job_opts opts = { .size = sizeof(opts) - 1 };
	struct lull_error error = { 0 };
	struct lull_job *job = NULL;

	EXPECT_EQ(LULL_USAGE,
		  lull_job_submit(pipeline, bed.key, &opts, &job, &error));
	EXPECT_TRUE(strstr(error.msg, "expected size"));
	/* As it was with a field more in the middle, whatever is behind. */
	opts.size = sizeof(opts) + sizeof(uint64_t);
	error.msg[0] = '\0';
	EXPECT_EQ(LULL_USAGE,
		  lull_job_submit(pipeline, bed.key, &opts, &job, &error));
	EXPECT_TRUE(strstr(error.msg, "expected size"));
	opts.size = sizeof(opts);
	EXPECT_EQ(LULL_USAGE,
		  lull_job_submit(pipeline, bed.key, &opts, &job, &error));
	EXPECT_TRUE(strstr(error.msg, "1 to 65536 partitions, found 0"));
	/* As many as a file that is verified may have. */
	opts.nr_partitions = LULL_PARTITIONS_MAX + 1;
	EXPECT_EQ(LULL_USAGE,
		  lull_job_submit(pipeline, bed.key, &opts, &job, &error));
	EXPECT_TRUE(strstr(error.msg, "1 to 65536 partitions, found 65537"));
	opts.nr_partitions = 1;
	opts.paths = NULL;
	EXPECT_EQ(LULL_USAGE,
		  lull_job_submit(pipeline, bed.key, &opts, &job, &error));
	EXPECT_TRUE(strstr(error.msg, "either"));
	EXPECT_TRUE(!job);
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
}

/* A job of one partition is refused, in words that have @text. */
static void expect_refused(struct lull_pipeline *pipeline,
			   const struct lull_key *key, const char *wtns,
			   int want, const char *text)
{
	const struct lull_job_opts opts = { .size = sizeof(opts),
					    .nr_partitions = 1,
					    .paths = &wtns };
	struct lull_error error = { 0 };
	struct lull_job *job = NULL;

	EXPECT_EQ(want, lull_job_submit(pipeline, key, &opts, &job, &error));
	EXPECT_TRUE(strstr(error.msg, text));
	EXPECT_TRUE(!job);
}

/* A device of one context is none of another's pipeline. */
TEST(keys_of_another_context_are_refused)
{
	struct bed bed = make_bed("cpu", GOLDEN_SMALL);
	struct bed other = make_bed("null", GOLDEN_SMALL);
	struct lull_pipeline *pipeline =
		make_pipeline(&bed, (struct lull_pipeline_opts){ 0 });

	expect_refused(pipeline, other.key, bed.wtns, LULL_USAGE,
		       "a key of the pipeline's context");
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
	free_bed(&other);
}

TEST(pipelines_that_are_refused)
{
	static const struct {
		struct lull_pipeline_opts opts;
		const char *part;
	} cases[] = {
		{ { .size = 8 }, "expected size" },
		{ { .size = sizeof(cases[0].opts) + sizeof(uint64_t) },
		  "expected size" },
		{ { .size = sizeof(cases[0].opts), .dealloc = "later" },
		  "found 'later'" },
		{ { .size = sizeof(cases[0].opts), .bandwidth_gate = "ajar" },
		  "found 'ajar'" },
		{ { .size = sizeof(cases[0].opts), .in_flight = 100000 },
		  "at most" },
	};
	struct bed bed = make_bed("null", GOLDEN_SMALL);
	struct lull_pipeline *pipeline = NULL;
	struct lull_error error;
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(cases); i++) {
		EXPECT_EQ(LULL_USAGE,
			  lull_pipeline_create(bed.ctx, &cases[i].opts,
					       &pipeline, &error));
		EXPECT_TRUE(strstr(error.msg, cases[i].part));
	}
	EXPECT_TRUE(!pipeline);
	free_bed(&bed);
}

/* ---- memory ------------------------------------------------------------ */

TEST(the_budget_is_kept)
{
	struct bed bed = make_bed("cpu", GOLDEN_SMALL);
	uint64_t key, each = bytes_of_one(&bed, &key);
	struct lull_pipeline *pipeline = make_pipeline(
		&bed,
		(struct lull_pipeline_opts){ .in_flight = 6,
					     .workers_per_device = 3,
					     .dealloc = "serial",
					     .host_bytes = key + 2 * each });
	struct lull_job *job = submit(pipeline, &bed, NR_PARTITIONS, NULL);

	expect_all_proved(job, NR_PARTITIONS);
	EXPECT_TRUE(stats_of(pipeline).host_bytes_max <= key + 2 * each);
	EXPECT_TRUE(stats_of(pipeline).host_bytes_max > key);
	lull_job_free(job);
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
}

/* A witness that is read, and the map of its classes; neither of one that the
 * caller has. */
TEST(a_witness_is_counted_where_it_is_read)
{
	struct bed bed = make_bed("cpu", GOLDEN_CHAIN);
	struct lull_pipeline *pipeline =
		make_pipeline(&bed, (struct lull_pipeline_opts){ 0 });
	const struct lull_wtns *wtns[1];
	const struct lull_job_opts opts = { .size = sizeof(opts),
					    .nr_partitions = 1,
					    .wtns = wtns };
	struct lull_wtns *opened = NULL;
	const size_t nr_values = 1002;
	struct lull_job *job = NULL;
	uint64_t key;

	ASSERT_EQ(LULL_OK, lull_wtns_open(bed.ctx, bed.wtns, &opened, NULL));
	wtns[0] = opened;
	ASSERT_EQ(LULL_OK,
		  lull_job_submit(pipeline, bed.key, &opts, &job, NULL));
	expect_all_proved(job, 1);
	EXPECT_EQ(status_of(job).partition_bytes + nr_values * LULL_FR_BYTES +
			  LULL_WTNS_EXTRA_BYTES + 32 * sizeof(uint64_t),
		  bytes_of_one(&bed, &key));
	lull_job_free(job);
	lull_wtns_close(opened);
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
}

TEST(what_can_never_fit_is_refused_at_once)
{
	struct bed bed = make_bed("cpu", GOLDEN_SMALL);
	uint64_t key, each = bytes_of_one(&bed, &key);
	struct lull_pipeline *pipeline = make_pipeline(
		&bed,
		(struct lull_pipeline_opts){ .host_bytes = key + each - 1 });
	char expected[32];

	snprintf(expected, sizeof(expected), "budget of %llu",
		 (unsigned long long)(key + each - 1));
	expect_refused(pipeline, bed.key, bed.wtns, LULL_NOMEM, expected);
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
}

/* With as much in other sections as a file may have: that is counted before. */
TEST(the_largest_witness_fits_where_one_does)
{
	struct bed bed = make_bed("cpu", GOLDEN_SMALL);
	uint64_t key, each = bytes_of_one(&bed, &key);
	struct lull_pipeline *pipeline = make_pipeline(
		&bed, (struct lull_pipeline_opts){ .host_bytes = key + each });
	struct blob wtns = blob_read(bed.wtns);
	const size_t header = 76, section = 12;
	size_t bytes = LULL_WTNS_EXTRA_BYTES - header - section;
	void *zeros = calloc(1, bytes);
	struct lull_job *job;
	char path[PATH_BYTES];

	blob_add_section(&wtns, 9, zeros, bytes);
	scratch_path(path, "large.wtns");
	blob_write(&wtns, path);
	blob_free(&wtns);
	free(zeros);
	job = submit(pipeline, &bed, 3, path);
	expect_all_proved(job, 3);
	EXPECT_TRUE(stats_of(pipeline).host_bytes_max <= key + each);
	lull_job_free(job);
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
}

/* What a pipeline has before its first partition begins stays within its
 * budget. */
TEST(memory_in_reserve_is_within_the_budget)
{
	uint64_t key, each, most;
	struct lull_ctx_stats stats = { .size = sizeof(stats) };
	struct lull_pipeline *pipeline;
	struct lull_job *job;
	struct bed bed = make_bed("cpu", GOLDEN_CHAIN);
	unsigned int nr;

	each = bytes_of_one(&bed, &key);
	for (nr = 1; nr <= 4; nr++) {
		most = key + nr * each;
		pipeline = make_pipeline(&bed, (struct lull_pipeline_opts){
						       .in_flight = 8,
						       .workers_per_device = 8,
						       .host_bytes = most });
		job = submit(pipeline, &bed, 8, NULL);
		expect_all_proved(job, 8);
		lull_job_free(job);
		lull_pipeline_destroy(pipeline);
		lull_ctx_stats(bed.ctx, &stats, NULL);
		EXPECT_TRUE(stats.used_bytes_max <= most);
	}
	free_bed(&bed);
}

/* ---- canceling --------------------------------------------------------- */

TEST(canceled_at_any_moment)
{
	struct bed bed = make_bed("cpu", GOLDEN_CHAIN);
	uint64_t before = used_bytes(&bed), key, each;
	struct lull_job_status status;
	unsigned int round;

	each = bytes_of_one(&bed, &key);
	for (round = 0; round < 24; round++) {
		const struct timespec some = { 0, (long)(test_random() %
							 12000000) };
		struct lull_pipeline *pipeline = make_pipeline(
			&bed,
			(struct lull_pipeline_opts){
				.in_flight = 1 + round % 5,
				.workers_per_device = 1 + round % 2,
				.dealloc = deallocs[round % 4],
				.bandwidth_gate = gates[round % 3],
				.host_bytes = key + (1 + round % 3) * each });
		struct lull_job *job = submit(pipeline, &bed, 12, NULL);

		nanosleep(&some, NULL);
		lull_job_cancel(job);
		EXPECT_EQ(1, lull_job_wait(job, WAIT_MS));
		status = status_of(job);
		EXPECT_EQ(12, status.nr_proved + status.nr_canceled);
		EXPECT_EQ(0, stats_of(pipeline).host_bytes_used);
		lull_job_free(job);
		EXPECT_EQ(before, used_bytes(&bed));
		lull_pipeline_destroy(pipeline);
	}
	free_bed(&bed);
}

TEST(one_job_is_canceled_and_the_other_goes_on)
{
	struct bed bed = make_bed("cpu", GOLDEN_SMALL);
	struct lull_pipeline *pipeline = make_pipeline(
		&bed, (struct lull_pipeline_opts){ .in_flight = 3 });
	struct lull_job *first, *second;
	struct lull_error error = { 0 };

	hold_proofs();
	first = submit(pipeline, &bed, NR_PARTITIONS, NULL);
	second = submit(pipeline, &bed, 5, NULL);
	await_proof();
	lull_job_cancel(first);
	let_proofs_go();
	expect_all_proved(second, 5);
	EXPECT_EQ(1, lull_job_wait(first, WAIT_MS));
	EXPECT_TRUE(status_of(first).nr_canceled > 0);
	EXPECT_TRUE(!lull_job_proof(first, NR_PARTITIONS - 1, &error));
	EXPECT_EQ(LULL_CANCELED, error.code);
	lull_job_free(first);
	lull_job_free(second);
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
}

TEST(freeing_a_job_cancels_it)
{
	struct bed bed = make_bed("null", GOLDEN_SMALL);
	unsigned int round;

	for (round = 0; round < 50; round++) {
		struct lull_pipeline *pipeline = make_pipeline(
			&bed, (struct lull_pipeline_opts){
				      .in_flight = 1 + round % 8,
				      .workers_per_device = 1 + round % 3,
				      .dealloc = deallocs[round % 4] });
		struct lull_job *a =
			submit(pipeline, &bed, NR_PARTITIONS, NULL);
		struct lull_job *b = submit(pipeline, &bed, 7, NULL);

		lull_job_free(a);
		expect_all_proved(b, 7);
		lull_job_free(b);
		lull_pipeline_destroy(pipeline);
	}
	lull_pipeline_destroy(NULL);
	lull_job_free(NULL);
	free_bed(&bed);
}

TEST(following_a_job)
{
	struct bed bed = make_bed("null", GOLDEN_SMALL);
	struct lull_pipeline *pipeline =
		make_pipeline(&bed, (struct lull_pipeline_opts){ 0 });
	struct lull_job *job = submit(pipeline, &bed, 2, NULL);
	struct pollfd fd = { .fd = lull_job_fd(job), .events = POLLIN };
	struct lull_job_status other = { .size = 4 };
	struct lull_pipeline_stats stats = { .size = sizeof(stats) + 8 };
	struct lull_error error = { 0 };

	EXPECT_EQ(1, poll(&fd, 1, WAIT_MS));
	EXPECT_EQ(1, lull_job_wait(job, 0));
	EXPECT_EQ(LULL_USAGE, lull_job_status(job, &other, &error));
	other.size = sizeof(other) + 8;
	EXPECT_EQ(LULL_USAGE, lull_job_status(job, &other, &error));
	EXPECT_EQ(LULL_USAGE, lull_pipeline_stats(pipeline, &stats, &error));
	EXPECT_TRUE(!lull_job_proof(job, 2, &error));
	EXPECT_TRUE(strstr(error.msg, "expected below 2"));
	lull_job_free(job);
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
}

/* ---- traces ------------------------------------------------------------ */

static const char *text_of(const json_t *event, const char *key)
{
	const char *text = json_string_value(json_object_get(event, key));

	return text ? text : "";
}

/* How often a stage of a partition is in a trace. */
static unsigned int spans_of(const json_t *events, const char *stage,
			     int partition)
{
	const json_t *event, *id;
	unsigned int nr = 0;
	size_t i;

	json_array_foreach(events, i, event)
	{
		id = json_object_get(json_object_get(event, "args"),
				     "partition");
		nr += !strcmp("X", text_of(event, "ph")) &&
		      !strcmp(stage, text_of(event, "name")) &&
		      json_integer_value(id) == partition;
	}
	return nr;
}

static void expect_whole_trace(struct bed *bed, const char *dealloc)
{
	struct lull_pipeline *pipeline = make_pipeline(
		bed, (struct lull_pipeline_opts){
			     .in_flight = 3, .dealloc = dealloc, .trace = 1 });
	struct lull_job *job = submit(pipeline, bed, 5, NULL);
	char path[PATH_BYTES];
	json_t *root;
	int stage, i;

	scratch_path(path, "trace.json");
	expect_all_proved(job, 5);
	EXPECT_EQ(LULL_OK, lull_pipeline_trace_write(pipeline, path, NULL));
	EXPECT_EQ(0, stats_of(pipeline).trace_lost);
	root = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	ASSERT_TRUE(root);
	for (stage = 0; stage < LULL_NR_STAGES; stage++) {
		const char *name = lull_stage_name((enum lull_stage)stage);
		/* Nothing is checked of proofs that are none. */
		unsigned int want = !(bed->null && stage == LULL_STAGE_CHECK);

		for (i = 0; i < 5; i++)
			EXPECT_EQ(want,
				  spans_of(json_object_get(root, "traceEvents"),
					   name, i));
	}
	json_decref(root);
	lull_job_free(job);
	lull_pipeline_destroy(pipeline);
}

TEST(a_trace_has_every_stage_of_every_partition)
{
	struct bed cpu = make_bed("cpu", GOLDEN_SMALL);
	struct bed null = make_bed("null", GOLDEN_SMALL);
	size_t d;

	for (d = 0; d < LULL_ARRAY_SIZE(deallocs); d++) {
		expect_whole_trace(&cpu, deallocs[d]);
		expect_whole_trace(&null, deallocs[d]);
	}
	free_bed(&cpu);
	free_bed(&null);
}

TEST(a_trace_that_cannot_be_written)
{
	struct bed bed = make_bed("null", GOLDEN_SMALL);
	struct lull_pipeline *without =
		make_pipeline(&bed, (struct lull_pipeline_opts){ 0 });
	struct lull_pipeline *with =
		make_pipeline(&bed, (struct lull_pipeline_opts){ .trace = 1 });
	struct lull_error error = { 0 };

	EXPECT_EQ(LULL_USAGE,
		  lull_pipeline_trace_write(without, "/dev/null", &error));
	EXPECT_EQ(LULL_IO,
		  lull_pipeline_trace_write(with, "/dev/full", &error));
	EXPECT_EQ(LULL_IO,
		  lull_pipeline_trace_write(with, "selftests/none/x", &error));
	EXPECT_EQ(LULL_OK, lull_pipeline_trace_write(with, "/dev/null", NULL));
	lull_pipeline_destroy(without);
	lull_pipeline_destroy(with);
	free_bed(&bed);
}

TEST_MAIN
