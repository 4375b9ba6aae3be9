// SPDX-License-Identifier: Apache-2.0
/*
 * pairs_ifma_gtmpl.c - batches of affine additions, eight pairs at a time
 *
 * The twin of pairs_gtmpl.c for processors with AVX-512 IFMA; entered only
 * after lull_cpu_has_ifma().
 *
 * Work points.  The formulas know nothing of b, so they hold on every curve
 * y^2 = x^3 + b'; (x, y) -> (s^2 x, s^3 y) leads from one to another.  A
 * coordinate in memory is x 2^(64 FP_LIMBS); read as R = 2^(52 N) it is
 * x 2^-e, e = 52 N - 64 FP_LIMBS.  s is chosen so that a point gets there by
 * shifts, or nearly:
 *	BN254, e = 4: s = 1/2; x 2^2 and y 2.
 *	BLS12-381, e = 32: s = 2^-16; x as it is, y 2^36 / 2^52 (one row of a
 *	product).
 * x is kept below 5 p and y below 4 p, or 2^-10 p more, as 64-bit limbs in the
 * place of a struct g_affine: 5 p < 2^(64 FP_LIMBS).
 */
#include "msm/pairs.h"

#include "base/base.h"
#include "curve/ifma.h"
#include "msm/inverse.h"
#include "msm/pairs_ifma.h"
#include "msm/scalars.h"

#if LULL_CURVE_ID == 1
#define X_SHIFT 2
#define Y_SHIFT 1
#define Y_KEY_BOUND 2
#else
#define X_SHIFT 0
#define Y_SHIFT 0
#define Y_KEY_BOUND 2
#define Y_LIMB (1ull << 36)
#define Y_DOUBLINGS 16 /* back: y 2^-16 */
#endif

#define NR_OCTETS (G_PAIR_BATCH / IFMA_LANES)
#define ROW_BYTES (4 * sizeof(limb_t))
#define NR_ROWS (sizeof(struct g_affine) / ROW_BYTES)
#define NR_WORDS (4 * NR_ROWS)
/* Octets between a prefetch and the use: some hundred nanoseconds. */
#define PREFETCH_OCTETS 4
#define CACHE_LINE 64

static const uint64_t one52[] = CURVE_CONST(FP_R52);
static const uint64_t to52[] = CURVE_CONST(FP_TO52);

struct temp {
	struct multiples multiples;
	struct octet octets[NR_OCTETS];
	__mmask8 doubled[NR_OCTETS];
	__mmask8 fixed[NR_OCTETS]; /* lanes without a sum of their own */
};

/* The words of eight points at rows, word j of all in w[j]. */
static IFMA_INLINE void load_words(__m512i *w, const uint8_t *const *rows)
{
	const uint8_t *at[IFMA_LANES];
	unsigned int i, j;

#pragma GCC unroll 8
	for (j = 0; j < NR_ROWS; j++) {
#pragma GCC unroll 8
		for (i = 0; i < IFMA_LANES; i++)
			at[i] = rows[i] + j * ROW_BYTES;
		ifma_load4_rows(w + 4 * j, at);
	}
}

/* Work points at rows: clean. */
static IFMA_INLINE void load_work(struct gvec *x, struct gvec *y,
				  const uint8_t *const *rows)
{
	__m512i w[NR_WORDS];
	unsigned int k;

	load_words(w, rows);
#pragma GCC unroll 2
	for (k = 0; k < LULL_GROUP; k++) {
		ifma_unpack(x->c[k].l, w + k * FP_LIMBS, FP_LIMBS, 0, N);
		ifma_unpack(y->c[k].l, w + (LULL_GROUP + k) * FP_LIMBS,
			    FP_LIMBS, 0, N);
	}
}

/* Points of a key at rows, negated in the lanes of neg: x clean, y not. */
static IFMA_INLINE void load_key(struct gvec *x, struct gvec *y,
				 const uint8_t *const *rows, __mmask8 neg,
				 const struct multiples *m)
{
	__m512i w[NR_WORDS];
	unsigned int j, k;

	load_words(w, rows);
#pragma GCC unroll 2
	for (k = 0; k < LULL_GROUP; k++) {
		__m512i *yl = y->c[k].l;

		ifma_unpack(x->c[k].l, w + k * FP_LIMBS, FP_LIMBS, X_SHIFT, N);
		ifma_unpack(yl, w + (LULL_GROUP + k) * FP_LIMBS, FP_LIMBS,
			    Y_SHIFT, N);
#ifdef Y_LIMB
		ifma_mul_limb(yl, yl, Y_LIMB, m->kp[1], m->inv, N);
#endif
#pragma GCC unroll 8
		for (j = 0; j < N; j++)
			yl[j] = _mm512_mask_sub_epi64(
				yl[j], neg, ifma_set1(m->kp[Y_KEY_BOUND][j]),
				yl[j]);
	}
}

