// SPDX-License-Identifier: Apache-2.0
/*
 * convert.c - keys converted and folded prove as the keys they come from
 *
 * Byte for byte, against snarkjs's proofs where there are some and against our
 * own of the .zkey elsewhere.
 */
#include "prove.h"

#include "input/lkey.h"
#include "input/lkey_blob.h"

static struct lull_ctx *ctx;
static char path_in[PATH_BYTES], path_out[PATH_BYTES];

/* ---- the golden proofs -------------------------------------------------- */

static const char *const circuits[] = {
	"bn128-mul2",	      "bn128-edge-nopub",   "bn128-edge-linear",
	"bn128-poseidon2",    "bn128-chain1000",    "bls12381-mul2",
	"bls12381-poseidon2", "bls12381-chain1000",
};

static const char *const with_r1cs[] = {
	"bn128-mul2",
	"bn128-poseidon2",
	"bls12381-mul2",
	"bls12381-poseidon2",
};

/* A key converted, folded if @r1cs is its circuit, and each of its proofs. */
static void expect_golden_proofs(const char *name, const char *r1cs)
{
	struct golden g = golden_load(name, 0);
	struct blob b = lkey_of(&g.key, r1cs, 2);
	unsigned int k;

	ASSERT_TRUE(b.data);
	EXPECT_EQ(r1cs ? LULL_LKEY_FOLDED : 0, lull_load_u32(b.data + 8));
	for (k = 0; k < 3; k++) {
		golden_free(&g);
		g = golden_load(name, k);
		expect_golden_key(ctx, &b, &g);
	}
	blob_free(&b);
	golden_free(&g);
}

TEST(native_keys_give_snarkjs_proofs)
{
	unsigned int i;

	ctx = make_ctx(3);
	for (i = 0; i < LULL_ARRAY_SIZE(circuits); i++)
		expect_golden_proofs(circuits[i], NULL);
	lull_ctx_destroy(ctx);
}

TEST(folded_keys_give_snarkjs_proofs)
{
	char r1cs[PATH_BYTES];
	unsigned int i;

	ctx = make_ctx(3);
	for (i = 0; i < LULL_ARRAY_SIZE(with_r1cs); i++) {
		golden_path(r1cs, with_r1cs[i], "r1cs");
		expect_golden_proofs(with_r1cs[i], r1cs);
	}
	lull_ctx_destroy(ctx);
}

/* ---- keys and circuits of our own --------------------------------------- */

struct made {
	char r1cs[PATH_BYTES], wtns[PATH_BYTES], zkey[PATH_BYTES];
	char lkey[PATH_BYTES], folded[PATH_BYTES];
};

/* A circuit with a key, converted and folded. */
static bool make(struct made *m, const char *shape, const char *curve,
		 unsigned int log2)
{
	struct lull_convert_opts opts = { .size = sizeof(opts),
					  .r1cs_path = m->r1cs };
	struct lull_error error = { 0 };
	bool ok = make_circuit(shape, curve, log2, m->r1cs, m->wtns);

	scratch_path(m->zkey, "made.zkey");
	scratch_path(m->lkey, "made.lkey");
	scratch_path(m->folded, "folded.lkey");
	ok = ok && !lull_key_generate_toxic(ctx, m->r1cs, m->zkey, &error) &&
	     !lull_key_convert(ctx, m->zkey, m->lkey, &opts, &error);
	opts.fold_c = 1;
	ok = ok && !lull_key_convert(ctx, m->zkey, m->folded, &opts, &error);
	if (!ok)
		printf("# %s\n", error.msg);
	return ok;
}

/* The proof's text under one key, or what refuses it. */
static int prove_text(const char *key_path, const char *wtns_path,
		      unsigned int flags, char text[TEXT_BYTES],
		      struct lull_error *error)
{
	const struct lull_prove_opts opts = { .size = sizeof(opts),
					      .flags = flags };
	const uint8_t r[LULL_FR_BYTES] = { 77, 1, 2 }, s[LULL_FR_BYTES] = { 5 };
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	int err;

	err = lull_key_open(ctx, key_path, &key, error);
	if (!err)
		err = lull_wtns_open(ctx, wtns_path, &wtns, error);
	if (!err)
		err = lull_prove_blinded(ctx, key, wtns, &opts, r, s, &proof,
					 error);
	if (!err)
		lull_proof_json(proof, text, TEXT_BYTES);
	lull_proof_free(proof);
	lull_wtns_close(wtns);
	lull_key_close(key);
	return err;
}

