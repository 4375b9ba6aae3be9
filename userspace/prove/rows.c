// SPDX-License-Identifier: Apache-2.0
/*
 * rows.c - from a key's records to rows of columns and numbers
 *
 * Records are read twice, in portions: once to count the entries of each
 * portion and to collect the distinct coefficients, once to write each entry to
 * its place, which the counts of the portions before it tell.  So memory does
 * not grow with the key, and bytes do not depend on who did what when.
 *
 * Coefficients are numbered in the order of their bytes.  Where there are more
 * than two bytes can name, each entry has its own.
 */
#include <stdlib.h>

#include "base/base.h"
#include "base/csr.h"
#include "base/error.h"
#include "base/workers.h"
#include "prove/convert_plan.h"

#define VALUES_MAX ((size_t)LULL_CSR_IDS_OF_TWO_BYTES)
#define TABLE_SLOTS (2 * VALUES_MAX)
/* Starts that a task collects before it writes them. */
#define STARTS_BUFFERED ((size_t)1 << 14)

/* Distinct values: a hash table of numbers from 1, 0 where a slot is free. */
struct values {
	uint32_t slots[TABLE_SLOTS];
	uint8_t value[VALUES_MAX][LULL_FR_BYTES];
	uint32_t nr;
	uint32_t last; /* slot of the value that came last */
	bool full;     /* there are more */
};

/* What a portion holds of each matrix: entries, then those before it. */
struct portion {
	uint32_t entries[LULL_CSR_MATRICES];
};

struct counting_slot {
	struct lull_circuit_sum sum;
	struct values values;
	/* One record more: that before the portion. */
	uint8_t records[(LULL_CONVERT_RECORDS + 1) * LULL_RECORD_BYTES];
};

_Static_assert(sizeof(struct counting_slot) <= LULL_CONVERT_SLOT_BYTES,
	       "what is told of it");

struct lull_rows {
	struct lull_arena *arena;
	size_t nr_portions;
	unsigned int nr_slots;
	struct lull_vec portions_vec, slots_vec;
	struct portion *portions;
	struct counting_slot *slots;
	const struct lull_converting *c;
};

/* ---- the digest --------------------------------------------------------- */

void lull_circuit_add(struct lull_circuit_sum *sum, const uint8_t *record)
{
	uint8_t hash[LULL_HASH_BYTES];

	lull_hash(record, LULL_RECORD_BYTES, hash);
	sum->half[0] += lull_load_u64(hash);
	sum->half[1] += lull_load_u64(hash + sizeof(sum->half[0]));
}

void lull_circuit_digest(const struct lull_circuit_sum *sum,
			 const struct lull_lkey_head *head,
			 uint8_t ret_digest[LULL_HASH_BYTES])
{
	const uint32_t sizes[] = { head->facts->id, head->nr_vars,
				   head->nr_public, head->log2_domain };
	uint8_t bytes[sizeof(sizes) + sizeof(sum->half)];

	memcpy(bytes, sizes, sizeof(sizes));
	memcpy(bytes + sizeof(sizes), sum->half, sizeof(sum->half));
	lull_hash(bytes, sizeof(bytes), ret_digest);
}

/* ---- distinct values ---------------------------------------------------- */

static size_t slot_of(const struct values *values, const uint8_t *value)
{
	uint8_t hash[LULL_HASH_BYTES];
	size_t i;

	lull_hash(value, LULL_FR_BYTES, hash);
	i = lull_load_u32(hash) % TABLE_SLOTS;
	while (values->slots[i] && memcmp(values->value[values->slots[i] - 1],
					  value, LULL_FR_BYTES))
		i = (i + 1) % TABLE_SLOTS;
	return i;
}

static void insert(struct values *values, const uint8_t *value)
{
	size_t i = values->last;

	/* Most of a circuit's coefficients are as the one before. */
	if (values->full ||
	    (values->slots[i] && !memcmp(values->value[values->slots[i] - 1],
					 value, LULL_FR_BYTES)))
		return;
	i = slot_of(values, value);
	values->last = (uint32_t)i;
	if (values->slots[i])
		return;
	if (values->nr == VALUES_MAX) {
		values->full = true;
		return;
	}
	memcpy(values->value[values->nr], value, LULL_FR_BYTES);
	values->slots[i] = ++values->nr;
}

static int compare_values(const void *a, const void *b)
{
	return memcmp(a, b, LULL_FR_BYTES);
}

