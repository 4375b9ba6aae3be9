// SPDX-License-Identifier: Apache-2.0
/*
 * pairing_tmpl.c - the optimal ate pairing of both curves
 *
 * For the check of every proof.  Vercauteren, "Optimal pairings" (2010): a
 * Miller loop over 6 u + 2 with two Frobenius additions on BN254, over |x| with
 * a conjugation on BLS12-381.  Pairs share the squarings and the final
 * exponentiation.  The steps are those of Aranha, Barreto, Longa and Ricardini,
 * "The realm of the pairings" (SAC 2013), on homogeneous coordinates, scaled by
 * 4 to be free of halves.
 */
#include "curve/pairing.h"

/* Pairs whose state is on the stack at a time; more are taken in turns. */
#define PAIRS_AT_ONCE 8

/**
 * struct miller_pair - one pair in a Miller loop
 * @p: the point of G1 with x negated, as every line wants it
 * @q: the point of G2
 * @x, @y, @z: the running multiple of q, x = X / Z, y = Y / Z
 */
struct miller_pair {
	struct g1_affine p;
	struct g2_affine q;
	struct fp2 x, y, z;
};

/*
 * A line through points of the twist, yp (l0) - xp (l1) + l2 in the twist's
 * own coordinates, at p.  Untwisting multiplies x by w^2 and y by w^3 (D) or
 * divides by them (M); an M-type line is then multiplied by w^3, which the
 * final exponentiation maps to 1.  p.x is negated in @pair.
 */
static void eval_line(struct fp12_line *line, const struct miller_pair *pair,
		      const struct fp2 *l0, const struct fp2 *l1,
		      const struct fp2 *l2)
{
#if CURVE_CONST(TWIST_IS_D)
	fp2_mul_fp(&line->a, l0, &pair->p.y);
	line->c = *l2;
#else
	fp2_mul_fp(&line->c, l0, &pair->p.y);
	line->a = *l2;
#endif
	fp2_mul_fp(&line->b, l1, &pair->p.x);
}

/* The tangent at the running point, then the point doubled. */
static void step_dbl(struct fp12_line *line, struct miller_pair *pair)
{
	static const struct fp2 twist_b = CURVE_CONST(G2_B);
	struct fp2 xy, b, e, f, h, t, xx3;

	fp2_mul(&xy, &pair->x, &pair->y);
	fp2_sqr(&b, &pair->y);
	fp2_sqr(&t, &pair->z);
	fp2_add(&h, &pair->y, &pair->z);
	fp2_sqr(&h, &h);
	fp2_sub(&h, &h, &b);
	fp2_sub(&h, &h, &t);
	fp2_dbl(&e, &t);
	fp2_add(&e, &e, &t);
	fp2_mul(&e, &e, &twist_b);
	fp2_dbl(&f, &e);
	fp2_add(&f, &f, &e);
	fp2_sqr(&t, &pair->x);
	fp2_dbl(&xx3, &t);
	fp2_add(&xx3, &xx3, &t);
	fp2_sub(&t, &b, &e);
	eval_line(line, pair, &h, &xx3, &t);
	/* X = 2 x y (b - f), Y = (b + f)^2 - 12 e^2, Z = 4 b h */
	fp2_sub(&t, &b, &f);
	fp2_mul(&t, &t, &xy);
	fp2_dbl(&pair->x, &t);
	fp2_mul(&h, &h, &b);
	fp2_dbl(&h, &h);
	fp2_dbl(&pair->z, &h);
	fp2_add(&f, &f, &b);
	fp2_sqr(&f, &f);
	fp2_sqr(&e, &e);
	fp2_dbl(&t, &e);
	fp2_add(&e, &e, &t);
	fp2_dbl(&e, &e);
	fp2_dbl(&e, &e);
	fp2_sub(&pair->y, &f, &e);
}

/* The line through the running point and q, then their sum. */
static void step_add(struct fp12_line *line, struct miller_pair *pair,
		     const struct g2_affine *q)
{
	struct fp2 theta, lambda, c, d, e, f, g, t;

	fp2_mul(&t, &q->y, &pair->z);
	fp2_sub(&theta, &pair->y, &t);
	fp2_mul(&t, &q->x, &pair->z);
	fp2_sub(&lambda, &pair->x, &t);
	fp2_mul(&t, &theta, &q->x);
	fp2_mul(&c, &lambda, &q->y);
	fp2_sub(&t, &t, &c);
	eval_line(line, pair, &lambda, &theta, &t);
	fp2_sqr(&c, &theta);
	fp2_sqr(&d, &lambda);
	fp2_mul(&e, &lambda, &d);
	fp2_mul(&f, &pair->z, &c);
	fp2_mul(&g, &pair->x, &d);
	/* h = e + f - 2 g; X = lambda h, Y = theta (g - h) - e y, Z = z e */
	fp2_add(&f, &f, &e);
	fp2_sub(&f, &f, &g);
	fp2_sub(&f, &f, &g);
	fp2_mul(&pair->x, &lambda, &f);
	fp2_sub(&g, &g, &f);
	fp2_mul(&g, &theta, &g);
	fp2_mul(&t, &e, &pair->y);
	fp2_sub(&pair->y, &g, &t);
	fp2_mul(&pair->z, &pair->z, &e);
}

