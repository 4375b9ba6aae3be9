/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fp2.cuh - Fp2 = Fp[u] / (u^2 + 1), the coordinates of G2
 *
 * For group.cuh; the contract is field.cuh's.
 */
#ifndef LULL_CUDA_FP2_CUH
#define LULL_CUDA_FP2_CUH

#include "inverse.cuh"

namespace lull
{

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
 * work of 2.5 products in Fp.  All sums stay below 4 p^2 < p R.
 */
template <class F>
LULL_HD fe2<F> mul_karatsuba(const fe2<F> &a, const fe2<F> &b)
{
	static_assert(F::bits + 2 <= 32 * F::nr_words, "4 p < R");
	fe_wide<F> mid = mul_wide(add_lazy(a.c0, a.c1), add_lazy(b.c0, b.c1));
	fe_wide<F> low = mul_wide(a.c0, b.c0);
	fe_wide<F> high = mul_wide(a.c1, b.c1);

	mid = sub_wide(sub_wide(mid, low), high);
	return { redc(sub_wide_mod(low, high)), redc(mid) };
}

/* Each coordinate a sum of two products, by rows: the work of 3, in two thirds
 * of the registers. */
template <class F>
LULL_HD fe2<F> mul_rows(const fe2<F> &a, const fe2<F> &b)
{
	return { sum_rows<F, 2>({ a.c0, a.c1 }, { b.c0, neg_lazy(b.c1) }),
		 sum_rows<F, 2>({ a.c0, a.c1 }, { b.c1, b.c0 }) };
}

/* Out of line: a point addition with ten of them inside would not fit the
 * instruction cache.  Which way is by measurement: where a coordinate has 12
 * words, registers are dearer than products. */
template <class F>
__host__ __device__ __noinline__ fe2<F> mul_call(const fe2<F> a, const fe2<F> b)
{
	if constexpr (F::nr_words > 8)
		return mul_rows(a, b);
	else
		return mul_karatsuba(a, b);
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

/* a0 b0 + a1 b1 + c0 d0 + c1 d1: a coordinate of mul_diff_rows(), out of line, too */
template <class F>
__host__ __device__ __noinline__ fe<F> sum4_call(const fe2<F> a, const fe2<F> b, const fe2<F> c,
						 const fe2<F> d)
{
	return sum_rows<F, 4>({ a.c0, a.c1, c.c0, c.c1 }, { b.c0, b.c1, d.c0, d.c1 });
}

/* a b - c d: eight products and two reductions. */
template <class F>
LULL_HD fe2<F> mul_diff_rows(const fe2<F> &a, const fe2<F> &b, const fe2<F> &c, const fe2<F> &d)
{
	const fe2<F> minus_d = { neg_lazy(d.c0), neg_lazy(d.c1) };

	return { sum4_call(a, { b.c0, neg_lazy(b.c1) }, c, { minus_d.c0, d.c1 }),
		 sum4_call(a, { b.c1, b.c0 }, c, { minus_d.c1, minus_d.c0 }) };
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

} /* namespace lull */

#endif
