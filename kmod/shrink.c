// SPDX-License-Identifier: GPL-2.0-only
/*
 * shrink.c - memory back to the kernel when it is short: the reserve, then
 * what is RETIRED
 *
 * By the shrinker, which reclaim calls; by the OOM notifier, which the kernel
 * calls before it would kill; and by an ACQUIRE that a limit stands in the way
 * of.  See internal.h for why none of these waits for a batch or a folio.
 */
#include <linux/notifier.h>
#include <linux/oom.h>

#include "internal.h"

/*
 * What one scan takes at most, unless more is asked for: 128 MiB.  Each scan
 * of an arena costs a flush.
 */
#define SLOTS_PER_SCAN 64UL
/* How often and for how long the OOM notifier waits for a batch under way. */
#define OOM_WAITS 50
#define OOM_WAIT (HZ / 50)

static struct shrinker *shrinker;

static bool asked_for(const struct lull_arena *arena,
		      const struct lull_reclaim *request)
{
	if (request->user && arena->user != request->user)
		return false;
	return !request->memcg || arena->memcg == request->memcg;
}

/* Take from one arena; @ret_contended when somebody else is at it. */
static unsigned long reclaim_arena(struct lull_arena *arena, unsigned long nr,
				   bool *ret_contended)
{
	struct lull_batch batch = {
		.why = LULL_BATCH_RECLAIM,
		.everything = true,
		.nr_max = nr,
	};

	if (!READ_ONCE(arena->nr_state[LULL_SLOT_RETIRED]) &&
	    !READ_ONCE(arena->nr_state[LULL_SLOT_TAKING]) &&
	    !READ_ONCE(arena->nr_state[LULL_SLOT_BUSY]))
		return 0;
	if (!mutex_trylock(&arena->batch_lock)) {
		*ret_contended = true;
		return 0;
	}
	lull_batch_run(arena, &batch);
	mutex_unlock(&arena->batch_lock);
	return batch.nr_freed;
}

static unsigned long reclaim_arenas(const struct lull_reclaim *request,
				    bool *ret_contended)
{
	struct lull_arena *arena;
	unsigned long freed = 0;

	lockdep_assert_held(&lull_arenas_lock);
	list_for_each_entry(arena, &lull_arenas, link) {
		if (freed >= request->nr)
			break;
		if (asked_for(arena, request))
			freed += reclaim_arena(arena, request->nr - freed,
					       ret_contended);
	}
	/* The next one begins with another arena. */
	if (!list_empty(&lull_arenas))
		list_rotate_left(&lull_arenas);
	return freed;
}

/**
 * lull_reclaim() - take retired slots, outside of the kernel's reclaim
 * @request: whose, and how many
 *
 * Return: slots freed.
 */
unsigned long lull_reclaim(const struct lull_reclaim *request)
{
	bool contended = false;
	unsigned long freed;

	mutex_lock(&lull_arenas_lock);
	freed = reclaim_arenas(request, &contended);
	mutex_unlock(&lull_arenas_lock);
	return freed;
}

static unsigned long retired_slots(void)
{
	long nr = atomic_long_read(&lull_nr_state[LULL_SLOT_RETIRED]);

	return max(nr, 0L);
}

static unsigned long reclaimable_slots(void)
{
	return retired_slots() + lull_pool_slots();
}

static unsigned long count_objects(struct shrinker *unused,
				   struct shrink_control *control)
{
	return reclaimable_slots() * LULL_SLOT_PAGES;
}

/*
 * The kernel wants half of what is there and asks for it in batches.  A half
 * that is less than a batch it puts off, until it has gone through a quarter
 * of the page cache: so a batch is one slot, and more is given than it asks
 * for.
 */
static unsigned long slots_to_take(const struct shrink_control *control)
{
	unsigned long asked =
		DIV_ROUND_UP(control->nr_to_scan, LULL_SLOT_PAGES);

	return max(asked, min(reclaimable_slots() / 2, SLOTS_PER_SCAN));
}

static unsigned long scan_objects(struct shrinker *unused,
				  struct shrink_control *control)
{
	struct lull_reclaim request = { .nr = slots_to_take(control) };
	unsigned long freed = lull_pool_shrink(request.nr);
	bool contended = false;

	if (freed < request.nr && mutex_trylock(&lull_arenas_lock)) {
		request.nr -= freed;
		freed += reclaim_arenas(&request, &contended);
		mutex_unlock(&lull_arenas_lock);
	}
	if (!freed)
		return SHRINK_STOP;
	lull_account_reclaimed(freed * LULL_SLOT_PAGES);
	control->nr_scanned = max(control->nr_to_scan, freed * LULL_SLOT_PAGES);
	return freed * LULL_SLOT_PAGES;
}

/*
 * The last resort before a process is killed.  Whoever has an arena in a batch
 * just now gives memory back soon, so that is waited for.  lull_arenas_lock
 * may be waited for even here: its holder waits for nothing that we hold.
 */
static int before_oom_kill(struct notifier_block *block, unsigned long unused,
			   void *ret_freed)
{
	long before = atomic_long_read(&lull_given_back);
	struct lull_reclaim request = { .nr = ULONG_MAX };
	unsigned long freed = lull_pool_shrink(ULONG_MAX);
	bool contended;
	int i;

	for (i = 0; i < OOM_WAITS; i++) {
		contended = false;
		mutex_lock(&lull_arenas_lock);
		reclaim_arenas(&request, &contended);
		mutex_unlock(&lull_arenas_lock);
		freed += atomic_long_read(&lull_given_back) - before;
		if (freed || !contended)
			break;
		schedule_timeout_uninterruptible(OOM_WAIT);
	}
	*(unsigned long *)ret_freed += freed * LULL_SLOT_PAGES;
	return NOTIFY_OK;
}

static struct notifier_block oom_notifier = {
	.notifier_call = before_oom_kill,
};

int lull_shrink_init(void)
{
	int err;

	shrinker = lull_shrinker_alloc();
	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = count_objects;
	shrinker->scan_objects = scan_objects;
	/* Costs no I/O to make again: take half at the first sign. */
	shrinker->seeks = 0;
	shrinker->batch = LULL_SLOT_PAGES;
	err = lull_shrinker_register(shrinker);
	if (err)
		return err;
	err = register_oom_notifier(&oom_notifier);
	if (err)
		lull_shrinker_free(shrinker);
	return err;
}

void lull_shrink_exit(void)
{
	unregister_oom_notifier(&oom_notifier);
	lull_shrinker_free(shrinker);
}
