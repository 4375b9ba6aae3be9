// SPDX-License-Identifier: Apache-2.0
/*
 * spmv_tmpl.c - the sparse products against a plain loop
 */
#include "synth/spmv.h"

#include "base/error.h"
#include "base/mem.h"
#include "synth/order.h"

#include "harness.h"
#include "random_fr.h"
#include "test_arena.h"

#define ROWS_MAX 4096
#define COEFS_MAX 20000
#define SIGNALS 300

struct system {
	size_t n;
	size_t nr_coefs;
	uint8_t *coefs;
	uint8_t *witness;
};

static struct fr a[ROWS_MAX], b[ROWS_MAX], want[2][ROWS_MAX];
/* Room to put the bytes at any alignment. */
static uint8_t coef_bytes[COEFS_MAX * LULL_COEF_BYTES + 8];
static uint8_t witness_bytes[SIGNALS * sizeof(struct fr) + 8];

/* Bits, small numbers, numbers of any length, r - 1, r - 2. */
static void random_signal(struct fr *w)
{
	unsigned int kind = test_random() % 8, limbs = test_random() % 4;

	random_fr(w);
	if (kind < 3)
		*w = (struct fr){ { test_random() & 1 } };
	else if (kind < 4)
		memset(&w->l[1 + limbs / 2], 0,
		       (FR_LIMBS - 1 - limbs / 2) * sizeof(limb_t));
	else if (kind < 5) {
		memcpy(w->l, fr_r, sizeof(w->l));
		w->l[0] -= 1 + limbs % 2;
	}
}

static void put_record(struct system *s, size_t i, uint32_t matrix,
		       uint32_t row, uint32_t signal, const struct fr *value)
{
	uint8_t *c = s->coefs + i * LULL_COEF_BYTES;

	memcpy(c, &matrix, sizeof(matrix));
	memcpy(c + 4, &row, sizeof(row));
	memcpy(c + 8, &signal, sizeof(signal));
	memcpy(c + 12, value, sizeof(*value));
}

/* Rows [0, n / 8) and some others stay empty. */
static void make_system(struct system *s, size_t n, size_t nr_coefs,
			bool sorted, unsigned int misalign)
{
	struct fr value;
	size_t i, row;

	*s = (struct system){ .n = n,
			      .nr_coefs = nr_coefs,
			      .coefs = coef_bytes + misalign,
			      .witness = witness_bytes + misalign };
	for (i = 0; i < SIGNALS; i++) {
		random_signal(&value);
		memcpy(s->witness + i * sizeof(value), &value, sizeof(value));
	}
	for (i = 0; i < nr_coefs; i++) {
		row = test_random() % n;
		if (sorted)
			row = n / 8 + i * (n - n / 8) / nr_coefs;
		random_fr(&value);
		if (test_random() % 4 == 0) {
			memcpy(value.l, fr_r, sizeof(value.l));
			value.l[0]--;
		}
		put_record(s, i, test_random() & 1, (uint32_t)row,
			   test_random() % SIGNALS, &value);
	}
}

static void naive(const struct system *s)
{
	uint32_t matrix, row, signal;
	struct fr value, w;
	size_t i;

	memset(want, 0, sizeof(want));
	for (i = 0; i < s->nr_coefs; i++) {
		const uint8_t *c = s->coefs + i * LULL_COEF_BYTES;

		memcpy(&matrix, c, sizeof(matrix));
		memcpy(&row, c + 4, sizeof(row));
		memcpy(&signal, c + 8, sizeof(signal));
		memcpy(&value, c + 12, sizeof(value));
		memcpy(&w, s->witness + signal * sizeof(w), sizeof(w));
		fr_mul(&value, &value, &w);
		fr_add(&want[matrix][row], &want[matrix][row], &value);
	}
}

static void check(const struct system *s, const uint32_t *order)
{
	static const unsigned int pools[] = { 1, 2, 5 };
	struct lull_workers *workers;
	unsigned int p;

	naive(s);
	for (p = 0; p < 3; p++) {
		ASSERT_EQ(0, lull_workers_create(pools[p], &workers, NULL));
		memset(a, 0xcc, sizeof(a));
		memset(b, 0xcc, sizeof(b));
		fr_spmv(a, b, s->n, s->coefs, s->nr_coefs, order, s->witness,
			workers);
		EXPECT_MEMEQ(want[0], a, s->n * sizeof(*a));
		EXPECT_MEMEQ(want[1], b, s->n * sizeof(*b));
		lull_workers_destroy(workers);
	}
}

/* ---- rows --------------------------------------------------------------- */

