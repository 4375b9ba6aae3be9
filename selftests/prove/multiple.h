/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multiple.h - a point is that multiple of its generator, by double and add
 */
#ifndef LULL_SELFTESTS_PROVE_MULTIPLE_H
#define LULL_SELFTESTS_PROVE_MULTIPLE_H

#include "curve/group.h"
#include "harness.h"

static inline void expect_g1(const char *what, size_t i, const struct fr *k,
			     const uint8_t *found)
{
	struct g1_affine want, got;

	g1_generated_var(&want, k);
	memcpy(&got, found, sizeof(got));
	EXPECT_EQ(LULL_POINT_OK, g1_affine_check(&got));
	if (memcmp(&want, &got, sizeof(want)))
		TEST_FAIL_("%s %zu is not the multiple it should be", what, i);
}

static inline void expect_g2(const char *what, size_t i, const struct fr *k,
			     const uint8_t *found)
{
	struct g2_affine want, got;

	g2_generated_var(&want, k);
	memcpy(&got, found, sizeof(got));
	EXPECT_EQ(LULL_POINT_OK, g2_affine_check(&got));
	if (memcmp(&want, &got, sizeof(want)))
		TEST_FAIL_("%s %zu is not the multiple it should be", what, i);
}

#endif
