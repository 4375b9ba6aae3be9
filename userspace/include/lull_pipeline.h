/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lull_pipeline.h - many proofs at once, for hosts that do nothing else
 *
 * Beside lull.h, whose rules hold here too.  A pipeline loads, computes and
 * assembles side by side; a job is one key and many witnesses, its partitions.
 *
 * A size of this header's structs says which version of them a caller was built
 * with, and only this one is known: any other, smaller or larger, is LULL_USAGE.
 * Fields have gone out of the middle, so that even a larger struct has others
 * elsewhere.
 */
#ifndef LULL_PIPELINE_H
#define LULL_PIPELINE_H

#include "lull.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lull_pipeline;
struct lull_job;

/**
 * struct lull_pipeline_opts - how many partitions are proved at once
 * @size: sizeof(struct lull_pipeline_opts)
 * @in_flight: partitions between the beginning of their load and the end of
 *	their assembly; 0 for what keeps every stage at work
 * @cpu_threads: threads of one proof on the CPU; 0 for the context's
 * @workers_per_device: proofs begun on a device at once; 0 for 2 on a GPU, so
 *	that one loads while the other computes, and else 1
 * @dealloc: how memory of a partition is given back: "retire" (kept for the
 *	next; NULL means it), or to be compared with that, to the system:
 *	"inline", "async" (on threads beside) or "serial" (on one thread).  What
 *	a device has registered is kept all the same, and on module the kernel
 *	takes what it wants under any of them
 * @bandwidth_gate: whether loads and frees pause while a proof wants the
 *	memory's bandwidth: "off" (NULL means it), "flag" or "tokens"
 * @host_bytes: the most memory that keys of jobs and partitions under way are
 *	counted with at any time; who does not fit waits, as it says there; 0 for
 *	no bound
 * @idle_release_s: give free memory back to the system after so many seconds
 *	without work in the whole context, of this pipeline or anybody, and
 *	without a key that is opened or closed; 0 for never
 * @trace: not 0: keep what lull_pipeline_trace_write() writes
 */
struct lull_pipeline_opts {
	size_t size;
	unsigned int in_flight;
	unsigned int cpu_threads;
	unsigned int workers_per_device;
	const char *dealloc;
	const char *bandwidth_gate;
	uint64_t host_bytes;
	unsigned int idle_release_s;
	int trace;
};

/**
 * DOC: what is counted against &struct lull_pipeline_opts.host_bytes
 *
 * A partition, from before its witness is read until its sums are known, with
 * &struct lull_job_status.partition_bytes.  A key, with its file's size and what
 * assembling its proofs takes, once for all its jobs: from when the first of
 * them is submitted until the last is freed.  Both together are never more than
 * the bound.
 *
 * Where partitions under way leave a key no room, it waits for them, and with it
 * its job's partitions and those that come later: everybody has what it wants in
 * the order of asking.  A key that would not fit even without any is refused.
 *
 * A key is in memory from lull_key_open() to lull_key_close(), jobs or not.  So
 * memory of keys that no job uses, or that wait, is the caller's to bound: who
 * opens a key when its turn has come never has more than is counted.
 *
 * Memory of a GPU is not among it.  That is planned when a key is opened, within
 * &struct lull_ctx_opts.vram_bytes, with places for as many proofs as have room:
 * a proof that finds none on its GPU waits for one, and a key for which there is
 * not one place is refused by lull_key_open(), with the numbers, or left to the
 * CPU where that may take over.
 * &struct lull_device_stats has what is used.
 */

/**
 * lull_pipeline_create - threads that load, compute and assemble side by side
 * @ctx: whose memory and devices to use; outlives the pipeline
 * @opts: NULL for the defaults
 * @ret_pipeline: owned by the caller; end it with lull_pipeline_destroy()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_USAGE, LULL_NOMEM or LULL_IO.
 */
LULL_API int lull_pipeline_create(struct lull_ctx *ctx,
				  const struct lull_pipeline_opts *opts,
				  struct lull_pipeline **ret_pipeline,
				  struct lull_error *reterr);

/**
 * lull_pipeline_destroy - end the threads; every job is freed before
 * @pipeline: may be NULL
 */
LULL_API void lull_pipeline_destroy(struct lull_pipeline *pipeline);

/**
 * struct lull_pipeline_stats - how a pipeline is laid out, and what it did
 * @size: sizeof(struct lull_pipeline_stats), set by the caller
 * @in_flight: partitions at once
 * @cpu_threads: of one proof on the CPU
 * @nr_loading: threads that load
 * @nr_computing: threads that compute, each a proof
 * @nr_assembling: threads that assemble and check
 * @nr_freeing: threads that free
 * @binding: how threads are bound to processors
 * @host_bytes: the bound, 0 for none
 * @host_bytes_held: by keys of jobs, and for checking their proofs
 * @host_bytes_promised: to keys that wait for room
 * @host_bytes_used: by partitions now
 * @host_bytes_max: the most that those held and those used were together
 * @memory_waits: how often a partition waited for memory
 * @bandwidth_waits: how often a load or free paused
 * @idle_releases: how often there was free memory to be given back
 * @idle_released_bytes: how much that was
 * @trace_lost: events that the trace has no room for
 */
