// SPDX-License-Identifier: Apache-2.0
/*
 * budget.c - admission of partitions, and of keys; see budget.h
 *
 * One list of those who wait, the first come first.  Whoever gives bytes back
 * hands them to the head of the list, and to the next only when the head has
 * had its own: a large request is never overtaken for ever, and a key not by
 * partitions of others.
 *
 * What is promised to holds in the list counts as held for whoever asks whether
 * it can ever fit.  So once nothing is admitted, every one in the list fits.
 */
#include "sched/budget.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"

/* One lull_budget_admit() that waits, on its caller's stack; or a hold. */
struct waiter {
	struct waiter *next; /* lock */
	uint64_t bytes;
	bool is_hold;	     /* nobody sleeps on it */
	bool admitted;	     /* lock */
	pthread_cond_t wake; /* lock: admitted was set, or look at canceled */
};

struct lull_hold {
	struct waiter waiter;
};

struct lull_budget {
	pthread_mutex_t lock;
	struct waiter *first;		/* lock */
	struct waiter **last;		/* lock: the end of the list */
	struct lull_budget_stats stats; /* lock, but limit */
};

int lull_budget_create(uint64_t limit, struct lull_budget **ret_budget,
		       struct lull_error *reterr)
{
	struct lull_budget *budget = calloc(1, sizeof(*budget));

	if (!budget)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a budget");
	pthread_mutex_init(&budget->lock, NULL);
	budget->last = &budget->first;
	budget->stats.limit = limit;
	*ret_budget = budget;
	return LULL_OK;
}

void lull_budget_destroy(struct lull_budget *budget)
{
	if (!budget)
		return;
	assert(!budget->first);
	pthread_mutex_destroy(&budget->lock);
	free(budget);
}

/* ---- what fits --------------------------------------------------------- */

/* What is not bounded still has to be counted: a sum that wraps is less than
 * its parts. */
static uint64_t bound_of(const struct lull_budget_stats *stats)
{
	return stats->limit ? stats->limit : UINT64_MAX;
}

/* Whether @more goes beside what is there, with @room left. */
static bool fits(const struct lull_budget_stats *stats, uint64_t there,
		 uint64_t more, uint64_t room)
{
	uint64_t sum;

	return !lull_add_overflow(there, more, &sum) &&
	       !lull_add_overflow(sum, room, &sum) && sum <= bound_of(stats);
}

/* What no end of a partition gives back; both fit, together. */
static uint64_t lasting(const struct lull_budget_stats *stats)
{
	return stats->held + stats->promised;
}

static bool has_room_locked(const struct lull_budget *budget, uint64_t bytes)
{
	const struct lull_budget_stats *stats = &budget->stats;

	return fits(stats, stats->held, stats->used, bytes);
}

static int refuse(const struct lull_budget_stats *stats, uint64_t bytes,
		  uint64_t largest, const char *what, struct lull_error *reterr)
{
	return lull_fail(reterr, LULL_NOMEM,
			 "%.60s does not fit: %" PRIu64
			 " bytes and a partition's "
			 "%" PRIu64 " beside %" PRIu64
			 " that are held, of a host budget of %" PRIu64,
			 what, bytes, largest, lasting(stats), bound_of(stats));
}

/* ---- the line ---------------------------------------------------------- */

static void take_locked(struct lull_budget *budget, uint64_t *count,
			uint64_t bytes)
{
	struct lull_budget_stats *stats = &budget->stats;

	assert(has_room_locked(budget, bytes));
	*count += bytes;
	stats->peak = lull_max(stats->peak, stats->held + stats->used);
}

static void line_up_locked(struct lull_budget *budget, struct waiter *w)
{
	*budget->last = w;
	budget->last = &w->next;
}

static void unlink_locked(struct lull_budget *budget, struct waiter *w)
{
	struct waiter **link = &budget->first;

	while (*link != w)
		link = &(*link)->next;
	*link = w->next;
	if (!w->next)
		budget->last = link;
}

/* To the head of the list, as long as there is enough for it. */
static void hand_out_locked(struct lull_budget *budget)
{
	struct lull_budget_stats *stats = &budget->stats;
	struct waiter *w;

	while ((w = budget->first) && has_room_locked(budget, w->bytes)) {
		if (w->is_hold)
			stats->promised -= w->bytes;
		take_locked(budget, w->is_hold ? &stats->held : &stats->used,
			    w->bytes);
		unlink_locked(budget, w);
		w->admitted = true;
		pthread_cond_signal(&w->wake);
	}
}

/* ---- holding ----------------------------------------------------------- */

