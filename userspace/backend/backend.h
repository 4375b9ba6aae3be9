/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.h - who computes the stages of a proof
 *
 * One table of functions per backend and curve.  The prover attaches a key
 * once, asks how much scratch a proof needs, and runs the stages; every
 * backend gives the same points for the same key and witness.
 */
#ifndef LULL_BACKEND_BACKEND_H
#define LULL_BACKEND_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stage.h"
#include "lull.h"

struct lull_workers;

/* The largest affine point, G2 of BLS12-381: 4 coordinates of 48 bytes. */
#define LULL_POINT_BYTES_MAX 192

/**
 * struct lull_key_arrays - a key by roles, checked, at any alignment
 * @curve: the curve
 * @log2_domain: the domain has 1 << log2_domain rows
 * @nr_vars: wires, the constant one among them
 * @nr_public: public signals, without the constant one
 * @nr_coefs: entries of @coefs
 * @coefs_sorted: by constraint
 * @coefs: the matrices A and B as section 4 of a .zkey has them
 * @a: nr_vars points of G1, affine, Montgomery, infinity all zero
 * @b1: nr_vars points of G1
 * @b2: nr_vars points of G2
 * @l: nr_vars - nr_public - 1 points of G1
 * @h: 1 << log2_domain points of G1
 */
struct lull_key_arrays {
	enum lull_curve curve;
	unsigned int log2_domain;
	size_t nr_vars;
	size_t nr_public;
	size_t nr_coefs;
	bool coefs_sorted;
	const uint8_t *coefs, *a, *b1, *b2, *l, *h;
};

/**
 * struct lull_stage_args - what a stage works on
 * @witness: nr_vars plain canonical integers of 32 bytes, at any alignment
 * @workers: the pool
 * @scratch: of scratch_bytes(), aligned to 64 bytes; the same for all stages
 *	of one proof, which carry a and b and then the scalars of H in it
 * @ret_point: where the LULL_STAGE_MSM_* put their sum, affine, Montgomery
 */
struct lull_stage_args {
	const uint8_t *witness;
	struct lull_workers *workers;
	void *scratch;
	uint8_t *ret_point;
};

/**
 * struct lull_backend_ops - a backend for one curve
 * @name: "cpu"
 * @key_attach: place what a key needs besides its arrays; they outlive it
 * @key_detach: undo it; takes NULL
 * @scratch_bytes: of one proof over so many threads
 * @run: run one of LULL_STAGE_SPMV .. LULL_STAGE_MSM_H.  SPMV comes before H
 *	and H before MSM_H; the other MSMs may come at any time after H.
 *	Context: any number of proofs at once, each with its own scratch.
 */
struct lull_backend_ops {
	const char *name;
	int (*key_attach)(const struct lull_key_arrays *arrays,
			  struct lull_workers *workers, void **ret_key,
			  struct lull_error *reterr);
	void (*key_detach)(void *key);
	size_t (*scratch_bytes)(const void *key, unsigned int nr_threads);
	void (*run)(const void *key, enum lull_stage stage,
		    const struct lull_stage_args *args);
};

/* The CPU's table for a curve; never NULL for a curve of the enum. */
const struct lull_backend_ops *lull_backend_cpu(enum lull_curve curve);

#endif
