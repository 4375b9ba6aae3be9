// SPDX-License-Identifier: Apache-2.0
/*
 * stages.cu - the stages of a proof, and what becomes of their sums
 *
 * See key.cuh.
 */
#include <string.h>

#include "check.cuh"
#include "key.cuh"

namespace lull
{

constexpr double ns_per_ms = 1e6;
/* Lists of ones and of others pay when so much of a witness is neither: below
 * three quarters. */
constexpr size_t dense_num = 3, dense_den = 4;

/* A proof's host scratch: where each sum goes. */
struct cuda_proof {
	uint8_t *ret_points[NR_SECTIONS];
};

static uint8_t *ones_sums(const struct cuda_key *key, unsigned int id)
{
	const struct section *s = &key->layout.sections[id];

	return key->sums[id] + s->nr_chunks * s->sum->sums_bytes;
}

static uint32_t nr_ones(const struct cuda_key *key)
{
	return key->counts[0];
}

static uint32_t nr_others(const struct cuda_key *key)
{
	return key->counts[1];
}

/* Are the lists worth while for this section? */
static bool has_lists(const struct cuda_key *key, unsigned int id)
{
	return id != SECTION_H && !key->layout.sections[id].streamed &&
	       nr_others(key) <= key->layout.arrays.nr_vars / dense_den * dense_num;
}

size_t stages_scratch_bytes(const void *key, unsigned int nr_threads)
{
	(void)key, (void)nr_threads;
	return sizeof(struct cuda_proof);
}

static uint8_t *at(const struct cuda_key *key, const struct part &part)
{
	return key->proof_block + part.at;
}

static cudaStream_t stream_of(const struct cuda_key *key, unsigned int lane)
{
	return key->streams[key->layout.nr_lanes == 1 ? 0 : lane];
}

static int load(struct cuda_key *key, const struct lull_stage_args *args, struct lull_error *reterr)
{
	const struct layout *l = &key->layout;
	unsigned int i;

	LULL_TRY(device_use(key->device, reterr));
	CUDA_TRY(cudaEventRecord(key->begun[LULL_STAGE_LOAD], key->streams[0]), reterr);
	LULL_TRY(staging_upload(&key->staging, key->device, l->arrays.arena, at(key, l->witness),
				args->witness, l->arrays.nr_vars * scalar_bytes, args->workers,
				key->streams[0], reterr));
	key->counted = false;
	LULL_TRY(l->curve->classify(at(key, l->witness), l->arrays.nr_vars,
				    (uint32_t *)at(key, l->ones), (uint32_t *)at(key, l->others),
				    key->counts, at(key, l->scratch0), key->streams[0], reterr));
	CUDA_TRY(cudaEventRecord(key->ended[LULL_STAGE_LOAD], key->streams[0]), reterr);
	for (i = 1; i < l->nr_lanes; i++)
		CUDA_TRY(cudaStreamWaitEvent(key->streams[i], key->ended[LULL_STAGE_LOAD], 0),
			 reterr);
	return LULL_OK;
}

/* Brings pinned memory, with zeros before it, into the buffer of a turn once that
 * was drained; lane 0 goes on when it has come. */
static int fill_buffer(struct cuda_key *key, unsigned int turn, uint8_t *buffer, size_t zeros,
		       const uint8_t *from, size_t bytes, struct lull_error *reterr)
{
	CUDA_TRY(cudaStreamWaitEvent(key->copy_stream, key->drained[turn], 0), reterr);
	if (zeros)
		CUDA_TRY(cudaMemsetAsync(buffer, 0, zeros, key->copy_stream), reterr);
	LULL_TRY(pinned_copy(key->device, key->layout.arrays.arena, buffer + zeros, from, bytes,
			     key->copy_stream, reterr));
	CUDA_TRY(cudaEventRecord(key->filled[turn], key->copy_stream), reterr);
	CUDA_TRY(cudaStreamWaitEvent(key->streams[0], key->filled[turn], 0), reterr);
	return LULL_OK;
}

/* Lane 0 has no more use for the buffers. */
static int drain_buffers(struct cuda_key *key, struct lull_error *reterr)
{
	for (cudaEvent_t drained : key->drained)
		CUDA_TRY(cudaEventRecord(drained, key->streams[0]), reterr);
	return LULL_OK;
}

static int run_block(struct cuda_key *key, size_t i, const uint8_t *block,
		     struct lull_error *reterr)
{
	const struct layout *l = &key->layout;

