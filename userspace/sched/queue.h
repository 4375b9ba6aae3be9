/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - a bounded ring between the threads of two stages
 *
 * As large as there are partitions in flight, so that putting one in never
 * waits: only those who take do.  It has its memory from the start.
 */
#ifndef LULL_SCHED_QUEUE_H
#define LULL_SCHED_QUEUE_H

#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"

/**
 * struct lull_queue - pointers, first in first out
 * @items: room for nr_max
 * @nr_max: at most so many
 * @lock: guards what follows
 * @filled: lock: an item was put in, or it was closed
 * @first: lock: of them
 * @nr: lock: how many
 * @closed: lock: no more will come
 */
struct lull_queue {
	void **items;
	size_t nr_max;
	pthread_mutex_t lock;
	pthread_cond_t filled;
	size_t first;
	size_t nr;
	bool closed;
};

/* False without memory; the queue then need not be undone. */
static inline bool lull_queue_init(struct lull_queue *queue, size_t nr_max)
{
	*queue = (struct lull_queue){ .nr_max = nr_max };
	queue->items = calloc(nr_max, sizeof(*queue->items));
	if (!queue->items)
		return false;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->filled, NULL);
	return true;
}

/* Of one that was not initialised, but is all zero, does nothing. */
static inline void lull_queue_done(struct lull_queue *queue)
{
	if (!queue->items)
		return;
	pthread_cond_destroy(&queue->filled);
	pthread_mutex_destroy(&queue->lock);
	free(queue->items);
	queue->items = NULL;
}

/* There is room, or the caller has lost count. */
static inline void lull_queue_put(struct lull_queue *queue, void *item)
{
	pthread_mutex_lock(&queue->lock);
	assert(queue->nr < queue->nr_max && !queue->closed);
	queue->items[(queue->first + queue->nr++) % queue->nr_max] = item;
	pthread_cond_signal(&queue->filled);
	pthread_mutex_unlock(&queue->lock);
}

/* Waits for an item; NULL once it is closed and empty. */
static inline void *lull_queue_take(struct lull_queue *queue)
{
	void *item = NULL;

	pthread_mutex_lock(&queue->lock);
	while (!queue->nr && !queue->closed)
		pthread_cond_wait(&queue->filled, &queue->lock);
	if (queue->nr) {
		item = queue->items[queue->first];
		queue->first = (queue->first + 1) % queue->nr_max;
		queue->nr--;
	}
	pthread_mutex_unlock(&queue->lock);
	return item;
}

/* No more will come: those who wait go home when it is empty. */
static inline void lull_queue_close(struct lull_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->closed = true;
	pthread_cond_broadcast(&queue->filled);
	pthread_mutex_unlock(&queue->lock);
}

#endif
