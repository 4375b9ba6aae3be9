/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binfile.h - the container of .zkey, .wtns, .r1cs and .ptau files
 *
 * Indexes the sections of a file or of the caller's memory.  Sections
 * may stand in any order and are not aligned; offsets and sizes have 64 bits.
 * Refuses a wrong magic or version, a table that runs past the end of the
 * file, a type that comes twice and more than LULL_BINFILE_SECTIONS_MAX
 * sections.  Bytes behind the last section are counted, not refused.
 */
#ifndef LULL_INPUT_BINFILE_H
#define LULL_INPUT_BINFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "curve/facts.h"
#include "input/infile.h"
#include "lull.h"

/* Before the sections: magic, u32 version, u32 number of sections. */
#define LULL_BINFILE_HEAD_BYTES 12
/* Before each of them: u32 type, u64 bytes. */
#define LULL_BINFILE_SECTION_BYTES 12

static inline void lull_binfile_put_head(uint8_t to[LULL_BINFILE_HEAD_BYTES],
					 const char *magic, uint32_t version,
					 uint32_t nr_sections)
{
	memcpy(to, magic, sizeof(version));
	memcpy(to + 4, &version, sizeof(version));
	memcpy(to + 8, &nr_sections, sizeof(nr_sections));
}

static inline void
lull_binfile_put_section(uint8_t to[LULL_BINFILE_SECTION_BYTES], uint32_t type,
			 uint64_t bytes)
{
	memcpy(to, &type, sizeof(type));
	memcpy(to + sizeof(type), &bytes, sizeof(bytes));
}

/* The largest format of the family, a prepared .ptau, has 11 sections. */
#define LULL_BINFILE_SECTIONS_MAX 64

/**
 * struct lull_binfile_kind - one format of the family
 * @magic: its four letters
 * @version: the only version accepted
 * @nr_names: entries of @names
 * @names: what messages call the section of each type; NULL where none
 */
struct lull_binfile_kind {
	char magic[5];
	uint32_t version;
	uint32_t nr_names;
	const char *const *names;
};

/**
 * struct lull_binfile_section - where one section's payload lies
 * @type: its number
 * @offset: of the payload in the file
 * @bytes: size of the payload
 * @data: the payload; any alignment
 */
struct lull_binfile_section {
	uint32_t type;
	uint64_t offset;
	uint64_t bytes;
	const uint8_t *data;
};

/**
 * struct lull_binfile - an indexed container
 * @in: the bytes and the name for messages
 * @kind: the format
 * @nr_sections: entries of @sections
 * @trailing_bytes: bytes of the file behind the last section: worth a warning
 * @sections: in the file's order
 */
struct lull_binfile {
	struct lull_infile in;
	const struct lull_binfile_kind *kind;
	uint32_t nr_sections;
	uint64_t trailing_bytes;
	struct lull_binfile_section sections[LULL_BINFILE_SECTIONS_MAX];
};

/**
 * lull_binfile_open - read or map a file, and index it
 * @path: the file
 * @kind: the format expected; must outlive the file
 * @memory: where to read it to; NULL maps it
 * @ret_file: owned by the caller; end it with lull_binfile_close()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_FORMAT, LULL_UNSUPPORTED (version) or
 * LULL_USAGE (no regular file).
 */
int lull_binfile_open(const char *path, const struct lull_binfile_kind *kind,
		      const struct lull_infile_memory *memory,
		      struct lull_binfile *ret_file, struct lull_error *reterr);

/* The same of a file of which only what is taken is read, and nothing behind a
 * section's data may be looked at: see lull_infile_open_sparse(). */
int lull_binfile_open_sparse(const char *path,
			     const struct lull_binfile_kind *kind,
			     struct lull_binfile *ret_file,
			     struct lull_error *reterr);

/**
 * lull_binfile_open_mem - index the caller's memory
 * @data: not copied; must outlive the file
 * @bytes: its size
 * @name: what messages call it
 * @kind: the format expected; must outlive the file
 * @ret_file: owned by the caller; end it with lull_binfile_close()
 * @reterr: filled on failure
 *
 * Return: as lull_binfile_open(), without LULL_IO.
 */
