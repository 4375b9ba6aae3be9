/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm_sample.cuh - large multiplications whose result is known
 *
 * For tests and benches.  Point i is m_i G with a factor m_i of 32 bits,
 * scalar i is random below r, both from a hash of i, so the sum is (sum of
 * m_i s_i) G: one short sum in Fr says whether a run of any size was right.
 */
#ifndef LULL_CUDA_MSM_SAMPLE_CUH
#define LULL_CUDA_MSM_SAMPLE_CUH

#include "msm_kernels.cuh"

namespace lull
{

/* splitmix64 */
static LULL_HD uint64_t sample_hash(uint64_t x)
{
	/* Constants of the generator. */
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static LULL_HD uint32_t sample_factor(uint32_t i)
{
	return (uint32_t)sample_hash(i) | 1;
}

/* points[i] = sample_factor(i) generator */
template <class E>
static __global__ void __launch_bounds__(MSM_AFFINE_THREADS)
	sample_points(affine<E> *points, uint32_t nr, const affine<E> *generator)
{
	__shared__ E shared[2 * MSM_AFFINE_THREADS];
	uint32_t i = blockIdx.x * MSM_AFFINE_THREADS + threadIdx.x;
	uint32_t factor = sample_factor(i);
	affine<E> g = *generator, r;
	xyzz<E> p = xyzz<E>::infinity();
	E inv = E::one();

#pragma unroll 1
	for (int bit = 31; bit >= 0; bit--) {
		dbl_xyzz(&p);
		if (factor >> bit & 1)
			add_affine(p, g);
	}
	inv = p.zzz;
	block_inverse<E, MSM_AFFINE_THREADS>(&inv, shared);
	r.x = mul(p.x, sqr(mul(p.zz, inv)));
	r.y = mul(p.y, inv);
	if (i < nr)
		store_wide(points + i, r);
}

/* scalars[i] random below 2^(bits - 1) < r, plain. */
template <class F>
static __global__ void __launch_bounds__(256)
	sample_scalars(fe<F> *scalars, uint32_t nr, uint64_t seed)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	fe<F> s;

	if (i >= nr)
		return;
	for (unsigned int k = 0; k < F::nr_words; k += 2) {
		uint64_t word = sample_hash(seed + (uint64_t)i * F::nr_words + k);

		s.l[k] = (uint32_t)word;
		s.l[k + 1] = (uint32_t)(word >> 32);
	}
	s.l[F::nr_words - 1] &= (1u << (F::bits - 1) % 32) - 1;
	scalars[i] = s;
}

/* sums[thread] = the thread's part of the sum of factors times scalars, in
 * Montgomery form. */
template <class F>
static __global__ void __launch_bounds__(256)
	sample_sum(fe<F> *sums, const fe<F> *scalars, uint32_t nr)
{
	uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
	fe<F> sum = fe<F>::zero();

	for (uint32_t i = t; i < nr; i += gridDim.x * blockDim.x) {
		fe<F> m = fe<F>::zero();

		m.l[0] = sample_factor(i);
		sum = add(sum, mul(from_plain(m), scalars[i]));
	}
	sums[t] = from_plain(sum);
}

#define SAMPLE_SUM_BLOCKS 64
#define SAMPLE_SUM_THREADS (SAMPLE_SUM_BLOCKS * 256)

} /* namespace lull */

#endif
