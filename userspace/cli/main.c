// SPDX-License-Identifier: Apache-2.0
/*
 * main.c - the `lull` command
 *
 * Finds the command that the first word or two name, has its options parsed
 * and runs it.  Exit codes are in cli.h and lull(1).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/cli.h"
#include "cli/term.h"

/* clang-format off */
static const struct lull_cli_command commands[] = {
	{
		.name = "prove",
		.words = "KEY WITNESS PROOF.json PUBLIC.json",
		.nr_words_min = 4,
		.nr_words_max = 4,
		.options = { OPT_THREADS, OPT_NO_VERIFY, OPT_CHECK_R1CS,
			     OPT_JSON, OPT_VERBOSE, OPT_TEST_RS, OPT_BACKEND,
			     OPT_FALLBACK, OPT_GPUS, OPT_VRAM, OPT_ARENA,
			     OPT_KEY, OPT_PARTITIONS, OPT_OUTPUT, OPT_TRACE,
			     OPT_IN_FLIGHT, OPT_CPU_THREADS, OPT_GPU_WORKERS,
			     OPT_DEALLOC, OPT_BANDWIDTH_GATE, OPT_HOST_MEMORY,
			     OPT_IDLE_RELEASE, OPT_LOADER },
		.summary = "make a proof from a key and a .wtns",
		.about =
"The proof is checked before it is written; both files appear whole or not\n"
"at all.  Exit codes: 0 done, 2 error, 3 the witness does not satisfy the\n"
"circuit, 130 and 143 ended by a signal.\n\n"
"Many at once: lull prove --key KEY --partitions 'w*.wtns' -o PROOF.bin.\n"
"On BLS12-381 the proofs are bellman's 192 bytes each, in the order of the\n"
"witnesses; on BN254, or where PROOF ends in .json, an array.  A witness that\n"
"fails harms no other: exit code 4, and each proof in PROOF.bin.NUMBER.",
		.run = lull_cli_prove,
	},
	{
		.name = "verify",
		.words = "VKEY.json PUBLIC.json PROOF.json",
		.nr_words_min = 3,
		.nr_words_max = 3,
		.options = { OPT_FROM, OPT_JSON },
		.summary = "check a proof",
		.about =
"Prints VALID, or INVALID and why.  Exit codes: 0 valid, 1 invalid, 2 error.\n"
"With --from bellman VKEY is a verifying key or parameters of bellman, PROOF\n"
"192 bytes for each partition, and PUBLIC.json has all partitions' signals,\n"
"one partition's behind another's.",
		.run = lull_cli_verify,
	},
	{
		.name = "key info",
		.words = "KEY",
		.nr_words_min = 1,
		.nr_words_max = 1,
		.options = { OPT_FROM, OPT_THREADS, OPT_ARENA, OPT_LOADER,
			     OPT_JSON },
		.summary = "describe a key",
		.run = lull_cli_key_info,
	},
	{
		.name = "key check",
		.words = "KEY",
		.nr_words_min = 1,
		.nr_words_max = 1,
		.options = { OPT_FROM, OPT_THREADS, OPT_ARENA, OPT_LOADER,
			     OPT_JSON },
		.summary = "check a key's every point, subgroups included",
		.run = lull_cli_key_check,
	},
	{
		.name = "key vkey",
		.words = "KEY [VKEY.json]",
		.nr_words_min = 1,
		.nr_words_max = 2,
		.options = { OPT_OUTPUT, OPT_FROM, OPT_THREADS, OPT_ARENA,
			     OPT_LOADER, OPT_JSON },
		.summary = "write a key's verification_key.json",
		.about = "Writes to standard output when no file is named.",
		.run = lull_cli_key_vkey,
	},
	{
		.name = "key convert",
		.words = "KEY OUT",
		.nr_words_min = 2,
		.nr_words_max = 2,
		.options = { OPT_FROM, OPT_TO, OPT_R1CS, OPT_FOLD_C,
			     OPT_THREADS, OPT_ARENA, OPT_LOADER, OPT_JSON },
		.summary = "write a key in another format",
		.about =
"To a .lkey, which is opened without converting, unless --to says otherwise.\n"
"Checks every point as key check does.  A .lkey is taken wherever a .zkey is\n"
"and gives the same proofs.  With --r1cs the circuit is compared with the key.\n"
"--from bellman takes parameters of bellman and needs it, for they hold no\n"
"circuit.  Folding takes a while, once; proofs then need four transforms instead\n"
"of six.  --to bellman writes parameters of bellman and\n"
"bellperson, --to bellman-vkey their verifying key alone, both of BLS12-381.",
		.run = lull_cli_key_convert,
	},
	{
		.name = "key gen",
		.words = "--toxic X.r1cs KEY.zkey",
		.nr_words_min = 2,
		.nr_words_max = 2,
		.options = { OPT_TOXIC, OPT_THREADS, OPT_BACKEND, OPT_FALLBACK,
			     OPT_GPUS, OPT_VRAM, OPT_ARENA, OPT_JSON,
			     OPT_VERBOSE },
		.summary = "make an insecure key for tests",
		.about =
"The key comes from a trapdoor that anyone may know: with it proofs of false\n"
"statements can be made.  It is marked inside as insecure.  Keys to rely on\n"
"come from a ceremony (snarkjs groth16 setup, zkey contribute).  Points are\n"
"made on a GPU where there is one.",
		.run = lull_cli_key_gen,
	},
	{
		.name = "circuit info",
		.words = "X.r1cs",
		.nr_words_min = 1,
		.nr_words_max = 1,
		.options = { OPT_JSON },
		.summary = "describe a circuit",
		.run = lull_cli_circuit_info,
	},
	{
		.name = "gen",
		.words = "--shape NAME --log2 N --curve CURVE -o FOLDER",
		.options = { OPT_SHAPE, OPT_LOG2, OPT_CURVE, OPT_OUTPUT,
			     OPT_FILES, OPT_WITNESSES, OPT_SEED, OPT_THREADS,
			     OPT_BACKEND,
			     OPT_FALLBACK, OPT_GPUS, OPT_VRAM, OPT_ARENA,
			     OPT_JSON, OPT_VERBOSE },
		.summary = "make a synthetic circuit, its key and witnesses",
		.about =
"Into the folder that -o names: circuit.r1cs, key.zkey, and w0.wtns and so on;\n"
"above 2^20, where the first two are large, key.lkey instead of both; or what\n"
"--files says.  The .lkey is made without the others, C folded in.\n"
"Shapes: porep, the rows of a proof of replication as measured (about 2.4, 1.0\n"
"and 2.2 terms, 98 of 100 values bits); sha, words of a hash, bits alone; dense,\n"
"full-size values alone.  The key comes from a trapdoor: insecure, for tests.",
		.run = lull_cli_gen,
	},
	{
		.name = "waterfall",
		.words = "TRACE.json",
		.nr_words_min = 1,
		.nr_words_max = 1,
		.options = { OPT_OUTPUT },
		.summary = "draw a trace of stages",
		.about =
"A lane for each thread and GPU stream, a colour for each stage, grey where\n"
"nothing ran, and the totals.  An SVG; to standard output when no file is named.",
		.run = lull_cli_waterfall,
	},
	{
		.name = "arena status",
		.words = "",
		.options = { OPT_JSON },
		.summary = "what memory this host has for proofs",
		.about =
"Which kind auto would take and why no better one, the files of the module,\n"
"the pool of hugetlb pages, and transparent huge pages.",
		.run = lull_cli_arena_status,
	},
	{
		.name = "arena reserve",
		.words = "BYTES",
		.nr_words_min = 1,
		.nr_words_max = 1,
		.options = { OPT_CARRIER, OPT_NODE, OPT_JSON },
		.summary = "keep pages of 2 MiB ready",
		.about =
"BYTES may be written as 12G or 500M; 0 gives all of it back.  Writes\n"
"reserve_bytes of the module, or with --carrier hugetlb nr_hugepages.  Only root\n"
"may.",
		.run = lull_cli_arena_reserve,
	},
	{
		.name = "arena flush",
		.words = "",
		.options = { OPT_JSON },
		.summary = "have the module give back what is retired",
		.about =
"For a moment no memory may stay retired (retire_max_bytes).  Only root may.",
		.run = lull_cli_arena_flush,
	},
	{
		.name = "arena doctor",
		.words = "",
		.options = { OPT_JSON },
		.summary = "what keeps this host from the best arena",
		.about =
"Names what is wrong and the command that mends it: the module and its device,\n"
"locked memory, huge pages, fragmentation, cgroups, the binding of memory to NUMA\n"
"nodes.  Exit codes: 0 nothing to mend, 1 something, 2 error.",
		.run = lull_cli_arena_doctor,
	},
	{
		.name = "bench kernels",
		.words = "",
		.options = { OPT_CURVE, OPT_THREADS, OPT_RUNS, OPT_MIN_LOG2,
			     OPT_MAX_LOG2, OPT_ONLY, OPT_JSON, OPT_BACKEND,
			     OPT_GPUS, OPT_VRAM },
		.summary = "time fields, groups, transforms and sums",
		.about =
"A table on a terminal, else one JSON object a line.  Kernels: fp_mul fr_mul\n"
"fp2_mul g1_add g2_add once; ntt quotient msm_g1 msm_g2 by size.",
		.run = lull_cli_bench_kernels,
	},
	{
		.name = "bench proofs",
		.words = "[KEY WITNESS]",
		.nr_words_max = 2,
		.options = { OPT_SHAPE, OPT_LOG2, OPT_CURVE, OPT_SEED, OPT_KEEP,
			     OPT_THREADS, OPT_RUNS, OPT_NO_VERIFY, OPT_JSON,
			     OPT_BACKEND, OPT_FALLBACK, OPT_GPUS, OPT_VRAM,
			     OPT_ARENA, OPT_LOADER, OPT_VERBOSE, OPT_PARTITIONS,
			     OPT_COUNT, OPT_JOBS, OPT_SWEEP, OPT_TRACE, OPT_IN_FLIGHT,
			     OPT_WITNESSES, OPT_IN_MEMORY,
			     OPT_CPU_THREADS, OPT_GPU_WORKERS, OPT_DEALLOC,
			     OPT_BANDWIDTH_GATE, OPT_HOST_MEMORY },
		.summary = "time whole proofs on an open key",
		.about =
"A table on a terminal, else one JSON object a line.\n\n"
"With --partitions N a proof is N partitions of this witness, read from its\n"
"file each time: first one proof at a time, then several at once, and what\n"
"that cost in memory, faults and TLB shootdowns.\n\n"
"Without KEY and WITNESS a .lkey and --witnesses of them, which the partitions\n"
"take in turn, are made as lull gen makes them, of --shape and\n"
"--log2 (porep on BLS12-381, others on BN254, unless --curve says otherwise),\n"
"and are gone at the end, however that comes; --keep DIR keeps them, and uses\n"
"those that are there once they are seen to be the same.",
		.run = lull_cli_bench_proofs,
	},
	{
		.name = "bench stages",
		.words = "[KEY WITNESS]",
		.nr_words_max = 2,
		.options = { OPT_SHAPE, OPT_LOG2, OPT_CURVE, OPT_SEED, OPT_KEEP,
			     OPT_THREADS, OPT_RUNS, OPT_NO_VERIFY, OPT_JSON,
			     OPT_BACKEND, OPT_FALLBACK, OPT_GPUS, OPT_VRAM,
			     OPT_ARENA, OPT_LOADER, OPT_VERBOSE,
			     OPT_IN_MEMORY },
		.summary = "time the stages of a proof",
		.about =
"A table on a terminal, else one JSON object a line.  --shape and --keep are\n"
"those of bench proofs.",
		.run = lull_cli_bench_stages,
	},
	{
		.name = "bench load",
		.words = "FILE...",
		.nr_words_min = 1,
		.nr_words_max = LULL_BENCH_LOAD_FILES_MAX,
		.options = { OPT_THREADS, OPT_RUNS, OPT_DEPTH, OPT_CHUNK,
			     OPT_ONLY, OPT_ARENA, OPT_JSON },
		.summary = "time the loaders, cold and warm, beside the disk",
		.about =
"The files are read together, whole, into memory: by uring, pread, mmap and\n"
"auto.  \"disk\" is what O_DIRECT reads of the same size and depth bring\n"
"without a loader.  Native keys are opened, too, until they are ready to prove.\n"
"A table on a terminal, else one JSON object a line.",
		.run = lull_cli_bench_load,
	},
	{
		.name = "bench storm",
		.words = "",
		.options = { OPT_GIB, OPT_VECTORS, OPT_THREADS, OPT_BYSTANDERS,
			     OPT_ROUNDS, OPT_ARMS, OPT_SCENARIO, OPT_PRESSURE,
			     OPT_CUDA_REGISTER, OPT_SVG, OPT_JSON,
			     OPT_IN_PROCESS },
		.summary = "compare ways to free memory: TLB flushes, faults",
		.about =
"A partition's vectors, scaled, are freed and had again by every way that\n"
"works on this host, while other threads compute.  A table on a terminal,\n"
"else one JSON object a line.  Flushes are counted for root only (or\n"
"CAP_PERFMON).  --scenario table frees vectors of 1 MiB, all and then those\n"
"in every other 2 MiB, and compares the counts with their formulas.\n"
"--pressure takes all memory of the host for a moment.",
		.run = lull_cli_bench_storm,
	},
};
/* clang-format on */

