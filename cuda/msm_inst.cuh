/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm_inst.cuh - the host's side of a multiplication, for one group
 *
 * Included by the four msm_<curve>_<group>.cu files, which instantiate it: the
 * order of the launches and where each finds its part of the scratch.
 */
#ifndef LULL_CUDA_MSM_INST_CUH
#define LULL_CUDA_MSM_INST_CUH

#include "launch.cuh"
#include "msm_bases.cuh"
#include "msm_digits.cuh"
#include "msm_reduce.cuh"
#include "msm_runs.cuh"
#include "msm_sort.cuh"

namespace lull
{

static inline unsigned int blocks_for(size_t nr, unsigned int threads)
{
	return (unsigned int)((nr + threads - 1) / threads);
}

/* What a tree sums: refs, by bucket. */
struct tree_job {
	const uint32_t *refs;
	uint32_t *offsets; /* of the refs; stays as it is */
	uint32_t nr_buckets;
	size_t nr_refs; /* at most */
	unsigned int nr_levels;
	bool accumulate;
};

/* All launches of merge_partial(): as many as one tile needs to cover all. */
template <class E>
static int merge_all(const struct run_context *run, struct run_params<E> r, size_t nr_entries,
		     struct lull_error *reterr)
{
	const struct msm_layout *l = &run->plan->scratch;
	uint64_t span = MSM_RUN_TILE;
	size_t nr = 2 * (size_t)r.nr_tiles;
	int from = 0;

	while (span < nr_entries) {
		const xyzz<E> *in = run->at<xyzz<E>>(l->partial[from]);
		const uint32_t *in_keys = run->at<uint32_t>(l->partial_keys[from]);

		span *= MSM_MERGE_TILE / 2;
		from = !from;
		r.partial = run->at<xyzz<E>>(l->partial[from]);
		r.partial_keys = run->at<uint32_t>(l->partial_keys[from]);
		r.nr_tiles = blocks_for(nr, MSM_MERGE_TILE);
		LULL_TRY(LAUNCH("merge_partial", merge_partial<E>, blocks_for(r.nr_tiles, 64), 64,
				run->stream, reterr, r, in, in_keys, (uint32_t)nr, span));
		nr = 2 * (size_t)r.nr_tiles;
	}
	return LULL_OK;
}

/* Offsets of what a level makes of buckets, at most @nr_outputs, and where the
 * points of each output stand. */
static int halve_level(const struct run_context *run, uint32_t nr_buckets, size_t nr_outputs,
		       unsigned int level, uint32_t **offsets, struct lull_error *reterr)
{
	const struct msm_layout *l = &run->plan->scratch;
	uint32_t *in = *offsets;

	*offsets = run->at<uint32_t>(l->level_offsets[level % 2]);
	LULL_TRY(msm_halve_offsets(run, *offsets, in, nr_buckets, reterr));
	return LAUNCH("find_places", find_places, blocks_for(nr_outputs, 256 * PLACES_PER_THREAD),
		      256, run->stream, reterr, run->at<uint32_t>(l->places), (const uint32_t *)in,
		      (const uint32_t *)*offsets, nr_buckets);
}

template <class E>
static int reduce_level(cudaStream_t stream, struct msm_grid grid, const struct tree_level<E> &t,
			struct lull_error *reterr)
{
	constexpr unsigned int large = tree_threads(sizeof(E)), small = MSM_AFFINE_THREADS;
	void (*kernel)(const struct tree_level<E>);

