// SPDX-License-Identifier: Apache-2.0
/*
 * cpu_tmpl.c - the stages on the CPU: synth/, ntt/ and msm/ over one pool
 *
 * Scratch of one proof, n rows:
 *
 *	[ a, then the scalars of H: n ][ b: n ][ quotient's own ]
 *	                               [ any one MSM's own      ... ]
 *
 * and of an assigned key's proof the MSMs over A and B have before their own
 *
 *	                               [ the scalars that have points ]
 *
 * b and the quotient's scratch are dead once H is known, so the MSMs reuse
 * what lies behind the first part.
 */
#include <stdlib.h>

#include "arena/arena.h"
#include "backend/backend.h"
#include "base/error.h"
#include "base/mem.h"
#include "curve/facts.h"
#include "msm/msm.h"
#include "ntt/ntt.h"
#include "synth/gather.h"
#include "synth/order.h"
#include "synth/spmv.h"

#define SCRATCH_ALIGN 64 /* a cache line, and a vector of AVX-512 */
#define ROWS_PER_TASK ((size_t)1 << 12)

_Static_assert(LULL_GATHER_BYTES == LULL_FR_BYTES, "a scalar");

#define backend_cpu LULL_CURVE_NAME(backend_cpu)

extern const struct lull_backend_ops backend_cpu;

struct cpu_key {
	struct lull_key_arrays arrays;
	struct fr_domain *domain;
	struct lull_vec order; /* empty when the coefficients are sorted */
};

static void cpu_key_detach(void *opaque)
{
	struct cpu_key *key = opaque;

	if (!key)
		return;
	fr_domain_destroy(key->domain);
	lull_arena_retire(&key->order);
	free(key);
}

static int cpu_key_attach(void *device, const struct lull_key_arrays *arrays,
			  struct lull_workers *workers, void **ret_key,
			  struct lull_error *reterr)
{
	struct cpu_key *key = calloc(1, sizeof(*key));
	int err;

	(void)device;
	(void)workers; /* the tables are too small to share out */
	if (!key)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a key");
	key->arrays = *arrays;
	err = fr_domain_create(arrays->log2_domain, arrays->arena, &key->domain,
			       reterr);
	if (!err && arrays->coefs && !arrays->coefs_sorted)
		err = lull_synth_order(arrays->coefs, arrays->nr_coefs,
				       (size_t)1 << arrays->log2_domain,
				       arrays->arena, &key->order, reterr);
	if (err) {
		cpu_key_detach(key);
		return err;
	}
	*ret_key = key;
	return LULL_OK;
}

static size_t rows_bytes(const struct cpu_key *key)
{
	size_t n = (size_t)1 << key->arrays.log2_domain;

	return lull_align_up(n * sizeof(struct fr), SCRATCH_ALIGN);
}

static size_t gathered_bytes(size_t nr)
{
	return lull_align_up(nr * LULL_GATHER_BYTES, SCRATCH_ALIGN);
}

/* Of A, B1 and B2 of an assigned key. */
static size_t gathered_msm_bytes(const struct lull_key_arrays *k,
				 unsigned int nr_threads)
{
	size_t a = gathered_bytes(k->nr_a), b = gathered_bytes(k->nr_b);
	size_t bytes = a + g1_msm_scratch_bytes(k->nr_a, nr_threads);

	bytes = lull_max(bytes, b + g1_msm_scratch_bytes(k->nr_b, nr_threads));
	return lull_max(bytes, b + g2_msm_scratch_bytes(k->nr_b, nr_threads));
}

static size_t cpu_scratch_bytes(const void *opaque, unsigned int nr_threads)
{
	const struct cpu_key *key = opaque;
	size_t n = (size_t)1 << key->arrays.log2_domain;
	size_t bytes =
		rows_bytes(key) +
		fr_quotient_scratch_bytes(key->arrays.log2_domain, nr_threads);

	bytes = lull_max(bytes, g1_msm_scratch_bytes(n, nr_threads));
	bytes = lull_max(bytes,
			 g1_msm_scratch_bytes(key->arrays.nr_vars, nr_threads));
	if (key->arrays.assigned)
		bytes = lull_max(bytes,
				 gathered_msm_bytes(&key->arrays, nr_threads));
	else
		bytes = lull_max(
			bytes,
			g2_msm_scratch_bytes(key->arrays.nr_vars, nr_threads));
	return rows_bytes(key) + bytes;
}

static void run_msm_g1(const struct lull_stage_args *args,
		       const uint8_t *points, const uint8_t *scalars, size_t nr,
		       void *scratch)
{
	struct g1_affine sum;
	struct g1_xyzz acc;

	g1_msm_var(&acc, points, scalars, nr, args->workers, scratch);
	g1_xyzz_to_affine(&sum, &acc);
	memcpy(args->ret_point, &sum, sizeof(sum));
	lull_wipe(&sum, sizeof(sum));
	lull_wipe(&acc, sizeof(acc));
}

static void run_msm_g2(const struct lull_stage_args *args,
		       const uint8_t *points, const uint8_t *scalars, size_t nr,
		       void *scratch)
{
	struct g2_affine sum;
	struct g2_xyzz acc;

	g2_msm_var(&acc, points, scalars, nr, args->workers, scratch);
	g2_xyzz_to_affine(&sum, &acc);
	memcpy(args->ret_point, &sum, sizeof(sum));
	lull_wipe(&sum, sizeof(sum));
	lull_wipe(&acc, sizeof(acc));
}

