// SPDX-License-Identifier: Apache-2.0
/*
 * backend.c - devices are chosen, shared out and left out
 *
 * Several devices are null's, which need no GPU.  A device that fails cannot be
 * had on demand: a table here passes everything to the CPU's and fails when it
 * is told to.
 */
#include "../prove/prove.h"

#include <malloc.h>

#include "backend/set.h"
#include "base/error.h"
#include "base/workers.h"
#include "input/wtns.h"
#include "test_arena.h"

#define CIRCUIT "bn128-poseidon2"
#define NR_DEVICES 3

/* ---- a device that can fail -------------------------------------------- */

static struct {
	enum lull_stage stage; /* the stage that fails ... */
	int nr_left;	       /* ... so many times, on any device */
	bool open;	       /* opening fails */
	bool attach;	       /* attaching fails with NOMEM */
	bool pin;	       /* registering fails */
	unsigned int nr_loads, nr_retires;
	unsigned int nr_pins, nr_unpins;
} faulty;

static int faulty_open(const struct lull_device_opts *opts, void **ret_device,
		       struct lull_error *reterr)
{
	if (faulty.open)
		return lull_fail(reterr, LULL_DEVICE, "open: no such luck");
	return lull_backend_cpu.open(opts, ret_device, reterr);
}

static int faulty_attach(void *device, const struct lull_key_arrays *arrays,
			 struct lull_workers *workers, void **ret_key,
			 struct lull_error *reterr)
{
	if (faulty.attach)
		return lull_fail(reterr, LULL_NOMEM, "9 bytes of 8");
	return lull_backend_cpu.ops(arrays->curve)
		->key_attach(device, arrays, workers, ret_key, reterr);
}

static int faulty_run(void *key, enum lull_stage stage,
		      const struct lull_stage_args *args,
		      struct lull_error *reterr)
{
	faulty.nr_loads += stage == LULL_STAGE_LOAD;
	faulty.nr_retires += stage == LULL_STAGE_RETIRE;
	if (stage == faulty.stage && faulty.nr_left) {
		faulty.nr_left--;
		return lull_fail(reterr, LULL_DEVICE, "x.cu:7: f(): broke");
	}
	return lull_backend_cpu.ops(LULL_CURVE_BN254)
		->run(key, stage, args, reterr);
}

static const char *faulty_describe(const void *device)
{
	(void)device;
	return "a device";
}

static const struct lull_backend_ops *faulty_ops(enum lull_curve curve)
{
	static struct lull_backend_ops ops;

	ops = *lull_backend_cpu.ops(curve);
	ops.key_attach = faulty_attach;
	ops.run = faulty_run;
	return &ops;
}

static int faulty_pin(void *arg, void *ptr, size_t bytes,
		      struct lull_error *reterr)
{
	(void)arg, (void)ptr, (void)bytes;
	if (faulty.pin)
		return lull_fail(reterr, LULL_DEVICE, "y.cu:8: g(): no");
	faulty.nr_pins++;
	return LULL_OK;
}

static void faulty_unpin(void *arg, void *ptr, size_t bytes)
{
	(void)arg, (void)ptr, (void)bytes;
	faulty.nr_unpins++;
}

static const struct lull_arena_pin_ops faulty_pin_ops = {
	.pin = faulty_pin,
	.unpin = faulty_unpin,
};

static struct lull_backend faulty_backend(void)
{
	struct lull_backend backend = lull_backend_cpu;

	backend.name = "faulty";
	backend.open = faulty_open;
	backend.describe = faulty_describe;
	backend.ops = faulty_ops;
	memset(&faulty, 0, sizeof(faulty));
	return backend;
}

/* ---- what is said ------------------------------------------------------ */

static char said[4096];
static unsigned int nr_said;

static void hear(void *arg, const char *line)
{
	(void)arg;
	nr_said++;
	strncat(said, line, sizeof(said) - strlen(said) - 2);
	strncat(said, "\n", sizeof(said) - strlen(said) - 1);
}

/* What is not a warning. */
static char talk[4096];

