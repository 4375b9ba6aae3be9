// SPDX-License-Identifier: Apache-2.0
/*
 * tower_tmpl.c - the product, square and inverse of Fp6 and Fp12
 *
 * For the pairing.  Karatsuba at each step, and the two special products that
 * a pairing lives on: by the sparse value of a line, and the square of Granger
 * and Scott (PKC 2010) in the cyclotomic subgroup.
 */
#include "curve/tower.h"

/* (a0 + a1 u)(c0 + c1 u) for the small c0 and c1 of xi, by additions. */
void fp2_mul_xi(struct fp2 *r, const struct fp2 *a)
{
#if CURVE_CONST(XI_C0) == 9 && CURVE_CONST(XI_C1) == 1
	struct fp2 t;

	fp2_dbl(&t, a);
	fp2_dbl(&t, &t);
	fp2_dbl(&t, &t);
	fp2_add(&t, &t, a);
	fp_sub(&t.c0, &t.c0, &a->c1);
	fp_add(&r->c1, &t.c1, &a->c0);
	r->c0 = t.c0;
#elif CURVE_CONST(XI_C0) == 1 && CURVE_CONST(XI_C1) == 1
	struct fp diff;

	fp_sub(&diff, &a->c0, &a->c1);
	fp_add(&r->c1, &a->c0, &a->c1);
	r->c0 = diff;
#else
#error "xi of this curve has no chain of additions"
#endif
}

/* r = (a0 + a1)(b0 + b1) - t0 - t1: the cross terms of Karatsuba. */
static void mul_cross(struct fp2 *r, const struct fp2 *a0, const struct fp2 *a1,
		      const struct fp2 *b0, const struct fp2 *b1,
		      const struct fp2 *t0, const struct fp2 *t1)
{
	struct fp2 sa, sb;

	fp2_add(&sa, a0, a1);
	fp2_add(&sb, b0, b1);
	fp2_mul(&sa, &sa, &sb);
	fp2_sub(&sa, &sa, t0);
	fp2_sub(r, &sa, t1);
}

void fp6_mul(struct fp6 *r, const struct fp6 *a, const struct fp6 *b)
{
	struct fp2 t0, t1, t2, x01, x02, x12;

	fp2_mul(&t0, &a->c0, &b->c0);
	fp2_mul(&t1, &a->c1, &b->c1);
	fp2_mul(&t2, &a->c2, &b->c2);
	mul_cross(&x12, &a->c1, &a->c2, &b->c1, &b->c2, &t1, &t2);
	mul_cross(&x01, &a->c0, &a->c1, &b->c0, &b->c1, &t0, &t1);
	mul_cross(&x02, &a->c0, &a->c2, &b->c0, &b->c2, &t0, &t2);
	fp2_mul_xi(&x12, &x12);
	fp2_add(&r->c0, &t0, &x12);
	fp2_mul_xi(&t2, &t2);
	fp2_add(&r->c1, &x01, &t2);
	fp2_add(&r->c2, &x02, &t1);
}

/*
 * Chung and Hasan (ARITH 2007), SQR2: a1^2 + 2 a0 a2 is
 * (a0 - a1 + a2)^2 + 2 a0 a1 + 2 a1 a2 - a0^2 - a2^2.
 */
void fp6_sqr(struct fp6 *r, const struct fp6 *a)
{
	struct fp2 s0, s1, s2, s3, s4;

	fp2_sqr(&s0, &a->c0);
	fp2_mul(&s1, &a->c0, &a->c1);
	fp2_dbl(&s1, &s1);
	fp2_sub(&s2, &a->c0, &a->c1);
	fp2_add(&s2, &s2, &a->c2);
	fp2_sqr(&s2, &s2);
	fp2_mul(&s3, &a->c1, &a->c2);
	fp2_dbl(&s3, &s3);
	fp2_sqr(&s4, &a->c2);
	fp2_add(&s2, &s2, &s1);
	fp2_add(&s2, &s2, &s3);
	fp2_sub(&s2, &s2, &s0);
	fp2_sub(&r->c2, &s2, &s4);
	fp2_mul_xi(&s3, &s3);
	fp2_add(&r->c0, &s0, &s3);
	fp2_mul_xi(&s4, &s4);
	fp2_add(&r->c1, &s1, &s4);
}

