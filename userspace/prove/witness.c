// SPDX-License-Identifier: Apache-2.0
/*
 * witness.c - checks of a witness; see witness.h
 */
#include "prove/witness.h"

#include "base/base.h"
#include "base/workers.h"

#define VALUES_PER_TASK ((size_t)1 << 16)

static int check_task(void *arg, size_t task, struct lull_error *reterr)
{
	const struct lull_wtnsfile *file = arg;
	size_t first = task * VALUES_PER_TASK;
	size_t last = lull_min(first + VALUES_PER_TASK, file->nr_values);

	return lull_wtnsfile_check_values(file, (uint32_t)first, (uint32_t)last,
					  reterr);
}

int lull_witness_check(const struct lull_wtnsfile *file,
		       struct lull_workers *workers, struct lull_error *reterr)
{
	struct lull_wtnsfile copy = *file; /* tasks take no const */

	return lull_workers_try(workers,
				lull_div_up(file->nr_values, VALUES_PER_TASK),
				check_task, &copy, reterr);
}
