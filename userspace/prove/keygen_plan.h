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
#include "input/zkey.h"
#include "lull.h"
#include "prove/keygen_circuit.h"

/* Sections 1 to 10 at their number, and behind them the one that is ours. */
#define LULL_KEYGEN_TOXIC_SLOT (LULL_ZKEY_CONTRIBUTIONS + 1)
#define LULL_KEYGEN_SLOTS (LULL_KEYGEN_TOXIC_SLOT + 1)

struct lull_keygen_native;

/**
 * struct lull_keygen_plan - one key to be made
 * @circuit: what the key is of
 * @out: the key's file, its section headers written
 * @workers: the pool to run on
 * @arena: for memory
 * @set: the devices to make points on; NULL for the CPU
 * @seed: LULL_KEYGEN_SEED_BYTES bytes, or NULL for random ones
 * @log2_domain: of the domain's size
 * @nr_coefs: entries of A and B, those of the public wires' own rows among them
 * @offset: where each section's payload begins
 * @bytes: its size
 * @native: the file is a .lkey: what is needed for that; NULL: a .zkey
 */
struct lull_keygen_plan {
	const struct lull_keygen_circuit *circuit;
	struct lull_outfile *out;
	struct lull_workers *workers;
	struct lull_arena *arena;
	struct lull_set *set;
	const uint8_t *seed;
	unsigned int log2_domain;
	uint32_t nr_coefs;
	uint64_t offset[LULL_KEYGEN_SLOTS];
	uint64_t bytes[LULL_KEYGEN_SLOTS];
	struct lull_keygen_native *native;
};

/* When a part of the work began: by the clock, and what all processors had
 * given to this process. */
struct lull_keygen_start {
	uint64_t wall_ns, cpu_ns;
};

struct lull_keygen_start lull_keygen_start(void);
/* Says that @what took the time since then. */
void lull_keygen_say(const struct lull_keygen_plan *plan, const char *what,
		     const struct lull_keygen_start *start);

/* Settles the domain and counts coefficients, of plan->circuit; says what memory
 * the key takes.  LULL_OK, LULL_UNSUPPORTED, or LULL_NOMEM where the machine has
 * not so much, or cgroups leave less. */
int lull_keygen_settle(struct lull_keygen_plan *plan,
		       struct lull_error *reterr);

/* Fills sections 2 to 9, for the circuit's curve.  LULL_OK, LULL_NOMEM,
 * LULL_DEVICE or LULL_IO. */
int lull_keygen_fill(const struct lull_keygen_plan *plan,
		     struct lull_error *reterr);

/* The same of one curve: keygen_tmpl.c. */
int lull_bn254_keygen_fill(const struct lull_keygen_plan *plan,
			   struct lull_error *reterr);
int lull_bls12_381_keygen_fill(const struct lull_keygen_plan *plan,
			       struct lull_error *reterr);

/* Coefficients, plain, as files have them: times 2^512: keygen_rows_tmpl.c. */
void lull_bn254_keygen_file_values(uint8_t *to, const uint8_t *plain,
				   size_t nr);
void lull_bls12_381_keygen_file_values(uint8_t *to, const uint8_t *plain,
				       size_t nr);

/* ---- keygen_native.c ---------------------------------------------------- */

/* Whether C is folded into L. */
bool lull_keygen_is_folded(const struct lull_keygen_native *native);

/* Writes rows, columns and coefficients; then the circuit's rows are gone. */
int lull_keygen_write_rows(struct lull_keygen_native *native,
			   struct lull_error *reterr);

/* So many points of a section more are infinity, from any thread. */
void lull_keygen_add_inf(struct lull_keygen_native *native,
			 unsigned int section, size_t nr);
/* None is yet. */
void lull_keygen_clear_inf(struct lull_keygen_native *native);

#endif