static void overhear(void *arg, const char *line)
{
	(void)arg;
	strncat(talk, line, sizeof(talk) - strlen(talk) - 2);
	strncat(talk, "\n", sizeof(talk) - strlen(talk) - 1);
}

static void hear_nothing_more(void)
{
	said[0] = talk[0] = '\0';
	nr_said = 0;
}

/* ---- proofs over given backends ---------------------------------------- */

struct bench {
	struct golden golden;
	struct lull_workers *workers;
	struct lull_set *set;
	struct lull_key *key;
	struct lull_wtnsfile wtns;
	struct lull_error error;
};

static int bench_open(struct bench *b, const struct lull_backend *backend,
		      unsigned int nr, bool fallback)
{
	const struct lull_backend *backends[NR_DEVICES] = { backend, backend,
							    backend };
	const struct lull_set_opts opts = { .backend = "given",
					    .fallback_cpu = fallback,
					    .warn = hear,
					    .say = overhear };
	struct lull_keyfile file;
	int err;

	hear_nothing_more();
	memset(b, 0, sizeof(*b));
	b->golden = golden_load(CIRCUIT, 0);
	if (lull_workers_create(2, &b->workers, NULL) ||
	    lull_wtnsfile_open_mem(b->golden.wtns.data, b->golden.wtns.bytes,
				   "w", 0, &b->wtns, NULL) ||
	    lull_keyfile_open_mem(b->golden.key.data, b->golden.key.bytes, "k",
				  NULL, b->workers, &file, NULL))
		return LULL_INTERNAL;
	err = lull_set_open_given(&opts, backends, nr, &b->set, &b->error);
	if (!err)
		err = lull_prove_key_create(&file, NULL, b->workers,
					    test_arena(), b->set, &b->key,
					    &b->error);
	if (err)
		lull_keyfile_close(&file);
	return err;
}

static void bench_close(struct bench *b)
{
	lull_prove_key_destroy(b->key);
	lull_set_close(b->set);
	lull_wtnsfile_close(&b->wtns);
	lull_workers_destroy(b->workers);
	golden_free(&b->golden);
}

/* Expects the golden bytes, by @by. */
static void expect_proof(struct bench *b, const char *by)
{
	const struct lull_prove_opts opts = { .size = sizeof(opts) };
	struct lull_proof *proof = NULL;
	char text[TEXT_BYTES];

	EXPECT_EQ(LULL_OK, lull_prover_run(b->workers, test_arena(), b->key,
					   &b->wtns, &opts, b->golden.r,
					   b->golden.s, &proof, &b->error));
	if (!proof) {
		TEST_FAIL_("%s", b->error.msg);
		return;
	}
	EXPECT_TRUE(lull_proof_json(proof, text, sizeof(text)) < sizeof(text));
	EXPECT_STREQ(b->golden.proof, text);
	EXPECT_STREQ(by, lull_proof_backend(proof));
	lull_proof_free(proof);
}

static int prove_fails(struct bench *b)
{
	const struct lull_prove_opts opts = { .size = sizeof(opts) };
	struct lull_proof *proof = NULL;
	int err = lull_prover_run(b->workers, test_arena(), b->key, &b->wtns,
				  &opts, b->golden.r, b->golden.s, &proof,
				  &b->error);

	EXPECT_TRUE(!proof);
	return err;
}

TEST(proofs_go_round)
{
	const struct lull_backend backend = faulty_backend();
	struct bench b;
	int i;

	ASSERT_EQ(LULL_OK, bench_open(&b, &backend, NR_DEVICES, false));
	for (i = 0; i < 2 * NR_DEVICES; i++)
		expect_proof(&b, "faulty: a device");
	for (i = 0; i < NR_DEVICES; i++) {
		EXPECT_EQ(2, b.set->devices[i].nr_taken);
		EXPECT_EQ(0, b.set->devices[i].nr_proofs);
	}
	EXPECT_EQ(0, nr_said);
	EXPECT_EQ(2 * NR_DEVICES, faulty.nr_loads);
	EXPECT_EQ(2 * NR_DEVICES, faulty.nr_retires);
	bench_close(&b);
}

