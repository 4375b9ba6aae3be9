/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inverse.h - a fast inversion whose time depends on its input
 *
 * For the batches of msm/, which invert public-looking intermediate points;
 * secrets use fp_inv().
 */
#ifndef LULL_MSM_INVERSE_H
#define LULL_MSM_INVERSE_H

#include "curve/fp.h"
#include "curve/fp2.h"

#define fp_inv_var LULL_CURVE_NAME(fp_inv_var)
#define fp2_inv_var LULL_CURVE_NAME(fp2_inv_var)

/* r = 1 / a; 0 gives 0.  r may be a. */
void fp_inv_var(struct fp *r, const struct fp *a);
void fp2_inv_var(struct fp2 *r, const struct fp2 *a);

#endif
