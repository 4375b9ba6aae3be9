// SPDX-License-Identifier: Apache-2.0
/*
 * lib_proof.c - the public functions for a proof that is there: its texts, its
 * files, verification
 *
 * Contracts stand in include/lull.h.
 */
#include <stdlib.h>

#include "arena/arena.h"
#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"
#include "input/json.h"
#include "input/outfile.h"
#include "lull.h"
#include "prove/groth16.h"
#include "prove/prover.h"

size_t lull_proof_json(const struct lull_proof *proof, char *buf, size_t bytes)
{
	size_t len = lull_json_write_proof(&proof->points, NULL, 0);

	if (len < bytes) {
		lull_json_write_proof(&proof->points, buf, len);
		buf[len] = '\0';
	}
	return len;
}

size_t lull_public_json(const struct lull_proof *proof, char *buf, size_t bytes)
{
	size_t len = lull_json_write_public(proof->publics.ptr,
					    proof->nr_public, NULL, 0);

	if (len < bytes) {
		lull_json_write_public(proof->publics.ptr, proof->nr_public,
				       buf, len);
		buf[len] = '\0';
	}
	return len;
}

/*
 * Room for the text of a proof.  The arena is known by the public signals,
 * which hold it; what has none of them is short.
 */
static char *alloc_text(const struct lull_proof *proof, size_t bytes,
			struct lull_vec *ret_vec, struct lull_error *reterr)
{
	char *buf;

	*ret_vec = (struct lull_vec){ 0 };
	if (proof->publics.arena) {
		if (lull_arena_carve(proof->publics.arena, bytes, 0,
				     "text of a proof", ret_vec, reterr))
			return NULL;
		return ret_vec->ptr;
	}
	buf = malloc(bytes);
	if (!buf)
		lull_fail(reterr, LULL_NOMEM, "no memory for a proof");
	return buf;
}

/* Opens an output and writes what @text makes of the proof. */
static int write_text(struct lull_outfile *out, const char *path,
		      const struct lull_proof *proof,
		      size_t (*text)(const struct lull_proof *, char *, size_t),
		      struct lull_error *reterr)
{
	size_t len = text(proof, NULL, 0);
	struct lull_vec vec;
	char *buf = alloc_text(proof, len + 1, &vec, reterr);
	int err;

	if (!buf)
		return LULL_NOMEM;
	text(proof, buf, len + 1);
	err = lull_outfile_open(path, 0, out, reterr);
	if (!err)
		err = lull_outfile_write(out, buf, len, reterr);
	if (!vec.ptr)
		free(buf);
	lull_arena_retire(&vec);
	return err;
}

int lull_proof_write(const struct lull_proof *proof, const char *proof_path,
		     const char *public_path, struct lull_error *reterr)
{
	struct lull_outfile outs[2] = { LULL_OUTFILE_EMPTY,
					LULL_OUTFILE_EMPTY };
	int err;

	if (lull_outfile_same(proof_path, public_path))
		return lull_fail(
			reterr, LULL_USAGE,
			"%.200s: proof and public signals are one file",
			proof_path);
	err = write_text(&outs[0], proof_path, proof, lull_proof_json, reterr);
	if (!err)
		err = write_text(&outs[1], public_path, proof, lull_public_json,
				 reterr);
	if (!err)
		err = lull_outfile_commit(outs, LULL_ARRAY_SIZE(outs), reterr);
	lull_outfile_discard(&outs[0]);
	lull_outfile_discard(&outs[1]);
	return err;
}

const char *lull_proof_backend(const struct lull_proof *proof)
{
	return proof->backend;
}

const struct lull_stage_time *lull_proof_stages(const struct lull_proof *proof,
						unsigned int *ret_nr)
{
	if (ret_nr)
		*ret_nr = proof->nr_stages;
	return proof->stages;
}

/* ---- verification ------------------------------------------------------ */

static int verify_files(const struct lull_json_vkey *vkey,
			const char *public_path, const char *proof_path,
			struct lull_workers *workers, struct lull_arena *arena,
			struct lull_error *reterr)
{
	struct lull_json_public publics = { 0 };
	struct lull_json_proof proof;
	int err;

	err = lull_json_read_public(public_path, vkey->curve, arena, &publics,
				    reterr);
	if (err)
		return err;
	if (publics.nr != vkey->nr_public)
		err = lull_fail(reterr, LULL_INVALID,
				"the key has %u public signals, found %zu",
				vkey->nr_public, publics.nr);
	if (!err)
		err = lull_json_read_proof(proof_path, vkey->curve, &proof,
					   reterr);
	if (!err)
		err = lull_groth16(vkey->curve)
			      ->verify(vkey, publics.values, &proof, workers,
				       arena, reterr);
	lull_json_public_done(&publics);
	return err;
}

int lull_verify(const char *vkey_path, const char *public_path,
		const char *proof_path, struct lull_error *reterr)
{
	const struct lull_arena_opts arena_opts = {
		.carrier = LULL_ARENA_THP,
		.node = LULL_ARENA_NODE_ANY,
	};
	struct lull_json_vkey vkey = { 0 };
	struct lull_workers *workers;
	struct lull_arena *arena;
	int err;

	/* One thread: what there is to compute is a few milliseconds. */
	err = lull_workers_create(1, &workers, reterr);
	if (err)
		return err;
	err = lull_arena_open(&arena_opts, &arena, reterr);
	if (err)
		goto destroy_workers;
	err = lull_json_read_vkey(vkey_path, arena, &vkey, reterr);
	if (!err)
		err = verify_files(&vkey, public_path, proof_path, workers,
				   arena, reterr);
	lull_json_vkey_done(&vkey);
	lull_arena_close(arena);
destroy_workers:
	lull_workers_destroy(workers);
	return err;
}
