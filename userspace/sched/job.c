// SPDX-License-Identifier: Apache-2.0
/*
 * job.c - jobs are submitted, share out their partitions, and end
 *
 * Contracts stand in include/lull_pipeline.h.  A job has ended when every partition has
 * a proof or an error and no thread needs it any more.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "arena/arena.h"
#include "base/base.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/workers.h"
#include "load/loader.h"
#include "prove/witness.h"
#include "sched/pipeline.h"

/* The public signals and texts of a proof; and the buffers of a load, where a
 * witness is read past the page cache for what it has beside its values. */
#define PARTITION_EXTRA_BYTES ((uint64_t)1 << 20)

/* ---- partitions -------------------------------------------------------- */

/* A job with partitions that were not begun: the oldest. */
static struct lull_job *next_locked(const struct lull_pipeline *pipeline)
{
	struct lull_job *job = pipeline->jobs;

	while (job && job->nr_begun == job->nr)
		job = job->next;
	return job;
}

struct lull_flight *lull_sched_next(struct lull_pipeline *pipeline)
{
	struct lull_flight *flight = NULL;
	struct lull_job *job = NULL;

	pthread_mutex_lock(&pipeline->lock);
	while (!pipeline->stop &&
	       !(pipeline->idle && (job = next_locked(pipeline))))
		pthread_cond_wait(&pipeline->work, &pipeline->lock);
	if (!pipeline->stop) {
		flight = pipeline->idle;
		pipeline->idle = flight->next_idle;
		pipeline->nr_flying++;
		flight->job = job;
		flight->index = job->nr_begun++;
		atomic_store(&flight->users, 1);
	}
	pthread_mutex_unlock(&pipeline->lock);
	return flight;
}

static void count_locked(struct lull_job *job, int status)
{
	if (!status)
		job->status.nr_proved++;
	else if (status == LULL_CANCELED)
		job->status.nr_canceled++;
	else
		job->status.nr_failed++;
}

void lull_sched_end(struct lull_flight *flight, struct lull_proof *proof,
		    const struct lull_error *error)
{
	struct lull_pipeline *pipeline = flight->pipeline;
	struct lull_sched_partition *part =
		&flight->job->partitions[flight->index];

	pthread_mutex_lock(&pipeline->lock);
	assert(!part->ended && !proof == !!error);
	part->ended = true;
	part->proof = proof;
	if (error)
		part->error = *error;
	count_locked(flight->job, error ? error->code : LULL_OK);
	pthread_mutex_unlock(&pipeline->lock);
}

/* One partition less to wait for. */
static void leave_locked(struct lull_job *job, unsigned int nr)
{
	job->nr_left -= nr;
	if (job->nr_left)
		return;
	lull_arena_leave(job->pipeline->env.arena);
	/* A counter of 0 takes this without waiting. */
	if (eventfd_write(job->ended_fd, 1))
		assert(!"an eventfd that does not count");
	pthread_cond_broadcast(&job->pipeline->ended);
}

void lull_sched_put(struct lull_flight *flight)
{
	struct lull_pipeline *pipeline = flight->pipeline;

	if (atomic_fetch_sub(&flight->users, 1) > 1)
		return;
	pthread_mutex_lock(&pipeline->lock);
	leave_locked(flight->job, 1);
	flight->job = NULL;
	flight->next_idle = pipeline->idle;
	pipeline->idle = flight;
	if (!--pipeline->nr_flying)
		pipeline->idle_since_ns = lull_trace_now_ns();
	pthread_cond_signal(&pipeline->work);
	pthread_mutex_unlock(&pipeline->lock);
}

/* ---- submitting -------------------------------------------------------- */

