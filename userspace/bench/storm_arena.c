// SPDX-License-Identifier: Apache-2.0
/*
 * storm_arena.c - arms that carve out of the library's own arena
 *
 * For `lull bench storm`: what the prover itself does (userspace/arena/), with
 * each carrier, block by block.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "arena/arena.h"
#include "base/base.h"
#include "base/error.h"
#include "bench/storm.h"

/* A carrier, and whether blocks are released instead of retired. */
#define HOW_RELEASE 16
#define CARRIER_MASK 15

/**
 * struct arena_state - of one run
 * @arena: the arena
 * @vecs: the blocks, by number of the vector
 * @before: its counters before the first free; what they count belongs to the
 *	rounds
 * @begun: something has been freed
 */
struct arena_state {
	struct lull_arena *arena;
	struct lull_vec *vecs;
	struct lull_arena_stats before;
	atomic_bool begun;
};

static enum lull_arena_carrier carrier_of(const struct storm_arm *arm)
{
	return (enum lull_arena_carrier)(arm->how & CARRIER_MASK);
}

static bool probe_arena(const struct storm_arm *arm,
			const struct lull_bench_storm_opts *storm,
			char why[STORM_TEXT_BYTES])
{
	const struct lull_arena_opts opts = { .carrier = carrier_of(arm),
					      .node = LULL_ARENA_NODE_ANY };
	struct lull_arena *arena;
	struct lull_error err;

	(void)storm;
	if (lull_arena_open(&opts, &arena, &err)) {
		snprintf(why, STORM_TEXT_BYTES, "%.*s", STORM_TEXT_BYTES - 1,
			 err.msg);
		return false;
	}
	lull_arena_close(arena);
	return true;
}

static void close_arena(struct storm_run *run)
{
	struct arena_state *state = run->state;
	size_t i;

	if (!state)
		return;
	for (i = 0; state->vecs && i < run->plan.nr; i++)
		lull_arena_retire(&state->vecs[i]);
	lull_arena_close(state->arena);
	free(state->vecs);
	free(state);
	run->state = NULL;
}

static int open_arena(struct storm_run *run, struct lull_error *reterr)
{
	const struct lull_arena_opts opts = { .carrier = carrier_of(run->arm),
					      .node = LULL_ARENA_NODE_ANY };
	struct arena_state *state = calloc(1, sizeof(*state));

	run->state = state;
	if (lull_arena_carrier_is_malloc(carrier_of(run->arm)))
		lull_bench_storm_map_each();
	if (state)
		state->vecs = calloc(run->plan.nr, sizeof(*state->vecs));
	if (!state || !state->vecs)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	return lull_arena_open(&opts, &state->arena, reterr);
}

static void alloc_arena(struct storm_share *share)
{
	struct storm_run *run = share->run;
	struct arena_state *state = run->state;
	size_t i;

	for (i = run->plan.first[share->index];
	     i < run->plan.first[share->index + 1]; i++) {
		if (run->vec[i])
			continue;
		if (lull_arena_carve(state->arena, run->plan.bytes[i], 0,
				     "a vector", &state->vecs[i], NULL)) {
			lull_bench_storm_fail(run, LULL_NOMEM, ENOMEM,
					      "lull_arena_carve");
			return;
		}
		run->vec[i] = state->vecs[i].ptr;
	}
}

static void free_arena(struct storm_share *share)
{
	struct storm_run *run = share->run;
	struct arena_state *state = run->state;
	uint64_t start;
	size_t i;

	if (!atomic_exchange(&state->begun, true))
		lull_arena_stats(state->arena, &state->before);
	for (i = run->plan.first[share->index];
	     i < run->plan.first[share->index + 1]; i++) {
		if (run->plan.kept[i] || !run->vec[i])
			continue;
		run->vec[i] = NULL;
		start = lull_bench_now_ns();
		if (run->arm->how & HOW_RELEASE)
			lull_arena_release(&state->vecs[i]);
		else
			lull_arena_retire(&state->vecs[i]);
		lull_bench_storm_note(share, lull_bench_now_ns() - start);
	}
}

