// SPDX-License-Identifier: Apache-2.0
/*
 * zkey.c - proving keys: good ones, and each refusal alone with its message
 */
#include "harness.h"

#include <inttypes.h>

#include "input/files.h"
#include "input/zkey.h"

/* Where mul2 over BN254 has its parts, in snarkjs's raw order. */
#define MUL2 GOLDEN "bn128-mul2.zkey"
#define MUL2_PROTOCOL 0x18
#define MUL2_HEADER 0x28
#define MUL2_NR_VARS (MUL2_HEADER + 72)
#define MUL2_NR_PUBLIC (MUL2_HEADER + 76)
#define MUL2_DOMAIN (MUL2_HEADER + 80)
#define MUL2_COEFS 0x2c8

/* Opens and closes; the outputs must be as the contract says either way. */
static int try_open(const struct blob *b, struct lull_error *err)
{
	struct lull_zkey key;
	int rc;

	memset(&key, POISON, sizeof(key));
	memset(err, POISON, sizeof(*err));
	rc = lull_zkey_open_mem(b->data, b->bytes, "key", 0, &key, err);
	if (rc) {
		EXPECT_TRUE(untouched(&key, sizeof(key)));
		EXPECT_EQ(rc, err->code);
		EXPECT_TRUE(strlen(err->msg) > 0);
	} else {
		EXPECT_TRUE(untouched(err, sizeof(*err)));
		lull_zkey_close(&key);
	}
	return rc;
}

#include "refused.h"

struct good {
	const char *name;
	enum lull_curve curve;
	uint32_t nr_vars, nr_public, domain_size, nr_coefs, nr_contributions;
};

/* clang-format off */
static const struct good good[] = {
	{ "bn128-mul2", LULL_CURVE_BN254, 4, 1, 4, 4, 0 },
	{ "bn128-mul2-contributed", LULL_CURVE_BN254, 4, 1, 4, 4, 2 },
	{ "bn128-edge-nopub", LULL_CURVE_BN254, 4, 0, 4, 5, 0 },
	{ "bn128-edge-linear", LULL_CURVE_BN254, 4, 1, 4, 2, 0 },
	{ "bn128-poseidon2", LULL_CURVE_BN254, 520, 1, 1024, 488, 0 },
	{ "bn128-chain1000", LULL_CURVE_BN254, 1002, 1, 1024, 2002, 0 },
	{ "bls12381-mul2", LULL_CURVE_BLS12_381, 4, 1, 4, 4, 0 },
	{ "bls12381-mul2-contributed", LULL_CURVE_BLS12_381, 4, 1, 4, 4, 2 },
	{ "bls12381-poseidon2", LULL_CURVE_BLS12_381, 520, 1, 1024, 488, 0 },
	{ "bls12381-chain1000", LULL_CURVE_BLS12_381, 1002, 1, 1024, 2002, 0 },
};
/* clang-format on */

static void expect_good(const struct good *want, const struct lull_zkey *key)
{
	EXPECT_EQ(want->curve, key->curve);
	EXPECT_EQ(want->curve, key->facts->id);
	EXPECT_EQ(want->nr_vars, key->nr_vars);
	EXPECT_EQ(want->nr_public, key->nr_public);
	EXPECT_EQ(want->domain_size, key->domain_size);
	EXPECT_EQ(want->domain_size, (int64_t)1 << key->log2_domain);
	EXPECT_EQ(want->nr_coefs, key->nr_coefs);
	EXPECT_EQ(want->nr_contributions, key->nr_contributions);
	EXPECT_TRUE(key->coefs_sorted);
	EXPECT_TRUE(!key->toxic && !key->toxic_text);
	EXPECT_EQ(0, key->file.trailing_bytes);
}

