// SPDX-License-Identifier: Apache-2.0
/*
 * storm.c - `lull bench storm`: the same frees by every way that works here
 *
 * Each arm runs in a process of its own, started by exec with the environment
 * that the arm wants: allocators read theirs once, and the heap that one arm
 * leaves behind is nothing to the next.  An arm that cannot run here gets a
 * row that says why.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena/host.h"
#include "base/base.h"
#include "base/error.h"
#include "bench/storm.h"

#define HOG_NAME "hog"
#define ARGS_MAX 24
#define NUMBER_BYTES 32
#define NAMES_BYTES 160
/* What a shell calls a program that could not be started. */
#define EXIT_NOT_STARTED 127

const char *
lull_bench_storm_scenario_name(enum lull_bench_storm_scenario scenario)
{
	static const char *const names[] = {
		[LULL_BENCH_STORM_PARTITION] = "partition",
		[LULL_BENCH_STORM_ALL] = "all",
		[LULL_BENCH_STORM_SCATTERED] = "scattered",
		[LULL_BENCH_STORM_TABLE] = "table",
	};

	return names[scenario];
}

/* All arms in the order of the table; NULL after the last. */
static const struct storm_arm *arm_at(size_t index)
{
	static const struct {
		const struct storm_arm *arms;
		const size_t *nr;
	} lists[] = {
		{ lull_bench_storm_malloc_arms,
		  &lull_bench_storm_nr_malloc_arms },
		{ lull_bench_storm_pool_arms, &lull_bench_storm_nr_pool_arms },
		{ lull_bench_storm_module_arms,
		  &lull_bench_storm_nr_module_arms },
		{ lull_bench_storm_arena_arms,
		  &lull_bench_storm_nr_arena_arms },
	};
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(lists); i++) {
		if (index < *lists[i].nr)
			return &lists[i].arms[index];
		index -= *lists[i].nr;
	}
	return NULL;
}

static const struct storm_arm *find_arm(const char *name, size_t len)
{
	const struct storm_arm *arm;
	size_t i;

	for (i = 0; (arm = arm_at(i)); i++)
		if (strlen(arm->name) == len && !memcmp(arm->name, name, len))
			return arm;
	return NULL;
}

/* Is the arm in a list of names with commas between them? */
static bool is_listed(const char *list, const char *name)
{
	size_t len;

	if (!list)
		return true;
	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (len == strlen(name) && !memcmp(list, name, len))
			return true;
	}
	return false;
}

static int check_arms(const char *list, struct lull_error *reterr)
{
	const struct storm_arm *arm;
	char names[NAMES_BYTES] = "";
	size_t i, at = 0, len;

	for (; list && *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (find_arm(list, len))
			continue;
		for (i = 0; (arm = arm_at(i)); i++)
			at += (size_t)snprintf(
				names + lull_min(at, sizeof(names)),
				sizeof(names) - lull_min(at, sizeof(names)),
				" %s", arm->name);
		return lull_fail(reterr, LULL_USAGE,
				 "--arms: no arm '%.*s'; there are%s%s",
				 (int)lull_min(len, NUMBER_BYTES), list, names,
				 at < sizeof(names) ? "" : " ...");
	}
	return LULL_OK;
}

/**
 * struct args - a command line under way
 * @words: ended by NULL
 * @nr: so far
 * @numbers: texts of those that are numbers
 */
struct args {
	char *words[ARGS_MAX];
	size_t nr;
	char numbers[ARGS_MAX][NUMBER_BYTES];
};

static void add_word(struct args *args, const char *option, const char *value)
{
	assert(args->nr + 2 < ARGS_MAX);
	args->words[args->nr++] = (char *)option;
	args->words[args->nr++] = (char *)value;
}

static void add_number(struct args *args, const char *option, double value)
{
	char *text = args->numbers[args->nr];

	snprintf(text, NUMBER_BYTES, "%.10g", value);
	add_word(args, option, text);
}

