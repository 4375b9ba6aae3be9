// SPDX-License-Identifier: Apache-2.0
/*
 * mont.c - the C kernels, and which one a processor gets
 */
#include "curve/mont.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

void lull_curve_mont_mul_4_c(limb_t *r, const limb_t *a, const limb_t *b,
			     const limb_t *m, limb_t inv)
{
	limbs_mont_mul(r, a, b, m, inv, 4);
}

void lull_curve_mont_mul_6_c(limb_t *r, const limb_t *a, const limb_t *b,
			     const limb_t *m, limb_t inv)
{
	limbs_mont_mul(r, a, b, m, inv, 6);
}

/*
 * Asks the processor itself: a resolver runs before the C library may be used.
 * General registers only, so the system's consent is not needed.
 */
bool lull_curve_has_adx(void)
{
#ifdef __x86_64__
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
		return false;
	return (ebx & bit_BMI2) && (ebx & bit_ADX);
#else
	return false;
#endif
}

#if LULL_MONT_KERNELS
/* "used": clang 14 does not count an ifunc as a use. */
__attribute__((used)) static lull_mont_mul_fn *resolve_mul_4(void)
{
	return lull_curve_has_adx() ? lull_curve_mont_mul_4_adx
				    : lull_curve_mont_mul_4_c;
}

__attribute__((used)) static lull_mont_mul_fn *resolve_mul_6(void)
{
	return lull_curve_has_adx() ? lull_curve_mont_mul_6_adx
				    : lull_curve_mont_mul_6_c;
}

lull_mont_mul_fn lull_curve_mont_mul_4 __attribute__((ifunc("resolve_mul_4")));
lull_mont_mul_fn lull_curve_mont_mul_6 __attribute__((ifunc("resolve_mul_6")));
#endif
