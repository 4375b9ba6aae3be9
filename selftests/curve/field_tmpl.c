// SPDX-License-Identifier: Apache-2.0
/*
 * field_tmpl.c - the laws of every field on edges and random values
 */
#include "curve/tower.h"
#include "field_random.h"

#define FIELD fp
#include "field_axioms.h"
#define FIELD fr
#include "field_axioms.h"
#define FIELD fp2
#include "field_axioms.h"
#define FIELD fp6
#include "field_axioms.h"
#define FIELD fp12
#include "field_axioms.h"

#define NR_VALUES 10

TEST(axioms_fp)
{
	struct fp v[NR_VALUES + 4];
	unsigned int i;

	v[0] = fp_zero;
	v[1] = fp_one;
	fp_neg(&v[2], &fp_one);
	limbs_mod_sub(v[3].l, fp_zero.l, (const limb_t[FP_LIMBS]){ 1 }, fp_p,
		      FP_LIMBS);
	for (i = 4; i < LULL_ARRAY_SIZE(v); i++)
		random_fp(&v[i]);
	check_all_fp(v, LULL_ARRAY_SIZE(v));
}

TEST(axioms_fr)
{
	struct fr v[NR_VALUES + 4];
	unsigned int i;

	v[0] = fr_zero;
	v[1] = fr_one;
	fr_neg(&v[2], &fr_one);
	limbs_mod_sub(v[3].l, fr_zero.l, (const limb_t[FR_LIMBS]){ 1 }, fr_r,
		      FR_LIMBS);
	for (i = 4; i < LULL_ARRAY_SIZE(v); i++)
		random_fr(&v[i]);
	check_all_fr(v, LULL_ARRAY_SIZE(v));
}

TEST(axioms_fp2)
{
	struct fp2 v[NR_VALUES];
	unsigned int i;

	v[0] = fp2_zero;
	v[1] = fp2_one;
	for (i = 2; i < LULL_ARRAY_SIZE(v); i++)
		random_coordinates(&v[i], 2);
	check_all_fp2(v, LULL_ARRAY_SIZE(v));
}

TEST(axioms_fp6)
{
	struct fp6 v[NR_VALUES - 2];
	unsigned int i;

	v[0] = fp6_zero;
	v[1] = fp6_one;
	for (i = 2; i < LULL_ARRAY_SIZE(v); i++)
		random_coordinates(&v[i], 6);
	check_all_fp6(v, LULL_ARRAY_SIZE(v));
}

TEST(axioms_fp12)
{
	struct fp12 v[NR_VALUES - 4];
	unsigned int i;

	v[0] = fp12_zero;
	v[1] = fp12_one;
	for (i = 2; i < LULL_ARRAY_SIZE(v); i++)
		random_coordinates(&v[i], 12);
	check_all_fp12(v, LULL_ARRAY_SIZE(v));
}

/* ---- what the laws alone do not show -------------------------------------- */

/* a b by doubling and adding: no Montgomery product in it but fp_to_plain. */
TEST(products_by_additions)
{
	struct fp a, b, want, got;
	struct fr s, t, want_r, got_r;
	limb_t plain[LIMBS_MAX];
	unsigned int i, j;

	for (j = 0; j < 64; j++) {
		random_fp(&a);
		random_fp(&b);
		fp_to_plain(plain, &b);
		EXPECT_TRUE(limbs_less(plain, fp_p, FP_LIMBS));
		want = fp_zero;
		for (i = FP_LIMBS * LIMB_BITS; i--;) {
			fp_dbl(&want, &want);
			if (limbs_bit(plain, i))
				fp_add(&want, &want, &a);
		}
		fp_mul(&got, &a, &b);
		EXPECT_TRUE(fp_equal(&want, &got));
		random_fr(&s);
		random_fr(&t);
		fr_to_plain(plain, &t);
		EXPECT_TRUE(limbs_less(plain, fr_r, FR_LIMBS));
		want_r = fr_zero;
		for (i = FR_LIMBS * LIMB_BITS; i--;) {
			fr_dbl(&want_r, &want_r);
			if (limbs_bit(plain, i))
				fr_add(&want_r, &want_r, &s);
		}
		fr_mul(&got_r, &s, &t);
		EXPECT_TRUE(fr_equal(&want_r, &got_r));
	}
}

/* The plain form is the integer itself. */
TEST(small_integers)
{
	const uint64_t a = 0xfedcba9876543211u, b = 0xffffffffffffffffu;
	const limb2_t ab = (limb2_t)a * b;
	limb_t want[LIMBS_MAX] = { (limb_t)ab, (limb_t)(ab >> LIMB_BITS) };
	limb_t got[LIMBS_MAX];
	struct fp x, y;
	struct fr s, t;

	fp_from_u64(&x, a);
	fp_from_u64(&y, b);
	fp_mul(&x, &x, &y);
	fp_to_plain(got, &x);
	EXPECT_MEMEQ(want, got, FP_LIMBS * sizeof(limb_t));
	fr_from_u64(&s, a);
	fr_from_u64(&t, b);
	fr_mul(&s, &s, &t);
	fr_to_plain(got, &s);
	EXPECT_MEMEQ(want, got, FR_LIMBS * sizeof(limb_t));
	fp_from_u64(&x, 1);
	EXPECT_TRUE(fp_equal(&x, &fp_one));
	fr_from_u64(&s, 1);
	EXPECT_TRUE(fr_equal(&s, &fr_one));
}

