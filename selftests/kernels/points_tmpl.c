// SPDX-License-Identifier: Apache-2.0
/*
 * points_tmpl.c - point checks in eights find what single checks find
 */
#include "base/cpu.h"
#include "harness.h"
#include "prove/groth16_tmpl.h"
#include "prove/points.h"

#define NR 21 /* two eights and a rest */

static struct g1_affine p1[NR];
static struct g2_affine p2[NR];

/* Small multiples of the generators, every fifth at infinity. */
static void fill(void)
{
	struct g1_xyzz a;
	struct g2_xyzz b;
	size_t i;

	for (i = 0; i < NR; i++) {
		limb_t k[FR_LIMBS] = { i % 5 ? i + 1 : 0 };

		g1_mul_var(&a, &g1_generator, k, FR_LIMBS);
		g1_xyzz_to_affine(&p1[i], &a);
		g2_mul_var(&b, &g2_generator, k, FR_LIMBS);
		g2_xyzz_to_affine(&p2[i], &b);
	}
}

static void expect(const struct lull_points_report *report, size_t index,
		   enum lull_points_fault fault)
{
	EXPECT_EQ(fault, report->fault);
	if (fault != LULL_POINTS_OK)
		EXPECT_EQ(index, report->index);
	EXPECT_EQ((index + 4) / 5, report->nr_inf);
}

static void check_both(size_t index, enum lull_points_fault fault)
{
	struct lull_points_report report;

	g1_points_check((const uint8_t *)p1, 0, NR, false, &report);
	expect(&report, index, fault);
	g2_points_check((const uint8_t *)p2, 0, NR, false, &report);
	expect(&report, index, fault);
}

TEST(sound_points_pass)
{
	fill();
	check_both(NR, LULL_POINTS_OK);
}

TEST(a_point_off_its_curve_is_found_anywhere)
{
	size_t i;

	for (i = 0; i < NR; i++) {
		fill();
		fp_add(&p1[i].y, &p1[i].y, &fp_one);
		fp_add(&p2[i].y.c1, &p2[i].y.c1, &fp_one);
		check_both(i, LULL_POINTS_CURVE);
		fill();
		fp_add(&p1[i].x, &p1[i].x, &fp_one);
		fp_add(&p2[i].y.c0, &p2[i].y.c0, &fp_one);
		check_both(i, LULL_POINTS_CURVE);
		fill();
		fp_add(&p1[i].x, &p1[i].x, &fp_one);
		fp_add(&p2[i].x.c1, &p2[i].x.c1, &fp_one);
		check_both(i, LULL_POINTS_CURVE);
	}
}

/* x + p is the same residue, and still refused. */
TEST(a_coordinate_of_q_or_more_is_found_anywhere)
{
	size_t i;

	for (i = 0; i < NR; i++) {
		fill();
		limbs_add(p1[i].x.l, p1[i].x.l, fp_p, FP_LIMBS);
		limbs_add(p2[i].x.c0.l, p2[i].x.c0.l, fp_p, FP_LIMBS);
		check_both(i, LULL_POINTS_COORDINATE);
		fill();
		memset(p1[i].y.l, 0xff, sizeof(p1[i].y.l));
		memset(p2[i].y.c1.l, 0xff, sizeof(p2[i].y.c1.l));
		check_both(i, LULL_POINTS_COORDINATE);
	}
}

TEST(the_scan_stops_at_the_faulty_eight)
{
	size_t nr_inf = 0;

	if (!lull_cpu_has_ifma())
		SKIP("this processor has no AVX-512 IFMA");
	fill();
	EXPECT_EQ(16, g1_points_scan_ifma((const uint8_t *)p1, 0, NR, &nr_inf));
	EXPECT_EQ(4, nr_inf);
	fp_add(&p2[9].x.c0, &p2[9].x.c0, &fp_one);
	nr_inf = 0;
	EXPECT_EQ(8, g2_points_scan_ifma((const uint8_t *)p2, 0, NR, &nr_inf));
	EXPECT_EQ(2, nr_inf);
}

TEST(odd_addresses)
{
	static uint8_t bytes[sizeof(p2) + 8];
	struct lull_points_report report;
	size_t shift;

	fill();
	for (shift = 1; shift < 8; shift++) {
		memcpy(bytes + shift, p2, sizeof(p2));
		g2_points_check(bytes + shift, 0, NR, false, &report);
		EXPECT_EQ(LULL_POINTS_OK, report.fault);
		memcpy(bytes + shift, p1, sizeof(p1));
		g1_points_check(bytes + shift, 3, NR, false, &report);
		EXPECT_EQ(LULL_POINTS_OK, report.fault);
		EXPECT_EQ(4, report.nr_inf);
	}
}

TEST_MAIN