struct lull_pipeline_stats {
	size_t size;
	unsigned int in_flight;
	unsigned int cpu_threads;
	unsigned int nr_loading;
	unsigned int nr_computing;
	unsigned int nr_assembling;
	unsigned int nr_freeing;
	char binding[64];
	uint64_t host_bytes;
	uint64_t host_bytes_held;
	uint64_t host_bytes_promised;
	uint64_t host_bytes_used;
	uint64_t host_bytes_max;
	uint64_t memory_waits;
	uint64_t bandwidth_waits;
	uint64_t idle_releases;
	uint64_t idle_released_bytes;
	uint64_t trace_lost;
};

/* LULL_OK, or LULL_USAGE for another size. */
LULL_API int lull_pipeline_stats(struct lull_pipeline *pipeline,
				 struct lull_pipeline_stats *stats,
				 struct lull_error *reterr);

/**
 * lull_pipeline_trace_write - write what ran when, as Chrome and Perfetto read it
 * @pipeline: made with trace; no job is under way
 * @path: appears whole or not at all
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_NOMEM, or LULL_USAGE without a trace or while
 * a job is under way.
 */
LULL_API int lull_pipeline_trace_write(struct lull_pipeline *pipeline,
				       const char *path,
				       struct lull_error *reterr);

/**
 * struct lull_job_opts - one key and many witnesses
 * @size: sizeof(struct lull_job_opts)
 * @flags: LULL_PROVE_*
 * @nr_partitions: how many, at least 1 and at most LULL_PARTITIONS_MAX
 * @paths: their files, copied; or NULL and
 * @wtns: open witnesses, which outlive the job
 */
struct lull_job_opts {
	size_t size;
	unsigned int flags;
	unsigned int nr_partitions;
	const char *const *paths;
	const struct lull_wtns *const *wtns;
};

/**
 * lull_job_submit - have partitions proved
 * @pipeline: by whom
 * @key: of the pipeline's context; outlives the job
 * @opts: what
 * @ret_job: owned by the caller; end it with lull_job_free()
 * @reterr: filled on failure
 *
 * Partitions begin in the order of jobs and within a job in theirs.  One that
 * fails harms no other.
 *
 * Context: any thread.
 * Return: LULL_OK, LULL_USAGE, LULL_IO, or LULL_NOMEM, also when the budget
 * cannot have the key and the largest partition beside keys of jobs that were not
 * freed.
 */
LULL_API int lull_job_submit(struct lull_pipeline *pipeline,
			     const struct lull_key *key,
			     const struct lull_job_opts *opts,
			     struct lull_job **ret_job,
			     struct lull_error *reterr);

/* Waits for the end of a job, timeout_ms at most or for ever if that is
 * negative.  Returns 1 when it has ended, else 0. */
LULL_API int lull_job_wait(struct lull_job *job, int timeout_ms);

/* A descriptor that can be read once the job has ended, for poll(2); the
 * job's own. */
LULL_API int lull_job_fd(const struct lull_job *job);

/* Partitions that have not ended end soon, with LULL_CANCELED. */
LULL_API void lull_job_cancel(struct lull_job *job);

/**
 * struct lull_job_status - how far a job is
 * @size: sizeof(struct lull_job_status), set by the caller
 * @nr_partitions: all
 * @nr_proved: that have their proof
 * @nr_failed: that have failed
 * @nr_canceled: that were canceled
 * @partition_bytes: of host memory that each is counted with, whatever its
 *	witness's file has beside the values
 */
struct lull_job_status {
	size_t size;
	unsigned int nr_partitions;
	unsigned int nr_proved;
	unsigned int nr_failed;
	unsigned int nr_canceled;
	uint64_t partition_bytes;
};

/* LULL_OK, or LULL_USAGE for another size. */
LULL_API int lull_job_status(struct lull_job *job,
			     struct lull_job_status *status,
			     struct lull_error *reterr);

/* The proof of a partition, which lives as long as the job; or NULL, and why
 * in *reterr: LULL_USAGE while it has not ended. */
LULL_API const struct lull_proof *lull_job_proof(struct lull_job *job,
						 unsigned int partition,
						 struct lull_error *reterr);

/* For lull_job_write(): JSON, also on BLS12-381. */
#define LULL_JOB_JSON 1u

/**
 * lull_job_write - write the proofs of some partitions into one file
 * @job: the job
 * @first: the first partition
 * @nr: how many, each with its proof
 * @path: appears whole or not at all
 * @flags: 0, or LULL_JOB_JSON
 * @reterr: filled on failure
 *
 * On BLS12-381 bellman's 192 bytes of each, one after the other; on BN254, or
 * when that is asked for, a JSON array of {"proof", "publicSignals"}.
 *
 * Return: LULL_OK, LULL_IO, LULL_NOMEM, or why a partition has no proof.
 */
LULL_API int lull_job_write(struct lull_job *job, unsigned int first,
			    unsigned int nr, const char *path,
			    unsigned int flags, struct lull_error *reterr);

/* Cancels a job that has not ended, waits for its end, and frees its proofs;
 * takes NULL. */
LULL_API void lull_job_free(struct lull_job *job);

#ifdef __cplusplus
}
#endif
#endif
