// SPDX-License-Identifier: Apache-2.0
/*
 * faults.c - every call to the system fails once, and nothing is left behind
 *
 * Each public function runs with its first call to the system failing, then
 * its second, until it meets no failure.  A failing run says so, returns what
 * it took, leaves no file and does not spoil the next run.
 */
#include "lull_pipeline.h"
#include "open_files.h"
#include "prove/assignment.h"
#include "prove/feed.h"

#include "wrap.h"

#define CIRCUIT "bn128-mul2"
#define R1CS GOLDEN CIRCUIT ".r1cs"
#define BELLMAN "bls12381-mul2" /* parameters are of this curve alone */
#define NR_FAULTS_MAX 2000

/* What the functions under test work on; opened before any fault. */
static struct {
	struct lull_ctx *ctx;
	struct lull_key *key;
	struct lull_wtns *wtns;
	struct lull_proof *proof;
	struct blob unsorted;
	char zkey[PATH_BYTES], vkey[PATH_BYTES];
	char proof_path[PATH_BYTES], public_path[PATH_BYTES];
	struct lull_key *bls_zkey, *bellman;
	struct assignment assignment;
	char params[PATH_BYTES], written[PATH_BYTES], proofs[PATH_BYTES];
	char publics[PATH_BYTES];
} set;

/* A key of BLS12-381, its parameters, and a proof with its public signals. */
static bool set_up_bellman(void)
{
	uint8_t bytes[LULL_BELLMAN_PROOF_BYTES];
	struct blob b = { bytes, sizeof(bytes) };
	struct lull_proof *proof = NULL;
	char other[PATH_BYTES];
	bool made;

	scratch_path(set.params, "k.params");
	scratch_path(set.written, "written.params");
	scratch_path(set.proofs, "proof.bin");
	scratch_path(set.publics, "bellman.json");
	scratch_path(other, "other.json");
	read_assignment(&set.assignment, GOLDEN BELLMAN ".r1cs",
			GOLDEN BELLMAN ".wtns");
	order_as_converted(&set.assignment);
	made = !lull_key_open(set.ctx, GOLDEN BELLMAN ".zkey", &set.bls_zkey,
			      NULL) &&
	       !lull_key_bellman_write(set.bls_zkey, set.params, NULL) &&
	       !lull_key_open_bellman(set.ctx, set.params, &set.bellman,
				      NULL) &&
	       !lull_prove_assigned(set.ctx, set.bellman, &set.assignment.in,
				    NULL, &proof, NULL) &&
	       !lull_proof_bellman(proof, bytes, NULL) &&
	       !lull_proof_write(proof, other, set.publics, NULL);
	if (made)
		blob_write(&b, set.proofs);
	lull_proof_free(proof);
	return made;
}

static bool set_up(void)
{
	uint8_t t[COEF_BYTES];

	/* Where there are reserved pages, one that cannot be had is done without. */
	set.ctx = make_ctx_on("thp", 2);
	scratch_path(set.zkey, "made.zkey");
	scratch_path(set.vkey, "vkey.json");
	scratch_path(set.proof_path, "proof.json");
	scratch_path(set.public_path, "public.json");
	set.unsorted = blob_read(GOLDEN CIRCUIT ".zkey");
	memcpy(t, coef_at(&set.unsorted, 0), sizeof(t));
	memmove(coef_at(&set.unsorted, 0), coef_at(&set.unsorted, 3),
		sizeof(t));
	memcpy(coef_at(&set.unsorted, 3), t, sizeof(t));
	return !lull_key_open(set.ctx, GOLDEN CIRCUIT ".zkey", &set.key,
			      NULL) &&
	       !lull_wtns_open(set.ctx, GOLDEN CIRCUIT ".wtns", &set.wtns,
			       NULL) &&
	       !lull_prove(set.ctx, set.key, set.wtns, NULL, &set.proof,
			   NULL) &&
	       set_up_bellman();
}

static void take_down(void)
{
	lull_key_close(set.bellman);
	lull_key_close(set.bls_zkey);
	free_assignment(&set.assignment);
	lull_proof_free(set.proof);
	lull_wtns_close(set.wtns);
	lull_key_close(set.key);
	lull_ctx_destroy(set.ctx);
	blob_free(&set.unsorted);
	memset(&set, 0, sizeof(set));
	scratch_clear();
}

