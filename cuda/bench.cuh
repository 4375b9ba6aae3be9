/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.cuh - what `lull bench kernels --backend cuda` measures, for one curve
 *
 * For inst_bn254.cu and inst_bls12_381.cu.  Operands are made on the device
 * before the clock starts and lie in memory of the device's budget: random
 * full-size scalars, and multiples of the generator by random 32-bit factors.  A sum's
 * time includes what the host adds up at its end.
 */
#ifndef LULL_CUDA_BENCH_CUH
#define LULL_CUDA_BENCH_CUH

#include <new>
#include <time.h>

#include "device.cuh"
#include "inst.cuh"
#include "msm_sample.cuh"

namespace lull
{

constexpr unsigned int bench_threads = 128;
/* Times that a kernel in registers repeats its operation. */
constexpr unsigned int register_steps = 1000;
constexpr double bench_ns_per_ms = 1e6;

/**
 * struct bench - one prepared measurement
 * @device: where
 * @curve: of which curve
 * @log2_n: of which size
 * @nr: items
 * @block: device memory, with its bytes
 * @pinned: what a sum leaves
 * @stream: launches go there
 * @begun: before a run
 * @ended: after it
 * @launch: what is timed
 * @gather: the host's part behind it; may be NULL
 * @plan: of a sum
 * @state: of curve_ops
 * @part: where operands lie in the block
 */
struct bench {
	struct device *device;
	const struct curve_ops *curve;
	unsigned int log2_n;
	size_t nr;
	uint8_t *block;
	uint64_t bytes;
	void *pinned;
	cudaStream_t stream;
	cudaEvent_t begun, ended;
	int (*launch)(struct bench *b, struct lull_error *reterr);
	void (*gather)(struct bench *b);
	struct msm_plan plan;
	void *state;
	uint8_t *part[4];
};

static inline unsigned int bench_blocks(size_t nr)
{
	return (unsigned int)((nr + bench_threads - 1) / bench_threads);
}

/* ---- operands ---------------------------------------------------------- */

/* Elements below the modulus; as scalars, random integers below r. */
template <class F>
__global__ void fill_random(fe<F> *values, size_t nr)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	fe<F> x;

	if (i >= nr)
		return;
	for (unsigned int w = 0; w < F::nr_words; w++)
		x.l[w] = (uint32_t)sample_hash(i * F::nr_words + w);
	/* Below 2^bits, which is less than twice the modulus. */
	x.l[F::nr_words - 1] &= 0xffffffffu >> (32 * F::nr_words - F::bits); /* all ones */
	values[i] = reduce_once(x);
}

/* The generator of a group, from userspace/curve/gen/. */
template <class G>
struct generator;

/* An element of Fp2 as userspace/curve/gen/ writes it. */
template <unsigned int NR>
struct limbs_of_fp2 {
	struct {
		uint64_t l[NR];
	} c0, c1;
};

template <class G>
static affine<typename G::coord> affine_of(const void *x, const void *y)
{
	affine<typename G::coord> p;

	memcpy(&p.x, x, sizeof(p.x));
	memcpy(&p.y, y, sizeof(p.y));
	return p;
}

template <class G>
static int upload_generator(void *to, cudaStream_t stream, struct lull_error *reterr)
{
	const affine<typename G::coord> p = generator<G>::get();

	CUDA_TRY(cudaMemcpyAsync(to, &p, sizeof(p), cudaMemcpyHostToDevice, stream), reterr);
	/* p is this function's. */
	CUDA_TRY(cudaStreamSynchronize(stream), reterr);
	return LULL_OK;
}

/* ---- beginning and end ------------------------------------------------- */

static inline void bench_done(void *opaque)
{
	struct bench *b = (struct bench *)opaque;

	if (!b)
		return;
	cudaSetDevice(b->device->gpu);
	if (b->stream) {
		cudaStreamSynchronize(b->stream);
		cudaStreamDestroy(b->stream);
	}
	if (b->begun)
		cudaEventDestroy(b->begun);
	if (b->ended)
		cudaEventDestroy(b->ended);
	if (b->pinned)
		cudaFreeHost(b->pinned);
	device_free(b->device, b->block, b->bytes);
	free(b->state);
	delete b;
}

