/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadline.h - a time to wait until
 */
#ifndef LULL_BASE_DEADLINE_H
#define LULL_BASE_DEADLINE_H

#include <time.h>

#include "base/base.h"

/* @ms from now, by CLOCK_MONOTONIC: for pthread_cond_clockwait(). */
static inline struct timespec lull_deadline(unsigned int ms)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += ms / LULL_MS_PER_S;
	at.tv_nsec += (long)(ms % LULL_MS_PER_S) * LULL_NS_PER_MS;
	if (at.tv_nsec >= LULL_NS_PER_S) {
		at.tv_nsec -= LULL_NS_PER_S;
		at.tv_sec++;
	}
	return at;
}

#endif
