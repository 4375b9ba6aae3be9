// SPDX-License-Identifier: Apache-2.0
/*
 * workers.c - every task runs once, slots are exclusive, runs may overlap
 */
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/base.h"
#include "harness.h"
#include "lull.h"

#define NR_TASKS 1000
#define NR_CALLERS 4

struct tally {
	struct lull_workers *workers;
	atomic_uint runs[NR_TASKS];
	atomic_uint in_slot[64];
	atomic_uint clashes;
};

static void count(void *arg, size_t task, unsigned int slot)
{
	struct tally *t = arg;

	if (atomic_fetch_add(&t->in_slot[slot], 1))
		atomic_fetch_add(&t->clashes, 1);
	atomic_fetch_add(&t->runs[task], 1);
	atomic_fetch_sub(&t->in_slot[slot], 1);
}

static void expect_each_once(struct tally *t, size_t nr)
{
	size_t i;

	for (i = 0; i < NR_TASKS; i++)
		EXPECT_EQ(i < nr, atomic_load(&t->runs[i]));
	EXPECT_EQ(0, atomic_load(&t->clashes));
}

TEST(each_task_runs_once)
{
	static const unsigned int threads[] = { 1, 2, 3, 16 };
	static const size_t tasks[] = { 0, 1, 2, 7, NR_TASKS };
	size_t i, j;

	for (i = 0; i < LULL_ARRAY_SIZE(threads); i++) {
		for (j = 0; j < LULL_ARRAY_SIZE(tasks); j++) {
			struct tally t = { 0 };

			ASSERT_EQ(LULL_OK,
				  lull_workers_create(threads[i], &t.workers,
						      NULL));
			EXPECT_EQ(threads[i], lull_workers_nr(t.workers));
			lull_workers_run(t.workers, tasks[j], count, &t);
			expect_each_once(&t, tasks[j]);
			lull_workers_destroy(t.workers);
		}
	}
}

static void *caller(void *arg)
{
	struct tally *t = arg;

	lull_workers_run(t->workers, NR_TASKS, count, t);
	return NULL;
}

TEST(several_callers_share_one_pool)
{
	static struct tally t[NR_CALLERS];
	struct lull_workers *workers;
	pthread_t threads[NR_CALLERS];
	size_t i;

	ASSERT_EQ(LULL_OK, lull_workers_create(3, &workers, NULL));
	for (i = 0; i < NR_CALLERS; i++) {
		t[i].workers = workers;
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, caller, &t[i]));
	}
	for (i = 0; i < NR_CALLERS; i++) {
		pthread_join(threads[i], NULL);
		expect_each_once(&t[i], NR_TASKS);
	}
	lull_workers_destroy(workers);
}

TEST(zero_threads_means_every_cpu)
{
	struct lull_workers *workers;

	ASSERT_EQ(LULL_OK, lull_workers_create(0, &workers, NULL));
	EXPECT_TRUE(lull_workers_nr(workers) >= 1);
	lull_workers_destroy(workers);
	lull_workers_destroy(NULL);
}

TEST(shares_cover_the_range)
{
	size_t n, nr, grain, task, lo, hi, next;

	for (n = 0; n < 40; n++)
		for (nr = 1; nr < 9; nr++)
			for (grain = 1; grain < 9; grain += 3) {
				next = 0;
				for (task = 0; task < nr; task++) {
					lull_workers_split(n, nr, task, grain,
							   &lo, &hi);
					EXPECT_EQ(next, lo);
					EXPECT_TRUE(hi >= lo);
					EXPECT_TRUE(hi % grain == 0 || hi == n);
					next = hi;
				}
				EXPECT_EQ(n, next);
			}
}

/* ---- canceling --------------------------------------------------------- */

struct stopping {
	atomic_bool canceled;
	atomic_uint runs;
	unsigned int stop_at;
};

static void stop_soon(void *arg, size_t task, unsigned int slot)
{
	struct stopping *s = arg;
	unsigned int nr = atomic_fetch_add(&s->runs, 1) + 1;

	(void)task, (void)slot;
	if (nr == s->stop_at)
		atomic_store(&s->canceled, true);
	/* Whoever is to cancel may get no processor just then. */
	while (nr > s->stop_at && !atomic_load(&s->canceled))
		sched_yield();
}

static void cancel_with(unsigned int nr_threads)
{
	struct stopping s = { .stop_at = 10 };
	struct lull_workers *pool, *shared;
	unsigned int runs;

	ASSERT_EQ(LULL_OK, lull_workers_create(nr_threads, &pool, NULL));
	ASSERT_EQ(LULL_OK,
		  lull_workers_share(pool, &s.canceled, &shared, NULL));
	EXPECT_EQ(nr_threads, lull_workers_nr(shared));
	EXPECT_TRUE(!lull_workers_canceled(shared));
	lull_workers_run(shared, NR_TASKS, stop_soon, &s);
	/* Tasks that others were at may have gone on. */
	runs = atomic_load(&s.runs);
	EXPECT_TRUE(runs >= 10 && runs < 10 + nr_threads);
	EXPECT_TRUE(lull_workers_canceled(shared));
	lull_workers_run(shared, NR_TASKS, stop_soon, &s);
	EXPECT_EQ(runs, atomic_load(&s.runs));
	/* The pool itself works on. */
	EXPECT_TRUE(!lull_workers_canceled(pool));
	lull_workers_run(pool, NR_TASKS, stop_soon, &s);
	EXPECT_EQ(runs + NR_TASKS, atomic_load(&s.runs));
	lull_workers_destroy(shared);
	lull_workers_destroy(pool);
}

TEST(canceled_runs_begin_no_more_tasks)
{
	cancel_with(1);
	cancel_with(4);
}

TEST_MAIN
