/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fp2.h - Fp2 = Fp[u] / (u^2 + 1)
 *
 * For templates only; same contract as fp.h.
 */
#ifndef LULL_CURVE_FP2_H
#define LULL_CURVE_FP2_H

#include "curve/fp.h"

struct fp2 {
	struct fp c0;
	struct fp c1;
};

static const struct fp2 fp2_one = { { CURVE_CONST(FP_R) }, { { 0 } } };
static const struct fp2 fp2_zero;

#define fp2_mul LULL_CURVE_NAME(fp2_mul)
#define fp2_sqr LULL_CURVE_NAME(fp2_sqr)
#define fp2_inv LULL_CURVE_NAME(fp2_inv)
#define fp2_sqrt LULL_CURVE_NAME(fp2_sqrt)

void fp2_mul(struct fp2 *r, const struct fp2 *a, const struct fp2 *b);
void fp2_sqr(struct fp2 *r, const struct fp2 *a);
/* r = 1 / a; 0 gives 0. */
void fp2_inv(struct fp2 *r, const struct fp2 *a);
/* r = a square root of a, true; or false and r is not written. */
bool fp2_sqrt(struct fp2 *r, const struct fp2 *a);

static inline bool fp2_is_canonical(const struct fp2 *a)
{
	return fp_is_canonical(&a->c0) && fp_is_canonical(&a->c1);
}

static inline bool fp2_is_zero(const struct fp2 *a)
{
	return fp_is_zero(&a->c0) && fp_is_zero(&a->c1);
}

static inline bool fp2_equal(const struct fp2 *a, const struct fp2 *b)
{
	return fp_equal(&a->c0, &b->c0) && fp_equal(&a->c1, &b->c1);
}

static inline void fp2_add(struct fp2 *r, const struct fp2 *a,
			   const struct fp2 *b)
{
	fp_add(&r->c0, &a->c0, &b->c0);
	fp_add(&r->c1, &a->c1, &b->c1);
}

static inline void fp2_sub(struct fp2 *r, const struct fp2 *a,
			   const struct fp2 *b)
{
	fp_sub(&r->c0, &a->c0, &b->c0);
	fp_sub(&r->c1, &a->c1, &b->c1);
}

static inline void fp2_dbl(struct fp2 *r, const struct fp2 *a)
{
	fp2_add(r, a, a);
}

static inline void fp2_neg(struct fp2 *r, const struct fp2 *a)
{
	fp_neg(&r->c0, &a->c0);
	fp_neg(&r->c1, &a->c1);
}

static inline void fp2_conj(struct fp2 *r, const struct fp2 *a)
{
	r->c0 = a->c0;
	fp_neg(&r->c1, &a->c1);
}

/* r = a b for b in Fp. */
static inline void fp2_mul_fp(struct fp2 *r, const struct fp2 *a,
			      const struct fp *b)
{
	struct fp t = *b;

	fp_mul(&r->c0, &a->c0, &t);
	fp_mul(&r->c1, &a->c1, &t);
}

/* r = mask ? a : b, where mask is 0 or all ones. */
static inline void fp2_select(struct fp2 *r, limb_t mask, const struct fp2 *a,
			      const struct fp2 *b)
{
	fp_select(&r->c0, mask, &a->c0, &b->c0);
	fp_select(&r->c1, mask, &a->c1, &b->c1);
}

#endif
