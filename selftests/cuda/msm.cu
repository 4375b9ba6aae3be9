// SPDX-License-Identifier: Apache-2.0
/*
 * msm.cu - multi-scalar multiplication on the device against the C library
 *
 * The plan is tested everywhere; the rest is skipped where there is no GPU.
 * Points repeat, cancel and are infinity as they come: they are drawn from a
 * small pool with their negatives.
 */
#include "cuda/device.h"
#include "cuda/ref.h"
#include "harness.h"
#include "msm_kernels.cuh"

using namespace lull;

#define NR_MAX 70000
#define POOL 257
#define SCALAR_WORDS 4
#define WINDOW_BITS_LEAST 4 /* that a caller can ask for */

static struct msm_shape shape_of(enum lull_curve curve, int group, size_t nr)
{
	struct msm_shape shape = {};

	shape.curve = curve;
	shape.group = group;
	shape.nr_points = shape.nr_scalars = nr;
	shape.nr_units = nr;
	shape.table_bytes_max = (size_t)1 << 40;
	shape.nr_sms = 132;
	shape.nr_levels = -1;
	return shape;
}

static const struct cuda_ref *ref_of(enum lull_curve curve)
{
	return curve == LULL_CURVE_BN254 ? &cuda_ref_bn254
					 : &cuda_ref_bls12_381;
}

/* s >>= bits, and one more. */
static void shift_down(uint64_t *s, unsigned int bits, bool more)
{
	for (unsigned int i = 0; i < SCALAR_WORDS; i++)
		s[i] = s[i] >> bits |
		       (i + 1 < SCALAR_WORDS ? s[i + 1] << (64 - bits) : 0);
	for (unsigned int i = 0; more && i < SCALAR_WORDS; i++)
		more = !++s[i];
}

/* Takes the digit of a window, at least minus and less than half of it, off a
 * number. */
static int64_t take_digit(uint64_t *s, unsigned int bits)
{
	int64_t low = (int64_t)(s[0] & (((uint64_t)1 << bits) - 1));
	bool above = low >> (bits - 1);

	shift_down(s, bits, above);
	return low - ((int64_t)above << bits);
}

/* A folded scalar's digits have buckets, and what the topmost one leaves is
 * nothing. */
static void check_digits(const struct msm_plan *plan, const uint64_t *scalar)
{
	uint64_t s[SCALAR_WORDS];
	int64_t digit = 0;

	memcpy(s, scalar, sizeof(s));
	for (unsigned int w = 0; w + 1 < plan->nr_windows; w++) {
		digit = take_digit(s, msm_window_start(*plan, w + 1) -
					      msm_window_start(*plan, w));
		EXPECT_TRUE(digit <= (int64_t)plan->set_buckets &&
			    -digit <= (int64_t)plan->set_buckets);
	}
	EXPECT_TRUE(!s[1] && !s[2] && !s[3] && s[0] <= plan->set_buckets);
}

/* Of the largest folded scalar, whose topmost digit none exceeds, of its
 * neighbours, and of one whose digits but the topmost are all the least. */
static void check_all_digits(const struct msm_plan *plan)
{
	const struct cuda_ref *ref = ref_of(plan->shape.curve);
	uint64_t s[SCALAR_WORDS];

	for (unsigned int i = 0; i < CUDA_REF_NR_EDGES; i++) {
		ref->edge(s, i);
		ref->fold(s);
		check_digits(plan, s);
	}
	memset(s, 0, sizeof(s));
	for (unsigned int w = 0; w + 1 < plan->nr_windows; w++) {
		unsigned int bit = msm_window_start(*plan, w + 1) - 1;

		s[bit / 64] |= (uint64_t)1 << (bit % 64);
	}
	check_digits(plan, s);
}

/* Of every size that a level of the plan can have: it fits in scratch, and threads
 * of a block can share an inversion. */
