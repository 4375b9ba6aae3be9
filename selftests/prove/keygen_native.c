// SPDX-License-Identifier: Apache-2.0
/*
 * keygen_native.c - keys written as .lkey at once are those that are converted
 *
 * Byte for byte, folded and not: for the circuits of lull gen, and for others
 * whose rows are handed over as whoever has no file would.
 */
#include "prove.h"

#include "base/workers.h"
#include "bench/circuit.h"
#include "input/lkey.h"
#include "prove/convert.h"
#include "prove/feed.h"
#include "prove/keygen.h"
#include "test_arena.h"

static const uint8_t seed[LULL_KEYGEN_SEED_BYTES] =
	"a seed of 32 bytes for tests";

static struct lull_workers *workers;
static struct lull_ctx *ctx;
static char r1cs_path[PATH_BYTES], zkey_path[PATH_BYTES];
static char want_path[PATH_BYTES], got_path[PATH_BYTES];

static void set_up(void)
{
	if (workers)
		return;
	ctx = make_ctx(3);
	if (lull_workers_create(3, &workers, NULL))
		exit(2);
	scratch_path(r1cs_path, "c.r1cs");
	scratch_path(zkey_path, "c.zkey");
	scratch_path(want_path, "want.lkey");
	scratch_path(got_path, "got.lkey");
}

static struct lull_toxic_opts folded(bool fold)
{
	return (struct lull_toxic_opts){ .size = sizeof(struct lull_toxic_opts),
					 .fold_c = fold,
					 .seed = seed };
}

/* The way through files: what is wanted. */
static bool convert(const char *from, bool fold)
{
	const struct lull_keygen_opts opts = { .seed = seed };
	const struct lull_convert_how how = { .r1cs_path = from,
					      .fold_c = fold };
	struct lull_error error = { 0 };

	if (!lull_keygen_toxic(from, zkey_path, &opts, workers, test_arena(),
			       NULL, &error) &&
	    !lull_convert_zkey(zkey_path, want_path, &how, workers,
			       test_arena(), &error))
		return true;
	printf("# %s\n", error.msg);
	return false;
}

static void expect_same(bool fold)
{
	struct blob want = blob_read(want_path), got = blob_read(got_path);

	ASSERT_TRUE(want.data && got.data);
	EXPECT_EQ(LULL_LKEY_TOXIC | (fold ? LULL_LKEY_FOLDED : 0),
		  lull_load_u32(got.data + 8));
	EXPECT_EQ(want.bytes, got.bytes);
	EXPECT_TRUE(want.bytes == got.bytes &&
		    !memcmp(want.data, got.data, want.bytes));
	blob_free(&want);
	blob_free(&got);
}

/* ---- what lull gen makes ------------------------------------------------ */

static void compare_circuit(enum lull_circuit_shape shape,
			    enum lull_curve curve, unsigned int log2)
{
	struct lull_circuit_counts counts, direct;
	struct lull_error error = { 0 };
	struct lull_toxic_opts opts;
	struct lull_circuit circuit;
	int fold;

	lull_circuit_init(shape, curve, log2, 5, &circuit);
	ASSERT_EQ(LULL_OK, lull_circuit_write_r1cs(&circuit, r1cs_path, &counts,
						   &error));
	for (fold = 0; fold < 2; fold++) {
		opts = folded(fold);
		ASSERT_TRUE(convert(r1cs_path, fold));
		EXPECT_EQ(LULL_OK,
			  lull_circuit_write_lkey(&circuit, ctx, got_path,
						  &opts, &direct, &error));
		expect_same(fold);
		EXPECT_MEMEQ(&counts, &direct, sizeof(counts));
	}
}

TEST(shapes_of_2_to_the_10)
{
	set_up();
	for (int shape = LULL_CIRCUIT_POREP; shape <= LULL_CIRCUIT_DENSE;
	     shape++) {
		compare_circuit(shape, LULL_CURVE_BN254, 10);
		compare_circuit(shape, LULL_CURVE_BLS12_381, 10);
	}
}

TEST(shapes_of_2_to_the_12)
{
	set_up();
	if (test_brief())
		SKIP("as of 2^10, and takes long");
	for (int shape = LULL_CIRCUIT_POREP; shape <= LULL_CIRCUIT_DENSE;
	     shape++) {
		compare_circuit(shape, LULL_CURVE_BN254, 12);
		compare_circuit(shape, LULL_CURVE_BLS12_381, 12);
	}
}

/* Rows of more than one portion: no key is converted, which would take long. */
TEST(a_larger_one_proves)
{
	struct lull_toxic_opts opts = folded(true);
	struct lull_circuit_counts counts;
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	struct lull_error error = { 0 };
	char wtns_path[PATH_BYTES];
	struct lull_circuit circuit;
	int err;

	set_up();
	if (test_brief())
		SKIP("it takes long");
	scratch_path(wtns_path, "c.wtns");
	lull_circuit_init(LULL_CIRCUIT_POREP, LULL_CURVE_BN254, 16, 0,
			  &circuit);
	err = lull_circuit_write_lkey(&circuit, ctx, got_path, &opts, &counts,
				      &error);
	if (!err)
		err = lull_circuit_write_wtns(&circuit, 1, wtns_path, &error);
	if (!err)
		err = lull_key_open(ctx, got_path, &key, &error);
	if (!err)
		err = lull_wtns_open(ctx, wtns_path, &wtns, &error);
	if (!err)
		err = lull_key_check(key, &error);
	/* The pairing check comes first. */
	if (!err)
		err = lull_prove(ctx, key, wtns, NULL, &proof, &error);
	EXPECT_STREQ("", error.msg);
	EXPECT_EQ(LULL_OK, err);
	lull_proof_free(proof);
	lull_wtns_close(wtns);
	lull_key_close(key);
}