	return l->curve->spmv(&key->matrices, i, key->key_block + l->matrices.at, block,
			      at(key, l->witness), at(key, l->a), at(key, l->b),
			      at(key, l->scratch0), key->streams[0], reterr);
}

/* While one block of rows is multiplied, the next one comes. */
static int run_streamed_spmv(struct cuda_key *key, struct lull_error *reterr)
{
	const struct spmv_plan *m = &key->matrices;
	unsigned int turn;
	uint8_t *buffer;
	size_t i;

	/* What lies there until now is other stages' scratch. */
	LULL_TRY(drain_buffers(key, reterr));
	for (i = 0; i < m->nr_blocks; i++) {
		turn = i % 2;
		buffer = at(key, key->layout.matrix_buffers[turn]);
		LULL_TRY(fill_buffer(key, turn, buffer, 0, key->rows.ptr + m->blocks[i].at,
				     m->blocks[i].host_bytes, reterr));
		LULL_TRY(key->layout.curve->spmv_prepare_block(m, i, buffer, key->streams[0],
							       reterr));
		LULL_TRY(run_block(key, i, buffer, reterr));
		CUDA_TRY(cudaEventRecord(key->drained[turn], key->streams[0]), reterr);
	}
	return LULL_OK;
}

static int run_spmv(struct cuda_key *key, struct lull_error *reterr)
{
	const struct layout *l = &key->layout;

	LULL_TRY(spmv_begin(&key->matrices, at(key, l->witness), at(key, l->scratch0),
			    key->streams[0], reterr));
	if (l->matrices_streamed)
		return run_streamed_spmv(key, reterr);
	return run_block(key, 0, key->key_block + l->matrices.at + key->matrices.dictionary_bytes,
			 reterr);
}

static int run_quotient(struct cuda_key *key, struct lull_error *reterr)
{
	const struct layout *l = &key->layout;

	return l->curve->quotient(key->state, at(key, l->a), at(key, l->b), at(key, l->scratch0),
				  key->streams[0], reterr);
}

/* Brings chunk i of a streamed section into a buffer and makes a table of it. */
static int fill_chunk(struct cuda_key *key, unsigned int id, unsigned int i,
		      const struct msm_plan *plan, struct lull_error *reterr)
{
	const struct section *s = &key->layout.sections[id];
	size_t first = i * s->chunk, nr = plan->shape.nr_points, missing = 0, from = 0;
	uint8_t *buffer = at(key, key->layout.buffers[i % 2]);

	if (first < s->nr_missing)
		missing = s->nr_missing - first < nr ? s->nr_missing - first : nr;
	else
		from = first - s->nr_missing;
	LULL_TRY(fill_buffer(key, i % 2, buffer, missing * s->sum->point_bytes,
			     key->points[id] + from * s->sum->point_bytes,
			     (nr - missing) * s->sum->point_bytes, reterr));
	return s->sum->prepare(plan, buffer, key->streams[0], reterr);
}

/* While one buffer is worked on, the other is filled. */
static int run_streamed(struct cuda_key *key, unsigned int id, const uint8_t *scalars,
			struct lull_error *reterr)
{
	const struct layout *l = &key->layout;
	const struct section *s = &l->sections[id];
	const struct msm_plan *plan;
	unsigned int i;

