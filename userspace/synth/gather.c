// SPDX-License-Identifier: Apache-2.0
/*
 * gather.c - copies the scalars whose bits are set; see gather.h
 */
#include "synth/gather.h"

#include "base/base.h"
#include "base/workers.h"

#define WORD_BITS 64
/* Each task counts the bits of all before it: few tasks, but some a thread. */
#define TASKS_MAX 64
#define WORDS_PER_TASK_MIN 64

struct gather {
	uint8_t *to;
	const uint8_t *scalars;
	const uint64_t *dense;
	size_t nr_words;
	size_t nr_tasks;
};

static void gather_task(void *arg, size_t task, unsigned int slot)
{
	const struct gather *g = arg;
	size_t lo, hi, i, at = 0;
	uint64_t bits;

	(void)slot;
	lull_workers_split(g->nr_words, g->nr_tasks, task, 1, &lo, &hi);
	for (i = 0; i < lo; i++)
		at += (size_t)__builtin_popcountll(g->dense[i]);
	for (i = lo; i < hi; i++) {
		for (bits = g->dense[i]; bits; bits &= bits - 1) {
			size_t from =
				i * WORD_BITS + (size_t)__builtin_ctzll(bits);

			memcpy(g->to + at * LULL_GATHER_BYTES,
			       g->scalars + from * LULL_GATHER_BYTES,
			       LULL_GATHER_BYTES);
			at++;
		}
	}
}

void lull_synth_gather(uint8_t *to, const uint8_t *scalars,
		       const uint64_t *dense, size_t nr,
		       struct lull_workers *workers)
{
	struct gather g = {
		.to = to,
		.scalars = scalars,
		.dense = dense,
		.nr_words = lull_div_up(nr, WORD_BITS),
	};

	LULL_ASSERT(nr % WORD_BITS == 0 ||
		    !(dense[nr / WORD_BITS] >> nr % WORD_BITS));
	g.nr_tasks = lull_min(lull_div_up(g.nr_words, WORDS_PER_TASK_MIN),
			      TASKS_MAX);
	lull_workers_run(workers, g.nr_tasks, gather_task, &g);
}
