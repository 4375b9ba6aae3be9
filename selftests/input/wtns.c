// SPDX-License-Identifier: Apache-2.0
/*
 * wtns.c - witnesses: good ones, and each refusal alone with its message
 */
#include "harness.h"

#include "input/files.h"
#include "input/wtns.h"

#define MUL2 GOLDEN "bn128-mul2.wtns"
#define MUL2_HEADER 0x18
#define MUL2_NR_VALUES (MUL2_HEADER + 36)
#define MUL2_VALUES 0x4c

static int try_open(const struct blob *b, struct lull_error *err)
{
	struct lull_wtnsfile wtns;
	int rc;

	memset(&wtns, POISON, sizeof(wtns));
	memset(err, POISON, sizeof(*err));
	rc = lull_wtnsfile_open_mem(b->data, b->bytes, "w", 0, &wtns, err);
	if (rc) {
		EXPECT_TRUE(untouched(&wtns, sizeof(wtns)));
		EXPECT_EQ(rc, err->code);
		EXPECT_TRUE(strlen(err->msg) > 0);
	} else {
		EXPECT_TRUE(untouched(err, sizeof(*err)));
		lull_wtnsfile_close(&wtns);
	}
	return rc;
}

#include "refused.h"

TEST(good_witnesses)
{
	static const struct {
		const char *name;
		enum lull_curve curve;
		uint32_t nr_values;
	} good[] = {
		{ "bn128-mul2", LULL_CURVE_BN254, 4 },
		{ "bn128-edge-nopub", LULL_CURVE_BN254, 4 },
		{ "bn128-edge-linear", LULL_CURVE_BN254, 4 },
		{ "bn128-poseidon2", LULL_CURVE_BN254, 520 },
		{ "bn128-chain1000", LULL_CURVE_BN254, 1002 },
		{ "bls12381-mul2", LULL_CURVE_BLS12_381, 4 },
		{ "bls12381-poseidon2", LULL_CURVE_BLS12_381, 520 },
		{ "bls12381-chain1000", LULL_CURVE_BLS12_381, 1002 },
	};
	struct lull_wtnsfile wtns;
	struct lull_error err;
	char path[128];
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(good); i++) {
		snprintf(path, sizeof(path), GOLDEN "%s.wtns", good[i].name);
		if (lull_wtnsfile_open(path, NULL, 0, NULL, &wtns, &err)) {
			TEST_FAIL_("%s", err.msg);
			continue;
		}
		EXPECT_EQ(good[i].curve, wtns.curve);
		EXPECT_EQ(good[i].curve, wtns.facts->id);
		EXPECT_EQ(good[i].nr_values, wtns.nr_values);
		EXPECT_EQ(MUL2_VALUES,
			  lull_binfile_offset(&wtns.file, wtns.values));
		EXPECT_EQ(0, wtns.file.trailing_bytes);
		lull_wtnsfile_close(&wtns);
		EXPECT_TRUE(!wtns.values);
		lull_wtnsfile_close(&wtns);
	}
}

TEST(values_of_mul2)
{
	/* 1, c = 33, then a and b. */
	struct lull_wtnsfile wtns;

	ASSERT_EQ(LULL_OK,
		  lull_wtnsfile_open(MUL2, NULL, 0, NULL, &wtns, NULL));
	EXPECT_EQ(1, wtns.values[0]);
	EXPECT_EQ(33, wtns.values[32]);
	EXPECT_EQ(33, wtns.values[64] * wtns.values[96]);
	lull_wtnsfile_close(&wtns);
}

TEST(other_order_and_trailing_bytes)
{
	struct blob b = blob_read(MUL2);
	struct blob turned = blob_reorder(&b, (const uint32_t[]){ 2, 1, 0 });
	struct lull_wtnsfile wtns;

	blob_append(&turned, "abc", 3);
	ASSERT_EQ(LULL_OK, lull_wtnsfile_open_mem(turned.data, turned.bytes,
						  "w", 0, &wtns, NULL));
	EXPECT_EQ(4, wtns.nr_values);
	EXPECT_EQ(3, wtns.file.trailing_bytes);
	EXPECT_EQ(24, lull_binfile_offset(&wtns.file, wtns.values));
	lull_wtnsfile_close(&wtns);
	blob_free(&turned);
	blob_free(&b);
}

TEST(container_refused)
{
	struct blob b = blob_read(MUL2), empty = { must_alloc(0), 0 };

	expect_refused_done(empty, LULL_FORMAT, "w: empty file");
	expect_refused_done(blob_copy("wtns", 4), LULL_FORMAT,
			    "w: expected a header of 12 bytes, found a file "
			    "of 4");
	expect_refused_done(blob_read(GOLDEN "bn128-mul2.zkey"), LULL_FORMAT,
			    "w: offset 0x0: expected the magic \"wtns\", "
			    "found bytes 7a 6b 65 79: this is a .zkey file");
	expect_refused_done(blob_copy(b.data + MUL2_VALUES, 128), LULL_FORMAT,
			    "w: offset 0x0: expected the magic \"wtns\", "
			    "found bytes 01 00 00 00: a raw dump of values, "
			    "not a .wtns file");
	expect_refused_done(blob_copy("[\"1\", \"33\", \"3\"]", 16),
			    LULL_FORMAT,
			    "w: offset 0x0: expected the magic \"wtns\", "
			    "found bytes 5b 22 31 22: this looks like JSON");
	expect_u32_refused(4, 1, LULL_UNSUPPORTED,
			   "w: offset 0x4: expected version 2 of .wtns, found "
			   "1");
	expect_refused_done(blob_without(&b, 1), LULL_FORMAT,
			    "w: section 1 (header): missing");
	expect_refused_done(blob_without(&b, 2), LULL_FORMAT,
			    "w: section 2 (values): missing");
	blob_free(&b);
}

