/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keyfile.h - a proving key from any file that holds one
 *
 * Tells a .lkey from a .zkey by its magic, reads it and says where its parts
 * lie.
 */
#ifndef LULL_INPUT_KEYFILE_H
#define LULL_INPUT_KEYFILE_H

#include "input/lkey.h"
#include "input/parts.h"
#include "input/zkey.h"

/**
 * struct lull_keyfile - an open key
 * @parts: what it holds
 * @zkey: owns it, or is empty; its coefficients are not checked yet
 * @lkey: owns it, or is empty
 */
struct lull_keyfile {
	struct lull_parts parts;
	struct lull_zkey zkey;
	struct lull_lkey lkey;
};

/**
 * lull_keyfile_open - read a key into an arena
 * @path: the file
 * @memory: where to, and with whose help
 * @ret_file: owned by the caller; end it with lull_keyfile_close()
 * @reterr: filled on failure
 *
 * Return: as lull_zkey_open() or lull_lkey_open().
 */
int lull_keyfile_open(const char *path, const struct lull_infile_memory *memory,
		      struct lull_keyfile *ret_file, struct lull_error *reterr);

/**
 * lull_keyfile_open_mem - the same from the caller's memory
 * @data: not copied; must outlive the key
 * @bytes: its size
 * @name: what messages call it
 * @look: who looks at points of a native key; NULL for nobody
 * @workers: who checks
 * @ret_file: owned by the caller; end it with lull_keyfile_close()
 * @reterr: filled on failure
 *
 * Return: as lull_keyfile_open(), without LULL_IO.
 */
int lull_keyfile_open_mem(const void *data, size_t bytes, const char *name,
			  const struct lull_look *look,
			  struct lull_workers *workers,
			  struct lull_keyfile *ret_file,
			  struct lull_error *reterr);

/* Gives the memory back and empties; an empty one is left alone. */
void lull_keyfile_close(struct lull_keyfile *file);

#endif
