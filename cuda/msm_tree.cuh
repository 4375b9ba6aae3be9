/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm_tree.cuh - one level of the pairwise tree: batched affine addition
 *
 * A level halves every bucket: points 2 j and 2 j + 1 of a bucket become point
 * j of the next level, an odd last one is copied.  However the points are
 * spread over the buckets, a level has as many outputs as the level before has
 * pairs, and outputs are what is shared out: a block takes consecutive ones,
 * the lanes of a warp side by side, so that all but the first level's gather
 * fills whole lines.
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

/* The points of a level: the first names them by refs into the table, the
 * others find theirs in planes. */
template <class E>
struct level_input {
	const affine<E> *table;
	const uint32_t *refs; /* NULL: in planes */
	const uint4 *planes;
	size_t stride;

	template <bool REFS>
	__device__ __forceinline__ E load_x(uint32_t i) const
	{
		if (REFS)
			return load_wide(&table[__ldg(refs + i) & ~MSM_REF_NEG].x);
		return load_planes<E, false>(planes, stride, i);
	}
	template <bool REFS>
	__device__ __forceinline__ affine<E> load(uint32_t i) const
	{
		return load_ref<REFS>(REFS ? __ldg(refs + i) : i);
	}
	template <bool REFS>
	__device__ __forceinline__ affine<E> load_ref(uint32_t ref) const
	{
		if (REFS)
			return neg_if((ref & MSM_REF_NEG) != 0,
				      load_wide(table + (ref & ~MSM_REF_NEG)));
		return load_planes<affine<E>, false>(planes, stride, ref);
	}
};

/* What a pair that is not a plain addition comes to. */
enum pair_kind {
	PAIR_FIRST, /* the first point */
	PAIR_SECOND,
	PAIR_NOTHING, /* infinity */
	PAIR_TWICE,   /* twice the first point */
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
	uint4 *out; /* planes */
	size_t out_stride;
	struct level_input<E> in;
	const uint32_t *offsets_in, *offsets_out;
	uint32_t nr_buckets;
	uint4 *prefix;	  /* [block][batch] of planes of a block's threads */
	uint32_t *places; /* [block][batch][thread], or pairs of them */
	unsigned int batch;
};

#define PREFIX_VECTORS(E) (sizeof(E) / sizeof(uint4) * MSM_TREE_THREADS)

/*
 * Forward: places and prefix products of outputs o, o + block, ... below end;
 * the product.  Row @row of the batch is the first.
 */
template <class E, bool REFS>
static __device__ __forceinline__ E tree_forward(const struct tree_level<E> &t, uint32_t o,
						 uint32_t end, size_t row)
{
	E prod = E::one();

	if (o >= end)
		return prod;
	bucket_cursor cursor(t.offsets_out, t.nr_buckets, o);
#pragma unroll 1
	for (; o < end; o += MSM_TREE_THREADS, row++) {
		uint32_t i;
		bool pair;

		cursor.move(o);
		i = t.offsets_in[cursor.bucket] + 2 * (o - cursor.start);
		pair = i + 1 < t.offsets_in[cursor.bucket + 1];
		t.places[row * MSM_TREE_THREADS + threadIdx.x] = i | (pair ? PLACE_PAIR : 0);
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
		store_planes(t.prefix + row * PREFIX_VECTORS(E), MSM_TREE_THREADS, threadIdx.x,
			     prod);
		prod = mul(prod, d);
	}
	return prod;
}

/* Output o, the sum of a and b; inv is the inverse of the pair's denominator
 * times all those before it, and becomes that of those before it. */
template <class E>
static __device__ __forceinline__ void tree_pair(const struct tree_level<E> &t, uint32_t o,
						 const affine<E> &a, const affine<E> &b,
						 const E &prefix, E &inv)
{
	E mine = mul(inv, prefix), d = sub(b.x, a.x);

	if (is_zero(d) || is_zero(a.x) || is_zero(b.x)) {
		affine<E> a_copy = a, b_copy = b, special;
		E mine_copy = mine, d_copy;

		special_denominator(&d_copy, &a_copy, &b_copy);
		special_sum(&special, &a_copy, &b_copy, &mine_copy);
		inv = mul(inv, d_copy);
		store_planes(t.out, t.out_stride, o, special);
		return;
	}
	inv = mul(inv, d);
	store_planes(t.out, t.out_stride, o, add_with_inverse(a, b, mine));
}

