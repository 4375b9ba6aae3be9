/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * lull_arena.h - the interface of /dev/lull_arena, for the library and for
 * whoever wants an arena of 2 MiB pages that are retired instead of unmapped
 */
#ifndef _UAPI_LINUX_LULL_ARENA_H
#define _UAPI_LINUX_LULL_ARENA_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: General ioctl format
 *
 * LULL_ARENA_CREATE on /dev/lull_arena returns an *arena fd*, close-on-exec.
 * The fd is the capability: whoever holds it may map the arena and use every
 * other command; it travels over Unix sockets.  LULL_ARENA_QUERY works on
 * both kinds of fd.
 *
 * An arena is an array of slots of slot_bytes (2 MiB).  A slot is
 *
 *	EMPTY	  no memory; touching it raises SIGBUS
 *	LIVE	  one page of slot_bytes, mapped by one PMD when touched
 *	RETIRED	  as LIVE, but the kernel may take it at any moment, after
 *		  which it is EMPTY
 *	TAKING	  on its way from RETIRED to EMPTY
 *	BUSY	  taken from the page tables, but somebody (direct I/O, say)
 *		  still refers to the page; freed when that ends
 *	POISON	  the page has a memory error; touching it raises SIGBUS
 *
 * Every structure begins with its size, set by the caller.  Both sides may be
 * older: a tail that the kernel does not know must be zero, a tail that the
 * caller does not know is zero.  What is common to all commands:
 *
 *	ENOTTY	   unknown command, or one of the other kind of fd
 *	E2BIG	   a non-zero tail beyond what the kernel knows
 *	EOPNOTSUPP unknown flag or value, or a reserved field that is not 0
 *	EINVAL	   size too small; a length, offset or node that is out of
 *		   range or no multiple of slot_bytes; no range, more than
 *		   nr_ranges_max, or ranges that overlap
 *	EFAULT	   the structure, the ranges or the results are not there
 *	ENOENT	   a slot is in a state the command does not take
 *	EBUSY	   a slot is in the hands of another call, or of a batch
 *	EIO	   a slot is POISON
 *
 * On an error nothing has changed, and no output is written, except where a
 * command says otherwise.  A structure with outputs must be writable even if
 * the command fails: outputs that are not due are written back as they were.
 *
 * mmap(2) of an arena fd: MAP_SHARED, without PROT_EXEC, offset and length
 * multiples of slot_bytes, at an address that is one as well (the kernel
 * chooses such an address by itself): else EINVAL.  EPERM for a user other
 * than the one whose data may be in the arena (the effective user who first
 * mapped it, or touched it after a RESET): LULL_ARENA_RESET first, or create
 * it with LULL_ARENA_CREATE_SHARED.  EOPNOTSUPP for a 32-bit process, and for
 * one that has huge pages disabled (PR_SET_THP_DISABLE) where the kernel heeds
 * that: there is no mapping by 4 KiB, a touch that would need one raises
 * SIGBUS.  A mapping is not inherited over fork(2), cannot be moved or grown
 * by mremap(2) and is cut by munmap(2) and mprotect(2) at multiples of
 * slot_bytes only.
 *
 * poll(2) on an arena fd: readable when no ticket is outstanding.
 *
 * fallocate(2) with FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, and madvise(2)
 * with MADV_REMOVE, are LULL_ARENA_RELEASE and LULL_ARENA_FLUSH in one, for
 * slots of any state but POISON.  The size of an arena cannot be changed.
 */

/* No in-tree driver uses this letter (Documentation/userspace-api/ioctl). */
#define LULL_ARENA_TYPE 0xBC

enum {
	LULL_ARENA_CMD_CREATE = 0,
	LULL_ARENA_CMD_QUERY,
	LULL_ARENA_CMD_ACQUIRE,
	LULL_ARENA_CMD_RETIRE,
	LULL_ARENA_CMD_REVIVE,
	LULL_ARENA_CMD_RELEASE,
	LULL_ARENA_CMD_FLUSH,
	LULL_ARENA_CMD_RESET,
};