/* Whichever stage fails: another device proves, the failed one is named once
 * and asked for nothing any more. */
TEST(failed_device_is_left_out)
{
	const struct lull_backend backend = faulty_backend();
	enum lull_stage stage;
	struct bench b;

	for (stage = LULL_STAGE_LOAD; stage <= LULL_STAGE_MSM_H; stage++) {
		faulty_backend();
		ASSERT_EQ(LULL_OK, bench_open(&b, &backend, 2, false));
		faulty.stage = stage;
		faulty.nr_left = 1;
		expect_proof(&b, "faulty: a device");
		expect_proof(&b, "faulty: a device");
		EXPECT_EQ(1, nr_said);
		EXPECT_STREQ("faulty: a device is left out: x.cu:7: f(): "
			     "broke\n",
			     said);
		EXPECT_EQ(1, b.set->devices[0].nr_taken);
		EXPECT_EQ(2, b.set->devices[1].nr_taken);
		/* Every proof that a device loaded it also retired. */
		EXPECT_EQ(faulty.nr_loads - (stage == LULL_STAGE_LOAD),
			  faulty.nr_retires);
		bench_close(&b);
	}
}

TEST(no_silent_fallback)
{
	const struct lull_backend backend = faulty_backend();
	struct bench b;

	ASSERT_EQ(LULL_OK, bench_open(&b, &backend, 2, false));
	faulty.stage = LULL_STAGE_MSM_B2;
	faulty.nr_left = 2;
	EXPECT_EQ(LULL_DEVICE, prove_fails(&b));
	EXPECT_STREQ("x.cu:7: f(): broke", b.error.msg);
	EXPECT_EQ(2, nr_said);
	/* And so it stays. */
	EXPECT_EQ(LULL_DEVICE, prove_fails(&b));
	EXPECT_STREQ("every device has been left out", b.error.msg);
	EXPECT_EQ(2, nr_said);
	bench_close(&b);
}

TEST(fallback_where_allowed)
{
	const struct lull_backend backend = faulty_backend();
	struct bench b;

	ASSERT_EQ(LULL_OK, bench_open(&b, &backend, 1, true));
	expect_proof(&b, "faulty: a device");
	faulty.stage = LULL_STAGE_H;
	faulty.nr_left = 1;
	expect_proof(&b, "cpu (fallback: x.cu:7: f(): broke)");
	EXPECT_EQ(1, nr_said);
	expect_proof(&b, "cpu (fallback: no device has the key)");
	bench_close(&b);
}

TEST(key_without_room)
{
	const struct lull_backend backend = faulty_backend();
	struct bench b;

	faulty.attach = true;
	EXPECT_EQ(LULL_NOMEM, bench_open(&b, &backend, 1, false));
	EXPECT_STREQ("9 bytes of 8", b.error.msg);
	bench_close(&b);
	ASSERT_EQ(LULL_OK, bench_open(&b, &backend, 2, true));
	EXPECT_EQ(2, nr_said);
	EXPECT_TRUE(strstr(said, "is left out for k: 9 bytes of 8"));
	expect_proof(&b, "cpu (fallback: no device has the key)");
	bench_close(&b);
}

TEST(device_that_does_not_open)
{
	const struct lull_backend backend = faulty_backend();
	struct bench b;

	faulty.open = true;
	EXPECT_EQ(LULL_DEVICE, bench_open(&b, &backend, 1, false));
	EXPECT_STREQ("open: no such luck", b.error.msg);
	EXPECT_TRUE(!b.set);
	bench_close(&b);
}

/* ---- the arena --------------------------------------------------------- */

/* However many devices and proofs: registered by the first key, undone when
 * the devices are closed. */
