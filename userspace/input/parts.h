/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - a proving key by its parts, whichever file they lie in
 *
 * What proving and checking need of a key: sizes, and where each array lies in
 * memory.  zkey.h and lkey.h fill one; keyfile.h tells which of them a file is.
 * Points are affine, Montgomery, little-endian, infinity all zero, at any
 * alignment.
 */
#ifndef LULL_INPUT_PARTS_H
#define LULL_INPUT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/csr.h"
#include "curve/facts.h"
#include "input/infile.h"
#include "lull.h"

/* Sections by what they hold: the numbers of a .zkey, and for what it has not
 * those of a .lkey. */
enum lull_part {
	LULL_PART_HEADER = 2, /* alpha1, beta1, beta2, gamma2, delta1, delta2 */
	LULL_PART_IC = 3,
	LULL_PART_COEFS = 4, /* in a .lkey the distinct values alone */
	LULL_PART_A = 5,
	LULL_PART_B1 = 6,
	LULL_PART_B2 = 7,
	LULL_PART_L = 8, /* C in a .zkey */
	LULL_PART_H = 9,
	LULL_PART_ROWS_A = 11, /* starts, columns and numbers */
	LULL_PART_ROWS_B = 14,
	LULL_NR_PARTS = 17,
};

/**
 * struct lull_parts - an open key
 * @name: of the file, for messages
 * @base: its first byte
 * @file_bytes: its size
 * @curve: the key's curve
 * @facts: that curve's sizes and primes
 * @nr_vars: wires, the constant one among them
 * @nr_public: public signals, the constant one not among them; < nr_vars
 * @domain_size: a power of two, at least 2, greater than nr_public
 * @log2_domain: at most the curve's two-adicity
 * @nr_coefs: entries of both matrices
 * @nr_contributions: of the ceremony
 * @native: from a .lkey: @csr instead of @coefs, and @nr_inf is known
 * @folded: C is folded into L: see Documentation/internals/msm.rst
 * @toxic: made by our own generator from a known trapdoor: test only
 * @alpha1: G1, and so on
 * @ic: nr_public + 1 of G1
 * @a: nr_vars of G1
 * @b1: nr_vars of G1
 * @b2: nr_vars of G2
 * @l: @nr_l of G1
 * @h: domain_size of G1
 * @nr_l: nr_vars - nr_public - 1, the private wires; folded nr_vars
 * @coefs: @nr_coefs records of a .zkey
 * @csr: the matrices by rows
 * @nr_inf: points at infinity, by enum lull_part
 */
struct lull_parts {
	char name[LULL_INFILE_NAME_BYTES];
	const uint8_t *base;
	uint64_t file_bytes;
	enum lull_curve curve;
	const struct lull_curve_facts *facts;
	uint32_t nr_vars;
	uint32_t nr_public;
	uint32_t domain_size;
	unsigned int log2_domain;
	uint32_t nr_coefs;
	uint32_t nr_contributions;
	bool native, folded, toxic;
	const uint8_t *alpha1, *beta1, *beta2, *gamma2, *delta1, *delta2;
	const uint8_t *ic, *a, *b1, *b2, *l, *h;
	size_t nr_l;
	const uint8_t *coefs;
	struct lull_csr csr;
	size_t nr_inf[LULL_NR_PARTS];
};

/**
 * struct lull_look - who looks at a native key's points while it is read
 * @scan: which of the points [lo, hi) is the first that has a coordinate of q or
 *	more, or is not on its curve: @hi where none is.  Adds those at infinity
 *	before it to *nr_inf.  From any thread, several at once
 * @fail: says so of one, and returns LULL_RANGE
 *
 * Of prove/, for this folder knows no curve.
 */
struct lull_look {
	size_t (*scan)(enum lull_curve curve, unsigned int group,
		       const uint8_t *points, size_t lo, size_t hi,
		       size_t *nr_inf);
	int (*fail)(const struct lull_parts *key, enum lull_part part,
		    size_t index, struct lull_error *reterr);
};

/* Bytes of a point. */
static inline size_t lull_parts_g1_bytes(const struct lull_parts *parts)
{
	return 2 * (size_t)parts->facts->fp_bytes;
}

static inline size_t lull_parts_g2_bytes(const struct lull_parts *parts)
{
	return 4 * (size_t)parts->facts->fp_bytes;
}

/* The header's six points lie one behind the other from @p on. */
static inline void lull_parts_set_header(struct lull_parts *parts,
					 const uint8_t *p)
{
	const size_t g1 = lull_parts_g1_bytes(parts);
	const size_t g2 = lull_parts_g2_bytes(parts);

	parts->alpha1 = p;
	parts->beta1 = parts->alpha1 + g1;
	parts->beta2 = parts->beta1 + g1;
	parts->gamma2 = parts->beta2 + g2;
	parts->delta1 = parts->gamma2 + g2;
	parts->delta2 = parts->delta1 + g1;
}

/* Bytes of those: three points of each group. */
#define LULL_PARTS_HEADER_BYTES_MAX ((size_t)3 * (2 + 4) * LULL_FP_BYTES_MAX)
static inline size_t lull_parts_header_bytes(const struct lull_parts *parts)
{
	return 3 * (lull_parts_g1_bytes(parts) + lull_parts_g2_bytes(parts));
}

#endif
