// SPDX-License-Identifier: Apache-2.0
/*
 * svg.c - writes shapes; see svg.h
 */
#include "bench/svg.h"

#include <errno.h>
#include <stdarg.h>

#include "base/base.h"
#include "base/error.h"

#define TEXT_BYTES 512
#define ASCII_FIRST 0x20
#define ASCII_LAST 0x7e

/* What XML wants escaped; control characters it does not have at all, and
 * what may be no UTF-8 is not shown. */
static void put_escaped(FILE *out, const char *text)
{
	static const struct {
		char c;
		const char *entity;
	} escapes[] = { { '<', "&lt;" },
			{ '>', "&gt;" },
			{ '&', "&amp;" },
			{ '"', "&quot;" } };
	size_t i;

	for (; *text; text++) {
		for (i = 0; i < LULL_ARRAY_SIZE(escapes); i++)
			if (*text == escapes[i].c)
				break;
		if (i < LULL_ARRAY_SIZE(escapes))
			fputs(escapes[i].entity, out);
		else
			fputc(*text < ASCII_FIRST || *text > ASCII_LAST ? '?'
									: *text,
			      out);
	}
}

static void put_formatted(FILE *out, const char *fmt, va_list args)
{
	char text[TEXT_BYTES];

	vsnprintf(text, sizeof(text), fmt, args);
	put_escaped(out, text);
}

int lull_svg_open(const char *path, int width, int height, const char *title,
		  struct lull_svg *ret_svg, struct lull_error *reterr)
{
	struct lull_svg svg = { .file = LULL_OUTFILE_EMPTY };
	int err = lull_outfile_open(path, 0, &svg.file, reterr);

	if (err)
		return err;
	err = lull_outfile_stream(&svg.file, &svg.out, reterr);
	if (err) {
		lull_outfile_discard(&svg.file);
		return err;
	}
	fprintf(svg.out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n<title>",
		width, height, width, height);
	put_escaped(svg.out, title);
	fputs("</title>\n<rect width=\"100%\" height=\"100%\" "
	      "fill=\"#fff\"/>\n",
	      svg.out);
	*ret_svg = svg;
	return LULL_OK;
}

static void begin_rect(struct lull_svg *svg, double x, double y, double width,
		       double height, const char *fill)
{
	fprintf(svg->out,
		"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
		"fill=\"%s\"",
		x, y, width, height, fill);
}

void lull_svg_rect(struct lull_svg *svg, double x, double y, double width,
		   double height, const char *fill, const char *attributes)
{
	begin_rect(svg, x, y, width, height, fill);
	fprintf(svg->out, "%s%s/>\n", *attributes ? " " : "", attributes);
}

void lull_svg_rect_about(struct lull_svg *svg, double x, double y, double width,
			 double height, const char *fill, const char *fmt, ...)
{
	va_list args;

	begin_rect(svg, x, y, width, height, fill);
	fputs("><title>", svg->out);
	va_start(args, fmt);
	put_formatted(svg->out, fmt, args);
	va_end(args);
	fputs("</title></rect>\n", svg->out);
}

void lull_svg_text(struct lull_svg *svg, double x, double y,
		   const char *attributes, const char *fmt, ...)
{
	va_list args;

	fprintf(svg->out, "<text x=\"%.2f\" y=\"%.2f\"%s%s>", x, y,
		*attributes ? " " : "", attributes);
	va_start(args, fmt);
	put_formatted(svg->out, fmt, args);
	va_end(args);
	fputs("</text>\n", svg->out);
}

int lull_svg_close(struct lull_svg *svg, struct lull_error *reterr)
{
	int err = LULL_OK;
	FILE *out = svg->out;

	fputs("</svg>\n", out);
	svg->out = NULL;
	if (ferror(out) | fclose(out))
		err = lull_fail_errno(reterr, LULL_IO, errno, "%s: writing",
				      svg->file.name);
	if (!err)
		err = lull_outfile_commit(&svg->file, 1, reterr);
	lull_outfile_discard(&svg->file);
	return err;
}
