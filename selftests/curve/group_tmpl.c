// SPDX-License-Identifier: Apache-2.0
/*
 * group_tmpl.c - the group law of both groups on random points
 */
#include "curve/group.h"
#include "harness.h"

static const limb_t order[FR_LIMBS] = CURVE_CONST(FR_P);

static void random_scalar(limb_t *k)
{
	unsigned int i;

	for (i = 0; i < FR_LIMBS; i++)
		k[i] = test_random();
	k[FR_LIMBS - 1] >>= 4;
}

TEST(generators_have_order_r)
{
	struct g1_xyzz p;
	struct g2_xyzz q;

	EXPECT_EQ(LULL_POINT_OK, g1_affine_check(&g1_generator));
	EXPECT_EQ(LULL_POINT_OK, g2_affine_check(&g2_generator));
	g1_mul_var(&p, &g1_generator, order, FR_LIMBS);
	EXPECT_TRUE(g1_xyzz_is_inf(&p));
	g2_mul_var(&q, &g2_generator, order, FR_LIMBS);
	EXPECT_TRUE(g2_xyzz_is_inf(&q));
}

TEST(multiples_distribute)
{
	limb_t k[FR_LIMBS], l[FR_LIMBS], sum[FR_LIMBS];
	struct g1_xyzz p, q, r;
	struct g2_xyzz p2, q2, r2;
	int i;

	for (i = 0; i < 8; i++) {
		random_scalar(k);
		random_scalar(l);
		limbs_add(sum, k, l, FR_LIMBS);
		g1_mul_var(&p, &g1_generator, k, FR_LIMBS);
		g1_mul_var(&q, &g1_generator, l, FR_LIMBS);
		g1_mul_var(&r, &g1_generator, sum, FR_LIMBS);
		g1_xyzz_add(&p, &p, &q);
		EXPECT_TRUE(g1_xyzz_equal(&p, &r));
		g2_mul_var(&p2, &g2_generator, k, FR_LIMBS);
		g2_mul_var(&q2, &g2_generator, l, FR_LIMBS);
		g2_mul_var(&r2, &g2_generator, sum, FR_LIMBS);
		g2_xyzz_add(&p2, &p2, &q2);
		EXPECT_TRUE(g2_xyzz_equal(&p2, &r2));
	}
}

TEST_MAIN
