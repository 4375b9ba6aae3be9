// SPDX-License-Identifier: Apache-2.0
/*
 * keygen_native.c - a test key as a .lkey at once; see keygen.h
 *
 * Takes the circuit's rows, numbers its coefficients, settles every place of the
 * file, asks for room, and has the sections filled as those of a .zkey are:
 * their numbers are the same.  Rows, columns and coefficients are written here,
 * from how they lie in memory.  Then the sections are read back to be hashed,
 * and the head is written last.
 */
#include "prove/keygen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend/set.h"
#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"
#include "prove/convert_plan.h"
#include "prove/keygen_plan.h"

/* Entries, or rows, that a task buffers. */
#define BUFFERED ((size_t)1 << 15)

_Static_assert((int)LULL_PART_HEADER == (int)LULL_ZKEY_HEADER &&
		       (int)LULL_PART_IC == (int)LULL_ZKEY_IC &&
		       (int)LULL_PART_A == (int)LULL_ZKEY_A &&
		       (int)LULL_PART_B1 == (int)LULL_ZKEY_B1 &&
		       (int)LULL_PART_B2 == (int)LULL_ZKEY_B2 &&
		       (int)LULL_PART_L == (int)LULL_ZKEY_C &&
		       (int)LULL_PART_H == (int)LULL_ZKEY_H,
	       "sections of both files have the same numbers");

/* What one thread works with. */
struct slot {
	uint32_t starts[BUFFERED];
	uint8_t ids[BUFFERED * sizeof(uint16_t)];
	struct lull_circuit_sum sum;
};

/* A coefficient as files have it, and the circuit's number of it. */
struct value {
	uint8_t bytes[LULL_FR_BYTES];
	uint32_t number;
};

/**
 * struct lull_keygen_native - a .lkey under way
 * @c: the file, its head, and who runs its tasks
 * @plan: for those that fill sections of points
 * @circuit: the rows
 * @used: by number: the coefficient stands in A or B
 * @ids: by number: its number in the file
 * @values: those of the file, in its order, without repetition
 * @one: number of 1 in the file, of the public wires' own rows
 * @nr_inf: by section
 * @slots: memory of the threads
 */
struct lull_keygen_native {
	struct lull_converting c;
	struct lull_keygen_plan plan;
	struct lull_keygen_circuit circuit;
	uint8_t *used;
	uint16_t *ids;
	struct value *values;
	uint16_t one;
	size_t nr_inf[LULL_NR_PARTS];
	struct slot *slots;
};

bool lull_keygen_is_folded(const struct lull_keygen_native *native)
{
	return native->c.how->fold_c;
}

void lull_keygen_add_inf(struct lull_keygen_native *native,
			 unsigned int section, size_t nr)
{
	if (nr)
		__atomic_fetch_add(&native->nr_inf[section], nr,
				   __ATOMIC_RELAXED);
}

void lull_keygen_clear_inf(struct lull_keygen_native *native)
{
	memset(native->nr_inf, 0, sizeof(native->nr_inf));
}

/* ---- coefficients ------------------------------------------------------- */

static void mark_used(void *arg, size_t task, unsigned int slot)
{
	struct lull_keygen_native *n = arg;
	const struct lull_keygen_portion *p = &n->circuit.portions[task];
	const uint16_t *coefs;
	unsigned int m;
	uint32_t i;

	(void)slot;
	for (m = MATRIX_A; m <= MATRIX_B; m++) {
		coefs = lull_keygen_portion_coefs(p, m);
		for (i = 0; i < p->nr_terms[m]; i++)
			if (!__atomic_load_n(&n->used[coefs[i]],
					     __ATOMIC_RELAXED))
				__atomic_store_n(&n->used[coefs[i]], 1,
						 __ATOMIC_RELAXED);
	}
}

static int compare_values(const void *a, const void *b)
{
	return memcmp(a, b, LULL_FR_BYTES);
}

