// SPDX-License-Identifier: Apache-2.0
/*
 * stages.cu - the stages of a proof, and what becomes of their sums
 *
 * See key.cuh.
 */
#include <string.h>

#include "check.cuh"
#include "classify.cuh"
#include "key.cuh"
#include "place.cuh"

extern "C" {
#include "base/base.h"
}

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

/* Where a list's counts come to. */
static uint32_t *counts_of(const struct cuda_seat *seat, unsigned int list)
{
	return seat->counts + list * (counts_bytes / sizeof(uint32_t));
}

static uint32_t nr_ones(const struct cuda_seat *seat, const struct section *s)
{
	return counts_of(seat, s->list)[0];
}

static uint32_t nr_others(const struct cuda_seat *seat, const struct section *s)
{
	return counts_of(seat, s->list)[1];
}

/* Are the lists worth while for this section? */
static bool has_lists(const struct cuda_seat *seat, unsigned int id)
{
	const struct section *s = &seat->key->layout.sections[id];

	return id != SECTION_H && s->nr && !s->streamed &&
	       nr_others(seat, s) <= s->nr / dense_den * dense_num;
}

/* Of run i of a section: of a chunk, or of its lists. */
static const struct msm_plan *plan_of(const struct cuda_seat *seat, unsigned int id, unsigned int i)
{
	const struct section *s = &seat->key->layout.sections[id];

	if (!has_lists(seat, id))
		return i + 1 < s->nr_chunks ? &s->plan : &s->last_plan;
	return s->few_max && nr_others(seat, s) <= s->few_max ? &s->few_plan : &s->plan;
}

size_t stages_scratch_bytes(const void *key, unsigned int nr_threads)
{
	(void)key, (void)nr_threads;
	return sizeof(struct cuda_seat *);
}

static uint8_t *witness_at(const struct cuda_seat *seat)
{
	return seat_at(seat, seat->key->layout.lists[LIST_ALL].values);
}

static cudaStream_t stream_of(const struct cuda_seat *seat, unsigned int lane)
{
	return seat->work->streams[seat->key->layout.nr_lanes == 1 ? 0 : lane];
}

static cudaStream_t lane0(const struct cuda_seat *seat)
{
	return stream_of(seat, 0);
}

/* Where lists are made: lists that share room with what a proof computes in come
 * in their turn. */
static cudaStream_t list_stream(const struct cuda_seat *seat)
{
	return seat->key->layout.lists_shared ? lane0(seat) : seat->up;
}

/* The values of a list, and which of them are ones. */
static int make_list(struct cuda_seat *seat, unsigned int id, struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;
	const struct list *all = &l->lists[LIST_ALL], *list = &l->lists[id];
	cudaStream_t stream = list_stream(seat);

	if (list != all)
		LULL_TRY(gather_kept(seat_at(seat, all->values), all->nr,
				     (const uint32_t *)seat_at(seat, list->bits),
				     seat_at(seat, list->values), list->nr,
				     seat_at(seat, l->list_scratch), stream, reterr));
	seat->counted[id] = false;
	LULL_TRY(l->curve->classify(seat_at(seat, list->values), list->nr,
				    (uint32_t *)seat_at(seat, list->ones),
				    (uint32_t *)seat_at(seat, list->others), counts_of(seat, id),
				    seat_at(seat, l->list_scratch), stream, reterr));
	device_copied(seat->key->device, 0, counts_bytes);
	CUDA_TRY(cudaEventRecord(seat->listed[id], stream), reterr);
	return LULL_OK;
}

/* Lists for which there is room at the same time; others are made when their sum
 * comes. */
static int make_lists(struct cuda_seat *seat, struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;

	seat->held = NR_LISTS;
	if (l->lists_shared)
		return LULL_OK;
	for (unsigned int id = 0; id < NR_LISTS; id++)
		if (l->lists[id].used)
			LULL_TRY(make_list(seat, id, reterr));
	return LULL_OK;
}

static int check_assigned(const struct layout *l, const struct lull_assigned *assigned,
			  struct lull_error *reterr)
{
	size_t n = (size_t)1 << l->arrays.log2_domain;

