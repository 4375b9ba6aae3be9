// SPDX-License-Identifier: Apache-2.0
/*
 * limits.c - who pays for an arena and what happens when there is no more:
 * memory cgroup, RLIMIT_MEMLOCK, the module's limits, and NUMA nodes
 *
 * Each limit is met alone, the cause is named, nothing stays half done, and
 * what was charged is given back.  pressure.c has memory itself running out.
 */
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kmod/arena.h"

#define ALICE 1001
#define PATH_BYTES 256
#define TEXT_BYTES 4096
/* What a memory cgroup may be off by: 64 pages a processor, and slabs. */
#define CHARGE_SLACK ((uint64_t)4 << 20)
#define CHARGE_MS 10000
#define NAP_US 20000
#define BALANCING "/sys/kernel/debug/sched/numa_balancing/"
#define BALANCED_SLOTS 64
#define BALANCE_MS 60000

/* A fresh arena of the caller's, through a device that root has opened. */
static int create_on(int dev, uint64_t bytes)
{
	struct lull_arena_create call = { .size = sizeof(call),
					  .bytes = bytes };
	int rc = arena_call(dev, LULL_ARENA_CREATE, &call);

	return rc ? rc : (int)call.fd;
}

static int acquire(int fd, uint64_t offset, uint64_t length, uint32_t flags,
		   struct lull_arena_acquire *ret_call)
{
	struct lull_arena_range range = { offset, length };

	memset(ret_call, 0, sizeof(*ret_call));
	ret_call->flags = flags;
	ret_call->cause = ~0u;
	return arena_acquire_ranges(fd, ret_call, &range, 1);
}

/* ACQUIRE of LENGTH must fail with WANT and CAUSE, and change nothing. */
static void expect_limited(int fd, uint64_t length, int want, uint32_t cause)
{
	struct lull_arena_query before = arena_query(fd), after;
	struct lull_arena_acquire call;

	EXPECT_EQ(-want, acquire(fd, before.live_bytes, length, 0, &call));
	EXPECT_EQ(cause, call.cause);
	EXPECT_TRUE(call.acquired_bytes < length);
	after = arena_query(fd);
	EXPECT_EQ(before.live_bytes, after.live_bytes);
	EXPECT_EQ(before.retired_bytes, after.retired_bytes);
}

/* --- the module's own limits ---------------------------------------------- */

TEST(limit_bytes)
{
	int dev = device_open(), fd = arena_create(16 * SLOT, 0);
	uint64_t old = sysfs_read("limit_bytes"), in_use;
	struct lull_arena_acquire call;

	ASSERT_TRUE(fd >= 0);
	in_use = arena_query(dev).live_bytes + arena_query(dev).retired_bytes +
		 arena_query(dev).busy_bytes;
	ASSERT_EQ(0, sysfs_write("limit_bytes", in_use + 4 * SLOT));
	expect_limited(fd, 5 * SLOT, EDQUOT, LULL_ARENA_CAUSE_LIMIT);
	EXPECT_EQ(0, arena_acquire(fd, 0, 4 * SLOT));
	expect_limited(fd, SLOT, EDQUOT, LULL_ARENA_CAUSE_LIMIT);
	/* Retired memory is still there, and counts. */
	EXPECT_EQ(0, arena_release(fd, 0, 4 * SLOT, NULL));
	EXPECT_EQ(0, arena_flush(fd, NULL));
	EXPECT_EQ(0,
		  acquire(fd, 0, 6 * SLOT, LULL_ARENA_ACQUIRE_PARTIAL, &call));
	EXPECT_EQ(4 * SLOT, call.acquired_bytes);
	EXPECT_EQ(LULL_ARENA_CAUSE_LIMIT, call.cause);
	EXPECT_EQ(4 * SLOT, arena_query(fd).live_bytes);
	EXPECT_EQ(-EDQUOT, acquire(fd, 4 * SLOT, SLOT,
				   LULL_ARENA_ACQUIRE_PARTIAL, &call));
	EXPECT_EQ(0, sysfs_write("limit_bytes", old));
	EXPECT_EQ(0, arena_acquire(fd, 4 * SLOT, 12 * SLOT));
	close(fd);
	close(dev);
}

