// SPDX-License-Identifier: Apache-2.0
/*
 * registrars.c - a device and whoever reads into an arena have it registered at
 * one time, and each keeps the memory on its own
 */
#include "harness.h"

#include "base/base.h"
#include "lull.h"
#include "test_arena.h"

#define SLOT LULL_ARENA_SLOT_BYTES

/* What somebody has registered. */
struct registered {
	size_t nr, bytes;
};

static int pin(void *arg, void *ptr, size_t bytes, struct lull_error *reterr)
{
	struct registered *registered = arg;

	(void)ptr;
	(void)reterr;
	registered->nr++;
	registered->bytes += bytes;
	return 0;
}

static void unpin(void *arg, void *ptr, size_t bytes)
{
	struct registered *registered = arg;

	(void)ptr;
	registered->nr--;
	registered->bytes -= bytes;
}

static const struct lull_arena_pin_ops ops = { pin, unpin };

static uint64_t unmapped(void)
{
	struct lull_arena_stats stats;

	EXPECT_EQ(LULL_OK, lull_arena_flush(test_arena(), 1000, NULL));
	lull_arena_stats(test_arena(), &stats);
	return stats.unmapped_bytes;
}

TEST(two_at_once)
{
	struct registered device = { 0 }, reads = { 0 };
	struct lull_arena *arena = test_arena();
	struct lull_vec vec;
	size_t run;

	EXPECT_EQ(LULL_OK, lull_arena_fix(arena, &ops, &reads, NULL));
	EXPECT_EQ(LULL_USAGE, lull_arena_fix(arena, &ops, &reads, NULL));
	vec = test_vec(3 * SLOT);
	EXPECT_TRUE(reads.bytes >= 3 * SLOT);
	EXPECT_EQ(0, device.bytes);
	EXPECT_TRUE(!lull_arena_pinned_run(arena, vec.ptr, SLOT, &run));
	EXPECT_EQ(LULL_OK, lull_arena_pin(arena, &ops, &device, NULL));
	EXPECT_TRUE(lull_arena_pinned_run(arena, vec.ptr, SLOT, &run));
	EXPECT_EQ(reads.bytes, device.bytes);
	EXPECT_EQ(LULL_OK, lull_arena_pin(arena, NULL, NULL, NULL));
	EXPECT_EQ(0, device.nr);
	EXPECT_TRUE(reads.bytes >= 3 * SLOT);
	/* What is read into must not go, though no device has it. */
	lull_arena_release(&vec);
	EXPECT_EQ(0, unmapped());
	EXPECT_EQ(LULL_OK, lull_arena_fix(arena, NULL, NULL, NULL));
	EXPECT_EQ(0, reads.nr);
	EXPECT_TRUE(unmapped() >= 3 * SLOT);
}

TEST(malloc_has_nothing_to_register)
{
	const struct lull_arena_opts opts = {
		.carrier = LULL_ARENA_MALLOC_SERIAL,
		.node = LULL_ARENA_NODE_ANY,
	};
	struct registered reads = { 0 };
	struct lull_arena *arena;

	ASSERT_EQ(LULL_OK, lull_arena_open(&opts, &arena, NULL));
	EXPECT_EQ(LULL_UNSUPPORTED, lull_arena_fix(arena, &ops, &reads, NULL));
	lull_arena_close(arena);
}

TEST_MAIN
