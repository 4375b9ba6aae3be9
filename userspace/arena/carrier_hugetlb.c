// SPDX-License-Identifier: Apache-2.0
/*
 * carrier_hugetlb.c - pages of 1 GiB or 2 MiB out of the kernel's reserved pools
 *
 * A memfd, so that pages are had by fallocate(2), which fails where a page
 * fault would raise SIGBUS, and are given back by punching holes.  Nothing
 * ever takes a retired slot: the pools are static.
 *
 * A slab is of one size.  1 GiB is taken when the pool has as much as the
 * arena may hold: one whose first part were large and the rest small would
 * gain little.  Slots stay 2 MiB, so a page comes with the first of its slots
 * and goes with the last.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena/host.h"
#include "arena/node.h"
#include "arena/slab.h"
#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"

#define SMALL LULL_ARENA_HUGETLB_BYTES
#define LARGE LULL_ARENA_GIGANTIC_BYTES

static const char *name_of(size_t page_bytes)
{
	return page_bytes == LARGE ? "1 GiB" : "2 MiB";
}

static int no_pages(struct lull_error *reterr, const char *why)
{
	return lull_fail(reterr, LULL_UNSUPPORTED,
			 "%s (`lull arena reserve --carrier hugetlb` reserves "
			 "some)",
			 why);
}

static int map_file(struct lull_slab *slab, const struct lull_arena_opts *opts,
		    struct lull_error *reterr)
{
	void *p;
	int err;

	if (ftruncate(slab->fd, (off_t)slab->span_bytes))
		return lull_fail_errno(reterr, LULL_NOMEM, errno,
				       "a memfd of %zu bytes",
				       slab->span_bytes);
	/* NORESERVE: pages are had by acquire(), not by mapping them. */
	p = mmap(NULL, slab->span_bytes, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE, slab->fd, 0);
	if (p == MAP_FAILED)
		return lull_fail_errno(reterr, LULL_NOMEM, errno,
				       "mapping %zu bytes of %s pages",
				       slab->span_bytes,
				       name_of(slab->page_bytes));
	err = lull_arena_node_bind(p, slab->span_bytes, opts->node, reterr);
	if (err) {
		lull_unmap(p, slab->span_bytes);
		return err;
	}
	if (opts->secret)
		madvise(p, slab->span_bytes, MADV_DONTDUMP);
	slab->base = p;
	return LULL_OK;
}

static int open_file(struct lull_slab *slab, const struct lull_arena_opts *opts,
		     size_t page_bytes, size_t span_bytes,
		     struct lull_error *reterr)
{
	unsigned int size = page_bytes == LARGE ? MFD_HUGE_1GB : MFD_HUGE_2MB;
	int err;

	slab->fd = memfd_create("lull-arena", MFD_CLOEXEC | MFD_HUGETLB | size);
	if (slab->fd < 0)
		return lull_fail_errno(reterr, LULL_UNSUPPORTED, errno,
				       "a memfd of %s pages",
				       name_of(page_bytes));
	slab->page_bytes = page_bytes;
	slab->span_bytes = lull_align_up(span_bytes, page_bytes);
	err = map_file(slab, opts, reterr);
	if (err) {
		close(slab->fd);
		slab->fd = -1;
	}
	return err;
}

/*
 * How many bytes of 1 GiB pages to take; 0 for none.  What the arena may hold
 * has to fit; where that has no bound, what it needs at once, and the slab is
 * as large as the pool: the next one may be of small pages.
 */
static size_t large_bytes(const struct lull_arena_opts *opts,
			  const struct lull_arena_hugetlb_pool *small,
			  size_t bytes_min, size_t span_bytes)
{
	size_t want = lull_max(opts->bytes_max, lull_max(bytes_min, 1));
	struct lull_arena_hugetlb_pool pool;

	if (!lull_arena_host_hugetlb_of("", LARGE, opts->node, &pool) ||
	    lull_div_up(want, LARGE) > pool.nr_free)
		return 0;
	/* Less than one of them had better be taken in small pages. */
	if (opts->bytes_max && opts->bytes_max < LARGE &&
	    (small->nr_free || small->nr_overcommit))
		return 0;
	return lull_min(lull_align_up(span_bytes, LARGE), pool.nr_free * LARGE);
}