static int hold_locked(struct lull_budget *budget, struct waiter *w,
		       uint64_t largest, const char *what,
		       struct lull_error *reterr)
{
	struct lull_budget_stats *stats = &budget->stats;

	/* Those in line have their own before it, and fitted when they came. */
	if (!fits(stats, lasting(stats), w->bytes, largest))
		return refuse(stats, w->bytes, largest, what, reterr);
	if (!w->bytes)
		return LULL_OK;
	stats->promised += w->bytes;
	line_up_locked(budget, w);
	hand_out_locked(budget);
	return LULL_OK;
}

static void free_hold(struct lull_hold *hold)
{
	pthread_cond_destroy(&hold->waiter.wake);
	free(hold);
}

int lull_budget_hold(struct lull_budget *budget, uint64_t bytes,
		     uint64_t largest, const char *what,
		     struct lull_hold **ret_hold, struct lull_error *reterr)
{
	struct lull_hold *hold = calloc(1, sizeof(*hold));
	int err;

	if (!hold)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a budget");
	hold->waiter.bytes = bytes;
	hold->waiter.is_hold = true;
	pthread_cond_init(&hold->waiter.wake, NULL);
	pthread_mutex_lock(&budget->lock);
	err = hold_locked(budget, &hold->waiter, largest, what, reterr);
	pthread_mutex_unlock(&budget->lock);
	if (!err)
		*ret_hold = bytes ? hold : NULL;
	if (err || !bytes)
		free_hold(hold);
	return err;
}

void lull_budget_unhold(struct lull_budget *budget, struct lull_hold *hold)
{
	struct lull_budget_stats *stats = &budget->stats;
	uint64_t *count;

	if (!hold)
		return;
	pthread_mutex_lock(&budget->lock);
	count = hold->waiter.admitted ? &stats->held : &stats->promised;
	assert(*count >= hold->waiter.bytes);
	*count -= hold->waiter.bytes;
	if (!hold->waiter.admitted)
		unlink_locked(budget, &hold->waiter);
	/* Those behind it may have waited for it alone. */
	hand_out_locked(budget);
	pthread_mutex_unlock(&budget->lock);
	free_hold(hold);
}

/* ---- admission --------------------------------------------------------- */

/* Behind those who wait already. */
static bool wait_locked(struct lull_budget *budget, uint64_t bytes,
			const atomic_bool *canceled)
{
	struct waiter w = { .bytes = bytes };

	pthread_cond_init(&w.wake, NULL);
	line_up_locked(budget, &w);
	budget->stats.nr_waits++;
	while (!w.admitted && !atomic_load(canceled))
		pthread_cond_wait(&w.wake, &budget->lock);
	if (!w.admitted) {
		unlink_locked(budget, &w);
		/* Those behind it may have waited for it alone. */
		hand_out_locked(budget);
	}
	pthread_cond_destroy(&w.wake);
	return w.admitted;
}

int lull_budget_admit(struct lull_budget *budget, uint64_t bytes,
		      const atomic_bool *canceled, bool *ret_waited,
		      struct lull_error *reterr)
{
	struct lull_budget_stats *stats = &budget->stats;
	int err = LULL_OK;

	*ret_waited = false;
	pthread_mutex_lock(&budget->lock);
	if (!fits(stats, lasting(stats), bytes, 0)) {
		err = refuse(stats, 0, bytes, "a partition", reterr);
	} else if (!budget->first && has_room_locked(budget, bytes)) {
		take_locked(budget, &stats->used, bytes);
	} else {
		*ret_waited = true;
		if (!wait_locked(budget, bytes, canceled))
			err = lull_fail(reterr, LULL_CANCELED,
					"canceled while it waited for memory");
	}
	pthread_mutex_unlock(&budget->lock);
	return err;
}

void lull_budget_release(struct lull_budget *budget, uint64_t bytes)
{
	pthread_mutex_lock(&budget->lock);
	assert(budget->stats.used >= bytes);
	budget->stats.used -= bytes;
	hand_out_locked(budget);
	pthread_mutex_unlock(&budget->lock);
}

void lull_budget_wake(struct lull_budget *budget)
{
	struct waiter *w;

	pthread_mutex_lock(&budget->lock);
	for (w = budget->first; w; w = w->next)
		pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&budget->lock);
}

void lull_budget_stats(struct lull_budget *budget,
		       struct lull_budget_stats *ret_stats)
{
	pthread_mutex_lock(&budget->lock);
	*ret_stats = budget->stats;
	pthread_mutex_unlock(&budget->lock);
}
