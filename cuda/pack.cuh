/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.cuh - the full-size values of a witness, one behind the other
 *
 * For witness.cu, on the host: how many of them come before each group of values,
 * by the map of their classes, and any run of them.  expand_values() of
 * classify.cuh undoes it on the device.  Whatever a map says, nothing is read
 * behind the values and nothing written behind the room.
 */
#ifndef LULL_CUDA_PACK_CUH
#define LULL_CUDA_PACK_CUH

#include <cstddef>
#include <cstdint>

namespace lull
{

/**
 * struct packing - a witness that is packed
 * @map: classes of the values
 * @values: plain, of 32 bytes each, at any alignment
 * @nr: how many
 * @places: one for each group of expand_group values
 */
struct packing {
	const uint32_t *map;
	const uint8_t *values;
	size_t nr;
	uint32_t *places;
};

/* places[g]: how many others group g has, for g from first to last - 1. */
void pack_count(const struct packing *p, size_t first, size_t last);

/* Of all of these numbers: places[g] becomes how many come before group g.
 * Returns how many others there are. */
size_t pack_sum(const struct packing *p);

/* Others first to first + nr - 1 go to @to; fewer where there are no more. */
void pack_values(const struct packing *p, size_t first, size_t nr, uint8_t *to);

} /* namespace lull */

#endif
