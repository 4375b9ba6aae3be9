// SPDX-License-Identifier: Apache-2.0
/*
 * proofs.c - whole proofs on a GPU, byte for byte those of the CPU
 *
 * For the same r and s, on both curves: snarkjs's golden proofs, made circuits
 * of several shapes and sizes; from several threads, and on several GPUs.
 * budgets.c has less and less memory.  Skips where there is no GPU.
 * LULL_TEST_BACKEND=cpu tries the test itself.
 */
#include <pthread.h>

#include "gpu_circuit.h"
#include "input/lkey_blob.h"

#define NR_THREADS 3
#define ROUNDS 4

/* ---- golden proofs ----------------------------------------------------- */

TEST(golden_proofs)
{
	static const char *const names[] = {
		"bn128-mul2",	     "bn128-poseidon2",	   "bn128-edge-nopub",
		"bn128-edge-linear", "bls12381-mul2",	   "bls12381-poseidon2",
		"bn128-chain1000",   "bls12381-chain1000",
	};
	struct lull_ctx *ctx = open_gpu(0);
	struct golden g;
	size_t i;

	if (!ctx)
		return;
	for (i = 0; i < LULL_ARRAY_SIZE(names); i++) {
		g = golden_load(names[i], i % 3);
		expect_golden_mem(ctx, g.key.data, g.key.bytes, g.wtns.data,
				  g.wtns.bytes, &g);
		golden_free(&g);
	}
	lull_ctx_destroy(ctx);
}

/* The same keys as files of our own, and folded: rows instead of records, a
 * point of L for each wire, four transforms. */
TEST(native_keys)
{
	static const char *const names[] = { "bn128-mul2", "bn128-poseidon2",
					     "bls12381-mul2",
					     "bls12381-poseidon2" };
	struct lull_ctx *ctx = open_gpu(0);
	char r1cs[PATH_BYTES];
	struct golden g;
	struct blob b;
	size_t i, folded;

	if (!ctx)
		return;
	for (i = 0; i < LULL_ARRAY_SIZE(names); i++) {
		golden_path(r1cs, names[i], "r1cs");
		g = golden_load(names[i], i % 3);
		for (folded = 0; folded < 2; folded++) {
			b = lkey_of(&g.key, folded ? r1cs : NULL, 1);
			ASSERT_TRUE(b.data);
			expect_golden_key(ctx, &b, &g);
			blob_free(&b);
		}
		golden_free(&g);
	}
	lull_ctx_destroy(ctx);
}

/* ---- made circuits ----------------------------------------------------- */

/* Opens the circuit in both contexts and compares proofs, twice so that what
 * one leaves behind shows. */
static void compare(struct lull_ctx *cpu, struct lull_ctx *gpu,
		    const struct circuit *circuit)
{
	char want[TEXT_BYTES], got[TEXT_BYTES];
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
	struct lull_key *cpu_key = NULL, *gpu_key = NULL;
	struct lull_error error = { 0 };
	struct lull_wtns *wtns = NULL;
	int i;

	if (lull_key_open(cpu, circuit->key, &cpu_key, &error) ||
	    lull_key_open(gpu, circuit->key, &gpu_key, &error) ||
	    lull_wtns_open(cpu, circuit->wtns, &wtns, &error)) {
		TEST_FAIL_("%s: %s", circuit->key, error.msg);
		goto close;
	}
	for (i = 0; i < 2; i++) {
		draw_scalar(r);
		draw_scalar(s);
		prove_text(cpu, cpu_key, wtns, r, s, want);
		prove_text(gpu, gpu_key, wtns, r, s, got);
		if (strcmp(want, got))
			TEST_FAIL_("%s: expected %s, found %s", circuit->key,
				   want, got);
	}
close:
	lull_wtns_close(wtns);
	lull_key_close(gpu_key);
	lull_key_close(cpu_key);
}

