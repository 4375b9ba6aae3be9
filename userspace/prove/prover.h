/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prover.h - one proof, stage by stage
 */
#ifndef LULL_PROVE_PROVER_H
#define LULL_PROVE_PROVER_H

#include "arena/arena.h"
#include "base/stage.h"
#include "input/json.h"
#include "prove/key.h"

/**
 * struct lull_proof - a finished proof; see lull_prove()
 * @points: plain coordinates
 * @publics: nr_public plain scalars of 32 bytes
 * @nr_public: how many
 * @stages: in the order they ran
 * @nr_stages: how many
 * @backend: who computed it; see lull_proof_backend()
 */
struct lull_proof {
	struct lull_json_proof points;
	struct lull_vec publics;
	size_t nr_public;
	struct lull_stage_time stages[LULL_NR_STAGES];
	unsigned int nr_stages;
	char backend[LULL_BACKEND_TEXT_BYTES];
};

/**
 * lull_prover_run - make a proof with given blinding scalars
 * @workers: the pool
 * @arena: where scratch and public signals lie
 * @key: an attached key
 * @witness: nr_vars plain canonical values, w[0] = 1, at any alignment
 * @opts: flags and progress; not NULL
 * @r: blinding scalar, plain, below the group order
 * @s: the other
 * @ret_proof: owned by the caller; end it with lull_proof_free()
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_NOMEM, LULL_UNSATISFIED when the proof does not
 * verify, or LULL_DEVICE when no device is left.
 */
int lull_prover_run(struct lull_workers *workers, struct lull_arena *arena,
		    const struct lull_key *key, const uint8_t *witness,
		    const struct lull_prove_opts *opts,
		    const uint8_t r[LULL_FR_BYTES],
		    const uint8_t s[LULL_FR_BYTES],
		    struct lull_proof **ret_proof, struct lull_error *reterr);

/* As lull_prover_run(), on a key of bellman's parameters. */
int lull_prover_run_assigned(struct lull_workers *workers,
			     struct lull_arena *arena,
			     const struct lull_key *key, const uint8_t *witness,
			     const struct lull_assigned *assigned,
			     const struct lull_prove_opts *opts,
			     const uint8_t r[LULL_FR_BYTES],
			     const uint8_t s[LULL_FR_BYTES],
			     struct lull_proof **ret_proof,
			     struct lull_error *reterr);

/* lull_prove() with r and s given: for tests, which want the same bytes. */
int lull_prove_blinded(struct lull_ctx *ctx, const struct lull_key *key,
		       const struct lull_wtns *wtns,
		       const struct lull_prove_opts *opts,
		       const uint8_t r[LULL_FR_BYTES],
		       const uint8_t s[LULL_FR_BYTES],
		       struct lull_proof **ret_proof,
		       struct lull_error *reterr);

#endif