/* Every pointer against the file's own table. */
static void expect_places(const struct blob *b, const struct lull_zkey *key)
{
	const size_t g1 = 2 * key->facts->fp_bytes, g2 = 2 * g1;
	size_t header = blob_payload(b, 2) + 8 + key->facts->fp_bytes + 32 + 12;
	const struct {
		const uint8_t *p;
		size_t at;
	} places[] = {
		{ key->alpha1, header },
		{ key->beta1, header + g1 },
		{ key->beta2, header + 2 * g1 },
		{ key->gamma2, header + 2 * g1 + g2 },
		{ key->delta1, header + 2 * g1 + 2 * g2 },
		{ key->delta2, header + 3 * g1 + 2 * g2 },
		{ key->ic, blob_payload(b, 3) },
		{ key->coefs, blob_payload(b, 4) + 4 },
		{ key->a, blob_payload(b, 5) },
		{ key->b1, blob_payload(b, 6) },
		{ key->b2, blob_payload(b, 7) },
		{ key->c, blob_payload(b, 8) },
		{ key->h, blob_payload(b, 9) },
	};
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(places); i++)
		EXPECT_EQ(places[i].at, lull_zkey_offset(key, places[i].p));
}

TEST(good_keys)
{
	struct lull_zkey key;
	struct lull_error err;
	char path[128];
	struct blob b;
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(good); i++) {
		snprintf(path, sizeof(path), GOLDEN "%s.zkey", good[i].name);
		if (lull_zkey_open(path, 0, NULL, &key, &err)) {
			TEST_FAIL_("%s", err.msg);
			continue;
		}
		b = blob_read(path);
		expect_good(&good[i], &key);
		expect_places(&b, &key);
		EXPECT_MEMEQ(b.data, key.file.in.data, b.bytes);
		lull_zkey_close(&key);
		EXPECT_TRUE(!key.file.in.data);
		lull_zkey_close(&key);
		EXPECT_EQ(LULL_OK, lull_zkey_open_mem(b.data, b.bytes, path, 0,
						      &key, &err));
		expect_good(&good[i], &key);
		expect_places(&b, &key);
		lull_zkey_close(&key);
		blob_free(&b);
	}
}

TEST(any_section_order)
{
	static const uint32_t orders[][11] = {
		{ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 },
		{ 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 },
		{ 7, 1, 9, 2, 3, 10, 4, 8, 6, 5 },
	};
	struct blob b = blob_read(MUL2), ordered;
	struct lull_zkey key;
	struct lull_error err;
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(orders); i++) {
		ordered = blob_reorder(&b, orders[i]);
		ASSERT_EQ(b.bytes, ordered.bytes);
		ASSERT_EQ(LULL_OK,
			  lull_zkey_open_mem(ordered.data, ordered.bytes, "key",
					     0, &key, &err));
		expect_good(&good[0], &key);
		expect_places(&ordered, &key);
		lull_zkey_close(&key);
		blob_free(&ordered);
	}
	blob_free(&b);
}

TEST(null_reterr)
{
	struct lull_zkey key;
	struct blob b = blob_read(MUL2);

	b.data[0] = 'x';
	EXPECT_EQ(LULL_FORMAT,
		  lull_zkey_open_mem(b.data, b.bytes, "key", 0, &key, NULL));
	b.data[0] = 'z';
	blob_put_u32(&b, MUL2_DOMAIN, 3);
	EXPECT_EQ(LULL_RANGE,
		  lull_zkey_open_mem(b.data, b.bytes, "key", 0, &key, NULL));
	blob_free(&b);
}

TEST(trailing_bytes_are_counted)
{
	struct blob b = blob_read(MUL2);
	struct lull_zkey key;

	blob_append(&b, "garbage", 7);
	ASSERT_EQ(LULL_OK,
		  lull_zkey_open_mem(b.data, b.bytes, "key", 0, &key, NULL));
	EXPECT_EQ(7, key.file.trailing_bytes);
	lull_zkey_close(&key);
	blob_free(&b);
}

TEST(without_contributions)
{
	struct blob b = blob_read(MUL2), cut = blob_without(&b, 10);
	struct lull_zkey key;

	ASSERT_EQ(LULL_OK, lull_zkey_open_mem(cut.data, cut.bytes, "key", 0,
					      &key, NULL));
	EXPECT_EQ(0, key.nr_contributions);
	lull_zkey_close(&key);
	blob_free(&cut);
	blob_free(&b);
}

