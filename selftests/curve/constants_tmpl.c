// SPDX-License-Identifier: Apache-2.0
/*
 * constants_tmpl.c - every line of gen/<curve>.h, found again another way
 *
 * gen-curves.py computes with big integers and divisions; here the same
 * constants come from the primes by doublings, products and Frobenius maps, and
 * the primes from the curve parameter by Horner's rule inside the fields.
 */
#include "curve/tower.h"
#include "field_random.h"

#define LIMB52_BITS 52
#define LIMBS52_MAX 8

/* r = 2^e mod m, by doubling 1. */
static void power_of_two(limb_t *r, unsigned int e, const limb_t *m,
			 unsigned int n)
{
	limb_t t[LIMBS_MAX] = { 1 };

	while (e--)
		limbs_mod_add(t, t, t, m, n);
	memcpy(r, t, n * sizeof(*r));
}

/* n 64-bit limbs as n52 52-bit ones, bit by bit. */
static void repack(limb_t *r, const limb_t *a, unsigned int n, unsigned int n52)
{
	unsigned int i;

	memset(r, 0, n52 * sizeof(*r));
	for (i = 0; i < n * LIMB_BITS && i < n52 * LIMB52_BITS; i++)
		r[i / LIMB52_BITS] |= (limb_t)limbs_bit(a, i)
				      << (i % LIMB52_BITS);
}

/* One prime field's lines, as one table: both fields have the same ones. */
struct field_lines {
	unsigned int limbs, bits, limbs52;
	limb_t inv, inv52;
	limb_t p[LIMBS_MAX], one[LIMBS_MAX], r2[LIMBS_MAX], minus_2[LIMBS_MAX];
	limb_t p52[LIMBS52_MAX], r52[LIMBS52_MAX], to52[LIMBS52_MAX],
		from52[LIMBS52_MAX];
};

static const struct field_lines fp_lines = {
	.limbs = FP_LIMBS,
	.bits = FP_BITS,
	.limbs52 = CURVE_CONST(FP_LIMBS52),
	.inv = CURVE_CONST(FP_INV),
	.inv52 = CURVE_CONST(FP_INV52),
	.p = CURVE_CONST(FP_P),
	.one = CURVE_CONST(FP_R),
	.r2 = CURVE_CONST(FP_R2),
	.minus_2 = CURVE_CONST(FP_P_MINUS_2),
	.p52 = CURVE_CONST(FP_P52),
	.r52 = CURVE_CONST(FP_R52),
	.to52 = CURVE_CONST(FP_TO52),
	.from52 = CURVE_CONST(FP_FROM52),
};

static const struct field_lines fr_lines = {
	.limbs = FR_LIMBS,
	.bits = FR_BITS,
	.limbs52 = CURVE_CONST(FR_LIMBS52),
	.inv = CURVE_CONST(FR_INV),
	.inv52 = CURVE_CONST(FR_INV52),
	.p = CURVE_CONST(FR_P),
	.one = CURVE_CONST(FR_R),
	.r2 = CURVE_CONST(FR_R2),
	.minus_2 = CURVE_CONST(FR_P_MINUS_2),
	.p52 = CURVE_CONST(FR_P52),
	.r52 = CURVE_CONST(FR_R52),
	.to52 = CURVE_CONST(FR_TO52),
	.from52 = CURVE_CONST(FR_FROM52),
};

static void expect_power52(const limb_t *want52, unsigned int e,
			   const struct field_lines *f)
{
	limb_t t[LIMBS_MAX], packed[LIMBS52_MAX];

	power_of_two(t, e, f->p, f->limbs);
	repack(packed, t, f->limbs, f->limbs52);
	EXPECT_MEMEQ(want52, packed, f->limbs52 * sizeof(limb_t));
}

