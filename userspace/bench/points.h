/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points.h - points to measure with
 *
 * For templates of this folder.
 */
#ifndef LULL_BENCH_POINTS_H
#define LULL_BENCH_POINTS_H

#include "base/workers.h"
#include "curve/group.h"

#define g1_bench_points LULL_CURVE_NAME(g1_bench_points)
#define g2_bench_points LULL_CURVE_NAME(g2_bench_points)

/* points[i] = (i + 1) times the generator. */
void g1_bench_points(struct g1_affine *points, size_t nr,
		     struct lull_workers *workers);
void g2_bench_points(struct g2_affine *points, size_t nr,
		     struct lull_workers *workers);

#endif
