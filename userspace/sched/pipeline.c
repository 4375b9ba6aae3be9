// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline.c - the threads of a pipeline: begun together, ended in order
 *
 * Teardown goes with the stream: no new partition begins, then each queue is
 * closed when those who fill it have ended, so that nothing is left in any.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"
#include "sched/pipeline.h"
#include "sched/trace_file.h"

/* More partitions at once than any host has memory for. */
#define IN_FLIGHT_MAX 1024
#define WORKERS_PER_DEVICE_MAX 64
/* Threads that read witnesses: one reads some 5 GB/s out of the page cache,
 * and two keep up with a GPU. */
#define NR_LOADING_MAX 8
/* Threads that free side by side. */
#define NR_FREEING 4
/* Events that a thread keeps, in 512 KiB: of a thread that computes those of
 * 1,600 partitions. */
#define TRACE_EVENTS ((size_t)1 << 14)
/* Two on a GPU: one loads while the other computes. */
#define WORKERS_PER_GPU 2

static const char *const dealloc_names[LULL_DEALLOC_NR_POLICIES] = {
	[LULL_DEALLOC_RETIRE] = "retire",
	[LULL_DEALLOC_INLINE] = "inline",
	[LULL_DEALLOC_ASYNC] = "async",
	[LULL_DEALLOC_SERIAL] = "serial",
};

static const char *const role_names[LULL_SCHED_NR_ROLES] = {
	[LULL_SCHED_LOAD] = "load",
	[LULL_SCHED_COMPUTE] = "compute",
	[LULL_SCHED_ASSEMBLE] = "assemble",
	[LULL_SCHED_FREE] = "free",
};

/* ---- options ----------------------------------------------------------- */

static int find_dealloc(const char *name, enum lull_dealloc *ret_dealloc,
			struct lull_error *reterr)
{
	size_t i;

	for (i = 0; i < LULL_DEALLOC_NR_POLICIES; i++) {
		if (name && strcmp(name, dealloc_names[i]))
			continue;
		*ret_dealloc = (enum lull_dealloc)i;
		return LULL_OK;
	}
	return lull_fail(reterr, LULL_USAGE,
			 "dealloc: expected inline, async, serial or retire, "
			 "found '%.40s'",
			 name);
}

static int find_gate(const char *name, enum lull_gate_policy *ret_policy,
		     struct lull_error *reterr)
{
	size_t i;

	for (i = 0; i < LULL_GATE_NR_POLICIES; i++) {
		if (name && strcmp(name, lull_gate_policy_name(
						 (enum lull_gate_policy)i)))
			continue;
		*ret_policy = (enum lull_gate_policy)i;
		return LULL_OK;
	}
	return lull_fail(reterr, LULL_USAGE,
			 "bandwidth gate: expected off, flag or tokens, found "
			 "'%.40s'",
			 name);
}

/* How many threads each stage has, and what 0 stands for. */
static int lay_out(struct lull_pipeline *pipeline, struct lull_error *reterr)
{
	const struct lull_set *set = pipeline->env.set;
	struct lull_pipeline_opts *opts = &pipeline->opts;
	bool gpu = set->devices[0].backend != &lull_backend_cpu &&
		   set->devices[0].backend != &lull_backend_null;
	unsigned int *nr = pipeline->nr_threads;

	if (opts->in_flight > IN_FLIGHT_MAX ||
	    opts->workers_per_device > WORKERS_PER_DEVICE_MAX)
		return lull_fail(reterr, LULL_USAGE,
				 "a pipeline: at most %d partitions in flight "
				 "and %d workers a device",
				 IN_FLIGHT_MAX, WORKERS_PER_DEVICE_MAX);
	if (!opts->workers_per_device)
		opts->workers_per_device = gpu ? WORKERS_PER_GPU : 1;
	nr[LULL_SCHED_COMPUTE] = opts->workers_per_device * set->nr_devices;
	/* One more is loaded, and one assembled. */
	if (!opts->in_flight)
		opts->in_flight = nr[LULL_SCHED_COMPUTE] + 2;
	nr[LULL_SCHED_COMPUTE] =
		(unsigned int)lull_min(nr[LULL_SCHED_COMPUTE], opts->in_flight);
	nr[LULL_SCHED_LOAD] =
		(unsigned int)lull_min(nr[LULL_SCHED_COMPUTE], NR_LOADING_MAX);
	nr[LULL_SCHED_ASSEMBLE] =
		(unsigned int)lull_min(set->nr_devices, opts->in_flight);
	if (pipeline->dealloc == LULL_DEALLOC_ASYNC)
		nr[LULL_SCHED_FREE] =
			(unsigned int)lull_min(NR_FREEING, opts->in_flight);
	if (pipeline->dealloc == LULL_DEALLOC_SERIAL)
		nr[LULL_SCHED_FREE] = 1;
	return LULL_OK;
}

