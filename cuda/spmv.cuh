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
 * Rows are written in blocks.  A key that stays on the device is one block; one
 * that does not fit is cut into blocks that go through two buffers.  A block
 * has everything that its rows need but the dictionary that all share, its
 * numbers count from its own first row and entry:
 *
 *	[ starts, columns, ids, segments, long rows of A ][ the same of B ]
 *	[ its own coefficients ][ their Montgomery forms, made on the device ]
 *
 * where the last line is there only when entries do not share coefficients.
 *
 * Rows of up to row_max entries have a thread each.  Longer ones are cut into
 * segments of a warp each, so one row with all entries is as quick as many
 * short ones.  A two-bit map of the witness, small enough for the second cache,
 * spares zeros and ones their loads and their products.
 */
#ifndef LULL_CUDA_SPMV_CUH
#define LULL_CUDA_SPMV_CUH

#include <cuda_runtime_api.h>

#include "base/csr.h"
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

/* The rows of one matrix in a block: sizes, and where they lie in the block, in
 * bytes. */
struct spmv_part {
	size_t nr_entries;
	size_t nr_segments, nr_long_rows, nr_partials;
	size_t starts, columns, ids, segments, long_rows;
};

/**
 * struct spmv_block - some rows of both matrices
 * @first_row: of them
 * @nr_rows: how many
 * @part: A and B
 * @nr_coefs: entries of both, where each has its coefficient to itself; else 0
 * @dictionary: where these lie in the block: times 2^512 as in the key, then
 *	Montgomery
 * @host_bytes: what the host writes, the block but for the Montgomery forms
 * @bytes: on the device
 * @at: where it begins in what spmv_fill() writes
 */
struct spmv_block {
	size_t first_row, nr_rows;
	struct spmv_part part[spmv_nr_matrices];
	size_t nr_coefs;
	size_t dictionary;
	size_t host_bytes, bytes;
	size_t at;
};

/**
 * struct spmv_plan - a key's matrices
 * @log_n: 2^log_n rows
 * @nr_vars: columns
 * @id_bytes: 1, 2 or 4
 * @nr_coefs: coefficients that all blocks share; 0 for 4 bytes
 * @dictionary_bytes: of these on the device: times 2^512, then Montgomery
 * @blocks: the rows, from the first to the last
 * @nr_blocks: how many
 * @block_bytes_max: of the largest, on the device
 * @row_bytes_max: of a block, at least; for the largest row
 * @host_bytes: of what spmv_fill() writes
 * @scratch_bytes: of a product
 * @coefs: on the host: the shared coefficients, sorted
 * @counts: on the host: entries by matrix and row
 */
struct spmv_plan {
	unsigned int log_n;
	size_t nr_vars;
	unsigned int id_bytes;
	size_t nr_coefs;
	size_t dictionary_bytes;
	struct spmv_block *blocks;
	size_t nr_blocks;
	size_t block_bytes_max, row_bytes_max;
	size_t host_bytes, scratch_bytes;
	uint64_t (*coefs)[4];
	uint32_t *counts;
};

/**
 * struct spmv_records - a key's matrices as its file has them
 * @coefs: @nr_coefs records as userspace/synth/spmv.h has them, checked, in any
 *	order, at any alignment
 * @nr_coefs: below 2^32
 * @csr: the matrices by rows, checked, where @coefs is NULL
 */
struct spmv_records {
	const uint8_t *coefs;
	size_t nr_coefs;
	const struct lull_csr *csr;
};

/**
 * spmv_plan_make - read a key's records and lay its matrices out as one block;
 *	no device
 * @records: the matrices
 * @log_n: 2^log_n rows, at most 2^28
 * @nr_vars: signals
 * @workers: a pool to share the work
 * @ret_plan: to be ended by spmv_plan_done()
 *
 * Takes 8 bytes of host memory a row.  LULL_OK, LULL_NOMEM, LULL_RANGE.
 */
int spmv_plan_make(const struct spmv_records *records, unsigned int log_n, size_t nr_vars,
		   struct lull_workers *workers, struct spmv_plan *ret_plan,
		   struct lull_error *reterr);
void spmv_plan_done(struct spmv_plan *plan);

/* Cuts the rows into blocks of at most bytes_max on the device, which must be
 * row_bytes_max or more; before spmv_fill(). */
int spmv_cut(struct spmv_plan *plan, size_t bytes_max, struct lull_error *reterr);

/* Writes the shared coefficients to host, plan->host_bytes, and behind them
 * each block where it says.  The counts and the coefficients are freed. */
int spmv_fill(struct spmv_plan *plan, const struct spmv_records *records,
	      struct lull_workers *workers, uint8_t *host, struct lull_error *reterr);

/* Of the shared coefficients: the first half of dictionary is there, the second
 * is made. */
template <class F>
int spmv_prepare(const struct spmv_plan *plan, void *dictionary, cudaStream_t stream,
		 struct lull_error *reterr);

/* The same for the coefficients of a block's own, whose host_bytes have come. */
template <class F>
int spmv_prepare_block(const struct spmv_plan *plan, size_t i, void *block, cudaStream_t stream,
		       struct lull_error *reterr);

/* Before the first block: the map of a witness, which is made unless @map, in device
 * memory, is it. */
int spmv_begin(const struct spmv_plan *plan, const void *witness, const uint32_t *map,
	       void *scratch, cudaStream_t stream, struct lull_error *reterr);

/**
 * spmv_run - a = A w, b = B w over the rows of one block
 * @plan: filled
 * @i: which block
 * @dictionary: the shared one, prepared
 * @block: the block's, prepared, aligned to 256
 * @witness: plan->nr_vars plain canonical integers, device memory
 * @a: 2^log_n Montgomery elements of device memory; the block's rows are
 *	written
 * @b: the same
 * @scratch: plan->scratch_bytes of device memory, aligned to 256, after
 *	spmv_begin(); holds parts of the witness
 */
template <class F>
int spmv_run(const struct spmv_plan *plan, size_t i, const void *dictionary, const void *block,
	     const void *witness, fe<F> *a, fe<F> *b, void *scratch, cudaStream_t stream,
	     struct lull_error *reterr);

} /* namespace lull */

#endif
