// SPDX-License-Identifier: Apache-2.0
/*
 * r1cs.c - parses a circuit; see r1cs.h
 *
 * The container is binfile.c's, magic "r1cs", version 1.  Its sections, in any
 * order, little-endian:
 *
 *	1	u32 n8, r[n8], u32 nWires, u32 nPubOut, u32 nPubIn, u32 nPrvIn,
 *		u64 nLabels, u32 nConstraints
 *	2	for each constraint A, B and C, each u32 n and n terms: u32 wire,
 *		coefficient[n8], plain (not Montgomery)
 *	3	nWires of u64: the label of each wire; may be absent
 *	4, 5	custom gates (plonk): absent, or a u32 of 0
 *
 * nPrvIn is not compared with nWires: simplification may drop private inputs.
 * Nor is nLabels, for nothing is found by it.  Without section 3 a small file
 * may have any number of wires, for wires need not be in a constraint: whoever
 * takes memory by them asks first (lull_arena_need()).
 */
#include "input/r1cs.h"

#include <inttypes.h>

#include "base/base.h"
#include "base/error.h"
#include "input/canonical.h"

#define LC_HEADER_BYTES 4 /* the number of terms */
#define LABEL_BYTES 8

static const char *const section_names[] = {
	[LULL_R1CS_HEADER] = "header",
	[LULL_R1CS_CONSTRAINTS] = "constraints",
	[LULL_R1CS_LABELS] = "labels",
	[LULL_R1CS_GATES] = "custom gates",
	[LULL_R1CS_GATE_USES] = "uses of custom gates",
};

static const struct lull_binfile_kind kind = {
	.magic = "r1cs",
	.version = LULL_R1CS_VERSION,
	.nr_names = LULL_ARRAY_SIZE(section_names),
	.names = section_names,
};

/* A linear combination being checked, for messages. */
struct place {
	uint32_t constraint;
	char matrix; /* 'A', 'B' or 'C' */
};

static int read_counts(struct lull_r1cs *r1cs,
		       struct lull_binfile_reader *reader,
		       struct lull_error *reterr)
{
	const struct {
		const char *what;
		uint32_t *value;
	} counts[] = {
		{ "nWires", &r1cs->nr_wires },
		{ "nPubOut", &r1cs->nr_pub_out },
		{ "nPubIn", &r1cs->nr_pub_in },
		{ "nPrvIn", &r1cs->nr_prv_in },
	};
	const uint8_t *labels;
	size_t i;
	int err;

	for (i = 0; i < LULL_ARRAY_SIZE(counts); i++) {
		err = lull_binfile_take_u32(reader, counts[i].what,
					    counts[i].value, reterr);
		if (err)
			return err;
	}
	err = lull_binfile_take(reader, sizeof(r1cs->nr_labels), "nLabels",
				&labels, reterr);
	if (err)
		return err;
	r1cs->nr_labels = lull_load_u64(labels);
	err = lull_binfile_take_u32(reader, "nConstraints",
				    &r1cs->nr_constraints, reterr);
	if (err)
		return err;
	return lull_binfile_expect(&r1cs->file, reader->section, 0, 0,
				   reader->pos, reterr);
}

static int read_header(struct lull_r1cs *r1cs, struct lull_error *reterr)
{
	struct lull_binfile_reader reader = { .file = &r1cs->file };
	uint64_t counts_at, least;
	int err;

	err = lull_binfile_section(&r1cs->file, LULL_R1CS_HEADER,
				   &reader.section, reterr);
	if (err)
		return err;
	err = lull_binfile_take_prime(&reader, "r", &r1cs->facts, reterr);
	if (err)
		return err;
	r1cs->curve = r1cs->facts->id;
	counts_at = reader.section->offset + reader.pos;
	err = read_counts(r1cs, &reader, reterr);
	if (err)
		return err;
	least = (uint64_t)1 + r1cs->nr_pub_out + r1cs->nr_pub_in;
	if (r1cs->nr_wires < least)
		return lull_binfile_fail(&r1cs->file, LULL_R1CS_HEADER,
					 counts_at, reterr, LULL_RANGE,
					 "nWires: expected at least %" PRIu64
					 " (1 + nPubOut + "
					 "nPubIn), found %" PRIu32,
					 least, r1cs->nr_wires);
	return LULL_OK;
}

static int find_labels(struct lull_r1cs *r1cs, struct lull_error *reterr)
{
	const struct lull_binfile_section *section;
	int err;

	section = lull_binfile_find(&r1cs->file, LULL_R1CS_LABELS);
	if (!section)
		return LULL_OK;
	err = lull_binfile_expect(&r1cs->file, section, r1cs->nr_wires,
				  LABEL_BYTES, 0, reterr);
	if (err)
		return err;
	r1cs->labels = section->data;
	return LULL_OK;
}

