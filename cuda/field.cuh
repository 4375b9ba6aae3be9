/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field.cuh - Fr, Fp and Fp2 on the device and, for tests, on the host
 *
 * For every .cu file.  fe<F> lies in memory as the CPU's struct fp or struct
 * fr: little-endian words, Montgomery with R = 2^(32 nr_words), so points of a
 * key go to the card as they are.  Elements are canonical (below p): every
 * function takes and gives canonical values.  Nothing here branches on a
 * value, except where the name ends in _var.
 *
 * How a product is made: a sum of 64-bit products at even word positions is
 * kept apart from the one at odd positions, so that each row of the
 * multiplication is one long carry chain of mad.lo.cc and madc.hi.cc, which
 * the assembler fuses into one wide multiply-add with carry a pair.  On the
 * host the same primitives run on a carry in a variable: one source, two
 * compilers, and a test of the host's code tests the order of the carries.
 */
#ifndef LULL_CUDA_FIELD_CUH
#define LULL_CUDA_FIELD_CUH

#include "traits.cuh"

namespace lull
{

/*
 * The carry chain.  On the device the carry is the processor's flag, which the
 * compiler does not know: volatile keeps the instructions in order.  On the
 * host it is this object's member.
 */
struct chain {
#ifdef __CUDA_ARCH__
	LULL_HD uint32_t add_cc(uint32_t a, uint32_t b)
	{
		uint32_t r;

		asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
		return r;
	}
	LULL_HD uint32_t addc_cc(uint32_t a, uint32_t b)
	{
		uint32_t r;

		asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
		return r;
	}
	LULL_HD uint32_t addc(uint32_t a, uint32_t b)
	{
		uint32_t r;

		asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
		return r;
	}
	LULL_HD uint32_t sub_cc(uint32_t a, uint32_t b)
	{
		uint32_t r;

		asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
		return r;
	}
	LULL_HD uint32_t subc_cc(uint32_t a, uint32_t b)
	{
		uint32_t r;

		asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
		return r;
	}
	LULL_HD uint32_t subc(uint32_t a, uint32_t b)
	{
		uint32_t r;

		asm volatile("subc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
		return r;
	}
	/* (lo, hi) of a b + (c_lo, c_hi), setting the carry. */
	LULL_HD void mad_cc(uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b, uint32_t c_lo,
			    uint32_t c_hi)
	{
		asm volatile("mad.lo.cc.u32 %0, %2, %3, %4;\n\t"
			     "madc.hi.cc.u32 %1, %2, %3, %5;"
			     : "=&r"(lo), "=r"(hi)
			     : "r"(a), "r"(b), "r"(c_lo), "r"(c_hi));
	}
	/* The same, with the carry added. */
	LULL_HD void madc_cc(uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b, uint32_t c_lo,
			     uint32_t c_hi)
	{
		asm volatile("madc.lo.cc.u32 %0, %2, %3, %4;\n\t"
			     "madc.hi.cc.u32 %1, %2, %3, %5;"
			     : "=&r"(lo), "=r"(hi)
			     : "r"(a), "r"(b), "r"(c_lo), "r"(c_hi));
	}
#else
	uint32_t carry; /* or borrow: 0 or 1 */

	LULL_HD uint32_t take(uint64_t sum)
	{
		carry = (uint32_t)(sum >> 32) & 1;
		return (uint32_t)sum;
	}
	LULL_HD uint32_t add_cc(uint32_t a, uint32_t b)
	{
		return take((uint64_t)a + b);
	}
	LULL_HD uint32_t addc_cc(uint32_t a, uint32_t b)
	{
		return take((uint64_t)a + b + carry);
	}
	LULL_HD uint32_t addc(uint32_t a, uint32_t b)
	{
		return a + b + carry;
	}
	LULL_HD uint32_t sub_cc(uint32_t a, uint32_t b)
	{
		return take((uint64_t)a - b);
	}
	LULL_HD uint32_t subc_cc(uint32_t a, uint32_t b)
	{
		return take((uint64_t)a - b - carry);
	}
	LULL_HD uint32_t subc(uint32_t a, uint32_t b)
	{
		return a - b - carry;
	}
	LULL_HD void mad_cc(uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b, uint32_t c_lo,
			    uint32_t c_hi)
	{
		carry = 0;
		madc_cc(lo, hi, a, b, c_lo, c_hi);
	}
	LULL_HD void madc_cc(uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b, uint32_t c_lo,
			     uint32_t c_hi)
	{
		uint64_t prod = (uint64_t)a * b;

		lo = take((prod & 0xffffffffu) + c_lo + carry); /* low word */
		hi = take((prod >> 32) + c_hi + carry);
	}
#endif
};

/* An element of the field F of traits.cuh. */
template <class F>
struct alignas(16) fe {
	static constexpr unsigned int n = F::nr_words;
	using trait = F;
	uint32_t l[F::nr_words];