/**
 * struct lull_arena_range - a piece of an arena
 * @offset: in bytes from the arena's start, a multiple of slot_bytes
 * @length: in bytes, a multiple of slot_bytes, not 0
 */
struct lull_arena_range {
	__aligned_u64 offset;
	__aligned_u64 length;
};

/**
 * enum lull_arena_numa - where an arena's memory comes from
 * @LULL_ARENA_NUMA_LOCAL: the node of the CPU that acquires, then others
 * @LULL_ARENA_NUMA_PREFERRED: a given node, then others
 * @LULL_ARENA_NUMA_BIND: a given node and no other
 * @LULL_ARENA_NUMA_INTERLEAVE: slot by slot over the nodes with memory
 */
enum lull_arena_numa {
	LULL_ARENA_NUMA_LOCAL = 0,
	LULL_ARENA_NUMA_PREFERRED = 1,
	LULL_ARENA_NUMA_BIND = 2,
	LULL_ARENA_NUMA_INTERLEAVE = 3,
};

/* Pages are zeroed before the kernel has them back, as well. */
#define LULL_ARENA_CREATE_SECRET 0x1
/* Any user that holds the fd may map it, and MADV_DOFORK is honoured. */
#define LULL_ARENA_CREATE_SHARED 0x2

/**
 * struct lull_arena_create - ioctl(LULL_ARENA_CREATE), on the device
 * @size: sizeof(struct lull_arena_create)
 * @flags: LULL_ARENA_CREATE_*
 * @bytes: the arena's size, a multiple of slot_bytes, not 0, at most 8 TiB
 * @retire_max_bytes: a RETIRE that brings the retired bytes above this starts
 *	a batch, which takes the oldest retirements, each whole, until the
 *	bound holds; 0 for the module's retire_max_bytes
 * @retire_max_age_ms: what has been retired longer is given back; 0 for the
 *	module's retire_max_age_ms
 * @numa: enum lull_arena_numa
 * @node: for PREFERRED and BIND; otherwise 0
 * @fd: returned: the arena, owned by the caller
 *
 * Makes an arena whose slots are all EMPTY.  The memory that it will have is
 * charged to the creator, whoever calls ACQUIRE: its memory cgroup, its
 * RLIMIT_MEMLOCK (unless it has CAP_IPC_LOCK) and the module's limit for its
 * user (CAP_SYS_RESOURCE may exceed that), limit and capabilities as they are
 * now.  Memory stays charged while it is retired.
 *
 * Errors: EMFILE, ENFILE, ENOMEM.
 */
struct lull_arena_create {
	__u32 size;
	__u32 flags;
	__aligned_u64 bytes;
	__aligned_u64 retire_max_bytes;
	__u32 retire_max_age_ms;
	__u32 numa;
	__u32 node;
	__u32 fd;
};

#define LULL_ARENA_CREATE _IO(LULL_ARENA_TYPE, LULL_ARENA_CMD_CREATE)

/* Keep what could be had when not all can: a prefix of the ranges. */
#define LULL_ARENA_ACQUIRE_PARTIAL 0x1
/*
 * Take free pages only: neither reclaim nor compact to make some, and leave
 * retired memory alone.
 */
#define LULL_ARENA_ACQUIRE_NORETRY 0x2
/* Use @node for this call, as LULL_ARENA_NUMA_BIND does. */
#define LULL_ARENA_ACQUIRE_NODE 0x4

/**
 * enum lull_arena_cause - what stopped an ACQUIRE or a REVIVE
 * @LULL_ARENA_CAUSE_NONE: nothing did
 * @LULL_ARENA_CAUSE_MEMORY: no 2 MiB page, on that node or at all, or the
 *	memory cgroup is full
 * @LULL_ARENA_CAUSE_MEMLOCK: RLIMIT_MEMLOCK of the creator's user
 * @LULL_ARENA_CAUSE_LIMIT: limit_bytes of the module
 * @LULL_ARENA_CAUSE_LIMIT_UID: limit_bytes_per_uid of the module
 * @LULL_ARENA_CAUSE_SIGNAL: a signal
 */
