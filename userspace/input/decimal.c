// SPDX-License-Identifier: Apache-2.0
/*
 * decimal.c - decimal text to bytes and back; see decimal.h
 *
 * Works on 32-bit limbs and nine digits at a time: ten to the ninth is the
 * largest power of ten that a limb holds.
 */
#include "input/decimal.h"

#include <stdbool.h>

#include "base/base.h"

#define NR_LIMBS (LULL_DECIMAL_BYTES_MAX / sizeof(uint32_t))
#define CHUNK_DIGITS 9
#define CHUNK 1000000000u /* 10^9 */

_Static_assert(LULL_DECIMAL_BYTES_MAX % sizeof(uint32_t) == 0,
	       "LULL_DECIMAL_BYTES_MAX is a whole number of limbs");

static bool is_canonical(const char *text, size_t len)
{
	size_t i;

	if (!len || (text[0] == '0' && len > 1))
		return false;
	for (i = 0; i < len; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return true;
}

/* limbs = limbs * factor + more; what does not fit is returned. */
static uint32_t multiply_add(uint32_t limbs[NR_LIMBS], uint32_t factor,
			     uint32_t more)
{
	uint64_t carry = more;
	size_t i;

	for (i = 0; i < NR_LIMBS; i++) {
		carry += (uint64_t)limbs[i] * factor;
		limbs[i] = (uint32_t)carry;
		carry >>= 32;
	}
	return (uint32_t)carry;
}

/* limbs = limbs / CHUNK; returns the remainder. */
static uint32_t divide(uint32_t limbs[NR_LIMBS])
{
	uint64_t rest = 0;
	size_t i;

	for (i = NR_LIMBS; i--;) {
		rest = rest << 32 | limbs[i];
		limbs[i] = (uint32_t)(rest / CHUNK);
		rest %= CHUNK;
	}
	return (uint32_t)rest;
}

static bool is_zero(const uint8_t *p, size_t bytes)
{
	uint8_t any = 0;
	size_t i;

	for (i = 0; i < bytes; i++)
		any |= p[i];
	return !any;
}

int lull_decimal_read(const char *text, size_t len, uint8_t *ret_value,
		      size_t bytes)
{
	uint32_t limbs[NR_LIMBS] = { 0 };
	uint32_t chunk, factor;
	size_t i;

	LULL_ASSERT(bytes && bytes <= LULL_DECIMAL_BYTES_MAX);
	if (!is_canonical(text, len))
		return LULL_FORMAT;
	for (i = 0; i < len;) {
		chunk = 0;
		factor = 1;
		do {
			chunk = chunk * 10 + (uint32_t)(text[i++] - '0');
			factor *= 10;
		} while (i < len && factor < CHUNK);
		if (multiply_add(limbs, factor, chunk))
			return LULL_RANGE;
	}
	if (!is_zero((const uint8_t *)limbs + bytes, sizeof(limbs) - bytes))
		return LULL_RANGE;
	memcpy(ret_value, limbs, bytes);
	return LULL_OK;
}

size_t lull_decimal_write(const uint8_t *value, size_t bytes, char *ret_text)
{
	/* Digits from the last to the first, whole chunks. */
	char digits[LULL_DECIMAL_TEXT_BYTES(LULL_DECIMAL_BYTES_MAX) +
		    CHUNK_DIGITS];
	uint32_t limbs[NR_LIMBS] = { 0 };
	size_t nr = 0, i;
	uint32_t chunk;

	LULL_ASSERT(bytes && bytes <= LULL_DECIMAL_BYTES_MAX);
	memcpy(limbs, value, bytes);
	while (!is_zero((const uint8_t *)limbs, sizeof(limbs))) {
		chunk = divide(limbs);
		for (i = 0; i < CHUNK_DIGITS; i++) {
			digits[nr++] = (char)('0' + chunk % 10);
			chunk /= 10;
		}
	}
	while (nr && digits[nr - 1] == '0')
		nr--;
	if (!nr)
		digits[nr++] = '0';
	for (i = 0; i < nr; i++)
		ret_text[i] = digits[nr - 1 - i];
	ret_text[nr] = '\0';
	return nr;
}
