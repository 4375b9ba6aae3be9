/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib.h - what the files of the public functions share
 */
#ifndef LULL_LIB_H
#define LULL_LIB_H

#include <stdatomic.h>

#include "lull.h"

struct lull_arena;
struct lull_loader;
struct lull_set;
struct lull_workers;

/**
 * struct lull_ctx - see lull_ctx_create()
 * @opts: as given; what its pointers point to is not kept
 * @workers: the pool
 * @set: the devices
 * @arena: all memory of any size
 * @loader: who reads keys and witnesses
 * @nr_notes: of the arena, which were said
 * @nr_loader_notes: of the loader
 */
struct lull_ctx {
	struct lull_ctx_opts opts;
	struct lull_workers *workers;
	struct lull_set *set;
	struct lull_arena *arena;
	struct lull_loader *loader;
	atomic_size_t nr_notes, nr_loader_notes;
};

#endif
