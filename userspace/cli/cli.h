/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.h - what the files of the `lull` command share
 *
 * One table of options and one of commands (options.c, main.c) drive the
 * parser, the help texts and, through a test, the manual page.
 */
#ifndef LULL_CLI_CLI_H
#define LULL_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/bench.h"
#include "bench/made.h"
#include "lull.h"
#include "lull_pipeline.h"

/* What `lull` exits with; lull(1) lists them. */
enum lull_cli_exit {
	LULL_EXIT_OK = 0,
	LULL_EXIT_INVALID = 1,
	LULL_EXIT_ERROR = 2,
	LULL_EXIT_UNSATISFIED = 3,
	LULL_EXIT_PARTIAL = 4,
	LULL_EXIT_SIGNALED = 128,    /* and the signal's number */
	LULL_EXIT_INTERRUPTED = 130, /* 128 and SIGINT, as shells have it */
	LULL_EXIT_TERMINATED = 143,  /* 128 and SIGTERM */
};

/* Every option of every command; above 255 those without a letter. */
enum lull_cli_key {
	OPT_COUNT = 'c',
	OPT_HELP = 'h',
	OPT_JOBS = 'j',
	OPT_OUTPUT = 'o',
	OPT_THREADS = 't',
	OPT_VERBOSE = 'v',
	OPT_ARENA = 256,
	OPT_ARMS,
	OPT_BACKEND,
	OPT_BANDWIDTH_GATE,
	OPT_BYSTANDERS,
	OPT_CARRIER,
	OPT_CHECK_R1CS,
	OPT_CHUNK,
	OPT_CPU_THREADS,
	OPT_CUDA_REGISTER,
	OPT_CURVE,
	OPT_DEALLOC,
	OPT_DEPTH,
	OPT_FALLBACK,
	OPT_FILES,
	OPT_FOLD_C,
	OPT_FROM,
	OPT_GIB,
	OPT_GPUS,
	OPT_GPU_WORKERS,
	OPT_HOST_MEMORY,
	OPT_IDLE_RELEASE,
	OPT_IN_FLIGHT,
	OPT_IN_MEMORY,
	OPT_IN_PROCESS,
	OPT_JSON,
	OPT_KEEP,
	OPT_KEY,
	OPT_LOADER,
	OPT_LOG2,
	OPT_MAX_LOG2,
	OPT_MIN_LOG2,
	OPT_NODE,
	OPT_NO_VERIFY,
	OPT_ONLY,
	OPT_PARTITIONS,
	OPT_PRESSURE,
	OPT_R1CS,
	OPT_ROUNDS,
	OPT_RUNS,
	OPT_SCENARIO,
	OPT_SEED,
	OPT_SHAPE,
	OPT_SVG,
	OPT_SWEEP,
	OPT_TEST_RS,
	OPT_TO,
	OPT_TOXIC,
	OPT_TRACE,
	OPT_VECTORS,
	OPT_VRAM,
	OPT_WITNESSES,
};

/* The most options that one command takes, and the most words. */
#define LULL_CLI_OPTIONS_MAX 32
#define LULL_CLI_WORDS_MAX 4
/* The most GPUs that one command uses. */
#define LULL_CLI_GPUS_MAX 32

/* Formats, as --from and --to name them. */
#define LULL_CLI_ZKEY "zkey"
#define LULL_CLI_BELLMAN "bellman"
#define LULL_CLI_BELLMAN_VKEY "bellman-vkey"

struct lull_cli;

/**
 * struct lull_cli_command - one command
 * @name: "key info": one word or two
 * @words: what follows the options, as the usage line shows it
 * @nr_words_min: fewest
 * @nr_words_max: most, at most LULL_CLI_WORDS_MAX
 * @options: enum lull_cli_key of each, ended by 0; OPT_HELP goes without saying
 * @summary: one line for the list of commands
 * @about: more for its own help
 * @run: does it; returns an enum lull_cli_exit
 */
struct lull_cli_command {
	const char *name;
	const char *words;
	unsigned int nr_words_min;
	unsigned int nr_words_max;
	int options[LULL_CLI_OPTIONS_MAX];
	const char *summary;
	const char *about;
	int (*run)(const struct lull_cli *cli);
};

