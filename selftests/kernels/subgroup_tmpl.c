// SPDX-License-Identifier: Apache-2.0
/*
 * subgroup_tmpl.c - subgroup tests of eight points find what single ones find
 *
 * Eights with one point, or several, that is elsewhere: on the curve at random,
 * of an order that divides the cofactor, small ones among them, and sums of
 * such with points inside.  Where the formulas for eight do not hold the twin
 * has to be asked, and so every verdict is the twin's.
 */
#include "base/cpu.h"
#include "curve/field_random.h"
#include "curve/pairing.h"
#include "prove/groth16_tmpl.h"
#include "prove/points.h"

#define NR 19 /* two eights and a rest */
#define LANES 8
#define ROUNDS 12

static struct g1_affine p1[NR];
static struct g2_affine p2[NR];

/* Points inside, every fifth at infinity. */
static void fill(void)
{
	size_t i;

	for (i = 0; i < NR; i++) {
		random_g1(&p1[i]);
		random_g2(&p2[i]);
		if (i % 5 == 0) {
			memset(&p1[i], 0, sizeof(p1[i]));
			memset(&p2[i], 0, sizeof(p2[i]));
		}
	}
}

/* Of the cofactor's part of the curve; inside where there is none. */
static void outside_g1(struct g1_affine *p)
{
	struct g1_xyzz t;

	random_curve_point_g1(p);
	g1_mul_var(&t, p, fr_r, FR_LIMBS);
	if (g1_xyzz_is_inf(&t))
		return;
	g1_xyzz_to_affine(p, &t);
}

/* The same times @k. */
static void outside_g2(struct g2_affine *p, uint64_t k)
{
	const limb_t factor[1] = { k };
	struct g2_xyzz t;

	random_curve_point_g2(p);
	g2_mul_var(&t, p, fr_r, FR_LIMBS);
	g2_xyzz_to_affine(p, &t);
	g2_mul_var(&t, p, factor, 1);
	g2_xyzz_to_affine(p, &t);
}

/* The first point that the single tests refuse, or NR. */
static size_t first_g1(void)
{
	size_t i;

	for (i = 0; i < NR && g1_in_subgroup(&p1[i]); i++)
		;
	return i;
}

static size_t first_g2(void)
{
	size_t i;

	for (i = 0; i < NR && g2_in_subgroup(&p2[i]); i++)
		;
	return i;
}

static void expect(const struct lull_points_report *report, size_t first)
{
	EXPECT_EQ(first < NR ? LULL_POINTS_SUBGROUP : LULL_POINTS_OK,
		  report->fault);
	if (first < NR)
		EXPECT_EQ(first, report->index);
	/* Those before the fault, each once. */
	EXPECT_EQ((first + 4) / 5, report->nr_inf);
}

static void check_both(void)
{
	struct lull_points_report report;

	g1_points_check((const uint8_t *)p1, 0, NR, true, &report);
	expect(&report, first_g1());
	g2_points_check((const uint8_t *)p2, 0, NR, true, &report);
	expect(&report, first_g2());
}

TEST(points_inside_pass_in_eights)
{
	if (!lull_cpu_has_ifma())
		SKIP("this processor has no AVX-512 IFMA");
	fill();
	EXPECT_EQ(NR, first_g1());
	EXPECT_EQ(NR, first_g2());
	/* None of them is for the twin. */
	EXPECT_EQ(NR / LANES * LANES,
		  g1_subgroup_scan_ifma((const uint8_t *)p1, 0, NR));
	EXPECT_EQ(NR / LANES * LANES,
		  g2_subgroup_scan_ifma((const uint8_t *)p2, 0, NR));
	check_both();
}

TEST(multiples_of_the_generator)
{
	struct g1_xyzz a;
	struct g2_xyzz b;
	size_t i;

	for (i = 0; i < NR; i++) {
		limb_t k[FR_LIMBS] = { i % 5 ? i : 0 };

		g1_mul_var(&a, &g1_generator, k, FR_LIMBS);
		g1_xyzz_to_affine(&p1[i], &a);
		g2_mul_var(&b, &g2_generator, k, FR_LIMBS);
		g2_xyzz_to_affine(&p2[i], &b);
	}
	check_both();
}

TEST(anywhere_on_the_curve)
{
	size_t i;

	for (i = 0; i < NR; i++) {
		if (i % 5 == 0)
			continue;
		fill();
		random_curve_point_g1(&p1[i]);
		random_curve_point_g2(&p2[i]);
		EXPECT_EQ(i, first_g2());
		check_both();
	}
}

TEST(of_an_order_that_divides_the_cofactor)
{
	size_t i, round;

	for (round = 0; round < ROUNDS; round++) {
		i = 1 + round * 7 % (NR - 1);
		i += i % 5 == 0;
		fill();
		outside_g1(&p1[i]);
		outside_g2(&p2[i], 1 + round);
		check_both();
	}
}

TEST(several_at_once)
{
	size_t i;

	fill();
	for (i = NR - 1; i; i--) {
		if (i % 5 == 0)
			continue;
		random_curve_point_g1(&p1[i]);
		outside_g2(&p2[i], i);
		check_both();
	}
}

/* A fault of another kind stands behind the first one, or before it. */
TEST(the_first_fault_is_told)
{
	struct lull_points_report report;

	fill();
	random_curve_point_g2(&p2[3]);
	fp_add(&p2[12].y.c1, &p2[12].y.c1, &fp_one);
	g2_points_check((const uint8_t *)p2, 0, NR, true, &report);
	EXPECT_EQ(LULL_POINTS_SUBGROUP, report.fault);
	EXPECT_EQ(3, report.index);
	fp_add(&p2[2].y.c1, &p2[2].y.c1, &fp_one);
	g2_points_check((const uint8_t *)p2, 0, NR, true, &report);
	EXPECT_EQ(LULL_POINTS_CURVE, report.fault);
	EXPECT_EQ(2, report.index);
}

#if LULL_CURVE_ID == LULL_ID_bls12_381
/* (0, 2) has order 3 and (0, -2) is its double: additions of equal and of
 * opposite points, in every lane. */
TEST(order_three)
{
	size_t i;

	for (i = 1; i < NR; i++) {
		if (i % 5 == 0)
			continue;
		fill();
		p1[i].x = fp_zero;
		fp_from_u64(&p1[i].y, 2);
		if (i % 2)
			fp_neg(&p1[i].y, &p1[i].y);
		EXPECT_EQ(LULL_POINT_OK, g1_affine_check(&p1[i]));
		EXPECT_EQ(i, first_g1());
		check_both();
	}
}
#endif

TEST_MAIN
