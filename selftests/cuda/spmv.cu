// SPDX-License-Identifier: Apache-2.0
/*
 * spmv.cu - the sparse products against the C library
 *
 * The matrices that the host writes are multiplied on the host as well, so that
 * all but the kernels is tested without a GPU.
 */
#include <algorithm>
#include <vector>

#include "classify.cuh"
#include "cuda/device.h"
#include "cuda/ntt_ref.h"
#include "cuda/ref.h"
#include "harness.h"
#include "spmv.cuh"

extern "C" {
#include "base/base.h"
#include "base/workers.h"
}

using namespace lull;

#define RECORD_BYTES 44

/* Which rows entries go to. */
enum rows { SORTED, SCATTERED, ONE_ROW, TWO_LONG, EDGES, NR_ROWS };
/* What coefficients there are: few, for one byte; some, for two; all. */
enum coefs { FEW, SOME, ALL, NR_COEFS };
enum signals { MIXED, ZEROS, ONES, LARGEST, RANDOM, NR_SIGNALS };

struct system {
	unsigned int log_n;
	size_t n, nr_vars, nr_coefs;
	std::vector<uint8_t> records, witness;
};

static uint32_t row_of(enum rows rows, const struct system *s, size_t i)
{
	/* Lengths around what a thread and what a segment takes. */
	static const uint32_t lengths[] = {
		spmv_row_max - 1,     spmv_row_max,
		spmv_row_max + 1,     spmv_segment_max - 1,
		spmv_segment_max,     spmv_segment_max + 1,
		2 * spmv_segment_max, 1
	};
	uint32_t row = 0;

	switch (rows) {
	case SORTED:
		return (uint32_t)(i * s->n / s->nr_coefs);
	case SCATTERED:
		return (uint32_t)(cuda_ref_random() % s->n);
	case ONE_ROW:
		return (uint32_t)(s->n / 2);
	case TWO_LONG:
		return (uint32_t)(cuda_ref_random() % 2 ? 0 : s->n - 1);
	case EDGES:
	default:
		for (size_t left = i / 2;
		     left >= lengths[row % 8] && row + 1 < s->n; row++)
			left -= lengths[row % 8];
		return row;
	}
}

template <class F>
static void make_values(std::vector<fe<F>> &values, enum coefs coefs, size_t nr,
			const struct cuda_ref *ref)
{
	values.resize(coefs == FEW    ? 250
		      : coefs == SOME ? lull_min(3000, nr)
				      : nr);
	for (auto &v : values) {
		ref->fr.random(&v);
		/* An edge is half of what random() gives: all must differ. */
		if (coefs == ALL)
			v.l[0] ^= (uint32_t)(&v - &values[0]);
	}
}

static void make_signal(uint8_t *signal, enum signals kind,
			const struct cuda_ref *ref)
{
	uint64_t dice = cuda_ref_random();

	memset(signal, 0, 32);
	if (kind == ONES || (kind == MIXED && dice % 4 == 1))
		signal[0] = 1;
	else if (kind == LARGEST || (kind == MIXED && dice % 16 == 2))
		ref->minus_one(signal);
	else if (kind == RANDOM || (kind == MIXED && dice % 4 == 3))
		ref->random_scalar(signal);
}

template <class F>
static void make_system(struct system *s, unsigned int log_n, size_t nr_coefs,
			enum rows rows, enum coefs coefs, enum signals signals,
			const struct cuda_ref *ref)
{
	std::vector<fe<F>> values;

	s->log_n = log_n;
	s->n = (size_t)1 << log_n;
	s->nr_vars = 777;
	s->nr_coefs = nr_coefs;
	s->records.resize(nr_coefs * RECORD_BYTES);
	s->witness.resize(s->nr_vars * 32);
	make_values<F>(values, coefs, nr_coefs, ref);
	for (size_t i = 0; i < s->nr_vars; i++)
		make_signal(&s->witness[i * 32], signals, ref);
	for (size_t i = 0; i < nr_coefs; i++) {
		uint8_t *r = &s->records[i * RECORD_BYTES];
		uint32_t matrix =
			rows == EDGES ? i % 2 : cuda_ref_random() % 4 == 0;
		uint32_t row = row_of(rows, s, i),
			 column = cuda_ref_random() % s->nr_vars;
		size_t v = coefs == ALL ? i : cuda_ref_random() % values.size();

		memcpy(r, &matrix, 4);
		memcpy(r + 4, &row, 4);
		memcpy(r + 8, &column, 4);
		memcpy(r + 12, &values[v], 32);
	}
}

static uint32_t id_at(const struct spmv_plan *plan, const uint8_t *ids,
		      size_t i)
{
	if (plan->id_bytes == 1)
		return ids[i];
	return plan->id_bytes == 2 ? ((const uint16_t *)ids)[i]
				   : ((const uint32_t *)ids)[i];
}

