/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loader.h - files into memory, as fast as the disk has them
 *
 * For whoever reads keys and witnesses, and for `lull bench load`.  A loader
 * takes extents (input/extent.h) and returns when they are in memory:
 *
 *	uring	io_uring, O_DIRECT where the file system has it, many large reads
 *		in flight
 *	pread	pread(2) by several threads, through the page cache
 *	mmap	the same from a mapping
 *
 * The last two are its twins: the same bytes, the same faults.  Threads of the
 * loader's own read, copy and land; those that wait for a disk keep nobody from
 * computing.
 *
 * Refuses what cannot be read at an offset (a pipe, a socket) and extents that
 * exceed their file.  A file that is cut short meanwhile is an error with every
 * loader, never a signal.
 */
#ifndef LULL_LOAD_LOADER_H
#define LULL_LOAD_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/extent.h"
#include "lull.h"

struct lull_arena;
struct lull_loader;

/**
 * enum lull_loader_kind - how files are read
 * @LULL_LOADER_AUTO: uring where it works, and pread for what is small or in
 *	the page cache already
 * @LULL_LOADER_URING: io_uring, from the disk even what is in the page cache
 * @LULL_LOADER_PREAD: pread(2)
 * @LULL_LOADER_MMAP: a mapping
 */
enum lull_loader_kind {
	LULL_LOADER_AUTO,
	LULL_LOADER_URING,
	LULL_LOADER_PREAD,
	LULL_LOADER_MMAP,
};
#define LULL_LOADER_NR_KINDS 4

/* "auto", "uring", "pread", "mmap"; static. */
const char *lull_loader_kind_name(enum lull_loader_kind kind);

/* The kind of that name in *ret_kind; false when there is none. */
bool lull_loader_kind_find(const char *name, enum lull_loader_kind *ret_kind);

#define LULL_LOADER_DEPTH_MAX 256u
#define LULL_LOADER_CHUNK_MIN ((size_t)4096)
#define LULL_LOADER_CHUNK_MAX ((size_t)64 << 20)

/**
 * struct lull_loader_opts - what loader is wanted
 * @kind: how to read
 * @arena: what is read lies in it: its slabs become io_uring's fixed buffers,
 *	and copies on the way lie there; outlives the loader
 * @nr_threads: threads that land, copy and read; 0 for one
 * @depth: reads in flight, at most LULL_LOADER_DEPTH_MAX; 0 for the default
 * @chunk_bytes: of one read: a power of two from LULL_LOADER_CHUNK_MIN to
 *	LULL_LOADER_CHUNK_MAX; 0 for the default
 * @node: the NUMA node on whose CPUs the threads run, of those that they may use, or
 *	LULL_ARENA_NODE_ANY
 * @no_direct: uring: through the page cache
 * @fixed_bytes_min: uring: registers the arena with the first load of so many
 *	bytes, which has all of its pages faulted in; 0 for the default, SIZE_MAX
 *	for never
 */
struct lull_loader_opts {
	enum lull_loader_kind kind;
	struct lull_arena *arena;
	unsigned int nr_threads;
	unsigned int depth;
	size_t chunk_bytes;
	int node;
	bool no_direct;
	size_t fixed_bytes_min;
};

/**
 * lull_loader_open - a loader, idle
 * @opts: what is wanted
 * @ret_loader: owned by the caller; end it with lull_loader_close()
 * @reterr: filled on failure
 *
 * Threads start with the first load.  LULL_LOADER_URING works or this fails;
 * LULL_LOADER_AUTO goes on with pread and notes why (lull_loader_note()).
 *
 * Return: LULL_OK, LULL_NOMEM, LULL_IO, LULL_UNSUPPORTED (no io_uring here, or
 * no such node) or LULL_USAGE.
 */
int lull_loader_open(const struct lull_loader_opts *opts,
		     struct lull_loader **ret_loader,
		     struct lull_error *reterr);

