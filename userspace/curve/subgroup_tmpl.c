// SPDX-License-Identifier: Apache-2.0
/*
 * subgroup_tmpl.c - is a point of the curve in the subgroup of order r?
 *
 * For keys and proofs from outside.  Each test is one multiplication by the
 * curve parameter and an endomorphism.  Why it is exact: an endomorphism phi
 * has a characteristic polynomial c with c(phi) = 0, so f(phi) P = 0 gives
 * n P = 0 for the resultant n of f and c, and gcd(n, #E) is r.  The converse is
 * the eigenvalue of phi on the subgroup.  scripts/gen-curves.py computes the
 * resultants and their gcds.
 */
#include "curve/pairing.h"

static const limb_t param[1] = { CURVE_CONST(PARAM_ABS) };

/* psi: the Frobenius seen through the twist; c = X^2 - t X + p. */
static void psi(struct g2_xyzz *r, const struct g2_xyzz *p)
{
	static const struct fp2 psi_x = CURVE_CONST(PSI_X);
	static const struct fp2 psi_y = CURVE_CONST(PSI_Y);

	fp2_conj(&r->x, &p->x);
	fp2_mul(&r->x, &r->x, &psi_x);
	fp2_conj(&r->y, &p->y);
	fp2_mul(&r->y, &r->y, &psi_y);
	fp2_conj(&r->zz, &p->zz);
	fp2_conj(&r->zzz, &p->zzz);
}

#if LULL_CURVE_ID == LULL_ID_bn254
/* The curve itself has order r. */
bool g1_in_subgroup(const struct g1_affine *p)
{
	(void)p;
	return true;
}

/*
 * (u + 1) P + psi(u P) + psi^2(u P) = psi^3(2 u P): Dai, Lin, Zhao and Zhou,
 * "Fast subgroup membership testings for G1, G2 and GT on pairing-friendly
 * curves" (2023, IACR ePrint 2022/348), with u of 63 bits where
 * psi(P) = 6 u^2 P would have 128.
 */
bool g2_in_subgroup(const struct g2_affine *p)
{
	struct g2_xyzz up, lhs, t;

	g2_mul_var(&up, p, param, LULL_ARRAY_SIZE(param));
	g2_xyzz_add_affine(&lhs, &up, p);
	psi(&t, &up);
	g2_xyzz_add(&lhs, &lhs, &t);
	psi(&t, &t);
	g2_xyzz_add(&lhs, &lhs, &t);
	psi(&t, &t);
	g2_xyzz_dbl(&t, &t);
	return g2_xyzz_equal(&lhs, &t);
}
#elif LULL_CURVE_ID == LULL_ID_bls12_381
/*
 * phi(P) = (x^2 - 1) P for phi(x, y) = (beta x, y), c = X^2 + X + 1, whose
 * value at x^2 - 1 is r itself: Scott, "A note on group membership tests for
 * G1, G2 and GT on BLS pairing-friendly curves" (IACR ePrint 2021/1130).
 */
bool g1_in_subgroup(const struct g1_affine *p)
{
	static const struct fp beta = { CURVE_CONST(FP_BETA) };
	/* below 2^128: the product of two words */
	const limb2_t square = (limb2_t)param[0] * param[0];
	const limb_t xx[2] = { (limb_t)square, (limb_t)(square >> LIMB_BITS) };
	struct g1_affine phi = *p;
	struct g1_xyzz lhs, rhs;

	g1_mul_var(&lhs, p, xx, LULL_ARRAY_SIZE(xx));
	fp_mul(&phi.x, &phi.x, &beta);
	g1_xyzz_from_affine(&rhs, &phi);
	g1_xyzz_add_affine(&rhs, &rhs, p);
	return g1_xyzz_equal(&lhs, &rhs);
}

/*
 * psi(P) = x P, x negative: Scott, as above; the proof is in El Housni,
 * Guillevic and Piellard, "Co-factor clearing and subgroup membership testing
 * on pairing-friendly curves" (AFRICACRYPT 2022).
 */
bool g2_in_subgroup(const struct g2_affine *p)
{
	struct g2_xyzz xp, t;

	g2_mul_var(&xp, p, param, LULL_ARRAY_SIZE(param));
	g2_xyzz_from_affine(&t, p);
	psi(&t, &t);
	fp2_neg(&t.y, &t.y);
	return g2_xyzz_equal(&xp, &t);
}
#else
#error "no subgroup test for this curve"
#endif
