/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - proof.json, public.json and verification_key.json
 *
 * Reads what snarkjs and rapidsnark write and writes what snarkjs's command
 * does, byte for byte.  Strict: wrong types, missing or repeated members,
 * numbers that are not canonical decimal strings, coordinates >= q, public
 * values >= r and anything behind the end are refused with file and path.
 * Whether points lie on their curve is the business of curve/.
 *
 * Coordinates here are plain, not Montgomery, little-endian, fp_bytes each:
 * G1 is x, y; G2 is x.c0, x.c1, y.c0, y.c1; infinity is all zero.
 */
#ifndef LULL_INPUT_JSON_H
#define LULL_INPUT_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "curve/facts.h"
#include "arena/arena.h"
#include "lull.h"

#define LULL_JSON_G1_BYTES_MAX (2 * LULL_FP_BYTES_MAX)
#define LULL_JSON_G2_BYTES_MAX (4 * LULL_FP_BYTES_MAX)

/**
 * struct lull_json_proof - a proof, packed without gaps by the curve's fp_bytes
 * @curve: whose points these are
 * @a: G1
 * @b: G2
 * @c: G1
 */
struct lull_json_proof {
	enum lull_curve curve;
	uint8_t a[LULL_JSON_G1_BYTES_MAX];
	uint8_t b[LULL_JSON_G2_BYTES_MAX];
	uint8_t c[LULL_JSON_G1_BYTES_MAX];
};

/**
 * struct lull_json_public - public signals
 * @nr: how many; 0 is valid
 * @values: nr of LULL_FR_BYTES, plain, little-endian; NULL when nr is 0
 * @vec: owns @values
 */
struct lull_json_public {
	size_t nr;
	uint8_t *values;
	struct lull_vec vec;
};

/**
 * struct lull_json_vkey - a verification key
 * @curve: whose points these are
 * @nr_public: public signals
 * @alpha1: G1
 * @beta2: G2
 * @gamma2: G2
 * @delta2: G2
 * @ic: nr_public + 1 of G1, 2 * fp_bytes each
 * @vec: owns @ic of a key that was read
 */
struct lull_json_vkey {
	enum lull_curve curve;
	uint32_t nr_public;
	uint8_t alpha1[LULL_JSON_G1_BYTES_MAX];
	uint8_t beta2[LULL_JSON_G2_BYTES_MAX];
	uint8_t gamma2[LULL_JSON_G2_BYTES_MAX];
	uint8_t delta2[LULL_JSON_G2_BYTES_MAX];
	uint8_t *ic;
	struct lull_vec vec;
};

/**
 * lull_json_read_proof - read proof.json
 * @path: the file
 * @curve: what the verification key says; a proof need not name its curve
 * @ret_proof: the proof, its curve always @curve
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_NOMEM, LULL_FORMAT, LULL_RANGE,
 * LULL_MISMATCH (it names another curve), LULL_UNSUPPORTED (another protocol)
 * or LULL_USAGE.
 */
int lull_json_read_proof(const char *path, enum lull_curve curve,
			 struct lull_json_proof *ret_proof,
			 struct lull_error *reterr);

/**
 * lull_json_read_proof_mem - as lull_json_read_proof(), from memory
 * @text: needs no NUL
 * @bytes: its length
 * @name: what messages call it
 * @curve: what the verification key says
 * @ret_proof: the proof
 * @reterr: filled on failure
 *
 * Return: as lull_json_read_proof(), without LULL_IO.
 */
int lull_json_read_proof_mem(const void *text, size_t bytes, const char *name,
			     enum lull_curve curve,
			     struct lull_json_proof *ret_proof,
			     struct lull_error *reterr);

/**
 * lull_json_read_public - read public.json
 * @path: the file
 * @curve: whose r the values must be below
 * @arena: where its arrays lie
 * @ret_public: owned by the caller; end it with lull_json_public_done()
 * @reterr: filled on failure
 *
 * Any number of values is accepted: compare nr with the verification key.
 *
 * Return: LULL_OK, LULL_IO, LULL_NOMEM, LULL_FORMAT, LULL_RANGE or LULL_USAGE.
 */
