/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landing.h - values of a witness, checked and converted as they land
 *
 * For struct lull_load: while the rest of a file is still being read, values that
 * are in memory are held against r, sorted into zeros, ones and others, and
 * brought into Montgomery form where they lie.  Messages name indices, never
 * values: the witness is secret.
 */
#ifndef LULL_PROVE_LANDING_H
#define LULL_PROVE_LANDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "curve/facts.h"
#include "input/extent.h"

struct lull_error;

/* What a value is: an addition is saved for a zero and a multiplication for a
 * one. */
enum lull_scalar_class {
	LULL_SCALAR_ZERO,
	LULL_SCALAR_ONE,
	LULL_SCALAR_OTHER,
	LULL_NR_SCALAR_CLASSES,
};

/**
 * struct lull_landing - what is done with values
 * @facts: the curve whose r they are below
 * @montgomery: bring them into Montgomery form
 * @classes: receives an enum lull_scalar_class for each, or NULL
 * @nr_of: counted by class; zero at the start
 */
struct lull_landing {
	const struct lull_curve_facts *facts;
	bool montgomery;
	uint8_t *classes;
	_Atomic uint64_t nr_of[LULL_NR_SCALAR_CLASSES];
};

/**
 * lull_landing_scalars - take values that have landed
 * @arg: a struct lull_landing
 * @extent: of LULL_EXTENT_SCALARS, in units of LULL_FR_BYTES
 * @first: the number of the first
 * @nr: how many
 * @units: they
 * @reterr: names the first that is not below r
 *
 * In the form of &struct lull_load.land.  Time depends on the values' classes.
 *
 * Return: LULL_OK or LULL_RANGE.
 */
int lull_landing_scalars(void *arg, const struct lull_file_extent *extent,
			 uint64_t first, size_t nr, uint8_t *units,
			 struct lull_error *reterr);

#endif
