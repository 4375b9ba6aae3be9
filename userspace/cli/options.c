// SPDX-License-Identifier: Apache-2.0
/*
 * options.c - command lines, understood and explained
 *
 * For main.c and the commands.  One table holds every option, so that an
 * option means the same in every command and stands in every help text.
 * Refuses options that a command does not take, numbers that are none, and
 * too few or too many words, and says what was expected.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "bench/circuit.h"
#include "cli/cli.h"
#include "cli/term.h"

/* More threads than any host has; fewer than would overflow a size. */
#define THREADS_MAX 4096
#define RUNS_MAX 1000000
/* LULL_LOADER_DEPTH_MAX */
#define DEPTH_MAX 256
/* What kernels are built for at most: MAX_NUMNODES. */
#define NODE_MAX 1023
/* As the library has them. */
#define IN_FLIGHT_MAX 1024
#define GPU_WORKERS_MAX 64
#define JOBS_MAX 64
/* A year. */
#define SECONDS_MAX 31536000
/* The 2-adicity of BN254's scalar field: its largest domain. */
#define LOG2_MAX 28
/* What the names of files have room for. */
#define WITNESSES_MAX 65536
/* The smallest key option without a letter. */
#define LONG_ONLY 256
/* The column in which help texts begin, and one option's left side. */
#define HELP_COLUMN 25
#define LEFT_BYTES 64
#define USAGE_BYTES 200

/**
 * struct option_text - one option
 * @key: what getopt_long() returns for it
 * @name: after "--"
 * @arg: its argument's name; NULL if it takes none
 * @text: its help; NULL hides it
 */
struct option_text {
	int key;
	const char *name;
	const char *arg;
	const char *text;
};

