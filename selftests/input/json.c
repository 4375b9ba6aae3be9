// SPDX-License-Identifier: Apache-2.0
/*
 * json.c - JSON: snarkjs's bytes both ways, and each refusal alone
 *
 * The expected text comes from jansson's own writer, which with an indent of
 * one gives what JSON.stringify(value, null, 1) does.
 */
#include "harness.h"

#include <jansson.h>
#include <sys/resource.h>
#include <unistd.h>

#include "input/decimal.h"
#include "input/files.h"
#include "input/json.h"
#include "test_arena.h"

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define JANSSON_IS_NOT_INSTRUMENTED
#endif
#endif

#ifdef JANSSON_IS_NOT_INSTRUMENTED
TEST(json)
{
	SKIP("jansson is not built for the memory sanitizer");
}
#else

#define COMPACT JSON_COMPACT
#define LIKE_SNARKJS JSON_INDENT(1)

static char *dump(const json_t *json, size_t flags)
{
	char *text = json_dumps(json, flags);

	if (!text) {
		printf("Bail out! no memory for a test\n");
		exit(1);
	}
	return text;
}

static json_t *load_golden(const char *name)
{
	json_t *json = json_load_file(name, 0, NULL);

	if (!json) {
		printf("Bail out! %s cannot be read\n", name);
		exit(1);
	}
	return json;
}

static enum lull_curve curve_of(const char *golden)
{
	return strncmp(golden, "bn128", 5) ? LULL_CURVE_BLS12_381
					   : LULL_CURVE_BN254;
}

/* Compares with what the writer gives, asking for the size first. */
static void expect_text(const char *want, const char *got, size_t bytes)
{
	EXPECT_EQ(strlen(want), bytes);
	if (strlen(want) == bytes)
		EXPECT_MEMEQ(want, got, bytes);
}

static void expect_proof_round_trip(const char *text, enum lull_curve curve,
				    const char *want)
{
	struct lull_json_proof proof;
	struct lull_error err;
	char buf[4096];
	size_t bytes;

	memset(&proof, POISON, sizeof(proof));
	if (lull_json_read_proof_mem(text, strlen(text), "p", curve, &proof,
				     &err)) {
		TEST_FAIL_("%s", err.msg);
		return;
	}
	EXPECT_EQ(curve, proof.curve);
	bytes = lull_json_write_proof(&proof, NULL, 0);
	EXPECT_EQ(bytes, lull_json_write_proof(&proof, buf, sizeof(buf)));
	expect_text(want, buf, bytes);
}

static void expect_golden_proof(json_t *proof, enum lull_curve curve)
{
	char *want = dump(proof, LIKE_SNARKJS), *compact = dump(proof, COMPACT);
	char *bare;

	expect_proof_round_trip(want, curve, want);
	expect_proof_round_trip(compact, curve, want);
	/* rapidsnark's form: compact and without a curve. */
	json_object_del(proof, "curve");
	bare = dump(proof, COMPACT);
	expect_proof_round_trip(bare, curve, want);
	free(bare);
	free(compact);
	free(want);
}

static void expect_golden_public(const json_t *public, enum lull_curve curve)
{
	char *want = dump(public, LIKE_SNARKJS);
	struct lull_json_public read;
	struct lull_error err;
	char buf[4096];
	size_t bytes;

	memset(&read, POISON, sizeof(read));
	if (lull_json_read_public_mem(want, strlen(want), "p", curve,
				      test_arena(), &read, &err)) {
		TEST_FAIL_("%s", err.msg);
		free(want);
		return;
	}
	EXPECT_EQ(json_array_size(public), read.nr);
	bytes = lull_json_write_public(read.values, read.nr, NULL, 0);
	EXPECT_EQ(bytes, lull_json_write_public(read.values, read.nr, buf,
						sizeof(buf)));
	expect_text(want, buf, bytes);
	lull_json_public_done(&read);
	EXPECT_TRUE(!read.values);
	lull_json_public_done(&read);
	free(want);
}

