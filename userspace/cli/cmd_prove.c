// SPDX-License-Identifier: Apache-2.0
/*
 * cmd_prove.c - lull prove: a key and a witness become two JSON files
 *
 * Outputs are refused before the key is read, written after the proof has been
 * checked, and appear whole or not at all.
 */
#include <jansson.h>
#include <stdio.h>

#include "base/base.h"
#include "base/error.h"
#include "base/stage.h"
#include "base/trace.h"
#include "bench/proof_trace.h"
#include "cli/cli.h"
#include "cli/term.h"
#ifdef LULL_VERIFY
#include "base/mem.h"
/* tidy: allow include --test-rs is for tests, and in test builds only */
#include "input/decimal.h"
/* tidy: allow include the same */
#include "prove/prover.h"
#endif

/**
 * struct prove_job - one run of the command
 * @cli: the command line
 * @ctx: the context
 * @key: the key
 * @wtns: the witness
 * @proof: the proof, once there is one
 * @trace: what --trace asks for, or NULL
 * @nr_stages: stages begun, for the progress line
 * @start_ns: when the command began
 */
struct prove_job {
	const struct lull_cli *cli;
	struct lull_ctx *ctx;
	struct lull_key *key;
	struct lull_wtns *wtns;
	struct lull_proof *proof;
	struct lull_proof_trace *trace;
	unsigned int nr_stages;
	uint64_t start_ns;
};

/* The words of the command line. */
enum { WORD_KEY, WORD_WITNESS, WORD_PROOF, WORD_PUBLIC };

static int check_paths(const struct lull_cli *cli, struct lull_error *reterr)
{
	const char *inputs[3] = { cli->words[WORD_KEY],
				  cli->words[WORD_WITNESS], cli->check_r1cs };
	const char *outputs[3] = { cli->words[WORD_PROOF],
				   cli->words[WORD_PUBLIC], cli->trace };

	return lull_cli_check_outputs(inputs, cli->check_r1cs ? 3 : 2, outputs,
				      cli->trace ? 3 : 2, reterr);
}

/* What is for --partitions only. */
static int check_single(const struct lull_cli *cli, struct lull_error *reterr)
{
	const char *option = cli->key	   ? "--key"
			     : cli->output ? "--output"
					   : lull_cli_pipeline_option(cli);

	return option ? lull_fail(reterr, LULL_USAGE,
				  "prove: %s is for --partitions", option)
		      : LULL_OK;
}

static int open_inputs(struct prove_job *job, struct lull_error *reterr)
{
	const struct lull_cli *cli = job->cli;
	uint64_t start_ns = lull_trace_now_ns();
	int err;

	lull_term_progress("witness", 0, 0);
	err = lull_wtns_open(job->ctx, cli->words[WORD_WITNESS], &job->wtns,
			     reterr);
	lull_proof_trace_witness(job->trace, start_ns);
	if (!err && cli->check_r1cs) {
		lull_term_progress("circuit", 0, 0);
		err = lull_wtns_check(job->wtns, cli->check_r1cs, reterr);
	}
	if (err)
		return err;
	lull_term_progress("key", 0, 0);
	start_ns = lull_trace_now_ns();
	err = lull_key_open(job->ctx, cli->words[WORD_KEY], &job->key, reterr);
	lull_proof_trace_key(job->trace, start_ns);
	return err;
}

static void show_stage(void *arg, const char *stage)
{
	struct prove_job *job = arg;

	if (job->nr_stages < LULL_NR_STAGES)
		job->nr_stages++;
	lull_proof_trace_stage(job->trace, job->ctx);
	lull_term_progress(stage, job->nr_stages, LULL_NR_STAGES);
}

#ifdef LULL_VERIFY
/* --test-rs: the bytes of the proof can then be compared with a peer's. */
static int prove_blinded(struct prove_job *job,
			 const struct lull_prove_opts *opts,
			 struct lull_error *reterr)
{
	uint8_t rs[2][32]; /* scalars have 32 bytes on both curves */
	const char *text;
	size_t i;
	int err = LULL_OK;

