// SPDX-License-Identifier: Apache-2.0
/*
 * bellman.c - parameters of bellman: good ones, and each refusal alone with its
 * message
 *
 * The files are made here: this folder sees sizes and encodings, no curve.
 */
#include "harness.h"

#include <endian.h>
#include <inttypes.h>

#include "curve/facts.h"
#include "input/bellman.h"
#include "input/files.h"

#define VKEY_BYTES (3 * 96 + 3 * 192)
#define FP 48

/* Numbers of points of a small file: 2 inputs, 3 private variables. */
struct counts {
	uint32_t ic, h, l, a, b_g1, b_g2;
};

static const struct counts small = { 2, 7, 3, 4, 1, 1 };

/* Where the small file has its numbers. */
#define AT_IC VKEY_BYTES
#define AT_H (AT_IC + 4 + 2 * 96)
#define AT_L (AT_H + 4 + 7 * 96)
#define AT_A (AT_L + 4 + 3 * 96)
#define AT_B_G1 (AT_A + 4 + 4 * 96)
#define AT_B_G2 (AT_B_G1 + 4 + 1 * 96)
#define SMALL_BYTES (AT_B_G2 + 4 + 192)

static void put_array(struct blob *b, uint32_t nr, size_t each)
{
	uint32_t count = htobe32(nr);
	uint8_t *points = must_alloc(nr * each);

	memset(points, 1, nr * each);
	blob_append(b, &count, sizeof(count));
	blob_append(b, points, nr * each);
	free(points);
}

static struct blob make_vkey(uint32_t nr_ic)
{
	struct blob b = { must_alloc(VKEY_BYTES), VKEY_BYTES };

	memset(b.data, 2, b.bytes);
	put_array(&b, nr_ic, 96);
	return b;
}

static struct blob make_params(const struct counts *c)
{
	struct blob b = make_vkey(c->ic);

	put_array(&b, c->h, 96);
	put_array(&b, c->l, 96);
	put_array(&b, c->a, 96);
	put_array(&b, c->b_g1, 96);
	put_array(&b, c->b_g2, 192);
	return b;
}

static int try_flags(const struct blob *b, unsigned int flags,
		     struct lull_error *err)
{
	struct lull_bellman file;
	int rc;

	memset(&file, POISON, sizeof(file));
	memset(err, POISON, sizeof(*err));
	rc = lull_bellman_open_mem(b->data, b->bytes, "key", flags, &file, err);
	if (rc) {
		EXPECT_TRUE(untouched(&file, sizeof(file)));
		EXPECT_EQ(rc, err->code);
	} else {
		EXPECT_TRUE(untouched(err, sizeof(*err)));
		lull_bellman_close(&file);
	}
	return rc;
}

static void expect_refused(struct blob b, int code, const char *msg)
{
	struct lull_error err;

	EXPECT_EQ(code, try_flags(&b, 0, &err));
	EXPECT_STREQ(msg, err.msg);
	blob_free(&b);
}

static void expect_counts_refused(struct counts c, int code, const char *msg)
{
	expect_refused(make_params(&c), code, msg);
}

TEST(arrays_are_found)
{
	static const uint64_t offset[LULL_BELLMAN_NR_ARRAYS] = {
		0,	  96,	    192,	 384,
		576,	  672,	    AT_IC + 4,	 AT_H + 4,
		AT_L + 4, AT_A + 4, AT_B_G1 + 4, AT_B_G2 + 4,
	};
	static const uint32_t nr[LULL_BELLMAN_NR_ARRAYS] = { 1, 1, 1, 1, 1, 1,
							     2, 7, 3, 4, 1, 1 };
	struct blob b = make_params(&small);
	struct lull_bellman file;

	ASSERT_EQ(SMALL_BYTES, b.bytes);
	ASSERT_EQ(LULL_OK, lull_bellman_open_mem(b.data, b.bytes, "key", 0,
						 &file, NULL));
	EXPECT_TRUE(!file.is_vkey);
	EXPECT_MEMEQ(offset, file.offset, sizeof(offset));
	EXPECT_MEMEQ(nr, file.nr, sizeof(nr));
	lull_bellman_close(&file);
	lull_bellman_close(&file);
	blob_free(&b);
}

