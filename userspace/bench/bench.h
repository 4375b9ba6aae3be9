/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.h - measurements for `lull bench`
 *
 * For cli/.  Each measurement becomes one row, a JSON object with median and
 * spread in nanoseconds and the host it was taken on; the caller prints it.
 */
#ifndef LULL_BENCH_BENCH_H
#define LULL_BENCH_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/infile.h"
#include "lull.h"
#include "lull_pipeline.h"

/**
 * struct lull_bench_opts - what to measure
 * @nr_threads: at least 1
 * @nr_runs: measured runs, at least 1; one more goes before, unmeasured
 * @curve: an enum lull_curve, or 0 for both
 * @min_log2: kernels by size: the smallest, 2^min_log2
 * @max_log2: the largest
 * @only: one kernel's name, or NULL for all
 * @backend: of kernels: "cpu", "cuda", "auto" or "null"
 * @gpus: of kernels: the first is measured
 * @nr_gpus: how many; 0 for GPU 0
 * @vram_bytes: of kernels: the most device memory to use; 0 for what is free
 * @no_verify: proofs without the pairing check
 * @ctx: for proofs
 * @key_path: for proofs
 * @key_in_place: map the key, and do not read it into memory of our own
 * @wtns_paths: for proofs: the first; of pipelines: taken in turn
 * @nr_witnesses: how many: at least 1
 * @about: of proofs: members that every row gets, or NULL
 * @nr_partitions: of pipelines: partitions of a proof
 * @nr_proofs: of pipelines: how many are measured
 * @nr_jobs: of pipelines: under way at once, at most 64
 * @pipeline: of pipelines: the policies
 * @sweep: of pipelines: axes with commas between them, or NULL
 * @trace: of pipelines: where to write one, or NULL
 * @make_ctx: of pipelines: makes a context for one combination
 * @make_ctx_arg: handed to @make_ctx
 * @row: takes a row and its reference; what it returns, if not 0, ends the
 *	bench and is returned by it
 * @row_arg: handed to @row
 */
struct lull_bench_opts {
	unsigned int nr_threads;
	unsigned int nr_runs;
	int curve;
	unsigned int min_log2;
	unsigned int max_log2;
	const char *only;
	const char *backend;
	const unsigned int *gpus;
	unsigned int nr_gpus;
	uint64_t vram_bytes;
	bool no_verify;
	struct lull_ctx *ctx;
	const char *key_path;
	bool key_in_place;
	const char *const *wtns_paths;
	unsigned int nr_witnesses;
	json_t *about;
	unsigned int nr_partitions;
	unsigned int nr_proofs;
	unsigned int nr_jobs;
	const struct lull_pipeline_opts *pipeline;
	const char *sweep;
	const char *trace;
	int (*make_ctx)(const void *arg, struct lull_ctx **ret_ctx,
			struct lull_error *reterr);
	const void *make_ctx_arg;
	int (*row)(void *arg, json_t *row, struct lull_error *reterr);
	void *row_arg;
};

/* A key for proofs; of none it is all zero. */
struct lull_bench_key {
	struct lull_key *key;
	struct lull_infile file;
};

/* Opens opts->key_path, in place where that is wanted.  What lull_key_open()
 * returns. */
int lull_bench_key_open(const struct lull_bench_opts *opts,
			struct lull_ctx *ctx, struct lull_bench_key *ret_key,
			struct lull_error *reterr);
void lull_bench_key_close(struct lull_bench_key *key);

/* LULL_OK, or what went wrong; LULL_USAGE for an unknown kernel. */
int lull_bench_kernels(const struct lull_bench_opts *opts,
		       struct lull_error *reterr);
/* One row for whole proofs, or with @by_stage one for each stage. */
int lull_bench_proofs(const struct lull_bench_opts *opts, bool by_stage,
		      struct lull_error *reterr);

/* Whether @sweep, which may be NULL, names axes: LULL_OK or LULL_USAGE. */
int lull_bench_sweep_check(const char *sweep, struct lull_error *reterr);

/* One row for each combination of policies: LULL_OK, LULL_USAGE for an unknown
 * axis, or what went wrong. */
int lull_bench_pipeline(const struct lull_bench_opts *opts,
			struct lull_error *reterr);

/* Rows of a device's own kernels.  Does nothing, and says so in *ret_done, when
 * the backend turns out to be the CPU. */
int lull_bench_device(const struct lull_bench_opts *opts, bool *ret_done,
		      struct lull_error *reterr);

/* Draws a trace: LULL_OK, LULL_IO, LULL_FORMAT (it is none) or LULL_NOMEM. */
int lull_bench_waterfall(const char *trace_path, const char *svg_path,
			 struct lull_error *reterr);

/**
 * enum lull_bench_storm_scenario - which vectors are freed
 * @LULL_BENCH_STORM_PARTITION: those of a partition, scaled; all of them
 * @LULL_BENCH_STORM_ALL: vectors of 1 MiB; all of them
 * @LULL_BENCH_STORM_SCATTERED: vectors of 1 MiB; those in every other 2 MiB
 * @LULL_BENCH_STORM_TABLE: first ALL, then SCATTERED
 */
