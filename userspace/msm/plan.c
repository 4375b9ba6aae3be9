// SPDX-License-Identifier: Apache-2.0
/*
 * plan.c - the cost model behind plan.h
 *
 * Costs are counted in additions of a batch.  With B = 2^(c-1) buckets a
 * window costs one addition for each point and 2 B for the sum over its
 * buckets, in each chunk.  The sums of the windows meet in one chain of
 * doublings, the same for every c.
 */
#include "msm/plan.h"

#include "base/base.h"

/* Tasks for each thread that still even out the load. */
#define TASKS_PER_THREAD 4
/* A task for fewer points than this is not worth its start. */
#define CHUNK_MIN 1024
#define UNITS_MIN 2048
/* Parts of the points: more would only help more than a hundred threads. */
#define CHUNKS_MAX 32

static unsigned int nr_windows(unsigned int bits, unsigned int c)
{
	return bits / c + 1; /* c nr_windows > bits */
}

static uint64_t cost(size_t nr, unsigned int bits, unsigned int c,
		     unsigned int nr_chunks)
{
	uint64_t buckets = (uint64_t)nr_chunks << (c - 1);

	return nr_windows(bits, c) * ((uint64_t)nr + 2 * buckets);
}

static unsigned int best_bits(size_t nr, unsigned int bits,
			      unsigned int nr_chunks, unsigned int max)
{
	unsigned int c, best = 2;

	for (c = 3; c <= max; c++)
		if (cost(nr, bits, c, nr_chunks) <
		    cost(nr, bits, best, nr_chunks))
			best = c;
	return best;
}

static unsigned int chunks(size_t nr, unsigned int nr_tasks,
			   unsigned int nr_threads)
{
	size_t want =
		lull_div_up((size_t)nr_threads * TASKS_PER_THREAD, nr_tasks);

	if (nr_threads == 1)
		return 1;
	want = lull_min(want, nr / CHUNK_MIN);
	return (unsigned int)lull_max(1, lull_min(want, CHUNKS_MAX));
}

/* Windows together, as long as one segment holds their points and their
 * buckets and every thread still has some. */
static unsigned int group(const struct lull_msm_plan *plan, size_t chunk,
			  unsigned int nr_threads)
{
	size_t most = lull_max(lull_max(chunk, lull_msm_buckets(plan)), 1);
	size_t n = lull_min(LULL_MSM_SEGMENT / most,
			    lull_div_up(plan->nr_windows, nr_threads));

	return (unsigned int)lull_max(n, 1);
}

void lull_msm_plan(const struct lull_msm_shape *shape,
		   const struct lull_msm_limits *limits,
		   struct lull_msm_plan *plan)
{
	unsigned int bits = shape->bits ? shape->bits : 1, c;
	size_t parts;

	LULL_ASSERT(bits <= LULL_MSM_BITS_MAX);
	c = best_bits(shape->nr, bits, 1, limits->window_bits);
	parts = chunks(shape->nr, nr_windows(bits, c), shape->nr_threads);
	parts = lull_max(parts, lull_div_up(shape->nr, limits->refs));
	plan->nr_chunks = (unsigned int)parts;
	c = best_bits(shape->nr, bits, plan->nr_chunks, limits->window_bits);
	plan->window_bits = c;
	plan->nr_windows = nr_windows(bits, c);
	plan->group =
		group(plan, lull_div_up(shape->nr, parts), shape->nr_threads);
	plan->nr_groups =
		(unsigned int)lull_div_up(plan->nr_windows, plan->group);
	plan->nr_unit_tasks = (unsigned int)lull_min(
		lull_div_up(shape->nr_units, UNITS_MIN),
		shape->nr_threads == 1 ? 1 : 2 * (size_t)shape->nr_threads);
}

/*
 * What a plan needs depends on the scalars; its limits do not.  They are those
 * of nr points of full length, and a plan for less keeps to them by its
 * number of chunks.  Sums: a plan of W windows in C chunks leaves
 * W c C <= (bits + c) C of them, where C is the limit's number of chunks or
 * at most TASKS_PER_THREAD nr_threads / W + 1.
 */
void lull_msm_limits(size_t nr, unsigned int nr_threads,
		     struct lull_msm_limits *limits)
{
	unsigned int c =
		best_bits(nr, LULL_MSM_BITS_MAX, 1, LULL_MSM_WINDOW_BITS_MAX);
	unsigned int parts =
		chunks(nr, nr_windows(LULL_MSM_BITS_MAX, c), nr_threads);
	size_t sums = LULL_MSM_BITS_MAX + LULL_MSM_WINDOW_BITS_MAX;

	limits->window_bits = c;
	limits->refs = lull_max(lull_div_up(nr, parts), LULL_MSM_SEGMENT);
	limits->buckets = lull_max((size_t)1 << (c - 1), LULL_MSM_SEGMENT);
	limits->sums = sums * (parts + 1);
	if (nr_threads > 1)
		limits->sums +=
			(size_t)nr_threads *
			(2 + TASKS_PER_THREAD * 2 * LULL_MSM_WINDOW_BITS_MAX);
}
