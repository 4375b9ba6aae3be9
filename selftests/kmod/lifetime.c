// SPDX-License-Identifier: Apache-2.0
/*
 * lifetime.c - processes that are killed anywhere, thousands of arenas made
 * and closed, and the module going and coming: nothing is left behind
 *
 * The module is unloaded here and loaded again, from LULL_KMOD or from
 * build/kmod/RELEASE/lull_arena.ko: its parameters are the defaults then.
 */
#include <glob.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "kmod/arena.h"
#include "kmod/module.h"

#define KILLS 40
#define KILL_AFTER_US 60000
#define KILL_THREADS 3
#define KILL_SLOTS 24
#define OPENS 10000
#define CREATES 10000
#define WARM_UP 300
#define ACQUIRES 200
#define RELOADS 3
/* What caches may grow by on their own meanwhile; a leak would be more. */
#define GROWTH_MAX ((uint64_t)4 << 20)
#define SETTLE_MS 20000
#define NAP_US 50000

/* --- killed at random points ------------------------------------------------ */

struct life {
	struct arena a;
	uint64_t random;
};

static void *live_on(void *arg)
{
	struct life *l = arg;
	uint64_t at, length;
	unsigned int seed = (unsigned int)l->random ^ (unsigned int)gettid();

	for (;;) {
		at = (uint64_t)rand_r(&seed) % KILL_SLOTS * SLOT;
		length = (1 + (uint64_t)rand_r(&seed) % 8) * SLOT;
		if (at + length > l->a.bytes)
			length = SLOT;
		switch (rand_r(&seed) % 7) {
		case 0:
			arena_acquire(l->a.fd, at, length);
			break;
		case 1:
			arena_retire(l->a.fd, at, length, NULL);
			break;
		case 2:
			arena_revive(l->a.fd, at, length, NULL, NULL);
			break;
		case 3:
			arena_release(l->a.fd, at, length, NULL);
			break;
		case 4:
			arena_flush(l->a.fd, NULL);
			break;
		case 5:
			arena_reset(l->a.fd);
			break;
		default:
			touch_write(l->a.map + at, at);
		}
	}
	return NULL;
}

static void live_until_killed(uint64_t random, uint32_t flags)
{
	struct life l = { .random = random };
	pthread_t thread;
	unsigned int i;

	arena_open(&l.a, KILL_SLOTS, flags);
	for (i = 1; i < KILL_THREADS; i++)
		pthread_create(&thread, NULL, live_on, &l);
	live_on(&l);
}

/* No page of an arena is left that was not there before. */
static void expect_pages(uint64_t before)
{
	uint64_t end = now_ms() + SETTLE_MS * slowness(),
		 now = module_pages_bytes();

	/* A killed process may still be letting go. */
	while (now != before && now_ms() < end) {
		usleep(NAP_US);
		now = module_pages_bytes();
	}
	EXPECT_EQ(before, now);
}

/* Back to where it was, once what is freed late has been freed. */
static void expect_state(int dev, const struct lull_arena_query *before)
{
	uint64_t end = now_ms() + SETTLE_MS * slowness();
	struct lull_arena_query q = arena_query(dev);

	while ((q.nr_arenas != before->nr_arenas ||
		q.live_bytes != before->live_bytes ||
		q.retired_bytes != before->retired_bytes ||
		q.busy_bytes != before->busy_bytes) &&
	       now_ms() < end) {
		usleep(NAP_US);
		q = arena_query(dev);
	}
	EXPECT_EQ(before->nr_arenas, q.nr_arenas);
	EXPECT_EQ(before->bytes, q.bytes);
	EXPECT_EQ(before->live_bytes, q.live_bytes);
	EXPECT_EQ(before->retired_bytes, q.retired_bytes);
	EXPECT_EQ(before->busy_bytes, q.busy_bytes);
}

/* expect_pages() sees what it is to look for. */
TEST(pages_are_counted)
{
	uint64_t before = module_pages_bytes();
	struct arena a;

	arena_open(&a, 3, 0);
	EXPECT_EQ(before + 3 * SLOT, module_pages_bytes());
	EXPECT_EQ(0, touch_write(a.map, 1));
	EXPECT_EQ(0, arena_retire(a.fd, 0, 2 * SLOT, NULL));
	EXPECT_EQ(before + 3 * SLOT, module_pages_bytes());
	EXPECT_EQ(0, arena_release(a.fd, 0, SLOT, NULL));
	EXPECT_EQ(0, arena_flush(a.fd, NULL));
	EXPECT_EQ(before + SLOT, module_pages_bytes());
	arena_close(&a);
	expect_pages(before);
}

TEST(killed_at_random_points)
{
	int dev = device_open(), status;
	struct lull_arena_query before = arena_query(dev);
	uint64_t pages = module_pages_bytes();
	unsigned int i;
	pid_t pid;

	fflush(stdout);
	for (i = 0; i < KILLS; i++) {
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			live_until_killed(test_random(),
					  i % 2 ? LULL_ARENA_CREATE_SECRET : 0);
			_exit(1);
		}
		usleep((useconds_t)(test_random() % KILL_AFTER_US));
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	expect_state(dev, &before);
	expect_pages(pages);
	close(dev);
}

static void *flush_on(void *arg)
{
	arena_flush(*(int *)arg, NULL);
	return NULL;
}

