// SPDX-License-Identifier: Apache-2.0
/*
 * memory.c - budgets bound what is used, and change no byte of a proof
 *
 * This program's getrandom(2) gives the same every time, so that proofs of one
 * witness are equal wherever they come from.
 */
#include "sched/bed.h"

#include <sys/random.h>

#define NR_WITNESSES 10
#define WITNESS_VALUES 76
#define VALUE_BYTES 32
/* Of mul2, behind the constant: the product, then its factors. */
enum { PRODUCT = 1, FIRST, SECOND };

ssize_t getrandom(void *buf, size_t bytes, unsigned int flags)
{
	(void)flags;
	memset(buf, 0x2a, bytes);
	return (ssize_t)bytes;
}

static void put_value(struct blob *wtns, unsigned int i, uint64_t value)
{
	blob_put_u64(wtns, WITNESS_VALUES + i * VALUE_BYTES, value);
}

/* Different witnesses of mul2. */
static void write_witnesses(const struct bed *bed,
			    char paths[NR_WITNESSES][PATH_BYTES])
{
	struct blob wtns = blob_read(bed->wtns);
	char name[32];
	unsigned int i;

	for (i = 0; i < NR_WITNESSES; i++) {
		snprintf(name, sizeof(name), "w%u.wtns", i);
		scratch_path(paths[i], name);
		put_value(&wtns, PRODUCT, (uint64_t)(i + 2) * (i + 7));
		put_value(&wtns, FIRST, i + 2);
		put_value(&wtns, SECOND, i + 7);
		blob_write(&wtns, paths[i]);
	}
	blob_free(&wtns);
}

/* What one proof after the other gives. */
static void prove_alone(const struct bed *bed,
			char paths[NR_WITNESSES][PATH_BYTES],
			char texts[NR_WITNESSES][TEXT_BYTES])
{
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;
	unsigned int i;

	for (i = 0; i < NR_WITNESSES; i++) {
		ASSERT_EQ(LULL_OK,
			  lull_wtns_open(bed->ctx, paths[i], &wtns, NULL));
		ASSERT_EQ(LULL_OK, lull_prove(bed->ctx, bed->key, wtns, NULL,
					      &proof, NULL));
		lull_proof_json(proof, texts[i], TEXT_BYTES);
		EXPECT_TRUE(!i || strcmp(texts[i], texts[i - 1]));
		lull_proof_free(proof);
		lull_wtns_close(wtns);
	}
}

static void expect_proofs(struct bed *bed, struct lull_pipeline_opts opts,
			  char paths[NR_WITNESSES][PATH_BYTES],
			  char texts[NR_WITNESSES][TEXT_BYTES])
{
	struct lull_pipeline *pipeline = make_pipeline(bed, opts);
	const char *list[NR_WITNESSES];
	const struct lull_job_opts job_opts = { .size = sizeof(job_opts),
						.nr_partitions = NR_WITNESSES,
						.paths = list };
	struct lull_job *job = NULL;
	char text[TEXT_BYTES];
	unsigned int i;

	for (i = 0; i < NR_WITNESSES; i++)
		list[i] = paths[i];
	ASSERT_EQ(LULL_OK,
		  lull_job_submit(pipeline, bed->key, &job_opts, &job, NULL));
	expect_all_proved(job, NR_WITNESSES);
	for (i = 0; i < NR_WITNESSES; i++) {
		lull_proof_json(lull_job_proof(job, i, NULL), text, TEXT_BYTES);
		EXPECT_STREQ(texts[i], text);
	}
	if (opts.host_bytes)
		EXPECT_TRUE(stats_of(pipeline).host_bytes_max <=
			    opts.host_bytes);
	lull_job_free(job);
	lull_pipeline_destroy(pipeline);
}

TEST(a_budget_changes_no_byte)
{
	static char paths[NR_WITNESSES][PATH_BYTES];
	static char texts[NR_WITNESSES][TEXT_BYTES];
	static const char *const names[] = { GOLDEN_SMALL, GOLDEN_BLS };
	static const char *const deallocs[] = { "retire", "inline", "async",
						"serial" };
	uint64_t key, each;
	struct bed bed;
	size_t i, d;

	for (i = 0; i < LULL_ARRAY_SIZE(names); i++) {
		bed = make_bed("cpu", names[i]);
		each = bytes_of_one(&bed, &key);
		write_witnesses(&bed, paths);
		prove_alone(&bed, paths, texts);
		for (d = 0; d < LULL_ARRAY_SIZE(deallocs); d++) {
			struct lull_pipeline_opts opts = {
				.in_flight = 4,
				.workers_per_device = 2,
				.dealloc = deallocs[d],
			};

			expect_proofs(&bed, opts, paths, texts);
			/* From all four down to what one just fits in. */
			opts.host_bytes = key + 4 * each;
			expect_proofs(&bed, opts, paths, texts);
			opts.host_bytes = key + 2 * each + each / 2;
			expect_proofs(&bed, opts, paths, texts);
			opts.host_bytes = key + each;
			expect_proofs(&bed, opts, paths, texts);
		}
		free_bed(&bed);
	}
}

/* The arena's own count of what was in use, from the first key on. */
static uint64_t used_max(const char *name, unsigned int in_flight,
			 uint64_t host_bytes)
{
	struct lull_ctx_stats stats = { .size = sizeof(stats) };
	struct bed bed = make_bed("cpu", name);
	struct lull_pipeline *pipeline = make_pipeline(
		&bed, (struct lull_pipeline_opts){ .in_flight = in_flight,
						   .workers_per_device = 4,
						   .host_bytes = host_bytes });
	struct lull_job *job = submit(pipeline, &bed, 16, NULL);

	expect_all_proved(job, 16);
	lull_job_free(job);
	lull_pipeline_destroy(pipeline);
	lull_ctx_stats(bed.ctx, &stats, NULL);
	free_bed(&bed);
	return stats.used_bytes_max;
}

TEST(a_budget_bounds_what_is_used)
{
	static const char *const names[] = { GOLDEN_CHAIN,
					     "bls12381-chain1000" };
	/* A sanitizer is not there to count bytes. */
	size_t nr = test_sanitized() ? 1 : LULL_ARRAY_SIZE(names), i;
	uint64_t key, each, step, budget;
	struct bed bed;

	for (i = 0; i < nr; i++) {
		bed = make_bed("cpu", names[i]);
		each = bytes_of_one(&bed, &key);
		step = test_sanitized() ? each : each / 2;
		free_bed(&bed);
		for (budget = key + each; budget <= key + 4 * each;
		     budget += step)
			EXPECT_TRUE(used_max(names[i], 4, budget) <= budget);
		/* Those bounds held something back. */
		EXPECT_TRUE(used_max(names[i], 4, 0) > key + each);
	}
}

TEST_MAIN
