/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.cuh - rows that a proof brings, in the order of the domain
 *
 * For the backend.  Row i of bellman's circuits belongs to the (step i)-th power
 * of the domain's root.  Nothing is allocated, the launch goes to the caller's
 * stream.  Both arrays hold parts of the witness: the caller wipes them.
 */
#ifndef LULL_CUDA_PLACE_CUH
#define LULL_CUDA_PLACE_CUH

#include <cuda_runtime_api.h>

#include "check.cuh"
#include "traits.cuh"

namespace lull
{

/* An element of 32 bytes in two accesses of 16. */
constexpr size_t row_halves = 2;

/* Of an odd number, modulo 2^64. */
static inline uint64_t inverse_odd(uint64_t odd)
{
	/* Right in three bits, and in twice as many with each step. */
	uint64_t x = odd;

	for (unsigned int bits = 3; bits < 64; bits *= 2)
		x *= 2 - odd * x;
	return x;
}

/* Place j of to: whose row that is, or zero; mask is n - 1. */
LULL_HD void place_row(uint4 *to, size_t j, const uint4 *rows, size_t nr_rows, uint64_t inverse,
		       uint64_t mask)
{
	uint64_t i = j * inverse & mask;
	uint4 zero = {};

	to[row_halves * j] = i < nr_rows ? rows[row_halves * i] : zero;
	to[row_halves * j + 1] = i < nr_rows ? rows[row_halves * i + 1] : zero;
}

/**
 * place_rows - rows[i] to place step i mod n, zero to places without a row
 * @to: n = 2^log_n elements of 32 bytes, device memory, aligned to 16
 * @log_n: at most 31
 * @rows: nr_rows elements, device memory, aligned to 16, apart from @to
 * @nr_rows: at most n
 * @step: odd
 */
int place_rows(void *to, unsigned int log_n, const void *rows, size_t nr_rows, uint64_t step,
	       cudaStream_t stream, struct lull_error *reterr);

} /* namespace lull */

#endif
