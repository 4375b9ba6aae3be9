/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slab.h - what is inside an arena: slabs, slots, extents and carriers
 *
 * For the files of this folder.
 *
 *	slab	 address space from one carrier, a multiple of 2 MiB; it grows
 *		 from its start to its top
 *	slot	 2 MiB of a slab, in one of the states below
 *	extent	 a piece of a slab, free or one block; the extents of a slab lie
 *		 side by side without a gap, and no two free ones touch
 *
 * Small blocks come from *pools*: blocks of a slab that have extents of their
 * own, of 64 bytes and more.
 *
 * Locking: everything is guarded by the arena's lock, the carriers' functions
 * are called with it held.
 */
#ifndef LULL_ARENA_SLAB_H
#define LULL_ARENA_SLAB_H

#include <pthread.h>
#include <stdatomic.h>

#include "arena/arena.h"
#include "lull.h"

#define SLOT_BYTES LULL_ARENA_SLOT_BYTES
/* Large blocks begin at a page and are whole pages. */
#define PAGE_BYTES ((size_t)4096)

/* A slot's state, in the low bits of its byte. */
enum slot_state {
	SLOT_EMPTY,   /* no memory: has to be acquired */
	SLOT_FRESH,   /* has memory, or has it when touched; all zero */
	SLOT_USED,    /* a block lies in it, or did since it was last fresh */
	SLOT_RETIRED, /* as SLOT_USED, and the carrier may take it */
};
#define SLOT_STATE_MASK 0x0f
#define SLOT_PINNED 0x10 /* registered with a device */
#define SLOT_FIXED 0x20	 /* registered for reads */

enum extent_state {
	EXTENT_FREE,
	EXTENT_BLOCK,
	EXTENT_IDLE, /* a block whose slots are retired */
	EXTENT_POOL, /* small blocks lie in it */
};

/**
 * struct lull_extent - a piece of a slab or of a pool
 * @prev: the neighbour below; NULL for the first
 * @next: the neighbour above; NULL for the last.  Of an unused struct: the
 *	next unused one
 * @list_prev: in a bin when free, in the arena's list of blocks otherwise
 * @list_next: likewise
 * @slab: where it lies; NULL for one of the malloc carriers
 * @pool: the extent of the pool that it lies in, or NULL
 * @ptr: its first byte
 * @bytes: its size
 * @mark: rises with every carve: see lull_arena_checkpoint()
 * @owner: the thread that carved it
 * @memory: of the malloc carriers: what to free
 * @state: enum extent_state
 * @secret: wipe it
 * @lost: idle, and a revival failed half way
 */
struct lull_extent {
	struct lull_extent *prev, *next;
	struct lull_extent *list_prev, *list_next;
	struct lull_slab *slab;
	struct lull_extent *pool;
	uint8_t *ptr;
	size_t bytes;
	uint64_t mark;
	pthread_t owner;
	void *memory;
	uint8_t state;
	bool secret;
	bool lost;
};

/* Four bins for each power of two that a size of 64-bit can be. */
#define NR_BINS 256

/* Free extents by size. */
struct lull_bins {
	struct lull_extent *heads[NR_BINS];
	uint64_t map[NR_BINS / 64]; /* bit i: heads[i] is not NULL */
};

/* Structs are had by so many at a time. */
#define EXTENTS_PER_CHUNK 64
struct lull_extent_chunk {
	struct lull_extent_chunk *next;
	struct lull_extent extents[EXTENTS_PER_CHUNK];
};

/**
 * struct lull_extents - every extent of an arena
 * @large: free ones of slabs
 * @small: free ones of pools
 * @unused: structs
 * @chunks: own all structs
 */
struct lull_extents {
	struct lull_bins large, small;
	struct lull_extent *unused;
	struct lull_extent_chunk *chunks;
};

/* What a carrier may know better than we: see struct lull_arena_stats. */
struct lull_slab_counts {
	uint64_t held_bytes;
	uint64_t faulted_bytes;
	uint64_t zeroed_bytes;
	uint64_t flushes;
};

/**
 * struct lull_slab - address space from one carrier
 * @next: an older one
 * @carrier: whose
 * @base: its first byte, a multiple of SLOT_BYTES
 * @page_bytes: memory comes and goes by this much: SLOT_BYTES, or a multiple
 * @span_bytes: address space from there; a multiple of @page_bytes
 * @top_bytes: how far it has grown
 * @slots: a byte each, of the whole span; a mapping of its own
 * @last: the extent that ends at @top_bytes, or NULL
 * @fd: of module and hugetlb; -1 otherwise
 * @node: that its memory is to come from, or LULL_ARENA_NODE_ANY
 * @counts: its part of the statistics, as we count
 */
struct lull_slab {
	struct lull_slab *next;
	const struct lull_carrier *carrier;
	uint8_t *base;
	size_t page_bytes;
	size_t span_bytes;
	size_t top_bytes;
	uint8_t *slots;
	struct lull_extent *last;
	int fd;
	int node;
	struct lull_slab_counts counts;
};

