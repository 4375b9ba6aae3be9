// SPDX-License-Identifier: Apache-2.0
/*
 * witness.c - checks of a witness; see witness.h
 */
#include "prove/witness.h"

#include <stdatomic.h>

#include "base/base.h"
#include "base/workers.h"

#define VALUES_PER_TASK ((size_t)1 << 16)

_Static_assert(VALUES_PER_TASK % LULL_CLASSES_PER_WORD == 0,
	       "tasks share no word of the map");

struct check {
	const struct lull_wtnsfile *file;
	uint32_t *map;
	atomic_size_t nr_ones, nr_others;
};

static int check_task(void *arg, size_t task, struct lull_error *reterr)
{
	struct check *check = arg;
	size_t first = task * VALUES_PER_TASK;
	size_t last = lull_min(first + VALUES_PER_TASK, check->file->nr_values);
	struct lull_classes found;
	int err;

	err = lull_wtnsfile_classify(check->file, (uint32_t)first,
				     (uint32_t)last, check->map, &found,
				     reterr);
	if (err)
		return err;
	atomic_fetch_add(&check->nr_ones, found.nr_ones);
	atomic_fetch_add(&check->nr_others, found.nr_others);
	return LULL_OK;
}

int lull_witness_check(struct lull_wtnsfile *file, struct lull_workers *workers,
		       struct lull_arena *arena, struct lull_error *reterr)
{
	struct check check = { .file = file };
	struct lull_classes found = { 0 };
	struct lull_vec map;
	int err;

	if (file->checked)
		return LULL_OK;
	err = lull_wtnsfile_map(arena, file->nr_values, &map, reterr);
	if (err)
		return err;
	check.map = map.ptr;
	err = lull_workers_try(workers,
			       lull_div_up(file->nr_values, VALUES_PER_TASK),
			       check_task, &check, reterr);
	if (err || lull_workers_canceled(workers)) {
		lull_arena_retire(&map);
		return err;
	}
	found.nr_ones = atomic_load(&check.nr_ones);
	found.nr_others = atomic_load(&check.nr_others);
	lull_wtnsfile_take(file, &map, &found);
	return LULL_OK;
}
