/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refused.h - what a parser must say of a file that it refuses
 *
 * For the test of one parser, which first defines MUL2, the path of a small
 * good file, and
 *
 *	int try_open(const struct blob *b, struct lull_error *err);
 *
 * which opens and closes and checks that outputs are as the contract says.  One
 * whose good file is made, or has hashes, defines GOOD_FILE() and SEAL(b) too.
 */
#ifndef LULL_SELFTESTS_REFUSED_H
#define LULL_SELFTESTS_REFUSED_H

#ifndef GOOD_FILE
#define GOOD_FILE() blob_read(MUL2)
#define SEAL(b)
#endif

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

/* The good file with one u32 changed. */
static void expect_u32_refused(size_t at, uint32_t value, int code,
			       const char *msg)
{
	struct blob b = GOOD_FILE();

	blob_put_u32(&b, at, value);
	SEAL(&b);
	expect_refused_done(b, code, msg);
}

/* However short it is cut, the file is refused. */
static inline void truncate_everywhere(const char *path)
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

/* Nothing may come of it but an error: for corrupt_everywhere(). */
static inline void just_open(const struct blob *b)
{
	struct lull_error err;

	try_open(b, &err);
}

/* Each byte in turn has every value; from @sparse_from on those alone that
 * matter to sizes, which are at most one bit, or all.  @try_it must come back. */
static inline void corrupt_everywhere(const char *path, size_t sparse_from,
				      void (*try_it)(const struct blob *b))
{
	struct blob b = blob_read(path);
	struct lull_error err;
	unsigned int value;
	uint8_t was;
	size_t at;

	for (at = 0; at < b.bytes; at++) {
		was = b.data[at];
		for (value = 0; value < 256; value++) {
			if (at >= sparse_from && value & (value - 1) &&
			    value != 0xff)
				continue;
			b.data[at] = (uint8_t)value;
			try_it(&b);
		}
		b.data[at] = was;
	}
	EXPECT_EQ(LULL_OK, try_open(&b, &err));
	blob_free(&b);
}

#endif