enum lull_arena_cause {
	LULL_ARENA_CAUSE_NONE = 0,
	LULL_ARENA_CAUSE_MEMORY = 1,
	LULL_ARENA_CAUSE_MEMLOCK = 2,
	LULL_ARENA_CAUSE_LIMIT = 3,
	LULL_ARENA_CAUSE_LIMIT_UID = 4,
	LULL_ARENA_CAUSE_SIGNAL = 5,
};

/**
 * struct lull_arena_acquire - ioctl(LULL_ARENA_ACQUIRE): EMPTY to LIVE
 * @size: sizeof(struct lull_arena_acquire)
 * @flags: LULL_ARENA_ACQUIRE_*
 * @ranges: address of @nr_ranges struct lull_arena_range
 * @nr_ranges: 1 to nr_ranges_max
 * @node: with LULL_ARENA_ACQUIRE_NODE; otherwise 0
 * @acquired_bytes: returned: LIVE now; of a call that failed: how far it came
 *	before it gave everything back
 * @available_bytes: returned: of a call that did not get all: what could be
 *	had just then, at least; otherwise 0
 * @cause: returned: enum lull_arena_cause
 * @__reserved: 0
 *
 * The memory is zeroed, once.  All or nothing, unless PARTIAL.  Before it
 * fails for a limit, retired memory that counts towards the limit is taken,
 * of this arena first; before it fails for want of memory, that of this arena
 * and of its memory cgroup.
 *
 * Errors: ENOMEM (@cause MEMORY or MEMLOCK), EDQUOT (LIMIT or LIMIT_UID),
 * EINTR (SIGNAL); with these the outputs are written.  With PARTIAL they are
 * errors only when not one slot could be had.  EBUSY: a slot is TAKING, BUSY
 * or being acquired; ENOENT: a slot is LIVE or RETIRED.
 */
struct lull_arena_acquire {
	__u32 size;
	__u32 flags;
	__aligned_u64 ranges;
	__u32 nr_ranges;
	__u32 node;
	__aligned_u64 acquired_bytes;
	__aligned_u64 available_bytes;
	__u32 cause;
	__u32 __reserved;
};

#define LULL_ARENA_ACQUIRE _IO(LULL_ARENA_TYPE, LULL_ARENA_CMD_ACQUIRE)

/**
 * struct lull_arena_retire - ioctl(LULL_ARENA_RETIRE): LIVE to RETIRED
 * @size: sizeof(struct lull_arena_retire)
 * @flags: 0
 * @ranges: address of @nr_ranges struct lull_arena_range
 * @nr_ranges: 1 to nr_ranges_max
 * @__reserved: 0
 * @ticket: returned: for LULL_ARENA_FLUSH; tickets of one arena rise
 *
 * "The kernel may have this."  Nothing is unmapped or flushed now; pins stay.
 *
 * Errors: ENOENT: a slot is not LIVE.
 */
struct lull_arena_retire {
	__u32 size;
	__u32 flags;
	__aligned_u64 ranges;
	__u32 nr_ranges;
	__u32 __reserved;
	__aligned_u64 ticket;
};

#define LULL_ARENA_RETIRE _IO(LULL_ARENA_TYPE, LULL_ARENA_CMD_RETIRE)

