// SPDX-License-Identifier: Apache-2.0
/*
 * verify_tmpl.c - lull_verify() takes snarkjs's proofs and nothing near them
 */
#include "prove.h"

#include "curve/field_random.h"
#include "curve/pairing.h"
#include "curve_names.h"
#include "test_arena.h"

#define VKEY GOLDEN MUL2 ".vkey.json"
#define FP_BYTES sizeof(struct fp)
#define NR_COORDS 8 /* of a proof: 2 of A, 4 of B, 2 of C */
#define OFF_EQUATION "the pairing equation does not hold"

/* A proof as numbers, to be changed and written again. */
struct numbers {
	struct lull_json_proof proof;
	uint8_t public[LULL_FR_BYTES];
};

static char proof_path[PATH_BYTES], public_path[PATH_BYTES];

static struct numbers load(unsigned int i)
{
	struct golden g = golden_load(MUL2, i);
	struct lull_json_public publics = { 0 };
	struct numbers n;

	scratch_path(proof_path, "proof.json");
	scratch_path(public_path, "public.json");
	EXPECT_EQ(LULL_OK,
		  lull_json_read_proof_mem(g.proof, strlen(g.proof), "p",
					   LULL_CURVE_ID, &n.proof, NULL));
	EXPECT_EQ(LULL_OK,
		  lull_json_read_public_mem(g.publics, strlen(g.publics), "p",
					    LULL_CURVE_ID, test_arena(),
					    &publics, NULL));
	EXPECT_EQ(1, publics.nr);
	memcpy(n.public, publics.values, sizeof(n.public));
	lull_json_public_done(&publics);
	golden_free(&g);
	return n;
}

static uint8_t *coord(struct lull_json_proof *proof, size_t i)
{
	if (i < 2)
		return proof->a + i * FP_BYTES;
	if (i < 6)
		return proof->b + (i - 2) * FP_BYTES;
	return proof->c + (i - 6) * FP_BYTES;
}

/* Written here and not by lull_json_write_proof(), which may assume
 * coordinates below q. */
static void write_numbers(struct numbers *n)
{
	char digits[NR_COORDS][LULL_DECIMAL_TEXT_BYTES(LULL_FP_BYTES_MAX)];
	char text[TEXT_BYTES];
	size_t i;

	for (i = 0; i < NR_COORDS; i++)
		lull_decimal_write(coord(&n->proof, i), FP_BYTES, digits[i]);
	snprintf(text, sizeof(text),
		 "{\"pi_a\":[\"%s\",\"%s\",\"1\"],"
		 "\"pi_b\":[[\"%s\",\"%s\"],[\"%s\",\"%s\"],[\"1\",\"0\"]],"
		 "\"pi_c\":[\"%s\",\"%s\",\"1\"],\"protocol\":\"groth16\"}",
		 digits[0], digits[1], digits[2], digits[3], digits[4],
		 digits[5], digits[6], digits[7]);
	write_text(proof_path, text);
	lull_decimal_write(n->public, LULL_FR_BYTES, digits[0]);
	snprintf(text, sizeof(text), "[\"%s\"]", digits[0]);
	write_text(public_path, text);
}

static int verify(struct lull_error *error)
{
	memset(error, POISON, sizeof(*error));
	return lull_verify(VKEY, public_path, proof_path, error);
}

static void expect_refused(struct numbers *n, int code, const char *msg)
{
	struct lull_error error;

	write_numbers(n);
	EXPECT_EQ(code, verify(&error));
	EXPECT_EQ(code, error.code);
	EXPECT_STREQ(msg, error.msg);
}

static bool below(const uint8_t *value, const uint8_t *prime, size_t bytes)
{
	while (bytes--)
		if (value[bytes] != prime[bytes])
			return value[bytes] < prime[bytes];
	return false;
}

