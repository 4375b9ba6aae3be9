// SPDX-License-Identifier: Apache-2.0
/*
 * bellman_write.c - writes parameters of a key; see bellman.h
 *
 * Refuses what the format cannot hold: a private variable that no constraint
 * has (bellman's own generator refuses such a circuit) and an input whose A is
 * infinity, which a circuit's own row for each input excludes.
 */
#include <endian.h>
#include <inttypes.h>

#include "base/base.h"
#include "base/error.h"
#include "input/outfile.h"
#include "prove/bellman.h"

#define BUFFER_BYTES ((size_t)1 << 16)

/* Parameters on their way out. */
struct writing {
	const struct lull_key *key;
	struct lull_outfile out;
	uint8_t *buf;
	size_t used;
};

static int put(struct writing *w, const void *data, size_t bytes,
	       struct lull_error *reterr)
{
	int err;

	if (w->used + bytes > BUFFER_BYTES) {
		err = lull_outfile_write(&w->out, w->buf, w->used, reterr);
		if (err)
			return err;
		w->used = 0;
	}
	memcpy(w->buf + w->used, data, bytes);
	w->used += bytes;
	return LULL_OK;
}

static int put_count(struct writing *w, size_t nr, struct lull_error *reterr)
{
	uint32_t count = htobe32((uint32_t)nr);

	return put(w, &count, sizeof(count), reterr);
}

static int put_point(struct writing *w, const uint8_t *point,
		     unsigned int nr_coords, struct lull_error *reterr)
{
	uint8_t plain[LULL_BELLMAN_POINT_BYTES_MAX];
	uint8_t bytes[LULL_BELLMAN_POINT_BYTES_MAX];
	size_t each = (size_t)nr_coords * LULL_BELLMAN_FP_BYTES;

	memcpy(plain, point, each);
	lull_bellman_from_mont(plain, nr_coords);
	lull_bellman_put_point(plain, nr_coords, bytes);
	return put(w, bytes, each, reterr);
}

/* Refuses infinity among points that the format cannot leave out. */
static int check_all(const struct lull_key *key, enum lull_bellman_array array,
		     const uint8_t *points, size_t nr,
		     struct lull_error *reterr)
{
	const size_t each = lull_bellman_point_bytes(array);
	size_t i;

	for (i = 0; i < nr; i++)
		if (lull_is_zero(points + i * each, each))
			return lull_fail(reterr, LULL_RANGE,
					 "%s: %s: point %zu is infinity, which "
					 "parameters of bellman cannot hold: "
					 "no constraint has its variable",
					 key->file.parts.name,
					 lull_bellman_name(array), i);
	return LULL_OK;
}

static int put_all(struct writing *w, enum lull_bellman_array array,
		   const uint8_t *points, size_t nr, struct lull_error *reterr)
{
	const size_t each = lull_bellman_point_bytes(array);
	size_t i;
	int err = LULL_OK;

	for (i = 0; !err && i < nr; i++)
		err = put_point(w, points + i * each,
				lull_bellman_coords(array), reterr);
	return err;
}

/* A number of points and those of them that are not infinity; the first
 * @nr_full are not. */
static int put_dense(struct writing *w, enum lull_bellman_array array,
		     const uint8_t *points, size_t nr, size_t nr_full,
		     struct lull_error *reterr)
{
	const size_t each = lull_bellman_point_bytes(array);
	size_t i, nr_dense = 0;
	int err;

	for (i = nr_full; i < nr; i++)
		nr_dense += !lull_is_zero(points + i * each, each);
	err = put_count(w, nr_full + nr_dense, reterr);
	if (!err)
		err = put_all(w, array, points, nr_full, reterr);
	for (i = nr_full; !err && i < nr; i++)
		if (!lull_is_zero(points + i * each, each))
			err = put_point(w, points + i * each,
					lull_bellman_coords(array), reterr);
	return err;
}

static int put_counted(struct writing *w, enum lull_bellman_array array,
		       const uint8_t *points, size_t nr,
		       struct lull_error *reterr)
{
	return put_dense(w, array, points, nr, nr, reterr);
}

static int put_vkey(struct writing *w, struct lull_error *reterr)
{
	const struct lull_parts *z = &w->key->file.parts;
	const uint8_t *const points[] = { z->alpha1, z->beta1,	z->beta2,
					  z->gamma2, z->delta1, z->delta2 };
	unsigned int array;
	int err = LULL_OK;

	for (array = 0; !err && array < LULL_ARRAY_SIZE(points); array++)
		err = put_all(w, array, points[array], 1, reterr);
	if (err)
		return err;
	return put_counted(w, LULL_BELLMAN_IC, z->ic, z->nr_public + (size_t)1,
			   reterr);
}

/* What the format holds whole, before anything is written of it. */
static int check_vkey(const struct lull_key *key, struct lull_error *reterr)
{
	return check_all(key, LULL_BELLMAN_IC, key->file.parts.ic,
			 key->file.parts.nr_public + (size_t)1, reterr);
}