const struct lull_cli_command *lull_cli_command_at(size_t index)
{
	return index < LULL_ARRAY_SIZE(commands) ? &commands[index] : NULL;
}

/* How many of the words name this command: 0 if they do not. */
static int match_words(const char *name, int nr, char **words)
{
	const char *second = strchr(name, ' ');
	size_t len = second ? (size_t)(second - name) : strlen(name);

	if (nr < 1 || strlen(words[0]) != len || memcmp(words[0], name, len))
		return 0;
	if (!second)
		return 1;
	return nr > 1 && !strcmp(words[1], second + 1) ? 2 : 0;
}

static const struct lull_cli_command *find_command(int nr, char **words,
						   int *ret_nr_used)
{
	size_t i;
	int used;

	for (i = 0; i < LULL_ARRAY_SIZE(commands); i++) {
		used = match_words(commands[i].name, nr, words);
		if (used) {
			*ret_nr_used = used;
			return &commands[i];
		}
	}
	return NULL;
}

/* The commands of a group, "info|check|vkey|convert|gen", for "lull key". */
static bool list_group(const char *group, char *buf, size_t bytes)
{
	size_t len = strlen(group), used = 0, i;
	int wrote;

	for (i = 0; i < LULL_ARRAY_SIZE(commands); i++) {
		if (strncmp(commands[i].name, group, len) ||
		    commands[i].name[len] != ' ')
			continue;
		wrote = snprintf(buf + used, bytes - used, "%s%s",
				 used ? "|" : "", commands[i].name + len + 1);
		if (wrote < 0 || (size_t)wrote >= bytes - used)
			break;
		used += (size_t)wrote;
	}
	return used;
}

