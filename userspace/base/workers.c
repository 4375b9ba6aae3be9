// SPDX-License-Identifier: Apache-2.0
/*
 * workers.c - the pool behind workers.h
 *
 * One mutex guards the list of runs and every run's counters; tasks are
 * coarse (tens of microseconds and more), so claiming one under the mutex
 * costs nothing that shows.
 */
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"

/* One lull_workers_run() under way; lives on its caller's stack. */
struct run {
	struct run *next; /* lock */
	void (*fn)(void *arg, size_t task, unsigned int slot);
	void *arg;
	size_t nr_tasks;
	const atomic_bool *canceled; /* or NULL */
	size_t claimed;		     /* lock */
	unsigned int slots;  /* lock: slots handed out, the caller's is 0 */
	unsigned int active; /* lock: helpers inside this run */
	pthread_cond_t idle; /* lock: active became 0 */
};

struct lull_workers {
	struct lull_workers *pool;   /* whose threads it shares, or NULL */
	const atomic_bool *canceled; /* of one that shares */
	pthread_mutex_t lock;
	pthread_cond_t wake; /* lock: a run was added, or stop was set */
	struct run *runs;    /* lock: runs that may have unclaimed tasks */
	bool stop;	     /* lock */
	unsigned int nr_threads;
	unsigned int nr_started;
	pthread_t threads[];
};

static bool is_set(const atomic_bool *flag)
{
	return flag && atomic_load_explicit(flag, memory_order_relaxed);
}

static size_t claim_locked(struct run *run)
{
	if (is_set(run->canceled))
		run->claimed = run->nr_tasks;
	return run->claimed < run->nr_tasks ? run->claimed++ : SIZE_MAX;
}

/* Runs tasks until none is unclaimed.  Enters and leaves with the lock. */
static void work_locked(struct lull_workers *w, struct run *run,
			unsigned int slot)
{
	size_t task;

	while ((task = claim_locked(run)) != SIZE_MAX) {
		pthread_mutex_unlock(&w->lock);
		run->fn(run->arg, task, slot);
		pthread_mutex_lock(&w->lock);
	}
}

static struct run *pick_locked(struct lull_workers *w)
{
	struct run *run;

	for (run = w->runs; run; run = run->next)
		if (run->claimed < run->nr_tasks && run->slots < w->nr_threads)
			return run;
	return NULL;
}

static void *helper(void *arg)
{
	struct lull_workers *w = arg;
	struct run *run;

	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		run = pick_locked(w);
		if (!run) {
			pthread_cond_wait(&w->wake, &w->lock);
			continue;
		}
		run->active++;
		work_locked(w, run, run->slots++);
		if (!--run->active)
			pthread_cond_signal(&run->idle);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static unsigned int nr_usable_cpus(void)
{
	cpu_set_t set;

	/* Fails on hosts with more than 1024 CPUs, where one is too few but
	 * never wrong; --threads then says how many. */
	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned int)lull_max(1, (size_t)CPU_COUNT(&set));
}

int lull_workers_create(unsigned int nr_threads,
			struct lull_workers **ret_workers,
			struct lull_error *reterr)
{
	struct lull_workers *w;
	unsigned int i;
	int err;

	if (!nr_threads)
		nr_threads = nr_usable_cpus();
	w = calloc(1, sizeof(*w) + nr_threads * sizeof(w->threads[0]));
	if (!w)
		return lull_fail(reterr, LULL_NOMEM,
				 "workers: no memory for %u threads",
				 nr_threads);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	w->nr_threads = nr_threads;
	for (i = 0; i + 1 < nr_threads; i++) {
		err = pthread_create(&w->threads[i], NULL, helper, w);
		if (err) {
			lull_workers_destroy(w);
			return lull_fail_errno(reterr, LULL_IO, err,
					       "workers: thread %u of %u",
					       i + 2, nr_threads);
		}
		w->nr_started++;
	}
	*ret_workers = w;
	return LULL_OK;
}

int lull_workers_share(struct lull_workers *pool, const atomic_bool *canceled,
		       struct lull_workers **ret_workers,
		       struct lull_error *reterr)
{
	struct lull_workers *w = calloc(1, sizeof(*w));

	assert(!pool->pool);
	if (!w)
		return lull_fail(reterr, LULL_NOMEM,
				 "workers: no memory to share them");
	w->pool = pool;
	w->canceled = canceled;
	w->nr_threads = pool->nr_threads;
	*ret_workers = w;
	return LULL_OK;
}

bool lull_workers_canceled(const struct lull_workers *workers)
{
	return is_set(workers->canceled);
}

