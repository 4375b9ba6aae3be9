// SPDX-License-Identifier: Apache-2.0
/*
 * pins.c - pages that the kernel or a device holds: pins survive RETIRE and
 * REVIVE, a pinned page is never taken, a referenced one never reused
 *
 * The pattern is mm/gup_longterm.c of the kernel's own tests.  CVE-2022-0330
 * and CVE-2022-36449 were pages given back while a device still had them.
 */
#include "kmod/holders.h"

#define SLOTS 4
#define SEED 21
#define OTHER_SEED 22
#define PIPE_BYTES (4 * PAGE)
#define IO_BYTES ((uint64_t)1 << 20)
#define CYCLES 3
/* Until one is quicker than the slow disk. */
#define TRIES 8
#define SHRINKS_MAX 8
#define DROP_CACHES "/proc/sys/vm/drop_caches"

FIXTURE(pinned)
{
	struct arena a;
	struct ring ring;
	int umem;
};

FIXTURE_SETUP(pinned)
{
	self->umem = self->ring.fd = -1;
	arena_open(&self->a, SLOTS, 0);
	if (!test_failed)
		pattern_fill(self->a.map, self->a.bytes, SEED);
}

FIXTURE_TEARDOWN(pinned)
{
	if (self->umem >= 0)
		close(self->umem);
	ring_close(&self->ring);
	arena_close(&self->a);
}

static void pin(struct pinned *self, uint64_t offset, uint64_t bytes)
{
	self->umem = umem_pin(self->a.map + offset, bytes);
	if (self->umem < 0)
		TEST_FAIL_("umem: %s", strerror(-self->umem));
}

TEST_F(pinned, pins_survive_retire_and_revive)
{
	uint64_t frame = page_frame(self->a.map + SLOT), kept, busy;
	struct lull_arena_query before, after;
	unsigned int i;

	pin(self, 0, self->a.bytes);
	before = arena_query(self->a.fd);
	for (i = 0; i < CYCLES; i++) {
		ASSERT_EQ(0, arena_retire(self->a.fd, 0, self->a.bytes, NULL));
		/* Pinned: the batch must leave them, RETIRED and mapped. */
		EXPECT_EQ(0, arena_flush(self->a.fd, &busy));
		EXPECT_EQ(self->a.bytes, busy);
		EXPECT_EQ(self->a.bytes, arena_query(self->a.fd).retired_bytes);
		EXPECT_EQ(self->a.bytes,
			  smaps_bytes(self->a.map, "FilePmdMapped:"));
		ASSERT_EQ(0, arena_revive(self->a.fd, 0, self->a.bytes, &kept,
					  NULL));
		EXPECT_EQ(self->a.bytes, kept);
	}
	after = arena_query(self->a.fd);
	EXPECT_EQ(before.faults, after.faults);
	EXPECT_EQ(before.flushes, after.flushes);
	EXPECT_EQ(frame, page_frame(self->a.map + SLOT));
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
}

TEST_F(pinned, release_of_pinned_is_refused)
{
	uint64_t busy = 0;

	pin(self, 0, self->a.bytes);
	EXPECT_EQ(-EBUSY, arena_release(self->a.fd, 0, self->a.bytes, &busy));
	EXPECT_EQ(self->a.bytes, busy);
	EXPECT_EQ(self->a.bytes, arena_query(self->a.fd).live_bytes);
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	EXPECT_EQ(self->a.bytes, smaps_bytes(self->a.map, "FilePmdMapped:"));
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
}

TEST_F(pinned, release_takes_what_is_not_pinned)
{
	uint64_t busy = 0;

	pin(self, SLOT, SLOT);
	EXPECT_EQ(-EBUSY, arena_release(self->a.fd, 0, self->a.bytes, &busy));
	EXPECT_EQ(SLOT, busy);
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	EXPECT_EQ(SLOT, arena_query(self->a.fd).live_bytes);
	EXPECT_EQ(SIGBUS, touch_read(self->a.map, NULL));
	EXPECT_EQ(0, touch_read(self->a.map + SLOT, NULL));
	EXPECT_EQ(SIGBUS, touch_read(self->a.map + 2 * SLOT, NULL));
	EXPECT_EQ(SLOT / sizeof(uint64_t),
		  pattern_search(self->a.map + SLOT, SLOT, SEED));
}

/* One pinned page of 4 KiB holds the slot. */
TEST_F(pinned, one_page_pins_its_slot)
{
	uint64_t busy = 0;

	pin(self, 2 * SLOT + 17 * PAGE, PAGE);
	EXPECT_EQ(-EBUSY, arena_release(self->a.fd, 2 * SLOT, SLOT, &busy));
	EXPECT_EQ(SLOT, busy);
	EXPECT_EQ(0, touch_read(self->a.map + 2 * SLOT, NULL));
}

