/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lkey_head.h - what lkey.c needs of lkey_head.c
 */
#ifndef LULL_INPUT_LKEY_HEAD_H
#define LULL_INPUT_LKEY_HEAD_H

#include "input/lkey.h"

/* Of each matrix: starts, columns, numbers. */
#define LULL_LKEY_ROWS_SECTIONS 3
/* How much of a hash is shown: two fit into a message. */
#define LULL_LKEY_HASH_SHOWN 8
#define LULL_LKEY_HASH_TEXT (2 * LULL_LKEY_HASH_SHOWN + 1)

/* Reads and checks the head at @p into @key->head; @key->in has the name and
 * the file's size, and @p LULL_LKEY_HEAD_BYTES, or all if the file has fewer.
 * LULL_OK, LULL_FORMAT, LULL_RANGE or LULL_UNSUPPORTED. */
int lull_lkey_read_head(struct lull_lkey *key, const uint8_t *p,
			struct lull_error *reterr);

/* The first digits of a hash. */
void lull_lkey_hash_text(char text[LULL_LKEY_HASH_TEXT], const uint8_t *hash);

/* What is wrong at one place of a section.  Returns @code. */
int lull_lkey_fail(const struct lull_lkey *key, uint32_t number,
		   uint64_t offset, struct lull_error *reterr,
		   enum lull_status code, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

#endif
