/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.h - an open key: its file, checked, and what a backend adds
 */
#ifndef LULL_PROVE_KEY_H
#define LULL_PROVE_KEY_H

#include "backend/set.h"
#include "input/keyfile.h"
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
 * @file: what it was read from
 * @path: where it came from, NULL for memory
 * @groth16: the curve's functions
 * @set: the devices
 * @parts: the key on each of them
 * @usable: whether it could be attached there
 * @workers: of the context that opened it
 * @arena: likewise
 * @assigned: made of bellman's parameters: no circuit, no points at infinity,
 *	@file.parts.h of powers of tau, one point less than the domain has rows
 * @nr_a: points of @file.parts.a, of an assigned key
 * @nr_b: points of @file.parts.b1 and of @file.parts.b2, of an assigned key
 */
struct lull_key {
	struct lull_keyfile file;
	char *path;
	const struct lull_groth16_ops *groth16;
	struct lull_set *set;
	struct lull_key_part parts[LULL_GPUS_MAX + 1];
	bool usable[LULL_GPUS_MAX + 1];
	struct lull_workers *workers;
	struct lull_arena *arena;
	bool assigned;
	size_t nr_a, nr_b;
};

/* Checks an open file and attaches it.  Takes over *file on success and leaves
 * it alone on failure.  Checks all points but those of a native key that were looked
 * at while it was read (lull_prove_look). */
int lull_prove_key_create(struct lull_keyfile *file, const char *path,
			  struct lull_workers *workers,
			  struct lull_arena *arena, struct lull_set *set,
			  struct lull_key **ret_key, struct lull_error *reterr);

/* Makes a key of checked points of bellman's parameters: @zkey.a has @nr_a of
 * them, b1 and b2 have @nr_b.  As above with *zkey. */
int lull_prove_key_create_assigned(struct lull_keyfile *file, size_t nr_a,
				   size_t nr_b, const char *path,
				   struct lull_workers *workers,
				   struct lull_arena *arena,
				   struct lull_set *set,
				   struct lull_key **ret_key,
				   struct lull_error *reterr);

/* Takes NULL. */
void lull_prove_key_destroy(struct lull_key *key);

/* Every point, and its subgroup: LULL_OK or LULL_RANGE. */
int lull_prove_key_check(const struct lull_key *key, struct lull_error *reterr);

/* Refuses a key that was made of bellman's parameters where a witness is all
 * there is.  LULL_OK or LULL_UNSUPPORTED. */
int lull_prove_key_has_circuit(const struct lull_key *key,
			       struct lull_error *reterr);

/* For those who read native keys. */
extern const struct lull_look lull_prove_look;

/* Says which point of which section, at which offset of the file @name, is
 * wrong.  Returns LULL_RANGE. */
int lull_prove_fail_point(const char *name, unsigned int section,
			  const char *what,
			  const struct lull_points_report *report,
			  uint64_t offset, const struct lull_curve_facts *facts,
			  struct lull_error *reterr);

/* Writes verification_key.json. */
int lull_prove_key_vkey_write(const struct lull_key *key, const char *path,
			      struct lull_error *reterr);

#endif
