/* SPDX-License-Identifier: Apache-2.0 */
/*
 * term.h - everything the `lull` command says
 *
 * Results go to standard output, and a result that cannot be written is an
 * error.  Errors, warnings and the stage table go to standard error; progress
 * does too, and only when that is a terminal.
 */
#ifndef LULL_CLI_TERM_H
#define LULL_CLI_TERM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "lull.h"

struct lull_cli;

/* "lull: MESSAGE", and with --json {"error": {...}} on standard output too.
 * Returns the enum lull_cli_exit that belongs to the error. */
int lull_term_fail(bool json, const struct lull_error *err);

/* The same with a message of the command's own. */
int lull_term_fail_msg(bool json, enum lull_status code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "lull: warning: MESSAGE"; in the form of struct lull_ctx_opts. */
void lull_term_warn(void *unused, const char *msg);

/* "lull: MESSAGE", what -v tells; in the same form. */
void lull_term_note(void *unused, const char *msg);

/* A JSON string; bytes of a path that are no UTF-8 become '?'. */
json_t *lull_term_text(const char *text);

/* {"code", "message"} of an error. */
json_t *lull_term_error(const struct lull_error *err);

/* One line of a result; the end of the output is checked by finish(). */
void lull_term_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* One JSON object and a newline; takes the reference.  NULL (out of memory
 * while it was built) is an error too.  Returns as lull_term_finish(). */
int lull_term_emit(json_t *object);

/* A text of a bench's row; "" where there is none. */
const char *lull_term_text_of(const json_t *row, const char *key);

/* Ends a bench's row, whose reference it takes: prints it as a JSON line if
 * @json, flushes, and shows that the next one is being measured. */
int lull_term_row_done(bool json, json_t *row, struct lull_error *reterr);

/* Flushes standard output: LULL_EXIT_OK, or after a message
 * LULL_EXIT_ERROR. */
int lull_term_finish(void);

/* What is being done now, as step @nr_done of @nr_all: on a terminal only.
 * @nr_all of 0 is not known. */
void lull_term_progress(const char *what, unsigned int nr_done,
			unsigned int nr_all);
/* Takes the progress line away. */
void lull_term_progress_end(void);

/* The stage table of -v: a small waterfall. */
void lull_term_stages(const struct lull_stage_time *stages, unsigned int nr);

#endif
