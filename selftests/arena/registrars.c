// SPDX-License-Identifier: Apache-2.0
/*
 * registrars.c - a device and whoever reads into an arena have it registered at
 * one time, and each keeps the memory on its own
 */
#include <sys/mman.h>
#include <unistd.h>

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

/* What is still to be faulted in when a device registers it, in pages. */
struct residence {
	size_t nr_pages, nr_absent;
};

static int pin_and_look(void *arg, void *ptr, size_t bytes,
			struct lull_error *reterr)
{
	struct residence *residence = arg;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), nr = bytes / page, i;
	unsigned char *there = calloc(nr, 1);

	(void)reterr;
	if (!there || mincore(ptr, bytes, there))
		TEST_FAIL_("no mincore of %zu bytes", bytes);
	for (i = 0; there && i < nr; i++)
		residence->nr_absent += !(there[i] & 1);
	residence->nr_pages += nr;
	free(there);
	return 0;
}

static void unpin_nothing(void *arg, void *ptr, size_t bytes)
{
	(void)arg, (void)ptr, (void)bytes;
}

/* Kernels before 5.14 leave that to whoever registers. */
static bool kernel_populates(void)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *ptr = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool works =
		ptr != MAP_FAILED && !madvise(ptr, bytes, MADV_POPULATE_WRITE);

	if (ptr != MAP_FAILED)
		munmap(ptr, bytes);
	return works;
}

/* By one thread, and by several that share the last slot's rest. */
TEST(growth_is_there_when_it_is_registered)
{
	static const size_t sizes[] = { SLOT, 33 * SLOT, 101 * SLOT + 1 };
	const struct lull_arena_opts opts = {
		.carrier = LULL_ARENA_THP,
		.node = LULL_ARENA_NODE_ANY,
	};
	const struct lull_arena_pin_ops look = { pin_and_look, unpin_nothing };
	struct residence residence = { 0 };
	struct lull_arena *arena;
	struct lull_vec vec;
	size_t i;

	if (!kernel_populates())
		SKIP("this kernel does not know MADV_POPULATE_WRITE");
	ASSERT_EQ(LULL_OK, lull_arena_open(&opts, &arena, NULL));
	ASSERT_EQ(LULL_OK, lull_arena_pin(arena, &look, &residence, NULL));
	for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++) {
		ASSERT_EQ(LULL_OK, lull_arena_carve(arena, sizes[i], 0, "test",
						    &vec, NULL));
		lull_arena_retire(&vec);
	}
	EXPECT_TRUE(residence.nr_pages);
	EXPECT_EQ(0, residence.nr_absent);
	lull_arena_pin(arena, NULL, NULL, NULL);
	lull_arena_close(arena);
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
