// SPDX-License-Identifier: Apache-2.0
/*
 * carrier_malloc.c - calloc(3) and free(3): what provers usually do
 *
 * For comparison.  A large block is a mapping of its own, had by mmap(2) and
 * given back by munmap(2), which flushes the TLBs of every CPU that runs the
 * process.  How large is glibc's to say: 128 KiB as a process starts; a mapping
 * that is freed raises that to its size, 32 MiB at most, so that smaller blocks
 * come from the heap afterwards.  They are counted as if each were mapped,
 * which a prover's vectors are.  malloc gives each block to a detached thread
 * to free; malloc-serial frees at once, one block at a time.
 */
#include <stdlib.h>

#include "arena/slab.h"
#include "base/base.h"

/* glibc's M_MMAP_THRESHOLD as a process starts. */
#define MMAP_BYTES_MIN ((size_t)128 << 10)

struct freeing {
	struct lull_arena *arena;
	void *memory;
};

int lull_arena_malloc(struct lull_extent *extent, size_t bytes,
		      unsigned int flags)
{
	size_t with = bytes + LULL_ARENA_ALIGN;

	if (with < bytes)
		return LULL_NOMEM;
	/* calloc knows which memory is fresh and writes no other. */
	extent->memory =
		flags & LULL_CARVE_ZERO ? calloc(1, with) : malloc(with);
	if (!extent->memory)
		return LULL_NOMEM;
	extent->ptr = (uint8_t *)lull_align_up((uintptr_t)extent->memory,
					       LULL_ARENA_ALIGN);
	extent->bytes = bytes;
	return LULL_OK;
}

static void freed(struct lull_arena *arena)
{
	pthread_mutex_lock(&arena->lock);
	if (!--arena->nr_freeing)
		pthread_cond_broadcast(&arena->idle);
	pthread_mutex_unlock(&arena->lock);
}

static void *free_detached(void *arg)
{
	struct freeing *freeing = arg;
	struct lull_arena *arena = freeing->arena;

	free(freeing->memory);
	free(freeing);
	freed(arena);
	return NULL;
}

static bool start_freeing(struct lull_arena *arena, void *memory)
{
	struct freeing *freeing = malloc(sizeof(*freeing));
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	if (!freeing)
		return false;
	freeing->arena = arena;
	freeing->memory = memory;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	err = pthread_create(&thread, &attr, free_detached, freeing);
	pthread_attr_destroy(&attr);
	if (err)
		free(freeing);
	return !err;
}

void lull_arena_malloc_free(struct lull_arena *arena, void *memory,
			    size_t bytes)
{
	pthread_mutex_lock(&arena->lock);
	arena->stats.unmapped_bytes += bytes;
	arena->stats.munmaps += bytes >= MMAP_BYTES_MIN;
	arena->stats.flushes += bytes >= MMAP_BYTES_MIN;
	pthread_mutex_unlock(&arena->lock);
	if (arena->id == LULL_ARENA_MALLOC && start_freeing(arena, memory))
		return;
	pthread_mutex_lock(&arena->serial);
	free(memory);
	pthread_mutex_unlock(&arena->serial);
	freed(arena);
}
