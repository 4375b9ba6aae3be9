// SPDX-License-Identifier: Apache-2.0
/*
 * binfile.c - indexes the container of .zkey, .wtns, .r1cs and .ptau files
 *
 * The format, little-endian and without padding or checksums:
 *
 *	0	magic[4]	"zkey", "wtns", "r1cs" or "ptau"
 *	4	u32		version
 *	8	u32		number of sections
 *	12	sections, one behind the other:
 *		0	u32	type
 *		4	u64	size of the payload
 *		12	payload
 *
 * Sections stand one behind the other, so they cannot overlap by themselves: a
 * size that is wrong makes the next header be read from the wrong place, and
 * then a size, a type or the sections' exact lengths are wrong.
 */
#include "input/binfile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/base.h"
#include "base/error.h"

#define MAGIC_BYTES 4
#define VERSION_OFFSET 4
#define NR_SECTIONS_OFFSET 8
#define SECTION_SIZE_OFFSET 4

static const char *section_name(const struct lull_binfile *file, uint32_t type)
{
	const struct lull_binfile_kind *kind = file->kind;

	return type < kind->nr_names ? kind->names[type] : NULL;
}

int lull_binfile_fail(const struct lull_binfile *file, uint32_t type,
		      uint64_t offset, struct lull_error *reterr,
		      enum lull_status code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	lull_infile_fail(file->in.name, type, section_name(file, type), offset,
			 reterr, code, fmt, args);
	va_end(args);
	return code;
}

_Static_assert(LULL_BINFILE_HEAD_BYTES <= LULL_INFILE_HEAD_BYTES &&
		       LULL_FR_BYTES <= LULL_INFILE_HEAD_BYTES,
	       "the head of a file says what it is");

static bool is_magic(const uint8_t *p, const char *magic)
{
	return !memcmp(p, magic, MAGIC_BYTES);
}

/* A dump of a witness's values alone, as some runtimes write it, begins with
 * the constant one and is a whole number of values long. */
static bool is_raw_witness(const struct lull_infile *in)
{
	static const uint8_t one[LULL_FR_BYTES] = { 1 };

	return in->bytes % LULL_FR_BYTES == 0 &&
	       !memcmp(in->data, one, sizeof(one));
}

static int fail_magic(const struct lull_infile *in,
		      const struct lull_binfile_kind *kind,
		      struct lull_error *reterr)
{
	static const char *const others[] = { "zkey", "wtns", "r1cs", "ptau",
					      "lkey" };
	const uint8_t *p = in->data;
	const char *want = kind->magic;
	char guess[64] = "";
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(others); i++)
		if (is_magic(p, others[i]))
			snprintf(guess, sizeof(guess), ": this is a .%s file",
				 others[i]);
	if (!strcmp(want, "wtns") && is_raw_witness(in))
		snprintf(guess, sizeof(guess),
			 ": a raw dump of values, not a .wtns file");
	else if (p[0] == '{' || p[0] == '[')
		snprintf(guess, sizeof(guess), ": this looks like JSON");
	return lull_fail(reterr, LULL_FORMAT,
			 "%s: offset 0x0: expected the magic \"%s\", found "
			 "bytes %02x %02x %02x %02x%s",
			 in->name, want, p[0], p[1], p[2], p[3], guess);
}

/* Of a whole file, or of its head. */
static int check_header(const void *arg, const struct lull_infile *in,
			struct lull_error *reterr)
{
	const struct lull_binfile_kind *kind = arg;
	uint32_t version, nr;

	if (in->bytes < LULL_BINFILE_HEAD_BYTES)
		return lull_fail(reterr, LULL_FORMAT,
				 "%s: expected a header of %u bytes, found a "
				 "file of %" PRIu64,
				 in->name, LULL_BINFILE_HEAD_BYTES, in->bytes);
	if (!is_magic(in->data, kind->magic))
		return fail_magic(in, kind, reterr);
	version = lull_load_u32(in->data + VERSION_OFFSET);
	if (version != kind->version)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "%s: offset 0x%x: expected version %" PRIu32
				 " of .%s, found %" PRIu32,
				 in->name, VERSION_OFFSET, kind->version,
				 kind->magic, version);
	nr = lull_load_u32(in->data + NR_SECTIONS_OFFSET);
	if (nr >
	    (in->bytes - LULL_BINFILE_HEAD_BYTES) / LULL_BINFILE_SECTION_BYTES)
		return lull_fail(reterr, LULL_FORMAT,
				 "%s: offset 0x%x: %" PRIu32 " sections do not "
				 "fit in a file of %" PRIu64 " bytes",
				 in->name, NR_SECTIONS_OFFSET, nr, in->bytes);
	if (nr > LULL_BINFILE_SECTIONS_MAX)
		return lull_fail(reterr, LULL_FORMAT,
				 "%s: offset 0x%x: expected at most %u "
				 "sections, found %" PRIu32,
				 in->name, NR_SECTIONS_OFFSET,
				 LULL_BINFILE_SECTIONS_MAX, nr);
	return LULL_OK;
}

