// SPDX-License-Identifier: Apache-2.0
/*
 * msm_gtmpl.c - multi-scalar multiplication by buckets of batched additions
 *
 * Classify the scalars, plan, sort and sum windows and chunks in parallel, and
 * combine what they leave in one chain of doublings.  Documentation/
 * internals/msm.rst follows one multiplication through these files.
 */
#include "msm/msm.h"

#include "base/base.h"
#include "base/cpu.h"
#include "msm/buckets.h"
#include "msm/plan.h"
#include "msm/scalars.h"

#define g_msm_var LULL_GROUP_LOCAL(msm_var)
#define g_msm_scratch_bytes LULL_GROUP_LOCAL(msm_scratch_bytes)

#define ALIGN 64
/* Scalars that one task of the classification looks at, at least. */
#define PART_MIN 4096
#define PARTS_MAX 64

/* The arrays of one thread. */
struct slot {
	struct g_buckets buckets;
	uint32_t *sorted;
	uint32_t *starts;
	uint16_t *codes;
};

struct job {
	const uint8_t *points;
	const uint8_t *scalars;
	size_t nr;
	struct lull_msm_limits limits;
	struct lull_msm_plan plan;
	struct fr_msm_digits digits;
	struct fr_msm_class total;
	size_t nr_parts;
	struct fr_msm_class parts[PARTS_MAX];
	uint32_t *refs;
	uint32_t *units;
	struct g_affine *sums; /* by chunk and window, then units */
	uint8_t *slots;
	size_t slot_bytes;
};

/* Hands out aligned pieces of a block; of NULL, only counts. */
struct carver {
	uint8_t *base;
	size_t used;
};

static void *carve(struct carver *c, size_t bytes)
{
	void *piece = c->base ? c->base + c->used : NULL;

	c->used += lull_align_up(bytes, ALIGN);
	return piece;
}

static const struct g_pair_ops *pair_ops(void)
{
	return lull_cpu_has_ifma() ? &g_pairs_ifma : &g_pairs_portable;
}

static size_t carve_slot(struct slot *slot, uint8_t *base,
			 const struct lull_msm_limits *limits)
{
	struct carver c = { base, 0 };
	struct g_buckets *b = &slot->buckets;
	size_t nr =
		limits->buckets + lull_max(limits->buckets, LULL_MSM_WAITING);

	b->ops = pair_ops();
	b->points = carve(&c, nr * sizeof(*b->points));
	b->temp = carve(&c, b->ops->temp_bytes);
	b->pairs = carve(&c, LULL_MSM_SEGMENT * sizeof(*b->pairs));
	b->runs = carve(&c, LULL_MSM_SEGMENT * sizeof(*b->runs));
	slot->sorted = carve(&c, limits->refs * sizeof(*slot->sorted));
	slot->starts = carve(&c, (limits->buckets + 1) * sizeof(*slot->starts));
	slot->codes = carve(&c, limits->refs * sizeof(*slot->codes));
	return c.used;
}

static size_t carve_job(struct job *job, uint8_t *base, size_t nr,
			unsigned int nr_threads)
{
	struct carver c = { base, 0 };
	struct slot slot;

	lull_msm_limits(nr, nr_threads, &job->limits);
	job->refs = carve(&c, nr * sizeof(*job->refs));
	job->units = carve(&c, nr * sizeof(*job->units));
	job->sums = carve(&c, job->limits.sums * sizeof(*job->sums));
	job->slot_bytes = carve_slot(&slot, NULL, &job->limits);
	job->slots = carve(&c, job->slot_bytes * nr_threads);
	return c.used;
}

size_t g_msm_scratch_bytes(size_t nr, unsigned int nr_threads)
{
	struct job job;

	return nr ? carve_job(&job, NULL, nr, nr_threads) : 0;
}

static void part_bounds(const struct job *job, size_t part, size_t *ret_lo,
			size_t *ret_hi)
{
	lull_workers_split(job->nr, job->nr_parts, part, 1, ret_lo, ret_hi);
}

static void run_part(void *arg, size_t part, unsigned int slot)
{
	struct job *job = arg;
	size_t lo, hi;

	(void)slot;
	part_bounds(job, part, &lo, &hi);
	fr_msm_classify(job->refs + lo, job->units + lo, job->points,
			sizeof(struct g_affine), job->scalars, lo, hi,
			&job->parts[part]);
}

/* Classifies in parallel, then closes the gaps between the parts' lists. */
static void classify(struct job *job, struct lull_workers *workers)
{
	size_t part, lo, hi;
	struct fr_msm_class *t = &job->total;

	job->nr_parts = lull_min(lull_div_up(job->nr, PART_MIN), PARTS_MAX);
	if (lull_workers_nr(workers) == 1)
		job->nr_parts = 1;
	lull_workers_run(workers, job->nr_parts, run_part, job);
	*t = (struct fr_msm_class){ 0 };
	if (lull_workers_canceled(workers))
		return;
	for (part = 0; part < job->nr_parts; part++) {
		struct fr_msm_class *c = &job->parts[part];

		part_bounds(job, part, &lo, &hi);
		memmove(job->refs + t->nr, job->refs + lo,
			c->nr * sizeof(*job->refs));
		memmove(job->units + t->nr_units, job->units + lo,
			c->nr_units * sizeof(*job->units));
		t->nr += c->nr;
		t->nr_units += c->nr_units;
		t->bits = c->bits > t->bits ? c->bits : t->bits;
	}
}

static size_t nr_window_sums(const struct lull_msm_plan *plan)
{
	return (size_t)plan->nr_chunks * plan->nr_windows * lull_msm_sums(plan);
}

