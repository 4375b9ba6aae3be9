// SPDX-License-Identifier: GPL-2.0-only
/*
 * verbs.c - what is done to slots that have memory: RETIRE, REVIVE, RELEASE,
 * FLUSH, RESET; and what can be asked: QUERY, poll(2)
 *
 * RETIRE and REVIVE of memory that is still there store a byte and a ticket
 * per slot.  Whatever takes longer is a batch's (reap.c) or a fill's
 * (acquire.c).
 */
#include <linux/fs.h>
#include <linux/falloc.h>
#include <linux/pagemap.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "internal.h"
#include "trace.h"

static bool any_taking(struct lull_arena *arena,
		       const struct lull_ranges *ranges)
{
	unsigned int i;
	u64 at;

	if (!arena->nr_state[LULL_SLOT_TAKING])
		return false;
	for (i = 0; i < ranges->nr; i++) {
		const struct lull_arena_range *range = &ranges->range[i];

		for (at = range->offset; at < range->offset + range->length;
		     at++) {
			if (arena->slots[at].state == LULL_SLOT_TAKING)
				return true;
		}
	}
	return false;
}

/*
 * Lock with no slot of @ranges TAKING: the batch that has them is waited for,
 * and tells what became of them.  -EINTR, unlocked, when the caller is killed.
 */
static int lock_settled(struct lull_arena *arena,
			const struct lull_ranges *ranges)
{
	const long *taking = &arena->nr_state[LULL_SLOT_TAKING];

	for (;;) {
		down_write(&arena->lock);
		if (!any_taking(arena, ranges))
			return 0;
		up_write(&arena->lock);
		if (wait_event_killable(arena->wait, !READ_ONCE(*taking)))
			return -EINTR;
	}
}

/* LIVE or RETIRED to RETIRED, under the arena's latest ticket. */
static void retire_slot(struct lull_arena *arena, struct lull_slot *slot,
			u8 flags)
{
	slot->ticket = arena->ticket_last;
	slot->retired_at = (u32)jiffies;
	slot->flags = flags;
	lull_slot_set(arena, slot, LULL_SLOT_RETIRED);
}

/* Have the bounds in bytes and age kept. */
static void watch_bounds(struct lull_arena *arena)
{
	unsigned long age_max = lull_arena_age_max(arena);

	if (arena->nr_state[LULL_SLOT_RETIRED] > lull_arena_retire_max(arena))
		lull_batch_kick(arena, 0);
	else if (age_max && arena->nr_state[LULL_SLOT_RETIRED])
		lull_batch_kick(arena, age_max);
}

int lull_arena_retire(struct lull_call *call)
{
	struct lull_arena_retire *cmd = call->cmd;
	struct lull_arena *arena = call->arena;
	struct lull_ranges ranges;
	unsigned int i;
	u64 at;
	int err;

	if (cmd->flags || cmd->__reserved)
		return -EOPNOTSUPP;
	err = lull_ranges_get(arena, cmd->ranges, cmd->nr_ranges, &ranges);
	if (err)
		return err;
	down_write(&arena->lock);
	err = lull_slots_check(arena, &ranges, BIT(LULL_SLOT_LIVE));
	if (err)
		goto unlock;
	cmd->ticket = ++arena->ticket_last;
	for (i = 0; i < ranges.nr; i++) {
		const struct lull_arena_range *range = &ranges.range[i];

		for (at = range->offset; at < range->offset + range->length;
		     at++)
			retire_slot(arena, &arena->slots[at], 0);
	}
	lull_slots_publish(arena);
	watch_bounds(arena);
	lull_arena_count(arena, LULL_RANGES_RETIRED, ranges.nr);
	trace_retire(arena, &ranges, cmd->ticket, false);
unlock:
	up_write(&arena->lock);
	lull_ranges_put(&ranges);
	return err;
}

/*
 * RELEASE of one slot.  What the kernel took by itself is gone already, and
 * what is pinned stays as it is; the latter is counted.
 */
