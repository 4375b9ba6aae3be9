// SPDX-License-Identifier: Apache-2.0
/*
 * edge.c - unusual keys, witnesses and circuits that must prove all the same
 *
 * Golden keys are rearranged in memory and must give the golden bytes; made
 * circuits must give proofs that verify.
 */
#include "prove.h"

#define NR_CURVES 2

static const char *const curves[NR_CURVES] = { "bn128", "bls12381" };
static const char *const mul2[NR_CURVES] = { "bn128-mul2", "bls12381-mul2" };
static const char *const poseidon2[NR_CURVES] = { "bn128-poseidon2",
						  "bls12381-poseidon2" };
static const char *const chain[NR_CURVES] = { "bn128-chain1000",
					      "bls12381-chain1000" };

/* ---- rearranged files -------------------------------------------------- */

static void shuffle_types(uint32_t *types, size_t nr)
{
	size_t i, j;

	for (i = nr; i > 1; i--) {
		uint32_t t = types[i - 1];

		j = test_random() % i;
		types[i - 1] = types[j];
		types[j] = t;
	}
}

TEST(sections_in_any_order)
{
	static const uint32_t raw[] = { 1, 2, 4, 3, 9, 8, 5, 6, 7, 10, 0 };
	uint32_t order[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0 };
	struct lull_ctx *ctx = make_ctx(2);
	struct golden g;
	struct blob b;
	size_t i, j;

	for (i = 0; i < NR_CURVES; i++) {
		g = golden_load(mul2[i], 0);
		b = blob_reorder(&g.key, raw);
		expect_golden_key(ctx, &b, &g);
		blob_free(&b);
		for (j = 0; j < 12; j++) {
			b = blob_reorder(&g.key, order);
			expect_golden_key(ctx, &b, &g);
			blob_free(&b);
			shuffle_types(order, LULL_ARRAY_SIZE(order) - 1);
		}
		golden_free(&g);
	}
	lull_ctx_destroy(ctx);
}

TEST(witness_sections_in_any_order)
{
	static const uint32_t turned[] = { 2, 1, 0 };
	struct lull_ctx *ctx = make_ctx(1);
	struct golden g = golden_load(mul2[0], 1);
	struct blob b = blob_reorder(&g.wtns, turned);

	expect_golden_mem(ctx, g.key.data, g.key.bytes, b.data, b.bytes, &g);
	blob_free(&b);
	golden_free(&g);
	lull_ctx_destroy(ctx);
}

/* The key with @nr contributions that hold nothing. */
static struct blob with_contributions(const struct blob *key, size_t fp,
				      uint32_t nr)
{
	/* Points, transcript, type and size of the parameters. */
	const size_t each = 3 * 2 * fp + 4 * fp + 64 + 4 + 4;
	const size_t bytes = 64 + 4 + nr * each;
	uint8_t *payload = must_alloc(bytes);
	struct blob out = blob_without(key, 10);

	memset(payload, 0, bytes);
	memcpy(payload + 64, &nr, sizeof(nr));
	blob_add_section(&out, 10, payload, bytes);
	free(payload);
	return out;
}

TEST(section_10_of_over_a_megabyte)
{
	static const size_t fp[NR_CURVES] = { 32, 48 };
	struct lull_key_info info = { .size = sizeof(info) };
	struct lull_ctx *ctx = make_ctx(2);
	struct lull_key *key = NULL;
	struct golden g;
	struct blob b;
	size_t i;

	for (i = 0; i < NR_CURVES; i++) {
		g = golden_load(mul2[i], 0);
		b = with_contributions(&g.key, fp[i], 5348);
		EXPECT_TRUE(b.bytes > 1 << 20);
		expect_golden_key(ctx, &b, &g);
		EXPECT_EQ(LULL_OK,
			  lull_key_open_mem(ctx, b.data, b.bytes, &key, NULL));
		EXPECT_EQ(LULL_OK, lull_key_info(key, &info, NULL));
		EXPECT_EQ(5348, info.nr_contributions);
		lull_key_close(key);
		blob_free(&b);
		b = blob_without(&g.key, 10);
		expect_golden_key(ctx, &b, &g);
		blob_free(&b);
		golden_free(&g);
	}
	lull_ctx_destroy(ctx);
}

/* What a context was told. */
struct warnings {
	unsigned int nr;
	char last[256];
};

static void take_warning(void *arg, const char *msg)
{
	struct warnings *w = arg;

	w->nr++;
	snprintf(w->last, sizeof(w->last), "%s", msg);
}