/* golden.json came from JSON.stringify(value, null, 1) itself. */
TEST(jansson_writes_like_snarkjs)
{
	json_t *golden = load_golden(GOLDEN "golden.json");
	struct blob b = blob_read(GOLDEN "golden.json");
	char *text = dump(golden, LIKE_SNARKJS);

	expect_text(text, (const char *)b.data, b.bytes);
	free(text);
	blob_free(&b);
	json_decref(golden);
}

TEST(golden_proofs_and_publics)
{
	json_t *golden = load_golden(GOLDEN "golden.json"), *list, *item;
	const char *name;
	unsigned int nr = 0;
	size_t i;

	json_object_foreach(golden, name, list)
	{
		json_array_foreach(list, i, item)
		{
			expect_golden_proof(json_object_get(item, "proof"),
					    curve_of(name));
			expect_golden_public(
				json_object_get(item, "publicSignals"),
				curve_of(name));
			nr++;
		}
	}
	EXPECT_EQ(24, nr);
	json_decref(golden);
}

/* The twelve coordinates of vk_alphabeta_12, which no reader gives. */
static void read_alphabeta(const json_t *vkey, size_t each, uint8_t *ret)
{
	const json_t *value = json_object_get(vkey, "vk_alphabeta_12"), *item;
	size_t i;

	for (i = 0; i < 12; i++) {
		item = json_array_get(value, i / 6);
		item = json_array_get(item, i / 2 % 3);
		item = json_array_get(item, i % 2);
		EXPECT_EQ(LULL_OK, lull_decimal_read(json_string_value(item),
						     json_string_length(item),
						     ret + i * each, each));
	}
}

static void expect_golden_vkey(const char *name)
{
	uint8_t alphabeta[12 * LULL_FP_BYTES_MAX];
	struct lull_json_vkey vkey;
	struct lull_error err;
	json_t *json;
	char path[128], *want;
	static char buf[8192];
	size_t bytes;

	snprintf(path, sizeof(path), GOLDEN "%s.vkey.json", name);
	memset(&vkey, POISON, sizeof(vkey));
	if (lull_json_read_vkey(path, test_arena(), &vkey, &err)) {
		TEST_FAIL_("%s", err.msg);
		return;
	}
	EXPECT_EQ(curve_of(name), vkey.curve);
	json = load_golden(path);
	EXPECT_EQ(json_integer_value(json_object_get(json, "nPublic")),
		  vkey.nr_public);
	read_alphabeta(json, lull_curve_facts(vkey.curve)->fp_bytes, alphabeta);
	want = dump(json, LIKE_SNARKJS);
	bytes = lull_json_write_vkey(&vkey, alphabeta, NULL, 0);
	EXPECT_EQ(bytes,
		  lull_json_write_vkey(&vkey, alphabeta, buf, sizeof(buf)));
	expect_text(want, buf, bytes);
	free(want);
	json_decref(json);
	lull_json_vkey_done(&vkey);
	EXPECT_TRUE(!vkey.ic);
	lull_json_vkey_done(&vkey);
}

TEST(golden_vkeys)
{
	static const char *const names[] = {
		"bn128-mul2",	      "bn128-edge-nopub",   "bn128-edge-linear",
		"bn128-poseidon2",    "bn128-chain1000",    "bls12381-mul2",
		"bls12381-chain1000", "bls12381-poseidon2",
	};
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(names); i++)
		expect_golden_vkey(names[i]);
}

TEST(short_buffers)
{
	static const uint8_t values[2 * LULL_FR_BYTES] = { [0] = 7, [32] = 8 };
	static const char want[] = "[\n \"7\",\n \"8\"\n]";
	char buf[sizeof(want)];
	size_t room;

	for (room = 0; room < sizeof(want); room++) {
		memset(buf, POISON, sizeof(buf));
		EXPECT_EQ(sizeof(want) - 1,
			  lull_json_write_public(values, 2, buf, room));
		EXPECT_MEMEQ(want, buf, room);
		EXPECT_TRUE(untouched(buf + room, sizeof(buf) - room));
	}
	EXPECT_EQ(2, lull_json_write_public(NULL, 0, buf, sizeof(buf)));
	EXPECT_MEMEQ("[]", buf, 2);
}