static void make_args(const struct lull_bench_storm_opts *opts,
		      const char *in_process, struct args *args)
{
	*args = (struct args){ .words = { "lull", "bench", "storm", "--json" },
			       .nr = 4 };
	add_word(args, "--in-process", in_process);
	add_word(args, "--scenario",
		 lull_bench_storm_scenario_name(opts->scenario));
	add_number(args, "--gib", opts->gib);
	add_number(args, "--vectors", opts->nr_vectors);
	add_number(args, "--threads", opts->nr_threads);
	add_number(args, "--bystanders", opts->nr_bystanders);
	add_number(args, "--rounds", opts->nr_rounds);
	if (opts->pressure_s)
		add_number(args, "--pressure", opts->pressure_s);
}

/* In the child: never returns. */
static void become(const struct storm_arm *arm, struct args *args, int out)
{
	size_t i;

	if (arm->no_thp)
		prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	for (i = 0; i < LULL_ARRAY_SIZE(arm->env) && arm->env[i]; i++)
		putenv((char *)arm->env[i]);
	if (arm->preload)
		setenv("LD_PRELOAD", arm->preload, 1);
	if (dup2(out, STDOUT_FILENO) >= 0)
		execv("/proc/self/exe", args->words);
	_exit(EXIT_NOT_STARTED);
}

/* One JSON object from a process that has written nothing else. */
static json_t *read_row(int fd)
{
	FILE *file = fdopen(fd, "r");
	json_t *row;

	if (!file) {
		close(fd);
		return NULL;
	}
	row = json_loadf(file, 0, NULL);
	fclose(file);
	return row;
}

static json_t *failed_row(const struct storm_arm *arm,
			  const struct lull_bench_storm_opts *opts,
			  const char *key, const char *why)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s}", "bench", "storm", "name",
			 arm->name, "about", arm->about, "scenario",
			 lull_bench_storm_scenario_name(opts->scenario), key,
			 why);
}

