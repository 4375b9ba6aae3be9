// SPDX-License-Identifier: Apache-2.0
/*
 * dry.c - auto took hugetlb, whose pages others have by now: the rest is thp, of
 * however many blocks, and what has no pages is not in their way
 *
 * The pool is this test's: the program is linked with --wrap for what tells of it
 * and for what takes its pages, which are those of an ordinary memfd.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena/arena.h"
#include "arena/host.h"
#include "base/base.h"
#include "harness.h"
#include "lull.h"

#define SLOT LULL_ARENA_SLOT_BYTES
#define BYTES (3 * SLOT)
#define NR_PAGES 1000
#define NR_BLOCKS 8

bool __wrap_lull_arena_host_hugetlb(const char *root, int node,
				    struct lull_arena_hugetlb_pool *ret_pool);
bool __wrap_lull_arena_host_hugetlb_of(
	const char *root, size_t page_bytes, int node,
	struct lull_arena_hugetlb_pool *ret_pool);
int __real_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags);
void *__real_mmap(void *at, size_t bytes, int prot, int flags, int fd,
		  off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd,
		  off_t offset);
int __real_fallocate(int fd, int mode, off_t offset, off_t bytes);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t bytes);

/* Others have every page. */
static bool dry;

bool __wrap_lull_arena_host_hugetlb(const char *root, int node,
				    struct lull_arena_hugetlb_pool *ret_pool)
{
	(void)root;
	(void)node;
	*ret_pool = (struct lull_arena_hugetlb_pool){
		.nr_total = NR_PAGES,
		.nr_free = dry ? 0 : NR_PAGES,
	};
	return true;
}

bool __wrap_lull_arena_host_hugetlb_of(const char *root, size_t page_bytes,
				       int node,
				       struct lull_arena_hugetlb_pool *ret_pool)
{
	(void)root;
	(void)page_bytes;
	(void)node;
	(void)ret_pool;
	return false;
}

int __wrap_memfd_create(const char *name, unsigned int flags)
{
	return __real_memfd_create(name, flags & MFD_CLOEXEC);
}

/* Where a page of 2 MiB would lie: in address space that stays around it. */
void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd,
		  off_t offset)
{
	uint8_t *space;

	if (fd < 0)
		return __real_mmap(at, bytes, prot, flags, fd, offset);
	space = __real_mmap(NULL, bytes + SLOT, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (space == MAP_FAILED)
		return MAP_FAILED;
	return __real_mmap((void *)lull_align_up((uintptr_t)space, SLOT), bytes,
			   prot, flags | MAP_FIXED, fd, offset);
}

int __wrap_fallocate(int fd, int mode, off_t offset, off_t bytes)
{
	if (!dry || mode)
		return __real_fallocate(fd, mode, offset, bytes);
	errno = ENOSPC;
	return -1;
}

/* NULL, and the test is skipped, where auto takes something better. */
static struct lull_arena *open_arena(void)
{
	const struct lull_arena_opts opts = { .carrier = LULL_ARENA_AUTO,
					      .node = LULL_ARENA_NODE_ANY };
	struct lull_arena *arena = NULL;

	dry = false;
	if (!access(LULL_ARENA_DEVICE, F_OK)) {
		test_skipped = "auto takes the module";
		return NULL;
	}
	EXPECT_EQ(LULL_OK, lull_arena_open(&opts, &arena, NULL));
	if (arena)
		EXPECT_EQ(LULL_ARENA_HUGETLB, lull_arena_carrier(arena));
	return arena;
}

static struct lull_vec carve(struct lull_arena *arena)
{
	struct lull_vec vec = { 0 };
	struct lull_error error;

	if (lull_arena_carve(arena, BYTES, LULL_CARVE_ZERO, "test", &vec,
			     &error))
		TEST_FAIL_("%s", error.msg);
	else
		memset(vec.ptr, 1, vec.bytes);
	return vec;
}

static void carve_many(struct lull_arena *arena)
{
	struct lull_vec vecs[NR_BLOCKS];
	size_t i;

	for (i = 0; i < NR_BLOCKS; i++)
		vecs[i] = carve(arena);
	for (i = 0; i < NR_BLOCKS; i++)
		lull_arena_retire(&vecs[i]);
}

static struct lull_arena_stats stats_of(struct lull_arena *arena)
{
	struct lull_arena_stats stats;

	lull_arena_stats(arena, &stats);
	return stats;
}

/* Many blocks, and the second time in the memory of the first. */
static void expect_the_rest_is_thp(struct lull_arena *arena)
{
	uint64_t held;
	size_t i, nr = 0;

	dry = true;
	carve_many(arena);
	held = stats_of(arena).held_bytes;
	EXPECT_TRUE(held >= NR_BLOCKS * BYTES);
	carve_many(arena);
	EXPECT_EQ(held, stats_of(arena).held_bytes);
	for (i = 0; lull_arena_note(arena, i); i++)
		nr += !!strstr(lull_arena_note(arena, i), "hugetlb ran out: ");
	EXPECT_EQ(1, nr);
}

TEST(pages_that_were_never_had)
{
	struct lull_arena *arena = open_arena();

	if (!arena)
		return;
	expect_the_rest_is_thp(arena);
	lull_arena_close(arena);
}

TEST(pages_that_were_given_back)
{
	struct lull_arena *arena = open_arena();
	struct lull_vec vecs[3];
	size_t i;

	if (!arena)
		return;
	for (i = 0; i < LULL_ARRAY_SIZE(vecs); i++)
		vecs[i] = carve(arena);
	/* Apart from each other. */
	lull_arena_release(&vecs[0]);
	lull_arena_release(&vecs[2]);
	EXPECT_EQ(BYTES, stats_of(arena).held_bytes);
	expect_the_rest_is_thp(arena);
	/* There again, they are had again. */
	dry = false;
	vecs[0] = carve(arena);
	lull_arena_retire(&vecs[0]);
	lull_arena_retire(&vecs[1]);
	EXPECT_EQ(0, stats_of(arena).used_bytes);
	lull_arena_close(arena);
}

TEST_MAIN
