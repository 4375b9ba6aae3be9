/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - whether tests of reserved pages can have them
 *
 * A host that others work on may have a few: with less than the tests take they
 * would fail, not skip.
 */
#ifndef LULL_SELFTESTS_ARENA_POOL_H
#define LULL_SELFTESTS_ARENA_POOL_H

#include <inttypes.h>
#include <stdio.h>

#include "arena/host.h"

#define POOL_PAGES 256 /* what any of these tests needs at most */

/* The reason to skip them, or NULL. */
static inline const char *small_pool(void)
{
	struct lull_arena_hugetlb_pool pool = { 0 };
	static char reason[120];

	lull_arena_host_hugetlb("", LULL_ARENA_NODE_ANY, &pool);
	if (pool.nr_free >= POOL_PAGES)
		return NULL;
	snprintf(reason, sizeof(reason),
		 "%" PRIu64 " of %d pages of 2 MiB are free "
		 "(selftests/arena/vm.sh has them)",
		 pool.nr_free, POOL_PAGES);
	return reason;
}

#endif
