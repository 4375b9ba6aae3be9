// SPDX-License-Identifier: Apache-2.0
/*
 * cmd_bench.c - lull bench: rows as a table on a terminal, else as JSON lines
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "bench/bench.h"
#include "cli/cli.h"
#include "cli/term.h"

#define RUNS_DEFAULT 5
#define PROOFS_DEFAULT 4
#define JOBS_DEFAULT 2
#define MIN_LOG2_DEFAULT 12
#define MAX_LOG2_DEFAULT 16
#define US_PER_MS 1e3

/**
 * struct table - how rows are printed
 * @json: as JSON lines
 * @begun: the table's head has been printed
 */
struct table {
	bool json;
	bool begun;
};

static double us_of(const json_t *row, const char *key)
{
	return json_number_value(json_object_get(row, key)) / LULL_NS_PER_US;
}

static double ms_of(const json_t *row, const char *key)
{
	return us_of(row, key) / US_PER_MS;
}

static long long number_of(const json_t *row, const char *key)
{
	return (long long)json_integer_value(json_object_get(row, key));
}

/* Of many partitions: what a proof took alone and among others, and what the
 * others cost. */
static void say_pipeline(struct table *table, const json_t *row)
{
	if (!table->begun)
		lull_term_say("%-8s %3s %-6s %5s %9s %9s %6s %9s %9s %8s %8s "
			      "%8s %7s",
			      "dealloc", "thr", "gate", "size", "alone ms",
			      "loaded ms", "ratio", "p95 ms", "cpu ms",
			      "peak MiB", "faults", "flushes", "tlb");
	table->begun = true;
	lull_term_say(
		"%-8s %3lld %-6s  2^%-2lld %9.1f %9.1f %6.3f %9.1f %9.1f %8.1f "
		"%8lld %8lld %7lld",
		lull_term_text_of(row, "dealloc"), number_of(row, "threads"),
		lull_term_text_of(row, "bandwidth_gate"),
		number_of(row, "log2_n"), ms_of(row, "isolated_ns"),
		ms_of(row, "sustained_ns"),
		json_number_value(
			json_object_get(row, "sustained_over_isolated")),
		ms_of(row, "p95_ns"), ms_of(row, "sustained_cpu_ns"),
		(double)number_of(row, "peak_rss_bytes") / LULL_BYTES_PER_MIB,
		number_of(row, "faults"), number_of(row, "flushes"),
		number_of(row, "tlb_ipis"));
}

static void say_row(struct table *table, const json_t *row)
{
	const json_t *log2_n = json_object_get(row, "log2_n");
	char size[8] = "";

	if (!table->begun)
		lull_term_say("%-9s %-9s %-8s %5s %3s %13s %13s %13s %10s",
			      "name", "curve", "backend", "size", "thr",
			      "median us", "min us", "max us", "ns each");
	table->begun = true;
	if (log2_n)
		snprintf(size, sizeof(size), "2^%d",
			 (int)json_integer_value(log2_n));
	lull_term_say("%-9s %-9s %-8s %5s %3d %13.1f %13.1f %13.1f %10.1f",
		      lull_term_text_of(row, "name"),
		      lull_term_text_of(row, "curve"),
		      lull_term_text_of(row, "backend"), size,
		      (int)json_integer_value(json_object_get(row, "threads")),
		      us_of(row, "median_ns"), us_of(row, "min_ns"),
		      us_of(row, "max_ns"),
		      json_number_value(json_object_get(row, "ns_per_item")));
}

static int print_row(void *arg, json_t *row, struct lull_error *reterr)
{
	struct table *table = arg;

	lull_term_progress_end();
	if (!table->json)
		(strcmp(lull_term_text_of(row, "bench"), "pipeline")
			 ? say_row
			 : say_pipeline)(table, row);
	return lull_term_row_done(table->json, row, reterr);
}

static void fill_opts(const struct lull_cli *cli, struct table *table,
		      struct lull_bench_opts *opts)
{
	*table = (struct table){
		.json = cli->json || !isatty(STDOUT_FILENO),
	};
	*opts = (struct lull_bench_opts){
		.nr_threads = lull_cli_nr_threads(cli),
		.nr_runs = cli->nr_runs ? cli->nr_runs : RUNS_DEFAULT,
		.curve = cli->curve,
		.min_log2 = cli->min_log2 ? cli->min_log2 : MIN_LOG2_DEFAULT,
		.max_log2 = cli->max_log2 ? cli->max_log2 : MAX_LOG2_DEFAULT,
		.only = cli->only,
		.no_verify = cli->no_verify,
		.backend = cli->backend,
		.gpus = cli->gpus,
		.nr_gpus = cli->nr_gpus,
		.vram_bytes = cli->vram_bytes,
		.row = print_row,
		.row_arg = table,
	};
}

