/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mont.h - Montgomery multiplication kernels of 4 and 6 limbs
 *
 * For field_tmpl.c and the tests of the kernels.  r = a b 2^(-64 n) mod m,
 * canonical for canonical a and b; inv = -m^-1 mod 2^64; the top bit of m is
 * free, as limbs.h wants it.  r may be a or b.  Time does not depend on values.
 *
 * lull_curve_mont_mul_N is resolved once, when the program is loaded: the ADX
 * kernel where the processor has BMI2 and ADX, the C one elsewhere.  Sanitizers
 * must see every access and get no kernel at all: LULL_MONT_KERNELS is 0.
 */
#ifndef LULL_CURVE_MONT_H
#define LULL_CURVE_MONT_H

#include "curve/limbs.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||     \
	__has_feature(thread_sanitizer)
#define LULL_MONT_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LULL_MONT_SANITIZED 1
#endif

#if defined(__x86_64__) && defined(__gnu_linux__) &&                           \
	!defined(LULL_MONT_SANITIZED)
#define LULL_MONT_KERNELS 1
#else
#define LULL_MONT_KERNELS 0
#endif

typedef void lull_mont_mul_fn(limb_t *r, const limb_t *a, const limb_t *b,
			      const limb_t *m, limb_t inv);

#if LULL_MONT_KERNELS
lull_mont_mul_fn lull_curve_mont_mul_4, lull_curve_mont_mul_6;
#endif

/* The twins.  The ADX ones exist on x86-64 and need lull_curve_has_adx(). */
lull_mont_mul_fn lull_curve_mont_mul_4_c, lull_curve_mont_mul_6_c;
#ifdef __x86_64__
lull_mont_mul_fn lull_curve_mont_mul_4_adx, lull_curve_mont_mul_6_adx;
#endif
bool lull_curve_has_adx(void);

#endif