#define G1_INFINITY "[\"0\",\"1\",\"0\"]"
#define G2_INFINITY "[[\"0\",\"0\"],[\"1\",\"0\"],[\"0\",\"0\"]]"

TEST(infinity)
{
	static const char text[] =
		"{\"pi_a\":" G1_INFINITY ",\"pi_b\":" G2_INFINITY
		",\"pi_c\":" G1_INFINITY
		",\"protocol\":\"groth16\",\"curve\":\"bls12381\"}";
	static const uint8_t zero[LULL_JSON_G2_BYTES_MAX];
	struct lull_json_proof proof;
	json_t *json = json_loads(text, 0, NULL);
	char *want = dump(json, LIKE_SNARKJS);

	memset(&proof, POISON, sizeof(proof));
	ASSERT_EQ(LULL_OK,
		  lull_json_read_proof_mem(text, sizeof(text) - 1, "p",
					   LULL_CURVE_BLS12_381, &proof, NULL));
	EXPECT_MEMEQ(zero, proof.a, sizeof(proof.a));
	EXPECT_MEMEQ(zero, proof.b, sizeof(proof.b));
	EXPECT_MEMEQ(zero, proof.c, sizeof(proof.c));
	expect_proof_round_trip(text, LULL_CURVE_BLS12_381, want);
	free(want);
	json_decref(json);
}

TEST(coordinates_are_packed)
{
	static const char text[] =
		"{\"pi_a\":[\"1\",\"2\",\"1\"],\"pi_b\":[[\"3\",\"4\"],[\"5\","
		"\"6\"],[\"1\",\"0\"]],\"pi_c\":[\"7\",\"8\",\"1\"],"
		"\"protocol\":\"groth16\"}";
	struct lull_json_proof proof;
	unsigned int i;

	ASSERT_EQ(LULL_OK,
		  lull_json_read_proof_mem(text, sizeof(text) - 1, "p",
					   LULL_CURVE_BN254, &proof, NULL));
	EXPECT_EQ(1, proof.a[0]);
	EXPECT_EQ(2, proof.a[32]);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(3 + i, proof.b[32 * i]);
	EXPECT_EQ(7, proof.c[0]);
	EXPECT_EQ(8, proof.c[32]);
	EXPECT_EQ(0, proof.c[64]);
}

static void expect_proof_refused(const char *text, int code, const char *msg)
{
	struct lull_json_proof proof;
	struct lull_error err;
	struct blob b = blob_copy(text, strlen(text));

	memset(&proof, POISON, sizeof(proof));
	EXPECT_EQ(code,
		  lull_json_read_proof_mem(b.data, b.bytes, "p",
					   LULL_CURVE_BN254, &proof, &err));
	EXPECT_STREQ(msg, err.msg);
	EXPECT_EQ(code, err.code);
	EXPECT_TRUE(untouched(&proof, sizeof(proof)));
	blob_free(&b);
}

#define A "[\"1\",\"2\",\"1\"]"
#define B "[[\"1\",\"2\"],[\"3\",\"4\"],[\"1\",\"0\"]]"
#define Q                                                                      \
	"21888242871839275222246405745257275088696311157297823662689037894645" \
	"2"                                                                    \
	"26208583"
#define R                                                                      \
	"21888242871839275222246405745257275088548364400416034343698204186575" \
	"8"                                                                    \
	"08495617"
#define PROOF(a, b, c, more)                                                   \
	"{\"pi_a\":" a ",\"pi_b\":" b ",\"pi_c\":" c "," more "}"
#define GROTH16 "\"protocol\":\"groth16\""

