/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keygen_fill.h - a key being made, for the three files that fill it
 *
 * keygen_tmpl.c draws the trapdoor and knows each section's scalars,
 * keygen_rows_tmpl.c goes through the circuit, keygen_points_tmpl.c makes
 * points of scalars.
 */
#ifndef LULL_PROVE_KEYGEN_FILL_H
#define LULL_PROVE_KEYGEN_FILL_H

#include "prove/keygen_curve.h"
#include "prove/keygen_plan.h"

/**
 * struct keygen - a key being made
 * @plan: sizes and places
 * @trapdoor: the toxic part
 * @vanishing: Z(tau)
 * @root: w_n
 * @root_inv: 1 / w_n
 * @shift: s of the coset
 * @gamma_inv: 1 / gamma
 * @delta_inv: 1 / delta
 * @lagrange_scale: what M_i's numerator is multiplied by for L_i
 * @h_scale: and for H
 * @fold: of a folded key: G_j / L_j, what C_i is multiplied by in L_i
 * @lagrange: L_j(tau)
 * @wires: A_i, B_i and C_i
 */
struct keygen {
	const struct lull_keygen_plan *plan;
	struct keygen_trapdoor trapdoor;
	struct fr vanishing, root, root_inv, shift, gamma_inv, delta_inv;
	struct fr lagrange_scale, h_scale, fold;
	struct lull_vec lagrange_vec, wires_vec;
	struct fr *lagrange, *wires[NR_MATRICES];
};

#define keygen_sum_wires LULL_CURVE_NAME(keygen_sum_wires)
#define keygen_write_coefs LULL_CURVE_NAME(keygen_write_coefs)
#define keygen_set_scalars LULL_CURVE_NAME(keygen_set_scalars)
#define keygen_write_points LULL_CURVE_NAME(keygen_write_points)

/* Adds up wires, which are zero, from the Lagrange basis.  LULL_OK or
 * LULL_NOMEM. */
int keygen_sum_wires(struct keygen *kg, struct lull_error *reterr);

/* Section 4. */
int keygen_write_coefs(struct keygen *kg, struct lull_error *reterr);

/* The scalars of points [first, first + nr) of a section, Montgomery. */
void keygen_set_scalars(const struct keygen *kg, unsigned int section,
			size_t first, struct fr *out, size_t nr);

/* Sections 3 and 5 to 9. */
int keygen_write_points(struct keygen *kg, struct lull_error *reterr);

#endif
