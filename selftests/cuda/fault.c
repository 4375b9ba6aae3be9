// SPDX-License-Identifier: Apache-2.0
/*
 * fault.c - a GPU that breaks is left out, and says why
 *
 * A kernel of this program writes where nothing is, in the context that the
 * backend works in: from then on CUDA answers every call in this process with
 * that error.  So each test is a process of its own, made before anything of
 * CUDA was called.  The kernel goes to the driver as text, out of libcuda.so.1,
 * so that nothing here needs nvcc.  Skips where there is no GPU.
 */
#include "../prove/assignment.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>

#include "base/base.h"
#include "base/error.h"
#include "cuda/gpu.h"
#include "lib.h"

#define CIRCUIT "bls12381-poseidon2"
#define EXIT_SKIPPED 77
#define REASON_BYTES 300

/* ---- breaking a GPU ---------------------------------------------------- */

static const char kernel[] = ".version 6.3\n"
			     ".target sm_75\n"
			     ".address_size 64\n"
			     ".visible .entry write_nowhere()\n"
			     "{\n"
			     "	.reg .b64 %address;\n"
			     "	.reg .b32 %value;\n"
			     "	mov.u64 %address, 64;\n"
			     "	mov.u32 %value, 1;\n"
			     "	st.global.u32 [%address], %value;\n"
			     "	ret;\n"
			     "}\n";

/* What the driver says to a wrong address. */
#define ILLEGAL_ADDRESS 700

static void *library;

/* POSIX: a function's address fits an object pointer. */
static void find(const char *name, void *ret_function)
{
	void *symbol = dlsym(library, name);

	if (!symbol)
		TEST_FAIL_("libcuda.so.1 lacks %s", name);
	memcpy(ret_function, &symbol, sizeof(symbol));
}

/* The context is the device's primary one, which the CUDA runtime uses too. */
static void enter_context(int gpu)
{
	int (*init)(unsigned int), (*get)(int *, int);
	int (*retain)(void **, int), (*set_current)(void *);
	void *context = NULL;
	int device = 0;

	library = dlopen("libcuda.so.1", RTLD_NOW);
	ASSERT_TRUE(library);
	find("cuInit", &init);
	find("cuDeviceGet", &get);
	find("cuDevicePrimaryCtxRetain", &retain);
	find("cuCtxSetCurrent", &set_current);
	if (test_failed)
		return;
	ASSERT_EQ(0, init(0));
	ASSERT_EQ(0, get(&device, gpu));
	ASSERT_EQ(0, retain(&context, device));
	ASSERT_EQ(0, set_current(context));
}

