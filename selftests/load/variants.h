/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variants.h - the loaders under test: each kind, and uring in each of its ways
 */
#ifndef LULL_SELFTESTS_LOAD_VARIANTS_H
#define LULL_SELFTESTS_LOAD_VARIANTS_H

#include "load/files.h"
#include "denied.h"

#define MIB ((size_t)1 << 20)

static const struct variant {
	const char *name;
	struct lull_loader_opts opts;
} variants[] = {
	{ "uring",
	  { .kind = LULL_LOADER_URING, .depth = 8, .chunk_bytes = 4096 } },
	{ "uring, fixed",
	  { .kind = LULL_LOADER_URING,
	    .depth = 5,
	    .chunk_bytes = 8192,
	    .fixed_bytes_min = 1 } },
	{ "uring, one at a time",
	  { .kind = LULL_LOADER_URING, .depth = 1, .chunk_bytes = 65536 } },
	{ "uring, page cache",
	  { .kind = LULL_LOADER_URING,
	    .depth = 4,
	    .chunk_bytes = 4096,
	    .no_direct = true } },
	{ "pread", { .kind = LULL_LOADER_PREAD, .chunk_bytes = 4096 } },
	{ "mmap", { .kind = LULL_LOADER_MMAP, .chunk_bytes = 4096 } },
	{ "auto", { .kind = LULL_LOADER_AUTO } },
};
#define NR_VARIANTS LULL_ARRAY_SIZE(variants)

/* The first from @v on that this host has; the test tells of the others. */
static inline size_t next_variant(size_t v)
{
	while (v < NR_VARIANTS && variants[v].opts.kind == LULL_LOADER_URING &&
	       left_out("uring"))
		v++;
	return v;
}

static inline struct lull_loader *open_variant(size_t i)
{
	struct lull_loader_opts opts = variants[i].opts;
	struct lull_loader *loader = NULL;
	struct lull_error error;

	opts.arena = test_arena();
	opts.nr_threads = 3;
	opts.node = LULL_ARENA_NODE_ANY;
	if (lull_loader_open(&opts, &loader, &error))
		printf("# %s: %s\n", variants[i].name, error.msg);
	return loader;
}

static inline void expect_read(struct lull_loader *loader,
			       const struct lull_load *load, const char *what)
{
	struct lull_error error;

	if (lull_loader_read(loader, load, &error))
		TEST_FAIL_("%s: %s", what, error.msg);
}

#endif
