// SPDX-License-Identifier: Apache-2.0
/*
 * mul_gtmpl.c - multiples by a secret scalar
 *
 * For the blinding of a proof.  No branch and no address depends on the
 * scalar: the formulas are the complete ones of Renes, Costello and Batina,
 * "Complete addition formulas for prime order elliptic curves" (EUROCRYPT
 * 2016), algorithms 7 and 9 (a = 0), in homogeneous coordinates x = X / Z,
 * y = Y / Z, infinity (0 : 1 : 0); they hold for every pair of points on a
 * curve of odd order, which both curves and both twists are.  Each window
 * reads its whole table.
 */
#include "base/mem.h"
#include "curve/pairing.h"

#if LULL_GROUP == 1
#define g_mul g1_mul
#define gfe_zero fp_zero
static const struct fp curve_b = { CURVE_CONST(G1_B) };
#else
#define g_mul g2_mul
#define gfe_zero fp2_zero
static const struct fp2 curve_b = CURVE_CONST(G2_B);
#endif

#define WINDOW_BITS 4
#define TABLE_SIZE (1u << WINDOW_BITS)

struct g_homog {
	struct gfe x, y, z;
};

/* r = (a0 + b0)(a1 + b1) - p - q */
static void mul_sums(struct gfe *r, const struct gfe *a0, const struct gfe *b0,
		     const struct gfe *a1, const struct gfe *b1,
		     const struct gfe *p, const struct gfe *q)
{
	struct gfe s, t;

	gfe_add(&s, a0, b0);
	gfe_add(&t, a1, b1);
	gfe_mul(&s, &s, &t);
	gfe_sub(&s, &s, p);
	gfe_sub(r, &s, q);
}

/* Algorithm 7; b3 = 3 b. */
static void homog_add(struct g_homog *r, const struct g_homog *p,
		      const struct g_homog *q, const struct gfe *b3)
{
	struct gfe xx, yy, zz, xy, yz, xz, t;

	gfe_mul(&xx, &p->x, &q->x);
	gfe_mul(&yy, &p->y, &q->y);
	gfe_mul(&zz, &p->z, &q->z);
	mul_sums(&xy, &p->x, &p->y, &q->x, &q->y, &xx, &yy);
	mul_sums(&yz, &p->y, &p->z, &q->y, &q->z, &yy, &zz);
	mul_sums(&xz, &p->x, &p->z, &q->x, &q->z, &xx, &zz);
	gfe_dbl(&t, &xx);
	gfe_add(&xx, &xx, &t);
	gfe_mul(&zz, b3, &zz);
	gfe_mul(&xz, b3, &xz);
	/* xx = 3 x1 x2; zz and xz carry b3 */
	gfe_add(&t, &yy, &zz);
	gfe_sub(&yy, &yy, &zz);
	gfe_mul(&r->x, &xy, &yy);
	gfe_mul(&zz, &yz, &xz);
	gfe_sub(&r->x, &r->x, &zz);
	gfe_mul(&r->y, &yy, &t);
	gfe_mul(&zz, &xz, &xx);
	gfe_add(&r->y, &r->y, &zz);
	gfe_mul(&r->z, &yz, &t);
	gfe_mul(&zz, &xy, &xx);
	gfe_add(&r->z, &r->z, &zz);
}

/* Algorithm 9. */
static void homog_dbl(struct g_homog *r, const struct g_homog *p,
		      const struct gfe *b3)
{
	struct gfe yy, yy8, yz, zz, xy, t, sum;

	gfe_sqr(&yy, &p->y);
	gfe_dbl(&yy8, &yy);
	gfe_dbl(&yy8, &yy8);
	gfe_dbl(&yy8, &yy8);
	gfe_mul(&yz, &p->y, &p->z);
	gfe_sqr(&zz, &p->z);
	gfe_mul(&zz, b3, &zz);
	gfe_mul(&xy, &p->x, &p->y);
	gfe_add(&sum, &yy, &zz);
	gfe_dbl(&t, &zz);
	gfe_add(&t, &t, &zz);
	gfe_sub(&yy, &yy, &t);
	gfe_mul(&t, &zz, &yy8);
	gfe_mul(&r->z, &yz, &yy8);
	gfe_mul(&r->y, &yy, &sum);
	gfe_add(&r->y, &r->y, &t);
	gfe_mul(&r->x, &yy, &xy);
	gfe_dbl(&r->x, &r->x);
}

/* r = table[digit], reading every entry. */
static void table_read(struct g_homog *r, const struct g_homog *table,
		       limb_t digit)
{
	limb_t i, diff, mask;

	*r = table[0];
	for (i = 1; i < TABLE_SIZE; i++) {
		diff = i ^ digit;
		/* all ones where diff is 0: diff - 1 borrows */
		mask = 0 - ((diff - 1) >> (LIMB_BITS - 1));
		gfe_select(&r->x, mask, &table[i].x, &r->x);
		gfe_select(&r->y, mask, &table[i].y, &r->y);
		gfe_select(&r->z, mask, &table[i].z, &r->z);
	}
}

void g_mul(struct g_xyzz *r, const struct g_affine *p, const limb_t k[FR_LIMBS])
{
	struct g_homog table[TABLE_SIZE], acc, entry;
	unsigned int i, bit = FR_LIMBS * LIMB_BITS;
	struct gfe b3, zz;

	if (g_affine_is_inf(p)) {
		g_xyzz_set_inf(r);
		return;
	}
	gfe_dbl(&b3, &curve_b);
	gfe_add(&b3, &b3, &curve_b);
	table[0].x = gfe_zero;
	table[0].y = gfe_one;
	table[0].z = gfe_zero;
	table[1].x = p->x;
	table[1].y = p->y;
	table[1].z = gfe_one;
	for (i = 2; i < TABLE_SIZE; i++)
		homog_add(&table[i], &table[i - 1], &table[1], &b3);
	acc = table[0];
	while (bit) {
		bit -= WINDOW_BITS;
		for (i = 0; i < WINDOW_BITS; i++)
			homog_dbl(&acc, &acc, &b3);
		table_read(&entry, table,
			   k[bit / LIMB_BITS] >> bit % LIMB_BITS &
				   (TABLE_SIZE - 1));
		homog_add(&acc, &acc, &entry, &b3);
	}
	/* To XYZZ without an inversion: X Z, Y Z^2, Z^2, Z^3. */
	gfe_sqr(&zz, &acc.z);
	gfe_mul(&r->x, &acc.x, &acc.z);
	gfe_mul(&r->y, &acc.y, &zz);
	gfe_mul(&r->zzz, &zz, &acc.z);
	r->zz = zz;
	/* Of a point that may be secret, too. */
	lull_wipe(table, sizeof(table));
	lull_wipe(&acc, sizeof(acc));
	lull_wipe(&entry, sizeof(entry));
	lull_wipe(&zz, sizeof(zz));
}