static void compare_shapes(const char *curve)
{
	static const struct made_shape shapes[] = {
		EDGE_SHAPES,	 { "dense", 2 }, { "dense", 5 }, { "dense", 10 },
		{ "dense", 13 }, { "sha", 11 },	 { "sha", 15 },
	};
	struct lull_ctx *gpu = open_gpu(0), *cpu;
	struct circuit circuit;
	size_t i;

	if (!gpu)
		return;
	cpu = make_ctx(0);
	for (i = 0; i < LULL_ARRAY_SIZE(shapes); i++) {
		if (make_key(cpu, shapes[i].shape, curve, shapes[i].log2,
			     &circuit))
			compare(cpu, gpu, &circuit);
		else
			TEST_FAIL_("%s: no circuit", shapes[i].shape);
		scratch_clear();
	}
	lull_ctx_destroy(cpu);
	lull_ctx_destroy(gpu);
}

TEST(made_circuits_bn254)
{
	compare_shapes("bn128");
}

TEST(made_circuits_bls12_381)
{
	compare_shapes("bls12381");
}

/* ---- the arena --------------------------------------------------------- */

static struct lull_ctx_stats stats_of(struct lull_ctx *ctx)
{
	struct lull_ctx_stats stats = { .size = sizeof(stats) };

	EXPECT_EQ(LULL_OK, lull_ctx_stats(ctx, &stats, NULL));
	return stats;
}

/* Proofs from files, so that key and witness lie in the arena.  What is pinned
 * for the first proof is all that is for the others. */
static void prove_in(const char *arena, bool registered)
{
	struct lull_ctx *ctx = open_gpu_in(0, arena);
	struct lull_ctx_stats first, later;
	char key_path[PATH_BYTES], wtns_path[PATH_BYTES];
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	struct golden g;
	int i;

	if (!ctx)
		return;
	g = golden_load("bn128-chain1000", 2);
	golden_path(key_path, "bn128-chain1000", "zkey");
	golden_path(wtns_path, "bn128-chain1000", "wtns");
	ASSERT_EQ(LULL_OK, lull_key_open(ctx, key_path, &key, NULL));
	ASSERT_EQ(LULL_OK, lull_wtns_open(ctx, wtns_path, &wtns, NULL));
	expect_golden(ctx, key, wtns, &g);
	first = stats_of(ctx);
	for (i = 0; i < ROUNDS; i++)
		expect_golden(ctx, key, wtns, &g);
	later = stats_of(ctx);
	EXPECT_EQ(first.pinned_bytes, later.pinned_bytes);
	if (registered)
		EXPECT_EQ(first.faulted_bytes, later.faulted_bytes);
	if (!strcmp(backend_name(), "cuda")) {
		EXPECT_EQ(registered, later.pinned_bytes > 0);
		EXPECT_TRUE(strstr(plan_text, registered
						      ? "arena is registered"
						      : "uploads are staged"));
	}
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	golden_free(&g);
}

TEST(registered_arena)
{
	prove_in("thp", true);
}

TEST(arena_without_registration)
{
	prove_in("malloc-serial", false);
}

/* ---- several at once --------------------------------------------------- */

struct job {
	struct lull_ctx *ctx;
	const struct golden *golden;
	struct lull_key *key;
	struct lull_wtns *wtns;
	unsigned int nr_wrong;
};

static void *prove_rounds(void *arg)
{
	struct job *job = arg;
	struct lull_proof *proof;
	char text[TEXT_BYTES];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		proof = NULL;
		if (lull_prove_blinded(job->ctx, job->key, job->wtns, NULL,
				       job->golden->r, job->golden->s, &proof,
				       NULL)) {
			job->nr_wrong++;
			continue;
		}
		lull_proof_json(proof, text, sizeof(text));
		job->nr_wrong += !!strcmp(text, job->golden->proof);
		lull_proof_free(proof);
	}
	return NULL;
}

static void run_jobs(struct job *jobs, size_t nr)
{
	pthread_t threads[2 * NR_THREADS];
	size_t i;

	for (i = 0; i < nr; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, prove_rounds,
					    &jobs[i]));
	for (i = 0; i < nr; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, jobs[i].nr_wrong);
	}
}

static void open_job(struct lull_ctx *ctx, const struct golden *golden,
		     struct job *ret_job)
{
	struct job job = { .ctx = ctx, .golden = golden };

	ASSERT_EQ(LULL_OK,
		  lull_key_open_mem(ctx, golden->key.data, golden->key.bytes,
				    &job.key, NULL));
	ASSERT_EQ(LULL_OK,
		  lull_wtns_open_mem(ctx, golden->wtns.data, golden->wtns.bytes,
				     &job.wtns, NULL));
	*ret_job = job;
}

