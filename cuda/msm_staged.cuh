/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm_staged.cuh - a level of the tree that loads ahead
 *
 * The same level as tree_reduce() of msm_tree.cuh, its twin.  While a thread
 * multiplies for one pair, what the next pair needs is copied to its own slots
 * of shared memory, asynchronously and without registers, and the refs of the
 * pair after that are on their way to registers.  Only where a block's slots
 * fit the shared memory that needs no asking for: G1.
 */
#ifndef LULL_CUDA_MSM_STAGED_CUH
#define LULL_CUDA_MSM_STAGED_CUH

#include "msm_tree.cuh"

namespace lull
{

#define STAGE_BYTES_MAX ((size_t)48 << 10)

/* A thread's slots: two points and a prefix product, in vectors. */
template <class E>
struct stage {
	static constexpr unsigned int coord = sizeof(E) / sizeof(uint4);
	static constexpr unsigned int second = 2 * coord;
	static constexpr unsigned int prefix = 4 * coord;
	static constexpr unsigned int nr = 5 * coord;
	static constexpr bool fits =
		nr * sizeof(uint4) * MSM_TREE_THREADS + 2 * sizeof(E) * MSM_TREE_THREADS <=
		STAGE_BYTES_MAX;
};

static __device__ __forceinline__ void copy_async(uint4 *to, const uint4 *from)
{
#ifdef __CUDA_ARCH__
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
		     :
		     : "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from)
		     : "memory");
#else
	*to = *from;
#endif
}

