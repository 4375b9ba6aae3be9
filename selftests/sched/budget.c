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

static struct lull_budget *make(uint64_t limit)
{
	struct lull_budget *budget = NULL;

	if (lull_budget_create(limit, &budget, NULL)) {
		printf("Bail out! no budget\n");
		exit(1);
	}
	return budget;
}

static int admit(struct lull_budget *budget, uint64_t bytes,
		 struct lull_error *reterr)
{
	static atomic_bool never;
	bool waited;

	return lull_budget_admit(budget, bytes, &never, &waited, reterr);
}

/* A hold beside which there has to be room for @largest; NULL if there is none. */
static struct lull_hold *hold(struct lull_budget *budget, uint64_t bytes,
			      uint64_t largest)
{
	struct lull_hold *hold = NULL;

	if (lull_budget_hold(budget, bytes, largest, "k", &hold, NULL))
		return NULL;
	return hold;
}

static struct lull_budget_stats stats_of(struct lull_budget *budget)
{
	struct lull_budget_stats stats;

	lull_budget_stats(budget, &stats);
	return stats;
}

TEST(what_can_never_fit_is_refused_with_the_numbers)
{
	struct lull_budget *budget = make(LIMIT);
	struct lull_error error = { 0 };
	struct lull_hold *poison = (struct lull_hold *)&error, *key = poison;

	EXPECT_EQ(LULL_NOMEM, admit(budget, LIMIT + 1, &error));
	EXPECT_TRUE(strstr(error.msg, "101") && strstr(error.msg, "of 100"));
	EXPECT_TRUE(strstr(error.msg, "host budget"));
	EXPECT_EQ(LULL_NOMEM,
		  lull_budget_hold(budget, 60, 41, "k.zkey", &key, &error));
	EXPECT_STREQ("k.zkey does not fit: 60 bytes and a partition's 41 "
		     "beside 0 that are held, of a host budget of 100",
		     error.msg);
	EXPECT_TRUE(key == poison);
	EXPECT_EQ(0, stats_of(budget).held);
	key = hold(budget, 60, 40);
	EXPECT_TRUE(key);
	EXPECT_EQ(LULL_NOMEM, admit(budget, 41, &error));
	EXPECT_EQ(LULL_OK, admit(budget, 40, &error));
	EXPECT_EQ(LIMIT, stats_of(budget).peak);
	lull_budget_release(budget, 40);
	lull_budget_unhold(budget, key);
	EXPECT_EQ(0, stats_of(budget).held);
	lull_budget_destroy(budget);
}

TEST(sums_that_overflow_do_not_fit)
{
	struct lull_budget *budget = make(LIMIT);

	EXPECT_TRUE(!hold(budget, UINT64_MAX, 50));
	EXPECT_TRUE(!hold(budget, 50, UINT64_MAX));
	EXPECT_EQ(0, stats_of(budget).promised);
	lull_budget_destroy(budget);
}

/* Nor where there is no bound: it waits, or would bring the count to naught. */
TEST(sums_that_cannot_be_counted_wait)
{
	const uint64_t half = (UINT64_MAX >> 1) + 2;
	struct lull_budget *budget = make(0);
	struct lull_hold *key = NULL;
	atomic_bool canceled = true;
	struct lull_error error;
	bool waited;

	EXPECT_EQ(LULL_OK, admit(budget, half, NULL));
	EXPECT_EQ(LULL_CANCELED,
		  lull_budget_admit(budget, half, &canceled, &waited, NULL));
	EXPECT_EQ(half, stats_of(budget).used);
	EXPECT_EQ(LULL_NOMEM,
		  lull_budget_hold(budget, half, half, "k", &key, &error));
	EXPECT_TRUE(strstr(error.msg, "of 18446744073709551615"));
	lull_budget_release(budget, half);
	EXPECT_EQ(LULL_OK, admit(budget, half, NULL));
	lull_budget_release(budget, half);
	lull_budget_destroy(budget);
}

TEST(no_bound_admits_everything)
{
	struct lull_budget *budget = make(0);

	EXPECT_EQ(LULL_OK, admit(budget, UINT64_MAX / 2, NULL));
	EXPECT_EQ(LULL_OK, admit(budget, 5, NULL));
	EXPECT_EQ(UINT64_MAX / 2 + 5, stats_of(budget).used);
	lull_budget_release(budget, UINT64_MAX / 2);
	lull_budget_release(budget, 5);
	lull_budget_destroy(budget);
}

/* ---- waiting ----------------------------------------------------------- */

struct asking {
	struct lull_budget *budget;
	uint64_t bytes;
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

