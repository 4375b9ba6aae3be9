// SPDX-License-Identifier: Apache-2.0
/*
 * bellman.c - indexes Groth16 parameters of bellman; see bellman.h
 *
 * All integers are big-endian; there is no magic, no version, no curve and no
 * padding:
 *
 *	alpha_g1, beta_g1 (G1), beta_g2, gamma_g2 (G2), delta_g1 (G1),
 *	delta_g2 (G2)
 *	u32 n, n of G1		ic: the inputs, the constant one first
 *
 * which is a verifying key; parameters go on with
 *
 *	u32 n, n of G1		h: tau^i Z(tau) / delta for i = 0 .. m - 2, m the
 *				domain's size
 *	u32 n, n of G1		l: the private variables
 *	u32 n, n of G1		a: every input, then those private variables
 *				that the matrix A has
 *	u32 n, n of G1		b_g1: the inputs and then the private variables
 *				that the matrix B has
 *	u32 n, n of G2		b_g2: the same in G2
 *
 * A point is x, y, uncompressed: G1 of 2 times 48 bytes, G2 x.c1, x.c0, y.c1,
 * y.c0 of 48 each.  The three highest bits of a point's first byte are flags:
 * 0x80 compressed, 0x40 infinity, 0x20 y is the larger of the two that x
 * allows; uncompressed points off infinity have none, and infinity never
 * stands in a file.
 *
 * A proof is A (G1), B (G2) and C (G1), compressed: x alone, 48, 96 and 48
 * bytes, flags as above.
 */
#include "input/bellman.h"

#include <endian.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/base.h"
#include "base/error.h"
#include "curve/facts.h"
#include "input/canonical.h"

#define FLAG_COMPRESSED 0x80
#define FLAG_INFINITY 0x40
#define FLAG_SIGN 0x20
#define FLAGS (FLAG_COMPRESSED | FLAG_INFINITY | FLAG_SIGN)

#define G1_COORDS 2
#define G2_COORDS 4

/* What the prover's indices and counts hold. */
#define LOG2_DOMAIN_MAX 31
#define VARS_MAX UINT32_MAX

static const struct {
	const char *name;
	unsigned int nr_coords;
} arrays[LULL_BELLMAN_NR_ARRAYS] = {
	[LULL_BELLMAN_ALPHA_G1] = { "alpha_g1", G1_COORDS },
	[LULL_BELLMAN_BETA_G1] = { "beta_g1", G1_COORDS },
	[LULL_BELLMAN_BETA_G2] = { "beta_g2", G2_COORDS },
	[LULL_BELLMAN_GAMMA_G2] = { "gamma_g2", G2_COORDS },
	[LULL_BELLMAN_DELTA_G1] = { "delta_g1", G1_COORDS },
	[LULL_BELLMAN_DELTA_G2] = { "delta_g2", G2_COORDS },
	[LULL_BELLMAN_IC] = { "ic", G1_COORDS },
	[LULL_BELLMAN_H] = { "h", G1_COORDS },
	[LULL_BELLMAN_L] = { "l", G1_COORDS },
	[LULL_BELLMAN_A] = { "a", G1_COORDS },
	[LULL_BELLMAN_B_G1] = { "b_g1", G1_COORDS },
	[LULL_BELLMAN_B_G2] = { "b_g2", G2_COORDS },
};

const char *lull_bellman_name(enum lull_bellman_array array)
{
	return arrays[array].name;
}

unsigned int lull_bellman_coords(enum lull_bellman_array array)
{
	return arrays[array].nr_coords;
}

size_t lull_bellman_point_bytes(enum lull_bellman_array array)
{
	return (size_t)arrays[array].nr_coords * LULL_BELLMAN_FP_BYTES;
}

int lull_bellman_fail(const struct lull_bellman *file,
		      enum lull_bellman_array array, uint64_t offset,
		      struct lull_error *reterr, enum lull_status code,
		      const char *fmt, ...)
{
	size_t len;
	va_list args;

	if (!reterr)
		return code;
	lull_fail(reterr, code, "%s: section %s, offset 0x%" PRIx64 ": ",
		  file->in.name, arrays[array].name, offset);
	len = strlen(reterr->msg);
	va_start(args, fmt);
	vsnprintf(reterr->msg + len, sizeof(reterr->msg) - len, fmt, args);
	va_end(args);
	return code;
}

