// SPDX-License-Identifier: Apache-2.0
/*
 * bellman_assigned.c - proofs from evaluations and assignments
 *
 * The same key as a .zkey and as parameters gives the same proof; a key made
 * from bellman's definition gives proofs that verify; each refusal alone.
 */
#include "params.h"

#include "input/bellman.h"
#include "prove/bellman.h"

#define POSEIDON "bls12381-poseidon2"
#define PROOF_BYTES LULL_BELLMAN_PROOF_BYTES

static struct lull_ctx *ctx;
static const char *ctx_backend;
static struct assignment poseidon; /* rows in the order of the parameters */
static struct lull_key *poseidon_key;

static struct lull_key *open_converted(const char *zkey_path)
{
	struct lull_key *zkey = NULL, *key = NULL;
	struct lull_error error = { 0 };
	char path[PATH_BYTES];

	scratch_path(path, "converted.params");
	if (lull_key_open(ctx, zkey_path, &zkey, &error) ||
	    lull_key_bellman_write(zkey, path, &error) ||
	    lull_key_open_bellman(ctx, path, &key, &error)) {
		printf("Bail out! %s\n", error.msg);
		exit(1);
	}
	lull_key_close(zkey);
	return key;
}

static void tear_down(void)
{
	if (!ctx)
		return;
	free_assignment(&poseidon);
	lull_key_close(poseidon_key);
	lull_ctx_destroy(ctx);
	ctx = NULL;
}

/* False, and the test is skipped, where this host has no such backend. */
static bool set_up_on(const char *backend)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .nr_threads = 3,
					    .backend = backend };
	static char reason[300];
	struct lull_error error;

	if (ctx && !strcmp(ctx_backend, backend))
		return true;
	tear_down();
	if (lull_ctx_create(&opts, &ctx, &error)) {
		/* With a GPU in the machine this must not be skipped over. */
		if (error.code != LULL_UNSUPPORTED)
			TEST_FAIL_("%s", error.msg);
		snprintf(reason, sizeof(reason), "%s", error.msg);
		test_skipped = reason;
		return false;
	}
	ctx_backend = backend;
	poseidon_key = open_converted(GOLDEN POSEIDON ".zkey");
	read_assignment(&poseidon, GOLDEN POSEIDON ".r1cs",
			GOLDEN POSEIDON ".wtns");
	order_as_converted(&poseidon);
	return true;
}

static void set_up(void)
{
	set_up_on("cpu");
}

/* ---- the same key twice ------------------------------------------------ */

/* snarkjs's proofs, from a key without its circuit. */
static void prove_as_snarkjs(void)
{
	struct lull_error error = { 0 };
	struct lull_proof *proof;
	char text[TEXT_BYTES];
	struct fr r, s;
	unsigned int i, nr_proofs = 0;

	for (i = 0; i < 3; i++) {
		struct golden g = golden_load(POSEIDON, i);
		struct lull_assignment in = poseidon.in;

		fr_load(&r, g.r);
		fr_load(&s, g.s);
		in.r = &r;
		in.s = &s;
		/* The golden pairs begin with two zeros, which hide nothing. */
		if (fr_is_zero(&r) && fr_is_zero(&s)) {
			EXPECT_EQ(LULL_USAGE,
				  lull_prove_assigned(ctx, poseidon_key, &in,
						      NULL, &proof, &error));
			golden_free(&g);
			continue;
		}
		proof = NULL;
		nr_proofs++;
		EXPECT_EQ(LULL_OK, lull_prove_assigned(ctx, poseidon_key, &in,
						       NULL, &proof, &error));
		if (!proof)
			TEST_FAIL_("%s", error.msg);
		ASSERT_TRUE(proof != NULL);
		lull_proof_json(proof, text, sizeof(text));
		EXPECT_STREQ(g.proof, text);
		lull_public_json(proof, text, sizeof(text));
		EXPECT_STREQ(g.publics, text);
		lull_proof_free(proof);
		golden_free(&g);
	}
	EXPECT_EQ(2, nr_proofs);
}

TEST(proofs_as_snarkjs_makes_them)
{
	set_up();
	prove_as_snarkjs();
}

TEST(gpu_proofs_as_snarkjs_makes_them)
{
	if (set_up_on("cuda"))
		prove_as_snarkjs();
}