/**
 * struct lull_cli - one command line, understood
 * @command: the command
 * @words: the words after the options; NULL from @nr_words on
 * @nr_words: how many
 * @help: --help
 * @json: --json
 * @verbose: -v
 * @no_verify: --no-verify
 * @toxic: --toxic
 * @fold_c: --fold-c
 * @nr_threads: --threads, or 0
 * @nr_runs: --runs, or 0
 * @min_log2: --min-log2, or 0
 * @max_log2: --max-log2, or 0
 * @curve: --curve as enum lull_curve, or 0
 * @backend: --backend, or NULL
 * @fallback_cpu: --fallback cpu
 * @gpus: --gpus
 * @nr_gpus: how many of them, or 0
 * @vram_bytes: --vram, or 0
 * @only: --only, or NULL
 * @depth: --depth, or 0
 * @chunk_bytes: --chunk, or 0
 * @arena: --arena, or NULL
 * @loader: --loader, or NULL
 * @carrier: --carrier, or NULL
 * @node: --node
 * @has_node: --node was given, and may be 0
 * @output: -o, or NULL
 * @check_r1cs: --check-r1cs, or NULL
 * @shape: --shape, or NULL
 * @log2: --log2, or 0
 * @files: --files, or NULL
 * @in_memory: --in-memory
 * @nr_witnesses: --witnesses, or 0
 * @seed: --seed, or 0
 * @keep: --keep, or NULL
 * @from: --from, a format, or NULL
 * @to: --to, a format, or NULL
 * @r1cs: --r1cs, or NULL
 * @test_rs: the two words of --test-rs, or NULL
 * @key: --key, or NULL
 * @partitions: --partitions, or NULL
 * @trace: --trace, or NULL
 * @nr_proofs: --count, or 0
 * @nr_jobs: --jobs, or 0
 * @sweep: --sweep, or NULL
 * @pipeline: what was said about it
 * @storm: of bench storm: what was said; 0 and NULL where nothing was
 * @has_bystanders: --bystanders was given, and may be 0
 */
struct lull_cli {
	const struct lull_cli_command *command;
	const char *words[LULL_CLI_WORDS_MAX];
	unsigned int nr_words;
	bool help;
	bool json;
	bool verbose;
	bool no_verify;
	bool toxic;
	bool fold_c;
	bool in_memory;
	unsigned int nr_threads;
	unsigned int nr_runs;
	unsigned int min_log2;
	unsigned int max_log2;
	int curve;
	const char *backend;
	bool fallback_cpu;
	unsigned int gpus[LULL_CLI_GPUS_MAX];
	unsigned int nr_gpus;
	uint64_t vram_bytes;
	const char *only;
	unsigned int depth;
	uint64_t chunk_bytes;
	const char *arena;
	const char *loader;
	const char *carrier;
	unsigned int node;
	bool has_node;
	const char *output;
	const char *check_r1cs;
	const char *shape;
	unsigned int log2;
	const char *files;
	unsigned int nr_witnesses;
	unsigned int seed;
	const char *keep;
	const char *from;
	const char *to;
	const char *r1cs;
	const char *test_rs[2];
	const char *key;
	const char *partitions;
	const char *trace;
	unsigned int nr_proofs;
	unsigned int nr_jobs;
	const char *sweep;
	struct lull_pipeline_opts pipeline;
	struct lull_bench_storm_opts storm;
	bool has_bystanders;
};

/* main.c; NULL after the last. */
const struct lull_cli_command *lull_cli_command_at(size_t index);

/* cmd_*.c */
int lull_cli_prove(const struct lull_cli *cli);
int lull_cli_prove_partitions(const struct lull_cli *cli);
int lull_cli_verify(const struct lull_cli *cli);
int lull_cli_key_info(const struct lull_cli *cli);
int lull_cli_key_check(const struct lull_cli *cli);
int lull_cli_key_vkey(const struct lull_cli *cli);
int lull_cli_key_convert(const struct lull_cli *cli);
int lull_cli_key_gen(const struct lull_cli *cli);
int lull_cli_gen(const struct lull_cli *cli);
int lull_cli_key_convert_bellman(const struct lull_cli *cli);
int lull_cli_circuit_info(const struct lull_cli *cli);
int lull_cli_waterfall(const struct lull_cli *cli);
int lull_cli_arena_status(const struct lull_cli *cli);
int lull_cli_arena_reserve(const struct lull_cli *cli);
int lull_cli_arena_flush(const struct lull_cli *cli);
int lull_cli_arena_doctor(const struct lull_cli *cli);
int lull_cli_bench_kernels(const struct lull_cli *cli);
int lull_cli_bench_proofs(const struct lull_cli *cli);
int lull_cli_bench_stages(const struct lull_cli *cli);
int lull_cli_bench_storm(const struct lull_cli *cli);
int lull_cli_bench_load(const struct lull_cli *cli);

