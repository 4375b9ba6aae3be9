/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntt.h - number-theoretic transforms over Fr, and the quotient H
 *
 * For templates above.  The domain of size n = 2^k is the powers of
 * w_n = g^((r - 1) / n), g the smallest non-residue, as snarkjs has it for
 * both curves; arrays are in natural order on both sides.
 */
#ifndef LULL_NTT_NTT_H
#define LULL_NTT_NTT_H

#include "arena/arena.h"
#include "base/workers.h"
#include "curve/fr.h"

struct lull_error;
struct fr_domain;

#define fr_domain_create LULL_CURVE_NAME(fr_domain_create)
#define fr_domain_destroy LULL_CURVE_NAME(fr_domain_destroy)
#define fr_domain_bytes LULL_CURVE_NAME(fr_domain_bytes)
#define fr_ntt LULL_CURVE_NAME(fr_ntt)
#define fr_intt LULL_CURVE_NAME(fr_intt)
#define fr_ntt_scratch_bytes LULL_CURVE_NAME(fr_ntt_scratch_bytes)
#define fr_quotient LULL_CURVE_NAME(fr_quotient)
#define fr_quotient_folded LULL_CURVE_NAME(fr_quotient_folded)
#define fr_quotient_coefs LULL_CURVE_NAME(fr_quotient_coefs)
#define fr_quotient_scratch_bytes LULL_CURVE_NAME(fr_quotient_scratch_bytes)

/* Tables for a domain of 2^log2_n, 1 <= log2_n <= the field's 2-adicity, in
 * @arena.  Built once a key, read-only afterwards, shared by concurrent
 * proofs. */
int fr_domain_create(unsigned int log2_n, struct lull_arena *arena,
		     struct fr_domain **ret_domain, struct lull_error *reterr);
/* Takes NULL. */
void fr_domain_destroy(struct fr_domain *domain);
/* Bytes that such a domain's tables take. */
size_t fr_domain_bytes(unsigned int log2_n);

/* Bytes of scratch for one fr_ntt() or fr_intt(). */
size_t fr_ntt_scratch_bytes(unsigned int log2_n, unsigned int nr_threads);

/* values[i] becomes sum_j values[j] w_n^(ij); fr_intt is the inverse.  In
 * place; n elements, aligned to 64 bytes, as is the scratch, which afterwards
 * holds parts of the values. */
void fr_ntt(const struct fr_domain *domain, struct fr *values,
	    struct lull_workers *workers, void *scratch);
void fr_intt(const struct fr_domain *domain, struct fr *values,
	     struct lull_workers *workers, void *scratch);

/* Bytes of scratch for one quotient. */
size_t fr_quotient_scratch_bytes(unsigned int log2_n, unsigned int nr_threads);

/**
 * fr_quotient - the scalars that the key's H points are multiplied by
 * @domain: of n elements
 * @a: the n evaluations of A w on the domain, Montgomery; overwritten by the
 *	result, n plain (not Montgomery) canonical integers
 * @b: the n evaluations of B w; destroyed
 * @workers: the pool to run on
 * @scratch: fr_quotient_scratch_bytes() bytes, aligned to 64 bytes
 *
 * snarkjs's basis: with c_i = a_i b_i on the domain, each of a, b and c is
 * evaluated at the odd powers of w_2n (inverse transform, coefficient i times
 * w_2n^i, transform) and the result is a b - c there, point by point.  Where
 * n = 2^s the coset's shift is g^2 instead of w_2n.  a, b and the scratch hold
 * parts of the witness: the caller wipes them.
 */
void fr_quotient(const struct fr_domain *domain, struct fr *a, struct fr *b,
		 struct lull_workers *workers, void *scratch);

/**
 * fr_quotient_folded - the same for a key into whose L points C is folded
 * @domain: of n elements
 * @a: as fr_quotient(); the result is a b at the odd powers, without c
 * @b: as fr_quotient()
 * @workers: the pool to run on
 * @scratch: fr_ntt_scratch_bytes() bytes, aligned to 64 bytes
 *
 * Four transforms instead of six; the caller wipes as after fr_quotient().
 */
void fr_quotient_folded(const struct fr_domain *domain, struct fr *a,
			struct fr *b, struct lull_workers *workers,
			void *scratch);

/**
 * fr_quotient_coefs - from values on the coset to the quotient's coefficients
 * @domain: of n elements
 * @h: what fr_quotient() left; overwritten by the n coefficients of
 *	(a b - c) / Z, plain canonical integers; the last is 0 where c is what
 *	the domain's a b is
 * @workers: the pool to run on
 * @scratch: fr_ntt_scratch_bytes() bytes, aligned to 64 bytes
 *
 * bellman's basis.
 */
void fr_quotient_coefs(const struct fr_domain *domain, struct fr *h,
		       struct lull_workers *workers, void *scratch);

#endif
