// SPDX-License-Identifier: Apache-2.0
/*
 * keygen_gtmpl.c - many multiples of one generator; see keygen_curve.h
 *
 * A scalar k is cut into digits of c bits.  With half of each window added
 * beforehand, k + sum 2^(c-1) 2^(c w) has unsigned digits, and a digit less
 * 2^(c-1) is the signed one, in [-2^(c-1), 2^(c-1)): no carries.  The terms of
 * two windows are added first, for both are points of the table, which the
 * kernels take as they take those of a key; then that to the sum.
 */
#include "prove/keygen_curve.h"

#include "base/cpu.h"
#include "base/error.h"
#include "msm/scalars.h"

#define WINDOW_MIN 4  /* smaller ones would let the top digit overflow */
#define WINDOW_MAX 16 /* beyond it a window's table leaves the cache */
/* Where a window adds nothing; no ref, for tables are small. */
#define NO_REF UINT32_MAX

static const struct g_pair_ops *best_ops(void)
{
	return lull_cpu_has_ifma() ? &g_pairs_ifma : &g_pairs_portable;
}

/* 2^(c w) <= k + bias < 2^(c nr_windows): one bit more than a scalar has. */
static unsigned int windows_of(unsigned int window)
{
	return (FR_BITS + window) / window;
}

/* Additions for the table and for the points, at their least. */
static unsigned int choose_window(uint64_t nr_points)
{
	unsigned int c, best = WINDOW_MIN;
	uint64_t cost, least = UINT64_MAX;

	for (c = WINDOW_MIN; c <= WINDOW_MAX; c++) {
		cost = windows_of(c) * (((uint64_t)1 << (c - 1)) + nr_points);
		if (cost < least) {
			least = cost;
			best = c;
		}
	}
	return best;
}

size_t g_multiply_bytes(void)
{
	return lull_align_up(
		sizeof(struct g_multiply_scratch) + best_ops()->temp_bytes, 64);
}

void g_multiply_init(struct g_multiply_scratch *scratch)
{
	scratch->ops = best_ops();
}

/* work[out] = a + b of @nr pairs, in batches: of refs into @points, or of work
 * points where that is NULL. */
static void add_pairs(struct g_multiply_scratch *s,
		      const struct g_affine *points, size_t nr)
{
	const struct lull_msm_pair *at = s->pairs;
	size_t some;

	for (; nr; at += some, nr -= some) {
		some = lull_min(nr, G_PAIR_BATCH);
		if (points)
			s->ops->add_refs(s->work, (const uint8_t *)points, at,
					 some, s->temp);
		else
			s->ops->add(s->work, at, some, s->temp);
	}
}

static uint32_t ref_of(size_t point, bool neg)
{
	return (uint32_t)point << LULL_MSM_REF_SHIFT |
	       (neg ? LULL_MSM_REF_NEG : 0);
}

/* What the tasks that fill a table share. */
struct fill {
	struct g_multiples *table;
	uint8_t *scratch; /* one a slot */
};

/* Fills window @task, whose first point is there: 1 .. k known, add k. */
static void fill_window(void *arg, size_t task, unsigned int slot)
{
	const struct fill *fill = arg;
	struct g_multiply_scratch *s =
		(void *)(fill->scratch + slot * g_multiply_bytes());
	size_t half = (size_t)1 << (fill->table->window - 1);
	struct g_affine *t = fill->table->points + task * half;
	size_t known, lo, i, nr;

	g_multiply_init(s);
	for (known = 1; known < half; known *= 2) {
		for (lo = 0; lo < known; lo += nr) {
			nr = lull_min(known - lo, KEYGEN_BATCH);
			for (i = 0; i < nr; i++)
				s->pairs[i] = (struct lull_msm_pair){
					ref_of(lo + i, false),
					ref_of(known - 1, false), (uint32_t)i
				};
			add_pairs(s, t, nr);
			s->ops->finish(s->work, nr);
			memcpy(t + known + lo, s->work, nr * sizeof(*t));
		}
	}
}

/* The first point of each window: G, 2^c G, 2^2c G ... */
static void fill_bases(struct g_multiples *table)
{
	size_t half = (size_t)1 << (table->window - 1);
	struct g_xyzz p;
	unsigned int w, i;

	g_xyzz_from_affine(&p, &g_generator);
	for (w = 0; w < table->nr_windows; w++) {
		g_xyzz_to_affine(&table->points[w * half], &p);
		for (i = 0; i < table->window; i++)
			g_xyzz_dbl(&p, &p);
	}
}

int g_multiples_create(struct g_multiples *ret_table, uint64_t nr_points,
		       struct lull_workers *workers, struct lull_arena *arena,
		       struct lull_error *reterr)
{
	struct g_multiples table = { .window = choose_window(nr_points) };
	struct fill fill = { .table = &table };
	struct lull_vec scratch;
	size_t points;
	int err;

	table.nr_windows = windows_of(table.window);
	points = (size_t)table.nr_windows << (table.window - 1);
	err = lull_arena_carve(arena, points * sizeof(*table.points),
			       LULL_CARVE_ZERO, "multiples of a generator",
			       &table.vec, reterr);
	if (err)
		return err;
	table.points = table.vec.ptr;
	err = lull_arena_carve(
		arena, lull_workers_nr(workers) * g_multiply_bytes(), 0,
		"scratch of the key generator", &scratch, reterr);
	if (err)
		goto retire_table;
	fill.scratch = scratch.ptr;
	fill_bases(&table);
	lull_workers_run(workers, table.nr_windows, fill_window, &fill);
	lull_arena_retire(&scratch);
	*ret_table = table;
	return LULL_OK;

retire_table:
	lull_arena_retire(&table.vec);
	return err;
}

