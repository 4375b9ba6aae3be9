// SPDX-License-Identifier: Apache-2.0
/*
 * spmv.cu - the sparse products on the device
 *
 * For the backend.  An entry whose signal is 0 is passed over, one whose signal
 * is 1 adds its coefficient; for any other signal, plain, and a coefficient
 * times 2^512, one Montgomery product gives the Montgomery form.  A thread runs
 * through its row up to the next such entry, so that the products of a warp
 * fall together.
 */
#include "spmv.cuh"

#include <memory>
#include <new>

#include "classify.cuh"
#include "ntt_tile.cuh"

extern "C" {
#include "base/base.h"
}

namespace lull
{

static constexpr unsigned int threads = 256;
static constexpr unsigned int warp_size = 32;

/* A matrix and what it multiplies, on the device; ID names coefficients. */
template <class F, class ID>
struct spmv_args {
	const uint32_t *starts, *columns;
	const ID *ids;
	const struct spmv_segment *segments;
	const struct spmv_long_row *long_rows;
	size_t nr_rows, nr_segments, nr_long_rows;
	const fe<F> *scaled, *coefs; /* times 2^512; Montgomery */
	const fe<F> *witness;
	const uint32_t *map;
	fe<F> *out, *partials;
};

template <class F, class ID>
struct spmv_both {
	spmv_args<F, ID> matrix[spmv_nr_matrices];
};

/* The sum of entries i, i + stride, ... below end; for whole warps. */
template <class F, class ID>
static __device__ fe<F> sum_entries(const spmv_args<F, ID> &m, uint32_t i, uint32_t end,
				    uint32_t stride)
{
	fe<F> sum = fe<F>::zero();

	for (;;) {
		uint32_t column = 0;
		bool found = false;

		for (; i < end; i += stride) {
			uint32_t c;

			column = __ldg(m.columns + i);
			c = __ldg(m.map + column / class_nr) >> class_bits * (column % class_nr) &
			    3;
			found = c == SCALAR_OTHER;
			if (found)
				break;
			if (c == SCALAR_ONE)
				sum = add(sum, load_fe(m.coefs + __ldg(m.ids + i)));
		}
		if (!__any_sync(~0u, found))
			return sum;
		if (!found)
			continue;
		sum = add(sum, mul(load_fe(m.scaled + __ldg(m.ids + i)),
				      load_fe(m.witness + column)));
		i += stride;
	}
}

/* A thread a row; rows with segments are left to them. */
template <class F, class ID>
static __global__ void __launch_bounds__(threads)
	rows_kernel(const __grid_constant__ spmv_both<F, ID> both)
{
	const spmv_args<F, ID> &m = both.matrix[blockIdx.y];
	size_t row = (size_t)blockIdx.x * threads + threadIdx.x;
	uint32_t first = 0, end = 0;
	bool mine = row < m.nr_rows;
	fe<F> sum;

	if (mine) {
		first = __ldg(m.starts + row);
		end = __ldg(m.starts + row + 1);
		mine = end - first <= spmv_row_max;
	}
	sum = sum_entries(m, first, mine ? end : first, 1);
	if (mine)
		write_fe(m.out + row, sum);
}

/* The sum over a warp, in lane 0. */
template <class F>
static __device__ fe<F> sum_warp(fe<F> sum)
{
#pragma unroll 1
	for (unsigned int distance = warp_size / 2; distance; distance /= 2) {
		fe<F> other;

#pragma unroll
		for (unsigned int k = 0; k < F::nr_words; k++)
			other.l[k] = __shfl_down_sync(~0u, sum.l[k], distance);
		sum = add(sum, other);
	}
	return sum;
}

/* A warp a segment. */
template <class F, class ID>
static __global__ void __launch_bounds__(threads)
	segments_kernel(const __grid_constant__ spmv_both<F, ID> both)
{
	const spmv_args<F, ID> &m = both.matrix[blockIdx.y];
	size_t i = ((size_t)blockIdx.x * threads + threadIdx.x) / warp_size;
	unsigned int lane = threadIdx.x % warp_size;
	struct spmv_segment s;
	fe<F> sum;

	if (i >= m.nr_segments)
		return;
	s = m.segments[i];
	sum = sum_warp(sum_entries(m, s.first + lane, s.first + s.nr, warp_size));
	if (lane)
		return;
	if (s.dest & spmv_partial)
		write_fe(m.partials + (s.dest & ~spmv_partial), sum);
	else
		write_fe(m.out + s.dest, sum);
}

/* A block a row of several segments. */
template <class F, class ID>
static __global__ void __launch_bounds__(threads)
	long_rows_kernel(const __grid_constant__ spmv_both<F, ID> both)
{
	const spmv_args<F, ID> &m = both.matrix[blockIdx.y];
	__shared__ fe<F> sums[threads / warp_size];
	fe<F> sum = fe<F>::zero();

	if (blockIdx.x >= m.nr_long_rows)
		return;
	const struct spmv_long_row row = m.long_rows[blockIdx.x];

	for (uint32_t i = threadIdx.x; i < row.nr; i += threads)
		sum = add(sum, read_fe(m.partials + row.first + i));
	sum = sum_warp(sum);
	if (threadIdx.x % warp_size == 0)
		sums[threadIdx.x / warp_size] = sum;
	__syncthreads();
	if (threadIdx.x)
		return;
	for (unsigned int k = 1; k < threads / warp_size; k++)
		sum = add(sum, sums[k]);
	write_fe(m.out + row.row, sum);
}

/* The Montgomery forms behind the coefficients times 2^512. */
template <class F>
static __global__ void dictionary_kernel(fe<F> *dictionary, size_t nr)
{
	size_t i = (size_t)blockIdx.x * threads + threadIdx.x;
	fe<F> one = fe<F>::zero();

	one.l[0] = 1;
	if (i < nr)
		write_fe(dictionary + nr + i, mul(read_fe(dictionary + i), one));
}

static unsigned int nr_blocks(size_t nr)
{
	return (unsigned int)((nr + threads - 1) / threads);
}

template <class F>
static int make_forms(fe<F> *dictionary, size_t nr, cudaStream_t stream, struct lull_error *reterr)
{
	if (!nr)
		return LULL_OK;
	dictionary_kernel<F><<<nr_blocks(nr), threads, 0, stream>>>(dictionary, nr);
	CUDA_TRY(cudaGetLastError(), reterr);
	return LULL_OK;
}

template <class F>
int spmv_prepare(const struct spmv_plan *plan, void *dictionary, cudaStream_t stream,
		 struct lull_error *reterr)
{
	return make_forms<F>((fe<F> *)dictionary, plan->nr_coefs, stream, reterr);
}

template <class F>
int spmv_prepare_block(const struct spmv_plan *plan, size_t i, void *block, cudaStream_t stream,
		       struct lull_error *reterr)
{
	const struct spmv_block *b = &plan->blocks[i];

