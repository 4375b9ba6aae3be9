// SPDX-License-Identifier: Apache-2.0
/*
 * kernels.c - one kernel of `lull bench kernels`, its instructions counted
 *
 *	valgrind --tool=callgrind --collect-atstart=no kernels CURVE NAME LOG2
 *
 * counts between two marks, in one thread, what is run the second time: nothing
 * is made any more.  For counts.py.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_TOGGLE_COLLECT ((void)0)
#endif

#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"
#include "bench/kernels.h"

static const struct {
	const char *name;
	const struct lull_bench_kernel *kernels;
} curves[] = {
	{ "bn254", lull_bn254_bench_kernels },
	{ "bls12_381", lull_bls12_381_bench_kernels },
};

static void fail(const char *what)
{
	fprintf(stderr, "kernels: %s\n", what);
	exit(2);
}

static const struct lull_bench_kernel *find(const char *curve, const char *name)
{
	size_t c, i;

	for (c = 0; c < LULL_ARRAY_SIZE(curves); c++)
		for (i = 0; i < LULL_BENCH_NR_KERNELS; i++)
			if (!strcmp(curves[c].name, curve) &&
			    !strcmp(curves[c].kernels[i].name, name))
				return &curves[c].kernels[i];
	fail("no such curve or kernel");
	return NULL;
}

/* The process ends with it: nothing is given back. */
static void prepare(const struct lull_bench_kernel *kernel,
		    struct lull_bench_state *state)
{
	const struct lull_arena_opts opts = {
		.carrier = LULL_ARENA_THP,
		.node = LULL_ARENA_NODE_ANY,
	};
	struct lull_error err;

	if (lull_workers_create(1, &state->workers, &err) ||
	    lull_arena_open(&opts, &state->arena, &err) ||
	    kernel->prepare(state, &err))
		fail(err.msg);
	kernel->run(state);
}

int main(int argc, char **argv)
{
	struct lull_bench_state state = { 0 };
	const struct lull_bench_kernel *kernel;

	if (argc != 4)
		fail("expected: CURVE NAME LOG2");
	kernel = find(argv[1], argv[2]);
	state.log2_n = (unsigned int)strtoul(argv[3], NULL, 10);
	prepare(kernel, &state);
	CALLGRIND_TOGGLE_COLLECT;
	kernel->run(&state);
	CALLGRIND_TOGGLE_COLLECT;
	return 0;
}
