// SPDX-License-Identifier: Apache-2.0
/*
 * subgroup_tmpl.c - the subgroup tests against the plain r P = infinity
 */
#include "curve/pairing.h"
#include "field_random.h"

/* What the tests stand for. */
static bool plain1(const struct g1_affine *p)
{
	struct g1_xyzz t;

	g1_mul_var(&t, p, fr_r, FR_LIMBS);
	return g1_xyzz_is_inf(&t);
}

static bool plain2(const struct g2_affine *p)
{
	struct g2_xyzz t;

	g2_mul_var(&t, p, fr_r, FR_LIMBS);
	return g2_xyzz_is_inf(&t);
}

TEST(inside)
{
	struct g1_affine p;
	struct g2_affine q;
	int i;

	for (i = 0; i < 8; i++) {
		random_g1(&p);
		random_g2(&q);
		EXPECT_TRUE(plain1(&p));
		EXPECT_TRUE(plain2(&q));
		EXPECT_TRUE(g1_in_subgroup(&p));
		EXPECT_TRUE(g2_in_subgroup(&q));
	}
	EXPECT_TRUE(g1_in_subgroup(&g1_generator));
	EXPECT_TRUE(g2_in_subgroup(&g2_generator));
	memset(&p, 0, sizeof(p));
	memset(&q, 0, sizeof(q));
	EXPECT_TRUE(g1_in_subgroup(&p));
	EXPECT_TRUE(g2_in_subgroup(&q));
}

TEST(anywhere_on_the_curve)
{
	unsigned int nr_in1 = 0, nr_in2 = 0;
	struct g1_affine p;
	struct g2_affine q;
	int i;

	for (i = 0; i < 16; i++) {
		random_curve_point_g1(&p);
		random_curve_point_g2(&q);
		EXPECT_EQ(LULL_POINT_OK, g1_affine_check(&p));
		EXPECT_EQ(LULL_POINT_OK, g2_affine_check(&q));
		EXPECT_EQ(plain1(&p), g1_in_subgroup(&p));
		EXPECT_EQ(plain2(&q), g2_in_subgroup(&q));
		nr_in1 += plain1(&p);
		nr_in2 += plain2(&q);
	}
	/* BN254's G1 is the whole curve; no other cofactor is near 1. */
	EXPECT_EQ(LULL_CURVE_ID == LULL_ID_bn254 ? 16 : 0, nr_in1);
	EXPECT_EQ(0, nr_in2);
}

/* Points of an order prime to r, and sums of such with points inside. */
TEST(cofactor_points_are_outside)
{
	struct g1_xyzz t;
	struct g2_xyzz t2;
	struct g1_affine p;
	struct g2_affine q;
	int i;

	for (i = 0; i < 8; i++) {
		random_curve_point_g1(&p);
		g1_mul_var(&t, &p, fr_r, FR_LIMBS);
		if (!g1_xyzz_is_inf(&t)) {
			g1_xyzz_to_affine(&p, &t);
			EXPECT_TRUE(!g1_in_subgroup(&p));
			g1_xyzz_add_affine(&t, &t, &g1_generator);
			g1_xyzz_to_affine(&p, &t);
			EXPECT_TRUE(!g1_in_subgroup(&p));
		}
		random_curve_point_g2(&q);
		g2_mul_var(&t2, &q, fr_r, FR_LIMBS);
		g2_xyzz_to_affine(&q, &t2);
		EXPECT_TRUE(!g2_in_subgroup(&q));
		g2_xyzz_add_affine(&t2, &t2, &g2_generator);
		g2_xyzz_to_affine(&q, &t2);
		EXPECT_TRUE(!g2_in_subgroup(&q));
	}
}

#if LULL_CURVE_ID == LULL_ID_bls12_381
/* (0, 2) has order 3 on y^2 = x^3 + 4: the smallest trap. */
TEST(order_three)
{
	const limb_t three[1] = { 3 };
	struct g1_affine p;
	struct g1_xyzz t;

	p.x = fp_zero;
	fp_from_u64(&p.y, 2);
	EXPECT_EQ(LULL_POINT_OK, g1_affine_check(&p));
	g1_mul_var(&t, &p, three, 1);
	EXPECT_TRUE(g1_xyzz_is_inf(&t));
	EXPECT_TRUE(!g1_in_subgroup(&p));
}
#endif

static void check_mul(const struct g1_affine *p, const struct g2_affine *q,
		      const limb_t *k)
{
	struct g1_xyzz want, got;
	struct g2_xyzz want2, got2;

	memset(&got, 0xff, sizeof(got));
	memset(&got2, 0xff, sizeof(got2));
	g1_mul_var(&want, p, k, FR_LIMBS);
	g1_mul(&got, p, k);
	EXPECT_TRUE(g1_xyzz_equal(&want, &got));
	g2_mul_var(&want2, q, k, FR_LIMBS);
	g2_mul(&got2, q, k);
	EXPECT_TRUE(g2_xyzz_equal(&want2, &got2));
}

TEST(secret_multiples_agree)
{
	struct g1_affine p;
	struct g2_affine q;
	limb_t k[FR_LIMBS] = { 0 }, unit[FR_LIMBS] = { 1 };
	unsigned int i;

	/* 0, 1, ..., 35: every digit, and a carry into the next window. */
	for (i = 0; i < 36; i++) {
		check_mul(&g1_generator, &g2_generator, k);
		limbs_add(k, k, unit, FR_LIMBS);
	}
	/* r - 3 ... r: near the order the formulas meet equal points. */
	memcpy(k, fr_r, sizeof(k));
	for (i = 0; i < 4; i++) {
		check_mul(&g1_generator, &g2_generator, k);
		limbs_sub(k, k, unit, FR_LIMBS);
	}
	for (i = 0; i < 8; i++) {
		random_scalar(k);
		random_g1(&p);
		random_g2(&q);
		check_mul(&p, &q, k);
		random_curve_point_g1(&p);
		random_curve_point_g2(&q);
		check_mul(&p, &q, k);
	}
	memset(&p, 0, sizeof(p));
	memset(&q, 0, sizeof(q));
	check_mul(&p, &q, k);
}

/* The result is a valid XYZZ point: zz^3 = zzz^2. */
TEST(secret_multiple_is_xyzz)
{
	struct g1_xyzz p;
	struct fp a, b;
	limb_t k[FR_LIMBS];

	random_scalar(k);
	g1_mul(&p, &g1_generator, k);
	fp_sqr(&a, &p.zz);
	fp_mul(&a, &a, &p.zz);
	fp_sqr(&b, &p.zzz);
	EXPECT_TRUE(fp_equal(&a, &b));
	memset(k, 0, sizeof(k));
	g1_mul(&p, &g1_generator, k);
	EXPECT_TRUE(g1_xyzz_is_inf(&p));
}

TEST_MAIN
