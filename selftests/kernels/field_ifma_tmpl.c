// SPDX-License-Identifier: Apache-2.0
/*
 * field_ifma_tmpl.c - every IFMA primitive beside the scalar one
 *
 * Each test runs over all combinations of the edge values (0, 1, p - 1, ...)
 * and over random ones, in both fields of the curve.
 */
#include "base/cpu.h"
#include "curve/fp.h"
#include "curve/fr.h"
#include "curve/ifma.h"
#include "harness.h"

#define NR_EDGES 6
#define NR_RANDOM 2000

#define N_FP CURVE_CONST(FP_LIMBS52)
#define N_FR CURVE_CONST(FR_LIMBS52)

static const uint64_t p52[] = CURVE_CONST(FP_P52);
static const uint64_t r52[] = CURVE_CONST(FR_P52);
static const uint64_t fp_to52[] = CURVE_CONST(FP_TO52);
static const uint64_t fp_from52[] = CURVE_CONST(FP_FROM52);

struct fp8 {
	__m512i l[N_FP];
};

static void random_fp(struct fp *a)
{
	unsigned int i;

	for (i = 0; i < FP_LIMBS; i++)
		a->l[i] = test_random();
	a->l[FP_LIMBS - 1] >>= 4;
	if (!fp_is_canonical(a))
		limbs_sub(a->l, a->l, fp_p, FP_LIMBS);
}

/* The k-th edge value, then random ones. */
static void pick(struct fp *a, unsigned int k)
{
	struct fp t = { { 0 } };

	if (k >= NR_EDGES) {
		random_fp(a);
		return;
	}
	if (k == 1)
		t.l[0] = 1;
	if (k == 2 || k == 3) { /* p - 1 and p - 2 */
		memcpy(t.l, fp_p, sizeof(t.l));
		t.l[0] -= k - 1;
	}
	if (k == 4) /* long carry chains */
		memset(t.l, 0xff, sizeof(t.l) - sizeof(t.l[0]));
	if (k == 5)
		t = fp_one;
	*a = t;
}

/* Eight elements to words, word j of all in w[j]. */
static void gather(__m512i *w, const struct fp *a)
{
	uint64_t words[IFMA_LANES];
	unsigned int i, j;

	for (j = 0; j < FP_LIMBS; j++) {
		for (i = 0; i < IFMA_LANES; i++)
			words[i] = a[i].l[j];
		w[j] = _mm512_loadu_si512(words);
	}
}

static void scatter(struct fp *a, const __m512i *w)
{
	uint64_t words[IFMA_LANES];
	unsigned int i, j;

	for (j = 0; j < FP_LIMBS; j++) {
		_mm512_storeu_si512(words, w[j]);
		for (i = 0; i < IFMA_LANES; i++)
			a[i].l[j] = words[i];
	}
}

/* Into R = 2^(52 n), below 2 p: one product with R52^2 / R64. */
static void load(struct fp8 *r, const struct fp *a)
{
	__m512i w[FP_LIMBS], c[N_FP];

	gather(w, a);
	ifma_unpack(r->l, w, FP_LIMBS, 0, N_FP);
	ifma_broadcast(c, fp_to52, N_FP);
	ifma_mul(r->l, r->l, c, p52, CURVE_CONST(FP_INV52), N_FP);
}

/* Back, canonical, from below 2^4 p. */
static void store(struct fp *a, const struct fp8 *v)
{
	__m512i w[FP_LIMBS], c[N_FP];
	struct fp8 t;

	ifma_broadcast(c, fp_from52, N_FP);
	ifma_mul(t.l, v->l, c, p52, CURVE_CONST(FP_INV52), N_FP);
	ifma_canonical(t.l, t.l, 1, p52, N_FP);
	ifma_pack(w, t.l, FP_LIMBS, N_FP);
	scatter(a, w);
}

static bool is_clean(const __m512i *a, unsigned int n)
{
	unsigned int j;

	for (j = 0; j < n; j++)
		if (_mm512_cmpgt_epu64_mask(a[j], ifma_set1(IFMA_MASK)))
			return false;
	return true;
}

