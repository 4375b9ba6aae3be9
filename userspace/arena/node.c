// SPDX-License-Identifier: Apache-2.0
/*
 * node.c - which NUMA node memory comes from; see node.h
 */
#include "arena/node.h"

#include <ctype.h>
#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arena/arena.h"
#include "arena/host.h"
#include "base/base.h"
#include "base/error.h"

#define PATH_BYTES 512
#define NODE_OF_SLOT "/sys/bus/pci/devices/%s/numa_node"
#define NODES_ONLINE "/sys/devices/system/node/online"

/* "0" on a host of one node; "0-1" or "0,2" where there are more. */
bool lull_arena_node_single(void)
{
	FILE *file = fopen(NODES_ONLINE, "re");
	char text[16] = "";
	bool got;

	if (!file)
		return true; /* a kernel without NUMA */
	got = fgets(text, sizeof(text), file);
	fclose(file);
	return got && !strcmp(text, "0\n");
}

static int load(hwloc_topology_t *ret_topology, struct lull_error *reterr)
{
	hwloc_topology_t topology;

	if (hwloc_topology_init(&topology))
		return lull_fail(reterr, LULL_NOMEM, "hwloc: out of memory");
	/* Nodes and CPUs are kept in any case; a node has the CPUs of the
	 * object that it hangs on, which has to be a group of its own. */
	hwloc_topology_set_all_types_filter(topology,
					    HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_type_filter(topology, HWLOC_OBJ_GROUP,
				       HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
	if (hwloc_topology_load(topology)) {
		hwloc_topology_destroy(topology);
		return lull_fail_errno(reterr, LULL_IO, errno,
				       "hwloc: the host's topology");
	}
	*ret_topology = topology;
	return LULL_OK;
}

static int node_of_cpus(hwloc_topology_t topology, hwloc_const_cpuset_t cpus)
{
	hwloc_obj_t node = NULL;
	int found = LULL_ARENA_NODE_ANY;

	while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE,
						  node))) {
		if (!hwloc_bitmap_intersects(node->cpuset, cpus))
			continue;
		if (found != LULL_ARENA_NODE_ANY)
			return LULL_ARENA_NODE_ANY;
		found = (int)node->os_index;
	}
	return found;
}

int lull_arena_node_here(void)
{
	hwloc_topology_t topology;
	hwloc_bitmap_t cpus;
	int node = LULL_ARENA_NODE_ANY;

	if (lull_arena_node_single())
		return 0;
	if (load(&topology, NULL))
		return node;
	cpus = hwloc_bitmap_alloc();
	if (cpus && !hwloc_get_cpubind(topology, cpus, HWLOC_CPUBIND_THREAD))
		node = node_of_cpus(topology, cpus);
	hwloc_bitmap_free(cpus);
	hwloc_topology_destroy(topology);
	return node;
}

/* Whether somebody has said where this thread's memory is to come from. */
static bool has_policy(void)
{
	int mode = MPOL_DEFAULT;

	/* Kernels that have no policies have nobody who set one. */
	return !syscall(SYS_get_mempolicy, &mode, NULL, 0ul, NULL, 0ul) &&
	       mode != MPOL_DEFAULT;
}

int lull_arena_node_near(int device)
{
	int here = lull_arena_node_here();

	if (here != LULL_ARENA_NODE_ANY || has_policy() ||
	    lull_arena_node_check(device, NULL))
		return here;
	return device;
}