static void break_gpu(int gpu)
{
	int (*load)(void **, const void *),
		(*function)(void **, void *, const char *);
	int (*launch)(void *, unsigned int, unsigned int, unsigned int,
		      unsigned int, unsigned int, unsigned int, unsigned int,
		      void *, void **, void **);
	int (*synchronize)(void);
	void *module = NULL, *entry = NULL;

	enter_context(gpu);
	if (test_failed)
		return;
	find("cuModuleLoadData", &load);
	find("cuModuleGetFunction", &function);
	find("cuLaunchKernel", &launch);
	find("cuCtxSynchronize", &synchronize);
	if (test_failed)
		return;
	ASSERT_EQ(0, load(&module, kernel));
	ASSERT_EQ(0, function(&entry, module, "write_nowhere"));
	ASSERT_EQ(0, launch(entry, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	EXPECT_EQ(ILLEGAL_ADDRESS, synchronize());
}

/* ---- a process for each test ------------------------------------------- */

static char reason[REASON_BYTES];

/* Runs @body in a child, whose EXPECTs count and whose SKIP is passed on. */
static void in_child(void (*body)(void *), void *arg)
{
	int status = 0, ends[2];
	ssize_t got;
	pid_t pid;

	ASSERT_EQ(0, pipe(ends));
	fflush(stdout);
	pid = fork();
	ASSERT_TRUE(pid >= 0);
	if (!pid) {
		test_skipped = NULL;
		body(arg);
		if (test_skipped &&
		    write(ends[1], test_skipped, strlen(test_skipped)) < 0)
			test_failed = true;
		fflush(stdout);
		_exit(test_failed ? 1 : test_skipped ? EXIT_SKIPPED : 0);
	}
	close(ends[1]);
	got = read(ends[0], reason, sizeof(reason) - 1);
	close(ends[0]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED) {
		reason[got > 0 ? got : 0] = '\0';
		SKIP(reason);
	}
	EXPECT_EQ(0, status);
}

/* ---- proving ----------------------------------------------------------- */

static char said[4096];
static unsigned int nr_said;

static void hear(void *arg, const char *line)
{
	(void)arg;
	nr_said++;
	strncat(said, line, sizeof(said) - strlen(said) - 1);
}

/**
 * struct scene - one process's
 * @nr_gpus: from 0 on
 * @fallback: the CPU may take over
 * @stage: at whose begin GPU 0 breaks; NULL for between two proofs
 * @assigned: the key is bellman's parameters and the proof brings its rows
 * @vram: bytes of device memory, or 0
 */
struct scene {
	unsigned int nr_gpus;
	uint64_t vram;
	bool fallback;
	const char *stage;
	bool assigned;
	struct assignment rows;
	struct lull_ctx *ctx;
	struct lull_key *key;
	struct lull_wtns *wtns;
	struct golden golden;
};

/* The same key as parameters, from which the same proofs come. */
static int open_parameters(struct scene *s, struct lull_error *reterr)
{
	char path[PATH_BYTES];
	int err;

	scratch_path(path, "fault.params");
	err = lull_key_bellman_write(s->key, path, reterr);
	lull_key_close(s->key);
	s->key = NULL;
	if (!err)
		err = lull_key_open_bellman(s->ctx, path, &s->key, reterr);
	read_assignment(&s->rows, GOLDEN CIRCUIT ".r1cs",
			GOLDEN CIRCUIT ".wtns");
	order_as_converted(&s->rows);
	return err;
}

static int open_key(struct scene *s, struct lull_error *reterr)
{
	int err = lull_key_open_mem(s->ctx, s->golden.key.data,
				    s->golden.key.bytes, &s->key, reterr);

	return err || !s->assigned ? err : open_parameters(s, reterr);
}

/* False when there is nothing to break here. */
static bool open_scene(struct scene *s)
{
	static const unsigned int gpus[] = { 0, 1 };
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .backend = "cuda",
					    .warn = hear,
					    .fallback_cpu = false,
					    .gpus = gpus,
					    .nr_gpus = s->nr_gpus,
					    .vram_bytes = s->vram };
	struct lull_ctx_opts allowed = opts;
	struct lull_error error;

	allowed.fallback_cpu = s->fallback;
	/* First without: a machine without a GPU must not look like success. */
	if (lull_ctx_create(&opts, &s->ctx, &error)) {
		snprintf(reason, sizeof(reason), "%s%s",
			 error.code == LULL_USAGE ? "ONE GPU ALONE: " : "",
			 error.code == LULL_USAGE ? "nothing of two was tested"
						  : error.msg);
		if (error.code == LULL_UNSUPPORTED || error.code == LULL_USAGE)
			test_skipped = reason;
		else
			TEST_FAIL_("%s", error.msg);
		return false;
	}
	lull_ctx_destroy(s->ctx);
	/* The first pair of r and s is zeros, which an assigned proof refuses. */
	s->golden = golden_load(CIRCUIT, 1);
	if (lull_ctx_create(&allowed, &s->ctx, &error) || open_key(s, &error) ||
	    lull_wtns_open_mem(s->ctx, s->golden.wtns.data,
			       s->golden.wtns.bytes, &s->wtns, &error)) {
		TEST_FAIL_("%s", error.msg);
		return false;
	}
	return true;
}

/* All of it can be closed, whatever has broken. */
static void close_scene(struct scene *s)
{
	lull_wtns_close(s->wtns);
	lull_key_close(s->key);
	lull_ctx_destroy(s->ctx);
	golden_free(&s->golden);
	if (s->assigned)
		free_assignment(&s->rows);
}

static void break_at(void *arg, const char *stage)
{
	struct scene *s = arg;

	if (!s->stage || strcmp(s->stage, stage))
		return;
	s->stage = NULL;
	break_gpu(0);
}

static int prove_by(struct scene *s, const struct lull_prove_opts *opts,
		    struct lull_proof **ret_proof, struct lull_error *reterr)
{
	struct fr r, scalar_s;

	if (!s->assigned)
		return lull_prove_blinded(s->ctx, s->key, s->wtns, opts,
					  s->golden.r, s->golden.s, ret_proof,
					  reterr);
	fr_load(&r, s->golden.r);
	fr_load(&scalar_s, s->golden.s);
	s->rows.in.r = &r;
	s->rows.in.s = &scalar_s;
	return lull_prove_assigned(s->ctx, s->key, &s->rows.in, opts, ret_proof,
				   reterr);
}

/* Expects @want; with LULL_OK the golden bytes, by a backend whose text begins
 * with @by.  The error's text otherwise. */
static void prove(struct scene *s, int want, const char *by,
		  struct lull_error *error)
{
	const struct lull_prove_opts opts = { .size = sizeof(opts),
					      .progress = break_at,
					      .progress_arg = s };
	struct lull_proof *proof = NULL;
	char text[TEXT_BYTES];

	memset(error, 0, sizeof(*error));
	EXPECT_EQ(want, prove_by(s, &opts, &proof, error));
	EXPECT_EQ(want == LULL_OK, proof != NULL);
	if (!proof)
		return;
	EXPECT_TRUE(lull_proof_json(proof, text, sizeof(text)) < sizeof(text));
	EXPECT_STREQ(s->golden.proof, text);
	if (strncmp(lull_proof_backend(proof), by, strlen(by)))
		TEST_FAIL_("expected %s..., found %s", by,
			   lull_proof_backend(proof));
	lull_proof_free(proof);
}

/* One warning for each GPU, which names it and has these words. */
static void expect_words(unsigned int nr_gpus, const char *const *parts,
			 size_t nr_parts)
{
	const char *line = said;
	char name[64];
	unsigned int i;
	size_t j;

	EXPECT_EQ(nr_gpus, nr_said);
	for (i = 0; i < nr_gpus; i++) {
		snprintf(name, sizeof(name), "cuda: GPU %u, ", i);
		line = strstr(said, name);
		if (!line || !strstr(line, "is left out: "))
			TEST_FAIL_("no '%s' left out in: %s", name, said);
		for (j = 0; line && j < nr_parts; j++)
			if (!strstr(line, parts[j]))
				TEST_FAIL_("no '%s' in: %s", parts[j], line);
	}
}

/* File, line and CUDA's text. */
static void expect_told_of(unsigned int nr_gpus)
{
	static const char *const parts[] = { ".cu:", "illegal memory access",
					     "cudaErrorIllegalAddress" };

	expect_words(nr_gpus, parts, LULL_ARRAY_SIZE(parts));
}

static void expect_told(void)
{
	expect_told_of(1);
}

/* ---- one GPU ----------------------------------------------------------- */

static void break_between(void *arg)
{
	struct scene *s = arg;
	struct lull_error error;

	if (!open_scene(s))
		return;
	prove(s, LULL_OK, "cuda: GPU 0, ", &error);
	EXPECT_EQ(0, nr_said);
	break_gpu(0);
	if (s->fallback) {
		prove(s, LULL_OK, "cpu (fallback: ", &error);
		prove(s, LULL_OK, "cpu (fallback: no device has the key)",
		      &error);
	} else {
		prove(s, LULL_DEVICE, "", &error);
		EXPECT_TRUE(strstr(error.msg, "illegal memory access"));
		prove(s, LULL_DEVICE, "", &error);
		EXPECT_STREQ("every device has been left out", error.msg);
	}
	expect_told();
	close_scene(s);
}

TEST(broken_gpu_is_told)
{
	struct scene s = { .nr_gpus = 1 };

	in_child(break_between, &s);
}

TEST(cpu_takes_over_where_allowed)
{
	struct scene s = { .nr_gpus = 1, .fallback = true };

	in_child(break_between, &s);
}

/* With the proof half way: it ends, what it holds is freed, and where it may be
 * it is made again from the beginning. */
static void break_within(void *arg)
{
	struct scene *s = arg;
	struct lull_error error;

	if (!open_scene(s))
		return;
	if (s->fallback)
		prove(s, LULL_OK, "cpu (fallback: ", &error);
	else
		prove(s, LULL_DEVICE, "", &error);
	EXPECT_TRUE(!s->stage);
	expect_told();
	close_scene(s);
}

static void break_at_any_stage(bool assigned)
{
	static const char *const stages[] = { "load",  "spmv",	 "h",
					      "msm_a", "msm_b2", "msm_h" };
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(stages) && !test_skipped; i++) {
		struct scene s = { .nr_gpus = 1,
				   .stage = stages[i],
				   .assigned = assigned };

		in_child(break_within, &s);
		s.fallback = true;
		if (!test_skipped)
			in_child(break_within, &s);
	}
}

