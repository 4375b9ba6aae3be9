/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm_kernels.cuh - what the msm_*.cuh files share: sizes, loads, searches
 */
#ifndef LULL_CUDA_MSM_KERNELS_CUH
#define LULL_CUDA_MSM_KERNELS_CUH

#include "msm.cuh"

/* Threads of a block that makes points affine, of the tree a small one: an inversion
 * is shared among them. */
#define MSM_AFFINE_THREADS 128
/* Entries of a tile of msm_runs.cuh, and partial sums of a tile above. */
#define MSM_RUN_TILE 8
#define MSM_MERGE_TILE 32
/* A run of more entries than this is split between tiles. */
#define MSM_RUN_LONG 32
/* A partial sum's key when there is none. */
#define MSM_NO_KEY 0xffffffffu /* all ones */

namespace lull
{

/*
 * Threads of a large block of the tree, by the size of a coordinate: as many as have
 * the registers that a level needs.  One such block fills a multiprocessor, for the
 * warps of one go through the same instructions together; those of several do not,
 * and a level's code is larger than the caches next to a scheduler.
 */
constexpr unsigned int tree_threads(size_t coord_bytes)
{
	switch (coord_bytes) {
	case 32:
		return 640;
	case 48:
		return 512;
	case 64:
		return 384;
	default:
		return 256;
	}
}

/* Blocks of NT threads that share a multiprocessor; this bounds their registers, of
 * which small ones have more: where little is to be done, it is waited for. */
constexpr unsigned int tree_blocks_per_sm(unsigned int nt, size_t coord_bytes)
{
	if (nt > MSM_AFFINE_THREADS)
		return 1;
	if (coord_bytes <= 48)
		return 4;
	return coord_bytes == 64 ? 3 : 2;
}

/* T in loads of 16 bytes, through the read-only cache. */
template <class T>
static __device__ __forceinline__ T load_wide(const T *p)
{
	static_assert(sizeof(T) % sizeof(uint4) == 0, "whole vectors");
	constexpr unsigned int nr = sizeof(T) / sizeof(uint4);
	union {
		T value;
		uint4 vectors[nr];
	} u;

#pragma unroll
	for (unsigned int i = 0; i < nr; i++)
		u.vectors[i] = __ldg((const uint4 *)p + i);
	return u.value;
}

/* The same of what this kernel itself wrote. */
template <class T>
static __device__ __forceinline__ T load_own(const T *p)
{
	constexpr unsigned int nr = sizeof(T) / sizeof(uint4);
	union {
		T value;
		uint4 vectors[nr];
	} u;

#pragma unroll
	for (unsigned int i = 0; i < nr; i++)
		u.vectors[i] = ((const uint4 *)p)[i];
	return u.value;
}

template <class T>
static __device__ __forceinline__ void store_wide(T *p, const T &value)
{
	constexpr unsigned int nr = sizeof(T) / sizeof(uint4);
	union {
		T value;
		uint4 vectors[nr];
	} u;

	u.value = value;
#pragma unroll
	for (unsigned int i = 0; i < nr; i++)
		((uint4 *)p)[i] = u.vectors[i];
}

/*
 * Values in planes: vector v of value i at planes[v * stride + i].  Lanes that
 * take consecutive values then fill whole lines, where values one after the
 * other would cost a request to the L2 cache for each half of a sector.
 */
template <class T, bool OWN>
static __device__ __forceinline__ T load_planes(const uint4 *planes, size_t stride, size_t i)
{
	constexpr unsigned int nr = sizeof(T) / sizeof(uint4);
	union {
		T value;
		uint4 vectors[nr];
	} u;

#pragma unroll
	for (unsigned int v = 0; v < nr; v++)
		u.vectors[v] = OWN ? planes[v * stride + i] : __ldg(planes + v * stride + i);
	return u.value;
}

template <class T>
static __device__ __forceinline__ void store_planes(uint4 *planes, size_t stride, size_t i,
						    const T &value)
{
	constexpr unsigned int nr = sizeof(T) / sizeof(uint4);
	union {
		T value;
		uint4 vectors[nr];
	} u;

	u.value = value;
#pragma unroll
	for (unsigned int v = 0; v < nr; v++)
		planes[v * stride + i] = u.vectors[v];
}

/* The largest b in [lo, hi) with offsets[b] <= pos; offsets[lo] <= pos. */
static __device__ __forceinline__ uint32_t find_bucket(const uint32_t *offsets, uint32_t lo,
						       uint32_t hi, uint32_t pos)
{
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (offsets[mid] <= pos)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* The bucket that a place among offsets belongs to, moved upwards. */
struct bucket_cursor {
	const uint32_t *offsets; /* nr + 1 of them */
	uint32_t nr;
	uint32_t bucket;
	uint32_t start, end;

	/* pos is below offsets[nr]. */
	__device__ __forceinline__ bucket_cursor(const uint32_t *offsets, uint32_t nr, uint32_t pos)
	    : offsets(offsets), nr(nr)
	{
		bucket = find_bucket(offsets, 0, nr, pos);
		start = offsets[bucket];
		end = offsets[bucket + 1];
	}
	/* To a place not below the bucket's start: in steps that double, then
	 * by halves. */
	__device__ __forceinline__ void move(uint32_t pos)
	{
		uint32_t step = 1;

		if (pos < end)
			return;
		while (bucket + step < nr && offsets[bucket + step] <= pos)
			step *= 2;
		bucket = find_bucket(offsets, bucket + step / 2,
				     bucket + step < nr ? bucket + step : nr, pos);
		start = offsets[bucket];
		end = offsets[bucket + 1];
	}
};

/*
 * 1 / x[i] for NR of them in each lane of a warp: the warp's lanes invert side by
 * side.  @prefix has room for as many.
 */
template <class E, unsigned int NR>
static __device__ __forceinline__ void lane_inverse(E *x, E *prefix)
{
	E prod = x[0];

#pragma unroll 1
	for (unsigned int i = 1; i < NR; i++) {
		prefix[i] = prod;
		prod = mul(prod, x[i]);
	}
	prod = inverse_var(prod);
#pragma unroll 1
	for (unsigned int i = NR - 1; i > 0; i--) {
		E inv = mul(prod, prefix[i]);

		prod = mul(prod, x[i]);
		x[i] = inv;
	}
	x[0] = prod;
}

/*
 * 1 / x for each thread of a block of NT, x not 0.  Warp 0 inverts products, each of
 * NT / MSM_AFFINE_THREADS threads; the others wait.  @shared has room for 2 NT
 * elements.
 */
template <class E, unsigned int NT>
static __device__ __noinline__ void block_inverse(E *x, E *shared)
{
	constexpr unsigned int nr = MSM_AFFINE_THREADS, each = NT / nr, per_lane = nr / 32;
	unsigned int t = threadIdx.x;
	E *products = each > 1 ? shared + NT : shared;
	E prefix[each];

	static_assert(each * nr == NT && per_lane * 32 == nr, "whole warps");
	shared[t] = *x;
	__syncthreads();
	if (each > 1) {
		if (t < nr) {
			prefix[0] = shared[t];
#pragma unroll
			for (unsigned int i = 1; i < each; i++)
				prefix[i] = mul(prefix[i - 1], shared[t + i * nr]);
			products[t] = prefix[each - 1];
		}
		__syncthreads();
	}
	if (t < 32)
		lane_inverse<E, per_lane>(products + t * per_lane, products + nr + t * per_lane);
	__syncthreads();
	if (each > 1) {
		if (t < nr) {
			E inv = products[t];

#pragma unroll
			for (unsigned int i = each - 1; i > 0; i--) {
				E mine = shared[t + i * nr];

				shared[t + i * nr] = mul(inv, prefix[i - 1]);
				inv = mul(inv, mine);
			}
			shared[t] = inv;
		}
		__syncthreads();
	}
	*x = shared[t];
}

/* The affine point of each thread's p, by an inversion that the block shares;
 * as block_inverse(). */
template <class E, unsigned int NT>
static __device__ __forceinline__ affine<E> block_affine(const xyzz<E> &p, E *shared)
{
	affine<E> r = affine<E>::infinity();
	E inv = E::one();

	if (!is_inf(p))
		inv = p.zzz;
	block_inverse<E, NT>(&inv, shared);
	if (!is_inf(p)) {
		r.x = mul(p.x, sqr(mul(p.zz, inv)));
		r.y = mul(p.y, inv);
	}
	return r;
}

} /* namespace lull */

#endif
