// SPDX-License-Identifier: Apache-2.0
/*
 * waterfall.c - draws a trace: `lull waterfall`
 *
 * From top to bottom: what it is about, one line of totals, the legend, a lane
 * for each thread and each stream, a strip for each number that changed, and
 * the axis.  A lane is grey where nothing ran, so that idle gaps are seen at
 * once; under each of its bars a thin one tells partitions apart, with the
 * partition's number where there is room.  At its right end stands how much of
 * the whole time it was busy.
 */
#include "bench/waterfall.h"

#include <math.h>

#include "base/base.h"
#include "bench/bench.h"
#include "bench/svg.h"

#define LEFT 160
#define PLOT_WIDTH 960
#define RIGHT 104
#define TOP 112
#define LANE_HEIGHT 30
#define BAR_HEIGHT 18
#define OWNER_HEIGHT 7
#define STRIP_HEIGHT 44
#define STRIP_PLOT 34
#define AXIS_HEIGHT 34
#define LEGEND_Y 78
#define LEGEND_BOX 10
#define LEGEND_STEP 82
/* A bar is seen from here on. */
#define WIDTH_MIN 0.35
/* Steps overlap: where boxes only touch, a hair of background shows. */
#define SEAM 0.6
/* Room that a partition's number wants. */
#define LABEL_WIDTH 16
#define TICKS_MAX 10
#define US_PER_S 1e6
#define US_PER_MS 1e3

/* Loads are blue, the quotient green, sums warm, the end grey and brown. */
static const char *const colours[WATERFALL_NR_KINDS] = {
	[LULL_STAGE_LOAD] = "#4e79a7",	   [LULL_STAGE_SPMV] = "#86bcde",
	[LULL_STAGE_H] = "#59a14f",	   [LULL_STAGE_MSM_A] = "#f1a340",
	[LULL_STAGE_MSM_B1] = "#ffd08a",   [LULL_STAGE_MSM_B2] = "#e15759",
	[LULL_STAGE_MSM_L] = "#d37295",	   [LULL_STAGE_MSM_H] = "#9c6bb0",
	[LULL_STAGE_ASSEMBLE] = "#3f9a94", [LULL_STAGE_CHECK] = "#8c6244",
	[LULL_STAGE_RETIRE] = "#6f6f6f",   [WATERFALL_WAIT] = "url(#wait)",
	[WATERFALL_OTHER] = "#bdbdbd",
};

/* Neighbours differ; the eye follows a partition from lane to lane. */
static const char *const owner_colours[] = { "#333333", "#7d7d7d", "#3d6a94",
					     "#8a6a00" };

/* What the strips show, and in which unit. */
static const struct {
	enum lull_trace_counter counter;
	bool bytes;
} strips[] = {
	{ LULL_TRACE_IN_FLIGHT, false }, { LULL_TRACE_ARENA_USED, true },
	{ LULL_TRACE_BUDGET, true },	 { LULL_TRACE_TLB, false },
	{ LULL_TRACE_FAULTS, false },
};

/* A picture being drawn. */
struct drawing {
	struct lull_svg svg;
	const struct waterfall *fall;
	double us; /* the whole time; not 0 */
};

static double x_of(const struct drawing *d, double us)
{
	return LEFT + (us - d->fall->start_us) / d->us * PLOT_WIDTH;
}

static const char *bytes_text(char text[32], double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t i = 0;

	while (bytes >= LULL_BYTES_PER_KIB && i + 1 < LULL_ARRAY_SIZE(units)) {
		bytes /= LULL_BYTES_PER_KIB;
		i++;
	}
	snprintf(text, 32, "%.*f %s", i && bytes < 100, bytes, units[i]);
	return text;
}

static const char *time_text(char text[32], double us)
{
	if (us >= US_PER_S)
		snprintf(text, 32, "%.2f s", us / US_PER_S);
	else if (us >= US_PER_MS)
		snprintf(text, 32, "%.1f ms", us / US_PER_MS);
	else
		snprintf(text, 32, "%.0f us", us);
	return text;
}

/* ---- numbers ----------------------------------------------------------- */

static double largest(const struct waterfall_series *series)
{
	double max = 0;
	size_t i;

	for (i = 0; i < series->nr; i++)
		max = fmax(max, series->points[i].value);
	return max;
}

/* By how much a number that only rises did. */
static double rise(const struct waterfall_series *series)
{
	return series->nr ? series->points[series->nr - 1].value -
				    series->points[0].value
			  : 0;
}

