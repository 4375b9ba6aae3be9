/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ifma.h - eight field elements at once, in AVX-512 IFMA
 *
 * For the *_ifma* files of ntt/ and msm/ alone: they are built with the flags
 * that these intrinsics need and entered only after lull_cpu_has_ifma().
 *
 * A vector of eight elements is n registers; register j holds limb j of all
 * eight, radix 2^52: n = 5, R = 2^260 for fields of 256 bits, n = 8,
 * R = 2^416 for those of 384.  Like limbs.h, every function takes n as its
 * last argument, always a literal, and p, the modulus in 52-bit limbs (*_P52).
 *
 * Two invariants, and every function says what it needs and gives:
 *   clean: each limb is in [0, 2^52).  A multiplication reads only the low 52
 *	bits of a limb, so its factors are clean (or only nearly so: see
 *	ifma_carry_factor()).
 *   below k p: the value.  Nothing is canonical unless it says so.  A product
 *	of a < alpha p and b < beta p is below (alpha beta p / R + 1) p, so
 *	below 2 p whenever alpha beta <= R / p, which is
 *		84 for BN254 (both fields), 35 for the BLS12-381 scalar field,
 *		2^35 for the BLS12-381 base field.
 *
 * An element that lies in memory as 64-bit limbs of x 2^256 is a valid
 * x 2^260 below 16 p once it is shifted left by 4 bits: see ifma_unpack().
 */
#ifndef LULL_CURVE_IFMA_H
#define LULL_CURVE_IFMA_H

#include <immintrin.h>

#include "curve/limbs.h"

/*
 * Inlined and unrolled, products keep their limbs in registers.  A sanitizer
 * would check every limb of every copy, minutes for the compiler and nothing
 * for the tests: there they are ordinary functions with loops.
 */
#if defined(__has_feature)
#define IFMA_HAS_FEATURE(x) __has_feature(x)
#else
#define IFMA_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
	IFMA_HAS_FEATURE(address_sanitizer) ||                                 \
	IFMA_HAS_FEATURE(thread_sanitizer) ||                                  \
	IFMA_HAS_FEATURE(memory_sanitizer)
#define IFMA_INLINE __attribute__((noinline, unused))
#else
#define IFMA_INLINE __always_inline
#endif

#define IFMA_LANES 8
#define IFMA_BITS 52
#define IFMA_MASK ((1ull << IFMA_BITS) - 1)
#define IFMA_LIMBS_MAX 8

static IFMA_INLINE __m512i ifma_set1(uint64_t x)
{
	return _mm512_set1_epi64((long long)x);
}

static IFMA_INLINE void ifma_copy(__m512i *r, const __m512i *a, unsigned int n)
{
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		r[j] = a[j];
}

/* Every lane the same clean constant. */
static IFMA_INLINE void ifma_broadcast(__m512i *r, const uint64_t *c,
				       unsigned int n)
{
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		r[j] = ifma_set1(c[j]);
}

/* r = lane in mask ? a : b */
static IFMA_INLINE void ifma_select(__m512i *r, __mmask8 mask, const __m512i *a,
				    const __m512i *b, unsigned int n)
{
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		r[j] = _mm512_mask_mov_epi64(b[j], mask, a[j]);
}

/*
 * Makes limbs clean.  They may be anything that fits a signed 64-bit number
 * with room for a carry (|limb| < 2^62); the top one takes the rest, so it is
 * clean when the value is in [0, 2^(52 n)), and negative when the value is.
 */
static IFMA_INLINE void ifma_carry(__m512i *r, unsigned int n)
{
	const __m512i mask = ifma_set1(IFMA_MASK);
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j + 1 < n; j++) {
		r[j + 1] = _mm512_add_epi64(r[j + 1],
					    _mm512_srai_epi64(r[j], IFMA_BITS));
		r[j] = _mm512_and_si512(r[j], mask);
	}
}

/*
 * The same without the masks: the low 52 bits of a limb are right and the rest
 * is garbage, which a multiplication does not read.  Such a value is good for
 * a factor and nothing else.
 */