static void add_all(struct fp12 *f, struct miller_pair *pairs, unsigned int nr,
		    bool negate)
{
	struct fp12_line line;
	struct g2_affine q;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		q = pairs[i].q;
		if (negate)
			g2_affine_neg(&q, &q);
		step_add(&line, &pairs[i], &q);
		fp12_mul_line(f, f, &line);
	}
}

/*
 * The loop count in signed binary digits, -1, 0 or 1: digit i of n is bit
 * i + 1 of 3 n less bit i + 1 of n (non-adjacent form).
 */
static int loop_digit(unsigned int i)
{
	static const limb_t loop[2] = CURVE_CONST(LOOP);
	limb2_t n = ((limb2_t)loop[1] << LIMB_BITS) | loop[0];

	return (int)((3 * n) >> (i + 1) & 1) - (int)(n >> (i + 1) & 1);
}

#if CURVE_CONST(PARAM_NEGATIVE)
/* BLS12-381: |x| was the count; f_(-n) is 1 / f_n up to what vanishes. */
static void miller_end(struct fp12 *f, struct miller_pair *pairs,
		       unsigned int nr)
{
	(void)pairs;
	(void)nr;
	fp12_conj(f, f);
}
#else
/* q -> psi(q), the Frobenius seen through the twist */
static void twist_frob(struct g2_affine *q)
{
	static const struct fp2 psi_x = CURVE_CONST(PSI_X);
	static const struct fp2 psi_y = CURVE_CONST(PSI_Y);

	fp2_conj(&q->x, &q->x);
	fp2_mul(&q->x, &q->x, &psi_x);
	fp2_conj(&q->y, &q->y);
	fp2_mul(&q->y, &q->y, &psi_y);
}

/* BN254: the lines through psi(q) and -psi^2(q). */
static void miller_end(struct fp12 *f, struct miller_pair *pairs,
		       unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		twist_frob(&pairs[i].q);
	add_all(f, pairs, nr, false);
	for (i = 0; i < nr; i++)
		twist_frob(&pairs[i].q);
	add_all(f, pairs, nr, true);
}
#endif

static void miller_loop(struct fp12 *f, struct miller_pair *pairs,
			unsigned int nr)
{
	/* Non-adjacent form is at most one digit longer; the first is 1. */
	unsigned int i = CURVE_CONST(LOOP_BITS), j;
	struct fp12_line line;

	while (!loop_digit(i))
		i--;
	*f = fp12_one;
	while (i--) {
		fp12_sqr(f, f);
		for (j = 0; j < nr; j++) {
			step_dbl(&line, &pairs[j]);
			fp12_mul_line(f, f, &line);
		}
		if (loop_digit(i))
			add_all(f, pairs, nr, loop_digit(i) < 0);
	}
	miller_end(f, pairs, nr);
}

/* r = a^|parameter| in the cyclotomic subgroup. */
static void pow_param(struct fp12 *r, const struct fp12 *a)
{
	const uint64_t e = CURVE_CONST(PARAM_ABS);
	unsigned int i = LIMB_BITS - 1 - (unsigned int)__builtin_clzll(e);
	struct fp12 acc = *a;

	while (i--) {
		fp12_cyclotomic_sqr(&acc, &acc);
		if (e >> i & 1)
			fp12_mul(&acc, &acc, a);
	}
	*r = acc;
}

#if CURVE_CONST(PARAM_NEGATIVE)
/* r = a^x for the negative x. */
static void pow_x(struct fp12 *r, const struct fp12 *a)
{
	pow_param(r, a);
	fp12_conj(r, r);
}

/*
 * 3 (p^4 - p^2 + 1) / r = (x - 1)^2 (x + p) (x^2 + p^2 - 1) + 3: Hayashida,
 * Hayasaka and Teruya, "Efficient final exponentiation via cyclotomic structure
 * for pairings over families of elliptic curves" (2020).
 */