/* ---- structure --------------------------------------------------------- */

/* The number of points of @array, which stands at @offset. */
static int take_count(struct lull_bellman *file, enum lull_bellman_array array,
		      uint64_t offset, struct lull_error *reterr)
{
	uint64_t left = file->in.bytes - offset;
	uint32_t nr;
	int err;

	if (left < LULL_BELLMAN_COUNT_BYTES)
		return lull_bellman_fail(
			file, array, offset, reterr, LULL_FORMAT,
			"expected a number of points (%u bytes), found "
			"%" PRIu64 " bytes before the end of the file",
			LULL_BELLMAN_COUNT_BYTES, left);
	err = lull_instream_read(&file->in, offset, &nr, sizeof(nr), reterr);
	if (!err)
		file->nr[array] = be32toh(nr);
	return err;
}

/* Places @array at *pos and moves that behind it. */
static int place(struct lull_bellman *file, enum lull_bellman_array array,
		 uint64_t *pos, struct lull_error *reterr)
{
	uint64_t bytes, left;
	int err;

	file->nr[array] = 1;
	if (array >= LULL_BELLMAN_IC) {
		err = take_count(file, array, *pos, reterr);
		if (err)
			return err;
		*pos += LULL_BELLMAN_COUNT_BYTES;
	}
	/* 32 bits of points of 192 bytes: no overflow. */
	bytes = file->nr[array] * (uint64_t)lull_bellman_point_bytes(array);
	left = file->in.bytes - *pos;
	if (bytes > left)
		return lull_bellman_fail(file, array, *pos, reterr, LULL_FORMAT,
					 "expected %" PRIu32 " points (%" PRIu64
					 " bytes), found %" PRIu64
					 " bytes before the end of the file",
					 file->nr[array], bytes, left);
	file->offset[array] = *pos;
	*pos += bytes;
	return LULL_OK;
}

/* Where the number of points of @array stands, for messages. */
static uint64_t count_at(const struct lull_bellman *file,
			 enum lull_bellman_array array)
{
	return file->offset[array] - LULL_BELLMAN_COUNT_BYTES;
}

static int expect_between(const struct lull_bellman *file,
			  enum lull_bellman_array array, uint64_t min,
			  uint64_t max, struct lull_error *reterr)
{
	if (file->nr[array] >= min && file->nr[array] <= max)
		return LULL_OK;
	if (min == max)
		return lull_bellman_fail(
			file, array, count_at(file, array), reterr, LULL_RANGE,
			"expected %" PRIu64 " points, found %" PRIu32, min,
			file->nr[array]);
	return lull_bellman_fail(file, array, count_at(file, array), reterr,
				 LULL_RANGE,
				 "expected from %" PRIu64 " to %" PRIu64
				 " points, found %" PRIu32,
				 min, max, file->nr[array]);
}

static int check_domain(const struct lull_bellman *file,
			struct lull_error *reterr)
{
	uint64_t n = (uint64_t)file->nr[LULL_BELLMAN_H] + 1;
	const enum lull_bellman_array h = LULL_BELLMAN_H;

	if (n < 2 || n & (n - 1))
		return lull_bellman_fail(file, h, count_at(file, h), reterr,
					 LULL_RANGE,
					 "expected one point less than a power "
					 "of two, at least 1, found %" PRIu32,
					 file->nr[h]);
	if (n > (uint64_t)1 << LOG2_DOMAIN_MAX)
		return lull_bellman_fail(file, h, count_at(file, h), reterr,
					 LULL_UNSUPPORTED,
					 "expected fewer than 2^%u points, "
					 "found %" PRIu32,
					 LOG2_DOMAIN_MAX, file->nr[h]);
	/* Each input has a row of its own. */
	if (n < file->nr[LULL_BELLMAN_IC])
		return lull_bellman_fail(
			file, h, count_at(file, h), reterr, LULL_RANGE,
			"a domain of %" PRIu64
			" rows: expected at least one for each of %" PRIu32
			" inputs",
			n, file->nr[LULL_BELLMAN_IC]);
	return LULL_OK;
}