/* Row i of one matrix, as the block has it, times the witness. */
template <class F>
static fe<F> multiply_row(const struct system *s, const struct spmv_plan *plan,
			  const uint8_t *host, const struct spmv_block *b,
			  const struct spmv_part *part, size_t i)
{
	const uint8_t *block = host + b->at;
	const uint8_t *coefs = b->nr_coefs ? block + b->dictionary : host;
	const uint32_t *starts = (const uint32_t *)(block + part->starts);
	const uint32_t *columns = (const uint32_t *)(block + part->columns);
	fe<F> sum = fe<F>::zero(), w, c;

	for (uint32_t k = starts[i]; k < starts[i + 1]; k++) {
		memcpy((void *)&w, &s->witness[columns[k] * 32ul], 32);
		memcpy((void *)&c,
		       coefs + id_at(plan, block + part->ids, k) * 32ul, 32);
		sum = add(sum, mul(c, w));
	}
	return sum;
}

/* The segments of a block's matrix must be its long rows, each once. */
static void check_segments(const uint8_t *block, const struct spmv_part *part,
			   size_t nr_rows)
{
	const uint32_t *starts = (const uint32_t *)(block + part->starts);
	const struct spmv_segment *seg =
		(const struct spmv_segment *)(block + part->segments);
	const struct spmv_long_row *row =
		(const struct spmv_long_row *)(block + part->long_rows);
	size_t nr_segments = 0, nr_long = 0;

	for (size_t i = 0; i < nr_rows; i++) {
		uint32_t nr = starts[i + 1] - starts[i];

		if (nr > spmv_segment_max) {
			ASSERT_EQ(i, row[nr_long].row);
			ASSERT_EQ(seg[nr_segments].dest & ~spmv_partial,
				  row[nr_long].first);
			ASSERT_EQ((nr - 1) / spmv_segment_max + 1,
				  row[nr_long].nr);
			nr_long++;
		}
		for (uint32_t at = 0; nr > spmv_row_max && at < nr;
		     nr_segments++) {
			ASSERT_EQ(starts[i] + at, seg[nr_segments].first);
			ASSERT_TRUE(seg[nr_segments].nr &&
				    seg[nr_segments].nr <= spmv_segment_max);
			at += seg[nr_segments].nr;
			EXPECT_TRUE(at <= nr);
		}
	}
	EXPECT_EQ(part->nr_segments, nr_segments);
	EXPECT_EQ(part->nr_long_rows, nr_long);
	EXPECT_EQ(part->nr_entries, starts[nr_rows]);
}

/* Both matrices as the host wrote them, times the witness. */
template <class F>
static void multiply_host(const struct system *s, const struct spmv_plan *plan,
			  const uint8_t *host, std::vector<fe<F>> *out)
{
	for (size_t k = 0; k < plan->nr_blocks; k++) {
		const struct spmv_block *b = &plan->blocks[k];

		for (int m = 0; m < 2; m++) {
			const struct spmv_part *part = &b->part[m];

			check_segments(host + b->at, part, b->nr_rows);
			for (size_t i = 0; i < b->nr_rows; i++)
				out[m][b->first_row + i] = multiply_row<F>(
					s, plan, host, b, part, i);
		}
	}
}

/* Blocks are all rows, one behind the other, none larger than allowed and none
 * outside of what is written. */
static void check_blocks(const struct system *s, const struct spmv_plan *plan,
			 size_t bytes_max)
{
	size_t row = 0, end = plan->nr_coefs * 32, largest = 0;

	for (size_t i = 0; i < plan->nr_blocks; i++) {
		const struct spmv_block *b = &plan->blocks[i];

		EXPECT_EQ(row, b->first_row);
		EXPECT_TRUE(b->nr_rows && b->bytes <= bytes_max);
		EXPECT_TRUE(b->at >= end && b->at % 256 == 0);
		EXPECT_EQ(b->host_bytes + b->nr_coefs * 32,
			  b->dictionary + b->nr_coefs * 64);
		EXPECT_TRUE(b->host_bytes <= b->bytes);
		row += b->nr_rows;
		end = b->at + b->host_bytes;
		largest = lull_max(largest, b->bytes);
	}
	EXPECT_EQ(s->n, row);
	EXPECT_EQ(largest, plan->block_bytes_max);
	EXPECT_TRUE(end <= plan->host_bytes);
}

static void must_run(int rc, const struct lull_error *error)
{
	if (!rc)
		return;
	printf("Bail out! %s\n", error->msg);
	exit(1);
}

