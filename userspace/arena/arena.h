/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - memory that is had once and used again
 *
 * For every folder above base/, and for `lull bench storm`.  An arena carves
 * blocks out of ranges of 2 MiB slots.  A block that is given back stays
 * mapped: its slots are *retired*, which tells the carrier that it may take
 * their pages, and the next carve that fits *revives* them.  So a stream of
 * equal work causes no munmap, no page fault and no zeroing after its first
 * round.
 *
 *	module	       /dev/lull_arena: the kernel takes retired slots under
 *		       pressure and says on revival which it took
 *	hugetlb	       a memfd of 1 GiB or 2 MiB pages out of a reserved pool
 *	thp	       anonymous memory with MADV_HUGEPAGE; always works
 *	malloc	       calloc(3), freed by a detached thread a block
 *	malloc-serial  calloc(3), freed at once, one block at a time
 *
 * The last two are what provers usually do and exist to be compared with.
 *
 * Memory is not zeroed between two holders of one arena unless they ask.
 * Refuses nothing that fits: there is no size of block that it is not for, but
 * blocks below 256 KiB share slots of their own, so that a small one which is
 * held for long does not break up the space of the large ones.
 *
 * Threads: every function may be called from any thread at any time, except
 * lull_arena_close(), which ends the arena.  A struct lull_vec belongs to one
 * thread at a time.
 */
#ifndef LULL_ARENA_ARENA_H
#define LULL_ARENA_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lull_arena;
struct lull_error;
struct lull_extent;

/* What slabs are made of: a PMD-mapped page on x86-64. */
#define LULL_ARENA_SLOT_BYTES ((size_t)2 << 20)

/* Every block begins at a multiple of this: a cache line, a vector of
 * AVX-512.  Blocks of LULL_ARENA_PACKED_BYTES and more begin at a page. */
#define LULL_ARENA_ALIGN ((size_t)64)
#define LULL_ARENA_PACKED_BYTES ((size_t)256 << 10)

/* As a node: none in particular. */
#define LULL_ARENA_NODE_ANY (-1)

/**
 * enum lull_arena_carrier - where an arena's memory comes from
 * @LULL_ARENA_AUTO: the first of module, hugetlb and thp that works
 * @LULL_ARENA_MODULE: /dev/lull_arena
 * @LULL_ARENA_HUGETLB: the pool of reserved 2 MiB pages
 * @LULL_ARENA_THP: anonymous memory, huge pages where the kernel has some
 * @LULL_ARENA_MALLOC: a mapping a block, freed on detached threads
 * @LULL_ARENA_MALLOC_SERIAL: the same, freed by the caller, one at a time
 */
enum lull_arena_carrier {
	LULL_ARENA_AUTO,
	LULL_ARENA_MODULE,
	LULL_ARENA_HUGETLB,
	LULL_ARENA_THP,
	LULL_ARENA_MALLOC,
	LULL_ARENA_MALLOC_SERIAL,
};
#define LULL_ARENA_NR_CARRIERS 6

/* Whether every block goes back to the system. */
static inline bool lull_arena_carrier_is_malloc(enum lull_arena_carrier carrier)
{
	return carrier == LULL_ARENA_MALLOC ||
	       carrier == LULL_ARENA_MALLOC_SERIAL;
}

/* "auto", "module", "hugetlb", "thp", "malloc", "malloc-serial"; static. */
const char *lull_arena_carrier_name(enum lull_arena_carrier carrier);

/* The carrier of that name in *ret_carrier; false when there is none. */
bool lull_arena_carrier_find(const char *name,
			     enum lull_arena_carrier *ret_carrier);

/**
 * struct lull_arena_opts - what arena is wanted
 * @carrier: from where
 * @bytes_max: more is never held, counted in whole slots; 0 for no bound of
 *	ours
 * @node: the NUMA node that memory must come from, or LULL_ARENA_NODE_ANY
 * @secret: secrets will lie in it: left out of core dumps, and the module
 *	zeroes pages before the kernel has them back
 */
struct lull_arena_opts {
	enum lull_arena_carrier carrier;
	size_t bytes_max;
	int node;
	bool secret;
};

