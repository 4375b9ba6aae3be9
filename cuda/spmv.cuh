/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spmv.cuh - a = A w and b = B w on the device
 *
 * For the backend.  What fr_spmv() of userspace/synth/spmv.h computes, from the
 * same records.  A key's matrices are written once as rows of (column, id),
 * where id names a coefficient in a dictionary: 5 bytes an entry where a key
 * has up to 256 distinct coefficients, 6 up to 65,536, and 8 beyond, when every
 * entry has its coefficient to itself.
 *
 * Rows of up to row_max entries have a thread each.  Longer ones are cut into
 * segments of a warp each, so one row with all entries is as quick as many
 * short ones.  A two-bit map of the witness, small enough for the second cache,
 * spares zeros and ones their loads and their products.
 */
#ifndef LULL_CUDA_SPMV_CUH
#define LULL_CUDA_SPMV_CUH

#include <cuda_runtime_api.h>

#include "check.cuh"
#include "ntt_field.cuh"

struct lull_workers;

namespace lull
{

constexpr unsigned int spmv_nr_matrices = 2;
/* Entries of a row that one thread takes; of a segment. */
constexpr uint32_t spmv_row_max = 16;
constexpr uint32_t spmv_segment_max = 512;

/* Some entries of a long row; dest is the row, or with spmv_partial set the
 * number of a partial sum. */
struct spmv_segment {
	uint32_t first, nr, dest;
};
constexpr uint32_t spmv_partial = 0x80000000u; /* bit 31: rows are below 2^28 */

/* A row of several segments: its partial sums. */
struct spmv_long_row {
	uint32_t row, first, nr;
};

/* One matrix: sizes, and where its parts lie in the key's block, in bytes. */
struct spmv_part {
	size_t nr_entries;
	size_t nr_segments, nr_long_rows, nr_partials;
	size_t starts, columns, ids, segments, long_rows;
};

/**
 * struct spmv_plan - a key's matrices
 * @log_n: 2^log_n rows
 * @nr_vars: columns
 * @id_bytes: 1, 2 or 4
 * @nr_coefs: distinct coefficients; entries of both matrices for 4 bytes
 * @dictionary: where in the key's block: times 2^512 as in the key, then
 *	Montgomery
 * @part: A and B
 * @bytes: of the key's block
 * @scratch_bytes: of a product
 * @coefs: on the host: the distinct coefficients, sorted; NULL for 4 bytes
 * @counts: on the host: entries by matrix and row
 */
struct spmv_plan {
	unsigned int log_n;
	size_t nr_vars;
	unsigned int id_bytes;
	size_t nr_coefs;
	size_t dictionary;
	struct spmv_part part[spmv_nr_matrices];
	size_t bytes, scratch_bytes;
	uint64_t (*coefs)[4];
	uint32_t *counts;
};

/**
 * spmv_plan_make - read a key's records and lay its matrices out; no device
 * @coefs: nr_coefs records as userspace/synth/spmv.h has them, checked, in any
 *	order, at any alignment
 * @nr_coefs: below 2^32
 * @log_n: 2^log_n rows, at most 2^28
 * @nr_vars: signals
 * @workers: a pool to share the work
 * @ret_plan: to be ended by spmv_plan_done()
 *
 * Takes 8 bytes of host memory a row.  LULL_OK, LULL_NOMEM, LULL_RANGE.
 */
int spmv_plan_make(const uint8_t *coefs, size_t nr_coefs, unsigned int log_n, size_t nr_vars,
		   struct lull_workers *workers, struct spmv_plan *ret_plan,
		   struct lull_error *reterr);
void spmv_plan_done(struct spmv_plan *plan);

/* Writes the matrices into block, plan->bytes of host memory; the device's
 * block is a copy of it.  The plan's host memory is freed. */
int spmv_fill(struct spmv_plan *plan, const uint8_t *coefs, size_t nr_coefs,
	      struct lull_workers *workers, uint8_t *block, struct lull_error *reterr);

/* spmv_fill() and the copy to block, plan->bytes of device memory, aligned to
 * 256; done when it returns. */
template <class F>
int spmv_upload(struct spmv_plan *plan, const uint8_t *coefs, size_t nr_coefs,
		struct lull_workers *workers, void *block, cudaStream_t stream,
		struct lull_error *reterr);

/**
 * spmv_run - a = A w, b = B w
 * @plan: uploaded to @block
 * @witness: plan->nr_vars plain canonical integers, device memory
 * @a: 2^log_n Montgomery elements of device memory, written whole
 * @b: the same
 * @scratch: plan->scratch_bytes of device memory, aligned to 256; holds parts of
 *	the witness afterwards
 */
template <class F>
int spmv_run(const struct spmv_plan *plan, const void *block, const void *witness, fe<F> *a,
	     fe<F> *b, void *scratch, cudaStream_t stream, struct lull_error *reterr);

} /* namespace lull */

#endif