TEST(gpu_breaks_at_any_stage)
{
	break_at_any_stage(false);
}

TEST(gpu_breaks_at_any_stage_of_an_assigned_proof)
{
	break_at_any_stage(true);
}

/* A proof that was made before is good; the next one meets the fault. */
static void break_last(void *arg)
{
	struct scene *s = arg;
	struct lull_error error;

	if (!open_scene(s))
		return;
	prove(s, LULL_OK, "cuda: GPU 0, ", &error);
	EXPECT_TRUE(!s->stage);
	prove(s, LULL_DEVICE, "", &error);
	expect_told();
	close_scene(s);
}

TEST(gpu_breaks_at_the_end)
{
	struct scene s = { .nr_gpus = 1, .stage = "retire" };

	in_child(break_last, &s);
}

/* ---- two proofs in turn ------------------------------------------------ */

/* What another thread's proof waits for, and that it does. */
static struct turn {
	pthread_mutex_t lock;
	pthread_cond_t came;
	bool waits;
	pthread_t thread;
	struct scene scene;
} turn = { .lock = PTHREAD_MUTEX_INITIALIZER,
	   .came = PTHREAD_COND_INITIALIZER };

/* Loaded, the other one goes on to what the first one has. */
static void tell_turn(void *arg, const char *stage)
{
	(void)arg;
	if (strcmp(stage, "spmv"))
		return;
	pthread_mutex_lock(&turn.lock);
	turn.waits = true;
	pthread_cond_signal(&turn.came);
	pthread_mutex_unlock(&turn.lock);
}