static void expect_same_proofs(const struct made *m, unsigned int flags)
{
	const char *const keys[] = { m->lkey, m->folded };
	char want[TEXT_BYTES], got[TEXT_BYTES];
	struct lull_error error = { 0 };
	unsigned int i;

	ASSERT_EQ(LULL_OK, prove_text(m->zkey, m->wtns, flags, want, &error));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(LULL_OK,
			  prove_text(keys[i], m->wtns, flags, got, &error));
		EXPECT_STREQ(want, got);
	}
}

TEST(shapes_of_both_curves)
{
	static const struct {
		const char *shape;
		unsigned int log2;
	} shapes[] = {
		{ "dense", 3 },	      { "sha", 6 },
		{ "edge-nopub", 4 },  { "edge-linear", 4 },
		{ "edge-unused", 4 }, { "edge-domain2", 1 },
		{ "edge-empty", 4 },  { "dense", 9 },
	};
	/* The large one is no other code. */
	size_t nr = LULL_ARRAY_SIZE(shapes) - test_sanitized();
	static const char *const curves[] = { "bn128", "bls12381" };
	struct made m;
	unsigned int i, k;

	ctx = make_ctx(3);
	for (i = 0; i < nr; i++) {
		for (k = 0; k < 2; k++) {
			ASSERT_TRUE(make(&m, shapes[i].shape, curves[k],
					 shapes[i].log2));
			expect_same_proofs(&m, 0);
		}
	}
	lull_ctx_destroy(ctx);
}

/* A folded key does not know c = a b: the pairing must. */
TEST(unsatisfied_witnesses_are_refused)
{
	char text[TEXT_BYTES];
	struct lull_error error;
	struct made m;
	struct blob wtns;
	const char *keys[3];
	unsigned int i;
	size_t value;

	ctx = make_ctx(2);
	ASSERT_TRUE(make(&m, "dense", "bn128", 6));
	keys[0] = m.zkey;
	keys[1] = m.lkey;
	keys[2] = m.folded;
	wtns = blob_read(m.wtns);
	/* Each value in turn, but the constant one. */
	for (value = 1; value < 8; value++) {
		wtns.data[blob_payload(&wtns, 2) + value * 32] ^= 1;
		blob_write(&wtns, m.wtns);
		for (i = 0; i < 3; i++) {
			EXPECT_EQ(LULL_UNSATISFIED,
				  prove_text(keys[i], m.wtns, 0, text, &error));
			EXPECT_TRUE(strstr(error.msg, "does not verify"));
		}
		wtns.data[blob_payload(&wtns, 2) + value * 32] ^= 1;
	}
	blob_free(&wtns);
	lull_ctx_destroy(ctx);
}

/* ---- bytes -------------------------------------------------------------- */

TEST(bytes_do_not_depend_on_threads)
{
	static const unsigned int pools[] = { 1, 3, 7 };
	unsigned int nr = test_sanitized() ? 2 : LULL_ARRAY_SIZE(pools);
	const char *const curves[] = { "bn128", "bls12381" };
	char r1cs[PATH_BYTES], name[64];
	struct blob want[2], got;
	struct golden g;
	unsigned int c, p, folded;

	for (c = 0; c < 2; c++) {
		snprintf(name, sizeof(name), "%s-poseidon2", curves[c]);
		golden_path(r1cs, name, "r1cs");
		g = golden_load(name, 0);
		for (folded = 0; folded < 2; folded++) {
			const char *how = folded ? r1cs : NULL;

			want[folded] = lkey_of(&g.key, how, pools[0]);
			for (p = 1; p < nr; p++) {
				got = lkey_of(&g.key, how, pools[p]);
				ASSERT_EQ(want[folded].bytes, got.bytes);
				EXPECT_MEMEQ(want[folded].data, got.data,
					     got.bytes);
				blob_free(&got);
			}
		}
		/* The circuit's digest is in both. */
		EXPECT_MEMEQ(want[0].data + 48, want[1].data + 48, 16);
		blob_free(&want[0]);
		blob_free(&want[1]);
		golden_free(&g);
	}
}

