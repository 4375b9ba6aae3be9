// SPDX-License-Identifier: Apache-2.0
/*
 * key.cu - a key is planned, allocated and uploaded
 *
 * See key.cuh.
 */
#include "key.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "check.cuh"

extern "C" {
#include "base/base.h"
}

namespace lull
{

/* Counts what the key could do without, or no longer. */
static void count_optional(struct cuda_key *key, uint64_t bytes)
{
	pthread_mutex_lock(&key->device->lock);
	key->device->optional_bytes += bytes - key->optional_bytes;
	pthread_mutex_unlock(&key->device->lock);
	key->optional_bytes = bytes;
}

void key_detach(void *opaque)
{
	struct cuda_key *key = (struct cuda_key *)opaque;
	unsigned int i;

	if (!key)
		return;
	count_optional(key, 0);
	/* On a device that failed all of this is refused, and does no harm. */
	device_use(key->device, NULL);
	cudaDeviceSynchronize();
	for (i = 0; i < nr_seats_max; i++)
		seat_destroy(&key->seats[i]);
	for (i = 0; i < nr_works_max; i++)
		work_destroy(&key->works[i]);
	for (i = 0; i < NR_SECTIONS; i++)
		pinned_give(key->device, &key->pinned[i]);
	pinned_give(key->device, &key->rows);
	device_free(key->device, key->block, key->layout.bytes[BLOCK_KEY]);
	dense_done(&key->dense);
	spmv_plan_done(&key->matrices);
	free(key->state);
	pthread_cond_destroy(&key->handed_on);
	pthread_cond_destroy(&key->freed);
	pthread_mutex_destroy(&key->lock);
	delete key;
}

/* Copies points of a streamed section into pinned memory, over all threads. */
struct pin_job {
	uint8_t *to;
	const uint8_t *from;
	size_t bytes, bytes_per_task;
};

constexpr size_t pin_bytes = (size_t)4 << 20;

static void pin_task(void *arg, size_t task, unsigned int slot)
{
	const struct pin_job *job = (const struct pin_job *)arg;
	size_t first = task * job->bytes_per_task;
	size_t left = job->bytes - first;

	(void)slot;
	memcpy(job->to + first, job->from + first,
	       left < job->bytes_per_task ? left : job->bytes_per_task);
}

/* Points of a streamed section stay where they are, if the device reads there. */
static int pin_section(struct cuda_key *key, unsigned int id, struct lull_workers *workers,
		       struct lull_error *reterr)
{
	const struct section *s = &key->layout.sections[id];
	struct lull_arena *arena = key->layout.arrays.arena;
	struct pin_job job = { NULL, s->points, (s->nr - s->nr_missing) * s->sum->point_bytes,
			       pin_bytes };

	key->points[id] = s->points;
	if (pinned_whole(key->device, arena, s->points, job.bytes))
		return LULL_OK;
	LULL_TRY(pinned_take(key->device, arena, job.bytes, "points of a key", &key->pinned[id],
			     reterr));
	job.to = key->pinned[id].ptr;
	key->points[id] = job.to;
	key->device->opts.host->workers_run(workers, (job.bytes + pin_bytes - 1) / pin_bytes,
					    pin_task, &job);
	return LULL_OK;
}

/* The key goes up on the stream of the first seat. */
static cudaStream_t way_up(const struct cuda_key *key)
{
	return key->seats[0].up;
}

static int bring(struct cuda_key *key, void *to, const void *from, size_t bytes,
		 struct lull_workers *workers, struct lull_error *reterr)
{
	return staging_upload(&key->seats[0].staging, key->device, key->layout.arrays.arena, to,
			      from, bytes, workers, way_up(key), reterr);
}

/* The points of a table: of some wires, or of all but the first ones. */
static int bring_points(struct cuda_key *key, const struct section *s, uint8_t *table,
			struct lull_workers *workers, struct lull_error *reterr)
{
	const struct kept_points kept = { s->points, s->sum->point_bytes, key->dense.bits[s->list],
					  key->layout.arrays.nr_vars };
	size_t missing = s->nr_missing * s->sum->point_bytes;

	if (key->layout.lists[s->list].of_key)
		return dense_upload(&kept, &key->seats[0].staging, key->device, table, workers,
				    way_up(key), reterr);
	if (missing)
		CUDA_TRY(cudaMemsetAsync(table, 0, missing, way_up(key)), reterr);
	return bring(key, table + missing, s->points, s->nr * s->sum->point_bytes - missing,
		     workers, reterr);
}

/* A section's points go up, and become a table where they lie. */
static int upload_section(struct cuda_key *key, unsigned int id, struct lull_workers *workers,
			  struct lull_error *reterr)
{
	const struct section *s = &key->layout.sections[id];
	uint8_t *table = key->block + s->table.at;

