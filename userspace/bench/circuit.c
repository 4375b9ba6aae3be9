// SPDX-License-Identifier: Apache-2.0
/*
 * circuit.c - the rows of a synthetic circuit; see circuit.h
 *
 * Wires: 0 is the constant one; then public outputs, private inputs and, in
 * the order of their rows, one new wire a row.  The last nr_public rows set
 * the outputs from inner wires.  A walk knows of each wire whether it may be
 * full-size and, of bits, whether they are free.
 *
 * How porep's figures come about, a row in a hundred: 25 free bits (2 terms in
 * A, 1 in B), 71 xors (1, 1, 3), 2 ands (1, 1, 1) and 2 products of a run of 57
 * wires on average with an older product (57, 1, 1): 2.4, 1.0 and 2.2 terms;
 * and since the second operand of a xor is a free bit, a quarter of the wires
 * stands in B.  (Measured of the true circuit: 2.375, 1.0004, 2.170, 25.4 %.)
 */
#include "bench/circuit.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "base/mix.h"

/* Of the true circuit: constraints in a domain of 2^27, public inputs. */
#define POREP_ROWS 130278869u
#define POREP_LOG2 27
#define NR_PUBLIC_MAX 328
/* Not more of a small circuit than one row in so many. */
#define ROWS_PER_PUBLIC 64
#define NR_INPUTS 8

/* Operands are mostly young: within so many wires, but for one in FAR. */
#define WINDOW 4096
#define FAR 32

#define PER_MILLE 1000
#define POREP_PRODUCTS 20 /* rows in a thousand */
#define POREP_ANDS 20
#define POREP_FREE 250
#define RUN_MIN 16 /* wires of a product: 16 to 98, 57 on average */
#define RUN_SPREAD 83
/* A product that others are multiplied by: one in so many. */
#define PRODUCTS_PER_ANCHOR 16

#define WORD_BITS LULL_CIRCUIT_WORD_BITS
#define NR_WORDS 16
/* Four words of 32 bits sum to less than 2^34. */
#define SUM_BITS (WORD_BITS + 2)
/* One round: a xor, an and, an addition with its sum's bits and its row. */
#define ROUND_ROWS (2 * WORD_BITS + SUM_BITS + 1)

#define DENSE_TERMS 2
#define MAP_BITS 64

/**
 * struct lull_circuit_walk - where a walk stands
 * @circuit: its circuit
 * @row: what lull_circuit_next() gives
 * @nr_rows: rows given so far
 * @nr_wires: wires that exist
 * @nr_drawn: numbers drawn from the seed
 * @full: a bit a wire: it may be other than 0 and 1
 * @free: a bit a wire: a free bit
 * @rank: full wires before each MAP_BITS wires
 * @cursor: of porep: the first wire that no product has added up
 * @nr_products: of porep
 * @anchor: of porep: the wire that products multiply by
 * @words: of sha: the first wires of the words at hand, the oldest first
 * @in_round: of sha: rows of the present round so far
 * @operands: of sha: words that the present operation works on
 * @shift: of sha: how far the second is rotated
 */
struct lull_circuit_walk {
	const struct lull_circuit *circuit;
	struct lull_circuit_row row;
	uint32_t nr_rows;
	uint32_t nr_wires;
	uint64_t nr_drawn;
	uint64_t *full, *free;
	uint32_t *rank;
	uint32_t cursor;
	uint32_t nr_products;
	uint32_t anchor;
	uint32_t words[NR_WORDS];
	unsigned int in_round;
	uint32_t operands[LULL_CIRCUIT_ADDENDS];
	unsigned int shift;
};

static const struct lull_circuit_coef plus_one = { 0 };
static const struct lull_circuit_coef minus_one = { .negative = true };

static const char *const shape_names[] = {
	[LULL_CIRCUIT_POREP] = "porep",
	[LULL_CIRCUIT_SHA] = "sha",
	[LULL_CIRCUIT_DENSE] = "dense",
};

const char *lull_circuit_shape_name(enum lull_circuit_shape shape)
{
	assert(shape && shape < LULL_ARRAY_SIZE(shape_names));
	return shape_names[shape];
}

int lull_circuit_shape_of(const char *name, enum lull_circuit_shape *ret_shape,
			  struct lull_error *reterr)
{
	size_t i;

	for (i = LULL_CIRCUIT_POREP; i < LULL_ARRAY_SIZE(shape_names); i++) {
		if (strcmp(name, shape_names[i]))
			continue;
		*ret_shape = (enum lull_circuit_shape)i;
		return LULL_OK;
	}
	return lull_fail(reterr, LULL_USAGE,
			 "--shape: expected porep, sha or dense, found '%.40s'",
			 name);
}