static void check_grids(const struct msm_plan *plan)
{
	const size_t halved = plan->chunk_refs / 2 + plan->part_buckets;
	const size_t most =
		halved < plan->chunk_refs ? halved : plan->chunk_refs;

	for (size_t nr = plan->nr_levels ? most : 0; nr; nr /= 2) {
		const struct msm_grid g = msm_tree_grid(plan, nr);

		EXPECT_TRUE(g.blocks && g.threads &&
			    g.threads % MSM_AFFINE_THREADS == 0);
		EXPECT_TRUE(g.threads <= tree_threads(plan->point_bytes / 2));
		EXPECT_TRUE((size_t)g.blocks * g.threads <= plan->nr_threads);
		EXPECT_TRUE(g.blocks <= plan->shape.nr_sms ||
			    g.threads == MSM_AFFINE_THREADS);
	}
}

static void check_plan(const struct msm_shape *shape)
{
	unsigned int bits = shape->curve == LULL_CURVE_BN254 ? 253 : 254;
	struct lull_error error;
	struct msm_plan plan;
	unsigned int last;

	ASSERT_EQ(LULL_OK, msm_plan_make(shape, &plan, &error));
	EXPECT_TRUE(plan.nr_sets * plan.nr_copies >= plan.nr_windows);
	EXPECT_TRUE(plan.table_bytes <= shape->table_bytes_max ||
		    plan.nr_copies == 1);
	last = msm_window_start(plan, plan.nr_windows - 1);
	EXPECT_TRUE(last <= bits); /* the carry alone, at most */
	EXPECT_TRUE(last + plan.window_bits + 1 > bits);
	EXPECT_TRUE(msm_nr_sums(&plan) <= MSM_SUMS_MAX);
	EXPECT_TRUE((1u << plan.key_bits) > plan.part_buckets);
	EXPECT_EQ(plan.part_sets * plan.set_buckets, plan.part_buckets);
	EXPECT_TRUE(plan.part_sets && plan.part_sets <= plan.nr_sets &&
		    plan.part_refs <= plan.nr_refs);
	EXPECT_TRUE(plan.part_sets == 1 || plan.part_refs <= (size_t)1 << 28);
	/* As many as 32 bits hold, with a sign or as numbers. */
	EXPECT_TRUE(plan.nr_copies * shape->nr_points < MSM_REF_NEG &&
		    plan.part_refs < MSM_REF_NEG);
	EXPECT_TRUE(((uint64_t)1 << (plan.row_bits + plan.column_bits)) >=
		    plan.set_buckets);
	EXPECT_TRUE(!shape->scratch_bytes_max ||
		    plan.chunk_refs <= plan.part_refs);
	check_all_digits(&plan);
	check_grids(&plan);
	if (test_failed)
		printf("# curve %d, %zu points, %u windows of %u bits, %u "
		       "wide, %u sets of %u buckets\n",
		       shape->curve, shape->nr_points, plan.nr_windows,
		       plan.window_bits, plan.nr_wide, plan.nr_sets,
		       plan.set_buckets);
}

/* With every copy, with some and with none, by both methods. */
static void check_plans(struct msm_shape shape)
{
	check_plan(&shape);
	shape.table_bytes_max = 200 * shape.nr_points + 4096;
	shape.scratch_bytes_max = 64 * shape.nr_points + (64 << 20);
	check_plan(&shape);
	shape.table_bytes_max = 0;
	check_plan(&shape);
	shape.method = MSM_XYZZ;
	check_plan(&shape);
}

/* The plan's own windows, and every other width. */
TEST(plans_hold_every_digit)
{
	for (int curve = LULL_CURVE_BN254; curve <= LULL_CURVE_BLS12_381;
	     curve++)
		for (int group = 1; group <= 2; group++)
			for (unsigned int log2 = 0;
			     log2 <= 30 && !test_failed; log2++) {
				struct msm_shape shape =
					shape_of((enum lull_curve)curve, group,
						 (size_t)1 << log2);

				check_plans(shape);
				for (unsigned int bits = WINDOW_BITS_LEAST;
				     bits <= MSM_WINDOW_BITS_MAX; bits++) {
					shape.window_bits = bits;
					check_plans(shape);
				}
			}
}

/* Where one window of several is a bit wider it is the topmost, and its set has
 * buckets for r / 2: of all plans, 11 windows over BN254. */