static void expect_equal(const struct fp *want, const struct fp8 *got)
{
	struct fp a[IFMA_LANES];
	unsigned int i;

	EXPECT_TRUE(is_clean(got->l, N_FP));
	store(a, got);
	for (i = 0; i < IFMA_LANES; i++)
		EXPECT_MEMEQ(want[i].l, a[i].l, sizeof(a[i].l));
}

/* The k-th vector of pairs: all pairs of edge values come first. */
static void pick_pair(struct fp *a, struct fp *b, unsigned int k)
{
	unsigned int i;

	for (i = 0; i < IFMA_LANES; i++) {
		unsigned int at = k * IFMA_LANES + i;
		bool edge = at < NR_EDGES * NR_EDGES;

		pick(&a[i], edge ? at / NR_EDGES : NR_EDGES);
		pick(&b[i], edge ? at % NR_EDGES : NR_EDGES);
	}
}

TEST(fp_products_agree)
{
	struct fp a[IFMA_LANES], b[IFMA_LANES], want[IFMA_LANES];
	struct fp8 va, vb, vr;
	unsigned int i, k;

	if (!lull_cpu_has_ifma())
		SKIP("no AVX-512 IFMA");
	for (k = 0; k < NR_RANDOM / IFMA_LANES && !test_failed; k++) {
		pick_pair(a, b, k);
		load(&va, a);
		load(&vb, b);
		for (i = 0; i < IFMA_LANES; i++)
			fp_mul(&want[i], &a[i], &b[i]);
		ifma_mul(vr.l, va.l, vb.l, p52, CURVE_CONST(FP_INV52), N_FP);
		expect_equal(want, &vr);
		for (i = 0; i < IFMA_LANES; i++)
			fp_sqr(&want[i], &a[i]);
		ifma_sqr(vr.l, va.l, p52, CURVE_CONST(FP_INV52), N_FP);
		expect_equal(want, &vr);
		for (i = 0; i < IFMA_LANES; i++) {
			struct fp t;

			fp_mul(&t, &a[i], &b[i]);
			fp_add(&want[i], &want[i], &t);
		}
		ifma_mul2(vr.l, va.l, vb.l, va.l, va.l, p52,
			  CURVE_CONST(FP_INV52), N_FP);
		expect_equal(want, &vr);
	}
}

TEST(fp_sums_agree)
{
	struct fp a[IFMA_LANES], b[IFMA_LANES], want[IFMA_LANES];
	struct fp8 va, vb, vr;
	unsigned int i, k;

	if (!lull_cpu_has_ifma())
		SKIP("no AVX-512 IFMA");
	for (k = 0; k < NR_RANDOM / IFMA_LANES && !test_failed; k++) {
		pick_pair(a, b, k);
		load(&va, a);
		load(&vb, b);
		for (i = 0; i < IFMA_LANES; i++)
			fp_add(&want[i], &a[i], &b[i]);
		ifma_add(vr.l, va.l, vb.l, N_FP);
		expect_equal(want, &vr);
		ifma_reduce_once(vr.l, vr.l, 2, p52, N_FP);
		expect_equal(want, &vr);
		for (i = 0; i < IFMA_LANES; i++)
			fp_sub(&want[i], &a[i], &b[i]);
		ifma_sub(vr.l, va.l, vb.l, 2, p52, N_FP);
		expect_equal(want, &vr);
		for (i = 0; i < IFMA_LANES; i++)
			fp_neg(&want[i], &b[i]);
		ifma_neg(vr.l, vb.l, 2, p52, N_FP);
		expect_equal(want, &vr);
	}
}