/* All slots' values in the first one, numbered in order. */
static void unite(struct counting_slot *slots, unsigned int nr_slots)
{
	struct values *all = &slots[0].values;
	unsigned int s;
	uint32_t i;

	for (s = 1; s < nr_slots; s++) {
		all->full |= slots[s].values.full;
		for (i = 0; i < slots[s].values.nr; i++)
			insert(all, slots[s].values.value[i]);
	}
	qsort(all->value, all->nr, LULL_FR_BYTES, compare_values);
	memset(all->slots, 0, sizeof(all->slots));
	for (i = 0; i < all->nr; i++)
		all->slots[slot_of(all, all->value[i])] = i + 1;
}

/* ---- counting ----------------------------------------------------------- */

/* The records of portion @task, and of the row before it: UINT32_MAX where
 * there is none. */
static int take_portion(const struct lull_source *source, size_t task,
			uint8_t *buf, const uint8_t **ret_records,
			size_t *ret_nr, uint32_t *ret_before,
			struct lull_error *reterr)
{
	size_t first = task * LULL_CONVERT_RECORDS, more = first ? 1 : 0;
	size_t nr = lull_min(source->nr_records - first, LULL_CONVERT_RECORDS);
	int err;

	err = source->ops->records(source, first - more, nr + more, buf,
				   reterr);
	*ret_records = buf + more * LULL_RECORD_BYTES;
	*ret_nr = nr;
	*ret_before = more ? lull_load_u32(buf + LULL_RECORD_ROW) : UINT32_MAX;
	return err;
}

static int count_portion(void *arg, size_t task, unsigned int slot,
			 struct lull_error *reterr)
{
	const struct lull_rows *rows = arg;
	struct counting_slot *mine = &rows->slots[slot];
	uint32_t *entries = rows->portions[task].entries, before;
	const uint8_t *p;
	size_t nr;
	int err;

	err = take_portion(rows->c->source, task, mine->records, &p, &nr,
			   &before, reterr);
	if (err)
		return err;
	for (; nr; nr--, p += LULL_RECORD_BYTES) {
		entries[lull_load_u32(p + LULL_RECORD_MATRIX) & 1]++;
		insert(&mine->values, p + LULL_RECORD_VALUE);
		lull_circuit_add(&mine->sum, p);
	}
	return LULL_OK;
}

/* Counts become the entries before each portion. */
static void sum_portions(struct lull_rows *rows, uint64_t *ret_totals)
{
	uint32_t total[LULL_CSR_MATRICES] = { 0 }, here;
	unsigned int k;
	size_t i;

	for (i = 0; i < rows->nr_portions; i++) {
		for (k = 0; k < LULL_CSR_MATRICES; k++) {
			here = rows->portions[i].entries[k];
			rows->portions[i].entries[k] = total[k];
			total[k] += here;
		}
	}
	for (k = 0; k < LULL_CSR_MATRICES; k++)
		ret_totals[k] = total[k];
}

static void fill_head(struct lull_converting *c, struct lull_rows *rows)
{
	unsigned int nr_slots = rows->nr_slots, s;
	const struct values *values = &rows->slots[0].values;
	struct lull_circuit_sum sum = { { 0 } };

	sum_portions(rows, c->head.nr_entries);
	for (s = 0; s < nr_slots; s++) {
		sum.half[0] += rows->slots[s].sum.half[0];
		sum.half[1] += rows->slots[s].sum.half[1];
	}
	lull_circuit_digest(&sum, &c->head, c->head.circuit);
	unite(rows->slots, nr_slots);
	if (values->full) {
		c->head.id_bytes = sizeof(uint32_t);
		c->head.nr_values = c->source->nr_records;
		return;
	}
	c->head.id_bytes = values->nr <= LULL_CSR_IDS_OF_ONE_BYTE ? 1 : 2;
	c->head.nr_values = values->nr;
}

int lull_rows_count(struct lull_converting *c, struct lull_rows **ret_rows,
		    struct lull_error *reterr)
{
	struct lull_rows *rows = calloc(1, sizeof(*rows));
	int err;

