// SPDX-License-Identifier: Apache-2.0
/*
 * circuit_lkey.c - the native key of a synthetic circuit; see circuit.h
 *
 * Hands the rows of a walk to the library as they are made.
 */
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"
#include "bench/circuit.h"

/* Coefficients by number: random ones, powers of two, and their negatives. */
#define NR_POWERS LULL_CIRCUIT_TERMS_MAX
#define POWERS LULL_CIRCUIT_RANDOM
#define NEGATIVES (POWERS + NR_POWERS)
#define NR_VALUES (NEGATIVES + NR_POWERS)

/**
 * struct feed - rows on their way to the library
 * @walk: where they come from
 * @counts: of what has gone by
 * @wires: of the row that the library has
 * @coefs: likewise
 * @values: coefficients by number
 */
struct feed {
	struct lull_circuit_walk *walk;
	struct lull_circuit_counts counts;
	uint32_t wires[LULL_TOXIC_MATRICES][LULL_CIRCUIT_TERMS_MAX];
	uint16_t coefs[LULL_TOXIC_MATRICES][LULL_CIRCUIT_TERMS_MAX];
	uint8_t values[NR_VALUES][LULL_FR_BYTES];
};

static uint16_t number_of(struct lull_circuit_coef coef)
{
	return (uint16_t)(coef.log2 + (coef.random     ? 0
				       : coef.negative ? NEGATIVES
						       : POWERS));
}

static void set_values(struct feed *feed, const struct lull_circuit *circuit)
{
	unsigned int i;

	for (i = 0; i < LULL_CIRCUIT_RANDOM; i++)
		lull_circuit_coef_plain(
			circuit,
			(struct lull_circuit_coef){ .log2 = (uint8_t)i,
						    .random = true },
			feed->values[i]);
	for (i = 0; i < NR_POWERS; i++) {
		struct lull_circuit_coef coef = { .log2 = (uint8_t)i };

		lull_circuit_coef_plain(circuit, coef,
					feed->values[POWERS + i]);
		coef.negative = true;
		lull_circuit_coef_plain(circuit, coef,
					feed->values[NEGATIVES + i]);
	}
}

static int next_row(void *arg, struct lull_toxic_row *ret_row)
{
	struct feed *feed = arg;
	const struct lull_circuit_row *row = lull_circuit_next(feed->walk);
	const struct lull_circuit_lc *lcs[LULL_TOXIC_MATRICES];
	unsigned int m, i;

	if (!row)
		return 0;
	lcs[0] = &row->a;
	lcs[1] = &row->b;
	lcs[2] = &row->c;
	for (m = 0; m < LULL_TOXIC_MATRICES; m++) {
		for (i = 0; i < lcs[m]->nr_terms; i++) {
			feed->wires[m][i] = lcs[m]->terms[i].wire;
			feed->coefs[m][i] = number_of(lcs[m]->terms[i].coef);
		}
		ret_row->lcs[m] = (struct lull_toxic_lc){ lcs[m]->nr_terms,
							  feed->wires[m],
							  feed->coefs[m] };
	}
	feed->counts.nr_terms_a += row->a.nr_terms;
	feed->counts.nr_terms_b += row->b.nr_terms;
	feed->counts.nr_terms_c += row->c.nr_terms;
	feed->counts.nr_wires = lull_circuit_nr_wires(feed->walk);
	ret_row->nr_wires = feed->counts.nr_wires;
	return 1;
}

int lull_circuit_write_lkey(const struct lull_circuit *circuit,
			    struct lull_ctx *ctx, const char *path,
			    const struct lull_toxic_opts *opts,
			    struct lull_circuit_counts *ret_counts,
			    struct lull_error *reterr)
{
	struct feed *feed = calloc(1, sizeof(*feed));
	struct lull_toxic_circuit source = {
		.size = sizeof(source),
		.name = lull_circuit_shape_name(circuit->shape),
		.curve = circuit->facts->id,
		.nr_wires = 1 + circuit->nr_public + circuit->nr_inputs,
		.nr_public = circuit->nr_public,
		.nr_values = NR_VALUES,
		.next = next_row,
		.arg = feed,
	};
	int err;

	if (!feed)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	source.values = feed->values[0];
	set_values(feed, circuit);
	err = lull_circuit_walk(circuit, &feed->walk, reterr);
	if (!err)
		err = lull_key_generate_toxic_native(ctx, &source, path, opts,
						     reterr);
	if (!err)
		*ret_counts = feed->counts;
	lull_circuit_walk_end(feed->walk);
	free(feed);
	return err;
}
