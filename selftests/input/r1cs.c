// SPDX-License-Identifier: Apache-2.0
/*
 * r1cs.c - circuits: good ones, and each refusal alone with its message
 */
#include "harness.h"

#include "input/files.h"
#include "input/r1cs.h"

/* mul2 over BN254, as circom writes it: constraints first. */
#define MUL2 GOLDEN "bn128-mul2.r1cs"
#define MUL2_CONSTRAINTS 0x18
#define MUL2_HEADER 0x9c
#define MUL2_COUNTS (MUL2_HEADER + 36)
#define MUL2_NR_WIRES MUL2_COUNTS
#define MUL2_NR_PUB_OUT (MUL2_COUNTS + 4)
#define MUL2_NR_CONSTRAINTS (MUL2_COUNTS + 24)

static int try_open(const struct blob *b, struct lull_error *err)
{
	struct lull_r1cs r1cs;
	int rc;

	memset(&r1cs, POISON, sizeof(r1cs));
	memset(err, POISON, sizeof(*err));
	rc = lull_r1cs_open_mem(b->data, b->bytes, "c", &r1cs, err);
	if (rc) {
		EXPECT_TRUE(untouched(&r1cs, sizeof(r1cs)));
		EXPECT_EQ(rc, err->code);
		EXPECT_TRUE(strlen(err->msg) > 0);
	} else {
		EXPECT_TRUE(untouched(err, sizeof(*err)));
		lull_r1cs_close(&r1cs);
	}
	return rc;
}

#include "refused.h"

/* Walks to the end, counting terms. */
static void expect_walk(const struct lull_r1cs *r1cs)
{
	struct lull_r1cs_walk walk = lull_r1cs_walk(r1cs);
	uint64_t a = 0, b = 0, c = 0;
	struct lull_r1cs_row row;
	uint32_t nr = 0, i;

	while (lull_r1cs_next(r1cs, &walk, &row)) {
		nr++;
		a += row.a.nr_terms;
		b += row.b.nr_terms;
		c += row.c.nr_terms;
		for (i = 0; i < row.c.nr_terms; i++)
			EXPECT_TRUE(lull_r1cs_term_wire(&row.c, i) <
				    r1cs->nr_wires);
	}
	EXPECT_EQ(r1cs->nr_constraints, nr);
	EXPECT_EQ(r1cs->nr_terms_a, a);
	EXPECT_EQ(r1cs->nr_terms_b, b);
	EXPECT_EQ(r1cs->nr_terms_c, c);
	EXPECT_TRUE(!lull_r1cs_next(r1cs, &walk, &row));
}

TEST(good_circuits)
{
	/* clang-format off */
	static const struct {
		const char *name;
		enum lull_curve curve;
		uint32_t wires, out, pub_in, prv_in, labels, constraints;
	} good[] = {
		{ "bn128-mul2", LULL_CURVE_BN254, 4, 1, 0, 2, 4, 1 },
		{ "bn128-linear", LULL_CURVE_BN254, 5, 1, 1, 2, 5, 2 },
		{ "bn128-poseidon2", LULL_CURVE_BN254, 520, 1, 0, 2, 771, 517 },
		{ "bls12381-mul2", LULL_CURVE_BLS12_381, 4, 1, 0, 2, 4, 1 },
		{ "bls12381-poseidon2", LULL_CURVE_BLS12_381, 520, 1, 0, 2,
		  771, 517 },
	};
	/* clang-format on */
	struct lull_r1cs r1cs;
	struct lull_error err;
	char path[128];
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(good); i++) {
		snprintf(path, sizeof(path), GOLDEN "%s.r1cs", good[i].name);
		if (lull_r1cs_open(path, &r1cs, &err)) {
			TEST_FAIL_("%s", err.msg);
			continue;
		}
		EXPECT_EQ(good[i].curve, r1cs.curve);
		EXPECT_EQ(good[i].wires, r1cs.nr_wires);
		EXPECT_EQ(good[i].out, r1cs.nr_pub_out);
		EXPECT_EQ(good[i].pub_in, r1cs.nr_pub_in);
		EXPECT_EQ(good[i].prv_in, r1cs.nr_prv_in);
		EXPECT_EQ(good[i].labels, r1cs.nr_labels);
		EXPECT_EQ(good[i].constraints, r1cs.nr_constraints);
		EXPECT_TRUE(r1cs.labels != NULL);
		expect_walk(&r1cs);
		lull_r1cs_close(&r1cs);
		EXPECT_TRUE(!r1cs.constraints);
		lull_r1cs_close(&r1cs);
	}
}

