// SPDX-License-Identifier: Apache-2.0
/*
 * lkey_head.c - the format of lull's own proving key file, and its head
 *
 * All numbers are little-endian.  The head:
 *
 *	0	magic[4]	"lkey"
 *	4	u32		version: 1
 *	8	u32		flags: 1 folded (C is in L), 2 toxic (the
 *				trapdoor is known: test only)
 *	12	u32		curve: 1 BN254, 2 BLS12-381
 *	16	u32		nVars: wires, the constant one among them
 *	20	u32		nPublic: without the constant one; < nVars
 *	24	u32		log2 of the domain's size n
 *	28	u32		contributions to the ceremony
 *	32	u64		bytes of the file: where the last section ends
 *	40	u32		bytes of a coefficient's number: 1, 2 or 4
 *	44	u32		0
 *	48	digest[16]	of the circuit
 *	64	u32[4]		points at infinity of A, B1, B2 and L
 *	80	0[48]
 *	128	14 sections of 40 bytes: u32 number, u32 0, u64 offset,
 *		u64 bytes, hash[16]
 *	688	0[3392]
 *	4080	hash[16]	of the bytes before it
 *
 * The sections, one behind the other in this order; one of 2 MiB or more
 * begins at a multiple of 2 MiB, a smaller one at a multiple of 4096, and what
 * lies between is not looked at:
 *
 *	2	alpha1 G1, beta1 G1, beta2 G2, gamma2 G2, delta1 G1, delta2 G2
 *	3	IC: nPublic + 1 of G1
 *	4	coefficients: each value once, times 2^512 mod r, 32 bytes,
 *		below r; when numbers have 4 bytes, one for each entry of A
 *		and then of B
 *	5	A: nVars of G1
 *	6	B1: nVars of G1
 *	7	B2: nVars of G2
 *	8	L: nVars - nPublic - 1 of G1; folded nVars
 *	9	H: n of G1
 *	11	A's rows: u32[n + 1], where each begins among A's entries
 *	12	A's columns: u32 for each entry, < nVars
 *	13	A's coefficients: a number for each entry
 *	14-16	the same for B
 *
 * A G1 point is x, y and a G2 point x.c0, x.c1, y.c0, y.c1, in Montgomery
 * form; infinity is all zero.  A hash is XXH3-128 in its canonical form.  That
 * of a section is of the hashes of its pieces of 2 MiB, the last one shorter,
 * written one behind the other: threads read and hash pieces side by side.
 *
 * The counts settle every place and size, so there is one file for a key, and
 * what the table says must be that.
 */
#include "input/lkey_head.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/base.h"
#include "base/error.h"

enum {
	AT_VERSION = 4,
	AT_FLAGS = 8,
	AT_CURVE = 12,
	AT_NR_VARS = 16,
	AT_NR_PUBLIC = 20,
	AT_LOG2_DOMAIN = 24,
	AT_NR_CONTRIBUTIONS = 28,
	AT_FILE_BYTES = 32,
	AT_ID_BYTES = 40,
	AT_ZERO = 44,
	AT_CIRCUIT = 48,
	AT_NR_INF = 64,
	AT_ZEROS = 80,
	AT_SECTIONS = 128,
	SECTION_ZERO = 4,
	SECTION_OFFSET = 8,
	SECTION_SIZE = 16,
	SECTION_HASH = 24,
	SECTION_BYTES = 40,
	AT_MORE_ZEROS = AT_SECTIONS + LULL_LKEY_NR_SECTIONS * SECTION_BYTES,
	AT_HASH = LULL_LKEY_HEAD_BYTES - LULL_HASH_BYTES,
};

#define MAGIC "lkey"
#define MAGIC_BYTES 4
#define SMALL_ALIGN 4096
#define LARGE_ALIGN LULL_ARENA_SLOT_BYTES
/* The domain's size has 32 bits. */
#define LOG2_DOMAIN_MAX 31

