/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policies.h - pipelines of several shapes under every pair of policies
 *
 * For sched/silent, which counts what the arena had, and storm/flights, which
 * counts what the whole machine did.  All combinations of the switches would
 * take hours; here are twelve in which every pair of values of any two switches
 * is met, which sched/silent checks.
 */
#ifndef LULL_SELFTESTS_SCHED_POLICIES_H
#define LULL_SELFTESTS_SCHED_POLICIES_H

#include "arena/arena.h"
#include "base/base.h"
#include "harness.h"
#include "lib.h"
#include "load/loader.h"
#include "lull_pipeline.h"

#define GOLDEN "selftests/golden/"
#define IN_FLIGHT_MAX 4
/* One more than are in flight, so that one begins while others are under way. */
#define NR_PARTITIONS_MAX (IN_FLIGHT_MAX + 1)
#define WAIT_MS 120000

/* SHAPES: so many golden circuits, defined by who includes this. */
static const char *const shapes[] = { SHAPES };
#define NR_SHAPES LULL_ARRAY_SIZE(shapes)

/* ---- policies ---------------------------------------------------------- */

enum { RETIRE, INLINE, ASYNC, SERIAL, NR_DEALLOCS };
enum { OFF, FLAG, TOKENS, NR_GATES };
enum { ONE, HALF, ALL, NR_THREADS };
enum { ALONE, TWO, FOUR, NR_IN_FLIGHT };
enum { SINGLE, MANY, NR_COMPUTING };
/* FIXED is uring with the arena as its fixed buffers, and a device that has it
 * registered as well; mmap is below. */
enum { PREAD, URING, FIXED, NR_LOADERS };

static const char *const deallocs[] = { "retire", "inline", "async", "serial" };
static const char *const gates[] = { "off", "flag", "tokens" };
static const char *const loaders[] = { "pread", "uring", "uring" };
static const unsigned int in_flights[] = { 1, 2, IN_FLIGHT_MAX };
static const unsigned int computings[] = { 1, IN_FLIGHT_MAX };

#define NR_AXES 6

/* A value of each switch. */
struct policies {
	unsigned int dealloc, gate, threads, in_flight, computing, loader;
};

static const unsigned int nr_values[NR_AXES] = { NR_DEALLOCS,  NR_GATES,
						 NR_THREADS,   NR_IN_FLIGHT,
						 NR_COMPUTING, NR_LOADERS };

static const struct policies rows[] = {
	{ RETIRE, OFF, HALF, ALONE, MANY, URING },
	{ RETIRE, FLAG, ONE, TWO, SINGLE, PREAD },
	{ RETIRE, TOKENS, ALL, FOUR, SINGLE, FIXED },
	{ INLINE, OFF, ALL, TWO, MANY, FIXED },
	{ INLINE, FLAG, HALF, FOUR, SINGLE, URING },
	{ INLINE, TOKENS, ONE, ALONE, MANY, PREAD },
	{ ASYNC, OFF, ONE, FOUR, SINGLE, FIXED },
	{ ASYNC, FLAG, ALL, ALONE, MANY, URING },
	{ ASYNC, TOKENS, HALF, TWO, MANY, PREAD },
	{ SERIAL, OFF, ALL, FOUR, MANY, PREAD },
	{ SERIAL, FLAG, HALF, ALONE, SINGLE, FIXED },
	{ SERIAL, TOKENS, ONE, TWO, MANY, URING },
};

static inline unsigned int value(const struct policies *row, unsigned int axis)
{
	const unsigned int values[NR_AXES] = { row->dealloc,   row->gate,
					       row->threads,   row->in_flight,
					       row->computing, row->loader };

	return values[axis];
}

/* ---- a pipeline -------------------------------------------------------- */

/* Proofs are checked in one row: that takes an emulated processor most of the
 * time. */
struct bed {
	struct lull_ctx *ctx;
	struct lull_key *keys[LULL_ARRAY_SIZE(shapes)];
	struct lull_pipeline *pipeline;
	unsigned int in_flight;
	unsigned int flags;
};

