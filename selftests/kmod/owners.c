// SPDX-License-Identifier: Apache-2.0
/*
 * owners.c - no byte of one user's is ever seen by another
 *
 * Patterns are searched for through whole arenas, old and fresh, and through
 * physical memory (/proc/kcore) where a SECRET arena's pages have been.  Boot
 * with init_on_alloc=0: with Debian's default the kernel would clean up after
 * a module that forgot to.  CVE-2023-4272 was such a leak.
 */
#include <elf.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kmod/arena.h"

#define SLOTS 8
/* Enough that a freed page very likely comes back among them. */
#define MANY_SLOTS 32
#define SEED 31
#define OTHER_SEED 32
#define ALICE 1001
#define BOB 1002
#define SEGMENTS_MAX 64

FIXTURE(owned)
{
	struct arena a;
};

FIXTURE_SETUP(owned)
{
	arena_open(&self->a, SLOTS, 0);
	if (!test_failed)
		pattern_fill(self->a.map, self->a.bytes, SEED);
}

FIXTURE_TEARDOWN(owned)
{
	arena_close(&self->a);
}

/* Descriptors that a child uses after it became somebody else. */
struct task {
	int dev, fd, sock;
	uint64_t bytes, seed;
	uint32_t flags;
	bool stay; /* until killed */
};

/* CREATE on a device that root has opened: the creator is who calls. */
static int create_on(int dev, uint64_t bytes, uint32_t flags)
{
	struct lull_arena_create call = { .size = sizeof(call),
					  .flags = flags,
					  .bytes = bytes };
	int rc = arena_call(dev, LULL_ARENA_CREATE, &call);

	return rc ? rc : (int)call.fd;
}

static void cannot_map(void *arg)
{
	struct task *t = arg;

	EXPECT_TRUE(arena_map(t->fd, 0, SLOT) == NULL);
	EXPECT_EQ(EPERM, errno);
	EXPECT_TRUE(mmap(NULL, SLOT, PROT_READ, MAP_SHARED, t->fd, 0) ==
		    MAP_FAILED);
	EXPECT_EQ(EPERM, errno);
}

TEST_F(owned, another_user_cannot_map)
{
	struct task t = { .fd = self->a.fd };

	in_child(cannot_map, &t, ALICE);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
}

static void receive_and_fail_to_map(void *arg)
{
	struct task *t = arg;

	t->fd = fd_receive(t->sock);
	ASSERT_TRUE(t->fd >= 0);
	cannot_map(t);
}

/* By SCM_RIGHTS it is no different. */
TEST_F(owned, another_user_cannot_map_a_passed_fd)
{
	struct task t = { 0 };
	int pair[2];

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	t.sock = pair[1];
	ASSERT_EQ(0, fd_send(pair[0], self->a.fd));
	in_child(receive_and_fail_to_map, &t, ALICE);
	close(pair[0]);
	close(pair[1]);
}

static void map_passed_and_check(void *arg)
{
	struct task *t = arg;
	unsigned char *map;

	t->fd = fd_receive(t->sock);
	ASSERT_TRUE(t->fd >= 0);
	map = arena_map(t->fd, 0, t->bytes);
	ASSERT_TRUE(map != NULL);
	EXPECT_TRUE(pattern_holds(map, t->bytes, SEED));
	pattern_fill(map, t->bytes, OTHER_SEED);
}

/* The fd is the capability: for one's own user it is enough. */
TEST_F(owned, same_user_maps_a_passed_fd)
{
	struct task t = { .bytes = self->a.bytes };
	int pair[2];

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	t.sock = pair[1];
	ASSERT_EQ(0, fd_send(pair[0], self->a.fd));
	in_child(map_passed_and_check, &t, (uid_t)-1);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, OTHER_SEED));
	close(pair[0]);
	close(pair[1]);
}

