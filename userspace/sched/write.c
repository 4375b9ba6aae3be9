// SPDX-License-Identifier: Apache-2.0
/*
 * write.c - the proofs of a job in one file
 */
#include "base/base.h"
#include "base/error.h"
#include "input/outfile.h"
#include "lull_bellman.h"
#include "sched/pipeline.h"

static int write_text(struct lull_outfile *file, const char *text,
		      struct lull_error *reterr)
{
	return lull_outfile_write(file, text, strlen(text), reterr);
}

/* Writes what @text makes of the proof. */
static int write_json(struct lull_job *job, struct lull_outfile *file,
		      const struct lull_proof *proof,
		      size_t (*text)(const struct lull_proof *, char *, size_t),
		      struct lull_error *reterr)
{
	size_t bytes = text(proof, NULL, 0);
	struct lull_vec vec;
	int err;

	err = lull_arena_carve(job->pipeline->env.arena, bytes + 1, 0,
			       "text of a proof", &vec, reterr);
	if (err)
		return err;
	text(proof, vec.ptr, bytes + 1);
	err = lull_outfile_write(file, vec.ptr, bytes, reterr);
	lull_arena_retire(&vec);
	return err;
}

static int write_object(struct lull_job *job, struct lull_outfile *file,
			const struct lull_proof *proof,
			struct lull_error *reterr)
{
	int err = write_text(file, "{\"proof\":\n", reterr);

	if (!err)
		err = write_json(job, file, proof, lull_proof_json, reterr);
	if (!err)
		err = write_text(file, ",\n\"publicSignals\":\n", reterr);
	if (!err)
		err = write_json(job, file, proof, lull_public_json, reterr);
	return err ? err : write_text(file, "}", reterr);
}

static int write_bellman(struct lull_outfile *file,
			 const struct lull_proof *proof,
			 struct lull_error *reterr)
{
	unsigned char bytes[LULL_BELLMAN_PROOF_BYTES];
	int err = lull_proof_bellman(proof, bytes, reterr);

	return err ? err
		   : lull_outfile_write(file, bytes, sizeof(bytes), reterr);
}

static int write_all(struct lull_job *job, unsigned int first, unsigned int nr,
		     bool json, struct lull_outfile *file,
		     struct lull_error *reterr)
{
	const struct lull_proof *proof;
	struct lull_error why;
	unsigned int i;
	int err = LULL_OK;

	for (i = first; i < first + nr && !err; i++) {
		proof = lull_job_proof(job, i, &why);
		if (!proof) {
			if (reterr)
				*reterr = why;
			return why.code;
		}
		if (!json) {
			err = write_bellman(file, proof, reterr);
			continue;
		}
		err = write_text(file, i == first ? "[" : ",\n", reterr);
		if (!err)
			err = write_object(job, file, proof, reterr);
	}
	return err || !json ? err : write_text(file, "]\n", reterr);
}

int lull_job_write(struct lull_job *job, unsigned int first, unsigned int nr,
		   const char *path, unsigned int flags,
		   struct lull_error *reterr)
{
	bool json = flags & LULL_JOB_JSON ||
		    job->key->file.parts.curve != LULL_CURVE_BLS12_381;
	struct lull_outfile file = LULL_OUTFILE_EMPTY;
	int err;

	if (!nr || first >= job->nr || nr > job->nr - first)
		return lull_fail(reterr, LULL_USAGE,
				 "partitions %u to %u: expected some of %u",
				 first, first + nr - 1, job->nr);
	err = lull_outfile_open(path, 0, &file, reterr);
	if (!err)
		err = write_all(job, first, nr, json, &file, reterr);
	if (!err)
		err = lull_outfile_commit(&file, 1, reterr);
	lull_outfile_discard(&file);
	return err;
}