void lull_circuit_init(enum lull_circuit_shape shape, enum lull_curve curve,
		       unsigned int log2_domain, uint64_t seed,
		       struct lull_circuit *ret_circuit)
{
	struct lull_circuit c = {
		.shape = shape,
		.facts = lull_curve_facts(curve),
		.log2_domain = log2_domain,
		.nr_inputs = NR_INPUTS,
		.nr_bits =
			shape == LULL_CIRCUIT_DENSE ? 0 : NR_WORDS * WORD_BITS,
		.seed = seed,
	};
	uint64_t n = (uint64_t)1 << log2_domain;

	assert(log2_domain >= LULL_CIRCUIT_LOG2_MIN &&
	       log2_domain <= LULL_CIRCUIT_LOG2_MAX);
	c.nr_public = (uint32_t)lull_min(NR_PUBLIC_MAX, n / ROWS_PER_PUBLIC);
	/* snarkjs's domain is larger than constraints and outputs together. */
	c.nr_rows = (uint32_t)(n - 1 - c.nr_public);
	if (shape == LULL_CIRCUIT_POREP)
		c.nr_rows = (uint32_t)((POREP_ROWS * n) >> POREP_LOG2);
	*ret_circuit = c;
}

int lull_circuit_walk(const struct lull_circuit *circuit,
		      struct lull_circuit_walk **ret_walk,
		      struct lull_error *reterr)
{
	struct lull_circuit_walk *walk = calloc(1, sizeof(*walk));
	size_t nr_maps =
		lull_div_up((size_t)1 + circuit->nr_public +
				    circuit->nr_inputs + circuit->nr_rows,
			    MAP_BITS);
	uint32_t i;

	if (!walk)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	walk->full = calloc(nr_maps, sizeof(*walk->full));
	walk->free = calloc(nr_maps, sizeof(*walk->free));
	walk->rank = calloc(nr_maps, sizeof(*walk->rank));
	if (!walk->full || !walk->free || !walk->rank) {
		lull_circuit_walk_end(walk);
		return lull_fail(reterr, LULL_NOMEM,
				 "out of memory for the maps of a circuit");
	}
	walk->circuit = circuit;
	walk->nr_wires = 1 + circuit->nr_public + circuit->nr_inputs;
	for (i = 1; i < walk->nr_wires; i++)
		walk->full[i / MAP_BITS] |= (uint64_t)1 << i % MAP_BITS;
	for (i = 1; i <= walk->nr_wires / MAP_BITS; i++)
		walk->rank[i] =
			walk->rank[i - 1] +
			(uint32_t)__builtin_popcountll(walk->full[i - 1]);
	walk->cursor = 1 + circuit->nr_public;
	walk->anchor = walk->cursor;
	for (i = 0; i < NR_WORDS; i++)
		walk->words[i] = walk->nr_wires + i * WORD_BITS;
	*ret_walk = walk;
	return LULL_OK;
}

void lull_circuit_walk_end(struct lull_circuit_walk *walk)
{
	if (!walk)
		return;
	free(walk->full);
	free(walk->free);
	free(walk->rank);
	free(walk);
}

uint32_t lull_circuit_nr_wires(const struct lull_circuit_walk *walk)
{
	return walk->nr_wires;
}

static bool is_set(const uint64_t *map, uint32_t wire)
{
	return map[wire / MAP_BITS] >> wire % MAP_BITS & 1;
}

bool lull_circuit_is_full(const struct lull_circuit_walk *walk, uint32_t wire,
			  uint32_t *ret_rank)
{
	uint64_t before = ((uint64_t)1 << wire % MAP_BITS) - 1;

	LULL_ASSERT(wire < walk->nr_wires);
	*ret_rank = walk->rank[wire / MAP_BITS] +
		    (uint32_t)__builtin_popcountll(walk->full[wire / MAP_BITS] &
						   before);
	return is_set(walk->full, wire);
}

/* A number below @bound, which is not 0. */
static uint32_t draw(struct lull_circuit_walk *walk, uint32_t bound)
{
	uint64_t x = lull_mix(walk->circuit->seed, walk->nr_drawn++);

	return (uint32_t)((x >> 32) * bound >> 32);
}

static void add_term(struct lull_circuit_lc *lc, uint32_t wire,
		     struct lull_circuit_coef coef)
{
	LULL_ASSERT(lc->nr_terms < LULL_CIRCUIT_TERMS_MAX);
	lc->terms[lc->nr_terms++] = (struct lull_circuit_term){ wire, coef };
}

/* The wire that the row settles. */
static void new_wire(struct lull_circuit_walk *walk,
		     enum lull_circuit_rule rule)
{
	uint32_t wire = walk->nr_wires++, map = wire / MAP_BITS;
	uint64_t bit = (uint64_t)1 << wire % MAP_BITS;

