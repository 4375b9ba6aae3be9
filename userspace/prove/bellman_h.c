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
 * and of h = x^i this is -2 w_2n^i sum_j w_n^(ij) H_j: the transpose of what
 * source_bellman.c does, and as much work.
 *
 * Time depends on nothing secret: keys are public.
 */
/* The format is this curve's alone. */
#define LULL_CURVE bls12_381

#include "base/base.h"
#include "ntt/passes.h"
#include "prove/bellman.h"
#include "prove/transform.h"

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

/* The transform has w_n^-ij where w_n^ij is wanted. */
static void load(struct g1_affine *points, const uint8_t *h, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		memcpy(&points[i], h + (-i & (n - 1)) * sizeof(points[i]),
		       sizeof(points[i]));
}

static void unreverse(struct g1_affine *points, unsigned int log_n)
{
	struct g1_affine held;
	size_t i, j;

	for (i = 0; i < (size_t)1 << log_n; i++) {
		j = ntt_reverse(i, log_n);
		if (j <= i)
			continue;
		held = points[i];
		points[i] = points[j];
		points[j] = held;
	}
}

int lull_bellman_monomial(const uint8_t *h, unsigned int log2_domain,
			  struct lull_workers *workers,
			  struct lull_arena *arena, struct lull_vec *ret_vec,
			  struct lull_error *reterr)
{
	static const struct lull_convert_how quiet;
	const struct lull_converting c = { .how = &quiet,
					   .workers = workers,
					   .arena = arena };
	const size_t n = (size_t)1 << log2_domain;
	struct g1_transform t = { .c = &c,
				  .what = "H to h",
				  .log_n = log2_domain,
				  .all = log2_domain };
	struct lull_vec points;
	struct fr shift, factor;
	int err;

	LULL_ASSERT(log2_domain && log2_domain < CURVE_CONST(FR_TWO_ADICITY));
	err = lull_arena_carve(arena, n * sizeof(*t.points), 0, "powers of tau",
			       &points, reterr);
	if (err)
		return err;
	t.points = points.ptr;
	load(t.points, h, n);
	g1_transform_root(&shift, log2_domain + 1);
	fr_dbl(&factor, &fr_one);
	fr_neg(&factor, &factor);
	err = g1_transform_open(&t, reterr);
	if (!err)
		err = g1_transform_part(&t, &shift, &factor, reterr);
	g1_transform_close(&t);
	if (err) {
		lull_arena_retire(&points);
		return err;
	}
	unreverse(t.points, log2_domain);
	*ret_vec = points;
	return LULL_OK;
}
