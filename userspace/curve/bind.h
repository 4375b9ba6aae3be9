/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bind.h - binds a _tmpl.c to its curve and a _gtmpl.c to its group as well
 *
 * A template is built with -DLULL_CURVE=bn254 or bls12_381 and, for _gtmpl.c,
 * -DLULL_GROUP=1 or 2.  It is ordinary C that says fp_mul or g1_xyzz_add (or,
 * per group, gfe_mul and g_xyzz_add); object-like aliases beside each
 * declaration give external names their curve:
 *
 *	#define fp_mul LULL_CURVE_NAME(fp_mul)        -> lull_bn254_fp_mul
 *	#define g_xyzz_add LULL_GROUP_LOCAL(xyzz_add) -> g1_xyzz_add, and on
 *	CURVE_CONST(FP_P)                             -> BN254_FP_P
 */
#ifndef LULL_CURVE_BIND_H
#define LULL_CURVE_BIND_H

#include "curve/gen/bls12_381.h"
#include "curve/gen/bn254.h"

#ifndef LULL_CURVE
#error "a template is built with -DLULL_CURVE=bn254 or bls12_381"
#endif

#define LULL_PASTE2_(a, b) a##b
#define LULL_PASTE2(a, b) LULL_PASTE2_(a, b)
#define LULL_PASTE4_(a, b, c, d) a##b##c##d
#define LULL_PASTE4(a, b, c, d) LULL_PASTE4_(a, b, c, d)

#define LULL_CURVE_NAME(name) LULL_PASTE4(lull_, LULL_CURVE, _, name)

#define LULL_CONST_PREFIX_bn254 BN254_
#define LULL_CONST_PREFIX_bls12_381 BLS12_381_
#define LULL_CONST_PREFIX LULL_PASTE2(LULL_CONST_PREFIX_, LULL_CURVE)
#define CURVE_CONST(name) LULL_PASTE2(LULL_CONST_PREFIX, name)

/* The enum lull_curve of this template, usable in #if. */
#define LULL_ID_bn254 1
#define LULL_ID_bls12_381 2
#define LULL_CURVE_ID LULL_PASTE2(LULL_ID_, LULL_CURVE)

#define FP_LIMBS CURVE_CONST(FP_LIMBS)
#define FR_LIMBS CURVE_CONST(FR_LIMBS)
#define FP_BITS CURVE_CONST(FP_BITS)
#define FR_BITS CURVE_CONST(FR_BITS)

#ifdef LULL_GROUP
#define LULL_GROUP_PREFIX LULL_PASTE2(LULL_PASTE2(g, LULL_GROUP), _)
/* g1_name or g2_name; where that is an alias it expands further. */
#define LULL_GROUP_LOCAL(name) LULL_PASTE2(LULL_GROUP_PREFIX, name)
#endif

#endif
