// SPDX-License-Identifier: Apache-2.0
/*
 * circuit_wtns_tmpl.c - witnesses of a synthetic circuit; see circuit.h
 *
 * Walks the rows once and gives each its wire's value: bits by bit
 * operations, products in the field.  input/wtns.c has the format.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "base/mix.h"
#include "bench/circuit.h"
#include "bench/circuit_wtns.h"
#include "curve/fr.h"

#define MAP_BITS 64
/* Powers of two that a coefficient may be: of terms and of sums. */
#define NR_POWERS LULL_CIRCUIT_TERMS_MAX
/* The seed's sequence for full-size inputs; bits have the one of the seed. */
#define INPUTS_SEQUENCE 0x696e70757473u
/* As of the circuit's random coefficients: below every r. */
#define TOP_MASK 0x0fffffffffffffffu

/**
 * struct values - a witness being made
 * @walk: where the rows come from, and who knows which wires are full
 * @seed: of the free values
 * @nr_free: free bits drawn
 * @bits: a bit a wire, meaningful where it is not full
 * @full: values of full wires, by their rank
 * @nr_full: entries there is room for
 * @powers: of two
 * @random: the circuit's random coefficients
 */
struct values {
	struct lull_circuit_walk *walk;
	uint64_t seed;
	uint64_t nr_free;
	uint64_t *bits;
	struct fr *full;
	size_t nr_full;
	struct fr powers[NR_POWERS];
	struct fr random[LULL_CIRCUIT_RANDOM];
};

static bool get_bit(const struct values *v, uint32_t wire)
{
	return v->bits[wire / MAP_BITS] >> wire % MAP_BITS & 1;
}

static void set_bit(struct values *v, uint32_t wire, bool bit)
{
	v->bits[wire / MAP_BITS] |= (uint64_t)bit << wire % MAP_BITS;
}

static void random_plain(limb_t plain[FR_LIMBS], uint64_t seed, uint64_t i)
{
	unsigned int j;

	for (j = 0; j < FR_LIMBS; j++)
		plain[j] = lull_mix(seed, i * FR_LIMBS + j);
	plain[FR_LIMBS - 1] &= TOP_MASK;
}

/* *sum += coefficient times value */
static void add_term(const struct values *v, struct fr *sum,
		     const struct lull_circuit_term *term)
{
	const struct fr *coef = term->coef.random ? &v->random[term->coef.log2]
						  : &v->powers[term->coef.log2];
	struct fr t = *coef;
	uint32_t rank;

	if (lull_circuit_is_full(v->walk, term->wire, &rank)) {
		if (term->coef.random || term->coef.log2)
			fr_mul(&t, coef, &v->full[rank]);
		else
			t = v->full[rank];
	} else if (!get_bit(v, term->wire)) {
		return;
	}
	if (term->coef.negative)
		fr_sub(sum, sum, &t);
	else
		fr_add(sum, sum, &t);
}

static void evaluate(const struct values *v, struct fr *sum,
		     const struct lull_circuit_lc *lc)
{
	unsigned int i;

	*sum = fr_zero;
	for (i = 0; i < lc->nr_terms; i++)
		add_term(v, sum, &lc->terms[i]);
}

static bool sum_bit(const struct values *v, const struct lull_circuit_row *row)
{
	uint64_t sum = 0, word;
	unsigned int i, bit;

	for (i = 0; i < LULL_CIRCUIT_ADDENDS; i++) {
		word = 0;
		for (bit = 0; bit < LULL_CIRCUIT_WORD_BITS; bit++)
			word |= (uint64_t)get_bit(v, row->words[i] + bit)
				<< bit;
		sum += word;
	}
	return sum >> row->bit & 1;
}

static int set_product(struct values *v, const struct lull_circuit_row *row,
		       struct lull_error *reterr)
{
	uint32_t rank;
	struct fr a, b;
	void *more;

	evaluate(v, &a, &row->a);
	evaluate(v, &b, &row->b);
	fr_mul(&a, &a, &b);
	lull_circuit_is_full(v->walk, row->wire, &rank);
	if (rank >= v->nr_full) {
		more = realloc(v->full, 2 * v->nr_full * sizeof(*v->full));
		if (!more)
			return lull_fail(reterr, LULL_NOMEM,
					 "out of memory for %zu values",
					 2 * v->nr_full);
		v->full = more;
		v->nr_full *= 2;
	}
	v->full[rank] = a;
	return LULL_OK;
}

