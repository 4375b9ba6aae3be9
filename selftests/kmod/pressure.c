// SPDX-License-Identifier: Apache-2.0
/*
 * pressure.c - memory runs out: what is retired goes first, what is live
 * stays, nobody is killed, and an ACQUIRE that cannot be done says what could
 *
 * The hog is a child that would be the first to be killed (oom_score_adj).
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "kmod/arena.h"

#define SEED 41
#define SLOTS 16
/* The arena of the hog's test: this part of memory, a GiB at most. */
#define ARENA_PART 2
#define ARENA_MAX ((uint64_t)1 << 30)
/* What must have come back before the hog stops, in percent. */
#define GIVEN_BACK 90
#define TEXT_BYTES 256
#define NODES_MAX 64
/* What others take of a node in the moment between two calls. */
#define OTHERS_BYTES ((uint64_t)32 << 20)
#define TRIES 8
#define DROP_CACHES "/proc/sys/vm/drop_caches"
#define TRACING "/sys/kernel/tracing/"
#define SHRUNK TRACING "events/vmscan/mm_shrink_slab_end/enable"
#define COMPACT_UNEVICTABLE "/proc/sys/vm/compact_unevictable_allowed"
/* Left to the machine when memory is cut to pieces, and of that, holed. */
#define FRAGMENT_FREE ((uint64_t)400 << 20)
#define FRAGMENT_RESERVE ((uint64_t)120 << 20)
#define FRAGMENT_SLOTS 120

struct hog {
	int fd;
	uint64_t arena_bytes;
	uint64_t most_bytes;
};

static void be_the_first_to_go(void)
{
	EXPECT_EQ(0, file_write("/proc/self/oom_score_adj", "1000"));
}

