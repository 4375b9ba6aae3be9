// SPDX-License-Identifier: Apache-2.0
/*
 * subgroup_ifma_gtmpl.c - are eight points in the subgroup of order r?
 *
 * For points_gtmpl.c.  The same tests as curve/subgroup_tmpl.c, which is the
 * twin and says why they are exact, in Jacobian coordinates: x = X / Z^2,
 * y = Y / Z^3.
 *
 * The formulas are not complete, and need not be.  Where they do not hold (a
 * point at infinity, or two that are equal or opposite to be added) Z becomes 0,
 * and stays 0 whatever follows, for each of them gives a Z that is a multiple
 * of those it got.  A point of order r meets no such case: what is added are
 * different multiples of it that are not 0.  So Z = 0 in the end, or a test
 * that fails, is for the twin to look at again.
 *
 * Bounds are multiples of p, see curve/ifma.h: with R / p above 84 on BN254 and
 * above 2^35 on BLS12-381 every product here is below 2 p.  Sums are brought
 * back to 2 p where a product needs that: settle().
 */
#include "prove/points_ifma.h"

/* Every group but the whole of a curve. */
#if LULL_GROUP == 2 || LULL_CURVE_ID == LULL_ID_bls12_381

/* A coordinate, clean. */
struct coord {
	__m512i c[LULL_GROUP][N];
};

/* Eight points; x and y below XY_BOUND p, z below Z_BOUND p. */
struct jac {
	struct coord x, y, z;
};

#define Z_BOUND 4
#if LULL_CURVE_ID == LULL_ID_bls12_381
#define XY_BOUND 18
#define XY_BOUND_LOG2 5
#else
#define XY_BOUND 2
#define XY_BOUND_LOG2 1
#endif

/* Inlined, two dozen products would take the compiler minutes. */
#define NOINLINE __attribute__((noinline))

/* ---- coordinates -------------------------------------------------------- */

/* r = a b; a below k p. */
static NOINLINE void cmul(struct coord *r, const struct coord *a, uint64_t k,
			  const struct coord *b)
{
#if LULL_GROUP == 1
	(void)k;
	ifma_mul(r->c[0], a->c[0], b->c[0], p52, inv52, N);
#else
	__m512i neg[N], c0[N];

	ifma_neg(neg, a->c[1], k, p52, N);
	ifma_mul2(c0, a->c[0], b->c[0], neg, b->c[1], p52, inv52, N);
	ifma_mul2(r->c[1], a->c[0], b->c[1], a->c[1], b->c[0], p52, inv52, N);
	ifma_copy(r->c[0], c0, N);
#endif
}

/* r = a^2; a below k p. */
static NOINLINE void csqr(struct coord *r, const struct coord *a, uint64_t k)
{
#if LULL_GROUP == 1
	(void)k;
	ifma_sqr(r->c[0], a->c[0], p52, inv52, N);
#else
	__m512i sum[N], diff[N], twice[N];

	ifma_add(sum, a->c[0], a->c[1], N);
	ifma_sub(diff, a->c[0], a->c[1], k, p52, N);
	ifma_add(twice, a->c[0], a->c[0], N);
	ifma_mul(r->c[1], twice, a->c[1], p52, inv52, N);
	ifma_mul(r->c[0], sum, diff, p52, inv52, N);
#endif
}

/* r = a + b */
static void cadd(struct coord *r, const struct coord *a, const struct coord *b)
{
	unsigned int k;

	for (k = 0; k < LULL_GROUP; k++)
		ifma_add(r->c[k], a->c[k], b->c[k], N);
}

/* r = a - b + k p, for b below k p. */
static void csub(struct coord *r, const struct coord *a, const struct coord *b,
		 uint64_t k)
{
	unsigned int i;

	for (i = 0; i < LULL_GROUP; i++)
		ifma_sub(r->c[i], a->c[i], b->c[i], k, p52, N);
}

/* Brings what is below 2^log2 p below 2 p where products need that. */
static void settle(struct coord *r, unsigned int log2)
{
#if LULL_CURVE_ID == LULL_ID_bls12_381
	(void)r;
	(void)log2;
#else
	unsigned int i;

	while (--log2)
		for (i = 0; i < LULL_GROUP; i++)
			ifma_reduce_once(r->c[i], r->c[i], 1ull << log2, p52,
					 N);
#endif
}

