// SPDX-License-Identifier: Apache-2.0
/*
 * gigantic.c - the arena on reserved pages of 1 GiB
 *
 * Such pages are reserved at boot: `scripts/vm --memory 5G --append
 * "hugepagesz=1G hugepages=1"`.  Where none is free, every test is skipped.
 * Some need a few pages of 2 MiB beside it.
 */
#include <string.h>

#include "arena/arena.h"
#include "arena/host.h"
#include "base/base.h"
#include "harness.h"
#include "lull.h"

#define GIB LULL_ARENA_GIGANTIC_BYTES
#define SLOT LULL_ARENA_SLOT_BYTES
#define SMALL_BYTES (32 * SLOT)
#define FLUSH_MS 10000
#define TEXT_BYTES 64

/* Outlives a test that it is the reason to skip. */
static struct lull_error error;

static uint64_t nr_free(size_t page_bytes)
{
	struct lull_arena_hugetlb_pool pool = { 0 };

	lull_arena_host_hugetlb_of("", page_bytes, LULL_ARENA_NODE_ANY, &pool);
	return pool.nr_free;
}

#define NEED_GIGANTIC()                                                        \
	do {                                                                   \
		if (!nr_free(GIB))                                             \
			SKIP("no page of 1 GiB is free (at boot: "             \
			     "hugepagesz=1G hugepages=1)");                    \
	} while (0)
#define NEED_SMALL()                                                           \
	do {                                                                   \
		if (nr_free(SLOT) < SMALL_BYTES / SLOT)                        \
			SKIP("not enough pages of 2 MiB are free");            \
	} while (0)

static struct lull_arena *open_arena(size_t bytes_max)
{
	const struct lull_arena_opts opts = {
		.carrier = LULL_ARENA_HUGETLB,
		.bytes_max = bytes_max,
		.node = LULL_ARENA_NODE_ANY,
	};
	struct lull_arena *arena = NULL;

	if (lull_arena_open(&opts, &arena, &error))
		TEST_FAIL_("%s", error.msg);
	return arena;
}

static void expect_pages(const struct lull_arena *arena, const char *want)
{
	char text[TEXT_BYTES];

	lull_arena_describe(arena, text, sizeof(text));
	EXPECT_STREQ(want, text);
}

static struct lull_vec carve(struct lull_arena *arena, size_t bytes,
			     unsigned int flags)
{
	struct lull_vec vec = { 0 };

	if (lull_arena_carve(arena, bytes, flags, "test", &vec, &error))
		TEST_FAIL_("%zu bytes: %s", bytes, error.msg);
	return vec;
}

static bool is_all(const struct lull_vec *vec, uint8_t value)
{
	const uint8_t *p = vec->ptr;

	return p && p[0] == value && !memcmp(p, p + 1, vec->bytes - 1);
}

static uint64_t held(struct lull_arena *arena)
{
	struct lull_arena_stats stats;

	lull_arena_stats(arena, &stats);
	return stats.held_bytes;
}

/* Blocks share a page, which the pool has one less of until the end. */
TEST(taken_when_the_arena_fits)
{
	uint64_t before = nr_free(GIB);
	struct lull_arena *arena;
	struct lull_vec a, b;

	NEED_GIGANTIC();
	arena = open_arena(GIB);
	ASSERT_TRUE(arena != NULL);
	expect_pages(arena, "hugetlb (1 GiB, any node)");
	EXPECT_EQ(0, held(arena));
	a = carve(arena, 5 * SLOT, LULL_CARVE_ZERO);
	EXPECT_EQ(before - 1, nr_free(GIB));
	EXPECT_EQ(GIB, held(arena));
	EXPECT_TRUE(is_all(&a, 0));
	b = carve(arena, 3 * SLOT, LULL_CARVE_ZERO);
	EXPECT_EQ(before - 1, nr_free(GIB));
	EXPECT_EQ(GIB, held(arena));
	EXPECT_EQ(0, (uintptr_t)a.ptr % GIB);
	memset(a.ptr, 1, a.bytes);
	EXPECT_TRUE(is_all(&b, 0));
	memset(b.ptr, 2, b.bytes);
	EXPECT_TRUE(is_all(&a, 1));
	lull_arena_retire(&a);
	a = carve(arena, 5 * SLOT, LULL_CARVE_ZERO);
	EXPECT_TRUE(is_all(&a, 0) && is_all(&b, 2));
	lull_arena_retire(&a);
	lull_arena_retire(&b);
	lull_arena_close(arena);
	EXPECT_EQ(before, nr_free(GIB));
}