	for (i = 0; i < s->nr_chunks; i++) {
		plan = i + 1 < s->nr_chunks ? &s->plan : &s->last_plan;
		LULL_TRY(fill_chunk(key, id, i, plan, reterr));
		LULL_TRY(s->sum->run(
			plan, at(key, l->buffers[i % 2]), scalars + i * s->chunk * scalar_bytes,
			NULL, plan->shape.nr_points, at(key, l->sum_scratch[0]),
			key->sums[id] + i * s->sum->sums_bytes, key->streams[0], reterr));
		CUDA_TRY(cudaEventRecord(key->drained[i % 2], key->streams[0]), reterr);
	}
	return LULL_OK;
}

/* How much of the witness is ones, and how much is neither 0 nor 1. */
static int wait_for_counts(struct cuda_key *key, struct lull_error *reterr)
{
	if (!key->counted)
		CUDA_TRY(cudaEventSynchronize(key->ended[LULL_STAGE_LOAD]), reterr);
	key->counted = true;
	return LULL_OK;
}

static int run_sum(struct cuda_key *key, unsigned int id, cudaStream_t stream,
		   struct lull_error *reterr)
{
	const struct layout *l = &key->layout;
	const struct section *s = &l->sections[id];
	const uint8_t *scalars = at(key, id == SECTION_H ? l->a : l->witness);
	uint8_t *scratch = at(key, l->sum_scratch[l->nr_lanes == 1 ? 0 : s->lane]);
	const uint8_t *table = key->key_block + s->table.at;

	if (s->streamed)
		return run_streamed(key, id, scalars, reterr);
	LULL_TRY(wait_for_counts(key, reterr));
	if (!has_lists(key, id))
		return s->sum->run(&s->plan, table, scalars, NULL, s->nr, scratch, key->sums[id],
				   stream, reterr);
	if (nr_others(key))
		LULL_TRY(s->sum->run(&s->plan, table, scalars, (const uint32_t *)at(key, l->others),
				     nr_others(key), scratch, key->sums[id], stream, reterr));
	/* There is one at least: the constant wire. */
	return s->sum->run_ones(&s->plan, table, (const uint32_t *)at(key, l->ones), nr_ones(key),
				scratch, ones_sums(key, id), stream, reterr);
}

/* The sum that a stage is, or NR_SECTIONS. */
static unsigned int section_of(enum lull_stage stage)
{
	switch (stage) {
	case LULL_STAGE_MSM_A:
		return SECTION_A;
	case LULL_STAGE_MSM_B1:
		return SECTION_B1;
	case LULL_STAGE_MSM_B2:
		return SECTION_B2;
	case LULL_STAGE_MSM_L:
		return SECTION_L;
	case LULL_STAGE_MSM_H:
		return SECTION_H;
	default:
		return NR_SECTIONS;
	}
}

static int run_stage(struct cuda_key *key, enum lull_stage stage,
		     const struct lull_stage_args *args, struct lull_error *reterr)
{
	struct cuda_proof *proof = (struct cuda_proof *)args->scratch;
	unsigned int id = section_of(stage);
	cudaStream_t stream = stream_of(key, id == NR_SECTIONS ? 0 : key->layout.sections[id].lane);

	LULL_TRY(device_use(key->device, reterr));
	CUDA_TRY(cudaEventRecord(key->begun[stage], stream), reterr);
	if (stage == LULL_STAGE_SPMV) {
		LULL_TRY(run_spmv(key, reterr));
	} else if (stage == LULL_STAGE_H) {
		LULL_TRY(run_quotient(key, reterr));
	} else {
		proof->ret_points[id] = args->ret_point;
		LULL_TRY(run_sum(key, id, stream, reterr));
	}
	CUDA_TRY(cudaEventRecord(key->ended[stage], stream), reterr);
	return LULL_OK;
}

/* What is left of a witness is overwritten: on the host now, on the device
 * before anything that comes later. */
static void retire(struct cuda_key *key, struct lull_workers *workers)
{
	unsigned int i;

	if (device_use(key->device, NULL))
		return;
	for (i = 0; i < key->layout.nr_lanes; i++)
		cudaStreamSynchronize(key->streams[i]);
	cudaMemsetAsync(key->proof_block, 0, key->layout.proof_bytes, key->streams[0]);
	/* The next proof's copies must not come before that is done. */
	drain_buffers(key, NULL);
	staging_wipe(&key->staging, key->device, workers);
	for (i = 0; i < NR_SECTIONS; i++)
		explicit_bzero(key->sums[i], sums_bytes(&key->layout.sections[i]));
}

/* After an error that is the device's, its memory and its context are in
 * doubt: nothing runs on it any more. */
static int judge(struct cuda_key *key, int err)
{
	if (err == LULL_DEVICE)
		device_fail(key->device);
	return err;
}

int stages_run(void *opaque, enum lull_stage stage, const struct lull_stage_args *args,
	       struct lull_error *reterr)
{
	struct cuda_key *key = (struct cuda_key *)opaque;
	int err;

