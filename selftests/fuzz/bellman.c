// SPDX-License-Identifier: Apache-2.0
/*
 * bellman.c - fuzz target: whatever opens as parameters lies inside its file
 */
#include "fuzz/fuzz.h"

#include "input/bellman.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t plain[LULL_BELLMAN_POINT_BYTES_MAX];
	struct lull_error err = { 0 };
	struct lull_bellman file;
	unsigned int array;
	uint32_t i;
	int rc;

	rc = lull_bellman_open_mem(data, bytes, "p", LULL_BELLMAN_VKEY_DOES,
				   &file, &err);
	if (rc) {
		must_be_explained(rc, &err);
		return 0;
	}
	must(file.nr[LULL_BELLMAN_IC] >= 1);
	for (array = 0; array < LULL_BELLMAN_NR_ARRAYS; array++) {
		size_t each = lull_bellman_point_bytes(array);
		const uint8_t *p = data + file.offset[array];

		touch(p, file.nr[array] * (uint64_t)each);
		for (i = 0; i < file.nr[array]; i++, p += each)
			if (lull_bellman_take_point(
				    p, lull_bellman_coords(array), plain) ==
			    LULL_BELLMAN_POINT_OK)
				touch(plain, each);
	}
	lull_bellman_close(&file);
	return 0;
}