/**
 * struct lull_arena_revive - ioctl(LULL_ARENA_REVIVE): RETIRED to LIVE
 * @size: sizeof(struct lull_arena_revive)
 * @flags: 0
 * @ranges: address of @nr_ranges struct lull_arena_range
 * @nr_ranges: 1 to nr_ranges_max
 * @cause: returned: enum lull_arena_cause
 * @results: address of @nr_ranges __u64: how many bytes of each range are
 *	fresh; may be 0
 * @kept_bytes: returned: still there, with the data of before
 * @fresh_bytes: returned: had been taken; new, zeroed memory
 *
 * A slot of @ranges that is EMPTY is acquired anew, under the arena's policy;
 * a BUSY one is taken back into use as it is; a TAKING one is waited for.
 *
 * Errors: those of ACQUIRE, when memory was taken and cannot be had again:
 * then nothing has changed and only @cause is written.  ENOENT: a slot is
 * LIVE.  EINTR without a @cause, when a fatal signal came.
 */
struct lull_arena_revive {
	__u32 size;
	__u32 flags;
	__aligned_u64 ranges;
	__u32 nr_ranges;
	__u32 cause;
	__aligned_u64 results;
	__aligned_u64 kept_bytes;
	__aligned_u64 fresh_bytes;
};

#define LULL_ARENA_REVIVE _IO(LULL_ARENA_TYPE, LULL_ARENA_CMD_REVIVE)

/**
 * struct lull_arena_release - ioctl(LULL_ARENA_RELEASE): to EMPTY, soon
 * @size: sizeof(struct lull_arena_release)
 * @flags: 0
 * @ranges: address of @nr_ranges struct lull_arena_range
 * @nr_ranges: 1 to nr_ranges_max
 * @__reserved: 0
 * @ticket: returned: for LULL_ARENA_FLUSH
 * @busy_bytes: returned: pinned for DMA, and left as they were
 *
 * As RETIRE, and the memory goes out with the next batch, pressure or not:
 * at once with a FLUSH, else within the module's release_delay_ms, so that
 * releases that follow each other share a batch.  Takes LIVE and RETIRED
 * slots, and those that have become something else only because the kernel
 * took them while they were RETIRED.
 *
 * Errors: EBUSY: some slots are pinned and were left as they were (the others
 * are released and the outputs are written), or, with nothing done and no
 * output, another call has a slot in its hands.  ENOENT: a slot is none of
 * these.  EINTR, when a fatal signal came.
 */
struct lull_arena_release {
	__u32 size;
	__u32 flags;
	__aligned_u64 ranges;
	__u32 nr_ranges;
	__u32 __reserved;
	__aligned_u64 ticket;
	__aligned_u64 busy_bytes;
};

#define LULL_ARENA_RELEASE _IO(LULL_ARENA_TYPE, LULL_ARENA_CMD_RELEASE)

/* As a ticket: everything retired or released so far. */
#define LULL_ARENA_TICKET_ALL (~0ull)
/* As a timeout: none. */
#define LULL_ARENA_TIMEOUT_NONE (~0u)

/**
 * struct lull_arena_flush - ioctl(LULL_ARENA_FLUSH): a barrier
 * @size: sizeof(struct lull_arena_flush)
 * @flags: 0
 * @ticket: of a RETIRE or RELEASE, or LULL_ARENA_TICKET_ALL
 * @timeout_ms: how long to wait, or LULL_ARENA_TIMEOUT_NONE
 * @__reserved: 0
 * @busy_bytes: returned: up to @ticket, and still referred to by somebody
 *
 * On return, what was retired or released up to @ticket and not revived since
 * is unmapped everywhere, flushed from every TLB, and freed or counted in
 * @busy_bytes.  Pinned slots are counted there and stay RETIRED.
 *
 * Errors: ETIMEDOUT; EINTR, when a fatal signal came; EINVAL: a ticket that
 * was never given.
 */
struct lull_arena_flush {
	__u32 size;
	__u32 flags;
	__aligned_u64 ticket;
	__u32 timeout_ms;
	__u32 __reserved;
	__aligned_u64 busy_bytes;
};

#define LULL_ARENA_FLUSH _IO(LULL_ARENA_TYPE, LULL_ARENA_CMD_FLUSH)

