/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntt_tile.cuh - transforms of a tile of shared memory, one round at a time
 *
 * For ntt_block.cuh.  A tile has 2^11 elements; an index is some bits of row and
 * some of column, and a round takes three bits of it: each thread reads the
 * eight elements that differ there, transforms them in registers and puts them
 * back.  Between rounds the block waits.  Nothing here knows where a tile came
 * from.  The host runs the same rounds, thread after thread, in the tests.
 *
 * Positions are bit-reversed frequencies: decimation in frequency takes natural
 * order to reversed order, decimation in time takes it back, so nothing is ever
 * reordered.  A transform of 2^l rows is l / 3 rounds of radix 8, and one of
 * radix 2 or 4 at the lowest bits where l is no multiple of 3.
 *
 * Radix 8 has four products instead of five: with c = (w + 1/w) / 2 and
 * s = (w - 1/w) / 2, w the eighth root, w a + w^3 b = c (a - b) + s (a + b) and
 * w^3 a + w b = s (a + b) - c (a - b).
 */
#ifndef LULL_CUDA_NTT_TILE_CUH
#define LULL_CUDA_NTT_TILE_CUH

#include <cuda_runtime_api.h>

#include "ntt_field.cuh"

namespace lull
{

/* Elements of a tile: 64 KiB, so that two blocks of 128 registers a thread and
 * 256 threads share a multiprocessor. */
constexpr unsigned int tile_log = 11;
constexpr unsigned int tile_size = 1u << tile_log;
/* A thread has one element in each register group of a round. */
constexpr unsigned int round_log = 3;
constexpr unsigned int round_size = 1u << round_log;
constexpr unsigned int tile_threads = tile_size / round_size;
constexpr size_t tile_bytes = (size_t)tile_size * 32;

/* Constants of one direction: the fourth root, c and s of the head. */
template <class F>
struct ntt_roots {
	fe<F> i, c, s;
};

/* x in reverse, of so many bits. */
LULL_HD uint32_t reverse_bits(uint32_t x, unsigned int bits)
{
#ifdef __CUDA_ARCH__
	return bits ? __brev(x) >> (32 - bits) : 0;
#else
	uint32_t r = 0;

	while (bits--) {
		r = r << 1 | (x & 1);
		x >>= 1;
	}
	return r;
#endif
}

/* Of three bits, at compile time. */
LULL_HD constexpr unsigned int reverse3(unsigned int x)
{
	return (x & 1) << 2 | (x & 2) | x >> 2;
}

/*
 * Where element e lies: its two halves of 16 bytes in two planes, spread so
 * that eight lanes meet eight groups of banks whatever bits a round takes, and
 * also when they copy four whole elements.
 */
LULL_HD uint32_t low_slot(uint32_t e)
{
	return e ^ (e >> 3 & 7);
}

LULL_HD uint32_t high_slot(uint32_t e)
{
	return tile_size + (low_slot(e) ^ 4);
}

template <class F>
LULL_HD fe<F> from_halves(const uint4 &low, const uint4 &high)
{
	fe<F> r;

	static_assert(F::nr_words == 8, "an element is two halves of 16 bytes");
	r.l[0] = low.x;
	r.l[1] = low.y;
	r.l[2] = low.z;
	r.l[3] = low.w;
	r.l[4] = high.x;
	r.l[5] = high.y;
	r.l[6] = high.z;
	r.l[7] = high.w;
	return r;
}

template <class F>
LULL_HD fe<F> tile_get(const uint4 *tile, uint32_t e)
{
	return from_halves<F>(tile[low_slot(e)], tile[high_slot(e)]);
}

template <class F>
LULL_HD void tile_put(uint4 *tile, uint32_t e, const fe<F> &a)
{
	tile[low_slot(e)] = make_uint4(a.l[0], a.l[1], a.l[2], a.l[3]);
	tile[high_slot(e)] = make_uint4(a.l[4], a.l[5], a.l[6], a.l[7]);
}

/* An element of a table or an array, in two accesses of 16 bytes. */
template <class F>
LULL_HD fe<F> load_fe(const fe<F> *p)
{
	const uint4 *q = (const uint4 *)p;
#ifdef __CUDA_ARCH__
	return from_halves<F>(__ldg(q), __ldg(q + 1));
#else
	return from_halves<F>(q[0], q[1]);
#endif
}

/* The same for memory that this kernel writes. */
template <class F>
LULL_HD fe<F> read_fe(const fe<F> *p)
{
	const uint4 *q = (const uint4 *)p;

	return from_halves<F>(q[0], q[1]);
}

template <class F>
LULL_HD void write_fe(fe<F> *p, const fe<F> &a)
{
	uint4 *q = (uint4 *)p;

	q[0] = make_uint4(a.l[0], a.l[1], a.l[2], a.l[3]);
	q[1] = make_uint4(a.l[4], a.l[5], a.l[6], a.l[7]);
}

/* ---- transforms in registers: x canonical; y[0] canonical, the others not
 * reduced, below 2 r ---- */

template <class F>
LULL_HD void dft2(fe<F> &x0, fe<F> &x1)
{
	fe<F> t = x0;

	x0 = add(t, x1);
	x1 = sub_lazy(t, x1);
}

/* Natural order on both sides. */
template <class F>
LULL_HD void dft4(fe<F> &x0, fe<F> &x1, fe<F> &x2, fe<F> &x3, const ntt_roots<F> &roots)
{
	fe<F> e0 = add(x0, x2), e1 = sub(x0, x2), o0 = add(x1, x3);
	fe<F> o1 = mul(roots.i, sub_lazy(x1, x3));

	x0 = add(e0, o0);
	x2 = sub_lazy(e0, o0);
	x1 = add_lazy(e1, o1);
	x3 = sub_lazy(e1, o1);
}

/* x by index, y by frequency. */
template <class F>
LULL_HD void dft8(fe<F> *y, const fe<F> *x, const ntt_roots<F> &roots)
{
	fe<F> a1 = sub(x[1], x[5]), a3 = sub(x[3], x[7]), d0 = sub(x[0], x[4]);
	fe<F> u = mul(roots.c, sub_lazy(a1, a3));
	fe<F> v = mul(roots.s, add_lazy(a1, a3));
	fe<F> w = mul(roots.i, sub_lazy(x[2], x[6]));
	fe<F> s0 = add(x[0], x[4]), s1 = add(x[1], x[5]);
	fe<F> s2 = add(x[2], x[6]), s3 = add(x[3], x[7]);
	fe<F> t, z;

	t = add(u, v);
	z = add(d0, w);
	y[1] = add_lazy(z, t);
	y[5] = sub_lazy(z, t);
	t = sub(v, u);
	z = sub(d0, w);
	y[3] = add_lazy(z, t);
	y[7] = sub_lazy(z, t);
	t = mul(roots.i, sub_lazy(s1, s3));
	z = sub(s0, s2);
	y[2] = add_lazy(z, t);
	y[6] = sub_lazy(z, t);
	t = add(s1, s3);
	z = add(s0, s2);
	y[0] = add(z, t);
	y[4] = sub_lazy(z, t);
}

/* ---- rounds ---- */

/* The index with bits [bit, bit + 3) zero that thread t works from. */
LULL_HD uint32_t round_base(uint32_t t, unsigned int bit)
{
	uint32_t low = t & ((1u << bit) - 1);

	return (t >> bit) << (bit + round_log) | low;
}

template <class F>
LULL_HD void round_load(fe<F> *v, const uint4 *tile, uint32_t base, unsigned int bit)
{
#pragma unroll
	for (unsigned int q = 0; q < round_size; q++)
		v[q] = tile_get<F>(tile, base | q << bit);
}

template <class F>
LULL_HD void round_store(uint4 *tile, const fe<F> *v, uint32_t base, unsigned int bit)
{
#pragma unroll
	for (unsigned int q = 0; q < round_size; q++)
		tile_put(tile, base | q << bit, v[q]);
}

/* v[q] becomes table[q] [j] v[q], canonical, for q from first on. */
template <class F, unsigned int FIRST>
LULL_HD void round_twiddle(fe<F> *v, const fe<F> *table, uint32_t j, unsigned int log_nr)
{
#pragma unroll
	for (unsigned int q = FIRST; q < round_size; q++)
		v[q] = mul(read_fe(table + ((q << log_nr) + j)), v[q]);
}

/*
 * The lowest rem bits of rows, rem 1 or 2, in groups of eight elements.  First
 * or last of a transform and never with twiddles; the result is canonical only
 * in v[q] whose frequency is 0.
 */
template <class F>
LULL_HD void small_dft_reversed(fe<F> *v, unsigned int rem, const ntt_roots<F> &roots, bool dif)
{
	if (rem == 1) {
#pragma unroll
		for (unsigned int q = 0; q < round_size; q += 2)
			dft2(v[q], v[q + 1]);
		return;
	}
#pragma unroll
	for (unsigned int q = 0; q < round_size; q += 4) {
		/* Decimation in time has its input, in frequency its output in
		 * reversed order: places 1 and 2 change. */
		fe<F> x1 = dif ? v[q + 1] : v[q + 2], x2 = dif ? v[q + 2] : v[q + 1];

		dft4(v[q], x1, x2, v[q + 3], roots);
		v[q + 1] = dif ? x2 : x1;
		v[q + 2] = dif ? x1 : x2;
	}
}

/*
 * The tables of a transform of 2^log rows: eight entries for the first round in
 * time, then 2^s for every further round that makes transforms of 2^s rows.
 * An entry for position q and index j is (h w^j)^reverse3(q), w the 2^s-th root
 * and h the shift of the coset.
 */
LULL_HD constexpr unsigned int first_round_log(unsigned int log)
{
	return log % round_log ? log % round_log : (log ? round_log : 0);
}

LULL_HD constexpr uint32_t round_table_offset(unsigned int log, unsigned int s)
{
	uint32_t offset = round_size;

	for (unsigned int i = first_round_log(log) + round_log; i < s; i += round_log)
		offset += 1u << i;
	return s == first_round_log(log) ? 0 : offset;
}

LULL_HD constexpr uint32_t round_tables_size(unsigned int log)
{
	return round_table_offset(log, log + round_log);
}

/*
 * In frequency: rows of s bits, at index bits [at, at + s).  The table is by
 * index bits [from, at + s): from is at, or less where columns have tables of
 * their own.
 */
template <class F>
LULL_HD void round_dif(uint4 *tile, uint32_t t, unsigned int at, unsigned int s, unsigned int from,
		       const fe<F> *table, const ntt_roots<F> &roots)
{
	unsigned int bit = at + s - round_log;
	uint32_t base = round_base(t, bit);
	fe<F> x[round_size], v[round_size];

	round_load(x, tile, base, bit);
	dft8(v, x, roots);
#pragma unroll
	for (unsigned int q = 0; q < round_size; q++)
		x[q] = v[reverse3(q)];
	if (s > round_log)
		round_twiddle<F, 1>(x, table, (base & ((1u << bit) - 1)) >> from, bit - from);
	round_store(tile, x, base, bit);
}

/* In time: the same the other way; with shifted, the first round of a coset
 * has factors too, also for position 0. */
template <class F>
LULL_HD void round_dit(uint4 *tile, uint32_t t, unsigned int at, unsigned int s, unsigned int from,
		       const fe<F> *table, const ntt_roots<F> &roots, bool shifted)
{
	unsigned int bit = at + s - round_log;
	uint32_t base = round_base(t, bit);
	fe<F> x[round_size], v[round_size];

	round_load(v, tile, base, bit);
	if (s > round_log) {
		v[0] = reduce_once(v[0]);
		round_twiddle<F, 1>(v, table, (base & ((1u << bit) - 1)) >> from, bit - from);
	} else if (shifted) {
		round_twiddle<F, 0>(v, table, 0, 0);
	}
#pragma unroll
	for (unsigned int q = 0; q < round_size; q++)
		x[reverse3(q)] = v[q];
	dft8(v, x, roots);
	round_store(tile, v, base, bit);
}

/* The round of the lowest rem bits. */
template <class F>
LULL_HD void round_small(uint4 *tile, uint32_t t, unsigned int at, unsigned int rem,
			 const fe<F> *table, const ntt_roots<F> &roots, bool dif, bool shifted)
{
	uint32_t base = round_base(t, at);
	fe<F> v[round_size];

	round_load(v, tile, base, at);
	if (shifted)
		round_twiddle<F, 0>(v, table, 0, 0);
	small_dft_reversed(v, rem, roots, dif);
	round_store(tile, v, base, at);
}

} /* namespace lull */

#endif
