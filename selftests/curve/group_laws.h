/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group_laws.h - the group law of GROUP = g1 or g2, with coordinates in FIELD
 *
 * group_tmpl.c includes this once per group.  The law is tried on every pair
 * of a tiny group, where all exceptional cases are met, and on random points
 * of the real one.
 */
#define G(name) LULL_PASTE2(LULL_PASTE2(GROUP, _), name)
#define FE(name) LULL_PASTE2(LULL_PASTE2(FIELD, _), name)
#define LAWS(name) LULL_PASTE2(LULL_PASTE2(name, _), GROUP)

/* One tiny group: y^2 = x^3 + b, a generator, all multiples. */
struct LAWS(tiny) {
	unsigned int order;
	struct FIELD b;
	struct G(affine) generator;
};

struct LAWS(table) {
	unsigned int order;
	struct G(affine) affine[TINY_ORDER_MAX];
	/* each under a denominator of its own */
	struct G(xyzz) xyzz[TINY_ORDER_MAX];
};

/* The same point with (zz, zzz) scaled by (s^2, s^3), s random. */
static void LAWS(rescale)(struct G(xyzz) * p)
{
	struct FIELD s, t;

	do {
		random_coordinates(&s, sizeof(s) / sizeof(struct fp));
	} while (FE(is_zero)(&s));
	FE(sqr)(&t, &s);
	FE(mul)(&p->x, &p->x, &t);
	FE(mul)(&p->zz, &p->zz, &t);
	FE(mul)(&t, &t, &s);
	FE(mul)(&p->y, &p->y, &t);
	FE(mul)(&p->zzz, &p->zzz, &t);
}

/* Affine multiples by slopes and inversions, apart from the code under test. */
static void LAWS(chord)(struct G(affine) * r, const struct G(affine) * p,
			const struct G(affine) * q)
{
	struct FIELD slope, t;

	if (FE(equal)(&p->x, &q->x)) {
		FE(sqr)(&slope, &p->x);
		FE(dbl)(&t, &slope);
		FE(add)(&slope, &slope, &t);
		FE(dbl)(&t, &p->y);
	} else {
		FE(sub)(&slope, &q->y, &p->y);
		FE(sub)(&t, &q->x, &p->x);
	}
	FE(inv)(&t, &t);
	FE(mul)(&slope, &slope, &t);
	FE(sqr)(&t, &slope);
	FE(sub)(&t, &t, &p->x);
	FE(sub)(&t, &t, &q->x);
	FE(sub)(&r->y, &p->x, &t);
	FE(mul)(&r->y, &r->y, &slope);
	FE(sub)(&r->y, &r->y, &p->y);
	r->x = t;
}

static void LAWS(fill)(struct LAWS(table) * t, const struct LAWS(tiny) * g)
{
	struct FIELD lhs, rhs;
	struct G(affine) p;
	unsigned int i;

	memset(t, 0, sizeof(*t));
	ASSERT_TRUE(g->order <= TINY_ORDER_MAX);
	t->order = g->order;
	for (i = 1; i < g->order; i++) {
		if (i == 1)
			t->affine[1] = g->generator;
		else
			LAWS(chord)(&t->affine[i], &p, &g->generator);
		p = t->affine[i];
		FE(sqr)(&lhs, &p.y);
		FE(sqr)(&rhs, &p.x);
		FE(mul)(&rhs, &rhs, &p.x);
		FE(add)(&rhs, &rhs, &g->b);
		EXPECT_TRUE(FE(equal)(&lhs, &rhs));
	}
	/* The order: the last multiple is the negative of the first. */
	G(affine_neg)(&p, &g->generator);
	EXPECT_MEMEQ(&p, &t->affine[g->order - 1], sizeof(p));
	for (i = 0; i < g->order; i++) {
		G(xyzz_from_affine)(&t->xyzz[i], &t->affine[i]);
		LAWS(rescale)(&t->xyzz[i]);
	}
}

/* Is *got a valid form of the k-th multiple? */
static void LAWS(expect_multiple)(const struct LAWS(table) * t, unsigned int k,
				  const struct G(xyzz) * got)
{
	const struct G(affine) *want = &t->affine[k % t->order];
	struct FIELD l, r;

	EXPECT_EQ(k % t->order == 0, G(xyzz_is_inf)(got));
	if (k % t->order == 0)
		return;
	FE(mul)(&l, &want->x, &got->zz);
	EXPECT_TRUE(FE(equal)(&l, &got->x));
	FE(mul)(&l, &want->y, &got->zzz);
	EXPECT_TRUE(FE(equal)(&l, &got->y));
	FE(sqr)(&l, &got->zz);
	FE(mul)(&l, &l, &got->zz);
	FE(sqr)(&r, &got->zzz);
	EXPECT_TRUE(FE(equal)(&l, &r));
}

