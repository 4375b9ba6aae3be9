// SPDX-License-Identifier: Apache-2.0
/*
 * keygen_circuit.c - rows of a circuit for a test key; see keygen_circuit.h
 *
 * Rows that are given one by one are collected in memory of a fixed size, which
 * is copied into a block of the right size when it is full.
 *
 * Refuses a wire, a coefficient or a value that is out of range, and rows that
 * are longer than a length can say.
 */
#include "prove/keygen_circuit.h"

#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "input/canonical.h"

/* Rows that one task takes: of a file, which are walked through first, and in
 * memory, of which each portion is a block. */
#define FILE_ROWS 4096u
#define MEMORY_ROWS ((uint32_t)1 << 15)
/* Or as many terms of a matrix, and those of the row that reaches them. */
#define MEMORY_TERMS ((uint32_t)1 << 18)
#define LENGTH_MAX UINT16_MAX
#define PORTIONS_AT_FIRST 64

/* ---- of a file ---------------------------------------------------------- */

static void mark_rows(struct lull_keygen_circuit *c)
{
	const struct lull_r1cs *r1cs = c->r1cs;
	struct lull_r1cs_walk walk = lull_r1cs_walk(r1cs), here = walk;
	struct lull_keygen_portion *portion = c->portions;
	uint64_t nr[NR_MATRICES] = { 0 };
	struct lull_r1cs_row row;

	for (; lull_r1cs_next(r1cs, &walk, &row); here = walk) {
		if (here.row % FILE_ROWS == 0) {
			portion = &c->portions[here.row / FILE_ROWS];
			portion->walk = here;
			portion->first = here.row;
			memcpy(portion->before, nr, sizeof(nr));
		}
		portion->nr_rows++;
		nr[MATRIX_A] += row.a.nr_terms;
		nr[MATRIX_B] += row.b.nr_terms;
		nr[MATRIX_C] += row.c.nr_terms;
	}
}

int lull_keygen_circuit_map(const struct lull_r1cs *r1cs,
			    struct lull_arena *arena,
			    struct lull_keygen_circuit *ret_circuit,
			    struct lull_error *reterr)
{
	struct lull_keygen_circuit c = {
		.name = r1cs->file.in.name,
		.facts = r1cs->facts,
		.nr_wires = r1cs->nr_wires,
		/* Below nr_wires, as lull_r1cs_open() has checked. */
		.nr_public = r1cs->nr_pub_out + r1cs->nr_pub_in,
		.nr_rows = r1cs->nr_constraints,
		.nr_terms = { r1cs->nr_terms_a, r1cs->nr_terms_b,
			      r1cs->nr_terms_c },
		.r1cs = r1cs,
		.nr_portions = lull_div_up(r1cs->nr_constraints, FILE_ROWS),
	};
	int err;

	err = lull_arena_carve(arena, c.nr_portions * sizeof(*c.portions),
			       LULL_CARVE_ZERO, "portions of rows",
			       &c.portions_vec, reterr);
	if (err)
		return err;
	c.portions = c.portions_vec.ptr;
	mark_rows(&c);
	*ret_circuit = c;
	return LULL_OK;
}

/* ---- in memory ---------------------------------------------------------- */

/* What one matrix's rows are collected in. */
struct matrix {
	uint32_t wires[MEMORY_TERMS + LENGTH_MAX];
	uint16_t coefs[MEMORY_TERMS + LENGTH_MAX];
	uint16_t lengths[MEMORY_ROWS];
	uint32_t nr;
};

/**
 * struct taking - rows being collected
 * @source: who gives them
 * @arena: for memory
 * @c: what has been collected
 * @matrices: of the portion under way
 * @nr_rows: in it
 * @most: portions that there is room for
 */
struct taking {
	const struct lull_toxic_circuit *source;
	struct lull_arena *arena;
	struct lull_keygen_circuit *c;
	struct matrix *matrices;
	uint32_t nr_rows;
	size_t most;
};

/* Terms of the matrices before @matrix. */
static size_t terms_before(const struct lull_keygen_portion *portion,
			   unsigned int matrix)
{
	size_t nr = 0;
	unsigned int m;

	for (m = 0; m < matrix; m++)
		nr += portion->nr_terms[m];
	return nr;
}

const uint32_t *
lull_keygen_portion_wires(const struct lull_keygen_portion *portion,
			  unsigned int matrix)
{
	return (const uint32_t *)portion->vec.ptr +
	       terms_before(portion, matrix);
}

const uint16_t *
lull_keygen_portion_coefs(const struct lull_keygen_portion *portion,
			  unsigned int matrix)
{
	const void *first = lull_keygen_portion_wires(portion, NR_MATRICES);

	return (const uint16_t *)first + terms_before(portion, matrix);
}

const uint16_t *
lull_keygen_portion_lengths(const struct lull_keygen_portion *portion,
			    unsigned int matrix)
{
	return lull_keygen_portion_coefs(portion, NR_MATRICES) +
	       matrix * (size_t)portion->nr_rows;
}

