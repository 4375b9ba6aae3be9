// SPDX-License-Identifier: Apache-2.0
/*
 * direct.c - direct I/O between an arena and files of ext4: through RETIRE and
 * REVIVE, and with the memory released while the disk is at it
 *
 * `scripts/vm --disk SIZE` has such a file system on /mnt.  Its disk is quick:
 * a cgroup with io.max makes one request take IO_MS, unless that is lifted, with
 * the pages in the kernel's hands.  pins.c does the same on a bare device.
 */
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <linux/magic.h>

#include "kmod/holders.h"

#define DISK "/mnt"
#define DISK_FILE DISK "/direct"
#define CGROUPS "/sys/fs/cgroup"
#define SLOW_GROUP CGROUPS "/lull-direct"
#define SLOTS 4
#define SEED 91
#define FILE_SEED 92
#define CYCLES 3
#define IO_BYTES ((uint64_t)1 << 20)
/* Longer than a test takes, however busy the machine, times slowness(). */
#define IO_MS 30000
/* Who sleeps as one does who waits for a disk, in so many looks, has asked it. */
#define LOOKS 5
#define LOOK_US 20000
#define TEXT_BYTES 128
#define DROP_CACHES "/proc/sys/vm/drop_caches"

FIXTURE(direct)
{
	struct arena a;
	int file;
	bool slow;
};

/* What the disk has, by way of no page cache. */
static bool file_holds(uint64_t at, uint64_t bytes, uint64_t seed)
{
	int file = open(DISK_FILE, O_RDONLY | O_DIRECT | O_CLOEXEC);
	unsigned char *plain = NULL;
	bool holds;

	holds = file >= 0 && !posix_memalign((void **)&plain, PAGE, bytes) &&
		pread(file, plain, bytes, (off_t)at) == (ssize_t)bytes &&
		pattern_holds(plain, bytes, seed);
	free(plain);
	if (file >= 0)
		close(file);
	return holds;
}

static void fill_file(int file, uint64_t bytes, uint64_t seed)
{
	unsigned char *plain = NULL;

	ASSERT_EQ(0, posix_memalign((void **)&plain, PAGE, bytes));
	pattern_fill(plain, bytes, seed);
	EXPECT_EQ(bytes, pwrite(file, plain, bytes, 0));
	free(plain);
}

FIXTURE_SETUP(direct)
{
	struct statfs fs;

	self->a.fd = self->file = -1;
	if (statfs(DISK, &fs) || fs.f_type != EXT4_SUPER_MAGIC)
		SKIP("no ext4 on " DISK ": scripts/vm --disk 256M has one");
	self->file = open(DISK_FILE, O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC,
			  S_IRUSR | S_IWUSR);
	ASSERT_TRUE(self->file >= 0);
	fill_file(self->file, 2 * SLOT, FILE_SEED);
	arena_open(&self->a, SLOTS, 0);
	if (!test_failed)
		pattern_fill(self->a.map, self->a.bytes, SEED);
}

FIXTURE_TEARDOWN(direct)
{
	if (self->slow) {
		EXPECT_EQ(0, file_write(CGROUPS "/cgroup.procs", "0"));
		EXPECT_EQ(0, rmdir(SLOW_GROUP));
	}
	if (self->file >= 0) {
		close(self->file);
		EXPECT_EQ(0, unlink(DISK_FILE));
	}
	if (self->a.map)
		arena_close(&self->a);
}

/* What this process may read and write a second: a number, or "max". */
static void set_rate(struct direct *self, const char *rate)
{
	char text[2 * TEXT_BYTES];
	struct stat st;

	ASSERT_EQ(0, fstat(self->file, &st));
	snprintf(text, sizeof(text), "%u:%u rbps=%s wbps=%s", major(st.st_dev),
		 minor(st.st_dev), rate, rate);
	EXPECT_EQ(0, file_write(SLOW_GROUP "/io.max", text));
}

/* From here on a request of IO_BYTES takes this process IO_MS or more. */
static void slow_down(struct direct *self)
{
	char rate[TEXT_BYTES / 4];

	EXPECT_EQ(0, file_write(CGROUPS "/cgroup.subtree_control", "+io"));
	ASSERT_TRUE(!mkdir(SLOW_GROUP, S_IRWXU) || errno == EEXIST);
	self->slow = true;
	snprintf(rate, sizeof(rate), "%" PRIu64,
		 IO_BYTES * 1000 / IO_MS / slowness());
	set_rate(self, rate);
	EXPECT_EQ(0, file_write(SLOW_GROUP "/cgroup.procs", "0"));
}

