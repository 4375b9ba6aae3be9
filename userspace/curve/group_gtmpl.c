// SPDX-License-Identifier: Apache-2.0
/*
 * group_gtmpl.c - the group law in affine and XYZZ coordinates
 *
 * Formulas: Explicit-Formulas Database, short Weierstrass, xyzz, a = 0:
 * dbl-2008-s-1, add-2008-s, madd-2008-s.  The exceptional cases that those
 * leave out (infinity, equal and opposite points) are handled here.
 */
#include "base/mem.h"
#include "curve/group.h"

#if LULL_GROUP == 1
const struct g1_affine g1_generator = { { CURVE_CONST(G1_X) },
					{ CURVE_CONST(G1_Y) } };
static const struct fp curve_b = { CURVE_CONST(G1_B) };
#else
const struct g2_affine g2_generator = { CURVE_CONST(G2_X), CURVE_CONST(G2_Y) };
static const struct fp2 curve_b = CURVE_CONST(G2_B);
#endif

enum lull_point_check g_affine_check(const struct g_affine *p)
{
	struct gfe lhs, rhs;

	if (!gfe_is_canonical(&p->x) || !gfe_is_canonical(&p->y))
		return LULL_POINT_COORDINATE;
	if (g_affine_is_inf(p))
		return LULL_POINT_OK;
	gfe_sqr(&rhs, &p->x);
	gfe_mul(&rhs, &rhs, &p->x);
	gfe_add(&rhs, &rhs, &curve_b);
	gfe_sqr(&lhs, &p->y);
	return gfe_equal(&lhs, &rhs) ? LULL_POINT_OK : LULL_POINT_OFF_CURVE;
}

void g_affine_neg(struct g_affine *r, const struct g_affine *p)
{
	r->x = p->x;
	gfe_neg(&r->y, &p->y);
}

void g_xyzz_from_affine(struct g_xyzz *r, const struct g_affine *p)
{
	if (g_affine_is_inf(p)) {
		g_xyzz_set_inf(r);
		return;
	}
	r->x = p->x;
	r->y = p->y;
	r->zz = gfe_one;
	r->zzz = gfe_one;
}

void g_xyzz_to_affine(struct g_affine *r, const struct g_xyzz *p)
{
	struct gfe zzz_inv, z_inv;

	if (g_xyzz_is_inf(p)) {
		memset(r, 0, sizeof(*r));
		return;
	}
	/* 1/z = zz / zzz, so 1/zz = (zz / zzz)^2. */
	gfe_inv(&zzz_inv, &p->zzz);
	gfe_mul(&z_inv, &p->zz, &zzz_inv);
	gfe_sqr(&z_inv, &z_inv);
	gfe_mul(&r->x, &p->x, &z_inv);
	gfe_mul(&r->y, &p->y, &zzz_inv);
}

void g_xyzz_dbl(struct g_xyzz *r, const struct g_xyzz *p)
{
	struct gfe u, v, w, s, m, t;

	/* A point with y = 0 has order 2: its double is infinity. */
	if (g_xyzz_is_inf(p) || gfe_is_zero(&p->y)) {
		g_xyzz_set_inf(r);
		return;
	}
	gfe_dbl(&u, &p->y);
	gfe_sqr(&v, &u);
	gfe_mul(&w, &u, &v);
	gfe_mul(&s, &p->x, &v);
	gfe_sqr(&t, &p->x);
	gfe_dbl(&m, &t);
	gfe_add(&m, &m, &t);
	gfe_mul(&t, &w, &p->y);
	gfe_mul(&r->zz, &v, &p->zz);
	gfe_mul(&r->zzz, &w, &p->zzz);
	gfe_sqr(&r->x, &m);
	gfe_sub(&r->x, &r->x, &s);
	gfe_sub(&r->x, &r->x, &s);
	gfe_sub(&s, &s, &r->x);
	gfe_mul(&s, &m, &s);
	gfe_sub(&r->y, &s, &t);
}

/*
 * The common end of both additions: r has x-difference pp and y-difference rr
 * from (u1, s1); r->zz and r->zzz are already multiplied up to zz1 zz2 and
 * zzz1 zzz2.
 */
