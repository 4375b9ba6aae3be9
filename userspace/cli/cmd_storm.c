// SPDX-License-Identifier: Apache-2.0
/*
 * cmd_storm.c - lull bench storm: its options, and its rows as tables
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "bench/bench.h"
#include "cli/cli.h"
#include "cli/term.h"

#define GIB_DEFAULT 1.0
#define GIB_MIN 0.01
#define GIB_MAX 4096.0
#define VECTORS_DEFAULT 256
#define VECTORS_MAX (1u << 20)
#define ROUNDS_DEFAULT 5
#define THREADS_DEFAULT 1
#define THREADS_MAX 4096
#define ROUNDS_MAX 100000
#define PRESSURE_MAX_S 600
/* Twice the bystanders say no more, and each has memory of its own. */
#define BYSTANDERS_DEFAULT_MAX 64
#define CELL_BYTES 32

static int parse_gib(const char *text, double *ret_gib,
		     struct lull_error *reterr)
{
	char *end = NULL;
	double gib = 0;

	if (*text >= '0' && *text <= '9')
		gib = strtod(text, &end);
	if (!end || *end || !(gib >= GIB_MIN && gib <= GIB_MAX))
		return lull_fail(reterr, LULL_USAGE,
				 "--gib: expected a number from %g to %g, "
				 "found '%.40s'",
				 GIB_MIN, GIB_MAX, text);
	*ret_gib = gib;
	return LULL_OK;
}

static int parse_scenario(const char *text,
			  enum lull_bench_storm_scenario *ret_scenario,
			  struct lull_error *reterr)
{
	int scenario;

	for (scenario = 0; scenario <= LULL_BENCH_STORM_TABLE; scenario++) {
		if (strcmp(text, lull_bench_storm_scenario_name(scenario)))
			continue;
		*ret_scenario = scenario;
		return LULL_OK;
	}
	return lull_fail(reterr, LULL_USAGE,
			 "--scenario: expected partition, all, scattered or "
			 "table, found '%.40s'",
			 text);
}

int lull_cli_storm_option(struct lull_cli *cli, int key, const char *arg,
			  bool *ret_taken, struct lull_error *reterr)
{
	struct lull_bench_storm_opts *storm = &cli->storm;

	*ret_taken = true;
	switch (key) {
	case OPT_GIB:
		return parse_gib(arg, &storm->gib, reterr);
	case OPT_SCENARIO:
		return parse_scenario(arg, &storm->scenario, reterr);
	case OPT_VECTORS:
		return lull_cli_parse_number("vectors", arg, 1, VECTORS_MAX,
					     &storm->nr_vectors, reterr);
	case OPT_BYSTANDERS:
		cli->has_bystanders = true;
		return lull_cli_parse_number("bystanders", arg, 0, THREADS_MAX,
					     &storm->nr_bystanders, reterr);
	case OPT_ROUNDS:
		return lull_cli_parse_number("rounds", arg, 1, ROUNDS_MAX,
					     &storm->nr_rounds, reterr);
	case OPT_PRESSURE:
		return lull_cli_parse_number("pressure", arg, 1, PRESSURE_MAX_S,
					     &storm->pressure_s, reterr);
	case OPT_ARMS:
		storm->arms = arg;
		return LULL_OK;
	case OPT_SVG:
		storm->svg = arg;
		return LULL_OK;
	case OPT_IN_PROCESS:
		storm->in_process = arg;
		return LULL_OK;
	case OPT_CUDA_REGISTER:
		storm->cuda_register = true;
		return LULL_OK;
	default:
		*ret_taken = false;
		return LULL_OK;
	}
}

/**
 * struct tables - how rows are printed
 * @json: as JSON lines
 * @storm: what was asked for
 * @begun: the head of the table has been printed
 */
struct tables {
	bool json;
	const struct lull_bench_storm_opts *storm;
	bool begun;
};

/* The number divided, or "-" where there is none. */
static const char *cell(char text[CELL_BYTES], const json_t *value, double unit,
			int digits)
{
	if (json_is_number(value))
		snprintf(text, CELL_BYTES, "%.*f", digits,
			 json_number_value(value) / unit);
	else
		snprintf(text, CELL_BYTES, "-");
	return text;
}

