/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm_tests.h - both groups' multiplications against what they must be
 *
 * For msm_tmpl.c and portable_tmpl.c, which differ in the twin that runs.
 */
#define LULL_GROUP 1
#include "base/cpu.h"
#include "msm/msm.h"
#include "harness.h"

#define POOL 4100
/* Close together, so that sums of some points are others. */
#define POOL_STEP 1
#define GUARD 0xa5
/* Sums that are also computed by the definition. */
#define DEFINITION_MAX 3
#define NR_POOLS 3

struct scalar {
	limb_t l[FR_LIMBS];
};

/* Term i is scalars[i] times pool point pick[i], or its negative, or
 * infinity. */
struct test_input {
	struct scalar scalars[POOL];
	uint32_t pick[POOL];
	bool negative[POOL];
	bool is_inf[POOL];
};

static uint64_t pool_factor[POOL];
static struct test_input input;
static struct lull_workers *pools[NR_POOLS];
static const unsigned int pool_threads[NR_POOLS] = { 1, 2, 5 };
static const size_t sizes[] = { 0,  1,	2,  3,	7,   8,	  9,   31,  32,
				33, 63, 64, 65, 127, 128, 129, 1000 };
static const size_t large_sizes[] = { 1023, 1024, 1025, 4095, 4096, 4097 };

#include "msm_group.h"
#undef LULL_GROUP
#define LULL_GROUP 2
#include "msm_group.h"
#undef LULL_GROUP

static void random_scalar(struct scalar *s)
{
	unsigned int i;

	for (i = 0; i < FR_LIMBS; i++)
		s->l[i] = test_random();
	s->l[FR_LIMBS - 1] >>= 64 * FR_LIMBS - FR_BITS;
	if (!limbs_less(s->l, fr_r, FR_LIMBS))
		limbs_sub(s->l, s->l, fr_r, FR_LIMBS);
}

static void small_scalar(struct scalar *s, uint64_t x)
{
	*s = (struct scalar){ { x } };
}

static void minus(struct scalar *s)
{
	if (!limbs_is_zero(s->l, FR_LIMBS))
		limbs_sub(s->l, fr_r, s->l, FR_LIMBS);
}

/* Every kind of scalars, each on all points. */
enum scalars {
	SCALARS_RANDOM,
	SCALARS_ZERO,
	SCALARS_ONE,
	SCALARS_MINUS_ONE,
	SCALARS_EQUAL,
	SCALARS_HOT, /* one bucket of the lowest window takes all */
	SCALARS_U64,
	SCALARS_BITS, /* what a witness mostly is */
	SCALARS_POWERS,
	SCALARS_HALF, /* r / 2 and its neighbours, where the fold turns */
	SCALARS_END,
};

static const char *const scalars_names[SCALARS_END] = {
	"random", "zero", "one",  "minus one", "equal",
	"hot",	  "u64",  "bits", "powers",    "half",
};

static void pick_scalar(struct scalar *s, enum scalars kind, size_t i)
{
	random_scalar(s);
	if (kind == SCALARS_ZERO)
		small_scalar(s, 0);
	if (kind == SCALARS_ONE || kind == SCALARS_MINUS_ONE)
		small_scalar(s, 1);
	if (kind == SCALARS_MINUS_ONE)
		minus(s);
	if (kind == SCALARS_EQUAL && i)
		*s = input.scalars[0];
	if (kind == SCALARS_HOT)
		s->l[0] = 5 + (s->l[0] & ~0xffffull);
	if (kind == SCALARS_U64)
		small_scalar(s, s->l[0]);
	if (kind == SCALARS_BITS && i % 16)
		small_scalar(s, s->l[0] & 1);
	if (kind == SCALARS_POWERS) {
		memset(s->l, 0, sizeof(s->l));
		s->l[i % (FR_BITS - 1) / 64] = 1ull << i % (FR_BITS - 1) % 64;
		if (i & 1)
			minus(s);
	}
	if (kind == SCALARS_HALF) {
		unsigned int j;

		for (j = 0; j < FR_LIMBS; j++)
			s->l[j] = fr_r[j] >> 1 |
				  (j + 1 < FR_LIMBS ? fr_r[j + 1] << 63 : 0);
		s->l[0] += i % 3;
	}
}

static void fill_scalars(enum scalars kind)
{
	size_t i;

	for (i = 0; i < POOL; i++)
		pick_scalar(&input.scalars[i], kind, i);
}

