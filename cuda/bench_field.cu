// SPDX-License-Identifier: Apache-2.0
/*
 * bench_field.cu - products and point additions in registers alone
 *
 * A program for GPU hosts: one JSON line per field or group and operation.
 * Every thread works on values of its own, so the rates are what the integer
 * pipe gives, an upper bound for all that is built on them.  Refuses to run
 * without a device.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#include "group.cuh"

using namespace lull;

#define NR_RUNS 7

static void must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "bench_field: %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

/* a = op(a, b), over and over. */
struct op_mul {
	template <class E>
	static __device__ __forceinline__ void step(E &a, const E &b)
	{
		a = mul(a, b);
	}
};

struct op_sqr {
	template <class E>
	static __device__ __forceinline__ void step(E &a, const E &)
	{
		a = sqr(a);
	}
};

struct op_add {
	template <class E>
	static __device__ __forceinline__ void step(E &a, const E &b)
	{
		a = add(a, b);
	}
};

/* In large blocks, whose warps are spread evenly over a multiprocessor's
 * schedulers and go through the same instructions together; points of more than
 * 32 bytes a coordinate need more registers than these have. */
#define LARGE_BLOCK 512
#define SMALL_BLOCK 128

constexpr unsigned int point_threads(size_t coord_bytes)
{
	return coord_bytes == 32 ? LARGE_BLOCK : SMALL_BLOCK;
}

/* That share a multiprocessor, at least: what was found to be fastest. */
constexpr unsigned int point_blocks(size_t coord_bytes)
{
	return coord_bytes == 32 ? 1 : 2;
}

template <class E, class Op, unsigned int NT>
__global__ void __launch_bounds__(NT) field_loop(E *values, unsigned int nr_steps)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
	E a = values[i], b = values[i ^ 1];

#pragma unroll 1
	for (unsigned int k = 0; k < nr_steps; k += 2) {
		Op::step(a, b);
		Op::step(a, b);
	}
	values[i] = a;
}

/* Not points of a curve: the formulas' time does not depend on that. */
template <class E>
__global__ void __launch_bounds__(point_threads(sizeof(E)), point_blocks(sizeof(E)))
	xyzz_loop(E *values, unsigned int nr_steps)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
	affine<E> p = { values[i], values[i ^ 1] };
	xyzz<E> acc = { values[i ^ 2], values[i ^ 3], values[i ^ 4], values[i ^ 5] };

#pragma unroll 1
	for (unsigned int k = 0; k < nr_steps; k++)
		add_affine(acc, p);
	values[i] = add(add(acc.x, acc.y), add(acc.zz, acc.zzz));
}

/* The work of one batched affine addition: 5 products and a square. */
template <class E>
__global__ void __launch_bounds__(point_threads(sizeof(E)), point_blocks(sizeof(E)))
	affine_loop(E *values, unsigned int nr_steps)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
	affine<E> a = { values[i], values[i ^ 1] }, b = { values[i ^ 2], values[i ^ 3] };
	E inv = values[i ^ 4], prod = values[i ^ 5];

#pragma unroll 1
	for (unsigned int k = 0; k < nr_steps; k++) {
		E d = sub(b.x, a.x);

		prod = mul(prod, d);
		a = add_with_inverse(a, b, mul(inv, prod));
		inv = mul(inv, d);
	}
	values[i] = add(add(a.x, a.y), add(inv, prod));
}

