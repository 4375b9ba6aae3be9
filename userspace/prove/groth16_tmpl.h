/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groth16_tmpl.h - the functions behind one curve's struct lull_groth16_ops
 *
 * Contracts stand in groth16.h.
 */
#ifndef LULL_PROVE_GROTH16_TMPL_H
#define LULL_PROVE_GROTH16_TMPL_H

#include "curve/bind.h"
#include "prove/groth16.h"

#define groth16 LULL_CURVE_NAME(groth16)
#define g1_points_check LULL_CURVE_NAME(g1_points_check)
#define g2_points_check LULL_CURVE_NAME(g2_points_check)
#define groth16_assemble LULL_CURVE_NAME(groth16_assemble)
#define groth16_verify LULL_CURVE_NAME(groth16_verify)
#define groth16_verify_key LULL_CURVE_NAME(groth16_verify_key)
#define groth16_check_bytes LULL_CURVE_NAME(groth16_check_bytes)
#define groth16_vkey LULL_CURVE_NAME(groth16_vkey)
#define groth16_satisfied LULL_CURVE_NAME(groth16_satisfied)

void g1_points_check(const uint8_t *points, size_t lo, size_t hi, bool subgroup,
		     struct lull_points_report *ret_report);
void g2_points_check(const uint8_t *points, size_t lo, size_t hi, bool subgroup,
		     struct lull_points_report *ret_report);
void groth16_assemble(const struct lull_parts *key,
		      const struct lull_msm_sums *sums, const uint8_t *r,
		      const uint8_t *s, struct lull_json_proof *ret_proof);
int groth16_verify(const struct lull_json_vkey *vkey, const uint8_t *publics,
		   const struct lull_json_proof *proof,
		   struct lull_workers *workers, struct lull_arena *arena,
		   struct lull_error *reterr);
int groth16_verify_key(const struct lull_parts *key, const uint8_t *publics,
		       const struct lull_json_proof *proof,
		       struct lull_workers *workers, struct lull_arena *arena,
		       struct lull_error *reterr);
size_t groth16_check_bytes(uint32_t nr_public, unsigned int nr_threads);
void groth16_vkey(const struct lull_parts *key, struct lull_json_vkey *ret_vkey,
		  uint8_t *ret_alphabeta);
int groth16_satisfied(const struct lull_r1cs *r1cs, const uint8_t *witness,
		      struct lull_error *reterr);

#endif
