/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm_sort.cuh - what CUB does for a run: the same for every group
 */
#ifndef LULL_CUDA_MSM_SORT_CUH
#define LULL_CUDA_MSM_SORT_CUH

#include "msm.cuh"

namespace lull
{

/* Scratch and stream of one run. */
struct run_context {
	const struct msm_plan *plan;
	char *scratch;
	cudaStream_t stream;

	template <class T>
	T *at(size_t offset) const
	{
		return (T *)(scratch + offset);
	}
};

/* out[i] = the start of bucket i, i <= nr, when every bucket is halved, rounded
 * up. */
int msm_halve_offsets(const struct run_context *run, uint32_t *out, const uint32_t *offsets,
		      uint32_t nr, struct lull_error *reterr);

/* Sorts the nr pairs in keys[0], refs[0] of the scratch; where they are then. */
int msm_sort_refs(const struct run_context *run, size_t nr, uint32_t **ret_keys,
		  uint32_t **ret_refs, struct lull_error *reterr);

} /* namespace lull */

#endif
