// SPDX-License-Identifier: Apache-2.0
/*
 * concurrent.c - many threads on one key and one context give the same bytes
 *
 * Meant for the TSan build as much as for the plain one.
 */
#include "prove.h"

#include <pthread.h>

#define NR_THREADS 4
#define ROUNDS 2
#define NR_PROOFS 3 /* of each circuit in golden.json */

static const char *const names[] = { "bn128-poseidon2", "bls12381-mul2",
				     "bn128-edge-nopub" };

#define NR_NAMES LULL_ARRAY_SIZE(names)

static struct golden golden[NR_NAMES][NR_PROOFS];

static void load_all(void)
{
	size_t i;

	for (i = 0; i < NR_NAMES * NR_PROOFS; i++)
		golden[i / NR_PROOFS][i % NR_PROOFS] = golden_load(
			names[i / NR_PROOFS], (unsigned int)(i % NR_PROOFS));
}

static void free_all(void)
{
	size_t i;

	for (i = 0; i < NR_NAMES * NR_PROOFS; i++)
		golden_free(&golden[i / NR_PROOFS][i % NR_PROOFS]);
}

/* What a thread works with; the harness is not for several threads, so each
 * counts what went wrong. */
struct job {
	struct lull_ctx *ctx;
	struct lull_key *keys[NR_NAMES];
	struct lull_wtns *wtns[NR_NAMES];
	unsigned int id;
	unsigned int nr_wrong;
};

static bool proves(struct lull_ctx *ctx, const struct lull_key *key,
		   const struct lull_wtns *wtns, const struct golden *g)
{
	char proof_text[TEXT_BYTES] = "", public_text[TEXT_BYTES] = "";
	struct lull_proof *proof = NULL;

	if (lull_prove_blinded(ctx, key, wtns, NULL, g->r, g->s, &proof, NULL))
		return false;
	lull_proof_json(proof, proof_text, sizeof(proof_text));
	lull_public_json(proof, public_text, sizeof(public_text));
	lull_proof_free(proof);
	return !strcmp(g->proof, proof_text) &&
	       !strcmp(g->publics, public_text);
}

static bool open_both(struct lull_ctx *ctx, const struct golden *g,
		      struct lull_key **key, struct lull_wtns **wtns)
{
	*key = NULL;
	*wtns = NULL;
	return !lull_key_open_mem(ctx, g->key.data, g->key.bytes, key, NULL) &&
	       !lull_wtns_open_mem(ctx, g->wtns.data, g->wtns.bytes, wtns,
				   NULL);
}

/* Starts @nr threads on copies of @job and counts what went wrong. */
static unsigned int run_threads(unsigned int nr, const struct job *job,
				void *(*fn)(void *))
{
	struct job jobs[NR_THREADS];
	pthread_t threads[NR_THREADS];
	unsigned int i, nr_wrong = 0;

	for (i = 0; i < nr; i++) {
		jobs[i] = *job;
		jobs[i].id = i;
		if (pthread_create(&threads[i], NULL, fn, &jobs[i])) {
			printf("Bail out! no thread\n");
			exit(1);
		}
	}
	for (i = 0; i < nr; i++) {
		pthread_join(threads[i], NULL);
		nr_wrong += jobs[i].nr_wrong;
	}
	return nr_wrong;
}

static void *prove_shared(void *arg)
{
	struct job *job = arg;
	unsigned int i;

	for (i = 0; i < ROUNDS * NR_NAMES; i++) {
		size_t n = (i + job->id) % NR_NAMES;

		job->nr_wrong += !proves(
			job->ctx, job->keys[n], job->wtns[n],
			&golden[n][(i / NR_NAMES + job->id) % NR_PROOFS]);
	}
	return NULL;
}

static void share(unsigned int nr_workers)
{
	struct job job = { .ctx = make_ctx(nr_workers) };
	size_t n;

	load_all();
	for (n = 0; n < NR_NAMES; n++)
		EXPECT_TRUE(open_both(job.ctx, &golden[n][0], &job.keys[n],
				      &job.wtns[n]));
	EXPECT_EQ(0, run_threads(1, &job, prove_shared));
	EXPECT_EQ(0, run_threads(NR_THREADS, &job, prove_shared));
	for (n = 0; n < NR_NAMES; n++) {
		lull_wtns_close(job.wtns[n]);
		lull_key_close(job.keys[n]);
	}
	lull_ctx_destroy(job.ctx);
	free_all();
}

TEST(one_key_and_one_context)
{
	share(3);
}

TEST(one_context_of_one_thread)
{
	share(1);
}

/* Opens, proves and closes on a context that others use. */
static void *open_prove_close(void *arg)
{
	struct job *job = arg;
	struct lull_wtns *wtns;
	struct lull_key *key;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		const struct golden *g =
			&golden[(job->id + i) % NR_NAMES][i % NR_PROOFS];

		job->nr_wrong += !(open_both(job->ctx, g, &key, &wtns) &&
				   proves(job->ctx, key, wtns, g));
		lull_wtns_close(wtns);
		lull_key_close(key);
	}
	return NULL;
}

