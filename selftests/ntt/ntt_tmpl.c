// SPDX-License-Identifier: Apache-2.0
/*
 * ntt_tmpl.c - transforms and the quotient against their definitions
 *
 * Every twin that this processor can run, on pools of 1, 2 and 5 threads.
 */
#include "ntt/ntt.h"

#include "base/cpu.h"
#include "ntt/passes.h"

#include "harness.h"
#include "random_fr.h"
#include "test_arena.h"

/* The largest domain that is compared with the definition. */
#define NAIVE_LOG_MAX 7
#define ROUND_TRIP_LOG_MAX 14

static const unsigned int pools[] = { 1, 2, 5 };

struct setup {
	struct lull_workers *workers;
	struct fr_domain *domain;
	struct lull_vec a, b, scratch;
	unsigned int log_n;
	size_t n;
};

static unsigned int nr_twins(void)
{
	return lull_cpu_has_ifma() ? 2 : 1;
}

static const struct fr_passes *twin(unsigned int i)
{
	return i ? &fr_passes_ifma : &fr_passes_portable;
}

static void set_up(struct setup *s, unsigned int log_n, unsigned int pool,
		   const struct fr_passes *passes, const struct fr *inc)
{
	size_t bytes = fr_quotient_scratch_bytes(log_n, pool);

	s->log_n = log_n;
	s->n = (size_t)1 << log_n;
	if (lull_workers_create(pool, &s->workers, NULL) ||
	    fr_domain_build(log_n, passes, inc, test_arena(), &s->domain, NULL))
		abort();
	s->a = test_vec(s->n * sizeof(struct fr));
	s->b = test_vec(s->n * sizeof(struct fr));
	s->scratch = test_vec(bytes);
}

static void tear_down(struct setup *s)
{
	lull_arena_retire(&s->scratch);
	lull_arena_retire(&s->b);
	lull_arena_retire(&s->a);
	fr_domain_destroy(s->domain);
	lull_workers_destroy(s->workers);
}

/* Random values, with the edges among them. */
static void random_vector(struct fr *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		random_fr(&v[i]);
		if (test_random() % 8 == 0)
			v[i] = fr_zero;
		if (test_random() % 8 == 0)
			fr_neg(&v[i], &fr_one);
	}
}

/* All of them r - 1 as the bytes have it: the largest values there are. */
static void largest_vector(struct fr *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		memcpy(v[i].l, fr_r, sizeof(v[i].l));
		v[i].l[0]--;
	}
}

static void root_of(struct fr *w, unsigned int log_n)
{
	unsigned int i;

	*w = (struct fr){ CURVE_CONST(FR_ROOT) };
	for (i = log_n; i < CURVE_CONST(FR_TWO_ADICITY); i++)
		fr_sqr(w, w);
}

/* f(x), f given by its coefficients. */
static void evaluate(struct fr *y, const struct fr *f, size_t n,
		     const struct fr *x)
{
	*y = fr_zero;
	while (n--) {
		fr_mul(y, y, x);
		fr_add(y, y, &f[n]);
	}
}

/* out[i] = f(shift w_n^i) */
static void naive_dft(struct fr *out, const struct fr *f, unsigned int log_n,
		      const struct fr *shift)
{
	struct fr w, x = *shift;
	size_t i, n = (size_t)1 << log_n;

	root_of(&w, log_n);
	for (i = 0; i < n; i++) {
		evaluate(&out[i], f, n, &x);
		fr_mul(&x, &x, &w);
	}
}

/* The coefficients of the values: a transform at w_n^-1, over n. */
static void naive_inverse(struct fr *f, const struct fr *values,
			  unsigned int log_n)
{
	size_t i, n = (size_t)1 << log_n;
	struct fr inv_n;

	naive_dft(f, values, log_n, &fr_one);
	fr_from_u64(&inv_n, n);
	fr_inv(&inv_n, &inv_n);
	for (i = 1; i < n - i; i++) {
		struct fr t = f[i];

		f[i] = f[n - i];
		f[n - i] = t;
	}
	for (i = 0; i < n; i++)
		fr_mul(&f[i], &f[i], &inv_n);
}

static bool same(const struct fr *a, const struct fr *b, size_t n)
{
	return !memcmp(a, b, n * sizeof(*a));
}

static void check_transforms(unsigned int log_n, unsigned int pool,
			     const struct fr_passes *passes)
{
	struct fr want[1 << NAIVE_LOG_MAX], f[1 << NAIVE_LOG_MAX], *a, inc;
	struct setup s;

	fr_domain_increment(log_n, &inc);
	set_up(&s, log_n, pool, passes, &inc);
	a = s.a.ptr;
	random_vector(f, s.n);
	memcpy(a, f, s.a.bytes);
	naive_dft(want, f, log_n, &fr_one);
	fr_ntt(s.domain, a, s.workers, s.scratch.ptr);
	EXPECT_TRUE(same(want, a, s.n));
	fr_intt(s.domain, a, s.workers, s.scratch.ptr);
	EXPECT_TRUE(same(f, a, s.n));
	naive_inverse(want, f, log_n);
	fr_intt(s.domain, a, s.workers, s.scratch.ptr);
	EXPECT_TRUE(same(want, a, s.n));
	tear_down(&s);
}

