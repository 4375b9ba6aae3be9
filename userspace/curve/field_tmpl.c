// SPDX-License-Identifier: Apache-2.0
/*
 * field_tmpl.c - the field functions that are too large to be inline
 *
 * For every template above.  Montgomery products come from the kernels of
 * mont.h, or from limbs.h where there are none.
 */
#include "curve/fp.h"
#include "curve/fp2.h"
#include "curve/fr.h"
#include "curve/mont.h"

#if LULL_MONT_KERNELS
#define MONT_MUL(nr_limbs) LULL_PASTE2(lull_curve_mont_mul_, nr_limbs)
#define fp_mont_mul MONT_MUL(FP_LIMBS)
#define fr_mont_mul MONT_MUL(FR_LIMBS)
#else
static void fp_mont_mul(limb_t *r, const limb_t *a, const limb_t *b,
			const limb_t *m, limb_t inv)
{
	limbs_mont_mul(r, a, b, m, inv, FP_LIMBS);
}

static void fr_mont_mul(limb_t *r, const limb_t *a, const limb_t *b,
			const limb_t *m, limb_t inv)
{
	limbs_mont_mul(r, a, b, m, inv, FR_LIMBS);
}
#endif

void fp_mul(struct fp *r, const struct fp *a, const struct fp *b)
{
	LULL_ASSERT(fp_is_canonical(a) && fp_is_canonical(b));
	fp_mont_mul(r->l, a->l, b->l, fp_p, CURVE_CONST(FP_INV));
	LULL_ASSERT(fp_is_canonical(r));
}

void fp_sqr(struct fp *r, const struct fp *a)
{
	fp_mul(r, a, a);
}

void fp_pow_var(struct fp *r, const struct fp *a, const limb_t *e,
		unsigned int nr_limbs)
{
	struct fp acc = fp_one, base = *a;
	unsigned int i = nr_limbs * LIMB_BITS;

	while (i--) {
		fp_sqr(&acc, &acc);
		if (limbs_bit(e, i))
			fp_mul(&acc, &acc, &base);
	}
	*r = acc;
}

void fp_inv(struct fp *r, const struct fp *a)
{
	static const limb_t e[FP_LIMBS] = CURVE_CONST(FP_P_MINUS_2);

	fp_pow_var(r, a, e, FP_LIMBS);
}

bool fp_sqrt(struct fp *r, const struct fp *a)
{
	static const limb_t e[FP_LIMBS] = CURVE_CONST(FP_SQRT_EXP);
	struct fp root, check;

	fp_pow_var(&root, a, e, FP_LIMBS);
	fp_sqr(&check, &root);
	if (!fp_equal(&check, a))
		return false;
	*r = root;
	return true;
}

void fr_mul(struct fr *r, const struct fr *a, const struct fr *b)
{
	LULL_ASSERT(fr_is_canonical(a) && fr_is_canonical(b));
	fr_mont_mul(r->l, a->l, b->l, fr_r, CURVE_CONST(FR_INV));
	LULL_ASSERT(fr_is_canonical(r));
}

void fr_sqr(struct fr *r, const struct fr *a)
{
	fr_mul(r, a, a);
}

void fr_pow_var(struct fr *r, const struct fr *a, const limb_t *e,
		unsigned int nr_limbs)
{
	struct fr acc = fr_one, base = *a;
	unsigned int i = nr_limbs * LIMB_BITS;

	while (i--) {
		fr_sqr(&acc, &acc);
		if (limbs_bit(e, i))
			fr_mul(&acc, &acc, &base);
	}
	*r = acc;
}

void fr_inv(struct fr *r, const struct fr *a)
{
	static const limb_t e[FR_LIMBS] = CURVE_CONST(FR_P_MINUS_2);

	fr_pow_var(r, a, e, FR_LIMBS);
}

/* Karatsuba: three products; the cross terms come from (a0 + a1)(b0 + b1). */
void fp2_mul(struct fp2 *r, const struct fp2 *a, const struct fp2 *b)
{
	struct fp t0, t1, sa, sb;

	fp_mul(&t0, &a->c0, &b->c0);
	fp_mul(&t1, &a->c1, &b->c1);
	fp_add(&sa, &a->c0, &a->c1);
	fp_add(&sb, &b->c0, &b->c1);
	fp_mul(&sa, &sa, &sb);
	fp_sub(&sa, &sa, &t0);
	fp_sub(&r->c1, &sa, &t1);
	fp_sub(&r->c0, &t0, &t1);
}

/* (a0 + a1)(a0 - a1) + 2 a0 a1 u */
void fp2_sqr(struct fp2 *r, const struct fp2 *a)
{
	struct fp sum, diff, cross;

	fp_add(&sum, &a->c0, &a->c1);
	fp_sub(&diff, &a->c0, &a->c1);
	fp_mul(&cross, &a->c0, &a->c1);
	fp_mul(&r->c0, &sum, &diff);
	fp_dbl(&r->c1, &cross);
}

/* (a0 - a1 u) / (a0^2 + a1^2) */
void fp2_inv(struct fp2 *r, const struct fp2 *a)
{
	struct fp norm, t;

	fp_sqr(&norm, &a->c0);
	fp_sqr(&t, &a->c1);
	fp_add(&norm, &norm, &t);
	fp_inv(&norm, &norm);
	fp_mul(&r->c0, &a->c0, &norm);
	fp_neg(&t, &a->c1);
	fp_mul(&r->c1, &t, &norm);
}

/*
 * With n = sqrt(a0^2 + a1^2): a root x0 + x1 u has x0^2 = (a0 + n) / 2 or
 * (a0 - n) / 2 and x1 = a1 / (2 x0); where x0 = 0, x1^2 = -a0.
 */
bool fp2_sqrt(struct fp2 *r, const struct fp2 *a)
{
	struct fp half, n, t;
	struct fp2 root, check;

	fp_from_u64(&half, 2);
	fp_inv(&half, &half);
	fp_sqr(&n, &a->c0);
	fp_sqr(&t, &a->c1);
	fp_add(&n, &n, &t);
	if (!fp_sqrt(&n, &n))
		return false;
	fp_add(&t, &a->c0, &n);
	fp_mul(&t, &t, &half);
	if (!fp_sqrt(&root.c0, &t)) {
		fp_sub(&t, &a->c0, &n);
		fp_mul(&t, &t, &half);
		if (!fp_sqrt(&root.c0, &t))
			return false;
	}
	if (fp_is_zero(&root.c0)) {
		fp_neg(&t, &a->c0);
		if (!fp_sqrt(&root.c1, &t))
			return false;
	} else {
		fp_dbl(&t, &root.c0);
		fp_inv(&t, &t);
		fp_mul(&root.c1, &a->c1, &t);
	}
	fp2_sqr(&check, &root);
	if (!fp2_equal(&check, a))
		return false;
	*r = root;
	return true;
}
