// SPDX-License-Identifier: Apache-2.0
/*
 * witness.cu - a proof's witness goes up: as it is, or bits as bits
 *
 * See key.cuh.  Where the classes of the values are known and few are full-size,
 * the map goes up and these alone, and the device makes the values again.  They
 * are put one behind the other in the staging buffers, by the pool's threads, so
 * host memory is needed for the places of groups alone.  On the device they come
 * to where lists of places will be made when the values are there.
 */
#include <string.h>

#include "check.cuh"
#include "classify.cuh"
#include "key.cuh"
#include "pack.cuh"

extern "C" {
#include "base/base.h"
}

namespace lull
{

/* What a thread of the pool does at a time: the classes of a million values, or
 * 256 KiB of full-size ones. */
constexpr size_t groups_per_task = 4096;
constexpr size_t values_per_task = 8192;

static const struct list *list_of(const struct cuda_seat *seat)
{
	return &seat->key->layout.lists[LIST_ALL];
}

static void count_task(void *arg, size_t task, unsigned int slot)
{
	const struct packing *p = (const struct packing *)arg;
	size_t first = task * groups_per_task;

	(void)slot;
	pack_count(p, first, lull_min(first + groups_per_task, expand_nr_groups(p->nr)));
}

/* By the map: a number that comes beside it is not what memory is written by. */
static size_t count_others(const struct cuda_seat *seat, struct packing *p,
			   struct lull_workers *workers)
{
	size_t nr_tasks = lull_div_up(expand_nr_groups(p->nr), groups_per_task);

	seat->key->device->opts.host->workers_run(workers, nr_tasks, count_task, p);
	return pack_sum(p);
}

struct values_fill {
	struct staging_fill fill;
	const struct packing *packing;
	size_t first, nr;
};

static void values_task(const struct staging_fill *fill, uint8_t *buffer, size_t task)
{
	const struct values_fill *values = (const struct values_fill *)fill;
	size_t done = task * values_per_task;

	pack_values(values->packing, values->first + done,
		    lull_min(values->nr - done, values_per_task), buffer + done * scalar_bytes);
}

static int send_others(struct cuda_seat *seat, const struct packing *p, size_t nr_others,
		       struct lull_workers *workers, struct lull_error *reterr)
{
	struct values_fill values = { { values_task, 0 }, p, 0, 0 };
	uint8_t *to = seat_at(seat, list_of(seat)->others);

	for (; values.first < nr_others; values.first += values.nr) {
		values.nr = lull_min(nr_others - values.first, staging_bytes / scalar_bytes);
		values.fill.nr_tasks = lull_div_up(values.nr, values_per_task);
		LULL_TRY(staging_send(&seat->staging, seat->key->device,
				      to + values.first * scalar_bytes, values.nr * scalar_bytes,
				      &values.fill, workers, seat->up, reterr));
	}
	return LULL_OK;
}

static int bring_packed(struct cuda_seat *seat, const struct lull_stage_args *args,
			const struct packing *p, size_t nr_others, struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;
	const struct list *all = list_of(seat);
	uint8_t *map = seat_at(seat, l->map), *places = seat_at(seat, all->ones);

	LULL_TRY(seat_bring(seat, args, l->map, p->map, lull_classes_bytes(p->nr), seat->up,
			    reterr));
	LULL_TRY(pinned_copy(seat->key->device, l->arrays.arena, places, p->places,
			     witness_places_bytes(l), seat->up, reterr));
	LULL_TRY(send_others(seat, p, nr_others, args->workers, reterr));
	return expand_values((const uint32_t *)map, (const uint32_t *)places,
			     seat_at(seat, all->others), nr_others, seat_at(seat, all->values),
			     p->nr, seat->up, reterr);
}

int witness_bring(struct cuda_seat *seat, const struct lull_stage_args *args,
		  struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;
	struct packing p = { NULL, args->witness, l->arrays.nr_vars, seat->places };
	size_t nr_others;

	seat->mapped = false;
	if (args->classes && l->map.bytes && args->classes->nr_others <= l->packed_max) {
		p.map = args->classes->map;
		seat->placed = true;
		nr_others = count_others(seat, &p, args->workers);
		if (nr_others <= l->packed_max) {
			seat->mapped = true;
			return bring_packed(seat, args, &p, nr_others, reterr);
		}
	}
	return seat_bring(seat, args, list_of(seat)->values, p.values, p.nr * scalar_bytes,
			  seat->up, reterr);
}

const uint32_t *witness_map(const struct cuda_seat *seat)
{
	return seat->mapped ? (const uint32_t *)seat_at(seat, seat->key->layout.map) : NULL;
}

size_t witness_places_bytes(const struct layout *layout)
{
	return expand_nr_groups(layout->arrays.nr_vars) * sizeof(uint32_t);
}

void witness_forget(struct cuda_seat *seat)
{
	if (seat->placed)
		explicit_bzero(seat->places, witness_places_bytes(&seat->key->layout));
	seat->placed = false;
}

} /* namespace lull */