/* What was written by the first version of the format is written still. */
TEST(bytes_of_the_format)
{
	struct blob zkey = blob_read(GOLDEN "bn128-mul2.zkey");
	struct blob want = blob_read(GOLDEN "bn128-mul2.lkey"), got;

	got = lkey_of(&zkey, NULL, 2);
	ASSERT_EQ(want.bytes, got.bytes);
	EXPECT_MEMEQ(want.data, got.data, got.bytes);
	blob_free(&zkey);
	blob_free(&got);
	blob_free(&want);
	zkey = blob_read(GOLDEN "bls12381-mul2.zkey");
	want = blob_read(GOLDEN "bls12381-mul2-folded.lkey");
	got = lkey_of(&zkey, GOLDEN "bls12381-mul2.r1cs", 2);
	ASSERT_EQ(want.bytes, got.bytes);
	EXPECT_MEMEQ(want.data, got.data, got.bytes);
	blob_free(&zkey);
	blob_free(&got);
	blob_free(&want);
}

/* Records backwards: other rows, the same circuit, the same proofs. */
TEST(unsorted_coefficients)
{
	struct golden g = golden_load("bn128-poseidon2", 0);
	struct blob plain = lkey_of(&g.key, NULL, 2), b;

	reverse_coefs(&g.key);
	b = lkey_of(&g.key, NULL, 2);
	ctx = make_ctx(2);
	expect_golden_key(ctx, &b, &g);
	EXPECT_MEMEQ(plain.data + 48, b.data + 48, 16);
	blob_put_u32(&g.key, blob_payload(&g.key, 4) + 4 + 12,
		     lull_load_u32(coef_at(&g.key, 0) + 12) ^ 1);
	blob_free(&b);
	b = lkey_of(&g.key, NULL, 2);
	EXPECT_TRUE(memcmp(plain.data + 48, b.data + 48, 16));
	lull_ctx_destroy(ctx);
	blob_free(&b);
	blob_free(&plain);
	golden_free(&g);
}

/* The key with @nr records more whose values are all different. */
static struct blob with_values(const struct blob *key, uint32_t nr)
{
	uint32_t had = coefs_nr(key), i, row, more = nr - had;
	struct blob out = with_zero_coefs(key, nr);

	for (i = 0; i < more; i++) {
		memcpy(coef_at(&out, i), &(uint32_t){ i & 1 }, 4);
		row = (uint32_t)((uint64_t)i * 500 / more);
		memcpy(coef_at(&out, i) + 4, &row, 4);
		memcpy(coef_at(&out, i) + 8, &(uint32_t){ i % 500 }, 4);
		memcpy(coef_at(&out, i) + 12, &i, 4);
	}
	return out;
}

/* Numbers of coefficients of every size; such circuits have no witness, so
 * what two keys make of the same one is compared. */
TEST(many_coefficients)
{
	static const struct {
		uint32_t nr;
		unsigned int id_bytes;
	} keys[] = { { 700, 1 }, { 1000, 2 }, { 66000, 2 }, { 66600, 4 } };
	char want[TEXT_BYTES], got[TEXT_BYTES], wtns[PATH_BYTES];
	struct golden g = golden_load("bn128-poseidon2", 0);
	struct lull_error error = { 0 };
	struct blob zkey, b;
	unsigned int i;

	ctx = make_ctx(3);
	scratch_path(path_in, "in.zkey");
	scratch_path(path_out, "out.lkey");
	golden_path(wtns, "bn128-poseidon2", "wtns");
	for (i = 0; i < LULL_ARRAY_SIZE(keys); i++) {
		zkey = with_values(&g.key, keys[i].nr);
		blob_write(&zkey, path_in);
		b = lkey_of(&zkey, NULL, 1 + i % 3);
		ASSERT_TRUE(b.data);
		EXPECT_EQ(keys[i].id_bytes, lull_load_u32(b.data + 40));
		blob_write(&b, path_out);
		EXPECT_EQ(LULL_OK,
			  prove_text(path_in, wtns, LULL_PROVE_NO_VERIFY, want,
				     &error));
		EXPECT_EQ(LULL_OK,
			  prove_text(path_out, wtns, LULL_PROVE_NO_VERIFY, got,
				     &error));
		EXPECT_STREQ(want, got);
		blob_free(&b);
		blob_free(&zkey);
	}
	lull_ctx_destroy(ctx);
	golden_free(&g);
}

/* ---- refused ------------------------------------------------------------ */

static void expect_refused(const struct lull_convert_opts *opts, int code,
			   const char *msg)
{
	unsigned int before = scratch_count();
	struct lull_error error = { 0 };

	EXPECT_EQ(code, lull_key_convert(ctx, path_in, path_out, opts, &error));
	if (!strstr(error.msg, msg))
		TEST_FAIL_("expected \"%s\" in \"%s\"", msg, error.msg);
	EXPECT_EQ(before, scratch_count());
	EXPECT_EQ(code, lull_key_convert(ctx, path_in, path_out, opts, NULL));
}