static int check_opts(const struct lull_job_opts *opts,
		      struct lull_error *reterr)
{
	if (lull_check_size(reterr, "lull_job_opts", sizeof(*opts), opts->size))
		return LULL_USAGE;
	if (!opts->nr_partitions || opts->nr_partitions > LULL_PARTITIONS_MAX)
		return lull_fail(reterr, LULL_USAGE,
				 "a job: expected 1 to %d partitions, found %u",
				 LULL_PARTITIONS_MAX, opts->nr_partitions);
	if (!opts->paths == !opts->wtns)
		return lull_fail(reterr, LULL_USAGE,
				 "a job: expected either paths or witnesses");
	return LULL_OK;
}

static int take_witnesses(struct lull_job *job,
			  const struct lull_job_opts *opts,
			  struct lull_error *reterr)
{
	const struct lull_wtns_want want =
		lull_witness_want(&job->key->file.parts);
	unsigned int i;
	int err = LULL_OK;

	for (i = 0; i < job->nr && !err; i++) {
		if (opts->wtns) {
			job->partitions[i].wtns = &opts->wtns[i]->file;
			err = lull_wtnsfile_match(job->partitions[i].wtns,
						  &want, reterr);
			continue;
		}
		job->partitions[i].path = strdup(opts->paths[i]);
		if (!job->partitions[i].path)
			err = lull_fail(reterr, LULL_NOMEM,
					"no memory for a job");
	}
	return err;
}

/* What a partition is counted with: its witness, as long as it may be with
 * sections that are not ours, and the map of that, if it is read here, and the
 * scratch of a proof.  It never asks for more. */
static uint64_t partition_bytes(const struct lull_job *job,
				const struct lull_job_opts *opts)
{
	uint64_t bytes = PARTITION_EXTRA_BYTES;

	if (opts->paths)
		bytes += job->key->file.parts.nr_vars *
				 (uint64_t)LULL_WTNS_VALUE_BYTES +
			 LULL_WTNS_EXTRA_BYTES + lull_sched_map_bytes(job->key);
	return bytes +
	       lull_prover_scratch_bytes(
		       job->key, lull_workers_nr(job->pipeline->workers));
}

/* Another job of the pipeline that holds this key, or NULL. */
static struct lull_job *holder_locked(const struct lull_pipeline *pipeline,
				      const struct lull_key *key)
{
	struct lull_job *job = pipeline->jobs;

	while (job && !(job->key == key && job->key_hold))
		job = job->next;
	return job;
}

/* What is there as long as jobs of a key are: the key, what those who assemble
 * need when partitions have given back theirs, and buffers of those who load. */
static uint64_t key_bytes(const struct lull_job *job)
{
	const struct lull_pipeline *pipeline = job->pipeline;
	uint64_t finish = lull_prover_finish_bytes(
		job->key, lull_workers_nr(pipeline->alone));
	uint64_t buffers = lull_loader_buffers_bytes(
		pipeline->env.loader,
		(size_t)lull_sched_witness_bytes(job->key));

	return job->key->file.parts.file_bytes +
	       pipeline->nr_threads[LULL_SCHED_ASSEMBLE] * finish +
	       pipeline->nr_threads[LULL_SCHED_LOAD] * buffers;
}

/* Counts the key, as soon as partitions of others leave it room, and makes sure
 * that the largest partition under way, this job's among them, still fits beside
 * all keys.  Until then those of this job stand in line behind its key. */
static int hold_locked(struct lull_job *job, struct lull_error *reterr)
{
	struct lull_pipeline *pipeline = job->pipeline;
	uint64_t largest = job->partition_bytes, key = 0;
	const struct lull_job *other;

	for (other = pipeline->jobs; other; other = other->next)
		largest = lull_max(largest, other->partition_bytes);
	if (!holder_locked(pipeline, job->key))
		key = key_bytes(job);
	return lull_budget_hold(pipeline->budget, key, largest,
				job->key->file.parts.name, &job->key_hold,
				reterr);
}