static void map_and_see_nothing(void *arg)
{
	struct task *t = arg;
	unsigned char *map = arena_map(t->fd, 0, t->bytes);

	ASSERT_TRUE(map != NULL);
	EXPECT_EQ(SIGBUS, touch_read(map, NULL));
	ASSERT_EQ(0, arena_acquire(t->fd, 0, t->bytes));
	EXPECT_EQ(0, pattern_search(map, t->bytes, SEED));
	EXPECT_TRUE(all_zero(map, t->bytes));
	pattern_fill(map, t->bytes, OTHER_SEED);
}

TEST_F(owned, after_reset_another_user_sees_nothing)
{
	struct task t = { .fd = self->a.fd, .bytes = self->a.bytes };

	munmap(self->a.map, self->a.bytes);
	self->a.map = NULL;
	ASSERT_EQ(0, arena_reset(self->a.fd));
	in_child(map_and_see_nothing, &t, ALICE);
	/* Now it is Alice's: nobody else may have it, not even root. */
	in_child(cannot_map, &t, BOB);
	EXPECT_TRUE(arena_map(self->a.fd, 0, SLOT) == NULL);
	EXPECT_EQ(EPERM, errno);
}

static void map_reset_arena_if_allowed(void *arg)
{
	struct task *t = arg;
	unsigned char *map = arena_map(t->fd, 0, t->bytes);

	if (map && !arena_acquire(t->fd, 0, t->bytes))
		pattern_fill(map, t->bytes, OTHER_SEED);
}

/* A mapping made before RESET must not show what came after it. */
TEST_F(owned, old_mapping_does_not_see_the_new_user)
{
	struct task t = { .fd = self->a.fd, .bytes = self->a.bytes };
	uint64_t word = 0;
	unsigned int i;

	ASSERT_EQ(0, arena_reset(self->a.fd));
	in_child(map_reset_arena_if_allowed, &t, ALICE);
	for (i = 0; i < SLOTS; i++)
		if (!touch_read(self->a.map + i * SLOT, &word))
			EXPECT_EQ(0, pattern_search(&word, sizeof(word),
						    OTHER_SEED));
}

static void become_alice_and_map(void *arg)
{
	struct task *t = arg;
	unsigned char *map = arena_map(t->fd, 0, t->bytes);

	ASSERT_TRUE(map != NULL);
	ASSERT_EQ(0, setresuid(ALICE, ALICE, ALICE));
	cannot_map(t);
}

/* Who is asked is the caller of mmap, not the opener of the fd. */
TEST_F(owned, user_is_that_of_the_caller)
{
	struct task t = { .fd = self->a.fd, .bytes = self->a.bytes };

	in_child(become_alice_and_map, &t, (uid_t)-1);
}

static void map_shared(void *arg)
{
	struct task *t = arg;
	unsigned char *map = arena_map(t->fd, 0, t->bytes);

	ASSERT_TRUE(map != NULL);
	EXPECT_TRUE(pattern_holds(map, t->bytes, SEED));
}

TEST(shared_arena_is_for_every_holder)
{
	struct task t = { 0 };
	struct arena a;

	arena_open(&a, SLOTS, LULL_ARENA_CREATE_SHARED);
	pattern_fill(a.map, a.bytes, SEED);
	t.fd = a.fd;
	t.bytes = a.bytes;
	in_child(map_shared, &t, ALICE);
	in_child(map_shared, &t, BOB);
	arena_close(&a);
}

/* Writes SEED all over an arena of its own, then ends as it was told. */
static void fill_own_arena(void *arg)
{
	struct task *t = arg;
	int fd = create_on(t->dev, t->bytes, t->flags);
	unsigned char *map = arena_map(fd, 0, t->bytes);

	ASSERT_TRUE(map != NULL);
	ASSERT_EQ(0, arena_acquire(fd, 0, t->bytes));
	pattern_fill(map, t->bytes, t->seed);
	if (t->stay)
		raise(SIGKILL);
}