static int reserve(struct lull_slab *slab, const struct lull_arena_opts *opts,
		   size_t bytes_min, size_t span_bytes,
		   struct lull_error *reterr)
{
	struct lull_arena_hugetlb_pool pool = { 0 };
	bool known = lull_arena_host_hugetlb("", opts->node, &pool);
	size_t large = large_bytes(opts, &pool, bytes_min, span_bytes);

	if (large && !open_file(slab, opts, LARGE, large, NULL))
		return LULL_OK;
	if (!known)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "this kernel has no 2 MiB hugetlb pages");
	if (!pool.nr_free && !pool.nr_overcommit)
		return no_pages(reterr,
				pool.nr_total ? "every reserved page is in use"
					      : "no pages are reserved");
	return open_file(slab, opts, SMALL, span_bytes, reterr);
}

static void unreserve(struct lull_slab *slab)
{
	lull_unmap(slab->base, slab->span_bytes);
	close(slab->fd);
}

/* Slots, whole pages. */
static bool punch(const struct lull_slab *slab, size_t low, size_t high)
{
	return !fallocate(slab->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  (off_t)(low * SLOT_BYTES),
			  (off_t)((high - low) * SLOT_BYTES));
}

static int no_room(const struct lull_slab *slab, size_t nr, int sys_errno,
		   struct lull_error *reterr)
{
	const char *name = name_of(slab->page_bytes);

	nr = nr * SLOT_BYTES / slab->page_bytes;
	if (sys_errno == ENOSPC)
		return lull_fail(reterr, LULL_NOMEM,
				 "the pool has no %zu free %s pages", nr, name);
	return lull_fail_errno(reterr, LULL_NOMEM, sys_errno,
			       "%zu of the pool's %s pages", nr, name);
}

/*
 * Pages that are there already, for other slots, stay as they are.  The
 * mapping's policy is for page faults: fallocate(2) goes by the thread's.
 */
static int acquire(struct lull_slab *slab, size_t first, size_t nr,
		   struct lull_error *reterr)
{
	struct lull_arena_node_policy old;
	size_t low, high;
	int err, rc;

	lull_slab_own_pages(slab, first, nr, &low, &high);
	if (low >= high)
		return LULL_OK;
	err = lull_arena_node_enter(slab->node, &old, reterr);
	if (err)
		return err;
	do {
		/* Interrupted, it has kept what it had. */
		rc = fallocate(slab->fd, 0, (off_t)(low * SLOT_BYTES),
			       (off_t)((high - low) * SLOT_BYTES));
	} while (rc && errno == EINTR);
	rc = rc ? errno : 0;
	lull_arena_node_leave(&old);
	if (!rc)
		return LULL_OK;
	punch(slab, low, high);
	return no_room(slab, high - low, rc, reterr);
}

static bool release(struct lull_slab *slab, size_t first, size_t nr)
{
	size_t low, high;

	lull_slab_own_pages(slab, first, nr, &low, &high);
	return punch(slab, low, high);
}

/* Held is what is not the pool's: a page, whatever of it is in use. */
static void count(const struct lull_slab *slab, struct lull_slab_counts *counts)
{
	size_t per = slab->page_bytes / SLOT_BYTES;
	size_t i, nr = slab->top_bytes / SLOT_BYTES;

	counts->held_bytes = 0;
	for (i = 0; i < nr; i++) {
		if (slot_state(slab, i) == SLOT_EMPTY)
			continue;
		counts->held_bytes += slab->page_bytes;
		i = lull_align_up(i + 1, per) - 1;
	}
}

const struct lull_carrier lull_arena_hugetlb = {
	.id = LULL_ARENA_HUGETLB,
	.has_pages = true,
	.reserve = reserve,
	.unreserve = unreserve,
	.acquire = acquire,
	.release = release,
	.count = count,
};
