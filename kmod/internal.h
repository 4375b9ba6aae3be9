/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * internal.h - the structures of lull_arena, each field with its lock, and
 * what the files of kmod/ call of each other
 *
 * Documentation/internals/kmod.rst has the state machine and the reasons.
 *
 * Locks, outermost first:
 *
 *	mmap_lock or a VMA lock		(core, around ->mmap and ->fault)
 *	arenas_lock			the list of arenas
 *	  batch_lock			one batch at a time in an arena
 *	    folio lock
 *	      lock			the slots of an arena
 *	    i_mmap_rwsem		(core, inside unmap_mapping_range)
 *
 * No memory is allocated under any of ours: reclaim may enter by the shrinker
 * or the OOM notifier with mmap_lock or a folio lock held, so these try
 * batch_lock and folio locks and give up when they are taken.  For the same
 * reason, whoever holds arenas_lock only tries batch_lock and folio locks:
 * then a holder of arenas_lock and of lock always gets on.
 */
#ifndef LULL_ARENA_INTERNAL_H
#define LULL_ARENA_INTERNAL_H

#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/rwsem.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/lull_arena.h>

#include "compat.h"

#define LULL_SLOT_SHIFT PMD_SHIFT
#define LULL_SLOT_BYTES PMD_SIZE
#define LULL_SLOT_ORDER (PMD_SHIFT - PAGE_SHIFT)
#define LULL_SLOT_PAGES (PMD_SIZE / PAGE_SIZE)

/* 8 TiB: bounds the slot table (24 bytes a slot) that CREATE allocates. */
#define LULL_SLOTS_MAX (4UL * 1024 * 1024)
/* Bounds what one call copies in: 16 KiB. */
#define LULL_RANGES_MAX 1024U

/*
 * Free pages only.  An allocation that cannot reclaim passes for one that must
 * not sleep, and is let into the reserves for those, unless it says no.
 */
#define LULL_GFP_FREE_ONLY(gfp) (((gfp) & ~__GFP_RECLAIM) | __GFP_NOMEMALLOC)

/* How long a page that somebody refers to is left before the next try. */
#define LULL_BUSY_RETRY (HZ)

/* The states of uapi/linux/lull_arena.h, and one that callers see as EMPTY. */
enum lull_slot_state {
	LULL_SLOT_EMPTY,
	LULL_SLOT_FILLING, /* EMPTY, claimed by an ACQUIRE or REVIVE */
	LULL_SLOT_LIVE,
	LULL_SLOT_RETIRED,
	LULL_SLOT_TAKING, /* belongs to the holder of batch_lock */
	LULL_SLOT_BUSY,
	LULL_SLOT_POISON,
	LULL_NR_SLOT_STATES,
};

/* For lull_slots_check(): EMPTY, but only LULL_SLOT_TAKEN. */
#define LULL_SLOT_IF_TAKEN LULL_NR_SLOT_STATES

enum lull_slot_flags {
	/* RETIRED or TAKING: goes out with the next batch. */
	LULL_SLOT_RELEASED = BIT(0),
	/* RETIRED or BUSY: a REVIVE is about to take it; batches keep off. */
	LULL_SLOT_HELD = BIT(1),
	/* Zero the page before the kernel has it back (RESET). */
	LULL_SLOT_WIPE = BIT(2),
	/* RETIRED: the last batch found it pinned; counted as busy. */
	LULL_SLOT_PINNED = BIT(3),
	/* EMPTY: taken while RETIRED, which its owner cannot know yet. */
	LULL_SLOT_TAKEN = BIT(4),
	/* TAKING: was BUSY, so nobody has it mapped. */
	LULL_SLOT_WAS_BUSY = BIT(5),
	/* TAKING: could not be had without waiting; goes back to RETIRED. */
	LULL_SLOT_SPARED = BIT(6),
	/* TAKING: a memory error was found. */
	LULL_SLOT_BAD = BIT(7),
};

/**
 * struct lull_slot - one slot
 * @folio: its page; NULL in EMPTY, FILLING, and in TAKING once it is freed
 * @ticket: of the latest RETIRE or RELEASE
 * @retired_at: jiffies (the low half) of that
 * @state: enum lull_slot_state
 * @flags: enum lull_slot_flags
 * @touched: may be mapped; set by faults under the folio lock
 *
 * All under lull_arena.lock, held for writing to write; except that faults,
 * which hold it for reading, set @touched, and that @folio, @flags and
 * @touched of a TAKING slot belong to the holder of batch_lock.
 */
struct lull_slot {
	struct folio *folio;
	u64 ticket;
	u32 retired_at;
	u8 state;
	u8 flags;
	u8 touched;
};