/* What is 0 mod p is found, whatever multiple of p it is. */
TEST(fp_zero_lanes)
{
	struct fp a[IFMA_LANES], b[IFMA_LANES];
	struct fp8 va, vb, vr, canon;
	unsigned int i, k;

	if (!lull_cpu_has_ifma())
		SKIP("no AVX-512 IFMA");
	for (k = 0; k < NR_RANDOM / IFMA_LANES; k++) {
		unsigned int want = 0;
		__mmask8 maybe;

		pick_pair(a, b, k);
		for (i = 0; i < IFMA_LANES; i++) {
			if (test_random() % 4 == 0)
				b[i] = a[i];
			want |= (unsigned int)fp_equal(&a[i], &b[i]) << i;
		}
		load(&va, a);
		load(&vb, b);
		if (k % 2) /* another representative */
			ifma_add_kp_raw(vb.l, 0x55, 1, p52, N_FP);
		ifma_carry(vb.l, N_FP);
		ifma_sub(vr.l, va.l, vb.l, 3, p52, N_FP);
		maybe = ifma_maybe_zero(vr.l, 5, CURVE_CONST(FP_INV52));
		ifma_canonical(canon.l, vr.l, 3, p52, N_FP);
		EXPECT_EQ(want, ifma_is_zero(canon.l, N_FP));
		EXPECT_EQ(want, maybe & want);
	}
}

/* A shift instead of a product brings 256-bit forms to R = 2^260. */
TEST(fr_products_agree_after_a_shift)
{
	static const uint64_t from52[] = CURVE_CONST(FR_FROM52);
	__m512i w[FR_LIMBS], va[N_FR], vb[N_FR], c[N_FR];
	struct fr a[IFMA_LANES], b[IFMA_LANES], want, got[IFMA_LANES];
	unsigned int i, k;

	if (!lull_cpu_has_ifma())
		SKIP("no AVX-512 IFMA");
	for (k = 0; k < NR_RANDOM / IFMA_LANES && !test_failed; k++) {
		for (i = 0; i < IFMA_LANES; i++) {
			fr_from_u64(&a[i], test_random());
			fr_mul(&b[i], &a[i], &a[i]);
			if (test_random() % 8 == 0)
				a[i] = fr_zero;
			if (test_random() % 8 == 0)
				fr_neg(&b[i], &fr_one);
		}
		ifma_load4(w, a);
		ifma_unpack(va, w, FR_LIMBS, 4, N_FR);
		ifma_load4(w, b);
		ifma_unpack(vb, w, FR_LIMBS, 4, N_FR);
		ifma_broadcast(c, from52, N_FR);
		ifma_mul(vb, vb, c, r52, CURVE_CONST(FR_INV52), N_FR);
		ifma_mul(va, va, vb, r52, CURVE_CONST(FR_INV52), N_FR);
		ifma_canonical(va, va, 1, r52, N_FR);
		ifma_pack(w, va, FR_LIMBS, N_FR);
		ifma_store4(got, w);
		for (i = 0; i < IFMA_LANES; i++) {
			fr_mul(&want, &a[i], &b[i]);
			EXPECT_MEMEQ(want.l, got[i].l, sizeof(want.l));
		}
	}
}

TEST(words_move_and_come_back)
{
	uint64_t in[64 + 1], out[64];
	__m512i v[IFMA_LANES];
	unsigned int i, j;

	if (!lull_cpu_has_ifma())
		SKIP("no AVX-512 IFMA");
	for (i = 0; i < 65; i++)
		in[i] = test_random();
	for (i = 0; i < 8; i++)
		v[i] = _mm512_loadu_si512(in + 8 * i);
	ifma_transpose(v);
	for (i = 0; i < 8; i++)
		_mm512_storeu_si512(out + 8 * i, v[i]);
	for (i = 0; i < 8; i++)
		for (j = 0; j < 8; j++)
			EXPECT_TRUE(out[8 * i + j] == in[8 * j + i]);
	ifma_load4(v, (const uint8_t *)in + 3);
	for (j = 0; j < 4; j++)
		_mm512_storeu_si512(out + 8 * j, v[j]);
	for (i = 0; i < 8; i++)
		for (j = 0; j < 4; j++)
			EXPECT_TRUE(out[8 * j + i] ==
				    lull_load_u64((const uint8_t *)in + 3 +
						  32 * i + 8 * j));
	ifma_store4((uint8_t *)out + 1, v);
	EXPECT_MEMEQ((const uint8_t *)in + 3, (uint8_t *)out + 1, 256);
}

TEST_MAIN