TEST(transforms_are_what_they_say)
{
	unsigned int t, p, log_n;

	for (t = 0; t < nr_twins(); t++)
		for (p = 0; p < 3; p++)
			for (log_n = 1; log_n <= NAIVE_LOG_MAX; log_n++)
				check_transforms(log_n, pools[p], twin(t));
}

TEST(round_trips_give_the_values_back)
{
	struct setup s;
	unsigned int t, log_n;
	struct lull_vec copy;
	struct fr inc;

	for (t = 0; t < nr_twins(); t++) {
		for (log_n = 1; log_n <= ROUND_TRIP_LOG_MAX; log_n++) {
			fr_domain_increment(log_n, &inc);
			set_up(&s, log_n, pools[log_n % 3], twin(t), &inc);
			copy = test_vec(s.a.bytes);
			if (log_n % 2)
				random_vector(s.a.ptr, s.n);
			else
				largest_vector(s.a.ptr, s.n);
			memcpy(copy.ptr, s.a.ptr, s.a.bytes);
			fr_ntt(s.domain, s.a.ptr, s.workers, s.scratch.ptr);
			EXPECT_TRUE(!same(copy.ptr, s.a.ptr, s.n));
			fr_intt(s.domain, s.a.ptr, s.workers, s.scratch.ptr);
			EXPECT_TRUE(same(copy.ptr, s.a.ptr, s.n));
			lull_arena_retire(&copy);
			tear_down(&s);
		}
	}
}

/* The quotient by its definition: coefficients, then values on the coset;
 * @folded: without c. */
static void naive_quotient(struct fr *out, const struct fr *a,
			   const struct fr *b, unsigned int log_n,
			   const struct fr *inc, bool folded)
{
	struct fr c[1 << NAIVE_LOG_MAX], f[1 << NAIVE_LOG_MAX];
	struct fr at[3][1 << NAIVE_LOG_MAX], x;
	size_t i, n = (size_t)1 << log_n;

	for (i = 0; i < n; i++)
		fr_mul(&c[i], &a[i], &b[i]);
	naive_inverse(f, a, log_n);
	naive_dft(at[0], f, log_n, inc);
	naive_inverse(f, b, log_n);
	naive_dft(at[1], f, log_n, inc);
	naive_inverse(f, c, log_n);
	naive_dft(at[2], f, log_n, inc);
	for (i = 0; i < n; i++) {
		fr_mul(&x, &at[0][i], &at[1][i]);
		if (!folded)
			fr_sub(&x, &x, &at[2][i]);
		fr_to_plain(out[i].l, &x);
	}
}

static void run_quotient(struct setup *s, bool folded)
{
	if (folded)
		fr_quotient_folded(s->domain, s->a.ptr, s->b.ptr, s->workers,
				   s->scratch.ptr);
	else
		fr_quotient(s->domain, s->a.ptr, s->b.ptr, s->workers,
			    s->scratch.ptr);
}

static void check_quotient(unsigned int log_n, unsigned int pool,
			   const struct fr_passes *passes, const struct fr *inc)
{
	struct fr want[1 << NAIVE_LOG_MAX];
	struct setup s;
	int round;

	set_up(&s, log_n, pool, passes, inc);
	for (round = 0; round < 4; round++) {
		bool folded = round & 1;

		if (round & 2) {
			largest_vector(s.a.ptr, s.n);
			largest_vector(s.b.ptr, s.n);
		} else {
			random_vector(s.a.ptr, s.n);
			random_vector(s.b.ptr, s.n);
		}
		naive_quotient(want, s.a.ptr, s.b.ptr, log_n, inc, folded);
		run_quotient(&s, folded);
		EXPECT_TRUE(same(want, s.a.ptr, s.n));
	}
	tear_down(&s);
}

TEST(quotient_is_what_it_says)
{
	unsigned int t, p, log_n;
	struct fr inc, shift;

	fr_domain_increment(CURVE_CONST(FR_TWO_ADICITY), &shift);
	for (t = 0; t < nr_twins(); t++) {
		for (p = 0; p < 3; p++) {
			for (log_n = 1; log_n <= NAIVE_LOG_MAX; log_n++) {
				fr_domain_increment(log_n, &inc);
				check_quotient(log_n, pools[p], twin(t), &inc);
				check_quotient(log_n, pools[p], twin(t),
					       &shift);
			}
		}
	}
}

