// SPDX-License-Identifier: Apache-2.0
/*
 * spmv_tmpl.c - the sparse products in portable C
 *
 * A row's products are summed as integers and reduced once: the value of a
 * record times 2^512 and the plain signal give, by one Montgomery reduction
 * of the sum, the Montgomery form of the row.  Most signals of a circuit are
 * bits or small, so their zero limbs are not multiplied: time depends on the
 * witness here, as it does in the multiplications of points.
 */
#include "synth/spmv.h"

#define MATRIX_OFFSET 0
#define CONSTRAINT_OFFSET 4
#define SIGNAL_OFFSET 8
#define VALUE_OFFSET 12
#define SIGNAL_BYTES 32

/* Tasks a thread, so that the slow rows even out. */
#define TASKS_EACH 8
/* Fewer records than this a task cost more to hand out than to compute. */
#define RECORDS_MIN 2048
/* Records from now whose signal is asked for: some 100 ns of work. */
#define PREFETCH 8

/* Sums below 2^32 products of less than 2^510 each. */
#define SUM_LIMBS (2 * FR_LIMBS + 1)

struct sum {
	limb_t l[SUM_LIMBS];
	limb_t any; /* not 0 if a signal was not */
};

struct job {
	struct fr *row[2]; /* by matrix */
	size_t n;
	const uint8_t *coefs;
	size_t nr_coefs;
	const uint32_t *order;
	const uint8_t *witness;
	size_t nr_tasks;
};

static inline const uint8_t *record(const struct job *job, size_t i)
{
	return job->coefs + (job->order ? job->order[i] : i) * LULL_COEF_BYTES;
}

static inline uint32_t constraint_of(const struct job *job, size_t i)
{
	return lull_load_u32(record(job, i) + CONSTRAINT_OFFSET);
}

static inline const uint8_t *signal_of(const struct job *job, const uint8_t *c)
{
	return job->witness +
	       (size_t)lull_load_u32(c + SIGNAL_OFFSET) * SIGNAL_BYTES;
}

/* sum += value w 2^(64 shift) */
static inline void sum_add_limb(struct sum *sum, const limb_t *value, limb_t w,
				unsigned int shift)
{
	limb_t carry = 0;
	unsigned int i;

#pragma GCC unroll 4
	for (i = 0; i < FR_LIMBS; i++) {
		limb2_t t = (limb2_t)value[i] * w + sum->l[shift + i] + carry;

		sum->l[shift + i] = (limb_t)t;
		carry = (limb_t)(t >> LIMB_BITS);
	}
	for (i = shift + FR_LIMBS; i < SUM_LIMBS; i++) {
		limb2_t t = (limb2_t)sum->l[i] + carry;

		sum->l[i] = (limb_t)t;
		carry = (limb_t)(t >> LIMB_BITS);
	}
}

/* Whether a signal is short is foreseeable in most circuits, whether a bit is
 * 0 is not: zeros are multiplied like other short ones. */
static inline void sum_add(struct sum *sum, const uint8_t *value,
			   const uint8_t *signal)
{
	limb_t v[FR_LIMBS], w[FR_LIMBS];
	unsigned int i;

	memcpy(w, signal, sizeof(w));
	memcpy(v, value, sizeof(v));
	sum->any |= w[0];
	sum_add_limb(sum, v, w[0], 0);
	if (limbs_is_zero(w + 1, FR_LIMBS - 1))
		return;
	sum->any = 1;
	for (i = 1; i < FR_LIMBS; i++)
		sum_add_limb(sum, v, w[i], i);
}

/* t, of FR_LIMBS + 1 limbs, less 2^log r if that leaves no borrow. */
static inline void reduce_by(limb_t *t, unsigned int log)
{
	limb_t m[FR_LIMBS + 1], less[FR_LIMBS + 1], borrow;
	unsigned int i;

	for (i = 0; i <= FR_LIMBS; i++) {
		limb_t low = i ? fr_r[i - 1] : 0;
		limb_t high = i < FR_LIMBS ? fr_r[i] : 0;

		m[i] = log ? high << log | low >> (LIMB_BITS - log) : high;
	}
	borrow = limbs_sub(less, t, m, FR_LIMBS + 1);
	limbs_select(t, 0 - borrow, t, less, FR_LIMBS + 1);
}

