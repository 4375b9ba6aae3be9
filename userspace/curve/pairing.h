/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairing.h - the optimal ate pairing, subgroup checks and blinded multiples
 *
 * For templates above.  tower.h has the field of the result.
 */
#ifndef LULL_CURVE_PAIRING_H
#define LULL_CURVE_PAIRING_H

#include "curve/group.h"
#include "curve/tower.h"

#define pairing_product LULL_CURVE_NAME(pairing_product)
#define pairing_product_is_one LULL_CURVE_NAME(pairing_product_is_one)
#define g1_in_subgroup LULL_CURVE_NAME(g1_in_subgroup)
#define g2_in_subgroup LULL_CURVE_NAME(g2_in_subgroup)
#define g1_mul LULL_CURVE_NAME(g1_mul)
#define g2_mul LULL_CURVE_NAME(g2_mul)

/*
 * r = e(p[0], q[0]) ... e(p[nr - 1], q[nr - 1]), in the exponent that snarkjs
 * uses for vk_alphabeta_12.  Points are on their curve and in their subgroup;
 * a pair with an infinity counts as 1.
 */
void pairing_product(struct fp12 *r, const struct g1_affine *p,
		     const struct g2_affine *q, unsigned int nr);
bool pairing_product_is_one(const struct g1_affine *p,
			    const struct g2_affine *q, unsigned int nr);

/* For points on the curve: is r P infinity? */
bool g1_in_subgroup(const struct g1_affine *p);
bool g2_in_subgroup(const struct g2_affine *p);

/* r = k p for a secret scalar k below the group order; time does not depend
 * on k.  p is public, on its curve. */
void g1_mul(struct g1_xyzz *r, const struct g1_affine *p,
	    const limb_t k[FR_LIMBS]);
void g2_mul(struct g2_xyzz *r, const struct g2_affine *p,
	    const limb_t k[FR_LIMBS]);

#endif
