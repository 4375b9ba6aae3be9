// SPDX-License-Identifier: Apache-2.0
/*
 * refuse_tmpl.c - what opening, checking and proving must refuse
 *
 * Each with its code and its exact message, outputs poisoned before and
 * untouched after.  What parsers refuse is in selftests/input/.
 */
#include "prove.h"

#include "curve/field_random.h"
#include "curve/pairing.h"
#include "curve_names.h"

#define FP_BYTES sizeof(struct fp)
#define G1_BYTES (2 * FP_BYTES)
#define G2_BYTES (4 * FP_BYTES)
#define OFF_CURVE "the point is not on the curve of " CURVE_TEXT
#define NOT_BELOW_Q "a coordinate is not below q of " CURVE_TEXT
#define OUTSIDE "the point is not in the subgroup of order r of " CURVE_TEXT
#define MSG_BYTES 256

static struct lull_ctx *ctx;

/* ---- points ------------------------------------------------------------ */

/* An array of points in a key; header points stand behind the sizes. */
struct array {
	unsigned int section;
	const char *name;
	size_t offset; /* in the section */
	size_t nr;
	size_t bytes; /* of a point */
};

/* Both sizes and primes, three counts. */
#define HEADER_POINTS (4 + FP_BYTES + 4 + LULL_FR_BYTES + 12)

/* Of mul2: four wires, one public, a domain of four. */
static const struct array arrays[] = {
	{ 2, "alpha1", HEADER_POINTS, 1, G1_BYTES },
	{ 2, "beta1", HEADER_POINTS + G1_BYTES, 1, G1_BYTES },
	{ 2, "beta2", HEADER_POINTS + 2 * G1_BYTES, 1, G2_BYTES },
	{ 2, "gamma2", HEADER_POINTS + 2 * G1_BYTES + G2_BYTES, 1, G2_BYTES },
	{ 2, "delta1", HEADER_POINTS + 2 * G1_BYTES + 2 * G2_BYTES, 1,
	  G1_BYTES },
	{ 2, "delta2", HEADER_POINTS + 3 * G1_BYTES + 2 * G2_BYTES, 1,
	  G2_BYTES },
	{ 3, "IC", 0, 2, G1_BYTES },
	{ 5, "A", 0, 4, G1_BYTES },
	{ 6, "B1", 0, 4, G1_BYTES },
	{ 7, "B2", 0, 4, G2_BYTES },
	{ 8, "C", 0, 2, G1_BYTES },
	{ 9, "H", 0, 4, G1_BYTES },
};

static uint8_t *point_at(const struct blob *key, const struct array *array,
			 size_t i)
{
	return key->data + blob_payload(key, array->section) + array->offset +
	       i * array->bytes;
}

static void point_message(char msg[MSG_BYTES], const struct blob *key,
			  const struct array *array, size_t i, const char *what)
{
	snprintf(msg, MSG_BYTES,
		 "key: section %u (%s), point %zu, offset 0x%zx: %s",
		 array->section, array->name, i,
		 (size_t)(point_at(key, array, i) - key->data), what);
}

static void expect_key_refused(const struct blob *b, int code, const char *msg)
{
	struct lull_key *key;
	struct lull_error error;

	memset(&key, POISON, sizeof(key));
	memset(&error, POISON, sizeof(error));
	EXPECT_EQ(code,
		  lull_key_open_mem(ctx, b->data, b->bytes, &key, &error));
	EXPECT_TRUE(untouched(&key, sizeof(key)));
	EXPECT_EQ(code, error.code);
	EXPECT_STREQ(msg, error.msg);
	EXPECT_EQ(code, lull_key_open_mem(ctx, b->data, b->bytes, &key, NULL));
}

/* Any good point of the group, with its last bit of y turned. */
static void put_off_curve(const struct blob *key, const struct array *array,
			  size_t i)
{
	uint8_t *p = point_at(key, array, i);

	memmove(p, point_at(key, &arrays[array->bytes == G1_BYTES ? 0 : 2], 0),
		array->bytes);
	p[array->bytes - FP_BYTES] ^= 1;
}

