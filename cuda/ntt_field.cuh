/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntt_field.cuh - the product of Fr by a twiddle, and sums without a reduction
 *
 * For the transforms and the sparse products.  The second factor of
 * mul_rows_lazy() need not be canonical, so sums that feed a product are not
 * reduced.
 */
#ifndef LULL_CUDA_NTT_FIELD_CUH
#define LULL_CUDA_NTT_FIELD_CUH

#include "field.cuh"

namespace lull
{

/* a - b + r: below 2 r and not canonical, a second factor of mul(). */
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
			r = mul(r, a);
		a = mul(a, a);
	}
	return r;
}

} /* namespace lull */

#endif
