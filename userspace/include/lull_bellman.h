/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lull_bellman.h - the part of lull.h that is for bellman and bellperson
 *
 * Parameters, verifying keys and proofs as Filecoin's programs have them, all
 * of BLS12-381.  lull.h includes this; its conventions hold here.
 */
#ifndef LULL_PUBLIC_BELLMAN_H
#define LULL_PUBLIC_BELLMAN_H

#include "lull.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * lull_key_open_bellman - read Groth16 parameters of bellman or bellperson
 * @ctx: the context; outlives the key
 * @path: the file; free to change once this has returned
 * @ret_key: owned by the caller; end it with lull_key_close()
 * @reterr: filled on failure
 *
 * Checks the bounds of every section, how their sizes go together, every
 * point's encoding and that it lies on its curve, and the subgroups of the
 * verifying key; lull_key_check() adds the other subgroups.  The file holds no
 * circuit, so lull_prove() refuses such a key.
 *
 * Return: LULL_OK, LULL_IO, LULL_FORMAT, LULL_RANGE, LULL_UNSUPPORTED or
 * LULL_NOMEM.
 */
LULL_API int lull_key_open_bellman(struct lull_ctx *ctx, const char *path,
				   struct lull_key **ret_key,
				   struct lull_error *reterr);

/**
 * lull_key_open_bellman_mem - the same for parameters in the caller's memory
 * @ctx: the context; outlives the key
 * @data: the bytes, at any alignment; not used once this has returned
 * @bytes: how many
 * @ret_key: owned by the caller; end it with lull_key_close()
 * @reterr: filled on failure
 *
 * Return: as lull_key_open_bellman().
 */
LULL_API int lull_key_open_bellman_mem(struct lull_ctx *ctx, const void *data,
				       size_t bytes, struct lull_key **ret_key,
				       struct lull_error *reterr);

/**
 * lull_key_bellman_write - write a key as parameters
 * @key: of a .zkey or of parameters, of BLS12-381
 * @path: written to a temporary name beside it, then renamed
 * @reterr: filled on failure
 *
 * Row i of the circuit that the parameters are for is row k i mod n of the
 * .zkey's domain of n rows; Documentation/formats/bellman.rst gives k.  For a
 * .zkey, n log2 n multiplications of points are done.
 *
 * Return: LULL_OK, LULL_IO, LULL_NOMEM, LULL_USAGE when @path is the key
 * itself, LULL_UNSUPPORTED for BN254, or LULL_RANGE for a variable that no
 * constraint has.
 */
LULL_API int lull_key_bellman_write(const struct lull_key *key,
				    const char *path,
				    struct lull_error *reterr);

/**
 * lull_key_bellman_vkey_write - write a key's verifying key alone
 * @key: as lull_key_bellman_write()
 * @path: written to a temporary name beside it, then renamed
 * @reterr: filled on failure
 *
 * Return: as lull_key_bellman_write().
 */
LULL_API int lull_key_bellman_vkey_write(const struct lull_key *key,
					 const char *path,
					 struct lull_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
