// SPDX-License-Identifier: Apache-2.0
/*
 * groth16_tmpl.c - one curve's table
 */
#include "prove/groth16_tmpl.h"

extern const struct lull_groth16_ops groth16;

const struct lull_groth16_ops groth16 = {
	.check_g1 = g1_points_check,
	.check_g2 = g2_points_check,
	.assemble = groth16_assemble,
	.verify_key = groth16_verify_key,
	.check_bytes = groth16_check_bytes,
	.verify = groth16_verify,
	.vkey = groth16_vkey,
	.satisfied = groth16_satisfied,
};