TEST(coordinates_refused)
{
	expect_proof_refused(PROOF("[\"" Q "\",\"2\",\"1\"]", B, A, GROTH16),
			     LULL_RANGE,
			     "p: pi_a[0]: expected below q of BN254, found "
			     "\"21888242871839275222...\"");
	expect_proof_refused(
		PROOF(A, "[[\"1\",\"2\"],[\"3\",\"9" Q "\"],[\"1\",\"0\"]]", A,
		      GROTH16),
		LULL_RANGE,
		"p: pi_b[1][1]: expected below q of BN254, found "
		"\"92188824287183927522...\"");
	expect_proof_refused(PROOF("[1,\"2\",\"1\"]", B, A, GROTH16),
			     LULL_FORMAT,
			     "p: pi_a[0]: expected a string, found a number");
	expect_proof_refused(PROOF("[\"01\",\"2\",\"1\"]", B, A, GROTH16),
			     LULL_FORMAT,
			     "p: pi_a[0]: expected a decimal number in its "
			     "shortest form, found \"01\"");
	expect_proof_refused(PROOF("[\"1\",\"-2\",\"1\"]", B, A, GROTH16),
			     LULL_FORMAT,
			     "p: pi_a[1]: expected a decimal number in its "
			     "shortest form, found \"-2\"");
	expect_proof_refused(PROOF("[\"1\",\"0x2\\n\",\"1\"]", B, A, GROTH16),
			     LULL_FORMAT,
			     "p: pi_a[1]: expected a decimal number in its "
			     "shortest form, found \"0x2?\"");
	expect_proof_refused(PROOF(A, B, "[\"\",\"2\",\"1\"]", GROTH16),
			     LULL_FORMAT,
			     "p: pi_c[0]: expected a decimal number in its "
			     "shortest form, found \"\"");
}

TEST(points_refused)
{
	expect_proof_refused(PROOF("[\"1\",\"2\",\"2\"]", B, A, GROTH16),
			     LULL_FORMAT,
			     "p: pi_a[2]: expected \"1\", the affine form");
	expect_proof_refused(PROOF("[\"1\",\"2\",\"0\"]", B, A, GROTH16),
			     LULL_FORMAT,
			     "p: pi_a[2]: expected \"1\", the affine form");
	expect_proof_refused(PROOF("[\"0\",\"2\",\"0\"]", B, A, GROTH16),
			     LULL_FORMAT,
			     "p: pi_a[2]: expected \"1\", the affine form");
	expect_proof_refused(PROOF("[\"0\",\"0\",\"1\"]", B, A, GROTH16),
			     LULL_RANGE, "p: pi_a: not a point of the curve");
	expect_proof_refused(PROOF(A,
				   "[[\"0\",\"0\"],[\"0\",\"0\"],[\"1\","
				   "\"0\"]]",
				   A, GROTH16),
			     LULL_RANGE, "p: pi_b: not a point of the curve");
	expect_proof_refused(PROOF(A,
				   "[[\"1\",\"2\"],[\"3\",\"4\"],[\"1\","
				   "\"1\"]]",
				   A, GROTH16),
			     LULL_FORMAT,
			     "p: pi_b[2]: expected [\"1\", \"0\"], the affine "
			     "form");
	expect_proof_refused(PROOF("[\"1\",\"2\"]", B, A, GROTH16), LULL_FORMAT,
			     "p: pi_a: expected 3 items, found 2");
	expect_proof_refused(PROOF("{}", B, A, GROTH16), LULL_FORMAT,
			     "p: pi_a: expected an array, found an object");
	expect_proof_refused(PROOF(A, A, A, GROTH16), LULL_FORMAT,
			     "p: pi_b[0]: expected an array, found a string");
	expect_proof_refused(
		PROOF(A, "[[\"1\"],[\"3\",\"4\"],[\"1\",\"0\"]]", A, GROTH16),
		LULL_FORMAT, "p: pi_b[0]: expected 2 items, found 1");
	expect_proof_refused(PROOF(A, B, "null", GROTH16), LULL_FORMAT,
			     "p: pi_c: expected an array, found null");
}