/* close(2) under a call that is under way: the call holds the file. */
TEST(closed_under_a_call)
{
	int dev = device_open(), fd, i;
	struct lull_arena_query before = arena_query(dev);
	pthread_t thread;

	for (i = 0; i < 200; i++) {
		fd = arena_create(4 * SLOT, 0);
		ASSERT_EQ(0, arena_acquire(fd, 0, 4 * SLOT));
		ASSERT_EQ(0, arena_release(fd, 0, 4 * SLOT, NULL));
		ASSERT_EQ(0, pthread_create(&thread, NULL, flush_on, &fd));
		if (i % 2)
			sched_yield();
		close(fd);
		pthread_join(thread, NULL);
	}
	expect_state(dev, &before);
	close(dev);
}

/* --- many ---------------------------------------------------------------------- */

/* What waits freed: in slabs of which little is used, and with KASAN for long. */
static void shrink_slabs(void)
{
	glob_t files;
	size_t i;

	if (glob("/sys/kernel/slab/*/shrink", 0, NULL, &files))
		return;
	for (i = 0; i < files.gl_pathc; i++)
		file_write(files.gl_pathv[i], "1");
	globfree(&files);
}

static uint64_t kernel_bytes(void)
{
	file_write("/proc/sys/vm/drop_caches", "3");
	shrink_slabs();
	return meminfo_bytes("Slab:") + meminfo_bytes("PageTables:") +
	       meminfo_bytes("VmallocUsed:") + meminfo_bytes("Percpu:");
}

/* Calls FN NR times, and again: the second time must not cost memory. */
static void expect_no_growth(void (*fn)(void), unsigned int nr)
{
	int dev = device_open();
	struct lull_arena_query before = arena_query(dev);
	uint64_t kernel, now, end;
	unsigned int i;

	for (i = 0; i < WARM_UP && i < nr; i++)
		fn();
	usleep(NAP_US);
	kernel = kernel_bytes();
	for (i = 0; i < nr; i++)
		fn();
	end = now_ms() + SETTLE_MS * slowness();
	/* Inodes and files are freed after a grace period. */
	do {
		usleep(NAP_US);
		now = kernel_bytes();
	} while (now > kernel + GROWTH_MAX && now_ms() < end);
	if (now > kernel + GROWTH_MAX)
		TEST_FAIL_("the kernel holds %" PRIu64 " KiB more",
			   (now - kernel) >> 10);
	expect_state(dev, &before);
	close(dev);
}

static void open_and_close(void)
{
	close(device_open());
}

TEST(ten_thousand_opens)
{
	expect_no_growth(open_and_close, OPENS);
}

static void create_and_close(void)
{
	int fd = arena_create(64 * SLOT, 0);

	if (fd < 0)
		TEST_FAIL_("CREATE: %d", fd);
	close(fd);
}

TEST(ten_thousand_arenas)
{
	expect_no_growth(create_and_close, CREATES);
}

static void use_and_close(void)
{
	struct arena a;

	arena_open(&a, 1, 0);
	EXPECT_EQ(0, touch_write(a.map, 1));
	EXPECT_EQ(0, arena_retire(a.fd, 0, SLOT, NULL));
	arena_close(&a);
}

TEST(hundreds_of_arenas_in_use)
{
	uint64_t before = module_pages_bytes();

	expect_no_growth(use_and_close, ACQUIRES);
	expect_pages(before);
}

/* --- the module goes and comes ---------------------------------------------- */

TEST(unload_in_use_refused)
{
	unsigned char *map;
	struct arena a;
	int dev;

	arena_open(&a, 2, 0);
	EXPECT_EQ(-EAGAIN, unload());
	close(a.fd);
	a.fd = -1;
	/* The mapping alone is enough. */
	EXPECT_EQ(-EAGAIN, unload());
	EXPECT_EQ(0, touch_write(a.map, 1));
	map = a.map;
	munmap(map, SLOT);
	EXPECT_EQ(-EAGAIN, unload());
	a.map = NULL;
	munmap(map + SLOT, SLOT);
	dev = device_open();
	EXPECT_EQ(-EAGAIN, unload());
	close(dev);
}

TEST(unload_and_load)
{
	struct arena a;
	int i, rc;

	for (i = 0; i < RELOADS; i++) {
		EXPECT_EQ(0, sysfs_write("reserve_bytes", 4 * SLOT));
		arena_open(&a, 8, 0);
		if (a.map)
			pattern_fill(a.map, a.bytes, 61);
		arena_close(&a);
		rc = unload_soon();
		ASSERT_EQ(0, rc);
		EXPECT_EQ(-ENOENT, device_open());
		rc = load();
		if (rc == -ENOENT)
			SKIP("where the module is, LULL_KMOD must say");
		ASSERT_EQ(0, rc);
	}
	arena_open(&a, 8, 0);
	EXPECT_TRUE(all_zero(a.map, a.bytes));
	arena_close(&a);
}

/* A secret page in a pipe keeps the module until it has been zeroed. */
TEST(unload_waits_for_a_secret_page)
{
	int ends[2];
	struct iovec iov;
	struct arena a;

	ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
	arena_open(&a, 1, LULL_ARENA_CREATE_SECRET);
	ASSERT_TRUE(a.map != NULL);
	pattern_fill(a.map, a.bytes, 62);
	iov = (struct iovec){ a.map, PAGE };
	ASSERT_EQ(PAGE, vmsplice(ends[1], &iov, 1, 0));
	arena_close(&a);
	EXPECT_EQ(-EAGAIN, unload());
	close(ends[0]);
	close(ends[1]);
	ASSERT_EQ(0, unload_soon());
	EXPECT_EQ(0, load());
}

KMOD_TEST_MAIN
