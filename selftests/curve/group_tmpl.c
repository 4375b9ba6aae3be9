// SPDX-License-Identifier: Apache-2.0
/*
 * group_tmpl.c - the group law of both groups: every pair of tiny groups, sums
 * with every scalar, and random points
 *
 * The formulas use neither b nor the order, so what runs on the tiny groups of
 * y^2 = x^3 + b' is the shipped code.
 */
#include "curve/gen/tiny.h"
#include "lull.h"
#include "msm/msm.h"
#include "field_random.h"

/* What gen-curves.py was asked for at most. */
#define TINY_ORDER_MAX 73
/* As msm.h wants it. */
#define SCRATCH_ALIGN 64

/* A sum over a tiny group: multiples of its generator times plain scalars. */
struct sum_terms {
	size_t nr;
	unsigned int multiples[TINY_ORDER_MAX * TINY_ORDER_MAX];
	limb_t scalars[TINY_ORDER_MAX * TINY_ORDER_MAX][FR_LIMBS];
};

static void sum_terms_append(struct sum_terms *terms, unsigned int multiple,
			     limb_t scalar)
{
	memset(terms->scalars[terms->nr], 0, sizeof(terms->scalars[0]));
	terms->scalars[terms->nr][0] = scalar;
	terms->multiples[terms->nr++] = multiple;
}

static unsigned int scalar_mod(const limb_t *k, unsigned int order)
{
	limb2_t rest = 0;
	unsigned int i = FR_LIMBS;

	while (i--)
		rest = (rest << LIMB_BITS | k[i]) % order;
	return (unsigned int)rest;
}

#define GROUP g1
#define FIELD fp
#include "group_laws.h"
#define GROUP g2
#define FIELD fp2
#include "group_laws.h"

static const struct tiny_g1 tiny1[] = CURVE_CONST(TINY_G1);
static const struct tiny_g2 tiny2[] = CURVE_CONST(TINY_G2);

TEST(tiny_groups_g1)
{
	check_tiny_g1(tiny1, LULL_ARRAY_SIZE(tiny1));
}

TEST(tiny_groups_g2)
{
	check_tiny_g2(tiny2, LULL_ARRAY_SIZE(tiny2));
}

TEST(tiny_sums)
{
	struct lull_workers *workers;

	ASSERT_EQ(LULL_OK, lull_workers_create(2, &workers, NULL));
	check_tiny_msm_g1(tiny1, LULL_ARRAY_SIZE(tiny1), workers);
	check_tiny_msm_g2(tiny2, LULL_ARRAY_SIZE(tiny2), workers);
	lull_workers_destroy(workers);
}

TEST(associative)
{
	check_random_g1();
	check_random_g2();
}

TEST(refusals)
{
	check_refusals_g1();
	check_refusals_g2();
}

TEST(generators_have_order_r)
{
	struct g1_xyzz p;
	struct g2_xyzz q;

	EXPECT_EQ(LULL_POINT_OK, g1_affine_check(&g1_generator));
	EXPECT_EQ(LULL_POINT_OK, g2_affine_check(&g2_generator));
	g1_mul_var(&p, &g1_generator, fr_r, FR_LIMBS);
	EXPECT_TRUE(g1_xyzz_is_inf(&p));
	g2_mul_var(&q, &g2_generator, fr_r, FR_LIMBS);
	EXPECT_TRUE(g2_xyzz_is_inf(&q));
}

/* A point of order 2 is on no curve of ours, but a formula must not care. */
TEST(doubling_where_y_is_zero)
{
	struct g1_xyzz p = { fp_one, fp_zero, fp_one, fp_one };
	struct g2_xyzz q = { fp2_one, fp2_zero, fp2_one, fp2_one };

	g1_xyzz_dbl(&p, &p);
	EXPECT_TRUE(g1_xyzz_is_inf(&p));
	g2_xyzz_dbl(&q, &q);
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
		limbs_mod_add(sum, k, l, fr_r, FR_LIMBS);
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
