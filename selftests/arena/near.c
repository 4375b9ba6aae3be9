// SPDX-License-Identifier: Apache-2.0
/*
 * near.c - memory and loader are on the node of the device, unless the caller
 * has chosen another
 *
 * Devices are the null backend's, whose nodes are given; so are the host's two
 * nodes: the file that says how many there are is replaced, and hwloc's topology
 * is a synthetic one (HWLOC_SYNTHETIC), with which hwloc binds nothing.  That
 * pages then come from the node is nodes.c's to try, on a host that has two.
 */
#include <hwloc.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arena/arena.h"
#include "arena/node.h"
#include "backend/backend.h"
#include "fake_host.h"
#include "harness.h"
#include "lull.h"

#define NODES_ONLINE "/sys/devices/system/node/online"

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
int __real_hwloc_get_cpubind(hwloc_topology_t topology, hwloc_cpuset_t set,
			     int flags);
int __wrap_hwloc_get_cpubind(hwloc_topology_t topology, hwloc_cpuset_t set,
			     int flags);
int __wrap_hwloc_set_cpubind(hwloc_topology_t topology,
			     hwloc_const_cpuset_t set, int flags);

/* The file's text instead of the host's; NULL for that. */
static const char *online;
/* Those of CPUs 0 to 3 that threads may use, by bits. */
#define ALL_CPUS 0xful
static unsigned long may_use = ALL_CPUS;
/* What a thread was bound to; 0 for nothing. */
static unsigned long bound;

FILE *__wrap_fopen(const char *path, const char *mode)
{
	static char text[8];

	if (online && !strcmp(path, NODES_ONLINE)) {
		snprintf(text, sizeof(text), "%s\n", online);
		return fmemopen(text, strlen(text), "r");
	}
	return __real_fopen(path, mode);
}

int __wrap_hwloc_get_cpubind(hwloc_topology_t topology, hwloc_cpuset_t set,
			     int flags)
{
	if (!online)
		return __real_hwloc_get_cpubind(topology, set, flags);
	return hwloc_bitmap_from_ulong(set, may_use);
}

int __wrap_hwloc_set_cpubind(hwloc_topology_t topology,
			     hwloc_const_cpuset_t set, int flags)
{
	(void)topology;
	(void)flags;
	bound = hwloc_bitmap_to_ulong(set);
	return 0;
}

static char said[4096];

static void hear(void *arg, const char *line)
{
	size_t len = strlen(said);

	(void)arg;
	snprintf(said + len, sizeof(said) - len, "%s\n", line);
}

/* CPUs 0 and 1 on node 0, 2 and 3 on node 1. */
static void host_of_two(unsigned long cpus)
{
	setenv("HWLOC_SYNTHETIC", "numa:2 core:2 pu:1", 1);
	online = "0-1";
	may_use = cpus;
	bound = 0;
}

static void host_as_it_is(void)
{
	unsetenv("HWLOC_SYNTHETIC");
	online = NULL;
	may_use = ALL_CPUS;
}

/* What a context says that is opened with these devices. */
static void expect_said(const char *backend, const unsigned int *gpus,
			unsigned int nr_gpus, const char *const *lines)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .nr_threads = 2,
					    .say = hear,
					    .arena = "thp",
					    .loader = "pread",
					    .backend = backend,
					    .gpus = gpus,
					    .nr_gpus = nr_gpus };
	struct lull_ctx *ctx = NULL;
	struct lull_error error = { 0 };

	said[0] = '\0';
	if (lull_ctx_create(&opts, &ctx, &error))
		TEST_FAIL_("%s", error.msg);
	lull_ctx_destroy(ctx);
	for (; *lines; lines++)
		if (!strstr(said, *lines))
			TEST_FAIL_("expected '%s' in\n%s", *lines, said);
}

#define EXPECT_SAID(backend, gpus, nr_gpus, ...)                               \
	expect_said(backend, gpus, nr_gpus,                                    \
		    (const char *const[]){ __VA_ARGS__, NULL })

TEST(the_devices_node)
{
	const int nodes[] = { 1 };

	host_of_two(ALL_CPUS);
	lull_backend_null_nodes(nodes, 1);
	EXPECT_SAID("null", NULL, 0,
		    "null: device 0: on NUMA node 1, memory too\n",
		    "arena thp (2 MiB, node 1)\n",
		    "loader pread (2 threads, node 1)\n");
	host_as_it_is();
}

