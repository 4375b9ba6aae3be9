// SPDX-License-Identifier: Apache-2.0
/*
 * msm_plan.cu - the cost model behind msm_plan_make()
 *
 * Pure arithmetic on the host.  Costs are counted in products of the
 * coordinates' field: a ref costs its addition and its share of the sort, a
 * bucket its last additions and twice a full one for the sum over buckets.
 */
#include "msm_kernels.cuh"

extern "C" {
#include "base/base.h"
}

namespace lull
{

#define REF_COST_AFFINE 7 /* 5 products, a square, and moving it about */
#define REF_COST_XYZZ 11
#define BUCKET_COST 45 /* two full additions of 14, and 1-2 mixed ones */
/* Windows below this leave buckets too few for the grid. */
#define WINDOW_BITS_MIN 4

#define ALIGN 256
/* Refs that go through the tree at once where nothing bounds the scratch. */
#define CHUNK_REFS_DEFAULT ((size_t)1 << 27)
#define CHUNK_REFS_MIN ((size_t)1 << 16)
/* Refs that are sorted at once where there are several sets of buckets: each part
 * reads the scalars again, which then takes a hundredth of its time. */
#define PART_REFS_DEFAULT ((size_t)1 << 28)
/* More pairs than this have hardly anything left of an inversion to share. */
#define BATCH_MAX 256

static unsigned int coord_words(const struct msm_shape *shape)
{
	unsigned int words =
		shape->curve == LULL_CURVE_BN254 ? bn254_fp::nr_words : bls12_381_fp::nr_words;

	return shape->group == 2 ? 2 * words : words;
}

/* Bits of r / 2, which a folded scalar does not exceed. */
static unsigned int folded_bits(const struct msm_shape *shape)
{
	return (shape->curve == LULL_CURVE_BN254 ? bn254_fr::bits : bls12_381_fr::bits) - 1;
}

/* Bits [from, 256) of r / 2, if that is below 2^32: what the topmost window's
 * digit is at most, less the carry. */
static uint32_t folded_top(const struct msm_shape *shape, unsigned int from)
{
	uint64_t top = 0;

	for (unsigned int bit = from + 1; bit < 256 && bit < from + 1 + 32; bit++) {
		uint32_t word = shape->curve == LULL_CURVE_BN254 ? bn254_fr::p(bit / 32)
								 : bls12_381_fr::p(bit / 32);

		top |= (uint64_t)(word >> (bit % 32) & 1) << (bit - from - 1);
	}
	return (uint32_t)top;
}

/*
 * Windows of @window_bits bits, or a little less: where every window has its
 * own copy there is one set of buckets, and windows may differ by one bit.
 */
static void cut_windows(const struct msm_shape *shape, unsigned int window_bits,
			unsigned int copies_max, struct msm_plan *plan)
{
	unsigned int bits = folded_bits(shape) + 1, top;

	plan->window_bits = window_bits;
	plan->nr_wide = 0;
	plan->nr_windows = (bits + window_bits - 1) / window_bits;
	plan->nr_sets = (plan->nr_windows + copies_max - 1) / copies_max;
	plan->nr_copies = (plan->nr_windows + plan->nr_sets - 1) / plan->nr_sets;
	if (plan->nr_sets == 1) {
		plan->window_bits = bits / plan->nr_windows;
		plan->nr_wide = bits % plan->nr_windows;
	}
	plan->set_buckets = 1u << (plan->window_bits + (plan->nr_wide > 0) - 1);
	if (plan->nr_windows > 1 && plan->nr_wide == 1) {
		/* One wide window costs twice the buckets: make it the topmost
		 * one instead, whose digits end with r / 2. */
		plan->nr_wide = 0;
		plan->set_buckets = 1u << (plan->window_bits - 1);
		top = folded_top(shape, (plan->nr_windows - 1) * plan->window_bits) + 1;
		if (top > plan->set_buckets)
			plan->set_buckets = top;
	}
	plan->nr_buckets = plan->nr_sets * plan->set_buckets;
}

double msm_plan_cost(const struct msm_plan *plan, size_t nr_scalars)
{
	double ref = plan->shape.method == MSM_XYZZ ? REF_COST_XYZZ : REF_COST_AFFINE;

	return (double)nr_scalars * plan->nr_windows * ref + (double)plan->nr_buckets * BUCKET_COST;
}

/* The cheapest cut whose copies fit the table. */
static void choose_windows(const struct msm_shape *shape, size_t point_bytes, struct msm_plan *plan)
{
	size_t copies_max = shape->table_bytes_max / (shape->nr_points * point_bytes + ALIGN);
	double best = -1;

	/* A ref names a point of any copy. */
	if (copies_max > (MSM_REF_NEG - 1) / shape->nr_points)
		copies_max = (MSM_REF_NEG - 1) / shape->nr_points;
	if (copies_max < 1 || !shape->nr_scalars)
		copies_max = 1;
	if (copies_max > MSM_WINDOWS_MAX)
		copies_max = MSM_WINDOWS_MAX;
	for (unsigned int c = WINDOW_BITS_MIN; c <= MSM_WINDOW_BITS_MAX; c++) {
		struct msm_plan t = *plan;

		if (shape->window_bits && c != shape->window_bits)
			continue;
		cut_windows(shape, c, (unsigned int)copies_max, &t);
		if (best < 0 || msm_plan_cost(&t, shape->nr_scalars) < best) {
			best = msm_plan_cost(&t, shape->nr_scalars);
			*plan = t;
		}
	}
}

static unsigned int log2_floor(size_t x)
{
	unsigned int r = 0;

	while (x >>= 1)
		r++;
	return r;
}

static size_t carve(struct msm_layout *l, size_t bytes)
{
	size_t at = l->bytes;

	l->bytes += (bytes + ALIGN - 1) / ALIGN * ALIGN;
	return at;
}

static size_t at_level(size_t refs, unsigned int level, size_t buckets)
{
	size_t nr = (refs >> level) + buckets;

	return nr < refs ? nr : refs;
}

/* What is needed for @refs refs at once in @buckets buckets after @levels
 * levels: the larger of what is there and this. */
struct needs {
	size_t points[2];
	size_t partial;
};

static void need(struct needs *n, size_t refs, size_t buckets, unsigned int levels)
{
	size_t tiles = (at_level(refs, levels, buckets) + MSM_RUN_TILE - 1) / MSM_RUN_TILE;

	for (unsigned int l = 1; l <= levels && l <= 2; l++)
		if (n->points[l - 1] < at_level(refs, l, buckets))
			n->points[l - 1] = at_level(refs, l, buckets);
	if (n->partial < 2 * tiles)
		n->partial = 2 * tiles;
}

/* Of fewer pairs than this a thread, blocks are small: more multiprocessors have
 * work, and each waits less for its inversion. */
#define SMALL_ROWS 16

struct msm_grid msm_tree_grid(const struct msm_plan *plan, size_t nr_outputs)
{
	const size_t coord = plan->point_bytes / 2;
	const unsigned int large = tree_threads(coord);
	struct msm_grid g = { plan->shape.nr_sms, large };
	size_t blocks;

