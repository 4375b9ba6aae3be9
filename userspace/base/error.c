// SPDX-License-Identifier: Apache-2.0
/*
 * error.c - fills struct lull_error; see error.h
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int lull_fail(struct lull_error *reterr, enum lull_status code, const char *fmt,
	      ...)
{
	va_list args;

	if (!reterr)
		return code;
	reterr->code = code;
	reterr->sys_errno = 0;
	va_start(args, fmt);
	vsnprintf(reterr->msg, sizeof(reterr->msg), fmt, args);
	va_end(args);
	return code;
}

int lull_fail_errno(struct lull_error *reterr, enum lull_status code,
		    int sys_errno, const char *fmt, ...)
{
	char text[96];
	size_t len;
	va_list args;

	if (!reterr)
		return code;
	reterr->code = code;
	reterr->sys_errno = sys_errno;
	va_start(args, fmt);
	vsnprintf(reterr->msg, sizeof(reterr->msg), fmt, args);
	va_end(args);
	len = strlen(reterr->msg);
	/* GNU's strerror_r: thread-safe, unlike strerror. */
	snprintf(reterr->msg + len, sizeof(reterr->msg) - len, ": %s",
		 strerror_r(sys_errno, text, sizeof(text)));
	return code;
}

int lull_check_size(struct lull_error *reterr, const char *name,
		    size_t expected, size_t found)
{
	if (found == expected)
		return LULL_OK;
	return lull_fail(reterr, LULL_USAGE,
			 "struct %s: expected size %zu, found %zu", name,
			 expected, found);
}
