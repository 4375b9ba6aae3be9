// SPDX-License-Identifier: Apache-2.0
/*
 * emulated_curves.cpp - the tables of curve.cuh, computed by the C library
 *
 * All but multiples of one point: those kernels are small and run themselves.
 * For emulated devices: with the backend's own host code they make whole
 * proofs, which must be the CPU's.  What a kernel may use as scratch it leaves
 * full of rubbish, so what it should not have touched, or came to it too early
 * or too late, shows in the proof.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

/* The device's functions, which its headers use and nothing here calls. */
#include "cuda/emulate.h"

#include "curve.cuh"

#include "check.cuh"
#include "classify.cuh"
#include "multiples_kernels.cuh"
#include "cuda/emulated.h"
#include "cuda/ntt_ref.h"
#include "cuda/ref.h"
#include "place.cuh"

namespace lull
{

/* Of a scratch, its ends and a little of each so many bytes between. */
#define RUBBISH_BYTES ((size_t)4096)
#define RUBBISH_STEP ((size_t)1 << 20)

static void litter(void *scratch, size_t bytes)
{
	uint8_t *p = (uint8_t *)scratch;

	for (size_t at = 0; at < bytes; at += RUBBISH_STEP)
		memset(p + at, 0xa5, std::min(RUBBISH_BYTES, bytes - at));
	if (bytes > RUBBISH_BYTES)
		memset(p + bytes - RUBBISH_BYTES, 0x5a, RUBBISH_BYTES);
}

static void must(bool cond, const char *what)
{
	if (cond)
		return;
	printf("Bail out! emulated kernels: %s\n", what);
	fflush(stdout);
	abort();
}

template <const struct cuda_ref &REF, const struct ntt_ref &NTT>
struct emulated {
	/* ---- sums ------------------------------------------------------ */

	template <int GROUP> static const struct cuda_ref_group &group(void)
	{
		return GROUP == 1 ? REF.g1 : REF.g2;
	}

	/* How a table's copies are cut, behind all else of it: where real ones
	 * have the last points' bits. */
	static uint32_t *cut_of(const struct msm_plan *plan, const void *table)
	{
		return (uint32_t *)((uint8_t *)table + plan->table_bytes) - 1;
	}

	static uint32_t cut(const struct msm_plan *plan)
	{
		unsigned int shift =
			plan->nr_copies > 1 ? msm_copy_shift(*plan, 1) : 0;

		return plan->nr_copies << 16 | shift;
	}

	/* Copies are there but not right: nothing here looks at them. */
	template <int GROUP>
	static int prepare(const struct msm_plan *plan, void *table,
			   cudaStream_t stream, struct lull_error *reterr)
	{
		size_t points =
			plan->shape.nr_points * group<GROUP>().affine_bytes;

		CUDA_TRY(emulated_launch(
				 stream,
				 [=] {
					 litter((uint8_t *)table + points,
						plan->table_bytes - points);
					 *cut_of(plan, table) = cut(plan);
				 }),
			 reterr);
		return LULL_OK;
	}

	/* What a run leaves: its sum, and what real ones lie by, which only
	 * gather() with the same plan can make sense of. */
	struct left {
		uint8_t point[LULL_POINT_BYTES_MAX];
		unsigned int nr_sets, window_bits, row_bits, column_bits;
	};

	/* What a sum is over. */
	struct input {
		const struct msm_plan *plan;
		const uint8_t *table, *scalars;
		const uint32_t *index;
		size_t nr;

		size_t at(size_t i) const
		{
			size_t at = index ? index[i] : i;

			must(at < plan->shape.nr_points, "a point of no table");
			return at;
		}
		std::vector<uint8_t> factors(void) const
		{
			std::vector<uint8_t> all(nr * scalar_bytes);

			for (size_t i = 0; i < nr; i++)
				if (scalars)
					memcpy(&all[i * scalar_bytes],
					       scalars + at(i) * scalar_bytes,
					       scalar_bytes);
				else
					all[i * scalar_bytes] = 1;
			return all;
		}
	};

	/* What real ones make of scalars first, and leave: as much of them as the
	 * scratch holds. */
	static void spread(const struct input &in, void *scratch)
	{
		const std::vector<uint8_t> factors = in.factors();

		litter(scratch, in.plan->scratch.bytes);
		memcpy(scratch, factors.data(),
		       std::min(factors.size(), in.plan->scratch.bytes));
	}