static void alice_meets_her_limit(void *arg)
{
	int fd = create_on(*(int *)arg, 8 * SLOT);

	ASSERT_TRUE(fd >= 0);
	expect_limited(fd, 5 * SLOT, EDQUOT, LULL_ARENA_CAUSE_LIMIT_UID);
	EXPECT_EQ(0, arena_acquire(fd, 0, 4 * SLOT));
	expect_limited(fd, SLOT, EDQUOT, LULL_ARENA_CAUSE_LIMIT_UID);
	close(fd);
	/* Given back: the same again. */
	fd = create_on(*(int *)arg, 8 * SLOT);
	EXPECT_EQ(0, arena_acquire(fd, 0, 4 * SLOT));
}

TEST(limit_bytes_per_uid)
{
	struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	uint64_t old = sysfs_read("limit_bytes_per_uid");
	int dev = device_open(), fd;

	setrlimit(RLIMIT_MEMLOCK, &none);
	ASSERT_EQ(0, sysfs_write("limit_bytes_per_uid", 4 * SLOT));
	in_child(alice_meets_her_limit, &dev, ALICE);
	in_child(alice_meets_her_limit, &dev, ALICE);
	/* CAP_SYS_RESOURCE may exceed it. */
	fd = arena_create(8 * SLOT, 0);
	EXPECT_EQ(0, arena_acquire(fd, 0, 8 * SLOT));
	EXPECT_EQ(0, sysfs_write("limit_bytes_per_uid", old));
	close(fd);
	close(dev);
}

/* --- RLIMIT_MEMLOCK --------------------------------------------------------- */

static void alice_meets_memlock(void *arg)
{
	int fd = create_on(*(int *)arg, 8 * SLOT), other;

	ASSERT_TRUE(fd >= 0);
	expect_limited(fd, 5 * SLOT, ENOMEM, LULL_ARENA_CAUSE_MEMLOCK);
	EXPECT_EQ(0, arena_acquire(fd, 0, 3 * SLOT));
	/* One limit for all arenas of a user. */
	other = create_on(*(int *)arg, 8 * SLOT);
	expect_limited(other, 2 * SLOT, ENOMEM, LULL_ARENA_CAUSE_MEMLOCK);
	EXPECT_EQ(0, arena_acquire(other, 0, SLOT));
	EXPECT_EQ(0, arena_release(fd, 0, 2 * SLOT, NULL));
	EXPECT_EQ(0, arena_flush(fd, NULL));
	EXPECT_EQ(0, arena_acquire(other, SLOT, 2 * SLOT));
	close(other);
	close(fd);
	fd = create_on(*(int *)arg, 8 * SLOT);
	EXPECT_EQ(0, arena_acquire(fd, 0, 4 * SLOT));
	if (!test_failed)
		raise(SIGKILL);
}

TEST(memlock_limit)
{
	struct rlimit old, low = { 4 * SLOT, 4 * SLOT };
	int dev = device_open();
	unsigned int i;
	int status;

	getrlimit(RLIMIT_MEMLOCK, &old);
	low.rlim_max = old.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &low));
	/* Killed at its end each time: the charge must not stay. */
	for (i = 0; i < 3; i++) {
		status = in_child_status(alice_meets_memlock, &dev, ALICE);
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	setrlimit(RLIMIT_MEMLOCK, &old);
	close(dev);
}

TEST(memlock_limit_spares_cap_ipc_lock)
{
	struct rlimit old, low = { 0, 0 };
	int fd = arena_create(4 * SLOT, 0);

	getrlimit(RLIMIT_MEMLOCK, &old);
	low.rlim_max = old.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &low));
	EXPECT_EQ(0, arena_acquire(fd, 0, 4 * SLOT));
	setrlimit(RLIMIT_MEMLOCK, &old);
	close(fd);
}

/* --- memory cgroup ---------------------------------------------------------- */

FIXTURE(cgroup)
{
	char root[PATH_BYTES];
	char group[PATH_BYTES];
	bool mounted;
	int dev;
};

static uint64_t group_read(struct cgroup *self, const char *name)
{
	char path[2 * PATH_BYTES], text[TEXT_BYTES];

	snprintf(path, sizeof(path), "%s/%s", self->group, name);
	if (file_read(path, text, sizeof(text))) {
		TEST_FAIL_("cannot read %s", path);
		return 0;
	}
	return strtoull(text, NULL, 10);
}

