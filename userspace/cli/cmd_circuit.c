// SPDX-License-Identifier: Apache-2.0
/*
 * cmd_circuit.c - lull circuit info: what an .r1cs holds
 */
#include <inttypes.h>
#include <jansson.h>

#include "cli/cli.h"
#include "cli/term.h"

static json_t *describe(const char *path, const struct lull_circuit_info *info)
{
	return json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
			 "s:I}",
			 "circuit", lull_term_text(path), "curve",
			 lull_cli_curve_name(info->curve), "wires",
			 (json_int_t)info->nr_wires, "outputs",
			 (json_int_t)info->nr_outputs, "public_inputs",
			 (json_int_t)info->nr_public_inputs, "private_inputs",
			 (json_int_t)info->nr_private_inputs, "constraints",
			 (json_int_t)info->nr_constraints, "linear",
			 (json_int_t)info->nr_linear, "terms",
			 (json_int_t)info->nr_terms, "labels",
			 (json_int_t)info->nr_labels, "domain_size",
			 (json_int_t)info->domain_size);
}

static int say(const char *path, const struct lull_circuit_info *info)
{
	lull_term_say("circuit         %s", path);
	lull_term_say("curve           %s", lull_cli_curve_name(info->curve));
	lull_term_say("wires           %" PRIu32, info->nr_wires);
	lull_term_say("outputs         %" PRIu32, info->nr_outputs);
	lull_term_say("public inputs   %" PRIu32, info->nr_public_inputs);
	lull_term_say("private inputs  %" PRIu32, info->nr_private_inputs);
	lull_term_say("constraints     %" PRIu32 " (%" PRIu32 " linear)",
		      info->nr_constraints, info->nr_linear);
	lull_term_say("terms           %" PRIu64, info->nr_terms);
	lull_term_say("labels          %" PRIu64, info->nr_labels);
	lull_term_say("domain          %" PRIu64, info->domain_size);
	return lull_term_finish();
}

int lull_cli_circuit_info(const struct lull_cli *cli)
{
	struct lull_circuit_info info = { .size = sizeof(info) };
	const char *path = cli->words[0];
	struct lull_error err;

	if (lull_circuit_info(path, &info, &err))
		return lull_term_fail(cli->json, &err);
	return cli->json ? lull_term_emit(describe(path, &info))
			 : say(path, &info);
}
