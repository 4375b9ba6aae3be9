// SPDX-License-Identifier: Apache-2.0
/*
 * proof.c - a proof in bellman's 192 bytes
 *
 * On BLS12-381: A (48 bytes), B (96) and C (48), each a compressed point: x
 * big-endian, of G2 c1 before c0, with three flags in the first bits:
 *
 *	0x80	compressed
 *	0x40	infinity, all other bits 0
 *	0x20	y is the larger of the two that x has; in G2 c1 is compared, and
 *		c0 only where c1 is its own negative
 */
#include "base/base.h"
#include "base/error.h"
#include "curve/facts.h"
#include "prove/prover.h"

#define FP_BYTES 48
#define FLAG_COMPRESSED 0x80
#define FLAG_INFINITY 0x40
#define FLAG_LARGER 0x20

_Static_assert(4 * FP_BYTES == LULL_PROOF_COMPRESSED_BYTES, "A, B and C");

static bool is_zero(const uint8_t *bytes, size_t nr)
{
	uint8_t any = 0;

	while (nr--)
		any |= *bytes++;
	return !any;
}

/* Whether little-endian y is above q - y: 1, 0 if they are the same (y is 0),
 * else -1. */
static int compare_with_negative(const uint8_t *y, const uint8_t *q)
{
	unsigned int twice[FP_BYTES + 1], carry = 0, i;

	for (i = 0; i < FP_BYTES; i++) {
		carry += 2u * y[i];
		twice[i] = carry & UINT8_MAX;
		carry >>= 8;
	}
	if (is_zero(y, FP_BYTES))
		return 0;
	if (carry)
		return 1;
	/* q is odd, so that 2 y is never q. */
	while (i--)
		if (twice[i] != q[i])
			return twice[i] > q[i] ? 1 : -1;
	return 0;
}

/* The parts of one coordinate, the most significant last. */
static void compress(uint8_t *out, const uint8_t *point, size_t nr_parts,
		     const uint8_t *q)
{
	const size_t bytes = nr_parts * FP_BYTES;
	const uint8_t *y = point + bytes;
	int larger = 0;
	size_t i;

	for (i = 0; i < bytes; i++)
		out[i] = point[bytes - 1 - i];
	out[0] |= FLAG_COMPRESSED;
	if (is_zero(point, 2 * bytes)) {
		out[0] |= FLAG_INFINITY;
		return;
	}
	for (i = nr_parts; i-- && !larger;)
		larger = compare_with_negative(y + i * FP_BYTES, q);
	if (larger > 0)
		out[0] |= FLAG_LARGER;
}

int lull_proof_compressed(const struct lull_proof *proof,
			  unsigned char ret_bytes[LULL_PROOF_COMPRESSED_BYTES],
			  struct lull_error *reterr)
{
	const struct lull_json_proof *points = &proof->points;
	const struct lull_curve_facts *facts = lull_curve_facts(points->curve);

	if (points->curve != LULL_CURVE_BLS12_381)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "a proof of %d bytes: expected one on "
				 "BLS12-381, found one on %s",
				 LULL_PROOF_COMPRESSED_BYTES, facts->name);
	compress(ret_bytes, points->a, 1, facts->fp_prime);
	compress(ret_bytes + FP_BYTES, points->b, 2, facts->fp_prime);
	compress(ret_bytes + 3 * FP_BYTES, points->c, 1, facts->fp_prime);
	return LULL_OK;
}