/* Stores the lanes of live as work points. */
static IFMA_INLINE void store_work(struct g_affine *dst,
				   const struct lull_msm_pair *pairs,
				   const struct gvec *x, const struct gvec *y,
				   __mmask8 live)
{
	__m512i w[NR_WORDS];
	unsigned int i, j, k;

#pragma GCC unroll 2
	for (k = 0; k < LULL_GROUP; k++) {
		ifma_pack(w + k * FP_LIMBS, x->c[k].l, FP_LIMBS, N);
		ifma_pack(w + (LULL_GROUP + k) * FP_LIMBS, y->c[k].l, FP_LIMBS,
			  N);
	}
#pragma GCC unroll 8
	for (j = 0; j < NR_ROWS; j++) {
		__m256i r[IFMA_LANES];

		ifma_rows4(r, w + 4 * j);
#pragma GCC unroll 8
		for (i = 0; i < IFMA_LANES; i++)
			if (live >> i & 1)
				_mm256_storeu_si256(
					(__m256i_u *)(dst + pairs[i].out) + j,
					r[i]);
	}
}

/* d = x2 - x1 + 6 p, clean, and dy = y2 - y1 + 5 p, a factor. */
static IFMA_INLINE void set_differences(struct octet *o, const struct gvec *x2,
					const struct gvec *y2,
					const struct multiples *m)
{
	unsigned int k;

#pragma GCC unroll 2
	for (k = 0; k < LULL_GROUP; k++) {
		ifma_sub(o->d.c[k].l, x2->c[k].l, o->x1.c[k].l, 1,
			 m->kp[X_ABOVE], N);
		ifma_sub_kp_raw(o->dy.c[k].l, y2->c[k].l, o->y1.c[k].l, 1,
				m->kp[Y_ABOVE], N);
		ifma_carry_factor(o->dy.c[k].l, N);
	}
}

/* The lanes of a, clean and below 2^log2_k p, that are 0 mod p. */
static __mmask8 zero_lanes(const struct gvec *a, unsigned int log2_k)
{
	__mmask8 zero = 0xff;
	unsigned int i, k;
	struct vec t;

	for (k = 0; k < LULL_GROUP; k++) {
		t = a->c[k];
		for (i = log2_k; i--;)
			ifma_reduce_once(t.l, t.l, 1ull << i, p52, N);
		zero &= ifma_is_zero(t.l, N);
	}
	return zero;
}

/* The lanes in which point 1 and point 2 are infinity, all zero. */
static void infinite_lanes(const struct octet *o, __mmask8 *ret_1,
			   __mmask8 *ret_2)
{
	unsigned int k;
	struct vec t;

	*ret_1 = *ret_2 = 0xff;
	for (k = 0; k < LULL_GROUP; k++) {
		*ret_1 &= ifma_is_zero(o->x1.c[k].l, N) &
			  ifma_is_zero(o->y1.c[k].l, N);
		/* x2 = d + x1 - 6 p, and so y2 */
		ifma_add_raw(t.l, o->d.c[k].l, o->x1.c[k].l, N);
		ifma_add_kp_raw(t.l, 0xff, 0 - (uint64_t)X_ABOVE, p52, N);
		ifma_carry(t.l, N);
		*ret_2 &= ifma_is_zero(t.l, N);
		ifma_add_raw(t.l, o->dy.c[k].l, o->y1.c[k].l, N);
		ifma_add_kp_raw(t.l, 0xff, 0 - (uint64_t)Y_ABOVE, p52, N);
		ifma_carry(t.l, N);
		*ret_2 &= ifma_is_zero(t.l, N);
	}
}

/*
 * An octet with lanes that are not the sum of two points with different x.
 * Equal points: d becomes 2 y and dy 3 x^2, the slope of the tangent (no y is
 * 0, for both groups' orders are odd).  Others get the denominator 1.
 */