TEST_F(pinned, shrinker_leaves_pinned_pages)
{
	unsigned char *last = self->a.map + (SLOTS - 1) * SLOT;
	unsigned int tries;

	pin(self, 0, 2 * SLOT);
	ASSERT_EQ(0, arena_retire(self->a.fd, 0, self->a.bytes, NULL));
	/* The first call of a shrinker may only count; the others go. */
	for (tries = 0; tries < SHRINKS_MAX && !touch_read(last, NULL); tries++)
		ASSERT_EQ(0, file_write(DROP_CACHES, "2"));
	EXPECT_EQ(SIGBUS, touch_read(last, NULL));
	EXPECT_EQ(2 * SLOT, arena_query(self->a.fd).retired_bytes);
	ASSERT_EQ(0, touch_read(self->a.map, NULL));
	ASSERT_EQ(0, touch_read(self->a.map + SLOT, NULL));
	EXPECT_TRUE(pattern_holds(self->a.map, 2 * SLOT, SEED));
}

TEST_F(pinned, reset_leaves_pinned_pages)
{
	uint64_t end = now_ms() + LET_GO_MS;
	int rc;

	pin(self, SLOT, SLOT);
	EXPECT_EQ(-EBUSY, arena_reset(self->a.fd));
	EXPECT_EQ(SLOT, arena_query(self->a.fd).live_bytes +
				arena_query(self->a.fd).retired_bytes +
				arena_query(self->a.fd).busy_bytes);
	close(self->umem);
	self->umem = -1;
	/* The socket lets go in a worker of the kernel's. */
	while ((rc = arena_reset(self->a.fd)) == -EBUSY && now_ms() < end)
		usleep(LET_GO_NAP_US);
	EXPECT_EQ(0, rc);
	EXPECT_EQ(0, arena_query(self->a.fd).live_bytes);
}

TEST_F(pinned, unpinned_pages_can_be_released)
{
	uint64_t end = now_ms() + LET_GO_MS;
	int rc;

	pin(self, 0, self->a.bytes);
	close(self->umem);
	self->umem = -1;
	/* The socket lets go in a worker of the kernel's. */
	do {
		rc = arena_release(self->a.fd, 0, self->a.bytes, NULL);
		if (rc == -EBUSY || rc == -ENOENT)
			usleep(LET_GO_NAP_US);
	} while (rc == -EBUSY && now_ms() < end);
	EXPECT_TRUE(rc == 0 || rc == -ENOENT);
	EXPECT_EQ(0, flush_until_free(self->a.fd));
}

/* The device still has the page when everybody else is gone. */
TEST_F(pinned, page_outlives_the_arena)
{
	uint64_t frame = page_frame(self->a.map);

	ASSERT_TRUE(frame != 0);
	pin(self, 0, SLOT);
	arena_close(&self->a);
	fill_fresh_arena(4 * SLOTS, frame, OTHER_SEED);
}

TEST_F(pinned, referenced_page_is_busy)
{
	unsigned char said[PIPE_BYTES];
	uint64_t busy = 0;
	int ends[2];

	ASSERT_EQ(0, pipe_hold(self->a.map, PIPE_BYTES, ends));
	ASSERT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, &busy));
	EXPECT_EQ(0, busy);
	EXPECT_EQ(0, arena_flush(self->a.fd, &busy));
	EXPECT_EQ(SLOT, busy);
	EXPECT_EQ(SLOT, arena_query(self->a.fd).busy_bytes);
	EXPECT_EQ(SIGBUS, touch_read(self->a.map, NULL));
	EXPECT_EQ(-EBUSY, arena_acquire(self->a.fd, 0, SLOT));
	fill_fresh_arena(4 * SLOTS, 0, OTHER_SEED);
	EXPECT_EQ(PIPE_BYTES, read(ends[0], said, sizeof(said)));
	EXPECT_TRUE(pattern_holds(said, sizeof(said), SEED));
	pipe_let_go(ends);
	EXPECT_EQ(0, flush_until_free(self->a.fd));
	EXPECT_EQ(0, arena_acquire(self->a.fd, 0, SLOT));
	EXPECT_TRUE(all_zero(self->a.map, SLOT));
}

