// SPDX-License-Identifier: Apache-2.0
/*
 * cmd_gen.c - lull gen: a synthetic circuit, a key and witnesses
 *
 * Into one folder: circuit.r1cs, key.zkey and w0.wtns, w1.wtns, ...; in the
 * formats of circom and snarkjs, which read them too.  The key comes from a
 * trapdoor, so the command says that it is insecure.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/mix.h"
#include "bench/circuit.h"
#include "cli/cli.h"
#include "cli/term.h"

#define PATH_BYTES 4096
/* "w65535.wtns", the longest name that a folder gets. */
#define NAME_BYTES 24
#define FOLDER_MODE 0777

/**
 * struct gen - one command under way
 * @cli: its command line
 * @circuit: what it makes
 * @counts: of the circuit, once it is written
 * @nr_witnesses: how many
 * @made: where the key was made, once it is
 * @path: of the file that is written
 */
struct gen {
	const struct lull_cli *cli;
	struct lull_circuit circuit;
	struct lull_circuit_counts counts;
	unsigned int nr_witnesses;
	struct lull_cli_made made;
	char path[PATH_BYTES];
};

static const char *in_folder(struct gen *gen, const char *name)
{
	snprintf(gen->path, sizeof(gen->path), "%s/%s", gen->cli->output, name);
	return gen->path;
}

static int check(struct gen *gen, struct lull_error *reterr)
{
	const struct lull_cli *cli = gen->cli;
	enum lull_circuit_shape shape;

	if (!cli->shape || !cli->log2 || !cli->curve || !cli->output)
		return lull_fail(reterr, LULL_USAGE,
				 "gen: expected --shape, --log2, --curve and "
				 "-o, found no %s",
				 !cli->shape   ? "--shape"
				 : !cli->log2  ? "--log2"
				 : !cli->curve ? "--curve"
					       : "-o");
	shape = lull_circuit_shape_of(cli->shape);
	if (!shape)
		return lull_fail(reterr, LULL_USAGE,
				 "--shape: expected porep, sha or dense, found "
				 "'%.40s'",
				 cli->shape);
	if (strlen(cli->output) + NAME_BYTES > sizeof(gen->path))
		return lull_fail(reterr, LULL_USAGE,
				 "-o: the path is longer "
				 "than a path may be");
	gen->nr_witnesses = cli->nr_witnesses ? cli->nr_witnesses : 1;
	lull_circuit_init(shape, (enum lull_curve)cli->curve, cli->log2,
			  cli->seed, &gen->circuit);
	if (mkdir(cli->output, FOLDER_MODE) && errno != EEXIST)
		return lull_fail_errno(reterr, LULL_IO, errno, "%s",
				       cli->output);
	return LULL_OK;
}

static int write_witnesses(struct gen *gen, struct lull_error *reterr)
{
	char name[NAME_BYTES];
	unsigned int i;
	int err = LULL_OK;

	for (i = 0; i < gen->nr_witnesses && !err; i++) {
		lull_term_progress("witnesses", i, gen->nr_witnesses);
		snprintf(name, sizeof(name), "w%u.wtns", i);
		/* The circuit's own numbers are those of the seed itself. */
		err = lull_circuit_write_wtns(&gen->circuit,
					      lull_mix(~gen->circuit.seed, i),
					      in_folder(gen, name), reterr);
	}
	return err;
}

static int write_key(struct gen *gen, struct lull_error *reterr)
{
	char key[PATH_BYTES];

	memcpy(key, in_folder(gen, "key.zkey"), sizeof(key));
	return lull_cli_key_make(gen->cli, in_folder(gen, "circuit.r1cs"), key,
				 &gen->made, reterr);
}

static int generate(struct gen *gen, struct lull_error *reterr)
{
	int err = check(gen, reterr);

	if (err)
		return err;
	lull_term_progress("circuit", 0, 0);
	err = lull_circuit_write_r1cs(&gen->circuit,
				      in_folder(gen, "circuit.r1cs"),
				      &gen->counts, reterr);
	if (!err)
		err = write_witnesses(gen, reterr);
	if (!err)
		err = write_key(gen, reterr);
	lull_term_progress_end();
	return err;
}

static json_t *describe(const struct gen *gen)
{
	const struct lull_circuit_counts *counts = &gen->counts;

	return json_pack("{s:o, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
			 "s:b, s:o, s:I}",
			 "folder", lull_term_text(gen->cli->output), "shape",
			 gen->cli->shape, "curve",
			 lull_cli_curve_name(gen->cli->curve), "constraints",
			 (json_int_t)gen->circuit.nr_rows, "wires",
			 (json_int_t)counts->nr_wires, "public",
			 (json_int_t)gen->circuit.nr_public, "terms_a",
			 (json_int_t)counts->nr_terms_a, "terms_b",
			 (json_int_t)counts->nr_terms_b, "terms_c",
			 (json_int_t)counts->nr_terms_c, "witnesses",
			 (json_int_t)gen->nr_witnesses, "toxic", 1, "backend",
			 lull_term_text(gen->made.backend), "key_ns",
			 (json_int_t)gen->made.ns);
}

int lull_cli_gen(const struct lull_cli *cli)
{
	struct gen gen = { .cli = cli };
	struct lull_error err;

	if (generate(&gen, &err))
		return lull_term_fail(cli->json, &err);
	if (cli->json)
		return lull_term_emit(describe(&gen));
	lull_term_say("%s/circuit.r1cs   %" PRIu32 " constraints, %" PRIu32
		      " wires, %" PRIu64 " + %" PRIu64 " + %" PRIu64 " terms",
		      cli->output, gen.circuit.nr_rows, gen.counts.nr_wires,
		      gen.counts.nr_terms_a, gen.counts.nr_terms_b,
		      gen.counts.nr_terms_c);
	lull_term_say("%s/key.zkey       insecure, for tests only",
		      cli->output);
	lull_term_say("%s/w0.wtns ...    %u witnesses", cli->output,
		      gen.nr_witnesses);
	return lull_term_finish();
}