/* Poisons an output's pointer and later says whether it still is. */
static void *poison(void)
{
	void *p;

	memset(&p, POISON, sizeof(p));
	return p;
}

static void expect_poison(const void *p)
{
	if (p != poison())
		TEST_FAIL_("an output was written on failure");
}

/* ---- the functions, each ended when it succeeds ------------------------ */

static int do_ctx_create(struct lull_error *error)
{
	struct lull_ctx_opts opts = { .size = sizeof(opts),
				      .nr_threads = 3,
				      .arena = "thp" };
	struct lull_ctx *ctx = poison();
	int err = lull_ctx_create(&opts, &ctx, error);

	if (err)
		expect_poison(ctx);
	else
		lull_ctx_destroy(ctx);
	return err;
}

static int do_key_open(struct lull_error *error)
{
	struct lull_key *key = poison();
	int err = lull_key_open(set.ctx, GOLDEN CIRCUIT ".zkey", &key, error);

	if (err)
		expect_poison(key);
	else
		lull_key_close(key);
	return err;
}

static int do_key_open_mem(struct lull_error *error)
{
	struct lull_key *key = poison();
	int err = lull_key_open_mem(set.ctx, set.unsorted.data,
				    set.unsorted.bytes, &key, error);

	if (err)
		expect_poison(key);
	else
		lull_key_close(key);
	return err;
}

static int do_wtns_open(struct lull_error *error)
{
	struct lull_wtns *wtns = poison();
	int err = lull_wtns_open(set.ctx, GOLDEN CIRCUIT ".wtns", &wtns, error);

	if (err)
		expect_poison(wtns);
	else
		lull_wtns_close(wtns);
	return err;
}

static int do_wtns_check(struct lull_error *error)
{
	return lull_wtns_check(set.wtns, R1CS, error);
}

static int do_circuit_info(struct lull_error *error)
{
	struct lull_circuit_info info = { .size = sizeof(info) };
	int err = lull_circuit_info(R1CS, &info, error);

	if (err)
		EXPECT_EQ(0, info.nr_wires);
	return err;
}

static int do_prove(struct lull_error *error)
{
	struct lull_proof *proof = poison();
	int err = lull_prove(set.ctx, set.key, set.wtns, NULL, &proof, error);

	if (err)
		expect_poison(proof);
	else
		lull_proof_free(proof);
	return err;
}

/* One partition from its file, and the trace of it. */
static int run_job(struct lull_pipeline *pipeline, struct lull_error *error)
{
	const char *path = GOLDEN CIRCUIT ".wtns";
	const struct lull_job_opts opts = { .size = sizeof(opts),
					    .nr_partitions = 1,
					    .paths = &path };
	struct lull_job *job = poison();
	struct lull_error why;
	int err = lull_job_submit(pipeline, set.key, &opts, &job, error);

	if (err) {
		expect_poison(job);
		return err;
	}
	EXPECT_EQ(1, lull_job_wait(job, -1));
	if (!lull_job_proof(job, 0, &why)) {
		err = why.code;
		if (error)
			*error = why;
	}
	if (!err)
		err = lull_job_write(job, 0, 1, set.proof_path, 0, error);
	if (!err)
		err = lull_pipeline_trace_write(pipeline, set.public_path,
						error);
	lull_job_free(job);
	return err;
}

static int do_pipeline(struct lull_error *error)
{
	const struct lull_pipeline_opts opts = { .size = sizeof(opts),
						 .in_flight = 2,
						 .cpu_threads = 2,
						 .dealloc = "async",
						 .trace = 1 };
	struct lull_pipeline *pipeline = poison();
	int err = lull_pipeline_create(set.ctx, &opts, &pipeline, error);

	if (err) {
		expect_poison(pipeline);
		return err;
	}
	err = run_job(pipeline, error);
	lull_pipeline_destroy(pipeline);
	unlink(set.proof_path);
	unlink(set.public_path);
	return err;
}

static int do_vkey_write(struct lull_error *error)
{
	return lull_key_vkey_write(set.key, set.vkey, error);
}