	if (!s->nr)
		return LULL_OK;
	if (s->streamed)
		return pin_section(key, id, workers, reterr);
	LULL_TRY(bring_points(key, s, table, workers, reterr));
	return s->sum->prepare(&s->plan, table, way_up(key), reterr);
}

/* Which wires have points in A, and in B, as far as that is the key's to say. */
static int upload_bits(struct cuda_key *key, struct lull_workers *workers,
		       struct lull_error *reterr)
{
	const struct layout *l = &key->layout;

	for (unsigned int id = 0; id < NR_LISTS; id++)
		if (l->lists[id].used && l->lists[id].of_key)
			LULL_TRY(bring(key, key->block + l->lists[id].bits.at, key->dense.bits[id],
				       layout_bits_bytes(l), workers, reterr));
	return LULL_OK;
}

static struct spmv_records records_of(const struct lull_key_arrays *arrays)
{
	return { arrays->coefs, arrays->nr_coefs, &arrays->csr };
}

/* The shared coefficients go up, and the rows unless they are streamed. */
static int upload_rows(struct cuda_key *key, struct lull_workers *workers,
		       struct lull_error *reterr)
{
	const struct curve_ops *curve = key->layout.curve;
	const struct spmv_plan *m = &key->matrices;
	uint8_t *dictionary = key->block + key->layout.matrices.at;
	uint8_t *rows = dictionary + m->dictionary_bytes;

	LULL_TRY(bring(key, dictionary, key->rows.ptr, m->nr_coefs * scalar_bytes, workers,
		       reterr));
	LULL_TRY(curve->spmv_prepare(m, dictionary, way_up(key), reterr));
	if (key->layout.matrices_streamed)
		return LULL_OK;
	LULL_TRY(bring(key, rows, key->rows.ptr + m->blocks[0].at, m->blocks[0].host_bytes, workers,
		       reterr));
	return curve->spmv_prepare_block(m, 0, rows, way_up(key), reterr);
}

static int upload_matrices(struct cuda_key *key, struct lull_workers *workers,
			   struct lull_error *reterr)
{
	const struct lull_key_arrays *arrays = &key->layout.arrays;
	const struct spmv_records records = records_of(arrays);
	const char *what = "matrices of a key";
	struct spmv_plan *m = &key->matrices;

	/* To go up once, memory need not be pinned. */
	if (key->layout.matrices_streamed)
		LULL_TRY(pinned_take(key->device, arrays->arena, m->host_bytes, what, &key->rows,
				     reterr));
	else
		LULL_TRY(key->device->opts.host->arena_carve(arrays->arena, m->host_bytes, 0, what,
							     &key->rows.vec, reterr));
	if (key->rows.vec.ptr)
		key->rows.ptr = (uint8_t *)key->rows.vec.ptr;
	LULL_TRY(spmv_fill(m, &records, workers, key->rows.ptr, reterr));
	return upload_rows(key, workers, reterr);
}

static int upload(struct cuda_key *key, struct lull_workers *workers, struct lull_error *reterr)
{
	const struct layout *l = &key->layout;
	unsigned int i;

	for (i = 0; i < NR_SECTIONS; i++)
		LULL_TRY(upload_section(key, i, workers, reterr));
	LULL_TRY(upload_bits(key, workers, reterr));
	if (l->arrays.assigned)
		LULL_TRY(l->curve->coefs_make(key->state, l->arrays.log2_domain,
					      key->block + l->coefs.at, way_up(key), reterr));
	else
		LULL_TRY(upload_matrices(key, workers, reterr));
	LULL_TRY(l->curve->tables_make(key->state, l->arrays.log2_domain, key->block + l->tables.at,
				       way_up(key), reterr));
	CUDA_TRY(cudaStreamSynchronize(way_up(key)), reterr);
	dense_done(&key->dense);
	if (!l->matrices_streamed)
		pinned_give(key->device, &key->rows);
	return LULL_OK;
}

/* What the key may take: all that is left, or as much as was said. */
static uint64_t budget_of(const struct cuda_key *key)
{
	uint64_t left = device_left_bytes(key->device), most = key->device->opts.vram_key_bytes;

	return most && most < left ? most : left;
}

/* Behind the numbers of a plan that did not fit: what to say for it to fit. */
static void say_what_bounds(const struct cuda_key *key, uint64_t budget_bytes,
			    struct lull_error *reterr)
{
	struct device *device = key->device;
	uint64_t optional;
	size_t used;

