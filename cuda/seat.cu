// SPDX-License-Identifier: Apache-2.0
/*
 * seat.cu - what one proof has for itself: made with the key, taken and freed
 *
 * See key.cuh.
 */
#include <time.h>

#include "check.cuh"
#include "key.cuh"

namespace lull
{

void seat_destroy(struct cuda_seat *seat)
{
	struct cuda_key *key = seat->key;
	unsigned int i;

	if (!key)
		return;
	staging_destroy(&seat->staging);
	if (seat->counts)
		cudaFreeHost(seat->counts);
	if (seat->places)
		cudaFreeHost(seat->places);
	for (i = 0; i < NR_SECTIONS; i++)
		if (seat->sums[i])
			cudaFreeHost(seat->sums[i]);
	events_destroy(seat->listed, NR_LISTS);
	events_destroy(seat->begun, nr_span_stages);
	events_destroy(seat->ended, nr_span_stages);
	events_destroy(seat->done, nr_lanes_max);
	if (seat->up)
		cudaStreamDestroy(seat->up);
	device_free(key->device, seat->block, key->layout.bytes[BLOCK_SEAT]);
	*seat = {};
}

static int create_events(struct cuda_seat *seat, struct lull_error *reterr)
{
	LULL_TRY(events_create(seat->begun, nr_span_stages, true, reterr));
	LULL_TRY(events_create(seat->ended, nr_span_stages, true, reterr));
	LULL_TRY(events_create(seat->done, nr_lanes_max, false, reterr));
	return events_create(seat->listed, NR_LISTS, false, reterr);
}

int seat_create(struct cuda_key *key, struct cuda_seat *seat, struct lull_error *reterr)
{
	const struct layout *l = &key->layout;
	unsigned int i;

	seat->key = key;
	LULL_TRY(device_alloc(key->device, l->bytes[BLOCK_SEAT], "witness of a proof",
			      (void **)&seat->block, reterr));
	CUDA_TRY(cudaStreamCreateWithFlags(&seat->up, cudaStreamNonBlocking), reterr);
	for (i = 0; i < NR_SECTIONS; i++)
		CUDA_TRY(cudaHostAlloc((void **)&seat->sums[i], sums_bytes(&l->sections[i]),
				       cudaHostAllocDefault),
			 reterr);
	CUDA_TRY(cudaHostAlloc((void **)&seat->counts, NR_LISTS * counts_bytes,
			       cudaHostAllocDefault),
		 reterr);
	if (l->map.bytes)
		CUDA_TRY(cudaHostAlloc((void **)&seat->places, witness_places_bytes(l),
				       cudaHostAllocDefault),
			 reterr);
	LULL_TRY(create_events(seat, reterr));
	return staging_create(&seat->staging, reterr);
}

static struct cuda_seat *find_free(struct cuda_key *key)
{
	for (unsigned int i = 0; i < key->nr_seats; i++)
		if (!key->seats[i].taken)
			return &key->seats[i];
	return NULL;
}

uint8_t *seat_at(const struct cuda_seat *seat, const struct part &part)
{
	switch (part.block) {
	case BLOCK_KEY:
		return seat->key->block + part.at;
	case BLOCK_SEAT:
		return seat->block + part.at;
	default:
		return seat->work->block + part.at;
	}
}

int seat_bring(struct cuda_seat *seat, const struct lull_stage_args *args, const struct part &to,
	       const void *from, size_t bytes, cudaStream_t stream, struct lull_error *reterr)
{
	return staging_upload(&seat->staging, seat->key->device, seat->key->layout.arrays.arena,
			      seat_at(seat, to), from, bytes, args->workers, stream, reterr);
}

static uint64_t now_ns(void)
{
	constexpr uint64_t ns_per_s = 1000000000;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * ns_per_s + (uint64_t)now.tv_nsec;
}

struct cuda_seat *seat_take(struct cuda_key *key)
{
	uint64_t start = now_ns();
	struct cuda_seat *seat;

	pthread_mutex_lock(&key->lock);
	key->nr_waiting++;
	while (!(seat = find_free(key)))
		pthread_cond_wait(&key->freed, &key->lock);
	key->nr_waiting--;
	seat->taken = true;
	seat->left = false;
	pthread_mutex_unlock(&key->lock);
	seat->waited_ns = now_ns() - start;
	return seat;
}

void seat_put(struct cuda_seat *seat)
{
	struct cuda_key *key = seat->key;

	pthread_mutex_lock(&key->lock);
	seat->taken = false;
	pthread_cond_signal(&key->freed);
	pthread_mutex_unlock(&key->lock);
}

} /* namespace lull */