static const struct option_text option_texts[] = {
	{ OPT_ARENA, "arena", "NAME",
	  "module, hugetlb, thp, malloc, malloc-serial (default: auto)" },
	{ OPT_ARMS, "arms", "A,B,...", "these arms alone (default: all)" },
	{ OPT_BACKEND, "backend", "NAME",
	  "auto, cpu, cuda; benches: null (default: auto; kernels: cpu)" },
	{ OPT_BANDWIDTH_GATE, "bandwidth-gate", "NAME",
	  "loads pause while proofs read: off, flag, tokens (default: off)" },
	{ OPT_BYSTANDERS, "bystanders", "N",
	  "threads that compute meanwhile (default: the other CPUs)" },
	{ OPT_CARRIER, "carrier", "NAME",
	  "module or hugetlb (default: module)" },
	{ OPT_CHECK_R1CS, "check-r1cs", "X.r1cs",
	  "first check the witness against the circuit" },
	{ OPT_CHUNK, "chunk", "BYTES",
	  "bytes of one read, also 512K or 2M (default: 2M)" },
	{ OPT_COUNT, "count", "N", "proofs to measure (default: 4)" },
	{ OPT_CPU_THREADS, "cpu-threads", "N",
	  "threads of one proof on the CPU (default: --threads)" },
	{ OPT_CUDA_REGISTER, "cuda-register", NULL,
	  "also register memory with a GPU, each time and once" },
	{ OPT_CURVE, "curve", "CURVE",
	  "bn254 or bls12_381 (benches: both, or the shape's)" },
	{ OPT_DEALLOC, "dealloc", "NAME",
	  "retire, inline, async or serial (default: retire)" },
	{ OPT_DEPTH, "depth", "N", "reads in flight (default: 32)" },
	{ OPT_FALLBACK, "fallback", "cpu",
	  "let the CPU take over when no GPU is left" },
	{ OPT_FILES, "files", "LIST",
	  "r1cs, zkey or lkey, wtns; above 2^20: lkey,wtns" },
	{ OPT_FOLD_C, "fold-c", NULL,
	  "fold the circuit's matrix C into the key; needs --r1cs" },
	{ OPT_FROM, "from", "FORMAT",
	  "zkey or bellman: whose files these are (default: zkey)" },
	{ OPT_GIB, "gib", "G",
	  "GiB of vectors; may have a point (default: 1)" },
	{ OPT_GPUS, "gpus", "N,N", "the GPUs to use (default: 0)" },
	{ OPT_GPU_WORKERS, "gpu-workers", "N",
	  "proofs begun on a device at once (default: 2; CPU: 1)" },
	{ OPT_HELP, "help", NULL, "this text" },
	{ OPT_HOST_MEMORY, "host-memory", "BYTES",
	  "memory for keys and partitions, also 12G or 500M" },
	{ OPT_IDLE_RELEASE, "idle-release", "S",
	  "give free memory back after S seconds without work" },
	{ OPT_IN_FLIGHT, "in-flight", "N",
	  "partitions at once (default: 2 more than compute)" },
	{ OPT_IN_MEMORY, "in-memory", NULL,
	  "with --shape: make the key in memory, prove from there" },
	{ OPT_IN_PROCESS, "in-process", "ARM", NULL },
	{ OPT_JOBS, "jobs", "N", "proofs under way at once (default: 2)" },
	{ OPT_JSON, "json", NULL, "one JSON object for machines" },
	{ OPT_KEEP, "keep", "DIR",
	  "with --shape: keep what is made, use what is there" },
	{ OPT_KEY, "key", "KEY", "the key, with --partitions" },
	{ OPT_LOADER, "loader", "NAME",
	  "uring, pread or mmap (default: auto)" },
	{ OPT_LOG2, "log2", "N", "a domain of 2^N, from 10 to 28" },
	{ OPT_MAX_LOG2, "max-log2", "N", "largest size, 2^N (default: 16)" },
	{ OPT_MIN_LOG2, "min-log2", "N", "smallest size, 2^N (default: 12)" },
	{ OPT_NODE, "node", "N", "of this NUMA node (default: of all)" },
	{ OPT_NO_VERIFY, "no-verify", NULL,
	  "leave out the check of the finished proof" },
	{ OPT_ONLY, "only", "NAME", "this kernel, loader, disk or key alone" },
	{ OPT_OUTPUT, "output", "FILE", "where to write" },
	{ OPT_PARTITIONS, "partitions", "WHICH",
	  "witnesses, such as 'w*.wtns'; bench: how many" },
	{ OPT_PRESSURE, "pressure", "S",
	  "then let a hog ask for memory for S seconds" },
	{ OPT_R1CS, "r1cs", "X.r1cs", "the circuit that the key is of" },
	{ OPT_ROUNDS, "rounds", "N", "rounds to measure (default: 5)" },
	{ OPT_RUNS, "runs", "N", "how often to measure (default: 5)" },
	{ OPT_SCENARIO, "scenario", "NAME",
	  "partition, all, scattered or table (default: partition)" },
	{ OPT_SEED, "seed", "N",
	  "make another circuit of the same kind (default: 0)" },
	{ OPT_SHAPE, "shape", "NAME", "porep, sha or dense" },
	{ OPT_SVG, "svg", "FILE", "draw a plot" },
	{ OPT_SWEEP, "sweep", "A,B,...",
	  "every value of dealloc, cpu-threads, bandwidth-gate" },
	{ OPT_THREADS, "threads", "N",
	  "threads to work on (default: one a usable CPU; storm: 1)" },
	{ OPT_TO, "to", "FORMAT", "what to write: bellman or bellman-vkey" },
	{ OPT_TOXIC, "toxic", NULL,
	  "accept that the key is insecure, for tests only" },
	{ OPT_TRACE, "trace", "FILE",
	  "write what ran when, for lull waterfall or Perfetto" },
	{ OPT_VECTORS, "vectors", "N",
	  "vectors to cut them into (default: 256)" },
	{ OPT_VERBOSE, "verbose", NULL,
	  "show what was decided and where the time went" },
	{ OPT_VRAM, "vram", "BYTES",
	  "device memory to use, also 12G or 500M (default: what is free)" },
	{ OPT_WITNESSES, "witnesses", "N", "how many (default: 1)" },
#ifdef LULL_VERIFY
	{ OPT_TEST_RS, "test-rs", "R S", NULL },
#endif
};

static const struct option_text *find_option(int key)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(option_texts); i++)
		if (option_texts[i].key == key)
			return &option_texts[i];
	return NULL;
}

/* Every command takes --help. */
static bool takes(const struct lull_cli_command *command, int key)
{
	size_t i;

	for (i = 0; i < LULL_CLI_OPTIONS_MAX && command->options[i]; i++)
		if (command->options[i] == key)
			return true;
	return key == OPT_HELP;
}

int lull_cli_parse_number(const char *option, const char *text,
			  unsigned int min, unsigned int max,
			  unsigned int *ret_number, struct lull_error *reterr)
{
	unsigned long number = 0;
	char *end = NULL;

	errno = 0;
	if (*text >= '0' && *text <= '9')
		number = strtoul(text, &end, 10);
	if (!end || *end || errno || number < min || number > max)
		return lull_fail(reterr, LULL_USAGE,
				 "--%s: expected a number from %u to %u, "
				 "found '%.40s'",
				 option, min, max, text);
	*ret_number = (unsigned int)number;
	return LULL_OK;
}

