// SPDX-License-Identifier: Apache-2.0
/*
 * storm_malloc.c - arms that call malloc() and free(), one vector at a time
 *
 * For `lull bench storm`.  Whose malloc() that is, and with what settings, is
 * decided before the process starts: by its environment and by a preloaded
 * library.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "bench/storm.h"

#define GLIBC_MMAP_THRESHOLD (128 << 10)

enum how {
	HOW_INLINE, /* by the thread that has the vectors */
	HOW_HELPER, /* by another thread */
	HOW_SERIAL, /* by one thread at a time */
};

/**
 * struct malloc_state - of one run
 * @serial: held around each free of HOW_SERIAL
 * @helper: thread of HOW_HELPER
 * @lock: guards what follows
 * @changed: the queue is no longer empty, or the helper is done with it
 * @queue: vectors for the helper; room for all
 * @nr_queued: so far in this round
 * @nr_done: of them freed
 * @ends: no more will come
 * @runs: the helper has been started
 */
struct malloc_state {
	pthread_mutex_t serial;
	pthread_t helper;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void **queue;
	size_t nr_queued;
	size_t nr_done;
	bool ends;
	bool runs;
};

void lull_bench_storm_map_each(void)
{
	mallopt(M_MMAP_THRESHOLD, GLIBC_MMAP_THRESHOLD);
}

static void *help(void *arg)
{
	struct malloc_state *state = arg;
	void *vec;

	pthread_mutex_lock(&state->lock);
	for (;;) {
		while (state->nr_done == state->nr_queued && !state->ends)
			pthread_cond_wait(&state->changed, &state->lock);
		if (state->nr_done == state->nr_queued)
			break;
		vec = state->queue[state->nr_done];
		pthread_mutex_unlock(&state->lock);
		free(vec);
		pthread_mutex_lock(&state->lock);
		state->nr_done++;
		pthread_cond_broadcast(&state->changed);
	}
	pthread_mutex_unlock(&state->lock);
	return NULL;
}

static void close_malloc(struct storm_run *run)
{
	struct malloc_state *state = run->state;
	size_t i;

	for (i = 0; i < run->plan.nr; i++) {
		free(run->vec[i]);
		run->vec[i] = NULL;
	}
	if (!state)
		return;
	if (state->runs) {
		pthread_mutex_lock(&state->lock);
		state->ends = true;
		pthread_cond_broadcast(&state->changed);
		pthread_mutex_unlock(&state->lock);
		pthread_join(state->helper, NULL);
	}
	pthread_mutex_destroy(&state->serial);
	pthread_mutex_destroy(&state->lock);
	pthread_cond_destroy(&state->changed);
	free(state->queue);
	free(state);
	run->state = NULL;
}

static int open_malloc(struct storm_run *run, struct lull_error *reterr)
{
	struct malloc_state *state = calloc(1, sizeof(*state));
	int err;

	if (!run->arm->preload)
		lull_bench_storm_map_each();
	if (state)
		state->queue = calloc(run->plan.nr, sizeof(*state->queue));
	if (!state || !state->queue) {
		free(state);
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	}
	pthread_mutex_init(&state->serial, NULL);
	pthread_mutex_init(&state->lock, NULL);
	pthread_cond_init(&state->changed, NULL);
	run->state = state;
	if (run->arm->how != HOW_HELPER)
		return LULL_OK;
	err = pthread_create(&state->helper, NULL, help, state);
	if (err)
		return lull_fail_errno(reterr, LULL_IO, err,
				       "starting the thread that frees");
	state->runs = true;
	return LULL_OK;
}

static void alloc_malloc(struct storm_share *share)
{
	struct storm_run *run = share->run;
	size_t i;

	for (i = run->plan.first[share->index];
	     i < run->plan.first[share->index + 1]; i++) {
		if (run->vec[i])
			continue;
		run->vec[i] = malloc(run->plan.bytes[i]);
		if (!run->vec[i]) {
			lull_bench_storm_fail(run, LULL_NOMEM, ENOMEM,
					      "malloc");
			return;
		}
	}
}

static void free_one(struct storm_run *run, void *vec)
{
	struct malloc_state *state = run->state;

	switch (run->arm->how) {
	case HOW_HELPER:
		pthread_mutex_lock(&state->lock);
		state->queue[state->nr_queued++] = vec;
		pthread_cond_broadcast(&state->changed);
		pthread_mutex_unlock(&state->lock);
		break;
	case HOW_SERIAL:
		pthread_mutex_lock(&state->serial);
		free(vec);
		pthread_mutex_unlock(&state->serial);
		break;
	default:
		free(vec);
		break;
	}
}

