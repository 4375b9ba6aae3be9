// SPDX-License-Identifier: Apache-2.0
/*
 * quotient_coefs.cu - from values on the coset to the quotient's coefficients
 *
 * See quotient.cuh.  The transform back goes in frequency, from natural order to
 * bit-reversed order, as the way back of a quotient does; the kernel that
 * multiplies by the shift's powers puts the order right, in place.
 */
#include "inverse.cuh"
#include "quotient.cuh"

namespace lull
{

static constexpr unsigned int threads = 256;

static unsigned int nr_blocks(size_t nr)
{
	return (unsigned int)((nr + threads - 1) / threads);
}

template <class F>
__global__ void powers_kernel(fe<F> *table, size_t nr,
			      const __grid_constant__ quotient_powers<F> powers)
{
	size_t i = (size_t)blockIdx.x * threads + threadIdx.x;

	if (i < nr)
		write_fe(table + i, powers(i));
}

template <class F>
__global__ void swap_kernel(fe<F> *h, const __grid_constant__ quotient_coefs<F> coefs)
{
	size_t i = (size_t)blockIdx.x * threads + threadIdx.x;

	if (i < (size_t)1 << coefs.log_n)
		quotient_coefs_swap(coefs, h, (uint32_t)i);
}

template <class F>
void quotient_coefs_powers(unsigned int log_n, quotient_powers<F> *ret_low,
			   quotient_powers<F> *ret_high)
{
	uint64_t n = (uint64_t)1 << log_n;
	fe<F> s = ntt_shift<F>(log_n), step = inverse_power(s), nr = fe<F>::one();

	for (unsigned int i = 0; i < log_n; i++)
		nr = dbl(nr);
	ret_low->base = step;
	ret_low->scale = inverse_power(mul(nr, sub(fr_pow(s, n), fe<F>::one())));
	ret_high->base = fr_pow(step, (uint64_t)1 << quotient_coefs_log_low(log_n));
	ret_high->scale = fe<F>::one();
}

template <class F>
int quotient_coefs_make(unsigned int log_n, void *memory, cudaStream_t stream,
			struct quotient_coefs<F> *ret_coefs, struct lull_error *reterr)
{
	unsigned int log_low = quotient_coefs_log_low(log_n);
	size_t nr_low = (size_t)1 << log_low, nr_high = (size_t)1 << (log_n - log_low);
	fe<F> *low = (fe<F> *)memory, *high = low + nr_low;
	quotient_powers<F> of_low, of_high;

	quotient_coefs_powers(log_n, &of_low, &of_high);
	powers_kernel<F><<<nr_blocks(nr_low), threads, 0, stream>>>(low, nr_low, of_low);
	CUDA_TRY(cudaGetLastError(), reterr);
	powers_kernel<F><<<nr_blocks(nr_high), threads, 0, stream>>>(high, nr_high, of_high);
	CUDA_TRY(cudaGetLastError(), reterr);
	*ret_coefs = { log_n, log_low, low, high };
	return LULL_OK;
}

template <class F>
int quotient_coefs_run(const struct ntt_domain<F> &domain, const struct quotient_coefs<F> &coefs,
		       fe<F> *h, cudaStream_t stream, struct lull_error *reterr)
{
	unsigned int p, last = domain.shape.nr_passes - 1;
	const ntt_arrays<F> arrays = { 1, { h } };
	const epilogue<F> plain = {};
	ntt_pass<F> pass;

	for (p = 0; p < last; p++) {
		pass = ntt_pass_of(domain, NTT_SET_INVERSE, p);
		LULL_TRY(ntt_launch_dif<F>(pass, arrays, NULL, stream, reterr));
	}
	pass = ntt_pass_of(domain, NTT_SET_INVERSE, last);
	LULL_TRY(ntt_launch_rows<F>(&pass, NULL, arrays, plain, stream, reterr));
	swap_kernel<F><<<nr_blocks((size_t)1 << coefs.log_n), threads, 0, stream>>>(h, coefs);
	CUDA_TRY(cudaGetLastError(), reterr);
	return LULL_OK;
}

#define COEFS_INSTANCE(F)                                                                          \
	template void quotient_coefs_powers(unsigned int, quotient_powers<F> *,                    \
					    quotient_powers<F> *);                                 \
	template int quotient_coefs_make(unsigned int, void *, cudaStream_t,                       \
					 struct quotient_coefs<F> *, struct lull_error *);         \
	template int quotient_coefs_run(const struct ntt_domain<F> &,                              \
					const struct quotient_coefs<F> &, fe<F> *, cudaStream_t,   \
					struct lull_error *)

COEFS_INSTANCE(bn254_fr);
COEFS_INSTANCE(bls12_381_fr);

} /* namespace lull */
