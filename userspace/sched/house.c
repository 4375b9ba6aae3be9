// SPDX-License-Identifier: Apache-2.0
/*
 * house.c - what runs beside a pipeline: samples for the trace, and idleness
 *
 * Memory that is retired stays ours until the kernel takes it, and where it is
 * no kernel module's it never does.  So an engine that has had nothing to do
 * for long enough gives back what no block lies in, and has it again, counted,
 * with the next job.  Registrations of devices and of the loader end with it, for
 * what is registered cannot be given back.
 *
 * Nothing to do is nothing under way in the whole context, for the arena is all
 * its pipelines' and callers': no job that has not ended, no proof, no key that is
 * read or converted; and nobody who takes memory of the arena or gives it back: a
 * key that is closed leaves free what it had, and the time begins anew.
 */
#include "backend/set.h"
#include "base/base.h"
#include "base/counters.h"
#include "base/deadline.h"
#include "load/loader.h"
#include "sched/pipeline.h"

/* Between two samples: a trace of a minute has 1,200 of each number. */
#define SAMPLE_MS 50
/* How often idleness is looked at without a trace. */
#define LOOK_MS 200
#define FLUSH_TIMEOUT_MS 10000

/* Counters as they were when the trace began. */
struct base {
	struct lull_counters host;
	struct lull_arena_stats arena;
};

bool lull_sched_wants_house(const struct lull_pipeline *pipeline)
{
	return pipeline->trace || pipeline->opts.idle_release_s;
}

static void sample(struct lull_pipeline *pipeline, const struct base *base,
		   unsigned int nr_flying)
{
	struct lull_trace_lane *lane = pipeline->counts_lane;
	struct lull_budget_stats budget;
	struct lull_arena_stats arena;
	struct lull_counters host;
	uint64_t now;

	lull_counters_read(&host);
	lull_arena_stats(pipeline->env.arena, &arena);
	lull_budget_stats(pipeline->budget, &budget);
	pthread_mutex_lock(&pipeline->sampling);
	now = lull_trace_now_ns();
	lull_trace_count(lane, LULL_TRACE_ARENA_HELD, now, arena.held_bytes);
	lull_trace_count(lane, LULL_TRACE_ARENA_USED, now, arena.used_bytes);
	lull_trace_count(lane, LULL_TRACE_BUDGET, now,
			 budget.held + budget.used);
	lull_trace_count(lane, LULL_TRACE_IN_FLIGHT, now, nr_flying);
	lull_trace_count(lane, LULL_TRACE_TLB, now,
			 host.ipis_tlb - base->host.ipis_tlb);
	lull_trace_count(lane, LULL_TRACE_FLUSHES, now,
			 arena.flushes - base->arena.flushes);
	lull_trace_count(lane, LULL_TRACE_FAULTS, now,
			 host.faults - base->host.faults);
	pthread_mutex_unlock(&pipeline->sampling);
}

static void wait_locked(struct lull_pipeline *pipeline, unsigned int ms)
{
	struct timespec at = lull_deadline(ms);

	pthread_cond_clockwait(&pipeline->tick, &pipeline->lock,
			       CLOCK_MONOTONIC, &at);
}

/* Whether anybody has had memory of the arena, or given it back, since, or is
 * about to. */
static bool has_moved(const struct lull_arena_stats *since,
		      const struct lull_arena_stats *now)
{
	return now->nr_at_work || since->nr_carves != now->nr_carves ||
	       since->used_bytes != now->used_bytes;
}

/* What is looked at for idleness; @seen is the arena as it was before. */
static void look_locked(struct lull_pipeline *pipeline,
			struct lull_arena_stats *seen)
{
	struct lull_arena_stats now;

	lull_arena_stats(pipeline->env.arena, &now);
	if (has_moved(seen, &now))
		pipeline->idle_since_ns = lull_trace_now_ns();
	*seen = now;
}

static bool is_idle_locked(const struct lull_pipeline *pipeline)
{
	uint64_t wanted =
		pipeline->opts.idle_release_s * (uint64_t)LULL_NS_PER_S;

	return wanted && !pipeline->nr_flying && pipeline->idle_since_ns &&
	       lull_trace_now_ns() - pipeline->idle_since_ns >= wanted;
}

/* Once for each time that it becomes idle. */
static void release_locked(struct lull_pipeline *pipeline,
			   struct lull_arena_stats *seen)
{
	struct lull_arena_stats before, after;

	pipeline->idle_since_ns = 0;
	pthread_mutex_unlock(&pipeline->lock);
	/* What reads go to directly is pinned. */
	lull_loader_unregister(pipeline->env.loader);
	lull_set_idle(pipeline->env.set);
	lull_arena_stats(pipeline->env.arena, &before);
	/* What is given back to the arena from here on may stay in it. */
	*seen = before;
	/* Before the flush: a job that comes during it has memory anew. */
	lull_sched_forget(pipeline);
	lull_arena_flush(pipeline->env.arena, FLUSH_TIMEOUT_MS, NULL);
	lull_arena_stats(pipeline->env.arena, &after);
	pthread_mutex_lock(&pipeline->lock);
	/* A job that has begun meanwhile may have had more again, and there may
	 * have been nothing: a key was opened, not closed. */
	if (after.held_bytes >= before.held_bytes)
		return;
	pipeline->idle_releases++;
	pipeline->idle_released_bytes += before.held_bytes - after.held_bytes;
}

void *lull_sched_house(void *arg)
{
	struct lull_pipeline *pipeline = arg;
	unsigned int ms = pipeline->trace ? SAMPLE_MS : LOOK_MS, nr_flying = 0;
	struct lull_arena_stats seen = { 0 };
	struct base base;
	bool stop;

	lull_counters_read(&base.host);
	lull_arena_stats(pipeline->env.arena, &base.arena);
	do {
		if (pipeline->trace)
			sample(pipeline, &base, nr_flying);
		pthread_mutex_lock(&pipeline->lock);
		if (!pipeline->stop)
			wait_locked(pipeline, ms);
		look_locked(pipeline, &seen);
		if (is_idle_locked(pipeline))
			release_locked(pipeline, &seen);
		nr_flying = pipeline->nr_flying;
		stop = pipeline->stop;
		pthread_mutex_unlock(&pipeline->lock);
	} while (!stop);
	return NULL;
}
