// SPDX-License-Identifier: Apache-2.0
/*
 * trace_file.c - a trace becomes a file; see trace_file.h
 */
#include "sched/trace_file.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/trace.h"
#include "input/outfile.h"

static int write_into(struct lull_outfile *file, const struct lull_trace *trace,
		      struct lull_error *reterr)
{
	FILE *out;
	int err = lull_outfile_stream(file, &out, reterr);

	if (err)
		return err;
	err = lull_trace_write(trace, out, file->name, reterr);
	if (fclose(out) && !err)
		err = lull_fail_errno(reterr, LULL_IO, errno, "%s: writing",
				      file->name);
	return err ? err : lull_outfile_commit(file, 1, reterr);
}

int lull_trace_save(const struct lull_trace *trace, const char *path,
		    struct lull_error *reterr)
{
	struct lull_outfile file = LULL_OUTFILE_EMPTY;
	int err = lull_outfile_open(path, 0, &file, reterr);

	if (!err)
		err = write_into(&file, trace, reterr);
	lull_outfile_discard(&file);
	return err;
}
