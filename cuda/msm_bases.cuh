/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm_bases.cuh - the shifted copies of a table's points, once per key
 *
 * Copy i is copy i - 1 doubled so many times in XYZZ, then made affine with an
 * inversion that a block shares.
 */
#ifndef LULL_CUDA_MSM_BASES_CUH
#define LULL_CUDA_MSM_BASES_CUH

#include "msm_kernels.cuh"

namespace lull
{

template <class E>
static __global__ void __launch_bounds__(MSM_AFFINE_THREADS)
	shift_points(affine<E> *out, const affine<E> *in, uint32_t nr, unsigned int shift)
{
	__shared__ E shared[2 * MSM_AFFINE_THREADS];
	uint32_t i = blockIdx.x * MSM_AFFINE_THREADS + threadIdx.x;
	xyzz<E> p = xyzz<E>::infinity();
	affine<E> r;

	if (i < nr)
		p = to_xyzz(load_wide(in + i));
#pragma unroll 1
	for (unsigned int k = 0; k < shift; k++)
		dbl_xyzz(&p);
	r = block_affine<E, MSM_AFFINE_THREADS>(p, shared);
	if (i < nr)
		store_wide(out + i, r);
}

/* One bit for each point: is it infinity? */
template <class E>
static __global__ void __launch_bounds__(256)
	mark_infinite(uint32_t *infinite, const affine<E> *points, uint32_t nr)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, word;

	/* All 32 lanes. */
	word = __ballot_sync(0xffffffffu, i < nr && is_inf(load_wide(points + (i < nr ? i : 0))));
	if (i % 32 == 0 && i / 32 <= nr / 32)
		infinite[i / 32] = word;
}

} /* namespace lull */

#endif