TEST(points_off_their_curve)
{
	struct blob good = blob_read(GOLDEN MUL2 ".zkey"), b;
	char msg[MSG_BYTES];
	size_t i, j;

	ctx = make_ctx(2);
	for (i = 0; i < LULL_ARRAY_SIZE(arrays); i++) {
		for (j = 0; j < arrays[i].nr; j++) {
			b = blob_copy(good.data, good.bytes);
			put_off_curve(&b, &arrays[i], j);
			point_message(msg, &b, &arrays[i], j, OFF_CURVE);
			expect_key_refused(&b, LULL_RANGE, msg);
			blob_free(&b);
		}
	}
	blob_free(&good);
	lull_ctx_destroy(ctx);
}

TEST(coordinates_not_below_q)
{
	const uint8_t *q = lull_curve_facts(LULL_CURVE_ID)->fp_prime;
	struct blob good = blob_read(GOLDEN MUL2 ".zkey"), b;
	char msg[MSG_BYTES];
	size_t i, at;

	ctx = make_ctx(2);
	for (i = 0; i < LULL_ARRAY_SIZE(arrays); i++) {
		const struct array *a = &arrays[i];

		for (at = 0; at < a->bytes; at += FP_BYTES) {
			b = blob_copy(good.data, good.bytes);
			memcpy(point_at(&b, a, a->nr - 1) + at, q, FP_BYTES);
			point_message(msg, &b, a, a->nr - 1, NOT_BELOW_Q);
			expect_key_refused(&b, LULL_RANGE, msg);
			memset(point_at(&b, a, a->nr - 1) + at, 0xff, FP_BYTES);
			expect_key_refused(&b, LULL_RANGE, msg);
			blob_free(&b);
		}
	}
	blob_free(&good);
	lull_ctx_destroy(ctx);
}

/* Every one of q, zero and all ones: a point that is no point at infinity. */
TEST(all_coordinates_q)
{
	const uint8_t *q = lull_curve_facts(LULL_CURVE_ID)->fp_prime;
	struct blob b = blob_read(GOLDEN MUL2 ".zkey");
	char msg[MSG_BYTES];
	size_t at;

	ctx = make_ctx(1);
	for (at = 0; at < G1_BYTES; at += FP_BYTES)
		memcpy(point_at(&b, &arrays[7], 1) + at, q, FP_BYTES);
	point_message(msg, &b, &arrays[7], 1, NOT_BELOW_Q);
	expect_key_refused(&b, LULL_RANGE, msg);
	blob_free(&b);
	lull_ctx_destroy(ctx);
}

static void put_outside(uint8_t *out, size_t bytes)
{
	struct g1_affine p;
	struct g2_affine q;

	random_curve_point_g1(&p);
	random_curve_point_g2(&q);
	memcpy(out, bytes == G1_BYTES ? (void *)&p : (void *)&q, bytes);
}

/* Opening takes a point outside the subgroup, checking names it. */
TEST(points_outside_their_subgroup)
{
	struct blob good = blob_read(GOLDEN MUL2 ".zkey"), b;
	struct lull_error error;
	struct lull_key *key;
	char msg[MSG_BYTES];
	size_t i, j;

	ctx = make_ctx(2);
	for (i = 0; i < LULL_ARRAY_SIZE(arrays); i++) {
		const struct array *a = &arrays[i];
		/* BN254's G1 is the whole curve. */
		bool any =
			LULL_CURVE_ID == LULL_ID_bn254 && a->bytes == G1_BYTES;

		j = a->nr - 1;
		b = blob_copy(good.data, good.bytes);
		put_outside(point_at(&b, a, j), a->bytes);
		point_message(msg, &b, a, j, OUTSIDE);
		key = NULL;
		EXPECT_EQ(LULL_OK,
			  lull_key_open_mem(ctx, b.data, b.bytes, &key, NULL));
		memset(&error, POISON, sizeof(error));
		EXPECT_EQ(any ? LULL_OK : LULL_RANGE,
			  lull_key_check(key, &error));
		if (!any)
			EXPECT_STREQ(msg, error.msg);
		else
			EXPECT_TRUE(untouched(&error, sizeof(error)));
		lull_key_close(key);
		blob_free(&b);
	}
	blob_free(&good);
	lull_ctx_destroy(ctx);
}