TEST(plain_and_back)
{
	limb_t plain[LIMBS_MAX];
	struct fp a, b;
	struct fr s, t;
	int i;

	for (i = 0; i < 256; i++) {
		random_fp(&a);
		fp_to_plain(plain, &a);
		fp_from_plain(&b, plain);
		EXPECT_TRUE(fp_equal(&a, &b));
		random_fr(&s);
		fr_to_plain(plain, &s);
		fr_from_plain(&t, plain);
		EXPECT_TRUE(fr_equal(&s, &t));
	}
}

TEST(canonical_is_below_the_modulus)
{
	const limb_t unit[LIMBS_MAX] = { 1 };
	struct fp a;
	struct fr s;
	struct fp2 a2 = { fp_one, fp_one };

	memcpy(a.l, fp_p, sizeof(a.l));
	EXPECT_TRUE(!fp_is_canonical(&a));
	a2.c1 = a;
	EXPECT_TRUE(!fp2_is_canonical(&a2));
	limbs_sub(a.l, a.l, unit, FP_LIMBS);
	EXPECT_TRUE(fp_is_canonical(&a));
	memset(&a, 0xff, sizeof(a));
	EXPECT_TRUE(!fp_is_canonical(&a));
	memcpy(s.l, fr_r, sizeof(s.l));
	EXPECT_TRUE(!fr_is_canonical(&s));
	limbs_sub(s.l, s.l, unit, FR_LIMBS);
	EXPECT_TRUE(fr_is_canonical(&s));
	memset(&s, 0xff, sizeof(s));
	EXPECT_TRUE(!fr_is_canonical(&s));
}

TEST(neg_dbl_select)
{
	struct fp a, b, r;
	struct fp2 c, d, s;
	int i;

	for (i = 0; i < 64; i++) {
		random_fp(&a);
		random_fp(&b);
		fp_neg(&r, &a);
		EXPECT_TRUE(fp_is_canonical(&r));
		fp_add(&r, &r, &a);
		EXPECT_TRUE(fp_is_zero(&r));
		fp_dbl(&r, &a);
		fp_sub(&r, &r, &a);
		EXPECT_TRUE(fp_equal(&r, &a));
		fp_select(&r, ~(limb_t)0, &a, &b);
		EXPECT_TRUE(fp_equal(&r, &a));
		fp_select(&r, 0, &a, &b);
		EXPECT_TRUE(fp_equal(&r, &b));
		random_coordinates(&c, 2);
		random_coordinates(&d, 2);
		fp2_select(&s, ~(limb_t)0, &c, &d);
		EXPECT_TRUE(fp2_equal(&s, &c));
		fp2_select(&s, 0, &c, &d);
		EXPECT_TRUE(fp2_equal(&s, &d));
		/* the norm lies in Fp */
		fp2_conj(&s, &c);
		fp2_mul(&s, &s, &c);
		EXPECT_TRUE(fp_is_zero(&s.c1));
		fp2_mul_fp(&s, &c, &a);
		d.c0 = a;
		d.c1 = fp_zero;
		fp2_mul(&d, &d, &c);
		EXPECT_TRUE(fp2_equal(&s, &d));
	}
}

/* Of a and -a just one is a square, but for 0: p = 3 mod 4. */
TEST(sqrt_fp)
{
	struct fp a, neg, root, poison, t;
	unsigned int i, roots;

	memset(&poison, 0xa5, sizeof(poison));
	for (i = 0; i < 32; i++) {
		random_fp(&a);
		fp_neg(&neg, &a);
		roots = 0;
		root = poison;
		if (fp_sqrt(&root, &a)) {
			fp_sqr(&t, &root);
			EXPECT_TRUE(fp_equal(&t, &a));
			roots++;
		} else {
			EXPECT_MEMEQ(&poison, &root, sizeof(root));
		}
		root = poison;
		if (fp_sqrt(&root, &neg)) {
			fp_sqr(&t, &root);
			EXPECT_TRUE(fp_equal(&t, &neg));
			roots++;
		} else {
			EXPECT_MEMEQ(&poison, &root, sizeof(root));
		}
		EXPECT_EQ(fp_is_zero(&a) ? 2 : 1, roots);
	}
}

