/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multiples.cuh - k_i P for one point P and many scalars
 *
 * For the keys of `lull gen` and `lull key gen`: with a known trapdoor every
 * point of a key is a multiple of a generator.  A table has, for each window
 * of a scalar, the multiples of P by all its digits, so a multiple is one
 * addition a window.  Documentation/internals/cuda.rst has the cost.
 *
 * Calls in their order:
 *	multiples_plan_make()		what goes where; no device
 *	multiples_prepare<G>()		fills the table, asynchronous
 *	multiples_run<G>()		a batch, asynchronous
 * multiples.cu does so, with the batches that a backend's caller sees.
 */
#ifndef LULL_CUDA_MULTIPLES_CUH
#define LULL_CUDA_MULTIPLES_CUH

#include "msm.cuh"

#define MULTIPLES_WINDOW_MIN 4 /* below it the topmost digit would not fit */
#define MULTIPLES_WINDOW_MAX 20
#define MULTIPLES_BATCH_MIN 128
#define MULTIPLES_BATCH_MAX ((size_t)1 << 18)
/* A scalar plus half of every window. */
#define MULTIPLES_BIASED_WORDS 9

namespace lull
{

/**
 * struct multiples_plan - how multiples of a point are made
 * @curve: which
 * @group: 1 or 2
 * @point_bytes: of an affine point
 * @window_bits: of a digit
 * @nr_windows: digits of a scalar
 * @half: points of a window's table, 1 << (window_bits - 1): digits are signed
 * @batch: multiples at a time
 * @table_bytes: nr_windows tables, one after the other
 * @slot_bytes: a batch's scalars, then its points
 * @bytes: the table and LULL_MULTIPLES_SLOTS slots
 */
struct multiples_plan {
	enum lull_curve curve;
	int group;
	size_t point_bytes;
	unsigned int window_bits;
	unsigned int nr_windows;
	size_t half;
	size_t batch;
	size_t table_bytes;
	size_t slot_bytes;
	size_t bytes;
};

/* Where the points of a slot begin. */
size_t multiples_points_at(const struct multiples_plan *plan);

/* For @nr multiples within @budget_bytes of device memory: LULL_OK,
 * LULL_NOMEM with the least there should be, or LULL_USAGE. */
int multiples_plan_make(enum lull_curve curve, int group, uint64_t nr, uint64_t budget_bytes,
			struct multiples_plan *ret_plan, struct lull_error *reterr);

/* Fills the table with multiples of @base, which lies on the host. */
template <class G>
int multiples_prepare(const struct multiples_plan *plan, const void *base, void *table,
		      cudaStream_t stream, struct lull_error *reterr);

/* points[i] = scalars[i] base for nr <= batch; scalars Montgomery. */
template <class G>
int multiples_run(const struct multiples_plan *plan, const void *table, const void *scalars,
		  size_t nr, void *points, cudaStream_t stream, struct lull_error *reterr);

/* ---- for a backend's table: multiples.cu ------------------------------- */

struct curve_ops;

int multiples_open(const struct curve_ops *curve, void *device,
		   const struct lull_multiples_want *want, struct lull_multiples **ret_multiples,
		   struct lull_error *reterr);
int multiples_begin(struct lull_multiples *multiples, unsigned int slot, size_t nr,
		    struct lull_error *reterr);
int multiples_wait(struct lull_multiples *multiples, unsigned int slot, struct lull_error *reterr);
void multiples_close(struct lull_multiples *multiples);

} /* namespace lull */

#endif