TEST(golden_keys_pass_the_check)
{
	static const char *const names[] = { MUL2, CURVE_JSON "-poseidon2",
					     CURVE_JSON "-chain1000",
					     MUL2 "-contributed" };
	struct lull_key *key = NULL;
	char path[PATH_BYTES];
	size_t i;

	ctx = make_ctx(2);
	for (i = 0; i < LULL_ARRAY_SIZE(names); i++) {
		golden_path(path, names[i], "zkey");
		EXPECT_EQ(LULL_OK, lull_key_open(ctx, path, &key, NULL));
		EXPECT_EQ(LULL_OK, lull_key_check(key, NULL));
		lull_key_close(key);
	}
	lull_ctx_destroy(ctx);
}

/* ---- many tasks: the lowest fault is the one that is told -------------- */

TEST(lowest_of_many_points)
{
	const uint8_t *q = lull_curve_facts(LULL_CURVE_ID)->fp_prime;
	const struct array h = { 9, "H", 0, 1 << 13, G1_BYTES };
	char r1cs[PATH_BYTES], wtns[PATH_BYTES], zkey[PATH_BYTES];
	char msg[MSG_BYTES];
	struct blob b;
	int i;

	ctx = make_ctx(4);
	scratch_path(zkey, "many.zkey");
	ASSERT_TRUE(make_circuit("dense", CURVE_JSON, 13, r1cs, wtns));
	ASSERT_EQ(LULL_OK, lull_key_generate_toxic(ctx, r1cs, zkey, NULL));
	b = blob_read(zkey);
	put_off_curve(&b, &h, h.nr - 1);
	point_message(msg, &b, &h, h.nr - 1, OFF_CURVE);
	expect_key_refused(&b, LULL_RANGE, msg);
	put_off_curve(&b, &h, 5000);
	memcpy(point_at(&b, &h, 4095), q, FP_BYTES);
	put_off_curve(&b, &h, 4096);
	point_message(msg, &b, &h, 4095, NOT_BELOW_Q);
	for (i = 0; i < 8; i++)
		expect_key_refused(&b, LULL_RANGE, msg);
	blob_free(&b);
	lull_ctx_destroy(ctx);
	scratch_clear();
}

/* Points are looked at eight at a time where the processor can: each place in
 * such a group, each coordinate, and two faults in one group. */
static void expect_each_place(const struct blob *good,
			      const struct array *array)
{
	const uint8_t *q = lull_curve_facts(LULL_CURVE_ID)->fp_prime;
	const uint8_t *any =
		point_at(good, &arrays[array->bytes == G1_BYTES ? 0 : 2], 0);
	struct blob b = blob_copy(good->data, good->bytes);
	char msg[MSG_BYTES];
	size_t i, at;

	for (i = 3; i < 3 + 9; i++) {
		uint8_t *p = point_at(&b, array, i);

		for (at = 0; at < array->bytes; at += FP_BYTES) {
			memcpy(p, any, array->bytes);
			p[at + test_random() % (FP_BYTES - 1)] ^= 0x10;
			point_message(msg, &b, array, i, OFF_CURVE);
			expect_key_refused(&b, LULL_RANGE, msg);
			memcpy(p, any, array->bytes);
			memcpy(p + at, q, FP_BYTES);
			point_message(msg, &b, array, i, NOT_BELOW_Q);
			expect_key_refused(&b, LULL_RANGE, msg);
		}
		/* Infinity is no fault, and the next one is found. */
		memset(p, 0, array->bytes);
		put_off_curve(&b, array, i + 1);
		memcpy(point_at(&b, array, i + 2), q, FP_BYTES);
		point_message(msg, &b, array, i + 1, OFF_CURVE);
		expect_key_refused(&b, LULL_RANGE, msg);
		memcpy(b.data, good->data, good->bytes);
	}
	blob_free(&b);
}

