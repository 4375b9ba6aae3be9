// SPDX-License-Identifier: Apache-2.0
/*
 * populate.c - pages are mapped before somebody needs them; see slab.h
 *
 * What a device registers is faulted in by its driver, on one thread.  To zero
 * the pages before, on several, takes a part of that time, in which the arena's
 * lock is held.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "arena/slab.h"
#include "base/base.h"

#define THREADS_MAX 8
/* Below this a thread costs more than it saves. */
#define SLICE_BYTES_MIN ((size_t)16 << 20)

/* A hint: kernels before 5.14 do not know it. */
static void populate(void *ptr, size_t bytes)
{
	madvise(ptr, bytes, MADV_POPULATE_WRITE);
}

struct slice {
	pthread_t thread;
	uint8_t *ptr;
	size_t bytes;
};

static void *populate_slice(void *arg)
{
	const struct slice *slice = arg;

	populate(slice->ptr, slice->bytes);
	return NULL;
}

static size_t nr_slices(size_t bytes)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t nr = lull_min(bytes / SLICE_BYTES_MIN, THREADS_MAX);

	return lull_max(lull_min(nr, (size_t)lull_max(cpus, 1)), 1);
}

void lull_arena_populate(uint8_t *ptr, size_t bytes)
{
	size_t nr = nr_slices(bytes),
	       each = lull_align_up(bytes / nr, SLOT_BYTES);
	struct slice slices[THREADS_MAX];
	size_t nr_begun = 0;

	/* The last slice is this thread's, and whatever no thread could be had
	 * for. */
	while (nr_begun + 1 < nr && bytes > each) {
		struct slice *slice = &slices[nr_begun];

		slice->ptr = ptr;
		slice->bytes = each;
		if (pthread_create(&slice->thread, NULL, populate_slice, slice))
			break;
		nr_begun++;
		ptr += each;
		bytes -= each;
	}
	populate(ptr, bytes);
	while (nr_begun)
		pthread_join(slices[--nr_begun].thread, NULL);
}