TEST(terms_of_mul2)
{
	/* -a * b = -c, with wires 1, c, a, b. */
	static const uint8_t one[32] = { 1 };
	struct lull_r1cs r1cs;
	struct lull_r1cs_row row;
	struct lull_r1cs_walk walk;
	uint8_t sum[32];
	const uint8_t *minus;

	ASSERT_EQ(LULL_OK, lull_r1cs_open(MUL2, &r1cs, NULL));
	walk = lull_r1cs_walk(&r1cs);
	ASSERT_TRUE(lull_r1cs_next(&r1cs, &walk, &row));
	ASSERT_EQ(1, row.a.nr_terms);
	ASSERT_EQ(1, row.b.nr_terms);
	ASSERT_EQ(1, row.c.nr_terms);
	EXPECT_EQ(2, lull_r1cs_term_wire(&row.a, 0));
	EXPECT_EQ(3, lull_r1cs_term_wire(&row.b, 0));
	EXPECT_EQ(1, lull_r1cs_term_wire(&row.c, 0));
	EXPECT_MEMEQ(one, lull_r1cs_term_value(&row.b, 0), 32);
	memcpy(sum, r1cs.facts->fr_prime, 32);
	sum[0]--;
	minus = lull_r1cs_term_value(&row.a, 0);
	EXPECT_MEMEQ(sum, minus, 32);
	EXPECT_MEMEQ(sum, lull_r1cs_term_value(&row.c, 0), 32);
	lull_r1cs_close(&r1cs);
}

TEST(empty_circuit)
{
	struct blob b = blob_read(MUL2), empty = blob_resize(&b, 2, 0);
	struct lull_r1cs r1cs;

	blob_put_u32(&empty, blob_payload(&empty, 1) + 60, 0);
	ASSERT_EQ(LULL_OK, lull_r1cs_open_mem(empty.data, empty.bytes, "c",
					      &r1cs, NULL));
	expect_walk(&r1cs);
	lull_r1cs_close(&r1cs);
	blob_free(&empty);
	blob_free(&b);
}

TEST(empty_combinations)
{
	/* 0 * 0 = 0: three counts of zero. */
	struct blob b = blob_read(MUL2), zero = blob_resize(&b, 2, 12);
	struct lull_r1cs r1cs;

	memset(zero.data + blob_payload(&zero, 2), 0, 12);
	ASSERT_EQ(LULL_OK,
		  lull_r1cs_open_mem(zero.data, zero.bytes, "c", &r1cs, NULL));
	EXPECT_EQ(1, r1cs.nr_constraints);
	EXPECT_EQ(0, r1cs.nr_terms_a + r1cs.nr_terms_b + r1cs.nr_terms_c);
	expect_walk(&r1cs);
	lull_r1cs_close(&r1cs);
	blob_free(&zero);
	blob_free(&b);
}

/* Walks though what was checked has been written over, and finds nothing that
 * leads elsewhere. */
static void walk_changed(const struct lull_r1cs *r1cs)
{
	struct lull_r1cs_walk walk = lull_r1cs_walk(r1cs);
	const struct lull_r1cs_lc *lcs[3];
	struct lull_r1cs_row row;
	uint32_t rows = 0, i;
	size_t k;

	lcs[0] = &row.a;
	lcs[1] = &row.b;
	lcs[2] = &row.c;
	for (; lull_r1cs_next(r1cs, &walk, &row); rows++) {
		EXPECT_TRUE(walk.next <= r1cs->constraints_end);
		for (k = 0; k < LULL_ARRAY_SIZE(lcs); k++) {
			ASSERT_TRUE((size_t)lcs[k]->nr_terms * 36 <=
				    (size_t)(r1cs->constraints_end -
					     r1cs->constraints));
			/* One behind the last: of nothing. */
			for (i = 0; i <= lcs[k]->nr_terms; i++)
				EXPECT_TRUE(lull_r1cs_term_wire(lcs[k], i) <
					    r1cs->nr_wires);
			EXPECT_EQ(0, *lull_r1cs_term_value(lcs[k], i));
		}
	}
	EXPECT_EQ(r1cs->nr_constraints, rows);
}

