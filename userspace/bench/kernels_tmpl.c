// SPDX-License-Identifier: Apache-2.0
/*
 * kernels_tmpl.c - the kernels of one curve, with operands to run them on
 *
 * Operands are seeded, so that runs compare.  Fields and groups work through
 * BATCH independent operations, as a sum over buckets does: the figure is
 * throughput, not latency.
 */
#include "bench/kernels.h"

#include "bench/operands.h"
#include "curve/fp2.h"
#include "curve/fr.h"
#include "lull.h"
#include "ntt/ntt.h"

#define bench_kernels LULL_CURVE_NAME(bench_kernels)
#define bench_done LULL_CURVE_NAME(bench_done)

/* xorshift64: the stream is fixed by its seed. */
static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Uniform below the modulus, by rejection. */
static void random_below(limb_t *limbs, const limb_t *modulus, unsigned int nr,
			 unsigned int bits, uint64_t *seed)
{
	unsigned int i;

	do {
		for (i = 0; i < nr; i++)
			limbs[i] = next_random(seed);
		limbs[nr - 1] >>= 64 * nr - bits;
	} while (!limbs_less(limbs, modulus, nr));
}

static void fill_fp(void *out, size_t nr)
{
	uint64_t seed = nr;
	struct fp *values = out;
	size_t i;

	for (i = 0; i < nr; i++)
		random_below(values[i].l, fp_p, FP_LIMBS, FP_BITS, &seed);
}

void bench_fill_fr(void *out, size_t nr)
{
	uint64_t seed = nr;
	struct fr *values = out;
	size_t i;

	for (i = 0; i < nr; i++)
		random_below(values[i].l, fr_r, FR_LIMBS, FR_BITS, &seed);
}

int bench_alloc_two(struct lull_bench_state *state, size_t bytes, size_t bytes2,
		    struct lull_error *reterr)
{
	int err = lull_arena_carve(state->arena, bytes, 0, "operands",
				   &state->in, reterr);

	return err ? err
		   : lull_arena_carve(state->arena, bytes2, 0, "operands",
				      &state->in2, reterr);
}

/* Both operands, of @nr elements of so many bytes. */
static int prepare_two(struct lull_bench_state *state, size_t nr, size_t bytes,
		       void (*fill)(void *out, size_t nr),
		       struct lull_error *reterr)
{
	int err = bench_alloc_two(state, nr * bytes, nr * bytes, reterr);

	if (err)
		return err;
	fill(state->in.ptr, nr);
	fill(state->in2.ptr, nr);
	return LULL_OK;
}

/* As pairs they are the operands of fp2_mul too. */
static int prepare_fp(struct lull_bench_state *state, struct lull_error *reterr)
{
	state->nr_items = (size_t)BATCH * PASSES;
	return prepare_two(state, 2 * BATCH, sizeof(struct fp), fill_fp,
			   reterr);
}

static int prepare_fr(struct lull_bench_state *state, struct lull_error *reterr)
{
	state->nr_items = (size_t)BATCH * PASSES;
	return prepare_two(state, BATCH, sizeof(struct fr), bench_fill_fr,
			   reterr);
}

static void run_fp_mul(struct lull_bench_state *state)
{
	const struct fp *b = state->in2.ptr;
	struct fp *a = state->in.ptr;
	size_t pass, i;

	for (pass = 0; pass < PASSES; pass++)
		for (i = 0; i < BATCH; i++)
			fp_mul(&a[i], &a[i], &b[i]);
}

static void run_fr_mul(struct lull_bench_state *state)
{
	const struct fr *b = state->in2.ptr;
	struct fr *a = state->in.ptr;
	size_t pass, i;

	for (pass = 0; pass < PASSES; pass++)
		for (i = 0; i < BATCH; i++)
			fr_mul(&a[i], &a[i], &b[i]);
}

static void run_fp2_mul(struct lull_bench_state *state)
{
	const struct fp2 *b = state->in2.ptr;
	struct fp2 *a = state->in.ptr;
	size_t pass, i;

	for (pass = 0; pass < PASSES; pass++)
		for (i = 0; i < BATCH; i++)
			fp2_mul(&a[i], &a[i], &b[i]);
}

/* For the transform and the quotient alike. */
static int prepare_ntt(struct lull_bench_state *state,
		       struct lull_error *reterr)
{
	unsigned int nr_threads = lull_workers_nr(state->workers);
	size_t n = (size_t)1 << state->log2_n, scratch_bytes;
	struct fr_domain *domain;
	int err;

	err = prepare_two(state, n, sizeof(struct fr), bench_fill_fr, reterr);
	if (err)
		return err;
	scratch_bytes =
		lull_max(fr_ntt_scratch_bytes(state->log2_n, nr_threads),
			 fr_quotient_scratch_bytes(state->log2_n, nr_threads));
	err = lull_arena_carve(state->arena, scratch_bytes, 0, "scratch",
			       &state->scratch, reterr);
	if (err)
		return err;
	err = fr_domain_create(state->log2_n, state->arena, &domain, reterr);
	if (err)
		return err;
	state->domain = domain;
	state->nr_items = n;
	return LULL_OK;
}

static void run_ntt(struct lull_bench_state *state)
{
	fr_ntt(state->domain, state->in.ptr, state->workers,
	       state->scratch.ptr);
}

static void run_quotient(struct lull_bench_state *state)
{
	fr_quotient(state->domain, state->in.ptr, state->in2.ptr,
		    state->workers, state->scratch.ptr);
}

const struct lull_bench_kernel bench_kernels[LULL_BENCH_NR_KERNELS] = {
	{ "fp_mul", false, false, prepare_fp, run_fp_mul },
	{ "fr_mul", false, false, prepare_fr, run_fr_mul },
	{ "fp2_mul", false, false, prepare_fp, run_fp2_mul },
	{ "g1_add", false, false, g1_bench_prepare_add, g1_bench_add },
	{ "g2_add", false, false, g2_bench_prepare_add, g2_bench_add },
	{ "ntt", true, true, prepare_ntt, run_ntt },
	{ "quotient", true, true, prepare_ntt, run_quotient },
	{ "msm_g1", true, true, g1_bench_prepare_msm, g1_bench_msm },
	{ "msm_g2", true, true, g2_bench_prepare_msm, g2_bench_msm },
};

void bench_done(struct lull_bench_state *state)
{
	fr_domain_destroy(state->domain);
	lull_arena_retire(&state->in);
	lull_arena_retire(&state->in2);
	lull_arena_retire(&state->scratch);
}
