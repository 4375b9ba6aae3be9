/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg.h - the few shapes that plots of ours are made of
 *
 * For `lull bench storm --svg` and `lull waterfall`.  Text is escaped; the file
 * appears whole or not at all.
 */
#ifndef LULL_BENCH_SVG_H
#define LULL_BENCH_SVG_H

#include <stdio.h>

#include "input/outfile.h"

/**
 * struct lull_svg - a picture being drawn
 * @file: under way
 * @out: what is written to
 */
struct lull_svg {
	struct lull_outfile file;
	FILE *out;
};

/* Begins a picture of @width by @height on white, called @title.  LULL_OK,
 * LULL_IO or LULL_NOMEM. */
int lull_svg_open(const char *path, int width, int height, const char *title,
		  struct lull_svg *ret_svg, struct lull_error *reterr);

/* A box; @attributes, which are not escaped, may be "". */
void lull_svg_rect(struct lull_svg *svg, double x, double y, double width,
		   double height, const char *fill, const char *attributes);

/* The same with a text that is shown when it is pointed at. */
void lull_svg_rect_about(struct lull_svg *svg, double x, double y, double width,
			 double height, const char *fill, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));

/* A line of text whose base line begins at x, y. */
void lull_svg_text(struct lull_svg *svg, double x, double y,
		   const char *attributes, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* Ends the picture: LULL_OK, or LULL_IO and there is no file. */
int lull_svg_close(struct lull_svg *svg, struct lull_error *reterr);

#endif
