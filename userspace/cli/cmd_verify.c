// SPDX-License-Identifier: Apache-2.0
/*
 * cmd_verify.c - lull verify: VALID, or INVALID and why
 */
#include <jansson.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/term.h"

/* The words of the command line. */
enum { WORD_VKEY, WORD_PUBLIC, WORD_PROOF };

/* Both take NULL for a valid proof, else why it is none. */
static json_t *describe(const char *why)
{
	if (!why)
		return json_pack("{s:b}", "valid", 1);
	return json_pack("{s:b, s:o}", "valid", 0, "why", lull_term_text(why));
}

static int say(const char *why)
{
	if (why)
		lull_term_say("INVALID: %s", why);
	else
		lull_term_say("VALID");
	return lull_term_finish();
}

int lull_cli_verify(const struct lull_cli *cli)
{
	bool bellman = cli->from && !strcmp(cli->from, LULL_CLI_BELLMAN);
	int (*verify)(const char *, const char *, const char *,
		      struct lull_error *) =
		bellman ? lull_verify_bellman : lull_verify;
	struct lull_error err;
	int status, ret;

	status = verify(cli->words[WORD_VKEY], cli->words[WORD_PUBLIC],
			cli->words[WORD_PROOF], &err);
	if (status && status != LULL_INVALID)
		return lull_term_fail(cli->json, &err);
	if (cli->json)
		ret = lull_term_emit(describe(status ? err.msg : NULL));
	else
		ret = say(status ? err.msg : NULL);
	if (ret)
		return ret;
	return status ? LULL_EXIT_INVALID : LULL_EXIT_OK;
}
