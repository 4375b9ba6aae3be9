// SPDX-License-Identifier: Apache-2.0
/*
 * multiples_tmpl.c - multiples of one point on a GPU, bit by bit the CPU's
 *
 * Through the backend's table, as `lull key gen` uses it: both groups, sizes
 * about a warp's, a block's and a batch's, scalars at the edges of digits,
 * windows and the order, a base that is not the generator, and less and less
 * device memory, which takes smaller windows and batches.  Skips where there is
 * no GPU.
 */
#include "cuda/gpu.h"

#include "base/base.h"
#include "base/error.h"
#include "curve/field_random.h"
#include "test_arena.h"

#define NR_MAX 1100

/* The least that a plan can do with: one in group 2 of either curve. */
#define LITTLE_VRAM ((uint64_t)1 << 20)

static struct lull_set *open_gpu(uint64_t vram_bytes)
{
	const struct lull_set_opts opts = { .vram_bytes = vram_bytes };

	return gpu_open(&opts);
}

static const struct lull_backend_ops *ops_of(const struct lull_set *set)
{
	return set->devices[0].backend->ops(LULL_CURVE_ID);
}

static size_t point_bytes(int group)
{
	return group == 1 ? sizeof(struct g1_affine) : sizeof(struct g2_affine);
}

/* The affine point k base, of @group. */
static void reference(uint8_t *r, int group, const void *base,
		      const struct fr *k)
{
	limb_t plain[FR_LIMBS];
	struct g1_xyzz p;
	struct g2_xyzz q;

	fr_to_plain(plain, k);
	if (group == 1) {
		g1_mul_var(&p, base, plain, FR_LIMBS);
		g1_xyzz_to_affine((struct g1_affine *)r, &p);
	} else {
		g2_mul_var(&q, base, plain, FR_LIMBS);
		g2_xyzz_to_affine((struct g2_affine *)r, &q);
	}
}

/* 0, 1, -1, powers of two less, more and negative, equal ones, random. */
static void fill_scalars(struct fr *k, size_t nr)
{
	struct fr x = fr_one, same;
	size_t i;

	random_fr(&same);
	for (i = 0; i < nr; i++) {
		switch (i % 8) {
		case 0:
			k[i] = fr_zero;
			break;
		case 1:
			fr_from_u64(&k[i], i / 8);
			break;
		case 2:
			fr_from_u64(&k[i], i / 8 + 1);
			fr_neg(&k[i], &k[i]);
			break;
		case 3:
			k[i] = x;
			break;
		case 4:
			fr_sub(&k[i], &x, &fr_one);
			break;
		case 5:
			fr_neg(&k[i], &x);
			break;
		case 6:
			k[i] = same;
			break;
		default:
			random_fr(&k[i]);
		}
		if (i % 8 == 7)
			fr_dbl(&x, &x);
	}
}

/* One batch in a slot, which is full of rubbish before. */
static void run_batch(const struct lull_backend_ops *ops,
		      struct lull_multiples *m, unsigned int slot, int group,
		      const void *base, const struct fr *k, size_t nr)
{
	_Alignas(16) uint8_t want[LULL_POINT_BYTES_MAX];
	const uint8_t *points = m->slots[slot].points;
	size_t each = point_bytes(group), i;

	memcpy(m->slots[slot].scalars, k, nr * sizeof(*k));
	memset(m->slots[slot].points, 0xa5, nr * each);
	ASSERT_EQ(LULL_OK, ops->multiples_begin(m, slot, nr, NULL));
	ASSERT_EQ(LULL_OK, ops->multiples_wait(m, slot, NULL));
	for (i = 0; i < nr; i++) {
		/* Where many are, every kind of scalar at some places. */
		if (nr > 64 && i % 24 >= 8 && i + 8 < nr)
			continue;
		reference(want, group, base, &k[i]);
		if (memcmp(want, points + i * each, each))
			TEST_FAIL_("G%d, %zu of %zu is not the multiple it "
				   "should be",
				   group, i, nr);
	}
}

static struct lull_multiples *open_multiples(const struct lull_set *set,
					     int group, const void *base,
					     uint64_t nr,
					     struct lull_error *error)
{
	const struct lull_multiples_want want = {
		.group = group, .base = base, .nr = nr, .arena = test_arena()
	};
	struct lull_multiples *m = NULL;

	if (ops_of(set)->multiples_open(set->devices[0].handle, &want, &m,
					error))
		EXPECT_TRUE(!m);
	return m;
}

static void try_sizes(const struct lull_set *set, int group, const void *base,
		      uint64_t nr_planned)
{
	static const size_t sizes[] = { 1,  2,	 3,   31,  32,	 33,
					64, 127, 128, 129, 1000, NR_MAX };
	static struct fr k[NR_MAX];
	struct lull_error error = { 0 };
	struct lull_multiples *m =
		open_multiples(set, group, base, nr_planned, &error);
	size_t i, nr;

	if (!m) {
		TEST_FAIL_("%s", error.msg);
		return;
	}
	for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++) {
		nr = lull_min(sizes[i], m->batch);
		fill_scalars(k, nr);
		run_batch(ops_of(set), m, i % LULL_MULTIPLES_SLOTS, group, base,
			  k, nr);
	}
	ops_of(set)->multiples_close(m);
}

