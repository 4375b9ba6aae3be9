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
 * lull_key_convert_bellman - make a .lkey of parameters and their circuit
 * @ctx: whose memory and threads to use
 * @params_path: the parameters; not to be written to meanwhile
 * @lkey_path: appears whole or not at all
 * @opts: @r1cs_path is needed: constraints, and wires in the order of bellman's
 *	variables (the constant one, the other inputs, private variables)
 * @reterr: filled on failure
 *
 * The key proves from a witness alone, on every device, as one from a .zkey
 * does.  Sizes, densities and, with random combinations, the points are compared
 * with the circuit.  Half n log2 n multiplications of points are done, n the
 * domain's size.
 *
 * Return: as lull_key_convert().
 */
LULL_API int lull_key_convert_bellman(struct lull_ctx *ctx,
				      const char *params_path,
				      const char *lkey_path,
				      const struct lull_convert_opts *opts,
				      struct lull_error *reterr);

/**
 * lull_key_bellman_write - write a key as parameters
 * @key: of a .zkey or of parameters, of BLS12-381
 * @path: appears whole or not at all
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
 * @path: appears whole or not at all
 * @reterr: filled on failure
 *
 * Return: as lull_key_bellman_write().
 */
LULL_API int lull_key_bellman_vkey_write(const struct lull_key *key,
					 const char *path,
					 struct lull_error *reterr);

/* A proof as bellman writes it: A, B and C, compressed. */
#define LULL_BELLMAN_PROOF_BYTES 192

/* Partitions of one job, and of a file of proofs: thousands of times what a
 * sector's proof has.  A key without public signals bounds such a file by nothing
 * else, and all of it is read. */
#define LULL_PARTITIONS_MAX 65536

/**
 * lull_proof_bellman - a proof in bellman's bytes
 * @proof: of BLS12-381
 * @ret_bytes: written on success only
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_UNSUPPORTED for BN254, or LULL_RANGE when a point is
 * infinity, which these bytes never hold.
 */
LULL_API int lull_proof_bellman(const struct lull_proof *proof,
				uint8_t ret_bytes[LULL_BELLMAN_PROOF_BYTES],
				struct lull_error *reterr);

struct lull_vkey;

/**
 * lull_vkey_open_bellman - read a verifying key of bellman
 * @path: the file: a verifying key alone or parameters, which begin with one
 * @ret_vkey: owned by the caller; end it with lull_vkey_close()
 * @reterr: filled on failure
 *
 * Every point is checked, its subgroup as well.
 *
 * Context: an open key may be used by any number of threads at once.
 * Return: LULL_OK, LULL_IO, LULL_FORMAT, LULL_RANGE or LULL_NOMEM.
 */
LULL_API int lull_vkey_open_bellman(const char *path,
				    struct lull_vkey **ret_vkey,
				    struct lull_error *reterr);

/**
 * lull_vkey_open_bellman_mem - the same for a key in the caller's memory
 * @data: the bytes, at any alignment; not used once this has returned
 * @bytes: how many
 * @ret_vkey: owned by the caller; end it with lull_vkey_close()
 * @reterr: filled on failure
 *
 * Return: as lull_vkey_open_bellman(), without LULL_IO.
 */
LULL_API int lull_vkey_open_bellman_mem(const void *data, size_t bytes,
					struct lull_vkey **ret_vkey,
					struct lull_error *reterr);

/**
 * lull_vkey_nr_public - how many public signals a proof has
 * @vkey: the key
 *
 * Return: without the constant one.
 */
LULL_API size_t lull_vkey_nr_public(const struct lull_vkey *vkey);

/**
 * lull_vkey_close - give a verifying key's memory back
 * @vkey: may be NULL
 */
LULL_API void lull_vkey_close(struct lull_vkey *vkey);