void g_multiples_done(struct g_multiples *table)
{
	lull_arena_retire(&table->vec);
	table->points = NULL;
}

/* bias = the sum of 2^(c-1) 2^(c w) over all windows. */
static void set_bias(limb_t *bias, unsigned int window, unsigned int nr_windows)
{
	unsigned int w, bit;

	memset(bias, 0, KEYGEN_BIASED_LIMBS * sizeof(*bias));
	for (w = 0; w < nr_windows; w++) {
		bit = w * window + window - 1;
		bias[bit / LIMB_BITS] |= (limb_t)1 << (bit % LIMB_BITS);
	}
}

/* Digit w of a biased scalar, signed. */
static int32_t digit_of(const limb_t *biased, unsigned int w,
			unsigned int window)
{
	unsigned int bit = w * window;
	unsigned int limb = bit / LIMB_BITS, shift = bit % LIMB_BITS;
	limb_t v = biased[limb] >> shift;

	if (shift + window > LIMB_BITS && limb + 1 < KEYGEN_BIASED_LIMBS)
		v |= biased[limb + 1] << (LIMB_BITS - shift);
	v &= ((limb_t)1 << window) - 1;
	return (int32_t)v - (int32_t)(1u << (window - 1));
}

/* Takes out what is not 0, plain and biased; how many there are. */
static size_t take_live(struct g_multiply_scratch *s, const limb_t *bias,
			const struct fr *scalars, size_t nr)
{
	size_t i, live = 0;
	limb_t *k;

	for (i = 0; i < nr; i++) {
		if (fr_is_zero(&scalars[i]))
			continue;
		k = s->biased[live];
		fr_to_plain(k, &scalars[i]);
		k[FR_LIMBS] = 0;
		limbs_add(k, k, bias, KEYGEN_BIASED_LIMBS);
		s->live[live++] = (uint32_t)i;
	}
	return live;
}

/* The ref of what window @w adds to a scalar's sum, or NO_REF. */
static uint32_t term_of(const struct g_multiples *table, const limb_t *biased,
			unsigned int w)
{
	int32_t digit;

	if (w >= table->nr_windows)
		return NO_REF;
	digit = digit_of(biased, w, table->window);
	if (!digit)
		return NO_REF;
	return ref_of(((size_t)w << (table->window - 1)) +
			      (size_t)(digit < 0 ? -digit : digit) - 1,
		      digit < 0);
}

/* work[to + i] = what windows w and w + 1 add to sum i, infinity where that is
 * nothing. */
static void make_terms(struct g_multiply_scratch *s,
		       const struct g_multiples *table, unsigned int w,
		       size_t to, size_t live)
{
	struct lull_msm_pair *loads = s->pairs + KEYGEN_BATCH;
	size_t nr_pairs = 0;
	uint32_t a, b, i;

	for (i = 0; i < live; i++) {
		uint32_t out = (uint32_t)to + i;

		a = term_of(table, s->biased[i], w);
		b = term_of(table, s->biased[i], w + 1);
		if (a != NO_REF && b != NO_REF)
			s->pairs[nr_pairs++] =
				(struct lull_msm_pair){ a, b, out };
		else if (a != NO_REF || b != NO_REF)
			*--loads = (struct lull_msm_pair){ a != NO_REF ? a : b,
							   0, out };
		else
			memset(&s->work[out], 0, sizeof(s->work[out]));
	}
	add_pairs(s, table->points, nr_pairs);
	s->ops->load(s->work, (const uint8_t *)table->points, loads,
		     (size_t)(s->pairs + KEYGEN_BATCH - loads));
}

void g_multiply_var(struct g_affine *points, const struct g_multiples *table,
		    const struct fr *scalars, size_t nr,
		    struct g_multiply_scratch *s)
{
	size_t sums = 0, next = KEYGEN_BATCH, live, i;
	const size_t terms = 2 * KEYGEN_BATCH;
	limb_t bias[KEYGEN_BIASED_LIMBS];
	unsigned int w;

	LULL_ASSERT(nr <= KEYGEN_BATCH);
	set_bias(bias, table->window, table->nr_windows);
	live = take_live(s, bias, scalars, nr);
	make_terms(s, table, 0, sums, live);
	for (w = 2; w < table->nr_windows; w += 2) {
		make_terms(s, table, w, terms, live);
		/* Not in place: a sum may be infinity. */
		for (i = 0; i < live; i++)
			s->pairs[i] =
				(struct lull_msm_pair){ (uint32_t)(sums + i),
							(uint32_t)(terms + i),
							(uint32_t)(next + i) };
		add_pairs(s, NULL, live);
		sums = next;
		next = KEYGEN_BATCH - sums;
	}
	s->ops->finish(s->work + sums, live);
	memset(points, 0, nr * sizeof(*points));
	for (i = 0; i < live; i++)
		points[s->live[i]] = s->work[sums + i];
}