/* Distinct points, all positive, none infinite. */
static void plain_points(void)
{
	size_t i;

	for (i = 0; i < POOL; i++)
		input.pick[i] = (uint32_t)i;
	memset(input.negative, 0, sizeof(input.negative));
	memset(input.is_inf, 0, sizeof(input.is_inf));
}

/* Each size on one of the pools, the next size on the next one. */
static void run_sizes(const size_t *nr, size_t nr_sizes, const char *what)
{
	static unsigned int pool;
	size_t i;

	for (i = 0; i < nr_sizes && !test_failed; i++) {
		g1_run_case(&input, nr[i], pool % NR_POOLS, what);
		g2_run_case(&input, nr[i], pool % NR_POOLS, what);
		pool++;
	}
}

static void run_all(const char *what)
{
	run_sizes(sizes, LULL_ARRAY_SIZE(sizes), what);
}

/* A few small sizes and a large one, all different from call to call. */
static void run_some(const char *what)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		run_sizes(sizes + test_random() % LULL_ARRAY_SIZE(sizes), 1,
			  what);
	run_sizes(large_sizes + test_random() % LULL_ARRAY_SIZE(large_sizes), 1,
		  what);
}

TEST(set_up)
{
	unsigned int i;

	for (i = 0; i < NR_POOLS; i++)
		ASSERT_EQ(0, lull_workers_create(pool_threads[i], &pools[i],
						 NULL));
	for (i = 0; i < POOL; i++)
		pool_factor[i] = 1 + i * POOL_STEP;
	g1_pool_fill();
	g2_pool_fill();
	ASSERT_TRUE(test_twin_is_right());
}

TEST(scalars_of_every_kind)
{
	unsigned int kind;

	plain_points();
	for (kind = 0; kind < SCALARS_END && !test_failed; kind++) {
		fill_scalars(kind);
		run_all(scalars_names[kind]);
	}
}

TEST(large_sizes)
{
	plain_points();
	fill_scalars(SCALARS_RANDOM);
	run_sizes(large_sizes, LULL_ARRAY_SIZE(large_sizes), "random");
	fill_scalars(SCALARS_HOT);
	run_sizes(large_sizes, LULL_ARRAY_SIZE(large_sizes), "hot");
}

TEST(all_points_equal)
{
	plain_points();
	memset(input.pick, 0, sizeof(input.pick));
	fill_scalars(SCALARS_RANDOM);
	run_some("equal points");
	fill_scalars(SCALARS_EQUAL);
	run_some("equal points and scalars");
	fill_scalars(SCALARS_ONE);
	run_some("equal points and ones");
}

/* P and -P in the same bucket, over and over. */
TEST(points_cancel)
{
	size_t i;

	plain_points();
	for (i = 0; i < POOL; i++) {
		input.pick[i] = (uint32_t)(i / 2);
		input.negative[i] = i & 1;
	}
	fill_scalars(SCALARS_RANDOM);
	for (i = 1; i < POOL; i += 2)
		input.scalars[i] = input.scalars[i - 1];
	run_some("pairs that cancel");
	fill_scalars(SCALARS_EQUAL);
	run_some("pairs that cancel, equal scalars");
	for (i = 1; i < POOL; i += 2) {
		input.negative[i] = false;
		minus(&input.scalars[i]);
	}
	run_some("scalars that cancel");
	fill_scalars(SCALARS_ONE);
	for (i = 1; i < POOL; i += 2)
		minus(&input.scalars[i]);
	run_some("ones that cancel");
}

TEST(points_at_infinity)
{
	size_t i;

	plain_points();
	for (i = 0; i < POOL; i++)
		input.is_inf[i] = test_random() % 3 == 0;
	fill_scalars(SCALARS_RANDOM);
	run_some("a third infinite");
	fill_scalars(SCALARS_BITS);
	run_some("a third infinite, bits");
	memset(input.is_inf, 1, sizeof(input.is_inf));
	run_some("all infinite");
}

/* Few different points and scalars, at random: every exception at any depth. */
TEST(few_points_and_scalars)
{
	unsigned int round;
	size_t i;

	for (round = 0; round < 8 && !test_failed; round++) {
		plain_points();
		fill_scalars(SCALARS_RANDOM);
		for (i = 0; i < POOL; i++) {
			input.pick[i] = test_random() % (1 + round);
			input.negative[i] = test_random() & 1;
			input.scalars[i] =
				input.scalars[test_random() % (1 + round / 2)];
		}
		run_some("few points and scalars");
	}
}

TEST(tear_down)
{
	unsigned int i;

	for (i = 0; i < NR_POOLS; i++)
		lull_workers_destroy(pools[i]);
}

TEST_MAIN
