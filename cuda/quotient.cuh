/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quotient.cuh - the scalars of H on the device
 *
 * For the backend.  What fr_quotient() of userspace/ntt/ntt.h computes: a and b
 * on the domain become, at the odd powers of w_2n, a b - c as plain integers,
 * where c = a b on the domain.  Keys with C folded into their L points want a b
 * there: four transforms instead of six, and no third array.
 */
#ifndef LULL_CUDA_QUOTIENT_CUH
#define LULL_CUDA_QUOTIENT_CUH

#include "ntt.cuh"

namespace lull
{

/* The sets of tables that a quotient needs of its domain. */
constexpr unsigned int quotient_sets = 1u << NTT_SET_INVERSE | 1u << NTT_SET_COSET;

/* Bytes of device memory besides a and b: c's n elements, or none. */
static inline size_t quotient_scratch_bytes(unsigned int log_n, bool folded)
{
	return folded ? 0 : (size_t)32 << log_n;
}

/**
 * quotient_run - a, b on the domain to the scalars of H
 * @domain: made with quotient_sets
 * @a: n Montgomery elements of device memory in natural order; overwritten by
 *	the result, n plain canonical integers in natural order
 * @b: the same; destroyed
 * @scratch: quotient_scratch_bytes(); destroyed
 * @folded: the result is a b, not a b - c
 * @stream: all launches go there, nobody waits
 *
 * a, b and the scratch hold parts of the witness: the caller wipes them.
 */
template <class F>
int quotient_run(const struct ntt_domain<F> &domain, fe<F> *a, fe<F> *b, fe<F> *scratch,
		 bool folded, cudaStream_t stream, struct lull_error *reterr);

} /* namespace lull */

#endif
