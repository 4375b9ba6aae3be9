// SPDX-License-Identifier: Apache-2.0
/*
 * place.cu - rows in the order of the domain; see place.cuh
 *
 * A thread a place: what it reads lies anywhere, in sectors of 32 bytes that it
 * has use for as a whole, and what a warp writes is whole lines.
 */
#include "place.cuh"

namespace lull
{

static constexpr unsigned int threads = 256;

static __global__ void place_kernel(uint4 *to, const uint4 *rows, size_t nr_rows, uint64_t inverse,
				    uint64_t mask)
{
	size_t j = (size_t)blockIdx.x * threads + threadIdx.x;

	if (j <= mask)
		place_row(to, j, rows, nr_rows, inverse, mask);
}

int place_rows(void *to, unsigned int log_n, const void *rows, size_t nr_rows, uint64_t step,
	       cudaStream_t stream, struct lull_error *reterr)
{
	size_t n = (size_t)1 << log_n;

	place_kernel<<<(unsigned int)((n + threads - 1) / threads), threads, 0, stream>>>(
		(uint4 *)to, (const uint4 *)rows, nr_rows, inverse_odd(step), n - 1);
	CUDA_TRY(cudaGetLastError(), reterr);
	return LULL_OK;
}

} /* namespace lull */
