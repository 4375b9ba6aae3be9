/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.cuh - one GPU: its budget, its memory, and the way up to it
 *
 * For key.cu and stages.cu.  Every cudaMalloc() of the backend goes through
 * device_alloc(), which keeps to the budget and remembers the peak.  Data goes
 * up from where it lies when the arena has that registered with CUDA, and else
 * through pinned staging buffers that the pool's threads fill.
 */
#ifndef LULL_CUDA_DEVICE_CUH
#define LULL_CUDA_DEVICE_CUH

#include <cuda_runtime_api.h>
#include <pthread.h>

#include "backend/backend.h"

namespace lull
{

/**
 * struct device - an open GPU
 * @gpu: its number
 * @nr_sms: multiprocessors
 * @budget_bytes: the most to allocate: what was asked for, or less where less was
 *	free
 * @stats: lock: what is allocated, and what was copied
 * @optional_bytes: lock: of what is allocated, what keys could do without
 * @failed: lock: nothing runs on it any more
 * @lock: guards what says so
 * @opts: as opened
 * @text: for people
 */
struct device {
	int gpu;
	unsigned int nr_sms;
	uint64_t budget_bytes;
	struct lull_backend_stats stats;
	uint64_t optional_bytes;
	bool failed;
	pthread_mutex_t lock;
	struct lull_device_opts opts;
	char text[LULL_BACKEND_TEXT_BYTES];
};

/* How many GPUs there are; 0 and a reason in text. */
unsigned int device_probe(char *text);

int device_open(const struct lull_device_opts *opts, struct device **ret_device,
		struct lull_error *reterr);
void device_close(struct device *device);

/* The NUMA node of its slot; LULL_ARENA_NODE_ANY where that is not known. */
int device_node(const struct device *device);

/* Makes it the calling thread's. */
int device_use(const struct device *device, struct lull_error *reterr);

/* After a device's own error: its memory and its context are in doubt. */
void device_fail(struct device *device);
/* What a call comes to that allocates nothing of ours on a device, which fails with
 * LULL_DEVICE.  LULL_NOMEM becomes that: the driver had no memory for a launch. */
int device_judge(struct device *device, int err, struct lull_error *reterr);
/* LULL_DEVICE once it has failed. */
int device_check(struct device *device, struct lull_error *reterr);

void device_stats(struct device *device, struct lull_backend_stats *ret_stats);
/* Counts bytes that were copied. */
void device_copied(struct device *device, uint64_t up_bytes, uint64_t down_bytes);
/* Each proof at a time has so many of what is allocated. */
void device_plans_proofs(struct device *device, uint64_t bytes);

/* What may still be allocated. */
uint64_t device_left_bytes(struct device *device);

/* LULL_NOMEM with the numbers when the budget does not hold it. */
int device_alloc(struct device *device, uint64_t bytes, const char *what, void **ret_ptr,
		 struct lull_error *reterr);
/* Takes NULL; bytes as allocated. */
void device_free(struct device *device, void *ptr, uint64_t bytes);

/* Events of the device that is in use; timing is for spans alone. */
int events_create(cudaEvent_t *events, unsigned int nr, bool timed, struct lull_error *reterr);
/* Takes some that were not created. */
void events_destroy(cudaEvent_t *events, unsigned int nr);

/* One line to whoever opened the device. */
void device_say(const struct device *device, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- pinned memory ----------------------------------------------------- */

/* Registers an arena with every GPU; the argument is one that is open. */
extern const struct lull_arena_pin_ops device_pin_ops;

/* Whether the arena has all of it registered. */
bool pinned_whole(const struct device *device, struct lull_arena *arena, const void *ptr,
		  size_t bytes);

/**
 * struct pinned - a block of pinned memory, or none
 * @ptr: its first byte
 * @vec: where it is the arena's; otherwise it is CUDA's own
 */
struct pinned {
	uint8_t *ptr;
	struct lull_vec vec;
};

/* Of the arena where it registers what it grows by, else of CUDA. */
int pinned_take(const struct device *device, struct lull_arena *arena, size_t bytes,
		const char *what, struct pinned *ret_pinned, struct lull_error *reterr);
/* Takes an empty one. */
void pinned_give(const struct device *device, struct pinned *pinned);

/* Queues a copy of pinned memory, the arena's or CUDA's own, on the stream. */
int pinned_copy(struct device *device, struct lull_arena *arena, void *to, const void *from,
		size_t bytes, cudaStream_t stream, struct lull_error *reterr);
/* The same down into such memory. */
int pinned_fetch(struct device *device, struct lull_arena *arena, void *to, const void *from,
		 size_t bytes, cudaStream_t stream, struct lull_error *reterr);

/* ---- staging ----------------------------------------------------------- */

constexpr unsigned int nr_staging = 4;
constexpr size_t staging_bytes = (size_t)8 << 20;

/**
 * struct staging - pinned buffers, filled in turn
 * @buffers: of staging_bytes each
 * @sent: when the device has read a buffer
 * @used: bytes of a buffer that were written since it was wiped
 * @next: the buffer to fill next
 */
struct staging {
	uint8_t *buffers[nr_staging];
	cudaEvent_t sent[nr_staging];
	size_t used[nr_staging];
	unsigned int next;
};

int staging_create(struct staging *staging, struct lull_error *reterr);
/* Takes one that was created in part. */
void staging_destroy(struct staging *staging);

/* Queues a copy of host memory, of any alignment, on the stream: by the device
 * itself out of what the arena has registered, which it reads until the stream
 * has come so far; the rest has been read when this returns. */
int staging_upload(struct staging *staging, struct device *device, struct lull_arena *arena,
		   void *to, const void *from, size_t bytes, struct lull_workers *workers,
		   cudaStream_t stream, struct lull_error *reterr);

/**
 * struct staging_fill - what writes a buffer, over all threads
 * @task: one of its tasks; the fill is part of what it must know
 * @nr_tasks: how many
 */
struct staging_fill {
	void (*task)(const struct staging_fill *fill, uint8_t *buffer, size_t task);
	size_t nr_tasks;
};

/* Has one buffer written and queues its way up: at most staging_bytes, and at
 * least one. */
int staging_send(struct staging *staging, struct device *device, void *to, size_t bytes,
		 const struct staging_fill *fill, struct lull_workers *workers, cudaStream_t stream,
		 struct lull_error *reterr);

/* Overwrites the buffers, which hold parts of a witness; the device has read
 * them all.  On the calling thread: a pool leaves tasks out once a proof is
 * canceled. */
void staging_wipe(struct staging *staging);

} /* namespace lull */

#endif
