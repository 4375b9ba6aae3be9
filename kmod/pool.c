// SPDX-License-Identifier: GPL-2.0-only
/*
 * pool.c - the reserve: per node, pages that wait zeroed for an ACQUIRE
 *
 * Empty unless the administrator wants one (reserve_bytes).  Pages are zeroed
 * before they enter.  They belong to no memory cgroup, as hugetlb's do not:
 * the limits of account.c hold for them all the same.  Under pressure they go
 * first; what is missing is fetched again later, without any pressure.
 */
#include <linux/mmzone.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "internal.h"

/* After an ACQUIRE took some: when it will be through. */
#define REFILL_SOON (HZ)
/* After memory was short. */
#define REFILL_LATER (10 * HZ)

static unsigned long reserve_bytes;
module_param(reserve_bytes, ulong, 0444);
MODULE_PARM_DESC(reserve_bytes,
		 "keep this much zeroed and ready, spread over the nodes");

/**
 * struct pool - the reserve of a node
 * @lock: guards the rest
 * @free: folios, by lru
 * @nr: how many
 * @target: how many there should be
 */
struct pool {
	spinlock_t lock; /* see above */
	struct list_head free;
	unsigned long nr;
	unsigned long target;
};

static struct pool *pools;
/* One changes targets or refills at a time.  Memory is allocated under it. */
static DEFINE_MUTEX(resize_lock);

static void refill(struct work_struct *work);
static DECLARE_DELAYED_WORK(refill_work, refill);

/* Says of a page in a slot that it came from here, and is in no cgroup. */
#define FROM_POOL ((void *)&pools)

bool lull_folio_from_pool(const struct folio *folio)
{
	return folio->private == FROM_POOL;
}

/* Whether memory may be had from a node. */
bool lull_node_usable(u32 node)
{
	return node < nr_node_ids && node_state(node, N_MEMORY);
}

static struct folio *pop(struct pool *pool)
{
	struct folio *folio;

	spin_lock(&pool->lock);
	folio = list_first_entry_or_null(&pool->free, struct folio, lru);
	if (folio) {
		list_del(&folio->lru);
		WRITE_ONCE(pool->nr, pool->nr - 1);
	}
	spin_unlock(&pool->lock);
	return folio;
}

static void push(struct pool *pool, struct folio *folio)
{
	spin_lock(&pool->lock);
	list_add(&folio->lru, &pool->free);
	WRITE_ONCE(pool->nr, pool->nr + 1);
	spin_unlock(&pool->lock);
}

/**
 * lull_folio_alloc() - a zeroed page of 2 MiB
 * @gfp: how hard to try
 * @node: where first
 * @allowed: where else; NULL for anywhere
 *
 * Its index is what its last user left there.  Newer kernels compare the index
 * with i_size before they map by PMD, and would map by 4 KiB, silently.
 */
struct folio *lull_folio_alloc(gfp_t gfp, int node, nodemask_t *allowed)
{
	struct folio *folio = __folio_alloc(gfp | __GFP_ZERO | __GFP_NOWARN,
					    LULL_SLOT_ORDER, node, allowed);

	if (folio)
		folio->index = 0;
	return folio;
}

/* Let go of a page that was a slot's, or the pool's. */
void lull_folio_put(struct folio *folio)
{
	folio->private = NULL;
	folio_put(folio);
}

/* A zeroed page of @node, or NULL. */
struct folio *lull_pool_take(int node)
{
	struct folio *folio;

	if (!READ_ONCE(pools[node].nr))
		return NULL;
	folio = pop(&pools[node]);
	if (folio)
		queue_delayed_work(lull_wq, &refill_work, REFILL_SOON);
	return folio;
}

/*
 * Take a zeroed page back.  False when it did not come from here or is not
 * needed: then it is the caller's to put.
 */
bool lull_pool_give(struct folio *folio)
{
	struct pool *pool = &pools[folio_nid(folio)];

	if (!lull_folio_from_pool(folio))
		return false;
	if (READ_ONCE(pool->nr) >= READ_ONCE(pool->target))
		return false;
	push(pool, folio);
	return true;
}

/* Free up to @nr pages under pressure; returns how many. */
unsigned long lull_pool_shrink(unsigned long nr)
{
	unsigned long freed = 0;
	struct folio *folio;
	int node;

	for_each_node_state(node, N_MEMORY) {
		while (freed < nr && (folio = pop(&pools[node]))) {
			lull_folio_put(folio);
			freed++;
		}
	}
	if (freed)
		mod_delayed_work(lull_wq, &refill_work, REFILL_LATER);
	return freed;
}

unsigned long lull_pool_slots(void)
{
	unsigned long sum = 0;
	int node;

	for_each_node_state(node, N_MEMORY)
		sum += READ_ONCE(pools[node].nr);
	return sum;
}

