// SPDX-License-Identifier: GPL-2.0-only
/*
 * reap.c - batches: taking retired pages out of all mappings and freeing them
 *
 * One flush of the TLBs per contiguous run and mapping, and no mmap_lock.
 * Five steps, with lock held in the first and the last only:
 *
 *  1. choose: RETIRED slots become TAKING.  From here on a fault finds no page.
 *  2. settle: lock and unlock each folio.  A fault that came before step 1
 *     holds that lock until its PMD is set, so step 3 sees it.  Without this
 *     a fault in flight would map a page that has been freed.
 *  3. unmap: unmap_mapping_range() over each run.
 *  4. free: a page is ours alone when its reference count can be frozen at 1.
 *     Else a pin, direct I/O, or a munmap on another CPU that has cleared its
 *     PMD and not flushed yet, still has it.
 *  5. finish: TAKING becomes EMPTY or BUSY, and whoever waits is woken.
 *
 * In reclaim nothing is waited for: a slot whose folio lock is taken is spared
 * and becomes RETIRED again.
 */
#include <linux/highmem.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/page_ref.h>
#include <linux/pagemap.h>

#include "internal.h"
#include "trace.h"

/*
 * The pages that one mmu_gather takes before it flushes by itself: 19 arrays
 * of 509 and 7 on the stack (6.1 takes 20 more).
 */
#define SLOTS_PER_GATHER 9678UL

/* Slots given back by batches: tells reclaim whether others get on. */
atomic_long_t lull_given_back;

/* Whether a page of a folio has had a memory error. */
bool lull_folio_poisoned(struct folio *folio)
{
	unsigned long i;

	if (!IS_ENABLED(CONFIG_MEMORY_FAILURE))
		return false;
	for (i = 0; i < LULL_SLOT_PAGES; i++) {
		if (PageHWPoison(folio_page(folio, i)))
			return true;
	}
	return false;
}

static bool too_old(const struct lull_slot *slot, unsigned long age_max)
{
	return age_max && (u32)jiffies - slot->retired_at >= (u32)age_max;
}

/* Whether a batch is to take a RETIRED slot, pins apart. */
static bool wanted(const struct lull_slot *slot, const struct lull_batch *batch)
{
	return batch->everything || slot->flags & LULL_SLOT_RELEASED ||
	       slot->ticket <= batch->ticket || too_old(slot, batch->age_max);
}

/* Step 1 for one slot; true when it is TAKING now. */
static bool choose_slot(struct lull_arena *arena, struct lull_slot *slot,
			struct lull_batch *batch)
{
	if (slot->flags & LULL_SLOT_HELD)
		return false;
	if (slot->state == LULL_SLOT_BUSY) {
		if (folio_maybe_dma_pinned(slot->folio))
			return false;
		slot->flags |= LULL_SLOT_WAS_BUSY;
	} else if (slot->state == LULL_SLOT_RETIRED && wanted(slot, batch)) {
		/*
		 * A device that has the page keeps it, while a CPU that
		 * touches the slot later would be given another.
		 */
		if (folio_maybe_dma_pinned(slot->folio)) {
			slot->flags |= LULL_SLOT_PINNED;
			return false;
		}
		batch->nr_taken++;
	} else {
		return false;
	}
	slot->flags &= ~LULL_SLOT_PINNED;
	lull_slot_set(arena, slot, LULL_SLOT_TAKING);
	return true;
}

static bool choose_slots(struct lull_arena *arena, struct lull_batch *batch)
{
	unsigned long i;

	batch->first = arena->nr_slots;
	batch->end = 0;
	if (batch->wait)
		down_write(&arena->lock);
	else if (!down_write_trylock(&arena->lock))
		return false;
	for (i = 0; i < arena->nr_slots; i++) {
		if (batch->nr_max && batch->nr_taken >= batch->nr_max)
			break;
		if (!choose_slot(arena, &arena->slots[i], batch))
			continue;
		batch->first = min(batch->first, i);
		batch->end = i + 1;
	}
	lull_slots_publish(arena);
	up_write(&arena->lock);
	return batch->first < batch->end;
}