enum lull_bench_storm_scenario {
	LULL_BENCH_STORM_PARTITION,
	LULL_BENCH_STORM_ALL,
	LULL_BENCH_STORM_SCATTERED,
	LULL_BENCH_STORM_TABLE,
};

/* "partition", "all", "scattered", "table". */
const char *
lull_bench_storm_scenario_name(enum lull_bench_storm_scenario scenario);

/**
 * struct lull_bench_storm_opts - frees to be compared
 * @gib: bytes of all vectors, in GiB
 * @nr_vectors: into which they are cut
 * @nr_threads: that allocate and free
 * @nr_bystanders: that compute meanwhile
 * @nr_rounds: measured rounds, at least 1
 * @arms: names with commas between them, or NULL for all
 * @scenario: which vectors there are, and which of them are freed
 * @pressure_s: ask for memory this many seconds after the last free; 0: not
 * @cuda_register: also register arenas with CUDA
 * @svg: a plot to write, or NULL
 * @in_process: run this arm in this process, alone; NULL: start processes
 * @row: as in struct lull_bench_opts
 * @row_arg: handed to @row
 */
struct lull_bench_storm_opts {
	double gib;
	unsigned int nr_vectors;
	unsigned int nr_threads;
	unsigned int nr_bystanders;
	unsigned int nr_rounds;
	const char *arms;
	enum lull_bench_storm_scenario scenario;
	unsigned int pressure_s;
	bool cuda_register;
	const char *svg;
	const char *in_process;
	int (*row)(void *arg, json_t *row, struct lull_error *reterr);
	void *row_arg;
};

/* A row for the host, then one for each arm: what it cost, or why it cannot
 * run here.  LULL_OK, LULL_USAGE for an unknown arm, or what went wrong. */
int lull_bench_storm(const struct lull_bench_storm_opts *opts,
		     struct lull_error *reterr);

/* The most files that are read together. */
#define LULL_BENCH_LOAD_FILES_MAX 4

/**
 * struct lull_bench_load_opts - files to be read
 * @paths: the files, read together
 * @nr_paths: 1 to LULL_BENCH_LOAD_FILES_MAX
 * @nr_threads: of a loader
 * @nr_runs: measured runs, at least 1; one more goes before, unmeasured
 * @depth: reads in flight
 * @chunk_bytes: of a read
 * @only: "disk" or one loader's name, or NULL for all
 * @arena: where to read to; NULL for auto
 * @row: as in struct lull_bench_opts
 * @row_arg: handed to @row
 */
struct lull_bench_load_opts {
	const char *const *paths;
	unsigned int nr_paths;
	unsigned int nr_threads;
	unsigned int nr_runs;
	unsigned int depth;
	size_t chunk_bytes;
	const char *only;
	const char *arena;
	int (*row)(void *arg, json_t *row, struct lull_error *reterr);
	void *row_arg;
};

/* A row for the disk's own rate and for each loader, cold; then for each
 * loader, warm.  LULL_OK, LULL_USAGE, or what went wrong. */
int lull_bench_load(const struct lull_bench_load_opts *opts,
		    struct lull_error *reterr);

/**
 * struct lull_bench_samples - times of one thing
 * @ns: one for each run
 * @nr: how many so far
 */
struct lull_bench_samples {
	uint64_t *ns;
	size_t nr;
};

uint64_t lull_bench_now_ns(void);

/*
 * The most memory that was resident since the program began or since the reset,
 * 0 where the kernel does not tell.  Not getrusage()'s figure: that begins with
 * what the caller of exec() had.
 */
uint64_t lull_bench_peak_rss_bytes(void);
void lull_bench_peak_rss_reset(void);

/* A context's counters, whose munmaps are all that the library called: not only
 * the arena's, but those of mapped files as well. */
void lull_bench_ctx_stats(struct lull_ctx *ctx,
			  struct lull_ctx_stats *ret_stats);

/* {"cpu", "cores", "kernel", "compiler"}, or NULL. */
json_t *lull_bench_host(void);

/* Adds runs, median_ns, min_ns and max_ns to a row, and the host.  Sorts. */
int lull_bench_describe(json_t *row, struct lull_bench_samples *samples,
			struct lull_error *reterr);

/* Adds to a row what a context's devices hold, what each of @nr_proofs proofs
 * copied to them and from them, and the share of @wall_ns that stages ran on
 * them.  Not 0 when there is no memory. */
int lull_bench_describe_devices(json_t *row,
				const struct lull_device_stats *was,
				const struct lull_device_stats *is,
				size_t nr_proofs, uint64_t wall_ns);

void lull_bench_sort(struct lull_bench_samples *samples);

/* The median of what has been sorted. */
uint64_t lull_bench_median(const struct lull_bench_samples *samples);

#endif