static void check_field(const struct field_lines *f)
{
	const unsigned int n = f->limbs, radix = n * LIMB_BITS;
	const unsigned int radix52 = f->limbs52 * LIMB52_BITS;
	const limb_t two[LIMBS_MAX] = { 2 };
	limb_t t[LIMBS_MAX], packed[LIMBS52_MAX];
	unsigned int bits = radix;

	while (!limbs_bit(f->p, bits - 1))
		bits--;
	EXPECT_EQ(bits, f->bits);
	/* what limbs_mont_mul needs: a free top bit and room above */
	EXPECT_TRUE(bits < radix);
	EXPECT_TRUE(f->p[n - 1] < ~(limb_t)0 >> 1);
	/* two spare bits for the IFMA kernels */
	EXPECT_TRUE(bits + 2 <= radix52);
	EXPECT_EQ(-1, f->inv * f->p[0]);
	EXPECT_EQ(((limb_t)1 << LIMB52_BITS) - 1,
		  f->inv52 * f->p[0] & (((limb_t)1 << LIMB52_BITS) - 1));
	EXPECT_TRUE(f->inv52 >> LIMB52_BITS == 0);
	power_of_two(t, radix, f->p, n);
	EXPECT_MEMEQ(f->one, t, n * sizeof(limb_t));
	power_of_two(t, 2 * radix, f->p, n);
	EXPECT_MEMEQ(f->r2, t, n * sizeof(limb_t));
	limbs_add(t, f->minus_2, two, n);
	EXPECT_MEMEQ(f->p, t, n * sizeof(limb_t));
	repack(packed, f->p, n, f->limbs52);
	EXPECT_MEMEQ(f->p52, packed, f->limbs52 * sizeof(limb_t));
	expect_power52(f->r52, radix52, f);
	expect_power52(f->to52, 2 * radix52 - radix, f);
	expect_power52(f->from52, radix, f);
}

TEST(field_lines)
{
	check_field(&fp_lines);
	check_field(&fr_lines);
}

/* ---- the primes ----------------------------------------------------------- */

/* r = the polynomial with these coefficients at the parameter, in Fp. */
static void horner_fp(struct fp *r, const int *coeffs, unsigned int nr)
{
	struct fp x, t;

	fp_from_u64(&x, CURVE_CONST(PARAM_ABS));
	if (CURVE_CONST(PARAM_NEGATIVE))
		fp_neg(&x, &x);
	*r = fp_zero;
	while (nr--) {
		fp_mul(r, r, &x);
		fp_from_u64(&t, (uint64_t)abs(coeffs[nr]));
		if (coeffs[nr] < 0)
			fp_neg(&t, &t);
		fp_add(r, r, &t);
	}
}

static void horner_fr(struct fr *r, const int *coeffs, unsigned int nr)
{
	struct fr x, t;

	fr_from_u64(&x, CURVE_CONST(PARAM_ABS));
	if (CURVE_CONST(PARAM_NEGATIVE))
		fr_neg(&x, &x);
	*r = fr_zero;
	while (nr--) {
		fr_mul(r, r, &x);
		fr_from_u64(&t, (uint64_t)abs(coeffs[nr]));
		if (coeffs[nr] < 0)
			fr_neg(&t, &t);
		fr_add(r, r, &t);
	}
}

/*
 * The primes divide their polynomials, which for these sizes makes them equal:
 * BN p = 36 u^4 + 36 u^3 + 24 u^2 + 6 u + 1, r with 18 u^2; BLS12
 * r = x^4 - x^2 + 1, 3 p = (x - 1)^2 r + 3 x.
 */
TEST(primes_follow_from_the_parameter)
{
#if LULL_CURVE_ID == LULL_ID_bn254
	static const int p[] = { 1, 6, 24, 36, 36 };
	static const int r[] = { 1, 6, 18, 36, 36 };
#else
	static const int p[] = { 1, 1, 0, 2, 0, -2, 1 };
	static const int r[] = { 1, 0, -1, 0, 1 };
#endif
	struct fp x;
	struct fr y;

	horner_fp(&x, p, LULL_ARRAY_SIZE(p));
	EXPECT_TRUE(fp_is_zero(&x));
	horner_fr(&y, r, LULL_ARRAY_SIZE(r));
	EXPECT_TRUE(fr_is_zero(&y));
}

TEST(square_root_exponent)
{
	static const limb_t e[FP_LIMBS] = CURVE_CONST(FP_SQRT_EXP);
	const limb_t unit[FP_LIMBS] = { 1 };
	limb_t t[FP_LIMBS], want[FP_LIMBS];

	limbs_add(t, e, e, FP_LIMBS);
	limbs_add(t, t, t, FP_LIMBS);
	limbs_add(want, fp_p, unit, FP_LIMBS);
	EXPECT_MEMEQ(want, t, sizeof(t));
}

/* ---- roots of unity ------------------------------------------------------- */