	template <int GROUP>
	static void sum(const struct input &in, const void *scratch, void *sums)
	{
		const struct cuda_ref_group &g = group<GROUP>();
		const std::vector<uint8_t> factors = in.factors();
		const struct msm_plan *plan = in.plan;
		std::vector<uint8_t> points(in.nr * g.affine_bytes);
		struct left *left = (struct left *)sums;

		must(!memcmp(scratch, factors.data(),
			     std::min(factors.size(), plan->scratch.bytes)),
		     "a sum's scratch was written to");
		/* The points alone are any plan's. */
		must(plan->nr_copies == 1 ||
			     *cut_of(plan, in.table) == cut(plan),
		     "another plan's table");
		if (in.scalars && plan->shape.nr_scalars < plan->shape.nr_points)
			emulated_runs_few();
		for (size_t i = 0; i < in.nr; i++)
			memcpy(&points[i * g.affine_bytes],
			       in.table + in.at(i) * g.affine_bytes,
			       g.affine_bytes);
		g.msm(left->point, points.data(), factors.data(), in.nr);
		left->nr_sets = plan->nr_sets;
		left->window_bits = plan->window_bits;
		left->row_bits = plan->row_bits;
		left->column_bits = plan->column_bits;
		emulated_copies_down(g.affine_bytes);
	}

	/* In two steps: between them others may take their turn. */
	template <int GROUP>
	static int run_input(const struct input &in, void *scratch, void *sums,
			     cudaStream_t stream, struct lull_error *reterr)
	{
		CUDA_TRY(emulated_takes_stacks(), reterr);
		CUDA_TRY(emulated_launch(stream, [=] { spread(in, scratch); }),
			 reterr);
		CUDA_TRY(emulated_launch(
				 stream, [=] { sum<GROUP>(in, scratch, sums); }),
			 reterr);
		return LULL_OK;
	}

	template <int GROUP>
	static int run(const struct msm_plan *plan, const void *table,
		       const void *scalars, const uint32_t *index, size_t nr,
		       void *scratch, void *sums, cudaStream_t stream,
		       struct lull_error *reterr)
	{
		must(nr && nr <= plan->shape.nr_scalars, "a sum of too many");
		return run_input<GROUP>({ plan, (const uint8_t *)table,
					  (const uint8_t *)scalars, index, nr },
					scratch, sums, stream, reterr);
	}

	template <int GROUP>
	static int run_ones(const struct msm_plan *plan, const void *table,
			    const uint32_t *refs, size_t nr, void *scratch,
			    void *sums, cudaStream_t stream,
			    struct lull_error *reterr)
	{
		must(nr && nr <= plan->shape.nr_units, "too many ones");
		return run_input<GROUP>({ plan, (const uint8_t *)table, NULL,
					  refs, nr },
					scratch, sums, stream, reterr);
	}

	template <int GROUP>
	static size_t down_bytes(const struct msm_plan *, bool)
	{
		return group<GROUP>().affine_bytes;
	}

	template <int GROUP>
	static void gather(const struct msm_plan *plan, const void *sums,
			   bool ones, void *acc)
	{
		const struct left *left = (const struct left *)sums;

		must(ones || (left->nr_sets == plan->nr_sets &&
			      left->window_bits == plan->window_bits &&
			      left->row_bits == plan->row_bits &&
			      left->column_bits == plan->column_bits),
		     "a sum is gathered by another plan");
		group<GROUP>().add(acc, acc, left->point);
	}

	template <int GROUP>
	static void finish(const void *acc, uint8_t *ret_point)
	{
		memcpy(ret_point, acc, group<GROUP>().affine_bytes);
	}

	template <int GROUP> static struct sum_ops sums(size_t point_bytes)
	{
		return { GROUP,
			 point_bytes,
			 sizeof(struct left),
			 down_bytes<GROUP>,
			 prepare<GROUP>,
			 run<GROUP>,
			 run_ones<GROUP>,
			 gather<GROUP>,
			 finish<GROUP> };
	}

	/* ---- the quotient ---------------------------------------------- */

	struct state {
		unsigned int log2_n;
		uint64_t *tables;
	};

	static uint64_t tables_bytes(unsigned int log2_n)
	{
		return (uint64_t)64 << log2_n;
	}

	static uint64_t quotient_scratch(unsigned int log2_n, bool folded)
	{
		return folded ? 0 : (uint64_t)32 << log2_n;
	}

