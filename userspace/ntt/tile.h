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

/* Blocks of this many levels go back and forth in the nearest cache: 64 vectors
 * of 320 bytes. */
#define ROUND_TRIP_NEAR_LEVELS 6
/* Rows and, of the way back, quads whose elements are asked for early: what
 * memory takes to answer, in the time that a product takes. */
#define FORESEE_ROWS 8
#define FORESEE_QUADS 2
#define CACHE_LINE_BYTES 64

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

/* The inverse transform's first two levels, which are trivial, on one quad.
 * From TRIVIAL_LEVELS_MAX on they are not taken to be. */
static inline void back_first(struct lanes *t, unsigned int log,
			      const struct twiddle *w)
{
	size_t q = (size_t)1 << (log - 2);

	if (log <= TRIVIAL_LEVELS_MAX)
		back_quad_trivial(t, q, w);
	else
		back_quad(t, q, 0, w);
}

/* And the levels after them. */
static void back_rest(struct lanes *t, unsigned int log,
		      const struct twiddle *w)
{
	size_t q = (size_t)1 << (log - 2), i;

	for (i = 0; i < 4; i++)
		back_block(t + i * q, log - 2, i, w);
}

/* The inverse transform without its 1/n. */
static void back(struct lanes *t, unsigned int log, const struct twiddle *w)
{
	size_t i;

	if (log < 2) {
		back_block(t, log, 0, w);
		return;
	}
	for (i = 0; i < (size_t)1 << (log - 2); i++)
		back_first(t + i, log, w);
	back_rest(t, log, w);
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

/* What is left when levels are taken two at a time: 2, 1 or 0 levels. */
static inline unsigned int leaf_levels(unsigned int log)
{
	return log ? 2 - log % 2 : 0;
}

/* The first levels of the way forth, of leaf_levels() vectors' logarithm.
 * @trivial: w[1] = w[2] = 1, and products by them may be dropped. */
static inline void forth_leaf(struct lanes *t, unsigned int levels,
			      const struct twiddle *w, bool trivial)
{
	if (levels == 2 && trivial)
		forth_quad_trivial(t, w);
	else if (levels == 2)
		forth_quad(t, 1, w);
	else if (levels == 1)
		butterfly(&t[0], &t[1], &w[1]);
}

/* Bit-reversed order in, natural order out, w is NTT_CYCLIC or NTT_COSET; the
 * leaves are done already. */
static void forth_above(struct lanes *t, unsigned int log,
			const struct twiddle *w)
{
	size_t q, i;

	if (log <= 2)
		return;
	q = (size_t)1 << (log - 2);
	for (i = 0; i < 4; i++)
		forth_above(t + i * q, log - 2, w);
	for (i = 0; i < q; i++)
		forth_quad(t + i, q, w + i);
}

/* The same with the leaves. */
static void forth(struct lanes *t, unsigned int log, const struct twiddle *w,
		  bool trivial)
{
	size_t q, i;

	if (log <= 2) {
		forth_leaf(t, log, w, trivial);
		return;
	}
	q = (size_t)1 << (log - 2);
	for (i = 0; i < 4; i++)
		forth(t + i * q, log - 2, w, trivial);
	for (i = 0; i < q; i++)
		forth_quad(t + i, q, w + i);
}

/* Back and forth on the coset: block @b of its level alone, then what joins
 * it to its neighbours. */
static void round_trip_block(struct lanes *t, unsigned int log, size_t b,
			     const struct fr_domain *d)
{
	const struct twiddle *inverse = table_of(d, NTT_INVERSE);
	const struct twiddle *coset = table_of(d, NTT_COSET);
	size_t q, i;

	if (log <= ROUND_TRIP_NEAR_LEVELS) {
		back_block(t, log, b, inverse);
		if (d->log_columns > ROUND_TRIP_LEVELS_MAX)
			for (i = 0; i < (size_t)1 << log; i++)
				lanes_reduce(&t[i]);
		forth(t, log, coset, false);
		return;
	}
	q = (size_t)1 << (log - 2);
	for (i = 0; i < q; i++)
		back_quad(t + i, q, b, inverse);
	for (i = 0; i < 4; i++)
		round_trip_block(t + i * q, log - 2, 4 * b + i, d);
	for (i = 0; i < q; i++)
		forth_quad(t + i, q, coset + i);
}

/* The same for a whole row. */
static void round_trip(struct lanes *t, const struct fr_domain *d)
{
	const struct twiddle *coset = table_of(d, NTT_COSET);
	unsigned int log = d->log_columns;
	size_t q, i;

	if (log <= 2) {
		round_trip_block(t, log, 0, d);
		return;
	}
	q = (size_t)1 << (log - 2);
	for (i = 0; i < q; i++)
		back_first(t + i, log, table_of(d, NTT_INVERSE));
	for (i = 0; i < 4; i++)
		round_trip_block(t + i * q, log - 2, i, d);
	for (i = 0; i < q; i++)
		forth_quad(t + i, q, coset + i);
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

/* A task's columns, and its share of the scratch in tiles of a column's
 * height; rows need two tiles of a row's width, which is no more. */
struct columns {
	const struct ntt_job *job;
	const struct fr_domain *domain;
	unsigned int log_rows;
	unsigned int nr; /* columns of the task */
	size_t nr_rows;
	size_t stride;		    /* elements from row to row */
	size_t first;		    /* column of the task's first */
	struct lanes *t[NTT_TILES]; /* by array, then the twiddles */
};

static void columns_begin(struct columns *c, const struct ntt_job *job,
			  size_t task, unsigned int slot)
{
	const struct fr_domain *d = job->domain;
	unsigned int i;

	*c = (struct columns){
		.job = job,
		.domain = d,
		.log_rows = d->log_rows,
		.nr_rows = (size_t)1 << d->log_rows,
		.stride = (size_t)1 << d->log_columns,
		.first = task * NTT_LANES,
	};
	c->nr = (unsigned int)lull_min(c->stride, NTT_LANES);
	for (i = 0; i < NTT_TILES; i++)
		c->t[i] = (struct lanes *)job->scratch +
			  (NTT_TILES * slot + i) * c->nr_rows;
}

static inline struct fr *element(const struct columns *c, unsigned int array,
				 size_t row)
{
	return c->job->v[array] + row * c->stride + c->first;
}

/* Rows lie too far apart for the processor to foresee: ask for one. */
static inline void foresee(const struct columns *c, unsigned int array,
			   size_t row, bool write)
{
	const char *p;
	size_t i;

	if (row >= c->nr_rows)
		return;
	p = (const char *)element(c, array, row);
	for (i = 0; i < c->nr * sizeof(struct fr); i += CACHE_LINE_BYTES) {
		if (write)
			__builtin_prefetch(p + i, 1);
		else
			__builtin_prefetch(p + i, 0);
	}
}

/* One row of every array that is read: where the product is wanted, of the
 * two factors, and the product itself. */
static inline void load_row(const struct columns *c, size_t row, size_t ahead)
{
	unsigned int i, read = c->job->product ? 2 : c->job->nr;

	for (i = 0; i < read; i++) {
		foresee(c, i, row + ahead, false);
		lanes_load(&c->t[i][row], element(c, i, row), c->nr);
	}
	if (c->job->product)
		lanes_mul(&c->t[2][row], &c->t[0][row], &c->t[1][row]);
}

/* Every array's way back; the first levels as the rows come in. */
static void columns_back(const struct columns *c, const struct twiddle *w)
{
	size_t q = c->nr_rows / 4, i, k;
	unsigned int array;

	for (i = 0; i < q; i++) {
		for (k = 0; k < 4; k++)
			load_row(c, i + k * q, FORESEE_QUADS);
		for (array = 0; array < c->job->nr; array++)
			back_first(c->t[array] + i, c->log_rows, w);
	}
	for (i = 4 * q; i < c->nr_rows; i++)
		load_row(c, i, FORESEE_QUADS);
	for (array = 0; array < c->job->nr; array++) {
		if (q)
			back_rest(c->t[array], c->log_rows, w);
		else
			back_block(c->t[array], c->log_rows, 0, w);
	}
}

/* t = t w, stored: two rows at a time */
static void multiply_store(const struct columns *c, unsigned int array,
			   const struct lanes *w)
{
	struct lanes *t = c->t[array];
	size_t r;

	for (r = 0; r + 1 < c->nr_rows; r += 2) {
		foresee(c, array, r + FORESEE_ROWS, true);
		foresee(c, array, r + FORESEE_ROWS + 1, true);
		lanes_mul_two(&t[r], &t[r], &w[r]);
		lanes_store(element(c, array, r), &t[r], c->nr);
		lanes_store(element(c, array, r + 1), &t[r + 1], c->nr);
	}
	if (r < c->nr_rows) {
		lanes_mul(&t[r], &t[r], &w[r]);
		lanes_store(element(c, array, r), &t[r], c->nr);
	}
}

static void columns_inverse(void *arg, size_t task, unsigned int slot)
{
	const struct ntt_job *job = arg;
	struct lanes *w, step;
	struct columns c;
	unsigned int i;

	columns_begin(&c, job, task, slot);
	w = c.t[NTT_TILES - 1];
	lanes_gather(&w[0], table_of(c.domain, NTT_FIXED) + NTT_ONE, 1);
	lanes_gather(&step, table_of(c.domain, NTT_COLUMN) + c.first, c.nr);
	powers_reversed(w, c.log_rows, &step);
	columns_back(&c, table_of(c.domain, NTT_INVERSE));
	for (i = 0; i < job->nr; i++)
		multiply_store(&c, i, w);
}

/* t = t w, stored to the rows at v: the twiddles of the columns to come. */
static void rows_multiply_store(struct fr *v, struct lanes *t,
				const struct lanes *w, size_t columns,
				unsigned int nr)
{
	size_t j;

	for (j = 0; j < columns; j += 2) {
		lanes_mul_two(&t[j], &t[j], &w[j]);
		lanes_store_pair(v + j, columns, &t[j], nr);
	}
}

/* t / n, stored to the rows at v. */
static void rows_finish(struct fr *v, struct lanes *t,
			const struct fr_domain *d, unsigned int nr)
{
	size_t columns = (size_t)1 << d->log_columns, j;
	struct lanes inv_n;

	lanes_gather(&inv_n, table_of(d, NTT_FIXED) + NTT_INV_N, 1);
	multiply_by(t, t, &inv_n, columns);
	for (j = 0; j < columns; j += 2)
		lanes_store_pair_canonical(v + j, columns, &t[j], nr);
}

/* w[j] = inc^k w_n^(k j), k = rev(row); inc is 1 where no coset is meant. */
static void rows_twiddles(struct lanes *w, const struct ntt_job *job,
			  size_t row, unsigned int nr)
{
	const struct fr_domain *d = job->domain;
	struct lanes start, step;

	if (job->inverse)
		lanes_gather(&start, table_of(d, NTT_SHIFT) + row, nr);
	else
		lanes_gather(&start, table_of(d, NTT_FIXED) + NTT_ONE, 1);
	lanes_gather(&step, table_of(d, NTT_ROW) + row, nr);
	powers(w, d->log_columns, &start, &step);
}

static void rows(void *arg, size_t task, unsigned int slot)
{
	const struct ntt_job *job = arg;
	const struct fr_domain *d = job->domain;
	size_t columns = (size_t)1 << d->log_columns, j;
	size_t row = task * NTT_LANES;
	unsigned int nr =
		(unsigned int)lull_min((size_t)1 << d->log_rows, NTT_LANES);
	struct lanes *t = (struct lanes *)job->scratch +
			  (NTT_TILES << d->log_rows) * slot;
	struct lanes *w = t + columns;
	unsigned int i;

	if (job->forward)
		rows_twiddles(w, job, row, nr);
	for (i = 0; i < job->nr; i++) {
		struct fr *v = job->v[i] + row * columns;

		for (j = 0; j < columns; j += 2)
			lanes_load_pair(&t[j], v + j, columns, nr);
		if (job->inverse && job->forward)
			round_trip(t, d);
		else if (job->inverse)
			back(t, d->log_columns, table_of(d, NTT_INVERSE));
		else
			forth(t, d->log_columns, table_of(d, NTT_CYCLIC),
			      d->log_columns <= TRIVIAL_LEVELS_MAX);
		if (job->forward)
			rows_multiply_store(v, t, w, columns, nr);
		else
			rows_finish(v, t, d, nr);
	}
}

/* Every array's way forth; the first levels as the rows come in. */
static void columns_forth(const struct columns *c)
{
	const struct twiddle *w = table_of(c->domain, NTT_CYCLIC);
	unsigned int levels = leaf_levels(c->log_rows), array;
	size_t leaf = (size_t)1 << levels, r, k;

	for (array = 0; array < c->job->nr; array++) {
		for (r = 0; r < c->nr_rows; r += leaf) {
			for (k = r; k < r + leaf; k++) {
				foresee(c, array, k + FORESEE_ROWS, false);
				lanes_load(&c->t[array][k],
					   element(c, array, k), c->nr);
			}
			forth_leaf(&c->t[array][r], levels, w,
				   c->log_rows <= TRIVIAL_LEVELS_MAX);
		}
		forth_above(c->t[array], c->log_rows, w);
	}
}

static void store_canonical(const struct columns *c, const struct lanes *t)
{
	size_t r;

	for (r = 0; r < c->nr_rows; r++) {
		foresee(c, 0, r + FORESEE_ROWS, true);
		lanes_store_canonical(element(c, 0, r), &t[r], c->nr);
	}
}

/* (c - a b / n) out: all three come times n, and out is negative, so that
 * what is subtracted is a product and has its bound.  Without c it is 0. */
static void columns_quotient(const struct columns *c)
{
	const struct twiddle *fixed = table_of(c->domain, NTT_FIXED);
	struct lanes *const *t = c->t;
	struct lanes by;
	size_t r;

	lanes_gather(&by, &fixed[NTT_INV_N], 1);
	multiply_by(t[1], t[1], &by, c->nr_rows);
	multiply(t[0], t[0], t[1], c->nr_rows);
	if (c->job->nr < 3)
		memset(t[2], 0, c->nr_rows * sizeof(*t[2]));
	for (r = 0; r < c->nr_rows; r++)
		lanes_sub(&t[2][r], &t[2][r], &t[0][r], 1);
	lanes_gather(&by, &fixed[NTT_OUT], 1);
	multiply_by(t[2], t[2], &by, c->nr_rows);
	store_canonical(c, t[2]);
}

static void columns_forward(void *arg, size_t task, unsigned int slot)
{
	const struct ntt_job *job = arg;
	struct columns c;

	columns_begin(&c, job, task, slot);
	columns_forth(&c);
	if (job->quotient)
		columns_quotient(&c);
	else
		store_canonical(&c, c.t[0]);
}

#endif