TEST(one_wide_window_is_the_topmost)
{
	struct msm_shape shape = shape_of(LULL_CURVE_BN254, 1, 64);
	struct lull_error error;
	struct msm_plan plan;

	shape.window_bits = MSM_WINDOW_BITS_MAX;
	ASSERT_EQ(LULL_OK, msm_plan_make(&shape, &plan, &error));
	EXPECT_EQ(11, plan.nr_windows);
	EXPECT_EQ(1, plan.nr_sets);
	EXPECT_EQ(0, plan.nr_wide);
	EXPECT_EQ(23, plan.window_bits);
	EXPECT_TRUE(plan.set_buckets > 1u << 22 &&
		    plan.set_buckets < 1u << 23);
}

TEST(plan_refuses)
{
	struct msm_shape shape = shape_of(LULL_CURVE_BN254, 3, 16);
	struct lull_error error = {};
	struct msm_plan plan, before;

	memset((void *)&plan, 0xcc, sizeof(plan));
	memcpy((void *)&before, (void *)&plan, sizeof(plan));
	EXPECT_EQ(LULL_USAGE, msm_plan_make(&shape, &plan, &error));
	EXPECT_TRUE(error.msg[0] != 0);
	shape = shape_of(LULL_CURVE_BLS12_381, 1, (size_t)1 << 31);
	EXPECT_EQ(LULL_UNSUPPORTED, msm_plan_make(&shape, &plan, &error));
	/* And of so many scalars, or units, for fewer points. */
	shape = shape_of(LULL_CURVE_BLS12_381, 1, 16);
	shape.nr_scalars = (size_t)1 << 31;
	EXPECT_EQ(LULL_UNSUPPORTED, msm_plan_make(&shape, &plan, &error));
	shape = shape_of(LULL_CURVE_BLS12_381, 1, 16);
	shape.nr_units = (size_t)1 << 31;
	EXPECT_EQ(LULL_UNSUPPORTED, msm_plan_make(&shape, &plan, &error));
	/* More windows at a time than the plan would take. */
	shape = shape_of(LULL_CURVE_BLS12_381, 1, (size_t)1 << 28);
	shape.table_bytes_max = 0;
	shape.part_sets = 10;
	EXPECT_EQ(LULL_UNSUPPORTED, msm_plan_make(&shape, &plan, &error));
	EXPECT_MEMEQ((void *)&before, (void *)&plan, sizeof(plan));
}

/* One group on the device: points on both sides, scratch, a plan at a time. */
template <class G> struct rig {
	using E = typename G::coord;
	const struct cuda_ref *ref;
	const struct cuda_ref_group *group;
	affine<E> pool[POOL];
	affine<E> points[NR_MAX];
	uint64_t scalars[NR_MAX][SCALAR_WORDS];
	void *table, *scratch, *device_scalars;
	struct msm_sums<G> *sums;
	xyzz<E> *unit_sum;
	struct msm_plan plan;
};

template <class G> static struct rig<G> *rig_make(const struct cuda_ref *ref) {
	struct rig<G> *r = (struct rig<G> *)calloc(1, sizeof(*r));

	r->ref = ref;
	r->group = G::group == 1 ? &ref->g1 : &ref->g2;
	for (unsigned int i = 1; i < POOL; i++)
		r->group->random(&r->pool[i]);
	/* pool[0] is infinity; the upper half are negatives of the lower. */
	for (unsigned int i = 1; i < POOL / 2; i++)
		r->pool[POOL / 2 + i] = neg(r->pool[i]);
	device_must(cudaMallocHost(&r->sums, sizeof(*r->sums)),
		    "cudaMallocHost");
	device_must(cudaMallocHost(&r->unit_sum, sizeof(*r->unit_sum)),
		    "cudaMallocHost");
	return r;
}

template <class G>
static void rig_free(struct rig<G> *r)
{
	device_must(cudaFreeHost(r->sums), "cudaFreeHost");
	device_must(cudaFreeHost(r->unit_sum), "cudaFreeHost");
	free(r);
}

/* Points in table order: each @distinct-th of the pool, or all distinct. */
template <class G>
static void rig_points(struct rig<G> *r, size_t nr, bool distinct)
{
	for (size_t i = 0; i < nr; i++) {
		if (!distinct || i < 1)
			r->points[i] =
				r->pool[distinct ? 1 : test_random() % POOL];
		else
			r->group->add(&r->points[i], &r->points[i - 1],
				      &r->pool[2]);
	}
}

