// SPDX-License-Identifier: Apache-2.0
/*
 * bench_msm.cu - multi-scalar multiplications, resident data, random scalars
 *
 * A program for GPU hosts.  Each argument names one measurement:
 *
 *	bench_msm bn254:g1:22 bls12_381:g2:20,method=xyzz,bits=17,levels=5
 *
 * and gives one JSON line: median, minimum and maximum of 7 runs after one
 * that is not counted, from the first launch to the sums on the host, and
 * whether the result was right (msm_sample.cuh).  A wrong result ends the
 * program with 1.  Refuses to run without a device.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "msm_sample.cuh"

using namespace lull;

#define NR_RUNS 7

static void must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "bench_msm: %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

static void must_be_ok(int rc, const struct lull_error *error)
{
	if (!rc)
		return;
	fprintf(stderr, "bench_msm: %s\n", error->msg);
	exit(1);
}

template <class G>
struct generator;
template <>
struct generator<bn254_g1> {
	static constexpr uint64_t x[4] = BN254_G1_X, y[4] = BN254_G1_Y;
};
template <>
struct generator<bls12_381_g1> {
	static constexpr uint64_t x[6] = BLS12_381_G1_X, y[6] = BLS12_381_G1_Y;
};

struct pair_bn254 {
	struct {
		uint64_t l[4];
	} c0, c1;
};
struct pair_bls12_381 {
	struct {
		uint64_t l[6];
	} c0, c1;
};
template <>
struct generator<bn254_g2> {
	static constexpr pair_bn254 x = BN254_G2_X, y = BN254_G2_Y;
};
template <>
struct generator<bls12_381_g2> {
	static constexpr pair_bls12_381 x = BLS12_381_G2_X, y = BLS12_381_G2_Y;
};

template <class G>
static affine<typename G::coord> generator_of(void)
{
	affine<typename G::coord> g;

	static_assert(sizeof(generator<G>::x) == sizeof(g.x), "a coordinate");
	memcpy((void *)&g.x, &generator<G>::x, sizeof(g.x));
	memcpy((void *)&g.y, &generator<G>::y, sizeof(g.y));
	return g;
}

/* What one measurement needs on the device. */
template <class G>
struct sample {
	using E = typename G::coord;
	using fr = typename G::curve::fr;
	struct msm_plan plan;
	void *table, *scratch;
	fe<fr> *scalars;
	struct msm_sums<G> *sums;
	float prepare_ms;
};

template <class G>
static void sample_make(struct sample<G> *s, const struct msm_shape *shape)
{
	using E = typename G::coord;
	affine<E> g = generator_of<G>(), *at;
	uint32_t nr = (uint32_t)shape->nr_points;
	struct lull_error error;
	cudaEvent_t start, stop;

	must_be_ok(msm_plan_make(shape, &s->plan, &error), &error);
	must(cudaMalloc(&s->table, s->plan.table_bytes), "table");
	must(cudaMalloc(&s->scratch, s->plan.scratch.bytes), "scratch");
	must(cudaMalloc(&s->scalars, nr * sizeof(*s->scalars)), "scalars");
	must(cudaMallocHost(&s->sums, sizeof(*s->sums)), "sums");
	must(cudaMalloc(&at, sizeof(g)), "generator");
	must(cudaMemcpy(at, &g, sizeof(g), cudaMemcpyHostToDevice), "copy");
	sample_points<E>
		<<<(nr + MSM_AFFINE_THREADS - 1) / MSM_AFFINE_THREADS, MSM_AFFINE_THREADS>>>(
			(affine<E> *)s->table, nr, at);
	must(cudaGetLastError(), "sample_points");
	must(cudaEventCreate(&start), "event");
	must(cudaEventCreate(&stop), "event");
	must(cudaEventRecord(start), "event");
	must_be_ok(msm_prepare<G>(&s->plan, s->table, 0, &error), &error);
	must(cudaEventRecord(stop), "event");
	must(cudaDeviceSynchronize(), "prepare");
	must(cudaEventElapsedTime(&s->prepare_ms, start, stop), "event");
	must(cudaFree(at), "cudaFree");
	cudaEventDestroy(start);
	cudaEventDestroy(stop);
}