/* r = t mod r for the five limbs of a sum's upper half. */
static void reduce_long(struct fr *r, limb_t *t)
{
	/* 257 bits are below 16 r; what stands above them is 0 for all but rows
	 * of very many products. */
	limb_t top = t[FR_LIMBS] & ~(limb_t)1;
	struct fr high;

	t[FR_LIMBS] &= 1;
	reduce_by(t, 3);
	reduce_by(t, 2);
	reduce_by(t, 1);
	reduce_by(t, 0);
	memcpy(r->l, t, sizeof(r->l));
	if (top) {
		fr_from_u64(&high, top);
		fr_add(r, r, &high);
	}
}

/* r = sum 2^-256 mod r, and the sum is 0 again: the upper half as it is, the
 * lower times 2^-256. */
static void sum_finish(struct fr *r, struct sum *sum)
{
	static const limb_t unit[FR_LIMBS] = { 1 };
	limb_t *upper = sum->l + FR_LIMBS;
	struct fr low, high;

	/* Not fr_mul(): the lower half need not be below r. */
	limbs_mont_mul(low.l, sum->l, unit, fr_r, CURVE_CONST(FR_INV),
		       FR_LIMBS);
	memcpy(high.l, upper, sizeof(high.l));
	if (upper[FR_LIMBS] || !fr_is_canonical(&high))
		reduce_long(&high, upper);
	fr_add(r, &low, &high);
	*sum = (struct sum){ 0 };
}

