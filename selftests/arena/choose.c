// SPDX-License-Identifier: Apache-2.0
/*
 * choose.c - which carrier auto takes, and what it says of the others
 */
#include <sys/resource.h>
#include <unistd.h>

#include "arena/arena.h"
#include "arena/host.h"
#include "arena/node.h"
#include "base/base.h"
#include "lull.h"

#include "harness.h"

static const struct lull_arena_opts automatic = {
	.carrier = LULL_ARENA_AUTO,
	.node = LULL_ARENA_NODE_ANY,
};

TEST(names)
{
	static const char *const names[] = {
		"auto", "module", "hugetlb", "thp", "malloc", "malloc-serial"
	};
	enum lull_arena_carrier found;
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(names); i++) {
		EXPECT_STREQ(names[i], lull_arena_carrier_name(
					       (enum lull_arena_carrier)i));
		EXPECT_TRUE(lull_arena_carrier_find(names[i], &found));
		EXPECT_EQ(i, found);
	}
	found = LULL_ARENA_MALLOC;
	EXPECT_TRUE(!lull_arena_carrier_find("mallo", &found));
	EXPECT_TRUE(!lull_arena_carrier_find("", &found));
	EXPECT_EQ(LULL_ARENA_MALLOC, found);
}

TEST(every_better_one_is_explained)
{
	struct lull_arena_hugetlb_pool pool;
	struct lull_arena *arena;
	const char *note;
	size_t nr = 0;

	ASSERT_EQ(LULL_OK, lull_arena_open(&automatic, &arena, NULL));
	EXPECT_TRUE(lull_arena_carrier(arena) != LULL_ARENA_AUTO);
	if (lull_arena_carrier(arena) > LULL_ARENA_MODULE) {
		note = lull_arena_note(arena, nr++);
		ASSERT_TRUE(note != NULL);
		EXPECT_TRUE(strstr(note, "module: ") == note);
		if (access(LULL_ARENA_DEVICE, F_OK))
			EXPECT_STREQ("module: /dev/lull_arena is not there: "
				     "the module is not loaded (`lull arena "
				     "doctor` says more)",
				     note);
	}
	if (lull_arena_carrier(arena) > LULL_ARENA_HUGETLB) {
		note = lull_arena_note(arena, nr++);
		ASSERT_TRUE(note != NULL);
		EXPECT_TRUE(strstr(note, "hugetlb: ") == note);
		if (lull_arena_host_hugetlb("", LULL_ARENA_NODE_ANY, &pool) &&
		    !pool.nr_total && !pool.nr_overcommit)
			EXPECT_STREQ("hugetlb: no pages are reserved (`lull "
				     "arena reserve --carrier hugetlb` "
				     "reserves some)",
				     note);
	}
	if (lull_arena_host_thp("") < LULL_ARENA_THP_NEVER)
		EXPECT_TRUE(!lull_arena_note(arena, nr));
	lull_arena_close(arena);
}

TEST(what_is_not_there_is_refused)
{
	struct lull_arena_opts opts = automatic;
	struct lull_arena *arena = (void *)&opts;
	struct lull_error error;

	opts.carrier = (enum lull_arena_carrier)LULL_ARENA_NR_CARRIERS;
	EXPECT_EQ(LULL_USAGE, lull_arena_open(&opts, &arena, &error));
	EXPECT_STREQ("arena: no carrier 6", error.msg);
	opts.carrier = LULL_ARENA_THP;
	opts.node = 1000;
	EXPECT_EQ(LULL_UNSUPPORTED, lull_arena_open(&opts, &arena, &error));
	EXPECT_STREQ("this host has no NUMA node 1000 with memory", error.msg);
	opts.node = -7;
	EXPECT_EQ(LULL_UNSUPPORTED, lull_arena_open(&opts, &arena, NULL));
	EXPECT_TRUE(arena == (void *)&opts);
	if (!access(LULL_ARENA_DEVICE, F_OK))
		SKIP("the module is loaded");
	opts = automatic;
	opts.carrier = LULL_ARENA_MODULE;
	EXPECT_EQ(LULL_UNSUPPORTED, lull_arena_open(&opts, &arena, &error));
	EXPECT_STREQ("arena: module: /dev/lull_arena is not there: the module "
		     "is not loaded (`lull arena doctor` says more)",
		     error.msg);
	EXPECT_TRUE(arena == (void *)&opts);
}

TEST(a_node_by_number)
{
	struct lull_arena_opts opts = automatic;
	int node = lull_arena_node_here();
	struct lull_arena *arena;
	struct lull_vec vec;
	char text[64], want[64];

	opts.carrier = LULL_ARENA_THP;
	opts.node = node;
	ASSERT_EQ(LULL_OK, lull_arena_open(&opts, &arena, NULL));
	lull_arena_describe(arena, text, sizeof(text));
	if (lull_arena_host_thp("") < LULL_ARENA_THP_NEVER) {
		if (node == LULL_ARENA_NODE_ANY)
			snprintf(want, sizeof(want), "thp (2 MiB, any node)");
		else
			snprintf(want, sizeof(want), "thp (2 MiB, node %d)",
				 node);
		EXPECT_STREQ(want, text);
	}
	ASSERT_EQ(LULL_OK,
		  lull_arena_carve(arena, 3 << 20, 0, "v", &vec, NULL));
	memset(vec.ptr, 1, vec.bytes);
	lull_arena_retire(&vec);
	lull_arena_close(arena);
}

/* What a limit leaves is for others too, and slabs follow one another. */
TEST(limited_address_space)
{
	struct lull_arena_opts opts = automatic;
	struct rlimit before, limit;
	struct lull_arena *arena = NULL;
	struct lull_vec a = { 0 }, b = { 0 }, c = { 0 };
	struct lull_arena_stats stats;
	int err;

	if (test_sanitized())
		SKIP("a sanitizer needs the whole address space");
	opts.carrier = LULL_ARENA_THP;
	getrlimit(RLIMIT_AS, &before);
	limit = before;
	limit.rlim_cur = (rlim_t)1 << 30;
	ASSERT_EQ(0, setrlimit(RLIMIT_AS, &limit));
	err = lull_arena_open(&opts, &arena, NULL);
	if (!err)
		err = lull_arena_carve(arena, 50 << 20, 0, "a", &a, NULL);
	if (!err)
		err = lull_arena_carve(arena, 60 << 20, 0, "b", &b, NULL);
	if (!err)
		err = lull_arena_carve(arena, 100 << 20, 0, "c", &c, NULL);
	EXPECT_EQ(LULL_OK, err);
	ASSERT_TRUE(arena != NULL);
	EXPECT_EQ(LULL_NOMEM,
		  lull_arena_carve(arena, (size_t)1 << 30, 0, "d", &c, NULL));
	setrlimit(RLIMIT_AS, &before);
	lull_arena_stats(arena, &stats);
	EXPECT_EQ((64 + 64 + 100) << 20, stats.span_bytes);
	lull_arena_retire(&a);
	lull_arena_retire(&b);
	lull_arena_retire(&c);
	lull_arena_close(arena);
}

TEST_MAIN
