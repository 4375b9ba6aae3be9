/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntt_field.cuh - the product of Fr by a twiddle, and sums without a reduction
 *
 * For the transforms and the sparse products.  Both scalar fields have moduli
 * whose lowest words need no multiplier: r = 1 + (2^32 - 1) 2^32 + ... of
 * BLS12-381 and r = 2^32 - 2^28 + 1 + ... of BN254.  Their shares of a
 * Montgomery row are shifts and sums, which the integer units beside the
 * multipliers do: 112 and 120 wide products instead of 136.
 *
 * The second factor need not be canonical, only of 256 bits, because rows run
 * over its words: what a row leaves is below w + r.  So sums that feed a
 * product are not reduced.
 */
#ifndef LULL_CUDA_NTT_FIELD_CUH
#define LULL_CUDA_NTT_FIELD_CUH

#include "field.cuh"

namespace lull
{

/*
 * The modulus in constant memory.  As literals its words would be immediates,
 * and the assembler then makes two instructions of a wide product: one for the
 * low half and one, as dear as both, for the high half.
 */
template <class F>
__constant__ uint32_t fr_words[8] = { F::p(0), F::p(1), F::p(2), F::p(3),
				      F::p(4), F::p(5), F::p(6), F::p(7) };

template <class F>
LULL_HD uint32_t fr_word(unsigned int i)
{
#ifdef __CUDA_ARCH__
	return fr_words<F>[i];
#else
	return F::p(i);
#endif
}

/* (even, odd) += q p with q so that word 0 of even becomes 0, by field. */
template <class F>
struct fr_row;

/* p = 1 + (2^32 - 1) 2^32 + ..., -1/p = -1 mod 2^32: q = -e, and q times the
 * two lowest words is e + (q - 1) 2^32 at word 1 and a carry at word 1. */
template <>
struct fr_row<bls12_381_fr> {
	static LULL_HD void reduce(chain &c, uint32_t *even, uint32_t *odd)
	{
		using F = bls12_381_fr;
		constexpr unsigned int n = F::nr_words;
		/* 2^64 - 2^32 + 1 */
		static_assert(F::p(0) == 1 && F::p(1) == 0xffffffffu, "two words");
		uint32_t e = even[0];
		uint32_t q = 0 - e, any = e ? 1 : 0;

		odd[0] = c.add_cc(odd[0], e);
		odd[1] = c.addc_cc(odd[1], q - any);
#pragma unroll
		for (unsigned int j = 2; j < n; j += 2)
			c.madc_cc(odd[j], odd[j + 1], fr_word<F>(j + 1), q, odd[j], odd[j + 1]);
		even[0] = 0;
		even[1] = c.add_cc(even[1], any);
#pragma unroll
		for (unsigned int j = 2; j < n; j += 2)
			c.madc_cc(even[j], even[j + 1], fr_word<F>(j), q, even[j], even[j + 1]);
		odd[n - 1] = c.addc(odd[n - 1], 0);
	}
};

/* p = 1 - 2^28 + 2^32 + ..., -1/p = -(1 + 2^28) mod 2^32 */
template <>
struct fr_row<bn254_fr> {
	static LULL_HD void reduce(chain &c, uint32_t *even, uint32_t *odd)
	{
		using F = bn254_fr;
		constexpr unsigned int n = F::nr_words;
		/* 2^32 - 2^28 + 1 and its negative inverse */
		static_assert(F::p(0) == 0xf0000001u && F::inv == 0xefffffffu, "2^32 - 2^28 + 1");
		uint32_t e = even[0];
		uint32_t q = 0 - (e + (e << 28));
		uint32_t low = c.sub_cc(q, q << 28);
		uint32_t high = c.subc(q, q >> 4);

		c.mad_cc(odd[0], odd[1], fr_word<F>(1), q, odd[0], odd[1]);
#pragma unroll
		for (unsigned int j = 2; j < n; j += 2)
			c.madc_cc(odd[j], odd[j + 1], fr_word<F>(j + 1), q, odd[j], odd[j + 1]);
		even[0] = c.add_cc(e, low);
		even[1] = c.addc_cc(even[1], high);
#pragma unroll
		for (unsigned int j = 2; j < n; j += 2)
			c.madc_cc(even[j], even[j + 1], fr_word<F>(j), q, even[j], even[j + 1]);
		odd[n - 1] = c.addc(odd[n - 1], 0);
	}
};

template <class F>
LULL_HD void fr_row_next(chain &c, uint32_t *even, uint32_t *odd, const fe<F> &w, uint32_t x)
{
	constexpr unsigned int n = F::nr_words;

	even[0] = c.add_cc(even[0], odd[1]);
	row_shift_mad<n>(c, odd, w.l + 1, x);
	row_mad<n>(c, even, w.l, x);
	odd[n - 1] = c.addc(odd[n - 1], 0);
	fr_row<F>::reduce(c, even, odd);
}

/* w x / R, below 2 r, for w canonical and any x of 256 bits. */
template <class F>
LULL_HD fe<F> fr_mul_lazy(const fe<F> &w, const fe<F> &x)
{
	constexpr unsigned int n = F::nr_words;
	uint32_t even[n], odd[n];
	chain c;

	row_mul<n>(even, w.l, x.l[0]);
	row_mul<n>(odd, w.l + 1, x.l[0]);
	fr_row<F>::reduce(c, even, odd);
	fr_row_next<F>(c, odd, even, w, x.l[1]);
#pragma unroll
	for (unsigned int i = 2; i < n; i += 2) {
		fr_row_next<F>(c, even, odd, w, x.l[i]);
		fr_row_next<F>(c, odd, even, w, x.l[i + 1]);
	}
	return rows_merge<F>(c, odd, even);
}

/* The same, canonical. */
template <class F>
LULL_HD fe<F> fr_mul(const fe<F> &w, const fe<F> &x)
{
	return reduce_once(fr_mul_lazy(w, x));
}

/* a - b + r: below 2 r and not canonical, a second factor of fr_mul(). */
template <class F>
LULL_HD fe<F> sub_lazy(const fe<F> &a, const fe<F> &b)
{
	constexpr unsigned int n = F::nr_words;
	chain c;
	fe<F> t;

	t.l[0] = c.sub_cc(a.l[0], b.l[0]);
#pragma unroll
	for (unsigned int i = 1; i < n - 1; i++)
		t.l[i] = c.subc_cc(a.l[i], b.l[i]);
	t.l[n - 1] = c.subc(a.l[n - 1], b.l[n - 1]);
	t.l[0] = c.add_cc(t.l[0], F::p(0));
#pragma unroll
	for (unsigned int i = 1; i < n - 1; i++)
		t.l[i] = c.addc_cc(t.l[i], F::p(i));
	t.l[n - 1] = c.addc(t.l[n - 1], F::p(n - 1));
	return t;
}

/* a^e for an exponent that all know. */
template <class F>
LULL_HD fe<F> fr_pow(fe<F> a, uint64_t e)
{
	fe<F> r = fe<F>::one();

#pragma unroll 1
	for (; e; e >>= 1) {
		if (e & 1)
			r = fr_mul(r, a);
		a = fr_mul(a, a);
	}
	return r;
}

} /* namespace lull */

#endif
