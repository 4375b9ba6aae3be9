/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.cuh - a key on a device, and the proofs that run with it
 *
 * For backend_cuda.cu.  key.cu attaches a key by planning (layout.cuh),
 * allocating two blocks and uploading.  stages.cu proves and allocates nothing:
 * a proof takes the key's block for proofs, enqueues its stages on the lanes'
 * streams and waits twice: for how much of the witness is ones and bits, and
 * for the few points that the host adds up.  A key has one such block, so a
 * second proof of the same key waits for the first.
 */
#ifndef LULL_CUDA_KEY_CUH
#define LULL_CUDA_KEY_CUH

#include "curve.cuh"
#include "device.cuh"
#include "layout.cuh"

namespace lull
{

constexpr unsigned int nr_span_stages = LULL_STAGE_MSM_H + 1;

/**
 * struct cuda_key - a key on a device
 * @device: the device
 * @layout: where everything lies
 * @state: of the curve's functions
 * @key_block: what stays
 * @proof_block: what a proof works on; whoever holds @lock has it, and all that
 *	follows
 * @lock: held from LULL_STAGE_LOAD to LULL_STAGE_RETIRE
 * @streams: one a lane
 * @copy_stream: brings points of streamed sections
 * @begun: per stage, when it began
 * @ended: per stage, when it ended
 * @filled: per buffer, when its points have come
 * @drained: per buffer, when they have been used
 * @matrices: how they are cut
 * @points: of streamed sections, their points in pinned memory, without the
 *	missing ones: the key's own, or @pinned
 * @pinned: of streamed sections that are not in pinned memory, a copy
 * @rows: what spmv_fill() wrote; kept when the matrices are streamed
 * @sums: pinned: of each section, what its chunks and its ones left
 * @counts: pinned: of ones and of others in the witness
 * @counted: @counts has been waited for
 * @staging: for the witness
 */
struct cuda_key {
	struct device *device;
	struct layout layout;
	struct spmv_plan matrices;
	void *state;
	uint8_t *key_block, *proof_block;
	pthread_mutex_t lock;
	cudaStream_t streams[nr_lanes_max];
	cudaStream_t copy_stream;
	cudaEvent_t begun[nr_span_stages], ended[nr_span_stages];
	cudaEvent_t filled[2], drained[2];
	const uint8_t *points[NR_SECTIONS];
	struct pinned pinned[NR_SECTIONS];
	struct pinned rows;
	uint8_t *sums[NR_SECTIONS];
	uint32_t *counts;
	bool counted;
	struct staging staging;
};

/* Bytes of sums[]: one part for each chunk, one for ones. */
static inline size_t sums_bytes(const struct section *s)
{
	return (s->nr_chunks + 1) * s->sum->sums_bytes;
}

/* As struct lull_backend_ops has them. */
int key_attach(const struct curve_ops *curve, void *device, const struct lull_key_arrays *arrays,
	       struct lull_workers *workers, void **ret_key, struct lull_error *reterr);
void key_detach(void *key);
size_t stages_scratch_bytes(const void *key, unsigned int nr_threads);
int stages_run(void *key, enum lull_stage stage, const struct lull_stage_args *args,
	       struct lull_error *reterr);
int stages_wait(void *key, const struct lull_stage_args *args, struct lull_backend_span *spans,
		struct lull_error *reterr);

} /* namespace lull */

#endif