TEST(large_contributions)
{
	/* As a ceremony of thousands leaves it: the last of these contributions
	 * 4000 times over, more than a megabyte. */
	struct blob b = blob_read(GOLDEN "bn128-mul2-contributed.zkey");
	struct blob big = blob_without(&b, 10);
	const size_t fixed = 3 * 64 + 128 + 64, nr = 4000;
	size_t at = blob_payload(&b, 10), one, i;
	uint8_t *payload;
	struct lull_zkey key;

	one = fixed + 8 + lull_load_u32(b.data + at + 68 + fixed + 4);
	payload = must_alloc(68 + nr * one);
	memcpy(payload, b.data + at, 64);
	memcpy(payload + 64, &(uint32_t){ nr }, 4);
	for (i = 0; i < nr; i++)
		memcpy(payload + 68 + i * one, b.data + at + 68, one);
	blob_add_section(&big, 10, payload, 68 + nr * one);
	EXPECT_TRUE(68 + nr * one > 1u << 20);
	ASSERT_EQ(LULL_OK, lull_zkey_open_mem(big.data, big.bytes, "key", 0,
					      &key, NULL));
	EXPECT_EQ(nr, key.nr_contributions);
	lull_zkey_close(&key);
	free(payload);
	blob_free(&big);
	blob_free(&b);
}

TEST(toxic_keys_say_so)
{
	struct blob b = blob_read(MUL2);
	struct lull_zkey key;

	/* The number is "lull" as it stands in the file. */
	EXPECT_MEMEQ("lull", &(uint32_t){ LULL_ZKEY_TOXIC }, 4);
	blob_add_section(&b, LULL_ZKEY_TOXIC, LULL_ZKEY_TOXIC_TEXT,
			 strlen(LULL_ZKEY_TOXIC_TEXT));
	ASSERT_EQ(LULL_OK,
		  lull_zkey_open_mem(b.data, b.bytes, "key", 0, &key, NULL));
	EXPECT_TRUE(key.toxic);
	EXPECT_STREQ("insecure, test only: generated from a known trapdoor",
		     key.toxic_text);
	EXPECT_EQ(0, key.file.trailing_bytes);
	lull_zkey_close(&key);
	blob_free(&b);
}

TEST(container_refused)
{
	struct blob b = blob_read(MUL2), empty = { must_alloc(0), 0 };

	expect_refused_done(empty, LULL_FORMAT, "key: empty file");
	expect_refused_done(blob_copy(b.data, 11), LULL_FORMAT,
			    "key: expected a header of 12 bytes, found a file "
			    "of 11");
	expect_u32_refused(0, 0, LULL_FORMAT,
			   "key: offset 0x0: expected the magic \"zkey\", "
			   "found bytes 00 00 00 00");
	expect_refused_done(blob_read(GOLDEN "bn128-mul2.wtns"), LULL_FORMAT,
			    "key: offset 0x0: expected the magic \"zkey\", "
			    "found bytes 77 74 6e 73: this is a .wtns file");
	expect_refused_done(blob_read(GOLDEN "bn128-mul2.vkey.json"),
			    LULL_FORMAT,
			    "key: offset 0x0: expected the magic \"zkey\", "
			    "found bytes 7b 22 70 72: this looks like JSON");
	expect_u32_refused(4, 2, LULL_UNSUPPORTED,
			   "key: offset 0x4: expected version 1 of .zkey, "
			   "found 2");
	expect_u32_refused(8, UINT32_MAX, LULL_FORMAT,
			   "key: offset 0x8: 4294967295 sections do not fit "
			   "in a file of 2580 bytes");
	expect_u32_refused(8, 65, LULL_FORMAT,
			   "key: offset 0x8: expected at most 64 sections, "
			   "found 65");
	expect_u32_refused(8, 11, LULL_FORMAT,
			   "key: offset 0xa14: expected the header of section "
			   "11 of 11, found 0 bytes");
	blob_free(&b);
}

