/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile.h - transforms of eight columns or rows at once, and the passes
 *
 * For passes_tmpl.c and passes_ifma_tmpl.c, which include it after the lanes
 * that it works on.  A tile is an array of vectors; every lane goes through
 * the same transform, so that twiddles are shared by the lanes and no lane
 * meets another.
 *
 * Butterflies multiply before they add: u + w v and u - w v.  The product is
 * below 2 r whatever v was, so that a value grows by 2 r a level and not by a
 * factor of two, and nothing is reduced before a transform ends.  "Trivial"
 * steps drop products by 1 and do grow by a factor; they are the first two
 * levels only, which take values below 2 r to below 8 r.
 */
#ifndef LULL_NTT_TILE_H
#define LULL_NTT_TILE_H

/* Times r that a value may be below: 2^260 / r is at least this. */
#define HEADROOM (1 << (260 - FR_BITS))
/* Trivial first levels, and 2 r for each level more: 2 levels + 4.  Without
 * them 2 levels + 2, which for the 16 levels that a row of the largest domain
 * can have is 34, below the 35.3 that 2^260 / r is for BLS12-381. */
#define TRIVIAL_LEVELS_MAX (HEADROOM / 2 - 2)
/* Back and forth again without a reduction between: 4 levels + 4. */
#define ROUND_TRIP_LEVELS_MAX (HEADROOM / 4 - 1)

static const struct twiddle *table_of(const struct fr_domain *d,
				      enum ntt_table which)
{
	return d->table[which];
}

/* (u, v) becomes (u + w v, u - w v) */
static inline void butterfly(struct lanes *u, struct lanes *v,
			     const struct twiddle *w)
{
	struct lanes t;

	lanes_mul_by(&t, v, w);
	lanes_sub(v, u, &t, 1);
	lanes_add(u, u, &t);
}

/* (u[0], u[m]) with (v[0], v[m]): the same by w0 and by w1. */
static inline void butterflies(struct lanes *u, struct lanes *v, size_t m,
			       const struct twiddle *w0,
			       const struct twiddle *w1)
{
	struct lanes t[2];

	lanes_mul_two_by(t, &v[0], &v[m], w0, w1);
	lanes_sub(&v[0], &u[0], &t[0], 1);
	lanes_add(&u[0], &u[0], &t[0]);
	lanes_sub(&v[m], &u[m], &t[1], 1);
	lanes_add(&u[m], &u[m], &t[1]);
}

/* The same as butterfly() for w = 1 and v below 2^log_bound r. */
static inline void butterfly_trivial(struct lanes *u, struct lanes *v,
				     unsigned int log_bound)
{
	struct lanes t = *v;

	lanes_sub(v, u, &t, log_bound);
	lanes_add(u, u, &t);
}

/* Two levels of block @b: twiddles w[b], then w[2 b] and w[2 b + 1]. */
static inline void back_quad(struct lanes *t, size_t q, size_t b,
			     const struct twiddle *w)
{
	butterflies(&t[0], &t[2 * q], q, &w[b], &w[b]);
	butterflies(&t[0], &t[q], 2 * q, &w[2 * b], &w[2 * b + 1]);
}

static inline void back_quad_trivial(struct lanes *t, size_t q,
				     const struct twiddle *w)
{
	butterfly_trivial(&t[0], &t[2 * q], 1);
	butterfly_trivial(&t[q], &t[3 * q], 1);
	butterfly_trivial(&t[0], &t[q], 2);
	butterfly(&t[2 * q], &t[3 * q], &w[1]);
}

/* Natural order in, bit-reversed order out: f mod x^size - c^2 splits into f
 * mod x^(size/2) -+ c, c = w[b] for block b of its level.  Depth first: what
 * is split far enough stays in the nearest cache. */
