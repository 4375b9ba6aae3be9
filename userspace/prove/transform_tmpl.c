// SPDX-License-Identifier: Apache-2.0
/*
 * transform_tmpl.c - transforms of points of G1; see transform.h
 */
#include "prove/transform.h"

#include <stdio.h>

#include "base/workers.h"
#include "ntt/passes.h"
#include "prove/scale.h"

#define BATCH_MIN 32
/* Tasks of a level for each thread, at least. */
#define TASKS_EACH 8

/* Memory of one thread. */
struct slot {
	struct fr scalars[SCALE_BATCH];
	uint32_t u[SCALE_BATCH], v[SCALE_BATCH];
	struct g1_affine sum[SCALE_BATCH], difference[SCALE_BATCH];
	_Alignas(64) struct g1_scale scale;
};

static struct slot *slot_at(const struct g1_transform *t, unsigned int slot)
{
	return (struct slot *)((uint8_t *)t->slots.ptr + slot * t->slot_bytes);
}

static void power(struct fr *r, const struct fr *base, uint64_t exponent)
{
	const limb_t e[] = { exponent };

	fr_pow_var(r, base, e, LULL_ARRAY_SIZE(e));
}

void g1_transform_root(struct fr *r, unsigned int log_n)
{
	static const struct fr root = { CURVE_CONST(FR_ROOT) };

	*r = root;
	for (; log_n < CURVE_CONST(FR_TWO_ADICITY); log_n++)
		fr_sqr(r, r);
}

size_t g1_transform_batch(unsigned int log_n, unsigned int nr_threads)
{
	size_t share = ((size_t)1 << log_n) / (TASKS_EACH * nr_threads);

	return lull_min(lull_max(share, BATCH_MIN), SCALE_BATCH);
}

/*
 * Level l of a split: x^(n/m) - c^2 splits into x^(n/2m) -+ c for each of
 * m = 2^l blocks, c = w_2m^rev(block).  Butterfly p: the points and the scalar.
 */
static void place_split(const struct g1_transform *t, size_t p, uint32_t *u,
			uint32_t *v, struct fr *scalar)
{
	unsigned int log_half = t->log_n - t->level - 1;
	size_t block = p >> log_half, half = (size_t)1 << log_half;

	*u = (uint32_t)(block << (log_half + 1) | (p & (half - 1)));
	*v = *u + (uint32_t)half;
	/* w_2m = w_n^(n/2m) */
	power(scalar, &t->root,
	      (uint64_t)ntt_reverse(block, t->level) << log_half);
}

/*
 * Level l of a join: halves of m = 2^l points are joined, at the points
 * s^(n/2m) w_2m^-j.  The first block of each level has the factor; what it takes
 * in from the block beside it gets it there, at no further cost.
 */
static void place_join(const struct g1_transform *t, size_t p, uint32_t *u,
		       uint32_t *v, struct fr *scalar)
{
	unsigned int log_joins = t->log_n - t->level - 1;
	size_t half = (size_t)1 << t->level, j = p & (half - 1);
	struct fr shift;

	*u = (uint32_t)(p >> t->level << (t->level + 1) | j);
	*v = *u + (uint32_t)half;
	power(scalar, &t->root_inv, (uint64_t)j << log_joins);
	power(&shift, &t->shift, (uint64_t)1 << log_joins);
	fr_mul(scalar, scalar, &shift);
	if (p < half)
		fr_mul(scalar, scalar, &t->factor);
}

/* (u, v) becomes (u + x, u - x), x what was multiplied, for a batch. */
static void add_and_subtract(const struct g1_transform *t, struct slot *mine,
			     size_t nr)
{
	size_t i;

	g1_scale_add_var(&mine->scale, t->points, mine->u, false, mine->sum,
			 nr);
	g1_scale_add_var(&mine->scale, t->points, mine->u, true,
			 mine->difference, nr);
	for (i = 0; i < nr; i++) {
		t->points[mine->u[i]] = mine->sum[i];
		t->points[mine->v[i]] = mine->difference[i];
	}
}

/* (u, v) becomes (u + c v, u - c v). */
static void butterflies(const struct g1_transform *t, struct slot *mine,
			size_t nr)
{
	g1_scale_var(&mine->scale, t->points, mine->v, mine->scalars, nr);
	add_and_subtract(t, mine, nr);
}