/* The lanes of a, below 2^log2 p, that are 0. */
static NOINLINE __mmask8 czero(const struct coord *a, unsigned int log2)
{
	__mmask8 zero = 0xff;
	__m512i v[N];
	unsigned int i, k;

	for (k = 0; k < LULL_GROUP; k++) {
		ifma_copy(v, a->c[k], N);
		for (i = log2; i--;)
			ifma_reduce_once(v, v, 1ull << i, p52, N);
		zero &= ifma_is_zero(v, N);
	}
	return zero;
}

static void cset(struct coord *r, const struct gfe *value)
{
	const limb_t *words = (const limb_t *)value;
	__m512i w[FP_LIMBS];
	unsigned int j, k;

	for (k = 0; k < LULL_GROUP; k++) {
		for (j = 0; j < FP_LIMBS; j++)
			w[j] = ifma_set1(words[k * FP_LIMBS + j]);
		convert(r->c[k], w);
	}
}

/* ---- points ------------------------------------------------------------- */

/* p = 2 p.  Of the bounds that stand behind a line the second is BLS12-381's. */
static NOINLINE void jdbl(struct jac *p)
{
	struct coord xx, yy, xyy, e, t;

	csqr(&xx, &p->x, XY_BOUND);
	csqr(&yy, &p->y, XY_BOUND);
	cmul(&xyy, &p->x, XY_BOUND, &yy);
	cmul(&p->z, &p->z, Z_BOUND, &p->y);
	cadd(&p->z, &p->z, &p->z); /* 4 */
	cadd(&e, &xx, &xx);
	cadd(&e, &e, &xx); /* 6 */
	cadd(&xyy, &xyy, &xyy);
	cadd(&xyy, &xyy, &xyy); /* 8 */
	csqr(&yy, &yy, 2);
	cadd(&yy, &yy, &yy);
	cadd(&yy, &yy, &yy);
	cadd(&yy, &yy, &yy); /* 16 */
	csqr(&p->x, &e, 6);
	cadd(&t, &xyy, &xyy);
	csub(&p->x, &p->x, &t, 16); /* 18 */
	settle(&p->x, 5);
	csub(&t, &xyy, &p->x, XY_BOUND); /* 10, 26 */
	cmul(&p->y, &e, 6, &t);
	csub(&p->y, &p->y, &yy, 16); /* 18 */
	settle(&p->y, 5);
}

/* p = p + q */
static NOINLINE void jadd(struct jac *p, const struct jac *q)
{
	struct coord pzz, qzz, u, s, h, r, t;

	csqr(&pzz, &p->z, Z_BOUND);
	csqr(&qzz, &q->z, Z_BOUND);
	cmul(&u, &p->x, XY_BOUND, &qzz);
	cmul(&h, &q->x, XY_BOUND, &pzz);
	cmul(&qzz, &qzz, 2, &q->z);
	cmul(&pzz, &pzz, 2, &p->z);
	cmul(&s, &p->y, XY_BOUND, &qzz);
	cmul(&r, &q->y, XY_BOUND, &pzz);
	csub(&h, &h, &u, 2); /* 4 */
	csub(&r, &r, &s, 2); /* 4 */
	cmul(&p->z, &p->z, Z_BOUND, &q->z);
	cmul(&p->z, &p->z, 2, &h);
	csqr(&t, &h, 4);
	cmul(&u, &u, 2, &t);
	cmul(&t, &t, 2, &h);
	cmul(&s, &s, 2, &t);
	csqr(&p->x, &r, 4);
	cadd(&t, &t, &u);
	cadd(&t, &t, &u);	   /* 6 */
	csub(&p->x, &p->x, &t, 6); /* 8 */
	settle(&p->x, 3);
	csub(&t, &u, &p->x, lull_min(XY_BOUND, 8)); /* 4, 10 */
	cmul(&p->y, &r, 4, &t);
	csub(&p->y, &p->y, &s, 2); /* 4 */
	settle(&p->y, 2);
}

/* r = the curve's parameter without its sign times p. */
static NOINLINE void jmul_param(struct jac *r, const struct jac *p)
{
	static const limb_t param = CURVE_CONST(PARAM_ABS);
	int bit = LIMB_BITS - 1 - __builtin_clzll(param);

	*r = *p;
	while (bit--) {
		jdbl(r);
		if (param >> bit & 1)
			jadd(r, p);
	}
}