/* Step 2.  A slot that was BUSY has not been mapped since. */
static void settle_faults(struct lull_arena *arena, struct lull_batch *batch)
{
	unsigned long i;

	for (i = batch->first; i < batch->end; i++) {
		struct lull_slot *slot = &arena->slots[i];

		if (READ_ONCE(slot->state) != LULL_SLOT_TAKING ||
		    slot->flags & LULL_SLOT_WAS_BUSY)
			continue;
		if (batch->wait) {
			folio_lock(slot->folio);
		} else if (!folio_trylock(slot->folio)) {
			slot->flags |= LULL_SLOT_SPARED;
			batch->nr_taken--;
			continue;
		}
		folio_unlock(slot->folio);
	}
}

/* Whether a slot is to be unmapped. */
static bool leaves(const struct lull_slot *slot)
{
	return slot->state == LULL_SLOT_TAKING &&
	       !(slot->flags & (LULL_SLOT_WAS_BUSY | LULL_SLOT_SPARED));
}

/* Whether unmapping a slot that stays would cost somebody a fault. */
static bool has_mapping(const struct lull_slot *slot)
{
	return slot->state == LULL_SLOT_LIVE ||
	       slot->state == LULL_SLOT_RETIRED ||
	       (slot->state == LULL_SLOT_TAKING &&
		slot->flags & LULL_SLOT_SPARED);
}

/**
 * struct run - neighbours that are unmapped together
 * @first: slot
 * @end: behind the last one
 * @touched: one of them may be mapped
 *
 * Slots without memory in between do not end a run.  Up to merge_gap that have
 * some do not either: their PMDs go, and the next fault maps the same page
 * again, which costs less than a flush when there are few.
 */
struct run {
	unsigned long first;
	unsigned long end;
	bool touched;
};

static bool find_run(struct lull_arena *arena, unsigned long from,
		     unsigned long end, struct run *ret)
{
	unsigned long i, gap = 0, gap_max = READ_ONCE(lull_merge_gap);
	bool found = false;

	down_read(&arena->lock);
	for (i = from; i < end && gap <= gap_max; i++) {
		const struct lull_slot *slot = &arena->slots[i];

		if (!leaves(slot)) {
			gap += found && has_mapping(slot);
			continue;
		}
		if (!found)
			*ret = (struct run){ .first = i };
		found = true;
		gap = 0;
		ret->end = i + 1;
		ret->touched |= slot->touched;
	}
	up_read(&arena->lock);
	return found;
}

/* Step 3. */
static void unmap_runs(struct lull_arena *arena, struct lull_batch *batch)
{
	unsigned long at = batch->first;
	struct run run;

	while (find_run(arena, at, batch->end, &run)) {
		unsigned long nr = run.end - run.first;
		unsigned int mappings =
			lull_arena_mappings(arena, run.first, nr);
		unsigned long flushes = 0;

		/* A range that nobody touched has nothing to flush. */
		if (run.touched)
			flushes = mappings * DIV_ROUND_UP(nr, SLOTS_PER_GATHER);
		trace_run(arena, run.first, nr, mappings);
		unmap_mapping_range(arena->inode->i_mapping,
				    (loff_t)run.first << LULL_SLOT_SHIFT,
				    (loff_t)nr << LULL_SLOT_SHIFT, 1);
		lull_arena_count(arena, LULL_FLUSHES, flushes);
		batch->nr_runs++;
		at = run.end;
		cond_resched();
	}
	lull_arena_count(arena, LULL_RUNS, batch->nr_runs);
}

static void zero_folio(struct lull_arena *arena, struct folio *folio)
{
	unsigned long i;

	for (i = 0; i < LULL_SLOT_PAGES; i++)
		clear_highpage(folio_page(folio, i));
	lull_arena_count(arena, LULL_ZEROED_BYTES, LULL_SLOT_BYTES);
}

/*
 * Free a page that is in no mapping of ours.  False when somebody else has a
 * reference.  One with a memory error is kept for ever, never handed on.
 */
static bool free_folio(struct lull_arena *arena, struct lull_slot *slot,
		       bool wait)
{
	struct folio *folio = slot->folio;
	bool secret = arena->create_flags & LULL_ARENA_CREATE_SECRET;
	bool to_pool = wait && !secret && lull_folio_from_pool(folio);

	if (!folio_ref_freeze(folio, 1))
		return false;
	slot->folio = NULL;
	if (lull_folio_poisoned(folio)) {
		slot->flags |= LULL_SLOT_BAD;
		folio_ref_unfreeze(folio, 1);
		return true;
	}
	if (secret || to_pool || slot->flags & LULL_SLOT_WIPE)
		zero_folio(arena, folio);
	folio_ref_unfreeze(folio, 1);
	if (!to_pool || !lull_pool_give(folio))
		lull_folio_put(folio);
	return true;
}

