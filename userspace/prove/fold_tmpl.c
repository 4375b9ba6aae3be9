// SPDX-License-Identifier: Apache-2.0
/*
 * fold_tmpl.c - folds the matrix C of a circuit into a key's L points
 *
 * For convert.c.  Documentation/internals/msm.rst derives it: with H_i the
 * key's H points, w = w_n and s the coset's shift,
 *
 *	L'_i = L_i - sum_j C_ji G_j	where L_i is infinity for public wires
 *	G_j  = 1/n sum_k w^(-jk) s^k sum_i w^(ik) H_i
 *
 * The points' two transforms (transform.h) are in place: the inner one splits,
 * the outer one joins, each n / 2 log2 n multiples of points.  s^k lies in the
 * outer one's scalars, 1/n is left to the sums, which are fewer than the G_j and
 * whose terms stay short.
 */
#include "base/error.h"
#include "curve/group.h"
#include "msm/inverse.h"
#include "ntt/passes.h"
#include "prove/convert_plan.h"
#include "prove/scale.h"
#include "prove/transform.h"

#define fold_c LULL_CURVE_NAME(fold)

/* Ranges of wires that a thread sums: so that they even out. */
#define RANGES_EACH 4

/* Memory of one thread. */
struct fold_slot {
	struct fr scalars[SCALE_BATCH];
	uint32_t at[SCALE_BATCH];
	struct g1_affine sum[SCALE_BATCH];
	struct fp prefix[SCALE_BATCH];
	struct g1_affine terms[SCALE_BATCH], l[SCALE_BATCH];
};

/**
 * struct folding - a fold under way
 * @c: the conversion
 * @r1cs: the circuit
 * @log_n: n = 2^log_n rows
 * @batch: wires a task
 * @g: H, and in the end n G, n points
 * @sums: by wire: sum_j C_ji n G_j
 * @slots: memory for each thread
 * @slot_bytes: one slot: a struct fold_slot, then a struct g1_scale
 * @inv_n: 1 / n
 * @nr_ranges: of wires
 * @nr_inf: L'_i that are infinity; added to atomically
 */
struct folding {
	struct lull_converting *c;
	const struct lull_r1cs *r1cs;
	unsigned int log_n;
	size_t batch;
	struct lull_vec g_vec, sums_vec, slots_vec;
	struct g1_affine *g;
	struct g1_xyzz *sums;
	uint8_t *slots;
	size_t slot_bytes;
	struct fr inv_n;
	size_t nr_ranges;
	size_t nr_inf;
};

static struct fold_slot *slot_at(const struct folding *f, unsigned int slot)
{
	return (struct fold_slot *)(f->slots + slot * f->slot_bytes);
}

static struct g1_scale *scale_at(const struct folding *f, unsigned int slot)
{
	return (struct g1_scale *)(f->slots + slot * f->slot_bytes +
				   lull_align_up(sizeof(struct fold_slot), 64));
}

/* ---- sums of the wires -------------------------------------------------- */

/* acc += k p for a plain k, whose size is what it costs. */
static void add_multiple(struct g1_xyzz *acc, const struct g1_affine *p,
			 const limb_t *k)
{
	unsigned int bit = FR_LIMBS * LIMB_BITS;
	struct g1_xyzz t;

	while (bit && !limbs_bit(k, bit - 1))
		bit--;
	if (bit < 2) {
		if (bit)
			g1_xyzz_add_affine(acc, acc, p);
		return;
	}
	g1_xyzz_from_affine(&t, p);
	for (bit--; bit--;) {
		g1_xyzz_dbl(&t, &t);
		if (limbs_bit(k, bit))
			g1_xyzz_add_affine(&t, &t, p);
	}
	g1_xyzz_add(acc, acc, &t);
}