/* Counters of an arena, kept for the whole module as well. */
enum lull_counter {
	LULL_ACQUIRED_BYTES, /* given by ACQUIRE and REVIVE */
	LULL_ZEROED_BYTES,   /* zeroed for them, or on the way out */
	LULL_FAULTS,	     /* page faults on arena memory */
	LULL_PTE_FALLBACKS,  /* faults refused: a PMD was not to be had */
	LULL_RANGES_RETIRED, /* ranges of RETIRE and RELEASE */
	LULL_RANGES_REVIVED, /* ranges that REVIVE found kept */
	LULL_RANGES_FRESH,   /* ranges of which it had to renew some */
	LULL_BATCHES,	     /* batches that took something */
	LULL_RUNS,	     /* contiguous runs they unmapped */
	LULL_FLUSHES,	     /* TLB flushes that caused, by the formula */
	LULL_NR_COUNTERS,
};

/* What one user has in all arenas: account.c. */
struct lull_user;

/**
 * struct lull_arena - one arena, with the life of its file
 *
 * The file owns it.  A batch that runs by itself (@work) is cancelled and
 * waited for in ->release; reclaim finds an arena through the list, from which
 * ->release takes it first.  So nothing else holds a reference.  Only a secret
 * arena whose pages are still referred to when the file goes outlives it, then
 * owned by @work.
 */
struct lull_arena {
	/* Constant from CREATE on. */
	u32 id;		  /* for tracepoints */
	u32 create_flags; /* LULL_ARENA_CREATE_* */
	u32 numa;	  /* enum lull_arena_numa */
	int node;	  /* for PREFERRED and BIND */
	unsigned long nr_slots;
	u64 retire_max_bytes;  /* 0: the module's */
	u32 retire_max_age_ms; /* 0: the module's */
	struct inode *inode;
	struct lull_user *user;
	struct mem_cgroup *memcg;
	unsigned long memlock_pages; /* the creator's limit */
	bool cap_resource;	     /* may exceed the limit for its user */

	struct list_head link; /* arenas_lock */

	/* Guards the slots and what follows it. */
	struct rw_semaphore lock;
	struct lull_slot *slots;
	long nr_state[LULL_NR_SLOT_STATES];
	long nr_published[LULL_NR_SLOT_STATES]; /* in the module's sums */
	u64 ticket_last;
	bool owned; /* @owner's data may be in the arena */
	kuid_t owner;
	u64 flush_ticket;   /* highest that a FLUSH waits for */
	u64 flushes_wanted; /* how many FLUSHes asked for a batch */
	u64 flushes_done;   /* how many have had it */
	bool due_set;	    /* @work is queued, for @due or sooner */
	unsigned long due;

	/* One batch at a time; it owns the TAKING slots. */
	struct mutex batch_lock;
	struct delayed_work work;
	/* Woken when a batch or an ACQUIRE ends, and by REVIVE. */
	wait_queue_head_t wait;

	atomic64_t counters[LULL_NR_COUNTERS];
};

/**
 * struct lull_call - an ioctl on its way
 * @arena: the arena; NULL on the device
 * @cmd: the command's structure, in kernel memory
 * @ret_outputs: set by a command that failed and still has outputs
 * @ret_file: set by CREATE: to be installed at @ret_fd
 * @ret_fd: set by CREATE
 */
struct lull_call {
	struct lull_arena *arena;
	void *cmd;
	bool ret_outputs;
	struct file *ret_file;
	int ret_fd;
};

/**
 * struct lull_ranges - the ranges of a call, checked
 * @nr: how many
 * @nr_slots: the sum of their lengths
 * @range: in slots, in the caller's order
 * @few: room for a few, which spares an allocation
 */
struct lull_ranges {
	unsigned int nr;
	unsigned long nr_slots;
	struct lull_arena_range *range;
	struct lull_arena_range few[4];
};

/**
 * struct lull_fill_wish - pages wanted for slots
 * @flags: LULL_ARENA_ACQUIRE_*
 * @node: with LULL_ARENA_ACQUIRE_NODE
 * @first: the first slot, for INTERLEAVE
 * @nr: how many
 */
struct lull_fill_wish {
	u32 flags;
	int node;
	unsigned long first;
	unsigned long nr;
};

/**
 * struct lull_filled - what came of it
 * @nr: pages there are, charged
 * @available: how many could be had, those included
 * @cause: enum lull_arena_cause
 */
struct lull_filled {
	unsigned long nr;
	unsigned long available;
	u32 cause;
};

/* Why a batch runs, for the tracepoint. */
enum lull_batch_why {
	LULL_BATCH_WORK,    /* released, too old, too much, or a FLUSH */
	LULL_BATCH_RECLAIM, /* memory is short */
	LULL_BATCH_ACQUIRE, /* an ACQUIRE would fail */
};

/**
 * struct lull_batch - what a batch takes, and what came of it
 * @why: enum lull_batch_why
 * @ticket: take what was retired up to here
 * @age_max: take what was retired this many jiffies ago; 0: no matter
 * @everything: take all that is RETIRED
 * @nr_max: take no more slots than this; 0: no matter
 * @wait: may wait for locks; false in reclaim
 * @first: first slot taken
 * @end: behind the last one
 * @nr_taken: slots that left RETIRED
 * @nr_freed: slots that became EMPTY, or POISON
 * @nr_runs: runs that were unmapped
 */
struct lull_batch {
	enum lull_batch_why why;
	u64 ticket;
	unsigned long age_max;
	bool everything;
	unsigned long nr_max;
	bool wait;
	unsigned long first;
	unsigned long end;
	unsigned long nr_taken;
	unsigned long nr_freed;
	unsigned long nr_runs;
};

