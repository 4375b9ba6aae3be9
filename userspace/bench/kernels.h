/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels.h - the kernels that are measured, one table per curve
 *
 * kernels_tmpl.c has the tables, kernels.c measures.
 */
#ifndef LULL_BENCH_KERNELS_H
#define LULL_BENCH_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "arena/arena.h"

struct lull_error;
struct lull_workers;

/**
 * struct lull_bench_state - what a kernel works on
 * @workers: the pool
 * @arena: for the operands
 * @log2_n: the size of a kernel by size
 * @nr_items: operations of one run, set by prepare
 * @in: first operands
 * @in2: second operands
 * @scratch: what the kernel asks for
 * @domain: of a transform
 */
struct lull_bench_state {
	struct lull_workers *workers;
	struct lull_arena *arena;
	unsigned int log2_n;
	size_t nr_items;
	struct lull_vec in;
	struct lull_vec in2;
	struct lull_vec scratch;
	void *domain;
};

/**
 * struct lull_bench_kernel - one kernel
 * @name: in rows and for --only
 * @has_ifma: has a twin in AVX-512 IFMA, taken where the processor has it
 * @sized: measured at every size, on all threads; else once, on one thread
 * @prepare: fills a state that is zero but for @workers, @arena and @log2_n
 * @run: what is timed; may be called again and again
 */
struct lull_bench_kernel {
	const char *name;
	bool has_ifma;
	bool sized;
	int (*prepare)(struct lull_bench_state *state,
		       struct lull_error *reterr);
	void (*run)(struct lull_bench_state *state);
};

#define LULL_BENCH_NR_KERNELS 9

extern const struct lull_bench_kernel
	lull_bn254_bench_kernels[LULL_BENCH_NR_KERNELS];
extern const struct lull_bench_kernel
	lull_bls12_381_bench_kernels[LULL_BENCH_NR_KERNELS];

/* Ends a state, prepared or half prepared. */
void lull_bn254_bench_done(struct lull_bench_state *state);
void lull_bls12_381_bench_done(struct lull_bench_state *state);

#endif
