// SPDX-License-Identifier: Apache-2.0
/*
 * storm_slots.c - which slots of an arena are in use, and in what runs
 *
 * For the arms of `lull bench storm` that have an arena.  Each share walks its
 * own slots, so that no two threads meet.
 */
#include "base/base.h"
#include "bench/storm.h"

struct storm_walk lull_bench_storm_walk(struct storm_share *share)
{
	const struct storm_plan *plan = &share->run->plan;
	size_t last = plan->first[share->index + 1] - 1;

	return (struct storm_walk){
		.share = share,
		.at = plan->offset[plan->first[share->index]] /
		      STORM_SLOT_BYTES,
		.end = lull_div_up(plan->offset[last] + plan->bytes[last],
				   STORM_SLOT_BYTES),
	};
}

/* The next run of slots that all have @live; marks them @mark. */
bool lull_bench_storm_next_run(struct storm_walk *walk, uint32_t live,
			       uint32_t mark, char **ret_at, size_t *ret_bytes)
{
	struct storm_run *run = walk->share->run;
	size_t first;

	while (walk->at < walk->end && run->slot_live[walk->at] != live)
		walk->at++;
	first = walk->at;
	while (walk->at < walk->end && run->slot_live[walk->at] == live)
		run->slot_live[walk->at++] = mark;
	*ret_at = run->region + first * STORM_SLOT_BYTES;
	*ret_bytes = (walk->at - first) * STORM_SLOT_BYTES;
	return *ret_bytes != 0;
}

void lull_bench_storm_count_slots(struct storm_run *run, size_t vec,
				  uint32_t by)
{
	size_t first = run->plan.offset[vec] / STORM_SLOT_BYTES;
	size_t last = (run->plan.offset[vec] + run->plan.bytes[vec] - 1) /
		      STORM_SLOT_BYTES;

	for (; first <= last; first++)
		run->slot_live[first] += by;
}
