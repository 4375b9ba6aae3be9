/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classes.h - values below r, and the class of each, in one pass
 *
 * For the parser of witnesses.  The check reads a value's highest word and so
 * has its cache line; what else the class costs is a few instructions beside
 * that line's way from memory.
 */
#ifndef LULL_INPUT_CLASSES_H
#define LULL_INPUT_CLASSES_H

#include "base/classes.h"

/**
 * lull_input_classify - the classes of a run of values, until one is too large
 * @values: the first value of the witness: plain, of LULL_FR_BYTES each, at any
 *	alignment
 * @prime: what each has to be below
 * @first: of the run
 * @last: one past the run, which has fewer than 2^32 values
 * @map: of the whole witness; other values' bits are left alone
 * @ret_found: how many ones and others the run has; its map is left alone
 *
 * Reads every value's classes without a branch on it.  Runs of one map may be
 * done by several threads at once: the words that they share are written by
 * atomic operations.
 *
 * Return: @last, or the first value that is not below @prime.
 */
size_t lull_input_classify(const uint8_t *values, const uint8_t *prime,
			   size_t first, size_t last, uint32_t *map,
			   struct lull_classes *ret_found);

#endif