/* Allocates parts, and events and a stream. */
static inline int bench_carve(struct bench *b, const uint64_t *bytes, unsigned int nr_parts,
			      struct lull_error *reterr)
{
	uint64_t at = 0;
	unsigned int i;

	for (i = 0; i < nr_parts; i++)
		b->bytes += (bytes[i] + part_align - 1) / part_align * part_align;
	LULL_TRY(device_use(b->device, reterr));
	LULL_TRY(device_alloc(b->device, b->bytes, "operands", (void **)&b->block, reterr));
	for (i = 0; i < nr_parts; i++) {
		b->part[i] = b->block + at;
		at += (bytes[i] + part_align - 1) / part_align * part_align;
	}
	CUDA_TRY(cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking), reterr);
	CUDA_TRY(cudaEventCreate(&b->begun), reterr);
	CUDA_TRY(cudaEventCreate(&b->ended), reterr);
	return LULL_OK;
}

static inline int bench_run(void *opaque, uint64_t *ret_ns, struct lull_error *reterr)
{
	struct bench *b = (struct bench *)opaque;
	struct timespec from, to;
	uint64_t ns;
	float ms;

	LULL_TRY(device_use(b->device, reterr));
	CUDA_TRY(cudaEventRecord(b->begun, b->stream), reterr);
	LULL_TRY(b->launch(b, reterr));
	CUDA_TRY(cudaEventRecord(b->ended, b->stream), reterr);
	CUDA_TRY(cudaStreamSynchronize(b->stream), reterr);
	CUDA_TRY(cudaEventElapsedTime(&ms, b->begun, b->ended), reterr);
	ns = (uint64_t)(ms * bench_ns_per_ms);
	if (b->gather) {
		clock_gettime(CLOCK_MONOTONIC, &from);
		b->gather(b);
		clock_gettime(CLOCK_MONOTONIC, &to);
		ns += (uint64_t)((to.tv_sec - from.tv_sec) * 1000000000ll + to.tv_nsec -
				 from.tv_nsec);
	}
	*ret_ns = ns;
	return LULL_OK;
}

/* Makes a bench, has it filled, and undoes it when that fails. */
static inline int bench_prepare(void *device, const struct curve_ops *curve, unsigned int log2_n,
				int (*fill)(struct bench *b, struct lull_error *reterr),
				void **ret_state, size_t *ret_nr_items, struct lull_error *reterr)
{
	struct bench *b = new (std::nothrow) struct bench();
	int err;

	if (!b)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a bench");
	b->device = (struct device *)device;
	b->curve = curve;
	b->log2_n = log2_n;
	b->nr = (size_t)1 << log2_n;
	err = fill(b, reterr);
	if (!err && cudaStreamSynchronize(b->stream) != cudaSuccess)
		err = lull_fail(reterr, LULL_DEVICE, "making operands: %s",
				cudaGetErrorString(cudaGetLastError()));
	if (err) {
		bench_done(b);
		return err;
	}
	*ret_state = b;
	*ret_nr_items = b->nr;
	return LULL_OK;
}

/* ---- in registers ------------------------------------------------------ */

template <class E>
__global__ void __launch_bounds__(bench_threads) mul_steps(E *values)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
	E a = values[i], b = values[i ^ 1];

#pragma unroll 1
	for (unsigned int k = 0; k < register_steps; k++)
		a = mul(a, b);
	values[i] = a;
}

/* Not points of a curve: the formulas' time does not depend on that. */
template <class E>
__global__ void __launch_bounds__(bench_threads) add_steps(E *values)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
	affine<E> p = { values[i], values[i ^ 1] };
	xyzz<E> acc = { values[i ^ 2], values[i ^ 3], values[i ^ 4], values[i ^ 5] };

#pragma unroll 1
	for (unsigned int k = 0; k < register_steps; k++)
		add_affine(acc, p);
	values[i] = add(add(acc.x, acc.y), add(acc.zz, acc.zzz));
}

/* The number of threads that the device holds at once. */
template <class E>
static int register_threads(struct bench *b, void (*kernel)(E *), struct lull_error *reterr)
{
	int per_sm;

	LULL_TRY(device_use(b->device, reterr));
	CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, bench_threads, 0),
		 reterr);
	b->nr = (size_t)b->device->nr_sms * per_sm * bench_threads;
	return LULL_OK;
}

