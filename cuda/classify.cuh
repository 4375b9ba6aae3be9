/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classify.cuh - which scalars are 0, which are 1, and which are neither
 *
 * For the backend, which sums the points of ones without buckets and gives the
 * others to a multiplication, and for spmv.cu.  Most values of a witness are
 * bits.  Also picks out the values that a bitmap names, for keys that have points
 * for these alone, and makes values again of a map and the others (pack.cuh).
 * Nothing is allocated, every launch goes to the caller's stream.  The lists and
 * the map tell which values are bits: they are as secret as the witness, and the
 * caller wipes them.
 */
#ifndef LULL_CUDA_CLASSIFY_CUH
#define LULL_CUDA_CLASSIFY_CUH

#include <cuda_runtime_api.h>

#include "base/classes.h"
#include "check.cuh"
#include "traits.cuh"

namespace lull
{

/* The host's, so that its map of a witness is the device's. */
enum scalar_class {
	SCALAR_ZERO = LULL_CLASS_ZERO,
	SCALAR_ONE = LULL_CLASS_ONE,
	SCALAR_OTHER = LULL_CLASS_OTHER
};

/* The map has two bits for each value, 16 to a word. */
constexpr unsigned int class_bits = LULL_CLASS_BITS;
constexpr unsigned int class_nr = LULL_CLASSES_PER_WORD;

/* map[i / 16] bits 2 (i mod 16): the class of values[i], plain, 32 bytes each,
 * all in device memory.  Whole warps write lull_classes_bytes() of it. */
int classify_map(const void *values, size_t nr, uint32_t *map, cudaStream_t stream,
		 struct lull_error *reterr);

/* Bytes of device memory for classify() over nr values, below 2^32. */
size_t classify_scratch_bytes(size_t nr);

/**
 * classify - the places of the ones and of the others, in order
 * @values: nr plain canonical integers of 32 bytes, device memory
 * @nr: below 2^32
 * @keep: NULL, or a bit for each value, 32 to a word, device memory: values
 *	whose bit is 0 go to no list (points at infinity, say)
 * @ones: room for nr indices, device memory
 * @others: the same
 * @ret_counts: two numbers, of ones and of others, in pinned host memory; there
 *	once the stream has come so far
 * @scratch: classify_scratch_bytes() of device memory, aligned to 256
 */
int classify_kept(const void *values, size_t nr, const uint32_t *keep, uint32_t *ones,
		  uint32_t *others, uint32_t *ret_counts, void *scratch, cudaStream_t stream,
		  struct lull_error *reterr);

/* The same for all values. */
static inline int classify(const void *values, size_t nr, uint32_t *ones, uint32_t *others,
			   uint32_t *ret_counts, void *scratch, cudaStream_t stream,
			   struct lull_error *reterr)
{
	return classify_kept(values, nr, NULL, ones, others, ret_counts, scratch, stream, reterr);
}

/* The bits of word i of a map of nr bits; what stands behind the last is nobody's. */
LULL_HD uint32_t kept_word(const uint32_t *keep, size_t i, size_t nr)
{
	constexpr size_t bits = 32;
	size_t left = nr > i * bits ? nr - i * bits : 0;

	if (!left)
		return 0;
	return left < bits ? keep[i] & ((1u << left) - 1) : keep[i];
}

LULL_HD unsigned int count_bits(uint32_t x)
{
#ifdef __CUDA_ARCH__
	return (unsigned int)__popc(x);
#else
	return (unsigned int)__builtin_popcount(x);
#endif
}

/* Value i to its place, if its bit is set; places[i / 32] values come before those
 * of its word.  Never beyond nr_to, whatever the bits say. */
LULL_HD void gather_value(const uint4 *values, size_t i, size_t nr, const uint32_t *keep,
			  const uint64_t *places, uint4 *to, size_t nr_to)
{
	constexpr size_t bits = 32, halves = 2;
	uint32_t word = kept_word(keep, i / bits, nr), below = (1u << i % bits) - 1;
	size_t at = places[i / bits] + count_bits(word & below);

	if (!(word >> i % bits & 1) || at >= nr_to)
		return;
	to[halves * at] = values[halves * i];
	to[halves * at + 1] = values[halves * i + 1];
}

/**
 * gather_kept - the values whose bits are set, one behind the other
 * @values: nr values of 32 bytes, device memory, aligned to 16
 * @nr: below 2^32
 * @keep: a bit for each value, 32 to a word, device memory
 * @to: room for nr_to values, device memory, aligned to 16, apart from @values
 * @nr_to: as many as bits are set; of more, the last are left out
 * @scratch: classify_scratch_bytes(nr) of device memory, aligned to 256
 */
int gather_kept(const void *values, size_t nr, const uint32_t *keep, void *to, size_t nr_to,
		void *scratch, cudaStream_t stream, struct lull_error *reterr);

/* Values of a map that are others: their upper bits. */
constexpr uint32_t map_others = 0xaaaaaaaa; /* SCALAR_OTHER of each */

/* Values whose others have one place: those of a block of threads. */
constexpr unsigned int expand_group = 256;

static inline size_t expand_nr_groups(size_t nr)
{
	return (nr + expand_group - 1) / expand_group;
}

/* Value i, of its class, or in its turn of the packed ones; zero where the map
 * has more others than there are. */
LULL_HD void expand_value(const uint32_t *map, const uint32_t *places, const uint4 *packed,
			  size_t nr_packed, size_t i, uint4 *to)
{
	constexpr size_t words = expand_group / class_nr, halves = 2;
	size_t word = i / class_nr, at = places[i / expand_group];
	unsigned int shift = class_bits * (i % class_nr);
	uint32_t c = map[word] >> shift;
	uint4 low = {}, high = {};

	for (size_t w = word / words * words; w < word; w++)
		at += count_bits(map[w] & map_others);
	at += count_bits(map[word] & map_others & ((1u << shift) - 1));
	if (!(c & SCALAR_OTHER)) {
		low.x = c & SCALAR_ONE;
	} else if (at < nr_packed) {
		low = packed[halves * at];
		high = packed[halves * at + 1];
	}
	to[halves * i] = low;
	to[halves * i + 1] = high;
}

/**
 * expand_values - values of 32 bytes, of their map and of those that are others
 * @map: of classes, device memory
 * @places: how many others come before each group of expand_group values, device
 *	memory
 * @packed: the others one behind the other, device memory, aligned to 16
 * @nr_packed: how many; whatever @map and @places say, no more are read
 * @to: room for nr values, device memory, aligned to 16, apart from the rest
 * @nr: below 2^32
 */
int expand_values(const uint32_t *map, const uint32_t *places, const void *packed, size_t nr_packed,
		  void *to, size_t nr, cudaStream_t stream, struct lull_error *reterr);

} /* namespace lull */

#endif
