// SPDX-License-Identifier: Apache-2.0
/*
 * reserve.c - memory that partitions will have is there before the first begins
 *
 * Memory would be had when it is first needed.  With several partitions in
 * flight as many as ever will may first meet in what takes the most some proofs
 * later, and page faults and registration would go on until then.  So a job
 * that comes when nothing is under way carves, all at once, what as many of its
 * partitions as can be in flight will have, touches it and gives it back to the
 * arena, which keeps it.  Where the arena has had that before, nothing happens
 * but carving.
 *
 * Not more than the budget admits, and not for policies and carriers that give
 * memory back to the system.  Memory that cannot be had is no fault here: who
 * needs it will say so.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "arena/arena.h"
#include "base/base.h"
#include "base/workers.h"
#include "sched/pipeline.h"

#define PAGE_BYTES ((size_t)4096)

/**
 * struct reserve - blocks that are held at one time
 * @arena: whose
 * @vecs: the blocks
 * @nr: how many
 */
struct reserve {
	struct lull_arena *arena;
	struct lull_vec *vecs;
	size_t nr;
};

static bool is_kept(const struct lull_pipeline *pipeline)
{
	return pipeline->dealloc == LULL_DEALLOC_RETIRE &&
	       !lull_arena_carrier_is_malloc(
		       lull_arena_carrier(pipeline->env.arena));
}

/* Partitions of the job that can be in flight at one time. */
static unsigned int nr_at_once(const struct lull_job *job)
{
	struct lull_pipeline *pipeline = job->pipeline;
	uint64_t nr = lull_min(pipeline->opts.in_flight, job->nr);
	struct lull_budget_stats budget;

	lull_budget_stats(pipeline->budget, &budget);
	if (budget.limit.host)
		nr = lull_min(nr, (budget.limit.host - budget.held.host) /
					  job->partition_bytes.host);
	if (budget.limit.device && job->partition_bytes.device)
		nr = lull_min(nr, (budget.limit.device - budget.held.device) /
					  job->partition_bytes.device);
	return (unsigned int)nr;
}

static void carve(struct reserve *reserve, size_t bytes)
{
	struct lull_vec vec;

	if (!lull_arena_carve(reserve->arena, bytes, 0, "memory in reserve",
			      &vec, NULL))
		reserve->vecs[reserve->nr++] = vec;
}

/* What a witness that is read here is read to: its file's size, but not more
 * than its key's witnesses have. */
static size_t witness_bytes(const struct lull_job *job, unsigned int index)
{
	uint64_t most = lull_sched_witness_bytes(job->key);
	struct stat st;

	if (!job->partitions[index].path ||
	    stat(job->partitions[index].path, &st) || !S_ISREG(st.st_mode))
		return 0;
	return (size_t)lull_min((uint64_t)st.st_size, most);
}

static void carve_all(struct reserve *reserve, const struct lull_job *job,
		      unsigned int nr)
{
	const struct lull_pipeline *pipeline = job->pipeline;
	size_t scratch = lull_prover_scratch_bytes(
		job->key, lull_workers_nr(pipeline->workers));
	size_t finish = lull_prover_finish_bytes(
		job->key, lull_workers_nr(pipeline->alone));
	size_t publics = job->key->file.parts.nr_public * (size_t)LULL_FR_BYTES;
	unsigned int i;

	/* Small ones first: they take a slot out of what is free. */
	for (i = 0; i < nr; i++)
		carve(reserve, publics);
	for (i = 0; i < nr && job->partitions[0].path; i++)
		carve(reserve, (size_t)lull_sched_map_bytes(job->key));
	for (i = 0; i < lull_min(nr, pipeline->nr_threads[LULL_SCHED_ASSEMBLE]);
	     i++)
		carve(reserve, finish);
	for (i = 0; i < lull_min(nr, pipeline->nr_threads[LULL_SCHED_COMPUTE]);
	     i++)
		carve(reserve, scratch);
	for (i = 0; i < nr; i++)
		carve(reserve, witness_bytes(job, i));
}

/* Writes to each page of a slot's size: what is in a block is nobody's. */
static void touch(void *arg, size_t task, unsigned int slot)
{
	const struct lull_vec *vec = arg;
	size_t at = task * LULL_ARENA_SLOT_BYTES;
	size_t end = lull_min(at + LULL_ARENA_SLOT_BYTES, vec->bytes);
	volatile uint8_t *bytes = vec->ptr;

	(void)slot;
	for (; at < end; at += PAGE_BYTES)
		bytes[at] = 0;
}

void lull_sched_reserve(const struct lull_job *job)
{
	struct lull_pipeline *pipeline = job->pipeline;
	struct reserve reserve = { .arena = pipeline->env.arena };
	unsigned int nr = nr_at_once(job);
	size_t i;

	if (!is_kept(pipeline))
		return;
	reserve.vecs = calloc(5 * (size_t)nr + 1, sizeof(*reserve.vecs));
	if (!reserve.vecs)
		return;
	carve_all(&reserve, job, nr);
	for (i = 0; i < reserve.nr; i++)
		if (reserve.vecs[i].fresh_bytes)
			lull_workers_run(pipeline->workers,
					 lull_div_up(reserve.vecs[i].bytes,
						     LULL_ARENA_SLOT_BYTES),
					 touch, &reserve.vecs[i]);
	while (reserve.nr)
		lull_arena_retire(&reserve.vecs[--reserve.nr]);
	free(reserve.vecs);
}
