// SPDX-License-Identifier: Apache-2.0
/*
 * prover.c - the stage list of one proof: the file to read first
 *
 * load      key and witness are mapped; scratch is had
 * spmv      a = A w, b = B w
 * h         the scalars of H from a and b
 * msm_*     five sums of points
 * assemble  blinding with r and s, the last additions
 * check     the pairing equation, before anything leaves
 * retire    scratch is wiped and goes back
 */
#include "prove/prover.h"

#include <stdlib.h>
#include <time.h>

#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"

/* One proof under way. */
struct proving {
	const struct lull_key *key;
	const uint8_t *witness;
	const struct lull_prove_opts *opts;
	struct lull_workers *workers;
	struct lull_vec scratch;
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

static int load(struct proving *p, struct lull_error *reterr)
{
	const struct lull_zkey *zkey = &p->key->zkey;
	unsigned int nr_threads = lull_workers_nr(p->workers);
	size_t bytes;
	int err;

	stage_begin(p, LULL_STAGE_LOAD);
	p->proof->nr_public = zkey->nr_public;
	err = lull_vec_alloc(&p->proof->publics,
			     (size_t)zkey->nr_public * LULL_FR_BYTES,
			     "public signals", reterr);
	if (err)
		return err;
	if (zkey->nr_public)
		memcpy(p->proof->publics.ptr, p->witness + LULL_FR_BYTES,
		       p->proof->publics.bytes);
	bytes = p->key->backend->scratch_bytes(p->key->attached, nr_threads);
	err = lull_vec_alloc(&p->scratch, bytes, "scratch of a proof", reterr);
	stage_end(p);
	return err;
}

static void compute(struct proving *p)
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
	struct lull_stage_args args = {
		.witness = p->witness,
		.workers = p->workers,
		.scratch = p->scratch.ptr,
	};
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(list); i++) {
		stage_begin(p, list[i].stage);
		args.ret_point = list[i].ret_point;
		p->key->backend->run(p->key->attached, list[i].stage, &args);
		stage_end(p);
	}
}

static int check(struct proving *p, struct lull_error *reterr)
{
	struct lull_error why;
	int err;

	if (p->opts->flags & LULL_PROVE_NO_VERIFY)
		return LULL_OK;
	stage_begin(p, LULL_STAGE_CHECK);
	err = p->key->groth16->verify_key(&p->key->zkey, p->proof->publics.ptr,
					  &p->proof->points, p->workers, &why);
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
	lull_vec_wipe_done(&p->scratch);
	lull_wipe(&p->sums, sizeof(p->sums));
	stage_end(p);
}

int lull_prover_run(struct lull_workers *workers, const struct lull_key *key,
		    const uint8_t *witness, const struct lull_prove_opts *opts,
		    const uint8_t r[LULL_FR_BYTES],
		    const uint8_t s[LULL_FR_BYTES],
		    struct lull_proof **ret_proof, struct lull_error *reterr)
{
	struct proving p = { .key = key,
			     .witness = witness,
			     .opts = opts,
			     .workers = workers,
			     .start_ns = now_ns() };
	int err;

	p.proof = calloc(1, sizeof(*p.proof));
	if (!p.proof)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a proof");
	err = load(&p, reterr);
	if (!err) {
		compute(&p);
		stage_begin(&p, LULL_STAGE_ASSEMBLE);
		key->groth16->assemble(&key->zkey, &p.sums, r, s,
				       &p.proof->points);
		stage_end(&p);
		err = check(&p, reterr);
	}
	retire(&p);
	if (err) {
		lull_proof_free(p.proof);
		return err;
	}
	*ret_proof = p.proof;
	return LULL_OK;
}

void lull_proof_free(struct lull_proof *proof)
{
	if (!proof)
		return;
	lull_vec_done(&proof->publics);
	free(proof);
}
