// SPDX-License-Identifier: Apache-2.0
/*
 * waterfall_read.c - reads a trace, which may be anything, into lines and spans
 *
 * The form is Documentation/formats/trace.rst; events of kinds that are not
 * drawn are passed over, as other tools write many.  Refuses what is no trace,
 * and spans without a time, a length or a line, and names the event.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "bench/waterfall.h"

/* A thousand years: more is no time. */
#define US_MAX 3.2e16
#define ABOUT_NOTES "backend", "arena", "key", "version"

/* A trace being read. */
struct reading {
	const char *path;
	struct waterfall *fall;
	size_t index; /* of the event at hand */
	size_t nr_spans_max;
	size_t nr_points_max[LULL_TRACE_NR_COUNTERS];
	const json_t *event;
	struct lull_error *reterr;
};

static int refuse(const struct reading *r, const char *key,
		  const char *expected)
{
	const json_t *found = json_object_get(r->event, key);
	char *text = found ? json_dumps(found, JSON_ENCODE_ANY) : NULL;
	int err = lull_fail(r->reterr, LULL_FORMAT,
			    "%.80s: traceEvents[%zu]: \"%s\": expected %s, "
			    "found %.40s",
			    r->path, r->index, key, expected,
			    text ? text : "none");

	free(text);
	return err;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static int take_us(const struct reading *r, const char *key, double *ret_us)
{
	const json_t *number = json_object_get(r->event, key);
	double us = json_number_value(number);

	if (!json_is_number(number) || !(us >= 0 && us <= US_MAX))
		return refuse(r, key, "a number of microseconds");
	*ret_us = us;
	return LULL_OK;
}

/* Room for one more in an array that doubles. */
static bool make_room(void **array, size_t nr, size_t *nr_max, size_t bytes)
{
	size_t more = *nr_max ? *nr_max * 2 : 256;
	void *larger;

	if (nr < *nr_max)
		return true;
	if (more > SIZE_MAX / bytes)
		return false;
	larger = realloc(*array, more * bytes);
	if (!larger)
		return false;
	*array = larger;
	*nr_max = more;
	return true;
}

static int find_line(const struct reading *r, long long tid, size_t *ret_line)
{
	struct waterfall *fall = r->fall;
	size_t i = 0;

	while (i < fall->nr_lines && fall->lines[i].tid != tid)
		i++;
	if (i == WATERFALL_LINES_MAX)
		return lull_fail(r->reterr, LULL_FORMAT,
				 "%.80s: traceEvents[%zu]: more than %d lines",
				 r->path, r->index, WATERFALL_LINES_MAX);
	if (i == fall->nr_lines) {
		fall->nr_lines++;
		fall->lines[i].tid = tid;
		snprintf(fall->lines[i].name, sizeof(fall->lines[i].name),
			 "line %lld", tid);
	}
	*ret_line = i;
	return LULL_OK;
}

static unsigned int kind_of(const json_t *event)
{
	const char *name = text_of(event, "name");
	unsigned int i;

	if (!strcmp(text_of(event, "cat"), "wait"))
		return WATERFALL_WAIT;
	for (i = 0; i < LULL_NR_STAGES; i++)
		if (!strcmp(name, lull_stage_name((enum lull_stage)i)))
			return i;
	return WATERFALL_OTHER;
}

static int take_line(const struct reading *r, size_t *ret_line)
{
	const json_t *tid = json_object_get(r->event, "tid");

	if (!json_is_integer(tid))
		return refuse(r, "tid", "a whole number");
	return find_line(r, json_integer_value(tid), ret_line);
}

static int take_span(struct reading *r)
{
	const json_t *args = json_object_get(r->event, "args");
	struct waterfall *fall = r->fall;
	struct waterfall_span span = { .kind = kind_of(r->event) };
	int err = take_us(r, "ts", &span.start_us);

	if (!err)
		err = take_us(r, "dur", &span.us);
	if (!err)
		err = take_line(r, &span.line);
	if (err)
		return err;
	span.job = json_integer_value(json_object_get(args, "job"));
	span.partition = json_integer_value(json_object_get(args, "partition"));
	snprintf(span.name, sizeof(span.name), "%s", text_of(r->event, "name"));
	if (!make_room((void **)&fall->spans, fall->nr_spans, &r->nr_spans_max,
		       sizeof(span)))
		return lull_fail(r->reterr, LULL_NOMEM,
				 "%.80s: out of memory for %zu spans", r->path,
				 fall->nr_spans + 1);
	fall->spans[fall->nr_spans++] = span;
	return LULL_OK;
}

static int take_count(struct reading *r)
{
	const char *name = text_of(r->event, "name");
	struct waterfall_series *series;
	struct waterfall_point point;
	const json_t *value;
	unsigned int i = 0;
	int err;

	while (i < LULL_TRACE_NR_COUNTERS &&
	       strcmp(name,
		      lull_trace_counter_name((enum lull_trace_counter)i)))
		i++;
	if (i == LULL_TRACE_NR_COUNTERS)
		return LULL_OK;
	err = take_us(r, "ts", &point.us);
	if (err)
		return err;
	value = json_object_get(json_object_get(r->event, "args"), "value");
	if (!json_is_number(value))
		return refuse(r, "args", "a number in \"value\"");
	point.value = json_number_value(value);
	series = &r->fall->series[i];
	if (!make_room((void **)&series->points, series->nr,
		       &r->nr_points_max[i], sizeof(point)))
		return lull_fail(r->reterr, LULL_NOMEM,
				 "%.80s: out of memory for a counter", r->path);
	series->points[series->nr++] = point;
	return LULL_OK;
}

static int take_name(const struct reading *r)
{
	const char *name = text_of(json_object_get(r->event, "args"), "name");
	size_t line;
	int err;

	if (strcmp(text_of(r->event, "name"), "thread_name"))
		return LULL_OK;
	err = take_line(r, &line);
	if (!err)
		snprintf(r->fall->lines[line].name,
			 sizeof(r->fall->lines[line].name), "%s", name);
	return err;
}

/* A partition waited from "b" to "e": the difference of all of them. */
static int take_queue(const struct reading *r, double sign)
{
	double us;
	int err;

	if (strcmp(text_of(r->event, "cat"), "queue"))
		return LULL_OK;
	err = take_us(r, "ts", &us);
	if (!err)
		r->fall->queue_us += sign * us;
	return err;
}

static int take_event(struct reading *r)
{
	const char *ph;

	if (!json_is_object(r->event))
		return lull_fail(r->reterr, LULL_FORMAT,
				 "%.80s: traceEvents[%zu]: expected an object",
				 r->path, r->index);
	ph = json_string_value(json_object_get(r->event, "ph"));
	if (!ph)
		return refuse(r, "ph", "a text");
	if (!strcmp(ph, "X"))
		return take_span(r);
	if (!strcmp(ph, "C"))
		return take_count(r);
	if (!strcmp(ph, "M"))
		return take_name(r);
	if (!strcmp(ph, "b"))
		return take_queue(r, -1);
	if (!strcmp(ph, "e"))
		return take_queue(r, 1);
	return LULL_OK;
}

static int compare_spans(const void *a, const void *b)
{
	const struct waterfall_span *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

static int compare_lines(const void *a, const void *b)
{
	const struct waterfall_line *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int compare_points(const void *a, const void *b)
{
	const struct waterfall_point *x = a, *y = b;

	return (x->us > y->us) - (x->us < y->us);
}

static int compare_owners(const void *a, const void *b)
{
	const struct waterfall_span *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return (x->partition > y->partition) - (x->partition < y->partition);
}

/* Lines by number, and every span with the new place of its line. */
static void sort_lines(struct waterfall *fall)
{
	size_t place[WATERFALL_LINES_MAX], i, j;
	long long tids[WATERFALL_LINES_MAX];

	for (i = 0; i < fall->nr_lines; i++)
		tids[i] = fall->lines[i].tid;
	qsort(fall->lines, fall->nr_lines, sizeof(*fall->lines), compare_lines);
	for (i = 0; i < fall->nr_lines; i++)
		for (j = 0; j < fall->nr_lines; j++)
			if (fall->lines[j].tid == tids[i])
				place[i] = j;
	for (i = 0; i < fall->nr_spans; i++)
		fall->spans[i].line = place[fall->spans[i].line];
}

static void count_partitions(struct waterfall *fall)
{
	size_t i;

	qsort(fall->spans, fall->nr_spans, sizeof(*fall->spans),
	      compare_owners);
	for (i = 0; i < fall->nr_spans; i++)
		fall->nr_partitions += !i || compare_owners(&fall->spans[i - 1],
							    &fall->spans[i]);
}

static void add_up(struct waterfall *fall)
{
	const struct waterfall_span *span;
	struct waterfall_line *line;
	size_t i;

	fall->start_us = fall->spans[0].start_us;
	for (i = 0; i < fall->nr_spans; i++) {
		span = &fall->spans[i];
		line = &fall->lines[span->line];
		if (span->kind == WATERFALL_WAIT)
			line->wait_us += span->us;
		else
			line->busy_us += span->us;
		if (span->start_us < fall->start_us)
			fall->start_us = span->start_us;
		if (span->start_us + span->us > fall->end_us)
			fall->end_us = span->start_us + span->us;
	}
}

static void take_about(struct waterfall *fall, const json_t *root)
{
	static const char *const notes[] = { ABOUT_NOTES };
	const json_t *other = json_object_get(root, "otherData");
	size_t used = 0, i;
	const char *text;

	fall->events_lost =
		json_number_value(json_object_get(other, "events_lost"));
	for (i = 0; i < LULL_ARRAY_SIZE(notes); i++) {
		text = text_of(other, notes[i]);
		if (!*text || used + 1 >= sizeof(fall->about))
			continue;
		snprintf(fall->about + used, sizeof(fall->about) - used,
			 "%s%s: %s", used ? "; " : "", notes[i], text);
		used = strlen(fall->about);
	}
}

static int take_events(struct reading *r, const json_t *root)
{
	const json_t *events = json_is_array(root)
				       ? root
				       : json_object_get(root, "traceEvents");
	struct waterfall *fall = r->fall;
	unsigned int i;
	int err = LULL_OK;

	if (!json_is_array(events))
		return lull_fail(r->reterr, LULL_FORMAT,
				 "%.80s: expected an array \"traceEvents\"",
				 r->path);
	for (; r->index < json_array_size(events) && !err; r->index++) {
		r->event = json_array_get(events, r->index);
		err = take_event(r);
	}
	if (!err && !fall->nr_spans)
		err = lull_fail(r->reterr, LULL_FORMAT,
				"%.80s: %zu events, but none is a span "
				"(\"ph\": \"X\")",
				r->path, json_array_size(events));
	if (err)
		return err;
	sort_lines(fall);
	count_partitions(fall);
	qsort(fall->spans, fall->nr_spans, sizeof(*fall->spans), compare_spans);
	for (i = 0; i < LULL_TRACE_NR_COUNTERS; i++)
		if (fall->series[i].nr)
			qsort(fall->series[i].points, fall->series[i].nr,
			      sizeof(*fall->series[i].points), compare_points);
	add_up(fall);
	take_about(fall, root);
	return LULL_OK;
}

int lull_waterfall_read(const char *path, struct waterfall *ret_fall,
			struct lull_error *reterr)
{
	struct waterfall fall = { 0 };
	struct reading r = { .path = path, .fall = &fall, .reterr = reterr };
	json_error_t why;
	json_t *root = json_load_file(path, 0, &why);
	int err = LULL_NOMEM;

	if (!root)
		return lull_fail(reterr, why.line < 0 ? LULL_IO : LULL_FORMAT,
				 "%.80s: line %d, column %d: %.120s", path,
				 why.line, why.column, why.text);
	fall.lines = calloc(WATERFALL_LINES_MAX, sizeof(*fall.lines));
	if (fall.lines)
		err = take_events(&r, root);
	else
		lull_fail(reterr, LULL_NOMEM, "%.80s: out of memory", path);
	json_decref(root);
	if (err) {
		lull_waterfall_done(&fall);
		return err;
	}
	*ret_fall = fall;
	return LULL_OK;
}

void lull_waterfall_done(struct waterfall *fall)
{
	unsigned int i;

	for (i = 0; i < LULL_TRACE_NR_COUNTERS; i++)
		free(fall->series[i].points);
	free(fall->spans);
	free(fall->lines);
	*fall = (struct waterfall){ 0 };
}
