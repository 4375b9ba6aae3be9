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

static uint8_t *ones_sums(const struct cuda_seat *seat, unsigned int id)
{
	const struct section *s = &seat->key->layout.sections[id];

	return seat->sums[id] + s->nr_chunks * s->sum->sums_bytes;
}

static uint32_t nr_ones(const struct cuda_seat *seat)
{
	return seat->counts[0];
}

static uint32_t nr_others(const struct cuda_seat *seat)
{
	return seat->counts[1];
}

/* Are the lists worth while for this section? */
static bool has_lists(const struct cuda_seat *seat, unsigned int id)
{
	return id != SECTION_H && !seat->key->layout.sections[id].streamed &&
	       nr_others(seat) <= seat->key->layout.arrays.nr_vars / dense_den * dense_num;
}

size_t stages_scratch_bytes(const void *key, unsigned int nr_threads)
{
	(void)key, (void)nr_threads;
	return sizeof(struct cuda_seat *);
}

static uint8_t *at(const struct cuda_seat *seat, const struct part &part)
{
	return seat->block + part.at;
}

static cudaStream_t stream_of(const struct cuda_seat *seat, unsigned int lane)
{
	return seat->streams[seat->key->layout.nr_lanes == 1 ? 0 : lane];
}

static int load(struct cuda_seat *seat, const struct lull_stage_args *args,
		struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;
	unsigned int i;

	LULL_TRY(device_use(seat->key->device, reterr));
	CUDA_TRY(cudaEventRecord(seat->begun[LULL_STAGE_LOAD], seat->streams[0]), reterr);
	LULL_TRY(staging_upload(&seat->staging, seat->key->device, l->arrays.arena,
				at(seat, l->witness), args->witness,
				l->arrays.nr_vars * scalar_bytes, args->workers, seat->streams[0],
				reterr));
	seat->counted = false;
	LULL_TRY(l->curve->classify(at(seat, l->witness), l->arrays.nr_vars,
				    (uint32_t *)at(seat, l->ones), (uint32_t *)at(seat, l->others),
				    seat->counts, at(seat, l->scratch0), seat->streams[0], reterr));
	CUDA_TRY(cudaEventRecord(seat->ended[LULL_STAGE_LOAD], seat->streams[0]), reterr);
	for (i = 1; i < l->nr_lanes; i++)
		CUDA_TRY(cudaStreamWaitEvent(seat->streams[i], seat->ended[LULL_STAGE_LOAD], 0),
			 reterr);
	return LULL_OK;
}

/* Brings pinned memory, with zeros before it, into the buffer of a turn once that
 * was drained; lane 0 goes on when it has come. */
static int fill_buffer(struct cuda_seat *seat, unsigned int turn, uint8_t *buffer, size_t zeros,
		       const uint8_t *from, size_t bytes, struct lull_error *reterr)
{
	CUDA_TRY(cudaStreamWaitEvent(seat->copy_stream, seat->drained[turn], 0), reterr);
	if (zeros)
		CUDA_TRY(cudaMemsetAsync(buffer, 0, zeros, seat->copy_stream), reterr);
	LULL_TRY(pinned_copy(seat->key->device, seat->key->layout.arrays.arena, buffer + zeros,
			     from, bytes, seat->copy_stream, reterr));
	CUDA_TRY(cudaEventRecord(seat->filled[turn], seat->copy_stream), reterr);
	CUDA_TRY(cudaStreamWaitEvent(seat->streams[0], seat->filled[turn], 0), reterr);
	return LULL_OK;
}

/* Lane 0 has no more use for the buffers. */
static int drain_buffers(struct cuda_seat *seat, struct lull_error *reterr)
{
	for (cudaEvent_t drained : seat->drained)
		CUDA_TRY(cudaEventRecord(drained, seat->streams[0]), reterr);
	return LULL_OK;
}

static int run_block(struct cuda_seat *seat, size_t i, const uint8_t *block,
		     struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;

	return l->curve->spmv(&seat->key->matrices, i, seat->key->block + l->matrices.at, block,
			      at(seat, l->witness), at(seat, l->a), at(seat, l->b),
			      at(seat, l->scratch0), seat->streams[0], reterr);
}

/* While one block of rows is multiplied, the next one comes. */
static int run_streamed_spmv(struct cuda_seat *seat, struct lull_error *reterr)
{
	const struct spmv_plan *m = &seat->key->matrices;
	unsigned int turn;
	uint8_t *buffer;
	size_t i;

	/* What lies there until now is other stages' scratch. */
	LULL_TRY(drain_buffers(seat, reterr));
	for (i = 0; i < m->nr_blocks; i++) {
		turn = i % 2;
		buffer = at(seat, seat->key->layout.matrix_buffers[turn]);
		LULL_TRY(fill_buffer(seat, turn, buffer, 0, seat->key->rows.ptr + m->blocks[i].at,
				     m->blocks[i].host_bytes, reterr));
		LULL_TRY(seat->key->layout.curve->spmv_prepare_block(m, i, buffer, seat->streams[0],
								     reterr));
		LULL_TRY(run_block(seat, i, buffer, reterr));
		CUDA_TRY(cudaEventRecord(seat->drained[turn], seat->streams[0]), reterr);
	}
	return LULL_OK;
}

