/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.h - large vectors, and the wiping of secrets
 *
 * Vectors are anonymous mappings, zeroed by the kernel, aligned to 2 MiB and
 * backed by transparent huge pages when they are 2 MiB or more.
 */
#ifndef LULL_BASE_MEM_H
#define LULL_BASE_MEM_H

#include <stddef.h>

/**
 * struct lull_vec - one owned block of memory
 * @ptr: the block, aligned to at least 64 bytes; NULL when empty
 * @bytes: its size as asked for
 */
struct lull_vec {
	void *ptr;
	size_t bytes;
};

/* Gives @ret_vec a zeroed block; a size of 0 is valid.  LULL_OK or LULL_NOMEM.
 * @what names the block in the message. */
struct lull_error;
int lull_vec_alloc(struct lull_vec *ret_vec, size_t bytes, const char *what,
		   struct lull_error *reterr);

/* Frees the block and empties *vec; an empty one is left alone. */
void lull_vec_done(struct lull_vec *vec);

/* As lull_vec_done(), overwriting the block first. */
void lull_vec_wipe_done(struct lull_vec *vec);

/* Overwrites a secret; the compiler does not remove it. */
void lull_wipe(void *ptr, size_t bytes);

#endif
