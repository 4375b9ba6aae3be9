/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.h - how much memory partitions may have at one time
 *
 * What is there for long, such as a key, is held; partitions are admitted.
 * Both together are never more than the bound.  Who finds no room waits in one
 * line, keys and partitions in the order in which they asked, so that none
 * starves behind smaller ones.  What can never fit is refused at once, with the
 * numbers.
 *
 * Bytes of the host alone: a device's are planned when a key is attached, and
 * its seats admit proofs (backend/backend.h).
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
struct lull_hold;

/**
 * lull_budget_create - a budget of which nothing is used
 * @limit: bytes; 0 for none but that the sums can be counted
 * @ret_budget: owned by the caller; end it with lull_budget_destroy()
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_NOMEM.
 */
int lull_budget_create(uint64_t limit, struct lull_budget **ret_budget,
		       struct lull_error *reterr);

/* Takes NULL.  Nobody waits. */
void lull_budget_destroy(struct lull_budget *budget);

/**
 * lull_budget_hold - count what is there for long
 * @budget: the budget
 * @bytes: how much
 * @largest: the most that will be asked for at one time while this is held, by
 *	whomever: it must still fit
 * @what: names it in the message
 * @ret_hold: end it with lull_budget_unhold(); NULL for no bytes
 * @reterr: filled on failure
 *
 * Does not wait: the hold does.  Where what is admitted leaves no room yet, it
 * stands in line, and whoever asks for admission later has its own behind it.
 * Admission alone keeps it there, so that it ends whatever holders do.
 *
 * Return: LULL_OK, or LULL_NOMEM and nothing is held.
 */
int lull_budget_hold(struct lull_budget *budget, uint64_t bytes,
		     uint64_t largest, const char *what,
		     struct lull_hold **ret_hold, struct lull_error *reterr);

/* Undoes lull_budget_hold(), also of what still stands in line; takes NULL. */
void lull_budget_unhold(struct lull_budget *budget, struct lull_hold *hold);

/**
 * lull_budget_admit - wait until there is so much
 * @budget: the budget
 * @bytes: how much; as @largest was held for
 * @canceled: ends the wait once it is true and lull_budget_wake() was called
 * @ret_waited: whether it had to wait
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_CANCELED, or LULL_NOMEM when it does not fit beside
 * what is held or stands in line to be.
 */
int lull_budget_admit(struct lull_budget *budget, uint64_t bytes,
		      const atomic_bool *canceled, bool *ret_waited,
		      struct lull_error *reterr);

/* Undoes lull_budget_admit(). */
void lull_budget_release(struct lull_budget *budget, uint64_t bytes);

/* Has everyone who waits look at @canceled. */
void lull_budget_wake(struct lull_budget *budget);

/**
 * struct lull_budget_stats - what a budget is and was, in bytes
 * @limit: as created
 * @held: by what is there for long
 * @promised: to holds that stand in line
 * @used: by what has been admitted
 * @peak: the most that @held and @used together were
 * @nr_waits: how often an admission had to wait
 */
struct lull_budget_stats {
	uint64_t limit;
	uint64_t held;
	uint64_t promised;
	uint64_t used;
	uint64_t peak;
	uint64_t nr_waits;
};

void lull_budget_stats(struct lull_budget *budget,
		       struct lull_budget_stats *ret_stats);

#endif
