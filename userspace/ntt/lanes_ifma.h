/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes_ifma.h - eight elements side by side, in AVX-512 IFMA
 *
 * For tile.h, as the twin of lanes.h.  A vector has five limbs of 52 bits, one
 * register each; products are divided by 2^260.  Twiddles are kept times
 * 2^260, so that elements stay what they were: residues times 2^256.
 *
 * Values are lazy.  "Below k r" is a bound on the value, which never exceeds
 * 2^260, some 84 r or 35 r.  A vector is "tight" when its limbs are below 2^52
 * and "loose" when they are signed 64-bit numbers with the same sum: additions
 * take and give loose vectors, products carry their first factor themselves
 * and need the second one tight.  A product of a below 2^260 and b below r is
 * below 2 r, and its limbs are sums of at most 20 products' halves, below
 * 2^57: 34 levels of additions keep them in 63 bits.
 *
 * In memory between passes elements are four limbs of 64 bits, below 2 r.
 */
#ifndef LULL_NTT_LANES_IFMA_H
#define LULL_NTT_LANES_IFMA_H

#include <immintrin.h>

#include "ntt/passes.h"

#define L52 CURVE_CONST(FR_LIMBS52)
#define BITS52 52
#define MASK52 (((uint64_t)1 << BITS52) - 1)

struct lanes {
	__m512i l[L52];
};

struct twiddle {
	uint64_t l[L52];
};

/* NTT_OUT: elements are times 2^256, products of two of them times 2^252. */
#define LANES_OUT_DOUBLINGS 4
/* 2^260 / 2^256 */
#define TO52_DOUBLINGS 4

static const uint64_t r52[L52] = CURVE_CONST(FR_P52);

/* Where transposing puts element i: cheaper than keeping the order. */
static const unsigned char lane_of[NTT_LANES] = { 0, 2, 1, 3, 4, 6, 5, 7 };

/* Steps are inlined into the transforms and loops over limbs unrolled, except
 * where every access to a limb is instrumented: there the compilers would take
 * minutes over them. */
#if defined(LULL_VERIFY) || defined(__SANITIZE_THREAD__)
#define __lanes_inline __attribute__((noinline, unused))
#define UNROLL_2
#define UNROLL_4
#define UNROLL_8
#else
#define __lanes_inline __always_inline
#define UNROLL_2 _Pragma("GCC unroll 2")
#define UNROLL_4 _Pragma("GCC unroll 4")
#define UNROLL_8 _Pragma("GCC unroll 8")
#endif

static __always_inline __m512i splat(uint64_t x)
{
	return _mm512_set1_epi64((long long)x);
}

static __always_inline void split52(__m512i *l, const __m512i *w)
{
	const __m512i mask = splat(MASK52);

	l[0] = _mm512_and_si512(w[0], mask);
	l[1] = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(w[0], 52),
						_mm512_slli_epi64(w[1], 12)),
				mask);
	l[2] = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(w[1], 40),
						_mm512_slli_epi64(w[2], 24)),
				mask);
	l[3] = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(w[2], 28),
						_mm512_slli_epi64(w[3], 36)),
				mask);
	l[4] = _mm512_srli_epi64(w[3], 16);
}

static __always_inline void join52(__m512i *w, const __m512i *l)
{
	w[0] = _mm512_or_si512(l[0], _mm512_slli_epi64(l[1], 52));
	w[1] = _mm512_or_si512(_mm512_srli_epi64(l[1], 12),
			       _mm512_slli_epi64(l[2], 40));
	w[2] = _mm512_or_si512(_mm512_srli_epi64(l[2], 24),
			       _mm512_slli_epi64(l[3], 28));
	w[3] = _mm512_or_si512(_mm512_srli_epi64(l[3], 36),
			       _mm512_slli_epi64(l[4], 16));
}

static void twiddle_prepare(void *dst, const struct fr *src, size_t nr)
{
	struct twiddle *t = dst;
	unsigned int k;
	struct fr x;
	size_t i;

	for (i = 0; i < nr; i++) {
		x = src[i];
		for (k = 0; k < TO52_DOUBLINGS; k++)
			fr_dbl(&x, &x);
		t[i].l[0] = x.l[0] & MASK52;
		t[i].l[1] = (x.l[0] >> 52 | x.l[1] << 12) & MASK52;
		t[i].l[2] = (x.l[1] >> 40 | x.l[2] << 24) & MASK52;
		t[i].l[3] = (x.l[2] >> 28 | x.l[3] << 36) & MASK52;
		t[i].l[4] = x.l[3] >> 16;
	}
}