TEST(arena_registered_once)
{
	struct lull_backend backend = faulty_backend();
	unsigned int nr;
	struct bench b;
	int i;

	backend.pin = &faulty_pin_ops;
	ASSERT_EQ(LULL_OK, bench_open(&b, &backend, NR_DEVICES, false));
	expect_proof(&b, "faulty: a device");
	nr = faulty.nr_pins;
	EXPECT_TRUE(nr);
	EXPECT_TRUE(strstr(talk, "faulty: the arena is registered, "));
	for (i = 0; i < NR_DEVICES; i++)
		expect_proof(&b, "faulty: a device");
	EXPECT_EQ(nr, faulty.nr_pins);
	EXPECT_EQ(0, faulty.nr_unpins);
	bench_close(&b);
	EXPECT_EQ(nr, faulty.nr_unpins);
	EXPECT_EQ(0, nr_said);
}

/* While nobody works on a device the registration can be undone; whoever begins
 * has it again, and so has a key that is attached. */
TEST(arena_idle_and_again)
{
	const bool all[NR_DEVICES + 1] = { true, true, true, true };
	struct lull_backend backend = faulty_backend();
	struct lull_arena_stats stats;
	struct bench b, other;
	unsigned int nr;
	int device;

	backend.pin = &faulty_pin_ops;
	ASSERT_EQ(LULL_OK, bench_open(&b, &backend, 2, false));
	expect_proof(&b, "faulty: a device");
	nr = faulty.nr_pins;
	device = lull_set_take(b.set, all);
	ASSERT_TRUE(device >= 0);
	EXPECT_TRUE(!lull_set_idle(b.set));
	lull_set_put(b.set, (unsigned int)device);
	lull_set_hold(b.set);
	EXPECT_TRUE(!lull_set_idle(b.set));
	lull_set_let_go(b.set);
	EXPECT_EQ(0, faulty.nr_unpins);
	EXPECT_TRUE(lull_set_idle(b.set));
	EXPECT_TRUE(!lull_set_idle(b.set));
	EXPECT_EQ(nr, faulty.nr_unpins);
	lull_arena_stats(test_arena(), &stats);
	EXPECT_EQ(0, stats.pinned_bytes);
	expect_proof(&b, "faulty: a device");
	EXPECT_TRUE(faulty.nr_pins > nr);
	nr = faulty.nr_pins;
	EXPECT_TRUE(lull_set_idle(b.set));
	/* As when a key is attached. */
	lull_set_pin(b.set, test_arena());
	EXPECT_TRUE(faulty.nr_pins > nr);
	/* Closing what is idle undoes nothing twice. */
	EXPECT_TRUE(lull_set_idle(b.set));
	bench_close(&b);
	EXPECT_EQ(faulty.nr_pins, faulty.nr_unpins);
	ASSERT_EQ(LULL_OK, bench_open(&other, &backend, 1, false));
	expect_proof(&other, "faulty: a device");
	bench_close(&other);
	EXPECT_EQ(faulty.nr_pins, faulty.nr_unpins);
}

/* Neither a refusal nor somebody else's registration keeps proofs from being
 * made, and both are told. */
TEST(arena_that_is_not_registered)
{
	struct lull_backend backend = faulty_backend();
	struct lull_arena_stats stats;
	struct bench b, other;
	const char *note;
	size_t i = 0;

	faulty.pin = true;
	backend.pin = &faulty_pin_ops;
	ASSERT_EQ(LULL_OK, bench_open(&b, &backend, 1, false));
	expect_proof(&b, "faulty: a device");
	lull_arena_stats(test_arena(), &stats);
	EXPECT_EQ(0, stats.pinned_bytes);
	while ((note = lull_arena_note(test_arena(), i)) &&
	       !strstr(note, "y.cu:8: g(): no"))
		i++;
	EXPECT_TRUE(note);
	ASSERT_EQ(LULL_OK, bench_open(&other, &backend, 1, false));
	EXPECT_TRUE(strstr(talk, "faulty: uploads are staged: arena: another "
				 "device has registered it"));
	expect_proof(&other, "faulty: a device");
	bench_close(&other);
	bench_close(&b);
	EXPECT_EQ(0, faulty.nr_unpins);
}

/* ---- how long a device was at work ------------------------------------- */

