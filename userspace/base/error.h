/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.h - how a failure is described
 *
 * For the control plane: `return lull_fail(reterr, LULL_FORMAT, "...", ...);`
 * fills the caller's struct lull_error (which may be NULL) without allocating
 * and returns the code.  Nothing here prints.
 */
#ifndef LULL_BASE_ERROR_H
#define LULL_BASE_ERROR_H

#include "lull.h"

int lull_fail(struct lull_error *reterr, enum lull_status code, const char *fmt,
	      ...) __attribute__((format(printf, 3, 4)));

/* As lull_fail(), with ": <text of errno>" appended and sys_errno set. */
int lull_fail_errno(struct lull_error *reterr, enum lull_status code,
		    int sys_errno, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Whether a struct of a public header, by its name, has the size that is known
 * here; else LULL_USAGE.  A larger one asks for what is not known, or for figures
 * that nobody would fill in. */
int lull_check_size(struct lull_error *reterr, const char *name,
		    size_t expected, size_t found);

#endif
