/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_file.h - a trace becomes a file
 */
#ifndef LULL_SCHED_TRACE_FILE_H
#define LULL_SCHED_TRACE_FILE_H

#include "lull.h"

struct lull_trace;

/**
 * lull_trace_save - write a trace
 * @trace: no lane is being written to
 * @path: appears whole or not at all
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO or LULL_NOMEM.
 */
int lull_trace_save(const struct lull_trace *trace, const char *path,
		    struct lull_error *reterr);

#endif
