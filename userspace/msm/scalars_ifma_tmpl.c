// SPDX-License-Identifier: Apache-2.0
/*
 * scalars_ifma_tmpl.c - the digits of one window, eight scalars at a time
 *
 * The twin of fr_msm_encode() in scalars_tmpl.c; entered only after
 * lull_cpu_has_ifma().
 */
#include "msm/scalars.h"

#include "base/base.h"
#include "curve/ifma.h"

/* s = a + b in four limbs, without the carry out. */
static IFMA_INLINE void add4(__m512i *s, const __m512i *a, const __m512i *b)
{
	const __m512i one = ifma_set1(1), zero = _mm512_setzero_si512();
	__mmask8 carry = 0, over;
	unsigned int j;

#pragma GCC unroll 4
	for (j = 0; j < FR_LIMBS; j++) {
		s[j] = _mm512_add_epi64(a[j], b[j]);
		over = _mm512_cmplt_epu64_mask(s[j], a[j]);
		s[j] = _mm512_mask_add_epi64(s[j], carry, s[j], one);
		carry = over | _mm512_mask_cmpeq_epu64_mask(carry, s[j], zero);
	}
}

/* The eight scalars of refs with their bias, four limbs and a zero. */
static IFMA_INLINE void load_biased(__m512i *s,
				    const struct fr_msm_digits *digits,
				    const uint32_t *refs,
				    const uint8_t *scalars)
{
	const __m512i ones = ifma_set1(~0ull);
	const uint8_t *rows[IFMA_LANES];
	__m512i w[FR_LIMBS], bias[FR_LIMBS];
	__mmask8 neg = 0;
	unsigned int i, j;

#pragma GCC unroll 8
	for (i = 0; i < IFMA_LANES; i++) {
		rows[i] = scalars + (size_t)(refs[i] >> LULL_MSM_REF_SHIFT) *
					    LULL_MSM_SCALAR_BYTES;
		neg |= (refs[i] & LULL_MSM_REF_NEG) << i;
	}
	ifma_load4_rows(w, rows);
#pragma GCC unroll 4
	for (j = 0; j < FR_LIMBS; j++) {
		w[j] = _mm512_mask_xor_epi64(w[j], neg, w[j], ones);
		bias[j] = _mm512_mask_mov_epi64(ifma_set1(digits->bias[j]), neg,
						ifma_set1(digits->bias_neg[j]));
	}
	add4(s, w, bias);
	s[FR_LIMBS] = _mm512_setzero_si512();
}

void fr_msm_encode_ifma(uint16_t *codes, uint32_t *counts,
			const struct fr_msm_digits *digits,
			const uint32_t *refs, size_t nr, const uint8_t *scalars,
			unsigned int w)
{
	unsigned int bit = w * digits->window_bits, limb = bit / LIMB_BITS, j;
	bool last = w + 1 == digits->nr_windows;
	const __m128i right = _mm_cvtsi32_si128((int)(bit % LIMB_BITS));
	const __m128i left =
		_mm_cvtsi32_si128((int)(LIMB_BITS - bit % LIMB_BITS));
	const __m512i mask = ifma_set1((1ull << digits->window_bits) - 1);
	const __m512i half =
		ifma_set1(last ? 0 : 1ull << (digits->window_bits - 1));
	__m512i s[FR_LIMBS + 1], digit, code;
	size_t i;

	for (i = 0; i + IFMA_LANES <= nr; i += IFMA_LANES) {
		load_biased(s, digits, refs + i, scalars);
		digit = _mm512_or_si512(_mm512_srl_epi64(s[limb], right),
					_mm512_sll_epi64(s[limb + 1], left));
		digit = _mm512_sub_epi64(_mm512_and_si512(digit, mask), half);
		code = _mm512_slli_epi64(_mm512_abs_epi64(digit),
					 LULL_MSM_CODE_SHIFT);
		code = _mm512_or_si512(code, _mm512_srli_epi64(digit, 63));
		_mm_storeu_si128((__m128i *)(codes + i),
				 _mm512_cvtepi64_epi16(code));
		for (j = 0; j < IFMA_LANES; j++)
			counts[codes[i + j] >> LULL_MSM_CODE_SHIFT]++;
	}
	fr_msm_encode(codes + i, counts, digits, refs + i, nr - i, scalars, w);
}