template <class F, class E, void (*Kernel)(E *)>
static int launch_register(struct bench *b, struct lull_error *reterr)
{
	unsigned int blocks = (unsigned int)(b->nr / register_steps / bench_threads);

	Kernel<<<blocks, bench_threads, 0, b->stream>>>((E *)b->part[0]);
	CUDA_TRY(cudaGetLastError(), reterr);
	return LULL_OK;
}

template <class F, class E, void (*Kernel)(E *)>
static int fill_register(struct bench *b, struct lull_error *reterr)
{
	uint64_t bytes;
	size_t nr;

	LULL_TRY(register_threads<E>(b, Kernel, reterr));
	bytes = b->nr * sizeof(E);
	LULL_TRY(bench_carve(b, &bytes, 1, reterr));
	nr = bytes / sizeof(fe<F>);
	fill_random<F><<<bench_blocks(nr), bench_threads, 0, b->stream>>>((fe<F> *)b->part[0], nr);
	CUDA_TRY(cudaGetLastError(), reterr);
	b->nr *= register_steps;
	b->launch = launch_register<F, E, Kernel>;
	return LULL_OK;
}

/* ---- transforms -------------------------------------------------------- */

template <class C>
static int launch_ntt(struct bench *b, struct lull_error *reterr)
{
	using F = typename C::fr;

	return ntt_forward<F>(*(ntt_domain<F> *)b->state, (fe<F> *)b->part[0], b->stream, reterr);
}

template <class C>
static int fill_ntt(struct bench *b, struct lull_error *reterr)
{
	using F = typename C::fr;
	const unsigned int sets = 1u << NTT_SET_FORWARD;
	const uint64_t bytes[] = { b->nr * sizeof(fe<F>), ntt_domain_bytes(b->log2_n, sets) };

	b->state = calloc(1, sizeof(ntt_domain<F>));
	if (!b->state)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a bench");
	LULL_TRY(bench_carve(b, bytes, 2, reterr));
	fill_random<F>
		<<<bench_blocks(b->nr), bench_threads, 0, b->stream>>>((fe<F> *)b->part[0], b->nr);
	CUDA_TRY(cudaGetLastError(), reterr);
	b->launch = launch_ntt<C>;
	return ntt_domain_make<F>(b->log2_n, sets, b->part[1], b->stream, (ntt_domain<F> *)b->state,
				  reterr);
}

static inline int launch_quotient(struct bench *b, struct lull_error *reterr)
{
	return b->curve->quotient(b->state, b->part[0], b->part[1], b->part[2], false, b->stream,
				  reterr);
}

template <class C>
static int fill_quotient(struct bench *b, struct lull_error *reterr)
{
	using F = typename C::fr;
	const uint64_t bytes[] = { b->nr * sizeof(fe<F>), b->nr * sizeof(fe<F>),
				   b->curve->quotient_scratch(b->log2_n, false),
				   b->curve->tables_bytes(b->log2_n) };

	b->state = calloc(1, b->curve->state_bytes);
	if (!b->state)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a bench");
	LULL_TRY(bench_carve(b, bytes, 4, reterr));
	for (unsigned int i = 0; i < 2; i++)
		fill_random<F><<<bench_blocks(b->nr), bench_threads, 0, b->stream>>>(
			(fe<F> *)b->part[i], b->nr);
	CUDA_TRY(cudaGetLastError(), reterr);
	b->launch = launch_quotient;
	return b->curve->tables_make(b->state, b->log2_n, b->part[3], b->stream, reterr);
}

/* ---- sums -------------------------------------------------------------- */

template <class G>
static int launch_sum(struct bench *b, struct lull_error *reterr)
{
	const struct sum_ops *sum = &b->curve->sums[G::group - 1];

	return sum->run(&b->plan, b->part[0], b->part[1], NULL, b->nr, b->part[2], b->pinned,
			b->stream, reterr);
}

template <class G>
static void gather_sum(struct bench *b)
{
	const struct sum_ops *sum = &b->curve->sums[G::group - 1];
	alignas(part_align) uint8_t acc[acc_bytes] = {};
	uint8_t point[LULL_POINT_BYTES_MAX];

	sum->gather(&b->plan, b->pinned, false, acc);
	sum->finish(acc, point);
}

