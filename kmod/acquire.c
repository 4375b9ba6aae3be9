// SPDX-License-Identifier: GPL-2.0-only
/*
 * acquire.c - memory for slots: allocated and zeroed by many threads, by node
 *
 * ACQUIRE claims its slots (FILLING), fills without any lock, then makes them
 * LIVE or gives everything back.  The caller works too, so it gets on even
 * when the queue has no thread to spare; a signal stops all of them.
 *
 * Before it fails for want of memory, the retired memory that stands in its
 * way is taken, and it tries once more.  The kernel's own reclaim has been
 * through the shrinker by then, but that knows neither cgroups nor our limits.
 */
#include <linux/cpuset.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "internal.h"
#include "trace.h"

/* Zeroing less than 16 MiB is not worth waking a thread for. */
#define SLOTS_PER_WORKER 8UL
/* At about 10 GB/s a thread, more than these wait for memory, not CPUs. */
#define WORKERS_PER_NODE 32UL

struct fill;

/**
 * struct fill_node - the share of one node
 * @fill: the whole
 * @node: where its pages come from
 * @phase: it fills folios @phase, @phase + nr_nodes, ...
 * @next: how many of them have been dealt out
 */
struct fill_node {
	struct fill *fill;
	int node;
	unsigned int phase;
	atomic_long_t next;
};

struct fill_worker {
	struct work_struct work;
	struct fill_node *share;
};

/**
 * struct fill - a fill in progress
 * @arena: for its cgroup and counters
 * @gfp: for every page
 * @allowed: the nodes that the caller's cpuset allows
 * @nr: pages wanted
 * @folios: filled in where NULL
 * @stop: set when one page could not be had, or a signal came
 * @share: one per node that is asked
 * @nr_nodes: how many these are
 * @worker: what is queued
 * @nr_workers: how many these are
 */
struct fill {
	struct lull_arena *arena;
	gfp_t gfp;
	nodemask_t allowed;
	unsigned long nr;
	struct folio **folios;
	bool stop;
	struct fill_node *share;
	unsigned int nr_nodes;
	struct fill_worker *worker;
	unsigned int nr_workers;
};

static struct folio *take_from_any_pool(const struct fill *fill)
{
	struct folio *folio;
	int node;

	for_each_node_mask(node, fill->allowed) {
		folio = lull_pool_take(node);
		if (folio)
			return folio;
	}
	return NULL;
}

static struct folio *alloc_folio(struct fill *fill, int node)
{
	struct mem_cgroup *before;
	struct folio *folio = NULL;

	if (node_isset(node, fill->allowed))
		folio = lull_pool_take(node);
	if (folio)
		return folio;
	before = set_active_memcg(fill->arena->memcg);
	folio = lull_folio_alloc(fill->gfp, node, &fill->allowed);
	set_active_memcg(before);
	if (folio) {
		lull_arena_count(fill->arena, LULL_ZEROED_BYTES,
				 LULL_SLOT_BYTES);
		return folio;
	}
	return fill->gfp & __GFP_THISNODE ? NULL : take_from_any_pool(fill);
}

/* Fill the next page of a share; false when there is none, or no memory. */
static bool fill_next(struct fill_node *share)
{
	struct fill *fill = share->fill;
	unsigned long at =
		atomic_long_fetch_add(1, &share->next) * fill->nr_nodes +
		share->phase;

	if (at >= fill->nr || READ_ONCE(fill->stop))
		return false;
	if (fill->folios[at])
		return true;
	fill->folios[at] = alloc_folio(fill, share->node);
	if (!fill->folios[at])
		WRITE_ONCE(fill->stop, true);
	return fill->folios[at];
}

static void fill_work(struct work_struct *work)
{
	struct fill_worker *worker =
		container_of(work, struct fill_worker, work);

	while (fill_next(worker->share))
		cond_resched();
}

/* How many threads a share is worth.  A node may have memory and no CPU. */
static unsigned long workers_for(const struct fill *fill, int node)
{
	unsigned long slots = fill->nr / fill->nr_nodes;
	unsigned long cpus = nr_cpus_node(node) ?: num_online_cpus();

	return min3(slots / SLOTS_PER_WORKER, cpus, WORKERS_PER_NODE);
}

static void queue_workers(struct fill *fill)
{
	unsigned int i, j;

	fill->nr_workers = 0;
	for (i = 0; i < fill->nr_nodes; i++) {
		struct fill_node *share = &fill->share[i];
		unsigned long nr = workers_for(fill, share->node);

		for (j = 0; j < nr; j++) {
			struct fill_worker *worker =
				&fill->worker[fill->nr_workers++];

			worker->share = share;
			INIT_WORK(&worker->work, fill_work);
			queue_work_node(share->node, lull_wq, &worker->work);
		}
	}
}

