/* SPDX-License-Identifier: Apache-2.0 */
/*
 * circuit_wtns.h - between the two halves of lull_circuit_write_wtns()
 *
 * circuit_wtns.c has the file, circuit_wtns_tmpl.c a curve's values.
 */
#ifndef LULL_BENCH_CIRCUIT_WTNS_H
#define LULL_BENCH_CIRCUIT_WTNS_H

#include <stddef.h>
#include <stdint.h>

#include "bench/circuit.h"
#include "input/outfile.h"

/**
 * struct circuit_wtns - a witness being written
 * @out: the file
 * @buffer: what goes out next
 * @nr: bytes in @buffer
 */
struct circuit_wtns {
	struct lull_outfile out;
	uint8_t *buffer;
	size_t nr;
};

/* The file's start.  LULL_OK or LULL_IO. */
int lull_circuit_wtns_start(struct circuit_wtns *out,
			    const struct lull_circuit *circuit,
			    uint32_t nr_values, struct lull_error *reterr);

/* Appends bytes, few at a time.  LULL_OK or LULL_IO. */
int lull_circuit_wtns_put(struct circuit_wtns *out, const void *data,
			  size_t bytes, struct lull_error *reterr);

/* The template is bound to a curve where it is built. */
#ifdef LULL_CURVE
#include "curve/bind.h"
#define circuit_wtns_fill LULL_CURVE_NAME(circuit_wtns_fill)
int circuit_wtns_fill(const struct lull_circuit *circuit, uint64_t seed,
		      struct circuit_wtns *out, struct lull_error *reterr);
#else
int lull_bn254_circuit_wtns_fill(const struct lull_circuit *circuit,
				 uint64_t seed, struct circuit_wtns *out,
				 struct lull_error *reterr);
int lull_bls12_381_circuit_wtns_fill(const struct lull_circuit *circuit,
				     uint64_t seed, struct circuit_wtns *out,
				     struct lull_error *reterr);
#endif

#endif