/* Parses what follows the command's name in argv[0 .. argc - 1] into *cli,
 * whose command is set.  LULL_OK or LULL_USAGE. */
int lull_cli_parse(struct lull_cli *cli, int argc, char **argv,
		   struct lull_error *reterr);

/* cmd_storm.c: takes one option of bench storm; *ret_taken says whether it was
 * one.  LULL_OK or LULL_USAGE. */
int lull_cli_storm_option(struct lull_cli *cli, int key, const char *arg,
			  bool *ret_taken, struct lull_error *reterr);

/* A whole number of an option, within bounds.  LULL_OK or LULL_USAGE. */
int lull_cli_parse_number(const char *option, const char *text,
			  unsigned int min, unsigned int max,
			  unsigned int *ret_number, struct lull_error *reterr);

/* A number of bytes, not 0, with K, M, G or T behind it in units of 1024; @what
 * names it in the message.  LULL_OK or LULL_USAGE. */
int lull_cli_parse_bytes(const char *what, const char *text,
			 uint64_t *ret_bytes, struct lull_error *reterr);

/* The first option given of what a pipeline is told, which means nothing where
 * there is none; or NULL. */
const char *lull_cli_pipeline_option(const struct lull_cli *cli);

/* Prints the help of one command, or of all, to standard output.  Returns an
 * enum lull_cli_exit. */
int lull_cli_help_command(const struct lull_cli_command *command);
int lull_cli_help_all(void);

/* Refuses, before any work is done, outputs that cannot be written or that
 * would replace an input or one another: LULL_OK, LULL_IO or LULL_USAGE. */
int lull_cli_check_outputs(const char *const *inputs, size_t nr_inputs,
			   const char *const *outputs, size_t nr_outputs,
			   struct lull_error *reterr);

/* A context with the command's threads, its backend (the CPU for commands that
 * take none) and warnings on the terminal. */
int lull_cli_ctx_create(const struct lull_cli *cli, struct lull_ctx **ret_ctx,
			struct lull_error *reterr);

/* The same in the form in which benches ask for one. */
int lull_cli_make_ctx(const void *cli, struct lull_ctx **ret_ctx,
		      struct lull_error *reterr);

/* cmd_gen.c: what --shape and what goes with it ask for.  LULL_OK or
 * LULL_USAGE. */
int lull_cli_made_opts(const struct lull_cli *cli,
		       struct lull_made_opts *ret_opts,
		       struct lull_error *reterr);
/* Says that the key which is being made is not to be relied on. */
void lull_cli_warn_insecure(void);

/* Opens a context and the first word's key; the caller ends both, on failure
 * too. */
int lull_cli_key_open(const struct lull_cli *cli, struct lull_ctx **ctx,
		      struct lull_key **key, struct lull_error *reterr);

/* "BN254" or "BLS12-381". */
const char *lull_cli_curve_name(int curve);

/* Threads that such a context has. */
unsigned int lull_cli_nr_threads(const struct lull_cli *cli);

/* SIGINT and SIGTERM end the command at once, and temporary outputs with it;
 * between hold and release they wait. */
void lull_cli_signals_install(void);
void lull_cli_signals_hold(void);
void lull_cli_signals_release(void);
/* Holds them while files are written, which then get their names together.  An
 * output that is a pipe or a device may wait for its reader for good, and
 * has nothing to be kept whole: where there is one they are not held. */
void lull_cli_signals_hold_for(const char *const *outputs, size_t nr);

/* From now on the first of them is only noted, for the command to end in
 * order; the second ends it at once. */
void lull_cli_signals_catch(void);
/* The signal that was noted, or 0. */
int lull_cli_signals_caught(void);

#endif