	if (!rows)
		return lull_fail(reterr, LULL_NOMEM, "no memory for rows");
	rows->c = c;
	rows->nr_portions = lull_max(
		lull_div_up(c->source->nr_records, LULL_CONVERT_RECORDS), 1);
	rows->nr_slots = lull_convert_slots(c, rows->nr_portions);
	err = lull_arena_carve(c->arena,
			       rows->nr_portions * sizeof(*rows->portions),
			       LULL_CARVE_ZERO, "counts of the rows",
			       &rows->portions_vec, reterr);
	if (!err)
		err = lull_arena_carve(c->arena,
				       rows->nr_slots * sizeof(*rows->slots),
				       LULL_CARVE_ZERO, "distinct coefficients",
				       &rows->slots_vec, reterr);
	rows->portions = rows->portions_vec.ptr;
	rows->slots = rows->slots_vec.ptr;
	if (!err)
		err = lull_convert_run(c, "coefficients", rows->nr_portions,
				       count_portion, rows, reterr);
	if (err) {
		lull_rows_destroy(rows);
		return err;
	}
	fill_head(c, rows);
	*ret_rows = rows;
	return LULL_OK;
}

void lull_rows_destroy(struct lull_rows *rows)
{
	if (!rows)
		return;
	lull_arena_retire(&rows->portions_vec);
	lull_arena_retire(&rows->slots_vec);
	free(rows);
}

/* ---- writing ------------------------------------------------------------ */

/* One matrix's part of a portion. */
struct entries {
	uint32_t columns[LULL_CONVERT_RECORDS];
	uint8_t ids[LULL_CONVERT_RECORDS * sizeof(uint32_t)];
	uint8_t values[LULL_CONVERT_RECORDS][LULL_FR_BYTES];
	uint32_t nr;
	uint32_t starts[STARTS_BUFFERED];
	size_t nr_starts, row; /* buffered, and the row of the first of them */
};

struct writing_slot {
	struct entries matrix[LULL_CSR_MATRICES];
	uint8_t records[(LULL_CONVERT_RECORDS + 1) * LULL_RECORD_BYTES];
};

_Static_assert(sizeof(struct writing_slot) <= LULL_CONVERT_SLOT_BYTES,
	       "what is told of it");

struct writing {
	struct lull_converting *c;
	const struct lull_rows *rows;
	struct writing_slot *slots;
	uint64_t offset[LULL_NR_PARTS];
};

static int flush_starts(const struct writing *w, unsigned int k,
			struct entries *e, struct lull_error *reterr)
{
	struct lull_outfile *out = &w->c->out;
	uint64_t at = w->offset[LULL_PART_ROWS_A +
				k * (LULL_PART_ROWS_B - LULL_PART_ROWS_A)];
	int err;

	err = lull_outfile_write_at(
		out, at + e->row * sizeof(e->starts[0]), e->starts,
		e->nr_starts * sizeof(e->starts[0]), reterr);
	e->row += e->nr_starts;
	e->nr_starts = 0;
	return err;
}

/* Rows up to @row begin where the next entry of each matrix will be. */
static int begin_rows(const struct writing *w, struct writing_slot *slot,
		      size_t task, size_t row, struct lull_error *reterr)
{
	const uint32_t *before = w->rows->portions[task].entries;
	struct entries *e;
	unsigned int k;
	int err = LULL_OK;

	for (k = 0; k < LULL_CSR_MATRICES && !err; k++) {
		e = &slot->matrix[k];
		while (e->row + e->nr_starts <= row && !err) {
			e->starts[e->nr_starts++] = before[k] + e->nr;
			if (e->nr_starts == STARTS_BUFFERED)
				err = flush_starts(w, k, e, reterr);
		}
	}
	return err;
}

/* The number of a coefficient; one of an entry's own is kept with it. */
static void put_value(const struct writing *w, struct entries *e,
		      unsigned int k, uint32_t before, const uint8_t *value)
{
	const struct values *values = &w->rows->slots[0].values;
	const unsigned int id_bytes = w->c->head.id_bytes;
	uint32_t id;

	if (id_bytes == sizeof(id)) {
		id = before + e->nr;
		if (k)
			id += (uint32_t)w->c->head.nr_entries[0];
		memcpy(e->values[e->nr], value, LULL_FR_BYTES);
	} else {
		id = values->slots[slot_of(values, value)] - 1;
	}
	memcpy(e->ids + (size_t)e->nr * id_bytes, &id, id_bytes);
}

static int write_entries(const struct writing *w, size_t task, unsigned int k,
			 struct entries *e, struct lull_error *reterr)
{
	struct lull_outfile *out = &w->c->out;
	const struct lull_lkey_head *head = &w->c->head;
	const uint64_t *offset = w->offset + LULL_PART_ROWS_A +
				 k * (LULL_PART_ROWS_B - LULL_PART_ROWS_A);
	const uint64_t before = w->rows->portions[task].entries[k];
	uint64_t first = before + (k ? head->nr_entries[0] : 0);
	int err;