/**
 * struct lull_carrier - one kind of memory
 * @id: which
 * @has_pages: acquire() gets the pages, so that mapping them at once costs
 *	nothing that is not spent already
 * @reserve: give @slab address space of at most @span_bytes, at least
 *	@bytes_min, and no memory; sets base, span_bytes and fd, and page_bytes
 *	when that is not SLOT_BYTES
 * @unreserve: undo it
 * @acquire: memory for nr EMPTY slots, which are marked FRESH; marks those USED
 *	that turn out to have been kept
 * @retire: tell the system that it may take nr slots with memory; false when it
 *	was not told; NULL where it is not told anything
 * @revive: take nr RETIRED slots back; sets each slot's state to USED or
 *	FRESH; NULL where nothing is ever taken
 * @release: nr slots with memory to EMPTY, which are whole pages but for slots
 *	that are EMPTY; false when some had to stay, and all are RETIRED
 * @flush: wait until what was released is with the system; NULL for nothing
 * @count: the carrier's own counts instead of ours; NULL for none
 *
 * Slots are given as the first and how many.
 */
struct lull_carrier {
	enum lull_arena_carrier id;
	bool has_pages;
	int (*reserve)(struct lull_slab *slab,
		       const struct lull_arena_opts *opts, size_t bytes_min,
		       size_t span_bytes, struct lull_error *reterr);
	void (*unreserve)(struct lull_slab *slab);
	int (*acquire)(struct lull_slab *slab, size_t first, size_t nr,
		       struct lull_error *reterr);
	bool (*retire)(struct lull_slab *slab, size_t first, size_t nr);
	int (*revive)(struct lull_slab *slab, size_t first, size_t nr,
		      struct lull_error *reterr);
	bool (*release)(struct lull_slab *slab, size_t first, size_t nr);
	int (*flush)(struct lull_slab *slab, unsigned int timeout_ms,
		     struct lull_error *reterr);
	void (*count)(const struct lull_slab *slab,
		      struct lull_slab_counts *counts);
};

extern const struct lull_carrier lull_arena_module, lull_arena_hugetlb,
	lull_arena_thp;

#define NOTES_MAX 8
#define NOTE_BYTES 256

/* A piece that somebody has registered, to be undone as it was done. */
struct lull_pin_piece {
	struct lull_pin_piece *next;
	void *ptr;
	size_t bytes;
};

/* Who may register an arena's memory, one of each. */
enum lull_pin_role {
	LULL_PIN_DEVICE, /* lull_arena_pin() */
	LULL_PIN_READS,	 /* lull_arena_fix() */
	LULL_NR_PIN_ROLES,
};

/**
 * struct lull_registrar - who registers an arena's memory
 * @ops: how; NULL for nobody
 * @arg: handed to it
 * @refused: it could not register something, which was noted
 * @pieces: what it has registered
 */
struct lull_registrar {
	const struct lull_arena_pin_ops *ops;
	void *arg;
	bool refused;
	struct lull_pin_piece *pieces;
};

/**
 * struct lull_arena - see arena.h; @lock guards what may change
 * @lock: the lock
 * @idle: nr_freeing became 0
 * @serial: one free at a time; never held together with @lock
 * @opts: as asked for
 * @id: the carrier in use
 * @growing: the carrier that more memory comes from; NULL for malloc ones
 * @page_bytes: of the first slab; 0 for malloc ones
 * @slabs: the newest first; blocks may lie in any
 * @extents: all extents of slabs and pools
 * @blocks: in their holders' hands, the newest first
 * @mark: the latest
 * @stats: so far, without what carriers count themselves
 * @nr_freeing: blocks of malloc carriers that are being freed
 * @closing: lull_arena_close() was called; the last block ends it
 * @registrars: by enum lull_pin_role
 * @notes: lines for lull_arena_note()
 * @nr_notes: how many; written with @lock, read without
 */
struct lull_arena {
	pthread_mutex_t lock;
	pthread_cond_t idle;
	pthread_mutex_t serial;
	struct lull_arena_opts opts;
	enum lull_arena_carrier id;
	const struct lull_carrier *growing;
	size_t page_bytes;
	struct lull_slab *slabs;
	struct lull_extents extents;
	struct lull_extent *blocks;
	uint64_t mark;
	struct lull_arena_stats stats;
	unsigned int nr_freeing;
	bool closing;
	struct lull_registrar registrars[LULL_NR_PIN_ROLES];
	char notes[NOTES_MAX][NOTE_BYTES];
	atomic_size_t nr_notes;
};

/* ---- extent.c ----------------------------------------------------------- */

/* Makes sure that the next @nr structs can be had: LULL_OK or LULL_NOMEM. */
int lull_extents_prepare(struct lull_extents *extents, size_t nr,
			 struct lull_error *reterr);
void lull_extents_done(struct lull_extents *extents);

/* A struct, all zero, that lull_extents_prepare() made sure of. */
struct lull_extent *lull_extent_new(struct lull_extents *extents);
void lull_extent_put(struct lull_extents *extents, struct lull_extent *extent);

