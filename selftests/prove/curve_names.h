/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curve_names.h - what files call the curve of a template, and the other one
 *
 * For templates of this folder: golden files bear the names of JSON, messages
 * those of texts.
 */
#ifndef LULL_SELFTESTS_PROVE_CURVE_NAMES_H
#define LULL_SELFTESTS_PROVE_CURVE_NAMES_H

#include "curve/bind.h"

#if LULL_CURVE_ID == LULL_ID_bn254
#define CURVE_JSON "bn128"
#define CURVE_TEXT "BN254"
#define OTHER_JSON "bls12381"
#define OTHER_TEXT "BLS12-381"
#else
#define CURVE_JSON "bls12381"
#define CURVE_TEXT "BLS12-381"
#define OTHER_JSON "bn128"
#define OTHER_TEXT "BN254"
#endif

/* The golden circuit that small tests are about. */
#define MUL2 CURVE_JSON "-mul2"

#endif
