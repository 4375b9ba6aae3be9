// SPDX-License-Identifier: Apache-2.0
/*
 * pairing_tmpl.c - the pairing: bilinear, of order r, and snarkjs's own values
 */
#include <jansson.h>

#include "curve/facts.h"
#include "curve/pairing.h"
#include "field_random.h"

/* r = a^e, e plain */
static void pow_plain(struct fp12 *r, const struct fp12 *a, const limb_t *e)
{
	unsigned int i = FR_LIMBS * LIMB_BITS;
	struct fp12 acc = fp12_one;

	while (i--) {
		fp12_sqr(&acc, &acc);
		if (limbs_bit(e, i))
			fp12_mul(&acc, &acc, a);
	}
	*r = acc;
}

/* A pairing's value that is easy to compare with. */
static void generators(struct fp12 *r)
{
	pairing_product(r, &g1_generator, &g2_generator, 1);
}

TEST(bilinear)
{
	limb_t a[FR_LIMBS], b[FR_LIMBS], plain[FR_LIMBS];
	struct fr fa, fb;
	struct fp12 base, want, got;
	struct g1_xyzz pj;
	struct g2_xyzz qj;
	struct g1_affine p;
	struct g2_affine q;
	int i;

	generators(&base);
	for (i = 0; i < 4; i++) {
		random_scalar(a);
		random_scalar(b);
		g1_mul_var(&pj, &g1_generator, a, FR_LIMBS);
		g1_xyzz_to_affine(&p, &pj);
		g2_mul_var(&qj, &g2_generator, b, FR_LIMBS);
		g2_xyzz_to_affine(&q, &qj);
		fr_from_plain(&fa, a);
		fr_from_plain(&fb, b);
		fr_mul(&fa, &fa, &fb);
		fr_to_plain(plain, &fa);
		pow_plain(&want, &base, plain);
		pairing_product(&got, &p, &q, 1);
		EXPECT_TRUE(fp12_equal(&want, &got));
	}
}

TEST(value_has_order_r)
{
	struct fp12 base, t;

	generators(&base);
	EXPECT_TRUE(!fp12_equal(&base, &fp12_one));
	pow_plain(&t, &base, fr_r);
	EXPECT_TRUE(fp12_equal(&t, &fp12_one));
}

TEST(cyclotomic_square_is_a_square)
{
	struct fp12 a, b, c;
	int i;

	generators(&a);
	for (i = 0; i < 8; i++) {
		fp12_sqr(&b, &a);
		fp12_cyclotomic_sqr(&c, &a);
		EXPECT_TRUE(fp12_equal(&b, &c));
		fp12_cyclotomic_sqr(&a, &a);
		EXPECT_TRUE(fp12_equal(&a, &c));
	}
}

/* More pairs than fit in one turn, an infinity of either kind among them. */
TEST(product_is_the_product)
{
	struct g1_affine p[11];
	struct g2_affine q[11];
	struct fp12 want, got, one;
	unsigned int i, nr;

	for (i = 0; i < LULL_ARRAY_SIZE(p); i++) {
		random_g1(&p[i]);
		random_g2(&q[i]);
	}
	memset(&p[2], 0, sizeof(p[2]));
	memset(&q[7], 0, sizeof(q[7]));
	memset(&q[10], 0, sizeof(q[10]));
	want = fp12_one;
	for (nr = 0; nr <= LULL_ARRAY_SIZE(p); nr++) {
		memset(&got, 0xff, sizeof(got));
		pairing_product(&got, p, q, nr);
		EXPECT_TRUE(fp12_equal(&want, &got));
		if (nr == LULL_ARRAY_SIZE(p))
			break;
		pairing_product(&one, &p[nr], &q[nr], 1);
		fp12_mul(&want, &want, &one);
		EXPECT_EQ(nr == 2 || nr == 7 || nr == 10,
			  fp12_equal(&one, &fp12_one));
	}
}

/* e(P, Q) e(-P, Q) = 1, and not when a point is changed. */
TEST(product_is_one)
{
	struct g1_affine p[2];
	struct g2_affine q[2];

	random_g1(&p[0]);
	random_g2(&q[0]);
	g1_affine_neg(&p[1], &p[0]);
	q[1] = q[0];
	EXPECT_TRUE(pairing_product_is_one(p, q, 2));
	EXPECT_TRUE(pairing_product_is_one(p, q, 0));
	EXPECT_TRUE(!pairing_product_is_one(p, q, 1));
	random_g1(&p[1]);
	EXPECT_TRUE(!pairing_product_is_one(p, q, 2));
	p[1] = p[0];
	g2_affine_neg(&q[1], &q[0]);
	EXPECT_TRUE(pairing_product_is_one(p, q, 2));
	/* The same at addresses apart: outputs do not feed back. */
	EXPECT_TRUE(pairing_product_is_one(p, q, 2));
}

/* ---- vk_alphabeta_12 of the golden keys --------------------------------- */

/* A decimal string as snarkjs writes a coordinate. */
static bool parse_fp(struct fp *r, const json_t *value)
{
	const char *s = json_string_value(value);
	struct fp ten, digit;

	if (!s || !*s)
		return false;
	*r = fp_zero;
	fp_from_u64(&ten, 10);
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return false;
		fp_mul(r, r, &ten);
		fp_from_u64(&digit, (uint64_t)(*s - '0'));
		fp_add(r, r, &digit);
	}
	return true;
}

static bool parse_fp2(struct fp2 *r, const json_t *value)
{
	return parse_fp(&r->c0, json_array_get(value, 0)) &&
	       parse_fp(&r->c1, json_array_get(value, 1));
}

static bool parse_fp6(struct fp6 *r, const json_t *value)
{
	return parse_fp2(&r->c0, json_array_get(value, 0)) &&
	       parse_fp2(&r->c1, json_array_get(value, 1)) &&
	       parse_fp2(&r->c2, json_array_get(value, 2));
}

static void check_key(const json_t *key)
{
	const json_t *alpha = json_object_get(key, "vk_alpha_1");
	const json_t *beta = json_object_get(key, "vk_beta_2");
	const json_t *product = json_object_get(key, "vk_alphabeta_12");
	struct fp12 want, got;
	struct g1_affine p;
	struct g2_affine q;

	ASSERT_TRUE(parse_fp(&p.x, json_array_get(alpha, 0)));
	ASSERT_TRUE(parse_fp(&p.y, json_array_get(alpha, 1)));
	ASSERT_TRUE(parse_fp2(&q.x, json_array_get(beta, 0)));
	ASSERT_TRUE(parse_fp2(&q.y, json_array_get(beta, 1)));
	ASSERT_TRUE(parse_fp6(&want.c0, json_array_get(product, 0)));
	ASSERT_TRUE(parse_fp6(&want.c1, json_array_get(product, 1)));
	EXPECT_EQ(LULL_POINT_OK, g1_affine_check(&p));
	EXPECT_EQ(LULL_POINT_OK, g2_affine_check(&q));
	pairing_product(&got, &p, &q, 1);
	EXPECT_TRUE(fp12_equal(&want, &got));
}

TEST(golden_keys_alphabeta)
{
	static const char *const names[] = { "mul2", "chain1000", "poseidon2" };
	const char *curve = lull_curve_facts(LULL_CURVE_ID)->json_name;
	char path[128];
	json_t *key;
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "selftests/golden/%s-%s.vkey.json",
			 curve, names[i]);
		key = json_load_file(path, 0, NULL);
		if (!key)
			printf("# cannot read %s\n", path);
		ASSERT_TRUE(key);
		check_key(key);
		json_decref(key);
	}
}

TEST_MAIN
