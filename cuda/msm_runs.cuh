/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm_runs.cuh - what is left of each bucket, summed in XYZZ
 *
 * The entries of all buckets lie one after the other.  A thread takes a tile
 * of them.  A short run (a bucket's entries) is summed whole by the tile in
 * which it starts.  A long one is summed tile by tile; a tile's part goes to
 * a list of partial sums, of which each tile has two: one for a run that began
 * before it, one for a run that goes on after it.  merge_partial() sums that
 * list by tiles in the same way, until one tile covers everything; so no
 * thread ever sums more than a tile, whatever the scalars are.
 */
#ifndef LULL_CUDA_MSM_RUNS_CUH
#define LULL_CUDA_MSM_RUNS_CUH

#include "msm_tree.cuh"

namespace lull
{

template <class E>
struct run_params {
	xyzz<E> *buckets;
	bool accumulate; /* buckets hold sums already */
	const uint32_t *offsets;
	uint32_t nr_buckets;
	xyzz<E> *partial; /* two a tile */
	uint32_t *partial_keys;
	uint32_t nr_tiles;
};

template <class E>
static __device__ __noinline__ void put_bucket(const struct run_params<E> *r, uint32_t bucket,
					       xyzz<E> *sum)
{
	if (r->accumulate) {
		xyzz<E> old = load_own(r->buckets + bucket);

		add_xyzz_call(sum, &old);
	}
	store_wide(r->buckets + bucket, *sum);
}

template <class E, bool REFS>
static __global__ void __launch_bounds__(128)
	sum_runs(const struct run_params<E> r, const struct level_input<E> in)
{
	uint32_t tile = blockIdx.x * blockDim.x + threadIdx.x, i, tile_end, end;
	uint32_t total = r.offsets[r.nr_buckets];

	if (tile >= r.nr_tiles)
		return;
	r.partial_keys[2 * tile] = MSM_NO_KEY;
	r.partial_keys[2 * tile + 1] = MSM_NO_KEY;
	i = tile * MSM_RUN_TILE;
	if (i >= total)
		return;
	tile_end = total - i < MSM_RUN_TILE ? total : i + MSM_RUN_TILE;
	bucket_cursor cursor(r.offsets, r.nr_buckets, i);
#pragma unroll 1
	while (i < tile_end) {
		xyzz<E> sum = xyzz<E>::infinity();
		bool is_long, whole;
		uint32_t slot;

		cursor.move(i);
		is_long = cursor.end - cursor.start > MSM_RUN_LONG;
		if (!is_long && cursor.start < i) {
			i = cursor.end; /* the tile before has it */
			continue;
		}
		end = is_long && cursor.end > tile_end ? tile_end : cursor.end;
		whole = !is_long || (cursor.start >= tile * MSM_RUN_TILE && cursor.end == end);
		slot = 2 * tile + (cursor.start >= tile * MSM_RUN_TILE);
#pragma unroll 1
		for (; i < end; i++)
			add_affine(sum, in.template load<REFS>(i));
		if (whole) {
			put_bucket(&r, cursor.bucket, &sum);
		} else {
			r.partial_keys[slot] = cursor.bucket;
			store_wide(r.partial + slot, sum);
		}
	}
}

/* A tile's part of the sum of a bucket: to the bucket when the tile, which
 * covers the entries [lo, hi), has all of it. */
template <class E>
static __device__ __noinline__ void put_part(const struct run_params<E> *r, uint32_t tile,
					     uint64_t lo, uint64_t hi, uint32_t key, xyzz<E> *sum)
{
	uint32_t slot = 2 * tile + (r->offsets[key] >= lo);

	if (r->offsets[key] >= lo && r->offsets[key + 1] <= hi) {
		put_bucket(r, key, sum);
	} else {
		r->partial_keys[slot] = key;
		store_wide(r->partial + slot, *sum);
	}
}

/* Tiles of MSM_MERGE_TILE partial sums; each covers @span entries. */
template <class E>
static __global__ void __launch_bounds__(64)
	merge_partial(const struct run_params<E> r, const xyzz<E> *in, const uint32_t *in_keys,
		      uint32_t nr_in, uint64_t span)
{
	uint32_t tile = blockIdx.x * blockDim.x + threadIdx.x, i, end, key = MSM_NO_KEY;
	uint64_t lo = tile * span, hi = lo + span;
	xyzz<E> sum, next;

	if (tile >= r.nr_tiles)
		return;
	r.partial_keys[2 * tile] = MSM_NO_KEY;
	r.partial_keys[2 * tile + 1] = MSM_NO_KEY;
	i = tile * MSM_MERGE_TILE;
	end = nr_in - i < MSM_MERGE_TILE ? nr_in : i + MSM_MERGE_TILE;
#pragma unroll 1
	for (; i < end; i++) {
		if (in_keys[i] == MSM_NO_KEY)
			continue;
		next = load_wide(in + i);
		if (in_keys[i] == key) {
			add_xyzz_call(&sum, &next);
			continue;
		}
		if (key != MSM_NO_KEY)
			put_part(&r, tile, lo, hi, key, &sum);
		key = in_keys[i];
		sum = next;
	}
	if (key != MSM_NO_KEY)
		put_part(&r, tile, lo, hi, key, &sum);
}

} /* namespace lull */

#endif
