// SPDX-License-Identifier: Apache-2.0
/*
 * trace.c - what lanes record comes out as JSON that nests, lane by lane
 */
#include "base/trace.h"

#include <jansson.h>
#include <pthread.h>

#include "base/base.h"
#include "base/counters.h"
#include "harness.h"
#include "lull.h"

#define NR_THREADS 3
#define NR_PARTITIONS 5
#define STAGE_NS 1000u
#define TIDS_MAX 128
/* What one event may cost: a proof of 10 ms has some 20 of them, and 1 % of it
 * is 100 us. */
#define EVENT_NS_MAX 2000

static struct lull_trace *make_trace(unsigned int nr_lanes, size_t nr_events)
{
	struct lull_trace *trace = NULL;

	if (lull_trace_create(nr_lanes, nr_events, &trace, NULL)) {
		printf("Bail out! no trace\n");
		exit(1);
	}
	return trace;
}

/* Writes the trace, reads it back. */
static json_t *written(const struct lull_trace *trace)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	json_error_t why;
	json_t *root;

	EXPECT_EQ(LULL_OK, lull_trace_write(trace, out, "", NULL));
	fclose(out);
	root = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	if (!root)
		TEST_FAIL_("%s at line %d", why.text, why.line);
	free(text);
	return root;
}

static const char *text_of(const json_t *event, const char *key)
{
	const char *text = json_string_value(json_object_get(event, key));

	return text ? text : "";
}

/* Times have three decimals: nanoseconds come back whole. */
static uint64_t ns_of(const json_t *event, const char *key)
{
	return (uint64_t)(json_number_value(json_object_get(event, key)) * 1e3 +
			  0.5);
}

static size_t tid_of(const json_t *event)
{
	return (size_t)json_integer_value(json_object_get(event, "tid"));
}

static size_t count(const json_t *root, const char *ph, const char *name)
{
	const json_t *event;
	size_t i, nr = 0;

	json_array_foreach(json_object_get(root, "traceEvents"), i, event) nr +=
		!strcmp(ph, text_of(event, "ph")) &&
		(!name || !strcmp(name, text_of(event, "name")));
	return nr;
}

/* Spans of one line must not overlap: each ends before the next begins. */
static void expect_apart(const json_t *root)
{
	uint64_t ends[TIDS_MAX] = { 0 };
	const json_t *event;
	size_t i, tid;

	json_array_foreach(json_object_get(root, "traceEvents"), i, event)
	{
		if (strcmp("X", text_of(event, "ph")))
			continue;
		tid = tid_of(event);
		ASSERT_TRUE(tid < TIDS_MAX);
		EXPECT_TRUE(ns_of(event, "ts") >= ends[tid]);
		ends[tid] = ns_of(event, "ts") + ns_of(event, "dur");
	}
}

/* The name of a line, "" if it has none. */
static const char *line_name(const json_t *root, size_t tid)
{
	const json_t *event;
	size_t i;

	json_array_foreach(
		json_object_get(root, "traceEvents"), i,
		event) if (!strcmp("thread_name", text_of(event, "name")) &&
			   tid_of(event) ==
				   tid) return text_of(json_object_get(event,
								       "args"),
						       "name");
	return "";
}

/* ---- threads ----------------------------------------------------------- */

struct part {
	struct lull_trace *trace;
	unsigned int nr;
};

static void *record(void *arg)
{
	const struct part *part = arg;
	struct lull_trace_lane *lane = lull_trace_lane(
		part->trace, LULL_TRACE_THREAD, "thread %u", part->nr);
	uint64_t now = lull_trace_now_ns();
	uint32_t p;
	int stage;

	for (p = 0; p < NR_PARTITIONS; p++) {
		struct lull_trace_id id = { part->nr, p };

		lull_trace_queued(lane, LULL_TRACE_QUEUE_COMPUTE, id,
				  now - STAGE_NS, now);
		lull_trace_waited(lane, LULL_TRACE_WAIT_MEMORY, id, now,
				  now + STAGE_NS);
		now += STAGE_NS;
		for (stage = 0; stage < LULL_NR_STAGES; stage++) {
			lull_trace_stage(lane, (enum lull_stage)stage, id, now,
					 now + STAGE_NS);
			now += STAGE_NS;
		}
		lull_trace_count(lane, LULL_TRACE_IN_FLIGHT, now, p);
	}
	return NULL;
}

