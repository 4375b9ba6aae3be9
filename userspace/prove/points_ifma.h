/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_ifma.h - eight points of the bound group from memory
 *
 * For points_ifma_gtmpl.c and subgroup_ifma_gtmpl.c alone.  A coordinate is
 * below 2 p once it is in R = 2^(52 n) form; see curve/ifma.h.
 */
#ifndef LULL_PROVE_POINTS_IFMA_H
#define LULL_PROVE_POINTS_IFMA_H

#include "curve/ifma.h"

#include "prove/groth16_tmpl.h"
#include "prove/points.h"

#define N CURVE_CONST(FP_LIMBS52)
#define COORDS (2 * LULL_GROUP)
#define WORDS (COORDS * FP_LIMBS)
#define WORDS_MAX 24 /* G2 of BLS12-381: 4 coordinates of 6 words */

static const uint64_t p52[N] = CURVE_CONST(FP_P52);
static const uint64_t to52[N] = CURVE_CONST(FP_TO52);
static const uint64_t inv52 = CURVE_CONST(FP_INV52);

/* One coordinate of eight points in R = 2^(52 n) form, below 2 p, from its
 * words. */
static __always_inline void convert(__m512i *r, const __m512i *words)
{
	__m512i k[N];

	ifma_broadcast(k, to52, N);
	ifma_unpack(r, words, FP_LIMBS, 0, N);
	ifma_mul(r, r, k, p52, inv52, N);
}

/* Word j of point i becomes lane i of words[j]. */
static __always_inline void load_points(__m512i *words, const uint8_t *points)
{
	unsigned int c, i;

#pragma GCC unroll 4
	for (c = 0; c < WORDS; c += IFMA_LANES) {
		unsigned int left = WORDS - c;
		__mmask8 mask = left >= IFMA_LANES ? 0xff : (1u << left) - 1;

#pragma GCC unroll 8
		for (i = 0; i < IFMA_LANES; i++)
			words[c + i] = _mm512_maskz_loadu_epi64(
				mask, points + (size_t)(i * WORDS + c) *
						       sizeof(limb_t));
		ifma_transpose(words + c);
	}
}

static __always_inline __mmask8 zero_points(const __m512i *words)
{
	return ifma_is_zero(words, WORDS);
}

#endif