TEST(verifying_key_alone)
{
	struct blob b = make_vkey(3);
	struct lull_bellman file;

	ASSERT_EQ(LULL_OK,
		  lull_bellman_open_mem(b.data, b.bytes, "key",
					LULL_BELLMAN_VKEY_DOES, &file, NULL));
	EXPECT_TRUE(file.is_vkey);
	EXPECT_EQ(3, file.nr[LULL_BELLMAN_IC]);
	EXPECT_EQ(0, file.nr[LULL_BELLMAN_H]);
	lull_bellman_close(&file);
	expect_refused(b, LULL_FORMAT,
		       "key: section h, offset 0x484: expected a number of "
		       "points (4 bytes), found 0 bytes before the end of the "
		       "file");
}

/* A file that a verifying key would do for may be whole parameters. */
TEST(parameters_where_a_verifying_key_does)
{
	struct blob b = make_params(&small);
	struct lull_error err;

	EXPECT_EQ(LULL_OK, try_flags(&b, LULL_BELLMAN_VKEY_DOES, &err));
	blob_free(&b);
}

TEST(cut_anywhere)
{
	struct blob b = make_params(&small), cut;
	struct lull_error err;
	size_t bytes;

	for (bytes = 0; bytes < b.bytes; bytes++) {
		cut = blob_copy(b.data, bytes);
		if (!try_flags(&cut, 0, &err))
			TEST_FAIL_("cut to %zu bytes was accepted", bytes);
		blob_free(&cut);
	}
	blob_free(&b);
}

TEST(bytes_behind_the_end)
{
	struct blob b = make_params(&small);

	blob_append(&b, "x", 1);
	expect_refused(b, LULL_FORMAT,
		       "key: offset 0xa98: expected the end of the file behind "
		       "b_g2, found 1 more bytes");
}

TEST(numbers_larger_than_the_file)
{
	static const struct {
		size_t at;
		const char *msg;
	} cases[] = {
		{ AT_IC, "key: section ic, offset 0x364: expected 4294967295 "
			 "points (412316860320 bytes), found 1848 bytes before "
			 "the end of the file" },
		{ AT_B_G1, "key: section b_g1, offset 0x974: expected "
			   "4294967295 points (412316860320 bytes), found 296 "
			   "bytes before the end of the file" },
		/* One of 192 bytes: G1's size would fit two. */
		{ AT_B_G2, "key: section b_g2, offset 0x9d8: expected "
			   "4294967295 points (824633720640 bytes), found 196 "
			   "bytes before the end of the file" },
	};
	struct blob b;
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(cases); i++) {
		b = make_params(&small);
		/* Four bytes more: a sum of 32 bits would wrap. */
		blob_append(&b, "\0\0\0", 4);
		blob_put_u32(&b, cases[i].at, UINT32_MAX);
		expect_refused(b, LULL_FORMAT, cases[i].msg);
	}
}

/* b_g2 has twice the bytes a point: half of it is not enough. */
TEST(points_of_g2_have_their_own_size)
{
	struct counts c = small;
	struct blob b;

	c.b_g1 = 2;
	c.b_g2 = 2;
	b = make_params(&c);
	b.bytes -= 192;
	expect_refused(b, LULL_FORMAT,
		       "key: section b_g2, offset 0xa38: expected 2 points "
		       "(384 bytes), found 192 bytes before the end of the "
		       "file");
}

TEST(counts_that_contradict_each_other)
{
	struct counts c = small;

	c.h = 6;
	expect_counts_refused(c, LULL_RANGE,
			      "key: section h, offset 0x424: expected one "
			      "point less than a power of two, at least 1, "
			      "found 6");
	c.h = 0;
	expect_counts_refused(c, LULL_RANGE,
			      "key: section h, offset 0x424: expected one "
			      "point less than a power of two, at least 1, "
			      "found 0");
	c = small;
	c.ic = 9;
	expect_counts_refused(c, LULL_RANGE,
			      "key: section h, offset 0x6c4: a domain of 8 "
			      "rows: expected at least one for each of 9 "
			      "inputs");
	c = small;
	c.ic = 0;
	expect_counts_refused(c, LULL_RANGE,
			      "key: section ic, offset 0x360: expected at "
			      "least 1 point, found 0");
	c = small;
	c.a = 1;
	expect_counts_refused(c, LULL_RANGE,
			      "key: section a, offset 0x7ec: expected from 2 "
			      "to 5 points, found 1");
	c.a = 6;
	expect_counts_refused(c, LULL_RANGE,
			      "key: section a, offset 0x7ec: expected from 2 "
			      "to 5 points, found 6");
	c = small;
	c.b_g1 = 6;
	c.b_g2 = 6;
	expect_counts_refused(c, LULL_RANGE,
			      "key: section b_g1, offset 0x970: expected from "
			      "0 to 5 points, found 6");
	c.b_g1 = 1;
	c.b_g2 = 2;
	expect_counts_refused(c, LULL_RANGE,
			      "key: section b_g2, offset 0x9d4: expected 1 "
			      "points, found 2");
}

