// SPDX-License-Identifier: Apache-2.0
/*
 * keygen_rows_tmpl.c - the circuit's rows, for a key; see keygen_fill.h
 *
 * Rows go to the threads in portions.  A wire may stand in rows of several
 * portions, so its sum is added to under one of many locks; sums of residues are
 * the same in any order.  The constant wire, which may stand in every row, is
 * summed up by each portion for itself first.
 *
 * Most coefficients are 1 and -1 and need no product.
 */
#include <sched.h>
#include <stdatomic.h>

#include "base/error.h"
#include "prove/keygen_fill.h"

#define keygen_file_values LULL_CURVE_NAME(keygen_file_values)

/* So many that the windows of wires which threads work in rarely meet. */
#define NR_LOCKS ((size_t)1 << 20)
/* Coefficients that are written together: 90 KB, on a thread's stack. */
#define COEFS_PER_WRITE 2048

static const struct fr unit = { { 1 } };

static bool is_unit(const struct fr *value)
{
	return fr_equal(value, &unit);
}

/* -1, plain */
static void set_minus_unit(struct fr *r)
{
	fr_neg(r, &unit);
}

/* ---- sums --------------------------------------------------------------- */

/* What the tasks that sum wires share. */
struct sums {
	struct keygen *kg;
	atomic_uchar *locks;
	struct fr minus_unit;
};

/**
 * struct row_sums - a portion under way
 * @wires: the matrix's sums
 * @locks: of all matrices
 * @minus_unit: -1, plain
 * @lagrange: of the row, Montgomery
 * @twice: of the row, Montgomery twice, once it is needed
 * @has_twice: it was
 * @ones: of each matrix, the sum of the constant wire
 */
struct row_sums {
	struct fr *wires;
	atomic_uchar *locks;
	struct fr minus_unit, lagrange, twice;
	bool has_twice;
	struct fr ones[NR_MATRICES];
};

static void lock_wire(struct row_sums *s, uint32_t wire)
{
	while (atomic_exchange_explicit(&s->locks[wire % NR_LOCKS], 1,
					memory_order_acquire))
		sched_yield();
}

static void unlock_wire(struct row_sums *s, uint32_t wire)
{
	atomic_store_explicit(&s->locks[wire % NR_LOCKS], 0,
			      memory_order_release);
}

/* The term's coefficient, which is plain, times the row's L(tau). */
static void term_value(struct fr *r, struct row_sums *s, const uint8_t *coef)
{
	struct fr value;

	memcpy(&value, coef, sizeof(value));
	if (is_unit(&value)) {
		*r = s->lagrange;
	} else if (fr_equal(&value, &s->minus_unit)) {
		fr_neg(r, &s->lagrange);
	} else {
		if (!s->has_twice)
			fr_from_plain(&s->twice, s->lagrange.l);
		s->has_twice = true;
		fr_mul(r, &value, &s->twice);
	}
}

static void add_terms(struct row_sums *s, struct fr *ones,
		      const struct lull_keygen_lc *lc)
{
	uint32_t i, wire;
	struct fr t;

	for (i = 0; i < lull_keygen_nr_terms(lc); i++) {
		wire = lull_keygen_term_wire(lc, i);
		term_value(&t, s, lull_keygen_term_value(lc, i));
		if (!wire) {
			fr_add(ones, ones, &t);
			continue;
		}
		lock_wire(s, wire);
		fr_add(&s->wires[wire], &s->wires[wire], &t);
		unlock_wire(s, wire);
	}
}

static void add_ones(struct row_sums *s, struct fr *const *wires)
{
	unsigned int m;

	lock_wire(s, 0);
	for (m = 0; m < NR_MATRICES; m++)
		fr_add(&wires[m][0], &wires[m][0], &s->ones[m]);
	unlock_wire(s, 0);
}

