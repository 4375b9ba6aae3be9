/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groth16.h - what depends on the curve between the MSMs and the proof
 *
 * One table per curve: point checks of a key, assembly of a proof, its
 * verification, the verification key.  Points come and go as bytes: affine,
 * Montgomery, as a .zkey has them, at any alignment; JSON's are plain.
 */
#ifndef LULL_PROVE_GROTH16_H
#define LULL_PROVE_GROTH16_H

#include <stdbool.h>

#include "backend/backend.h"
#include "curve/facts.h"
#include "input/json.h"
#include "input/r1cs.h"
#include "input/parts.h"

/* How the points of a range turned out. */
enum lull_points_fault {
	LULL_POINTS_OK,
	LULL_POINTS_COORDINATE, /* not below q */
	LULL_POINTS_CURVE,	/* not on the curve */
	LULL_POINTS_SUBGROUP,	/* not of order r */
};

/**
 * struct lull_points_report - what a check of points found
 * @nr_inf: points at infinity before the fault, or in all
 * @fault: the first fault
 * @index: of the point with that fault
 */
struct lull_points_report {
	size_t nr_inf;
	enum lull_points_fault fault;
	size_t index;
};

/* The sums of the five multiplications. */
struct lull_msm_sums {
	uint8_t a[LULL_POINT_BYTES_MAX];
	uint8_t b1[LULL_POINT_BYTES_MAX];
	uint8_t b2[LULL_POINT_BYTES_MAX];
	uint8_t l[LULL_POINT_BYTES_MAX];
	uint8_t h[LULL_POINT_BYTES_MAX];
};

struct lull_arena;

/**
 * struct lull_groth16_ops - one curve
 * @check_g1: check points [lo, hi) of an array; with @subgroup also the order
 * @check_g2: the same in G2
 * @assemble: blind the sums with r and s (plain, below r, 32 bytes) into a
 *	proof:
 *	  pi_a = alpha + A + r delta, pi_b = beta + B + s delta,
 *	  pi_c = L + H + s pi_a + r pi_b1 - r s delta
 * @verify_key: does the proof verify under this key?
 * @check_bytes: what that has of the arena meanwhile, at most
 * @verify: the same for a key from JSON, whose points and the proof's are
 *	checked first; LULL_INVALID says in @reterr what is wrong with the proof
 * @vkey: the key's verification key and e(alpha, beta); ret_vkey->ic has room
 *	for nr_public + 1 points of G1
 * @satisfied: LULL_UNSATISFIED with the first constraint of an open circuit
 *	that the witness does not satisfy
 */
struct lull_groth16_ops {
	void (*check_g1)(const uint8_t *points, size_t lo, size_t hi,
			 bool subgroup, struct lull_points_report *ret_report);
	void (*check_g2)(const uint8_t *points, size_t lo, size_t hi,
			 bool subgroup, struct lull_points_report *ret_report);
	void (*assemble)(const struct lull_parts *key,
			 const struct lull_msm_sums *sums, const uint8_t *r,
			 const uint8_t *s, struct lull_json_proof *ret_proof);
	int (*verify_key)(const struct lull_parts *key, const uint8_t *publics,
			  const struct lull_json_proof *proof,
			  struct lull_workers *workers,
			  struct lull_arena *arena, struct lull_error *reterr);
	size_t (*check_bytes)(uint32_t nr_public, unsigned int nr_threads);
	int (*verify)(const struct lull_json_vkey *vkey, const uint8_t *publics,
		      const struct lull_json_proof *proof,
		      struct lull_workers *workers, struct lull_arena *arena,
		      struct lull_error *reterr);
	void (*vkey)(const struct lull_parts *key,
		     struct lull_json_vkey *ret_vkey, uint8_t *ret_alphabeta);
	int (*satisfied)(const struct lull_r1cs *r1cs, const uint8_t *witness,
			 struct lull_error *reterr);
};

/* The table of a curve; never NULL for a curve of the enum. */
const struct lull_groth16_ops *lull_groth16(enum lull_curve curve);

#endif