static __attribute__((noinline)) void fix_octet(struct octet *o, __mmask8 live,
						__mmask8 *ret_doubled,
						__mmask8 *ret_fixed,
						const struct multiples *m)
{
	__mmask8 inf_1, inf_2, same_x, doubled, fixed;
	unsigned int j, k;
	struct gvec xx;

	for (k = 0; k < LULL_GROUP; k++)
		for (j = 0; j + 1 < N; j++)
			o->dy.c[k].l[j] = _mm512_and_si512(
				o->dy.c[k].l[j], ifma_set1(IFMA_MASK));
	infinite_lanes(o, &inf_1, &inf_2);
	same_x = zero_lanes(&o->d, D_BOUND_LOG2);
	doubled = same_x & zero_lanes(&o->dy, DY_BOUND_LOG2) & ~inf_1 & ~inf_2 &
		  live;
	fixed = (inf_1 | inf_2 | same_x | (__mmask8)~live) & ~doubled;
	sqr_raw(&xx, &o->x1, m);
	for (k = 0; k < LULL_GROUP; k++) {
		struct vec t, *x = &xx.c[k];

		ifma_add_raw(t.l, x->l, x->l, N);
		ifma_add(t.l, t.l, x->l, N);
		ifma_select(o->dy.c[k].l, doubled, t.l, o->dy.c[k].l, N);
		ifma_add(t.l, o->y1.c[k].l, o->y1.c[k].l, N);
		ifma_select(o->d.c[k].l, doubled, t.l, o->d.c[k].l, N);
		for (j = 0; j < N; j++)
			o->d.c[k].l[j] = _mm512_mask_mov_epi64(
				o->d.c[k].l[j], fixed,
				ifma_set1(k ? 0 : one52[j]));
	}
	*ret_doubled = doubled;
	*ret_fixed = fixed;
}

static IFMA_INLINE const uint8_t *row_of(const uint8_t *src, uint32_t at,
					 bool refs)
{
	return src + (size_t)(refs ? at >> LULL_MSM_REF_SHIFT : at) *
			     sizeof(struct g_affine);
}

static IFMA_INLINE void prefetch_row(const uint8_t *row)
{
	unsigned int j;

#pragma GCC unroll 4
	for (j = 0; j < sizeof(struct g_affine); j += CACHE_LINE)
		_mm_prefetch((const char *)row + j, _MM_HINT_T0);
	/* A point at any address reaches into one line more. */
	_mm_prefetch((const char *)row + sizeof(struct g_affine) - 1,
		     _MM_HINT_T0);
}

static IFMA_INLINE void prefetch_octet(const uint8_t *src,
				       const struct lull_msm_pair *pairs)
{
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < IFMA_LANES; i++) {
		prefetch_row(row_of(src, pairs[i].a, true));
		prefetch_row(row_of(src, pairs[i].b, true));
	}
}

/* Reads eight pairs into the octet; returns the lanes that need a closer
 * look. */
static IFMA_INLINE __mmask8 load_octet(struct octet *o, const uint8_t *src,
				       const struct lull_msm_pair *pairs,
				       const struct multiples *m, bool refs)
{
	const uint8_t *rows[IFMA_LANES];
	struct gvec x, y;
	__mmask8 look = 0, neg = 0;
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < IFMA_LANES; i++) {
		rows[i] = row_of(src, pairs[i].a, refs);
		neg |= (pairs[i].a & LULL_MSM_REF_NEG) << i;
	}
	if (refs)
		load_key(&o->x1, &o->y1, rows, neg, m);
	else
		load_work(&o->x1, &o->y1, rows);
	neg = 0;
#pragma GCC unroll 8
	for (i = 0; i < IFMA_LANES; i++) {
		rows[i] = row_of(src, pairs[i].b, refs);
		neg |= (pairs[i].b & LULL_MSM_REF_NEG) << i;
	}
	if (refs) {
		load_key(&x, &y, rows, neg, m);
	} else {
		load_work(&x, &y, rows);
		/* Perhaps infinity. */
		look = _mm512_testn_epi64_mask(y.c[0].l[0], y.c[0].l[0]) |
		       _mm512_testn_epi64_mask(o->y1.c[0].l[0],
					       o->y1.c[0].l[0]);
	}
	set_differences(o, &x, &y, m);
	neg = ifma_maybe_zero(o->d.c[0].l, D_BOUND, m->inv);
#if LULL_GROUP == 2
	neg &= ifma_maybe_zero(o->d.c[1].l, D_BOUND, m->inv);
#endif
	return look | neg;
}

