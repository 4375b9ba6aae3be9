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

/* ---- its coefficients ---- */

/*
 * For keys of powers of tau, as bellman's are: what fr_quotient_coefs() computes.
 * With s the coset's shift and Z = s^n - 1, coefficient k is s^-k / (n Z) times
 * what the transform back makes of the values.  These factors are products of an
 * entry of low and one of high, two tables of about 2^(log_n / 2) entries.
 */
template <class F>
struct quotient_coefs {
	unsigned int log_n, log_low;
	const fe<F> *low, *high;
};

static inline unsigned int quotient_coefs_log_low(unsigned int log_n)
{
	return (log_n + 1) / 2;
}

/* Bytes of device memory for both tables. */
static inline size_t quotient_coefs_bytes(unsigned int log_n)
{
	unsigned int log_low = quotient_coefs_log_low(log_n);

	return (((size_t)1 << log_low) + ((size_t)1 << (log_n - log_low))) * 32;
}

/* Entry i of a table: a power of base, times scale. */
template <class F>
struct quotient_powers {
	fe<F> base, scale;

	LULL_HD fe<F> operator()(size_t i) const
	{
		return mul(scale, fr_pow(base, i));
	}
};

/* What the tables are made of; host arithmetic. */
template <class F>
void quotient_coefs_powers(unsigned int log_n, quotient_powers<F> *ret_low,
			   quotient_powers<F> *ret_high);

/* Places i and its reverse j change places, for i <= j, each times its factor. */
template <class F>
LULL_HD void quotient_coefs_swap(const quotient_coefs<F> &c, fe<F> *h, uint32_t i)
{
	uint32_t j = reverse_bits(i, c.log_n), mask = (1u << c.log_low) - 1;

	if (i > j)
		return;
	fe<F> of_i = mul(load_fe(c.low + (i & mask)), load_fe(c.high + (i >> c.log_low)));
	fe<F> of_j = mul(load_fe(c.low + (j & mask)), load_fe(c.high + (j >> c.log_low)));
	fe<F> at_i = read_fe(h + i), at_j = read_fe(h + j);

	write_fe(h + i, mul(of_i, at_j));
	write_fe(h + j, mul(of_j, at_i));
}

/* Fills memory, quotient_coefs_bytes() of the device's, aligned to 256. */
template <class F>
int quotient_coefs_make(unsigned int log_n, void *memory, cudaStream_t stream,
			struct quotient_coefs<F> *ret_coefs, struct lull_error *reterr);

/* h, what quotient_run() left, becomes the n coefficients of (a b - c) / Z, plain
 * canonical integers in natural order. */
template <class F>
int quotient_coefs_run(const struct ntt_domain<F> &domain, const struct quotient_coefs<F> &coefs,
		       fe<F> *h, cudaStream_t stream, struct lull_error *reterr);

} /* namespace lull */

#endif
