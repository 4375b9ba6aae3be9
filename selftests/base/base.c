// SPDX-License-Identifier: Apache-2.0
/*
 * base.c - errors, vectors and the small arithmetic of base.h
 */
#include "base/base.h"

#include <errno.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/stage.h"
#include "harness.h"

TEST(fail_fills_the_error)
{
	struct lull_error error;

	memset(&error, 0xcc, sizeof(error)); /* poison: all must be written */
	EXPECT_EQ(LULL_RANGE, lull_fail(&error, LULL_RANGE, "%s: %d", "x", 7));
	EXPECT_EQ(LULL_RANGE, error.code);
	EXPECT_EQ(0, error.sys_errno);
	EXPECT_STREQ("x: 7", error.msg);
	EXPECT_EQ(LULL_IO, lull_fail(NULL, LULL_IO, "no one listens"));
}

TEST(fail_errno_adds_its_text)
{
	struct lull_error error;

	EXPECT_EQ(LULL_IO, lull_fail_errno(&error, LULL_IO, ENOENT, "%s", "f"));
	EXPECT_EQ(ENOENT, error.sys_errno);
	EXPECT_STREQ("f: No such file or directory", error.msg);
	EXPECT_EQ(LULL_IO, lull_fail_errno(NULL, LULL_IO, EIO, "f"));
}

TEST(long_messages_are_cut_not_overrun)
{
	struct lull_error error;
	char text[600];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	lull_fail_errno(&error, LULL_IO, EIO, "%s", text);
	EXPECT_EQ(sizeof(error.msg) - 1, strlen(error.msg));
}

static void expect_zeroed(size_t bytes)
{
	struct lull_vec vec;
	size_t i, sum = 0;
	uint8_t *p;

	ASSERT_EQ(LULL_OK, lull_vec_alloc(&vec, bytes, "test", NULL));
	EXPECT_EQ(bytes, vec.bytes);
	EXPECT_EQ(0, (uintptr_t)vec.ptr % 64);
	p = vec.ptr;
	for (i = 0; i < bytes; i++)
		sum += p[i];
	EXPECT_EQ(0, sum);
	if (bytes)
		memset(p, 1, bytes);
	lull_vec_done(&vec);
	EXPECT_TRUE(!vec.ptr && !vec.bytes);
	lull_vec_done(&vec);
}

TEST(vectors_are_zeroed_and_aligned)
{
	static const size_t sizes[] = { 0,	 1,	  4095,	   4096,
					4097,	 2097151, 2097152, 2097153,
					10000000 };
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++)
		expect_zeroed(sizes[i]);
}

TEST(large_vectors_start_on_a_huge_page)
{
	struct lull_vec vec;

	ASSERT_EQ(LULL_OK, lull_vec_alloc(&vec, 3 << 20, "test", NULL));
	EXPECT_EQ(0, (uintptr_t)vec.ptr % (2 << 20));
	lull_vec_wipe_done(&vec);
}

TEST(vectors_that_cannot_be_had)
{
	struct lull_vec vec = { .ptr = &vec, .bytes = 42 };
	struct lull_error error;
	size_t i;
	static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 4096,
					SIZE_MAX / 2 };

	for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++) {
		EXPECT_EQ(LULL_NOMEM,
			  lull_vec_alloc(&vec, sizes[i], "rows", &error));
		EXPECT_TRUE(vec.ptr == &vec && vec.bytes == 42);
		EXPECT_TRUE(strstr(error.msg, "rows: ") == error.msg);
	}
}

TEST(small_arithmetic)
{
	uint64_t r;

	EXPECT_EQ(0, lull_div_up(0, 8));
	EXPECT_EQ(1, lull_div_up(1, 8));
	EXPECT_EQ(1, lull_div_up(8, 8));
	EXPECT_EQ(2, lull_div_up(9, 8));
	EXPECT_EQ(64, lull_align_up(1, 64));
	EXPECT_EQ(64, lull_align_up(64, 64));
	EXPECT_TRUE(lull_add_overflow(UINT64_MAX, 1, &r));
	EXPECT_TRUE(lull_mul_overflow(UINT64_MAX, 2, &r));
	EXPECT_TRUE(!lull_mul_overflow(1u << 31, 1u << 31, &r));
	EXPECT_EQ((int64_t)1 << 62, r);
}

TEST(every_stage_has_its_name)
{
	int i, j;

	for (i = 0; i < LULL_NR_STAGES; i++) {
		ASSERT_TRUE(lull_stage_name(i) != NULL);
		for (j = 0; j < i; j++)
			EXPECT_TRUE(strcmp(lull_stage_name(i),
					   lull_stage_name(j)));
	}
	EXPECT_STREQ("msm_b2", lull_stage_name(LULL_STAGE_MSM_B2));
}

TEST_MAIN
