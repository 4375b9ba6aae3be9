/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prover.h - one proof, stage by stage
 */
#ifndef LULL_PROVE_PROVER_H
#define LULL_PROVE_PROVER_H

#include "arena/arena.h"
#include "base/stage.h"
#include "input/json.h"
#include "input/wtns.h"
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
 * struct lull_prover_watch - who follows a proof; any member may be NULL
 * @begin: a stage begins, on this thread
 * @end: it has ended; unless it is @known when, it was only begun, and @ran
 *	will tell
 * @ran: a stage ran on a device that works by itself, by whose clock it is
 *	known when
 * @canceled: asked between stages; when true the proof ends with LULL_CANCELED
 * @give_back: takes over scratch instead of lull_arena_retire(); empties it
 * @arg: handed to all
 *
 * Times are CLOCK_MONOTONIC.
 */
struct lull_prover_watch {
	void (*begin)(void *arg, enum lull_stage stage);
	void (*end)(void *arg, enum lull_stage stage, bool known,
		    uint64_t start_ns, uint64_t end_ns);
	void (*ran)(void *arg, enum lull_stage stage, unsigned int device,
		    uint64_t start_ns, uint64_t end_ns);
	bool (*canceled)(void *arg);
	void (*give_back)(void *arg, struct lull_vec *scratch);
	void *arg;
};

/**
 * struct lull_proving - one proof under way
 * @key: an attached key
 * @witness: nr_vars plain canonical values, w[0] = 1, at any alignment
 * @classes: of these; without a map where they are not known
 * @assigned: what stands for the circuit; NULL for a key that has one
 * @opts: flags and progress; not NULL
 * @watch: who follows it; may be NULL
 * @workers: the pool
 * @arena: where scratch and public signals lie
 *
 * The caller fills these, zeroes the rest, and calls in this order:
 * lull_prover_begin(), lull_prover_compute(), then lull_prover_finish() and
 * lull_prover_retire() in either order, lull_prover_end().  What comes first
 * may be on another thread than what comes next.
 */
struct lull_proving {
	const struct lull_key *key;
	const uint8_t *witness;
	struct lull_classes classes;
	const struct lull_assigned *assigned;
	const struct lull_prove_opts *opts;
	const struct lull_prover_watch *watch;
	struct lull_workers *workers;
	struct lull_arena *arena;
	/* prover.c's own */
	const struct lull_key_part *part; /* the key on the device taken */
	unsigned int device;
	bool taken;  /* a device */
	bool loaded; /* it waits for LULL_STAGE_RETIRE */
	struct lull_vec scratch;
	struct lull_msm_sums sums;
	struct lull_proof *proof;
	uint64_t start_ns;
};

/* LULL_OK, LULL_NOMEM, or LULL_UNSUPPORTED for a key that wants @assigned where
 * there is none; lull_prover_end() then need not be called. */
int lull_prover_begin(struct lull_proving *p, struct lull_error *reterr);

/**
 * lull_prover_compute - everything from load to the last sum
 * @p: begun
 * @reterr: filled on failure
 *
 * On one device after another, until one has not failed.
 *
 * Return: LULL_OK, LULL_NOMEM, LULL_CANCELED, or LULL_DEVICE when no device is
 * left.
 */
int lull_prover_compute(struct lull_proving *p, struct lull_error *reterr);

/**
 * lull_prover_finish - assemble the proof and check it
 * @p: computed
 * @r: blinding scalar, plain, below the group order
 * @s: the other
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_NOMEM, LULL_CANCELED, or LULL_UNSATISFIED when the
 * proof does not verify.
 */
int lull_prover_finish(struct lull_proving *p, const uint8_t r[LULL_FR_BYTES],
		       const uint8_t s[LULL_FR_BYTES],
		       struct lull_error *reterr);

/* Gives device and scratch back; what was given back is left alone. */
void lull_prover_retire(struct lull_proving *p);

/* Wipes what is left and hands the proof over, or with @ret_proof NULL frees
 * it. */
void lull_prover_end(struct lull_proving *p, struct lull_proof **ret_proof);

/* Scratch of a proof under a key on any of its devices, at most. */
size_t lull_prover_scratch_bytes(const struct lull_key *key,
				 unsigned int nr_threads);

/* What lull_prover_finish() has of the arena meanwhile, beside public signals. */
size_t lull_prover_finish_bytes(const struct lull_key *key,
				unsigned int nr_threads);

/**
 * lull_prover_run - all of it, on the calling thread
 * @workers: the pool
 * @arena: where scratch and public signals lie
 * @key: an attached key
 * @wtns: a checked witness of nr_vars values
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
		    const struct lull_key *key,
		    const struct lull_wtnsfile *wtns,
		    const struct lull_prove_opts *opts,
		    const uint8_t r[LULL_FR_BYTES],
		    const uint8_t s[LULL_FR_BYTES],
		    struct lull_proof **ret_proof, struct lull_error *reterr);

/* As lull_prover_run(), on a key of bellman's parameters: of plain canonical
 * values, the first of which is 1, and what stands for the circuit. */
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