	/* The tables are numbers, which must still be there. */
	static int tables_make(void *opaque, unsigned int log2_n, void *tables,
			       cudaStream_t stream, struct lull_error *reterr)
	{
		struct state *s = (struct state *)opaque;

		*s = { log2_n, (uint64_t *)tables };
		CUDA_TRY(emulated_launch(stream,
					 [=] {
						 for (uint64_t i = 0;
						      i < 8ul << log2_n; i++)
							 s->tables[i] = ~i;
					 }),
			 reterr);
		return LULL_OK;
	}

	static int quotient(const void *opaque, void *a, void *b, void *scratch,
			    bool folded, cudaStream_t stream,
			    struct lull_error *reterr)
	{
		const struct state s = *(const struct state *)opaque;
		size_t bytes = (size_t)quotient_scratch(s.log2_n, folded);

		CUDA_TRY(emulated_launch(
				 stream,
				 [=] {
					 for (uint64_t i = 0;
					      i < 8ul << s.log2_n; i++)
						 must(s.tables[i] == ~i,
						      "tables were written to");
					 (folded ? NTT.folded : NTT.quotient)(
						 a, b, s.log2_n);
					 litter(b, (size_t)32 << s.log2_n);
					 litter(scratch, bytes);
				 }),
			 reterr);
		return LULL_OK;
	}

	static uint64_t coefs_bytes(unsigned int log2_n)
	{
		return sizeof(uint64_t) << (log2_n / 2);
	}

	static int coefs_make(void *, unsigned int log2_n, void *tables,
			      cudaStream_t stream, struct lull_error *reterr)
	{
		CUDA_TRY(emulated_launch(stream,
					 [=] {
						 memset(tables, 0x3c,
							coefs_bytes(log2_n));
					 }),
			 reterr);
		return LULL_OK;
	}

	static int coefs(const void *opaque, void *a, cudaStream_t stream,
			 struct lull_error *reterr)
	{
		unsigned int log2_n = ((const struct state *)opaque)->log2_n;

		CUDA_TRY(emulated_launch(stream, [=] { NTT.coefs(a, log2_n); }),
			 reterr);
		return LULL_OK;
	}

	/* ---- matrices -------------------------------------------------- */

	static void make_forms(uint8_t *dictionary, size_t nr)
	{
		const uint8_t one[scalar_bytes] = { 1 };

		for (size_t i = 0; i < nr; i++)
			REF.fr.mul(dictionary + (nr + i) * scalar_bytes,
				   dictionary + i * scalar_bytes, one);
	}

	static int spmv_prepare(const struct spmv_plan *plan, void *dictionary,
				cudaStream_t stream, struct lull_error *reterr)
	{
		CUDA_TRY(emulated_launch(stream,
					 [=] {
						 make_forms(
							 (uint8_t *)dictionary,
							 plan->nr_coefs);
					 }),
			 reterr);
		return LULL_OK;
	}

	static int spmv_prepare_block(const struct spmv_plan *plan, size_t i,
				      void *block, cudaStream_t stream,
				      struct lull_error *reterr)
	{
		const struct spmv_block *b = &plan->blocks[i];

		CUDA_TRY(emulated_launch(stream,
					 [=] {
						 make_forms(
							 (uint8_t *)block +
								 b->dictionary,
							 b->nr_coefs);
					 }),
			 reterr);
		return LULL_OK;
	}

	/* Rows of one matrix; both forms of a coefficient are looked at. */
	static void multiply(const struct spmv_plan *plan,
			     const struct spmv_block *b,
			     const struct spmv_part *part,
			     const uint8_t *dictionary, const uint8_t *block,
			     const uint8_t *witness, uint8_t *out)
	{
		const uint32_t *starts =
			(const uint32_t *)(block + part->starts);
		const uint32_t *columns =
			(const uint32_t *)(block + part->columns);
		const uint8_t *coefs =
			b->nr_coefs ? block + b->dictionary : dictionary;
		size_t nr = b->nr_coefs ? b->nr_coefs : plan->nr_coefs;
		const uint8_t one[scalar_bytes] = { 1 };
		uint8_t product[scalar_bytes];

		memset(out, 0, b->nr_rows * scalar_bytes);
		for (size_t i = 0; i < b->nr_rows; i++)
			for (uint32_t k = starts[i]; k < starts[i + 1]; k++) {
				const uint8_t *w =
					witness + columns[k] * scalar_bytes;
				uint32_t id = 0;

				memcpy(&id,
				       block + part->ids + k * plan->id_bytes,
				       plan->id_bytes);
				must(id < nr, "a coefficient of no dictionary");
				if (!memcmp(w, one, scalar_bytes))
					memcpy(product,
					       coefs + (nr + id) * scalar_bytes,
					       scalar_bytes);
				else
					REF.fr.mul(product,
						   coefs + id * scalar_bytes,
						   w);
				REF.fr.add(out + i * scalar_bytes,
					   out + i * scalar_bytes, product);
			}
	}

