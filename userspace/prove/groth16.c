// SPDX-License-Identifier: Apache-2.0
/*
 * groth16.c - picks the table of a curve; groth16_tmpl.c makes it
 */
#include "prove/groth16.h"

extern const struct lull_groth16_ops lull_bn254_groth16;
extern const struct lull_groth16_ops lull_bls12_381_groth16;

const struct lull_groth16_ops *lull_groth16(enum lull_curve curve)
{
	switch (curve) {
	case LULL_CURVE_BN254:
		return &lull_bn254_groth16;
	case LULL_CURVE_BLS12_381:
		return &lull_bls12_381_groth16;
	}
	return NULL;
}