/* Room for one portion more. */
static int grow(struct taking *t, struct lull_error *reterr)
{
	struct lull_keygen_circuit *c = t->c;
	struct lull_vec more;
	int err;

	if (c->nr_portions < t->most)
		return LULL_OK;
	t->most = t->most ? 2 * t->most : PORTIONS_AT_FIRST;
	err = lull_arena_carve(t->arena, t->most * sizeof(*c->portions), 0,
			       "portions of rows", &more, reterr);
	if (err)
		return err;
	if (c->nr_portions)
		memcpy(more.ptr, c->portions,
		       c->nr_portions * sizeof(*c->portions));
	lull_arena_retire(&c->portions_vec);
	c->portions_vec = more;
	c->portions = more.ptr;
	return LULL_OK;
}

static uint8_t *put(uint8_t *to, const void *data, size_t bytes)
{
	memcpy(to, data, bytes);
	return to + bytes;
}

/* What has been collected becomes a portion. */
static int end_portion(struct taking *t, struct lull_error *reterr)
{
	struct lull_keygen_circuit *c = t->c;
	const struct matrix *m = t->matrices;
	struct lull_keygen_portion p = { .first = c->nr_rows - t->nr_rows,
					 .nr_rows = t->nr_rows };
	size_t bytes = NR_MATRICES * sizeof(uint16_t) * (size_t)t->nr_rows;
	unsigned int k;
	uint8_t *to;
	int err = grow(t, reterr);

	for (k = 0; k < NR_MATRICES; k++) {
		p.nr_terms[k] = m[k].nr;
		p.before[k] = c->nr_terms[k];
		bytes += m[k].nr * (sizeof(m->wires[0]) + sizeof(m->coefs[0]));
	}
	if (!err)
		err = lull_arena_carve(t->arena, bytes, 0, "rows of a circuit",
				       &p.vec, reterr);
	if (err)
		return err;
	to = p.vec.ptr;
	for (k = 0; k < NR_MATRICES; k++)
		to = put(to, m[k].wires, m[k].nr * sizeof(m->wires[0]));
	for (k = 0; k < NR_MATRICES; k++)
		to = put(to, m[k].coefs, m[k].nr * sizeof(m->coefs[0]));
	for (k = 0; k < NR_MATRICES; k++) {
		to = put(to, m[k].lengths, t->nr_rows * sizeof(m->lengths[0]));
		c->nr_terms[k] += m[k].nr;
		t->matrices[k].nr = 0;
	}
	c->portions[c->nr_portions++] = p;
	t->nr_rows = 0;
	return LULL_OK;
}

static int fail_row(const struct taking *t, unsigned int matrix,
		    const char *what, uint64_t limit, uint64_t found,
		    struct lull_error *reterr)
{
	return lull_fail(reterr, LULL_RANGE,
			 "%s: row %" PRIu32 ", matrix %c: %s: expected less "
			 "than %" PRIu64 ", found %" PRIu64,
			 t->c->name, t->c->nr_rows, 'A' + (char)matrix, what,
			 limit, found);
}

static int take_lc(struct taking *t, unsigned int matrix,
		   const struct lull_toxic_row *row, struct lull_error *reterr)
{
	const struct lull_toxic_lc *lc = &row->lcs[matrix];
	struct matrix *m = &t->matrices[matrix];
	uint32_t i;

	if (lc->nr_terms > LENGTH_MAX)
		return fail_row(t, matrix, "terms", LENGTH_MAX + 1,
				lc->nr_terms, reterr);
	for (i = 0; i < lc->nr_terms; i++) {
		if (lc->wires[i] >= row->nr_wires)
			return fail_row(t, matrix, "wire", row->nr_wires,
					lc->wires[i], reterr);
		if (lc->coefs[i] >= t->c->nr_values)
			return fail_row(t, matrix, "coefficient",
					t->c->nr_values, lc->coefs[i], reterr);
		m->wires[m->nr + i] = lc->wires[i];
		m->coefs[m->nr + i] = lc->coefs[i];
	}
	m->nr += lc->nr_terms;
	m->lengths[t->nr_rows] = (uint16_t)lc->nr_terms;
	return LULL_OK;
}

static bool is_full(const struct taking *t)
{
	return t->nr_rows == MEMORY_ROWS ||
	       t->matrices[MATRIX_A].nr >= MEMORY_TERMS ||
	       t->matrices[MATRIX_B].nr >= MEMORY_TERMS ||
	       t->matrices[MATRIX_C].nr >= MEMORY_TERMS;
}

static int take_rows(struct taking *t, struct lull_error *reterr)
{
	struct lull_keygen_circuit *c = t->c;
	struct lull_toxic_row row = { 0 };
	unsigned int k;
	int err = LULL_OK;

	while (!err && t->source->next(t->source->arg, &row)) {
		if (c->nr_rows == UINT32_MAX)
			return lull_fail(reterr, LULL_UNSUPPORTED,
					 "%s: expected less than 2^32 rows",
					 c->name);
		/* Wires of the rows before would be none of the circuit's. */
		if (row.nr_wires < c->nr_wires)
			return lull_fail(reterr, LULL_USAGE,
					 "%s: row %" PRIu32 ": wires: expected "
					 "at least the %" PRIu32 " of the row "
					 "before, found %" PRIu32,
					 c->name, c->nr_rows, c->nr_wires,
					 row.nr_wires);
		for (k = 0; k < NR_MATRICES && !err; k++)
			err = take_lc(t, k, &row, reterr);
		if (err)
			return err;
		c->nr_wires = row.nr_wires;
		c->nr_rows++;
		t->nr_rows++;
		if (is_full(t))
			err = end_portion(t, reterr);
	}
	if (!err && t->nr_rows)
		err = end_portion(t, reterr);
	return err;
}