/* Rows that are given go where the domain has them. */
struct placing {
	const struct lull_assigned *assigned;
	uint64_t step;
	size_t n;
	struct fr *a, *b;
};

static void place_task(void *arg, size_t task, unsigned int slot)
{
	const struct placing *p = arg;
	const struct lull_assigned *assigned = p->assigned;
	size_t lo = task * ROWS_PER_TASK, i, at;
	size_t hi = lull_min(lo + ROWS_PER_TASK, p->n);

	(void)slot;
	for (i = lo; i < hi; i++) {
		at = (size_t)(i * p->step) & (p->n - 1);
		if (i >= assigned->nr_rows) {
			p->a[at] = fr_zero;
			p->b[at] = fr_zero;
			continue;
		}
		memcpy(&p->a[at], assigned->a + i * sizeof(struct fr),
		       sizeof(struct fr));
		memcpy(&p->b[at], assigned->b + i * sizeof(struct fr),
		       sizeof(struct fr));
	}
}

static void run_spmv(const struct cpu_key *key,
		     const struct lull_stage_args *args, struct fr *a,
		     struct fr *b)
{
	const struct lull_key_arrays *k = &key->arrays;
	struct placing placing = {
		.assigned = args->assigned,
		.step = k->row_step,
		.n = (size_t)1 << k->log2_domain,
		.a = a,
		.b = b,
	};

	LULL_ASSERT(k->assigned == (args->assigned != NULL));
	if (k->assigned)
		lull_workers_run(args->workers,
				 lull_div_up(placing.n, ROWS_PER_TASK),
				 place_task, &placing);
	else if (!k->coefs)
		fr_spmv_csr(a, b, placing.n, &k->csr, args->witness,
			    args->workers);
	else
		fr_spmv(a, b, placing.n, k->coefs, k->nr_coefs, key->order.ptr,
			args->witness, args->workers);
}

/* A, B1 or B2 of an assigned key: its points are those of the variables whose
 * bits are set. */
static void run_gathered(const struct cpu_key *key, enum lull_stage stage,
			 const struct lull_stage_args *args, uint8_t *scratch)
{
	const struct lull_key_arrays *k = &key->arrays;
	bool is_a = stage == LULL_STAGE_MSM_A;
	size_t nr = is_a ? k->nr_a : k->nr_b;
	uint8_t *rest = scratch + gathered_bytes(nr);

	lull_synth_gather(scratch, args->witness,
			  is_a ? args->assigned->dense_a
			       : args->assigned->dense_b,
			  k->nr_vars, args->workers);
	if (stage == LULL_STAGE_MSM_B2)
		run_msm_g2(args, k->b2, scratch, nr, rest);
	else
		run_msm_g1(args, is_a ? k->a : k->b1, scratch, nr, rest);
}

static int cpu_run(void *opaque, enum lull_stage stage,
		   const struct lull_stage_args *args,
		   struct lull_error *reterr)
{
	const struct cpu_key *key = opaque;
	const struct lull_key_arrays *k = &key->arrays;
	size_t n = (size_t)1 << k->log2_domain, first = k->nr_vars - k->nr_l;
	struct fr *rows = args->scratch;
	uint8_t *rest = (uint8_t *)args->scratch + rows_bytes(key);
	struct fr *b = (struct fr *)rest;

	(void)reterr;
	if (k->assigned &&
	    (stage == LULL_STAGE_MSM_A || stage == LULL_STAGE_MSM_B1 ||
	     stage == LULL_STAGE_MSM_B2)) {
		run_gathered(key, stage, args, rest);
		return LULL_OK;
	}
	switch (stage) {
	case LULL_STAGE_LOAD:
	case LULL_STAGE_RETIRE:
		/* Read where it lies; the caller wipes the scratch. */
		return LULL_OK;
	case LULL_STAGE_SPMV:
		run_spmv(key, args, rows, b);
		return LULL_OK;
	case LULL_STAGE_H:
		(k->folded ? fr_quotient_folded
			   : fr_quotient)(key->domain, rows, b, args->workers,
					  rest + rows_bytes(key));
		if (k->assigned)
			fr_quotient_coefs(key->domain, rows, args->workers,
					  rest);
		return LULL_OK;
	case LULL_STAGE_MSM_A:
		run_msm_g1(args, k->a, args->witness, k->nr_vars, rest);
		return LULL_OK;
	case LULL_STAGE_MSM_B1:
		run_msm_g1(args, k->b1, args->witness, k->nr_vars, rest);
		return LULL_OK;
	case LULL_STAGE_MSM_B2:
		run_msm_g2(args, k->b2, args->witness, k->nr_vars, rest);
		return LULL_OK;
	case LULL_STAGE_MSM_L:
		run_msm_g1(args, k->l, args->witness + first * LULL_FR_BYTES,
			   k->nr_l, rest);
		return LULL_OK;
	case LULL_STAGE_MSM_H:
		run_msm_g1(args, k->h, (const uint8_t *)rows,
			   k->assigned ? n - 1 : n, rest);
		return LULL_OK;
	default:
		assert(!"a stage that no backend runs");
		return LULL_INTERNAL;
	}
}

const struct lull_backend_ops backend_cpu = {
	.key_attach = cpu_key_attach,
	.key_detach = cpu_key_detach,
	.scratch_bytes = cpu_scratch_bytes,
	.run = cpu_run,
};