/* ---- points ------------------------------------------------------------ */

static void expect_fault(enum lull_bellman_fault want, const uint8_t *point,
			 unsigned int nr_coords)
{
	uint8_t out[LULL_BELLMAN_POINT_BYTES_MAX];

	memset(out, POISON, sizeof(out));
	EXPECT_EQ(want, lull_bellman_take_point(point, nr_coords, out));
	EXPECT_TRUE(untouched(out, sizeof(out)));
	EXPECT_TRUE(strcmp(lull_bellman_fault_text(want), "unknown fault"));
}

TEST(coordinates_change_their_order)
{
	uint8_t from[4 * FP], to[4 * FP], back[4 * FP];
	unsigned int i, c;

	for (i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i % 250);
	for (c = 0; c < 4; c++)
		from[c * FP] = (uint8_t)c; /* below p */
	ASSERT_EQ(LULL_BELLMAN_POINT_OK, lull_bellman_take_point(from, 4, to));
	/* x.c1, x.c0, y.c1, y.c0 in the file */
	for (i = 0; i < FP; i++) {
		EXPECT_EQ(from[i], to[2 * FP - 1 - i]);
		EXPECT_EQ(from[FP + i], to[FP - 1 - i]);
		EXPECT_EQ(from[2 * FP + i], to[4 * FP - 1 - i]);
		EXPECT_EQ(from[3 * FP + i], to[3 * FP - 1 - i]);
	}
	lull_bellman_put_point(to, 4, back);
	EXPECT_MEMEQ(from, back, sizeof(from));
	ASSERT_EQ(LULL_BELLMAN_POINT_OK, lull_bellman_take_point(from, 2, to));
	for (i = 0; i < FP; i++) {
		EXPECT_EQ(from[i], to[FP - 1 - i]);
		EXPECT_EQ(from[FP + i], to[2 * FP - 1 - i]);
	}
	lull_bellman_put_point(to, 2, back);
	EXPECT_MEMEQ(from, back, 2 * FP);
}

TEST(flags_are_refused)
{
	uint8_t point[4 * FP] = { 1, 2, 3 };
	unsigned int nr;

	for (nr = 2; nr <= 4; nr += 2) {
		point[0] = 0x80 | 1;
		expect_fault(LULL_BELLMAN_COMPRESSED, point, nr);
		point[0] = 0xc0;
		expect_fault(LULL_BELLMAN_COMPRESSED, point, nr);
		point[0] = 0x40;
		expect_fault(LULL_BELLMAN_INFINITY, point, nr);
		point[0] = 0x60;
		expect_fault(LULL_BELLMAN_INFINITY, point, nr);
		point[0] = 0x20 | 1;
		expect_fault(LULL_BELLMAN_SIGN, point, nr);
	}
}

TEST(coordinates_not_below_p)
{
	const uint8_t *p = lull_curve_facts(LULL_CURVE_BLS12_381)->fp_prime;
	uint8_t point[4 * FP], out[4 * FP];
	unsigned int nr, c, i;

	for (nr = 2; nr <= 4; nr += 2) {
		for (c = 0; c < nr; c++) {
			memset(point, 0, sizeof(point));
			for (i = 0; i < FP; i++)
				point[c * FP + i] = p[FP - 1 - i];
			expect_fault(LULL_BELLMAN_COORDINATE, point, nr);
			/* p is odd: its last byte does not borrow. */
			point[c * FP + FP - 1]--;
			EXPECT_EQ(LULL_BELLMAN_POINT_OK,
				  lull_bellman_take_point(point, nr, out));
		}
	}
}

TEST_MAIN