static void say_host(const json_t *row)
{
	const json_t *host = json_object_get(row, "host");
	const char *why = lull_term_text_of(row, "flushes_why");

	lull_term_say("%s, %d cores, Linux %s, THP %s (defrag %s), governor %s",
		      lull_term_text_of(host, "cpu"),
		      (int)json_integer_value(json_object_get(host, "cores")),
		      lull_term_text_of(host, "kernel"),
		      lull_term_text_of(row, "thp"),
		      lull_term_text_of(row, "thp_defrag"),
		      *lull_term_text_of(row, "governor")
			      ? lull_term_text_of(row, "governor")
			      : "unknown");
	if (*why)
		lull_term_say("FLUSHES ARE NOT COUNTED: %s", why);
}

static void say_costs_head(const struct tables *t)
{
	lull_term_say("%-17s %8s %8s %8s %9s %9s %9s %9s %9s %7s %7s%s", "arm",
		      "flushes", "IPIs", "faults", "MiB zero", "p50 us",
		      "p99 us", "free ms", "again ms", "lostTLB%", "lostMEM%",
		      t->storm->pressure_s ? "  held MiB returned" : "");
}

/* The sum of two counts of a cycle; null stays null. */
static json_t *both(const json_t *row, const char *one, const char *other)
{
	const json_t *a = json_object_get(row, one);
	const json_t *b = json_object_get(row, other);

	if (!json_is_integer(a) || !json_is_integer(b))
		return json_null();
	return json_integer(json_integer_value(a) + json_integer_value(b));
}

static void say_costs(const struct tables *t, const json_t *row)
{
	json_t *flushes = both(row, "flushes_free", "flushes_again");
	json_t *ipis = both(row, "ipis_tlb_free", "ipis_tlb_again");
	json_t *faults = both(row, "faults_free", "faults_again");
	const json_t *tlb = json_object_get(row, "lost_tlb");
	const json_t *memory = json_object_get(row, "lost_memory");
	char c[12][CELL_BYTES];
	char pressure[2 * CELL_BYTES + 4] = "";

	if (t->storm->pressure_s)
		snprintf(pressure, sizeof(pressure), "  %8s %8s",
			 cell(c[10], json_object_get(row, "held_bytes"),
			      LULL_BYTES_PER_MIB, 0),
			 cell(c[11], json_object_get(row, "returned_bytes"),
			      LULL_BYTES_PER_MIB, 0));
	lull_term_say(
		"%-17s %8s %8s %8s %9s %9s %9s %9s %9s %7s %7s%s",
		lull_term_text_of(row, "name"), cell(c[0], flushes, 1, 0),
		cell(c[1], ipis, 1, 0), cell(c[2], faults, 1, 0),
		cell(c[3], json_object_get(row, "zeroed_bytes"),
		     LULL_BYTES_PER_MIB, 0),
		cell(c[4], json_object_get(row, "free_p50_ns"), LULL_NS_PER_US,
		     1),
		cell(c[5], json_object_get(row, "free_p99_ns"), LULL_NS_PER_US,
		     1),
		cell(c[6], json_object_get(row, "free_ns"), LULL_NS_PER_MS, 2),
		cell(c[7], json_object_get(row, "again_ns"), LULL_NS_PER_MS, 2),
		cell(c[8], json_object_get(tlb, "cycle"), 0.01, 1),
		cell(c[9], json_object_get(memory, "cycle"), 0.01, 1),
		pressure);
	json_decref(flushes);
	json_decref(ipis);
	json_decref(faults);
}

#define COUNTS_FORMAT "%-17s %-9s %6s %8s %9s %10s  %-8s %s"

static void say_counts_head(void)
{
	lull_term_say(COUNTS_FORMAT, "arm", "freed", "calls", "flushes",
		      "predicted", "", "verdict", "formula");
}