TEST(each_place_among_eight)
{
	static const struct array a = { 5, "A", 0, 520, G1_BYTES };
	static const struct array b2 = { 7, "B2", 0, 520, G2_BYTES };
	struct blob good = blob_read(GOLDEN CURVE_JSON "-poseidon2.zkey");

	ctx = make_ctx(1);
	expect_each_place(&good, &a);
	expect_each_place(&good, &b2);
	blob_free(&good);
	lull_ctx_destroy(ctx);
}

static void expect_coef_refused(const struct blob *b, size_t i, size_t field,
				const char *what)
{
	char msg[MSG_BYTES];

	snprintf(msg, sizeof(msg),
		 "key: section 4 (coefficients), offset 0x%zx: "
		 "coefficient %zu: %s",
		 (size_t)(coef_at(b, i) + field - b->data), i, what);
	expect_key_refused(b, LULL_RANGE, msg);
}

TEST(lowest_of_many_coefficients)
{
	struct blob good = blob_read(GOLDEN MUL2 ".zkey"), b;
	const uint32_t one = 1, two = 2, four = 4;

	ctx = make_ctx(4);
	b = with_zero_coefs(&good, 200000);
	memcpy(coef_at(&b, 199999), &two, sizeof(two));
	expect_coef_refused(&b, 199999, 0, "matrix: expected 0 or 1, found 2");
	memcpy(coef_at(&b, 131072) + 4, &four, sizeof(four));
	expect_coef_refused(&b, 131072, 4,
			    "constraint: expected below 4, found 4");
	memcpy(coef_at(&b, 70001) + 8, &four, sizeof(four));
	expect_coef_refused(&b, 70001, 8, "signal: expected below 4, found 4");
	memcpy(coef_at(&b, 70000) + 12,
	       lull_curve_facts(LULL_CURVE_ID)->fr_prime, LULL_FR_BYTES);
	expect_coef_refused(&b, 70000, 12,
			    "value: expected below r of " CURVE_TEXT);
	/* One less is a value. */
	coef_at(&b, 70000)[12]--;
	expect_coef_refused(&b, 70001, 8, "signal: expected below 4, found 4");
	memcpy(coef_at(&b, 0), &one, sizeof(one));
	memset(coef_at(&b, 0) + 4, 0xff, 4);
	expect_coef_refused(&b, 0, 4,
			    "constraint: expected below 4, found 4294967295");
	blob_free(&b);
	blob_free(&good);
	lull_ctx_destroy(ctx);
}

static void expect_wtns_refused(const struct blob *b, int code, const char *msg)
{
	struct lull_wtns *wtns;
	struct lull_error error;

	memset(&wtns, POISON, sizeof(wtns));
	memset(&error, POISON, sizeof(error));
	EXPECT_EQ(code,
		  lull_wtns_open_mem(ctx, b->data, b->bytes, &wtns, &error));
	EXPECT_TRUE(untouched(&wtns, sizeof(wtns)));
	EXPECT_STREQ(msg, error.msg);
}

static void expect_value_refused(const struct blob *b, size_t i)
{
	size_t at = blob_payload(b, 2) + i * LULL_FR_BYTES;
	char msg[MSG_BYTES];

	snprintf(msg, sizeof(msg),
		 "witness: section 2 (values), offset 0x%zx: value %zu of "
		 "140000: expected below r of " CURVE_TEXT,
		 at, i);
	memcpy(b->data + at, lull_curve_facts(LULL_CURVE_ID)->fr_prime,
	       LULL_FR_BYTES);
	expect_wtns_refused(b, LULL_RANGE, msg);
}