/* Of several it is the first that is used, whatever its number. */
TEST(the_first_devices_node)
{
	const int nodes[] = { 0, 1, 0, 1 };
	const unsigned int gpus[] = { 3, 2, 1 };

	host_of_two(ALL_CPUS);
	lull_backend_null_nodes(nodes, 4);
	EXPECT_SAID("null", gpus, 3,
		    "null: device 3: on NUMA node 1, memory too\n",
		    "null: device 2: on NUMA node 0, memory on 1\n",
		    "null: device 1: on NUMA node 1, memory too\n",
		    "node 1)\nloader pread (2 threads, node 1)\n");
	host_as_it_is();
}

TEST(the_callers_processors_rule)
{
	const int nodes[] = { 1 };

	host_of_two(0x3);
	lull_backend_null_nodes(nodes, 1);
	EXPECT_SAID("null", NULL, 0,
		    "null: device 0: on NUMA node 1, memory on 0\n",
		    "node 0)\nloader pread (2 threads, node 0)\n");
	host_as_it_is();
}

TEST(the_callers_memory_policy_rules)
{
	const int nodes[] = { 1 };
	unsigned long first = 1;

	if (syscall(SYS_set_mempolicy, MPOL_BIND, &first, 64ul))
		SKIP("this kernel has no memory policies");
	host_of_two(ALL_CPUS);
	lull_backend_null_nodes(nodes, 1);
	EXPECT_SAID("null", NULL, 0,
		    "null: device 0: on NUMA node 1, memory on any\n",
		    "loader pread (2 threads)\n");
	EXPECT_EQ(0, syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0ul));
	host_as_it_is();
}

/* A device that says none, one that names a node of no memory, the CPU. */
TEST(no_node)
{
	const int nodes[] = { LULL_ARENA_NODE_ANY, 7 };
	const unsigned int second = 1;

	host_of_two(ALL_CPUS);
	lull_backend_null_nodes(nodes, 2);
	EXPECT_SAID("null", NULL, 0, "loader pread (2 threads)\n");
	EXPECT_TRUE(!strstr(said, "NUMA"));
	EXPECT_SAID("null", &second, 1,
		    "null: device 1: on NUMA node 7, memory on any\n",
		    "loader pread (2 threads)\n");
	EXPECT_SAID("cpu", NULL, 0, "loader pread (2 threads)\n");
	EXPECT_TRUE(!strstr(said, "NUMA"));
	host_as_it_is();
}

/* Memory of the only node is everybody's; hwloc is not asked. */
TEST(a_host_of_one_node)
{
	const int nodes[] = { 0 };

	online = "0";
	lull_backend_null_nodes(nodes, 1);
	EXPECT_SAID("null", NULL, 0,
		    "null: device 0: on NUMA node 0, memory too\n",
		    "node 0)\nloader pread (2 threads, node 0)\n");
	host_as_it_is();
}

/* Of the node's CPUs those that the thread may use; where these are none, it
 * stays where it is. */
TEST(threads_keep_to_what_they_may_use)
{
	host_of_two(ALL_CPUS);
	lull_arena_node_bind_thread(1);
	EXPECT_EQ(0xc, bound);
	host_of_two(0x6);
	lull_arena_node_bind_thread(1);
	EXPECT_EQ(0x4, bound);
	host_of_two(0x3);
	lull_arena_node_bind_thread(1);
	EXPECT_EQ(0, bound);
	lull_arena_node_bind_thread(LULL_ARENA_NODE_ANY);
	EXPECT_EQ(0, bound);
	host_as_it_is();
}

/* ---- of a slot --------------------------------------------------------- */

TEST(node_of_a_slot)
{
	new_host();
	put("/sys/bus/pci/devices/0000:3b:00.0/numa_node", "1\n");
	put("/sys/bus/pci/devices/0000:3b:00.1/numa_node", "-1\n");
	put("/sys/bus/pci/devices/0000:3b:00.2/numa_node", "");
	EXPECT_EQ(1, lull_arena_node_of_slot(root, "0000:3b:00.0"));
	EXPECT_EQ(1, lull_arena_node_of_slot(root, "0000:3B:00.0"));
	EXPECT_EQ(LULL_ARENA_NODE_ANY,
		  lull_arena_node_of_slot(root, "0000:3B:00.1"));
	EXPECT_EQ(LULL_ARENA_NODE_ANY,
		  lull_arena_node_of_slot(root, "0000:3B:00.2"));
	EXPECT_EQ(LULL_ARENA_NODE_ANY,
		  lull_arena_node_of_slot(root, "0000:3B:00.3"));
	end_host();
}

TEST_MAIN