static int parse_curve(const char *text, int *ret_curve,
		       struct lull_error *reterr)
{
	/* snarkjs's names are understood too. */
	static const struct {
		const char *name;
		enum lull_curve id;
	} curves[] = {
		{ "bn254", LULL_CURVE_BN254 },
		{ "bn128", LULL_CURVE_BN254 },
		{ "bls12_381", LULL_CURVE_BLS12_381 },
		{ "bls12-381", LULL_CURVE_BLS12_381 },
		{ "bls12381", LULL_CURVE_BLS12_381 },
	};
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(curves); i++) {
		if (!strcasecmp(text, curves[i].name)) {
			*ret_curve = curves[i].id;
			return LULL_OK;
		}
	}
	return lull_fail(reterr, LULL_USAGE,
			 "--curve: expected bn254 or bls12_381, found '%.40s'",
			 text);
}

/* "0,1,3" */
static int parse_gpus(struct lull_cli *cli, const char *text,
		      struct lull_error *reterr)
{
	const char *at = text;
	unsigned long number;
	char *end;

	cli->nr_gpus = 0;
	do {
		errno = 0;
		if (*at < '0' || *at > '9' || cli->nr_gpus == LULL_CLI_GPUS_MAX)
			break;
		number = strtoul(at, &end, 10);
		if (errno || number > INT_MAX || (*end && *end != ','))
			break;
		cli->gpus[cli->nr_gpus++] = (unsigned int)number;
		if (!*end)
			return LULL_OK;
		at = end + 1;
	} while (true);
	return lull_fail(reterr, LULL_USAGE,
			 "--gpus: expected numbers with commas between, such "
			 "as 0,1, found '%.40s'",
			 text);
}

int lull_cli_parse_bytes(const char *what, const char *text,
			 uint64_t *ret_bytes, struct lull_error *reterr)
{
	static const char units[] = "KMGT";
	unsigned long long number = 0;
	const char *unit;
	char *end = NULL;
	unsigned int shift = 0;

	errno = 0;
	if (*text >= '0' && *text <= '9')
		number = strtoull(text, &end, 10);
	if (end && *end) {
		unit = strchr(units, *end);
		if (unit) {
			shift = 10 * ((unsigned int)(unit - units) + 1);
			end++;
		}
	}
	if (!end || *end || errno || !number || number > UINT64_MAX >> shift)
		return lull_fail(reterr, LULL_USAGE,
				 "%s: expected bytes, such as 12G, found "
				 "'%.40s'",
				 what, text);
	*ret_bytes = (uint64_t)number << shift;
	return LULL_OK;
}

static int take_backend(struct lull_cli *cli, const char *name,
			struct lull_error *reterr)
{
	bool bench = !strncmp(cli->command->name, "bench", strlen("bench"));

	if (strcmp(name, "auto") && strcmp(name, "cpu") &&
	    strcmp(name, "cuda") && (!bench || strcmp(name, "null")))
		return lull_fail(reterr, LULL_USAGE,
				 "--backend: expected auto, cpu%s or cuda, "
				 "found '%.40s'",
				 bench ? ", null" : "", name);
	cli->backend = name;
	return LULL_OK;
}

static int take_format(struct lull_cli *cli, const struct option_text *option,
		       const char *arg, struct lull_error *reterr)
{
	if (option->key == OPT_FROM) {
		if (strcmp(arg, LULL_CLI_ZKEY) && strcmp(arg, LULL_CLI_BELLMAN))
			return lull_fail(reterr, LULL_USAGE,
					 "--from: expected zkey or bellman, "
					 "found '%.40s'",
					 arg);
		cli->from = arg;
		return LULL_OK;
	}
	if (strcmp(arg, LULL_CLI_BELLMAN) && strcmp(arg, LULL_CLI_BELLMAN_VKEY))
		return lull_fail(reterr, LULL_USAGE,
				 "--to: expected bellman or bellman-vkey, "
				 "found '%.40s'",
				 arg);
	cli->to = arg;
	return LULL_OK;
}

