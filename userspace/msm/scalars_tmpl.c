// SPDX-License-Identifier: Apache-2.0
/*
 * scalars_tmpl.c - the passes over the scalars behind scalars.h
 *
 * Each pass reads the scalars once, front to back; nothing of their size is
 * written.
 */
#include "msm/scalars.h"

#include "base/base.h"
#include "base/cpu.h"

static void read_scalar(limb_t *s, const uint8_t *scalars, size_t i)
{
	memcpy(s, scalars + i * LULL_MSM_SCALAR_BYTES, LULL_MSM_SCALAR_BYTES);
}

static bool is_one(const limb_t *s)
{
	return s[0] == 1 && limbs_is_zero(s + 1, FR_LIMBS - 1);
}

static bool all_zero(const uint8_t *p, size_t bytes)
{
	uint64_t any = 0;
	size_t i;

	for (i = 0; i < bytes && !any; i += sizeof(any))
		any |= lull_load_u64(p + i);
	return !any;
}

static unsigned int bit_length(const limb_t *s)
{
	unsigned int i = FR_LIMBS;

	while (i--)
		if (s[i])
			return (i + 1) * LIMB_BITS -
			       (unsigned int)__builtin_clzll(s[i]);
	return 0;
}

void fr_msm_classify(uint32_t *refs, uint32_t *units, const uint8_t *points,
		     size_t point_bytes, const uint8_t *scalars, size_t lo,
		     size_t hi, struct fr_msm_class *ret_class)
{
	limb_t s[FR_LIMBS], t[FR_LIMBS], any[FR_LIMBS] = { 0 };
	size_t nr = 0, nr_units = 0, i;
	unsigned int j;

	for (i = lo; i < hi; i++) {
		uint32_t ref = (uint32_t)i << LULL_MSM_REF_SHIFT;

		read_scalar(s, scalars, i);
		if (limbs_is_zero(s, FR_LIMBS) ||
		    all_zero(points + i * point_bytes, point_bytes))
			continue;
		limbs_sub(t, fr_r, s, FR_LIMBS);
		if (limbs_less(t, s, FR_LIMBS)) {
			memcpy(s, t, sizeof(s));
			ref |= LULL_MSM_REF_NEG;
		}
		if (is_one(s)) {
			units[nr_units++] = ref;
			continue;
		}
		for (j = 0; j < FR_LIMBS; j++)
			any[j] |= s[j];
		refs[nr++] = ref;
	}
	*ret_class = (struct fr_msm_class){ nr, nr_units, bit_length(any) };
}

void fr_msm_digits_init(struct fr_msm_digits *digits, unsigned int window_bits,
			unsigned int nr_windows)
{
	limb_t one[FR_LIMBS] = { 1 };
	unsigned int w, bit;

	*digits = (struct fr_msm_digits){ .window_bits = window_bits,
					  .nr_windows = nr_windows };
	for (w = 0; w + 1 < nr_windows; w++) {
		bit = w * window_bits + window_bits - 1;
		digits->bias[bit / LIMB_BITS] |= (limb_t)1 << bit % LIMB_BITS;
	}
	limbs_add(digits->bias_neg, digits->bias, fr_r, FR_LIMBS);
	limbs_add(digits->bias_neg, digits->bias_neg, one, FR_LIMBS);
}

void fr_msm_encode(uint16_t *codes, uint32_t *counts,
		   const struct fr_msm_digits *digits, const uint32_t *refs,
		   size_t nr, const uint8_t *scalars, unsigned int w)
{
	unsigned int bit = w * digits->window_bits, limb = bit / LIMB_BITS;
	bool last = w + 1 == digits->nr_windows;
	limb_t mask = ((limb_t)1 << digits->window_bits) - 1;
	int64_t half = last ? 0 : (int64_t)1 << (digits->window_bits - 1);
	limb_t s[FR_LIMBS + 1] = { 0 };
	size_t i;

	for (i = 0; i < nr; i++) {
		bool neg = refs[i] & LULL_MSM_REF_NEG;
		limb_t flip = 0 - (limb_t)neg;
		unsigned int j;
		limb2_t both;
		int64_t digit, sign;

		read_scalar(s, scalars, refs[i] >> LULL_MSM_REF_SHIFT);
		for (j = 0; j < FR_LIMBS; j++)
			s[j] ^= flip;
		limbs_add(s, s, neg ? digits->bias_neg : digits->bias,
			  FR_LIMBS);
		both = (limb2_t)s[limb + 1] << LIMB_BITS | s[limb];
		digit = (int64_t)((limb_t)(both >> bit % LIMB_BITS) & mask);
		digit -= half;
		sign = digit >> 63;
		digit = (digit ^ sign) - sign;
		codes[i] = (uint16_t)(digit << LULL_MSM_CODE_SHIFT |
				      (sign & LULL_MSM_CODE_NEG));
		counts[digit]++;
	}
}

static void encode(uint16_t *codes, uint32_t *counts,
		   const struct fr_msm_digits *digits, const uint32_t *refs,
		   size_t nr, const uint8_t *scalars, unsigned int w)
{
	if (lull_cpu_has_ifma())
		fr_msm_encode_ifma(codes, counts, digits, refs, nr, scalars, w);
	else
		fr_msm_encode(codes, counts, digits, refs, nr, scalars, w);
}

/* Puts the refs where the starts of their buckets say, and moves those on. */
static void scatter_window(uint32_t *sorted, uint32_t *next,
			   const uint16_t *codes, const uint32_t *refs,
			   size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		uint32_t digit = codes[i] >> LULL_MSM_CODE_SHIFT;

		if (digit)
			sorted[next[digit - 1]++] =
				refs[i] ^ (codes[i] & LULL_MSM_CODE_NEG);
	}
}

void fr_msm_sort(uint32_t *sorted, uint32_t *starts, uint16_t *codes,
		 const struct fr_msm_digits *digits, const uint32_t *refs,
		 size_t nr, const uint8_t *scalars, unsigned int w,
		 unsigned int w_end)
{
	size_t nr_buckets = (size_t)1 << (digits->window_bits - 1);
	size_t total = nr_buckets * (w_end - w), k;
	uint32_t sum = 0, n, zeros;
	unsigned int i;

	/*
	 * counts[digit] of window i is starts[i nr_buckets + digit], so that
	 * the count of bucket k stands at k + 1; digit 0 falls on the last
	 * bucket of the window before, which is put back.
	 */
	memset(starts, 0, (total + 1) * sizeof(*starts));
	for (i = 0; i < w_end - w; i++) {
		zeros = starts[i * nr_buckets];
		encode(codes + i * nr, starts + i * nr_buckets, digits, refs,
		       nr, scalars, w + i);
		starts[i * nr_buckets] = zeros;
	}
	for (k = 0; k < total; k++) {
		n = starts[k + 1];
		starts[k + 1] = sum;
		sum += n;
	}
	/* starts[k + 1] is where bucket k begins, and ends up as its end. */
	for (i = 0; i < w_end - w; i++)
		scatter_window(sorted, starts + 1 + i * nr_buckets,
			       codes + i * nr, refs, nr);
	starts[0] = 0;
}
