// SPDX-License-Identifier: Apache-2.0
/*
 * bellman_h.c - what of bellman's keys needs the field and the group
 *
 * A .zkey's H_j is the odd Lagrange basis of the 2n-th roots at tau, over
 * delta.  Z is -2 at every odd power of w_2n, so a quotient h of n - 1
 * coefficients has
 *
 *	Z(tau) h(tau) / delta = sum_j -2 h(w_2n^(2j+1)) H_j
 *
 * and of h = x^i this is -2 w_2n^i sum_j w_n^(ij) H_j: a transform of points.
 *
 * Time depends on nothing secret: keys are public.
 */
/* The format is this curve's alone. */
#define LULL_CURVE bls12_381

#include "base/base.h"
#include "base/workers.h"
#include "curve/pairing.h"
#include "prove/bellman.h"

#define POINTS_PER_TASK 64
#define WINDOW_BITS 4
#define TABLE_SIZE (1u << WINDOW_BITS)

_Static_assert(LULL_BELLMAN_FP_BYTES == sizeof(struct fp),
	       "a coordinate as in the file");

void lull_bellman_to_mont(uint8_t *coords, size_t nr)
{
	struct fp x;

	for (; nr--; coords += sizeof(x)) {
		memcpy(&x, coords, sizeof(x));
		fp_from_plain(&x, x.l);
		memcpy(coords, &x, sizeof(x));
	}
}

void lull_bellman_from_mont(uint8_t *coords, size_t nr)
{
	struct fp x;

	for (; nr--; coords += sizeof(x)) {
		memcpy(&x, coords, sizeof(x));
		fp_to_plain(x.l, &x);
		memcpy(coords, &x, sizeof(x));
	}
}

/* A transform of points under way. */
struct transform {
	unsigned int log_n;
	unsigned int log_half; /* of the butterflies' distance */
	const uint8_t *h;
	struct g1_xyzz *points;
	struct fr *twiddles; /* w_n^k, plain, k < n / 2 */
	struct fr inc;	     /* w_2n */
	struct g1_affine *out;
};

/* w_n for n = 2^log_n */
static void root_of(struct fr *r, unsigned int log_n)
{
	static const struct fr root = { CURVE_CONST(FR_ROOT) };

	*r = root;
	for (; log_n < CURVE_CONST(FR_TWO_ADICITY); log_n++)
		fr_sqr(r, r);
}

/* r = k p for a plain k */
static void multiply(struct g1_xyzz *r, const struct g1_xyzz *p,
		     const struct fr *k)
{
	struct g1_xyzz table[TABLE_SIZE], acc;
	unsigned int i, bit = FR_LIMBS * LIMB_BITS;

	g1_xyzz_set_inf(&table[0]);
	for (i = 1; i < TABLE_SIZE; i++)
		g1_xyzz_add(&table[i], &table[i - 1], p);
	g1_xyzz_set_inf(&acc);
	while (bit) {
		bit -= WINDOW_BITS;
		for (i = 0; i < WINDOW_BITS; i++)
			g1_xyzz_dbl(&acc, &acc);
		i = k->l[bit / LIMB_BITS] >> bit % LIMB_BITS & (TABLE_SIZE - 1);
		g1_xyzz_add(&acc, &acc, &table[i]);
	}
	*r = acc;
}

static size_t reversed(size_t x, unsigned int bits)
{
	size_t r = 0;

	for (; bits--; x >>= 1)
		r = r << 1 | (x & 1);
	return r;
}

static void load_task(void *arg, size_t task, unsigned int slot)
{
	struct transform *t = arg;
	size_t n = (size_t)1 << t->log_n, i, lo = task * POINTS_PER_TASK;
	size_t hi = lull_min(lo + POINTS_PER_TASK, n);
	struct g1_affine p;

	(void)slot;
	for (i = lo; i < hi; i++) {
		memcpy(&p, t->h + reversed(i, t->log_n) * sizeof(p), sizeof(p));
		g1_xyzz_from_affine(&t->points[i], &p);
	}
}

