/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keygen_plan.h - what keygen.c settles before keygen_tmpl.c computes
 *
 * Sizes and places only; no field element is seen here.
 */
#ifndef LULL_PROVE_KEYGEN_PLAN_H
#define LULL_PROVE_KEYGEN_PLAN_H

#include <stdint.h>

#include "input/outfile.h"
#include "input/r1cs.h"
#include "input/zkey.h"
#include "lull.h"

/* Sections 1 to 10 at their number, and behind them the one that is ours. */
#define LULL_KEYGEN_TOXIC_SLOT (LULL_ZKEY_CONTRIBUTIONS + 1)
#define LULL_KEYGEN_SLOTS (LULL_KEYGEN_TOXIC_SLOT + 1)

/* Rows that one task takes. */
#define LULL_KEYGEN_MARK_ROWS 4096u

/**
 * struct lull_keygen_mark - where a portion of the rows begins
 * @walk: before its first row
 * @nr_coefs: entries of section 4 of the rows before it
 */
struct lull_keygen_mark {
	struct lull_r1cs_walk walk;
	uint64_t nr_coefs;
};

/**
 * struct lull_keygen_plan - one key to be made
 * @r1cs: the circuit
 * @out: the key's file, its section headers written
 * @workers: the pool to run on
 * @arena: for memory
 * @set: the devices to make points on; NULL for the CPU
 * @seed: LULL_KEYGEN_SEED_BYTES bytes, or NULL for random ones
 * @nr_public: public wires without the constant one
 * @log2_domain: of the domain's size
 * @nr_coefs: entries of section 4
 * @offset: where each section's payload begins
 * @bytes: its size
 * @marks: where portions of LULL_KEYGEN_MARK_ROWS rows begin
 * @nr_marks: how many; 0 of a circuit without rows
 */
struct lull_keygen_plan {
	const struct lull_r1cs *r1cs;
	struct lull_outfile *out;
	struct lull_workers *workers;
	struct lull_arena *arena;
	struct lull_set *set;
	const uint8_t *seed;
	uint32_t nr_public;
	unsigned int log2_domain;
	uint32_t nr_coefs;
	uint64_t offset[LULL_KEYGEN_SLOTS];
	uint64_t bytes[LULL_KEYGEN_SLOTS];
	struct lull_keygen_mark *marks;
	size_t nr_marks;
};

/* Fill sections 2 to 9: keygen_tmpl.c, once per curve. */
int lull_bn254_keygen_fill(const struct lull_keygen_plan *plan,
			   struct lull_error *reterr);
int lull_bls12_381_keygen_fill(const struct lull_keygen_plan *plan,
			       struct lull_error *reterr);

#endif
