// SPDX-License-Identifier: Apache-2.0
/*
 * carve.c - blocks are taken and given back; contracts stand in arena.h
 */

#include "arena/slab.h"
#include "base/base.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/mem.h"

/* What small blocks share. */
#define POOL_BYTES ((size_t)512 << 10)
/* Structs that one carve may need: a top, a pool's first and two rests. */
#define EXTENTS_PER_CARVE 4
/* Test builds fill what a carve does not zero, so that a caller who relies on
 * zeros is found out. */
#define FILL 0xa5

/* ---- space ------------------------------------------------------------- */

/* Gives an extent that is in no list back, with its slots: returns what it is part
 * of now. */
static struct lull_extent *put_extent(struct lull_arena *arena,
				      struct lull_extent *extent, bool release)
{
	struct lull_slab *slab = extent->slab;
	uint8_t *ptr = extent->ptr;
	size_t bytes = extent->bytes;
	bool pooled = extent->pool;

	lull_arena_poison(ptr, bytes);
	extent = lull_extent_free(&arena->extents, extent);
	/* A pool's slots are kept for the next small block. */
	if (!pooled)
		lull_slab_vacate(arena, slab, extent, ptr, bytes, release);
	return extent;
}

static size_t room_of(const struct lull_slab *slab)
{
	size_t tail = 0;

	if (slab->last && slab->last->state == EXTENT_FREE)
		tail = slab->last->bytes;
	return slab->span_bytes - slab->top_bytes + tail;
}

/* Lets the newest slab grow, or adds one. */
static int grow_carrier(struct lull_arena *arena,
			const struct lull_carrier *carrier, size_t bytes,
			struct lull_extent **ret_extent,
			struct lull_error *reterr)
{
	struct lull_slab *slab;
	int err;

	for (slab = arena->slabs; slab; slab = slab->next)
		if (slab->carrier == carrier && room_of(slab) >= bytes)
			break;
	if (!slab) {
		err = lull_slab_add(arena, carrier, bytes, reterr);
		if (err)
			return err;
		slab = arena->slabs;
		if (carrier->id == arena->id &&
		    slab->page_bytes < slab->next->page_bytes)
			lull_arena_add_note(arena,
					    "%s: the rest is in pages of 2 MiB",
					    lull_arena_carrier_name(arena->id));
	}
	return lull_slab_grow(arena, slab, bytes, ret_extent, reterr);
}

/* New memory of at least @bytes, occupied. */
static int grow(struct lull_arena *arena, size_t bytes,
		struct lull_extent **ret_extent, struct lull_dirty *ret_dirty,
		struct lull_error *reterr)
{
	struct lull_extent *extent;
	int err;

	err = grow_carrier(arena, arena->growing, bytes, &extent, reterr);
	if (err)
		return err;
	lull_extent_take(&arena->extents, extent, bytes);
	err = lull_slab_occupy(arena, extent, ret_dirty, reterr);
	if (err)
		put_extent(arena, extent, false);
	else
		*ret_extent = extent;
	return err;
}

/* Of a carrier that ran out, whose pages others may have meanwhile. */
static bool may_lack_pages(const struct lull_arena *arena,
			   const struct lull_extent *extent)
{
	return arena->opts.carrier == LULL_ARENA_AUTO &&
	       arena->growing == &lull_arena_thp &&
	       extent->slab->carrier != &lull_arena_thp;
}

/* A free extent of exactly @bytes, occupied and in no list; NULL when there is
 * none.  What may lack pages, and does, is passed over. */
static int take_free(struct lull_arena *arena, size_t bytes,
		     struct lull_extent **ret_extent,
		     struct lull_dirty *ret_dirty, struct lull_error *reterr)
{
	struct lull_bins *bins = &arena->extents.large;
	struct lull_extent *extent, *passed = NULL, *next;
	int err = LULL_OK;

	while ((extent = lull_bins_find(bins, bytes))) {
		lull_extent_take(&arena->extents, extent, bytes);
		err = lull_slab_occupy(arena, extent, ret_dirty, reterr);
		if (!err)
			break;
		extent = put_extent(arena, extent, false);
		if (!may_lack_pages(arena, extent))
			break;
		lull_bins_remove(bins, extent);
		extent->list_next = passed;
		passed = extent;
		err = LULL_OK;
	}
	for (; passed; passed = next) {
		next = passed->list_next;
		lull_bins_add(bins, passed);
	}
	*ret_extent = err ? NULL : extent;
	return err;
}

/* A large extent of exactly @bytes, occupied and in no list. */
static int take_large(struct lull_arena *arena, size_t bytes,
		      struct lull_extent **ret_extent,
		      struct lull_dirty *ret_dirty, struct lull_error *reterr)
{
	struct lull_error why = { 0 };
	int err;

