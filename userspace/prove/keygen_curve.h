/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keygen_curve.h - the trapdoor, and many multiples of the generators
 *
 * For keygen_tmpl.c and its tests.  Every point of a key from a known trapdoor
 * is a multiple of a generator, so a table of the generator's multiples per
 * window of the scalar turns a multiplication into one addition a window, and
 * additions of thousands of points share one inversion.
 */
#ifndef LULL_PROVE_KEYGEN_CURVE_H
#define LULL_PROVE_KEYGEN_CURVE_H

#include "arena/arena.h"
#include "base/workers.h"
#include "curve/group.h"

struct lull_error;

/* Points multiplied together: an inversion (some 300 products) is spread thin
 * and the scratch of the widest group stays in a second-level cache. */
#define KEYGEN_BATCH 2048

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

/* One addition to come: the point @p, negated where @neg, to target @at. */
struct g1_addend {
	const struct g1_affine *p;
	uint32_t at;
	uint8_t neg, twice;
};

struct g2_addend {
	const struct g2_affine *p;
	uint32_t at;
	uint8_t neg, twice;
};

/* Memory that one thread multiplies in. */
struct g1_multiply_scratch {
	limb_t biased[KEYGEN_BATCH][KEYGEN_BIASED_LIMBS];
	struct g1_addend addends[KEYGEN_BATCH];
	struct fp den[KEYGEN_BATCH], prefix[KEYGEN_BATCH];
};

struct g2_multiply_scratch {
	limb_t biased[KEYGEN_BATCH][KEYGEN_BIASED_LIMBS];
	struct g2_addend addends[KEYGEN_BATCH];
	struct fp2 den[KEYGEN_BATCH], prefix[KEYGEN_BATCH];
};

#define g1_multiples_create LULL_CURVE_NAME(g1_multiples_create)
#define g2_multiples_create LULL_CURVE_NAME(g2_multiples_create)
#define g1_multiples_done LULL_CURVE_NAME(g1_multiples_done)
#define g2_multiples_done LULL_CURVE_NAME(g2_multiples_done)
#define g1_multiply_var LULL_CURVE_NAME(g1_multiply_var)
#define g2_multiply_var LULL_CURVE_NAME(g2_multiply_var)

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
#define g_addend LULL_GROUP_LOCAL(addend)
#define g_multiply_scratch LULL_GROUP_LOCAL(multiply_scratch)
#define g_multiples_create LULL_GROUP_LOCAL(multiples_create)
#define g_multiples_done LULL_GROUP_LOCAL(multiples_done)
#define g_multiply_var LULL_GROUP_LOCAL(multiply_var)
#endif

#endif