	if (nr_outputs < (size_t)plan->shape.nr_sms * large * SMALL_ROWS) {
		g.threads = MSM_AFFINE_THREADS;
		g.blocks *= tree_blocks_per_sm(g.threads, coord);
	}
	blocks = lull_div_up(nr_outputs, g.threads);
	if (blocks < g.blocks)
		g.blocks = blocks ? (unsigned int)blocks : 1;
	return g;
}

/* The grid of the level with the most outputs; no level's is larger. */
static void choose_grid(struct msm_plan *plan, size_t nr_outputs)
{
	const struct msm_grid g = msm_tree_grid(plan, nr_outputs);
	size_t nr_rows;

	plan->nr_threads = g.blocks * g.threads;
	nr_rows = lull_div_up(nr_outputs, plan->nr_threads);
	if (plan->shape.batch)
		plan->batch = plan->shape.batch;
	else if (nr_rows > BATCH_MAX)
		plan->batch = BATCH_MAX;
	else
		plan->batch = nr_rows ? (unsigned int)nr_rows : 1;
}

static void lay_out(struct msm_plan *plan)
{
	size_t xyzz_bytes = 2 * plan->point_bytes, coord = plan->point_bytes / 2;
	struct msm_layout *l = &plan->scratch;
	struct needs n = {};
	size_t lines = ((size_t)1 << plan->row_bits) + ((size_t)1 << plan->column_bits);

	need(&n, plan->chunk_refs, plan->part_buckets, plan->nr_levels);
	need(&n, plan->shape.nr_units, 1, plan->unit_levels);
	choose_grid(plan, n.points[0]);
	memset(l, 0, sizeof(*l));
	for (int i = 0; i < 2; i++) {
		l->keys[i] = carve(l, plan->part_refs * sizeof(uint32_t));
		l->refs[i] = carve(l, plan->part_refs * sizeof(uint32_t));
		l->level_offsets[i] = carve(l, (plan->part_buckets + 2) * sizeof(uint32_t));
		/* Planes that begin at a line. */
		l->points_stride[i] = (n.points[i] + 7) / 8 * 8;
		l->points[i] = carve(l, l->points_stride[i] * plan->point_bytes);
		/* The second takes two sums for each MSM_MERGE_TILE. */
		size_t slots = i ? n.partial / (MSM_MERGE_TILE / 2) + 2 : n.partial;

		l->partial[i] = carve(l, slots * xyzz_bytes);
		l->partial_keys[i] = carve(l, slots * sizeof(uint32_t));
	}
	/* A quarter of a byte a ref is twice what CUB 3 asks for. */
	l->cub_bytes = plan->part_refs / 4 + plan->part_buckets / 4 + ((size_t)16 << 20);
	l->cub = carve(l, l->cub_bytes);
	l->offsets = carve(l, (plan->part_buckets + 2) * sizeof(uint32_t));
	l->prefix = carve(l, (size_t)plan->nr_threads * plan->batch * coord);
	l->places = carve(l, n.points[0] * sizeof(uint32_t));
	l->buckets = carve(l, (plan->part_buckets + 1) * xyzz_bytes);
	l->lines = carve(l, plan->part_sets * lines * xyzz_bytes);
	l->sums = carve(l, MSM_SUMS_MAX * xyzz_bytes);
}

static void choose_levels(struct msm_plan *plan)
{
	const struct msm_shape *shape = &plan->shape;
	size_t mean = plan->nr_refs / plan->nr_buckets;

	/* Down to one or two points a bucket; XYZZ sums the rest. */
	plan->nr_levels = mean >= 2 ? log2_floor(mean) : 0;
	/* Down to what a full grid sums at once. */
	plan->unit_levels = shape->nr_units >> 14 ? log2_floor(shape->nr_units >> 14) : 0;
	if (shape->nr_levels >= 0)
		plan->nr_levels = (unsigned int)shape->nr_levels;
	if (shape->method == MSM_XYZZ)
		plan->nr_levels = plan->unit_levels = 0;
}

/* Sets of a part and what follows from them. */
static void set_part(struct msm_plan *plan, size_t part_sets)
{
	size_t windows = part_sets * plan->nr_copies;

	plan->part_sets = (unsigned int)part_sets;
	plan->part_buckets = plan->part_sets * plan->set_buckets;
	plan->part_refs = plan->shape.nr_scalars *
			  (windows < plan->nr_windows ? windows : plan->nr_windows);
	plan->key_bits = log2_floor(plan->part_buckets) + 1;
	plan->chunk_refs = plan->part_refs < CHUNK_REFS_DEFAULT ? plan->part_refs
								: CHUNK_REFS_DEFAULT;
}

/* As many sets as refs allow. */
static void choose_part(struct msm_plan *plan)
{
	size_t set_refs = plan->shape.nr_scalars * plan->nr_copies, sets = plan->nr_sets;

	if (plan->shape.part_sets && plan->shape.part_sets < sets)
		sets = plan->shape.part_sets;
	else if (sets * set_refs > PART_REFS_DEFAULT)
		sets = PART_REFS_DEFAULT / set_refs;
	set_part(plan, sets ? sets : 1);
}

/* Less scratch: smaller parts, then smaller chunks; false when both are least. */
static bool shrink_scratch(struct msm_plan *plan)
{
	if (plan->part_sets > 1 && !plan->shape.part_sets)
		set_part(plan, (plan->part_sets + 1) / 2);
	else if (plan->chunk_refs > CHUNK_REFS_MIN)
		plan->chunk_refs = (plan->chunk_refs + 1) / 2;
	else
		return false;
	lay_out(plan);
	return true;
}

int msm_plan_make(const struct msm_shape *shape, struct msm_plan *ret_plan,
		  struct lull_error *reterr)
{
	struct msm_plan plan = {};

