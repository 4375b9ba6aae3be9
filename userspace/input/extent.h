/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extent.h - what of a file goes where in memory
 *
 * For parsers, which say where arrays lie, and for load/, which reads them.
 * Holds no data and reads nothing.  A parser does not know load/: whoever gives
 * it memory gives it a struct lull_reader too.
 */
#ifndef LULL_INPUT_EXTENT_H
#define LULL_INPUT_EXTENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lull_error;

/**
 * struct lull_load_file - an open file
 * @fd: anything that can be read at an offset; stays the caller's
 * @bytes: its size when it was opened
 * @name: for messages
 */
struct lull_load_file {
	int fd;
	uint64_t bytes;
	const char *name;
};

/**
 * enum lull_extent_kind - what the bytes are
 * @LULL_EXTENT_BYTES: of no matter to who reads them
 * @LULL_EXTENT_SCALARS: values below r
 * @LULL_EXTENT_POINTS: points of a curve
 */
enum lull_extent_kind {
	LULL_EXTENT_BYTES,
	LULL_EXTENT_SCALARS,
	LULL_EXTENT_POINTS,
};

/* The largest unit: a sector at least, so that a unit lies in two chunks at
 * most.  A point of G2 of BLS12-381 has 192 bytes. */
#define LULL_EXTENT_UNIT_MAX ((size_t)512)

/**
 * struct lull_file_extent - a piece of a file and its place
 * @source: the file
 * @offset: in it
 * @bytes: how many; 0 is fine
 * @to: where they go, at any alignment
 * @kind: what they are
 * @unit_bytes: of one of them, at most LULL_EXTENT_UNIT_MAX; @bytes is a
 *	multiple.  0 when nobody lands them.
 */
struct lull_file_extent {
	const struct lull_load_file *source;
	uint64_t offset;
	uint64_t bytes;
	void *to;
	enum lull_extent_kind kind;
	size_t unit_bytes;
};

/**
 * struct lull_load - extents to be read together
 * @extents: of one file or several
 * @nr_extents: how many
 * @land: what is done with units when they are in their place: checked, turned
 *	into another form there.  Called for runs of whole units, each unit
 *	once, in any order, by several threads at once.  NULL for nothing.
 * @done: an extent has landed whole; called once for each, by any thread, in
 *	any order, unless the load fails.  NULL for nobody.
 * @arg: handed to @land and @done
 * @secret: copies on the way are wiped
 * @cancel: when it becomes true the load ends with LULL_CANCELED; may be NULL
 */
struct lull_load {
	const struct lull_file_extent *extents;
	size_t nr_extents;
	int (*land)(void *arg, const struct lull_file_extent *extent,
		    uint64_t first, size_t nr, uint8_t *units,
		    struct lull_error *reterr);
	void (*done)(void *arg, const struct lull_file_extent *extent);
	void *arg;
	bool secret;
	const atomic_bool *cancel;
};

/**
 * struct lull_reader - who reads
 * @read: reads everything, and returns when nothing is under way any more:
 *	LULL_OK, LULL_IO, LULL_RANGE (an extent outside its file), LULL_USAGE,
 *	LULL_NOMEM, LULL_CANCELED or what @land returned.  Of several faults it
 *	tells the one that comes first in the order of extents and offsets.
 * @arg: handed to @read
 */
struct lull_reader {
	int (*read)(void *arg, const struct lull_load *load,
		    struct lull_error *reterr);
	void *arg;
};

#endif
