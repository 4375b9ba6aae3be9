// SPDX-License-Identifier: Apache-2.0
/*
 * kernels.c - times of single kernels, by curve and size
 */
#include "bench/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/workers.h"
#include "bench/bench.h"
#include "curve/facts.h"

/**
 * struct curve_kernels - what is measured for one curve
 * @id: the curve
 * @kernels: its table
 * @done: ends a state of these kernels
 */
struct curve_kernels {
	enum lull_curve id;
	const struct lull_bench_kernel *kernels;
	void (*done)(struct lull_bench_state *state);
};

static const struct curve_kernels curves[] = {
	{ LULL_CURVE_BN254, lull_bn254_bench_kernels, lull_bn254_bench_done },
	{ LULL_CURVE_BLS12_381, lull_bls12_381_bench_kernels,
	  lull_bls12_381_bench_done },
};

static json_t *begin_row(const struct curve_kernels *curve,
			 const struct lull_bench_kernel *kernel,
			 const struct lull_bench_state *state)
{
	json_t *row = json_pack(
		"{s:s, s:s, s:s, s:s, s:i}", "bench", "kernels", "name",
		kernel->name, "curve", lull_curve_facts(curve->id)->name,
		"backend",
		kernel->has_ifma && lull_cpu_has_ifma() ? "ifma" : "scalar",
		"threads",
		kernel->sized ? (int)lull_workers_nr(state->workers) : 1);

	if (row && kernel->sized &&
	    json_object_set_new(row, "log2_n",
				json_integer((json_int_t)state->log2_n))) {
		json_decref(row);
		return NULL;
	}
	return row;
}

static int report(const struct lull_bench_opts *opts, json_t *row,
		  struct lull_bench_samples *samples, size_t nr_items,
		  struct lull_error *reterr)
{
	int err = lull_bench_describe(row, samples, reterr);

	if (!err &&
	    json_object_set_new(row, "ns_per_item",
				json_real((double)lull_bench_median(samples) /
					  (double)nr_items)))
		err = lull_fail(reterr, LULL_NOMEM, "out of memory for a row");
	if (!err)
		return opts->row(opts->row_arg, row, reterr);
	json_decref(row);
	return err;
}

static int measure(const struct lull_bench_opts *opts,
		   const struct curve_kernels *curve,
		   const struct lull_bench_kernel *kernel,
		   struct lull_bench_state *state, struct lull_error *reterr)
{
	struct lull_bench_samples samples = { 0 };
	uint64_t start;
	int err;

	err = kernel->prepare(state, reterr);
	if (err)
		return err;
	samples.ns = calloc(opts->nr_runs, sizeof(*samples.ns));
	if (!samples.ns)
		return lull_fail(reterr, LULL_NOMEM,
				 "out of memory for %u runs", opts->nr_runs);
	kernel->run(state);
	while (samples.nr < opts->nr_runs) {
		start = lull_bench_now_ns();
		kernel->run(state);
		samples.ns[samples.nr++] = lull_bench_now_ns() - start;
	}
	err = report(opts, begin_row(curve, kernel, state), &samples,
		     state->nr_items, reterr);
	free(samples.ns);
	return err;
}

static int measure_sizes(const struct lull_bench_opts *opts,
			 const struct curve_kernels *curve,
			 const struct lull_bench_kernel *kernel,
			 struct lull_workers *workers, struct lull_arena *arena,
			 struct lull_error *reterr)
{
	unsigned int log2_n = opts->min_log2;
	int err;

	do {
		struct lull_bench_state state = { .workers = workers,
						  .arena = arena,
						  .log2_n = log2_n };

		err = measure(opts, curve, kernel, &state, reterr);
		curve->done(&state);
	} while (!err && kernel->sized && ++log2_n <= opts->max_log2);
	return err;
}

static int measure_curve(const struct lull_bench_opts *opts,
			 const struct curve_kernels *curve,
			 struct lull_workers *workers, struct lull_arena *arena,
			 struct lull_error *reterr)
{
	const struct lull_bench_kernel *kernel;
	size_t i;
	int err = LULL_OK;

	for (i = 0; i < LULL_BENCH_NR_KERNELS && !err; i++) {
		kernel = &curve->kernels[i];
		if (!opts->only || !strcmp(opts->only, kernel->name))
			err = measure_sizes(opts, curve, kernel, workers, arena,
					    reterr);
	}
	return err;
}

static int check_only(const char *only, struct lull_error *reterr)
{
	size_t i;

	for (i = 0; only && i < LULL_BENCH_NR_KERNELS; i++)
		if (!strcmp(only, curves[0].kernels[i].name))
			return LULL_OK;
	if (!only)
		return LULL_OK;
	return lull_fail(reterr, LULL_USAGE,
			 "--only: expected fp_mul, fr_mul, fp2_mul, g1_add, "
			 "g2_add, ntt, quotient, msm_g1 or msm_g2, found "
			 "'%.40s'",
			 only);
}

int lull_bench_kernels(const struct lull_bench_opts *opts,
		       struct lull_error *reterr)
{
	const struct lull_arena_opts arena_opts = {
		.carrier = LULL_ARENA_THP,
		.node = LULL_ARENA_NODE_ANY,
	};
	struct lull_workers *workers;
	struct lull_arena *arena;
	bool done = false;
	size_t i;
	int err;

	assert(opts->nr_runs && opts->min_log2 <= opts->max_log2);
	err = lull_bench_device(opts, &done, reterr);
	if (err || done)
		return err;
	err = check_only(opts->only, reterr);
	if (!err)
		err = lull_workers_create(opts->nr_threads, &workers, reterr);
	if (err)
		return err;
	err = lull_arena_open(&arena_opts, &arena, reterr);
	if (err)
		goto destroy_workers;
	for (i = 0; i < LULL_ARRAY_SIZE(curves) && !err; i++)
		if (!opts->curve || opts->curve == (int)curves[i].id)
			err = measure_curve(opts, &curves[i], workers, arena,
					    reterr);
	lull_arena_close(arena);
destroy_workers:
	lull_workers_destroy(workers);
	return err;
}