/* The first pass: acc becomes the product of all denominators. */
static IFMA_INLINE void forward(struct temp *temp, struct vec *ret_acc,
				const uint8_t *src,
				const struct lull_msm_pair *pairs, size_t nr,
				bool refs)
{
	const struct multiples *m = &temp->multiples;
	struct lull_msm_pair last[IFMA_LANES];
	size_t nr_octets = lull_div_up(nr, IFMA_LANES), i;
	struct vec acc;

	ifma_broadcast(acc.l, one52, N);
	for (i = 0; i < nr_octets; i++) {
		const struct lull_msm_pair *at = pairs + i * IFMA_LANES;
		struct octet *o = &temp->octets[i];
		size_t left = nr - i * IFMA_LANES, j;
		__mmask8 live = 0xff, look;

		if (refs && left >= (PREFETCH_OCTETS + 1) * IFMA_LANES)
			prefetch_octet(src, at + PREFETCH_OCTETS * IFMA_LANES);
		if (left < IFMA_LANES) {
			live = (__mmask8)((1u << left) - 1);
			for (j = 0; j < IFMA_LANES; j++)
				last[j] = at[lull_min(j, left - 1)];
			at = last;
		}
		look = load_octet(o, src, at, m, refs);
		temp->doubled[i] = 0;
		temp->fixed[i] = 0;
		if (lull_unlikely(look | (live != 0xff)))
			fix_octet(o, live, &temp->doubled[i], &temp->fixed[i],
				  m);
		set_denom(o, m);
		o->before = acc;
		mul(&acc, &acc, denom(o), m);
	}
	*ret_acc = acc;
}

/* r = lane i + by of a in lane i, by a power of two. */
static IFMA_INLINE void rotate(struct vec *r, const struct vec *a,
			       unsigned int by)
{
	const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
	__m512i idx = _mm512_and_si512(_mm512_add_epi64(lane, ifma_set1(by)),
				       ifma_set1(IFMA_LANES - 1));
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j < N; j++)
		r->l[j] = _mm512_permutexvar_epi64(idx, a->l[j]);
}

/*
 * a = 1 / a in every lane, for factors below 1.3 p and 1.1 p.  The product of all
 * lanes is inverted by the scalar code: v R52 is an element of value
 * v R52 / R64 there, and R52^2 / R64 brings its inverse R64^2 / (v R52) to
 * R52 / v.
 */
static void invert_lanes(struct vec *a, const struct multiples *m)
{
	struct vec r4, r2, r1, p4, p2, p1;
	__m512i w[FP_LIMBS];
	struct fp v, back;
	unsigned int j;

	rotate(&r4, a, 4);
	mul(&p4, a, &r4, m);
	rotate(&r2, &p4, 2);
	mul(&p2, &p4, &r2, m);
	rotate(&r1, &p2, 1);
	ifma_mul(p1.l, p2.l, r1.l, p52, INV, N);
	ifma_reduce_once(p1.l, p1.l, 1, p52, N);
	ifma_pack(w, p1.l, FP_LIMBS, N);
	for (j = 0; j < FP_LIMBS; j++)
		v.l[j] =
			(limb_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(w[j]));
	ifma_broadcast(p1.l, to52, N);
	ifma_pack(w, p1.l, FP_LIMBS, N);
	for (j = 0; j < FP_LIMBS; j++)
		back.l[j] =
			(limb_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(w[j]));
	fp_inv_var(&v, &v);
	fp_mul(&v, &v, &back);
	for (j = 0; j < FP_LIMBS; j++)
		w[j] = ifma_set1(v.l[j]);
	ifma_unpack(p1.l, w, FP_LIMBS, 0, N);
	mul(&p1, &p1, &r1, m);
	mul(&p1, &p1, &r2, m);
	mul(a, &p1, &r4, m);
}

/*
 * x3 = slope^2 - x1 - x2, clean, from sqr = slope^2 < 1.5 p, not clean, and
 * d = x2 - x1 + 6 p.  t = sqr - d - 2 x1 + 6 p is in (-10 p, 2 p); 3 p are
 * added, and 4 p more below -2 p and below -6 p each, so that it ends in
 * [p, 5 p).  The highest limb tells which, wrongly only by the carries of the
 * lower ones, at most 2^-12 p: by so much the range is missed, and p keeps it
 * above 0.
 */