int lull_binfile_open_mem(const void *data, size_t bytes, const char *name,
			  const struct lull_binfile_kind *kind,
			  struct lull_binfile *ret_file,
			  struct lull_error *reterr);

/**
 * lull_binfile_close - give the memory back and empty; an empty one is left alone
 * @file: the container
 */
void lull_binfile_close(struct lull_binfile *file);

/**
 * lull_binfile_find - look a section up
 * @file: the container
 * @type: the section's number
 *
 * Return: the section, or NULL when the file has none of that type.
 */
const struct lull_binfile_section *
lull_binfile_find(const struct lull_binfile *file, uint32_t type);

/**
 * lull_binfile_section - look a section up that must be there
 * @file: the container
 * @type: the section's number
 * @ret_section: where it lies
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_FORMAT.
 */
int lull_binfile_section(const struct lull_binfile *file, uint32_t type,
			 const struct lull_binfile_section **ret_section,
			 struct lull_error *reterr);

/**
 * lull_binfile_expect - refuse a section that is not exactly so long
 * @file: the container
 * @section: one of its sections
 * @nr: elements that the header promises
 * @each: bytes of one element; @nr times @each may overflow, which is refused
 * @extra: bytes before the elements
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_FORMAT.
 */
int lull_binfile_expect(const struct lull_binfile *file,
			const struct lull_binfile_section *section, uint64_t nr,
			uint64_t each, uint64_t extra,
			struct lull_error *reterr);

/**
 * lull_binfile_fail - describe what is wrong at one place of a file
 * @file: the container
 * @type: the section's number
 * @offset: in the file
 * @reterr: filled; may be NULL
 * @code: what to return
 * @fmt: what is wrong, behind "FILE: section 4 (coefficients), offset 0x30: "
 *
 * Return: @code.
 */
int lull_binfile_fail(const struct lull_binfile *file, uint32_t type,
		      uint64_t offset, struct lull_error *reterr,
		      enum lull_status code, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

/**
 * struct lull_binfile_reader - reads a section from its start
 * @file: the container
 * @section: the section
 * @pos: bytes read so far
 */
struct lull_binfile_reader {
	const struct lull_binfile *file;
	const struct lull_binfile_section *section;
	uint64_t pos;
};

/**
 * lull_binfile_skip - step over bytes of a section that nobody looks at
 * @reader: moved behind them
 * @bytes: how many
 * @what: what they are, for messages
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_FORMAT (the section ends before them).
 */
int lull_binfile_skip(struct lull_binfile_reader *reader, uint64_t bytes,
		      const char *what, struct lull_error *reterr);

/**
 * lull_binfile_take - take bytes of a section
 * @reader: moved behind them
 * @bytes: how many
 * @what: what they are, for messages
 * @ret_data: the first of them
 * @reterr: filled on failure
 *
 * Return: as lull_binfile_skip(); of a sparse file as lull_infile_need(), too.
 */
int lull_binfile_take(struct lull_binfile_reader *reader, uint64_t bytes,
		      const char *what, const uint8_t **ret_data,
		      struct lull_error *reterr);

/**
 * lull_binfile_take_u32 - read a number
 * @reader: moved behind it
 * @what: what it is, for messages
 * @ret_value: the number
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_FORMAT (the section ends before it).
 */
int lull_binfile_take_u32(struct lull_binfile_reader *reader, const char *what,
			  uint32_t *ret_value, struct lull_error *reterr);

/**
 * lull_binfile_take_prime - read a prime: u32 bytes, then so many of them
 * @reader: moved behind it
 * @what: "q" or "r": which of a curve's primes is expected
 * @ret_facts: the curve that it belongs to
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_FORMAT (the section ends before it) or
 * LULL_UNSUPPORTED (no curve of ours has it).
 */
int lull_binfile_take_prime(struct lull_binfile_reader *reader,
			    const char *what,
			    const struct lull_curve_facts **ret_facts,
			    struct lull_error *reterr);

/* Where a pointer into the file's data lies, for messages. */
static inline uint64_t lull_binfile_offset(const struct lull_binfile *file,
					   const uint8_t *p)
{
	return (uint64_t)(p - file->in.data);
}

#endif