/**
 * lull_vkey_verify - are these proofs valid?
 * @vkey: their key
 * @proofs: @nr times LULL_BELLMAN_PROOF_BYTES
 * @publics: @nr times the key's public signals, 32 bytes each, plain
 *	little-endian, without the constant one; may be NULL when there are none
 * @nr: how many partitions
 * @reterr: names each partition that is wrong, from 0, and why the first is
 *
 * Points are checked one by one, the equations all at once by a random linear
 * combination.
 *
 * Return: LULL_OK when all are valid, LULL_INVALID when not, LULL_RANGE for a
 * public signal that is not below r, LULL_USAGE for no proof at all, LULL_IO
 * or LULL_NOMEM.
 */
LULL_API int lull_vkey_verify(const struct lull_vkey *vkey,
			      const uint8_t *proofs, const uint8_t *publics,
			      size_t nr, struct lull_error *reterr);

/**
 * lull_verify_bellman - are the proofs of a file valid?
 * @vkey_path: as lull_vkey_open_bellman()
 * @public_path: a JSON array of decimal strings: the first partition's public
 *	signals, then the second's, and so on
 * @proof_path: LULL_BELLMAN_PROOF_BYTES for each partition, of which there are
 *	at most LULL_PARTITIONS_MAX
 * @reterr: filled on failure
 *
 * Return: LULL_OK when all are valid, LULL_INVALID when not, otherwise what is
 * wrong with the files.
 */
LULL_API int lull_verify_bellman(const char *vkey_path, const char *public_path,
				 const char *proof_path,
				 struct lull_error *reterr);

/**
 * struct lull_assignment - what bellperson hands to a prover, for one partition
 * @size: sizeof(struct lull_assignment)
 * @a: evaluations of A w, row by row, the inputs' own rows last
 * @b: of B w
 * @c: of C w
 * @nr_rows: of each; the key's domain is the smallest power of two that holds
 *	them
 * @inputs: values of the inputs, the constant one first
 * @nr_inputs: how many
 * @aux: values of the private variables
 * @nr_aux: how many
 * @a_aux_density: bit i % 64 of word i / 64: private variable i has a point in
 *	the key's a
 * @b_input_density: of the inputs in b
 * @b_aux_density: of the private variables in b
 * @r: blinding scalar, or NULL for a fresh one
 * @s: the other; NULL when and only when @r is
 *
 * Values and scalars are Fr elements in Montgomery form (R = 2^256), 32
 * little-endian bytes each, canonical, at any alignment.  Nothing is kept.
 */
struct lull_assignment {
	size_t size;
	const void *a, *b, *c;
	size_t nr_rows;
	const void *inputs;
	size_t nr_inputs;
	const void *aux;
	size_t nr_aux;
	const uint64_t *a_aux_density;
	const uint64_t *b_input_density;
	const uint64_t *b_aux_density;
	const void *r, *s;
};

/**
 * lull_prove_assigned - one partition's proof from evaluations and assignments
 * @ctx: whose threads to use
 * @key: of lull_key_open_bellman()
 * @assignment: the partition
 * @opts: NULL for the defaults
 * @ret_proof: owned by the caller; end it with lull_proof_free()
 * @reterr: filled on failure
 *
 * Every value is checked to be canonical, every row to hold (a b = c), sizes
 * and densities to be the key's.  r = s = 0, with which a proof hides nothing,
 * is refused.  The proof is verified before it is returned.
 *
 * Context: any thread; any number of proofs at once on one key.
 * Return: LULL_OK, LULL_MISMATCH when sizes or densities are not the key's,
 * LULL_RANGE for a value that is not canonical, LULL_UNSATISFIED naming the
 * first row that does not hold, LULL_USAGE, LULL_NOMEM, LULL_IO, or
 * LULL_DEVICE when no device is left.
 */
LULL_API int lull_prove_assigned(struct lull_ctx *ctx,
				 const struct lull_key *key,
				 const struct lull_assignment *assignment,
				 const struct lull_prove_opts *opts,
				 struct lull_proof **ret_proof,
				 struct lull_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