static int refuse_gates(const struct lull_r1cs *r1cs, uint32_t type,
			struct lull_error *reterr)
{
	struct lull_binfile_reader reader = { .file = &r1cs->file };
	uint32_t nr;
	int err;

	reader.section = lull_binfile_find(&r1cs->file, type);
	if (!reader.section)
		return LULL_OK;
	err = lull_binfile_take_u32(&reader, "number", &nr, reterr);
	if (err)
		return err;
	if (nr)
		return lull_binfile_fail(&r1cs->file, type,
					 reader.section->offset, reterr,
					 LULL_UNSUPPORTED,
					 "expected none, found %" PRIu32
					 ": Groth16 has no custom gates",
					 nr);
	return lull_binfile_expect(&r1cs->file, reader.section, 0, 0,
				   reader.pos, reterr);
}

/* As it stands in the file. */
static uint32_t raw_wire(const struct lull_r1cs_lc *lc, uint32_t i)
{
	return lull_load_u32(lull_r1cs_term(lc, i));
}

static int fail_term(const struct lull_r1cs *r1cs, const struct place *place,
		     const struct lull_r1cs_lc *lc, uint32_t i,
		     struct lull_error *reterr)
{
	const uint8_t *value = lull_r1cs_term_value(lc, i);
	uint32_t wire = raw_wire(lc, i);
	uint64_t offset = lull_binfile_offset(&r1cs->file, value);

	if (wire >= r1cs->nr_wires)
		return lull_binfile_fail(
			&r1cs->file, LULL_R1CS_CONSTRAINTS,
			offset - LULL_R1CS_TERM_VALUE, reterr, LULL_RANGE,
			"constraint %" PRIu32 ", %c, term %" PRIu32
			": wire: expected below %" PRIu32 ", found %" PRIu32,
			place->constraint, place->matrix, i, r1cs->nr_wires,
			wire);
	return lull_binfile_fail(
		&r1cs->file, LULL_R1CS_CONSTRAINTS, offset, reterr, LULL_RANGE,
		"constraint %" PRIu32 ", %c, term %" PRIu32
		": coefficient: expected below r of %s",
		place->constraint, place->matrix, i, r1cs->facts->name);
}

static int check_terms(const struct lull_r1cs *r1cs, const struct place *place,
		       const struct lull_r1cs_lc *lc, struct lull_error *reterr)
{
	const uint8_t *prime = r1cs->facts->fr_prime;
	uint32_t i;

	for (i = 0; i < lc->nr_terms; i++)
		if (lull_unlikely(raw_wire(lc, i) >= r1cs->nr_wires ||
				  !lull_input_below(lull_r1cs_term_value(lc, i),
						    prime, LULL_FR_BYTES)))
			return fail_term(r1cs, place, lc, i, reterr);
	return LULL_OK;
}

/* Checks the linear combination that @reader stands at and steps over it. */
static int check_lc(const struct lull_r1cs *r1cs, const struct place *place,
		    struct lull_binfile_reader *reader, uint64_t *nr_terms,
		    struct lull_error *reterr)
{
	const struct lull_binfile_section *section = reader->section;
	uint64_t left = section->bytes - reader->pos;
	struct lull_r1cs_lc lc;
	uint64_t bytes;

	if (left < LC_HEADER_BYTES)
		return lull_binfile_fail(
			&r1cs->file, section->type,
			section->offset + reader->pos, reterr, LULL_FORMAT,
			"constraint %" PRIu32 " of %" PRIu32
			", %c: expected %u bytes, found "
			"%" PRIu64,
			place->constraint, r1cs->nr_constraints, place->matrix,
			LC_HEADER_BYTES, left);
	lc.nr_terms = lull_load_u32_once(section->data + reader->pos);
	lc.terms = section->data + reader->pos + LC_HEADER_BYTES;
	bytes = (uint64_t)lc.nr_terms * LULL_R1CS_TERM_BYTES;
	left -= LC_HEADER_BYTES;
	if (bytes > left)
		return lull_binfile_fail(
			&r1cs->file, section->type,
			section->offset + reader->pos, reterr, LULL_FORMAT,
			"constraint %" PRIu32 ", %c: %" PRIu32
			" terms: expected %" PRIu64 " bytes, found %" PRIu64,
			place->constraint, place->matrix, lc.nr_terms, bytes,
			left);
	reader->pos += LC_HEADER_BYTES + bytes;
	*nr_terms += lc.nr_terms;
	return check_terms(r1cs, place, &lc, reterr);
}

