/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntt_block.cuh - what one block does in each pass of a transform
 *
 * For ntt.cu and quotient.cu.  An array of n elements goes through one to three
 * passes.  In all but the last (in frequency) a sub-array of B = M S elements
 * is M rows at distance S, and a tile is M rows of some neighbouring columns;
 * in the last, S = 1 and a tile is a few whole sub-arrays.  Between two passes
 * stand the factors w_B^(k c), k the frequency of a row and c its column: read
 * from a table where B is small, made from two small tables where it is not.
 *
 * Every body is a list of phases; block::each() runs one for all threads and
 * waits for those that have what a thread needs next.  A round at bit b and a
 * higher one before or after it exchange elements among 2^b threads, so that of
 * the three rounds of 2^9 rows and four columns two stay within a warp.  Warps
 * load and store what is theirs in the first and in the last round.  On the
 * host each() is a loop, and the tests transform arrays with it.
 */
#ifndef LULL_CUDA_NTT_BLOCK_CUH
#define LULL_CUDA_NTT_BLOCK_CUH

#include "ntt_tile.cuh"

namespace lull
{

/* Passes at most: 11 + 9 + 11 levels are more than any domain has. */
constexpr unsigned int ntt_passes_max = 3;
/*
 * Passes whose factors are computed have rows of three digits, k = k1 + 8 k2 +
 * 64 k3.  The middle digit's share of the factors goes into the twiddles of the
 * middle round, a table that the block makes for its columns; an element is then
 * multiplied by what k1, k3 and its column give, which a thread has in common
 * for its eight elements.
 */
constexpr unsigned int computed_rows_log = 3 * round_log;
constexpr unsigned int middle_log = 2 * round_log;
constexpr unsigned int middle_size = 1u << (tile_log - round_log);
constexpr size_t block_bytes = tile_bytes + (size_t)middle_size * 32;

static_assert(middle_size == tile_threads, "each thread makes an entry");

/*
 * Factors between this pass and its neighbour: a table in the order of the
 * array, or, for B = n, by w_n^e = low[e mod 2^log_low] high[e / 2^log_low]
 * and by powers[k], the k-th power of the coset's shift, NULL without one.
 */
template <class F>
struct ntt_boundary {
	const fe<F> *direct;
	const fe<F> *low, *high, *powers;
	unsigned int log_low;
};

/*
 * One pass: M = 2^log_rows rows at distance S = 2^log_stride.  rounds are its
 * tables (ntt_tile.cuh).
 */
template <class F>
struct ntt_pass {
	unsigned int log_n, log_rows, log_stride;
	const fe<F> *rounds;
	ntt_boundary<F> boundary;
	ntt_roots<F> roots;
};

/* What the last pass in time does with its result. */
enum ntt_epilogue {
	NTT_PLAIN,    /* nothing */
	NTT_SCALE,    /* times a constant */
	NTT_PRODUCT,  /* times b */
	NTT_QUOTIENT, /* times b, minus c */
};

constexpr unsigned int warp_log = 5;

struct block {
	uint4 *tile;
	uint32_t index;

