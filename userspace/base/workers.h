/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workers.h - a pool of threads that runs numbered tasks
 *
 * The caller of lull_workers_run() works too, so a pool of one thread has no
 * thread of its own.  Several callers may run at once: each brings its own
 * hands and the pool's threads help wherever tasks are left.
 */
#ifndef LULL_BASE_WORKERS_H
#define LULL_BASE_WORKERS_H

#ifndef __cplusplus
#include <stdatomic.h>
#endif
#include <stdbool.h>
#include <stddef.h>

struct lull_error;
struct lull_workers;

/**
 * lull_workers_create - start a pool
 * @nr_threads: threads that work on one run, the caller among them; 0 asks
 *	for one for each CPU that this process may use
 * @ret_workers: owned by the caller; end it with lull_workers_destroy()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_NOMEM or LULL_IO.
 */
int lull_workers_create(unsigned int nr_threads,
			struct lull_workers **ret_workers,
			struct lull_error *reterr);

/* Not for the CUDA backend's C++, which has no atomic_bool. */
#ifndef __cplusplus
/**
 * lull_workers_share - the same threads, for work that may be canceled
 * @pool: whose threads; outlives what is made here; itself none of these
 * @canceled: once it is true, runs begin no more of their tasks
 * @ret_workers: owned by the caller; end it with lull_workers_destroy()
 * @reterr: filled on failure
 *
 * After a run, and before looking at what its tasks should have made, ask
 * lull_workers_canceled(): tasks may have been left out.
 *
 * Return: LULL_OK or LULL_NOMEM.
 */
int lull_workers_share(struct lull_workers *pool, const atomic_bool *canceled,
		       struct lull_workers **ret_workers,
		       struct lull_error *reterr);
#endif

/* Whether tasks may have been left out; once true, always so. */
bool lull_workers_canceled(const struct lull_workers *workers);

/* Takes NULL.  No run may be under way. */
void lull_workers_destroy(struct lull_workers *workers);

/* Threads that work on one run, the caller among them: at least 1. */
unsigned int lull_workers_nr(const struct lull_workers *workers);

/**
 * lull_workers_run - run fn(arg, task, slot) once for each task
 * @workers: the pool
 * @nr_tasks: tasks are 0 .. nr_tasks - 1, claimed in that order
 * @fn: the work; @slot is below lull_workers_nr() and no two tasks of one run
 *	that are under way at once have the same slot: index scratch by it
 * @arg: handed to @fn
 *
 * Returns when every task has ended, or was left out because it was canceled;
 * what the tasks wrote is then visible to the caller.  Context: any thread, but
 * not from within a task of this pool.
 */
void lull_workers_run(struct lull_workers *workers, size_t nr_tasks,
		      void (*fn)(void *arg, size_t task, unsigned int slot),
		      void *arg);

/**
 * lull_workers_try - run tasks that can fail
 * @workers: the pool
 * @nr_tasks: as lull_workers_run()
 * @fn: the work; returns LULL_OK, or fills its last argument
 * @arg: handed to @fn
 * @reterr: filled on failure: by the lowest task that failed, so that the
 *	message does not depend on chance
 *
 * Every task runs, also behind one that failed; of those that are left out as
 * canceled none has failed.  Context: as lull_workers_run().
 *
 * Return: LULL_OK or what that task returned.
 */
int lull_workers_try(struct lull_workers *workers, size_t nr_tasks,
		     int (*fn)(void *arg, size_t task,
			       struct lull_error *reterr),
		     void *arg, struct lull_error *reterr);

/* As lull_workers_try(), for work that indexes scratch by its slot. */
int lull_workers_try_slots(struct lull_workers *workers, size_t nr_tasks,
			   int (*fn)(void *arg, size_t task, unsigned int slot,
				     struct lull_error *reterr),
			   void *arg, struct lull_error *reterr);

/* The share of [0, n) that task @task of @nr_tasks takes: [*ret_lo, *ret_hi),
 * each boundary a multiple of @grain except the last. */
void lull_workers_split(size_t n, size_t nr_tasks, size_t task, size_t grain,
			size_t *ret_lo, size_t *ret_hi);

#endif
