// SPDX-License-Identifier: Apache-2.0
/*
 * zkey.c - parses a Groth16 proving key; see zkey.h
 *
 * The container is binfile.c's, magic "zkey", version 1.  Its sections, in any
 * order (raw keys have 1 2 4 3 9 8 5 6 7 10), all little-endian:
 *
 *	1	u32 protocol: 1 groth16, 2 plonk, 10 fflonk
 *	2	u32 n8q, q[n8q], u32 n8r, r[n8r], u32 nVars, u32 nPublic, u32
 *		domainSize, then the points alpha1 G1, beta1 G1, beta2 G2,
 *		gamma2 G2, delta1 G1, delta2 G2
 *	3	IC: nPublic + 1 of G1
 *	4	u32 nCoefs, then for each u32 matrix (0 A, 1 B), u32 constraint,
 *		u32 signal and the value, n8r bytes: coefficient * R^2 mod r
 *	5	A: nVars of G1
 *	6	B1: nVars of G1
 *	7	B2: nVars of G2
 *	8	C: nVars - nPublic - 1 of G1
 *	9	H: domainSize of G1
 *	10	csHash[64], u32 n, then n contributions: deltaAfter G1, g1_s G1,
 *		g1_sx G1, g2_spx G2, transcript[64], u32 type, u32 length,
 *		parameters[length]
 *	0x6c6c756c	ours: the key is for tests, its trapdoor is known
 *
 * A G1 point is x, y and a G2 point x.c0, x.c1, y.c0, y.c1, each n8q bytes in
 * Montgomery form; infinity is all zero.  Sections are found at odd addresses:
 * nothing here assumes an alignment.
 */
#include "input/zkey.h"

#include <inttypes.h>

#include "base/base.h"
#include "base/error.h"
#include "input/canonical.h"

#define PROTOCOL_PLONK 2
#define PROTOCOL_FFLONK 10
#define DOMAIN_SIZE_MIN 2 /* snarkjs's own formula gives no less */
#define COEFS_OFFSET 4	  /* behind nCoefs */
#define HASH_BYTES 64	  /* Blake2b-512 */

/* Points in the header and in one contribution, for their sizes. */
#define HEADER_G1 3
#define HEADER_G2 3
#define CONTRIBUTION_G1 3
#define CONTRIBUTION_G2 1

static const char *const section_names[] = {
	[LULL_ZKEY_PROTOCOL] = "protocol",
	[LULL_ZKEY_HEADER] = "header",
	[LULL_ZKEY_IC] = "IC",
	[LULL_ZKEY_COEFS] = "coefficients",
	[LULL_ZKEY_A] = "points of A",
	[LULL_ZKEY_B1] = "points of B1",
	[LULL_ZKEY_B2] = "points of B2",
	[LULL_ZKEY_C] = "points of C",
	[LULL_ZKEY_H] = "points of H",
	[LULL_ZKEY_CONTRIBUTIONS] = "contributions",
};

static const struct lull_binfile_kind kind = {
	.magic = "zkey",
	.version = LULL_ZKEY_VERSION,
	.nr_names = LULL_ARRAY_SIZE(section_names),
	.names = section_names,
};

static uint64_t g1_bytes(const struct lull_zkey *key)
{
	return 2 * (uint64_t)key->facts->fp_bytes;
}

static uint64_t g2_bytes(const struct lull_zkey *key)
{
	return 4 * (uint64_t)key->facts->fp_bytes;
}

static int check_protocol(const struct lull_zkey *key,
			  struct lull_error *reterr)
{
	struct lull_binfile_reader reader = { .file = &key->file };
	const char *name = "unknown";
	uint32_t protocol;
	int err;