static struct lull_ctx *make_warned_ctx(struct warnings *w)
{
	struct lull_ctx_opts opts = { .size = sizeof(opts),
				      .nr_threads = 2,
				      .warn = take_warning,
				      .warn_arg = w };
	struct lull_ctx *ctx = NULL;

	EXPECT_EQ(LULL_OK, lull_ctx_create(&opts, &ctx, NULL));
	return ctx;
}

static void expect_warned(struct warnings *w, const char *want)
{
	EXPECT_EQ(want ? 1 : 0, w->nr);
	if (want)
		EXPECT_STREQ(want, w->last);
	w->nr = 0;
}

TEST(trailing_bytes)
{
	struct warnings w = { 0 };
	struct lull_ctx *ctx = make_warned_ctx(&w);
	struct golden g = golden_load(mul2[0], 0);
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	char path[PATH_BYTES], want[PATH_BYTES * 2];

	expect_golden_key(ctx, &g.key, &g);
	expect_warned(&w, NULL);
	blob_append(&g.key, "behind", 6);
	blob_append(&g.wtns, "behind it", 9);
	EXPECT_EQ(LULL_OK,
		  lull_key_open_mem(ctx, g.key.data, g.key.bytes, &key, NULL));
	expect_warned(&w, "key: 6 bytes behind the last section are ignored");
	EXPECT_EQ(LULL_OK, lull_wtns_open_mem(ctx, g.wtns.data, g.wtns.bytes,
					      &wtns, NULL));
	expect_warned(&w,
		      "witness: 9 bytes behind the last section are ignored");
	expect_golden(ctx, key, wtns, &g);
	expect_warned(&w, NULL);
	lull_wtns_close(wtns);
	lull_key_close(key);
	scratch_path(path, "trailing.zkey");
	blob_write(&g.key, path);
	EXPECT_EQ(LULL_OK, lull_key_open(ctx, path, &key, NULL));
	snprintf(want, sizeof(want),
		 "%s: 6 bytes behind the last section are ignored", path);
	expect_warned(&w, want);
	lull_key_close(key);
	golden_free(&g);
	lull_ctx_destroy(ctx);
	scratch_clear();
}

static void swap_coefs(const struct blob *key, size_t i, size_t j)
{
	uint8_t t[COEF_BYTES];

	memcpy(t, coef_at(key, i), COEF_BYTES);
	memmove(coef_at(key, i), coef_at(key, j), COEF_BYTES);
	memcpy(coef_at(key, j), t, COEF_BYTES);
}

TEST(coefficients_in_any_order)
{
	struct lull_ctx *ctx = make_ctx(3);
	struct golden g;
	size_t i, j, nr;

	for (i = 0; i < NR_CURVES; i++) {
		g = golden_load(chain[i], 1);
		nr = coefs_nr(&g.key);
		EXPECT_TRUE(nr > 1000);
		for (j = 0; j < nr / 2; j++)
			swap_coefs(&g.key, j, nr - 1 - j);
		expect_golden_key(ctx, &g.key, &g);
		for (j = nr; j > 1; j--)
			swap_coefs(&g.key, j - 1, test_random() % j);
		expect_golden_key(ctx, &g.key, &g);
		golden_free(&g);
	}
	lull_ctx_destroy(ctx);
}

/* Enough for several tasks of every stage that walks them. */
TEST(coefficients_of_value_zero)
{
	struct lull_ctx *ctx = make_ctx(2);
	struct golden g;
	struct blob b;
	size_t i;

	for (i = 0; i < NR_CURVES; i++) {
		g = golden_load(mul2[i], 2);
		b = with_zero_coefs(&g.key, 200000);
		expect_golden_key(ctx, &b, &g);
		swap_coefs(&b, 0, 199999);
		swap_coefs(&b, 100000, 199998);
		expect_golden_key(ctx, &b, &g);
		blob_free(&b);
		golden_free(&g);
	}
	lull_ctx_destroy(ctx);
}

