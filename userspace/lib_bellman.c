// SPDX-License-Identifier: Apache-2.0
/*
 * lib_bellman.c - the public functions for bellman and bellperson
 *
 * Contracts stand in include/lull_bellman.h.
 */
#include "lib.h"

#include <inttypes.h>
#include <stdlib.h>

#include "arena/arena.h"
#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"
#include "input/canonical.h"
#include "load/loader.h"
#include "prove/bellman.h"
#include "prove/prover.h"

/* Ends @file. */
static int open_key(struct lull_ctx *ctx, struct lull_bellman *file,
		    const char *path, struct lull_key **ret_key,
		    struct lull_error *reterr)
{
	int err;

	lull_arena_enter(ctx->arena);
	err = lull_bellman_key_create(file, path,
				      lull_loader_reader(ctx->loader),
				      ctx->workers, ctx->arena, ctx->set,
				      ret_key, reterr);
	lull_arena_leave(ctx->arena);
	lull_bellman_close(file);
	return err;
}

int lull_key_open_bellman(struct lull_ctx *ctx, const char *path,
			  struct lull_key **ret_key, struct lull_error *reterr)
{
	struct lull_bellman file;
	int err;

	err = lull_bellman_open(path, 0, &file, reterr);
	return err ? err : open_key(ctx, &file, path, ret_key, reterr);
}

int lull_key_open_bellman_mem(struct lull_ctx *ctx, const void *data,
			      size_t bytes, struct lull_key **ret_key,
			      struct lull_error *reterr)
{
	struct lull_bellman file;
	int err;

	err = lull_bellman_open_mem(data, bytes, "parameters", 0, &file,
				    reterr);
	return err ? err : open_key(ctx, &file, NULL, ret_key, reterr);
}

int lull_key_bellman_write(const struct lull_key *key, const char *path,
			   struct lull_error *reterr)
{
	return lull_bellman_write(key, path, false, reterr);
}

int lull_key_bellman_vkey_write(const struct lull_key *key, const char *path,
				struct lull_error *reterr)
{
	return lull_bellman_write(key, path, true, reterr);
}

int lull_key_convert_bellman(struct lull_ctx *ctx, const char *params_path,
			     const char *lkey_path,
			     const struct lull_convert_opts *opts,
			     struct lull_error *reterr)
{
	return lull_ctx_convert(ctx, params_path, lkey_path, opts,
				lull_convert_bellman, reterr);
}

/* ---- proofs ------------------------------------------------------------ */

int lull_prove_assigned(struct lull_ctx *ctx, const struct lull_key *key,
			const struct lull_assignment *assignment,
			const struct lull_prove_opts *opts,
			struct lull_proof **ret_proof,
			struct lull_error *reterr)
{
	const struct lull_prove_opts defaults = { .size = sizeof(defaults) };
	int err;

	if (opts && lull_check_size(reterr, "lull_prove_opts", sizeof(*opts),
				    opts->size))
		return LULL_USAGE;
	lull_arena_enter(ctx->arena);
	err = lull_bellman_prove(ctx->workers, ctx->arena, key, assignment,
				 opts ? opts : &defaults, ret_proof, reterr);
	lull_arena_leave(ctx->arena);
	return err;
}

int lull_proof_bellman(const struct lull_proof *proof,
		       uint8_t ret_bytes[LULL_BELLMAN_PROOF_BYTES],
		       struct lull_error *reterr)
{
	if (proof->points.curve != LULL_CURVE_BLS12_381)
		return lull_fail(
			reterr, LULL_UNSUPPORTED,
			"bellman's bytes: expected a proof of BLS12-381, found "
			"one of %s",
			lull_curve_facts(proof->points.curve)->name);
	return lull_bellman_put_proof(&proof->points, ret_bytes, reterr);
}

/* ---- verifying keys ---------------------------------------------------- */

struct lull_vkey {
	struct lull_workers *workers;
	struct lull_arena *arena;
	struct lull_bellman_points points;
	size_t nr_public;
};

/* One thread: what there is to compute is a few milliseconds. */
static int create_vkey(struct lull_vkey **ret_vkey, struct lull_error *reterr)
{
	const struct lull_arena_opts arena_opts = {
		.carrier = LULL_ARENA_THP,
		.node = LULL_ARENA_NODE_ANY,
	};
	struct lull_vkey *vkey = calloc(1, sizeof(*vkey));
	int err;

	if (!vkey)
		return lull_fail(reterr, LULL_NOMEM,
				 "no memory for a verifying key");
	err = lull_workers_create(1, &vkey->workers, reterr);
	if (!err)
		err = lull_arena_open(&arena_opts, &vkey->arena, reterr);
	if (err) {
		lull_vkey_close(vkey);
		return err;
	}
	*ret_vkey = vkey;
	return LULL_OK;
}

/* Ends @file. */
static int load_vkey(struct lull_bellman *file, struct lull_vkey **ret_vkey,
		     struct lull_error *reterr)
{
	struct lull_vkey *vkey = NULL;
	int err;

