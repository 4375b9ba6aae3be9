/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm_tree.cuh - one level of the pairwise tree: batched affine addition
 *
 * A level halves every bucket: points 2 j and 2 j + 1 of a bucket become point
 * j of the next level, an odd last one is copied.  However the points are
 * spread over the buckets, a level has as many outputs as the level before has
 * pairs, and outputs are what is shared out: a thread takes consecutive ones.
 *
 * A thread makes the prefix products of its pairs' denominators, the block
 * inverts the products of all its threads together, and on the way back each
 * pair costs two products for its inverse, two more and a square for the sum.
 * Equal, opposite and infinite points have a path of their own: they show in
 * x (equal, or 0) in one comparison.
 */
#ifndef LULL_CUDA_MSM_TREE_CUH
#define LULL_CUDA_MSM_TREE_CUH

#include "msm_kernels.cuh"

namespace lull
{

/* The points of a level: the first names them by refs into a table. */
template <class E>
struct level_input {
	const affine<E> *points;
	const uint32_t *refs; /* NULL: points[i] is point i */

	template <bool REFS>
	__device__ __forceinline__ E load_x(uint32_t i) const
	{
		if (REFS)
			i = __ldg(refs + i) & ~MSM_REF_NEG;
		return load_wide(&points[i].x);
	}
	template <bool REFS>
	__device__ __forceinline__ affine<E> load(uint32_t i) const
	{
		uint32_t ref = REFS ? __ldg(refs + i) : i;
		affine<E> p = load_wide(points + (REFS ? ref & ~MSM_REF_NEG : ref));

		return REFS ? neg_if((ref & MSM_REF_NEG) != 0, p) : p;
	}
};

/* What a pair that is not a plain addition comes to. */
enum pair_kind {
	PAIR_FIRST, /* the first point */
	PAIR_SECOND,
	PAIR_NOTHING, /* infinity */
	PAIR_TWICE, /* twice the first point */
	PAIR_SUM,
};

template <class E>
static __device__ enum pair_kind kind_of(const affine<E> &a, const affine<E> &b)
{
	if (is_inf(a))
		return PAIR_SECOND;
	if (is_inf(b))
		return PAIR_FIRST;
	if (!equal(a.x, b.x))
		return PAIR_SUM;
	return is_zero(add(a.y, b.y)) ? PAIR_NOTHING : PAIR_TWICE;
}

/* What is to be inverted for a pair; called when a glance at x was not enough. */
template <class E>
static __device__ __noinline__ void special_denominator(E *ret, const affine<E> *a,
							 const affine<E> *b)
{
	switch (kind_of(*a, *b)) {
	case PAIR_SUM:
		*ret = sub(b->x, a->x);
		break;
	case PAIR_TWICE:
		*ret = dbl(a->y);
		break;
	default:
		*ret = E::one();
	}
}

/* The sum of such a pair, given the inverse of its denominator. */
template <class E>
static __device__ __noinline__ void special_sum(affine<E> *ret, const affine<E> *a,
						 const affine<E> *b, const E *inv)
{
	E x2, slope;

	switch (kind_of(*a, *b)) {
	case PAIR_FIRST:
		*ret = *a;
		break;
	case PAIR_SECOND:
		*ret = *b;
		break;
	case PAIR_NOTHING:
		*ret = affine<E>::infinity();
		break;
	case PAIR_SUM:
		*ret = add_with_inverse(*a, *b, *inv);
		break;
	case PAIR_TWICE:
		x2 = sqr(a->x);
		slope = mul(add(dbl(x2), x2), *inv);
		ret->x = sub(sqr(slope), dbl(a->x));
		ret->y = sub(mul(slope, sub(a->x, ret->x)), a->y);
		break;
	}
}

/* Kept for each pair of a batch between the two passes. */
#define PLACE_PAIR 0x80000000u /* bit 31: there is a second point */

template <class E>
struct tree_level {
	affine<E> *out;
	struct level_input<E> in;
	const uint32_t *offsets_in, *offsets_out;
	uint32_t nr_buckets;
	E *prefix; /* [block][batch][thread] */
	uint32_t *places;
	unsigned int batch;
};

/* Forward: places and prefix products of outputs [o, end); the product. */
template <class E, bool REFS>
static __device__ __forceinline__ E tree_forward(const struct tree_level<E> &t, uint32_t o,
						 uint32_t end, size_t slot)
{
	E prod = E::one();

	if (o >= end)
		return prod;
	bucket_cursor cursor(t.offsets_out, t.nr_buckets, o);
#pragma unroll 1
	for (; o < end; o++, slot += MSM_TREE_THREADS) {
		uint32_t i;
		bool pair;

		cursor.move(o);
		i = t.offsets_in[cursor.bucket] + 2 * (o - cursor.start);
		pair = i + 1 < t.offsets_in[cursor.bucket + 1];
		t.places[slot] = i | (pair ? PLACE_PAIR : 0);
		if (!pair)
			continue;
		E ax = t.in.template load_x<REFS>(i), bx = t.in.template load_x<REFS>(i + 1);
		E d = sub(bx, ax);

		if (is_zero(d) || is_zero(ax) || is_zero(bx)) {
			affine<E> a = t.in.template load<REFS>(i);
			affine<E> b = t.in.template load<REFS>(i + 1);
			E special;

			special_denominator(&special, &a, &b);
			d = special;
		}
		store_wide(t.prefix + slot, prod);
		prod = mul(prod, d);
	}
	return prod;
}

/* Backward: the outputs, from the inverse of the product. */
template <class E, bool REFS>
static __device__ __forceinline__ void tree_backward(const struct tree_level<E> &t, uint32_t o,
						     uint32_t end, size_t slot, E inv)
{
#pragma unroll 1
	while (end > o) {
		end--;
		size_t at = slot + (size_t)(end - o) * MSM_TREE_THREADS;
		uint32_t place = t.places[at], i = place & ~PLACE_PAIR;
		affine<E> a = t.in.template load<REFS>(i), b, sum;
		E d, mine;

		if (!(place & PLACE_PAIR)) {
			store_wide(t.out + end, a);
			continue;
		}
		b = t.in.template load<REFS>(i + 1);
		mine = mul(inv, load_own(t.prefix + at));
		d = sub(b.x, a.x);
		if (is_zero(d) || is_zero(a.x) || is_zero(b.x)) {
			affine<E> a_copy = a, b_copy = b, special;
			E inv_copy = mine, d_copy;

			special_denominator(&d_copy, &a_copy, &b_copy);
			special_sum(&special, &a_copy, &b_copy, &inv_copy);
			inv = mul(inv, d_copy);
			store_wide(t.out + end, special);
			continue;
		}
		inv = mul(inv, d);
		sum = add_with_inverse(a, b, mine);
		store_wide(t.out + end, sum);
	}
}

/* Blocks that share a multiprocessor, as registers allow. */
template <class E>
struct tree_blocks {
	static constexpr int per_sm = sizeof(E) == 32 ? 5 : sizeof(E) == 48 ? 3 : 2;
};

template <class E, bool REFS>
static __global__ void __launch_bounds__(MSM_TREE_THREADS, tree_blocks<E>::per_sm)
	tree_reduce(const struct tree_level<E> t)
{
	__shared__ E shared[2 * MSM_TREE_THREADS];
	uint32_t total = t.offsets_out[t.nr_buckets];
	uint32_t threads = gridDim.x * MSM_TREE_THREADS;
	/* As few rounds as the batch allows, all of the same length. */
	uint32_t rounds = (uint32_t)(((uint64_t)total + (uint64_t)threads * t.batch - 1) /
				     ((uint64_t)threads * t.batch));
	uint32_t nr;
	size_t slot = (size_t)blockIdx.x * t.batch * MSM_TREE_THREADS + threadIdx.x;

	if (!rounds)
		return;
	nr = (uint32_t)(((uint64_t)total + (uint64_t)threads * rounds - 1) /
			((uint64_t)threads * rounds));
#pragma unroll 1
	for (uint32_t round = 0; round < rounds; round++) {
		uint64_t first = (((uint64_t)round * gridDim.x + blockIdx.x) * MSM_TREE_THREADS +
				  threadIdx.x) *
				 nr;
		uint32_t o = first < total ? (uint32_t)first : total;
		uint32_t end = total - o < nr ? total : o + nr;
		E prod = tree_forward<E, REFS>(t, o, end, slot);

		block_inverse<E, MSM_TREE_THREADS>(&prod, shared);
		tree_backward<E, REFS>(t, o, end, slot, prod);
	}
}

} /* namespace lull */

#endif
