// SPDX-License-Identifier: Apache-2.0
/*
 * cmd_load.c - lull bench load: its options, and its rows as a table
 */
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "bench/bench.h"
#include "cli/cli.h"
#include "cli/term.h"

#define RUNS_DEFAULT 5
#define DEPTH_DEFAULT 32
#define CHUNK_DEFAULT ((uint64_t)2 << 20)

/* How rows are printed: as JSON lines, or in a table whose head is said once. */
struct table {
	bool json;
	bool begun;
};

static double number_of(const json_t *row, const char *key)
{
	return json_number_value(json_object_get(row, key));
}

static void say_row(struct table *table, const json_t *row)
{
	const json_t *verified = json_object_get(row, "cache_verified");
	const char *skipped = lull_term_text_of(row, "skipped");

	if (!table->begun)
		lull_term_say("%-6s %-6s %9s %8s %9s %9s %9s  %s", "loader",
			      "cache", "GiB/s", "of disk", "median ms",
			      "min ms", "max ms", "O_DIRECT, fixed MiB");
	table->begun = true;
	if (*skipped) {
		lull_term_say("%-6s %-6s NOT HERE: %s",
			      lull_term_text_of(row, "name"),
			      lull_term_text_of(row, "cache"), skipped);
		return;
	}
	lull_term_say(
		"%-6s %-6s %9.3f %7.0f%% %9.2f %9.2f %9.2f  %.0f, %.0f%s",
		lull_term_text_of(row, "name"), lull_term_text_of(row, "cache"),
		number_of(row, "gib_per_s"), 100 * number_of(row, "of_disk"),
		number_of(row, "median_ns") / LULL_NS_PER_MS,
		number_of(row, "min_ns") / LULL_NS_PER_MS,
		number_of(row, "max_ns") / LULL_NS_PER_MS,
		number_of(row, "direct_bytes") / LULL_BYTES_PER_MIB,
		number_of(row, "fixed_bytes") / LULL_BYTES_PER_MIB,
		json_is_true(verified)	  ? ""
		: json_is_false(verified) ? "  NOT AS IT SAYS: the kernel "
					    "kept or dropped pages"
					  : "  not known to be so");
}

static int print_row(void *arg, json_t *row, struct lull_error *reterr)
{
	struct table *table = arg;

	lull_term_progress_end();
	if (!table->json)
		say_row(table, row);
	return lull_term_row_done(table->json, row, reterr);
}

int lull_cli_bench_load(const struct lull_cli *cli)
{
	struct table table = { .json = cli->json || !isatty(STDOUT_FILENO) };
	const struct lull_bench_load_opts opts = {
		.paths = cli->words,
		.nr_paths = cli->nr_words,
		.nr_threads = lull_cli_nr_threads(cli),
		.nr_runs = cli->nr_runs ? cli->nr_runs : RUNS_DEFAULT,
		.depth = cli->depth ? cli->depth : DEPTH_DEFAULT,
		.chunk_bytes =
			cli->chunk_bytes ? cli->chunk_bytes : CHUNK_DEFAULT,
		.only = cli->only,
		.arena = cli->arena,
		.row = print_row,
		.row_arg = &table,
	};
	struct lull_error err;
	int status;

	lull_term_progress("measuring", 0, 0);
	status = lull_bench_load(&opts, &err);
	lull_term_progress_end();
	return status ? lull_term_fail(cli->json, &err) : LULL_EXIT_OK;
}