static IFMA_INLINE void ifma_carry_factor(__m512i *r, unsigned int n)
{
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j + 1 < n; j++)
		r[j + 1] = _mm512_add_epi64(r[j + 1],
					    _mm512_srai_epi64(r[j], IFMA_BITS));
}

/* r = a + b limb by limb, not clean. */
static IFMA_INLINE void ifma_add_raw(__m512i *r, const __m512i *a,
				     const __m512i *b, unsigned int n)
{
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		r[j] = _mm512_add_epi64(a[j], b[j]);
}

/* r = a - b limb by limb, not clean, perhaps negative. */
static IFMA_INLINE void ifma_sub_raw(__m512i *r, const __m512i *a,
				     const __m512i *b, unsigned int n)
{
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		r[j] = _mm512_sub_epi64(a[j], b[j]);
}

/* r += k p in the lanes of mask, not clean; k < 2^10. */
static IFMA_INLINE void ifma_add_kp_raw(__m512i *r, __mmask8 mask, uint64_t k,
					const uint64_t *p, unsigned int n)
{
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		r[j] = _mm512_mask_add_epi64(r[j], mask, r[j],
					     ifma_set1(k * p[j]));
}

/* r = a + b, clean; below the sum of their bounds. */
static IFMA_INLINE void ifma_add(__m512i *r, const __m512i *a, const __m512i *b,
				 unsigned int n)
{
	ifma_add_raw(r, a, b, n);
	ifma_carry(r, n);
}

/* r = a - b + k p limb by limb, not clean. */
static IFMA_INLINE void ifma_sub_kp_raw(__m512i *r, const __m512i *a,
					const __m512i *b, uint64_t k,
					const uint64_t *p, unsigned int n)
{
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		r[j] = _mm512_add_epi64(_mm512_sub_epi64(a[j], b[j]),
					ifma_set1(k * p[j]));
}

/* r = a - b + k p, clean, for b <= k p; below a's bound + k p. */
static IFMA_INLINE void ifma_sub(__m512i *r, const __m512i *a, const __m512i *b,
				 uint64_t k, const uint64_t *p, unsigned int n)
{
	ifma_sub_kp_raw(r, a, b, k, p, n);
	ifma_carry(r, n);
}

/* r = k p - a, clean, for a <= k p; at most k p. */
static IFMA_INLINE void ifma_neg(__m512i *r, const __m512i *a, uint64_t k,
				 const uint64_t *p, unsigned int n)
{
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		r[j] = _mm512_sub_epi64(ifma_set1(k * p[j]), a[j]);
	ifma_carry(r, n);
}

/* r = a >= k p ? a - k p : a, clean, for a clean a below 2 k p: below k p. */
static IFMA_INLINE void ifma_reduce_once(__m512i *r, const __m512i *a,
					 uint64_t k, const uint64_t *p,
					 unsigned int n)
{
	__m512i t[IFMA_LIMBS_MAX];
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		t[j] = _mm512_sub_epi64(a[j], ifma_set1(k * p[j]));
	ifma_carry(t, n);
	ifma_select(r, _mm512_movepi64_mask(t[n - 1]), a, t, n);
}

/*
 * t = a b, 2 n limbs that are not clean: each is a sum of at most n low and n
 * high halves, so below 2 n 2^52 <= 2^56.  a and b clean.
 */
static IFMA_INLINE void ifma_wide_mul(__m512i *t, const __m512i *a,
				      const __m512i *b, unsigned int n)
{
	unsigned int i, j;

#pragma GCC unroll 16
	for (j = 0; j < 2 * n; j++)
		t[j] = _mm512_setzero_si512();
#pragma GCC unroll 8
	for (i = 0; i < n; i++) {
#pragma GCC unroll 8
		for (j = 0; j < n; j++)
			t[i + j] = _mm512_madd52lo_epu64(t[i + j], a[j], b[i]);
#pragma GCC unroll 8
		for (j = 0; j < n; j++)
			t[i + j + 1] =
				_mm512_madd52hi_epu64(t[i + j + 1], a[j], b[i]);
	}
}

