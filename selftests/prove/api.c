// SPDX-License-Identifier: Apache-2.0
/*
 * api.c - what callers of the public functions are told
 */
#include "prove.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/workers.h"
#include "prove/prover.h"
#include "prove/witness.h"
#include "test_arena.h"

#define CIRCUIT "bn128-mul2"

static struct lull_ctx *ctx;
static struct lull_key *key;
static struct lull_wtns *wtns;

static bool set_up(void)
{
	ctx = make_ctx(2);
	return !lull_key_open(ctx, GOLDEN CIRCUIT ".zkey", &key, NULL) &&
	       !lull_wtns_open(ctx, GOLDEN CIRCUIT ".wtns", &wtns, NULL);
}

static void take_down(void)
{
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
}

static const char *const stage_names[] = {
	"load",	 "spmv",  "h",	      "msm_a", "msm_b1", "msm_b2",
	"msm_l", "msm_h", "assemble", "check", "retire",
};

#define NR_NAMES LULL_ARRAY_SIZE(stage_names)

/* What the progress function was told. */
struct told {
	pthread_t caller;
	unsigned int nr;
	const char *names[2 * NR_NAMES];
};

static void take_stage(void *arg, const char *stage)
{
	struct told *told = arg;

	EXPECT_TRUE(pthread_equal(told->caller, pthread_self()));
	if (told->nr < LULL_ARRAY_SIZE(told->names))
		told->names[told->nr++] = stage;
}

static void expect_stages(unsigned int flags)
{
	struct told told = { .caller = pthread_self() };
	struct lull_prove_opts opts = { .size = sizeof(opts),
					.flags = flags,
					.progress = take_stage,
					.progress_arg = &told };
	const struct lull_stage_time *stages;
	struct lull_proof *proof = NULL;
	unsigned int i, nr = 0, want = 0;
	uint64_t end = 0;

	ASSERT_EQ(LULL_OK, lull_prove(ctx, key, wtns, &opts, &proof, NULL));
	stages = lull_proof_stages(proof, &nr);
	EXPECT_TRUE(stages == lull_proof_stages(proof, NULL));
	EXPECT_EQ(told.nr, nr);
	for (i = 0; i < NR_NAMES; i++) {
		if (flags & LULL_PROVE_NO_VERIFY &&
		    !strcmp(stage_names[i], "check"))
			continue;
		ASSERT_TRUE(want < nr && want < told.nr);
		EXPECT_STREQ(stage_names[i], stages[want].name);
		EXPECT_STREQ(stage_names[i], told.names[want]);
		EXPECT_TRUE(stages[want].start_ns >= end);
		end = stages[want].start_ns + stages[want].ns;
		want++;
	}
	EXPECT_EQ(want, nr);
	lull_proof_free(proof);
}

TEST(stages_and_progress)
{
	ASSERT_TRUE(set_up());
	expect_stages(0);
	expect_stages(LULL_PROVE_NO_VERIFY);
	take_down();
}

static void cancel_check(void *arg, const char *stage)
{
	if (!strcmp(stage, "check"))
		atomic_store((atomic_bool *)arg, true);
}

/* Nobody follows the proof: no check, no proof. */
TEST(what_was_not_checked_does_not_leave)
{
	atomic_bool canceled = false;
	const struct lull_prove_opts opts = { .size = sizeof(opts),
					      .progress = cancel_check,
					      .progress_arg = &canceled };
	static const uint8_t r[LULL_FR_BYTES] = { 7 };
	struct lull_workers *pool = NULL, *workers = NULL;
	struct lull_error error = { 0 };
	struct lull_proof *proof = NULL;

	ASSERT_TRUE(set_up());
	ASSERT_EQ(LULL_OK, lull_workers_create(2, &pool, NULL));
	ASSERT_EQ(LULL_OK, lull_workers_share(pool, &canceled, &workers, NULL));
	EXPECT_EQ(LULL_CANCELED,
		  lull_prover_run(workers, test_arena(), key, &wtns->file,
				  &opts, r, r, &proof, &error));
	EXPECT_STREQ("canceled", error.msg);
	EXPECT_TRUE(!proof);
	lull_workers_destroy(workers);
	lull_workers_destroy(pool);
	take_down();
}

