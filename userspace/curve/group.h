/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.h - points of G1 and G2 of the bound curve, y^2 = x^3 + b
 *
 * For templates only.  Affine points lie in memory as they lie in a .zkey
 * (Montgomery coordinates, x then y, infinity all zero), so a mapped key is
 * used in place; read one from an address of any alignment with memcpy.
 * XYZZ: x = X / ZZ, y = Y / ZZZ, ZZ^3 = ZZZ^2; ZZ = 0 is infinity.  The
 * formulas use a = 0 and no b, so that tests can run them over every pair of a
 * tiny group on another curve y^2 = x^3 + b'.  All are complete: every pair of
 * inputs is allowed, equal, opposite or infinite.  Outputs may alias inputs.
 *
 * A _gtmpl.c says gfe, g_affine, g_xyzz_add; others say g1_xyzz_add.
 */
#ifndef LULL_CURVE_GROUP_H
#define LULL_CURVE_GROUP_H

#include "curve/fp.h"
#include "curve/fp2.h"
#include "curve/fr.h"

struct g1_affine {
	struct fp x, y;
};

struct g2_affine {
	struct fp2 x, y;
};

struct g1_xyzz {
	struct fp x, y, zz, zzz;
};

struct g2_xyzz {
	struct fp2 x, y, zz, zzz;
};

/* What stands in a file is what stands in memory. */
_Static_assert(sizeof(struct g1_affine) == 2 * FP_LIMBS * sizeof(limb_t),
	       "G1 point as in a .zkey");
_Static_assert(sizeof(struct g2_affine) == 4 * FP_LIMBS * sizeof(limb_t),
	       "G2 point as in a .zkey");

#define g1_generator LULL_CURVE_NAME(g1_generator)
#define g2_generator LULL_CURVE_NAME(g2_generator)
#define g1_affine_check LULL_CURVE_NAME(g1_affine_check)
#define g2_affine_check LULL_CURVE_NAME(g2_affine_check)
#define g1_affine_neg LULL_CURVE_NAME(g1_affine_neg)
#define g2_affine_neg LULL_CURVE_NAME(g2_affine_neg)
#define g1_xyzz_from_affine LULL_CURVE_NAME(g1_xyzz_from_affine)
#define g2_xyzz_from_affine LULL_CURVE_NAME(g2_xyzz_from_affine)
#define g1_xyzz_to_affine LULL_CURVE_NAME(g1_xyzz_to_affine)
#define g2_xyzz_to_affine LULL_CURVE_NAME(g2_xyzz_to_affine)
#define g1_xyzz_dbl LULL_CURVE_NAME(g1_xyzz_dbl)
#define g2_xyzz_dbl LULL_CURVE_NAME(g2_xyzz_dbl)
#define g1_xyzz_add LULL_CURVE_NAME(g1_xyzz_add)
#define g2_xyzz_add LULL_CURVE_NAME(g2_xyzz_add)
#define g1_xyzz_add_affine LULL_CURVE_NAME(g1_xyzz_add_affine)
#define g2_xyzz_add_affine LULL_CURVE_NAME(g2_xyzz_add_affine)
#define g1_xyzz_equal LULL_CURVE_NAME(g1_xyzz_equal)
#define g2_xyzz_equal LULL_CURVE_NAME(g2_xyzz_equal)
#define g1_mul_var LULL_CURVE_NAME(g1_mul_var)
#define g2_mul_var LULL_CURVE_NAME(g2_mul_var)
#define g1_generated_var LULL_CURVE_NAME(g1_generated_var)
#define g2_generated_var LULL_CURVE_NAME(g2_generated_var)

/* The generator by convention, an affine point. */
extern const struct g1_affine g1_generator;
extern const struct g2_affine g2_generator;

/* What a point read from outside is. */
enum lull_point_check {
	LULL_POINT_OK,
	LULL_POINT_COORDINATE, /* a coordinate is not below p */
	LULL_POINT_OFF_CURVE,
};

/* Infinity is LULL_POINT_OK.  Says nothing of the subgroup. */
enum lull_point_check g1_affine_check(const struct g1_affine *p);
enum lull_point_check g2_affine_check(const struct g2_affine *p);

void g1_affine_neg(struct g1_affine *r, const struct g1_affine *p);
void g2_affine_neg(struct g2_affine *r, const struct g2_affine *p);

void g1_xyzz_from_affine(struct g1_xyzz *r, const struct g1_affine *p);
void g2_xyzz_from_affine(struct g2_xyzz *r, const struct g2_affine *p);
void g1_xyzz_to_affine(struct g1_affine *r, const struct g1_xyzz *p);
void g2_xyzz_to_affine(struct g2_affine *r, const struct g2_xyzz *p);

