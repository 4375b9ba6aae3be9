// SPDX-License-Identifier: Apache-2.0
/*
 * cmd_partitions.c - lull prove --partitions: one key and many witnesses
 *
 * More witnesses than a file of proofs may have are refused first.  Outputs are
 * refused before the key is read, those among them that may never be
 * written.  When every partition has its proof they are written into one file;
 * when some have not, each of the others is written into a file of its own,
 * FILE.NUMBER, so that one that failed costs no other its proof and no file lacks
 * what its name promises.  Nor does one of an earlier run: as soon as one file of
 * this run is there FILE is removed, and FILE.NUMBER of those that failed, or that
 * an error kept from being written.  What may not be written is not removed
 * either, and told.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "base/fdpath.h"
#include "base/trace.h"
#include "cli/cli.h"
#include "cli/term.h"

/* How often a signal is looked for: well within the two seconds in which a
 * canceled job ends. */
#define LOOK_MS 50
#define NUMBER_BYTES sizeof(".4294967295")

/**
 * struct partitions - one run of the command
 * @cli: the command line
 * @paths: of the witnesses, in the order of their numbers
 * @nr: how many
 * @parts: FILE.NUMBER of each, which is written when some have no proof: NULL of
 *	one partition
 * @ctx: the context
 * @key: the key
 * @pipeline: who proves
 * @job: the job
 * @status: how it went
 * @start_ns: when the command began
 */
struct partitions {
	const struct lull_cli *cli;
	glob_t paths;
	unsigned int nr;
	char **parts;
	struct lull_ctx *ctx;
	struct lull_key *key;
	struct lull_pipeline *pipeline;
	struct lull_job *job;
	struct lull_job_status status;
	uint64_t start_ns;
};

/* ---- what is asked for ------------------------------------------------- */

