// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline.c - times of proofs of many partitions, under chosen policies
 *
 * For `lull bench proofs --partitions`.  A proof is a job of N partitions, whose
 * witnesses are taken in turn from as many as there are, each read from its file
 * every time.  First one at a time (isolated),
 * then several at once for as long as asked for (sustained); an engine that
 * slows down under load shows as a sustained time above the isolated one.
 *
 * A sweep measures every combination of the values of its axes, each in a
 * context of its own, so that nothing is left over from the one before.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "base/counters.h"
#include "base/error.h"
#include "bench/bench.h"
#include "curve/facts.h"

#define JOBS_MAX 64
#define ISOLATED_MAX 3
#define NAME_BYTES 96
#define CONFIGS_MAX 256

/* One combination of policies. */
struct config {
	const char *dealloc;
	const char *gate;
	unsigned int cpu_threads;
};

/**
 * struct load - one combination being measured
 * @opts: what was asked for
 * @config: the policies
 * @paths: of the witness of each partition
 * @ctx: the context
 * @key: the key
 * @info: of the key
 * @pipeline: who proves
 * @stats: of it, at the end
 * @isolated: one sample a job
 * @sustained: likewise
 * @wall_ns: of all that were sustained
 * @isolated_cpu_ns: what all processors gave to those alone
 * @sustained_cpu_ns: and to those that were sustained
 * @before: counters before those
 * @after: and behind
 * @arena_first: the arena behind those that are not counted
 * @arena_before: before those that are sustained
 * @arena_after: likewise
 * @devices_before: likewise
 * @devices_after: likewise
 */
struct load {
	const struct lull_bench_opts *opts;
	const struct config *config;
	const char **paths;
	struct lull_ctx *ctx;
	struct lull_bench_key key;
	struct lull_key_info info;
	struct lull_pipeline *pipeline;
	struct lull_pipeline_stats stats;
	struct lull_bench_samples isolated, sustained;
	uint64_t wall_ns;
	uint64_t isolated_cpu_ns, sustained_cpu_ns;
	struct lull_counters before, after;
	struct lull_ctx_stats arena_first, arena_before, arena_after;
	struct lull_device_stats devices_before, devices_after;
};

/* ---- jobs -------------------------------------------------------------- */

/* Jobs under way; those of an empty place have no descriptor. */
struct places {
	struct lull_job *jobs[JOBS_MAX];
	struct pollfd fds[JOBS_MAX];
	uint64_t start_ns[JOBS_MAX];
	unsigned int nr;
};

static int submit(struct load *l, struct places *places, unsigned int i,
		  struct lull_error *reterr)
{
	const struct lull_job_opts opts = {
		.size = sizeof(opts),
		.flags = l->opts->no_verify ? LULL_PROVE_NO_VERIFY : 0,
		.nr_partitions = l->opts->nr_partitions,
		.paths = l->paths,
	};
	int err;

	places->start_ns[i] = lull_bench_now_ns();
	err = lull_job_submit(l->pipeline, l->key.key, &opts, &places->jobs[i],
			      reterr);
	places->fds[i].fd = err ? -1 : lull_job_fd(places->jobs[i]);
	places->fds[i].events = POLLIN;
	return err;
}

/* The first partition without a proof, if there is one. */
static int check(const struct load *l, struct lull_job *job,
		 struct lull_error *reterr)
{
	struct lull_error error;
	unsigned int i;

	for (i = 0; i < l->opts->nr_partitions; i++) {
		if (lull_job_proof(job, i, &error))
			continue;
		if (reterr)
			*reterr = error;
		return error.code;
	}
	return LULL_OK;
}

/* Takes a job that has ended out of its place. */
static int collect(struct load *l, struct places *places, unsigned int i,
		   struct lull_bench_samples *samples,
		   struct lull_error *reterr)
{
	int err = check(l, places->jobs[i], reterr);

	samples->ns[samples->nr++] = lull_bench_now_ns() - places->start_ns[i];
	lull_job_free(places->jobs[i]);
	places->jobs[i] = NULL;
	places->fds[i].fd = -1;
	return err;
}

static int collect_ended(struct load *l, struct places *places,
			 struct lull_bench_samples *samples,
			 struct lull_error *reterr)
{
	unsigned int i;
	int err = LULL_OK;

	if (poll(places->fds, places->nr, -1) < 0)
		return LULL_OK; /* a signal: again */
	for (i = 0; i < places->nr && !err; i++)
		if (places->fds[i].fd >= 0 && places->fds[i].revents)
			err = collect(l, places, i, samples, reterr);
	return err;
}