/* Takes memory until GIVEN_BACK percent of what was retired is gone. */
static void eat(void *arg)
{
	struct hog *h = arg;
	uint64_t used;
	unsigned char *p;

	be_the_first_to_go();
	p = mmap(NULL, h->most_bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT_TRUE(p != MAP_FAILED);
	madvise(p, h->most_bytes, MADV_HUGEPAGE);
	for (used = 0; used < h->most_bytes; used += PAGE) {
		p[used] = 1;
		if (used % SLOT == 0 &&
		    arena_query(h->fd).retired_bytes <=
			    h->arena_bytes / 100 * (100 - GIVEN_BACK))
			return;
	}
	TEST_FAIL_("ate %" PRIu64 " MiB and %" PRIu64 " MiB are retired still",
		   used >> 20,
		   (uint64_t)arena_query(h->fd).retired_bytes >> 20);
}

/* Every slot that REVIVE calls kept has its data, every fresh one is zero. */
static void expect_truth(struct arena *a)
{
	uint32_t nr = (uint32_t)(a->bytes / SLOT), i;
	struct lull_arena_range *ranges = calloc(nr, sizeof(*ranges));
	uint64_t *fresh = calloc(nr, sizeof(*fresh)), kept_slots = 0;
	struct lull_arena_revive call = {
		.size = sizeof(call),
		.ranges = (uintptr_t)ranges,
		.nr_ranges = nr,
		.results = (uintptr_t)fresh,
	};
	uint64_t word;

	ASSERT_TRUE(ranges && fresh);
	for (i = 0; i < nr; i++)
		ranges[i] = (struct lull_arena_range){ i * SLOT, SLOT };
	EXPECT_EQ(0, arena_call(a->fd, LULL_ARENA_REVIVE, &call));
	EXPECT_EQ(a->bytes, call.kept_bytes + call.fresh_bytes);
	for (i = 0; i < nr; i++) {
		/*
		 * What is fresh is memory that others had: the allocator left
		 * page->index as it was, and 6.12 maps by 4 KiB for that.
		 * The second page would show it.
		 */
		EXPECT_EQ(0, touch_read(a->map + i * SLOT + PAGE, NULL));
		EXPECT_EQ(0, touch_read(a->map + i * SLOT, &word));
		kept_slots += !fresh[i];
		EXPECT_EQ(fresh[i] ? 0 : i + 1, word);
	}
	EXPECT_EQ(call.kept_bytes, kept_slots * SLOT);
	EXPECT_EQ(0, arena_query(a->fd).pte_fallbacks);
	EXPECT_EQ(a->bytes, smaps_bytes(a->map, "FilePmdMapped:"));
	free(ranges);
	free(fresh);
}

TEST(hog_gets_the_retired_memory)
{
	uint64_t total = meminfo_bytes("MemTotal:"), bytes;
	struct arena a, live;
	struct hog h;
	uint64_t i;

	bytes = total / ARENA_PART < ARENA_MAX ? total / ARENA_PART : ARENA_MAX;
	arena_open(&live, SLOTS, 0);
	arena_open(&a, (unsigned int)(bytes / SLOT), 0);
	ASSERT_TRUE(a.map && live.map);
	pattern_fill(live.map, live.bytes, SEED);
	for (i = 0; i < a.bytes / SLOT; i++)
		EXPECT_EQ(0, touch_write(a.map + i * SLOT, i + 1));
	ASSERT_EQ(0, arena_retire(a.fd, 0, a.bytes, NULL));
	h.fd = a.fd;
	h.arena_bytes = a.bytes;
	/* More than there is: that too little is taken shows by an OOM kill. */
	h.most_bytes = total;
	in_child(eat, &h, (uid_t)-1);
	EXPECT_TRUE(!kmsg_seen("Out of memory"));
	EXPECT_TRUE(!kmsg_seen("page allocation failure"));
	EXPECT_TRUE(arena_query(a.fd).retired_bytes <=
		    a.bytes / 100 * (100 - GIVEN_BACK));
	EXPECT_TRUE(pattern_holds(live.map, live.bytes, SEED));
	EXPECT_EQ(live.bytes, smaps_bytes(live.map, "FilePmdMapped:"));
	expect_truth(&a);
	arena_close(&a);
	arena_close(&live);
}

TEST(shrinker_takes_retired_and_leaves_live)
{
	unsigned int tries;
	struct arena a;

	arena_open(&a, SLOTS, 0);
	pattern_fill(a.map, a.bytes, SEED);
	ASSERT_EQ(0,
		  arena_retire(a.fd, SLOTS / 2 * SLOT, SLOTS / 2 * SLOT, NULL));
	/* The shrinker only tries locks: it may need another call. */
	for (tries = 0; tries < 5 && arena_query(a.fd).retired_bytes; tries++)
		ASSERT_EQ(0, file_write(DROP_CACHES, "2"));
	EXPECT_EQ(0, arena_query(a.fd).retired_bytes);
	EXPECT_EQ(SLOTS / 2 * SLOT, arena_query(a.fd).live_bytes);
	EXPECT_TRUE(pattern_holds(a.map, SLOTS / 2 * SLOT, SEED));
	EXPECT_EQ(SIGBUS, touch_read(a.map + SLOTS / 2 * SLOT, NULL));
	EXPECT_EQ(0, arena_flush(a.fd, NULL));
	arena_close(&a);
}

/* What the kernel's first call of our shrinker got, in pages; -1: no call. */
static long first_given(void)
{
	FILE *f = fopen(TRACING "trace", "r");
	const char *at, *const what = "last shrinker return val ";
	char line[LINE_BYTES];
	long given = -1;

	while (f && given < 0 && fgets(line, sizeof(line), f)) {
		at = strstr(line, "[lull_arena]") ? strstr(line, what) : NULL;
		if (at)
			given = strtol(at + strlen(what), NULL, 10);
	}
	if (f)
		fclose(f);
	return given;
}

/* Of few slots, too: not when all page cache has gone. */
TEST(first_sign_of_pressure_gets_half)
{
	struct arena a;
	long given;

	arena_open(&a, SLOTS, 0);
	ASSERT_EQ(0, arena_retire(a.fd, 0, a.bytes, NULL));
	ASSERT_EQ(0, file_write(SHRUNK, "1"));
	ASSERT_EQ(0, file_write(DROP_CACHES, "2"));
	EXPECT_EQ(0, file_write(SHRUNK, "0"));
	given = first_given();
	if (given < (long)(a.bytes / PAGE / 2))
		TEST_FAIL_("the first call got %ld of %" PRIu64 " pages", given,
			   a.bytes / PAGE);
	arena_close(&a);
}

TEST(shrinker_takes_the_reserve)
{
	uint64_t old = sysfs_read("reserve_bytes");
	unsigned int tries;

	ASSERT_EQ(0, sysfs_write("reserve_bytes", SLOTS * SLOT));
	for (tries = 0; tries < 100 && sysfs_read("reserved_bytes") == 0;
	     tries++)
		usleep(20000);
	EXPECT_TRUE(sysfs_read("reserved_bytes") > 0);
	EXPECT_EQ(0, sysfs_write("reserve_bytes", old));
}

/* The last node that has memory, and how much that is. */
static uint32_t last_node(uint64_t *ret_bytes)
{
	char path[TEXT_BYTES], line[TEXT_BYTES];
	uint32_t node = 0, i;
	FILE *f;

	*ret_bytes = 0;
	for (i = 0; i < NODES_MAX; i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/node/node%u/meminfo", i);
		f = fopen(path, "r");
		if (!f)
			continue;
		/* "Node 1 MemTotal:  2012345 kB" stands first. */
		if (fgets(line, sizeof(line), f) && strchr(line, ':') &&
		    strtoull(strchr(line, ':') + 1, NULL, 10)) {
			node = i;
			*ret_bytes = strtoull(strchr(line, ':') + 1, NULL, 10)
				     << 10;
		}
		fclose(f);
	}
	return node;
}

/*
 * What a call that failed said can be had.  The rest of the system may have
 * broken up a few blocks since; then the next number is asked for.
 */
static void expect_available(int fd, struct lull_arena_acquire *call)
{
	struct lull_arena_range all = { .length = call->available_bytes };
	uint64_t said = call->available_bytes;
	int err = 0, i;

	call->flags = LULL_ARENA_ACQUIRE_NODE;
	for (i = 0; i < TRIES && call->available_bytes; i++) {
		all.length = call->available_bytes;
		err = arena_acquire_ranges(fd, call, &all, 1);
		if (!err)
			break;
	}
	EXPECT_EQ(0, err);
	EXPECT_TRUE(said - all.length <= OTHERS_BYTES);
	if (said)
		EXPECT_EQ(all.length, call->acquired_bytes);
}

/* Too much for a node: all or nothing, and the number that fits. */
TEST(acquire_fails_whole)
{
	struct lull_arena_acquire call = { 0 };
	struct lull_arena_range all = { 0 };
	uint64_t total, before;
	int fd;

	call.node = last_node(&total);
	ASSERT_TRUE(total != 0);
	fd = arena_create(total / SLOT * SLOT + SLOT, 0);
	ASSERT_TRUE(fd >= 0);
	all.length = total / SLOT * SLOT + SLOT;
	call.flags = LULL_ARENA_ACQUIRE_NORETRY | LULL_ARENA_ACQUIRE_NODE;
	before = module_pages_bytes();
	EXPECT_EQ(-ENOMEM, arena_acquire_ranges(fd, &call, &all, 1));
	EXPECT_EQ(LULL_ARENA_CAUSE_MEMORY, call.cause);
	EXPECT_TRUE(call.available_bytes < total);
	EXPECT_EQ(0, call.available_bytes % SLOT);
	EXPECT_EQ(0, arena_query(fd).live_bytes);
	EXPECT_TRUE(!kmsg_seen("Out of memory"));
	EXPECT_EQ(before, module_pages_bytes());
	expect_available(fd, &call);
	close(fd);
}

/* Single pages, every other one free, none of which can be moved. */
static unsigned char *cut_to_pieces(uint64_t *ret_bytes)
{
	uint64_t bytes = meminfo_bytes("MemFree:"), i;
	unsigned char *p;

	bytes = bytes > FRAGMENT_RESERVE ? bytes - FRAGMENT_RESERVE : 0;
	bytes = bytes / (2 * PAGE) * (2 * PAGE);
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_NOHUGEPAGE);
	EXPECT_EQ(0, mlock(p, bytes));
	for (i = 0; i < bytes; i += 2 * PAGE) {
		munlock(p + i, PAGE);
		madvise(p + i, PAGE, MADV_DONTNEED);
	}
	*ret_bytes = bytes;
	return p;
}

