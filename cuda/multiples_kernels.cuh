/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multiples_kernels.cuh - the kernels of multiples.cuh
 *
 * Included by multiples_<curve>.cu, which instantiate them, and by a test that
 * runs them on the host.
 *
 * Half of each window is added to a scalar beforehand, so that a digit less
 * half its window is the signed one, in [-2^(c-1), 2^(c-1)), without carries;
 * the scalar is shifted down window by window, for words that are indexed by a
 * variable would not lie in registers.  Additions are complete, so every base
 * and every scalar will do.  Time depends on the scalars.
 */
#ifndef LULL_CUDA_MULTIPLES_KERNELS_CUH
#define LULL_CUDA_MULTIPLES_KERNELS_CUH

#include "launch.cuh"
#include "msm_kernels.cuh"
#include "multiples.cuh"

namespace lull
{

struct multiples_params {
	uint32_t bias[MULTIPLES_BIASED_WORDS];
	unsigned int nr_windows, window_bits;
	size_t half;
};

static inline struct multiples_params multiples_params_of(const struct multiples_plan *plan)
{
	struct multiples_params p = {};

	for (unsigned int w = 0; w < plan->nr_windows; w++) {
		unsigned int bit = (w + 1) * plan->window_bits - 1;

		p.bias[bit / 32] |= 1u << (bit % 32);
	}
	p.nr_windows = plan->nr_windows;
	p.window_bits = plan->window_bits;
	p.half = plan->half;
	return p;
}

/* The first point of a window's table. */
template <class E>
static __global__ void put_base(affine<E> *to, const affine<E> base)
{
	store_wide(to, base);
}

/* Each window's table has 1 .. known times its base: adds the next known. */
template <class E>
static __global__ void __launch_bounds__(MSM_AFFINE_THREADS)
	extend_tables(affine<E> *table, unsigned int nr_windows, size_t half, size_t known)
{
	__shared__ E shared[2 * MSM_AFFINE_THREADS];
	size_t i = (size_t)blockIdx.x * MSM_AFFINE_THREADS + threadIdx.x;
	size_t w = i / known, at = w * half + i % known;
	xyzz<E> sum = xyzz<E>::infinity();
	affine<E> r;

	if (w < nr_windows) {
		sum = to_xyzz(load_own(table + at));
		add_affine(sum, load_own(table + w * half + known - 1));
	}
	r = block_affine<E, MSM_AFFINE_THREADS>(sum, shared);
	if (w < nr_windows)
		store_wide(table + at + known, r);
}

/* A scalar, plain and biased. */
template <class F>
static __device__ __forceinline__ void bias_scalar(uint32_t *k, const fe<F> &scalar,
						   const struct multiples_params &p)
{
	fe<F> plain = to_plain(scalar);
	chain c;

	static_assert(F::nr_words + 1 == MULTIPLES_BIASED_WORDS, "a word more than the scalar");
	k[0] = c.add_cc(plain.l[0], p.bias[0]);
#pragma unroll
	for (unsigned int i = 1; i < F::nr_words; i++)
		k[i] = c.addc_cc(plain.l[i], p.bias[i]);
	k[F::nr_words] = c.addc(0, p.bias[F::nr_words]);
}

/* Blocks that share a multiprocessor, by the size of a coordinate. */
constexpr unsigned int multiples_blocks_per_sm(size_t coord_bytes)
{
	if (coord_bytes == 32)
		return 4;
	return coord_bytes == 48 ? 3 : 2;
}

template <class E, class F>
static __global__ void __launch_bounds__(MSM_AFFINE_THREADS, multiples_blocks_per_sm(sizeof(E)))
	multiply_base(affine<E> *points, const affine<E> *table, const fe<F> *scalars, uint32_t nr,
		      const struct multiples_params p)
{
	__shared__ E shared[2 * MSM_AFFINE_THREADS];
	uint32_t i = blockIdx.x * MSM_AFFINE_THREADS + threadIdx.x;
	xyzz<E> sum = xyzz<E>::infinity();
	uint32_t k[MULTIPLES_BIASED_WORDS];
	affine<E> r;

	if (i < nr)
		bias_scalar(k, load_wide(scalars + i), p);
#pragma unroll 1
	for (unsigned int w = 0; i < nr && w < p.nr_windows; w++) {
		int32_t half = 1 << (p.window_bits - 1);
		int32_t digit = (int32_t)(k[0] & (2 * (uint32_t)half - 1)) - half;
		uint32_t size = (uint32_t)(digit < 0 ? -digit : digit);

		if (size)
			add_affine(sum,
				   neg_if(digit < 0, load_wide(table + w * p.half + size - 1)));
#pragma unroll
		for (unsigned int j = 0; j + 1 < MULTIPLES_BIASED_WORDS; j++)
			k[j] = __funnelshift_r(k[j], k[j + 1], p.window_bits);
		k[MULTIPLES_BIASED_WORDS - 1] >>= p.window_bits;
	}
	r = block_affine<E, MSM_AFFINE_THREADS>(sum, shared);
	if (i < nr)
		store_wide(points + i, r);
}

static inline unsigned int multiples_blocks(size_t nr)
{
	return (unsigned int)((nr + MSM_AFFINE_THREADS - 1) / MSM_AFFINE_THREADS);
}

template <class G>
int multiples_prepare(const struct multiples_plan *plan, const void *base, void *table,
		      cudaStream_t stream, struct lull_error *reterr)
{
	using E = typename G::coord;
	affine<E> *points = (affine<E> *)table, at;
	xyzz<E> p;

	memcpy((void *)&at, base, sizeof(at));
	p = to_xyzz(at);
	/* The host doubles: it is quicker at one thing after the other. */
	for (unsigned int w = 0; w < plan->nr_windows; w++) {
		LULL_TRY(LAUNCH("put_base", put_base<E>, 1, 1, stream, reterr,
				points + w * plan->half, at));
		for (unsigned int i = 0; i < plan->window_bits; i++)
			dbl_xyzz(&p);
		to_affine(&at, &p);
		if (is_inf(p))
			at = affine<E>::infinity();
	}
	for (size_t known = 1; known < plan->half; known *= 2)
		LULL_TRY(LAUNCH("extend_tables", extend_tables<E>,
				multiples_blocks(known * plan->nr_windows), MSM_AFFINE_THREADS,
				stream, reterr, points, plan->nr_windows, plan->half, known));
	return LULL_OK;
}

template <class G>
int multiples_run(const struct multiples_plan *plan, const void *table, const void *scalars,
		  size_t nr, void *points, cudaStream_t stream, struct lull_error *reterr)
{
	using E = typename G::coord;
	using F = typename G::curve::fr;

	return LAUNCH("multiply_base", multiply_base<E, F>, multiples_blocks(nr),
		      MSM_AFFINE_THREADS, stream, reterr, (affine<E> *)points,
		      (const affine<E> *)table, (const fe<F> *)scalars, (uint32_t)nr,
		      multiples_params_of(plan));
}

#define MULTIPLES_INSTANTIATE(G)                                                                   \
	template int multiples_prepare<G>(const struct multiples_plan *, const void *, void *,     \
					  cudaStream_t, struct lull_error *);                      \
	template int multiples_run<G>(const struct multiples_plan *, const void *, const void *,   \
				      size_t, void *, cudaStream_t, struct lull_error *)

} /* namespace lull */

#endif
