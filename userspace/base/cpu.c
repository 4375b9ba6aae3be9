// SPDX-License-Identifier: Apache-2.0
/*
 * cpu.c - run-time detection behind cpu.h
 */
#include "base/cpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_ifma;

static void detect(void)
{
	const char *want = getenv("LULL_CPU");

	if (want && !strcmp(want, "portable"))
		return;
#if defined(__x86_64__)
	__builtin_cpu_init();
	has_ifma = __builtin_cpu_supports("avx512f") &&
		   __builtin_cpu_supports("avx512ifma") &&
		   __builtin_cpu_supports("avx512vl") &&
		   __builtin_cpu_supports("avx512bw") &&
		   __builtin_cpu_supports("avx512dq") &&
		   __builtin_cpu_supports("bmi2");
#endif
}

bool lull_cpu_has_ifma(void)
{
	pthread_once(&once, detect);
	return has_ifma;
}
