// SPDX-License-Identifier: Apache-2.0
/*
 * plan.c - no plan exceeds the limits that scratch was asked for
 */
#include "base/base.h"
#include "harness.h"
#include "msm/plan.h"

static void check_plan(const struct lull_msm_shape *shape,
		       const struct lull_msm_limits *limits)
{
	struct lull_msm_plan plan;
	size_t chunk, buckets, sums;

	memset(&plan, 0xa5, sizeof(plan));
	lull_msm_plan(shape, limits, &plan);
	chunk = lull_div_up(shape->nr, plan.nr_chunks);
	buckets = lull_msm_buckets(&plan);
	sums = (size_t)plan.nr_windows * plan.nr_chunks * lull_msm_sums(&plan) +
	       plan.nr_unit_tasks;
	EXPECT_TRUE(plan.window_bits >= 2);
	EXPECT_TRUE(plan.window_bits <= LULL_MSM_WINDOW_BITS_MAX);
	EXPECT_TRUE(plan.window_bits * plan.nr_windows > shape->bits);
	EXPECT_TRUE(plan.group >= 1);
	EXPECT_EQ(lull_div_up(plan.nr_windows, plan.group), plan.nr_groups);
	EXPECT_TRUE(chunk * plan.group <= limits->refs);
	EXPECT_TRUE(buckets * plan.group <= limits->buckets);
	EXPECT_TRUE(sums <= limits->sums);
	EXPECT_EQ(shape->nr_units != 0, plan.nr_unit_tasks != 0);
	if (test_failed)
		printf("# nr %zu units %zu bits %u threads %u: c %u W %u "
		       "group %u chunks %u\n",
		       shape->nr, shape->nr_units, shape->bits,
		       shape->nr_threads, plan.window_bits, plan.nr_windows,
		       plan.group, plan.nr_chunks);
}

TEST(plans_keep_to_the_limits)
{
	static const unsigned int threads[] = { 1, 2, 3, 5, 8, 16, 64, 255 };
	struct lull_msm_limits limits;
	struct lull_msm_shape s;
	unsigned int t, i, log2;
	size_t nr;

	for (log2 = 0; log2 <= 27; log2++)
		for (t = 0; t < LULL_ARRAY_SIZE(threads); t++) {
			nr = ((size_t)1 << log2) + test_random() % 3;
			lull_msm_limits(nr, threads[t], &limits);
			for (i = 0; i < 64 && !test_failed; i++) {
				s.nr_threads = threads[t];
				s.nr = i ? test_random() % (nr + 1) >>
						       test_random() %
							       (log2 + 1)
					 : nr;
				s.nr_units = test_random() % (nr - s.nr + 1);
				s.bits = i ? (unsigned int)(test_random() % 255)
					   : LULL_MSM_BITS_MAX;
				check_plan(&s, &limits);
			}
		}
}

/* Scratch for a key's points: a few megabytes a thread and 14 bytes a point
 * and thread at most. */
TEST(limits_are_modest)
{
	struct lull_msm_limits limits;

	lull_msm_limits((size_t)1 << 17, 2, &limits);
	EXPECT_TRUE(limits.refs <= (size_t)1 << 17);
	EXPECT_TRUE(limits.buckets <= 8192);
	EXPECT_TRUE(limits.sums <= 2048);
	lull_msm_limits((size_t)1 << 20, 64, &limits);
	EXPECT_TRUE(limits.refs <= (size_t)1 << 17);
	lull_msm_limits(1, 1, &limits);
	EXPECT_TRUE(limits.refs <= LULL_MSM_SEGMENT);
}

/* Longer windows for more points. */
TEST(windows_grow)
{
	struct lull_msm_limits limits;
	unsigned int log2, before = 2;
	struct lull_msm_plan plan;

	for (log2 = 0; log2 <= 24; log2++) {
		struct lull_msm_shape s = { (size_t)1 << log2, 0,
					    LULL_MSM_BITS_MAX, 1 };

		lull_msm_limits(s.nr, 1, &limits);
		lull_msm_plan(&s, &limits, &plan);
		EXPECT_TRUE(plan.window_bits >= before);
		EXPECT_TRUE(plan.window_bits <= before + 2);
		before = plan.window_bits;
		EXPECT_EQ(1, plan.nr_chunks);
	}
	EXPECT_TRUE(before >= 14);
}

TEST_MAIN
