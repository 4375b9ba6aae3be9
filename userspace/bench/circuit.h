/* SPDX-License-Identifier: Apache-2.0 */
/*
 * circuit.h - synthetic circuits of a known shape, and witnesses of them
 *
 * For `lull gen`.  A circuit is never held: a walk makes its rows one after
 * the other, the same ones each time, so that 2^27 of them need three bits of
 * memory a wire.  Each row settles at most one new wire from older ones, so
 * every circuit is satisfiable and its witnesses differ by their free wires.
 *
 * porep	The rows of one 32 GiB proof of replication as measured: 2.4,
 *		1.0 and 2.2 terms a row in A, B and C, a quarter of the wires
 *		in B, 98 of 100 values bits, half of them ones.
 * sha		Rounds of a hash on words of 32 bits: xor, and, additions
 *		whose sums are rows of 162 terms.  Every value is a bit.
 * dense	Products of sums of random multiples; every value is full-size.
 */
#ifndef LULL_BENCH_CIRCUIT_H
#define LULL_BENCH_CIRCUIT_H

#include <stdbool.h>
#include <stdint.h>

#include "curve/facts.h"
#include "lull.h"

/* The smallest has room for every kind of row, the largest is GPU memory's. */
#define LULL_CIRCUIT_LOG2_MIN 10
#define LULL_CIRCUIT_LOG2_MAX 28

/* One more than the longest row, of the additions of sha. */
#define LULL_CIRCUIT_TERMS_MAX 176

/* Bits of a word of sha, and words that one addition adds. */
#define LULL_CIRCUIT_WORD_BITS 32
#define LULL_CIRCUIT_ADDENDS 4

enum lull_circuit_shape {
	LULL_CIRCUIT_POREP = 1,
	LULL_CIRCUIT_SHA,
	LULL_CIRCUIT_DENSE,
};

/**
 * struct lull_circuit - a circuit by its parameters
 * @shape: which rows it has
 * @facts: the curve
 * @log2_domain: constraints and public signals fill a domain of 2^log2_domain
 * @nr_public: public outputs, wires 1 .. nr_public
 * @nr_inputs: private inputs, full-size, behind them
 * @nr_rows: constraints
 * @nr_bits: rows that begin with free bits, for the others to work on
 * @seed: the same seed gives the same circuit
 */
struct lull_circuit {
	enum lull_circuit_shape shape;
	const struct lull_curve_facts *facts;
	unsigned int log2_domain;
	uint32_t nr_public;
	uint32_t nr_inputs;
	uint32_t nr_rows;
	uint32_t nr_bits;
	uint64_t seed;
};

/* A coefficient: 2^@log2, negated if @negative; or number @log2 of the
 * circuit's random ones. */
struct lull_circuit_coef {
	uint8_t log2;
	bool negative;
	bool random;
};

/* How many random coefficients a circuit has. */
#define LULL_CIRCUIT_RANDOM 256

struct lull_circuit_term {
	uint32_t wire;
	struct lull_circuit_coef coef;
};

struct lull_circuit_lc {
	unsigned int nr_terms;
	struct lull_circuit_term terms[LULL_CIRCUIT_TERMS_MAX];
};

/**
 * enum lull_circuit_rule - how a row's wire gets its value
 * @LULL_CIRCUIT_FREE: a bit that the witness is free in
 * @LULL_CIRCUIT_SUM_BIT: bit @bit of the sum of @words
 * @LULL_CIRCUIT_XOR: of the wires of A and B
 * @LULL_CIRCUIT_AND: of the wires of A and B
 * @LULL_CIRCUIT_PRODUCT: of the values of A and B
 * @LULL_CIRCUIT_NONE: no new wire
 */
enum lull_circuit_rule {
	LULL_CIRCUIT_FREE,
	LULL_CIRCUIT_SUM_BIT,
	LULL_CIRCUIT_XOR,
	LULL_CIRCUIT_AND,
	LULL_CIRCUIT_PRODUCT,
	LULL_CIRCUIT_NONE,
};

/**
 * struct lull_circuit_row - one constraint: <a, w> <b, w> = <c, w>
 * @rule: what settles @wire
 * @wire: the new wire, or a public one; 0 for LULL_CIRCUIT_NONE
 * @words: of SUM_BIT: the first wires of the words that are added
 * @bit: of SUM_BIT: which bit of the sum
 * @a: a linear combination
 * @b: another
 * @c: their product
 */