/* Is the sum on the host (sum of m_i s_i) G? */
template <class G>
static bool sample_is_right(const struct sample<G> *s)
{
	using E = typename G::coord;
	using fr = typename G::curve::fr;
	std::vector<fe<fr>> parts(SAMPLE_SUM_THREADS);
	xyzz<E> want = xyzz<E>::infinity(), got = msm_finish<G>(&s->plan, s->sums);
	affine<E> g = generator_of<G>(), a, b;
	fe<fr> *sums, k = fe<fr>::zero();

	must(cudaMalloc(&sums, SAMPLE_SUM_THREADS * sizeof(*sums)), "sums");
	sample_sum<fr>
		<<<SAMPLE_SUM_BLOCKS, 256>>>(sums, s->scalars, (uint32_t)s->plan.shape.nr_scalars);
	must(cudaGetLastError(), "sample_sum");
	must(cudaMemcpy(parts.data(), sums, SAMPLE_SUM_THREADS * sizeof(*sums),
			cudaMemcpyDeviceToHost),
	     "copy");
	must(cudaFree(sums), "cudaFree");
	for (const auto &part : parts)
		k = add(k, part);
	k = to_plain(k);
	for (int bit = 255; bit >= 0; bit--) {
		want = dbl(want);
		if (k.l[bit / 32] >> (bit % 32) & 1)
			add_affine(want, g);
	}
	to_affine(&a, &want);
	to_affine(&b, &got);
	return equal(a.x, b.x) && equal(a.y, b.y);
}

/* As enum msm_method. */
static const char *const method_names[] = { "affine", "xyzz" };

template <class G>
static bool measure(const struct msm_shape *shape, unsigned int log2_nr)
{
	using fr = typename G::curve::fr;
	struct sample<G> s {
	};
	std::vector<float> ms;
	struct lull_error error;
	cudaEvent_t start, stop;
	bool right = true;

	sample_make<G>(&s, shape);
	must(cudaEventCreate(&start), "event");
	must(cudaEventCreate(&stop), "event");
	for (int i = 0; i <= NR_RUNS; i++) {
		uint32_t nr = (uint32_t)shape->nr_scalars;
		float t;

		sample_scalars<fr><<<(nr + 255) / 256, 256>>>(s.scalars, nr, (uint64_t)i << 40);
		must(cudaEventRecord(start), "event");
		must_be_ok(msm_run<G>(&s.plan, s.table, s.scalars, MSM_PLAIN, NULL, nr, s.scratch,
				      s.sums, 0, &error),
			   &error);
		must(cudaEventRecord(stop), "event");
		must(cudaEventSynchronize(stop), "msm_run");
		must(cudaEventElapsedTime(&t, start, stop), "event");
		if (i)
			ms.push_back(t);
		if (!i || i == NR_RUNS)
			right = right && sample_is_right<G>(&s);
	}
	std::sort(ms.begin(), ms.end());
	printf("{\"bench\": \"kernels\", \"name\": \"msm_g%d\", \"curve\": \"%s\", "
	       "\"backend\": \"cuda\", \"log2_n\": %u, \"runs\": %d, \"median_ns\": %.0f, "
	       "\"min_ns\": %.0f, \"max_ns\": %.0f, \"method\": \"%s\", \"right\": %s, "
	       "\"windows\": %u, \"copies\": %u, \"buckets\": %u, \"part_sets\": %u, "
	       "\"chunk_refs\": %zu, \"levels\": %u, \"batch\": %u, \"table_bytes\": %zu, "
	       "\"scratch_bytes\": %zu, \"prepare_ns\": %.0f}\n",
	       G::group, G::curve::name, log2_nr, NR_RUNS, ms[NR_RUNS / 2] * 1e6, ms[0] * 1e6,
	       ms[NR_RUNS - 1] * 1e6, method_names[shape->method], right ? "true" : "false",
	       s.plan.nr_windows, s.plan.nr_copies, s.plan.nr_buckets, s.plan.part_sets,
	       s.plan.chunk_refs, s.plan.nr_levels, s.plan.batch, s.plan.table_bytes,
	       s.plan.scratch.bytes, s.prepare_ms * 1e6);
	fflush(stdout);
	must(cudaFree(s.table), "cudaFree");
	must(cudaFree(s.scratch), "cudaFree");
	must(cudaFree(s.scalars), "cudaFree");
	must(cudaFreeHost(s.sums), "cudaFreeHost");
	cudaEventDestroy(start);
	cudaEventDestroy(stop);
	return right;
}