/**
 * lull_arena_open - an arena, empty
 * @opts: what is wanted
 * @ret_arena: owned by the caller; end it with lull_arena_close()
 * @reterr: filled on failure; names the cause and what would mend it
 *
 * Takes address space and no memory.  A carrier that was asked for by name
 * works or this fails; LULL_ARENA_AUTO notes for each better carrier why it
 * was not taken (lull_arena_note()).  When the carrier that it took runs out
 * later, the rest comes from thp, and that is noted too.
 *
 * Return: LULL_OK, LULL_NOMEM, LULL_IO (the device refused), LULL_UNSUPPORTED
 * (the carrier is not there, or the node) or LULL_USAGE.
 */
int lull_arena_open(const struct lull_arena_opts *opts,
		    struct lull_arena **ret_arena, struct lull_error *reterr);

/**
 * lull_arena_close - unmap an arena
 * @arena: may be NULL
 *
 * Blocks that are still held stay valid, and the arena ends when the last of
 * them is given back.  Waits for the threads that still free blocks of the
 * malloc carrier.
 */
void lull_arena_close(struct lull_arena *arena);

/* The carrier in use; never LULL_ARENA_AUTO. */
enum lull_arena_carrier lull_arena_carrier(const struct lull_arena *arena);

/**
 * lull_arena_need - can so much be had at all?
 * @arena: the arena
 * @name: of a file, for people
 * @what: needs it: "converting it"
 * @bytes: at one time, at most
 * @say: told the need and what there is; may be NULL
 * @arg: handed to @say
 * @reterr: filled on failure
 *
 * Before work that would end half way for want of memory, or take the machine's
 * last.  What others have of that is not looked at.  Where memory cgroups bind this
 * process, as in a container, what is charged to them already counts, but for
 * what this arena has; hugetlb's and the module's memory is not theirs.
 *
 * Return: LULL_OK, or LULL_NOMEM, with expected and found, where it is more than
 * the machine has, swap included, or a cgroup leaves, whose file is named, or the
 * arena may hold.
 */
int lull_arena_need(struct lull_arena *arena, const char *name,
		    const char *what, uint64_t bytes,
		    void (*say)(void *arg, const char *line), void *arg,
		    struct lull_error *reterr);

/*
 * Work that has memory of the arena, or soon will, is under way between the two:
 * &struct lull_arena_stats.nr_at_work counts it, so that nobody takes free memory
 * for idle meanwhile.  A key that is open is no work.
 */
void lull_arena_enter(struct lull_arena *arena);
void lull_arena_leave(struct lull_arena *arena);

/**
 * lull_arena_describe - an arena in a few words
 * @arena: the arena
 * @buf: receives "module (2 MiB, node 0)" or the like, and a NUL
 * @bytes: size of @buf; what does not fit is cut off
 */
void lull_arena_describe(const struct lull_arena *arena, char *buf,
			 size_t bytes);

/**
 * lull_arena_note - why an arena is not a better one
 * @arena: the arena
 * @index: from 0
 *
 * One line for each carrier that LULL_ARENA_AUTO would have liked better:
 * "module: /dev/lull_arena is not there: ...", and one for each carrier that
 * ran out since.
 *
 * Return: the line, which lives as long as the arena; NULL after the last.
 */
const char *lull_arena_note(const struct lull_arena *arena, size_t index);

/**
 * struct lull_vec - one block of memory, or none
 * @ptr: its first byte; NULL when empty
 * @bytes: its size as asked for
 * @fresh_bytes: when it was carved or revived: how much of it was memory that
 *	nobody had used, all zero
 * @arena: where it comes from
 * @extent: the arena's own
 *
 * All zero is an empty one.  Its holder may copy it, and gives back one copy.
 */
struct lull_vec {
	void *ptr;
	size_t bytes;
	size_t fresh_bytes;
	struct lull_arena *arena;
	struct lull_extent *extent;
};

/* The block is zeroed; only what is not fresh is written for that. */
#define LULL_CARVE_ZERO 1u
/* The block holds a secret and is wiped before it goes back. */
#define LULL_CARVE_SECRET 2u

/**
 * lull_arena_carve - take a block
 * @arena: the arena
 * @bytes: its size; 0 gives an empty block
 * @flags: LULL_CARVE_*; without LULL_CARVE_ZERO it holds anything
 * @what: names it in the message
 * @ret_vec: owned by the caller; end it with lull_arena_retire()
 * @reterr: filled on failure
 *
 * Takes the smallest retired piece that fits and revives it; only when there
 * is none does the arena grow.
 *
 * Return: LULL_OK or LULL_NOMEM.
 */