/* One go at all that is still missing; true when a signal ended it. */
static bool fill_once(struct fill *fill)
{
	bool signalled = false;
	unsigned int i;

	WRITE_ONCE(fill->stop, false);
	for (i = 0; i < fill->nr_nodes; i++)
		atomic_long_set(&fill->share[i].next, 0);
	queue_workers(fill);
	for (i = 0; i < fill->nr_nodes; i++) {
		while (fill_next(&fill->share[i])) {
			if (signal_pending(current)) {
				WRITE_ONCE(fill->stop, true);
				signalled = true;
				break;
			}
			cond_resched();
		}
	}
	/* Each has one page in hand at most when there is nothing left. */
	for (i = 0; i < fill->nr_workers; i++)
		cancel_work_sync(&fill->worker[i].work);
	return signalled;
}

static unsigned long count_folios(struct folio **folios, unsigned long nr)
{
	unsigned long i, count = 0;

	for (i = 0; i < nr; i++)
		count += !!folios[i];
	return count;
}

/* Keep what there is in front; which page goes where does not matter. */
static void compact_folios(struct folio **folios, unsigned long nr)
{
	unsigned long from, to = 0;

	for (from = 0; from < nr; from++) {
		struct folio *folio = folios[from];

		folios[from] = NULL;
		if (folio)
			folios[to++] = folio;
	}
}

/* Take what is RETIRED in this arena, then what @request names in others. */
static void make_room(struct lull_arena *arena,
		      const struct lull_reclaim *request)
{
	struct lull_batch batch = {
		.why = LULL_BATCH_ACQUIRE,
		.everything = true,
		.nr_max = request->nr,
		.wait = true,
	};

	if (mutex_lock_killable(&arena->batch_lock))
		return;
	lull_batch_run(arena, &batch);
	mutex_unlock(&arena->batch_lock);
	if (batch.nr_freed < request->nr)
		lull_reclaim(request);
}

/* Charge @nr slots, or as many as can be after room was made. */
static unsigned long charge_slots(struct lull_arena *arena,
				  const struct lull_fill_wish *wish,
				  u32 *ret_cause)
{
	unsigned long nr = wish->nr;
	unsigned long got = lull_account_charge(arena, nr, ret_cause);
	struct lull_reclaim request = { .nr = nr - got };

	if (got == nr || wish->flags & LULL_ARENA_ACQUIRE_NORETRY)
		return got;
	if (*ret_cause != LULL_ARENA_CAUSE_LIMIT)
		request.user = arena->user;
	make_room(arena, &request);
	*ret_cause = LULL_ARENA_CAUSE_NONE;
	return got + lull_account_charge(arena, nr - got, ret_cause);
}

/*
 * Which nodes, by the arena's policy or the call's wish.  There is room for
 * @nodes shares: one may have come online since they were counted.
 */
static void choose_nodes(struct fill *fill, const struct lull_fill_wish *wish,
			 unsigned int nodes)
{
	u32 numa = fill->arena->numa;
	int each, node = fill->arena->node;
	unsigned int i = 0, skip;

	if (wish->flags & LULL_ARENA_ACQUIRE_NODE) {
		numa = LULL_ARENA_NUMA_BIND;
		node = wish->node;
	}
	if (numa == LULL_ARENA_NUMA_BIND)
		fill->gfp |= __GFP_THISNODE;
	if (numa == LULL_ARENA_NUMA_LOCAL)
		node = numa_mem_id();
	fill->nr_nodes = 1;
	fill->share[0].node = node;
	if (numa != LULL_ARENA_NUMA_INTERLEAVE)
		return;
	fill->nr_nodes = nodes;
	/* Slot s comes from the (s modulo nr_nodes)-th of them. */
	skip = wish->first % fill->nr_nodes;
	for_each_node_state(each, N_MEMORY) {
		unsigned int phase =
			(i++ + fill->nr_nodes - skip) % fill->nr_nodes;

		fill->share[phase].node = each;
		fill->share[phase].phase = phase;
	}
}