static uint8_t row_starts[2][(ROWS_MAX + 1) * 4 + 8];
static uint8_t row_columns[2][COEFS_MAX * 4 + 8];
static uint8_t row_ids[2][COEFS_MAX * 4 + 8];
static uint8_t row_values[COEFS_MAX * sizeof(struct fr) + 8];

static void put_u32(uint8_t *p, size_t i, uint32_t value)
{
	memcpy(p + i * sizeof(value), &value, sizeof(value));
}

/* Entry @at of a matrix is the record at @c; gives its coefficient's number. */
static void put_entry(struct lull_csr *csr, unsigned int misalign, uint8_t *c,
		      uint32_t matrix, size_t nr_a)
{
	struct lull_csr_matrix *m = &csr->matrix[matrix];
	uint32_t id = (uint32_t)(test_random() % csr->nr_values);
	uint8_t *values = row_values + misalign;

	if (csr->id_bytes == 4) {
		id = (uint32_t)(m->nr_entries + (matrix ? nr_a : 0));
		memcpy(values + id * sizeof(struct fr), c + 12,
		       sizeof(struct fr));
	} else {
		memcpy(c + 12, values + id * sizeof(struct fr),
		       sizeof(struct fr));
	}
	put_u32(row_columns[matrix] + misalign, m->nr_entries,
		lull_load_u32(c + 8));
	memcpy(row_ids[matrix] + misalign + m->nr_entries * csr->id_bytes, &id,
	       csr->id_bytes);
	m->nr_entries++;
}

/* The system by rows, at an alignment; with numbers of 1 or 2 bytes its
 * coefficients are replaced by some of @nr_values. */
static void make_rows(struct system *s, struct lull_csr *csr,
		      unsigned int id_bytes, size_t nr_values,
		      unsigned int misalign)
{
	size_t i, row, nr_a = 0;
	struct fr value;
	unsigned int k;

	*csr = (struct lull_csr){ .id_bytes = id_bytes,
				  .nr_values = nr_values,
				  .values = row_values + misalign };
	for (i = 0; i < nr_values; i++) {
		random_fr(&value);
		memcpy(row_values + misalign + i * sizeof(value), &value,
		       sizeof(value));
	}
	for (i = 0; i < s->nr_coefs; i++)
		nr_a += !lull_load_u32(s->coefs + i * LULL_COEF_BYTES);
	for (k = 0; k < 2; k++) {
		struct lull_csr_matrix *m = &csr->matrix[k];

		m->starts = row_starts[k] + misalign;
		m->columns = row_columns[k] + misalign;
		m->ids = row_ids[k] + misalign;
		put_u32(row_starts[k] + misalign, 0, 0);
		for (i = 0, row = 0; row < s->n; row++) {
			for (; i < s->nr_coefs; i++) {
				uint8_t *c = s->coefs + i * LULL_COEF_BYTES;

				if (lull_load_u32(c + 4) != row)
					break;
				if (lull_load_u32(c) == k)
					put_entry(csr, misalign, c, k, nr_a);
			}
			put_u32(row_starts[k] + misalign, row + 1,
				(uint32_t)m->nr_entries);
		}
	}
}

static void check_rows(struct system *s, unsigned int id_bytes,
		       size_t nr_values, unsigned int misalign)
{
	static const unsigned int pools[] = { 1, 2, 5 };
	struct lull_workers *workers;
	struct lull_csr csr;
	unsigned int p;

	make_rows(s, &csr, id_bytes, nr_values, misalign);
	naive(s);
	for (p = 0; p < 3; p++) {
		ASSERT_EQ(0, lull_workers_create(pools[p], &workers, NULL));
		memset(a, 0xcc, sizeof(a));
		memset(b, 0xcc, sizeof(b));
		fr_spmv_csr(a, b, s->n, &csr, s->witness, workers);
		EXPECT_MEMEQ(want[0], a, s->n * sizeof(*a));
		EXPECT_MEMEQ(want[1], b, s->n * sizeof(*b));
		lull_workers_destroy(workers);
	}
}

TEST(rows_with_numbers_of_every_size)
{
	struct system s;
	unsigned int misalign;

	for (misalign = 0; misalign < 8; misalign += 3) {
		make_system(&s, ROWS_MAX, COEFS_MAX, true, misalign);
		check_rows(&s, 1, LULL_CSR_IDS_OF_ONE_BYTE, misalign);
		make_system(&s, ROWS_MAX, COEFS_MAX, true, misalign);
		check_rows(&s, 2, 1000, misalign);
		make_system(&s, ROWS_MAX, COEFS_MAX, true, misalign);
		check_rows(&s, 4, COEFS_MAX, misalign);
	}
}