	err = lull_binfile_section(&key->file, LULL_ZKEY_PROTOCOL,
				   &reader.section, reterr);
	if (!err)
		err = lull_binfile_expect(&key->file, reader.section, 1,
					  sizeof(protocol), 0, reterr);
	if (!err)
		err = lull_binfile_take_u32(&reader, "protocol", &protocol,
					    reterr);
	if (err)
		return err;
	if (protocol == LULL_ZKEY_GROTH16)
		return LULL_OK;
	if (protocol == PROTOCOL_PLONK)
		name = "plonk";
	else if (protocol == PROTOCOL_FFLONK)
		name = "fflonk";
	return lull_binfile_fail(&key->file, LULL_ZKEY_PROTOCOL,
				 reader.section->offset, reterr,
				 LULL_UNSUPPORTED,
				 "expected protocol %u (groth16), found "
				 "%" PRIu32 " (%s)",
				 LULL_ZKEY_GROTH16, protocol, name);
}

static int read_primes(struct lull_zkey *key,
		       struct lull_binfile_reader *reader,
		       struct lull_error *reterr)
{
	const struct lull_curve_facts *of_q, *of_r;
	int err;

	err = lull_binfile_take_prime(reader, "q", &of_q, reterr);
	if (err)
		return err;
	err = lull_binfile_take_prime(reader, "r", &of_r, reterr);
	if (err)
		return err;
	if (of_q->id != of_r->id)
		return lull_binfile_fail(&key->file, LULL_ZKEY_HEADER,
					 reader->section->offset, reterr,
					 LULL_MISMATCH,
					 "q is the prime of %s, r that of %s",
					 of_q->name, of_r->name);
	key->facts = of_q;
	key->curve = of_q->id;
	return LULL_OK;
}

static int read_sizes(struct lull_zkey *key, struct lull_binfile_reader *reader,
		      struct lull_error *reterr)
{
	int err;

	err = lull_binfile_take_u32(reader, "nVars", &key->nr_vars, reterr);
	if (err)
		return err;
	err = lull_binfile_take_u32(reader, "nPublic", &key->nr_public, reterr);
	if (err)
		return err;
	return lull_binfile_take_u32(reader, "domainSize", &key->domain_size,
				     reterr);
}

/* @offset is that of nVars; nPublic and domainSize follow it. */
static int check_sizes(struct lull_zkey *key, uint64_t offset,
		       struct lull_error *reterr)
{
	const struct lull_binfile *file = &key->file;
	uint64_t public_at = offset + sizeof(key->nr_vars);
	uint64_t domain_at = public_at + sizeof(key->nr_public);
	uint32_t n = key->domain_size;

	if (key->nr_public >= key->nr_vars)
		return lull_binfile_fail(
			file, LULL_ZKEY_HEADER, public_at, reterr, LULL_RANGE,
			"nPublic: expected less than nVars %" PRIu32
			", found %" PRIu32,
			key->nr_vars, key->nr_public);
	if (n < DOMAIN_SIZE_MIN || n & (n - 1))
		return lull_binfile_fail(
			file, LULL_ZKEY_HEADER, domain_at, reterr, LULL_RANGE,
			"domainSize: expected a power of two, at least "
			"%u, found %" PRIu32,
			DOMAIN_SIZE_MIN, n);
	key->log2_domain = (unsigned int)__builtin_ctz(n);
	if (key->log2_domain > key->facts->two_adicity)
		return lull_binfile_fail(
			file, LULL_ZKEY_HEADER, domain_at, reterr, LULL_RANGE,
			"domainSize: expected at most 2^%u, the limit "
			"of %s, found 2^%u",
			key->facts->two_adicity, key->facts->name,
			key->log2_domain);
	if (n <= key->nr_public)
		return lull_binfile_fail(
			file, LULL_ZKEY_HEADER, domain_at, reterr, LULL_RANGE,
			"domainSize: expected more than nPublic %" PRIu32
			", found %" PRIu32,
			key->nr_public, n);
	return LULL_OK;
}

static void find_header_points(struct lull_zkey *key, const uint8_t *p)
{
	key->alpha1 = p;
	key->beta1 = key->alpha1 + g1_bytes(key);
	key->beta2 = key->beta1 + g1_bytes(key);
	key->gamma2 = key->beta2 + g2_bytes(key);
	key->delta1 = key->gamma2 + g2_bytes(key);
	key->delta2 = key->delta1 + g1_bytes(key);
}