TEST_F(direct, there_and_back)
{
	unsigned char *map = self->a.map;

	EXPECT_EQ(SLOT, pread(self->file, map + SLOT, SLOT, 0));
	EXPECT_TRUE(pattern_holds(map + SLOT, SLOT, FILE_SEED));
	/* Over the border of two slots, and a single page. */
	EXPECT_EQ(SLOT, pread(self->file, map + 2 * SLOT + SLOT / 2, SLOT, 0));
	EXPECT_TRUE(pattern_holds(map + 2 * SLOT + SLOT / 2, SLOT, FILE_SEED));
	pattern_fill(map, SLOT, SEED);
	EXPECT_EQ(PAGE, pread(self->file, map + 3 * PAGE, PAGE, 0));
	EXPECT_TRUE(pattern_holds(map + 3 * PAGE, PAGE, FILE_SEED));
	EXPECT_EQ((SLOT - PAGE) / sizeof(uint64_t),
		  pattern_search(map, SLOT, SEED));
	pattern_fill(map, SLOT, SEED);
	EXPECT_EQ(SLOT, pwrite(self->file, map, SLOT, (off_t)SLOT));
	EXPECT_TRUE(file_holds(SLOT, SLOT, SEED));
	EXPECT_TRUE(file_holds(0, SLOT, FILE_SEED));
	EXPECT_EQ(0, arena_query(self->a.fd).pte_fallbacks);
}

/* Retired memory is memory still; what REVIVE renewed is as good. */
TEST_F(direct, retired_and_revived)
{
	unsigned char *map = self->a.map;
	uint64_t kept, fresh;
	int fd = self->a.fd;
	unsigned int i;

	for (i = 0; i < CYCLES; i++) {
		pattern_fill(map, self->a.bytes, SEED + 10 + i);
		ASSERT_EQ(0, arena_retire(fd, 0, self->a.bytes, NULL));
		EXPECT_EQ(SLOT, pwrite(self->file, map, SLOT, 0));
		EXPECT_EQ(SLOT, pread(self->file, map + SLOT, SLOT, 0));
		ASSERT_EQ(0, arena_revive(fd, 0, self->a.bytes, &kept, NULL));
		EXPECT_EQ(self->a.bytes, kept);
		EXPECT_TRUE(pattern_holds(map + SLOT, SLOT, SEED + 10 + i));
		ASSERT_EQ(0, arena_retire(fd, 0, self->a.bytes, NULL));
		EXPECT_EQ(0, arena_flush(fd, NULL));
		ASSERT_EQ(0, arena_revive(fd, 0, self->a.bytes, NULL, &fresh));
		EXPECT_EQ(self->a.bytes, fresh);
		EXPECT_EQ(SLOT, pread(self->file, map + 2 * SLOT, SLOT, 0));
		EXPECT_TRUE(pattern_holds(map + 2 * SLOT, SLOT, SEED + 10 + i));
		EXPECT_TRUE(all_zero(map + 3 * SLOT, SLOT));
	}
	/* No reference stayed behind. */
	EXPECT_EQ(0, arena_release(fd, 0, self->a.bytes, NULL));
	EXPECT_EQ(0, flush_until_free(fd));
}

TEST_F(direct, released_memory_takes_no_io)
{
	unsigned char *map = self->a.map;

	ASSERT_EQ(0, arena_release(self->a.fd, 0, SLOT, NULL));
	ASSERT_EQ(0, flush_until_free(self->a.fd));
	EXPECT_EQ(-1, pread(self->file, map, IO_BYTES, 0));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, pwrite(self->file, map, IO_BYTES, 0));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_TRUE(file_holds(0, 2 * SLOT, FILE_SEED));
	ASSERT_EQ(0, arena_acquire(self->a.fd, 0, SLOT));
	EXPECT_EQ(IO_BYTES, pread(self->file, map, IO_BYTES, 0));
	EXPECT_TRUE(pattern_holds(map, IO_BYTES, FILE_SEED));
}

/* --- while the disk is at it -------------------------------------------------- */

struct transfer {
	int file;
	unsigned char *p;
	bool write;
	ssize_t done;
	pthread_t thread;
	pid_t tid; /* 0 until it runs */
};

static void *transfer(void *arg)
{
	struct transfer *t = arg;
	ssize_t n;

	__atomic_store_n(&t->tid, gettid(), __ATOMIC_RELEASE);
	n = t->write ? pwrite(t->file, t->p, IO_BYTES, 0)
		     : pread(t->file, t->p, IO_BYTES, 0);
	__atomic_store_n(&t->done, n, __ATOMIC_RELEASE);
	return NULL;
}

static bool under_way(const struct transfer *t)
{
	return !__atomic_load_n(&t->done, __ATOMIC_ACQUIRE);
}

