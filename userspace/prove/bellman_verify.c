// SPDX-License-Identifier: Apache-2.0
/*
 * bellman_verify.c - bellman's proofs: encoded, decoded, and checked together
 *
 * For proofs i with public signals x_i and random z_i,
 *
 *	prod e(-z_i A_i, B_i) e(sum z_i alpha, beta)
 *		e(sum_j (sum_i z_i x_ij) IC_j, gamma) e(sum z_i C_i, delta) = 1
 *
 * with x_i0 = 1.  All points are in their subgroups, so one false proof leaves
 * a factor e(.,.)^(z_i) that no choice of the others can cancel but by chance,
 * one in r.
 *
 * Refuses points off their curve, outside their subgroup, or at infinity.
 */
/* The format is this curve's alone. */
#define LULL_CURVE bls12_381

#include <stdio.h>

#include "base/base.h"
#include "base/error.h"
#include "curve/pairing.h"
#include "msm/msm.h"
#include "prove/bellman.h"
#include "prove/random.h"

/* Of wrong partitions this many are named. */
#define NAMED_MAX 16
#define NAMES_BYTES 96

struct proof_points {
	struct g1_affine a, c;
	struct g2_affine b;
};

/* ---- encoding ---------------------------------------------------------- */

/* Is y the larger of y and -y, as integers?  Elements are compared by the part
 * with u first. */
static bool fp_is_larger(const struct fp *y)
{
	limb_t plain[FP_LIMBS], other[FP_LIMBS];
	struct fp minus;

	fp_neg(&minus, y);
	fp_to_plain(plain, y);
	fp_to_plain(other, &minus);
	return limbs_less(other, plain, FP_LIMBS);
}

static bool fp2_is_larger(const struct fp2 *y)
{
	return fp_is_zero(&y->c1) ? fp_is_larger(&y->c0) : fp_is_larger(&y->c1);
}

static void put_g1(const uint8_t *plain, uint8_t *out)
{
	limb_t limbs[FP_LIMBS];
	struct fp y;

	memcpy(limbs, plain + sizeof(y), sizeof(limbs));
	fp_from_plain(&y, limbs);
	lull_bellman_put_compressed(plain, 1, fp_is_larger(&y), out);
}

static void put_g2(const uint8_t *plain, uint8_t *out)
{
	uint8_t coords[sizeof(struct fp2)];
	struct fp2 y;

	memcpy(coords, plain + sizeof(y), sizeof(coords));
	lull_bellman_to_mont(coords, 2);
	memcpy(&y, coords, sizeof(y));
	lull_bellman_put_compressed(plain, 2, fp2_is_larger(&y), out);
}

int lull_bellman_put_proof(const struct lull_json_proof *proof,
			   uint8_t out[LULL_BELLMAN_PROOF_BYTES],
			   struct lull_error *reterr)
{
	const size_t g1 = sizeof(struct g1_affine);

	if (lull_is_zero(proof->a, g1) || lull_is_zero(proof->b, 2 * g1) ||
	    lull_is_zero(proof->c, g1))
		return lull_fail(reterr, LULL_RANGE,
				 "a point of the proof is infinity, which "
				 "bellman's proofs never hold");
	put_g1(proof->a, out + LULL_BELLMAN_PROOF_A);
	put_g2(proof->b, out + LULL_BELLMAN_PROOF_B);
	put_g1(proof->c, out + LULL_BELLMAN_PROOF_C);
	return LULL_OK;
}

/* ---- decoding ---------------------------------------------------------- */

/* y of y^2 = x^3 + b, the larger one or the other: false where there is none. */
static bool solve_g1(struct g1_affine *p, bool sign)
{
	static const struct fp b = { CURVE_CONST(G1_B) };
	struct fp t;

	fp_sqr(&t, &p->x);
	fp_mul(&t, &t, &p->x);
	fp_add(&t, &t, &b);
	if (!fp_sqrt(&p->y, &t))
		return false;
	if (fp_is_larger(&p->y) != sign)
		fp_neg(&p->y, &p->y);
	return true;
}

static bool solve_g2(struct g2_affine *p, bool sign)
{
	static const struct fp2 b = CURVE_CONST(G2_B);
	struct fp2 t;

	fp2_sqr(&t, &p->x);
	fp2_mul(&t, &t, &p->x);
	fp2_add(&t, &t, &b);
	if (!fp2_sqrt(&p->y, &t))
		return false;
	if (fp2_is_larger(&p->y) != sign)
		fp2_neg(&p->y, &p->y);
	return true;
}

static const char off_curve[] =
	"expected a point of the curve, found an x that none has";
static const char off_subgroup[] =
	"expected a point of order r, found one of another order";

