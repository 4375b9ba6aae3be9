// SPDX-License-Identifier: Apache-2.0
/*
 * pack.cu - the full-size values of a witness, one behind the other; see pack.cuh
 */
#include "pack.cuh"

#include <string.h>

#include <algorithm>

#include "classify.cuh"

namespace lull
{

static constexpr size_t value_bytes = 32;
static constexpr size_t group_words = expand_group / class_nr;

/* The others of word i; what stands behind the last value is nobody's. */
static uint32_t others_of(const struct packing *p, size_t i)
{
	size_t left = p->nr > i * class_nr ? p->nr - i * class_nr : 0;

	if (!left)
		return 0;
	return left < class_nr ? p->map[i] & map_others & ((1u << class_bits * left) - 1)
			       : p->map[i] & map_others;
}

void pack_count(const struct packing *p, size_t first, size_t last)
{
	for (size_t g = first; g < last; g++) {
		uint32_t nr = 0;

		for (size_t i = g * group_words; i < (g + 1) * group_words; i++)
			nr += count_bits(others_of(p, i));
		p->places[g] = nr;
	}
}

size_t pack_sum(const struct packing *p)
{
	size_t nr_groups = expand_nr_groups(p->nr);
	uint32_t sum = 0;

	for (size_t g = 0; g < nr_groups; g++) {
		uint32_t nr = p->places[g];

		p->places[g] = sum;
		sum += nr;
	}
	return sum;
}

void pack_values(const struct packing *p, size_t first, size_t nr, uint8_t *to)
{
	const uint32_t *places = p->places, *end = places + expand_nr_groups(p->nr);
	/* The last group that no more come before. */
	const uint32_t *at = std::upper_bound(places, end, first) - 1;
	size_t word = (at - places) * group_words, skip = first - *at;
	size_t nr_words = (p->nr + class_nr - 1) / class_nr;

	for (; word < nr_words && nr; word++) {
		for (uint32_t bits = others_of(p, word); bits && nr; bits &= bits - 1) {
			size_t i = word * class_nr + __builtin_ctz(bits) / class_bits;

			if (skip) {
				skip--;
				continue;
			}
			memcpy(to, p->values + i * value_bytes, value_bytes);
			to += value_bytes;
			nr--;
		}
	}
}

} /* namespace lull */
