// SPDX-License-Identifier: Apache-2.0
/*
 * r1cs.c - fuzz target: whatever opens as a circuit can be walked
 */
#include "fuzz/fuzz.h"

#include "input/r1cs.h"

static void touch_terms(const struct lull_r1cs *r1cs,
			const struct lull_r1cs_lc *lc)
{
	uint32_t i;

	for (i = 0; i < lc->nr_terms; i++) {
		must(lull_r1cs_term_wire(lc, i) < r1cs->nr_wires);
		touch(lull_r1cs_term_value(lc, i), LULL_FR_BYTES);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lull_error err = { 0 };
	struct lull_r1cs_walk walk;
	struct lull_r1cs_row row;
	struct lull_r1cs r1cs;
	uint32_t nr = 0;
	int rc;

	rc = lull_r1cs_open_mem(data, bytes, "c", &r1cs, &err);
	if (rc) {
		must_be_explained(rc, &err);
		return 0;
	}
	walk = lull_r1cs_walk(&r1cs);
	for (; lull_r1cs_next(&r1cs, &walk, &row); nr++) {
		touch_terms(&r1cs, &row.a);
		touch_terms(&r1cs, &row.b);
		touch_terms(&r1cs, &row.c);
	}
	must(nr == r1cs.nr_constraints);
	lull_r1cs_close(&r1cs);
	return 0;
}
