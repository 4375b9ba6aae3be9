// SPDX-License-Identifier: Apache-2.0
/*
 * passes_ifma_tmpl.c - the passes with AVX-512 IFMA
 *
 * For processors that lull_cpu_has_ifma() knows to have it.
 */
#include "ntt/lanes_ifma.h"
#include "ntt/tile.h"

_Static_assert(sizeof(struct lanes) == NTT_LANES_BYTES_MAX, "scratch's size");

const struct fr_passes fr_passes_ifma = {
	.twiddle_bytes = sizeof(struct twiddle),
	.lanes_bytes = sizeof(struct lanes),
	.out_doublings = LANES_OUT_DOUBLINGS,
	.prepare = twiddle_prepare,
	.columns_inverse = columns_inverse,
	.rows = rows,
	.columns_forward = columns_forward,
};
