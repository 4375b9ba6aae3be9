// SPDX-License-Identifier: Apache-2.0
/*
 * decimal.c - decimal numbers: both ways, and every spelling that is refused
 */
#include "harness.h"

#include "base/base.h"
#include "curve/facts.h"
#include "input/canonical.h"
#include "input/decimal.h"

#define POISON 0xa5

static int read_text(const char *text, uint8_t *ret_value, size_t bytes)
{
	return lull_decimal_read(text, strlen(text), ret_value, bytes);
}

static void expect_pair(const char *text, const uint8_t *value, size_t bytes)
{
	char written[LULL_DECIMAL_TEXT_BYTES(LULL_DECIMAL_BYTES_MAX)];
	uint8_t read[LULL_DECIMAL_BYTES_MAX];

	memset(read, POISON, sizeof(read));
	EXPECT_EQ(LULL_OK, read_text(text, read, bytes));
	EXPECT_MEMEQ(value, read, bytes);
	EXPECT_EQ(strlen(text), lull_decimal_write(value, bytes, written));
	EXPECT_STREQ(text, written);
}

TEST(small_numbers)
{
	uint8_t value[32] = { 0 };
	char text[16];
	unsigned int i;

	for (i = 0; i < 70000; i += 7) {
		value[0] = (uint8_t)i;
		value[1] = (uint8_t)(i >> 8);
		value[2] = (uint8_t)(i >> 16);
		snprintf(text, sizeof(text), "%u", i);
		expect_pair(text, value, sizeof(value));
	}
}

TEST(powers_of_ten)
{
	/* Around each multiple of nine digits, where chunks meet; 78 digits
	 * and more do not all fit. */
	uint8_t value[32];
	unsigned int digits;
	char text[78];

	for (digits = 1; digits < sizeof(text); digits++) {
		memset(text, '0', digits);
		text[0] = '1';
		text[digits] = '\0';
		ASSERT_EQ(LULL_OK, read_text(text, value, 32));
		expect_pair(text, value, 32);
		memset(text, '9', digits);
		ASSERT_EQ(LULL_OK, read_text(text, value, 32));
		expect_pair(text, value, 32);
	}
}

TEST(published_primes)
{
	const struct lull_curve_facts *bn = lull_curve_facts(LULL_CURVE_BN254);
	const struct lull_curve_facts *bls =
		lull_curve_facts(LULL_CURVE_BLS12_381);

	expect_pair("2188824287183927522224640574525727508869631115729782366268"
		    "9037894645226208583",
		    bn->fp_prime, 32);
	expect_pair("2188824287183927522224640574525727508854836440041603434369"
		    "8204186575808495617",
		    bn->fr_prime, 32);
	expect_pair("4002409555221667393417789825735904156556882819939007885332"
		    "058136124031650490837864442687629129015664037894272559787",
		    bls->fp_prime, 48);
	expect_pair("5243587517512619047944774050818596583769055250052763782260"
		    "3658699938581184513",
		    bls->fr_prime, 32);
}

TEST(largest_of_each_width)
{
	uint8_t all_ones[LULL_DECIMAL_BYTES_MAX];
	char text[LULL_DECIMAL_TEXT_BYTES(LULL_DECIMAL_BYTES_MAX)];
	uint8_t value[LULL_DECIMAL_BYTES_MAX];
	size_t bytes, len;

	memset(all_ones, 0xff, sizeof(all_ones));
	for (bytes = 1; bytes <= LULL_DECIMAL_BYTES_MAX; bytes++) {
		len = lull_decimal_write(all_ones, bytes, text);
		ASSERT_TRUE(len < LULL_DECIMAL_TEXT_BYTES(bytes));
		expect_pair(text, all_ones, bytes);
		/* 2^n - 1 ends in 5 for n a multiple of 8, so one more is
		 * spelled with a 6. */
		EXPECT_EQ('5', text[len - 1]);
		text[len - 1] = '6';
		memset(value, POISON, sizeof(value));
		EXPECT_EQ(LULL_RANGE,
			  lull_decimal_read(text, len, value, bytes));
		EXPECT_EQ(POISON, value[0]);
	}
}

TEST(refused)
{
	static const char *const texts[] = {
		"",    "00",  "01",  "-1",  "+1", " 1",	   "1 ",  "1\n",
		"0x1", "1e3", "1.0", "1,0", "a",  "1a",	   "1_0", "\t1",
		"/",   ":",   "-0",  "0 ",  "١",  "1\xff",
	};
	uint8_t value[32];
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(texts); i++) {
		memset(value, POISON, sizeof(value));
		if (read_text(texts[i], value, sizeof(value)) != LULL_FORMAT)
			TEST_FAIL_("\"%s\" was not refused", texts[i]);
		EXPECT_EQ(POISON, value[0]);
	}
	EXPECT_EQ(LULL_FORMAT, lull_decimal_read("1\0002", 3, value, 32));
}

TEST(very_long)
{
	static char digits[100000];
	uint8_t value[32];

	memset(digits, '7', sizeof(digits));
	EXPECT_EQ(LULL_RANGE,
		  lull_decimal_read(digits, sizeof(digits), value, 32));
}

TEST(random_round_trips)
{
	char text[LULL_DECIMAL_TEXT_BYTES(LULL_DECIMAL_BYTES_MAX)];
	uint8_t value[LULL_DECIMAL_BYTES_MAX];
	size_t bytes, i;
	unsigned int round;

	for (round = 0; round < 2000; round++) {
		bytes = 1 + test_random() % LULL_DECIMAL_BYTES_MAX;
		for (i = 0; i < bytes; i++)
			value[i] = (uint8_t)test_random();
		lull_decimal_write(value, bytes, text);
		expect_pair(text, value, bytes);
	}
}

TEST(below)
{
	const uint8_t *r = lull_curve_facts(LULL_CURVE_BN254)->fr_prime;
	uint8_t value[33];
	size_t i;

	EXPECT_TRUE(!lull_input_below(r, r, 32));
	for (i = 0; i < 32; i++) {
		/* At an odd address, one byte more and one less. */
		memcpy(value + 1, r, 32);
		value[1 + i]++;
		EXPECT_EQ(value[1 + i] == 0,
			  lull_input_below(value + 1, r, 32));
		value[1 + i] -= 2;
		EXPECT_EQ(value[1 + i] != 0xff,
			  lull_input_below(value + 1, r, 32));
	}
}

TEST_MAIN