static const char *const section_names[LULL_NR_PARTS] = {
	[LULL_PART_HEADER] = "header",
	[LULL_PART_IC] = "IC",
	[LULL_PART_COEFS] = "coefficients",
	[LULL_PART_A] = "points of A",
	[LULL_PART_B1] = "points of B1",
	[LULL_PART_B2] = "points of B2",
	[LULL_PART_L] = "points of L",
	[LULL_PART_H] = "points of H",
	[LULL_PART_ROWS_A] = "rows of A",
	[LULL_PART_ROWS_A + 1] = "columns of A",
	[LULL_PART_ROWS_A + 2] = "coefficients of A",
	[LULL_PART_ROWS_B] = "rows of B",
	[LULL_PART_ROWS_B + 1] = "columns of B",
	[LULL_PART_ROWS_B + 2] = "coefficients of B",
};

/* ---- places ------------------------------------------------------------- */

static void set_sizes(const struct lull_lkey_head *head, uint64_t *bytes)
{
	const uint64_t g1 = 2 * (uint64_t)head->facts->fp_bytes, g2 = 2 * g1;
	unsigned int k;

	memset(bytes, 0, LULL_NR_PARTS * sizeof(*bytes));
	bytes[LULL_PART_HEADER] = 3 * (g1 + g2);
	bytes[LULL_PART_IC] = (head->nr_public + (uint64_t)1) * g1;
	bytes[LULL_PART_COEFS] = head->nr_values * LULL_FR_BYTES;
	bytes[LULL_PART_A] = head->nr_vars * g1;
	bytes[LULL_PART_B1] = head->nr_vars * g1;
	bytes[LULL_PART_B2] = head->nr_vars * g2;
	bytes[LULL_PART_L] = lull_lkey_nr_l(head) * g1;
	bytes[LULL_PART_H] = g1 << head->log2_domain;
	for (k = 0; k < LULL_CSR_MATRICES; k++) {
		uint64_t *rows =
			&bytes[LULL_PART_ROWS_A + k * LULL_LKEY_ROWS_SECTIONS];

		rows[0] = (((uint64_t)1 << head->log2_domain) + 1) *
			  sizeof(uint32_t);
		rows[1] = head->nr_entries[k] * sizeof(uint32_t);
		rows[2] = head->nr_entries[k] * head->id_bytes;
	}
}

void lull_lkey_place(struct lull_lkey_head *head)
{
	uint64_t bytes[LULL_NR_PARTS], at = LULL_LKEY_HEAD_BYTES;
	struct lull_lkey_section *section = head->sections;
	uint32_t i;

	set_sizes(head, bytes);
	for (i = 0; i < LULL_NR_PARTS; i++) {
		if (!section_names[i])
			continue;
		at = lull_align_up(at, bytes[i] < LARGE_ALIGN ? SMALL_ALIGN
							      : LARGE_ALIGN);
		section->number = i;
		section->offset = at;
		section->bytes = bytes[i];
		at += bytes[i];
		section++;
	}
	head->file_bytes = at;
}

struct lull_lkey_section *lull_lkey_section(struct lull_lkey_head *head,
					    uint32_t number)
{
	struct lull_lkey_section *section = head->sections;

	while (section->number != number)
		section++;
	return section;
}

/* ---- the head ----------------------------------------------------------- */

static void put_u32(uint8_t *to, uint32_t value)
{
	memcpy(to, &value, sizeof(value));
}

static void put_u64(uint8_t *to, uint64_t value)
{
	memcpy(to, &value, sizeof(value));
}

