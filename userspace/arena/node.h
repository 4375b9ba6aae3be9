/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node.h - NUMA nodes, through hwloc
 *
 * On a host of one node hwloc is not asked: reading its topology costs more
 * than a small proof.
 */
#ifndef LULL_ARENA_NODE_H
#define LULL_ARENA_NODE_H

#include <stdbool.h>
#include <stddef.h>

struct lull_error;

/* Whether the host has a single node, or a kernel without NUMA. */
bool lull_arena_node_single(void);

/* The node of all CPUs that the calling thread may use, or
 * LULL_ARENA_NODE_ANY when they are of several. */
int lull_arena_node_here(void);

/* The node for memory that a device on node @device reads and writes, which may
 * be LULL_ARENA_NODE_ANY.  It is the device's only where the caller has chosen
 * none: lull_arena_node_here() is one, or the calling thread has a memory
 * policy (set_mempolicy(2), `numactl --membind`), which rules then. */
int lull_arena_node_near(int device);

/* The node of the PCI device in a slot, such as "0000:3B:00.0", as sysfs has it,
 * which lies in the folder @root, "" for the host's; LULL_ARENA_NODE_ANY where
 * that is not known. */
int lull_arena_node_of_slot(const char *root, const char *slot);

/* LULL_OK, or LULL_UNSUPPORTED when there is no such node with memory. */
int lull_arena_node_check(int node, struct lull_error *reterr);

/* Has all future pages of these bytes come from a node and no other; nothing
 * for LULL_ARENA_NODE_ANY and on a host of one node. */
int lull_arena_node_bind(void *ptr, size_t bytes, int node,
			 struct lull_error *reterr);

/* 0, or what these calls fail with where they are forbidden: EPERM by seccomp,
 * as of containers, or ENOSYS. */
int lull_arena_node_denied(void);

/* Has the calling thread run on a node's CPUs alone, of those that it may use, as
 * far as that can be had; nothing for LULL_ARENA_NODE_ANY and on a host of one node. */
void lull_arena_node_bind_thread(int node);

/* The kernel has 1024 nodes at most. */
#define LULL_ARENA_NODE_WORDS (1024 / (8 * sizeof(unsigned long)))

/* Where a thread's memory came from before. */
struct lull_arena_node_policy {
	bool entered;
	int mode;
	unsigned long nodes[LULL_ARENA_NODE_WORDS];
};

/*
 * For what is had by a call instead of a page fault, as by fallocate(2): until
 * lull_arena_node_leave(), the kernel takes the calling thread's memory from a
 * node and no other.
 */
int lull_arena_node_enter(int node, struct lull_arena_node_policy *ret_old,
			  struct lull_error *reterr);
void lull_arena_node_leave(const struct lull_arena_node_policy *old);

#endif
