// SPDX-License-Identifier: Apache-2.0
/*
 * storm_bystanders.c - threads that compute while others free
 *
 * For `lull bench storm`.  Each follows a chain of dependent reads at random
 * places of memory of its own, and counts them.  Two kinds, by turns: one
 * reads as much as a second-level TLB reaches, so that each flush costs it
 * most; the other far more than any cache holds, so that it feels the memory
 * traffic of faults and zeroing.  All of it is 4 KiB pages of a memfd,
 * whatever the arm does about huge pages.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "bench/storm.h"

/* 1,024 pages: second-level TLBs have 1,024 to 3,072 entries. */
#define TLB_BYTES ((size_t)4 << 20)
#define MEMORY_BYTES ((size_t)64 << 20)
/* Reads between two looks at the flag that ends it: some microseconds. */
#define READS_PER_LOOK 64
#define CACHE_LINE_BYTES 64

/**
 * struct bystander - one thread
 * @work: reads so far; alone on its cache line
 * @stop: it is to end
 * @thread: it
 * @mem: what it reads
 * @bytes: of @mem
 * @cpu: as for lull_bench_storm_pin()
 */
struct bystander {
	_Alignas(CACHE_LINE_BYTES) _Atomic uint64_t work;
	_Alignas(CACHE_LINE_BYTES) atomic_bool stop;
	pthread_t thread;
	uint64_t *mem;
	size_t bytes;
	unsigned int cpu;
};

struct storm_bystanders {
	unsigned int nr;
	struct bystander *each;
};

void lull_bench_storm_pin(unsigned int nth)
{
	unsigned int nr, cpu;
	cpu_set_t may, one;

	CPU_ZERO(&may);
	if (sched_getaffinity(0, sizeof(may), &may))
		return;
	nr = (unsigned int)CPU_COUNT(&may);
	nth %= lull_max(nr, 1);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &may) && nth-- == 0)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	/* Best effort: without it the figures have more spread. */
	sched_setaffinity(0, sizeof(one), &one);
}

static void *read_at_random(void *arg)
{
	struct bystander *b = arg;
	size_t mask = b->bytes / sizeof(*b->mem) - 1;
	uint64_t at = b->cpu;
	unsigned int i;

	lull_bench_storm_pin(b->cpu);
	while (!atomic_load_explicit(&b->stop, memory_order_relaxed)) {
		/* Knuth's MMIX generator; the read makes each step wait. */
		for (i = 0; i < READS_PER_LOOK; i++)
			at = (at + b->mem[(at >> 32) & mask]) *
				     6364136223846793005u +
			     1442695040888963407u;
		atomic_fetch_add_explicit(&b->work, READS_PER_LOOK,
					  memory_order_relaxed);
	}
	return NULL;
}

/* Touched here, so that no bystander faults later. */
static uint64_t *map_memory(size_t bytes)
{
	int fd = memfd_create("lull-bystander", MFD_CLOEXEC);
	void *mem = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, (off_t)bytes))
		mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_POPULATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (mem == MAP_FAILED)
		return NULL;
	memset(mem, 1, bytes);
	return mem;
}

static int start_one(struct storm_bystanders *all, unsigned int cpu,
		     struct lull_error *reterr)
{
	struct bystander *b = &all->each[all->nr];
	int err;

	b->bytes = all->nr % STORM_NR_BYSTANDER_KINDS == STORM_BYSTANDER_TLB
			   ? TLB_BYTES
			   : MEMORY_BYTES;
	b->cpu = cpu;
	b->mem = map_memory(b->bytes);
	if (!b->mem)
		return lull_fail(reterr, LULL_NOMEM,
				 "out of memory for a bystander");
	err = pthread_create(&b->thread, NULL, read_at_random, b);
	if (err) {
		munmap(b->mem, b->bytes);
		return lull_fail_errno(reterr, LULL_IO, err,
				       "starting a bystander");
	}
	all->nr++;
	return LULL_OK;
}

int lull_bench_storm_bystanders_start(unsigned int nr, unsigned int nr_workers,
				      struct storm_bystanders **ret_bystanders,
				      struct lull_error *reterr)
{
	struct storm_bystanders *all;
	int err = LULL_OK;

	*ret_bystanders = NULL;
	if (!nr)
		return LULL_OK;
	all = calloc(1, sizeof(*all));
	if (all)
		all->each = aligned_alloc(CACHE_LINE_BYTES,
					  nr * sizeof(*all->each));
	if (!all || !all->each) {
		free(all);
		return lull_fail(reterr, LULL_NOMEM,
				 "out of memory for %u bystanders", nr);
	}
	memset(all->each, 0, nr * sizeof(*all->each));
	while (all->nr < nr && !err)
		err = start_one(all, nr_workers + all->nr, reterr);
	if (err) {
		lull_bench_storm_bystanders_stop(all);
		return err;
	}
	*ret_bystanders = all;
	return LULL_OK;
}

void lull_bench_storm_bystanders_stop(struct storm_bystanders *all)
{
	unsigned int i;

	if (!all)
		return;
	for (i = 0; i < all->nr; i++)
		atomic_store(&all->each[i].stop, true);
	for (i = 0; i < all->nr; i++) {
		pthread_join(all->each[i].thread, NULL);
		munmap(all->each[i].mem, all->each[i].bytes);
	}
	free(all->each);
	free(all);
}

void lull_bench_storm_bystanders_read(
	const struct storm_bystanders *all,
	uint64_t ret_work[STORM_NR_BYSTANDER_KINDS])
{
	unsigned int i;

	memset(ret_work, 0, STORM_NR_BYSTANDER_KINDS * sizeof(*ret_work));
	for (i = 0; all && i < all->nr; i++)
		ret_work[i % STORM_NR_BYSTANDER_KINDS] += atomic_load_explicit(
			&all->each[i].work, memory_order_relaxed);
}
