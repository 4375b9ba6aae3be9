// SPDX-License-Identifier: Apache-2.0
/*
 * yield.c - what is yielded stays where the kernel takes it by itself, and where
 * somebody has it registered; elsewhere it is gone
 */
#include "harness.h"

#include <string.h>

#include "lull.h"
#include "arena/arena.h"
#include "pool.h"

#define BYTES (4 * LULL_ARENA_SLOT_BYTES)

/* Outlives a test that it is the reason to skip. */
static struct lull_error error;

static int pin(void *arg, void *ptr, size_t bytes, struct lull_error *reterr)
{
	(void)arg, (void)ptr, (void)bytes, (void)reterr;
	return LULL_OK;
}

static void unpin(void *arg, void *ptr, size_t bytes)
{
	(void)arg, (void)ptr, (void)bytes;
}

static const struct lull_arena_pin_ops ops = { pin, unpin };

/* Carved, written and yielded: what the arena says of that. */
static struct lull_arena_stats yield_one(struct lull_arena *arena)
{
	struct lull_arena_stats stats;
	struct lull_vec vec = { 0 };

	EXPECT_EQ(LULL_OK,
		  lull_arena_carve(arena, BYTES, 0, "test", &vec, &error));
	if (vec.ptr)
		memset(vec.ptr, 1, vec.bytes);
	lull_arena_yield(&vec);
	EXPECT_TRUE(!vec.ptr && !vec.bytes && !vec.extent);
	lull_arena_yield(&vec);
	lull_arena_stats(arena, &stats);
	return stats;
}

static void expect_kept(struct lull_arena *arena)
{
	struct lull_arena_stats was = yield_one(arena), is = yield_one(arena);

	EXPECT_TRUE(lull_arena_keeps_yielded(arena));
	EXPECT_EQ(was.unmapped_bytes, is.unmapped_bytes);
	EXPECT_EQ(was.flushes, is.flushes);
	EXPECT_EQ(was.faulted_bytes, is.faulted_bytes);
}

static void expect_gone(struct lull_arena *arena)
{
	struct lull_arena_stats was = yield_one(arena), is = yield_one(arena);

	EXPECT_TRUE(!lull_arena_keeps_yielded(arena));
	EXPECT_EQ(was.unmapped_bytes + BYTES, is.unmapped_bytes);
	EXPECT_EQ(was.flushes + 1, is.flushes);
	EXPECT_EQ(was.faulted_bytes + BYTES, is.faulted_bytes);
}

static void check(enum lull_arena_carrier carrier)
{
	const struct lull_arena_opts opts = { .carrier = carrier,
					      .node = LULL_ARENA_NODE_ANY };
	bool lent = carrier == LULL_ARENA_MODULE;
	struct lull_arena *arena;

	if (lull_arena_open(&opts, &arena, &error))
		SKIP(error.msg);
	(lent ? expect_kept : expect_gone)(arena);
	if (!lull_arena_carrier_is_malloc(carrier)) {
		EXPECT_EQ(LULL_OK, lull_arena_pin(arena, &ops, NULL, NULL));
		expect_kept(arena);
		EXPECT_EQ(LULL_OK, lull_arena_pin(arena, NULL, NULL, NULL));
		(lent ? expect_kept : expect_gone)(arena);
		EXPECT_EQ(LULL_OK, lull_arena_fix(arena, &ops, NULL, NULL));
		expect_kept(arena);
	}
	lull_arena_close(arena);
}

TEST(on_module)
{
	check(LULL_ARENA_MODULE);
}

TEST(on_hugetlb)
{
	if (small_pool())
		SKIP(small_pool());
	check(LULL_ARENA_HUGETLB);
}

TEST(on_thp)
{
	check(LULL_ARENA_THP);
}

TEST(on_malloc)
{
	check(LULL_ARENA_MALLOC_SERIAL);
}

TEST_MAIN
