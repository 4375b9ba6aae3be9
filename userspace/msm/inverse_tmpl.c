// SPDX-License-Identifier: Apache-2.0
/*
 * inverse_tmpl.c - inversion by divsteps
 *
 * After Bernstein and Yang, "Fast constant-time gcd computation and modular
 * inversion" (TCHES 2019), in variable time.  A divstep maps (delta, f, g), f
 * odd, to (1 - delta, g, (g - f) / 2) when delta > 0 and g is odd, else to
 * (1 + delta, f, (g + (g mod 2) f) / 2).  From f = p and g = a it ends with
 * g = 0 and f = +-1.  STEPS of them depend on the lowest bits of f and g
 * alone; they are done on single words and gathered in a matrix m with
 * (f, g) <- m (f, g) / 2^STEPS, and the same m moves (d, e), which keep
 * d a = f and e a = g mod p.
 */
#include "msm/inverse.h"

#define STEPS 62
#define STEP_MASK ((1ull << STEPS) - 1)
/* One limb more than the field: signed values up to about 10 p. */
#define WIDE (FP_LIMBS + 1)

__extension__ typedef __int128 slimb2_t;

/* Two's complement. */
struct wide {
	limb_t l[WIDE];
};

struct matrix {
	int64_t u, v, q, r;
};

static limb_t step_bits(int64_t delta, int left)
{
	/* Bits of g that f can clear before delta > 0 asks for a swap; six
	 * at most, for which the inverse of f below is right. */
	int64_t n = 1 - delta;

	n = n < left ? n : left;
	n = n < 6 ? n : 6;
	return (1ull << n) - 1;
}

/*
 * STEPS divsteps on the low words of f and g.  Entries stay at most 2^STEPS in
 * absolute value and are computed mod 2^64.
 */
static int64_t divsteps(struct matrix *m, int64_t delta, limb_t f, limb_t g)
{
	limb_t u = 1, v = 0, q = 0, r = 1;
	int left = STEPS;

	for (;;) {
		limb_t w, t;
		int zeros = __builtin_ctzll(g | ~0ull << left);

		/* g even: f and its row count twice as much. */
		g >>= zeros;
		u <<= zeros;
		v <<= zeros;
		delta += zeros;
		left -= zeros;
		if (!left)
			break;
		if (delta > 0) {
			/* The swap, without its halving. */
			delta = -delta;
			t = f, f = g, g = 0 - t;
			t = u, u = q, q = 0 - t;
			t = v, v = r, r = 0 - t;
		}
		/* f^2 = 1 mod 8, so f (2 - f^2) = 1 / f mod 64. */
		w = (0 - g * f * (2 - f * f)) & step_bits(delta, left);
		g += f * w;
		q += u * w;
		r += v * w;
	}
	*m = (struct matrix){ (int64_t)u, (int64_t)v, (int64_t)q, (int64_t)r };
	return delta;
}

/* r = x a + y b; |x| + |y| <= 2^STEPS keeps every sum within 127 bits. */
static void combine(struct wide *r, int64_t x, const struct wide *a, int64_t y,
		    const struct wide *b)
{
	slimb2_t acc = 0;
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i + 1 < WIDE; i++) {
		acc += (slimb2_t)x * a->l[i] + (slimb2_t)y * b->l[i];
		r->l[i] = (limb_t)acc;
		acc >>= LIMB_BITS;
	}
	acc += (slimb2_t)x * (int64_t)a->l[i] + (slimb2_t)y * (int64_t)b->l[i];
	r->l[i] = (limb_t)acc;
}

/* r = a / 2^STEPS for a multiple of it. */
static void shift(struct wide *r, const struct wide *a)
{
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i + 1 < WIDE; i++)
		r->l[i] = a->l[i] >> STEPS | a->l[i + 1] << (LIMB_BITS - STEPS);
	r->l[i] = (limb_t)((int64_t)a->l[i] >> STEPS);
}

/*
 * a += k p with the k in [-2^(STEPS-1), 2^(STEPS-1)) that makes it a multiple
 * of 2^STEPS: after i rounds |d|, |e| <= (i / 2 + 1) p, and there are at most
 * 18 rounds.
 */
static void clear_low(struct wide *a)
{
	limb_t k = (a->l[0] * CURVE_CONST(FP_INV)) & STEP_MASK;
	int64_t s = (int64_t)(k << (LIMB_BITS - STEPS)) >> (LIMB_BITS - STEPS);
	slimb2_t acc = 0;
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < FP_LIMBS; i++) {
		acc += (slimb2_t)s * fp_p[i] + a->l[i];
		a->l[i] = (limb_t)acc;
		acc >>= LIMB_BITS;
	}
	a->l[i] += (limb_t)acc;
}

static bool wide_is_zero(const struct wide *a)
{
	return limbs_is_zero(a->l, WIDE);
}

/* r = a mod p, negated when @negate, for |a| below about 10 p. */
static void to_field(struct fp *r, const struct wide *a, bool negate)
{
	static const struct wide zero;
	struct wide p = { { 0 } }, t = *a, less;

	memcpy(p.l, fp_p, sizeof(fp_p));
	if (negate)
		limbs_sub(t.l, zero.l, a->l, WIDE);
	while (t.l[WIDE - 1] >> (LIMB_BITS - 1))
		limbs_add(t.l, t.l, p.l, WIDE);
	while (!limbs_sub(less.l, t.l, p.l, WIDE))
		t = less;
	memcpy(r->l, t.l, sizeof(r->l));
}

void fp_inv_var(struct fp *r, const struct fp *a)
{
	static const struct fp r2 = { CURVE_CONST(FP_R2) };
	struct wide f = { { 0 } }, g = { { 0 } }, d = { { 0 } }, e = { { 1 } };
	struct wide tf, tg;
	struct matrix m;
	int64_t delta = 1;

	memcpy(f.l, fp_p, sizeof(fp_p));
	memcpy(g.l, a->l, sizeof(a->l));
	while (!wide_is_zero(&g)) {
		delta = divsteps(&m, delta, f.l[0], g.l[0]);
		combine(&tf, m.u, &f, m.v, &g);
		combine(&tg, m.q, &f, m.r, &g);
		shift(&f, &tf);
		shift(&g, &tg);
		combine(&tf, m.u, &d, m.v, &e);
		combine(&tg, m.q, &d, m.r, &e);
		clear_low(&tf);
		clear_low(&tg);
		shift(&d, &tf);
		shift(&e, &tg);
	}
	/* f = +-1, so d = +-1 / (a R); two products bring it to R / a. */
	to_field(r, &d, f.l[WIDE - 1] >> (LIMB_BITS - 1));
	fp_mul(r, r, &r2);
	fp_mul(r, r, &r2);
}

void fp2_inv_var(struct fp2 *r, const struct fp2 *a)
{
	struct fp norm, t;

	fp_sqr(&norm, &a->c0);
	fp_sqr(&t, &a->c1);
	fp_add(&norm, &norm, &t);
	fp_inv_var(&norm, &norm);
	fp_mul(&r->c0, &a->c0, &norm);
	fp_neg(&t, &a->c1);
	fp_mul(&r->c1, &t, &norm);
}