void lull_lkey_write_head(const struct lull_lkey_head *head,
			  uint8_t ret_bytes[LULL_LKEY_HEAD_BYTES])
{
	const struct lull_lkey_section *section = head->sections;
	uint8_t *p = ret_bytes;
	unsigned int i;

	memset(p, 0, LULL_LKEY_HEAD_BYTES);
	memcpy(p, MAGIC, MAGIC_BYTES);
	put_u32(p + AT_VERSION, LULL_LKEY_VERSION);
	put_u32(p + AT_FLAGS, head->flags);
	put_u32(p + AT_CURVE, head->facts->id);
	put_u32(p + AT_NR_VARS, head->nr_vars);
	put_u32(p + AT_NR_PUBLIC, head->nr_public);
	put_u32(p + AT_LOG2_DOMAIN, head->log2_domain);
	put_u32(p + AT_NR_CONTRIBUTIONS, head->nr_contributions);
	put_u64(p + AT_FILE_BYTES, head->file_bytes);
	put_u32(p + AT_ID_BYTES, head->id_bytes);
	memcpy(p + AT_CIRCUIT, head->circuit, sizeof(head->circuit));
	for (i = 0; i < LULL_ARRAY_SIZE(head->nr_inf); i++)
		put_u32(p + AT_NR_INF + i * sizeof(uint32_t), head->nr_inf[i]);
	p += AT_SECTIONS;
	for (i = 0; i < LULL_LKEY_NR_SECTIONS; i++, section++) {
		put_u32(p, section->number);
		put_u64(p + SECTION_OFFSET, section->offset);
		put_u64(p + SECTION_SIZE, section->bytes);
		memcpy(p + SECTION_HASH, section->hash, LULL_HASH_BYTES);
		p += SECTION_BYTES;
	}
	lull_hash(ret_bytes, AT_HASH, ret_bytes + AT_HASH);
}

bool lull_lkey_is(const uint8_t *data, size_t bytes)
{
	return bytes >= MAGIC_BYTES && !memcmp(data, MAGIC, MAGIC_BYTES);
}

int lull_lkey_fail(const struct lull_lkey *key, uint32_t number,
		   uint64_t offset, struct lull_error *reterr,
		   enum lull_status code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	lull_infile_fail(key->in.name, number, section_names[number], offset,
			 reterr, code, fmt, args);
	va_end(args);
	return code;
}

/* A number of the head that is not what it can be. */
static int fail_head(const struct lull_lkey *key, unsigned int at,
		     struct lull_error *reterr, enum lull_status code,
		     const char *what, uint64_t found)
{
	return lull_fail(reterr, code, "%s: offset 0x%x: %s, found %" PRIu64,
			 key->in.name, at, what, found);
}

void lull_lkey_hash_text(char text[LULL_LKEY_HASH_TEXT], const uint8_t *hash)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int i;

	for (i = 0; i < LULL_LKEY_HASH_SHOWN; i++) {
		*text++ = digits[hash[i] >> 4];
		*text++ = digits[hash[i] & 0xf];
	}
	*text = '\0';
}

static int check_frame(const struct lull_lkey *key, const uint8_t *p,
		       struct lull_error *reterr)
{
	char want[LULL_LKEY_HASH_TEXT], got[LULL_LKEY_HASH_TEXT];
	uint8_t hash[LULL_HASH_BYTES];

	if (key->in.bytes < LULL_LKEY_HEAD_BYTES)
		return lull_fail(reterr, LULL_FORMAT,
				 "%s: expected a head of %zu bytes, found a "
				 "file of %" PRIu64,
				 key->in.name, LULL_LKEY_HEAD_BYTES,
				 key->in.bytes);
	if (!lull_lkey_is(p, MAGIC_BYTES))
		return lull_fail(reterr, LULL_FORMAT,
				 "%s: offset 0x0: expected the magic \"" MAGIC
				 "\", found bytes %02x %02x %02x %02x",
				 key->in.name, p[0], p[1], p[2], p[3]);
	if (lull_load_u32(p + AT_VERSION) != LULL_LKEY_VERSION)
		return fail_head(key, AT_VERSION, reterr, LULL_UNSUPPORTED,
				 "expected version 1 of .lkey",
				 lull_load_u32(p + AT_VERSION));
	lull_hash(p, AT_HASH, hash);
	if (!memcmp(hash, p + AT_HASH, sizeof(hash)))
		return LULL_OK;
	lull_lkey_hash_text(want, p + AT_HASH);
	lull_lkey_hash_text(got, hash);
	return lull_fail(reterr, LULL_FORMAT,
			 "%s: offset 0x%x: the head's hash: expected %s..., "
			 "found %s...: the file is damaged",
			 key->in.name, AT_HASH, want, got);
}

static bool all_zero(const uint8_t *p, size_t from, size_t to)
{
	while (from < to)
		if (p[from++])
			return false;
	return true;
}