/* Step 4. */
static void free_slots(struct lull_arena *arena, struct lull_batch *batch)
{
	unsigned long i;

	for (i = batch->first; i < batch->end; i++) {
		struct lull_slot *slot = &arena->slots[i];

		if (READ_ONCE(slot->state) != LULL_SLOT_TAKING ||
		    slot->flags & LULL_SLOT_SPARED)
			continue;
		free_folio(arena, slot, batch->wait);
		cond_resched();
	}
}

/* Step 5 for one slot; returns how many pages that took from the arena. */
static unsigned long finish_slot(struct lull_arena *arena,
				 struct lull_slot *slot)
{
	u8 released = slot->flags & LULL_SLOT_RELEASED;

	if (slot->flags & LULL_SLOT_SPARED) {
		slot->flags &= ~LULL_SLOT_SPARED;
		lull_slot_set(arena, slot, LULL_SLOT_RETIRED);
		return 0;
	}
	slot->touched = 0;
	if (slot->folio) {
		slot->flags &= LULL_SLOT_RELEASED | LULL_SLOT_WIPE;
		lull_slot_set(arena, slot, LULL_SLOT_BUSY);
		return 0;
	}
	if (slot->flags & LULL_SLOT_BAD) {
		slot->flags = 0;
		lull_slot_set(arena, slot, LULL_SLOT_POISON);
		return 1;
	}
	slot->flags = released ? 0 : LULL_SLOT_TAKEN;
	lull_slot_set(arena, slot, LULL_SLOT_EMPTY);
	return 1;
}

static void finish_slots(struct lull_arena *arena, struct lull_batch *batch)
{
	unsigned long i;

	/*
	 * Not tried but waited for, in reclaim too: nobody who holds this
	 * lock waits for memory or for a lock that a reclaiming task has.
	 */
	down_write(&arena->lock);
	for (i = batch->first; i < batch->end; i++) {
		struct lull_slot *slot = &arena->slots[i];

		if (slot->state == LULL_SLOT_TAKING)
			batch->nr_freed += finish_slot(arena, slot);
	}
	lull_slots_publish(arena);
	up_write(&arena->lock);
	lull_account_uncharge(arena, batch->nr_freed);
	atomic_long_add(batch->nr_freed, &lull_given_back);
	wake_up_all(&arena->wait);
}

/**
 * lull_batch_run() - take and free what a batch is to have
 * @arena: whose; batch_lock held
 * @batch: what, and what came of it
 */
void lull_batch_run(struct lull_arena *arena, struct lull_batch *batch)
{
	u64 begin = ktime_get_ns();

	lockdep_assert_held(&arena->batch_lock);
	if (!choose_slots(arena, batch))
		return;
	trace_batch_begin(arena, batch);
	settle_faults(arena, batch);
	unmap_runs(arena, batch);
	free_slots(arena, batch);
	finish_slots(arena, batch);
	if (batch->nr_taken)
		lull_arena_count(arena, LULL_BATCHES, 1);
	trace_batch_end(arena, batch, ktime_get_ns() - begin);
}

/* How many slots may be retired: the arena's bound, or the module's, or none. */
unsigned long lull_arena_retire_max(const struct lull_arena *arena)
{
	u64 bytes = arena->retire_max_bytes ?: READ_ONCE(lull_retire_max_bytes);

	return bytes ? bytes >> LULL_SLOT_SHIFT : ULONG_MAX;
}

/* For how many jiffies, likewise; 0 is for ever. */
unsigned long lull_arena_age_max(const struct lull_arena *arena)
{
	u32 ms = arena->retire_max_age_ms;

	return msecs_to_jiffies(ms ?: READ_ONCE(lull_retire_max_age_ms));
}

static unsigned long retired_after(const struct lull_arena *arena, u64 ticket)
{
	unsigned long i, count = 0;

	for (i = 0; i < arena->nr_slots; i++)
		count += arena->slots[i].state == LULL_SLOT_RETIRED &&
			 arena->slots[i].ticket > ticket;
	return count;
}

/*
 * The ticket up to which retired slots have to go for the bound to hold: the
 * oldest retirements, whole.  Found by halving, so that it costs a few passes
 * over the table and no memory.
 */
