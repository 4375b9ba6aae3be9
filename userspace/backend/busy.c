// SPDX-License-Identifier: Apache-2.0
/*
 * busy.c - the length of a union of intervals; see busy.h
 */
#include "backend/busy.h"

#include <string.h>

#include "base/base.h"

/* Takes stretches [first, last) out. */
static void forget(struct lull_busy *busy, unsigned int first,
		   unsigned int last)
{
	size_t left = busy->nr - last;

	memmove(&busy->start_ns[first], &busy->start_ns[last],
		left * sizeof(busy->start_ns[0]));
	memmove(&busy->end_ns[first], &busy->end_ns[last],
		left * sizeof(busy->end_ns[0]));
	busy->nr -= last - first;
}

static void put(struct lull_busy *busy, unsigned int at, uint64_t start_ns,
		uint64_t end_ns)
{
	size_t behind = busy->nr - at;

	assert(busy->nr < LULL_BUSY_SPANS);
	memmove(&busy->start_ns[at + 1], &busy->start_ns[at],
		behind * sizeof(busy->start_ns[0]));
	memmove(&busy->end_ns[at + 1], &busy->end_ns[at],
		behind * sizeof(busy->end_ns[0]));
	busy->start_ns[at] = start_ns;
	busy->end_ns[at] = end_ns;
	busy->nr++;
}

void lull_busy_add(struct lull_busy *busy, uint64_t start_ns, uint64_t end_ns)
{
	unsigned int first = 0, last;

	if (start_ns >= end_ns)
		return;
	while (first < busy->nr && busy->end_ns[first] < start_ns)
		first++;
	/* Those that it touches become one with it. */
	for (last = first; last < busy->nr && busy->start_ns[last] <= end_ns;
	     last++) {
		busy->ns -= busy->end_ns[last] - busy->start_ns[last];
		start_ns = lull_min(start_ns, busy->start_ns[last]);
		end_ns = lull_max(end_ns, busy->end_ns[last]);
	}
	busy->ns += end_ns - start_ns;
	forget(busy, first, last);
	if (busy->nr == LULL_BUSY_SPANS) {
		forget(busy, 0, 1);
		first -= first > 0;
	}
	put(busy, first, start_ns, end_ns);
}