static int take_device(struct lull_cli *cli, const struct option_text *option,
		       const char *arg, struct lull_error *reterr)
{
	switch (option->key) {
	case OPT_BACKEND:
		return take_backend(cli, arg, reterr);
	case OPT_GPUS:
		return parse_gpus(cli, arg, reterr);
	case OPT_VRAM:
		return lull_cli_parse_bytes("--vram", arg, &cli->vram_bytes,
					    reterr);
	default:
		if (strcmp(arg, "cpu"))
			return lull_fail(reterr, LULL_USAGE,
					 "--fallback: expected cpu, found "
					 "'%.40s'",
					 arg);
		cli->fallback_cpu = true;
		return LULL_OK;
	}
}

/* Of what is many at once; *ret_taken tells whether it was that. */
static int take_pipeline(struct lull_cli *cli, const struct option_text *option,
			 const char *arg, bool *ret_taken,
			 struct lull_error *reterr)
{
	struct lull_pipeline_opts *opts = &cli->pipeline;

	*ret_taken = true;
	switch (option->key) {
	case OPT_BANDWIDTH_GATE:
		opts->bandwidth_gate = arg;
		return LULL_OK;
	case OPT_DEALLOC:
		opts->dealloc = arg;
		return LULL_OK;
	case OPT_CPU_THREADS:
		return lull_cli_parse_number(option->name, arg, 1, THREADS_MAX,
					     &opts->cpu_threads, reterr);
	case OPT_GPU_WORKERS:
		return lull_cli_parse_number(option->name, arg, 1,
					     GPU_WORKERS_MAX,
					     &opts->workers_per_device, reterr);
	case OPT_HOST_MEMORY:
		return lull_cli_parse_bytes("--host-memory", arg,
					    &opts->host_bytes, reterr);
	case OPT_IDLE_RELEASE:
		return lull_cli_parse_number(option->name, arg, 1, SECONDS_MAX,
					     &opts->idle_release_s, reterr);
	case OPT_COUNT:
		return lull_cli_parse_number(option->name, arg, 1, RUNS_MAX,
					     &cli->nr_proofs, reterr);
	case OPT_JOBS:
		return lull_cli_parse_number(option->name, arg, 1, JOBS_MAX,
					     &cli->nr_jobs, reterr);
	case OPT_SWEEP:
		cli->sweep = arg;
		return LULL_OK;
	case OPT_IN_FLIGHT:
		return lull_cli_parse_number(option->name, arg, 1,
					     IN_FLIGHT_MAX, &opts->in_flight,
					     reterr);
	default:
		*ret_taken = false;
		return LULL_OK;
	}
}

const char *lull_cli_pipeline_option(const struct lull_cli *cli)
{
	const struct lull_pipeline_opts *opts = &cli->pipeline;

	return opts->in_flight		  ? "--in-flight"
	       : opts->cpu_threads	  ? "--cpu-threads"
	       : opts->workers_per_device ? "--gpu-workers"
	       : opts->dealloc		  ? "--dealloc"
	       : opts->bandwidth_gate	  ? "--bandwidth-gate"
	       : opts->host_bytes	  ? "--host-memory"
	       : opts->idle_release_s	  ? "--idle-release"
					  : NULL;
}

static int take_numbers(struct lull_cli *cli, const struct option_text *option,
			const char *arg, struct lull_error *reterr)
{
	bool taken;
	int err = lull_cli_storm_option(cli, option->key, arg, &taken, reterr);

	if (!err && !taken)
		err = take_pipeline(cli, option, arg, &taken, reterr);
	if (err || taken)
		return err;
	switch (option->key) {
	case OPT_THREADS:
		return lull_cli_parse_number(option->name, arg, 1, THREADS_MAX,
					     &cli->nr_threads, reterr);
	case OPT_RUNS:
		return lull_cli_parse_number(option->name, arg, 1, RUNS_MAX,
					     &cli->nr_runs, reterr);
	case OPT_DEPTH:
		return lull_cli_parse_number(option->name, arg, 1, DEPTH_MAX,
					     &cli->depth, reterr);
	case OPT_CHUNK:
		return lull_cli_parse_bytes("--chunk", arg, &cli->chunk_bytes,
					    reterr);
	case OPT_NODE:
		cli->has_node = true;
		return lull_cli_parse_number(option->name, arg, 0, NODE_MAX,
					     &cli->node, reterr);
	case OPT_MIN_LOG2:
		return lull_cli_parse_number(option->name, arg, 1, LOG2_MAX,
					     &cli->min_log2, reterr);
	case OPT_MAX_LOG2:
		return lull_cli_parse_number(option->name, arg, 1, LOG2_MAX,
					     &cli->max_log2, reterr);
	case OPT_LOG2:
		return lull_cli_parse_number(
			option->name, arg, LULL_CIRCUIT_LOG2_MIN,
			LULL_CIRCUIT_LOG2_MAX, &cli->log2, reterr);
	case OPT_SEED:
		return lull_cli_parse_number(option->name, arg, 0, UINT_MAX,
					     &cli->seed, reterr);
	case OPT_WITNESSES:
		return lull_cli_parse_number(option->name, arg, 1,
					     WITNESSES_MAX, &cli->nr_witnesses,
					     reterr);
	default:
		return parse_curve(arg, &cli->curve, reterr);
	}
}

