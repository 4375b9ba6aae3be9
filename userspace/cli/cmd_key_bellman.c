// SPDX-License-Identifier: Apache-2.0
/*
 * cmd_key_bellman.c - lull key convert --to bellman
 *
 * Writes a .zkey of BLS12-381 as parameters of bellman, or its verifying key
 * alone.
 */
#include <jansson.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/term.h"

/* Such parameters are as good as any, until somebody wants them back. */
static void warn_rows(void)
{
	lull_term_warn(NULL, "these parameters have the circuit's rows in "
			     "another order: with its .r1cs --from bellman "
			     "refuses them");
}

/* The words of the command line. */
enum { WORD_IN, WORD_OUT };

static int convert(const struct lull_cli *cli, struct lull_error *reterr)
{
	bool vkey_only = !strcmp(cli->to, LULL_CLI_BELLMAN_VKEY);
	const char *out = cli->words[WORD_OUT];
	struct lull_ctx *ctx;
	struct lull_key *key;
	int err;

	err = lull_cli_key_open(cli, &ctx, &key, reterr);
	if (!err) {
		lull_term_progress("convert", 0, 0);
		err = vkey_only ? lull_key_bellman_vkey_write(key, out, reterr)
				: lull_key_bellman_write(key, out, reterr);
		lull_term_progress_end();
	}
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	return err;
}

int lull_cli_key_convert_bellman(const struct lull_cli *cli)
{
	const char *out = cli->words[WORD_OUT];
	struct lull_error err;

	if (lull_cli_check_outputs(&cli->words[WORD_IN], 1, &out, 1, &err) ||
	    convert(cli, &err))
		return lull_term_fail(cli->json, &err);
	if (!strcmp(cli->to, LULL_CLI_BELLMAN))
		warn_rows();
	if (!cli->json)
		return LULL_EXIT_OK;
	return lull_term_emit(json_pack(
		"{s:o, s:o, s:s}", "from", lull_term_text(cli->words[WORD_IN]),
		"to", lull_term_text(out), "format", cli->to));
}
