// SPDX-License-Identifier: Apache-2.0
/*
 * facts.c - the table behind facts.h
 */
#include "curve/facts.h"

#include "base/base.h"
#include "curve/gen/bls12_381.h"
#include "curve/gen/bn254.h"

/* Little-endian limbs are little-endian bytes on the hosts that we run on. */
static const uint64_t bn254_fp[BN254_FP_LIMBS] = BN254_FP_P;
static const uint64_t bn254_fr[BN254_FR_LIMBS] = BN254_FR_P;
static const uint64_t bls12_381_fp[BLS12_381_FP_LIMBS] = BLS12_381_FP_P;
static const uint64_t bls12_381_fr[BLS12_381_FR_LIMBS] = BLS12_381_FR_P;

static const struct lull_curve_facts table[] = {
	{
		.id = LULL_CURVE_BN254,
		.name = "BN254",
		.json_name = "bn128",
		.fp_bytes = sizeof(bn254_fp),
		.fr_bytes = sizeof(bn254_fr),
		.two_adicity = BN254_FR_TWO_ADICITY,
		.fp_prime = (const uint8_t *)bn254_fp,
		.fr_prime = (const uint8_t *)bn254_fr,
	},
	{
		.id = LULL_CURVE_BLS12_381,
		.name = "BLS12-381",
		.json_name = "bls12381",
		.fp_bytes = sizeof(bls12_381_fp),
		.fr_bytes = sizeof(bls12_381_fr),
		.two_adicity = BLS12_381_FR_TWO_ADICITY,
		.fp_prime = (const uint8_t *)bls12_381_fp,
		.fr_prime = (const uint8_t *)bls12_381_fr,
	},
};

_Static_assert(sizeof(bls12_381_fp) <= LULL_FP_BYTES_MAX, "LULL_FP_BYTES_MAX");
_Static_assert(sizeof(bn254_fr) == LULL_FR_BYTES &&
		       sizeof(bls12_381_fr) == LULL_FR_BYTES,
	       "LULL_FR_BYTES");

const struct lull_curve_facts *lull_curve_facts(enum lull_curve id)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(table); i++)
		if (table[i].id == id)
			return &table[i];
	return NULL;
}

const struct lull_curve_facts *lull_curve_by_fr(const uint8_t *prime,
						size_t bytes)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(table); i++)
		if (bytes == table[i].fr_bytes &&
		    !memcmp(prime, table[i].fr_prime, bytes))
			return &table[i];
	return NULL;
}

const struct lull_curve_facts *lull_curve_by_fp(const uint8_t *prime,
						size_t bytes)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(table); i++)
		if (bytes == table[i].fp_bytes &&
		    !memcmp(prime, table[i].fp_prime, bytes))
			return &table[i];
	return NULL;
}

const struct lull_curve_facts *lull_curve_by_json_name(const char *name)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(table); i++)
		if (!strcmp(name, table[i].json_name))
			return &table[i];
	return NULL;
}