static int group_write(const char *folder, const char *name, const char *text)
{
	char path[2 * PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return file_write(path, text);
}

FIXTURE_SETUP(cgroup)
{
	snprintf(self->root, sizeof(self->root), "/tmp/kmod-cgroup-XXXXXX");
	self->dev = device_open();
	ASSERT_TRUE(mkdtemp(self->root) != NULL);
	self->mounted = !mount("none", self->root, "cgroup2", 0, NULL);
	ASSERT_TRUE(self->mounted);
	if (group_write(self->root, "cgroup.subtree_control", "+memory"))
		SKIP("no memory controller in cgroup2");
	snprintf(self->group, sizeof(self->group), "%.200s/lull-test",
		 self->root);
	ASSERT_TRUE(!mkdir(self->group, S_IRWXU) || errno == EEXIST);
	ASSERT_EQ(0, group_write(self->group, "memory.max", "max"));
}

FIXTURE_TEARDOWN(cgroup)
{
	rmdir(self->group);
	if (self->mounted)
		umount2(self->root, MNT_DETACH);
	rmdir(self->root);
	close(self->dev);
}

static void enter(struct cgroup *self)
{
	EXPECT_EQ(0, group_write(self->group, "cgroup.procs", "0"));
}

/* The charge comes back late: the last reference goes in a worker. */
static void expect_uncharged(struct cgroup *self)
{
	uint64_t end = now_ms() + CHARGE_MS;

	while (group_read(self, "memory.current") > CHARGE_SLACK &&
	       now_ms() < end)
		usleep(NAP_US);
	EXPECT_TRUE(group_read(self, "memory.current") <= CHARGE_SLACK);
}

static void fill_and_leave(void *arg)
{
	struct cgroup *self = arg;
	int fd;

	enter(self);
	fd = arena_create(16 * SLOT, 0);
	ASSERT_EQ(0, arena_acquire(fd, 0, 16 * SLOT));
	EXPECT_TRUE(group_read(self, "memory.current") >= 16 * SLOT);
	/* Retired memory stays charged, released memory does not. */
	ASSERT_EQ(0, arena_retire(fd, 0, 16 * SLOT, NULL));
	EXPECT_TRUE(group_read(self, "memory.current") >= 16 * SLOT);
	ASSERT_EQ(0, arena_flush(fd, NULL));
	EXPECT_TRUE(group_read(self, "memory.current") < 8 * SLOT);
	ASSERT_EQ(0, arena_acquire(fd, 0, 16 * SLOT));
}

TEST_F(cgroup, charge_follows_the_memory)
{
	in_child(fill_and_leave, self, (uid_t)-1);
	expect_uncharged(self);
}

static void fill_and_die(void *arg)
{
	fill_and_leave(arg);
	if (!test_failed)
		raise(SIGKILL);
}

TEST_F(cgroup, charge_ends_with_a_kill)
{
	int status = in_child_status(fill_and_die, self, (uid_t)-1);

	EXPECT_TRUE(WIFSIGNALED(status));
	expect_uncharged(self);
}

/* 32 MiB: fewer slots than the tests ask for, and what a process needs. */
#define GROUP_MAX "33554432"
#define GROUP_MAX_SLOTS 16

static void meet_the_limit(void *arg)
{
	struct cgroup *self = arg;
	struct lull_arena_acquire call;
	int fd;

	enter(self);
	fd = arena_create(64 * SLOT, 0);
	expect_limited(fd, 32 * SLOT, ENOMEM, LULL_ARENA_CAUSE_MEMORY);
	EXPECT_TRUE(group_read(self, "memory.current") < 8 * SLOT);
	EXPECT_EQ(0,
		  acquire(fd, 0, 32 * SLOT, LULL_ARENA_ACQUIRE_PARTIAL, &call));
	EXPECT_TRUE(call.acquired_bytes >= 8 * SLOT);
	EXPECT_TRUE(call.acquired_bytes <= GROUP_MAX_SLOTS * SLOT);
	EXPECT_EQ(LULL_ARENA_CAUSE_MEMORY, call.cause);
	EXPECT_EQ(call.acquired_bytes, arena_query(fd).live_bytes);
}

TEST_F(cgroup, limit_stops_acquire_whole)
{
	char events[2 * PATH_BYTES], text[TEXT_BYTES];

	ASSERT_EQ(0, group_write(self->group, "memory.max", GROUP_MAX));
	in_child(meet_the_limit, self, (uid_t)-1);
	snprintf(events, sizeof(events), "%s/memory.events", self->group);
	EXPECT_EQ(0, file_read(events, text, sizeof(text)));
	EXPECT_TRUE(strstr(text, "oom_kill 0") != NULL);
	expect_uncharged(self);
}

static void make_room_from_retired(void *arg)
{
	struct cgroup *self = arg;
	int fd;

	enter(self);
	fd = arena_create(64 * SLOT, 0);
	ASSERT_EQ(0, arena_acquire(fd, 0, 10 * SLOT));
	ASSERT_EQ(0, arena_retire(fd, 0, 10 * SLOT, NULL));
	EXPECT_EQ(0, arena_acquire(fd, 32 * SLOT, 10 * SLOT));
	EXPECT_TRUE(arena_query(fd).retired_bytes <
		    (GROUP_MAX_SLOTS - 10) * SLOT + SLOT);
}

/* Under its limit an arena gives up its own retired memory first. */
TEST_F(cgroup, retired_memory_makes_room_under_the_limit)
{
	ASSERT_EQ(0, group_write(self->group, "memory.max", GROUP_MAX));
	in_child(make_room_from_retired, self, (uid_t)-1);
	expect_uncharged(self);
}

static void create_inside(void *arg)
{
	struct cgroup *self = arg;
	struct cgroup outside = *self;
	int fd;

	enter(self);
	fd = arena_create(16 * SLOT, 0);
	snprintf(outside.group, sizeof(outside.group), "%s", self->root);
	enter(&outside);
	ASSERT_EQ(0, arena_acquire(fd, 0, 16 * SLOT));
	EXPECT_TRUE(group_read(self, "memory.current") >= 16 * SLOT);
}

/* The creator pays, whoever acquires. */
TEST_F(cgroup, creator_is_charged)
{
	in_child(create_inside, self, (uid_t)-1);
	expect_uncharged(self);
}

/* --- NUMA --------------------------------------------------------------------- */

/* The node of each slot, by move_pages(2), which moves nothing here. */
static int node_of(void *p)
{
	int status = -1;

	if (syscall(SYS_move_pages, 0, 1ul, &p, NULL, &status, 0))
		return -errno;
	return status;
}

static int create_numa(uint32_t numa, uint32_t node, uint64_t bytes)
{
	struct lull_arena_create call = {
		.size = sizeof(call),
		.bytes = bytes,
		.numa = numa,
		.node = node,
	};
	int dev = device_open(), rc = arena_call(dev, LULL_ARENA_CREATE, &call);

	close(dev);
	return rc ? rc : (int)call.fd;
}

static bool two_nodes(void)
{
	char text[TEXT_BYTES];

	return !file_read("/sys/devices/system/node/has_memory", text,
			  sizeof(text)) &&
	       strpbrk(text, "-,") != NULL;
}

static void expect_nodes(uint32_t numa, uint32_t node, bool interleaved)
{
	/* LOCAL and INTERLEAVE take none. */
	bool named = numa == LULL_ARENA_NUMA_BIND ||
		     numa == LULL_ARENA_NUMA_PREFERRED;
	int fd = create_numa(numa, named ? node : 0, 8 * SLOT), found;
	unsigned char *map = arena_map(fd, 0, 8 * SLOT);
	unsigned int i;

	ASSERT_TRUE(map != NULL);
	EXPECT_EQ(numa, arena_query(fd).numa);
	ASSERT_EQ(0, arena_acquire(fd, 0, 8 * SLOT));
	for (i = 0; i < 8; i++) {
		EXPECT_EQ(0, touch_write(map + i * SLOT, i));
		found = node_of(map + i * SLOT);
		if (interleaved && i > 0)
			EXPECT_TRUE(found != node_of(map + (i - 1) * SLOT));
		else if (!interleaved)
			EXPECT_EQ(node, found);
	}
	munmap(map, 8 * SLOT);
	close(fd);
}

TEST(numa_bind_and_preferred)
{
	if (!two_nodes())
		SKIP("one NUMA node");
	expect_nodes(LULL_ARENA_NUMA_BIND, 0, false);
	expect_nodes(LULL_ARENA_NUMA_BIND, 1, false);
	expect_nodes(LULL_ARENA_NUMA_PREFERRED, 0, false);
	expect_nodes(LULL_ARENA_NUMA_PREFERRED, 1, false);
}

TEST(numa_interleave)
{
	if (!two_nodes())
		SKIP("one NUMA node");
	expect_nodes(LULL_ARENA_NUMA_INTERLEAVE, 0, true);
}

TEST(numa_local_is_the_callers_node)
{
	cpu_set_t all, one;
	unsigned int cpu, node;

	if (!two_nodes())
		SKIP("one NUMA node");
	sched_getaffinity(0, sizeof(all), &all);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			continue;
		getcpu(NULL, &node);
		expect_nodes(LULL_ARENA_NUMA_LOCAL, node, false);
	}
	sched_setaffinity(0, sizeof(all), &all);
}