/* Loose to tight, for a value in [0, 2^260). */
static __always_inline void carry(__m512i *r, const __m512i *a)
{
	const __m512i mask = splat(MASK52);
	__m512i t = a[0];
	unsigned int i;

	UNROLL_8
	for (i = 0; i + 1 < L52; i++) {
		r[i] = _mm512_and_si512(t, mask);
		t = _mm512_add_epi64(a[i + 1], _mm512_srai_epi64(t, BITS52));
	}
	r[L52 - 1] = t;
}

/*
 * r[k] = a[k] b[k] 2^-260, loose, for tight a and b; nr, a literal, is 1 or 2.
 * A twiddle w[k] stands for b[k] where w is not NULL.
 * Two at once hide each other's latency: more than the scheduler of the
 * processor sees ahead.  q makes column 0 a multiple of 2^52, which needs no
 * computing: what it carries is the column before, over 2^52, rounded up.
 */
/* clang-format off */
static __always_inline void mont_mul(struct lanes *r, const struct lanes *a,
				     const struct lanes *b,
				     const struct twiddle *const *w,
				     unsigned int nr)
{
	const __m512i inv = splat(CURVE_CONST(FR_INV52));
	const __m512i zero = _mm512_setzero_si512();
	const __m512i mask = splat(MASK52);
	__m512i t[2][L52 + 1], x[2], q[2], up[2], p;
	unsigned int i, j, k;

	UNROLL_8
	for (j = 0; j <= L52; j++)
		t[0][j] = t[1][j] = zero;
	UNROLL_8
	for (i = 0; i < L52; i++) {
		UNROLL_2
		for (k = 0; k < nr; k++)
			x[k] = w ? splat(w[k]->l[i]) : b[k].l[i];
		UNROLL_8
		for (j = 0; j < L52; j++) {
			UNROLL_2
			for (k = 0; k < nr; k++)
				t[k][j] = _mm512_madd52lo_epu64(
					t[k][j], a[k].l[j], x[k]);
		}
		UNROLL_2
		for (k = 0; k < nr; k++)
			q[k] = _mm512_madd52lo_epu64(zero, t[k][0], inv);
		UNROLL_8
		for (j = 0; j < L52; j++) {
			UNROLL_2
			for (k = 0; k < nr; k++)
				t[k][j + 1] = _mm512_madd52hi_epu64(
					t[k][j + 1], a[k].l[j], x[k]);
		}
		p = splat(r52[0]);
		UNROLL_2
		for (k = 0; k < nr; k++) {
			up[k] = _mm512_add_epi64(t[k][0], mask);
			up[k] = _mm512_srli_epi64(up[k], BITS52);
			up[k] = _mm512_madd52hi_epu64(up[k], q[k], p);
		}
		UNROLL_8
		for (j = 1; j < L52; j++) {
			p = splat(r52[j]);
			UNROLL_2
			for (k = 0; k < nr; k++) {
				t[k][j] = _mm512_madd52lo_epu64(
					t[k][j], q[k], p);
				t[k][j + 1] = _mm512_madd52hi_epu64(
					t[k][j + 1], q[k], p);
			}
		}
		UNROLL_2
		for (k = 0; k < nr; k++) {
			t[k][0] = _mm512_add_epi64(t[k][1], up[k]);
			UNROLL_8
			for (j = 1; j < L52; j++)
				t[k][j] = t[k][j + 1];
			t[k][L52] = zero;
		}
	}
	UNROLL_2
	for (k = 0; k < nr; k++) {
		UNROLL_8
		for (j = 0; j < L52; j++)
			r[k].l[j] = t[k][j];
	}
}
/* clang-format on */

/* r = u + v */
static __lanes_inline void lanes_add(struct lanes *r, const struct lanes *u,
				     const struct lanes *v)
{
	unsigned int i;

	UNROLL_8
	for (i = 0; i < L52; i++)
		r->l[i] = _mm512_add_epi64(u->l[i], v->l[i]);
}

/* r = u - v + 2^log_bound r, v below 2^log_bound r */
static __lanes_inline void lanes_sub(struct lanes *r, const struct lanes *u,
				     const struct lanes *v,
				     unsigned int log_bound)
{
	unsigned int i;

	UNROLL_8
	for (i = 0; i < L52; i++)
		r->l[i] = _mm512_add_epi64(_mm512_sub_epi64(u->l[i], v->l[i]),
					   splat(r52[i] << log_bound));
}

/* r = a b, tight and below 2 r, for b tight and below 2 r */
static __lanes_inline void lanes_mul(struct lanes *r, const struct lanes *a,
				     const struct lanes *b)
{
	struct lanes x;

	carry(x.l, a->l);
	mont_mul(&x, &x, b, NULL, 1);
	carry(r->l, x.l);
}

/* The same for r[0] and r[1]. */
static __always_inline void
lanes_mul_two(struct lanes *r, const struct lanes *a, const struct lanes *b)
{
	struct lanes x[2];

	carry(x[0].l, a[0].l);
	carry(x[1].l, a[1].l);
	mont_mul(x, x, b, NULL, 2);
	carry(r[0].l, x[0].l);
	carry(r[1].l, x[1].l);
}

