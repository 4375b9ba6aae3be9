/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib.h - what the files of the public functions share
 */
#ifndef LULL_LIB_H
#define LULL_LIB_H

#include <stdatomic.h>

#include "lull.h"
#include "prove/convert.h"

struct lull_arena;
struct lull_loader;
struct lull_set;
struct lull_workers;

/**
 * struct lull_ctx - see lull_ctx_create()
 * @opts: as given; what its pointers point to is not kept
 * @workers: the pool
 * @set: the devices
 * @node: the NUMA node that memory comes from and the loader works on, or
 *	LULL_ARENA_NODE_ANY
 * @arena: all memory of any size
 * @loader: who reads keys and witnesses
 * @nr_notes: of the arena, which were said
 * @nr_loader_notes: of the loader
 */
struct lull_ctx {
	struct lull_ctx_opts opts;
	struct lull_workers *workers;
	struct lull_set *set;
	int node;
	struct lull_arena *arena;
	struct lull_loader *loader;
	atomic_size_t nr_notes, nr_loader_notes;
};

/* lull_convert_zkey() or the like. */
typedef int lull_convert_fn(const char *key_path, const char *path,
			    const struct lull_convert_how *how,
			    struct lull_workers *workers,
			    struct lull_arena *arena,
			    struct lull_error *reterr);

/* lull_key_convert() from what @convert takes. */
int lull_ctx_convert(struct lull_ctx *ctx, const char *path,
		     const char *lkey_path,
		     const struct lull_convert_opts *opts,
		     lull_convert_fn *convert, struct lull_error *reterr);

#endif
