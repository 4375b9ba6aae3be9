/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs_ifma.h - the arithmetic of an addition on eight pairs
 *
 * For pairs_ifma_gtmpl.c, which says what work points are, alone.  Vectors of
 * base field elements, of coordinates in Fp or Fp2, and what G1 and G2 do
 * differently.  "clean" and "factor" are ifma.h's.
 *
 * Bounds: (alpha beta / 84 + 1) p for a product on BN254, where 84 is below
 * R / p; on BLS12-381 R / p exceeds 2^35 and every product is below 2 p.
 */
#ifndef LULL_MSM_PAIRS_IFMA_H
#define LULL_MSM_PAIRS_IFMA_H

#include "curve/ifma.h"
#include "msm/pairs.h"

#define N CURVE_CONST(FP_LIMBS52)
#define INV CURVE_CONST(FP_INV52)
/* Multiples of p above x and y, and bounds of the differences made with them:
 * d = x2 - x1 + 6 p, dy = y2 - y1 + 5 p. */
#define X_ABOVE 6
#define Y_ABOVE 5
#define D_BOUND 12
#define D_BOUND_LOG2 4
#define DY_BOUND_LOG2 4

static const uint64_t p52[] = CURVE_CONST(FP_P52);

struct vec {
	__m512i l[N];
};

/* Multiples of p, from memory: as constants they would be moved to vectors by
 * way of general registers, in a port that the products need. */
#define MULTIPLES (D_BOUND + 1)

struct multiples {
	uint64_t kp[MULTIPLES][N];
	uint64_t inv;
};

/* A coordinate. */
struct gvec {
	struct vec c[LULL_GROUP];
};

/*
 * Eight pairs between the passes.  d is x2 - x1 + 6 p, clean and below 12 p,
 * dy is y2 - y1 + 5 p, a factor below 10 p; denom, a factor, is d in G1 and its
 * norm in G2; before is the product of all earlier denoms.
 */
struct octet {
	struct gvec x1, y1, d, dy;
	struct vec before;
#if LULL_GROUP == 2
	struct vec denom;
#endif
};

static inline void set_multiples(struct multiples *m)
{
	unsigned int j, k;

	for (k = 0; k < MULTIPLES; k++)
		for (j = 0; j < N; j++)
			m->kp[k][j] = k * p52[j];
	m->inv = INV;
	/* Whatever the compiler knows of them, forget. */
	__asm__("" : "+m"(*m));
}

/* r = a b, a factor. */
static IFMA_INLINE void mul(struct vec *r, const struct vec *a,
			    const struct vec *b, const struct multiples *m)
{
	__m512i t[2 * IFMA_LIMBS_MAX];

	ifma_wide_mul(t, a->l, b->l, N);
	ifma_wide_reduce_raw(r->l, t, m->kp[1], m->inv, N);
	ifma_carry_factor(r->l, N);
}

#if LULL_GROUP == 2
/* r = a b + c d, not clean. */
static IFMA_INLINE void mul2_raw(struct vec *r, const struct vec *a,
				 const struct vec *b, const struct vec *c,
				 const struct vec *d, const struct multiples *m)
{
	__m512i t[2 * IFMA_LIMBS_MAX];

	ifma_wide_mul(t, a->l, b->l, N);
	ifma_wide_mul_add(t, c->l, d->l, N);
	ifma_wide_reduce_raw(r->l, t, m->kp[1], m->inv, N);
}

/* r = k p - a, a factor. */
static IFMA_INLINE void neg(struct vec *r, const struct vec *a, unsigned int k,
			    const struct multiples *m)
{
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j < N; j++)
		r->l[j] = _mm512_sub_epi64(ifma_set1(m->kp[k][j]), a->l[j]);
	ifma_carry_factor(r->l, N);
}
#endif

static IFMA_INLINE struct vec *denom(struct octet *o)
{
#if LULL_GROUP == 1
	return &o->d.c[0];
#else
	return &o->denom;
#endif
}

#if LULL_GROUP == 1
/* r = a^2, not clean. */
static IFMA_INLINE void sqr_raw(struct gvec *r, const struct gvec *a,
				const struct multiples *m)
{
	__m512i t[2 * IFMA_LIMBS_MAX];

	ifma_wide_sqr(t, a->c[0].l, N);
	ifma_wide_reduce_raw(r->c[0].l, t, m->kp[1], m->inv, N);
}

