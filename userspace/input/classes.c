// SPDX-License-Identifier: Apache-2.0
/*
 * classes.c - two bits for each value of a witness; see classes.h
 *
 * Whole words are done four values at a time, with the vectors that every
 * x86-64 has: 19 instructions a value, where the check alone takes 10 and both,
 * one value after the other, take 33.
 */
#include "input/classes.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/base.h"
#include "curve/facts.h"
#include "input/canonical.h"

_Static_assert(LULL_CLASS_ONE == 1 && LULL_CLASS_OTHER == 2,
	       "a bit of the map for each");

static __always_inline uint32_t class_of(const uint8_t *value)
{
	uint64_t low = lull_load_u64(value);
	uint64_t rest = lull_load_u64(value + 8) | lull_load_u64(value + 16) |
			lull_load_u64(value + 24) | low >> 1;
	uint32_t other = rest != 0;

	return other << 1 | ((uint32_t)low & (other ^ 1));
}

/* The bits of up to a word of values, the first of which has @place in it; less
 * than @nr values when one is too large. */
static __always_inline size_t classify_word(const uint8_t *value,
					    const uint8_t *prime, size_t place,
					    size_t nr, uint32_t *ret_bits)
{
	uint32_t bits = 0;
	size_t i;

	for (i = 0; i < nr; i++, value += LULL_FR_BYTES) {
		if (lull_unlikely(
			    !lull_input_below(value, prime, LULL_FR_BYTES)))
			break;
		bits |= class_of(value) << LULL_CLASS_BITS * (place + i);
	}
	*ret_bits = bits;
	return i;
}

#ifdef __SSE2__
#define PER_VECTOR 4

/* The signs of four lanes. */
static __always_inline uint32_t signs(__m128i x)
{
	return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(x));
}

/* A bit for each of four values that are ones, and 16 bits above for each that is
 * an other; false where one's highest 32 bits are not below the prime's. */
static __always_inline bool classify_four(const uint8_t *value, __m128i top,
					  uint32_t *ret_bits)
{
	const __m128i beside_lowest = _mm_set_epi32(-1, -1, -1, -2);
	__m128i low[PER_VECTOR], high[PER_VECTOR], none[PER_VECTOR], x;
	uint32_t is_bit, is_odd;
	size_t i;

	for (i = 0; i < PER_VECTOR; i++, value += LULL_FR_BYTES) {
		low[i] = _mm_loadu_si128((const __m128i *)value);
		high[i] = _mm_loadu_si128((const __m128i *)value + 1);
		x = _mm_or_si128(_mm_and_si128(low[i], beside_lowest), high[i]);
		none[i] = _mm_cmpeq_epi32(x, _mm_setzero_si128());
	}
	/* A byte for each lane, and so 32 bits for each value. */
	x = _mm_packs_epi16(_mm_packs_epi32(none[0], none[1]),
			    _mm_packs_epi32(none[2], none[3]));
	is_bit = signs(_mm_cmpeq_epi32(x, _mm_set1_epi32(-1)));
	x = _mm_unpacklo_epi64(_mm_unpacklo_epi32(low[0], low[1]),
			       _mm_unpacklo_epi32(low[2], low[3]));
	is_odd = signs(_mm_slli_epi32(x, 31));
	*ret_bits = (is_odd & is_bit) | (is_bit ^ 0xf) << 16;
	x = _mm_unpackhi_epi64(_mm_unpackhi_epi32(high[0], high[1]),
			       _mm_unpackhi_epi32(high[2], high[3]));
	/* Compared as signed: a prime's highest bit is clear. */
	return signs(_mm_andnot_si128(x, _mm_cmpgt_epi32(top, x))) == 0xf;
}

/* The 16 lower bits to even places, and the 16 upper ones to odd places. */
static __always_inline uint32_t interleave(uint32_t bits)
{
	uint64_t x = bits;

	x = (x | x << 16) & 0x0000ffff0000ffff; /* halves move apart, */
	x = (x | x << 8) & 0x00ff00ff00ff00ff;	/* then quarters, */
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;	/* eighths, */
	x = (x | x << 2) & 0x3333333333333333;	/* sixteenths */
	x = (x | x << 1) & 0x5555555555555555;	/* and single bits */
	return (uint32_t)(x | x >> 31);
}

/* A whole word; false where it must be looked at one value after the other. */
static __always_inline bool
classify_sixteen(const uint8_t *value, const uint8_t *prime, uint32_t *ret_bits)
{
	const __m128i top = _mm_set1_epi32(
		(int)lull_load_u32(prime + LULL_FR_BYTES - sizeof(uint32_t)));
	uint32_t all = 0, four;
	bool below = true;
	size_t i;

	for (i = 0; i < LULL_CLASSES_PER_WORD; i += PER_VECTOR) {
		below &= classify_four(value + i * LULL_FR_BYTES, top, &four);
		all |= four << i;
	}
	*ret_bits = interleave(all);
	return below;
}
#else
static bool classify_sixteen(const uint8_t *value, const uint8_t *prime,
			     uint32_t *ret_bits)
{
	(void)value, (void)prime, (void)ret_bits;
	return false;
}
#endif

/* How many ones a word has in the lower half, and how many others in the upper;
 * by sums of bits, as a table would be read where the witness says. */
static __always_inline uint64_t count_word(uint32_t bits)
{
	uint64_t x = (uint64_t)(bits >> 1) << 32 | bits;

	x &= 0x5555555555555555; /* a sum in every two bits, */
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333); /* four */
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f; /* and eight */
	x += x >> 8;
	x += x >> 16;
	return x & 0x000000ff000000ff; /* of each half the lowest has its sum */
}

/* Another run may have the other bits of the word, at the same time. */
static void put_some(uint32_t *word, uint32_t bits, size_t place, size_t nr)
{
	uint32_t mask = ((1u << LULL_CLASS_BITS * nr) - 1)
			<< LULL_CLASS_BITS * place;
	uint32_t was = __atomic_load_n(word, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(word, &was, (was & ~mask) | bits,
					    true, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

size_t lull_input_classify(const uint8_t *values, const uint8_t *prime,
			   size_t first, size_t last, uint32_t *map,
			   struct lull_classes *ret_found)
{
	size_t i, nr, done, place;
	uint64_t sums = 0;
	uint32_t bits;

	for (i = first; i < last; i += nr) {
		const uint8_t *value = values + i * LULL_FR_BYTES;

		place = i % LULL_CLASSES_PER_WORD;
		nr = lull_min(LULL_CLASSES_PER_WORD - place, last - i);
		done = nr;
		if (nr < LULL_CLASSES_PER_WORD ||
		    !classify_sixteen(value, prime, &bits))
			done = classify_word(value, prime, place, nr, &bits);
		sums += count_word(bits);
		if (nr < LULL_CLASSES_PER_WORD)
			put_some(&map[i / LULL_CLASSES_PER_WORD], bits, place,
				 nr);
		else
			map[i / LULL_CLASSES_PER_WORD] = bits;
		if (lull_unlikely(done < nr)) {
			i += done;
			break;
		}
	}
	ret_found->nr_ones = (uint32_t)sums;
	ret_found->nr_others = sums >> 32;
	return i;
}
