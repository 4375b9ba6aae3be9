/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made.h - a circuit, its insecure key and witnesses, made where none are there
 *
 * For `lull gen`, which keeps them in a folder, and for benches, which measure
 * them.  What nobody asked to keep has no name in any folder: the kernel frees
 * it when the process ends, however that is.
 *
 * A folder's circuit.json, written last, says what the others are and what they
 * hash to, so that a later bench can tell whether they are what it is to
 * measure.
 */
#ifndef LULL_BENCH_MADE_H
#define LULL_BENCH_MADE_H

#include <jansson.h>
#include <stdbool.h>

#include "bench/circuit.h"
#include "lull.h"

/* Which files: a circuit, its key in one format or the other, witnesses. */
enum {
	LULL_MADE_R1CS = 1,
	LULL_MADE_ZKEY = 2,
	LULL_MADE_LKEY = 4,
	LULL_MADE_WTNS = 8,
};

/* "r1cs,zkey,wtns" and the like; of zkey and lkey one: LULL_OK or
 * LULL_USAGE. */
int lull_made_files_of(const char *text, unsigned int *ret_files,
		       struct lull_error *reterr);

/**
 * struct lull_made_opts - what is to be made
 * @shape: of the circuit
 * @curve: of all
 * @log2_domain: of the circuit
 * @seed: of the circuit
 * @files: LULL_MADE_*; of a .zkey and a .lkey at most one
 * @nr_witnesses: at least 1; in a folder w0.wtns, w1.wtns and so on
 * @nr_threads: at least 1: witnesses made at once
 * @in_memory: a key without a name is made in memory, on no file system
 * @make_ctx: makes a context, which is not needed for longer than the key takes
 * @make_ctx_arg: handed to it
 * @progress: told what is being made, and how many of how many are
 */
struct lull_made_opts {
	enum lull_circuit_shape shape;
	enum lull_curve curve;
	unsigned int log2_domain;
	unsigned int seed;
	unsigned int files;
	unsigned int nr_witnesses;
	unsigned int nr_threads;
	bool in_memory;
	int (*make_ctx)(const void *arg, struct lull_ctx **ret_ctx,
			struct lull_error *reterr);
	const void *make_ctx_arg;
	void (*progress)(const char *what, unsigned int nr_done,
			 unsigned int nr_all);
};

/* The longest path that is made up here. */
#define LULL_MADE_PATH_BYTES 4096
/* Of the names that a folder's files get: "w4294967295.wtns". */
#define LULL_MADE_NAME_BYTES 24

/* A line of lull_ctx_backend(). */
#define LULL_MADE_BACKEND_BYTES 160

/**
 * struct lull_made_key - how a key was made
 * @ns: how long it took
 * @backend: where
 */
struct lull_made_key {
	uint64_t ns;
	char backend[LULL_MADE_BACKEND_BYTES];
};

/**
 * struct lull_made - what was made
 * @circuit: the circuit
 * @counts: of it; zero if it was @found, and where witnesses alone were made
 * @key: how its key was made; zero if it was @found
 * @found: all was there already
 * @key_path: the key
 * @wtns_paths: witnesses
 * @nr_witnesses: how many
 * @wtns_ns: how long they took, all together; zero if they were @found
 * @fds: what keeps files without a name alive
 * @nr_fds: how many
 */
struct lull_made {
	struct lull_circuit circuit;
	struct lull_circuit_counts counts;
	struct lull_made_key key;
	bool found;
	char key_path[LULL_MADE_PATH_BYTES];
	char **wtns_paths;
	unsigned int nr_witnesses;
	uint64_t wtns_ns;
	int *fds;
	unsigned int nr_fds;
};

/* A key from a known trapdoor: of @opts those that have to do with a context and
 * with progress.  What making a context and lull_key_generate_toxic() return. */
int lull_made_key(const struct lull_made_opts *opts, const char *circuit_path,
		  const char *key_path, struct lull_made_key *ret_key,
		  struct lull_error *reterr);

/* {"shape", "curve", "log2", "seed"}, or NULL. */
json_t *lull_made_describe(const struct lull_circuit *circuit);

/**
 * lull_made_folder - make everything, into a folder
 * @opts: what
 * @folder: made if it is not there; files of these names are replaced
 * @ret_made: filled; end it with lull_made_end(), on failure too
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_USAGE, LULL_IO, LULL_NOMEM or what making a key returns.
 */
int lull_made_folder(const struct lull_made_opts *opts, const char *folder,
		     struct lull_made *ret_made, struct lull_error *reterr);

/**
 * lull_made_keep - what is in a folder already, or else make it there
 * @opts: what; a key of the other format will do
 * @folder: where
 * @ret_made: filled; end it with lull_made_end(), on failure too
 * @reterr: filled on failure
 *
 * Reads witnesses and a .zkey whole, to compare their hashes; of a .lkey, which
 * is checked whenever it is opened, the head that has the hashes of the rest.
 *
 * Return: as lull_made_folder(), or LULL_MISMATCH if the folder has another
 * circuit, fewer witnesses, or its files were changed, LULL_FORMAT if its
 * circuit.json is none.
 */
int lull_made_keep(const struct lull_made_opts *opts, const char *folder,
		   struct lull_made *ret_made, struct lull_error *reterr);

/**
 * lull_made_nameless - make everything, into files without names
 * @opts: what
 * @ret_made: filled; end it with lull_made_end(), on failure too
 * @reterr: filled on failure
 *
 * They lie on the file system of $TMPDIR, or else of /var/tmp, the key perhaps in
 * memory.  A circuit is gone once the key is made.
 *
 * Return: as lull_made_folder().
 */
int lull_made_nameless(const struct lull_made_opts *opts,
		       struct lull_made *ret_made, struct lull_error *reterr);

/**
 * lull_made_name - the files of a folder, for who must not write to any of them
 * @folder: where
 * @index: 0, 1 and so on: circuit.json, a circuit, keys of both formats, witnesses
 * @path: filled
 *
 * Return: whether there is room for it; of a folder that has fewer files too.
 */
bool lull_made_name(const char *folder, unsigned int index,
		    char path[LULL_MADE_PATH_BYTES]);
/* The index of the first witness. */
#define LULL_MADE_FIRST_WTNS 4

/* One of nothing, too. */
void lull_made_end(struct lull_made *made);

#endif