/* One toxic key both ways: equal r and s give equal bytes. */
static void both_ways(const char *shape, unsigned int log2_n)
{
	char r1cs[PATH_BYTES], wtns_path[PATH_BYTES], zkey_path[PATH_BYTES];
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
	uint8_t want[PROOF_BYTES], got[PROOF_BYTES];
	struct lull_key *key, *zkey = NULL;
	struct lull_wtns *wtns = NULL;
	struct lull_proof *proof = NULL;
	struct assignment t;
	struct fr rm, sm;

	ASSERT_TRUE(make_circuit(shape, "bls12381", log2_n, r1cs, wtns_path));
	scratch_path(zkey_path, "toxic.zkey");
	ASSERT_EQ(LULL_OK, lull_key_generate_toxic(ctx, r1cs, zkey_path, NULL));
	ASSERT_EQ(LULL_OK, lull_key_open(ctx, zkey_path, &zkey, NULL));
	ASSERT_EQ(LULL_OK, lull_wtns_open(ctx, wtns_path, &wtns, NULL));
	key = open_converted(zkey_path);
	read_assignment(&t, r1cs, wtns_path);
	order_as_converted(&t);
	plain_scalar(r, log2_n);
	plain_scalar(s, log2_n + 100);
	ASSERT_EQ(LULL_OK, lull_prove_blinded(ctx, zkey, wtns, NULL, r, s,
					      &proof, NULL));
	ASSERT_EQ(LULL_OK, lull_proof_bellman(proof, want, NULL));
	lull_proof_free(proof);
	fr_load(&rm, r);
	fr_load(&sm, s);
	t.in.r = &rm;
	t.in.s = &sm;
	ASSERT_EQ(LULL_OK,
		  lull_prove_assigned(ctx, key, &t.in, NULL, &proof, NULL));
	ASSERT_EQ(LULL_OK, lull_proof_bellman(proof, got, NULL));
	EXPECT_MEMEQ(want, got, sizeof(want));
	EXPECT_EQ(t.nr_inputs - 1, proof->nr_public);
	lull_proof_free(proof);
	free_assignment(&t);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_key_close(zkey);
}

static void all_both_ways(void)
{
	unsigned int log2_n;

	for (log2_n = 2; log2_n <= 8; log2_n++)
		both_ways("dense", log2_n);
	both_ways("sha", 7);
	both_ways("sha", 10);
	both_ways("edge-nopub", 4);
	both_ways("edge-linear", 6);
}

TEST(toxic_keys_both_ways)
{
	set_up();
	all_both_ways();
}

TEST(gpu_toxic_keys_both_ways)
{
	if (set_up_on("cuda"))
		all_both_ways();
}

/* ---- by bellman's definition ------------------------------------------- */

/* Fresh proofs, checked together under the key's own verifying key. */
static void prove_and_verify(const struct blob *file, const char *r1cs,
			     const char *wtns)
{
	enum { NR = 3 };
	uint8_t proofs[NR * PROOF_BYTES], publics[NR * LULL_FR_BYTES];
	struct lull_error error = { 0 };
	struct lull_proof *proof = NULL;
	struct lull_vkey *vkey = NULL;
	struct lull_key *key = NULL;
	struct assignment t;
	size_t i;
	int err;

	read_assignment(&t, r1cs, wtns);
	ASSERT_EQ(LULL_OK, lull_key_open_bellman_mem(ctx, file->data,
						     file->bytes, &key, NULL));
	ASSERT_EQ(LULL_OK, lull_key_check(key, NULL));
	ASSERT_EQ(LULL_OK, lull_vkey_open_bellman_mem(file->data, file->bytes,
						      &vkey, NULL));
	ASSERT_TRUE(lull_vkey_nr_public(vkey) <= 1);
	for (i = 0; i < NR; i++) {
		err = lull_prove_assigned(ctx, key, &t.in, NULL, &proof,
					  &error);
		if (err)
			TEST_FAIL_("%s", error.msg);
		ASSERT_EQ(LULL_OK, err);
		EXPECT_EQ(LULL_OK,
			  lull_proof_bellman(proof, proofs + i * PROOF_BYTES,
					     NULL));
		if (proof->nr_public)
			memcpy(publics + i * LULL_FR_BYTES, proof->publics.ptr,
			       proof->publics.bytes);
		lull_proof_free(proof);
	}
	EXPECT_TRUE(memcmp(proofs, proofs + PROOF_BYTES, 48));
	EXPECT_TRUE(memcmp(proofs + 48, proofs + PROOF_BYTES + 48, 96));
	EXPECT_EQ(LULL_OK, lull_vkey_verify(vkey, proofs, publics, NR, &error));
	lull_vkey_close(vkey);
	lull_key_close(key);
	free_assignment(&t);
}

