// SPDX-License-Identifier: Apache-2.0
/*
 * map.c - mappings of an arena: 2 MiB each, what is refused, and that no cut,
 * move, fork or change of protection ever shows what it should not
 *
 * Names with a CVE say which mistake of others the test would find.
 */
#include <setjmp.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kmod/arena.h"

#define SLOTS 8
#define SEED 7
/* The numbers of a 32-bit process (arch/x86/entry/syscalls/syscall_32.tbl). */
#define IA32_MMAP2 192
#define IA32_IOCTL 54
#ifndef MADV_COLLAPSE /* in Linux since 6.1, in glibc later */
#define MADV_COLLAPSE 25
#endif
#define LOW_ADDRESS ((uintptr_t)1 << 30)

FIXTURE(mapped)
{
	struct arena a;
};

FIXTURE_SETUP(mapped)
{
	arena_open(&self->a, SLOTS, 0);
	if (!test_failed)
		pattern_fill(self->a.map, self->a.bytes, SEED);
}

FIXTURE_TEARDOWN(mapped)
{
	arena_close(&self->a);
}

static void touch_all(unsigned char *map, unsigned int nr_slots)
{
	unsigned int i;

	for (i = 0; i < nr_slots; i++)
		EXPECT_EQ(0, touch_write(map + i * SLOT, i));
}

/* Whole PMDs, or the arena is worse than malloc: the i_size rule of 6.12. */
TEST(mapping_is_by_pmd)
{
	struct lull_arena_query q;
	unsigned long before;
	struct arena a;

	arena_open(&a, SLOTS, 0);
	before = minor_faults();
	touch_all(a.map, SLOTS);
	/* One each, and at most a few of our own code and stack. */
	EXPECT_TRUE(minor_faults() - before >= SLOTS);
	EXPECT_TRUE(minor_faults() - before <= SLOTS + 4);
	EXPECT_EQ(SLOTS * SLOT, smaps_bytes(a.map, "FilePmdMapped:"));
	EXPECT_EQ(SLOTS * SLOT, smaps_bytes(a.map, "Rss:"));
	q = arena_query(a.fd);
	EXPECT_EQ(SLOTS, q.faults);
	EXPECT_EQ(0, q.pte_fallbacks);
	arena_close(&a);
}

/* Plain memory, not PFNs: or it could not be pinned, nor freed by reference. */
TEST_F(mapped, flags_are_those_of_plain_memory)
{
	const char *const has[] = { " sh ", " dc ", " de ", " dd " };
	const char *const has_not[] = { " io ", " pf ", " mm ", " me " };
	char line[LINE_BYTES];
	size_t i;

	ASSERT_TRUE(smaps_line(self->a.map, "VmFlags:", line));
	for (i = 0; i < sizeof(has) / sizeof(*has); i++)
		if (!strstr(line, has[i]))
			TEST_FAIL_("no%sin%s", has[i], line);
	for (i = 0; i < sizeof(has_not) / sizeof(*has_not); i++)
		if (strstr(line, has_not[i]))
			TEST_FAIL_("%sin%s", has_not[i], line);
}

/* The last slot too: a page must end within i_size, not at its end. */
TEST(one_slot_arena_is_by_pmd)
{
	struct arena a;

	arena_open(&a, 1, 0);
	touch_all(a.map, 1);
	EXPECT_EQ(SLOT, smaps_bytes(a.map, "FilePmdMapped:"));
	arena_close(&a);
}

TEST(every_page_of_a_slot_is_its_own)
{
	uint64_t first, i;
	struct arena a;

	arena_open(&a, 2, 0);
	EXPECT_TRUE(all_zero(a.map, a.bytes));
	pattern_fill(a.map, a.bytes, SEED);
	EXPECT_TRUE(pattern_holds(a.map, a.bytes, SEED));
	first = page_frame(a.map);
	EXPECT_EQ(0, first % (SLOT / PAGE));
	for (i = 0; i < SLOT / PAGE; i += 37)
		EXPECT_EQ(first + i, page_frame(a.map + i * PAGE));
	arena_close(&a);
}

