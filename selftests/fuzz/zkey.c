// SPDX-License-Identifier: Apache-2.0
/*
 * zkey.c - fuzz target: whatever opens as a key can be read as one
 */
#include "fuzz/fuzz.h"

#include "input/zkey.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lull_error err = { 0 };
	struct lull_zkey key;
	uint64_t g1, g2;
	bool sorted;
	int rc;

	rc = lull_zkey_open_mem(data, bytes, "key", 0, &key, &err);
	if (rc) {
		must_be_explained(rc, &err);
		return 0;
	}
	g1 = 2 * (uint64_t)key.facts->fp_bytes;
	g2 = 2 * g1;
	must(key.nr_public < key.nr_vars && key.nr_public < key.domain_size);
	touch(key.alpha1, 3 * g1 + 3 * g2);
	touch(key.ic, (key.nr_public + 1) * g1);
	touch(key.coefs, (uint64_t)key.nr_coefs * LULL_ZKEY_COEF_BYTES);
	touch(key.a, key.nr_vars * g1);
	touch(key.b1, key.nr_vars * g1);
	touch(key.b2, key.nr_vars * g2);
	touch(key.c, (key.nr_vars - key.nr_public - 1) * g1);
	touch(key.h, key.domain_size * g1);
	must(!lull_zkey_check_coefs(&key, key.coefs, 0, key.nr_coefs, &sorted,
				    &err));
	must(sorted == key.coefs_sorted);
	lull_zkey_close(&key);
	return 0;
}
