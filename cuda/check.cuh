/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.cuh - from cudaError_t to a status and a text
 *
 * For host code of every .cu file.  CUDA_TRY(expr, reterr) returns
 * LULL_DEVICE from the function that it stands in when expr fails, or
 * LULL_NOMEM when the device has no memory left; the message names file, line,
 * expression and what CUDA says.  Kernels are checked by
 * CUDA_TRY(cudaGetLastError(), reterr) after the launch.
 */
#ifndef LULL_CUDA_CHECK_CUH
#define LULL_CUDA_CHECK_CUH

#include <cuda_runtime_api.h>

extern "C" {
#include "base/error.h"
}

namespace lull
{

static inline int cuda_fail(cudaError_t error, const char *expr, const char *file, int line,
			    struct lull_error *reterr)
{
	return lull_fail(reterr, error == cudaErrorMemoryAllocation ? LULL_NOMEM : LULL_DEVICE,
			 "%s:%d: %s: %s (%s)", file, line, expr, cudaGetErrorString(error),
			 cudaGetErrorName(error));
}

} /* namespace lull */

#define CUDA_TRY(expr, reterr)                                                                     \
	do {                                                                                       \
		cudaError_t cuda_try_error = (expr);                                               \
		if (cuda_try_error != cudaSuccess)                                                 \
			return lull::cuda_fail(cuda_try_error, #expr, __FILE__, __LINE__, reterr); \
	} while (0)

/* launch() of launch.cuh: what it says names the place of this.  A name, a kernel,
 * its grid and threads, a stream, reterr and what the kernel takes. */
#define LAUNCH(what, ...) lull::launch(what, __FILE__, __LINE__, __VA_ARGS__)

/* CUDA_TRY() for a function of ours that returns a status. */
#define LULL_TRY(expr)                                                                             \
	do {                                                                                       \
		int lull_try_rc = (expr);                                                          \
		if (lull_try_rc)                                                                   \
			return lull_try_rc;                                                        \
	} while (0)

#endif