TEST(sizes_refused)
{
	struct blob b = blob_read(MUL2);

	expect_refused_done(blob_resize(&b, 1, 39), LULL_FORMAT,
			    "w: section 1 (header), offset 0x3c: nWitness: "
			    "expected 4 bytes, found 3");
	expect_refused_done(blob_resize(&b, 1, 44), LULL_FORMAT,
			    "w: section 1 (header), offset 0x18: expected 40 "
			    "bytes, found 44");
	expect_refused_done(blob_resize(&b, 2, 96), LULL_FORMAT,
			    "w: section 2 (values), offset 0x4c: expected 128 "
			    "bytes, found 96");
	expect_refused_done(blob_resize(&b, 2, 129), LULL_FORMAT,
			    "w: section 2 (values), offset 0x4c: expected 128 "
			    "bytes, found 129");
	expect_u32_refused(MUL2_NR_VALUES, UINT32_MAX, LULL_FORMAT,
			   "w: section 2 (values), offset 0x4c: expected "
			   "137438953440 bytes, found 128");
	expect_u32_refused(MUL2_NR_VALUES, 0, LULL_RANGE,
			   "w: section 1 (header), offset 0x3c: nWitness: "
			   "expected at least 1, found 0");
	/* Cut, with every size telling of the whole. */
	expect_refused_done(blob_copy(b.data, b.bytes - 32), LULL_FORMAT,
			    "w: section 2 (values), offset 0x4c: expected 128 "
			    "bytes, found 96 before the end of the file");
	blob_free(&b);
}

TEST(primes_refused)
{
	struct blob b = blob_read(MUL2);

	/* Grumpkin's r is BN254's q: circom offers it, no key has it. */
	memcpy(b.data + MUL2_HEADER + 4,
	       lull_curve_facts(LULL_CURVE_BN254)->fp_prime, 32);
	expect_refused_done(b, LULL_UNSUPPORTED,
			    "w: section 1 (header), offset 0x1c: prime r: "
			    "expected that of BN254 or BLS12-381, found "
			    "0x30644e72e131a029... (32 bytes)");
	expect_u32_refused(MUL2_HEADER, 8, LULL_UNSUPPORTED,
			   "w: section 1 (header), offset 0x1c: prime r: "
			   "expected that of BN254 or BLS12-381, found "
			   "0x43e1f593f0000001 (8 bytes)");
}

TEST(values_refused)
{
	struct blob b = blob_read(MUL2);
	uint8_t *last = b.data + MUL2_VALUES + 96;

	expect_u32_refused(MUL2_VALUES, 2, LULL_RANGE,
			   "w: section 2 (values), offset 0x4c: value 0: "
			   "expected 1, the constant, found another value");
	expect_u32_refused(MUL2_VALUES + 28, 1, LULL_RANGE,
			   "w: section 2 (values), offset 0x4c: value 0: "
			   "expected 1, the constant, found another value");
	memcpy(last, lull_curve_facts(LULL_CURVE_BN254)->fr_prime, 32);
	expect_refused(&b, LULL_RANGE,
		       "w: section 2 (values), offset 0xac: value 3 of 4: "
		       "expected below r of BN254");
	last[0]--;
	EXPECT_EQ(LULL_OK, try_open(&b, &(struct lull_error){ 0 }));
	last[0] += 2;
	expect_refused(&b, LULL_RANGE,
		       "w: section 2 (values), offset 0xac: value 3 of 4: "
		       "expected below r of BN254");
	memset(last - 32, 0xff, 32);
	expect_refused_done(b, LULL_RANGE,
			    "w: section 2 (values), offset 0x8c: value 2 of 4: "
			    "expected below r of BN254");
}

TEST(deferred_values)
{
	struct blob b = blob_read(GOLDEN "bls12381-chain1000.wtns");
	struct lull_wtnsfile wtns;
	struct lull_error err;

	memset(b.data + MUL2_VALUES + 700 * 32, 0xff, 32);
	EXPECT_EQ(LULL_RANGE, try_open(&b, &err));
	ASSERT_EQ(LULL_OK,
		  lull_wtnsfile_open_mem(b.data, b.bytes, "w",
					 LULL_WTNS_DEFER_VALUES, &wtns, &err));
	EXPECT_EQ(LULL_OK, lull_wtnsfile_check_values(&wtns, 0, 700, &err));
	EXPECT_EQ(LULL_OK, lull_wtnsfile_check_values(&wtns, 701, 1002, &err));
	EXPECT_EQ(LULL_RANGE,
		  lull_wtnsfile_check_values(&wtns, 500, 1002, &err));
	EXPECT_STREQ("w: section 2 (values), offset 0x57cc: value 700 of "
		     "1002: expected below r of BLS12-381",
		     err.msg);
	lull_wtnsfile_close(&wtns);
	blob_free(&b);
}

TEST(truncated_at_every_byte)
{
	truncate_everywhere(MUL2);
	truncate_everywhere(GOLDEN "bls12381-mul2.wtns");
}

TEST(corrupted_at_every_byte)
{
	corrupt_everywhere(MUL2, SIZE_MAX, just_open);
	corrupt_everywhere(GOLDEN "bls12381-mul2.wtns", SIZE_MAX, just_open);
}

TEST_MAIN
