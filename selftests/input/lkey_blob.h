/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lkey_blob.h - native key files, made, taken apart and sealed again
 *
 * For the tests of input/ and prove/ and the fuzz target.  Knows the table of
 * the head on its own.
 */
#ifndef LULL_SELFTESTS_LKEY_BLOB_H
#define LULL_SELFTESTS_LKEY_BLOB_H

#include <unistd.h>

#include "base/hash.h"
#include "input/files.h"

#define LKEY_HEAD 4096
#define LKEY_NR_INF 64
#define LKEY_TABLE 128
#define LKEY_ENTRY 40
#define LKEY_SECTIONS 14
#define LKEY_CHUNK ((size_t)2 << 20)

/* Entry @i of the table: where its section is, and how long. */
static inline size_t lkey_offset(const struct blob *b, unsigned int i)
{
	return (size_t)lull_load_u64(b->data + LKEY_TABLE + i * LKEY_ENTRY + 8);
}

static inline size_t lkey_bytes(const struct blob *b, unsigned int i)
{
	return (size_t)lull_load_u64(b->data + LKEY_TABLE + i * LKEY_ENTRY +
				     16);
}

/* The entry of section @number. */
static inline unsigned int lkey_entry(const struct blob *b, uint32_t number)
{
	unsigned int i = 0;

	while (lull_load_u32(b->data + LKEY_TABLE + i * LKEY_ENTRY) != number)
		i++;
	return i;
}

/* The first byte of section @number. */
static inline size_t lkey_at(const struct blob *b, uint32_t number)
{
	return lkey_offset(b, lkey_entry(b, number));
}

static inline void lkey_seal_head(struct blob *b)
{
	lull_hash(b->data, LKEY_HEAD - LULL_HASH_BYTES,
		  b->data + LKEY_HEAD - LULL_HASH_BYTES);
}

/* Makes the hash of every section that lies in the file right, then the
 * head's. */
static inline void lkey_seal(struct blob *b)
{
	uint8_t hashes[64 * LULL_HASH_BYTES];
	unsigned int i;
	size_t at, left, part, nr;

	for (i = 0; i < LKEY_SECTIONS; i++) {
		at = lkey_offset(b, i);
		left = lkey_bytes(b, i);
		if (at > b->bytes || left > b->bytes - at ||
		    left > 64 * LKEY_CHUNK)
			continue;
		for (nr = 0; left; nr++, at += part, left -= part) {
			part = left < LKEY_CHUNK ? left : LKEY_CHUNK;
			lull_hash(b->data + at, part,
				  hashes + nr * LULL_HASH_BYTES);
		}
		lull_hash(hashes, nr * LULL_HASH_BYTES,
			  b->data + LKEY_TABLE + i * LKEY_ENTRY + 24);
	}
	lkey_seal_head(b);
}

/* A .zkey of memory, converted on @nr_threads; @r1cs folds it. */
static inline struct blob lkey_of(const struct blob *zkey, const char *r1cs,
				  unsigned int nr_threads)
{
	const struct lull_convert_opts opts = { .size = sizeof(opts),
						.r1cs_path = r1cs,
						.fold_c = r1cs != NULL };
	struct lull_ctx_opts ctx_opts = { .size = sizeof(ctx_opts),
					  .nr_threads = nr_threads,
					  .backend = "cpu" };
	char in[64] = "/tmp/lull-zkey-XXXXXX", out[64];
	struct lull_error error = { 0 };
	struct lull_ctx *ctx = NULL;
	struct blob b = { 0 };
	int fd = mkstemp(in), err;

	if (fd >= 0)
		close(fd);
	snprintf(out, sizeof(out), "%s.lkey", in);
	blob_write(zkey, in);
	err = lull_ctx_create(&ctx_opts, &ctx, &error);
	if (!err)
		err = lull_key_convert(ctx, in, out, &opts, &error);
	lull_ctx_destroy(ctx);
	if (err)
		printf("# converting: %s\n", error.msg);
	else
		b = blob_read(out);
	unlink(in);
	unlink(out);
	return b;
}

#endif
