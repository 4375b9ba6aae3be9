/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h - units, sizes, alignment, checked arithmetic and assertions
 *
 * For every folder of the library.  Includes nothing of ours and allocates
 * nothing.
 */
#ifndef LULL_BASE_BASE_H
#define LULL_BASE_BASE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whole numbers: for a fraction of a unit, what is divided is a double. */
#define LULL_BYTES_PER_KIB ((uint64_t)1 << 10)
#define LULL_BYTES_PER_MIB ((uint64_t)1 << 20)
#define LULL_BYTES_PER_GIB ((uint64_t)1 << 30)
/* As those of struct timespec. */
#define LULL_MS_PER_S 1000L
#define LULL_NS_PER_US 1000L
#define LULL_NS_PER_MS 1000000L
#define LULL_NS_PER_S 1000000000L

#define LULL_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define lull_likely(x) __builtin_expect(!!(x), 1)
#define lull_unlikely(x) __builtin_expect(!!(x), 0)
#define __lull_must_check __attribute__((warn_unused_result))

/* Contracts of the data plane: checked in VERIFY builds, free otherwise, and
 * where another build checks them already. */
#if defined(LULL_VERIFY) && !defined(LULL_NO_CONTRACTS)
#define LULL_CONTRACTS
#endif
#ifdef LULL_CONTRACTS
#define LULL_ASSERT(cond) assert(cond)
#else
#define LULL_ASSERT(cond) ((void)sizeof(cond))
#endif

static inline size_t lull_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static inline size_t lull_max(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Rounds @x up to a multiple of @align, which must be a power of two. */
static inline size_t lull_align_up(size_t x, size_t align)
{
	return (x + align - 1) & ~(align - 1);
}

static inline size_t lull_div_up(size_t x, size_t y)
{
	return x / y + (x % y != 0);
}

/* True when a + b or a * b does not fit; *ret_sum is then undefined. */
static inline bool lull_add_overflow(uint64_t a, uint64_t b, uint64_t *ret_sum)
{
	return __builtin_add_overflow(a, b, ret_sum);
}

static inline bool lull_mul_overflow(uint64_t a, uint64_t b, uint64_t *ret_prod)
{
	return __builtin_mul_overflow(a, b, ret_prod);
}

/* Is every byte zero?  Time depends on how many of the first are. */
static inline bool lull_is_zero(const void *data, size_t bytes)
{
	const uint8_t *p = (const uint8_t *)data; /* C++ reads this too */

	while (bytes && !*p) {
		p++;
		bytes--;
	}
	return !bytes;
}

/* Little-endian loads from addresses of any alignment. */
static inline uint32_t lull_load_u32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Of memory that others may write meanwhile: what is compared afterwards is what
 * is used, and not loaded again. */
static inline uint32_t lull_load_u32_once(const void *p)
{
	uint32_t v = lull_load_u32(p);

	__asm__("" : "+r"(v));
	return v;
}

static inline uint64_t lull_load_u64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "lull maps little-endian files in place and runs on little-endian hosts"
#endif

#endif