/* Each block comes into the same memory, as when they are streamed. */
template <class F>
static void multiply_on_device(const struct system *s,
			       const struct spmv_plan *plan,
			       const uint8_t *host, std::vector<fe<F>> *got)
{
	void *dictionary = device_alloc(plan->dictionary_bytes),
	     *block = device_alloc(plan->block_bytes_max),
	     *scratch = device_alloc(plan->scratch_bytes),
	     *map = device_alloc(lull_classes_bytes(plan->nr_vars));
	fe<F> *out = (fe<F> *)device_alloc(2 * s->n * sizeof(*out));
	void *witness = device_alloc(s->witness.size());
	struct lull_error error;

	device_put(witness, s->witness.data(), s->witness.size());
	device_put(dictionary, host, plan->nr_coefs * 32);
	must_run(spmv_prepare<F>(plan, dictionary, 0, &error), &error);
	/* The map is made, or one that is there is taken. */
	if (plan->nr_blocks % 2)
		must_run(classify_map(witness, plan->nr_vars, (uint32_t *)map,
				      0, &error),
			 &error);
	must_run(spmv_begin(plan, witness,
			    plan->nr_blocks % 2 ? (uint32_t *)map : NULL,
			    scratch, 0, &error),
		 &error);
	for (size_t i = 0; i < plan->nr_blocks; i++) {
		const struct spmv_block *b = &plan->blocks[i];

		device_put(block, host + b->at, b->host_bytes);
		must_run(spmv_prepare_block<F>(plan, i, block, 0, &error),
			 &error);
		must_run(spmv_run<F>(plan, i, dictionary, block, witness, out,
				     out + s->n, scratch, 0, &error),
			 &error);
		device_done();
	}
	for (int k = 0; k < 2; k++)
		device_get(got[k].data(), out + k * s->n, s->n * sizeof(*out));
	device_free(dictionary);
	device_free(block);
	device_free(scratch);
	device_free(map);
	device_free(out);
	device_free(witness);
}

/* Into how many blocks, about: one, and as many as there can be, among them. */
static const size_t cuts[] = { 1, 2, 7, SIZE_MAX };

/* The records by rows, as a native key has them; each entry has its value to
 * itself, which the plan is to find out. */
struct row_form {
	std::vector<uint32_t> starts[2], columns[2], ids[2];
	std::vector<uint8_t> values;
	struct lull_csr csr;

	explicit row_form(const struct system *s)
	{
		std::vector<const uint8_t *> sorted;

		for (size_t i = 0; i < s->nr_coefs; i++)
			sorted.push_back(s->records.data() + 44 * i);
		std::stable_sort(sorted.begin(), sorted.end(),
				 [](const uint8_t *a, const uint8_t *b) {
					 return lull_load_u32(a + 4) <
						lull_load_u32(b + 4);
				 });
		csr = {};
		csr.id_bytes = 4;
		csr.nr_values = s->nr_coefs;
		for (uint32_t k = 0; k < 2; k++) {
			starts[k].assign(s->n + 1, 0);
			for (const uint8_t *p : sorted) {
				if ((lull_load_u32(p) & 1) != k)
					continue;
				starts[k][lull_load_u32(p + 4) + 1]++;
				columns[k].push_back(lull_load_u32(p + 8));
				ids[k].push_back((uint32_t)(values.size() / 32));
				values.insert(values.end(), p + 12, p + 44);
			}
			for (size_t i = 0; i < s->n; i++)
				starts[k][i + 1] += starts[k][i];
			csr.matrix[k] = { (uint8_t *)starts[k].data(),
					  (uint8_t *)columns[k].data(),
					  (uint8_t *)ids[k].data(),
					  columns[k].size() };
		}
		csr.values = values.data();
	}
};

template <class F>
static void compare_cut(bool on_device, const struct system *s, bool by_rows,
			unsigned int id_bytes, size_t nr_blocks,
			const std::vector<fe<F>> *want,
			struct lull_workers *workers)
{
	const struct row_form rows(s);
	const struct spmv_records records = {
		by_rows ? NULL : s->records.data(), s->nr_coefs, &rows.csr
	};
	std::vector<fe<F>> got[2];
	struct spmv_plan plan;
	struct lull_error error;
	size_t bytes_max;

	for (int k = 0; k < 2; k++)
		got[k].resize(s->n);
	must_run(spmv_plan_make(&records, s->log_n, s->nr_vars, workers, &plan,
				&error),
		 &error);
	EXPECT_EQ(1, plan.nr_blocks);
	if (s->nr_coefs)
		EXPECT_EQ(id_bytes, plan.id_bytes);
	check_blocks(s, &plan, SIZE_MAX);
	if (nr_blocks > 1) {
		bytes_max = lull_max(plan.row_bytes_max,
				     plan.block_bytes_max / nr_blocks);
		must_run(spmv_cut(&plan, bytes_max, &error), &error);
		check_blocks(s, &plan, bytes_max);
		EXPECT_EQ(LULL_INTERNAL,
			  spmv_cut(&plan, plan.row_bytes_max - 1, NULL));
	}
	std::vector<uint8_t> host(plan.host_bytes, 0xcc);