	static int spmv(const struct spmv_plan *plan, size_t i,
			const void *dictionary, const void *block,
			const void *witness, void *a, void *b, void *scratch,
			cudaStream_t stream, struct lull_error *reterr)
	{
		const struct spmv_block *rows = &plan->blocks[i];
		const uint8_t *d = (const uint8_t *)dictionary,
			      *m = (const uint8_t *)block,
			      *w = (const uint8_t *)witness;
		size_t at = rows->first_row * scalar_bytes;
		size_t map = plan->nr_vars / 4;

		CUDA_TRY(emulated_launch(
				 stream,
				 [=] {
					 must(!memcmp(scratch, w, map),
					      "the map was written to");
					 multiply(plan, rows, &rows->part[0], d,
						  m, w, (uint8_t *)a + at);
					 multiply(plan, rows, &rows->part[1], d,
						  m, w, (uint8_t *)b + at);
					 litter((uint8_t *)scratch + map,
						plan->scratch_bytes - map);
				 }),
			 reterr);
		return LULL_OK;
	}

	/* ---- classes --------------------------------------------------- */

	static uint64_t classify_scratch(size_t nr)
	{
		return nr / 4 + RUBBISH_BYTES;
	}

	static void list(const uint8_t *values, size_t nr, uint32_t *ones,
			 uint32_t *others, uint32_t *counts)
	{
		const uint8_t zero[scalar_bytes] = { 0 },
			      one[scalar_bytes] = { 1 };

		counts[0] = counts[1] = 0;
		emulated_copies_down(2 * sizeof(counts[0]));
		for (size_t i = 0; i < nr; i++) {
			const uint8_t *v = values + i * scalar_bytes;

			if (!memcmp(v, one, scalar_bytes))
				ones[counts[0]++] = (uint32_t)i;
			else if (memcmp(v, zero, scalar_bytes))
				others[counts[1]++] = (uint32_t)i;
		}
	}

	static int classify(const void *values, size_t nr, uint32_t *ones,
			    uint32_t *others, uint32_t *counts, void *scratch,
			    cudaStream_t stream, struct lull_error *reterr)
	{
		CUDA_TRY(emulated_launch(stream,
					 [=] {
						 list((const uint8_t *)values,
						      nr, ones, others, counts);
						 litter(scratch,
							classify_scratch(nr));
					 }),
			 reterr);
		return LULL_OK;
	}

	/* ---- multiples of one point ------------------------------------ */

	/* Both kernels, when their turn has come. */
	template <class G>
	static int fill_tables(const struct multiples_plan *plan,
			       const void *base, void *table,
			       cudaStream_t stream, struct lull_error *reterr)
	{
		const struct multiples_plan p = *plan;
		const uint8_t *from = (const uint8_t *)base;
		const std::vector<uint8_t> point(from, from + p.point_bytes);

		CUDA_TRY(emulated_launch(stream,
					 [=] {
						 litter(table, p.table_bytes);
						 must(!multiples_prepare<G>(
							      &p, point.data(),
							      table, stream,
							      NULL),
						      "no table");
					 }),
			 reterr);
		return LULL_OK;
	}

	template <class G>
	static int multiply(const struct multiples_plan *plan,
			    const void *table, const void *scalars, size_t nr,
			    void *points, cudaStream_t stream,
			    struct lull_error *reterr)
	{
		const struct multiples_plan p = *plan;

		CUDA_TRY(emulated_launch(
				 stream,
				 [=] {
					 must(!multiples_run<G>(
						      &p, table, scalars, nr,
						      points, stream, NULL),
					      "no multiples");
				 }),
			 reterr);
		return LULL_OK;
	}

	static const void *kernel(void)
	{
		static const char any = 0;

		return &any;
	}

	static int take_stacks(cudaStream_t stream, struct lull_error *reterr)
	{
		CUDA_TRY(emulated_takes_stacks(), reterr);
		CUDA_TRY(emulated_launch(stream, [] {}), reterr);
		return LULL_OK;
	}

