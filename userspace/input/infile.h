/* SPDX-License-Identifier: Apache-2.0 */
/*
 * infile.h - one input file, mapped whole and read in place
 *
 * For the parsers of this folder.  Refuses what is not a regular file and what
 * is empty, and does not wait on a pipe.  A file that another process cuts
 * short while it is mapped raises SIGBUS: the kernel offers no cheaper guard
 * than a copy, so keys and witnesses must not be rewritten in place while they
 * are in use.
 */
#ifndef LULL_INPUT_INFILE_H
#define LULL_INPUT_INFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lull.h"

/* A name as it stands in messages: the last part of a long path, so that the
 * rest of the message has room in struct lull_error. */
#define LULL_INFILE_NAME_BYTES 97

/**
 * struct lull_infile - bytes and the name they go by
 * @data: the first byte; NULL when empty
 * @bytes: how many
 * @mapped: @data is ours to unmap
 * @name: the file's name, cut at the front to fit
 */
struct lull_infile {
	const uint8_t *data;
	uint64_t bytes;
	bool mapped;
	char name[LULL_INFILE_NAME_BYTES];
};

/**
 * lull_infile_name - shorten a path for messages
 * @path: the path; NULL reads as "(memory)"
 * @ret_name: "..." and the end of @path when it is too long; bytes that do not
 *	print become '?', so that a message stays one line
 */
void lull_infile_name(const char *path, char ret_name[LULL_INFILE_NAME_BYTES]);

/**
 * lull_infile_open - map a file
 * @path: a regular file that is not empty
 * @ret_file: owned by the caller; end it with lull_infile_close()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_FORMAT (empty) or LULL_USAGE (no regular
 * file).
 */
int lull_infile_open(const char *path, struct lull_infile *ret_file,
		     struct lull_error *reterr);

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
 * lull_infile_close - unmap and empty; an empty one is left alone
 * @file: the file
 */
void lull_infile_close(struct lull_infile *file);

#endif