static unsigned long release_slot(struct lull_arena *arena,
				  struct lull_slot *slot)
{
	switch (slot->state) {
	case LULL_SLOT_LIVE:
	case LULL_SLOT_RETIRED:
		if (folio_maybe_dma_pinned(slot->folio))
			return 1;
		retire_slot(arena, slot, LULL_SLOT_RELEASED);
		return 0;
	case LULL_SLOT_BUSY:
		slot->flags |= LULL_SLOT_RELEASED;
		return 0;
	default:
		slot->flags &= ~LULL_SLOT_TAKEN;
		return 0;
	}
}

/* Release slots in @states; returns how many are pinned. */
static int release_ranges(struct lull_arena *arena,
			  const struct lull_ranges *ranges, unsigned int states,
			  u64 *ret_ticket, unsigned long *ret_pinned)
{
	unsigned long pinned = 0, delay;
	unsigned int i;
	u64 at;
	int err;

	err = lock_settled(arena, ranges);
	if (err)
		return err;
	err = lull_slots_check(arena, ranges, states);
	if (err)
		goto unlock;
	arena->ticket_last++;
	for (i = 0; i < ranges->nr; i++) {
		const struct lull_arena_range *range = &ranges->range[i];

		for (at = range->offset; at < range->offset + range->length;
		     at++)
			pinned += release_slot(arena, &arena->slots[at]);
	}
	lull_slots_publish(arena);
	delay = msecs_to_jiffies(READ_ONCE(lull_release_delay_ms));
	if (arena->nr_state[LULL_SLOT_RETIRED])
		lull_batch_kick(arena, delay);
	watch_bounds(arena);
	lull_arena_count(arena, LULL_RANGES_RETIRED, ranges->nr);
	trace_retire(arena, ranges, arena->ticket_last, true);
	*ret_ticket = arena->ticket_last;
	*ret_pinned = pinned;
unlock:
	up_write(&arena->lock);
	return err;
}

int lull_arena_release(struct lull_call *call)
{
	struct lull_arena_release *cmd = call->cmd;
	struct lull_arena *arena = call->arena;
	struct lull_ranges ranges;
	unsigned long pinned;
	int err;

	if (cmd->flags || cmd->__reserved)
		return -EOPNOTSUPP;
	err = lull_ranges_get(arena, cmd->ranges, cmd->nr_ranges, &ranges);
	if (err)
		return err;
	err = release_ranges(arena, &ranges,
			     BIT(LULL_SLOT_LIVE) | BIT(LULL_SLOT_RETIRED) |
				     BIT(LULL_SLOT_BUSY) |
				     BIT(LULL_SLOT_IF_TAKEN),
			     &cmd->ticket, &pinned);
	if (!err) {
		cmd->busy_bytes = (u64)pinned << LULL_SLOT_SHIFT;
		call->ret_outputs = true;
		err = pinned ? -EBUSY : 0;
	}
	lull_ranges_put(&ranges);
	return err;
}

/**
 * struct revival - a REVIVE in progress
 * @ranges: of the call
 * @fresh: per range, slots that had gone
 * @nr_kept: slots that are still there
 * @nr_fresh: slots that had gone
 * @folios: their new pages
 */
struct revival {
	struct lull_ranges ranges;
	u64 *fresh;
	unsigned long nr_kept;
	unsigned long nr_fresh;
	struct folio **folios;
};

/* What is there is held, so that no batch takes it; what is not is claimed. */
static void hold_slots(struct lull_arena *arena, struct revival *revival)
{
	unsigned int i;
	u64 at;

	lockdep_assert_held_write(&arena->lock);
	for (i = 0; i < revival->ranges.nr; i++) {
		struct lull_arena_range *range = &revival->ranges.range[i];

		for (at = range->offset; at < range->offset + range->length;
		     at++) {
			struct lull_slot *slot = &arena->slots[at];

			if (slot->state != LULL_SLOT_EMPTY) {
				slot->flags |= LULL_SLOT_HELD;
				continue;
			}
			lull_slot_set(arena, slot, LULL_SLOT_FILLING);
			revival->fresh[i]++;
			revival->nr_fresh++;
		}
	}
	revival->nr_kept = revival->ranges.nr_slots - revival->nr_fresh;
}