TEST(golden_proofs_are_valid)
{
	static const char *const names[] = { CURVE_JSON "-mul2",
					     CURVE_JSON "-poseidon2",
					     CURVE_JSON "-chain1000" };
	struct lull_error error;
	char vkey[PATH_BYTES];
	struct golden g;
	size_t i;

	scratch_path(proof_path, "proof.json");
	scratch_path(public_path, "public.json");
	for (i = 0; i < 3 * LULL_ARRAY_SIZE(names); i++) {
		g = golden_load(names[i / 3], i % 3);
		golden_path(vkey, names[i / 3], "vkey.json");
		write_text(proof_path, g.proof);
		write_text(public_path, g.publics);
		memset(&error, POISON, sizeof(error));
		EXPECT_EQ(LULL_OK,
			  lull_verify(vkey, public_path, proof_path, &error));
		EXPECT_TRUE(untouched(&error, sizeof(error)));
		golden_free(&g);
	}
}

TEST(every_flipped_bit_of_a_proof)
{
	const uint8_t *prime = lull_curve_facts(LULL_CURVE_ID)->fp_prime;
	struct numbers good = load(0), bad;
	struct lull_error error;
	unsigned int nr = 0;
	size_t i, bit;

	write_numbers(&good);
	EXPECT_EQ(LULL_OK, verify(&error));
	for (i = 0; i < NR_COORDS; i++) {
		for (bit = 0; bit < 8 * FP_BYTES; bit++, nr++) {
			bad = good;
			coord(&bad.proof, i)[bit / 8] ^=
				(uint8_t)(1u << bit % 8);
			write_numbers(&bad);
			if (verify(&error) !=
			    (below(coord(&bad.proof, i), prime, FP_BYTES)
				     ? LULL_INVALID
				     : LULL_RANGE))
				TEST_FAIL_("coordinate %zu, bit %zu: %d %s", i,
					   bit, error.code, error.msg);
		}
	}
	EXPECT_EQ(NR_COORDS * 8 * FP_BYTES, nr);
}

