// SPDX-License-Identifier: Apache-2.0
/*
 * order.c - a stable counting sort of a key's coefficients by constraint
 *
 * Reads only the u32 at offset 4 of each record (spmv.h has the record); the
 * records were checked before.  Those of a file that is mapped may have changed
 * since, and may be others when they are looked at again: each number here is
 * bounded where it is used.
 */
#include "synth/order.h"

#include "base/base.h"
#include "base/error.h"

/* Of a record of section 4, for values of 32 bytes. */
#define COEF_BYTES 44
#define CONSTRAINT_OFFSET 4

/* Below @n, or 0 and *@wrong. */
static uint32_t constraint_of(const uint8_t *coefs, size_t i, size_t n,
			      bool *wrong)
{
	uint32_t constraint =
		lull_load_u32_once(coefs + i * COEF_BYTES + CONSTRAINT_OFFSET);

	if (lull_likely(constraint < n))
		return constraint;
	*wrong = true;
	return 0;
}

int lull_synth_order(const uint8_t *coefs, size_t nr_coefs, size_t n,
		     struct lull_arena *arena, struct lull_vec *ret_order,
		     struct lull_error *reterr)
{
	struct lull_vec count = { 0 }, order = { 0 };
	uint32_t *next, *out, sum = 0, here;
	bool wrong = false;
	size_t i;
	int err;

	err = lull_arena_carve(arena, n * sizeof(*next), LULL_CARVE_ZERO,
			       "synth: row counts", &count, reterr);
	if (err)
		return err;
	/* What is not written is a number of a coefficient too. */
	err = lull_arena_carve(arena, nr_coefs * sizeof(*out), LULL_CARVE_ZERO,
			       "synth: order of the coefficients", &order,
			       reterr);
	if (err)
		goto retire_count;
	next = count.ptr;
	out = order.ptr;
	for (i = 0; i < nr_coefs; i++)
		next[constraint_of(coefs, i, n, &wrong)]++;
	for (i = 0; i < n; i++) {
		here = next[i];
		next[i] = sum;
		sum += here;
	}
	for (i = 0; i < nr_coefs; i++) {
		here = next[constraint_of(coefs, i, n, &wrong)]++;
		if (lull_likely(here < nr_coefs))
			out[here] = (uint32_t)i;
		else
			wrong = true;
	}
	if (wrong) {
		err = lull_fail(reterr, LULL_IO,
				"a key's coefficients changed while they were "
				"sorted");
		lull_arena_retire(&order);
		goto retire_count;
	}
	*ret_order = order;
retire_count:
	lull_arena_retire(&count);
	return err;
}