TEST(odd_addresses)
{
	struct lull_ctx *ctx = make_ctx(2);
	struct golden g;
	size_t i, shift;

	for (i = 0; i < NR_CURVES; i++) {
		g = golden_load(mul2[i], 0);
		for (shift = 1; shift < 8; shift++) {
			uint8_t *key = must_alloc(g.key.bytes + shift);
			uint8_t *wtns = must_alloc(g.wtns.bytes + 8 - shift);

			memcpy(key + shift, g.key.data, g.key.bytes);
			memcpy(wtns + 8 - shift, g.wtns.data, g.wtns.bytes);
			expect_golden_mem(ctx, key + shift, g.key.bytes,
					  wtns + 8 - shift, g.wtns.bytes, &g);
			free(key);
			free(wtns);
		}
		golden_free(&g);
		g = golden_load(poseidon2[i], 0);
		blob_append(&g.key, "", 1);
		memmove(g.key.data + 1, g.key.data, g.key.bytes - 1);
		expect_golden_mem(ctx, g.key.data + 1, g.key.bytes - 1,
				  g.wtns.data, g.wtns.bytes, &g);
		golden_free(&g);
	}
	lull_ctx_destroy(ctx);
}

TEST(several_keys_open_at_once)
{
	static const char *const names[] = {
		"bn128-mul2",	      "bls12381-mul2",	 "bn128-edge-nopub",
		"bn128-edge-linear",  "bn128-poseidon2", "bls12381-poseidon2",
		"bls12381-chain1000", "bn128-chain1000",
	};
	struct lull_key *keys[LULL_ARRAY_SIZE(names)] = { NULL };
	struct lull_wtns *wtns[LULL_ARRAY_SIZE(names)] = { NULL };
	struct golden g[LULL_ARRAY_SIZE(names)];
	struct lull_ctx *ctx = make_ctx(2);
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(names); i++) {
		g[i] = golden_load(names[i], (unsigned int)i % 3);
		EXPECT_EQ(LULL_OK,
			  lull_key_open_mem(ctx, g[i].key.data, g[i].key.bytes,
					    &keys[i], NULL));
		EXPECT_EQ(LULL_OK,
			  lull_wtns_open_mem(ctx, g[i].wtns.data,
					     g[i].wtns.bytes, &wtns[i], NULL));
	}
	for (i = LULL_ARRAY_SIZE(names); i-- > 0;)
		if (keys[i] && wtns[i])
			expect_golden(ctx, keys[i], wtns[i], &g[i]);
	for (i = 0; i < LULL_ARRAY_SIZE(names); i++) {
		lull_wtns_close(wtns[i]);
		lull_key_close(keys[i]);
		golden_free(&g[i]);
	}
	lull_ctx_destroy(ctx);
}

/* ---- made circuits ----------------------------------------------------- */

/* A circuit, its key and its witness, all open. */
struct made {
	struct lull_key *key;
	struct lull_wtns *wtns;
	struct lull_key_info info;
};

static bool make(struct lull_ctx *ctx, const char *shape, const char *curve,
		 unsigned int log2, struct made *ret_made)
{
	char r1cs[PATH_BYTES], wtns[PATH_BYTES], zkey[PATH_BYTES];
	struct made made = { .info = { .size = sizeof(made.info) } };
	struct lull_error error = { 0 };
	int err;

	if (!make_circuit(shape, curve, log2, r1cs, wtns)) {
		TEST_FAIL_("%s %s: no circuit", shape, curve);
		return false;
	}
	scratch_path(zkey, "made.zkey");
	err = lull_key_generate_toxic(ctx, r1cs, zkey, &error);
	if (!err)
		err = lull_key_open(ctx, zkey, &made.key, &error);
	if (!err)
		err = lull_key_check(made.key, &error);
	if (!err)
		err = lull_key_info(made.key, &made.info, &error);
	if (!err)
		err = lull_wtns_open(ctx, wtns, &made.wtns, &error);
	if (!err)
		err = lull_wtns_check(made.wtns, r1cs, &error);
	if (err) {
		TEST_FAIL_("%s %s: %s", shape, curve, error.msg);
		lull_wtns_close(made.wtns);
		lull_key_close(made.key);
		return false;
	}
	*ret_made = made;
	return true;
}

static void made_close(struct made *made)
{
	lull_wtns_close(made->wtns);
	lull_key_close(made->key);
	scratch_clear();
}

static void expect_valid(struct lull_ctx *ctx, const struct made *made,
			 const char *name)
{
	struct lull_proof *proof = NULL;
	struct lull_error error = { 0 };

	if (lull_prove(ctx, made->key, made->wtns, NULL, &proof, &error)) {
		TEST_FAIL_("%s: %s", name, error.msg);
		return;
	}
	if (verify_proof(made->key, proof))
		TEST_FAIL_("%s: not valid", name);
	if (!made->info.nr_public) {
		char text[TEXT_BYTES];

		EXPECT_EQ(2, lull_public_json(proof, text, sizeof(text)));
		EXPECT_STREQ("[]", text);
	}
	lull_proof_free(proof);
}

