/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keygen_circuit.h - the rows of a circuit that a test key is made of
 *
 * Either those of an .r1cs, which is mapped, or rows in memory, as whoever has
 * no file gives them one by one: 6 bytes a term, 6 a row.  Threads take portions
 * of them; in a portion rows are read one after the other, in the same way
 * whichever they are.
 */
#ifndef LULL_PROVE_KEYGEN_CIRCUIT_H
#define LULL_PROVE_KEYGEN_CIRCUIT_H

#include "arena/arena.h"
#include "curve/facts.h"
#include "input/r1cs.h"
#include "lull.h"

enum { MATRIX_A, MATRIX_B, MATRIX_C, NR_MATRICES };

_Static_assert(NR_MATRICES == LULL_TOXIC_MATRICES, "A, B and C");

/**
 * struct lull_keygen_lc - one linear combination
 * @mapped: of an .r1cs; its terms are NULL: as many in the members below
 * @wires: of each term
 * @coefs: the number of its coefficient
 * @values: coefficients by their number, plain, LULL_FR_BYTES each
 */
struct lull_keygen_lc {
	struct lull_r1cs_lc mapped;
	const uint32_t *wires;
	const uint16_t *coefs;
	const uint8_t *values;
};

/**
 * struct lull_keygen_portion - some rows
 * @walk: of an .r1cs: before the first of them
 * @first: number of the first row
 * @nr_rows: how many
 * @before: terms of each matrix in the portions before it
 * @nr_terms: and in this one
 * @vec: in memory: wires, then coefficients, then lengths; A, B, C each
 */
struct lull_keygen_portion {
	struct lull_r1cs_walk walk;
	uint32_t first, nr_rows;
	uint64_t before[NR_MATRICES];
	uint32_t nr_terms[NR_MATRICES];
	struct lull_vec vec;
};

/**
 * struct lull_keygen_circuit - all of them
 * @name: for messages
 * @facts: of the curve
 * @nr_wires: the constant one among them
 * @nr_public: public ones without it
 * @nr_rows: constraints
 * @nr_terms: of each matrix
 * @r1cs: the file; NULL: in memory
 * @values: in memory: coefficients, plain; the caller's
 * @nr_values: how many
 * @portions: all rows in order
 * @nr_portions: 0 of a circuit without rows
 * @portions_vec: owns @portions
 */
struct lull_keygen_circuit {
	const char *name;
	const struct lull_curve_facts *facts;
	uint32_t nr_wires, nr_public, nr_rows;
	uint64_t nr_terms[NR_MATRICES];
	const struct lull_r1cs *r1cs;
	const uint8_t *values;
	uint32_t nr_values;
	struct lull_keygen_portion *portions;
	size_t nr_portions;
	struct lull_vec portions_vec;
};

/* The rows of an .r1cs, which must outlive *ret_circuit: one walk through their
 * lengths.  LULL_OK or LULL_NOMEM. */
int lull_keygen_circuit_map(const struct lull_r1cs *r1cs,
			    struct lull_arena *arena,
			    struct lull_keygen_circuit *ret_circuit,
			    struct lull_error *reterr);

/* The rows that @source gives, which are checked.  Its values must outlive
 * *ret_circuit.  LULL_OK, LULL_NOMEM, LULL_RANGE, LULL_UNSUPPORTED, or
 * LULL_USAGE where wires become fewer. */
int lull_keygen_circuit_take(const struct lull_toxic_circuit *source,
			     struct lull_arena *arena,
			     struct lull_keygen_circuit *ret_circuit,
			     struct lull_error *reterr);

/* Gives its memory back to the system; an empty one is left alone. */
void lull_keygen_circuit_end(struct lull_keygen_circuit *circuit);

/* Terms of one matrix in a portion that lies in memory. */
const uint32_t *
lull_keygen_portion_wires(const struct lull_keygen_portion *portion,
			  unsigned int matrix);
const uint16_t *
lull_keygen_portion_coefs(const struct lull_keygen_portion *portion,
			  unsigned int matrix);
/* And how many each of its rows has. */
const uint16_t *
lull_keygen_portion_lengths(const struct lull_keygen_portion *portion,
			    unsigned int matrix);

/**
 * struct lull_keygen_walk - where a walk through a portion stands
 * @circuit: whose
 * @portion: which
 * @row: of all: the one that comes next
 * @walk: of an .r1cs
 * @rest: in memory: what comes next
 * @lengths: likewise
 */
struct lull_keygen_walk {
	const struct lull_keygen_circuit *circuit;
	const struct lull_keygen_portion *portion;
	uint32_t row;
	struct lull_r1cs_walk walk;
	struct lull_keygen_lc rest[NR_MATRICES];
	const uint16_t *lengths[NR_MATRICES];
};

/* Before the first row of portion @index. */
struct lull_keygen_walk
lull_keygen_walk(const struct lull_keygen_circuit *circuit, size_t index);

/* The next row; false behind the portion's last. */
bool lull_keygen_next(struct lull_keygen_walk *walk,
		      struct lull_keygen_lc row[NR_MATRICES]);

static inline uint32_t lull_keygen_nr_terms(const struct lull_keygen_lc *lc)
{
	return lc->mapped.nr_terms;
}

/* The wire of term @i; below nr_wires. */
static inline uint32_t lull_keygen_term_wire(const struct lull_keygen_lc *lc,
					     uint32_t i)
{
	return lc->mapped.terms ? lull_r1cs_term_wire(&lc->mapped, i)
				: lc->wires[i];
}

/* The 32 bytes of the coefficient of term @i, plain, below r. */
static inline const uint8_t *
lull_keygen_term_value(const struct lull_keygen_lc *lc, uint32_t i)
{
	return lc->mapped.terms
		       ? lull_r1cs_term_value(&lc->mapped, i)
		       : lc->values + (size_t)lc->coefs[i] * LULL_FR_BYTES;
}

#endif