	if (l->arrays.assigned == (assigned != NULL) && (!assigned || assigned->nr_rows <= n))
		return LULL_OK;
	return lull_fail(reterr, LULL_INTERNAL,
			 "cuda: an assigned key's proofs, and they alone, bring at most %zu rows",
			 n);
}

/* On the seat's stream: other proofs may compute meanwhile. */
static int load(struct cuda_seat *seat, const struct lull_stage_args *args,
		struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;
	const struct lull_assigned *assigned = args->assigned;

	LULL_TRY(check_assigned(l, assigned, reterr));
	LULL_TRY(device_use(seat->key->device, reterr));
	CUDA_TRY(cudaEventRecord(seat->begun[LULL_STAGE_LOAD], seat->up), reterr);
	LULL_TRY(witness_bring(seat, args, reterr));
	if (assigned) {
		size_t bytes = layout_bits_bytes(l);

		LULL_TRY(seat_bring(seat, args, l->lists[LIST_A].bits, assigned->dense_a, bytes,
				    seat->up, reterr));
		LULL_TRY(seat_bring(seat, args, l->lists[LIST_B].bits, assigned->dense_b, bytes,
				    seat->up, reterr));
	}
	LULL_TRY(make_lists(seat, reterr));
	CUDA_TRY(cudaEventRecord(seat->ended[LULL_STAGE_LOAD], seat->up), reterr);
	return LULL_OK;
}

/* Brings pinned memory, with zeros before it, into the buffer of a turn once that
 * was drained; lane 0 goes on when it has come. */
static int fill_buffer(struct cuda_seat *seat, unsigned int turn, uint8_t *buffer, size_t zeros,
		       const uint8_t *from, size_t bytes, struct lull_error *reterr)
{
	cudaStream_t stream = seat->work->copy_stream;

	CUDA_TRY(cudaStreamWaitEvent(stream, seat->work->drained[turn], 0), reterr);
	if (zeros)
		CUDA_TRY(cudaMemsetAsync(buffer, 0, zeros, stream), reterr);
	LULL_TRY(pinned_copy(seat->key->device, seat->key->layout.arrays.arena, buffer + zeros,
			     from, bytes, stream, reterr));
	CUDA_TRY(cudaEventRecord(seat->work->filled[turn], stream), reterr);
	CUDA_TRY(cudaStreamWaitEvent(lane0(seat), seat->work->filled[turn], 0), reterr);
	return LULL_OK;
}

static int run_block(struct cuda_seat *seat, size_t i, const uint8_t *block,
		     struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;

	return l->curve->spmv(&seat->key->matrices, i, seat->key->block + l->matrices.at, block,
			      witness_at(seat), seat_at(seat, l->a), seat_at(seat, l->b),
			      seat_at(seat, l->scratch0), lane0(seat), reterr);
}

/* While one block of rows is multiplied, the next one comes. */
static int run_streamed_spmv(struct cuda_seat *seat, struct lull_error *reterr)
{
	const struct spmv_plan *m = &seat->key->matrices;
	unsigned int turn;
	uint8_t *buffer;
	size_t i;

	/* What lies there until now is other stages' scratch. */
	LULL_TRY(work_drain(seat->work, reterr));
	for (i = 0; i < m->nr_blocks; i++) {
		turn = i % 2;
		buffer = seat_at(seat, seat->key->layout.matrix_buffers[turn]);
		LULL_TRY(fill_buffer(seat, turn, buffer, 0, seat->key->rows.ptr + m->blocks[i].at,
				     m->blocks[i].host_bytes, reterr));
		LULL_TRY(seat->key->layout.curve->spmv_prepare_block(m, i, buffer, lane0(seat),
								     reterr));
		LULL_TRY(run_block(seat, i, buffer, reterr));
		CUDA_TRY(cudaEventRecord(seat->work->drained[turn], lane0(seat)), reterr);
	}
	return LULL_OK;
}

