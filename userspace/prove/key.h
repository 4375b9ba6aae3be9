/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.h - an open key: its file, checked, and what a backend adds
 */
#ifndef LULL_PROVE_KEY_H
#define LULL_PROVE_KEY_H

#include "backend/set.h"
#include "input/zkey.h"
#include "prove/groth16.h"

struct lull_workers;

/**
 * struct lull_key_part - a key on one device
 * @ops: the curve's table there
 * @attached: the backend's part of the key
 */
struct lull_key_part {
	const struct lull_backend_ops *ops;
	void *attached;
};

/**
 * struct lull_key - see lull_key_open()
 * @zkey: the file
 * @path: where it came from, NULL for memory
 * @groth16: the curve's functions
 * @set: the devices
 * @parts: the key on each of them
 * @usable: whether it could be attached there
 * @workers: of the context that opened it
 * @arena: likewise
 * @assigned: made of bellman's parameters: no circuit, no points at infinity,
 *	@zkey.h of powers of tau, one point less than the domain has rows
 * @nr_a: points of @zkey.a, of an assigned key
 * @nr_b: points of @zkey.b1 and of @zkey.b2, of an assigned key
 * @nr_inf_a: points at infinity per section, counted while checking
 * @nr_inf_b1: as @nr_inf_a
 * @nr_inf_b2: as @nr_inf_a
 * @nr_inf_l: as @nr_inf_a
 */
struct lull_key {
	struct lull_zkey zkey;
	char *path;
	const struct lull_groth16_ops *groth16;
	struct lull_set *set;
	struct lull_key_part parts[LULL_GPUS_MAX + 1];
	bool usable[LULL_GPUS_MAX + 1];
	struct lull_workers *workers;
	struct lull_arena *arena;
	bool assigned;
	size_t nr_a, nr_b;
	size_t nr_inf_a, nr_inf_b1, nr_inf_b2, nr_inf_l;
};

/* Checks an indexed file (opened with LULL_ZKEY_DEFER_COEFS) and attaches it.
 * Takes over *zkey on success and leaves it alone on failure. */
int lull_prove_key_create(struct lull_zkey *zkey, const char *path,
			  struct lull_workers *workers,
			  struct lull_arena *arena, struct lull_set *set,
			  struct lull_key **ret_key, struct lull_error *reterr);

/* Makes a key of checked points of bellman's parameters: @zkey.a has @nr_a of
 * them, b1 and b2 have @nr_b.  As above with *zkey. */
int lull_prove_key_create_assigned(struct lull_zkey *zkey, size_t nr_a,
				   size_t nr_b, const char *path,
				   struct lull_workers *workers,
				   struct lull_arena *arena,
				   struct lull_set *set,
				   struct lull_key **ret_key,
				   struct lull_error *reterr);

/* Takes NULL. */
void lull_prove_key_destroy(struct lull_key *key);

/* Every point's subgroup: LULL_OK or LULL_RANGE. */
int lull_prove_key_check(const struct lull_key *key, struct lull_error *reterr);

/* Writes verification_key.json. */
int lull_prove_key_vkey_write(const struct lull_key *key, const char *path,
			      struct lull_error *reterr);

#endif