static int refuse_command(int nr, char **words, bool json)
{
	char group[80];

	if (nr < 1)
		return lull_term_fail_msg(
			json, LULL_USAGE,
			"expected a command (see `lull help`)");
	if (list_group(words[0], group, sizeof(group)))
		return lull_term_fail_msg(
			json, LULL_USAGE,
			"expected `lull %s %s`, found '%.60s'", words[0], group,
			nr > 1 ? words[1] : "nothing");
	return lull_term_fail_msg(json, LULL_USAGE,
				  "unknown command '%.60s' (see `lull help`)",
				  words[0]);
}

static int help(int nr, char **words)
{
	const struct lull_cli_command *command;
	bool found = false;
	size_t i, len;
	int used;

	if (nr < 1)
		return lull_cli_help_all();
	command = find_command(nr, words, &used);
	if (command)
		return lull_cli_help_command(command);
	/* "lull help key": every command of the group. */
	len = strlen(words[0]);
	for (i = 0; i < LULL_ARRAY_SIZE(commands) && nr == 1; i++) {
		if (strncmp(commands[i].name, words[0], len) ||
		    commands[i].name[len] != ' ')
			continue;
		if (found)
			lull_term_say("%s", "");
		found = true;
		lull_cli_help_command(&commands[i]);
	}
	return found ? lull_term_finish() : refuse_command(nr, words, false);
}