TEST(keys_opened_and_closed_meanwhile)
{
	struct job job = { .ctx = make_ctx(3) };

	load_all();
	EXPECT_EQ(0, run_threads(NR_THREADS, &job, open_prove_close));
	lull_ctx_destroy(job.ctx);
	free_all();
}

static void *own_context(void *arg)
{
	struct job *job = arg;

	job->ctx = make_ctx(1 + job->id % 3);
	open_prove_close(job);
	lull_ctx_destroy(job->ctx);
	return NULL;
}

TEST(a_context_for_each_thread)
{
	struct job job = { 0 };

	load_all();
	EXPECT_EQ(0, run_threads(NR_THREADS, &job, own_context));
	free_all();
}

/* A key serves proofs on another context than its own. */
static void *prove_elsewhere(void *arg)
{
	struct job *job = arg;
	struct lull_ctx *ctx = make_ctx(2);

	job->nr_wrong += !proves(ctx, job->keys[0], job->wtns[0],
				 &golden[0][job->id % 3]);
	lull_ctx_destroy(ctx);
	return NULL;
}

TEST(one_key_and_several_contexts)
{
	struct job job = { .ctx = make_ctx(2) };

	load_all();
	EXPECT_TRUE(
		open_both(job.ctx, &golden[0][0], &job.keys[0], &job.wtns[0]));
	EXPECT_EQ(0, run_threads(NR_THREADS, &job, prove_elsewhere));
	lull_wtns_close(job.wtns[0]);
	lull_key_close(job.keys[0]);
	lull_ctx_destroy(job.ctx);
	free_all();
}

/* Blinding scalars are drawn by all at once, and no two proofs are alike. */
static char drawn[NR_THREADS][TEXT_BYTES];

static void *prove_random(void *arg)
{
	struct job *job = arg;
	struct lull_proof *proof = NULL;

	if (lull_prove(job->ctx, job->keys[1], job->wtns[1], NULL, &proof,
		       NULL)) {
		job->nr_wrong++;
		return NULL;
	}
	lull_proof_json(proof, drawn[job->id], TEXT_BYTES);
	lull_proof_free(proof);
	return NULL;
}

TEST(random_blinding)
{
	struct job job = { .ctx = make_ctx(2) };
	size_t i, j;

	load_all();
	EXPECT_TRUE(
		open_both(job.ctx, &golden[1][0], &job.keys[1], &job.wtns[1]));
	EXPECT_EQ(0, run_threads(NR_THREADS, &job, prove_random));
	for (i = 0; i < NR_THREADS; i++)
		for (j = 0; j < i; j++)
			EXPECT_TRUE(strcmp(drawn[i], drawn[j]));
	lull_wtns_close(job.wtns[1]);
	lull_key_close(job.keys[1]);
	lull_ctx_destroy(job.ctx);
	free_all();
}

/* Public files written, read and verified by all at once. */
static void *verify_files(void *arg)
{
	struct job *job = arg;
	const struct golden *g = &golden[job->id % NR_NAMES][0];
	char vkey[PATH_BYTES], name[32], proof[PATH_BYTES], publics[PATH_BYTES];
	struct lull_proof *made = NULL;

	snprintf(name, sizeof(name), "proof-%u", job->id);
	snprintf(proof, sizeof(proof), "%s/%s", scratch_dir, name);
	snprintf(name, sizeof(name), "public-%u", job->id);
	snprintf(publics, sizeof(publics), "%s/%s", scratch_dir, name);
	golden_path(vkey, names[job->id % NR_NAMES], "vkey.json");
	job->nr_wrong +=
		lull_prove_blinded(job->ctx, job->keys[job->id % NR_NAMES],
				   job->wtns[job->id % NR_NAMES], NULL, g->r,
				   g->s, &made, NULL) ||
		lull_proof_write(made, proof, publics, NULL) ||
		lull_verify(vkey, publics, proof, NULL);
	lull_proof_free(made);
	return NULL;
}

TEST(files_written_and_verified)
{
	struct job job = { .ctx = make_ctx(2) };
	char path[PATH_BYTES];
	size_t n;

	load_all();
	scratch_path(path, ".");
	for (n = 0; n < NR_NAMES; n++)
		EXPECT_TRUE(open_both(job.ctx, &golden[n][0], &job.keys[n],
				      &job.wtns[n]));
	EXPECT_EQ(0, run_threads(NR_THREADS, &job, verify_files));
	EXPECT_EQ(2 * NR_THREADS, scratch_count());
	for (n = 0; n < NR_NAMES; n++) {
		lull_wtns_close(job.wtns[n]);
		lull_key_close(job.keys[n]);
	}
	lull_ctx_destroy(job.ctx);
	free_all();
	scratch_clear();
}

TEST_MAIN
