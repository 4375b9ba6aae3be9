// SPDX-License-Identifier: Apache-2.0
/*
 * module.c - the arena on /dev/lull_arena
 *
 * For a host, or a virtual machine, in which the module is loaded; elsewhere
 * every test is skipped.
 */
#include "arena/arena.h"

#define CARRIER LULL_ARENA_MODULE
#include "arena/carrier.h"

#include "arena/host.h"

/* The module's own counters agree with what the arena says. */
TEST(counters_of_the_module)
{
	uint64_t revived, revived_before, flushes, flushes_before;
	struct lull_arena_stats stats;
	struct lull_arena *arena;
	struct lull_vec vec;
	unsigned int i;

	OPEN_OR_SKIP(arena, 0);
	ASSERT_TRUE(lull_arena_host_number(
		"", LULL_ARENA_SYSFS "/ranges_revived", &revived_before));
	ASSERT_TRUE(lull_arena_host_number("", LULL_ARENA_SYSFS "/flushes",
					   &flushes_before));
	for (i = 0; i < 10; i++) {
		vec = carve(arena, 16 * SLOT, 0);
		mark(&vec, (uint8_t)i);
		lull_arena_retire(&vec);
	}
	lull_arena_stats(arena, &stats);
	EXPECT_EQ(10 * 16 * SLOT, stats.retired_bytes);
	EXPECT_EQ(9 * 16 * SLOT, stats.kept_bytes);
	EXPECT_EQ(16 * SLOT, stats.faulted_bytes);
	EXPECT_EQ(16 * SLOT, stats.zeroed_bytes);
	EXPECT_EQ(0, stats.flushes);
	ASSERT_TRUE(lull_arena_host_number(
		"", LULL_ARENA_SYSFS "/ranges_revived", &revived));
	EXPECT_TRUE(revived > revived_before);
	ASSERT_TRUE(lull_arena_host_number("", LULL_ARENA_SYSFS "/flushes",
					   &flushes));
	EXPECT_EQ(flushes_before, flushes);
	lull_arena_close(arena);
}

TEST_MAIN