TEST(every_flipped_bit_of_a_public_signal)
{
	const uint8_t *prime = lull_curve_facts(LULL_CURVE_ID)->fr_prime;
	struct numbers good = load(1), bad;
	struct lull_error error;
	size_t bit;

	for (bit = 0; bit < 8 * LULL_FR_BYTES; bit++) {
		bad = good;
		bad.public[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (below(bad.public, prime, LULL_FR_BYTES)) {
			expect_refused(&bad, LULL_INVALID, OFF_EQUATION);
		} else {
			write_numbers(&bad);
			EXPECT_EQ(LULL_RANGE, verify(&error));
		}
	}
}

/* The same residue must not be let in under a second name. */
TEST(public_signal_plus_r)
{
	const uint8_t *prime = lull_curve_facts(LULL_CURVE_ID)->fr_prime;
	struct numbers n = load(0);
	char msg[PATH_BYTES * 2], digits[TEXT_BYTES];
	unsigned int carry = 0;
	size_t i;

	for (i = 0; i < LULL_FR_BYTES; i++) {
		carry += (unsigned int)n.public[i] + prime[i];
		n.public[i] = (uint8_t)carry;
		carry >>= 8;
	}
	EXPECT_EQ(0, carry);
	lull_decimal_write(n.public, LULL_FR_BYTES, digits);
	snprintf(msg, sizeof(msg),
		 "%s: [0]: expected below r of " CURVE_TEXT
		 ", found \"%.20s...\"",
		 public_path, digits);
	expect_refused(&n, LULL_RANGE, msg);
}

static void expect_publics_refused(const char *text, int code, const char *msg)
{
	struct lull_error error;

	write_text(public_path, text);
	EXPECT_EQ(code, verify(&error));
	EXPECT_STREQ(msg, error.msg);
}

TEST(wrong_number_of_public_signals)
{
	struct numbers n = load(0);

	write_numbers(&n);
	expect_publics_refused("[]", LULL_INVALID,
			       "the key has 1 public signals, found 0");
	expect_publics_refused("[\"33\",\"0\"]", LULL_INVALID,
			       "the key has 1 public signals, found 2");
}

TEST(points_in_each_others_place)
{
	struct numbers good = load(0), other = load(1), bad = good;

	memcpy(bad.proof.a, good.proof.c, sizeof(bad.proof.a));
	memcpy(bad.proof.c, good.proof.a, sizeof(bad.proof.c));
	expect_refused(&bad, LULL_INVALID, OFF_EQUATION);
	bad = good;
	memcpy(bad.proof.a, other.proof.a, sizeof(bad.proof.a));
	expect_refused(&bad, LULL_INVALID, OFF_EQUATION);
	bad = good;
	memcpy(bad.proof.b, other.proof.b, sizeof(bad.proof.b));
	expect_refused(&bad, LULL_INVALID, OFF_EQUATION);
	bad = good;
	memcpy(bad.proof.c, other.proof.c, sizeof(bad.proof.c));
	expect_refused(&bad, LULL_INVALID, OFF_EQUATION);
	expect_refused(
		&(struct numbers){ .proof = other.proof, .public = { 1 } },
		LULL_INVALID, OFF_EQUATION);
}

static void negate(uint8_t *plain)
{
	limb_t limbs[FP_LIMBS];
	struct fp y;

	memcpy(limbs, plain, sizeof(limbs));
	fp_from_plain(&y, limbs);
	fp_neg(&y, &y);
	fp_to_plain(limbs, &y);
	memcpy(plain, limbs, sizeof(limbs));
}

TEST(negated_points)
{
	struct numbers n = load(2);
	struct lull_error error;

	negate(n.proof.a + FP_BYTES);
	expect_refused(&n, LULL_INVALID, OFF_EQUATION);
	/* e(-A, -B) = e(A, B): Groth16 proofs are malleable in this way. */
	negate(n.proof.b + 2 * FP_BYTES);
	negate(n.proof.b + 3 * FP_BYTES);
	write_numbers(&n);
	EXPECT_EQ(LULL_OK, verify(&error));
	negate(n.proof.a + FP_BYTES);
	expect_refused(&n, LULL_INVALID, OFF_EQUATION);
	n = load(2);
	negate(n.proof.c + FP_BYTES);
	expect_refused(&n, LULL_INVALID, OFF_EQUATION);
}

/* The point at infinity is of the subgroup; no proof of mul2 has it. */
TEST(points_at_infinity)
{
	static const char *const parts[][2] = {
		{ "pi_a", "[\"0\",\"1\",\"0\"]" },
		{ "pi_b", "[[\"0\",\"0\"],[\"1\",\"0\"],[\"0\",\"0\"]]" },
		{ "pi_c", "[\"0\",\"1\",\"0\"]" },
	};
	struct golden g = golden_load(MUL2, 0);
	struct lull_error error;
	unsigned int mask;
	size_t i;

	scratch_path(proof_path, "proof.json");
	scratch_path(public_path, "public.json");
	write_text(public_path, g.publics);
	for (mask = 1; mask < 8; mask++) {
		json_t *json = json_loads(g.proof, 0, NULL);

		for (i = 0; i < 3; i++) {
			if (!(mask & 1u << i))
				continue;
			json_object_set_new(json, parts[i][0],
					    json_loads(parts[i][1], 0, NULL));
		}
		json_dump_file(json, proof_path, 0);
		json_decref(json);
		EXPECT_EQ(LULL_INVALID, verify(&error));
		EXPECT_STREQ(OFF_EQUATION, error.msg);
	}
	golden_free(&g);
}

static void put(uint8_t *out, const struct fp *x)
{
	limb_t plain[FP_LIMBS];

	fp_to_plain(plain, x);
	memcpy(out, plain, sizeof(plain));
}

TEST(points_outside_their_subgroup)
{
	struct numbers good = load(0), n = good;
	struct g2_affine q;
	struct g1_affine p;

	random_curve_point_g2(&q);
	put(n.proof.b, &q.x.c0);
	put(n.proof.b + FP_BYTES, &q.x.c1);
	put(n.proof.b + 2 * FP_BYTES, &q.y.c0);
	put(n.proof.b + 3 * FP_BYTES, &q.y.c1);
	expect_refused(&n, LULL_INVALID,
		       "pi_b is not in the subgroup of order r");
	n = good;
	random_curve_point_g1(&p);
	put(n.proof.a, &p.x);
	put(n.proof.a + FP_BYTES, &p.y);
	expect_refused(&n, LULL_INVALID,
		       LULL_CURVE_ID == LULL_ID_bn254
			       ? OFF_EQUATION
			       : "pi_a is not in the subgroup of order r");
	n = good;
	put(n.proof.c, &p.x);
	put(n.proof.c + FP_BYTES, &p.y);
	expect_refused(&n, LULL_INVALID,
		       LULL_CURVE_ID == LULL_ID_bn254
			       ? OFF_EQUATION
			       : "pi_c is not in the subgroup of order r");
}

#if LULL_CURVE_ID == LULL_ID_bls12_381
/* What a pairing alone would let through: A plus a point of order 3, which
 * every pairing with the subgroup sends to 1. */
TEST(valid_proof_plus_a_small_point)
{
	struct numbers n = load(0);
	struct g1_affine p, small;
	struct g1_xyzz acc;
	limb_t limbs[FP_LIMBS];

	memcpy(limbs, n.proof.a, sizeof(limbs));
	fp_from_plain(&p.x, limbs);
	memcpy(limbs, n.proof.a + FP_BYTES, sizeof(limbs));
	fp_from_plain(&p.y, limbs);
	small.x = fp_zero;
	fp_from_u64(&small.y, 2);
	g1_xyzz_from_affine(&acc, &p);
	g1_xyzz_add_affine(&acc, &acc, &small);
	g1_xyzz_to_affine(&p, &acc);
	put(n.proof.a, &p.x);
	put(n.proof.a + FP_BYTES, &p.y);
	expect_refused(&n, LULL_INVALID,
		       "pi_a is not in the subgroup of order r");
}
#endif

TEST(points_off_their_curve)
{
	struct numbers good = load(0), n = good;

	n.proof.a[FP_BYTES] ^= 1;
	expect_refused(&n, LULL_INVALID, "pi_a is not on the curve");
	n = good;
	n.proof.b[2 * FP_BYTES] ^= 1;
	expect_refused(&n, LULL_INVALID, "pi_b is not on the curve");
	n = good;
	n.proof.c[0] ^= 1;
	expect_refused(&n, LULL_INVALID, "pi_c is not on the curve");
}

/* Another circuit's key, and another curve's. */
TEST(proof_under_another_key)
{
	struct golden g = golden_load(MUL2, 0);
	char msg[PATH_BYTES * 2];
	struct lull_error error;

	scratch_path(proof_path, "proof.json");
	scratch_path(public_path, "public.json");
	write_text(proof_path, g.proof);
	write_text(public_path, g.publics);
	EXPECT_EQ(LULL_INVALID,
		  lull_verify(GOLDEN CURVE_JSON "-poseidon2.vkey.json",
			      public_path, proof_path, &error));
	EXPECT_STREQ(OFF_EQUATION, error.msg);
	EXPECT_EQ(LULL_MISMATCH,
		  lull_verify(GOLDEN OTHER_JSON "-mul2.vkey.json", public_path,
			      proof_path, &error));
	snprintf(msg, sizeof(msg),
		 "%s: curve: expected that of the key, " OTHER_TEXT
		 ", found " CURVE_TEXT,
		 proof_path);
	EXPECT_STREQ(msg, error.msg);
	golden_free(&g);
}

/* A key whose points are wrong is no judge. */
TEST(damaged_verification_key)
{
	static const char *const members[] = { "vk_alpha_1", "vk_beta_2",
					       "vk_gamma_2", "vk_delta_2" };
	struct numbers n = load(0);
	struct lull_error error;
	char path[PATH_BYTES], msg[PATH_BYTES];
	json_t *json, *point;
	size_t i;

	scratch_path(path, "vkey.json");
	write_numbers(&n);
	for (i = 0; i <= LULL_ARRAY_SIZE(members); i++) {
		bool ic = i == LULL_ARRAY_SIZE(members);

		json = json_load_file(VKEY, 0, NULL);
		point = ic ? json_array_get(json_object_get(json, "IC"), 1)
			   : json_object_get(json, members[i]);
		if (json_is_array(json_array_get(point, 0)))
			point = json_array_get(point, 0);
		json_array_set_new(point, 0, json_string("5"));
		json_dump_file(json, path, 0);
		json_decref(json);
		snprintf(msg, sizeof(msg), "%s is not on the curve",
			 ic ? "IC[1]" : members[i]);
		EXPECT_EQ(LULL_RANGE,
			  lull_verify(path, public_path, proof_path, &error));
		EXPECT_STREQ(msg, error.msg);
	}
}

TEST_MAIN
