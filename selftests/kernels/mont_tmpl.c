// SPDX-License-Identifier: Apache-2.0
/*
 * mont_tmpl.c - the Montgomery kernels beside each other and beside additions
 *
 * Both fields of the curve and random odd moduli, on edges and random values,
 * with the result in place of either operand.
 */
#include "curve/mont.h"
#include "curve/fp.h"
#include "curve/fr.h"
#include "../curve/field_random.h"

/* One kernel under test. */
struct kernel {
	const char *name;
	unsigned int limbs;
	lull_mont_mul_fn *mul;
	bool needs_adx;
};

static const struct kernel kernels[] = {
	{ "4 limbs, C", 4, lull_curve_mont_mul_4_c, false },
	{ "6 limbs, C", 6, lull_curve_mont_mul_6_c, false },
#ifdef __x86_64__
	{ "4 limbs, ADX", 4, lull_curve_mont_mul_4_adx, true },
	{ "6 limbs, ADX", 6, lull_curve_mont_mul_6_adx, true },
#endif
#if LULL_MONT_KERNELS
	{ "4 limbs, as resolved", 4, lull_curve_mont_mul_4, false },
	{ "6 limbs, as resolved", 6, lull_curve_mont_mul_6, false },
#endif
};

/* A modulus and what belongs to it. */
struct modulus {
	unsigned int limbs, bits;
	limb_t m[LIMBS_MAX], inv, one[LIMBS_MAX];
};

/* -m^-1 mod 2^64 by Newton: x (2 + m x), each step doubles the good bits. */
static limb_t inverse(limb_t m)
{
	limb_t x = 0 - m;
	int i;

	for (i = 0; i < 6; i++)
		x *= 2 + m * x;
	return x;
}

static void modulus_init(struct modulus *mod, const limb_t *m, unsigned int n)
{
	unsigned int i;

	memset(mod, 0, sizeof(*mod));
	mod->limbs = n;
	memcpy(mod->m, m, n * sizeof(*m));
	mod->inv = inverse(m[0]);
	EXPECT_EQ(-1, mod->inv * m[0]);
	mod->bits = n * LIMB_BITS;
	while (!limbs_bit(m, mod->bits - 1))
		mod->bits--;
	mod->one[0] = 1;
	for (i = 0; i < n * LIMB_BITS; i++)
		limbs_mod_add(mod->one, mod->one, mod->one, m, n);
}

/* r = a b 2^(-64 n): bits of b from the lowest, halving each time. */
static void reference(limb_t *r, const limb_t *a, const limb_t *b,
		      const struct modulus *mod)
{
	limb_t t[LIMBS_MAX] = { 0 };
	unsigned int i, j, n = mod->limbs;
	limb_t carry;

	for (i = 0; i < n * LIMB_BITS; i++) {
		if (limbs_bit(b, i))
			limbs_mod_add(t, t, a, mod->m, n);
		carry = 0;
		if (t[0] & 1)
			carry = limbs_add(t, t, mod->m, n);
		for (j = 0; j < n; j++)
			t[j] = t[j] >> 1 | (j + 1 < n ? t[j + 1] : carry) << 63;
	}
	memcpy(r, t, n * sizeof(*r));
}

static void check_product(const struct kernel *k, const struct modulus *mod,
			  const limb_t *a, const limb_t *b, bool slow)
{
	limb_t want[LIMBS_MAX], r[LIMBS_MAX + 2];
	const size_t bytes = k->limbs * sizeof(limb_t);

	if (slow)
		reference(want, a, b, mod);
	else if (k->limbs == 4)
		limbs_mont_mul(want, a, b, mod->m, mod->inv, 4);
	else
		limbs_mont_mul(want, a, b, mod->m, mod->inv, 6);
	memset(r, 0xa5, sizeof(r));
	k->mul(r, a, b, mod->m, mod->inv);
	EXPECT_MEMEQ(want, r, bytes);
	EXPECT_TRUE(limbs_less(r, mod->m, k->limbs));
	/* nothing behind the result is written */
	EXPECT_TRUE(r[k->limbs] == 0xa5a5a5a5a5a5a5a5u);
	memcpy(r, a, bytes);
	k->mul(r, r, b, mod->m, mod->inv);
	EXPECT_MEMEQ(want, r, bytes);
	memcpy(r, b, bytes);
	k->mul(r, a, r, mod->m, mod->inv);
	EXPECT_MEMEQ(want, r, bytes);
	if (!slow)
		return;
	reference(want, a, a, mod);
	memcpy(r, a, bytes);
	k->mul(r, r, r, mod->m, mod->inv);
	EXPECT_MEMEQ(want, r, bytes);
}

static void operand(limb_t *r, const struct modulus *mod)
{
	if (test_random() & 1)
		edge_below(r, mod->m, mod->one, mod->limbs);
	else
		random_below(r, mod->m, mod->limbs, mod->bits);
}

static void check_modulus(const struct modulus *mod, unsigned int rounds)
{
	limb_t a[LIMBS_MAX], b[LIMBS_MAX];
	unsigned int i, j;

	for (i = 0; i < LULL_ARRAY_SIZE(kernels); i++) {
		if (kernels[i].limbs != mod->limbs)
			continue;
		if (kernels[i].needs_adx && !lull_curve_has_adx())
			continue;
		for (j = 0; j < rounds; j++) {
			operand(a, mod);
			operand(b, mod);
			check_product(&kernels[i], mod, a, b, j % 8 == 0);
		}
	}
}

TEST(the_curve_s_fields)
{
	struct modulus mod;

	modulus_init(&mod, fp_p, FP_LIMBS);
	EXPECT_TRUE(mod.inv == CURVE_CONST(FP_INV));
	check_modulus(&mod, 2000);
	modulus_init(&mod, fr_r, FR_LIMBS);
	EXPECT_TRUE(mod.inv == CURVE_CONST(FR_INV));
	check_modulus(&mod, 2000);
}

/* Any odd modulus that limbs.h allows, sparse and dense ones among them. */
TEST(random_moduli)
{
	struct modulus mod;
	limb_t m[LIMBS_MAX];
	unsigned int i, j, n;

	for (i = 0; i < 64; i++) {
		n = i & 1 ? 4 : 6;
		for (j = 0; j < n; j++)
			m[j] = i % 8 == 2   ? 0
			       : i % 8 == 5 ? ~(limb_t)0
					    : test_random();
		m[0] |= 1;
		/* from 2^(64 n - 3) up to three quarters of 2^(64 n - 1) */
		m[n - 1] = (test_random() >> 3) +
			   (i & 2 ? (limb_t)1 << 62 : (limb_t)1 << 61);
		modulus_init(&mod, m, n);
		check_modulus(&mod, 64);
	}
}

TEST(adx_kernels_ran)
{
	if (!lull_curve_has_adx())
		SKIP("the processor has no BMI2 and ADX");
	EXPECT_TRUE(LULL_ARRAY_SIZE(kernels) >= 4);
}

TEST_MAIN