static int read_header(struct lull_zkey *key, struct lull_error *reterr)
{
	struct lull_binfile_reader reader = { .file = &key->file };
	const uint8_t *points = NULL;
	uint64_t sizes_at, bytes;
	int err;

	err = lull_binfile_section(&key->file, LULL_ZKEY_HEADER,
				   &reader.section, reterr);
	if (err)
		return err;
	err = read_primes(key, &reader, reterr);
	if (err)
		return err;
	sizes_at = reader.section->offset + reader.pos;
	err = read_sizes(key, &reader, reterr);
	if (err)
		return err;
	bytes = HEADER_G1 * g1_bytes(key) + HEADER_G2 * g2_bytes(key);
	err = lull_binfile_expect(&key->file, reader.section, 1, bytes,
				  reader.pos, reterr);
	if (!err)
		err = lull_binfile_take(&reader, bytes, "points", &points,
					reterr);
	if (err)
		return err;
	find_header_points(key, points);
	return check_sizes(key, sizes_at, reterr);
}

static int find_array(const struct lull_zkey *key, uint32_t type, uint64_t nr,
		      uint64_t each, const uint8_t **ret_data,
		      struct lull_error *reterr)
{
	const struct lull_binfile_section *section;
	int err;

	err = lull_binfile_section(&key->file, type, &section, reterr);
	if (err)
		return err;
	err = lull_binfile_expect(&key->file, section, nr, each, 0, reterr);
	if (err)
		return err;
	*ret_data = section->data;
	return LULL_OK;
}

static int find_arrays(struct lull_zkey *key, struct lull_error *reterr)
{
	const uint64_t g1 = g1_bytes(key), g2 = g2_bytes(key);
	const uint64_t nr_ic = (uint64_t)key->nr_public + 1;
	const struct {
		uint32_t type;
		uint64_t nr, each;
		const uint8_t **data;
	} arrays[] = {
		{ LULL_ZKEY_IC, nr_ic, g1, &key->ic },
		{ LULL_ZKEY_A, key->nr_vars, g1, &key->a },
		{ LULL_ZKEY_B1, key->nr_vars, g1, &key->b1 },
		{ LULL_ZKEY_B2, key->nr_vars, g2, &key->b2 },
		{ LULL_ZKEY_C, key->nr_vars - nr_ic, g1, &key->c },
		{ LULL_ZKEY_H, key->domain_size, g1, &key->h },
	};
	size_t i;
	int err;

	for (i = 0; i < LULL_ARRAY_SIZE(arrays); i++) {
		err = find_array(key, arrays[i].type, arrays[i].nr,
				 arrays[i].each, arrays[i].data, reterr);
		if (err)
			return err;
	}
	return LULL_OK;
}

static int find_coefs(struct lull_zkey *key, struct lull_error *reterr)
{
	struct lull_binfile_reader reader = { .file = &key->file };
	int err;

	err = lull_binfile_section(&key->file, LULL_ZKEY_COEFS, &reader.section,
				   reterr);
	if (err)
		return err;
	err = lull_binfile_take_u32(&reader, "nCoefs", &key->nr_coefs, reterr);
	if (err)
		return err;
	err = lull_binfile_expect(&key->file, reader.section, key->nr_coefs,
				  LULL_ZKEY_COEF_BYTES, COEFS_OFFSET, reterr);
	if (err)
		return err;
	key->coefs = reader.section->data + COEFS_OFFSET;
	return LULL_OK;
}

static int skip_contribution(const struct lull_zkey *key,
			     struct lull_binfile_reader *reader,
			     struct lull_error *reterr)
{
	const uint64_t fixed = CONTRIBUTION_G1 * g1_bytes(key) +
			       CONTRIBUTION_G2 * g2_bytes(key) + HASH_BYTES;
	uint32_t type, length;
	int err;

	err = lull_binfile_skip(reader, fixed, "contribution", reterr);
	if (err)
		return err;
	err = lull_binfile_take_u32(reader, "type of a contribution", &type,
				    reterr);
	if (err)
		return err;
	err = lull_binfile_take_u32(reader, "size of parameters", &length,
				    reterr);
	if (err)
		return err;
	return lull_binfile_skip(reader, length, "parameters", reterr);
}