static int run_spmv(struct cuda_seat *seat, struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;

	LULL_TRY(spmv_begin(&seat->key->matrices, witness_at(seat), witness_map(seat),
			    seat_at(seat, l->scratch0), lane0(seat), reterr));
	if (l->matrices_streamed)
		return run_streamed_spmv(seat, reterr);
	return run_block(seat, 0,
			 seat->key->block + l->matrices.at + seat->key->matrices.dictionary_bytes,
			 reterr);
}

/* a and b as the proof brings them, through what will be the quotient's. */
static int bring_rows(struct cuda_seat *seat, const struct lull_stage_args *args,
		      struct lull_error *reterr)
{
	const struct lull_assigned *assigned = args->assigned;
	const struct layout *l = &seat->key->layout;
	const uint8_t *const from[] = { assigned->a, assigned->b };
	const struct part to[] = { l->a, l->b };

	for (unsigned int i = 0; i < 2; i++) {
		LULL_TRY(seat_bring(seat, args, l->scratch0, from[i],
				    assigned->nr_rows * scalar_bytes, lane0(seat), reterr));
		LULL_TRY(place_rows(seat_at(seat, to[i]), l->arrays.log2_domain,
				    seat_at(seat, l->scratch0), assigned->nr_rows,
				    l->arrays.row_step, lane0(seat), reterr));
	}
	return LULL_OK;
}

static int run_quotient(struct cuda_seat *seat, struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;

	LULL_TRY(l->curve->quotient(seat->key->state, seat_at(seat, l->a), seat_at(seat, l->b),
				    seat_at(seat, l->scratch0), l->arrays.folded, lane0(seat),
				    reterr));
	if (!l->arrays.assigned)
		return LULL_OK;
	return l->curve->coefs(seat->key->state, seat_at(seat, l->a), lane0(seat), reterr);
}

/* Where a sum of a section by a plan works; a plan that wants more than its lane
 * has would write over what other stages have there. */
static int sum_scratch(const struct cuda_seat *seat, const struct section *s,
		       const struct msm_plan *plan, uint8_t **ret_scratch,
		       struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;
	const struct part *part = &l->sum_scratch[l->nr_lanes == 1 ? 0 : s->lane];

	if (plan->scratch.bytes > part->bytes)
		return lull_fail(reterr, LULL_INTERNAL,
				 "cuda: a sum's scratch: expected at least %zu bytes, found %llu",
				 plan->scratch.bytes, (unsigned long long)part->bytes);
	*ret_scratch = seat_at(seat, *part);
	return LULL_OK;
}

/* Brings chunk i of a streamed section into a buffer and makes a table of it. */
static int fill_chunk(struct cuda_seat *seat, unsigned int id, unsigned int i,
		      const struct msm_plan *plan, struct lull_error *reterr)
{
	const struct section *s = &seat->key->layout.sections[id];
	size_t first = i * s->chunk, nr = plan->shape.nr_points, missing = 0, from = 0;
	uint8_t *buffer = seat_at(seat, seat->key->layout.buffers[i % 2]);

	if (first < s->nr_missing)
		missing = s->nr_missing - first < nr ? s->nr_missing - first : nr;
	else
		from = first - s->nr_missing;
	LULL_TRY(fill_buffer(seat, i % 2, buffer, missing * s->sum->point_bytes,
			     seat->key->points[id] + from * s->sum->point_bytes,
			     (nr - missing) * s->sum->point_bytes, reterr));
	return s->sum->prepare(plan, buffer, lane0(seat), reterr);
}

/* While one buffer is worked on, the other is filled. */
static int run_streamed(struct cuda_seat *seat, unsigned int id, const uint8_t *scalars,
			struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;
	const struct section *s = &l->sections[id];
	const struct msm_plan *plan;
	uint8_t *scratch = NULL;
	unsigned int i;

	for (i = 0; i < s->nr_chunks; i++) {
		plan = plan_of(seat, id, i);
		LULL_TRY(sum_scratch(seat, s, plan, &scratch, reterr));
		LULL_TRY(fill_chunk(seat, id, i, plan, reterr));
		LULL_TRY(s->sum->run(plan, seat_at(seat, l->buffers[i % 2]),
				     scalars + i * s->chunk * scalar_bytes, NULL,
				     plan->shape.nr_points, scratch,
				     seat->sums[id] + i * s->sum->sums_bytes, lane0(seat), reterr));
		CUDA_TRY(cudaEventRecord(seat->work->drained[i % 2], lane0(seat)), reterr);
	}
	return LULL_OK;
}

