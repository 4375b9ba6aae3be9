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
		sum = add(sum, fr_mul(load_fe(m.scaled + __ldg(m.ids + i)),
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
		write_fe(dictionary + nr + i, fr_mul(read_fe(dictionary + i), one));
}

static unsigned int nr_blocks(size_t nr)
{
	return (unsigned int)((nr + threads - 1) / threads);
}

template <class F>
int spmv_upload(struct spmv_plan *plan, const uint8_t *coefs, size_t nr_coefs,
		struct lull_workers *workers, void *block, cudaStream_t stream,
		struct lull_error *reterr)
{
	std::unique_ptr<uint8_t[]> host(new (std::nothrow) uint8_t[plan->bytes]);

	if (!host)
		return lull_fail(reterr, LULL_NOMEM, "spmv: no memory for %zu bytes of matrices",
				 plan->bytes);
	LULL_TRY(spmv_fill(plan, coefs, nr_coefs, workers, host.get(), reterr));
	CUDA_TRY(cudaMemcpyAsync(block, host.get(), plan->bytes, cudaMemcpyHostToDevice, stream),
		 reterr);
	if (plan->nr_coefs) {
		dictionary_kernel<F><<<nr_blocks(plan->nr_coefs), threads, 0, stream>>>(
			(fe<F> *)((uint8_t *)block + plan->dictionary), plan->nr_coefs);
		CUDA_TRY(cudaGetLastError(), reterr);
	}
	CUDA_TRY(cudaStreamSynchronize(stream), reterr);
	return LULL_OK;
}

template <class F, class ID>
static spmv_both<F, ID> args_of(const struct spmv_plan *plan, const void *block,
				const void *witness, fe<F> *const *out, void *scratch)
{
	const uint8_t *base = (const uint8_t *)block;
	size_t map_bytes = lull_align_up(classify_map_bytes(plan->nr_vars), 256);
	spmv_both<F, ID> both;

	for (unsigned int k = 0; k < spmv_nr_matrices; k++) {
		const struct spmv_part *part = &plan->part[k];
		spmv_args<F, ID> *m = &both.matrix[k];

		m->starts = (const uint32_t *)(base + part->starts);
		m->columns = (const uint32_t *)(base + part->columns);
		m->ids = (const ID *)(base + part->ids);
		m->segments = (const struct spmv_segment *)(base + part->segments);
		m->long_rows = (const struct spmv_long_row *)(base + part->long_rows);
		m->nr_rows = (size_t)1 << plan->log_n;
		m->nr_segments = part->nr_segments;
		m->nr_long_rows = part->nr_long_rows;
		m->scaled = (const fe<F> *)(base + plan->dictionary);
		m->coefs = m->scaled + plan->nr_coefs;
		m->witness = (const fe<F> *)witness;
		m->map = (const uint32_t *)scratch;
		m->out = out[k];
		m->partials = (fe<F> *)((uint8_t *)scratch + map_bytes);
	}
	return both;
}

template <class F, class ID>
static int launch(const struct spmv_plan *plan, const void *block, const void *witness,
		  fe<F> *const *out, void *scratch, cudaStream_t stream, struct lull_error *reterr)
{
	const spmv_both<F, ID> both = args_of<F, ID>(plan, block, witness, out, scratch);
	size_t segments = lull_max(plan->part[0].nr_segments, plan->part[1].nr_segments);
	size_t long_rows = lull_max(plan->part[0].nr_long_rows, plan->part[1].nr_long_rows);
	dim3 grid(nr_blocks((size_t)1 << plan->log_n), spmv_nr_matrices);

	LULL_TRY(classify_map(witness, plan->nr_vars, (uint32_t *)scratch, stream, reterr));
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
int spmv_run(const struct spmv_plan *plan, const void *block, const void *witness, fe<F> *a,
	     fe<F> *b, void *scratch, cudaStream_t stream, struct lull_error *reterr)
{
	fe<F> *const out[spmv_nr_matrices] = { a, b };

	if (plan->id_bytes == 1)
		return launch<F, uint8_t>(plan, block, witness, out, scratch, stream, reterr);
	if (plan->id_bytes == 2)
		return launch<F, uint16_t>(plan, block, witness, out, scratch, stream, reterr);
	return launch<F, uint32_t>(plan, block, witness, out, scratch, stream, reterr);
}

template int spmv_upload<bn254_fr>(struct spmv_plan *, const uint8_t *, size_t,
				   struct lull_workers *, void *, cudaStream_t,
				   struct lull_error *);
template int spmv_upload<bls12_381_fr>(struct spmv_plan *, const uint8_t *, size_t,
				       struct lull_workers *, void *, cudaStream_t,
				       struct lull_error *);
template int spmv_run(const struct spmv_plan *, const void *, const void *, fe<bn254_fr> *,
		      fe<bn254_fr> *, void *, cudaStream_t, struct lull_error *);
template int spmv_run(const struct spmv_plan *, const void *, const void *, fe<bls12_381_fr> *,
		      fe<bls12_381_fr> *, void *, cudaStream_t, struct lull_error *);

} /* namespace lull */