static void sum_portion(void *arg, size_t task, unsigned int slot)
{
	const struct sums *sums = arg;
	struct keygen *kg = sums->kg;
	struct lull_keygen_walk walk =
		lull_keygen_walk(kg->plan->circuit, task);
	struct row_sums s = { .locks = sums->locks,
			      .minus_unit = sums->minus_unit };
	struct lull_keygen_lc row[NR_MATRICES];
	unsigned int m;

	(void)slot;
	while (lull_keygen_next(&walk, row)) {
		s.lagrange = kg->lagrange[walk.row - 1];
		s.has_twice = false;
		for (m = 0; m < NR_MATRICES; m++) {
			s.wires = kg->wires[m];
			add_terms(&s, &s.ones[m], &row[m]);
		}
	}
	add_ones(&s, kg->wires);
}

/* The rows behind the constraints: wire s in A. */
static void add_public_rows(struct keygen *kg)
{
	struct fr *a = kg->wires[MATRIX_A];
	uint32_t s;

	for (s = 0; s <= kg->plan->circuit->nr_public; s++)
		fr_add(&a[s], &a[s],
		       &kg->lagrange[kg->plan->circuit->nr_rows + s]);
}

int keygen_sum_wires(struct keygen *kg, struct lull_error *reterr)
{
	struct sums sums = { .kg = kg };
	struct lull_vec locks;
	int err;

	err = lull_arena_carve(kg->plan->arena, NR_LOCKS * sizeof(*sums.locks),
			       LULL_CARVE_ZERO, "locks of wires", &locks,
			       reterr);
	if (err)
		return err;
	sums.locks = locks.ptr;
	set_minus_unit(&sums.minus_unit);
	lull_workers_run(kg->plan->workers, kg->plan->circuit->nr_portions,
			 sum_portion, &sums);
	add_public_rows(kg);
	lull_arena_retire(&locks);
	return LULL_OK;
}

/* ---- coefficients ------------------------------------------------------- */

/* What the tasks that write coefficients share.  Values of the file are times
 * R^2, a Montgomery form twice. */
struct coefs {
	const struct keygen *kg;
	struct fr r3;			      /* R^3: from plain */
	struct fr minus_unit, one, minus_one; /* plain; as the file has them */
};

/* Coefficients on their way to section 4. */
struct coef_writer {
	const struct coefs *coefs;
	size_t used;
	uint64_t offset;
	uint8_t buf[COEFS_PER_WRITE * LULL_ZKEY_COEF_BYTES];
};

static int flush_coefs(struct coef_writer *writer, struct lull_error *reterr)
{
	int err;

	err = lull_outfile_write_at(writer->coefs->kg->plan->out,
				    writer->offset, writer->buf, writer->used,
				    reterr);
	if (err)
		return err;
	writer->offset += writer->used;
	writer->used = 0;
	return LULL_OK;
}

/* @value is plain. */
static int put_coef(struct coef_writer *writer, uint32_t matrix, uint32_t row,
		    uint32_t wire, const uint8_t *value,
		    struct lull_error *reterr)
{
	const struct coefs *coefs = writer->coefs;
	uint8_t *to;
	struct fr v;
	int err;

	if (writer->used == sizeof(writer->buf)) {
		err = flush_coefs(writer, reterr);
		if (err)
			return err;
	}
	to = writer->buf + writer->used;
	memcpy(&v, value, sizeof(v));
	if (is_unit(&v))
		v = coefs->one;
	else if (fr_equal(&v, &coefs->minus_unit))
		v = coefs->minus_one;
	else
		fr_mul(&v, &v, &coefs->r3);
	memcpy(to + LULL_ZKEY_COEF_MATRIX, &matrix, sizeof(matrix));
	memcpy(to + LULL_ZKEY_COEF_CONSTRAINT, &row, sizeof(row));
	memcpy(to + LULL_ZKEY_COEF_SIGNAL, &wire, sizeof(wire));
	memcpy(to + LULL_ZKEY_COEF_VALUE, &v, sizeof(v));
	writer->used += LULL_ZKEY_COEF_BYTES;
	return LULL_OK;
}