/* The list of a section is the one that is there. */
static int take_list(struct cuda_seat *seat, const struct section *s, struct lull_error *reterr)
{
	if (!seat->key->layout.lists_shared || seat->held == s->list)
		return LULL_OK;
	LULL_TRY(make_list(seat, s->list, reterr));
	seat->held = s->list;
	return LULL_OK;
}

/* How many of its values are ones, and how many are neither 0 nor 1. */
static int wait_for_counts(struct cuda_seat *seat, const struct section *s,
			   struct lull_error *reterr)
{
	if (!seat->counted[s->list])
		CUDA_TRY(cudaEventSynchronize(seat->listed[s->list]), reterr);
	seat->counted[s->list] = true;
	return LULL_OK;
}

/* Of a section that is on the device, over its lists. */
static int run_lists(struct cuda_seat *seat, unsigned int id, cudaStream_t stream,
		     struct lull_error *reterr)
{
	const struct section *s = &seat->key->layout.sections[id];
	const struct list *list = &seat->key->layout.lists[s->list];
	const uint8_t *table = seat->key->block + s->table.at;
	const struct msm_plan *plan = plan_of(seat, id, 0);
	uint8_t *scratch = NULL;

	LULL_TRY(sum_scratch(seat, s, plan, &scratch, reterr));
	if (nr_others(seat, s))
		LULL_TRY(s->sum->run(plan, table, seat_at(seat, list->values),
				     (const uint32_t *)seat_at(seat, list->others),
				     nr_others(seat, s), scratch, seat->sums[id], stream, reterr));
	if (!nr_ones(seat, s))
		return LULL_OK;
	return s->sum->run_ones(plan, table, (const uint32_t *)seat_at(seat, list->ones),
				nr_ones(seat, s), scratch, ones_sums(seat, id), stream, reterr);
}

static int run_sum(struct cuda_seat *seat, unsigned int id, cudaStream_t stream,
		   struct lull_error *reterr)
{
	const struct layout *l = &seat->key->layout;
	const struct section *s = &l->sections[id];
	const uint8_t *scalars = seat_at(seat, id == SECTION_H ? l->a : l->lists[s->list].values);
	uint8_t *scratch = NULL;

