// SPDX-License-Identifier: Apache-2.0
/*
 * fail_nth.c - each ioctl with its first, second, third ... allocation or copy
 * failing: fail_nth.h says what must hold then
 */
#include <linux/falloc.h>

#include "kmod/arena.h"
#include "kmod/fail_nth.h"

/* --- arenas ------------------------------------------------------------------ */

static int call_create(struct failing *self)
{
	struct lull_arena_create call = {
		.size = sizeof(call),
		.flags = LULL_ARENA_CREATE_SECRET,
		.bytes = 512 * SLOT,
	};
	int rc = arena_call(self->dev, LULL_ARENA_CREATE, &call);

	self->made = rc ? -1 : (int)call.fd;
	return rc;
}

static void undo_open(struct failing *self)
{
	close(self->made);
}

/* The arena, its slots, its user, its inode, dentry and file. */
TEST_F(failing, create)
{
	const struct verb create = { "CREATE",	      call_create,
				     undo_open,	      .refusals_min = 6,
				     .copies_min = 3, .whole = true };

	fail_each(self, &create);
}

/* The first arena brings the mount that its inode is on. */
TEST_F(failing, create_the_first)
{
	const struct verb create = {
		"CREATE of the first", call_create,	undo_open,
		.refusals_min = 8,     .copies_min = 3, .whole = true
	};
	struct arena none = { .fd = self->dev };

	arena_close(&self->a);
	self->a = none;
	fail_each(self, &create);
	self->a.fd = -1;
}

static int call_open(struct failing *self)
{
	self->made = device_open();
	return self->made < 0 ? self->made : 0;
}

TEST_F(failing, open_of_the_device)
{
	const struct verb verb = { "open", call_open, undo_open,
				   .refusals_min = 1, .whole = true };

	fail_each(self, &verb);
}

static int call_query(struct failing *self)
{
	struct lull_arena_query q = { .size = sizeof(q) };

	return arena_call(self->a.fd, LULL_ARENA_QUERY, &q)
		       ?: arena_call(self->dev, LULL_ARENA_QUERY, &q);
}

static void undo_nothing(struct failing *self)
{
	(void)self;
}

TEST_F(failing, query)
{
	const struct verb query = { "QUERY, of both kinds", call_query,
				    undo_nothing, .copies_min = 6,
				    .whole = true };

	fail_each(self, &query);
}

/* --- memory ------------------------------------------------------------------ */

/* Each slot a range of its own, backwards: both want memory. */
static void single_slots(struct lull_arena_range *ranges)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		ranges[i] = (struct lull_arena_range){ (SLOTS - 1 - i) * SLOT,
						       SLOT };
}

/* An ENOMEM says why, whatever it was that could not be had. */
static int acquire_with(struct failing *self, uint32_t flags)
{
	struct lull_arena_acquire call = {
		.flags = flags,
		.acquired_bytes = UINT64_MAX,
		.available_bytes = UINT64_MAX,
		.cause = UINT32_MAX,
	};
	struct lull_arena_range ranges[SLOTS];
	int rc;

	single_slots(ranges);
	rc = arena_acquire_ranges(self->a.fd, &call, ranges, SLOTS);
	if (rc == -ENOMEM) {
		EXPECT_EQ(LULL_ARENA_CAUSE_MEMORY, call.cause);
		EXPECT_TRUE(call.acquired_bytes < self->a.bytes);
		EXPECT_TRUE(call.available_bytes < self->a.bytes);
	} else if (!rc && call.acquired_bytes < self->a.bytes) {
		EXPECT_TRUE(flags & LULL_ARENA_ACQUIRE_PARTIAL);
		EXPECT_EQ(LULL_ARENA_CAUSE_MEMORY, call.cause);
		EXPECT_EQ(call.acquired_bytes, call.available_bytes);
	}
	return rc;
}

static int call_acquire(struct failing *self)
{
	return acquire_with(self, 0);
}

static void undo_acquire(struct failing *self)
{
	EXPECT_TRUE(all_zero(self->a.map, self->a.bytes));
	EXPECT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
}

static void empty(struct failing *self)
{
	EXPECT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
}

/* A page that cannot be had is tried for again; the tables are not. */
TEST_F(failing, acquire)
{
	const struct verb acquire = { "ACQUIRE", call_acquire, undo_acquire,
				      .refusals_min = 5, .copies_min = 4 };

	empty(self);
	fail_each(self, &acquire);
}

static int call_acquire_noretry(struct failing *self)
{
	return acquire_with(self, LULL_ARENA_ACQUIRE_NORETRY);
}

TEST_F(failing, acquire_without_retry)
{
	const struct verb acquire = { "ACQUIRE, NORETRY", call_acquire_noretry,
				      undo_acquire, .refusals_min = 5 + SLOTS,
				      .copies_min = 4 };

	empty(self);
	fail_each(self, &acquire);
}

static int call_acquire_partial(struct failing *self)
{
	return acquire_with(self, LULL_ARENA_ACQUIRE_NORETRY |
					  LULL_ARENA_ACQUIRE_PARTIAL);
}

