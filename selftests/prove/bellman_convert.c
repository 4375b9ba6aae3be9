// SPDX-License-Identifier: Apache-2.0
/*
 * bellman_convert.c - parameters and their circuit become a native key
 *
 * Keys by bellman's definition, converted, prove from a witness what the
 * parameters prove from an assignment, byte for byte; circuits of other
 * parameters are refused, each for its own reason.
 */
#include "params.h"

#include "input/bellman.h"

#define POSEIDON "bls12381-poseidon2"
#define PROOF_BYTES LULL_BELLMAN_PROOF_BYTES

static struct lull_ctx *ctx;
static struct made poseidon;
static char params_path[PATH_BYTES], lkey_path[PATH_BYTES];

static void set_up(void)
{
	scratch_path(params_path, "in.params");
	scratch_path(lkey_path, "out.lkey");
	if (ctx)
		return;
	ctx = make_ctx(3);
	make_key(&poseidon, GOLDEN POSEIDON ".r1cs");
}

static int convert(const struct blob *file, const char *r1cs, int fold,
		   struct lull_error *error)
{
	const struct lull_convert_opts opts = { .size = sizeof(opts),
						.r1cs_path = r1cs,
						.fold_c = fold };

	blob_write(file, params_path);
	return lull_key_convert_bellman(ctx, params_path, lkey_path, &opts,
					error);
}

/* ---- proofs ------------------------------------------------------------- */

/* What the parameters themselves prove, from rows and densities. */
static void prove_assigned(const struct blob *file, const char *r1cs,
			   const char *wtns, const uint8_t *r_plain,
			   const uint8_t *s_plain, char text[TEXT_BYTES])
{
	struct lull_proof *proof = NULL;
	struct lull_key *key = NULL;
	struct assignment t;
	struct fr r, s;

	read_assignment(&t, r1cs, wtns);
	fr_load(&r, r_plain);
	fr_load(&s, s_plain);
	t.in.r = &r;
	t.in.s = &s;
	ASSERT_EQ(LULL_OK, lull_key_open_bellman_mem(ctx, file->data,
						     file->bytes, &key, NULL));
	ASSERT_EQ(LULL_OK,
		  lull_prove_assigned(ctx, key, &t.in, NULL, &proof, NULL));
	lull_proof_json(proof, text, TEXT_BYTES);
	lull_proof_free(proof);
	lull_key_close(key);
	free_assignment(&t);
}

/* Under the parameters' own verifying key, and under the one written of the
 * native key. */
static void verify(const struct blob *file, const struct lull_key *key,
		   const struct lull_proof *proof)
{
	struct lull_vkey *vkey = NULL;
	uint8_t bytes[PROOF_BYTES];

	EXPECT_EQ(LULL_OK, verify_proof(key, proof));
	ASSERT_EQ(LULL_OK, lull_proof_bellman(proof, bytes, NULL));
	ASSERT_EQ(LULL_OK, lull_vkey_open_bellman_mem(file->data, file->bytes,
						      &vkey, NULL));
	EXPECT_EQ(LULL_OK,
		  lull_vkey_verify(vkey, bytes, proof->publics.ptr, 1, NULL));
	lull_vkey_close(vkey);
}

static void prove_converted(const struct blob *file, const char *r1cs,
			    const char *wtns_path, int fold, const char *want)
{
	const uint8_t r[LULL_FR_BYTES] = { 77, 1, 2 }, s[LULL_FR_BYTES] = { 5 };
	struct lull_error error = { 0 };
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	char got[TEXT_BYTES];

	if (convert(file, r1cs, fold, &error))
		TEST_FAIL_("%s", error.msg);
	ASSERT_EQ(LULL_OK, lull_key_open(ctx, lkey_path, &key, &error));
	EXPECT_EQ(LULL_OK, lull_key_check(key, &error));
	ASSERT_EQ(LULL_OK, lull_wtns_open(ctx, wtns_path, &wtns, &error));
	ASSERT_EQ(LULL_OK, lull_prove_blinded(ctx, key, wtns, NULL, r, s,
					      &proof, &error));
	lull_proof_json(proof, got, sizeof(got));
	EXPECT_STREQ(want, got);
	verify(file, key, proof);
	lull_proof_free(proof);
	lull_wtns_close(wtns);
	lull_key_close(key);
}

static void both_ways(const struct blob *file, const char *r1cs,
		      const char *wtns)
{
	const uint8_t r[LULL_FR_BYTES] = { 77, 1, 2 }, s[LULL_FR_BYTES] = { 5 };
	char want[TEXT_BYTES];

	prove_assigned(file, r1cs, wtns, r, s, want);
	prove_converted(file, r1cs, wtns, 0, want);
	prove_converted(file, r1cs, wtns, 1, want);
}

/* Domains up to 4 have the same order of rows on both sides, larger ones have
 * not. */
