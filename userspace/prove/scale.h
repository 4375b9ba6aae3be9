/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scale.h - multiples of many points of G1, each by a scalar of its own
 *
 * For fold_tmpl.c.  The points of a batch go through their scalars' bits side
 * by side, so that every step is a batch of affine additions that shares one
 * inversion (msm/pairs.h), with the kernels of the multiplications.  Time
 * depends on points and scalars: none is secret.
 */
#ifndef LULL_PROVE_SCALE_H
#define LULL_PROVE_SCALE_H

#include "curve/group.h"
#include "msm/pairs.h"
#include "msm/scalars.h"

#define SCALE_BATCH LULL_G1_PAIR_BATCH
/* Odd multiples up to 15: a scalar's windows have at most four bits. */
#define SCALE_WINDOW 4
#define SCALE_MULTIPLES (1 << (SCALE_WINDOW - 1))
#define SCALE_BITS (FR_LIMBS * LIMB_BITS)

/**
 * struct g1_scale - memory of one thread
 * @ops: the twin in use
 * @work: work points: the multiples of each point, its double, its sum
 * @digits: by bit: what is added to each sum there; 0 is nothing
 * @pairs: of one step
 * @live: which of a batch's points are not infinity
 * @out: canonical affine results
 * @temp: of the twin
 */
struct g1_scale {
	const struct lull_g1_pair_ops *ops;
	struct g1_affine work[(SCALE_MULTIPLES + 2) * SCALE_BATCH];
	uint8_t digits[SCALE_BITS][SCALE_BATCH];
	struct lull_msm_pair pairs[SCALE_BATCH];
	uint32_t live[SCALE_BATCH];
	struct g1_affine out[SCALE_BATCH];
	_Alignas(64) unsigned char temp[];
};

#define g1_scale_bytes LULL_CURVE_NAME(g1_scale_bytes)
#define g1_scale_init LULL_CURVE_NAME(g1_scale_init)
#define g1_scale_var LULL_CURVE_NAME(g1_scale_var)
#define g1_scale_add_var LULL_CURVE_NAME(g1_scale_add_var)

/* Bytes of a struct g1_scale; a multiple of 64, as its address must be. */
size_t g1_scale_bytes(void);
void g1_scale_init(struct g1_scale *s);

/* s->out[i] = scalars[i] points[at[i]] for nr <= SCALE_BATCH points; infinity
 * and 0 are allowed. */
void g1_scale_var(struct g1_scale *s, const struct g1_affine *points,
		  const uint32_t *at, const struct fr *scalars, size_t nr);

/* out[i] = points[at[i]] + s->out[i], or minus it; infinity is allowed.  out
 * may not be s->out. */
void g1_scale_add_var(struct g1_scale *s, const struct g1_affine *points,
		      const uint32_t *at, bool minus, struct g1_affine *out,
		      size_t nr);

#endif
