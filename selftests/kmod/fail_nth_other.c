// SPDX-License-Identifier: Apache-2.0
/*
 * fail_nth_other.c - allocations fail where no ioctl is: mmap, munmap, faults,
 * fork, sysfs, loading the module, and the threads that fill an ACQUIRE
 */
#include <sched.h>
#include <sys/wait.h>

#include "kmod/arena.h"
#include "kmod/fail_nth.h"
#include "kmod/module.h"

/* The reserve is refilled 10 s after memory was short. */
#define REFILL_MS 120000
#define NAP_US 50000
/* A fork has hundreds of allocations, few of them to do with arenas. */
#define FORK_STRIDE 7
/* Most of the kernel's own, and each load takes a while: so many, spread. */
#define LOADS_MAX 120
#define FAR 1000000
/* Of the test with workers: how many slots, how often, one failure in ... */
#define WORKERS_SLOTS 64
#define WORKERS_ROUNDS 40
#define WORKERS_PERCENT "20"
/* A page of 2 MiB is of order 9. */
#define SLOT_ORDER "9"

/* --- mappings ---------------------------------------------------------------- */

static int call_map(struct failing *self)
{
	self->map = arena_map(self->a.fd, 0, self->a.bytes);
	return self->map ? 0 : -errno;
}

static void undo_map(struct failing *self)
{
	EXPECT_TRUE(pattern_holds(self->map, self->a.bytes, SEED));
	EXPECT_EQ(self->a.bytes, smaps_bytes(self->map, "FilePmdMapped:"));
	munmap(self->map, self->a.bytes);
}

TEST_F(failing, map)
{
	const struct verb map = { "mmap", call_map, undo_map, .refusals_min = 2,
				  .whole = true };

	fail_each(self, &map);
}

/* Cut out of the middle: what made one VMA makes two. */
static int call_cut(struct failing *self)
{
	return munmap(self->map + 2 * SLOT, SLOT) ? -errno : 0;
}

static void check_cut(struct failing *self, int rc)
{
	EXPECT_EQ(rc ? 0 : SIGSEGV, touch_read(self->map + 2 * SLOT, NULL));
}

static void undo_cut(struct failing *self)
{
	EXPECT_TRUE(pattern_holds(self->map, 2 * SLOT, SEED));
	munmap(self->map, self->a.bytes);
	self->map = arena_map(self->a.fd, 0, self->a.bytes);
	ASSERT_TRUE(self->map != NULL);
}

TEST_F(failing, cut)
{
	const struct verb cut = {
		"munmap in the middle", call_cut,      undo_cut, check_cut,
		.refusals_min = 1,	.whole = true,
	};

	ASSERT_EQ(0, call_map(self));
	fail_each(self, &cut);
	munmap(self->map, self->a.bytes);
}

/* A fault that gets no page table is tried again: it never lies. */
static int call_touch(struct failing *self)
{
	uint64_t word = 0;

	if (touch_read(self->map, &word))
		return -ENOMEM;
	EXPECT_TRUE(word == ((volatile uint64_t *)self->a.map)[0]);
	return 0;
}

static void undo_touch(struct failing *self)
{
	EXPECT_EQ(SLOT, smaps_bytes(self->map, "FilePmdMapped:"));
	munmap(self->map, self->a.bytes);
	self->map = arena_map(self->a.fd, 0, self->a.bytes);
	ASSERT_TRUE(self->map != NULL);
}

TEST_F(failing, touch)
{
	const struct verb touch = { "fault", call_touch, undo_touch,
				    .met_min = 1 };

	ASSERT_EQ(0, call_map(self));
	fail_each(self, &touch);
	EXPECT_TRUE(pattern_holds(self->map, self->a.bytes, SEED));
	munmap(self->map, self->a.bytes);
}

