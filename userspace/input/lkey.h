/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lkey.h - lull's own proving key file
 *
 * What `lull key convert` writes: the arrays of a key as the prover and a GPU
 * want them, each where it can be read straight to its place, with a hash.
 * lkey_head.c opens with the format.  Reading checks every size, every hash, every
 * row, column and coefficient; whether points lie on their curve prove/ tells,
 * piece by piece as they are read (struct lull_look).
 *
 * Refuses another version, flags it does not know, and a file with anything at
 * another place than the counts of its head say.
 */
#ifndef LULL_INPUT_LKEY_H
#define LULL_INPUT_LKEY_H

#include "base/hash.h"
#include "input/parts.h"

struct lull_look;
struct lull_workers;

#define LULL_LKEY_VERSION 1
#define LULL_LKEY_FOLDED 1u
#define LULL_LKEY_TOXIC 2u

#define LULL_LKEY_HEAD_BYTES ((size_t)4096)
/* What is hashed, and read, at a time. */
#define LULL_LKEY_CHUNK_BYTES ((size_t)2 << 20)

/**
 * struct lull_lkey_section - one section of the file
 * @number: an enum lull_part, or one of the parts behind it
 * @offset: in the file
 * @bytes: its size
 * @hash: of the hashes of its chunks
 */
struct lull_lkey_section {
	uint32_t number;
	uint64_t offset;
	uint64_t bytes;
	uint8_t hash[LULL_HASH_BYTES];
};

enum { LULL_LKEY_NR_SECTIONS = 14 };

/**
 * struct lull_lkey_head - what the head of the file says
 * @flags: LULL_LKEY_FOLDED, LULL_LKEY_TOXIC
 * @facts: of the curve
 * @nr_vars: as in struct lull_parts
 * @nr_public: likewise
 * @log2_domain: likewise
 * @nr_contributions: likewise
 * @id_bytes: as in struct lull_csr
 * @nr_values: likewise
 * @nr_entries: of A and of B
 * @circuit: the circuit's digest: prove/convert.h says of what
 * @nr_inf: points at infinity of A, B1, B2 and L
 * @file_bytes: where the last section ends
 * @sections: in the order in which they lie
 */
struct lull_lkey_head {
	uint32_t flags;
	const struct lull_curve_facts *facts;
	uint32_t nr_vars, nr_public, log2_domain;
	uint32_t nr_contributions;
	uint32_t id_bytes;
	uint64_t nr_values;
	uint64_t nr_entries[LULL_CSR_MATRICES];
	uint8_t circuit[LULL_HASH_BYTES];
	uint32_t nr_inf[4];
	uint64_t file_bytes;
	struct lull_lkey_section sections[LULL_LKEY_NR_SECTIONS];
};

/* Points of L. */
static inline uint64_t lull_lkey_nr_l(const struct lull_lkey_head *head)
{
	return head->flags & LULL_LKEY_FOLDED
		       ? head->nr_vars
		       : head->nr_vars - head->nr_public - (uint64_t)1;
}

/* Gives the sections their numbers, places and sizes, from the counts. */
void lull_lkey_place(struct lull_lkey_head *head);

/* The section of that number. */
struct lull_lkey_section *lull_lkey_section(struct lull_lkey_head *head,
					    uint32_t number);

/* The head as it stands in the file, its own hash included. */
void lull_lkey_write_head(const struct lull_lkey_head *head,
			  uint8_t ret_bytes[LULL_LKEY_HEAD_BYTES]);

/**
 * struct lull_lkey - an open key
 * @in: owns the bytes
 * @head: what the head says
 * @parts: where the arrays lie
 */
struct lull_lkey {
	struct lull_infile in;
	struct lull_lkey_head head;
	struct lull_parts parts;
};

/* Whether a file begins as a .lkey does. */
bool lull_lkey_is(const uint8_t *data, size_t bytes);

/**
 * lull_lkey_open - read a key into an arena and check it
 * @path: the file
 * @memory: where to, and with whose help
 * @ret_key: owned by the caller; end it with lull_lkey_close()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_FORMAT (also a wrong hash), LULL_RANGE,
 * LULL_UNSUPPORTED (version, flags or curve), LULL_NOMEM or LULL_USAGE.
 */
int lull_lkey_open(const char *path, const struct lull_infile_memory *memory,
		   struct lull_lkey *ret_key, struct lull_error *reterr);

/**
 * lull_lkey_open_mem - as lull_lkey_open(), from the caller's memory
 * @data: not copied; must outlive the key
 * @bytes: its size
 * @name: what messages call it
 * @look: who looks at points; NULL for nobody
 * @workers: who checks; NULL for the caller alone
 * @ret_key: owned by the caller; end it with lull_lkey_close()
 * @reterr: filled on failure
 *
 * Return: as lull_lkey_open(), without LULL_IO.
 */
int lull_lkey_open_mem(const void *data, size_t bytes, const char *name,
		       const struct lull_look *look,
		       struct lull_workers *workers, struct lull_lkey *ret_key,
		       struct lull_error *reterr);

/* Gives the memory back and empties; an empty one is left alone. */
void lull_lkey_close(struct lull_lkey *key);

#endif
