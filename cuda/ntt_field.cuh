/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntt_field.cuh - the product of Fr by a twiddle, and sums without a reduction
 *
 * For the transforms and the sparse products.  BLS12-381's r begins with 1 and
 * 2^32 - 1, lowest words first, and the shares of these in a Montgomery row need
 * no multiplier: 112 wide products instead of 136.
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

/* (even, odd) += q p with q so that word 0 of even becomes 0, by field. */
template <class F>
struct fr_row;

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
		uint32_t q = negated(e), any = min(e, 1u);

		odd[0] = c.add_cc(odd[0], e);
		odd[1] = c.addc_cc(odd[1], q - any);
#pragma unroll
		for (unsigned int j = 2; j < n; j += 2)
			c.madc_cc(odd[j], odd[j + 1], F::p(j + 1), q, odd[j], odd[j + 1]);
		even[0] = 0;
		even[1] = c.add_cc(even[1], any);
#pragma unroll
		for (unsigned int j = 2; j < n; j += 2)
			c.madc_cc(even[j], even[j + 1], F::p(j), q, even[j], even[j + 1]);
		odd[n - 1] = c.addc(odd[n - 1], 0);
	}
};

/* p = 2^32 - 2^28 + 1 + ...: shifts and sums would do for the lowest word, but
 * they cost a transform more than the products that they save. */
template <>
struct fr_row<bn254_fr> {
	static LULL_HD void reduce(chain &c, uint32_t *even, uint32_t *odd)
	{
		row_reduce<bn254_fr>(c, even, odd);
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
