/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h - what the host has for an arena: files of /sys and /proc
 *
 * For the carriers and `lull arena`.  Reads only.  @root stands before every
 * path: "" for the host; a test gives a directory.
 */
#ifndef LULL_ARENA_HOST_H
#define LULL_ARENA_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LULL_ARENA_DEVICE "/dev/lull_arena"
#define LULL_ARENA_SYSFS "/sys/class/misc/lull_arena"

/* Memory that the machine has; 0 where that cannot be told. */
uint64_t lull_arena_host_memory_bytes(void);
/* With its swap: what work can have at all, if slowly. */
uint64_t lull_arena_host_backing_bytes(void);
/* The number that a file begins with. */
bool lull_arena_host_number(const char *root, const char *path,
			    uint64_t *ret_number);

#define LULL_ARENA_HUGETLB_BYTES ((size_t)2 << 20)
#define LULL_ARENA_GIGANTIC_BYTES ((size_t)1 << 30)

/**
 * struct lull_arena_hugetlb_pool - the pool of hugetlb pages of one size
 * @nr_total: pages in it
 * @nr_free: nobody's, and promised to nobody
 * @nr_overcommit: more that may be had from ordinary memory when it is empty
 */
struct lull_arena_hugetlb_pool {
	uint64_t nr_total;
	uint64_t nr_free;
	uint64_t nr_overcommit;
};

/* Of 2 MiB pages, of one node, or of all for LULL_ARENA_NODE_ANY; false without
 * such pages. */
bool lull_arena_host_hugetlb(const char *root, int node,
			     struct lull_arena_hugetlb_pool *ret_pool);

/* The same of pages of @page_bytes. */
bool lull_arena_host_hugetlb_of(const char *root, size_t page_bytes, int node,
				struct lull_arena_hugetlb_pool *ret_pool);

/* Whether anonymous memory gets huge pages when it asks for them. */
enum lull_arena_thp {
	LULL_ARENA_THP_ALWAYS,
	LULL_ARENA_THP_MADVISE,
	LULL_ARENA_THP_NEVER,
	LULL_ARENA_THP_PROCESS, /* switched off for this process by prctl() */
	LULL_ARENA_THP_ABSENT,
};
enum lull_arena_thp lull_arena_host_thp(const char *root);

/* Whether RLIMIT_MEMLOCK does not bind this process (CAP_IPC_LOCK). */
bool lull_arena_host_ipc_lock(void);

#endif