static void say_counts(const json_t *row)
{
	const json_t *holds = json_object_get(row, "holds");
	char c[3][CELL_BYTES];

	lull_term_say(COUNTS_FORMAT, lull_term_text_of(row, "name"),
		      lull_term_text_of(row, "scenario"),
		      cell(c[0], json_object_get(row, "free_calls"), 1, 0),
		      cell(c[1], json_object_get(row, "counted"), 1, 0),
		      lull_term_text_of(row, "predicted_kind"),
		      cell(c[2], json_object_get(row, "predicted"), 1, 0),
		      json_is_true(holds)    ? "holds"
		      : json_is_false(holds) ? "DIFFERS"
					     : "-",
		      lull_term_text_of(row, "formula"));
}

static void say_cuda(const json_t *row)
{
	char c[6][CELL_BYTES];

	lull_term_say(
		"%-17s %s: fill %s, register %s, copy %s, unregister %s, unmap "
		"%s ms",
		lull_term_text_of(row, "name"), lull_term_text_of(row, "gpu"),
		cell(c[0], json_object_get(row, "fill_ns"), LULL_NS_PER_MS, 2),
		cell(c[1], json_object_get(row, "register_ns"), LULL_NS_PER_MS,
		     2),
		cell(c[2], json_object_get(row, "copy_ns"), LULL_NS_PER_MS, 2),
		cell(c[3], json_object_get(row, "unregister_ns"),
		     LULL_NS_PER_MS, 2),
		cell(c[4], json_object_get(row, "unmap_ns"), LULL_NS_PER_MS,
		     2));
}

static void say_row(struct tables *t, const json_t *row)
{
	bool counts = t->storm->scenario != LULL_BENCH_STORM_PARTITION;

	if (json_object_get(row, "host") && !json_object_get(row, "runs")) {
		say_host(row);
		return;
	}
	if (!t->begun && counts)
		say_counts_head();
	else if (!t->begun)
		say_costs_head(t);
	t->begun = true;
	if (json_object_get(row, "skipped"))
		lull_term_say("%-17s NOT HERE: %s",
			      lull_term_text_of(row, "name"),
			      lull_term_text_of(row, "skipped"));
	else if (json_object_get(row, "failed"))
		lull_term_say("%-17s FAILED: %s",
			      lull_term_text_of(row, "name"),
			      lull_term_text_of(row, "failed"));
	else if (json_object_get(row, "gpu"))
		say_cuda(row);
	else if (counts)
		say_counts(row);
	else
		say_costs(t, row);
}

static int print_row(void *arg, json_t *row, struct lull_error *reterr)
{
	struct tables *t = arg;

	lull_term_progress_end();
	if (!t->json)
		say_row(t, row);
	return lull_term_row_done(t->json, row, reterr);
}

static unsigned int other_cpus(unsigned int nr_threads)
{
	unsigned int nr;
	cpu_set_t set;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	nr = (unsigned int)CPU_COUNT(&set);
	return (unsigned int)lull_min(nr > nr_threads ? nr - nr_threads : 1,
				      BYSTANDERS_DEFAULT_MAX);
}

int lull_cli_bench_storm(const struct lull_cli *cli)
{
	struct lull_bench_storm_opts opts = cli->storm;
	struct tables tables = {
		.json = cli->json || !isatty(STDOUT_FILENO),
		.storm = &opts,
	};
	struct lull_error err;
	int status;

	opts.gib = opts.gib > 0 ? opts.gib : GIB_DEFAULT;
	opts.nr_vectors = opts.nr_vectors ? opts.nr_vectors : VECTORS_DEFAULT;
	opts.nr_threads = cli->nr_threads ? cli->nr_threads : THREADS_DEFAULT;
	opts.nr_rounds = opts.nr_rounds ? opts.nr_rounds : ROUNDS_DEFAULT;
	if (!cli->has_bystanders)
		opts.nr_bystanders = opts.scenario == LULL_BENCH_STORM_PARTITION
					     ? other_cpus(opts.nr_threads)
					     : 1;
	opts.row = print_row;
	opts.row_arg = &tables;
	lull_term_progress("measuring", 0, 0);
	status = lull_bench_storm(&opts, &err);
	lull_term_progress_end();
	return status ? lull_term_fail(cli->json, &err) : LULL_EXIT_OK;
}
