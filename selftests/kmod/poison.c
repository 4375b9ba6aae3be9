// SPDX-License-Identifier: Apache-2.0
/*
 * poison.c - pages with a memory error are never mapped again, never freed
 * into use again, and counted
 *
 * The errors are declared by madvise(MADV_HWPOISON); the machine is whole.
 * Each test costs it 2 MiB until it is booted again.
 */
#include "kmod/arena.h"

#define SLOTS 4
#define SEED 81
#define BAD_PAGE 5

FIXTURE(poisoned)
{
	struct arena a;
};

/* Slot 1 has a bad page.  It stays mapped: only new faults can refuse it. */
FIXTURE_SETUP(poisoned)
{
	arena_open(&self->a, SLOTS, 0);
	if (test_failed)
		return;
	pattern_fill(self->a.map, self->a.bytes, SEED);
	/* EBUSY and EHWPOISON say that nothing can be done, but it is marked. */
	if (madvise(self->a.map + SLOT + BAD_PAGE * PAGE, PAGE,
		    MADV_HWPOISON) &&
	    errno != EBUSY && errno != EHWPOISON)
		SKIP("this kernel takes no memory errors");
}

FIXTURE_TEARDOWN(poisoned)
{
	arena_close(&self->a);
}

TEST_F(poisoned, bad_page_is_not_mapped_again)
{
	unsigned char *p = self->a.map + SLOT;

	ASSERT_EQ(0, madvise(p, SLOT, MADV_DONTNEED));
	EXPECT_EQ(SIGBUS, touch_read(p + BAD_PAGE * PAGE, NULL));
	EXPECT_EQ(SIGBUS, touch_read(p, NULL));
	EXPECT_EQ(0, touch_read(p - SLOT, NULL));
	EXPECT_EQ(0, touch_read(p + SLOT, NULL));
}

TEST_F(poisoned, bad_slot_is_lost_and_counted)
{
	struct lull_arena_query q;
	int fd = self->a.fd;

	ASSERT_EQ(0, arena_release(fd, 0, self->a.bytes, NULL));
	ASSERT_EQ(0, arena_flush(fd, NULL));
	q = arena_query(fd);
	EXPECT_EQ(SLOT, q.poisoned_bytes);
	EXPECT_EQ(0, q.live_bytes + q.retired_bytes + q.busy_bytes);
	EXPECT_EQ(SIGBUS, touch_read(self->a.map + SLOT, NULL));
	EXPECT_EQ(-EIO, arena_acquire(fd, SLOT, SLOT));
	EXPECT_EQ(-EIO, arena_revive(fd, SLOT, SLOT, NULL, NULL));
	EXPECT_EQ(-EIO, arena_release(fd, SLOT, SLOT, NULL));
	EXPECT_EQ(-EIO, arena_retire(fd, SLOT, SLOT, NULL));
	/* The rest is as good as ever, and RESET gets on without it. */
	EXPECT_EQ(0, arena_acquire(fd, 0, SLOT));
	EXPECT_EQ(0, arena_acquire(fd, 2 * SLOT, 2 * SLOT));
	EXPECT_EQ(0, arena_reset(fd));
	EXPECT_EQ(SLOT, arena_query(fd).poisoned_bytes);
}

/* The page must not come back, neither here nor anywhere else. */
TEST_F(poisoned, bad_page_is_kept_at_close)
{
	uint64_t frame = page_frame(self->a.map + SLOT), i;
	uint64_t before = sysfs_read("poisoned_bytes");
	struct arena other;

	arena_close(&self->a);
	EXPECT_EQ(before + SLOT, sysfs_read("poisoned_bytes"));
	arena_open(&other, 4 * SLOTS, 0);
	ASSERT_TRUE(other.map != NULL);
	for (i = 0; i < 4 * SLOTS; i++) {
		EXPECT_EQ(0, touch_write(other.map + i * SLOT, i));
		EXPECT_TRUE(page_frame(other.map + i * SLOT) != frame);
	}
	arena_close(&other);
}

KMOD_TEST_MAIN
