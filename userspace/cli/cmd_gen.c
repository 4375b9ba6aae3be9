// SPDX-License-Identifier: Apache-2.0
/*
 * cmd_gen.c - lull gen: a synthetic circuit, a key and witnesses
 *
 * Into one folder: circuit.r1cs, key.zkey and w0.wtns, w1.wtns, ...; in the
 * formats of circom and snarkjs, which read them too; or key.lkey without the
 * circuit, which is all that large ones have room for; and circuit.json, by which
 * lull bench proofs --keep knows them again.  The key comes from a
 * trapdoor, so the command says that it is insecure.
 */
#include <inttypes.h>
#include <jansson.h>

#include "base/error.h"
#include "bench/made.h"
#include "cli/cli.h"
#include "cli/term.h"

/* Above it a circuit and a .zkey are gigabytes that nobody but us reads. */
#define LOG2_ALL_FILES 20

/* The proof of replication's curve is the one it is proved on; others are
 * circom's, whose own is BN254. */
static enum lull_curve usual_curve(enum lull_circuit_shape shape)
{
	return shape == LULL_CIRCUIT_POREP ? LULL_CURVE_BLS12_381
					   : LULL_CURVE_BN254;
}

int lull_cli_made_opts(const struct lull_cli *cli,
		       struct lull_made_opts *ret_opts,
		       struct lull_error *reterr)
{
	struct lull_made_opts opts = {
		.log2_domain = cli->log2,
		.seed = cli->seed,
		.files = LULL_MADE_LKEY | LULL_MADE_WTNS,
		.nr_witnesses = cli->nr_witnesses ? cli->nr_witnesses : 1,
		.nr_threads = lull_cli_nr_threads(cli),
		.in_memory = cli->in_memory,
		.make_ctx = lull_cli_make_ctx,
		.make_ctx_arg = cli,
		.progress = lull_term_progress,
	};
	int err = lull_circuit_shape_of(cli->shape, &opts.shape, reterr);

	if (err)
		return err;
	opts.curve = cli->curve ? (enum lull_curve)cli->curve
				: usual_curve(opts.shape);
	*ret_opts = opts;
	return LULL_OK;
}

void lull_cli_warn_insecure(void)
{
	lull_term_warn(NULL, "the key comes from a known trapdoor: insecure, "
			     "for tests only");
}

static int check(const struct lull_cli *cli, struct lull_error *reterr)
{
	if (cli->shape && cli->log2 && cli->curve && cli->output)
		return LULL_OK;
	return lull_fail(reterr, LULL_USAGE,
			 "gen: expected --shape, --log2, --curve and -o, found "
			 "no %s",
			 !cli->shape   ? "--shape"
			 : !cli->log2  ? "--log2"
			 : !cli->curve ? "--curve"
				       : "-o");
}

static int choose_files(const struct lull_cli *cli, struct lull_made_opts *opts,
			struct lull_error *reterr)
{
	if (cli->files)
		return lull_made_files_of(cli->files, &opts->files, reterr);
	if (cli->log2 <= LOG2_ALL_FILES)
		opts->files = LULL_MADE_R1CS | LULL_MADE_ZKEY | LULL_MADE_WTNS;
	return LULL_OK;
}

static int generate(const struct lull_cli *cli, struct lull_made_opts *opts,
		    struct lull_made *made, struct lull_error *reterr)
{
	int err = check(cli, reterr);

	if (!err)
		err = lull_cli_made_opts(cli, opts, reterr);
	if (!err)
		err = choose_files(cli, opts, reterr);
	if (err)
		return err;
	err = lull_made_folder(opts, cli->output, made, reterr);
	lull_term_progress_end();
	if (!err && made->key_path[0])
		lull_cli_warn_insecure();
	return err;
}

/* Witnesses alone are made without anybody counting what the circuit has. */
static json_t *count_of(const struct lull_circuit_counts *counts, uint64_t nr)
{
	return counts->nr_wires ? json_integer((json_int_t)nr) : json_null();
}

static json_t *describe(const struct lull_cli *cli,
			const struct lull_made *made, unsigned int nr_witnesses)
{
	const struct lull_circuit_counts *counts = &made->counts;

	return json_pack("{s:o, s:s, s:s, s:I, s:o, s:I, s:o, s:o, s:o, s:I, "
			 "s:b, s:o, s:I, s:I}",
			 "folder", lull_term_text(cli->output), "shape",
			 cli->shape, "curve", lull_cli_curve_name(cli->curve),
			 "constraints", (json_int_t)made->circuit.nr_rows,
			 "wires", count_of(counts, counts->nr_wires), "public",
			 (json_int_t)made->circuit.nr_public, "terms_a",
			 count_of(counts, counts->nr_terms_a), "terms_b",
			 count_of(counts, counts->nr_terms_b), "terms_c",
			 count_of(counts, counts->nr_terms_c), "witnesses",
			 (json_int_t)nr_witnesses, "toxic",
			 made->key_path[0] != '\0', "backend",
			 lull_term_text(made->key.backend), "key_ns",
			 (json_int_t)made->key.ns, "witnesses_ns",
			 (json_int_t)made->wtns_ns);
}

static void say_files(const struct lull_cli *cli,
		      const struct lull_made_opts *opts,
		      const struct lull_made *made)
{
	const struct lull_circuit_counts *counts = &made->counts;
	const char *key = opts->files & LULL_MADE_ZKEY ? "zkey" : "lkey";

	if (counts->nr_wires)
		lull_term_say("%s%s   %" PRIu32 " constraints, %" PRIu32
			      " wires, %" PRIu64 " + %" PRIu64 " + %" PRIu64
			      " terms",
			      cli->output,
			      opts->files & LULL_MADE_R1CS ? "/circuit.r1cs"
							   : "",
			      made->circuit.nr_rows, counts->nr_wires,
			      counts->nr_terms_a, counts->nr_terms_b,
			      counts->nr_terms_c);
	if (made->key_path[0])
		lull_term_say("%s/key.%s       insecure, for tests only",
			      cli->output, key);
	if (made->nr_witnesses)
		lull_term_say("%s/w0.wtns ...    %u witnesses", cli->output,
			      made->nr_witnesses);
}

int lull_cli_gen(const struct lull_cli *cli)
{
	struct lull_made made = { 0 };
	struct lull_made_opts opts;
	struct lull_error err;
	int status = generate(cli, &opts, &made, &err);

	if (status)
		status = lull_term_fail(cli->json, &err);
	else if (cli->json)
		status =
			lull_term_emit(describe(cli, &made, made.nr_witnesses));
	else
		say_files(cli, &opts, &made);
	if (!status && !cli->json)
		status = lull_term_finish();
	lull_made_end(&made);
	return status;
}
