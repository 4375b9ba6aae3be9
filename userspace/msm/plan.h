/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - how one multi-scalar multiplication is cut up
 *
 * Pure arithmetic: no memory, no clock.  The model and its reasons stand in
 * Documentation/internals/msm.rst.
 */
#ifndef LULL_MSM_PLAN_H
#define LULL_MSM_PLAN_H

#include <stdbool.h>
#include <stddef.h>

/* Digits and their signs are kept in 16 bits. */
#define LULL_MSM_WINDOW_BITS_MAX 15
/* A scalar folded to at most r / 2 is below 2^254. */
#define LULL_MSM_BITS_MAX 254
/* Points that are summed in one segment: what a sorted list is cut into, and
 * what the arrays of a segment are made for. */
#define LULL_MSM_SEGMENT 8192

/**
 * struct lull_msm_shape - what a multiplication is made of
 * @nr: scalars that are neither 0 nor +-1, with a point that is not infinity
 * @nr_units: scalars that are +-1, with such a point
 * @bits: length of the longest of the former, folded
 * @nr_threads: threads that will work on it
 */
struct lull_msm_shape {
	size_t nr;
	size_t nr_units;
	unsigned int bits;
	unsigned int nr_threads;
};

/**
 * struct lull_msm_plan - the cuts
 * @window_bits: c; digits are in [-2^(c-1), 2^(c-1)]
 * @nr_windows: c nr_windows > bits
 * @group: windows that one task does together, so that few points still make
 *	full batches
 * @nr_groups: nr_windows / group, rounded up
 * @nr_chunks: parts that the points are cut into
 * @nr_unit_tasks: parts that the units are cut into
 */
struct lull_msm_plan {
	unsigned int window_bits;
	unsigned int nr_windows;
	unsigned int group;
	unsigned int nr_groups;
	unsigned int nr_chunks;
	unsigned int nr_unit_tasks;
};

/**
 * struct lull_msm_limits - what no plan for up to so many points exceeds
 * @window_bits: of nr points of full length
 * @refs: points of a task, over all its windows
 * @buckets: buckets of a task, over all its windows
 * @sums: points that all tasks leave
 */
struct lull_msm_limits {
	unsigned int window_bits;
	size_t refs;
	size_t buckets;
	size_t sums;
};

void lull_msm_limits(size_t nr, unsigned int nr_threads,
		     struct lull_msm_limits *limits);

/* The plan for a shape of at most the points that @limits is for. */
void lull_msm_plan(const struct lull_msm_shape *shape,
		   const struct lull_msm_limits *limits,
		   struct lull_msm_plan *plan);

/* Points summed per window of the plan: buckets of one window. */
static inline size_t lull_msm_buckets(const struct lull_msm_plan *plan)
{
	return (size_t)1 << (plan->window_bits - 1);
}

/* Sums that a window leaves: one for each bit of a bucket's number, and the
 * sum of all. */
static inline unsigned int lull_msm_sums(const struct lull_msm_plan *plan)
{
	return plan->window_bits;
}

#endif