TEST(roots_of_unity)
{
	static const struct fr root = { CURVE_CONST(FR_ROOT) };
	static const struct fr root_inv = { CURVE_CONST(FR_ROOT_INV) };
	static const struct fr shift = { CURVE_CONST(FR_SHIFT) };
	const limb_t unit[FR_LIMBS] = { 1 };
	limb_t half[FR_LIMBS], odd[FR_LIMBS];
	struct fr g, t, minus_one;
	unsigned int i, k;

	fr_neg(&minus_one, &fr_one);
	/* (r - 1) / 2 and the odd part of r - 1 */
	limbs_sub(odd, fr_r, unit, FR_LIMBS);
	for (k = 0; !(odd[0] & 1); k++) {
		for (i = 0; i < FR_LIMBS; i++)
			odd[i] = odd[i] >> 1 |
				 (i + 1 < FR_LIMBS
					  ? odd[i + 1] << (LIMB_BITS - 1)
					  : 0);
		if (!k)
			memcpy(half, odd, sizeof(half));
	}
	EXPECT_EQ(CURVE_CONST(FR_TWO_ADICITY), k);
	for (i = 2; i <= CURVE_CONST(FR_NON_RESIDUE); i++) {
		fr_from_u64(&g, i);
		fr_pow_var(&t, &g, half, FR_LIMBS);
		EXPECT_EQ(i == CURVE_CONST(FR_NON_RESIDUE),
			  fr_equal(&t, &minus_one));
	}
	fr_pow_var(&t, &g, odd, FR_LIMBS);
	EXPECT_TRUE(fr_equal(&t, &root));
#if LULL_CURVE_ID == LULL_ID_bls12_381
	/* bellman's root, 7^t, is a power of it */
	{
		const limb_t step[] = { CURVE_CONST(FR_BELLMAN_STEP) };
		struct fr power;

		fr_pow_var(&power, &root, step, LULL_ARRAY_SIZE(step));
		fr_from_u64(&t, 7);
		fr_pow_var(&t, &t, odd, FR_LIMBS);
		EXPECT_TRUE(fr_equal(&t, &power));
		t = root;
	}
#endif
	/* the order: k - 1 squarings give -1 */
	for (i = 1; i < k; i++)
		fr_sqr(&t, &t);
	EXPECT_TRUE(fr_equal(&t, &minus_one));
	fr_mul(&t, &root, &root_inv);
	EXPECT_TRUE(fr_equal(&t, &fr_one));
	fr_sqr(&t, &g);
	EXPECT_TRUE(fr_equal(&t, &shift));
}

/* beta and lambda are primitive cube roots, and of the same map on G1. */
TEST(cube_roots_of_unity)
{
	static const struct fp beta = { CURVE_CONST(FP_BETA) };
	static const limb_t plain[FR_LIMBS] = CURVE_CONST(FR_LAMBDA);
	struct g1_affine p;
	struct g1_xyzz want, got;
	struct fp b;
	struct fr lambda, t;
	int i;

	fp_sqr(&b, &beta);
	fp_add(&b, &b, &beta);
	fp_add(&b, &b, &fp_one);
	EXPECT_TRUE(fp_is_zero(&b));
	fr_from_plain(&lambda, plain);
	fr_sqr(&t, &lambda);
	fr_add(&t, &t, &lambda);
	fr_add(&t, &t, &fr_one);
	EXPECT_TRUE(fr_is_zero(&t));
	for (i = 0; i < 4; i++) {
		random_g1(&p);
		g1_mul_var(&want, &p, plain, FR_LIMBS);
		fp_mul(&p.x, &p.x, &beta);
		g1_xyzz_from_affine(&got, &p);
		EXPECT_TRUE(g1_xyzz_equal(&want, &got));
	}
}

/* ---- curves and tower ----------------------------------------------------- */

TEST(curve_equations)
{
	static const struct fp b1 = { CURVE_CONST(G1_B) };
	static const struct fp2 b2 = CURVE_CONST(G2_B);
	struct fp want;
	struct fp2 t = fp2_zero, u;

	fp_from_u64(&want, LULL_CURVE_ID == LULL_ID_bn254 ? 3 : 4);
	EXPECT_TRUE(fp_equal(&want, &b1));
	t.c0 = b1;
	if (CURVE_CONST(TWIST_IS_D)) {
		fp2_mul_xi(&u, &b2);
		EXPECT_TRUE(fp2_equal(&t, &u));
	} else {
		fp2_mul_xi(&t, &t);
		EXPECT_TRUE(fp2_equal(&t, &b2));
	}
}

