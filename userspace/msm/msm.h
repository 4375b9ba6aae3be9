/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm.h - multi-scalar multiplication: the sum of k_i P_i
 *
 * For templates above (prove/, bench/).  Time depends on the scalars: Pippenger
 * over a witness is _var, and the security page says so.
 */
#ifndef LULL_MSM_MSM_H
#define LULL_MSM_MSM_H

#include "base/workers.h"
#include "curve/group.h"

#define g1_msm_scratch_bytes LULL_CURVE_NAME(g1_msm_scratch_bytes)
#define g2_msm_scratch_bytes LULL_CURVE_NAME(g2_msm_scratch_bytes)
#define g1_msm_var LULL_CURVE_NAME(g1_msm_var)
#define g2_msm_var LULL_CURVE_NAME(g2_msm_var)

/* Bytes of scratch that a multiplication of nr points over a pool of
 * nr_threads needs at most, whatever the scalars are. */
size_t g1_msm_scratch_bytes(size_t nr, unsigned int nr_threads);
size_t g2_msm_scratch_bytes(size_t nr, unsigned int nr_threads);

/**
 * g1_msm_var - *r = sum of scalars[i] points[i]
 * @r: the sum
 * @points: nr affine points as struct g1_affine has them, canonical, on
 *	their curve and of order r (scalars above r / 2 are folded: other points
 *	give another sum), infinity allowed; at an address of any alignment
 * @scalars: nr plain integers below r, 32 little-endian bytes each, at an
 *	address of any alignment
 * @nr: how many; 0 gives infinity
 * @workers: the pool to run on
 * @scratch: g1_msm_scratch_bytes(nr, lull_workers_nr(workers)) bytes, aligned
 *	to 64; what it holds before does not matter.  Left holding traces of
 *	the scalars: the caller wipes it.
 *
 * Zero scalars and points at infinity cost nothing, ones one addition.
 * Of workers that are canceled (lull_workers_share()) the sum means nothing.
 * Context: any thread; concurrent calls need scratch of their own.
 */
void g1_msm_var(struct g1_xyzz *r, const uint8_t *points,
		const uint8_t *scalars, size_t nr, struct lull_workers *workers,
		void *scratch);
void g2_msm_var(struct g2_xyzz *r, const uint8_t *points,
		const uint8_t *scalars, size_t nr, struct lull_workers *workers,
		void *scratch);

#endif