/* t += a b for a t that at most three products were added to: below 2^58. */
static IFMA_INLINE void ifma_wide_mul_add(__m512i *t, const __m512i *a,
					  const __m512i *b, unsigned int n)
{
	unsigned int i, j;

#pragma GCC unroll 8
	for (i = 0; i < n; i++) {
#pragma GCC unroll 8
		for (j = 0; j < n; j++)
			t[i + j] = _mm512_madd52lo_epu64(t[i + j], a[j], b[i]);
#pragma GCC unroll 8
		for (j = 0; j < n; j++)
			t[i + j + 1] =
				_mm512_madd52hi_epu64(t[i + j + 1], a[j], b[i]);
	}
}

/* t = a^2, as ifma_wide_mul() gives it. */
static IFMA_INLINE void ifma_wide_sqr(__m512i *t, const __m512i *a,
				      unsigned int n)
{
	unsigned int i, j;

#pragma GCC unroll 16
	for (j = 0; j < 2 * n; j++)
		t[j] = _mm512_setzero_si512();
#pragma GCC unroll 8
	for (i = 0; i < n; i++) {
#pragma GCC unroll 8
		for (j = i + 1; j < n; j++)
			t[i + j] = _mm512_madd52lo_epu64(t[i + j], a[j], a[i]);
#pragma GCC unroll 8
		for (j = i + 1; j < n; j++)
			t[i + j + 1] =
				_mm512_madd52hi_epu64(t[i + j + 1], a[j], a[i]);
	}
#pragma GCC unroll 16
	for (j = 1; j < 2 * n; j++)
		t[j] = _mm512_add_epi64(t[j], t[j]);
#pragma GCC unroll 8
	for (i = 0; i < n; i++) {
		t[2 * i] = _mm512_madd52lo_epu64(t[2 * i], a[i], a[i]);
		t[2 * i + 1] = _mm512_madd52hi_epu64(t[2 * i + 1], a[i], a[i]);
	}
}

/*
 * r = t / R mod p, not clean, for t of at most four products: below t / R + p.
 * Row i adds the multiple q of p that makes limb i a multiple of 2^52.  Its
 * low half is not computed: with limb i not 0 mod 2^52, that half and limb i
 * add up to the next multiple of 2^52, and otherwise it is 0; in both cases
 * (limb + 2^52 - 1) >> 52 is the carry.
 */
static IFMA_INLINE void ifma_wide_reduce_raw(__m512i *r, __m512i *t,
					     const uint64_t *p, uint64_t inv,
					     unsigned int n)
{
	const __m512i mask = ifma_set1(IFMA_MASK);
	const __m512i zero = _mm512_setzero_si512();
	unsigned int i, j;

#pragma GCC unroll 8
	for (i = 0; i < n; i++) {
		__m512i q, carry;

		q = _mm512_madd52lo_epu64(zero, t[i], ifma_set1(inv));
		carry = _mm512_srli_epi64(_mm512_add_epi64(t[i], mask),
					  IFMA_BITS);
		t[i + 1] = _mm512_add_epi64(t[i + 1], carry);
#pragma GCC unroll 8
		for (j = 0; j < n; j++)
			t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], q,
							     ifma_set1(p[j]));
#pragma GCC unroll 8
		for (j = 1; j < n; j++)
			t[i + j] = _mm512_madd52lo_epu64(t[i + j], q,
							 ifma_set1(p[j]));
	}
	ifma_copy(r, t + n, n);
}

/* The same, clean. */
static IFMA_INLINE void ifma_wide_reduce(__m512i *r, __m512i *t,
					 const uint64_t *p, uint64_t inv,
					 unsigned int n)
{
	ifma_wide_reduce_raw(r, t, p, inv, n);
	ifma_carry(r, n);
}

/* r = a b / R mod p, clean, for clean a and b; the bound is in the head of
 * this file. */
static IFMA_INLINE void ifma_mul(__m512i *r, const __m512i *a, const __m512i *b,
				 const uint64_t *p, uint64_t inv,
				 unsigned int n)
{
	__m512i t[2 * IFMA_LIMBS_MAX];

	ifma_wide_mul(t, a, b, n);
	ifma_wide_reduce(r, t, p, inv, n);
}

