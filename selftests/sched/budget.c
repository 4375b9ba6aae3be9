// SPDX-License-Identifier: Apache-2.0
/*
 * budget.c - admission: first come first served, never more than there is
 */
#include "sched/budget.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "base/base.h"
#include "harness.h"
#include "sched/queue.h"

#define NR_THREADS 8
#define ROUNDS 500
#define LIMIT 100

static const struct lull_bytes none;

static struct lull_budget *make(uint64_t host, uint64_t device)
{
	struct lull_budget *budget = NULL;

	if (lull_budget_create((struct lull_bytes){ host, device }, &budget,
			       NULL)) {
		printf("Bail out! no budget\n");
		exit(1);
	}
	return budget;
}

static int admit(struct lull_budget *budget, uint64_t host, uint64_t device,
		 struct lull_error *reterr)
{
	static atomic_bool never;
	bool waited;

	return lull_budget_admit(budget, (struct lull_bytes){ host, device },
				 &never, &waited, reterr);
}

static struct lull_budget_stats stats_of(struct lull_budget *budget)
{
	struct lull_budget_stats stats;

	lull_budget_stats(budget, &stats);
	return stats;
}

static void release(struct lull_budget *budget, uint64_t host, uint64_t device)
{
	lull_budget_release(budget, (struct lull_bytes){ host, device });
}

TEST(what_can_never_fit_is_refused_with_the_numbers)
{
	struct lull_budget *budget = make(LIMIT, 7);
	struct lull_error error = { 0 };

	EXPECT_EQ(LULL_NOMEM, admit(budget, LIMIT + 1, 0, &error));
	EXPECT_TRUE(strstr(error.msg, "101") && strstr(error.msg, "of 100"));
	EXPECT_TRUE(strstr(error.msg, "host budget"));
	EXPECT_EQ(LULL_NOMEM, admit(budget, 1, 8, &error));
	EXPECT_TRUE(strstr(error.msg, "device budget of 7"));
	EXPECT_EQ(LULL_NOMEM,
		  lull_budget_hold(budget, (struct lull_bytes){ 60, 0 },
				   (struct lull_bytes){ 41, 0 }, "k.zkey",
				   &error));
	EXPECT_STREQ("k.zkey does not fit: 60 bytes and a partition's 41 "
		     "beside 0 that are held, of a host budget of 100",
		     error.msg);
	EXPECT_EQ(0, stats_of(budget).held.host);
	EXPECT_EQ(LULL_OK,
		  lull_budget_hold(budget, (struct lull_bytes){ 60, 0 },
				   (struct lull_bytes){ 40, 7 }, "k.zkey",
				   NULL));
	EXPECT_EQ(LULL_NOMEM, admit(budget, 41, 0, &error));
	EXPECT_EQ(LULL_OK, admit(budget, 40, 7, &error));
	EXPECT_EQ(LIMIT, stats_of(budget).peak.host);
	release(budget, 40, 7);
	lull_budget_unhold(budget, (struct lull_bytes){ 60, 0 });
	lull_budget_destroy(budget);
}

TEST(sums_that_overflow_do_not_fit)
{
	struct lull_budget *budget = make(LIMIT, 0);

	EXPECT_EQ(LULL_NOMEM,
		  lull_budget_hold(budget, (struct lull_bytes){ UINT64_MAX, 0 },
				   (struct lull_bytes){ 50, 0 }, "k", NULL));
	EXPECT_EQ(LULL_OK, admit(budget, 50, UINT64_MAX, NULL));
	release(budget, 50, UINT64_MAX);
	lull_budget_destroy(budget);
}

/* Nor where there is no bound: it waits, or would bring the count to naught. */
TEST(sums_that_cannot_be_counted_wait)
{
	const struct lull_bytes half = { (UINT64_MAX >> 1) + 2, 0 };
	struct lull_budget *budget = make(0, 0);
	atomic_bool canceled = true;
	struct lull_error error;
	bool waited;

	EXPECT_EQ(LULL_OK, admit(budget, half.host, 0, NULL));
	EXPECT_EQ(LULL_CANCELED, lull_budget_admit(budget, half, &canceled,
						   &waited, NULL));
	EXPECT_EQ(half.host, stats_of(budget).used.host);
	EXPECT_EQ(LULL_NOMEM,
		  lull_budget_hold(budget, half, half, "k", &error));
	EXPECT_TRUE(strstr(error.msg, "of 18446744073709551615"));
	release(budget, half.host, 0);
	EXPECT_EQ(LULL_OK, admit(budget, half.host, 0, NULL));
	release(budget, half.host, 0);
	lull_budget_destroy(budget);
}