int lull_cli_bench_kernels(const struct lull_cli *cli)
{
	struct lull_bench_opts opts;
	struct lull_error err;
	struct table table;
	int status;

	fill_opts(cli, &table, &opts);
	/* One bound moves the other's default. */
	if (!cli->max_log2 && opts.max_log2 < opts.min_log2)
		opts.max_log2 = opts.min_log2;
	if (!cli->min_log2 && opts.min_log2 > opts.max_log2)
		opts.min_log2 = opts.max_log2;
	if (opts.min_log2 > opts.max_log2)
		return lull_term_fail_msg(
			cli->json, LULL_USAGE,
			"--min-log2 %u is above --max-log2 %u", opts.min_log2,
			opts.max_log2);
	lull_term_progress("measuring", 0, 0);
	status = lull_bench_kernels(&opts, &err);
	lull_term_progress_end();
	return status ? lull_term_fail(cli->json, &err) : LULL_EXIT_OK;
}

static int refuse_null(const struct lull_cli *cli)
{
	if (strcmp(cli->backend, "null") || cli->no_verify)
		return LULL_EXIT_OK;
	return lull_term_fail_msg(
		cli->json, LULL_USAGE,
		"--backend null computes nothing: its proofs do not "
		"verify; add --no-verify");
}

/* What is for --shape only. */
static const char *shape_option(const struct lull_cli *cli)
{
	return cli->log2	   ? "--log2"
	       : cli->curve	   ? "--curve"
	       : cli->seed	   ? "--seed"
	       : cli->keep	   ? "--keep"
	       : cli->nr_witnesses ? "--witnesses"
	       : cli->in_memory	   ? "--in-memory"
				   : NULL;
}

static int check_inputs(const struct lull_cli *cli, struct lull_error *reterr)
{
	const char *name = cli->command->name, *option = shape_option(cli);

	if (cli->shape && cli->nr_words)
		return lull_fail(reterr, LULL_USAGE,
				 "%s: --shape makes a key and a witness: "
				 "expected no others, found %u words",
				 name, cli->nr_words);
	if (cli->shape && !cli->log2)
		return lull_fail(reterr, LULL_USAGE, "%s: --shape wants --log2",
				 name);
	if (!cli->shape && option)
		return lull_fail(reterr, LULL_USAGE, "%s: %s is for --shape",
				 name, option);
	if (!cli->shape && cli->nr_words != 2)
		return lull_fail(reterr, LULL_USAGE,
				 "%s: expected KEY WITNESS or --shape, found "
				 "%u words",
				 name, cli->nr_words);
	return LULL_OK;
}

static int make_inputs(const struct lull_cli *cli, struct lull_made *made,
		       struct lull_error *reterr)
{
	struct lull_made_opts opts;
	int err = lull_cli_made_opts(cli, &opts, reterr);

	if (err)
		return err;
	err = cli->keep ? lull_made_keep(&opts, cli->keep, made, reterr)
			: lull_made_nameless(&opts, made, reterr);
	lull_term_progress_end();
	/* Of one that vanishes nobody need be warned. */
	if (!err && cli->keep && !made->found)
		lull_cli_warn_insecure();
	return err;
}

/* The key and the witness that were named, or else are made. */
static int find_inputs(const struct lull_cli *cli, struct lull_made *made,
		       struct lull_bench_opts *opts, struct lull_error *reterr)
{
	int err = check_inputs(cli, reterr);

	if (err)
		return err;
	opts->key_path = cli->words[0];
	opts->wtns_paths = cli->words + 1;
	opts->nr_witnesses = 1;
	if (!cli->shape)
		return LULL_OK;
	err = make_inputs(cli, made, reterr);
	if (err)
		return err;
	opts->key_path = made->key_path;
	opts->key_in_place = cli->in_memory;
	opts->wtns_paths = (const char *const *)made->wtns_paths;
	opts->nr_witnesses = made->nr_witnesses;
	opts->about = lull_made_describe(&made->circuit);
	if (!opts->about)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	/* Making a key may take more than a proof does. */
	lull_bench_peak_rss_reset();
	return LULL_OK;
}

static int measure_proofs(const struct lull_cli *cli,
			  struct lull_bench_opts *opts, bool by_stage,
			  struct lull_error *reterr)
{
	int err = lull_cli_ctx_create(cli, &opts->ctx, reterr);

	if (err)
		return err;
	lull_term_progress("measuring", 0, 0);
	err = lull_bench_proofs(opts, by_stage, reterr);
	lull_term_progress_end();
	lull_ctx_destroy(opts->ctx);
	return err;
}

