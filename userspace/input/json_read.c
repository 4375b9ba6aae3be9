// SPDX-License-Identifier: Apache-2.0
/*
 * json_read.c - reads proof, public signals and verification key
 *
 * For json.h.  What is accepted:
 *
 *	proof	{"pi_a": G1, "pi_b": G2, "pi_c": G1, "protocol": "groth16",
 *		"curve": name}; rapidsnark leaves the curve out
 *	public	["number", ...]
 *	vkey	{"protocol": "groth16", "curve": name, "nPublic": integer,
 *		"vk_alpha_1": G1, "vk_beta_2": G2, "vk_gamma_2": G2,
 *		"vk_delta_2": G2, "IC": [G1, ...]}, IC of nPublic + 1
 *	G1	[x, y, "1"], or ["0", "1", "0"] for infinity
 *	G2	[[x.c0, x.c1], [y.c0, y.c1], ["1", "0"]], or [["0", "0"],
 *		["1", "0"], ["0", "0"]] for infinity
 *
 * Numbers are canonical decimal strings below q (coordinates) or r (public
 * signals).  Members of other names are ignored; a name that comes twice is
 * refused.
 */
#include "input/json.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"
#include "input/canonical.h"
#include "input/decimal.h"
#include "input/infile.h"

/* A thousand times what a key with 2^16 public signals takes: more is not one
 * of these files, and the parser's memory is a multiple of it. */
#define FILE_BYTES_MAX ((uint64_t)1 << 30)
#define PATH_BYTES 48	 /* "vk_alphabeta_12[1][2][0]", or IC and an index */
#define SHOWN_BYTES 24	 /* of a wrong value, in messages */
#define SYNTAX_BYTES 100 /* of the parser's own message */

/* What is being read, for messages. */
struct source {
	struct lull_infile in;
	struct lull_arena *arena;
	const struct lull_curve_facts *facts;
	struct lull_error *reterr;
};

/* Copies at most @room - 1 characters that print. */
static void show(const char *text, char *ret_shown, size_t room)
{
	size_t i;

	for (i = 0; text[i] && i + 1 < room; i++)
		ret_shown[i] = isprint((unsigned char)text[i]) ? text[i] : '?';
	ret_shown[i] = '\0';
	if (text[i] && i >= 3)
		memcpy(ret_shown + i - 3, "...", 3);
}

/* The path of item @i of the array at @path, cut when it is too long. */
static void item_path(const char *path, size_t i, char ret_item[PATH_BYTES])
{
	if (snprintf(ret_item, PATH_BYTES, "%s[%zu]", path, i) < 0)
		ret_item[0] = '\0';
}

static const char *type_name(const json_t *json)
{
	if (!json)
		return "nothing";
	switch (json_typeof(json)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "a boolean";
	default:
		return "null";
	}
}

static int fail_type(const struct source *src, const char *path,
		     const char *want, const json_t *found)
{
	return lull_fail(src->reterr, LULL_FORMAT,
			 "%s: %s: expected %s, found %s", src->in.name, path,
			 want, type_name(found));
}

static int get_string(const struct source *src, const json_t *json,
		      const char *path, const char **ret_text)
{
	if (!json_is_string(json))
		return fail_type(src, path, "a string", json);
	*ret_text = json_string_value(json);
	return LULL_OK;
}

static int check_array(const struct source *src, const json_t *json,
		       const char *path, size_t nr)
{
	if (!json_is_array(json))
		return fail_type(src, path, "an array", json);
	if (json_array_size(json) != nr)
		return lull_fail(src->reterr, LULL_FORMAT,
				 "%s: %s: expected %zu items, found %zu",
				 src->in.name, path, nr, json_array_size(json));
	return LULL_OK;
}

