// SPDX-License-Identifier: Apache-2.0
/*
 * source_zkey.c - a .zkey as the source of a .lkey
 *
 * Points and records are read when they are asked for, as they are, so that a
 * key of any size needs no memory of its own; coefficients that are not sorted
 * are read whole and sorted, which takes 48 bytes each and 4 a row.  Nothing is
 * mapped: a file that is cut short at any moment is an error and no signal.
 */
#include "prove/convert.h"

#include <inttypes.h>
#include <stdlib.h>

#include "arena/arena.h"
#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"
#include "input/zkey.h"
#include "prove/convert_plan.h"
#include "prove/key.h"
#include "synth/order.h"

_Static_assert(LULL_RECORD_BYTES == LULL_ZKEY_COEF_BYTES, "a record");

/**
 * struct zkey_source - the state of a source
 * @zkey: owns the file, of which only the structure has been read: its places
 * @parts: the same
 * @header: the points of LULL_PART_HEADER
 * @coefs: all of them; empty when they are sorted, as @order is
 * @order: numbers of @coefs by row
 */
struct zkey_source {
	struct lull_zkey zkey;
	struct lull_parts parts;
	uint8_t header[LULL_PARTS_HEADER_BYTES_MAX];
	struct lull_vec coefs, order;
};

static int copy_header(const struct lull_source *source, uint8_t *to,
		       struct lull_error *reterr)
{
	const struct zkey_source *z = source->state;

	(void)reterr;
	memcpy(to, z->header, lull_parts_header_bytes(&z->parts));
	return LULL_OK;
}

static const struct lull_instream *stream_of(const struct zkey_source *z)
{
	return &z->zkey.file.in.stream;
}

/* Which offset a place stands for. */
static uint64_t offset_of(const struct zkey_source *z, const uint8_t *p)
{
	return (uint64_t)(p - z->parts.base);
}

static const uint8_t *point_at(const struct zkey_source *z, enum lull_part part,
			       size_t index)
{
	const struct lull_parts *p = &z->parts;
	const uint8_t *const arrays[LULL_NR_PARTS] = {
		[LULL_PART_HEADER] = p->alpha1, [LULL_PART_IC] = p->ic,
		[LULL_PART_A] = p->a,		[LULL_PART_B1] = p->b1,
		[LULL_PART_B2] = p->b2,		[LULL_PART_L] = p->l,
		[LULL_PART_H] = p->h,
	};

	return arrays[part] + index * (part == LULL_PART_B2
					       ? lull_parts_g2_bytes(p)
					       : lull_parts_g1_bytes(p));
}

static int copy_points(const struct lull_source *source, enum lull_part part,
		       size_t first, size_t nr, uint8_t *to,
		       struct lull_error *reterr)
{
	const struct zkey_source *z = source->state;
	uint64_t from = offset_of(z, point_at(z, part, first));
	uint64_t end = offset_of(z, point_at(z, part, first + nr));

	return lull_instream_read(stream_of(z), from, to, (size_t)(end - from),
				  reterr);
}

/* In the order of the file. */
static int read_records(const struct zkey_source *z, size_t first, size_t nr,
			uint8_t *to, struct lull_error *reterr)
{
	return lull_instream_read(stream_of(z),
				  offset_of(z, z->parts.coefs) +
					  first * (uint64_t)LULL_RECORD_BYTES,
				  to, nr * LULL_RECORD_BYTES, reterr);
}

static int copy_records(const struct lull_source *source, size_t first,
			size_t nr, uint8_t *to, struct lull_error *reterr)
{
	const struct zkey_source *z = source->state;
	const uint32_t *order = z->order.ptr;
	const uint8_t *coefs = z->coefs.ptr;
	size_t i;

	if (!order)
		return read_records(z, first, nr, to, reterr);
	for (i = 0; i < nr; i++)
		memcpy(to + i * LULL_RECORD_BYTES,
		       coefs + (size_t)order[first + i] * LULL_RECORD_BYTES,
		       LULL_RECORD_BYTES);
	return LULL_OK;
}

static int fail_point(const struct lull_source *source, enum lull_part part,
		      const char *what, const struct lull_points_report *report,
		      struct lull_error *reterr)
{
	const struct zkey_source *z = source->state;
	const struct lull_parts *p = &z->parts;
	const uint8_t *const header[] = { p->alpha1, p->beta1,	p->beta2,
					  p->gamma2, p->delta1, p->delta2 };
	struct lull_points_report named = *report;
	const uint8_t *at;

	if (part == LULL_PART_HEADER) {
		at = header[report->index];
		named.index = 0;
	} else {
		at = point_at(z, part, report->index);
	}
	return lull_prove_fail_point(source->name, part, what, &named,
				     offset_of(z, at), source->facts, reterr);
}

static int finish(const struct lull_source *source, struct lull_error *reterr)
{
	const struct zkey_source *z = source->state;

	return lull_instream_same(stream_of(z), reterr);
}

static void end(struct lull_source *source)
{
	struct zkey_source *z = source->state;

	if (!z)
		return;
	lull_arena_retire(&z->order);
	lull_arena_retire(&z->coefs);
	lull_zkey_close(&z->zkey);
	free(z);
	*source = (struct lull_source){ 0 };
}

static const struct lull_source_ops zkey_ops = {
	.header = copy_header,
	.points = copy_points,
	.records = copy_records,
	.fail_point = fail_point,
	.finish = finish,
	.done = end,
};