static void butterfly_task(void *arg, size_t task, unsigned int slot)
{
	struct transform *t = arg;
	size_t half = (size_t)1 << t->log_half, b, j, at;
	size_t nr = (size_t)1 << (t->log_n - 1), lo = task * POINTS_PER_TASK;
	size_t hi = lull_min(lo + POINTS_PER_TASK, nr);
	struct g1_xyzz product, *p;

	(void)slot;
	for (b = lo; b < hi; b++) {
		j = b & (half - 1);
		at = (b - j) * 2 + j;
		p = &t->points[at];
		product = p[half];
		if (j)
			multiply(&product, &p[half],
				 &t->twiddles[j
					      << (t->log_n - 1 - t->log_half)]);
		p[half] = product;
		fp_neg(&p[half].y, &p[half].y);
		g1_xyzz_add(&p[half], &p[half], p);
		g1_xyzz_add(p, p, &product);
	}
}

/* Times -2 w_2n^i. */
static void scale_task(void *arg, size_t task, unsigned int slot)
{
	struct transform *t = arg;
	size_t n = (size_t)1 << t->log_n, i, lo = task * POINTS_PER_TASK;
	size_t hi = lull_min(lo + POINTS_PER_TASK, n - 1);
	const limb_t first[] = { lo };
	struct g1_xyzz product;
	struct fr factor, plain;

	(void)slot;
	fr_pow_var(&factor, &t->inc, first, LULL_ARRAY_SIZE(first));
	fr_dbl(&factor, &factor);
	fr_neg(&factor, &factor);
	for (i = lo; i < hi; i++) {
		fr_to_plain(plain.l, &factor);
		multiply(&product, &t->points[i], &plain);
		g1_xyzz_to_affine(&t->out[i], &product);
		fr_mul(&factor, &factor, &t->inc);
	}
}

static void transform(struct transform *t, struct lull_workers *workers)
{
	size_t n = (size_t)1 << t->log_n, k;
	struct fr w, power = fr_one;

	root_of(&w, t->log_n);
	root_of(&t->inc, t->log_n + 1);
	for (k = 0; k < n / 2; k++) {
		fr_to_plain(t->twiddles[k].l, &power);
		fr_mul(&power, &power, &w);
	}
	lull_workers_run(workers, lull_div_up(n, POINTS_PER_TASK), load_task,
			 t);
	for (t->log_half = 0; t->log_half < t->log_n; t->log_half++)
		lull_workers_run(workers, lull_div_up(n / 2, POINTS_PER_TASK),
				 butterfly_task, t);
	lull_workers_run(workers, lull_div_up(n - 1, POINTS_PER_TASK),
			 scale_task, t);
}

int lull_bellman_monomial(const uint8_t *h, unsigned int log2_domain,
			  struct lull_workers *workers,
			  struct lull_arena *arena, struct lull_vec *ret_vec,
			  struct lull_error *reterr)
{
	const size_t n = (size_t)1 << log2_domain;
	struct transform t = { .log_n = log2_domain, .h = h };
	struct lull_vec points, twiddles, out;
	int err;

	LULL_ASSERT(log2_domain && log2_domain < CURVE_CONST(FR_TWO_ADICITY));
	err = lull_arena_carve(arena, n * sizeof(*t.points), 0,
			       "a transform of H", &points, reterr);
	if (err)
		return err;
	err = lull_arena_carve(arena, n / 2 * sizeof(*t.twiddles), 0,
			       "a transform of H", &twiddles, reterr);
	if (err)
		goto retire_points;
	err = lull_arena_carve(arena, (n - 1) * sizeof(*t.out), 0,
			       "powers of tau", &out, reterr);
	if (err)
		goto retire_twiddles;
	t.points = points.ptr;
	t.twiddles = twiddles.ptr;
	t.out = out.ptr;
	transform(&t, workers);
	*ret_vec = out;
retire_twiddles:
	lull_arena_retire(&twiddles);
retire_points:
	lull_arena_retire(&points);
	return err;
}