TEST(members_refused)
{
	expect_proof_refused(PROOF(A, B, A, "\"protocol\":\"plonk\""),
			     LULL_UNSUPPORTED,
			     "p: protocol: expected \"groth16\", found "
			     "\"plonk\"");
	expect_proof_refused(PROOF(A, B, A, "\"curve\":\"bn128\""), LULL_FORMAT,
			     "p: protocol: expected a string, found nothing");
	expect_proof_refused(PROOF(A, B, A, GROTH16 ",\"curve\":\"bls12381\""),
			     LULL_MISMATCH,
			     "p: curve: expected that of the key, BN254, found "
			     "BLS12-381");
	expect_proof_refused(PROOF(A, B, A, GROTH16 ",\"curve\":\"pallas\""),
			     LULL_UNSUPPORTED,
			     "p: curve: expected \"bn128\" or \"bls12381\", "
			     "found \"pallas\"");
	expect_proof_refused(PROOF(A, B, A, GROTH16 ",\"curve\":1"),
			     LULL_FORMAT,
			     "p: curve: expected a string, found a number");
	expect_proof_refused("{\"pi_a\":" A ",\"pi_b\":" B "," GROTH16 "}",
			     LULL_FORMAT,
			     "p: pi_c: expected an array, found nothing");
	expect_proof_refused(PROOF(A, B, A, GROTH16 ",\"pi_a\":" A),
			     LULL_FORMAT,
			     "p: line 1, column 109: duplicate object key near "
			     "'\"pi_a\"'");
	expect_proof_refused("[]", LULL_FORMAT,
			     "p: top level: expected an object, found an "
			     "array");
}

TEST(syntax_refused)
{
	struct lull_json_proof proof;
	struct lull_error err;

	expect_proof_refused("", LULL_FORMAT, "p: empty file");
	expect_proof_refused("zkey", LULL_FORMAT,
			     "p: line 1, column 4: '[' or '{' expected near "
			     "'zkey'");
	expect_proof_refused(PROOF(A, B, A, GROTH16) "\n\n}", LULL_FORMAT,
			     "p: line 3, column 1: end of file expected near "
			     "'}'");
	expect_proof_refused("{\"pi_a\":", LULL_FORMAT,
			     "p: line 1, column 8: unexpected token near end "
			     "of file");
	expect_proof_refused("{\"a\":\"\xff\"}", LULL_FORMAT,
			     "p: line 1, column 6: unable to decode byte "
			     "0xff near '\"'");
	/* A NUL behind the text, as some writers leave it. */
	EXPECT_EQ(LULL_FORMAT,
		  lull_json_read_proof_mem("{}", 3, "p", LULL_CURVE_BN254,
					   &proof, &err));
	EXPECT_EQ(LULL_USAGE,
		  lull_json_read_proof_mem("{}", 2, "p", 0, &proof, &err));
	EXPECT_STREQ("no curve has number 0", err.msg);
}

TEST(truncated_at_every_byte)
{
	static const char text[] = PROOF(A, B, A, GROTH16);
	struct lull_json_proof proof;
	struct lull_error err;
	struct blob b;
	size_t bytes;

	for (bytes = 0; bytes < sizeof(text) - 1; bytes++) {
		b = blob_copy(text, bytes);
		EXPECT_EQ(LULL_FORMAT, lull_json_read_proof_mem(
					       b.data, b.bytes, "p",
					       LULL_CURVE_BN254, &proof, &err));
		blob_free(&b);
	}
	EXPECT_EQ(LULL_OK,
		  lull_json_read_proof_mem(text, bytes, "p", LULL_CURVE_BN254,
					   &proof, &err));
}

