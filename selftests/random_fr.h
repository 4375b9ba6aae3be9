/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_fr.h - scalars for tests that are templates over curves
 */
#ifndef LULL_SELFTESTS_RANDOM_FR_H
#define LULL_SELFTESTS_RANDOM_FR_H

#include "curve/fr.h"
#include "harness.h"

/* Any element, as canonical bits. */
static inline void random_fr(struct fr *r)
{
	unsigned int i;

	do {
		for (i = 0; i < FR_LIMBS; i++)
			r->l[i] = test_random();
		r->l[FR_LIMBS - 1] >>= 256 - FR_BITS;
	} while (!fr_is_canonical(r));
}

#endif