	if (!(wire % MAP_BITS))
		walk->rank[map] =
			walk->rank[map - 1] +
			(uint32_t)__builtin_popcountll(walk->full[map - 1]);
	if (rule == LULL_CIRCUIT_PRODUCT)
		walk->full[map] |= bit;
	if (rule == LULL_CIRCUIT_FREE)
		walk->free[map] |= bit;
	walk->row.rule = rule;
	walk->row.wire = wire;
}

/* (1 - x) x = 0 */
static void boolean_row(struct lull_circuit_walk *walk,
			enum lull_circuit_rule rule)
{
	struct lull_circuit_row *row = &walk->row;

	new_wire(walk, rule);
	add_term(&row->a, 0, plus_one);
	add_term(&row->a, row->wire, minus_one);
	add_term(&row->b, row->wire, plus_one);
}

/* 2 x y = x + y - (x ^ y) */
static void xor_row(struct lull_circuit_walk *walk, uint32_t x, uint32_t y)
{
	struct lull_circuit_row *row = &walk->row;

	new_wire(walk, LULL_CIRCUIT_XOR);
	add_term(&row->a, x, (struct lull_circuit_coef){ .log2 = 1 });
	add_term(&row->b, y, plus_one);
	add_term(&row->c, x, plus_one);
	add_term(&row->c, y, plus_one);
	add_term(&row->c, row->wire, minus_one);
}

static void and_row(struct lull_circuit_walk *walk, uint32_t x, uint32_t y)
{
	struct lull_circuit_row *row = &walk->row;

	new_wire(walk, LULL_CIRCUIT_AND);
	add_term(&row->a, x, plus_one);
	add_term(&row->b, y, plus_one);
	add_term(&row->c, row->wire, plus_one);
}

/* Any wire from @first on, most often a young one. */
static uint32_t pick(struct lull_circuit_walk *walk, uint32_t first)
{
	uint32_t nr = walk->nr_wires - first;

	if (nr > WINDOW && draw(walk, FAR))
		nr = WINDOW;
	return walk->nr_wires - 1 - draw(walk, nr);
}

/* A bit, or one that @map has, from the first bit on. */
static uint32_t pick_bit(struct lull_circuit_walk *walk, const uint64_t *map)
{
	const struct lull_circuit *c = walk->circuit;
	uint32_t first = 1 + c->nr_public + c->nr_inputs;
	uint32_t wire = pick(walk, first);

	/* The first wires of all are free bits, so this ends. */
	while (map ? !is_set(map, wire) : is_set(walk->full, wire))
		wire = wire == first ? walk->nr_wires - 1 : wire - 1;
	return wire;
}

/* An older wire times the sum of a run of wires, bits as a number's. */
static void run_row(struct lull_circuit_walk *walk)
{
	struct lull_circuit_row *row = &walk->row;
	uint32_t nr = RUN_MIN + draw(walk, RUN_SPREAD), from, i;
	uint32_t first = 1 + walk->circuit->nr_public;
	struct lull_circuit_coef coef = { 0 };

	/* Every wire comes up in A; where all have, any run does. */
	from = walk->cursor;
	if (from + nr <= walk->nr_wires)
		walk->cursor += nr;
	else
		from = first + draw(walk, walk->nr_wires - nr - first);
	for (i = from; i < from + nr; i++) {
		coef.log2 = is_set(walk->full, i) ? 0 : (uint8_t)(i - from);
		add_term(&row->a, i, coef);
	}
	add_term(&row->b, walk->anchor, plus_one);
	new_wire(walk, LULL_CIRCUIT_PRODUCT);
	add_term(&row->c, row->wire, plus_one);
	if (!(++walk->nr_products % PRODUCTS_PER_ANCHOR))
		walk->anchor = row->wire;
}

static void porep_row(struct lull_circuit_walk *walk)
{
	uint32_t which = draw(walk, PER_MILLE), x, y;

	if (which < POREP_PRODUCTS) {
		run_row(walk);
		return;
	}
	which -= POREP_PRODUCTS;
	if (which < POREP_FREE) {
		boolean_row(walk, LULL_CIRCUIT_FREE);
		return;
	}
	which -= POREP_FREE;
	y = pick_bit(walk, walk->free);
	do {
		x = pick_bit(walk, NULL);
	} while (x == y);
	if (which < POREP_ANDS)
		and_row(walk, x, y);
	else
		xor_row(walk, x, y);
}

/* A word takes the place of the oldest. */
static void push_word(struct lull_circuit_walk *walk, uint32_t first)
{
	memmove(walk->words, walk->words + 1,
		(NR_WORDS - 1) * sizeof(*walk->words));
	walk->words[NR_WORDS - 1] = first;
}

