// SPDX-License-Identifier: Apache-2.0
/*
 * arena.c - arenas are opened, described and closed; contracts stand in arena.h
 */
#include "arena/arena.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "arena/cgroup.h"
#include "arena/host.h"
#include "arena/node.h"
#include "arena/slab.h"
#include "base/base.h"
#include "base/error.h"

static const char *const names[LULL_ARENA_NR_CARRIERS] = {
	[LULL_ARENA_AUTO] = "auto",
	[LULL_ARENA_MODULE] = "module",
	[LULL_ARENA_HUGETLB] = "hugetlb",
	[LULL_ARENA_THP] = "thp",
	[LULL_ARENA_MALLOC] = "malloc",
	[LULL_ARENA_MALLOC_SERIAL] = "malloc-serial",
};

/* The best first; the last always works. */
static const struct lull_carrier *const carriers[] = {
	&lull_arena_module,
	&lull_arena_hugetlb,
	&lull_arena_thp,
};

const char *lull_arena_carrier_name(enum lull_arena_carrier carrier)
{
	return (size_t)carrier < LULL_ARRAY_SIZE(names) ? names[carrier] : "?";
}

bool lull_arena_carrier_find(const char *name,
			     enum lull_arena_carrier *ret_carrier)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name)) {
			*ret_carrier = (enum lull_arena_carrier)i;
			return true;
		}
	}
	return false;
}

/* ---- notes ------------------------------------------------------------- */