static IFMA_INLINE void ifma_sqr(__m512i *r, const __m512i *a,
				 const uint64_t *p, uint64_t inv,
				 unsigned int n)
{
	__m512i t[2 * IFMA_LIMBS_MAX];

	ifma_wide_sqr(t, a, n);
	ifma_wide_reduce(r, t, p, inv, n);
}

/* r = (a b + c d) / R mod p: one reduction for two products. */
static IFMA_INLINE void ifma_mul2(__m512i *r, const __m512i *a,
				  const __m512i *b, const __m512i *c,
				  const __m512i *d, const uint64_t *p,
				  uint64_t inv, unsigned int n)
{
	__m512i t[2 * IFMA_LIMBS_MAX];

	ifma_wide_mul(t, a, b, n);
	ifma_wide_mul_add(t, c, d, n);
	ifma_wide_reduce(r, t, p, inv, n);
}

/*
 * r = a b / 2^52 mod p, clean, for a clean a and a b < 2^52, the same in all
 * lanes: below a b / 2^52 + p.  One row of a multiplication.
 */
static IFMA_INLINE void ifma_mul_limb(__m512i *r, const __m512i *a, uint64_t b,
				      const uint64_t *p, uint64_t inv,
				      unsigned int n)
{
	const __m512i zero = _mm512_setzero_si512(), limb = ifma_set1(b);
	__m512i t[IFMA_LIMBS_MAX + 1], q;
	unsigned int j;

	t[n] = zero;
#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		t[j] = _mm512_madd52lo_epu64(zero, a[j], limb);
#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		t[j + 1] = _mm512_madd52hi_epu64(t[j + 1], a[j], limb);
	q = _mm512_madd52lo_epu64(zero, t[0], ifma_set1(inv));
#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		t[j] = _mm512_madd52lo_epu64(t[j], q, ifma_set1(p[j]));
#pragma GCC unroll 8
	for (j = 0; j < n; j++)
		t[j + 1] = _mm512_madd52hi_epu64(t[j + 1], q, ifma_set1(p[j]));
	t[1] = _mm512_add_epi64(t[1], _mm512_srli_epi64(t[0], IFMA_BITS));
	ifma_copy(r, t + 1, n);
	ifma_carry(r, n);
}

/*
 * The lanes of a clean a < k p, k < 2^20, that may be 0 mod p: all that are,
 * and another one with probability k 2^-52.  a = m p for m < k needs
 * m = a / p mod 2^52.  inv is -1 / p, so what is computed is -m.
 */
static IFMA_INLINE __mmask8 ifma_maybe_zero(const __m512i *a, uint64_t k,
					    uint64_t inv)
{
	__m512i neg_m = _mm512_madd52lo_epu64(_mm512_setzero_si512(), a[0],
					      ifma_set1(inv));
	__m512i m = _mm512_and_si512(
		_mm512_sub_epi64(_mm512_setzero_si512(), neg_m),
		ifma_set1(IFMA_MASK));

	return _mm512_cmplt_epu64_mask(m, ifma_set1(k));
}

/* r = a mod p, canonical, for a clean a below 2^log2_k p. */
static IFMA_INLINE void ifma_canonical(__m512i *r, const __m512i *a,
				       unsigned int log2_k, const uint64_t *p,
				       unsigned int n)
{
	ifma_copy(r, a, n);
#pragma GCC unroll 8
	while (log2_k--)
		ifma_reduce_once(r, r, 1ull << log2_k, p, n);
}

/* The lanes of a that are 0 as an integer. */
static IFMA_INLINE __mmask8 ifma_is_zero(const __m512i *a, unsigned int n)
{
	__m512i any = a[0];
	unsigned int j;

#pragma GCC unroll 8
	for (j = 1; j < n; j++)
		any = _mm512_or_si512(any, a[j]);
	return _mm512_testn_epi64_mask(any, any);
}

/*
 * r = w 2^shift, clean, from n64 64-bit limbs (w[j]: limb j of all lanes);
 * shift < 12 and w 2^shift < 2^(52 n).
 */