/* The options after a comma: name=value. */
static bool parse_option(const char *text, struct msm_shape *shape)
{
	const char *value = strchr(text, '=');
	size_t n = value ? (size_t)(value - text) : 0;

	if (!value)
		return false;
	value++;
	if (!strncmp(text, "method", n))
		shape->method = !strcmp(value, "xyzz") ? MSM_XYZZ : MSM_AFFINE;
	else if (!strncmp(text, "bits", n))
		shape->window_bits = (unsigned int)strtoul(value, NULL, 10);
	else if (!strncmp(text, "part", n))
		shape->part_sets = (unsigned int)strtoul(value, NULL, 10);
	else if (!strncmp(text, "levels", n))
		shape->nr_levels = (int)strtol(value, NULL, 10);
	else if (!strncmp(text, "batch", n))
		shape->batch = (unsigned int)strtoul(value, NULL, 10);
	else if (!strncmp(text, "table", n))
		shape->table_bytes_max = strtoull(value, NULL, 10);
	else if (!strncmp(text, "scratch", n))
		shape->scratch_bytes_max = strtoull(value, NULL, 10);
	else
		return false;
	return true;
}

static bool run(char *text, unsigned int nr_sms)
{
	struct msm_shape shape = {};
	char *word = strtok_r(text, ",", &text);
	unsigned int log2_nr, group;
	size_t free_bytes, total_bytes;
	char curve[16];
	bool ok;

	if (!word || sscanf(word, "%15[^:]:g%u:%u", curve, &group, &log2_nr) != 3) {
		fprintf(stderr, "bench_msm: curve:gN:log2[,option=value...]\n");
		exit(2);
	}
	must(cudaMemGetInfo(&free_bytes, &total_bytes), "memory");
	shape.curve = strcmp(curve, "bn254") ? LULL_CURVE_BLS12_381 : LULL_CURVE_BN254;
	shape.group = (int)group;
	shape.nr_points = shape.nr_scalars = (size_t)1 << log2_nr;
	shape.table_bytes_max = free_bytes / 3 * 2;
	shape.nr_sms = nr_sms;
	shape.nr_levels = -1;
	while ((word = strtok_r(text, ",", &text))) {
		if (!parse_option(word, &shape)) {
			fprintf(stderr, "bench_msm: option %s?\n", word);
			exit(2);
		}
	}
	if (shape.curve == LULL_CURVE_BN254)
		ok = group == 1 ? measure<bn254_g1>(&shape, log2_nr)
				: measure<bn254_g2>(&shape, log2_nr);
	else
		ok = group == 1 ? measure<bls12_381_g1>(&shape, log2_nr)
				: measure<bls12_381_g2>(&shape, log2_nr);
	return ok;
}

int main(int argc, char **argv)
{
	int nr = 0, nr_sms;
	bool ok = true;

	if (cudaGetDeviceCount(&nr) != cudaSuccess || !nr) {
		fprintf(stderr, "bench_msm: no CUDA device\n");
		return 1;
	}
	must(cudaDeviceGetAttribute(&nr_sms, cudaDevAttrMultiProcessorCount, 0), "SMs");
	for (int i = 1; i < argc; i++)
		ok = run(argv[i], (unsigned int)nr_sms) && ok;
	return !ok;
}
