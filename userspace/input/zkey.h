/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zkey.h - a Groth16 proving key as snarkjs writes it
 *
 * Reads or maps the file, checks its whole structure and gives pointers into it; no
 * byte is copied.  zkey.c opens with the format.  Whether points lie on their
 * curve is the business of curve/: this folder sees bytes.
 */
#ifndef LULL_INPUT_ZKEY_H
#define LULL_INPUT_ZKEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "curve/facts.h"
#include "input/binfile.h"
#include "input/parts.h"
#include "lull.h"

enum {
	LULL_ZKEY_PROTOCOL = 1,
	LULL_ZKEY_HEADER = 2,
	LULL_ZKEY_IC = 3,
	LULL_ZKEY_COEFS = 4,
	LULL_ZKEY_A = 5,
	LULL_ZKEY_B1 = 6,
	LULL_ZKEY_B2 = 7,
	LULL_ZKEY_C = 8,
	LULL_ZKEY_H = 9,
	LULL_ZKEY_CONTRIBUTIONS = 10,
	/* Ours, ignored by other tools: the bytes of "lull". */
	LULL_ZKEY_TOXIC = 0x6c6c756c,
};

/* What section LULL_ZKEY_TOXIC of a generated test key says. */
#define LULL_ZKEY_TOXIC_TEXT                                                   \
	"insecure, test only: generated from a known trapdoor"

#define LULL_ZKEY_VERSION 1
#define LULL_ZKEY_GROTH16 1 /* the number in section 1 */

/* One coefficient: u32 matrix (0 A, 1 B), u32 constraint, u32 signal and the
 * value, which is coefficient * R^2 mod r, little-endian. */
#define LULL_ZKEY_COEF_MATRIX 0
#define LULL_ZKEY_COEF_CONSTRAINT 4
#define LULL_ZKEY_COEF_SIGNAL 8
#define LULL_ZKEY_COEF_VALUE 12
#define LULL_ZKEY_COEF_BYTES (LULL_ZKEY_COEF_VALUE + LULL_FR_BYTES)

/* For lull_zkey_open(): leave the coefficients to lull_zkey_check_coefs(). */
#define LULL_ZKEY_DEFER_COEFS 1u

/**
 * struct lull_zkey - an open key
 * @file: the container; its trailing_bytes are worth a warning
 * @curve: the key's curve
 * @facts: that curve's sizes and primes
 * @nr_vars: signals, the constant one among them
 * @nr_public: public signals, the constant one not among them; < nr_vars
 * @domain_size: a power of two, at least 2, greater than nr_public
 * @log2_domain: at most the curve's two-adicity
 * @nr_coefs: entries of @coefs
 * @alpha1: G1, affine, Montgomery, little-endian, any alignment, as all points
 * @beta1: G1
 * @beta2: G2
 * @gamma2: G2
 * @delta1: G1
 * @delta2: G2
 * @ic: nr_public + 1 of G1
 * @coefs: nr_coefs of LULL_ZKEY_COEF_BYTES
 * @a: nr_vars of G1
 * @b1: nr_vars of G1
 * @b2: nr_vars of G2
 * @c: nr_vars - nr_public - 1 of G1
 * @h: domain_size of G1
 * @nr_contributions: of the ceremony; 0 when there is no section 10
 * @coefs_sorted: by constraint; known only without LULL_ZKEY_DEFER_COEFS
 * @toxic: made by our own generator from a known trapdoor: test only
 * @toxic_text: what to tell a person about it; NULL when !@toxic
 */
struct lull_zkey {
	struct lull_binfile file;
	enum lull_curve curve;
	const struct lull_curve_facts *facts;
	uint32_t nr_vars;
	uint32_t nr_public;
	uint32_t domain_size;
	unsigned int log2_domain;
	uint32_t nr_coefs;
	const uint8_t *alpha1, *beta1, *beta2, *gamma2, *delta1, *delta2;
	const uint8_t *ic, *coefs, *a, *b1, *b2, *c, *h;
	uint32_t nr_contributions;
	bool coefs_sorted;
	bool toxic;
	const char *toxic_text;
};

/**
 * lull_zkey_open - read or map a key and check its structure
 * @path: the file
 * @flags: 0 or LULL_ZKEY_DEFER_COEFS
 * @memory: where to read it to; NULL maps it
 * @ret_key: owned by the caller; end it with lull_zkey_close()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_FORMAT, LULL_RANGE, LULL_MISMATCH (primes of
 * two curves), LULL_UNSUPPORTED (another protocol, version or curve) or
 * LULL_USAGE.
 */
int lull_zkey_open(const char *path, unsigned int flags,
		   const struct lull_infile_memory *memory,
		   struct lull_zkey *ret_key, struct lull_error *reterr);

/**
 * lull_zkey_open_sparse - find out where everything is, and read nothing else
 * @path: the file
 * @ret_key: owned by the caller; end it with lull_zkey_close().  Of what its
 *	pointers point at only the header's points may be looked at: the others
 *	tell places, for reading from @ret_key->file.in.stream, which stays open
 * @reterr: filled on failure
 *
 * Return: as lull_zkey_open() with LULL_ZKEY_DEFER_COEFS, or LULL_NOMEM.
 */
int lull_zkey_open_sparse(const char *path, struct lull_zkey *ret_key,
			  struct lull_error *reterr);

/**
 * lull_zkey_open_mem - as lull_zkey_open(), from the caller's memory
 * @data: not copied; must outlive the key
 * @bytes: its size
 * @name: what messages call it
 * @flags: 0 or LULL_ZKEY_DEFER_COEFS
 * @ret_key: owned by the caller; end it with lull_zkey_close()
 * @reterr: filled on failure
 *
 * Return: as lull_zkey_open(), without LULL_IO.
 */
int lull_zkey_open_mem(const void *data, size_t bytes, const char *name,
		       unsigned int flags, struct lull_zkey *ret_key,
		       struct lull_error *reterr);

/**
 * lull_zkey_check_coefs - check a range of the coefficients
 * @key: an open key
 * @coefs: coefficient @first, behind the one before it if there is one: in the
 *	key, or a copy
 * @first: the first to check
 * @last: one past the last, at most nr_coefs
 * @ret_sorted: whether constraints do not descend from coefficient @first - 1
 *	(where there is one) to @last - 1; may be NULL
 * @reterr: names the first that is wrong
 *
 * Each must have a matrix of 0 or 1, a constraint below domain_size, a signal
 * below nr_vars and a value below r.  Reads only: several threads may check
 * ranges of one key at once.
 *
 * Return: LULL_OK or LULL_RANGE.
 */
int lull_zkey_check_coefs(const struct lull_zkey *key, const uint8_t *coefs,
			  uint32_t first, uint32_t last, bool *ret_sorted,
			  struct lull_error *reterr);

/**
 * lull_zkey_close - give the memory back and empty; an empty one is left alone
 * @key: the key
 */
void lull_zkey_close(struct lull_zkey *key);

/* Where the parts of an open key lie. */
void lull_zkey_parts(const struct lull_zkey *key, struct lull_parts *ret_parts);

/* Where one of the key's pointers lies in its file, for messages. */
static inline uint64_t lull_zkey_offset(const struct lull_zkey *key,
					const uint8_t *p)
{
	return lull_binfile_offset(&key->file, p);
}

#endif