/* ---- coefficients ------------------------------------------------------- */

/* Records being checked; @buffers has those of a task for each slot. */
struct checking {
	const struct zkey_source *z;
	uint8_t *buffers;
	bool unsorted; /* set atomically */
};

/* A task's records and the one before them. */
#define BUFFER_BYTES ((LULL_CONVERT_RECORDS + 1) * LULL_RECORD_BYTES)

static int check_records(void *arg, size_t task, unsigned int slot,
			 struct lull_error *reterr)
{
	struct checking *checking = arg;
	const struct zkey_source *z = checking->z;
	size_t first = task * LULL_CONVERT_RECORDS, more = first ? 1 : 0;
	size_t nr = lull_min(z->parts.nr_coefs - first, LULL_CONVERT_RECORDS);
	uint8_t *buf = checking->buffers + slot * BUFFER_BYTES;
	bool sorted = true;
	int err;

	err = read_records(z, first - more, nr + more, buf, reterr);
	if (!err)
		err = lull_zkey_check_coefs(
			&z->zkey, buf + more * LULL_RECORD_BYTES,
			(uint32_t)first, (uint32_t)(first + nr), &sorted,
			reterr);
	if (!sorted)
		__atomic_store_n(&checking->unsorted, true, __ATOMIC_RELAXED);
	return err;
}

static int sort(const struct lull_converting *c, struct lull_source *source,
		struct lull_error *reterr)
{
	struct zkey_source *z = source->state;
	const struct lull_parts *p = &z->parts;
	uint64_t own =
		(uint64_t)p->nr_coefs * (LULL_RECORD_BYTES + sizeof(uint32_t)) +
		(uint64_t)p->domain_size * sizeof(uint32_t);
	int err;

	err = lull_convert_need(c, source, own, reterr);
	if (err)
		return err;
	err = lull_arena_carve(c->arena,
			       (size_t)p->nr_coefs * LULL_RECORD_BYTES, 0,
			       "coefficients", &z->coefs, reterr);
	if (!err)
		err = read_records(z, 0, p->nr_coefs, z->coefs.ptr, reterr);
	return err ? err
		   : lull_synth_order(z->coefs.ptr, p->nr_coefs, p->domain_size,
				      c->arena, &z->order, reterr);
}

static int check_and_sort(const struct lull_converting *c,
			  struct lull_source *source, struct lull_error *reterr)
{
	const struct zkey_source *z = source->state;
	struct checking checking = { .z = z };
	size_t nr_tasks = lull_div_up(z->parts.nr_coefs, LULL_CONVERT_RECORDS);
	struct lull_vec buffers;
	int err;

	err = lull_arena_carve(c->arena,
			       lull_convert_slots(c, nr_tasks) * BUFFER_BYTES,
			       0, "coefficients on their way", &buffers,
			       reterr);
	if (err)
		return err;
	checking.buffers = buffers.ptr;
	err = lull_convert_run(c, "check of coefficients", nr_tasks,
			       check_records, &checking, reterr);
	lull_arena_retire(&buffers);
	return err || !checking.unsorted ? err : sort(c, source, reterr);
}

/* ---- the source --------------------------------------------------------- */

static int open_file(struct zkey_source *z, const char *path,
		     const struct lull_reader *reader,
		     struct lull_error *reterr)
{
	int err = lull_zkey_open_sparse(path, &z->zkey, reterr);

	if (err)
		return err;
	lull_zkey_parts(&z->zkey, &z->parts);
	memcpy(z->header, z->parts.alpha1, lull_parts_header_bytes(&z->parts));
	z->zkey.file.in.stream.reader = reader;
	return LULL_OK;
}

static void describe(struct lull_source *source, const struct lull_parts *p)
{
	memcpy(source->name, p->name, sizeof(source->name));
	source->facts = p->facts;
	source->nr_vars = p->nr_vars;
	source->nr_public = p->nr_public;
	source->log2_domain = p->log2_domain;
	source->nr_contributions = p->nr_contributions;
	source->nr_records = p->nr_coefs;
	source->row_step = 1;
	source->toxic = p->toxic;
}

static int open_source(const char *path, const struct lull_converting *c,
		       struct lull_source *ret_source,
		       struct lull_error *reterr)
{
	struct lull_source source = { .ops = &zkey_ops };
	struct zkey_source *z = calloc(1, sizeof(*z));
	int err;

	if (!z)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a key");
	source.state = z;
	err = open_file(z, path, c->how->reader, reterr);
	if (!err) {
		describe(&source, &z->parts);
		source.trailing_bytes = z->zkey.file.trailing_bytes;
		err = lull_convert_need(c, &source, 0, reterr);
	}
	if (!err)
		err = check_and_sort(c, &source, reterr);
	if (err) {
		end(&source);
		return err;
	}
	*ret_source = source;
	return LULL_OK;
}

int lull_convert_zkey(const char *zkey_path, const char *path,
		      const struct lull_convert_how *how,
		      struct lull_workers *workers, struct lull_arena *arena,
		      struct lull_error *reterr)
{
	const struct lull_converting c = { .how = how,
					   .workers = workers,
					   .arena = arena };
	struct lull_source source;
	int err;

	err = lull_convert_check_paths(zkey_path, path, how, reterr);
	if (!err)
		err = open_source(zkey_path, &c, &source, reterr);
	if (err)
		return err;
	err = lull_convert(&source, path, how, workers, arena, reterr);
	source.ops->done(&source);
	return err;
}
