// SPDX-License-Identifier: Apache-2.0
/*
 * landing.c - counts and tells for landing_tmpl.c; see landing.h
 */
#include "prove/landing.h"

#include <inttypes.h>

#include "base/base.h"
#include "base/error.h"
#include "prove/groth16.h"

int lull_landing_scalars(void *arg, const struct lull_file_extent *extent,
			 uint64_t first, size_t nr, uint8_t *units,
			 struct lull_error *reterr)
{
	struct lull_landing *landing = arg;
	size_t nr_of[LULL_NR_SCALAR_CLASSES] = { 0 }, i, good;
	uint64_t at;

	LULL_ASSERT(extent->unit_bytes == LULL_FR_BYTES);
	good = lull_groth16(landing->facts->id)
		       ->land(units, nr, landing->montgomery,
			      landing->classes ? landing->classes + first
					       : NULL,
			      nr_of);
	for (i = 0; i < LULL_NR_SCALAR_CLASSES; i++)
		atomic_fetch_add(&landing->nr_of[i], nr_of[i]);
	if (good == nr)
		return LULL_OK;
	at = (first + good) * LULL_FR_BYTES;
	return lull_fail(reterr, LULL_RANGE,
			 "%s: offset 0x%" PRIx64 ": value %" PRIu64
			 " of %" PRIu64 ": expected below r of %s",
			 extent->source->name, extent->offset + at,
			 first + good, extent->bytes / LULL_FR_BYTES,
			 landing->facts->name);
}
