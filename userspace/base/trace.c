// SPDX-License-Identifier: Apache-2.0
/*
 * trace.c - rings of events; see trace.h
 */
#include "base/trace.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include "base/base.h"
#include "base/error.h"
#include "base/trace_ring.h"

#define EVENTS_MIN 16

uint64_t lull_trace_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * LULL_NS_PER_S + (uint64_t)t.tv_nsec;
}

int lull_trace_create(unsigned int nr_lanes, size_t nr_events,
		      struct lull_trace **ret_trace, struct lull_error *reterr)
{
	struct lull_trace *trace;
	size_t nr = EVENTS_MIN;
	unsigned int i;

	assert(nr_events <= SIZE_MAX / 2 / sizeof(struct lull_trace_event));
	while (nr < nr_events)
		nr *= 2;
	trace = calloc(1, sizeof(*trace) + nr_lanes * sizeof(trace->lanes[0]));
	if (!trace)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a trace");
	trace->start_ns = lull_trace_now_ns();
	trace->nr_events = nr;
	pthread_mutex_init(&trace->lock, NULL);
	for (i = 0; i < nr_lanes; i++) {
		trace->lanes[i].trace = trace;
		trace->lanes[i].events =
			calloc(nr, sizeof(struct lull_trace_event));
		if (!trace->lanes[i].events) {
			lull_trace_destroy(trace);
			return lull_fail(reterr, LULL_NOMEM,
					 "no memory for a trace of %u lanes of "
					 "%zu events",
					 nr_lanes, nr);
		}
		trace->nr_lanes_max++;
	}
	*ret_trace = trace;
	return LULL_OK;
}

void lull_trace_destroy(struct lull_trace *trace)
{
	unsigned int i;

	if (!trace)
		return;
	for (i = 0; i < trace->nr_lanes_max; i++)
		free(trace->lanes[i].events);
	pthread_mutex_destroy(&trace->lock);
	free(trace);
}

struct lull_trace_lane *lull_trace_lane(struct lull_trace *trace,
					enum lull_trace_lane_kind kind,
					const char *fmt, ...)
{
	struct lull_trace_lane *lane = NULL;
	va_list args;

	if (!trace)
		return NULL;
	pthread_mutex_lock(&trace->lock);
	if (trace->nr_lanes < trace->nr_lanes_max) {
		lane = &trace->lanes[trace->nr_lanes++];
		lane->kind = kind;
		va_start(args, fmt);
		vsnprintf(lane->name, sizeof(lane->name), fmt, args);
		va_end(args);
	} else {
		trace->nr_refused++;
	}
	pthread_mutex_unlock(&trace->lock);
	return lane;
}

void lull_trace_note(struct lull_trace *trace, const char *name,
		     const char *fmt, ...)
{
	va_list args;
	unsigned int i;

	if (!trace)
		return;
	pthread_mutex_lock(&trace->lock);
	i = trace->nr_notes;
	if (i < LULL_TRACE_NOTES_MAX) {
		trace->nr_notes++;
		snprintf(trace->notes[i].name, sizeof(trace->notes[i].name),
			 "%s", name);
		va_start(args, fmt);
		vsnprintf(trace->notes[i].text, sizeof(trace->notes[i].text),
			  fmt, args);
		va_end(args);
	}
	pthread_mutex_unlock(&trace->lock);
}

static void add(struct lull_trace_lane *lane, struct lull_trace_event event)
{
	if (lane)
		lane->events[lane->nr++ & (lane->trace->nr_events - 1)] = event;
}

void lull_trace_stage(struct lull_trace_lane *lane, enum lull_stage stage,
		      struct lull_trace_id id, uint64_t start_ns,
		      uint64_t end_ns)
{
	add(lane, (struct lull_trace_event){ start_ns, end_ns, id,
					     LULL_TRACE_KIND_STAGE, stage });
}

void lull_trace_values(struct lull_trace_lane *lane, uint32_t nr_values,
		       uint32_t nr_ones, uint32_t nr_others)
{
	add(lane, (struct lull_trace_event){
			  .start_ns = nr_values,
			  .value = (uint64_t)nr_ones << 32 | nr_others,
			  .kind = LULL_TRACE_KIND_VALUES,
		  });
}

void lull_trace_waited(struct lull_trace_lane *lane, enum lull_trace_wait wait,
		       struct lull_trace_id id, uint64_t start_ns,
		       uint64_t end_ns)
{
	add(lane, (struct lull_trace_event){ start_ns, end_ns, id,
					     LULL_TRACE_KIND_WAIT, wait });
}

void lull_trace_queued(struct lull_trace_lane *lane,
		       enum lull_trace_queue queue, struct lull_trace_id id,
		       uint64_t start_ns, uint64_t end_ns)
{
	add(lane, (struct lull_trace_event){ start_ns, end_ns, id,
					     LULL_TRACE_KIND_QUEUE, queue });
}

void lull_trace_count(struct lull_trace_lane *lane,
		      enum lull_trace_counter counter, uint64_t now_ns,
		      uint64_t value)
{
	static const struct lull_trace_id nobody = { 0, 0 };

	add(lane, (struct lull_trace_event){ now_ns, value, nobody,
					     LULL_TRACE_KIND_COUNT, counter });
}

size_t lull_trace_lane_nr(const struct lull_trace_lane *lane)
{
	return lull_min(lane->nr, lane->trace->nr_events);
}

const struct lull_trace_event *
lull_trace_lane_event(const struct lull_trace_lane *lane, size_t i)
{
	size_t first = lane->nr - lull_trace_lane_nr(lane);

	return &lane->events[(first + i) & (lane->trace->nr_events - 1)];
}

uint64_t lull_trace_lost(const struct lull_trace *trace)
{
	uint64_t lost;
	unsigned int i;

	if (!trace)
		return 0;
	lost = trace->nr_refused;
	for (i = 0; i < trace->nr_lanes; i++)
		lost += trace->lanes[i].nr -
			lull_trace_lane_nr(&trace->lanes[i]);
	return lost;
}