/* Make all LIVE, or leave all as it was. */
static void settle_revival(struct lull_arena *arena, struct revival *revival,
			   bool success)
{
	unsigned long used = 0;
	unsigned int i;
	u64 at;

	lockdep_assert_held_write(&arena->lock);
	for (i = 0; i < revival->ranges.nr; i++) {
		struct lull_arena_range *range = &revival->ranges.range[i];

		for (at = range->offset; at < range->offset + range->length;
		     at++) {
			struct lull_slot *slot = &arena->slots[at];

			slot->flags &= ~LULL_SLOT_HELD;
			if (slot->state == LULL_SLOT_FILLING && success) {
				lull_slot_install(arena, slot,
						  revival->folios[used++]);
			} else if (slot->state == LULL_SLOT_FILLING) {
				lull_slot_set(arena, slot, LULL_SLOT_EMPTY);
			} else if (success) {
				slot->flags = 0;
				lull_slot_set(arena, slot, LULL_SLOT_LIVE);
			}
		}
	}
	lull_slots_publish(arena);
}

/* Pages for what had gone; enters and leaves with lock held. */
static int refill(struct lull_arena *arena, struct revival *revival,
		  u32 *ret_cause)
{
	struct lull_fill_wish wish = {
		.first = revival->ranges.range[0].offset,
		.nr = revival->nr_fresh,
	};
	struct lull_filled filled = { .cause = LULL_ARENA_CAUSE_MEMORY };
	int err = -ENOMEM;

	up_write(&arena->lock);
	revival->folios =
		kvcalloc(wish.nr, sizeof(*revival->folios), GFP_KERNEL_ACCOUNT);
	if (revival->folios)
		err = lull_arena_fill(arena, &wish, revival->folios, &filled);
	if (err && filled.nr) {
		lull_folios_put(revival->folios, filled.nr);
		lull_account_uncharge(arena, filled.nr);
	}
	*ret_cause = filled.cause;
	down_write(&arena->lock);
	return err;
}

static int revive_ranges(struct lull_arena *arena, struct revival *revival,
			 u32 *ret_cause)
{
	int err = lock_settled(arena, &revival->ranges);

	if (err)
		return err;
	err = lull_slots_check(arena, &revival->ranges,
			       BIT(LULL_SLOT_EMPTY) | BIT(LULL_SLOT_RETIRED) |
				       BIT(LULL_SLOT_BUSY));
	if (!err) {
		hold_slots(arena, revival);
		if (revival->nr_fresh)
			err = refill(arena, revival, ret_cause);
		settle_revival(arena, revival, !err);
	}
	up_write(&arena->lock);
	wake_up_all(&arena->wait);
	kvfree(revival->folios);
	return err;
}

/* The outputs of a REVIVE that succeeded, and its counters. */
static int report_revival(struct lull_call *call, const struct revival *revival)
{
	struct lull_arena_revive *cmd = call->cmd;
	u64 __user *results = u64_to_user_ptr(cmd->results);
	unsigned int i, nr_fresh = 0;

	for (i = 0; i < revival->ranges.nr; i++) {
		nr_fresh += !!revival->fresh[i];
		revival->fresh[i] <<= LULL_SLOT_SHIFT;
	}
	if (results && copy_to_user(results, revival->fresh,
				    revival->ranges.nr * sizeof(*results)))
		return -EFAULT;
	cmd->kept_bytes = (u64)revival->nr_kept << LULL_SLOT_SHIFT;
	cmd->fresh_bytes = (u64)revival->nr_fresh << LULL_SLOT_SHIFT;
	lull_arena_count(call->arena, LULL_ACQUIRED_BYTES, cmd->fresh_bytes);
	lull_arena_count(call->arena, LULL_RANGES_FRESH, nr_fresh);
	lull_arena_count(call->arena, LULL_RANGES_REVIVED,
			 revival->ranges.nr - nr_fresh);
	return 0;
}

/* As with the structure itself: whether results can be written, beforehand. */
static int probe_results(const struct lull_arena_revive *cmd, u64 *scratch)
{
	u64 __user *results = u64_to_user_ptr(cmd->results);
	size_t bytes = cmd->nr_ranges * sizeof(*scratch);

	if (!results)
		return 0;
	if (copy_from_user(scratch, results, bytes) ||
	    copy_to_user(results, scratch, bytes))
		return -EFAULT;
	memset(scratch, 0, bytes);
	return 0;
}

