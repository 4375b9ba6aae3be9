/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tower.h - Fp6 = Fp2[v] / (v^3 - xi) and Fp12 = Fp6[w] / (w^2 - v)
 *
 * For the pairing and its tests; same contract as fp.h: canonical in, canonical
 * out, outputs may alias inputs.  An element of Fp12 is also the polynomial
 * a0 + a1 w + ... + a5 w^5 over Fp2 with w^6 = xi: even powers stand in c0, odd
 * ones in c1.
 */
#ifndef LULL_CURVE_TOWER_H
#define LULL_CURVE_TOWER_H

#include "curve/fp2.h"

struct fp6 {
	struct fp2 c0, c1, c2;
};

struct fp12 {
	struct fp6 c0, c1;
};

/**
 * struct fp12_line - the value of a line at a point: three of six coefficients
 * @a, @b, @c: a + b w + c w^3 on a D-type twist, a + b w^2 + c w^3 on an M-type
 */
struct fp12_line {
	struct fp2 a, b, c;
};

static const struct fp6 fp6_zero;
static const struct fp6 fp6_one = { .c0 = { .c0 = { CURVE_CONST(FP_R) } } };
static const struct fp12 fp12_zero;
static const struct fp12 fp12_one = {
	.c0 = { .c0 = { .c0 = { CURVE_CONST(FP_R) } } },
};

#define fp2_mul_xi LULL_CURVE_NAME(fp2_mul_xi)
#define fp6_mul LULL_CURVE_NAME(fp6_mul)
#define fp6_sqr LULL_CURVE_NAME(fp6_sqr)
#define fp6_inv LULL_CURVE_NAME(fp6_inv)
#define fp12_mul LULL_CURVE_NAME(fp12_mul)
#define fp12_sqr LULL_CURVE_NAME(fp12_sqr)
#define fp12_inv LULL_CURVE_NAME(fp12_inv)
#define fp12_mul_line LULL_CURVE_NAME(fp12_mul_line)
#define fp12_frob LULL_CURVE_NAME(fp12_frob)
#define fp12_cyclotomic_sqr LULL_CURVE_NAME(fp12_cyclotomic_sqr)

/* r = a xi */
void fp2_mul_xi(struct fp2 *r, const struct fp2 *a);

void fp6_mul(struct fp6 *r, const struct fp6 *a, const struct fp6 *b);
void fp6_sqr(struct fp6 *r, const struct fp6 *a);
/* r = 1 / a; 0 gives 0. */
void fp6_inv(struct fp6 *r, const struct fp6 *a);

void fp12_mul(struct fp12 *r, const struct fp12 *a, const struct fp12 *b);
void fp12_sqr(struct fp12 *r, const struct fp12 *a);
/* r = 1 / a; 0 gives 0. */
void fp12_inv(struct fp12 *r, const struct fp12 *a);
void fp12_mul_line(struct fp12 *r, const struct fp12 *a,
		   const struct fp12_line *line);
/* r = a^(p^k) for k = 1, 2 or 3. */
void fp12_frob(struct fp12 *r, const struct fp12 *a, unsigned int k);
/* r = a^2 for a of an order that divides p^4 - p^2 + 1. */
void fp12_cyclotomic_sqr(struct fp12 *r, const struct fp12 *a);

static inline bool fp6_equal(const struct fp6 *a, const struct fp6 *b)
{
	return fp2_equal(&a->c0, &b->c0) && fp2_equal(&a->c1, &b->c1) &&
	       fp2_equal(&a->c2, &b->c2);
}

static inline void fp6_add(struct fp6 *r, const struct fp6 *a,
			   const struct fp6 *b)
{
	fp2_add(&r->c0, &a->c0, &b->c0);
	fp2_add(&r->c1, &a->c1, &b->c1);
	fp2_add(&r->c2, &a->c2, &b->c2);
}

static inline void fp6_sub(struct fp6 *r, const struct fp6 *a,
			   const struct fp6 *b)
{
	fp2_sub(&r->c0, &a->c0, &b->c0);
	fp2_sub(&r->c1, &a->c1, &b->c1);
	fp2_sub(&r->c2, &a->c2, &b->c2);
}

static inline void fp6_neg(struct fp6 *r, const struct fp6 *a)
{
	fp2_neg(&r->c0, &a->c0);
	fp2_neg(&r->c1, &a->c1);
	fp2_neg(&r->c2, &a->c2);
}

/* r = a v */
static inline void fp6_mul_v(struct fp6 *r, const struct fp6 *a)
{
	struct fp2 t;

	fp2_mul_xi(&t, &a->c2);
	r->c2 = a->c1;
	r->c1 = a->c0;
	r->c0 = t;
}

static inline bool fp12_equal(const struct fp12 *a, const struct fp12 *b)
{
	return fp6_equal(&a->c0, &b->c0) && fp6_equal(&a->c1, &b->c1);
}

static inline void fp12_add(struct fp12 *r, const struct fp12 *a,
			    const struct fp12 *b)
{
	fp6_add(&r->c0, &a->c0, &b->c0);
	fp6_add(&r->c1, &a->c1, &b->c1);
}

static inline void fp12_sub(struct fp12 *r, const struct fp12 *a,
			    const struct fp12 *b)
{
	fp6_sub(&r->c0, &a->c0, &b->c0);
	fp6_sub(&r->c1, &a->c1, &b->c1);
}

/* r = a^(p^6): the inverse where the norm to Fp6 is 1. */
static inline void fp12_conj(struct fp12 *r, const struct fp12 *a)
{
	r->c0 = a->c0;
	fp6_neg(&r->c1, &a->c1);
}

#endif