/* Different words, @nr of them, for the next operation. */
static void choose_words(struct lull_circuit_walk *walk, unsigned int nr)
{
	unsigned int at = draw(walk, NR_WORDS), i;

	for (i = 0; i < nr; i++) {
		walk->operands[i] = walk->words[at];
		at = (at + 1 + draw(walk, NR_WORDS / LULL_CIRCUIT_ADDENDS)) %
		     NR_WORDS;
	}
	walk->shift = draw(walk, WORD_BITS);
}

/* The words' numbers less their sum's: 0. */
static void sum_row(struct lull_circuit_walk *walk)
{
	uint32_t sum = walk->nr_wires - SUM_BITS;
	struct lull_circuit_coef coef = { 0 };
	unsigned int i;

	for (i = 0; i < LULL_CIRCUIT_ADDENDS; i++)
		for (coef.log2 = 0; coef.log2 < WORD_BITS; coef.log2++)
			add_term(&walk->row.a, walk->operands[i] + coef.log2,
				 coef);
	coef.negative = true;
	for (coef.log2 = 0; coef.log2 < SUM_BITS; coef.log2++)
		add_term(&walk->row.a, sum + coef.log2, coef);
	add_term(&walk->row.b, 0, plus_one);
	walk->row.rule = LULL_CIRCUIT_NONE;
	push_word(walk, sum);
}

static void addition_row(struct lull_circuit_walk *walk, unsigned int at)
{
	if (at == SUM_BITS) {
		sum_row(walk);
		return;
	}
	if (!at)
		choose_words(walk, LULL_CIRCUIT_ADDENDS);
	boolean_row(walk, LULL_CIRCUIT_SUM_BIT);
	memcpy(walk->row.words, walk->operands, sizeof(walk->row.words));
	walk->row.bit = at;
}

static void sha_row(struct lull_circuit_walk *walk, uint32_t nr_left)
{
	unsigned int at = walk->in_round, bit = at % WORD_BITS;
	uint32_t x, y;

	/* No round is begun that cannot end: its bits alone fill up. */
	if (!at && nr_left < ROUND_ROWS) {
		boolean_row(walk, LULL_CIRCUIT_FREE);
		return;
	}
	walk->in_round = (at + 1) % ROUND_ROWS;
	if (at >= 2 * WORD_BITS) {
		addition_row(walk, at - 2 * WORD_BITS);
		return;
	}
	if (!bit)
		choose_words(walk, 2);
	x = walk->operands[0] + bit;
	y = walk->operands[1] + (bit + walk->shift) % WORD_BITS;
	if (at < WORD_BITS)
		xor_row(walk, x, y);
	else
		and_row(walk, x, y);
	if (bit == WORD_BITS - 1)
		push_word(walk, walk->nr_wires - WORD_BITS);
}

static void dense_lc(struct lull_circuit_walk *walk, struct lull_circuit_lc *lc)
{
	struct lull_circuit_coef coef = { .random = true };
	uint32_t first = 1 + walk->circuit->nr_public, wire;

	while (lc->nr_terms < DENSE_TERMS) {
		wire = pick(walk, first);
		if (lc->nr_terms && lc->terms[0].wire == wire)
			continue;
		coef.log2 = (uint8_t)draw(walk, LULL_CIRCUIT_RANDOM);
		add_term(lc, wire, coef);
	}
}

static void dense_row(struct lull_circuit_walk *walk)
{
	dense_lc(walk, &walk->row.a);
	dense_lc(walk, &walk->row.b);
	new_wire(walk, LULL_CIRCUIT_PRODUCT);
	add_term(&walk->row.c, walk->row.wire, plus_one);
}

/* An output is some inner wire, times one. */
static void public_row(struct lull_circuit_walk *walk, uint32_t wire)
{
	struct lull_circuit_row *row = &walk->row;

	add_term(&row->a, pick(walk, 1 + walk->circuit->nr_public), plus_one);
	add_term(&row->b, 0, plus_one);
	add_term(&row->c, wire, plus_one);
	row->rule = LULL_CIRCUIT_PRODUCT;
	row->wire = wire;
}

const struct lull_circuit_row *lull_circuit_next(struct lull_circuit_walk *walk)
{
	const struct lull_circuit *c = walk->circuit;
	uint32_t at = walk->nr_rows, nr_inner = c->nr_rows - c->nr_public;
	struct lull_circuit_row *row = &walk->row;

	if (at == c->nr_rows)
		return NULL;
	walk->nr_rows++;
	row->wire = 0;
	row->a.nr_terms = 0;
	row->b.nr_terms = 0;
	row->c.nr_terms = 0;
	if (at >= nr_inner)
		public_row(walk, 1 + at - nr_inner);
	else if (at < c->nr_bits)
		boolean_row(walk, LULL_CIRCUIT_FREE);
	else if (c->shape == LULL_CIRCUIT_POREP)
		porep_row(walk);
	else if (c->shape == LULL_CIRCUIT_SHA)
		sha_row(walk, nr_inner - at);
	else
		dense_row(walk);
	return row;
}