static void LAWS(every_pair)(const struct LAWS(table) * t, unsigned int i,
			     unsigned int j)
{
	struct G(xyzz) r;

	memset(&r, 0xff, sizeof(r));
	G(xyzz_add)(&r, &t->xyzz[i], &t->xyzz[j]);
	LAWS(expect_multiple)(t, i + j, &r);
	r = t->xyzz[i];
	G(xyzz_add)(&r, &r, &t->xyzz[j]);
	LAWS(expect_multiple)(t, i + j, &r);
	r = t->xyzz[j];
	G(xyzz_add)(&r, &t->xyzz[i], &r);
	LAWS(expect_multiple)(t, i + j, &r);
	memset(&r, 0xff, sizeof(r));
	G(xyzz_add_affine)(&r, &t->xyzz[i], &t->affine[j]);
	LAWS(expect_multiple)(t, i + j, &r);
	r = t->xyzz[i];
	G(xyzz_add_affine)(&r, &r, &t->affine[j]);
	LAWS(expect_multiple)(t, i + j, &r);
	EXPECT_EQ(i == j, G(xyzz_equal)(&t->xyzz[i], &t->xyzz[j]));
}

static void LAWS(every_point)(const struct LAWS(table) * t, unsigned int i)
{
	struct G(affine) a;
	struct G(xyzz) r;
	limb_t k[2];

	memset(&r, 0xff, sizeof(r));
	G(xyzz_dbl)(&r, &t->xyzz[i]);
	LAWS(expect_multiple)(t, 2 * i, &r);
	r = t->xyzz[i];
	G(xyzz_dbl)(&r, &r);
	LAWS(expect_multiple)(t, 2 * i, &r);
	r = t->xyzz[i];
	G(xyzz_add)(&r, &r, &r);
	LAWS(expect_multiple)(t, 2 * i, &r);
	memset(&a, 0xff, sizeof(a));
	G(xyzz_to_affine)(&a, &t->xyzz[i]);
	EXPECT_MEMEQ(&t->affine[i], &a, sizeof(a));
	G(affine_neg)(&a, &t->affine[i]);
	EXPECT_MEMEQ(&t->affine[(t->order - i) % t->order], &a, sizeof(a));
	EXPECT_EQ(i == 0, G(affine_is_inf)(&t->affine[i]));
	/* every scalar, past the order, and one of two limbs */
	for (k[0] = 0; k[0] <= 2 * t->order; k[0]++) {
		G(mul_var)(&r, &t->affine[i], k, 1);
		LAWS(expect_multiple)(t, (unsigned int)k[0] * i, &r);
	}
	k[0] = test_random();
	k[1] = test_random();
	G(mul_var)(&r, &t->affine[i], k, 2);
	LAWS(expect_multiple)
	(t,
	 i * (unsigned int)((((limb2_t)k[1] << LIMB_BITS) | k[0]) % t->order),
	 &r);
}

static void LAWS(check_tiny)(const struct LAWS(tiny) * groups, unsigned int nr)
{
	struct LAWS(table) t;
	unsigned int n, i, j;

	for (n = 0; n < nr; n++) {
		LAWS(fill)(&t, &groups[n]);
		for (i = 0; i < t.order; i++) {
			LAWS(every_point)(&t, i);
			for (j = 0; j < t.order; j++)
				LAWS(every_pair)(&t, i, j);
		}
	}
}

/* sum of ks[i] points[i] where points[i] is the is[i]-th multiple. */
static void LAWS(check_sum)(const struct LAWS(table) * t,
			    const struct sum_terms *terms,
			    struct lull_workers *workers)
{
	const unsigned int nr_threads = lull_workers_nr(workers);
	const size_t nr = terms->nr;
	const size_t bytes = G(msm_scratch_bytes)(nr, nr_threads);
	const uint8_t *scalars = (const uint8_t *)terms->scalars;
	struct G(affine) *points = calloc(nr + 1, sizeof(*points));
	void *scratch = aligned_alloc(SCRATCH_ALIGN,
				      lull_align_up(bytes + 1, SCRATCH_ALIGN));
	const uint8_t *raw = (const uint8_t *)points;
	struct G(xyzz) r;
	uint64_t want = 0;
	size_t i;

	EXPECT_TRUE(points && scratch);
	for (i = 0; points && i < nr; i++) {
		points[i] = t->affine[terms->multiples[i]];
		want += (uint64_t)terms->multiples[i] *
			scalar_mod(terms->scalars[i], t->order);
	}
	if (points && scratch) {
		memset(&r, 0xff, sizeof(r));
		G(msm_var)(&r, raw, scalars, nr, workers, scratch);
		LAWS(expect_multiple)(t, (unsigned int)(want % t->order), &r);
	}
	free(scratch);
	free(points);
}