/* All the copies that the plan likes, if the device holds them. */
template <class G>
static int plan_sum_bench(struct bench *b, struct lull_error *reterr)
{
	uint64_t left = device_left_bytes(b->device), scalars = b->nr * scalar_bytes;
	struct msm_shape shape = {};

	shape.curve = G::curve::id;
	shape.group = G::group;
	shape.nr_points = b->nr;
	shape.nr_scalars = b->nr;
	shape.nr_sms = b->device->nr_sms;
	shape.method = MSM_AFFINE;
	shape.nr_levels = -1;
	/* A share for the table, the rest for scratch. */
	shape.table_bytes_max = left > scalars ? (left - scalars) / 3 * 2 : 0;
	return msm_plan_make(&shape, &b->plan, reterr);
}

template <class G>
static int fill_sum(struct bench *b, struct lull_error *reterr)
{
	using E = typename G::coord;
	using F = typename G::curve::fr;
	uint64_t bytes[4] = { 0, b->nr * scalar_bytes, 0, sizeof(affine<E>) };

	LULL_TRY(plan_sum_bench<G>(b, reterr));
	bytes[0] = b->plan.table_bytes;
	bytes[2] = b->plan.scratch.bytes;
	LULL_TRY(bench_carve(b, bytes, 4, reterr));
	CUDA_TRY(cudaHostAlloc(&b->pinned, sizeof(struct msm_sums<G>), cudaHostAllocDefault),
		 reterr);
	LULL_TRY(upload_generator<G>(b->part[3], b->stream, reterr));
	sample_points<E><<<(unsigned int)((b->nr + MSM_AFFINE_THREADS - 1) / MSM_AFFINE_THREADS),
			   MSM_AFFINE_THREADS, 0, b->stream>>>(
		(affine<E> *)b->part[0], (uint32_t)b->nr, (const affine<E> *)b->part[3]);
	CUDA_TRY(cudaGetLastError(), reterr);
	fill_random<F>
		<<<bench_blocks(b->nr), bench_threads, 0, b->stream>>>((fe<F> *)b->part[1], b->nr);
	CUDA_TRY(cudaGetLastError(), reterr);
	b->launch = launch_sum<G>;
	b->gather = gather_sum<G>;
	return msm_prepare<G>(&b->plan, b->part[0], b->stream, reterr);
}

/* ---- the table --------------------------------------------------------- */

/* A kernel's prepare() for a curve: fills a bench with its fill(). */
template <const struct curve_ops *Curve, int (*Fill)(struct bench *, struct lull_error *)>
static int prepare(void *device, unsigned int log2_n, void **ret_state, size_t *ret_nr_items,
		   struct lull_error *reterr)
{
	return bench_prepare(device, Curve, log2_n, Fill, ret_state, ret_nr_items, reterr);
}

template <const struct curve_ops *Curve, int (*Fill)(struct bench *, struct lull_error *)>
static constexpr struct lull_backend_kernel kernel_of(const char *name, bool sized)
{
	return { name, sized, prepare<Curve, Fill>, bench_run, bench_done };
}

/* All of one curve trait, in the order of the CPU's rows. */
#define LULL_CURVE_KERNELS(C, curve)                                                               \
	{                                                                                          \
		kernel_of<&curve, fill_register<C::fp, fe<C::fp>, mul_steps>>("fp_mul", false),    \
			kernel_of<&curve, fill_register<C::fr, fe<C::fr>, mul_steps>>("fr_mul",    \
										      false),      \
			kernel_of<&curve, fill_register<C::fp, fe2<C::fp>, mul_steps>>("fp2_mul",  \
										       false),     \
			kernel_of<&curve, fill_register<C::fp, fe<C::fp>, add_steps>>("g1_add",    \
										      false),      \
			kernel_of<&curve, fill_register<C::fp, fe2<C::fp>, add_steps>>("g2_add",   \
										       false),     \
			kernel_of<&curve, fill_ntt<C>>("ntt", true),                               \
			kernel_of<&curve, fill_quotient<C>>("quotient", true),                     \
			kernel_of<&curve, fill_sum<C##_g1>>("msm_g1", true),                       \
			kernel_of<&curve, fill_sum<C##_g2>>("msm_g2", true),                       \
	}

} /* namespace lull */

#endif