TEST(address_is_aligned_by_itself)
{
	unsigned char *map[4];
	int fd = arena_create(4 * SLOT, 0);
	size_t i;

	ASSERT_TRUE(fd >= 0);
	for (i = 0; i < 4; i++) {
		map[i] = arena_map(fd, i * SLOT, (4 - i) * SLOT);
		ASSERT_TRUE(map[i] != NULL);
		EXPECT_EQ(0, (uintptr_t)map[i] % SLOT);
		/* Shift the next free address by one page. */
		EXPECT_TRUE(mmap(NULL, PAGE, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1,
				 0) != MAP_FAILED);
	}
	for (i = 0; i < 4; i++)
		munmap(map[i], (4 - i) * SLOT);
	close(fd);
}

TEST_F(mapped, two_mappings_show_the_same)
{
	unsigned char *other = arena_map(self->a.fd, 2 * SLOT, 2 * SLOT);

	ASSERT_TRUE(other != NULL);
	EXPECT_MEMEQ(self->a.map + 2 * SLOT, other, 2 * SLOT);
	other[5] = 99;
	EXPECT_EQ(99, self->a.map[2 * SLOT + 5]);
	EXPECT_EQ(2 * SLOT, smaps_bytes(other, "FilePmdMapped:"));
	munmap(other, 2 * SLOT);
}

TEST_F(mapped, populate_needs_no_touch)
{
	unsigned char *other = mmap(NULL, 4 * SLOT, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_POPULATE, self->a.fd, 0);
	unsigned long before;

	ASSERT_TRUE(other != MAP_FAILED);
	EXPECT_EQ(4 * SLOT, smaps_bytes(other, "FilePmdMapped:"));
	before = arena_query(self->a.fd).faults;
	EXPECT_TRUE(pattern_holds(other, 4 * SLOT, SEED));
	EXPECT_EQ(before, arena_query(self->a.fd).faults);
	munmap(other, 4 * SLOT);
}

static void map_refused(const char *why, int fd, void *at, uint64_t length,
			int prot, int flags, uint64_t offset, int want)
{
	/* Past glibc, which would look at the offset itself. */
	long p = syscall(SYS_mmap, at, length, prot, flags, fd, offset);

	if (p != -1) {
		TEST_FAIL_("mmap, %s: accepted", why);
		munmap((void *)p, length);
	} else if (want && errno != want) {
		TEST_FAIL_("mmap, %s: expected %s, found %s", why,
			   strerror(want), strerror(errno));
	}
}

