// SPDX-License-Identifier: Apache-2.0
/*
 * msm_sort.cu - CUB's radix sort and scan for msm_inst.cuh
 *
 * In a file of its own, so that they are compiled once and not once a group.
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "msm_sort.cuh"

namespace lull
{

/* Half of bucket i, rounded up: what a level leaves of it. */
struct halve {
	const uint32_t *offsets;
	uint32_t nr;

	__host__ __device__ uint32_t operator()(uint32_t i) const
	{
		return i < nr ? (offsets[i + 1] - offsets[i] + 1) / 2 : 0;
	}
};

int msm_halve_offsets(const struct run_context *run, uint32_t *out, const uint32_t *offsets,
		      uint32_t nr, struct lull_error *reterr)
{
	auto halves = thrust::make_transform_iterator(thrust::counting_iterator<uint32_t>(0),
						      halve{ offsets, nr });
	size_t bytes = 0;

	CUDA_TRY(cub::DeviceScan::ExclusiveSum(NULL, bytes, halves, out, nr + 1, run->stream),
		 reterr);
	if (bytes > run->plan->scratch.cub_bytes)
		return lull_fail(reterr, LULL_INTERNAL, "msm: CUB's scan wants %zu bytes of %zu",
				 bytes, run->plan->scratch.cub_bytes);
	CUDA_TRY(cub::DeviceScan::ExclusiveSum(run->at<void>(run->plan->scratch.cub), bytes, halves,
					       out, nr + 1, run->stream),
		 reterr);
	return LULL_OK;
}

int msm_sort_refs(const struct run_context *run, size_t nr, uint32_t **ret_keys,
		  uint32_t **ret_refs, struct lull_error *reterr)
{
	const struct msm_layout *l = &run->plan->scratch;
	cub::DoubleBuffer<uint32_t> keys(run->at<uint32_t>(l->keys[0]),
					 run->at<uint32_t>(l->keys[1]));
	cub::DoubleBuffer<uint32_t> refs(run->at<uint32_t>(l->refs[0]),
					 run->at<uint32_t>(l->refs[1]));
	size_t bytes = 0;

	CUDA_TRY(cub::DeviceRadixSort::SortPairs(NULL, bytes, keys, refs, nr, 0,
						 (int)run->plan->key_bits, run->stream),
		 reterr);
	if (bytes > l->cub_bytes)
		return lull_fail(reterr, LULL_INTERNAL, "msm: CUB's sort wants %zu bytes of %zu",
				 bytes, l->cub_bytes);
	CUDA_TRY(cub::DeviceRadixSort::SortPairs(run->at<void>(l->cub), bytes, keys, refs, nr, 0,
						 (int)run->plan->key_bits, run->stream),
		 reterr);
	*ret_keys = keys.Current();
	*ret_refs = refs.Current();
	return LULL_OK;
}

} /* namespace lull */