static int run_spmv(struct cuda_seat *seat, struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;

	LULL_TRY(spmv_begin(&seat->key->matrices, at(seat, l->witness), at(seat, l->scratch0),
			    seat->streams[0], reterr));
	if (l->matrices_streamed)
		return run_streamed_spmv(seat, reterr);
	return run_block(seat, 0,
			 seat->key->block + l->matrices.at + seat->key->matrices.dictionary_bytes,
			 reterr);
}

static int run_quotient(struct cuda_seat *seat, struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;

	return l->curve->quotient(seat->key->state, at(seat, l->a), at(seat, l->b),
				  at(seat, l->scratch0), l->arrays.folded, seat->streams[0],
				  reterr);
}

/* Brings chunk i of a streamed section into a buffer and makes a table of it. */
static int fill_chunk(struct cuda_seat *seat, unsigned int id, unsigned int i,
		      const struct msm_plan *plan, struct lull_error *reterr)
{
	const struct section *s = &seat->key->layout.sections[id];
	size_t first = i * s->chunk, nr = plan->shape.nr_points, missing = 0, from = 0;
	uint8_t *buffer = at(seat, seat->key->layout.buffers[i % 2]);

	if (first < s->nr_missing)
		missing = s->nr_missing - first < nr ? s->nr_missing - first : nr;
	else
		from = first - s->nr_missing;
	LULL_TRY(fill_buffer(seat, i % 2, buffer, missing * s->sum->point_bytes,
			     seat->key->points[id] + from * s->sum->point_bytes,
			     (nr - missing) * s->sum->point_bytes, reterr));
	return s->sum->prepare(plan, buffer, seat->streams[0], reterr);
}

/* While one buffer is worked on, the other is filled. */
static int run_streamed(struct cuda_seat *seat, unsigned int id, const uint8_t *scalars,
			struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;
	const struct section *s = &l->sections[id];
	const struct msm_plan *plan;
	unsigned int i;

	for (i = 0; i < s->nr_chunks; i++) {
		plan = i + 1 < s->nr_chunks ? &s->plan : &s->last_plan;
		LULL_TRY(fill_chunk(seat, id, i, plan, reterr));
		LULL_TRY(s->sum->run(
			plan, at(seat, l->buffers[i % 2]), scalars + i * s->chunk * scalar_bytes,
			NULL, plan->shape.nr_points, at(seat, l->sum_scratch[0]),
			seat->sums[id] + i * s->sum->sums_bytes, seat->streams[0], reterr));
		CUDA_TRY(cudaEventRecord(seat->drained[i % 2], seat->streams[0]), reterr);
	}
	return LULL_OK;
}

/* How much of the witness is ones, and how much is neither 0 nor 1. */
static int wait_for_counts(struct cuda_seat *seat, struct lull_error *reterr)
{
	if (!seat->counted)
		CUDA_TRY(cudaEventSynchronize(seat->ended[LULL_STAGE_LOAD]), reterr);
	seat->counted = true;
	return LULL_OK;
}