static void run_units(const struct job *job, struct slot *slot, size_t task)
{
	struct g_affine *sum = job->sums + nr_window_sums(&job->plan) + task;
	size_t lo, hi;

	lull_workers_split(job->total.nr_units, job->plan.nr_unit_tasks, task,
			   1, &lo, &hi);
	slot->starts[0] = 0;
	slot->starts[1] = (uint32_t)(hi - lo);
	g_buckets_sum(&slot->buckets, job->points, job->units + lo,
		      slot->starts, 1);
	*sum = slot->buckets.points[0];
	slot->buckets.ops->finish(sum, 1);
}

/* Bits of the highest bucket's number that has refs. */
static unsigned int used_log2(const uint32_t *starts, size_t nr_buckets)
{
	size_t last = nr_buckets - 1;

	while (last && starts[last] == starts[nr_buckets])
		last--;
	return last ? LIMB_BITS - (unsigned int)__builtin_clzll(last) : 0;
}

static void run_windows(const struct job *job, struct slot *slot, size_t chunk,
			unsigned int w, unsigned int w_end)
{
	const struct lull_msm_plan *plan = &job->plan;
	size_t nr_buckets = lull_msm_buckets(plan) * (w_end - w), lo, hi;
	unsigned int nr_sums = lull_msm_sums(plan), log2 = nr_sums - 1;
	struct g_affine *sums =
		job->sums + (chunk * plan->nr_windows + w) * nr_sums;

	lull_workers_split(job->total.nr, plan->nr_chunks, chunk, 1, &lo, &hi);
	LULL_ASSERT((hi - lo) * (w_end - w) <= job->limits.refs);
	LULL_ASSERT(nr_buckets <= job->limits.buckets);
	fr_msm_sort(slot->sorted, slot->starts, slot->codes, &job->digits,
		    job->refs + lo, hi - lo, job->scalars, w, w_end);
	/* A single window, as the last one is, may have small digits only:
	 * then the sums of the higher bits are infinity. */
	if (w_end - w == 1) {
		log2 = used_log2(slot->starts, nr_buckets);
		memset(sums, 0, nr_sums * sizeof(*sums));
		nr_buckets = (size_t)1 << log2;
	}
	g_buckets_sum(&slot->buckets, job->points, slot->sorted, slot->starts,
		      nr_buckets);
	g_buckets_reduce(&slot->buckets, sums, w_end - w, log2);
}

static void run_task(void *arg, size_t task, unsigned int slot_nr)
{
	const struct job *job = arg;
	const struct lull_msm_plan *plan = &job->plan;
	struct slot slot;
	unsigned int w;

	carve_slot(&slot, job->slots + slot_nr * job->slot_bytes, &job->limits);
	if (task < plan->nr_unit_tasks) {
		run_units(job, &slot, task);
		return;
	}
	task -= plan->nr_unit_tasks;
	w = (unsigned int)(task / plan->nr_chunks) * plan->group;
	run_windows(job, &slot, task % plan->nr_chunks, w,
		    (unsigned int)lull_min(w + plan->group, plan->nr_windows));
}

/* Adds sum number i of window w over all chunks. */
static void add_sums(struct g_xyzz *acc, const struct job *job, unsigned int w,
		     unsigned int i)
{
	const struct lull_msm_plan *plan = &job->plan;
	unsigned int nr_sums = lull_msm_sums(plan), chunk;

	for (chunk = 0; chunk < plan->nr_chunks; chunk++)
		g_xyzz_add_affine(acc, acc,
				  job->sums + i +
					  ((size_t)chunk * plan->nr_windows +
					   w) * nr_sums);
}

/*
 * Bucket b of window w stands for (b + 1) 2^(c w): the window's first sum, of
 * all buckets, and the one of bit i go in at bits c w and c w + i.
 */
static void combine(struct g_xyzz *r, const struct job *job)
{
	const struct lull_msm_plan *plan = &job->plan;
	size_t units = nr_window_sums(plan), i;
	unsigned int w = plan->nr_windows, bit;

	g_xyzz_set_inf(r);
	while (job->total.nr && w--) {
		bit = plan->window_bits;
		while (bit--) {
			g_xyzz_dbl(r, r);
			if (bit + 1 < plan->window_bits)
				add_sums(r, job, w, bit + 1);
		}
		add_sums(r, job, w, 0);
	}
	for (i = 0; i < plan->nr_unit_tasks; i++)
		g_xyzz_add_affine(r, r, job->sums + units + i);
}

void g_msm_var(struct g_xyzz *r, const uint8_t *points, const uint8_t *scalars,
	       size_t nr, struct lull_workers *workers, void *scratch)
{
	struct job job = { .points = points, .scalars = scalars, .nr = nr };
	unsigned int nr_threads = lull_workers_nr(workers);
	struct lull_msm_shape shape;
	size_t nr_tasks = 0;

	g_xyzz_set_inf(r);
	if (!nr)
		return;
	LULL_ASSERT(nr <= UINT32_MAX >> LULL_MSM_REF_SHIFT);
	carve_job(&job, scratch, nr, nr_threads);
	classify(&job, workers);
	shape = (struct lull_msm_shape){ job.total.nr, job.total.nr_units,
					 job.total.bits, nr_threads };
	lull_msm_plan(&shape, &job.limits, &job.plan);
	fr_msm_digits_init(&job.digits, job.plan.window_bits,
			   job.plan.nr_windows);
	if (job.total.nr)
		nr_tasks = (size_t)job.plan.nr_groups * job.plan.nr_chunks;
	nr_tasks += job.plan.nr_unit_tasks;
	LULL_ASSERT(nr_window_sums(&job.plan) + job.plan.nr_unit_tasks <=
		    job.limits.sums);
	lull_workers_run(workers, nr_tasks, run_task, &job);
	if (!lull_workers_canceled(workers))
		combine(r, &job);
}