/**
 * lull_loader_open_named - a loader as somebody names it
 * @name: of its kind; NULL for auto
 * @arena: as in struct lull_loader_opts
 * @nr_threads: that the caller computes with; as many as are of use read
 * @node: as in struct lull_loader_opts
 * @ret_loader: as lull_loader_open()
 * @reterr: filled on failure
 *
 * Return: as lull_loader_open(); LULL_USAGE for a name that is none.
 */
int lull_loader_open_named(const char *name, struct lull_arena *arena,
			   unsigned int nr_threads, int node,
			   struct lull_loader **ret_loader,
			   struct lull_error *reterr);

/* Takes NULL.  No load may be under way. */
void lull_loader_close(struct lull_loader *loader);

/**
 * lull_loader_read - read extents
 * @loader: the loader
 * @load: what to read
 * @reterr: filled on failure
 *
 * Blocks; what it returns stands at struct lull_reader.  When it fails the
 * destinations hold anything.
 *
 * Context: any thread; several loads at once share the depth, the earlier one
 * first.
 */
int lull_loader_read(struct lull_loader *loader, const struct lull_load *load,
		     struct lull_error *reterr);

/**
 * lull_loader_buffers_bytes - what a load has of the arena beside its places
 * @loader: the loader
 * @bytes: of a file that is read whole into one block of the arena
 *
 * For who wants that memory to be there before.
 *
 * Return: the most that it has at one time, given back when it ends.
 */
size_t lull_loader_buffers_bytes(const struct lull_loader *loader,
				 uint64_t bytes);

/* The same as a parser takes it; lives as long as the loader. */
const struct lull_reader *lull_loader_reader(struct lull_loader *loader);

/**
 * lull_loader_register - have the arena's memory as fixed buffers from now on
 * @loader: the loader; not uring: nothing is done
 *
 * As the first large load would, which is then not held up by it.
 */
void lull_loader_register(struct lull_loader *loader);

/**
 * lull_loader_unregister - let go of the arena's memory
 * @loader: the loader
 *
 * For an engine that is idle: what is registered cannot be taken back by the
 * kernel.  A load that is under way goes on with plain buffers, and the next
 * large one registers again.
 */
void lull_loader_unregister(struct lull_loader *loader);

/* The kind in use: never LULL_LOADER_AUTO. */
enum lull_loader_kind lull_loader_kind(const struct lull_loader *loader);

/**
 * lull_loader_describe - a loader in a few words
 * @loader: the loader
 * @buf: receives "uring (32 reads of 2 MiB in flight, node 0)" or the like, and
 *	a NUL
 * @bytes: size of @buf; what does not fit is cut off
 */
void lull_loader_describe(const struct lull_loader *loader, char *buf,
			  size_t bytes);

/**
 * lull_loader_note - why a loader is not a better one
 * @loader: the loader
 * @index: from 0
 *
 * Return: a line, which lives as long as the loader; NULL after the last.
 */
const char *lull_loader_note(struct lull_loader *loader, size_t index);

/**
 * struct lull_loader_stats - what a loader has done; all counters but the last
 * @loads: that ended well
 * @bytes: of them
 * @direct_bytes: read with O_DIRECT
 * @buffered_bytes: by io_uring through the page cache
 * @plain_bytes: by pread(2)
 * @mapped_bytes: from a mapping
 * @fixed_bytes: of the first two, into fixed buffers
 * @copied_bytes: by way of a buffer, for their alignment
 * @reads: system's reads, or entries of the ring
 * @short_reads: that had to be gone on with
 * @retries: after EAGAIN or EINTR
 * @canceled_reads: taken back, or waited for, when a load failed
 * @registered_bytes: fixed buffers now
 */
struct lull_loader_stats {
	uint64_t loads;
	uint64_t bytes;
	uint64_t direct_bytes;
	uint64_t buffered_bytes;
	uint64_t plain_bytes;
	uint64_t mapped_bytes;
	uint64_t fixed_bytes;
	uint64_t copied_bytes;
	uint64_t reads;
	uint64_t short_reads;
	uint64_t retries;
	uint64_t canceled_reads;
	uint64_t registered_bytes;
};

/* Copies the counters. */
void lull_loader_stats(struct lull_loader *loader,
		       struct lull_loader_stats *ret_stats);

#endif