static void close_job(struct job *job)
{
	lull_wtns_close(job->wtns);
	lull_key_close(job->key);
}

/* Two keys of two curves, each with several threads. */
TEST(proofs_beside_each_other)
{
	static const char *const names[] = { "bn128-chain1000",
					     "bls12381-poseidon2" };
	struct lull_ctx *ctx = open_gpu(0);
	struct job jobs[2 * NR_THREADS] = { { 0 } };
	struct golden golden[2];
	size_t i;

	if (!ctx)
		return;
	for (i = 0; i < 2; i++) {
		golden[i] = golden_load(names[i], 1);
		open_job(ctx, &golden[i], &jobs[i]);
	}
	for (i = 2; i < LULL_ARRAY_SIZE(jobs); i++)
		jobs[i] = jobs[i % 2];
	run_jobs(jobs, LULL_ARRAY_SIZE(jobs));
	for (i = 0; i < 2; i++) {
		close_job(&jobs[i]);
		golden_free(&golden[i]);
	}
	lull_ctx_destroy(ctx);
}

/* Where two proofs of a key wait for each other. */
static struct meeting {
	pthread_mutex_t lock;
	pthread_cond_t came;
	unsigned int nr;
} meeting = { .lock = PTHREAD_MUTEX_INITIALIZER,
	      .came = PTHREAD_COND_INITIALIZER };

#define MEETING_S 20

static void meet(void *arg, const char *stage)
{
	struct timespec until;

	(void)arg;
	/* Both have been loaded by then, and neither is retired. */
	if (strcmp(stage, "spmv"))
		return;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += MEETING_S;
	pthread_mutex_lock(&meeting.lock);
	meeting.nr++;
	pthread_cond_broadcast(&meeting.came);
	while (meeting.nr < 2)
		if (pthread_cond_timedwait(&meeting.came, &meeting.lock,
					   &until))
			break;
	if (meeting.nr < 2)
		TEST_FAIL_("one proof at a time");
	pthread_mutex_unlock(&meeting.lock);
}

static void *prove_and_meet(void *arg)
{
	const struct lull_prove_opts opts = { .size = sizeof(opts),
					      .progress = meet };
	struct job *job = arg;
	struct lull_proof *proof = NULL;
	char text[TEXT_BYTES] = "";

	if (!lull_prove_blinded(job->ctx, job->key, job->wtns, &opts,
				job->golden->r, job->golden->s, &proof, NULL))
		lull_proof_json(proof, text, sizeof(text));
	job->nr_wrong += !!strcmp(text, job->golden->proof);
	lull_proof_free(proof);
	return NULL;
}

/* Emulated devices hold the key, and nothing of a witness any more. */
static void expect_wiped(const struct golden *golden)
{
	const uint8_t *last =
		golden->wtns.data + golden->wtns.bytes - LULL_FR_BYTES;
	bool (*holds)(const void *bytes, size_t nr);
	const size_t word = sizeof(uint64_t);

	if (!find_emulated("emulated_holds", &holds))
		return;
	/* The first point of H, and a word of a value that is no bit. */
	EXPECT_TRUE(strstr(plan_text, " streamed in ") ||
		    holds(golden->key.data + blob_payload(&golden->key, 9),
			  LULL_POINT_BYTES_MAX / 2));
	EXPECT_TRUE(last[word]);
	EXPECT_TRUE(!holds(last + word, word));
}

/* In so much memory the plan says so, and proofs of several threads are right:
 * of two that meet, each is loaded before the other goes on. */