static void back_block(struct lanes *t, unsigned int log, size_t b,
		       const struct twiddle *w)
{
	size_t q, i;

	if (!log)
		return;
	if (log == 1) {
		butterfly(&t[0], &t[1], &w[b]);
		return;
	}
	q = (size_t)1 << (log - 2);
	for (i = 0; i < q; i++)
		back_quad(t + i, q, b, w);
	if (log > 2)
		for (i = 0; i < 4; i++)
			back_block(t + i * q, log - 2, 4 * b + i, w);
}

/* The inverse transform without its 1/n. */
static void back(struct lanes *t, unsigned int log, const struct fr_domain *d)
{
	const struct twiddle *w = table_of(d, NTT_INVERSE);
	size_t q, i;

	if (log < 2 || log > TRIVIAL_LEVELS_MAX) {
		back_block(t, log, 0, w);
		return;
	}
	q = (size_t)1 << (log - 2);
	for (i = 0; i < q; i++)
		back_quad_trivial(t + i, q, w);
	for (i = 0; i < 4; i++)
		back_block(t + i * q, log - 2, i, w);
}

/* Two levels: w[q + j] twice, then w[2 q + j] and w[3 q + j]. */
static inline void forth_quad(struct lanes *t, size_t q,
			      const struct twiddle *w)
{
	butterflies(&t[0], &t[q], 2 * q, &w[q], &w[q]);
	butterflies(&t[0], &t[2 * q], q, &w[2 * q], &w[3 * q]);
}

static inline void forth_quad_trivial(struct lanes *t, const struct twiddle *w)
{
	butterfly_trivial(&t[0], &t[1], 1);
	butterfly_trivial(&t[2], &t[3], 1);
	butterfly_trivial(&t[0], &t[2], 2);
	butterfly(&t[1], &t[3], &w[3]);
}

/* Bit-reversed order in, natural order out; w is NTT_CYCLIC or NTT_COSET.
 * @trivial: w[1] = w[2] = 1, and products by them may be dropped. */
static void forth(struct lanes *t, unsigned int log, const struct twiddle *w,
		  bool trivial)
{
	size_t q, i;

	if (!log)
		return;
	if (log == 1) {
		butterfly(&t[0], &t[1], &w[1]);
		return;
	}
	if (log == 2 && trivial) {
		forth_quad_trivial(t, w);
		return;
	}
	q = (size_t)1 << (log - 2);
	if (log > 2)
		for (i = 0; i < 4; i++)
			forth(t + i * q, log - 2, w, trivial);
	for (i = 0; i < q; i++)
		forth_quad(t + i, q, w + i);
}

/* t[i] = a[i] b[i] */
static void multiply(struct lanes *t, const struct lanes *a,
		     const struct lanes *b, size_t nr)
{
	size_t i;

	for (i = 0; i + 1 < nr; i += 2)
		lanes_mul_two(&t[i], &a[i], &b[i]);
	if (i < nr)
		lanes_mul(&t[i], &a[i], &b[i]);
}

/* t[i] = a[i] b */
static void multiply_by(struct lanes *t, const struct lanes *a,
			const struct lanes *b, size_t nr)
{
	const struct lanes two[2] = { *b, *b };
	size_t i;

	for (i = 0; i + 1 < nr; i += 2)
		lanes_mul_two(&t[i], &a[i], two);
	if (i < nr)
		lanes_mul(&t[i], &a[i], b);
}

/* t[i] = start step^i, i < 2^log */
static void powers(struct lanes *t, unsigned int log, const struct lanes *start,
		   const struct lanes *step)
{
	struct lanes q = *step;
	size_t m;

	t[0] = *start;
	for (m = 1; m < (size_t)1 << log; m *= 2) {
		multiply_by(t + m, t, &q, m);
		lanes_mul(&q, &q, &q);
	}
}

/* t[i] = step^rev(i), i < 2^log; rev reverses the log bits of i */
static void powers_reversed(struct lanes *t, unsigned int log,
			    const struct lanes *step)
{
	struct lanes q[NTT_LOG_MAX];
	unsigned int bit;

	q[0] = *step;
	for (bit = 1; bit < log; bit++)
		lanes_mul(&q[bit], &q[bit - 1], &q[bit - 1]);
	for (bit = 0; bit < log; bit++)
		multiply_by(t + ((size_t)1 << bit), t, &q[log - 1 - bit],
			    (size_t)1 << bit);
}

