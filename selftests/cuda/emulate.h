/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emulate.h - CUDA's words for a C++ compiler, kernels run on the host
 *
 * For msm_emulated.cpp, which compiles the kernels of cuda/ as ordinary
 * functions: a block's threads are coroutines of one thread, which change at
 * barriers; blocks run one after the other.  So a fault in what a kernel
 * computes shows without a GPU; a race between barriers may not.
 */
#ifndef LULL_SELFTESTS_CUDA_EMULATE_H
#define LULL_SELFTESTS_CUDA_EMULATE_H

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <ucontext.h>

#define __noinline__ __attribute__((noinline))
#undef __global__
#define __global__
#define __launch_bounds__(...)
/* One for all threads of a block, and blocks come one at a time. */
#undef __shared__
#define __shared__ static

struct lull_error;

using std::min;

struct emulated_index {
	unsigned int x, y, z;
};

static struct emulated_index threadIdx, blockIdx, blockDim, gridDim;

#define EMULATED_STACK_BYTES ((size_t)256 << 10)

/* The threads of the block that runs. */
struct emulated_block {
	ucontext_t scheduler;
	std::vector<ucontext_t> threads;
	std::vector<char> stacks;
	std::vector<char> done;
	void (*body)(void *arg);
	void *arg;
	unsigned int current;
};

static struct emulated_block emulated;

static void emulated_thread(void)
{
	emulated.body(emulated.arg);
	emulated.done[emulated.current] = 1;
	swapcontext(&emulated.threads[emulated.current], &emulated.scheduler);
}

static inline void __syncthreads(void)
{
	swapcontext(&emulated.threads[emulated.current], &emulated.scheduler);
}

/* Runs every thread to its next barrier, the last one first, until all end. */
static inline void emulated_run_block(unsigned int nr, void (*body)(void *),
				      void *arg)
{
	bool again = true;

	emulated.threads.resize(nr);
	emulated.stacks.resize(nr * EMULATED_STACK_BYTES);
	emulated.done.assign(nr, 0);
	emulated.body = body;
	emulated.arg = arg;
	for (unsigned int t = 0; t < nr; t++) {
		ucontext_t *c = &emulated.threads[t];

		getcontext(c);
		c->uc_stack.ss_sp = &emulated.stacks[t * EMULATED_STACK_BYTES];
		c->uc_stack.ss_size = EMULATED_STACK_BYTES;
		c->uc_link = NULL;
		makecontext(c, emulated_thread, 0);
	}
	while (again) {
		again = false;
		for (unsigned int t = nr; t-- > 0;) {
			if (emulated.done[t])
				continue;
			again = true;
			emulated.current = t;
			threadIdx = { t, 0, 0 };
			swapcontext(&emulated.scheduler, &emulated.threads[t]);
		}
	}
}

template <class T> static inline T __ldg(const T *p)
{
	return *p;
}

static inline uint32_t __funnelshift_r(uint32_t lo, uint32_t hi,
				       unsigned int bits)
{
	return (uint32_t)(((uint64_t)hi << 32 | lo) >> (bits & 31));
}

/* Lanes come one after the other, from the last down: each has the bits of
 * those above it, and the first, which is asked, has all. */
static inline uint32_t __ballot_sync(uint32_t, bool bit)
{
	static uint32_t word;

	if (threadIdx.x % 32 == 31)
		word = 0;
	return word |= (uint32_t)bit << (threadIdx.x % 32);
}

#define cudaMemsetAsync(to, value, bytes, stream)                              \
	(memset((void *)(to), value, bytes), cudaSuccess)
#define cudaMemcpyAsync(to, from, bytes, kind, stream)                         \
	(memcpy((void *)(to), (const void *)(from), bytes), cudaSuccess)
#define cudaGetErrorString(error) "emulated"
#define cudaGetErrorName(error) "emulated"

/* In the place of launch.cuh. */
#define LULL_CUDA_LAUNCH_CUH

namespace lull
{

template <class... P, class... A>
static int launch(const char *what, const char *file, int line,
		  void (*kernel)(P...), dim3 grid, unsigned int threads,
		  cudaStream_t stream, struct lull_error *reterr, A... args)
{
	auto body = [&] { kernel(args...); };

	(void)what, (void)file, (void)line;
	(void)stream;
	(void)reterr;
	gridDim = { grid.x, grid.y, 1 };
	blockDim = { threads, 1, 1 };
	for (unsigned int y = 0; y < grid.y; y++) {
		for (unsigned int x = 0; x < grid.x; x++) {
			blockIdx = { x, y, 0 };
			emulated_run_block(
				threads,
				[](void *arg) { (*(decltype(body) *)arg)(); },
				&body);
		}
	}
	return 0;
}

} /* namespace lull */

#endif
