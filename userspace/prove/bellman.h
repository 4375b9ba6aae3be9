/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bellman.h - keys of bellman and bellperson: points in, points out
 *
 * Loads the arrays of a parameters file, checked and converted, makes a key of
 * them that is given its rows with each proof (the file holds no circuit), and
 * writes parameters of a key.  BLS12-381 only.
 */
#ifndef LULL_PROVE_BELLMAN_H
#define LULL_PROVE_BELLMAN_H

#include "arena/arena.h"
#include "input/bellman.h"
#include "prove/key.h"

struct lull_workers;

/* Coordinates between plain integers and Montgomery form, in place. */
void lull_bellman_to_mont(uint8_t *coords, size_t nr);
void lull_bellman_from_mont(uint8_t *coords, size_t nr);

/**
 * struct lull_bellman_points - arrays of points in memory
 * @at: each array, affine, Montgomery, as a .zkey has points
 * @vec: owns them; they lie in it without gaps, in the file's order
 */
struct lull_bellman_points {
	uint8_t *at[LULL_BELLMAN_NR_ARRAYS];
	struct lull_vec vec;
};

/**
 * lull_bellman_take_points - read and decode some points
 * @file: an open file
 * @array: which
 * @first: the first
 * @nr: how many
 * @to: affine, Montgomery, as a .zkey has points
 * @reterr: names array, index, offset and fault
 *
 * Every encoding is checked; whether the points lie on their curve is not.
 * Context: any thread.
 *
 * Return: LULL_OK, LULL_IO or LULL_RANGE.
 */
int lull_bellman_take_points(const struct lull_bellman *file,
			     enum lull_bellman_array array, size_t first,
			     size_t nr, uint8_t *to, struct lull_error *reterr);

/* Are points [first, first + nr), taken, on their curve and in their subgroup?
 * LULL_OK or LULL_RANGE. */
int lull_bellman_check_points(const struct lull_bellman *file,
			      enum lull_bellman_array array, size_t first,
			      size_t nr, const uint8_t *points,
			      struct lull_error *reterr);

/* Says that point @i is off its curve or outside its subgroup.  Returns
 * LULL_RANGE. */
int lull_bellman_fail_point(const struct lull_bellman *file,
			    enum lull_bellman_array array, size_t i,
			    enum lull_points_fault fault,
			    struct lull_error *reterr);

/**
 * lull_bellman_load - read, check and convert a file's points
 * @file: an open file
 * @nr_arrays: how many arrays, from the first
 * @reader: who reads, and whose threads convert; NULL, or a file in memory:
 *	@workers
 * @workers: who does it then
 * @arena: where they lie
 * @ret_points: owned by the caller; retire its @vec
 * @reterr: names array, index, offset and fault
 *
 * Every point has a sound encoding and lies on its curve; those of the
 * verifying key lie in their subgroup as well.
 *
 * Return: LULL_OK, LULL_IO (also when the file changed meanwhile), LULL_RANGE
 * or LULL_NOMEM.
 */
int lull_bellman_load(const struct lull_bellman *file, unsigned int nr_arrays,
		      const struct lull_reader *reader,
		      struct lull_workers *workers, struct lull_arena *arena,
		      struct lull_bellman_points *ret_points,
		      struct lull_error *reterr);

/**
 * lull_bellman_key_create - load a file and make a key of it
 * @file: parameters; stays the caller's
 * @path: where they came from, NULL for memory
 * @reader: as lull_bellman_load()
 * @workers: who does the rest
 * @arena: where the key lies
 * @set: the devices
 * @ret_key: owned by the caller; end it with lull_prove_key_destroy()
 * @reterr: filled on failure
 *
 * Return: as lull_bellman_load().
 */
int lull_bellman_key_create(const struct lull_bellman *file, const char *path,
			    const struct lull_reader *reader,
			    struct lull_workers *workers,
			    struct lull_arena *arena, struct lull_set *set,
			    struct lull_key **ret_key,
			    struct lull_error *reterr);

/* lull_prove_key_check() of such a key. */
int lull_bellman_key_check(const struct lull_key *key,
			   struct lull_error *reterr);

/**
 * lull_bellman_write - write a key as parameters, or its verifying key alone
 * @key: any key of BLS12-381
 * @path: appears whole or not at all
 * @vkey_only: no more than the verifying key
 * @reterr: filled on failure
 *
 * The h of a .zkey is brought to powers of tau, which takes n log2 n
 * multiplications of points.
 *
 * Return: LULL_OK, LULL_IO, LULL_NOMEM, LULL_USAGE when @path is the key
 * itself, LULL_UNSUPPORTED for another curve, or LULL_RANGE for a variable that
 * no constraint has, which the format cannot hold.
 */
int lull_bellman_write(const struct lull_key *key, const char *path,
		       bool vkey_only, struct lull_error *reterr);

/**
 * lull_bellman_prove - one partition's proof
 * @workers: the pool
 * @arena: where its secrets lie
 * @key: made by lull_bellman_key_create()
 * @in: see lull_prove_assigned()
 * @opts: flags and progress; not NULL
 * @ret_proof: owned by the caller; end it with lull_proof_free()
 * @reterr: filled on failure
 *
 * Return: as lull_prove_assigned().
 */
int lull_bellman_prove(struct lull_workers *workers, struct lull_arena *arena,
		       const struct lull_key *key,
		       const struct lull_assignment *in,
		       const struct lull_prove_opts *opts,
		       struct lull_proof **ret_proof,
		       struct lull_error *reterr);

/* A proof's plain points in bellman's 192 bytes: LULL_OK, or LULL_RANGE when
 * one is infinity, which they never hold. */
int lull_bellman_put_proof(const struct lull_json_proof *proof,
			   uint8_t out[LULL_BELLMAN_PROOF_BYTES],
			   struct lull_error *reterr);

/**
 * lull_bellman_verify - check proofs of one verifying key together
 * @vkey: of at least LULL_BELLMAN_NR_VKEY arrays
 * @nr_public: without the constant one
 * @proofs: @nr times LULL_BELLMAN_PROOF_BYTES
 * @publics: @nr times @nr_public plain little-endian scalars below r
 * @nr: at least 1
 * @workers: who does it
 * @arena: for memory
 * @reterr: names every partition that is wrong, and why the first is
 *
 * One product of pairings over a random linear combination; only when it is
 * not one is each proof looked at alone.
 *
 * Return: LULL_OK, LULL_INVALID, LULL_IO (getrandom) or LULL_NOMEM.
 */
int lull_bellman_verify(const struct lull_bellman_points *vkey,
			size_t nr_public, const uint8_t *proofs,
			const uint8_t *publics, size_t nr,
			struct lull_workers *workers, struct lull_arena *arena,
			struct lull_error *reterr);

/**
 * lull_bellman_monomial - from snarkjs's basis of H to powers of tau
 * @h: 1 << log2_domain points of section 9 of a .zkey
 * @log2_domain: of the domain's size
 * @workers: who does it
 * @arena: for memory
 * @ret_vec: 1 << log2_domain points tau^i Z(tau) / delta, owned by the caller; the
 *	last is that of a coefficient that no quotient has
 * @reterr: filled on failure
 *
 * Return: LULL_OK or LULL_NOMEM.
 */
int lull_bellman_monomial(const uint8_t *h, unsigned int log2_domain,
			  struct lull_workers *workers,
			  struct lull_arena *arena, struct lull_vec *ret_vec,
			  struct lull_error *reterr);

#endif
