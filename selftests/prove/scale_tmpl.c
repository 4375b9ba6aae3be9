// SPDX-License-Identifier: Apache-2.0
/*
 * scale_tmpl.c - multiples of many points against one multiple after another
 *
 * Both twins of the additions, where this processor can run both.
 */
#include "prove/scale.h"

#include "base/cpu.h"

#include "harness.h"
#include "random_fr.h"
#include "test_arena.h"

#define POINTS 40

static struct g1_affine points[POINTS];
static struct g1_scale *scale;
static struct lull_vec scale_vec;

static void multiple(struct g1_affine *r, const struct g1_affine *p,
		     const struct fr *k)
{
	limb_t plain[FR_LIMBS];
	struct g1_xyzz sum;

	fr_to_plain(plain, k);
	g1_mul_var(&sum, p, plain, FR_LIMBS);
	g1_xyzz_to_affine(r, &sum);
}

/* Multiples of the generator; one is infinity, one the negative of another. */
static void set_up(bool portable)
{
	struct fr k;
	unsigned int i;

	scale_vec = test_vec(g1_scale_bytes());
	scale = scale_vec.ptr;
	g1_scale_init(scale);
	if (portable)
		scale->ops = &g1_pairs_portable;
	for (i = 0; i < POINTS; i++) {
		random_fr(&k);
		multiple(&points[i], &g1_generator, &k);
	}
	memset(&points[3], 0, sizeof(points[3]));
	g1_affine_neg(&points[5], &points[4]);
}

static void tear_down(void)
{
	lull_arena_retire(&scale_vec);
}

/* Full scalars, short ones, and the ends: 0, 1, r - 1, powers of two. */
static void pick_scalar(struct fr *k, unsigned int i)
{
	limb_t plain[FR_LIMBS] = { 0 };

	random_fr(k);
	switch (i % 8) {
	case 0:
		*k = fr_zero;
		break;
	case 1:
		*k = fr_one;
		break;
	case 2:
		fr_neg(k, &fr_one);
		break;
	case 3:
		fr_from_u64(k, i);
		break;
	case 4:
		plain[i % FR_LIMBS] = (limb_t)1 << (i % 29);
		fr_from_plain(k, plain);
		break;
	}
}

static void check_batch(size_t nr)
{
	static struct fr scalars[SCALE_BATCH];
	static struct g1_affine sums[SCALE_BATCH], want;
	static uint32_t at[SCALE_BATCH], other[SCALE_BATCH];
	struct g1_xyzz acc;
	struct g1_affine t;
	unsigned int minus;
	size_t i;

	for (i = 0; i < nr; i++) {
		at[i] = test_random() % POINTS;
		other[i] = test_random() % POINTS;
		pick_scalar(&scalars[i], (unsigned int)i);
	}
	g1_scale_var(scale, points, at, scalars, nr);
	for (i = 0; i < nr; i++) {
		multiple(&want, &points[at[i]], &scalars[i]);
		EXPECT_MEMEQ(&want, &scale->out[i], sizeof(want));
	}
	/* Sums with the same point, its negative and infinity, too. */
	for (i = 0; i < nr; i += 5)
		scale->out[i] = points[i % POINTS];
	for (i = 1; i < nr; i += 7) {
		scale->out[i] = points[4];
		other[i] = 5;
	}
	for (i = 0; i < nr; i += 10)
		other[i] = i % POINTS;
	for (minus = 0; minus < 2; minus++) {
		g1_scale_add_var(scale, points, other, minus, sums, nr);
		for (i = 0; i < nr; i++) {
			t = scale->out[i];
			if (minus)
				g1_affine_neg(&t, &t);
			g1_xyzz_from_affine(&acc, &points[other[i]]);
			g1_xyzz_add_affine(&acc, &acc, &t);
			g1_xyzz_to_affine(&want, &acc);
			EXPECT_MEMEQ(&want, &sums[i], sizeof(want));
		}
	}
}

TEST(batches_of_every_kind)
{
	static const size_t sizes[] = { 1, 2, 7, 8, 9, 31, 100, 300 };
	unsigned int twin, i;

	for (twin = 0; twin < (lull_cpu_has_ifma() ? 2u : 1u); twin++) {
		set_up(!twin);
		for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++)
			check_batch(sizes[i]);
		tear_down();
	}
}

TEST(a_full_batch)
{
	set_up(false);
	check_batch(SCALE_BATCH);
	tear_down();
}

TEST(nothing_but_infinity)
{
	static const uint32_t at[4] = { 3, 3, 3, 3 };
	struct fr scalars[4];
	struct g1_affine zero = { 0 };
	unsigned int i;

	set_up(false);
	for (i = 0; i < 4; i++)
		random_fr(&scalars[i]);
	g1_scale_var(scale, points, at, scalars, 4);
	for (i = 0; i < 4; i++)
		EXPECT_MEMEQ(&zero, &scale->out[i], sizeof(zero));
	tear_down();
}

TEST_MAIN