TEST(changed_after_it_was_checked)
{
	/* Of mul2's first combination: its length, and its wire. */
	static const struct {
		size_t at;
		uint32_t value;
	} changes[] = {
		{ 0, UINT32_MAX }, { 0, 2 },	     { 0, 3 },
		{ 0, 4 },	   { 0, 0 },	     { 4, 4 },
		{ 4, UINT32_MAX }, { 80, 1u << 30 },
	};
	struct blob good = blob_read(MUL2), b;
	size_t i, at;
	struct lull_r1cs r1cs;

	for (i = 0; i < LULL_ARRAY_SIZE(changes); i++) {
		/* The constraints last: behind them is nobody's memory. */
		b = blob_reorder(&good, (const uint32_t[]){ 1, 3, 2, 0 });
		at = blob_payload(&b, 2);
		ASSERT_EQ(LULL_OK, lull_r1cs_open_mem(b.data, b.bytes, "c",
						      &r1cs, NULL));
		blob_put_u32(&b, at + changes[i].at, changes[i].value);
		walk_changed(&r1cs);
		lull_r1cs_close(&r1cs);
		blob_free(&b);
	}
	blob_free(&good);
}

TEST(without_labels)
{
	struct blob b = blob_read(MUL2), bare = blob_without(&b, 3);
	struct lull_r1cs r1cs;

	ASSERT_EQ(LULL_OK,
		  lull_r1cs_open_mem(bare.data, bare.bytes, "c", &r1cs, NULL));
	EXPECT_TRUE(!r1cs.labels);
	lull_r1cs_close(&r1cs);
	blob_free(&bare);
	blob_free(&b);
}

TEST(no_custom_gates)
{
	static const uint8_t none[4];
	struct blob b = blob_read(MUL2);

	blob_add_section(&b, 4, none, sizeof(none));
	blob_add_section(&b, 5, none, sizeof(none));
	EXPECT_EQ(LULL_OK, try_open(&b, &(struct lull_error){ 0 }));
	blob_put_u32(&b, blob_payload(&b, 5), 2);
	expect_refused_done(b, LULL_UNSUPPORTED,
			    "c: section 5 (uses of custom gates), offset "
			    "0x124: expected none, found 2: Groth16 has no "
			    "custom gates");
	expect_refused_done(blob_read(GOLDEN "bn128-gates.r1cs"),
			    LULL_UNSUPPORTED,
			    "c: section 4 (custom gates), offset 0x114: "
			    "expected none, found 1: Groth16 has no custom "
			    "gates");
}

TEST(container_refused)
{
	struct blob b = blob_read(MUL2), empty = { must_alloc(0), 0 };

	expect_refused_done(empty, LULL_FORMAT, "c: empty file");
	expect_refused_done(blob_read(GOLDEN "bn128-mul2.zkey"), LULL_FORMAT,
			    "c: offset 0x0: expected the magic \"r1cs\", "
			    "found bytes 7a 6b 65 79: this is a .zkey file");
	expect_u32_refused(4, 2, LULL_UNSUPPORTED,
			   "c: offset 0x4: expected version 1 of .r1cs, found "
			   "2");
	expect_refused_done(blob_without(&b, 1), LULL_FORMAT,
			    "c: section 1 (header): missing");
	expect_refused_done(blob_without(&b, 2), LULL_FORMAT,
			    "c: section 2 (constraints): missing");
	expect_refused_done(blob_resize(&b, 1, 63), LULL_FORMAT,
			    "c: section 1 (header), offset 0xd8: "
			    "nConstraints: expected 4 bytes, found 3");
	expect_refused_done(blob_resize(&b, 1, 65), LULL_FORMAT,
			    "c: section 1 (header), offset 0x9c: expected 64 "
			    "bytes, found 65");
	expect_refused_done(blob_resize(&b, 3, 24), LULL_FORMAT,
			    "c: section 3 (labels), offset 0xe8: expected 32 "
			    "bytes, found 24");
	blob_free(&b);
}

