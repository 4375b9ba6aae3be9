// SPDX-License-Identifier: Apache-2.0
/*
 * cmd_waterfall.c - lull waterfall: a trace becomes a picture
 */
#include <string.h>

#include "bench/bench.h"
#include "cli/cli.h"
#include "cli/term.h"

int lull_cli_waterfall(const struct lull_cli *cli)
{
	const char *svg = cli->output;
	struct lull_error err;
	int status;

	if (!svg || !strcmp(svg, "-"))
		svg = "/dev/stdout";
	status = lull_cli_check_outputs(cli->words, 1, &svg, 1, &err);
	if (!status)
		status = lull_bench_waterfall(cli->words[0], svg, &err);
	return status ? lull_term_fail(false, &err) : LULL_EXIT_OK;
}
