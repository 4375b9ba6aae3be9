// SPDX-License-Identifier: Apache-2.0
/*
 * multiples_plan.cu - the window and the batch of multiples of one point
 *
 * See multiples.cuh.  Pure arithmetic on the host.
 */
#include "multiples.cuh"

#include "backend/backend.h"

namespace lull
{

#define ALIGN 256
#define SCALAR_BYTES 32
/* A point of the table against one addition: an addition and a half of an
 * inversion that four threads share. */
#define TABLE_COST 2

static size_t align_up(size_t bytes)
{
	return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

size_t multiples_points_at(const struct multiples_plan *plan)
{
	return align_up(plan->batch * SCALAR_BYTES);
}

static void set_batch(struct multiples_plan *plan, size_t batch)
{
	plan->batch = batch;
	plan->slot_bytes = multiples_points_at(plan) + align_up(batch * plan->point_bytes);
}

static void set_window(struct multiples_plan *plan, unsigned int window_bits)
{
	unsigned int bits = plan->curve == LULL_CURVE_BN254 ? bn254_fr::bits : bls12_381_fr::bits;

	plan->window_bits = window_bits;
	/* One bit more than a scalar has: its sum with the bias. */
	plan->nr_windows = (bits + window_bits) / window_bits;
	plan->half = (size_t)1 << (window_bits - 1);
	plan->table_bytes = align_up(plan->nr_windows * plan->half * plan->point_bytes);
	plan->bytes = plan->table_bytes + LULL_MULTIPLES_SLOTS * plan->slot_bytes;
}

/* The cheapest window whose table fits beside the slots, if there is one. */
static bool choose_window(struct multiples_plan *plan, uint64_t nr, uint64_t budget_bytes)
{
	unsigned int best = 0;
	double least = 0, cost;

	for (unsigned int c = MULTIPLES_WINDOW_MIN; c <= MULTIPLES_WINDOW_MAX; c++) {
		set_window(plan, c);
		cost = (double)plan->nr_windows * ((double)nr + TABLE_COST * (double)plan->half);
		if (plan->bytes > budget_bytes || (best && cost >= least))
			continue;
		least = cost;
		best = c;
	}
	set_window(plan, best ? best : MULTIPLES_WINDOW_MIN);
	return best != 0;
}

int multiples_plan_make(enum lull_curve curve, int group, uint64_t nr, uint64_t budget_bytes,
			struct multiples_plan *ret_plan, struct lull_error *reterr)
{
	struct multiples_plan plan = {};
	size_t batch = MULTIPLES_BATCH_MAX;

	if ((curve != LULL_CURVE_BN254 && curve != LULL_CURVE_BLS12_381) || group < 1 || group > 2)
		return lull_fail(reterr, LULL_USAGE, "multiples: no such curve or group");
	plan.curve = curve;
	plan.group = group;
	plan.point_bytes =
		2 * (size_t)group * sizeof(uint32_t) *
		(curve == LULL_CURVE_BN254 ? bn254_fp::nr_words : bls12_381_fp::nr_words);
	while (batch > MULTIPLES_BATCH_MIN && batch / 2 >= nr)
		batch /= 2;
	set_batch(&plan, batch);
	/* Slots take half of what there is, at most. */
	while (batch > MULTIPLES_BATCH_MIN &&
	       LULL_MULTIPLES_SLOTS * plan.slot_bytes > budget_bytes / 2)
		set_batch(&plan, batch /= 2);
	if (!choose_window(&plan, nr, budget_bytes))
		return lull_fail(reterr, LULL_NOMEM,
				 "multiples: expected at least %zu bytes of device memory, found "
				 "%llu",
				 plan.bytes, (unsigned long long)budget_bytes);
	*ret_plan = plan;
	return LULL_OK;
}

} /* namespace lull */