TEST(header_refused)
{
	expect_refused_done(blob_read(GOLDEN "goldilocks-mul2.r1cs"),
			    LULL_UNSUPPORTED,
			    "c: section 1 (header), offset 0x58: prime r: "
			    "expected that of BN254 or BLS12-381, found "
			    "0xffffffff00000001 (8 bytes)");
	expect_u32_refused(MUL2_NR_PUB_OUT, 4, LULL_RANGE,
			   "c: section 1 (header), offset 0xc0: nWires: "
			   "expected at least 5 (1 + nPubOut + nPubIn), found "
			   "4");
	expect_u32_refused(MUL2_NR_PUB_OUT, UINT32_MAX, LULL_RANGE,
			   "c: section 1 (header), offset 0xc0: nWires: "
			   "expected at least 4294967296 (1 + nPubOut + "
			   "nPubIn), found 4");
	expect_u32_refused(MUL2_NR_WIRES, 0, LULL_RANGE,
			   "c: section 1 (header), offset 0xc0: nWires: "
			   "expected at least 2 (1 + nPubOut + nPubIn), found "
			   "0");
}

TEST(constraints_refused)
{
	struct blob b = blob_read(MUL2);

	expect_u32_refused(MUL2_NR_CONSTRAINTS, 2, LULL_FORMAT,
			   "c: section 2 (constraints), offset 0x90: "
			   "constraint 1 of 2, A: expected 4 bytes, found 0");
	expect_u32_refused(MUL2_NR_CONSTRAINTS, UINT32_MAX, LULL_FORMAT,
			   "c: section 2 (constraints), offset 0x90: "
			   "constraint 1 of 4294967295, A: expected 4 bytes, "
			   "found 0");
	expect_u32_refused(MUL2_NR_CONSTRAINTS, 0, LULL_FORMAT,
			   "c: section 2 (constraints), offset 0x18: expected "
			   "0 bytes, found 120");
	expect_u32_refused(MUL2_CONSTRAINTS, UINT32_MAX, LULL_FORMAT,
			   "c: section 2 (constraints), offset 0x18: "
			   "constraint 0, A: 4294967295 terms: expected "
			   "154618822620 bytes, found 116");
	expect_u32_refused(MUL2_CONSTRAINTS + 80, 2, LULL_FORMAT,
			   "c: section 2 (constraints), offset 0x68: "
			   "constraint 0, C: 2 terms: expected 72 bytes, "
			   "found 36");
	expect_refused_done(blob_resize(&b, 2, 119), LULL_FORMAT,
			    "c: section 2 (constraints), offset 0x68: "
			    "constraint 0, C: 1 terms: expected 36 bytes, "
			    "found 35");
	expect_refused_done(blob_resize(&b, 2, 121), LULL_FORMAT,
			    "c: section 2 (constraints), offset 0x18: "
			    "expected 120 bytes, found 121");
	blob_free(&b);
}

TEST(terms_refused)
{
	struct blob b = blob_read(MUL2);

	expect_u32_refused(MUL2_CONSTRAINTS + 4, 4, LULL_RANGE,
			   "c: section 2 (constraints), offset 0x1c: "
			   "constraint 0, A, term 0: wire: expected below 4, "
			   "found 4");
	expect_u32_refused(MUL2_CONSTRAINTS + 44, UINT32_MAX, LULL_RANGE,
			   "c: section 2 (constraints), offset 0x44: "
			   "constraint 0, B, term 0: wire: expected below 4, "
			   "found 4294967295");
	/* r - 1 becomes r. */
	b.data[MUL2_CONSTRAINTS + 88]++;
	expect_refused_done(b, LULL_RANGE,
			    "c: section 2 (constraints), offset 0x70: "
			    "constraint 0, C, term 0: coefficient: expected "
			    "below r of BN254");
}

TEST(truncated_at_every_byte)
{
	truncate_everywhere(MUL2);
	truncate_everywhere(GOLDEN "bn128-linear.r1cs");
	truncate_everywhere(GOLDEN "bls12381-mul2.r1cs");
}

/* What was accepted can be walked. */
static void open_and_walk(const struct blob *b)
{
	struct lull_r1cs r1cs;

	if (lull_r1cs_open_mem(b->data, b->bytes, "c", &r1cs, NULL))
		return;
	expect_walk(&r1cs);
	lull_r1cs_close(&r1cs);
}

TEST(corrupted_at_every_byte)
{
	corrupt_everywhere(MUL2, SIZE_MAX, open_and_walk);
	corrupt_everywhere(GOLDEN "bn128-linear.r1cs", SIZE_MAX, open_and_walk);
	corrupt_everywhere(GOLDEN "bls12381-mul2.r1cs", SIZE_MAX,
			   open_and_walk);
}

TEST_MAIN
