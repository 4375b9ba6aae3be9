/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed.h - the rows of an .r1cs, handed over one by one
 *
 * For tests of keys that are made without the file: the same circuit both ways.
 */
#ifndef LULL_SELFTESTS_PROVE_FEED_H
#define LULL_SELFTESTS_PROVE_FEED_H

#include <string.h>

#include "curve/facts.h"
#include "input/r1cs.h"
#include "lull.h"

#define FEED_VALUES_MAX 65536
#define FEED_TERMS_MAX 70000

/* One at a time. */
static struct {
	struct lull_r1cs r1cs;
	struct lull_r1cs_walk walk;
	struct lull_r1cs_row row;
	uint8_t values[FEED_VALUES_MAX][LULL_FR_BYTES];
	uint32_t nr_values;
	uint32_t wires[LULL_TOXIC_MATRICES][FEED_TERMS_MAX];
	uint16_t coefs[LULL_TOXIC_MATRICES][FEED_TERMS_MAX];
} feed;

static inline uint16_t feed_number(const uint8_t *value)
{
	uint32_t i = 0;

	while (i < feed.nr_values &&
	       memcmp(feed.values[i], value, LULL_FR_BYTES))
		i++;
	if (i == feed.nr_values)
		memcpy(feed.values[feed.nr_values++], value, LULL_FR_BYTES);
	return (uint16_t)i;
}

static inline int feed_next(void *arg, struct lull_toxic_row *ret_row)
{
	const struct lull_r1cs_lc *lcs[] = { &feed.row.a, &feed.row.b,
					     &feed.row.c };
	unsigned int m;
	uint32_t i;

	(void)arg;
	if (!lull_r1cs_next(&feed.r1cs, &feed.walk, &feed.row))
		return 0;
	for (m = 0; m < LULL_TOXIC_MATRICES; m++) {
		for (i = 0; i < lcs[m]->nr_terms; i++) {
			feed.wires[m][i] = lull_r1cs_term_wire(lcs[m], i);
			feed.coefs[m][i] =
				feed_number(lull_r1cs_term_value(lcs[m], i));
		}
		ret_row->lcs[m] =
			(struct lull_toxic_lc){ lcs[m]->nr_terms, feed.wires[m],
						feed.coefs[m] };
	}
	ret_row->nr_wires = feed.r1cs.nr_wires;
	return 1;
}

static inline struct lull_toxic_circuit feed_source(void)
{
	return (struct lull_toxic_circuit){
		.size = sizeof(struct lull_toxic_circuit),
		.name = "rows",
		.curve = feed.r1cs.curve,
		.nr_wires = feed.r1cs.nr_wires,
		.nr_public = feed.r1cs.nr_pub_out + feed.r1cs.nr_pub_in,
		.nr_values = feed.nr_values,
		.values = feed.values[0],
		.next = feed_next,
	};
}

/* Every value has its number before the rows are handed over. */
static inline int feed_open(const char *path, struct lull_error *reterr)
{
	struct lull_toxic_row row;
	int err = lull_r1cs_open(path, &feed.r1cs, reterr);

	if (err)
		return err;
	feed.nr_values = 0;
	feed.walk = lull_r1cs_walk(&feed.r1cs);
	while (feed_next(NULL, &row))
		;
	feed.walk = lull_r1cs_walk(&feed.r1cs);
	return LULL_OK;
}

static inline void feed_close(void)
{
	lull_r1cs_close(&feed.r1cs);
}

#endif