	static LULL_HD fe zero()
	{
		fe r;

#pragma unroll
		for (unsigned int i = 0; i < n; i++)
			r.l[i] = 0;
		return r;
	}
	static LULL_HD fe one()
	{
		fe r;

#pragma unroll
		for (unsigned int i = 0; i < n; i++)
			r.l[i] = F::one(i);
		return r;
	}
};

/* ---- rows: n / 2 products a[0] b, a[2] b, ... at word distance 2 ---- */

/* acc = a b */
template <unsigned int N>
LULL_HD void row_mul(uint32_t *acc, const uint32_t *a, uint32_t b)
{
#pragma unroll
	for (unsigned int j = 0; j < N; j += 2) {
		uint64_t prod = (uint64_t)a[j] * b;

		acc[j] = (uint32_t)prod;
		acc[j + 1] = (uint32_t)(prod >> 32);
	}
}

/* acc += a b; the carry is left in the chain. */
template <unsigned int N>
LULL_HD void row_mad(chain &c, uint32_t *acc, const uint32_t *a, uint32_t b)
{
	c.mad_cc(acc[0], acc[1], a[0], b, acc[0], acc[1]);
#pragma unroll
	for (unsigned int j = 2; j < N; j += 2)
		c.madc_cc(acc[j], acc[j + 1], a[j], b, acc[j], acc[j + 1]);
}

/* acc = (acc >> 64) + a b + carry; the result fits. */
template <unsigned int N>
LULL_HD void row_shift_mad(chain &c, uint32_t *acc, const uint32_t *a, uint32_t b)
{
#pragma unroll
	for (unsigned int j = 0; j < N - 2; j += 2)
		c.madc_cc(acc[j], acc[j + 1], a[j], b, acc[j + 2], acc[j + 3]);
	c.madc_cc(acc[N - 2], acc[N - 1], a[N - 2], b, 0, 0);
}

/* The modulus as words, all literals once inlined: measured against words in
 * constant memory, those cost a point addition registers and gain nothing. */
template <class F>
struct modulus {
	uint32_t l[F::nr_words];