static unsigned int nr_threads_all(const struct lull_pipeline *pipeline)
{
	unsigned int role, nr = 0;

	for (role = 0; role < LULL_SCHED_NR_ROLES; role++)
		nr += pipeline->nr_threads[role];
	return nr;
}

/* ---- threads ----------------------------------------------------------- */

static void *run_thread(void *arg)
{
	static void (*const stages[LULL_SCHED_NR_ROLES])(
		struct lull_sched_thread *) = {
		[LULL_SCHED_LOAD] = lull_sched_load,
		[LULL_SCHED_COMPUTE] = lull_sched_compute,
		[LULL_SCHED_ASSEMBLE] = lull_sched_assemble,
		[LULL_SCHED_FREE] = lull_sched_free,
	};
	struct lull_sched_thread *thread = arg;

	lull_topo_bind(thread->pipeline->topo, thread->place);
	stages[thread->role](thread);
	return NULL;
}

static int start_thread(struct lull_pipeline *pipeline,
			enum lull_sched_role role, unsigned int index,
			struct lull_error *reterr)
{
	struct lull_sched_thread *thread =
		&pipeline->threads[pipeline->nr_started];
	int err;

	thread->pipeline = pipeline;
	thread->role = role;
	thread->index = index;
	thread->place = pipeline->nr_started;
	thread->lane = lull_trace_lane(pipeline->trace, LULL_TRACE_THREAD,
				       "%s %u", role_names[role], index);
	err = pthread_create(&thread->id, NULL, run_thread, thread);
	if (err)
		return lull_fail_errno(reterr, LULL_IO, err,
				       "a pipeline: thread %s %u",
				       role_names[role], index);
	pipeline->nr_started++;
	return LULL_OK;
}

static int start_threads(struct lull_pipeline *pipeline,
			 struct lull_error *reterr)
{
	unsigned int role, i;
	int err = LULL_OK;

	for (role = 0; role < LULL_SCHED_NR_ROLES; role++)
		for (i = 0; i < pipeline->nr_threads[role] && !err; i++)
			err = start_thread(pipeline, (enum lull_sched_role)role,
					   i, reterr);
	if (err || !lull_sched_wants_house(pipeline))
		return err;
	err = pthread_create(&pipeline->house, NULL, lull_sched_house,
			     pipeline);
	if (err)
		return lull_fail_errno(reterr, LULL_IO, err,
				       "a pipeline: thread house");
	pipeline->has_house = true;
	return LULL_OK;
}

static void join_role(struct lull_pipeline *pipeline, enum lull_sched_role role)
{
	unsigned int i;

	for (i = 0; i < pipeline->nr_started; i++)
		if (pipeline->threads[i].role == role)
			pthread_join(pipeline->threads[i].id, NULL);
}

static void close_queue(struct lull_queue *queue)
{
	if (queue->items)
		lull_queue_close(queue);
}

static void stop_threads(struct lull_pipeline *pipeline)
{
	pthread_mutex_lock(&pipeline->lock);
	pipeline->stop = true;
	pthread_cond_broadcast(&pipeline->work);
	pthread_cond_broadcast(&pipeline->tick);
	pthread_mutex_unlock(&pipeline->lock);
	join_role(pipeline, LULL_SCHED_LOAD);
	close_queue(&pipeline->compute);
	join_role(pipeline, LULL_SCHED_COMPUTE);
	close_queue(&pipeline->assemble);
	join_role(pipeline, LULL_SCHED_ASSEMBLE);
	close_queue(&pipeline->garbage);
	join_role(pipeline, LULL_SCHED_FREE);
	if (pipeline->has_house)
		pthread_join(pipeline->house, NULL);
}

/* ---- making and ending ------------------------------------------------- */

static int make_flights(struct lull_pipeline *pipeline,
			struct lull_error *reterr)
{
	unsigned int nr = pipeline->opts.in_flight, i;

