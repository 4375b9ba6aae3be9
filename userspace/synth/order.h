/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - a permutation that sorts a key's coefficients by constraint
 *
 * Only for keys whose section 4 is not sorted already, which none of the
 * known tools writes but the format allows.
 */
#ifndef LULL_SYNTH_ORDER_H
#define LULL_SYNTH_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "arena/arena.h"

struct lull_error;

/* Gives nr_coefs u32 in *ret_order (a stable counting sort over n rows), which
 * lies in @arena; nr_coefs is below 2^32 by the format.  LULL_OK, LULL_NOMEM, or
 * LULL_IO where the coefficients have changed since they were checked. */
int lull_synth_order(const uint8_t *coefs, size_t nr_coefs, size_t n,
		     struct lull_arena *arena, struct lull_vec *ret_order,
		     struct lull_error *reterr);

#endif
