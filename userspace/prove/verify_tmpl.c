// SPDX-License-Identifier: Apache-2.0
/*
 * verify_tmpl.c - the pairing check of a proof
 *
 *	e(-A, B) e(alpha, beta) e(IC_0 + sum x_i IC_i, gamma) e(C, delta) = 1
 *
 * Refuses points off their curve or outside their subgroup.
 */
#include <stdio.h>

#include "base/error.h"
#include "arena/arena.h"
#include "curve/pairing.h"
#include "msm/msm.h"
#include "prove/groth16_tmpl.h"

/* A verification key; ic are nr_public + 1 points in Montgomery form. */
struct vk {
	struct g1_affine alpha1;
	struct g2_affine beta2, gamma2, delta2;
	const uint8_t *ic;
	size_t nr_public;
};

struct proof_points {
	struct g1_affine a, c;
	struct g2_affine b;
};

static void get_plain(struct fp *r, const uint8_t *plain)
{
	limb_t limbs[FP_LIMBS];

	memcpy(limbs, plain, sizeof(limbs));
	fp_from_plain(r, limbs);
}

static void get_g1(struct g1_affine *r, const uint8_t *plain)
{
	get_plain(&r->x, plain);
	get_plain(&r->y, plain + sizeof(struct fp));
}

static void get_g2(struct g2_affine *r, const uint8_t *plain)
{
	get_plain(&r->x.c0, plain);
	get_plain(&r->x.c1, plain + sizeof(struct fp));
	get_plain(&r->y.c0, plain + 2 * sizeof(struct fp));
	get_plain(&r->y.c1, plain + 3 * sizeof(struct fp));
}

size_t groth16_check_bytes(uint32_t nr_public, unsigned int nr_threads)
{
	return g1_msm_scratch_bytes(nr_public, nr_threads);
}

/* r = IC_0 + sum of publics[i] IC_(i+1) */
static int public_point(struct g1_affine *r, const struct vk *vk,
			const uint8_t *publics, struct lull_workers *workers,
			struct lull_arena *arena, struct lull_error *reterr)
{
	size_t bytes =
		groth16_check_bytes(vk->nr_public, lull_workers_nr(workers));
	struct lull_vec scratch;
	struct g1_affine first;
	struct g1_xyzz acc;
	int err;

	err = lull_arena_carve(arena, bytes, 0, "verify", &scratch, reterr);
	if (err)
		return err;
	g1_msm_var(&acc, vk->ic + sizeof(first), publics, vk->nr_public,
		   workers, scratch.ptr);
	memcpy(&first, vk->ic, sizeof(first));
	g1_xyzz_add_affine(&acc, &acc, &first);
	g1_xyzz_to_affine(r, &acc);
	lull_arena_retire(&scratch);
	return LULL_OK;
}

static int check_equation(const struct vk *vk, const uint8_t *publics,
			  const struct proof_points *proof,
			  struct lull_workers *workers,
			  struct lull_arena *arena, struct lull_error *reterr)
{
	struct g1_affine p[4];
	struct g2_affine q[4] = { proof->b, vk->beta2, vk->gamma2, vk->delta2 };
	int err;

	g1_affine_neg(&p[0], &proof->a);
	p[1] = vk->alpha1;
	err = public_point(&p[2], vk, publics, workers, arena, reterr);
	if (err)
		return err;
	p[3] = proof->c;
	if (!pairing_product_is_one(p, q, LULL_ARRAY_SIZE(p)))
		return lull_fail(reterr, LULL_INVALID,
				 "the pairing equation does not hold");
	return LULL_OK;
}

static int check_point_g1(const char *what, const struct g1_affine *p, int code,
			  struct lull_error *reterr)
{
	if (g1_affine_check(p) != LULL_POINT_OK)
		return lull_fail(reterr, code, "%s is not on the curve", what);
	if (!g1_in_subgroup(p))
		return lull_fail(reterr, code,
				 "%s is not in the subgroup of order r", what);
	return LULL_OK;
}

