// SPDX-License-Identifier: Apache-2.0
/*
 * gate.c - the bandwidth gate; see gate.h
 */
#include "sched/gate.h"

#include "base/base.h"

const char *lull_gate_policy_name(enum lull_gate_policy policy)
{
	static const char *const names[LULL_GATE_NR_POLICIES] = {
		[LULL_GATE_OFF] = "off",
		[LULL_GATE_FLAG] = "flag",
		[LULL_GATE_TOKENS] = "tokens",
	};

	assert(policy < LULL_GATE_NR_POLICIES);
	return names[policy];
}

void lull_gate_init(struct lull_gate *gate, enum lull_gate_policy policy)
{
	*gate = (struct lull_gate){ .policy = policy };
	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->opened, NULL);
}

void lull_gate_done(struct lull_gate *gate)
{
	pthread_cond_destroy(&gate->opened);
	pthread_mutex_destroy(&gate->lock);
}

void lull_gate_hold(struct lull_gate *gate)
{
	if (gate->policy == LULL_GATE_OFF)
		return;
	pthread_mutex_lock(&gate->lock);
	if (gate->policy == LULL_GATE_FLAG)
		gate->nr_holders = 1;
	else
		gate->nr_holders++;
	pthread_mutex_unlock(&gate->lock);
}

void lull_gate_drop(struct lull_gate *gate)
{
	if (gate->policy == LULL_GATE_OFF)
		return;
	pthread_mutex_lock(&gate->lock);
	if (gate->policy == LULL_GATE_FLAG)
		gate->nr_holders = 0;
	else
		gate->nr_holders--;
	if (!gate->nr_holders)
		pthread_cond_broadcast(&gate->opened);
	pthread_mutex_unlock(&gate->lock);
}

bool lull_gate_pause(struct lull_gate *gate, const atomic_bool *canceled)
{
	bool waited;

	if (gate->policy == LULL_GATE_OFF)
		return false;
	pthread_mutex_lock(&gate->lock);
	waited = gate->nr_holders > 0;
	gate->nr_pauses += waited;
	while (gate->nr_holders && !(canceled && atomic_load(canceled)))
		pthread_cond_wait(&gate->opened, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
	return waited;
}

void lull_gate_wake(struct lull_gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	pthread_cond_broadcast(&gate->opened);
	pthread_mutex_unlock(&gate->lock);
}
