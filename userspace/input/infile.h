/* SPDX-License-Identifier: Apache-2.0 */
/*
 * infile.h - one input file, whole in memory
 *
 * For the parsers of this folder.  Keys and witnesses are read into an arena,
 * by whoever the caller has for that (extent.h), and JSON and proofs into memory
 * of their own: what happens to the file afterwards does not matter, and what
 * happens to it meanwhile is an error.  Of a key that is converted only its
 * structure is read here.  Circuits alone are mapped and read in place, for they
 * are as large as keys and nobody keeps them; one that another process cuts
 * short meanwhile raises SIGBUS.
 *
 * Refuses what is not a regular file and what is empty, and does not wait on a
 * pipe.
 */
#ifndef LULL_INPUT_INFILE_H
#define LULL_INPUT_INFILE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/arena.h"
#include "input/extent.h"
#include "input/instream.h"
#include "lull.h"

struct lull_look;
struct lull_workers;

/**
 * struct lull_infile - bytes and the name they go by
 * @data: the first byte; NULL when empty
 * @bytes: how many
 * @left_bytes: how many more the file has, which were not read
 * @mapped: @data is ours to unmap, and @stream to close
 * @sparse: of @data there is only what lull_infile_need() has read
 * @vec: owns @data when it was read into an arena
 * @stream: the file, while it is mapped or sparse
 * @name: the file's name, cut at the front to fit
 */
struct lull_infile {
	const uint8_t *data;
	uint64_t bytes;
	uint64_t left_bytes;
	bool mapped;
	bool sparse;
	struct lull_vec vec;
	struct lull_instream stream;
	char name[LULL_INFILE_NAME_BYTES];
};

/**
 * lull_infile_map - map a file
 * @path: a regular file that is not empty
 * @ret_file: owned by the caller; end it with lull_infile_close()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_FORMAT (empty) or LULL_USAGE (no regular
 * file).
 */
int lull_infile_map(const char *path, struct lull_infile *ret_file,
		    struct lull_error *reterr);

/* The same of a file of which nothing is read: each byte has its place, which may
 * not be looked at before lull_infile_need() was asked for it. */
int lull_infile_open_sparse(const char *path, struct lull_infile *ret_file,
			    struct lull_error *reterr);

/**
 * lull_infile_need - have some bytes of a sparse file
 * @file: any; nothing is done where everything is there
 * @offset: of the first
 * @bytes: how many; offset + bytes is at most @file->bytes
 * @reterr: filled on failure
 *
 * Context: one thread at a time.
 *
 * Return: LULL_OK, LULL_IO (also when the file has become shorter) or LULL_NOMEM.
 */
int lull_infile_need(const struct lull_infile *file, uint64_t offset,
		     uint64_t bytes, struct lull_error *reterr);

/* All of it, and it has not changed meanwhile: not before its size is known to be
 * one that memory may be taken for.  LULL_OK, LULL_IO or LULL_NOMEM. */
int lull_infile_need_all(const struct lull_infile *file,
			 struct lull_error *reterr);

/* Whether a file that is mapped or sparse is still what was opened; always true of
 * what was read.  LULL_OK or LULL_IO. */
int lull_infile_same(const struct lull_infile *file, struct lull_error *reterr);

/**
 * struct lull_infile_plan - what of a file is read
 * @bytes: so much, from its start; the whole file unless it is changed
 * @landing: the array of it that lands while the rest is read: offset, bytes,
 *	kind and unit; none of no bytes
 */
struct lull_infile_plan {
	uint64_t bytes;
	struct lull_file_extent landing;
};

/**
 * struct lull_infile_memory - where to read files to
 * @arena: where they lie
 * @workers: for what is done with them
 * @reader: who reads; NULL for the calling thread alone
 * @look: who looks at a native key's points; NULL for nobody
 * @flags: LULL_CARVE_SECRET for a witness, or 0
 * @plan: tells from a file's head what of it is read and what lands, or
 *	refuses it; NULL for the whole file and nothing.  Without @reader
 *	nothing lands.
 * @land: takes its units, as in struct lull_load
 * @arg: handed to both
 * @cancel: as in struct lull_load
 */
struct lull_infile_memory {
	struct lull_arena *arena;
	struct lull_workers *workers;
	const struct lull_reader *reader;
	const struct lull_look *look;
	unsigned int flags;
	int (*plan)(void *arg, const struct lull_infile *head,
		    struct lull_infile_plan *plan, struct lull_error *reterr);
	int (*land)(void *arg, const struct lull_file_extent *extent,
		    uint64_t first, size_t nr, uint8_t *units,
		    struct lull_error *reterr);
	void *arg;
	const atomic_bool *cancel;
};

/* What of a file is looked at before the rest is read: the header of a witness
 * and where its values are, and the first value of a raw dump of one. */
#define LULL_INFILE_HEAD_BYTES 128

/**
 * lull_infile_read - read a file into an arena
 * @path: a regular file that is not empty
 * @memory: where to, and with whose help
 * @check: refuses a file of another kind before memory is taken for it; sees
 *	the first LULL_INFILE_HEAD_BYTES, or all if there are fewer, and the
 *	whole size
 * @arg: handed to @check
 * @ret_file: owned by the caller; end it with lull_infile_close()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO (also when the file changed meanwhile), LULL_NOMEM,
 * LULL_FORMAT (empty), LULL_USAGE (no regular file) or what @check returns.
 */
int lull_infile_read(const char *path, const struct lull_infile_memory *memory,
		     int (*check)(const void *arg,
				  const struct lull_infile *head,
				  struct lull_error *reterr),
		     const void *arg, struct lull_infile *ret_file,
		     struct lull_error *reterr);

/* The name and the size of an open input; no data yet. */
struct lull_infile lull_infile_of(const struct lull_instream *in);

/**
 * lull_infile_fail - describe what is wrong at one place of a file
 * @name: the file
 * @number: of the section
 * @section: what people call it, or NULL
 * @offset: in the file
 * @reterr: filled; may be NULL
 * @code: what to return
 * @fmt: what is wrong, behind "FILE: section 4 (coefficients), offset 0x30: "
 * @args: of @fmt
 *
 * Return: @code.
 */
int lull_infile_fail(const char *name, uint32_t number, const char *section,
		     uint64_t offset, struct lull_error *reterr,
		     enum lull_status code, const char *fmt, va_list args)
	__attribute__((format(printf, 7, 0)));

/**
 * lull_infile_open_mem - take the caller's memory as a file
 * @data: not copied; must outlive the file
 * @bytes: its size; 0 is refused as an empty file
 * @name: what messages call it
 * @ret_file: owned by the caller
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_FORMAT (empty).
 */
int lull_infile_open_mem(const void *data, size_t bytes, const char *name,
			 struct lull_infile *ret_file,
			 struct lull_error *reterr);

/**
 * lull_infile_close - give the memory back; an empty one is left alone
 * @file: the file
 */
void lull_infile_close(struct lull_infile *file);

#endif
