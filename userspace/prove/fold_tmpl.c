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
 * The points' two transforms are in place: the inner one splits (natural order
 * in, bit-reversed out), the outer one joins, each n / 2 log2 n multiples of
 * points.  s^k lies in the outer one's scalars, 1/n is left to the sums, which
 * are fewer than the G_j and whose terms stay short.
 */
#include <stdio.h>

#include "base/error.h"
#include "curve/group.h"
#include "msm/inverse.h"
#include "ntt/passes.h"
#include "prove/convert_plan.h"
#include "prove/scale.h"

#define circuit_sum LULL_CURVE_NAME(circuit_sum)
#define fold_c LULL_CURVE_NAME(fold)

/* Butterflies or wires of a task: of a whole batch, or fewer so that small
 * domains have a task for every thread. */
#define BATCH_MIN 32
/* Ranges of wires that a thread sums: so that they even out. */
#define RANGES_EACH 4

/* Memory of one thread. */
struct fold_slot {
	struct fr scalars[SCALE_BATCH];
	uint32_t u[SCALE_BATCH], v[SCALE_BATCH];
	struct g1_affine sum[SCALE_BATCH];
	struct fp prefix[SCALE_BATCH];
	struct g1_affine terms[SCALE_BATCH], l[SCALE_BATCH];
};

/**
 * struct folding - a fold under way
 * @c: the conversion
 * @r1cs: the circuit
 * @log_n: n = 2^log_n rows
 * @batch: butterflies or wires a task
 * @g: H, and in the end n G, n points
 * @sums: by wire: sum_j C_ji n G_j
 * @slots: memory for each thread
 * @slot_bytes: one slot: a struct fold_slot, then a struct g1_scale
 * @root: w
 * @root_inv: 1 / w
 * @shift: s
 * @inv_n: 1 / n
 * @level: of the transform: blocks of the way in, or half a block's points of
 *	the way out, as a logarithm
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
	struct fr root, root_inv, shift, inv_n;
	unsigned int level;
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

static void power(struct fr *r, const struct fr *base, uint64_t exponent)
{
	const limb_t e[] = { exponent };

	fr_pow_var(r, base, e, LULL_ARRAY_SIZE(e));
}

/* ---- the circuit's records ---------------------------------------------- */

static void add_record(struct lull_circuit_sum *sum, uint32_t matrix,
		       uint32_t row, uint32_t column, const struct fr *value)
{
	uint8_t record[LULL_RECORD_BYTES];

	memcpy(record + LULL_RECORD_MATRIX, &matrix, sizeof(matrix));
	memcpy(record + LULL_RECORD_ROW, &row, sizeof(row));
	memcpy(record + LULL_RECORD_COLUMN, &column, sizeof(column));
	memcpy(record + LULL_RECORD_VALUE, value, sizeof(*value));
	lull_circuit_add(sum, record);
}

static void add_terms(struct lull_circuit_sum *sum, uint32_t matrix,
		      uint32_t row, const struct lull_r1cs_lc *lc,
		      const struct fr *r3)
{
	struct fr value;
	uint32_t i;

	for (i = 0; i < lc->nr_terms; i++) {
		memcpy(&value, lull_r1cs_term_value(lc, i), sizeof(value));
		fr_mul(&value, &value, r3);
		add_record(sum, matrix, row, lull_r1cs_term_wire(lc, i),
			   &value);
	}
}

void circuit_sum(const struct lull_r1cs *r1cs, struct lull_circuit_sum *sum)
{
	static const struct fr r2 = { CURVE_CONST(FR_R2) };
	struct lull_r1cs_walk walk = lull_r1cs_walk(r1cs);
	struct lull_r1cs_row row;
	struct fr r3; /* R^3: a plain value's product with it is times R^2 */
	uint32_t i, s;

	fr_mul(&r3, &r2, &r2);
	for (i = 0; lull_r1cs_next(r1cs, &walk, &row); i++) {
		add_terms(sum, 0, i, &row.a, &r3);
		add_terms(sum, 1, i, &row.b, &r3);
	}
	for (s = 0; s <= r1cs->nr_pub_out + r1cs->nr_pub_in; s++)
		add_record(sum, 0, i + s, s, &r2);
}

/* ---- transforms of points ----------------------------------------------- */

/*
 * Level l of the way in: x^(n/m) - c^2 splits into x^(n/2m) -+ c for each of
 * m = 2^l blocks, c = w_2m^rev(block).  Butterfly p: the block, the points and
 * the scalar.
 */
static void place_in(const struct folding *f, size_t p, uint32_t *u,
		     uint32_t *v, struct fr *scalar)
{
	unsigned int log_half = f->log_n - f->level - 1;
	size_t block = p >> log_half, half = (size_t)1 << log_half;

	*u = (uint32_t)(block << (log_half + 1) | (p & (half - 1)));
	*v = *u + (uint32_t)half;
	/* w_2m = w_n^(n/2m) */
	power(scalar, &f->root,
	      (uint64_t)ntt_reverse(block, f->level) << log_half);
}

