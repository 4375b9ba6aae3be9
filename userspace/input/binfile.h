/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binfile.h - the container of .zkey, .wtns, .r1cs and .ptau files
 *
 * Indexes the sections of a mapped file or of the caller's memory.  Sections
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

#include "input/infile.h"
#include "lull.h"

/* The largest format of the family, a prepared .ptau, has 11 sections. */
#define LULL_BINFILE_SECTIONS_MAX 64

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
 * @version: as the header says
 * @nr_sections: entries of @sections
 * @trailing_bytes: bytes behind the last section: worth a warning
 * @sections: in the file's order
 */
struct lull_binfile {
	struct lull_infile in;
	uint32_t version;
	uint32_t nr_sections;
	uint64_t trailing_bytes;
	struct lull_binfile_section sections[LULL_BINFILE_SECTIONS_MAX];
};

/**
 * lull_binfile_open - map and index a file
 * @path: the file
 * @magic: its four letters: "zkey", "wtns", "r1cs" or "ptau"
 * @version: the only version accepted
 * @ret_file: owned by the caller; end it with lull_binfile_close()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_FORMAT, LULL_UNSUPPORTED (version) or
 * LULL_USAGE (no regular file).
 */
int lull_binfile_open(const char *path, const char *magic, uint32_t version,
		      struct lull_binfile *ret_file, struct lull_error *reterr);

/**
 * lull_binfile_open_mem - index the caller's memory
 * @data: not copied; must outlive the file
 * @bytes: its size
 * @name: what messages call it
 * @magic: as for lull_binfile_open()
 * @version: as for lull_binfile_open()
 * @ret_file: owned by the caller; end it with lull_binfile_close()
 * @reterr: filled on failure
 *
 * Return: as lull_binfile_open(), without LULL_IO.
 */
int lull_binfile_open_mem(const void *data, size_t bytes, const char *name,
			  const char *magic, uint32_t version,
			  struct lull_binfile *ret_file,
			  struct lull_error *reterr);

/**
 * lull_binfile_close - unmap and empty; an empty one is left alone
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
 * @what: its name for messages: "header", "coefficients"
 * @ret_section: where it lies
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_FORMAT.
 */
int lull_binfile_section(const struct lull_binfile *file, uint32_t type,
			 const char *what,
			 const struct lull_binfile_section **ret_section,
			 struct lull_error *reterr);

/**
 * lull_binfile_expect_bytes - refuse a section that is not exactly so long
 * @file: the container
 * @section: one of its sections
 * @what: its name for messages
 * @nr: elements that the header promises
 * @each: bytes of one element; @nr times @each may overflow, which is refused
 * @extra: bytes before the elements
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_FORMAT.
 */
int lull_binfile_expect_bytes(const struct lull_binfile *file,
			      const struct lull_binfile_section *section,
			      const char *what, uint64_t nr, uint64_t each,
			      uint64_t extra, struct lull_error *reterr);

/* Where a pointer into the file's data lies, for messages. */
static inline uint64_t lull_binfile_offset(const struct lull_binfile *file,
					   const uint8_t *p)
{
	return (uint64_t)(p - file->in.data);
}

#endif
