/* SPDX-License-Identifier: Apache-2.0 */
/*
 * witness.h - is a witness one, and is it this key's?
 */
#ifndef LULL_PROVE_WITNESS_H
#define LULL_PROVE_WITNESS_H

#include "input/parts.h"
#include "input/wtns.h"

struct lull_workers;

/* struct lull_wtns - see lull_wtns_open() */
struct lull_wtns {
	struct lull_wtnsfile file;
};

/* Every value of a witness that was opened with LULL_WTNS_DEFER_VALUES is below
 * r: LULL_OK, LULL_NOMEM or LULL_RANGE.  Its classes are found too, where they
 * were not while it was read, with a map of @arena's.  Of workers that are
 * canceled it may say so though not all were looked at; it has no classes then. */
int lull_witness_check(struct lull_wtnsfile *file, struct lull_workers *workers,
		       struct lull_arena *arena, struct lull_error *reterr);

/* A key's. */
static inline struct lull_wtns_want
lull_witness_want(const struct lull_parts *parts)
{
	return (struct lull_wtns_want){ .name = parts->name,
					.what = "key",
					.facts = parts->facts,
					.nr_values = parts->nr_vars };
}

#endif
