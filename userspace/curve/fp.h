/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fp.h - the base field of the bound curve
 *
 * For templates only.  Elements are Montgomery residues, always canonical
 * (below p): every function takes and gives canonical values, VERIFY builds
 * check it.  Outputs may alias inputs.  fr.h has the same shape on purpose:
 * two types keep a scalar from being taken for a coordinate.  Time does not
 * depend on values, except where a name ends in _var.
 */
#ifndef LULL_CURVE_FP_H
#define LULL_CURVE_FP_H

#include "curve/bind.h"
#include "curve/limbs.h"

struct fp {
	limb_t l[FP_LIMBS];
};

static const limb_t fp_p[FP_LIMBS] = CURVE_CONST(FP_P);
static const struct fp fp_one = { CURVE_CONST(FP_R) };
static const struct fp fp_zero;

#define fp_mul LULL_CURVE_NAME(fp_mul)
#define fp_sqr LULL_CURVE_NAME(fp_sqr)
#define fp_pow_var LULL_CURVE_NAME(fp_pow_var)
#define fp_inv LULL_CURVE_NAME(fp_inv)
#define fp_sqrt LULL_CURVE_NAME(fp_sqrt)

/* r = a b */
void fp_mul(struct fp *r, const struct fp *a, const struct fp *b);
void fp_sqr(struct fp *r, const struct fp *a);
/* r = a^e for a public exponent of nr_limbs limbs. */
void fp_pow_var(struct fp *r, const struct fp *a, const limb_t *e,
		unsigned int nr_limbs);
/* r = 1 / a; 0 gives 0. */
void fp_inv(struct fp *r, const struct fp *a);
/* r = a square root of a, true; or false and r is not written. */
bool fp_sqrt(struct fp *r, const struct fp *a);

/* a < p: what a file must show before its bytes become an element. */
static inline bool fp_is_canonical(const struct fp *a)
{
	return limbs_less(a->l, fp_p, FP_LIMBS);
}

static inline bool fp_is_zero(const struct fp *a)
{
	return limbs_is_zero(a->l, FP_LIMBS);
}

static inline bool fp_equal(const struct fp *a, const struct fp *b)
{
	return limbs_equal(a->l, b->l, FP_LIMBS);
}

static inline void fp_add(struct fp *r, const struct fp *a, const struct fp *b)
{
	LULL_ASSERT(fp_is_canonical(a) && fp_is_canonical(b));
	limbs_mod_add(r->l, a->l, b->l, fp_p, FP_LIMBS);
}

static inline void fp_sub(struct fp *r, const struct fp *a, const struct fp *b)
{
	LULL_ASSERT(fp_is_canonical(a) && fp_is_canonical(b));
	limbs_mod_sub(r->l, a->l, b->l, fp_p, FP_LIMBS);
}

static inline void fp_dbl(struct fp *r, const struct fp *a)
{
	fp_add(r, a, a);
}

static inline void fp_neg(struct fp *r, const struct fp *a)
{
	fp_sub(r, &fp_zero, a);
}

/* r = mask ? a : b, where mask is 0 or all ones. */
static inline void fp_select(struct fp *r, limb_t mask, const struct fp *a,
			     const struct fp *b)
{
	limbs_select(r->l, mask, a->l, b->l, FP_LIMBS);
}

/* From and to the plain integer, little-endian limbs, canonical. */
static inline void fp_from_plain(struct fp *r, const limb_t *plain)
{
	static const struct fp r2 = { CURVE_CONST(FP_R2) };
	struct fp t;

	memcpy(t.l, plain, sizeof(t.l));
	fp_mul(r, &t, &r2);
}

static inline void fp_to_plain(limb_t *plain, const struct fp *a)
{
	static const struct fp unit = { { 1 } };
	struct fp t;

	fp_mul(&t, a, &unit);
	memcpy(plain, t.l, sizeof(t.l));
}

static inline void fp_from_u64(struct fp *r, uint64_t x)
{
	const limb_t plain[FP_LIMBS] = { x };

	fp_from_plain(r, plain);
}

#endif
