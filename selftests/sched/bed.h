/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bed.h - a context, a key and a witness, and jobs of them
 *
 * For the tests of the pipeline.  What cannot be made ends the program.
 */
#ifndef LULL_SELFTESTS_SCHED_BED_H
#define LULL_SELFTESTS_SCHED_BED_H

#include "prove/prove.h"

#include "lull_pipeline.h"

#define GOLDEN_SMALL "bn128-mul2"
#define GOLDEN_CHAIN "bn128-chain1000"
#define GOLDEN_BLS "bls12381-mul2"
#define NR_PARTITIONS 24
#define WAIT_MS 120000

/* A context, a key, and the path of a witness. */
struct bed {
	struct lull_ctx *ctx;
	struct lull_key *key;
	char wtns[PATH_BYTES];
	bool null;
};

static inline struct bed make_bed_with(const char *backend, const char *name,
				       const char *loader)
{
	struct lull_ctx_opts opts = { .size = sizeof(opts),
				      .nr_threads = 2,
				      .arena = "thp",
				      .backend = backend,
				      .loader = loader };
	struct bed bed = { .null = !strcmp(backend, "null") };
	struct lull_error error;
	char path[PATH_BYTES];

	golden_path(path, name, "zkey");
	golden_path(bed.wtns, name, "wtns");
	if (lull_ctx_create(&opts, &bed.ctx, &error) ||
	    lull_key_open(bed.ctx, path, &bed.key, &error)) {
		printf("Bail out! %s\n", error.msg);
		exit(1);
	}
	return bed;
}

static inline struct bed make_bed(const char *backend, const char *name)
{
	return make_bed_with(backend, name, NULL);
}

static inline void free_bed(struct bed *bed)
{
	lull_key_close(bed->key);
	lull_ctx_destroy(bed->ctx);
}

static inline struct lull_pipeline *
make_pipeline(struct bed *bed, struct lull_pipeline_opts opts)
{
	struct lull_pipeline *pipeline = NULL;
	struct lull_error error;

	opts.size = sizeof(opts);
	if (lull_pipeline_create(bed->ctx, &opts, &pipeline, &error)) {
		printf("Bail out! %s\n", error.msg);
		exit(1);
	}
	return pipeline;
}

/* @nr partitions of the bed's witness, but @bad in the place of number 1. */
static inline struct lull_job *submit(struct lull_pipeline *pipeline,
				      struct bed *bed, unsigned int nr,
				      const char *bad)
{
	const char *paths[NR_PARTITIONS];
	const struct lull_job_opts opts = {
		.size = sizeof(opts),
		.flags = bed->null ? LULL_PROVE_NO_VERIFY : 0,
		.nr_partitions = nr,
		.paths = paths,
	};
	struct lull_job *job = NULL;
	struct lull_error error;
	unsigned int i;

	for (i = 0; i < nr; i++)
		paths[i] = bad && i == 1 ? bad : bed->wtns;
	if (lull_job_submit(pipeline, bed->key, &opts, &job, &error)) {
		printf("Bail out! %s\n", error.msg);
		exit(1);
	}
	return job;
}

static inline struct lull_job_status status_of(struct lull_job *job)
{
	struct lull_job_status status = { .size = sizeof(status) };

	EXPECT_EQ(LULL_OK, lull_job_status(job, &status, NULL));
	return status;
}

static inline struct lull_pipeline_stats
stats_of(struct lull_pipeline *pipeline)
{
	struct lull_pipeline_stats stats = { .size = sizeof(stats) };

	EXPECT_EQ(LULL_OK, lull_pipeline_stats(pipeline, &stats, NULL));
	return stats;
}

static inline uint64_t used_bytes(struct bed *bed)
{
	struct lull_ctx_stats stats = { .size = sizeof(stats) };

	lull_ctx_stats(bed->ctx, &stats, NULL);
	return stats.used_bytes;
}

static inline void expect_all_proved(struct lull_job *job, unsigned int nr)
{
	struct lull_error error = { 0 };
	unsigned int i;

	EXPECT_EQ(1, lull_job_wait(job, WAIT_MS));
	EXPECT_EQ(nr, status_of(job).nr_proved);
	for (i = 0; i < nr; i++)
		if (!lull_job_proof(job, i, &error))
			TEST_FAIL_("partition %u: %s", i, error.msg);
}

/* What a partition is counted with, and its key. */
static inline uint64_t bytes_of_one(struct bed *bed, uint64_t *ret_key)
{
	struct lull_pipeline *pipeline =
		make_pipeline(bed, (struct lull_pipeline_opts){ 0 });
	struct lull_job *job = submit(pipeline, bed, 1, NULL);
	uint64_t bytes = status_of(job).partition_bytes;

	*ret_key = stats_of(pipeline).host_bytes_held;
	lull_job_free(job);
	lull_pipeline_destroy(pipeline);
	return bytes;
}

#endif
