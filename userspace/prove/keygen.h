/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keygen.h - a proving key for tests, from a circuit and a known trapdoor
 *
 * For `lull key gen --toxic` and the benches.  Whoever knows the trapdoor can
 * prove anything, so the file says "insecure, test only" (LULL_ZKEY_TOXIC) and
 * the command does too.  Other tools read the key as any other and accept
 * proofs made under it.
 */
#ifndef LULL_PROVE_KEYGEN_H
#define LULL_PROVE_KEYGEN_H

#include <stdint.h>

#include "lull.h"

struct lull_arena;
struct lull_set;
struct lull_workers;

#define LULL_KEYGEN_SEED_BYTES 32

/**
 * struct lull_keygen_opts - how to draw the trapdoor
 * @seed: LULL_KEYGEN_SEED_BYTES bytes that give the same key every time; NULL
 *	asks the kernel for random ones
 */
struct lull_keygen_opts {
	const uint8_t *seed;
};

/**
 * lull_keygen_toxic - make a .zkey from a .r1cs
 * @r1cs_path: the circuit
 * @zkey_path: the key; appears whole or not at all; no device or pipe
 * @opts: may be NULL: a random trapdoor
 * @workers: the pool to run on
 * @arena: for its memory
 * @set: the devices that points may be made on; NULL for the CPU
 * @reterr: filled on failure
 *
 * Holds one number a wire and matrix, one a constraint and the tables of
 * multiples in memory; points are written as they are made.  The key is the same
 * on every device and on any number of threads.  A device that fails, or has no
 * room, is left out as it is when proofs are made.
 *
 * Return: LULL_OK, LULL_NOMEM, LULL_DEVICE, LULL_IO, LULL_FORMAT, LULL_RANGE,
 * LULL_UNSUPPORTED (custom gates, a curve not ours, or more constraints than
 * its domains hold) or LULL_USAGE (output onto the input, or no regular file).
 */
int lull_keygen_toxic(const char *r1cs_path, const char *zkey_path,
		      const struct lull_keygen_opts *opts,
		      struct lull_workers *workers, struct lull_arena *arena,
		      struct lull_set *set, struct lull_error *reterr);

/**
 * lull_keygen_native - make a .lkey of rows that are given one by one
 * @source: the rows
 * @lkey_path: the key; appears whole or not at all; no device or pipe
 * @opts: may be NULL: a random trapdoor, C not folded
 * @workers: the pool to run on
 * @arena: for its memory
 * @set: the devices that points may be made on; NULL for the CPU
 * @reterr: filled on failure
 *
 * lull.h has the contract of lull_key_generate_toxic_native().
 *
 * Return: as lull_keygen_toxic(), or LULL_RANGE or LULL_UNSUPPORTED when the
 * rows are no circuit.
 */
int lull_keygen_native(const struct lull_toxic_circuit *source,
		       const char *lkey_path,
		       const struct lull_toxic_opts *opts,
		       struct lull_workers *workers, struct lull_arena *arena,
		       struct lull_set *set, struct lull_error *reterr);

#endif
