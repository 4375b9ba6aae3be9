/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm_reduce.cuh - from buckets to the sums that the host adds up
 *
 * The sum of (i + 1) B_i over a set's buckets, with i = (row, column) of a
 * matrix of 2^row_bits columns, is
 *	2^row_bits sum of row R_row  +  sum of (column + 1) C_column
 * where R and C are sums of rows and of columns.  Those few are summed once
 * for each bit of their factor; the host doubles and adds the rest.
 */
#ifndef LULL_CUDA_MSM_REDUCE_CUH
#define LULL_CUDA_MSM_REDUCE_CUH

#include "msm_kernels.cuh"

namespace lull
{

/* Threads that sum a line of the matrix, and threads that sum a bit. */
#define LINE_THREADS 64
#define BIT_THREADS 128

struct matrix {
	unsigned int row_bits, column_bits;
	uint32_t set_buckets;

	__host__ __device__ uint32_t nr_columns() const
	{
		return 1u << row_bits;
	}
	__host__ __device__ uint32_t nr_rows() const
	{
		return 1u << column_bits;
	}
	__host__ __device__ uint32_t nr_lines() const
	{
		return nr_rows() + nr_columns();
	}
};

/* The sum over a block of NT threads, in thread 0.  @shared: NT / 2 points. */
template <class E, unsigned int NT>
static __device__ __forceinline__ void block_sum(xyzz<E> *sum, xyzz<E> *shared)
{
	unsigned int t = threadIdx.x;

#pragma unroll 1
	for (unsigned int half = NT / 2; half; half /= 2) {
		if (t >= half && t < 2 * half)
			shared[t - half] = *sum;
		__syncthreads();
		if (t < half)
			add_xyzz_call(sum, &shared[t]);
		__syncthreads();
	}
}

/* Block (line, set): lines [0, nr_rows) are rows, the others columns. */
template <class E>
static __global__ void __launch_bounds__(LINE_THREADS)
	sum_lines(xyzz<E> *lines, const xyzz<E> *buckets, struct matrix m)
{
	__shared__ xyzz<E> shared[LINE_THREADS / 2];
	uint32_t line = blockIdx.x, set = blockIdx.y;
	bool is_row = line < m.nr_rows();
	uint32_t first = is_row ? line << m.row_bits : line - m.nr_rows();
	uint32_t step = is_row ? 1 : m.nr_columns();
	uint32_t nr = is_row ? m.nr_columns() : m.nr_rows();
	xyzz<E> sum = xyzz<E>::infinity();

	buckets += (size_t)set * m.set_buckets;
#pragma unroll 1
	for (uint32_t i = threadIdx.x; i < nr; i += LINE_THREADS) {
		uint32_t b = first + i * step;
		xyzz<E> next;

		if (b >= m.set_buckets)
			break;
		next = load_wide(buckets + b);
		add_xyzz_call(&sum, &next);
	}
	block_sum<E, LINE_THREADS>(&sum, shared);
	if (!threadIdx.x)
		store_wide(lines + (size_t)set * m.nr_lines() + line, sum);
}

/* Number i, from 0, of the integers that have the bit of @mask. */
static __device__ __forceinline__ uint32_t with_bit(uint32_t i, uint32_t mask)
{
	uint32_t low = i & (mask - 1);

	return (i - low) << 1 | mask | low;
}

/*
 * Block (bit, set): bits [0, row_bits] of column + 1, then column_bits of the
 * row.  sums[] has them in this order, set by set.
 */
template <class E>
static __global__ void __launch_bounds__(BIT_THREADS)
	sum_bits(xyzz<E> *sums, const xyzz<E> *lines, struct matrix m)
{
	__shared__ xyzz<E> shared[BIT_THREADS / 2];
	uint32_t bit = blockIdx.x, set = blockIdx.y;
	bool is_row = bit > m.row_bits;
	uint32_t mask = 1u << (is_row ? bit - m.row_bits - 1 : bit);
	/* Only the last column's factor has bit row_bits. */
	uint32_t nr = is_row ? m.nr_rows() / 2 : bit == m.row_bits ? 1 : m.nr_columns() / 2;
	xyzz<E> sum = xyzz<E>::infinity();

	lines += (size_t)set * m.nr_lines() + (is_row ? 0 : m.nr_rows());
#pragma unroll 1
	for (uint32_t i = threadIdx.x; i < nr; i += BIT_THREADS) {
		uint32_t factor = with_bit(i, mask);
		xyzz<E> next = load_wide(lines + (is_row ? factor : factor - 1));

		add_xyzz_call(&sum, &next);
	}
	block_sum<E, BIT_THREADS>(&sum, shared);
	if (!threadIdx.x)
		store_wide(sums + (size_t)set * gridDim.x + bit, sum);
}

} /* namespace lull */

#endif
