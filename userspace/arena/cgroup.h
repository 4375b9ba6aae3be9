/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup.h - the memory that the cgroups of this process leave it
 *
 * In a container the machine's memory is not what there is.  Of cgroups of
 * version 2 memory.max and memory.swap.max are looked at, of version 1
 * memory.limit_in_bytes and memory.memsw.limit_in_bytes, each of the process's
 * own cgroup and of all above it that can be seen.  memory.high is no bound: what
 * exceeds it is slow and is had.  Pages of hugetlb pools are not looked at: they
 * count against none of these files.  Reads only.
 */
#ifndef LULL_ARENA_CGROUP_H
#define LULL_ARENA_CGROUP_H

#include <stdint.h>

#define LULL_ARENA_CGROUP_PATH_BYTES 512

/**
 * struct lull_arena_cgroup_bound - the cgroup that leaves the least
 * @room_bytes: what it leaves: the limit without what is charged already, where
 *	file cache that the kernel gives up counts as free; UINT64_MAX where no
 *	cgroup sets a bound
 * @limit_bytes: its limit; UINT64_MAX likewise
 * @dir: its folder, such as "/sys/fs/cgroup/a.slice"
 * @file: the limit's, in @dir: "memory.max"
 */
struct lull_arena_cgroup_bound {
	uint64_t room_bytes;
	uint64_t limit_bytes;
	char dir[LULL_ARENA_CGROUP_PATH_BYTES];
	const char *file;
};

/**
 * struct lull_arena_cgroup - what this process is bound to
 * @memory: without swap
 * @swap: swap alone, which version 2 bounds
 * @both: the sum, which version 1 bounds
 */
struct lull_arena_cgroup {
	struct lull_arena_cgroup_bound memory;
	struct lull_arena_cgroup_bound swap;
	struct lull_arena_cgroup_bound both;
};

/**
 * lull_arena_cgroup_read - what cgroups leave this process now
 * @root: stands before every path: "" for the host; a test gives a directory
 * @ret_cgroup: the bounds; what cannot be read sets none
 *
 * The process's cgroup is that of /proc/self/cgroup, below the mount that
 * /proc/self/mountinfo names.
 */
void lull_arena_cgroup_read(const char *root,
			    struct lull_arena_cgroup *ret_cgroup);

/**
 * lull_arena_cgroup_backing - memory and swap that work can have
 * @cgroup: the bounds
 * @memory_bytes: what the machine has
 * @swap_bytes: its swap
 * @own_bytes: charged already, and part of what the work needs
 * @ret_bound: the bound that made it less than the machine's, or NULL
 *
 * Return: their sum.
 */
uint64_t
lull_arena_cgroup_backing(const struct lull_arena_cgroup *cgroup,
			  uint64_t memory_bytes, uint64_t swap_bytes,
			  uint64_t own_bytes,
			  const struct lull_arena_cgroup_bound **ret_bound);

#endif
