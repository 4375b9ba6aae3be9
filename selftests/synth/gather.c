// SPDX-License-Identifier: Apache-2.0
/*
 * gather.c - the scalars whose bits are set, against a loop
 */
#include "harness.h"

#include <stdlib.h>

#include "base/workers.h"
#include "synth/gather.h"

#define NR_MAX 20000
#define EACH LULL_GATHER_BYTES

static uint8_t scalars[NR_MAX * EACH + 8], got[NR_MAX * EACH],
	want[NR_MAX * EACH];
static uint64_t dense[NR_MAX / 64 + 1];

/* Kind 0 sets no bit, 1 all, others some; gives how many. */
static size_t fill(size_t nr, unsigned int kind, uint8_t *from)
{
	size_t i, set = 0;
	uint32_t x = 12345 + kind;

	memset(dense, 0, sizeof(dense));
	for (i = 0; i < nr * EACH; i++)
		from[i] = (uint8_t)(i * 2654435761u >> 9);
	for (i = 0; i < nr; i++) {
		x = x * 1664525 + 1013904223;
		if (kind == 0 || (kind > 1 && x >> 24 >= kind))
			continue;
		dense[i / 64] |= (uint64_t)1 << i % 64;
		memcpy(want + set++ * EACH, from + i * EACH, EACH);
	}
	return set;
}

TEST(gathered_as_by_a_loop)
{
	static const size_t sizes[] = { 0,   1,	  63,	64,    65,
					127, 128, 4096, 12345, NR_MAX };
	static const unsigned int kinds[] = { 0, 1, 3, 100, 250 };
	static const unsigned int pools[] = { 1, 2, 5 };
	struct lull_workers *workers;
	size_t s, k, p, set;

	for (p = 0; p < 3; p++) {
		ASSERT_EQ(0, lull_workers_create(pools[p], &workers, NULL));
		for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
				uint8_t *from = scalars + (s + k) % 8;

				set = fill(sizes[s], kinds[k], from);
				memset(got, 0xcc, sizeof(got));
				lull_synth_gather(got, from, dense, sizes[s],
						  workers);
				EXPECT_MEMEQ(want, got, set * EACH);
				/* Nothing behind them. */
				if (set < NR_MAX)
					EXPECT_EQ(0xcc, got[set * EACH]);
			}
		}
		lull_workers_destroy(workers);
	}
}

TEST_MAIN