/* One variable has both its points in G1 and in G2, or neither. */
static int check_b(const struct lull_key *key, struct lull_error *reterr)
{
	const struct lull_parts *z = &key->file.parts;
	const size_t g1 = lull_bellman_point_bytes(LULL_BELLMAN_B_G1);
	const size_t g2 = lull_bellman_point_bytes(LULL_BELLMAN_B_G2);
	size_t i;

	for (i = 0; i < z->nr_vars; i++)
		if (lull_is_zero(z->b1 + i * g1, g1) !=
		    lull_is_zero(z->b2 + i * g2, g2))
			return lull_fail(reterr, LULL_RANGE,
					 "%s: B1 and B2: one of the points of "
					 "variable %zu is infinity, the other "
					 "is not",
					 z->name, i);
	return LULL_OK;
}

static int check_params(const struct lull_key *key, struct lull_error *reterr)
{
	const struct lull_parts *z = &key->file.parts;
	size_t nr_inputs = z->nr_public + (size_t)1;
	int err;

	err = check_all(key, LULL_BELLMAN_L, z->l, z->nr_vars - nr_inputs,
			reterr);
	if (!err)
		err = check_all(key, LULL_BELLMAN_A, z->a, nr_inputs, reterr);
	if (!err && !key->assigned)
		err = check_b(key, reterr);
	return err;
}

static int put_h(struct writing *w, struct lull_error *reterr)
{
	const struct lull_key *key = w->key;
	const struct lull_parts *z = &key->file.parts;
	struct lull_vec h;
	int err;

	if (key->assigned)
		return put_counted(w, LULL_BELLMAN_H, z->h, z->domain_size - 1,
				   reterr);
	err = lull_bellman_monomial(z->h, z->log2_domain, key->workers,
				    key->arena, &h, reterr);
	if (err)
		return err;
	err = put_counted(w, LULL_BELLMAN_H, h.ptr, z->domain_size - 1, reterr);
	lull_arena_retire(&h);
	return err;
}

static int put_params(struct writing *w, struct lull_error *reterr)
{
	const struct lull_key *key = w->key;
	const struct lull_parts *z = &key->file.parts;
	size_t nr_inputs = z->nr_public + (size_t)1;
	size_t nr_a = key->assigned ? key->nr_a : z->nr_vars;
	size_t nr_b = key->assigned ? key->nr_b : z->nr_vars;
	int err;

	err = put_h(w, reterr);
	if (!err)
		err = put_counted(w, LULL_BELLMAN_L, z->l,
				  z->nr_vars - nr_inputs, reterr);
	if (!err)
		err = put_dense(w, LULL_BELLMAN_A, z->a, nr_a, nr_inputs,
				reterr);
	if (!err)
		err = put_dense(w, LULL_BELLMAN_B_G1, z->b1, nr_b, 0, reterr);
	if (!err)
		err = put_dense(w, LULL_BELLMAN_B_G2, z->b2, nr_b, 0, reterr);
	return err;
}

static int write_open(struct writing *w, bool vkey_only,
		      struct lull_error *reterr)
{
	struct lull_vec buf;
	int err;

	err = lull_arena_carve(w->key->arena, BUFFER_BYTES, 0,
			       "a file to be written", &buf, reterr);
	if (err)
		return err;
	w->buf = buf.ptr;
	err = put_vkey(w, reterr);
	if (!err && !vkey_only)
		err = put_params(w, reterr);
	if (!err)
		err = lull_outfile_write(&w->out, w->buf, w->used, reterr);
	lull_arena_retire(&buf);
	return err;
}

int lull_bellman_write(const struct lull_key *key, const char *path,
		       bool vkey_only, struct lull_error *reterr)
{
	struct writing w = { .key = key, .out = LULL_OUTFILE_EMPTY };
	const struct lull_parts *z = &key->file.parts;
	int err;

	if (z->curve != LULL_CURVE_BLS12_381)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "%s: parameters of bellman: expected a key of "
				 "BLS12-381, found one of %s",
				 z->name, z->facts->name);
	if (z->folded)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "%s: parameters of bellman: expected a key "
				 "whose L is the circuit's, found one into which "
				 "C is folded",
				 z->name);
	if (key->path && lull_outfile_same(path, key->path))
		return lull_fail(reterr, LULL_USAGE,
				 "%s: the output is the key itself",
				 z->name);
	err = check_vkey(key, reterr);
	if (!err && !vkey_only)
		err = check_params(key, reterr);
	if (!err)
		err = lull_outfile_open(path, 0, &w.out, reterr);
	if (!err)
		err = write_open(&w, vkey_only, reterr);
	if (!err)
		err = lull_outfile_commit(&w.out, 1, reterr);
	lull_outfile_discard(&w.out);
	return err;
}