	if ((shape->curve != LULL_CURVE_BN254 && shape->curve != LULL_CURVE_BLS12_381) ||
	    (shape->group != 1 && shape->group != 2) || !shape->nr_points || !shape->nr_sms ||
	    (shape->window_bits &&
	     (shape->window_bits < WINDOW_BITS_MIN || shape->window_bits > MSM_WINDOW_BITS_MAX)))
		return lull_fail(reterr, LULL_USAGE, "msm: no such curve, group, device or window");
	plan.shape = *shape;
	plan.point_bytes = 2 * coord_words(shape) * sizeof(uint32_t);
	choose_windows(shape, plan.point_bytes, &plan);
	plan.nr_refs = shape->nr_scalars * plan.nr_windows;
	choose_levels(&plan);
	choose_part(&plan);
	/* Kernels see the refs of a part, and count these in 32 bits. */
	if (plan.nr_copies * shape->nr_points >= MSM_REF_NEG || plan.part_refs >= MSM_REF_NEG ||
	    shape->nr_units >= MSM_REF_NEG)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "msm: %zu points in %u copies, %zu refs at a time: expected fewer "
				 "than %u of each",
				 shape->nr_points, plan.nr_copies, plan.part_refs, MSM_REF_NEG);
	/* The points, and a bit for each that is infinity. */
	plan.table_bytes = plan.nr_copies * shape->nr_points * plan.point_bytes;
	plan.table_bytes = (plan.table_bytes + ALIGN - 1) / ALIGN * ALIGN;
	plan.table_bytes += (shape->nr_points / 32 + 1) * sizeof(uint32_t);
	plan.row_bits = (log2_floor(plan.set_buckets - 1) + 1) / 2;
	plan.column_bits = log2_floor(plan.set_buckets - 1) + 1 - plan.row_bits;
	lay_out(&plan);
	while (shape->scratch_bytes_max && plan.scratch.bytes > shape->scratch_bytes_max)
		if (!shrink_scratch(&plan))
			break;
	*ret_plan = plan;
	return LULL_OK;
}

int msm_plan_few(const struct msm_plan *plan, size_t nr_scalars, struct msm_plan *ret_plan,
		 struct lull_error *reterr)
{
	struct msm_shape shape = plan->shape;

	shape.nr_scalars = nr_scalars;
	shape.table_bytes_max = 0;
	LULL_TRY(msm_plan_make(&shape, ret_plan, reterr));
	/* Which points are infinity stands at the table's end. */
	ret_plan->table_bytes = plan->table_bytes;
	return LULL_OK;
}

unsigned int msm_nr_sums(const struct msm_plan *plan)
{
	/* Bits of a column's number plus 1, then those of a row's. */
	return plan->nr_sets * (plan->row_bits + 1 + plan->column_bits);
}

} /* namespace lull */
