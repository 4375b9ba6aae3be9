// SPDX-License-Identifier: Apache-2.0
/*
 * msm_emulated.cpp - the kernels of a multiplication, run on the host
 *
 * The same source as the device's (emulate.h), against the C library: small
 * sums with every kind of plan, scalar and point.  CUB's sort and scan, which
 * are not ours, are replaced by the standard library's.
 */
#include "cuda/emulate.h"

#include "msm_inst.cuh"

#include "cuda/ref.h"
#include "harness.h"

namespace lull
{

int msm_halve_offsets(const struct run_context *, uint32_t *out,
		      const uint32_t *offsets, uint32_t nr, struct lull_error *)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i <= nr; i++) {
		out[i] = sum;
		if (i < nr)
			sum += (offsets[i + 1] - offsets[i] + 1) / 2;
	}
	return LULL_OK;
}

int msm_sort_refs(const struct run_context *run, size_t nr, uint32_t **ret_keys,
		  uint32_t **ret_refs, struct lull_error *)
{
	uint32_t *keys = run->at<uint32_t>(run->plan->scratch.keys[0]);
	uint32_t *refs = run->at<uint32_t>(run->plan->scratch.refs[0]);
	std::vector<std::pair<uint32_t, uint32_t>> pairs(nr);

	for (size_t i = 0; i < nr; i++)
		pairs[i] = { keys[i], refs[i] };
	std::stable_sort(
		pairs.begin(), pairs.end(),
		[](const auto &a, const auto &b) { return a.first < b.first; });
	for (size_t i = 0; i < nr; i++) {
		keys[i] = pairs[i].first;
		refs[i] = pairs[i].second;
	}
	*ret_keys = keys;
	*ret_refs = refs;
	return LULL_OK;
}

} /* namespace lull */

using namespace lull;

#define POOL 20
#define NR_MAX 600

enum scalar_kind { RANDOM, EQUAL, SMALL, MINUS_ONE, ZERO, HALF };

/* One case: a plan's wishes and what is multiplied. */
struct emulated_case {
	size_t nr;
	int copies; /* -1: all */
	int nr_levels;
	unsigned int window_bits;
	unsigned int batch;
	enum scalar_kind kind;
	unsigned int nr_chunks;
	enum msm_method method;
	unsigned int part_sets; /* 0: the plan's choice, which is all */
};

struct plain_scalar {
	uint64_t l[4];
};

static void fill_scalars(const struct cuda_ref *ref, struct plain_scalar *s,
			 const struct emulated_case *c)
{
	struct plain_scalar same;

	ref->random_scalar(&same);
	for (size_t i = 0; i < c->nr; i++) {
		memset(&s[i], 0, sizeof(s[i]));
		if (c->kind == RANDOM)
			ref->random_scalar(&s[i]);
		else if (c->kind == EQUAL)
			s[i] = same;
		else if (c->kind == SMALL)
			s[i].l[0] = test_random() % 3;
		else if (c->kind == MINUS_ONE)
			ref->minus_one(&s[i]);
		else if (c->kind == HALF)
			ref->edge(&s[i], i % CUDA_REF_NR_EDGES);
	}
}

/* From a small pool with its negatives and infinity: points repeat, cancel. */
template <class E>
static void fill_points(const struct cuda_ref_group *group, affine<E> *points,
			size_t nr)
{
	static affine<E> pool[POOL];

	pool[0] = affine<E>::infinity();
	for (unsigned int i = 1; i < POOL; i++)
		group->random(&pool[i]);
	for (unsigned int i = 1; i < POOL / 2; i++)
		pool[POOL / 2 + i] = neg(pool[i]);
	for (size_t i = 0; i < nr; i++)
		points[i] = pool[test_random() % POOL];
}

template <class E>
static void expect_point(const affine<E> &want, xyzz<E> sum, const char *what)
{
	affine<E> got = affine<E>::infinity();

	if (!is_inf(sum))
		to_affine(&got, &sum);
	if (memcmp((const void *)&want, (void *)&got, sizeof(want))) {
		printf("# %s\n", what);
		EXPECT_MEMEQ((const void *)&want, (void *)&got, sizeof(want));
	}
}

/* What a plan asks for, and bytes behind it which are nobody's. */
static size_t with_guard(size_t bytes)
{
	return (bytes + 255) / 256 * 256 + 256;
}