static void await_disk(const struct transfer *t)
{
	char task[TEXT_BYTES], comm[WATCH_NAME_BYTES + 1], state;
	unsigned int looks = 0;
	pid_t tid, parent;

	while (looks < LOOKS && under_way(t)) {
		tid = __atomic_load_n(&t->tid, __ATOMIC_ACQUIRE);
		snprintf(task, sizeof(task), "self/task/%d", tid);
		if (tid && watch_stat(task, comm, &state, &parent) &&
		    state == 'D')
			looks++;
		else
			looks = 0;
		usleep(LOOK_US);
	}
}

/* Between the disk and slot 1, which is 6.12's to pin, 6.1's to refer to. */
static void begin(struct direct *self, struct transfer *ret_transfer,
		  bool write)
{
	*ret_transfer = (struct transfer){
		.file = self->file,
		.p = self->a.map + SLOT,
		.write = write,
	};
	pattern_fill(ret_transfer->p, SLOT, SEED);
	slow_down(self);
	if (test_failed)
		return;
	ASSERT_EQ(0, pthread_create(&ret_transfer->thread, NULL, transfer,
				    ret_transfer));
	await_disk(ret_transfer);
}

static void end(struct direct *self, struct transfer *t)
{
	set_rate(self, "max");
	pthread_join(t->thread, NULL);
	EXPECT_EQ(IO_BYTES, t->done);
}

/*
 * RELEASE of all slots: refused for slot 1 when that is pinned, otherwise put
 * off, and the slot is busy after the batch.
 */
static void release_meanwhile(struct direct *self, const struct transfer *t)
{
	uint64_t frame = page_frame(self->a.map + SLOT), held, busy;
	struct lull_arena_query q;
	int fd = self->a.fd, rc;

	rc = arena_release(fd, 0, self->a.bytes, &held);
	EXPECT_TRUE(rc == 0 || rc == -EBUSY);
	EXPECT_EQ(0, arena_flush(fd, &busy));
	q = arena_query(fd);
	EXPECT_EQ(rc ? SLOT : 0, held);
	EXPECT_EQ(rc ? SLOT : 0, q.live_bytes);
	EXPECT_EQ(rc ? 0 : SLOT, busy);
	EXPECT_EQ(rc ? 0 : SLOT, q.busy_bytes);
	EXPECT_EQ(0, q.retired_bytes);
	EXPECT_EQ(SIGBUS, touch_read(self->a.map, NULL));
	EXPECT_EQ(rc ? 0 : SIGBUS, touch_read(self->a.map + SLOT, NULL));
	EXPECT_EQ(rc ? -ENOENT : -EBUSY, arena_acquire(fd, SLOT, SLOT));
	fill_fresh_arena(4 * SLOTS, frame, SEED + 1);
	if (!under_way(t))
		TEST_FAIL_("the disk was done before the test was");
	printf("# RELEASE was %s\n", rc ? "refused" : "put off");
}

TEST_F(direct, release_during_a_read)
{
	struct transfer t;

	begin(self, &t, false);
	if (test_failed)
		return;
	release_meanwhile(self, &t);
	end(self, &t);
	arena_release(self->a.fd, SLOT, SLOT, NULL);
	EXPECT_EQ(0, flush_until_free(self->a.fd));
	EXPECT_EQ(0, arena_query(self->a.fd).live_bytes);
	ASSERT_EQ(0, arena_acquire(self->a.fd, 0, self->a.bytes));
	EXPECT_TRUE(all_zero(self->a.map, self->a.bytes));
}

/* What goes to the disk is what was there when the call was made. */
TEST_F(direct, release_during_a_write)
{
	struct transfer t;

	begin(self, &t, true);
	if (test_failed)
		return;
	release_meanwhile(self, &t);
	end(self, &t);
	EXPECT_TRUE(file_holds(0, IO_BYTES, SEED));
}

/* Taken back before the disk is done: the same page, and the data lands. */
TEST_F(direct, revive_during_a_read)
{
	uint64_t frame = page_frame(self->a.map + SLOT), kept;
	struct transfer t;

	begin(self, &t, false);
	if (test_failed)
		return;
	ASSERT_EQ(0, arena_retire(self->a.fd, 0, self->a.bytes, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	EXPECT_EQ(0, file_write(DROP_CACHES, "2"));
	ASSERT_EQ(0, arena_revive(self->a.fd, SLOT, SLOT, &kept, NULL));
	EXPECT_EQ(SLOT, kept);
	EXPECT_EQ(0, touch_read(self->a.map + SLOT, NULL));
	EXPECT_EQ(frame, page_frame(self->a.map + SLOT));
	EXPECT_TRUE(under_way(&t));
	end(self, &t);
	EXPECT_TRUE(pattern_holds(self->a.map + SLOT, IO_BYTES, FILE_SEED));
	EXPECT_TRUE(pattern_search(self->a.map + SLOT + IO_BYTES,
				   SLOT - IO_BYTES, SEED) ==
		    (SLOT - IO_BYTES) / sizeof(uint64_t));
}

KMOD_TEST_MAIN