static void free_malloc(struct storm_share *share)
{
	struct storm_run *run = share->run;
	uint64_t start;
	size_t i;

	for (i = run->plan.first[share->index];
	     i < run->plan.first[share->index + 1]; i++) {
		if (run->plan.kept[i] || !run->vec[i])
			continue;
		start = lull_bench_now_ns();
		free_one(run, run->vec[i]);
		lull_bench_storm_note(share, lull_bench_now_ns() - start);
		run->vec[i] = NULL;
	}
}

static void settle_helper(struct storm_run *run)
{
	struct malloc_state *state = run->state;

	pthread_mutex_lock(&state->lock);
	while (state->nr_done < state->nr_queued)
		pthread_cond_wait(&state->changed, &state->lock);
	state->nr_done = state->nr_queued = 0;
	pthread_mutex_unlock(&state->lock);
}

/* The library that the process was to be started with is in it. */
static bool probe_preload(const struct storm_arm *arm,
			  const struct lull_bench_storm_opts *opts,
			  char why[STORM_TEXT_BYTES])
{
	(void)opts;
	if (!access(arm->preload, R_OK))
		return true;
	snprintf(why, STORM_TEXT_BYTES,
		 "%s is not installed (Debian's package is %s)", arm->preload,
		 arm->package);
	return false;
}

static const struct storm_ops malloc_ops = {
	.open = open_malloc,
	.close = close_malloc,
	.alloc = alloc_malloc,
	.free = free_malloc,
};

static const struct storm_ops helper_ops = {
	.open = open_malloc,
	.close = close_malloc,
	.alloc = alloc_malloc,
	.free = free_malloc,
	.settle = settle_helper,
};

#define LIBRARY_FOLDER "/usr/lib/x86_64-linux-gnu/"

/* mimalloc of Debian 12 calls it decommit, later ones purge. */
const struct storm_arm lull_bench_storm_malloc_arms[] = {
	{
		.name = "glibc-4k",
		.about = "glibc, 4 KiB pages",
		.no_thp = true,
		.law = STORM_LAW_CALLS,
		.ops = &malloc_ops,
	},
	{
		.name = "glibc-thp",
		.about = "glibc, huge pages where they fit",
		.env = { "GLIBC_TUNABLES=glibc.malloc.hugetlb=1" },
		.probe = lull_bench_storm_probe_thp,
		.law = STORM_LAW_CALLS,
		.ops = &malloc_ops,
	},
	{
		.name = "glibc-helper",
		.about = "glibc, 4 KiB pages, freed by a helper thread",
		.how = HOW_HELPER,
		.no_thp = true,
		.law = STORM_LAW_CALLS,
		.ops = &helper_ops,
	},
	{
		.name = "glibc-serial",
		.about = "glibc, 4 KiB pages, one free at a time",
		.how = HOW_SERIAL,
		.no_thp = true,
		.law = STORM_LAW_CALLS,
		.ops = &malloc_ops,
	},
	{
		.name = "mimalloc",
		.about = "mimalloc that never decommits",
		.preload = LIBRARY_FOLDER "libmimalloc.so.2.0",
		.package = "libmimalloc2.0",
		.env = { "MIMALLOC_ALLOW_DECOMMIT=0", "MIMALLOC_PAGE_RESET=0",
			 "MIMALLOC_ABANDONED_PAGE_RESET=0",
			 "MIMALLOC_PURGE_DELAY=-1" },
		.probe = probe_preload,
		.ops = &malloc_ops,
	},
	{
		.name = "jemalloc",
		.about = "jemalloc without decay or an oversize arena",
		.preload = LIBRARY_FOLDER "libjemalloc.so.2",
		.package = "libjemalloc2",
		.env = { "MALLOC_CONF=dirty_decay_ms:-1,muzzy_decay_ms:-1,"
			 "oversize_threshold:0,thp:always" },
		.probe = probe_preload,
		.ops = &malloc_ops,
	},
};

const size_t lull_bench_storm_nr_malloc_arms =
	LULL_ARRAY_SIZE(lull_bench_storm_malloc_arms);