TEST(every_stage_of_every_partition_in_its_lane)
{
	struct lull_trace *trace = make_trace(NR_THREADS, 256);
	struct part parts[NR_THREADS];
	pthread_t threads[NR_THREADS];
	json_t *root;
	unsigned int i;
	int stage;

	for (i = 0; i < NR_THREADS; i++) {
		parts[i] = (struct part){ trace, i };
		if (pthread_create(&threads[i], NULL, record, &parts[i])) {
			printf("Bail out! no thread\n");
			exit(1);
		}
	}
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	root = written(trace);
	ASSERT_TRUE(root);
	for (stage = 0; stage < LULL_NR_STAGES; stage++)
		EXPECT_EQ(NR_THREADS * NR_PARTITIONS,
			  count(root, "X", lull_stage_name(stage)));
	EXPECT_EQ(NR_THREADS * NR_PARTITIONS, count(root, "X", "wait memory"));
	EXPECT_EQ(NR_THREADS * NR_PARTITIONS,
		  count(root, "b", "queue compute"));
	EXPECT_EQ(NR_THREADS * NR_PARTITIONS,
		  count(root, "e", "queue compute"));
	EXPECT_EQ(NR_THREADS * NR_PARTITIONS,
		  count(root, "C", "partitions in flight"));
	EXPECT_EQ(NR_THREADS, count(root, "M", "thread_name"));
	expect_apart(root);
	EXPECT_EQ(0, lull_trace_lost(trace));
	json_decref(root);
	lull_trace_destroy(trace);
}

TEST(spans_carry_their_time_and_their_owner)
{
	struct lull_trace *trace = make_trace(1, 16);
	struct lull_trace_lane *lane =
		lull_trace_lane(trace, LULL_TRACE_THREAD, "one");
	uint64_t now = lull_trace_now_ns();
	const json_t *events, *event;
	json_t *root;
	size_t i, seen = 0;

	lull_trace_stage(lane, LULL_STAGE_H, (struct lull_trace_id){ 7, 9 },
			 now + 1001, now + 3003);
	root = written(trace);
	events = json_object_get(root, "traceEvents");
	json_array_foreach(events, i, event)
	{
		if (strcmp("X", text_of(event, "ph")))
			continue;
		seen++;
		EXPECT_EQ(2002, ns_of(event, "dur"));
		event = json_object_get(event, "args");
		EXPECT_EQ(7, json_integer_value(json_object_get(event, "job")));
		EXPECT_EQ(9, json_integer_value(
				     json_object_get(event, "partition")));
	}
	EXPECT_EQ(1, seen);
	json_decref(root);
	lull_trace_destroy(trace);
}

static void expect_values(const json_t *args, const uint64_t want[4])
{
	static const char *const names[] = { "values", "zeros", "ones",
					     "others" };
	size_t i;

	for (i = 0; i < 4; i++)
		EXPECT_EQ(want[i], (uint64_t)json_integer_value(
					   json_object_get(args, names[i])));
}

