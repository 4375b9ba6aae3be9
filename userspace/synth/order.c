// SPDX-License-Identifier: Apache-2.0
/*
 * order.c - a stable counting sort of a key's coefficients by constraint
 *
 * Reads only the u32 at offset 4 of each record (spmv.h has the record); the
 * records were checked before.
 */
#include "synth/order.h"

#include "base/base.h"
#include "base/error.h"

/* Of a record of section 4, for values of 32 bytes. */
#define COEF_BYTES 44
#define CONSTRAINT_OFFSET 4

static uint32_t constraint_of(const uint8_t *coefs, size_t i)
{
	return lull_load_u32(coefs + i * COEF_BYTES + CONSTRAINT_OFFSET);
}

int lull_synth_order(const uint8_t *coefs, size_t nr_coefs, size_t n,
		     struct lull_arena *arena, struct lull_vec *ret_order,
		     struct lull_error *reterr)
{
	struct lull_vec count = { 0 }, order = { 0 };
	uint32_t *next, *out, sum = 0, here;
	size_t i;
	int err;

	err = lull_arena_carve(arena, n * sizeof(*next), LULL_CARVE_ZERO,
			       "synth: row counts", &count, reterr);
	if (err)
		return err;
	err = lull_arena_carve(arena, nr_coefs * sizeof(*out), 0,
			       "synth: order of the coefficients", &order,
			       reterr);
	if (err)
		goto retire_count;
	next = count.ptr;
	out = order.ptr;
	for (i = 0; i < nr_coefs; i++) {
		LULL_ASSERT(constraint_of(coefs, i) < n);
		next[constraint_of(coefs, i)]++;
	}
	for (i = 0; i < n; i++) {
		here = next[i];
		next[i] = sum;
		sum += here;
	}
	for (i = 0; i < nr_coefs; i++)
		out[next[constraint_of(coefs, i)]++] = (uint32_t)i;
	*ret_order = order;
retire_count:
	lull_arena_retire(&count);
	return err;
}
