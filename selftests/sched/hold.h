/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold.h - work that lasts as long as a test wants
 *
 * This program's getrandom(2), which every proof ends with in a pipeline, waits
 * while it is told to.
 */
#ifndef LULL_SELFTESTS_SCHED_HOLD_H
#define LULL_SELFTESTS_SCHED_HOLD_H

#include <stdatomic.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HOLD_LOOK_MS 10

static atomic_bool held, has_come;

static inline void wait_ms(long ms)
{
	const struct timespec some = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&some, NULL);
}

ssize_t getrandom(void *buf, size_t bytes, unsigned int flags)
{
	while (atomic_load(&held)) {
		atomic_store(&has_come, true);
		wait_ms(HOLD_LOOK_MS);
	}
	return syscall(SYS_getrandom, buf, bytes, flags);
}

/* From here on no proof of a pipeline gets done. */
static inline void hold_proofs(void)
{
	atomic_store(&has_come, false);
	atomic_store(&held, true);
}

/* Until one is held. */
static inline void await_proof(void)
{
	while (!atomic_load(&has_come))
		wait_ms(HOLD_LOOK_MS);
}

static inline void let_proofs_go(void)
{
	atomic_store(&held, false);
}

#endif