/* r = a b, not clean; a < 1.2 p, b < 12 p: r < 1.2 p. */
static IFMA_INLINE void mul_raw(struct gvec *r, const struct gvec *a,
				const struct gvec *b, const struct multiples *m)
{
	__m512i t[2 * IFMA_LIMBS_MAX];

	ifma_wide_mul(t, a->c[0].l, b->c[0].l, N);
	ifma_wide_reduce_raw(r->c[0].l, t, m->kp[1], m->inv, N);
}

static IFMA_INLINE void set_denom(struct octet *o, const struct multiples *m)
{
	(void)o;
	(void)m;
}

/* r = dy / d: dy < 10 p, inv < 1.2 p, so r < 1.2 p.  A factor. */
static IFMA_INLINE void slope(struct gvec *r, const struct octet *o,
			      const struct vec *inv, const struct multiples *m)
{
	mul(&r->c[0], &o->dy.c[0], inv, m);
}
#else
/* r = (a0 + a1)(a0 - a1) + 2 a0 a1 u, not clean, for a clean a.  a < 1.2 p:
 * r < 1.3 p; a < 5.1 p: r < 2.4 p. */
static IFMA_INLINE void sqr_raw(struct gvec *r, const struct gvec *a,
				const struct multiples *m)
{
	struct vec sum, diff, twice;
	__m512i t[2 * IFMA_LIMBS_MAX];

	ifma_add_raw(sum.l, a->c[0].l, a->c[1].l, N);
	ifma_carry_factor(sum.l, N);
	ifma_sub_kp_raw(diff.l, a->c[0].l, a->c[1].l, 1, m->kp[X_ABOVE], N);
	ifma_carry_factor(diff.l, N);
	ifma_add_raw(twice.l, a->c[0].l, a->c[0].l, N);
	ifma_carry_factor(twice.l, N);
	ifma_wide_mul(t, twice.l, a->c[1].l, N);
	ifma_wide_reduce_raw(r->c[1].l, t, m->kp[1], m->inv, N);
	ifma_wide_mul(t, sum.l, diff.l, N);
	ifma_wide_reduce_raw(r->c[0].l, t, m->kp[1], m->inv, N);
}

/* r = a b, not clean, for a clean a; a < 1.2 p, b < 12 p:
 * r < (38 / 84 + 1) p.  r is neither a nor b. */
static IFMA_INLINE void mul_raw(struct gvec *r, const struct gvec *a,
				const struct gvec *b, const struct multiples *m)
{
	struct vec minus;

	neg(&minus, &a->c[1], 2, m);
	mul2_raw(&r->c[0], &a->c[0], &b->c[0], &minus, &b->c[1], m);
	mul2_raw(&r->c[1], &a->c[0], &b->c[1], &a->c[1], &b->c[0], m);
}

/* The norm d0^2 + d1^2, below (288 / 84 + 1) p = 4.5 p. */
static IFMA_INLINE void set_denom(struct octet *o, const struct multiples *m)
{
	const struct gvec *d = &o->d;

	mul2_raw(&o->denom, &d->c[0], &d->c[0], &d->c[1], &d->c[1], m);
	ifma_carry_factor(o->denom.l, N);
}

/*
 * r = dy / d = dy (d0 - d1 u) / norm, clean: dy < 10 p and d < 12 p, so the
 * product is below (240 / 84 + 1) p and inv < 1.2 p, so r < 1.1 p.
 */
static IFMA_INLINE void slope(struct gvec *r, const struct octet *o,
			      const struct vec *inv, const struct multiples *m)
{
	const struct gvec *d = &o->d, *dy = &o->dy;
	struct vec minus, t;

	neg(&minus, &d->c[1], D_BOUND, m);
	mul2_raw(&t, &dy->c[0], &d->c[0], &dy->c[1], &d->c[1], m);
	ifma_carry_factor(t.l, N);
	ifma_mul(r->c[0].l, t.l, inv->l, m->kp[1], m->inv, N);
	mul2_raw(&t, &dy->c[1], &d->c[0], &dy->c[0], &minus, m);
	ifma_carry_factor(t.l, N);
	ifma_mul(r->c[1].l, t.l, inv->l, m->kp[1], m->inv, N);
}
#endif

#endif
