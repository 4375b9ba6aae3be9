// SPDX-License-Identifier: Apache-2.0
/*
 * proof.c - proofs in bellman's bytes, and beside them as JSON
 *
 *	proof DIRECTORY		write NUMBER.bin and NUMBER.json there
 *
 * for partitions.test, which knows the encoding from its definition.  Without
 * a directory, tests of what needs no second opinion.
 */
#include "prove/prove.h"

#include "lull_bellman.h"

#define NR_PROOFS 8

static void fill_random(uint8_t *point, size_t bytes)
{
	while (bytes--)
		*point++ = (uint8_t)test_random();
}

/* 1 is the smaller of 1 and q - 1, and of y in G2 c1 decides. */
TEST(the_larger_y_is_a_flag)
{
	const uint8_t *q = lull_curve_facts(LULL_CURVE_BLS12_381)->fp_prime;
	struct lull_proof proof = { .points.curve = LULL_CURVE_BLS12_381 };
	uint8_t bytes[LULL_BELLMAN_PROOF_BYTES];
	uint8_t *y = proof.points.a + 48, *y2 = proof.points.b + 96;

	y[0] = y2[0] = 1;
	proof.points.a[0] = proof.points.b[0] = proof.points.c[0] = 1;
	EXPECT_EQ(LULL_OK, lull_proof_bellman(&proof, bytes, NULL));
	EXPECT_EQ(0x80, bytes[0]);
	EXPECT_EQ(0x80, bytes[48]);
	/* q - 1, and c0 of q - 1 where c1 is 0. */
	memcpy(y, q, 48);
	memcpy(y2, q, 48);
	y[0]--, y2[0]--;
	EXPECT_EQ(LULL_OK, lull_proof_bellman(&proof, bytes, NULL));
	EXPECT_EQ(0xa0, bytes[0]);
	EXPECT_EQ(0xa0, bytes[48]);
	/* c1 is small: c0 does not matter. */
	y2[48] = 1;
	EXPECT_EQ(LULL_OK, lull_proof_bellman(&proof, bytes, NULL));
	EXPECT_EQ(0x80, bytes[48]);
}

TEST(other_curves_have_none)
{
	struct lull_proof proof = { .points.curve = LULL_CURVE_BN254 };
	uint8_t bytes[LULL_BELLMAN_PROOF_BYTES], was[sizeof(bytes)];
	struct lull_error error = { 0 };

	fill_random(bytes, sizeof(bytes));
	memcpy(was, bytes, sizeof(was));
	EXPECT_EQ(LULL_UNSUPPORTED,
		  lull_proof_bellman(&proof, bytes, &error));
	EXPECT_TRUE(strstr(error.msg, "found one of BN254"));
	EXPECT_MEMEQ(was, bytes, sizeof(was));
}

static void write_both(const struct lull_proof *proof, const char *directory,
		       unsigned int number)
{
	uint8_t bytes[LULL_BELLMAN_PROOF_BYTES];
	struct blob b = { bytes, sizeof(bytes) };
	char path[PATH_BYTES], text[TEXT_BYTES];

	snprintf(path, sizeof(path), "%s/%u.bin", directory, number);
	if (lull_proof_bellman(proof, bytes, NULL))
		exit(1);
	blob_write(&b, path);
	snprintf(path, sizeof(path), "%s/%u.json", directory, number);
	lull_proof_json(proof, text, sizeof(text));
	write_text(path, text);
}

static int write_proofs(const char *directory)
{
	struct lull_ctx *ctx = make_ctx(1);
	struct lull_proof *proof;
	struct lull_wtns *wtns;
	struct lull_key *key;
	char path[PATH_BYTES];
	unsigned int i;
	int err;

	golden_path(path, "bls12381-poseidon2", "zkey");
	err = lull_key_open(ctx, path, &key, NULL);
	golden_path(path, "bls12381-poseidon2", "wtns");
	if (err || lull_wtns_open(ctx, path, &wtns, NULL))
		return 1;
	for (i = 0; i < NR_PROOFS; i++) {
		if (lull_prove(ctx, key, wtns, NULL, &proof, NULL))
			return 1;
		write_both(proof, directory, i);
		lull_proof_free(proof);
	}
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? write_proofs(argv[1]) : test_main();
}