static void file_value(const struct lull_keygen_native *n, uint8_t *to,
		       const uint8_t *plain)
{
	if (n->circuit.facts->id == LULL_CURVE_BN254)
		lull_bn254_keygen_file_values(to, plain, 1);
	else
		lull_bls12_381_keygen_file_values(to, plain, 1);
}

/* Coefficients that are used and, behind the circuit's numbers, that of the
 * public wires' own rows; how many there are. */
static size_t collect_values(struct lull_keygen_native *n)
{
	static const uint8_t one[LULL_FR_BYTES] = { 1 };
	const struct lull_keygen_circuit *c = &n->circuit;
	size_t nr = 0;
	uint32_t i;

	for (i = 0; i < c->nr_values; i++) {
		if (!n->used[i])
			continue;
		file_value(n, n->values[nr].bytes,
			   c->values + (size_t)i * LULL_FR_BYTES);
		n->values[nr++].number = i;
	}
	file_value(n, n->values[nr].bytes, one);
	n->values[nr++].number = c->nr_values;
	return nr;
}

/* Numbers them in the order of their bytes, equal ones alike. */
static int number_values(struct lull_keygen_native *n,
			 struct lull_error *reterr)
{
	const struct lull_keygen_circuit *c = &n->circuit;
	size_t nr, i, nr_ids = 0;
	struct value *v;

	n->used = calloc(c->nr_values + (size_t)1, sizeof(*n->used));
	n->ids = calloc(c->nr_values + (size_t)1, sizeof(*n->ids));
	n->values = calloc(c->nr_values + (size_t)1, sizeof(*n->values));
	if (!n->used || !n->ids || !n->values)
		return lull_fail(reterr, LULL_NOMEM,
				 "no memory for coefficients");
	lull_workers_run(n->c.workers, c->nr_portions, mark_used, n);
	v = n->values;
	nr = collect_values(n);
	qsort(v, nr, sizeof(*v), compare_values);
	for (i = 0; i < nr; i++) {
		if (!i || compare_values(&v[i], &v[nr_ids - 1]))
			v[nr_ids++] = v[i];
		n->ids[v[i].number] = (uint16_t)(nr_ids - 1);
	}
	n->one = n->ids[c->nr_values];
	n->c.head.nr_values = nr_ids;
	n->c.head.id_bytes = nr_ids <= LULL_CSR_IDS_OF_ONE_BYTE ? 1 : 2;
	return LULL_OK;
}

/* ---- rows --------------------------------------------------------------- */

/* Where part @which of a matrix's rows lies: 0 starts, 1 columns, 2 numbers. */
static uint64_t place_of(struct lull_keygen_native *n, unsigned int matrix,
			 unsigned int which)
{
	return lull_lkey_section(&n->c.head,
				 (matrix == MATRIX_A ? LULL_PART_ROWS_A
						     : LULL_PART_ROWS_B) +
					 which)
		->offset;
}

static int write_starts(struct lull_keygen_native *n, unsigned int matrix,
			const struct lull_keygen_portion *p, struct slot *mine,
			struct lull_error *reterr)
{
	const uint16_t *lengths = lull_keygen_portion_lengths(p, matrix);
	uint64_t at = p->before[matrix];
	size_t lo, i, nr;
	int err = LULL_OK;

	for (lo = 0; lo < p->nr_rows && !err; lo += nr) {
		nr = lull_min(p->nr_rows - lo, BUFFERED);
		for (i = 0; i < nr; i++) {
			mine->starts[i] = (uint32_t)at;
			at += lengths[lo + i];
		}
		err = lull_outfile_write_at(
			&n->c.out,
			place_of(n, matrix, 0) +
				(p->first + lo) * sizeof(mine->starts[0]),
			mine->starts, nr * sizeof(mine->starts[0]), reterr);
	}
	return err;
}

