// SPDX-License-Identifier: Apache-2.0
/*
 * scale_tmpl.c - multiples of many points side by side; see scale.h
 *
 * A scalar is cut into odd digits below 2^SCALE_WINDOW from its lowest set bit
 * upwards.  Sums are doubled from the highest bit down, all of the batch at
 * once, and where a scalar has a digit its multiple is added.
 */
#include "prove/scale.h"

#include "base/cpu.h"

/* Where in work[] they begin: multiple 2 k + 1 of point i at k SCALE_BATCH + i,
 * then the doubles, then the sums. */
#define DOUBLES (SCALE_MULTIPLES * SCALE_BATCH)
#define SUMS (DOUBLES + SCALE_BATCH)

/* No step of a thread is larger. */
_Static_assert(SCALE_BATCH <= LULL_G1_PAIR_BATCH, "a batch");

static const struct lull_g1_pair_ops *best_ops(void)
{
	return lull_cpu_has_ifma() ? &g1_pairs_ifma : &g1_pairs_portable;
}

size_t g1_scale_bytes(void)
{
	return lull_align_up(sizeof(struct g1_scale) + best_ops()->temp_bytes,
			     64);
}

void g1_scale_init(struct g1_scale *s)
{
	s->ops = best_ops();
}

/* Adds what pairs[] says, if anything. */
static void step(struct g1_scale *s, size_t nr)
{
	if (nr)
		s->ops->add(s->work, s->pairs, nr, s->temp);
}

static void load(struct g1_scale *s, const struct g1_affine *points, size_t nr)
{
	if (nr)
		s->ops->load(s->work, (const uint8_t *)points, s->pairs, nr);
}

/* Digits of one scalar into column @i. */
static void cut(struct g1_scale *s, size_t i, const struct fr *scalar)
{
	limb_t k[FR_LIMBS];
	unsigned int bit = 0, b, digit;

	fr_to_plain(k, scalar);
	while (bit < SCALE_BITS) {
		if (!limbs_bit(k, bit)) {
			bit++;
			continue;
		}
		digit = 0;
		for (b = 0; b < SCALE_WINDOW && bit + b < SCALE_BITS; b++)
			digit |= (unsigned int)limbs_bit(k, bit + b) << b;
		s->digits[bit][i] = (uint8_t)digit;
		bit += SCALE_WINDOW;
	}
}

/* The odd multiples of the live points; the first of them is loaded. */
static void make_multiples(struct g1_scale *s, size_t nr)
{
	uint32_t i, k;

	for (i = 0; i < nr; i++)
		s->pairs[i] = (struct lull_msm_pair){ i, i, DOUBLES + i };
	step(s, nr);
	for (k = 1; k < SCALE_MULTIPLES; k++) {
		for (i = 0; i < nr; i++)
			s->pairs[i] = (struct lull_msm_pair){
				(k - 1) * SCALE_BATCH + i, DOUBLES + i,
				k * SCALE_BATCH + i
			};
		step(s, nr);
	}
}

/*
 * One bit: every sum is doubled, then has its digit's multiple added.  A sum
 * that has not begun becomes the multiple: a step whose result replaces one of
 * its terms must have no infinity among them.  There is none later, as all
 * points have order r and what is summed is below r.
 */
static void take_bit(struct g1_scale *s, unsigned int bit, size_t nr)
{
	const uint8_t *digits = s->digits[bit];
	uint32_t i, sum, at;
	size_t left = 0;

	for (i = 0; i < nr; i++) {
		sum = SUMS + i;
		if (!g1_affine_is_inf(&s->work[sum]))
			s->pairs[left++] =
				(struct lull_msm_pair){ sum, sum, sum };
	}
	step(s, left);
	for (i = 0, left = 0; i < nr; i++) {
		if (!digits[i])
			continue;
		sum = SUMS + i;
		at = (digits[i] >> 1) * (uint32_t)SCALE_BATCH + i;
		if (g1_affine_is_inf(&s->work[sum]))
			s->work[sum] = s->work[at];
		else
			s->pairs[left++] =
				(struct lull_msm_pair){ sum, at, sum };
	}
	step(s, left);
}

void g1_scale_var(struct g1_scale *s, const struct g1_affine *points,
		  const uint32_t *at, const struct fr *scalars, size_t nr)
{
	unsigned int bit = SCALE_BITS;
	uint32_t live = 0;
	size_t i;

	memset(s->digits, 0, sizeof(s->digits));
	memset(s->out, 0, nr * sizeof(s->out[0]));
	for (i = 0; i < nr; i++) {
		if (g1_affine_is_inf(&points[at[i]]))
			continue;
		cut(s, live, &scalars[i]);
		s->pairs[live] =
			(struct lull_msm_pair){ at[i] << LULL_MSM_REF_SHIFT, 0,
						live };
		s->live[live++] = (uint32_t)i;
	}
	load(s, points, live);
	make_multiples(s, live);
	memset(s->work + SUMS, 0, live * sizeof(s->work[0]));
	while (bit--)
		take_bit(s, bit, live);
	s->ops->finish(s->work + SUMS, live);
	for (i = 0; i < live; i++)
		s->out[s->live[i]] = s->work[SUMS + i];
}

void g1_scale_add_var(struct g1_scale *s, const struct g1_affine *points,
		      const uint32_t *at, bool minus, struct g1_affine *out,
		      size_t nr)
{
	uint32_t i, live = 0;

	for (i = 0; i < nr; i++) {
		const struct g1_affine *a = &points[at[i]], *b = &s->out[i];

		if (g1_affine_is_inf(a)) {
			out[i] = *b;
			if (minus)
				g1_affine_neg(&out[i], b);
		} else if (g1_affine_is_inf(b)) {
			out[i] = *a;
		} else {
			s->live[live++] = i;
		}
	}
	for (i = 0; i < live; i++)
		s->pairs[i] = (struct lull_msm_pair){
			at[s->live[i]] << LULL_MSM_REF_SHIFT, 0, SUMS + i
		};
	load(s, points, live);
	for (i = 0; i < live; i++)
		s->pairs[i] = (struct lull_msm_pair){
			s->live[i] << LULL_MSM_REF_SHIFT |
				(minus ? LULL_MSM_REF_NEG : 0),
			0, DOUBLES + i
		};
	load(s, s->out, live);
	for (i = 0; i < live; i++)
		s->pairs[i] = (struct lull_msm_pair){ SUMS + i, DOUBLES + i,
						      SUMS + i };
	step(s, live);
	s->ops->finish(s->work + SUMS, live);
	for (i = 0; i < live; i++)
		out[s->live[i]] = s->work[SUMS + i];
}
