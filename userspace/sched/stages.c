// SPDX-License-Identifier: Apache-2.0
/*
 * stages.c - what each thread of a pipeline does with a partition
 *
 * load      wait for memory, read the witness and check it
 * compute   everything up to the sums; then device, scratch and witness go back
 * assemble  blinding, the last additions, the pairing check
 * free      where memory is not given back by who used it
 *
 * A partition whose job is canceled passes through what is left without work.
 */
#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/workers.h"
#include "load/loader.h"
#include "prove/random.h"
#include "prove/witness.h"
#include "sched/pipeline.h"

static struct lull_trace_id id_of(const struct lull_flight *flight)
{
	return (struct lull_trace_id){ flight->job->number, flight->index };
}

static bool is_canceled(const struct lull_flight *flight)
{
	return atomic_load(&flight->job->canceled);
}

static int check_canceled(const struct lull_flight *flight,
			  struct lull_error *reterr)
{
	return is_canceled(flight)
		       ? lull_fail(reterr, LULL_CANCELED, "canceled")
		       : LULL_OK;
}

/* Puts it into the queue of the next stage. */
static void hand_on(struct lull_flight *flight, struct lull_queue *queue)
{
	flight->queued_ns = lull_trace_now_ns();
	lull_queue_put(queue, flight);
}

/* The next one of a queue, or NULL when there will be none. */
static struct lull_flight *take_from(struct lull_sched_thread *thread,
				     struct lull_queue *queue,
				     enum lull_trace_queue which)
{
	struct lull_flight *flight = lull_queue_take(queue);

	if (!flight)
		return NULL;
	flight->thread = thread;
	lull_trace_queued(thread->lane, which, id_of(flight), flight->queued_ns,
			  lull_trace_now_ns());
	return flight;
}

/* Waits while a proof wants the bandwidth. */
static void pause_for_bandwidth(struct lull_flight *flight,
				struct lull_trace_lane *lane)
{
	uint64_t start = lull_trace_now_ns();

	if (lull_gate_pause(&flight->pipeline->gate, &flight->job->canceled))
		lull_trace_waited(lane, LULL_TRACE_WAIT_BANDWIDTH,
				  id_of(flight), start, lull_trace_now_ns());
}

/* ---- load -------------------------------------------------------------- */

static int admit(struct lull_flight *flight, struct lull_error *reterr)
{
	uint64_t start = lull_trace_now_ns();
	uint64_t bytes = flight->job->partition_bytes;
	bool waited;
	int err;

	err = lull_budget_admit(flight->pipeline->budget, bytes,
				&flight->job->canceled, &waited, reterr);
	if (waited)
		lull_trace_waited(flight->thread->lane, LULL_TRACE_WAIT_MEMORY,
				  id_of(flight), start, lull_trace_now_ns());
	if (!err)
		flight->charge = bytes;
	return err;
}

static int read_witness(struct lull_flight *flight, struct lull_error *reterr)
{
	struct lull_job *job = flight->job;
	const struct lull_sched_partition *part =
		&job->partitions[flight->index];
	const struct lull_infile_memory memory = {
		.arena = flight->pipeline->env.arena,
		.workers = job->alone,
		.reader = lull_loader_reader(flight->pipeline->env.loader),
		.cancel = &job->canceled,
	};
	const struct lull_wtns_want want =
		lull_witness_want(&job->key->file.parts);
	int err;

	if (!part->path) {
		flight->proving.witness = part->wtns->values;
		flight->proving.classes = part->wtns->classes;
		return LULL_OK;
	}
	err = lull_wtnsfile_open(part->path, &want, LULL_WTNS_DEFER_VALUES,
				 &memory, &flight->file, reterr);
	/* What was not read for that reason is not what is wrong. */
	if (is_canceled(flight))
		return check_canceled(flight, reterr);
	if (err)
		return err;
	flight->proving.witness = flight->file.values;
	err = lull_witness_check(&flight->file, job->alone, memory.arena,
				 reterr);
	flight->proving.classes = flight->file.classes;
	return err ? err : check_canceled(flight, reterr);
}

/* ---- giving memory back ------------------------------------------------ */