	err = take_free(arena, bytes, ret_extent, ret_dirty, &why);
	if (!err && !*ret_extent)
		err = grow(arena, bytes, ret_extent, ret_dirty, &why);
	if (err && err != LULL_RANGE &&
	    arena->opts.carrier == LULL_ARENA_AUTO &&
	    arena->growing != &lull_arena_thp) {
		lull_arena_add_note(arena, "%s ran out: %s: the rest is thp",
				    lull_arena_carrier_name(arena->growing->id),
				    why.msg);
		arena->growing = &lull_arena_thp;
		err = grow(arena, bytes, ret_extent, ret_dirty, &why);
	}
	if (err && reterr)
		*reterr = why;
	return err;
}

static int add_pool(struct lull_arena *arena, struct lull_extent **ret_extent,
		    struct lull_error *reterr)
{
	struct lull_extent *pool, *first;
	struct lull_dirty dirty;
	int err;

	err = take_large(arena, POOL_BYTES, &pool, &dirty, reterr);
	if (err)
		return err;
	pool->state = EXTENT_POOL;
	first = lull_extent_new(&arena->extents);
	first->slab = pool->slab;
	first->pool = pool;
	first->ptr = pool->ptr;
	first->bytes = pool->bytes;
	lull_bins_add(&arena->extents.small, first);
	*ret_extent = first;
	return LULL_OK;
}

static int take_small(struct lull_arena *arena, size_t bytes,
		      struct lull_extent **ret_extent,
		      struct lull_dirty *ret_dirty, struct lull_error *reterr)
{
	struct lull_extent *extent;
	int err;

	extent = lull_bins_find(&arena->extents.small, bytes);
	if (!extent) {
		err = add_pool(arena, &extent, reterr);
		if (err)
			return err;
	}
	lull_extent_take(&arena->extents, extent, bytes);
	*ret_dirty = (struct lull_dirty){
		.runs = { { extent->ptr, bytes } },
		.nr = 1,
	};
	*ret_extent = extent;
	return LULL_OK;
}

/* ---- carving ----------------------------------------------------------- */

static void enter_block(struct lull_arena *arena, struct lull_extent *extent,
			size_t bytes, unsigned int flags)
{
	struct lull_arena_stats *stats = &arena->stats;

	extent->state = EXTENT_BLOCK;
	extent->secret = flags & LULL_CARVE_SECRET;
	extent->mark = ++arena->mark;
	extent->owner = pthread_self();
	extent->list_prev = NULL;
	extent->list_next = arena->blocks;
	if (arena->blocks)
		arena->blocks->list_prev = extent;
	arena->blocks = extent;
	stats->nr_carves++;
	stats->used_bytes += extent->bytes;
	stats->used_bytes_max =
		lull_max(stats->used_bytes_max, stats->used_bytes);
	if (!extent->slab) {
		stats->faulted_bytes += bytes;
		stats->zeroed_bytes += bytes;
	}
}

static void leave_block(struct lull_arena *arena, struct lull_extent *extent)
{
	if (extent->list_next)
		extent->list_next->list_prev = extent->list_prev;
	if (extent->list_prev)
		extent->list_prev->list_next = extent->list_next;
	else
		arena->blocks = extent->list_next;
	extent->list_prev = extent->list_next = NULL;
	arena->stats.used_bytes -= extent->bytes;
}

static int take_malloc(struct lull_arena *arena, size_t bytes,
		       unsigned int flags, struct lull_extent **ret_extent,
		       struct lull_error *reterr)
{
	struct lull_extent *extent;

	if (arena->opts.bytes_max &&
	    arena->stats.used_bytes + bytes > arena->opts.bytes_max)
		return lull_fail(reterr, LULL_RANGE,
				 "the arena holds %llu bytes of at most %zu",
				 (unsigned long long)arena->stats.used_bytes,
				 arena->opts.bytes_max);
	extent = lull_extent_new(&arena->extents);
	if (lull_arena_malloc(extent, bytes, flags)) {
		lull_extent_put(&arena->extents, extent);
		return lull_fail(reterr, LULL_NOMEM, "malloc has none");
	}
	*ret_extent = extent;
	return LULL_OK;
}

static int take(struct lull_arena *arena, size_t bytes, unsigned int flags,
		struct lull_extent **ret_extent, struct lull_dirty *ret_dirty,
		struct lull_error *reterr)
{
	size_t large = lull_align_up(bytes, PAGE_BYTES);
	int err;

