// SPDX-License-Identifier: Apache-2.0
/*
 * bench_ntt.cu - transforms and quotients, resident data, random values
 *
 * A program for GPU hosts: one JSON line per curve, operation and size, medians
 * of 7 runs after one that is not counted, timed by events.  Sizes that do not
 * fit are left out, which a line on stderr says.
 *
 *	bench_ntt [largest log2 [smallest log2]]
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#include "quotient.cuh"

using namespace lull;

#define NR_RUNS 7

static void must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "bench_ntt: %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

static void must_be_ok(int rc, const struct lull_error *error)
{
	if (!rc)
		return;
	fprintf(stderr, "bench_ntt: %s\n", error->msg);
	exit(1);
}

/* Words of a generator by index, the top one small enough to be below r. */
template <class F>
static __global__ void fill(fe<F> *v, size_t n, uint64_t seed)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	uint64_t x = seed + i;
	fe<F> r;

	if (i >= n)
		return;
	for (unsigned int k = 0; k < 8; k++) {
		/* splitmix64 */
		x += 0x9e3779b97f4a7c15u;
		uint64_t z = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
		r.l[k] = (uint32_t)((z ^ z >> 27) * 0x94d049bb133111ebu >> 32);
	}
	r.l[7] &= 0x0fffffff; /* 28 bits: below both moduli */
	v[i] = r;
}

template <class F>
static __global__ void __launch_bounds__(128) products(fe<F> *v, unsigned int nr)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	fe<F> a = v[i], b = v[i ^ 1];

#pragma unroll 1
	for (unsigned int k = 0; k < nr; k++)
		a = mul(b, a);
	v[i] = a;
}

struct timer {
	cudaEvent_t start, stop;
	std::vector<float> ms;

	timer()
	{
		must(cudaEventCreate(&start), "event");
		must(cudaEventCreate(&stop), "event");
	}
	~timer()
	{
		cudaEventDestroy(start);
		cudaEventDestroy(stop);
	}
	template <class RUN>
	void measure(RUN run)
	{
		float t;

		ms.clear();
		for (int i = 0; i <= NR_RUNS; i++) {
			must(cudaEventRecord(start), "event");
			run();
			must(cudaEventRecord(stop), "event");
			must(cudaEventSynchronize(stop), "run");
			must(cudaEventElapsedTime(&t, start, stop), "event");
			if (i)
				ms.push_back(t);
		}
		std::sort(ms.begin(), ms.end());
	}
	void print(const char *curve, const char *name, unsigned int log_n)
	{
		printf("{\"bench\": \"kernels\", \"name\": \"%s\", \"curve\": \"%s\", "
		       "\"backend\": \"cuda\", \"log2\": %u, \"runs\": %d, \"median_ns\": %.0f, "
		       "\"min_ns\": %.0f, \"max_ns\": %.0f}\n",
		       name, curve, log_n, NR_RUNS, ms[NR_RUNS / 2] * 1e6, ms[0] * 1e6,
		       ms[NR_RUNS - 1] * 1e6);
		fflush(stdout);
	}
};

template <class C>
static void bench_products(timer &t)
{
	using F = typename C::fr;
	constexpr unsigned int nr = 2000, threads = 128;
	constexpr size_t n = (size_t)1 << 20;
	fe<F> *v;

	must(cudaMalloc(&v, n * sizeof(*v)), "values");
	fill<F><<<n / 256, 256>>>(v, n, 1);
	t.measure([&] { products<F><<<n / threads, threads>>>(v, nr); });
	t.print(C::name, "fr_mul_x2000", 20);
	must(cudaGetLastError(), "products");
	must(cudaFree(v), "free");
}

template <class C>
static void bench_size(timer &t, unsigned int log_n)
{
	using F = typename C::fr;
	constexpr unsigned int sets = 7;
	size_t n = (size_t)1 << log_n, free_bytes, total;
	size_t tables = ntt_domain_bytes(log_n, sets);
	struct ntt_domain<F> d;
	struct lull_error error;
	unsigned char *memory;
	fe<F> *v[3];

	must(cudaMemGetInfo(&free_bytes, &total), "memory");
	if (tables + 3 * n * sizeof(fe<F>) > free_bytes) {
		fprintf(stderr, "bench_ntt: 2^%u does not fit\n", log_n);
		return;
	}
	must(cudaMalloc(&memory, tables), "tables");
	must_be_ok(ntt_domain_make<F>(log_n, sets, memory, 0, &d, &error), &error);
	for (unsigned int i = 0; i < 3; i++) {
		must(cudaMalloc(&v[i], n * sizeof(fe<F>)), "values");
		fill<F><<<(unsigned int)((n + 255) / 256), 256>>>(v[i], n, i << 30);
	}
	t.measure([&] { must_be_ok(ntt_forward<F>(d, v[0], 0, &error), &error); });
	t.print(C::name, "ntt", log_n);
	t.measure([&] { must_be_ok(ntt_inverse<F>(d, v[0], 0, &error), &error); });
	t.print(C::name, "intt", log_n);
	t.measure([&] {
		must_be_ok(quotient_run<F>(d, v[0], v[1], v[2], false, 0, &error), &error);
	});
	t.print(C::name, "quotient", log_n);
	t.measure(
		[&] { must_be_ok(quotient_run<F>(d, v[0], v[1], NULL, true, 0, &error), &error); });
	t.print(C::name, "quotient_folded", log_n);
	for (unsigned int i = 0; i < 3; i++)
		must(cudaFree(v[i]), "free");
	must(cudaFree(memory), "free");
}

int main(int argc, char **argv)
{
	unsigned int last = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 24;
	unsigned int first = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 20;
	timer t;

	bench_products<bls12_381>(t);
	bench_products<bn254>(t);
	for (unsigned int log_n = first; log_n <= last && log_n <= ntt_log_max; log_n++) {
		/* Even sizes, and the one of a PoRep partition. */
		if (log_n % 2 && log_n != 27)
			continue;
		bench_size<bls12_381>(t, log_n);
		bench_size<bn254>(t, log_n);
	}
	return 0;
}