static void give_back(struct lull_flight *flight, bool yield)
{
	if (yield) {
		lull_arena_yield(&flight->scratch);
		lull_arena_yield(&flight->file.file.in.vec);
		lull_arena_yield(&flight->file.map);
	}
	lull_arena_retire(&flight->scratch);
	lull_wtnsfile_close(&flight->file);
	lull_budget_release(flight->pipeline->budget, flight->charge);
	flight->charge = 0;
}

/* Scratch, witness and their bytes, by this thread or by another. */
static void dispose(struct lull_flight *flight)
{
	switch (flight->pipeline->dealloc) {
	case LULL_DEALLOC_ASYNC:
	case LULL_DEALLOC_SERIAL:
		atomic_fetch_add(&flight->users, 1);
		hand_on(flight, &flight->pipeline->garbage);
		return;
	case LULL_DEALLOC_INLINE:
		give_back(flight, true);
		return;
	default:
		give_back(flight, false);
	}
}

static void fail(struct lull_flight *flight, const struct lull_error *error)
{
	lull_sched_end(flight, NULL, error);
	lull_sched_put(flight);
}

static void trace_values(const struct lull_flight *flight)
{
	const struct lull_sched_partition *part =
		&flight->job->partitions[flight->index];
	const struct lull_wtnsfile *file =
		part->path ? &flight->file : part->wtns;

	if (file->classes.map)
		lull_trace_values(flight->thread->lane, file->nr_values,
				  (uint32_t)file->classes.nr_ones,
				  (uint32_t)file->classes.nr_others);
}

static int load(struct lull_flight *flight, struct lull_error *reterr)
{
	uint64_t start;
	int err;

	err = admit(flight, reterr);
	if (err)
		return err;
	pause_for_bandwidth(flight, flight->thread->lane);
	err = check_canceled(flight, reterr);
	if (err)
		return err;
	start = lull_trace_now_ns();
	err = read_witness(flight, reterr);
	if (!err)
		trace_values(flight);
	lull_trace_stage(flight->thread->lane, LULL_STAGE_LOAD, id_of(flight),
			 start, lull_trace_now_ns());
	return err;
}

void lull_sched_load(struct lull_sched_thread *thread)
{
	struct lull_pipeline *pipeline = thread->pipeline;
	struct lull_flight *flight;
	struct lull_error error;

	while ((flight = lull_sched_next(pipeline))) {
		flight->thread = thread;
		if (!load(flight, &error)) {
			hand_on(flight, &pipeline->compute);
			continue;
		}
		give_back(flight, false);
		fail(flight, &error);
	}
}

/* ---- compute ----------------------------------------------------------- */

/* Those that read and write everything once, or move it to a device. */
static bool wants_bandwidth(enum lull_stage stage)
{
	return stage == LULL_STAGE_LOAD || stage == LULL_STAGE_SPMV ||
	       stage == LULL_STAGE_H;
}

static void stage_begins(void *arg, enum lull_stage stage)
{
	struct lull_flight *flight = arg;

	if (wants_bandwidth(stage))
		lull_gate_hold(&flight->pipeline->gate);
}

/* Load is the loader's, and what is retired is told by retire(). */
static void stage_ends(void *arg, enum lull_stage stage, bool known,
		       uint64_t start_ns, uint64_t end_ns)
{
	struct lull_flight *flight = arg;

	if (wants_bandwidth(stage))
		lull_gate_drop(&flight->pipeline->gate);
	if (known && stage != LULL_STAGE_LOAD && stage != LULL_STAGE_RETIRE)
		lull_trace_stage(flight->thread->lane, stage, id_of(flight),
				 start_ns, end_ns);
}

static void stage_ran(void *arg, enum lull_stage stage, unsigned int device,
		      uint64_t start_ns, uint64_t end_ns)
{
	struct lull_flight *flight = arg;
	struct lull_sched_thread *thread = flight->thread;
	struct lull_trace_lane **lane = &thread->devices[device];

	if (!*lane)
		*lane = lull_trace_lane(
			thread->pipeline->trace, LULL_TRACE_DEVICE, "%.32s %u",
			thread->pipeline->env.set->devices[device].text,
			thread->index);
	if (stage != LULL_STAGE_LOAD)
		lull_trace_stage(*lane, stage, id_of(flight), start_ns, end_ns);
}

static bool proof_is_canceled(void *arg)
{
	return is_canceled(arg);
}