TEST(sections_refused)
{
	struct blob b = blob_read(MUL2);
	size_t coefs = blob_find(&b, 4);

	/* Past the end, by one byte and by as much as a size can say. */
	blob_put_u64(&b, blob_find(&b, 10) + 4, 69);
	expect_refused(&b, LULL_FORMAT,
		       "key: section 10 (contributions), offset 0x9d0: "
		       "expected 69 bytes, found 68 before the end of the "
		       "file");
	blob_put_u64(&b, coefs + 4, UINT64_MAX);
	expect_refused(&b, LULL_FORMAT,
		       "key: section 4 (coefficients), offset 0x2c8: expected "
		       "18446744073709551615 bytes, found 1868 before the end "
		       "of the file");
	/* Overlapping: the table then goes on inside the coefficients. */
	blob_put_u64(&b, coefs + 4, 4);
	expect_refused(&b, LULL_FORMAT,
		       "key: section 0, offset 0x2d8: expected "
		       "8589934592 bytes, found 1852 before the end "
		       "of the file");
	blob_free(&b);
	b = blob_read(MUL2);
	blob_add_section(&b, 3, "", 1);
	expect_refused_done(b, LULL_FORMAT,
			    "key: section 3 (IC), offset 0xa20: repeated, "
			    "first at offset 0x388");
}

TEST(missing_sections_are_named)
{
	static const struct {
		uint32_t type;
		const char *msg;
	} missing[] = {
		{ 1, "key: section 1 (protocol): missing" },
		{ 2, "key: section 2 (header): missing" },
		{ 3, "key: section 3 (IC): missing" },
		{ 4, "key: section 4 (coefficients): missing" },
		{ 5, "key: section 5 (points of A): missing" },
		{ 6, "key: section 6 (points of B1): missing" },
		{ 7, "key: section 7 (points of B2): missing" },
		{ 8, "key: section 8 (points of C): missing" },
		{ 9, "key: section 9 (points of H): missing" },
	};
	struct blob b = blob_read(MUL2);
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(missing); i++)
		expect_refused_done(blob_without(&b, missing[i].type),
				    LULL_FORMAT, missing[i].msg);
	blob_free(&b);
}

TEST(wrong_sizes_are_named)
{
	static const struct {
		uint32_t type;
		size_t bytes;
		const char *msg;
	} sizes[] = {
		{ 1, 5,
		  "section 1 (protocol), offset 0x18: expected 4 bytes, "
		  "found 5" },
		{ 2, 659,
		  "section 2 (header), offset 0x28: expected 660 "
		  "bytes, found 659" },
		{ 2, 3,
		  "section 2 (header), offset 0x28: size of the prime: "
		  "expected 4 bytes, found 3" },
		{ 2, 35,
		  "section 2 (header), offset 0x2c: prime: expected 32 "
		  "bytes, found 31" },
		{ 2, 83,
		  "section 2 (header), offset 0x78: domainSize: "
		  "expected 4 bytes, found 3" },
		{ 3, 64,
		  "section 3 (IC), offset 0x388: expected 128 bytes, "
		  "found 64" },
		{ 4, 3,
		  "section 4 (coefficients), offset 0x2c8: nCoefs: "
		  "expected 4 bytes, found 3" },
		{ 4, 179,
		  "section 4 (coefficients), offset 0x2c8: expected "
		  "180 bytes, found 179" },
		{ 4, 224,
		  "section 4 (coefficients), offset 0x2c8: expected "
		  "180 bytes, found 224" },
		{ 5, 192,
		  "section 5 (points of A), offset 0x5ac: expected "
		  "256 bytes, found 192" },
		{ 6, 0,
		  "section 6 (points of B1), offset 0x6b8: expected 256 "
		  "bytes, found 0" },
		{ 7, 513,
		  "section 7 (points of B2), offset 0x7c4: expected "
		  "512 bytes, found 513" },
		{ 8, 192,
		  "section 8 (points of C), offset 0x520: expected "
		  "128 bytes, found 192" },
		{ 9, 512,
		  "section 9 (points of H), offset 0x414: expected "
		  "256 bytes, found 512" },
		{ 10, 67,
		  "section 10 (contributions), offset 0xa10: number "
		  "of contributions: expected 4 bytes, found 3" },
		{ 10, 69,
		  "section 10 (contributions), offset 0x9d0: expected "
		  "68 bytes, found 69" },
	};
	struct blob b = blob_read(MUL2);
	char msg[256];
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++) {
		snprintf(msg, sizeof(msg), "key: %s", sizes[i].msg);
		expect_refused_done(
			blob_resize(&b, sizes[i].type, sizes[i].bytes),
			LULL_FORMAT, msg);
	}
	blob_free(&b);
}