/* A point of each section off its curve: the converter finds it, and leaves
 * nothing. */
TEST(points_off_their_curve)
{
	static const struct {
		unsigned int section, at;
		const char *msg;
	} points[] = {
		{ 2, 8 + 32 + 32 + 12, "section 2 (alpha1), point 0" },
		{ 2, 8 + 32 + 32 + 12 + 4 * 64 + 128, "section 2 (delta1)" },
		{ 3, 64, "section 3 (IC), point 1" },
		{ 5, 3 * 64, "section 5 (A), point 3" },
		{ 6, 0, "section 6 (B1), point 0" },
		{ 7, 128, "section 7 (B2), point 1" },
		{ 8, 64, "section 8 (L), point 1" },
		{ 9, 3 * 64, "section 9 (H), point 3" },
	};
	struct blob good = blob_read(GOLDEN "bn128-mul2.zkey"), b;
	const struct lull_convert_opts opts = { .size = sizeof(opts) };
	char want[128];
	unsigned int i;
	size_t at;

	ctx = make_ctx(2);
	scratch_clear();
	scratch_path(path_in, "in.zkey");
	scratch_path(path_out, "out.lkey");
	for (i = 0; i < LULL_ARRAY_SIZE(points); i++) {
		b = blob_copy(good.data, good.bytes);
		at = blob_payload(&b, points[i].section) + points[i].at;
		memcpy(b.data + at, &(uint64_t){ 12345 }, 8);
		blob_write(&b, path_in);
		expect_refused(&opts, LULL_RANGE, points[i].msg);
		snprintf(want, sizeof(want),
			 "offset 0x%zx: the point is not "
			 "on the curve of BN254",
			 at);
		expect_refused(&opts, LULL_RANGE, want);
		blob_free(&b);
	}
	blob_free(&good);
	lull_ctx_destroy(ctx);
}

TEST(circuits_of_another_key)
{
	char other[PATH_BYTES];
	struct lull_convert_opts opts = { .size = sizeof(opts), .fold_c = 1 };
	struct blob b = blob_read(GOLDEN "bn128-mul2.zkey"), r1cs;

	ctx = make_ctx(2);
	scratch_clear();
	scratch_path(path_in, "in.zkey");
	scratch_path(path_out, "out.lkey");
	blob_write(&b, path_in);
	expect_refused(&opts, LULL_USAGE, "folding C needs the circuit");
	opts.r1cs_path = GOLDEN "bls12381-mul2.r1cs";
	expect_refused(&opts, LULL_MISMATCH,
		       "the circuit is of BLS12-381, the key");
	opts.r1cs_path = GOLDEN "bn128-poseidon2.r1cs";
	expect_refused(&opts, LULL_MISMATCH, "wires: the circuit has 520");
	/* mul2 with one coefficient of A changed: with and without folding. */
	scratch_path(other, "other.r1cs");
	r1cs = blob_read(GOLDEN "bn128-mul2.r1cs");
	r1cs.data[blob_payload(&r1cs, 2) + 8 + 3] ^= 0x10;
	blob_write(&r1cs, other);
	opts.r1cs_path = other;
	expect_refused(&opts, LULL_MISMATCH, "another circuit");
	opts.fold_c = 0;
	expect_refused(&opts, LULL_MISMATCH, "another circuit");
	/* One of C, of which the key says nothing. */
	r1cs.data[blob_payload(&r1cs, 2) + 8 + 3] ^= 0x10;
	r1cs.data[blob_payload(&r1cs, 2) + 3 * 4 + 2 * 36 + 4 + 3] ^= 0x10;
	blob_write(&r1cs, other);
	expect_refused(&opts, LULL_MISMATCH,
		       "L, IC and C: expected the points of this circuit");
	opts.fold_c = 1;
	expect_refused(&opts, LULL_MISMATCH,
		       "L, IC and C: expected the points of this circuit");
	opts.r1cs_path = path_out;
	expect_refused(&opts, LULL_USAGE, "would replace an input");
	opts.size--;
	expect_refused(&opts, LULL_USAGE, "struct lull_convert_opts");
	blob_free(&r1cs);
	blob_free(&b);
	lull_ctx_destroy(ctx);
}

