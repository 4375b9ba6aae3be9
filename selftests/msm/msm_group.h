/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm_group.h - the cases of one group, included with LULL_GROUP 1 and 2
 *
 * Points are multiples of the generator by known factors, so that a sum is
 * checked by one multiplication in Fr and one of the generator; small sums are
 * checked against the definition as well.
 */
#define g_msm_var LULL_GROUP_LOCAL(msm_var)
#define g_msm_scratch_bytes LULL_GROUP_LOCAL(msm_scratch_bytes)
#define g_pool LULL_GROUP_LOCAL(pool)
#define g_pool_fill LULL_GROUP_LOCAL(pool_fill)
#define g_case LULL_GROUP_LOCAL(case)
#define g_run_case LULL_GROUP_LOCAL(run_case)
#define g_run_all LULL_GROUP_LOCAL(run_all)
#define g_by_definition LULL_GROUP_LOCAL(by_definition)
#define g_expected LULL_GROUP_LOCAL(expected)

/* Point i is pool_factor[i] times the generator. */
static struct g_affine g_pool[POOL];

static void g_pool_fill(void)
{
	limb_t k[FR_LIMBS] = { pool_factor[0] }, step[1] = { POOL_STEP };
	struct g_xyzz acc, inc;
	struct g_affine inc_affine;
	size_t i;

	g_mul_var(&acc, &g_generator, k, 1);
	g_mul_var(&inc, &g_generator, step, 1);
	g_xyzz_to_affine(&inc_affine, &inc);
	for (i = 0; i < POOL; i++) {
		g_xyzz_to_affine(&g_pool[i], &acc);
		g_xyzz_add_affine(&acc, &acc, &inc_affine);
	}
}

static void g_by_definition(struct g_xyzz *r, const struct g_affine *points,
			    const struct scalar *scalars, size_t nr)
{
	struct g_xyzz t;
	size_t i;

	g_xyzz_set_inf(r);
	for (i = 0; i < nr; i++) {
		g_mul_var(&t, &points[i], scalars[i].l, FR_LIMBS);
		g_xyzz_add(r, r, &t);
	}
}

static void g_expected(struct g_xyzz *r, const struct test_input *in, size_t nr)
{
	limb_t plain[FR_LIMBS];
	struct fr sum, k, s;
	size_t i;

	sum = fr_zero;
	for (i = 0; i < nr; i++) {
		if (in->is_inf[i])
			continue;
		fr_from_u64(&k, pool_factor[in->pick[i]]);
		if (in->negative[i])
			fr_neg(&k, &k);
		fr_from_plain(&s, in->scalars[i].l);
		fr_mul(&s, &s, &k);
		fr_add(&sum, &sum, &s);
	}
	fr_to_plain(plain, &sum);
	g_mul_var(r, &g_generator, plain, FR_LIMBS);
}

/* One call, on unaligned input, with guards around the scratch. */
static void g_run_case(const struct test_input *in, size_t nr,
		       unsigned int pool_nr, const char *what)
{
	struct lull_workers *workers = pools[pool_nr];
	size_t bytes = g_msm_scratch_bytes(nr, lull_workers_nr(workers)), i;
	uint8_t *points = malloc(nr * sizeof(struct g_affine) + 3);
	uint8_t *scalars = malloc(nr * sizeof(struct scalar) + 5);
	uint8_t *scratch = aligned_alloc(64, bytes / 64 * 64 + 192);
	struct g_affine *affine = calloc(nr + 1, sizeof(*affine));
	struct g_xyzz got, want;

	for (i = 0; i < nr; i++) {
		if (!in->is_inf[i])
			affine[i] = g_pool[in->pick[i]];
		if (!in->is_inf[i] && in->negative[i])
			g_affine_neg(&affine[i], &affine[i]);
	}
	memcpy(points + 3, affine, nr * sizeof(*affine));
	memcpy(scalars + 5, in->scalars, nr * sizeof(struct scalar));
	memset(scratch, GUARD, bytes + 64);
	memset(&got, GUARD, sizeof(got));
	g_msm_var(&got, points + 3, scalars + 5, nr, workers, scratch);
	for (i = 0; i < 64; i++)
		EXPECT_EQ(GUARD, scratch[bytes + i]);
	g_expected(&want, in, nr);
	EXPECT_TRUE(g_xyzz_equal(&want, &got));
	if (nr <= DEFINITION_MAX) {
		g_by_definition(&want, affine, in->scalars, nr);
		EXPECT_TRUE(g_xyzz_equal(&want, &got));
	}
	if (test_failed)
		printf("# G%d, %s, %zu points, %u threads\n", LULL_GROUP, what,
		       nr, lull_workers_nr(workers));
	free(affine);
	free(scratch);
	free(scalars);
	free(points);
}