static void *prove_after(void *arg)
{
	const struct lull_prove_opts opts = { .size = sizeof(opts),
					      .progress = tell_turn };
	struct lull_proof *proof = NULL;
	struct lull_error error = { 0 };

	(void)arg;
	EXPECT_EQ(LULL_DEVICE, prove_by(&turn.scene, &opts, &proof, &error));
	EXPECT_TRUE(!proof);
	return NULL;
}

/* Half way, with the other one waiting for its turn. */
static void break_with_another(void *arg, const char *stage)
{
	struct scene *s = arg;

	if (!s->stage || strcmp(s->stage, stage))
		return;
	s->stage = NULL;
	turn.scene = *s;
	ASSERT_EQ(0, pthread_create(&turn.thread, NULL, prove_after, NULL));
	pthread_mutex_lock(&turn.lock);
	while (!turn.waits)
		pthread_cond_wait(&turn.came, &turn.lock);
	pthread_mutex_unlock(&turn.lock);
	break_gpu(0);
}

/* Both end, and that is told once. */
static void break_in_turn(void *arg)
{
	struct scene *s = arg;
	const struct lull_prove_opts opts = {
		.size = sizeof(opts),
		.progress = break_with_another,
		.progress_arg = s
	};
	struct lull_proof *proof = NULL;
	struct lull_error error = { 0 };

	if (!open_scene(s))
		return;
	/* With a byte less than two take that compute at once. */
	s->vram = lull_ctx_device_peak_bytes(s->ctx) - 1;
	close_scene(s);
	ASSERT_TRUE(open_scene(s));
	EXPECT_EQ(LULL_DEVICE, prove_by(s, &opts, &proof, &error));
	ASSERT_TRUE(!s->stage);
	pthread_join(turn.thread, NULL);
	expect_told();
	close_scene(s);
}

TEST(gpu_breaks_with_a_proof_that_waits)
{
	static const char *const stages[] = { "h", "msm_b2", "msm_h" };
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(stages) && !test_skipped; i++) {
		struct scene s = { .nr_gpus = 1, .stage = stages[i] };

		in_child(break_in_turn, &s);
	}
}

/* ---- afterwards -------------------------------------------------------- */

/* A context that is opened on it afterwards fails with a text. */
static void open_broken(void *arg)
{
	struct scene *s = arg;
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .backend = "cuda" };
	struct lull_ctx *ctx = NULL;
	struct lull_error error = { 0 };

	if (!open_scene(s))
		return;
	break_gpu(0);
	/* Whether its number or its memory is asked for first. */
	lull_ctx_create(&opts, &ctx, &error);
	EXPECT_TRUE(error.code == LULL_DEVICE ||
		    error.code == LULL_UNSUPPORTED);
	EXPECT_TRUE(!ctx && strstr(error.msg, "illegal memory access"));
	close_scene(s);
}

TEST(broken_gpu_is_not_opened)
{
	struct scene s = { .nr_gpus = 1 };

	in_child(open_broken, &s);
}

/* ---- two GPUs ---------------------------------------------------------- */

