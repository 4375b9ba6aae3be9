// SPDX-License-Identifier: Apache-2.0
/*
 * cpu.c - picks the CPU's table of a curve; cpu_tmpl.c has the functions
 */
#include "backend/backend.h"

extern const struct lull_backend_ops lull_bn254_backend_cpu;
extern const struct lull_backend_ops lull_bls12_381_backend_cpu;

const struct lull_backend_ops *lull_backend_cpu(enum lull_curve curve)
{
	switch (curve) {
	case LULL_CURVE_BN254:
		return &lull_bn254_backend_cpu;
	case LULL_CURVE_BLS12_381:
		return &lull_bls12_381_backend_cpu;
	}
	return NULL;
}
