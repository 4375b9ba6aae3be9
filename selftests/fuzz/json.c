// SPDX-License-Identifier: Apache-2.0
/*
 * json.c - fuzz target: what is read and written is read again as the same
 *
 * The first byte picks the kind of file and the curve.
 */
#include "fuzz/fuzz.h"

#include "input/json.h"
#include "test_arena.h"

#define TEXT_BYTES (1 << 20) /* far above what a proof takes */

static void try_proof(const uint8_t *data, size_t bytes, enum lull_curve curve)
{
	static char text[TEXT_BYTES];
	struct lull_json_proof proof, again;
	struct lull_error err = { 0 };
	size_t len;
	int rc;

	rc = lull_json_read_proof_mem(data, bytes, "p", curve, &proof, &err);
	if (rc) {
		must_be_explained(rc, &err);
		return;
	}
	len = lull_json_write_proof(&proof, text, sizeof(text));
	must(len <= sizeof(text));
	must(!lull_json_read_proof_mem(text, len, "p", curve, &again, &err));
	must(!memcmp(&proof, &again, sizeof(proof)));
}

static void try_public(const uint8_t *data, size_t bytes, enum lull_curve curve)
{
	struct lull_json_public public, again;
	struct lull_error err = { 0 };
	size_t len;
	char *text;
	int rc;

	rc = lull_json_read_public_mem(data, bytes, "p", curve, test_arena(),
				       &public, &err);
	if (rc) {
		must_be_explained(rc, &err);
		return;
	}
	len = lull_json_write_public(public.values, public.nr, NULL, 0);
	text = malloc(len);
	if (text) {
		lull_json_write_public(public.values, public.nr, text, len);
		must(!lull_json_read_public_mem(text, len, "p", curve,
						test_arena(), &again, &err));
		must(public.nr == again.nr);
		must(!public.nr || !memcmp(public.values, again.values,
					   public.nr * LULL_FR_BYTES));
		lull_json_public_done(&again);
	}
	free(text);
	lull_json_public_done(&public);
}

static void try_vkey(const uint8_t *data, size_t bytes)
{
	struct lull_error err = { 0 };
	struct lull_json_vkey vkey;
	int rc;

	rc = lull_json_read_vkey_mem(data, bytes, "v", test_arena(), &vkey,
				     &err);
	if (rc) {
		must_be_explained(rc, &err);
		return;
	}
	touch(vkey.ic, (uint64_t)2 * (vkey.nr_public + 1) *
			       lull_curve_facts(vkey.curve)->fp_bytes);
	lull_json_vkey_done(&vkey);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	enum lull_curve curve;

	if (!bytes)
		return 0;
	curve = data[0] & 1 ? LULL_CURVE_BN254 : LULL_CURVE_BLS12_381;
	if (data[0] & 2)
		try_vkey(data + 1, bytes - 1);
	else if (data[0] & 4)
		try_public(data + 1, bytes - 1, curve);
	else
		try_proof(data + 1, bytes - 1, curve);
	return 0;
}