static double waited_us(const struct waterfall *fall, const char *name)
{
	double us = 0;
	size_t i;

	for (i = 0; i < fall->nr_spans; i++)
		if (fall->spans[i].kind == WATERFALL_WAIT &&
		    !strcmp(fall->spans[i].name, name))
			us += fall->spans[i].us;
	return us;
}

/* ---- head -------------------------------------------------------------- */

/* ", 5.30 s for memory": of what there was. */
static void add_wait(char *text, size_t bytes, double us, const char *what)
{
	size_t len = strlen(text);
	char time[32];

	if (us > 0)
		snprintf(text + len, bytes - len, "%s%s for %s",
			 len ? ", " : "waited ", time_text(time, us), what);
}

static void draw_totals(struct drawing *d)
{
	static const struct {
		enum lull_trace_wait wait;
		const char *what;
	} waits[] = {
		{ LULL_TRACE_WAIT_MEMORY, "memory" },
		{ LULL_TRACE_WAIT_BANDWIDTH, "bandwidth" },
		{ LULL_TRACE_WAIT_KEY, "the key" },
	};
	const struct waterfall *fall = d->fall;
	char wall[32], each[32], used[32], waited[160] = "";
	double nr = (double)fall->nr_partitions;
	size_t i;

	add_wait(waited, sizeof(waited), fall->queue_us, "threads");
	for (i = 0; i < LULL_ARRAY_SIZE(waits); i++)
		add_wait(waited, sizeof(waited),
			 waited_us(fall, lull_trace_wait_name(waits[i].wait)),
			 waits[i].what);
	lull_svg_text(&d->svg, 12, 44, "font-size=\"12\"",
		      "%s wall, %.0f partition%s, %s each; %s",
		      time_text(wall, d->us), nr, nr == 1 ? "" : "s",
		      time_text(each, d->us / nr),
		      *waited ? waited : "nothing waited");
	lull_svg_text(
		&d->svg, 12, 60, "font-size=\"12\"",
		"arena %s at most, %.0f flushes of its own, %.0f page faults; "
		"%.0f TLB shootdown interrupts on this host",
		bytes_text(used, largest(&fall->series[LULL_TRACE_ARENA_USED])),
		rise(&fall->series[LULL_TRACE_FLUSHES]),
		rise(&fall->series[LULL_TRACE_FAULTS]),
		rise(&fall->series[LULL_TRACE_TLB]));
}

static void draw_legend(struct drawing *d)
{
	bool used[WATERFALL_NR_KINDS] = { false };
	double x = 12;
	unsigned int i;
	size_t s;

	for (s = 0; s < d->fall->nr_spans; s++)
		used[d->fall->spans[s].kind] = true;
	for (i = 0; i < WATERFALL_NR_KINDS; i++) {
		if (!used[i])
			continue;
		lull_svg_rect(&d->svg, x, LEGEND_Y, LEGEND_BOX, LEGEND_BOX,
			      colours[i], "");
		lull_svg_text(&d->svg, x + LEGEND_BOX + 4,
			      LEGEND_Y + LEGEND_BOX - 1, "", "%s",
			      i < LULL_NR_STAGES
				      ? lull_stage_name((enum lull_stage)i)
			      : i == WATERFALL_WAIT ? "waiting"
						    : "other");
		x += LEGEND_STEP;
	}
	lull_svg_rect(&d->svg, x, LEGEND_Y, LEGEND_BOX, LEGEND_BOX, "#ececec",
		      "");
	lull_svg_text(&d->svg, x + LEGEND_BOX + 4, LEGEND_Y + LEGEND_BOX - 1,
		      "", "idle");
	x += LEGEND_STEP / 2 + LEGEND_BOX;
	lull_svg_rect(&d->svg, x, LEGEND_Y + 2, LEGEND_BOX, OWNER_HEIGHT,
		      owner_colours[0], "");
	lull_svg_text(&d->svg, x + LEGEND_BOX + 4, LEGEND_Y + LEGEND_BOX - 1,
		      "", "whose: partition");
}