/* r = a w, loose and below 2 r */
static __lanes_inline void lanes_mul_by(struct lanes *r, const struct lanes *a,
					const struct twiddle *w)
{
	carry(r->l, a->l);
	mont_mul(r, r, NULL, &w, 1);
}

/* r[0] = a0 w0, r[1] = a1 w1 */
static __lanes_inline void lanes_mul_two_by(struct lanes *r,
					    const struct lanes *a0,
					    const struct lanes *a1,
					    const struct twiddle *w0,
					    const struct twiddle *w1)
{
	const struct twiddle *const w[2] = { w0, w1 };

	carry(r[0].l, a0->l);
	carry(r[1].l, a1->l);
	mont_mul(r, r, NULL, w, 2);
}

/*
 * a itself, below (1 + 2^-38) r: less q r, where q, at most a / r and hardly
 * ever less than its floor, comes from the top limbs.
 */
static __lanes_inline void lanes_reduce(struct lanes *r)
{
	/* 2^45 2^52 / (top limb of r): products with a top limb have 2^45 a / r
	 * in their high half. */
	const uint64_t scale =
		(uint64_t)(((limb2_t)1 << 97) / (r52[L52 - 1] + 1));
	const __m512i zero = _mm512_setzero_si512();
	__m512i q, hi = zero;
	unsigned int i;

	carry(r->l, r->l);
	q = _mm512_madd52hi_epu64(zero, r->l[L52 - 1], splat(scale));
	q = _mm512_srli_epi64(q, 45);
	UNROLL_8
	for (i = 0; i < L52; i++) {
		__m512i lo = _mm512_madd52lo_epu64(hi, q, splat(r52[i]));

		r->l[i] = _mm512_sub_epi64(r->l[i], lo);
		hi = _mm512_madd52hi_epu64(zero, q, splat(r52[i]));
	}
}

/* a in [0, r), tight, for any loose a. */
static __lanes_inline void canonical(__m512i *r, const struct lanes *a)
{
	struct lanes t = *a;
	__m512i less[L52];
	__mmask8 negative;
	unsigned int i;

	lanes_reduce(&t);
	carry(t.l, t.l);
	UNROLL_8
	for (i = 0; i < L52; i++)
		less[i] = _mm512_sub_epi64(t.l[i], splat(r52[i]));
	carry(less, less);
	negative = _mm512_movepi64_mask(less[L52 - 1]);
	UNROLL_8
	for (i = 0; i < L52; i++)
		r[i] = _mm512_mask_mov_epi64(less[i], negative, t.l[i]);
}

/* Element i = w[i], and where i >= nr, which nobody reads, w[0]. */
static void lanes_gather(struct lanes *r, const struct twiddle *w,
			 unsigned int nr)
{
	uint64_t x[L52][NTT_LANES];
	unsigned int i, k;

	for (i = 0; i < NTT_LANES; i++)
		for (k = 0; k < L52; k++)
			x[k][lane_of[i]] = w[i < nr ? i : 0].l[k];
	for (k = 0; k < L52; k++)
		r->l[k] = _mm512_loadu_si512(x[k]);
}

/* Four registers of two elements each into limbs, and back. */
static __always_inline void transpose_in(__m512i *w, const __m512i *z)
{
	__m512i lo01 = _mm512_unpacklo_epi64(z[0], z[1]);
	__m512i hi01 = _mm512_unpackhi_epi64(z[0], z[1]);
	__m512i lo23 = _mm512_unpacklo_epi64(z[2], z[3]);
	__m512i hi23 = _mm512_unpackhi_epi64(z[2], z[3]);

	/* Quarters 0 and 2, then 1 and 3, of each. */
	w[0] = _mm512_shuffle_i64x2(lo01, lo23, _MM_SHUFFLE(2, 0, 2, 0));
	w[1] = _mm512_shuffle_i64x2(hi01, hi23, _MM_SHUFFLE(2, 0, 2, 0));
	w[2] = _mm512_shuffle_i64x2(lo01, lo23, _MM_SHUFFLE(3, 1, 3, 1));
	w[3] = _mm512_shuffle_i64x2(hi01, hi23, _MM_SHUFFLE(3, 1, 3, 1));
}

static __always_inline void transpose_out(__m512i *z, const __m512i *w)
{
	const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
	const __m512i high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
	__m512i lo01 = _mm512_unpacklo_epi64(w[0], w[1]);
	__m512i hi01 = _mm512_unpackhi_epi64(w[0], w[1]);
	__m512i lo23 = _mm512_unpacklo_epi64(w[2], w[3]);
	__m512i hi23 = _mm512_unpackhi_epi64(w[2], w[3]);

	z[0] = _mm512_permutex2var_epi64(lo01, low, lo23);
	z[1] = _mm512_permutex2var_epi64(hi01, low, hi23);
	z[2] = _mm512_permutex2var_epi64(lo01, high, lo23);
	z[3] = _mm512_permutex2var_epi64(hi01, high, hi23);
}

