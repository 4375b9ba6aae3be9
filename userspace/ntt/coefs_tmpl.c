// SPDX-License-Identifier: Apache-2.0
/*
 * coefs_tmpl.c - the quotient's coefficients, for keys of powers of tau
 *
 * On the coset s w_n^j, s = w_2n, Z is s^n - 1 everywhere, so the quotient's
 * values are fr_quotient()'s over that, and their transform back is coefficient
 * i times s^i.
 */
#include "ntt/ntt.h"

#include "base/base.h"
#include "ntt/passes.h"

#define COEFS_PER_TASK ((size_t)1 << 12)

struct scaling {
	struct fr *h;
	size_t n;
	struct fr step;	 /* 1 / s */
	struct fr start; /* 1 / Z */
};

static void scale_task(void *arg, size_t task, unsigned int slot)
{
	const struct scaling *s = arg;
	size_t i, lo = task * COEFS_PER_TASK;
	size_t hi = lull_min(lo + COEFS_PER_TASK, s->n);
	const limb_t first[] = { lo };
	struct fr factor;

	(void)slot;
	fr_pow_var(&factor, &s->step, first, LULL_ARRAY_SIZE(first));
	fr_mul(&factor, &factor, &s->start);
	for (i = lo; i < hi; i++) {
		fr_mul(&s->h[i], &s->h[i], &factor);
		fr_mul(&factor, &factor, &s->step);
	}
}

void fr_quotient_coefs(const struct fr_domain *domain, struct fr *h,
		       struct lull_workers *workers, void *scratch)
{
	struct scaling s = { .h = h, .n = (size_t)1 << domain->log_n };
	unsigned int i;
	struct fr inc, z;

	fr_intt(domain, h, workers, scratch);
	fr_domain_increment(domain->log_n, &inc);
	z = inc;
	for (i = 0; i < domain->log_n; i++)
		fr_sqr(&z, &z);
	fr_sub(&z, &z, &fr_one);
	fr_inv(&s.start, &z);
	fr_inv(&s.step, &inc);
	lull_workers_run(workers, lull_div_up(s.n, COEFS_PER_TASK), scale_task,
			 &s);
}
