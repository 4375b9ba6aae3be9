/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather.h - those scalars that have a point, one behind the other
 *
 * For keys that leave points out and say by bitmaps which.
 */
#ifndef LULL_SYNTH_GATHER_H
#define LULL_SYNTH_GATHER_H

#include <stddef.h>
#include <stdint.h>

struct lull_workers;

#define LULL_GATHER_BYTES 32

/**
 * lull_synth_gather - copy the scalars whose bits are set
 * @to: room for as many as there are bits set
 * @scalars: @nr of LULL_GATHER_BYTES, at any alignment
 * @dense: bit i % 64 of word i / 64 for scalar i; bits from @nr on are clear
 * @nr: how many
 * @workers: the pool to run on
 *
 * Time depends on the bits, which are the circuit's, not on the scalars.
 */
void lull_synth_gather(uint8_t *to, const uint8_t *scalars,
		       const uint64_t *dense, size_t nr,
		       struct lull_workers *workers);

#endif