/* (u, v) becomes (u + v, c (u - v)). */
static void butterflies_transposed(const struct g1_transform *t,
				   struct slot *mine, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		mine->scale.out[i] = t->points[mine->v[i]];
	add_and_subtract(t, mine, nr);
	g1_scale_var(&mine->scale, t->points, mine->v, mine->scalars, nr);
	for (i = 0; i < nr; i++)
		t->points[mine->v[i]] = mine->scale.out[i];
}

static int run_task(const struct g1_transform *t, size_t task,
		    unsigned int slot,
		    void (*place)(const struct g1_transform *t, size_t p,
				  uint32_t *u, uint32_t *v, struct fr *scalar),
		    void (*apply)(const struct g1_transform *t,
				  struct slot *mine, size_t nr))
{
	struct slot *mine = slot_at(t, slot);
	size_t lo = task * t->batch, i;
	size_t nr = lull_min(((size_t)1 << (t->log_n - 1)) - lo, t->batch);

	for (i = 0; i < nr; i++)
		place(t, lo + i, &mine->u[i], &mine->v[i], &mine->scalars[i]);
	apply(t, mine, nr);
	return LULL_OK;
}

static int split_task(void *arg, size_t task, unsigned int slot,
		      struct lull_error *reterr)
{
	(void)reterr;
	return run_task(arg, task, slot, place_split, butterflies);
}

static int join_task(void *arg, size_t task, unsigned int slot,
		     struct lull_error *reterr)
{
	(void)reterr;
	return run_task(arg, task, slot, place_join, butterflies);
}

static int part_task(void *arg, size_t task, unsigned int slot,
		     struct lull_error *reterr)
{
	(void)reterr;
	return run_task(arg, task, slot, place_join, butterflies_transposed);
}

static int run_level(struct g1_transform *t, unsigned int level,
		     int (*fn)(void *arg, size_t task, unsigned int slot,
			       struct lull_error *reterr),
		     struct lull_error *reterr)
{
	size_t nr = lull_div_up((size_t)1 << (t->log_n - 1), t->batch);
	char what[48];

	t->level = level;
	snprintf(what, sizeof(what), "%s, level %u of %u", t->what, ++t->done,
		 t->all);
	return lull_convert_run(t->c, what, nr, fn, t, reterr);
}

int g1_transform_split(struct g1_transform *t, struct lull_error *reterr)
{
	unsigned int level;
	int err = LULL_OK;

	for (level = 0; level < t->log_n && !err; level++)
		err = run_level(t, level, split_task, reterr);
	return err;
}

/* The point that no butterfly multiplies. */
static void scale_first(struct g1_transform *t)
{
	struct g1_scale *scale = &slot_at(t, 0)->scale;
	const uint32_t first = 0;

	g1_scale_var(scale, t->points, &first, &t->factor, 1);
	t->points[0] = scale->out[0];
}

int g1_transform_join(struct g1_transform *t, const struct fr *shift,
		      const struct fr *factor, struct lull_error *reterr)
{
	unsigned int level;
	int err = LULL_OK;

	t->shift = *shift;
	t->factor = *factor;
	scale_first(t);
	for (level = 0; level < t->log_n && !err; level++)
		err = run_level(t, level, join_task, reterr);
	return err;
}

int g1_transform_part(struct g1_transform *t, const struct fr *shift,
		      const struct fr *factor, struct lull_error *reterr)
{
	unsigned int level = t->log_n;
	int err = LULL_OK;

	t->shift = *shift;
	t->factor = *factor;
	while (level-- && !err)
		err = run_level(t, level, part_task, reterr);
	if (!err)
		scale_first(t);
	return err;
}

int g1_transform_open(struct g1_transform *t, struct lull_error *reterr)
{
	unsigned int nr_threads = lull_workers_nr(t->c->workers), i;
	int err;

	t->batch = g1_transform_batch(t->log_n, nr_threads);
	g1_transform_root(&t->root, t->log_n);
	fr_inv(&t->root_inv, &t->root);
	t->slot_bytes = offsetof(struct slot, scale) + g1_scale_bytes();
	err = lull_arena_carve(t->c->arena, nr_threads * t->slot_bytes, 0,
			       "scratch of a transform", &t->slots, reterr);
	for (i = 0; !err && i < nr_threads; i++)
		g1_scale_init(&slot_at(t, i)->scale);
	return err;
}

void g1_transform_close(struct g1_transform *t)
{
	lull_arena_retire(&t->slots);
}