TEST(lowest_of_many_values)
{
	struct blob good = blob_read(GOLDEN MUL2 ".wtns");
	struct blob b = blob_resize(&good, 2, 140000 * LULL_FR_BYTES);

	ctx = make_ctx(4);
	/* nWitness is the last number of the header. */
	blob_put_u32(&b, blob_payload(&b, 1) + 36, 140000);
	expect_value_refused(&b, 139999);
	expect_value_refused(&b, 131072);
	expect_value_refused(&b, 65536);
	expect_value_refused(&b, 1);
	blob_free(&b);
	blob_free(&good);
	lull_ctx_destroy(ctx);
}

/* ---- witnesses --------------------------------------------------------- */

static struct lull_key *open_key(const char *name)
{
	struct lull_key *key = NULL;
	char path[PATH_BYTES];

	golden_path(path, name, "zkey");
	EXPECT_EQ(LULL_OK, lull_key_open(ctx, path, &key, NULL));
	return key;
}

static struct lull_wtns *open_wtns(const char *name)
{
	struct lull_wtns *wtns = NULL;
	char path[PATH_BYTES];

	golden_path(path, name, "wtns");
	EXPECT_EQ(LULL_OK, lull_wtns_open(ctx, path, &wtns, NULL));
	return wtns;
}

static void expect_not_proved(const struct lull_key *key,
			      const struct lull_wtns *wtns, int code,
			      const char *msg)
{
	struct lull_proof *proof;
	struct lull_error error;

	memset(&proof, POISON, sizeof(proof));
	memset(&error, POISON, sizeof(error));
	EXPECT_EQ(code, lull_prove(ctx, key, wtns, NULL, &proof, &error));
	EXPECT_TRUE(untouched(&proof, sizeof(proof)));
	EXPECT_EQ(code, error.code);
	EXPECT_STREQ(msg, error.msg);
	EXPECT_EQ(code, lull_prove(ctx, key, wtns, NULL, &proof, NULL));
	EXPECT_TRUE(untouched(&proof, sizeof(proof)));
}

static void expect_not_satisfied(const struct lull_wtns *wtns, const char *r1cs,
				 int code, const char *msg)
{
	struct lull_error error;

	memset(&error, POISON, sizeof(error));
	EXPECT_EQ(code, lull_wtns_check(wtns, r1cs, &error));
	EXPECT_EQ(code, error.code);
	EXPECT_STREQ(msg, error.msg);
	EXPECT_EQ(code, lull_wtns_check(wtns, r1cs, NULL));
}

TEST(witness_of_another_circuit)
{
	struct lull_wtns *wtns;
	struct lull_key *key;

	ctx = make_ctx(1);
	key = open_key(MUL2);
	wtns = open_wtns(CURVE_JSON "-poseidon2");
	expect_not_proved(key, wtns, LULL_MISMATCH,
			  GOLDEN MUL2 ".zkey: the key expects 4 witness "
				      "values, found 520 in " GOLDEN CURVE_JSON
				      "-poseidon2.wtns");
	expect_not_satisfied(wtns, GOLDEN MUL2 ".r1cs", LULL_MISMATCH,
			     GOLDEN MUL2
			     ".r1cs: the circuit expects 4 witness "
			     "values, found 520 in " GOLDEN CURVE_JSON
			     "-poseidon2.wtns");
	lull_wtns_close(wtns);
	wtns = open_wtns(OTHER_JSON "-mul2");
	expect_not_proved(key, wtns, LULL_MISMATCH,
			  GOLDEN MUL2 ".zkey is for " CURVE_TEXT
				      ", " GOLDEN OTHER_JSON
				      "-mul2.wtns for " OTHER_TEXT);
	expect_not_satisfied(wtns, GOLDEN MUL2 ".r1cs", LULL_MISMATCH,
			     GOLDEN MUL2 ".r1cs is for " CURVE_TEXT
					 ", " GOLDEN OTHER_JSON
					 "-mul2.wtns for " OTHER_TEXT);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
}