static void draw_head(struct drawing *d)
{
	/* Stripes, for a thread that stands still. */
	fputs("<defs><pattern id=\"wait\" width=\"5\" height=\"5\" "
	      "patternUnits=\"userSpaceOnUse\" "
	      "patternTransform=\"rotate(45)\">"
	      "<rect width=\"5\" height=\"5\" fill=\"#fff3c4\"/>"
	      "<rect width=\"2\" height=\"5\" fill=\"#c28f00\"/>"
	      "</pattern></defs>\n",
	      d->svg.out);
	lull_svg_text(&d->svg, 12, 24, "font-size=\"15\" font-weight=\"bold\"",
		      "Waterfall");
	lull_svg_text(&d->svg, 108, 24, "fill=\"#555\"", "%.150s",
		      d->fall->about);
	if (d->fall->events_lost > 0)
		lull_svg_text(&d->svg, LEFT + PLOT_WIDTH + RIGHT - 12, 44,
			      "fill=\"#b00000\" text-anchor=\"end\" "
			      "font-weight=\"bold\"",
			      "%.0f events lost", d->fall->events_lost);
	draw_totals(d);
	draw_legend(d);
}

/* ---- lanes ------------------------------------------------------------- */

static void draw_span(struct drawing *d, const struct waterfall_span *span,
		      double y)
{
	double x = x_of(d, span->start_us);
	char time[32], from[32];

	lull_svg_rect_about(
		&d->svg, x, y, fmax(span->us / d->us * PLOT_WIDTH, WIDTH_MIN),
		BAR_HEIGHT, colours[span->kind],
		"%s, job %lld, partition %lld: %s from %s on", span->name,
		span->job, span->partition, time_text(time, span->us),
		time_text(from, span->start_us - d->fall->start_us));
}

static bool same_owner(const struct waterfall_span *a,
		       const struct waterfall_span *b)
{
	return a->line == b->line && a->job == b->job &&
	       a->partition == b->partition;
}

/* A run of spans of one partition: the thin bar, and its number. */
static void draw_owner(struct drawing *d, const struct waterfall_span *first,
		       const struct waterfall_span *last, double y)
{
	double x = x_of(d, first->start_us);
	double width = x_of(d, last->start_us + last->us) - x;
	size_t which = (size_t)(first->partition < 0 ? 0 : first->partition) %
		       LULL_ARRAY_SIZE(owner_colours);

	lull_svg_rect(&d->svg, x, y + BAR_HEIGHT, fmax(width, WIDTH_MIN),
		      OWNER_HEIGHT, owner_colours[which], "");
	if (width >= LABEL_WIDTH)
		lull_svg_text(&d->svg, x + width / 2,
			      y + BAR_HEIGHT + OWNER_HEIGHT - 0.5,
			      "text-anchor=\"middle\" font-size=\"8\" "
			      "fill=\"#fff\"",
			      "%lld", first->partition);
}

static void draw_lane(struct drawing *d, size_t nr, size_t first, size_t end,
		      double y)
{
	const struct waterfall_line *line = &d->fall->lines[nr];
	const struct waterfall_span *spans = d->fall->spans;
	size_t i, run = first;

	lull_svg_rect(&d->svg, LEFT, y, PLOT_WIDTH, BAR_HEIGHT + OWNER_HEIGHT,
		      "#ececec", "");
	lull_svg_text(&d->svg, LEFT - 8, y + BAR_HEIGHT - 2,
		      "text-anchor=\"end\"", "%.24s", line->name);
	for (i = first; i < end; i++) {
		draw_span(d, &spans[i], y);
		if (i + 1 < end && same_owner(&spans[run], &spans[i + 1]))
			continue;
		draw_owner(d, &spans[run], &spans[i], y);
		run = i + 1;
	}
	lull_svg_text(&d->svg, LEFT + PLOT_WIDTH + 8, y + BAR_HEIGHT - 2, "",
		      "%.0f %% busy", line->busy_us / d->us * 100);
}

static double draw_lanes(struct drawing *d, double y)
{
	const struct waterfall *fall = d->fall;
	size_t line, first = 0, end;

	for (line = 0; line < fall->nr_lines; line++) {
		end = first;
		while (end < fall->nr_spans && fall->spans[end].line == line)
			end++;
		draw_lane(d, line, first, end, y);
		first = end;
		y += LANE_HEIGHT;
	}
	return y;
}

/* ---- strips ------------------------------------------------------------ */

/* The first point behind @i whose value is another, or the end. */
static size_t next_step(const struct waterfall_series *series, size_t i)
{
	const double value = series->points[i].value;

	while (i < series->nr && !(series->points[i].value < value) &&
	       !(series->points[i].value > value))
		i++;
	return i;
}