	LULL_HD modulus()
	{
#pragma unroll
		for (unsigned int i = 0; i < F::nr_words; i++)
			l[i] = F::p(i);
	}
};

/* r = a < p ? a : a - p, for a < 2 p. */
template <class F>
LULL_HD fe<F> reduce_once(const fe<F> &a)
{
	constexpr unsigned int n = F::nr_words;
	chain c;
	fe<F> t;
	uint32_t borrow;

	t.l[0] = c.sub_cc(a.l[0], F::p(0));
#pragma unroll
	for (unsigned int i = 1; i < n; i++)
		t.l[i] = c.subc_cc(a.l[i], F::p(i));
	borrow = c.subc(0, 0);
#pragma unroll
	for (unsigned int i = 0; i < n; i++)
		t.l[i] = borrow ? a.l[i] : t.l[i];
	return t;
}

template <class F>
LULL_HD fe<F> add(const fe<F> &a, const fe<F> &b)
{
	chain c;
	fe<F> t;

	t.l[0] = c.add_cc(a.l[0], b.l[0]);
#pragma unroll
	for (unsigned int i = 1; i < F::nr_words - 1; i++)
		t.l[i] = c.addc_cc(a.l[i], b.l[i]);
	t.l[F::nr_words - 1] = c.addc(a.l[F::nr_words - 1], b.l[F::nr_words - 1]);
	return reduce_once(t);
}

template <class F>
LULL_HD fe<F> sub(const fe<F> &a, const fe<F> &b)
{
	constexpr unsigned int n = F::nr_words;
	chain c;
	fe<F> t;
	uint32_t mask;

	t.l[0] = c.sub_cc(a.l[0], b.l[0]);
#pragma unroll
	for (unsigned int i = 1; i < n; i++)
		t.l[i] = c.subc_cc(a.l[i], b.l[i]);
	mask = c.subc(0, 0);
	t.l[0] = c.add_cc(t.l[0], F::p(0) & mask);
#pragma unroll
	for (unsigned int i = 1; i < n - 1; i++)
		t.l[i] = c.addc_cc(t.l[i], F::p(i) & mask);
	t.l[n - 1] = c.addc(t.l[n - 1], F::p(n - 1) & mask);
	return t;
}

template <class F>
LULL_HD fe<F> dbl(const fe<F> &a)
{
	return add(a, a);
}

template <class F>
LULL_HD fe<F> neg(const fe<F> &a)
{
	return sub(fe<F>::zero(), a);
}

template <class F>
LULL_HD bool is_zero(const fe<F> &a)
{
	uint32_t any = a.l[0];

#pragma unroll
	for (unsigned int i = 1; i < F::nr_words; i++)
		any |= a.l[i];
	return !any;
}

template <class F>
LULL_HD bool equal(const fe<F> &a, const fe<F> &b)
{
	uint32_t diff = a.l[0] ^ b.l[0];

#pragma unroll
	for (unsigned int i = 1; i < F::nr_words; i++)
		diff |= a.l[i] ^ b.l[i];
	return !diff;
}

/* r = which ? a : b */
template <class F>
LULL_HD fe<F> select(bool which, const fe<F> &a, const fe<F> &b)
{
	fe<F> r;

#pragma unroll
	for (unsigned int i = 0; i < F::nr_words; i++)
		r.l[i] = which ? a.l[i] : b.l[i];
	return r;
}

/* ---- the product: rows of a b and of the modulus in turn ---- */

/*
 * One row: (even, odd) += a b, then += q p so that the lowest word becomes
 * zero.  The word is not shifted out: the next row takes even for odd, at the
 * place where word 1 of even is now its word 0 (row_shift_mad).
 */
template <class F>
LULL_HD void row_reduce(chain &c, uint32_t *even, uint32_t *odd)
{
	constexpr unsigned int n = F::nr_words;
	const modulus<F> p;
	uint32_t q = even[0] * F::inv;

	row_mad<n>(c, odd, p.l + 1, q);
	row_mad<n>(c, even, p.l, q);
	odd[n - 1] = c.addc(odd[n - 1], 0);
}

template <class F>
LULL_HD void row_next(chain &c, uint32_t *even, uint32_t *odd, const fe<F> &a, uint32_t b)
{
	constexpr unsigned int n = F::nr_words;

	/* odd was even: its word 1 belongs to our word 0. */
	even[0] = c.add_cc(even[0], odd[1]);
	row_shift_mad<n>(c, odd, a.l + 1, b);
	row_mad<n>(c, even, a.l, b);
	odd[n - 1] = c.addc(odd[n - 1], 0);
	row_reduce<F>(c, even, odd);
}

/* even << 32 dropped by its zero word, plus odd: the sum of both, below 2 p. */
template <class F>
LULL_HD fe<F> rows_merge(chain &c, const uint32_t *even, const uint32_t *odd)
{
	constexpr unsigned int n = F::nr_words;
	fe<F> t;

	t.l[0] = c.add_cc(odd[0], even[1]);
#pragma unroll
	for (unsigned int i = 1; i < n - 1; i++)
		t.l[i] = c.addc_cc(odd[i], even[i + 1]);
	t.l[n - 1] = c.addc(odd[n - 1], 0);
	return t;
}

/* a b / R by rows. */
template <class F>
LULL_HD fe<F> mul_rows(const fe<F> &a, const fe<F> &b)
{
	constexpr unsigned int n = F::nr_words;
	uint32_t even[n], odd[n];
	chain c;

	static_assert(n % 2 == 0, "rows come in pairs");
	row_mul<n>(even, a.l, b.l[0]);
	row_mul<n>(odd, a.l + 1, b.l[0]);
	row_reduce<F>(c, even, odd);
	row_next<F>(c, odd, even, a, b.l[1]);
#pragma unroll
	for (unsigned int i = 2; i < n; i += 2) {
		row_next<F>(c, even, odd, a, b.l[i]);
		row_next<F>(c, odd, even, a, b.l[i + 1]);
	}
	return reduce_once(rows_merge<F>(c, odd, even));
}

/* a b / R for the host, in limbs of 64 bits: a tenth of the rows' time there. */
template <class F>
inline fe<F> mul_limbs(const fe<F> &a, const fe<F> &b)
{
	__extension__ typedef unsigned __int128 wide;
	constexpr unsigned int n = F::nr_words / 2;
	/* -p^-1 mod 2^64 from mod 2^32, by one step of Newton's. */
	constexpr uint64_t p0 = F::p(0) | (uint64_t)F::p(1) << 32;
	constexpr uint64_t inv = F::inv * (2 + p0 * F::inv);
	uint64_t x[n], t[n] = {};
	fe<F> r;

	for (unsigned int i = 0; i < n; i++)
		x[i] = a.l[2 * i] | (uint64_t)a.l[2 * i + 1] << 32;
	for (unsigned int i = 0; i < n; i++) {
		uint64_t y = b.l[2 * i] | (uint64_t)b.l[2 * i + 1] << 32, q;
		wide prod = (wide)x[0] * y + t[0], red;

		q = (uint64_t)prod * inv;
		red = (wide)q * p0 + (uint64_t)prod;
		for (unsigned int j = 1; j < n; j++) {
			uint64_t m = F::p(2 * j) | (uint64_t)F::p(2 * j + 1) << 32;

			prod = (wide)x[j] * y + t[j] + (uint64_t)(prod >> 64);
			red = (wide)q * m + (uint64_t)prod + (uint64_t)(red >> 64);
			t[j - 1] = (uint64_t)red;
		}
		t[n - 1] = (uint64_t)(prod >> 64) + (uint64_t)(red >> 64);
	}
	for (unsigned int i = 0; i < n; i++) {
		r.l[2 * i] = (uint32_t)t[i];
		r.l[2 * i + 1] = (uint32_t)(t[i] >> 32);
	}
	return reduce_once(r);
}

/* a b / R */
template <class F>
LULL_HD fe<F> mul(const fe<F> &a, const fe<F> &b)
{
#ifdef __CUDA_ARCH__
	return mul_rows(a, b);
#else
	return mul_limbs(a, b);
#endif
}

/* ---- wide products: 2 n words, reduced later ---- */

/* An integer below p R. */
template <class F>
struct alignas(16) fe_wide {
	uint32_t l[2 * F::nr_words];
};

/*
 * The two accumulators of a wide product: word i of even stands at position i,
 * word i of odd at position i + 1.  Rows are added from the lowest up; what
 * they sum to after row i is below 2^(32 (n + i + 1)), so a chain that ends at
 * position n + i leaves no carry, and one that ends before it leaves its carry
 * in a word that is still zero.
 */
template <class F>
struct wide_rows {
	uint32_t even[2 * F::nr_words];
	uint32_t odd[2 * F::nr_words];