/* Proving needs none of this section, so its absence is no fault; what is
 * there must be whole, or the file was damaged. */
static int count_contributions(struct lull_zkey *key, struct lull_error *reterr)
{
	struct lull_binfile_reader reader = { .file = &key->file };
	uint32_t i;
	int err;

	reader.section = lull_binfile_find(&key->file, LULL_ZKEY_CONTRIBUTIONS);
	if (!reader.section)
		return LULL_OK;
	err = lull_binfile_skip(&reader, HASH_BYTES, "csHash", reterr);
	if (err)
		return err;
	err = lull_binfile_take_u32(&reader, "number of contributions",
				    &key->nr_contributions, reterr);
	if (err)
		return err;
	for (i = 0; i < key->nr_contributions; i++) {
		err = skip_contribution(key, &reader, reterr);
		if (err)
			return err;
	}
	return lull_binfile_expect(&key->file, reader.section, 0, 0, reader.pos,
				   reterr);
}

static int fail_coef(const struct lull_zkey *key, const uint8_t *p, uint32_t i,
		     struct lull_error *reterr)
{
	uint32_t matrix = lull_load_u32(p + LULL_ZKEY_COEF_MATRIX);
	uint32_t row = lull_load_u32(p + LULL_ZKEY_COEF_CONSTRAINT);
	uint32_t signal = lull_load_u32(p + LULL_ZKEY_COEF_SIGNAL);
	uint64_t offset = lull_zkey_offset(key, key->coefs) +
			  (uint64_t)i * LULL_ZKEY_COEF_BYTES;
	const struct lull_binfile *file = &key->file;

	if (matrix > 1)
		return lull_binfile_fail(
			file, LULL_ZKEY_COEFS, offset + LULL_ZKEY_COEF_MATRIX,
			reterr, LULL_RANGE,
			"coefficient %" PRIu32 ": matrix: expected 0 or 1, "
			"found %" PRIu32,
			i, matrix);
	if (row >= key->domain_size)
		return lull_binfile_fail(
			file, LULL_ZKEY_COEFS,
			offset + LULL_ZKEY_COEF_CONSTRAINT, reterr, LULL_RANGE,
			"coefficient %" PRIu32 ": constraint: expected below "
			"%" PRIu32 ", found %" PRIu32,
			i, key->domain_size, row);
	if (signal >= key->nr_vars)
		return lull_binfile_fail(
			file, LULL_ZKEY_COEFS, offset + LULL_ZKEY_COEF_SIGNAL,
			reterr, LULL_RANGE,
			"coefficient %" PRIu32 ": signal: expected below "
			"%" PRIu32 ", found %" PRIu32,
			i, key->nr_vars, signal);
	return lull_binfile_fail(file, LULL_ZKEY_COEFS,
				 offset + LULL_ZKEY_COEF_VALUE, reterr,
				 LULL_RANGE,
				 "coefficient %" PRIu32 ": value: expected "
				 "below r of %s",
				 i, key->facts->name);
}

int lull_zkey_check_coefs(const struct lull_zkey *key, const uint8_t *coefs,
			  uint32_t first, uint32_t last, bool *ret_sorted,
			  struct lull_error *reterr)
{
	const uint32_t nr_rows = key->domain_size, nr_vars = key->nr_vars;
	const uint8_t *prime = key->facts->fr_prime, *p = coefs;
	uint32_t i, row, before = 0;
	bool sorted = true;

	LULL_ASSERT(first <= last && last <= key->nr_coefs);
	if (first && first < last)
		before = lull_load_u32(p - LULL_ZKEY_COEF_BYTES +
				       LULL_ZKEY_COEF_CONSTRAINT);
	for (i = first; i < last; i++, p += LULL_ZKEY_COEF_BYTES) {
		row = lull_load_u32(p + LULL_ZKEY_COEF_CONSTRAINT);
		if (lull_unlikely(lull_load_u32(p + LULL_ZKEY_COEF_MATRIX) >
					  1 ||
				  row >= nr_rows ||
				  lull_load_u32(p + LULL_ZKEY_COEF_SIGNAL) >=
					  nr_vars ||
				  !lull_input_below(p + LULL_ZKEY_COEF_VALUE,
						    prime, LULL_FR_BYTES)))
			return fail_coef(key, p, i, reterr);
		sorted &= row >= before;
		before = row;
	}
	if (ret_sorted)
		*ret_sorted = sorted;
	return LULL_OK;
}