static void prove_by_definition(void)
{
	static const char *const shapes[] = { "dense", "sha", "edge-nopub",
					      "edge-linear" };
	char r1cs[PATH_BYTES], wtns[PATH_BYTES];
	struct made m;
	unsigned int i, log2_n;

	for (i = 0; i < LULL_ARRAY_SIZE(shapes); i++) {
		for (log2_n = 4; log2_n <= 6; log2_n++) {
			ASSERT_TRUE(make_circuit(shapes[i], "bls12381", log2_n,
						 r1cs, wtns));
			make_key(&m, r1cs);
			prove_and_verify(&m.file, r1cs, wtns);
			blob_free(&m.file);
		}
	}
	make_key(&m, GOLDEN POSEIDON ".r1cs");
	prove_and_verify(&m.file, GOLDEN POSEIDON ".r1cs",
			 GOLDEN POSEIDON ".wtns");
	blob_free(&m.file);
}

TEST(keys_by_bellmans_definition)
{
	set_up();
	prove_by_definition();
}

TEST(gpu_keys_by_bellmans_definition)
{
	if (set_up_on("cuda"))
		prove_by_definition();
}

/* ---- refusals ---------------------------------------------------------- */

static void expect_refused(const struct lull_assignment *in, int code,
			   const char *msg)
{
	struct lull_proof *proof = NULL;
	struct lull_error error = { 0 };

	EXPECT_EQ(code, lull_prove_assigned(ctx, poseidon_key, in, NULL, &proof,
					    &error));
	EXPECT_TRUE(!proof);
	if (!strstr(error.msg, msg))
		TEST_FAIL_("expected %s, found %s", msg, error.msg);
}

TEST(calls_that_are_wrong)
{
	struct lull_prove_opts opts = { .size = 1 };
	struct lull_proof *proof = NULL;
	struct lull_error error = { 0 };
	struct lull_key *zkey = NULL;
	struct lull_assignment in;
	struct fr zero = fr_zero;

	set_up();
	in = poseidon.in;
	in.size = 8;
	expect_refused(&in, LULL_USAGE,
		       "struct lull_assignment: expected size");
	in = poseidon.in;
	in.c = NULL;
	expect_refused(&in, LULL_USAGE, "an array is missing");
	in = poseidon.in;
	in.r = &zero;
	expect_refused(&in, LULL_USAGE,
		       "expected both of r and s, or neither, found one");
	in.s = &zero;
	expect_refused(&in, LULL_USAGE,
		       "r and s are both zero: the proof would not hide the "
		       "witness");
	EXPECT_EQ(LULL_USAGE,
		  lull_prove_assigned(ctx, poseidon_key, &poseidon.in, &opts,
				      &proof, &error));
	ASSERT_EQ(LULL_OK,
		  lull_key_open(ctx, GOLDEN POSEIDON ".zkey", &zkey, NULL));
	EXPECT_EQ(LULL_USAGE, lull_prove_assigned(ctx, zkey, &poseidon.in, NULL,
						  &proof, &error));
	lull_key_close(zkey);
}

/* One of the two may be zero: the other still hides. */
TEST(one_zero_is_no_fault)
{
	struct lull_assignment in;
	struct lull_proof *proof = NULL;
	struct fr zero = fr_zero, seven;

	set_up();
	fr_from_u64(&seven, 7);
	in = poseidon.in;
	in.r = &zero;
	in.s = &seven;
	EXPECT_EQ(LULL_OK, lull_prove_assigned(ctx, poseidon_key, &in, NULL,
					       &proof, NULL));
	lull_proof_free(proof);
}