TEST(a_load_tells_of_its_own_witness_alone)
{
	static const uint64_t want[][4] = {
		{ UINT32_MAX, 1, UINT32_MAX - 1, 0 },
		{ UINT32_MAX, 2, 3, UINT32_MAX - 5 },
	};
	struct lull_trace *trace = make_trace(1, 16);
	struct lull_trace_lane *lane =
		lull_trace_lane(trace, LULL_TRACE_THREAD, "load 0");
	const json_t *event;
	uint32_t i;
	size_t at;
	json_t *root;

	for (i = 0; i < 3; i++) {
		if (i < LULL_ARRAY_SIZE(want))
			lull_trace_values(lane, (uint32_t)want[i][0],
					  (uint32_t)want[i][2],
					  (uint32_t)want[i][3]);
		lull_trace_stage(lane, LULL_STAGE_LOAD,
				 (struct lull_trace_id){ 0, i }, 0, 1);
	}
	root = written(trace);
	EXPECT_EQ(3, count(root, "X", "load"));
	json_array_foreach(json_object_get(root, "traceEvents"), at, event)
	{
		if (strcmp("X", text_of(event, "ph")))
			continue;
		event = json_object_get(event, "args");
		i = (uint32_t)json_integer_value(
			json_object_get(event, "partition"));
		if (i < LULL_ARRAY_SIZE(want))
			expect_values(event, want[i]);
		else
			EXPECT_EQ(2, json_object_size(event));
	}
	json_decref(root);
	lull_trace_destroy(trace);
}

/* ---- devices ----------------------------------------------------------- */

TEST(overlapping_spans_of_a_device_go_to_lines_of_their_own)
{
	struct lull_trace *trace = make_trace(1, 64);
	struct lull_trace_lane *lane =
		lull_trace_lane(trace, LULL_TRACE_DEVICE, "GPU 0");
	const struct lull_trace_id id = { 0, 0 };
	uint64_t now = lull_trace_now_ns();
	json_t *root;

	/* Written out of order, as collected when all have ended. */
	lull_trace_stage(lane, LULL_STAGE_MSM_B1, id, now + 50, now + 150);
	lull_trace_stage(lane, LULL_STAGE_MSM_A, id, now, now + 100);
	lull_trace_stage(lane, LULL_STAGE_MSM_L, id, now + 60, now + 70);
	lull_trace_stage(lane, LULL_STAGE_MSM_H, id, now + 150, now + 160);
	root = written(trace);
	expect_apart(root);
	EXPECT_EQ(4, count(root, "X", NULL));
	EXPECT_EQ(3, count(root, "M", "thread_name"));
	EXPECT_STREQ("GPU 0", line_name(root, 8));
	EXPECT_STREQ("GPU 0 (2)", line_name(root, 9));
	EXPECT_STREQ("GPU 0 (3)", line_name(root, 10));
	json_decref(root);
	lull_trace_destroy(trace);
}

/* ---- bounds ------------------------------------------------------------ */

TEST(a_full_ring_keeps_the_newest_and_counts_the_rest)
{
	struct lull_trace *trace = make_trace(1, 16);
	struct lull_trace_lane *lane =
		lull_trace_lane(trace, LULL_TRACE_THREAD, "busy");
	uint64_t now = lull_trace_now_ns();
	const json_t *event;
	json_t *root;
	uint32_t i;
	size_t at;

	for (i = 0; i < 100; i++)
		lull_trace_stage(lane, LULL_STAGE_LOAD,
				 (struct lull_trace_id){ 0, i }, now + i,
				 now + i + 1);
	EXPECT_EQ(100 - 16, lull_trace_lost(trace));
	root = written(trace);
	EXPECT_EQ(16, count(root, "X", "load"));
	EXPECT_EQ(100 - 16,
		  json_integer_value(json_object_get(
			  json_object_get(root, "otherData"), "events_lost")));
	json_array_foreach(json_object_get(root, "traceEvents"), at, event)
	{
		if (strcmp("X", text_of(event, "ph")))
			continue;
		event = json_object_get(event, "args");
		EXPECT_TRUE(json_integer_value(json_object_get(
				    event, "partition")) >= 100 - 16);
	}
	json_decref(root);
	lull_trace_destroy(trace);
}