/* xi is no square, so just one of a and xi a is. */
TEST(sqrt_fp2)
{
	struct fp2 a, other, root, poison, t;
	unsigned int i, roots;

	memset(&poison, 0xa5, sizeof(poison));
	for (i = 0; i < 32; i++) {
		random_coordinates(&a, 2);
		/* Fp and its multiples by u are the special cases. */
		if (i % 4 == 1)
			a.c1 = fp_zero;
		if (i % 4 == 2)
			a.c0 = fp_zero;
		fp2_mul_xi(&other, &a);
		roots = 0;
		root = poison;
		if (fp2_sqrt(&root, &a)) {
			fp2_sqr(&t, &root);
			EXPECT_TRUE(fp2_equal(&t, &a));
			roots++;
		} else {
			EXPECT_MEMEQ(&poison, &root, sizeof(root));
		}
		root = poison;
		if (fp2_sqrt(&root, &other)) {
			fp2_sqr(&t, &root);
			EXPECT_TRUE(fp2_equal(&t, &other));
			roots++;
		} else {
			EXPECT_MEMEQ(&poison, &root, sizeof(root));
		}
		EXPECT_EQ(fp2_is_zero(&a) ? 2 : 1, roots);
	}
}

TEST(pow_is_repeated_product)
{
	struct fp a, want = fp_one, got;
	struct fr s, want_r = fr_one, got_r;
	limb_t e[2] = { 0 };

	random_fp(&a);
	random_fr(&s);
	for (e[0] = 0; e[0] < 40; e[0]++) {
		fp_pow_var(&got, &a, e, 2);
		EXPECT_TRUE(fp_equal(&want, &got));
		fp_mul(&want, &want, &a);
		fr_pow_var(&got_r, &s, e, 2);
		EXPECT_TRUE(fr_equal(&want_r, &got_r));
		fr_mul(&want_r, &want_r, &s);
	}
}

/* ---- the tower ------------------------------------------------------------ */

TEST(tower_generators)
{
	struct fp2 xi = fp2_zero, t2;
	struct fp6 v = fp6_zero, t6;
	struct fp12 w = fp12_zero, t12;

	fp_from_u64(&xi.c0, CURVE_CONST(XI_C0));
	fp_from_u64(&xi.c1, CURVE_CONST(XI_C1));
	fp2_mul_xi(&t2, &fp2_one);
	EXPECT_TRUE(fp2_equal(&xi, &t2));
	/* v^3 = xi */
	v.c1 = fp2_one;
	fp6_sqr(&t6, &v);
	fp6_mul(&t6, &t6, &v);
	EXPECT_TRUE(fp2_equal(&t6.c0, &xi) && fp2_is_zero(&t6.c1) &&
		    fp2_is_zero(&t6.c2));
	/* 1/v = v^2 / xi */
	fp6_inv(&t6, &v);
	fp2_inv(&t2, &xi);
	EXPECT_TRUE(fp2_is_zero(&t6.c0) && fp2_is_zero(&t6.c1) &&
		    fp2_equal(&t6.c2, &t2));
	/* w^2 = v */
	w.c1 = fp6_one;
	fp12_sqr(&t12, &w);
	EXPECT_TRUE(fp6_equal(&t12.c0, &v) && fp6_equal(&t12.c1, &fp6_zero));
	fp6_mul_v(&t6, &fp6_one);
	EXPECT_TRUE(fp6_equal(&t6, &v));
}

TEST(line_is_a_sparse_product)
{
	struct fp12_line line;
	struct fp12 a, b, want, got;
	int i;

	for (i = 0; i < 16; i++) {
		random_coordinates(&a, 12);
		random_coordinates(&line, 6);
		b = fp12_zero;
		b.c0.c0 = line.a;
		if (CURVE_CONST(TWIST_IS_D))
			b.c1.c0 = line.b;
		else
			b.c0.c1 = line.b;
		b.c1.c1 = line.c;
		fp12_mul(&want, &a, &b);
		fp12_mul_line(&got, &a, &line);
		EXPECT_TRUE(fp12_equal(&want, &got));
		fp12_mul_line(&a, &a, &line);
		EXPECT_TRUE(fp12_equal(&want, &a));
	}
}

/* a^p by squaring, against the coefficients. */
TEST(frobenius_is_the_pth_power)
{
	struct fp12 a, want = fp12_one, got;
	unsigned int i = FP_LIMBS * LIMB_BITS, k;

	random_coordinates(&a, 12);
	while (i--) {
		fp12_sqr(&want, &want);
		if (limbs_bit(fp_p, i))
			fp12_mul(&want, &want, &a);
	}
	fp12_frob(&got, &a, 1);
	EXPECT_TRUE(fp12_equal(&want, &got));
	for (k = 2; k <= 3; k++) {
		fp12_frob(&want, &want, 1);
		fp12_frob(&got, &a, k);
		EXPECT_TRUE(fp12_equal(&want, &got));
	}
	/* p^6 is the conjugation */
	fp12_frob(&want, &want, 3);
	fp12_conj(&got, &a);
	EXPECT_TRUE(fp12_equal(&want, &got));
}

TEST_MAIN