/* The file at @path is one object or array and nothing else. */
static int load(struct source *src, json_t **ret_json)
{
	char syntax[SYNTAX_BYTES];
	json_error_t error;
	json_t *json;
	int err;

	if (src->in.bytes > FILE_BYTES_MAX)
		return lull_fail(src->reterr, LULL_FORMAT,
				 "%s: expected JSON of at most %llu bytes, "
				 "found %llu",
				 src->in.name,
				 (unsigned long long)FILE_BYTES_MAX,
				 (unsigned long long)src->in.bytes);
	err = lull_infile_need_all(&src->in, src->reterr);
	if (err)
		return err;
	json = json_loadb((const char *)src->in.data, (size_t)src->in.bytes,
			  JSON_REJECT_DUPLICATES, &error);
	if (!json && !error.text[0])
		/* The parser tells of every fault but this one. */
		return lull_fail(src->reterr, LULL_NOMEM,
				 "%s: no memory to parse it", src->in.name);
	if (!json) {
		show(error.text, syntax, sizeof(syntax));
		return lull_fail(src->reterr,
				 json_error_code(&error) ==
						 json_error_out_of_memory
					 ? LULL_NOMEM
					 : LULL_FORMAT,
				 "%s: line %d, column %d: %s", src->in.name,
				 error.line, error.column, syntax);
	}
	*ret_json = json;
	return LULL_OK;
}

/* A canonical decimal string below @prime. */
static int read_number(const struct source *src, const json_t *json,
		       const char *path, const char *prime_name,
		       const uint8_t *prime, size_t bytes, uint8_t *value)
{
	char shown[SHOWN_BYTES];
	const char *text = NULL;
	int err;

	err = get_string(src, json, path, &text);
	if (err)
		return err;
	err = lull_decimal_read(text, json_string_length(json), value, bytes);
	show(text, shown, sizeof(shown));
	if (err == LULL_FORMAT)
		return lull_fail(src->reterr, LULL_FORMAT,
				 "%s: %s: expected a decimal number in its "
				 "shortest form, found \"%s\"",
				 src->in.name, path, shown);
	if (err || !lull_input_below(value, prime, bytes))
		return lull_fail(src->reterr, LULL_RANGE,
				 "%s: %s: expected below %s of %s, found "
				 "\"%s\"",
				 src->in.name, path, prime_name,
				 src->facts->name, shown);
	return LULL_OK;
}

static int read_coordinate(const struct source *src, const json_t *array,
			   size_t i, const char *path, uint8_t *value)
{
	char item[PATH_BYTES];

	item_path(path, i, item);
	return read_number(src, json_array_get(array, i), item, "q",
			   src->facts->fp_prime, src->facts->fp_bytes, value);
}

/* Whether @value is the small number @want. */
static bool is_small(const uint8_t *value, size_t bytes, uint8_t want)
{
	size_t i;

	for (i = 1; i < bytes; i++)
		if (value[i])
			return false;
	return value[0] == want;
}

/* @coordinates are x, y, z, each @nr numbers that fill @ret_point but for z;
 * z must be one, or zero when x is zero and y one. */
static int finish_point(const struct source *src, const char *path,
			const uint8_t *coordinates, size_t nr,
			uint8_t *ret_point)
{
	const size_t bytes = src->facts->fp_bytes, each = nr * bytes;
	const uint8_t *x = coordinates, *y = x + each, *z = y + each;
	bool x_is_zero = is_small(x, each, 0);

	if (is_small(z, each, 0) && x_is_zero && is_small(y, each, 1)) {
		memset(ret_point, 0, 2 * each);
		return LULL_OK;
	}
	if (!is_small(z, each, 1))
		return lull_fail(src->reterr, LULL_FORMAT,
				 "%s: %s[2]: expected %s, the affine form",
				 src->in.name, path,
				 nr == 1 ? "\"1\"" : "[\"1\", \"0\"]");
	/* All zero would be read as infinity, which is spelled otherwise. */
	if (x_is_zero && is_small(y, each, 0))
		return lull_fail(src->reterr, LULL_RANGE,
				 "%s: %s: not a point of the curve",
				 src->in.name, path);
	memcpy(ret_point, coordinates, 2 * each);
	return LULL_OK;
}

