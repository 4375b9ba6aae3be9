/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_ring.h - what trace.c and trace_json.c share: rings and events
 */
#ifndef LULL_BASE_TRACE_RING_H
#define LULL_BASE_TRACE_RING_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/trace.h"

enum lull_trace_kind {
	LULL_TRACE_KIND_STAGE,
	LULL_TRACE_KIND_WAIT,
	LULL_TRACE_KIND_QUEUE,
	LULL_TRACE_KIND_COUNT,
	LULL_TRACE_KIND_VALUES, /* of the load that comes next */
};

/**
 * struct lull_trace_event - half a cache line
 * @start_ns: when it began; of a witness how many values it has
 * @value: when it ended; of a counter its value; of a witness how many ones in
 *	the upper half, and how many others
 * @id: whose it is
 * @kind: an enum lull_trace_kind
 * @what: which stage, wait, queue or counter
 */
struct lull_trace_event {
	uint64_t start_ns;
	uint64_t value;
	struct lull_trace_id id;
	uint32_t kind;
	uint32_t what;
};

_Static_assert(sizeof(struct lull_trace_event) == 32, "half a cache line");

/**
 * struct lull_trace_lane - one ring; written to by one thread
 * @trace: whose it is
 * @kind: what it stands for
 * @name: of the thread or stream
 * @events: nr_events of them
 * @nr: events ever written: the next one goes to @nr modulo nr_events
 */
struct lull_trace_lane {
	const struct lull_trace *trace;
	enum lull_trace_lane_kind kind;
	char name[LULL_TRACE_NAME_BYTES];
	struct lull_trace_event *events;
	uint64_t nr;
};

/**
 * struct lull_trace - see lull_trace_create()
 * @start_ns: the time that is 0
 * @nr_lanes_max: lanes that there is room for
 * @nr_events: of each lane, a power of two
 * @lock: guards what says so
 * @nr_lanes: lock: lanes taken
 * @nr_refused: lock: lanes that there was no room for
 * @nr_notes: lock: notes taken
 * @notes: lock: name and text
 * @lanes: the lanes
 */
struct lull_trace {
	uint64_t start_ns;
	unsigned int nr_lanes_max;
	size_t nr_events;
	pthread_mutex_t lock;
	unsigned int nr_lanes;
	uint64_t nr_refused;
	unsigned int nr_notes;
	struct {
		char name[LULL_TRACE_NAME_BYTES];
		char text[LULL_TRACE_NOTE_BYTES];
	} notes[LULL_TRACE_NOTES_MAX];
	struct lull_trace_lane lanes[];
};

/* Events that a lane still has, and the i-th of them, the oldest first. */
size_t lull_trace_lane_nr(const struct lull_trace_lane *lane);
const struct lull_trace_event *
lull_trace_lane_event(const struct lull_trace_lane *lane, size_t i);

#endif
