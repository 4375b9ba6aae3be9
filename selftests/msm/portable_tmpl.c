// SPDX-License-Identifier: Apache-2.0
/*
 * portable_tmpl.c - multi-scalar multiplication with the portable twin
 */
#include <stdbool.h>
#include <stdlib.h>

#include "base/cpu.h"

__attribute__((constructor)) static void choose_portable(void)
{
	setenv("LULL_CPU", "portable", 1);
}

static bool test_twin_is_right(void)
{
	return !lull_cpu_has_ifma();
}

#include "msm_tests.h"
