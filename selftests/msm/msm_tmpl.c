// SPDX-License-Identifier: Apache-2.0
/*
 * msm_tmpl.c - multi-scalar multiplication with the twin of this processor
 */
#include <stdbool.h>

static bool test_twin_is_right(void)
{
	return true;
}

#include "msm_tests.h"