/*
 * What somebody left may come last of all that is free: where it is put is the
 * page allocator's to say.  So takes all, and looks at one word of each page;
 * every word of a pattern tells its seed.
 */
static void search_free_memory(const struct task *t)
{
	const uint64_t bytes = meminfo_bytes("MemFree:") / SLOT * SLOT;
	struct lull_arena_acquire call = {
		.flags = LULL_ARENA_ACQUIRE_PARTIAL | LULL_ARENA_ACQUIRE_NORETRY
	};
	struct lull_arena_range range = { 0, bytes };
	int fd = create_on(t->dev, bytes, t->flags);
	unsigned char *map = arena_map(fd, 0, bytes);
	uint64_t at, found = 0;

	ASSERT_TRUE(map != NULL);
	ASSERT_EQ(0, arena_acquire_ranges(fd, &call, &range, 1));
	for (at = 0; at < call.acquired_bytes; at += PAGE)
		found += pattern_search(map + at, sizeof(uint64_t), t->seed);
	EXPECT_EQ(0, found);
	EXPECT_TRUE(call.acquired_bytes > bytes / 2);
	munmap(map, bytes);
	close(fd);
}

static void search_fresh_arena(void *arg)
{
	struct task *t = arg;
	int fd = create_on(t->dev, t->bytes, t->flags);
	unsigned char *map = arena_map(fd, 0, t->bytes);

	ASSERT_TRUE(map != NULL);
	ASSERT_EQ(0, arena_acquire(fd, 0, t->bytes));
	EXPECT_EQ(0, pattern_search(map, t->bytes, t->seed));
	EXPECT_TRUE(all_zero(map, t->bytes));
	search_free_memory(t);
}

static void leave_and_search(uint32_t flags, bool killed)
{
	struct task t = { .dev = device_open(),
			  .bytes = MANY_SLOTS * SLOT,
			  .seed = SEED,
			  .flags = flags,
			  .stay = killed };
	struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	int status;

	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &none));
	status = in_child_status(fill_own_arena, &t, ALICE);
	EXPECT_EQ(killed, WIFSIGNALED(status));
	in_child(search_fresh_arena, &t, BOB);
	close(t.dev);
}

TEST(fresh_arena_shows_nothing_of_an_ended_process)
{
	leave_and_search(0, false);
}

TEST(fresh_arena_shows_nothing_of_a_killed_process)
{
	leave_and_search(0, true);
}

TEST(fresh_arena_shows_nothing_with_a_reserve)
{
	uint64_t reserve = sysfs_read("reserve_bytes");

	ASSERT_EQ(0, sysfs_write("reserve_bytes", MANY_SLOTS / 2 * SLOT));
	leave_and_search(0, false);
	leave_and_search(LULL_ARENA_CREATE_SECRET, true);
	EXPECT_EQ(0, sysfs_write("reserve_bytes", reserve));
}

/* Released and acquired again within one arena: zeroed on the way in. */
TEST_F(owned, released_memory_comes_back_zeroed)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
		ASSERT_EQ(0, arena_flush(self->a.fd, NULL));
		ASSERT_EQ(0, arena_acquire(self->a.fd, 0, self->a.bytes));
		EXPECT_TRUE(all_zero(self->a.map, self->a.bytes));
		pattern_fill(self->a.map, self->a.bytes, SEED);
	}
}