static int parse(struct lull_zkey *key, unsigned int flags,
		 struct lull_error *reterr)
{
	int err;

	err = check_protocol(key, reterr);
	if (err)
		return err;
	err = read_header(key, reterr);
	if (err)
		return err;
	err = find_arrays(key, reterr);
	if (err)
		return err;
	err = find_coefs(key, reterr);
	if (err)
		return err;
	err = count_contributions(key, reterr);
	if (err)
		return err;
	if (lull_binfile_find(&key->file, LULL_ZKEY_TOXIC)) {
		key->toxic = true;
		key->toxic_text = LULL_ZKEY_TOXIC_TEXT;
	}
	if (flags & LULL_ZKEY_DEFER_COEFS)
		return LULL_OK;
	return lull_zkey_check_coefs(key, key->coefs, 0, key->nr_coefs,
				     &key->coefs_sorted, reterr);
}

/* Ends @key's file when it fails. */
static int finish(struct lull_zkey *key, unsigned int flags,
		  struct lull_zkey *ret_key, struct lull_error *reterr)
{
	int err;

	err = parse(key, flags, reterr);
	if (err) {
		lull_binfile_close(&key->file);
		return err;
	}
	*ret_key = *key;
	return LULL_OK;
}

int lull_zkey_open(const char *path, unsigned int flags,
		   const struct lull_infile_memory *memory,
		   struct lull_zkey *ret_key, struct lull_error *reterr)
{
	struct lull_zkey key = { 0 };
	int err;

	err = lull_binfile_open(path, &kind, memory, &key.file, reterr);
	if (err)
		return err;
	return finish(&key, flags, ret_key, reterr);
}

int lull_zkey_open_sparse(const char *path, struct lull_zkey *ret_key,
			  struct lull_error *reterr)
{
	struct lull_zkey key = { 0 };
	int err;

	err = lull_binfile_open_sparse(path, &kind, &key.file, reterr);
	return err ? err : finish(&key, LULL_ZKEY_DEFER_COEFS, ret_key, reterr);
}

int lull_zkey_open_mem(const void *data, size_t bytes, const char *name,
		       unsigned int flags, struct lull_zkey *ret_key,
		       struct lull_error *reterr)
{
	struct lull_zkey key = { 0 };
	int err;

	err = lull_binfile_open_mem(data, bytes, name, &kind, &key.file,
				    reterr);
	if (err)
		return err;
	return finish(&key, flags, ret_key, reterr);
}

void lull_zkey_close(struct lull_zkey *key)
{
	lull_binfile_close(&key->file);
	*key = (struct lull_zkey){ 0 };
}

void lull_zkey_parts(const struct lull_zkey *key, struct lull_parts *ret_parts)
{
	*ret_parts = (struct lull_parts){
		.base = key->file.in.data,
		.file_bytes = key->file.in.bytes,
		.curve = key->curve,
		.facts = key->facts,
		.nr_vars = key->nr_vars,
		.nr_public = key->nr_public,
		.domain_size = key->domain_size,
		.log2_domain = key->log2_domain,
		.nr_coefs = key->nr_coefs,
		.nr_contributions = key->nr_contributions,
		.toxic = key->toxic,
		.alpha1 = key->alpha1,
		.beta1 = key->beta1,
		.beta2 = key->beta2,
		.gamma2 = key->gamma2,
		.delta1 = key->delta1,
		.delta2 = key->delta2,
		.ic = key->ic,
		.a = key->a,
		.b1 = key->b1,
		.b2 = key->b2,
		.l = key->c,
		.h = key->h,
		.nr_l = key->nr_vars - key->nr_public - (size_t)1,
		.coefs = key->coefs,
	};
	memcpy(ret_parts->name, key->file.in.name, sizeof(ret_parts->name));
}
