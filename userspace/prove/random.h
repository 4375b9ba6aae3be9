/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random.h - the blinding scalars
 */
#ifndef LULL_PROVE_RANDOM_H
#define LULL_PROVE_RANDOM_H

#include <stdint.h>

#include "curve/facts.h"

/* A uniform plain integer below r, 32 bytes, from getrandom(2): LULL_OK or
 * LULL_IO.  The caller wipes it. */
int lull_prove_random(const struct lull_curve_facts *facts,
		      uint8_t ret_scalar[LULL_FR_BYTES],
		      struct lull_error *reterr);

#endif