static int check_values(const struct lull_keygen_circuit *c,
			struct lull_error *reterr)
{
	uint32_t i;

	if (c->nr_values > UINT16_MAX)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "%s: coefficients: expected at most %d, found "
				 "%" PRIu32,
				 c->name, UINT16_MAX, c->nr_values);
	for (i = 0; i < c->nr_values; i++)
		if (!lull_input_below(c->values + (size_t)i * LULL_FR_BYTES,
				      c->facts->fr_prime, LULL_FR_BYTES))
			return lull_fail(reterr, LULL_RANGE,
					 "%s: coefficient %" PRIu32
					 ": expected less than %s's r",
					 c->name, i, c->facts->name);
	return LULL_OK;
}

int lull_keygen_circuit_take(const struct lull_toxic_circuit *source,
			     struct lull_arena *arena,
			     struct lull_keygen_circuit *ret_circuit,
			     struct lull_error *reterr)
{
	struct lull_keygen_circuit c = {
		.name = source->name,
		.facts = lull_curve_facts(source->curve),
		.nr_wires = source->nr_wires,
		.nr_public = source->nr_public,
		.values = source->values,
		.nr_values = source->nr_values,
	};
	struct taking t = { .source = source, .arena = arena, .c = &c };
	struct lull_vec matrices;
	int err;

	if (!c.facts)
		return lull_fail(reterr, LULL_UNSUPPORTED, "%s: curve %d",
				 c.name, (int)source->curve);
	err = check_values(&c, reterr);
	if (!err)
		err = lull_arena_carve(arena, NR_MATRICES * sizeof(*t.matrices),
				       LULL_CARVE_ZERO, "rows being collected",
				       &matrices, reterr);
	if (err)
		return err;
	t.matrices = matrices.ptr;
	err = take_rows(&t, reterr);
	lull_arena_retire(&matrices);
	if (!err && c.nr_public >= c.nr_wires)
		err = lull_fail(reterr, LULL_RANGE,
				"%s: public wires: expected less than the "
				"%" PRIu32 " wires, found %" PRIu32,
				c.name, c.nr_wires, c.nr_public);
	if (err)
		lull_keygen_circuit_end(&c);
	else
		*ret_circuit = c;
	return err;
}

void lull_keygen_circuit_end(struct lull_keygen_circuit *circuit)
{
	size_t i;

	for (i = 0; i < circuit->nr_portions; i++)
		lull_arena_release(&circuit->portions[i].vec);
	lull_arena_release(&circuit->portions_vec);
	circuit->portions = NULL;
	circuit->nr_portions = 0;
}

/* ---- walks -------------------------------------------------------------- */

struct lull_keygen_walk
lull_keygen_walk(const struct lull_keygen_circuit *circuit, size_t index)
{
	const struct lull_keygen_portion *portion = &circuit->portions[index];
	struct lull_keygen_walk walk = { .circuit = circuit,
					 .portion = portion,
					 .row = portion->first,
					 .walk = portion->walk };
	unsigned int m;

	if (circuit->r1cs)
		return walk;
	for (m = 0; m < NR_MATRICES; m++) {
		walk.rest[m] = (struct lull_keygen_lc){
			.wires = lull_keygen_portion_wires(portion, m),
			.coefs = lull_keygen_portion_coefs(portion, m),
			.values = circuit->values,
		};
		walk.lengths[m] = lull_keygen_portion_lengths(portion, m);
	}
	return walk;
}

bool lull_keygen_next(struct lull_keygen_walk *walk,
		      struct lull_keygen_lc row[NR_MATRICES])
{
	struct lull_keygen_lc *rest = walk->rest;
	struct lull_r1cs_row mapped;
	const struct lull_r1cs_lc *const lcs[] = { &mapped.a, &mapped.b,
						   &mapped.c };
	unsigned int m;
	uint32_t nr;

	if (walk->row - walk->portion->first == walk->portion->nr_rows)
		return false;
	walk->row++;
	if (walk->circuit->r1cs) {
		lull_r1cs_next(walk->circuit->r1cs, &walk->walk, &mapped);
		for (m = 0; m < NR_MATRICES; m++)
			row[m] = (struct lull_keygen_lc){ .mapped = *lcs[m] };
		return true;
	}
	for (m = 0; m < NR_MATRICES; m++) {
		nr = *walk->lengths[m]++;
		rest[m].mapped.nr_terms = nr;
		row[m] = rest[m];
		rest[m].wires += nr;
		rest[m].coefs += nr;
	}
	return true;
}