	if (!reterr)
		return;
	used = strlen(reterr->msg);
	pthread_mutex_lock(&device->lock);
	optional = device->optional_bytes;
	pthread_mutex_unlock(&device->lock);
	if (budget_bytes && budget_bytes == device->opts.vram_key_bytes)
		snprintf(reterr->msg + used, sizeof(reterr->msg) - used,
			 ", which is vram_key_bytes");
	else if (optional)
		snprintf(reterr->msg + used, sizeof(reterr->msg) - used,
			 "; other keys have %llu in copies and for second proofs, which "
			 "vram_key_bytes of struct lull_ctx_opts bounds",
			 (unsigned long long)optional);
}

static int plan_key(struct cuda_key *key, const struct curve_ops *curve,
		    const struct lull_key_arrays *arrays, struct lull_workers *workers,
		    struct lull_error *reterr)
{
	const struct spmv_records records = records_of(arrays);
	struct spmv_plan *m = &key->matrices;
	struct layout *l = &key->layout;
	uint64_t budget_bytes = budget_of(key);
	struct matrices_bytes bytes;
	char text[320];
	int err;

	key->state = calloc(1, curve->state_bytes);
	if (!key->state)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a key");
	if (!arrays->assigned)
		LULL_TRY(spmv_plan_make(&records, arrays->log2_domain, arrays->nr_vars, workers, m,
					reterr));
	LULL_TRY(dense_find(curve, arrays, workers, &key->dense, reterr));
	bytes = { m->dictionary_bytes, m->block_bytes_max, m->row_bytes_max, m->scratch_bytes };
	err = layout_make(curve, arrays, &key->dense, &bytes, key->device->nr_sms, budget_bytes, l,
			  reterr);
	if (err == LULL_NOMEM)
		say_what_bounds(key, budget_bytes, reterr);
	if (err)
		return err;
	if (l->matrices_streamed)
		LULL_TRY(spmv_cut(m, l->block_bytes, reterr));
	l->nr_blocks = m->nr_blocks;
	layout_describe(l, text, sizeof(text));
	device_say(key->device, "cuda: GPU %d, %s", key->device->gpu, text);
	return LULL_OK;
}

/* Seats as planned, and then what they compute with. */
static int create_more(struct cuda_key *key, struct lull_error *reterr)
{
	while (key->nr_seats < key->layout.nr_seats) {
		LULL_TRY(seat_create(key, &key->seats[key->nr_seats], reterr));
		key->nr_seats++;
	}
	while (key->nr_works < key->layout.nr_works) {
		LULL_TRY(work_create(key, &key->works[key->nr_works], reterr));
		key->nr_works++;
	}
	return LULL_OK;
}

/* What was free when it was planned may not be now: one of each must be there,
 * more are had while there is memory. */
static int create_seats(struct cuda_key *key, struct lull_error *reterr)
{
	struct lull_error why = {};
	int err;

	LULL_TRY(work_create(key, &key->works[0], reterr));
	key->nr_works = 1;
	LULL_TRY(seat_create(key, &key->seats[0], reterr));
	key->nr_seats = 1;
	err = create_more(key, &why);
	if (err == LULL_NOMEM) {
		/* What is done without must not show as the error of a launch. */
		cudaGetLastError();
		/* One of them was begun, the other not. */
		if (key->nr_seats < nr_seats_max)
			seat_destroy(&key->seats[key->nr_seats]);
		if (key->nr_works < nr_works_max)
			work_destroy(&key->works[key->nr_works]);
		device_say(key->device,
			   "cuda: GPU %d, %u proofs at a time, %u of them computing: %s",
			   key->device->gpu, key->nr_seats, key->nr_works, why.msg);
		return LULL_OK;
	}
	if (err && reterr)
		*reterr = why;
	return err;
}

static int fill_key(struct cuda_key *key, const struct curve_ops *curve,
		    const struct lull_key_arrays *arrays, struct lull_workers *workers,
		    struct lull_error *reterr)
{
	LULL_TRY(device_use(key->device, reterr));
	LULL_TRY(plan_key(key, curve, arrays, workers, reterr));
	LULL_TRY(device_alloc(key->device, key->layout.bytes[BLOCK_KEY], "key",
			      (void **)&key->block, reterr));
	LULL_TRY(create_seats(key, reterr));
	device_plans_proofs(key->device, layout_proof_bytes(&key->layout));
	count_optional(key,
		       layout_optional_bytes(&key->layout, key->nr_seats, key->nr_works));
	return upload(key, workers, reterr);
}

int key_attach(const struct curve_ops *curve, void *device, const struct lull_key_arrays *arrays,
	       struct lull_workers *workers, void **ret_key, struct lull_error *reterr)
{
	struct cuda_key *key;
	int err;

	key = new (std::nothrow) struct cuda_key();
	if (!key)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a key");
	key->device = (struct device *)device;
	pthread_mutex_init(&key->lock, NULL);
	pthread_cond_init(&key->freed, NULL);
	pthread_cond_init(&key->handed_on, NULL);
	err = fill_key(key, curve, arrays, workers, reterr);
	if (err) {
		key_detach(key);
		return err;
	}
	*ret_key = key;
	return LULL_OK;
}

} /* namespace lull */
