/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counted.h - what the whole machine did while a prover worked
 *
 * Three times over: by the module's counters, by /proc/interrupts and by
 * tlb:tlb_flush.  For programs linked with --wrap=munmap.
 */
#ifndef LULL_SELFTESTS_STORM_COUNTED_H
#define LULL_SELFTESTS_STORM_COUNTED_H

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/storm.h"
#include "harness.h"
#include "linux/lull_arena.h"

/* Calls that unmap, by the library itself: linked with --wrap=munmap. */
static atomic_uint nr_munmaps;
int __real_munmap(void *ptr, size_t bytes);
int __wrap_munmap(void *ptr, size_t bytes);

int __wrap_munmap(void *ptr, size_t bytes)
{
	nr_munmaps++;
	return __real_munmap(ptr, bytes);
}

/* What was counted so far, by everybody. */
struct counted {
	struct storm_counts host;
	struct lull_arena_query module;
	unsigned int nr_munmaps;
};

static struct storm_counters counters;

static inline bool count(struct counted *ret_counted)
{
	int fd = open("/dev/lull_arena", O_RDWR | O_CLOEXEC), failed;

	ret_counted->module = (struct lull_arena_query){
		.size = sizeof(ret_counted->module),
	};
	failed = fd < 0 || ioctl(fd, LULL_ARENA_QUERY, &ret_counted->module);
	if (fd >= 0)
		close(fd);
	lull_bench_storm_counters_read(&counters, &ret_counted->host);
	ret_counted->nr_munmaps = nr_munmaps;
	return !failed;
}

/* A thread that keeps another CPU on this process, so that a flush has
 * somebody to be sent to. */
static atomic_bool spinner_ends;

static inline void *spin(void *unused)
{
	(void)unused;
	while (!spinner_ends)
		continue;
	return NULL;
}

static pthread_t spinner;

/* Before a context is created: names this thread, and so those that a context
 * starts. */
static inline bool counting_begins(void)
{
	spinner_ends = false;
	lull_bench_storm_counters_open(&counters);
	return !pthread_create(&spinner, NULL, spin, NULL);
}

static inline void counting_ends(void)
{
	spinner_ends = true;
	pthread_join(spinner, NULL);
	lull_bench_storm_counters_close(&counters);
}

/* What came between two counts. */
static inline struct counted counted_between(const struct counted *before,
					     const struct counted *after)
{
	struct counted delta = *after;

	delta.host.flushes -= before->host.flushes;
	delta.host.flushes_own -= before->host.flushes_own;
	delta.host.ipis_tlb -= before->host.ipis_tlb;
	delta.host.faults -= before->host.faults;
	delta.module.faults -= before->module.faults;
	delta.module.zeroed_bytes -= before->module.zeroed_bytes;
	delta.module.acquired_bytes -= before->module.acquired_bytes;
	delta.module.flushes -= before->module.flushes;
	delta.module.batches -= before->module.batches;
	delta.nr_munmaps -= before->nr_munmaps;
	return delta;
}

static inline void say(const char *what, unsigned int nr_proofs,
		       const struct counted *delta)
{
	printf("# %s: %u proofs: %llu flushes (%llu ours), %llu IPIs, "
	       "%llu faults, %u munmaps; module: %llu faults, %llu bytes "
	       "zeroed, %llu flushes\n",
	       what, nr_proofs, (unsigned long long)delta->host.flushes,
	       (unsigned long long)delta->host.flushes_own,
	       (unsigned long long)delta->host.ipis_tlb,
	       (unsigned long long)delta->host.faults, delta->nr_munmaps,
	       (unsigned long long)delta->module.faults,
	       (unsigned long long)delta->module.zeroed_bytes,
	       (unsigned long long)delta->module.flushes);
}

#endif
