// SPDX-License-Identifier: Apache-2.0
/*
 * cmd_key.c - lull key info, check, vkey, convert and gen
 *
 * gen makes keys from a known trapdoor only, refuses to without --toxic and
 * says what such a key is.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "bench/made.h"
#include "cli/cli.h"
#include "cli/term.h"

#define COPY_BYTES 4096
#define PATH_BYTES 4096

static bool from_bellman(const struct lull_cli *cli)
{
	return cli->from && !strcmp(cli->from, LULL_CLI_BELLMAN);
}

int lull_cli_key_open(const struct lull_cli *cli, struct lull_ctx **ctx,
		      struct lull_key **key, struct lull_error *reterr)
{
	const char *path = cli->words[0];
	int err;

	*ctx = NULL;
	*key = NULL;
	err = lull_cli_ctx_create(cli, ctx, reterr);
	if (err)
		return err;
	lull_term_progress("key", 0, 0);
	if (from_bellman(cli))
		err = lull_key_open_bellman(*ctx, path, key, reterr);
	else
		err = lull_key_open(*ctx, path, key, reterr);
	lull_term_progress_end();
	return err;
}

static json_t *describe(const char *path, const struct lull_key_info *info)
{
	return json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
			 "s:I, s:b, s:b, s:b, s:I}",
			 "key", lull_term_text(path), "curve",
			 lull_cli_curve_name(info->curve), "vars",
			 (json_int_t)info->nr_vars, "public",
			 (json_int_t)info->nr_public, "domain_size",
			 (json_int_t)info->domain_size, "coefs",
			 (json_int_t)info->nr_coefs, "contributions",
			 (json_int_t)info->nr_contributions, "inf_a",
			 (json_int_t)info->nr_inf_a, "inf_b1",
			 (json_int_t)info->nr_inf_b1, "inf_b2",
			 (json_int_t)info->nr_inf_b2, "inf_l",
			 (json_int_t)info->nr_inf_l, "toxic", info->toxic != 0,
			 "native", info->native != 0, "folded",
			 info->folded != 0, "file_bytes",
			 (json_int_t)info->file_bytes);
}

static int say(const char *path, const struct lull_key_info *info)
{
	lull_term_say("key            %s", path);
	lull_term_say("curve          %s", lull_cli_curve_name(info->curve));
	lull_term_say("variables      %" PRIu32, info->nr_vars);
	lull_term_say("public         %" PRIu32, info->nr_public);
	lull_term_say("domain         %" PRIu32, info->domain_size);
	lull_term_say("coefficients   %" PRIu32, info->nr_coefs);
	lull_term_say("contributions  %" PRIu32, info->nr_contributions);
	lull_term_say("infinity       A %" PRIu32 ", B1 %" PRIu32
		      ", B2 %" PRIu32 ", L %" PRIu32,
		      info->nr_inf_a, info->nr_inf_b1, info->nr_inf_b2,
		      info->nr_inf_l);
	lull_term_say("bytes          %" PRIu64, info->file_bytes);
	if (info->native)
		lull_term_say("format         .lkey%s",
			      info->folded ? ", C folded in" : "");
	if (info->toxic)
		lull_term_say("trapdoor       known: insecure, test only");
	return lull_term_finish();
}

int lull_cli_key_info(const struct lull_cli *cli)
{
	struct lull_key_info info = { .size = sizeof(info) };
	struct lull_error err;
	struct lull_ctx *ctx;
	struct lull_key *key;
	int status, ret;

	status = lull_cli_key_open(cli, &ctx, &key, &err);
	if (!status)
		status = lull_key_info(key, &info, &err);
	if (status)
		ret = lull_term_fail(cli->json, &err);
	else if (cli->json)
		ret = lull_term_emit(describe(cli->words[0], &info));
	else
		ret = say(cli->words[0], &info);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	return ret;
}

int lull_cli_key_check(const struct lull_cli *cli)
{
	struct lull_error err;
	struct lull_ctx *ctx;
	struct lull_key *key;
	int status, ret;

	status = lull_cli_key_open(cli, &ctx, &key, &err);
	if (!status) {
		lull_term_progress("subgroups", 0, 0);
		status = lull_key_check(key, &err);
		lull_term_progress_end();
	}
	if (status) {
		ret = lull_term_fail(cli->json, &err);
	} else if (cli->json) {
		ret = lull_term_emit(json_pack("{s:o, s:b}", "key",
					       lull_term_text(cli->words[0]),
					       "ok", 1));
	} else {
		lull_term_say("OK");
		ret = lull_term_finish();
	}
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	return ret;
}

static int copy_to_stdout(FILE *file, struct lull_error *reterr)
{
	char buf[COPY_BYTES];
	int err = LULL_OK;
	size_t nr;

	while (!err && (nr = fread(buf, 1, sizeof(buf), file)))
		if (fwrite(buf, 1, nr, stdout) != nr)
			err = lull_fail_errno(reterr, LULL_IO, errno,
					      "standard output");
	if (!err && ferror(file))
		err = lull_fail_errno(reterr, LULL_IO, errno,
				      "a temporary file: reading");
	putchar('\n'); /* the file has none at its end */
	return err;
}

