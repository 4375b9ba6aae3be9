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

#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/trace.h"
#include "base/workers.h"

static void stage_begin(struct lull_proving *p, enum lull_stage stage)
{
	struct lull_stage_time *t = &p->proof->stages[p->proof->nr_stages];

	if (p->opts->progress)
		p->opts->progress(p->opts->progress_arg,
				  lull_stage_name(stage));
	if (p->watch && p->watch->begin)
		p->watch->begin(p->watch->arg, stage);
	t->name = lull_stage_name(stage);
	t->start_ns = lull_trace_now_ns() - p->start_ns;
}

static void stage_end(struct lull_proving *p, enum lull_stage stage)
{
	struct lull_stage_time *t = &p->proof->stages[p->proof->nr_stages++];
	uint64_t now = lull_trace_now_ns();
	bool known = !p->part->ops->wait || stage > LULL_STAGE_MSM_H;

	t->ns = now - p->start_ns - t->start_ns;
	if (p->watch && p->watch->end)
		p->watch->end(p->watch->arg, stage, known, now - t->ns, now);
}

static int check_canceled(const struct lull_proving *p,
			  struct lull_error *reterr)
{
	if (p->watch && p->watch->canceled && p->watch->canceled(p->watch->arg))
		return lull_fail(reterr, LULL_CANCELED,
				 "the proof was "
				 "canceled");
	return LULL_OK;
}

static int copy_publics(struct lull_proving *p, struct lull_error *reterr)
{
	const struct lull_parts *key = &p->key->file.parts;
	int err;

	p->proof->nr_public = key->nr_public;
	err = lull_arena_carve(p->arena, (size_t)key->nr_public * LULL_FR_BYTES,
			       0, "public signals", &p->proof->publics, reterr);
	if (err)
		return err;
	if (key->nr_public)
		memcpy(p->proof->publics.ptr, p->witness + LULL_FR_BYTES,
		       p->proof->publics.bytes);
	return LULL_OK;
}

static int run_stage(struct lull_proving *p, enum lull_stage stage,
		     uint8_t *ret_point, struct lull_error *reterr)
{
	const struct lull_stage_args args = {
		.witness = p->witness,
		.classes = p->classes.map ? &p->classes : NULL,
		.assigned = p->assigned,
		.workers = p->workers,
		.scratch = p->scratch.ptr,
		.ret_point = ret_point,
	};

	return p->part->ops->run(p->part->attached, stage, &args, reterr);
}

static int load(struct lull_proving *p, struct lull_error *reterr)
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
	stage_end(p, LULL_STAGE_LOAD);
	return err;
}

/* Waits for stages that were only begun; when they ran, by the device's clock,
 * replaces when they were begun. */
static int collect(struct lull_proving *p, struct lull_error *reterr)
{
	struct lull_backend_span spans[LULL_NR_STAGES] = { { 0 } };
	const struct lull_stage_args args = {
		.witness = p->witness,
		.classes = p->classes.map ? &p->classes : NULL,
		.assigned = p->assigned,
		.workers = p->workers,
		.scratch = p->scratch.ptr,
	};
	struct lull_stage_time *times = p->proof->stages;
	uint64_t loaded_ns = p->start_ns + times[LULL_STAGE_LOAD].start_ns;
	enum lull_stage stage;
	uint64_t start;
	int err;

	if (!p->part->ops->wait)
		return LULL_OK;
	err = p->part->ops->wait(p->part->attached, &args, spans, reterr);
	if (err)
		return err;
	/* Stages stand in the order of their enum up to here. */
	for (stage = LULL_STAGE_LOAD; stage <= LULL_STAGE_MSM_H; stage++) {
		start = loaded_ns + spans[stage].start_ns;
		times[stage].start_ns = start - p->start_ns;
		times[stage].ns = spans[stage].ns;
		lull_set_ran(p->key->set, p->device, start,
			     start + spans[stage].ns);
		if (p->watch && p->watch->ran)
			p->watch->ran(p->watch->arg, stage, p->device, start,
				      start + spans[stage].ns);
	}
	return LULL_OK;
}

static int compute(struct lull_proving *p, struct lull_error *reterr)
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
		stage_end(p, list[i].stage);
		if (!err)
			err = check_canceled(p, reterr);
	}
	return err ? err : collect(p, reterr);
}

static int check(struct lull_proving *p, struct lull_error *reterr)
{
	struct lull_error why;
	int err;

	if (p->opts->flags & LULL_PROVE_NO_VERIFY)
		return LULL_OK;
	stage_begin(p, LULL_STAGE_CHECK);
	err = p->key->groth16->verify_key(
		&p->key->file.parts, p->proof->publics.ptr, &p->proof->points,
		p->workers, p->arena, &why);
	stage_end(p, LULL_STAGE_CHECK);
	/* Whoever follows the proof need not know of it. */
	if (err && lull_workers_canceled(p->workers))
		return lull_fail(reterr, LULL_CANCELED, "canceled");
	if (err == LULL_INVALID)
		return lull_fail(
			reterr, LULL_UNSATISFIED,
			"%s: the proof does not verify: the witness does not "
			"satisfy the circuit, or the key is another circuit's",
			p->key->file.parts.name);
	if (err && reterr)
		*reterr = why;
	return err;
}

