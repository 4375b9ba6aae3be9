// SPDX-License-Identifier: Apache-2.0
/*
 * wtns.c - parses a witness; see wtns.h
 *
 * The container is binfile.c's, magic "wtns", version 2.  Its sections,
 * little-endian:
 *
 *	1	u32 n8, r[n8], u32 nWitness
 *	2	nWitness values of n8 bytes, plain (not Montgomery): 1, outputs,
 *		public inputs, private signals
 */
#include "input/wtns.h"

#include <inttypes.h>

#include "base/base.h"
#include "base/error.h"
#include "input/canonical.h"

static const char *const section_names[] = {
	[LULL_WTNS_HEADER] = "header",
	[LULL_WTNS_VALUES] = "values",
};

static const struct lull_binfile_kind kind = {
	.magic = "wtns",
	.version = LULL_WTNS_VERSION,
	.nr_names = LULL_ARRAY_SIZE(section_names),
	.names = section_names,
};

static int read_header(struct lull_wtnsfile *wtns, struct lull_error *reterr)
{
	struct lull_binfile_reader reader = { .file = &wtns->file };
	int err;

	err = lull_binfile_section(&wtns->file, LULL_WTNS_HEADER,
				   &reader.section, reterr);
	if (err)
		return err;
	err = lull_binfile_take_prime(&reader, "r", &wtns->facts, reterr);
	if (err)
		return err;
	wtns->curve = wtns->facts->id;
	err = lull_binfile_take_u32(&reader, "nWitness", &wtns->nr_values,
				    reterr);
	if (err)
		return err;
	err = lull_binfile_expect(&wtns->file, reader.section, 0, 0, reader.pos,
				  reterr);
	if (err)
		return err;
	if (!wtns->nr_values)
		return lull_binfile_fail(&wtns->file, LULL_WTNS_HEADER,
					 reader.section->offset + reader.pos -
						 sizeof(wtns->nr_values),
					 reterr, LULL_RANGE,
					 "nWitness: expected at least 1, found "
					 "0");
	return LULL_OK;
}

static int check_one(const struct lull_wtnsfile *wtns,
		     struct lull_error *reterr)
{
	static const uint8_t one[LULL_WTNS_VALUE_BYTES] = { 1 };

	if (memcmp(wtns->values, one, sizeof(one)))
		return lull_binfile_fail(
			&wtns->file, LULL_WTNS_VALUES,
			lull_binfile_offset(&wtns->file, wtns->values), reterr,
			LULL_RANGE,
			"value 0: expected 1, the constant, found another "
			"value");
	return LULL_OK;
}

int lull_wtnsfile_check_values(const struct lull_wtnsfile *wtns, uint32_t first,
			       uint32_t last, struct lull_error *reterr)
{
	const uint8_t *prime = wtns->facts->fr_prime;
	const uint8_t *p =
		wtns->values + (uint64_t)first * LULL_WTNS_VALUE_BYTES;
	uint32_t i;

	LULL_ASSERT(first <= last && last <= wtns->nr_values);
	for (i = first; i < last; i++, p += LULL_WTNS_VALUE_BYTES)
		if (lull_unlikely(
			    !lull_input_below(p, prime, LULL_WTNS_VALUE_BYTES)))
			return lull_binfile_fail(
				&wtns->file, LULL_WTNS_VALUES,
				lull_binfile_offset(&wtns->file, p), reterr,
				LULL_RANGE,
				"value %" PRIu32 " of %" PRIu32
				": expected below r of %s",
				i, wtns->nr_values, wtns->facts->name);
	return LULL_OK;
}

static int parse(struct lull_wtnsfile *wtns, unsigned int flags,
		 struct lull_error *reterr)
{
	const struct lull_binfile_section *section;
	int err;

	err = read_header(wtns, reterr);
	if (err)
		return err;
	err = lull_binfile_section(&wtns->file, LULL_WTNS_VALUES, &section,
				   reterr);
	if (err)
		return err;
	err = lull_binfile_expect(&wtns->file, section, wtns->nr_values,
				  LULL_WTNS_VALUE_BYTES, 0, reterr);
	if (err)
		return err;
	wtns->values = section->data;
	err = check_one(wtns, reterr);
	if (err || flags & LULL_WTNS_DEFER_VALUES)
		return err;
	return lull_wtnsfile_check_values(wtns, 0, wtns->nr_values, reterr);
}

/* Ends @wtns's file when it fails. */
static int finish(struct lull_wtnsfile *wtns, unsigned int flags,
		  struct lull_wtnsfile *ret_wtns, struct lull_error *reterr)
{
	int err;

	err = parse(wtns, flags, reterr);
	if (err) {
		lull_binfile_close(&wtns->file);
		return err;
	}
	*ret_wtns = *wtns;
	return LULL_OK;
}

int lull_wtnsfile_open(const char *path, unsigned int flags,
		       const struct lull_infile_memory *memory,
		       struct lull_wtnsfile *ret_wtns,
		       struct lull_error *reterr)
{
	struct lull_wtnsfile wtns = { 0 };
	struct lull_infile_memory secret;
	int err;

	if (memory) {
		secret = *memory;
		secret.flags |= LULL_CARVE_SECRET;
		memory = &secret;
	}
	err = lull_binfile_open(path, &kind, memory, &wtns.file, reterr);
	if (err)
		return err;
	return finish(&wtns, flags, ret_wtns, reterr);
}

int lull_wtnsfile_open_mem(const void *data, size_t bytes, const char *name,
			   unsigned int flags, struct lull_wtnsfile *ret_wtns,
			   struct lull_error *reterr)
{
	struct lull_wtnsfile wtns = { 0 };
	int err;

	err = lull_binfile_open_mem(data, bytes, name, &kind, &wtns.file,
				    reterr);
	if (err)
		return err;
	return finish(&wtns, flags, ret_wtns, reterr);
}

void lull_wtnsfile_close(struct lull_wtnsfile *wtns)
{
	lull_binfile_close(&wtns->file);
	*wtns = (struct lull_wtnsfile){ 0 };
}
