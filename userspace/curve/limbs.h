/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limbs.h - n-limb integers and Montgomery arithmetic, for the field headers
 *
 * @n is always a literal at the call, so that every loop unrolls.  Moduli
 * leave the top bit of the top limb free and are not close below 2^(64 n - 1),
 * which is what lets the multiplication drop its last carry.  Values are
 * little-endian limbs; "canonical" means below the modulus.  Nothing here
 * branches on a value, except where the name ends in _var.
 */
#ifndef LULL_CURVE_LIMBS_H
#define LULL_CURVE_LIMBS_H

#include "base/base.h"

typedef uint64_t limb_t;
__extension__ typedef unsigned __int128 limb2_t;

#define LIMBS_MAX 6
#define LIMB_BITS 64

/*
 * a + b + carry and a - b - borrow of one limb.  On x86-64 by the builtins
 * behind _addcarry_u64 and _subborrow_u64 (whose header is slow to read): gcc 12
 * does not keep a chain on the carry flag that is written in 128-bit integers.
 */
#if defined(__x86_64__) && defined(__clang__)
#define LIMB_SUBBORROW __builtin_ia32_subborrow_u64
#else
#define LIMB_SUBBORROW __builtin_ia32_sbb_u64
#endif

#ifdef __x86_64__
static __always_inline limb_t limb_adc(limb_t a, limb_t b, unsigned char *carry)
{
	unsigned long long r;

	*carry = __builtin_ia32_addcarryx_u64(*carry, a, b, &r);
	return r;
}

static __always_inline limb_t limb_sbb(limb_t a, limb_t b,
				       unsigned char *borrow)
{
	unsigned long long r;

	*borrow = LIMB_SUBBORROW(*borrow, a, b, &r);
	return r;
}
#else
static __always_inline limb_t limb_adc(limb_t a, limb_t b, unsigned char *carry)
{
	limb2_t t = (limb2_t)a + b + *carry;

	*carry = (unsigned char)(t >> LIMB_BITS);
	return (limb_t)t;
}

static __always_inline limb_t limb_sbb(limb_t a, limb_t b,
				       unsigned char *borrow)
{
	limb2_t t = (limb2_t)a - b - *borrow;

	*borrow = (unsigned char)(t >> LIMB_BITS) & 1;
	return (limb_t)t;
}
#endif

/*
 * x, of which the compiler knows nothing more: it can neither turn a mask into
 * a branch nor move single limbs into vector registers, which costs twice the
 * time of the addition that follows.
 */
static __always_inline limb_t limb_hide(limb_t x)
{
	__asm__("" : "+r"(x));
	return x;
}

/* r = a + b; returns the carry.  r may be a or b. */
static __always_inline limb_t limbs_add(limb_t *r, const limb_t *a,
					const limb_t *b, unsigned int n)
{
	unsigned char carry = 0;
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < n; i++)
		r[i] = limb_adc(a[i], b[i], &carry);
	return carry;
}

/* r = a - b; returns the borrow, 0 or 1.  r may be a or b. */
static __always_inline limb_t limbs_sub(limb_t *r, const limb_t *a,
					const limb_t *b, unsigned int n)
{
	unsigned char borrow = 0;
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < n; i++)
		r[i] = limb_sbb(a[i], b[i], &borrow);
	return borrow;
}

/* r = mask ? a : b, where mask is 0 or all ones. */
static __always_inline void limbs_select(limb_t *r, limb_t mask,
					 const limb_t *a, const limb_t *b,
					 unsigned int n)
{
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < n; i++)
		r[i] = limb_hide((a[i] ^ b[i]) & mask) ^ b[i];
}

static __always_inline bool limbs_less(const limb_t *a, const limb_t *b,
				       unsigned int n)
{
	limb_t t[LIMBS_MAX];

	return limbs_sub(t, a, b, n) != 0;
}

static __always_inline bool limbs_equal(const limb_t *a, const limb_t *b,
					unsigned int n)
{
	limb_t diff = 0;
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < n; i++)
		diff |= a[i] ^ b[i];
	return !diff;
}

static __always_inline bool limbs_is_zero(const limb_t *a, unsigned int n)
{
	limb_t any = 0;
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < n; i++)
		any |= a[i];
	return !any;
}

static __always_inline unsigned int limbs_bit(const limb_t *a, unsigned int i)
{
	return (a[i / LIMB_BITS] >> (i % LIMB_BITS)) & 1;
}

/* r = a < m ? a : a - m, for a < 2 m. */
static __always_inline void limbs_reduce_once(limb_t *r, const limb_t *a,
					      const limb_t *m, unsigned int n)
{
	limb_t t[LIMBS_MAX];
	limb_t borrow = limbs_sub(t, a, m, n);

	limbs_select(r, 0 - borrow, a, t, n);
}

static __always_inline void limbs_mod_add(limb_t *r, const limb_t *a,
					  const limb_t *b, const limb_t *m,
					  unsigned int n)
{
	limb_t t[LIMBS_MAX];

	limbs_add(t, a, b, n);
	limbs_reduce_once(r, t, m, n);
}

static __always_inline void limbs_mod_sub(limb_t *r, const limb_t *a,
					  const limb_t *b, const limb_t *m,
					  unsigned int n)
{
	limb_t t[LIMBS_MAX], masked[LIMBS_MAX] = { 0 };
	limb_t mask = limb_hide(0 - limbs_sub(t, a, b, n));
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < n; i++)
		masked[i] = limb_hide(m[i] & mask);
	limbs_add(r, t, masked, n);
}

/*
 * r = a b 2^(-64 n) mod m, canonical for canonical a and b.  Coarsely
 * integrated operand scanning with both carries kept in one limb each, as the
 * free top bit of m allows.  inv = -m^-1 mod 2^64.  r may be a or b.
 */
static __always_inline void limbs_mont_mul(limb_t *r, const limb_t *a,
					   const limb_t *b, const limb_t *m,
					   limb_t inv, unsigned int n)
{
	limb_t t[LIMBS_MAX] = { 0 };
	unsigned int i, j;

#pragma GCC unroll 8
	for (i = 0; i < n; i++) {
		limb2_t prod = (limb2_t)a[0] * b[i] + t[0];
		limb_t q = (limb_t)prod * inv;
		limb2_t red = (limb2_t)q * m[0] + (limb_t)prod;
		limb_t hi_prod = (limb_t)(prod >> LIMB_BITS);
		limb_t hi_red = (limb_t)(red >> LIMB_BITS);

#pragma GCC unroll 8
		for (j = 1; j < n; j++) {
			prod = (limb2_t)a[j] * b[i] + t[j] + hi_prod;
			hi_prod = (limb_t)(prod >> LIMB_BITS);
			red = (limb2_t)q * m[j] + (limb_t)prod + hi_red;
			hi_red = (limb_t)(red >> LIMB_BITS);
			t[j - 1] = (limb_t)red;
		}
		t[n - 1] = hi_prod + hi_red;
	}
	limbs_reduce_once(r, t, m, n);
}

#endif
