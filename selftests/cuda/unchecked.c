// SPDX-License-Identifier: Apache-2.0
/*
 * unchecked.c - proofs that satisfy nothing, the same on a GPU as on the CPU
 *
 * Witnesses of one kind of value, and keys whose points are at infinity in every
 * pattern: both backends must come to the same points.  Skips where there is no
 * GPU.
 */
#include "gpu_ctx.h"

/* The proof's text, which satisfies nothing. */
static void prove_unchecked(struct lull_ctx *ctx, const struct golden *g,
			    char text[TEXT_BYTES])
{
	const struct lull_prove_opts opts = { .size = sizeof(opts),
					      .flags = LULL_PROVE_NO_VERIFY };
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;

	text[0] = '\0';
	ASSERT_EQ(LULL_OK, lull_key_open_mem(ctx, g->key.data, g->key.bytes,
					     &key, NULL));
	ASSERT_EQ(LULL_OK, lull_wtns_open_mem(ctx, g->wtns.data, g->wtns.bytes,
					      &wtns, NULL));
	ASSERT_EQ(LULL_OK, lull_prove_blinded(ctx, key, wtns, &opts, g->r, g->s,
					      &proof, NULL));
	lull_proof_json(proof, text, TEXT_BYTES);
	lull_proof_free(proof);
	lull_wtns_close(wtns);
	lull_key_close(key);
}

/* Changes a circuit's key or witness. */
typedef void change_fn(struct golden *g, enum lull_curve curve,
		       unsigned int kind);

static void compare(const char *name, enum lull_curve curve, change_fn *change,
		    unsigned int nr_kinds)
{
	struct lull_ctx *ctx[2] = { open_gpu(0), NULL };
	char text[2][TEXT_BYTES];
	unsigned int kind, i;
	struct golden g;

	if (!ctx[0])
		return;
	ctx[1] = make_ctx(0);
	for (kind = 0; kind < nr_kinds; kind++) {
		g = golden_load(name, 0);
		change(&g, curve, kind);
		plan_text[0] = '\0';
		for (i = 0; i < 2; i++)
			prove_unchecked(ctx[i], &g, text[i]);
		if (strcmp(text[0], text[1]))
			TEST_FAIL_("%s, kind %u", name, kind);
		golden_free(&g);
	}
	lull_ctx_destroy(ctx[0]);
	lull_ctx_destroy(ctx[1]);
}

/* ---- witnesses of one kind --------------------------------------------- */

enum kind { ZEROS, ONES, MINUS_ONES, BITS, WORDS, SAME, NR_KINDS };

/* Fills all values but the first, which is 1. */
static void fill_values(struct golden *g, enum lull_curve curve,
			unsigned int kind)
{
	const struct blob *wtns = &g->wtns;
	uint64_t bit;
	uint8_t *v;
	size_t i;

	for (i = VALUES_AT + LULL_FR_BYTES; i < wtns->bytes;
	     i += LULL_FR_BYTES) {
		v = wtns->data + i;
		bit = test_random() >> 63;
		memset(v, 0, LULL_FR_BYTES);
		if (kind == MINUS_ONES) {
			memcpy(v, lull_curve_facts(curve)->fr_prime, LULL_FR_BYTES);
			v[0]--; /* r is odd */
		} else if (kind == WORDS) {
			bit = test_random();
			memcpy(v, &bit, sizeof(bit));
		} else if (kind == SAME) {
			memset(v, 0x55, LULL_FR_BYTES - 1);
		} else {
			v[0] = kind == ONES || (kind == BITS && bit);
		}
	}
}

TEST(witnesses_of_one_kind)
{
	compare("bn128-chain1000", LULL_CURVE_BN254, fill_values, NR_KINDS);
	compare("bn128-mul2", LULL_CURVE_BN254, fill_values, NR_KINDS);
	compare("bls12381-chain1000", LULL_CURVE_BLS12_381, fill_values,
		NR_KINDS);
}

/* ---- points at infinity ------------------------------------------------ */

/* Sections of a .zkey, by the order of bits. */
static const unsigned int section_ids[] = { 5, 6, 7 };

enum infinity {
	NONE_IN_B,
	FIRST_ALONE,
	LAST_ALONE,
	FOURTHS,
	APART,
	RANDOMLY,
	MOST,
	HARDLY_ANY,
	NR_INFINITIES
};

/* Whether a wire keeps its point in A, B1 or B2. */
static bool keeps(enum infinity infinity, unsigned int section, size_t i,
		  size_t nr)
{
	switch (infinity) {
	case NONE_IN_B:
		return !section;
	case FIRST_ALONE:
		return !i;
	case LAST_ALONE:
		return i + 1 == nr;
	case FOURTHS:
		return !section || i % 4 == 1;
	case APART:
		/* Of no sound key: B1 and B2 have different ones. */
		return i % 4 == section;
	case RANDOMLY:
		return test_random() >> 63;
	case MOST:
		return i % 16;
	default:
		return i % 16 < 3;
	}
}

static void drop_points(struct golden *g, enum lull_curve curve,
			unsigned int infinity)
{
	size_t fp_bytes = lull_curve_facts(curve)->fp_bytes, bytes, i;
	size_t nr_vars = (g->wtns.bytes - VALUES_AT) / LULL_FR_BYTES;
	unsigned int s;
	uint8_t *at;

	for (s = 0; s < LULL_ARRAY_SIZE(section_ids); s++) {
		bytes = (s == 2 ? 4 : 2) * fp_bytes;
		at = g->key.data + blob_payload(&g->key, section_ids[s]);
		for (i = 0; i < nr_vars; i++)
			if (!keeps(infinity, s, i, nr_vars))
				memset(at + i * bytes, 0, bytes);
	}
}

static void compare_infinities(const char *name, enum lull_curve curve)
{
	compare(name, curve, drop_points, NR_INFINITIES);
	/* Of the last key: three in sixteen are left. */
	if (!test_skipped && !strcmp(backend_name(), "cuda"))
		EXPECT_TRUE(strstr(plan_text, " %, B2 "));
}

/* Whatever their pattern is, sums are those of the CPU, and tables have them
 * where there are few alone. */
TEST(points_at_infinity)
{
	compare_infinities("bn128-chain1000", LULL_CURVE_BN254);
	compare_infinities("bn128-mul2", LULL_CURVE_BN254);
	compare_infinities("bls12381-chain1000", LULL_CURVE_BLS12_381);
}

TEST_MAIN
