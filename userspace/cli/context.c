// SPDX-License-Identifier: Apache-2.0
/*
 * context.c - the library's context as a command line asks for it
 */
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/term.h"

/* Of a key that was made to be measured nobody need be warned each time that it
 * is opened. */
static void warn_of_others(void *unused, const char *msg)
{
	if (!strstr(msg, "insecure, test only"))
		lull_term_warn(unused, msg);
}

/* The pool's threads are made with the signals held, so that only the main
 * thread handles them and holding them there holds them everywhere. */
int lull_cli_ctx_create(const struct lull_cli *cli, struct lull_ctx **ret_ctx,
			struct lull_error *reterr)
{
	const struct lull_ctx_opts opts = {
		.size = sizeof(opts),
		.nr_threads = cli->nr_threads,
		.warn = cli->shape ? warn_of_others : lull_term_warn,
		.say = cli->verbose ? lull_term_note : NULL,
		.arena = cli->arena,
		.loader = cli->loader,
		.backend = cli->backend,
		.fallback_cpu = cli->fallback_cpu,
		.gpus = cli->gpus,
		.nr_gpus = cli->nr_gpus,
		.vram_bytes = cli->vram_bytes,
	};
	int err;

	lull_cli_signals_hold();
	err = lull_ctx_create(&opts, ret_ctx, reterr);
	lull_cli_signals_release();
	return err;
}

int lull_cli_make_ctx(const void *cli, struct lull_ctx **ret_ctx,
		      struct lull_error *reterr)
{
	return lull_cli_ctx_create(cli, ret_ctx, reterr);
}

unsigned int lull_cli_nr_threads(const struct lull_cli *cli)
{
	cpu_set_t set;
	long online;

	if (cli->nr_threads)
		return cli->nr_threads;
	if (!sched_getaffinity(0, sizeof(set), &set))
		return (unsigned int)CPU_COUNT(&set);
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (unsigned int)online : 1;
}

const char *lull_cli_curve_name(int curve)
{
	switch (curve) {
	case LULL_CURVE_BN254:
		return "BN254";
	case LULL_CURVE_BLS12_381:
		return "BLS12-381";
	default:
		return "unknown";
	}
}
