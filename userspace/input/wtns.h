/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wtns.h - a witness as circom's calculators write it
 *
 * Maps the file and checks it: exact sizes, a first value of one, every value
 * below r.  Where there is an arena for a map of them, the check finds as well
 * which values are 0 and 1.  wtns.c opens with the format.  Messages name indices,
 * never values: the witness is secret.
 */
#ifndef LULL_INPUT_WTNS_H
#define LULL_INPUT_WTNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/classes.h"
#include "curve/facts.h"
#include "input/binfile.h"
#include "lull.h"

enum {
	LULL_WTNS_HEADER = 1,
	LULL_WTNS_VALUES = 2,
};

#define LULL_WTNS_VERSION 2
#define LULL_WTNS_VALUE_BYTES LULL_FR_BYTES

/* For lull_wtnsfile_open(): leave the values to lull_wtnsfile_check_values(). */
#define LULL_WTNS_DEFER_VALUES 1u

/* What a file that is read may have beside its values: the header, and sections
 * that are none of ours. */
#define LULL_WTNS_EXTRA_BYTES ((uint64_t)1 << 20)

/**
 * struct lull_wtnsfile - an open witness
 * @file: the container; its trailing_bytes are worth a warning
 * @curve: the curve whose r the values belong to
 * @facts: that curve's sizes and primes
 * @nr_values: at least 1
 * @values: nr_values of LULL_WTNS_VALUE_BYTES, plain, little-endian, any
 *	alignment
 * @checked: all of them are known to be below r: they were checked while the
 *	file was read, or by lull_witness_check()
 * @classes: of all of them, found by that check; no map before
 * @map: owns the map of @classes
 */
struct lull_wtnsfile {
	struct lull_binfile file;
	enum lull_curve curve;
	const struct lull_curve_facts *facts;
	uint32_t nr_values;
	const uint8_t *values;
	bool checked;
	struct lull_classes classes;
	struct lull_vec map;
};

/**
 * struct lull_wtns_want - whose witness is wanted
 * @name: what messages call it
 * @what: what it is: "key" or "circuit"
 * @facts: its curve
 * @nr_values: how many it expects
 */
struct lull_wtns_want {
	const char *name;
	const char *what;
	const struct lull_curve_facts *facts;
	uint32_t nr_values;
};

/**
 * lull_wtnsfile_match - refuse a witness that is for something else
 * @wtns: an open witness
 * @want: what is wanted
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_MISMATCH.
 */
int lull_wtnsfile_match(const struct lull_wtnsfile *wtns,
			const struct lull_wtns_want *want,
			struct lull_error *reterr);

/**
 * lull_wtnsfile_open - read or map a witness and check it
 * @path: the file
 * @want: whose it has to be; NULL for anybody's
 * @flags: 0 or LULL_WTNS_DEFER_VALUES
 * @memory: where to read it to, as a secret; NULL maps it
 * @ret_wtns: owned by the caller; end it with lull_wtnsfile_close()
 * @reterr: filled on failure
 *
 * Of a file that is read, what is behind its sections is left out, and no memory
 * is taken before its head says that it is @want's and not longer by more than
 * LULL_WTNS_EXTRA_BYTES.  Without @want the file itself says how many values it
 * has.
 *
 * Return: LULL_OK, LULL_IO, LULL_FORMAT, LULL_RANGE, LULL_UNSUPPORTED (version
 * or curve), LULL_MISMATCH (not @want's) or LULL_USAGE.
 */
int lull_wtnsfile_open(const char *path, const struct lull_wtns_want *want,
		       unsigned int flags,
		       const struct lull_infile_memory *memory,
		       struct lull_wtnsfile *ret_wtns,
		       struct lull_error *reterr);

/**
 * lull_wtnsfile_open_mem - as lull_wtnsfile_open(), from the caller's memory
 * @data: not copied; must outlive the witness
 * @bytes: its size
 * @name: what messages call it
 * @flags: 0 or LULL_WTNS_DEFER_VALUES
 * @ret_wtns: owned by the caller; end it with lull_wtnsfile_close()
 * @reterr: filled on failure
 *
 * Return: as lull_wtnsfile_open(), without LULL_IO.
 */
int lull_wtnsfile_open_mem(const void *data, size_t bytes, const char *name,
			   unsigned int flags, struct lull_wtnsfile *ret_wtns,
			   struct lull_error *reterr);

/**
 * lull_wtnsfile_check_values - refuse values that are not below r
 * @wtns: an open witness
 * @first: the first to check
 * @last: one past the last, at most nr_values
 * @reterr: names the index of the first that is wrong
 *
 * Nothing is left to do when @wtns->checked.  Reads only: several threads may
 * check ranges of one witness at once.  Time depends on the values' top bytes
 * only where a value is near r.
 *
 * Return: LULL_OK or LULL_RANGE.
 */
int lull_wtnsfile_check_values(const struct lull_wtnsfile *wtns, uint32_t first,
			       uint32_t last, struct lull_error *reterr);

/**
 * lull_wtnsfile_map - memory for a map of a witness's values
 * @arena: where it is taken
 * @nr_values: of the witness
 * @ret_map: owned by the caller; a secret, and zero behind the last value
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_NOMEM.
 */
int lull_wtnsfile_map(struct lull_arena *arena, uint32_t nr_values,
		      struct lull_vec *ret_map, struct lull_error *reterr);

/**
 * lull_wtnsfile_classify - lull_wtnsfile_check_values(), and the values' classes
 * @wtns: an open witness; whether it is @checked is not asked
 * @first: the first to check
 * @last: one past the last, at most nr_values
 * @map: of lull_wtnsfile_map()
 * @ret_found: how many ones and others there are among them
 * @reterr: names the index of the first that is wrong
 *
 * Several threads may do this for ranges of one map at once, whatever words they
 * share.
 *
 * Return: LULL_OK or LULL_RANGE.
 */
int lull_wtnsfile_classify(const struct lull_wtnsfile *wtns, uint32_t first,
			   uint32_t last, uint32_t *map,
			   struct lull_classes *ret_found,
			   struct lull_error *reterr);

/**
 * lull_wtnsfile_take - all values are below r, and these are their classes
 * @wtns: the witness, then @checked
 * @map: of lull_wtnsfile_map(), filled; emptied: the witness's from now on
 * @found: how many ones and others; its map is left alone
 */
void lull_wtnsfile_take(struct lull_wtnsfile *wtns, struct lull_vec *map,
			const struct lull_classes *found);

/**
 * lull_wtnsfile_close - give the memory back and empty; an empty one is left alone
 * @wtns: the witness
 */
void lull_wtnsfile_close(struct lull_wtnsfile *wtns);

#endif
