/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outfile.h - an output that appears whole or not at all
 *
 * Written to a file without a name in the directory of its path, which gets its
 * name on commit: a run that fails, or is killed, leaves neither a half file nor
 * an older one damaged.  Where the file system has no such files (NFS, FAT, some
 * FUSE) the file has a temporary name, ".lull-" and a number, that a kill leaves.
 * A path that is a device or a pipe (/dev/null) is written to directly, and one
 * that is a descriptor (/dev/stdout, /dev/fd/5; base/fdpath.h) by that descriptor,
 * from where it stands.  Refuses directories and detects a full disk.
 */
#ifndef LULL_INPUT_OUTFILE_H
#define LULL_INPUT_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "input/infile.h"
#include "lull.h"

/* For lull_outfile_open(): commit waits until the disk has the file. */
#define LULL_OUTFILE_FSYNC 1u
/* Refuse devices, pipes and descriptors: the output is written at many places at
 * once.  A descriptor of a file that no folder has is taken, and emptied. */
#define LULL_OUTFILE_REGULAR 2u
/* Under a temporary name everywhere; for tests. */
#define LULL_OUTFILE_NAMED 4u

/**
 * struct lull_outfile - an output under way
 * @fd: where bytes go; -1 when empty or closed
 * @flags: as given to lull_outfile_open()
 * @path: the final name, symbolic links resolved; NULL for what is
 *	written to directly
 * @temp: the temporary name; NULL while the file has none
 * @old: the name of the file that was replaced, while it may have to come back
 * @name: for messages
 * @mapped: lull_outfile_map(): its bytes, or NULL
 * @mapped_bytes: how many
 */
struct lull_outfile {
	int fd;
	unsigned int flags;
	char *path;
	char *temp;
	char *old;
	char name[LULL_INFILE_NAME_BYTES];
	uint8_t *mapped;
	uint64_t mapped_bytes;
};

/* What an outfile is before lull_outfile_open(): lull_outfile_discard() leaves
 * it alone. */
/* clang-format off */
#define LULL_OUTFILE_EMPTY { .fd = -1 }
/* clang-format on */

/**
 * lull_outfile_open - begin an output
 * @path: the final name; its directory must exist
 * @flags: LULL_OUTFILE_FSYNC and others, or 0
 * @ret_out: owned by the caller; end it with lull_outfile_commit() or
 *	lull_outfile_discard()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO or LULL_USAGE (LULL_OUTFILE_REGULAR).
 */
int lull_outfile_open(const char *path, unsigned int flags,
		      struct lull_outfile *ret_out, struct lull_error *reterr);

/**
 * lull_outfile_write - append bytes
 * @out: an open output
 * @data: the bytes
 * @bytes: how many
 * @reterr: filled on failure; discard the output then
 *
 * Return: LULL_OK or LULL_IO.
 */
int lull_outfile_write(struct lull_outfile *out, const void *data, size_t bytes,
		       struct lull_error *reterr);

/**
 * lull_outfile_write_at - write bytes at an offset
 * @out: an open output that is not a device or pipe
 * @offset: from the start of the file; a gap reads as zeros
 * @data: the bytes
 * @bytes: how many
 * @reterr: filled on failure; discard the output then
 *
 * For the key generator, whose threads write sections side by side.
 *
 * Return: LULL_OK or LULL_IO.
 */
int lull_outfile_write_at(struct lull_outfile *out, uint64_t offset,
			  const void *data, size_t bytes,
			  struct lull_error *reterr);

/**
 * lull_outfile_resize - give a file its size before its parts are written
 * @out: an open output that is not a device or pipe
 * @bytes: its size; what is not written reads as zeros
 * @reterr: filled on failure; discard the output then
 *
 * Return: LULL_OK or LULL_IO.
 */
int lull_outfile_resize(struct lull_outfile *out, uint64_t bytes,
			struct lull_error *reterr);

/**
 * lull_outfile_read_at - read back what was written
 * @out: an open output that is not a device or pipe
 * @offset: from the start of the file
 * @to: where to
 * @bytes: how many; all of them were written
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_IO.
 */
int lull_outfile_read_at(const struct lull_outfile *out, uint64_t offset,
			 void *to, size_t bytes, struct lull_error *reterr);

/**
 * lull_outfile_map - have threads write side by side, where the file allows it
 * @out: an output of its final size
 * @bytes: that
 *
 * write(2) lets one thread at a time into a file.  One that lies in memory and
 * has no bound (a memfd) is mapped, and lull_outfile_write_at() copies; any other
 * is left as it is, for when it is full a mapping has no error but a signal.
 */
void lull_outfile_map(struct lull_outfile *out, uint64_t bytes);

/**
 * lull_outfile_check_room - whether there is room for what will be written
 * @out: an output
 * @bytes: how much, in all files of its file system
 * @reterr: filled on failure
 *
 * Promises nothing, as others write there too; it is for what takes long.
 *
 * Return: LULL_OK, or LULL_IO.
 */
int lull_outfile_check_room(const struct lull_outfile *out, uint64_t bytes,
			    struct lull_error *reterr);

/**
 * lull_outfile_stream - a stream that appends to an output
 * @out: an open output
 * @ret_stream: the caller's to close, which leaves the output to commit
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_IO.
 */
int lull_outfile_stream(const struct lull_outfile *out, FILE **ret_stream,
			struct lull_error *reterr);

/**
 * lull_outfile_commit - give one or more outputs their names
 * @outs: open outputs
 * @nr: how many
 * @reterr: filled on failure
 *
 * All are written out (and synced, where asked) before the first gets its name,
 * so a full disk leaves every name as it was.  When one cannot have its name,
 * those that have lose it, and the files that they replaced are there again: where
 * names can be exchanged or a file can have two.  A file that replaces one has its
 * permissions and its group; where it cannot have that, or an access control list
 * says more than they, its group has none.  Every output is ended, on failure too.
 *
 * Return: LULL_OK or LULL_IO.
 */
int lull_outfile_commit(struct lull_outfile *outs, size_t nr,
			struct lull_error *reterr);

/**
 * lull_outfile_discard - end an output that was not committed
 * @out: the output; an empty or ended one is left alone
 */
void lull_outfile_discard(struct lull_outfile *out);

/**
 * lull_outfile_same - whether writing to one path would replace another
 * @path: an output's path; need not exist
 * @other: an input's path, or another output's
 *
 * Follows symbolic links and knows hard links.  Devices and pipes are not
 * replaced and are never the same.
 *
 * Return: true when both name one file, or one name in one directory.
 */
bool lull_outfile_same(const char *path, const char *other);

#endif