static int do_proof_write(struct lull_error *error)
{
	return lull_proof_write(set.proof, set.proof_path, set.public_path,
				error);
}

static int do_generate(struct lull_error *error)
{
	return lull_key_generate_toxic(set.ctx, R1CS, set.zkey, error);
}

static int do_generate_native(struct lull_error *error)
{
	struct lull_toxic_circuit source;
	int err = feed_open(R1CS, error);

	if (err)
		return err;
	source = feed_source();
	err = lull_key_generate_toxic_native(set.ctx, &source, set.zkey, NULL,
					     error);
	feed_close();
	return err;
}

static int do_verify(struct lull_error *error)
{
	return lull_verify(set.vkey, set.public_path, set.proof_path, error);
}

/* ---- one failure after another ----------------------------------------- */

/* What must be as before a run that failed. */
struct state {
	long blocks, mapped;
	unsigned int nr_files, nr_open;
};

static struct state take_state(void)
{
	return (struct state){ .blocks = atomic_load(&wrapped.blocks),
			       .mapped = atomic_load(&wrapped.mapped),
			       .nr_files = scratch_count(),
			       .nr_open = nr_open_files() };
}

static void expect_state(const struct state *was, bool files, const char *met,
			 unsigned int nth)
{
	struct state is = take_state();

	if (was->blocks != is.blocks)
		TEST_FAIL_("%s, call %u: %ld blocks are left", met, nth,
			   is.blocks - was->blocks);
	if (was->mapped != is.mapped)
		TEST_FAIL_("%s, call %u: %ld mapped bytes are left", met, nth,
			   is.mapped - was->mapped);
	if (more_files_stay_open(was->nr_open))
		TEST_FAIL_("%s, call %u: a file is left open", met, nth);
	if (files && was->nr_files != is.nr_files)
		TEST_FAIL_("%s, call %u: %u files, then %u", met, nth,
			   was->nr_files, is.nr_files);
}

/* jansson does not tell every failure of its own from a wrong file: then the
 * file is refused for another reason, which is safe. */
static void expect_told(int err, const struct lull_error *error,
			const char *met, unsigned int nth)
{
	if (err >= 0 || error->code != err)
		TEST_FAIL_("%s, call %u: returns %d, error says %d", met, nth,
			   err, error->code);
	else if (!memchr(error->msg, '\0', sizeof(error->msg)) ||
		 !error->msg[0] || strchr(error->msg, '\n'))
		TEST_FAIL_("%s, call %u: no message of one line", met, nth);
	else if (err != LULL_NOMEM && err != LULL_IO && strcmp(met, "jansson"))
		TEST_FAIL_("%s, call %u: %d %s", met, nth, err, error->msg);
}

/* Closing what was only read cannot lose anything, an arena that is refused
 * address space asks for less, and a file is renamed over one that its name cannot
 * be exchanged with. */
static bool can_do_without(const char *met)
{
	return !strcmp(met, "close") || !strcmp(met, "mmap") ||
	       !strcmp(met, "renameat2");
}

/* Lets call 1, 2, 3 ... of @fn fail; returns how many there were. */
static unsigned int fail_each(int (*fn)(struct lull_error *))
{
	struct lull_error error;
	unsigned int nth;
	struct state was;
	const char *met;
	int err;

	for (nth = 1; nth < NR_FAULTS_MAX; nth++) {
		memset(&error, POISON, sizeof(error));
		was = take_state();
		wrap_arm(FAULT_FAIL, nth, EIO);
		err = fn(&error);
		met = wrap_disarm();
		expect_state(&was, met && err, met, nth);
		if (!met)
			break;
		if (err || !can_do_without(met))
			expect_told(err, &error, met, nth);
		/* The error is optional; who forgets that dies in any build. */
		if (!err || test_sanitized())
			continue;
		wrap_arm(FAULT_FAIL, nth, EIO);
		err = fn(NULL);
		met = wrap_disarm();
		EXPECT_TRUE(err < 0 || !met || can_do_without(met));
	}
	EXPECT_TRUE(untouched(&error, sizeof(error)));
	EXPECT_EQ(LULL_OK, fn(NULL));
	return nth - 1;
}