/* Keeps @nr_jobs under way until @count have ended. */
static int run_jobs(struct load *l, unsigned int count, unsigned int nr_jobs,
		    struct lull_bench_samples *samples,
		    struct lull_error *reterr)
{
	struct places places = { .nr = nr_jobs };
	unsigned int i, nr_begun = 0;
	int err = LULL_OK;

	for (i = 0; i < nr_jobs; i++)
		places.fds[i].fd = -1;
	while (samples->nr < count && !err) {
		for (i = 0; i < nr_jobs && !err && nr_begun < count; i++) {
			if (places.jobs[i])
				continue;
			err = submit(l, &places, i, reterr);
			nr_begun += !err;
		}
		if (!err)
			err = collect_ended(l, &places, samples, reterr);
	}
	for (i = 0; i < nr_jobs; i++)
		lull_job_free(places.jobs[i]);
	return err;
}

/* ---- one combination --------------------------------------------------- */

static int open_all(struct load *l, struct lull_error *reterr)
{
	struct lull_pipeline_opts opts = *l->opts->pipeline;
	int err = l->opts->make_ctx(l->opts->make_ctx_arg, &l->ctx, reterr);

	opts.size = sizeof(opts);
	opts.dealloc = l->config->dealloc;
	opts.bandwidth_gate = l->config->gate;
	opts.cpu_threads = l->config->cpu_threads;
	opts.trace = l->opts->trace != NULL;
	if (!err)
		err = lull_bench_key_open(l->opts, l->ctx, &l->key, reterr);
	if (!err)
		err = lull_key_info(l->key.key, &l->info, reterr);
	if (!err)
		err = lull_pipeline_create(l->ctx, &opts, &l->pipeline, reterr);
	return err;
}

static void close_all(struct load *l)
{
	lull_pipeline_destroy(l->pipeline);
	lull_bench_key_close(&l->key);
	lull_ctx_destroy(l->ctx);
}

/* Of the whole process: on a host that others share it tells more than time. */
static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * LULL_NS_PER_S + (uint64_t)t.tv_nsec;
}

/* As many at once as later, so that memory for them has been had. */
static int warm_up(struct load *l, struct lull_error *reterr)
{
	unsigned int nr =
		(unsigned int)lull_min(l->opts->nr_proofs, l->opts->nr_jobs);
	int err = run_jobs(l, nr, nr, &l->sustained, reterr);

	l->sustained.nr = 0;
	return err;
}

static int measure_isolated(struct load *l, struct lull_error *reterr)
{
	unsigned int nr =
		(unsigned int)lull_min(l->opts->nr_proofs, ISOLATED_MAX);
	uint64_t start = cpu_ns();
	int err = run_jobs(l, nr, 1, &l->isolated, reterr);

	l->isolated_cpu_ns = cpu_ns() - start;
	return err;
}

/* Some that are not counted, a few alone, then all that were asked for. */
static int measure(struct load *l, struct lull_error *reterr)
{
	unsigned int count = l->opts->nr_proofs;
	uint64_t start, start_cpu;
	int err = warm_up(l, reterr);

	lull_bench_ctx_stats(l->ctx, &l->arena_first);
	if (!err)
		err = measure_isolated(l, reterr);
	if (err)
		return err;
	lull_bench_ctx_stats(l->ctx, &l->arena_before);
	lull_ctx_device_stats(l->ctx, &l->devices_before, NULL);
	lull_counters_read(&l->before);
	start_cpu = cpu_ns();
	start = lull_bench_now_ns();
	err = run_jobs(l, count, l->opts->nr_jobs, &l->sustained, reterr);
	l->wall_ns = lull_bench_now_ns() - start;
	l->sustained_cpu_ns = cpu_ns() - start_cpu;
	lull_counters_read(&l->after);
	lull_bench_ctx_stats(l->ctx, &l->arena_after);
	lull_ctx_device_stats(l->ctx, &l->devices_after, NULL);
	lull_pipeline_stats(l->pipeline, &l->stats, NULL);
	if (!err && l->opts->trace)
		err = lull_pipeline_trace_write(l->pipeline, l->opts->trace,
						reterr);
	return err;
}

/* ---- rows -------------------------------------------------------------- */

/* What it was made with. */
static json_t *describe_config(const struct load *l)
{
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%s/%u/%s", l->config->dealloc,
		 l->stats.cpu_threads, l->config->gate);
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, "
			 "s:i, s:i, s:s, s:s, s:b, s:b}",
			 "bench", "pipeline", "name", name, "curve",
			 lull_curve_facts(l->info.curve)->name, "backend",
			 lull_ctx_backend(l->ctx), "log2_n",
			 __builtin_ctz(l->info.domain_size), "partitions",
			 (int)l->opts->nr_partitions, "witnesses",
			 (int)l->opts->nr_witnesses, "count",
			 (int)l->opts->nr_proofs, "jobs", (int)l->opts->nr_jobs,
			 "in_flight", (int)l->stats.in_flight, "computing",
			 (int)l->stats.nr_computing, "threads",
			 (int)l->stats.cpu_threads, "dealloc",
			 l->config->dealloc, "bandwidth_gate", l->config->gate,
			 "verified", !l->opts->no_verify, "key_in_place",
			 l->opts->key_in_place);
}

