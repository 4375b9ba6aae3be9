/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keygen_curve.h - the trapdoor, and many multiples of the generators
 *
 * For keygen_tmpl.c and its tests.  Every point of a key from a known trapdoor
 * is a multiple of a generator, so a table of the generator's multiples per
 * window of the scalar turns a multiplication into one addition a window, and
 * additions of thousands of points share one inversion (msm/pairs.h).
 */
#ifndef LULL_PROVE_KEYGEN_CURVE_H
#define LULL_PROVE_KEYGEN_CURVE_H

#include "arena/arena.h"
#include "base/workers.h"
#include "curve/group.h"
#include "msm/pairs.h"

struct lull_error;

/* Points multiplied together: a batch of pairs in G1, whose inversion (some 300
 * products) is spread thin, and two in G2. */
#define KEYGEN_BATCH 2048

_Static_assert(KEYGEN_BATCH % LULL_G1_PAIR_BATCH == 0 &&
		       KEYGEN_BATCH % LULL_G2_PAIR_BATCH == 0,
	       "whole batches of pairs");

/* struct keygen_trapdoor - what a ceremony would have to forget */
struct keygen_trapdoor {
	struct fr tau, alpha, beta, gamma, delta;
};

#define keygen_draw LULL_CURVE_NAME(keygen_draw)

/*
 * Draws a trapdoor for a domain of 2^log2_domain: no part is zero, and tau
 * lies neither on the domain nor on the coset that H is made of.  @seed is
 * LULL_KEYGEN_SEED_BYTES bytes or NULL.  LULL_OK or LULL_IO.
 */
int keygen_draw(struct keygen_trapdoor *ret_trapdoor, const uint8_t *seed,
		unsigned int log2_domain, struct lull_error *reterr);

/* The shift of the coset that H is made of: w_2n, or g^2 where n = 2^s. */
#define keygen_shift LULL_CURVE_NAME(keygen_shift)
void keygen_shift(struct fr *r, unsigned int log2_domain);

/* A scalar plus half of every window, so that digits need no carry: a limb
 * more than the scalar has. */
#define KEYGEN_BIASED_LIMBS (FR_LIMBS + 1)

/**
 * struct g1_multiples - multiples of the generator G
 * @window: bits of a digit, c
 * @nr_windows: digits of a scalar
 * @points: 2^(c-1) points for each window w: (j + 1) 2^(c w) G
 * @vec: owns @points
 */
struct g1_multiples {
	unsigned int window, nr_windows;
	struct g1_affine *points;
	struct lull_vec vec;
};

struct g2_multiples {
	unsigned int window, nr_windows;
	struct g2_affine *points;
	struct lull_vec vec;
};

/* Work points of a multiplication: the sums so far, those with a term more,
 * and the term. */
#define KEYGEN_PLANES 3

/**
 * struct g1_multiply_scratch - memory that one thread multiplies in
 * @ops: the twin in use
 * @biased: scalars that are not 0, plain, plus the bias
 * @live: where they stand among all
 * @pairs: of one step: sums of two, and from the end down what is loaded
 * @work: planes of work points
 * @temp: of the twin
 */
struct g1_multiply_scratch {
	const struct lull_g1_pair_ops *ops;
	limb_t biased[KEYGEN_BATCH][KEYGEN_BIASED_LIMBS];
	uint32_t live[KEYGEN_BATCH];
	struct lull_msm_pair pairs[KEYGEN_BATCH];
	struct g1_affine work[KEYGEN_PLANES * KEYGEN_BATCH];
	_Alignas(64) unsigned char temp[];
};

struct g2_multiply_scratch {
	const struct lull_g2_pair_ops *ops;
	limb_t biased[KEYGEN_BATCH][KEYGEN_BIASED_LIMBS];
	uint32_t live[KEYGEN_BATCH];
	struct lull_msm_pair pairs[KEYGEN_BATCH];
	struct g2_affine work[KEYGEN_PLANES * KEYGEN_BATCH];
	_Alignas(64) unsigned char temp[];
};

#define g1_multiply_init LULL_CURVE_NAME(g1_multiply_init)
#define g2_multiply_init LULL_CURVE_NAME(g2_multiply_init)
#define g1_multiply_bytes LULL_CURVE_NAME(g1_multiply_bytes)
#define g2_multiply_bytes LULL_CURVE_NAME(g2_multiply_bytes)
#define g1_multiples_create LULL_CURVE_NAME(g1_multiples_create)
#define g2_multiples_create LULL_CURVE_NAME(g2_multiples_create)
#define g1_multiples_done LULL_CURVE_NAME(g1_multiples_done)
#define g2_multiples_done LULL_CURVE_NAME(g2_multiples_done)
#define g1_multiply_var LULL_CURVE_NAME(g1_multiply_var)
#define g2_multiply_var LULL_CURVE_NAME(g2_multiply_var)

/* Bytes of a scratch; a multiple of 64, as its address must be. */
size_t g1_multiply_bytes(void);
size_t g2_multiply_bytes(void);
void g1_multiply_init(struct g1_multiply_scratch *scratch);
void g2_multiply_init(struct g2_multiply_scratch *scratch);

/* Fills a table whose window suits @nr_points multiplications.  LULL_OK or
 * LULL_NOMEM. */
int g1_multiples_create(struct g1_multiples *ret_table, uint64_t nr_points,
			struct lull_workers *workers, struct lull_arena *arena,
			struct lull_error *reterr);
int g2_multiples_create(struct g2_multiples *ret_table, uint64_t nr_points,
			struct lull_workers *workers, struct lull_arena *arena,
			struct lull_error *reterr);

/* Frees the table; an empty one is left alone. */
void g1_multiples_done(struct g1_multiples *table);
void g2_multiples_done(struct g2_multiples *table);

/* points[i] = scalars[i] G for nr <= KEYGEN_BATCH scalars (Montgomery); 0
 * gives infinity. */
void g1_multiply_var(struct g1_affine *points, const struct g1_multiples *table,
		     const struct fr *scalars, size_t nr,
		     struct g1_multiply_scratch *scratch);
void g2_multiply_var(struct g2_affine *points, const struct g2_multiples *table,
		     const struct fr *scalars, size_t nr,
		     struct g2_multiply_scratch *scratch);

#ifdef LULL_GROUP
#define g_multiples LULL_GROUP_LOCAL(multiples)
#define g_multiply_scratch LULL_GROUP_LOCAL(multiply_scratch)
#define g_multiples_create LULL_GROUP_LOCAL(multiples_create)
#define g_multiples_done LULL_GROUP_LOCAL(multiples_done)
#define g_multiply_var LULL_GROUP_LOCAL(multiply_var)
#define g_multiply_init LULL_GROUP_LOCAL(multiply_init)
#define g_multiply_bytes LULL_GROUP_LOCAL(multiply_bytes)
#endif

#endif
