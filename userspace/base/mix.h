/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mix.h - repeatable numbers from a seed, for tests and samples alone
 *
 * splitmix64: good enough to look random to a circuit, and nothing to keep a
 * secret with.
 */
#ifndef LULL_BASE_MIX_H
#define LULL_BASE_MIX_H

#include <stdint.h>

/* Odd numbers that spread a seed's bits over a word: splitmix64's. */
#define LULL_MIX_STEP 0x9e3779b97f4a7c15u
#define LULL_MIX_1 0xbf58476d1ce4e5b9u
#define LULL_MIX_2 0x94d049bb133111ebu

/* Number @i of the sequence of @seed. */
static inline uint64_t lull_mix(uint64_t seed, uint64_t i)
{
	uint64_t z = seed + (i + 1) * LULL_MIX_STEP;

	z = (z ^ (z >> 30)) * LULL_MIX_1;
	z = (z ^ (z >> 27)) * LULL_MIX_2;
	return z ^ (z >> 31);
}

#endif
