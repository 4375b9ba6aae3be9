/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refused.h - what a parser must say of a file that it refuses
 *
 * For the test of one parser, which first defines MUL2, the path of a small
 * good file, and
 *
 *	int try_open(const struct blob *b, struct lull_error *err);
 *
 * which opens and closes and checks that outputs are as the contract says.
 */
#ifndef LULL_SELFTESTS_REFUSED_H
#define LULL_SELFTESTS_REFUSED_H

static void expect_refused(const struct blob *b, int code, const char *msg)
{
	struct lull_error err;

	EXPECT_EQ(code, try_open(b, &err));
	EXPECT_STREQ(msg, err.msg);
}

static void expect_refused_done(struct blob b, int code, const char *msg)
{
	expect_refused(&b, code, msg);
	blob_free(&b);
}

/* MUL2 with one u32 changed. */
static void expect_u32_refused(size_t at, uint32_t value, int code,
			       const char *msg)
{
	struct blob b = blob_read(MUL2);

	blob_put_u32(&b, at, value);
	expect_refused_done(b, code, msg);
}

/* However short it is cut, the file is refused. */
static void truncate_everywhere(const char *path)
{
	struct blob b = blob_read(path), cut;
	struct lull_error err;
	size_t bytes;

	for (bytes = 0; bytes < b.bytes; bytes++) {
		cut = blob_copy(b.data, bytes);
		if (!try_open(&cut, &err))
			TEST_FAIL_("%s cut to %zu bytes was accepted", path,
				   bytes);
		blob_free(&cut);
	}
	blob_free(&b);
}

#endif
