/* SPDX-License-Identifier: Apache-2.0 */
/*
 * r1cs.h - a circuit's constraints as circom writes them
 *
 * Maps the file and checks every term once.  r1cs.c opens with the format.
 * Refuses custom gates: Groth16 has none.
 *
 * A mapping shows what others write to the file meanwhile, so whatever a length
 * or a wire has become, a walk stays inside the section and a wire below nr_wires.
 * What such a walk finds is nobody's circuit; and a coefficient may be r or more.
 */
#ifndef LULL_INPUT_R1CS_H
#define LULL_INPUT_R1CS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "curve/facts.h"
#include "input/binfile.h"
#include "lull.h"

enum {
	LULL_R1CS_HEADER = 1,
	LULL_R1CS_CONSTRAINTS = 2,
	LULL_R1CS_LABELS = 3,
	LULL_R1CS_GATES = 4,
	LULL_R1CS_GATE_USES = 5,
};

#define LULL_R1CS_VERSION 1

/* One term: u32 wire and the coefficient, plain, little-endian. */
#define LULL_R1CS_TERM_VALUE 4
#define LULL_R1CS_TERM_BYTES (LULL_R1CS_TERM_VALUE + LULL_FR_BYTES)

/**
 * struct lull_r1cs - an open circuit
 * @file: the container; its trailing_bytes are worth a warning
 * @curve: the curve whose r the coefficients belong to
 * @facts: that curve's sizes and primes
 * @nr_wires: the constant one among them
 * @nr_pub_out: public outputs; wires 1 ..
 * @nr_pub_in: public inputs; the wires behind the outputs
 * @nr_prv_in: private inputs
 * @nr_labels: signals before simplification
 * @nr_constraints: how often lull_r1cs_next() gives a row
 * @nr_terms_a: terms of A in all constraints, for those who allocate
 * @nr_terms_b: terms of B
 * @nr_terms_c: terms of C
 * @constraints: section 2
 * @constraints_end: behind it
 * @labels: section 3, nr_wires of u64; NULL when the file has none
 */
struct lull_r1cs {
	struct lull_binfile file;
	enum lull_curve curve;
	const struct lull_curve_facts *facts;
	uint32_t nr_wires;
	uint32_t nr_pub_out;
	uint32_t nr_pub_in;
	uint32_t nr_prv_in;
	uint64_t nr_labels;
	uint32_t nr_constraints;
	uint64_t nr_terms_a, nr_terms_b, nr_terms_c;
	const uint8_t *constraints, *constraints_end;
	const uint8_t *labels;
};

/* One linear combination: @nr_terms of LULL_R1CS_TERM_BYTES, any alignment, of
 * wires below @nr_wires. */
struct lull_r1cs_lc {
	uint32_t nr_terms, nr_wires;
	const uint8_t *terms;
};

/* One constraint: <a, w> * <b, w> = <c, w>. */
struct lull_r1cs_row {
	struct lull_r1cs_lc a, b, c;
};

/**
 * struct lull_r1cs_walk - where a walk stands; copy it to come back
 * @row: number of the constraint that comes next
 * @next: its first byte
 */
struct lull_r1cs_walk {
	uint32_t row;
	const uint8_t *next;
};

/**
 * lull_r1cs_open - map a circuit and check every term of it
 * @path: the file
 * @ret_r1cs: owned by the caller; end it with lull_r1cs_close()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_FORMAT, LULL_RANGE, LULL_UNSUPPORTED
 * (version, curve or custom gates) or LULL_USAGE.
 */
int lull_r1cs_open(const char *path, struct lull_r1cs *ret_r1cs,
		   struct lull_error *reterr);

/**
 * lull_r1cs_open_mem - as lull_r1cs_open(), from the caller's memory
 * @data: not copied; must outlive the circuit
 * @bytes: its size
 * @name: what messages call it
 * @ret_r1cs: owned by the caller; end it with lull_r1cs_close()
 * @reterr: filled on failure
 *
 * Return: as lull_r1cs_open(), without LULL_IO.
 */
int lull_r1cs_open_mem(const void *data, size_t bytes, const char *name,
		       struct lull_r1cs *ret_r1cs, struct lull_error *reterr);

/**
 * lull_r1cs_close - unmap and empty; an empty one is left alone
 * @r1cs: the circuit
 */
void lull_r1cs_close(struct lull_r1cs *r1cs);

/**
 * lull_r1cs_walk - begin at the first constraint
 * @r1cs: an open circuit
 *
 * Return: the walk; it needs no ending.
 */
struct lull_r1cs_walk lull_r1cs_walk(const struct lull_r1cs *r1cs);

/**
 * lull_r1cs_next - take the next constraint
 * @r1cs: the circuit that the walk began with
 * @walk: moved behind the constraint
 * @ret_row: the constraint; its pointers live as long as the circuit
 *
 * Return: false, leaving *ret_row alone, when there is none left.
 */
bool lull_r1cs_next(const struct lull_r1cs *r1cs, struct lull_r1cs_walk *walk,
		    struct lull_r1cs_row *ret_row);

/* Term @i; of wire 0 and nothing where a row has become shorter. */
static inline const uint8_t *lull_r1cs_term(const struct lull_r1cs_lc *lc,
					    uint32_t i)
{
	static const uint8_t none[LULL_R1CS_TERM_BYTES];

	return lull_likely(i < lc->nr_terms)
		       ? lc->terms + (size_t)i * LULL_R1CS_TERM_BYTES
		       : none;
}

/* Its wire; below nr_wires. */
static inline uint32_t lull_r1cs_term_wire(const struct lull_r1cs_lc *lc,
					   uint32_t i)
{
	uint32_t wire = lull_load_u32_once(lull_r1cs_term(lc, i));

	return lull_likely(wire < lc->nr_wires) ? wire : 0;
}

/* The 32 bytes of its coefficient; below r unless the file has changed. */
static inline const uint8_t *lull_r1cs_term_value(const struct lull_r1cs_lc *lc,
						  uint32_t i)
{
	return lull_r1cs_term(lc, i) + LULL_R1CS_TERM_VALUE;
}

#endif