/* A child that the copy of a private mapping was made for has no rights. */
static int call_fork(struct failing *self, bool *ret_failed)
{
	int status = -1, err;
	pid_t pid = fork();

	if (!pid)
		_exit(touch_read(self->a.map, NULL) == SIGBUS ? 0 : 1);
	err = errno;
	*ret_failed = has_failed(self->nth);
	fail_from(self->nth, 0);
	if (pid < 0)
		return -err;
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	return 0;
}

/* The copies of a fork that gives up half-way are closed again. */
TEST_F(failing, fork)
{
	struct state before, after;
	unsigned int n, refused = 0;
	bool failed = true;
	int rc;

	EXPECT_EQ(0, madvise(self->a.map, self->a.bytes, MADV_DOFORK));
	fflush(stdout);
	for (n = 1; n < FAILURES_MAX && failed; n += FORK_STRIDE) {
		before = state_of(self);
		fail_from(self->nth, n);
		rc = call_fork(self, &failed);
		after = state_of(self);
		EXPECT_TRUE(!rc || (failed && rc == -ENOMEM));
		EXPECT_TRUE(untouched(&before, &after));
		refused += rc != 0;
	}
	printf("# fork: %u of %u failures refused\n", refused, n / FORK_STRIDE);
	EXPECT_TRUE(!failed);
	EXPECT_TRUE(refused >= SLOTS);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
}

/* --- files ------------------------------------------------------------------- */

static int call_sysfs(struct failing *self)
{
	(void)self;
	return sysfs_write("merge_gap", 3);
}

static void undo_sysfs(struct failing *self)
{
	(void)self;
	EXPECT_EQ(0, sysfs_write("merge_gap", 0));
}

TEST_F(failing, sysfs)
{
	const struct verb sysfs = { "write to merge_gap", call_sysfs,
				    undo_sysfs, .refusals_min = 2,
				    .copies_min = 1 };

	ASSERT_EQ(0, sysfs_read("merge_gap"));
	fail_each(self, &sysfs);
}

static int call_reserve(struct failing *self)
{
	(void)self;
	return sysfs_write("reserve_bytes", SLOTS * SLOT);
}

static void check_reserve(struct failing *self, int rc)
{
	(void)self;
	if (rc)
		return;
	EXPECT_EQ(SLOTS * SLOT, sysfs_read("reserve_bytes"));
	EXPECT_TRUE(sysfs_read("reserved_bytes") <= SLOTS * SLOT);
}

static void undo_reserve(struct failing *self)
{
	(void)self;
	EXPECT_EQ(0, sysfs_write("reserve_bytes", 0));
	EXPECT_EQ(0, sysfs_read("reserved_bytes"));
}

/* What is missing comes later, and the file says how much there is. */
static void expect_refill(struct failing *self)
{
	uint64_t wanted = SLOTS * SLOT, end = now_ms() + REFILL_MS;
	bool is_short = false;
	unsigned int n;

	for (n = 1; n < FAILURES_MAX && !is_short; n++) {
		undo_reserve(self);
		fail_from(self->nth, n);
		call_reserve(self);
		fail_from(self->nth, 0);
		is_short = sysfs_read("reserve_bytes") == wanted &&
			   sysfs_read("reserved_bytes") < wanted;
	}
	EXPECT_TRUE(is_short);
	while (sysfs_read("reserved_bytes") < wanted && now_ms() < end)
		usleep(NAP_US);
	EXPECT_EQ(wanted, sysfs_read("reserved_bytes"));
	undo_reserve(self);
}

TEST_F(failing, reserve)
{
	const struct verb reserve = {
		"write to reserve_bytes",
		call_reserve,
		undo_reserve,
		check_reserve,
		.refusals_min = 2,
		.copies_min = 1,
		.partial = true,
	};

	ASSERT_EQ(0, sysfs_read("reserve_bytes"));
	fail_each(self, &reserve);
	expect_refill(self);
}

/* --- the module and its workers ---------------------------------------------- */