/* w2 before w10. */
static int compare_paths(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* What glob() was stopped by; it hands on nothing of the caller's. */
static struct lull_error unreadable;

/* Without what lies in such a directory there would be fewer partitions, and
 * nobody would know.  What is none, or not there, has none. */
static int stop_at_unreadable(const char *directory, int error)
{
	if (error == ENOENT || error == ENOTDIR)
		return 0;
	lull_fail_errno(&unreadable, LULL_IO, error,
			"--partitions: directory %.100s", directory);
	return 1;
}

static int find_witnesses(struct partitions *p, struct lull_error *reterr)
{
	const char *pattern = p->cli->partitions;
	int err = glob(pattern, GLOB_NOSORT, stop_at_unreadable, &p->paths);

	if (err == GLOB_NOMATCH)
		return lull_fail(reterr, LULL_USAGE,
				 "--partitions: no file matches '%.100s'",
				 pattern);
	if (err == GLOB_ABORTED) {
		*reterr = unreadable;
		return unreadable.code;
	}
	if (err)
		return lull_fail(reterr, LULL_NOMEM,
				 "--partitions: out of memory");
	if (p->paths.gl_pathc > LULL_PARTITIONS_MAX)
		return lull_fail(reterr, LULL_USAGE,
				 "--partitions: expected at most %d witnesses, "
				 "found %zu that match '%.100s'",
				 LULL_PARTITIONS_MAX, p->paths.gl_pathc,
				 pattern);
	p->nr = (unsigned int)p->paths.gl_pathc;
	qsort(p->paths.gl_pathv, p->nr, sizeof(char *), compare_paths);
	return LULL_OK;
}

static int check_command(const struct lull_cli *cli, struct lull_error *reterr)
{
	if (!cli->key || !cli->output)
		return lull_fail(reterr, LULL_USAGE,
				 "prove: --partitions wants --key and "
				 "--output");
	/* Where one fails, FILE.NUMBER is what the others' names are made of. */
	if (!strcmp(cli->output, "-"))
		return lull_fail(reterr, LULL_USAGE,
				 "prove: --output: expected a file, found '-'");
	if (cli->check_r1cs || cli->test_rs[0])
		return lull_fail(
			reterr, LULL_USAGE, "prove: %s is for one witness",
			cli->check_r1cs ? "--check-r1cs" : "--test-rs");
	return LULL_OK;
}

/* FILE.NUMBER of a partition; in memory of the caller's. */
static char *name_of_one(const struct partitions *p, unsigned int i)
{
	size_t bytes = strlen(p->cli->output) + NUMBER_BYTES;
	char *name = malloc(bytes);

	if (name)
		snprintf(name, bytes, "%s.%u", p->cli->output, i);
	return name;
}

static unsigned int nr_parts(const struct partitions *p)
{
	return p->nr > 1 ? p->nr : 0;
}

static int name_parts(struct partitions *p, struct lull_error *reterr)
{
	const unsigned int nr = nr_parts(p);
	unsigned int i;

	if (!nr)
		return LULL_OK;
	/* Beside a descriptor, in /dev, is no place for them. */
	if (lull_fd_of_path(p->cli->output) >= 0)
		return lull_fail(reterr, LULL_USAGE,
				 "prove: --output: expected a file, found the "
				 "descriptor '%.40s'",
				 p->cli->output);
	p->parts = calloc(nr, sizeof(*p->parts));
	for (i = 0; p->parts && i < nr; i++) {
		p->parts[i] = name_of_one(p, i);
		if (!p->parts[i])
			break;
	}
	return p->parts && i == nr
		       ? LULL_OK
		       : lull_fail(reterr, LULL_NOMEM, "out of memory");
}

static void free_parts(struct partitions *p)
{
	unsigned int i;

	for (i = 0; p->parts && i < p->nr; i++)
		free(p->parts[i]);
	free(p->parts);
}

/* @inputs and @outputs hold nothing yet. */
static int check_named(const struct partitions *p, const char **inputs,
		       const char **outputs, struct lull_error *reterr)
{
	unsigned int i, nr = 0;

	inputs[0] = p->cli->key;
	for (i = 0; i < p->nr; i++)
		inputs[i + 1] = p->paths.gl_pathv[i];
	outputs[nr++] = p->cli->output;
	if (p->cli->trace)
		outputs[nr++] = p->cli->trace;
	for (i = 0; i < nr_parts(p); i++)
		outputs[nr++] = p->parts[i];
	return lull_cli_check_outputs(inputs, p->nr + 1, outputs, nr, reterr);
}

static int check_paths(struct partitions *p, struct lull_error *reterr)
{
	const char **inputs = calloc(p->nr + 1, sizeof(*inputs));
	const char **outputs = calloc(p->nr + 2, sizeof(*outputs));
	int err;

	if (inputs && outputs)
		err = name_parts(p, reterr);
	else
		err = lull_fail(reterr, LULL_NOMEM, "out of memory");
	if (!err)
		err = check_named(p, inputs, outputs, reterr);
	free(outputs);
	free(inputs);
	return err;
}

static bool wants_json_file(const struct lull_cli *cli)
{
	const char *dot = strrchr(cli->output, '.');

	return dot && !strcmp(dot, ".json");
}

/* ---- proving ----------------------------------------------------------- */

static void say_plan(const struct partitions *p)
{
	struct lull_pipeline_stats s = { .size = sizeof(s) };
	struct lull_key_info info = { .size = sizeof(info) };
	char line[256], bound[64] = "no bound";

	lull_pipeline_stats(p->pipeline, &s, NULL);
	lull_key_info(p->key, &info, NULL);
	snprintf(line, sizeof(line),
		 "%u partitions on %s, 2^%d rows, %u in flight; threads: load "
		 "%u, compute %u (a proof %u), assemble %u, free %u; %s",
		 p->nr, lull_cli_curve_name(info.curve),
		 __builtin_ctz(info.domain_size), s.in_flight, s.nr_loading,
		 s.nr_computing, s.cpu_threads, s.nr_assembling, s.nr_freeing,
		 s.binding);
	lull_term_note(NULL, line);
	if (s.host_bytes)
		snprintf(bound, sizeof(bound), "at most %.1f MiB",
			 (double)s.host_bytes / LULL_BYTES_PER_MIB);
	snprintf(line, sizeof(line),
		 "memory: key %.1f MiB, each partition %.1f MiB, %s",
		 (double)s.host_bytes_held / LULL_BYTES_PER_MIB,
		 (double)p->status.partition_bytes / LULL_BYTES_PER_MIB, bound);
	lull_term_note(NULL, line);
}

static void say_totals(const struct partitions *p)
{
	double s = (double)(lull_trace_now_ns() - p->start_ns) / LULL_NS_PER_S;
	struct lull_pipeline_stats stats = { .size = sizeof(stats) };
	char line[256];

	lull_pipeline_stats(p->pipeline, &stats, NULL);
	snprintf(line, sizeof(line),
		 "%u of %u partitions proved in %.3f s, the key's opening "
		 "among them; memory at most %.1f MiB; waits: %llu for memory, "
		 "%llu for bandwidth",
		 p->status.nr_proved, p->nr, s,
		 (double)stats.host_bytes_max / LULL_BYTES_PER_MIB,
		 (unsigned long long)stats.memory_waits,
		 (unsigned long long)stats.bandwidth_waits);
	lull_term_note(NULL, line);
}

/* Until the job has ended, canceled or not. */
static void follow(struct partitions *p)
{
	bool canceled = false;
	int ended;

	do {
		ended = lull_job_wait(p->job, LOOK_MS);
		if (lull_cli_signals_caught() && !canceled) {
			canceled = true;
			lull_job_cancel(p->job);
		}
		lull_job_status(p->job, &p->status, NULL);
		lull_term_progress("partitions", p->status.nr_proved, p->nr);
	} while (!ended);
	lull_term_progress_end();
}

static int submit(struct partitions *p, struct lull_error *reterr)
{
	const struct lull_cli *cli = p->cli;
	struct lull_pipeline_opts pipeline = cli->pipeline;
	const struct lull_job_opts job = {
		.size = sizeof(job),
		.flags = cli->no_verify ? LULL_PROVE_NO_VERIFY : 0,
		.nr_partitions = p->nr,
		.paths = (const char *const *)p->paths.gl_pathv,
	};
	int err;

	pipeline.size = sizeof(pipeline);
	pipeline.trace = cli->trace != NULL;
	/* Its threads leave signals to this one. */
	lull_cli_signals_hold();
	err = lull_pipeline_create(p->ctx, &pipeline, &p->pipeline, reterr);
	lull_cli_signals_catch();
	lull_cli_signals_release();
	return err ? err
		   : lull_job_submit(p->pipeline, p->key, &job, &p->job,
				     reterr);
}

/* A key takes its file's size: what cannot fit is refused before the host is
 * filled with it.  What is no file is left to who opens it. */
static int check_budget(const struct lull_cli *cli, struct lull_error *reterr)
{
	uint64_t most = cli->pipeline.host_bytes;
	struct stat st;

	if (!most || stat(cli->key, &st) || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size <= most)
		return LULL_OK;
	return lull_fail(
		reterr, LULL_NOMEM,
		"%s does not fit: expected a key of at most %llu bytes "
		"(--host-memory), found %llu",
		cli->key, (unsigned long long)most,
		(unsigned long long)st.st_size);
}

static int prove(struct partitions *p, struct lull_error *reterr)
{
	int err = check_budget(p->cli, reterr);

	if (!err)
		err = lull_cli_ctx_create(p->cli, &p->ctx, reterr);
	lull_term_progress("key", 0, 0);
	if (!err)
		err = lull_key_open(p->ctx, p->cli->key, &p->key, reterr);
	if (!err)
		err = submit(p, reterr);
	if (err)
		return err;
	lull_job_status(p->job, &p->status, NULL);
	if (p->cli->verbose)
		say_plan(p);
	follow(p);
	if (p->cli->verbose)
		say_totals(p);
	return LULL_OK;
}

/* ---- results ----------------------------------------------------------- */

static unsigned int write_flags(const struct partitions *p)
{
	return wants_json_file(p->cli) ? LULL_JOB_JSON : 0;
}

static void say_older(const char *name, const char *what)
{
	char line[320];

	snprintf(line, sizeof(line), "%.200s is of an earlier run and %s", name,
		 what);
	lull_term_note(NULL, line);
}

/* A link stays and its file goes, as when it is written. */
static int unlink_behind(const char *name)
{
	char *path = realpath(name, NULL);
	int err = path && !unlink(path) ? 0 : errno;

	free(path);
	return err;
}

/* What an earlier run left, if it did.  A pipe or a device is no result. */
static int remove_older(const char *name, struct lull_error *reterr)
{
	struct stat st;
	int err;

	if (stat(name, &st) || !S_ISREG(st.st_mode))
		return LULL_OK;
	if (faccessat(AT_FDCWD, name, W_OK, AT_EACCESS)) {
		say_older(name, "was left: it may not be written");
		return LULL_OK;
	}
	err = unlink_behind(name);
	if (err)
		return lull_fail_errno(reterr, LULL_IO, err,
				       "%.200s: removing what an earlier run "
				       "left",
				       name);
	say_older(name, "was removed");
	return LULL_OK;
}

/* Beside the files of this run, what looks as if it were another of them: those
 * of the first @nr that were proved are there.  The first error is told. */
static int remove_untrue(const struct partitions *p, unsigned int nr,
			 struct lull_error *reterr)
{
	int err = remove_older(p->cli->output, reterr), other;
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		if (i < nr && lull_job_proof(p->job, i, NULL))
			continue;
		other = remove_older(p->parts[i], err ? NULL : reterr);
		err = err ? err : other;
	}
	return err;
}

