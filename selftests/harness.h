/* SPDX-License-Identifier: Apache-2.0 */
/*
 * harness.h - the vocabulary of kselftest for a program of ours
 *
 *	TEST(name) { ASSERT_EQ(4, 2 + 2); }
 *	TEST_MAIN
 *
 * prints TAP version 13.  A failed EXPECT_* goes on, a failed ASSERT_* ends
 * its test; SKIP(reason) ends it too and is counted and named.  Tests run in
 * the order in which they stand in the file, in one process.
 */
#ifndef LULL_SELFTESTS_HARNESS_H
#define LULL_SELFTESTS_HARNESS_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test_case {
	const char *name;
	void (*fn)(void);
	struct test_case *next;
};

static struct test_case *test_first, **test_last = &test_first;
static bool test_failed;
static const char *test_skipped;
/* When set, called before each test with its name. */
static void (*test_before_each)(const char *name);
/* When set, called after each test, which it may still fail. */
static void (*test_after_each)(void);

#define TEST(id)                                                       \
	static void test_##id(void);                                   \
	__attribute__((constructor)) static void register_##id(void)   \
	{                                                              \
		static struct test_case c = { #id, test_##id, NULL };  \
		*test_last = &c;                                       \
		test_last = &c.next;                                   \
	}                                                              \
	static void test_##id(void)

#define TEST_FAIL_(...)                                                \
	do {                                                           \
		printf("# %s:%d: ", __FILE__, __LINE__);               \
		printf(__VA_ARGS__);                                   \
		printf("\n");                                          \
		test_failed = true;                                    \
	} while (0)

#define EXPECT_TRUE(cond)                                              \
	do {                                                           \
		if (!(cond))                                           \
			TEST_FAIL_("expected %s", #cond);              \
	} while (0)
#define ASSERT_TRUE(cond)                                              \
	do {                                                           \
		if (!(cond)) {                                         \
			TEST_FAIL_("expected %s", #cond);              \
			return;                                        \
		}                                                      \
	} while (0)
#define EXPECT_EQ(want, got)                                           \
	do {                                                           \
		int64_t want_ = (int64_t)(want), got_ = (int64_t)(got);\
		if (want_ != got_)                                     \
			TEST_FAIL_("%s: expected %" PRId64             \
				   ", found %" PRId64, #got, want_,    \
				   got_);                              \
	} while (0)
#define ASSERT_EQ(want, got)                                           \
	do {                                                           \
		int64_t want_ = (int64_t)(want), got_ = (int64_t)(got);\
		if (want_ != got_) {                                   \
			TEST_FAIL_("%s: expected %" PRId64             \
				   ", found %" PRId64, #got, want_,    \
				   got_);                              \
			return;                                        \
		}                                                      \
	} while (0)
#define EXPECT_STREQ(want, got)                                        \
	do {                                                           \
		const char *want_ = (want), *got_ = (got);             \
		if (strcmp(want_, got_))                               \
			TEST_FAIL_("expected \"%s\", found \"%s\"",    \
				   want_, got_);                       \
	} while (0)
#define EXPECT_MEMEQ(want, got, n)                                     \
	do {                                                           \
		if (memcmp((want), (got), (n)))                        \
			TEST_FAIL_("%s and %s differ", #want, #got);   \
	} while (0)
#define SKIP(reason)                                                   \
	do {                                                           \
		test_skipped = (reason);                               \
		return;                                                \
	} while (0)

/* A seeded generator (xorshift64*), so that a failure can be repeated. */
static uint64_t test_seed = 0x9e3779b97f4a7c15u;

static inline uint64_t test_random(void)
{
	test_seed ^= test_seed >> 12;
	test_seed ^= test_seed << 25;
	test_seed ^= test_seed >> 27;
	return test_seed * 0x2545f4914f6cdd1du; /* the generator's own */
}

/* Whether a sanitizer has memory and threads of its own beside ours. */
static inline bool test_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
	__has_feature(memory_sanitizer)
	return true;
#endif
#endif
	return false;
}

/* Whether another build runs what only repeats a test at a larger size: as
 * scripts/check says by LULL_TEST_BRIEF, and where it would take minutes. */
static inline bool test_brief(void)
{
	return test_sanitized() || getenv("LULL_TEST_BRIEF");
}

static inline int test_main(void)
{
	unsigned int nr = 0, failed = 0;
	struct test_case *c;

	for (c = test_first; c; c = c->next)
		nr++;
	printf("TAP version 13\n1..%u\n", nr);
	nr = 0;
	for (c = test_first; c; c = c->next) {
		test_failed = false;
		test_skipped = NULL;
		if (test_before_each)
			test_before_each(c->name);
		c->fn();
		if (test_after_each)
			test_after_each();
		failed += test_failed;
		printf("%s %u %s", test_failed ? "not ok" : "ok", ++nr,
		       c->name);
		if (test_skipped && !test_failed)
			printf(" # SKIP %s", test_skipped);
		printf("\n");
		fflush(stdout);
	}
	return failed != 0;
}

#define TEST_MAIN              \
	int main(void)         \
	{                      \
		return test_main(); \
	}

#endif
