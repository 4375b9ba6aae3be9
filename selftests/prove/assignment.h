/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assignment.h - what bellperson hands to a prover, from an .r1cs and a .wtns
 *
 * For tests of assigned proofs, BLS12-381 only.  Evaluations are computed here,
 * from the circuit, without the code under test.
 */
#ifndef LULL_SELFTESTS_ASSIGNMENT_H
#define LULL_SELFTESTS_ASSIGNMENT_H

/* The format is this curve's alone. */
#ifndef LULL_CURVE
#define LULL_CURVE bls12_381
#endif

#include "curve/fr.h"
#include "input/r1cs.h"
#include "input/wtns.h"
#include "prove.h"

/* Of Documentation/formats/bellman.rst: bellman's row i is a .zkey's row
 * ROW_STEP i mod n. */
#define ROW_STEP 192310269u

struct assignment {
	size_t nr_rows, nr_inputs, nr_aux;
	struct fr *a, *b, *c, *inputs, *aux; /* Montgomery */
	uint64_t *a_aux, *b_input, *b_aux;
	size_t nr_a_aux, nr_b_input, nr_b_aux; /* bits set */
	struct lull_assignment in;
};

static inline void *zeroed(size_t nr, size_t each)
{
	void *p = calloc(nr ? nr : 1, each);

	if (!p) {
		printf("Bail out! no memory for a test\n");
		exit(1);
	}
	return p;
}

static inline void fr_load(struct fr *r, const uint8_t *plain)
{
	limb_t limbs[FR_LIMBS];

	memcpy(limbs, plain, sizeof(limbs));
	fr_from_plain(r, limbs);
}

static inline void set_bit(uint64_t *bits, size_t i, size_t *nr)
{
	uint64_t bit = (uint64_t)1 << i % 64;

	*nr += !(bits[i / 64] & bit);
	bits[i / 64] |= bit;
}

/* Notes that a wire stands in A or in B. */
static inline void note_wire(struct assignment *t, bool is_a, uint32_t wire)
{
	if (wire >= t->nr_inputs) {
		wire -= (uint32_t)t->nr_inputs;
		if (is_a)
			set_bit(t->a_aux, wire, &t->nr_a_aux);
		else
			set_bit(t->b_aux, wire, &t->nr_b_aux);
	} else if (!is_a) {
		set_bit(t->b_input, wire, &t->nr_b_input);
	}
}

static inline void evaluate(struct assignment *t, struct fr *row,
			    const struct lull_r1cs_lc *lc,
			    const uint8_t *witness, int matrix)
{
	struct fr value, w;
	uint32_t i, wire;

	for (i = 0; i < lc->nr_terms; i++) {
		wire = lull_r1cs_term_wire(lc, i);
		fr_load(&value, lull_r1cs_term_value(lc, i));
		if (fr_is_zero(&value))
			continue;
		fr_load(&w, witness + (size_t)wire * sizeof(w));
		fr_mul(&value, &value, &w);
		fr_add(row, row, &value);
		if (matrix < 2)
			note_wire(t, matrix == 0, wire);
	}
}

static inline void fill_in(struct assignment *t)
{
	t->in = (struct lull_assignment){
		.size = sizeof(t->in),
		.a = t->a,
		.b = t->b,
		.c = t->c,
		.nr_rows = t->nr_rows,
		.inputs = t->inputs,
		.nr_inputs = t->nr_inputs,
		.aux = t->aux,
		.nr_aux = t->nr_aux,
		.a_aux_density = t->a_aux,
		.b_input_density = t->b_input,
		.b_aux_density = t->b_aux,
	};
}

static inline void alloc_assignment(struct assignment *t)
{
	t->a = zeroed(t->nr_rows, sizeof(*t->a));
	t->b = zeroed(t->nr_rows, sizeof(*t->b));
	t->c = zeroed(t->nr_rows, sizeof(*t->c));
	t->inputs = zeroed(t->nr_inputs, sizeof(*t->inputs));
	t->aux = zeroed(t->nr_aux, sizeof(*t->aux));
	t->a_aux = zeroed(t->nr_aux / 64 + 1, sizeof(*t->a_aux));
	t->b_aux = zeroed(t->nr_aux / 64 + 1, sizeof(*t->b_aux));
	t->b_input = zeroed(t->nr_inputs / 64 + 1, sizeof(*t->b_input));
}

/* Rows in the circuit's order, the inputs' own behind them. */
static inline void read_assignment(struct assignment *t, const char *r1cs_path,
				   const char *wtns_path)
{
	struct lull_r1cs_walk walk;
	struct lull_wtnsfile wtns;
	struct lull_r1cs_row row;
	struct lull_r1cs r1cs;
	size_t i;

	if (lull_r1cs_open(r1cs_path, &r1cs, NULL) ||
	    lull_wtnsfile_open(wtns_path, NULL, 0, NULL, &wtns, NULL)) {
		printf("Bail out! no circuit %s\n", r1cs_path);
		exit(1);
	}
	*t = (struct assignment){
		.nr_inputs = (size_t)r1cs.nr_pub_out + r1cs.nr_pub_in + 1,
	};
	t->nr_aux = r1cs.nr_wires - t->nr_inputs;
	t->nr_rows = r1cs.nr_constraints + t->nr_inputs;
	alloc_assignment(t);
	for (i = 0; i < r1cs.nr_wires; i++)
		fr_load(i < t->nr_inputs ? &t->inputs[i]
					 : &t->aux[i - t->nr_inputs],
			wtns.values + i * LULL_FR_BYTES);
	walk = lull_r1cs_walk(&r1cs);
	for (i = 0; lull_r1cs_next(&r1cs, &walk, &row); i++) {
		evaluate(t, &t->a[i], &row.a, wtns.values, 0);
		evaluate(t, &t->b[i], &row.b, wtns.values, 1);
		evaluate(t, &t->c[i], &row.c, wtns.values, 2);
	}
	memcpy(&t->a[i], t->inputs, t->nr_inputs * sizeof(*t->inputs));
	fill_in(t);
	lull_wtnsfile_close(&wtns);
	lull_r1cs_close(&r1cs);
}

static inline void permute(struct fr **rows, size_t nr, size_t n)
{
	struct fr *to = zeroed(n, sizeof(*to));
	size_t i, from;

	for (i = 0; i < n; i++) {
		from = (size_t)((uint64_t)i * ROW_STEP & (n - 1));
		if (from < nr)
			to[i] = (*rows)[from];
	}
	free(*rows);
	*rows = to;
}

/* The order of a .zkey written as parameters: all rows of the domain. */
static inline void order_as_converted(struct assignment *t)
{
	size_t n = 2;

	while (n < t->nr_rows)
		n *= 2;
	permute(&t->a, t->nr_rows, n);
	permute(&t->b, t->nr_rows, n);
	permute(&t->c, t->nr_rows, n);
	t->nr_rows = n;
	fill_in(t);
}

static inline void free_assignment(struct assignment *t)
{
	free(t->a);
	free(t->b);
	free(t->c);
	free(t->inputs);
	free(t->aux);
	free(t->a_aux);
	free(t->b_aux);
	free(t->b_input);
}

#endif