static void expect_public_refused(const char *text, int code, const char *msg)
{
	struct lull_json_public public;
	struct lull_error err;

	memset(&public, POISON, sizeof(public));
	EXPECT_EQ(code, lull_json_read_public_mem(text, strlen(text), "p",
						  LULL_CURVE_BN254,
						  test_arena(), &public, &err));
	EXPECT_STREQ(msg, err.msg);
	EXPECT_TRUE(untouched(&public, sizeof(public)));
}

TEST(publics_refused)
{
	expect_public_refused("[\"1\",\"" R "\"]", LULL_RANGE,
			      "p: [1]: expected below r of BN254, found "
			      "\"21888242871839275222...\"");
	expect_public_refused("[\"1\",2]", LULL_FORMAT,
			      "p: [1]: expected a string, found a number");
	expect_public_refused("[true]", LULL_FORMAT,
			      "p: [0]: expected a string, found a boolean");
	expect_public_refused("{}", LULL_FORMAT,
			      "p: top level: expected an array, found an "
			      "object");
	expect_public_refused("[\"1\",]", LULL_FORMAT,
			      "p: line 1, column 6: unexpected token near "
			      "']'");
	expect_public_refused("\"1\"", LULL_FORMAT,
			      "p: line 1, column 3: '[' or '{' expected near "
			      "'\"1\"'");
}

static void expect_vkey_refused(const char *text, int code, const char *msg)
{
	struct lull_json_vkey vkey;
	struct lull_error err;

	memset(&vkey, POISON, sizeof(vkey));
	EXPECT_EQ(code, lull_json_read_vkey_mem(text, strlen(text), "v",
						test_arena(), &vkey, &err));
	EXPECT_STREQ(msg, err.msg);
	EXPECT_TRUE(untouched(&vkey, sizeof(vkey)));
}

#define VKEY(curve, nr, beta, ic)                                              \
	"{" GROTH16 ",\"curve\":" curve ",\"nPublic\":" nr                     \
	",\"vk_alpha_1\":" A ",\"vk_beta_2\":" beta ",\"vk_gamma_2\":" B       \
	",\"vk_delta_2\":" B ",\"IC\":[" ic "]}"

TEST(vkeys_refused)
{
	expect_vkey_refused(VKEY("\"bn128\"", "1", B, A), LULL_FORMAT,
			    "v: IC: expected 2 items, found 1");
	expect_vkey_refused(VKEY("\"bn128\"", "0", B, A "," A), LULL_FORMAT,
			    "v: IC: expected 1 items, found 2");
	expect_vkey_refused(VKEY("\"bn128\"", "1", B, A ",[]"), LULL_FORMAT,
			    "v: IC[1]: expected 3 items, found 0");
	expect_vkey_refused(VKEY("\"bn128\"", "0", A, A), LULL_FORMAT,
			    "v: vk_beta_2[0]: expected an array, found a "
			    "string");
	expect_vkey_refused(VKEY("\"bn128\"", "-1", B, A), LULL_RANGE,
			    "v: nPublic: expected below 4294967295, found -1");
	expect_vkey_refused(VKEY("\"bn128\"", "4294967295", B, A), LULL_RANGE,
			    "v: nPublic: expected below 4294967295, found "
			    "4294967295");
	expect_vkey_refused(VKEY("\"bn128\"", "4294967294", B, A), LULL_FORMAT,
			    "v: IC: expected 4294967295 items, found 1");
	expect_vkey_refused(VKEY("\"bn128\"", "\"0\"", B, A), LULL_FORMAT,
			    "v: nPublic: expected an integer, found a string");
	expect_vkey_refused(VKEY("\"bn128\"", "0.0", B, A), LULL_FORMAT,
			    "v: nPublic: expected an integer, found a number");
	expect_vkey_refused(VKEY("\"bw6761\"", "0", B, A), LULL_UNSUPPORTED,
			    "v: curve: expected \"bn128\" or \"bls12381\", "
			    "found \"bw6761\"");
	expect_vkey_refused(VKEY("null", "0", B, A), LULL_FORMAT,
			    "v: curve: expected a string, found null");
	expect_vkey_refused("{" GROTH16 "}", LULL_FORMAT,
			    "v: curve: expected a string, found nothing");
}

