/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.cuh - a kernel's launch, checked
 *
 * For the host code of msm_inst.cuh.  Where LULL_CUDA_EMULATED is defined a
 * header of the tests takes its place and runs kernels on the host.
 */
#ifndef LULL_CUDA_LAUNCH_CUH
#define LULL_CUDA_LAUNCH_CUH

#include "check.cuh"

namespace lull
{

/* LAUNCH() of check.cuh: launches what is called @what; LULL_OK, or what CUDA says
 * of the launch. */
template <class... P, class... A>
static int launch(const char *what, const char *file, int line, void (*kernel)(P...), dim3 grid,
		  unsigned int threads, cudaStream_t stream, struct lull_error *reterr, A... args)
{
	cudaError_t error;

	kernel<<<grid, threads, 0, stream>>>(args...);
	error = cudaGetLastError();
	if (error != cudaSuccess)
		return cuda_fail(error, what, file, line, reterr);
	return LULL_OK;
}

} /* namespace lull */

#endif