	pipeline->flights = calloc(nr, sizeof(*pipeline->flights));
	pipeline->threads =
		calloc(nr_threads_all(pipeline), sizeof(*pipeline->threads));
	if (!pipeline->flights || !pipeline->threads ||
	    !lull_queue_init(&pipeline->compute, nr) ||
	    !lull_queue_init(&pipeline->assemble, nr) ||
	    !lull_queue_init(&pipeline->garbage, nr))
		return lull_fail(reterr, LULL_NOMEM,
				 "no memory for %u partitions in flight", nr);
	for (i = 0; i < nr; i++) {
		pipeline->flights[i].pipeline = pipeline;
		pipeline->flights[i].next_idle = pipeline->idle;
		pipeline->idle = &pipeline->flights[i];
	}
	return LULL_OK;
}

static void note_everything(struct lull_pipeline *pipeline)
{
	char text[LULL_TRACE_NOTE_BYTES];

	lull_trace_note(pipeline->trace, "version", "%s", LULL_VERSION);
	lull_trace_note(pipeline->trace, "backend", "%s",
			pipeline->env.set->text);
	lull_arena_describe(pipeline->env.arena, text, sizeof(text));
	lull_trace_note(pipeline->trace, "arena", "%s", text);
	lull_trace_note(pipeline->trace, "dealloc", "%s",
			dealloc_names[pipeline->dealloc]);
	lull_trace_note(pipeline->trace, "bandwidth gate", "%s",
			lull_gate_policy_name(pipeline->gate.policy));
	lull_trace_note(pipeline->trace, "in flight", "%u",
			pipeline->opts.in_flight);
}

/* Lines for all threads, for each device of those that compute, and one for
 * numbers. */
static int make_trace(struct lull_pipeline *pipeline, struct lull_error *reterr)
{
	unsigned int nr = nr_threads_all(pipeline) + 1 +
			  pipeline->nr_threads[LULL_SCHED_COMPUTE] *
				  pipeline->env.set->nr_all;
	int err;

	if (!pipeline->opts.trace)
		return LULL_OK;
	err = lull_trace_create(nr, TRACE_EVENTS, &pipeline->trace, reterr);
	if (err)
		return err;
	pipeline->counts_lane =
		lull_trace_lane(pipeline->trace, LULL_TRACE_THREAD, "numbers");
	note_everything(pipeline);
	return LULL_OK;
}

static int fill(struct lull_pipeline *pipeline, struct lull_error *reterr)
{
	int err = LULL_OK;

	if (pipeline->opts.cpu_threads)
		err = lull_workers_create(pipeline->opts.cpu_threads,
					  &pipeline->own_workers, reterr);
	pipeline->workers = pipeline->own_workers ? pipeline->own_workers
						  : pipeline->env.workers;
	if (!err)
		err = lull_workers_create(1, &pipeline->alone, reterr);
	if (!err)
		err = lull_budget_create(pipeline->opts.host_bytes,
					 &pipeline->budget, reterr);
	if (!err)
		err = lull_topo_open(nr_threads_all(pipeline), &pipeline->topo,
				     reterr);
	if (!err)
		err = make_flights(pipeline, reterr);
	if (!err)
		err = make_trace(pipeline, reterr);
	return err ? err : start_threads(pipeline, reterr);
}

static int take_opts(struct lull_pipeline *pipeline,
		     const struct lull_pipeline_opts *opts,
		     enum lull_gate_policy *ret_gate, struct lull_error *reterr)
{
	int err = LULL_OK;

	if (opts && lull_check_size(reterr, "lull_pipeline_opts", sizeof(*opts),
				    opts->size))
		return LULL_USAGE;
	if (opts)
		pipeline->opts = *opts;
	err = find_dealloc(pipeline->opts.dealloc, &pipeline->dealloc, reterr);
	if (!err)
		err = find_gate(pipeline->opts.bandwidth_gate, ret_gate,
				reterr);
	/* They were the caller's to keep only until now. */
	pipeline->opts.dealloc = pipeline->opts.bandwidth_gate = NULL;
	return err ? err : lay_out(pipeline, reterr);
}

int lull_sched_create(const struct lull_sched_env *env,
		      const struct lull_pipeline_opts *opts,
		      struct lull_pipeline **ret_pipeline,
		      struct lull_error *reterr)
{
	struct lull_pipeline *pipeline = calloc(1, sizeof(*pipeline));
	enum lull_gate_policy gate = LULL_GATE_OFF;
	int err;

