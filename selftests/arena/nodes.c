// SPDX-License-Identifier: Apache-2.0
/*
 * nodes.c - memory comes from the NUMA node that it was asked of
 *
 * Asks the kernel page by page (move_pages(2)).  For a host of two nodes with
 * memory and CPUs, which `scripts/vm --nodes 2` is; on others it skips.
 */
#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arena/arena.h"
#include "arena/node.h"
#include "backend/backend.h"
#include "base/base.h"
#include "harness.h"
#include "lull.h"

#define NR_NODES 2
#define PAGE_BYTES ((size_t)4096)
#define SLOT LULL_ARENA_SLOT_BYTES
#define SMALL_BYTES ((size_t)1 << 10)

static struct lull_error error;

/* Whether the host has nodes 0 and 1, with memory. */
static bool two_nodes(void)
{
	return !lull_arena_node_check(0, NULL) &&
	       !lull_arena_node_check(1, NULL);
}

/* The node of a page that has been touched; -errno when there is none. */
static int node_of(uint8_t *p)
{
	void *page = p;
	int status = -ENOENT;

	if (syscall(SYS_move_pages, 0, 1ul, &page, NULL, &status, 0))
		return -errno;
	return status;
}

/* One page in each slot of a block, and its last. */
static void expect_node(const struct lull_vec *vec, int node, const char *what)
{
	uint8_t *p = vec->ptr;
	size_t at;

	for (at = 0; at < vec->bytes; at += SLOT / 2)
		p[at] = 1;
	p[vec->bytes - 1] = 1;
	for (at = 0; at < vec->bytes; at += SLOT / 2)
		if (node_of(p + at) != node)
			TEST_FAIL_("%s: byte %zu of %zu: expected node %d, "
				   "found %d",
				   what, at, vec->bytes, node, node_of(p + at));
	if (node_of(p + vec->bytes - 1) != node)
		TEST_FAIL_("%s: the last byte is not on node %d", what, node);
}

/* Has the calling thread run on the CPUs of a node, or where it may. */
static bool run_on(int node)
{
	hwloc_topology_t topology;
	hwloc_const_bitmap_t cpus;
	hwloc_obj_t obj;
	bool bound = false;

	if (hwloc_topology_init(&topology))
		return false;
	if (hwloc_topology_load(topology))
		goto destroy;
	cpus = hwloc_topology_get_allowed_cpuset(topology);
	if (node != LULL_ARENA_NODE_ANY) {
		obj = hwloc_get_numanode_obj_by_os_index(topology,
							 (unsigned int)node);
		cpus = obj ? obj->cpuset : NULL;
	}
	bound = cpus && !hwloc_bitmap_iszero(cpus) &&
		!hwloc_set_cpubind(topology, cpus, HWLOC_CPUBIND_THREAD);

destroy:
	hwloc_topology_destroy(topology);
	return bound;
}

/* Blocks of every kind, new, recycled and had again after a release. */
static void use(struct lull_arena *arena, int node)
{
	struct lull_vec large, small, vec;
	unsigned int i;

	ASSERT_EQ(LULL_OK, lull_arena_carve(arena, 5 * SLOT + PAGE_BYTES, 0,
					    "large", &large, &error));
	expect_node(&large, node, "a new block");
	ASSERT_EQ(LULL_OK, lull_arena_carve(arena, SMALL_BYTES, 0, "small",
					    &small, &error));
	expect_node(&small, node, "a small block");
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(LULL_OK, lull_arena_carve(arena, (1 + i) * 4 * SLOT,
						    0, "vec", &vec, &error));
		expect_node(&vec, node, "one of several blocks");
		if (i % 2)
			lull_arena_release(&vec);
		else
			lull_arena_retire(&vec);
	}
	lull_arena_release(&large);
	EXPECT_EQ(LULL_OK, lull_arena_flush(arena, 10000, &error));
	ASSERT_EQ(LULL_OK, lull_arena_carve(arena, 5 * SLOT, LULL_CARVE_ZERO,
					    "again", &large, &error));
	expect_node(&large, node, "a block after a release");
	lull_arena_retire(&large);
	lull_arena_retire(&small);
}

/* By number, whichever node the caller runs on. */
static void expect_nodes(enum lull_arena_carrier carrier)
{
	struct lull_arena_opts opts = { .carrier = carrier };
	struct lull_arena *arena;
	char text[64], want[32];
	int here;

	if (!two_nodes())
		SKIP("this host has no two NUMA nodes with memory");
	if (lull_arena_node_denied())
		SKIP("memory may not be bound here (seccomp, as in containers)");
	for (opts.node = 0; opts.node < NR_NODES; opts.node++) {
		for (here = 0; here < NR_NODES; here++) {
			ASSERT_TRUE(run_on(here));
			if (lull_arena_open(&opts, &arena, &error)) {
				run_on(LULL_ARENA_NODE_ANY);
				SKIP(error.msg);
			}
			lull_arena_describe(arena, text, sizeof(text));
			snprintf(want, sizeof(want), "node %d)", opts.node);
			EXPECT_TRUE(strstr(text, want) != NULL);
			use(arena, opts.node);
			lull_arena_close(arena);
		}
	}
	EXPECT_TRUE(run_on(LULL_ARENA_NODE_ANY));
}

TEST(module_by_number)
{
	expect_nodes(LULL_ARENA_MODULE);
}

TEST(hugetlb_by_number)
{
	expect_nodes(LULL_ARENA_HUGETLB);
}

TEST(thp_by_number)
{
	expect_nodes(LULL_ARENA_THP);
}

/* False, and the test is skipped, where there is no such context. */
static bool expect_context_on(int node, const char *backend,
			      const char *carrier)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .nr_threads = 2,
					    .backend = backend,
					    .arena = carrier };
	struct lull_ctx_stats stats = { .size = sizeof(stats) };
	struct lull_ctx *ctx;
	char want[32];

	if (lull_ctx_create(&opts, &ctx, &error)) {
		run_on(LULL_ARENA_NODE_ANY);
		test_skipped = error.msg;
		return false;
	}
	EXPECT_EQ(LULL_OK, lull_ctx_stats(ctx, &stats, NULL));
	snprintf(want, sizeof(want), "(2 MiB, node %d)", node);
	if (!strstr(stats.arena, want))
		TEST_FAIL_("expected node %d: %s", node, stats.arena);
	lull_ctx_destroy(ctx);
	return true;
}

/* A context takes the node of the CPUs that its thread may use, and where these
 * are of both that of its device. */
static void expect_context_at_home(const char *carrier)
{
	int node;

	if (!two_nodes())
		SKIP("this host has no two NUMA nodes with memory");
	if (lull_arena_node_denied())
		SKIP("memory may not be bound here (seccomp, as in containers)");
	for (node = 0; node < NR_NODES; node++) {
		ASSERT_TRUE(run_on(node));
		EXPECT_EQ(node, lull_arena_node_here());
		if (!expect_context_on(node, "cpu", carrier))
			return;
	}
	EXPECT_TRUE(run_on(LULL_ARENA_NODE_ANY));
	EXPECT_EQ(LULL_ARENA_NODE_ANY, lull_arena_node_here());
	for (node = 0; node < NR_NODES; node++) {
		lull_backend_null_nodes(&node, 1);
		if (!expect_context_on(node, "null", carrier))
			return;
	}
}

TEST(context_on_module)
{
	expect_context_at_home("module");
}

TEST(context_on_thp)
{
	expect_context_at_home("thp");
}

TEST_MAIN