static void acquire_among_pieces(void *arg)
{
	struct lull_arena_range most = { 0 };
	struct lull_arena_acquire call = { 0 };
	int filler = *(int *)arg, fd;
	struct lull_arena_query q;
	uint64_t bytes = 0;

	be_the_first_to_go();
	/* Most of memory by 2 MiB, which is quick; the rest in pieces. */
	most.length = meminfo_bytes("MemFree:");
	most.length = most.length > FRAGMENT_FREE
			      ? (most.length - FRAGMENT_FREE) / SLOT * SLOT
			      : SLOT;
	call.flags = LULL_ARENA_ACQUIRE_PARTIAL;
	ASSERT_EQ(0, arena_acquire_ranges(filler, &call, &most, 1));
	ASSERT_TRUE(cut_to_pieces(&bytes) != NULL);
	fd = arena_create(FRAGMENT_SLOTS * SLOT, 0);
	most.length = FRAGMENT_SLOTS * SLOT;
	call.flags = LULL_ARENA_ACQUIRE_NORETRY;
	EXPECT_EQ(-ENOMEM, arena_acquire_ranges(fd, &call, &most, 1));
	EXPECT_EQ(LULL_ARENA_CAUSE_MEMORY, call.cause);
	EXPECT_TRUE(call.available_bytes < most.length);
	EXPECT_EQ(0, arena_query(fd).live_bytes);
	call.flags |= LULL_ARENA_ACQUIRE_PARTIAL;
	if (!arena_acquire_ranges(fd, &call, &most, 1)) {
		EXPECT_TRUE(call.acquired_bytes > 0);
		EXPECT_EQ(LULL_ARENA_CAUSE_MEMORY, call.cause);
	}
	q = arena_query(fd);
	EXPECT_EQ(call.acquired_bytes, q.live_bytes);
	EXPECT_TRUE(q.live_bytes < most.length);
}

