// SPDX-License-Identifier: Apache-2.0
/*
 * trace_json.c - a trace in the form of Chrome and Perfetto
 *
 * Stages and waits are complete events ("X") on the line of their lane, queues
 * are asynchronous ones ("b", "e") of their partition, numbers are counters
 * ("C").  Times are microseconds since the trace began, with three decimals.
 * Spans of a device that overlap are shared out over as many lines as that
 * takes, because on one line they would have to lie inside one another.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"
#include "base/trace_ring.h"

/* Lines that one lane may take; a line's number is lane * this + line. */
#define LINES_MAX 8
#define ASCII_FIRST 0x20
#define ASCII_LAST 0x7e

static const char *const wait_names[LULL_TRACE_NR_WAITS] = {
	[LULL_TRACE_WAIT_KEY] = "wait key",
	[LULL_TRACE_WAIT_MEMORY] = "wait memory",
	[LULL_TRACE_WAIT_BANDWIDTH] = "wait bandwidth",
};

static const char *const queue_names[LULL_TRACE_NR_QUEUES] = {
	[LULL_TRACE_QUEUE_COMPUTE] = "queue compute",
	[LULL_TRACE_QUEUE_ASSEMBLE] = "queue assemble",
};

static const char *const counter_names[LULL_TRACE_NR_COUNTERS] = {
	[LULL_TRACE_ARENA_HELD] = "arena held bytes",
	[LULL_TRACE_ARENA_USED] = "arena used bytes",
	[LULL_TRACE_BUDGET] = "budget bytes",
	[LULL_TRACE_IN_FLIGHT] = "partitions in flight",
	[LULL_TRACE_TLB] = "tlb shootdown interrupts",
	[LULL_TRACE_FLUSHES] = "arena flushes",
	[LULL_TRACE_FAULTS] = "page faults",
};

const char *lull_trace_wait_name(enum lull_trace_wait wait)
{
	assert(wait < LULL_TRACE_NR_WAITS);
	return wait_names[wait];
}

const char *lull_trace_counter_name(enum lull_trace_counter counter)
{
	assert(counter < LULL_TRACE_NR_COUNTERS);
	return counter_names[counter];
}

/* One trace being written. */
struct writing {
	const struct lull_trace *trace;
	FILE *out;
	bool more; /* an event was written: a comma goes before the next */
};

/* A line of a lane while its events are shared out. */
struct line {
	uint64_t end_ns;
	bool used;
};

/* Other characters than ASCII's printable ones become '?': names are ours but
 * for file names, which need not be UTF-8. */
static void put_text(FILE *out, const char *text)
{
	const char *c;

	fputc('"', out);
	for (c = text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fputc('\\', out);
		fputc(*c < ASCII_FIRST || *c > ASCII_LAST ? '?' : *c, out);
	}
	fputc('"', out);
}

static void begin_event(struct writing *w)
{
	fputs(w->more ? ",\n" : "\n", w->out);
	w->more = true;
}

/* "12.345": since the trace began; before that is 0. */
static void put_us(FILE *out, uint64_t ns)
{
	fprintf(out, "%" PRIu64 ".%03u", ns / LULL_NS_PER_US,
		(unsigned int)(ns % LULL_NS_PER_US));
}

static uint64_t since(const struct writing *w, uint64_t ns)
{
	return ns > w->trace->start_ns ? ns - w->trace->start_ns : 0;
}

static void put_id(FILE *out, const struct lull_trace_event *e)
{
	fprintf(out, ",\"args\":{\"job\":%u,\"partition\":%u", e->id.job,
		e->id.partition);
}

static void put_values(FILE *out, const struct lull_trace_event *e)
{
	const uint64_t nr_ones = e->value >> 32;
	const uint64_t nr_others = (uint32_t)e->value;

	fprintf(out,
		",\"values\":%" PRIu64 ",\"zeros\":%" PRIu64
		",\"ones\":%" PRIu64 ",\"others\":%" PRIu64,
		e->start_ns, e->start_ns - nr_ones - nr_others, nr_ones,
		nr_others);
}

/* @values: of the witness that was loaded in it, or NULL. */
static void put_span(struct writing *w, const struct lull_trace_event *e,
		     unsigned int tid, const struct lull_trace_event *values)
{
	bool stage = e->kind == LULL_TRACE_KIND_STAGE;
	uint64_t start = since(w, e->start_ns), end = since(w, e->value);

	begin_event(w);
	fprintf(w->out,
		"{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,"
		"\"tid\":%u,\"ts\":",
		stage ? "stage" : "wait",
		stage ? lull_stage_name((enum lull_stage)e->what)
		      : wait_names[e->what],
		tid);
	put_us(w->out, start);
	fputs(",\"dur\":", w->out);
	put_us(w->out, end > start ? end - start : 0);
	put_id(w->out, e);
	if (values)
		put_values(w->out, values);
	fputs("}}", w->out);
}

static void put_queue_end(struct writing *w, const struct lull_trace_event *e,
			  const char *ph, uint64_t ns)
{
	begin_event(w);
	fprintf(w->out,
		"{\"ph\":\"%s\",\"cat\":\"queue\",\"name\":\"%s\",\"pid\":1,"
		"\"id\":\"%u.%u.%u\",\"ts\":",
		ph, queue_names[e->what], e->id.job, e->id.partition, e->what);
	put_us(w->out, since(w, ns));
	put_id(w->out, e);
	fputs("}}", w->out);
}

