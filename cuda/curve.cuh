/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curve.cuh - the kernels of one curve behind plain functions
 *
 * For what is compiled once, such as layout.cu and key.cu: inst_bn254.cu and
 * inst_bls12_381.cu fill a table each.  Pointers are device memory aligned to
 * part_align unless said otherwise; functions with a stream only enqueue.
 */
#ifndef LULL_CUDA_CURVE_CUH
#define LULL_CUDA_CURVE_CUH

#include <cuda_runtime_api.h>

#include "backend/backend.h"
#include "msm.cuh"
#include "multiples.cuh"
#include "spmv.cuh"

namespace lull
{

/* What cudaMalloc() aligns to, and so every part. */
constexpr size_t part_align = 256;
/* A value of the witness and a scalar of H. */
constexpr size_t scalar_bytes = 32;
/* The largest that transforms and matrices have: 2^28. */
constexpr unsigned int log2_domain_max = 28;

/**
 * struct sum_ops - sums of points of one group
 * @group: 1 or 2
 * @point_bytes: of an affine point as a key has it
 * @sums_bytes: of what one run leaves in pinned memory, at most
 * @down_bytes: so many of them are copied there; @ones says of which run
 * @prepare: a table in place, where points as a key has them lie first
 * @run: sum of scalars[i] points[i], i = index[0 .. nr), or 0 .. nr without
 * @run_ones: sum of points[refs[0 .. nr)], into a sums_bytes of its own
 * @gather: on the host, *acc += what a run left; @ones says which
 * @finish: on the host, *acc as an affine point of a key
 */
struct sum_ops {
	int group;
	size_t point_bytes;
	size_t sums_bytes;
	size_t (*down_bytes)(const struct msm_plan *plan, bool ones);
	int (*prepare)(const struct msm_plan *plan, void *table, cudaStream_t stream,
		       struct lull_error *reterr);
	int (*run)(const struct msm_plan *plan, const void *table, const void *scalars,
		   const uint32_t *index, size_t nr, void *scratch, void *sums, cudaStream_t stream,
		   struct lull_error *reterr);
	int (*run_ones)(const struct msm_plan *plan, const void *table, const uint32_t *refs,
			size_t nr, void *scratch, void *sums, cudaStream_t stream,
			struct lull_error *reterr);
	void (*gather)(const struct msm_plan *plan, const void *sums, bool ones, void *acc);
	void (*finish)(const void *acc, uint8_t *ret_point);
};

/**
 * struct multiples_ops - multiples of one point of one group
 * @prepare: multiples_prepare() of multiples.cuh
 * @run: multiples_run()
 */
struct multiples_ops {
	int (*prepare)(const struct multiples_plan *plan, const void *base, void *table,
		       cudaStream_t stream, struct lull_error *reterr);
	int (*run)(const struct multiples_plan *plan, const void *table, const void *scalars,
		   size_t nr, void *points, cudaStream_t stream, struct lull_error *reterr);
};

/* The host's accumulator of gather(): zero is infinity. */
constexpr size_t acc_bytes = 2 * LULL_POINT_BYTES_MAX;

/**
 * struct curve_ops - one curve
 * @id: the curve
 * @sums: of G1 and of G2
 * @state_bytes: host memory of what the functions below keep with a key
 * @tables_bytes: of a domain's tables
 * @tables_make: fills them
 * @quotient_scratch: bytes besides a and b
 * @quotient: a becomes the scalars of H, plain, of a key into which C is folded
 *	or not; b is destroyed
 * @coefs_bytes: of the tables of what follows
 * @coefs_make: fills them
 * @coefs: what @quotient left in a becomes the quotient's coefficients, plain
 * @spmv_prepare: spmv_prepare() of spmv.cuh
 * @spmv_prepare_block: spmv_prepare_block()
 * @spmv: spmv_run()
 * @classify_scratch: bytes
 * @classify: lists, in order, the places of ones and of values that are neither
 *	0 nor 1, each with room for nr; counts[0] and counts[1], pinned host
 *	memory, say how many
 * @multiples: of points of G1 and of G2
 * @kernel: one, which CUDA can be asked about
 * @take_stacks: msm_take_stacks() of msm.cuh, of the group that takes more
 */
struct curve_ops {
	enum lull_curve id;
	struct sum_ops sums[2];
	size_t state_bytes;
	uint64_t (*tables_bytes)(unsigned int log2_n);
	int (*tables_make)(void *state, unsigned int log2_n, void *tables, cudaStream_t stream,
			   struct lull_error *reterr);
	uint64_t (*quotient_scratch)(unsigned int log2_n, bool folded);
	int (*quotient)(const void *state, void *a, void *b, void *scratch, bool folded,
			cudaStream_t stream, struct lull_error *reterr);
	uint64_t (*coefs_bytes)(unsigned int log2_n);
	int (*coefs_make)(void *state, unsigned int log2_n, void *tables, cudaStream_t stream,
			  struct lull_error *reterr);
	int (*coefs)(const void *state, void *a, cudaStream_t stream, struct lull_error *reterr);
	int (*spmv_prepare)(const struct spmv_plan *plan, void *dictionary, cudaStream_t stream,
			    struct lull_error *reterr);
	int (*spmv_prepare_block)(const struct spmv_plan *plan, size_t i, void *block,
				  cudaStream_t stream, struct lull_error *reterr);
	int (*spmv)(const struct spmv_plan *plan, size_t i, const void *dictionary,
		    const void *block, const void *witness, void *a, void *b, void *scratch,
		    cudaStream_t stream, struct lull_error *reterr);
	uint64_t (*classify_scratch)(size_t nr);
	int (*classify)(const void *values, size_t nr, uint32_t *ones, uint32_t *others,
			uint32_t *counts, void *scratch, cudaStream_t stream,
			struct lull_error *reterr);
	struct multiples_ops multiples[2];
	const void *(*kernel)(void);
	int (*take_stacks)(cudaStream_t stream, struct lull_error *reterr);
};

extern const struct curve_ops curve_bn254;
extern const struct curve_ops curve_bls12_381;

/* For `lull bench kernels`, in the order of its rows. */
constexpr size_t nr_curve_kernels = 9;
extern const struct lull_backend_kernel curve_bn254_kernels[nr_curve_kernels];
extern const struct lull_backend_kernel curve_bls12_381_kernels[nr_curve_kernels];

} /* namespace lull */

#endif