/* Whether a GPU can be opened by itself. */
static bool can_be_opened(unsigned int gpu)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .backend = "cuda",
					    .gpus = &gpu,
					    .nr_gpus = 1 };
	struct lull_ctx *ctx = NULL;
	int err = lull_ctx_create(&opts, &ctx, NULL);

	lull_ctx_destroy(ctx);
	return !err;
}

/* One breaks.  The other makes every proof from then on, with the same bytes,
 * where it is another's; but CUDA may end all there is in a process of which a
 * kernel met a bad address.  Then both are told of, and what remains is the
 * CPU, where it may take over. */
static void break_first(void *arg)
{
	struct scene *s = arg;
	struct lull_error error;
	bool emulated, ended;
	void (*found)(void);
	int i;

	if (!open_scene(s))
		return;
	emulated = find_emulated("emulated_refuse", &found);
	prove(s, LULL_OK, "cuda: GPU 0, ", &error);
	prove(s, LULL_OK, "cuda: GPU 1, ", &error);
	break_gpu(0);
	ended = !emulated && !can_be_opened(1);
	for (i = 0; i < 4; i++) {
		if (!ended)
			prove(s, LULL_OK, "cuda: GPU 1, ", &error);
		else if (s->fallback)
			prove(s, LULL_OK, "cpu (fallback: ", &error);
		else
			prove(s, LULL_DEVICE, "", &error);
	}
	printf("# %s\n", said);
	expect_told_of(ended ? 2 : 1);
	close_scene(s);
	if (ended)
		SKIP("CUDA ended in this process: GPU 1 was refused too, and "
		     "could not go on");
}

TEST(other_gpu_goes_on)
{
	struct scene s = { .nr_gpus = 2 };

	in_child(break_first, &s);
	s.fallback = true;
	in_child(break_first, &s);
}

/* ---- an error that stays its own ---------------------------------------- */

/* The table of GPU 0, but for a stage that fails: a stand-in for errors that
 * leave the other GPUs alone, which no kernel makes for certain. */
static const struct lull_backend *whole;
static struct lull_backend partial;
static struct lull_backend_ops failing;
static enum lull_stage failing_stage;
static unsigned int nr_failures;

static int run_or_fail(void *key, enum lull_stage stage,
		       const struct lull_stage_args *args,
		       struct lull_error *reterr)
{
	if (stage != failing_stage)
		return whole->ops(LULL_CURVE_BLS12_381)
			->run(key, stage, args, reterr);
	nr_failures++;
	return lull_fail(reterr, LULL_DEVICE, "refused by the test");
}

static const struct lull_backend_ops *failing_ops(enum lull_curve curve)
{
	failing = *whole->ops(curve);
	failing.run = run_or_fail;
	return &failing;
}

/* Key and witness anew, with GPU 0 as it will fail. */
static void fail_at(struct scene *s, enum lull_stage stage)
{
	struct lull_device *first = &s->ctx->set->devices[0];

	failing_stage = stage;
	whole = first->backend;
	partial = *whole;
	partial.ops = failing_ops;
	first->backend = &partial;
	lull_key_close(s->key);
	s->key = NULL;
	ASSERT_EQ(LULL_OK, open_key(s, NULL));
}

/* GPU 0 is told of once and left out; GPU 1 makes that proof and every other. */
static void fail_first(void *arg)
{
	static const char *const parts[] = { "refused by the test" };
	struct scene *s = arg;
	struct lull_error error;
	int i;

	if (!open_scene(s))
		return;
	prove(s, LULL_OK, "cuda: GPU 0, ", &error);
	prove(s, LULL_OK, "cuda: GPU 1, ", &error);
	fail_at(s, failing_stage);
	for (i = 0; i < 4 && !test_failed; i++)
		prove(s, LULL_OK, "cuda: GPU 1, ", &error);
	EXPECT_EQ(1, nr_failures);
	expect_words(1, parts, LULL_ARRAY_SIZE(parts));
	close_scene(s);
}

TEST(other_gpu_goes_on_by_itself)
{
	static const enum lull_stage stages[] = { LULL_STAGE_LOAD,
						  LULL_STAGE_SPMV,
						  LULL_STAGE_MSM_A,
						  LULL_STAGE_MSM_H };
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(stages) && !test_skipped; i++) {
		struct scene s = { .nr_gpus = 2 };

		failing_stage = stages[i];
		in_child(fail_first, &s);
	}
}

TEST_MAIN
