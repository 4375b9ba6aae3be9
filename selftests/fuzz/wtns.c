// SPDX-License-Identifier: Apache-2.0
/*
 * wtns.c - fuzz target: whatever opens as a witness can be read as one
 */
#include "fuzz/fuzz.h"

#include "input/wtns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lull_error err = { 0 };
	struct lull_wtnsfile wtns;
	int rc;

	rc = lull_wtnsfile_open_mem(data, bytes, "w", 0, &wtns, &err);
	if (rc) {
		must_be_explained(rc, &err);
		return 0;
	}
	must(wtns.nr_values && wtns.values[0] == 1);
	touch(wtns.values, (uint64_t)wtns.nr_values * LULL_WTNS_VALUE_BYTES);
	must(!lull_wtnsfile_check_values(&wtns, 0, wtns.nr_values, &err));
	lull_wtnsfile_close(&wtns);
	return 0;
}