/* Pages of the reserve are used again: a referenced one must not be. */
TEST_F(pinned, referenced_page_is_never_reused)
{
	uint64_t reserve = sysfs_read("reserve_bytes"), end, frame;
	unsigned char said[PIPE_BYTES];
	int ends[2];

	arena_close(&self->a);
	ASSERT_EQ(0, sysfs_write("reserve_bytes", 4 * SLOTS * SLOT));
	end = now_ms() + LET_GO_MS;
	while (sysfs_read("reserved_bytes") < 2 * SLOTS * SLOT &&
	       now_ms() < end)
		usleep(LET_GO_NAP_US);
	arena_open(&self->a, SLOTS, 0);
	ASSERT_TRUE(self->a.map != NULL);
	EXPECT_EQ(0, arena_query(self->a.fd).zeroed_bytes);
	pattern_fill(self->a.map, self->a.bytes, SEED);
	frame = page_frame(self->a.map);
	ASSERT_EQ(0, pipe_hold(self->a.map, PIPE_BYTES, ends));
	EXPECT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	fill_fresh_arena(8 * SLOTS, frame, OTHER_SEED);
	arena_close(&self->a);
	fill_fresh_arena(8 * SLOTS, frame, OTHER_SEED);
	EXPECT_EQ(PIPE_BYTES, read(ends[0], said, sizeof(said)));
	EXPECT_TRUE(pattern_holds(said, sizeof(said), SEED));
	EXPECT_EQ(0, sysfs_write("reserve_bytes", reserve));
	pipe_let_go(ends);
}

/* REVIVE takes a BUSY page back as it is: the same page, the same data. */
TEST_F(pinned, busy_page_is_revived)
{
	uint64_t frame = page_frame(self->a.map), kept, word = 0;
	int ends[2];

	ASSERT_EQ(0, pipe_hold(self->a.map, PAGE, ends));
	ASSERT_EQ(0, arena_release(self->a.fd, 0, SLOT, NULL));
	ASSERT_EQ(0, arena_flush(self->a.fd, NULL));
	ASSERT_EQ(0, arena_revive(self->a.fd, 0, SLOT, &kept, NULL));
	EXPECT_EQ(SLOT, kept);
	EXPECT_TRUE(pattern_holds(self->a.map, SLOT, SEED));
	EXPECT_EQ(frame, page_frame(self->a.map));
	EXPECT_EQ(0, touch_write(self->a.map, 777));
	EXPECT_EQ(8, read(ends[0], &word, sizeof(word)));
	EXPECT_EQ(777, word);
	EXPECT_EQ(0, arena_query(self->a.fd).busy_bytes);
	pipe_let_go(ends);
}

TEST_F(pinned, empty_slots_cannot_be_pinned)
{
	int ends[2];

	ASSERT_EQ(0, arena_release(self->a.fd, 0, SLOT, NULL));
	ASSERT_EQ(0, arena_flush(self->a.fd, NULL));
	EXPECT_EQ(-EFAULT, pipe_hold(self->a.map, PAGE, ends));
	EXPECT_EQ(-EFAULT, umem_pin(self->a.map, SLOT));
}

/* The library asks for this and reads by READV where it is refused. */
TEST_F(pinned, fixed_buffers_where_the_kernel_takes_them)
{
	int rc = ring_open(&self->ring);

	ASSERT_EQ(0, rc);
	rc = ring_register(&self->ring, self->a.map, self->a.bytes);
	if (kernel_at_least(6, 5))
		EXPECT_EQ(0, rc);
	else
		EXPECT_EQ(-EOPNOTSUPP, rc);
}

/* Register once, recycle for ever: the data lands where the CPU looks. */
TEST_F(pinned, fixed_buffer_reads_after_revive)
{
	unsigned char *plain = malloc(IO_BYTES);
	int file = memfd_create("pins", MFD_CLOEXEC);
	unsigned int i;

	ASSERT_TRUE(plain && file >= 0);
	ASSERT_EQ(0, ring_open(&self->ring));
	if (ring_register(&self->ring, self->a.map, self->a.bytes))
		SKIP("this kernel takes no fixed buffers of ours");
	for (i = 0; i < CYCLES; i++) {
		pattern_fill(plain, IO_BYTES, OTHER_SEED + i);
		EXPECT_EQ(IO_BYTES, pwrite(file, plain, IO_BYTES, 0));
		ASSERT_EQ(0, arena_retire(self->a.fd, 0, self->a.bytes, NULL));
		EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
		EXPECT_EQ(0, file_write(DROP_CACHES, "2"));
		ASSERT_EQ(0, arena_revive(self->a.fd, 0, self->a.bytes, NULL,
					  NULL));
		EXPECT_EQ(IO_BYTES,
			  ring_transfer(&self->ring, IORING_OP_READ_FIXED, file,
					self->a.map + SLOT, IO_BYTES, 0));
		EXPECT_MEMEQ(plain, self->a.map + SLOT, IO_BYTES);
	}
	EXPECT_EQ(-EBUSY, arena_release(self->a.fd, 0, SLOT, NULL));
	EXPECT_EQ(0, ring_unregister(&self->ring));
	close(file);
	free(plain);
}

