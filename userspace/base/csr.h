/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csr.h - a key's matrices A and B by rows, coefficients by number
 *
 * What a native key file holds and what backends multiply by: row i of a
 * matrix has the entries starts[i] .. starts[i + 1] - 1, each a column and the
 * number of a coefficient.  All are little-endian and at any alignment.  Reads
 * nothing by itself; for C and for CUDA's C++.
 */
#ifndef LULL_BASE_CSR_H
#define LULL_BASE_CSR_H

#include <stddef.h>
#include <stdint.h>

/* A and B. */
#define LULL_CSR_MATRICES 2
/* Coefficients that a number of one byte and one of two can name. */
#define LULL_CSR_IDS_OF_ONE_BYTE 256
#define LULL_CSR_IDS_OF_TWO_BYTES 65536

/**
 * struct lull_csr_matrix - one matrix of n rows
 * @starts: n + 1 of u32, ascending from 0 to @nr_entries
 * @columns: @nr_entries of u32
 * @ids: @nr_entries numbers of coefficients
 * @nr_entries: below 2^32
 */
struct lull_csr_matrix {
	const uint8_t *starts, *columns, *ids;
	size_t nr_entries;
};

/**
 * struct lull_csr - both matrices and their coefficients
 * @id_bytes: of each number: 1, 2 or 4
 * @nr_values: distinct coefficients; with 4 bytes entry i of A has number i,
 *	those of B follow
 * @values: @nr_values of 32 bytes, coefficient times 2^512, below r
 * @matrix: A and B
 */
struct lull_csr {
	unsigned int id_bytes;
	size_t nr_values;
	const uint8_t *values;
	struct lull_csr_matrix matrix[LULL_CSR_MATRICES];
};

#endif
