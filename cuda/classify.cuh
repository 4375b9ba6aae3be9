/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classify.cuh - which scalars are 0, which are 1, and which are neither
 *
 * For the backend, which sums the points of ones without buckets and gives the
 * others to a multiplication, and for spmv.cu.  Most values of a witness are
 * bits.  Also picks out the values that a bitmap names, for keys that have points
 * for these alone.  Nothing is allocated, every launch goes to the caller's stream.  The
 * lists tell which values are bits: they are as secret as the witness, and the
 * caller wipes them.
 */
#ifndef LULL_CUDA_CLASSIFY_CUH
#define LULL_CUDA_CLASSIFY_CUH

#include <cuda_runtime_api.h>

#include "check.cuh"
#include "traits.cuh"

namespace lull
{

enum scalar_class { SCALAR_ZERO, SCALAR_ONE, SCALAR_OTHER };

/* The map has two bits for each value, 16 to a word. */
constexpr unsigned int class_bits = 2;
constexpr unsigned int class_nr = 16;

static inline size_t classify_map_bytes(size_t nr)
{
	/* Whole warps write it. */
	return (nr + 31) / 32 * 8;
}

/* map[i / 16] bits 2 (i mod 16): the class of values[i], plain, 32 bytes each,
 * all in device memory. */
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

} /* namespace lull */

#endif
