/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipeline.h - what the files of the pipeline share
 *
 * A partition in flight is a struct lull_flight: there are as many as may be
 * in flight, from the start.  It goes from thread to thread through queues that
 * have room for all of them:
 *
 *	idle -> load -> [compute queue] -> compute -> [assemble queue] -> assemble
 *	                                      |                            -> idle
 *	                                      +-> [free queue] -> free -> idle
 *
 * pipeline.c has the threads, stages.c what they do with a flight, job.c jobs,
 * reserve.c the memory before they begin, house.c what runs beside.
 */
#ifndef LULL_SCHED_PIPELINE_H
#define LULL_SCHED_PIPELINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/topo.h"
#include "base/trace.h"
#include "input/wtns.h"
#include "lull_pipeline.h"
#include "prove/prover.h"
#include "sched/budget.h"
#include "sched/gate.h"
#include "sched/queue.h"

struct lull_workers;

/* enum lull_dealloc - see &struct lull_pipeline_opts.dealloc */
enum lull_dealloc {
	LULL_DEALLOC_RETIRE,
	LULL_DEALLOC_INLINE,
	LULL_DEALLOC_ASYNC,
	LULL_DEALLOC_SERIAL,
	LULL_DEALLOC_NR_POLICIES,
};

enum lull_sched_role {
	LULL_SCHED_LOAD,
	LULL_SCHED_COMPUTE,
	LULL_SCHED_ASSEMBLE,
	LULL_SCHED_FREE,
	LULL_SCHED_NR_ROLES,
};

/**
 * struct lull_sched_thread - one thread of a stage
 * @pipeline: whose
 * @role: of which stage
 * @index: among those of its role
 * @place: among all, for binding
 * @id: the thread
 * @lane: its line of the trace
 * @devices: lines of the devices that it used
 */
struct lull_sched_thread {
	struct lull_pipeline *pipeline;
	enum lull_sched_role role;
	unsigned int index;
	unsigned int place;
	pthread_t id;
	struct lull_trace_lane *lane;
	struct lull_trace_lane *devices[LULL_GPUS_MAX + 1];
};

/**
 * struct lull_flight - a partition in flight
 * @pipeline: whose
 * @job: of which job
 * @index: which partition
 * @thread: that has it now
 * @next_idle: pipeline's lock: the next idle one
 * @file: the witness, if it was opened here
 * @proving: the proof
 * @watch: what @proving tells
 * @scratch: to be given back
 * @charge: bytes that it was admitted with
 * @queued_ns: when it was put into a queue
 * @users: threads that still need it
 */
struct lull_flight {
	struct lull_pipeline *pipeline;
	struct lull_job *job;
	uint32_t index;
	struct lull_sched_thread *thread;
	struct lull_flight *next_idle;
	struct lull_wtnsfile file;
	struct lull_proving proving;
	struct lull_prover_watch watch;
	struct lull_vec scratch;
	uint64_t charge;
	uint64_t queued_ns;
	atomic_uint users;
};

/**
 * struct lull_sched_partition - one partition of a job
 * @path: its witness's file, or NULL and
 * @wtns: the witness
 * @ended: lock: it has a proof or an error
 * @proof: lock: the proof
 * @error: lock: why there is none
 */
struct lull_sched_partition {
	char *path;
	const struct lull_wtnsfile *wtns;
	bool ended;
	struct lull_proof *proof;
	struct lull_error error;
};

/**
 * struct lull_job - see lull_job_submit()
 * @pipeline: by whom
 * @next: lock: of the pipeline's jobs
 * @key: the key
 * @opts: for the prover
 * @number: of jobs, for the trace
 * @workers: the pool, with @canceled
 * @alone: the calling thread as a pool, with @canceled
 * @canceled: the job is to end
 * @ended_fd: can be read once it has ended
 * @key_hold: lock: of the budget, for the key and for what assembles; one job of
 *	a key has it, and NULL all others
 * @partition_bytes: that each partition is admitted with
 * @nr_begun: lock: partitions that were begun, or never will be
 * @nr_left: lock: partitions that have not ended, or that a thread still needs
 * @status: lock: counts
 * @nr: partitions
 * @partitions: each of them
 *
 * "lock" is the pipeline's.
 */
struct lull_job {
	struct lull_pipeline *pipeline;
	struct lull_job *next;
	const struct lull_key *key;
	struct lull_prove_opts opts;
	uint32_t number;
	struct lull_workers *workers;
	struct lull_workers *alone;
	atomic_bool canceled;
	int ended_fd;
	struct lull_hold *key_hold;
	uint64_t partition_bytes;
	unsigned int nr_begun;
	unsigned int nr_left;
	struct lull_job_status status;
	unsigned int nr;
	struct lull_sched_partition partitions[];
};

struct lull_loader;

/**
 * struct lull_sched_env - what a pipeline works with
 * @workers: the context's pool
 * @arena: memory
 * @loader: who reads witnesses
 * @set: devices
 */
struct lull_sched_env {
	struct lull_workers *workers;
	struct lull_arena *arena;
	struct lull_loader *loader;
	struct lull_set *set;
};

/* What a partition has of the arena, in the order in which it is carved before:
 * small ones take a slot out of what is free. */
enum lull_sched_block {
	LULL_SCHED_PUBLICS,
	LULL_SCHED_MAP,
	LULL_SCHED_FINISH,  /* each that assembles */
	LULL_SCHED_BUFFERS, /* each that loads */
	LULL_SCHED_SCRATCH, /* each that computes, or waits to be freed */
	LULL_SCHED_WITNESS,
	LULL_SCHED_NR_BLOCKS,
};

