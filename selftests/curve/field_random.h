/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field_random.h - elements, scalars and points for the tests of a curve
 *
 * Half of the values are edges: 0, 1, 2, -1, -2 and Montgomery residues whose
 * limbs are all but zero or all but the modulus.
 */
#ifndef LULL_SELFTESTS_FIELD_RANDOM_H
#define LULL_SELFTESTS_FIELD_RANDOM_H

#include "curve/group.h"
#include "harness.h"

/* Uniform below @modulus, of n limbs and @bits bits. */
static inline void random_below(limb_t *r, const limb_t *modulus,
				unsigned int n, unsigned int bits)
{
	unsigned int i;

	do {
		for (i = 0; i < n; i++)
			r[i] = test_random();
		r[n - 1] >>= n * LIMB_BITS - bits;
	} while (!limbs_less(r, modulus, n));
}

/* One of a dozen edges of the field, as raw limbs; @one is its 1. */
static inline void edge_below(limb_t *r, const limb_t *modulus,
			      const limb_t *one, unsigned int n)
{
	const limb_t zero[LIMBS_MAX] = { 0 }, unit[LIMBS_MAX] = { 1 };
	unsigned int i, kind = test_random() % 8;

	memset(r, 0, n * sizeof(*r));
	if (kind & 1)
		limbs_mod_add(r, r, one, modulus, n);
	if (kind & 2)
		limbs_mod_add(r, r, kind & 1 ? one : unit, modulus, n);
	if (kind & 4)
		limbs_mod_sub(r, zero, r, modulus, n);
	/* Long carries: all limbs full below the top one. */
	if (kind == 4)
		for (i = 0; i + 1 < n; i++)
			r[i] = ~(limb_t)0;
}

static inline void random_fp(struct fp *r)
{
	if (test_random() & 1)
		edge_below(r->l, fp_p, fp_one.l, FP_LIMBS);
	else
		random_below(r->l, fp_p, FP_LIMBS, FP_BITS);
}

static inline void random_fr(struct fr *r)
{
	if (test_random() & 1)
		edge_below(r->l, fr_r, fr_one.l, FR_LIMBS);
	else
		random_below(r->l, fr_r, FR_LIMBS, FR_BITS);
}

/* nr coordinates, which is how an element of the tower lies in memory. */
static inline void random_coordinates(void *element, size_t nr)
{
	struct fp c;
	size_t i;

	for (i = 0; i < nr; i++) {
		random_fp(&c);
		memcpy((unsigned char *)element + i * sizeof(c), &c, sizeof(c));
	}
}

/* A plain scalar below r. */
static inline void random_scalar(limb_t *k)
{
	random_below(k, fr_r, FR_LIMBS, FR_BITS);
}

static inline void random_g1(struct g1_affine *r)
{
	struct g1_xyzz p;
	limb_t k[FR_LIMBS];

	random_scalar(k);
	g1_mul_var(&p, &g1_generator, k, FR_LIMBS);
	g1_xyzz_to_affine(r, &p);
}

static inline void random_g2(struct g2_affine *r)
{
	struct g2_xyzz p;
	limb_t k[FR_LIMBS];

	random_scalar(k);
	g2_mul_var(&p, &g2_generator, k, FR_LIMBS);
	g2_xyzz_to_affine(r, &p);
}

/* Points of the curve and of the twist, hardly ever in the subgroup. */
static inline void random_curve_point_g1(struct g1_affine *r)
{
	static const struct fp b = { CURVE_CONST(G1_B) };
	struct fp t;

	do {
		random_below(r->x.l, fp_p, FP_LIMBS, FP_BITS);
		fp_sqr(&t, &r->x);
		fp_mul(&t, &t, &r->x);
		fp_add(&t, &t, &b);
	} while (!fp_sqrt(&r->y, &t));
}

static inline void random_curve_point_g2(struct g2_affine *r)
{
	static const struct fp2 b = CURVE_CONST(G2_B);
	struct fp2 t;

	do {
		random_below(r->x.c0.l, fp_p, FP_LIMBS, FP_BITS);
		random_below(r->x.c1.l, fp_p, FP_LIMBS, FP_BITS);
		fp2_sqr(&t, &r->x);
		fp2_mul(&t, &t, &r->x);
		fp2_add(&t, &t, &b);
	} while (!fp2_sqrt(&r->y, &t));
}

#endif
