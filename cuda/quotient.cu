// SPDX-License-Identifier: Apache-2.0
/*
 * quotient.cu - the quotient as passes over its arrays
 *
 * For the backend.  c = a b is made by the first pass over c, the way back and
 * the way forth meet in the pass by rows, and the last pass over a multiplies
 * by b and takes c away.  The coset's shift and 1/n are the factors of the
 * first round of the way forth; those of a and c also leave the Montgomery
 * form, so that the product with b, which stays in it, is a plain integer.
 */
#include "quotient.cuh"

namespace lull
{

template <class F>
__global__ void product_kernel(fe<F> *c, const fe<F> *a, const fe<F> *b, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		write_fe(c + i, mul(load_fe(a + i), load_fe(b + i)));
}

/* a = a b - c, or a b without c */
template <class F>
__global__ void finish_kernel(fe<F> *a, const fe<F> *b, const fe<F> *c, size_t n)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	const epilogue<F> end = { c ? NTT_QUOTIENT : NTT_PRODUCT, fe<F>::zero(), b, c };

	if (i < n)
		write_fe(a + i, end(read_fe(a + i), i));
}

/* The arrays in the order in which they are transformed, with the factors of
 * their way forth. */
template <class F>
static ntt_arrays<F> arrays_of(const struct ntt_domain<F> &d, fe<F> *a, fe<F> *b, fe<F> *c)
{
	const fe<F> *first = d.set[NTT_SET_COSET] + d.layout[NTT_SET_COSET].first;

	return { c ? 3u : 2u, { a, b, c }, { first, first + round_size, first } };
}

/* Domains of one tile: the product and the end are kernels of their own. */
template <class F>
static int run_small(const struct ntt_domain<F> &d, fe<F> *a, fe<F> *b, fe<F> *c,
		     cudaStream_t stream, struct lull_error *reterr)
{
	const ntt_arrays<F> arrays = arrays_of(d, a, b, c);
	ntt_pass<F> back = ntt_pass_of(d, NTT_SET_INVERSE, 0);
	ntt_pass<F> forth = ntt_pass_of(d, NTT_SET_COSET, 0);
	constexpr unsigned int threads = 128;
	size_t n = (size_t)1 << d.shape.log_n;
	unsigned int blocks = (unsigned int)((n + threads - 1) / threads);
	const epilogue<F> plain = {};

	if (c) {
		product_kernel<F><<<blocks, threads, 0, stream>>>(c, a, b, n);
		CUDA_TRY(cudaGetLastError(), reterr);
	}
	LULL_TRY(ntt_launch_rows<F>(&back, &forth, arrays, plain, stream, reterr));
	finish_kernel<F><<<blocks, threads, 0, stream>>>(a, b, c, n);
	CUDA_TRY(cudaGetLastError(), reterr);
	return LULL_OK;
}

/* All passes of the way back but the last. */
template <class F>
static int run_back(const struct ntt_domain<F> &d, const ntt_arrays<F> &arrays, cudaStream_t stream,
		    struct lull_error *reterr)
{
	unsigned int p, last = d.shape.nr_passes - 1;
	const fe<F> *const of[2] = { arrays.v[0], arrays.v[1] };
	const ntt_arrays<F> product = { 1, { arrays.v[2] } };
	const ntt_arrays<F> given = { 2, { arrays.v[0], arrays.v[1] } };
	ntt_pass<F> pass = ntt_pass_of(d, NTT_SET_INVERSE, 0);

	if (arrays.nr == 3)
		LULL_TRY(ntt_launch_dif<F>(pass, product, of, stream, reterr));
	LULL_TRY(ntt_launch_dif<F>(pass, given, NULL, stream, reterr));
	for (p = 1; p < last; p++) {
		pass = ntt_pass_of(d, NTT_SET_INVERSE, p);
		LULL_TRY(ntt_launch_dif<F>(pass, arrays, NULL, stream, reterr));
	}
	return LULL_OK;
}

/* All passes of the way forth but the first; the last one over a ends it. */
template <class F>
static int run_forth(const struct ntt_domain<F> &d, const ntt_arrays<F> &arrays,
		     cudaStream_t stream, struct lull_error *reterr)
{
	const fe<F> *b = arrays.v[1], *c = arrays.v[2];
	const epilogue<F> plain = {};
	const epilogue<F> end = { c ? NTT_QUOTIENT : NTT_PRODUCT, fe<F>::zero(), b, c };
	const ntt_arrays<F> others = { arrays.nr - 1, { arrays.v[1], arrays.v[2] } };
	const ntt_arrays<F> result = { 1, { arrays.v[0] } };
	unsigned int p = d.shape.nr_passes - 1;
	ntt_pass<F> pass;

	while (--p) {
		pass = ntt_pass_of(d, NTT_SET_COSET, p);
		LULL_TRY(ntt_launch_dit<F>(pass, arrays, plain, stream, reterr));
	}
	pass = ntt_pass_of(d, NTT_SET_COSET, 0);
	LULL_TRY(ntt_launch_dit<F>(pass, others, plain, stream, reterr));
	return ntt_launch_dit<F>(pass, result, end, stream, reterr);
}

template <class F>
int quotient_run(const struct ntt_domain<F> &domain, fe<F> *a, fe<F> *b, fe<F> *scratch,
		 bool folded, cudaStream_t stream, struct lull_error *reterr)
{
	const struct ntt_domain<F> &d = domain;
	fe<F> *c = folded ? NULL : scratch;
	const ntt_arrays<F> arrays = arrays_of(d, a, b, c);
	unsigned int last = d.shape.nr_passes - 1;
	const epilogue<F> plain = {};

	if (!last)
		return run_small(d, a, b, c, stream, reterr);
	ntt_pass<F> back = ntt_pass_of(d, NTT_SET_INVERSE, last);
	ntt_pass<F> forth = ntt_pass_of(d, NTT_SET_COSET, last);

	LULL_TRY(run_back(d, arrays, stream, reterr));
	LULL_TRY(ntt_launch_rows<F>(&back, &forth, arrays, plain, stream, reterr));
	return run_forth(d, arrays, stream, reterr);
}

template int quotient_run(const struct ntt_domain<bn254_fr> &, fe<bn254_fr> *, fe<bn254_fr> *,
			  fe<bn254_fr> *, bool, cudaStream_t, struct lull_error *);
template int quotient_run(const struct ntt_domain<bls12_381_fr> &, fe<bls12_381_fr> *,
			  fe<bls12_381_fr> *, fe<bls12_381_fr> *, bool, cudaStream_t,
			  struct lull_error *);

} /* namespace lull */
