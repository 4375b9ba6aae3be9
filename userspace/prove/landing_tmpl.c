// SPDX-License-Identifier: Apache-2.0
/*
 * landing_tmpl.c - scalars that have landed, one behind the other
 */
#include "curve/fr.h"
#include "prove/groth16_tmpl.h"
#include "prove/landing.h"

_Static_assert(sizeof(struct fr) == LULL_FR_BYTES, "files and fields agree");

static enum lull_scalar_class class_of(const struct fr *value)
{
	static const struct fr unit = { { 1 } };

	if (fr_is_zero(value))
		return LULL_SCALAR_ZERO;
	return fr_equal(value, &unit) ? LULL_SCALAR_ONE : LULL_SCALAR_OTHER;
}

size_t groth16_land(uint8_t *values, size_t nr, bool montgomery,
		    uint8_t *classes, size_t *nr_of)
{
	enum lull_scalar_class class;
	struct fr value;
	size_t i;

	for (i = 0; i < nr; i++, values += sizeof(value)) {
		memcpy(&value, values, sizeof(value));
		if (lull_unlikely(!fr_is_canonical(&value)))
			break;
		class = class_of(&value);
		nr_of[class]++;
		if (classes)
			classes[i] = (uint8_t) class;
		/* Zero is zero in either form, and one is a constant. */
		if (!montgomery || class == LULL_SCALAR_ZERO)
			continue;
		if (class == LULL_SCALAR_ONE)
			value = fr_one;
		else
			fr_from_plain(&value, value.l);
		memcpy(values, &value, sizeof(value));
	}
	return i;
}