TEST(sizes_of_another_circuit)
{
	struct lull_assignment in;
	uint64_t *bits;

	set_up();
	in = poseidon.in;
	in.nr_inputs = 1;
	expect_refused(&in, LULL_MISMATCH,
		       "inputs, the constant one among them: the key expects "
		       "2, found 1");
	in = poseidon.in;
	in.nr_aux--;
	expect_refused(&in, LULL_MISMATCH,
		       "private variables: the key expects 518, found 517");
	in = poseidon.in;
	in.nr_rows = 512;
	expect_refused(&in, LULL_MISMATCH,
		       "rows: the key expects from 513 to 1024, found 512");
	in.nr_rows = 1025;
	expect_refused(&in, LULL_MISMATCH,
		       "rows: the key expects from 513 to 1024, found 1025");
	in = poseidon.in;
	bits = zeroed(16, sizeof(*bits));
	in.a_aux_density = bits;
	expect_refused(&in, LULL_MISMATCH,
		       "density of a: the key expects 245, found 2");
	in = poseidon.in;
	in.b_aux_density = bits;
	expect_refused(&in, LULL_MISMATCH,
		       "density of b: the key expects 162, found 0");
	free(bits);
}

/* As many bits as the key wants, but others: only the proof's check sees. */
TEST(densities_of_another_circuit)
{
	struct lull_assignment in;
	uint64_t bits[16];
	size_t i, set = 64;

	set_up();
	in = poseidon.in;
	memcpy(bits, poseidon.a_aux, poseidon.nr_aux / 8);
	for (i = 0; i < 512; i++) {
		if (poseidon.a_aux[i / 64] >> i % 64 & 1)
			set = i;
		else if (set < i)
			break;
	}
	ASSERT_TRUE(i < 512);
	bits[8] = poseidon.a_aux[8];
	bits[set / 64] ^= (uint64_t)1 << set % 64;
	bits[i / 64] ^= (uint64_t)1 << i % 64;
	in.a_aux_density = bits;
	expect_refused(&in, LULL_UNSATISFIED, "the proof does not verify");
}

/* What stands behind the last bit of a map is nobody's. */
TEST(bits_behind_the_last_are_ignored)
{
	struct lull_assignment in;
	struct lull_proof *proof = NULL;
	uint64_t bits[16];

	set_up();
	ASSERT_TRUE(poseidon.nr_aux % 64 != 0);
	memcpy(bits, poseidon.b_aux, (poseidon.nr_aux / 64 + 1) * 8);
	bits[poseidon.nr_aux / 64] |= ~(uint64_t)0 << poseidon.nr_aux % 64;
	in = poseidon.in;
	in.b_aux_density = bits;
	EXPECT_EQ(LULL_OK, lull_prove_assigned(ctx, poseidon_key, &in, NULL,
					       &proof, NULL));
	lull_proof_free(proof);
}

static void expect_value(struct fr *value, const struct fr *bad, int code,
			 const char *msg)
{
	struct fr was = *value;

	*value = *bad;
	expect_refused(&poseidon.in, code, msg);
	*value = was;
}

TEST(values_out_of_range)
{
	static const struct fr r = { CURVE_CONST(FR_P) };
	struct lull_assignment in;
	struct fr one = fr_one;

	set_up();
	expect_value(&poseidon.a[1000], &r, LULL_RANGE,
		     "a: value 1000: expected below r");
	expect_value(&poseidon.b[5], &r, LULL_RANGE,
		     "b: value 5: expected below r");
	expect_value(&poseidon.c[0], &r, LULL_RANGE,
		     "c: value 0: expected below r");
	expect_value(&poseidon.inputs[1], &r, LULL_RANGE,
		     "inputs: value 1: expected below r");
	expect_value(&poseidon.aux[517], &r, LULL_RANGE,
		     "aux: value 517: expected below r");
	expect_value(&poseidon.inputs[0], &fr_zero, LULL_RANGE,
		     "inputs: value 0: expected the constant one");
	in = poseidon.in;
	in.r = &one;
	in.s = &r;
	expect_refused(&in, LULL_RANGE, "s: value 0: expected below r");
	in.r = &r;
	in.s = &one;
	expect_refused(&in, LULL_RANGE, "r: value 0: expected below r");
}

TEST(rows_that_do_not_hold)
{
	struct fr other;

	set_up();
	fr_add(&other, &poseidon.c[77], &fr_one);
	expect_value(&poseidon.c[77], &other, LULL_UNSATISFIED,
		     "row 77 of 1024 does not hold: a b is not c");
	/* Rows hold, the assignment is another: the proof's check sees. */
	fr_add(&other, &poseidon.aux[3], &fr_one);
	expect_value(&poseidon.aux[3], &other, LULL_UNSATISFIED,
		     "the proof does not verify");
}

TEST_MAIN
