// SPDX-License-Identifier: Apache-2.0
/*
 * source_zkey.c - a .zkey as the source of a .lkey
 *
 * The file is mapped, so that a key of any size needs no memory of its own; one
 * that another process cuts short meanwhile raises SIGBUS.  Points and records
 * are copied out as they are.
 */
#include "prove/convert.h"

#include <stdlib.h>

#include "arena/arena.h"
#include "base/base.h"
#include "base/error.h"
#include "input/zkey.h"
#include "prove/key.h"
#include "synth/order.h"

_Static_assert(LULL_RECORD_BYTES == LULL_ZKEY_COEF_BYTES, "a record");

struct zkey_source {
	struct lull_zkey zkey;
	struct lull_parts parts;
	struct lull_vec order; /* empty when the coefficients are sorted */
};

static int copy_header(const struct lull_source *source, uint8_t *to,
		       struct lull_error *reterr)
{
	const struct zkey_source *z = source->state;

	(void)reterr;
	memcpy(to, z->parts.alpha1, lull_parts_header_bytes(&z->parts));
	return LULL_OK;
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
	const uint8_t *from = point_at(z, part, first);

	(void)reterr;
	memcpy(to, from, (size_t)(point_at(z, part, first + nr) - from));
	return LULL_OK;
}

static int copy_records(const struct lull_source *source, size_t first,
			size_t nr, uint8_t *to, struct lull_error *reterr)
{
	const struct zkey_source *z = source->state;
	const uint32_t *order = z->order.ptr;
	const uint8_t *coefs = z->parts.coefs;
	size_t i;

	(void)reterr;
	if (!order) {
		memcpy(to, coefs + first * LULL_RECORD_BYTES,
		       nr * LULL_RECORD_BYTES);
		return LULL_OK;
	}
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
				     (uint64_t)(at - p->base), source->facts,
				     reterr);
}

static void end(struct lull_source *source)
{
	struct zkey_source *z = source->state;

	if (!z)
		return;
	lull_arena_retire(&z->order);
	lull_zkey_close(&z->zkey);
	free(z);
	*source = (struct lull_source){ 0 };
}

static const struct lull_source_ops zkey_ops = {
	.header = copy_header,
	.points = copy_points,
	.records = copy_records,
	.fail_point = fail_point,
	.done = end,
};

static int check_and_sort(struct zkey_source *z, struct lull_workers *workers,
			  struct lull_arena *arena, struct lull_error *reterr)
{
	const struct lull_parts *p = &z->parts;
	int err = lull_prove_check_coefs(&z->zkey, workers, reterr);

	if (err || z->zkey.coefs_sorted)
		return err;
	return lull_synth_order(p->coefs, p->nr_coefs, p->domain_size, arena,
				&z->order, reterr);
}

static int open_source(const char *path, struct lull_workers *workers,
		       struct lull_arena *arena, struct lull_source *ret_source,
		       struct lull_error *reterr)
{
	struct lull_source source = { .ops = &zkey_ops };
	struct zkey_source *z = calloc(1, sizeof(*z));
	const struct lull_parts *p;
	int err;

	if (!z)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a key");
	err = lull_zkey_open(path, LULL_ZKEY_DEFER_COEFS, NULL, &z->zkey,
			     reterr);
	if (err) {
		free(z);
		return err;
	}
	source.state = z;
	p = &z->parts;
	lull_zkey_parts(&z->zkey, &z->parts);
	err = check_and_sort(z, workers, arena, reterr);
	if (err) {
		end(&source);
		return err;
	}
	memcpy(source.name, p->name, sizeof(source.name));
	source.facts = p->facts;
	source.nr_vars = p->nr_vars;
	source.nr_public = p->nr_public;
	source.log2_domain = p->log2_domain;
	source.nr_contributions = p->nr_contributions;
	source.nr_records = p->nr_coefs;
	source.row_step = 1;
	source.toxic = p->toxic;
	*ret_source = source;
	return LULL_OK;
}

int lull_convert_zkey(const char *zkey_path, const char *path,
		      const struct lull_convert_how *how,
		      struct lull_workers *workers, struct lull_arena *arena,
		      struct lull_error *reterr)
{
	struct lull_source source;
	int err;

	err = lull_convert_check_paths(zkey_path, path, how, reterr);
	if (!err)
		err = open_source(zkey_path, workers, arena, &source, reterr);
	if (err)
		return err;
	err = lull_convert(&source, path, how, workers, arena, reterr);
	source.ops->done(&source);
	return err;
}