	if (grid.threads == large)
		kernel = t.in.refs ? tree_reduce<E, true, large> : tree_reduce<E, false, large>;
	else
		kernel = t.in.refs ? tree_reduce<E, true, small> : tree_reduce<E, false, small>;
	return LAUNCH("tree_reduce", kernel, grid.blocks, grid.threads, stream, reterr, t);
}

/* The levels of the tree, then XYZZ: the sum of each bucket to buckets[]. */
template <class E>
static int sum_buckets(const struct run_context *run, const affine<E> *table,
		       const struct tree_job *job, struct lull_error *reterr)
{
	const struct msm_plan *plan = run->plan;
	const struct msm_layout *l = &plan->scratch;
	struct level_input<E> in = {
	};
	uint32_t *offsets = job->offsets;
	struct run_params<E> r = {
	};
	size_t left = job->nr_refs;

	in.table = table;
	in.refs = job->refs;
	for (unsigned int level = 0; level < job->nr_levels; level++) {
		struct tree_level<E> t = {
		};

		t.out = run->at<uint4>(l->points[level % 2]);
		t.out_stride = l->points_stride[level % 2];
		t.in = in;
		t.places = run->at<uint32_t>(l->places);
		t.prefix = run->at<uint4>(l->prefix);
		t.batch = plan->batch;
		/* Every bucket rounds up. */
		left = (left >> 1) + job->nr_buckets < left ? (left >> 1) + job->nr_buckets : left;
		LULL_TRY(halve_level(run, job->nr_buckets, left, level, &offsets, reterr));
		t.nr_outputs = offsets + job->nr_buckets;
		LULL_TRY(reduce_level<E>(run->stream, msm_tree_grid(plan, left), t, reterr));
		in = { NULL, NULL, t.out, t.out_stride };
	}
	if (job->nr_levels)
		left = (job->nr_refs >> job->nr_levels) + job->nr_buckets;
	if (left > job->nr_refs)
		left = job->nr_refs;
	r.buckets = run->at<xyzz<E>>(l->buckets);
	r.accumulate = job->accumulate;
	r.offsets = offsets;
	r.nr_buckets = job->nr_buckets;
	r.partial = run->at<xyzz<E>>(l->partial[0]);
	r.partial_keys = run->at<uint32_t>(l->partial_keys[0]);
	r.nr_tiles = blocks_for(left, MSM_RUN_TILE);
	if (!r.nr_tiles)
		return LULL_OK;
	if (in.refs)
		LULL_TRY(LAUNCH("sum_runs", sum_runs<E, true>, blocks_for(r.nr_tiles, 128), 128,
				run->stream, reterr, r, in));
	else
		LULL_TRY(LAUNCH("sum_runs", sum_runs<E, false>, blocks_for(r.nr_tiles, 128), 128,
				run->stream, reterr, r, in));
	return merge_all<E>(run, r, left, reterr);
}

/* All refs of a part, sorted, chunk by chunk. */
template <class E>
static int sum_chunks(const struct run_context *run, const affine<E> *table, const uint32_t *refs,
		      const struct msm_part *part, struct lull_error *reterr)
{
	const size_t nr_refs = part->nr_refs;
	const struct msm_plan *plan = run->plan;
	uint32_t *offsets = run->at<uint32_t>(plan->scratch.offsets);
	struct tree_job job = {};

	job.nr_buckets = part->nr_buckets;
	job.nr_levels = plan->nr_levels;
	if (nr_refs <= plan->chunk_refs) {
		job.refs = refs;
		job.offsets = offsets;
		job.nr_refs = nr_refs;
		return sum_buckets<E>(run, table, &job, reterr);
	}
	for (size_t lo = 0; lo < nr_refs; lo += plan->chunk_refs) {
		size_t hi = nr_refs - lo < plan->chunk_refs ? nr_refs : lo + plan->chunk_refs;

		/* Of the two, level 0 writes the other. */
		job.offsets = run->at<uint32_t>(plan->scratch.level_offsets[1]);
		LULL_TRY(LAUNCH("clip_offsets", clip_offsets, blocks_for(part->nr_buckets + 1, 256),
				256, run->stream, reterr, job.offsets, offsets, part->nr_buckets,
				(uint32_t)lo, (uint32_t)hi));
		job.refs = refs + lo;
		job.nr_refs = hi - lo;
		job.accumulate = lo > 0;
		LULL_TRY(sum_buckets<E>(run, table, &job, reterr));
	}
	return LULL_OK;
}

template <class G>
int msm_prepare(const struct msm_plan *plan, void *table, cudaStream_t stream,
		struct lull_error *reterr)
{
	using E = typename G::coord;
	uint32_t nr = (uint32_t)plan->shape.nr_points;
	affine<E> *points = (affine<E> *)table;
	uint32_t *infinite = (uint32_t *)((char *)table + plan->table_bytes) - (nr / 32 + 1);