static int set_wire(struct values *v, const struct lull_circuit_row *row,
		    struct lull_error *reterr)
{
	uint32_t x, y;

	switch (row->rule) {
	case LULL_CIRCUIT_FREE:
		set_bit(v, row->wire, lull_mix(v->seed, v->nr_free++) >> 63);
		break;
	case LULL_CIRCUIT_SUM_BIT:
		set_bit(v, row->wire, sum_bit(v, row));
		break;
	case LULL_CIRCUIT_XOR:
	case LULL_CIRCUIT_AND:
		x = get_bit(v, row->a.terms[0].wire);
		y = get_bit(v, row->b.terms[0].wire);
		set_bit(v, row->wire,
			row->rule == LULL_CIRCUIT_XOR ? x ^ y : x & y);
		break;
	case LULL_CIRCUIT_PRODUCT:
		return set_product(v, row, reterr);
	case LULL_CIRCUIT_NONE:
		break;
	}
	return LULL_OK;
}

/* Tables, the constant one and the inputs; the rows give the rest. */
static int begin(struct values *v, const struct lull_circuit *circuit,
		 struct lull_error *reterr)
{
	size_t nr_wires =
		(size_t)lull_circuit_nr_wires(v->walk) + circuit->nr_rows;
	limb_t plain[FR_LIMBS];
	unsigned int i;

	v->nr_full = lull_circuit_nr_wires(v->walk);
	v->bits = calloc(lull_div_up(nr_wires, MAP_BITS), sizeof(*v->bits));
	v->full = calloc(v->nr_full, sizeof(*v->full));
	if (!v->bits || !v->full)
		return lull_fail(reterr, LULL_NOMEM,
				 "out of memory for a witness");
	v->powers[0] = fr_one;
	for (i = 1; i < NR_POWERS; i++)
		fr_dbl(&v->powers[i], &v->powers[i - 1]);
	for (i = 0; i < LULL_CIRCUIT_RANDOM; i++) {
		struct lull_circuit_coef coef = { .log2 = (uint8_t)i,
						  .random = true };

		lull_circuit_coef_plain(circuit, coef, (uint8_t *)plain);
		fr_from_plain(&v->random[i], plain);
	}
	set_bit(v, 0, true);
	for (i = 0; i < circuit->nr_inputs; i++) {
		random_plain(plain, v->seed ^ INPUTS_SEQUENCE, i);
		/* Outputs have the ranks before the inputs'. */
		fr_from_plain(&v->full[circuit->nr_public + i], plain);
	}
	return LULL_OK;
}

static int write_values(const struct values *v, struct circuit_wtns *out,
			struct lull_error *reterr)
{
	uint32_t nr_wires = lull_circuit_nr_wires(v->walk), wire, rank;
	limb_t plain[FR_LIMBS];
	int err = LULL_OK;

	for (wire = 0; wire < nr_wires && !err; wire++) {
		memset(plain, 0, sizeof(plain));
		if (lull_circuit_is_full(v->walk, wire, &rank))
			fr_to_plain(plain, &v->full[rank]);
		else
			plain[0] = get_bit(v, wire);
		err = lull_circuit_wtns_put(out, plain, sizeof(plain), reterr);
	}
	return err;
}

int circuit_wtns_fill(const struct lull_circuit *circuit, uint64_t seed,
		      struct circuit_wtns *out, struct lull_error *reterr)
{
	const struct lull_circuit_row *row;
	struct values *v;
	int err;

	v = calloc(1, sizeof(*v));
	if (!v)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	v->seed = seed;
	err = lull_circuit_walk(circuit, &v->walk, reterr);
	if (!err)
		err = begin(v, circuit, reterr);
	while (!err && (row = lull_circuit_next(v->walk)))
		err = set_wire(v, row, reterr);
	if (!err)
		err = lull_circuit_wtns_start(
			out, circuit, lull_circuit_nr_wires(v->walk), reterr);
	if (!err)
		err = write_values(v, out, reterr);
	lull_circuit_walk_end(v->walk);
	free(v->bits);
	free(v->full);
	free(v);
	return err;
}