TEST(busy_is_a_union)
{
	static const struct {
		uint64_t start_ns, end_ns, total_ns;
		unsigned int nr;
	} steps[] = {
		{ 10, 20, 10, 1 }, { 15, 18, 10, 1 },  { 40, 50, 20, 2 },
		{ 20, 25, 25, 2 }, { 5, 10, 30, 2 },   { 28, 30, 32, 3 },
		{ 60, 60, 32, 3 }, { 70, 60, 32, 3 },  { 1, 2, 33, 4 },
		{ 8, 45, 46, 2 },  { 0, 100, 100, 1 },
	};
	struct lull_busy busy = { 0 };
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(steps); i++) {
		lull_busy_add(&busy, steps[i].start_ns, steps[i].end_ns);
		EXPECT_EQ(steps[i].total_ns, busy.ns);
		EXPECT_EQ(steps[i].nr, busy.nr);
	}
}

/* At random against a map of all that is covered; then more than is kept. */
TEST(busy_at_random)
{
	struct lull_busy busy = { 0 };
	bool covered[256] = { 0 };
	uint64_t start, end, at, nr = 0;
	unsigned int i;

	for (i = 0; i < 300; i++) {
		start = test_random() % 256;
		end = start + test_random() % 4;
		end = lull_min(end, 256);
		for (at = start; at < end; at++) {
			nr += !covered[at];
			covered[at] = true;
		}
		lull_busy_add(&busy, start, end);
		ASSERT_EQ(nr, busy.ns);
	}
	busy = (struct lull_busy){ 0 };
	for (i = 0; i < 4 * LULL_BUSY_SPANS; i++) {
		lull_busy_add(&busy, 10 * i, 10 * i + 3);
		ASSERT_EQ(3 * (i + 1), busy.ns);
	}
	EXPECT_EQ(LULL_BUSY_SPANS, busy.nr);
	lull_busy_add(&busy, 10 * i - 10, 10 * i - 5);
	EXPECT_EQ(3 * i + 2, busy.ns);
}

/* ---- choosing ---------------------------------------------------------- */

static struct lull_ctx *open_ctx(struct lull_ctx_opts opts,
				 struct lull_error *error)
{
	struct lull_ctx *ctx = NULL;

	hear_nothing_more();
	opts.size = sizeof(opts);
	opts.nr_threads = 1;
	opts.warn = opts.say = hear;
	memset(error, 0, sizeof(*error));
	if (lull_ctx_create(&opts, &ctx, error))
		EXPECT_TRUE(!ctx);
	return ctx;
}

TEST(null_has_several_devices)
{
	const unsigned int gpus[] = { 5, 2 };
	struct lull_error error;
	struct lull_ctx *ctx = open_ctx(
		(struct lull_ctx_opts){
			.backend = "null", .gpus = gpus, .nr_gpus = 2 },
		&error);

	ASSERT_TRUE(ctx);
	EXPECT_STREQ("null: device 5 and others", lull_ctx_backend(ctx));
	EXPECT_TRUE(strstr(said, "null: device 5 and others\n"));
	EXPECT_EQ(0, lull_ctx_device_peak_bytes(ctx));
	lull_ctx_destroy(ctx);
}

TEST(null_proves_nothing)
{
	const struct lull_prove_opts unchecked = {
		.size = sizeof(unchecked), .flags = LULL_PROVE_NO_VERIFY
	};
	struct golden g = golden_load(CIRCUIT, 0);
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	struct lull_error error;
	struct lull_ctx *ctx =
		open_ctx((struct lull_ctx_opts){ .backend = "null" }, &error);

	ASSERT_TRUE(ctx);
	ASSERT_EQ(LULL_OK, lull_key_open_mem(ctx, g.key.data, g.key.bytes, &key,
					     &error));
	ASSERT_EQ(LULL_OK, lull_wtns_open_mem(ctx, g.wtns.data, g.wtns.bytes,
					      &wtns, &error));
	EXPECT_EQ(LULL_UNSATISFIED,
		  lull_prove(ctx, key, wtns, NULL, &proof, &error));
	EXPECT_EQ(LULL_OK,
		  lull_prove(ctx, key, wtns, &unchecked, &proof, &error));
	ASSERT_TRUE(proof);
	EXPECT_STREQ("null: device 0", lull_proof_backend(proof));
	lull_proof_free(proof);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	golden_free(&g);
}