TEST(other_protocols_are_named)
{
	expect_u32_refused(MUL2_PROTOCOL, 2, LULL_UNSUPPORTED,
			   "key: section 1 (protocol), offset 0x18: expected "
			   "protocol 1 (groth16), found 2 (plonk)");
	expect_u32_refused(MUL2_PROTOCOL, 10, LULL_UNSUPPORTED,
			   "key: section 1 (protocol), offset 0x18: expected "
			   "protocol 1 (groth16), found 10 (fflonk)");
	expect_u32_refused(MUL2_PROTOCOL, 3, LULL_UNSUPPORTED,
			   "key: section 1 (protocol), offset 0x18: expected "
			   "protocol 1 (groth16), found 3 (unknown)");
}

TEST(other_primes_are_named)
{
	struct blob b = blob_read(MUL2);
	const struct lull_curve_facts *bls =
		lull_curve_facts(LULL_CURVE_BLS12_381);

	memcpy(b.data + MUL2_HEADER + 40, bls->fr_prime, 32);
	expect_refused_done(b, LULL_MISMATCH,
			    "key: section 2 (header), offset 0x28: q is the "
			    "prime of BN254, r that of BLS12-381");
	expect_u32_refused(MUL2_HEADER + 4, 0, LULL_UNSUPPORTED,
			   "key: section 2 (header), offset 0x2c: prime q: "
			   "expected that of BN254 or BLS12-381, found "
			   "0x30644e72e131a029... (32 bytes)");
	expect_u32_refused(MUL2_HEADER + 40, 0, LULL_UNSUPPORTED,
			   "key: section 2 (header), offset 0x50: prime r: "
			   "expected that of BN254 or BLS12-381, found "
			   "0x30644e72e131a029... (32 bytes)");
	expect_u32_refused(MUL2_HEADER, 2, LULL_UNSUPPORTED,
			   "key: section 2 (header), offset 0x2c: prime q: "
			   "expected that of BN254 or BLS12-381, found 0xfd47 "
			   "(2 bytes)");
	expect_u32_refused(MUL2_HEADER, 0, LULL_UNSUPPORTED,
			   "key: section 2 (header), offset 0x2c: prime q: "
			   "expected that of BN254 or BLS12-381, found 0x (0 "
			   "bytes)");
	expect_u32_refused(MUL2_HEADER, UINT32_MAX, LULL_FORMAT,
			   "key: section 2 (header), offset 0x2c: prime: "
			   "expected 4294967295 bytes, found 656");
}

TEST(counts_refused)
{
	expect_u32_refused(MUL2_NR_PUBLIC, 4, LULL_RANGE,
			   "key: section 2 (header), offset 0x74: nPublic: "
			   "expected less than nVars 4, found 4");
	expect_u32_refused(MUL2_NR_PUBLIC, UINT32_MAX, LULL_RANGE,
			   "key: section 2 (header), offset 0x74: nPublic: "
			   "expected less than nVars 4, found 4294967295");
	expect_u32_refused(MUL2_NR_VARS, 0, LULL_RANGE,
			   "key: section 2 (header), offset 0x74: nPublic: "
			   "expected less than nVars 0, found 1");
	expect_u32_refused(MUL2_NR_VARS, UINT32_MAX, LULL_FORMAT,
			   "key: section 5 (points of A), offset 0x5ac: "
			   "expected 274877906880 bytes, found 256");
	expect_u32_refused(MUL2_DOMAIN, 0, LULL_RANGE,
			   "key: section 2 (header), offset 0x78: domainSize: "
			   "expected a power of two, at least 2, found 0");
	expect_u32_refused(MUL2_DOMAIN, 1, LULL_RANGE,
			   "key: section 2 (header), offset 0x78: domainSize: "
			   "expected a power of two, at least 2, found 1");
	expect_u32_refused(MUL2_DOMAIN, 3, LULL_RANGE,
			   "key: section 2 (header), offset 0x78: domainSize: "
			   "expected a power of two, at least 2, found 3");
	expect_u32_refused(MUL2_DOMAIN, 1u << 29, LULL_RANGE,
			   "key: section 2 (header), offset 0x78: domainSize: "
			   "expected at most 2^28, the limit of BN254, found "
			   "2^29");
	expect_u32_refused(MUL2_DOMAIN, 1u << 27, LULL_FORMAT,
			   "key: section 9 (points of H), offset 0x414: "
			   "expected 8589934592 bytes, found 256");
	expect_u32_refused(MUL2_COEFS, UINT32_MAX, LULL_FORMAT,
			   "key: section 4 (coefficients), offset 0x2c8: "
			   "expected 188978560984 bytes, found 180");
}

