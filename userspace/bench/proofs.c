// SPDX-License-Identifier: Apache-2.0
/*
 * proofs.c - times of whole proofs, and of their stages, on an open key
 *
 * Reading and checking the key is measured once and reported beside them: a
 * proving host does it once a key.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"
#include "base/stage.h"
#include "bench/bench.h"
#include "curve/facts.h"

#define BACKEND_BYTES 192

/**
 * struct proofs - one measurement under way
 * @opts: what was asked for
 * @info: the key
 * @open_ns: opening the key took
 * @backend: who computed the last proof
 * @whole: lull_prove() as its caller sees it
 * @stages: by enum lull_stage; a stage that was left out has no samples
 * @names: of the stages, from the library
 * @arena_first: the arena behind the first proof
 * @arena: behind the last
 * @devices_first: devices behind the first proof
 * @devices: behind the last
 * @memory: behind all samples
 */
struct proofs {
	const struct lull_bench_opts *opts;
	struct lull_key_info info;
	uint64_t open_ns;
	char backend[BACKEND_BYTES];
	struct lull_bench_samples whole;
	struct lull_bench_samples stages[LULL_NR_STAGES];
	const char *names[LULL_NR_STAGES];
	struct lull_ctx_stats arena_first, arena;
	struct lull_device_stats devices_first, devices;
	uint64_t *memory;
};

static int measure_once(struct proofs *p, const struct lull_key *key,
			const struct lull_wtns *wtns, bool keep,
			struct lull_error *reterr)
{
	const struct lull_prove_opts opts = {
		.size = sizeof(opts),
		.flags = p->opts->no_verify ? LULL_PROVE_NO_VERIFY : 0,
	};
	const struct lull_stage_time *stages;
	struct lull_bench_samples *samples;
	struct lull_proof *proof;
	uint64_t start = lull_bench_now_ns();
	unsigned int nr, i;
	int err;

	err = lull_prove(p->opts->ctx, key, wtns, &opts, &proof, reterr);
	if (err)
		return err;
	if (keep) {
		p->whole.ns[p->whole.nr++] = lull_bench_now_ns() - start;
		stages = lull_proof_stages(proof, &nr);
		for (i = 0; i < nr && i < LULL_NR_STAGES; i++) {
			samples = &p->stages[i];
			p->names[i] = stages[i].name;
			samples->ns[samples->nr++] = stages[i].ns;
		}
	}
	snprintf(p->backend, sizeof(p->backend), "%s",
		 lull_proof_backend(proof));
	lull_proof_free(proof);
	return LULL_OK;
}

static int measure(struct proofs *p, struct lull_error *reterr)
{
	struct lull_wtns *wtns = NULL;
	struct lull_bench_key key = { 0 };
	uint64_t start;
	unsigned int i;
	int err;

	err = lull_wtns_open(p->opts->ctx, p->opts->wtns_paths[0], &wtns,
			     reterr);
	if (err)
		return err;
	start = lull_bench_now_ns();
	err = lull_bench_key_open(p->opts, p->opts->ctx, &key, reterr);
	p->open_ns = lull_bench_now_ns() - start;
	if (!err)
		err = lull_key_info(key.key, &p->info, reterr);
	for (i = 0; i <= p->opts->nr_runs && !err; i++) {
		err = measure_once(p, key.key, wtns, i > 0, reterr);
		lull_bench_ctx_stats(p->opts->ctx,
				     i ? &p->arena : &p->arena_first);
		lull_ctx_device_stats(p->opts->ctx,
				      i ? &p->devices : &p->devices_first,
				      NULL);
	}
	lull_bench_key_close(&key);
	lull_wtns_close(wtns);
	return err;
}

static json_t *begin_row(const struct proofs *p, const char *bench,
			 const char *name)
{
	unsigned int log2_n = 0;

	while (log2_n < 31 && 1u << log2_n < p->info.domain_size)
		log2_n++;
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i}", "bench", bench,
			 "name", name, "curve",
			 lull_curve_facts(p->info.curve)->name, "backend",
			 p->backend, "log2_n", (int)log2_n, "threads",
			 (int)p->opts->nr_threads);
}

static int finish_row(struct proofs *p, json_t *row,
		      struct lull_bench_samples *samples,
		      struct lull_error *reterr)
{
	int err = lull_bench_describe(row, samples, reterr);

