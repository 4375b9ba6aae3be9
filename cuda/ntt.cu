// SPDX-License-Identifier: Apache-2.0
/*
 * ntt.cu - the kernels of the transforms, and sequences of them
 *
 * For the backend.  Read ntt_forward() first; ntt_block.cuh has what a block
 * does and ntt_plan.cu the tables.
 */
#include "ntt.cuh"

namespace lull
{

/* Blocks that share a multiprocessor: what tile_log is chosen for. */
static constexpr unsigned int blocks_each = 2;

extern __shared__ uint4 shared_tile[];

template <class F>
__global__ void __launch_bounds__(tile_threads, blocks_each)
	dif_kernel(const __grid_constant__ ntt_pass<F> pass,
		   const __grid_constant__ ntt_arrays<F> arrays)
{
	const struct block b = { shared_tile, blockIdx.x };

	dif_columns<F>(b, pass, arrays.v[blockIdx.y], NULL, NULL);
}

template <class F>
__global__ void __launch_bounds__(tile_threads, blocks_each)
	dif_product_kernel(const __grid_constant__ ntt_pass<F> pass, fe<F> *v, const fe<F> *x,
			   const fe<F> *y)
{
	const struct block b = { shared_tile, blockIdx.x };

	dif_columns<F>(b, pass, v, x, y);
}

template <class F>
__global__ void __launch_bounds__(tile_threads, blocks_each)
	dit_kernel(const __grid_constant__ ntt_pass<F> pass,
		   const __grid_constant__ ntt_arrays<F> arrays,
		   const __grid_constant__ epilogue<F> end)
{
	const struct block b = { shared_tile, blockIdx.x };

	dit_columns<F>(b, pass, arrays.v[blockIdx.y], end);
}

/* HOW: 1 in frequency, 2 in time, 3 both. */
template <class F, unsigned int HOW>
__global__ void __launch_bounds__(tile_threads, blocks_each)
	rows_kernel(const __grid_constant__ ntt_pass<F> dif,
		    const __grid_constant__ ntt_pass<F> dit,
		    const __grid_constant__ ntt_arrays<F> arrays,
		    const __grid_constant__ epilogue<F> end)
{
	const struct block b = { shared_tile, blockIdx.x };

	rows<F>(b, HOW & 1 ? &dif : NULL, HOW & 2 ? &dit : NULL, arrays.first[blockIdx.y],
		arrays.v[blockIdx.y], end);
}

template <class F>
__global__ void table_kernel(fe<F> *out, const __grid_constant__ ntt_table_spec<F> spec)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < spec.nr)
		write_fe(out + i, ntt_table_entry(spec, i));
}

template <class F>
int ntt_launch_dif(const ntt_pass<F> &pass, const ntt_arrays<F> &arrays, const fe<F> *const *of,
		   cudaStream_t stream, struct lull_error *reterr)
{
	dim3 grid(ntt_nr_blocks(pass.log_n), arrays.nr);

	if (of)
		dif_product_kernel<F><<<grid, tile_threads, block_bytes, stream>>>(
			pass, arrays.v[0], of[0], of[1]);
	else
		dif_kernel<F><<<grid, tile_threads, block_bytes, stream>>>(pass, arrays);
	CUDA_TRY(cudaGetLastError(), reterr);
	return LULL_OK;
}

template <class F>
int ntt_launch_dit(const ntt_pass<F> &pass, const ntt_arrays<F> &arrays, const epilogue<F> &end,
		   cudaStream_t stream, struct lull_error *reterr)
{
	dim3 grid(ntt_nr_blocks(pass.log_n), arrays.nr);

	dit_kernel<F><<<grid, tile_threads, block_bytes, stream>>>(pass, arrays, end);
	CUDA_TRY(cudaGetLastError(), reterr);
	return LULL_OK;
}

template <class F>
int ntt_launch_rows(const ntt_pass<F> *dif, const ntt_pass<F> *dit, const ntt_arrays<F> &arrays,
		    const epilogue<F> &end, cudaStream_t stream, struct lull_error *reterr)
{
	dim3 grid(ntt_nr_blocks(dif ? dif->log_n : dit->log_n), arrays.nr);

	if (dif && dit)
		rows_kernel<F, 3>
			<<<grid, tile_threads, block_bytes, stream>>>(*dif, *dit, arrays, end);
	else if (dif)
		rows_kernel<F, 1>
			<<<grid, tile_threads, block_bytes, stream>>>(*dif, *dif, arrays, end);
	else
		rows_kernel<F, 2>
			<<<grid, tile_threads, block_bytes, stream>>>(*dit, *dit, arrays, end);
	CUDA_TRY(cudaGetLastError(), reterr);
	return LULL_OK;
}

template <class K>
static cudaError_t raise_shared(K *kernel)
{
	return cudaFuncSetAttribute((const void *)kernel,
				    cudaFuncAttributeMaxDynamicSharedMemorySize, (int)block_bytes);
}