TEST(domain_must_exceed_publics)
{
	struct blob b = blob_read(MUL2);

	blob_put_u32(&b, MUL2_NR_PUBLIC, 2);
	blob_put_u32(&b, MUL2_DOMAIN, 2);
	expect_refused_done(b, LULL_RANGE,
			    "key: section 2 (header), offset 0x78: "
			    "domainSize: expected more than nPublic 2, found "
			    "2");
}

TEST(domain_of_two)
{
	/* As an empty circuit without public signals has it. */
	struct blob b = blob_read(GOLDEN "bn128-edge-nopub.zkey");
	struct blob h = blob_resize(&b, 9, 2 * 64);
	struct blob two = blob_resize(&h, 4, 4);
	struct lull_zkey key;

	blob_put_u32(&two, MUL2_DOMAIN, 2);
	blob_put_u32(&two, blob_payload(&two, 4), 0);
	ASSERT_EQ(LULL_OK, lull_zkey_open_mem(two.data, two.bytes, "key", 0,
					      &key, NULL));
	EXPECT_EQ(2, key.domain_size);
	EXPECT_EQ(1, key.log2_domain);
	EXPECT_EQ(0, key.nr_coefs);
	EXPECT_TRUE(key.coefs_sorted);
	lull_zkey_close(&key);
	blob_free(&two);
	blob_free(&h);
	blob_free(&b);
}

TEST(coefficients_refused)
{
	const size_t at = MUL2_COEFS + 4 + 2 * LULL_ZKEY_COEF_BYTES;
	struct blob b = blob_read(MUL2);
	uint8_t *value = b.data + at + LULL_ZKEY_COEF_VALUE;

	expect_u32_refused(at, 7, LULL_RANGE,
			   "key: section 4 (coefficients), offset 0x324: "
			   "coefficient 2: matrix: expected 0 or 1, found 7");
	expect_u32_refused(at + 4, 4, LULL_RANGE,
			   "key: section 4 (coefficients), offset 0x328: "
			   "coefficient 2: constraint: expected below 4, "
			   "found 4");
	expect_u32_refused(at + 8, 4, LULL_RANGE,
			   "key: section 4 (coefficients), offset 0x32c: "
			   "coefficient 2: signal: expected below 4, found 4");
	expect_u32_refused(at + 8, UINT32_MAX, LULL_RANGE,
			   "key: section 4 (coefficients), offset 0x32c: "
			   "coefficient 2: signal: expected below 4, found "
			   "4294967295");
	memcpy(value, lull_curve_facts(LULL_CURVE_BN254)->fr_prime, 32);
	expect_refused(&b, LULL_RANGE,
		       "key: section 4 (coefficients), offset 0x330: "
		       "coefficient 2: value: expected below r of BN254");
	value[0]--;
	EXPECT_EQ(LULL_OK, try_open(&b, &(struct lull_error){ 0 }));
	memset(value, 0xff, 32);
	expect_refused_done(b, LULL_RANGE,
			    "key: section 4 (coefficients), offset 0x330: "
			    "coefficient 2: value: expected below r of BN254");
}

