// SPDX-License-Identifier: Apache-2.0
/*
 * budget.c - admission of partitions; see budget.h
 *
 * One list of those who wait, the first come first.  Whoever gives bytes back
 * hands them to the head of the list, and to the next only when the head has
 * had its own: a large request is never overtaken for ever.
 */
#include "sched/budget.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"

/* One lull_budget_admit() that waits; on its caller's stack. */
struct waiter {
	struct waiter *next; /* lock */
	struct lull_bytes bytes;
	bool admitted;	     /* lock */
	pthread_cond_t wake; /* lock: admitted was set, or look at canceled */
};

struct lull_budget {
	pthread_mutex_t lock;
	struct waiter *first;		/* lock */
	struct waiter **last;		/* lock: the end of the list */
	struct lull_budget_stats stats; /* lock, but limit */
};

int lull_budget_create(struct lull_bytes limit, struct lull_budget **ret_budget,
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

/* What is not bounded still has to be counted: a sum that wraps is less than
 * its parts. */
static uint64_t bound_of(uint64_t limit)
{
	return limit ? limit : UINT64_MAX;
}

static bool fits_one(uint64_t limit, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t sum;

	return !lull_add_overflow(a, b, &sum) &&
	       !lull_add_overflow(sum, c, &sum) && sum <= bound_of(limit);
}

/* Whether @more goes beside what is there, with @room left. */
static bool fits(const struct lull_budget_stats *stats, struct lull_bytes there,
		 struct lull_bytes more, struct lull_bytes room)
{
	return fits_one(stats->limit.host, there.host, more.host, room.host) &&
	       fits_one(stats->limit.device, there.device, more.device,
			room.device);
}

static struct lull_bytes sum(struct lull_bytes a, struct lull_bytes b)
{
	return (struct lull_bytes){ a.host + b.host, a.device + b.device };
}

static void note_peak(struct lull_budget_stats *stats)
{
	struct lull_bytes now = sum(stats->held, stats->used);

	stats->peak.host = lull_max(stats->peak.host, now.host);
	stats->peak.device = lull_max(stats->peak.device, now.device);
}

static int refuse(const struct lull_budget_stats *stats,
		  struct lull_bytes bytes, struct lull_bytes largest,
		  const char *what, struct lull_error *reterr)
{
	bool host = !fits_one(stats->limit.host, stats->held.host, bytes.host,
			      largest.host);

	return lull_fail(
		reterr, LULL_NOMEM,
		"%.60s does not fit: %" PRIu64 " bytes and a partition's "
		"%" PRIu64 " beside %" PRIu64 " that are held, of a %s budget "
		"of %" PRIu64,
		what, host ? bytes.host : bytes.device,
		host ? largest.host : largest.device,
		host ? stats->held.host : stats->held.device,
		host ? "host" : "device",
		bound_of(host ? stats->limit.host : stats->limit.device));
}

int lull_budget_hold(struct lull_budget *budget, struct lull_bytes bytes,
		     struct lull_bytes largest, const char *what,
		     struct lull_error *reterr)
{
	struct lull_budget_stats *stats = &budget->stats;
	const struct waiter *w;
	int err = LULL_OK;

	pthread_mutex_lock(&budget->lock);
	/* Those who wait may have asked for more than the caller knows of, and
	 * nobody behind them would ever be admitted. */
	for (w = budget->first; w; w = w->next) {
		largest.host = lull_max(largest.host, w->bytes.host);
		largest.device = lull_max(largest.device, w->bytes.device);
	}
	if (fits(stats, stats->held, bytes, largest)) {
		stats->held = sum(stats->held, bytes);
		note_peak(stats);
	} else {
		err = refuse(stats, bytes, largest, what, reterr);
	}
	pthread_mutex_unlock(&budget->lock);
	return err;
}

static bool has_room_locked(const struct lull_budget *budget,
			    struct lull_bytes bytes)
{
	const struct lull_budget_stats *stats = &budget->stats;

	return fits(stats, stats->held, stats->used, bytes);
}

static void take_locked(struct lull_budget *budget, struct lull_bytes bytes)
{
	budget->stats.used = sum(budget->stats.used, bytes);
	note_peak(&budget->stats);
}

/* To the head of the list, as long as there is enough for it. */
static void hand_out_locked(struct lull_budget *budget)
{
	struct waiter *w;

	while ((w = budget->first) && has_room_locked(budget, w->bytes)) {
		take_locked(budget, w->bytes);
		budget->first = w->next;
		if (!budget->first)
			budget->last = &budget->first;
		w->admitted = true;
		pthread_cond_signal(&w->wake);
	}
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

/* Behind those who wait already. */
static bool wait_locked(struct lull_budget *budget, struct lull_bytes bytes,
			const atomic_bool *canceled)
{
	struct waiter w = { .bytes = bytes };

	pthread_cond_init(&w.wake, NULL);
	*budget->last = &w;
	budget->last = &w.next;
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

int lull_budget_admit(struct lull_budget *budget, struct lull_bytes bytes,
		      const atomic_bool *canceled, bool *ret_waited,
		      struct lull_error *reterr)
{
	const struct lull_bytes none = { 0, 0 };
	int err = LULL_OK;

	*ret_waited = false;
	pthread_mutex_lock(&budget->lock);
	if (!fits(&budget->stats, budget->stats.held, bytes, none)) {
		err = refuse(&budget->stats, none, bytes, "a partition",
			     reterr);
	} else if (!budget->first && has_room_locked(budget, bytes)) {
		take_locked(budget, bytes);
	} else {
		*ret_waited = true;
		if (!wait_locked(budget, bytes, canceled))
			err = lull_fail(reterr, LULL_CANCELED,
					"canceled while it waited for memory");
	}
	pthread_mutex_unlock(&budget->lock);
	return err;
}

static struct lull_bytes less(struct lull_bytes a, struct lull_bytes b)
{
	assert(a.host >= b.host && a.device >= b.device);
	return (struct lull_bytes){ a.host - b.host, a.device - b.device };
}

void lull_budget_unhold(struct lull_budget *budget, struct lull_bytes bytes)
{
	pthread_mutex_lock(&budget->lock);
	budget->stats.held = less(budget->stats.held, bytes);
	hand_out_locked(budget);
	pthread_mutex_unlock(&budget->lock);
}

void lull_budget_release(struct lull_budget *budget, struct lull_bytes bytes)
{
	pthread_mutex_lock(&budget->lock);
	budget->stats.used = less(budget->stats.used, bytes);
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