/* Backward: the outputs, from the inverse of the product; @o and @row are one
 * past the last. */
template <class E, bool REFS>
static __device__ __forceinline__ void tree_backward(const struct tree_level<E> &t, uint32_t o,
						     unsigned int nr, size_t row, E inv)
{
#pragma unroll 1
	for (; nr; nr--) {
		o -= MSM_TREE_THREADS;
		row--;
		uint32_t place = t.places[row * MSM_TREE_THREADS + threadIdx.x];
		uint32_t i = place & ~PLACE_PAIR;
		affine<E> a = t.in.template load<REFS>(i), b;

		if (!(place & PLACE_PAIR)) {
			store_planes(t.out, t.out_stride, o, a);
			continue;
		}
		b = t.in.template load<REFS>(i + 1);
		tree_pair(t, o, a, b,
			  load_planes<E, true>(t.prefix + row * PREFIX_VECTORS(E), MSM_TREE_THREADS,
					       threadIdx.x),
			  inv);
	}
}

/* Blocks that share a multiprocessor, as registers allow. */
template <class E>
struct tree_blocks {
	static constexpr int per_sm = sizeof(E) == 32 ? 5 : sizeof(E) == 48 ? 3 : 2;
};

/*
 * What a block does of a level: [o, end), in batches of nr rows.  The first
 * batch is shorter in blocks that share a multiprocessor with others, by
 * different parts, so that one goes forth, which waits for memory, while
 * another goes back, which multiplies.
 */
struct block_share {
	uint64_t o, end;
	uint32_t first, nr;
};

/* Below this many rows an inversion more costs what it wins. */
#define STAGGER_ROWS_MIN 16

static __device__ __forceinline__ struct block_share share_of(uint32_t total, unsigned int batch,
							      unsigned int per_sm)
{
	uint32_t threads = gridDim.x * MSM_TREE_THREADS;
	uint32_t rows = (uint32_t)(((uint64_t)total + threads - 1) / threads);
	uint32_t rounds = (rows + batch - 1) / batch;
	uint32_t turn = (uint32_t)((uint64_t)blockIdx.x * per_sm / gridDim.x);
	struct block_share s;

	s.nr = rounds ? (rows + rounds - 1) / rounds : 0;
	s.first = rows < STAGGER_ROWS_MIN ? s.nr : s.nr - s.nr * turn / per_sm;
	s.o = (uint64_t)blockIdx.x * rows * MSM_TREE_THREADS;
	s.end = s.o + (uint64_t)rows * MSM_TREE_THREADS;
	if (s.end > total)
		s.end = total;
	return s;
}

template <class E, bool REFS>
static __global__ void __launch_bounds__(MSM_TREE_THREADS, tree_blocks<E>::per_sm)
	tree_reduce(const struct tree_level<E> t)
{
	__shared__ E shared[2 * MSM_TREE_THREADS];
	struct block_share s =
		share_of(t.offsets_out[t.nr_buckets], t.batch, tree_blocks<E>::per_sm);
	size_t row = (size_t)blockIdx.x * t.batch;
	uint32_t nr = s.first;

#pragma unroll 1
	for (; s.o < s.end; s.o += (uint64_t)nr * MSM_TREE_THREADS, nr = s.nr) {
		uint64_t left = s.end - s.o;
		uint32_t o = (uint32_t)s.o + threadIdx.x, mine;
		uint32_t end = left < (uint64_t)nr * MSM_TREE_THREADS
				       ? (uint32_t)s.end
				       : (uint32_t)s.o + nr * MSM_TREE_THREADS;
		E prod = tree_forward<E, REFS>(t, o, end, row);

		block_inverse<E, MSM_TREE_THREADS>(&prod, shared);
		mine = o < end ? (end - o + MSM_TREE_THREADS - 1) / MSM_TREE_THREADS : 0;
		tree_backward<E, REFS>(t, o + mine * MSM_TREE_THREADS, mine, row + mine, prod);
	}
}

} /* namespace lull */

#endif