/* The adjugate's first column over the norm. */
void fp6_inv(struct fp6 *r, const struct fp6 *a)
{
	struct fp2 t0, t1, t2, norm, t;

	/* t0 = a0^2 - xi a1 a2 */
	fp2_sqr(&t0, &a->c0);
	fp2_mul(&t, &a->c1, &a->c2);
	fp2_mul_xi(&t, &t);
	fp2_sub(&t0, &t0, &t);
	/* t1 = xi a2^2 - a0 a1 */
	fp2_sqr(&t1, &a->c2);
	fp2_mul_xi(&t1, &t1);
	fp2_mul(&t, &a->c0, &a->c1);
	fp2_sub(&t1, &t1, &t);
	/* t2 = a1^2 - a0 a2 */
	fp2_sqr(&t2, &a->c1);
	fp2_mul(&t, &a->c0, &a->c2);
	fp2_sub(&t2, &t2, &t);
	/* norm = a0 t0 + xi (a2 t1 + a1 t2) */
	fp2_mul(&norm, &a->c2, &t1);
	fp2_mul(&t, &a->c1, &t2);
	fp2_add(&norm, &norm, &t);
	fp2_mul_xi(&norm, &norm);
	fp2_mul(&t, &a->c0, &t0);
	fp2_add(&norm, &norm, &t);
	fp2_inv(&norm, &norm);
	fp2_mul(&r->c0, &t0, &norm);
	fp2_mul(&r->c1, &t1, &norm);
	fp2_mul(&r->c2, &t2, &norm);
}

void fp12_mul(struct fp12 *r, const struct fp12 *a, const struct fp12 *b)
{
	struct fp6 t0, t1, sa, sb;

	fp6_mul(&t0, &a->c0, &b->c0);
	fp6_mul(&t1, &a->c1, &b->c1);
	fp6_add(&sa, &a->c0, &a->c1);
	fp6_add(&sb, &b->c0, &b->c1);
	fp6_mul(&sa, &sa, &sb);
	fp6_sub(&sa, &sa, &t0);
	fp6_sub(&r->c1, &sa, &t1);
	fp6_mul_v(&t1, &t1);
	fp6_add(&r->c0, &t0, &t1);
}

/* (a0 + a1)(a0 + v a1) - (1 + v) a0 a1 + 2 a0 a1 w */
void fp12_sqr(struct fp12 *r, const struct fp12 *a)
{
	struct fp6 cross, sum, t;

	fp6_mul(&cross, &a->c0, &a->c1);
	fp6_add(&sum, &a->c0, &a->c1);
	fp6_mul_v(&t, &a->c1);
	fp6_add(&t, &t, &a->c0);
	fp6_mul(&sum, &sum, &t);
	fp6_sub(&sum, &sum, &cross);
	fp6_mul_v(&t, &cross);
	fp6_sub(&r->c0, &sum, &t);
	fp6_add(&r->c1, &cross, &cross);
}

/* (a0 - a1 w) / (a0^2 - v a1^2) */
void fp12_inv(struct fp12 *r, const struct fp12 *a)
{
	struct fp6 norm, t;

	fp6_sqr(&norm, &a->c0);
	fp6_sqr(&t, &a->c1);
	fp6_mul_v(&t, &t);
	fp6_sub(&norm, &norm, &t);
	fp6_inv(&norm, &norm);
	fp6_mul(&r->c0, &a->c0, &norm);
	fp6_neg(&t, &a->c1);
	fp6_mul(&r->c1, &t, &norm);
}

/* r = a (b0 + b1 v): five products. */
static void fp6_mul_01(struct fp6 *r, const struct fp6 *a, const struct fp2 *b0,
		       const struct fp2 *b1)
{
	struct fp2 t0, t1, t20, t21, x01;

	fp2_mul(&t0, &a->c0, b0);
	fp2_mul(&t1, &a->c1, b1);
	fp2_mul(&t20, &a->c2, b0);
	fp2_mul(&t21, &a->c2, b1);
	mul_cross(&x01, &a->c0, &a->c1, b0, b1, &t0, &t1);
	fp2_mul_xi(&t21, &t21);
	fp2_add(&r->c0, &t0, &t21);
	r->c1 = x01;
	fp2_add(&r->c2, &t1, &t20);
}

/* r = a b */
static void fp6_mul_0(struct fp6 *r, const struct fp6 *a, const struct fp2 *b)
{
	fp2_mul(&r->c0, &a->c0, b);
	fp2_mul(&r->c1, &a->c1, b);
	fp2_mul(&r->c2, &a->c2, b);
}

/* Karatsuba over Fp6 with sparse halves: thirteen products in place of 18. */
void fp12_mul_line(struct fp12 *r, const struct fp12 *a,
		   const struct fp12_line *line)
{
	struct fp6 t0, t1, sum;
	struct fp2 s;

	fp6_add(&sum, &a->c0, &a->c1);
#if CURVE_CONST(TWIST_IS_D)
	/* the line is a + (b + c v) w */
	fp6_mul_0(&t0, &a->c0, &line->a);
	fp6_mul_01(&t1, &a->c1, &line->b, &line->c);
	fp2_add(&s, &line->a, &line->b);
	fp6_mul_01(&sum, &sum, &s, &line->c);
#else
	/* the line is a + b v + c v w */
	fp6_mul_01(&t0, &a->c0, &line->a, &line->b);
	fp6_mul_0(&t1, &a->c1, &line->c);
	fp6_mul_v(&t1, &t1);
	fp2_add(&s, &line->b, &line->c);
	fp6_mul_01(&sum, &sum, &line->a, &s);
#endif
	fp6_sub(&sum, &sum, &t0);
	fp6_sub(&r->c1, &sum, &t1);
	fp6_mul_v(&t1, &t1);
	fp6_add(&r->c0, &t0, &t1);
}