static int write_ids(struct lull_keygen_native *n, unsigned int matrix,
		     const struct lull_keygen_portion *p, struct slot *mine,
		     struct lull_error *reterr)
{
	const uint16_t *coefs = lull_keygen_portion_coefs(p, matrix);
	const size_t each = n->c.head.id_bytes;
	size_t lo, i, nr;
	int err = LULL_OK;

	for (lo = 0; lo < p->nr_terms[matrix] && !err; lo += nr) {
		nr = lull_min(p->nr_terms[matrix] - lo, BUFFERED);
		for (i = 0; i < nr; i++)
			memcpy(mine->ids + i * each, &n->ids[coefs[lo + i]],
			       each);
		err = lull_outfile_write_at(&n->c.out,
					    place_of(n, matrix, 2) +
						    (p->before[matrix] + lo) *
							    each,
					    mine->ids, nr * each, reterr);
	}
	return err;
}

static void add_record(const struct lull_keygen_native *n,
		       struct lull_circuit_sum *sum, unsigned int matrix,
		       uint32_t row, uint32_t wire, uint16_t id)
{
	uint8_t record[LULL_RECORD_BYTES];

	lull_record_put(record, matrix, row, wire, n->values[id].bytes);
	lull_circuit_add(sum, record);
}

static void digest_portion(const struct lull_keygen_native *n,
			   unsigned int matrix,
			   const struct lull_keygen_portion *p,
			   struct lull_circuit_sum *sum)
{
	const uint32_t *wires = lull_keygen_portion_wires(p, matrix);
	const uint16_t *coefs = lull_keygen_portion_coefs(p, matrix);
	const uint16_t *lengths = lull_keygen_portion_lengths(p, matrix);
	uint32_t row, i;

	for (row = 0; row < p->nr_rows; row++)
		for (i = lengths[row]; i; i--)
			add_record(n, sum, matrix, p->first + row, *wires++,
				   n->ids[*coefs++]);
}

static int write_portion(void *arg, size_t task, unsigned int slot,
			 struct lull_error *reterr)
{
	struct lull_keygen_native *n = arg;
	const struct lull_keygen_portion *p = &n->circuit.portions[task];
	struct slot *mine = &n->slots[slot];
	unsigned int m;
	int err = LULL_OK;

	for (m = MATRIX_A; m <= MATRIX_B && !err; m++) {
		digest_portion(n, m, p, &mine->sum);
		err = write_starts(n, m, p, mine, reterr);
		if (!err)
			err = lull_outfile_write_at(
				&n->c.out,
				place_of(n, m, 1) +
					p->before[m] * sizeof(uint32_t),
				lull_keygen_portion_wires(p, m),
				p->nr_terms[m] * sizeof(uint32_t), reterr);
		if (!err)
			err = write_ids(n, m, p, mine, reterr);
	}
	return err;
}

/* The starts of rows [lo, n], the last of which ends the matrix: the public
 * wires' own rows have an entry each in A, no other has any. */
static int write_last_starts(struct lull_keygen_native *n, unsigned int matrix,
			     struct lull_error *reterr)
{
	const struct lull_keygen_circuit *c = &n->circuit;
	const uint64_t last = (uint64_t)1 << n->c.head.log2_domain;
	const uint32_t own = matrix == MATRIX_A ? c->nr_public + 1 : 0;
	struct slot *mine = &n->slots[0];
	uint64_t row = c->nr_rows, i, nr;
	int err = LULL_OK;

	for (; row <= last && !err; row += nr) {
		nr = lull_min(last + 1 - row, BUFFERED);
		for (i = 0; i < nr; i++)
			mine->starts[i] =
				(uint32_t)(c->nr_terms[matrix] +
					   lull_min(row + i - c->nr_rows, own));
		err = lull_outfile_write_at(
			&n->c.out,
			place_of(n, matrix, 0) + row * sizeof(mine->starts[0]),
			mine->starts, nr * sizeof(mine->starts[0]), reterr);
	}
	return err;
}