int lull_arena_carve(struct lull_arena *arena, size_t bytes, unsigned int flags,
		     const char *what, struct lull_vec *ret_vec,
		     struct lull_error *reterr);

/**
 * lull_arena_retire - give a block back, cheaply
 * @vec: the block; emptied; an empty one is left alone
 *
 * Wipes a secret, and retires the slots that no other block lies in: they stay
 * mapped, and the carrier may take their pages.  malloc carriers free it.
 */
void lull_arena_retire(struct lull_vec *vec);

/**
 * lull_arena_release - give a block back, and its pages to the system
 * @vec: the block; emptied; an empty one is left alone
 *
 * As lull_arena_retire(), but the pages of slots that no other block lies in
 * go: with module's next batch, at once with the others (MADV_DONTNEED, a hole
 * in the memfd).  Pinned ones stay.
 */
void lull_arena_release(struct lull_vec *vec);

/**
 * lull_arena_yield - give a block back, and its pages to the system's disposal
 * @vec: the block; emptied; an empty one is left alone
 *
 * As lull_arena_retire() where the carrier takes retired slots when the kernel
 * wants them, which is module; as lull_arena_release() with the others, of which
 * the system can have them now or not at all.
 */
void lull_arena_yield(struct lull_vec *vec);

/**
 * lull_arena_keeps_yielded - whether memory that is yielded stays for the next
 * @arena: the arena
 *
 * True of module, until the kernel wants it, and of an arena that somebody has
 * registered.
 */
bool lull_arena_keeps_yielded(struct lull_arena *arena);

/**
 * lull_arena_idle - keep a block, but let the carrier have its pages
 * @vec: the block, which nobody touches until lull_arena_revive()
 *
 * For what can be made again, such as a table.  Only module ever takes them.
 */
void lull_arena_idle(struct lull_vec *vec);

/**
 * lull_arena_revive - use an idle block again
 * @vec: the block; @vec->fresh_bytes says how much was taken and is zero now;
 *	0 means that all its data is as it was
 * @reterr: filled on failure
 *
 * Return: LULL_OK, or LULL_NOMEM when pages were taken and cannot be had
 * again: the block is then still idle.
 */
int lull_arena_revive(struct lull_vec *vec, struct lull_error *reterr);

/**
 * lull_arena_checkpoint - remember what a thread holds
 * @arena: the arena
 *
 * Return: a mark for lull_arena_roll_back() on the same thread.
 */
uint64_t lull_arena_checkpoint(struct lull_arena *arena);

/**
 * lull_arena_roll_back - give back what this thread carved since
 * @arena: the arena
 * @mark: of lull_arena_checkpoint()
 *
 * Retires each block that the calling thread carved after @mark and that is
 * still held.  The structs lull_vec of those blocks are void afterwards.
 */
void lull_arena_roll_back(struct lull_arena *arena, uint64_t mark);

/* As a timeout: none. */
#define LULL_ARENA_WAIT_ALWAYS (~0u)

/**
 * lull_arena_flush - let go of everything that is retired, and wait
 * @arena: the arena
 * @timeout_ms: how long to wait, or LULL_ARENA_WAIT_ALWAYS
 * @reterr: filled on failure
 *
 * Releases every slot that no block lies in.  On return the system has their
 * pages back, except pinned ones: module runs one batch, malloc's detached
 * threads have ended.
 *
 * Return: LULL_OK, or LULL_IO when the device failed or the time is over.
 */
int lull_arena_flush(struct lull_arena *arena, unsigned int timeout_ms,
		     struct lull_error *reterr);

/**
 * struct lull_arena_pin_ops - who registers an arena's memory with a device
 * @pin: register these bytes, whole slots; LULL_OK, or an error with a text
 * @unpin: undo it
 *
 * Called with the arena's lock held: neither may call into the arena.
 */
struct lull_arena_pin_ops {
	int (*pin)(void *arg, void *ptr, size_t bytes,
		   struct lull_error *reterr);
	void (*unpin)(void *arg, void *ptr, size_t bytes);
};