int lull_arena_revive(struct lull_call *call)
{
	struct lull_arena_revive *cmd = call->cmd;
	struct revival revival = {};
	u32 cause = LULL_ARENA_CAUSE_NONE;
	int err;

	if (cmd->flags)
		return -EOPNOTSUPP;
	err = lull_ranges_get(call->arena, cmd->ranges, cmd->nr_ranges,
			      &revival.ranges);
	if (err)
		goto report;
	err = -ENOMEM;
	revival.fresh = kcalloc(revival.ranges.nr, sizeof(*revival.fresh),
				GFP_KERNEL_ACCOUNT);
	if (revival.fresh)
		err = probe_results(cmd, revival.fresh);
	if (err)
		goto put_ranges;
	err = revive_ranges(call->arena, &revival, &cause);
	trace_revive(call->arena, &revival.ranges, revival.nr_kept,
		     revival.nr_fresh, err);
	if (!err)
		err = report_revival(call, &revival);
put_ranges:
	kfree(revival.fresh);
	lull_ranges_put(&revival.ranges);
report:
	if (err == -ENOMEM && cause == LULL_ARENA_CAUSE_NONE)
		cause = LULL_ARENA_CAUSE_MEMORY;
	cmd->cause = cause;
	/* A cause is an output of an ENOMEM, EDQUOT or EINTR; of no other. */
	call->ret_outputs = cause != LULL_ARENA_CAUSE_NONE;
	return err;
}

/* Slots up to a ticket that are out of the kernel's reach just now. */
static u64 busy_bytes(struct lull_arena *arena, u64 ticket)
{
	u64 count = 0;
	unsigned long i;

	lockdep_assert_held(&arena->lock);
	for (i = 0; i < arena->nr_slots; i++) {
		const struct lull_slot *slot = &arena->slots[i];
		bool busy = slot->state == LULL_SLOT_BUSY ||
			    (slot->state == LULL_SLOT_RETIRED &&
			     slot->flags & LULL_SLOT_PINNED);

		count += busy && slot->ticket <= ticket;
	}
	return count << LULL_SLOT_SHIFT;
}

/* Ask for a batch up to @ticket; returns what flushes_done will be then. */
static u64 ask_for_batch(struct lull_arena *arena, u64 ticket)
{
	u64 wanted;

	down_write(&arena->lock);
	arena->flush_ticket = max(arena->flush_ticket, ticket);
	wanted = ++arena->flushes_wanted;
	lull_batch_kick(arena, 0);
	up_write(&arena->lock);
	return wanted;
}

static long wait_flushed(struct lull_arena *arena, u64 wanted, long timeout)
{
	const u64 *done = &arena->flushes_done;
	wait_queue_head_t *wait = &arena->wait;

	return wait_event_killable_timeout(*wait, READ_ONCE(*done) >= wanted,
					   timeout);
}

/* What is left of a timeout that ends at @end. */
static long rest_of(long timeout, unsigned long end)
{
	if (timeout == MAX_SCHEDULE_TIMEOUT)
		return timeout;
	return max((long)(end - jiffies), 0L);
}

/*
 * Wait until everything up to @ticket is out or busy, for @timeout jiffies at
 * most.  One batch does, unless a REVIVE held a slot, or one in reclaim had it
 * and gave it back: then another is asked for, after a pause.
 */