static void load_columns(struct lanes *t, const struct ntt_job *job,
			 unsigned int which, size_t column, unsigned int nr)
{
	const struct fr_domain *d = job->domain;
	size_t stride = (size_t)1 << d->log_columns, r;
	const struct fr *v = job->v[which] + column;

	for (r = 0; r < (size_t)1 << d->log_rows; r++)
		lanes_load(&t[r], v + r * stride, nr);
}

static void store_columns(const struct lanes *t, const struct ntt_job *job,
			  unsigned int which, size_t column, unsigned int nr)
{
	const struct fr_domain *d = job->domain;
	size_t stride = (size_t)1 << d->log_columns, r;
	struct fr *v = job->v[which] + column;

	for (r = 0; r < (size_t)1 << d->log_rows; r++)
		lanes_store(v + r * stride, &t[r], nr);
}

static void store_columns_canonical(const struct lanes *t,
				    const struct ntt_job *job, size_t column,
				    unsigned int nr)
{
	const struct fr_domain *d = job->domain;
	size_t stride = (size_t)1 << d->log_columns, r;
	struct fr *v = job->v[0] + column;

	for (r = 0; r < (size_t)1 << d->log_rows; r++)
		lanes_store_canonical(v + r * stride, &t[r], nr);
}

static void load_product(struct lanes *t, const struct ntt_job *job,
			 size_t column, unsigned int nr)
{
	const struct fr_domain *d = job->domain;
	size_t stride = (size_t)1 << d->log_columns, r;
	struct lanes b;

	load_columns(t, job, 0, column, nr);
	for (r = 0; r < (size_t)1 << d->log_rows; r++) {
		lanes_load(&b, job->v[1] + column + r * stride, nr);
		lanes_mul(&t[r], &t[r], &b);
	}
}

static void columns_inverse(void *arg, size_t task, unsigned int slot)
{
	const struct ntt_job *job = arg;
	const struct fr_domain *d = job->domain;
	size_t columns = (size_t)1 << d->log_columns;
	size_t rows = (size_t)1 << d->log_rows, column = task * NTT_LANES;
	unsigned int nr = (unsigned int)lull_min(columns, NTT_LANES);
	struct lanes *t = (struct lanes *)job->scratch + 2 * columns * slot;
	struct lanes *w = t + columns, step;
	unsigned int i = job->nr;

	lanes_gather(&w[0], table_of(d, NTT_FIXED) + NTT_ONE, 1);
	lanes_gather(&step, table_of(d, NTT_COLUMN) + column, nr);
	powers_reversed(w, d->log_rows, &step);
	/* The product comes first: it needs v[0] and v[1] as they were. */
	while (i--) {
		if (i == 2 && job->product)
			load_product(t, job, column, nr);
		else
			load_columns(t, job, i, column, nr);
		back(t, d->log_rows, d);
		multiply(t, t, w, rows);
		store_columns(t, job, i, column, nr);
	}
}

/* The way forth of the rows, and the twiddles of the columns to come. */
static void rows_forward(const struct ntt_job *job, struct lanes *t,
			 const struct lanes *w)
{
	const struct fr_domain *d = job->domain;
	unsigned int log = d->log_columns;
	size_t columns = (size_t)1 << log, j;

	if (job->inverse && log > ROUND_TRIP_LEVELS_MAX)
		for (j = 0; j < columns; j++)
			lanes_reduce(&t[j]);
	if (job->coset)
		forth(t, log, table_of(d, NTT_COSET), false);
	else
		forth(t, log, table_of(d, NTT_CYCLIC),
		      log <= TRIVIAL_LEVELS_MAX);
	multiply(t, t, w, columns);
}

static void rows_inverse_end(const struct ntt_job *job, struct lanes *t)
{
	const struct fr_domain *d = job->domain;
	struct lanes inv_n;

	lanes_gather(&inv_n, table_of(d, NTT_FIXED) + NTT_INV_N, 1);
	multiply_by(t, t, &inv_n, (size_t)1 << d->log_columns);
}