	for (i = 0; i < LULL_ARRAY_SIZE(rs) && !err; i++) {
		text = job->cli->test_rs[i];
		if (!text)
			return lull_fail(reterr, LULL_USAGE,
					 "--test-rs: expected R S");
		if (lull_decimal_read(text, strlen(text), rs[i], sizeof(rs[i])))
			return lull_fail(reterr, LULL_USAGE,
					 "--test-rs: expected decimal numbers, "
					 "found '%.80s'",
					 text);
	}
	err = lull_prove_blinded(job->ctx, job->key, job->wtns, opts, rs[0],
				 rs[1], &job->proof, reterr);
	lull_wipe(rs, sizeof(rs));
	return err;
}
#endif

static int prove(struct prove_job *job, struct lull_error *reterr)
{
	const struct lull_prove_opts opts = {
		.size = sizeof(opts),
		.flags = job->cli->no_verify ? LULL_PROVE_NO_VERIFY : 0,
		.progress = show_stage,
		.progress_arg = job,
	};

#ifdef LULL_VERIFY
	if (job->cli->test_rs[0])
		return prove_blinded(job, &opts, reterr);
#endif
	return lull_prove(job->ctx, job->key, job->wtns, &opts, &job->proof,
			  reterr);
}

static json_t *describe_stages(const struct lull_proof *proof)
{
	const struct lull_stage_time *stages;
	json_t *list = json_array();
	unsigned int nr, i;

	stages = lull_proof_stages(proof, &nr);
	for (i = 0; i < nr; i++)
		json_array_append_new(
			list,
			json_pack("{s:s, s:I, s:I}", "name", stages[i].name,
				  "start_ns", (json_int_t)stages[i].start_ns,
				  "ns", (json_int_t)stages[i].ns));
	return list;
}

static json_t *describe(const struct prove_job *job)
{
	struct lull_ctx_stats stats = { .size = sizeof(stats) };
	const struct lull_cli *cli = job->cli;

	lull_ctx_stats(job->ctx, &stats, NULL);
	return json_pack("{s:o, s:o, s:o, s:o, s:b, s:s, s:s, s:i, s:I, s:o}",
			 "key", lull_term_text(cli->words[WORD_KEY]), "witness",
			 lull_term_text(cli->words[WORD_WITNESS]), "proof",
			 lull_term_text(cli->words[WORD_PROOF]), "public",
			 lull_term_text(cli->words[WORD_PUBLIC]), "verified",
			 !cli->no_verify, "backend",
			 lull_proof_backend(job->proof), "arena", stats.arena,
			 "threads", (int)lull_cli_nr_threads(cli), "ns",
			 (json_int_t)(lull_trace_now_ns() - job->start_ns),
			 "stages", describe_stages(job->proof));
}

static int write_and_report(struct prove_job *job)
{
	const struct lull_cli *cli = job->cli;
	const struct lull_stage_time *stages;
	struct lull_error err;
	unsigned int nr;
	int status;

	lull_term_progress("writing", 0, 0);
	lull_cli_signals_hold_for(&cli->words[WORD_PROOF], 2);
	status = lull_proof_write(job->proof, cli->words[WORD_PROOF],
				  cli->words[WORD_PUBLIC], &err);
	lull_cli_signals_release();
	if (!status)
		status = lull_proof_trace_write(job->trace, job->ctx,
						job->proof, cli->trace, &err);
	lull_term_progress_end();
	if (status)
		return lull_term_fail(cli->json, &err);
	if (cli->verbose) {
		stages = lull_proof_stages(job->proof, &nr);
		lull_term_stages(stages, nr);
	}
	return cli->json ? lull_term_emit(describe(job)) : LULL_EXIT_OK;
}

int lull_cli_prove(const struct lull_cli *cli)
{
	struct prove_job job = { .cli = cli, .start_ns = lull_trace_now_ns() };
	struct lull_error err;
	int ret, status;

	if (cli->partitions)
		return lull_cli_prove_partitions(cli);
	status = check_single(cli, &err);
	if (!status)
		status = check_paths(cli, &err);
	if (!status && cli->trace)
		status = lull_proof_trace_begin(&job.trace, &err);
	if (!status)
		status = lull_cli_ctx_create(cli, &job.ctx, &err);
	if (!status)
		status = open_inputs(&job, &err);
	if (!status)
		status = prove(&job, &err);
	if (status)
		ret = lull_term_fail(cli->json, &err);
	else
		ret = write_and_report(&job);
	lull_proof_trace_end(job.trace);
	lull_proof_free(job.proof);
	lull_wtns_close(job.wtns);
	lull_key_close(job.key);
	lull_ctx_destroy(job.ctx);
	return ret;
}
