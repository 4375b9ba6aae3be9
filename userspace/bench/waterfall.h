/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waterfall.h - a trace as a picture
 *
 * waterfall_read.c reads what base/trace.h writes, and other traces in that
 * form; waterfall.c draws it.
 */
#ifndef LULL_BENCH_WATERFALL_H
#define LULL_BENCH_WATERFALL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/trace.h"
#include "lull.h"

/* More lines than a picture has room for are refused. */
#define WATERFALL_LINES_MAX 512
#define WATERFALL_NAME_BYTES 64

/* Beside the stages: a wait, and what no name of ours is. */
#define WATERFALL_WAIT LULL_NR_STAGES
#define WATERFALL_OTHER (LULL_NR_STAGES + 1)
#define WATERFALL_NR_KINDS (LULL_NR_STAGES + 2)

/**
 * struct waterfall_span - something that took time on a line
 * @start_us: since the trace began
 * @us: how long
 * @line: in lines[]
 * @kind: an enum lull_stage, WATERFALL_WAIT or WATERFALL_OTHER
 * @job: whose it is
 * @partition: of that job
 * @name: as the trace has it
 */
struct waterfall_span {
	double start_us;
	double us;
	size_t line;
	unsigned int kind;
	long long job;
	long long partition;
	char name[WATERFALL_NAME_BYTES];
};

/**
 * struct waterfall_line - one thread or stream
 * @tid: its number in the trace
 * @name: its name
 * @busy_us: in which a stage ran
 * @wait_us: in which it waited
 */
struct waterfall_line {
	long long tid;
	char name[WATERFALL_NAME_BYTES];
	double busy_us;
	double wait_us;
};

/* A number at one time. */
struct waterfall_point {
	double us;
	double value;
};

/**
 * struct waterfall_series - a counter
 * @points: in the order of time
 * @nr: how many
 */
struct waterfall_series {
	struct waterfall_point *points;
	size_t nr;
};

/**
 * struct waterfall - a trace that was read
 * @spans: in the order of lines, then of time
 * @nr_spans: at least 1
 * @lines: in the order of their numbers
 * @nr_lines: at least 1
 * @series: by enum lull_trace_counter
 * @nr_partitions: different ones
 * @queue_us: that partitions waited for a thread
 * @start_us: of the first span
 * @end_us: of the last
 * @events_lost: the trace is not whole
 * @about: what the trace says about itself
 */
struct waterfall {
	struct waterfall_span *spans;
	size_t nr_spans;
	struct waterfall_line *lines;
	size_t nr_lines;
	struct waterfall_series series[LULL_TRACE_NR_COUNTERS];
	size_t nr_partitions;
	double queue_us;
	double start_us;
	double end_us;
	double events_lost;
	char about[256];
};

/* LULL_OK, LULL_IO, LULL_FORMAT or LULL_NOMEM. */
int lull_waterfall_read(const char *path, struct waterfall *ret_fall,
			struct lull_error *reterr);
void lull_waterfall_done(struct waterfall *fall);

#endif