	if (!err && p->opts->about)
		err = json_object_update(row, p->opts->about);
	if (!err)
		err = json_object_set_new(
			row, "ns_per_item",
			json_real((double)lull_bench_median(samples) /
				  p->info.domain_size));
	if (!err)
		return p->opts->row(p->opts->row_arg, row, reterr);
	json_decref(row);
	return lull_fail(reterr, LULL_NOMEM, "out of memory for a row");
}

static int report_stages(struct proofs *p, struct lull_error *reterr)
{
	unsigned int i;
	int err = LULL_OK;

	for (i = 0; i < LULL_NR_STAGES && !err; i++)
		if (p->stages[i].nr)
			err = finish_row(p, begin_row(p, "stages", p->names[i]),
					 &p->stages[i], reterr);
	return err;
}

/* {"load": median, ...} */
static json_t *describe_stages(struct proofs *p)
{
	json_t *object = json_object(), *scratch = json_object();
	unsigned int i;

	for (i = 0; i < LULL_NR_STAGES; i++) {
		if (!p->stages[i].nr)
			continue;
		/* Sorts them; the row that it fills is not wanted. */
		lull_bench_describe(scratch, &p->stages[i], NULL);
		json_object_set_new(object, p->names[i],
				    json_integer((json_int_t)lull_bench_median(
					    &p->stages[i])));
	}
	json_decref(scratch);
	return object;
}

/* What the proofs behind the first had of the arena, and unmapped at all: all 0
 * when they are silent. */
static json_t *describe_arena(const struct proofs *p)
{
	const struct lull_ctx_stats *was = &p->arena_first, *is = &p->arena;

	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "name",
			 is->arena, "held_bytes", (json_int_t)is->held_bytes,
			 "faulted_bytes",
			 (json_int_t)(is->faulted_bytes - was->faulted_bytes),
			 "zeroed_bytes",
			 (json_int_t)(is->zeroed_bytes - was->zeroed_bytes),
			 "unmapped_bytes",
			 (json_int_t)(is->unmapped_bytes - was->unmapped_bytes),
			 "flushes", (json_int_t)(is->flushes - was->flushes),
			 "munmaps", (json_int_t)(is->munmaps - was->munmaps));
}

static int report_whole(struct proofs *p, struct lull_error *reterr)
{
	json_t *row = begin_row(p, "proofs", "prove"), *more;
	uint64_t wall_ns = 0;
	size_t i;
	int failed;

	for (i = 0; i < p->whole.nr; i++)
		wall_ns += p->whole.ns[i];
	more = json_pack("{s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:o}", "vars",
			 (json_int_t)p->info.nr_vars, "coefs",
			 (json_int_t)p->info.nr_coefs, "key_bytes",
			 (json_int_t)p->info.file_bytes, "open_ns",
			 (json_int_t)p->open_ns, "peak_rss_bytes",
			 (json_int_t)lull_bench_peak_rss_bytes(), "verified",
			 !p->opts->no_verify, "stages", describe_stages(p),
			 "arena", describe_arena(p));
	failed = !row || !more || json_object_update(row, more) ||
		 lull_bench_describe_devices(row, &p->devices_first,
					     &p->devices, p->whole.nr, wall_ns);
	json_decref(more);
	if (!failed)
		return finish_row(p, row, &p->whole, reterr);
	json_decref(row);
	return lull_fail(reterr, LULL_NOMEM, "out of memory for a row");
}

int lull_bench_proofs(const struct lull_bench_opts *opts, bool by_stage,
		      struct lull_error *reterr)
{
	struct proofs p = { .opts = opts,
			    .info.size = sizeof(p.info),
			    .arena_first.size = sizeof(p.arena_first),
			    .arena.size = sizeof(p.arena),
			    .devices_first.size = sizeof(p.devices_first),
			    .devices.size = sizeof(p.devices) };
	unsigned int i;
	int err;

	p.memory = calloc((LULL_NR_STAGES + 1) * (size_t)opts->nr_runs,
			  sizeof(*p.memory));
	if (!p.memory)
		return lull_fail(reterr, LULL_NOMEM,
				 "out of memory for %u runs", opts->nr_runs);
	for (i = 0; i < LULL_NR_STAGES; i++)
		p.stages[i].ns = p.memory + (size_t)i * opts->nr_runs;
	p.whole.ns = p.memory + (size_t)LULL_NR_STAGES * opts->nr_runs;
	err = measure(&p, reterr);
	if (!err)
		err = by_stage ? report_stages(&p, reterr)
			       : report_whole(&p, reterr);
	free(p.memory);
	return err;
}