	LULL_HD wide_rows()
	{
#pragma unroll
		for (unsigned int i = 0; i < 2 * F::nr_words; i++) {
			even[i] = 0;
			odd[i] = 0;
		}
	}
	/* += a[j] b at position i + j, for j = first, first + 2, ... < n */
	LULL_HD void add_row(chain &c, const uint32_t *a, uint32_t b, unsigned int i,
			     unsigned int first)
	{
		constexpr unsigned int n = F::nr_words;
		uint32_t *acc = (i + first) % 2 ? odd + i - 1 : even + i;

#pragma unroll
		for (unsigned int j = first; j < n; j += 2) {
			if (j == first)
				c.mad_cc(acc[j], acc[j + 1], a[j], b, acc[j], acc[j + 1]);
			else
				c.madc_cc(acc[j], acc[j + 1], a[j], b, acc[j], acc[j + 1]);
		}
		if (first < n && (first + n) % 2 == 0)
			acc[n] = c.addc(0, 0);
	}
	LULL_HD fe_wide<F> merge(chain &c) const
	{
		constexpr unsigned int n = F::nr_words;
		fe_wide<F> r;

		r.l[0] = even[0];
		r.l[1] = c.add_cc(even[1], odd[0]);
#pragma unroll
		for (unsigned int i = 2; i < 2 * n - 1; i++)
			r.l[i] = c.addc_cc(even[i], odd[i - 1]);
		r.l[2 * n - 1] = c.addc(even[2 * n - 1], odd[2 * n - 2]);
		return r;
	}
};

/* a b, plain */
template <class F>
LULL_HD fe_wide<F> mul_wide(const fe<F> &a, const fe<F> &b)
{
	wide_rows<F> rows;
	chain c;

#pragma unroll
	for (unsigned int i = 0; i < F::nr_words; i++) {
		rows.add_row(c, a.l, b.l[i], i, 0);
		rows.add_row(c, a.l, b.l[i], i, 1);
	}
	return rows.merge(c);
}

/* a^2, plain: twice the products above the diagonal, and the diagonal. */
template <class F>
LULL_HD fe_wide<F> sqr_wide(const fe<F> &a)
{
	constexpr unsigned int n = F::nr_words;
	wide_rows<F> rows;
	fe_wide<F> r;
	chain c;

#pragma unroll
	for (unsigned int i = 0; i + 1 < n; i++) {
		rows.add_row(c, a.l, a.l[i], i, i + 1);
		rows.add_row(c, a.l, a.l[i], i, i + 2);
	}
	r = rows.merge(c);
	r.l[0] = c.add_cc(r.l[0], r.l[0]);
#pragma unroll
	for (unsigned int i = 1; i < 2 * n - 1; i++)
		r.l[i] = c.addc_cc(r.l[i], r.l[i]);
	r.l[2 * n - 1] = c.addc(r.l[2 * n - 1], r.l[2 * n - 1]);
	c.mad_cc(r.l[0], r.l[1], a.l[0], a.l[0], r.l[0], r.l[1]);
#pragma unroll
	for (unsigned int i = 1; i < n; i++)
		c.madc_cc(r.l[2 * i], r.l[2 * i + 1], a.l[i], a.l[i], r.l[2 * i], r.l[2 * i + 1]);
	return r;
}

/*
 * t / R, canonical: n rows of q p over the lower half, which becomes at most p,
 * plus the upper half, which is below p.
 */
template <class F>
LULL_HD fe<F> redc(const fe_wide<F> &t)
{
	constexpr unsigned int n = F::nr_words;
	const modulus<F> p;
	uint32_t a[n], b[n], q;
	fe<F> r;
	chain c;

#pragma unroll
	for (unsigned int i = 0; i < n; i++)
		a[i] = t.l[i];
	q = a[0] * F::inv;
	row_mul<n>(b, p.l + 1, q);
	row_mad<n>(c, a, p.l, q);
	b[n - 1] = c.addc(b[n - 1], 0);
#pragma unroll
	for (unsigned int i = 1; i < n; i++) {
		uint32_t *even = i % 2 ? b : a, *odd = i % 2 ? a : b;

		/* q needs word 0 only; the carry waits for the row. */
		q = (even[0] + odd[1]) * F::inv;
		even[0] = c.add_cc(even[0], odd[1]);
		row_shift_mad<n>(c, odd, p.l + 1, q);
		row_mad<n>(c, even, p.l, q);
		odd[n - 1] = c.addc(odd[n - 1], 0);
	}
	r = rows_merge<F>(c, b, a);
	r.l[0] = c.add_cc(r.l[0], t.l[n]);
#pragma unroll
	for (unsigned int i = 1; i < n - 1; i++)
		r.l[i] = c.addc_cc(r.l[i], t.l[n + i]);
	r.l[n - 1] = c.addc(r.l[n - 1], t.l[2 * n - 1]);
	return reduce_once(r);
}

/* a^2 / R */
template <class F>
LULL_HD fe<F> sqr(const fe<F> &a)
{
	return redc(sqr_wide(a));
}

/* a + b without a reduction: below 2 p, a factor of mul_wide only. */
template <class F>
LULL_HD fe<F> add_lazy(const fe<F> &a, const fe<F> &b)
{
	constexpr unsigned int n = F::nr_words;
	chain c;
	fe<F> t;

	t.l[0] = c.add_cc(a.l[0], b.l[0]);
#pragma unroll
	for (unsigned int i = 1; i < n - 1; i++)
		t.l[i] = c.addc_cc(a.l[i], b.l[i]);
	t.l[n - 1] = c.addc(a.l[n - 1], b.l[n - 1]);
	return t;
}

/* a - b, where a >= b as integers. */
template <class F>
LULL_HD fe_wide<F> sub_wide(const fe_wide<F> &a, const fe_wide<F> &b)
{
	constexpr unsigned int n = 2 * F::nr_words;
	chain c;
	fe_wide<F> t;

	t.l[0] = c.sub_cc(a.l[0], b.l[0]);
#pragma unroll
	for (unsigned int i = 1; i < n - 1; i++)
		t.l[i] = c.subc_cc(a.l[i], b.l[i]);
	t.l[n - 1] = c.subc(a.l[n - 1], b.l[n - 1]);
	return t;
}

/* a - b, plus p R when that is negative; a and b below p R. */
template <class F>
LULL_HD fe_wide<F> sub_wide_mod(const fe_wide<F> &a, const fe_wide<F> &b)
{
	constexpr unsigned int n = F::nr_words;
	chain c;
	fe_wide<F> t;
	uint32_t mask;

	t.l[0] = c.sub_cc(a.l[0], b.l[0]);
#pragma unroll
	for (unsigned int i = 1; i < 2 * n; i++)
		t.l[i] = c.subc_cc(a.l[i], b.l[i]);
	mask = c.subc(0, 0);
	t.l[n] = c.add_cc(t.l[n], F::p(0) & mask);
#pragma unroll
	for (unsigned int i = 1; i < n - 1; i++)
		t.l[n + i] = c.addc_cc(t.l[n + i], F::p(i) & mask);
	t.l[2 * n - 1] = c.addc(t.l[2 * n - 1], F::p(n - 1) & mask);
	return t;
}

/* ---- to and from plain integers, powers, inverses ---- */

template <class F>
LULL_HD fe<F> from_plain(const fe<F> &plain)
{
	fe<F> r2;

#pragma unroll
	for (unsigned int i = 0; i < F::nr_words; i++)
		r2.l[i] = F::r2(i);
	return mul(plain, r2);
}

template <class F>
LULL_HD fe<F> to_plain(const fe<F> &a)
{
	fe_wide<F> t;

#pragma unroll
	for (unsigned int i = 0; i < F::nr_words; i++) {
		t.l[i] = a.l[i];
		t.l[F::nr_words + i] = 0;
	}
	return redc(t);
}

/* 1 / a by the power p - 2; 0 gives 0.  The twin of inverse_var(). */
template <class F>
__host__ __device__ __noinline__ fe<F> inverse_power(const fe<F> &a)
{
	fe<F> r = fe<F>::one();

#pragma unroll 1
	for (unsigned int i = 32 * F::nr_words; i-- > 0;) {
		uint32_t word = 0;

#pragma unroll
		for (unsigned int j = 0; j < F::nr_words; j++)
			word = i / 32 == j ? F::p_minus_2(j) : word;
		r = sqr(r);
		if (word >> (i % 32) & 1)
			r = mul(r, a);
	}
	return r;
}

/*
 * 1 / a by division steps (Bernstein and Yang, "Fast constant-time gcd
 * computation and modular inversion", in the variant that starts from 1/2):
 * batches of 30 steps on the low words of f and g give a 2 x 2 matrix, which is
 * then applied to all of f, g and, modulo p, to the cofactors d, e.  Numbers
 * are signed limbs of 30 bits.  It ends when g is 0, so time depends on a; a
 * warp takes as long as its slowest lane.
 */
template <class F>
struct division_steps {
	static constexpr unsigned int limb_bits = 30;
	static constexpr int32_t mask = (1 << limb_bits) - 1;
	/* Two bits of room: values stay within (-2 p, p). */
	static constexpr unsigned int nr_limbs = (F::bits + 2 + limb_bits - 1) / limb_bits;
	static constexpr uint32_t inv = (0u - F::inv) & (uint32_t)mask; /* p^-1 */