TEST(sizes_and_edges)
{
	struct lull_set *set = open_gpu(0);
	struct g1_affine p;
	struct g2_affine q;

	if (!set)
		return;
	try_sizes(set, 1, &g1_generator, 1);
	try_sizes(set, 2, &g2_generator, 1);
	try_sizes(set, 1, &g1_generator, NR_MAX);
	try_sizes(set, 2, &g2_generator, NR_MAX);
	random_g1(&p);
	random_g2(&q);
	try_sizes(set, 1, &p, 5000);
	try_sizes(set, 2, &q, 5000);
	lull_set_close(set);
}

/* Windows as a large key has them; the table takes a while where kernels run
 * on the host. */
TEST(wide_windows)
{
	struct lull_set *set = open_gpu(0);

	if (!set)
		return;
	try_sizes(set, 1, &g1_generator, 1u << 17);
	try_sizes(set, 2, &g2_generator, 1u << 16);
	lull_set_close(set);
}

/* Ends with a batch of everything, of one less, and of one more refused. */
TEST(whole_batches)
{
	static struct fr k[2 * NR_MAX];
	struct lull_set *set = open_gpu(LITTLE_VRAM);
	struct lull_error error = { 0 };
	struct lull_multiples *m;

	if (!set)
		return;
	m = open_multiples(set, 1, &g1_generator, 1u << 20, &error);
	ASSERT_TRUE(m);
	ASSERT_TRUE(m->batch > 1 && m->batch <= LULL_ARRAY_SIZE(k));
	fill_scalars(k, m->batch);
	run_batch(ops_of(set), m, 0, 1, &g1_generator, k, m->batch);
	run_batch(ops_of(set), m, 1, 1, &g1_generator, k + 1, m->batch - 1);
	EXPECT_EQ(LULL_USAGE,
		  ops_of(set)->multiples_begin(m, 2, m->batch + 1, &error));
	EXPECT_EQ(LULL_USAGE, ops_of(set)->multiples_begin(m, 2, 0, &error));
	ops_of(set)->multiples_close(m);
	lull_set_close(set);
}

/* Batches in all slots before the first is waited for. */
TEST(batches_beside_each_other)
{
	static struct fr k[LULL_MULTIPLES_SLOTS][NR_MAX];
	_Alignas(16) uint8_t want[LULL_POINT_BYTES_MAX];
	struct lull_set *set = open_gpu(0);
	const size_t each = sizeof(struct g1_affine);
	struct lull_multiples *m;
	unsigned int slot, round;
	size_t i;

	if (!set)
		return;
	m = open_multiples(set, 1, &g1_generator, NR_MAX, NULL);
	ASSERT_TRUE(m);
	for (round = 0; round < 2; round++) {
		for (slot = 0; slot < LULL_MULTIPLES_SLOTS; slot++) {
			for (i = 0; i < NR_MAX; i++)
				random_fr(&k[slot][i]);
			memcpy(m->slots[slot].scalars, k[slot],
			       sizeof(k[slot]));
			ASSERT_EQ(LULL_OK, ops_of(set)->multiples_begin(
						   m, slot, NR_MAX, NULL));
		}
		for (slot = 0; slot < LULL_MULTIPLES_SLOTS; slot++) {
			ASSERT_EQ(LULL_OK,
				  ops_of(set)->multiples_wait(m, slot, NULL));
			for (i = 0; i < NR_MAX; i += 37) {
				reference(want, 1, &g1_generator, &k[slot][i]);
				EXPECT_MEMEQ(want,
					     m->slots[slot].points + i * each,
					     each);
			}
		}
	}
	ops_of(set)->multiples_close(m);
	lull_set_close(set);
}

/* Down to the least that the refusal names; a byte less is refused, and never
 * more than the budget is taken. */
static void try_budget(uint64_t vram, int group, const void *base,
		       unsigned long long *ret_least)
{
	struct lull_set *set = open_gpu(vram);
	struct lull_error error = { 0 };
	struct lull_multiples *m;
	const char *least;
	struct fr k[32];

	*ret_least = 0;
	if (!set)
		return;
	m = open_multiples(set, group, base, 1u << 20, &error);
	if (m) {
		fill_scalars(k, LULL_ARRAY_SIZE(k));
		run_batch(ops_of(set), m, 0, group, base, k,
			  LULL_ARRAY_SIZE(k));
	} else {
		EXPECT_EQ(LULL_NOMEM, error.code);
		least = strstr(error.msg, "expected at least ");
		if (!least || sscanf(least, "expected at least %llu bytes",
				     ret_least) != 1)
			TEST_FAIL_("no numbers: %s", error.msg);
	}
	EXPECT_TRUE(lull_set_peak_bytes(set) <= vram);
	ops_of(set)->multiples_close(m);
	lull_set_close(set);
}

TEST(less_and_less_memory)
{
	static const void *const bases[] = { &g1_generator, &g2_generator };
	unsigned long long least, none;
	uint64_t vram;
	int group;

	for (group = 1; group <= 2 && !test_skipped; group++) {
		least = 0;
		for (vram = 8 * LITTLE_VRAM; vram && !least && !test_skipped;
		     vram /= 2)
			try_budget(vram, group, bases[group - 1], &least);
		if (test_skipped)
			break;
		ASSERT_TRUE(least);
		try_budget(least, group, bases[group - 1], &none);
		EXPECT_EQ(0, none);
		try_budget(least - 1, group, bases[group - 1], &none);
		EXPECT_EQ(least, none);
	}
}

TEST_MAIN
