// SPDX-License-Identifier: Apache-2.0
/*
 * base.c - errors and the small arithmetic of base.h
 */
#include "base/base.h"

#include <errno.h>

#include "base/error.h"
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