	a->err = lull_budget_admit(a->budget, a->bytes, &a->canceled,
				   &a->waited, NULL);
	a->order = atomic_fetch_add(a->next_order, 1);
	return NULL;
}

/* Asks on a thread, and goes on when that waits. */
static void ask_and_wait(struct asking *a, struct lull_budget *budget,
			 uint64_t bytes, atomic_uint *next_order)
{
	uint64_t before = stats_of(budget).nr_waits;

	*a = (struct asking){ .budget = budget,
			      .bytes = bytes,
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
	struct lull_budget *budget = make(LIMIT);
	struct asking large, small;
	atomic_uint order = 0;

	EXPECT_EQ(LULL_OK, admit(budget, 50, NULL));
	ask_and_wait(&large, budget, 90, &order);
	/* There would be room for it at once. */
	ask_and_wait(&small, budget, 10, &order);
	EXPECT_EQ(50, stats_of(budget).used);
	lull_budget_release(budget, 50);
	join(&large);
	join(&small);
	EXPECT_EQ(LULL_OK, large.err);
	EXPECT_EQ(LULL_OK, small.err);
	EXPECT_TRUE(large.waited && small.waited);
	EXPECT_EQ(100, stats_of(budget).used);
	lull_budget_release(budget, 100);
	lull_budget_destroy(budget);
}

TEST(they_are_admitted_in_the_order_of_asking)
{
	struct lull_budget *budget = make(LIMIT);
	struct asking all[4];
	atomic_uint order = 0;
	unsigned int i;

	EXPECT_EQ(LULL_OK, admit(budget, LIMIT, NULL));
	for (i = 0; i < 4; i++)
		ask_and_wait(&all[i], budget, LIMIT, &order);
	for (i = 0; i < 4; i++) {
		lull_budget_release(budget, LIMIT);
		join(&all[i]);
		EXPECT_EQ(LULL_OK, all[i].err);
		EXPECT_EQ(i, all[i].order);
	}
	lull_budget_release(budget, LIMIT);
	lull_budget_destroy(budget);
}

TEST(one_that_is_canceled_lets_the_next_go)
{
	struct lull_budget *budget = make(LIMIT);
	struct asking large, small;
	atomic_uint order = 0;

	EXPECT_EQ(LULL_OK, admit(budget, 50, NULL));
	ask_and_wait(&large, budget, 90, &order);
	ask_and_wait(&small, budget, 10, &order);
	atomic_store(&large.canceled, true);
	lull_budget_wake(budget);
	join(&large);
	join(&small);
	EXPECT_EQ(LULL_CANCELED, large.err);
	EXPECT_EQ(LULL_OK, small.err);
	EXPECT_EQ(60, stats_of(budget).used);
	/* The list's end is right again: another can wait. */
	ask_and_wait(&large, budget, 90, &order);
	lull_budget_release(budget, 60);
	join(&large);
	EXPECT_EQ(LULL_OK, large.err);
	lull_budget_release(budget, 90);
	lull_budget_destroy(budget);
}

/* ---- holds that wait ---------------------------------------------------- */

/* What is under way keeps its bytes, so the key has to wait for them. */
TEST(held_and_used_are_never_more_than_the_limit)
{
	struct lull_budget *budget = make(LIMIT);
	struct lull_hold *key;

	EXPECT_EQ(LULL_OK, admit(budget, 30, NULL));
	EXPECT_EQ(LULL_OK, admit(budget, 30, NULL));
	key = hold(budget, 60, 30);
	EXPECT_TRUE(key);
	EXPECT_EQ(0, stats_of(budget).held);
	EXPECT_EQ(60, stats_of(budget).promised);
	lull_budget_release(budget, 30);
	EXPECT_EQ(60, stats_of(budget).held);
	EXPECT_EQ(0, stats_of(budget).promised);
	EXPECT_EQ(30, stats_of(budget).used);
	EXPECT_TRUE(stats_of(budget).peak <= LIMIT);
	/* It is no admission that waited. */
	EXPECT_EQ(0, stats_of(budget).nr_waits);
	lull_budget_release(budget, 30);
	lull_budget_unhold(budget, key);
	lull_budget_destroy(budget);
}

TEST(a_key_that_waits_is_not_overtaken)
{
	struct lull_budget *budget = make(LIMIT);
	struct asking small;
	struct lull_hold *key;
	atomic_uint order = 0;

	EXPECT_EQ(LULL_OK, admit(budget, 50, NULL));
	key = hold(budget, 60, 40);
	EXPECT_TRUE(key);
	/* There would be room for it at once. */
	ask_and_wait(&small, budget, 40, &order);
	EXPECT_EQ(50, stats_of(budget).used);
	lull_budget_release(budget, 50);
	join(&small);
	EXPECT_EQ(LULL_OK, small.err);
	EXPECT_EQ(60, stats_of(budget).held);
	EXPECT_EQ(40, stats_of(budget).used);
	lull_budget_release(budget, 40);
	lull_budget_unhold(budget, key);
	lull_budget_destroy(budget);
}

TEST(a_key_that_goes_lets_the_next_go)
{
	struct lull_budget *budget = make(LIMIT);
	struct lull_hold *first, *second;
	struct asking small;
	atomic_uint order = 0;

	EXPECT_EQ(LULL_OK, admit(budget, 60, NULL));
	first = hold(budget, 50, 20);
	ask_and_wait(&small, budget, 20, &order);
	second = hold(budget, 30, 20);
	EXPECT_TRUE(first && second);
	EXPECT_EQ(80, stats_of(budget).promised);
	lull_budget_unhold(budget, first);
	join(&small);
	EXPECT_EQ(LULL_OK, small.err);
	EXPECT_EQ(80, stats_of(budget).used);
	EXPECT_EQ(30, stats_of(budget).promised);
	/* Of the two, the last in line. */
	lull_budget_unhold(budget, second);
	EXPECT_EQ(0, stats_of(budget).promised);
	EXPECT_EQ(LULL_OK, admit(budget, 20, NULL));
	lull_budget_release(budget, 100);
	EXPECT_EQ(0, stats_of(budget).used);
	lull_budget_destroy(budget);
}

/* Else neither would ever fit when both have come to their turn. */
TEST(what_is_promised_counts_as_held)
{
	struct lull_budget *budget = make(LIMIT);
	struct lull_error error;
	struct lull_hold *key, *other = NULL;

	EXPECT_EQ(LULL_OK, admit(budget, 50, NULL));
	key = hold(budget, 60, 40);
	EXPECT_TRUE(key);
	EXPECT_EQ(LULL_NOMEM,
		  lull_budget_hold(budget, 1, 40, "k.zkey", &other, &error));
	EXPECT_TRUE(strstr(error.msg, "beside 60 that are held"));
	EXPECT_EQ(LULL_NOMEM, admit(budget, 41, &error));
	lull_budget_release(budget, 50);
	lull_budget_unhold(budget, key);
	lull_budget_destroy(budget);
}

/* So a key need not leave room for what it finds in line. */
TEST(one_who_waits_has_its_own_before_a_key_that_comes)
{
	struct lull_budget *budget = make(LIMIT);
	struct asking large;
	struct lull_hold *key;
	atomic_uint order = 0;

	EXPECT_EQ(LULL_OK, admit(budget, 50, NULL));
	ask_and_wait(&large, budget, 90, &order);
	key = hold(budget, 20, 50);
	EXPECT_TRUE(key);
	EXPECT_EQ(0, stats_of(budget).held);
	lull_budget_release(budget, 50);
	join(&large);
	EXPECT_EQ(LULL_OK, large.err);
	EXPECT_EQ(90, stats_of(budget).used);
	EXPECT_EQ(20, stats_of(budget).promised);
	lull_budget_release(budget, 90);
	EXPECT_EQ(20, stats_of(budget).held);
	lull_budget_unhold(budget, key);
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

		if (admit(c->budget, host, NULL)) {
			atomic_fetch_add(&c->failed, 1);
			continue;
		}
		if (atomic_fetch_add(&c->there, host) + host > LIMIT)
			atomic_store(&c->too_much, true);
		if (host % 3 == 0)
			sched_yield();
		atomic_fetch_sub(&c->there, host);
		lull_budget_release(c->budget, host);
	}
	return NULL;
}

TEST(never_more_than_there_is)
{
	struct crowd c = { .budget = make(LIMIT) };
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
	EXPECT_EQ(0, stats_of(c.budget).used);
	EXPECT_TRUE(stats_of(c.budget).peak <= LIMIT);
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
	struct lull_budget *budget = make(LIMIT);
	struct lull_hold *key = (struct lull_hold *)budget;

	EXPECT_EQ(LULL_OK, lull_budget_hold(budget, 0, 0, "k", &key, NULL));
	EXPECT_TRUE(!key);
	lull_budget_unhold(budget, key);
	EXPECT_EQ(LULL_OK, admit(budget, 0, NULL));
	EXPECT_EQ(0, stats_of(budget).peak);
	lull_budget_release(budget, 0);
	lull_budget_destroy(budget);
	lull_budget_destroy(NULL);
}

TEST_MAIN