/* The public wires' own rows: wire s in row nr_rows + s of A, times 1. */
static int write_public(struct lull_keygen_native *n, struct lull_error *reterr)
{
	const struct lull_keygen_circuit *c = &n->circuit;
	const uint64_t before = c->nr_terms[MATRIX_A];
	const size_t each = n->c.head.id_bytes;
	uint32_t s;
	int err = LULL_OK;

	for (s = 0; s <= c->nr_public && !err; s++) {
		add_record(n, &n->slots[0].sum, MATRIX_A, c->nr_rows + s, s,
			   n->one);
		err = lull_outfile_write_at(&n->c.out,
					    place_of(n, MATRIX_A, 1) +
						    (before + s) * sizeof(s),
					    &s, sizeof(s), reterr);
		if (!err)
			err = lull_outfile_write_at(&n->c.out,
						    place_of(n, MATRIX_A, 2) +
							    (before + s) * each,
						    &n->one, each, reterr);
	}
	if (!err)
		err = write_last_starts(n, MATRIX_A, reterr);
	if (!err)
		err = write_last_starts(n, MATRIX_B, reterr);
	return err;
}

static int write_values(struct lull_keygen_native *n, struct lull_error *reterr)
{
	uint64_t at = lull_lkey_section(&n->c.head, LULL_PART_COEFS)->offset;
	size_t i;
	int err = LULL_OK;

	for (i = 0; i < n->c.head.nr_values && !err; i++)
		err = lull_outfile_write_at(&n->c.out, at + i * LULL_FR_BYTES,
					    n->values[i].bytes, LULL_FR_BYTES,
					    reterr);
	return err;
}

static void set_digest(struct lull_keygen_native *n)
{
	struct lull_circuit_sum all = { { 0 } };
	unsigned int i, k;

	for (i = 0; i < lull_workers_nr(n->c.workers); i++)
		for (k = 0; k < LULL_ARRAY_SIZE(all.half); k++)
			all.half[k] += n->slots[i].sum.half[k];
	lull_circuit_digest(&all, &n->c.head, n->c.head.circuit);
}

int lull_keygen_write_rows(struct lull_keygen_native *n,
			   struct lull_error *reterr)
{
	struct lull_vec slots;
	int err;

	err = lull_arena_carve(
		n->c.arena, lull_workers_nr(n->c.workers) * sizeof(*n->slots),
		LULL_CARVE_ZERO, "rows on their way", &slots, reterr);
	if (err)
		return err;
	n->slots = slots.ptr;
	err = write_values(n, reterr);
	if (!err)
		err = lull_workers_try_slots(n->c.workers,
					     n->circuit.nr_portions,
					     write_portion, n, reterr);
	if (!err)
		err = write_public(n, reterr);
	if (!err)
		set_digest(n);
	lull_arena_retire(&slots);
	lull_keygen_circuit_end(&n->circuit);
	return err;
}

/* ---- the file ----------------------------------------------------------- */

/* Counts, and with them places. */
static void place(struct lull_keygen_native *n)
{
	const struct lull_keygen_circuit *c = &n->circuit;
	struct lull_lkey_head *head = &n->c.head;
	const struct lull_lkey_section *s;
	unsigned int i;

	head->facts = c->facts;
	head->nr_vars = c->nr_wires;
	head->nr_public = c->nr_public;
	head->log2_domain = n->plan.log2_domain;
	head->nr_entries[0] = c->nr_terms[MATRIX_A] + c->nr_public + 1;
	head->nr_entries[1] = c->nr_terms[MATRIX_B];
	lull_lkey_place(head);
	for (i = 0; i < LULL_LKEY_NR_SECTIONS; i++) {
		s = &head->sections[i];
		if (s->number >= LULL_KEYGEN_SLOTS)
			continue;
		n->plan.offset[s->number] = s->offset;
		n->plan.bytes[s->number] = s->bytes;
	}
}