/* Each gives NULL, or what is wrong. */
static const char *take_g1(struct g1_affine *p, const uint8_t *from)
{
	uint8_t x[sizeof(p->x)];
	enum lull_bellman_fault fault;
	bool sign;

	fault = lull_bellman_take_compressed(from, 1, x, &sign);
	if (fault != LULL_BELLMAN_POINT_OK)
		return lull_bellman_fault_text(fault);
	lull_bellman_to_mont(x, 1);
	memcpy(&p->x, x, sizeof(p->x));
	if (!solve_g1(p, sign))
		return off_curve;
	return g1_in_subgroup(p) ? NULL : off_subgroup;
}

static const char *take_g2(struct g2_affine *p, const uint8_t *from)
{
	uint8_t x[sizeof(p->x)];
	enum lull_bellman_fault fault;
	bool sign;

	fault = lull_bellman_take_compressed(from, 2, x, &sign);
	if (fault != LULL_BELLMAN_POINT_OK)
		return lull_bellman_fault_text(fault);
	lull_bellman_to_mont(x, 2);
	memcpy(&p->x, x, sizeof(p->x));
	if (!solve_g2(p, sign))
		return off_curve;
	return g2_in_subgroup(p) ? NULL : off_subgroup;
}

/* NULL, or what is wrong and in *ret_what with which point. */
static const char *take_proof(struct proof_points *p, const uint8_t *from,
			      const char **ret_what)
{
	const char *why;

	*ret_what = "A";
	why = take_g1(&p->a, from + LULL_BELLMAN_PROOF_A);
	if (why)
		return why;
	*ret_what = "B";
	why = take_g2(&p->b, from + LULL_BELLMAN_PROOF_B);
	if (why)
		return why;
	*ret_what = "C";
	return take_g1(&p->c, from + LULL_BELLMAN_PROOF_C);
}

/* ---- the equation ------------------------------------------------------ */

/* What one check works on. */
struct verifying {
	const struct lull_bellman_points *vkey;
	size_t nr_public;
	const uint8_t *publics;
	struct lull_workers *workers;
	struct lull_arena *arena;
	struct proof_points *proofs;
	struct fr *factors;  /* z_i, Montgomery */
	struct fr *sums;     /* of public signals: nr_public + 1, plain */
	struct g1_affine *p; /* of pairs: one a proof, and three */
	struct g2_affine *q;
	void *msm;
	struct lull_vec vec;
};

#define VKEY_PAIRS 3

/* Hands out aligned pieces of a block; of NULL, only counts. */
static void *piece(uint8_t *base, size_t *used, size_t bytes)
{
	void *p = base ? base + *used : NULL;

	*used += lull_align_up(bytes, LULL_ARENA_ALIGN);
	return p;
}

static size_t place(struct verifying *v, size_t nr, uint8_t *base)
{
	size_t nr_ic = v->nr_public + 1, nr_pairs = nr + VKEY_PAIRS, used = 0;
	unsigned int nr_threads = lull_workers_nr(v->workers);

	v->proofs = piece(base, &used, nr * sizeof(*v->proofs));
	v->factors = piece(base, &used, nr * sizeof(*v->factors));
	v->sums = piece(base, &used, nr_ic * sizeof(*v->sums));
	v->p = piece(base, &used, nr_pairs * sizeof(*v->p));
	v->q = piece(base, &used, nr_pairs * sizeof(*v->q));
	v->msm = piece(base, &used, g1_msm_scratch_bytes(nr_ic, nr_threads));
	return used;
}

static int draw(struct fr *ret_factor, struct lull_error *reterr)
{
	uint8_t plain[LULL_FR_BYTES];
	struct fr z;
	int err;

	err = lull_prove_random(lull_curve_facts(LULL_CURVE_BLS12_381), plain,
				reterr);
	if (err)
		return err;
	memcpy(&z, plain, sizeof(z));
	fr_from_plain(ret_factor, z.l);
	return LULL_OK;
}

/* The public signals' sums, weighted: sums[0] belongs to the constant one. */
static void weigh(struct verifying *v, size_t first, size_t nr)
{
	size_t at = first * v->nr_public * LULL_FR_BYTES, i, j;
	struct fr value, *sum;

	memset(v->sums, 0, (v->nr_public + 1) * sizeof(*v->sums));
	for (i = 0; i < nr; i++) {
		fr_add(&v->sums[0], &v->sums[0], &v->factors[i]);
		for (j = 1; j <= v->nr_public; j++, at += sizeof(value)) {
			sum = &v->sums[j];
			memcpy(&value, v->publics + at, sizeof(value));
			fr_from_plain(&value, value.l);
			fr_mul(&value, &value, &v->factors[i]);
			fr_add(sum, sum, &value);
		}
	}
	for (j = 0; j <= v->nr_public; j++)
		fr_to_plain(v->sums[j].l, &v->sums[j]);
}

/* The pairs of the proofs; gives the sum of z_i C_i. */
static void weigh_proofs(struct verifying *v, size_t first, size_t nr,
			 struct g1_xyzz *sum_c)
{
	limb_t plain[FR_LIMBS];
	struct g1_xyzz t;
	size_t i;

