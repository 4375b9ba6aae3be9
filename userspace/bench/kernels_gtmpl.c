// SPDX-License-Identifier: Apache-2.0
/*
 * kernels_gtmpl.c - the kernels of one group of a curve
 *
 * See kernels_tmpl.c.
 */
#include "bench/operands.h"
#include "bench/points.h"
#include "curve/fr.h"
#include "lull.h"
#include "msm/msm.h"

#define g_bench_points LULL_GROUP_LOCAL(bench_points)
#define g_bench_prepare_add LULL_GROUP_LOCAL(bench_prepare_add)
#define g_bench_add LULL_GROUP_LOCAL(bench_add)
#define g_bench_prepare_msm LULL_GROUP_LOCAL(bench_prepare_msm)
#define g_bench_msm LULL_GROUP_LOCAL(bench_msm)
#define g_msm_var LULL_GROUP_LOCAL(msm_var)
#define g_msm_scratch_bytes LULL_GROUP_LOCAL(msm_scratch_bytes)

/* Sums begin at (i + 2) G and grow by (i + 1) G: never equal, never opposite,
 * so that every addition is one. */
int g_bench_prepare_add(struct lull_bench_state *state,
			struct lull_error *reterr)
{
	struct g_affine *points;
	struct g_xyzz *sums;
	size_t i;
	int err = bench_alloc_two(state, BATCH * sizeof(*sums),
				  (BATCH + 1) * sizeof(*points), reterr);

	if (err)
		return err;
	sums = state->in.ptr;
	points = state->in2.ptr;
	g_bench_points(points, BATCH + 1, state->workers);
	for (i = 0; i < BATCH; i++)
		g_xyzz_from_affine(&sums[i], &points[i + 1]);
	state->nr_items = (size_t)BATCH * PASSES;
	return LULL_OK;
}

void g_bench_add(struct lull_bench_state *state)
{
	const struct g_affine *points = state->in2.ptr;
	struct g_xyzz *sums = state->in.ptr;
	size_t pass, i;

	for (pass = 0; pass < PASSES; pass++)
		for (i = 0; i < BATCH; i++)
			g_xyzz_add_affine(&sums[i], &sums[i], &points[i]);
}

int g_bench_prepare_msm(struct lull_bench_state *state,
			struct lull_error *reterr)
{
	size_t n = (size_t)1 << state->log2_n;
	int err = bench_alloc_two(state, n * sizeof(struct g_affine),
				  n * sizeof(struct fr), reterr);

	if (err)
		return err;
	g_bench_points(state->in.ptr, n, state->workers);
	bench_fill_fr(state->in2.ptr, n);
	state->nr_items = n;
	return lull_arena_carve(
		state->arena,
		g_msm_scratch_bytes(n, lull_workers_nr(state->workers)), 0,
		"scratch", &state->scratch, reterr);
}

void g_bench_msm(struct lull_bench_state *state)
{
	struct g_xyzz sum;

	g_msm_var(&sum, state->in.ptr, state->in2.ptr, state->nr_items,
		  state->workers, state->scratch.ptr);
}