int lull_json_read_public(const char *path, enum lull_curve curve,
			  struct lull_arena *arena,
			  struct lull_json_public *ret_public,
			  struct lull_error *reterr);

/**
 * lull_json_read_public_mem - as lull_json_read_public(), from memory
 * @text: needs no NUL
 * @bytes: its length
 * @name: what messages call it
 * @curve: whose r the values must be below
 * @arena: where its arrays lie
 * @ret_public: owned by the caller; end it with lull_json_public_done()
 * @reterr: filled on failure
 *
 * Return: as lull_json_read_public(), without LULL_IO.
 */
int lull_json_read_public_mem(const void *text, size_t bytes, const char *name,
			      enum lull_curve curve, struct lull_arena *arena,
			      struct lull_json_public *ret_public,
			      struct lull_error *reterr);

/**
 * lull_json_public_done - free and empty; an empty one is left alone
 * @public: the values
 */
void lull_json_public_done(struct lull_json_public *public);

/**
 * lull_json_read_vkey - read verification_key.json
 * @path: the file
 * @arena: where its arrays lie
 * @ret_vkey: owned by the caller; end it with lull_json_vkey_done()
 * @reterr: filled on failure
 *
 * vk_alphabeta_12 follows from the rest and is not read.
 *
 * Return: LULL_OK, LULL_IO, LULL_NOMEM, LULL_FORMAT, LULL_RANGE,
 * LULL_UNSUPPORTED (another protocol or curve) or LULL_USAGE.
 */
int lull_json_read_vkey(const char *path, struct lull_arena *arena,
			struct lull_json_vkey *ret_vkey,
			struct lull_error *reterr);

/**
 * lull_json_read_vkey_mem - as lull_json_read_vkey(), from memory
 * @text: needs no NUL
 * @bytes: its length
 * @name: what messages call it
 * @arena: where its arrays lie
 * @ret_vkey: owned by the caller; end it with lull_json_vkey_done()
 * @reterr: filled on failure
 *
 * Return: as lull_json_read_vkey(), without LULL_IO.
 */
int lull_json_read_vkey_mem(const void *text, size_t bytes, const char *name,
			    struct lull_arena *arena,
			    struct lull_json_vkey *ret_vkey,
			    struct lull_error *reterr);

/**
 * lull_json_vkey_done - free and empty; an empty one is left alone
 * @vkey: the key
 */
void lull_json_vkey_done(struct lull_json_vkey *vkey);

/**
 * lull_json_write_proof - write proof.json as snarkjs does
 * @proof: coordinates below q
 * @buf: where to; may be NULL when @buf_bytes is 0
 * @buf_bytes: room there
 *
 * Return: the exact length, without a NUL (none is written).  When that is
 * more than @buf_bytes, @buf holds only the beginning: ask with 0 first.
 */
size_t lull_json_write_proof(const struct lull_json_proof *proof, char *buf,
			     size_t buf_bytes);

/**
 * lull_json_write_public - write public.json as snarkjs does
 * @values: @nr of LULL_FR_BYTES, plain, little-endian
 * @nr: how many; 0 gives "[]"
 * @buf: where to; may be NULL when @buf_bytes is 0
 * @buf_bytes: room there
 *
 * Return: as lull_json_write_proof().
 */
size_t lull_json_write_public(const uint8_t *values, size_t nr, char *buf,
			      size_t buf_bytes);

/**
 * lull_json_write_vkey - write verification_key.json as snarkjs does
 * @vkey: coordinates below q
 * @alphabeta: e(alpha1, beta2): 12 coordinates of fp_bytes, plain,
 *	little-endian, in the order of vk_alphabeta_12 (2 x 3 x 2)
 * @buf: where to; may be NULL when @buf_bytes is 0
 * @buf_bytes: room there
 *
 * Return: as lull_json_write_proof().
 */
size_t lull_json_write_vkey(const struct lull_json_vkey *vkey,
			    const uint8_t *alphabeta, char *buf,
			    size_t buf_bytes);

#endif
