/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canonical.h - whether a number of a file is below its prime
 *
 * For the parsers of this folder.  Values are little-endian, of any alignment,
 * and a whole number of 8-byte words long, as both curves' primes are.
 */
#ifndef LULL_INPUT_CANONICAL_H
#define LULL_INPUT_CANONICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/**
 * lull_input_below - compare a value with a prime
 * @value: @bytes bytes
 * @prime: @bytes bytes
 * @bytes: a multiple of 8
 *
 * Nearly always decided by the highest word; time shows no more of a secret
 * value than how many of its words equal the prime's.
 *
 * Return: whether value < prime.
 */
static __always_inline bool lull_input_below(const uint8_t *value,
					     const uint8_t *prime, size_t bytes)
{
	size_t i = bytes;
	uint64_t v, p;

	LULL_ASSERT(bytes % sizeof(v) == 0);
	while (i) {
		i -= sizeof(v);
		v = lull_load_u64(value + i);
		p = lull_load_u64(prime + i);
		if (v != p)
			return v < p;
	}
	return false;
}

#endif
