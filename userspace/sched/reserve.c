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
 * What is carved for long, a key or room for small blocks, may come out of the
 * middle of what an earlier job had, so that what it had is no longer in one
 * piece.  So the first job of a shape sees to it that the shapes before it still
 * find what they need: later there is nothing left to be had.
 *
 * A shape is of no one key: jobs that need no more than another's are covered by
 * that one's, so it stays when the key that it came with is closed.  It goes when
 * an idle pipeline gives its memory back, or as the oldest of many.
 *
 * Not more than the budget admits, and not where what a partition gives back is
 * gone: of malloc carriers, and of thp and hugetlb by any policy but retire
 * unless somebody has registered it.  Memory that cannot be had is no fault here:
 * who needs it will say so.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "arena/arena.h"
#include "base/base.h"
#include "base/workers.h"
#include "load/loader.h"
#include "sched/pipeline.h"

#define PAGE_BYTES ((size_t)4096)
/* Over all shapes: the second is there to find nothing. */
#define PASSES_MAX 4

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
	struct lull_arena *arena = pipeline->env.arena;

	return !lull_arena_carrier_is_malloc(lull_arena_carrier(arena)) &&
	       (pipeline->dealloc == LULL_DEALLOC_RETIRE ||
		lull_arena_keeps_yielded(arena));
}