/* Of the right size and from another circuit: only the check at the end of a
 * proof, or the circuit, can tell. */
TEST(witness_that_does_not_satisfy)
{
	struct blob b = blob_read(GOLDEN MUL2 ".wtns");
	struct lull_wtns *wtns = NULL;
	struct lull_key *key;
	unsigned int wire;

	ctx = make_ctx(2);
	key = open_key(MUL2);
	for (wire = 1; wire < 4; wire++) {
		uint8_t *w =
			b.data + blob_payload(&b, 2) + wire * LULL_FR_BYTES;

		w[0] ^= 1;
		EXPECT_EQ(LULL_OK, lull_wtns_open_mem(ctx, b.data, b.bytes,
						      &wtns, NULL));
		expect_not_proved(key, wtns, LULL_UNSATISFIED,
				  GOLDEN MUL2
				  ".zkey: the proof does not verify: the "
				  "witness does not satisfy the circuit, or "
				  "the key is another circuit's");
		expect_not_satisfied(
			wtns, GOLDEN MUL2 ".r1cs", LULL_UNSATISFIED,
			GOLDEN MUL2 ".r1cs: constraint 0 of 1 is "
				    "not satisfied by the witness");
		lull_wtns_close(wtns);
		w[0] ^= 1;
	}
	lull_key_close(key);
	blob_free(&b);
	lull_ctx_destroy(ctx);
}

/* Wire k + 3 of the dense shape is made by constraint k. */
TEST(first_unsatisfied_constraint)
{
	char r1cs[PATH_BYTES], wtns_path[PATH_BYTES], msg[PATH_BYTES * 2];
	struct lull_wtns *wtns = NULL;
	unsigned int k;
	struct blob b;

	ctx = make_ctx(1);
	ASSERT_TRUE(make_circuit("dense", CURVE_JSON, 4, r1cs, wtns_path));
	b = blob_read(wtns_path);
	for (k = 0; k < 13; k++) {
		uint8_t *w =
			b.data + blob_payload(&b, 2) + (k + 3) * LULL_FR_BYTES;

		w[0] ^= 1;
		EXPECT_EQ(LULL_OK, lull_wtns_open_mem(ctx, b.data, b.bytes,
						      &wtns, NULL));
		snprintf(msg, sizeof(msg),
			 "%s: constraint %u of 14 is not satisfied by the "
			 "witness",
			 r1cs, k);
		expect_not_satisfied(wtns, r1cs, LULL_UNSATISFIED, msg);
		lull_wtns_close(wtns);
		w[0] ^= 1;
	}
	blob_free(&b);
	lull_ctx_destroy(ctx);
	scratch_clear();
}

TEST(no_verify_lets_it_through)
{
	struct lull_prove_opts opts = { .size = sizeof(opts),
					.flags = LULL_PROVE_NO_VERIFY };
	struct blob b = blob_read(GOLDEN MUL2 ".wtns");
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;
	struct lull_key *key;

	ctx = make_ctx(2);
	key = open_key(MUL2);
	b.data[b.bytes - LULL_FR_BYTES] ^= 1;
	EXPECT_EQ(LULL_OK,
		  lull_wtns_open_mem(ctx, b.data, b.bytes, &wtns, NULL));
	EXPECT_EQ(LULL_OK, lull_prove(ctx, key, wtns, &opts, &proof, NULL));
	ASSERT_TRUE(proof != NULL);
	EXPECT_EQ(LULL_INVALID, verify_proof(key, proof));
	lull_proof_free(proof);
	lull_wtns_close(wtns);
	lull_key_close(key);
	blob_free(&b);
	lull_ctx_destroy(ctx);
	scratch_clear();
}

/* ---- arguments --------------------------------------------------------- */