void lull_arena_add_note(struct lull_arena *arena, const char *fmt, ...)
{
	size_t nr = atomic_load(&arena->nr_notes);
	va_list args;

	if (nr == NOTES_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(arena->notes[nr], sizeof(arena->notes[nr]), fmt, args);
	va_end(args);
	atomic_store(&arena->nr_notes, nr + 1);
}

const char *lull_arena_note(const struct lull_arena *arena, size_t index)
{
	return index < atomic_load(&arena->nr_notes) ? arena->notes[index]
						     : NULL;
}

/* ---- before large work -------------------------------------------------- */

/* What the machine has, swap included, or what cgroups leave of it, by
 * @ret_bound, which lies in @cgroup. */
static uint64_t backing(struct lull_arena *arena,
			struct lull_arena_cgroup *cgroup,
			const struct lull_arena_cgroup_bound **ret_bound)
{
	uint64_t all = lull_arena_host_backing_bytes(), memory;
	struct lull_arena_stats stats;

	*ret_bound = NULL;
	if (!all)
		all = UINT64_MAX;
	/* Pools of hugetlb count against no limit of memory, and the module's
	 * memory may against another process's, or none. */
	if (arena->id == LULL_ARENA_HUGETLB || arena->id == LULL_ARENA_MODULE)
		return all;
	memory = lull_arena_host_memory_bytes();
	memory = memory ? lull_min(memory, all) : all;
	lull_arena_stats(arena, &stats);
	lull_arena_cgroup_read("", cgroup);
	return lull_arena_cgroup_backing(
		cgroup, memory, all - memory,
		lull_max(stats.held_bytes, stats.used_bytes), ret_bound);
}

static int refuse_need(const char *name, const char *what, uint64_t bytes,
		       uint64_t most, const char *whose,
		       const struct lull_arena_cgroup_bound *bound,
		       struct lull_error *reterr)
{
	char limit[LULL_ARENA_CGROUP_PATH_BYTES + 64] = "";

	/* A long path ends with the message, wherever that is. */
	if (bound)
		snprintf(limit, sizeof(limit),
			 ": limited to %" PRIu64 " by %s of %s",
			 bound->limit_bytes, bound->file, bound->dir);
	return lull_fail(reterr, LULL_NOMEM,
			 "%.80s: %s: memory: expected at most %" PRIu64
			 " bytes, which %s, found a need of %" PRIu64 "%s",
			 name, what, most, whose, bytes, limit);
}

int lull_arena_need(struct lull_arena *arena, const char *name,
		    const char *what, uint64_t bytes,
		    void (*say)(void *arg, const char *line), void *arg,
		    struct lull_error *reterr)
{
	const struct lull_arena_cgroup_bound *bound;
	const size_t own_max = arena->opts.bytes_max;
	struct lull_arena_cgroup cgroup;
	char line[NOTE_BYTES];
	uint64_t most;

	most = backing(arena, &cgroup, &bound);
	snprintf(line, sizeof(line),
		 "%.80s: %s needs %.3f GiB of memory at most", name, what,
		 (double)bytes / LULL_BYTES_PER_GIB);
	if (say)
		say(arg, line);
	if (own_max && own_max <= most && bytes > own_max)
		return refuse_need(name, what, bytes, own_max,
				   "the arena may hold", NULL, reterr);
	if (bytes > most)
		return refuse_need(name, what, bytes, most,
				   bound ? "a cgroup leaves"
					 : "the machine has",
				   bound, reterr);
	return LULL_OK;
}

/* ---- open and close ---------------------------------------------------- */

/* A container that forbids binding still has memory: of any node. */
static int add_first_slab(struct lull_arena *arena,
			  const struct lull_carrier *carrier,
			  struct lull_error *reterr)
{
	int *node = &arena->opts.node;
	int err = 0;

	/* The module has pages of a node without these calls. */
	if (*node != LULL_ARENA_NODE_ANY && carrier != &lull_arena_module)
		err = lull_arena_node_denied();
	if (err) {
		lull_arena_add_note(
			arena,
			"NUMA node %d: this process may bind no memory: %s "
			"(seccomp, as in containers): it is of any node",
			*node, strerrordesc_np(err));
		*node = LULL_ARENA_NODE_ANY;
	}
	return lull_slab_add(arena, carrier, 0, reterr);
}

static int open_auto(struct lull_arena *arena, struct lull_error *reterr)
{
	struct lull_error why;
	size_t i;
	int err = LULL_INTERNAL;

	for (i = 0; i < LULL_ARRAY_SIZE(carriers); i++) {
		err = add_first_slab(arena, carriers[i], &why);
		if (!err) {
			arena->growing = carriers[i];
			return LULL_OK;
		}
		if (carriers[i] != &lull_arena_thp)
			lull_arena_add_note(arena, "%s: %s",
					    names[carriers[i]->id], why.msg);
	}
	return lull_fail(reterr, err, "arena: %s: %s", names[LULL_ARENA_THP],
			 why.msg);
}

static int open_named(struct lull_arena *arena, struct lull_error *reterr)
{
	struct lull_error why;
	size_t i;
	int err;

	for (i = 0; i < LULL_ARRAY_SIZE(carriers); i++)
		if (carriers[i]->id == arena->opts.carrier)
			arena->growing = carriers[i];
	if (!arena->growing)
		return LULL_OK; /* malloc has no slab */
	err = add_first_slab(arena, arena->growing, &why);
	if (!err)
		return LULL_OK;
	lull_fail(reterr, err, "arena: %s: %s", names[arena->opts.carrier],
		  why.msg);
	if (reterr)
		reterr->sys_errno = why.sys_errno;
	return err;
}

/* Small pages instead of large ones are worth a line. */
static void note_thp(struct lull_arena *arena)
{
	static const char *const why[] = {
		[LULL_ARENA_THP_NEVER] = "transparent huge pages are switched "
					 "off for this host",
		[LULL_ARENA_THP_PROCESS] = "transparent huge pages are "
					   "switched off for this process",
		[LULL_ARENA_THP_ABSENT] = "this kernel has no transparent huge "
					  "pages",
	};
	enum lull_arena_thp thp = lull_arena_host_thp("");

	if (thp >= LULL_ARENA_THP_NEVER)
		lull_arena_add_note(arena,
				    "thp: %s: 4 KiB pages instead "
				    "(`lull arena doctor` says more)",
				    why[thp]);
}

int lull_arena_open(const struct lull_arena_opts *opts,
		    struct lull_arena **ret_arena, struct lull_error *reterr)
{
	struct lull_arena *arena;
	int err;

	if ((size_t)opts->carrier >= LULL_ARENA_NR_CARRIERS)
		return lull_fail(reterr, LULL_USAGE, "arena: no carrier %d",
				 (int)opts->carrier);
	err = lull_arena_node_check(opts->node, reterr);
	if (err)
		return err;
	arena = calloc(1, sizeof(*arena));
	if (!arena)
		return lull_fail(reterr, LULL_NOMEM, "no memory for an arena");
	pthread_mutex_init(&arena->lock, NULL);
	pthread_mutex_init(&arena->serial, NULL);
	pthread_cond_init(&arena->idle, NULL);
	arena->opts = *opts;
	err = lull_extents_prepare(&arena->extents, 1, reterr);
	if (!err)
		err = opts->carrier == LULL_ARENA_AUTO
			      ? open_auto(arena, reterr)
			      : open_named(arena, reterr);
	if (err) {
		lull_arena_end(arena);
		return err;
	}
	arena->id = arena->growing ? arena->growing->id : opts->carrier;
	if (arena->slabs)
		arena->page_bytes = arena->slabs->page_bytes;
	if (arena->id == LULL_ARENA_THP)
		note_thp(arena);
	*ret_arena = arena;
	return LULL_OK;
}

static void unpin(struct lull_arena *arena, enum lull_pin_role role)
{
	struct lull_registrar *registrar = &arena->registrars[role];
	struct lull_pin_piece *piece;
	struct lull_slab *slab;
	size_t i;

	while ((piece = registrar->pieces)) {
		registrar->pieces = piece->next;
		registrar->ops->unpin(registrar->arg, piece->ptr, piece->bytes);
		free(piece);
	}
	for (slab = arena->slabs; slab; slab = slab->next)
		for (i = 0; i < slab->top_bytes / SLOT_BYTES; i++)
			slab->slots[i] &= (uint8_t)~pin_mark(role);
	if (role == LULL_PIN_DEVICE)
		arena->stats.pinned_bytes = 0;
	registrar->ops = NULL;
}

void lull_arena_end(struct lull_arena *arena)
{
	pthread_mutex_lock(&arena->lock);
	while (arena->nr_freeing)
		pthread_cond_wait(&arena->idle, &arena->lock);
	pthread_mutex_unlock(&arena->lock);
	unpin(arena, LULL_PIN_DEVICE);
	unpin(arena, LULL_PIN_READS);
	while (arena->slabs)
		lull_slab_destroy(arena, arena->slabs);
	lull_extents_done(&arena->extents);
	pthread_cond_destroy(&arena->idle);
	pthread_mutex_destroy(&arena->serial);
	pthread_mutex_destroy(&arena->lock);
	free(arena);
}

void lull_arena_close(struct lull_arena *arena)
{
	bool held;

	if (!arena)
		return;
	pthread_mutex_lock(&arena->lock);
	arena->closing = true;
	held = arena->blocks;
	pthread_mutex_unlock(&arena->lock);
	if (!held)
		lull_arena_end(arena);
}

/* ---- telling ----------------------------------------------------------- */

enum lull_arena_carrier lull_arena_carrier(const struct lull_arena *arena)
{
	return arena->id;
}

static const char *pages_of(const struct lull_arena *arena)
{
	if (arena->id == LULL_ARENA_THP &&
	    lull_arena_host_thp("") >= LULL_ARENA_THP_NEVER)
		return "4 KiB";
	if (!arena->growing)
		return "no pages of its own";
	return arena->page_bytes == LULL_ARENA_GIGANTIC_BYTES ? "1 GiB"
							      : "2 MiB";
}

void lull_arena_describe(const struct lull_arena *arena, char *buf,
			 size_t bytes)
{
	int node = arena->opts.node;

	if (node == LULL_ARENA_NODE_ANY)
		snprintf(buf, bytes, "%s (%s, any node)", names[arena->id],
			 pages_of(arena));
	else
		snprintf(buf, bytes, "%s (%s, node %d)", names[arena->id],
			 pages_of(arena), node);
}

void lull_arena_stats(struct lull_arena *arena,
		      struct lull_arena_stats *ret_stats)
{
	struct lull_slab_counts counts;
	const struct lull_slab *slab;

	pthread_mutex_lock(&arena->lock);
	*ret_stats = arena->stats;
	for (slab = arena->slabs; slab; slab = slab->next) {
		counts = slab->counts;
		if (slab->carrier->count)
			slab->carrier->count(slab, &counts);
		ret_stats->held_bytes += counts.held_bytes;
		ret_stats->faulted_bytes += counts.faulted_bytes;
		ret_stats->zeroed_bytes += counts.zeroed_bytes;
		ret_stats->flushes += counts.flushes;
	}
	pthread_mutex_unlock(&arena->lock);
}

void lull_arena_enter(struct lull_arena *arena)
{
	pthread_mutex_lock(&arena->lock);
	arena->stats.nr_at_work++;
	pthread_mutex_unlock(&arena->lock);
}

void lull_arena_leave(struct lull_arena *arena)
{
	pthread_mutex_lock(&arena->lock);
	arena->stats.nr_at_work--;
	pthread_mutex_unlock(&arena->lock);
}

/* ---- pinning ----------------------------------------------------------- */

/* Registers the slots of a slab that have memory and are not yet. */
static void pin_slab(struct lull_arena *arena, struct lull_slab *slab,
		     enum lull_pin_role role)
{
	size_t nr = slab->top_bytes / SLOT_BYTES, i, first;

	for (i = 0; i < nr; i++) {
		first = i;
		while (i < nr && slot_state(slab, i) != SLOT_EMPTY)
			i++;
		lull_slab_pin(arena, slab, role, first, i - first);
	}
}

static int pin(struct lull_arena *arena, enum lull_pin_role role,
	       const struct lull_arena_pin_ops *ops, void *arg,
	       struct lull_error *reterr)
{
	struct lull_registrar *registrar = &arena->registrars[role];
	struct lull_slab *slab;
	int err = LULL_OK;

	if (!arena->growing)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "arena: %s has no memory to register",
				 names[arena->id]);
	pthread_mutex_lock(&arena->lock);
	if (!ops) {
		unpin(arena, role);
	} else if (registrar->ops) {
		err = lull_fail(reterr, LULL_USAGE,
				"arena: another device has registered it");
	} else {
		registrar->ops = ops;
		registrar->arg = arg;
		for (slab = arena->slabs; slab; slab = slab->next)
			pin_slab(arena, slab, role);
	}
	pthread_mutex_unlock(&arena->lock);
	return err;
}