TEST(inputs_and_outputs)
{
	struct blob b = blob_read(GOLDEN "bn128-mul2.zkey"), after;

	ctx = make_ctx(1);
	scratch_clear();
	scratch_path(path_in, "in.zkey");
	blob_write(&b, path_in);
	memcpy(path_out, path_in, sizeof(path_out));
	expect_refused(NULL, LULL_USAGE, "would replace an input");
	after = blob_read(path_in);
	EXPECT_MEMEQ(b.data, after.data, b.bytes);
	snprintf(path_out, sizeof(path_out), "/dev/null");
	expect_refused(NULL, LULL_USAGE, "expected a regular file");
	scratch_path(path_out, "none/out.lkey");
	expect_refused(NULL, LULL_IO, "No such file");
	/* A .lkey is no source. */
	scratch_path(path_out, "out.lkey");
	EXPECT_EQ(LULL_OK,
		  lull_key_convert(ctx, path_in, path_out, NULL, NULL));
	memcpy(path_in, path_out, sizeof(path_in));
	scratch_path(path_out, "again.lkey");
	expect_refused(NULL, LULL_FORMAT, "this is a .lkey file");
	blob_free(&after);
	blob_free(&b);
	lull_ctx_destroy(ctx);
}

/* ---- opening ------------------------------------------------------------ */

static struct lull_key_info info_of(const struct blob *b)
{
	struct lull_key_info info = { .size = sizeof(info) };
	struct lull_key *key = NULL;

	EXPECT_EQ(LULL_OK,
		  lull_key_open_mem(ctx, b->data, b->bytes, &key, NULL));
	if (key)
		EXPECT_EQ(LULL_OK, lull_key_info(key, &info, NULL));
	lull_key_close(key);
	return info;
}

TEST(both_keys_say_the_same_of_themselves)
{
	struct lull_key_info want, got;
	struct blob zkey, b;
	char path[PATH_BYTES];
	unsigned int i;

	ctx = make_ctx(2);
	for (i = 0; i < LULL_ARRAY_SIZE(circuits); i++) {
		golden_path(path, circuits[i], "zkey");
		zkey = blob_read(path);
		b = lkey_of(&zkey, NULL, 2);
		want = info_of(&zkey);
		got = info_of(&b);
		EXPECT_TRUE(!want.native && got.native && !got.folded);
		EXPECT_EQ(b.bytes, got.file_bytes);
		want.native = 1;
		want.file_bytes = got.file_bytes;
		EXPECT_MEMEQ(&want, &got, sizeof(want));
		blob_free(&b);
		blob_free(&zkey);
	}
	lull_ctx_destroy(ctx);
}

/* Hashes are whoever's who made the file: points are looked at all the same, and
 * counted. */
TEST(points_of_sealed_keys)
{
	struct blob zkey = blob_read(GOLDEN "bn128-mul2.zkey");
	struct blob b = lkey_of(&zkey, NULL, 1);
	static const uint32_t sections[] = { 2, 3, 5, 6, 7, 8, 9 };
	struct lull_error error = { 0 };
	struct lull_key *key = NULL;
	char want[64];
	unsigned int i;

	ctx = make_ctx(2);
	for (i = 0; i < LULL_ARRAY_SIZE(sections); i++) {
		uint8_t *p = b.data + lkey_at(&b, sections[i]);

		*p ^= 1;
		lkey_seal(&b);
		EXPECT_EQ(LULL_RANGE, lull_key_open_mem(ctx, b.data, b.bytes,
							&key, &error));
		snprintf(want, sizeof(want), "key: section %u (", sections[i]);
		EXPECT_TRUE(!strncmp(want, error.msg, strlen(want)));
		EXPECT_TRUE(strstr(error.msg, "not on the curve of BN254"));
		*p ^= 1;
	}
	for (i = 0; i < 4; i++) {
		b.data[LKEY_NR_INF + 4 * i]++;
		lkey_seal(&b);
		EXPECT_EQ(LULL_RANGE, lull_key_open_mem(ctx, b.data, b.bytes,
							&key, &error));
		snprintf(want, sizeof(want), "key: section %u (", 5 + i);
		EXPECT_TRUE(!strncmp(want, error.msg, strlen(want)));
		EXPECT_TRUE(strstr(error.msg, "points at infinity, found"));
		b.data[LKEY_NR_INF + 4 * i]--;
	}
	lkey_seal(&b);
	ASSERT_EQ(LULL_OK,
		  lull_key_open_mem(ctx, b.data, b.bytes, &key, &error));
	EXPECT_EQ(LULL_OK, lull_key_check(key, &error));
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	blob_free(&b);
	blob_free(&zkey);
}

TEST_MAIN
