// SPDX-License-Identifier: Apache-2.0
/*
 * mem.c - vectors from anonymous mappings; see mem.h
 */
#include "base/mem.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/base.h"
#include "base/error.h"

#define HUGE_BYTES ((size_t)2 << 20) /* a PMD-mapped page on x86-64 */
#define PAGE_BYTES ((size_t)4096)

static size_t mapped_bytes(size_t bytes)
{
	return lull_align_up(bytes,
			     bytes >= HUGE_BYTES ? HUGE_BYTES : PAGE_BYTES);
}

/* Maps @bytes at a multiple of HUGE_BYTES and cuts off what surrounds it. */
static void *map_huge(size_t bytes)
{
	size_t span = bytes + HUGE_BYTES;
	uintptr_t start, first;
	char *p;

	if (span < bytes)
		return NULL;
	p = mmap(NULL, span, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	start = (uintptr_t)p;
	first = lull_align_up(start, HUGE_BYTES);
	if (first > start)
		munmap(p, first - start);
	if (first + bytes < start + span)
		munmap((void *)(first + bytes), start + span - first - bytes);
	/* A hint: without huge pages the vector works all the same. */
	madvise((void *)first, bytes, MADV_HUGEPAGE);
	return (void *)first;
}

int lull_vec_alloc(struct lull_vec *ret_vec, size_t bytes, const char *what,
		   struct lull_error *reterr)
{
	size_t map = mapped_bytes(bytes);
	void *p = NULL;

	if (!bytes) {
		*ret_vec = (struct lull_vec){ 0 };
		return LULL_OK;
	}
	if (map >= bytes) {
		if (map >= HUGE_BYTES) {
			p = map_huge(map);
		} else {
			p = mmap(NULL, map, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			p = p == MAP_FAILED ? NULL : p;
		}
	}
	if (!p)
		return lull_fail(reterr, LULL_NOMEM,
				 "%s: %zu bytes of memory could not be had",
				 what, bytes);
	*ret_vec = (struct lull_vec){ .ptr = p, .bytes = bytes };
	return LULL_OK;
}

void lull_vec_done(struct lull_vec *vec)
{
	if (vec->ptr)
		munmap(vec->ptr, mapped_bytes(vec->bytes));
	*vec = (struct lull_vec){ 0 };
}

void lull_vec_wipe_done(struct lull_vec *vec)
{
	if (vec->ptr)
		lull_wipe(vec->ptr, vec->bytes);
	lull_vec_done(vec);
}

void lull_wipe(void *ptr, size_t bytes)
{
	explicit_bzero(ptr, bytes);
}
