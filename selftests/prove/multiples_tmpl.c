// SPDX-License-Identifier: Apache-2.0
/*
 * multiples_tmpl.c - multiples of the generators on the CPU, for test keys
 *
 * Against double and add: in every size of window, with scalars at the edges of
 * digits, windows and the order, in batches of every size, by either twin.
 */
#include "curve/field_random.h"
#include "harness.h"
#include "lull.h"
#include "prove/keygen_curve.h"
#include "prove/multiple.h"
#include "test_arena.h"

static const limb_t order[FR_LIMBS] = CURVE_CONST(FR_P);
static struct lull_workers *workers;

/* r - 2 (r mod 2^bits): its last addition doubles where bits are whole
 * windows. */
static void doubling_scalar(struct fr *k, unsigned int bits)
{
	limb_t low[FR_LIMBS], plain[FR_LIMBS];
	unsigned int i;

	memcpy(low, order, sizeof(low));
	for (i = 0; i < FR_LIMBS; i++) {
		if (bits <= i * LIMB_BITS)
			low[i] = 0;
		else if (bits < (i + 1) * LIMB_BITS)
			low[i] &= ((limb_t)1 << (bits - i * LIMB_BITS)) - 1;
	}
	if (limbs_sub(plain, order, low, FR_LIMBS) ||
	    limbs_sub(plain, plain, low, FR_LIMBS))
		memset(plain, 0, sizeof(plain));
	fr_from_plain(k, plain);
}

/* Scalars at the edges of digits, windows and the order. */
static unsigned int edge_scalars(struct fr *k, unsigned int window)
{
	unsigned int nr = 0, bit;
	struct fr x = fr_one;

	k[nr++] = fr_zero;
	fr_from_u64(&k[nr++], 3);
	for (bit = 0; bit < FR_BITS - 1; bit++) {
		k[nr++] = x;
		fr_sub(&k[nr++], &x, &fr_one);
		fr_neg(&k[nr++], &x);
		fr_dbl(&x, &x);
	}
	for (bit = window; bit < FR_BITS; bit += window)
		doubling_scalar(&k[nr++], bit);
	return nr;
}

/* Room for either twin. */
static void *new_scratch(size_t bytes, size_t portable_temp_bytes)
{
	return aligned_alloc(64,
			     lull_align_up(bytes + portable_temp_bytes, 64));
}

/* Scratch of both groups with the twin that is to be tried. */
static struct g1_multiply_scratch *scratch_1;
static struct g2_multiply_scratch *scratch_2;

static bool make_scratch(bool portable)
{
	scratch_1 =
		new_scratch(g1_multiply_bytes(), g1_pairs_portable.temp_bytes);
	scratch_2 =
		new_scratch(g2_multiply_bytes(), g2_pairs_portable.temp_bytes);
	if (!scratch_1 || !scratch_2)
		return false;
	g1_multiply_init(scratch_1);
	g2_multiply_init(scratch_2);
	if (portable) {
		scratch_1->ops = &g1_pairs_portable;
		scratch_2->ops = &g2_pairs_portable;
	}
	return true;
}

static void free_scratch(void)
{
	free(scratch_1);
	free(scratch_2);
}

/* Both groups with one table, against double and add. */
static void expect_multiples(uint64_t points, bool portable,
			     unsigned int *windows)
{
	static struct g1_affine p[KEYGEN_BATCH];
	static struct g2_affine q[KEYGEN_BATCH];
	static struct fr k[KEYGEN_BATCH];
	struct g1_multiples table_1;
	struct g2_multiples table_2;
	unsigned int i, nr;

	ASSERT_TRUE(make_scratch(portable));
	ASSERT_EQ(LULL_OK, g1_multiples_create(&table_1, points, workers,
					       test_arena(), NULL));
	ASSERT_EQ(LULL_OK, g2_multiples_create(&table_2, points, workers,
					       test_arena(), NULL));
	*windows |= 1u << table_1.window;
	nr = edge_scalars(k, table_1.window);
	ASSERT_TRUE(nr <= KEYGEN_BATCH);
	memset(p, 0xa5, sizeof(p));
	memset(q, 0xa5, sizeof(q));
	g1_multiply_var(p, &table_1, k, nr, scratch_1);
	g2_multiply_var(q, &table_2, k, nr, scratch_2);
	for (i = 0; i < nr; i += i + 64 < nr ? 11 : 1) {
		expect_g1("edge", i, &k[i], (uint8_t *)&p[i]);
		if (i % 4 == 0 || i + 32 > nr)
			expect_g2("edge", i, &k[i], (uint8_t *)&q[i]);
	}
	g1_multiples_done(&table_1);
	g2_multiples_done(&table_2);
	free_scratch();
}

