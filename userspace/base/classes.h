/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classes.h - which values of a witness are 0, which are 1, and which neither
 *
 * What is found while a witness is read and checked (input/classes.h), and what
 * a backend may send in the place of bits.  Nearly all values of a large circuit's
 * witness are bits.  A map is as secret as its witness.  For C and for CUDA's C++.
 */
#ifndef LULL_BASE_CLASSES_H
#define LULL_BASE_CLASSES_H

#include <stddef.h>
#include <stdint.h>

enum lull_class {
	LULL_CLASS_ZERO,
	LULL_CLASS_ONE,
	LULL_CLASS_OTHER,
};

/* The map has two bits for each value, the first in the lowest, 16 to a word. */
#define LULL_CLASS_BITS 2
#define LULL_CLASSES_PER_WORD 16

/**
 * struct lull_classes - the classes of a witness
 * @map: lull_classes_bytes() of it, behind the last value zero; NULL where they
 *	are not known
 * @nr_ones: how many values are 1
 * @nr_others: how many are neither 0 nor 1
 */
struct lull_classes {
	const uint32_t *map;
	size_t nr_ones;
	size_t nr_others;
};

/* Of a map of so many values: whole words of 64 bits, as a GPU's warps have it. */
static inline size_t lull_classes_bytes(size_t nr)
{
	return (nr + 31) / 32 * 8;
}

#endif