/* Of a host of eight processors, whatever this one has. */
static inline unsigned int nr_threads(unsigned int threads)
{
	static const unsigned int nr[NR_THREADS] = { 1, 4, 8 };

	return nr[threads];
}

static inline bool open_keys(struct bed *bed, struct lull_error *err)
{
	char path[128];
	bool ok = true;
	unsigned int i;

	for (i = 0; i < NR_SHAPES && ok; i++) {
		snprintf(path, sizeof(path), GOLDEN "%s.zkey", shapes[i]);
		ok = !lull_key_open(bed->ctx, path, &bed->keys[i], err);
	}
	return ok;
}

/* A device that counts what it registers. */
static unsigned int nr_registrations;

static int note_registered(void *arg, void *ptr, size_t bytes,
			   struct lull_error *reterr)
{
	(void)arg, (void)ptr, (void)bytes, (void)reterr;
	nr_registrations++;
	return LULL_OK;
}

static void note_unregistered(void *arg, void *ptr, size_t bytes)
{
	(void)arg, (void)ptr, (void)bytes;
}

static const struct lull_arena_pin_ops device = { note_registered,
						  note_unregistered };

static inline bool register_all(const struct bed *bed, struct lull_error *err)
{
	lull_loader_register(bed->ctx->loader);
	return !lull_arena_pin(bed->ctx->arena, &device, NULL, err);
}

static inline bool set_up(struct bed *bed, const char *carrier,
			  const char *loader, const struct policies *row)
{
	const struct lull_ctx_opts ctx_opts = { .size = sizeof(ctx_opts),
						.nr_threads = nr_threads(ALL),
						.arena = carrier,
						.loader = loader };
	const struct lull_pipeline_opts opts = {
		.size = sizeof(opts),
		.in_flight = in_flights[row->in_flight],
		.cpu_threads = nr_threads(row->threads),
		.workers_per_device = computings[row->computing],
		.dealloc = deallocs[row->dealloc],
		.bandwidth_gate = gates[row->gate],
	};
	struct lull_error err = { .msg = "" };
	bool ok;

	nr_registrations = 0;
	*bed = (struct bed){ .in_flight = opts.in_flight,
			     .flags = LULL_PROVE_NO_VERIFY };
	ok = !lull_ctx_create(&ctx_opts, &bed->ctx, &err);
	if (ok && row->loader == FIXED)
		ok = register_all(bed, &err);
	ok = ok && open_keys(bed, &err) &&
	     !lull_pipeline_create(bed->ctx, &opts, &bed->pipeline, &err);
	if (!ok)
		printf("# %s, %s: %s\n", carrier, loader, err.msg);
	return ok;
}

static inline void take_down(struct bed *bed)
{
	unsigned int i;

	lull_pipeline_destroy(bed->pipeline);
	for (i = 0; i < NR_SHAPES; i++)
		lull_key_close(bed->keys[i]);
	lull_ctx_destroy(bed->ctx);
}

/* A job of one shape. */
static inline bool prove(const struct bed *bed, unsigned int shape)
{
	const char *paths[NR_PARTITIONS_MAX];
	const struct lull_job_opts opts = { .size = sizeof(opts),
					    .flags = bed->flags,
					    .nr_partitions = bed->in_flight + 1,
					    .paths = paths };
	struct lull_error err = { .msg = "" };
	struct lull_job *job;
	char path[128];
	unsigned int i;
	bool ok;

	snprintf(path, sizeof(path), GOLDEN "%s.wtns", shapes[shape]);
	for (i = 0; i < opts.nr_partitions; i++)
		paths[i] = path;
	if (lull_job_submit(bed->pipeline, bed->keys[shape], &opts, &job,
			    &err)) {
		printf("# %s\n", err.msg);
		return false;
	}
	ok = lull_job_wait(job, WAIT_MS);
	for (i = 0; i < opts.nr_partitions && ok; i++)
		ok = lull_job_proof(job, i, &err);
	if (!ok)
		printf("# %s\n", err.msg);
	lull_job_free(job);
	return ok;
}

#endif
