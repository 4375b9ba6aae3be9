// SPDX-License-Identifier: Apache-2.0
/*
 * prover.c - the stage list of one proof: the file to read first
 *
 * load      scratch is had, the witness is where the device reads it
 * spmv      a = A w, b = B w
 * h         the scalars of H from a and b
 * msm_*     five sums of points
 * assemble  blinding with r and s, the last additions
 * check     the pairing equation, before anything leaves
 * retire    scratch is wiped and goes back to the arena
 *
 * A device that fails is left out and the proof begun again on another; see
 * backend/set.h.
 */
#include "prove/prover.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/workers.h"

/* One proof under way. */
struct proving {
	const struct lull_key *key;
	const struct lull_key_part *part; /* the key on the device taken */
	const uint8_t *witness;
	const struct lull_assigned
		*assigned; /* NULL for a key with a circuit */
	const struct lull_prove_opts *opts;
	struct lull_workers *workers;
	struct lull_arena *arena;
	struct lull_vec scratch;
	bool loaded; /* the device waits for LULL_STAGE_RETIRE */
	struct lull_msm_sums sums;
	struct lull_proof *proof;
	uint64_t start_ns;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void stage_begin(struct proving *p, enum lull_stage stage)
{
	struct lull_stage_time *t = &p->proof->stages[p->proof->nr_stages];

	if (p->opts->progress)
		p->opts->progress(p->opts->progress_arg,
				  lull_stage_name(stage));
	t->name = lull_stage_name(stage);
	t->start_ns = now_ns() - p->start_ns;
}

static void stage_end(struct proving *p)
{
	struct lull_stage_time *t = &p->proof->stages[p->proof->nr_stages++];

	t->ns = now_ns() - p->start_ns - t->start_ns;
}

static int copy_publics(struct proving *p, struct lull_error *reterr)
{
	const struct lull_zkey *zkey = &p->key->zkey;
	int err;

	p->proof->nr_public = zkey->nr_public;
	err = lull_arena_carve(p->arena,
			       (size_t)zkey->nr_public * LULL_FR_BYTES, 0,
			       "public signals", &p->proof->publics, reterr);
	if (err)
		return err;
	if (zkey->nr_public)
		memcpy(p->proof->publics.ptr, p->witness + LULL_FR_BYTES,
		       p->proof->publics.bytes);
	return LULL_OK;
}

static int run_stage(struct proving *p, enum lull_stage stage,
		     uint8_t *ret_point, struct lull_error *reterr)
{
	const struct lull_stage_args args = {
		.witness = p->witness,
		.assigned = p->assigned,
		.workers = p->workers,
		.scratch = p->scratch.ptr,
		.ret_point = ret_point,
	};

	return p->part->ops->run(p->part->attached, stage, &args, reterr);
}

static int load(struct proving *p, struct lull_error *reterr)
{
	unsigned int nr_threads = lull_workers_nr(p->workers);
	size_t bytes;
	int err;

	stage_begin(p, LULL_STAGE_LOAD);
	bytes = p->part->ops->scratch_bytes(p->part->attached, nr_threads);
	err = lull_arena_carve(p->arena, bytes, LULL_CARVE_SECRET,
			       "scratch of a proof", &p->scratch, reterr);
	if (!err)
		err = run_stage(p, LULL_STAGE_LOAD, NULL, reterr);
	p->loaded = !err;
	stage_end(p);
	return err;
}

/* Waits for stages that were only begun; when they ran, by the device's clock,
 * replaces when they were begun. */
static int collect(struct proving *p, struct lull_error *reterr)
{
	struct lull_backend_span spans[LULL_NR_STAGES] = { { 0 } };
	const struct lull_stage_args args = {
		.witness = p->witness,
		.assigned = p->assigned,
		.workers = p->workers,
		.scratch = p->scratch.ptr,
	};
	struct lull_stage_time *times = p->proof->stages;
	enum lull_stage stage;
	int err;

	if (!p->part->ops->wait)
		return LULL_OK;
	err = p->part->ops->wait(p->part->attached, &args, spans, reterr);
	if (err)
		return err;
	/* Stages stand in the order of their enum up to here. */
	for (stage = LULL_STAGE_LOAD; stage <= LULL_STAGE_MSM_H; stage++) {
		times[stage].start_ns =
			times[LULL_STAGE_LOAD].start_ns + spans[stage].start_ns;
		times[stage].ns = spans[stage].ns;
	}
	return LULL_OK;
}

static int compute(struct proving *p, struct lull_error *reterr)
{
	const struct {
		enum lull_stage stage;
		uint8_t *ret_point;
	} list[] = {
		{ LULL_STAGE_SPMV, NULL },
		{ LULL_STAGE_H, NULL },
		{ LULL_STAGE_MSM_A, p->sums.a },
		{ LULL_STAGE_MSM_B1, p->sums.b1 },
		{ LULL_STAGE_MSM_B2, p->sums.b2 },
		{ LULL_STAGE_MSM_L, p->sums.l },
		{ LULL_STAGE_MSM_H, p->sums.h },
	};
	size_t i;
	int err = LULL_OK;

	for (i = 0; i < LULL_ARRAY_SIZE(list) && !err; i++) {
		stage_begin(p, list[i].stage);
		err = run_stage(p, list[i].stage, list[i].ret_point, reterr);
		stage_end(p);
	}
	return err ? err : collect(p, reterr);
}

static int check(struct proving *p, struct lull_error *reterr)
{
	struct lull_error why;
	int err;

	if (p->opts->flags & LULL_PROVE_NO_VERIFY)
		return LULL_OK;
	stage_begin(p, LULL_STAGE_CHECK);
	err = p->key->groth16->verify_key(&p->key->zkey, p->proof->publics.ptr,
					  &p->proof->points, p->workers,
					  p->arena, &why);
	stage_end(p);
	if (err == LULL_INVALID)
		return lull_fail(
			reterr, LULL_UNSATISFIED,
			"%s: the proof does not verify: the witness does not "
			"satisfy the circuit, or the key is another circuit's",
			p->key->zkey.file.in.name);
	if (err && reterr)
		*reterr = why;
	return err;
}

static void retire(struct proving *p)
{
	stage_begin(p, LULL_STAGE_RETIRE);
	if (p->loaded)
		run_stage(p, LULL_STAGE_RETIRE, NULL, NULL);
	p->loaded = false;
	lull_arena_retire(&p->scratch);
	lull_wipe(&p->sums, sizeof(p->sums));
	stage_end(p);
}

/* The proof on one device. */
static int prove_on(struct proving *p, unsigned int device,
		    const uint8_t r[LULL_FR_BYTES],
		    const uint8_t s[LULL_FR_BYTES], struct lull_error *reterr)
{
	const struct lull_key *key = p->key;
	int err;

	p->part = &key->parts[device];
	p->proof->nr_stages = 0;
	err = load(p, reterr);
	if (!err)
		err = compute(p, reterr);
	if (!err) {
		stage_begin(p, LULL_STAGE_ASSEMBLE);
		key->groth16->assemble(&key->zkey, &p->sums, r, s,
				       &p->proof->points);
		stage_end(p);
		err = check(p, reterr);
	}
	retire(p);
	return err;
}

/* Says who computed; where the CPU took over, because of what. */
static void name_backend(struct proving *p, unsigned int device,
			 const struct lull_error *why)
{
	const struct lull_set *set = p->key->set;
	char *text = p->proof->backend;
	const size_t bytes = sizeof(p->proof->backend);

	if (device < set->nr_devices)
		/* With the reason, where the CPU is all there was. */
		snprintf(text, bytes, "%s",
			 set->devices[device].backend == &lull_backend_cpu
				 ? set->text
				 : set->devices[device].text);
	else
		snprintf(text, bytes, "cpu (fallback: %.120s)",
			 why->code ? why->msg : "no device has the key");
}

/* On one device after another, until one has not failed. */
static int prove_somewhere(struct proving *p, const uint8_t r[LULL_FR_BYTES],
			   const uint8_t s[LULL_FR_BYTES],
			   struct lull_error *reterr)
{
	struct lull_set *set = p->key->set;
	struct lull_error why = { 0 };
	int device, err;

