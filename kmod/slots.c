// SPDX-License-Identifier: GPL-2.0-only
/*
 * slots.c - the slot table: states and their sums, and the ranges of a call
 *
 * Nothing here sleeps for long, allocates under a lock or touches a page.
 */
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "internal.h"

/* Change a slot's state.  The sums that others see follow at publish. */
void lull_slot_set(struct lull_arena *arena, struct lull_slot *slot,
		   enum lull_slot_state state)
{
	lockdep_assert_held_write(&arena->lock);
	arena->nr_state[slot->state]--;
	arena->nr_state[state]++;
	WRITE_ONCE(slot->state, state);
}

/*
 * Bring the module's sums up to date, once for all slots that a call changed:
 * one atomic addition a slot would make RETIRE of a large range slow.
 */
void lull_slots_publish(struct lull_arena *arena)
{
	unsigned int i;

	lockdep_assert_held_write(&arena->lock);
	for (i = 0; i < LULL_NR_SLOT_STATES; i++) {
		long by = arena->nr_state[i] - arena->nr_published[i];

		if (!by)
			continue;
		atomic_long_add(by, &lull_nr_state[i]);
		arena->nr_published[i] = arena->nr_state[i];
	}
}

static int compare_ranges(const void *a, const void *b)
{
	const struct lull_arena_range *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool ascending(const struct lull_arena_range *range, unsigned int nr)
{
	unsigned int i;

	for (i = 1; i < nr; i++) {
		if (range[i].offset < range[i - 1].offset + range[i - 1].length)
			return false;
	}
	return true;
}

/* Ranges come sorted as a rule; else a sorted copy tells. */
static int refuse_overlap(const struct lull_ranges *ranges)
{
	struct lull_arena_range *sorted;
	bool apart;

	if (ascending(ranges->range, ranges->nr))
		return 0;
	sorted = kmemdup(ranges->range, ranges->nr * sizeof(*sorted),
			 GFP_KERNEL);
	if (!sorted)
		return -ENOMEM;
	sort(sorted, ranges->nr, sizeof(*sorted), compare_ranges, NULL);
	apart = ascending(sorted, ranges->nr);
	kfree(sorted);
	return apart ? 0 : -EINVAL;
}

/* From bytes to slots, in place, so that nobody divides later. */
static int check_range(const struct lull_arena *arena,
		       struct lull_arena_range *range)
{
	u64 end;

	if (!range->length ||
	    !IS_ALIGNED(range->offset | range->length, LULL_SLOT_BYTES))
		return -EINVAL;
	if (check_add_overflow(range->offset, range->length, &end) ||
	    end >> LULL_SLOT_SHIFT > arena->nr_slots)
		return -EINVAL;
	range->offset >>= LULL_SLOT_SHIFT;
	range->length >>= LULL_SLOT_SHIFT;
	return 0;
}

/**
 * lull_ranges_get() - copy the ranges of a call in and check them
 * @arena: which they are of
 * @address: the caller's, of @nr struct lull_arena_range
 * @nr: as the caller says
 * @ret: filled in, in slots; lull_ranges_put() afterwards
 *
 * Return: 0, -EINVAL, -EFAULT or -ENOMEM.
 */
int lull_ranges_get(struct lull_arena *arena, u64 address, u32 nr,
		    struct lull_ranges *ret)
{
	const void __user *user = u64_to_user_ptr(address);
	unsigned int i;
	int err;

	if (!nr || nr > LULL_RANGES_MAX)
		return -EINVAL;
	ret->nr = nr;
	ret->nr_slots = 0;
	ret->range = ret->few;
	if (nr > ARRAY_SIZE(ret->few)) {
		ret->range = vmemdup_user(user, nr * sizeof(*ret->range));
		if (IS_ERR(ret->range))
			return PTR_ERR(ret->range);
	} else if (copy_from_user(ret->few, user, nr * sizeof(*ret->range))) {
		return -EFAULT;
	}
	for (i = 0; i < nr; i++) {
		err = check_range(arena, &ret->range[i]);
		if (err)
			goto put_ranges;
		ret->nr_slots += ret->range[i].length;
	}
	err = refuse_overlap(ret);
	if (err)
		goto put_ranges;
	return 0;

put_ranges:
	lull_ranges_put(ret);
	return err;
}

void lull_ranges_put(struct lull_ranges *ranges)
{
	if (ranges->range != ranges->few)
		kvfree(ranges->range);
}

/* Why a command does not take a slot. */
static int refusal(const struct lull_slot *slot)
{
	switch (slot->state) {
	case LULL_SLOT_POISON:
		return -EIO;
	case LULL_SLOT_FILLING:
	case LULL_SLOT_TAKING:
	case LULL_SLOT_BUSY:
		return -EBUSY;
	default:
		return -ENOENT;
	}
}

static bool taken_by(const struct lull_slot *slot, unsigned int states)
{
	if (BIT(slot->state) & states)
		return true;
	return BIT(LULL_SLOT_IF_TAKEN) & states &&
	       slot->state == LULL_SLOT_EMPTY && slot->flags & LULL_SLOT_TAKEN;
}

/**
 * lull_slots_check() - whether all slots of a call are in the right state
 * @arena: with lock held
 * @ranges: of the call
 * @states: BIT(LULL_SLOT_*) of those it takes, or of LULL_SLOT_IF_TAKEN
 *
 * Return: 0, or what to tell the caller of the first that is not.  A slot
 * that another call has in its hands is -EBUSY for everyone.
 */
int lull_slots_check(struct lull_arena *arena, const struct lull_ranges *ranges,
		     unsigned int states)
{
	unsigned int i;
	u64 at;

	lockdep_assert_held(&arena->lock);
	for (i = 0; i < ranges->nr; i++) {
		const struct lull_arena_range *range = &ranges->range[i];

		for (at = range->offset; at < range->offset + range->length;
		     at++) {
			const struct lull_slot *slot = &arena->slots[at];

			if (slot->flags & LULL_SLOT_HELD)
				return -EBUSY;
			if (!taken_by(slot, states))
				return refusal(slot);
		}
	}
	return 0;
}

/**
 * lull_slots_outstanding() - the first retirement that is not through yet
 * @arena: with lock held
 * @ticket: look no further than this
 *
 * Return: the lowest ticket of a slot that is RETIRED or TAKING and not
 * counted as busy, or 0 when there is none up to @ticket.
 */
u64 lull_slots_outstanding(struct lull_arena *arena, u64 ticket)
{
	u64 first = 0;
	unsigned long i;

	lockdep_assert_held(&arena->lock);
	if (!arena->nr_state[LULL_SLOT_RETIRED] &&
	    !arena->nr_state[LULL_SLOT_TAKING])
		return 0;
	for (i = 0; i < arena->nr_slots; i++) {
		const struct lull_slot *slot = &arena->slots[i];
		bool waits = slot->state == LULL_SLOT_TAKING ||
			     (slot->state == LULL_SLOT_RETIRED &&
			      !(slot->flags & LULL_SLOT_PINNED));

		if (waits && slot->ticket <= ticket &&
		    (!first || slot->ticket < first))
			first = slot->ticket;
	}
	return first;
}
