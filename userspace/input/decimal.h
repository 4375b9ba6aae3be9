/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decimal.h - non-negative integers between decimal text and bytes
 *
 * For json.c and for options such as --test-rs.  One number has one spelling:
 * signs, spaces, leading zeros and the empty string are refused.
 */
#ifndef LULL_INPUT_DECIMAL_H
#define LULL_INPUT_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#include "lull.h"

#define LULL_DECIMAL_BYTES_MAX 64 /* the widest integer handled */

/* Digits of the largest integer of @bytes bytes, and one for the NUL: a byte
 * is log10(256) = 2.408... digits. */
#define LULL_DECIMAL_TEXT_BYTES(bytes) ((size_t)(bytes)*5 / 2 + 2)

/**
 * lull_decimal_read - read an integer
 * @text: digits; needs no NUL
 * @len: how many
 * @ret_value: @bytes bytes, little-endian
 * @bytes: 1 .. LULL_DECIMAL_BYTES_MAX
 *
 * Return: LULL_OK, LULL_FORMAT (not a canonical decimal number) or LULL_RANGE
 * (too large for @bytes bytes).  The caller knows what the number is for and
 * words the message.
 */
int lull_decimal_read(const char *text, size_t len, uint8_t *ret_value,
		      size_t bytes);

/**
 * lull_decimal_write - write an integer
 * @value: @bytes bytes, little-endian
 * @bytes: 1 .. LULL_DECIMAL_BYTES_MAX
 * @ret_text: room for LULL_DECIMAL_TEXT_BYTES(@bytes); ends with a NUL
 *
 * Return: digits written, without the NUL.
 */
size_t lull_decimal_write(const uint8_t *value, size_t bytes, char *ret_text);

#endif
