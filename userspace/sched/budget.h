/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.h - how much memory partitions may have at one time
 *
 * Bytes of the host and bytes of a device, each with a bound of its own.  What
 * is there for long, such as a key, is held; partitions are admitted, in the
 * order in which they asked, so that none starves behind smaller ones.  What
 * can never fit is refused at once, with the numbers.
 *
 * Documentation/models/pipeline.pml has the protocol, for spin.
 */
#ifndef LULL_SCHED_BUDGET_H
#define LULL_SCHED_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lull.h"

struct lull_budget;

/**
 * struct lull_bytes - memory of both kinds
 * @host: of this host
 * @device: of a GPU
 */
struct lull_bytes {
	uint64_t host;
	uint64_t device;
};

/**
 * lull_budget_create - a budget of which nothing is used
 * @limit: of each kind; 0 for none but that the sums can be counted
 * @ret_budget: owned by the caller; end it with lull_budget_destroy()
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_NOMEM.
 */
int lull_budget_create(struct lull_bytes limit, struct lull_budget **ret_budget,
		       struct lull_error *reterr);

/* Takes NULL.  Nobody waits. */
void lull_budget_destroy(struct lull_budget *budget);

/**
 * lull_budget_hold - count what is there for long
 * @budget: the budget
 * @bytes: how much
 * @largest: the most that will be asked for at one time while this is held, by
 *	whomever: it must still fit, and so must whoever waits already
 * @what: names it in the message
 * @reterr: filled on failure
 *
 * Does not wait.
 *
 * Return: LULL_OK, or LULL_NOMEM and nothing is held.
 */
int lull_budget_hold(struct lull_budget *budget, struct lull_bytes bytes,
		     struct lull_bytes largest, const char *what,
		     struct lull_error *reterr);

/* Undoes lull_budget_hold(). */
void lull_budget_unhold(struct lull_budget *budget, struct lull_bytes bytes);

/**
 * lull_budget_admit - wait until there is so much
 * @budget: the budget
 * @bytes: how much; as @largest was held for
 * @canceled: ends the wait once it is true and lull_budget_wake() was called
 * @ret_waited: whether it had to wait
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_CANCELED, or LULL_NOMEM when it does not fit beside
 * what is held.
 */
int lull_budget_admit(struct lull_budget *budget, struct lull_bytes bytes,
		      const atomic_bool *canceled, bool *ret_waited,
		      struct lull_error *reterr);

/* Undoes lull_budget_admit(). */
void lull_budget_release(struct lull_budget *budget, struct lull_bytes bytes);

/* Has everyone who waits look at @canceled. */
void lull_budget_wake(struct lull_budget *budget);

/**
 * struct lull_budget_stats - what a budget is and was
 * @limit: as created
 * @held: by what is there for long
 * @used: by what has been admitted
 * @peak: the most that both together were
 * @nr_waits: how often somebody had to wait
 */
struct lull_budget_stats {
	struct lull_bytes limit;
	struct lull_bytes held;
	struct lull_bytes used;
	struct lull_bytes peak;
	uint64_t nr_waits;
};

void lull_budget_stats(struct lull_budget *budget,
		       struct lull_budget_stats *ret_stats);

#endif