TEST(smallest_and_uneven_rows)
{
	struct system s;
	struct fr value = { { 5 } };
	size_t i;

	make_system(&s, 1, 50, true, 2);
	check_rows(&s, 1, 3, 1);
	make_system(&s, 2, 0, true, 0);
	check_rows(&s, 1, 1, 0);
	make_system(&s, 2048, 3, true, 7);
	check_rows(&s, 4, 3, 5);
	/* One row has nearly all. */
	make_system(&s, 16, COEFS_MAX, true, 5);
	for (i = 0; i < s.nr_coefs; i++)
		put_record(&s, i, i & 1, 1 + (i > 40) + (i > 19900),
			   i % SIGNALS, &value);
	check_rows(&s, 2, 400, 0);
}

TEST(sorted_records_at_every_alignment)
{
	struct system s;
	unsigned int misalign;

	for (misalign = 0; misalign < 8; misalign++) {
		make_system(&s, ROWS_MAX, COEFS_MAX, true, misalign);
		check(&s, NULL);
	}
}

TEST(unsorted_records_through_their_order)
{
	struct lull_vec order;
	struct system s;

	make_system(&s, ROWS_MAX, COEFS_MAX, false, 3);
	ASSERT_EQ(0, lull_synth_order(s.coefs, s.nr_coefs, s.n, test_arena(),
				      &order, NULL));
	check(&s, order.ptr);
	lull_arena_retire(&order);
}

TEST(order_is_stable_and_complete)
{
	struct lull_vec order;
	struct system s;
	const uint32_t *o;
	uint32_t row, last = 0;
	size_t i;

	make_system(&s, 64, 5000, false, 1);
	ASSERT_EQ(0, lull_synth_order(s.coefs, s.nr_coefs, s.n, test_arena(),
				      &order, NULL));
	EXPECT_EQ(s.nr_coefs * sizeof(*o), order.bytes);
	o = order.ptr;
	for (i = 0; i < s.nr_coefs; i++) {
		ASSERT_TRUE(o[i] < s.nr_coefs);
		memcpy(&row, s.coefs + o[i] * LULL_COEF_BYTES + 4, sizeof(row));
		EXPECT_TRUE(row >= last);
		if (i && row == last)
			EXPECT_TRUE(o[i] > o[i - 1]);
		last = row;
	}
	lull_arena_retire(&order);
}

/* Of a mapped key they may have changed since they were checked. */
TEST(rows_that_are_out_of_range_are_not_sorted)
{
	const uint32_t row = UINT32_MAX;
	struct lull_arena_stats was, is;
	struct lull_error error;
	struct lull_vec order;
	struct system s;

	make_system(&s, 64, 5000, false, 1);
	lull_arena_stats(test_arena(), &was);
	memcpy(s.coefs + 2500 * LULL_COEF_BYTES + 4, &row, sizeof(row));
	EXPECT_EQ(LULL_IO, lull_synth_order(s.coefs, s.nr_coefs, s.n,
					    test_arena(), &order, &error));
	EXPECT_TRUE(strstr(error.msg, "changed") != NULL);
	lull_arena_stats(test_arena(), &is);
	EXPECT_EQ(was.used_bytes, is.used_bytes);
}

/* One row longer than a task's share, at the start, in the middle, last. */
TEST(rows_longer_than_a_share)
{
	struct system s;
	struct fr value;
	uint32_t rows[3], k;
	size_t i;

	for (k = 0; k < 3; k++) {
		make_system(&s, 16, COEFS_MAX, true, 5);
		rows[0] = k ? 1 : 0;
		rows[1] = 7;
		rows[2] = k == 2 ? 15 : 9;
		for (i = 0; i < s.nr_coefs; i++) {
			random_fr(&value);
			put_record(&s, i, i & 1, rows[(i > 40) + (i > 19900)],
				   i % SIGNALS, &value);
		}
		check(&s, NULL);
	}
}

TEST(smallest_systems)
{
	struct system s;

	make_system(&s, 1, 1, true, 1);
	check(&s, NULL);
	make_system(&s, 1, 50, true, 2);
	check(&s, NULL);
	make_system(&s, 2, 0, true, 0);
	check(&s, NULL);
	make_system(&s, 2048, 3, true, 7);
	check(&s, NULL);
}

/* r - 1 times r - 1, often enough that the sum needs its ninth limb. */
TEST(sums_that_outgrow_two_elements)
{
	struct system s;
	struct fr top;
	size_t i;

	make_system(&s, 2, COEFS_MAX, true, 4);
	memcpy(top.l, fr_r, sizeof(top.l));
	top.l[0]--;
	memcpy(s.witness, &top, sizeof(top));
	for (i = 0; i < s.nr_coefs; i++)
		put_record(&s, i, 0, 1, 0, &top);
	check(&s, NULL);
}

TEST_MAIN