	err = flush_starts(w, k, e, reterr);
	if (!err)
		err = lull_outfile_write_at(
			out, offset[1] + before * sizeof(e->columns[0]),
			e->columns, e->nr * sizeof(e->columns[0]), reterr);
	if (!err)
		err = lull_outfile_write_at(
			out, offset[2] + before * head->id_bytes, e->ids,
			(size_t)e->nr * head->id_bytes, reterr);
	if (!err && head->id_bytes == sizeof(uint32_t))
		err = lull_outfile_write_at(
			out, w->offset[LULL_PART_COEFS] + first * LULL_FR_BYTES,
			e->values, e->nr * sizeof(e->values[0]), reterr);
	return err;
}

/* What a source gives now may differ from what it was checked by, and a row or
 * column that is none would go far before somebody sees that it has changed. */
static int check_place(const struct writing *w, const uint8_t *record,
		       struct lull_error *reterr)
{
	const struct lull_source *source = w->c->source;

	if (lull_load_u32(record + LULL_RECORD_ROW) >> source->log2_domain ||
	    lull_load_u32(record + LULL_RECORD_COLUMN) >= source->nr_vars)
		return lull_instream_fail_changed(source->name, reterr);
	return LULL_OK;
}

static int write_portion(void *arg, size_t task, unsigned int slot,
			 struct lull_error *reterr)
{
	const struct writing *w = arg;
	const size_t n = (size_t)1 << w->c->head.log2_domain;
	struct writing_slot *mine = &w->slots[slot];
	uint32_t before;
	struct entries *e;
	const uint8_t *p;
	unsigned int k;
	size_t nr;
	int err;

	err = take_portion(w->c->source, task, mine->records, &p, &nr, &before,
			   reterr);
	for (k = 0; k < LULL_CSR_MATRICES; k++) {
		e = &mine->matrix[k];
		e->nr = 0;
		e->nr_starts = 0;
		e->row = (size_t)before + 1;
		if (before == UINT32_MAX)
			e->row = 0;
	}
	for (; nr && !err; nr--, p += LULL_RECORD_BYTES) {
		err = check_place(w, p, reterr);
		if (!err)
			err = begin_rows(w, mine, task,
					 lull_load_u32(p + LULL_RECORD_ROW),
					 reterr);
		k = lull_load_u32(p + LULL_RECORD_MATRIX) & 1;
		e = &mine->matrix[k];
		put_value(w, e, k, w->rows->portions[task].entries[k],
			  p + LULL_RECORD_VALUE);
		e->columns[e->nr++] = lull_load_u32(p + LULL_RECORD_COLUMN);
	}
	if (!err && task + 1 == w->rows->nr_portions)
		err = begin_rows(w, mine, task, n, reterr);
	for (k = 0; k < LULL_CSR_MATRICES && !err; k++)
		err = write_entries(w, task, k, &mine->matrix[k], reterr);
	return err;
}

static int write_values(const struct writing *w, struct lull_error *reterr)
{
	struct lull_outfile *out = &w->c->out;

	if (w->c->head.id_bytes == sizeof(uint32_t))
		return LULL_OK;
	return lull_outfile_write_at(
		out, w->offset[LULL_PART_COEFS], w->rows->slots[0].values.value,
		(size_t)w->c->head.nr_values * LULL_FR_BYTES, reterr);
}

int lull_rows_write(struct lull_converting *c, const struct lull_rows *rows,
		    struct lull_error *reterr)
{
	struct writing w = { .c = c, .rows = rows };
	struct lull_vec slots;
	unsigned int i;
	int err;

	for (i = 0; i < LULL_LKEY_NR_SECTIONS; i++)
		w.offset[c->head.sections[i].number] =
			c->head.sections[i].offset;
	err = lull_arena_carve(c->arena, rows->nr_slots * sizeof(*w.slots), 0,
			       "rows on their way", &slots, reterr);
	if (err)
		return err;
	w.slots = slots.ptr;
	err = write_values(&w, reterr);
	if (!err)
		err = lull_convert_run(c, "rows", rows->nr_portions,
				       write_portion, &w, reterr);
	lull_arena_retire(&slots);
	return err;
}
