/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spmv.h - a = A w and b = B w from a key's coefficients
 *
 * For templates above.  Reads section 4 of a .zkey in place, or the rows of a
 * native key file.
 */
#ifndef LULL_SYNTH_SPMV_H
#define LULL_SYNTH_SPMV_H

#include "base/csr.h"
#include "base/workers.h"
#include "curve/fr.h"

/* u32 matrix, u32 constraint, u32 signal, value[32] */
#define LULL_COEF_BYTES 44

#define fr_spmv LULL_CURVE_NAME(fr_spmv)
#define fr_spmv_csr LULL_CURVE_NAME(fr_spmv_csr)

/**
 * fr_spmv - multiply the key's sparse matrices by the witness
 * @a: n Montgomery elements, written whole (rows without entries become 0)
 * @b: the same for matrix B
 * @n: rows, the domain's size
 * @coefs: nr_coefs records of LULL_COEF_BYTES, already checked: matrix 0 or
 *	1, constraint below n, signal below the witness's length, value
 *	(coefficient times 2^512) below r; at an address of any alignment
 * @nr_coefs: how many
 * @order: NULL when the records are sorted by constraint, else a permutation
 *	of 0 .. nr_coefs - 1 that sorts them (lull_synth_order())
 * @witness: plain canonical integers, 32 bytes each, at any alignment
 * @workers: the pool to run on
 */
void fr_spmv(struct fr *a, struct fr *b, size_t n, const uint8_t *coefs,
	     size_t nr_coefs, const uint32_t *order, const uint8_t *witness,
	     struct lull_workers *workers);

/**
 * fr_spmv_csr - the same from rows
 * @a: as fr_spmv()
 * @b: as fr_spmv()
 * @n: rows of both matrices
 * @csr: already checked: starts ascend from 0 to the number of entries, columns
 *	are below the witness's length, numbers below nr_values, values below r
 * @witness: as fr_spmv()
 * @workers: the pool to run on
 */
void fr_spmv_csr(struct fr *a, struct fr *b, size_t n,
		 const struct lull_csr *csr, const uint8_t *witness,
		 struct lull_workers *workers);

#endif