void lull_workers_destroy(struct lull_workers *workers)
{
	unsigned int i;

	if (!workers)
		return;
	if (workers->pool) {
		free(workers);
		return;
	}
	pthread_mutex_lock(&workers->lock);
	workers->stop = true;
	pthread_cond_broadcast(&workers->wake);
	pthread_mutex_unlock(&workers->lock);
	for (i = 0; i < workers->nr_started; i++)
		pthread_join(workers->threads[i], NULL);
	pthread_cond_destroy(&workers->wake);
	pthread_mutex_destroy(&workers->lock);
	free(workers);
}

unsigned int lull_workers_nr(const struct lull_workers *workers)
{
	return workers->nr_threads;
}

static void unlink_locked(struct lull_workers *w, struct run *run)
{
	struct run **link = &w->runs;

	while (*link != run)
		link = &(*link)->next;
	*link = run->next;
}

void lull_workers_run(struct lull_workers *workers, size_t nr_tasks,
		      void (*fn)(void *arg, size_t task, unsigned int slot),
		      void *arg)
{
	struct run run = {
		.fn = fn,
		.arg = arg,
		.nr_tasks = nr_tasks,
		.canceled = workers->canceled,
		.slots = 1,
	};
	size_t i;

	if (nr_tasks <= 1 || workers->nr_threads == 1) {
		for (i = 0; i < nr_tasks && !is_set(run.canceled); i++)
			fn(arg, i, 0);
		return;
	}
	if (workers->pool)
		workers = workers->pool;
	pthread_cond_init(&run.idle, NULL);
	pthread_mutex_lock(&workers->lock);
	run.next = workers->runs;
	workers->runs = &run;
	pthread_cond_broadcast(&workers->wake);
	work_locked(workers, &run, 0);
	while (run.active)
		pthread_cond_wait(&run.idle, &workers->lock);
	unlink_locked(workers, &run);
	pthread_mutex_unlock(&workers->lock);
	pthread_cond_destroy(&run.idle);
}

/* One lull_workers_try() under way. */
struct attempt {
	int (*fn)(void *arg, size_t task, unsigned int slot,
		  struct lull_error *reterr);
	void *arg;
	pthread_mutex_t lock;
	size_t fault_task; /* lock: the first task that failed, or SIZE_MAX */
	struct lull_error error; /* lock: of that task */
};

static void try_task(void *arg, size_t task, unsigned int slot)
{
	struct attempt *attempt = arg;
	struct lull_error error;

	if (!attempt->fn(attempt->arg, task, slot, &error))
		return;
	pthread_mutex_lock(&attempt->lock);
	if (task < attempt->fault_task) {
		attempt->fault_task = task;
		attempt->error = error;
	}
	pthread_mutex_unlock(&attempt->lock);
}

int lull_workers_try_slots(struct lull_workers *workers, size_t nr_tasks,
			   int (*fn)(void *arg, size_t task, unsigned int slot,
				     struct lull_error *reterr),
			   void *arg, struct lull_error *reterr)
{
	struct attempt attempt = { .fn = fn,
				   .arg = arg,
				   .fault_task = SIZE_MAX };

	pthread_mutex_init(&attempt.lock, NULL);
	lull_workers_run(workers, nr_tasks, try_task, &attempt);
	pthread_mutex_destroy(&attempt.lock);
	if (attempt.fault_task == SIZE_MAX)
		return LULL_OK;
	if (reterr)
		*reterr = attempt.error;
	return attempt.error.code;
}

/* Work that needs no slot. */
struct slotless {
	int (*fn)(void *arg, size_t task, struct lull_error *reterr);
	void *arg;
};

static int drop_slot(void *arg, size_t task, unsigned int slot,
		     struct lull_error *reterr)
{
	const struct slotless *work = arg;

	(void)slot;
	return work->fn(work->arg, task, reterr);
}

int lull_workers_try(struct lull_workers *workers, size_t nr_tasks,
		     int (*fn)(void *arg, size_t task,
			       struct lull_error *reterr),
		     void *arg, struct lull_error *reterr)
{
	struct slotless work = { fn, arg };

	return lull_workers_try_slots(workers, nr_tasks, drop_slot, &work,
				      reterr);
}

void lull_workers_split(size_t n, size_t nr_tasks, size_t task, size_t grain,
			size_t *ret_lo, size_t *ret_hi)
{
	size_t grains = lull_div_up(n, grain);
	size_t each = grains / nr_tasks, more = grains % nr_tasks;
	size_t lo = task * each + lull_min(task, more);
	size_t hi = lo + each + (task < more);

	*ret_lo = lull_min(n, lo * grain);
	*ret_hi = lull_min(n, hi * grain);
}