	struct number {
		int32_t l[nr_limbs];
	};
	struct matrix {
		int32_t u, v, q, r;
	};

	static LULL_HD int32_t p_limb(unsigned int i)
	{
		unsigned int bit = i * limb_bits, word = bit / 32, shift = bit % 32;
		uint64_t both = word < F::nr_words ? F::p(word) : 0;

		if (word + 1 < F::nr_words)
			both |= (uint64_t)F::p(word + 1) << 32;
		return (int32_t)(both >> shift) & mask;
	}
	static LULL_HD number from_words(const uint32_t *words)
	{
		number r;

#pragma unroll
		for (unsigned int i = 0; i < nr_limbs; i++) {
			unsigned int bit = i * limb_bits, word = bit / 32, shift = bit % 32;
			uint64_t both = word < F::nr_words ? words[word] : 0;

			if (word + 1 < F::nr_words)
				both |= (uint64_t)words[word + 1] << 32;
			r.l[i] = (int32_t)(both >> shift) & mask;
		}
		return r;
	}
	/* Limbs within [0, 2^30), a value below p. */
	static LULL_HD fe<F> to_words(const number &a)
	{
		fe<F> r;

#pragma unroll
		for (unsigned int i = 0; i < F::nr_words; i++) {
			unsigned int bit = i * 32, limb = bit / limb_bits, shift = bit % limb_bits;
			uint64_t both = (uint32_t)a.l[limb];

			if (limb + 1 < nr_limbs)
				both |= (uint64_t)(uint32_t)a.l[limb + 1] << limb_bits;
			if (limb + 2 < nr_limbs)
				both |= (uint64_t)(uint32_t)a.l[limb + 2] << 2 * limb_bits;
			r.l[i] = (uint32_t)(both >> shift);
		}
		return r;
	}
	/* 30 steps; returns the new zeta = -(delta + 1/2). */
	static LULL_HD int32_t steps(int32_t zeta, uint32_t f, uint32_t g, matrix &m)
	{
		uint32_t u = 1, v = 0, q = 0, r = 1;

#pragma unroll 5
		for (unsigned int i = 0; i < limb_bits; i++) {
			uint32_t swap = (uint32_t)(zeta >> 31), odd = 0u - (g & 1);

			g += ((f ^ swap) - swap) & odd;
			q += ((u ^ swap) - swap) & odd;
			r += ((v ^ swap) - swap) & odd;
			swap &= odd;
			zeta = (int32_t)((uint32_t)zeta ^ swap) - 1;
			f += g & swap;
			u += q & swap;
			v += r & swap;
			g >>= 1;
			u <<= 1;
			v <<= 1;
		}
		m = { (int32_t)u, (int32_t)v, (int32_t)q, (int32_t)r };
		return zeta;
	}
	/* (f, g) = m (f, g) / 2^30, exactly. */
	static LULL_HD void apply(number &f, number &g, const matrix &m)
	{
		int64_t cf = (int64_t)m.u * f.l[0] + (int64_t)m.v * g.l[0];
		int64_t cg = (int64_t)m.q * f.l[0] + (int64_t)m.r * g.l[0];

		cf >>= limb_bits;
		cg >>= limb_bits;
#pragma unroll
		for (unsigned int i = 1; i < nr_limbs; i++) {
			cf += (int64_t)m.u * f.l[i] + (int64_t)m.v * g.l[i];
			cg += (int64_t)m.q * f.l[i] + (int64_t)m.r * g.l[i];
			f.l[i - 1] = (int32_t)cf & mask;
			g.l[i - 1] = (int32_t)cg & mask;
			cf >>= limb_bits;
			cg >>= limb_bits;
		}
		f.l[nr_limbs - 1] = (int32_t)cf;
		g.l[nr_limbs - 1] = (int32_t)cg;
	}
	/* (d, e) = m (d, e) / 2^30 mod p, all within (-2 p, p). */
	static LULL_HD void apply_mod(number &d, number &e, const matrix &m)
	{
		int32_t sd = d.l[nr_limbs - 1] >> 31, se = e.l[nr_limbs - 1] >> 31;
		/* Multiples of p to add: for the sign, then for the low limb. */
		int32_t md = (m.u & sd) + (m.v & se), me = (m.q & sd) + (m.r & se);
		int64_t cd = (int64_t)m.u * d.l[0] + (int64_t)m.v * e.l[0];
		int64_t ce = (int64_t)m.q * d.l[0] + (int64_t)m.r * e.l[0];

		md -= (int32_t)((inv * (uint32_t)cd + (uint32_t)md) & (uint32_t)mask);
		me -= (int32_t)((inv * (uint32_t)ce + (uint32_t)me) & (uint32_t)mask);
		cd = (cd + (int64_t)p_limb(0) * md) >> limb_bits;
		ce = (ce + (int64_t)p_limb(0) * me) >> limb_bits;
#pragma unroll
		for (unsigned int i = 1; i < nr_limbs; i++) {
			cd += (int64_t)m.u * d.l[i] + (int64_t)m.v * e.l[i];
			ce += (int64_t)m.q * d.l[i] + (int64_t)m.r * e.l[i];
			cd += (int64_t)p_limb(i) * md;
			ce += (int64_t)p_limb(i) * me;
			d.l[i - 1] = (int32_t)cd & mask;
			e.l[i - 1] = (int32_t)ce & mask;
			cd >>= limb_bits;
			ce >>= limb_bits;
		}
		d.l[nr_limbs - 1] = (int32_t)cd;
		e.l[nr_limbs - 1] = (int32_t)ce;
	}
	/* a += p where a is negative, limbs back into [0, 2^30) but the top. */
	static LULL_HD void lift(number &a)
	{
		int32_t negative = a.l[nr_limbs - 1] >> 31, carry = 0;

#pragma unroll
		for (unsigned int i = 0; i < nr_limbs; i++) {
			carry += a.l[i] + (p_limb(i) & negative);
			a.l[i] = i + 1 < nr_limbs ? carry & mask : carry;
			carry >>= limb_bits;
		}
	}
	static LULL_HD void negate_if(bool negative, number &a)
	{
		int32_t sign = negative ? -1 : 0, carry = 0;

#pragma unroll
		for (unsigned int i = 0; i < nr_limbs; i++) {
			carry += (a.l[i] ^ sign) - sign;
			a.l[i] = i + 1 < nr_limbs ? carry & mask : carry;
			carry >>= limb_bits;
		}
	}
	static LULL_HD bool is_zero(const number &a)
	{
		int32_t any = 0;

#pragma unroll
		for (unsigned int i = 0; i < nr_limbs; i++)
			any |= a.l[i];
		return !any;
	}
};

/* 1 / a; 0 gives 0. */
template <class F>
__host__ __device__ __noinline__ fe<F> inverse_var(const fe<F> &a)
{
	using ds = division_steps<F>;
	typename ds::number f, g = ds::from_words(a.l), d, e;
	int32_t zeta = -1;
	fe<F> r2, r;

#pragma unroll
	for (unsigned int i = 0; i < ds::nr_limbs; i++) {
		f.l[i] = ds::p_limb(i);
		d.l[i] = 0;
		e.l[i] = i == 0;
	}
#pragma unroll 1
	while (!ds::is_zero(g)) {
		typename ds::matrix m;

		zeta = ds::steps(zeta, (uint32_t)f.l[0] | (uint32_t)f.l[1] << 30,
				 (uint32_t)g.l[0] | (uint32_t)g.l[1] << 30, m);
		ds::apply(f, g, m);
		ds::apply_mod(d, e, m);
	}
	/* f is +-1 and d a = f mod p. */
	ds::lift(d);
	ds::negate_if(f.l[ds::nr_limbs - 1] < 0, d);
	ds::lift(d);
	r = ds::to_words(d);
	/* From 1 / (a R) to R / a. */
#pragma unroll
	for (unsigned int i = 0; i < F::nr_words; i++)
		r2.l[i] = F::r2(i);
	return mul(mul(r, r2), r2);
}

/* ---- Fp2 = Fp[u] / (u^2 + 1) ---- */

template <class F>
struct alignas(16) fe2 {
	using trait = F;
	fe<F> c0, c1;

