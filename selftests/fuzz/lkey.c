// SPDX-License-Identifier: Apache-2.0
/*
 * lkey.c - fuzz target: whatever opens as a native key can be read as one
 *
 * Hashes are made right before the file is opened: else nothing behind them
 * would ever be reached.
 */
#include "fuzz/fuzz.h"

#include "input/lkey.h"
#include "input/lkey_blob.h"

static void touch_rows(const struct lull_parts *parts)
{
	const struct lull_csr *csr = &parts->csr;
	const struct lull_csr_matrix *m;
	uint32_t row, i = 0, end, id;
	unsigned int k;

	for (k = 0; k < LULL_CSR_MATRICES; k++, i = 0) {
		m = &csr->matrix[k];
		must(!lull_load_u32(m->starts));
		for (row = 0; row < parts->domain_size; row++) {
			end = lull_load_u32(m->starts + (row + (size_t)1) * 4);
			for (; i < end; i++) {
				id = 0;
				memcpy(&id, m->ids + (size_t)i * csr->id_bytes,
				       csr->id_bytes);
				must(id < csr->nr_values);
				must(lull_load_u32(m->columns + (size_t)i * 4) <
				     parts->nr_vars);
				touch(csr->values + (size_t)id * 32, 32);
			}
		}
		must(i == m->nr_entries);
	}
}

static void touch_points(const struct lull_parts *k)
{
	const size_t g1 = lull_parts_g1_bytes(k), g2 = lull_parts_g2_bytes(k);

	touch(k->alpha1, lull_parts_header_bytes(k));
	touch(k->ic, (k->nr_public + (size_t)1) * g1);
	touch(k->a, k->nr_vars * g1);
	touch(k->b1, k->nr_vars * g1);
	touch(k->b2, k->nr_vars * g2);
	touch(k->l, k->nr_l * g1);
	touch(k->h, k->domain_size * g1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lull_error err = { 0 };
	struct lull_lkey key;
	struct blob b;
	int rc;

	b = blob_copy(data, bytes);
	if (b.bytes >= LKEY_HEAD)
		lkey_seal(&b);
	rc = lull_lkey_open_mem(b.data, b.bytes, "key", NULL, NULL, &key, &err);
	if (rc) {
		must_be_explained(rc, &err);
	} else {
		must(key.parts.nr_public < key.parts.nr_vars);
		must(key.parts.nr_public < key.parts.domain_size);
		touch_points(&key.parts);
		touch_rows(&key.parts);
		lull_lkey_close(&key);
	}
	blob_free(&b);
	return 0;
}
