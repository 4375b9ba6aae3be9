// SPDX-License-Identifier: Apache-2.0
/*
 * bench_spmv.cu - sparse products and classes over a circuit of PoRep's shape
 *
 * A program for GPU hosts: JSON lines, medians of 7 runs after one that is not
 * counted, timed by events.  Rows and entries stand to each other as in a 32
 * GiB PoRep partition, which has 309 M entries in A and 130 M in B on 130 M
 * rows, and of the witness 2 % are full-size and half of the rest ones.
 * Columns are near their rows, as in circuits, or anywhere.
 *
 *	bench_spmv [log2 of the rows]
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#include "classify.cuh"
#include "spmv.cuh"

extern "C" {
#include "base/base.h"
#include "base/workers.h"
}

using namespace lull;

#define NR_RUNS 7
#define RECORD_BYTES 44

static void must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "bench_spmv: %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

static void must_be_ok(int rc, const struct lull_error *error)
{
	if (!rc)
		return;
	fprintf(stderr, "bench_spmv: %s\n", error->msg);
	exit(1);
}

static uint64_t next(uint64_t *state)
{
	/* splitmix64's constants */
	constexpr uint64_t step = 0x9e3779b97f4a7c15u, m0 = 0xbf58476d1ce4e5b9u,
			   m1 = 0x94d049bb133111ebu;
	uint64_t z = *state += step;

	z = (z ^ z >> 30) * m0;
	z = (z ^ z >> 27) * m1;
	return z ^ z >> 31;
}

struct sample {
	unsigned int log_n;
	size_t n, nr_coefs;
	bool near;
	uint8_t *records;
	uint64_t (*witness)[4];
	uint64_t values[200][4];
	size_t nr_tasks;
};

/* Entries of row i in A and in B: 2.375 and 1 on the average, 40 in each 64th
 * row of A. */
static uint32_t nr_of(size_t i, uint32_t matrix)
{
	if (matrix)
		return 1;
	if (i % 64 == 0)
		return 40;
	return i % 16 < 13 ? 2 : 1;
}

/* Records of 64 rows, of both matrices. */
static size_t records_each(void)
{
	size_t sum = 0;

	for (size_t i = 0; i < 64; i++)
		sum += nr_of(i, 0) + nr_of(i, 1);
	return sum;
}

static void put(const struct sample *s, uint8_t **at, uint32_t matrix, size_t row, uint64_t *state)
{
	uint64_t dice = next(state);
	uint32_t row32 = (uint32_t)row, column;
	/* Most coefficients are among a few. */
	uint32_t value = dice % 8 ? dice / 8 % 4 : dice / 8 % 200;

	if (s->near)
		column = (uint32_t)((row + (dice >> 40) % 4096) & (s->n - 1));
	else
		column = (uint32_t)(dice >> 32) & (uint32_t)(s->n - 1);
	memcpy(*at, &matrix, 4);
	memcpy(*at + 4, &row32, 4);
	memcpy(*at + 8, &column, 4);
	memcpy(*at + 12, s->values[value], 32);
	*at += RECORD_BYTES;
}

static void fill_task(void *arg, size_t task, unsigned int slot)
{
	const struct sample *s = (const struct sample *)arg;
	uint64_t state = task + 1, dice;
	uint8_t *at;
	size_t lo, hi;

	(void)slot;
	lull_workers_split(s->n, s->nr_tasks, task, 64, &lo, &hi);
	at = s->records + lo / 64 * records_each() * RECORD_BYTES;
	for (size_t i = lo; i < hi; i++) {
		for (uint32_t matrix = 0; matrix < 2; matrix++)
			for (uint32_t k = 0; k < nr_of(i, matrix); k++)
				put(s, &at, matrix, i, &state);
		dice = next(&state);
		memset(s->witness[i], 0, 32);
		if (dice % 50)
			s->witness[i][0] = dice >> 32 & 1;
		else
			for (unsigned int k = 0; k < 4; k++)
				s->witness[i][k] = next(&state) >> 4;
	}
}

static void make_sample(struct sample *s, unsigned int log_n, bool near,
			struct lull_workers *workers)
{
	uint64_t state = 7;

	s->log_n = log_n;
	s->n = (size_t)1 << log_n;
	s->near = near;
	s->nr_coefs = s->n / 64 * records_each();
	s->records = (uint8_t *)malloc(s->nr_coefs * RECORD_BYTES);
	s->witness = (uint64_t(*)[4])malloc(s->n * 32);
	if (!s->records || !s->witness) {
		fprintf(stderr, "bench_spmv: no memory for 2^%u rows\n", log_n);
		exit(1);
	}
	for (auto &v : s->values)
		for (uint64_t &l : v)
			l = next(&state) >> 4; /* below both moduli */
	s->nr_tasks = 4 * lull_workers_nr(workers);
	lull_workers_run(workers, s->nr_tasks, fill_task, s);
}