static void add_coefs(struct folding *f, const struct lull_r1cs_lc *lc,
		      const struct g1_affine *g, uint32_t lo, uint32_t hi)
{
	limb_t k[FR_LIMBS], less[FR_LIMBS];
	struct g1_affine minus;
	uint32_t i, wire;

	for (i = 0; i < lc->nr_terms; i++) {
		wire = lull_r1cs_term_wire(lc, i);
		if (wire < lo || wire >= hi)
			continue;
		memcpy(k, lull_r1cs_term_value(lc, i), sizeof(k));
		limbs_sub(less, fr_r, k, FR_LIMBS);
		/* r - k where that is the shorter one */
		if (limbs_less(less, k, FR_LIMBS)) {
			g1_affine_neg(&minus, g);
			add_multiple(&f->sums[wire], &minus, less);
		} else {
			add_multiple(&f->sums[wire], g, k);
		}
	}
}

static int sum_wires(void *arg, size_t task, unsigned int slot,
		     struct lull_error *reterr)
{
	struct folding *f = arg;
	struct lull_r1cs_walk walk = lull_r1cs_walk(f->r1cs);
	struct lull_r1cs_row row;
	size_t lo, hi;
	uint32_t j;

	(void)slot, (void)reterr;
	lull_workers_split(f->r1cs->nr_wires, f->nr_ranges, task, 1, &lo, &hi);
	for (j = 0; lull_r1cs_next(f->r1cs, &walk, &row); j++)
		add_coefs(f, &row.c, &f->g[lull_source_row(f->c->source, j)],
			  (uint32_t)lo, (uint32_t)hi);
	return LULL_OK;
}

/* Sums to affine points, with one inversion: 1/ZZ = (ZZ / ZZZ)^2. */
static void flatten(struct g1_affine *out, const struct g1_xyzz *sums,
		    size_t nr, struct fp *prefix)
{
	struct fp run = fp_one, inv, zz;
	size_t i;

	for (i = 0; i < nr; i++) {
		prefix[i] = run;
		if (!g1_xyzz_is_inf(&sums[i]))
			fp_mul(&run, &run, &sums[i].zzz);
	}
	fp_inv_var(&run, &run);
	while (i--) {
		if (g1_xyzz_is_inf(&sums[i])) {
			memset(&out[i], 0, sizeof(out[i]));
			continue;
		}
		fp_mul(&inv, &run, &prefix[i]);
		fp_mul(&run, &run, &sums[i].zzz);
		fp_mul(&zz, &sums[i].zz, &inv);
		fp_sqr(&zz, &zz);
		fp_mul(&out[i].x, &sums[i].x, &zz);
		fp_mul(&out[i].y, &sums[i].y, &inv);
	}
}

/* The L_i of wires [lo, lo + nr); infinity for public ones. */
static int take_l(const struct folding *f, size_t lo, size_t nr,
		  struct g1_affine *l, struct lull_error *reterr)
{
	const struct lull_source *source = f->c->source;
	size_t ones = source->nr_public + (size_t)1;
	size_t none = lo < ones ? lull_min(ones - lo, nr) : 0;

	memset(l, 0, none * sizeof(*l));
	if (none == nr)
		return LULL_OK;
	return source->ops->points(source, LULL_PART_L, lo + none - ones,
				   nr - none, (uint8_t *)(l + none), reterr);
}

static int write_wires(void *arg, size_t task, unsigned int slot,
		       struct lull_error *reterr)
{
	struct folding *f = arg;
	struct lull_converting *c = f->c;
	struct fold_slot *mine = slot_at(f, slot);
	struct g1_scale *scale = scale_at(f, slot);
	size_t lo = task * f->batch, i, nr_inf = 0;
	size_t nr = lull_min(f->r1cs->nr_wires - lo, f->batch);
	uint64_t at = lull_lkey_section(&c->head, LULL_PART_L)->offset;
	int err;