/* The caller's to close; it has no name any more. */
static int open_temporary_vkey(const struct lull_key *key, FILE **ret_file,
			       struct lull_error *reterr)
{
	const char *parent = getenv("TMPDIR");
	char directory[PATH_BYTES], path[PATH_BYTES];
	int err, len;

	len = snprintf(directory, sizeof(directory), "%s/lull-XXXXXX",
		       parent && *parent ? parent : "/tmp");
	if (len < 0 || len >= (int)sizeof(directory) - (int)sizeof("/vkey") ||
	    !mkdtemp(directory))
		return lull_fail_errno(reterr, LULL_IO, errno,
				       "%.80s: a temporary directory",
				       directory);
	snprintf(path, sizeof(path), "%.*s/vkey", len, directory);
	err = lull_key_vkey_write(key, path, reterr);
	if (!err) {
		*ret_file = fopen(path, "r");
		if (!*ret_file)
			err = lull_fail_errno(reterr, LULL_IO, errno, "%s",
					      path);
	}
	unlink(path);
	rmdir(directory);
	return err;
}

/*
 * The library writes files, by renaming: standard output, which may be a file
 * that is appended to, gets a copy of one in a directory of our own.
 */
static int print_vkey(const struct lull_key *key, struct lull_error *reterr)
{
	FILE *file;
	int err;

	lull_cli_signals_hold();
	err = open_temporary_vkey(key, &file, reterr);
	lull_cli_signals_release();
	if (err)
		return err;
	err = copy_to_stdout(file, reterr);
	fclose(file);
	return err;
}

static int write_vkey_file(const struct lull_key *key, const char *output,
			   struct lull_error *reterr)
{
	int err;

	lull_cli_signals_hold_for(&output, 1);
	err = lull_key_vkey_write(key, output, reterr);
	lull_cli_signals_release();
	return err;
}

static int write_vkey(const struct lull_cli *cli, const char *output)
{
	struct lull_error err;
	struct lull_ctx *ctx;
	struct lull_key *key;
	int status, ret;

	status = lull_cli_key_open(cli, &ctx, &key, &err);
	if (!status)
		status = output ? write_vkey_file(key, output, &err)
				: print_vkey(key, &err);
	if (status)
		ret = lull_term_fail(cli->json, &err);
	else if (cli->json && output)
		ret = lull_term_emit(json_pack("{s:o, s:o}", "key",
					       lull_term_text(cli->words[0]),
					       "vkey", lull_term_text(output)));
	else
		ret = lull_term_finish();
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	return ret;
}