static int check_point_g2(const char *what, const struct g2_affine *p, int code,
			  struct lull_error *reterr)
{
	if (g2_affine_check(p) != LULL_POINT_OK)
		return lull_fail(reterr, code, "%s is not on the curve", what);
	if (!g2_in_subgroup(p))
		return lull_fail(reterr, code,
				 "%s is not in the subgroup of order r", what);
	return LULL_OK;
}

static void get_proof(struct proof_points *r,
		      const struct lull_json_proof *proof)
{
	get_g1(&r->a, proof->a);
	get_g2(&r->b, proof->b);
	get_g1(&r->c, proof->c);
}

static int check_proof_points(const struct proof_points *proof,
			      struct lull_error *reterr)
{
	int err;

	err = check_point_g1("pi_a", &proof->a, LULL_INVALID, reterr);
	if (!err)
		err = check_point_g2("pi_b", &proof->b, LULL_INVALID, reterr);
	if (!err)
		err = check_point_g1("pi_c", &proof->c, LULL_INVALID, reterr);
	return err;
}

static int check_vk_points(const struct vk *vk, struct lull_error *reterr)
{
	struct g1_affine p;
	char what[32];
	size_t i;
	int err;

	err = check_point_g1("vk_alpha_1", &vk->alpha1, LULL_RANGE, reterr);
	if (!err)
		err = check_point_g2("vk_beta_2", &vk->beta2, LULL_RANGE,
				     reterr);
	if (!err)
		err = check_point_g2("vk_gamma_2", &vk->gamma2, LULL_RANGE,
				     reterr);
	if (!err)
		err = check_point_g2("vk_delta_2", &vk->delta2, LULL_RANGE,
				     reterr);
	for (i = 0; !err && i <= vk->nr_public; i++) {
		memcpy(&p, vk->ic + i * sizeof(p), sizeof(p));
		snprintf(what, sizeof(what), "IC[%zu]", i);
		err = check_point_g1(what, &p, LULL_RANGE, reterr);
	}
	return err;
}

int groth16_verify(const struct lull_json_vkey *vkey, const uint8_t *publics,
		   const struct lull_json_proof *proof,
		   struct lull_workers *workers, struct lull_arena *arena,
		   struct lull_error *reterr)
{
	struct vk vk = { .nr_public = vkey->nr_public };
	struct proof_points points;
	struct lull_vec ic;
	struct g1_affine p;
	size_t i;
	int err;

	err = lull_arena_carve(arena, (vk.nr_public + 1) * sizeof(p), 0,
			       "verify", &ic, reterr);
	if (err)
		return err;
	for (i = 0; i <= vk.nr_public; i++) {
		get_g1(&p, vkey->ic + i * sizeof(p));
		memcpy((uint8_t *)ic.ptr + i * sizeof(p), &p, sizeof(p));
	}
	vk.ic = ic.ptr;
	get_g1(&vk.alpha1, vkey->alpha1);
	get_g2(&vk.beta2, vkey->beta2);
	get_g2(&vk.gamma2, vkey->gamma2);
	get_g2(&vk.delta2, vkey->delta2);
	get_proof(&points, proof);
	err = check_vk_points(&vk, reterr);
	if (!err)
		err = check_proof_points(&points, reterr);
	if (!err)
		err = check_equation(&vk, publics, &points, workers, arena,
				     reterr);
	lull_arena_retire(&ic);
	return err;
}

int groth16_verify_key(const struct lull_parts *key, const uint8_t *publics,
		       const struct lull_json_proof *proof,
		       struct lull_workers *workers, struct lull_arena *arena,
		       struct lull_error *reterr)
{
	struct vk vk = { .ic = key->ic, .nr_public = key->nr_public };
	struct proof_points points;

	memcpy(&vk.alpha1, key->alpha1, sizeof(vk.alpha1));
	memcpy(&vk.beta2, key->beta2, sizeof(vk.beta2));
	memcpy(&vk.gamma2, key->gamma2, sizeof(vk.gamma2));
	memcpy(&vk.delta2, key->delta2, sizeof(vk.delta2));
	get_proof(&points, proof);
	return check_equation(&vk, publics, &points, workers, arena, reterr);
}
