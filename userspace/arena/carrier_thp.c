// SPDX-License-Identifier: Apache-2.0
/*
 * carrier_thp.c - anonymous memory with MADV_HUGEPAGE
 *
 * Works on every Linux.  Address space is had without access, so that no
 * memory is promised for it, and becomes usable as the slab grows; pages come
 * when they are touched, 2 MiB at a time where the kernel has such pages and
 * transparent huge pages are not switched off.  Retired slots are kept:
 * MADV_FREE would flush the TLB once for each and be told nothing.
 */
#include <errno.h>
#include <sys/mman.h>

#include "arena/node.h"
#include "arena/slab.h"
#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"

/* Maps @span at a multiple of SLOT_BYTES and cuts off what surrounds it. */
static uint8_t *map_aligned(size_t span)
{
	size_t bytes = span + SLOT_BYTES;
	uintptr_t start, first;
	void *p;

	if (bytes < span)
		return NULL;
	p = mmap(NULL, bytes, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	start = (uintptr_t)p;
	first = lull_align_up(start, SLOT_BYTES);
	if (first > start)
		lull_unmap(p, first - start);
	if (first + span < start + bytes)
		lull_unmap((void *)(first + span),
			   start + bytes - first - span);
	return (uint8_t *)first;
}

static int reserve(struct lull_slab *slab, const struct lull_arena_opts *opts,
		   size_t bytes_min, size_t span_bytes,
		   struct lull_error *reterr)
{
	size_t least = lull_max(bytes_min, SLOT_BYTES);
	uint8_t *base = map_aligned(span_bytes);
	int err;

	while (!base && span_bytes > least) {
		span_bytes = lull_align_up(lull_max(span_bytes / 2, least),
					   SLOT_BYTES);
		base = map_aligned(span_bytes);
	}
	if (!base)
		return lull_fail_errno(reterr, LULL_NOMEM, errno,
				       "no address space for %zu bytes",
				       span_bytes);
	err = lull_arena_node_bind(base, span_bytes, opts->node, reterr);
	if (err) {
		lull_unmap(base, span_bytes);
		return err;
	}
	/* Hints: without huge pages, or in a core, it works all the same. */
	madvise(base, span_bytes, MADV_HUGEPAGE);
	if (opts->secret)
		madvise(base, span_bytes, MADV_DONTDUMP);
	slab->base = base;
	slab->span_bytes = span_bytes;
	return LULL_OK;
}

static void unreserve(struct lull_slab *slab)
{
	lull_unmap(slab->base, slab->span_bytes);
}

/* Released slots are usable still; above the top, nothing is yet. */
static int acquire(struct lull_slab *slab, size_t first, size_t nr,
		   struct lull_error *reterr)
{
	if (first * SLOT_BYTES < slab->top_bytes)
		return LULL_OK;
	if (mprotect(slab->base + first * SLOT_BYTES, nr * SLOT_BYTES,
		     PROT_READ | PROT_WRITE))
		return lull_fail_errno(reterr, LULL_NOMEM, errno,
				       "%zu bytes of ordinary memory",
				       nr * SLOT_BYTES);
	return LULL_OK;
}

static bool release(struct lull_slab *slab, size_t first, size_t nr)
{
	return !madvise(slab->base + first * SLOT_BYTES, nr * SLOT_BYTES,
			MADV_DONTNEED);
}

const struct lull_carrier lull_arena_thp = {
	.id = LULL_ARENA_THP,
	.reserve = reserve,
	.unreserve = unreserve,
	.acquire = acquire,
	.release = release,
};
