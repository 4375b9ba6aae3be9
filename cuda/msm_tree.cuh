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
 *
 * Where a pair's points stand is found out before, by a kernel of its own: such
 * a search waits for memory and for nothing else, so it wants many threads,
 * where a level wants many registers.  A level then knows steps ahead what it
 * will read, and reads it while it multiplies (struct tree_feed).
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

	/* A coordinate by a point's ref, or by its place in the planes; y without
	 * the ref's sign. */
	template <bool REFS>
	__device__ __forceinline__ E load_x(uint32_t ref) const
	{
		if (REFS)
			return load_wide(&table[ref & ~MSM_REF_NEG].x);
		return load_planes<E, false>(planes, stride, ref);
	}
	template <bool REFS>
	__device__ __forceinline__ E load_y(uint32_t ref) const
	{
		constexpr unsigned int nr = sizeof(E) / sizeof(uint4);

		if (REFS)
			return load_wide(&table[ref & ~MSM_REF_NEG].y);
		return load_planes<E, false>(planes + nr * stride, stride, ref);
	}
	/* By a branch: neg_if() would hold y and -y at the same time. */
	template <bool REFS>
	static __device__ __forceinline__ affine<E> with_sign(uint32_t ref, const affine<E> &p)
	{
		return { p.x, REFS && ref & MSM_REF_NEG ? neg(p.y) : p.y };
	}
	/* Point i. */
	template <bool REFS>
	__device__ __forceinline__ affine<E> load(uint32_t i) const
	{
		uint32_t ref = REFS ? __ldg(refs + i) : i;

		return with_sign<REFS>(ref, { load_x<REFS>(ref), load_y<REFS>(ref) });
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

/* Where an output's points stand: the first, and whether there is a second. */
#define PLACE_PAIR 0x80000000u /* bit 31 */
/* Outputs of a thread that looks for places. */
#define PLACES_PER_THREAD 4

static __global__ void __launch_bounds__(256)
	find_places(uint32_t *places, const uint32_t *offsets_in, const uint32_t *offsets_out,
		    uint32_t nr_buckets)
{
	uint32_t o = (blockIdx.x * blockDim.x + threadIdx.x) * PLACES_PER_THREAD;
	uint32_t end = offsets_out[nr_buckets];

	if (o >= end)
		return;
	if (end - o > PLACES_PER_THREAD)
		end = o + PLACES_PER_THREAD;
	bucket_cursor cursor(offsets_out, nr_buckets, o);
	for (; o < end; o++) {
		uint32_t i;

		cursor.move(o);
		i = offsets_in[cursor.bucket] + 2 * (o - cursor.start);
		places[o] = i | (i + 1 < offsets_in[cursor.bucket + 1] ? PLACE_PAIR : 0);
	}
}

template <class E>
struct tree_level {
	uint4 *out; /* planes */
	size_t out_stride;
	struct level_input<E> in;
	const uint32_t *places;	     /* of the outputs */
	const uint32_t *nr_outputs;
	uint4 *prefix; /* [block][batch] of planes of a block's threads */
	unsigned int batch;
};

#define PREFIX_VECTORS(E) (sizeof(E) / sizeof(uint4) * blockDim.x)

/* A thread's outputs of a batch: first, first + blockDim.x, ... */
struct tree_share {
	uint32_t first, nr;
	size_t row; /* of the prefix products */
};

/*
 * An output's points as they are read.  Whoever takes a point's sign waits for its
 * y: not before it is needed.
 */
template <class E, bool REFS>
struct tree_points {
	affine<E> a, b;
	uint32_t ref_a, ref_b;

	__device__ __forceinline__ void take_signs()
	{
		a = level_input<E>::template with_sign<REFS>(ref_a, a);
		b = level_input<E>::template with_sign<REFS>(ref_b, b);
	}
};

/*
 * What a thread reads, in the order of its outputs or backwards.  A place tells
 * refs, and refs tell points; each is asked for a step before it is needed, so
 * that a thread does not wait for three answers in turn.  An output with one
 * point reads that twice.
 *
 * AHEAD: registers hold the next x, too.  The way forth has one product to hide
 * a load behind and needs them; the way back begins with a product that needs
 * no point, and more warps gain it more than these registers.
 */
template <class E, bool REFS, bool AHEAD>
struct tree_feed {
	const struct tree_level<E> &level;
	const struct tree_share &share;
	uint32_t place, place1, place2; /* of this output and the next two */
	uint32_t a, b, a1, b1;		/* refs of this one and the next */
	E ax, bx, ax1, bx1;

	__device__ __forceinline__ uint32_t place_of(uint32_t i) const
	{
		return __ldg(level.places + share.first + i * blockDim.x);
	}
	static __device__ __forceinline__ uint32_t second_of(uint32_t place)
	{
		return (place & ~PLACE_PAIR) + (place >> 31);
	}
	__device__ __forceinline__ uint32_t ref_of(uint32_t at) const
	{
		return REFS ? __ldg(level.in.refs + at) : at;
	}
	/* Outputs i0, i1 and i2 are the first ones. */
	__device__ __forceinline__ tree_feed(const struct tree_level<E> &level,
					     const struct tree_share &share, uint32_t i0,
					     uint32_t i1, uint32_t i2)
	    : level(level), share(share)
	{
		place = place_of(i0);
		place1 = place_of(i1);
		place2 = place_of(i2);
		a = ref_of(place & ~PLACE_PAIR);
		b = ref_of(second_of(place));
		a1 = ref_of(place1 & ~PLACE_PAIR);
		b1 = ref_of(second_of(place1));
		if (AHEAD) {
			ax1 = level.in.template load_x<REFS>(a);
			bx1 = level.in.template load_x<REFS>(b);
		}
	}
	__device__ __forceinline__ bool is_pair() const
	{
		return place & PLACE_PAIR;
	}
	/* This output's x, and asks for the next one's. */
	__device__ __forceinline__ void load_x()
	{
		if (AHEAD) {
			ax = ax1;
			bx = bx1;
			ax1 = level.in.template load_x<REFS>(a1);
			bx1 = level.in.template load_x<REFS>(b1);
			return;
		}
		ax = level.in.template load_x<REFS>(a);
		bx = level.in.template load_x<REFS>(b);
	}
	/* This output's points, whose x is there and whose y is asked for. */
	__device__ __forceinline__ struct tree_points<E, REFS> points() const
	{
		return { { ax, level.in.template load_y<REFS>(a) },
			 { bx, level.in.template load_y<REFS>(b) },
			 a,
			 b };
	}
	/* On by one; output i is the third from there. */
	__device__ __forceinline__ void advance(uint32_t i)
	{
		place = place1;
		place1 = place2;
		a = a1;
		b = b1;
		a1 = ref_of(place1 & ~PLACE_PAIR);
		b1 = ref_of(second_of(place1));
		place2 = place_of(i);
	}
};

/* Forward: prefix products; the product of all. */
template <class E, bool REFS>
static __device__ __forceinline__ E tree_forward(const struct tree_level<E> &t,
						 const struct tree_share &share)
{
	const uint32_t last = share.nr - 1;
	E prod = E::one();

	if (!share.nr)
		return prod;
	tree_feed<E, REFS, true> feed(t, share, 0, min(1u, last), min(2u, last));
#pragma unroll 1
	for (uint32_t i = 0; i < share.nr; i++, feed.advance(min(i + 2, last))) {
		feed.load_x();
		/* Of every output: it is read before the place tells what it is. */
		store_planes(t.prefix + (share.row + i) * PREFIX_VECTORS(E), blockDim.x,
			     threadIdx.x, prod);
		if (!feed.is_pair())
			continue;
		E d = sub(feed.bx, feed.ax);

		if (is_zero(d) || is_zero(feed.ax) || is_zero(feed.bx)) {
			struct tree_points<E, REFS> p = feed.points();
			E special;

			p.take_signs();
			special_denominator(&special, &p.a, &p.b);
			d = special;
		}
		prod = mul(prod, d);
	}
	return prod;
}

/* Output o, the sum of a pair; inv is the inverse of the pair's denominator
 * times all those before it, and becomes that of those before it. */
template <class E, bool REFS>
static __device__ __forceinline__ void tree_pair(const struct tree_level<E> &t, uint32_t o,
						 struct tree_points<E, REFS> &p, const E &prefix,
						 E &inv)
{
	E mine = mul(inv, prefix), d = sub(p.b.x, p.a.x);

	if (is_zero(d) || is_zero(p.a.x) || is_zero(p.b.x)) {
		struct tree_points<E, REFS> copy = p;
		E mine_copy = mine, d_copy;
		affine<E> special;

		copy.take_signs();
		special_denominator(&d_copy, &copy.a, &copy.b);
		special_sum(&special, &copy.a, &copy.b, &mine_copy);
		inv = mul(inv, d_copy);
		store_planes(t.out, t.out_stride, o, special);
		return;
	}
	inv = mul(inv, d);
	p.take_signs();
	store_planes(t.out, t.out_stride, o, add_with_inverse(p.a, p.b, mine));
}

/* Backward: the outputs, from the inverse of the product. */
template <class E, bool REFS>
static __device__ __forceinline__ void tree_backward(const struct tree_level<E> &t,
						     const struct tree_share &share, E inv)
{
	const uint4 *prefixes = t.prefix + share.row * PREFIX_VECTORS(E);
	const uint32_t last = share.nr - 1;
	E prefix, prefix1;

	if (!share.nr)
		return;
	tree_feed<E, REFS, false> feed(t, share, last, last - min(1u, last), last - min(2u, last));
	prefix1 =
		load_planes<E, true>(prefixes + last * PREFIX_VECTORS(E), blockDim.x, threadIdx.x);
#pragma unroll 1
	for (uint32_t i = share.nr; i-- > 0; feed.advance(i - min(3u, i))) {
		uint32_t o = share.first + i * blockDim.x;

		feed.load_x();
		struct tree_points<E, REFS> p = feed.points();

		prefix = prefix1;
		prefix1 = load_planes<E, true>(prefixes + (i - min(1u, i)) * PREFIX_VECTORS(E),
					       blockDim.x, threadIdx.x);
		if (feed.is_pair()) {
			tree_pair(t, o, p, prefix, inv);
			continue;
		}
		p.take_signs();
		store_planes(t.out, t.out_stride, o, p.a);
	}
}

/* What a block does of a level: [o, end), in batches of nr rows. */
struct block_share {
	uint64_t o, end;
	uint32_t nr;
};

static __device__ __forceinline__ struct block_share share_of(uint32_t total, unsigned int batch)
{
	uint32_t threads = gridDim.x * blockDim.x;
	uint32_t rows = (uint32_t)(((uint64_t)total + threads - 1) / threads);
	uint32_t rounds = (rows + batch - 1) / batch;
	struct block_share s;

	s.nr = rounds ? (rows + rounds - 1) / rounds : 0;
	s.o = (uint64_t)blockIdx.x * rows * blockDim.x;
	s.end = s.o + (uint64_t)rows * blockDim.x;
	if (s.end > total)
		s.end = total;
	return s;
}

template <class E, bool REFS, unsigned int NT>
static __global__ void __launch_bounds__(NT, tree_blocks_per_sm(NT, sizeof(E)))
	tree_reduce(const struct tree_level<E> t)
{
	__shared__ E shared[2 * NT];
	struct block_share s = share_of(*t.nr_outputs, t.batch);

#pragma unroll 1
	for (; s.o < s.end; s.o += (uint64_t)s.nr * NT) {
		struct tree_share share = { (uint32_t)s.o + threadIdx.x, s.nr,
					    (size_t)blockIdx.x * t.batch };
		uint64_t left = s.end - s.o;
		E prod;

		if (left < (uint64_t)s.nr * NT)
			share.nr = ((uint32_t)left + NT - 1 - threadIdx.x) / NT;
		prod = tree_forward<E, REFS>(t, share);
		block_inverse<E, NT>(&prod, shared);
		tree_backward<E, REFS>(t, share, prod);
	}
}

} /* namespace lull */

#endif