struct lull_circuit_row {
	enum lull_circuit_rule rule;
	uint32_t wire;
	uint32_t words[LULL_CIRCUIT_ADDENDS];
	unsigned int bit;
	struct lull_circuit_lc a, b, c;
};

/* A walk through a circuit's rows; lull_circuit_walk() begins one. */
struct lull_circuit_walk;

/* A number of a circuit's file is counted as its rows go by. */
struct lull_circuit_counts {
	uint32_t nr_wires;
	uint64_t nr_terms_a, nr_terms_b, nr_terms_c;
};

/**
 * lull_circuit_init - settle a circuit's sizes
 * @shape: which rows it has
 * @curve: an enum lull_curve
 * @log2_domain: LULL_CIRCUIT_LOG2_MIN to LULL_CIRCUIT_LOG2_MAX
 * @seed: what distinguishes it from others of its shape
 * @ret_circuit: filled; owns nothing
 */
void lull_circuit_init(enum lull_circuit_shape shape, enum lull_curve curve,
		       unsigned int log2_domain, uint64_t seed,
		       struct lull_circuit *ret_circuit);

/**
 * lull_circuit_walk - begin at the first row
 * @circuit: must outlive the walk
 * @ret_walk: owned by the caller; end it with lull_circuit_walk_end()
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_NOMEM.
 */
int lull_circuit_walk(const struct lull_circuit *circuit,
		      struct lull_circuit_walk **ret_walk,
		      struct lull_error *reterr);

/* The next row, which the walk owns until the one after it; NULL behind the
 * last. */
const struct lull_circuit_row *
lull_circuit_next(struct lull_circuit_walk *walk);

/* Wires that exist so far, the constant one among them. */
uint32_t lull_circuit_nr_wires(const struct lull_circuit_walk *walk);

/* Whether @wire, below lull_circuit_nr_wires(), may have a value other than 0
 * and 1, and how many such wires stand before it. */
bool lull_circuit_is_full(const struct lull_circuit_walk *walk, uint32_t wire,
			  uint32_t *ret_rank);

/* Takes NULL. */
void lull_circuit_walk_end(struct lull_circuit_walk *walk);

/* A coefficient as a plain number below r, little-endian. */
void lull_circuit_coef_plain(const struct lull_circuit *circuit,
			     struct lull_circuit_coef coef,
			     uint8_t plain[LULL_FR_BYTES]);

/**
 * lull_circuit_write_r1cs - write the circuit as circom would
 * @circuit: the circuit
 * @path: appears whole or not at all; a regular file
 * @ret_counts: what was written; may be NULL
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_NOMEM, LULL_IO or LULL_USAGE.
 */
int lull_circuit_write_r1cs(const struct lull_circuit *circuit,
			    const char *path,
			    struct lull_circuit_counts *ret_counts,
			    struct lull_error *reterr);

/**
 * lull_circuit_write_lkey - write the circuit's native key, from a trapdoor
 * @circuit: the circuit
 * @ctx: whose threads, memory and devices to use
 * @path: appears whole or not at all; a regular file
 * @opts: as lull_key_generate_toxic_native() takes them
 * @ret_counts: of the circuit
 * @reterr: filled on failure
 *
 * Return: as lull_key_generate_toxic_native().
 */
int lull_circuit_write_lkey(const struct lull_circuit *circuit,
			    struct lull_ctx *ctx, const char *path,
			    const struct lull_toxic_opts *opts,
			    struct lull_circuit_counts *ret_counts,
			    struct lull_error *reterr);

/**
 * lull_circuit_write_wtns - write one witness
 * @circuit: the circuit
 * @seed: what distinguishes it from the circuit's other witnesses
 * @path: appears whole or not at all
 * @reterr: filled on failure
 *
 * Holds a bit a wire and 32 bytes a full-size value.
 *
 * Return: LULL_OK, LULL_NOMEM or LULL_IO.
 */
int lull_circuit_write_wtns(const struct lull_circuit *circuit, uint64_t seed,
			    const char *path, struct lull_error *reterr);

/* "porep", "sha" or "dense". */
const char *lull_circuit_shape_name(enum lull_circuit_shape shape);

/* And back: LULL_OK, or LULL_USAGE when @name is none of them. */
int lull_circuit_shape_of(const char *name, enum lull_circuit_shape *ret_shape,
			  struct lull_error *reterr);

#endif
