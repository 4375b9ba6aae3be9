// SPDX-License-Identifier: Apache-2.0
/*
 * launch.cu - a launch that fails names the place that asked for it
 *
 * No device takes blocks of so many threads, and where there is no device none
 * takes any: so this needs none.
 */
#include <string.h>

#include "harness.h"

#include "launch.cuh"

#define TOO_MANY_THREADS 65536

static __global__ void do_nothing(void)
{
}

TEST(the_place_is_the_callers)
{
	struct lull_error error = {};
	char want[64];

	snprintf(want, sizeof(want), "%s:%d: nothing: ", __FILE__,
		 __LINE__ + 1);
	EXPECT_EQ(LULL_DEVICE, LAUNCH("nothing", do_nothing, 1, TOO_MANY_THREADS, 0, &error));
	if (strncmp(want, error.msg, strlen(want)))
		TEST_FAIL_("no '%s' in '%s'", want, error.msg);
}

TEST_MAIN