static void prove_at_once(uint64_t vram, const struct golden *golden,
			  const char *plan, bool two, uint64_t *ret_peak)
{
	struct job jobs[NR_THREADS] = { { 0 } };
	struct lull_ctx *ctx = open_gpu(vram);
	pthread_t thread;
	size_t i;

	if (!ctx)
		return;
	open_job(ctx, golden, &jobs[0]);
	if (!strcmp(backend_name(), "cuda") && !strstr(plan_text, plan))
		TEST_FAIL_("no '%s' in %s", plan, plan_text);
	for (i = 1; i < NR_THREADS; i++)
		jobs[i] = jobs[0];
	if (two) {
		meeting.nr = 0;
		ASSERT_EQ(0, pthread_create(&thread, NULL, prove_and_meet,
					    &jobs[0]));
		prove_and_meet(&jobs[1]);
		pthread_join(thread, NULL);
	}
	run_jobs(jobs, NR_THREADS);
	expect_wiped(golden);
	*ret_peak = lull_ctx_device_peak_bytes(ctx);
	EXPECT_TRUE(!vram || *ret_peak <= vram);
	close_job(&jobs[0]);
	lull_ctx_destroy(ctx);
}

/* Memory for two that compute, for two that do so in turn, and for one, for which
 * others wait; then less and less. */
TEST(proofs_at_a_time)
{
	static const char *const plans[] = { " 2 proofs at a time, ",
					     " 2 proofs at a time in turn, ",
					     " 1 proof at a time, " };
	struct lull_ctx *ctx = open_gpu(0);
	bool cuda = !strcmp(backend_name(), "cuda");
	uint64_t vram = 0, least, peak = 0;
	struct golden golden;
	size_t i;

	if (!ctx)
		return;
	lull_ctx_destroy(ctx);
	golden = golden_load("bls12381-poseidon2", 0);
	/* Each with a byte less than the one before takes. */
	for (i = 0; i < (cuda ? LULL_ARRAY_SIZE(plans) : 1); i++) {
		prove_at_once(vram, &golden, plans[i], i < 2, &peak);
		vram = peak - 1;
	}
	least = cuda ? least_bytes("bls12381-poseidon2") : vram;
	for (; vram > least; vram = vram / 4 * 3)
		prove_at_once(vram, &golden, "", false, &peak);
	golden_free(&golden);
}

/* ---- several GPUs ------------------------------------------------------ */

/* A context on two GPUs, or NULL and the test is skipped. */
static struct lull_ctx *open_two_in(uint64_t vram, const char *arena)
{
	static const unsigned int gpus[] = { 0, 1 };
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .backend = backend_name(),
					    .gpus = gpus,
					    .nr_gpus = LULL_ARRAY_SIZE(gpus),
					    .arena = arena,
					    .say = hear,
					    .vram_bytes = vram };
	struct lull_ctx *one = open_gpu(0), *ctx = NULL;
	struct lull_error error;

	if (!one)
		return NULL;
	lull_ctx_destroy(one);
	plan_text[0] = '\0';
	if (!lull_ctx_create(&opts, &ctx, &error))
		return ctx;
	if (error.code == LULL_USAGE)
		test_skipped = "ONE GPU ALONE: nothing of two was tested";
	else
		TEST_FAIL_("%s", error.msg);
	return NULL;
}

/* Each has a copy of the key and makes every other proof, with the same bytes. */
static void prove_in_turn(struct lull_ctx *ctx, const struct lull_key *key,
			  const struct lull_wtns *wtns, const uint8_t *r,
			  const uint8_t *s, const char *want)
{
	static const char *const names[] = { "cuda: GPU 0, ", "cuda: GPU 1, " };
	struct lull_proof *proof = NULL;
	struct lull_error error;
	char text[TEXT_BYTES];
	size_t i;

	EXPECT_TRUE(strstr(plan_text, "cuda: GPU 0, plan: ") &&
		    strstr(plan_text, "cuda: GPU 1, plan: "));
	for (i = 0; i < 2 * ROUNDS && !test_failed; i++) {
		if (lull_prove_blinded(ctx, key, wtns, NULL, r, s, &proof,
				       &error)) {
			TEST_FAIL_("%s", error.msg);
			return;
		}
		lull_proof_json(proof, text, sizeof(text));
		EXPECT_STREQ(want, text);
		if (strncmp(lull_proof_backend(proof), names[i % 2],
			    strlen(names[0])))
			TEST_FAIL_("expected %s, found %s", names[i % 2],
				   lull_proof_backend(proof));
		lull_proof_free(proof);
	}
}