static int alloc_fill(struct fill *fill, const struct lull_fill_wish *wish)
{
	unsigned int nodes = num_node_state(N_MEMORY);
	unsigned int i;

	fill->gfp = GFP_HIGHUSER | __GFP_ACCOUNT;
	if (wish->flags & LULL_ARENA_ACQUIRE_NORETRY)
		fill->gfp = LULL_GFP_FREE_ONLY(fill->gfp);
	else
		fill->gfp |= __GFP_RETRY_MAYFAIL;
	/* A work item does not have the caller's cpuset. */
	fill->allowed = cpuset_current_mems_allowed;
	fill->share = kcalloc(nodes, sizeof(*fill->share), GFP_KERNEL_ACCOUNT);
	if (!fill->share)
		return -ENOMEM;
	choose_nodes(fill, wish, nodes);
	for (i = 0; i < fill->nr_nodes; i++)
		fill->share[i].fill = fill;
	fill->worker = kvcalloc(fill->nr_nodes * WORKERS_PER_NODE,
				sizeof(*fill->worker), GFP_KERNEL_ACCOUNT);
	if (!fill->worker) {
		kfree(fill->share);
		return -ENOMEM;
	}
	return 0;
}

/* Fill what has been charged; twice, if the first time falls short. */
static unsigned long fill_slots(struct fill *fill, u32 *ret_cause)
{
	struct lull_arena *arena = fill->arena;
	bool signalled = fill_once(fill);
	unsigned long got = count_folios(fill->folios, fill->nr);

	if (got < fill->nr && fill->gfp & __GFP_DIRECT_RECLAIM && !signalled &&
	    !signal_pending(current)) {
		struct lull_reclaim request = {
			.memcg = arena->memcg,
			.nr = fill->nr - got,
		};

		make_room(arena, &request);
		signalled = fill_once(fill);
		got = count_folios(fill->folios, fill->nr);
	}
	if (got < fill->nr)
		*ret_cause = signalled || signal_pending(current) ?
				     LULL_ARENA_CAUSE_SIGNAL :
				     LULL_ARENA_CAUSE_MEMORY;
	return got;
}

static int cause_to_errno(u32 cause)
{
	switch (cause) {
	case LULL_ARENA_CAUSE_NONE:
		return 0;
	case LULL_ARENA_CAUSE_LIMIT:
	case LULL_ARENA_CAUSE_LIMIT_UID:
		return -EDQUOT;
	case LULL_ARENA_CAUSE_SIGNAL:
		return -EINTR;
	default:
		return -ENOMEM;
	}
}

/**
 * lull_arena_fill() - charge and allocate pages for slots
 * @arena: whose they will be; no lock held
 * @wish: how many, from where
 * @folios: room for @wish->nr; filled from the front
 * @ret: what came of it
 *
 * Return: 0 when all could be had; else -ENOMEM, -EDQUOT or -EINTR, and the
 * caller decides about those there are: they are charged.
 */
int lull_arena_fill(struct lull_arena *arena, const struct lull_fill_wish *wish,
		    struct folio **folios, struct lull_filled *ret)
{
	struct fill fill = { .arena = arena, .folios = folios };
	unsigned long charged;

	*ret = (struct lull_filled){ .cause = LULL_ARENA_CAUSE_NONE };
	charged = charge_slots(arena, wish, &ret->cause);
	ret->available = charged;
	/* Not worth zeroing what will be given back. */
	if (!charged ||
	    (charged < wish->nr && !(wish->flags & LULL_ARENA_ACQUIRE_PARTIAL)))
		goto uncharge;
	if (alloc_fill(&fill, wish)) {
		ret->cause = LULL_ARENA_CAUSE_MEMORY;
		ret->available = 0;
		goto uncharge;
	}
	fill.nr = charged;
	ret->nr = fill_slots(&fill, &ret->cause);
	ret->available = ret->nr;
	compact_folios(folios, fill.nr);
	kvfree(fill.worker);
	kfree(fill.share);
uncharge:
	lull_account_uncharge(arena, charged - ret->nr);
	return cause_to_errno(ret->cause);
}

/* Give back pages that never were in a slot: they are all zero. */
void lull_folios_put(struct folio **folios, unsigned long nr)
{
	unsigned long i;

	for (i = 0; i < nr; i++) {
		if (folios[i] && !lull_pool_give(folios[i]))
			lull_folio_put(folios[i]);
		folios[i] = NULL;
	}
}

/* A new page for a slot. */
void lull_slot_install(struct lull_arena *arena, struct lull_slot *slot,
		       struct folio *folio)
{
	slot->folio = folio;
	/*
	 * Whoever had the page before left its own here, and the core maps by
	 * PTEs what seems to end behind i_size.
	 */
	folio->index = 0;
	slot->flags = 0;
	slot->touched = 0;
	lull_slot_set(arena, slot, LULL_SLOT_LIVE);
}