/* A row whatever happens; NULL when memory is out. */
static json_t *run_process(const struct storm_arm *arm,
			   const struct lull_bench_storm_opts *opts)
{
	char why[STORM_TEXT_BYTES];
	struct args args;
	json_t *row, *error;
	int pipes[2], status = 0;
	pid_t pid;

	make_args(opts, arm->name, &args);
	if (pipe(pipes))
		return failed_row(arm, opts, "failed", strerror(errno));
	pid = fork();
	if (pid == 0) {
		close(pipes[0]);
		become(arm, &args, pipes[1]);
	}
	close(pipes[1]);
	row = read_row(pipes[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (row && !status && json_object_get(row, "bench"))
		return row;
	error = json_object_get(json_object_get(row, "error"), "message");
	if (WIFSIGNALED(status))
		snprintf(why, sizeof(why), "ended by signal %d",
			 WTERMSIG(status));
	else
		snprintf(why, sizeof(why), "%s",
			 error ? json_string_value(error)
			       : "its process ended without a result");
	json_decref(row);
	return failed_row(arm, opts, "failed", why);
}

static json_t *run_arm(const struct storm_arm *arm,
		       const struct lull_bench_storm_opts *opts)
{
	char why[STORM_TEXT_BYTES] = "";

	if (arm->probe && !arm->probe(arm, opts, why))
		return failed_row(arm, opts, "skipped", why);
	return run_process(arm, opts);
}

/* The word in brackets of a sysfs file that offers several, or its text. */
static json_t *chosen(const char *path)
{
	char text[STORM_TEXT_BYTES], *open, *close;

	lull_bench_storm_read_text(path, text, sizeof(text));
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close) {
		*close = '\0';
		return json_string(open + 1);
	}
	return *text ? json_string(text) : json_null();
}

static json_t *host_row(const struct storm_counters *counters)
{
	static const struct {
		const char *key;
		const char *path;
	} settings[] = {
		{ "thp", "/sys/kernel/mm/transparent_hugepage/enabled" },
		{ "thp_defrag", "/sys/kernel/mm/transparent_hugepage/defrag" },
		{ "governor",
		  "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor" },
		{ "hugetlb_free", "/sys/kernel/mm/hugepages/"
				  "hugepages-2048kB/free_hugepages" },
		{ "numa_nodes", "/sys/devices/system/node/online" },
		{ "clocksource", "/sys/devices/system/clocksource/"
				 "clocksource0/current_clocksource" },
		{ "hypervisor", "/sys/hypervisor/type" },
		{ "module", "/sys/module/lull_arena/initstate" },
	};
	json_t *row;
	size_t i;

	row = json_pack("{s:s, s:s, s:o, s:I}", "bench", "storm", "name",
			"host", "host", lull_bench_host(), "memory_bytes",
			(json_int_t)lull_arena_host_memory_bytes());
	for (i = 0; i < LULL_ARRAY_SIZE(settings); i++)
		json_object_set_new(row, settings[i].key,
				    chosen(settings[i].path));
	json_object_set_new(row, "flushes_why",
			    *counters->why ? json_string(counters->why)
					   : json_null());
	return row;
}

/**
 * struct emitted - the rows so far
 * @rows: of them all, for the plot
 * @nr_failed: those of arms that failed
 */
struct emitted {
	json_t *rows;
	unsigned int nr_failed;
};

static int emit(const struct lull_bench_storm_opts *opts, json_t *row,
		struct emitted *emitted, struct lull_error *reterr)
{
	if (!row || json_array_append(emitted->rows, row)) {
		json_decref(row);
		return lull_fail(reterr, LULL_NOMEM, "out of memory for a row");
	}
	emitted->nr_failed += json_object_get(row, "failed") != NULL;
	return opts->row(opts->row_arg, row, reterr);
}

static int run_scenario(const struct lull_bench_storm_opts *opts,
			enum lull_bench_storm_scenario scenario,
			struct emitted *emitted, struct lull_error *reterr)
{
	struct lull_bench_storm_opts one = *opts;
	const struct storm_arm *arm;
	int err = LULL_OK;
	size_t i;

	one.scenario = scenario;
	for (i = 0; (arm = arm_at(i)) && !err; i++)
		if (is_listed(opts->arms, arm->name))
			err = emit(opts, run_arm(arm, &one), emitted, reterr);
	return err;
}

static int run_scenarios(const struct lull_bench_storm_opts *opts,
			 struct emitted *emitted, struct lull_error *reterr)
{
	int err;

	if (opts->scenario != LULL_BENCH_STORM_TABLE)
		return run_scenario(opts, opts->scenario, emitted, reterr);
	err = run_scenario(opts, LULL_BENCH_STORM_ALL, emitted, reterr);
	return err ? err
		   : run_scenario(opts, LULL_BENCH_STORM_SCATTERED, emitted,
				  reterr);
}

/* The counters are held open all the while, so that the kernel patches its
 * tracepoint once, and not for each arm. */
static int run_all(const struct lull_bench_storm_opts *opts,
		   struct emitted *emitted, struct lull_error *reterr)
{
	struct storm_counters counters;
	int err;

	lull_bench_storm_counters_open(&counters);
	err = emit(opts, host_row(&counters), emitted, reterr);
	if (!err)
		err = run_scenarios(opts, emitted, reterr);
	lull_bench_storm_counters_close(&counters);
	return err;
}

static int run_in_process(const struct lull_bench_storm_opts *opts,
			  struct lull_error *reterr)
{
	const char *name = opts->in_process;
	const struct storm_arm *arm;
	json_t *row;
	int err;

	if (!strcmp(name, HOG_NAME))
		return lull_bench_storm_hog(reterr);
	arm = find_arm(name, strlen(name));
	if (!arm)
		return lull_fail(reterr, LULL_USAGE, "no arm '%.40s'", name);
	err = lull_bench_storm_measure(arm, opts, &row, reterr);
	return err ? err : opts->row(opts->row_arg, row, reterr);
}

int lull_bench_storm(const struct lull_bench_storm_opts *opts,
		     struct lull_error *reterr)
{
	struct emitted emitted = { 0 };
	int err;

	assert(opts->nr_rounds && opts->nr_threads && opts->nr_vectors);
	if (opts->in_process)
		return run_in_process(opts, reterr);
	err = check_arms(opts->arms, reterr);
	if (err)
		return err;
	emitted.rows = json_array();
	if (!emitted.rows)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	err = run_all(opts, &emitted, reterr);
	if (!err && opts->cuda_register)
		err = lull_bench_storm_cuda(opts, reterr);
	if (!err && opts->svg)
		err = lull_bench_storm_svg(opts->svg, emitted.rows, reterr);
	json_decref(emitted.rows);
	if (!err && emitted.nr_failed)
		err = lull_fail(reterr, LULL_IO,
				"%u arms could not be measured; their rows "
				"say why",
				emitted.nr_failed);
	return err;
}