	switch (stage) {
	case LULL_STAGE_LOAD:
		pthread_mutex_lock(&key->lock);
		err = device_check(key->device, reterr);
		if (!err)
			err = judge(key, load(key, args, reterr));
		if (err) {
			/* The device may be reading the witness. */
			cudaStreamSynchronize(key->streams[0]);
			pthread_mutex_unlock(&key->lock);
		}
		return err;
	case LULL_STAGE_RETIRE:
		retire(key, args->workers);
		pthread_mutex_unlock(&key->lock);
		return LULL_OK;
	default:
		return judge(key, run_stage(key, stage, args, reterr));
	}
}

static int read_spans(const struct cuda_key *key, struct lull_backend_span *spans,
		      struct lull_error *reterr)
{
	float start_ms, ms;
	unsigned int i;

	for (i = LULL_STAGE_LOAD; i < nr_span_stages; i++) {
		CUDA_TRY(
			cudaEventElapsedTime(&start_ms, key->begun[LULL_STAGE_LOAD], key->begun[i]),
			reterr);
		CUDA_TRY(cudaEventElapsedTime(&ms, key->begun[i], key->ended[i]), reterr);
		spans[i].start_ns = (uint64_t)(start_ms * ns_per_ms);
		spans[i].ns = (uint64_t)(ms * ns_per_ms);
	}
	return LULL_OK;
}

/* On the host: what a section's runs left becomes its point. */
struct gather_job {
	const struct cuda_key *key;
	const struct cuda_proof *proof;
};

static void gather_task(void *arg, size_t task, unsigned int slot)
{
	const struct gather_job *job = (const struct gather_job *)arg;
	const struct cuda_key *key = job->key;
	const struct section *s = &key->layout.sections[task];
	unsigned int id = (unsigned int)task, nr = s->nr_chunks, i;
	alignas(part_align) uint8_t acc[acc_bytes] = {};

	(void)slot;
	if (has_lists(key, id)) {
		nr = nr_others(key) ? 1 : 0;
		s->sum->gather(&s->plan, ones_sums(key, id), true, acc);
	}
	for (i = 0; i < nr; i++)
		s->sum->gather(i + 1 < s->nr_chunks ? &s->plan : &s->last_plan,
			       key->sums[id] + i * s->sum->sums_bytes, false, acc);
	s->sum->finish(acc, job->proof->ret_points[id]);
	explicit_bzero(acc, sizeof(acc));
}

static int collect(struct cuda_key *key, const struct lull_stage_args *args,
		   struct lull_backend_span *spans, struct lull_error *reterr)
{
	struct gather_job job = { key, (const struct cuda_proof *)args->scratch };
	unsigned int i;

	LULL_TRY(device_use(key->device, reterr));
	for (i = 0; i < key->layout.nr_lanes; i++)
		CUDA_TRY(cudaStreamSynchronize(key->streams[i]), reterr);
	/* The counts are there too, whether anything waited for them or not. */
	key->device->opts.host->workers_run(args->workers, NR_SECTIONS, gather_task, &job);
	return read_spans(key, spans, reterr);
}

int stages_wait(void *opaque, const struct lull_stage_args *args, struct lull_backend_span *spans,
		struct lull_error *reterr)
{
	struct cuda_key *key = (struct cuda_key *)opaque;

	return judge(key, collect(key, args, spans, reterr));
}

} /* namespace lull */
