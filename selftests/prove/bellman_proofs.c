// SPDX-License-Identifier: Apache-2.0
/*
 * bellman_proofs.c - bellman's proofs: their bytes, and many checked together
 */
#include "prove.h"

#include <sys/resource.h>

/* The format is this curve's alone. */
#define LULL_CURVE bls12_381

#include "curve/pairing.h"
#include "prove/bellman.h"

#define NAME "bls12381-poseidon2"
#define PROOF_BYTES LULL_BELLMAN_PROOF_BYTES
#define NR 10
#define NO_EQUATION "the pairing equation does not hold"

static struct lull_vkey *vkey;
static uint8_t proofs[NR * PROOF_BYTES];
static uint8_t publics[NR * LULL_FR_BYTES];
static char vkey_path[PATH_BYTES];

/* Ten proofs of one circuit, each blinded afresh. */
static void set_up(void)
{
	struct lull_wtns *wtns = NULL;
	struct lull_proof *proof = NULL;
	struct lull_key *key = NULL;
	struct lull_ctx *ctx;
	size_t i;

	if (vkey)
		return;
	ctx = make_ctx(2);
	scratch_path(vkey_path, "k.vk");
	if (lull_key_open(ctx, GOLDEN NAME ".zkey", &key, NULL) ||
	    lull_wtns_open(ctx, GOLDEN NAME ".wtns", &wtns, NULL) ||
	    lull_key_bellman_vkey_write(key, vkey_path, NULL) ||
	    lull_vkey_open_bellman(vkey_path, &vkey, NULL)) {
		printf("Bail out! no verifying key\n");
		exit(1);
	}
	for (i = 0; i < NR; i++) {
		if (lull_prove(ctx, key, wtns, NULL, &proof, NULL) ||
		    lull_proof_bellman(proof, proofs + i * PROOF_BYTES, NULL)) {
			printf("Bail out! no proofs\n");
			exit(1);
		}
		memcpy(publics + i * LULL_FR_BYTES, proof->publics.ptr,
		       LULL_FR_BYTES);
		lull_proof_free(proof);
	}
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
}

/* ---- bytes ------------------------------------------------------------- */

/* The generators as the draft on pairing-friendly curves and zcash have them:
 * the first 16 bytes of each coordinate. */
static void plain_point(uint8_t *out, const void *point, unsigned int nr)
{
	memcpy(out, point, nr * sizeof(struct fp));
	lull_bellman_from_mont(out, nr);
}