static int flush_to(struct lull_arena *arena, u64 ticket, long timeout,
		    u64 *ret_busy)
{
	unsigned long end = jiffies + timeout;
	u64 wanted, left;
	long rest;

	down_read(&arena->lock);
	left = lull_slots_outstanding(arena, ticket) |
	       busy_bytes(arena, ticket);
	up_read(&arena->lock);
	*ret_busy = 0;
	while (left) {
		wanted = ask_for_batch(arena, ticket);
		rest = wait_flushed(arena, wanted, rest_of(timeout, end));
		if (rest < 0)
			return -EINTR;
		if (!rest)
			return -ETIMEDOUT;
		down_read(&arena->lock);
		left = lull_slots_outstanding(arena, ticket);
		*ret_busy = busy_bytes(arena, ticket);
		up_read(&arena->lock);
		if (left && schedule_timeout_killable(1) &&
		    fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

int lull_arena_flush(struct lull_call *call)
{
	struct lull_arena_flush *cmd = call->cmd;
	struct lull_arena *arena = call->arena;
	long timeout = MAX_SCHEDULE_TIMEOUT;
	u64 ticket, last;

	if (cmd->flags || cmd->__reserved)
		return -EOPNOTSUPP;
	down_read(&arena->lock);
	last = arena->ticket_last;
	up_read(&arena->lock);
	ticket = cmd->ticket == LULL_ARENA_TICKET_ALL ? last : cmd->ticket;
	if (ticket > last || !cmd->ticket)
		return -EINVAL;
	if (cmd->timeout_ms != LULL_ARENA_TIMEOUT_NONE)
		timeout = msecs_to_jiffies(cmd->timeout_ms);
	return flush_to(arena, ticket, timeout, &cmd->busy_bytes);
}

/* RESET, first half: all that can go is on its way. */
static int release_all(struct lull_arena *arena, u64 *ret_ticket)
{
	struct lull_ranges all = {
		.nr = 1,
		.nr_slots = arena->nr_slots,
		.range = all.few,
		.few = { { .offset = 0, .length = arena->nr_slots } },
	};
	unsigned long i;
	int err;

	err = lock_settled(arena, &all);
	if (err)
		return err;
	arena->ticket_last++;
	for (i = 0; i < arena->nr_slots; i++) {
		struct lull_slot *slot = &arena->slots[i];

		/* Another call has it; the second half will see. */
		if (slot->flags & LULL_SLOT_HELD ||
		    slot->state == LULL_SLOT_FILLING ||
		    slot->state == LULL_SLOT_POISON)
			continue;
		if (!release_slot(arena, slot) && slot->folio)
			slot->flags |= LULL_SLOT_WIPE;
	}
	lull_slots_publish(arena);
	*ret_ticket = arena->ticket_last;
	up_write(&arena->lock);
	return 0;
}

int lull_arena_reset(struct lull_call *call)
{
	struct lull_arena_reset *cmd = call->cmd;
	struct lull_arena *arena = call->arena;
	u64 ticket, busy;
	long left;
	int err;

	if (cmd->flags)
		return -EOPNOTSUPP;
	err = release_all(arena, &ticket);
	if (err)
		return err;
	err = flush_to(arena, ticket, MAX_SCHEDULE_TIMEOUT, &busy);
	if (err)
		return err;
	down_write(&arena->lock);
	left = arena->nr_slots - arena->nr_state[LULL_SLOT_EMPTY] -
	       arena->nr_state[LULL_SLOT_POISON];
	/* Whoever maps or touches it next owns what it will hold. */
	if (!left)
		arena->owned = false;
	up_write(&arena->lock);
	return left ? -EBUSY : 0;
}

long lull_arena_fallocate(struct file *file, int mode, loff_t offset,
			  loff_t length)
{
	struct lull_arena *arena = file->private_data;
	struct lull_ranges ranges = { .nr = 1, .range = ranges.few };
	unsigned long pinned;
	u64 ticket, busy;
	int err;

	if (mode != (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE))
		return -EOPNOTSUPP;
	/* The VFS has checked the signs and the sum. */
	if (!IS_ALIGNED(offset | length, LULL_SLOT_BYTES) ||
	    (offset + length) >> LULL_SLOT_SHIFT > arena->nr_slots)
		return -EINVAL;
	ranges.few[0].offset = offset >> LULL_SLOT_SHIFT;
	ranges.few[0].length = length >> LULL_SLOT_SHIFT;
	ranges.nr_slots = ranges.few[0].length;
	/* A hole in a hole is no fault. */
	err = release_ranges(arena, &ranges,
			     BIT(LULL_SLOT_LIVE) | BIT(LULL_SLOT_RETIRED) |
				     BIT(LULL_SLOT_BUSY) | BIT(LULL_SLOT_EMPTY),
			     &ticket, &pinned);
	if (err)
		return err;
	err = flush_to(arena, ticket, MAX_SCHEDULE_TIMEOUT, &busy);
	if (err)
		return err;
	return pinned ? -EBUSY : 0;
}

__poll_t lull_arena_poll(struct file *file, struct poll_table_struct *table)
{
	struct lull_arena *arena = file->private_data;
	u64 first;

	poll_wait(file, &arena->wait, table);
	down_read(&arena->lock);
	first = lull_slots_outstanding(arena, arena->ticket_last);
	up_read(&arena->lock);
	return first ? 0 : EPOLLIN | EPOLLRDNORM;
}

static void query_counters(struct lull_arena_query *cmd,
			   const atomic64_t *counters)
{
	cmd->acquired_bytes = atomic64_read(&counters[LULL_ACQUIRED_BYTES]);
	cmd->zeroed_bytes = atomic64_read(&counters[LULL_ZEROED_BYTES]);
	cmd->faults = atomic64_read(&counters[LULL_FAULTS]);
	cmd->pte_fallbacks = atomic64_read(&counters[LULL_PTE_FALLBACKS]);
	cmd->ranges_retired = atomic64_read(&counters[LULL_RANGES_RETIRED]);
	cmd->ranges_revived = atomic64_read(&counters[LULL_RANGES_REVIVED]);
	cmd->ranges_fresh = atomic64_read(&counters[LULL_RANGES_FRESH]);
	cmd->batches = atomic64_read(&counters[LULL_BATCHES]);
	cmd->runs = atomic64_read(&counters[LULL_RUNS]);
	cmd->flushes = atomic64_read(&counters[LULL_FLUSHES]);
}

static void query_states(struct lull_arena_query *cmd, const long *nr)
{
	cmd->live_bytes = (u64)nr[LULL_SLOT_LIVE] << LULL_SLOT_SHIFT;
	cmd->retired_bytes = (u64)(nr[LULL_SLOT_RETIRED] + nr[LULL_SLOT_TAKING])
			     << LULL_SLOT_SHIFT;
	cmd->busy_bytes = (u64)nr[LULL_SLOT_BUSY] << LULL_SLOT_SHIFT;
	cmd->poisoned_bytes = (u64)nr[LULL_SLOT_POISON] << LULL_SLOT_SHIFT;
}

static void query_arena(struct lull_arena *arena, struct lull_arena_query *cmd)
{
	u64 first;

	cmd->nr_arenas = 1;
	cmd->numa = arena->numa;
	cmd->bytes = (u64)arena->nr_slots << LULL_SLOT_SHIFT;
	down_read(&arena->lock);
	query_states(cmd, arena->nr_state);
	cmd->ticket_last = arena->ticket_last;
	first = lull_slots_outstanding(arena, arena->ticket_last);
	cmd->ticket_done = first ? first - 1 : arena->ticket_last;
	up_read(&arena->lock);
	query_counters(cmd, arena->counters);
}

static void query_module(struct lull_arena_query *cmd)
{
	long nr[LULL_NR_SLOT_STATES];
	unsigned int i;

	cmd->nr_arenas = atomic_long_read(&lull_nr_arenas);
	cmd->bytes = (u64)atomic64_read(&lull_total_slots) << LULL_SLOT_SHIFT;
	for (i = 0; i < LULL_NR_SLOT_STATES; i++)
		nr[i] = atomic_long_read(&lull_nr_state[i]);
	query_states(cmd, nr);
	query_counters(cmd, lull_counters);
}

int lull_arena_query(struct lull_call *call)
{
	struct lull_arena_query *cmd = call->cmd;
	u32 size = cmd->size;

	if (cmd->flags)
		return -EOPNOTSUPP;
	memset(cmd, 0, sizeof(*cmd));
	cmd->size = size;
	cmd->features =
		LULL_ARENA_FEATURE_PUNCH_HOLE | LULL_ARENA_FEATURE_RESERVE;
	cmd->slot_bytes = LULL_SLOT_BYTES;
	cmd->nr_ranges_max = LULL_RANGES_MAX;
	cmd->available_bytes = (u64)lull_pages_available() << LULL_SLOT_SHIFT;
	cmd->reserved_bytes = (u64)lull_pool_slots() << LULL_SLOT_SHIFT;
	if (call->arena)
		query_arena(call->arena, cmd);
	else
		query_module(cmd);
	return 0;
}
