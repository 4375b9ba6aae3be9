/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dense.cuh - which wires of a key have points in A and in B, and these alone
 *
 * For layout.cu, which makes tables without the points at infinity where there
 * are many of them, and for key.cu, which uploads such tables.
 */
#ifndef LULL_CUDA_DENSE_CUH
#define LULL_CUDA_DENSE_CUH

#include "curve.cuh"
#include "device.cuh"

namespace lull
{

/* Whose values sums are over: of all wires, or of those that have points in A,
 * or in B1 or B2. */
enum list_id { LIST_ALL, LIST_A, LIST_B, NR_LISTS };

/**
 * struct dense - which wires have points
 * @nr: of each list
 * @bits: bit i % 64 of word i / 64: wire i is in the list.  NULL for LIST_ALL,
 *	and for an assigned key, whose proofs bring them.
 */
struct dense {
	size_t nr[NR_LISTS];
	uint64_t *bits[NR_LISTS];
};

/*
 * Looks at every point of A, B1 and B2, over all threads.  Each device that has a
 * copy of a key does, though the same comes out: copies know nothing of each
 * other, and a bitmap that they shared would be theirs to count and to free, or
 * the host's to make for backends that have no use for it.  It is a line of
 * memory a point, where the point's way up, which each copy has too, is all of
 * them.
 */
int dense_find(const struct curve_ops *curve, const struct lull_key_arrays *arrays,
	       struct lull_workers *workers, struct dense *ret_dense, struct lull_error *reterr);
/* Takes one that is all zero. */
void dense_done(struct dense *dense);

/**
 * struct kept_points - points of which some go up
 * @points: nr_vars points, at any alignment
 * @point_bytes: of one
 * @bits: those that do
 * @nr_vars: how many bits
 */
struct kept_points {
	const uint8_t *points;
	size_t point_bytes;
	const uint64_t *bits;
	size_t nr_vars;
};

/* Queues their way up on the stream, one behind the other, through staging. */
int dense_upload(const struct kept_points *kept, struct staging *staging, struct device *device,
		 uint8_t *to, struct lull_workers *workers, cudaStream_t stream,
		 struct lull_error *reterr);

} /* namespace lull */

#endif
