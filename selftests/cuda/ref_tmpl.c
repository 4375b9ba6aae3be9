// SPDX-License-Identifier: Apache-2.0
/*
 * ref_tmpl.c - ref.h's table for one curve, from the C library
 */
#include "cuda/ref.h"

#include "curve/field_random.h"
#include "msm/msm.h"

#define REF LULL_PASTE2(cuda_ref_, LULL_CURVE)

static void ref_fr_mul(void *r, const void *a, const void *b)
{
	fr_mul(r, a, b);
}

static void ref_fr_sqr(void *r, const void *a, const void *b)
{
	(void)b;
	fr_sqr(r, a);
}

static void ref_fr_add(void *r, const void *a, const void *b)
{
	fr_add(r, a, b);
}

static void ref_fr_sub(void *r, const void *a, const void *b)
{
	fr_sub(r, a, b);
}

static void ref_fr_neg(void *r, const void *a, const void *b)
{
	(void)b;
	fr_neg(r, a);
}

static void ref_fr_inv(void *r, const void *a, const void *b)
{
	(void)b;
	fr_inv(r, a);
}

static void ref_fr_from_plain(void *r, const void *a, const void *b)
{
	(void)b;
	fr_from_plain(r, a);
}

static void ref_fr_to_plain(void *r, const void *a, const void *b)
{
	(void)b;
	fr_to_plain(r, a);
}

static void ref_fr_random(void *r)
{
	random_fr(r);
}

static void ref_fp_mul(void *r, const void *a, const void *b)
{
	fp_mul(r, a, b);
}

static void ref_fp_sqr(void *r, const void *a, const void *b)
{
	(void)b;
	fp_sqr(r, a);
}

static void ref_fp_add(void *r, const void *a, const void *b)
{
	fp_add(r, a, b);
}

static void ref_fp_sub(void *r, const void *a, const void *b)
{
	fp_sub(r, a, b);
}

static void ref_fp_neg(void *r, const void *a, const void *b)
{
	(void)b;
	fp_neg(r, a);
}

static void ref_fp_inv(void *r, const void *a, const void *b)
{
	(void)b;
	fp_inv(r, a);
}

static void ref_fp_from_plain(void *r, const void *a, const void *b)
{
	(void)b;
	fp_from_plain(r, a);
}

static void ref_fp_to_plain(void *r, const void *a, const void *b)
{
	(void)b;
	fp_to_plain(r, a);
}

static void ref_fp_random(void *r)
{
	random_fp(r);
}

static void ref_fp2_mul(void *r, const void *a, const void *b)
{
	fp2_mul(r, a, b);
}

static void ref_fp2_sqr(void *r, const void *a, const void *b)
{
	(void)b;
	fp2_sqr(r, a);
}

static void ref_fp2_add(void *r, const void *a, const void *b)
{
	fp2_add(r, a, b);
}

static void ref_fp2_sub(void *r, const void *a, const void *b)
{
	fp2_sub(r, a, b);
}

static void ref_fp2_neg(void *r, const void *a, const void *b)
{
	(void)b;
	fp2_neg(r, a);
}

static void ref_fp2_inv(void *r, const void *a, const void *b)
{
	(void)b;
	fp2_inv(r, a);
}

static void ref_fp2_random(void *r)
{
	random_coordinates(r, 2);
}

static void ref_g1_add(void *r, const void *a, const void *b)
{
	struct g1_xyzz p;

	g1_xyzz_from_affine(&p, a);
	g1_xyzz_add_affine(&p, &p, b);
	g1_xyzz_to_affine(r, &p);
}

static void ref_g1_dbl(void *r, const void *a, const void *b)
{
	struct g1_xyzz p;

	(void)b;
	g1_xyzz_from_affine(&p, a);
	g1_xyzz_dbl(&p, &p);
	g1_xyzz_to_affine(r, &p);
}

static void ref_g1_mul(void *r, const void *p, const void *k)
{
	struct g1_xyzz t;

	g1_mul_var(&t, p, k, FR_LIMBS);
	g1_xyzz_to_affine(r, &t);
}

static void ref_g1_generator(void *r)
{
	memcpy(r, &g1_generator, sizeof(g1_generator));
}

static void ref_g1_random(void *r)
{
	random_g1(r);
}

static void ref_g2_add(void *r, const void *a, const void *b)
{
	struct g2_xyzz p;

	g2_xyzz_from_affine(&p, a);
	g2_xyzz_add_affine(&p, &p, b);
	g2_xyzz_to_affine(r, &p);
}

