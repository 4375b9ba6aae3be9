/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h - where a key comes from that is made into a .lkey
 *
 * For convert.c.  A source knows a key's sizes and copies out what it is asked
 * for, in the form of a .lkey, from any thread; what it gives has the right
 * length and is otherwise unchecked.  source_zkey.c is one, source_bellman.c
 * another; a third format is one more file with a struct lull_source_ops that
 * ends in lull_convert().
 */
#ifndef LULL_PROVE_SOURCE_H
#define LULL_PROVE_SOURCE_H

#include <string.h>

#include "input/parts.h"
#include "lull.h"
#include "prove/groth16.h"

struct lull_source;

/* One entry of a matrix: u32 matrix (0 A, 1 B), u32 row, u32 column and the
 * coefficient times 2^512, as section 4 of a .zkey has them. */
#define LULL_RECORD_MATRIX 0
#define LULL_RECORD_ROW 4
#define LULL_RECORD_COLUMN 8
#define LULL_RECORD_VALUE 12
#define LULL_RECORD_BYTES (LULL_RECORD_VALUE + LULL_FR_BYTES)

/* @value has LULL_FR_BYTES. */
static inline void lull_record_put(uint8_t *record, uint32_t matrix,
				   uint32_t row, uint32_t column,
				   const void *value)
{
	memcpy(record + LULL_RECORD_MATRIX, &matrix, sizeof(matrix));
	memcpy(record + LULL_RECORD_ROW, &row, sizeof(row));
	memcpy(record + LULL_RECORD_COLUMN, &column, sizeof(column));
	memcpy(record + LULL_RECORD_VALUE, value, LULL_FR_BYTES);
}

/**
 * struct lull_source_ops - one format
 * @header: the six points of LULL_PART_HEADER into @to
 * @points: points [first, first + nr) of LULL_PART_IC, _A, _B1, _B2, _L or _H
 *	into @to: affine, Montgomery, little-endian, infinity all zero; L of the
 *	private wires; H in snarkjs's basis (Documentation/internals/ntt.rst)
 * @records: records [first, first + nr) into @to, sorted by row; those of one
 *	row and matrix in the order that the .lkey will have
 * @fail_point: says that point @report->index of a part, which people call
 *	@what, is wrong; of LULL_PART_HEADER the index counts its six points.
 *	Returns LULL_RANGE
 * @finish: all has been read: LULL_OK, or why that is worth nothing; NULL where
 *	there is nothing to look at
 * @done: ends it
 *
 * The first three return LULL_OK or fail; any number of threads may call them
 * at once.
 */
struct lull_source_ops {
	int (*header)(const struct lull_source *source, uint8_t *to,
		      struct lull_error *reterr);
	int (*points)(const struct lull_source *source, enum lull_part part,
		      size_t first, size_t nr, uint8_t *to,
		      struct lull_error *reterr);
	int (*records)(const struct lull_source *source, size_t first,
		       size_t nr, uint8_t *to, struct lull_error *reterr);
	int (*fail_point)(const struct lull_source *source, enum lull_part part,
			  const char *what,
			  const struct lull_points_report *report,
			  struct lull_error *reterr);
	int (*finish)(const struct lull_source *source,
		      struct lull_error *reterr);
	void (*done)(struct lull_source *source);
};

/**
 * struct lull_source - an open one
 * @ops: its format
 * @state: the format's own
 * @name: of the file, for messages
 * @facts: of the key's curve
 * @nr_vars: wires, the constant one among them
 * @nr_public: without the constant one; < nr_vars and below the domain's size
 * @log2_domain: of the domain's size, 1 to the curve's limit and 31
 * @nr_contributions: to the ceremony
 * @nr_records: entries of A and B
 * @row_step: odd: the circuit's row i is row @row_step i mod n of the domain,
 *	whose powers are snarkjs's; the public wires' own rows are the circuit's
 *	last
 * @toxic: the trapdoor is known
 * @trailing_bytes: of the file, behind its last section
 *
 * Matrices, rows, columns and values of the records are in range: whoever makes
 * a source has looked.
 */
struct lull_source {
	const struct lull_source_ops *ops;
	void *state;
	char name[LULL_INFILE_NAME_BYTES];
	const struct lull_curve_facts *facts;
	uint32_t nr_vars, nr_public, log2_domain;
	uint32_t nr_contributions;
	uint32_t nr_records;
	uint32_t row_step;
	bool toxic;
	uint64_t trailing_bytes;
};

/* Where in the domain the circuit's row @i is. */
static inline uint32_t lull_source_row(const struct lull_source *source,
				       uint32_t i)
{
	return (uint32_t)(((uint64_t)i * source->row_step) &
			  (((uint64_t)1 << source->log2_domain) - 1));
}

#endif
