// SPDX-License-Identifier: Apache-2.0
/*
 * silent.c - the first job of each shape has all memory that later ones need
 *
 * However partitions meet, under every pair of policies by which memory is kept,
 * on thp; storm/flights has the rest, in a virtual machine.  How they meet is
 * chance, so there are several pipelines of each.  Rows of io_uring are left out,
 * and that is said, where it is forbidden, as in containers.
 */
/* What the second has for long lies in what the first had. */
#define SHAPES "bls12381-mul2", "bn128-poseidon2", "bls12381-poseidon2"
#include "sched/policies.h"

#include "sched/pipeline.h"

#define NR_ROUNDS 3

static bool is_met(unsigned int a, unsigned int of_a, unsigned int b,
		   unsigned int of_b)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(rows); i++)
		if (value(&rows[i], a) == of_a && value(&rows[i], b) == of_b)
			return true;
	return false;
}

TEST(the_rows_meet_every_pair)
{
	unsigned int a, b, i, j;

	for (a = 0; a < NR_AXES; a++)
		for (b = a + 1; b < NR_AXES; b++)
			for (i = 0; i < nr_values[a]; i++)
				for (j = 0; j < nr_values[b]; j++)
					if (!is_met(a, i, b, j))
						TEST_FAIL_("axes %u, %u: "
							   "values %u, %u",
							   a, b, i, j);
}

static struct lull_ctx_stats stats_of(const struct bed *bed)
{
	struct lull_ctx_stats stats = { .size = sizeof(stats) };

	EXPECT_EQ(LULL_OK, lull_ctx_stats(bed->ctx, &stats, NULL));
	return stats;
}

/* A job of each of the first shapes. */
static struct lull_ctx_stats prove_each(const struct bed *bed, size_t nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		EXPECT_TRUE(prove(bed, i));
	return stats_of(bed);
}

static void expect_silence(const struct policies *row, size_t nr)
{
	struct lull_ctx_stats was, is;
	unsigned int i, registrations;
	struct bed bed;

	ASSERT_TRUE(set_up(&bed, "thp", loaders[row->loader], row));
	was = prove_each(&bed, nr);
	registrations = nr_registrations;
	EXPECT_TRUE(was.faulted_bytes > 0);
	EXPECT_EQ(row->loader == FIXED, registrations > 0);
	for (i = 0; i < NR_ROUNDS; i++) {
		is = prove_each(&bed, nr);
		EXPECT_EQ(was.held_bytes, is.held_bytes);
		EXPECT_EQ(was.faulted_bytes, is.faulted_bytes);
		EXPECT_EQ(was.fresh_bytes, is.fresh_bytes);
		EXPECT_EQ(was.unmapped_bytes, is.unmapped_bytes);
		EXPECT_EQ(was.flushes, is.flushes);
		EXPECT_EQ(was.munmaps, is.munmaps);
		EXPECT_EQ(was.registered_bytes, is.registered_bytes);
		EXPECT_EQ(registrations, nr_registrations);
	}
	take_down(&bed);
}

/* NULL, or why there is no io_uring here; what else is wrong is a row's to say. */
static const char *no_uring(void)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .nr_threads = 1,
					    .arena = "thp",
					    .loader = "uring" };
	static struct lull_error err;
	struct lull_ctx *ctx = NULL;
	int rc = lull_ctx_create(&opts, &ctx, &err);

	lull_ctx_destroy(ctx);
	return rc == LULL_UNSUPPORTED ? err.msg : NULL;
}

TEST(what_is_kept_is_silent)
{
	const char *why = no_uring();
	size_t i, nr;

	for (nr = 2; nr <= NR_SHAPES; nr++)
		for (i = 0; i < LULL_ARRAY_SIZE(rows); i++)
			if ((rows[i].dealloc == RETIRE ||
			     rows[i].loader == FIXED) &&
			    (!why || rows[i].loader == PREAD))
				expect_silence(&rows[i], nr);
	if (why)
		SKIP(why);
}

/* The same counters see what is not kept. */
TEST(what_is_given_back_is_seen)
{
	struct policies row = rows[0];
	struct lull_ctx_stats was, is;
	struct bed bed;

	for (row.dealloc = INLINE; row.dealloc < NR_DEALLOCS; row.dealloc++) {
		ASSERT_TRUE(set_up(&bed, "thp", "pread", &row));
		was = prove_each(&bed, NR_SHAPES);
		is = prove_each(&bed, NR_SHAPES);
		EXPECT_TRUE(is.faulted_bytes > was.faulted_bytes);
		EXPECT_TRUE(is.unmapped_bytes > was.unmapped_bytes);
		EXPECT_TRUE(is.flushes > was.flushes);
		take_down(&bed);
	}
}

/* Behind a release of what is idle, a shape has its own memory, and not that of
 * others which may never come again. */
TEST(others_are_forgotten)
{
	const struct policies row = { RETIRE, OFF, ALL, FOUR, MANY, PREAD };
	uint64_t first, second;
	struct bed bed;

	ASSERT_TRUE(set_up(&bed, "thp", "pread", &row));
	EXPECT_TRUE(prove(&bed, 0));
	first = stats_of(&bed).held_bytes;
	EXPECT_EQ(LULL_OK, lull_arena_flush(bed.ctx->arena, 1000, NULL));
	lull_sched_forget(bed.pipeline);
	EXPECT_TRUE(prove(&bed, 1));
	second = stats_of(&bed).held_bytes;
	EXPECT_TRUE(second < first);
	take_down(&bed);
}

TEST_MAIN
