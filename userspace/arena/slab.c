// SPDX-License-Identifier: Apache-2.0
/*
 * slab.c - slabs grow, and their slots are occupied and vacated; see slab.h
 */
#include "arena/slab.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "arena/host.h"
#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"

/* Where address space is limited, a slab has no more than this, and others
 * follow: what the limit leaves is for stacks, files and malloc. */
#define SPAN_LIMITED ((size_t)64 << 20)
/* Registering is slow by the call: pieces are not smaller where possible. */
#define PIN_PIECE_BYTES ((size_t)32 << 20)

static size_t span_wanted(const struct lull_arena *arena, size_t bytes_min)
{
	size_t memory = (size_t)lull_arena_host_memory_bytes();
	size_t span = memory ? memory : SPAN_LIMITED;
	struct rlimit limit;

	if (arena->opts.bytes_max)
		span = arena->opts.bytes_max;
	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
		span = lull_min(span, SPAN_LIMITED);
	return lull_align_up(lull_max(span, bytes_min), SLOT_BYTES);
}

int lull_slab_add(struct lull_arena *arena, const struct lull_carrier *carrier,
		  size_t bytes_min, struct lull_error *reterr)
{
	size_t span = span_wanted(arena, bytes_min);
	struct lull_slab *slab = calloc(1, sizeof(*slab));
	void *slots;
	int err;

	if (!slab)
		return lull_fail(reterr, LULL_NOMEM,
				 "arena: no memory for a slab");
	slab->carrier = carrier;
	slab->page_bytes = SLOT_BYTES;
	slab->node = arena->opts.node;
	slab->fd = -1;
	err = carrier->reserve(slab, &arena->opts, bytes_min, span, reterr);
	if (err)
		goto free_slab;
	LULL_ASSERT((uintptr_t)slab->base % SLOT_BYTES == 0 &&
		    slab->span_bytes % slab->page_bytes == 0 &&
		    slab->span_bytes >= bytes_min);
	/* Not calloc: a byte for each slot of a host's memory, seldom used. */
	slots = mmap(NULL, slab->span_bytes / SLOT_BYTES,
		     PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (slots == MAP_FAILED) {
		err = lull_fail_errno(reterr, LULL_NOMEM, errno,
				      "arena: the states of %zu slots",
				      slab->span_bytes / SLOT_BYTES);
		goto unreserve;
	}
	slab->slots = slots;
	slab->next = arena->slabs;
	arena->slabs = slab;
	arena->stats.span_bytes += slab->span_bytes;
	return LULL_OK;

unreserve:
	carrier->unreserve(slab);
free_slab:
	free(slab);
	return err;
}

void lull_slab_destroy(struct lull_arena *arena, struct lull_slab *slab)
{
	struct lull_slab **link = &arena->slabs;

	while (*link != slab)
		link = &(*link)->next;
	*link = slab->next;
	arena->stats.span_bytes -= slab->span_bytes;
	lull_arena_unpoison(slab->base, slab->top_bytes);
	lull_unmap(slab->slots, slab->span_bytes / SLOT_BYTES);
	slab->carrier->unreserve(slab);
	free(slab);
}

/* ---- pages of several slots -------------------------------------------- */

static bool any_used(const struct lull_slab *slab, size_t i, size_t end)
{
	while (i < end && slot_state(slab, i) == SLOT_EMPTY)
		i++;
	return i < end;
}

void lull_slab_own_pages(const struct lull_slab *slab, size_t first, size_t nr,
			 size_t *ret_low, size_t *ret_high)
{
	size_t per = slab->page_bytes / SLOT_BYTES, end = first + nr;
	size_t low = first / per * per, high = lull_align_up(end, per);

	if (any_used(slab, low, first))
		low += per;
	if (any_used(slab, end, high))
		high -= per;
	*ret_low = low;
	*ret_high = high;
}

/* ---- pinning ----------------------------------------------------------- */

void lull_slab_pin(struct lull_arena *arena, struct lull_slab *slab,
		   enum lull_pin_role role, size_t first, size_t nr)
{
	struct lull_registrar *registrar = &arena->registrars[role];
	struct lull_pin_piece *piece;
	struct lull_error why;
	size_t i;

	if (!registrar->ops || !nr)
		return;
	piece = calloc(1, sizeof(*piece));
	if (!piece)
		return;
	piece->ptr = slab->base + first * SLOT_BYTES;
	piece->bytes = nr * SLOT_BYTES;
	if (registrar->ops->pin(registrar->arg, piece->ptr, piece->bytes,
				&why)) {
		/* The loader has notes of its own. */
		if (!registrar->refused && role == LULL_PIN_DEVICE)
			lull_arena_add_note(arena,
					    "registering %zu bytes failed, as "
					    "others may: %s",
					    piece->bytes, why.msg);
		registrar->refused = true;
		free(piece);
		return;
	}
	piece->next = registrar->pieces;
	registrar->pieces = piece;
	if (role == LULL_PIN_DEVICE) {
		arena->stats.pinned_bytes += piece->bytes;
		arena->stats.registered_bytes += piece->bytes;
	}
	for (i = first; i < first + nr; i++)
		slab->slots[i] |= pin_mark(role);
}

/* ---- growth ------------------------------------------------------------ */

static void set_run(struct lull_slab *slab, size_t i, size_t end,
		    enum slot_state state)
{
	for (; i < end; i++)
		slot_set(slab, i, state);
}

/*
 * Maps pages that are there: a part of a proof's scratch that is first touched
 * by the tenth proof faults now, and not then.  And pages that a device is about
 * to register, which would fault them one by one.
 */
static void populate(const struct lull_arena *arena,
		     const struct lull_slab *slab, size_t first, size_t end)
{
	if (slab->carrier->has_pages || arena->registrars[LULL_PIN_DEVICE].ops)
		lull_arena_populate(slab->base + first * SLOT_BYTES,
				    (end - first) * SLOT_BYTES);
}

static int acquire_run(struct lull_arena *arena, struct lull_slab *slab,
		       size_t first, size_t end, struct lull_error *reterr)
{
	enum lull_pin_role role;
	int err;

	set_run(slab, first, end, SLOT_FRESH);
	err = slab->carrier->acquire(slab, first, end - first, reterr);
	if (err) {
		set_run(slab, first, end, SLOT_EMPTY);
		return err;
	}
	slab->counts.held_bytes += (end - first) * SLOT_BYTES;
	populate(arena, slab, first, end);
	for (role = 0; role < LULL_NR_PIN_ROLES; role++)
		lull_slab_pin(arena, slab, role, first, end - first);
	return LULL_OK;
}

static size_t grown_bytes(const struct lull_arena *arena)
{
	const struct lull_slab *slab;
	size_t bytes = 0;

	for (slab = arena->slabs; slab; slab = slab->next)
		bytes += slab->top_bytes;
	return bytes;
}

static int acquire_top(struct lull_arena *arena, struct lull_slab *slab,
		       size_t bytes, struct lull_error *reterr)
{
	size_t first = slab->top_bytes / SLOT_BYTES, nr = bytes / SLOT_BYTES;
	int err;

	err = acquire_run(arena, slab, first, first + nr, reterr);
	if (!err)
		slab->top_bytes += bytes;
	return err;
}

/* How far to grow for @need bytes: more where it is going to be pinned. */
static size_t growth(const struct lull_arena *arena,
		     const struct lull_slab *slab, size_t need)
{
	size_t room = slab->span_bytes - slab->top_bytes;

	if (arena->opts.bytes_max)
		room = lull_min(
			room, lull_align_up(arena->opts.bytes_max, SLOT_BYTES) -
				      grown_bytes(arena));
	if (!arena->registrars[LULL_PIN_DEVICE].ops)
		return need;
	return lull_max(need, lull_min(room, PIN_PIECE_BYTES));
}

int lull_slab_grow(struct lull_arena *arena, struct lull_slab *slab,
		   size_t bytes, struct lull_extent **ret_extent,
		   struct lull_error *reterr)
{
	struct lull_extent *tail = slab->last, *extent;
	size_t have, need;
	int err;

	if (tail && tail->state != EXTENT_FREE)
		tail = NULL;
	have = tail ? tail->bytes : 0;
	LULL_ASSERT(have < bytes);
	need = lull_align_up(bytes - have, SLOT_BYTES);
	if (arena->opts.bytes_max &&
	    grown_bytes(arena) + need >
		    lull_align_up(arena->opts.bytes_max, SLOT_BYTES))
		return lull_fail(reterr, LULL_RANGE,
				 "the arena holds %zu bytes of at most %zu",
				 grown_bytes(arena), arena->opts.bytes_max);
	need = growth(arena, slab, need);
	err = acquire_top(arena, slab, need, reterr);
	if (err)
		return err;
	if (tail) {
		lull_bins_remove(&arena->extents.large, tail);
		tail->bytes += need;
		extent = tail;
	} else {
		extent = lull_extent_new(&arena->extents);
		extent->slab = slab;
		extent->ptr = slab->base + slab->top_bytes - need;
		extent->bytes = need;
		extent->prev = slab->last;
		if (extent->prev)
			extent->prev->next = extent;
		slab->last = extent;
	}
	lull_bins_add(&arena->extents.large, extent);
	*ret_extent = extent;
	return LULL_OK;
}

/* ---- occupied and vacated ---------------------------------------------- */

/* The end of the run of slots from @i that are in the state of @i. */
static size_t run_end(const struct lull_slab *slab, size_t i, size_t end)
{
	enum slot_state state = slot_state(slab, i);

	while (i < end && slot_state(slab, i) == state)
		i++;
	return i;
}

static int revive_run(struct lull_arena *arena, struct lull_slab *slab,
		      size_t first, size_t end, struct lull_error *reterr)
{
	size_t i, nr_fresh = 0;
	int err;

	if (!slab->carrier->revive) {
		set_run(slab, first, end, SLOT_USED);
	} else {
		err = slab->carrier->revive(slab, first, end - first, reterr);
		if (err)
			return err;
	}
	for (i = first; i < end; i++)
		nr_fresh += slot_state(slab, i) == SLOT_FRESH;
	if (nr_fresh)
		populate(arena, slab, first, end);
	arena->stats.fresh_bytes += nr_fresh * SLOT_BYTES;
	arena->stats.kept_bytes += (end - first - nr_fresh) * SLOT_BYTES;
	return LULL_OK;
}

/* Adds what of the slot lies in the block; joins what exceeds the room. */
static void add_dirty(struct lull_dirty *dirty, uint8_t *ptr, size_t bytes)
{
	size_t last = dirty->nr - 1;

	if (dirty->nr &&
	    (dirty->nr == DIRTY_RUNS_MAX ||
	     dirty->runs[last].ptr + dirty->runs[last].bytes == ptr)) {
		dirty->runs[last].bytes =
			(size_t)(ptr + bytes - dirty->runs[last].ptr);
		return;
	}
	dirty->runs[dirty->nr].ptr = ptr;
	dirty->runs[dirty->nr++].bytes = bytes;
}

/* Marks slots used and says which of the block's bytes may be dirty. */
static void use_slots(struct lull_extent *extent, size_t first, size_t end,
		      struct lull_dirty *ret_dirty)
{
	struct lull_slab *slab = extent->slab;
	uint8_t *from, *to;
	size_t i;

	*ret_dirty = (struct lull_dirty){ 0 };
	for (i = first; i < end; i++) {
		from = slab->base + i * SLOT_BYTES;
		to = from + SLOT_BYTES;
		from = from < extent->ptr ? extent->ptr : from;
		to = to > extent->ptr + extent->bytes
			     ? extent->ptr + extent->bytes
			     : to;
		if (slot_state(slab, i) == SLOT_FRESH) {
			ret_dirty->fresh_bytes += (size_t)(to - from);
			slab->counts.faulted_bytes += SLOT_BYTES;
			slab->counts.zeroed_bytes += SLOT_BYTES;
		} else {
			add_dirty(ret_dirty, from, (size_t)(to - from));
		}
		slot_set(slab, i, SLOT_USED);
	}
}

int lull_slab_occupy(struct lull_arena *arena, struct lull_extent *extent,
		     struct lull_dirty *ret_dirty, struct lull_error *reterr)
{
	struct lull_slab *slab = extent->slab;
	size_t offset = (size_t)(extent->ptr - slab->base);
	size_t first = offset / SLOT_BYTES;
	size_t end = lull_div_up(offset + extent->bytes, SLOT_BYTES);
	size_t i, next;
	int err = LULL_OK;

	for (i = first; i < end && !err; i = next) {
		next = run_end(slab, i, end);
		if (slot_state(slab, i) == SLOT_RETIRED)
			err = revive_run(arena, slab, i, next, reterr);
		else if (slot_state(slab, i) == SLOT_EMPTY)
			err = acquire_run(arena, slab, i, next, reterr);
	}
	if (err)
		return err;
	use_slots(extent, first, end, ret_dirty);
	return LULL_OK;
}

static void retire_slots(struct lull_arena *arena, struct lull_slab *slab,
			 size_t first, size_t end)
{
	const bool told = slab->carrier->retire;
	size_t i, next;

	for (i = first; i < end; i = next) {
		enum slot_state state = slot_state(slab, i);

		next = run_end(slab, i, end);
		if (state != SLOT_USED && !(state == SLOT_FRESH && told))
			continue;
		if (told && !slab->carrier->retire(slab, i, next - i))
			continue;
		set_run(slab, i, next, SLOT_RETIRED);
		arena->stats.retired_bytes += (next - i) * SLOT_BYTES;
	}
}

/* The end of the run of slots from @i that can all be released, or @i. */
static size_t releasable_end(const struct lull_slab *slab, size_t i, size_t end)
{
	while (i < end && slot_state(slab, i) != SLOT_EMPTY &&
	       !(slab->slots[i] & (SLOT_PINNED | SLOT_FIXED)))
		i++;
	return i;
}

/* A run of slots that can be released, as far as whole pages go. */
static void release_run(struct lull_arena *arena, struct lull_slab *slab,
			size_t first, size_t end)
{
	size_t low, high;

	lull_slab_own_pages(slab, first, end - first, &low, &high);
	low = lull_max(low, first);
	high = lull_min(high, end);
	set_run(slab, first, end, SLOT_RETIRED);
	if (low >= high || !slab->carrier->release(slab, low, high - low))
		return;
	set_run(slab, low, high, SLOT_EMPTY);
	slab->counts.held_bytes -= (high - low) * SLOT_BYTES;
	slab->counts.flushes++;
	arena->stats.unmapped_bytes += (high - low) * SLOT_BYTES;
}

static void release_slots(struct lull_arena *arena, struct lull_slab *slab,
			  size_t first, size_t end)
{
	size_t i, next;

	for (i = first; i < end; i = next) {
		next = releasable_end(slab, i, end);
		if (next > i)
			release_run(arena, slab, i, next);
		else
			next++;
	}
}

void lull_slab_vacate(struct lull_arena *arena, struct lull_slab *slab,
		      const struct lull_extent *around, const uint8_t *ptr,
		      size_t bytes, bool release)
{
	size_t offset = (size_t)(ptr - slab->base);
	size_t low = (size_t)(around->ptr - slab->base);
	size_t first =
		lull_max(lull_div_up(low, SLOT_BYTES), offset / SLOT_BYTES);
	size_t end = lull_min((low + around->bytes) / SLOT_BYTES,
			      lull_div_up(offset + bytes, SLOT_BYTES));

	if (first >= end)
		return;
	if (release)
		release_slots(arena, slab, first, end);
	else
		retire_slots(arena, slab, first, end);
}