/* A number keeps its value until it has another. */
static void draw_steps(struct drawing *d, const struct waterfall_series *series,
		       double base, double max, double y)
{
	double x, end, height;
	size_t i, next;

	for (i = 0; i < series->nr; i = next) {
		next = next_step(series, i);
		x = fmax(x_of(d, series->points[i].us), LEFT);
		end = next < series->nr
			      ? x_of(d, series->points[next].us) + SEAM
			      : x_of(d, d->fall->end_us);
		end = fmin(end, LEFT + PLOT_WIDTH);
		height = (series->points[i].value - base) / max * STRIP_PLOT;
		if (end > x && height > 0)
			lull_svg_rect(&d->svg, x, y + STRIP_PLOT - height,
				      end - x, height, "#9db8d2", "");
	}
}

static void draw_strip(struct drawing *d, enum lull_trace_counter counter,
		       bool bytes, double y)
{
	const struct waterfall_series *series = &d->fall->series[counter];
	/* One that only rises is shown from where it was. */
	bool rises = counter >= LULL_TRACE_TLB;
	double base = rises ? series->points[0].value : 0;
	double max = largest(series) - base;
	char text[32];

	lull_svg_rect(&d->svg, LEFT, y, PLOT_WIDTH, STRIP_PLOT, "#f6f6f6", "");
	lull_svg_text(&d->svg, LEFT - 8, y + STRIP_PLOT / 2 + 4,
		      "text-anchor=\"end\"", "%s",
		      lull_trace_counter_name(counter));
	if (max > 0)
		draw_steps(d, series, base, max, y);
	if (bytes)
		bytes_text(text, max);
	else
		snprintf(text, sizeof(text), "%.0f", max);
	lull_svg_text(&d->svg, LEFT + PLOT_WIDTH + 8, y + 10, "fill=\"#555\"",
		      "%s%s", rises ? "+" : "max ", text);
}

static double draw_strips(struct drawing *d, double y)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(strips); i++) {
		if (!d->fall->series[strips[i].counter].nr)
			continue;
		draw_strip(d, strips[i].counter, strips[i].bytes, y);
		y += STRIP_HEIGHT;
	}
	return y;
}

/* ---- axis -------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten: at most TICKS_MAX of them. */
static double tick_us(double us)
{
	double step = pow(10, floor(log10(us / TICKS_MAX)));

	if (us / step > TICKS_MAX)
		step *= 2;
	if (us / step > TICKS_MAX)
		step *= 2.5;
	if (us / step > TICKS_MAX)
		step *= 2;
	return step;
}

static void draw_axis(struct drawing *d, double y)
{
	double step = tick_us(d->us), us, x;
	char text[32];

	for (us = 0; us <= d->us; us += step) {
		x = LEFT + us / d->us * PLOT_WIDTH;
		lull_svg_rect(&d->svg, x, TOP - 6, 0.5, y - TOP + 6, "#000",
			      "fill-opacity=\"0.18\"");
		lull_svg_text(&d->svg, x, y + 12,
			      "text-anchor=\"middle\" fill=\"#555\"", "%s",
			      us > 0 ? time_text(text, us) : "0");
	}
}

static int height_of(const struct waterfall *fall)
{
	size_t i, nr_strips = 0;

	for (i = 0; i < LULL_ARRAY_SIZE(strips); i++)
		nr_strips += fall->series[strips[i].counter].nr > 0;
	return TOP + (int)fall->nr_lines * LANE_HEIGHT +
	       (int)nr_strips * STRIP_HEIGHT + AXIS_HEIGHT;
}

int lull_bench_waterfall(const char *trace_path, const char *svg_path,
			 struct lull_error *reterr)
{
	struct waterfall fall;
	struct drawing d = { .fall = &fall };
	double y;
	int err = lull_waterfall_read(trace_path, &fall, reterr);

	if (err)
		return err;
	d.us = fmax(fall.end_us - fall.start_us, 1);
	err = lull_svg_open(svg_path, LEFT + PLOT_WIDTH + RIGHT,
			    height_of(&fall), "lull waterfall", &d.svg, reterr);
	if (!err) {
		draw_head(&d);
		y = draw_lanes(&d, TOP);
		y = draw_strips(&d, y);
		draw_axis(&d, y);
		err = lull_svg_close(&d.svg, reterr);
	}
	lull_waterfall_done(&fall);
	return err;
}
