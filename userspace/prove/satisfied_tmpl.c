// SPDX-License-Identifier: Apache-2.0
/*
 * satisfied_tmpl.c - does a witness satisfy every constraint of a circuit?
 */
#include "base/error.h"
#include "curve/fr.h"
#include "prove/groth16_tmpl.h"

/*
 * The value of a linear combination, times 2^-256: coefficient and witness are
 * both plain, so each product carries one factor 2^-256, and so does the sum.
 */
static void combine(struct fr *r, const struct lull_r1cs_lc *lc,
		    const uint8_t *witness)
{
	struct fr value, w, sum = fr_zero;
	uint32_t i;

	for (i = 0; i < lc->nr_terms; i++) {
		memcpy(&value, lull_r1cs_term_value(lc, i), sizeof(value));
		memcpy(&w,
		       witness + (size_t)lull_r1cs_term_wire(lc, i) * sizeof(w),
		       sizeof(w));
		fr_mul(&value, &value, &w);
		fr_add(&sum, &sum, &value);
	}
	*r = sum;
}

int groth16_satisfied(const struct lull_r1cs *r1cs, const uint8_t *witness,
		      struct lull_error *reterr)
{
	static const struct fr unit = { { 1 } };
	struct lull_r1cs_walk walk = lull_r1cs_walk(r1cs);
	struct lull_r1cs_row row;
	struct fr a, b, c;
	uint32_t i;

	for (i = 0; lull_r1cs_next(r1cs, &walk, &row); i++) {
		combine(&a, &row.a, witness);
		combine(&b, &row.b, witness);
		combine(&c, &row.c, witness);
		/* a b has the factor 2^-768; two units bring c there. */
		fr_mul(&a, &a, &b);
		fr_mul(&c, &c, &unit);
		fr_mul(&c, &c, &unit);
		if (!fr_equal(&a, &c))
			return lull_fail(reterr, LULL_UNSATISFIED,
					 "%s: constraint %u of %u is not "
					 "satisfied by the witness",
					 r1cs->file.in.name, i,
					 r1cs->nr_constraints);
	}
	return LULL_OK;
}