	must_run(spmv_fill(&plan, &records, workers, host.data(), &error),
		 &error);
	if (on_device)
		multiply_on_device(s, &plan, host.data(), got);
	else
		multiply_host(s, &plan, host.data(), got);
	for (int k = 0; k < 2; k++)
		EXPECT_MEMEQ(want[k].data(), got[k].data(),
			     s->n * sizeof(want[k][0]));
	spmv_plan_done(&plan);
}

template <class F>
static void compare(bool on_device, const struct system *s,
		    unsigned int id_bytes, const struct ntt_ref *ntt)
{
	std::vector<fe<F>> want[2];
	struct lull_workers *workers;
	struct lull_error error;

	for (int k = 0; k < 2; k++)
		want[k].resize(s->n);
	ntt->spmv(want[0].data(), want[1].data(), s->n, s->records.data(),
		  s->nr_coefs, s->witness.data());
	must_run(lull_workers_create(3, &workers, &error), &error);
	for (size_t nr_blocks : cuts)
		for (int by_rows = 0; by_rows < 2; by_rows++)
			compare_cut<F>(on_device, s, by_rows, id_bytes,
				       nr_blocks, want, workers);
	lull_workers_destroy(workers);
}

/* Few values may coincide in their lowest bytes only, so the width follows from
 * the number of values. */
template <class F>
static void compare_all(bool on_device, const struct cuda_ref *ref,
			const struct ntt_ref *ntt)
{
	static const unsigned int id_bytes[] = { 1, 2, 4 };
	struct system s;

	for (int rows = 0; rows < NR_ROWS; rows++)
		for (int coefs = 0; coefs < NR_COEFS; coefs++) {
			size_t nr = coefs == ALL ? 70000 : 20000;

			make_system<F>(&s, 12, nr, (enum rows)rows,
				       (enum coefs)coefs, MIXED, ref);
			compare<F>(on_device, &s, id_bytes[coefs], ntt);
		}
	for (int signals = 0; signals < NR_SIGNALS; signals++) {
		make_system<F>(&s, 11, 9000, SCATTERED, FEW,
			       (enum signals)signals, ref);
		compare<F>(on_device, &s, 1, ntt);
	}
	for (size_t nr = 0; nr < 40; nr += nr < 4 ? 1 : 7) {
		make_system<F>(&s, nr % 5 + 1, nr, SCATTERED, FEW, MIXED, ref);
		compare<F>(on_device, &s, 1, ntt);
	}
}

TEST(host_bn254)
{
	compare_all<bn254_fr>(false, &cuda_ref_bn254, &ntt_ref_bn254);
}

TEST(host_bls12_381)
{
	compare_all<bls12_381_fr>(false, &cuda_ref_bls12_381,
				  &ntt_ref_bls12_381);
}

/* Values that all hash alike: no dictionary, and no endless search. */
TEST(collisions)
{
	struct system s;

	make_system<bn254_fr>(&s, 8, 20000, SCATTERED, FEW, MIXED,
			      &cuda_ref_bn254);
	for (uint64_t i = 0; i < s.nr_coefs; i++) {
		uint64_t v[4] = { i, 0 - i, 0, 1 };

		memcpy(&s.records[i * RECORD_BYTES + 12], v, sizeof(v));
	}
	compare<bn254_fr>(false, &s, 4, &ntt_ref_bn254);
}

TEST(refuses)
{
	struct spmv_records none = {}, many = { NULL, UINT32_MAX, NULL };
	struct lull_workers *workers;
	struct spmv_plan plan;
	struct lull_error error;

	memset(&plan, 0xcc, sizeof(plan));
	must_run(lull_workers_create(1, &workers, &error), &error);
	EXPECT_EQ(LULL_RANGE,
		  spmv_plan_make(&none, 29, 1, workers, &plan, &error));
	EXPECT_EQ(LULL_RANGE,
		  spmv_plan_make(&many, 4, 1, workers, &plan, &error));
	for (size_t i = 0; i < sizeof(plan); i++)
		ASSERT_EQ(0xcc, ((const unsigned char *)&plan)[i]);
	lull_workers_destroy(workers);
}

TEST(device_bn254)
{
	if (!device_is_there())
		SKIP("NO GPU: nothing of the device was tested");
	compare_all<bn254_fr>(true, &cuda_ref_bn254, &ntt_ref_bn254);
}

TEST(device_bls12_381)
{
	if (!device_is_there())
		SKIP("NO GPU: nothing of the device was tested");
	compare_all<bls12_381_fr>(true, &cuda_ref_bls12_381,
				  &ntt_ref_bls12_381);
}

TEST_MAIN