/* Where an option that is taken as it stands goes to, or NULL. */
static const char **text_of(struct lull_cli *cli, int key)
{
	switch (key) {
	case OPT_ARENA:
		return &cli->arena;
	case OPT_LOADER:
		return &cli->loader;
	case OPT_CARRIER:
		return &cli->carrier;
	case OPT_ONLY:
		return &cli->only;
	case OPT_SHAPE:
		return &cli->shape;
	case OPT_FILES:
		return &cli->files;
	case OPT_KEEP:
		return &cli->keep;
	case OPT_OUTPUT:
		return &cli->output;
	case OPT_CHECK_R1CS:
		return &cli->check_r1cs;
	case OPT_R1CS:
		return &cli->r1cs;
	case OPT_TEST_RS:
		return &cli->test_rs[0];
	case OPT_KEY:
		return &cli->key;
	case OPT_PARTITIONS:
		return &cli->partitions;
	case OPT_TRACE:
		return &cli->trace;
	default:
		return NULL;
	}
}

static int take_option(struct lull_cli *cli, const struct option_text *option,
		       const char *arg, struct lull_error *reterr)
{
	const char **text = text_of(cli, option->key);

	if (text) {
		*text = arg;
		return LULL_OK;
	}
	switch (option->key) {
	case OPT_HELP:
		cli->help = true;
		return LULL_OK;
	case OPT_JSON:
		cli->json = true;
		return LULL_OK;
	case OPT_VERBOSE:
		cli->verbose = true;
		return LULL_OK;
	case OPT_NO_VERIFY:
		cli->no_verify = true;
		return LULL_OK;
	case OPT_TOXIC:
		cli->toxic = true;
		return LULL_OK;
	case OPT_FOLD_C:
		cli->fold_c = true;
		return LULL_OK;
	case OPT_IN_MEMORY:
		cli->in_memory = true;
		return LULL_OK;
	case OPT_FROM:
	case OPT_TO:
		return take_format(cli, option, arg, reterr);
	case OPT_BACKEND:
	case OPT_FALLBACK:
	case OPT_GPUS:
	case OPT_VRAM:
		return take_device(cli, option, arg, reterr);
	default:
		return take_numbers(cli, option, arg, reterr);
	}
}

/* getopt's two arrays of what a command takes. */
static void list_options(const struct lull_cli_command *command,
			 struct option longs[LULL_CLI_OPTIONS_MAX + 2],
			 char shorts[2 * LULL_CLI_OPTIONS_MAX + 4])
{
	const struct option_text *option;
	size_t i, nr = 0;
	char *s = shorts;

	*s++ = ':'; /* a missing argument is told from an unknown option */
	for (i = 0; i < LULL_ARRAY_SIZE(option_texts); i++) {
		option = &option_texts[i];
		if (!takes(command, option->key))
			continue;
		longs[nr++] = (struct option){
			.name = option->name,
			.has_arg =
				option->arg ? required_argument : no_argument,
			.val = option->key,
		};
		if (option->key >= LONG_ONLY)
			continue;
		*s++ = (char)option->key;
		if (option->arg)
			*s++ = ':';
	}
	longs[nr] = (struct option){ 0 };
	*s = '\0';
}

static int refuse_option(const struct lull_cli *cli, int found, char **argv,
			 int index, struct lull_error *reterr)
{
	const char *usage = cli->command->name;

	if (found == ':')
		return lull_fail(reterr, LULL_USAGE,
				 "%s: option '%.60s' wants an argument", usage,
				 argv[index - 1]);
	if (optopt > 0 && optopt < LONG_ONLY)
		return lull_fail(
			reterr, LULL_USAGE,
			"%s: unknown option '-%c' (see `lull help %s`)", usage,
			optopt, usage);
	return lull_fail(reterr, LULL_USAGE,
			 "%s: unknown option '%.60s' (see `lull help %s`)",
			 usage, argv[index - 1], usage);
}

