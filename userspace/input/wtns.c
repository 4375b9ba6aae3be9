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
#include "input/classes.h"

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

static int fail_value(const struct lull_wtnsfile *wtns, uint32_t i,
		      struct lull_error *reterr)
{
	const uint8_t *p = wtns->values + (uint64_t)i * LULL_WTNS_VALUE_BYTES;

	return lull_binfile_fail(
		&wtns->file, LULL_WTNS_VALUES,
		lull_binfile_offset(&wtns->file, p), reterr, LULL_RANGE,
		"value %" PRIu32 " of %" PRIu32 ": expected below r of %s", i,
		wtns->nr_values, wtns->facts->name);
}

int lull_wtnsfile_check_values(const struct lull_wtnsfile *wtns, uint32_t first,
			       uint32_t last, struct lull_error *reterr)
{
	const uint8_t *prime = wtns->facts->fr_prime;
	const uint8_t *p =
		wtns->values + (uint64_t)first * LULL_WTNS_VALUE_BYTES;
	uint32_t i;

	LULL_ASSERT(first <= last && last <= wtns->nr_values);
	if (wtns->checked)
		return LULL_OK;
	for (i = first; i < last; i++, p += LULL_WTNS_VALUE_BYTES)
		if (lull_unlikely(
			    !lull_input_below(p, prime, LULL_WTNS_VALUE_BYTES)))
			return fail_value(wtns, i, reterr);
	return LULL_OK;
}

int lull_wtnsfile_map(struct lull_arena *arena, uint32_t nr_values,
		      struct lull_vec *ret_map, struct lull_error *reterr)
{
	size_t bytes = lull_classes_bytes(nr_values);
	int err;

	err = lull_arena_carve(arena, bytes, LULL_CARVE_SECRET,
			       "classes of a witness", ret_map, reterr);
	/* Where there are bits behind the last value, they are in here. */
	if (!err && bytes)
		memset((uint8_t *)ret_map->ptr + bytes - sizeof(uint64_t), 0,
		       sizeof(uint64_t));
	return err;
}

int lull_wtnsfile_classify(const struct lull_wtnsfile *wtns, uint32_t first,
			   uint32_t last, uint32_t *map,
			   struct lull_classes *ret_found,
			   struct lull_error *reterr)
{
	uint32_t end;

	LULL_ASSERT(first <= last && last <= wtns->nr_values);
	end = (uint32_t)lull_input_classify(wtns->values, wtns->facts->fr_prime,
					    first, last, map, ret_found);
	return end < last ? fail_value(wtns, end, reterr) : LULL_OK;
}

void lull_wtnsfile_take(struct lull_wtnsfile *wtns, struct lull_vec *map,
			const struct lull_classes *found)
{
	wtns->checked = true;
	wtns->map = *map;
	*map = (struct lull_vec){ 0 };
	wtns->classes = *found;
	wtns->classes.map = wtns->map.ptr;
}

int lull_wtnsfile_match(const struct lull_wtnsfile *wtns,
			const struct lull_wtns_want *want,
			struct lull_error *reterr)
{
	if (want->facts != wtns->facts)
		return lull_fail(reterr, LULL_MISMATCH,
				 "%s is for %s, %s for %s", want->name,
				 want->facts->name, wtns->file.in.name,
				 wtns->facts->name);
	if (want->nr_values != wtns->nr_values)
		return lull_fail(reterr, LULL_MISMATCH,
				 "%s: the %s expects %u witness values, found "
				 "%u in %s",
				 want->name, want->what, want->nr_values,
				 wtns->nr_values, wtns->file.in.name);
	return LULL_OK;
}

/* ---- while it is read -------------------------------------------------- */

/* Where circom's calculators put things: the header first, then the values.  A
 * file that has them elsewhere is checked when it has been read. */
#define NR_SECTIONS 8
#define NR_OUR_SECTIONS 2
#define HEAD_TYPE 12
#define HEAD_BYTES 16
#define HEAD_N8 24
#define HEAD_PRIME 28
#define HEAD_NR_VALUES 60
#define VALUES_TYPE 64
#define VALUES_BYTES 68
#define VALUES 76
#define HEADER_PAYLOAD_BYTES (VALUES_TYPE - HEAD_N8)