TEST(context_options_of_another_size)
{
	struct lull_ctx_opts opts = { .size = 0 };
	struct {
		struct lull_ctx_opts opts;
		uint64_t more;
	} newer = { { .size = sizeof(newer) }, 1 };
	struct lull_ctx *none = NULL;
	struct lull_error error;
	char text[sizeof(error.msg)];

	EXPECT_EQ(LULL_USAGE, lull_ctx_create(&opts, &none, &error));
	EXPECT_STREQ("struct lull_ctx_opts: expected size 32 or more, found 0",
		     error.msg);
	EXPECT_TRUE(!none);
	EXPECT_EQ(LULL_USAGE, lull_ctx_create(&newer.opts, &none, &error));
	snprintf(text, sizeof(text),
		 "struct lull_ctx_opts: expected size %zu, found %zu with more "
		 "in it",
		 sizeof(opts), sizeof(newer));
	EXPECT_STREQ(text, error.msg);
	EXPECT_TRUE(!none);
	newer.more = 0;
	EXPECT_EQ(LULL_OK, lull_ctx_create(&newer.opts, &none, &error));
	lull_ctx_destroy(none);
	/* Of an older caller, what stands behind its size is not read. */
	opts = (struct lull_ctx_opts){ .size = 32, .arena = "none such" };
	EXPECT_EQ(LULL_OK, lull_ctx_create(&opts, &none, &error));
	lull_ctx_destroy(none);
}

/* @s, a struct lull_NAME, is refused by @call at each size but its own, and is
 * not written to. */
#define EXPECT_SIZES(name, s, call)                                            \
	do {                                                                   \
		const size_t sizes[] = { 0, sizeof(s) - 1, sizeof(s) + 8 };    \
		struct lull_error error;                                       \
		char text[sizeof(error.msg)];                                  \
		size_t i;                                                      \
                                                                               \
		for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++) {                 \
			memset(&(s), 0, sizeof(s));                            \
			(s).size = sizes[i];                                   \
			EXPECT_EQ(LULL_USAGE, call);                           \
			snprintf(text, sizeof(text),                           \
				 "struct lull_" name                           \
				 ": expected size %zu, found %zu",             \
				 sizeof(s), sizes[i]);                         \
			EXPECT_STREQ(text, error.msg);                         \
			(s).size = 0;                                          \
			EXPECT_TRUE(all_zero(&(s), sizeof(s)));                \
		}                                                              \
	} while (0)

static bool all_zero(const void *p, size_t nr_bytes)
{
	const uint8_t *bytes = p;
	size_t i = 0;

	while (i < nr_bytes && !bytes[i])
		i++;
	return i == nr_bytes;
}

TEST(structs_of_another_size)
{
	struct lull_toxic_circuit toxic;
	struct lull_toxic_opts toxic_opts;
	struct lull_convert_opts convert_opts;
	struct lull_prove_opts prove_opts;
	struct lull_circuit_info circuit;
	struct lull_key_info info;
	struct lull_ctx_stats stats;
	struct lull_device_stats of_device;
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns;
	struct lull_key *key;

	ctx = make_ctx(1);
	key = open_key(MUL2);
	wtns = open_wtns(MUL2);
	EXPECT_SIZES("ctx_stats", stats, lull_ctx_stats(ctx, &stats, &error));
	EXPECT_SIZES("device_stats", of_device,
		     lull_ctx_device_stats(ctx, &of_device, &error));
	EXPECT_SIZES("key_info", info, lull_key_info(key, &info, &error));
	EXPECT_SIZES("circuit_info", circuit,
		     lull_circuit_info(GOLDEN MUL2 ".r1cs", &circuit, &error));
	EXPECT_SIZES("prove_opts", prove_opts,
		     lull_prove(ctx, key, wtns, &prove_opts, &proof, &error));
	EXPECT_TRUE(!proof);
	EXPECT_SIZES("convert_opts", convert_opts,
		     lull_key_convert(ctx, GOLDEN MUL2 ".zkey", "/none/k",
				      &convert_opts, &error));
	EXPECT_SIZES("toxic_circuit", toxic,
		     lull_key_generate_toxic_native(ctx, &toxic, "/none/k",
						    NULL, &error));
	toxic.size = sizeof(toxic);
	EXPECT_SIZES("toxic_opts", toxic_opts,
		     lull_key_generate_toxic_native(ctx, &toxic, "/none/k",
						    &toxic_opts, &error));
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
}