/* Flags, the curve and what is not used. */
static int read_kind(struct lull_lkey *key, const uint8_t *p,
		     struct lull_error *reterr)
{
	const uint32_t known = LULL_LKEY_FOLDED | LULL_LKEY_TOXIC;
	struct lull_lkey_head *head = &key->head;

	head->flags = lull_load_u32(p + AT_FLAGS);
	if (head->flags & ~known)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "%s: offset 0x%x: flags: expected none but "
				 "0x%" PRIx32 ", found 0x%" PRIx32,
				 key->in.name, AT_FLAGS, known, head->flags);
	head->facts = lull_curve_facts(lull_load_u32(p + AT_CURVE));
	if (!head->facts)
		return fail_head(key, AT_CURVE, reterr, LULL_UNSUPPORTED,
				 "curve: expected 1 (BN254) or 2 (BLS12-381)",
				 lull_load_u32(p + AT_CURVE));
	if (!all_zero(p, AT_ZERO, AT_CIRCUIT) ||
	    !all_zero(p, AT_ZEROS, AT_SECTIONS) ||
	    !all_zero(p, AT_MORE_ZEROS, AT_HASH))
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "%s: the head: expected zeros where version 1 "
				 "has nothing, found something",
				 key->in.name);
	return LULL_OK;
}

static int read_counts(struct lull_lkey *key, const uint8_t *p,
		       struct lull_error *reterr)
{
	struct lull_lkey_head *head = &key->head;
	const uint32_t log2_max =
		(uint32_t)lull_min(head->facts->two_adicity, LOG2_DOMAIN_MAX);
	unsigned int i;

	head->nr_vars = lull_load_u32(p + AT_NR_VARS);
	head->nr_public = lull_load_u32(p + AT_NR_PUBLIC);
	head->log2_domain = lull_load_u32(p + AT_LOG2_DOMAIN);
	head->nr_contributions = lull_load_u32(p + AT_NR_CONTRIBUTIONS);
	head->file_bytes = lull_load_u64(p + AT_FILE_BYTES);
	head->id_bytes = lull_load_u32(p + AT_ID_BYTES);
	memcpy(head->circuit, p + AT_CIRCUIT, sizeof(head->circuit));
	for (i = 0; i < LULL_ARRAY_SIZE(head->nr_inf); i++)
		head->nr_inf[i] =
			lull_load_u32(p + AT_NR_INF + i * sizeof(uint32_t));
	if (head->nr_public >= head->nr_vars)
		return fail_head(key, AT_NR_PUBLIC, reterr, LULL_RANGE,
				 "nPublic: expected less than nVars",
				 head->nr_public);
	if (!head->log2_domain || head->log2_domain > log2_max)
		return lull_fail(reterr, LULL_RANGE,
				 "%s: offset 0x%x: log2 of the domain: "
				 "expected 1 to %" PRIu32 ", the limit of %s, "
				 "found %" PRIu32,
				 key->in.name, AT_LOG2_DOMAIN, log2_max,
				 head->facts->name, head->log2_domain);
	if (head->nr_public >> head->log2_domain)
		return fail_head(key, AT_NR_PUBLIC, reterr, LULL_RANGE,
				 "nPublic: expected less than the domain's "
				 "size",
				 head->nr_public);
	if (head->id_bytes != 1 && head->id_bytes != 2 && head->id_bytes != 4)
		return fail_head(key, AT_ID_BYTES, reterr, LULL_RANGE,
				 "bytes of a coefficient's number: expected "
				 "1, 2 or 4",
				 head->id_bytes);
	return LULL_OK;
}

/* The counts that only sizes of sections tell. */
static int read_lengths(struct lull_lkey *key, const uint8_t *table,
			struct lull_error *reterr)
{
	struct lull_lkey_head *head = &key->head;
	uint64_t most = head->id_bytes == 1 ? LULL_CSR_IDS_OF_ONE_BYTE
					    : LULL_CSR_IDS_OF_TWO_BYTES;
	uint64_t bytes[LULL_NR_PARTS] = { 0 }, nr;
	unsigned int i, k;
	uint32_t number;