static int read_g1(const struct source *src, const json_t *json,
		   const char *path, uint8_t *ret_point)
{
	uint8_t coordinates[3 * LULL_FP_BYTES_MAX];
	size_t i;
	int err;

	err = check_array(src, json, path, 3);
	for (i = 0; !err && i < 3; i++)
		err = read_coordinate(src, json, i, path,
				      coordinates + i * src->facts->fp_bytes);
	if (err)
		return err;
	return finish_point(src, path, coordinates, 1, ret_point);
}

static int read_g2(const struct source *src, const json_t *json,
		   const char *path, uint8_t *ret_point)
{
	uint8_t coordinates[6 * LULL_FP_BYTES_MAX];
	uint8_t *next = coordinates;
	char item[PATH_BYTES];
	const json_t *pair;
	size_t i, j;
	int err;

	err = check_array(src, json, path, 3);
	for (i = 0; !err && i < 3; i++) {
		item_path(path, i, item);
		pair = json_array_get(json, i);
		err = check_array(src, pair, item, 2);
		for (j = 0; !err && j < 2; j++, next += src->facts->fp_bytes)
			err = read_coordinate(src, pair, j, item, next);
	}
	if (err)
		return err;
	return finish_point(src, path, coordinates, 2, ret_point);
}

static int check_protocol(const struct source *src, const json_t *json)
{
	char shown[SHOWN_BYTES];
	const char *text = NULL;
	int err;

	err = get_string(src, json_object_get(json, "protocol"), "protocol",
			 &text);
	if (err || !strcmp(text, "groth16"))
		return err;
	show(text, shown, sizeof(shown));
	return lull_fail(src->reterr, LULL_UNSUPPORTED,
			 "%s: protocol: expected \"groth16\", found \"%s\"",
			 src->in.name, shown);
}

/* The spellings that snarkjs takes, which ignores case and punctuation. */
static const struct lull_curve_facts *curve_by_name(const char *text)
{
	static const char *const also_bn128[] = { "bn254", "altbn128" };
	char plain[SHOWN_BYTES];
	size_t i, nr = 0;

	for (i = 0; text[i]; i++) {
		if (!isalnum((unsigned char)text[i]))
			continue;
		if (nr + 1 == sizeof(plain))
			return NULL;
		plain[nr++] = (char)tolower((unsigned char)text[i]);
	}
	plain[nr] = '\0';
	for (i = 0; i < LULL_ARRAY_SIZE(also_bn128); i++)
		if (!strcmp(plain, also_bn128[i]))
			return lull_curve_facts(LULL_CURVE_BN254);
	return lull_curve_by_json_name(plain);
}

static int read_curve(const struct source *src, const json_t *json,
		      const struct lull_curve_facts **ret_facts)
{
	const struct lull_curve_facts *facts;
	char shown[SHOWN_BYTES];
	const char *text = NULL;
	int err;

	err = get_string(src, json_object_get(json, "curve"), "curve", &text);
	if (err)
		return err;
	facts = curve_by_name(text);
	if (!facts) {
		show(text, shown, sizeof(shown));
		return lull_fail(src->reterr, LULL_UNSUPPORTED,
				 "%s: curve: expected \"bn128\" or "
				 "\"bls12381\", found \"%s\"",
				 src->in.name, shown);
	}
	*ret_facts = facts;
	return LULL_OK;
}

static int check_object(const struct source *src, const json_t *json)
{
	if (!json_is_object(json))
		return fail_type(src, "top level", "an object", json);
	return LULL_OK;
}

static int take_proof(struct source *src, const json_t *json, void *ret)
{
	const struct lull_curve_facts *facts = src->facts;
	struct lull_json_proof *proof = ret;
	int err;

	err = check_object(src, json);
	if (!err)
		err = check_protocol(src, json);
	if (!err && json_object_get(json, "curve"))
		err = read_curve(src, json, &facts);
	if (err)
		return err;
	if (facts->id != src->facts->id)
		return lull_fail(src->reterr, LULL_MISMATCH,
				 "%s: curve: expected that of the key, %s, "
				 "found %s",
				 src->in.name, src->facts->name, facts->name);
	proof->curve = facts->id;
	err = read_g1(src, json_object_get(json, "pi_a"), "pi_a", proof->a);
	if (!err)
		err = read_g2(src, json_object_get(json, "pi_b"), "pi_b",
			      proof->b);
	if (!err)
		err = read_g1(src, json_object_get(json, "pi_c"), "pi_c",
			      proof->c);
	return err;
}