static void usage_text(const struct lull_cli_command *command, char *buf,
		       size_t bytes)
{
	snprintf(buf, bytes, "usage: lull %s [OPTION]...%s%s", command->name,
		 *command->words ? " " : "", command->words);
}

static int take_words(struct lull_cli *cli, int nr, char **words,
		      struct lull_error *reterr)
{
	const struct lull_cli_command *command = cli->command;
	/* Partitions of prove take the place of its words. */
	bool none = cli->partitions && takes(command, OPT_CHECK_R1CS);
	char usage[USAGE_BYTES];
	int i;

	if (none && nr)
		return lull_fail(reterr, LULL_USAGE,
				 "%s: --partitions takes no words, found '%s'",
				 command->name, words[0]);
	if (!none && (nr < (int)command->nr_words_min ||
		      nr > (int)command->nr_words_max)) {
		usage_text(command, usage, sizeof(usage));
		return lull_fail(reterr, LULL_USAGE,
				 "%s: expected %s, found %d word%s; %s",
				 command->name,
				 *command->words ? command->words : "no words",
				 nr, nr == 1 ? "" : "s", usage);
	}
	for (i = 0; i < nr; i++) {
		if (!*words[i])
			return lull_fail(reterr, LULL_USAGE,
					 "%s: word %d of %s is empty",
					 command->name, i + 1, command->words);
		cli->words[i] = words[i];
	}
	cli->nr_words = (unsigned int)nr;
	return LULL_OK;
}

/* Kernels are the CPU's unless another's are asked for. */
static const char *default_backend(const struct lull_cli *cli)
{
	return takes(cli->command, OPT_MIN_LOG2) ? "cpu" : "auto";
}

int lull_cli_parse(struct lull_cli *cli, int argc, char **argv,
		   struct lull_error *reterr)
{
	struct option longs[LULL_CLI_OPTIONS_MAX + 2];
	char shorts[2 * LULL_CLI_OPTIONS_MAX + 4];
	const struct option_text *option;
	int found, err;

	list_options(cli->command, longs, shorts);
	opterr = 0;
	optind = 1;
	while ((found = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		option = find_option(found);
		if (!option)
			return refuse_option(cli, found, argv, optind, reterr);
		err = take_option(cli, option, optarg, reterr);
		if (err)
			return err;
		/* The only option with two arguments. */
		if (option->key == OPT_TEST_RS && optind < argc)
			cli->test_rs[1] = argv[optind++];
	}
	if (cli->help)
		return LULL_OK;
	if (takes(cli->command, OPT_BACKEND) && !cli->backend)
		cli->backend = default_backend(cli);
	return take_words(cli, argc - optind, argv + optind, reterr);
}

static void say_option(const struct option_text *option)
{
	char left[LEFT_BYTES];

	snprintf(left, sizeof(left), "%c%c%s --%s%s%s",
		 option->key < LONG_ONLY ? '-' : ' ',
		 option->key < LONG_ONLY ? option->key : ' ',
		 option->key < LONG_ONLY ? "," : " ", option->name,
		 option->arg ? " " : "", option->arg ? option->arg : "");
	lull_term_say("  %-*s  %s", HELP_COLUMN, left, option->text);
}

int lull_cli_help_command(const struct lull_cli_command *command)
{
	char usage[USAGE_BYTES];
	size_t i;

	usage_text(command, usage, sizeof(usage));
	lull_term_say("%s\n\n%s", usage, command->summary);
	if (command->about)
		lull_term_say("\n%s", command->about);
	lull_term_say("\nOptions:");
	for (i = 0; i < LULL_ARRAY_SIZE(option_texts); i++)
		if (option_texts[i].text && takes(command, option_texts[i].key))
			say_option(&option_texts[i]);
	return lull_term_finish();
}

int lull_cli_help_all(void)
{
	const struct lull_cli_command *command;
	size_t i;

	lull_term_say("usage: lull COMMAND [OPTION]... [WORD]...\n\n"
		      "A Groth16 prover for circom's keys and witnesses.\n\n"
		      "Commands:");
	for (i = 0; (command = lull_cli_command_at(i)); i++)
		lull_term_say("  %-14s  %s", command->name, command->summary);
	lull_term_say("  %-14s  %s", "help [COMMAND]",
		      "this text, or one command's");
	lull_term_say("\n`lull COMMAND --help` tells its options, "
		      "`lull --version` the version, lull(1) the rest.");
	return lull_term_finish();
}