	static LULL_HD fe2 zero()
	{
		return { fe<F>::zero(), fe<F>::zero() };
	}
	static LULL_HD fe2 one()
	{
		return { fe<F>::one(), fe<F>::zero() };
	}
};

template <class F>
LULL_HD fe2<F> add(const fe2<F> &a, const fe2<F> &b)
{
	return { add(a.c0, b.c0), add(a.c1, b.c1) };
}

template <class F>
LULL_HD fe2<F> sub(const fe2<F> &a, const fe2<F> &b)
{
	return { sub(a.c0, b.c0), sub(a.c1, b.c1) };
}

template <class F>
LULL_HD fe2<F> dbl(const fe2<F> &a)
{
	return { dbl(a.c0), dbl(a.c1) };
}

template <class F>
LULL_HD fe2<F> neg(const fe2<F> &a)
{
	return { neg(a.c0), neg(a.c1) };
}

template <class F>
LULL_HD bool is_zero(const fe2<F> &a)
{
	return is_zero(a.c0) && is_zero(a.c1);
}

template <class F>
LULL_HD bool equal(const fe2<F> &a, const fe2<F> &b)
{
	return equal(a.c0, b.c0) && equal(a.c1, b.c1);
}

template <class F>
LULL_HD fe2<F> select(bool which, const fe2<F> &a, const fe2<F> &b)
{
	return { select(which, a.c0, b.c0), select(which, a.c1, b.c1) };
}

/*
 * Karatsuba over unreduced products: three of them and two reductions, the
 * work of 2.5 products in Fp.  All sums stay below 4 p^2 < p R.  Out of line: a
 * point addition with ten of them inside would not fit the instruction cache.
 */
template <class F>
__host__ __device__ __noinline__ fe2<F> mul_call(const fe2<F> a, const fe2<F> b)
{
	static_assert(F::bits + 2 <= 32 * F::nr_words, "4 p < R");
	fe_wide<F> mid = mul_wide(add_lazy(a.c0, a.c1), add_lazy(b.c0, b.c1));
	fe_wide<F> low = mul_wide(a.c0, b.c0);
	fe_wide<F> high = mul_wide(a.c1, b.c1);

	mid = sub_wide(sub_wide(mid, low), high);
	return { redc(sub_wide_mod(low, high)), redc(mid) };
}

/* (a0 + a1)(a0 - a1) + 2 a0 a1 u */
template <class F>
__host__ __device__ __noinline__ fe2<F> sqr_call(const fe2<F> a)
{
	return { mul(add(a.c0, a.c1), sub(a.c0, a.c1)), mul(dbl(a.c0), a.c1) };
}

template <class F>
LULL_HD fe2<F> mul(const fe2<F> &a, const fe2<F> &b)
{
	return mul_call(a, b);
}

template <class F>
LULL_HD fe2<F> sqr(const fe2<F> &a)
{
	return sqr_call(a);
}

/* c0^2 + c1^2: an inverse in Fp2 is one of it in Fp. */
template <class F>
LULL_HD fe<F> norm(const fe2<F> &a)
{
	return add(sqr(a.c0), sqr(a.c1));
}

template <class F>
LULL_HD fe2<F> inverse_power(const fe2<F> &a)
{
	fe<F> i = inverse_power(norm(a));

	return { mul(a.c0, i), neg(mul(a.c1, i)) };
}

template <class F>
LULL_HD fe2<F> inverse_var(const fe2<F> &a)
{
	fe<F> i = inverse_var(norm(a));

	return { mul(a.c0, i), neg(mul(a.c1, i)) };
}

/* The field below: where an inverse is made. */
template <class E>
struct field_of;
template <class F>
struct field_of<fe<F>> {
	using type = F;
};
template <class F>
struct field_of<fe2<F>> {
	using type = F;
};

} /* namespace lull */

#endif