TEST(nothing_to_end)
{
	lull_ctx_destroy(NULL);
	lull_key_close(NULL);
	lull_wtns_close(NULL);
	lull_proof_free(NULL);
}

/* ---- outputs ----------------------------------------------------------- */

static struct lull_proof *make_proof(struct lull_key *key)
{
	struct lull_wtns *wtns = open_wtns(MUL2);
	struct lull_proof *proof = NULL;

	EXPECT_EQ(LULL_OK, lull_prove(ctx, key, wtns, NULL, &proof, NULL));
	lull_wtns_close(wtns);
	return proof;
}

TEST(outputs_onto_inputs)
{
	struct blob b = blob_read(GOLDEN MUL2 ".zkey"), after;
	char path[PATH_BYTES], msg[PATH_BYTES * 2];
	struct lull_key *key = NULL;
	struct lull_proof *proof;
	struct lull_error error;

	ctx = make_ctx(1);
	scratch_path(path, "own.zkey");
	blob_write(&b, path);
	EXPECT_EQ(LULL_OK, lull_key_open(ctx, path, &key, NULL));
	EXPECT_EQ(LULL_USAGE, lull_key_vkey_write(key, path, &error));
	snprintf(msg, sizeof(msg), "%s: the output is the key itself", path);
	EXPECT_STREQ(msg, error.msg);
	proof = make_proof(key);
	EXPECT_EQ(LULL_USAGE, lull_proof_write(proof, path, path, &error));
	snprintf(msg, sizeof(msg), "%s: proof and public signals are one file",
		 path);
	EXPECT_STREQ(msg, error.msg);
	lull_proof_free(proof);
	lull_key_close(key);
	EXPECT_EQ(LULL_USAGE, lull_key_generate_toxic(ctx, path, path, &error));
	snprintf(msg, sizeof(msg), "the key would replace the circuit %s",
		 path);
	EXPECT_STREQ(msg, error.msg);
	after = blob_read(path);
	EXPECT_EQ(b.bytes, after.bytes);
	EXPECT_MEMEQ(b.data, after.data, b.bytes);
	EXPECT_EQ(1, scratch_count());
	blob_free(&after);
	blob_free(&b);
	lull_ctx_destroy(ctx);
	scratch_clear();
}

/* Neither of two outputs appears when one cannot. */
TEST(directories_that_do_not_exist)
{
	char good[PATH_BYTES], bad[PATH_BYTES], msg[PATH_BYTES * 2];
	struct lull_proof *proof;
	struct lull_error error;
	struct lull_key *key;

	ctx = make_ctx(1);
	key = open_key(MUL2);
	proof = make_proof(key);
	scratch_path(good, "proof.json");
	scratch_path(bad, "none/public.json");
	snprintf(msg, sizeof(msg),
		 "%s: creating a file in its directory: No such file or "
		 "directory",
		 bad);
	EXPECT_EQ(LULL_IO, lull_proof_write(proof, good, bad, &error));
	EXPECT_STREQ(msg, error.msg);
	EXPECT_EQ(LULL_IO, lull_proof_write(proof, bad, good, &error));
	EXPECT_STREQ(msg, error.msg);
	EXPECT_EQ(LULL_IO, lull_key_vkey_write(key, bad, &error));
	EXPECT_STREQ(msg, error.msg);
	EXPECT_EQ(LULL_IO, lull_key_generate_toxic(ctx, GOLDEN MUL2 ".r1cs",
						   bad, &error));
	EXPECT_STREQ(msg, error.msg);
	EXPECT_EQ(0, scratch_count());
	lull_proof_free(proof);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
}

TEST_MAIN