	err = take_l(f, lo, nr, mine->l, reterr);
	if (err)
		return err;
	flatten(mine->terms, f->sums + lo, nr, mine->prefix);
	for (i = 0; i < nr; i++) {
		mine->at[i] = (uint32_t)i;
		mine->scalars[i] = f->inv_n;
	}
	g1_scale_var(scale, mine->terms, mine->at, mine->scalars, nr);
	g1_scale_add_var(scale, mine->l, mine->at, true, mine->sum, nr);
	for (i = 0; i < nr; i++)
		nr_inf += g1_affine_is_inf(&mine->sum[i]);
	__atomic_fetch_add(&f->nr_inf, nr_inf, __ATOMIC_RELAXED);
	return lull_outfile_write_at(&c->out, at + lo * sizeof(mine->sum[0]),
				     mine->sum, nr * sizeof(mine->sum[0]),
				     reterr);
}

/* ---- all of it ---------------------------------------------------------- */

/* H becomes n G. */
static int transform(struct folding *f, struct lull_error *reterr)
{
	struct g1_transform t = { .c = f->c,
				  .what = "fold",
				  .points = f->g,
				  .log_n = f->log_n,
				  .all = 2 * f->log_n };
	struct fr shift;
	int err;

	fr_domain_increment(f->log_n, &shift);
	err = g1_transform_open(&t, reterr);
	if (err)
		return err;
	err = g1_transform_split(&t, reterr);
	if (!err)
		err = g1_transform_join(&t, &shift, &fr_one, reterr);
	g1_transform_close(&t);
	return err;
}

static int take_memory(struct folding *f, struct lull_error *reterr)
{
	struct lull_arena *arena = f->c->arena;
	unsigned int nr_threads = lull_workers_nr(f->c->workers), i;
	size_t n = (size_t)1 << f->log_n;
	int err;

	f->slot_bytes =
		lull_align_up(sizeof(struct fold_slot), 64) + g1_scale_bytes();
	err = lull_arena_carve(arena, n * sizeof(*f->g), 0, "points of H",
			       &f->g_vec, reterr);
	if (!err)
		err = lull_arena_carve(arena,
				       f->r1cs->nr_wires * sizeof(*f->sums),
				       LULL_CARVE_ZERO, "sums of the wires",
				       &f->sums_vec, reterr);
	if (!err)
		err = lull_arena_carve(arena, nr_threads * f->slot_bytes, 0,
				       "scratch of folding", &f->slots_vec,
				       reterr);
	if (err)
		return err;
	f->g = f->g_vec.ptr;
	f->sums = f->sums_vec.ptr;
	f->slots = f->slots_vec.ptr;
	for (i = 0; i < nr_threads; i++)
		g1_scale_init(scale_at(f, i));
	return LULL_OK;
}

static int run(struct folding *f, struct lull_error *reterr)
{
	const struct lull_source *source = f->c->source;
	size_t nr = lull_div_up(f->r1cs->nr_wires, f->batch);
	int err;

	err = take_memory(f, reterr);
	if (!err)
		err = source->ops->points(source, LULL_PART_H, 0,
					  (size_t)1 << f->log_n,
					  (uint8_t *)f->g, reterr);
	if (!err)
		err = transform(f, reterr);
	if (!err)
		err = lull_convert_run(f->c, "fold, sums", f->nr_ranges,
				       sum_wires, f, reterr);
	if (!err)
		err = lull_convert_run(f->c, "fold, points", nr, write_wires, f,
				       reterr);
	return err;
}

int fold_c(struct lull_converting *c, const struct lull_r1cs *r1cs,
	   struct lull_error *reterr)
{
	unsigned int nr_threads = lull_workers_nr(c->workers);
	struct folding f = {
		.c = c,
		.r1cs = r1cs,
		.log_n = c->head.log2_domain,
		.nr_ranges = (size_t)RANGES_EACH * nr_threads,
	};
	int err;

	f.batch = g1_transform_batch(f.log_n, nr_threads);
	fr_from_u64(&f.inv_n, (uint64_t)1 << f.log_n);
	fr_inv(&f.inv_n, &f.inv_n);
	err = run(&f, reterr);
	c->head.nr_inf[3] = (uint32_t)f.nr_inf;
	lull_arena_retire(&f.slots_vec);
	lull_arena_retire(&f.sums_vec);
	lull_arena_retire(&f.g_vec);
	return err;
}