template <class G>
static bool rig_begin(struct rig<G> *r, const struct msm_shape *shape)
{
	struct lull_error error;

	if (msm_plan_make(shape, &r->plan, &error)) {
		printf("# %s\n", error.msg);
		test_failed = true;
		return false;
	}
	r->table = device_alloc(r->plan.table_bytes);
	r->scratch = device_alloc(r->plan.scratch.bytes);
	r->device_scalars = device_alloc(shape->nr_points * 32);
	device_put(r->table, r->points,
		   shape->nr_points * sizeof(r->points[0]));
	if (msm_prepare<G>(&r->plan, r->table, 0, &error)) {
		printf("# %s\n", error.msg);
		test_failed = true;
	}
	device_done();
	return true;
}

template <class G> static void rig_end(struct rig<G> *r)
{
	device_free(r->table);
	device_free(r->scratch);
	device_free(r->device_scalars);
}

template <class G>
static affine<typename G::coord> affine_of(xyzz<typename G::coord> sum)
{
	affine<typename G::coord> r;

	if (is_inf(sum))
		return affine<typename G::coord>::infinity();
	to_affine(&r, &sum);
	return r;
}

/* One run over the scalars that stand in the rig. */
template <class G>
static void rig_compare(struct rig<G> *r, size_t nr, const char *what)
{
	using E = typename G::coord;
	struct lull_error error = {};
	affine<E> want, got;

	r->group->msm(&want, r->points, r->scalars, nr);
	device_put(r->device_scalars, r->scalars, nr * 32);
	memset((void *)r->sums, 0xcc, sizeof(*r->sums));
	if (msm_run<G>(&r->plan, r->table, r->device_scalars, MSM_PLAIN, NULL,
		       nr, r->scratch, r->sums, 0, &error)) {
		printf("# %s: %s\n", what, error.msg);
		test_failed = true;
		return;
	}
	device_done();
	got = affine_of<G>(msm_finish<G>(&r->plan, r->sums));
	if (memcmp((void *)&want, (void *)&got, sizeof(want))) {
		printf("# %s: %zu points, %u windows, %u copies, %u levels\n",
		       what, nr, r->plan.nr_windows, r->plan.nr_copies,
		       r->plan.nr_levels);
		EXPECT_MEMEQ((void *)&want, (void *)&got, sizeof(want));
	}
}

enum scalar_kind {
	ZEROS,
	ONES,
	EQUAL,
	MINUS_ONES,
	HALVES,
	HOT,
	SMALL,
	RANDOM,
	NR_KINDS
};
static const char *const kind_names[] = { "zeros",  "ones", "equal", "r - 1",
					  "halves", "hot",  "small", "random" };

template <class G>
static void rig_scalars(struct rig<G> *r, size_t nr, enum scalar_kind kind)
{
	uint64_t same[SCALAR_WORDS];

	r->ref->random_scalar(same);
	for (size_t i = 0; i < nr; i++) {
		uint64_t *s = r->scalars[i];

		memset(s, 0, 32);
		if (kind == ONES)
			s[0] = 1;
		else if (kind == EQUAL)
			memcpy(s, same, 32);
		else if (kind == MINUS_ONES)
			r->ref->minus_one(s);
		else if (kind == HALVES)
			r->ref->edge(s, i % CUDA_REF_NR_EDGES);
		else if (kind == SMALL)
			s[0] = test_random() >> (1 + test_random() % 63);
		else if (kind >= HOT)
			r->ref->random_scalar(s);
		/* Every second low digit is the same. */
		if (kind == HOT && i % 2)
			s[0] = same[0];
	}
}

template <class G>
static void rig_all_kinds(struct rig<G> *r, const struct msm_shape *shape)
{
	if (!rig_begin(r, shape))
		return;
	for (int kind = 0; kind < NR_KINDS; kind++) {
		rig_scalars(r, shape->nr_points, (enum scalar_kind)kind);
		rig_compare(r, shape->nr_points, kind_names[kind]);
	}
	rig_end(r);
}

