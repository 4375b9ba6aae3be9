// SPDX-License-Identifier: Apache-2.0
/*
 * ntt_ref_tmpl.c - ntt_ref.h's table for one curve, from the C library
 */
#include "cuda/ntt_ref.h"

#include <stdlib.h>
#include <unistd.h>

#include "ntt/ntt.h"
#include "ntt/passes.h"
#include "synth/order.h"
#include "synth/spmv.h"
#include "test_arena.h"

#define REF LULL_PASTE2(ntt_ref_, LULL_CURVE)
/* The largest are transforms of 2^24, which two would take a minute for. */
#define THREADS_MIN 2
#define THREADS_MAX 8

static unsigned int nr_threads(void)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	return (unsigned int)lull_max(THREADS_MIN,
				      lull_min(online, THREADS_MAX));
}

struct setup {
	struct lull_workers *workers;
	struct fr_domain *domain;
	struct lull_vec scratch;
};

static void set_up(struct setup *s, unsigned int log_n)
{
	size_t bytes = fr_quotient_scratch_bytes(log_n, nr_threads());

	*s = (struct setup){ 0 };
	if (lull_workers_create(nr_threads(), &s->workers, NULL) ||
	    fr_domain_create(log_n, test_arena(), &s->domain, NULL))
		abort();
	s->scratch = test_vec(bytes);
}

static void tear_down(struct setup *s)
{
	lull_arena_retire(&s->scratch);
	fr_domain_destroy(s->domain);
	lull_workers_destroy(s->workers);
}

static void ref_ntt(void *values, unsigned int log_n)
{
	struct setup s;

	set_up(&s, log_n);
	fr_ntt(s.domain, values, s.workers, s.scratch.ptr);
	tear_down(&s);
}

static void ref_intt(void *values, unsigned int log_n)
{
	struct setup s;

	set_up(&s, log_n);
	fr_intt(s.domain, values, s.workers, s.scratch.ptr);
	tear_down(&s);
}

static void ref_quotient(void *a, void *b, unsigned int log_n)
{
	struct setup s;

	set_up(&s, log_n);
	fr_quotient(s.domain, a, b, s.workers, s.scratch.ptr);
	tear_down(&s);
}

static void ref_coefs(void *h, unsigned int log_n)
{
	struct setup s;

	set_up(&s, log_n);
	fr_quotient_coefs(s.domain, h, s.workers, s.scratch.ptr);
	tear_down(&s);
}

/* By the definition: coefficients, times inc^i, and forth. */
static void to_coset(struct fr *v, unsigned int log_n)
{
	struct fr inc, power = fr_one;
	size_t i, n = (size_t)1 << log_n;

	fr_domain_increment(log_n, &inc);
	ref_intt(v, log_n);
	for (i = 0; i < n; i++) {
		fr_mul(&v[i], &v[i], &power);
		fr_mul(&power, &power, &inc);
	}
	ref_ntt(v, log_n);
}

static void ref_folded(void *a, void *b, unsigned int log_n)
{
	struct fr *x = a, *y = b;
	size_t i, n = (size_t)1 << log_n;

	to_coset(x, log_n);
	to_coset(y, log_n);
	for (i = 0; i < n; i++) {
		fr_mul(&x[i], &x[i], &y[i]);
		fr_to_plain(x[i].l, &x[i]);
	}
}

static void ref_spmv(void *a, void *b, size_t n, const uint8_t *coefs,
		     size_t nr_coefs, const uint8_t *witness)
{
	struct lull_workers *workers;
	struct lull_vec order;

	if (lull_workers_create(nr_threads(), &workers, NULL) ||
	    lull_synth_order(coefs, nr_coefs, n, test_arena(), &order, NULL))
		abort();
	fr_spmv(a, b, n, coefs, nr_coefs, order.ptr, witness, workers);
	lull_arena_retire(&order);
	lull_workers_destroy(workers);
}

extern const struct ntt_ref REF;
const struct ntt_ref REF = {
	.ntt = ref_ntt,
	.intt = ref_intt,
	.quotient = ref_quotient,
	.coefs = ref_coefs,
	.folded = ref_folded,
	.spmv = ref_spmv,
};