static int hash_sections(struct lull_keygen_native *n,
			 struct lull_error *reterr)
{
	struct lull_keygen_start start = lull_keygen_start();
	int err = lull_convert_hash(&n->c, reterr);

	if (!err)
		lull_keygen_say(&n->plan, "hashes", &start);
	return err;
}

static int write_sections(struct lull_keygen_native *n, uint64_t beside_bytes,
			  struct lull_error *reterr)
{
	struct lull_lkey_head *head = &n->c.head;
	int err;

	if (n->plan.set)
		lull_set_say(n->plan.set,
			     "key: a file of %" PRIu64 " bytes, and %" PRIu64
			     " beside it",
			     head->file_bytes, beside_bytes);
	err = lull_outfile_check_room(&n->c.out,
				      head->file_bytes + beside_bytes, reterr);
	if (!err)
		err = lull_outfile_resize(&n->c.out, head->file_bytes, reterr);
	if (err)
		return err;
	lull_outfile_map(&n->c.out, head->file_bytes);
	err = lull_keygen_fill(&n->plan, reterr);
	if (err)
		return err;
	head->nr_inf[0] = (uint32_t)n->nr_inf[LULL_PART_A];
	head->nr_inf[1] = (uint32_t)n->nr_inf[LULL_PART_B1];
	head->nr_inf[2] = (uint32_t)n->nr_inf[LULL_PART_B2];
	head->nr_inf[3] = (uint32_t)n->nr_inf[LULL_PART_L];
	err = hash_sections(n, reterr);
	return err ? err : lull_convert_write_head(&n->c, reterr);
}

static int write_key(struct lull_keygen_native *n, const char *path,
		     uint64_t beside_bytes, struct lull_error *reterr)
{
	int err;

	err = lull_keygen_settle(&n->plan, reterr);
	if (!err)
		err = number_values(n, reterr);
	if (err)
		return err;
	place(n);
	err = lull_outfile_open(path, LULL_OUTFILE_REGULAR, &n->c.out, reterr);
	if (!err)
		err = write_sections(n, beside_bytes, reterr);
	if (!err)
		err = lull_outfile_commit(&n->c.out, 1, reterr);
	lull_outfile_discard(&n->c.out);
	return err;
}

static int take_circuit(struct lull_keygen_native *n,
			const struct lull_toxic_circuit *source,
			struct lull_error *reterr)
{
	struct lull_keygen_start start = lull_keygen_start();
	int err;

	err = lull_keygen_circuit_take(source, n->c.arena, &n->circuit, reterr);
	if (!err)
		lull_keygen_say(&n->plan, "rows of the circuit", &start);
	return err;
}

int lull_keygen_native(const struct lull_toxic_circuit *source,
		       const char *lkey_path,
		       const struct lull_toxic_opts *opts,
		       struct lull_workers *workers, struct lull_arena *arena,
		       struct lull_set *set, struct lull_error *reterr)
{
	const struct lull_convert_how how = { .fold_c = opts && opts->fold_c };
	struct lull_keygen_native n = {
		.c = { .how = &how,
		       .head = { .flags = LULL_LKEY_TOXIC |
					  (how.fold_c ? LULL_LKEY_FOLDED : 0) },
		       .out = LULL_OUTFILE_EMPTY,
		       .workers = workers,
		       .arena = arena },
		.plan = { .circuit = &n.circuit,
			  .out = &n.c.out,
			  .workers = workers,
			  .arena = arena,
			  .set = set,
			  .seed = opts ? opts->seed : NULL,
			  .native = &n },
	};
	int err = take_circuit(&n, source, reterr);

	if (!err)
		err = write_key(&n, lkey_path, opts ? opts->beside_bytes : 0,
				reterr);
	lull_keygen_circuit_end(&n.circuit);
	free(n.used);
	free(n.ids);
	free(n.values);
	return err;
}
