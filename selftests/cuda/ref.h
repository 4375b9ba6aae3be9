/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ref.h - the C library as the tests of the CUDA code see it
 *
 * Per curve one table of functions over raw memory: the C library's headers
 * are C, its layout is the device's.  Filled in by ref_tmpl.c.
 */
#ifndef LULL_SELFTESTS_CUDA_REF_H
#define LULL_SELFTESTS_CUDA_REF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* r = a op b; unary ones do not read b. */
typedef void (*cuda_ref_op)(void *r, const void *a, const void *b);

struct cuda_ref_field {
	cuda_ref_op mul, sqr, add, sub, neg, inv, from_plain, to_plain;
	/* One random element, an edge of the field half of the time. */
	void (*random)(void *r);
};

struct cuda_ref_group {
	size_t affine_bytes;
	/* Affine results of points given affine: all complete. */
	cuda_ref_op add, dbl;
	/* r = k p, k plain of 32 bytes */
	void (*mul)(void *r, const void *p, const void *k);
	void (*generator)(void *r);
	void (*random)(void *r);
	/* r = sum of scalars[i] points[i], on every processor */
	void (*msm)(void *r, const void *points, const void *scalars,
		    size_t nr);
};

#define CUDA_REF_NR_EDGES 4

struct cuda_ref {
	struct cuda_ref_field fr, fp, fp2;
	struct cuda_ref_group g1, g2;
	/* One plain scalar below r; r - 1. */
	void (*random_scalar)(void *k);
	void (*minus_one)(void *k);
	/* One of CUDA_REF_NR_EDGES: (r - 1) / 2, up to which scalars are taken
	 * as they are, (r + 1) / 2, r - 1 and 1. */
	void (*edge)(void *k, unsigned int i);
	/* k = k > r / 2 ? r - k : k */
	void (*fold)(void *k);
};

extern const struct cuda_ref cuda_ref_bn254, cuda_ref_bls12_381;

/* The harness's generator of random numbers, as ref_tmpl.c has it. */
uint64_t cuda_ref_random(void);

#ifdef __cplusplus
}
#endif
#endif