	template <class G1, class G2>
	static struct curve_ops ops(enum lull_curve id, size_t fp_bytes)
	{
		return { id,
			 { sums<1>(2 * fp_bytes), sums<2>(4 * fp_bytes) },
			 sizeof(struct state),
			 tables_bytes,
			 tables_make,
			 quotient_scratch,
			 quotient,
			 coefs_bytes,
			 coefs_make,
			 coefs,
			 spmv_prepare,
			 spmv_prepare_block,
			 spmv,
			 classify_scratch,
			 classify,
			 { { fill_tables<G1>, multiply<G1> },
			   { fill_tables<G2>, multiply<G2> } },
			 kernel,
			 take_stacks };
	}
};

static void must_be_map(const uint32_t *map, const uint8_t *values, size_t nr)
{
	const uint8_t zero[scalar_bytes] = { 0 }, one[scalar_bytes] = { 1 };

	for (size_t i = 0; i < nr; i++) {
		const uint8_t *v = values + i * scalar_bytes;
		uint32_t c = !memcmp(v, zero, scalar_bytes)  ? SCALAR_ZERO
			     : !memcmp(v, one, scalar_bytes) ? SCALAR_ONE
							     : SCALAR_OTHER;

		must((map[i / class_nr] >> class_bits * (i % class_nr) & 3) ==
			     c,
		     "a map of other values");
	}
}

/* In the place of a map of the witness a part of it, as small as the map; one that
 * came has to be right. */
int spmv_begin(const struct spmv_plan *plan, const void *witness,
	       const uint32_t *map, void *scratch, cudaStream_t stream,
	       struct lull_error *reterr)
{
	CUDA_TRY(emulated_launch(stream,
				 [=] {
					 if (map)
						 must_be_map(
							 map,
							 (const uint8_t *)
								 witness,
							 plan->nr_vars);
					 memcpy(scratch, witness,
						plan->nr_vars / 4);
				 }),
		 reterr);
	return LULL_OK;
}

int expand_values(const uint32_t *map, const uint32_t *places,
		  const void *packed, size_t nr_packed, void *to, size_t nr,
		  cudaStream_t stream, struct lull_error *reterr)
{
	CUDA_TRY(emulated_launch(stream,
				 [=] {
					 for (size_t i = 0; i < nr; i++)
						 expand_value(
							 map, places,
							 (const uint4 *)packed,
							 nr_packed, i,
							 (uint4 *)to);
				 }),
		 reterr);
	return LULL_OK;
}

static void gather(const uint8_t *values, size_t nr, const uint32_t *keep,
		   uint8_t *to, size_t nr_to)
{
	size_t at = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!(keep[i / 32] >> i % 32 & 1))
			continue;
		must(at < nr_to, "more values than room");
		memcpy(to + at++ * scalar_bytes, values + i * scalar_bytes,
		       scalar_bytes);
	}
	must(at == nr_to, "fewer values than points");
}

int gather_kept(const void *values, size_t nr, const uint32_t *keep, void *to,
		size_t nr_to, void *scratch, cudaStream_t stream,
		struct lull_error *reterr)
{
	CUDA_TRY(emulated_launch(stream,
				 [=] {
					 gather((const uint8_t *)values, nr,
						keep, (uint8_t *)to, nr_to);
					 litter(scratch, nr / 4);
				 }),
		 reterr);
	return LULL_OK;
}

int place_rows(void *to, unsigned int log_n, const void *rows, size_t nr_rows,
	       uint64_t step, cudaStream_t stream, struct lull_error *reterr)
{
	size_t n = (size_t)1 << log_n;

	CUDA_TRY(emulated_launch(
			 stream,
			 [=] {
				 memset(to, 0, n * scalar_bytes);
				 for (size_t i = 0; i < nr_rows; i++)
					 memcpy((uint8_t *)to +
							(i * step & (n - 1)) *
								scalar_bytes,
						(const uint8_t *)rows +
							i * scalar_bytes,
						scalar_bytes);
			 }),
		 reterr);
	return LULL_OK;
}

const struct curve_ops curve_bn254 =
	emulated<cuda_ref_bn254, ntt_ref_bn254>::ops<bn254_g1, bn254_g2>(
		LULL_CURVE_BN254, 32);
const struct curve_ops curve_bls12_381 =
	emulated<cuda_ref_bls12_381, ntt_ref_bls12_381>::ops<bls12_381_g1,
							     bls12_381_g2>(
		LULL_CURVE_BLS12_381, 48);

const struct lull_backend_kernel curve_bn254_kernels[nr_curve_kernels] = {};
const struct lull_backend_kernel curve_bls12_381_kernels[nr_curve_kernels] = {};

} /* namespace lull */