TEST(made_circuits)
{
	/* clang-format off */
	static const struct {
		const char *name;
		unsigned int log2;
		uint32_t domain_size, nr_public;
	} shapes[] = {
		{ "edge-nopub", 4, 16, 0 },
		{ "edge-domain2", 1, 2, 0 },
		{ "edge-empty", 1, 2, 0 },
		{ "edge-linear", 4, 16, 1 },
		{ "edge-unused", 5, 32, 4 },
		{ "dense", 2, 4, 1 },
		{ "sha", 8, 256, 1 },
	};
	/* clang-format on */
	struct lull_ctx *ctx = make_ctx(2);
	struct made made;
	size_t i, j;

	for (i = 0; i < NR_CURVES; i++) {
		for (j = 0; j < LULL_ARRAY_SIZE(shapes); j++) {
			if (!make(ctx, shapes[j].name, curves[i],
				  shapes[j].log2, &made))
				continue;
			EXPECT_EQ(shapes[j].domain_size, made.info.domain_size);
			EXPECT_EQ(shapes[j].nr_public, made.info.nr_public);
			EXPECT_TRUE(made.info.toxic);
			expect_valid(ctx, &made, shapes[j].name);
			made_close(&made);
		}
	}
	lull_ctx_destroy(ctx);
}

TEST(points_at_infinity)
{
	struct lull_ctx *ctx = make_ctx(2);
	struct made made;
	size_t i;

	for (i = 0; i < NR_CURVES; i++) {
		if (make(ctx, "edge-unused", curves[i], 5, &made)) {
			EXPECT_TRUE(made.info.nr_inf_a > 0);
			EXPECT_TRUE(made.info.nr_inf_b1 > 0);
			EXPECT_EQ(made.info.nr_inf_b1, made.info.nr_inf_b2);
			EXPECT_TRUE(made.info.nr_inf_l > 0);
			expect_valid(ctx, &made, "edge-unused");
			made_close(&made);
		}
		/* Nothing multiplies and nothing is used: B is infinity. */
		if (make(ctx, "edge-empty", curves[i], 1, &made)) {
			EXPECT_EQ(2, made.info.nr_vars);
			EXPECT_EQ(1, made.info.nr_inf_a);
			EXPECT_EQ(2, made.info.nr_inf_b1);
			EXPECT_EQ(2, made.info.nr_inf_b2);
			EXPECT_EQ(1, made.info.nr_inf_l);
			expect_valid(ctx, &made, "edge-empty");
			made_close(&made);
		}
	}
	lull_ctx_destroy(ctx);
}

/* r - 1, the largest scalar: r is odd. */
static void largest(uint8_t *ret, int curve)
{
	memcpy(ret, lull_curve_facts(curve)->fr_prime, LULL_FR_BYTES);
	ret[0]--;
}

/* Blinding scalars at the ends of their range, and pi_c at infinity: with
 * r = s = 0 it is L + H, and here both are. */
TEST(blinding_at_the_ends)
{
	struct lull_ctx *ctx = make_ctx(2);
	uint8_t blind[3][LULL_FR_BYTES] = { { 0 }, { 1 } };
	struct lull_proof *proof;
	char text[TEXT_BYTES];
	struct made made;
	size_t i, j;

	for (i = 0; i < NR_CURVES; i++) {
		if (!make(ctx, "edge-empty", curves[i], 1, &made))
			continue;
		largest(blind[2], made.info.curve);
		for (j = 0; j < 9; j++) {
			proof = NULL;
			EXPECT_EQ(LULL_OK, lull_prove_blinded(
						   ctx, made.key, made.wtns,
						   NULL, blind[j / 3],
						   blind[j % 3], &proof, NULL));
			if (!proof)
				continue;
			EXPECT_EQ(LULL_OK, verify_proof(made.key, proof));
			lull_proof_json(proof, text, sizeof(text));
			EXPECT_EQ(!j, strstr(text,
					     "\"pi_c\": [\n  \"0\",\n"
					     "  \"1\",\n  \"0\"\n ]") != NULL);
			lull_proof_free(proof);
		}
		made_close(&made);
	}
	lull_ctx_destroy(ctx);
}

TEST_MAIN
