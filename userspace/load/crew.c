// SPDX-License-Identifier: Apache-2.0
/*
 * crew.c - a loader's threads; see engine.h
 *
 * Each takes what there is to do: chunks that the ring has read, before chunks
 * that are to be read plainly.  With a ring the last thread drives it.
 */
#include <signal.h>
#include <stdlib.h>

#include "arena/node.h"
#include "base/base.h"
#include "base/error.h"
#include "load/engine.h"
#include "load/uring.h"

/* ---- work -------------------------------------------------------------- */

/* Reads what is left of a chunk, if anything, and lands it. */
static void do_chunk(struct lull_load_chunk *chunk, bool plain)
{
	struct lull_loader *loader = chunk->job->loader;
	struct lull_error error;

	if (lull_load_chunk_drop(chunk))
		return;
	if (!plain || !lull_load_source_read(chunk, &error)) {
		lull_load_chunk_land(chunk);
		return;
	}
	pthread_mutex_lock(&loader->lock);
	lull_load_job_fail(chunk->job, chunk->extent, chunk->from, &error);
	lull_load_chunk_end(chunk);
	pthread_mutex_unlock(&loader->lock);
}

static struct lull_load_chunk *take_waiting(struct lull_loader *loader)
{
	struct lull_load_chunk *chunk = loader->waiting;

	if (!chunk)
		return NULL;
	loader->waiting = chunk->next;
	if (!loader->waiting)
		loader->last_waiting = &loader->waiting;
	return chunk;
}

static bool cut_plain(struct lull_loader *loader, struct lull_load_chunk *chunk)
{
	struct lull_load_job *job;

	for (job = loader->jobs; job; job = job->next)
		if (lull_load_chunk_cut(job, false, chunk))
			return true;
	return false;
}

static void *work(void *arg)
{
	struct lull_loader *loader = arg;
	struct lull_load_chunk own, *chunk;

	lull_arena_node_bind_thread(loader->opts.node);
	pthread_mutex_lock(&loader->lock);
	while (!loader->stop) {
		chunk = take_waiting(loader);
		if (chunk) {
			pthread_mutex_unlock(&loader->lock);
			do_chunk(chunk, chunk->plain);
			pthread_mutex_lock(&loader->lock);
			/* The driver may have found no chunk free. */
			kick_driver(loader);
		} else if (cut_plain(loader, &own)) {
			pthread_mutex_unlock(&loader->lock);
			do_chunk(&own, true);
			pthread_mutex_lock(&loader->lock);
		} else {
			pthread_cond_wait(&loader->work, &loader->lock);
		}
	}
	pthread_mutex_unlock(&loader->lock);
	return NULL;
}

static void *drive(void *arg)
{
	struct lull_loader *loader = arg;

	lull_arena_node_bind_thread(loader->opts.node);
	lull_uring_drive(loader->uring);
	return NULL;
}

/* ---- start and stop ---------------------------------------------------- */

/* Signals are for threads that know them. */
static int start_thread(struct lull_loader *loader, void *(*fn)(void *))
{
	sigset_t all, was;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &was);
	err = pthread_create(&loader->threads[loader->nr_threads], NULL, fn,
			     loader);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (!err)
		loader->nr_threads++;
	return err;
}

static void stop(struct lull_loader *loader)
{
	unsigned int i;

	pthread_mutex_lock(&loader->lock);
	loader->stop = true;
	pthread_cond_broadcast(&loader->work);
	kick_driver(loader);
	pthread_mutex_unlock(&loader->lock);
	for (i = 0; i < loader->nr_threads; i++)
		pthread_join(loader->threads[i], NULL);
	free(loader->threads);
	loader->threads = NULL;
	loader->nr_threads = 0;
	loader->stop = false;
}

static int start(struct lull_loader *loader, struct lull_error *reterr)
{
	const unsigned int nr = loader->opts.nr_threads;
	const unsigned int nr_all = nr + !!loader->uring;
	unsigned int i;
	int err = 0;

	loader->threads = calloc(nr_all, sizeof(*loader->threads));
	if (!loader->threads)
		return lull_fail(reterr, LULL_NOMEM,
				 "loader: no memory for %u threads", nr_all);
	for (i = 0; i < nr_all && !err; i++)
		err = start_thread(loader, i < nr ? work : drive);
	if (!err)
		return LULL_OK;
	stop(loader);
	return lull_fail_errno(reterr, LULL_IO, err, "loader: thread %u of %u",
			       i, nr_all);
}

int lull_crew_start(struct lull_loader *loader, struct lull_error *reterr)
{
	int err = LULL_OK;

	pthread_mutex_lock(&loader->starting);
	if (!loader->threads)
		err = start(loader, reterr);
	pthread_mutex_unlock(&loader->starting);
	return err;
}

void lull_crew_stop(struct lull_loader *loader)
{
	if (loader->threads)
		stop(loader);
}