TEST(multiples_in_every_window_size)
{
	unsigned int windows = 0;
	uint64_t points;

	ASSERT_TRUE(workers || !lull_workers_create(3, &workers, NULL));
	for (points = 1; points < 1u << 17; points *= 16) {
		expect_multiples(points, false, &windows);
		expect_multiples(points, true, &windows);
	}
	EXPECT_TRUE(__builtin_popcount(windows) >= 4);
}

/* 0, 1, -1, equal and random ones, as they come. */
static void mixed_scalars(struct fr *k, size_t nr)
{
	struct fr same;
	size_t i;

	random_fr(&same);
	for (i = 0; i < nr; i++) {
		k[i] = i % 3 ? same : fr_zero;
		if (i % 5 == 1)
			random_fr(&k[i]);
		else if (i % 5 == 3)
			k[i] = fr_one;
		else if (i % 7 == 4)
			fr_neg(&k[i], &fr_one);
	}
}

static void expect_batch(const struct g1_multiples *table_1,
			 const struct g2_multiples *table_2, size_t nr)
{
	static struct g1_affine p[KEYGEN_BATCH + 1];
	static struct g2_affine q[KEYGEN_BATCH + 1];
	static struct fr k[KEYGEN_BATCH];
	const uint8_t *after_p = (uint8_t *)&p[nr],
		      *after_q = (uint8_t *)&q[nr];
	size_t i;

	mixed_scalars(k, nr);
	memset(p, 0xa5, sizeof(p));
	memset(q, 0xa5, sizeof(q));
	g1_multiply_var(p, table_1, k, nr, scratch_1);
	g2_multiply_var(q, table_2, k, nr, scratch_2);
	for (i = 0; i < nr; i += i < 64 || i + 32 > nr ? 1 : 23) {
		expect_g1("batch", i, &k[i], (uint8_t *)&p[i]);
		if (i % 4 == 0 || i + 4 > nr)
			expect_g2("batch", i, &k[i], (uint8_t *)&q[i]);
	}
	/* And nothing behind them. */
	for (i = 0; i < sizeof(*p); i++)
		if (after_p[i] != 0xa5 || after_q[i] != 0xa5)
			TEST_FAIL_("%zu points, and more was written", nr);
}

TEST(batches_of_every_size)
{
	static const size_t sizes[] = { 0,
					1,
					2,
					3,
					7,
					8,
					9,
					31,
					32,
					33,
					1000,
					LULL_G2_PAIR_BATCH + 1,
					KEYGEN_BATCH - 1,
					KEYGEN_BATCH };
	struct g1_multiples table_1;
	struct g2_multiples table_2;
	unsigned int portable;
	size_t i;

	ASSERT_TRUE(workers || !lull_workers_create(3, &workers, NULL));
	ASSERT_EQ(LULL_OK, g1_multiples_create(&table_1, 500, workers,
					       test_arena(), NULL));
	ASSERT_EQ(LULL_OK, g2_multiples_create(&table_2, 500, workers,
					       test_arena(), NULL));
	for (portable = 0; portable < 2; portable++) {
		ASSERT_TRUE(make_scratch(portable));
		for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++)
			expect_batch(&table_1, &table_2, sizes[i]);
		free_scratch();
	}
	g1_multiples_done(&table_1);
	g2_multiples_done(&table_2);
}

TEST_MAIN