static int claim_slots(struct lull_arena *arena,
		       const struct lull_ranges *ranges)
{
	unsigned int i;
	u64 at;
	int err;

	down_write(&arena->lock);
	err = lull_slots_check(arena, ranges, BIT(LULL_SLOT_EMPTY));
	for (i = 0; !err && i < ranges->nr; i++) {
		const struct lull_arena_range *range = &ranges->range[i];

		for (at = range->offset; at < range->offset + range->length;
		     at++)
			lull_slot_set(arena, &arena->slots[at],
				      LULL_SLOT_FILLING);
	}
	up_write(&arena->lock);
	return err;
}

/* Turn the first @nr slots of @ranges LIVE, and the others EMPTY again. */
static void settle_slots(struct lull_arena *arena,
			 const struct lull_ranges *ranges,
			 struct folio **folios, unsigned long nr)
{
	unsigned long done = 0;
	unsigned int i;
	u64 at;

	down_write(&arena->lock);
	for (i = 0; i < ranges->nr; i++) {
		const struct lull_arena_range *range = &ranges->range[i];

		for (at = range->offset; at < range->offset + range->length;
		     at++) {
			struct lull_slot *slot = &arena->slots[at];

			if (done < nr)
				lull_slot_install(arena, slot, folios[done++]);
			else
				lull_slot_set(arena, slot, LULL_SLOT_EMPTY);
		}
	}
	lull_slots_publish(arena);
	up_write(&arena->lock);
	wake_up_all(&arena->wait);
	lull_arena_count(arena, LULL_ACQUIRED_BYTES, nr * LULL_SLOT_BYTES);
}

static int check_acquire(const struct lull_arena_acquire *cmd)
{
	u32 known = LULL_ARENA_ACQUIRE_PARTIAL | LULL_ARENA_ACQUIRE_NORETRY |
		    LULL_ARENA_ACQUIRE_NODE;

	if (cmd->flags & ~known || cmd->__reserved)
		return -EOPNOTSUPP;
	if (cmd->flags & LULL_ARENA_ACQUIRE_NODE)
		return lull_node_usable(cmd->node) ? 0 : -EINVAL;
	return cmd->node ? -EINVAL : 0;
}

/* Slots are claimed: fill them, and write the outputs. */
static int acquire_claimed(struct lull_call *call,
			   const struct lull_ranges *ranges)
{
	struct lull_arena_acquire *cmd = call->cmd;
	struct lull_arena *arena = call->arena;
	struct lull_fill_wish wish = {
		.flags = cmd->flags,
		.node = cmd->node,
		.first = ranges->range[0].offset,
		.nr = ranges->nr_slots,
	};
	struct lull_filled filled = { .cause = LULL_ARENA_CAUSE_MEMORY };
	struct folio **folios;
	int err = -ENOMEM;

	folios = kvcalloc(wish.nr, sizeof(*folios), GFP_KERNEL_ACCOUNT);
	if (folios)
		err = lull_arena_fill(arena, &wish, folios, &filled);
	cmd->acquired_bytes = (u64)filled.nr << LULL_SLOT_SHIFT;
	cmd->available_bytes =
		err ? (u64)filled.available << LULL_SLOT_SHIFT : 0;
	cmd->cause = filled.cause;
	call->ret_outputs = true;
	if (err && filled.nr && cmd->flags & LULL_ARENA_ACQUIRE_PARTIAL)
		err = 0;
	settle_slots(arena, ranges, folios, err ? 0 : filled.nr);
	if (err) {
		lull_folios_put(folios, filled.nr);
		lull_account_uncharge(arena, filled.nr);
	}
	kvfree(folios);
	return err;
}

int lull_arena_acquire(struct lull_call *call)
{
	struct lull_arena_acquire *cmd = call->cmd;
	struct lull_arena *arena = call->arena;
	struct lull_ranges ranges;
	int err;

	err = check_acquire(cmd);
	if (err)
		return err;
	err = lull_ranges_get(arena, cmd->ranges, cmd->nr_ranges, &ranges);
	if (err == -ENOMEM) {
		cmd->acquired_bytes = 0;
		cmd->available_bytes = 0;
		cmd->cause = LULL_ARENA_CAUSE_MEMORY;
		call->ret_outputs = true;
	}
	if (err)
		return err;
	err = claim_slots(arena, &ranges);
	if (!err) {
		err = acquire_claimed(call, &ranges);
		trace_acquire(arena, &ranges, cmd->acquired_bytes, cmd->cause,
			      err);
	}
	lull_ranges_put(&ranges);
	return err;
}
