/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalars.h - from scalars to lists of points sorted by bucket
 *
 * For templates.  A ref names a point and a sign: 2 index + (1 for the
 * negated point).  Scalars are folded: one above r / 2 counts as r - scalar
 * with the sign turned.
 */
#ifndef LULL_MSM_SCALARS_H
#define LULL_MSM_SCALARS_H

#include "curve/fr.h"
#include "msm/plan.h"

#define fr_msm_classify LULL_CURVE_NAME(fr_msm_classify)
#define fr_msm_digits_init LULL_CURVE_NAME(fr_msm_digits_init)
#define fr_msm_encode LULL_CURVE_NAME(fr_msm_encode)
#define fr_msm_encode_ifma LULL_CURVE_NAME(fr_msm_encode_ifma)
#define fr_msm_sort LULL_CURVE_NAME(fr_msm_sort)

#define LULL_MSM_SCALAR_BYTES 32
#define LULL_MSM_REF_NEG 1u
#define LULL_MSM_REF_SHIFT 1
/* A code is 2 |digit| + (1 for a negative digit). */
#define LULL_MSM_CODE_NEG 1u
#define LULL_MSM_CODE_SHIFT 1

/**
 * struct fr_msm_class - what fr_msm_classify() found
 * @nr: full scalars
 * @nr_units: scalars +-1
 * @bits: the folded full scalars are below 2^bits
 */
struct fr_msm_class {
	size_t nr;
	size_t nr_units;
	unsigned int bits;
};

/*
 * Writes the refs of the points lo .. hi - 1 that count to refs (full scalars)
 * and units (scalars +-1), each with room for hi - lo.  Skips zero scalars and
 * points of which all @point_bytes bytes are zero.
 */
void fr_msm_classify(uint32_t *refs, uint32_t *units, const uint8_t *points,
		     size_t point_bytes, const uint8_t *scalars, size_t lo,
		     size_t hi, struct fr_msm_class *ret_class);

/**
 * struct fr_msm_digits - how scalars fall into signed digits
 * @window_bits: c
 * @nr_windows: the last one takes what is left and has no offset
 * @bias: sum of 2^(c w + c - 1) over all windows but the last; with it added,
 *	digit w is bits [c w, c w + c) minus 2^(c-1), without a carry
 * @bias_neg: bias + r + 1, to which the complement of a scalar above r / 2 is
 *	added
 */
struct fr_msm_digits {
	unsigned int window_bits;
	unsigned int nr_windows;
	limb_t bias[FR_LIMBS];
	limb_t bias_neg[FR_LIMBS];
};

void fr_msm_digits_init(struct fr_msm_digits *digits, unsigned int window_bits,
			unsigned int nr_windows);

/* The codes of window w of the scalars of nr refs; counts[|digit|] goes up by
 * one for each.  The second is its twin, only where lull_cpu_has_ifma(). */
void fr_msm_encode(uint16_t *codes, uint32_t *counts,
		   const struct fr_msm_digits *digits, const uint32_t *refs,
		   size_t nr, const uint8_t *scalars, unsigned int w);
void fr_msm_encode_ifma(uint16_t *codes, uint32_t *counts,
			const struct fr_msm_digits *digits,
			const uint32_t *refs, size_t nr, const uint8_t *scalars,
			unsigned int w);

/**
 * fr_msm_sort - sort the points of some windows by their bucket
 * @sorted: refs by bucket; nr (w_end - w) of them at most
 * @starts: bucket b of window w + i, digits +-(b + 1), has the refs
 *	[starts[k], starts[k + 1]), k = i 2^(c-1) + b
 * @codes: room for nr (w_end - w) codes
 * @digits: how
 * @refs: the points, full scalars
 * @nr: how many
 * @scalars: all scalars
 * @w: the first window
 * @w_end: one past the last
 */
void fr_msm_sort(uint32_t *sorted, uint32_t *starts, uint16_t *codes,
		 const struct fr_msm_digits *digits, const uint32_t *refs,
		 size_t nr, const uint8_t *scalars, unsigned int w,
		 unsigned int w_end);

#endif