static __always_inline void load_eight(struct lanes *r, const struct fr *src)
{
	__m512i z[4], w[4];
	unsigned int i;

	UNROLL_8
	for (i = 0; i < 4; i++)
		z[i] = _mm512_loadu_si512(src + 2 * i);
	transpose_in(w, z);
	split52(r->l, w);
}

static __always_inline void store_eight(struct fr *dst, const __m512i *l)
{
	__m512i z[4], w[4];
	unsigned int i;

	join52(w, l);
	transpose_out(z, w);
	UNROLL_8
	for (i = 0; i < 4; i++)
		_mm512_storeu_si512(dst + 2 * i, z[i]);
}

/* Element i = src[i]; from nr on zero. */
static __lanes_inline void lanes_load(struct lanes *r, const struct fr *src,
				      unsigned int nr)
{
	struct fr some[NTT_LANES] = { 0 };

	if (lull_likely(nr == NTT_LANES)) {
		load_eight(r, src);
		return;
	}
	memcpy(some, src, nr * sizeof(*src));
	load_eight(r, some);
}

/* The first nr elements of a tight vector. */
static __always_inline void store_limbs(struct fr *dst, const __m512i *l,
					unsigned int nr)
{
	struct fr some[NTT_LANES];

	if (lull_likely(nr == NTT_LANES)) {
		store_eight(dst, l);
		return;
	}
	store_eight(some, l);
	memcpy(dst, some, nr * sizeof(*dst));
}

/* a tight and below 2 r: a product */
static __lanes_inline void lanes_store(struct fr *dst, const struct lanes *a,
				       unsigned int nr)
{
	store_limbs(dst, a->l, nr);
}

static __always_inline void
lanes_store_canonical(struct fr *dst, const struct lanes *a, unsigned int nr)
{
	__m512i l[L52];

	canonical(l, a);
	store_limbs(dst, l, nr);
}

/* Element i of t[0] and t[1] = src[stride i] and src[stride i + 1]. */
static __lanes_inline void lanes_load_pair(struct lanes *t,
					   const struct fr *src, size_t stride,
					   unsigned int nr)
{
	__m512i row[NTT_LANES], z[4], w[4];
	unsigned int i, k;

	UNROLL_8
	for (i = 0; i < NTT_LANES; i++)
		row[i] = i < nr ? _mm512_loadu_si512(src + stride * i)
				: _mm512_setzero_si512();
	UNROLL_2
	for (k = 0; k < 2; k++) {
		UNROLL_4
		for (i = 0; i < 4; i++)
			z[i] = k ? _mm512_shuffle_i64x2(row[2 * i],
							row[2 * i + 1],
							_MM_SHUFFLE(3, 2, 3, 2))
				 : _mm512_shuffle_i64x2(
					   row[2 * i], row[2 * i + 1],
					   _MM_SHUFFLE(1, 0, 1, 0));
		transpose_in(w, z);
		split52(t[k].l, w);
	}
}

static __always_inline void store_limbs_pair(struct fr *dst, size_t stride,
					     const __m512i *l0,
					     const __m512i *l1, unsigned int nr)
{
	__m512i w[4], x[4], y[4];
	unsigned int i;

	join52(w, l0);
	transpose_out(x, w);
	join52(w, l1);
	transpose_out(y, w);
	UNROLL_8
	for (i = 0; i < 4; i++) {
		if (2 * i < nr)
			_mm512_storeu_si512(
				dst + stride * 2 * i,
				_mm512_shuffle_i64x2(x[i], y[i],
						     _MM_SHUFFLE(1, 0, 1, 0)));
		if (2 * i + 1 < nr)
			_mm512_storeu_si512(
				dst + stride * (2 * i + 1),
				_mm512_shuffle_i64x2(x[i], y[i],
						     _MM_SHUFFLE(3, 2, 3, 2)));
	}
}

static __lanes_inline void lanes_store_pair(struct fr *dst, size_t stride,
					    const struct lanes *t,
					    unsigned int nr)
{
	store_limbs_pair(dst, stride, t[0].l, t[1].l, nr);
}

static __lanes_inline void lanes_store_pair_canonical(struct fr *dst,
						      size_t stride,
						      const struct lanes *t,
						      unsigned int nr)
{
	__m512i l0[L52], l1[L52];

	canonical(l0, &t[0]);
	canonical(l1, &t[1]);
	store_limbs_pair(dst, stride, l0, l1, nr);
}

#endif
