// SPDX-License-Identifier: Apache-2.0
/*
 * fail_nth.c - the first, second, third ... allocation of each call fails,
 * until one run meets no failure (/proc/self/fail-nth)
 *
 * For `make check-debug`: Debian's kernels have no fault injection, and there
 * the program says so.  A failed call must have changed nothing, must answer
 * ENOMEM, and must work when it is made again.
 */
#include "kmod/arena.h"

#define SLOTS 8
#define SEED 71
#define FAIL_NTH "/proc/thread-self/fail-nth"
#define FAILSLAB "/sys/kernel/debug/failslab/"
#define FAIL_PAGES "/sys/kernel/debug/fail_page_alloc/"
#define TEXT_BYTES 32
/* More failures than any of these calls has allocations. */
#define FAILURES_MAX 500

static bool can_fail(void)
{
	return access(FAIL_NTH, W_OK) == 0;
}

/* Allocations that may sleep fail too, and those of user pages. */
static void fail_all_kinds(void)
{
	file_write(FAILSLAB "ignore-gfp-wait", "N");
	file_write(FAIL_PAGES "ignore-gfp-wait", "N");
	file_write(FAIL_PAGES "ignore-gfp-highmem", "N");
	file_write(FAIL_PAGES "min-order", "0");
	file_write(FAILSLAB "verbose", "0");
	file_write(FAIL_PAGES "verbose", "0");
}

static void fail_from(int fd, unsigned int nth)
{
	char text[TEXT_BYTES];

	snprintf(text, sizeof(text), "%u", nth);
	if (pwrite(fd, text, strlen(text), 0) < 0)
		TEST_FAIL_("%s: %s", FAIL_NTH, strerror(errno));
}

/* True when the failure that was asked for has happened. */
static bool has_failed(int fd)
{
	char text[TEXT_BYTES] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) < 0)
		TEST_FAIL_("%s: %s", FAIL_NTH, strerror(errno));
	return strtoul(text, NULL, 10) == 0;
}

FIXTURE(failing)
{
	struct arena a;
	int nth;
};

FIXTURE_SETUP(failing)
{
	self->a.fd = self->nth = -1;
	arena_open(&self->a, SLOTS, 0);
	if (!test_failed)
		pattern_fill(self->a.map, self->a.bytes, SEED);
	self->nth = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	ASSERT_TRUE(self->nth >= 0);
}

FIXTURE_TEARDOWN(failing)
{
	if (self->nth >= 0)
		close(self->nth);
	if (self->a.fd >= 0)
		arena_close(&self->a);
}

static bool same_slots(const struct lull_arena_query *a,
		       const struct lull_arena_query *b)
{
	return a->nr_arenas == b->nr_arenas && a->bytes == b->bytes &&
	       a->live_bytes == b->live_bytes &&
	       a->retired_bytes == b->retired_bytes &&
	       a->busy_bytes == b->busy_bytes;
}

/*
 * CALL with its nth allocation failing, for n from 1 on, until none fails any
 * more.  UNDO takes back what a call did that succeeded in spite of it.
 */
static void fail_each(struct failing *self, const char *what,
		      int (*call)(struct failing *self),
		      void (*undo)(struct failing *self))
{
	struct lull_arena_query before, after;
	int dev = device_open(), rc;
	unsigned int n, failures = 0;
	bool failed;

	for (n = 1; n < FAILURES_MAX; n++) {
		before = arena_query(dev);
		fail_from(self->nth, n);
		rc = call(self);
		failed = has_failed(self->nth);
		fail_from(self->nth, 0);
		failures += failed;
		if (rc && !(failed && (rc == -ENOMEM || rc == -EAGAIN)))
			TEST_FAIL_("%s, failure %u: %d", what, n, rc);
		after = arena_query(dev);
		if (rc && !same_slots(&before, &after))
			TEST_FAIL_("%s, failure %u: changed something", what,
				   n);
		if (!rc)
			undo(self);
		if (!failed)
			break;
	}
	EXPECT_TRUE(n < FAILURES_MAX);
	printf("# %s: %u failures met\n", what, failures);
	close(dev);
}

static int created = -1;

static int call_create(struct failing *self)
{
	(void)self;
	created = arena_create(512 * SLOT, LULL_ARENA_CREATE_SECRET);
	return created < 0 ? created : 0;
}

static void undo_create(struct failing *self)
{
	(void)self;
	close(created);
}

TEST_F(failing, create)
{
	fail_each(self, "CREATE", call_create, undo_create);
}

static int call_open(struct failing *self)
{
	(void)self;
	created = device_open();
	return created < 0 ? created : 0;
}

TEST_F(failing, open_of_the_device)
{
	fail_each(self, "open", call_open, undo_create);
}

static int call_acquire(struct failing *self)
{
	return arena_acquire(self->a.fd, 0, self->a.bytes);
}