static void ref_g2_dbl(void *r, const void *a, const void *b)
{
	struct g2_xyzz p;

	(void)b;
	g2_xyzz_from_affine(&p, a);
	g2_xyzz_dbl(&p, &p);
	g2_xyzz_to_affine(r, &p);
}

static void ref_g2_mul(void *r, const void *p, const void *k)
{
	struct g2_xyzz t;

	g2_mul_var(&t, p, k, FR_LIMBS);
	g2_xyzz_to_affine(r, &t);
}

static void ref_g2_generator(void *r)
{
	memcpy(r, &g2_generator, sizeof(g2_generator));
}

static void ref_g2_random(void *r)
{
	random_g2(r);
}

static struct lull_workers *workers(void)
{
	static struct lull_workers *pool;

	if (!pool && lull_workers_create(0, &pool, NULL)) {
		fprintf(stderr, "no threads for the reference\n");
		exit(1);
	}
	return pool;
}

static void *scratch(size_t bytes)
{
	void *p = aligned_alloc(64, lull_align_up(bytes, 64));

	if (!p) {
		fprintf(stderr, "no memory for the reference\n");
		exit(1);
	}
	return p;
}

static void ref_g1_msm(void *r, const void *points, const void *scalars,
		       size_t nr)
{
	struct lull_workers *pool = workers();
	void *p = scratch(g1_msm_scratch_bytes(nr, lull_workers_nr(pool)));
	struct g1_xyzz sum;

	g1_msm_var(&sum, points, scalars, nr, pool, p);
	g1_xyzz_to_affine(r, &sum);
	free(p);
}

static void ref_g2_msm(void *r, const void *points, const void *scalars,
		       size_t nr)
{
	struct lull_workers *pool = workers();
	void *p = scratch(g2_msm_scratch_bytes(nr, lull_workers_nr(pool)));
	struct g2_xyzz sum;

	g2_msm_var(&sum, points, scalars, nr, pool, p);
	g2_xyzz_to_affine(r, &sum);
	free(p);
}

static void ref_random_scalar(void *k)
{
	random_scalar(k);
}

static void ref_minus_one(void *k)
{
	memcpy(k, fr_r, sizeof(fr_r));
	*(uint64_t *)k -= 1;
}

static void ref_edge(void *k, unsigned int i)
{
	uint64_t *l = k;
	size_t j;

	memset(l, 0, sizeof(fr_r));
	for (j = 0; j < FR_LIMBS && i < 2; j++)
		l[j] = fr_r[j] >> 1 |
		       (j + 1 < FR_LIMBS ? fr_r[j + 1] << 63 : 0);
	/* No half ends with a limb of ones. */
	l[0] += i % 2;
	if (i == 2)
		ref_minus_one(k);
}

static void ref_fold(void *k)
{
	uint64_t other[FR_LIMBS], *l = k;

	limbs_sub(other, fr_r, l, FR_LIMBS);
	if (limbs_less(other, l, FR_LIMBS))
		memcpy(l, other, sizeof(other));
}

const struct cuda_ref REF = {
	.fr = { ref_fr_mul, ref_fr_sqr, ref_fr_add, ref_fr_sub, ref_fr_neg,
		ref_fr_inv, ref_fr_from_plain, ref_fr_to_plain, ref_fr_random },
	.fp = { ref_fp_mul, ref_fp_sqr, ref_fp_add, ref_fp_sub, ref_fp_neg,
		ref_fp_inv, ref_fp_from_plain, ref_fp_to_plain, ref_fp_random },
	.fp2 = { ref_fp2_mul, ref_fp2_sqr, ref_fp2_add, ref_fp2_sub,
		 ref_fp2_neg, ref_fp2_inv, NULL, NULL, ref_fp2_random },
	.g1 = { sizeof(struct g1_affine), ref_g1_add, ref_g1_dbl, ref_g1_mul,
		ref_g1_generator, ref_g1_random, ref_g1_msm },
	.g2 = { sizeof(struct g2_affine), ref_g2_add, ref_g2_dbl, ref_g2_mul,
		ref_g2_generator, ref_g2_random, ref_g2_msm },
	.random_scalar = ref_random_scalar,
	.minus_one = ref_minus_one,
	.edge = ref_edge,
	.fold = ref_fold,
};

#if LULL_CURVE_ID == 1
uint64_t cuda_ref_random(void)
{
	return test_random();
}
#endif