/**
 * struct lull_sched_shape - what jobs of one kind have of the arena
 * @nr: partitions of one job, as many as can be in flight at most
 * @partition_bytes: what each is admitted with
 * @bytes: of each block
 */
struct lull_sched_shape {
	unsigned int nr;
	uint64_t partition_bytes;
	size_t bytes[LULL_SCHED_NR_BLOCKS];
};

/* Shapes that are remembered; of more, the oldest is forgotten. */
#define LULL_SCHED_SHAPES_MAX 16

/**
 * struct lull_pipeline - see lull_pipeline_create()
 * @env: what it works with
 * @opts: as created, with what 0 stood for
 * @dealloc: how memory is given back
 * @own_workers: a pool of its own, or NULL
 * @workers: the pool of proofs
 * @alone: a pool of one thread, the caller's
 * @budget: memory
 * @gate: bandwidth
 * @topo: processors
 * @trace: or NULL
 * @sampling: guards @counts_lane
 * @counts_lane: of the trace, for numbers
 * @compute: flights that are loaded
 * @assemble: flights that are computed
 * @garbage: flights whose memory is to be freed
 * @nr_threads: by role
 * @threads: all of them, by role
 * @nr_started: of them
 * @house: the thread that runs beside
 * @has_house: it was started
 * @submitting: held while a job is entered and memory reserved for it; guards
 *	what follows
 * @shapes: submitting: of jobs for which memory was reserved
 * @nr_shapes: submitting: how many there were
 * @lock: guards what follows
 * @work: lock: a job came, a flight became idle, or @stop was set
 * @ended: lock: a job has ended
 * @tick: lock: @stop was set, for the house
 * @stop: lock: threads are to end
 * @jobs: lock: all that were not freed, the oldest first
 * @nr_jobs: lock: numbers given out
 * @idle: lock: flights that are not used
 * @nr_flying: lock: flights that are
 * @idle_since_ns: lock: when the last became idle, or the arena was last seen to
 *	be used; 0 when nothing was since a release
 * @idle_releases: lock: counter
 * @idle_released_bytes: lock: counter
 * @flights: all of them
 */
struct lull_pipeline {
	struct lull_sched_env env;
	struct lull_pipeline_opts opts;
	enum lull_dealloc dealloc;
	struct lull_workers *own_workers;
	struct lull_workers *workers;
	struct lull_workers *alone;
	struct lull_budget *budget;
	struct lull_gate gate;
	struct lull_topo *topo;
	struct lull_trace *trace;
	pthread_mutex_t sampling;
	struct lull_trace_lane *counts_lane;
	struct lull_queue compute, assemble, garbage;
	unsigned int nr_threads[LULL_SCHED_NR_ROLES];
	struct lull_sched_thread *threads;
	unsigned int nr_started;
	pthread_t house;
	bool has_house;
	pthread_mutex_t submitting;
	struct lull_sched_shape shapes[LULL_SCHED_SHAPES_MAX];
	size_t nr_shapes;
	pthread_mutex_t lock;
	pthread_cond_t work;
	pthread_cond_t ended;
	pthread_cond_t tick;
	bool stop;
	struct lull_job *jobs;
	uint32_t nr_jobs;
	struct lull_flight *idle;
	unsigned int nr_flying;
	uint64_t idle_since_ns;
	uint64_t idle_releases;
	uint64_t idle_released_bytes;
	struct lull_flight *flights;
};

/* A .wtns has 76 bytes before its values; this much is counted anyway. */
#define LULL_SCHED_HEADER_BYTES_MAX 4096

/* What a witness of a key takes when it is read, at most. */
static inline uint64_t lull_sched_witness_bytes(const struct lull_key *key)
{
	return key->file.parts.nr_vars * (uint64_t)LULL_WTNS_VALUE_BYTES +
	       LULL_SCHED_HEADER_BYTES_MAX;
}

/* And the map of its values' classes. */
static inline uint64_t lull_sched_map_bytes(const struct lull_key *key)
{
	return lull_classes_bytes(key->file.parts.nr_vars);
}

/* pipeline.c: lull_pipeline_create() with the context's parts. */
int lull_sched_create(const struct lull_sched_env *env,
		      const struct lull_pipeline_opts *opts,
		      struct lull_pipeline **ret_pipeline,
		      struct lull_error *reterr);

/* stages.c: what a thread of each role does until there is no more. */
void lull_sched_load(struct lull_sched_thread *thread);
void lull_sched_compute(struct lull_sched_thread *thread);
void lull_sched_assemble(struct lull_sched_thread *thread);
void lull_sched_free(struct lull_sched_thread *thread);

/* job.c: waits for a partition to begin and for an idle flight, and gives it
 * that; NULL when threads are to end. */
struct lull_flight *lull_sched_next(struct lull_pipeline *pipeline);

/* job.c: a partition has ended, with a proof that is the job's from now on, or
 * with an error. */
void lull_sched_end(struct lull_flight *flight, struct lull_proof *proof,
		    const struct lull_error *error);

/* job.c: one user less; without any the flight is idle. */
void lull_sched_put(struct lull_flight *flight);

/* reserve.c: has the memory that partitions of a job will have at one time; for
 * when nothing is under way, with @submitting. */
void lull_sched_reserve(const struct lull_job *job);

/* reserve.c: memory was given back; who needs it again has it for itself alone.
 * Without a lock. */
void lull_sched_forget(struct lull_pipeline *pipeline);

/* house.c: samples numbers and gives memory back when idle. */
void *lull_sched_house(void *pipeline);

/* Whether house.c has anything to do. */
bool lull_sched_wants_house(const struct lull_pipeline *pipeline);

#endif