static void add_finish(struct g_xyzz *r, const struct gfe *u1,
		       const struct gfe *s1, const struct gfe *pp,
		       const struct gfe *rr)
{
	struct gfe p2, p3, q, t;

	gfe_sqr(&p2, pp);
	gfe_mul(&p3, pp, &p2);
	gfe_mul(&q, u1, &p2);
	gfe_mul(&t, s1, &p3);
	gfe_mul(&r->zz, &r->zz, &p2);
	gfe_mul(&r->zzz, &r->zzz, &p3);
	gfe_sqr(&r->x, rr);
	gfe_sub(&r->x, &r->x, &p3);
	gfe_sub(&r->x, &r->x, &q);
	gfe_sub(&r->x, &r->x, &q);
	gfe_sub(&q, &q, &r->x);
	gfe_mul(&q, rr, &q);
	gfe_sub(&r->y, &q, &t);
}

/* True when both points have one x, and r is then their sum. */
static bool add_same_x(struct g_xyzz *r, const struct g_xyzz *p,
		       const struct gfe *pp, const struct gfe *rr)
{
	if (!gfe_is_zero(pp))
		return false;
	if (gfe_is_zero(rr))
		g_xyzz_dbl(r, p);
	else
		g_xyzz_set_inf(r);
	return true;
}

void g_xyzz_add(struct g_xyzz *r, const struct g_xyzz *p,
		const struct g_xyzz *q)
{
	struct gfe u1, s1, pp, rr;

	if (g_xyzz_is_inf(p) || g_xyzz_is_inf(q)) {
		*r = g_xyzz_is_inf(p) ? *q : *p;
		return;
	}
	gfe_mul(&u1, &p->x, &q->zz);
	gfe_mul(&s1, &p->y, &q->zzz);
	gfe_mul(&pp, &q->x, &p->zz);
	gfe_mul(&rr, &q->y, &p->zzz);
	gfe_sub(&pp, &pp, &u1);
	gfe_sub(&rr, &rr, &s1);
	if (add_same_x(r, p, &pp, &rr))
		return;
	gfe_mul(&r->zz, &p->zz, &q->zz);
	gfe_mul(&r->zzz, &p->zzz, &q->zzz);
	add_finish(r, &u1, &s1, &pp, &rr);
}

void g_xyzz_add_affine(struct g_xyzz *r, const struct g_xyzz *p,
		       const struct g_affine *q)
{
	struct gfe u1 = p->x, s1 = p->y, pp, rr;

	if (g_affine_is_inf(q)) {
		*r = *p;
		return;
	}
	if (g_xyzz_is_inf(p)) {
		g_xyzz_from_affine(r, q);
		return;
	}
	gfe_mul(&pp, &q->x, &p->zz);
	gfe_mul(&rr, &q->y, &p->zzz);
	gfe_sub(&pp, &pp, &u1);
	gfe_sub(&rr, &rr, &s1);
	if (add_same_x(r, p, &pp, &rr))
		return;
	r->zz = p->zz;
	r->zzz = p->zzz;
	add_finish(r, &u1, &s1, &pp, &rr);
}

bool g_xyzz_equal(const struct g_xyzz *p, const struct g_xyzz *q)
{
	struct gfe a, b;

	if (g_xyzz_is_inf(p) || g_xyzz_is_inf(q))
		return g_xyzz_is_inf(p) && g_xyzz_is_inf(q);
	gfe_mul(&a, &p->x, &q->zz);
	gfe_mul(&b, &q->x, &p->zz);
	if (!gfe_equal(&a, &b))
		return false;
	gfe_mul(&a, &p->y, &q->zzz);
	gfe_mul(&b, &q->y, &p->zzz);
	return gfe_equal(&a, &b);
}

void g_mul_var(struct g_xyzz *r, const struct g_affine *p, const limb_t *k,
	       unsigned int nr_limbs)
{
	struct g_affine base = *p;
	struct g_xyzz acc;
	unsigned int i = nr_limbs * LIMB_BITS;

	g_xyzz_set_inf(&acc);
	while (i--) {
		g_xyzz_dbl(&acc, &acc);
		if (limbs_bit(k, i))
			g_xyzz_add_affine(&acc, &acc, &base);
	}
	*r = acc;
}

void g_generated_var(struct g_affine *r, const struct fr *k)
{
	limb_t plain[FR_LIMBS];
	struct g_xyzz p;

	fr_to_plain(plain, k);
	g_mul_var(&p, &g_generator, plain, FR_LIMBS);
	g_xyzz_to_affine(r, &p);
	lull_wipe(plain, sizeof(plain));
}