TEST(curve_names)
{
	/* What snarkjs takes; it ignores case and punctuation. */
	static const struct {
		const char *text;
		enum lull_curve curve;
	} names[] = {
		{ VKEY("\"bn128\"", "0", B, A), LULL_CURVE_BN254 },
		{ VKEY("\"BN254\"", "0", B, A), LULL_CURVE_BN254 },
		{ VKEY("\"alt-bn128\"", "0", B, A), LULL_CURVE_BN254 },
		{ VKEY("\"bls12-381\"", "0", B, A), LULL_CURVE_BLS12_381 },
		{ VKEY("\"BLS12381\"", "0", B, A), LULL_CURVE_BLS12_381 },
	};
	struct lull_json_vkey vkey;
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(names); i++) {
		ASSERT_EQ(LULL_OK, lull_json_read_vkey_mem(
					   names[i].text, strlen(names[i].text),
					   "v", test_arena(), &vkey, NULL));
		EXPECT_EQ(names[i].curve, vkey.curve);
		lull_json_vkey_done(&vkey);
	}
	expect_vkey_refused(VKEY("\"bn1281234567890123456789012\"", "0", B, A),
			    LULL_UNSUPPORTED,
			    "v: curve: expected \"bn128\" or \"bls12381\", "
			    "found \"bn128123456789012345...\"");
}

TEST(files)
{
	struct lull_json_public public;
	struct lull_json_proof proof;
	struct lull_json_vkey vkey;
	struct lull_error err;

	EXPECT_EQ(LULL_IO, lull_json_read_public("none.json", LULL_CURVE_BN254,
						 test_arena(), &public, &err));
	EXPECT_STREQ("none.json: No such file or directory", err.msg);
	EXPECT_EQ(LULL_FORMAT,
		  lull_json_read_public(GOLDEN "golden.json", LULL_CURVE_BN254,
					test_arena(), &public, &err));
	EXPECT_EQ(LULL_FORMAT,
		  lull_json_read_proof(GOLDEN "bn128-mul2.vkey.json",
				       LULL_CURVE_BN254, &proof, &err));
	EXPECT_STREQ(GOLDEN "bn128-mul2.vkey.json: pi_a: expected an array, "
			    "found nothing",
		     err.msg);
	EXPECT_EQ(LULL_FORMAT, lull_json_read_vkey(GOLDEN "bn128-mul2.zkey",
						   test_arena(), &vkey, &err));
}

/* A file that is all hole: nothing of it is read, or this takes a gigabyte. */
TEST(a_file_that_is_too_large)
{
	char path[] = "/tmp/lull-selftest-XXXXXX", want[128];
	const off_t bytes = ((off_t)1 << 30) + 1;
	struct lull_json_proof proof;
	struct rlimit before, none;
	struct lull_error err;
	int fd = mkstemp(path);

	ASSERT_TRUE(fd >= 0 && !ftruncate(fd, bytes));
	/* Memory that may not be touched is not counted as data. */
	ASSERT_EQ(0, getrlimit(RLIMIT_DATA, &before));
	none = before;
	none.rlim_cur = (rlim_t)1 << 29;
	if (!test_sanitized())
		ASSERT_EQ(0, setrlimit(RLIMIT_DATA, &none));
	EXPECT_EQ(LULL_FORMAT,
		  lull_json_read_proof(path, LULL_CURVE_BN254, &proof, &err));
	ASSERT_EQ(0, setrlimit(RLIMIT_DATA, &before));
	snprintf(want, sizeof(want),
		 "%s: expected JSON of at most 1073741824 bytes, found %lld",
		 path, (long long)bytes);
	EXPECT_STREQ(want, err.msg);
	close(fd);
	unlink(path);
}

#endif

TEST_MAIN
