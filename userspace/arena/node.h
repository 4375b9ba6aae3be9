/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node.h - NUMA nodes, through hwloc
 *
 * On a host of one node hwloc is not asked: reading its topology costs more
 * than a small proof.
 */
#ifndef LULL_ARENA_NODE_H
#define LULL_ARENA_NODE_H

#include <stddef.h>

struct lull_error;

/* The node of all CPUs that the calling thread may use, or
 * LULL_ARENA_NODE_ANY when they are of several. */
int lull_arena_node_here(void);

/* LULL_OK, or LULL_UNSUPPORTED when there is no such node with memory. */
int lull_arena_node_check(int node, struct lull_error *reterr);

/* Has all future pages of these bytes come from a node and no other; nothing
 * for LULL_ARENA_NODE_ANY and on a host of one node. */
int lull_arena_node_bind(void *ptr, size_t bytes, int node,
			 struct lull_error *reterr);

/* Has the calling thread run on a node's CPUs alone, as far as that can be had;
 * nothing for LULL_ARENA_NODE_ANY and on a host of one node. */
void lull_arena_node_bind_thread(int node);

#endif