void g1_xyzz_dbl(struct g1_xyzz *r, const struct g1_xyzz *p);
void g2_xyzz_dbl(struct g2_xyzz *r, const struct g2_xyzz *p);
void g1_xyzz_add(struct g1_xyzz *r, const struct g1_xyzz *p,
		 const struct g1_xyzz *q);
void g2_xyzz_add(struct g2_xyzz *r, const struct g2_xyzz *p,
		 const struct g2_xyzz *q);
void g1_xyzz_add_affine(struct g1_xyzz *r, const struct g1_xyzz *p,
			const struct g1_affine *q);
void g2_xyzz_add_affine(struct g2_xyzz *r, const struct g2_xyzz *p,
			const struct g2_affine *q);

/* True for the same point, however it is represented. */
bool g1_xyzz_equal(const struct g1_xyzz *p, const struct g1_xyzz *q);
bool g2_xyzz_equal(const struct g2_xyzz *p, const struct g2_xyzz *q);

/* r = k p for a plain integer k of nr_limbs limbs; time depends on k. */
void g1_mul_var(struct g1_xyzz *r, const struct g1_affine *p, const limb_t *k,
		unsigned int nr_limbs);
void g2_mul_var(struct g2_xyzz *r, const struct g2_affine *p, const limb_t *k,
		unsigned int nr_limbs);

/* r = k times the generator; time depends on k, and nothing of it is left. */
void g1_generated_var(struct g1_affine *r, const struct fr *k);
void g2_generated_var(struct g2_affine *r, const struct fr *k);

static inline bool g1_affine_is_inf(const struct g1_affine *p)
{
	return fp_is_zero(&p->x) && fp_is_zero(&p->y);
}

static inline bool g2_affine_is_inf(const struct g2_affine *p)
{
	return fp2_is_zero(&p->x) && fp2_is_zero(&p->y);
}

static inline bool g1_xyzz_is_inf(const struct g1_xyzz *p)
{
	return fp_is_zero(&p->zz);
}

static inline bool g2_xyzz_is_inf(const struct g2_xyzz *p)
{
	return fp2_is_zero(&p->zz);
}

static inline void g1_xyzz_set_inf(struct g1_xyzz *r)
{
	memset(r, 0, sizeof(*r));
}

static inline void g2_xyzz_set_inf(struct g2_xyzz *r)
{
	memset(r, 0, sizeof(*r));
}

#ifdef LULL_GROUP
/* The bound group's own view: gfe is its coordinate field. */
#if LULL_GROUP == 1
#define gfe fp
#define gfe_one fp_one
#define gfe_mul fp_mul
#define gfe_sqr fp_sqr
#define gfe_inv fp_inv
#define gfe_add fp_add
#define gfe_sub fp_sub
#define gfe_dbl fp_dbl
#define gfe_neg fp_neg
#define gfe_select fp_select
#define gfe_equal fp_equal
#define gfe_is_zero fp_is_zero
#define gfe_is_canonical fp_is_canonical
#else
#define gfe fp2
#define gfe_one fp2_one
#define gfe_mul fp2_mul
#define gfe_sqr fp2_sqr
#define gfe_inv fp2_inv
#define gfe_add fp2_add
#define gfe_sub fp2_sub
#define gfe_dbl fp2_dbl
#define gfe_neg fp2_neg
#define gfe_select fp2_select
#define gfe_equal fp2_equal
#define gfe_is_zero fp2_is_zero
#define gfe_is_canonical fp2_is_canonical
#endif
#define g_affine LULL_GROUP_LOCAL(affine)
#define g_xyzz LULL_GROUP_LOCAL(xyzz)
#define g_affine_is_inf LULL_GROUP_LOCAL(affine_is_inf)
#define g_xyzz_is_inf LULL_GROUP_LOCAL(xyzz_is_inf)
#define g_xyzz_set_inf LULL_GROUP_LOCAL(xyzz_set_inf)
#define g_generator LULL_GROUP_LOCAL(generator)
#define g_affine_check LULL_GROUP_LOCAL(affine_check)
#define g_affine_neg LULL_GROUP_LOCAL(affine_neg)
#define g_xyzz_from_affine LULL_GROUP_LOCAL(xyzz_from_affine)
#define g_xyzz_to_affine LULL_GROUP_LOCAL(xyzz_to_affine)
#define g_xyzz_dbl LULL_GROUP_LOCAL(xyzz_dbl)
#define g_xyzz_add LULL_GROUP_LOCAL(xyzz_add)
#define g_xyzz_add_affine LULL_GROUP_LOCAL(xyzz_add_affine)
#define g_xyzz_equal LULL_GROUP_LOCAL(xyzz_equal)
#define g_mul_var LULL_GROUP_LOCAL(mul_var)
#define g_generated_var LULL_GROUP_LOCAL(generated_var)
#endif

#endif