_Static_assert(VALUES <= LULL_INFILE_HEAD_BYTES, "the head tells of values");

/* What the head says, which the whole file has yet to say as well, and what is
 * found while it is read; without a reader nothing is. */
struct early {
	const struct lull_wtns_want *want;
	const struct lull_infile_memory *memory;
	const struct lull_curve_facts *facts;
	uint32_t nr_values;
	char name[LULL_INFILE_NAME_BYTES];
	struct lull_vec map;
	atomic_uint nr_checked, nr_ones, nr_others;
};

static bool find_values(struct early *early, const struct lull_infile *head,
			struct lull_file_extent *ret_extent)
{
	const uint8_t *p = head->data;
	uint64_t bytes;

	if (head->bytes < VALUES ||
	    lull_load_u32(p + HEAD_TYPE) != LULL_WTNS_HEADER ||
	    lull_load_u64(p + HEAD_BYTES) != HEADER_PAYLOAD_BYTES ||
	    lull_load_u32(p + HEAD_N8) != LULL_WTNS_VALUE_BYTES ||
	    lull_load_u32(p + VALUES_TYPE) != LULL_WTNS_VALUES)
		return false;
	early->facts = lull_curve_by_fr(p + HEAD_PRIME, LULL_WTNS_VALUE_BYTES);
	early->nr_values = lull_load_u32(p + HEAD_NR_VALUES);
	memcpy(early->name, head->name, sizeof(early->name));
	bytes = (uint64_t)early->nr_values * LULL_WTNS_VALUE_BYTES;
	if (!early->facts || lull_load_u64(p + VALUES_BYTES) != bytes)
		return false;
	ret_extent->offset = VALUES;
	ret_extent->bytes = bytes;
	ret_extent->kind = LULL_EXTENT_SCALARS;
	ret_extent->unit_bytes = LULL_WTNS_VALUE_BYTES;
	return true;
}

static int check_early(const struct early *early, struct lull_error *reterr)
{
	struct lull_wtnsfile wtns = { .facts = early->facts,
				      .nr_values = early->nr_values };

	memcpy(wtns.file.in.name, early->name, sizeof(early->name));
	return lull_wtnsfile_match(&wtns, early->want, reterr);
}

/* Where the head does not tell how many values there are, they are what is
 * wanted, or the file would be refused when it has been read. */
static int plan_reading(void *arg, const struct lull_infile *head,
			struct lull_infile_plan *plan,
			struct lull_error *reterr)
{
	struct early *early = arg;
	bool found = find_values(early, head, &plan->landing);
	uint64_t bytes = plan->landing.bytes;
	int err;

	if (!found && !early->want)
		return LULL_OK;
	if (found && early->want) {
		err = check_early(early, reterr);
		if (err)
			return err;
	}
	if (!found)
		bytes = (uint64_t)early->want->nr_values *
			LULL_WTNS_VALUE_BYTES;
	/* With sections of ours alone, behind them is nothing to read. */
	if (found && lull_load_u32(head->data + NR_SECTIONS) == NR_OUR_SECTIONS)
		plan->bytes = VALUES + bytes;
	else if (head->bytes > bytes &&
		 head->bytes - bytes > LULL_WTNS_EXTRA_BYTES)
		return lull_fail(reterr, LULL_FORMAT,
				 "%s: expected at most %" PRIu64
				 " bytes beside "
				 "%" PRIu64 " of values, found %" PRIu64,
				 head->name, LULL_WTNS_EXTRA_BYTES, bytes,
				 head->bytes - bytes);
	/* A head may tell of more values than the file has room for. */
	if (!found || !early->memory->reader || VALUES + bytes > head->bytes)
		return LULL_OK;
	return lull_wtnsfile_map(early->memory->arena, early->nr_values,
				 &early->map, reterr);
}

static int check_landed(void *arg, const struct lull_file_extent *extent,
			uint64_t first, size_t nr, uint8_t *units,
			struct lull_error *reterr)
{
	struct early *early = arg;
	struct lull_wtnsfile wtns = {
		.file = { .in.data = (uint8_t *)extent->to - extent->offset,
			  .kind = &kind },
		.facts = early->facts,
		.nr_values = early->nr_values,
		.values = extent->to,
	};
	struct lull_classes found;
	int err;

