// SPDX-License-Identifier: Apache-2.0
/*
 * storm_svg.c - the rows of `lull bench storm` as a plot
 *
 * One line of bars an arm, four figures side by side.  Counts and times span
 * orders of magnitude, so bars grow with the logarithm; the figure itself
 * stands beside each.  What could not be measured is said in words.
 */
#include <string.h>

#include "base/base.h"
#include "bench/storm.h"
#include "bench/svg.h"

#define NR_PANELS 4
#define LEFT 150
#define TOP 70
#define PANEL_WIDTH 210
#define BAR_WIDTH 120
#define LINE_HEIGHT 22
#define BAR_HEIGHT 14
#define TEXT_DROP 11

/**
 * struct panel - one figure
 * @title: over it
 * @keys: of a row; their numbers are added
 * @unit: that they are divided by
 * @colour: of its bars
 */
static const struct panel {
	const char *title;
	const char *keys[2];
	double unit;
	const char *colour;
} panels[NR_PANELS] = {
	{ "TLB flushes a cycle",
	  { "flushes_free", "flushes_again" },
	  1,
	  "#b5432a" },
	{ "page faults a cycle",
	  { "faults_free", "faults_again" },
	  1,
	  "#2a6fb5" },
	{ "MiB zeroed a cycle",
	  { "zeroed_bytes", NULL },
	  LULL_BYTES_PER_MIB,
	  "#6b8e23" },
	{ "free and have again, ms",
	  { "median_ns", NULL },
	  LULL_NS_PER_MS,
	  "#555" },
};

/* Negative: the row does not have it.  Where nothing was had again, what that
 * cost is 0. */
static double value_of(const json_t *row, const struct panel *panel)
{
	const json_t *part;
	double sum = 0;
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(panel->keys) && panel->keys[i]; i++) {
		part = json_object_get(row, panel->keys[i]);
		if (!json_is_number(part) && i == 0)
			return -1;
		sum += json_number_value(part) / panel->unit;
	}
	return sum;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* log2(1 + x), straight between powers of two. */
static double length_of(double x)
{
	double length = 0;

	for (x += 1; x >= 2; x /= 2)
		length++;
	return length + x - 1;
}

static bool is_measured(const json_t *row)
{
	return json_object_get(row, "free_ns") != NULL;
}

static double largest(const json_t *rows, const struct panel *panel)
{
	double max = 1;
	size_t i;

	for (i = 0; i < json_array_size(rows); i++)
		max = larger(max, value_of(json_array_get(rows, i), panel));
	return max;
}

static void draw_bar(struct lull_svg *svg, const json_t *row,
		     const struct panel *panel, double max, int x, int y)
{
	double value = value_of(row, panel), width;

	if (value < 0) {
		lull_svg_text(svg, x, y + TEXT_DROP, "fill=\"#999\"",
			      "not counted");
		return;
	}
	width = length_of(value) / length_of(max) * BAR_WIDTH;
	lull_svg_rect(svg, x, y, larger(width, 1), BAR_HEIGHT, panel->colour,
		      "");
	lull_svg_text(svg, x + width + 4, y + TEXT_DROP, "", "%.*f",
		      value < 10 && value != (double)(int)value, value);
}

static void draw_line(struct lull_svg *svg, const json_t *row,
		      const double *max, int y)
{
	const char *name = json_string_value(json_object_get(row, "name"));
	const char *scenario =
		json_string_value(json_object_get(row, "scenario"));
	int i;

	lull_svg_text(svg, LEFT - 8, y + TEXT_DROP, "text-anchor=\"end\"",
		      "%s%s", name,
		      scenario && !strcmp(scenario, "scattered")
			      ? " (scattered)"
			      : "");
	for (i = 0; i < NR_PANELS; i++)
		draw_bar(svg, row, &panels[i], max[i], LEFT + i * PANEL_WIDTH,
			 y);
}

static void draw_head(struct lull_svg *svg, const json_t *rows)
{
	const json_t *host = json_object_get(json_array_get(rows, 0), "host");
	int i;

	lull_svg_text(svg, 8, 20, "font-size=\"14\"",
		      "The same memory, given back and had again");
	lull_svg_text(svg, 8, 38, "fill=\"#555\"",
		      "%s, %d cores, Linux %s; bars are logarithmic",
		      json_string_value(json_object_get(host, "cpu")),
		      (int)json_integer_value(json_object_get(host, "cores")),
		      json_string_value(json_object_get(host, "kernel")));
	for (i = 0; i < NR_PANELS; i++)
		lull_svg_text(svg, LEFT + i * PANEL_WIDTH, TOP - 10,
			      "font-weight=\"bold\"", "%s", panels[i].title);
}

int lull_bench_storm_svg(const char *path, const json_t *rows,
			 struct lull_error *reterr)
{
	double max[NR_PANELS];
	int nr_lines = 0, y = TOP, err;
	struct lull_svg svg;
	size_t i;

	for (i = 0; i < NR_PANELS; i++)
		max[i] = largest(rows, &panels[i]);
	for (i = 0; i < json_array_size(rows); i++)
		nr_lines += is_measured(json_array_get(rows, i));
	err = lull_svg_open(path, LEFT + NR_PANELS * PANEL_WIDTH,
			    TOP + nr_lines * LINE_HEIGHT + 10,
			    "lull bench storm", &svg, reterr);
	if (err)
		return err;
	draw_head(&svg, rows);
	for (i = 0; i < json_array_size(rows); i++) {
		if (!is_measured(json_array_get(rows, i)))
			continue;
		draw_line(&svg, json_array_get(rows, i), max, y);
		y += LINE_HEIGHT;
	}
	return lull_svg_close(&svg, reterr);
}