static int check_constraints(struct lull_r1cs *r1cs, struct lull_error *reterr)
{
	struct lull_binfile_reader reader = { .file = &r1cs->file };
	uint64_t *const nr_terms[] = { &r1cs->nr_terms_a, &r1cs->nr_terms_b,
				       &r1cs->nr_terms_c };
	struct place place;
	uint32_t i, j;
	int err;

	err = lull_binfile_section(&r1cs->file, LULL_R1CS_CONSTRAINTS,
				   &reader.section, reterr);
	if (err)
		return err;
	r1cs->constraints = reader.section->data;
	r1cs->constraints_end = r1cs->constraints + reader.section->bytes;
	for (i = 0; i < r1cs->nr_constraints; i++) {
		place.constraint = i;
		for (j = 0; j < LULL_ARRAY_SIZE(nr_terms); j++) {
			place.matrix = "ABC"[j];
			err = check_lc(r1cs, &place, &reader, nr_terms[j],
				       reterr);
			if (err)
				return err;
		}
	}
	return lull_binfile_expect(&r1cs->file, reader.section, 0, 0,
				   reader.pos, reterr);
}

static int parse(struct lull_r1cs *r1cs, struct lull_error *reterr)
{
	int err;

	err = read_header(r1cs, reterr);
	if (err)
		return err;
	err = refuse_gates(r1cs, LULL_R1CS_GATES, reterr);
	if (err)
		return err;
	err = refuse_gates(r1cs, LULL_R1CS_GATE_USES, reterr);
	if (err)
		return err;
	err = find_labels(r1cs, reterr);
	if (err)
		return err;
	return check_constraints(r1cs, reterr);
}

/* Ends @r1cs's file when it fails. */
static int finish(struct lull_r1cs *r1cs, struct lull_r1cs *ret_r1cs,
		  struct lull_error *reterr)
{
	int err;

	err = parse(r1cs, reterr);
	if (err) {
		lull_binfile_close(&r1cs->file);
		return err;
	}
	*ret_r1cs = *r1cs;
	return LULL_OK;
}

int lull_r1cs_open(const char *path, struct lull_r1cs *ret_r1cs,
		   struct lull_error *reterr)
{
	struct lull_r1cs r1cs = { 0 };
	int err;

	err = lull_binfile_open(path, &kind, NULL, &r1cs.file, reterr);
	if (err)
		return err;
	return finish(&r1cs, ret_r1cs, reterr);
}

int lull_r1cs_open_mem(const void *data, size_t bytes, const char *name,
		       struct lull_r1cs *ret_r1cs, struct lull_error *reterr)
{
	struct lull_r1cs r1cs = { 0 };
	int err;

	err = lull_binfile_open_mem(data, bytes, name, &kind, &r1cs.file,
				    reterr);
	if (err)
		return err;
	return finish(&r1cs, ret_r1cs, reterr);
}

void lull_r1cs_close(struct lull_r1cs *r1cs)
{
	lull_binfile_close(&r1cs->file);
	*r1cs = (struct lull_r1cs){ 0 };
}

struct lull_r1cs_walk lull_r1cs_walk(const struct lull_r1cs *r1cs)
{
	return (struct lull_r1cs_walk){ .next = r1cs->constraints };
}

/* No terms where there is no room for them: the file has changed. */
static void next_lc(const struct lull_r1cs *r1cs, struct lull_r1cs_walk *walk,
		    struct lull_r1cs_lc *ret_lc)
{
	uint64_t left = (uint64_t)(r1cs->constraints_end - walk->next), bytes;

	*ret_lc = (struct lull_r1cs_lc){ .nr_wires = r1cs->nr_wires };
	if (lull_unlikely(left < LC_HEADER_BYTES))
		return;
	ret_lc->nr_terms = lull_load_u32_once(walk->next);
	ret_lc->terms = walk->next + LC_HEADER_BYTES;
	bytes = (uint64_t)ret_lc->nr_terms * LULL_R1CS_TERM_BYTES;
	if (lull_unlikely(bytes > left - LC_HEADER_BYTES))
		ret_lc->nr_terms = bytes = 0;
	walk->next = ret_lc->terms + bytes;
}

bool lull_r1cs_next(const struct lull_r1cs *r1cs, struct lull_r1cs_walk *walk,
		    struct lull_r1cs_row *ret_row)
{
	if (walk->row == r1cs->nr_constraints)
		return false;
	walk->row++;
	next_lc(r1cs, walk, &ret_row->a);
	next_lc(r1cs, walk, &ret_row->b);
	next_lc(r1cs, walk, &ret_row->c);
	return true;
}