/* r = a / d for a small d that divides a. */
static void divide(limb_t *r, const limb_t *a, limb_t d)
{
	limb2_t rest = 0;
	unsigned int i = FP_LIMBS;

	while (i--) {
		rest = rest << LIMB_BITS | a[i];
		r[i] = (limb_t)(rest / d);
		rest %= d;
	}
	EXPECT_EQ(0, rest);
}

static void fp2_pow(struct fp2 *r, const struct fp2 *a, const limb_t *e)
{
	unsigned int i = FP_LIMBS * LIMB_BITS;

	*r = fp2_one;
	while (i--) {
		fp2_sqr(r, r);
		if (limbs_bit(e, i))
			fp2_mul(r, r, a);
	}
}

static const struct fp2 frob[3][5] = {
	{ CURVE_CONST(FROB1_1), CURVE_CONST(FROB1_2), CURVE_CONST(FROB1_3),
	  CURVE_CONST(FROB1_4), CURVE_CONST(FROB1_5) },
	{ CURVE_CONST(FROB2_1), CURVE_CONST(FROB2_2), CURVE_CONST(FROB2_3),
	  CURVE_CONST(FROB2_4), CURVE_CONST(FROB2_5) },
	{ CURVE_CONST(FROB3_1), CURVE_CONST(FROB3_2), CURVE_CONST(FROB3_3),
	  CURVE_CONST(FROB3_4), CURVE_CONST(FROB3_5) },
};

/* g_k = xi^((p^k - 1) / 6): g_1 by powering, g_(k+1) = g_1 g_k^p. */
TEST(frobenius_coefficients)
{
	const limb_t unit[FP_LIMBS] = { 1 };
	struct fp2 xi, g1, g, t;
	limb_t e[FP_LIMBS];
	unsigned int i, k;

	fp2_mul_xi(&xi, &fp2_one);
	limbs_sub(e, fp_p, unit, FP_LIMBS);
	divide(e, e, 6);
	fp2_pow(&g1, &xi, e);
	g = g1;
	for (k = 0; k < 3; k++) {
		t = fp2_one;
		for (i = 0; i < 5; i++) {
			fp2_mul(&t, &t, &g);
			EXPECT_TRUE(fp2_equal(&t, &frob[k][i]));
		}
		fp2_conj(&g, &g);
		fp2_mul(&g, &g, &g1);
	}
	/* w^6 - xi is irreducible: xi^((p^2-1)/2) = -1, xi^((p^2-1)/3) != 1 */
	fp2_add(&t, &frob[1][2], &fp2_one);
	EXPECT_TRUE(fp2_is_zero(&t));
	EXPECT_TRUE(!fp2_equal(&frob[1][1], &fp2_one));
}

TEST(psi_coefficients)
{
	static const struct fp2 x = CURVE_CONST(PSI_X), y = CURVE_CONST(PSI_Y);
	struct fp2 t;

	if (CURVE_CONST(TWIST_IS_D)) {
		EXPECT_TRUE(fp2_equal(&x, &frob[0][1]));
		EXPECT_TRUE(fp2_equal(&y, &frob[0][2]));
	} else {
		fp2_mul(&t, &x, &frob[0][1]);
		EXPECT_TRUE(fp2_equal(&t, &fp2_one));
		fp2_mul(&t, &y, &frob[0][2]);
		EXPECT_TRUE(fp2_equal(&t, &fp2_one));
	}
}

TEST(loop_count)
{
	static const limb_t loop[2] = CURVE_CONST(LOOP);
	const limb2_t got = (limb2_t)loop[1] << LIMB_BITS | loop[0];
	const limb2_t u = CURVE_CONST(PARAM_ABS);
	unsigned int bits = 2 * LIMB_BITS;

	EXPECT_TRUE(got == (LULL_CURVE_ID == LULL_ID_bn254 ? 6 * u + 2 : u));
	while (!limbs_bit(loop, bits - 1))
		bits--;
	EXPECT_EQ(bits, CURVE_CONST(LOOP_BITS));
	EXPECT_EQ(LULL_CURVE_ID == LULL_ID_bls12_381,
		  CURVE_CONST(PARAM_NEGATIVE));
}

TEST_MAIN