/* With writes and random numbers interrupted or cut short: all goes well. */
static void disturb_each(int (*fn)(struct lull_error *), enum fault fault)
{
	struct lull_error error = { 0 };
	unsigned int nth;
	const char *met;
	int err;

	for (nth = 1; nth < NR_FAULTS_MAX; nth++) {
		wrap_arm(fault, nth, 0);
		err = fn(&error);
		met = wrap_disarm();
		if (!met)
			break;
		/* getrandom gives a few bytes whole, or not at all. */
		if (err && (fault == FAULT_EINTR || strcmp(met, "getrandom")))
			TEST_FAIL_("%s, call %u: %s", met, nth, error.msg);
	}
}

static void try_function(int (*fn)(struct lull_error *), unsigned int nr_least)
{
	unsigned int nr;

	wrap_jansson();
	ASSERT_TRUE(set_up());
	if (fn == do_verify) {
		ASSERT_EQ(LULL_OK, do_vkey_write(NULL));
		ASSERT_EQ(LULL_OK, do_proof_write(NULL));
	}
	nr = fail_each(fn);
	if (nr < nr_least || nr >= NR_FAULTS_MAX - 1)
		TEST_FAIL_("%u calls that can fail", nr);
	disturb_each(fn, FAULT_EINTR);
	disturb_each(fn, FAULT_SHORT);
	take_down();
	EXPECT_EQ(0, wrapped.blocks);
	EXPECT_EQ(0, wrapped.mapped);
}

static int do_bellman_write(struct lull_error *error)
{
	return lull_key_bellman_write(set.bls_zkey, set.written, error);
}

/* Both kinds of rows of mul2's domain have the same order. */
static int do_convert_bellman(struct lull_error *error)
{
	const struct lull_convert_opts opts = { .size = sizeof(opts),
						.r1cs_path = GOLDEN BELLMAN
						".r1cs",
						.fold_c = 1 };

	return lull_key_convert_bellman(set.ctx, set.params, set.written, &opts,
					error);
}

static int do_key_open_bellman(struct lull_error *error)
{
	struct lull_key *key = poison();
	int err = lull_key_open_bellman(set.ctx, set.params, &key, error);

	if (err)
		expect_poison(key);
	else
		lull_key_close(key);
	return err;
}

static int do_prove_assigned(struct lull_error *error)
{
	struct lull_proof *proof = poison();
	int err = lull_prove_assigned(set.ctx, set.bellman, &set.assignment.in,
				      NULL, &proof, error);

	if (err)
		expect_poison(proof);
	else
		lull_proof_free(proof);
	return err;
}

static int do_verify_bellman(struct lull_error *error)
{
	return lull_verify_bellman(set.params, set.publics, set.proofs, error);
}

TEST(bellman_write)
{
	try_function(do_bellman_write, 7);
}

TEST(key_convert_bellman)
{
	try_function(do_convert_bellman, 40);
}

TEST(key_open_bellman)
{
	try_function(do_key_open_bellman, 7);
}

TEST(prove_assigned)
{
	try_function(do_prove_assigned, 3);
}

TEST(verify_bellman)
{
	try_function(do_verify_bellman, 15);
}

TEST(ctx_create)
{
	try_function(do_ctx_create, 4);
}

TEST(key_open)
{
	try_function(do_key_open, 7);
}

TEST(key_open_mem)
{
	try_function(do_key_open_mem, 3);
}

TEST(wtns_open)
{
	try_function(do_wtns_open, 5);
}

TEST(wtns_check)
{
	try_function(do_wtns_check, 3);
}

TEST(circuit_info)
{
	try_function(do_circuit_info, 3);
}

TEST(prove)
{
	try_function(do_prove, 3);
}

TEST(pipeline)
{
	try_function(do_pipeline, 25);
}

TEST(key_vkey_write)
{
	try_function(do_vkey_write, 7);
}

TEST(proof_write)
{
	try_function(do_proof_write, 14);
}

TEST(key_generate_toxic)
{
	try_function(do_generate, 15);
}

TEST(key_generate_toxic_native)
{
	try_function(do_generate_native, 15);
}

TEST(verify)
{
	try_function(do_verify, 50);
}

TEST_MAIN
