// SPDX-License-Identifier: Apache-2.0
/*
 * assemble_tmpl.c - blinding and the last additions
 *
 *	pi_a  = alpha1 + A  + r delta1
 *	pi_b  = beta2  + B2 + s delta2
 *	pi_b1 = beta1  + B1 + s delta1
 *	pi_c  = L + H + s pi_a + r pi_b1 - r s delta1
 *
 * as in Groth, "On the Size of Pairing-Based Non-interactive Arguments" (2016),
 * section 3.2, with snarkjs's H.  r and s are secret: multiples by them take
 * the same time for all values, and copies are wiped.  So are those of the sums,
 * from which a guess of the witness can be told to be right.
 */
#include "base/mem.h"
#include "curve/pairing.h"
#include "prove/groth16_tmpl.h"

/* sum = base + msm + k delta, affine. */
static void blind_g1(struct g1_affine *sum, const uint8_t *base,
		     const uint8_t *msm, const uint8_t *delta, const limb_t *k)
{
	struct g1_affine p;
	struct g1_xyzz acc;

	memcpy(&p, delta, sizeof(p));
	g1_mul(&acc, &p, k);
	memcpy(&p, base, sizeof(p));
	g1_xyzz_add_affine(&acc, &acc, &p);
	memcpy(&p, msm, sizeof(p));
	g1_xyzz_add_affine(&acc, &acc, &p);
	g1_xyzz_to_affine(sum, &acc);
	lull_wipe(&p, sizeof(p));
	lull_wipe(&acc, sizeof(acc));
}

static void blind_g2(struct g2_affine *sum, const uint8_t *base,
		     const uint8_t *msm, const uint8_t *delta, const limb_t *k)
{
	struct g2_affine p;
	struct g2_xyzz acc;

	memcpy(&p, delta, sizeof(p));
	g2_mul(&acc, &p, k);
	memcpy(&p, base, sizeof(p));
	g2_xyzz_add_affine(&acc, &acc, &p);
	memcpy(&p, msm, sizeof(p));
	g2_xyzz_add_affine(&acc, &acc, &p);
	g2_xyzz_to_affine(sum, &acc);
	lull_wipe(&p, sizeof(p));
	lull_wipe(&acc, sizeof(acc));
}

/* minus_rs = -(r s) as a plain integer. */
static void minus_product(limb_t *minus_rs, const limb_t *r, const limb_t *s)
{
	struct fr x, y;

	fr_from_plain(&x, r);
	fr_from_plain(&y, s);
	fr_mul(&x, &x, &y);
	fr_neg(&x, &x);
	fr_to_plain(minus_rs, &x);
	lull_wipe(&x, sizeof(x));
	lull_wipe(&y, sizeof(y));
}

static void make_c(struct g1_affine *pi_c, const struct lull_parts *key,
		   const struct lull_msm_sums *sums,
		   const struct g1_affine *pi_a, const struct g1_affine *pi_b1,
		   const limb_t *r, const limb_t *s)
{
	limb_t minus_rs[FR_LIMBS];
	struct g1_affine p;
	struct g1_xyzz acc, t;

	g1_mul(&acc, pi_a, s);
	g1_mul(&t, pi_b1, r);
	g1_xyzz_add(&acc, &acc, &t);
	minus_product(minus_rs, r, s);
	memcpy(&p, key->delta1, sizeof(p));
	g1_mul(&t, &p, minus_rs);
	g1_xyzz_add(&acc, &acc, &t);
	memcpy(&p, sums->l, sizeof(p));
	g1_xyzz_add_affine(&acc, &acc, &p);
	memcpy(&p, sums->h, sizeof(p));
	g1_xyzz_add_affine(&acc, &acc, &p);
	g1_xyzz_to_affine(pi_c, &acc);
	lull_wipe(minus_rs, sizeof(minus_rs));
	lull_wipe(&p, sizeof(p));
	lull_wipe(&acc, sizeof(acc));
	lull_wipe(&t, sizeof(t));
}