static int check_counts(const struct lull_bellman *file,
			struct lull_error *reterr)
{
	uint64_t nr_inputs = file->nr[LULL_BELLMAN_IC], nr_vars;
	int err;

	err = check_domain(file, reterr);
	if (err)
		return err;
	nr_vars = nr_inputs + file->nr[LULL_BELLMAN_L];
	if (nr_vars > VARS_MAX)
		return lull_bellman_fail(
			file, LULL_BELLMAN_L, count_at(file, LULL_BELLMAN_L),
			reterr, LULL_UNSUPPORTED,
			"inputs and private variables: "
			"expected at most %" PRIu32 ", found %" PRIu64,
			VARS_MAX, nr_vars);
	err = expect_between(file, LULL_BELLMAN_A, nr_inputs, nr_vars, reterr);
	if (!err)
		err = expect_between(file, LULL_BELLMAN_B_G1, 0, nr_vars,
				     reterr);
	if (!err)
		err = expect_between(file, LULL_BELLMAN_B_G2,
				     file->nr[LULL_BELLMAN_B_G1],
				     file->nr[LULL_BELLMAN_B_G1], reterr);
	return err;
}

static int index_arrays(struct lull_bellman *file, unsigned int flags,
			struct lull_error *reterr)
{
	unsigned int array;
	uint64_t pos = 0;
	int err;

	for (array = 0; array < LULL_BELLMAN_NR_ARRAYS; array++) {
		if (array == LULL_BELLMAN_H && pos == file->in.bytes &&
		    flags & LULL_BELLMAN_VKEY_DOES) {
			file->is_vkey = true;
			break;
		}
		err = place(file, array, &pos, reterr);
		if (err)
			return err;
	}
	/* The constant one, at least. */
	if (!file->nr[LULL_BELLMAN_IC])
		return lull_bellman_fail(file, LULL_BELLMAN_IC,
					 count_at(file, LULL_BELLMAN_IC),
					 reterr, LULL_RANGE,
					 "expected at least 1 point, found 0");
	if (pos != file->in.bytes)
		return lull_fail(reterr, LULL_FORMAT,
				 "%s: offset 0x%" PRIx64
				 ": expected the end of the file behind b_g2, "
				 "found %" PRIu64 " more bytes",
				 file->in.name, pos, file->in.bytes - pos);
	return file->is_vkey ? LULL_OK : check_counts(file, reterr);
}

/* Ends @file's input when it fails. */
static int finish(struct lull_bellman *file, unsigned int flags,
		  struct lull_bellman *ret_file, struct lull_error *reterr)
{
	int err;

	err = index_arrays(file, flags, reterr);
	if (err) {
		lull_instream_close(&file->in);
		return err;
	}
	*ret_file = *file;
	return LULL_OK;
}

int lull_bellman_open(const char *path, unsigned int flags,
		      struct lull_bellman *ret_file, struct lull_error *reterr)
{
	struct lull_bellman file = { 0 };
	int err;

	err = lull_instream_open(path, &file.in, reterr);
	return err ? err : finish(&file, flags, ret_file, reterr);
}

int lull_bellman_open_mem(const void *data, size_t bytes, const char *name,
			  unsigned int flags, struct lull_bellman *ret_file,
			  struct lull_error *reterr)
{
	struct lull_bellman file = { 0 };
	int err;

	err = lull_instream_open_mem(data, bytes, name, &file.in, reterr);
	return err ? err : finish(&file, flags, ret_file, reterr);
}

void lull_bellman_close(struct lull_bellman *file)
{
	if (!file->in.bytes)
		return;
	lull_instream_close(&file->in);
	*file = (struct lull_bellman){ .in = { .fd = -1 } };
}

/* ---- points ------------------------------------------------------------ */

/* A coordinate in the other order of bytes. */
static void reverse(uint8_t *to, const uint8_t *from)
{
	const size_t word = sizeof(uint64_t);
	uint64_t v;
	size_t i;

	for (i = 0; i < LULL_BELLMAN_FP_BYTES; i += word) {
		memcpy(&v, from + LULL_BELLMAN_FP_BYTES - word - i, word);
		v = __builtin_bswap64(v);
		memcpy(to + i, &v, word);
	}
}

/* Coordinates in the file's order, one after the other; in G2 the two of an
 * element change places. */
