/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field.cuh - Fr and Fp on the device and, for tests, on the host
 *
 * For every .cu file.  fe<F> lies in memory as the CPU's struct fp or struct
 * fr: little-endian words, Montgomery with R = 2^(32 nr_words), so points of a
 * key go to the card as they are.  Elements are canonical (below p): every
 * function takes and gives canonical values.  Nothing here branches on a
 * value, except where the name ends in _var.
 */
#ifndef LULL_CUDA_FIELD_CUH
#define LULL_CUDA_FIELD_CUH

#include "rows.cuh"
#include "traits.cuh"

namespace lull
{

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
LULL_HD void row_reduce_any(chain &c, uint32_t *even, uint32_t *odd)
{
	const modulus<F> p;

	rows_add<F::nr_words>(c, even, odd, p.l, even[0] * F::inv);
}

/* -e, in a way that the assembler does not see through: of a wide product by a
 * negated factor it makes an instruction for the low half and one, as dear as
 * both, for the high half. */
LULL_HD uint32_t negated(uint32_t e)
{
#ifdef __CUDA_ARCH__
	uint32_t r;

	asm("{\n\t.reg .u32 t;\n\tadd.u32 t, %1, -1;\n\tnot.b32 %0, t;\n\t}" : "=r"(r) : "r"(e));
	return r;
#else
	return 0 - e;
#endif
}

/* p begins with the words 1 and 2^32 - 1, lowest first, as BLS12-381's r does. */
template <class F>
LULL_HD constexpr bool is_near_one(void)
{
	return F::p(0) == 1 && F::p(1) == 0xffffffffu; /* 2^64 - 2^32 + 1 */
}

/* even += q p from word 1 on, and the carry of what word 0, now zero, came to. */
template <class F>
LULL_HD void row_even_near_one(chain &c, uint32_t *even, uint32_t *odd, uint32_t q, uint32_t any)
{
	constexpr unsigned int n = F::nr_words;
	const modulus<F> p;

	even[0] = 0;
	even[1] = c.add_cc(even[1], any);
	row_madc_rest<n>(c, even, p.l, q);
	odd[n - 1] = c.addc(odd[n - 1], 0);
}

/*
 * row_reduce_any() where is_near_one().  -1/p = -1 mod 2^32, so q = -even[0] = -e,
 * and q times these words is e + (q - 1) 2^32 at word 1 and a carry at word 1: no
 * products, 112 of them in all instead of 136.
 */
template <class F>
LULL_HD void row_reduce_near_one(chain &c, uint32_t *even, uint32_t *odd)
{
	constexpr unsigned int n = F::nr_words;
	const modulus<F> p;
	uint32_t e = even[0];
	uint32_t q = negated(e), any = e < 1u ? e : 1u;

	odd[0] = c.add_cc(odd[0], e);
	odd[1] = c.addc_cc(odd[1], q - any);
	row_madc_rest<n>(c, odd, p.l + 1, q);
	row_even_near_one<F>(c, even, odd, q, any);
}

template <class F>
LULL_HD void row_reduce(chain &c, uint32_t *even, uint32_t *odd)
{
	if constexpr (is_near_one<F>())
		row_reduce_near_one<F>(c, even, odd);
	else
		row_reduce_any<F>(c, even, odd);
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

/*
 * (a[0] b[0] + ... + a[K - 1] b[K - 1]) / R by rows, below 2 p, for factors of at
 * most p: one reduction for all.  Rows run over the words of b, so that the one
 * of a single product may be any number of n words.  What is summed stays below
 * (K + 1) p, one word up while a row is added.
 */
template <class F, unsigned int K>
LULL_HD fe<F> sum_rows_lazy(const fe<F> (&a)[K], const fe<F> (&b)[K])
{
	constexpr unsigned int n = F::nr_words;
	uint32_t even[n], odd[n];
	chain c;

	static_assert(n % 2 == 0, "rows come in pairs");
	static_assert((uint64_t)(K + 1) * (F::p(n - 1) + 1) <= (uint64_t)1 << 32, "(K + 1) p < R");
	row_mul<n>(c, even, a[0].l, b[0].l[0]);
	row_mul<n>(c, odd, a[0].l + 1, b[0].l[0]);
#pragma unroll
	for (unsigned int i = 0; i < n; i++) {
		uint32_t *even_i = i % 2 ? odd : even, *odd_i = i % 2 ? even : odd;

		if (i)
			rows_shift_add<n>(c, even_i, odd_i, a[0].l, b[0].l[i]);
#pragma unroll
		for (unsigned int k = 1; k < K; k++)
			rows_add<n>(c, even_i, odd_i, a[k].l, b[k].l[i]);
		row_reduce<F>(c, even_i, odd_i);
	}
	return rows_merge<F>(c, odd, even);
}

/* The same, canonical. */
template <class F, unsigned int K>
LULL_HD fe<F> sum_rows(const fe<F> (&a)[K], const fe<F> (&b)[K])
{
	return reduce_once(sum_rows_lazy<F, K>(a, b));
}

template <class F>
LULL_HD fe<F> mul_rows_lazy(const fe<F> &a, const fe<F> &b)
{
	return sum_rows_lazy<F, 1>({ a }, { b });
}

template <class F>
LULL_HD fe<F> mul_rows(const fe<F> &a, const fe<F> &b)
{
	return sum_rows<F, 1>({ a }, { b });
}

/* p - a, which for 0 is p: a factor only. */
template <class F>
LULL_HD fe<F> neg_lazy(const fe<F> &a)
{
	constexpr unsigned int n = F::nr_words;
	chain c;
	fe<F> t;

	t.l[0] = c.sub_cc(F::p(0), a.l[0]);
#pragma unroll
	for (unsigned int i = 1; i < n - 1; i++)
		t.l[i] = c.subc_cc(F::p(i), a.l[i]);
	t.l[n - 1] = c.subc(F::p(n - 1), a.l[n - 1]);
	return t;
}

/* (a b - c d) / R */
template <class F>
LULL_HD fe<F> mul_diff_rows(const fe<F> &a, const fe<F> &b, const fe<F> &c, const fe<F> &d)
{
	return sum_rows<F, 2>({ a, c }, { b, neg_lazy(d) });
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

/* a b / R; b may be any number of n words. */
template <class F>
LULL_HD fe<F> mul(const fe<F> &a, const fe<F> &b)
{
#ifdef __CUDA_ARCH__
	return mul_rows(a, b);
#else
	return mul_limbs(a, b);
#endif
}

/* (a b - c d) / R: one reduction where that saves time. */
template <class E>
LULL_HD E mul_diff(const E &a, const E &b, const E &c, const E &d)
{
#ifdef __CUDA_ARCH__
	return mul_diff_rows(a, b, c, d);
#else
	return sub(mul(a, b), mul(c, d));
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

/* row_reduce_any() of the row that even and odd make when odd was even. */
template <class F>
LULL_HD void row_shift_reduce_any(chain &c, uint32_t *even, uint32_t *odd)
{
	const modulus<F> p;

	/* q needs word 0 only; the carry waits for the row. */
	rows_shift_add<F::nr_words>(c, even, odd, p.l, (even[0] + odd[1]) * F::inv);
}

/* row_reduce_near_one() of it. */
template <class F>
LULL_HD void row_shift_reduce_near_one(chain &c, uint32_t *even, uint32_t *odd)
{
	constexpr unsigned int n = F::nr_words;
	const modulus<F> p;
	uint32_t e = even[0] + odd[1];
	uint32_t q = negated(e), any = e < 1u ? e : 1u;

	c.add_cc(even[0], odd[1]);
	odd[0] = c.addc_cc(odd[2], e);
	odd[1] = c.addc_cc(odd[3], q - any);
#pragma unroll
	for (unsigned int j = 2; j < n - 2; j += 2)
		c.madc_cc(odd[j], odd[j + 1], p.l[j + 1], q, odd[j + 2], odd[j + 3]);
	c.madc_cc(odd[n - 2], odd[n - 1], p.l[n - 1], q, 0, 0);
	row_even_near_one<F>(c, even, odd, q, any);
}

/*
 * t / R, canonical: n rows of q p over the lower half, which becomes at most p,
 * plus the upper half, which is below p.
 */
template <class F>
LULL_HD fe<F> redc(const fe_wide<F> &t)
{
	constexpr unsigned int n = F::nr_words;
	uint32_t a[n], b[n] = {};
	fe<F> r;
	chain c;

#pragma unroll
	for (unsigned int i = 0; i < n; i++)
		a[i] = t.l[i];
	row_reduce<F>(c, a, b);
#pragma unroll
	for (unsigned int i = 1; i < n; i++) {
		uint32_t *even = i % 2 ? b : a, *odd = i % 2 ? a : b;

		if constexpr (is_near_one<F>())
			row_shift_reduce_near_one<F>(c, even, odd);
		else
			row_shift_reduce_any<F>(c, even, odd);
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

/* ---- to and from plain integers ---- */

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

} /* namespace lull */

#endif
