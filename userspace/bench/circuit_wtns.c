// SPDX-License-Identifier: Apache-2.0
/*
 * circuit_wtns.c - the file of a synthetic circuit's witness; see circuit.h
 */
#include "bench/circuit_wtns.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "input/wtns.h"

#define BUFFER_BYTES ((size_t)1 << 20)
/* u32 n8, r, u32 values */
#define HEADER_BYTES (4 + LULL_FR_BYTES + 4)
#define NR_SECTIONS 2

static int flush(struct circuit_wtns *out, struct lull_error *reterr)
{
	int err = lull_outfile_write(&out->out, out->buffer, out->nr, reterr);

	out->nr = 0;
	return err;
}

int lull_circuit_wtns_put(struct circuit_wtns *out, const void *data,
			  size_t bytes, struct lull_error *reterr)
{
	memcpy(out->buffer + out->nr, data, bytes);
	out->nr += bytes;
	return out->nr > BUFFER_BYTES - LULL_WTNS_VALUE_BYTES
		       ? flush(out, reterr)
		       : LULL_OK;
}

int lull_circuit_wtns_start(struct circuit_wtns *out,
			    const struct lull_circuit *circuit,
			    uint32_t nr_values, struct lull_error *reterr)
{
	const uint32_t n8 = LULL_FR_BYTES;
	uint8_t head[LULL_BINFILE_HEAD_BYTES];
	uint8_t header[LULL_BINFILE_SECTION_BYTES];
	uint8_t values[LULL_BINFILE_SECTION_BYTES];
	const struct {
		const void *data;
		size_t bytes;
	} parts[] = {
		{ head, sizeof(head) },
		{ header, sizeof(header) },
		{ &n8, sizeof(n8) },
		{ circuit->facts->fr_prime, LULL_FR_BYTES },
		{ &nr_values, sizeof(nr_values) },
		{ values, sizeof(values) },
	};
	size_t i;
	int err = LULL_OK;

	lull_binfile_put_head(head, "wtns", LULL_WTNS_VERSION, NR_SECTIONS);
	lull_binfile_put_section(header, LULL_WTNS_HEADER, HEADER_BYTES);
	lull_binfile_put_section(values, LULL_WTNS_VALUES,
				 (uint64_t)nr_values * LULL_WTNS_VALUE_BYTES);
	for (i = 0; i < LULL_ARRAY_SIZE(parts) && !err; i++)
		err = lull_circuit_wtns_put(out, parts[i].data, parts[i].bytes,
					    reterr);
	return err;
}

static int fill(const struct lull_circuit *circuit, uint64_t seed,
		struct circuit_wtns *out, struct lull_error *reterr)
{
	int err;

	if (circuit->facts->id == LULL_CURVE_BN254)
		err = lull_bn254_circuit_wtns_fill(circuit, seed, out, reterr);
	else
		err = lull_bls12_381_circuit_wtns_fill(circuit, seed, out,
						       reterr);
	return err ? err : flush(out, reterr);
}

int lull_circuit_write_wtns(const struct lull_circuit *circuit, uint64_t seed,
			    const char *path, struct lull_error *reterr)
{
	struct circuit_wtns out = { .out = LULL_OUTFILE_EMPTY };
	int err;

	out.buffer = malloc(BUFFER_BYTES);
	if (!out.buffer)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	err = lull_outfile_open(path, 0, &out.out, reterr);
	if (!err)
		err = fill(circuit, seed, &out, reterr);
	if (!err)
		err = lull_outfile_commit(&out.out, 1, reterr);
	lull_outfile_discard(&out.out);
	free(out.buffer);
	return err;
}