TEST(contributions_refused)
{
	struct blob b = blob_read(GOLDEN "bn128-mul2-contributed.zkey");
	size_t at = blob_payload(&b, 10);

	blob_put_u32(&b, at + 64, 3);
	expect_refused(&b, LULL_FORMAT,
		       "key: section 10 (contributions), offset 0xd54: "
		       "contribution: expected 384 bytes, found 0");
	blob_put_u32(&b, at + 64, 1);
	expect_refused(&b, LULL_FORMAT,
		       "key: section 10 (contributions), offset 0x9d0: "
		       "expected 467 bytes, found 900");
	blob_put_u32(&b, at + 64, 2);
	blob_put_u32(&b, at + 68 + 384 + 4, UINT32_MAX);
	expect_refused_done(b, LULL_FORMAT,
			    "key: section 10 (contributions), offset 0xb9c: "
			    "parameters: expected 4294967295 bytes, found "
			    "440");
}

static int check_range(const struct lull_zkey *key, uint32_t first,
		       uint32_t last, bool *ret_sorted, struct lull_error *err)
{
	return lull_zkey_check_coefs(
		key, key->coefs + (size_t)first * LULL_ZKEY_COEF_BYTES, first,
		last, ret_sorted, err);
}

TEST(deferred_coefficients)
{
	struct blob b = blob_read(GOLDEN "bn128-chain1000.zkey");
	size_t at = blob_payload(&b, 4) + 4;
	struct lull_zkey key;
	struct lull_error err;
	bool sorted = false;
	uint32_t i, bad = 1234;

	blob_put_u32(&b, at + bad * LULL_ZKEY_COEF_BYTES, 2);
	ASSERT_EQ(LULL_OK,
		  lull_zkey_open_mem(b.data, b.bytes, "key",
				     LULL_ZKEY_DEFER_COEFS, &key, &err));
	EXPECT_EQ(LULL_OK, check_range(&key, 0, bad, &sorted, &err));
	EXPECT_TRUE(sorted);
	EXPECT_EQ(LULL_OK,
		  check_range(&key, bad + 1, key.nr_coefs, &sorted, &err));
	EXPECT_TRUE(sorted);
	EXPECT_EQ(LULL_OK, check_range(&key, bad, bad, &sorted, &err));
	for (i = bad - 10; i <= bad; i++) {
		EXPECT_EQ(LULL_RANGE,
			  check_range(&key, i, bad + 1, NULL, &err));
		EXPECT_STREQ("key: section 4 (coefficients), offset 0xd6e4: "
			     "coefficient 1234: matrix: expected 0 or 1, "
			     "found 2",
			     err.msg);
	}
	lull_zkey_close(&key);
	blob_free(&b);
}

TEST(unsorted_coefficients)
{
	struct blob b = blob_read(GOLDEN "bn128-chain1000.zkey");
	size_t at = blob_payload(&b, 4) + 4 + 4;
	struct lull_zkey key;
	bool sorted;

	/* Coefficient 500 belongs to an earlier row than 499. */
	blob_put_u32(&b, at + 499 * LULL_ZKEY_COEF_BYTES, 600);
	ASSERT_EQ(LULL_OK,
		  lull_zkey_open_mem(b.data, b.bytes, "key", 0, &key, NULL));
	EXPECT_TRUE(!key.coefs_sorted);
	/* The step lies between two ranges: the second one sees it. */
	EXPECT_EQ(LULL_OK, check_range(&key, 0, 500, &sorted, NULL));
	EXPECT_TRUE(sorted);
	EXPECT_EQ(LULL_OK, check_range(&key, 500, key.nr_coefs, &sorted, NULL));
	EXPECT_TRUE(!sorted);
	EXPECT_EQ(LULL_OK, check_range(&key, 501, key.nr_coefs, &sorted, NULL));
	EXPECT_TRUE(sorted);
	lull_zkey_close(&key);
	blob_free(&b);
}

TEST(truncated_at_every_byte)
{
	truncate_everywhere(MUL2);
	truncate_everywhere(GOLDEN "bls12381-mul2.zkey");
	truncate_everywhere(GOLDEN "bn128-mul2-contributed.zkey");
}

/* Up to the first points, where the file's header, a section's and all counts
 * are, every value; then those that matter to sizes. */
#define FIRST_POINTS 161

TEST(corrupted_at_every_byte)
{
	corrupt_everywhere(MUL2, FIRST_POINTS, just_open);
	corrupt_everywhere(GOLDEN "bls12381-mul2-contributed.zkey",
			   FIRST_POINTS, just_open);
}

TEST_MAIN
