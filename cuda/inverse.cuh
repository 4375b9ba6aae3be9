/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inverse.cuh - one over a field element, in two ways
 *
 * For fp2.cuh and what stands on it.  The power is the plain twin of the
 * division steps; nothing hot uses it.
 */
#ifndef LULL_CUDA_INVERSE_CUH
#define LULL_CUDA_INVERSE_CUH

#include "field.cuh"

namespace lull
{

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

} /* namespace lull */

#endif