/* h Z = a b - c as polynomials, at a place on no root. */
static void check_coefs(unsigned int log_n, unsigned int pool,
			const struct fr_passes *passes)
{
	struct fr c[1 << NAIVE_LOG_MAX], f[3][1 << NAIVE_LOG_MAX];
	struct fr inc, x, z, v[3], h;
	struct fr *got;
	struct setup s;
	size_t i;

	fr_domain_increment(log_n, &inc);
	set_up(&s, log_n, pool, passes, &inc);
	random_vector(s.a.ptr, s.n);
	random_vector(s.b.ptr, s.n);
	random_vector(&x, 1);
	for (i = 0; i < s.n; i++)
		fr_mul(&c[i], (struct fr *)s.a.ptr + i,
		       (struct fr *)s.b.ptr + i);
	naive_inverse(f[0], s.a.ptr, log_n);
	naive_inverse(f[1], s.b.ptr, log_n);
	naive_inverse(f[2], c, log_n);
	for (i = 0; i < 3; i++)
		evaluate(&v[i], f[i], s.n, &x);
	fr_mul(&v[0], &v[0], &v[1]);
	fr_sub(&v[0], &v[0], &v[2]);
	z = x;
	for (i = 0; i < log_n; i++)
		fr_sqr(&z, &z);
	fr_sub(&z, &z, &fr_one);
	fr_quotient(s.domain, s.a.ptr, s.b.ptr, s.workers, s.scratch.ptr);
	fr_quotient_coefs(s.domain, s.a.ptr, s.workers, s.scratch.ptr);
	got = s.a.ptr;
	EXPECT_TRUE(fr_is_zero(&got[s.n - 1]));
	for (i = 0; i < s.n; i++)
		fr_from_plain(&got[i], got[i].l);
	evaluate(&h, got, s.n, &x);
	fr_mul(&h, &h, &z);
	EXPECT_TRUE(fr_equal(&v[0], &h));
	tear_down(&s);
}

TEST(quotients_coefficients)
{
	unsigned int t, p, log_n;

	for (t = 0; t < nr_twins(); t++)
		for (p = 0; p < 3; p++)
			for (log_n = 1; log_n <= NAIVE_LOG_MAX; log_n++)
				check_coefs(log_n, pools[p], twin(t));
}

/* Above the sizes that the definition is affordable for, the twins and the
 * pools are compared with each other. */
static void compare_quotients(bool folded)
{
	static const unsigned int logs[] = { 9, 12, 15 };
	struct lull_vec first = { 0 };
	struct setup s;
	unsigned int i, t, p;
	struct fr inc;

	for (i = 0; i < LULL_ARRAY_SIZE(logs); i++) {
		fr_domain_increment(logs[i], &inc);
		for (t = 0; t < nr_twins(); t++) {
			for (p = 0; p < 3; p++) {
				set_up(&s, logs[i], pools[p], twin(t), &inc);
				test_seed = logs[i];
				random_vector(s.a.ptr, s.n);
				random_vector(s.b.ptr, s.n);
				run_quotient(&s, folded);
				if (first.ptr) {
					EXPECT_TRUE(
						same(first.ptr, s.a.ptr, s.n));
				} else {
					first = s.a;
					s.a = (struct lull_vec){ 0 };
				}
				tear_down(&s);
			}
		}
		lull_arena_retire(&first);
	}
}

TEST(quotients_do_not_depend_on_twin_or_pool)
{
	compare_quotients(false);
	compare_quotients(true);
}

/* inc^n must be -1, or where no root is left, the square of a non-residue. */
TEST(increment_is_a_root_of_twice_the_order)
{
	struct fr inc, x, minus_one, g;
	unsigned int log_n, i;

	fr_neg(&minus_one, &fr_one);
	for (log_n = 1; log_n < CURVE_CONST(FR_TWO_ADICITY); log_n++) {
		fr_domain_increment(log_n, &inc);
		x = inc;
		for (i = 0; i < log_n; i++)
			fr_sqr(&x, &x);
		EXPECT_TRUE(fr_equal(&minus_one, &x));
	}
	fr_domain_increment(CURVE_CONST(FR_TWO_ADICITY), &inc);
	fr_from_u64(&g, CURVE_CONST(FR_NON_RESIDUE));
	fr_sqr(&g, &g);
	EXPECT_TRUE(fr_equal(&g, &inc));
}

TEST(created_domains_choose_a_twin_and_say_their_size)
{
	struct fr_domain *domain = NULL;
	unsigned int log_n;

	for (log_n = 1; log_n <= 20; log_n++) {
		ASSERT_EQ(0,
			  fr_domain_create(log_n, test_arena(), &domain, NULL));
		EXPECT_EQ(fr_domain_bytes(log_n), domain->block.bytes);
		fr_domain_destroy(domain);
	}
	fr_domain_destroy(NULL);
}

TEST_MAIN
