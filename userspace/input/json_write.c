// SPDX-License-Identifier: Apache-2.0
/*
 * json_write.c - writes proof, public signals and verification key
 *
 * For json.h.  The text is what JSON.stringify(value, null, 1) gives, as
 * snarkjs's command writes it: one item a line, one space of indent for each
 * level, ": " behind a key, [] for an empty array and no newline at the end.
 */
#include "input/json.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/base.h"
#include "input/decimal.h"

/* Where text goes; @len counts what does not fit too. */
struct sink {
	char *buf;
	size_t room;
	size_t len;
};

static void put(struct sink *sink, const char *text)
{
	size_t len = strlen(text), fits;

	if (sink->len < sink->room) {
		fits = lull_min(len, sink->room - sink->len);
		memcpy(sink->buf + sink->len, text, fits);
	}
	sink->len += len;
}

/* A new line of @depth levels, after a comma unless it is the @first item. */
static void next_line(struct sink *sink, unsigned int depth, bool first)
{
	put(sink, first ? "\n" : ",\n");
	while (depth--)
		put(sink, " ");
}

static void put_key(struct sink *sink, const char *key, bool first)
{
	next_line(sink, 1, first);
	put(sink, "\"");
	put(sink, key);
	put(sink, "\": ");
}

static void put_text(struct sink *sink, const char *text)
{
	put(sink, "\"");
	put(sink, text);
	put(sink, "\"");
}

static void put_number(struct sink *sink, const uint8_t *value, size_t bytes)
{
	char text[LULL_DECIMAL_TEXT_BYTES(LULL_FP_BYTES_MAX)];

	lull_decimal_write(value, bytes, text);
	put_text(sink, text);
}

static void put_end(struct sink *sink, unsigned int depth, const char *bracket)
{
	next_line(sink, depth, true);
	put(sink, bracket);
}

static bool is_zero(const uint8_t *p, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (p[i])
			return false;
	return true;
}

/* An array whose closing bracket stands at @depth. */
static void put_g1(struct sink *sink, unsigned int depth, const uint8_t *point,
		   size_t bytes)
{
	bool infinity = is_zero(point, 2 * bytes);

	put(sink, "[");
	next_line(sink, depth + 1, true);
	put_number(sink, point, bytes);
	next_line(sink, depth + 1, false);
	if (infinity)
		put_text(sink, "1");
	else
		put_number(sink, point + bytes, bytes);
	next_line(sink, depth + 1, false);
	put_text(sink, infinity ? "0" : "1");
	put_end(sink, depth, "]");
}

static void put_pair(struct sink *sink, unsigned int depth, const uint8_t *c0,
		     const uint8_t *c1, size_t bytes)
{
	put(sink, "[");
	next_line(sink, depth + 1, true);
	put_number(sink, c0, bytes);
	next_line(sink, depth + 1, false);
	put_number(sink, c1, bytes);
	put_end(sink, depth, "]");
}

static void put_g2(struct sink *sink, unsigned int depth, const uint8_t *point,
		   size_t bytes)
{
	static const uint8_t zero[LULL_FP_BYTES_MAX];
	static const uint8_t one[LULL_FP_BYTES_MAX] = { 1 };
	bool infinity = is_zero(point, 4 * bytes);

	put(sink, "[");
	next_line(sink, depth + 1, true);
	put_pair(sink, depth + 1, point, point + bytes, bytes);
	next_line(sink, depth + 1, false);
	if (infinity)
		put_pair(sink, depth + 1, one, zero, bytes);
	else
		put_pair(sink, depth + 1, point + 2 * bytes, point + 3 * bytes,
			 bytes);
	next_line(sink, depth + 1, false);
	put_pair(sink, depth + 1, infinity ? zero : one, zero, bytes);
	put_end(sink, depth, "]");
}