static int write_parts(struct partitions *p, struct lull_error *reterr)
{
	unsigned int i, nr_written = 0;
	int err = LULL_OK, left = LULL_OK;

	for (i = 0; i < p->nr; i++) {
		if (!lull_job_proof(p->job, i, NULL))
			continue;
		err = lull_job_write(p->job, i, 1, p->parts[i], write_flags(p),
				     reterr);
		if (err)
			break;
		nr_written++;
	}
	if (nr_written)
		left = remove_untrue(p, i, err ? NULL : reterr);
	return err ? err : left;
}

/* A signal does not end the command between two files. */
static int write_proofs(struct partitions *p, struct lull_error *reterr)
{
	const bool whole = p->status.nr_proved == p->nr;
	int err;

	if (whole)
		lull_cli_signals_hold_for(&p->cli->output, 1);
	else
		lull_cli_signals_hold_for((const char *const *)p->parts,
					  nr_parts(p));
	err = whole ? lull_job_write(p->job, 0, p->nr, p->cli->output,
				     write_flags(p), reterr)
		    : write_parts(p, reterr);
	lull_cli_signals_release();
	return err;
}

static int write_trace(struct partitions *p, struct lull_error *reterr)
{
	return p->cli->trace ? lull_pipeline_trace_write(p->pipeline,
							 p->cli->trace, reterr)
			     : LULL_OK;
}