/**
 * struct lull_arena_reset - ioctl(LULL_ARENA_RESET): empty the whole arena
 * @size: sizeof(struct lull_arena_reset)
 * @flags: 0
 *
 * Every slot becomes EMPTY, every page is zeroed before it is freed; after
 * that any user may map the arena, and the first to do so owns its data.
 *
 * Errors: EBUSY: a page is pinned or referred to; the rest is EMPTY, and the
 * arena still belongs to its user.  EINTR, when a fatal signal came.
 */
struct lull_arena_reset {
	__u32 size;
	__u32 flags;
};

#define LULL_ARENA_RESET _IO(LULL_ARENA_TYPE, LULL_ARENA_CMD_RESET)

/* What this module does, in struct lull_arena_query.features. */
#define LULL_ARENA_FEATURE_PUNCH_HOLE 0x1ull
#define LULL_ARENA_FEATURE_RESERVE 0x2ull

/**
 * struct lull_arena_query - ioctl(LULL_ARENA_QUERY): sizes and counters
 * @size: sizeof(struct lull_arena_query)
 * @flags: 0
 * @features: returned: LULL_ARENA_FEATURE_*
 * @slot_bytes: returned: 2 MiB
 * @nr_ranges_max: returned: ranges that one call takes
 * @nr_arenas: returned: arenas there are; 1 for an arena
 * @numa: returned: the arena's enum lull_arena_numa; 0 for the device
 * @bytes: returned: the arena's size; of all arenas, for the device
 * @available_bytes: returned: 2 MiB pages that could be had just now without
 *	reclaim or compaction, those in reserve among them
 * @reserved_bytes: returned: pages that wait zeroed, module-wide
 * @live_bytes: returned: LIVE
 * @retired_bytes: returned: RETIRED and TAKING
 * @busy_bytes: returned: BUSY
 * @poisoned_bytes: returned: lost to memory errors
 * @acquired_bytes: returned, a counter: given to ACQUIRE and REVIVE
 * @zeroed_bytes: returned, a counter: zeroed for them or on the way out
 * @faults: returned, a counter: page faults on arena memory
 * @pte_fallbacks: returned, a counter: faults that could not map 2 MiB
 * @ranges_retired: returned, a counter: ranges of RETIRE and RELEASE
 * @ranges_revived: returned, a counter: ranges that REVIVE found kept
 * @ranges_fresh: returned, a counter: ranges of which it had to renew some
 * @batches: returned, a counter: batches that took something
 * @runs: returned, a counter: contiguous runs unmapped by them; slots
 *	between that have no memory do not end a run
 * @flushes: returned, a counter: TLB flushes they caused, by the formula:
 *	one per run and mapping, none for a run that nobody has touched
 * @ticket_last: returned: the arena's latest ticket; 0 for the device
 * @ticket_done: returned: everything up to it is out or counted busy
 */
struct lull_arena_query {
	__u32 size;
	__u32 flags;
	__aligned_u64 features;
	__u32 slot_bytes;
	__u32 nr_ranges_max;
	__u32 nr_arenas;
	__u32 numa;
	__aligned_u64 bytes;
	__aligned_u64 available_bytes;
	__aligned_u64 reserved_bytes;
	__aligned_u64 live_bytes;
	__aligned_u64 retired_bytes;
	__aligned_u64 busy_bytes;
	__aligned_u64 poisoned_bytes;
	__aligned_u64 acquired_bytes;
	__aligned_u64 zeroed_bytes;
	__aligned_u64 faults;
	__aligned_u64 pte_fallbacks;
	__aligned_u64 ranges_retired;
	__aligned_u64 ranges_revived;
	__aligned_u64 ranges_fresh;
	__aligned_u64 batches;
	__aligned_u64 runs;
	__aligned_u64 flushes;
	__aligned_u64 ticket_last;
	__aligned_u64 ticket_done;
};

#define LULL_ARENA_QUERY _IO(LULL_ARENA_TYPE, LULL_ARENA_CMD_QUERY)

#endif
