// SPDX-License-Identifier: Apache-2.0
/*
 * passes_tmpl.c - the passes in portable C
 */
#include "ntt/lanes.h"
#include "ntt/tile.h"

const struct fr_passes fr_passes_portable = {
	.twiddle_bytes = sizeof(struct twiddle),
	.lanes_bytes = sizeof(struct lanes),
	.out_doublings = LANES_OUT_DOUBLINGS,
	.prepare = twiddle_prepare,
	.columns_inverse = columns_inverse,
	.rows = rows,
	.columns_forward = columns_forward,
};