	while ((device = lull_set_take(set, p->key->usable)) >= 0) {
		name_backend(p, (unsigned int)device, &why);
		err = prove_on(p, (unsigned int)device, r, s, &why);
		lull_set_put(set, (unsigned int)device);
		if (err == LULL_DEVICE) {
			lull_set_fail(set, (unsigned int)device, &why);
			continue;
		}
		if (err && reterr)
			*reterr = why;
		return err;
	}
	if (!why.code)
		return lull_fail(reterr, LULL_DEVICE,
				 "every device has been left out");
	if (reterr)
		*reterr = why;
	return LULL_DEVICE;
}

int lull_prover_run_assigned(struct lull_workers *workers,
			     struct lull_arena *arena,
			     const struct lull_key *key, const uint8_t *witness,
			     const struct lull_assigned *assigned,
			     const struct lull_prove_opts *opts,
			     const uint8_t r[LULL_FR_BYTES],
			     const uint8_t s[LULL_FR_BYTES],
			     struct lull_proof **ret_proof,
			     struct lull_error *reterr)
{
	struct proving p = { .key = key,
			     .witness = witness,
			     .assigned = assigned,
			     .opts = opts,
			     .workers = workers,
			     .arena = arena,
			     .start_ns = now_ns() };
	int err;

	assert(key->assigned == (assigned != NULL));
	p.proof = calloc(1, sizeof(*p.proof));
	if (!p.proof)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a proof");
	err = copy_publics(&p, reterr);
	if (!err)
		err = prove_somewhere(&p, r, s, reterr);
	if (err) {
		lull_proof_free(p.proof);
		return err;
	}
	*ret_proof = p.proof;
	return LULL_OK;
}

int lull_prover_run(struct lull_workers *workers, struct lull_arena *arena,
		    const struct lull_key *key, const uint8_t *witness,
		    const struct lull_prove_opts *opts,
		    const uint8_t r[LULL_FR_BYTES],
		    const uint8_t s[LULL_FR_BYTES],
		    struct lull_proof **ret_proof, struct lull_error *reterr)
{
	return lull_prover_run_assigned(workers, arena, key, witness, NULL,
					opts, r, s, ret_proof, reterr);
}

void lull_proof_free(struct lull_proof *proof)
{
	if (!proof)
		return;
	lull_arena_retire(&proof->publics);
	free(proof);
}
