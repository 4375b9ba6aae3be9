// SPDX-License-Identifier: Apache-2.0
/*
 * carrier_hugetlb.c - 2 MiB pages out of the kernel's reserved pool
 *
 * A memfd, so that pages are had by fallocate(2), which fails where a page
 * fault would raise SIGBUS, and are given back by punching holes.  Nothing
 * ever takes a retired slot: the pool is static.
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
				       "mapping %zu bytes of 2 MiB pages",
				       slab->span_bytes);
	err = lull_arena_node_bind(p, slab->span_bytes, opts->node, reterr);
	if (err) {
		munmap(p, slab->span_bytes);
		return err;
	}
	if (opts->secret)
		madvise(p, slab->span_bytes, MADV_DONTDUMP);
	slab->base = p;
	return LULL_OK;
}

static int reserve(struct lull_slab *slab, const struct lull_arena_opts *opts,
		   size_t bytes_min, size_t span_bytes,
		   struct lull_error *reterr)
{
	struct lull_arena_hugetlb_pool pool;
	int err;

	(void)bytes_min;
	if (!lull_arena_host_hugetlb("", opts->node, &pool))
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "this kernel has no 2 MiB hugetlb pages");
	if (!pool.nr_free && !pool.nr_overcommit)
		return no_pages(reterr,
				pool.nr_total ? "every reserved page is in use"
					      : "no pages are reserved");
	slab->fd = memfd_create("lull-arena",
				MFD_CLOEXEC | MFD_HUGETLB | MFD_HUGE_2MB);
	if (slab->fd < 0)
		return lull_fail_errno(reterr, LULL_UNSUPPORTED, errno,
				       "a memfd of 2 MiB pages");
	slab->span_bytes = span_bytes;
	err = map_file(slab, opts, reterr);
	if (err) {
		close(slab->fd);
		slab->fd = -1;
	}
	return err;
}

static void unreserve(struct lull_slab *slab)
{
	munmap(slab->base, slab->span_bytes);
	close(slab->fd);
}

static bool punch(const struct lull_slab *slab, size_t first, size_t nr)
{
	return !fallocate(slab->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  (off_t)(first * SLOT_BYTES),
			  (off_t)(nr * SLOT_BYTES));
}

static int acquire(struct lull_slab *slab, size_t first, size_t nr,
		   struct lull_error *reterr)
{
	int err;

	while (fallocate(slab->fd, 0, (off_t)(first * SLOT_BYTES),
			 (off_t)(nr * SLOT_BYTES))) {
		if (errno == EINTR)
			continue; /* what it has had is kept */
		err = errno;
		punch(slab, first, nr);
		if (err == ENOSPC)
			return lull_fail(reterr, LULL_NOMEM,
					 "the pool has no %zu free 2 MiB pages",
					 nr);
		return lull_fail_errno(reterr, LULL_NOMEM, err,
				       "%zu of the pool's 2 MiB pages", nr);
	}
	return LULL_OK;
}

static bool release(struct lull_slab *slab, size_t first, size_t nr)
{
	return punch(slab, first, nr);
}

const struct lull_carrier lull_arena_hugetlb = {
	.id = LULL_ARENA_HUGETLB,
	.has_pages = true,
	.reserve = reserve,
	.unreserve = unreserve,
	.acquire = acquire,
	.release = release,
};