/**
 * struct lull_reclaim - retired memory that is to go
 * @user: of this user only, or NULL
 * @memcg: of this memory cgroup only, or NULL
 * @nr: slots wanted
 */
struct lull_reclaim {
	const struct lull_user *user;
	const struct mem_cgroup *memcg;
	unsigned long nr;
};

/* main.c */
extern struct workqueue_struct *lull_wq;
long lull_arena_ioctl(struct file *file, unsigned int number,
		      unsigned long arg);

/* arena.c */
extern struct mutex lull_arenas_lock;
extern struct list_head lull_arenas;
extern atomic_long_t lull_nr_arenas;
extern atomic64_t lull_total_slots;
extern atomic64_t lull_counters[LULL_NR_COUNTERS];
extern atomic_long_t lull_nr_state[LULL_NR_SLOT_STATES];
extern const struct file_operations lull_arena_fops;
int lull_arena_create(struct lull_call *call);
void lull_arena_count(struct lull_arena *arena, enum lull_counter counter,
		      long by);

/* slots.c */
void lull_slot_set(struct lull_arena *arena, struct lull_slot *slot,
		   enum lull_slot_state state);
void lull_slots_publish(struct lull_arena *arena);
int lull_ranges_get(struct lull_arena *arena, u64 address, u32 nr,
		    struct lull_ranges *ret);
void lull_ranges_put(struct lull_ranges *ranges);
int lull_slots_check(struct lull_arena *arena, const struct lull_ranges *ranges,
		     unsigned int states);
u64 lull_slots_outstanding(struct lull_arena *arena, u64 ticket);

/* acquire.c */
int lull_arena_acquire(struct lull_call *call);
int lull_arena_fill(struct lull_arena *arena, const struct lull_fill_wish *wish,
		    struct folio **folios, struct lull_filled *ret);
void lull_slot_install(struct lull_arena *arena, struct lull_slot *slot,
		       struct folio *folio);
void lull_folios_put(struct folio **folios, unsigned long nr);

/* verbs.c */
int lull_arena_retire(struct lull_call *call);
int lull_arena_revive(struct lull_call *call);
int lull_arena_release(struct lull_call *call);
int lull_arena_flush(struct lull_call *call);
int lull_arena_reset(struct lull_call *call);
int lull_arena_query(struct lull_call *call);
long lull_arena_fallocate(struct file *file, int mode, loff_t offset,
			  loff_t length);
__poll_t lull_arena_poll(struct file *file, struct poll_table_struct *table);

/* mmap.c */
int lull_arena_mmap(struct file *file, struct vm_area_struct *vma);
unsigned long lull_arena_get_area(struct file *file, unsigned long address,
				  unsigned long length, unsigned long pgoff,
				  unsigned long flags);
unsigned int lull_arena_mappings(struct lull_arena *arena, unsigned long first,
				 unsigned long nr);

/* reap.c */
extern atomic_long_t lull_given_back;
void lull_batch_run(struct lull_arena *arena, struct lull_batch *batch);
bool lull_folio_poisoned(struct folio *folio);
void lull_batch_kick(struct lull_arena *arena, unsigned long delay);
void lull_batch_work(struct work_struct *work);
bool lull_slots_drop(struct lull_arena *arena, bool keep_busy);
unsigned long lull_arena_retire_max(const struct lull_arena *arena);
unsigned long lull_arena_age_max(const struct lull_arena *arena);

/* shrink.c */
unsigned long lull_reclaim(const struct lull_reclaim *request);
int lull_shrink_init(void);
void lull_shrink_exit(void);

/* pool.c */
int lull_pool_init(void);
void lull_pool_exit(void);
struct folio *lull_pool_take(int node);
bool lull_pool_give(struct folio *folio);
struct folio *lull_folio_alloc(gfp_t gfp, int node, nodemask_t *allowed);
void lull_folio_put(struct folio *folio);
unsigned long lull_pool_shrink(unsigned long nr);
unsigned long lull_pool_slots(void);
unsigned long lull_pool_slots_target(int node);
int lull_pool_resize(int node, unsigned long nr);
unsigned long lull_pages_available(void);
bool lull_node_usable(u32 node);
bool lull_folio_from_pool(const struct folio *folio);

/* account.c */
int lull_account_open(struct lull_arena *arena);
void lull_account_close(struct lull_arena *arena);
unsigned long lull_account_charge(struct lull_arena *arena, unsigned long nr,
				  u32 *ret_cause);
void lull_account_uncharge(struct lull_arena *arena, unsigned long nr);
extern unsigned long lull_limit_bytes;
extern unsigned long lull_limit_bytes_per_uid;

/* sysfs.c */
extern unsigned long lull_retire_max_bytes;
extern unsigned int lull_retire_max_age_ms;
extern unsigned int lull_merge_gap;
extern unsigned int lull_release_delay_ms;
const struct attribute_group **lull_sysfs_groups(void);
void lull_sysfs_free(void);

#endif