/* Enters a job of which nothing is to be begun yet. */
static int enter_locked(struct lull_job *job, struct lull_error *reterr)
{
	struct lull_job **last = &job->pipeline->jobs;
	int err = hold_locked(job, reterr);

	if (err)
		return err;
	while (*last)
		last = &(*last)->next;
	*last = job;
	job->number = job->pipeline->nr_jobs++;
	job->nr_begun = job->nr;
	/* For whole: between two partitions there may be none in flight. */
	lull_arena_enter(job->pipeline->env.arena);
	return LULL_OK;
}

static int publish(struct lull_job *job, struct lull_error *reterr)
{
	struct lull_pipeline *pipeline = job->pipeline;
	bool quiet;
	int err;

	pthread_mutex_lock(&pipeline->submitting);
	pthread_mutex_lock(&pipeline->lock);
	quiet = !pipeline->nr_flying && !next_locked(pipeline);
	err = enter_locked(job, reterr);
	pthread_mutex_unlock(&pipeline->lock);
	if (!err) {
		if (quiet)
			lull_sched_reserve(job);
		pthread_mutex_lock(&pipeline->lock);
		job->nr_begun = 0;
		pthread_cond_broadcast(&pipeline->work);
		pthread_mutex_unlock(&pipeline->lock);
	}
	pthread_mutex_unlock(&pipeline->submitting);
	return err;
}

/* Frees what was never published, or is no more. */
static void destroy(struct lull_job *job)
{
	unsigned int i;

	for (i = 0; i < job->nr; i++) {
		lull_proof_free(job->partitions[i].proof);
		free(job->partitions[i].path);
	}
	if (job->ended_fd >= 0)
		close(job->ended_fd);
	lull_workers_destroy(job->workers);
	lull_workers_destroy(job->alone);
	free(job);
}

static int fill(struct lull_job *job, const struct lull_job_opts *opts,
		struct lull_error *reterr)
{
	int err;

	job->ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (job->ended_fd < 0)
		return lull_fail_errno(reterr, LULL_IO, errno,
				       "a job: eventfd");
	err = lull_workers_share(job->pipeline->workers, &job->canceled,
				 &job->workers, reterr);
	if (!err)
		err = lull_workers_share(job->pipeline->alone, &job->canceled,
					 &job->alone, reterr);
	if (!err)
		err = take_witnesses(job, opts, reterr);
	job->partition_bytes = partition_bytes(job, opts);
	job->status.partition_bytes = job->partition_bytes;
	return err ? err : publish(job, reterr);
}

int lull_job_submit(struct lull_pipeline *pipeline, const struct lull_key *key,
		    const struct lull_job_opts *opts, struct lull_job **ret_job,
		    struct lull_error *reterr)
{
	struct lull_job *job;
	int err = lull_prove_key_has_circuit(key, reterr);

	/* Its devices have their lanes there, and another's threads may be
	 * what its backend cannot do without. */
	if (!err && key->set != pipeline->env.set)
		err = lull_fail(reterr, LULL_USAGE,
				"%s: expected a key of the pipeline's context, "
				"found one of another",
				key->file.parts.name);
	if (!err)
		err = check_opts(opts, reterr);
	if (err)
		return err;
	job = calloc(1, sizeof(*job) + opts->nr_partitions *
					       sizeof(job->partitions[0]));
	if (!job)
		return lull_fail(reterr, LULL_NOMEM,
				 "no memory for a job of %u partitions",
				 opts->nr_partitions);
	job->pipeline = pipeline;
	job->key = key;
	job->nr = job->nr_left = opts->nr_partitions;
	job->status.nr_partitions = job->nr;
	job->opts = (struct lull_prove_opts){ .size = sizeof(job->opts),
					      .flags = opts->flags };
	atomic_init(&job->canceled, false);
	err = fill(job, opts, reterr);
	if (err) {
		destroy(job);
		return err;
	}
	*ret_job = job;
	return LULL_OK;
}

/* ---- following --------------------------------------------------------- */

