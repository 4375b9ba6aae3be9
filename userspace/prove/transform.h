/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transform.h - transforms of points of G1, in place and in batches
 *
 * For fold_tmpl.c, source_bellman.c and bellman_h.c.  A transform is log2 n
 * levels of n / 2 butterflies (u, v) -> (u + c v, u - c v), or
 * (u + v, c (u - v)), each one multiple of a point; a level is one run of tasks.
 * Time depends on points and scalars: none is secret.
 */
#ifndef LULL_PROVE_TRANSFORM_H
#define LULL_PROVE_TRANSFORM_H

#include "curve/group.h"
#include "prove/convert_plan.h"

#define g1_transform_open LULL_CURVE_NAME(g1_transform_open)
#define g1_transform_close LULL_CURVE_NAME(g1_transform_close)
#define g1_transform_batch LULL_CURVE_NAME(g1_transform_batch)
#define g1_transform_split LULL_CURVE_NAME(g1_transform_split)
#define g1_transform_join LULL_CURVE_NAME(g1_transform_join)
#define g1_transform_part LULL_CURVE_NAME(g1_transform_part)
#define g1_transform_root LULL_CURVE_NAME(g1_transform_root)

/**
 * struct g1_transform - points and what their transforms need
 * @c: how the tasks run and who is told of it
 * @what: the levels are told as "@what, level 1 of 20"
 * @points: 2^log_n of them, transformed in place; infinity is allowed
 * @log_n: at least 1
 * @level: of the transform under way: blocks of a split, or half a block's
 *	points of a join, as a logarithm
 * @done: levels of this and earlier transforms, for words of progress
 * @all: levels of all transforms that will be
 * @batch: butterflies a task
 * @root: w_n
 * @root_inv: 1 / w_n
 * @shift: of the join under way
 * @factor: likewise
 * @slots: memory of the threads
 * @slot_bytes: of one of them
 */
struct g1_transform {
	const struct lull_converting *c;
	const char *what;
	struct g1_affine *points;
	unsigned int log_n, level, done, all;
	size_t batch;
	struct fr root, root_inv, shift, factor;
	struct lull_vec slots;
	size_t slot_bytes;
};

/* w_n of n = 2^log_n */
void g1_transform_root(struct fr *r, unsigned int log_n);

/* What a task takes of 2^log_n / 2 or as many: whole batches, or fewer so that
 * small domains have a task for every thread. */
size_t g1_transform_batch(unsigned int log_n, unsigned int nr_threads);

/* Takes scratch for @t, whose @c, @what, @points, @log_n and @all are set; end
 * it with g1_transform_close().  LULL_OK or LULL_NOMEM. */
int g1_transform_open(struct g1_transform *t, struct lull_error *reterr);
void g1_transform_close(struct g1_transform *t);

/* Point rev(i) becomes sum_j w^(ij) P_j, rev being the reversal of bits. */
int g1_transform_split(struct g1_transform *t, struct lull_error *reterr);

/* Of points P_j at rev(j), point i becomes factor sum_j (shift w^-i)^j P_j. */
int g1_transform_join(struct g1_transform *t, const struct fr *shift,
		      const struct fr *factor, struct lull_error *reterr);

/* Its transpose: point rev(i) becomes factor shift^i sum_j w^(-ij) P_j. */
int g1_transform_part(struct g1_transform *t, const struct fr *shift,
		      const struct fr *factor, struct lull_error *reterr);

#endif