static int add_section(struct lull_binfile *file, uint64_t pos,
		       struct lull_error *reterr)
{
	struct lull_binfile_section *section;
	const struct lull_binfile_section *twin;
	const struct lull_infile *in = &file->in;
	uint64_t left = in->bytes - pos - LULL_BINFILE_SECTION_BYTES;

	section = &file->sections[file->nr_sections];
	section->type = lull_load_u32(in->data + pos);
	section->bytes = lull_load_u64(in->data + pos + SECTION_SIZE_OFFSET);
	section->offset = pos + LULL_BINFILE_SECTION_BYTES;
	section->data = in->data + section->offset;
	if (section->bytes > left)
		return lull_binfile_fail(file, section->type, section->offset,
					 reterr, LULL_FORMAT,
					 "expected %" PRIu64 " bytes, found "
					 "%" PRIu64 " before the end of the "
					 "file",
					 section->bytes, left);
	twin = lull_binfile_find(file, section->type);
	if (twin)
		return lull_binfile_fail(file, section->type, section->offset,
					 reterr, LULL_FORMAT,
					 "repeated, first at offset 0x%" PRIx64,
					 twin->offset);
	file->nr_sections++;
	return LULL_OK;
}

static int index_sections(struct lull_binfile *file, struct lull_error *reterr)
{
	const struct lull_infile *in = &file->in;
	uint32_t nr = lull_load_u32(in->data + NR_SECTIONS_OFFSET);
	uint64_t pos = LULL_BINFILE_HEAD_BYTES;
	uint32_t i;
	int err;

	for (i = 0; i < nr; i++) {
		if (in->bytes - pos < LULL_BINFILE_SECTION_BYTES)
			return lull_fail(reterr, LULL_FORMAT,
					 "%s: offset 0x%" PRIx64
					 ": expected the header of section "
					 "%" PRIu32 " of %" PRIu32
					 ", found %" PRIu64 " bytes",
					 in->name, pos, i + 1, nr,
					 in->bytes - pos);
		err = lull_infile_need(in, pos, LULL_BINFILE_SECTION_BYTES,
				       reterr);
		if (!err)
			err = add_section(file, pos, reterr);
		if (err)
			return err;
		pos += LULL_BINFILE_SECTION_BYTES + file->sections[i].bytes;
	}
	file->trailing_bytes = in->bytes - pos + in->left_bytes;
	return LULL_OK;
}

/* Takes over @in, also when it fails. */
static int index_file(struct lull_infile *in,
		      const struct lull_binfile_kind *kind,
		      struct lull_binfile *ret_file, struct lull_error *reterr)
{
	struct lull_binfile file = { .in = *in, .kind = kind };
	int err;

	err = lull_infile_need(
		in, 0, lull_min(in->bytes, LULL_INFILE_HEAD_BYTES), reterr);
	if (!err)
		err = check_header(kind, in, reterr);
	if (!err)
		err = index_sections(&file, reterr);
	if (err) {
		lull_infile_close(in);
		return err;
	}
	*ret_file = file;
	return LULL_OK;
}

int lull_binfile_open(const char *path, const struct lull_binfile_kind *kind,
		      const struct lull_infile_memory *memory,
		      struct lull_binfile *ret_file, struct lull_error *reterr)
{
	struct lull_infile in;
	int err;

	err = memory ? lull_infile_read(path, memory, check_header, kind, &in,
					reterr)
		     : lull_infile_map(path, &in, reterr);
	if (err)
		return err;
	return index_file(&in, kind, ret_file, reterr);
}

int lull_binfile_open_sparse(const char *path,
			     const struct lull_binfile_kind *kind,
			     struct lull_binfile *ret_file,
			     struct lull_error *reterr)
{
	struct lull_infile in;
	int err = lull_infile_open_sparse(path, &in, reterr);

	return err ? err : index_file(&in, kind, ret_file, reterr);
}

int lull_binfile_open_mem(const void *data, size_t bytes, const char *name,
			  const struct lull_binfile_kind *kind,
			  struct lull_binfile *ret_file,
			  struct lull_error *reterr)
{
	struct lull_infile in;
	int err;

	err = lull_infile_open_mem(data, bytes, name, &in, reterr);
	if (err)
		return err;
	return index_file(&in, kind, ret_file, reterr);
}

void lull_binfile_close(struct lull_binfile *file)
{
	lull_infile_close(&file->in);
	*file = (struct lull_binfile){ 0 };
}

const struct lull_binfile_section *
lull_binfile_find(const struct lull_binfile *file, uint32_t type)
{
	uint32_t i;

	for (i = 0; i < file->nr_sections; i++)
		if (file->sections[i].type == type)
			return &file->sections[i];
	return NULL;
}

