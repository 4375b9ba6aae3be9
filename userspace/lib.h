/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib.h - what the files of the public functions share
 */
#ifndef LULL_LIB_H
#define LULL_LIB_H

#include <stdatomic.h>

#include "lull.h"

struct lull_arena;
struct lull_set;
struct lull_workers;

/**
 * struct lull_ctx - see lull_ctx_create()
 * @opts: as given; what its pointers point to is not kept
 * @workers: the pool
 * @set: the devices
 * @arena: all memory of any size
 * @nr_notes: of the arena, which were said
 */
struct lull_ctx {
	struct lull_ctx_opts opts;
	struct lull_workers *workers;
	struct lull_set *set;
	struct lull_arena *arena;
	atomic_size_t nr_notes;
};

#endif