static IFMA_INLINE void set_x3(struct vec *r, const struct vec *sqr,
			       const struct vec *x1, const struct vec *d,
			       const struct multiples *m)
{
	const int64_t top = (int64_t)m->kp[1][N - 1];
	__mmask8 below_2, below_6;
	unsigned int j;

#pragma GCC unroll 8
	for (j = 0; j < N; j++) {
		__m512i t = _mm512_sub_epi64(sqr->l[j], d->l[j]);

		t = _mm512_sub_epi64(t, _mm512_add_epi64(x1->l[j], x1->l[j]));
		r->l[j] = _mm512_add_epi64(t, ifma_set1(m->kp[X_ABOVE + 3][j]));
	}
	below_2 = _mm512_cmplt_epi64_mask(r->l[N - 1], _mm512_set1_epi64(top));
	below_6 = _mm512_cmplt_epi64_mask(
		r->l[N - 1], _mm512_set1_epi64(-(int64_t)m->kp[3][N - 1]));
	ifma_add_kp_raw(r->l, below_2, 1, m->kp[4], N);
	ifma_add_kp_raw(r->l, below_6, 1, m->kp[4], N);
	ifma_carry(r->l, N);
}

/*
 * y3 = prod - y1, clean, for prod < 1.5 p; neither is clean.  t = prod - y1 is
 * in (-4 p, 1.5 p); 2 p are added, and 3 p more below -p, so that it ends in
 * [p, 4 p), as far as in set_x3().
 */
static IFMA_INLINE void set_y3(struct vec *r, const struct vec *prod,
			       const struct vec *y1, const struct multiples *m)
{
	const int64_t top = (int64_t)m->kp[1][N - 1];
	__mmask8 below_1;

	ifma_sub_kp_raw(r->l, prod->l, y1->l, 1, m->kp[2], N);
	below_1 = _mm512_cmplt_epi64_mask(r->l[N - 1], _mm512_set1_epi64(top));
	ifma_add_kp_raw(r->l, below_1, 1, m->kp[3], N);
	ifma_carry(r->l, N);
}

/* Where the points were equal, x2 - x1 + 6 p is 6 p and not what d holds. */
static __attribute__((noinline)) void undo_doubled(struct octet *o,
						   __mmask8 doubled)
{
	unsigned int j, k;

	for (k = 0; k < LULL_GROUP; k++)
		for (j = 0; j < N; j++)
			o->d.c[k].l[j] = _mm512_mask_mov_epi64(
				o->d.c[k].l[j], doubled,
				ifma_set1(X_ABOVE * p52[j]));
}

/* Sums that are one of their terms, or infinity. */
static __attribute__((noinline)) void
store_fixed(struct g_affine *dst, const struct lull_msm_pair *pairs,
	    unsigned int fixed, bool refs)
{
	unsigned int i;

	for (i = 0; i < IFMA_LANES; i++) {
		const struct lull_msm_pair *p = &pairs[i];

		if (!(fixed >> i & 1))
			continue;
		if (!refs && g_affine_is_inf(&dst[p->a]))
			dst[p->out] = dst[p->b];
		else if (!refs && g_affine_is_inf(&dst[p->b]))
			dst[p->out] = dst[p->a];
		else
			memset(&dst[p->out], 0, sizeof(*dst));
	}
}

/* One octet of the second pass. */
static IFMA_INLINE void sum_octet(struct gvec *x3, struct gvec *y3,
				  struct octet *o, struct vec *acc,
				  __mmask8 doubled, const struct multiples *m)
{
	struct gvec lambda, t, prod;
	struct vec inv;
	unsigned int k;

	mul(&inv, acc, &o->before, m);
	mul(acc, acc, denom(o), m);
	slope(&lambda, o, &inv, m);
	sqr_raw(&t, &lambda, m);
	if (lull_unlikely(doubled))
		undo_doubled(o, doubled);
#pragma GCC unroll 2
	for (k = 0; k < LULL_GROUP; k++)
		set_x3(&x3->c[k], &t.c[k], &o->x1.c[k], &o->d.c[k], m);
#pragma GCC unroll 2
	for (k = 0; k < LULL_GROUP; k++) {
		ifma_sub_kp_raw(t.c[k].l, o->x1.c[k].l, x3->c[k].l, 1,
				m->kp[X_ABOVE], N);
		ifma_carry_factor(t.c[k].l, N);
	}
	mul_raw(&prod, &lambda, &t, m);
#pragma GCC unroll 2
	for (k = 0; k < LULL_GROUP; k++)
		set_y3(&y3->c[k], &prod.c[k], &o->y1.c[k], m);
}