int lull_job_wait(struct lull_job *job, int timeout_ms)
{
	struct lull_pipeline *pipeline = job->pipeline;
	struct timespec at =
		lull_deadline(timeout_ms < 0 ? 0 : (unsigned int)timeout_ms);
	int err = 0, ended;

	pthread_mutex_lock(&pipeline->lock);
	while (job->nr_left && !err)
		err = timeout_ms < 0
			      ? pthread_cond_wait(&pipeline->ended,
						  &pipeline->lock)
			      : pthread_cond_clockwait(&pipeline->ended,
						       &pipeline->lock,
						       CLOCK_MONOTONIC, &at);
	ended = !job->nr_left;
	pthread_mutex_unlock(&pipeline->lock);
	return ended;
}

int lull_job_fd(const struct lull_job *job)
{
	return job->ended_fd;
}

/* Partitions that were not begun never will be. */
static void cancel_rest_locked(struct lull_job *job)
{
	unsigned int nr = job->nr - job->nr_begun;
	struct lull_sched_partition *part;

	while (job->nr_begun < job->nr) {
		part = &job->partitions[job->nr_begun++];
		part->ended = true;
		lull_fail(&part->error, LULL_CANCELED,
			  "canceled before it was begun");
		count_locked(job, LULL_CANCELED);
	}
	if (nr)
		leave_locked(job, nr);
}

void lull_job_cancel(struct lull_job *job)
{
	struct lull_pipeline *pipeline = job->pipeline;

	atomic_store(&job->canceled, true);
	pthread_mutex_lock(&pipeline->lock);
	cancel_rest_locked(job);
	pthread_mutex_unlock(&pipeline->lock);
	lull_budget_wake(pipeline->budget);
	lull_gate_wake(&pipeline->gate);
}

int lull_job_status(struct lull_job *job, struct lull_job_status *status,
		    struct lull_error *reterr)
{
	if (lull_check_size(reterr, "lull_job_status", sizeof(*status),
			    status->size))
		return LULL_USAGE;
	pthread_mutex_lock(&job->pipeline->lock);
	*status = job->status;
	pthread_mutex_unlock(&job->pipeline->lock);
	status->size = sizeof(*status);
	return LULL_OK;
}

const struct lull_proof *lull_job_proof(struct lull_job *job,
					unsigned int partition,
					struct lull_error *reterr)
{
	const struct lull_proof *proof = NULL;
	struct lull_error error;

	if (partition >= job->nr) {
		lull_fail(reterr, LULL_USAGE, "partition %u: expected below %u",
			  partition, job->nr);
		return NULL;
	}
	lull_fail(&error, LULL_USAGE, "partition %u has not ended", partition);
	pthread_mutex_lock(&job->pipeline->lock);
	if (job->partitions[partition].ended) {
		proof = job->partitions[partition].proof;
		error = job->partitions[partition].error;
	}
	pthread_mutex_unlock(&job->pipeline->lock);
	if (!proof && reterr)
		*reterr = error;
	return proof;
}

/* ---- freeing ----------------------------------------------------------- */

static void withdraw(struct lull_job *job)
{
	struct lull_pipeline *pipeline = job->pipeline;
	struct lull_job **link = &pipeline->jobs, *heir;

	pthread_mutex_lock(&pipeline->lock);
	while (*link != job)
		link = &(*link)->next;
	*link = job->next;
	heir = pipeline->jobs;
	while (heir && heir->key != job->key)
		heir = heir->next;
	if (heir && job->key_hold)
		heir->key_hold = job->key_hold;
	else
		lull_budget_unhold(pipeline->budget, job->key_hold);
	pthread_mutex_unlock(&pipeline->lock);
}

void lull_job_free(struct lull_job *job)
{
	if (!job)
		return;
	lull_job_cancel(job);
	lull_job_wait(job, -1);
	withdraw(job);
	destroy(job);
}
