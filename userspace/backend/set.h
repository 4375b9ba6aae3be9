/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.h - the devices that the proofs of a context run on
 *
 * Picks a backend by name, opens its devices, hands each proof the device with
 * the least to do, and leaves out a device that has failed.  Never replaces
 * one backend by another unless that was allowed, and then says so.
 */
#ifndef LULL_BACKEND_SET_H
#define LULL_BACKEND_SET_H

#include <pthread.h>

#include "backend/backend.h"
#include "backend/busy.h"

#define LULL_GPUS_MAX 32

/**
 * struct lull_set_opts - which devices
 * @backend: "auto", "cpu", "cuda" or "null"
 * @fallback_cpu: when every device has failed, or none can be opened, or none
 *	has room for a key, the CPU takes over
 * @gpus: numbers of devices; each once
 * @nr_gpus: how many; 0 for the first alone
 * @vram_bytes: of each device; 0 for what is free
 * @vram_key_bytes: of it, for each key; 0 for what is left
 * @warn: takes one line when a device is left out or the CPU takes over; may
 *	be NULL
 * @say: takes lines about what was decided; may be NULL
 * @arg: handed to both
 */
struct lull_set_opts {
	const char *backend;
	bool fallback_cpu;
	const unsigned int *gpus;
	unsigned int nr_gpus;
	uint64_t vram_bytes;
	uint64_t vram_key_bytes;
	void (*warn)(void *arg, const char *line);
	void (*say)(void *arg, const char *line);
	void *arg;
};

/**
 * struct lull_device - one device of a set
 * @backend: whose
 * @handle: what its open() gave; NULL while it is not open
 * @gpu: its number
 * @nr_proofs: lock: under way
 * @nr_taken: lock: proofs so far
 * @failed: lock: left out
 * @busy: lock: when stages ran
 * @text: for people: "cuda: GPU 0, NVIDIA H200"
 */
struct lull_device {
	const struct lull_backend *backend;
	void *handle;
	unsigned int gpu;
	unsigned int nr_proofs;
	uint64_t nr_taken;
	bool failed;
	struct lull_busy busy;
	char text[LULL_BACKEND_TEXT_BYTES];
};

/**
 * struct lull_set - see lull_set_open()
 * @devices: the chosen backend's, and behind them, where the CPU may take
 *	over, the CPU's
 * @nr_devices: without the CPU that may take over
 * @nr_all: with it
 * @opts: as opened; @gpus is not kept
 * @text: the backend and why it was taken
 * @library: of a backend that is not part of liblull
 * @arena: lock: what lull_set_pin() was called for
 * @arena_pinned: lock: and it is registered
 * @idle: lock: it was, and will be with the next proof
 * @nr_holds: lock: of lull_set_hold()
 * @lock: guards what says so
 */
struct lull_set {
	struct lull_device devices[LULL_GPUS_MAX + 1];
	unsigned int nr_devices;
	unsigned int nr_all;
	struct lull_set_opts opts;
	char text[LULL_BACKEND_TEXT_BYTES];
	void *library;
	struct lull_arena *arena;
	bool arena_pinned;
	bool idle;
	unsigned int nr_holds;
	pthread_mutex_t lock;
};

/**
 * lull_set_open - choose a backend and open its devices
 * @opts: what is wanted
 * @ret_set: owned by the caller; end it with lull_set_close()
 * @reterr: filled on failure
 *
 * "auto" takes cuda when liblull_cuda.so is there, of this version, and sees a
 * GPU that can be opened, otherwise the CPU, with the reason in @text.
 *
 * Return: LULL_OK, LULL_USAGE, LULL_UNSUPPORTED when the backend is not to be
 * had, LULL_DEVICE when no device opens, or LULL_NOMEM.
 */
int lull_set_open(const struct lull_set_opts *opts, struct lull_set **ret_set,
		  struct lull_error *reterr);

/* Takes NULL.  Every key is detached before. */
void lull_set_close(struct lull_set *set);

/* A set over given backends, for tests: one device of each. */
int lull_set_open_given(const struct lull_set_opts *opts,
			const struct lull_backend *const *backends,
			unsigned int nr_backends, struct lull_set **ret_set,
			struct lull_error *reterr);

/* The working device with the fewest proofs under way, or -1; counts one more
 * on it.  @usable, nr_all of them, says which devices have the key. */
int lull_set_take(struct lull_set *set, const bool *usable);

/* Undoes lull_set_take(). */
void lull_set_put(struct lull_set *set, unsigned int device);

/* Leaves a device out from now on and warns, once a device. */
void lull_set_fail(struct lull_set *set, unsigned int device,
		   const struct lull_error *why);

/* Registers an arena with the devices, once, if they read by DMA; where that
 * cannot be, says why.  lull_set_close() undoes it: the arena lives longer. */
void lull_set_pin(struct lull_set *set, struct lull_arena *arena);

/* Devices read memory of the arena that is no proof's, such as a key's on its way
 * up: until lull_set_let_go() it stays registered. */
void lull_set_hold(struct lull_set *set);
void lull_set_let_go(struct lull_set *set);

/* Undoes the registration until the next proof, hold or key, so that the arena can
 * let go of what it has.  False where there is none, or somebody is at work. */
bool lull_set_idle(struct lull_set *set);

/* A stage ran on a device from start_ns to end_ns of lull_trace_now_ns(). */
void lull_set_ran(struct lull_set *set, unsigned int device, uint64_t start_ns,
		  uint64_t end_ns);

/* Of all devices: what they copied, and how long stages ran on them.  Of the one
 * that has most: memory allocated, now and at most, and for one proof. */
void lull_set_stats(struct lull_set *set, struct lull_backend_stats *ret_stats,
		    uint64_t *ret_busy_ns);
/* Of them, the most memory that was allocated at one time. */
uint64_t lull_set_peak_bytes(struct lull_set *set);

/* The NUMA node for the memory of proofs, or LULL_ARENA_NODE_ANY: near the first
 * device, unless the caller has chosen (lull_arena_node_near()).  Says of every
 * device whose node is known where it is, and the memory. */
int lull_set_node(const struct lull_set *set);

/* One line to the caller of the library, formatted. */
void lull_set_warn(const struct lull_set *set, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same of what was decided. */
void lull_set_say(const struct lull_set *set, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
