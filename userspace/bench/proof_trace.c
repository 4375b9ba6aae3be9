// SPDX-License-Identifier: Apache-2.0
/*
 * proof_trace.c - the trace of one proof; see proof_trace.h
 */
#include "bench/proof_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/counters.h"
#include "base/error.h"
#include "base/stage.h"
#include "base/trace.h"
#include "sched/trace_file.h"

/* The thread that proves, a device, and numbers. */
#define NR_LANES 3
/* Of one lane: five numbers as each stage begins, and once at the end. */
#define NR_EVENTS (5 * (LULL_NR_STAGES + 1))

/**
 * struct lull_proof_trace - one trace
 * @trace: what is recorded
 * @thread: of the thread that proves
 * @numbers: of what is counted
 * @proof_ns: when the proof began, or 0
 * @host: counters as they were at the beginning
 */
struct lull_proof_trace {
	struct lull_trace *trace;
	struct lull_trace_lane *thread;
	struct lull_trace_lane *numbers;
	uint64_t proof_ns;
	struct lull_counters host;
};

static const struct lull_trace_id the_one = { 0, 0 };

int lull_proof_trace_begin(struct lull_proof_trace **ret_trace,
			   struct lull_error *reterr)
{
	struct lull_proof_trace *trace = calloc(1, sizeof(*trace));
	int err;

	if (!trace)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a trace");
	err = lull_trace_create(NR_LANES, NR_EVENTS, &trace->trace, reterr);
	if (err) {
		free(trace);
		return err;
	}
	trace->thread =
		lull_trace_lane(trace->trace, LULL_TRACE_THREAD, "prove");
	trace->numbers =
		lull_trace_lane(trace->trace, LULL_TRACE_THREAD, "numbers");
	lull_counters_read(&trace->host);
	*ret_trace = trace;
	return LULL_OK;
}

void lull_proof_trace_end(struct lull_proof_trace *trace)
{
	if (!trace)
		return;
	lull_trace_destroy(trace->trace);
	free(trace);
}

void lull_proof_trace_witness(struct lull_proof_trace *trace, uint64_t start_ns)
{
	if (trace)
		lull_trace_stage(trace->thread, LULL_STAGE_LOAD, the_one,
				 start_ns, lull_trace_now_ns());
}

void lull_proof_trace_key(struct lull_proof_trace *trace, uint64_t start_ns)
{
	if (trace)
		lull_trace_waited(trace->thread, LULL_TRACE_WAIT_KEY, the_one,
				  start_ns, lull_trace_now_ns());
}

static void sample(struct lull_proof_trace *trace, struct lull_ctx *ctx,
		   uint64_t now)
{
	struct lull_ctx_stats arena = { .size = sizeof(arena) };
	struct lull_trace_lane *lane = trace->numbers;
	struct lull_counters host;

	lull_ctx_stats(ctx, &arena, NULL);
	lull_counters_read(&host);
	lull_trace_count(lane, LULL_TRACE_ARENA_HELD, now, arena.held_bytes);
	lull_trace_count(lane, LULL_TRACE_ARENA_USED, now, arena.used_bytes);
	/* The context began with the command. */
	lull_trace_count(lane, LULL_TRACE_FLUSHES, now, arena.flushes);
	lull_trace_count(lane, LULL_TRACE_TLB, now,
			 host.ipis_tlb - trace->host.ipis_tlb);
	lull_trace_count(lane, LULL_TRACE_FAULTS, now,
			 host.faults - trace->host.faults);
}

void lull_proof_trace_stage(struct lull_proof_trace *trace,
			    struct lull_ctx *ctx)
{
	uint64_t now;

	if (!trace)
		return;
	now = lull_trace_now_ns();
	if (!trace->proof_ns)
		trace->proof_ns = now;
	sample(trace, ctx, now);
}

/* Of a stage that the library names; LULL_NR_STAGES for none. */
static enum lull_stage stage_of(const char *name)
{
	unsigned int stage = 0;

	while (stage < LULL_NR_STAGES &&
	       strcmp(name, lull_stage_name((enum lull_stage)stage)))
		stage++;
	return (enum lull_stage)stage;
}

/* A GPU's stages run by themselves, some beside others. */
static void add_stages(struct lull_proof_trace *trace,
		       const struct lull_proof *proof)
{
	const char *backend = lull_proof_backend(proof);
	struct lull_trace_lane *device = trace->thread;
	const struct lull_stage_time *stages;
	enum lull_stage stage;
	unsigned int nr, i;
	uint64_t start;

	if (strncmp(backend, "cpu", strlen("cpu")))
		device = lull_trace_lane(trace->trace, LULL_TRACE_DEVICE,
					 "%.32s", backend);
	stages = lull_proof_stages(proof, &nr);
	for (i = 0; i < nr; i++) {
		stage = stage_of(stages[i].name);
		if (stage == LULL_NR_STAGES)
			continue;
		start = trace->proof_ns + stages[i].start_ns;
		lull_trace_stage(stage <= LULL_STAGE_MSM_H ? device
							   : trace->thread,
				 stage, the_one, start, start + stages[i].ns);
	}
}

static void add_notes(struct lull_proof_trace *trace, struct lull_ctx *ctx,
		      const struct lull_proof *proof)
{
	struct lull_ctx_stats arena = { .size = sizeof(arena) };

	lull_ctx_stats(ctx, &arena, NULL);
	lull_trace_note(trace->trace, "version", "%s", LULL_VERSION);
	lull_trace_note(trace->trace, "backend", "%s",
			lull_proof_backend(proof));
	lull_trace_note(trace->trace, "arena", "%s", arena.arena);
}

int lull_proof_trace_write(struct lull_proof_trace *trace, struct lull_ctx *ctx,
			   const struct lull_proof *proof, const char *path,
			   struct lull_error *reterr)
{
	if (!trace)
		return LULL_OK;
	sample(trace, ctx, lull_trace_now_ns());
	add_stages(trace, proof);
	add_notes(trace, ctx, proof);
	return lull_trace_save(trace->trace, path, reterr);
}