static void settle_arena(struct storm_run *run)
{
	struct arena_state *state = run->state;

	if (lull_arena_flush(state->arena, LULL_ARENA_WAIT_ALWAYS, NULL))
		lull_bench_storm_fail(run, LULL_IO, EIO, "lull_arena_flush");
}

/* What the library counted, all rounds together. */
static int report_arena(struct storm_run *run, json_t *row)
{
	struct arena_state *state = run->state;
	const struct lull_arena_stats *before = &state->before;
	struct lull_arena_stats now;

	lull_arena_stats(state->arena, &now);
	return json_object_set_new(
		row, "arena",
		json_pack(
			"{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
			"faulted_bytes",
			(json_int_t)(now.faulted_bytes - before->faulted_bytes),
			"zeroed_bytes",
			(json_int_t)(now.zeroed_bytes - before->zeroed_bytes),
			"retired_bytes",
			(json_int_t)(now.retired_bytes - before->retired_bytes),
			"kept_bytes",
			(json_int_t)(now.kept_bytes - before->kept_bytes),
			"fresh_bytes",
			(json_int_t)(now.fresh_bytes - before->fresh_bytes),
			"unmapped_bytes",
			(json_int_t)(now.unmapped_bytes -
				     before->unmapped_bytes),
			"flushes", (json_int_t)(now.flushes - before->flushes),
			"munmaps",
			(json_int_t)(now.munmaps - before->munmaps)));
}

static const struct storm_ops arena_ops = {
	.open = open_arena,
	.close = close_arena,
	.alloc = alloc_arena,
	.free = free_arena,
	.report = report_arena,
};

/* Blocks that go for good: what the frees began has to end. */
static const struct storm_ops flushed_ops = {
	.open = open_arena,
	.close = close_arena,
	.alloc = alloc_arena,
	.free = free_arena,
	.settle = settle_arena,
	.report = report_arena,
};

const struct storm_arm lull_bench_storm_arena_arms[] = {
	{
		.name = "arena-module",
		.about = "the library's arena on the module: retired",
		.how = LULL_ARENA_MODULE,
		.law = STORM_LAW_ZERO,
		.by_kernel = true,
		.probe = probe_arena,
		.ops = &arena_ops,
	},
	{
		.name = "arena-release",
		.about = "the library's arena on the module: released, flushed",
		.how = LULL_ARENA_MODULE | HOW_RELEASE,
		.by_kernel = true,
		.probe = probe_arena,
		.ops = &flushed_ops,
	},
	{
		.name = "arena-hugetlb",
		.about = "the library's arena on hugetlb pages: retired",
		.how = LULL_ARENA_HUGETLB,
		.law = STORM_LAW_ZERO,
		.probe = probe_arena,
		.ops = &arena_ops,
	},
	{
		.name = "arena-thp",
		.about = "the library's arena on huge pages: retired",
		.how = LULL_ARENA_THP,
		.law = STORM_LAW_ZERO,
		.probe = probe_arena,
		.ops = &arena_ops,
	},
	{
		.name = "arena-malloc",
		.about = "a mapping a vector, freed on detached threads",
		.how = LULL_ARENA_MALLOC,
		.law = STORM_LAW_CALLS,
		.probe = probe_arena,
		.ops = &flushed_ops,
	},
	{
		.name = "arena-malloc-serial",
		.about = "a mapping a vector, freed one at a time",
		.how = LULL_ARENA_MALLOC_SERIAL,
		.law = STORM_LAW_CALLS,
		.probe = probe_arena,
		.ops = &arena_ops,
	},
};

const size_t lull_bench_storm_nr_arena_arms =
	LULL_ARRAY_SIZE(lull_bench_storm_arena_arms);
