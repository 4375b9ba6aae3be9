// SPDX-License-Identifier: Apache-2.0
/*
 * work.cu - what proofs compute with: taken, handed on, wiped at last
 *
 * See key.cuh.  Order on the device is that of the streams: a proof takes them
 * when the one before has enqueued its last stage, not when that has ended.
 */
#include "check.cuh"
#include "key.cuh"

namespace lull
{

void work_destroy(struct cuda_work *work)
{
	struct cuda_key *key = work->key;
	unsigned int i;

	if (!key)
		return;
	events_destroy(work->filled, 2);
	events_destroy(work->drained, 2);
	events_destroy(&work->wiped, 1);
	if (work->copy_stream)
		cudaStreamDestroy(work->copy_stream);
	for (i = 0; i < nr_lanes_max; i++)
		if (work->streams[i])
			cudaStreamDestroy(work->streams[i]);
	device_free(key->device, work->block, key->layout.bytes[BLOCK_WORK]);
	*work = {};
}

int work_create(struct cuda_key *key, struct cuda_work *work, struct lull_error *reterr)
{
	const struct layout *l = &key->layout;
	unsigned int i;

	work->key = key;
	LULL_TRY(device_alloc(key->device, l->bytes[BLOCK_WORK], "proofs of a key",
			      (void **)&work->block, reterr));
	for (i = 0; i < l->nr_lanes; i++)
		CUDA_TRY(cudaStreamCreateWithFlags(&work->streams[i], cudaStreamNonBlocking),
			 reterr);
	CUDA_TRY(cudaStreamCreateWithFlags(&work->copy_stream, cudaStreamNonBlocking), reterr);
	LULL_TRY(events_create(work->filled, 2, false, reterr));
	LULL_TRY(events_create(work->drained, 2, false, reterr));
	return events_create(&work->wiped, 1, false, reterr);
}

int work_drain(const struct cuda_work *work, struct lull_error *reterr)
{
	for (cudaEvent_t drained : work->drained)
		CUDA_TRY(cudaEventRecord(drained, work->streams[0]), reterr);
	return LULL_OK;
}

/* The one with the fewest proofs in it that nobody enqueues to. */
static struct cuda_work *find_free(struct cuda_key *key)
{
	struct cuda_work *work, *best = NULL;

	for (work = key->works; work < key->works + key->nr_works; work++)
		if (!work->taken && (!best || work->nr_users < best->nr_users))
			best = work;
	return best;
}

int work_take(struct cuda_seat *seat, struct lull_error *reterr)
{
	struct cuda_key *key = seat->key;
	struct cuda_work *work;

	pthread_mutex_lock(&key->lock);
	while (!(work = find_free(key)))
		pthread_cond_wait(&key->handed_on, &key->lock);
	work->taken = work->used = true;
	work->nr_users++;
	pthread_mutex_unlock(&key->lock);
	seat->work = work;
	seat->holds = true;
	seat->marked = false;
	for (unsigned int i = 0; i < key->layout.nr_lanes; i++)
		CUDA_TRY(cudaStreamWaitEvent(work->streams[i], seat->ended[LULL_STAGE_LOAD], 0),
			 reterr);
	return LULL_OK;
}

static void put(struct cuda_work *work)
{
	pthread_mutex_lock(&work->key->lock);
	work->taken = false;
	pthread_cond_signal(&work->key->handed_on);
	pthread_mutex_unlock(&work->key->lock);
}

static int record_done(const struct cuda_seat *seat, struct lull_error *reterr)
{
	for (unsigned int i = 0; i < seat->key->layout.nr_lanes; i++)
		CUDA_TRY(cudaEventRecord(seat->done[i], seat->work->streams[i]), reterr);
	return LULL_OK;
}

int work_hand_on(struct cuda_seat *seat, struct lull_error *reterr)
{
	int err;

	if (!seat->holds)
		return LULL_OK;
	err = record_done(seat, reterr);
	seat->marked = !err;
	seat->holds = false;
	put(seat->work);
	return err;
}

int work_wait(const struct cuda_seat *seat, struct lull_error *reterr)
{
	for (unsigned int i = 0; i < seat->key->layout.nr_lanes; i++)
		CUDA_TRY(cudaEventSynchronize(seat->done[i]), reterr);
	return LULL_OK;
}

void work_end(struct cuda_seat *seat)
{
	work_hand_on(seat, NULL);
	if (!seat->work || (seat->marked && !work_wait(seat, NULL)))
		return;
	/* Events that are another proof's would not have been waited for. */
	for (unsigned int i = 0; i < seat->key->layout.nr_lanes; i++)
		cudaStreamSynchronize(seat->work->streams[i]);
}

/* Queued on lane 0, before anything of the others and of copies. */
static int queue_wipe(struct cuda_work *work, struct lull_error *reterr)
{
	const struct layout *l = &work->key->layout;

	CUDA_TRY(cudaMemsetAsync(work->block, 0, l->bytes[BLOCK_WORK], work->streams[0]), reterr);
	CUDA_TRY(cudaEventRecord(work->wiped, work->streams[0]), reterr);
	for (unsigned int i = 1; i < l->nr_lanes; i++)
		CUDA_TRY(cudaStreamWaitEvent(work->streams[i], work->wiped, 0), reterr);
	return work_drain(work, reterr);
}

/* Where some of it cannot be queued, what was is waited for, and the next proof
 * that leaves tries again.  A device that failed says so to whoever comes next. */
static void wipe(struct cuda_work *work)
{
	if (!queue_wipe(work, NULL))
		return;
	cudaStreamSynchronize(work->streams[0]);
	pthread_mutex_lock(&work->key->lock);
	work->used = true;
	pthread_mutex_unlock(&work->key->lock);
}

/* Works that are to be wiped, taken for that; none while another proof is under
 * way, for it wipes them in its turn. */
static unsigned int take_used(struct cuda_key *key, struct cuda_work *ret_works[nr_works_max])
{
	unsigned int nr = 0, i;

	for (i = 0; i < key->nr_seats; i++)
		if (key->seats[i].taken && !key->seats[i].left)
			return 0;
	for (i = 0; i < key->nr_works; i++) {
		if (!key->works[i].used)
			continue;
		key->works[i].used = false;
		key->works[i].taken = true;
		ret_works[nr++] = &key->works[i];
	}
	return nr;
}

void work_leave(struct cuda_seat *seat)
{
	struct cuda_work *works[nr_works_max];
	unsigned int nr, i;

	pthread_mutex_lock(&seat->key->lock);
	if (seat->work)
		seat->work->nr_users--;
	seat->work = NULL;
	seat->left = true;
	nr = take_used(seat->key, works);
	pthread_mutex_unlock(&seat->key->lock);
	for (i = 0; i < nr; i++) {
		wipe(works[i]);
		put(works[i]);
	}
}

} /* namespace lull */
