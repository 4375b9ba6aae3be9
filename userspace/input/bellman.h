/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bellman.h - Groth16 parameters as bellman and bellperson write them
 *
 * Finds the arrays of points in a parameters file or in a verifying key alone
 * and checks that they fit the file and each other; bellman.c opens with the
 * format.  The file is not kept: whoever wants points reads them piece by
 * piece and has each encoding checked here.  Whether a point lies on its curve
 * is the business of curve/.  BLS12-381 only: the format names no curve and
 * its users have no other.
 */
#ifndef LULL_INPUT_BELLMAN_H
#define LULL_INPUT_BELLMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/instream.h"
#include "lull.h"

/* The arrays in the file's order; the first six have one point each. */
enum lull_bellman_array {
	LULL_BELLMAN_ALPHA_G1,
	LULL_BELLMAN_BETA_G1,
	LULL_BELLMAN_BETA_G2,
	LULL_BELLMAN_GAMMA_G2,
	LULL_BELLMAN_DELTA_G1,
	LULL_BELLMAN_DELTA_G2,
	LULL_BELLMAN_IC,
	LULL_BELLMAN_NR_VKEY, /* a verifying key has those above */
	LULL_BELLMAN_H = LULL_BELLMAN_NR_VKEY,
	LULL_BELLMAN_L,
	LULL_BELLMAN_A,
	LULL_BELLMAN_B_G1,
	LULL_BELLMAN_B_G2,
	LULL_BELLMAN_NR_ARRAYS,
};

#define LULL_BELLMAN_FP_BYTES 48
#define LULL_BELLMAN_COORDS_MAX 4 /* a point of G2 */
#define LULL_BELLMAN_POINT_BYTES_MAX                                           \
	(LULL_BELLMAN_COORDS_MAX * LULL_BELLMAN_FP_BYTES)
#define LULL_BELLMAN_COUNT_BYTES 4 /* before an array, big-endian */

/**
 * struct lull_bellman - an open file
 * @in: where bytes come from, and the name for messages
 * @is_vkey: a verifying key alone: arrays from LULL_BELLMAN_H on are empty
 * @offset: of each array's first point
 * @nr: its points
 */
struct lull_bellman {
	struct lull_instream in;
	bool is_vkey;
	uint64_t offset[LULL_BELLMAN_NR_ARRAYS];
	uint32_t nr[LULL_BELLMAN_NR_ARRAYS];
};

/* What is wrong with the encoding of a point. */
enum lull_bellman_fault {
	LULL_BELLMAN_POINT_OK,
	LULL_BELLMAN_COMPRESSED,     /* the flag is set and should not be */
	LULL_BELLMAN_NOT_COMPRESSED, /* the other way round */
	LULL_BELLMAN_INFINITY,	     /* which the format never holds */
	LULL_BELLMAN_SIGN,	     /* a sign, without compression */
	LULL_BELLMAN_COORDINATE,     /* not below p */
};

/* For lull_bellman_open(): a verifying key alone will do. */
#define LULL_BELLMAN_VKEY_DOES 1u

/**
 * lull_bellman_open - open a file and check its structure
 * @path: the file
 * @flags: 0 or LULL_BELLMAN_VKEY_DOES
 * @ret_file: owned by the caller; end it with lull_bellman_close()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_FORMAT, LULL_RANGE (counts that contradict
 * each other), LULL_UNSUPPORTED (larger than our domains) or LULL_USAGE.
 */
int lull_bellman_open(const char *path, unsigned int flags,
		      struct lull_bellman *ret_file, struct lull_error *reterr);

/**
 * lull_bellman_open_mem - as lull_bellman_open(), from the caller's memory
 * @data: not copied; must outlive the file
 * @bytes: its size
 * @name: what messages call it
 * @flags: 0 or LULL_BELLMAN_VKEY_DOES
 * @ret_file: owned by the caller; end it with lull_bellman_close()
 * @reterr: filled on failure
 *
 * Return: as lull_bellman_open(), without LULL_IO.
 */
int lull_bellman_open_mem(const void *data, size_t bytes, const char *name,
			  unsigned int flags, struct lull_bellman *ret_file,
			  struct lull_error *reterr);

/* An empty one is left alone. */
void lull_bellman_close(struct lull_bellman *file);

/* "alpha_g1", ..., "b_g2". */
const char *lull_bellman_name(enum lull_bellman_array array);

/* Coordinates of a point of an array: 2 or, in G2, 4. */
unsigned int lull_bellman_coords(enum lull_bellman_array array);

/* Bytes of a point of an array. */
size_t lull_bellman_point_bytes(enum lull_bellman_array array);

/**
 * lull_bellman_fail - describe a fault at a place of the file
 * @file: the file
 * @array: where in it
 * @offset: of the fault
 * @reterr: filled
 * @code: the status to return
 * @fmt: what was expected and what was found
 *
 * Return: @code.
 */
int lull_bellman_fail(const struct lull_bellman *file,
		      enum lull_bellman_array array, uint64_t offset,
		      struct lull_error *reterr, enum lull_status code,
		      const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

/**
 * lull_bellman_take_point - decode an uncompressed point
 * @from: the file's bytes: big-endian, of G2 the part with u first
 * @nr_coords: 2 for G1, 4 for G2
 * @to: plain, little-endian: x, y or x.c0, x.c1, y.c0, y.c1; not @from.
 *	Written only on success.
 */
enum lull_bellman_fault lull_bellman_take_point(const uint8_t *from,
						unsigned int nr_coords,
						uint8_t *to);

/* The other way; coordinates are below p and not all zero. */
void lull_bellman_put_point(const uint8_t *from, unsigned int nr_coords,
			    uint8_t *to);

/* A proof: A, B and C, compressed, without infinity. */
#define LULL_BELLMAN_PROOF_A 0
#define LULL_BELLMAN_PROOF_B LULL_BELLMAN_FP_BYTES
#define LULL_BELLMAN_PROOF_C (3 * LULL_BELLMAN_FP_BYTES)

/**
 * lull_bellman_take_compressed - decode the x and the sign of a point
 * @from: the file's bytes
 * @nr_coords: of x: 1 for G1, 2 for G2
 * @to: x, plain, little-endian: c0, c1; written only on success
 * @ret_sign: y is the larger of the two that x allows; only on success
 */
enum lull_bellman_fault lull_bellman_take_compressed(const uint8_t *from,
						     unsigned int nr_coords,
						     uint8_t *to,
						     bool *ret_sign);

/* The other way; coordinates are below p, the point is not infinity. */
void lull_bellman_put_compressed(const uint8_t *from, unsigned int nr_coords,
				 bool sign, uint8_t *to);

/* What is wrong, in words: "expected ..., found ...". */
const char *lull_bellman_fault_text(enum lull_bellman_fault fault);

#endif