TEST(shapes_and_sizes)
{
	static const struct {
		const char *shape;
		unsigned int log2_n;
	} all[] = {
		{ "dense", 2 },	      { "dense", 3 },	   { "sha", 4 },
		{ "edge-nopub", 2 },  { "edge-nopub", 5 }, { "edge-linear", 3 },
		{ "edge-linear", 5 }, { "dense", 6 },	   { "sha", 6 },
	};
	/* The large ones are no other code. */
	size_t nr = LULL_ARRAY_SIZE(all) - (test_sanitized() ? 2 : 0);
	char r1cs[PATH_BYTES], wtns[PATH_BYTES];
	unsigned int i;
	struct made m;

	set_up();
	for (i = 0; i < nr; i++) {
		ASSERT_TRUE(make_circuit(all[i].shape, "bls12381",
					 all[i].log2_n, r1cs, wtns));
		make_key(&m, r1cs);
		both_ways(&m.file, r1cs, wtns);
		blob_free(&m.file);
	}
}

TEST(a_circuit_of_the_compilers)
{
	struct blob golden;

	set_up();
	golden = blob_read(GOLDEN POSEIDON ".params");
	ASSERT_EQ(poseidon.file.bytes, golden.bytes);
	EXPECT_MEMEQ(poseidon.file.data, golden.data, golden.bytes);
	blob_free(&golden);
	both_ways(&poseidon.file, GOLDEN POSEIDON ".r1cs",
		  GOLDEN POSEIDON ".wtns");
}

TEST(bytes_do_not_depend_on_threads)
{
	struct lull_ctx *kept;
	struct blob want, got;

	set_up();
	kept = ctx;
	ASSERT_EQ(LULL_OK,
		  convert(&poseidon.file, GOLDEN POSEIDON ".r1cs", 0, NULL));
	want = blob_read(lkey_path);
	ctx = make_ctx(1);
	EXPECT_EQ(LULL_OK,
		  convert(&poseidon.file, GOLDEN POSEIDON ".r1cs", 0, NULL));
	got = blob_read(lkey_path);
	ASSERT_EQ(want.bytes, got.bytes);
	EXPECT_MEMEQ(want.data, got.data, want.bytes);
	blob_free(&want);
	blob_free(&got);
	lull_ctx_destroy(ctx);
	ctx = kept;
}

/* ---- pairs that do not belong together ---------------------------------- */

static void expect_refused(const struct blob *file, const char *r1cs, int code,
			   const char *msg)
{
	struct lull_error error = { 0 };

	unlink(lkey_path);
	EXPECT_EQ(code, convert(file, r1cs, 0, &error));
	if (!strstr(error.msg, msg))
		TEST_FAIL_("expected \"%s\" in \"%s\"", msg, error.msg);
	EXPECT_TRUE(access(lkey_path, F_OK));
}

TEST(other_sizes)
{
	struct blob converted;
	char r1cs[PATH_BYTES], wtns[PATH_BYTES], want[PATH_BYTES];
	struct lull_key *zkey = NULL;

	set_up();
	ASSERT_TRUE(make_circuit("sha", "bls12381", 10, r1cs, wtns));
	expect_refused(&poseidon.file, r1cs, LULL_MISMATCH,
		       "in.params: section l, offset 0x");
	expect_refused(&poseidon.file, r1cs, LULL_MISMATCH,
		       "points, the private wires of ");
	expect_refused(&poseidon.file, GOLDEN "bls12381-mul2.r1cs",
		       LULL_MISMATCH, "in.params: section l, offset 0x");
	expect_refused(&poseidon.file, GOLDEN "bn128-poseidon2.r1cs",
		       LULL_MISMATCH, "the circuit is of BN254, the key ");
	/* The .zkey's rows are in another order. */
	ASSERT_EQ(LULL_OK,
		  lull_key_open(ctx, GOLDEN POSEIDON ".zkey", &zkey, NULL));
	scratch_path(want, "other.params");
	ASSERT_EQ(LULL_OK, lull_key_bellman_write(zkey, want, NULL));
	lull_key_close(zkey);
	converted = blob_read(want);
	expect_refused(&converted, GOLDEN POSEIDON ".r1cs", LULL_MISMATCH,
		       "B: expected the points of this circuit, found others");
	blob_free(&converted);
}

/* Constraints of a circuit in memory. */
static uint8_t *find_row(struct blob *b, uint32_t which,
			 struct lull_r1cs_row *ret_row, size_t *ret_bytes)
{
	struct lull_r1cs_walk walk;
	struct lull_r1cs r1cs;
	const uint8_t *at;

	if (lull_r1cs_open_mem(b->data, b->bytes, "c", &r1cs, NULL))
		exit(1);
	walk = lull_r1cs_walk(&r1cs);
	do {
		at = walk.next;
		if (!lull_r1cs_next(&r1cs, &walk, ret_row))
			break;
	} while (which--);
	*ret_bytes = (size_t)(walk.next - at);
	lull_r1cs_close(&r1cs);
	return (uint8_t *)(uintptr_t)at;
}

static void expect_changed(struct blob *r1cs, const char *msg)
{
	char path[PATH_BYTES];

	scratch_path(path, "changed.r1cs");
	blob_write(r1cs, path);
	expect_refused(&poseidon.file, path, LULL_MISMATCH, msg);
	blob_free(r1cs);
}

