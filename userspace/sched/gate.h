/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.h - memory-heavy stages of the CPU make way for those that compute
 *
 * Reading a witness and freeing memory take bandwidth that a proof's transfer,
 * sparse product and transforms want.  While one of these runs, the others
 * pause.  Three ways, to be compared:
 *
 *	off	nobody pauses
 *	flag	one flag: set by whoever begins, cleared by whoever ends first, as
 *		other provers have it; wrong when two compute at once
 *	tokens	counted: they pause while anybody computes
 *
 * Nobody who holds the gate waits for one who pauses, so that all go on.
 */
#ifndef LULL_SCHED_GATE_H
#define LULL_SCHED_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum lull_gate_policy {
	LULL_GATE_OFF,
	LULL_GATE_FLAG,
	LULL_GATE_TOKENS,
	LULL_GATE_NR_POLICIES,
};

/* "off", "flag", "tokens". */
const char *lull_gate_policy_name(enum lull_gate_policy policy);

/**
 * struct lull_gate - one gate
 * @policy: how
 * @lock: guards what follows
 * @opened: lock: the gate may be open
 * @nr_holders: lock: who compute; of a flag 0 or 1
 * @nr_pauses: lock: how often somebody paused
 */
struct lull_gate {
	enum lull_gate_policy policy;
	pthread_mutex_t lock;
	pthread_cond_t opened;
	unsigned int nr_holders;
	uint64_t nr_pauses;
};

void lull_gate_init(struct lull_gate *gate, enum lull_gate_policy policy);
void lull_gate_done(struct lull_gate *gate);

/* A stage that wants the bandwidth begins, and ends.  Never waits. */
void lull_gate_hold(struct lull_gate *gate);
void lull_gate_drop(struct lull_gate *gate);

/* Waits until nobody holds the gate, or @canceled is true and lull_gate_wake()
 * was called; NULL is never.  Whether it waited. */
bool lull_gate_pause(struct lull_gate *gate, const atomic_bool *canceled);

/* Has those who pause look at @canceled. */
void lull_gate_wake(struct lull_gate *gate);

#endif