/* w^i goes to w^i xi^(i (p^k - 1) / 6), and Fp2 to its conjugate for odd k. */
void fp12_frob(struct fp12 *r, const struct fp12 *a, unsigned int k)
{
	static const struct fp2 coeffs[3][5] = {
		{ CURVE_CONST(FROB1_1), CURVE_CONST(FROB1_2),
		  CURVE_CONST(FROB1_3), CURVE_CONST(FROB1_4),
		  CURVE_CONST(FROB1_5) },
		{ CURVE_CONST(FROB2_1), CURVE_CONST(FROB2_2),
		  CURVE_CONST(FROB2_3), CURVE_CONST(FROB2_4),
		  CURVE_CONST(FROB2_5) },
		{ CURVE_CONST(FROB3_1), CURVE_CONST(FROB3_2),
		  CURVE_CONST(FROB3_3), CURVE_CONST(FROB3_4),
		  CURVE_CONST(FROB3_5) },
	};
	const struct fp2 *c = coeffs[k - 1];
	struct fp12 t = *a;

	LULL_ASSERT(k >= 1 && k <= LULL_ARRAY_SIZE(coeffs));
	if (k & 1) {
		fp2_conj(&t.c0.c0, &t.c0.c0);
		fp2_conj(&t.c0.c1, &t.c0.c1);
		fp2_conj(&t.c0.c2, &t.c0.c2);
		fp2_conj(&t.c1.c0, &t.c1.c0);
		fp2_conj(&t.c1.c1, &t.c1.c1);
		fp2_conj(&t.c1.c2, &t.c1.c2);
	}
	r->c0.c0 = t.c0.c0;
	fp2_mul(&r->c1.c0, &t.c1.c0, &c[0]);
	fp2_mul(&r->c0.c1, &t.c0.c1, &c[1]);
	fp2_mul(&r->c1.c1, &t.c1.c1, &c[2]);
	fp2_mul(&r->c0.c2, &t.c0.c2, &c[3]);
	fp2_mul(&r->c1.c2, &t.c1.c2, &c[4]);
}

/* (a + b s)^2 over Fp4 = Fp2[s] / (s^2 - xi). */
static void fp4_sqr(struct fp2 *r0, struct fp2 *r1, const struct fp2 *a,
		    const struct fp2 *b)
{
	struct fp2 aa, bb, sum;

	fp2_sqr(&aa, a);
	fp2_sqr(&bb, b);
	fp2_add(&sum, a, b);
	fp2_sqr(&sum, &sum);
	fp2_sub(&sum, &sum, &aa);
	fp2_sub(r1, &sum, &bb);
	fp2_mul_xi(&bb, &bb);
	fp2_add(r0, &aa, &bb);
}

/* r = 3 t - 2 z, r = 3 t + 2 z */
static void triple_sub(struct fp2 *r, const struct fp2 *t, const struct fp2 *z)
{
	struct fp2 d;

	fp2_sub(&d, t, z);
	fp2_dbl(&d, &d);
	fp2_add(r, &d, t);
}

static void triple_add(struct fp2 *r, const struct fp2 *t, const struct fp2 *z)
{
	struct fp2 d;

	fp2_add(&d, t, z);
	fp2_dbl(&d, &d);
	fp2_add(r, &d, t);
}

/*
 * Granger and Scott, "Faster squaring in the cyclotomic subgroup of sixth
 * degree extensions": three squares in Fp4 over s = w^3.
 */
void fp12_cyclotomic_sqr(struct fp12 *r, const struct fp12 *a)
{
	struct fp2 a0, a1, b0, b1, c0, c1;

	fp4_sqr(&a0, &a1, &a->c0.c0, &a->c1.c1);
	fp4_sqr(&b0, &b1, &a->c1.c0, &a->c0.c2);
	fp4_sqr(&c0, &c1, &a->c0.c1, &a->c1.c2);
	fp2_mul_xi(&c1, &c1);
	triple_sub(&r->c0.c0, &a0, &a->c0.c0);
	triple_add(&r->c1.c1, &a1, &a->c1.c1);
	triple_sub(&r->c0.c1, &b0, &a->c0.c1);
	triple_add(&r->c1.c2, &b1, &a->c1.c2);
	triple_sub(&r->c0.c2, &c0, &a->c0.c2);
	triple_add(&r->c1.c0, &c1, &a->c1.c0);
}