static json_t *describe_one(const struct partitions *p, unsigned int i)
{
	struct lull_error error;
	const struct lull_proof *proof = lull_job_proof(p->job, i, &error);
	json_t *object = json_pack("{s:o, s:b}", "witness",
				   lull_term_text(p->paths.gl_pathv[i]),
				   "proved", proof != NULL);

	if (object && proof)
		json_object_set_new(object, "backend",
				    json_string(lull_proof_backend(proof)));
	else if (object)
		json_object_set_new(object, "error", lull_term_error(&error));
	return object;
}

static json_t *describe(const struct partitions *p)
{
	struct lull_pipeline_stats s = { .size = sizeof(s) };
	struct lull_ctx_stats arena = { .size = sizeof(arena) };
	const struct lull_cli *cli = p->cli;
	json_t *list = json_array();
	unsigned int i;

	lull_pipeline_stats(p->pipeline, &s, NULL);
	lull_ctx_stats(p->ctx, &arena, NULL);
	for (i = 0; i < p->nr; i++)
		json_array_append_new(list, describe_one(p, i));
	return json_pack(
		"{s:o, s:o, s:i, s:i, s:i, s:b, s:s, s:i, s:I, s:I, s:I, s:I, "
		"s:o}",
		"key", lull_term_text(cli->key), "output",
		lull_term_text(cli->output), "proved", (int)p->status.nr_proved,
		"failed", (int)p->status.nr_failed, "canceled",
		(int)p->status.nr_canceled, "verified", !cli->no_verify,
		"arena", arena.arena, "in_flight", (int)s.in_flight,
		"host_bytes_max", (json_int_t)s.host_bytes_max, "memory_waits",
		(json_int_t)s.memory_waits, "bandwidth_waits",
		(json_int_t)s.bandwidth_waits, "ns",
		(json_int_t)(lull_trace_now_ns() - p->start_ns), "partitions",
		list);
}

/* Each once, with its number and its file. */
static void say_failures(const struct partitions *p)
{
	struct lull_error error;
	char line[512];
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		if (lull_job_proof(p->job, i, &error) ||
		    error.code == LULL_CANCELED)
			continue;
		snprintf(line, sizeof(line), "partition %u (%.120s): %s", i,
			 p->paths.gl_pathv[i], error.msg);
		lull_term_note(NULL, line);
	}
}