/* A page goes when none of its slots is anybody's, and comes back zero. */
TEST(page_goes_with_its_last_slot)
{
	uint64_t before = nr_free(GIB);
	struct lull_arena *arena;
	struct lull_arena_stats stats;
	struct lull_vec a, b;

	NEED_GIGANTIC();
	arena = open_arena(GIB);
	ASSERT_TRUE(arena != NULL);
	a = carve(arena, 2 * SLOT, 0);
	b = carve(arena, 2 * SLOT, 0);
	ASSERT_TRUE(a.ptr && b.ptr);
	memset(a.ptr, 1, a.bytes);
	memset(b.ptr, 2, b.bytes);
	lull_arena_release(&a);
	EXPECT_EQ(LULL_OK, lull_arena_flush(arena, FLUSH_MS, NULL));
	EXPECT_EQ(before - 1, nr_free(GIB));
	EXPECT_EQ(GIB, held(arena));
	EXPECT_TRUE(is_all(&b, 2));
	a = carve(arena, 2 * SLOT, LULL_CARVE_ZERO);
	EXPECT_TRUE(is_all(&a, 0) && is_all(&b, 2));
	lull_arena_release(&b);
	lull_arena_release(&a);
	EXPECT_EQ(LULL_OK, lull_arena_flush(arena, FLUSH_MS, NULL));
	EXPECT_EQ(before, nr_free(GIB));
	lull_arena_stats(arena, &stats);
	EXPECT_EQ(0, stats.held_bytes);
	EXPECT_EQ(4 * SLOT, stats.unmapped_bytes);
	EXPECT_EQ(1, stats.flushes);
	a = carve(arena, 4 * SLOT, LULL_CARVE_ZERO);
	EXPECT_EQ(4 * SLOT, a.fresh_bytes);
	EXPECT_TRUE(is_all(&a, 0));
	lull_arena_retire(&a);
	lull_arena_close(arena);
	EXPECT_EQ(before, nr_free(GIB));
}

/* More than the pool has would be large pages in part: small ones, then. */
TEST(passed_over_when_it_does_not_fit)
{
	uint64_t before = nr_free(GIB);
	struct lull_arena *arena;
	struct lull_vec vec;

	NEED_GIGANTIC();
	NEED_SMALL();
	arena = open_arena((before + 1) * GIB);
	ASSERT_TRUE(arena != NULL);
	expect_pages(arena, "hugetlb (2 MiB, any node)");
	vec = carve(arena, SMALL_BYTES, LULL_CARVE_ZERO);
	EXPECT_TRUE(is_all(&vec, 0));
	EXPECT_EQ(before, nr_free(GIB));
	EXPECT_EQ(SMALL_BYTES, held(arena));
	lull_arena_retire(&vec);
	lull_arena_close(arena);
}

TEST(passed_over_for_less_than_one)
{
	struct lull_arena *arena;

	NEED_GIGANTIC();
	NEED_SMALL();
	arena = open_arena(SMALL_BYTES);
	ASSERT_TRUE(arena != NULL);
	expect_pages(arena, "hugetlb (2 MiB, any node)");
	lull_arena_close(arena);
}

/* An arena without a bound takes all of the pool, then pages of 2 MiB. */
TEST(the_rest_is_small)
{
	uint64_t before = nr_free(GIB), small = nr_free(SLOT);
	struct lull_arena *arena;
	struct lull_vec all, more;

	NEED_GIGANTIC();
	NEED_SMALL();
	arena = open_arena(0);
	ASSERT_TRUE(arena != NULL);
	expect_pages(arena, "hugetlb (1 GiB, any node)");
	all = carve(arena, before * GIB, 0);
	EXPECT_EQ(0, nr_free(GIB));
	EXPECT_TRUE(!lull_arena_note(arena, 0));
	more = carve(arena, SMALL_BYTES, LULL_CARVE_ZERO);
	EXPECT_TRUE(is_all(&more, 0));
	EXPECT_EQ(small - SMALL_BYTES / SLOT, nr_free(SLOT));
	EXPECT_EQ(before * GIB + SMALL_BYTES, held(arena));
	ASSERT_TRUE(lull_arena_note(arena, 0) != NULL);
	EXPECT_STREQ("hugetlb: the rest is in pages of 2 MiB",
		     lull_arena_note(arena, 0));
	lull_arena_retire(&more);
	lull_arena_retire(&all);
	EXPECT_EQ(LULL_OK, lull_arena_flush(arena, FLUSH_MS, NULL));
	EXPECT_EQ(before, nr_free(GIB));
	EXPECT_EQ(small, nr_free(SLOT));
	lull_arena_close(arena);
}

TEST_MAIN