static IFMA_INLINE void add_batch(struct g_affine *dst, const uint8_t *src,
				  const struct lull_msm_pair *pairs, size_t nr,
				  struct temp *temp, bool refs)
{
	struct multiples *m = &temp->multiples;
	size_t i = lull_div_up(nr, IFMA_LANES);
	struct gvec x3, y3;
	struct vec acc;

	LULL_ASSERT(nr && nr <= G_PAIR_BATCH);
	set_multiples(m);
	forward(temp, &acc, src, pairs, nr, refs);
	invert_lanes(&acc, m);
	while (i--) {
		const struct lull_msm_pair *at = pairs + i * IFMA_LANES;
		size_t left = nr - i * IFMA_LANES;
		__mmask8 live = 0xff;

		sum_octet(&x3, &y3, &temp->octets[i], &acc, temp->doubled[i],
			  m);
		if (left < IFMA_LANES)
			live = (__mmask8)((1u << left) - 1);
		if (lull_likely(live == 0xff))
			store_work(dst, at, &x3, &y3, 0xff);
		else
			store_work(dst, at, &x3, &y3, live);
		if (lull_unlikely(temp->fixed[i] & live))
			store_fixed(dst, at, temp->fixed[i] & live, refs);
	}
}

static void add_refs(struct g_affine *dst, const uint8_t *points,
		     const struct lull_msm_pair *pairs, size_t nr, void *temp)
{
	add_batch(dst, points, pairs, nr, temp, true);
}

static void add(struct g_affine *dst, const struct lull_msm_pair *pairs,
		size_t nr, void *temp)
{
	add_batch(dst, (const uint8_t *)dst, pairs, nr, temp, false);
}

static void load(struct g_affine *dst, const uint8_t *points,
		 const struct lull_msm_pair *pairs, size_t nr)
{
	const uint8_t *rows[IFMA_LANES];
	struct multiples m;
	struct gvec x, y;
	size_t at, left, i;
	unsigned int k;

	set_multiples(&m);
	for (at = 0; at < nr; at += IFMA_LANES) {
		__mmask8 neg = 0;

		left = lull_min(nr - at, IFMA_LANES);
		for (i = 0; i < IFMA_LANES; i++) {
			uint32_t ref = pairs[at + lull_min(i, left - 1)].a;

			rows[i] = row_of(points, ref, true);
			neg |= (ref & LULL_MSM_REF_NEG) << i;
		}
		load_key(&x, &y, rows, neg, &m);
		for (k = 0; k < LULL_GROUP; k++)
			ifma_carry(y.c[k].l, N);
		store_work(dst, pairs + at, &x, &y,
			   (__mmask8)((1u << left) - 1));
	}
}

/* a / 2 mod p for a canonical a. */
static void halve(struct fp *a)
{
	limb_t odd = 0 - (a->l[0] & 1), t[FP_LIMBS];
	unsigned int j;

	for (j = 0; j < FP_LIMBS; j++)
		t[j] = fp_p[j] & odd;
	limbs_add(a->l, a->l, t, FP_LIMBS);
	for (j = 0; j + 1 < FP_LIMBS; j++)
		a->l[j] = a->l[j] >> 1 | a->l[j + 1] << (LIMB_BITS - 1);
	a->l[j] >>= 1;
}

static void finish_fp(struct fp *a, unsigned int nr_halvings,
		      unsigned int nr_doublings)
{
	while (!fp_is_canonical(a))
		limbs_sub(a->l, a->l, fp_p, FP_LIMBS);
	while (nr_halvings--)
		halve(a);
	while (nr_doublings--)
		fp_dbl(a, a);
}

static void finish(struct g_affine *points, size_t nr)
{
#ifdef Y_DOUBLINGS
	const unsigned int doublings = Y_DOUBLINGS;
#else
	const unsigned int doublings = 0;
#endif
	struct fp coord[2 * LULL_GROUP];
	unsigned int k;
	size_t i;

	for (i = 0; i < nr; i++) {
		memcpy(coord, &points[i], sizeof(coord));
		for (k = 0; k < LULL_GROUP; k++) {
			finish_fp(&coord[k], X_SHIFT, 0);
			finish_fp(&coord[LULL_GROUP + k], Y_SHIFT, doublings);
		}
		memcpy(&points[i], coord, sizeof(coord));
	}
}

const struct g_pair_ops g_pairs_ifma = {
	.temp_bytes = sizeof(struct temp),
	.load = load,
	.add_refs = add_refs,
	.add = add,
	.finish = finish,
};