/* How it went: times. */
static json_t *describe_times(struct load *l)
{
	size_t p95 = (l->sustained.nr * 95 + 99) / 100 - 1;
	uint64_t isolated, each = l->wall_ns / l->sustained.nr;

	lull_bench_sort(&l->isolated);
	lull_bench_sort(&l->sustained);
	isolated = lull_bench_median(&l->isolated);
	return json_pack(
		"{s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:f}", "isolated_ns",
		(json_int_t)isolated, "sustained_ns", (json_int_t)each,
		"isolated_cpu_ns",
		(json_int_t)(l->isolated_cpu_ns / l->isolated.nr),
		"sustained_cpu_ns",
		(json_int_t)(l->sustained_cpu_ns / l->sustained.nr),
		"sustained_over_isolated", (double)each / (double)isolated,
		"p50_ns", (json_int_t)lull_bench_median(&l->sustained),
		"p95_ns", (json_int_t)l->sustained.ns[p95], "ns_per_item",
		(double)each / l->opts->nr_partitions / l->info.domain_size);
}

/* Nothing was had of the system, or given back, since the first proofs: by the
 * arena, or by who maps files. */
static bool is_silent(const struct load *l)
{
	const struct lull_ctx_stats *was = &l->arena_first;
	const struct lull_ctx_stats *is = &l->arena_after;

	return was->munmaps == is->munmaps && was->flushes == is->flushes &&
	       was->faulted_bytes == is->faulted_bytes &&
	       was->unmapped_bytes == is->unmapped_bytes &&
	       was->registered_bytes == is->registered_bytes;
}

/* And what it cost: of the sustained proofs, the peaks of all. */
static json_t *describe_costs(const struct load *l)
{
	const struct lull_ctx_stats *was = &l->arena_before;
	const struct lull_ctx_stats *is = &l->arena_after;

	return json_pack(
		"{s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
		"s:I, s:I, s:I}",
		"arena", is->arena, "silent", is_silent(l), "pinned_bytes",
		(json_int_t)is->pinned_bytes, "registered_bytes",
		(json_int_t)(is->registered_bytes - was->registered_bytes),
		"unmapped_bytes",
		(json_int_t)(is->unmapped_bytes - was->unmapped_bytes),
		"host_bytes_max", (json_int_t)l->stats.host_bytes_max,
		"arena_used_bytes_max", (json_int_t)is->used_bytes_max,
		"peak_rss_bytes", (json_int_t)lull_bench_peak_rss_bytes(),
		"tlb_ipis",
		(json_int_t)(l->after.ipis_tlb - l->before.ipis_tlb), "faults",
		(json_int_t)(l->after.faults - l->before.faults),
		"faulted_bytes",
		(json_int_t)(is->faulted_bytes - was->faulted_bytes), "flushes",
		(json_int_t)(is->flushes - was->flushes), "munmaps",
		(json_int_t)(is->munmaps - was->munmaps), "memory_waits",
		(json_int_t)l->stats.memory_waits, "bandwidth_waits",
		(json_int_t)l->stats.bandwidth_waits);
}

static int report(struct load *l, struct lull_error *reterr)
{
	json_t *row = describe_config(l), *times = describe_times(l);
	json_t *costs = describe_costs(l);
	int failed = !row || !times || !costs ||
		     json_object_update(row, times) ||
		     json_object_update(row, costs) ||
		     lull_bench_describe_devices(row, &l->devices_before,
						 &l->devices_after,
						 l->sustained.nr, l->wall_ns);

	json_decref(times);
	json_decref(costs);
	if (!failed)
		failed = lull_bench_describe(row, &l->sustained, NULL);
	if (!failed && l->opts->about)
		failed = json_object_update(row, l->opts->about);
	if (!failed)
		return l->opts->row(l->opts->row_arg, row, reterr);
	json_decref(row);
	return lull_fail(reterr, LULL_NOMEM, "out of memory for a row");
}