/* What the administrator wants, of one node or (NUMA_NO_NODE) of all. */
unsigned long lull_pool_slots_target(int node)
{
	unsigned long sum = 0;

	if (node != NUMA_NO_NODE)
		return READ_ONCE(pools[node].target);
	for_each_node_state(node, N_MEMORY)
		sum += READ_ONCE(pools[node].target);
	return sum;
}

/* Allocate, by @effort, up to a node's target; false when it fell short. */
static bool fill_pool(int node, gfp_t effort)
{
	struct pool *pool = &pools[node];
	gfp_t gfp = effort | __GFP_THISNODE;

	lockdep_assert_held(&resize_lock);
	while (pool->nr < pool->target) {
		struct folio *folio;

		folio = lull_folio_alloc(gfp, node, NULL);
		if (!folio || signal_pending(current)) {
			if (folio)
				folio_put(folio);
			return false;
		}
		folio->private = FROM_POOL;
		push(pool, folio);
		cond_resched();
	}
	return true;
}

static void refill(struct work_struct *work)
{
	bool full = true;
	int node;

	mutex_lock(&resize_lock);
	for_each_node_state(node, N_MEMORY)
		full &= fill_pool(node, LULL_GFP_FREE_ONLY(GFP_HIGHUSER));
	mutex_unlock(&resize_lock);
	if (!full)
		queue_delayed_work(lull_wq, &refill_work, REFILL_LATER);
}

static int resize_node(int node, unsigned long nr)
{
	struct pool *pool = &pools[node];
	struct folio *folio;

	lockdep_assert_held(&resize_lock);
	WRITE_ONCE(pool->target, nr);
	while (pool->nr > nr && (folio = pop(pool)))
		lull_folio_put(folio);
	if (fill_pool(node, GFP_HIGHUSER | __GFP_RETRY_MAYFAIL))
		return 0;
	if (signal_pending(current))
		return -EINTR;
	queue_delayed_work(lull_wq, &refill_work, REFILL_LATER);
	return 0;
}

/**
 * lull_pool_resize() - set the reserve and fill it
 * @node: which, or NUMA_NO_NODE to spread @nr over all
 * @nr: slots
 *
 * Return: 0, even when memory was short: the rest comes when there is some,
 * and reserved_bytes tells.  -EINTR when a signal came; the target holds.
 */
int lull_pool_resize(int node, unsigned long nr)
{
	unsigned long left = num_node_state(N_MEMORY);
	int err = 0;

	mutex_lock(&resize_lock);
	if (node != NUMA_NO_NODE) {
		err = resize_node(node, nr);
		goto unlock;
	}
	for_each_node_state(node, N_MEMORY) {
		unsigned long share = nr / left;

		err = resize_node(node, share);
		if (err)
			break;
		nr -= share;
		/* Nothing is left for one that came online since we counted. */
		if (left > 1)
			left--;
	}
unlock:
	mutex_unlock(&resize_lock);
	return err;
}

/* Free blocks of a zone that an allocation could have without reclaim. */
static unsigned long zone_available(struct zone *zone)
{
	unsigned long blocks = 0;
	unsigned long free = zone_page_state(zone, NR_FREE_PAGES);
	unsigned long kept = low_wmark_pages(zone);
	unsigned int order;

	for (order = LULL_SLOT_ORDER; order < ARRAY_SIZE(zone->free_area);
	     order++)
		blocks += READ_ONCE(zone->free_area[order].nr_free)
			  << (order - LULL_SLOT_ORDER);
	return free > kept ? min(blocks, (free - kept) >> LULL_SLOT_ORDER) : 0;
}

/* Pages that could be had just now, about: nothing is locked. */
unsigned long lull_pages_available(void)
{
	unsigned long sum = lull_pool_slots();
	int node, i;

	for_each_node_state(node, N_MEMORY) {
		/* Our pages cannot move, so not from ZONE_MOVABLE. */
		for (i = 0; i < ZONE_MOVABLE; i++) {
			struct zone *zone = &NODE_DATA(node)->node_zones[i];

			if (populated_zone(zone))
				sum += zone_available(zone);
		}
	}
	return sum;
}

int lull_pool_init(void)
{
	int node;

	pools = kcalloc(nr_node_ids, sizeof(*pools), GFP_KERNEL);
	if (!pools)
		return -ENOMEM;
	for (node = 0; node < nr_node_ids; node++) {
		spin_lock_init(&pools[node].lock);
		INIT_LIST_HEAD(&pools[node].free);
	}
	if (reserve_bytes)
		lull_pool_resize(NUMA_NO_NODE,
				 reserve_bytes >> LULL_SLOT_SHIFT);
	return 0;
}

void lull_pool_exit(void)
{
	int node;

	mutex_lock(&resize_lock);
	for (node = 0; node < nr_node_ids; node++)
		WRITE_ONCE(pools[node].target, 0);
	mutex_unlock(&resize_lock);
	cancel_delayed_work_sync(&refill_work);
	lull_pool_shrink(ULONG_MAX);
	/* Which queued it again. */
	cancel_delayed_work_sync(&refill_work);
	kfree(pools);
}