static u64 over_bound(struct lull_arena *arena)
{
	unsigned long max = lull_arena_retire_max(arena);
	u64 low = 0, high = arena->ticket_last;

	lockdep_assert_held(&arena->lock);
	if (arena->nr_state[LULL_SLOT_RETIRED] <= max)
		return 0;
	while (low < high) {
		u64 middle = low + (high - low) / 2;

		if (retired_after(arena, middle) <= max)
			high = middle;
		else
			low = middle + 1;
	}
	return high;
}

/**
 * lull_batch_kick() - have a batch run no later than in a while
 * @arena: with lock held for writing
 * @delay: in jiffies
 */
void lull_batch_kick(struct lull_arena *arena, unsigned long delay)
{
	unsigned long due = jiffies + delay;

	lockdep_assert_held_write(&arena->lock);
	if (arena->due_set && time_after_eq(due, arena->due))
		return;
	arena->due_set = true;
	arena->due = due;
	mod_delayed_work(lull_wq, &arena->work, delay);
}

/* When the next batch is due, for what this one left; lock held. */
static void kick_next(struct lull_arena *arena, unsigned long age_max)
{
	unsigned long delay = MAX_JIFFY_OFFSET;
	unsigned long i;

	if (!arena->nr_state[LULL_SLOT_RETIRED] &&
	    !arena->nr_state[LULL_SLOT_BUSY])
		return;
	for (i = 0; i < arena->nr_slots; i++) {
		const struct lull_slot *slot = &arena->slots[i];
		u32 age = (u32)jiffies - slot->retired_at;
		bool retry = slot->flags & LULL_SLOT_RELEASED ||
			     too_old(slot, age_max);

		if (slot->state == LULL_SLOT_BUSY ||
		    (slot->state == LULL_SLOT_RETIRED && retry))
			delay = min_t(unsigned long, delay, LULL_BUSY_RETRY);
		else if (slot->state == LULL_SLOT_RETIRED && age_max)
			delay = min(delay, age_max - age);
	}
	if (delay < MAX_JIFFY_OFFSET)
		lull_batch_kick(arena, delay);
}

/* What is released, too old, too much, or what a FLUSH waits for. */
void lull_batch_work(struct work_struct *work)
{
	struct lull_arena *arena =
		container_of(work, struct lull_arena, work.work);
	struct lull_batch batch = { .why = LULL_BATCH_WORK, .wait = true };
	u64 wanted;

	mutex_lock(&arena->batch_lock);
	batch.age_max = lull_arena_age_max(arena);
	down_write(&arena->lock);
	arena->due_set = false;
	wanted = arena->flushes_wanted;
	batch.ticket = max(arena->flush_ticket, over_bound(arena));
	arena->flush_ticket = 0;
	up_write(&arena->lock);

	lull_batch_run(arena, &batch);

	down_write(&arena->lock);
	arena->flushes_done = wanted;
	kick_next(arena, batch.age_max);
	up_write(&arena->lock);
	mutex_unlock(&arena->batch_lock);
	wake_up_all(&arena->wait);
}

/**
 * lull_slots_drop() - let go of every page, when the file has gone
 * @arena: in nobody else's hands
 * @keep_busy: keep those that somebody refers to; else the last reference
 *	frees them
 *
 * Return: true when no page is left.
 */
bool lull_slots_drop(struct lull_arena *arena, bool keep_busy)
{
	unsigned long i, nr_dropped = 0, nr_kept = 0;

	down_write(&arena->lock);
	for (i = 0; i < arena->nr_slots; i++) {
		struct lull_slot *slot = &arena->slots[i];
		struct folio *folio = slot->folio;

		if (!folio)
			continue;
		if (!free_folio(arena, slot, true)) {
			if (keep_busy) {
				nr_kept++;
				continue;
			}
			slot->folio = NULL;
			if (lull_folio_poisoned(folio))
				slot->flags |= LULL_SLOT_BAD;
			else
				lull_folio_put(folio);
		}
		nr_dropped++;
		lull_slot_set(arena, slot,
			      slot->flags & LULL_SLOT_BAD ? LULL_SLOT_POISON :
							    LULL_SLOT_EMPTY);
		if (need_resched()) {
			up_write(&arena->lock);
			cond_resched();
			down_write(&arena->lock);
		}
	}
	lull_slots_publish(arena);
	up_write(&arena->lock);
	lull_account_uncharge(arena, nr_dropped);
	return !nr_kept;
}