TEST(no_bound_admits_everything)
{
	struct lull_budget *budget = make(0, 0);

	EXPECT_EQ(LULL_OK, admit(budget, UINT64_MAX / 2, 1, NULL));
	EXPECT_EQ(LULL_OK, admit(budget, 5, 1, NULL));
	EXPECT_EQ(UINT64_MAX / 2 + 5, stats_of(budget).used.host);
	release(budget, UINT64_MAX / 2, 1);
	release(budget, 5, 1);
	lull_budget_destroy(budget);
}

/* ---- waiting ----------------------------------------------------------- */

struct asking {
	struct lull_budget *budget;
	uint64_t host;
	atomic_bool canceled;
	bool waited;
	int err;
	unsigned int order; /* in which it was admitted */
	atomic_uint *next_order;
	pthread_t id;
};

static void *ask(void *arg)
{
	struct asking *a = arg;

	a->err = lull_budget_admit(a->budget, (struct lull_bytes){ a->host, 0 },
				   &a->canceled, &a->waited, NULL);
	a->order = atomic_fetch_add(a->next_order, 1);
	return NULL;
}

/* Asks on a thread, and goes on when that waits. */
static void ask_and_wait(struct asking *a, struct lull_budget *budget,
			 uint64_t host, atomic_uint *next_order)
{
	uint64_t before = stats_of(budget).nr_waits;

	*a = (struct asking){ .budget = budget,
			      .host = host,
			      .next_order = next_order };
	if (pthread_create(&a->id, NULL, ask, a)) {
		printf("Bail out! no thread\n");
		exit(1);
	}
	while (stats_of(budget).nr_waits == before)
		sched_yield();
}

static void join(struct asking *a)
{
	pthread_join(a->id, NULL);
}

TEST(a_large_one_is_not_overtaken)
{
	struct lull_budget *budget = make(LIMIT, 0);
	struct asking large, small;
	atomic_uint order = 0;

	EXPECT_EQ(LULL_OK, admit(budget, 50, 0, NULL));
	ask_and_wait(&large, budget, 90, &order);
	/* There would be room for it at once. */
	ask_and_wait(&small, budget, 10, &order);
	EXPECT_EQ(50, stats_of(budget).used.host);
	release(budget, 50, 0);
	join(&large);
	join(&small);
	EXPECT_EQ(LULL_OK, large.err);
	EXPECT_EQ(LULL_OK, small.err);
	EXPECT_TRUE(large.waited && small.waited);
	EXPECT_EQ(100, stats_of(budget).used.host);
	release(budget, 100, 0);
	lull_budget_destroy(budget);
}

TEST(they_are_admitted_in_the_order_of_asking)
{
	struct lull_budget *budget = make(LIMIT, 0);
	struct asking all[4];
	atomic_uint order = 0;
	unsigned int i;

	EXPECT_EQ(LULL_OK, admit(budget, LIMIT, 0, NULL));
	for (i = 0; i < 4; i++)
		ask_and_wait(&all[i], budget, LIMIT, &order);
	for (i = 0; i < 4; i++) {
		release(budget, LIMIT, 0);
		join(&all[i]);
		EXPECT_EQ(LULL_OK, all[i].err);
		EXPECT_EQ(i, all[i].order);
	}
	release(budget, LIMIT, 0);
	lull_budget_destroy(budget);
}

TEST(one_that_is_canceled_lets_the_next_go)
{
	struct lull_budget *budget = make(LIMIT, 0);
	struct asking large, small;
	atomic_uint order = 0;

	EXPECT_EQ(LULL_OK, admit(budget, 50, 0, NULL));
	ask_and_wait(&large, budget, 90, &order);
	ask_and_wait(&small, budget, 10, &order);
	atomic_store(&large.canceled, true);
	lull_budget_wake(budget);
	join(&large);
	join(&small);
	EXPECT_EQ(LULL_CANCELED, large.err);
	EXPECT_EQ(LULL_OK, small.err);
	EXPECT_EQ(60, stats_of(budget).used.host);
	/* The list's end is right again: another can wait. */
	ask_and_wait(&large, budget, 90, &order);
	release(budget, 60, 0);
	join(&large);
	EXPECT_EQ(LULL_OK, large.err);
	release(budget, 90, 0);
	lull_budget_destroy(budget);
}