TEST(wrong_choices)
{
	const unsigned int twice[] = { 1, 1 }, far[] = { 99 };
	struct lull_error error;

	EXPECT_TRUE(
		!open_ctx((struct lull_ctx_opts){ .backend = "gpu" }, &error));
	EXPECT_EQ(LULL_USAGE, error.code);
	EXPECT_STREQ("backend: expected auto, cpu, cuda or null, found 'gpu'",
		     error.msg);
	EXPECT_TRUE(!open_ctx((struct lull_ctx_opts){ .backend = "null",
						      .gpus = twice,
						      .nr_gpus = 2 },
			      &error));
	EXPECT_STREQ("GPUs: 1 is there twice", error.msg);
	EXPECT_TRUE(!open_ctx((struct lull_ctx_opts){ .backend = "null",
						      .gpus = far,
						      .nr_gpus = 1 },
			      &error));
	EXPECT_STREQ("null: there is no GPU 99; GPUs are numbered 0 to 7",
		     error.msg);
	EXPECT_TRUE(!open_ctx((struct lull_ctx_opts){ .backend = "cpu",
						      .gpus = far,
						      .nr_gpus = 1 },
			      &error));
	EXPECT_STREQ("GPUs: the cpu backend has none", error.msg);
}

/* Devices before the one that is not there were opened: many times more memory
 * than this test has reason to keep.  (Under ASan nothing is counted here; what
 * is lost is reported at the end.) */
TEST(a_wrong_number_leaks_no_device)
{
	const unsigned int gpus[] = { 0, 1, 2, 99 };
	const struct lull_set_opts opts = { .backend = "null",
					    .gpus = gpus,
					    .nr_gpus = 4 };
	struct lull_set *set = NULL;
	size_t before = mallinfo2().uordblks;
	unsigned int i;

	for (i = 0; i < 1000; i++)
		EXPECT_EQ(LULL_USAGE, lull_set_open(&opts, &set, NULL));
	EXPECT_TRUE(!set);
	EXPECT_TRUE(mallinfo2().uordblks < before + 16384);
}

/* Holds with a GPU and without: auto always finds something, and says what. */
TEST(auto_says_what_it_took)
{
	struct lull_error error;
	struct lull_ctx *ctx =
		open_ctx((struct lull_ctx_opts){ .backend = "auto" }, &error);

	ASSERT_TRUE(ctx);
	EXPECT_TRUE(!strncmp(lull_ctx_backend(ctx), "cuda: GPU 0, ", 13) ||
		    !strncmp(lull_ctx_backend(ctx), "cpu (auto: ", 11));
	EXPECT_TRUE(strstr(said, lull_ctx_backend(ctx)));
	lull_ctx_destroy(ctx);
}

/* cuda is there, or an error with a reason, or with leave the CPU. */
TEST(cuda_or_an_error)
{
	struct lull_error error;
	struct lull_ctx *ctx =
		open_ctx((struct lull_ctx_opts){ .backend = "cuda" }, &error);

	if (ctx) {
		EXPECT_TRUE(!strncmp(lull_ctx_backend(ctx), "cuda: ", 6));
		lull_ctx_destroy(ctx);
		return;
	}
	EXPECT_TRUE(error.code == LULL_UNSUPPORTED ||
		    error.code == LULL_DEVICE);
	EXPECT_TRUE(error.msg[0]);
	EXPECT_TRUE(!strstr(said, "cuda"));
	ctx = open_ctx(
		(struct lull_ctx_opts){ .backend = "cuda", .fallback_cpu = 1 },
		&error);
	ASSERT_TRUE(ctx);
	EXPECT_TRUE(!strncmp(lull_ctx_backend(ctx), "cpu (fallback: ", 15));
	EXPECT_TRUE(strstr(said, "the CPU proves instead: "));
	lull_ctx_destroy(ctx);
}

TEST_MAIN