static void put_count(struct writing *w, const struct lull_trace_event *e)
{
	begin_event(w);
	fprintf(w->out, "{\"ph\":\"C\",\"name\":\"%s\",\"pid\":1,\"ts\":",
		counter_names[e->what]);
	put_us(w->out, since(w, e->start_ns));
	fprintf(w->out, ",\"args\":{\"value\":%" PRIu64 "}}", e->value);
}

static void put_name(struct writing *w, const char *kind, unsigned int tid,
		     const char *name)
{
	begin_event(w);
	fprintf(w->out,
		"{\"ph\":\"M\",\"name\":\"%s\",\"pid\":1,\"tid\":%u,"
		"\"args\":{\"name\":",
		kind, tid);
	put_text(w->out, name);
	fputs("}}", w->out);
}

static void put_line(struct writing *w, const struct lull_trace_lane *lane,
		     unsigned int tid, unsigned int line)
{
	char name[LULL_TRACE_NAME_BYTES + sizeof(" (4294967295)")];

	if (line)
		snprintf(name, sizeof(name), "%s (%u)", lane->name, line + 1);
	else
		snprintf(name, sizeof(name), "%s", lane->name);
	put_name(w, "thread_name", tid, name);
	begin_event(w);
	fprintf(w->out,
		"{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,"
		"\"tid\":%u,\"args\":{\"sort_index\":%u}}",
		tid, tid);
}

/* The first line that has ended by then; the last takes what is left. */
static unsigned int pick_line(struct line lines[LINES_MAX],
			      const struct lull_trace_event *e)
{
	unsigned int i = 0;

	while (i + 1 < LINES_MAX && lines[i].used &&
	       lines[i].end_ns > e->start_ns)
		i++;
	lines[i].used = true;
	lines[i].end_ns = e->value;
	return i;
}

static int compare_start(const void *a, const void *b)
{
	const struct lull_trace_event *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Sorted: of what overlaps, the line depends on what began before. */
static int put_device(struct writing *w, const struct lull_trace_lane *lane,
		      unsigned int tid, struct lull_error *reterr)
{
	size_t nr = lull_trace_lane_nr(lane), i;
	struct lull_trace_event *events = calloc(nr + 1, sizeof(*events));
	struct line lines[LINES_MAX] = { { 0 } };
	unsigned int line;

	if (!events)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a trace");
	for (i = 0; i < nr; i++)
		events[i] = *lull_trace_lane_event(lane, i);
	qsort(events, nr, sizeof(*events), compare_start);
	for (i = 0; i < nr; i++) {
		line = pick_line(lines, &events[i]);
		put_span(w, &events[i], tid + line, NULL);
	}
	put_line(w, lane, tid, 0);
	for (line = 1; line < LINES_MAX; line++)
		if (lines[line].used)
			put_line(w, lane, tid + line, line);
	free(events);
	return LULL_OK;
}

static void put_thread(struct writing *w, const struct lull_trace_lane *lane,
		       unsigned int tid)
{
	const struct lull_trace_event *e, *values = NULL;
	bool spans = false;
	size_t i;

	for (i = 0; i < lull_trace_lane_nr(lane); i++) {
		e = lull_trace_lane_event(lane, i);
		switch ((enum lull_trace_kind)e->kind) {
		case LULL_TRACE_KIND_STAGE:
		case LULL_TRACE_KIND_WAIT:
			put_span(w, e, tid, values);
			values = NULL;
			spans = true;
			break;
		case LULL_TRACE_KIND_QUEUE:
			put_queue_end(w, e, "b", e->start_ns);
			put_queue_end(w, e, "e", e->value);
			break;
		case LULL_TRACE_KIND_COUNT:
			put_count(w, e);
			break;
		case LULL_TRACE_KIND_VALUES:
			values = e;
			break;
		}
	}
	/* A lane of counters alone is no line of its own. */
	if (spans || !lull_trace_lane_nr(lane))
		put_line(w, lane, tid, 0);
}

static void put_notes(struct writing *w)
{
	const struct lull_trace *trace = w->trace;
	unsigned int i;

	fprintf(w->out,
		"\n],\n\"displayTimeUnit\":\"ms\",\n"
		"\"otherData\":{\"events_lost\":%" PRIu64,
		lull_trace_lost(trace));
	for (i = 0; i < trace->nr_notes; i++) {
		fputs(",\n", w->out);
		put_text(w->out, trace->notes[i].name);
		fputc(':', w->out);
		put_text(w->out, trace->notes[i].text);
	}
	fputs("}}\n", w->out);
}

int lull_trace_write(const struct lull_trace *trace, FILE *out,
		     const char *name, struct lull_error *reterr)
{
	struct writing w = { .trace = trace, .out = out };
	const struct lull_trace_lane *lane;
	unsigned int i;
	int err = LULL_OK;

	/* Of a write that fails the stream keeps no more than that it did. */
	errno = 0;
	fputs("{\"traceEvents\":[", out);
	put_name(&w, "process_name", 0, "lull");
	for (i = 0; i < trace->nr_lanes && !err; i++) {
		lane = &trace->lanes[i];
		if (lane->kind == LULL_TRACE_DEVICE)
			err = put_device(&w, lane, (i + 1) * LINES_MAX, reterr);
		else
			put_thread(&w, lane, (i + 1) * LINES_MAX);
	}
	put_notes(&w);
	if (!err && (fflush(out) || ferror(out)))
		err = lull_fail_errno(reterr, LULL_IO, errno ? errno : EIO,
				      "%s: writing", name);
	return err;
}