/*
 * Level l of the way out: halves of m = 2^l points are joined, at the points
 * s^(n/2m) w_2m^-j.
 */
static void place_out(const struct folding *f, size_t p, uint32_t *u,
		      uint32_t *v, struct fr *scalar)
{
	unsigned int log_joins = f->log_n - f->level - 1;
	size_t half = (size_t)1 << f->level, j = p & (half - 1);
	struct fr shift;

	*u = (uint32_t)(p >> f->level << (f->level + 1) | j);
	*v = *u + (uint32_t)half;
	power(scalar, &f->root_inv, (uint64_t)j << log_joins);
	power(&shift, &f->shift, (uint64_t)1 << log_joins);
	fr_mul(scalar, scalar, &shift);
}

/* (u, v) becomes (u + c v, u - c v) for a batch of them. */
static void join(const struct folding *f, struct fold_slot *mine,
		 struct g1_scale *scale, size_t nr)
{
	size_t i;

	g1_scale_var(scale, f->g, mine->v, mine->scalars, nr);
	g1_scale_add_var(scale, f->g, mine->u, false, mine->sum, nr);
	g1_scale_add_var(scale, f->g, mine->u, true, mine->l, nr);
	for (i = 0; i < nr; i++) {
		f->g[mine->u[i]] = mine->sum[i];
		f->g[mine->v[i]] = mine->l[i];
	}
}

static int
transform_task(const struct folding *f, size_t task, unsigned int slot,
	       void (*place)(const struct folding *f, size_t p, uint32_t *u,
			     uint32_t *v, struct fr *scalar))
{
	struct fold_slot *mine = slot_at(f, slot);
	size_t lo = task * f->batch, i;
	size_t nr = lull_min(((size_t)1 << (f->log_n - 1)) - lo, f->batch);

	for (i = 0; i < nr; i++)
		place(f, lo + i, &mine->u[i], &mine->v[i], &mine->scalars[i]);
	join(f, mine, scale_at(f, slot), nr);
	return LULL_OK;
}

static int way_in(void *arg, size_t task, unsigned int slot,
		  struct lull_error *reterr)
{
	(void)reterr;
	return transform_task(arg, task, slot, place_in);
}

static int way_out(void *arg, size_t task, unsigned int slot,
		   struct lull_error *reterr)
{
	(void)reterr;
	return transform_task(arg, task, slot, place_out);
}

static int transform(struct folding *f, struct lull_error *reterr)
{
	size_t nr = lull_div_up((size_t)1 << (f->log_n - 1), f->batch);
	char what[48];
	unsigned int l;
	int err = LULL_OK;

	for (l = 0; l < 2 * f->log_n && !err; l++) {
		f->level = l % f->log_n;
		snprintf(what, sizeof(what), "fold, level %u of %u", l + 1,
			 2 * f->log_n);
		err = lull_convert_run(f->c, what, nr,
				       l < f->log_n ? way_in : way_out, f,
				       reterr);
	}
	return err;
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
		add_coefs(f, &row.c, &f->g[j], (uint32_t)lo, (uint32_t)hi);
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
		mine->u[i] = (uint32_t)i;
		mine->scalars[i] = f->inv_n;
	}
	g1_scale_var(scale, mine->terms, mine->u, mine->scalars, nr);
	g1_scale_add_var(scale, mine->l, mine->u, true, mine->sum, nr);
	for (i = 0; i < nr; i++)
		nr_inf += g1_affine_is_inf(&mine->sum[i]);
	__atomic_fetch_add(&f->nr_inf, nr_inf, __ATOMIC_RELAXED);
	return lull_outfile_write_at(&c->out, at + lo * sizeof(mine->sum[0]),
				     mine->sum, nr * sizeof(mine->sum[0]),
				     reterr);
}

/* ---- all of it ---------------------------------------------------------- */

static void set_constants(struct folding *f)
{
	static const struct fr root = { CURVE_CONST(FR_ROOT) };
	unsigned int i;

	f->root = root;
	for (i = f->log_n; i < CURVE_CONST(FR_TWO_ADICITY); i++)
		fr_sqr(&f->root, &f->root);
	fr_inv(&f->root_inv, &f->root);
	fr_domain_increment(f->log_n, &f->shift);
	fr_from_u64(&f->inv_n, (uint64_t)1 << f->log_n);
	fr_inv(&f->inv_n, &f->inv_n);
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
	size_t share = ((size_t)1 << f.log_n) / (2 * RANGES_EACH * nr_threads);
	int err;

	f.batch = lull_min(lull_max(share, BATCH_MIN), SCALE_BATCH);
	set_constants(&f);
	err = run(&f, reterr);
	c->head.nr_inf[3] = (uint32_t)f.nr_inf;
	lull_arena_retire(&f.slots_vec);
	lull_arena_retire(&f.sums_vec);
	lull_arena_retire(&f.g_vec);
	return err;
}