	LULL_TRY(LAUNCH("mark_infinite", mark_infinite<E>, blocks_for(nr + 1, 256), 256, stream,
			reterr, infinite, points, nr));
	for (unsigned int i = 1; i < plan->nr_copies; i++) {
		unsigned int shift = msm_copy_shift(*plan, i) - msm_copy_shift(*plan, i - 1);

		LULL_TRY(LAUNCH("shift_points", shift_points<E>, blocks_for(nr, MSM_AFFINE_THREADS),
				MSM_AFFINE_THREADS, stream, reterr, points + (size_t)i * nr,
				points + (size_t)(i - 1) * nr, nr, shift));
	}
	return LULL_OK;
}

/* What a run's parts have in common. */
struct run_input {
	const void *table, *scalars;
	bool montgomery;
	const uint32_t *index;
	size_t nr;
};

/* The buckets of a part's sets. */
template <class G>
static int fill_buckets(const struct run_context *run, const struct run_input *in,
			const struct msm_part *part, struct lull_error *reterr)
{
	using E = typename G::coord;
	using fr = typename G::curve::fr;
	const struct msm_plan *plan = run->plan;
	const uint32_t *infinite =
		(const uint32_t *)((const char *)in->table + plan->table_bytes) -
		(plan->shape.nr_points / 32 + 1);
	uint32_t *keys = run->at<uint32_t>(plan->scratch.keys[0]);
	uint32_t *refs = run->at<uint32_t>(plan->scratch.refs[0]);

	CUDA_TRY(cudaMemsetAsync(run->at<void>(plan->scratch.buckets), 0,
				 part->nr_buckets * sizeof(xyzz<E>), run->stream),
		 reterr);
	if (!in->nr)
		return LULL_OK;
	LULL_TRY(LAUNCH("make_digits", make_digits<fr>, blocks_for(in->nr, 256), 256, run->stream,
			reterr, keys, refs, (const fe<fr> *)in->scalars, in->montgomery, in->index,
			infinite, digit_params_of(plan, part, in->nr)));
	LULL_TRY(msm_sort_refs(run, part->nr_refs, &keys, &refs, reterr));
	LULL_TRY(LAUNCH("find_offsets", find_offsets, blocks_for(part->nr_buckets + 1, 256), 256,
			run->stream, reterr, run->at<uint32_t>(plan->scratch.offsets),
			part->nr_buckets, keys, (uint32_t)part->nr_refs));
	return sum_chunks<E>(run, (const affine<E> *)in->table, refs, part, reterr);
}

/* And the sums over them, which go to the host. */
template <class G>
static int run_part(const struct run_context *run, const struct run_input *in,
		    const struct msm_part *part, struct lull_error *reterr)
{
	using E = typename G::coord;
	const struct msm_plan *plan = run->plan;
	const struct msm_layout *l = &plan->scratch;
	struct matrix m = { plan->row_bits, plan->column_bits, plan->set_buckets };
	unsigned int nr_bits = m.row_bits + 1 + m.column_bits;
	xyzz<E> *lines = run->at<xyzz<E>>(l->lines);

	LULL_TRY(fill_buckets<G>(run, in, part, reterr));
	LULL_TRY(LAUNCH("sum_lines", sum_lines<E>, dim3(m.nr_lines(), part->nr_sets), LINE_THREADS,
			run->stream, reterr, lines, (const xyzz<E> *)run->at<xyzz<E>>(l->buckets),
			m));
	return LAUNCH("sum_bits", sum_bits<E>, dim3(nr_bits, part->nr_sets), BIT_THREADS,
		      run->stream, reterr,
		      run->at<xyzz<E>>(l->sums) + (size_t)part->first_set * nr_bits,
		      (const xyzz<E> *)lines, m);
}

template <class G>
int msm_run(const struct msm_plan *plan, const void *table, const void *scalars,
	    enum msm_scalars kind, const uint32_t *index, size_t nr, void *scratch,
	    struct msm_sums<G> *sums, cudaStream_t stream, struct lull_error *reterr)
{
	struct run_context run = { plan, (char *)scratch, stream };
	const struct run_input in = { table, scalars, kind == MSM_MONTGOMERY, index, nr };
	struct msm_part part;

	if (nr > plan->shape.nr_scalars)
		return lull_fail(reterr, LULL_USAGE, "msm: %zu scalars, planned for %zu", nr,
				 plan->shape.nr_scalars);
	for (unsigned int set = 0; set < plan->nr_sets; set += plan->part_sets) {
		part = msm_part_of(plan, set, nr);
		LULL_TRY(run_part<G>(&run, &in, &part, reterr));
	}
	CUDA_TRY(cudaMemcpyAsync(sums, run.at<void>(plan->scratch.sums),
				 msm_nr_sums(plan) * sizeof(xyzz<typename G::coord>),
				 cudaMemcpyDeviceToHost, stream),
		 reterr);
	return LULL_OK;
}

template <class G>
int msm_run_sum(const struct msm_plan *plan, const void *table, const uint32_t *refs, size_t nr,
		void *scratch, xyzz<typename G::coord> *sum, cudaStream_t stream,
		struct lull_error *reterr)
{
	using E = typename G::coord;
	struct run_context run = { plan, (char *)scratch, stream };
	xyzz<E> *bucket = run.at<xyzz<E>>(plan->scratch.buckets);
	struct tree_job job = {};

