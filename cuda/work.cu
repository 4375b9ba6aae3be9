// SPDX-License-Identifier: Apache-2.0
/*
 * work.cu - what proofs compute with: taken, handed on, wiped at last
 *
 * See key.cuh.  Order on the device is that of the streams: a proof takes them
 * when the one before has enqueued its last stage, not when that has ended.
 *
 * What a proof leaves is overwritten when it ends, unless another one computes
 * there already or is at hand to: that writes over it, and to overwrite a block
 * takes some hundredths of what a proof does, which would be the next one's to
 * wait for.  But it may write less than was left, and behind it come others.  So
 * a block that never rests is overwritten after every so many proofs.
 */
#include "check.cuh"
#include "key.cuh"

namespace lull
{

/* Proofs that compute in a block, one right behind the other, before it is
 * overwritten: their part of its time is then less than one in a hundred. */
constexpr unsigned int nr_left_max = 16;

void work_destroy(struct cuda_work *work)
{
	struct cuda_key *key = work->key;
	unsigned int i;

	if (!key)
		return;
	events_destroy(work->filled, 2);
	events_destroy(work->drained, 2);
	events_destroy(work->reached, nr_lanes_max);
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
	return events_create(work->reached, nr_lanes_max, false, reterr);
}

int work_drain(const struct cuda_work *work, struct lull_error *reterr)
{
	for (cudaEvent_t drained : work->drained)
		CUDA_TRY(cudaEventRecord(drained, work->streams[0]), reterr);
	return LULL_OK;
}

/* Queued behind all that the streams have, and before all that comes. */
static int queue_wipe(struct cuda_work *work, struct lull_error *reterr)
{
	const struct layout *l = &work->key->layout;
	unsigned int i;

	for (i = 1; i < l->nr_lanes; i++) {
		CUDA_TRY(cudaEventRecord(work->reached[i], work->streams[i]), reterr);
		CUDA_TRY(cudaStreamWaitEvent(work->streams[0], work->reached[i], 0), reterr);
	}
	CUDA_TRY(cudaMemsetAsync(work->block, 0, l->bytes[BLOCK_WORK], work->streams[0]), reterr);
	CUDA_TRY(cudaEventRecord(work->reached[0], work->streams[0]), reterr);
	for (i = 1; i < l->nr_lanes; i++)
		CUDA_TRY(cudaStreamWaitEvent(work->streams[i], work->reached[0], 0), reterr);
	return work_drain(work, reterr);
}

static int wipe_now(struct cuda_work *work, struct lull_error *reterr)
{
	const struct layout *l = &work->key->layout;

	for (unsigned int i = 0; i < l->nr_lanes; i++)
		CUDA_TRY(cudaStreamSynchronize(work->streams[i]), reterr);
	CUDA_TRY(cudaMemsetAsync(work->block, 0, l->bytes[BLOCK_WORK], work->streams[0]), reterr);
	CUDA_TRY(cudaStreamSynchronize(work->streams[0]), reterr);
	return LULL_OK;
}

/* What cannot be queued is done at once.  Behind it are @nr_left proofs, which may leave
 * something again. */
static int wipe(struct cuda_work *work, unsigned int nr_left, struct lull_error *reterr)
{
	if (queue_wipe(work, NULL)) {
		/* That must not show as the error of a launch. */
		cudaGetLastError();
		LULL_TRY(wipe_now(work, reterr));
	}
	pthread_mutex_lock(&work->key->lock);
	work->nr_left = nr_left;
	pthread_mutex_unlock(&work->key->lock);
	return LULL_OK;
}

/* Fewer proofs compute in the first one; or as many, and it has more to be
 * written over. */
static bool is_before(const struct cuda_work *first, const struct cuda_work *second)
{
	if (first->nr_users != second->nr_users)
		return first->nr_users < second->nr_users;
	return first->nr_left > second->nr_left;
}

/* The first one that nobody enqueues to. */
static struct cuda_work *find_free(struct cuda_key *key)
{
	struct cuda_work *work, *best = NULL;

	for (work = key->works; work < key->works + key->nr_works; work++)
		if (!work->taken && (!best || is_before(work, best)))
			best = work;
	return best;
}

int work_take(struct cuda_seat *seat, struct lull_error *reterr)
{
	struct cuda_key *key = seat->key;
	struct cuda_work *work;
	bool is_full;

	pthread_mutex_lock(&key->lock);
	while (!(work = find_free(key)))
		pthread_cond_wait(&key->handed_on, &key->lock);
	work->taken = true;
	work->nr_users++;
	is_full = work->nr_left == nr_left_max;
	if (!is_full)
		work->nr_left++;
	seat->work = work;
	pthread_mutex_unlock(&key->lock);
	seat->holds = true;
	seat->marked = false;
	if (is_full)
		LULL_TRY(wipe(work, 1, reterr));
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

/* Proofs that are under way and have nothing to compute with yet. */
static unsigned int nr_coming(const struct cuda_key *key)
{
	unsigned int nr = key->nr_waiting;

	for (unsigned int i = 0; i < key->nr_seats; i++)
		nr += key->seats[i].taken && !key->seats[i].left && !key->seats[i].work;
	return nr;
}

/* Works that are to be wiped, taken for that: in which nobody computes, and which no
 * proof that left before is wiping, but for as many as proofs are at hand to, which
 * take these first (is_before()). */
static unsigned int take_left(struct cuda_key *key, struct cuda_work *ret_works[nr_works_max])
{
	unsigned int nr_kept = nr_coming(key), nr = 0, i;

	for (i = 0; i < key->nr_works; i++) {
		if (!key->works[i].nr_left || key->works[i].nr_users || key->works[i].taken)
			continue;
		if (nr_kept) {
			nr_kept--;
			continue;
		}
		key->works[i].taken = true;
		ret_works[nr++] = &key->works[i];
	}
	return nr;
}

int work_leave(struct cuda_seat *seat, struct lull_error *reterr)
{
	struct cuda_work *works[nr_works_max];
	unsigned int nr, i;
	int err = LULL_OK, rc;

	pthread_mutex_lock(&seat->key->lock);
	if (seat->work)
		seat->work->nr_users--;
	seat->work = NULL;
	seat->left = true;
	nr = take_left(seat->key, works);
	pthread_mutex_unlock(&seat->key->lock);
	for (i = 0; i < nr; i++) {
		rc = wipe(works[i], 0, err ? NULL : reterr);
		err = err ? err : rc;
		put(works[i]);
	}
	return err;
}

} /* namespace lull */