/* Kept until dispose(): another device may want its own. */
static void keep_scratch(void *arg, struct lull_vec *scratch)
{
	struct lull_flight *flight = arg;

	lull_arena_retire(&flight->scratch);
	flight->scratch = *scratch;
	*scratch = (struct lull_vec){ 0 };
}

static void prepare(struct lull_flight *flight)
{
	struct lull_job *job = flight->job;
	struct lull_pipeline *pipeline = flight->pipeline;
	bool cpu = pipeline->env.set->devices[0].backend == &lull_backend_cpu;

	flight->watch = (struct lull_prover_watch){
		.begin = stage_begins,
		.end = stage_ends,
		.ran = stage_ran,
		.canceled = proof_is_canceled,
		.give_back = keep_scratch,
		.arg = flight,
	};
	flight->proving = (struct lull_proving){
		.key = job->key,
		.witness = flight->proving.witness,
		.classes = flight->proving.classes,
		.opts = &job->opts,
		.watch = &flight->watch,
		/* A device would be handed what tasks left undone. */
		.workers = cpu ? job->workers : pipeline->workers,
		.arena = pipeline->env.arena,
	};
}

static void retire(struct lull_flight *flight)
{
	struct lull_trace_lane *lane = flight->thread->lane;
	enum lull_dealloc dealloc = flight->pipeline->dealloc;
	struct lull_trace_id id = id_of(flight);
	uint64_t start = lull_trace_now_ns();

	lull_prover_retire(&flight->proving);
	dispose(flight);
	/* Told by who frees, where that is another thread. */
	if (dealloc == LULL_DEALLOC_RETIRE || dealloc == LULL_DEALLOC_INLINE)
		lull_trace_stage(lane, LULL_STAGE_RETIRE, id, start,
				 lull_trace_now_ns());
}

void lull_sched_compute(struct lull_sched_thread *thread)
{
	struct lull_pipeline *pipeline = thread->pipeline;
	struct lull_flight *flight;
	struct lull_error error;
	int err;

	while ((flight = take_from(thread, &pipeline->compute,
				   LULL_TRACE_QUEUE_COMPUTE))) {
		prepare(flight);
		err = check_canceled(flight, &error);
		if (!err)
			err = lull_prover_begin(&flight->proving, &error);
		if (err) {
			give_back(flight, false);
			fail(flight, &error);
			continue;
		}
		err = lull_prover_compute(&flight->proving, &error);
		retire(flight);
		if (!err) {
			hand_on(flight, &pipeline->assemble);
			continue;
		}
		lull_prover_end(&flight->proving, NULL);
		fail(flight, &error);
	}
}

/* ---- assemble ---------------------------------------------------------- */

static int finish(struct lull_flight *flight, struct lull_error *reterr)
{
	const struct lull_curve_facts *facts =
		flight->job->key->file.parts.facts;
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
	int err;

	/* One thread: others compute meanwhile. */
	flight->proving.workers = flight->job->alone;
	err = check_canceled(flight, reterr);
	if (!err)
		err = lull_prove_random(facts, r, reterr);
	if (!err)
		err = lull_prove_random(facts, s, reterr);
	if (!err)
		err = lull_prover_finish(&flight->proving, r, s, reterr);
	lull_wipe(r, sizeof(r));
	lull_wipe(s, sizeof(s));
	return err;
}

void lull_sched_assemble(struct lull_sched_thread *thread)
{
	struct lull_proof *proof;
	struct lull_flight *flight;
	struct lull_error error;
	int err;

	while ((flight = take_from(thread, &thread->pipeline->assemble,
				   LULL_TRACE_QUEUE_ASSEMBLE))) {
		proof = NULL;
		err = finish(flight, &error);
		lull_prover_end(&flight->proving, err ? NULL : &proof);
		lull_sched_end(flight, proof, err ? &error : NULL);
		lull_sched_put(flight);
	}
}

/* ---- free -------------------------------------------------------------- */

void lull_sched_free(struct lull_sched_thread *thread)
{
	struct lull_flight *flight;
	uint64_t start;

	/* Another thread may have the flight as well: not its ->thread. */
	while ((flight = lull_queue_take(&thread->pipeline->garbage))) {
		pause_for_bandwidth(flight, thread->lane);
		start = lull_trace_now_ns();
		give_back(flight, true);
		lull_trace_stage(thread->lane, LULL_STAGE_RETIRE, id_of(flight),
				 start, lull_trace_now_ns());
		lull_sched_put(flight);
	}
}