template <class E>
static void run(const char *curve, const char *name, void (*kernel)(E *, unsigned int),
		unsigned int nr_steps, int nr_threads)
{
	int device, nr_sms, per_sm;
	std::vector<float> ms;
	cudaEvent_t start, stop;
	size_t nr;
	E *values;

	must(cudaGetDevice(&device), "cudaGetDevice");
	must(cudaDeviceGetAttribute(&nr_sms, cudaDevAttrMultiProcessorCount, device), "SMs");
	must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, nr_threads, 0),
	     "occupancy");
	nr = (size_t)nr_sms * per_sm * nr_threads;
	must(cudaMalloc(&values, nr * sizeof(E)), "cudaMalloc");
	{
		std::vector<uint32_t> words(nr * sizeof(E) / 4);

		srand(1);
		for (auto &w : words) /* top words below any modulus */
			w = (unsigned int)rand() & 0x0fffffff;
		must(cudaMemcpy(values, words.data(), nr * sizeof(E), cudaMemcpyHostToDevice),
		     "copy");
	}
	must(cudaEventCreate(&start), "event");
	must(cudaEventCreate(&stop), "event");
	for (int i = 0; i <= NR_RUNS; i++) {
		float t;

		must(cudaEventRecord(start), "event");
		kernel<<<nr_sms * per_sm, nr_threads>>>(values, nr_steps);
		must(cudaEventRecord(stop), "event");
		must(cudaGetLastError(), name);
		must(cudaEventSynchronize(stop), name);
		must(cudaEventElapsedTime(&t, start, stop), "event");
		if (i)
			ms.push_back(t);
	}
	std::sort(ms.begin(), ms.end());
	printf("{\"bench\": \"registers\", \"curve\": \"%s\", \"name\": \"%s\", "
	       "\"per_s\": %.4g, \"ms\": %.4f, \"ms_min\": %.4f, \"ms_max\": %.4f, "
	       "\"threads_per_sm\": %d}\n",
	       curve, name, nr * (double)nr_steps / (ms[NR_RUNS / 2] * 1e-3), ms[NR_RUNS / 2],
	       ms[0], ms[NR_RUNS - 1], per_sm * nr_threads);
	fflush(stdout);
	must(cudaFree(values), "cudaFree");
	cudaEventDestroy(start);
	cudaEventDestroy(stop);
}

/* So many steps of each kind of addition. */
template <class E>
static void run_points(const char *curve, const char *group, unsigned int nr_xyzz,
		       unsigned int nr_affine)
{
	const int threads = point_threads(sizeof(E));
	char name[32];

	snprintf(name, sizeof(name), "%s_xyzz_add_affine", group);
	run<E>(curve, name, xyzz_loop<E>, nr_xyzz, threads);
	snprintf(name, sizeof(name), "%s_affine_add_batched", group);
	run<E>(curve, name, affine_loop<E>, nr_affine, threads);
}

template <class C>
static void run_curve(void)
{
	using fr = fe<typename C::fr>;
	using fp = fe<typename C::fp>;
	using fp2 = fe2<typename C::fp>;
	const int nf = LARGE_BLOCK, n2 = SMALL_BLOCK;

	run<fr>(C::name, "fr_mul", field_loop<fr, op_mul, nf>, 2000, nf);
	run<fr>(C::name, "fr_sqr", field_loop<fr, op_sqr, nf>, 2000, nf);
	run<fr>(C::name, "fr_add", field_loop<fr, op_add, nf>, 20000, nf);
	run<fp>(C::name, "fp_mul", field_loop<fp, op_mul, nf>, 2000, nf);
	run<fp>(C::name, "fp_sqr", field_loop<fp, op_sqr, nf>, 2000, nf);
	run_points<fp>(C::name, "g1", 200, 300);
	run<fp2>(C::name, "fp2_mul", field_loop<fp2, op_mul, n2>, 600, n2);
	run<fp2>(C::name, "fp2_sqr", field_loop<fp2, op_sqr, n2>, 600, n2);
	run_points<fp2>(C::name, "g2", 60, 100);
}

int main(void)
{
	int nr = 0;

	if (cudaGetDeviceCount(&nr) != cudaSuccess || !nr) {
		fprintf(stderr, "bench_field: no CUDA device\n");
		return 1;
	}
	run_curve<bn254>();
	run_curve<bls12_381>();
	return 0;
}