/* ---- rows of a file, handed over ---------------------------------------- */

static void compare_file(const char *path)
{
	struct lull_toxic_circuit source;
	struct lull_error error = { 0 };
	struct lull_toxic_opts opts;
	int fold;

	for (fold = 0; fold < 2; fold++) {
		opts = folded(fold);
		ASSERT_EQ(LULL_OK, feed_open(path, &error));
		source = feed_source();
		ASSERT_TRUE(convert(path, fold));
		EXPECT_EQ(LULL_OK,
			  lull_key_generate_toxic_native(ctx, &source, got_path,
							 &opts, &error));
		EXPECT_STREQ("", error.msg);
		expect_same(fold);
		feed_close();
	}
}

TEST(edges_and_real_circuits)
{
	static const char *const shapes[] = { "edge-nopub", "edge-linear",
					      "edge-unused", "edge-domain2",
					      "edge-empty" };
	static const char *const curves[] = { "bn128", "bls12381" };
	char path[PATH_BYTES], wtns[PATH_BYTES];
	unsigned int i, k;

	set_up();
	for (k = 0; k < 2; k++) {
		for (i = 0; i < LULL_ARRAY_SIZE(shapes); i++) {
			ASSERT_TRUE(make_circuit(shapes[i], curves[k], 4, path,
						 wtns));
			compare_file(path);
		}
	}
	golden_path(path, "bn128-poseidon2", "r1cs");
	compare_file(path);
	golden_path(path, "bls12381-poseidon2", "r1cs");
	compare_file(path);
}

/* ---- refusals ----------------------------------------------------------- */

/* Rows that are not: each in turn has one thing wrong. */
static unsigned int wrong;
static uint32_t nr_given;

static int next_wrong(void *arg, struct lull_toxic_row *ret_row)
{
	(void)arg;
	if (nr_given++ && (wrong != 8 || nr_given > 2))
		return 0;
	memset(ret_row, 0, sizeof(*ret_row));
	feed.wires[1][0] = wrong == 0 ? 5 : 1;
	feed.coefs[1][0] = wrong == 1;
	ret_row->lcs[1] =
		(struct lull_toxic_lc){ wrong == 2 ? 65536 : 1, feed.wires[1],
					feed.coefs[1] };
	ret_row->nr_wires = wrong == 3 ? 3 : nr_given > 1 ? 4 : 5;
	return 1;
}

TEST(rows_that_are_none)
{
	static const struct {
		enum lull_status code;
		const char *text;
	} wants[] = {
		{ LULL_RANGE, "row 0, matrix B: wire: expected less than 5, "
			      "found 5" },
		{ LULL_RANGE, "row 0, matrix B: coefficient: expected less "
			      "than 1, found 1" },
		{ LULL_RANGE, "row 0, matrix B: terms: expected less than "
			      "65536, found 65536" },
		{ LULL_RANGE, "public wires: expected less than the 3 wires, "
			      "found 3" },
		{ LULL_RANGE, "coefficient 0: expected less than BN254's r" },
		{ LULL_UNSUPPORTED, "coefficients: expected at most 65535, "
				    "found 65536" },
		{ LULL_UNSUPPORTED, "curve 9" },
		{ LULL_USAGE, "struct lull_toxic_circuit: expected size" },
		{ LULL_USAGE, "row 1: wires: expected at least the 5 of the "
			      "row before, found 4" },
	};
	struct lull_toxic_circuit source;
	struct lull_error error;

	set_up();
	for (wrong = 0; wrong < LULL_ARRAY_SIZE(wants); wrong++) {
		memset(feed.values[0], wrong == 4 ? 0xff : 1, LULL_FR_BYTES);
		memset(&error, 0, sizeof(error));
		unlink(got_path);
		nr_given = 0;
		source = (struct lull_toxic_circuit){
			.size = sizeof(source) - (wrong == 7),
			.name = "rows",
			.curve = wrong == 6 ? 9 : LULL_CURVE_BN254,
			.nr_public = 3,
			.nr_values = wrong == 5 ? 65536 : 1,
			.values = feed.values[0],
			.next = next_wrong,
		};
		EXPECT_EQ(wants[wrong].code,
			  lull_key_generate_toxic_native(ctx, &source, got_path,
							 NULL, &error));
		EXPECT_TRUE(strstr(error.msg, wants[wrong].text));
		EXPECT_TRUE(access(got_path, F_OK) != 0);
	}
}

TEST(room_is_asked_for_first)
{
	struct lull_toxic_opts opts = folded(true);
	struct lull_circuit_counts counts;
	struct lull_error error = { 0 };
	struct lull_circuit circuit;

	set_up();
	unlink(got_path);
	opts.beside_bytes = (uint64_t)1 << 60;
	lull_circuit_init(LULL_CIRCUIT_SHA, LULL_CURVE_BN254, 10, 0, &circuit);
	EXPECT_EQ(LULL_IO, lull_circuit_write_lkey(&circuit, ctx, got_path,
						   &opts, &counts, &error));
	EXPECT_TRUE(strstr(error.msg, "got.lkey: expected room for 11529"));
	EXPECT_TRUE(access(got_path, F_OK) != 0);
}

TEST(clean_up)
{
	lull_workers_destroy(workers);
	lull_ctx_destroy(ctx);
}

TEST_MAIN