/**
 * lull_arena_pin - register an arena's memory, once and for all
 * @arena: the arena; not of a malloc carrier
 * @ops: lives as long as it is set; NULL undoes it, calling @unpin
 * @arg: handed to @ops
 * @reterr: filled on failure
 *
 * Registers what there is, and from now on each piece by which the arena
 * grows, in pieces of at least 32 MiB where that is possible.  A piece that
 * cannot be registered is used all the same; the first such is noted
 * (lull_arena_note()) with the registrar's text.  Pinned memory is revived with
 * its registration, and neither lull_arena_release() nor lull_arena_flush()
 * lets it go.  One registrar at a time.
 *
 * Return: LULL_OK, LULL_UNSUPPORTED (a malloc carrier), or LULL_USAGE when
 * somebody else registers.
 */
int lull_arena_pin(struct lull_arena *arena,
		   const struct lull_arena_pin_ops *ops, void *arg,
		   struct lull_error *reterr);

/**
 * lull_arena_fix - register an arena's memory for reads, once and for all
 * @arena: the arena; not of a malloc carrier
 * @ops: lives as long as it is set; NULL undoes it, calling @unpin
 * @arg: handed to @ops
 * @reterr: filled on failure
 *
 * As lull_arena_pin(), beside it: for the fixed buffers of io_uring, which hold
 * the pages of what is registered and would go on to read into them if the
 * arena let them go.  Pieces are as large as the arena grows.
 *
 * Return: as lull_arena_pin().
 */
int lull_arena_fix(struct lull_arena *arena,
		   const struct lull_arena_pin_ops *ops, void *arg,
		   struct lull_error *reterr);

/**
 * lull_arena_pinned_run - whether memory is registered, and how far
 * @arena: the arena
 * @ptr: memory, of the arena or not
 * @bytes: how much of it
 * @ret_bytes: the same holds of so many bytes from @ptr on, at most @bytes;
 *	what is registered ends with its piece, since a device takes no copy
 *	that reaches over two
 */
bool lull_arena_pinned_run(struct lull_arena *arena, const void *ptr,
			   size_t bytes, size_t *ret_bytes);

/**
 * struct lull_arena_stats - what an arena has done
 * @span_bytes: address space it has; takes no memory
 * @held_bytes: slots with memory of ours, by our own count: what the kernel
 *	took from module unasked shows on revival only
 * @used_bytes: blocks in their holders' hands
 * @used_bytes_max: the most that this was
 * @pinned_bytes: registered with a device
 * @nr_at_work: between lull_arena_enter() and lull_arena_leave()
 * @nr_carves: counter: blocks carved
 * @faulted_bytes: counter: memory that was touched or acquired for the first
 *	time and so faulted in
 * @zeroed_bytes: counter: zeroed by the kernel for that, or for
 *	LULL_CARVE_ZERO
 * @wiped_bytes: counter: secrets overwritten on their way back
 * @retired_bytes: counter: slots retired
 * @kept_bytes: counter: slots revived with their data
 * @fresh_bytes: counter: slots revived that had been taken
 * @unmapped_bytes: counter: given back to the system
 * @flushes: counter: calls, or module's runs, that flush other CPUs' TLBs
 * @munmaps: counter: munmap(2), or free(3) of a block that large
 * @registered_bytes: counter: registered with a device, each time again
 *
 * Bytes of slots are multiples of 2 MiB.  The malloc carriers count each block
 * as faulted and zeroed when it is carved and as unmapped when it is freed, and
 * one of 128 KiB and more as a munmap and a flush: true of each above 32 MiB,
 * of smaller ones until glibc keeps them in its heap.
 */
struct lull_arena_stats {
	uint64_t span_bytes;
	uint64_t held_bytes;
	uint64_t used_bytes;
	uint64_t used_bytes_max;
	uint64_t pinned_bytes;
	uint64_t nr_at_work;
	uint64_t nr_carves;
	uint64_t faulted_bytes;
	uint64_t zeroed_bytes;
	uint64_t wiped_bytes;
	uint64_t retired_bytes;
	uint64_t kept_bytes;
	uint64_t fresh_bytes;
	uint64_t unmapped_bytes;
	uint64_t flushes;
	uint64_t munmaps;
	uint64_t registered_bytes;
};

/**
 * lull_arena_stats - copy the counters
 * @arena: the arena
 * @ret_stats: all of one moment
 */
void lull_arena_stats(struct lull_arena *arena,
		      struct lull_arena_stats *ret_stats);

#endif