template <class RUN>
static void measure(const struct sample *s, const char *curve, const char *name, RUN run)
{
	cudaEvent_t start, stop;
	std::vector<float> ms;
	float t;

	must(cudaEventCreate(&start), "event");
	must(cudaEventCreate(&stop), "event");
	for (int i = 0; i <= NR_RUNS; i++) {
		must(cudaEventRecord(start), "event");
		run();
		must(cudaEventRecord(stop), "event");
		must(cudaEventSynchronize(stop), name);
		must(cudaEventElapsedTime(&t, start, stop), "event");
		if (i)
			ms.push_back(t);
	}
	std::sort(ms.begin(), ms.end());
	printf("{\"bench\": \"kernels\", \"name\": \"%s\", \"curve\": \"%s\", \"backend\": "
	       "\"cuda\", \"log2\": %u, \"columns\": \"%s\", \"entries\": %zu, \"runs\": %d, "
	       "\"median_ns\": %.0f, \"min_ns\": %.0f, \"max_ns\": %.0f}\n",
	       name, curve, s->log_n, s->near ? "near" : "anywhere", s->nr_coefs, NR_RUNS,
	       ms[NR_RUNS / 2] * 1e6, ms[0] * 1e6, ms[NR_RUNS - 1] * 1e6);
	fflush(stdout);
	cudaEventDestroy(start);
	cudaEventDestroy(stop);
}

template <class T>
static T *take(size_t bytes)
{
	void *p;

	must(cudaMalloc(&p, bytes), "cudaMalloc");
	return (T *)p;
}

template <class C>
static void bench(const struct sample *s, struct lull_workers *workers)
{
	using F = typename C::fr;
	const struct spmv_records records = { s->records, s->nr_coefs, NULL };
	struct spmv_plan plan;
	struct lull_error error;
	uint32_t *counts;

	must_be_ok(spmv_plan_make(&records, s->log_n, s->n, workers, &plan, &error), &error);
	std::vector<uint8_t> host(plan.host_bytes);
	uint8_t *dictionary = take<uint8_t>(plan.dictionary_bytes + plan.block_bytes_max);
	uint8_t *block = dictionary + plan.dictionary_bytes;
	void *scratch = take<void>(plan.scratch_bytes);
	void *witness = take<void>(s->n * 32);
	fe<F> *a = take<fe<F>>(s->n * 32), *b = take<fe<F>>(s->n * 32);
	uint32_t *ones = take<uint32_t>(s->n * 4), *others = take<uint32_t>(s->n * 4);
	void *room = take<void>(classify_scratch_bytes(s->n));

	must(cudaMallocHost(&counts, 8), "pinned memory");
	must(cudaMemcpy(witness, s->witness, s->n * 32, cudaMemcpyHostToDevice), "witness");
	must_be_ok(spmv_fill(&plan, &records, workers, host.data(), &error), &error);
	must(cudaMemcpy(dictionary, host.data(), plan.nr_coefs * sizeof(fe<F>), cudaMemcpyDefault),
	     "coefficients");
	must(cudaMemcpy(block, &host[plan.blocks[0].at], plan.blocks[0].host_bytes,
			cudaMemcpyDefault),
	     "matrices");
	must_be_ok(spmv_prepare<F>(&plan, dictionary, 0, &error), &error);
	must_be_ok(spmv_prepare_block<F>(&plan, 0, block, 0, &error), &error);
	measure(s, C::name, "spmv", [&] {
		must_be_ok(spmv_begin(&plan, witness, NULL, scratch, 0, &error), &error);
		must_be_ok(
			spmv_run<F>(&plan, 0, dictionary, block, witness, a, b, scratch, 0, &error),
			&error);
	});
	measure(s, C::name, "classify", [&] {
		must_be_ok(classify(witness, s->n, ones, others, counts, room, 0, &error), &error);
	});
	spmv_plan_done(&plan);
	for (void *p : { (void *)dictionary, scratch, witness, (void *)a, (void *)b, (void *)ones,
			 (void *)others, room })
		must(cudaFree(p), "cudaFree");
	must(cudaFreeHost(counts), "pinned memory");
}

int main(int argc, char **argv)
{
	unsigned int log_n = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 24;
	struct lull_workers *workers;
	struct lull_error error;
	struct sample s;

	if (log_n < 6 || log_n > 28) {
		fprintf(stderr, "bench_spmv: 2^6 to 2^28 rows\n");
		return 2;
	}
	must_be_ok(lull_workers_create(0, &workers, &error), &error);
	for (int near = 1; near >= 0; near--) {
		make_sample(&s, log_n, near, workers);
		bench<bls12_381>(&s, workers);
		if (near)
			bench<bn254>(&s, workers);
		free(s.records);
		free(s.witness);
	}
	lull_workers_destroy(workers);
	return 0;
}
