// SPDX-License-Identifier: Apache-2.0
/*
 * ntt_tmpl.c - transforms and the quotient, as sequences of passes
 *
 * For the backends.  Read fr_quotient() first; the passes are in tile.h.
 */
#include "ntt/ntt.h"

#include "ntt/passes.h"

static size_t nr_tasks(unsigned int log)
{
	return lull_div_up((size_t)1 << log, NTT_LANES);
}

static void run(struct lull_workers *workers, struct ntt_job *job,
		unsigned int log,
		void (*pass)(void *job, size_t task, unsigned int slot))
{
	lull_workers_run(workers, nr_tasks(log), pass, job);
}

size_t fr_ntt_scratch_bytes(unsigned int log2_n, unsigned int nr_threads)
{
	size_t rows = (size_t)1 << log2_n / 2;

	return NTT_TILES * rows * nr_threads * NTT_LANES_BYTES_MAX;
}

size_t fr_quotient_scratch_bytes(unsigned int log2_n, unsigned int nr_threads)
{
	return (sizeof(struct fr) << log2_n) +
	       fr_ntt_scratch_bytes(log2_n, nr_threads);
}

/*
 * Bit reversal, by blocks: of an index's bits the high and the low
 * REVERSE_BITS move inside a block of 8 by 8 elements, in lines that are used
 * whole, and the rest says which two blocks change places.
 */
#define REVERSE_BITS 3

struct reversal {
	struct fr *v;
	unsigned int log_n;
	unsigned int bits; /* REVERSE_BITS, or 0 where n is small */
	size_t nr_tasks;
};

static void swap(struct fr *a, struct fr *b)
{
	struct fr t = *a;

	*a = *b;
	*b = t;
}

static void reverse_blocks(const struct reversal *r, size_t m, size_t other)
{
	unsigned int bits = r->bits, middle = r->log_n - bits;
	size_t side = (size_t)1 << bits, hi, lo, i, j;

	for (hi = 0; hi < side; hi++) {
		for (lo = 0; lo < side; lo++) {
			i = hi << middle | m << bits | lo;
			j = ntt_reverse(lo, bits) << middle | other << bits |
			    ntt_reverse(hi, bits);
			/* A block that stays has each of its pairs twice. */
			if (m != other || i < j)
				swap(&r->v[i], &r->v[j]);
		}
	}
}

static void reverse_task(void *arg, size_t task, unsigned int slot)
{
	const struct reversal *r = arg;
	unsigned int bits = r->log_n - 2 * r->bits;
	size_t lo, hi, m, other;

	(void)slot;
	lull_workers_split((size_t)1 << bits, r->nr_tasks, task, 1, &lo, &hi);
	for (m = lo; m < hi; m++) {
		other = ntt_reverse(m, bits);
		if (m <= other)
			reverse_blocks(r, m, other);
	}
}

/* Element i and element rev(i) change places: pairs, so tasks never meet. */
static void reverse(struct fr *v, unsigned int log_n,
		    struct lull_workers *workers)
{
	/* The pairs of a task lie unevenly: a few tasks for each thread. */
	struct reversal r = {
		.v = v,
		.log_n = log_n,
		.bits = log_n < 2 * REVERSE_BITS ? 0 : REVERSE_BITS,
		.nr_tasks = (size_t)8 * lull_workers_nr(workers),
	};

	lull_workers_run(workers, r.nr_tasks, reverse_task, &r);
}

void fr_ntt(const struct fr_domain *domain, struct fr *values,
	    struct lull_workers *workers, void *scratch)
{
	const struct fr_domain *d = domain;
	struct ntt_job job = {
		.domain = d,
		.v = { values },
		.nr = 1,
		.scratch = scratch,
		.forward = true,
	};

	reverse(values, d->log_n, workers);
	run(workers, &job, d->log_rows, d->passes->rows);
	run(workers, &job, d->log_columns, d->passes->columns_forward);
}

void fr_intt(const struct fr_domain *domain, struct fr *values,
	     struct lull_workers *workers, void *scratch)
{
	const struct fr_domain *d = domain;
	struct ntt_job job = {
		.domain = d,
		.v = { values },
		.nr = 1,
		.scratch = scratch,
		.inverse = true,
	};

	run(workers, &job, d->log_columns, d->passes->columns_inverse);
	run(workers, &job, d->log_rows, d->passes->rows);
	reverse(values, d->log_n, workers);
}

static void run_quotient(struct lull_workers *workers, struct ntt_job *job)
{
	const struct fr_domain *d = job->domain;

	job->inverse = true;
	job->forward = true;
	job->quotient = true;
	run(workers, job, d->log_columns, d->passes->columns_inverse);
	run(workers, job, d->log_rows, d->passes->rows);
	run(workers, job, d->log_columns, d->passes->columns_forward);
}

void fr_quotient(const struct fr_domain *domain, struct fr *a, struct fr *b,
		 struct lull_workers *workers, void *scratch)
{
	struct fr *c = scratch;
	struct ntt_job job = {
		.domain = domain,
		.v = { a, b, c },
		.nr = 3,
		.scratch = (unsigned char *)(c + ((size_t)1 << domain->log_n)),
		.product = true,
	};

	run_quotient(workers, &job);
}

void fr_quotient_folded(const struct fr_domain *domain, struct fr *a,
			struct fr *b, struct lull_workers *workers,
			void *scratch)
{
	struct ntt_job job = {
		.domain = domain,
		.v = { a, b },
		.nr = 2,
		.scratch = scratch,
	};

	run_quotient(workers, &job);
}