	if (!pipeline)
		return lull_fail(reterr, LULL_NOMEM,
				 "no memory for a pipeline");
	pipeline->env = *env;
	err = take_opts(pipeline, opts, &gate, reterr);
	if (err) {
		free(pipeline);
		return err;
	}
	pthread_mutex_init(&pipeline->lock, NULL);
	pthread_mutex_init(&pipeline->submitting, NULL);
	pthread_mutex_init(&pipeline->sampling, NULL);
	pthread_cond_init(&pipeline->work, NULL);
	pthread_cond_init(&pipeline->ended, NULL);
	pthread_cond_init(&pipeline->tick, NULL);
	lull_gate_init(&pipeline->gate, gate);
	err = fill(pipeline, reterr);
	if (err) {
		lull_pipeline_destroy(pipeline);
		return err;
	}
	*ret_pipeline = pipeline;
	return LULL_OK;
}

void lull_pipeline_destroy(struct lull_pipeline *pipeline)
{
	if (!pipeline)
		return;
	assert(!pipeline->jobs);
	stop_threads(pipeline);
	lull_queue_done(&pipeline->compute);
	lull_queue_done(&pipeline->assemble);
	lull_queue_done(&pipeline->garbage);
	lull_trace_destroy(pipeline->trace);
	lull_topo_close(pipeline->topo);
	lull_budget_destroy(pipeline->budget);
	lull_workers_destroy(pipeline->alone);
	lull_workers_destroy(pipeline->own_workers);
	lull_gate_done(&pipeline->gate);
	pthread_cond_destroy(&pipeline->tick);
	pthread_cond_destroy(&pipeline->ended);
	pthread_cond_destroy(&pipeline->work);
	pthread_mutex_destroy(&pipeline->sampling);
	pthread_mutex_destroy(&pipeline->submitting);
	pthread_mutex_destroy(&pipeline->lock);
	free(pipeline->threads);
	free(pipeline->flights);
	free(pipeline);
}

/* ---- telling ----------------------------------------------------------- */

int lull_pipeline_stats(struct lull_pipeline *pipeline,
			struct lull_pipeline_stats *stats,
			struct lull_error *reterr)
{
	struct lull_pipeline_stats all = { .size = stats->size };
	struct lull_budget_stats budget;

	if (lull_check_size(reterr, "lull_pipeline_stats", sizeof(*stats),
			    stats->size))
		return LULL_USAGE;
	lull_budget_stats(pipeline->budget, &budget);
	all.in_flight = pipeline->opts.in_flight;
	all.cpu_threads = lull_workers_nr(pipeline->workers);
	all.nr_loading = pipeline->nr_threads[LULL_SCHED_LOAD];
	all.nr_computing = pipeline->nr_threads[LULL_SCHED_COMPUTE];
	all.nr_assembling = pipeline->nr_threads[LULL_SCHED_ASSEMBLE];
	all.nr_freeing = pipeline->nr_threads[LULL_SCHED_FREE];
	lull_topo_describe(pipeline->topo, all.binding, sizeof(all.binding));
	all.host_bytes = budget.limit;
	all.host_bytes_held = budget.held;
	all.host_bytes_promised = budget.promised;
	all.host_bytes_used = budget.used;
	all.host_bytes_max = budget.peak;
	all.memory_waits = budget.nr_waits;
	pthread_mutex_lock(&pipeline->gate.lock);
	all.bandwidth_waits = pipeline->gate.nr_pauses;
	pthread_mutex_unlock(&pipeline->gate.lock);
	pthread_mutex_lock(&pipeline->lock);
	all.idle_releases = pipeline->idle_releases;
	all.idle_released_bytes = pipeline->idle_released_bytes;
	/* Lanes are written to while anything flies. */
	pthread_mutex_lock(&pipeline->sampling);
	if (!pipeline->nr_flying)
		all.trace_lost = lull_trace_lost(pipeline->trace);
	pthread_mutex_unlock(&pipeline->sampling);
	pthread_mutex_unlock(&pipeline->lock);
	*stats = all;
	return LULL_OK;
}

static bool is_flying(struct lull_pipeline *pipeline)
{
	bool flying;

	pthread_mutex_lock(&pipeline->lock);
	flying = pipeline->nr_flying > 0;
	pthread_mutex_unlock(&pipeline->lock);
	return flying;
}

int lull_pipeline_trace_write(struct lull_pipeline *pipeline, const char *path,
			      struct lull_error *reterr)
{
	int err;

	if (!pipeline->trace)
		return lull_fail(reterr, LULL_USAGE,
				 "a trace: the pipeline was made without one");
	if (is_flying(pipeline))
		return lull_fail(reterr, LULL_USAGE,
				 "a trace: a job is under way");
	pthread_mutex_lock(&pipeline->sampling);
	err = lull_trace_save(pipeline->trace, path, reterr);
	pthread_mutex_unlock(&pipeline->sampling);
	return err;
}