	if (!s->nr)
		return LULL_OK;
	if (id != SECTION_H)
		LULL_TRY(take_list(seat, s, reterr));
	if (s->streamed)
		return run_streamed(seat, id, scalars, reterr);
	if (id != SECTION_H)
		LULL_TRY(wait_for_counts(seat, s, reterr));
	if (has_lists(seat, id))
		return run_lists(seat, id, stream, reterr);
	LULL_TRY(sum_scratch(seat, s, &s->plan, &scratch, reterr));
	return s->sum->run(&s->plan, seat->key->block + s->table.at, scalars, NULL, s->nr, scratch,
			   seat->sums[id], stream, reterr);
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

static int run_now(struct cuda_seat *seat, enum lull_stage stage,
		   const struct lull_stage_args *args, struct lull_error *reterr)
{
	const bool assigned = seat->key->layout.arrays.assigned;
	unsigned int id = section_of(stage);
	cudaStream_t stream;

	if (!seat->work)
		LULL_TRY(work_take(seat, reterr));
	stream = stream_of(seat, id == NR_SECTIONS ? 0 : seat->key->layout.sections[id].lane);
	CUDA_TRY(cudaEventRecord(seat->begun[stage], stream), reterr);
	if (stage == LULL_STAGE_SPMV) {
		LULL_TRY(assigned ? bring_rows(seat, args, reterr) : run_spmv(seat, reterr));
	} else if (stage == LULL_STAGE_H) {
		LULL_TRY(run_quotient(seat, reterr));
	} else {
		seat->ret_points[id] = args->ret_point;
		LULL_TRY(run_sum(seat, id, stream, reterr));
	}
	CUDA_TRY(cudaEventRecord(seat->ended[stage], stream), reterr);
	/* The last one: what comes next on the device may be another proof's. */
	return stage == LULL_STAGE_MSM_H ? work_hand_on(seat, reterr) : LULL_OK;
}

/* The rows of an assigned proof are staged by this thread, as a rule: they wait
 * until the device has the sums over the witness to work on. */
static int run_stage(struct cuda_seat *seat, enum lull_stage stage,
		     const struct lull_stage_args *args, struct lull_error *reterr)
{
	LULL_TRY(device_use(seat->key->device, reterr));
	if (seat->key->layout.arrays.assigned) {
		if (stage == LULL_STAGE_SPMV || stage == LULL_STAGE_H)
			return LULL_OK;
		if (stage == LULL_STAGE_MSM_H) {
			LULL_TRY(run_now(seat, LULL_STAGE_SPMV, args, reterr));
			LULL_TRY(run_now(seat, LULL_STAGE_H, args, reterr));
		}
	}
	return run_now(seat, stage, args, reterr);
}

/* What is left of a witness is overwritten: on the host now, on the device
 * before anything that comes later, but for what another proof of the key
 * computes in or is about to (work.cu).  A device that failed keeps what it has,
 * and gives it to nobody. */
static void retire(struct cuda_seat *seat)
{
	const struct layout *l = &seat->key->layout;
	const bool usable = !device_use(seat->key->device, NULL);
	unsigned int i;

	if (usable)
		cudaStreamSynchronize(seat->up);
	work_end(seat);
	work_leave(seat);
	if (usable)
		cudaMemsetAsync(seat->block, 0, l->bytes[BLOCK_SEAT], seat->up);
	staging_wipe(&seat->staging);
	witness_forget(seat);
	for (i = 0; i < NR_SECTIONS; i++)
		explicit_bzero(seat->sums[i], sums_bytes(&l->sections[i]));
	explicit_bzero(seat->counts, NR_LISTS * counts_bytes);
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
		retire(seat);
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
		spans[i].start_ns = seat->waited_ns + (uint64_t)(start_ms * ns_per_ms);
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
		nr = nr_others(seat, s) ? 1 : 0;
		if (nr_ones(seat, s))
			s->sum->gather(plan_of(seat, id, 0), ones_sums(seat, id), true, acc);
	}
	for (i = 0; i < nr; i++)
		s->sum->gather(plan_of(seat, id, i), seat->sums[id] + i * s->sum->sums_bytes, false,
			       acc);
	s->sum->finish(acc, seat->ret_points[id]);
	explicit_bzero(acc, sizeof(acc));
}

/* What has come down of a section's runs. */
static size_t down_bytes(const struct cuda_seat *seat, unsigned int id)
{
	const struct section *s = &seat->key->layout.sections[id];
	const struct msm_plan *plan = plan_of(seat, id, 0);
	size_t bytes = 0;

	if (has_lists(seat, id))
		return (nr_others(seat, s) ? s->sum->down_bytes(plan, false) : 0) +
		       (nr_ones(seat, s) ? s->sum->down_bytes(plan, true) : 0);
	for (unsigned int i = 0; i < s->nr_chunks; i++)
		bytes += s->sum->down_bytes(plan_of(seat, id, i), false);
	return bytes;
}

static int collect(struct cuda_seat *seat, const struct lull_stage_args *args,
		   struct lull_backend_span *spans, struct lull_error *reterr)
{
	unsigned int i;

	LULL_TRY(device_use(seat->key->device, reterr));
	LULL_TRY(work_hand_on(seat, reterr));
	LULL_TRY(work_wait(seat, reterr));
	/* The counts are there too, whether anything waited for them or not. */
	for (i = 0; i < NR_SECTIONS; i++)
		device_copied(seat->key->device, 0, down_bytes(seat, i));
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