static unsigned int coord_at(unsigned int i, bool is_g2)
{
	return is_g2 ? i ^ 1 : i;
}

/* Coordinates whose flags have been taken off @from. */
static enum lull_bellman_fault take_coords(const uint8_t *from, unsigned int nr,
					   bool is_g2, uint8_t *to)
{
	const size_t each = LULL_BELLMAN_FP_BYTES;
	const uint8_t *prime = lull_curve_facts(LULL_CURVE_BLS12_381)->fp_prime;
	uint8_t plain[LULL_BELLMAN_POINT_BYTES_MAX];
	unsigned int i, at;

	for (i = 0; i < nr; i++) {
		at = coord_at(i, is_g2);
		reverse(plain + at * each, from + i * each);
		if (!lull_input_below(plain + at * each, prime, each))
			return LULL_BELLMAN_COORDINATE;
	}
	memcpy(to, plain, nr * each);
	return LULL_BELLMAN_POINT_OK;
}

static void put_coords(const uint8_t *from, unsigned int nr, bool is_g2,
		       uint8_t *to)
{
	const size_t each = LULL_BELLMAN_FP_BYTES;
	unsigned int i;

	for (i = 0; i < nr; i++)
		reverse(to + i * each, from + coord_at(i, is_g2) * each);
}

enum lull_bellman_fault lull_bellman_take_point(const uint8_t *from,
						unsigned int nr_coords,
						uint8_t *to)
{
	LULL_ASSERT(nr_coords == G1_COORDS || nr_coords == G2_COORDS);
	if (lull_unlikely(from[0] & FLAGS)) {
		if (from[0] & FLAG_COMPRESSED)
			return LULL_BELLMAN_COMPRESSED;
		return from[0] & FLAG_INFINITY ? LULL_BELLMAN_INFINITY
					       : LULL_BELLMAN_SIGN;
	}
	return take_coords(from, nr_coords, nr_coords == G2_COORDS, to);
}

void lull_bellman_put_point(const uint8_t *from, unsigned int nr_coords,
			    uint8_t *to)
{
	put_coords(from, nr_coords, nr_coords == G2_COORDS, to);
}

enum lull_bellman_fault lull_bellman_take_compressed(const uint8_t *from,
						     unsigned int nr_coords,
						     uint8_t *to,
						     bool *ret_sign)
{
	uint8_t x[LULL_BELLMAN_POINT_BYTES_MAX / 2];
	enum lull_bellman_fault fault;

	LULL_ASSERT(nr_coords == G1_COORDS / 2 || nr_coords == G2_COORDS / 2);
	if (!(from[0] & FLAG_COMPRESSED))
		return LULL_BELLMAN_NOT_COMPRESSED;
	if (from[0] & FLAG_INFINITY)
		return LULL_BELLMAN_INFINITY;
	memcpy(x, from, nr_coords * (size_t)LULL_BELLMAN_FP_BYTES);
	x[0] &= (uint8_t)~FLAGS;
	fault = take_coords(x, nr_coords, nr_coords == G2_COORDS / 2, to);
	if (fault == LULL_BELLMAN_POINT_OK)
		*ret_sign = from[0] & FLAG_SIGN;
	return fault;
}

void lull_bellman_put_compressed(const uint8_t *from, unsigned int nr_coords,
				 bool sign, uint8_t *to)
{
	put_coords(from, nr_coords, nr_coords == G2_COORDS / 2, to);
	to[0] |= FLAG_COMPRESSED | (sign ? FLAG_SIGN : 0);
}

const char *lull_bellman_fault_text(enum lull_bellman_fault fault)
{
	switch (fault) {
	case LULL_BELLMAN_POINT_OK:
		return "no fault";
	case LULL_BELLMAN_COMPRESSED:
		return "expected an uncompressed point, found the flag of a "
		       "compressed one";
	case LULL_BELLMAN_NOT_COMPRESSED:
		return "expected a compressed point, found the flag of an "
		       "uncompressed one";
	case LULL_BELLMAN_INFINITY:
		return "expected a point, found infinity";
	case LULL_BELLMAN_SIGN:
		return "expected no sign on an uncompressed point, found one";
	case LULL_BELLMAN_COORDINATE:
		return "expected coordinates below p, found one that is not";
	}
	return "unknown fault";
}
