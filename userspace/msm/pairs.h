/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.h - many additions of affine points at once
 *
 * For buckets_gtmpl.c.  A batch of pairs shares one inversion (Montgomery's
 * trick): six products an addition in G1.  Every pair is allowed: equal and
 * opposite points and infinity.
 *
 * Work points are what the twin at hand makes of points, in the size of a
 * struct g_affine; all zero is infinity in both.  The portable twin's are
 * canonical points; the IFMA twin's are reduced only as far as they must be,
 * on an isomorphic curve (pairs_ifma_gtmpl.c says why).
 */
#ifndef LULL_MSM_PAIRS_H
#define LULL_MSM_PAIRS_H

#include "curve/group.h"
#include "msm/plan.h"

/* Additions that share one inversion: many, so that it does not show, and few
 * enough for their temporaries to stay in a second-level cache. */
#define LULL_G1_PAIR_BATCH 2048
#define LULL_G2_PAIR_BATCH 1024

/* dst[out] = a + b */
struct lull_msm_pair {
	uint32_t a, b, out;
};

/**
 * struct g_pair_ops - one twin
 * @temp_bytes: for one batch
 * @load: dst[pairs[i].out] = the point of the ref pairs[i].a, for @nr pairs
 * @add_refs: dst[pairs[i].out] = a + b, where a and b are refs; no point is
 *	infinity; at most a batch of pairs
 * @add: the same, where a and b are indices of work points; no out is a
 *	pair's a or b, its own neither where that may be infinity: terms are read
 *	again once sums have been written
 * @finish: work points to canonical affine points, in place
 */
struct lull_g1_pair_ops {
	size_t temp_bytes;
	void (*load)(struct g1_affine *dst, const uint8_t *points,
		     const struct lull_msm_pair *pairs, size_t nr);
	void (*add_refs)(struct g1_affine *dst, const uint8_t *points,
			 const struct lull_msm_pair *pairs, size_t nr,
			 void *temp);
	void (*add)(struct g1_affine *dst, const struct lull_msm_pair *pairs,
		    size_t nr, void *temp);
	void (*finish)(struct g1_affine *points, size_t nr);
};

struct lull_g2_pair_ops {
	size_t temp_bytes;
	void (*load)(struct g2_affine *dst, const uint8_t *points,
		     const struct lull_msm_pair *pairs, size_t nr);
	void (*add_refs)(struct g2_affine *dst, const uint8_t *points,
			 const struct lull_msm_pair *pairs, size_t nr,
			 void *temp);
	void (*add)(struct g2_affine *dst, const struct lull_msm_pair *pairs,
		    size_t nr, void *temp);
	void (*finish)(struct g2_affine *points, size_t nr);
};

#define g1_pairs_portable LULL_CURVE_NAME(g1_pairs_portable)
#define g2_pairs_portable LULL_CURVE_NAME(g2_pairs_portable)
#define g1_pairs_ifma LULL_CURVE_NAME(g1_pairs_ifma)
#define g2_pairs_ifma LULL_CURVE_NAME(g2_pairs_ifma)

extern const struct lull_g1_pair_ops g1_pairs_portable;
extern const struct lull_g2_pair_ops g2_pairs_portable;
/* Only where lull_cpu_has_ifma(). */
extern const struct lull_g1_pair_ops g1_pairs_ifma;
extern const struct lull_g2_pair_ops g2_pairs_ifma;

#ifdef LULL_GROUP
#if LULL_GROUP == 1
#define g_pair_ops lull_g1_pair_ops
#define G_PAIR_BATCH LULL_G1_PAIR_BATCH
#else
#define g_pair_ops lull_g2_pair_ops
#define G_PAIR_BATCH LULL_G2_PAIR_BATCH
#endif
#define g_pairs_portable LULL_GROUP_LOCAL(pairs_portable)
#define g_pairs_ifma LULL_GROUP_LOCAL(pairs_ifma)
#endif

#endif