int lull_arena_node_of_slot(const char *root, const char *slot)
{
	char path[PATH_BYTES], *p;
	uint64_t node;

	snprintf(path, sizeof(path), NODE_OF_SLOT, slot);
	/* sysfs writes no capitals, as others do. */
	for (p = path; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	/* -1, which is the largest number here, where the firmware does not say. */
	if (!lull_arena_host_number(root, path, &node) || node > INT_MAX)
		return LULL_ARENA_NODE_ANY;
	return (int)node;
}

static int no_such_node(int node, struct lull_error *reterr)
{
	return lull_fail(reterr, LULL_UNSUPPORTED,
			 "this host has no NUMA node %d with memory", node);
}

int lull_arena_node_check(int node, struct lull_error *reterr)
{
	hwloc_topology_t topology;
	hwloc_obj_t obj;
	int err;

	if (node == LULL_ARENA_NODE_ANY)
		return LULL_OK;
	if (node < 0)
		return no_such_node(node, reterr);
	if (lull_arena_node_single())
		return node ? no_such_node(node, reterr) : LULL_OK;
	err = load(&topology, reterr);
	if (err)
		return err;
	obj = hwloc_get_numanode_obj_by_os_index(topology, (unsigned int)node);
	if (!obj || !obj->attr->numanode.local_memory)
		err = no_such_node(node, reterr);
	hwloc_topology_destroy(topology);
	return err;
}

int lull_arena_node_bind(void *ptr, size_t bytes, int node,
			 struct lull_error *reterr)
{
	hwloc_topology_t topology;
	hwloc_bitmap_t nodes;
	int err;

	if (node == LULL_ARENA_NODE_ANY || lull_arena_node_single())
		return LULL_OK;
	err = load(&topology, reterr);
	if (err)
		return err;
	nodes = hwloc_bitmap_alloc();
	if (!nodes || hwloc_bitmap_only(nodes, (unsigned int)node))
		err = lull_fail(reterr, LULL_NOMEM, "hwloc: out of memory");
	else if (hwloc_set_area_membind(
			 topology, ptr, bytes, nodes, HWLOC_MEMBIND_BIND,
			 HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_STRICT))
		err = lull_fail_errno(reterr, LULL_IO, errno,
				      "binding %zu bytes to NUMA node %d",
				      bytes, node);
	hwloc_bitmap_free(nodes);
	hwloc_topology_destroy(topology);
	return err;
}

/* The policy that there is is set again, and no page is bound. */
int lull_arena_node_denied(void)
{
	unsigned long nodes[LULL_ARENA_NODE_WORDS] = { 0 };
	const unsigned long bits = sizeof(nodes) * CHAR_BIT + 1;
	int mode;

	if (lull_arena_node_single())
		return 0;
	if (syscall(SYS_get_mempolicy, &mode, nodes, bits, NULL, 0ul) ||
	    syscall(SYS_set_mempolicy, mode, nodes, bits) ||
	    syscall(SYS_mbind, NULL, 0ul, MPOL_DEFAULT, NULL, 0ul, 0u))
		return errno == EPERM || errno == ENOSYS ? errno : 0;
	return 0;
}

/* ---- the calling thread ------------------------------------------------ */

void lull_arena_node_bind_thread(int node)
{
	hwloc_topology_t topology;
	hwloc_bitmap_t cpus;
	hwloc_obj_t obj;

	if (node == LULL_ARENA_NODE_ANY || lull_arena_node_single() ||
	    load(&topology, NULL))
		return;
	obj = hwloc_get_numanode_obj_by_os_index(topology, (unsigned int)node);
	cpus = hwloc_bitmap_alloc();
	/* A node of memory alone has no CPUs to run on, and of others this thread
	 * may be kept away (taskset(1)). */
	if (obj && cpus &&
	    !hwloc_get_cpubind(topology, cpus, HWLOC_CPUBIND_THREAD) &&
	    !hwloc_bitmap_and(cpus, cpus, obj->cpuset) &&
	    !hwloc_bitmap_iszero(cpus))
		hwloc_set_cpubind(topology, cpus, HWLOC_CPUBIND_THREAD);
	hwloc_bitmap_free(cpus);
	hwloc_topology_destroy(topology);
}

/* Not by hwloc, whose topology takes longer to load than a slot to zero. */
int lull_arena_node_enter(int node, struct lull_arena_node_policy *ret_old,
			  struct lull_error *reterr)
{
	unsigned long nodes[LULL_ARENA_NODE_WORDS] = { 0 };
	const size_t bits = sizeof(unsigned long) * CHAR_BIT;

	ret_old->entered = false;
	if (node == LULL_ARENA_NODE_ANY || lull_arena_node_single())
		return LULL_OK;
	if ((size_t)node >= LULL_ARENA_NODE_WORDS * bits)
		return no_such_node(node, reterr);
	nodes[(size_t)node / bits] |= 1ul << (size_t)node % bits;
	/* The kernel takes the number of bits for one more than it is. */
	if (syscall(SYS_get_mempolicy, &ret_old->mode, ret_old->nodes,
		    sizeof(nodes) * CHAR_BIT + 1, NULL, 0ul) ||
	    syscall(SYS_set_mempolicy, MPOL_BIND, nodes,
		    sizeof(nodes) * CHAR_BIT + 1))
		return lull_fail_errno(reterr, LULL_IO, errno,
				       "binding a thread to NUMA node %d",
				       node);
	ret_old->entered = true;
	return LULL_OK;
}

void lull_arena_node_leave(const struct lull_arena_node_policy *old)
{
	if (old->entered)
		syscall(SYS_set_mempolicy, old->mode, old->nodes,
			sizeof(old->nodes) * CHAR_BIT + 1);
}