/* Room for the text and its NUL, or nothing is written. */
static void expect_exact(const struct lull_proof *proof,
			 size_t (*text)(const struct lull_proof *, char *,
					size_t))
{
	size_t len = text(proof, NULL, 0);
	char *buf = must_alloc(len + 2);

	EXPECT_TRUE(len > 2);
	memset(buf, POISON, len + 2);
	EXPECT_EQ(len, text(proof, buf, len));
	EXPECT_TRUE(untouched(buf, len + 2));
	EXPECT_EQ(len, text(proof, buf, 1));
	EXPECT_TRUE(untouched(buf, len + 2));
	EXPECT_EQ(len, text(proof, buf, len + 1));
	EXPECT_EQ(len, strlen(buf));
	EXPECT_EQ(POISON, (uint8_t)buf[len + 1]);
	free(buf);
}

TEST(text_and_its_room)
{
	struct lull_proof *proof = NULL;

	ASSERT_TRUE(set_up());
	ASSERT_EQ(LULL_OK, lull_prove(ctx, key, wtns, NULL, &proof, NULL));
	expect_exact(proof, lull_proof_json);
	expect_exact(proof, lull_public_json);
	lull_proof_free(proof);
	take_down();
}

/* A proof lives on when everything else is gone. */
TEST(proof_outlives_its_key)
{
	struct golden g = golden_load(CIRCUIT, 0);
	struct lull_proof *proof = NULL;
	char text[TEXT_BYTES];

	ASSERT_TRUE(set_up());
	ASSERT_EQ(LULL_OK, lull_prove_blinded(ctx, key, wtns, NULL, g.r, g.s,
					      &proof, NULL));
	take_down();
	lull_proof_json(proof, text, sizeof(text));
	EXPECT_STREQ(g.proof, text);
	lull_public_json(proof, text, sizeof(text));
	EXPECT_STREQ(g.publics, text);
	lull_proof_free(proof);
	golden_free(&g);
}

TEST(informed)
{
	struct lull_circuit_info circuit = { .size = sizeof(circuit) };
	struct lull_key_info info = { .size = sizeof(info) };

	ASSERT_TRUE(set_up());
	EXPECT_EQ(LULL_OK, lull_key_info(key, &info, NULL));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(LULL_CURVE_BN254, info.curve);
	EXPECT_EQ(4, info.nr_vars);
	EXPECT_EQ(1, info.nr_public);
	EXPECT_EQ(4, info.domain_size);
	EXPECT_EQ(4, info.nr_coefs);
	EXPECT_EQ(0, info.nr_contributions);
	EXPECT_EQ(0, info.toxic);
	EXPECT_EQ(2580, info.file_bytes);
	EXPECT_EQ(LULL_OK,
		  lull_circuit_info(GOLDEN CIRCUIT ".r1cs", &circuit, NULL));
	EXPECT_EQ(LULL_CURVE_BN254, circuit.curve);
	EXPECT_EQ(4, circuit.nr_wires);
	EXPECT_EQ(1, circuit.nr_outputs);
	EXPECT_EQ(0, circuit.nr_public_inputs);
	EXPECT_EQ(2, circuit.nr_private_inputs);
	EXPECT_EQ(1, circuit.nr_constraints);
	EXPECT_EQ(0, circuit.nr_linear);
	EXPECT_EQ(3, circuit.nr_terms);
	EXPECT_EQ(4, circuit.domain_size);
	take_down();
}

TEST(codes_in_words)
{
	int code, other;

	for (code = 1; code >= LULL_INTERNAL - 1; code--)
		for (other = 0; other >= LULL_INTERNAL; other--)
			if (code != other)
				EXPECT_TRUE(strcmp(lull_status_str(code),
						   lull_status_str(other)));
	EXPECT_STREQ("unknown status", lull_status_str(1));
	EXPECT_TRUE(strlen(lull_version()) > 0);
}

TEST_MAIN