static void read_of_parent(void *arg)
{
	struct arena *a = arg;
	unsigned char *copy = malloc(SLOT);
	struct iovec here = { copy, SLOT }, there = { a->map + SLOT, SLOT };

	ASSERT_TRUE(copy != NULL);
	EXPECT_EQ(SLOT, process_vm_readv(getppid(), &here, 1, &there, 1, 0));
	EXPECT_EQ(SLOT / sizeof(uint64_t), pattern_search(copy, SLOT, SEED));
	memset(copy, 0, PAGE);
	here.iov_len = there.iov_len = PAGE;
	EXPECT_EQ(PAGE, process_vm_writev(getppid(), &here, 1, &there, 1, 0));
	there.iov_base = a->map + 2 * SLOT;
	EXPECT_EQ(-1, process_vm_readv(getppid(), &here, 1, &there, 1, 0));
	free(copy);
}

TEST_F(pinned, debugger_reads_and_leaves_no_pin)
{
	uint64_t busy = 1;

	ASSERT_EQ(0, arena_release(self->a.fd, 2 * SLOT, SLOT, NULL));
	ASSERT_EQ(0, arena_flush(self->a.fd, NULL));
	in_child(read_of_parent, &self->a, (uid_t)-1);
	EXPECT_TRUE(all_zero(self->a.map + SLOT, PAGE));
	EXPECT_EQ(0, arena_release(self->a.fd, SLOT, SLOT, &busy));
	EXPECT_EQ(0, arena_flush(self->a.fd, &busy));
	EXPECT_EQ(0, busy);
}

TEST_F(pinned, direct_io_there_and_back)
{
	int disk = slow_disk();

	if (disk < 0)
		SKIP("no null_blk module");
	EXPECT_EQ(IO_BYTES, pwrite(disk, self->a.map, IO_BYTES, 0));
	EXPECT_EQ(IO_BYTES, pread(disk, self->a.map + SLOT, IO_BYTES, 0));
	EXPECT_TRUE(pattern_holds(self->a.map + SLOT, IO_BYTES, SEED));
	EXPECT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
	EXPECT_EQ(0, flush_until_free(self->a.fd));
	EXPECT_EQ(-1, pread(disk, self->a.map + SLOT, IO_BYTES, 0));
	EXPECT_EQ(EFAULT, errno);
	close(disk);
}

struct slow_read {
	int disk;
	void *p;
	ssize_t got;
};

static void *read_slowly(void *arg)
{
	struct slow_read *r = arg;
	ssize_t got = pread(r->disk, r->p, IO_BYTES, 0);

	__atomic_store_n(&r->got, got, __ATOMIC_RELEASE);
	return NULL;
}

/* False when the disk was done before all had been looked at. */
static bool release_during_a_read(struct pinned *self, int disk)
{
	struct slow_read r = { disk, self->a.map + SLOT, 0 };
	uint64_t frame = page_frame(self->a.map + SLOT), busy = 0, held;
	struct lull_arena_query q;
	bool in_time, reused;
	pthread_t reader;
	int rc;

	if (pthread_create(&reader, NULL, read_slowly, &r)) {
		TEST_FAIL_("no thread");
		return true;
	}
	EXPECT_TRUE(await_request());
	rc = arena_release(self->a.fd, 0, self->a.bytes, &held);
	EXPECT_TRUE(rc == 0 || rc == -EBUSY);
	EXPECT_EQ(0, arena_flush(self->a.fd, &busy));
	q = arena_query(self->a.fd);
	reused = fresh_arena_has(2 * SLOTS, frame, OTHER_SEED);
	in_time = !__atomic_load_n(&r.got, __ATOMIC_ACQUIRE);
	pthread_join(reader, NULL);
	EXPECT_EQ(IO_BYTES, r.got);
	EXPECT_EQ(0, flush_until_free(self->a.fd));
	if (!in_time)
		return false;
	EXPECT_TRUE(!reused);
	EXPECT_EQ(rc ? SLOT : 0, held);
	EXPECT_EQ(rc ? SLOT : 0, q.live_bytes);
	EXPECT_EQ(rc ? 0 : SLOT, busy);
	return true;
}

/*
 * A read is on its way into slot 1 when that is released.  6.12 pins for it:
 * EBUSY.  6.1 takes a plain reference: BUSY after the batch.  Either way the
 * page is nobody else's until the disk is done.
 */
TEST_F(pinned, direct_io_in_flight_holds_its_page)
{
	bool in_time = false;
	int disk = slow_disk();
	unsigned int i;

	if (disk < 0)
		SKIP("no null_blk module");
	for (i = 0; i < TRIES && !in_time && !test_failed; i++) {
		EXPECT_EQ(0, arena_reset(self->a.fd));
		ASSERT_EQ(0, arena_acquire(self->a.fd, 0, self->a.bytes));
		pattern_fill(self->a.map, self->a.bytes, SEED);
		in_time = release_during_a_read(self, disk);
	}
	EXPECT_TRUE(in_time);
	close(disk);
}

KMOD_TEST_MAIN
