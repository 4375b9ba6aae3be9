// SPDX-License-Identifier: Apache-2.0
/*
 * cache.c - asks cachestat(2), or tries reads that may not wait
 */
#include "load/cache.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/base.h"

/* Newer than glibc 2.36: the same number on every architecture. */
#define CACHESTAT_NR 451
#define NR_PLACES 64
#define PAGE_BYTES 4096u

/* linux/mman.h of Linux 6.5 */
struct cache_range {
	uint64_t offset, bytes;
};

struct cache_pages {
	uint64_t nr_cached, nr_dirty, nr_writeback, nr_evicted,
		nr_recently_evicted;
};

/* A read of one byte that may not wait: true when it did not have to. */
static bool is_cached(int fd, uint64_t offset, bool *ret_known)
{
	uint8_t byte;
	struct iovec iov = { &byte, sizeof(byte) };
	ssize_t got = preadv2(fd, &iov, 1, (off_t)offset, RWF_NOWAIT);

	*ret_known = got >= 0 || errno == EAGAIN;
	return got > 0;
}

static bool estimate(int fd, uint64_t offset, uint64_t bytes,
		     uint64_t *ret_bytes)
{
	uint64_t step = lull_max(bytes / NR_PLACES, 1), at;
	uint64_t nr = 0, nr_cached = 0;
	bool known = true;

	for (at = 0; at < bytes && known; at += step, nr++)
		nr_cached += is_cached(fd, offset + at, &known);
	if (!known || !nr)
		return false;
	*ret_bytes = nr_cached == nr ? bytes : bytes / nr * nr_cached;
	return true;
}

bool lull_load_cached(int fd, uint64_t offset, uint64_t bytes,
		      uint64_t *ret_bytes)
{
	const struct cache_range range = { offset, bytes };
	struct cache_pages pages;

	if (!bytes) /* which cachestat takes for the whole file */
		return false;
	if (syscall(CACHESTAT_NR, fd, &range, &pages, 0))
		return estimate(fd, offset, bytes, ret_bytes);
	*ret_bytes = lull_min(bytes, pages.nr_cached * PAGE_BYTES);
	return true;
}