static int run_config(const struct lull_bench_opts *opts,
		      const struct config *config, const char **paths,
		      uint64_t *memory, struct lull_error *reterr)
{
	struct load l = { .opts = opts,
			  .config = config,
			  .paths = paths,
			  .info.size = sizeof(l.info),
			  .stats.size = sizeof(l.stats),
			  .arena_first.size = sizeof(l.arena_first),
			  .arena_before.size = sizeof(l.arena_before),
			  .arena_after.size = sizeof(l.arena_after),
			  .devices_before.size = sizeof(l.devices_before),
			  .devices_after.size = sizeof(l.devices_after),
			  .isolated.ns = memory,
			  .sustained.ns = memory + ISOLATED_MAX };
	int err;

	lull_bench_peak_rss_reset();
	err = open_all(&l, reterr);
	if (!err)
		err = measure(&l, reterr);
	if (!err)
		err = report(&l, reterr);
	close_all(&l);
	return err;
}

/* ---- sweeps ------------------------------------------------------------ */

static const char *const deallocs[] = { "retire", "inline", "async", "serial" };
static const char *const gates[] = { "off", "flag", "tokens" };

/* Which axes are swept. */
struct axes {
	bool dealloc, gate, cpu_threads;
};

/* "dealloc,cpu-threads" */
static int read_axes(const char *text, struct axes *ret_axes,
		     struct lull_error *reterr)
{
	struct axes axes = { 0 };
	size_t len;

	while (text && *text) {
		len = strcspn(text, ",");
		if (len == strlen("dealloc") && !strncmp(text, "dealloc", len))
			axes.dealloc = true;
		else if (len == strlen("bandwidth-gate") &&
			 !strncmp(text, "bandwidth-gate", len))
			axes.gate = true;
		else if (len == strlen("cpu-threads") &&
			 !strncmp(text, "cpu-threads", len))
			axes.cpu_threads = true;
		else
			return lull_fail(reterr, LULL_USAGE,
					 "--sweep: expected dealloc, "
					 "cpu-threads or bandwidth-gate, found "
					 "'%.*s'",
					 (int)lull_min(len, 40), text);
		text += len + (text[len] == ',');
	}
	*ret_axes = axes;
	return LULL_OK;
}

int lull_bench_sweep_check(const char *sweep, struct lull_error *reterr)
{
	struct axes axes;

	return read_axes(sweep, &axes, reterr);
}

/* 1, 2, 4, ... and all. */
static unsigned int list_threads(unsigned int all, unsigned int *ret_list)
{
	unsigned int nr = 0, i;

	for (i = 1; i < all; i *= 2)
		ret_list[nr++] = i;
	ret_list[nr++] = all;
	return nr;
}

static size_t list_configs(const struct lull_bench_opts *opts,
			   const struct axes *axes, struct config *ret_configs)
{
	const struct lull_pipeline_opts *p = opts->pipeline;
	unsigned int threads[32] = { p->cpu_threads ? p->cpu_threads
						    : opts->nr_threads };
	unsigned int nr_threads = 1;
	size_t d, g, t, nr = 0;

	if (axes->cpu_threads)
		nr_threads = list_threads(opts->nr_threads, threads);
	for (d = 0; d < (axes->dealloc ? LULL_ARRAY_SIZE(deallocs) : 1); d++)
		for (g = 0; g < (axes->gate ? LULL_ARRAY_SIZE(gates) : 1); g++)
			for (t = 0; t < nr_threads; t++)
				ret_configs[nr++] = (struct config){
					.dealloc = axes->dealloc || !p->dealloc
							   ? deallocs[d]
							   : p->dealloc,
					.gate = axes->gate || !p->bandwidth_gate
							? gates[g]
							: p->bandwidth_gate,
					.cpu_threads = threads[t],
				};
	return nr;
}

int lull_bench_pipeline(const struct lull_bench_opts *opts,
			struct lull_error *reterr)
{
	struct config configs[CONFIGS_MAX];
	const char **paths = calloc(opts->nr_partitions, sizeof(*paths));
	uint64_t *memory =
		calloc(ISOLATED_MAX + (size_t)opts->nr_proofs, sizeof(*memory));
	struct axes axes = { 0 };
	size_t nr, i;
	int err;

	assert(opts->nr_jobs && opts->nr_jobs <= JOBS_MAX);
	err = paths && memory ? read_axes(opts->sweep, &axes, reterr)
			      : lull_fail(reterr, LULL_NOMEM,
					  "out of memory for %u partitions",
					  opts->nr_partitions);
	for (i = 0; i < opts->nr_partitions && !err; i++)
		paths[i] = opts->wtns_paths[i % opts->nr_witnesses];
	nr = err ? 0 : list_configs(opts, &axes, configs);
	for (i = 0; i < nr && !err; i++)
		err = run_config(opts, &configs[i], paths, memory, reterr);
	free(paths);
	free(memory);
	return err;
}
