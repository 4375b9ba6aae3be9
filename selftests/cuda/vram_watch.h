/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vram_watch.h - whether budgets are kept, by the driver's figures
 *
 * The backend refuses what is above a budget by its own count, which says nothing
 * of memory that it does not count.
 */
#ifndef LULL_SELFTESTS_CUDA_VRAM_WATCH_H
#define LULL_SELFTESTS_CUDA_VRAM_WATCH_H

#include "cuda/gpu.h"

#define VRAM_SAMPLES_MAX 256
/* Beside the budget a driver allocates for itself, once for each kernel, and rounds
 * what it is asked for up. */
#define VRAM_ALLOWANCE ((int64_t)64 << 20)
/* Fewer say nothing: other programs have memory on the GPU, too. */
#define VRAM_SAMPLES_MIN 5

/**
 * struct vram_watch - whether budgets are kept, by the driver's own figures
 * @free_bytes: of the GPU, when a proof's context had been opened
 * @over: by how much more than its budget that shrank with the key attached
 * @nr: how many
 *
 * Emulated devices are asked for the most that was allocated, and each time.  A
 * real one says what is free for all programs: other tests come and go, so what
 * counts is the median.
 */
struct vram_watch {
	int64_t free_bytes;
	int64_t over[VRAM_SAMPLES_MAX];
	size_t nr;
};

/* Of the GPU that this thread has used last; false where that is emulated. */
static inline bool vram_free(int64_t *ret_bytes)
{
	int (*get)(size_t *free_bytes, size_t *total_bytes);
	size_t free_bytes = 0, total_bytes;

	if (!find_in_driver("cuMemGetInfo_v2", &get) ||
	    get(&free_bytes, &total_bytes))
		return false;
	*ret_bytes = (int64_t)free_bytes;
	return true;
}

/* A context has been opened, and no key. */
static inline void vram_begin(struct vram_watch *watch)
{
	uint64_t (*most_bytes)(void);

	if (find_emulated("emulated_most_bytes", &most_bytes))
		most_bytes();
	else if (!vram_free(&watch->free_bytes))
		watch->free_bytes = -1;
}

/* Proofs were made and the key is attached yet. */
static inline void vram_end(struct vram_watch *watch, uint64_t budget_bytes)
{
	uint64_t (*most_bytes)(void), most;
	int64_t free_bytes;

	if (find_emulated("emulated_most_bytes", &most_bytes)) {
		most = most_bytes();
		if (!most || most > budget_bytes)
			TEST_FAIL_("%" PRIu64 " bytes of %" PRIu64, most,
				   budget_bytes);
		return;
	}
	if (watch->free_bytes < 0 || watch->nr == VRAM_SAMPLES_MAX ||
	    !vram_free(&free_bytes))
		return;
	watch->over[watch->nr++] =
		watch->free_bytes - free_bytes - (int64_t)budget_bytes;
}

static inline int vram_compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Behind the last proof. */
static inline void vram_judge(struct vram_watch *watch)
{
	printf("# by the driver: %zu samples\n", watch->nr);
	if (watch->nr < VRAM_SAMPLES_MIN)
		return;
	qsort(watch->over, watch->nr, sizeof(watch->over[0]), vram_compare);
	printf("# their median is %" PRId64 " bytes above the budget\n",
	       watch->over[watch->nr / 2]);
	if (watch->over[watch->nr / 2] > VRAM_ALLOWANCE)
		TEST_FAIL_("expected at most %" PRId64 " above the budget",
			   VRAM_ALLOWANCE);
}

#endif