	g1_xyzz_set_inf(sum_c);
	for (i = 0; i < nr; i++) {
		const struct proof_points *proof = &v->proofs[first + i];

		fr_to_plain(plain, &v->factors[i]);
		g1_mul_var(&t, &proof->a, plain, FR_LIMBS);
		g1_xyzz_to_affine(&v->p[i], &t);
		g1_affine_neg(&v->p[i], &v->p[i]);
		v->q[i] = proof->b;
		g1_mul_var(&t, &proof->c, plain, FR_LIMBS);
		g1_xyzz_add(sum_c, sum_c, &t);
	}
}

/* Do proofs [first, first + nr) hold together?  Factors are drawn. */
static bool hold(struct verifying *v, size_t first, size_t nr)
{
	uint8_t *const *at = v->vkey->at;
	struct g1_affine alpha, *p = v->p + nr;
	struct g2_affine *q = v->q + nr;
	struct g1_xyzz sum, sum_c;

	weigh_proofs(v, first, nr, &sum_c);
	weigh(v, first, nr);
	memcpy(&alpha, at[LULL_BELLMAN_ALPHA_G1], sizeof(alpha));
	g1_mul_var(&sum, &alpha, v->sums[0].l, FR_LIMBS);
	g1_xyzz_to_affine(&p[0], &sum);
	memcpy(&q[0], at[LULL_BELLMAN_BETA_G2], sizeof(q[0]));
	g1_msm_var(&sum, at[LULL_BELLMAN_IC], (const uint8_t *)v->sums,
		   v->nr_public + 1, v->workers, v->msm);
	g1_xyzz_to_affine(&p[1], &sum);
	memcpy(&q[1], at[LULL_BELLMAN_GAMMA_G2], sizeof(q[1]));
	g1_xyzz_to_affine(&p[2], &sum_c);
	memcpy(&q[2], at[LULL_BELLMAN_DELTA_G2], sizeof(q[2]));
	return pairing_product_is_one(v->p, v->q,
				      (unsigned int)(nr + VKEY_PAIRS));
}

/* ---- many proofs ------------------------------------------------------- */

/* Partitions that are wrong, in words. */
struct wrong {
	size_t nr, first;
	const char *what, *why;
	char others[NAMES_BYTES]; /* ", 3, 7" */
};

static void add_wrong(struct wrong *w, size_t i, const char *what,
		      const char *why)
{
	size_t len = strlen(w->others);

	if (!w->nr++) {
		w->first = i;
		w->what = what;
		w->why = why;
	} else if (w->nr <= NAMED_MAX) {
		snprintf(w->others + len, sizeof(w->others) - len, ", %zu", i);
	} else if (w->nr == NAMED_MAX + 1) {
		snprintf(w->others + len, sizeof(w->others) - len, ", ...");
	}
}

static int fail_wrong(const struct wrong *w, size_t nr,
		      struct lull_error *reterr)
{
	return lull_fail(reterr, LULL_INVALID,
			 "partition %zu of %zu: %s%s%s%s%s", w->first, nr,
			 w->what, *w->what ? ": " : "", w->why,
			 *w->others ? "; wrong as well: " : "",
			 *w->others ? w->others + 2 : "");
}

static int check_proofs(struct verifying *v, const uint8_t *proofs, size_t nr,
			struct lull_error *reterr)
{
	struct wrong wrong = { 0 };
	const char *what, *why;
	size_t i;
	int err;

	for (i = 0; i < nr; i++) {
		why = take_proof(&v->proofs[i],
				 proofs + i * LULL_BELLMAN_PROOF_BYTES, &what);
		if (why)
			add_wrong(&wrong, i, what, why);
		err = draw(&v->factors[i], reterr);
		if (err)
			return err;
	}
	if (wrong.nr)
		return fail_wrong(&wrong, nr, reterr);
	if (hold(v, 0, nr))
		return LULL_OK;
	for (i = 0; i < nr; i++)
		if (!hold(v, i, 1))
			add_wrong(&wrong, i, "",
				  "the pairing equation does not hold");
	if (!wrong.nr)
		return lull_fail(reterr, LULL_INTERNAL,
				 "each of %zu proofs verifies alone, all "
				 "together do not",
				 nr);
	return fail_wrong(&wrong, nr, reterr);
}

int lull_bellman_verify(const struct lull_bellman_points *vkey,
			size_t nr_public, const uint8_t *proofs,
			const uint8_t *publics, size_t nr,
			struct lull_workers *workers, struct lull_arena *arena,
			struct lull_error *reterr)
{
	struct verifying v = {
		.vkey = vkey,
		.nr_public = nr_public,
		.publics = publics,
		.workers = workers,
		.arena = arena,
	};
	int err;

	err = lull_arena_carve(arena, place(&v, nr, NULL), 0, "verify", &v.vec,
			       reterr);
	if (err)
		return err;
	place(&v, nr, v.vec.ptr);
	err = check_proofs(&v, proofs, nr, reterr);
	lull_arena_retire(&v.vec);
	return err;
}