/* Another coefficient, in the first row whose matrices are all there, or which
 * is linear. */
static void change_coefficient(unsigned int matrix, bool linear,
			       const char *msg)
{
	struct blob b = blob_read(GOLDEN POSEIDON ".r1cs");
	struct lull_r1cs_row row;
	struct lull_r1cs_lc *lc[] = { &row.a, &row.b, &row.c };
	uint8_t *value;
	size_t bytes;
	uint32_t i;

	for (i = 0; i < 517; i++) {
		find_row(&b, i, &row, &bytes);
		if (row.c.nr_terms && !row.a.nr_terms == linear &&
		    !row.b.nr_terms == linear)
			break;
	}
	value = (uint8_t *)(uintptr_t)lull_r1cs_term_value(lc[matrix], 0);
	memset(value, 0, LULL_FR_BYTES);
	value[0] = 5;
	expect_changed(&b, msg);
}

TEST(other_coefficients)
{
	set_up();
	change_coefficient(0, false, "A: expected the points of this circuit");
	/* The others are the same conversions, with other words in the end. */
	if (test_sanitized())
		return;
	change_coefficient(1, false, "B: expected the points of this circuit");
	change_coefficient(2, false,
			   "L, IC and C: expected the points of this circuit");
	change_coefficient(2, true,
			   "L, IC and C: expected the points of this circuit");
}

/* Two constraints of the same length change places. */
TEST(another_order_of_rows)
{
	struct blob b = blob_read(GOLDEN POSEIDON ".r1cs");
	size_t bytes, other_bytes;
	struct lull_r1cs_row row;
	uint8_t *at, *other, *held;
	uint32_t i = 1;

	set_up();
	at = find_row(&b, 0, &row, &bytes);
	do {
		other = find_row(&b, i++, &row, &other_bytes);
	} while (i < 517 &&
		 (other_bytes != bytes || !memcmp(at, other, bytes)));
	ASSERT_EQ(bytes, other_bytes);
	held = must_alloc(bytes);
	memcpy(held, at, bytes);
	memcpy(at, other, bytes);
	memcpy(other, held, bytes);
	free(held);
	expect_changed(&b, "expected the points of this circuit, found others");
}

/* ---- points ------------------------------------------------------------- */

static void expect_bad_point(const struct blob *good, const char *r1cs,
			     size_t at, const char *msg)
{
	struct blob b = blob_copy(good->data, good->bytes);

	b.data[at] ^= 1;
	expect_refused(&b, r1cs, LULL_RANGE, msg);
	blob_free(&b);
}

/* A point of each array off its curve, with its own name, number and place. */
TEST(points_off_their_curve)
{
	char r1cs[PATH_BYTES], wtns[PATH_BYTES], want[128];
	struct lull_bellman file;
	unsigned int i;
	struct made m;
	size_t at;

	set_up();
	ASSERT_TRUE(make_circuit("sha", "bls12381", 4, r1cs, wtns));
	make_key(&m, r1cs);
	ASSERT_EQ(LULL_OK, lull_bellman_open_mem(m.file.data, m.file.bytes, "p",
						 0, &file, NULL));
	for (i = 0; i < LULL_BELLMAN_NR_ARRAYS; i++) {
		uint32_t point = file.nr[i] - 1;

		at = file.offset[i] + point * lull_bellman_point_bytes(i);
		snprintf(want, sizeof(want),
			 "section %s, offset 0x%zx: point %u: expected a point "
			 "of the curve",
			 lull_bellman_name(i), at, point);
		expect_bad_point(&m.file, r1cs, at + 47, want);
	}
	expect_bad_point(&m.file, r1cs, file.offset[LULL_BELLMAN_A],
			 "section a, offset");
	lull_bellman_close(&file);
	blob_free(&m.file);
}

TEST(calls_that_are_wrong)
{
	struct lull_convert_opts opts = { .size = sizeof(opts) };
	struct lull_error error = { 0 };

	set_up();
	blob_write(&poseidon.file, params_path);
	EXPECT_EQ(LULL_USAGE,
		  lull_key_convert_bellman(ctx, params_path, lkey_path, NULL,
					   &error));
	EXPECT_TRUE(strstr(error.msg, "parameters of bellman hold no circuit"));
	opts.r1cs_path = GOLDEN POSEIDON ".r1cs";
	EXPECT_EQ(LULL_USAGE,
		  lull_key_convert_bellman(ctx, params_path, params_path, &opts,
					   &error));
	EXPECT_TRUE(strstr(error.msg, "would replace an input"));
	EXPECT_EQ(LULL_IO, lull_key_convert_bellman(ctx, "/none.params",
						    lkey_path, &opts, &error));
	opts.r1cs_path = "/none.r1cs";
	EXPECT_EQ(LULL_IO, lull_key_convert_bellman(ctx, params_path, lkey_path,
						    &opts, &error));
	opts.size--;
	EXPECT_EQ(LULL_USAGE,
		  lull_key_convert_bellman(ctx, params_path, lkey_path, &opts,
					   &error));
}

TEST_MAIN
