// SPDX-License-Identifier: Apache-2.0
/*
 * pairs_gtmpl.c - batches of affine additions in portable C
 *
 * The twin that runs everywhere, and the reference for the others.  Two
 * passes: forward, denominators and their running product; backward, from the
 * inverse of the whole product, one inverse and one sum after the other.
 */
#include "msm/pairs.h"

#include "base/base.h"
#include "msm/inverse.h"
#include "msm/scalars.h"

#if LULL_GROUP == 1
#define gfe_inv_var fp_inv_var
#else
#define gfe_inv_var fp2_inv_var
#endif

/* What a pair turned out to be. */
enum kind {
	KIND_SUM,
	KIND_DOUBLE,
	KIND_INFINITY,
	KIND_A, /* b is infinity */
	KIND_B, /* a is infinity */
};

struct temp {
	struct gfe denom, before; /* before: product of all earlier denoms */
	enum kind kind;
};

static void load_ref(struct g_affine *p, const uint8_t *points, uint32_t ref)
{
	memcpy(p, points + (size_t)(ref >> LULL_MSM_REF_SHIFT) * sizeof(*p),
	       sizeof(*p));
	if (ref & LULL_MSM_REF_NEG)
		gfe_neg(&p->y, &p->y);
}

static __always_inline void load_pair(struct g_affine *a, struct g_affine *b,
				      const void *src,
				      const struct lull_msm_pair *pair,
				      bool refs)
{
	if (refs) {
		load_ref(a, src, pair->a);
		load_ref(b, src, pair->b);
	} else {
		*a = ((const struct g_affine *)src)[pair->a];
		*b = ((const struct g_affine *)src)[pair->b];
	}
}

/* Sets denom; gives 1 where the sum needs none. */
static enum kind classify(struct gfe *denom, const struct g_affine *a,
			  const struct g_affine *b)
{
	enum kind kind = KIND_INFINITY;

	gfe_sub(denom, &b->x, &a->x);
	if (lull_likely(!gfe_is_zero(denom) && !g_affine_is_inf(a) &&
			!g_affine_is_inf(b)))
		return KIND_SUM;
	if (g_affine_is_inf(b)) {
		kind = KIND_A;
	} else if (g_affine_is_inf(a)) {
		kind = KIND_B;
	} else if (gfe_equal(&a->y, &b->y) && !gfe_is_zero(&a->y)) {
		gfe_dbl(denom, &a->y);
		return KIND_DOUBLE;
	}
	*denom = gfe_one;
	return kind;
}

/* r = a + b or 2 a, with the inverse of the denominator. */
static void add_with(struct g_affine *r, const struct g_affine *a,
		     const struct g_affine *b, const struct gfe *inv,
		     enum kind kind)
{
	struct gfe slope, x, t;

	if (kind == KIND_DOUBLE) {
		gfe_sqr(&t, &a->x);
		gfe_dbl(&slope, &t);
		gfe_add(&slope, &slope, &t);
	} else {
		gfe_sub(&slope, &b->y, &a->y);
	}
	gfe_mul(&slope, &slope, inv);
	gfe_sqr(&x, &slope);
	gfe_sub(&x, &x, &a->x);
	gfe_sub(&x, &x, &b->x);
	gfe_sub(&t, &a->x, &x);
	gfe_mul(&t, &t, &slope);
	gfe_sub(&r->y, &t, &a->y);
	r->x = x;
}

static __always_inline void add_batch(struct g_affine *dst, const void *src,
				      const struct lull_msm_pair *pairs,
				      size_t nr, struct temp *temp, bool refs)
{
	struct gfe acc = gfe_one, inv;
	struct g_affine a, b;
	size_t i;

	LULL_ASSERT(nr <= G_PAIR_BATCH);
	for (i = 0; i < nr; i++) {
		load_pair(&a, &b, src, &pairs[i], refs);
		temp[i].kind = classify(&temp[i].denom, &a, &b);
		temp[i].before = acc;
		gfe_mul(&acc, &acc, &temp[i].denom);
	}
	gfe_inv_var(&acc, &acc);
	while (i--) {
		load_pair(&a, &b, src, &pairs[i], refs);
		gfe_mul(&inv, &acc, &temp[i].before);
		gfe_mul(&acc, &acc, &temp[i].denom);
		if (temp[i].kind <= KIND_DOUBLE)
			add_with(&a, &a, &b, &inv, temp[i].kind);
		else if (temp[i].kind == KIND_INFINITY)
			memset(&a, 0, sizeof(a));
		else if (temp[i].kind == KIND_B)
			a = b;
		dst[pairs[i].out] = a;
	}
}

static void load(struct g_affine *dst, const uint8_t *points,
		 const struct lull_msm_pair *pairs, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		load_ref(&dst[pairs[i].out], points, pairs[i].a);
}

static void add_refs(struct g_affine *dst, const uint8_t *points,
		     const struct lull_msm_pair *pairs, size_t nr, void *temp)
{
	add_batch(dst, points, pairs, nr, temp, true);
}

static void add(struct g_affine *dst, const struct lull_msm_pair *pairs,
		size_t nr, void *temp)
{
	add_batch(dst, dst, pairs, nr, temp, false);
}

/* They are canonical already. */
static void finish(struct g_affine *points, size_t nr)
{
	(void)points;
	(void)nr;
}

const struct g_pair_ops g_pairs_portable = {
	.temp_bytes = G_PAIR_BATCH * sizeof(struct temp),
	.load = load,
	.add_refs = add_refs,
	.add = add,
	.finish = finish,
};
