/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - makes a .lkey of another key file
 *
 * For `lull key convert`.  Every point is checked, on its curve and in its
 * subgroup, every number is in range, and the same key gives the same bytes,
 * whatever the number of threads and whoever reads.  Memory does not grow with
 * a key whose coefficients are sorted, unless a circuit is compared or folded
 * in; lull_convert_need() has what every mode takes.
 *
 * The circuit's digest is the XXH3-128 of u32 curve, nVars, nPublic and log2 of
 * the domain's size and of the sum, modulo 2^64 in each half, of the XXH3-128
 * of all records (source.h): the same for every key of a circuit, in whatever
 * order its file has them, and what tells a circuit that is not the key's.
 */
#ifndef LULL_PROVE_CONVERT_H
#define LULL_PROVE_CONVERT_H

#include "prove/source.h"

/* What its user must be told of a key that was converted. */
struct lull_converted {
	bool toxic;		 /* the trapdoor is known */
	uint64_t trailing_bytes; /* of the file, behind the last section */
};

/**
 * struct lull_convert_how - what is wanted
 * @r1cs_path: the circuit, which must be the key's (compare_tmpl.c); may be NULL
 * @fold_c: fold C into L (Documentation/internals/msm.rst); needs the circuit
 * @reader: who reads the key; NULL for the threads of the pool
 * @ret_converted: filled once the .lkey is there; may be NULL
 * @progress: called by the thread that converts, as step @nr_done of @nr_all
 *	begins or goes on; may be NULL
 * @progress_arg: handed to it
 * @say: told what memory the conversion needs, before it begins; may be NULL
 * @say_arg: handed to it
 */
struct lull_convert_how {
	const char *r1cs_path;
	bool fold_c;
	const struct lull_reader *reader;
	struct lull_converted *ret_converted;
	void (*progress)(void *arg, const char *what, unsigned int nr_done,
			 unsigned int nr_all);
	void *progress_arg;
	void (*say)(void *arg, const char *line);
	void *say_arg;
};

/**
 * lull_convert - write a .lkey
 * @source: the key
 * @path: the file; appears whole or not at all; no device or pipe
 * @how: what is wanted
 * @workers: the pool to run on
 * @arena: for memory
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_RANGE (a point), LULL_MISMATCH (another circuit),
 * LULL_IO, LULL_NOMEM, LULL_USAGE, or what the source or the circuit's parser
 * returns.
 */
int lull_convert(const struct lull_source *source, const char *path,
		 const struct lull_convert_how *how,
		 struct lull_workers *workers, struct lull_arena *arena,
		 struct lull_error *reterr);

/* LULL_USAGE if the output would replace the key or the circuit. */
int lull_convert_check_paths(const char *key_path, const char *path,
			     const struct lull_convert_how *how,
			     struct lull_error *reterr);

/* The same from a .zkey, which may not be the output, nor may the circuit. */
int lull_convert_zkey(const char *zkey_path, const char *path,
		      const struct lull_convert_how *how,
		      struct lull_workers *workers, struct lull_arena *arena,
		      struct lull_error *reterr);

/* The same from parameters of bellman, of the circuit that @how must name. */
int lull_convert_bellman(const char *params_path, const char *path,
			 const struct lull_convert_how *how,
			 struct lull_workers *workers, struct lull_arena *arena,
			 struct lull_error *reterr);

#endif