static void put_plain(uint8_t *out, const struct fp *x)
{
	limb_t plain[FP_LIMBS];

	fp_to_plain(plain, x);
	memcpy(out, plain, sizeof(plain));
}

static void put_g1(uint8_t *out, const struct g1_affine *p)
{
	put_plain(out, &p->x);
	put_plain(out + sizeof(p->x), &p->y);
}

static void put_g2(uint8_t *out, const struct g2_affine *p)
{
	put_plain(out, &p->x.c0);
	put_plain(out + sizeof(struct fp), &p->x.c1);
	put_plain(out + 2 * sizeof(struct fp), &p->y.c0);
	put_plain(out + 3 * sizeof(struct fp), &p->y.c1);
}

void groth16_assemble(const struct lull_parts *key,
		      const struct lull_msm_sums *sums, const uint8_t *r,
		      const uint8_t *s, struct lull_json_proof *ret_proof)
{
	limb_t r_limbs[FR_LIMBS], s_limbs[FR_LIMBS];
	struct g1_affine pi_a, pi_b1, pi_c;
	struct g2_affine pi_b;

	memcpy(r_limbs, r, sizeof(r_limbs));
	memcpy(s_limbs, s, sizeof(s_limbs));
	blind_g1(&pi_a, key->alpha1, sums->a, key->delta1, r_limbs);
	blind_g2(&pi_b, key->beta2, sums->b2, key->delta2, s_limbs);
	blind_g1(&pi_b1, key->beta1, sums->b1, key->delta1, s_limbs);
	make_c(&pi_c, key, sums, &pi_a, &pi_b1, r_limbs, s_limbs);
	memset(ret_proof, 0, sizeof(*ret_proof));
	ret_proof->curve = key->curve;
	put_g1(ret_proof->a, &pi_a);
	put_g2(ret_proof->b, &pi_b);
	put_g1(ret_proof->c, &pi_c);
	lull_wipe(r_limbs, sizeof(r_limbs));
	lull_wipe(s_limbs, sizeof(s_limbs));
	lull_wipe(&pi_b1, sizeof(pi_b1));
}

/* ---- the verification key --------------------------------------------- */

static void put_g1_bytes(uint8_t *out, const uint8_t *point)
{
	struct g1_affine p;

	memcpy(&p, point, sizeof(p));
	put_g1(out, &p);
}

static void put_g2_bytes(uint8_t *out, const uint8_t *point)
{
	struct g2_affine p;

	memcpy(&p, point, sizeof(p));
	put_g2(out, &p);
}

void groth16_vkey(const struct lull_parts *key, struct lull_json_vkey *ret_vkey,
		  uint8_t *ret_alphabeta)
{
	const size_t point = sizeof(struct g1_affine);
	const struct fp *coords;
	struct g1_affine alpha;
	struct g2_affine beta;
	struct fp12 e;
	size_t i;

	ret_vkey->curve = key->curve;
	ret_vkey->nr_public = key->nr_public;
	put_g1_bytes(ret_vkey->alpha1, key->alpha1);
	put_g2_bytes(ret_vkey->beta2, key->beta2);
	put_g2_bytes(ret_vkey->gamma2, key->gamma2);
	put_g2_bytes(ret_vkey->delta2, key->delta2);
	for (i = 0; i <= key->nr_public; i++)
		put_g1_bytes(ret_vkey->ic + i * point, key->ic + i * point);
	memcpy(&alpha, key->alpha1, sizeof(alpha));
	memcpy(&beta, key->beta2, sizeof(beta));
	pairing_product(&e, &alpha, &beta, 1);
	/* Fp12 in memory is 2 x 3 x 2 coordinates, JSON's own order. */
	coords = (const struct fp *)&e;
	for (i = 0; i < sizeof(e) / sizeof(struct fp); i++)
		put_plain(ret_alphabeta + i * sizeof(struct fp), &coords[i]);
}