/* In turn, and both at once. */
TEST(two_gpus)
{
	struct lull_ctx *ctx = open_two_in(0, NULL);
	struct job jobs[2 * NR_THREADS] = { { 0 } };
	struct golden golden;
	size_t i;

	if (!ctx)
		return;
	golden = golden_load("bn128-chain1000", 0);
	open_job(ctx, &golden, &jobs[0]);
	prove_in_turn(ctx, jobs[0].key, jobs[0].wtns, golden.r, golden.s,
		      golden.proof);
	for (i = 1; i < LULL_ARRAY_SIZE(jobs); i++)
		jobs[i] = jobs[0];
	run_jobs(jobs, LULL_ARRAY_SIZE(jobs));
	close_job(&jobs[0]);
	golden_free(&golden);
	lull_ctx_destroy(ctx);
}

/* What each GPU has of a key's points is pinned: 36 MiB of them, and an arena
 * that is pinned grows by 32 at a time. */
#define GROWING_LOG2 16

/* Both GPUs' proofs of a key that is in memory, which is nobody's to register. */
static void prove_on_two(uint64_t vram, const struct blob *bytes,
			 const char *wtns_path, const char *want,
			 const uint8_t *r, const uint8_t *s)
{
	struct lull_ctx *ctx = open_two_in(vram, "thp");
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	struct lull_error error = { 0 };
	uint64_t pinned;

	ASSERT_TRUE(ctx);
	pinned = stats_of(ctx).pinned_bytes;
	if (lull_key_open_mem(ctx, bytes->data, bytes->bytes, &key, &error) ||
	    lull_wtns_open(ctx, wtns_path, &wtns, &error))
		TEST_FAIL_("%s", error.msg);
	EXPECT_TRUE(strstr(plan_text, " B2 streamed in "));
	EXPECT_TRUE(stats_of(ctx).pinned_bytes - pinned >= bytes->bytes);
	if (!test_failed)
		prove_in_turn(ctx, key, wtns, r, s, want);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
}

/* The arena grows, and is registered, while the second one is given the key. */
TEST(two_gpus_while_the_arena_grows)
{
	struct lull_ctx *ctx = open_two_in(0, NULL);
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	struct circuit circuit;
	char want[TEXT_BYTES];
	struct blob bytes;

	if (!ctx)
		return;
	lull_ctx_destroy(ctx);
	ctx = make_ctx(0);
	ASSERT_TRUE(
		make_key(ctx, "dense", "bls12381", GROWING_LOG2, &circuit));
	draw_scalar(r);
	draw_scalar(s);
	ASSERT_EQ(LULL_OK, lull_key_open(ctx, circuit.key, &key, NULL));
	ASSERT_EQ(LULL_OK, lull_wtns_open(ctx, circuit.wtns, &wtns, NULL));
	prove_text(ctx, key, wtns, r, s, want);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	bytes = blob_read(circuit.key);
	prove_on_two(least_bytes_of(&bytes), &bytes, circuit.wtns, want, r, s);
	blob_free(&bytes);
	scratch_clear();
}

/* ---- a witness that is wrong --------------------------------------------- */

/* A witness that does not satisfy is found out as on the CPU, and the device
 * works on. */
TEST(unsatisfied_witness)
{
	struct lull_ctx *ctx = open_gpu(0);
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	struct golden g;

	if (!ctx)
		return;
	g = golden_load("bn128-poseidon2", 0);
	ASSERT_EQ(LULL_OK,
		  lull_key_open_mem(ctx, g.key.data, g.key.bytes, &key, NULL));
	/* The lowest byte of the last value. */
	g.wtns.data[g.wtns.bytes - LULL_FR_BYTES] ^= 1;
	ASSERT_EQ(LULL_OK, lull_wtns_open_mem(ctx, g.wtns.data, g.wtns.bytes,
					      &wtns, NULL));
	EXPECT_EQ(LULL_UNSATISFIED,
		  lull_prove(ctx, key, wtns, NULL, &proof, NULL));
	EXPECT_TRUE(!proof);
	lull_wtns_close(wtns);
	g.wtns.data[g.wtns.bytes - LULL_FR_BYTES] ^= 1;
	ASSERT_EQ(LULL_OK, lull_wtns_open_mem(ctx, g.wtns.data, g.wtns.bytes,
					      &wtns, NULL));
	expect_golden(ctx, key, wtns, &g);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	golden_free(&g);
}

TEST_MAIN