static void *poisoned(size_t bytes)
{
	void *p = aligned_alloc(256, with_guard(bytes));

	memset(p, 0xcc, with_guard(bytes));
	return p;
}

static void free_guarded(void *p, size_t bytes)
{
	for (size_t i = bytes; i < with_guard(bytes); i++)
		if (((const uint8_t *)p)[i] != 0xcc) {
			TEST_FAIL_("byte %zu of %zu was written to", i, bytes);
			break;
		}
	free(p);
}

/* Every third scalar, by a plan for so few. */
template <class G>
static void run_few(const struct msm_plan *plan,
		    const struct cuda_ref_group *group,
		    const affine<typename G::coord> *points,
		    const struct plain_scalar *scalars, const void *table)
{
	using E = typename G::coord;
	static struct plain_scalar some[NR_MAX];
	static struct msm_sums<G> sums;
	struct msm_plan shape = *plan, few;
	uint32_t index[NR_MAX], nr = 0;
	struct lull_error error = {};
	void *scratch;
	affine<E> want;

	shape.shape.window_bits = shape.shape.part_sets = 0;
	memset(some, 0, sizeof(some));
	for (uint32_t i = 0; i < plan->shape.nr_points; i += 3) {
		index[nr++] = i;
		some[i] = scalars[i];
	}
	ASSERT_EQ(LULL_OK, msm_plan_few(&shape, nr, &few, &error));
	EXPECT_EQ(1, few.nr_copies);
	scratch = poisoned(few.scratch.bytes);
	EXPECT_EQ(LULL_OK, msm_run<G>(&few, table, scalars, MSM_PLAIN, index,
				      nr, scratch, &sums, 0, &error));
	group->msm(&want, points, some, plan->shape.nr_points);
	expect_point(want, msm_finish<G>(&few, &sums), "sum of a few products");
	free_guarded(scratch, few.scratch.bytes);
}

template <class G>
static void run_plan(const struct msm_plan *plan,
		     const struct cuda_ref_group *group,
		     const affine<typename G::coord> *points,
		     struct plain_scalar *scalars)
{
	using E = typename G::coord;
	size_t nr = plan->shape.nr_points;
	void *table = poisoned(plan->table_bytes);
	void *scratch = poisoned(plan->scratch.bytes);
	static struct msm_sums<G> sums;
	struct lull_error error = {};
	uint32_t refs[NR_MAX];
	affine<E> want;
	xyzz<E> sum;

	memcpy(table, (const void *)points, nr * sizeof(*points));
	EXPECT_EQ(LULL_OK, msm_prepare<G>(plan, table, 0, &error));
	EXPECT_EQ(LULL_OK, msm_run<G>(plan, table, scalars, MSM_PLAIN, NULL, nr,
				      scratch, &sums, 0, &error));
	group->msm(&want, points, scalars, nr);
	expect_point(want, msm_finish<G>(plan, &sums), "sum of products");
	run_few<G>(plan, group, points, scalars, table);
	for (size_t i = 0; i < nr; i++) {
		refs[i] = (uint32_t)i;
		memset(&scalars[i], 0, sizeof(scalars[i]));
		scalars[i].l[0] = 1;
	}
	EXPECT_EQ(LULL_OK, msm_run_sum<G>(plan, table, refs, nr, scratch, &sum,
					  0, &error));
	group->msm(&want, points, scalars, nr);
	expect_point(want, sum, "plain sum");
	free_guarded(table, plan->table_bytes);
	free_guarded(scratch, plan->scratch.bytes);
}

template <class G>
static void run_case(const struct cuda_ref *ref, const struct emulated_case *c)
{
	using E = typename G::coord;
	const struct cuda_ref_group *group =
		G::group == 1 ? &ref->g1 : &ref->g2;
	static struct plain_scalar scalars[NR_MAX];
	static affine<E> points[NR_MAX];
	struct msm_shape shape = {};
	struct lull_error error = {};
	struct msm_plan plan;

	shape.curve = G::curve::id;
	shape.group = G::group;
	shape.nr_points = shape.nr_scalars = shape.nr_units = c->nr;
	shape.table_bytes_max =
		c->copies < 0 ?
			(size_t)1 << 40 :
			(c->nr * sizeof(points[0]) + 256) * (size_t)c->copies;
	shape.nr_sms = 1;
	shape.method = c->method;
	shape.window_bits = c->window_bits;
	shape.part_sets = c->part_sets;
	shape.nr_levels = c->nr_levels;
	shape.batch = c->batch;
	ASSERT_EQ(LULL_OK, msm_plan_make(&shape, &plan, &error));
	EXPECT_EQ(c->part_sets ? c->part_sets : plan.nr_sets, plan.part_sets);
	EXPECT_TRUE(!c->part_sets || plan.part_sets < plan.nr_sets);
	/* A plan cuts only sums that are larger than these. */
	if (c->nr_chunks > 1)
		plan.chunk_refs = plan.part_refs / c->nr_chunks + 1;
	fill_scalars(ref, scalars, c);
	fill_points<E>(group, points, c->nr);
	run_plan<G>(&plan, group, points, scalars);
}