/* Every scalar on every point: alone, all at once, and with long scalars. */
static void LAWS(check_tiny_msm)(const struct LAWS(tiny) * groups,
				 unsigned int nr, struct lull_workers *workers)
{
	static struct sum_terms terms;
	struct LAWS(table) t;
	unsigned int n, i, k;

	for (n = 0; n < nr; n++) {
		LAWS(fill)(&t, &groups[n]);
		terms.nr = 1;
		memset(terms.scalars[0], 0, sizeof(terms.scalars[0]));
		for (i = 0; i < t.order; i++)
			for (k = 0; k <= t.order; k++) {
				terms.multiples[0] = i;
				terms.scalars[0][0] = k;
				LAWS(check_sum)(&t, &terms, workers);
			}
		terms.nr = 0;
		for (i = 0; i < t.order; i++)
			for (k = 0; k < t.order; k++)
				sum_terms_append(&terms, i, k);
		LAWS(check_sum)(&t, &terms, workers);
		/* Above r / 2 a sum takes r - k and the negated point, which
		 * points of order r allow and those of a tiny order do not. */
		for (i = 0; i < terms.nr; i++) {
			random_scalar(terms.scalars[i]);
			terms.scalars[i][FR_LIMBS - 1] >>= 2;
		}
		for (; terms.nr; terms.nr /= 2)
			LAWS(check_sum)(&t, &terms, workers);
	}
}

/* (P + Q) + R = P + (Q + R) with coincidences among them. */
static void LAWS(check_random)(void)
{
	struct G(affine) a[6];
	struct G(xyzz) p[6], l, r;
	unsigned int i, j, k;

	LULL_PASTE2(random_, GROUP)(&a[0]);
	LULL_PASTE2(random_, GROUP)(&a[1]);
	G(affine_neg)(&a[2], &a[1]);
	memset(&a[3], 0, sizeof(a[3]));
	a[4] = G(generator);
	LULL_PASTE2(random_curve_point_, GROUP)(&a[5]);
	for (i = 0; i < 6; i++) {
		EXPECT_EQ(LULL_POINT_OK, G(affine_check)(&a[i]));
		G(xyzz_from_affine)(&p[i], &a[i]);
		LAWS(rescale)(&p[i]);
	}
	for (i = 0; i < 6; i++)
		for (j = 0; j < 6; j++)
			for (k = 0; k < 6; k++) {
				G(xyzz_add)(&l, &p[i], &p[j]);
				G(xyzz_add_affine)(&l, &l, &a[k]);
				G(xyzz_add)(&r, &p[j], &p[k]);
				G(xyzz_add)(&r, &p[i], &r);
				EXPECT_TRUE(G(xyzz_equal)(&l, &r));
			}
}

/* What a file may hold that is no point. */
static void LAWS(check_refusals)(void)
{
	struct G(affine) p = G(generator);
	struct fp big;

	memcpy(big.l, fp_p, sizeof(big.l));
	FE(add)(&p.y, &p.y, &FE(one));
	EXPECT_EQ(LULL_POINT_OFF_CURVE, G(affine_check)(&p));
	p = G(generator);
	FE(add)(&p.x, &p.x, &FE(one));
	EXPECT_EQ(LULL_POINT_OFF_CURVE, G(affine_check)(&p));
	/* (0, y) and (x, 0) are no infinity */
	p = G(generator);
	p.x = FE(zero);
	EXPECT_TRUE(!G(affine_is_inf)(&p));
	EXPECT_EQ(LULL_POINT_OFF_CURVE, G(affine_check)(&p));
	p = G(generator);
	p.y = FE(zero);
	EXPECT_TRUE(!G(affine_is_inf)(&p));
	EXPECT_EQ(LULL_POINT_OFF_CURVE, G(affine_check)(&p));
	/* p itself, which is 0 to a careless reader */
	p = G(generator);
	memcpy(&p.x, &big, sizeof(big));
	EXPECT_EQ(LULL_POINT_COORDINATE, G(affine_check)(&p));
	p = G(generator);
	memcpy((unsigned char *)(&p + 1) - sizeof(big), &big, sizeof(big));
	EXPECT_EQ(LULL_POINT_COORDINATE, G(affine_check)(&p));
	memset(&p, 0xff, sizeof(p));
	EXPECT_EQ(LULL_POINT_COORDINATE, G(affine_check)(&p));
	memset(&p, 0, sizeof(p));
	EXPECT_EQ(LULL_POINT_OK, G(affine_check)(&p));
}

#undef G
#undef FE
#undef LAWS
#undef GROUP
#undef FIELD