	if (nr > plan->shape.nr_units)
		return lull_fail(reterr, LULL_USAGE, "msm: %zu units, planned for %zu", nr,
				 plan->shape.nr_units);
	job.refs = refs;
	job.offsets = run.at<uint32_t>(plan->scratch.offsets);
	job.nr_buckets = 1;
	job.nr_refs = nr;
	job.nr_levels = plan->unit_levels;
	CUDA_TRY(cudaMemsetAsync(bucket, 0, sizeof(*bucket), stream), reterr);
	LULL_TRY(LAUNCH("set_one_bucket", set_one_bucket, 1, 1, stream, reterr, job.offsets,
			(uint32_t)nr));
	LULL_TRY(sum_buckets<E>(&run, (const affine<E> *)table, &job, reterr));
	CUDA_TRY(cudaMemcpyAsync(sum, bucket, sizeof(*sum), cudaMemcpyDeviceToHost, stream),
		 reterr);
	return LULL_OK;
}

template <class G>
const void *msm_kernel(void)
{
	return (const void *)merge_partial<typename G::coord>;
}

/* How many outputs a level has that has none. */
static __device__ uint32_t no_outputs; /* 0 */

/* Which of these has most depends on the card, by some bytes; no other kernel has as
 * much.  The levels find that they have no outputs, the other that it has no tiles,
 * and none reads or writes anything else. */
template <class G>
int msm_take_stacks(cudaStream_t stream, struct lull_error *reterr)
{
	using E = typename G::coord;
	struct run_params<E> r = {
	};
	struct tree_level<E> t = {
	};
	void *none = NULL;

	CUDA_TRY(cudaGetSymbolAddress(&none, (const void *)&no_outputs), reterr);
	t.nr_outputs = (const uint32_t *)none;
	t.batch = 1;
	LULL_TRY(reduce_level<E>(stream, { 1, tree_threads(sizeof(E)) }, t, reterr));
	LULL_TRY(reduce_level<E>(stream, { 1, MSM_AFFINE_THREADS }, t, reterr));
	return LAUNCH("merge_partial", merge_partial<E>, 1, 64, stream, reterr, r,
		      (const xyzz<E> *)NULL, (const uint32_t *)NULL, (uint32_t)0, (uint64_t)0);
}

template <class G>
xyzz<typename G::coord> msm_finish(const struct msm_plan *plan, const struct msm_sums<G> *sums)
{
	using E = typename G::coord;
	unsigned int per_set = plan->row_bits + 1 + plan->column_bits;
	xyzz<E> total = xyzz<E>::infinity();

	/* From the topmost bit of the topmost set down; sets overlap where the
	 * topmost window's digits are longer than a window. */
	for (unsigned int set = plan->nr_sets; set-- > 0;) {
		xyzz<E> sum = xyzz<E>::infinity();

		for (unsigned int bit = plan->row_bits + plan->column_bits + 1; bit-- > 0;) {
			const xyzz<E> *mine = sums->sum + set * per_set;

			sum = dbl(sum);
			if (bit <= plan->row_bits)
				add_xyzz_call(&sum, mine + bit);
			if (bit >= plan->row_bits && bit < plan->row_bits + plan->column_bits)
				add_xyzz_call(&sum, mine + bit + 1);
		}
		for (unsigned int i = 0; i < plan->window_bits; i++)
			total = dbl(total);
		add_xyzz_call(&total, &sum);
	}
	return total;
}

/* What each of the four files instantiates. */
#define MSM_INSTANTIATE(G)                                                                         \
	template int msm_prepare<G>(const struct msm_plan *, void *, cudaStream_t,                 \
				    struct lull_error *);                                          \
	template int msm_run<G>(const struct msm_plan *, const void *, const void *,               \
				enum msm_scalars, const uint32_t *, size_t, void *,                \
				struct msm_sums<G> *, cudaStream_t, struct lull_error *);          \
	template int msm_run_sum<G>(const struct msm_plan *, const void *, const uint32_t *,       \
				    size_t, void *, xyzz<typename G::coord> *, cudaStream_t,       \
				    struct lull_error *);                                          \
	template const void *msm_kernel<G>(void);                                                  \
	template int msm_take_stacks<G>(cudaStream_t, struct lull_error *);                        \
	template xyzz<typename G::coord> msm_finish<G>(const struct msm_plan *,                    \
						       const struct msm_sums<G> *)

} /* namespace lull */

#endif