	return make_forms<F>((fe<F> *)((uint8_t *)block + b->dictionary), b->nr_coefs, stream,
			     reterr);
}

int spmv_begin(const struct spmv_plan *plan, const void *witness, const uint32_t *map,
	       void *scratch, cudaStream_t stream, struct lull_error *reterr)
{
	if (map) {
		CUDA_TRY(cudaMemcpyAsync(scratch, map, lull_classes_bytes(plan->nr_vars),
					 cudaMemcpyDeviceToDevice, stream),
			 reterr);
		return LULL_OK;
	}
	return classify_map(witness, plan->nr_vars, (uint32_t *)scratch, stream, reterr);
}

/* What a product over one block works on. */
template <class F>
struct spmv_operands {
	const struct spmv_plan *plan;
	const struct spmv_block *block;
	const void *dictionary, *memory, *witness;
	fe<F> *out[spmv_nr_matrices];
	void *scratch;
};

template <class F, class ID>
static spmv_both<F, ID> args_of(const struct spmv_operands<F> &o)
{
	const uint8_t *base = (const uint8_t *)o.memory;
	size_t map_bytes = lull_align_up(lull_classes_bytes(o.plan->nr_vars), 256);
	size_t nr_coefs = o.plan->nr_coefs;
	const fe<F> *scaled = (const fe<F> *)o.dictionary;
	spmv_both<F, ID> both;

	if (o.block->nr_coefs) {
		scaled = (const fe<F> *)(base + o.block->dictionary);
		nr_coefs = o.block->nr_coefs;
	}
	for (unsigned int k = 0; k < spmv_nr_matrices; k++) {
		const struct spmv_part *part = &o.block->part[k];
		spmv_args<F, ID> *m = &both.matrix[k];

		m->starts = (const uint32_t *)(base + part->starts);
		m->columns = (const uint32_t *)(base + part->columns);
		m->ids = (const ID *)(base + part->ids);
		m->segments = (const struct spmv_segment *)(base + part->segments);
		m->long_rows = (const struct spmv_long_row *)(base + part->long_rows);
		m->nr_rows = o.block->nr_rows;
		m->nr_segments = part->nr_segments;
		m->nr_long_rows = part->nr_long_rows;
		m->scaled = scaled;
		m->coefs = scaled + nr_coefs;
		m->witness = (const fe<F> *)o.witness;
		m->map = (const uint32_t *)o.scratch;
		m->out = o.out[k] + o.block->first_row;
		m->partials = (fe<F> *)((uint8_t *)o.scratch + map_bytes);
	}
	return both;
}

template <class F, class ID>
static int launch(const struct spmv_operands<F> &o, cudaStream_t stream, struct lull_error *reterr)
{
	const spmv_both<F, ID> both = args_of<F, ID>(o);
	const struct spmv_part *part = o.block->part;
	size_t segments = lull_max(part[0].nr_segments, part[1].nr_segments);
	size_t long_rows = lull_max(part[0].nr_long_rows, part[1].nr_long_rows);
	dim3 grid(nr_blocks(o.block->nr_rows), spmv_nr_matrices);

	rows_kernel<F, ID><<<grid, threads, 0, stream>>>(both);
	CUDA_TRY(cudaGetLastError(), reterr);
	if (segments) {
		grid.x = nr_blocks(segments * warp_size);
		segments_kernel<F, ID><<<grid, threads, 0, stream>>>(both);
		CUDA_TRY(cudaGetLastError(), reterr);
	}
	if (long_rows) {
		grid.x = (unsigned int)long_rows;
		long_rows_kernel<F, ID><<<grid, threads, 0, stream>>>(both);
		CUDA_TRY(cudaGetLastError(), reterr);
	}
	return LULL_OK;
}

template <class F>
int spmv_run(const struct spmv_plan *plan, size_t i, const void *dictionary, const void *block,
	     const void *witness, fe<F> *a, fe<F> *b, void *scratch, cudaStream_t stream,
	     struct lull_error *reterr)
{
	const struct spmv_operands<F> o = {
		plan, &plan->blocks[i], dictionary, block, witness, { a, b }, scratch
	};

	if (plan->id_bytes == 1)
		return launch<F, uint8_t>(o, stream, reterr);
	if (plan->id_bytes == 2)
		return launch<F, uint16_t>(o, stream, reterr);
	return launch<F, uint32_t>(o, stream, reterr);
}

#define INSTANTIATE(F)                                                                             \
	template int spmv_prepare<F>(const struct spmv_plan *, void *, cudaStream_t,               \
				     struct lull_error *);                                         \
	template int spmv_prepare_block<F>(const struct spmv_plan *, size_t, void *, cudaStream_t, \
					   struct lull_error *);                                   \
	template int spmv_run(const struct spmv_plan *, size_t, const void *, const void *,        \
			      const void *, fe<F> *, fe<F> *, void *, cudaStream_t,                \
			      struct lull_error *);

INSTANTIATE(bn254_fr)
INSTANTIATE(bls12_381_fr)

} /* namespace lull */