	*ret_dirty = (struct lull_dirty){ 0 };
	err = lull_extents_prepare(&arena->extents, EXTENTS_PER_CARVE, reterr);
	if (err)
		return err;
	if (large < bytes || large > SIZE_MAX / 2)
		return lull_fail(reterr, LULL_NOMEM, "no host has so much");
	if (!arena->growing)
		err = take_malloc(arena, bytes, flags, ret_extent, reterr);
	else if (bytes < LULL_ARENA_PACKED_BYTES)
		err = take_small(arena, lull_align_up(bytes, LULL_ARENA_ALIGN),
				 ret_extent, ret_dirty, reterr);
	else
		err = take_large(arena, large, ret_extent, ret_dirty, reterr);
	if (!err)
		enter_block(arena, *ret_extent, bytes, flags);
	return err;
}

/* Zeroes what a previous holder may have written: how much. */
static size_t clear(const struct lull_dirty *dirty)
{
	size_t i, bytes = 0;

	for (i = 0; i < dirty->nr; i++) {
		memset(dirty->runs[i].ptr, 0, dirty->runs[i].bytes);
		bytes += dirty->runs[i].bytes;
	}
	return bytes;
}

static void fill(void *ptr, size_t bytes)
{
#ifdef LULL_VERIFY
	memset(ptr, FILL, bytes);
#else
	(void)ptr;
	(void)bytes;
#endif
}

int lull_arena_carve(struct lull_arena *arena, size_t bytes, unsigned int flags,
		     const char *what, struct lull_vec *ret_vec,
		     struct lull_error *reterr)
{
	struct lull_extent *extent = NULL;
	struct lull_dirty dirty;
	struct lull_error why;
	size_t cleared;
	int err;

	if (!bytes) {
		*ret_vec = (struct lull_vec){ 0 };
		return LULL_OK;
	}
	pthread_mutex_lock(&arena->lock);
	err = take(arena, bytes, flags, &extent, &dirty, &why);
	pthread_mutex_unlock(&arena->lock);
	if (err)
		return lull_fail(reterr, LULL_NOMEM,
				 "%s: %zu bytes of memory could not be had: %s",
				 what, bytes, why.msg);
	lull_arena_unpoison(extent->ptr, extent->bytes);
	if (flags & LULL_CARVE_ZERO) {
		cleared = clear(&dirty);
		pthread_mutex_lock(&arena->lock);
		arena->stats.zeroed_bytes += cleared;
		pthread_mutex_unlock(&arena->lock);
	} else {
		fill(extent->ptr, bytes);
	}
	*ret_vec = (struct lull_vec){
		.ptr = extent->ptr,
		.bytes = bytes,
		.fresh_bytes = lull_min(dirty.fresh_bytes, bytes),
		.arena = arena,
		.extent = extent,
	};
	return LULL_OK;
}

/* ---- giving back ------------------------------------------------------- */

static void give_back(struct lull_arena *arena, struct lull_extent *extent,
		      bool release)
{
	size_t bytes = extent->bytes;
	void *memory = extent->memory;
	bool secret = extent->secret, ended;

	if (secret)
		lull_wipe(extent->ptr, bytes);
	pthread_mutex_lock(&arena->lock);
	if (secret)
		arena->stats.wiped_bytes += bytes;
	leave_block(arena, extent);
	if (memory)
		arena->nr_freeing++;
	if (extent->slab)
		put_extent(arena, extent, release);
	else
		lull_extent_put(&arena->extents, extent);
	ended = arena->closing && !arena->blocks;
	pthread_mutex_unlock(&arena->lock);
	if (memory)
		lull_arena_malloc_free(arena, memory, bytes);
	if (ended)
		lull_arena_end(arena);
}

void lull_arena_retire(struct lull_vec *vec)
{
	if (vec->extent)
		give_back(vec->arena, vec->extent, false);
	*vec = (struct lull_vec){ 0 };
}

void lull_arena_release(struct lull_vec *vec)
{
	if (vec->extent)
		give_back(vec->arena, vec->extent, true);
	*vec = (struct lull_vec){ 0 };
}

void lull_arena_yield(struct lull_vec *vec)
{
	const struct lull_slab *slab = vec->extent ? vec->extent->slab : NULL;

	if (slab && slab->carrier->retire)
		lull_arena_retire(vec);
	else
		lull_arena_release(vec);
}

bool lull_arena_keeps_yielded(struct lull_arena *arena)
{
	bool kept;
	size_t i;

	pthread_mutex_lock(&arena->lock);
	kept = arena->growing && arena->growing->retire;
	for (i = 0; i < LULL_NR_PIN_ROLES; i++)
		kept |= arena->registrars[i].ops != NULL;
	pthread_mutex_unlock(&arena->lock);
	return kept;
}

/* ---- idle blocks ------------------------------------------------------- */