TEST(fragmented_memory_gives_what_it_has)
{
	int filler = arena_create(meminfo_bytes("MemTotal:") / SLOT * SLOT, 0);
	char old[16] = "1";

	ASSERT_TRUE(filler >= 0);
	ASSERT_EQ(0, file_write(DROP_CACHES, "3"));
	EXPECT_EQ(0, file_read(COMPACT_UNEVICTABLE, old, sizeof(old)));
	EXPECT_EQ(0, file_write(COMPACT_UNEVICTABLE, "0"));
	in_child(acquire_among_pieces, &filler, (uid_t)-1);
	EXPECT_EQ(0, file_write(COMPACT_UNEVICTABLE, old));
	EXPECT_TRUE(!kmsg_seen("Out of memory"));
	close(filler);
}

static void *interrupt_me(void *arg)
{
	usleep(50000);
	pthread_kill(*(pthread_t *)arg, SIGUSR1);
	return NULL;
}

static void on_usr1(int sig)
{
	(void)sig;
}

/* A signal ends a long ACQUIRE; it says how far it came, and undoes it. */
TEST(acquire_can_be_interrupted)
{
	uint64_t bytes = meminfo_bytes("MemFree:") / 2 / SLOT * SLOT;
	struct sigaction act = { .sa_handler = on_usr1 };
	struct lull_arena_range all = { 0, bytes };
	struct lull_arena_acquire call = { 0 };
	int fd = arena_create(bytes, 0), rc;
	pthread_t self = pthread_self(), other;

	sigaction(SIGUSR1, &act, NULL);
	ASSERT_EQ(0, pthread_create(&other, NULL, interrupt_me, &self));
	rc = arena_acquire_ranges(fd, &call, &all, 1);
	pthread_join(other, NULL);
	if (rc == 0) {
		close(fd);
		SKIP("was done before the signal came");
	}
	EXPECT_EQ(-EINTR, rc);
	EXPECT_EQ(LULL_ARENA_CAUSE_SIGNAL, call.cause);
	EXPECT_TRUE(call.acquired_bytes < bytes);
	EXPECT_EQ(0, arena_query(fd).live_bytes);
	EXPECT_EQ(0, arena_acquire(fd, 0, 4 * SLOT));
	close(fd);
}

KMOD_TEST_MAIN
