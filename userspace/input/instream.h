/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instream.h - an input that is read piece by piece, from any thread
 *
 * For infile.c and for parsers whose input is not kept as it is.  Refuses what
 * is not a regular file and what is empty, does not wait on a pipe, and knows
 * afterwards whether the file changed meanwhile.
 */
#ifndef LULL_INPUT_INSTREAM_H
#define LULL_INPUT_INSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "lull.h"

struct lull_reader;

/* A name as it stands in messages: the last part of a long path, so that the
 * rest of the message has room in struct lull_error. */
#define LULL_INFILE_NAME_BYTES 97

/**
 * struct lull_instream - an open input
 * @fd: the file; -1 for the caller's memory
 * @data: the caller's memory; NULL for a file
 * @bytes: how many there are
 * @reader: who reads a file; NULL, as it is opened: the calling thread
 * @changed: when the file was last written, at its opening
 * @name: the file's name, cut at the front to fit
 */
struct lull_instream {
	int fd;
	const uint8_t *data;
	uint64_t bytes;
	const struct lull_reader *reader;
	struct timespec changed;
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
 * lull_instream_open - open a file
 * @path: a regular file that is not empty
 * @ret_in: owned by the caller; end it with lull_instream_close()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_FORMAT (empty) or LULL_USAGE (no regular
 * file).
 */
int lull_instream_open(const char *path, struct lull_instream *ret_in,
		       struct lull_error *reterr);

/**
 * lull_instream_open_mem - take the caller's memory as a file
 * @data: not copied; must outlive the input
 * @bytes: its size; 0 is refused as an empty file
 * @name: what messages call it
 * @ret_in: owned by the caller
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_FORMAT (empty).
 */
int lull_instream_open_mem(const void *data, size_t bytes, const char *name,
			   struct lull_instream *ret_in,
			   struct lull_error *reterr);

/**
 * lull_instream_read - read some bytes
 * @in: the input
 * @offset: of the first
 * @to: where to
 * @bytes: how many; offset + bytes is at most @in->bytes
 * @reterr: filled on failure
 *
 * Context: any thread, several at once.
 *
 * Return: LULL_OK, LULL_IO (also when the file has become shorter) or what
 * @in->reader returns.
 */
int lull_instream_read(const struct lull_instream *in, uint64_t offset,
		       void *to, size_t bytes, struct lull_error *reterr);

/**
 * lull_instream_same - is the file still what was opened?
 * @in: the input
 * @reterr: filled on failure
 *
 * Return: LULL_OK, or LULL_IO when its size or its time of writing changed.
 */
int lull_instream_same(const struct lull_instream *in,
		       struct lull_error *reterr);

/* Says so of the file @name, by whatever it was seen.  Returns LULL_IO. */
int lull_instream_fail_changed(const char *name, struct lull_error *reterr);

/* Ends it; one that was closed is left alone. */
void lull_instream_close(struct lull_instream *in);

#endif