/* Partitions of a shape that can be in flight at one time. */
static unsigned int nr_at_once(const struct lull_pipeline *pipeline,
			       const struct lull_sched_shape *shape)
{
	struct lull_budget_stats budget;
	uint64_t nr = shape->nr;

	lull_budget_stats(pipeline->budget, &budget);
	if (budget.limit)
		nr = lull_min(nr, (budget.limit - budget.held) /
					  shape->partition_bytes);
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
 * than its key's witnesses have.  The largest of those that come first. */
static size_t witness_bytes(const struct lull_job *job, unsigned int nr)
{
	uint64_t most = lull_sched_witness_bytes(job->key), bytes = 0;
	struct stat st;
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (job->partitions[i].path &&
		    !stat(job->partitions[i].path, &st) && S_ISREG(st.st_mode))
			bytes = lull_max(bytes, (uint64_t)st.st_size);
	return (size_t)lull_min(bytes, most);
}

static struct lull_sched_shape shape_of(const struct lull_job *job)
{
	const struct lull_pipeline *pipeline = job->pipeline;
	const struct lull_key *key = job->key;
	struct lull_sched_shape shape = {
		.nr = (unsigned int)lull_min(pipeline->opts.in_flight, job->nr),
		.partition_bytes = job->partition_bytes,
	};
	size_t *bytes = shape.bytes;

	bytes[LULL_SCHED_PUBLICS] =
		key->file.parts.nr_public * (size_t)LULL_FR_BYTES;
	if (job->partitions[0].path)
		bytes[LULL_SCHED_MAP] = (size_t)lull_sched_map_bytes(key);
	bytes[LULL_SCHED_FINISH] =
		lull_prover_finish_bytes(key, lull_workers_nr(pipeline->alone));
	bytes[LULL_SCHED_SCRATCH] = lull_prover_scratch_bytes(
		key, lull_workers_nr(pipeline->workers));
	bytes[LULL_SCHED_WITNESS] = witness_bytes(job, shape.nr);
	if (bytes[LULL_SCHED_WITNESS])
		bytes[LULL_SCHED_BUFFERS] = lull_loader_buffers_bytes(
			pipeline->env.loader, bytes[LULL_SCHED_WITNESS]);
	return shape;
}

static unsigned int nr_of(const struct lull_pipeline *pipeline,
			  enum lull_sched_block block, unsigned int nr)
{
	const unsigned int *threads = pipeline->nr_threads;

	switch (block) {
	case LULL_SCHED_FINISH:
		return (unsigned int)lull_min(nr, threads[LULL_SCHED_ASSEMBLE]);
	case LULL_SCHED_BUFFERS:
		return (unsigned int)lull_min(nr, threads[LULL_SCHED_LOAD]);
	case LULL_SCHED_SCRATCH:
		/* Where others free it, some wait for that. */
		return threads[LULL_SCHED_FREE]
			       ? nr
			       : (unsigned int)lull_min(
					 nr, threads[LULL_SCHED_COMPUTE]);
	default:
		return nr;
	}
}

static void carve_all(struct reserve *reserve,
		      const struct lull_pipeline *pipeline,
		      const struct lull_sched_shape *shape, unsigned int nr)
{
	unsigned int block, i;

	for (block = 0; block < LULL_SCHED_NR_BLOCKS; block++)
		for (i = 0; i < nr_of(pipeline, block, nr); i++)
			carve(reserve, shape->bytes[block]);
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

/* Has all blocks of a shape at one time: whether any was fresh. */
static bool have(struct lull_pipeline *pipeline,
		 const struct lull_sched_shape *shape)
{
	struct reserve reserve = { .arena = pipeline->env.arena };
	unsigned int nr = nr_at_once(pipeline, shape);
	bool fresh = false;
	size_t i;

	reserve.vecs = calloc(LULL_SCHED_NR_BLOCKS * (size_t)nr + 1,
			      sizeof(*reserve.vecs));
	if (!reserve.vecs)
		return false;
	carve_all(&reserve, pipeline, shape, nr);
	for (i = 0; i < reserve.nr; i++) {
		if (!reserve.vecs[i].fresh_bytes)
			continue;
		fresh = true;
		lull_workers_run(pipeline->workers,
				 lull_div_up(reserve.vecs[i].bytes,
					     LULL_ARENA_SLOT_BYTES),
				 touch, &reserve.vecs[i]);
	}
	while (reserve.nr)
		lull_arena_retire(&reserve.vecs[--reserve.nr]);
	free(reserve.vecs);
	return fresh;
}

/* What @b has is there where @a was. */
static bool covers(const struct lull_sched_shape *a,
		   const struct lull_sched_shape *b)
{
	unsigned int block;

	for (block = 0; block < LULL_SCHED_NR_BLOCKS; block++)
		if (a->bytes[block] < b->bytes[block])
			return false;
	return a->nr >= b->nr;
}

/* Enters a shape, in the place of one that has less; false when there is one that
 * has as much. */
static bool remember(struct lull_pipeline *pipeline,
		     const struct lull_sched_shape *shape)
{
	size_t nr = lull_min(pipeline->nr_shapes, LULL_SCHED_SHAPES_MAX), i;

	for (i = 0; i < nr; i++)
		if (covers(&pipeline->shapes[i], shape))
			return false;
	for (i = 0; i < nr; i++)
		if (covers(shape, &pipeline->shapes[i])) {
			pipeline->shapes[i] = *shape;
			return true;
		}
	pipeline->shapes[pipeline->nr_shapes++ % LULL_SCHED_SHAPES_MAX] =
		*shape;
	return true;
}

/* Once more after the last that had something: it may have cut another's. */
static void have_all(struct lull_pipeline *pipeline)
{
	size_t nr = lull_min(pipeline->nr_shapes, LULL_SCHED_SHAPES_MAX), i;
	unsigned int pass;
	bool fresh = true;

	for (pass = 0; pass < PASSES_MAX && fresh; pass++) {
		fresh = !pass;
		for (i = 0; i < nr; i++)
			fresh |= have(pipeline, &pipeline->shapes[i]);
	}
}

void lull_sched_reserve(const struct lull_job *job)
{
	struct lull_pipeline *pipeline = job->pipeline;
	struct lull_sched_shape shape;

	if (!is_kept(pipeline))
		return;
	shape = shape_of(job);
	/* As many as fit beside its key, now that this is counted. */
	shape.nr = nr_at_once(pipeline, &shape);
	have(pipeline, &shape);
	if (remember(pipeline, &shape))
		have_all(pipeline);
}

void lull_sched_forget(struct lull_pipeline *pipeline)
{
	pthread_mutex_lock(&pipeline->submitting);
	pipeline->nr_shapes = 0;
	pthread_mutex_unlock(&pipeline->submitting);
}