TEST(numa_acquire_on_a_node)
{
	int fd = arena_create(8 * SLOT, 0);
	unsigned char *map = arena_map(fd, 0, 8 * SLOT);
	struct lull_arena_range range = { 0, SLOT };
	struct lull_arena_acquire call;
	uint32_t i;

	if (!two_nodes())
		SKIP("one NUMA node");
	for (i = 0; i < 8; i++) {
		call = (struct lull_arena_acquire){
			.flags = LULL_ARENA_ACQUIRE_NODE,
			.node = i % 2,
		};
		range.offset = i * SLOT;
		ASSERT_EQ(0, arena_acquire_ranges(fd, &call, &range, 1));
		EXPECT_EQ(0, touch_write(map + i * SLOT, i));
		EXPECT_EQ(i % 2, node_of(map + i * SLOT));
	}
	munmap(map, 8 * SLOT);
	close(fd);
}

static uint64_t vmstat(const char *name)
{
	FILE *f = fopen("/proc/vmstat", "r");
	unsigned long long value = 0;
	char word[PATH_BYTES];

	while (f && fscanf(f, "%255s %llu", word, &value) == 2)
		if (!strcmp(word, name))
			break;
	if (f)
		fclose(f);
	return value;
}

struct walkers {
	unsigned char *map;
	volatile bool stop;
};