void lull_prover_retire(struct lull_proving *p)
{
	struct lull_error why;

	if (!p->taken)
		return;
	stage_begin(p, LULL_STAGE_RETIRE);
	/* A device that cannot overwrite what a proof left is of no more use;
	 * the proof may be good. */
	if (p->loaded && run_stage(p, LULL_STAGE_RETIRE, NULL, &why))
		lull_set_fail(p->key->set, p->device, &why);
	p->loaded = false;
	if (p->watch && p->watch->give_back)
		p->watch->give_back(p->watch->arg, &p->scratch);
	else
		lull_arena_retire(&p->scratch);
	stage_end(p, LULL_STAGE_RETIRE);
	lull_set_put(p->key->set, p->device);
	p->taken = false;
}

/* Everything up to the sums on one device, which stays taken. */
static int compute_on(struct lull_proving *p, struct lull_error *reterr)
{
	int err;

	p->part = &p->key->parts[p->device];
	p->proof->nr_stages = 0;
	err = load(p, reterr);
	if (!err)
		err = check_canceled(p, reterr);
	return err ? err : compute(p, reterr);
}

/* Says who computed; where the CPU took over, because of what. */
static void name_backend(struct lull_proving *p, const struct lull_error *why)
{
	const struct lull_set *set = p->key->set;
	char *text = p->proof->backend;
	const size_t bytes = sizeof(p->proof->backend);

	if (p->device < set->nr_devices)
		/* With the reason, where the CPU is all there was. */
		snprintf(text, bytes, "%s",
			 set->devices[p->device].backend == &lull_backend_cpu
				 ? set->text
				 : set->devices[p->device].text);
	else
		snprintf(text, bytes, "cpu (fallback: %.120s)",
			 why->code ? why->msg : "no device has the key");
}

int lull_prover_compute(struct lull_proving *p, struct lull_error *reterr)
{
	struct lull_set *set = p->key->set;
	struct lull_error why = { 0 };
	int device, err;

	while ((device = lull_set_take(set, p->key->usable)) >= 0) {
		p->device = (unsigned int)device;
		p->taken = true;
		name_backend(p, &why);
		err = compute_on(p, &why);
		if (!err)
			return LULL_OK;
		lull_prover_retire(p);
		if (err == LULL_DEVICE) {
			lull_set_fail(set, p->device, &why);
			continue;
		}
		if (reterr)
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

int lull_prover_finish(struct lull_proving *p, const uint8_t r[LULL_FR_BYTES],
		       const uint8_t s[LULL_FR_BYTES],
		       struct lull_error *reterr)
{
	const struct lull_key *key = p->key;

	stage_begin(p, LULL_STAGE_ASSEMBLE);
	key->groth16->assemble(&key->file.parts, &p->sums, r, s,
			       &p->proof->points);
	stage_end(p, LULL_STAGE_ASSEMBLE);
	return check(p, reterr);
}

int lull_prover_begin(struct lull_proving *p, struct lull_error *reterr)
{
	int err = p->assigned ? LULL_OK
			      : lull_prove_key_has_circuit(p->key, reterr);

	if (err)
		return err;
	p->start_ns = lull_trace_now_ns();
	p->proof = calloc(1, sizeof(*p->proof));
	if (!p->proof)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a proof");
	err = copy_publics(p, reterr);
	if (err)
		lull_prover_end(p, NULL);
	return err;
}

void lull_prover_end(struct lull_proving *p, struct lull_proof **ret_proof)
{
	lull_prover_retire(p);
	lull_wipe(&p->sums, sizeof(p->sums));
	if (ret_proof)
		*ret_proof = p->proof;
	else
		lull_proof_free(p->proof);
	p->proof = NULL;
}

/* A proof of which the caller's part is filled, on the calling thread. */
static int run_all(struct lull_proving *p, const uint8_t r[LULL_FR_BYTES],
		   const uint8_t s[LULL_FR_BYTES],
		   struct lull_proof **ret_proof, struct lull_error *reterr)
{
	int err = lull_prover_begin(p, reterr);

	if (err)
		return err;
	err = lull_prover_compute(p, reterr);
	if (!err)
		err = lull_prover_finish(p, r, s, reterr);
	lull_prover_retire(p);
	lull_prover_end(p, err ? NULL : ret_proof);
	return err;
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
	struct lull_proving p = { .key = key,
				  .witness = witness,
				  .assigned = assigned,
				  .opts = opts,
				  .workers = workers,
				  .arena = arena };

	return run_all(&p, r, s, ret_proof, reterr);
}

size_t lull_prover_scratch_bytes(const struct lull_key *key,
				 unsigned int nr_threads)
{
	const struct lull_key_part *part = key->parts;
	size_t bytes = 0;
	unsigned int i;

	for (i = 0; i < key->set->nr_all; i++, part++)
		if (key->usable[i])
			bytes = lull_max(
				bytes, part->ops->scratch_bytes(part->attached,
								nr_threads));
	return bytes;
}

size_t lull_prover_finish_bytes(const struct lull_key *key,
				unsigned int nr_threads)
{
	return key->groth16->check_bytes(key->file.parts.nr_public, nr_threads);
}

int lull_prover_run(struct lull_workers *workers, struct lull_arena *arena,
		    const struct lull_key *key,
		    const struct lull_wtnsfile *wtns,
		    const struct lull_prove_opts *opts,
		    const uint8_t r[LULL_FR_BYTES],
		    const uint8_t s[LULL_FR_BYTES],
		    struct lull_proof **ret_proof, struct lull_error *reterr)
{
	struct lull_proving p = { .key = key,
				  .witness = wtns->values,
				  .classes = wtns->classes,
				  .opts = opts,
				  .workers = workers,
				  .arena = arena };

	return run_all(&p, r, s, ret_proof, reterr);
}

void lull_proof_free(struct lull_proof *proof)
{
	if (!proof)
		return;
	lull_arena_retire(&proof->publics);
	free(proof);
}