static IFMA_INLINE void ifma_unpack(__m512i *r, const __m512i *w,
				    unsigned int n64, unsigned int shift,
				    unsigned int n)
{
	const __m512i mask = ifma_set1(IFMA_MASK);
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j < n; j++) {
		/* Limb j begins at bit 52 j - shift of w. */
		int bit = (int)(IFMA_BITS * j) - (int)shift;
		unsigned int at, off;
		__m512i v;

		if (bit < 0) {
			r[j] = _mm512_and_si512(_mm512_slli_epi64(w[0], shift),
						mask);
			continue;
		}
		at = (unsigned int)bit / LIMB_BITS;
		off = (unsigned int)bit % LIMB_BITS;
		if (at >= n64) {
			r[j] = _mm512_setzero_si512();
			continue;
		}
		v = _mm512_srli_epi64(w[at], off);
		if (off > LIMB_BITS - IFMA_BITS && at + 1 < n64)
			v = _mm512_or_si512(
				v,
				_mm512_slli_epi64(w[at + 1], LIMB_BITS - off));
		r[j] = _mm512_and_si512(v, mask);
	}
}

/* w = a as n64 64-bit limbs, for a clean a below 2^(64 n64). */
static IFMA_INLINE void ifma_pack(__m512i *w, const __m512i *a,
				  unsigned int n64, unsigned int n)
{
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < n64; i++) {
		unsigned int at = LIMB_BITS * i / IFMA_BITS;
		unsigned int off = LIMB_BITS * i % IFMA_BITS;

		w[i] = _mm512_srli_epi64(a[at], off);
		if (at + 1 < n)
			w[i] = _mm512_or_si512(
				w[i],
				_mm512_slli_epi64(a[at + 1], IFMA_BITS - off));
		if (2 * IFMA_BITS - off < LIMB_BITS && at + 2 < n)
			w[i] = _mm512_or_si512(
				w[i], _mm512_slli_epi64(a[at + 2],
							2 * IFMA_BITS - off));
	}
}

/* Word j of row i becomes word i of row j. */
static IFMA_INLINE void ifma_transpose(__m512i *v)
{
	__m512i a[IFMA_LANES], b[IFMA_LANES];
	unsigned int i;

#pragma GCC unroll 4
	for (i = 0; i < IFMA_LANES; i += 2) {
		a[i] = _mm512_unpacklo_epi64(v[i], v[i + 1]);
		a[i + 1] = _mm512_unpackhi_epi64(v[i], v[i + 1]);
	}
	/* a[2 k + h]: words h, 2 + h, 4 + h, 6 + h of rows 2 k and 2 k + 1 */
#pragma GCC unroll 2
	for (i = 0; i < 2; i++) {
		b[i] = _mm512_shuffle_i64x2(a[i], a[i + 2], 0x88);
		b[i + 2] = _mm512_shuffle_i64x2(a[i], a[i + 2], 0xdd);
		b[i + 4] = _mm512_shuffle_i64x2(a[i + 4], a[i + 6], 0x88);
		b[i + 6] = _mm512_shuffle_i64x2(a[i + 4], a[i + 6], 0xdd);
	}
	/* b[i]: words i and i + 4 of rows 0 to 3; b[i + 4]: of rows 4 to 7 */
#pragma GCC unroll 4
	for (i = 0; i < 4; i++) {
		v[i] = _mm512_shuffle_i64x2(b[i], b[i + 4], 0x88);
		v[i + 4] = _mm512_shuffle_i64x2(b[i], b[i + 4], 0xdd);
	}
}

/*
 * Four words from each of eight addresses of any alignment, to word j of all
 * in w[j].  Half as many shuffles as in ifma_transpose(): the rows are paired
 * by the loads.
 */
static IFMA_INLINE void ifma_load4_rows(__m512i *w, const uint8_t *const *rows)
{
	__m512i v[4], a[4];
	unsigned int i;

	/* Rows 0 and 2, 1 and 3, 4 and 6, 5 and 7. */
#pragma GCC unroll 4
	for (i = 0; i < 4; i++) {
		unsigned int row = i / 2 * 4 + i % 2;
		__m256i lo, hi;

		lo = _mm256_loadu_si256((const __m256i_u *)rows[row]);
		hi = _mm256_loadu_si256((const __m256i_u *)rows[row + 2]);
		v[i] = _mm512_inserti64x4(_mm512_castsi256_si512(lo), hi, 1);
	}
	a[0] = _mm512_unpacklo_epi64(v[0], v[1]);
	a[1] = _mm512_unpackhi_epi64(v[0], v[1]);
	a[2] = _mm512_unpacklo_epi64(v[2], v[3]);
	a[3] = _mm512_unpackhi_epi64(v[2], v[3]);
	w[0] = _mm512_shuffle_i64x2(a[0], a[2], 0x88);
	w[1] = _mm512_shuffle_i64x2(a[1], a[3], 0x88);
	w[2] = _mm512_shuffle_i64x2(a[0], a[2], 0xdd);
	w[3] = _mm512_shuffle_i64x2(a[1], a[3], 0xdd);
}