TEST(more_lanes_than_there_are)
{
	struct lull_trace *trace = make_trace(1, 16);

	EXPECT_TRUE(lull_trace_lane(trace, LULL_TRACE_THREAD, "first"));
	EXPECT_TRUE(!lull_trace_lane(trace, LULL_TRACE_THREAD, "second"));
	EXPECT_EQ(1, lull_trace_lost(trace));
	lull_trace_destroy(trace);
}

TEST(no_trace_is_no_fault)
{
	struct lull_trace_lane *lane =
		lull_trace_lane(NULL, LULL_TRACE_THREAD, "none");
	const struct lull_trace_id id = { 0, 0 };

	EXPECT_TRUE(!lane);
	lull_trace_values(lane, 3, 1, 1);
	lull_trace_stage(lane, LULL_STAGE_LOAD, id, 0, 1);
	lull_trace_waited(lane, LULL_TRACE_WAIT_MEMORY, id, 0, 1);
	lull_trace_queued(lane, LULL_TRACE_QUEUE_COMPUTE, id, 0, 1);
	lull_trace_count(lane, LULL_TRACE_TLB, 0, 1);
	lull_trace_note(NULL, "a", "b");
	EXPECT_EQ(0, lull_trace_lost(NULL));
	lull_trace_destroy(NULL);
}

TEST(names_and_notes_are_escaped)
{
	struct lull_trace *trace = make_trace(1, 16);
	json_t *root;

	lull_trace_lane(trace, LULL_TRACE_THREAD, "a\"b\\c\n\x7f\xff");
	lull_trace_note(trace, "key", "%s", "k\"e\ty\x01");
	root = written(trace);
	ASSERT_TRUE(root);
	EXPECT_STREQ("a\"b\\c???", line_name(root, 8));
	EXPECT_STREQ("k\"e?y?",
		     text_of(json_object_get(root, "otherData"), "key"));
	json_decref(root);
	lull_trace_destroy(trace);
}

TEST(a_write_that_fails_is_told)
{
	struct lull_trace *trace = make_trace(1, 16);
	struct lull_error error = { 0 };
	FILE *out = fopen("/dev/full", "we");

	ASSERT_TRUE(out);
	EXPECT_EQ(LULL_IO, lull_trace_write(trace, out, "/dev/full", &error));
	EXPECT_STREQ("/dev/full: writing: No space left on device", error.msg);
	fclose(out);
	lull_trace_destroy(trace);
}

/* ---- what it costs ----------------------------------------------------- */

TEST(an_event_costs_little)
{
	struct lull_trace *trace = make_trace(1, 1024);
	struct lull_trace_lane *lane =
		lull_trace_lane(trace, LULL_TRACE_THREAD, "hot");
	const struct lull_trace_id id = { 0, 0 };
	uint64_t start, each, best = UINT64_MAX;
	unsigned int round, i;

	for (round = 0; round < 20; round++) {
		start = lull_trace_now_ns();
		for (i = 0; i < 1000; i++)
			lull_trace_stage(lane, LULL_STAGE_LOAD, id, start,
					 lull_trace_now_ns());
		each = (lull_trace_now_ns() - start) / 1000;
		best = each < best ? each : best;
	}
	printf("# %llu ns an event, its clock among them\n",
	       (unsigned long long)best);
	EXPECT_TRUE(best < EVENT_NS_MAX);
	lull_trace_destroy(trace);
}

TEST(counters_rise)
{
	struct lull_counters before, after;
	volatile char *memory;
	size_t bytes = (size_t)1 << 20, i;

	lull_counters_read(&before);
	memory = calloc(1, bytes);
	ASSERT_TRUE(memory);
	for (i = 0; i < bytes; i += 4096)
		memory[i] = 1;
	lull_counters_read(&after);
	free((void *)memory);
	EXPECT_TRUE(after.faults > before.faults);
	EXPECT_TRUE(after.ipis_tlb >= before.ipis_tlb);
}

TEST_MAIN