static void final_exp_hard(struct fp12 *r, const struct fp12 *f)
{
	struct fp12 a, b, t;

	pow_x(&a, f);
	fp12_conj(&t, f);
	fp12_mul(&a, &a, &t); /* f^(x - 1) */
	pow_x(&b, &a);
	fp12_conj(&t, &a);
	fp12_mul(&a, &b, &t); /* f^((x - 1)^2) */
	pow_x(&b, &a);
	fp12_frob(&t, &a, 1);
	fp12_mul(&a, &b, &t); /* ... (x + p) */
	pow_x(&b, &a);
	pow_x(&b, &b);
	fp12_frob(&t, &a, 2);
	fp12_mul(&b, &b, &t);
	fp12_conj(&t, &a);
	fp12_mul(&a, &b, &t); /* ... (x^2 + p^2 - 1) */
	fp12_cyclotomic_sqr(&t, f);
	fp12_mul(&t, &t, f);
	fp12_mul(r, &a, &t);
}
#else
/*
 * 2 u (6 u^2 + 3 u + 1) (p^4 - p^2 + 1) / r: Fuentes-Castaneda, Knapp and
 * Rodriguez-Henriquez, "Faster hashing to G2" (SAC 2011), which is
 *	(12 u^3 + 12 u^2 + 6 u + 1) + (12 u^3 + 6 u^2 + 4 u) p
 *	+ (12 u^3 + 6 u^2 + 6 u) p^2 + (12 u^3 + 6 u^2 + 4 u - 1) p^3
 */
static void final_exp_hard(struct fp12 *r, const struct fp12 *f)
{
	struct fp12 u2, u6, u6_2, u12_3, a, b, t;

	pow_param(&u2, f);
	fp12_cyclotomic_sqr(&u2, &u2); /* 2 u */
	fp12_cyclotomic_sqr(&u6, &u2);
	fp12_mul(&u6, &u6, &u2); /* 6 u */
	pow_param(&u6_2, &u6);	 /* 6 u^2 */
	fp12_cyclotomic_sqr(&u12_3, &u6_2);
	pow_param(&u12_3, &u12_3); /* 12 u^3 */
	fp12_mul(&a, &u12_3, &u6_2);
	fp12_mul(&a, &a, &u6); /* 12 u^3 + 6 u^2 + 6 u */
	fp12_conj(&t, &u2);
	fp12_mul(&b, &a, &t); /* 12 u^3 + 6 u^2 + 4 u */
	fp12_mul(&t, &a, &u6_2);
	fp12_mul(&t, &t, f);
	fp12_frob(&a, &a, 2);
	fp12_mul(&t, &t, &a);
	fp12_frob(&a, &b, 1);
	fp12_mul(&t, &t, &a);
	fp12_conj(&a, f);
	fp12_mul(&b, &b, &a);
	fp12_frob(&b, &b, 3);
	fp12_mul(r, &t, &b);
}
#endif

/* f^((p^6 - 1)(p^2 + 1)), then the hard part. */
static void final_exp(struct fp12 *r, const struct fp12 *f)
{
	struct fp12 t, inv;

	fp12_inv(&inv, f);
	fp12_conj(&t, f);
	fp12_mul(&t, &t, &inv);
	fp12_frob(&inv, &t, 2);
	fp12_mul(&t, &t, &inv);
	final_exp_hard(r, &t);
}

void pairing_product(struct fp12 *r, const struct g1_affine *p,
		     const struct g2_affine *q, unsigned int nr)
{
	struct miller_pair pairs[PAIRS_AT_ONCE];
	struct fp12 product = fp12_one, f;
	unsigned int i, filled = 0;

	for (i = 0; i < nr; i++) {
		if (!g1_affine_is_inf(&p[i]) && !g2_affine_is_inf(&q[i])) {
			pairs[filled].p = p[i];
			fp_neg(&pairs[filled].p.x, &p[i].x);
			pairs[filled].q = q[i];
			pairs[filled].x = q[i].x;
			pairs[filled].y = q[i].y;
			pairs[filled].z = fp2_one;
			filled++;
		}
		if (filled && (filled == PAIRS_AT_ONCE || i + 1 == nr)) {
			miller_loop(&f, pairs, filled);
			fp12_mul(&product, &product, &f);
			filled = 0;
		}
	}
	final_exp(r, &product);
}

bool pairing_product_is_one(const struct g1_affine *p,
			    const struct g2_affine *q, unsigned int nr)
{
	struct fp12 f;

	pairing_product(&f, p, q, nr);
	return fp12_equal(&f, &fp12_one);
}