/* Row i of w[0 .. 3], four words, to r[i]. */
static IFMA_INLINE void ifma_rows4(__m256i *r, const __m512i *w)
{
	const __m512i lo = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
	const __m512i hi = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
	__m512i a[4], v[4];
	unsigned int i;

	a[0] = _mm512_unpacklo_epi64(w[0], w[1]); /* rows 0, 2, 4, 6 */
	a[1] = _mm512_unpackhi_epi64(w[0], w[1]);
	a[2] = _mm512_unpacklo_epi64(w[2], w[3]);
	a[3] = _mm512_unpackhi_epi64(w[2], w[3]);
	v[0] = _mm512_permutex2var_epi64(a[0], lo, a[2]); /* rows 0, 2 */
	v[1] = _mm512_permutex2var_epi64(a[1], lo, a[3]);
	v[2] = _mm512_permutex2var_epi64(a[0], hi, a[2]); /* rows 4, 6 */
	v[3] = _mm512_permutex2var_epi64(a[1], hi, a[3]);
#pragma GCC unroll 4
	for (i = 0; i < 4; i++) {
		unsigned int row = i / 2 * 4 + i % 2;

		r[row] = _mm512_castsi512_si256(v[i]);
		r[row + 2] = _mm512_extracti64x4_epi64(v[i], 1);
	}
}

/*
 * Eight elements of 4 words each, one after the other at an address of any
 * alignment, to word j of all in w[j].
 */
static IFMA_INLINE void ifma_load4(__m512i *w, const void *src)
{
	const __m512i lo = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
	const __m512i hi = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
	const uint8_t *s = src;
	__m512i v[4], a, b, c, d;
	unsigned int i;

#pragma GCC unroll 4
	for (i = 0; i < 4; i++)
		v[i] = _mm512_loadu_si512(s + 64 * i);
	a = _mm512_permutex2var_epi64(v[0], lo, v[1]);
	b = _mm512_permutex2var_epi64(v[2], lo, v[3]);
	c = _mm512_permutex2var_epi64(v[0], hi, v[1]);
	d = _mm512_permutex2var_epi64(v[2], hi, v[3]);
	w[0] = _mm512_shuffle_i64x2(a, b, 0x44);
	w[1] = _mm512_shuffle_i64x2(a, b, 0xee);
	w[2] = _mm512_shuffle_i64x2(c, d, 0x44);
	w[3] = _mm512_shuffle_i64x2(c, d, 0xee);
}

/* The inverse of ifma_load4(). */
static IFMA_INLINE void ifma_store4(void *dst, const __m512i *w)
{
	const __m512i even = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
	const __m512i odd = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
	const __m512i lo = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
	const __m512i hi = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
	__m512i a = _mm512_permutex2var_epi64(w[0], even, w[1]);
	__m512i b = _mm512_permutex2var_epi64(w[2], even, w[3]);
	__m512i c = _mm512_permutex2var_epi64(w[0], odd, w[1]);
	__m512i d = _mm512_permutex2var_epi64(w[2], odd, w[3]);
	uint8_t *s = dst;

	_mm512_storeu_si512(s, _mm512_permutex2var_epi64(a, lo, b));
	_mm512_storeu_si512(s + 64, _mm512_permutex2var_epi64(a, hi, b));
	_mm512_storeu_si512(s + 128, _mm512_permutex2var_epi64(c, lo, d));
	_mm512_storeu_si512(s + 192, _mm512_permutex2var_epi64(c, hi, d));
}

#endif