/* All for the same reason: that is the command's. */
static int exit_code(const struct partitions *p)
{
	struct lull_error error;
	unsigned int i, nr_unsatisfied = 0;

	if (p->status.nr_proved == p->nr)
		return LULL_EXIT_OK;
	if (p->status.nr_proved)
		return LULL_EXIT_PARTIAL;
	for (i = 0; i < p->nr; i++) {
		lull_job_proof(p->job, i, &error);
		nr_unsatisfied += error.code == LULL_UNSATISFIED;
	}
	return nr_unsatisfied == p->nr ? LULL_EXIT_UNSATISFIED
				       : LULL_EXIT_ERROR;
}

/* Adds " 3" or " 3-7"; false when there is no room. */
static bool add_range(char *text, size_t bytes, unsigned int first,
		      unsigned int last)
{
	size_t len = strlen(text);
	const char *comma = len ? "," : "";
	int nr = first == last ? snprintf(text + len, bytes - len, "%s %u",
					  comma, first)
			       : snprintf(text + len, bytes - len, "%s %u-%u",
					  comma, first, last);

	if (nr >= 0 && (size_t)nr < bytes - len)
		return true;
	text[len] = '\0';
	return false;
}

/* " 0-6, 9": those that have their proof, as many as there is room for. */
static void list_proved(const struct partitions *p, char *text, size_t bytes)
{
	unsigned int i, first;

	*text = '\0';
	for (i = 0; i < p->nr; i++) {
		if (!lull_job_proof(p->job, i, NULL))
			continue;
		first = i;
		while (i + 1 < p->nr && lull_job_proof(p->job, i + 1, NULL))
			i++;
		if (!add_range(text, bytes - sizeof(", ..."), first, i)) {
			memcpy(text + strlen(text), ", ...", sizeof(", ..."));
			return;
		}
	}
}

static int report_interrupt(struct partitions *p)
{
	struct lull_error untraced;
	char line[256], proved[128];

	list_proved(p, proved, sizeof(proved));
	snprintf(line, sizeof(line),
		 "interrupted: %u of %u partitions had been proved%s%s%s, "
		 "no proof was written",
		 p->status.nr_proved, p->nr, *proved ? " (" : "",
		 *proved ? proved + 1 : "", *proved ? ")" : "");
	lull_term_note(NULL, line);
	if (write_trace(p, &untraced))
		lull_term_note(NULL, untraced.msg);
	if (p->cli->json)
		lull_term_emit(describe(p));
	return LULL_EXIT_SIGNALED + lull_cli_signals_caught();
}

/* The trace is last: where it cannot be written, or waits for its reader, it
 * costs nobody a proof. */
static int report(struct partitions *p)
{
	struct lull_error error, untraced;
	int err, no_trace, said;

	say_failures(p);
	/* There is nothing to cancel any more: a signal ends the command at once. */
	lull_cli_signals_install();
	if (p->status.nr_canceled)
		return report_interrupt(p);
	err = write_proofs(p, &error);
	no_trace = write_trace(p, &untraced);
	if (err && no_trace)
		lull_term_note(NULL, untraced.msg);
	if (err || no_trace)
		return lull_term_fail(p->cli->json, err ? &error : &untraced);
	said = p->cli->json ? lull_term_emit(describe(p)) : LULL_EXIT_OK;
	return said ? said : exit_code(p);
}

int lull_cli_prove_partitions(const struct lull_cli *cli)
{
	struct partitions p = { .cli = cli,
				.status.size = sizeof(p.status),
				.start_ns = lull_trace_now_ns() };
	struct lull_error error;
	int err = check_command(cli, &error), ret;

	if (!err)
		err = find_witnesses(&p, &error);
	if (!err)
		err = check_paths(&p, &error);
	if (!err)
		err = prove(&p, &error);
	ret = err ? lull_term_fail(cli->json, &error) : report(&p);
	lull_job_free(p.job);
	lull_pipeline_destroy(p.pipeline);
	lull_key_close(p.key);
	lull_ctx_destroy(p.ctx);
	free_parts(&p);
	globfree(&p.paths);
	return ret;
}
