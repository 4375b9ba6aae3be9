/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fr.h - the scalar field of the bound curve
 *
 * For templates only.  Elements are Montgomery residues, always canonical
 * (below r): every function takes and gives canonical values, VERIFY builds
 * check it.  Outputs may alias inputs.  fp.h has the same shape on purpose:
 * two types keep a coordinate from being taken for a scalar.  Time does not
 * depend on values, except where a name ends in _var.
 */
#ifndef LULL_CURVE_FR_H
#define LULL_CURVE_FR_H

#include "curve/bind.h"
#include "curve/limbs.h"

struct fr {
	limb_t l[FR_LIMBS];
};

static const limb_t fr_r[FR_LIMBS] = CURVE_CONST(FR_P);
static const struct fr fr_one = { CURVE_CONST(FR_R) };
static const struct fr fr_zero;

#define fr_mul LULL_CURVE_NAME(fr_mul)
#define fr_sqr LULL_CURVE_NAME(fr_sqr)
#define fr_pow_var LULL_CURVE_NAME(fr_pow_var)
#define fr_inv LULL_CURVE_NAME(fr_inv)

/* r = a b */
void fr_mul(struct fr *r, const struct fr *a, const struct fr *b);
void fr_sqr(struct fr *r, const struct fr *a);
/* r = a^e for a public exponent of nr_limbs limbs. */
void fr_pow_var(struct fr *r, const struct fr *a, const limb_t *e,
		unsigned int nr_limbs);
/* r = 1 / a; 0 gives 0. */
void fr_inv(struct fr *r, const struct fr *a);

/* a < r: what a file must show before its bytes become an element. */
static inline bool fr_is_canonical(const struct fr *a)
{
	return limbs_less(a->l, fr_r, FR_LIMBS);
}

static inline bool fr_is_zero(const struct fr *a)
{
	return limbs_is_zero(a->l, FR_LIMBS);
}

static inline bool fr_equal(const struct fr *a, const struct fr *b)
{
	return limbs_equal(a->l, b->l, FR_LIMBS);
}

static inline void fr_add(struct fr *r, const struct fr *a, const struct fr *b)
{
	LULL_ASSERT(fr_is_canonical(a) && fr_is_canonical(b));
	limbs_mod_add(r->l, a->l, b->l, fr_r, FR_LIMBS);
}

static inline void fr_sub(struct fr *r, const struct fr *a, const struct fr *b)
{
	LULL_ASSERT(fr_is_canonical(a) && fr_is_canonical(b));
	limbs_mod_sub(r->l, a->l, b->l, fr_r, FR_LIMBS);
}

static inline void fr_dbl(struct fr *r, const struct fr *a)
{
	fr_add(r, a, a);
}

static inline void fr_neg(struct fr *r, const struct fr *a)
{
	fr_sub(r, &fr_zero, a);
}

/* r = mask ? a : b, where mask is 0 or all ones. */
static inline void fr_select(struct fr *r, limb_t mask, const struct fr *a,
			     const struct fr *b)
{
	limbs_select(r->l, mask, a->l, b->l, FR_LIMBS);
}

/* From and to the plain integer, little-endian limbs, canonical. */
static inline void fr_from_plain(struct fr *r, const limb_t *plain)
{
	static const struct fr r2 = { CURVE_CONST(FR_R2) };
	struct fr t;

	memcpy(t.l, plain, sizeof(t.l));
	fr_mul(r, &t, &r2);
}

static inline void fr_to_plain(limb_t *plain, const struct fr *a)
{
	static const struct fr unit = { { 1 } };
	struct fr t;

	fr_mul(&t, a, &unit);
	memcpy(plain, t.l, sizeof(t.l));
}

static inline void fr_from_u64(struct fr *r, uint64_t x)
{
	const limb_t plain[FR_LIMBS] = { x };

	fr_from_plain(r, plain);
}

#endif
