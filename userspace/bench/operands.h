/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operands.h - what the kernels of a curve and those of its groups share
 *
 * For templates of this folder.  kernels_tmpl.c makes the tables, and has the
 * fields' kernels; kernels_gtmpl.c has the groups'.
 */
#ifndef LULL_BENCH_OPERANDS_H
#define LULL_BENCH_OPERANDS_H

#include "bench/kernels.h"
#include "curve/bind.h"

/* Operands of a field or group kernel: they fit in the first two caches. */
#define BATCH 512
/* Times that a run goes through them. */
#define PASSES 128

#define bench_alloc_two LULL_CURVE_NAME(bench_alloc_two)
#define bench_fill_fr LULL_CURVE_NAME(bench_fill_fr)
#define g1_bench_prepare_add LULL_CURVE_NAME(g1_bench_prepare_add)
#define g2_bench_prepare_add LULL_CURVE_NAME(g2_bench_prepare_add)
#define g1_bench_add LULL_CURVE_NAME(g1_bench_add)
#define g2_bench_add LULL_CURVE_NAME(g2_bench_add)
#define g1_bench_prepare_msm LULL_CURVE_NAME(g1_bench_prepare_msm)
#define g2_bench_prepare_msm LULL_CURVE_NAME(g2_bench_prepare_msm)
#define g1_bench_msm LULL_CURVE_NAME(g1_bench_msm)
#define g2_bench_msm LULL_CURVE_NAME(g2_bench_msm)

/* Room for a state's first and second operands. */
int bench_alloc_two(struct lull_bench_state *state, size_t bytes, size_t bytes2,
		    struct lull_error *reterr);
/* Uniform elements of Fr, the same for the same number of them. */
void bench_fill_fr(void *out, size_t nr);

/* As struct lull_bench_kernel has them. */
int g1_bench_prepare_add(struct lull_bench_state *state,
			 struct lull_error *reterr);
int g2_bench_prepare_add(struct lull_bench_state *state,
			 struct lull_error *reterr);
void g1_bench_add(struct lull_bench_state *state);
void g2_bench_add(struct lull_bench_state *state);
int g1_bench_prepare_msm(struct lull_bench_state *state,
			 struct lull_error *reterr);
int g2_bench_prepare_msm(struct lull_bench_state *state,
			 struct lull_error *reterr);
void g1_bench_msm(struct lull_bench_state *state);
void g2_bench_msm(struct lull_bench_state *state);

#endif
