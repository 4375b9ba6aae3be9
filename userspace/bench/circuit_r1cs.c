// SPDX-License-Identifier: Apache-2.0
/*
 * circuit_r1cs.c - writes a synthetic circuit; see circuit.h
 *
 * input/r1cs.c has the format.  Rows go out as they are made, so the sizes in
 * front of them are filled in at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "base/mix.h"
#include "bench/circuit.h"
#include "input/outfile.h"
#include "input/r1cs.h"

#define BUFFER_BYTES ((size_t)1 << 20)
/* u32 n8, r, four counts, u64 labels, u32 constraints */
#define HEADER_BYTES (4 + LULL_FR_BYTES + 4 * 4 + 8 + 4)
#define NR_SECTIONS 2
#define LC_HEADER_BYTES 4
/* Random coefficients stay below every r, and above what a bit makes. */
#define RANDOM_TOP_MASK 0x0f

/* A row at its longest. */
#define ROW_BYTES                                                              \
	(3 * (LC_HEADER_BYTES + LULL_CIRCUIT_TERMS_MAX * LULL_R1CS_TERM_BYTES))

/**
 * struct writer - a circuit being written
 * @out: the file
 * @circuit: what is written
 * @buffer: BUFFER_BYTES
 * @nr: bytes in @buffer
 * @bytes: of rows, written and in @buffer
 * @counts: what was written
 */
struct writer {
	struct lull_outfile out;
	const struct lull_circuit *circuit;
	uint8_t *buffer;
	size_t nr;
	uint64_t bytes;
	struct lull_circuit_counts counts;
};

static void put(struct writer *w, const void *data, size_t bytes)
{
	memcpy(w->buffer + w->nr, data, bytes);
	w->nr += bytes;
}

static void put_u32(struct writer *w, uint32_t value)
{
	put(w, &value, sizeof(value));
}

static void put_u64(struct writer *w, uint64_t value)
{
	put(w, &value, sizeof(value));
}

/* p - x, for 0 < x < p: little-endian bytes. */
static void negate(uint8_t x[LULL_FR_BYTES], const uint8_t *p)
{
	unsigned int borrow = 0, i;

	for (i = 0; i < LULL_FR_BYTES; i++) {
		unsigned int d = 0x100u + p[i] - x[i] - borrow;

		x[i] = (uint8_t)d;
		borrow = !(d >> 8);
	}
}

void lull_circuit_coef_plain(const struct lull_circuit *circuit,
			     struct lull_circuit_coef coef,
			     uint8_t plain[LULL_FR_BYTES])
{
	uint64_t word;
	size_t i;

	memset(plain, 0, LULL_FR_BYTES);
	if (coef.random) {
		for (i = 0; i < LULL_FR_BYTES; i += sizeof(word)) {
			word = lull_mix(~circuit->seed,
					coef.log2 * LULL_FR_BYTES + i);
			memcpy(plain + i, &word, sizeof(word));
		}
		plain[LULL_FR_BYTES - 1] &= RANDOM_TOP_MASK;
		return;
	}
	plain[coef.log2 / 8] = (uint8_t)(1u << coef.log2 % 8);
	if (coef.negative)
		negate(plain, circuit->facts->fr_prime);
}

static void put_lc(struct writer *w, const struct lull_circuit_lc *lc)
{
	uint8_t plain[LULL_FR_BYTES];
	unsigned int i;

	put_u32(w, lc->nr_terms);
	for (i = 0; i < lc->nr_terms; i++) {
		put_u32(w, lc->terms[i].wire);
		lull_circuit_coef_plain(w->circuit, lc->terms[i].coef, plain);
		put(w, plain, sizeof(plain));
	}
}

static int flush(struct writer *w, struct lull_error *reterr)
{
	int err = lull_outfile_write(&w->out, w->buffer, w->nr, reterr);

	w->bytes += w->nr;
	w->nr = 0;
	return err;
}

static int put_rows(struct writer *w, struct lull_circuit_walk *walk,
		    struct lull_error *reterr)
{
	const struct lull_circuit_row *row;
	int err = LULL_OK;

	while (!err && (row = lull_circuit_next(walk))) {
		put_lc(w, &row->a);
		put_lc(w, &row->b);
		put_lc(w, &row->c);
		w->counts.nr_terms_a += row->a.nr_terms;
		w->counts.nr_terms_b += row->b.nr_terms;
		w->counts.nr_terms_c += row->c.nr_terms;
		if (w->nr > BUFFER_BYTES - ROW_BYTES)
			err = flush(w, reterr);
	}
	w->counts.nr_wires = lull_circuit_nr_wires(walk);
	return err ? err : flush(w, reterr);
}

static void put_section(struct writer *w, uint32_t type, uint64_t bytes)
{
	uint8_t section[LULL_BINFILE_SECTION_BYTES];

	lull_binfile_put_section(section, type, bytes);
	put(w, section, sizeof(section));
}

/* What stands before the rows; w->bytes is then the rows' alone. */
static void put_start(struct writer *w)
{
	const struct lull_circuit *c = w->circuit;
	uint8_t head[LULL_BINFILE_HEAD_BYTES];

	lull_binfile_put_head(head, "r1cs", LULL_R1CS_VERSION, NR_SECTIONS);
	put(w, head, sizeof(head));
	put_section(w, LULL_R1CS_HEADER, HEADER_BYTES);
	put_u32(w, LULL_FR_BYTES);
	put(w, c->facts->fr_prime, LULL_FR_BYTES);
	put_u32(w, w->counts.nr_wires);
	put_u32(w, c->nr_public);
	put_u32(w, 0);
	put_u32(w, c->nr_inputs);
	put_u64(w, w->counts.nr_wires);
	put_u32(w, c->nr_rows);
	put_section(w, LULL_R1CS_CONSTRAINTS, w->bytes);
}

static int write_file(struct writer *w, struct lull_circuit_walk *walk,
		      struct lull_error *reterr)
{
	int err;

	put_start(w);
	err = flush(w, reterr);
	if (err)
		return err;
	w->bytes = 0;
	err = put_rows(w, walk, reterr);
	if (err)
		return err;
	put_start(w);
	return lull_outfile_write_at(&w->out, 0, w->buffer, w->nr, reterr);
}

int lull_circuit_write_r1cs(const struct lull_circuit *circuit,
			    const char *path,
			    struct lull_circuit_counts *ret_counts,
			    struct lull_error *reterr)
{
	struct writer w = { .out = LULL_OUTFILE_EMPTY, .circuit = circuit };
	struct lull_circuit_walk *walk;
	int err;

	err = lull_circuit_walk(circuit, &walk, reterr);
	if (err)
		return err;
	w.buffer = malloc(BUFFER_BYTES);
	if (!w.buffer)
		err = lull_fail(reterr, LULL_NOMEM, "out of memory");
	if (!err)
		err = lull_outfile_open(path, LULL_OUTFILE_REGULAR, &w.out,
					reterr);
	if (!err)
		err = write_file(&w, walk, reterr);
	if (!err)
		err = lull_outfile_commit(&w.out, 1, reterr);
	if (!err && ret_counts)
		*ret_counts = w.counts;
	lull_outfile_discard(&w.out);
	free(w.buffer);
	lull_circuit_walk_end(walk);
	return err;
}
