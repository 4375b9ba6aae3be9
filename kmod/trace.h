/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h - the tracepoints lull_arena:*, for perf and ftrace
 *
 * Sizes are in slots of 2 MiB.  "arena" numbers arenas in the order in which
 * they were made.
 */
/* clang-format off */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM lull_arena

#if !defined(LULL_ARENA_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define LULL_ARENA_TRACE_H

#include <linux/tracepoint.h>

#include "internal.h"

/* An ACQUIRE ended: how many it wanted, how many it has, and why not all. */
TRACE_EVENT(acquire,
	    TP_PROTO(const struct lull_arena *arena,
		     const struct lull_ranges *ranges, u64 acquired_bytes,
		     u32 cause, int err),
	    TP_ARGS(arena, ranges, acquired_bytes, cause, err),
	    TP_STRUCT__entry(__field(u32, arena)
			     __field(u64, first)
			     __field(u64, wanted)
			     __field(u64, acquired)
			     __field(u32, cause)
			     __field(int, err)),
	    TP_fast_assign(__entry->arena = arena->id;
			   __entry->first = ranges->range[0].offset;
			   __entry->wanted = ranges->nr_slots;
			   __entry->acquired = acquired_bytes >> LULL_SLOT_SHIFT;
			   __entry->cause = cause;
			   __entry->err = err;),
	    TP_printk("arena=%u first=%llu wanted=%llu acquired=%llu cause=%u err=%d",
		      __entry->arena, __entry->first, __entry->wanted,
		      __entry->acquired, __entry->cause, __entry->err));

/* A fault is about to map a slot; flags are FAULT_FLAG_*. */
TRACE_EVENT(fault,
	    TP_PROTO(const struct lull_arena *arena, u64 slot, u32 flags),
	    TP_ARGS(arena, slot, flags),
	    TP_STRUCT__entry(__field(u32, arena)
			     __field(u64, slot)
			     __field(u32, flags)),
	    TP_fast_assign(__entry->arena = arena->id;
			   __entry->slot = slot;
			   __entry->flags = flags;),
	    TP_printk("arena=%u slot=%llu flags=0x%x",
		      __entry->arena, __entry->slot, __entry->flags));

/* A RETIRE, or a RELEASE. */
TRACE_EVENT(retire,
	    TP_PROTO(const struct lull_arena *arena,
		     const struct lull_ranges *ranges, u64 ticket, bool release),
	    TP_ARGS(arena, ranges, ticket, release),
	    TP_STRUCT__entry(__field(u32, arena)
			     __field(u64, first)
			     __field(u64, slots)
			     __field(u64, ticket)
			     __field(bool, release)),
	    TP_fast_assign(__entry->arena = arena->id;
			   __entry->first = ranges->range[0].offset;
			   __entry->slots = ranges->nr_slots;
			   __entry->ticket = ticket;
			   __entry->release = release;),
	    TP_printk("arena=%u first=%llu slots=%llu ticket=%llu release=%d",
		      __entry->arena, __entry->first, __entry->slots,
		      __entry->ticket, __entry->release));

/* A REVIVE ended. */
TRACE_EVENT(revive,
	    TP_PROTO(const struct lull_arena *arena,
		     const struct lull_ranges *ranges, u64 kept, u64 fresh,
		     int err),
	    TP_ARGS(arena, ranges, kept, fresh, err),
	    TP_STRUCT__entry(__field(u32, arena)
			     __field(u64, first)
			     __field(u64, kept)
			     __field(u64, fresh)
			     __field(int, err)),
	    TP_fast_assign(__entry->arena = arena->id;
			   __entry->first = ranges->range[0].offset;
			   __entry->kept = kept;
			   __entry->fresh = fresh;
			   __entry->err = err;),
	    TP_printk("arena=%u first=%llu kept=%llu fresh=%llu err=%d",
		      __entry->arena, __entry->first, __entry->kept,
		      __entry->fresh, __entry->err));

/* A batch has chosen its slots; why is enum lull_batch_why. */
TRACE_EVENT(batch_begin,
	    TP_PROTO(const struct lull_arena *arena,
		     const struct lull_batch *batch),
	    TP_ARGS(arena, batch),
	    TP_STRUCT__entry(__field(u32, arena)
			     __field(u32, why)
			     __field(u64, ticket)
			     __field(u64, first)
			     __field(u64, taken)),
	    TP_fast_assign(__entry->arena = arena->id;
			   __entry->why = batch->why;
			   __entry->ticket = batch->ticket;
			   __entry->first = batch->first;
			   __entry->taken = batch->nr_taken;),
	    TP_printk("arena=%u why=%u ticket=%llu first=%llu taken=%llu",
		      __entry->arena, __entry->why, __entry->ticket,
		      __entry->first, __entry->taken));

/* A run is about to be unmapped: one flush for each mapping. */
TRACE_EVENT(run,
	    TP_PROTO(const struct lull_arena *arena, u64 first, u64 slots,
		     u32 mappings),
	    TP_ARGS(arena, first, slots, mappings),
	    TP_STRUCT__entry(__field(u32, arena)
			     __field(u64, first)
			     __field(u64, slots)
			     __field(u32, mappings)),
	    TP_fast_assign(__entry->arena = arena->id;
			   __entry->first = first;
			   __entry->slots = slots;
			   __entry->mappings = mappings;),
	    TP_printk("arena=%u first=%llu slots=%llu mappings=%u",
		      __entry->arena, __entry->first, __entry->slots,
		      __entry->mappings));

/* A batch is through. */
TRACE_EVENT(batch_end,
	    TP_PROTO(const struct lull_arena *arena,
		     const struct lull_batch *batch, u64 ns),
	    TP_ARGS(arena, batch, ns),
	    TP_STRUCT__entry(__field(u32, arena)
			     __field(u64, ticket)
			     __field(u64, runs)
			     __field(u64, freed)
			     __field(u64, busy)
			     __field(u64, ns)),
	    TP_fast_assign(__entry->arena = arena->id;
			   __entry->ticket = batch->ticket;
			   __entry->runs = batch->nr_runs;
			   __entry->freed = batch->nr_freed;
			   __entry->busy = arena->nr_state[LULL_SLOT_BUSY];
			   __entry->ns = ns;),
	    TP_printk("arena=%u ticket=%llu runs=%llu freed=%llu busy=%llu ns=%llu",
		      __entry->arena, __entry->ticket, __entry->runs,
		      __entry->freed, __entry->busy, __entry->ns));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