/* e(alpha1, beta2): two of three of two coordinates. */
static void put_g12(struct sink *sink, unsigned int depth, const uint8_t *value,
		    size_t bytes)
{
	unsigned int i, j;

	put(sink, "[");
	for (i = 0; i < 2; i++) {
		next_line(sink, depth + 1, !i);
		put(sink, "[");
		for (j = 0; j < 3; j++, value += 2 * bytes) {
			next_line(sink, depth + 2, !j);
			put_pair(sink, depth + 2, value, value + bytes, bytes);
		}
		put_end(sink, depth + 1, "]");
	}
	put_end(sink, depth, "]");
}

size_t lull_json_write_proof(const struct lull_json_proof *proof, char *buf,
			     size_t buf_bytes)
{
	const struct lull_curve_facts *facts = lull_curve_facts(proof->curve);
	struct sink sink = { .buf = buf, .room = buf_bytes };

	LULL_ASSERT(facts);
	put(&sink, "{");
	put_key(&sink, "pi_a", true);
	put_g1(&sink, 1, proof->a, facts->fp_bytes);
	put_key(&sink, "pi_b", false);
	put_g2(&sink, 1, proof->b, facts->fp_bytes);
	put_key(&sink, "pi_c", false);
	put_g1(&sink, 1, proof->c, facts->fp_bytes);
	put_key(&sink, "protocol", false);
	put_text(&sink, "groth16");
	put_key(&sink, "curve", false);
	put_text(&sink, facts->json_name);
	put_end(&sink, 0, "}");
	return sink.len;
}

size_t lull_json_write_public(const uint8_t *values, size_t nr, char *buf,
			      size_t buf_bytes)
{
	struct sink sink = { .buf = buf, .room = buf_bytes };
	size_t i;

	put(&sink, "[");
	for (i = 0; i < nr; i++) {
		next_line(&sink, 1, !i);
		put_number(&sink, values + i * LULL_FR_BYTES, LULL_FR_BYTES);
	}
	if (nr)
		put_end(&sink, 0, "]");
	else
		put(&sink, "]");
	return sink.len;
}

static void put_vkey_points(struct sink *sink,
			    const struct lull_json_vkey *vkey, size_t bytes)
{
	put_key(sink, "vk_alpha_1", false);
	put_g1(sink, 1, vkey->alpha1, bytes);
	put_key(sink, "vk_beta_2", false);
	put_g2(sink, 1, vkey->beta2, bytes);
	put_key(sink, "vk_gamma_2", false);
	put_g2(sink, 1, vkey->gamma2, bytes);
	put_key(sink, "vk_delta_2", false);
	put_g2(sink, 1, vkey->delta2, bytes);
}

size_t lull_json_write_vkey(const struct lull_json_vkey *vkey,
			    const uint8_t *alphabeta, char *buf,
			    size_t buf_bytes)
{
	const struct lull_curve_facts *facts = lull_curve_facts(vkey->curve);
	struct sink sink = { .buf = buf, .room = buf_bytes };
	const size_t bytes = facts->fp_bytes;
	char nr_public[16]; /* a u32 has at most ten digits */
	size_t i;

	put(&sink, "{");
	put_key(&sink, "protocol", true);
	put_text(&sink, "groth16");
	put_key(&sink, "curve", false);
	put_text(&sink, facts->json_name);
	put_key(&sink, "nPublic", false);
	snprintf(nr_public, sizeof(nr_public), "%" PRIu32, vkey->nr_public);
	put(&sink, nr_public);
	put_vkey_points(&sink, vkey, bytes);
	put_key(&sink, "vk_alphabeta_12", false);
	put_g12(&sink, 1, alphabeta, bytes);
	put_key(&sink, "IC", false);
	put(&sink, "[");
	for (i = 0; i <= vkey->nr_public; i++) {
		next_line(&sink, 2, !i);
		put_g1(&sink, 2, vkey->ic + i * 2 * bytes, bytes);
	}
	put_end(&sink, 1, "]");
	put_end(&sink, 0, "}");
	return sink.len;
}