static int take_public(struct source *src, const json_t *json, void *ret)
{
	struct lull_json_public *public = ret;
	char path[PATH_BYTES];
	size_t i;
	int err;

	if (!json_is_array(json))
		return fail_type(src, "top level", "an array", json);
	public->nr = json_array_size(json);
	if (!public->nr)
		return LULL_OK;
	err = lull_arena_carve(src->arena, public->nr * LULL_FR_BYTES, 0,
			       src->in.name, &public->vec, src->reterr);
	if (err)
		return err;
	public->values = public->vec.ptr;
	for (i = 0; i < public->nr; i++) {
		item_path("", i, path);
		err = read_number(src, json_array_get(json, i), path, "r",
				  src->facts->fr_prime, LULL_FR_BYTES,
				  public->values + i * LULL_FR_BYTES);
		if (err)
			return err;
	}
	return LULL_OK;
}

static int read_nr_public(const struct source *src, const json_t *json,
			  uint32_t *ret_nr)
{
	const json_t *number = json_object_get(json, "nPublic");
	json_int_t value;

	if (!json_is_integer(number))
		return fail_type(src, "nPublic", "an integer", number);
	value = json_integer_value(number);
	/* One less than the format's limit: IC has one more. */
	if (value < 0 || value >= UINT32_MAX)
		return lull_fail(src->reterr, LULL_RANGE,
				 "%s: nPublic: expected below %lu, found %lld",
				 src->in.name, (unsigned long)UINT32_MAX,
				 (long long)value);
	*ret_nr = (uint32_t)value;
	return LULL_OK;
}

static int read_ic(const struct source *src, const json_t *json,
		   struct lull_json_vkey *vkey)
{
	const size_t each = 2 * (size_t)src->facts->fp_bytes;
	const size_t nr = (size_t)vkey->nr_public + 1;
	const json_t *ic = json_object_get(json, "IC");
	char path[PATH_BYTES];
	size_t i;
	int err;

	err = check_array(src, ic, "IC", nr);
	if (err)
		return err;
	err = lull_arena_carve(src->arena, nr * each, 0, src->in.name,
			       &vkey->vec, src->reterr);
	if (err)
		return err;
	vkey->ic = vkey->vec.ptr;
	for (i = 0; i < nr; i++) {
		item_path("IC", i, path);
		err = read_g1(src, json_array_get(ic, i), path,
			      vkey->ic + i * each);
		if (err)
			return err;
	}
	return LULL_OK;
}

static int take_vkey(struct source *src, const json_t *json, void *ret)
{
	struct lull_json_vkey *vkey = ret;
	const struct {
		const char *name;
		uint8_t *point;
	} points[] = {
		{ "vk_beta_2", vkey->beta2 },
		{ "vk_gamma_2", vkey->gamma2 },
		{ "vk_delta_2", vkey->delta2 },
	};
	size_t i;
	int err;

	err = check_object(src, json);
	if (!err)
		err = check_protocol(src, json);
	if (!err)
		err = read_curve(src, json, &src->facts);
	if (!err)
		err = read_nr_public(src, json, &vkey->nr_public);
	if (err)
		return err;
	vkey->curve = src->facts->id;
	err = read_g1(src, json_object_get(json, "vk_alpha_1"), "vk_alpha_1",
		      vkey->alpha1);
	for (i = 0; !err && i < LULL_ARRAY_SIZE(points); i++)
		err = read_g2(src, json_object_get(json, points[i].name),
			      points[i].name, points[i].point);
	if (err)
		return err;
	return read_ic(src, json, vkey);
}

/* Has @take make *ret of what is read; ends src->in. */
static int parse(struct source *src,
		 int (*take)(struct source *src, const json_t *json, void *ret),
		 void *ret)
{
	json_t *json = NULL;
	int err = load(src, &json);

	if (!err)
		err = take(src, json, ret);
	json_decref(json);
	lull_infile_close(&src->in);
	return err;
}