static int run_sum(struct cuda_seat *seat, unsigned int id, cudaStream_t stream,
		   struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;
	const struct section *s = &l->sections[id];
	const uint8_t *scalars = at(seat, id == SECTION_H ? l->a : l->witness);
	uint8_t *scratch = at(seat, l->sum_scratch[l->nr_lanes == 1 ? 0 : s->lane]);
	const uint8_t *table = seat->key->block + s->table.at;

	if (s->streamed)
		return run_streamed(seat, id, scalars, reterr);
	LULL_TRY(wait_for_counts(seat, reterr));
	if (!has_lists(seat, id))
		return s->sum->run(&s->plan, table, scalars, NULL, s->nr, scratch, seat->sums[id],
				   stream, reterr);
	if (nr_others(seat))
		LULL_TRY(s->sum->run(&s->plan, table, scalars,
				     (const uint32_t *)at(seat, l->others), nr_others(seat),
				     scratch, seat->sums[id], stream, reterr));
	/* There is one at least: the constant wire. */
	return s->sum->run_ones(&s->plan, table, (const uint32_t *)at(seat, l->ones), nr_ones(seat),
				scratch, ones_sums(seat, id), stream, reterr);
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

static int run_stage(struct cuda_seat *seat, enum lull_stage stage,
		     const struct lull_stage_args *args, struct lull_error *reterr)
{
	unsigned int id = section_of(stage);
	cudaStream_t stream =
		stream_of(seat, id == NR_SECTIONS ? 0 : seat->key->layout.sections[id].lane);

	LULL_TRY(device_use(seat->key->device, reterr));
	CUDA_TRY(cudaEventRecord(seat->begun[stage], stream), reterr);
	if (stage == LULL_STAGE_SPMV) {
		LULL_TRY(run_spmv(seat, reterr));
	} else if (stage == LULL_STAGE_H) {
		LULL_TRY(run_quotient(seat, reterr));
	} else {
		seat->ret_points[id] = args->ret_point;
		LULL_TRY(run_sum(seat, id, stream, reterr));
	}
	CUDA_TRY(cudaEventRecord(seat->ended[stage], stream), reterr);
	return LULL_OK;
}

/* What is left of a witness is overwritten: on the host now, on the device
 * before anything that comes later.  A device that failed keeps what it has, and
 * gives it to nobody. */
static void retire(struct cuda_seat *seat)
{
	const struct layout *l = &seat->key->layout;
	unsigned int i;

	if (!device_use(seat->key->device, NULL)) {
		for (i = 0; i < l->nr_lanes; i++)
			cudaStreamSynchronize(seat->streams[i]);
		cudaMemsetAsync(seat->block, 0, l->proof_bytes, seat->streams[0]);
		/* The next proof's copies must not come before that is done. */
		drain_buffers(seat, NULL);
	}
	staging_wipe(&seat->staging);
	for (i = 0; i < NR_SECTIONS; i++)
		explicit_bzero(seat->sums[i], sums_bytes(&l->sections[i]));
}

/* After an error that is the device's, its memory and its context are in
 * doubt: nothing runs on it any more. */
static int judge(struct cuda_seat *seat, int err)
{
	if (err == LULL_DEVICE)
		device_fail(seat->key->device);
	return err;
}

/* Where a proof's scratch has its seat. */
static struct cuda_seat **seat_of(const struct lull_stage_args *args)
{
	return (struct cuda_seat **)args->scratch;
}

static int begin(struct cuda_key *key, const struct lull_stage_args *args,
		 struct lull_error *reterr)
{
	struct cuda_seat *seat = seat_take(key);
	int err = device_check(key->device, reterr);

	if (!err)
		err = judge(seat, load(seat, args, reterr));
	if (err) {
		/* The device may be reading the witness. */
		cudaStreamSynchronize(seat->streams[0]);
		seat_put(seat);
		return err;
	}
	*seat_of(args) = seat;
	return LULL_OK;
}

int stages_run(void *key, enum lull_stage stage, const struct lull_stage_args *args,
	       struct lull_error *reterr)
{
	struct cuda_seat *seat;

	if (stage == LULL_STAGE_LOAD)
		return begin((struct cuda_key *)key, args, reterr);
	seat = *seat_of(args);
	if (stage != LULL_STAGE_RETIRE)
		return judge(seat, run_stage(seat, stage, args, reterr));
	retire(seat);
	seat_put(seat);
	return LULL_OK;
}

static int read_spans(const struct cuda_seat *seat, struct lull_backend_span *spans,
		      struct lull_error *reterr)
{
	float start_ms, ms;
	unsigned int i;

	for (i = LULL_STAGE_LOAD; i < nr_span_stages; i++) {
		CUDA_TRY(cudaEventElapsedTime(&start_ms, seat->begun[LULL_STAGE_LOAD],
					      seat->begun[i]),
			 reterr);
		CUDA_TRY(cudaEventElapsedTime(&ms, seat->begun[i], seat->ended[i]), reterr);
		spans[i].start_ns = (uint64_t)(start_ms * ns_per_ms);
		spans[i].ns = (uint64_t)(ms * ns_per_ms);
	}
	return LULL_OK;
}

/* On the host: what a section's runs left becomes its point. */
static void gather_task(void *arg, size_t task, unsigned int slot)
{
	const struct cuda_seat *seat = (const struct cuda_seat *)arg;
	const struct section *s = &seat->key->layout.sections[task];
	unsigned int id = (unsigned int)task, nr = s->nr_chunks, i;
	alignas(part_align) uint8_t acc[acc_bytes] = {};

	(void)slot;
	if (has_lists(seat, id)) {
		nr = nr_others(seat) ? 1 : 0;
		s->sum->gather(&s->plan, ones_sums(seat, id), true, acc);
	}
	for (i = 0; i < nr; i++)
		s->sum->gather(i + 1 < s->nr_chunks ? &s->plan : &s->last_plan,
			       seat->sums[id] + i * s->sum->sums_bytes, false, acc);
	s->sum->finish(acc, seat->ret_points[id]);
	explicit_bzero(acc, sizeof(acc));
}

static int collect(struct cuda_seat *seat, const struct lull_stage_args *args,
		   struct lull_backend_span *spans, struct lull_error *reterr)
{
	unsigned int i;

	LULL_TRY(device_use(seat->key->device, reterr));
	for (i = 0; i < seat->key->layout.nr_lanes; i++)
		CUDA_TRY(cudaStreamSynchronize(seat->streams[i]), reterr);
	/* The counts are there too, whether anything waited for them or not. */
	seat->key->device->opts.host->workers_run(args->workers, NR_SECTIONS, gather_task, seat);
	return read_spans(seat, spans, reterr);
}

int stages_wait(void *key, const struct lull_stage_args *args, struct lull_backend_span *spans,
		struct lull_error *reterr)
{
	struct cuda_seat *seat = *seat_of(args);

	(void)key;
	return judge(seat, collect(seat, args, spans, reterr));
}

} /* namespace lull */
