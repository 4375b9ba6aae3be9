// SPDX-License-Identifier: Apache-2.0
/*
 * term.c - everything the `lull` command says; see term.h
 */
#include "cli/term.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "cli/cli.h"

/* Columns of the waterfall's bars: with the numbers they fill 80. */
#define BAR_COLUMNS 36
#define ASCII_MAX 127

static bool progress_shown;

/* The word for a status in JSON: part of the interface, unlike the text. */
static const char *code_name(int code)
{
	static const char *const names[] = {
		"ok",	    "nomem",	   "io",       "format",      "range",
		"mismatch", "unsatisfied", "invalid",  "unsupported", "usage",
		"internal", "device",	   "canceled",
	};
	int index = -code;

	if (index < 0 || index >= (int)(sizeof(names) / sizeof(names[0])))
		return "internal";
	return names[index];
}

json_t *lull_term_text(const char *text)
{
	json_t *string = json_string(text);
	char *copy, *c;

	if (string)
		return string;
	copy = strdup(text);
	if (!copy)
		return NULL;
	for (c = copy; *c; c++)
		if ((unsigned char)*c > ASCII_MAX)
			*c = '?';
	string = json_string(copy);
	free(copy);
	return string;
}

json_t *lull_term_error(const struct lull_error *err)
{
	return json_pack("{s:s, s:o}", "code", code_name(err->code), "message",
			 lull_term_text(err->msg));
}

int lull_term_fail(bool json, const struct lull_error *err)
{
	json_t *object;

	lull_term_progress_end();
	fprintf(stderr, "lull: %s\n", err->msg);
	if (json) {
		object = json_pack("{s:o}", "error", lull_term_error(err));
		if (object) {
			json_dumpf(object, stdout, 0);
			putchar('\n');
			fflush(stdout);
			json_decref(object);
		}
	}
	return err->code == LULL_UNSATISFIED ? LULL_EXIT_UNSATISFIED
					     : LULL_EXIT_ERROR;
}

int lull_term_fail_msg(bool json, enum lull_status code, const char *fmt, ...)
{
	struct lull_error err = { .code = code };
	va_list args;

	va_start(args, fmt);
	vsnprintf(err.msg, sizeof(err.msg), fmt, args);
	va_end(args);
	return lull_term_fail(json, &err);
}

void lull_term_warn(void *unused, const char *msg)
{
	(void)unused;
	lull_term_progress_end();
	fprintf(stderr, "lull: warning: %s\n", msg);
}

void lull_term_note(void *unused, const char *msg)
{
	(void)unused;
	lull_term_progress_end();
	fprintf(stderr, "lull: %s\n", msg);
}

void lull_term_say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

int lull_term_emit(json_t *object)
{
	if (!object)
		return lull_term_fail_msg(false, LULL_NOMEM, "out of memory");
	if (json_dumpf(object, stdout, 0) == 0)
		putchar('\n');
	json_decref(object);
	return lull_term_finish();
}

int lull_term_finish(void)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return LULL_EXIT_OK;
	return lull_term_fail_msg(false, LULL_IO, "standard output: %s",
				  errno ? strerror(errno) : "write failed");
}

static bool on_terminal(void)
{
	static int known = -1;
	const char *term;

	if (known < 0) {
		term = getenv("TERM");
		known = isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
	}
	return known;
}

void lull_term_progress(const char *what, unsigned int nr_done,
			unsigned int nr_all)
{
	if (!on_terminal())
		return;
	fputs("\r\033[K", stderr); /* to column 0, erase the line */
	if (nr_all)
		fprintf(stderr, "[%2u/%u] %s", nr_done, nr_all, what);
	else
		fputs(what, stderr);
	fflush(stderr);
	progress_shown = true;
}

void lull_term_progress_end(void)
{
	if (!progress_shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress_shown = false;
}

/* The columns [from, to) of a stage's bar, at least one wide. */
static void draw_bar(char bar[BAR_COLUMNS + 1], uint64_t start, uint64_t ns,
		     uint64_t all)
{
	size_t from = (size_t)((double)start / (double)all * BAR_COLUMNS);
	size_t to = (size_t)((double)(start + ns) / (double)all * BAR_COLUMNS);

	if (from >= BAR_COLUMNS)
		from = BAR_COLUMNS - 1;
	if (to <= from)
		to = from + 1;
	if (to > BAR_COLUMNS)
		to = BAR_COLUMNS;
	memset(bar, ' ', BAR_COLUMNS);
	memset(bar + from, '#', to - from);
	bar[BAR_COLUMNS] = '\0';
}

void lull_term_stages(const struct lull_stage_time *stages, unsigned int nr)
{
	char bar[BAR_COLUMNS + 1];
	uint64_t all = 1;
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (stages[i].start_ns + stages[i].ns > all)
			all = stages[i].start_ns + stages[i].ns;
	fprintf(stderr, "%-10s %10s %10s %6s\n", "stage", "start ms", "ms",
		"share");
	for (i = 0; i < nr; i++) {
		draw_bar(bar, stages[i].start_ns, stages[i].ns, all);
		fprintf(stderr, "%-10s %10.3f %10.3f %5.1f%% |%s|\n",
			stages[i].name,
			(double)stages[i].start_ns / LULL_NS_PER_MS,
			(double)stages[i].ns / LULL_NS_PER_MS,
			(double)stages[i].ns / (double)all * 100, bar);
	}
	fprintf(stderr, "%-10s %10s %10.3f\n", "all", "",
		(double)all / LULL_NS_PER_MS);
}

const char *lull_term_text_of(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

int lull_term_row_done(bool json, json_t *row, struct lull_error *reterr)
{
	int failed = 0;

	errno = 0;
	if (json) {
		failed = json_dumpf(row, stdout, 0);
		putchar('\n');
	}
	if (failed || fflush(stdout) || ferror(stdout))
		failed = errno ? errno : EIO;
	json_decref(row);
	if (failed)
		return lull_fail_errno(reterr, LULL_IO, failed,
				       "standard output");
	lull_term_progress("measuring", 0, 0);
	return LULL_OK;
}