static void store_rows(struct fr *v, const struct lanes *t, size_t columns,
		       unsigned int nr, bool last)
{
	size_t j;

	for (j = 0; j < columns; j += 2) {
		if (last)
			lanes_store_pair_canonical(v + j, columns, &t[j], nr);
		else
			lanes_store_pair(v + j, columns, &t[j], nr);
	}
}

static void rows(void *arg, size_t task, unsigned int slot)
{
	const struct ntt_job *job = arg;
	const struct fr_domain *d = job->domain;
	size_t columns = (size_t)1 << d->log_columns, j;
	size_t row = task * NTT_LANES;
	unsigned int nr =
		(unsigned int)lull_min((size_t)1 << d->log_rows, NTT_LANES);
	struct lanes *t = (struct lanes *)job->scratch + 2 * columns * slot;
	struct lanes *w = t + columns, start, step;
	unsigned int i;

	if (job->forward) {
		lanes_gather(&start, table_of(d, NTT_FIXED) + NTT_ONE, 1);
		if (job->coset)
			lanes_gather(&start, table_of(d, NTT_SHIFT) + row, nr);
		lanes_gather(&step, table_of(d, NTT_ROW) + row, nr);
		powers(w, d->log_columns, &start, &step);
	}
	for (i = 0; i < job->nr; i++) {
		struct fr *v = job->v[i] + row * columns;

		for (j = 0; j < columns; j += 2)
			lanes_load_pair(&t[j], v + j, columns, nr);
		if (job->inverse)
			back(t, d->log_columns, d);
		if (job->forward)
			rows_forward(job, t, w);
		else
			rows_inverse_end(job, t);
		store_rows(v, t, columns, nr, !job->forward);
	}
}

static void transform_columns(struct lanes *t, const struct ntt_job *job,
			      unsigned int which, size_t column,
			      unsigned int nr)
{
	const struct fr_domain *d = job->domain;

	load_columns(t, job, which, column, nr);
	forth(t, d->log_rows, table_of(d, NTT_CYCLIC),
	      d->log_rows <= TRIVIAL_LEVELS_MAX);
}

/* v[0] = (v[2] - v[0] v[1] / n) out: all three come times n, out is negative
 * so that what is subtracted is a product and has its bound. */
static void columns_quotient(const struct ntt_job *job, struct lanes *t,
			     struct lanes *u, size_t column, unsigned int nr)
{
	const struct fr_domain *d = job->domain;
	const struct twiddle *fixed = table_of(d, NTT_FIXED);
	size_t rows_nr = (size_t)1 << d->log_rows, r;
	struct lanes by;

	transform_columns(t, job, 0, column, nr);
	transform_columns(u, job, 1, column, nr);
	lanes_gather(&by, &fixed[NTT_INV_N], 1);
	multiply_by(u, u, &by, rows_nr);
	multiply(t, t, u, rows_nr);
	transform_columns(u, job, 2, column, nr);
	for (r = 0; r < rows_nr; r++)
		lanes_sub(&u[r], &u[r], &t[r], 1);
	lanes_gather(&by, &fixed[NTT_OUT], 1);
	multiply_by(u, u, &by, rows_nr);
	store_columns_canonical(u, job, column, nr);
}

static void columns_forward(void *arg, size_t task, unsigned int slot)
{
	const struct ntt_job *job = arg;
	const struct fr_domain *d = job->domain;
	size_t columns = (size_t)1 << d->log_columns;
	size_t column = task * NTT_LANES;
	unsigned int nr = (unsigned int)lull_min(columns, NTT_LANES);
	struct lanes *t = (struct lanes *)job->scratch + 2 * columns * slot;

	if (job->product) {
		columns_quotient(job, t, t + columns, column, nr);
		return;
	}
	transform_columns(t, job, 0, column, nr);
	store_columns_canonical(t, job, column, nr);
}

#endif