static int put_terms(struct coef_writer *writer, uint32_t matrix, uint32_t row,
		     const struct lull_keygen_lc *lc, struct lull_error *reterr)
{
	uint32_t i;
	int err;

	for (i = 0; i < lull_keygen_nr_terms(lc); i++) {
		err = put_coef(writer, matrix, row,
			       lull_keygen_term_wire(lc, i),
			       lull_keygen_term_value(lc, i), reterr);
		if (err)
			return err;
	}
	return LULL_OK;
}

static int put_rows(struct coef_writer *writer, size_t portion,
		    struct lull_error *reterr)
{
	struct lull_keygen_walk walk =
		lull_keygen_walk(writer->coefs->kg->plan->circuit, portion);
	struct lull_keygen_lc row[NR_MATRICES];
	int err = LULL_OK;

	while (!err && lull_keygen_next(&walk, row)) {
		err = put_terms(writer, MATRIX_A, walk.row - 1, &row[MATRIX_A],
				reterr);
		if (!err)
			err = put_terms(writer, MATRIX_B, walk.row - 1,
					&row[MATRIX_B], reterr);
	}
	return err;
}

/* The rows behind the constraints, and what stands before them all. */
static int put_public(struct coef_writer *writer, struct lull_error *reterr)
{
	static const uint8_t one[LULL_FR_BYTES] = { 1 };
	const struct lull_keygen_plan *plan = writer->coefs->kg->plan;
	uint32_t s;
	int err;

	for (s = 0; s <= plan->circuit->nr_public; s++) {
		err = put_coef(writer, MATRIX_A, plan->circuit->nr_rows + s, s,
			       one, reterr);
		if (err)
			return err;
	}
	return lull_outfile_write_at(plan->out, plan->offset[LULL_ZKEY_COEFS],
				     &plan->nr_coefs, sizeof(plan->nr_coefs),
				     reterr);
}

/* One task a portion of rows, and one more for the public ones. */
static int write_portion(void *arg, size_t task, struct lull_error *reterr)
{
	const struct coefs *coefs = arg;
	const struct lull_keygen_plan *plan = coefs->kg->plan;
	const struct lull_keygen_circuit *c = plan->circuit;
	const uint64_t *nr =
		task < c->nr_portions ? c->portions[task].before : c->nr_terms;
	const uint64_t before = nr[MATRIX_A] + nr[MATRIX_B];
	struct coef_writer writer;
	int err;

	writer.coefs = coefs;
	writer.used = 0;
	writer.offset = plan->offset[LULL_ZKEY_COEFS] + sizeof(plan->nr_coefs) +
			before * LULL_ZKEY_COEF_BYTES;
	if (task < c->nr_portions)
		err = put_rows(&writer, task, reterr);
	else
		err = put_public(&writer, reterr);
	return err ? err : flush_coefs(&writer, reterr);
}

int keygen_write_coefs(struct keygen *kg, struct lull_error *reterr)
{
	static const struct fr r2 = { CURVE_CONST(FR_R2) };
	struct coefs coefs = { .kg = kg, .one = r2 };

	fr_mul(&coefs.r3, &r2, &r2);
	set_minus_unit(&coefs.minus_unit);
	fr_neg(&coefs.minus_one, &coefs.one);
	return lull_workers_try(kg->plan->workers,
				kg->plan->circuit->nr_portions + 1,
				write_portion, &coefs, reterr);
}

void keygen_file_values(uint8_t *to, const uint8_t *plain, size_t nr)
{
	struct fr v;

	for (; nr; nr--, to += sizeof(v), plain += sizeof(v)) {
		memcpy(&v, plain, sizeof(v));
		/* A Montgomery form each time. */
		fr_from_plain(&v, v.l);
		fr_from_plain(&v, v.l);
		memcpy(to, &v, sizeof(v));
	}
}