void lull_arena_idle(struct lull_vec *vec)
{
	struct lull_extent *extent = vec->extent;
	struct lull_arena *arena = vec->arena;

	/* A page that is taken is not wiped, so secrets are never idle; small
	 * blocks have no slot of their own. */
	if (!extent || extent->secret || extent->pool || !extent->slab)
		return;
	pthread_mutex_lock(&arena->lock);
	if (extent->state == EXTENT_BLOCK) {
		extent->state = EXTENT_IDLE;
		lull_slab_vacate(arena, extent->slab, extent, extent->ptr,
				 extent->bytes, false);
	}
	pthread_mutex_unlock(&arena->lock);
}

int lull_arena_revive(struct lull_vec *vec, struct lull_error *reterr)
{
	struct lull_extent *extent = vec->extent;
	struct lull_arena *arena = vec->arena;
	struct lull_dirty dirty = { 0 };
	int err = LULL_OK;
	bool lost;

	vec->fresh_bytes = 0;
	if (!extent)
		return LULL_OK;
	pthread_mutex_lock(&arena->lock);
	if (extent->state == EXTENT_IDLE) {
		err = lull_slab_occupy(arena, extent, &dirty, reterr);
		if (!err)
			extent->state = EXTENT_BLOCK;
		else
			lull_slab_vacate(arena, extent->slab, extent,
					 extent->ptr, extent->bytes, false);
	}
	lost = extent->lost;
	extent->lost = err;
	pthread_mutex_unlock(&arena->lock);
	if (err)
		return err;
	vec->fresh_bytes = lull_min(dirty.fresh_bytes, vec->bytes);
	/* An earlier call failed half way, and which half is not known. */
	if (lost) {
		memset(vec->ptr, 0, vec->bytes);
		vec->fresh_bytes = vec->bytes;
	}
	return LULL_OK;
}

/* ---- marks ------------------------------------------------------------- */

uint64_t lull_arena_checkpoint(struct lull_arena *arena)
{
	uint64_t mark;

	pthread_mutex_lock(&arena->lock);
	mark = arena->mark;
	pthread_mutex_unlock(&arena->lock);
	return mark;
}

/* The newest block of this thread behind a mark; its own until given back. */
static struct lull_extent *newest_since(struct lull_arena *arena, uint64_t mark)
{
	struct lull_extent *extent;

	pthread_mutex_lock(&arena->lock);
	for (extent = arena->blocks; extent && extent->mark > mark;
	     extent = extent->list_next)
		if (pthread_equal(extent->owner, pthread_self()))
			break;
	if (extent && extent->mark <= mark)
		extent = NULL;
	pthread_mutex_unlock(&arena->lock);
	return extent;
}

void lull_arena_roll_back(struct lull_arena *arena, uint64_t mark)
{
	struct lull_extent *extent;

	while ((extent = newest_since(arena, mark)))
		give_back(arena, extent, false);
}

/* ---- the barrier ------------------------------------------------------- */

static void release_free(struct lull_arena *arena, struct lull_slab *slab)
{
	struct lull_extent *extent;

	for (extent = slab->last; extent; extent = extent->prev)
		if (extent->state == EXTENT_FREE)
			lull_slab_vacate(arena, slab, extent, extent->ptr,
					 extent->bytes, true);
}

/* Waits with the lock held: false when the time is over. */
static bool wait_for_threads(struct lull_arena *arena, unsigned int timeout_ms)
{
	struct timespec until = lull_deadline(timeout_ms);
	int err = 0;

	while (arena->nr_freeing && !err)
		err = timeout_ms == LULL_ARENA_WAIT_ALWAYS
			      ? pthread_cond_wait(&arena->idle, &arena->lock)
			      : pthread_cond_clockwait(&arena->idle,
						       &arena->lock,
						       CLOCK_MONOTONIC, &until);
	return !arena->nr_freeing;
}

int lull_arena_flush(struct lull_arena *arena, unsigned int timeout_ms,
		     struct lull_error *reterr)
{
	struct lull_slab *slab, *slabs;
	bool ended;
	int err = LULL_OK;

	pthread_mutex_lock(&arena->lock);
	slabs = arena->slabs;
	for (slab = slabs; slab; slab = slab->next)
		release_free(arena, slab);
	ended = wait_for_threads(arena, timeout_ms);
	pthread_mutex_unlock(&arena->lock);
	/* Slabs stay until the arena ends, and so does their order. */
	for (slab = slabs; slab && !err; slab = slab->next)
		if (slab->carrier->flush)
			err = slab->carrier->flush(slab, timeout_ms, reterr);
	if (!err && !ended)
		return lull_fail(reterr, LULL_IO,
				 "arena: blocks are still being freed");
	return err;
}
