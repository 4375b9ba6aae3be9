/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field_axioms.h - the laws of a field, for FIELD = fp, fr, fp2, fp6 or fp12
 *
 * field_tmpl.c includes this once per field, so that the laws are written once
 * and every call stays typed.  FE(mul) is fp_mul, fr_mul, ...
 */
#define FE(name) LULL_PASTE2(LULL_PASTE2(FIELD, _), name)
#define FE_ONE LULL_PASTE2(FIELD, _one)
#define FE_ZERO LULL_PASTE2(FIELD, _zero)
#define AXIOMS(name) LULL_PASTE2(LULL_PASTE2(name, _), FIELD)

static void AXIOMS(check_one)(const struct FIELD *a)
{
	struct FIELD r, t;

	FE(add)(&r, a, &FE_ZERO);
	EXPECT_TRUE(FE(equal)(&r, a));
	FE(sub)(&r, a, a);
	EXPECT_TRUE(FE(equal)(&r, &FE_ZERO));
	FE(mul)(&r, a, &FE_ONE);
	EXPECT_TRUE(FE(equal)(&r, a));
	FE(mul)(&r, a, &FE_ZERO);
	EXPECT_TRUE(FE(equal)(&r, &FE_ZERO));
	FE(mul)(&t, a, a);
	FE(sqr)(&r, a);
	EXPECT_TRUE(FE(equal)(&r, &t));
	r = *a;
	FE(sqr)(&r, &r);
	EXPECT_TRUE(FE(equal)(&r, &t));
	r = *a;
	FE(mul)(&r, &r, &r);
	EXPECT_TRUE(FE(equal)(&r, &t));
	FE(inv)(&t, a);
	FE(mul)(&r, a, &t);
	if (FE(equal)(a, &FE_ZERO))
		EXPECT_TRUE(FE(equal)(&t, &FE_ZERO));
	else
		EXPECT_TRUE(FE(equal)(&r, &FE_ONE));
	r = *a;
	FE(inv)(&r, &r);
	EXPECT_TRUE(FE(equal)(&r, &t));
}

static void AXIOMS(check_two)(const struct FIELD *a, const struct FIELD *b)
{
	struct FIELD ab, r, t;

	FE(add)(&ab, a, b);
	FE(add)(&r, b, a);
	EXPECT_TRUE(FE(equal)(&ab, &r));
	r = *a;
	FE(add)(&r, &r, b);
	EXPECT_TRUE(FE(equal)(&ab, &r));
	r = *b;
	FE(add)(&r, a, &r);
	EXPECT_TRUE(FE(equal)(&ab, &r));
	FE(sub)(&r, &ab, b);
	EXPECT_TRUE(FE(equal)(&r, a));
	FE(sub)(&r, a, b);
	FE(sub)(&t, b, a);
	FE(add)(&r, &r, &t);
	EXPECT_TRUE(FE(equal)(&r, &FE_ZERO));
	FE(mul)(&ab, a, b);
	FE(mul)(&r, b, a);
	EXPECT_TRUE(FE(equal)(&ab, &r));
	r = *a;
	FE(mul)(&r, &r, b);
	EXPECT_TRUE(FE(equal)(&ab, &r));
	r = *b;
	FE(mul)(&r, a, &r);
	EXPECT_TRUE(FE(equal)(&ab, &r));
}

static void AXIOMS(check_three)(const struct FIELD *a, const struct FIELD *b,
				const struct FIELD *c)
{
	struct FIELD l, r, t;

	FE(add)(&l, a, b);
	FE(add)(&l, &l, c);
	FE(add)(&r, b, c);
	FE(add)(&r, a, &r);
	EXPECT_TRUE(FE(equal)(&l, &r));
	FE(mul)(&l, a, b);
	FE(mul)(&l, &l, c);
	FE(mul)(&r, b, c);
	FE(mul)(&r, a, &r);
	EXPECT_TRUE(FE(equal)(&l, &r));
	FE(add)(&l, b, c);
	FE(mul)(&l, a, &l);
	FE(mul)(&r, a, b);
	FE(mul)(&t, a, c);
	FE(add)(&r, &r, &t);
	EXPECT_TRUE(FE(equal)(&l, &r));
}

/* Every triple of values[nr]. */
static void AXIOMS(check_all)(const struct FIELD *values, unsigned int nr)
{
	unsigned int i, j, k;

	for (i = 0; i < nr; i++) {
		AXIOMS(check_one)(&values[i]);
		for (j = 0; j < nr; j++) {
			AXIOMS(check_two)(&values[i], &values[j]);
			for (k = 0; k < nr; k++)
				AXIOMS(check_three)
			(&values[i], &values[j], &values[k]);
		}
	}
}

#undef FE
#undef FE_ONE
#undef FE_ZERO
#undef AXIOMS
#undef FIELD
