// SPDX-License-Identifier: Apache-2.0
/*
 * points_ifma_gtmpl.c - checks eight points at once, in AVX-512 IFMA
 *
 * For points_gtmpl.c, which is the twin and looks again at any eight among
 * which one is faulty.  Bounds are multiples of p, see curve/ifma.h.
 */
#include "prove/points_ifma.h"

#define LOG2_DIFF 3 /* x^3 + b - y^2 + 2 p is below 5 p <= 2^3 p */

#if LULL_GROUP == 1
static const struct fp curve_b = { CURVE_CONST(G1_B) };
#else
static const struct fp2 curve_b = CURVE_CONST(G2_B);
#endif

/* The lanes whose coordinate is not below p. */
static __always_inline __mmask8 not_canonical(const __m512i *words)
{
	__m512i v[N];
	unsigned int j;

	ifma_unpack(v, words, FP_LIMBS, 0, N);
#pragma GCC unroll 8
	for (j = 0; j < N; j++)
		v[j] = _mm512_sub_epi64(v[j], ifma_set1(p52[j]));
	ifma_carry(v, N);
	return (__mmask8)~_mm512_movepi64_mask(v[N - 1]);
}

/* The lanes of a + b - c + 2 p that are not 0 mod p; a and c below 2 p. */
static __always_inline __mmask8 differ(const __m512i *a, const __m512i *b,
				       const __m512i *c)
{
	__m512i v[N];

	ifma_add(v, a, b, N);
	ifma_sub(v, v, c, 2, p52, N);
	ifma_canonical(v, v, LOG2_DIFF, p52, N);
	return (__mmask8)~ifma_is_zero(v, N);
}

#if LULL_GROUP == 1
static __always_inline __mmask8 off_curve(const __m512i (*v)[N],
					  const __m512i (*b)[N])
{
	__m512i rhs[N], lhs[N];

	ifma_sqr(rhs, v[0], p52, inv52, N);
	ifma_mul(rhs, rhs, v[0], p52, inv52, N);
	ifma_sqr(lhs, v[1], p52, inv52, N);
	return differ(rhs, b[0], lhs);
}
#else
/* r = a^2 in Fp2, (a0 + a1)(a0 - a1) below 2 p and 2 a0 a1 below 4 p. */
static __always_inline void square(__m512i (*r)[N], const __m512i (*a)[N])
{
	__m512i sum[N], diff[N], cross[N];

	ifma_add(sum, a[0], a[1], N);
	ifma_sub(diff, a[0], a[1], 2, p52, N);
	ifma_mul(cross, a[0], a[1], p52, inv52, N);
	ifma_mul(r[0], sum, diff, p52, inv52, N);
	ifma_add(r[1], cross, cross, N);
}

static __always_inline __mmask8 off_curve(const __m512i (*v)[N],
					  const __m512i (*b)[N])
{
	__m512i sq[2][N], cube[2][N], neg[N];

	square(sq, v);
	ifma_neg(neg, v[1], 2, p52, N);
	ifma_mul2(cube[0], sq[0], v[0], sq[1], neg, p52, inv52, N);
	ifma_mul2(cube[1], sq[0], v[1], sq[1], v[0], p52, inv52, N);
	square(sq, v + 2);
	/* 2 y0 y1 is below 4 p: one step brings it below 2 p. */
	ifma_reduce_once(sq[1], sq[1], 2, p52, N);
	return (__mmask8)(differ(cube[0], b[0], sq[0]) |
			  differ(cube[1], b[1], sq[1]));
}
#endif

size_t g_points_scan_ifma(const uint8_t *points, size_t lo, size_t hi,
			  size_t *nr_inf)
{
	__m512i words[WORDS_MAX], v[COORDS][N], b[LULL_GROUP][N];
	__mmask8 inf, bad;
	unsigned int k;
	size_t i;

	for (k = 0; k < LULL_GROUP * FP_LIMBS; k++)
		words[k] = ifma_set1(((const limb_t *)&curve_b)[k]);
	for (k = 0; k < LULL_GROUP; k++) {
		convert(b[k], words + k * FP_LIMBS);
		ifma_reduce_once(b[k], b[k], 1, p52, N);
	}
	for (i = lo; i + IFMA_LANES <= hi; i += IFMA_LANES) {
		load_points(words, points + i * WORDS * sizeof(limb_t));
		bad = 0;
#pragma GCC unroll 4
		for (k = 0; k < COORDS; k++) {
			bad |= not_canonical(words + k * FP_LIMBS);
			convert(v[k], words + k * FP_LIMBS);
		}
		inf = zero_points(words);
		bad |= off_curve((const __m512i(*)[N])v,
				 (const __m512i(*)[N])b) &
		       (__mmask8)~inf;
		if (bad)
			break;
		*nr_inf += (size_t)__builtin_popcount(inf);
	}
	return i;
}