static void walk_on(struct walkers *w, unsigned int cpu)
{
	cpu_set_t set;
	uint64_t at;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (!w->stop)
		for (at = 0; at < BALANCED_SLOTS * SLOT; at += SLOT)
			w->map[at]++;
}

static void *walk_first(void *arg)
{
	walk_on(arg, 0);
	return NULL;
}

static void *walk_last(void *arg)
{
	walk_on(arg, (unsigned int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	return NULL;
}

/*
 * How often balancing unmaps 2 MiB to see who touches them, while threads of
 * two nodes do: within FOR_MS, or until it has (then *ret_ms is less).
 */
static uint64_t balancing_cost(unsigned char *map, uint64_t for_ms,
			       uint64_t *ret_ms)
{
	uint64_t before = vmstat("numa_huge_pte_updates"), begin = now_ms();
	struct walkers w = { .map = map };
	pthread_t first, last;
	uint64_t cost = 0;

	if (pthread_create(&first, NULL, walk_first, &w))
		return 0;
	if (pthread_create(&last, NULL, walk_last, &w)) {
		w.stop = true;
		pthread_join(first, NULL);
		return 0;
	}
	while (!cost && now_ms() - begin < for_ms) {
		usleep(NAP_US);
		cost = vmstat("numa_huge_pte_updates") - before;
	}
	w.stop = true;
	pthread_join(first, NULL);
	pthread_join(last, NULL);
	*ret_ms = now_ms() - begin;
	return cost;
}

/* Pages that cannot move are not unmapped to find out where they should be. */
TEST(numa_balancing_leaves_arenas_alone)
{
	const uint64_t bytes = (BALANCED_SLOTS + 1) * SLOT;
	uint64_t cost, took_ms = 0;
	struct arena a;
	void *p;

	if (!getenv("LULL_SLOW"))
		SKIP("takes a minute or two: LULL_SLOW=1 runs it");
	if (!two_nodes())
		SKIP("one NUMA node");
	file_write(BALANCING "scan_delay_ms", "100");
	file_write(BALANCING "scan_period_min_ms", "100");
	file_write(BALANCING "scan_period_max_ms", "500");
	/* First other memory, which tells how long it takes to come by. */
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(p != MAP_FAILED);
	madvise(p, bytes, MADV_HUGEPAGE);
	cost = balancing_cost((void *)(((uintptr_t)p + SLOT - 1) / SLOT * SLOT),
			      BALANCE_MS, &took_ms);
	munmap(p, bytes);
	if (!cost)
		SKIP("balancing did not come by, not even for other memory");
	arena_open(&a, BALANCED_SLOTS, 0);
	ASSERT_TRUE(a.map != NULL);
	EXPECT_EQ(0, balancing_cost(a.map, took_ms + 1000, &took_ms));
	arena_close(&a);
}

KMOD_TEST_MAIN