	/* One phase on every thread, then a barrier among 2^log of them. */
	template <class PHASE>
	LULL_HD void each(unsigned int log, PHASE phase) const
	{
#ifdef __CUDA_ARCH__
		phase(threadIdx.x);
		if (log <= warp_log)
			__syncwarp();
		else
			__syncthreads();
#else
		(void)log;
		for (uint32_t t = 0; t < tile_threads; t++)
			phase(t);
#endif
	}
};

LULL_HD void copy_async(uint4 *to, const uint4 *from)
{
#ifdef __CUDA_ARCH__
	uint32_t at = (uint32_t)__cvta_generic_to_shared(to);

	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
#else
	*to = *from;
#endif
}

LULL_HD void copy_wait()
{
#ifdef __CUDA_ARCH__
	asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Where a tile lies: of element e the place in the array, and its column. */
template <class F>
struct tile_map {
	size_t base, size;
	uint32_t first_column;
	unsigned int log_columns, log_stride;

	LULL_HD tile_map(const ntt_pass<F> &p, uint32_t index)
	{
		size = (size_t)1 << p.log_n;
		log_stride = p.log_stride;
		log_columns = tile_log - p.log_rows;
		first_column = 0;
		if (!log_stride) {
			base = (size_t)index << tile_log;
			return;
		}
		unsigned int log_groups = log_stride - log_columns;
		uint32_t sub = index >> log_groups;

		first_column = (index & ((1u << log_groups) - 1)) << log_columns;
		base = ((size_t)sub << (log_stride + p.log_rows)) + first_column;
	}
	LULL_HD size_t operator()(uint32_t e) const
	{
		return log_stride ? base + ((size_t)row(e) << log_stride) + column(e) : base + e;
	}
	/* Of tiles by columns. */
	LULL_HD uint32_t row(uint32_t e) const
	{
		return e >> log_columns;
	}
	LULL_HD uint32_t column(uint32_t e) const
	{
		return e & ((1u << log_columns) - 1);
	}
	/* The lowest bit of a row's number in e. */
	LULL_HD unsigned int at() const
	{
		return log_stride ? log_columns : 0;
	}
};

/* The bit of the highest round of a pass whose rows begin at bit at. */
template <class F>
LULL_HD unsigned int top_bit(const ntt_pass<F> &p, unsigned int at)
{
	return p.log_rows > round_log ? at + p.log_rows - round_log : at;
}

/*
 * The elements that a warp has in a round at bit b, in such an order that lanes
 * are neighbours: number i of thread t.
 */
LULL_HD uint32_t warp_element(uint32_t t, uint32_t i, unsigned int bit)
{
	uint32_t lane = t & ((1u << warp_log) - 1);

	if (bit > warp_log)
		return round_base(t, bit) | i << bit;
	return (t - lane) << round_log | i << warp_log | lane;
}

/* A warp's elements of a round at that bit from memory, in halves; what is
 * beyond the array is zero. */
template <class F>
LULL_HD void tile_load(uint4 *tile, const fe<F> *v, const tile_map<F> &map, unsigned int bit,
		       uint32_t t)
{
	constexpr uint32_t half_warp = 1u << (warp_log - 1);
	uint32_t lane = t & (2 * half_warp - 1), half = t & 1;

#pragma unroll 8
	for (uint32_t i = 0; i < 2 * round_size; i++) {
		uint32_t of = t - lane + i % 2 * half_warp + lane / 2;
		uint32_t e = warp_element(of, i / 2, bit);
		uint4 *to = tile + (half ? high_slot(e) : low_slot(e));
		size_t at = map(e);

		if (at < map.size)
			copy_async(to, (const uint4 *)(v + at) + half);
		else
			*to = make_uint4(0, 0, 0, 0);
	}
	copy_wait();
}

template <class F>
LULL_HD void tile_load_product(uint4 *tile, const fe<F> *a, const fe<F> *b, const tile_map<F> &map,
			       unsigned int bit, uint32_t t)
{
#pragma unroll 2
	for (uint32_t i = 0; i < round_size; i++) {
		uint32_t e = warp_element(t, i, bit);
		fe<F> r = fe<F>::zero();

		if (map(e) < map.size)
			r = mul(load_fe(a + map(e)), load_fe(b + map(e)));
		tile_put(tile, e, r);
	}
}

/* w_n^e */
template <class F>
LULL_HD fe<F> root_power(const ntt_boundary<F> &b, uint64_t e)
{
	uint64_t low = e & (((uint64_t)1 << b.log_low) - 1);

	return mul(load_fe(b.low + low), load_fe(b.high + (e >> b.log_low)));
}

/* h^k w_n^(k c) */
template <class F>
LULL_HD fe<F> computed_factor(const ntt_pass<F> &p, uint32_t k, uint32_t c)
{
	uint64_t e = (uint64_t)k * c & (((uint64_t)1 << p.log_n) - 1);
	fe<F> r = root_power(p.boundary, e);

	return p.boundary.powers ? mul(r, load_fe(p.boundary.powers + k)) : r;
}

/* Entry t of the middle round's table: position and index, then the column. */
template <class F>
LULL_HD void make_middle(fe<F> *middle, const ntt_pass<F> &p, const tile_map<F> &map, uint32_t t)
{
	const fe<F> *table = p.rounds + round_table_offset(computed_rows_log, middle_log);
	uint32_t k2 = reverse3(map.row(t) >> round_log);
	fe<F> w = computed_factor(p, k2 << round_log, map.first_column + map.column(t));

	write_fe(middle + t, mul(w, load_fe(table + map.row(t))));
}

/* The factor that thread t's elements share: warp_element() i has k2 = 0 for
 * i = 0, and the other digits are the same for all i. */
template <class F>
LULL_HD fe<F> own_factor(const ntt_pass<F> &p, const tile_map<F> &map, uint32_t t)
{
	uint32_t e = warp_element(t, 0, map.at());

	return computed_factor(p, reverse_bits(map.row(e), p.log_rows),
			       map.first_column + map.column(e));
}

/* The factor of element e. */
template <class F>
LULL_HD fe<F> boundary_factor(const ntt_pass<F> &p, const tile_map<F> &map, const fe<F> &own,
			      uint32_t e)
{
	size_t c = map.first_column + map.column(e);

	if (!p.boundary.direct)
		return own;
	return load_fe(p.boundary.direct + ((size_t)map.row(e) << map.log_stride) + c);
}

/* All rounds of a pass in frequency; middle is the block's table or NULL. */
template <class F>
LULL_HD void rounds_dif(const block &b, const ntt_pass<F> &p, unsigned int at, const fe<F> *middle)
{
	unsigned int s = p.log_rows;

#pragma unroll 1
	for (; s >= round_log; s -= round_log) {
		bool own = middle && s == middle_log;
		const fe<F> *table = own ? middle : p.rounds + round_table_offset(p.log_rows, s);

		b.each(s > round_log ? at + s - round_log : 0, [&](uint32_t t) {
			round_dif(b.tile, t, at, s, own ? 0 : at, table, p.roots);
		});
	}
	if (s)
		b.each(0, [&](uint32_t t) {
			round_small(b.tile, t, at, s, p.rounds, p.roots, true, false);
		});
}

/* And in time; first has the eight factors of the first round, or is NULL. */
template <class F>
LULL_HD void rounds_dit(const block &b, const ntt_pass<F> &p, unsigned int at, const fe<F> *middle,
			const fe<F> *first)
{
	unsigned int s = p.log_rows % round_log;

	if (s)
		b.each(at + s, [&](uint32_t t) {
			round_small(b.tile, t, at, s, first, p.roots, false, first != NULL);
		});
#pragma unroll 1
	for (s += round_log; s <= p.log_rows; s += round_log) {
		bool own = middle && s == middle_log, shifted = s == round_log && first;
		const fe<F> *table = p.rounds + round_table_offset(p.log_rows, s);

		table = own ? middle : shifted ? first : table;
		b.each(s + round_log <= p.log_rows ? at + s : 0, [&](uint32_t t) {
			round_dit(b.tile, t, at, s, own ? 0 : at, table, p.roots, shifted);
		});
	}
}

/* A pass in frequency by columns: v, or a b where a is given, into v. */
template <class F>
LULL_HD void dif_columns(const block &b, const ntt_pass<F> &p, fe<F> *v, const fe<F> *a,
			 const fe<F> *by)
{
	const tile_map<F> map(p, b.index);
	bool direct = p.boundary.direct;
	fe<F> *middle = direct ? NULL : (fe<F> *)(b.tile + 2 * tile_size);

	b.each(0, [&](uint32_t t) {
		if (!direct)
			make_middle(middle, p, map, t);
		if (a)
			tile_load_product(b.tile, a, by, map, top_bit(p, map.at()), t);
		else
			tile_load(b.tile, v, map, top_bit(p, map.at()), t);
	});
	/* The first round's barrier is the block's, where there is a table. */
	rounds_dif(b, p, map.at(), middle);
	b.each(0, [&](uint32_t t) {
		fe<F> own = direct ? fe<F>::zero() : own_factor(p, map, t);

#pragma unroll 4
		for (uint32_t i = 0; i < round_size; i++) {
			uint32_t e = warp_element(t, i, map.at());
			fe<F> w = boundary_factor(p, map, own, e);

			write_fe(v + map(e), mul(w, tile_get<F>(b.tile, e)));
		}
	});
}

/* What the last pass in time makes of x, not reduced, at place at. */
template <class F>
struct epilogue {
	enum ntt_epilogue what;
	fe<F> scale;
	const fe<F> *b, *c;

	LULL_HD fe<F> operator()(const fe<F> &x, size_t at) const
	{
		fe<F> r;

		if (what == NTT_PLAIN)
			return reduce_once(x);
		r = mul(what == NTT_SCALE ? scale : load_fe(b + at), x);
		return what == NTT_QUOTIENT ? sub(r, load_fe(c + at)) : r;
	}
};

/* A pass in time by columns. */
template <class F>
LULL_HD void dit_columns(const block &b, const ntt_pass<F> &p, fe<F> *v, const epilogue<F> &end)
{
	const tile_map<F> map(p, b.index);
	bool direct = p.boundary.direct;
	fe<F> *middle = direct ? NULL : (fe<F> *)(b.tile + 2 * tile_size);

	b.each(direct ? 0 : tile_log, [&](uint32_t t) {
		if (!direct)
			make_middle(middle, p, map, t);
		tile_load(b.tile, v, map, map.at(), t);
	});
	b.each(0, [&](uint32_t t) {
		fe<F> own = direct ? fe<F>::zero() : own_factor(p, map, t);

#pragma unroll 4
		for (uint32_t i = 0; i < round_size; i++) {
			uint32_t e = warp_element(t, i, map.at());
			fe<F> w = boundary_factor(p, map, own, e);

			tile_put(b.tile, e, mul(w, tile_get<F>(b.tile, e)));
		}
	});
	rounds_dit(b, p, map.at(), middle, (const fe<F> *)NULL);
	b.each(0, [&](uint32_t t) {
#pragma unroll 2
		for (uint32_t i = 0; i < round_size; i++) {
			uint32_t e = warp_element(t, i, top_bit(p, map.at()));

			write_fe(v + map(e), end(tile_get<F>(b.tile, e), map(e)));
		}
	});
}

/* The pass by rows: in frequency, in time (first as rounds_dit() has it), or the
 * one and then the other; dif or dit is NULL where not wanted. */
template <class F>
LULL_HD void rows(const block &b, const ntt_pass<F> *dif, const ntt_pass<F> *dit,
		  const fe<F> *first, fe<F> *v, const epilogue<F> &end)
{
	const tile_map<F> map(dif ? *dif : *dit, b.index);

	b.each(0, [&](uint32_t t) { tile_load(b.tile, v, map, dif ? top_bit(*dif, 0) : 0, t); });
	if (dif)
		rounds_dif(b, *dif, 0, (const fe<F> *)NULL);
	if (dit)
		rounds_dit(b, *dit, 0, (const fe<F> *)NULL, first);
	b.each(0, [&](uint32_t t) {
#pragma unroll 2
		for (uint32_t i = 0; i < round_size; i++) {
			uint32_t e = warp_element(t, i, dit ? top_bit(*dit, 0) : 0);

			if (map(e) < map.size)
				write_fe(v + map(e), end(tile_get<F>(b.tile, e), map(e)));
		}
	});
}

} /* namespace lull */

#endif