/* The lanes in which p = q and neither is infinity. */
static NOINLINE __mmask8 jequal(const struct jac *p, const struct jac *q)
{
	struct coord pzz, qzz, a, b;
	__mmask8 equal;

	csqr(&pzz, &p->z, Z_BOUND);
	csqr(&qzz, &q->z, Z_BOUND);
	cmul(&a, &p->x, XY_BOUND, &qzz);
	cmul(&b, &q->x, XY_BOUND, &pzz);
	csub(&a, &a, &b, 2);
	equal = czero(&a, 2);
	cmul(&qzz, &qzz, 2, &q->z);
	cmul(&pzz, &pzz, 2, &p->z);
	cmul(&a, &p->y, XY_BOUND, &qzz);
	cmul(&b, &q->y, XY_BOUND, &pzz);
	csub(&a, &a, &b, 2);
	equal &= czero(&a, 2);
	return equal & (__mmask8)~czero(&p->z, 2) & (__mmask8)~czero(&q->z, 2);
}

static void jload(struct jac *p, const __m512i *words)
{
	unsigned int k;

	for (k = 0; k < LULL_GROUP; k++) {
		convert(p->x.c[k], words + k * FP_LIMBS);
		convert(p->y.c[k], words + (LULL_GROUP + k) * FP_LIMBS);
	}
	cset(&p->z, &gfe_one);
}

/* ---- the tests ---------------------------------------------------------- */

#if LULL_GROUP == 2
static void cconj(struct coord *r)
{
	struct coord t = { 0 };

	csub(&t, &t, r, lull_max(XY_BOUND, Z_BOUND));
	ifma_copy(r->c[1], t.c[1], N);
}

static void psi(struct jac *p)
{
	static const struct fp2 psi_x = CURVE_CONST(PSI_X);
	static const struct fp2 psi_y = CURVE_CONST(PSI_Y);
	struct coord k;

	cset(&k, &psi_x);
	cconj(&p->x);
	cmul(&p->x, &k, 2, &p->x);
	cset(&k, &psi_y);
	cconj(&p->y);
	cmul(&p->y, &k, 2, &p->y);
	cset(&k, &fp2_one);
	cconj(&p->z);
	cmul(&p->z, &k, 2, &p->z);
}
#endif

#if LULL_CURVE_ID == LULL_ID_bn254
/* (u + 1) P + psi(u P) + psi^2(u P) = psi^3(2 u P) */
static __mmask8 in_subgroup(const struct jac *p)
{
	struct jac t, sum;

	jmul_param(&t, p);
	sum = t;
	jadd(&sum, p);
	psi(&t);
	jadd(&sum, &t);
	psi(&t);
	jadd(&sum, &t);
	psi(&t);
	jdbl(&t);
	return jequal(&sum, &t);
}
#elif LULL_GROUP == 1
/* phi(P) + P = x^2 P */
static __mmask8 in_subgroup(const struct jac *p)
{
	static const struct fp beta = { CURVE_CONST(FP_BETA) };
	struct jac xxp, phi = *p;
	struct coord k;

	jmul_param(&xxp, p);
	jmul_param(&phi, &xxp);
	xxp = phi;
	phi = *p;
	cset(&k, &beta);
	cmul(&phi.x, &k, 2, &phi.x);
	jadd(&phi, p);
	return jequal(&xxp, &phi);
}
#else
/* psi(P) = -|x| P */
static __mmask8 in_subgroup(const struct jac *p)
{
	struct coord zero = { 0 };
	struct jac xp, t = *p;

	jmul_param(&xp, p);
	psi(&t);
	csub(&t.y, &zero, &t.y, 2);
	return jequal(&xp, &t);
}
#endif

size_t g_subgroup_scan_ifma(const uint8_t *points, size_t lo, size_t hi)
{
	__m512i words[WORDS_MAX];
	struct jac p;
	size_t i;

	for (i = lo; i + IFMA_LANES <= hi; i += IFMA_LANES) {
		load_points(words, points + i * WORDS * sizeof(limb_t));
		jload(&p, words);
		if ((in_subgroup(&p) | zero_points(words)) != 0xff)
			break;
	}
	return i;
}

#else
size_t g_subgroup_scan_ifma(const uint8_t *points, size_t lo, size_t hi)
{
	(void)points;
	return lo + (hi - lo) / IFMA_LANES * IFMA_LANES;
}
#endif
