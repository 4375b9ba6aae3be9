// SPDX-License-Identifier: Apache-2.0
/*
 * mem.c - the wiping of secrets, and the end of mappings; see mem.h
 */
#include "base/mem.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

static atomic_ullong nr_unmaps;

void lull_wipe(void *ptr, size_t bytes)
{
	explicit_bzero(ptr, bytes);
}

void lull_unmap(void *ptr, size_t bytes)
{
	atomic_fetch_add(&nr_unmaps, 1);
	munmap(ptr, bytes);
}

uint64_t lull_unmaps(void)
{
	return atomic_load(&nr_unmaps);
}