int lull_binfile_section(const struct lull_binfile *file, uint32_t type,
			 const struct lull_binfile_section **ret_section,
			 struct lull_error *reterr)
{
	const struct lull_binfile_section *section;
	const char *name;

	section = lull_binfile_find(file, type);
	if (!section) {
		name = section_name(file, type);
		return lull_fail(reterr, LULL_FORMAT,
				 "%s: section %" PRIu32 " (%s): missing",
				 file->in.name, type, name ? name : "?");
	}
	*ret_section = section;
	return LULL_OK;
}

int lull_binfile_expect(const struct lull_binfile *file,
			const struct lull_binfile_section *section, uint64_t nr,
			uint64_t each, uint64_t extra,
			struct lull_error *reterr)
{
	uint64_t bytes;

	if (lull_mul_overflow(nr, each, &bytes) ||
	    lull_add_overflow(bytes, extra, &bytes))
		return lull_binfile_fail(file, section->type, section->offset,
					 reterr, LULL_FORMAT,
					 "%" PRIu64 " elements of %" PRIu64
					 " bytes are more than a file can hold",
					 nr, each);
	if (section->bytes != bytes)
		return lull_binfile_fail(file, section->type, section->offset,
					 reterr, LULL_FORMAT,
					 "expected %" PRIu64 " bytes, found "
					 "%" PRIu64,
					 bytes, section->bytes);
	return LULL_OK;
}

int lull_binfile_skip(struct lull_binfile_reader *reader, uint64_t bytes,
		      const char *what, struct lull_error *reterr)
{
	const struct lull_binfile_section *section = reader->section;
	uint64_t left = section->bytes - reader->pos;

	if (bytes > left)
		return lull_binfile_fail(reader->file, section->type,
					 section->offset + reader->pos, reterr,
					 LULL_FORMAT,
					 "%s: expected %" PRIu64 " bytes, "
					 "found %" PRIu64,
					 what, bytes, left);
	reader->pos += bytes;
	return LULL_OK;
}

int lull_binfile_take(struct lull_binfile_reader *reader, uint64_t bytes,
		      const char *what, const uint8_t **ret_data,
		      struct lull_error *reterr)
{
	const struct lull_binfile_section *section = reader->section;
	const uint64_t at = reader->pos;
	int err;

	err = lull_binfile_skip(reader, bytes, what, reterr);
	if (!err)
		err = lull_infile_need(&reader->file->in, section->offset + at,
				       bytes, reterr);
	if (!err)
		*ret_data = section->data + at;
	return err;
}

int lull_binfile_take_u32(struct lull_binfile_reader *reader, const char *what,
			  uint32_t *ret_value, struct lull_error *reterr)
{
	const uint8_t *p = NULL;
	int err;

	err = lull_binfile_take(reader, sizeof(*ret_value), what, &p, reterr);
	if (err)
		return err;
	*ret_value = lull_load_u32(p);
	return LULL_OK;
}

/* The highest bytes of a prime that is none of ours, so that a person can tell
 * which one it is. */
static int fail_prime(const struct lull_binfile_reader *reader,
		      const char *what, const uint8_t *prime, uint32_t bytes,
		      struct lull_error *reterr)
{
	const struct lull_binfile_section *section = reader->section;
	uint32_t shown = bytes < 8 ? bytes : 8, i;
	char hex[2 * 8 + 1] = "";

	for (i = 0; i < shown; i++)
		snprintf(hex + 2 * i, sizeof(hex) - 2 * i, "%02x",
			 prime[bytes - 1 - i]);
	return lull_binfile_fail(reader->file, section->type,
				 lull_binfile_offset(reader->file, prime),
				 reterr, LULL_UNSUPPORTED,
				 "prime %s: expected that of BN254 or "
				 "BLS12-381, found 0x%s%s (%" PRIu32 " bytes)",
				 what, hex, shown < bytes ? "..." : "", bytes);
}

int lull_binfile_take_prime(struct lull_binfile_reader *reader,
			    const char *what,
			    const struct lull_curve_facts **ret_facts,
			    struct lull_error *reterr)
{
	const struct lull_curve_facts *facts;
	const uint8_t *prime = NULL;
	uint32_t bytes;
	int err;

	err = lull_binfile_take_u32(reader, "size of the prime", &bytes,
				    reterr);
	if (err)
		return err;
	err = lull_binfile_take(reader, bytes, "prime", &prime, reterr);
	if (err)
		return err;
	facts = *what == 'q' ? lull_curve_by_fp(prime, bytes)
			     : lull_curve_by_fr(prime, bytes);
	if (!facts)
		return fail_prime(reader, what, prime, bytes, reterr);
	*ret_facts = facts;
	return LULL_OK;
}