	LULL_ASSERT(units == wtns.values + first * LULL_WTNS_VALUE_BYTES);
	(void)units;
	memcpy(wtns.file.in.name, early->name, sizeof(early->name));
	err = lull_wtnsfile_classify(&wtns, (uint32_t)first,
				     (uint32_t)(first + nr), early->map.ptr,
				     &found, reterr);
	if (err)
		return err;
	atomic_fetch_add(&early->nr_ones, (unsigned int)found.nr_ones);
	atomic_fetch_add(&early->nr_others, (unsigned int)found.nr_others);
	atomic_fetch_add(&early->nr_checked, (unsigned int)nr);
	return LULL_OK;
}

/* Whether what was checked is what the file turned out to have. */
static bool was_checked(const struct lull_wtnsfile *wtns,
			const struct early *early)
{
	return early->facts == wtns->facts &&
	       wtns->values == wtns->file.in.data + VALUES &&
	       early->nr_values == wtns->nr_values &&
	       atomic_load(&early->nr_checked) == wtns->nr_values;
}

/* What was found is the witness's, if it is about what the file turned out to
 * have. */
static void take_found(struct lull_wtnsfile *wtns, struct early *early)
{
	const struct lull_classes found = {
		.nr_ones = atomic_load(&early->nr_ones),
		.nr_others = atomic_load(&early->nr_others),
	};

	if (was_checked(wtns, early))
		lull_wtnsfile_take(wtns, &early->map, &found);
}

/* ---- the whole --------------------------------------------------------- */

static int parse(struct lull_wtnsfile *wtns, struct early *early,
		 unsigned int flags, struct lull_error *reterr)
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
	take_found(wtns, early);
	err = check_one(wtns, reterr);
	if (err || flags & LULL_WTNS_DEFER_VALUES)
		return err;
	return lull_wtnsfile_check_values(wtns, 0, wtns->nr_values, reterr);
}

/* Ends @wtns's file when it fails. */
static int finish(struct lull_wtnsfile *wtns, struct early *early,
		  unsigned int flags, struct lull_wtnsfile *ret_wtns,
		  struct lull_error *reterr)
{
	int err;

	err = parse(wtns, early, flags, reterr);
	if (!err && early->want)
		err = lull_wtnsfile_match(wtns, early->want, reterr);
	if (err) {
		lull_wtnsfile_close(wtns);
		return err;
	}
	*ret_wtns = *wtns;
	return LULL_OK;
}

int lull_wtnsfile_open(const char *path, const struct lull_wtns_want *want,
		       unsigned int flags,
		       const struct lull_infile_memory *memory,
		       struct lull_wtnsfile *ret_wtns,
		       struct lull_error *reterr)
{
	struct lull_wtnsfile wtns = { 0 };
	struct lull_infile_memory secret;
	struct early early = { .want = want, .memory = memory };
	int err;

	if (memory) {
		secret = *memory;
		secret.flags |= LULL_CARVE_SECRET;
		secret.plan = plan_reading;
		secret.land = check_landed;
		secret.arg = &early;
		memory = &secret;
	}
	err = lull_binfile_open(path, &kind, memory, &wtns.file, reterr);
	if (!err)
		err = finish(&wtns, &early, flags, ret_wtns, reterr);
	lull_arena_retire(&early.map);
	return err;
}

int lull_wtnsfile_open_mem(const void *data, size_t bytes, const char *name,
			   unsigned int flags, struct lull_wtnsfile *ret_wtns,
			   struct lull_error *reterr)
{
	struct lull_wtnsfile wtns = { 0 };
	struct early early = { 0 };
	int err;

	err = lull_binfile_open_mem(data, bytes, name, &kind, &wtns.file,
				    reterr);
	if (err)
		return err;
	return finish(&wtns, &early, flags, ret_wtns, reterr);
}

void lull_wtnsfile_close(struct lull_wtnsfile *wtns)
{
	lull_binfile_close(&wtns->file);
	lull_arena_retire(&wtns->map);
	*wtns = (struct lull_wtnsfile){ 0 };
}