static void expect_hex(const char *hex, const uint8_t *bytes, size_t nr)
{
	char text[2 * PROOF_BYTES + 1];
	size_t i;

	for (i = 0; i < nr; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	EXPECT_STREQ(hex, text);
}

TEST(generators_are_as_published)
{
	struct lull_json_proof proof = { .curve = LULL_CURVE_BLS12_381 };
	struct g1_affine minus;
	uint8_t out[PROOF_BYTES];

	g1_affine_neg(&minus, &g1_generator);
	plain_point(proof.a, &g1_generator, 2);
	plain_point(proof.b, &g2_generator, 4);
	plain_point(proof.c, &minus, 2);
	ASSERT_EQ(LULL_OK, lull_bellman_put_proof(&proof, out, NULL));
	expect_hex("97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905"
		   "a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
		   "93e02b6052719f607dacd3a088274f65596bd0d09920b61a"
		   "b5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
		   "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02"
		   "b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"
		   "b7f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905"
		   "a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb",
		   out, sizeof(out));
}

TEST(infinity_is_not_written)
{
	struct lull_json_proof proof = { .curve = LULL_CURVE_BLS12_381 };
	struct lull_error error = { 0 };
	uint8_t out[PROOF_BYTES], *points[] = { proof.a, proof.b, proof.c };
	unsigned int i;

	for (i = 0; i < LULL_ARRAY_SIZE(points); i++) {
		plain_point(proof.a, &g1_generator, 2);
		plain_point(proof.b, &g2_generator, 4);
		plain_point(proof.c, &g1_generator, 2);
		memset(points[i], 0, i == 1 ? 192 : 96);
		memset(out, POISON, sizeof(out));
		EXPECT_EQ(LULL_RANGE,
			  lull_bellman_put_proof(&proof, out, &error));
		EXPECT_TRUE(untouched(out, sizeof(out)));
	}
}

TEST(other_curves_have_no_such_bytes)
{
	struct lull_proof proof = { .points.curve = LULL_CURVE_BN254 };
	struct lull_error error = { 0 };
	uint8_t out[PROOF_BYTES];

	EXPECT_EQ(LULL_UNSUPPORTED, lull_proof_bellman(&proof, out, &error));
	EXPECT_STREQ("bellman's bytes: expected a proof of BLS12-381, found "
		     "one of BN254",
		     error.msg);
}

/* ---- one proof --------------------------------------------------------- */

static void expect_invalid(const uint8_t *bytes, size_t nr, const char *msg)
{
	struct lull_error error = { 0 };

	EXPECT_EQ(LULL_INVALID,
		  lull_vkey_verify(vkey, bytes, publics, nr, &error));
	EXPECT_STREQ(msg, error.msg);
}

/* One byte of the first proof changed. */
static void expect_byte(size_t at, uint8_t value, const char *msg)
{
	uint8_t bytes[PROOF_BYTES];

	memcpy(bytes, proofs, sizeof(bytes));
	bytes[at] = value;
	expect_invalid(bytes, 1, msg);
}

TEST(encodings_are_refused)
{
	static const struct {
		size_t at;
		char name;
	} points[] = { { 0, 'A' }, { 48, 'B' }, { 144, 'C' } };
	char msg[128];
	unsigned int i;

	set_up();
	for (i = 0; i < LULL_ARRAY_SIZE(points); i++) {
		size_t at = points[i].at;
		char name = points[i].name;

		snprintf(msg, sizeof(msg),
			 "partition 0 of 1: %c: expected a compressed point, "
			 "found the flag of an uncompressed one",
			 name);
		expect_byte(at, proofs[at] & 0x7f, msg);
		snprintf(msg, sizeof(msg),
			 "partition 0 of 1: %c: expected a point, found "
			 "infinity",
			 name);
		expect_byte(at, proofs[at] | 0x40, msg);
		snprintf(msg, sizeof(msg),
			 "partition 0 of 1: %c: expected coordinates below p, "
			 "found one that is not",
			 name);
		expect_byte(at, proofs[at] | 0x1f, msg);
		/* The other y: a point, but another one. */
		expect_byte(at, proofs[at] ^ 0x20,
			    "partition 0 of 1: " NO_EQUATION);
	}
	/* The second coordinate of B's x has no flags. */
	expect_byte(96, 0x1f,
		    "partition 0 of 1: B: expected coordinates below p, found "
		    "one that is not");
}

/* x of small numbers: on no point, or on one of another order. */
static void small_x(size_t at, uint64_t x, unsigned int nr_coords,
		    const char *msg)
{
	uint8_t bytes[PROOF_BYTES];
	size_t each = 48, low = at + nr_coords * each - 1;

	memcpy(bytes, proofs, sizeof(bytes));
	memset(bytes + at, 0, nr_coords * each);
	bytes[at] = 0x80;
	bytes[low] = (uint8_t)x;
	expect_invalid(bytes, 1, msg);
}

static bool on_g1(uint64_t x)
{
	static const struct fp b = { CURVE_CONST(G1_B) };
	struct fp v, t;

	fp_from_u64(&v, x);
	fp_sqr(&t, &v);
	fp_mul(&t, &t, &v);
	fp_add(&t, &t, &b);
	return fp_sqrt(&v, &t);
}

static bool on_g2(uint64_t x)
{
	static const struct fp2 b = CURVE_CONST(G2_B);
	struct fp2 v = { 0 }, t;

	fp_from_u64(&v.c0, x);
	fp2_sqr(&t, &v);
	fp2_mul(&t, &t, &v);
	fp2_add(&t, &t, &b);
	return fp2_sqrt(&v, &t);
}

#define OFF_CURVE "expected a point of the curve, found an x that none has"
#define OFF_SUBGROUP "expected a point of order r, found one of another order"

/* Cofactors are large: a small x is in no subgroup. */
TEST(points_off_curve_and_off_subgroup)
{
	unsigned int seen = 0;
	uint64_t x;

	set_up();
	for (x = 1; x < 20; x++) {
		bool on = on_g1(x);

		seen |= on ? 1 : 2;
		small_x(0, x, 1,
			on ? "partition 0 of 1: A: " OFF_SUBGROUP
			   : "partition 0 of 1: A: " OFF_CURVE);
		small_x(144, x, 1,
			on ? "partition 0 of 1: C: " OFF_SUBGROUP
			   : "partition 0 of 1: C: " OFF_CURVE);
		on = on_g2(x);
		seen |= on ? 4 : 8;
		small_x(48, x, 2,
			on ? "partition 0 of 1: B: " OFF_SUBGROUP
			   : "partition 0 of 1: B: " OFF_CURVE);
	}
	EXPECT_EQ(15, seen);
}

/* ---- many proofs ------------------------------------------------------- */

TEST(valid_together)
{
	size_t nr;

	set_up();
	EXPECT_EQ(1, lull_vkey_nr_public(vkey));
	for (nr = 1; nr <= NR; nr++)
		EXPECT_EQ(LULL_OK,
			  lull_vkey_verify(vkey, proofs, publics, nr, NULL));
	EXPECT_EQ(LULL_USAGE, lull_vkey_verify(vkey, proofs, publics, 0, NULL));
}

/* The A of one partition in another: points without fault. */
TEST(the_wrong_one_is_named)
{
	uint8_t bytes[sizeof(proofs)];
	char msg[128];
	size_t i;

	set_up();
	for (i = 0; i < NR; i++) {
		memcpy(bytes, proofs, sizeof(bytes));
		memcpy(bytes + i * PROOF_BYTES,
		       proofs + (i + 1) % NR * PROOF_BYTES, 48);
		snprintf(msg, sizeof(msg), "partition %zu of 10: " NO_EQUATION,
			 i);
		expect_invalid(bytes, NR, msg);
	}
}

/* Two faults that cancel where all factors are one: C_1 + d and C_4 - d. */
TEST(faults_that_cancel_are_found)
{
	uint8_t bytes[sizeof(proofs)];

	set_up();
	memcpy(bytes, proofs, sizeof(bytes));
	memcpy(bytes + PROOF_BYTES + 144, proofs + 4 * PROOF_BYTES + 144, 48);
	memcpy(bytes + 4 * PROOF_BYTES + 144, proofs + PROOF_BYTES + 144, 48);
	expect_invalid(bytes, NR,
		       "partition 1 of 10: " NO_EQUATION "; wrong as well: 4");
}

TEST(all_wrong_ones_are_named)
{
	uint8_t bytes[sizeof(proofs)];

	set_up();
	memcpy(bytes, proofs, sizeof(bytes));
	bytes[2 * PROOF_BYTES] ^= 0x80;
	bytes[5 * PROOF_BYTES + 48] |= 0x40;
	bytes[9 * PROOF_BYTES + 144] |= 0x1f;
	expect_invalid(bytes, NR,
		       "partition 2 of 10: A: expected a compressed point, "
		       "found the flag of an uncompressed one; wrong as well: "
		       "5, 9");
}

TEST(more_wrong_ones_than_a_message_holds)
{
	enum { MANY = 200 };
	static uint8_t bytes[MANY * PROOF_BYTES], x[MANY * LULL_FR_BYTES];
	struct lull_error error = { 0 };

	set_up();
	EXPECT_EQ(LULL_INVALID, lull_vkey_verify(vkey, bytes, x, MANY, &error));
	EXPECT_STREQ("partition 0 of 200: A: expected a compressed point, "
		     "found the flag of an uncompressed one; wrong as well: 1, "
		     "2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ...",
		     error.msg);
}

TEST(public_signals_are_each_partitions_own)
{
	uint8_t x[sizeof(publics)];
	struct lull_error error = { 0 };

	set_up();
	memcpy(x, publics, sizeof(x));
	x[3 * LULL_FR_BYTES] ^= 1;
	EXPECT_EQ(LULL_INVALID, lull_vkey_verify(vkey, proofs, x, NR, &error));
	EXPECT_STREQ("partition 3 of 10: " NO_EQUATION, error.msg);
	memset(x + 7 * LULL_FR_BYTES, 0xff, LULL_FR_BYTES);
	EXPECT_EQ(LULL_RANGE, lull_vkey_verify(vkey, proofs, x, NR, &error));
	EXPECT_STREQ("partition 7 of 10: public signal 0: expected below r",
		     error.msg);
}

/* ---- keys and files ---------------------------------------------------- */

TEST(verifying_keys_are_checked)
{
	struct blob b;
	struct lull_vkey *other = NULL;
	struct lull_error error = { 0 };

	set_up();
	b = blob_read(vkey_path);
	ASSERT_EQ(LULL_OK,
		  lull_vkey_open_bellman_mem(b.data, b.bytes, &other, NULL));
	EXPECT_EQ(LULL_OK, lull_vkey_verify(other, proofs, publics, NR, NULL));
	lull_vkey_close(other);
	lull_vkey_close(NULL);
	b.data[96] ^= 1;
	other = NULL;
	EXPECT_EQ(LULL_RANGE,
		  lull_vkey_open_bellman_mem(b.data, b.bytes, &other, &error));
	EXPECT_TRUE(!other);
	EXPECT_STREQ("verifying key: section beta_g1, offset 0x60: point 0: "
		     "expected a point of the curve, found one that is not on "
		     "it",
		     error.msg);
	blob_free(&b);
}

static void expect_files(int code, const char *publics_text, size_t nr_bytes,
			 const char *msg)
{
	char proof_path[PATH_BYTES], public_path[PATH_BYTES];
	struct blob b = { proofs, nr_bytes };
	struct lull_error error = { 0 };

	scratch_path(proof_path, "proof.bin");
	scratch_path(public_path, "public.json");
	blob_write(&b, proof_path);
	write_text(public_path, publics_text);
	EXPECT_EQ(code, lull_verify_bellman(vkey_path, public_path, proof_path,
					    &error));
	EXPECT_TRUE(strstr(error.msg, msg) != NULL);
}

TEST(files)
{
	struct golden g = golden_load(NAME, 0);
	char *value = strchr(g.publics, '"'), *end = strrchr(g.publics, '"');
	char two[512], three[512];

	set_up();
	end[1] = '\0';
	snprintf(two, sizeof(two), "[%s,%s]", value, value);
	snprintf(three, sizeof(three), "[%s,%s,%s]", value, value, value);
	expect_files(LULL_OK, two, 2 * PROOF_BYTES, "");
	expect_files(LULL_OK, three, 3 * PROOF_BYTES, "");
	expect_files(LULL_INVALID, two, 3 * PROOF_BYTES,
		     "3 partitions with 1 public signals each: expected 3, "
		     "found 2");
	expect_files(LULL_FORMAT, two, 2 * PROOF_BYTES - 1,
		     "proof.bin: expected 192 bytes for each partition, found "
		     "383 bytes in all");
	expect_files(LULL_INVALID, "[\"1\"]", PROOF_BYTES,
		     "partition 0 of 1: " NO_EQUATION);
	golden_free(&g);
}

/* The same key without its public signal: of its IC the first point is left. */
static void write_lone_vkey(char path[PATH_BYTES])
{
	enum { NR_IC_AT = 864, BYTES = NR_IC_AT + 4 + 96 };
	struct blob b = blob_read(vkey_path);

	ASSERT_EQ(BYTES + 96, b.bytes);
	ASSERT_EQ(2, b.data[NR_IC_AT + 3]);
	b.data[NR_IC_AT + 3] = 1;
	b.bytes = BYTES;
	scratch_path(path, "lone.vk");
	blob_write(&b, path);
	blob_free(&b);
}

/* Proofs that are all hole, of a key that expects no signals for them. */
static void expect_hole(int code, uint64_t nr_partitions, const char *msg)
{
	char lone[PATH_BYTES], proof_path[PATH_BYTES], public_path[PATH_BYTES];
	struct lull_error error = { 0 };

	write_lone_vkey(lone);
	scratch_path(proof_path, "hole.bin");
	scratch_path(public_path, "none.json");
	write_text(proof_path, "");
	write_text(public_path, "[]");
	ASSERT_EQ(0, truncate(proof_path,
			      (off_t)(nr_partitions * PROOF_BYTES)));
	EXPECT_EQ(code,
		  lull_verify_bellman(lone, public_path, proof_path, &error));
	if (!strstr(error.msg, msg))
		EXPECT_STREQ(msg, error.msg);
	unlink(proof_path);
}

/* Nothing of them is read, or the last one takes 192 GiB. */
TEST(too_many_partitions)
{
	struct rlimit before, little;

	set_up();
	expect_hole(LULL_INVALID, 65536,
		    "partition 0 of 65536: A: expected a compressed point");
	expect_hole(LULL_FORMAT, 65537,
		    "hole.bin: expected at most 12582912 bytes, of 65536 "
		    "partitions, found 12583104");
	/* Memory that may not be touched is not counted as data. */
	ASSERT_EQ(0, getrlimit(RLIMIT_DATA, &before));
	little = before;
	little.rlim_cur = (rlim_t)1 << 29;
	if (!test_sanitized())
		ASSERT_EQ(0, setrlimit(RLIMIT_DATA, &little));
	expect_hole(LULL_FORMAT, (uint64_t)1 << 30,
		    "hole.bin: expected at most 12582912 bytes, of 65536 "
		    "partitions, found 206158430208");
	ASSERT_EQ(0, setrlimit(RLIMIT_DATA, &before));
}

TEST_MAIN