/* The thread's own copies have arrived. */
static __device__ __forceinline__ void copy_wait(void)
{
#ifdef __CUDA_ARCH__
	asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

template <class T>
static __device__ __forceinline__ T take_staged(const uint4 *slots, unsigned int first)
{
	return load_planes<T, true>(slots + first * MSM_TREE_THREADS, MSM_TREE_THREADS,
				    threadIdx.x);
}

/* Starts copying nr vectors of point ref to the thread's slots. */
template <class E, bool REFS>
static __device__ __forceinline__ void stage_point(uint4 *slots, unsigned int first,
						   const struct level_input<E> &in, uint32_t ref,
						   unsigned int nr)
{
	slots += first * MSM_TREE_THREADS + threadIdx.x;
#pragma unroll
	for (unsigned int v = 0; v < nr; v++) {
		const uint4 *from = REFS ? (const uint4 *)(in.table + (ref & ~MSM_REF_NEG)) + v
					 : in.planes + v * in.stride + ref;

		copy_async(slots + v * MSM_TREE_THREADS, from);
	}
}

/* A pair as refs, or places in planes; no second one: */
#define PAIR_NONE 0xffffffffu /* all ones */

template <class E, bool REFS>
static __device__ __forceinline__ uint2 pair_at(const struct tree_level<E> &t,
						const bucket_cursor &cursor, uint32_t o)
{
	uint32_t i = t.offsets_in[cursor.bucket] + 2 * (o - cursor.start);
	bool pair = i + 1 < t.offsets_in[cursor.bucket + 1];

	if (REFS)
		return { __ldg(t.in.refs + i), pair ? __ldg(t.in.refs + i + 1) : PAIR_NONE };
	return { i, pair ? i + 1 : PAIR_NONE };
}

template <class E, bool REFS>
static __device__ __forceinline__ void stage_xs(uint4 *slots, const struct tree_level<E> &t,
						uint2 pair)
{
	if (pair.y == PAIR_NONE)
		return;
	stage_point<E, REFS>(slots, 0, t.in, pair.x, stage<E>::coord);
	stage_point<E, REFS>(slots, stage<E>::second, t.in, pair.y, stage<E>::coord);
}

/* What is to be inverted, when a glance at x was not enough. */
template <class E, bool REFS>
static __device__ __noinline__ void special_denominator_of(E *ret, const struct tree_level<E> *t,
							   uint2 pair)
{
	affine<E> a = t->in.template load_ref<REFS>(pair.x);
	affine<E> b = t->in.template load_ref<REFS>(pair.y);

	special_denominator(ret, &a, &b);
}

/* As tree_forward(). */
template <class E, bool REFS>
static __device__ __forceinline__ E staged_forward(const struct tree_level<E> &t, uint4 *slots,
						   uint32_t o, uint32_t end, size_t row)
{
	uint2 *places = (uint2 *)t.places + threadIdx.x;
	uint2 now, next = { 0, PAIR_NONE }, after = { 0, PAIR_NONE };
	E prod = E::one();

	if (o >= end)
		return prod;
	bucket_cursor cursor(t.offsets_out, t.nr_buckets, o);
	now = pair_at<E, REFS>(t, cursor, o);
	stage_xs<E, REFS>(slots, t, now);
	if (end - o > MSM_TREE_THREADS) {
		cursor.move(o + MSM_TREE_THREADS);
		next = pair_at<E, REFS>(t, cursor, o + MSM_TREE_THREADS);
	}
#pragma unroll 1
	for (; o < end; o += MSM_TREE_THREADS, row++, now = next, next = after) {
		E ax, bx, d;

		places[row * MSM_TREE_THREADS] = now;
		copy_wait();
		ax = take_staged<E>(slots, 0);
		bx = take_staged<E>(slots, stage<E>::second);
		if (end - o > MSM_TREE_THREADS)
			stage_xs<E, REFS>(slots, t, next);
		if (end - o > 2 * MSM_TREE_THREADS) {
			cursor.move(o + 2 * MSM_TREE_THREADS);
			after = pair_at<E, REFS>(t, cursor, o + 2 * MSM_TREE_THREADS);
		}
		if (now.y == PAIR_NONE)
			continue;
		d = sub(bx, ax);
		if (is_zero(d) || is_zero(ax) || is_zero(bx)) {
			E special;

			special_denominator_of<E, REFS>(&special, &t, now);
			d = special;
		}
		store_planes(t.prefix + row * PREFIX_VECTORS(E), MSM_TREE_THREADS, threadIdx.x,
			     prod);
		prod = mul(prod, d);
	}
	return prod;
}

template <class E, bool REFS>
static __device__ __forceinline__ void stage_pair(uint4 *slots, const struct tree_level<E> &t,
						  uint2 pair, size_t row)
{
	const uint4 *prefix = t.prefix + row * PREFIX_VECTORS(E) + threadIdx.x;

	stage_point<E, REFS>(slots, 0, t.in, pair.x, 2 * stage<E>::coord);
	if (pair.y == PAIR_NONE)
		return;
	stage_point<E, REFS>(slots, stage<E>::second, t.in, pair.y, 2 * stage<E>::coord);
#pragma unroll
	for (unsigned int v = 0; v < stage<E>::coord; v++)
		copy_async(slots + (stage<E>::prefix + v) * MSM_TREE_THREADS + threadIdx.x,
			   prefix + v * MSM_TREE_THREADS);
}

/* As tree_backward(). */
template <class E, bool REFS>
static __device__ __forceinline__ void staged_backward(const struct tree_level<E> &t, uint4 *slots,
						       uint32_t o, unsigned int nr, size_t row,
						       E inv)
{
	const uint2 *places = (const uint2 *)t.places + threadIdx.x;
	uint2 now, next = { 0, PAIR_NONE }, after = { 0, PAIR_NONE };

	if (!nr)
		return;
	now = places[(row - 1) * MSM_TREE_THREADS];
	stage_pair<E, REFS>(slots, t, now, row - 1);
	if (nr > 1)
		next = places[(row - 2) * MSM_TREE_THREADS];
#pragma unroll 1
	for (; nr; nr--, now = next, next = after) {
		affine<E> a, b;
		E prefix;

		o -= MSM_TREE_THREADS;
		row--;
		copy_wait();
		a = take_staged<affine<E>>(slots, 0);
		b = take_staged<affine<E>>(slots, stage<E>::second);
		prefix = take_staged<E>(slots, stage<E>::prefix);
		if (nr > 1)
			stage_pair<E, REFS>(slots, t, next, row - 1);
		if (nr > 2)
			after = places[(row - 2) * MSM_TREE_THREADS];
		if (REFS)
			a = neg_if((now.x & MSM_REF_NEG) != 0, a);
		if (now.y == PAIR_NONE) {
			store_planes(t.out, t.out_stride, o, a);
			continue;
		}
		if (REFS)
			b = neg_if((now.y & MSM_REF_NEG) != 0, b);
		tree_pair(t, o, a, b, prefix, inv);
	}
}

template <class E, bool REFS>
static __global__ void __launch_bounds__(MSM_TREE_THREADS, tree_blocks<E>::per_sm)
	staged_reduce(const struct tree_level<E> t)
{
	__shared__ E shared[2 * MSM_TREE_THREADS];
	__shared__ uint4 slots[stage<E>::nr * MSM_TREE_THREADS];
	struct block_share s =
		share_of(t.offsets_out[t.nr_buckets], t.batch, tree_blocks<E>::per_sm);
	size_t row = (size_t)blockIdx.x * t.batch;
	uint32_t nr = s.first;

	static_assert(stage<E>::fits, "slots in shared memory");
#pragma unroll 1
	for (; s.o < s.end; s.o += (uint64_t)nr * MSM_TREE_THREADS, nr = s.nr) {
		uint64_t left = s.end - s.o;
		uint32_t o = (uint32_t)s.o + threadIdx.x, mine;
		uint32_t end = left < (uint64_t)nr * MSM_TREE_THREADS
				       ? (uint32_t)s.end
				       : (uint32_t)s.o + nr * MSM_TREE_THREADS;
		E prod = staged_forward<E, REFS>(t, slots, o, end, row);

		block_inverse<E, MSM_TREE_THREADS>(&prod, shared);
		mine = o < end ? (end - o + MSM_TREE_THREADS - 1) / MSM_TREE_THREADS : 0;
		staged_backward<E, REFS>(t, slots, o + mine * MSM_TREE_THREADS, mine, row + mine,
					 prod);
	}
}

/* The kernel of a level: staged where it is wanted and fits. */
template <class E, bool REFS>
static void (*tree_kernel(enum msm_method method))(struct tree_level<E>)
{
	if constexpr (stage<E>::fits)
		if (method == MSM_AFFINE_STAGED)
			return staged_reduce<E, REFS>;
	(void)method;
	return tree_reduce<E, REFS>;
}

} /* namespace lull */

#endif
