/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_arena.h - one arena for a test program that needs memory
 *
 * For tests of what works on memory from an arena; selftests/arena tests the
 * arena itself.  Lives as long as the program.
 */
#ifndef LULL_SELFTESTS_TEST_ARENA_H
#define LULL_SELFTESTS_TEST_ARENA_H

#include <stdlib.h>

#include "arena/arena.h"

static inline struct lull_arena *test_arena(void)
{
	const struct lull_arena_opts opts = {
		.carrier = LULL_ARENA_THP,
		.node = LULL_ARENA_NODE_ANY,
	};
	static struct lull_arena *arena;

	if (!arena && lull_arena_open(&opts, &arena, NULL))
		abort();
	return arena;
}

/* A block that holds zeros; aborts when there is none. */
static inline struct lull_vec test_vec(size_t bytes)
{
	struct lull_vec vec;

	if (lull_arena_carve(test_arena(), bytes, LULL_CARVE_ZERO, "test", &vec,
			     NULL))
		abort();
	return vec;
}

#endif
