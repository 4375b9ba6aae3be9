/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inst.cuh - the table of curve.cuh for one curve trait
 *
 * For inst_bn254.cu and inst_bls12_381.cu.  Nothing here computes but the sum
 * of a few points; the kernels are those of the files that it includes.
 */
#ifndef LULL_CUDA_INST_CUH
#define LULL_CUDA_INST_CUH

#include "check.cuh"
#include "classify.cuh"
#include "curve.cuh"
#include "group.cuh"
#include "quotient.cuh"
#include "spmv.cuh"

namespace lull
{

/* What the functions of a curve keep with a key. */
template <class C>
struct curve_state {
	ntt_domain<typename C::fr> domain;
	quotient_coefs<typename C::fr> coefs; /* of assigned keys alone */
};

/* ---- sums -------------------------------------------------------------- */

template <class G>
size_t sum_down_bytes(const struct msm_plan *plan, bool ones)
{
	return (ones ? 1 : msm_nr_sums(plan)) * sizeof(xyzz<typename G::coord>);
}

template <class G>
int sum_run(const struct msm_plan *plan, const void *table, const void *scalars,
	    const uint32_t *index, size_t nr, void *scratch, void *sums, cudaStream_t stream,
	    struct lull_error *reterr)
{
	return msm_run<G>(plan, table, scalars, MSM_PLAIN, index, nr, scratch,
			  (struct msm_sums<G> *)sums, stream, reterr);
}

template <class G>
int sum_run_ones(const struct msm_plan *plan, const void *table, const uint32_t *refs, size_t nr,
		 void *scratch, void *sums, cudaStream_t stream, struct lull_error *reterr)
{
	return msm_run_sum<G>(plan, table, refs, nr, scratch, ((struct msm_sums<G> *)sums)->sum,
			      stream, reterr);
}

template <class G>
void sum_gather(const struct msm_plan *plan, const void *opaque, bool ones, void *acc)
{
	const struct msm_sums<G> *sums = (const struct msm_sums<G> *)opaque;

	add_xyzz(*(xyzz<typename G::coord> *)acc, ones ? sums->sum[0] : msm_finish<G>(plan, sums));
}

template <class G>
void sum_finish(const void *opaque, uint8_t *ret_point)
{
	using E = typename G::coord;
	const xyzz<E> *acc = (const xyzz<E> *)opaque;
	affine<E> p = affine<E>::infinity();

	static_assert(sizeof(*acc) <= acc_bytes, "room for every group");
	if (!is_inf(*acc))
		to_affine(&p, acc);
	memcpy(ret_point, &p, sizeof(p));
}

template <class G>
constexpr struct sum_ops sum_ops_of(void)
{
	return { G::group,
		 sizeof(affine<typename G::coord>),
		 sizeof(struct msm_sums<G>),
		 sum_down_bytes<G>,
		 msm_prepare<G>,
		 sum_run<G>,
		 sum_run_ones<G>,
		 sum_gather<G>,
		 sum_finish<G> };
}

/* ---- the quotient ------------------------------------------------------ */

static_assert(log2_domain_max == ntt_log_max, "what is planned can be transformed");

template <class C>
uint64_t tables_bytes(unsigned int log2_n)
{
	return ntt_domain_bytes(log2_n, quotient_sets);
}

template <class C>
int tables_make(void *opaque, unsigned int log2_n, void *tables, cudaStream_t stream,
		struct lull_error *reterr)
{
	struct curve_state<C> *state = (struct curve_state<C> *)opaque;

	return ntt_domain_make(log2_n, quotient_sets, tables, stream, &state->domain, reterr);
}

static inline uint64_t scratch_of_quotient(unsigned int log2_n, bool folded)
{
	return quotient_scratch_bytes(log2_n, folded);
}

template <class C>
int quotient(const void *opaque, void *a, void *b, void *scratch, bool folded, cudaStream_t stream,
	     struct lull_error *reterr)
{
	using F = typename C::fr;
	const struct curve_state<C> *state = (const struct curve_state<C> *)opaque;

	return quotient_run<F>(state->domain, (fe<F> *)a, (fe<F> *)b, (fe<F> *)scratch, folded,
			       stream, reterr);
}

static inline uint64_t bytes_of_coefs(unsigned int log2_n)
{
	return quotient_coefs_bytes(log2_n);
}

template <class C>
int coefs_make(void *opaque, unsigned int log2_n, void *tables, cudaStream_t stream,
	       struct lull_error *reterr)
{
	struct curve_state<C> *state = (struct curve_state<C> *)opaque;

	return quotient_coefs_make(log2_n, tables, stream, &state->coefs, reterr);
}

template <class C>
int coefs(const void *opaque, void *a, cudaStream_t stream, struct lull_error *reterr)
{
	using F = typename C::fr;
	const struct curve_state<C> *state = (const struct curve_state<C> *)opaque;

	return quotient_coefs_run<F>(state->domain, state->coefs, (fe<F> *)a, stream, reterr);
}

/* ---- matrices ---------------------------------------------------------- */

template <class C>
int matrices_run(const struct spmv_plan *plan, size_t i, const void *dictionary, const void *block,
		 const void *witness, void *a, void *b, void *scratch, cudaStream_t stream,
		 struct lull_error *reterr)
{
	using F = typename C::fr;

	return spmv_run<F>(plan, i, dictionary, block, witness, (fe<F> *)a, (fe<F> *)b, scratch,
			   stream, reterr);
}

static inline uint64_t scratch_of_classes(size_t nr)
{
	return classify_scratch_bytes(nr);
}

template <class C, class G1, class G2>
constexpr struct curve_ops curve_ops_of(void)
{
	return { C::id,
		 { sum_ops_of<G1>(), sum_ops_of<G2>() },
		 sizeof(struct curve_state<C>),
		 tables_bytes<C>,
		 tables_make<C>,
		 scratch_of_quotient,
		 quotient<C>,
		 bytes_of_coefs,
		 coefs_make<C>,
		 coefs<C>,
		 spmv_prepare<typename C::fr>,
		 spmv_prepare_block<typename C::fr>,
		 matrices_run<C>,
		 scratch_of_classes,
		 classify,
		 { { multiples_prepare<G1>, multiples_run<G1> },
		   { multiples_prepare<G2>, multiples_run<G2> } },
		 msm_kernel<G2>,
		 msm_take_stacks<G2> };
}

} /* namespace lull */

#endif
