/* SPDX-License-Identifier: Apache-2.0 */
/*
 * witness.h - is a witness one, and is it this key's?
 */
#ifndef LULL_PROVE_WITNESS_H
#define LULL_PROVE_WITNESS_H

#include "input/wtns.h"

struct lull_workers;

/* struct lull_wtns - see lull_wtns_open() */
struct lull_wtns {
	struct lull_wtnsfile file;
};

/* Every value of a witness that was opened with LULL_WTNS_DEFER_VALUES is below
 * r: LULL_OK or LULL_RANGE.  Of workers that are canceled it may say so though
 * not all were looked at. */
int lull_witness_check(const struct lull_wtnsfile *file,
		       struct lull_workers *workers, struct lull_error *reterr);

/* A witness is for the curve and has the values that @what ("key", "circuit"),
 * which messages call @name, expects: LULL_OK or LULL_MISMATCH. */
int lull_witness_match(const struct lull_wtnsfile *file, const char *name,
		       const char *what, const struct lull_curve_facts *facts,
		       uint32_t nr_values, struct lull_error *reterr);

#endif