/* It would never be admitted, and nobody behind it. */
TEST(nothing_is_held_that_leaves_no_room_for_one_who_waits)
{
	const struct lull_bytes key = { 20, 0 }, usual = { 50, 0 };
	struct lull_budget *budget = make(LIMIT, 0);
	struct lull_error error;
	struct asking large;
	atomic_uint order = 0;

	EXPECT_EQ(LULL_OK, admit(budget, 50, 0, NULL));
	ask_and_wait(&large, budget, 90, &order);
	EXPECT_EQ(LULL_NOMEM,
		  lull_budget_hold(budget, key, usual, "k.zkey", &error));
	EXPECT_STREQ("k.zkey does not fit: 20 bytes and a partition's 90 "
		     "beside 0 that are held, of a host budget of 100",
		     error.msg);
	/* What leaves room for it is held. */
	EXPECT_EQ(LULL_OK, lull_budget_hold(budget, (struct lull_bytes){ 10, 0 },
					    usual, "k", NULL));
	/* So that it ends even if it never fits. */
	atomic_store(&large.canceled,
		     stats_of(budget).held.host + large.host > LIMIT);
	release(budget, 50, 0);
	lull_budget_wake(budget);
	join(&large);
	EXPECT_EQ(LULL_OK, large.err);
	release(budget, large.err ? 0 : 90, 0);
	/* Nobody waits any more. */
	EXPECT_EQ(LULL_OK, lull_budget_hold(budget, key, usual, "k", NULL));
	lull_budget_destroy(budget);
}

/* ---- many -------------------------------------------------------------- */

struct crowd {
	struct lull_budget *budget;
	atomic_ullong there;
	atomic_bool too_much;
	atomic_uint failed;
};

static void *come_and_go(void *arg)
{
	struct crowd *c = arg;
	static atomic_uint seeds;
	unsigned int seed = atomic_fetch_add(&seeds, 1) + 1, i;

	for (i = 0; i < ROUNDS; i++) {
		uint64_t host = 1 + (uint64_t)rand_r(&seed) % LIMIT;

		if (admit(c->budget, host, 0, NULL)) {
			atomic_fetch_add(&c->failed, 1);
			continue;
		}
		if (atomic_fetch_add(&c->there, host) + host > LIMIT)
			atomic_store(&c->too_much, true);
		if (host % 3 == 0)
			sched_yield();
		atomic_fetch_sub(&c->there, host);
		release(c->budget, host, 0);
	}
	return NULL;
}

TEST(never_more_than_there_is)
{
	struct crowd c = { .budget = make(LIMIT, 0) };
	pthread_t threads[NR_THREADS];
	unsigned int i;

	for (i = 0; i < NR_THREADS; i++)
		if (pthread_create(&threads[i], NULL, come_and_go, &c)) {
			printf("Bail out! no thread\n");
			exit(1);
		}
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_TRUE(!atomic_load(&c.too_much));
	EXPECT_EQ(0, atomic_load(&c.failed));
	EXPECT_EQ(0, stats_of(c.budget).used.host);
	EXPECT_TRUE(stats_of(c.budget).peak.host <= LIMIT);
	lull_budget_destroy(c.budget);
}

/* ---- queues ------------------------------------------------------------ */

static void *put_all(void *arg)
{
	static int items[3];
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(items); i++)
		lull_queue_put(arg, &items[i]);
	lull_queue_close(arg);
	return items;
}

TEST(a_queue_keeps_the_order_and_ends)
{
	struct lull_queue queue;
	pthread_t thread;
	void *first, *items;

	ASSERT_TRUE(lull_queue_init(&queue, 3));
	if (pthread_create(&thread, NULL, put_all, &queue)) {
		printf("Bail out! no thread\n");
		exit(1);
	}
	first = lull_queue_take(&queue);
	EXPECT_TRUE(lull_queue_take(&queue) == (int *)first + 1);
	EXPECT_TRUE(lull_queue_take(&queue) == (int *)first + 2);
	EXPECT_TRUE(!lull_queue_take(&queue));
	EXPECT_TRUE(!lull_queue_take(&queue));
	pthread_join(thread, &items);
	EXPECT_TRUE(items == first);
	lull_queue_done(&queue);
	lull_queue_done(&queue);
}

TEST(nothing_is_admitted_for_nothing)
{
	struct lull_budget *budget = make(LIMIT, 0);

	EXPECT_EQ(LULL_OK, lull_budget_hold(budget, none, none, "k", NULL));
	EXPECT_EQ(LULL_OK, admit(budget, 0, 0, NULL));
	EXPECT_EQ(0, stats_of(budget).peak.host);
	release(budget, 0, 0);
	lull_budget_destroy(budget);
	lull_budget_destroy(NULL);
}

TEST_MAIN
