// SPDX-License-Identifier: Apache-2.0
/*
 * random.c - draws blinding scalars by rejection; see random.h
 */
#include "prove/random.h"

#include <errno.h>
#include <sys/random.h>

#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"
#include "input/canonical.h"

/* Requests of up to 256 bytes are never cut short once the pool is ready. */
static int fill(uint8_t *buf, size_t bytes, struct lull_error *reterr)
{
	ssize_t got;

	do {
		got = getrandom(buf, bytes, 0);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return lull_fail_errno(reterr, LULL_IO, errno, "getrandom");
	if ((size_t)got != bytes)
		return lull_fail(reterr, LULL_IO,
				 "getrandom: expected %zu bytes, found %zd",
				 bytes, got);
	return LULL_OK;
}

int lull_prove_random(const struct lull_curve_facts *facts,
		      uint8_t ret_scalar[LULL_FR_BYTES],
		      struct lull_error *reterr)
{
	const uint8_t top = facts->fr_prime[LULL_FR_BYTES - 1];
	uint8_t scalar[LULL_FR_BYTES], mask = 1;
	int err;

	/* As many bits as r has: at least every second draw is below r. */
	while (mask < top)
		mask = (uint8_t)(mask << 1 | 1);
	do {
		err = fill(scalar, sizeof(scalar), reterr);
		if (err)
			break;
		scalar[LULL_FR_BYTES - 1] &= mask;
	} while (!lull_input_below(scalar, facts->fr_prime, LULL_FR_BYTES));
	if (!err)
		memcpy(ret_scalar, scalar, sizeof(scalar));
	lull_wipe(scalar, sizeof(scalar));
	return err;
}