/* What is for --partitions only. */
static const char *pipeline_option(const struct lull_cli *cli)
{
	return cli->nr_proofs	   ? "--count"
	       : cli->nr_jobs	   ? "--jobs"
	       : cli->sweep	   ? "--sweep"
	       : cli->trace	   ? "--trace"
	       : cli->nr_witnesses ? "--witnesses"
				   : lull_cli_pipeline_option(cli);
}

/* Partitions, and no witness that none of them would have. */
static int parse_partitions(const struct lull_cli *cli,
			    struct lull_bench_opts *opts,
			    struct lull_error *reterr)
{
	int err = lull_cli_parse_number("partitions", cli->partitions, 1,
					LULL_PARTITIONS_MAX,
					&opts->nr_partitions, reterr);

	if (err || cli->nr_witnesses <= opts->nr_partitions)
		return err;
	return lull_fail(reterr, LULL_USAGE,
			 "--witnesses: expected at most the %u partitions, "
			 "found %u",
			 opts->nr_partitions, cli->nr_witnesses);
}

static int fill_pipeline(const struct lull_cli *cli,
			 struct lull_bench_opts *opts,
			 struct lull_error *reterr)
{
	opts->nr_proofs = cli->nr_proofs ? cli->nr_proofs : PROOFS_DEFAULT;
	opts->nr_jobs = cli->nr_jobs ? cli->nr_jobs : JOBS_DEFAULT;
	opts->pipeline = &cli->pipeline;
	opts->sweep = cli->sweep;
	opts->trace = cli->trace;
	opts->make_ctx = lull_cli_make_ctx;
	opts->make_ctx_arg = cli;
	if (cli->sweep && cli->trace)
		return lull_fail(reterr, LULL_USAGE,
				 "bench proofs: --trace is of one run, --sweep "
				 "of many");
	if (lull_bench_sweep_check(cli->sweep, reterr))
		return LULL_USAGE;
	return parse_partitions(cli, opts, reterr);
}

/* Of a kept folder every file counts, those that are not measured too, and
 * witnesses of an earlier run up to the first that is not there. */
static int check_kept(const struct lull_cli *cli, struct lull_error *reterr)
{
	char path[LULL_MADE_PATH_BYTES];
	const char *input = path;
	unsigned int i;
	int err = LULL_OK;

	for (i = 0; !err && lull_made_name(cli->keep, i, path); i++) {
		if (!access(path, F_OK))
			err = lull_cli_check_outputs(&input, 1, &cli->trace, 1,
						     reterr);
		else if (i >= LULL_MADE_FIRST_WTNS)
			break;
	}
	return err;
}

static int check_trace(const struct lull_cli *cli,
		       const struct lull_bench_opts *opts,
		       struct lull_error *reterr)
{
	const char *inputs[2] = { opts->key_path, opts->wtns_paths[0] };
	int err;

	if (!cli->trace)
		return LULL_OK;
	err = lull_cli_check_outputs(inputs, 2, &cli->trace, 1, reterr);
	return err || !cli->keep ? err : check_kept(cli, reterr);
}

static int measure_pipeline(const struct lull_cli *cli,
			    struct lull_bench_opts *opts,
			    struct lull_error *reterr)
{
	int err = check_trace(cli, opts, reterr);

	lull_term_progress("measuring", 0, 0);
	if (!err)
		err = lull_bench_pipeline(opts, reterr);
	lull_term_progress_end();
	return err;
}

static int bench(const struct lull_cli *cli, bool by_stage)
{
	struct lull_made made = { 0 };
	struct lull_bench_opts opts;
	struct lull_error err;
	struct table table;
	int status;

	if (refuse_null(cli))
		return LULL_EXIT_ERROR;
	fill_opts(cli, &table, &opts);
	/* What is wrong is said before a key is made. */
	status = cli->partitions ? fill_pipeline(cli, &opts, &err) : LULL_OK;
	if (!status)
		status = find_inputs(cli, &made, &opts, &err);
	if (!status)
		status = cli->partitions
				 ? measure_pipeline(cli, &opts, &err)
				 : measure_proofs(cli, &opts, by_stage, &err);
	json_decref(opts.about);
	lull_made_end(&made);
	return status ? lull_term_fail(cli->json, &err) : LULL_EXIT_OK;
}

int lull_cli_bench_proofs(const struct lull_cli *cli)
{
	const char *option = pipeline_option(cli);

	if (option && !cli->partitions)
		return lull_term_fail_msg(cli->json, LULL_USAGE,
					  "bench proofs: %s is for "
					  "--partitions",
					  option);
	return bench(cli, false);
}

int lull_cli_bench_stages(const struct lull_cli *cli)
{
	return bench(cli, true);
}