int lull_cli_key_vkey(const struct lull_cli *cli)
{
	const char *output = cli->output ? cli->output : cli->words[1];
	struct lull_error err;

	if (cli->output && cli->words[1])
		return lull_term_fail_msg(
			cli->json, LULL_USAGE,
			"key vkey: expected one output, found "
			"%.60s and -o %.60s",
			cli->words[1], cli->output);
	if (output && !strcmp(output, "-"))
		output = NULL;
	if (output &&
	    lull_cli_check_outputs(&cli->words[0], 1, &output, 1, &err))
		return lull_term_fail(cli->json, &err);
	return write_vkey(cli, output);
}

static void show_progress(void *unused, const char *what, unsigned int nr_done,
			  unsigned int nr_all)
{
	(void)unused;
	lull_term_progress(what, nr_done, nr_all);
}

static int convert(const struct lull_cli *cli, struct lull_error *reterr)
{
	const struct lull_convert_opts opts = { .size = sizeof(opts),
						.r1cs_path = cli->r1cs,
						.fold_c = cli->fold_c,
						.progress = show_progress };
	struct lull_ctx *ctx = NULL;
	int err;

	err = lull_cli_ctx_create(cli, &ctx, reterr);
	if (err)
		return err;
	err = (from_bellman(cli) ? lull_key_convert_bellman : lull_key_convert)(
		ctx, cli->words[0], cli->words[1], &opts, reterr);
	lull_term_progress_end();
	lull_ctx_destroy(ctx);
	return err;
}

int lull_cli_key_convert(const struct lull_cli *cli)
{
	const char *const inputs[] = { cli->words[0], cli->r1cs };
	struct lull_error err;

	if (cli->to && cli->r1cs)
		return lull_term_fail_msg(
			cli->json, LULL_USAGE,
			"key convert: --r1cs is for native keys, which "
			"--to does not name");
	if (cli->to)
		return lull_cli_key_convert_bellman(cli);
	if (from_bellman(cli) && !cli->r1cs)
		return lull_term_fail_msg(
			cli->json, LULL_USAGE,
			"key convert: parameters of bellman hold no circuit: "
			"expected --r1cs X.r1cs, or --to " LULL_CLI_BELLMAN
			" or " LULL_CLI_BELLMAN_VKEY);
	if (cli->fold_c && !cli->r1cs)
		return lull_term_fail_msg(
			cli->json, LULL_USAGE,
			"key convert: --fold-c needs the circuit, which a key "
			"does not hold: expected --r1cs X.r1cs");
	if (lull_cli_check_outputs(inputs, cli->r1cs ? 2 : 1, &cli->words[1], 1,
				   &err) ||
	    convert(cli, &err))
		return lull_term_fail(cli->json, &err);
	if (!cli->json)
		return LULL_EXIT_OK;
	return lull_term_emit(json_pack("{s:o, s:o, s:b}", "key",
					lull_term_text(cli->words[0]), "native",
					lull_term_text(cli->words[1]), "folded",
					(int)cli->fold_c));
}

int lull_cli_key_gen(const struct lull_cli *cli)
{
	const struct lull_made_opts opts = {
		.make_ctx = lull_cli_make_ctx,
		.make_ctx_arg = cli,
		.progress = lull_term_progress,
	};
	struct lull_made_key made;
	struct lull_error err;
	int status;

	if (!cli->toxic)
		return lull_term_fail_msg(
			cli->json, LULL_USAGE,
			"key gen: such a key comes from a known trapdoor, so "
			"that anyone can prove false statements with it; say "
			"--toxic to make one for tests");
	if (lull_cli_check_outputs(&cli->words[0], 1, &cli->words[1], 1, &err))
		return lull_term_fail(cli->json, &err);
	lull_cli_warn_insecure();
	status =
		lull_made_key(&opts, cli->words[0], cli->words[1], &made, &err);
	lull_term_progress_end();
	if (status)
		return lull_term_fail(cli->json, &err);
	if (!cli->json)
		return LULL_EXIT_OK;
	return lull_term_emit(json_pack(
		"{s:o, s:o, s:b, s:o, s:I}", "circuit",
		lull_term_text(cli->words[0]), "key",
		lull_term_text(cli->words[1]), "toxic", 1, "backend",
		lull_term_text(made.backend), "key_ns", (json_int_t)made.ns));
}