static int read_proof(struct source *src, struct lull_json_proof *ret_proof)
{
	struct lull_json_proof proof = { 0 };
	int err = parse(src, take_proof, &proof);

	if (!err)
		*ret_proof = proof;
	return err;
}

static int read_public(struct source *src, struct lull_json_public *ret_public)
{
	struct lull_json_public public = { 0 };
	int err = parse(src, take_public, &public);

	if (err)
		lull_json_public_done(&public);
	else
		*ret_public = public;
	return err;
}

static int read_vkey(struct source *src, struct lull_json_vkey *ret_vkey)
{
	struct lull_json_vkey vkey = { 0 };
	int err = parse(src, take_vkey, &vkey);

	if (err)
		lull_json_vkey_done(&vkey);
	else
		*ret_vkey = vkey;
	return err;
}

/* Fills @src but for its file. */
static int begin(struct source *src, enum lull_curve curve,
		 struct lull_error *reterr)
{
	*src = (struct source){ .facts = lull_curve_facts(curve),
				.reterr = reterr };
	if (!src->facts)
		return lull_fail(reterr, LULL_USAGE, "no curve has number %d",
				 (int)curve);
	return LULL_OK;
}

int lull_json_read_proof(const char *path, enum lull_curve curve,
			 struct lull_json_proof *ret_proof,
			 struct lull_error *reterr)
{
	struct source src;
	int err;

	err = begin(&src, curve, reterr);
	if (!err)
		err = lull_infile_open_sparse(path, &src.in, reterr);
	return err ? err : read_proof(&src, ret_proof);
}

int lull_json_read_proof_mem(const void *text, size_t bytes, const char *name,
			     enum lull_curve curve,
			     struct lull_json_proof *ret_proof,
			     struct lull_error *reterr)
{
	struct source src;
	int err;

	err = begin(&src, curve, reterr);
	if (!err)
		err = lull_infile_open_mem(text, bytes, name, &src.in, reterr);
	return err ? err : read_proof(&src, ret_proof);
}

int lull_json_read_public(const char *path, enum lull_curve curve,
			  struct lull_arena *arena,
			  struct lull_json_public *ret_public,
			  struct lull_error *reterr)
{
	struct source src;
	int err;

	err = begin(&src, curve, reterr);
	src.arena = arena;
	if (!err)
		err = lull_infile_open_sparse(path, &src.in, reterr);
	return err ? err : read_public(&src, ret_public);
}

int lull_json_read_public_mem(const void *text, size_t bytes, const char *name,
			      enum lull_curve curve, struct lull_arena *arena,
			      struct lull_json_public *ret_public,
			      struct lull_error *reterr)
{
	struct source src;
	int err;

	err = begin(&src, curve, reterr);
	src.arena = arena;
	if (!err)
		err = lull_infile_open_mem(text, bytes, name, &src.in, reterr);
	return err ? err : read_public(&src, ret_public);
}

void lull_json_public_done(struct lull_json_public *public)
{
	lull_arena_retire(&public->vec);
	*public = (struct lull_json_public){ 0 };
}

int lull_json_read_vkey(const char *path, struct lull_arena *arena,
			struct lull_json_vkey *ret_vkey,
			struct lull_error *reterr)
{
	struct source src = { .arena = arena, .reterr = reterr };
	int err;

	err = lull_infile_open_sparse(path, &src.in, reterr);
	return err ? err : read_vkey(&src, ret_vkey);
}

int lull_json_read_vkey_mem(const void *text, size_t bytes, const char *name,
			    struct lull_arena *arena,
			    struct lull_json_vkey *ret_vkey,
			    struct lull_error *reterr)
{
	struct source src = { .arena = arena, .reterr = reterr };
	int err;

	err = lull_infile_open_mem(text, bytes, name, &src.in, reterr);
	return err ? err : read_vkey(&src, ret_vkey);
}

void lull_json_vkey_done(struct lull_json_vkey *vkey)
{
	lull_arena_retire(&vkey->vec);
	*vkey = (struct lull_json_vkey){ 0 };
}
