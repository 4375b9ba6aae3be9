/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buckets.h - from sorted refs to the sums of the buckets, and from those to
 * the few points that a window leaves
 *
 * For msm_gtmpl.c.
 */
#ifndef LULL_MSM_BUCKETS_H
#define LULL_MSM_BUCKETS_H

#include "msm/pairs.h"

/* A bucket whose points are still being summed. */
struct lull_msm_run {
	uint32_t bucket, first, nr;
};

/* Points that wait for the next round, over two rounds: of a segment's runs of
 * three and more refs, at most two thirds and one third. */
#define LULL_MSM_WAITING (LULL_MSM_SEGMENT + 2)

/**
 * struct g_buckets - the arrays of one thread
 * @ops: the twin that works on them
 * @points: work points: first the buckets, then room for
 *	max(buckets, LULL_MSM_WAITING) more
 * @pairs: LULL_MSM_SEGMENT pairs
 * @runs: LULL_MSM_SEGMENT runs
 * @temp: ops->temp_bytes
 */
struct lull_g1_buckets {
	const struct lull_g1_pair_ops *ops;
	struct g1_affine *points;
	struct lull_msm_pair *pairs;
	struct lull_msm_run *runs;
	void *temp;
};

struct lull_g2_buckets {
	const struct lull_g2_pair_ops *ops;
	struct g2_affine *points;
	struct lull_msm_pair *pairs;
	struct lull_msm_run *runs;
	void *temp;
};

#define g1_buckets_sum LULL_CURVE_NAME(g1_buckets_sum)
#define g2_buckets_sum LULL_CURVE_NAME(g2_buckets_sum)
#define g1_buckets_reduce LULL_CURVE_NAME(g1_buckets_reduce)
#define g2_buckets_reduce LULL_CURVE_NAME(g2_buckets_reduce)

/* points[b] = the sum of the refs [starts[b], starts[b + 1]), b < nr_buckets;
 * infinity where there are none. */
void g1_buckets_sum(const struct lull_g1_buckets *buckets,
		    const uint8_t *points, const uint32_t *refs,
		    const uint32_t *starts, size_t nr_buckets);
void g2_buckets_sum(const struct lull_g2_buckets *buckets,
		    const uint8_t *points, const uint32_t *refs,
		    const uint32_t *starts, size_t nr_buckets);

/*
 * For each of @nr_windows windows of 2^log2 buckets, one after the other,
 * writes log2 + 1 affine points to sums: the sum of all buckets, then, for
 * bit 0 .. log2 - 1, the sum of those with the bit set in their number.
 * Destroys the buckets.
 */
void g1_buckets_reduce(const struct lull_g1_buckets *buckets,
		       struct g1_affine *sums, size_t nr_windows,
		       unsigned int log2);
void g2_buckets_reduce(const struct lull_g2_buckets *buckets,
		       struct g2_affine *sums, size_t nr_windows,
		       unsigned int log2);

#ifdef LULL_GROUP
#if LULL_GROUP == 1
#define g_buckets lull_g1_buckets
#else
#define g_buckets lull_g2_buckets
#endif
#define g_buckets_sum LULL_GROUP_LOCAL(buckets_sum)
#define g_buckets_reduce LULL_GROUP_LOCAL(buckets_reduce)
#endif

#endif
