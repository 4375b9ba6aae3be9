// SPDX-License-Identifier: Apache-2.0
/*
 * lib_stats.c - the public functions that copy counters
 *
 * Contracts stand in include/lull.h.
 */
#include "arena/arena.h"
#include "backend/set.h"
#include "base/error.h"
#include "lib.h"

uint64_t lull_ctx_device_peak_bytes(const struct lull_ctx *ctx)
{
	return lull_set_peak_bytes(ctx->set);
}

int lull_ctx_device_stats(const struct lull_ctx *ctx,
			  struct lull_device_stats *stats,
			  struct lull_error *reterr)
{
	struct lull_device_stats all = { .size = stats->size };
	struct lull_backend_stats of_set;

	if (lull_check_size(reterr, "lull_device_stats", sizeof(*stats),
			    stats->size))
		return LULL_USAGE;
	lull_set_stats(ctx->set, &of_set, &all.busy_ns);
	all.nr_devices = ctx->set->nr_devices;
	all.used_bytes = of_set.used_bytes;
	all.peak_bytes = of_set.peak_bytes;
	all.proof_bytes = of_set.proof_bytes;
	all.up_bytes = of_set.up_bytes;
	all.down_bytes = of_set.down_bytes;
	*stats = all;
	return LULL_OK;
}

int lull_ctx_stats(struct lull_ctx *ctx, struct lull_ctx_stats *stats,
		   struct lull_error *reterr)
{
	struct lull_ctx_stats all = { .size = stats->size };
	struct lull_arena_stats arena;

	if (lull_check_size(reterr, "lull_ctx_stats", sizeof(*stats),
			    stats->size))
		return LULL_USAGE;
	lull_arena_describe(ctx->arena, all.arena, sizeof(all.arena));
	lull_arena_stats(ctx->arena, &arena);
	all.held_bytes = arena.held_bytes;
	all.used_bytes = arena.used_bytes;
	all.used_bytes_max = arena.used_bytes_max;
	all.pinned_bytes = arena.pinned_bytes;
	all.nr_carves = arena.nr_carves;
	all.faulted_bytes = arena.faulted_bytes;
	all.zeroed_bytes = arena.zeroed_bytes;
	all.wiped_bytes = arena.wiped_bytes;
	all.retired_bytes = arena.retired_bytes;
	all.kept_bytes = arena.kept_bytes;
	all.fresh_bytes = arena.fresh_bytes;
	all.unmapped_bytes = arena.unmapped_bytes;
	all.flushes = arena.flushes;
	all.munmaps = arena.munmaps;
	all.registered_bytes = arena.registered_bytes;
	*stats = all;
	return LULL_OK;
}
