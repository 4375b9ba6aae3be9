/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.h - files held in memory, taken apart and put together again
 *
 * For the tests of input/: reads a good file and makes the bad one that a test
 * needs.  Knows the container on its own, without the code under test.
 */
#ifndef LULL_SELFTESTS_INPUT_FILES_H
#define LULL_SELFTESTS_INPUT_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "lull.h"

#define GOLDEN "selftests/golden/"

/* Outputs and errors hold this before a call that must leave them alone. */
#define POISON 0xa5

/* One allocation of exactly the file's size, so that a sanitizer sees a read
 * behind its end. */
struct blob {
	uint8_t *data;
	size_t bytes;
};

static inline void *must_alloc(size_t bytes)
{
	void *p = malloc(bytes ? bytes : 1);

	if (!p) {
		printf("Bail out! no memory for a test\n");
		exit(1);
	}
	return p;
}

static inline struct blob blob_copy(const void *data, size_t bytes)
{
	struct blob b = { must_alloc(bytes), bytes };

	if (bytes)
		memcpy(b.data, data, bytes);
	return b;
}

static inline struct blob blob_read(const char *path)
{
	struct blob b = { 0 };
	FILE *f = fopen(path, "rb");
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) {
		printf("Bail out! %s cannot be read\n", path);
		exit(1);
	}
	rewind(f);
	b.bytes = (size_t)size;
	b.data = must_alloc(b.bytes);
	if (fread(b.data, 1, b.bytes, f) != b.bytes) {
		printf("Bail out! %s cannot be read\n", path);
		exit(1);
	}
	fclose(f);
	return b;
}

static inline void blob_free(struct blob *b)
{
	free(b->data);
	*b = (struct blob){ 0 };
}

static inline void blob_put_u32(struct blob *b, size_t at, uint32_t value)
{
	memcpy(b->data + at, &value, sizeof(value));
}

static inline void blob_put_u64(struct blob *b, size_t at, uint64_t value)
{
	memcpy(b->data + at, &value, sizeof(value));
}

static inline void blob_append(struct blob *b, const void *data, size_t bytes)
{
	uint8_t *grown = must_alloc(b->bytes + bytes);

	memcpy(grown, b->data, b->bytes);
	if (bytes)
		memcpy(grown + b->bytes, data, bytes);
	free(b->data);
	b->data = grown;
	b->bytes += bytes;
}

/* Where the header of section @type stands; 0 when there is none. */
static inline size_t blob_find(const struct blob *b, uint32_t type)
{
	uint32_t nr = lull_load_u32(b->data + 8);
	size_t at = 12;

	while (nr--) {
		if (lull_load_u32(b->data + at) == type)
			return at;
		at += 12 + (size_t)lull_load_u64(b->data + at + 4);
	}
	return 0;
}

/* Where the payload of section @type stands. */
static inline size_t blob_payload(const struct blob *b, uint32_t type)
{
	return blob_find(b, type) + 12;
}

static inline void blob_add_section(struct blob *b, uint32_t type,
				    const void *data, uint64_t bytes)
{
	blob_put_u32(b, 8, lull_load_u32(b->data + 8) + 1);
	blob_append(b, &type, sizeof(type));
	blob_append(b, &bytes, sizeof(bytes));
	blob_append(b, data, (size_t)bytes);
}

/* A header without sections, as @b has it. */
static inline struct blob blob_header(const struct blob *b)
{
	struct blob out = blob_copy(b->data, 12);

	blob_put_u32(&out, 8, 0);
	return out;
}

/* The same sections in the order of @types, which ends with 0. */
static inline struct blob blob_reorder(const struct blob *b,
				       const uint32_t *types)
{
	struct blob out = blob_header(b);

	for (; *types; types++) {
		size_t at = blob_find(b, *types);

		blob_add_section(&out, *types, b->data + at + 12,
				 lull_load_u64(b->data + at + 4));
	}
	return out;
}

/* The same file with section @type made @bytes long: cut, or filled with
 * zeros. */
static inline struct blob blob_resize(const struct blob *b, uint32_t type,
				      size_t bytes)
{
	struct blob out = blob_header(b);
	uint32_t nr = lull_load_u32(b->data + 8);
	size_t at = 12;

	while (nr--) {
		uint32_t t = lull_load_u32(b->data + at);
		size_t size = (size_t)lull_load_u64(b->data + at + 4);

		if (t != type) {
			blob_add_section(&out, t, b->data + at + 12, size);
		} else {
			uint8_t *payload = must_alloc(bytes);

			memset(payload, 0, bytes);
			memcpy(payload, b->data + at + 12,
			       size < bytes ? size : bytes);
			blob_add_section(&out, t, payload, bytes);
			free(payload);
		}
		at += 12 + size;
	}
	return out;
}

/* The same file without section @type. */
static inline struct blob blob_without(const struct blob *b, uint32_t type)
{
	struct blob out = blob_header(b);
	uint32_t nr = lull_load_u32(b->data + 8);
	size_t at = 12;

	while (nr--) {
		uint32_t t = lull_load_u32(b->data + at);
		uint64_t size = lull_load_u64(b->data + at + 4);

		if (t != type)
			blob_add_section(&out, t, b->data + at + 12, size);
		at += 12 + (size_t)size;
	}
	return out;
}

/* Whether every byte of an output is still the poison. */
static inline int untouched(const void *p, size_t bytes)
{
	const uint8_t *q = p;

	while (bytes--)
		if (*q++ != POISON)
			return 0;
	return 1;
}

/* Writes a blob to the file @path. */
static inline void blob_write(const struct blob *b, const char *path)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(b->data, 1, b->bytes, f) != b->bytes || fclose(f)) {
		printf("Bail out! %s cannot be written\n", path);
		exit(1);
	}
}

#endif