/* The first record of the row that the task's share begins in. */
static size_t first_of_row(const struct job *job, uint32_t row, size_t hi)
{
	size_t lo = 0, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (constraint_of(job, mid) < row)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Where task @task begins: its first row and the first record of that. */
static void task_begin(const struct job *job, size_t task, size_t *ret_row,
		       size_t *ret_record)
{
	size_t lo, hi;

	if (task == job->nr_tasks) {
		*ret_row = job->n;
		*ret_record = job->nr_coefs;
		return;
	}
	lull_workers_split(job->nr_coefs, job->nr_tasks, task, 1, &lo, &hi);
	if (!task || lo == job->nr_coefs) {
		*ret_row = task ? job->n : 0;
		*ret_record = lo;
		return;
	}
	*ret_row = constraint_of(job, lo);
	*ret_record = first_of_row(job, (uint32_t)*ret_row, lo);
}

static void finish_row(const struct job *job, size_t row, struct sum sum[2])
{
	int k;

	for (k = 0; k < 2; k++) {
		if (sum[k].any)
			sum_finish(&job->row[k][row], &sum[k]);
		else
			job->row[k][row] = fr_zero;
	}
}

static void multiply_task(void *arg, size_t task, unsigned int slot)
{
	const struct job *job = arg;
	size_t row, row_end, i, end;
	struct sum sum[2] = { 0 };
	const uint8_t *c;

	(void)slot;
	task_begin(job, task, &row, &i);
	task_begin(job, task + 1, &row_end, &end);
	for (; i < end; i++) {
		c = record(job, i);
		if (i + PREFETCH < end)
			__builtin_prefetch(
				signal_of(job, record(job, i + PREFETCH)));
		for (; row < lull_load_u32(c + CONSTRAINT_OFFSET); row++)
			finish_row(job, row, sum);
		sum_add(&sum[lull_load_u32(c + MATRIX_OFFSET) & 1],
			c + VALUE_OFFSET, signal_of(job, c));
	}
	for (; row < row_end; row++)
		finish_row(job, row, sum);
}

void fr_spmv(struct fr *a, struct fr *b, size_t n, const uint8_t *coefs,
	     size_t nr_coefs, const uint32_t *order, const uint8_t *witness,
	     struct lull_workers *workers)
{
	struct job job = {
		.row = { a, b },
		.n = n,
		.coefs = coefs,
		.nr_coefs = nr_coefs,
		.order = order,
		.witness = witness,
	};

	job.nr_tasks = lull_min((size_t)TASKS_EACH * lull_workers_nr(workers),
				nr_coefs / RECORDS_MIN);
	job.nr_tasks = lull_max(job.nr_tasks, 1);
	lull_workers_run(workers, job.nr_tasks, multiply_task, &job);
}

/* ---- from rows ---------------------------------------------------------- */

struct rows_job {
	struct fr *row[LULL_CSR_MATRICES];
	size_t n;
	const struct lull_csr *csr;
	const uint8_t *witness;
	size_t nr_tasks;
};

static inline size_t start_of(const struct rows_job *job, unsigned int k,
			      size_t row)
{
	return lull_load_u32(job->csr->matrix[k].starts +
			     row * sizeof(uint32_t));
}

/* What the rows before @row cost: an entry each, and a row is no less. */
static inline size_t cost_before(const struct rows_job *job, size_t row)
{
	return start_of(job, 0, row) + start_of(job, 1, row) + row;
}

/* The first row of task @task. */
static size_t first_row(const struct rows_job *job, size_t task)
{
	size_t lo = 0, hi = job->n, mid, want, end;

	lull_workers_split(cost_before(job, job->n), job->nr_tasks, task, 1,
			   &want, &end);
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (cost_before(job, mid) < want)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static __always_inline size_t id_at(const uint8_t *ids, size_t i,
				    unsigned int id_bytes)
{
	uint32_t id = 0;

	memcpy(&id, ids + i * id_bytes, id_bytes);
	return id;
}

/* Rows [lo, hi) of one matrix; id_bytes is a literal. */
static __always_inline void multiply_rows(struct fr *out, size_t lo, size_t hi,
					  const struct lull_csr_matrix *m,
					  const uint8_t *values,
					  const uint8_t *witness,
					  unsigned int id_bytes)
{
	size_t i = lull_load_u32(m->starts + lo * sizeof(uint32_t)), end;
	struct sum sum = { 0 };

	for (; lo < hi; lo++) {
		end = lull_load_u32(m->starts + (lo + 1) * sizeof(uint32_t));
		for (; i < end; i++) {
			const uint8_t *column =
				m->columns + i * sizeof(uint32_t);

			if (i + PREFETCH < m->nr_entries)
				__builtin_prefetch(
					witness +
					(size_t)lull_load_u32(
						column +
						PREFETCH * sizeof(uint32_t)) *
						SIGNAL_BYTES);
			sum_add(&sum,
				values + id_at(m->ids, i, id_bytes) *
						 sizeof(struct fr),
				witness + (size_t)lull_load_u32(column) *
						  SIGNAL_BYTES);
		}
		if (sum.any)
			sum_finish(&out[lo], &sum);
		else
			out[lo] = fr_zero;
	}
}

static void multiply_rows_task(void *arg, size_t task, unsigned int slot)
{
	const struct rows_job *job = arg;
	size_t lo = first_row(job, task), hi = first_row(job, task + 1);
	const struct lull_csr *csr = job->csr;
	unsigned int k;

	(void)slot;
	for (k = 0; k < LULL_CSR_MATRICES; k++) {
		const struct lull_csr_matrix *m = &csr->matrix[k];

		if (csr->id_bytes == 1)
			multiply_rows(job->row[k], lo, hi, m, csr->values,
				      job->witness, 1);
		else if (csr->id_bytes == 2)
			multiply_rows(job->row[k], lo, hi, m, csr->values,
				      job->witness, 2);
		else
			multiply_rows(job->row[k], lo, hi, m, csr->values,
				      job->witness, 4);
	}
}

void fr_spmv_csr(struct fr *a, struct fr *b, size_t n,
		 const struct lull_csr *csr, const uint8_t *witness,
		 struct lull_workers *workers)
{
	struct rows_job job = {
		.row = { a, b },
		.n = n,
		.csr = csr,
		.witness = witness,
	};

	job.nr_tasks = lull_min((size_t)TASKS_EACH * lull_workers_nr(workers),
				cost_before(&job, n) / RECORDS_MIN);
	job.nr_tasks = lull_max(job.nr_tasks, 1);
	lull_workers_run(workers, job.nr_tasks, multiply_rows_task, &job);
}