/* A small free extent of at least @bytes, or NULL; it stays in its bin. */
struct lull_extent *lull_bins_find(const struct lull_bins *bins, size_t bytes);
void lull_bins_add(struct lull_bins *bins, struct lull_extent *extent);
void lull_bins_remove(struct lull_bins *bins, struct lull_extent *extent);

/* Takes a free extent out of its bin and cuts it to its first @bytes; what is
 * left is a free extent behind it, for which one struct must be there. */
void lull_extent_take(struct lull_extents *extents, struct lull_extent *extent,
		      size_t bytes);

/* Frees an extent that is in no list and joins it with its neighbours: the
 * struct that is left, in its bin. */
struct lull_extent *lull_extent_free(struct lull_extents *extents,
				     struct lull_extent *extent);

/* ---- slab.c ------------------------------------------------------------- */

/* Reserves a slab of @carrier and puts it before the others. */
int lull_slab_add(struct lull_arena *arena, const struct lull_carrier *carrier,
		  size_t bytes_min, struct lull_error *reterr);
void lull_slab_destroy(struct lull_arena *arena, struct lull_slab *slab);

/* Lets a slab grow until a free extent of @bytes ends at its top. */
int lull_slab_grow(struct lull_arena *arena, struct lull_slab *slab,
		   size_t bytes, struct lull_extent **ret_extent,
		   struct lull_error *reterr);

/* Runs of bytes of a block that a previous holder may have written. */
#define DIRTY_RUNS_MAX 8
struct lull_dirty {
	struct {
		uint8_t *ptr;
		size_t bytes;
	} runs[DIRTY_RUNS_MAX];
	size_t nr;
	size_t fresh_bytes;
};

/* Acquires or revives the slots under @extent and marks them used. */
int lull_slab_occupy(struct lull_arena *arena, struct lull_extent *extent,
		     struct lull_dirty *ret_dirty, struct lull_error *reterr);

/* Retires or releases the slots that lie in [ptr, ptr + bytes) and wholly in
 * the free, or idle, extent @around. */
void lull_slab_vacate(struct lull_arena *arena, struct lull_slab *slab,
		      const struct lull_extent *around, const uint8_t *ptr,
		      size_t bytes, bool release);

/* The slots [*ret_low, *ret_high) of all pages that have no other slots with
 * memory than [first, first + nr): none when low >= high. */
void lull_slab_own_pages(const struct lull_slab *slab, size_t first, size_t nr,
			 size_t *ret_low, size_t *ret_high);

/* Maps whole slots now, on several threads where they are many; a hint. */
void lull_arena_populate(uint8_t *ptr, size_t bytes);

/* Registers the piece [first, first + nr) of slots, if there is somebody. */
void lull_slab_pin(struct lull_arena *arena, struct lull_slab *slab,
		   enum lull_pin_role role, size_t first, size_t nr);

/* What its slots are marked with. */
static inline uint8_t pin_mark(enum lull_pin_role role)
{
	return role == LULL_PIN_DEVICE ? SLOT_PINNED : SLOT_FIXED;
}

static inline enum slot_state slot_state(const struct lull_slab *slab, size_t i)
{
	return (enum slot_state)(slab->slots[i] & SLOT_STATE_MASK);
}

static inline void slot_set(struct lull_slab *slab, size_t i,
			    enum slot_state state)
{
	slab->slots[i] = (uint8_t)((slab->slots[i] & ~SLOT_STATE_MASK) | state);
}

/* Free space of slabs and pools must not be touched: AddressSanitizer is told,
 * which otherwise sees memory that is mapped. */
#if defined(__SANITIZE_ADDRESS__)
#define LULL_ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LULL_ARENA_ASAN 1
#endif
#endif
#ifdef LULL_ARENA_ASAN
#include <sanitizer/asan_interface.h>
static inline void lull_arena_poison(void *ptr, size_t bytes)
{
	__asan_poison_memory_region(ptr, bytes);
}

static inline void lull_arena_unpoison(void *ptr, size_t bytes)
{
	__asan_unpoison_memory_region(ptr, bytes);
}
#else
static inline void lull_arena_poison(void *ptr, size_t bytes)
{
	(void)ptr;
	(void)bytes;
}

static inline void lull_arena_unpoison(void *ptr, size_t bytes)
{
	(void)ptr;
	(void)bytes;
}
#endif

/* ---- arena.c ------------------------------------------------------------ */

/* Adds a line for lull_arena_note(); what exceeds its room is left out. */
void lull_arena_add_note(struct lull_arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Ends an arena that nobody holds a block of; called without the lock. */
void lull_arena_end(struct lull_arena *arena);

/* ---- carrier_malloc.c --------------------------------------------------- */

int lull_arena_malloc(struct lull_extent *extent, size_t bytes,
		      unsigned int flags);
/* Frees an extent's memory as the carrier does, and takes 1 from nr_freeing
 * when it has; called without the lock. */
void lull_arena_malloc_free(struct lull_arena *arena, void *memory,
			    size_t bytes);

#endif
