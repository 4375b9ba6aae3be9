// SPDX-License-Identifier: Apache-2.0
/*
 * gate.c - who pauses for whom, under each policy
 */
#include "sched/gate.h"

#include <sched.h>

#include "base/base.h"
#include "harness.h"

struct pausing {
	struct lull_gate *gate;
	atomic_bool canceled;
	atomic_bool through;
	bool waited;
	pthread_t id;
};

static void *pause_here(void *arg)
{
	struct pausing *p = arg;

	p->waited = lull_gate_pause(p->gate, &p->canceled);
	atomic_store(&p->through, true);
	return NULL;
}

static uint64_t pauses(struct lull_gate *gate)
{
	uint64_t nr;

	pthread_mutex_lock(&gate->lock);
	nr = gate->nr_pauses;
	pthread_mutex_unlock(&gate->lock);
	return nr;
}

static void begin(struct pausing *p, struct lull_gate *gate)
{
	uint64_t before = pauses(gate);

	*p = (struct pausing){ .gate = gate };
	if (pthread_create(&p->id, NULL, pause_here, p)) {
		printf("Bail out! no thread\n");
		exit(1);
	}
	while (pauses(gate) == before)
		sched_yield();
}

TEST(off_never_pauses)
{
	struct lull_gate gate;

	lull_gate_init(&gate, LULL_GATE_OFF);
	lull_gate_hold(&gate);
	EXPECT_TRUE(!lull_gate_pause(&gate, NULL));
	lull_gate_drop(&gate);
	EXPECT_EQ(0, pauses(&gate));
	lull_gate_done(&gate);
}

TEST(tokens_are_counted)
{
	struct lull_gate gate;
	struct pausing p;

	lull_gate_init(&gate, LULL_GATE_TOKENS);
	EXPECT_TRUE(!lull_gate_pause(&gate, NULL));
	lull_gate_hold(&gate);
	lull_gate_hold(&gate);
	begin(&p, &gate);
	lull_gate_drop(&gate);
	/* One still computes. */
	EXPECT_TRUE(!atomic_load(&p.through));
	lull_gate_drop(&gate);
	pthread_join(p.id, NULL);
	EXPECT_TRUE(p.waited);
	EXPECT_TRUE(!lull_gate_pause(&gate, NULL));
	lull_gate_done(&gate);
}

TEST(a_flag_is_cleared_by_the_first_who_ends)
{
	struct lull_gate gate;
	struct pausing p;

	lull_gate_init(&gate, LULL_GATE_FLAG);
	lull_gate_hold(&gate);
	lull_gate_hold(&gate);
	begin(&p, &gate);
	lull_gate_drop(&gate);
	pthread_join(p.id, NULL);
	EXPECT_TRUE(p.waited);
	lull_gate_drop(&gate);
	EXPECT_TRUE(!lull_gate_pause(&gate, NULL));
	lull_gate_done(&gate);
}

TEST(one_who_is_canceled_does_not_wait)
{
	struct lull_gate gate;
	struct pausing p;

	lull_gate_init(&gate, LULL_GATE_TOKENS);
	lull_gate_hold(&gate);
	begin(&p, &gate);
	atomic_store(&p.canceled, true);
	lull_gate_wake(&gate);
	pthread_join(p.id, NULL);
	EXPECT_TRUE(p.waited);
	lull_gate_drop(&gate);
	lull_gate_done(&gate);
}

TEST(names)
{
	EXPECT_STREQ("off", lull_gate_policy_name(LULL_GATE_OFF));
	EXPECT_STREQ("flag", lull_gate_policy_name(LULL_GATE_FLAG));
	EXPECT_STREQ("tokens", lull_gate_policy_name(LULL_GATE_TOKENS));
}

TEST_MAIN