/* Reads physical memory through the kernel's own mapping of it. */
static bool read_physical(uint64_t frame, void *ret, uint64_t bytes)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	uint64_t at = frame * PAGE;
	Elf64_Phdr segments[SEGMENTS_MAX];
	Elf64_Ehdr head;
	bool done = false;
	unsigned int i;

	if (fd < 0)
		return false;
	if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
		head.e_phnum = 0;
	if (head.e_phnum > SEGMENTS_MAX)
		head.e_phnum = SEGMENTS_MAX;
	if (pread(fd, segments, head.e_phnum * sizeof(*segments),
		  (off_t)head.e_phoff) < 0)
		head.e_phnum = 0;
	for (i = 0; i < head.e_phnum && !done; i++) {
		/* Those without a physical address are vmalloc's and such. */
		if (segments[i].p_type != PT_LOAD || !segments[i].p_paddr ||
		    at < segments[i].p_paddr ||
		    at + bytes > segments[i].p_paddr + segments[i].p_memsz)
			continue;
		at = segments[i].p_offset + (at - segments[i].p_paddr);
		done = pread(fd, ret, bytes, (off_t)at) == (ssize_t)bytes;
	}
	close(fd);
	return done;
}

enum way_out { BY_BATCH, BY_RESET, BY_CLOSE };

/* How many words of the pattern physical memory still has afterwards. */
static bool left_behind(uint32_t flags, enum way_out way, uint64_t *ret_words)
{
	uint64_t frame[SLOTS], words = 0;
	unsigned char *copy = malloc(SLOT);
	struct arena a;
	unsigned int i;
	bool can = copy;

	arena_open(&a, SLOTS, flags);
	if (!a.map)
		return false;
	pattern_fill(a.map, a.bytes, SEED);
	for (i = 0; i < SLOTS; i++)
		frame[i] = page_frame(a.map + i * SLOT);
	can = can && frame[0] && read_physical(frame[0], copy, SLOT) &&
	      pattern_search(copy, SLOT, SEED) == SLOT / sizeof(uint64_t);
	if (way == BY_BATCH) {
		EXPECT_EQ(0, arena_release(a.fd, 0, a.bytes, NULL));
		EXPECT_EQ(0, arena_flush(a.fd, NULL));
	} else if (way == BY_RESET) {
		EXPECT_EQ(0, arena_reset(a.fd));
	}
	if (way == BY_CLOSE)
		arena_close(&a);
	for (i = 0; can && i < SLOTS; i++) {
		can = read_physical(frame[i], copy, SLOT);
		words += pattern_search(copy, SLOT, SEED);
	}
	arena_close(&a);
	free(copy);
	*ret_words = words;
	return can;
}

static void expect_nothing_left(uint32_t flags, enum way_out way)
{
	uint64_t words = 0, control = 0;

	/* Without the protection the pattern must be seen to stay. */
	if (!left_behind(0, BY_BATCH, &control) || !control)
		SKIP("freed memory cannot be looked at on this kernel");
	ASSERT_TRUE(left_behind(flags, way, &words));
	EXPECT_EQ(0, words);
}

TEST(secret_is_zeroed_on_the_way_out_of_a_batch)
{
	expect_nothing_left(LULL_ARENA_CREATE_SECRET, BY_BATCH);
}

TEST(secret_is_zeroed_on_close)
{
	expect_nothing_left(LULL_ARENA_CREATE_SECRET, BY_CLOSE);
}

TEST(reset_zeroes_on_the_way_out)
{
	expect_nothing_left(0, BY_RESET);
}

TEST(zeroing_is_counted)
{
	struct lull_arena_query q;
	struct arena a;

	arena_open(&a, SLOTS, LULL_ARENA_CREATE_SECRET);
	EXPECT_EQ(a.bytes, arena_query(a.fd).zeroed_bytes);
	EXPECT_EQ(0, arena_release(a.fd, 0, a.bytes, NULL));
	EXPECT_EQ(0, arena_flush(a.fd, NULL));
	q = arena_query(a.fd);
	EXPECT_EQ(2 * a.bytes, q.zeroed_bytes);
	EXPECT_EQ(a.bytes, q.acquired_bytes);
	arena_close(&a);
}

TEST(device_is_not_for_everybody)
{
	struct stat st;

	ASSERT_EQ(0, stat(DEVICE, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0, st.st_mode & S_IRWXO);
}

KMOD_TEST_MAIN