static int run_command(int nr, char **words, bool json)
{
	struct lull_cli cli = { 0 };
	struct lull_error err;
	int used;

	cli.command = find_command(nr, words, &used);
	if (!cli.command) {
		if (nr == 2 && !strcmp(words[1], "--help"))
			return help(1, words);
		return refuse_command(nr, words, json);
	}
	/* The command's last word stands where getopt expects argv[0]. */
	if (lull_cli_parse(&cli, nr - used + 1, words + used - 1, &err))
		return lull_term_fail(json, &err);
	if (cli.help)
		return lull_cli_help_command(cli.command);
	return cli.command->run(&cli);
}

/* So that a usage error is JSON too, wherever --json stands. */
static bool wants_json(int nr, char **words)
{
	int i;

	for (i = 0; i < nr && strcmp(words[i], "--"); i++)
		if (!strcmp(words[i], "--json"))
			return true;
	return false;
}

/*
 * A descriptor that the caller closed would be given to the first file that is
 * opened, and messages would land in it.  What is opened here instead refuses
 * the transfer, so that a result which cannot be printed is an error.
 */
static void open_standard_files(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_WRONLY };
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", modes[fd]) != fd)
			_exit(LULL_EXIT_ERROR);
}

int main(int argc, char **argv)
{
	bool json = wants_json(argc - 1, argv + 1);

	open_standard_files();
	signal(SIGPIPE, SIG_IGN); /* a write then fails with EPIPE */
	lull_cli_signals_install();
	if (argc > 1 && !strcmp(argv[1], "help"))
		return help(argc - 2, argv + 2);
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return lull_cli_help_all();
	if (argc == 2 &&
	    (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		lull_term_say("lull %s", lull_version());
		return lull_term_finish();
	}
	return run_command(argc - 1, argv + 1, json);
}