static const struct emulated_case cases[] = {
	{ 1, -1, -1, 0, 0, RANDOM, 1, MSM_AFFINE },
	{ 33, -1, -1, 0, 0, RANDOM, 1, MSM_AFFINE },
	{ 300, -1, -1, 6, 2, RANDOM, 1, MSM_AFFINE },
	{ 300, -1, 5, 7, 1, EQUAL, 1, MSM_AFFINE },
	{ 500, 3, 3, 7, 3, RANDOM, 3, MSM_AFFINE },
	{ 400, 0, 2, 8, 2, SMALL, 1, MSM_AFFINE },
	{ 257, 5, -1, 9, 0, MINUS_ONE, 1, MSM_AFFINE },
	{ 600, -1, 2, 5, 0, EQUAL, 2, MSM_AFFINE },
	{ 300, -1, -1, 8, 0, RANDOM, 1, MSM_XYZZ },
	{ 64, -1, -1, 5, 0, ZERO, 1, MSM_AFFINE },
	{ 600, -1, -1, 4, 4, RANDOM, 1, MSM_AFFINE },
	{ 500, 3, 3, 7, 3, SMALL, 3, MSM_AFFINE },
	{ 257, 5, -1, 9, 1, MINUS_ONE, 1, MSM_AFFINE },
	/* Windows that differ, that end with r / 2 and that have no copies. */
	{ 120, -1, -1, 6, 0, HALF, 1, MSM_AFFINE },
	{ 120, -1, 2, 11, 0, HALF, 1, MSM_AFFINE },
	{ 120, 0, -1, 7, 0, HALF, 1, MSM_AFFINE },
	/* Parts: of one set each, the last one smaller, several chunks each,
	 * and one and two sets without copies. */
	{ 500, 3, 3, 7, 3, RANDOM, 1, MSM_AFFINE, 1 },
	{ 300, 3, 2, 7, 0, RANDOM, 1, MSM_AFFINE, 5 },
	{ 400, 4, 3, 6, 2, RANDOM, 3, MSM_AFFINE, 4 },
	{ 400, 0, 2, 8, 2, MINUS_ONE, 2, MSM_AFFINE, 1 },
	{ 257, 0, -1, 9, 0, EQUAL, 1, MSM_AFFINE, 2 },
	{ 300, 5, -1, 8, 0, RANDOM, 1, MSM_XYZZ, 2 },
};

/* The topmost window has more buckets than the others fill. */
static const struct emulated_case widest = {
	8, -1, -1, MSM_WINDOW_BITS_MAX, 0, HALF, 1, MSM_AFFINE
};

/* A first level in large blocks, as a case that steps over G2 leave out has. */
static const struct emulated_case large_blocks = {
	600, -1, -1, 4, 4, RANDOM, 1, MSM_AFFINE
};

template <class G>
static void run_cases(const struct cuda_ref *ref, unsigned int step)
{
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]);
	     i += step)
		run_case<G>(ref, &cases[i]);
}

TEST(bn254_g1)
{
	run_cases<bn254_g1>(&cuda_ref_bn254, 1);
}

TEST(bn254_g1_widest)
{
	run_case<bn254_g1>(&cuda_ref_bn254, &widest);
}

TEST(bls12_381_g1)
{
	run_cases<bls12_381_g1>(&cuda_ref_bls12_381, 2);
}

TEST(bn254_g2)
{
	run_cases<bn254_g2>(&cuda_ref_bn254, 3);
	run_case<bn254_g2>(&cuda_ref_bn254, &large_blocks);
}

TEST(bls12_381_g2)
{
	run_cases<bls12_381_g2>(&cuda_ref_bls12_381, 4);
	run_case<bls12_381_g2>(&cuda_ref_bls12_381, &large_blocks);
}

TEST_MAIN