TEST_F(mapped, bad_mappings_refused)
{
	const int rw = PROT_READ | PROT_WRITE, fd = self->a.fd;
	/* A place that is free, and its middle that is not aligned. */
	unsigned char *hole = mmap(NULL, 6 * SLOT, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *even;

	ASSERT_TRUE(hole != MAP_FAILED);
	munmap(hole, 6 * SLOT);
	even = (void *)(((uintptr_t)hole + SLOT - 1) / SLOT * SLOT);
	map_refused("private", fd, NULL, SLOT, rw, MAP_PRIVATE, 0, EINVAL);
	map_refused("private, read-only", fd, NULL, SLOT, PROT_READ,
		    MAP_PRIVATE, 0, EINVAL);
	map_refused("executable", fd, NULL, SLOT, rw | PROT_EXEC, MAP_SHARED, 0,
		    EINVAL);
	map_refused("length of a page", fd, NULL, PAGE, rw, MAP_SHARED, 0,
		    EINVAL);
	map_refused("length not even", fd, NULL, SLOT + PAGE, rw, MAP_SHARED, 0,
		    EINVAL);
	map_refused("offset not even", fd, NULL, SLOT, rw, MAP_SHARED, PAGE,
		    EINVAL);
	map_refused("address not even", fd, even + PAGE, SLOT, rw,
		    MAP_SHARED | MAP_FIXED_NOREPLACE, 0, EINVAL);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
}

/* CVE-2018-8781: offset + length overflowed.  CVE-2023-2008: no bound at all. */
TEST_F(mapped, beyond_the_end_refused)
{
	const int rw = PROT_READ | PROT_WRITE, fd = self->a.fd;
	const uint64_t bytes = self->a.bytes;

	map_refused("at the end", fd, NULL, SLOT, rw, MAP_SHARED, bytes,
		    EINVAL);
	map_refused("over the end", fd, NULL, 2 * SLOT, rw, MAP_SHARED,
		    bytes - SLOT, EINVAL);
	map_refused("one more", fd, NULL, bytes + SLOT, rw, MAP_SHARED, 0,
		    EINVAL);
	/* The core refuses some of these before we do, with EOVERFLOW. */
	map_refused("wraps", fd, NULL, 2 * SLOT, rw, MAP_SHARED, -SLOT, 0);
	map_refused("wraps to inside", fd, NULL, 4 * SLOT, rw, MAP_SHARED,
		    -2 * SLOT, 0);
	map_refused("far", fd, NULL, SLOT, rw, MAP_SHARED, (uint64_t)1 << 62,
		    0);
	map_refused("negative", fd, NULL, SLOT, rw, MAP_SHARED,
		    (uint64_t)1 << 63, 0);
}

/* remap_file_pages(2) maps anew, at an offset in pages of the caller's. */
TEST_F(mapped, remap_file_pages_stays_inside)
{
	const unsigned long at[] = { SLOTS * SLOT / PAGE,
				     (SLOTS * SLOT - PAGE) / PAGE, 1,
				     ~0ul >> 12, ~0ul };
	uint64_t first = 0, word;
	unsigned char *p;
	size_t i;

	EXPECT_EQ(0, touch_read(self->a.map, &first));
	for (i = 0; i < sizeof(at) / sizeof(*at); i++) {
		p = arena_map(self->a.fd, 0, SLOT);
		ASSERT_TRUE(p != NULL);
		if (!syscall(SYS_remap_file_pages, p, SLOT, 0, at[i], 0))
			TEST_FAIL_("remap_file_pages to page %lu accepted",
				   at[i]);
		/* It may have unmapped the old piece; never shown another. */
		if (!touch_read(p, &word))
			EXPECT_EQ(first, word);
		munmap(p, SLOT);
	}
}

TEST_F(mapped, write_exec_stays_refused)
{
	EXPECT_EQ(-1, mprotect(self->a.map, SLOT, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
}

/* CVE-2020-12888: every fault asks for the slot's state again. */
TEST(empty_slots_raise_sigbus)
{
	int fd = arena_create(4 * SLOT, 0);
	unsigned char *map = arena_map(fd, 0, 4 * SLOT);

	ASSERT_TRUE(map != NULL);
	EXPECT_EQ(SIGBUS, touch_read(map, NULL));
	EXPECT_EQ(SIGBUS, touch_write(map + 3 * SLOT, 1));
	EXPECT_EQ(0, arena_acquire(fd, SLOT, SLOT));
	EXPECT_EQ(0, touch_write(map + SLOT, 1));
	EXPECT_EQ(SIGBUS, touch_read(map + 2 * SLOT - PAGE + SLOT, NULL));
	EXPECT_EQ(0, arena_release(fd, SLOT, SLOT, NULL));
	EXPECT_EQ(0, arena_flush(fd, NULL));
	EXPECT_EQ(SIGBUS, touch_read(map + SLOT, NULL));
	EXPECT_EQ(0, smaps_bytes(map, "Rss:"));
	munmap(map, 4 * SLOT);
	close(fd);
}

/* CVE-2024-0582: the pages outlive the descriptor as long as a mapping does. */
TEST_F(mapped, mapping_outlives_the_fd)
{
	struct arena other;

	close(self->a.fd);
	self->a.fd = -1;
	arena_open(&other, SLOTS, 0);
	pattern_fill(other.map, other.bytes, SEED + 1);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
	arena_close(&other);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
}

TEST_F(mapped, partial_munmap_at_slot_borders)
{
	unsigned char *map = self->a.map;

	ASSERT_EQ(0, munmap(map + 2 * SLOT, 2 * SLOT));
	EXPECT_EQ(SIGSEGV, touch_read(map + 2 * SLOT, NULL));
	EXPECT_EQ(0, touch_read(map + SLOT, NULL));
	EXPECT_EQ(0, touch_read(map + 4 * SLOT, NULL));
	EXPECT_EQ(2 * SLOT, smaps_bytes(map, "FilePmdMapped:"));
	EXPECT_EQ(4 * SLOT, smaps_bytes(map + 4 * SLOT, "FilePmdMapped:"));
	/* The slots stay LIVE, with their data, and a batch finds them all. */
	EXPECT_EQ(SLOTS * SLOT, arena_query(self->a.fd).live_bytes);
	ASSERT_TRUE(mmap(map + 2 * SLOT, 2 * SLOT, PROT_READ,
			 MAP_SHARED | MAP_FIXED_NOREPLACE, self->a.fd,
			 2 * SLOT) == map + 2 * SLOT);
	EXPECT_TRUE(pattern_holds(map, self->a.bytes, SEED));
	EXPECT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	EXPECT_EQ(SIGBUS, touch_read(map, NULL));
	EXPECT_EQ(SIGBUS, touch_read(map + 2 * SLOT, NULL));
	EXPECT_EQ(SIGBUS, touch_read(map + 7 * SLOT, NULL));
}

TEST_F(mapped, cuts_off_slot_borders_refused)
{
	unsigned char *map = self->a.map;

	ASSERT_EQ(-1, munmap(map + PAGE, PAGE));
	ASSERT_EQ(-1, munmap(map, SLOT + PAGE));
	ASSERT_EQ(-1, munmap(map + SLOT / 2, SLOT));
	EXPECT_EQ(-1, mprotect(map, PAGE, PROT_READ));
	EXPECT_EQ(-1, mprotect(map + SLOT - PAGE, 2 * PAGE, PROT_READ));
	EXPECT_EQ(-1, madvise(map + PAGE, PAGE, MADV_DOFORK));
	EXPECT_EQ(self->a.bytes, smaps_bytes(map, "FilePmdMapped:"));
	EXPECT_EQ(0, arena_query(self->a.fd).pte_fallbacks);
	EXPECT_TRUE(pattern_holds(map, self->a.bytes, SEED));
}

/* MADV_DONTNEED needs no cut: 4 KiB of it may split a PMD, never show worse. */
TEST_F(mapped, dontneed_of_a_page_keeps_the_data)
{
	unsigned char *map = self->a.map;
	uint64_t word = 0;

	if (!madvise(map + PAGE, PAGE, MADV_DONTNEED)) {
		/* A strict arena may answer SIGBUS; what it shows is right. */
		if (!touch_read(map + PAGE, &word))
			EXPECT_TRUE(pattern_holds(map, SLOT, SEED));
	}
	ASSERT_EQ(0, madvise(map, SLOT, MADV_DONTNEED));
	EXPECT_EQ(0, touch_read(map + PAGE, &word));
	EXPECT_TRUE(pattern_holds(map, self->a.bytes, SEED));
	EXPECT_EQ(0, arena_release(self->a.fd, 0, SLOT, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	EXPECT_EQ(SIGBUS, touch_read(map + PAGE, NULL));
}

TEST_F(mapped, mprotect_at_slot_borders)
{
	unsigned char *map = self->a.map;

	ASSERT_EQ(0, mprotect(map + SLOT, SLOT, PROT_READ));
	EXPECT_EQ(0, touch_read(map + SLOT, NULL));
	EXPECT_EQ(SIGSEGV, touch_write(map + SLOT, 1));
	EXPECT_EQ(0, arena_release(self->a.fd, SLOT, SLOT, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	EXPECT_EQ(SIGBUS, touch_read(map + SLOT, NULL));
	EXPECT_EQ(0, arena_acquire(self->a.fd, SLOT, SLOT));
	EXPECT_EQ(SIGSEGV, touch_write(map + SLOT, 1));
	ASSERT_EQ(0, mprotect(map, self->a.bytes, PROT_READ | PROT_WRITE));
	EXPECT_TRUE(all_zero(map + SLOT, SLOT));
	EXPECT_EQ(0, touch_write(map + SLOT, 1));
	EXPECT_TRUE(pattern_holds(map, SLOT, SEED));
	EXPECT_EQ(0, arena_query(self->a.fd).pte_fallbacks);
}

/* CVE-2018-18281: what mremap moved was seen through the old address. */
TEST_F(mapped, mremap_refused)
{
	unsigned char *map = self->a.map;
	unsigned char *hole = mmap(NULL, 4 * SLOT, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *to = (void *)(((uintptr_t)hole + SLOT) / SLOT * SLOT);

	ASSERT_TRUE(hole != MAP_FAILED);
	/* The only one that our refusal alone stands against. */
	ASSERT_TRUE(mremap(map, SLOT, SLOT, MREMAP_MAYMOVE | MREMAP_FIXED,
			   to) == MAP_FAILED);
	EXPECT_TRUE(mremap(map, SLOT, 2 * SLOT, MREMAP_MAYMOVE) == MAP_FAILED);
	EXPECT_TRUE(mremap(map, self->a.bytes, self->a.bytes + SLOT, 0) ==
		    MAP_FAILED);
	EXPECT_TRUE(mremap(map, 0, SLOT, MREMAP_MAYMOVE) == MAP_FAILED);
	EXPECT_TRUE(mremap(map, SLOT, SLOT,
			   MREMAP_MAYMOVE | MREMAP_DONTUNMAP) == MAP_FAILED);
	/* Refused is not enough: nothing may have been left moved. */
	EXPECT_EQ(0, touch_read(map, NULL));
	EXPECT_TRUE(pattern_holds(map, self->a.bytes, SEED));
	EXPECT_EQ(self->a.bytes, smaps_bytes(map, "Size:"));
	EXPECT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	EXPECT_EQ(SIGBUS, touch_read(map, NULL));
	munmap(hole, 4 * SLOT);
}

static void child_sees_no_mapping(void *arg)
{
	struct arena *a = arg;

	EXPECT_EQ(SIGSEGV, touch_read(a->map, NULL));
	EXPECT_EQ(SIGSEGV, touch_read(a->map + 5 * SLOT, NULL));
}

TEST_F(mapped, fork_copies_no_mapping)
{
	in_child(child_sees_no_mapping, &self->a, (uid_t)-1);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
	EXPECT_EQ(self->a.bytes, smaps_bytes(self->a.map, "FilePmdMapped:"));
}

static void child_gets_sigbus(void *arg)
{
	struct arena *a = arg;

	EXPECT_EQ(SIGBUS, touch_read(a->map, NULL));
	EXPECT_EQ(SIGBUS, touch_write(a->map + 5 * SLOT, 1));
	EXPECT_EQ(0, smaps_bytes(a->map, "Rss:"));
}

TEST_F(mapped, dofork_child_gets_sigbus)
{
	struct arena *a = &self->a;

	if (madvise(a->map, a->bytes, MADV_DOFORK))
		return; /* refused outright: as good */
	in_child(child_gets_sigbus, a, (uid_t)-1);
	EXPECT_TRUE(pattern_holds(a->map, a->bytes, SEED));
	EXPECT_EQ(0, arena_release(a->fd, 0, SLOT, NULL));
	EXPECT_EQ(0, arena_flush(a->fd, NULL));
	EXPECT_EQ(SIGBUS, touch_read(a->map, NULL));
}

static void child_shares(void *arg)
{
	struct arena *a = arg;

	EXPECT_TRUE(pattern_holds(a->map, a->bytes, SEED));
	EXPECT_EQ(0, touch_write(a->map, 4321));
	EXPECT_EQ(a->bytes, smaps_bytes(a->map, "FilePmdMapped:"));
}

TEST(dofork_child_of_a_shared_arena_shares)
{
	struct arena a;
	uint64_t word = 0;

	arena_open(&a, SLOTS, LULL_ARENA_CREATE_SHARED);
	pattern_fill(a.map, a.bytes, SEED);
	ASSERT_EQ(0, madvise(a.map, a.bytes, MADV_DOFORK));
	in_child(child_shares, &a, (uid_t)-1);
	EXPECT_EQ(0, touch_read(a.map, &word));
	EXPECT_EQ(4321, word);
	arena_close(&a);
}

/* The child's own mapping, made with the fd it inherited, works. */
static void child_maps_anew(void *arg)
{
	struct arena *a = arg;
	unsigned char *map = arena_map(a->fd, 0, a->bytes);

	ASSERT_TRUE(map != NULL);
	EXPECT_TRUE(pattern_holds(map, a->bytes, SEED));
	EXPECT_EQ(0, arena_release(a->fd, SLOT, SLOT, NULL));
	EXPECT_EQ(0, arena_flush(a->fd, NULL));
	EXPECT_EQ(SIGBUS, touch_read(map + SLOT, NULL));
}

TEST_F(mapped, release_in_one_process_unmaps_the_other)
{
	in_child(child_maps_anew, &self->a, (uid_t)-1);
	EXPECT_EQ(SIGBUS, touch_read(self->a.map + SLOT, NULL));
	EXPECT_TRUE(pattern_holds(self->a.map, SLOT, SEED));
}

TEST_F(mapped, other_advice_does_no_harm)
{
	const int advice[] = { MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_MERGEABLE,
			       MADV_FREE,     MADV_COLD,       MADV_PAGEOUT,
			       MADV_DODUMP,   MADV_WIPEONFORK, MADV_COLLAPSE,
			       MADV_REMOVE };
	struct arena *a = &self->a;
	size_t i;

	for (i = 0; i < sizeof(advice) / sizeof(*advice); i++)
		madvise(a->map + 2 * SLOT, SLOT, advice[i]);
	/* MADV_REMOVE is a hole punched: that slot alone may be gone. */
	EXPECT_TRUE(pattern_holds(a->map, 2 * SLOT, SEED));
	EXPECT_EQ(0, touch_read(a->map + 3 * SLOT, NULL));
	EXPECT_EQ(0, arena_query(a->fd).busy_bytes);
}

static long ia32_call(long nr, long a, long b, long c, long d, long e, long f)
{
	long rc;

	/* The sixth argument travels in ebp, which the compiler may hold. */
	asm volatile("push %%rbp\n\tmov %[f], %%rbp\n\t"
		     "int $0x80\n\tpop %%rbp"
		     : "=a"(rc)
		     : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d),
		       "D"(e), [f] "r"(f)
		     : "memory", "r8", "r9", "r10", "r11");
	return (int)rc;
}

static volatile sig_atomic_t no_ia32;
static sigjmp_buf ia32_back;

static void on_no_ia32(int sig)
{
	(void)sig;
	no_ia32 = 1;
	siglongjmp(ia32_back, 1);
}

/* A 32-bit process could not have aligned addresses: it gets no mapping. */
TEST_F(mapped, mmap_of_a_32_bit_call_refused)
{
	struct sigaction act = { .sa_handler = on_no_ia32 }, old;
	unsigned char *low =
		mmap((void *)LOW_ADDRESS, 4 * SLOT, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	volatile long rc = 0; /* outlives the jump */

	ASSERT_TRUE(low == (void *)LOW_ADDRESS);
	sigaction(SIGSEGV, &act, &old);
	if (!sigsetjmp(ia32_back, 1))
		rc = ia32_call(IA32_MMAP2, (long)low, SLOT,
			       PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			       self->a.fd, 0);
	sigaction(SIGSEGV, &old, NULL);
	munmap(low, 4 * SLOT);
	if (no_ia32 || rc == -ENOSYS)
		SKIP("this kernel takes no 32-bit calls");
	EXPECT_TRUE(rc == -EOPNOTSUPP || rc == -EINVAL);
}

KMOD_TEST_MAIN
