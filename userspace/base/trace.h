/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - when each thread and each device did what
 *
 * A lane is one thread, or one stream of work on a device, and has a ring of
 * events of its own: only its thread writes to it, without a lock, without
 * memory and without a system call.  A ring that is full loses its oldest
 * event, and counts it.  Rings are had when the trace is created.
 *
 * lull_trace_write() makes of it the JSON that Perfetto and Chrome's tracer
 * read, and `lull waterfall` draws (Documentation/formats/trace.rst).
 *
 * Every function takes a NULL trace or lane and then does nothing, so that what
 * is traced need not know whether it is.
 */
#ifndef LULL_BASE_TRACE_H
#define LULL_BASE_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/stage.h"

struct lull_error;
struct lull_trace;
struct lull_trace_lane;

/* Notes: what the whole trace is about. */
#define LULL_TRACE_NOTES_MAX 16
#define LULL_TRACE_NAME_BYTES 48
#define LULL_TRACE_NOTE_BYTES 160

/**
 * enum lull_trace_lane_kind - what a lane stands for
 * @LULL_TRACE_THREAD: its spans lie inside or behind one another
 * @LULL_TRACE_DEVICE: its spans may overlap, and are then shown on more lines
 */
enum lull_trace_lane_kind {
	LULL_TRACE_THREAD,
	LULL_TRACE_DEVICE,
};

/**
 * enum lull_trace_wait - what a thread waits for
 * @LULL_TRACE_WAIT_KEY: a key that is opened
 * @LULL_TRACE_WAIT_MEMORY: the budget
 * @LULL_TRACE_WAIT_BANDWIDTH: the bandwidth gate
 */
enum lull_trace_wait {
	LULL_TRACE_WAIT_KEY,
	LULL_TRACE_WAIT_MEMORY,
	LULL_TRACE_WAIT_BANDWIDTH,
	LULL_TRACE_NR_WAITS,
};

/**
 * enum lull_trace_queue - where a partition waits for a thread
 * @LULL_TRACE_QUEUE_COMPUTE: loaded, to be computed
 * @LULL_TRACE_QUEUE_ASSEMBLE: computed, to be assembled
 */
enum lull_trace_queue {
	LULL_TRACE_QUEUE_COMPUTE,
	LULL_TRACE_QUEUE_ASSEMBLE,
	LULL_TRACE_NR_QUEUES,
};

/**
 * enum lull_trace_counter - numbers that change with time
 * @LULL_TRACE_ARENA_HELD: bytes of memory that the arena has
 * @LULL_TRACE_ARENA_USED: of them in use
 * @LULL_TRACE_BUDGET: bytes that partitions have been admitted with
 * @LULL_TRACE_IN_FLIGHT: partitions
 * @LULL_TRACE_TLB: interrupts for TLB shootdowns, of the whole host, since the
 *	trace began
 * @LULL_TRACE_FLUSHES: calls of the arena that flush TLBs, since it began
 * @LULL_TRACE_FAULTS: page faults of the process, since it began
 */
enum lull_trace_counter {
	LULL_TRACE_ARENA_HELD,
	LULL_TRACE_ARENA_USED,
	LULL_TRACE_BUDGET,
	LULL_TRACE_IN_FLIGHT,
	LULL_TRACE_TLB,
	LULL_TRACE_FLUSHES,
	LULL_TRACE_FAULTS,
	LULL_TRACE_NR_COUNTERS,
};

/**
 * struct lull_trace_id - whose event it is
 * @job: its number
 * @partition: of that job
 */
struct lull_trace_id {
	uint32_t job;
	uint32_t partition;
};

/**
 * lull_trace_create - rings, and the time that is 0
 * @nr_lanes: at most so many
 * @nr_events: that each of them keeps; rounded up to a power of two
 * @ret_trace: owned by the caller; end it with lull_trace_destroy()
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_NOMEM.
 */
int lull_trace_create(unsigned int nr_lanes, size_t nr_events,
		      struct lull_trace **ret_trace, struct lull_error *reterr);

/* Takes NULL. */
void lull_trace_destroy(struct lull_trace *trace);

/**
 * lull_trace_lane - take a lane
 * @trace: the trace
 * @kind: what it stands for
 * @fmt: its name
 *
 * Context: any thread; the lane is then one thread's.
 * Return: NULL where there is no trace, or none is left; that is counted as
 * the loss of every event of the lane (lull_trace_lost()).
 */
struct lull_trace_lane *lull_trace_lane(struct lull_trace *trace,
					enum lull_trace_lane_kind kind,
					const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Says something about the whole trace, such as which backend ran.  What does
 * not fit is left out. */
void lull_trace_note(struct lull_trace *trace, const char *name,
		     const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* CLOCK_MONOTONIC: what all times here are in. */
uint64_t lull_trace_now_ns(void);

/* A stage of a partition ran on this lane in [start, end). */
void lull_trace_stage(struct lull_trace_lane *lane, enum lull_stage stage,
		      struct lull_trace_id id, uint64_t start_ns,
		      uint64_t end_ns);

/* How many values the witness has whose load is the next event of this thread's
 * lane, and how many of them are 1 and how many neither 0 nor 1: told with that
 * span. */
void lull_trace_values(struct lull_trace_lane *lane, uint32_t nr_values,
		       uint32_t nr_ones, uint32_t nr_others);

/* The lane's thread waited. */
void lull_trace_waited(struct lull_trace_lane *lane, enum lull_trace_wait wait,
		       struct lull_trace_id id, uint64_t start_ns,
		       uint64_t end_ns);

/* A partition that this lane's thread takes now has waited for it. */
void lull_trace_queued(struct lull_trace_lane *lane,
		       enum lull_trace_queue queue, struct lull_trace_id id,
		       uint64_t start_ns, uint64_t end_ns);

/* A number as it is now. */
void lull_trace_count(struct lull_trace_lane *lane,
		      enum lull_trace_counter counter, uint64_t now_ns,
		      uint64_t value);

/* "wait memory", "tlb shootdown interrupts" and the like, as in the JSON. */
const char *lull_trace_wait_name(enum lull_trace_wait wait);
const char *lull_trace_counter_name(enum lull_trace_counter counter);

/* Events that rings did not keep, and lanes that there was no room for. */
uint64_t lull_trace_lost(const struct lull_trace *trace);

/**
 * lull_trace_write - the trace as JSON
 * @trace: a trace; no lane is being written to
 * @out: where to; the caller closes it
 * @name: of that, for messages
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO or LULL_NOMEM.
 */
int lull_trace_write(const struct lull_trace *trace, FILE *out,
		     const char *name, struct lull_error *reterr);

#endif