	err = create_vkey(&vkey, reterr);
	if (!err)
		err = lull_bellman_load(file, LULL_BELLMAN_NR_VKEY, NULL,
					vkey->workers, vkey->arena,
					&vkey->points, reterr);
	if (!err)
		vkey->nr_public = file->nr[LULL_BELLMAN_IC] - 1;
	lull_bellman_close(file);
	if (err) {
		lull_vkey_close(vkey);
		return err;
	}
	*ret_vkey = vkey;
	return LULL_OK;
}

int lull_vkey_open_bellman(const char *path, struct lull_vkey **ret_vkey,
			   struct lull_error *reterr)
{
	struct lull_bellman file;
	int err;

	err = lull_bellman_open(path, LULL_BELLMAN_VKEY_DOES, &file, reterr);
	return err ? err : load_vkey(&file, ret_vkey, reterr);
}

int lull_vkey_open_bellman_mem(const void *data, size_t bytes,
			       struct lull_vkey **ret_vkey,
			       struct lull_error *reterr)
{
	struct lull_bellman file;
	int err;

	err = lull_bellman_open_mem(data, bytes, "verifying key",
				    LULL_BELLMAN_VKEY_DOES, &file, reterr);
	return err ? err : load_vkey(&file, ret_vkey, reterr);
}

size_t lull_vkey_nr_public(const struct lull_vkey *vkey)
{
	return vkey->nr_public;
}

void lull_vkey_close(struct lull_vkey *vkey)
{
	if (!vkey)
		return;
	lull_arena_retire(&vkey->points.vec);
	lull_workers_destroy(vkey->workers);
	lull_arena_close(vkey->arena);
	free(vkey);
}

int lull_vkey_verify(const struct lull_vkey *vkey, const uint8_t *proofs,
		     const uint8_t *publics, size_t nr,
		     struct lull_error *reterr)
{
	const uint8_t *prime = lull_curve_facts(LULL_CURVE_BLS12_381)->fr_prime;
	size_t i;

	if (!nr)
		return lull_fail(reterr, LULL_USAGE,
				 "expected at least one proof, found none");
	for (i = 0; i < nr * vkey->nr_public; i++)
		if (!lull_input_below(publics + i * LULL_FR_BYTES, prime,
				      LULL_FR_BYTES))
			return lull_fail(reterr, LULL_RANGE,
					 "partition %zu of %zu: public signal "
					 "%zu: expected below r",
					 i / vkey->nr_public, nr,
					 i % vkey->nr_public);
	return lull_bellman_verify(&vkey->points, vkey->nr_public, proofs,
				   publics, nr, vkey->workers, vkey->arena,
				   reterr);
}

#define PROOFS_BYTES_MAX \
	((uint64_t)LULL_PARTITIONS_MAX * LULL_BELLMAN_PROOF_BYTES)

/* How many proofs a file holds, and one partition's signals each. */
static int count_proofs(const struct lull_infile *file, size_t nr_public,
			size_t nr_values, size_t *ret_nr,
			struct lull_error *reterr)
{
	size_t nr = file->bytes / LULL_BELLMAN_PROOF_BYTES;

	if (file->bytes % LULL_BELLMAN_PROOF_BYTES)
		return lull_fail(reterr, LULL_FORMAT,
				 "%s: expected %d bytes for each partition, "
				 "found %" PRIu64 " bytes in all",
				 file->name, LULL_BELLMAN_PROOF_BYTES,
				 file->bytes);
	if (file->bytes > PROOFS_BYTES_MAX)
		return lull_fail(reterr, LULL_FORMAT,
				 "%s: expected at most %" PRIu64
				 " bytes, of %d partitions, found %" PRIu64,
				 file->name, PROOFS_BYTES_MAX,
				 LULL_PARTITIONS_MAX, file->bytes);
	if (nr_values != nr * nr_public)
		return lull_fail(reterr, LULL_INVALID,
				 "%zu partitions with %zu public signals each: "
				 "expected %zu, found %zu",
				 nr, nr_public, nr * nr_public, nr_values);
	*ret_nr = nr;
	return LULL_OK;
}

static int verify_files(const struct lull_vkey *vkey, const char *public_path,
			const char *proof_path, struct lull_error *reterr)
{
	struct lull_json_public publics = { 0 };
	struct lull_infile file = { 0 };
	size_t nr = 0;
	int err;

	err = lull_json_read_public(public_path, LULL_CURVE_BLS12_381,
				    vkey->arena, &publics, reterr);
	if (!err)
		err = lull_infile_open_sparse(proof_path, &file, reterr);
	if (!err)
		err = count_proofs(&file, vkey->nr_public, publics.nr, &nr,
				   reterr);
	if (!err)
		err = lull_infile_need_all(&file, reterr);
	if (!err)
		err = lull_vkey_verify(vkey, file.data, publics.values, nr,
				       reterr);
	lull_infile_close(&file);
	lull_json_public_done(&publics);
	return err;
}

int lull_verify_bellman(const char *vkey_path, const char *public_path,
			const char *proof_path, struct lull_error *reterr)
{
	struct lull_vkey *vkey = NULL;
	int err;

	err = lull_vkey_open_bellman(vkey_path, &vkey, reterr);
	if (!err)
		err = verify_files(vkey, public_path, proof_path, reterr);
	lull_vkey_close(vkey);
	return err;
}