/* What there is is a prefix of the ranges: of the last slots, here. */
static void undo_acquire_partial(struct failing *self)
{
	uint64_t live = arena_query(self->a.fd).live_bytes;

	EXPECT_TRUE(live > 0);
	EXPECT_EQ(0,
		  arena_release(self->a.fd, self->a.bytes - live, live, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
}

TEST_F(failing, acquire_in_part)
{
	const struct verb acquire = {
		"ACQUIRE, PARTIAL", call_acquire_partial, undo_acquire_partial,
		.refusals_min = 5,  .copies_min = 4,	  .partial = true
	};

	empty(self);
	fail_each(self, &acquire);
}

static int call_retire(struct failing *self)
{
	struct lull_arena_range ranges[SLOTS];
	struct lull_arena_retire call = {
		.size = sizeof(call),
		.ranges = (uintptr_t)ranges,
		.nr_ranges = SLOTS,
	};

	single_slots(ranges);
	return arena_call(self->a.fd, LULL_ARENA_RETIRE, &call);
}

static void undo_retire(struct failing *self)
{
	EXPECT_EQ(0, arena_revive(self->a.fd, 0, self->a.bytes, NULL, NULL));
}

TEST_F(failing, retire)
{
	const struct verb retire = { "RETIRE", call_retire, undo_retire,
				     .refusals_min = 2, .copies_min = 4 };

	fail_each(self, &retire);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
}

static int call_revive(struct failing *self)
{
	uint64_t results[SLOTS] = { 0 };
	struct lull_arena_range ranges[SLOTS];
	struct lull_arena_revive call = {
		.size = sizeof(call),
		.ranges = (uintptr_t)ranges,
		.nr_ranges = SLOTS,
		.cause = UINT32_MAX,
		.results = (uintptr_t)results,
	};
	int rc;

	single_slots(ranges);
	rc = arena_call(self->a.fd, LULL_ARENA_REVIVE, &call);
	if (rc == -ENOMEM)
		EXPECT_EQ(LULL_ARENA_CAUSE_MEMORY, call.cause);
	return rc;
}

static void undo_revive_kept(struct failing *self)
{
	EXPECT_EQ(0, arena_retire(self->a.fd, 0, self->a.bytes, NULL));
}

TEST_F(failing, revive_of_kept)
{
	const struct verb revive = { "REVIVE", call_revive, undo_revive_kept,
				     .refusals_min = 3, .copies_min = 7 };

	undo_revive_kept(self);
	fail_each(self, &revive);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
}

/* Half of it was taken and has to be had again. */
static void undo_revive_taken(struct failing *self)
{
	uint64_t half = SLOTS / 2 * SLOT;

	EXPECT_EQ(0, arena_release(self->a.fd, 0, half, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	EXPECT_EQ(0,
		  arena_retire(self->a.fd, half, self->a.bytes - half, NULL));
}

TEST_F(failing, revive_of_taken)
{
	const struct verb revive = { "REVIVE of what was taken", call_revive,
				     undo_revive_taken, .refusals_min = 6,
				     .copies_min = 7 };
	uint64_t half = SLOTS / 2 * SLOT;

	undo_revive_taken(self);
	fail_each(self, &revive);
	EXPECT_EQ(0, arena_revive(self->a.fd, 0, self->a.bytes, NULL, NULL));
	EXPECT_TRUE(all_zero(self->a.map, half));
	EXPECT_EQ(
		(self->a.bytes - half) / sizeof(uint64_t),
		pattern_search(self->a.map + half, self->a.bytes - half, SEED));
}

static int call_release(struct failing *self)
{
	struct lull_arena_range ranges[SLOTS];

	single_slots(ranges);
	return arena_release_ranges(self->a.fd, ranges, SLOTS, NULL);
}

static void undo_release(struct failing *self)
{
	EXPECT_EQ(0, arena_revive(self->a.fd, 0, self->a.bytes, NULL, NULL));
}

TEST_F(failing, release)
{
	const struct verb release = { "RELEASE", call_release, undo_release,
				      .refusals_min = 2, .copies_min = 4 };

	fail_each(self, &release);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
}

static int call_flush(struct failing *self)
{
	return arena_flush(self->a.fd, NULL);
}

static void undo_flush(struct failing *self)
{
	EXPECT_EQ(0, arena_acquire(self->a.fd, 0, self->a.bytes));
	EXPECT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
}

/* Allocates nothing, and must not: it is how memory comes back. */
TEST_F(failing, flush)
{
	const struct verb flush = { "FLUSH", call_flush, undo_flush,
				    .copies_min = 3 };

	EXPECT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
	fail_each(self, &flush);
}

static int call_reset(struct failing *self)
{
	return arena_reset(self->a.fd);
}

static void undo_empty(struct failing *self)
{
	EXPECT_EQ(0, arena_acquire(self->a.fd, 0, self->a.bytes));
}

TEST_F(failing, reset)
{
	const struct verb reset = { "RESET", call_reset, undo_empty,
				    .copies_min = 1 };

	fail_each(self, &reset);
}

static int call_punch(struct failing *self)
{
	return fallocate(self->a.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			 0, (off_t)self->a.bytes)
		       ? -errno
		       : 0;
}

/* As FLUSH, and without a copy. */
TEST_F(failing, punch_hole)
{
	const struct verb punch = { "PUNCH_HOLE", call_punch, undo_empty,
				    .whole = true };

	fail_each(self, &punch);
}

int main(int argc, char **argv)
{
	return fail_nth_main(argc, argv);
}
