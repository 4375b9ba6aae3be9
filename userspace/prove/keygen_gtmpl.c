// SPDX-License-Identifier: Apache-2.0
/*
 * keygen_gtmpl.c - many multiples of one generator; see keygen_curve.h
 *
 * A scalar k is cut into digits of c bits.  With half of each window added
 * beforehand, k + sum 2^(c-1) 2^(c w) has unsigned digits, and a digit less
 * 2^(c-1) is the signed one, in [-2^(c-1), 2^(c-1)): no carries.  Points are
 * kept affine; the slopes of all additions of a batch share one inversion.
 */
#include "prove/keygen_curve.h"

#include "base/error.h"

#define WINDOW_MIN 4  /* smaller ones would let the top digit overflow */
#define WINDOW_MAX 16 /* beyond it a window's table leaves the cache */
#define PREFETCH_AHEAD 12

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

/*
 * First pass of a batch of additions: settles those that need no slope and
 * multiplies the denominators of the others up.  Returns how many are left, at
 * the front of @addends; @run becomes the product.
 */
static unsigned int gather(struct g_affine *points, struct g_addend *addends,
			   unsigned int nr, struct gfe *den, struct gfe *prefix,
			   struct gfe *run)
{
	unsigned int i, left = 0;
	struct g_addend it;
	struct g_affine p;

	*run = gfe_one;
	for (i = 0; i < nr; i++) {
		if (i + PREFETCH_AHEAD < nr) {
			it = addends[i + PREFETCH_AHEAD];
			__builtin_prefetch(it.p);
			__builtin_prefetch(&it.p->y);
		}
		it = addends[i];
		p = *it.p;
		if (it.neg)
			gfe_neg(&p.y, &p.y);
		if (g_affine_is_inf(&points[it.at])) {
			points[it.at] = p;
			continue;
		}
		gfe_sub(&den[left], &p.x, &points[it.at].x);
		it.twice = 0;
		if (lull_unlikely(gfe_is_zero(&den[left]))) {
			if (!gfe_equal(&p.y, &points[it.at].y)) {
				memset(&points[it.at], 0, sizeof(p));
				continue;
			}
			gfe_dbl(&den[left], &p.y);
			it.twice = 1;
		}
		prefix[left] = *run;
		gfe_mul(run, run, &den[left]);
		addends[left++] = it;
	}
	return left;
}

/* a += the addend, with inv = 1 / (its denominator). */
static void add_slope(struct g_affine *a, const struct g_addend *it,
		      const struct gfe *inv)
{
	struct gfe slope, x, y = it->p->y;

	if (it->neg)
		gfe_neg(&y, &y);
	if (lull_unlikely(it->twice)) {
		gfe_sqr(&slope, &a->x);
		gfe_dbl(&x, &slope);
		gfe_add(&slope, &slope, &x);
	} else {
		gfe_sub(&slope, &y, &a->y);
	}
	gfe_mul(&slope, &slope, inv);
	gfe_sqr(&x, &slope);
	gfe_sub(&x, &x, &a->x);
	gfe_sub(&x, &x, &it->p->x);
	gfe_sub(&y, &a->x, &x);
	gfe_mul(&y, &y, &slope);
	gfe_sub(&a->y, &y, &a->y);
	a->x = x;
}

/*
 * points[at] += p for each addend.  Every pair of points is allowed; no target
 * may come twice.  Destroys @addends.
 */
static void add_batch(struct g_affine *points, struct g_addend *addends,
		      unsigned int nr, struct gfe *den, struct gfe *prefix)
{
	unsigned int i;
	struct gfe inv, t;

	i = gather(points, addends, nr, den, prefix, &inv);
	if (!i)
		return;
	gfe_inv(&inv, &inv);
	while (i--) {
		gfe_mul(&t, &inv, &prefix[i]);
		gfe_mul(&inv, &inv, &den[i]);
		add_slope(&points[addends[i].at], &addends[i], &t);
	}
}

/* What the tasks that fill a table share. */
struct fill {
	struct g_multiples *table;
	struct g_multiply_scratch *scratch; /* one a slot */
};

/* Fills window @task, whose first point is there: 1 .. k known, add k. */
static void fill_window(void *arg, size_t task, unsigned int slot)
{
	const struct fill *fill = arg;
	struct g_multiply_scratch *scratch = &fill->scratch[slot];
	size_t half = (size_t)1 << (fill->table->window - 1);
	struct g_affine *t = fill->table->points + task * half;
	size_t known, lo, i, nr;

	for (known = 1; known < half; known *= 2) {
		for (lo = 0; lo < known; lo += nr) {
			nr = lull_min(known - lo, KEYGEN_BATCH);
			memcpy(t + known + lo, t + lo, nr * sizeof(*t));
			for (i = 0; i < nr; i++)
				scratch->addends[i] = (struct g_addend){
					.p = t + known - 1,
					.at = (uint32_t)(known + lo + i),
				};
			add_batch(t, scratch->addends, (unsigned int)nr,
				  scratch->den, scratch->prefix);
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
		arena, lull_workers_nr(workers) * sizeof(*fill.scratch), 0,
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

void g_multiply_var(struct g_affine *points, const struct g_multiples *table,
		    const struct fr *scalars, size_t nr,
		    struct g_multiply_scratch *scratch)
{
	size_t half = (size_t)1 << (table->window - 1);
	limb_t bias[KEYGEN_BIASED_LIMBS];
	const struct g_affine *t;
	unsigned int w, left;
	int32_t digit;
	size_t i;

	LULL_ASSERT(nr <= KEYGEN_BATCH);
	set_bias(bias, table->window, table->nr_windows);
	for (i = 0; i < nr; i++) {
		limb_t *k = scratch->biased[i];

		fr_to_plain(k, &scalars[i]);
		k[FR_LIMBS] = 0;
		limbs_add(k, k, bias, KEYGEN_BIASED_LIMBS);
	}
	memset(points, 0, nr * sizeof(*points));
	for (w = 0; w < table->nr_windows; w++) {
		t = table->points + w * half;
		left = 0;
		for (i = 0; i < nr; i++) {
			digit = digit_of(scratch->biased[i], w, table->window);
			if (!digit)
				continue;
			scratch->addends[left++] = (struct g_addend){
				.p = t + (digit < 0 ? -digit : digit) - 1,
				.at = (uint32_t)i,
				.neg = digit < 0,
			};
		}
		add_batch(points, scratch->addends, left, scratch->den,
			  scratch->prefix);
	}
}