template <class F>
static int raise_limits(struct lull_error *reterr)
{
	CUDA_TRY(raise_shared(dif_kernel<F>), reterr);
	CUDA_TRY(raise_shared(dif_product_kernel<F>), reterr);
	CUDA_TRY(raise_shared(dit_kernel<F>), reterr);
	CUDA_TRY(raise_shared(rows_kernel<F, 1>), reterr);
	CUDA_TRY(raise_shared(rows_kernel<F, 2>), reterr);
	CUDA_TRY(raise_shared(rows_kernel<F, 3>), reterr);
	return LULL_OK;
}

template <class F>
static int fill_set(const struct ntt_domain<F> *d, enum ntt_set set, cudaStream_t stream,
		    struct lull_error *reterr)
{
	constexpr unsigned int threads = 128;
	ntt_table_list<F> list;
	ntt_roots<F> roots;

	ntt_list_tables(&d->shape, set, &list, &roots);
	for (unsigned int i = 0; i < list.nr; i++) {
		unsigned int blocks = (unsigned int)((list.table[i].nr + threads - 1) / threads);

		table_kernel<F><<<blocks, threads, 0, stream>>>(
			(fe<F> *)d->set[set] + list.offset[i], list.table[i]);
		CUDA_TRY(cudaGetLastError(), reterr);
	}
	return LULL_OK;
}

template <class F>
int ntt_domain_make(unsigned int log_n, unsigned int sets, void *memory, cudaStream_t stream,
		    struct ntt_domain<F> *ret_domain, struct lull_error *reterr)
{
	struct ntt_domain<F> d;

	if (!log_n || log_n > ntt_log_max || log_n > F::two_adicity)
		return lull_fail(reterr, LULL_RANGE, "ntt: a domain of 2^%u, 2^1 to 2^%u are known",
				 log_n, ntt_log_max);
	LULL_TRY(raise_limits<F>(reterr));
	ntt_domain_place(log_n, sets, memory, &d);
	for (unsigned int i = 0; i < NTT_NR_SETS; i++)
		if (d.set[i])
			LULL_TRY(fill_set(&d, (enum ntt_set)i, stream, reterr));
	*ret_domain = d;
	return LULL_OK;
}

template <class F>
int ntt_forward(const struct ntt_domain<F> &domain, fe<F> *values, cudaStream_t stream,
		struct lull_error *reterr)
{
	unsigned int p, last = domain.shape.nr_passes - 1;
	const ntt_arrays<F> arrays = { 1, { values } };
	const epilogue<F> end = {};
	ntt_pass<F> pass;

	for (p = 0; p < last; p++) {
		pass = ntt_pass_of(domain, NTT_SET_FORWARD, p);
		LULL_TRY(ntt_launch_dif<F>(pass, arrays, NULL, stream, reterr));
	}
	pass = ntt_pass_of(domain, NTT_SET_FORWARD, p);
	return ntt_launch_rows<F>(&pass, NULL, arrays, end, stream, reterr);
}

template <class F>
int ntt_inverse(const struct ntt_domain<F> &domain, fe<F> *values, cudaStream_t stream,
		struct lull_error *reterr)
{
	unsigned int p = domain.shape.nr_passes - 1;
	const ntt_arrays<F> arrays = { 1, { values } };
	const epilogue<F> plain = {};
	const epilogue<F> scaled = { NTT_SCALE, domain.inv_n, NULL, NULL };
	ntt_pass<F> pass = ntt_pass_of(domain, NTT_SET_INVERSE, p);

	LULL_TRY(ntt_launch_rows<F>(NULL, &pass, arrays, p ? plain : scaled, stream, reterr));
	while (p--) {
		pass = ntt_pass_of(domain, NTT_SET_INVERSE, p);
		LULL_TRY(ntt_launch_dit<F>(pass, arrays, p ? plain : scaled, stream, reterr));
	}
	return LULL_OK;
}

#define NTT_INSTANCE(F)                                                                            \
	template int ntt_domain_make(unsigned int, unsigned int, void *, cudaStream_t,             \
				     struct ntt_domain<F> *, struct lull_error *);                 \
	template int ntt_forward(const struct ntt_domain<F> &, fe<F> *, cudaStream_t,              \
				 struct lull_error *);                                             \
	template int ntt_inverse(const struct ntt_domain<F> &, fe<F> *, cudaStream_t,              \
				 struct lull_error *);                                             \
	template int ntt_launch_dif(const ntt_pass<F> &, const ntt_arrays<F> &,                    \
				    const fe<F> *const *, cudaStream_t, struct lull_error *);      \
	template int ntt_launch_dit(const ntt_pass<F> &, const ntt_arrays<F> &,                    \
				    const epilogue<F> &, cudaStream_t, struct lull_error *);       \
	template int ntt_launch_rows(const ntt_pass<F> *, const ntt_pass<F> *,                     \
				     const ntt_arrays<F> &, const epilogue<F> &, cudaStream_t,     \
				     struct lull_error *)

NTT_INSTANCE(bn254_fr);
NTT_INSTANCE(bls12_381_fr);

} /* namespace lull */