static void undo_acquire(struct failing *self)
{
	EXPECT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
}

TEST_F(failing, acquire)
{
	undo_acquire(self);
	fail_each(self, "ACQUIRE", call_acquire, undo_acquire);
}

static int call_retire(struct failing *self)
{
	struct lull_arena_range ranges[SLOTS];
	struct lull_arena_retire call = {
		.size = sizeof(call),
		.ranges = (uintptr_t)ranges,
		.nr_ranges = SLOTS,
	};
	unsigned int i;

	/* Many, and backwards: both want memory. */
	for (i = 0; i < SLOTS; i++)
		ranges[i] = (struct lull_arena_range){ (SLOTS - 1 - i) * SLOT,
						       SLOT };
	return arena_call(self->a.fd, LULL_ARENA_RETIRE, &call);
}

static void undo_retire(struct failing *self)
{
	EXPECT_EQ(0, arena_revive(self->a.fd, 0, self->a.bytes, NULL, NULL));
}

TEST_F(failing, retire)
{
	fail_each(self, "RETIRE", call_retire, undo_retire);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
}

static int call_revive(struct failing *self)
{
	return arena_revive(self->a.fd, 0, self->a.bytes, NULL, NULL);
}

static void undo_revive_kept(struct failing *self)
{
	EXPECT_EQ(0, arena_retire(self->a.fd, 0, self->a.bytes, NULL));
}

TEST_F(failing, revive_of_kept)
{
	undo_revive_kept(self);
	fail_each(self, "REVIVE", call_revive, undo_revive_kept);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
}

/* Half of it was taken and has to be had again. */
static void undo_revive_taken(struct failing *self)
{
	uint64_t half = SLOTS / 2 * SLOT;

	EXPECT_EQ(0, arena_release(self->a.fd, 0, half, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	EXPECT_EQ(0, arena_retire(self->a.fd, half, half, NULL));
}

TEST_F(failing, revive_of_taken)
{
	undo_revive_taken(self);
	fail_each(self, "REVIVE of what was taken", call_revive,
		  undo_revive_taken);
	EXPECT_EQ(SLOTS / 2 * SLOT / 8,
		  pattern_search(self->a.map, self->a.bytes, SEED));
}

static int call_release(struct failing *self)
{
	struct lull_arena_range ranges[SLOTS];
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		ranges[i] = (struct lull_arena_range){ (SLOTS - 1 - i) * SLOT,
						       SLOT };
	return arena_release_ranges(self->a.fd, ranges, SLOTS, NULL);
}

static void undo_release(struct failing *self)
{
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	EXPECT_EQ(0, arena_acquire(self->a.fd, 0, self->a.bytes));
}

TEST_F(failing, release)
{
	fail_each(self, "RELEASE", call_release, undo_release);
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

TEST_F(failing, flush)
{
	EXPECT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
	fail_each(self, "FLUSH", call_flush, undo_flush);
}

static int call_reset(struct failing *self)
{
	return arena_reset(self->a.fd);
}

static void undo_reset(struct failing *self)
{
	EXPECT_EQ(0, arena_acquire(self->a.fd, 0, self->a.bytes));
}

TEST_F(failing, reset)
{
	fail_each(self, "RESET", call_reset, undo_reset);
}

static unsigned char *mapped;

static int call_map(struct failing *self)
{
	mapped = arena_map(self->a.fd, 0, self->a.bytes);
	return mapped ? 0 : -errno;
}

static void undo_map(struct failing *self)
{
	EXPECT_TRUE(pattern_holds(mapped, self->a.bytes, SEED));
	munmap(mapped, self->a.bytes);
}

TEST_F(failing, map)
{
	fail_each(self, "mmap", call_map, undo_map);
}

/* A fault that gets no page table is tried again, or kills; never lies. */
static int call_touch(struct failing *self)
{
	(void)self;
	return touch_read(mapped, NULL) ? -ENOMEM : 0;
}

static void undo_touch(struct failing *self)
{
	munmap(mapped, self->a.bytes);
	mapped = arena_map(self->a.fd, 0, self->a.bytes);
	ASSERT_TRUE(mapped != NULL);
}

TEST_F(failing, touch)
{
	mapped = arena_map(self->a.fd, 0, self->a.bytes);
	ASSERT_TRUE(mapped != NULL);
	fail_each(self, "fault", call_touch, undo_touch);
	EXPECT_TRUE(pattern_holds(mapped, self->a.bytes, SEED));
	munmap(mapped, self->a.bytes);
}

int main(int argc, char **argv)
{
	if (!can_fail()) {
		printf("TAP version 13\n1..0 # SKIP this kernel injects no "
		       "failures: make check-debug does\n");
		return 0;
	}
	fail_all_kinds();
	return kmod_test_main(argc, argv);
}
