// SPDX-License-Identifier: Apache-2.0
/*
 * hugetlb.c - the arena on reserved 2 MiB pages
 *
 * On a host that has POOL_PAGES of them free; elsewhere it is skipped.
 * It reserves none: what else runs on the host with --arena auto would take
 * them.  vm.sh does, in a virtual machine.  Pages of 1 GiB, which gigantic.c
 * is about, are out of reach meanwhile.
 */
#include <linux/mman.h>
#include <sys/mman.h>

#include "arena/arena.h"

#define CARRIER LULL_ARENA_HUGETLB
#include "arena/carrier.h"

#include "pool.h"

#define AWAY LULL_ARENA_DEVICE ".away"

/* A mapping that was promised all pages of 1 GiB: none is taken, none is free.
 * It goes with the program. */
static void promise_gigantic(void)
{
	struct lull_arena_hugetlb_pool pool;

	if (!lull_arena_host_hugetlb_of("", LULL_ARENA_GIGANTIC_BYTES,
					LULL_ARENA_NODE_ANY, &pool) ||
	    !pool.nr_free)
		return;
	if (mmap(NULL, pool.nr_free * LULL_ARENA_GIGANTIC_BYTES,
		 PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_1GB, -1,
		 0) == MAP_FAILED)
		TEST_FAIL_("%" PRIu64 " pages of 1 GiB are in the way",
			   pool.nr_free);
}

__attribute__((constructor)) static void look_at_the_pool(void)
{
	const char *reason = small_pool();

	if (reason) {
		printf("TAP version 13\n1..0 # SKIP %s\n", reason);
		exit(0);
	}
	promise_gigantic();
}

/* With the pool empty: refused by name, and passed over by auto. */
TEST(runs_out)
{
	const struct lull_arena_opts opts = { .carrier = LULL_ARENA_AUTO,
					      .node = LULL_ARENA_NODE_ANY };
	struct lull_arena_hugetlb_pool pool;
	struct lull_arena *arena, *other = NULL;
	struct lull_vec all, vec = { .bytes = 5 };
	struct lull_error error;
	char text[64];

	OPEN_OR_SKIP(arena, 0);
	ASSERT_TRUE(lull_arena_host_hugetlb("", LULL_ARENA_NODE_ANY, &pool));
	all = carve(arena, pool.nr_free * SLOT, 0);
	EXPECT_EQ(LULL_NOMEM,
		  lull_arena_carve(arena, SLOT, 0, "more", &vec, &error));
	if (!strstr(error.msg, "more: 2097152 bytes of memory could not be "
			       "had: the pool has no 1 free 2 MiB pages"))
		TEST_FAIL_("%s", error.msg);
	EXPECT_EQ(5, vec.bytes);
	EXPECT_EQ(LULL_OK, lull_arena_open(&opts, &other, NULL));
	ASSERT_TRUE(other != NULL);
	lull_arena_describe(other, text, sizeof(text));
	if (lull_arena_carrier(other) == LULL_ARENA_THP)
		EXPECT_TRUE(strstr(lull_arena_note(other, 1),
				   "hugetlb: every reserved page is in use") !=
			    NULL);
	lull_arena_close(other);
	lull_arena_retire(&all);
	lull_arena_close(arena);
}

/* What auto took first runs out, and the rest comes from thp. */
TEST(the_rest_is_thp)
{
	const struct lull_arena_opts opts = { .carrier = LULL_ARENA_AUTO,
					      .node = LULL_ARENA_NODE_ANY };
	struct lull_arena_hugetlb_pool pool;
	struct lull_arena *arena;
	struct lull_vec first, more;
	const char *note = NULL;
	bool hidden;
	size_t i;
	int err;

	OPEN_OR_SKIP(arena, 0);
	lull_arena_close(arena);
	/* In a virtual machine nobody misses it meanwhile. */
	hidden = getenv("LULL_VM") && !rename(LULL_ARENA_DEVICE, AWAY);
	err = lull_arena_open(&opts, &arena, NULL);
	if (hidden)
		EXPECT_EQ(0, rename(AWAY, LULL_ARENA_DEVICE));
	ASSERT_EQ(LULL_OK, err);
	if (lull_arena_carrier(arena) != LULL_ARENA_HUGETLB) {
		lull_arena_close(arena);
		SKIP("auto takes something better");
	}
	ASSERT_TRUE(lull_arena_host_hugetlb("", LULL_ARENA_NODE_ANY, &pool));
	first = carve(arena, pool.nr_free * SLOT, 0);
	more = carve(arena, 3 * SLOT, LULL_CARVE_ZERO);
	EXPECT_TRUE(is_zero(&more));
	mark(&more, 1);
	for (i = 0; lull_arena_note(arena, i); i++)
		note = lull_arena_note(arena, i);
	EXPECT_STREQ("hugetlb ran out: the pool has no 3 free 2 MiB pages: the "
		     "rest is thp",
		     note ? note : "");
	lull_arena_retire(&first);
	lull_arena_retire(&more);
	lull_arena_close(arena);
}

TEST_MAIN