	for (i = 0; i < LULL_LKEY_NR_SECTIONS; i++) {
		number = lull_load_u32(table + i * SECTION_BYTES);
		if (number < LULL_NR_PARTS)
			bytes[number] = lull_load_u64(
				table + i * SECTION_BYTES + SECTION_SIZE);
	}
	for (k = 0; k < LULL_CSR_MATRICES; k++)
		head->nr_entries[k] = bytes[LULL_PART_ROWS_A +
					    k * LULL_LKEY_ROWS_SECTIONS + 1] /
				      sizeof(uint32_t);
	if (lull_add_overflow(head->nr_entries[0], head->nr_entries[1], &nr) ||
	    nr > UINT32_MAX)
		return fail_head(key, AT_SECTIONS, reterr, LULL_RANGE,
				 "entries of both matrices: expected less than "
				 "2^32",
				 nr);
	head->nr_values = bytes[LULL_PART_COEFS] / LULL_FR_BYTES;
	if (head->id_bytes == 4)
		most = nr;
	if (head->nr_values > most ||
	    (head->id_bytes == 4 && head->nr_values < most))
		return lull_fail(reterr, LULL_RANGE,
				 "%s: section %d (%s): expected %s%" PRIu64
				 " values for numbers of %" PRIu32
				 " bytes, found %" PRIu64,
				 key->in.name, LULL_PART_COEFS,
				 section_names[LULL_PART_COEFS],
				 head->id_bytes == 4 ? "" : "at most ", most,
				 head->id_bytes, head->nr_values);
	return LULL_OK;
}

static int expect_place(const struct lull_lkey *key, unsigned int i,
			const uint8_t *entry, struct lull_error *reterr)
{
	const struct lull_lkey_section *want = &key->head.sections[i];
	unsigned int at = AT_SECTIONS + i * SECTION_BYTES;
	const struct {
		unsigned int at;
		const char *what;
		uint64_t want, found;
	} fields[] = {
		{ 0, "number", want->number, lull_load_u32(entry) },
		{ SECTION_ZERO, "zero", 0,
		  lull_load_u32(entry + SECTION_ZERO) },
		{ SECTION_SIZE, "size", want->bytes,
		  lull_load_u64(entry + SECTION_SIZE) },
		{ SECTION_OFFSET, "place", want->offset,
		  lull_load_u64(entry + SECTION_OFFSET) },
	};
	size_t k;

	for (k = 0; k < LULL_ARRAY_SIZE(fields); k++)
		if (fields[k].want != fields[k].found)
			return lull_lkey_fail(key, want->number,
					      at + fields[k].at, reterr,
					      LULL_FORMAT,
					      "%s: expected %" PRIu64 ", found "
					      "%" PRIu64,
					      fields[k].what, fields[k].want,
					      fields[k].found);
	return LULL_OK;
}

int lull_lkey_read_head(struct lull_lkey *key, const uint8_t *p,
			struct lull_error *reterr)
{
	struct lull_lkey_head *head = &key->head;
	uint64_t file_bytes;
	unsigned int i;
	int err;

	err = check_frame(key, p, reterr);
	if (!err)
		err = read_kind(key, p, reterr);
	if (!err)
		err = read_counts(key, p, reterr);
	if (!err)
		err = read_lengths(key, p + AT_SECTIONS, reterr);
	if (err)
		return err;
	file_bytes = head->file_bytes;
	lull_lkey_place(head);
	p += AT_SECTIONS;
	for (i = 0; i < LULL_LKEY_NR_SECTIONS; i++, p += SECTION_BYTES) {
		err = expect_place(key, i, p, reterr);
		if (err)
			return err;
		memcpy(head->sections[i].hash, p + SECTION_HASH,
		       LULL_HASH_BYTES);
	}
	if (file_bytes != head->file_bytes)
		return lull_fail(reterr, LULL_FORMAT,
				 "%s: offset 0x%x: size: expected %" PRIu64
				 ", found %" PRIu64,
				 key->in.name, AT_FILE_BYTES, head->file_bytes,
				 file_bytes);
	if (key->in.bytes != file_bytes)
		return lull_fail(reterr, LULL_FORMAT,
				 "%s: expected %" PRIu64 " bytes, found a file "
				 "of %" PRIu64,
				 key->in.name, file_bytes, key->in.bytes);
	return LULL_OK;
}