int lull_arena_pin(struct lull_arena *arena,
		   const struct lull_arena_pin_ops *ops, void *arg,
		   struct lull_error *reterr)
{
	return pin(arena, LULL_PIN_DEVICE, ops, arg, reterr);
}

int lull_arena_fix(struct lull_arena *arena,
		   const struct lull_arena_pin_ops *ops, void *arg,
		   struct lull_error *reterr)
{
	return pin(arena, LULL_PIN_READS, ops, arg, reterr);
}

bool lull_arena_pinned_run(struct lull_arena *arena, const void *ptr,
			   size_t bytes, size_t *ret_bytes)
{
	uintptr_t at = (uintptr_t)ptr, end = at + bytes, first, last;
	const struct lull_pin_piece *piece;
	bool pinned = false;

	pthread_mutex_lock(&arena->lock);
	piece = arena->registrars[LULL_PIN_DEVICE].pieces;
	for (; piece && !pinned; piece = piece->next) {
		first = (uintptr_t)piece->ptr;
		last = first + piece->bytes;
		pinned = at >= first && at < last;
		if (pinned)
			end = lull_min(at + bytes, last);
		else if (first > at)
			end = lull_min(end, first);
	}
	pthread_mutex_unlock(&arena->lock);
	*ret_bytes = end - at;
	return pinned;
}