/* Half of the scalars, by a plan for so few over the same table. */
template <class G>
static void rig_few(struct rig<G> *r, const struct msm_shape *shape)
{
	struct lull_error error = {};
	struct msm_plan few;
	size_t nr = shape->nr_points / 2;

	if (!rig_begin(r, shape))
		return;
	ASSERT_EQ(LULL_OK, msm_plan_few(&r->plan, nr, &few, &error));
	EXPECT_EQ(1, few.nr_copies);
	EXPECT_EQ(r->plan.table_bytes, few.table_bytes);
	r->plan = few;
	device_free(r->scratch);
	r->scratch = device_alloc(few.scratch.bytes);
	rig_scalars(r, nr, RANDOM);
	rig_compare(r, nr, "few");
	rig_end(r);
}

template <class G> static void test_sizes(const struct cuda_ref *ref)
{
	static const size_t sizes[] = { 1,     2,     3,     31,   32,	 33,
					63,    64,    65,    127,  129,	 255,
					257,   1023,  1024,  1025, 4095, 8193,
					16384, 65535, 65536, 65537 };
	struct rig<G> *r = rig_make<G>(ref);

	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct msm_shape shape =
			shape_of(G::curve::id, G::group, sizes[i]);

		if (G::group == 2 && sizes[i] > 20000)
			continue;
		rig_points(r, sizes[i], i % 2);
		rig_all_kinds(r, &shape);
	}
	rig_free(r);
}

/* Plans of every form on one size. */
template <class G> static void test_plans(const struct cuda_ref *ref)
{
	struct rig<G> *r = rig_make<G>(ref);
	size_t nr = 3001;

	rig_points(r, nr, false);
	for (unsigned int i = 0; i < 12; i++) {
		struct msm_shape shape = shape_of(G::curve::id, G::group, nr);

		shape.method = i % 4 == 1 ? MSM_XYZZ : MSM_AFFINE;
		if (i % 3 == 1)
			shape.table_bytes_max = 0;
		if (i % 3 == 2)
			shape.table_bytes_max = 5 * nr * r->group->affine_bytes;
		shape.window_bits = 4 + i;
		shape.nr_levels = (int)(i % 5) - 1;
		shape.batch = i % 2 ? 1 : 3;
		/* Some sets at a time, one at a time, and all in chunks. */
		if (i >= 3 && i < 6)
			shape.part_sets = 2;
		if (i >= 6)
			shape.scratch_bytes_max = 1;
		if (i >= 9)
			shape.part_sets = 64;
		shape.nr_sms = 1 + i;
		rig_all_kinds(r, &shape);
		rig_few(r, &shape);
	}
	rig_free(r);
}

/* The widest windows: over BN254 the topmost has more buckets than the others
 * fill. */
template <class G> static void test_widest(const struct cuda_ref *ref)
{
	struct rig<G> *r = rig_make<G>(ref);
	size_t nr = 1001;
	struct msm_shape shape = shape_of(G::curve::id, G::group, nr);

	shape.window_bits = MSM_WINDOW_BITS_MAX;
	rig_points(r, nr, false);
	rig_all_kinds(r, &shape);
	rig_free(r);
}

/* Every second point, from the last down. */
template <class G> static size_t rig_index(size_t nr, uint32_t *index)
{
	for (size_t i = 0; i < nr / 2; i++)
		index[i] = (uint32_t)(nr - 2 - 2 * i);
	return nr / 2;
}

/* Scalars in Montgomery form at the places of a list; the others count as 0
 * for the reference. */
template <class G>
static void compare_list(struct rig<G> *r, uint32_t *index, void *device_index,
			 size_t nr)
{
	size_t half = rig_index<G>(nr, index);
	struct lull_error error = {};
	affine<typename G::coord> want, got;

	rig_scalars(r, nr, RANDOM);
	device_put(device_index, index, half * sizeof(*index));
	for (size_t i = 0; i < nr; i++) {
		uint64_t plain[SCALAR_WORDS];

		memcpy(plain, r->scalars[i], 32);
		r->ref->fr.from_plain(r->scalars[i], plain, NULL);
	}
	device_put(r->device_scalars, r->scalars, nr * 32);
	for (size_t i = 0; i < nr; i++) {
		uint64_t mont[SCALAR_WORDS];

		memcpy(mont, r->scalars[i], 32);
		r->ref->fr.to_plain(r->scalars[i], mont, NULL);
		if (i % 2)
			memset(r->scalars[i], 0, 32);
	}
	r->group->msm(&want, r->points, r->scalars, nr);
	EXPECT_EQ(LULL_OK, msm_run<G>(&r->plan, r->table, r->device_scalars,
				      MSM_MONTGOMERY, (uint32_t *)device_index,
				      half, r->scratch, r->sums, 0, &error));
	device_done();
	got = affine_of<G>(msm_finish<G>(&r->plan, r->sums));
	EXPECT_MEMEQ((void *)&want, (void *)&got, sizeof(want));
}

