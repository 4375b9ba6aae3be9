/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntt_ref.h - the C library's transforms and sparse products, for the tests
 *
 * Per curve one table of functions over raw memory, filled in by
 * ntt_ref_tmpl.c; they end the program when memory is short.
 */
#ifndef LULL_SELFTESTS_CUDA_NTT_REF_H
#define LULL_SELFTESTS_CUDA_NTT_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntt_ref {
	/* In place, natural order on both sides, n = 2^log_n. */
	void (*ntt)(void *values, unsigned int log_n);
	void (*intt)(void *values, unsigned int log_n);
	/* fr_quotient(): a becomes the scalars of H. */
	void (*quotient)(void *a, void *b, unsigned int log_n);
	/* fr_quotient_coefs(): what quotient() left becomes coefficients. */
	void (*coefs)(void *h, unsigned int log_n);
	/* The product at the odd powers of w_2n, plain: a folded key's scalars. */
	void (*folded)(void *a, void *b, unsigned int log_n);
	/* fr_spmv() with records in any order. */
	void (*spmv)(void *a, void *b, size_t n, const uint8_t *coefs,
		     size_t nr_coefs, const uint8_t *witness);
};

extern const struct ntt_ref ntt_ref_bn254, ntt_ref_bls12_381;

#ifdef __cplusplus
}
#endif
#endif
