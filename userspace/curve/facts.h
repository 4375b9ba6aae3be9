/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.h - what a parser must know of a curve: names, sizes and primes
 *
 * For input/, prove/ and the commands, which see no field element.
 */
#ifndef LULL_CURVE_FACTS_H
#define LULL_CURVE_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "lull.h"

/* The largest of any curve, for arrays that hold either. */
#define LULL_FP_BYTES_MAX 48
#define LULL_FR_BYTES 32

/**
 * struct lull_curve_facts - one curve
 * @id: the curve
 * @name: for people
 * @json_name: in snarkjs's JSON and on its command line
 * @fp_bytes: bytes of a coordinate (snarkjs's n8q)
 * @fr_bytes: bytes of a scalar (snarkjs's n8r)
 * @two_adicity: s of r - 1 = 2^s t, t odd; the largest domain is 2^s
 * @fp_prime: q, fp_bytes little-endian bytes
 * @fr_prime: r, fr_bytes little-endian bytes
 */
struct lull_curve_facts {
	enum lull_curve id;
	const char *name;
	const char *json_name;
	unsigned int fp_bytes;
	unsigned int fr_bytes;
	unsigned int two_adicity;
	const uint8_t *fp_prime;
	const uint8_t *fr_prime;
};

/* Each returns NULL when no curve matches. */
const struct lull_curve_facts *lull_curve_facts(enum lull_curve id);
const struct lull_curve_facts *lull_curve_by_fr(const uint8_t *prime,
						size_t bytes);
const struct lull_curve_facts *lull_curve_by_fp(const uint8_t *prime,
						size_t bytes);
const struct lull_curve_facts *lull_curve_by_json_name(const char *name);

#endif