/* A plain sum, in which the first of three points is subtracted. */
template <class G>
static void compare_units(struct rig<G> *r, uint32_t *index, void *device_index,
			  size_t nr)
{
	size_t half = rig_index<G>(nr, index);
	struct lull_error error = {};
	affine<typename G::coord> want, got;

	rig_scalars(r, nr, ZEROS);
	for (size_t i = 0; i < half; i++) {
		if (i % 3)
			r->scalars[index[i]][0] = 1;
		else
			r->ref->minus_one(r->scalars[index[i]]);
		index[i] |= i % 3 ? 0 : MSM_REF_NEG;
	}
	device_put(device_index, index, half * sizeof(*index));
	r->group->msm(&want, r->points, r->scalars, nr);
	EXPECT_EQ(LULL_OK,
		  msm_run_sum<G>(&r->plan, r->table, (uint32_t *)device_index,
				 half, r->scratch, r->unit_sum, 0, &error));
	device_done();
	got = affine_of<G>(*r->unit_sum);
	EXPECT_MEMEQ((void *)&want, (void *)&got, sizeof(want));
}

/* Too many scalars are refused, none give infinity. */
template <class G> static void compare_bounds(struct rig<G> *r, size_t nr)
{
	struct lull_error error = {};

	EXPECT_EQ(LULL_USAGE,
		  msm_run<G>(&r->plan, r->table, r->device_scalars, MSM_PLAIN,
			     NULL, nr + 1, r->scratch, r->sums, 0, &error));
	EXPECT_EQ(LULL_OK,
		  msm_run<G>(&r->plan, r->table, r->device_scalars, MSM_PLAIN,
			     NULL, 0, r->scratch, r->sums, 0, &error));
	device_done();
	EXPECT_TRUE(is_inf(msm_finish<G>(&r->plan, r->sums)));
}

template <class G> static void test_lists(const struct cuda_ref *ref)
{
	struct rig<G> *r = rig_make<G>(ref);
	size_t nr = 40000;
	struct msm_shape shape = shape_of(G::curve::id, G::group, nr);
	uint32_t *index = (uint32_t *)malloc(nr * sizeof(*index));
	void *device_index = device_alloc(nr * sizeof(*index));

	rig_points(r, nr, G::group == 1);
	if (rig_begin(r, &shape)) {
		compare_list(r, index, device_index, nr);
		compare_units(r, index, device_index, nr);
		compare_bounds(r, nr);
		rig_end(r);
	}
	device_free(device_index);
	free(index);
	rig_free(r);
}

#define NO_GPU "NO GPU: nothing of the device was tested"

#define DEVICE_TEST(name, what, G, ref)                                        \
	TEST(name##_##what)                                                    \
	{                                                                      \
		if (!device_is_there())                                        \
			SKIP(NO_GPU);                                          \
		test_##what<G>(&(ref));                                        \
	}

#define GROUP_TESTS(name, G, ref)                                              \
	DEVICE_TEST(name, sizes, G, ref)                                       \
	DEVICE_TEST(name, plans, G, ref)                                       \
	DEVICE_TEST(name, widest, G, ref)                                      \
	DEVICE_TEST(name, lists, G, ref)

GROUP_TESTS(bn254_g1, bn254_g1, cuda_ref_bn254)
GROUP_TESTS(bls12_381_g1, bls12_381_g1, cuda_ref_bls12_381)
GROUP_TESTS(bn254_g2, bn254_g2, cuda_ref_bn254)
GROUP_TESTS(bls12_381_g2, bls12_381_g2, cuda_ref_bls12_381)

TEST_MAIN