/* How many chances to fail there are in a load; the module is loaded then. */
static unsigned int count_failures(int nth, int file)
{
	char text[TEXT_BYTES] = "";
	int rc;

	fail_from(nth, FAR);
	rc = load_file(file);
	if (pread(nth, text, sizeof(text) - 1, 0) <= 0)
		TEST_FAIL_("%s: %s", FAIL_NTH, strerror(errno));
	fail_from(nth, 0);
	EXPECT_EQ(0, rc);
	return FAR - (unsigned int)strtoul(text, NULL, 10);
}

/* What was set up before a failure is taken down again. */
TEST(load)
{
	int nth = open(FAIL_NTH, O_RDWR | O_CLOEXEC), file = module_file();
	unsigned int n, count, refused = 0;
	bool failed = true;
	int rc = 0;

	if (file == -ENOENT)
		SKIP("where the module is, LULL_KMOD must say");
	ASSERT_TRUE(nth >= 0 && file >= 0);
	ASSERT_EQ(0, unload_soon());
	count = count_failures(nth, file);
	for (n = 1; n <= count && !test_failed; n += 1 + count / LOADS_MAX) {
		if (!rc)
			ASSERT_EQ(0, unload_soon());
		fail_from(nth, n);
		rc = load_file(file);
		failed = has_failed(nth);
		fail_from(nth, 0);
		EXPECT_TRUE(!rc ||
			    (failed && (rc == -ENOMEM || rc == -EFAULT)));
		refused += rc != 0;
	}
	printf("# load: %u chances to fail, %u refused of %u\n", count, refused,
	       count / (1 + count / LOADS_MAX));
	EXPECT_TRUE(refused >= LOADS_MAX / 4);
	if (rc)
		EXPECT_EQ(0, load_file(file));
	close(file);
	close(nth);
}

/* One call with one page in five not to be had, by whoever asks. */
static void acquire_some(struct arena *a, uint32_t flags)
{
	struct lull_arena_range range = { 0, a->bytes };
	struct lull_arena_acquire call = { .flags = flags };
	int rc = arena_acquire_ranges(a->fd, &call, &range, 1);
	uint64_t live = arena_query(a->fd).live_bytes;

	if (!rc && !(flags & LULL_ARENA_ACQUIRE_PARTIAL))
		EXPECT_EQ(a->bytes, live);
	if (!rc)
		EXPECT_EQ(call.acquired_bytes, live);
	if (rc) {
		EXPECT_EQ(-ENOMEM, rc);
		EXPECT_EQ(0, live);
		EXPECT_EQ(LULL_ARENA_CAUSE_MEMORY, call.cause);
	} else {
		EXPECT_EQ(0, arena_release(a->fd, 0, live, NULL));
		EXPECT_EQ(0, arena_flush(a->fd, NULL));
	}
}

TEST(workers)
{
	uint64_t pages = module_pages_bytes();
	struct arena a = { .bytes = WORKERS_SLOTS * SLOT };
	unsigned int i;

	a.fd = arena_create(a.bytes, 0);
	ASSERT_TRUE(a.fd >= 0);
	file_write(FAIL_PAGES "min-order", SLOT_ORDER);
	file_write(FAIL_PAGES "times", "-1");
	file_write(FAIL_PAGES "probability", WORKERS_PERCENT);
	for (i = 0; i < WORKERS_ROUNDS && !test_failed; i++)
		acquire_some(&a, i % 3 == 0   ? 0
				 : i % 3 == 1 ? LULL_ARENA_ACQUIRE_NORETRY
					      : LULL_ARENA_ACQUIRE_PARTIAL);
	file_write(FAIL_PAGES "probability", "0");
	file_write(FAIL_PAGES "min-order", "0");
	close(a.fd);
	EXPECT_EQ(pages, module_pages_bytes());
}

int main(int argc, char **argv)
{
	return fail_nth_main(argc, argv);
}
