// SPDX-License-Identifier: Apache-2.0
/*
 * assigned_tmpl.c - proofs that bring their rows: a GPU's points are the CPU's
 *
 * The stages of both backends over made keys, which no circuit is behind: every
 * kind of density, rows in an odd order, witnesses of zeros and of ones, less and
 * less device memory, two proofs at once.  Skips where there is no GPU.
 */
#include <pthread.h>

#include "backend/set.h"
#include "base/base.h"
#include "base/workers.h"
#include "cuda/gpu.h"
#include "cuda/vram_watch.h"
#include "curve/group.h"
#include "harness.h"
#include "random_fr.h"
#include "test_arena.h"

#define NR_THREADS 2
/* Different points; a key has each of them many times. */
#define NR_POINTS 24
#define LEAST_TEXT "expected at least "

/* A curve's name as the enum has it. */
#define ID_bn254 LULL_CURVE_BN254
#define ID_bls12_381 LULL_CURVE_BLS12_381
#define CURVE_ID LULL_PASTE2(ID_, LULL_CURVE)

enum density { NONE, ALL, FIRST, LAST, EVEN, RANDOM, NR_DENSITIES };
enum filling { ZEROS, ONES, MIXED, FULL, NR_FILLINGS };

static struct lull_workers *workers;
static struct g1_affine g1_points[NR_POINTS];
static struct g2_affine g2_points[NR_POINTS];

/**
 * struct scene - a key and what one proof brings
 * @points: behind all of the key's points
 * @values: witness, then a, then b
 * @bits: of A, then of B
 */
struct scene {
	struct lull_key_arrays arrays;
	struct lull_assigned assigned;
	const uint8_t *witness;
	struct lull_vec points, values, bits;
};

/* Sums in the order of the stages. */
struct sums {
	uint8_t points[5][LULL_POINT_BYTES_MAX];
};

/* LULL_TEST_BRIEF: what a sanitizer has time for, to which a proof is seconds
 * whatever its size: few proofs, and small ones. */
static bool is_brief(void)
{
	return getenv("LULL_TEST_BRIEF");
}

static void set_up(void)
{
	limb_t plain[FR_LIMBS];
	struct g1_xyzz g1;
	struct g2_xyzz g2;
	struct fr k;
	size_t i;

	if (workers)
		return;
	if (lull_workers_create(NR_THREADS, &workers, NULL))
		abort();
	for (i = 0; i < NR_POINTS; i++) {
		random_fr(&k);
		fr_to_plain(plain, &k);
		g1_mul_var(&g1, &g1_generator, plain, FR_LIMBS);
		g1_xyzz_to_affine(&g1_points[i], &g1);
		g2_mul_var(&g2, &g2_generator, plain, FR_LIMBS);
		g2_xyzz_to_affine(&g2_points[i], &g2);
	}
}

/* ---- what is proved ---------------------------------------------------- */

static bool has_bit(enum density density, size_t i, size_t nr)
{
	switch (density) {
	case ALL:
		return true;
	case FIRST:
		return !i;
	case LAST:
		return i + 1 == nr;
	case EVEN:
		return i % 2 == 0;
	case RANDOM:
		return test_random() >> 63;
	default:
		return false;
	}
}

static size_t fill_bits(uint64_t *bits, size_t nr, enum density density)
{
	size_t i, set = 0;

	for (i = 0; i < nr; i++) {
		if (!has_bit(density, i, nr))
			continue;
		bits[i / 64] |= (uint64_t)1 << i % 64;
		set++;
	}
	return set;
}

static void fill_witness(uint8_t *values, size_t nr, enum filling filling)
{
	struct fr v;
	size_t i;

	for (i = 0; i < nr; i++) {
		random_fr(&v);
		if (filling == ZEROS || (filling == MIXED && v.l[0] % 3 == 0))
			v = fr_zero;
		if (filling == ONES || (filling == MIXED && v.l[0] % 3 == 1))
			v = (struct fr){ .l = { 1 } };
		memcpy(values + i * sizeof(v), &v, sizeof(v));
	}
}

static const uint8_t *put_points(uint8_t **at, size_t nr, bool g2)
{
	uint8_t *first = *at;
	size_t i, of;

	for (i = 0; i < nr; i++) {
		of = test_random() % NR_POINTS;
		if (g2)
			memcpy(*at, &g2_points[of], sizeof(g2_points[0]));
		else
			memcpy(*at, &g1_points[of], sizeof(g1_points[0]));
		*at += g2 ? sizeof(g2_points[0]) : sizeof(g1_points[0]);
	}
	return first;
}

static void make_points(struct scene *s)
{
	struct lull_key_arrays *k = &s->arrays;
	size_t n = (size_t)1 << k->log2_domain;
	uint8_t *at;

	s->points = test_vec((k->nr_a + k->nr_b + k->nr_l + n) *
				     sizeof(g1_points[0]) +
			     k->nr_b * sizeof(g2_points[0]));
	at = s->points.ptr;
	k->a = put_points(&at, k->nr_a, false);
	k->b1 = put_points(&at, k->nr_b, false);
	k->b2 = put_points(&at, k->nr_b, true);
	k->l = put_points(&at, k->nr_l, false);
	k->h = put_points(&at, n - 1, false);
}

static void make_values(struct scene *s, enum filling filling)
{
	size_t nr_vars = s->arrays.nr_vars, i;
	uint8_t *at;
	struct fr v;

	s->values = test_vec((nr_vars + 2 * s->assigned.nr_rows) * sizeof(v));
	at = s->values.ptr;
	s->witness = at;
	fill_witness(at, nr_vars, filling);
	at += nr_vars * sizeof(v);
	s->assigned.a = at;
	s->assigned.b = at + s->assigned.nr_rows * sizeof(v);
	for (i = 0; i < 2 * s->assigned.nr_rows; i++) {
		random_fr(&v);
		memcpy(at + i * sizeof(v), &v, sizeof(v));
	}
}

static struct scene make_scene(unsigned int log2, size_t nr_vars,
			       size_t nr_rows, enum density of_a,
			       enum density of_b, enum filling filling)
{
	size_t nr_words = lull_div_up(nr_vars, 64);
	struct scene s = {
		.arrays = { .curve = CURVE_ID,
			    .log2_domain = log2,
			    .nr_vars = nr_vars,
			    .nr_public = nr_vars > 4 ? 3 : 0,
			    .assigned = true,
			    .row_step = test_random() | 1,
			    .arena = test_arena() },
		.assigned = { .nr_rows = nr_rows },
	};
	uint64_t *bits;

	s.bits = test_vec(2 * nr_words * sizeof(*bits));
	bits = s.bits.ptr;
	s.assigned.dense_a = bits;
	s.assigned.dense_b = bits + nr_words;
	s.arrays.nr_a = fill_bits(bits, nr_vars, of_a);
	s.arrays.nr_b = fill_bits(bits + nr_words, nr_vars, of_b);
	s.arrays.nr_l = nr_vars - s.arrays.nr_public - 1;
	make_points(&s);
	make_values(&s, filling);
	return s;
}

static void free_scene(struct scene *s)
{
	lull_arena_retire(&s->points);
	lull_arena_retire(&s->values);
	lull_arena_retire(&s->bits);
}

/* ---- proving ----------------------------------------------------------- */

/* All stages of one proof with an attached key; NULL workers are the test's. */
static int run_stages(const struct lull_backend_ops *ops, void *key,
		      const struct scene *s, struct lull_workers *pool,
		      struct sums *ret_sums, struct lull_error *error)
{
	struct lull_backend_span spans[LULL_NR_STAGES];
	struct lull_stage_args args = { .witness = s->witness,
					.assigned = &s->assigned,
					.workers = pool };
	struct lull_vec scratch =
		test_vec(ops->scratch_bytes(key, lull_workers_nr(pool)));
	enum lull_stage stage;
	int err;

	args.scratch = scratch.ptr;
	err = ops->run(key, LULL_STAGE_LOAD, &args, error);
	if (err)
		goto retire_scratch;
	for (stage = LULL_STAGE_SPMV; stage <= LULL_STAGE_MSM_H && !err;
	     stage++) {
		args.ret_point =
			stage < LULL_STAGE_MSM_A
				? NULL
				: ret_sums->points[stage - LULL_STAGE_MSM_A];
		err = ops->run(key, stage, &args, error);
	}
	if (!err && ops->wait)
		err = ops->wait(key, &args, spans, error);
	ops->run(key, LULL_STAGE_RETIRE, &args, NULL);
retire_scratch:
	lull_arena_retire(&scratch);
	return err;
}

static void prove_on_cpu(const struct scene *s, struct sums *ret_sums)
{
	const struct lull_backend_ops *ops = lull_backend_cpu.ops(CURVE_ID);
	void *key = NULL;

	memset(ret_sums, 0, sizeof(*ret_sums));
	ASSERT_EQ(LULL_OK,
		  ops->key_attach(NULL, &s->arrays, workers, &key, NULL));
	ASSERT_EQ(LULL_OK, run_stages(ops, key, s, workers, ret_sums, NULL));
	ops->key_detach(key);
}

static void expect_sums(const struct sums *want, const struct sums *got)
{
	static const char *const names[] = { "A", "B1", "B2", "L", "H" };
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(names); i++)
		if (memcmp(want->points[i], got->points[i],
			   sizeof(want->points[i])))
			TEST_FAIL_("%s is another point", names[i]);
}

static char plan_text[4096];

static void hear(void *arg, const char *line)
{
	(void)arg;
	snprintf(plan_text, sizeof(plan_text), "%s", line);
}

/* A set on the GPU, or NULL and the test is skipped. */
static struct lull_set *open_gpu(uint64_t vram_bytes)
{
	const struct lull_set_opts opts = { .vram_bytes = vram_bytes,
					    .say = hear };

	set_up();
	return gpu_open(&opts);
}

/* Twice, so that what one proof leaves behind shows; device memory is watched
 * where it is bounded. */
static int prove_on_gpu(struct lull_set *set, const struct scene *s,
			const struct sums *want, struct vram_watch *watch,
			struct lull_error *error)
{
	const struct lull_device *device = &set->devices[0];
	const struct lull_backend_ops *ops = device->backend->ops(CURVE_ID);
	struct sums got;
	void *key = NULL;
	int err, i;

	if (watch)
		vram_begin(watch);
	err = ops->key_attach(device->handle, &s->arrays, workers, &key, error);
	for (i = 0; i < 2 && !err; i++) {
		memset(&got, 0, sizeof(got));
		err = run_stages(ops, key, s, workers, &got, error);
		if (!err)
			expect_sums(want, &got);
	}
	if (watch && !err)
		vram_end(watch, set->opts.vram_bytes);
	ops->key_detach(key);
	return err;
}

static void compare(struct lull_set *set, struct scene s)
{
	struct lull_error error = { 0 };
	struct sums want;

	prove_on_cpu(&s, &want);
	if (prove_on_gpu(set, &s, &want, NULL, &error))
		TEST_FAIL_("%s", error.msg);
	if (test_failed)
		printf("# 2^%u, %zu wires, %zu and %zu dense\n",
		       s.arrays.log2_domain, s.arrays.nr_vars, s.arrays.nr_a,
		       s.arrays.nr_b);
	free_scene(&s);
}

TEST(every_density)
{
	struct lull_set *set = open_gpu(0);
	enum density a, b;

	if (!set)
		return;
	for (a = is_brief() ? RANDOM : NONE; a < NR_DENSITIES && !test_failed;
	     a++)
		for (b = NONE; b < NR_DENSITIES && !test_failed;
		     b += is_brief() ? 2 : 1)
			compare(set, make_scene(5, 29, 20, a, b, MIXED));
	lull_set_close(set);
}

/* Wires and rows around whole words, whatever the witness is. */
TEST(every_size)
{
	static const size_t nr_vars[] = {
		1, 2, 3, 31, 32, 33, 63, 64, 65, 300
	};
	struct lull_set *set = open_gpu(0);
	unsigned int log2 = 0;
	size_t i, n;

	if (!set)
		return;
	for (i = is_brief() ? LULL_ARRAY_SIZE(nr_vars) - 1 : 0;
	     i < LULL_ARRAY_SIZE(nr_vars) && !test_failed; i++) {
		log2 = log2 % 9 + 1;
		n = (size_t)1 << log2;
		compare(set, make_scene(log2, nr_vars[i], n / 2 + 1,
					i % 2 ? RANDOM : ALL, RANDOM,
					(enum filling)(i % NR_FILLINGS)));
		compare(set, make_scene(log2, nr_vars[i], n - i % 2, ALL, LAST,
					(enum filling)((i + 1) % NR_FILLINGS)));
	}
	lull_set_close(set);
}

/* What the arena has registered the device reads by itself. */
TEST(registered_rows)
{
	struct lull_set *set = open_gpu(0);

	if (!set)
		return;
	lull_set_pin(set, test_arena());
	EXPECT_TRUE(strstr(plan_text, "the arena is registered"));
	compare(set, make_scene(9, 400, 300, RANDOM, EVEN, MIXED));
	compare(set, make_scene(9, 400, 512, EVEN, RANDOM, FULL));
	lull_set_close(set);
}

/* ---- budgets ----------------------------------------------------------- */

static struct vram_watch watch;

/* No more than @vram is allocated, by the driver's count too. */
static int prove_within(uint64_t vram, const struct scene *s,
			const struct sums *want, unsigned long long *ret_least,
			uint64_t *ret_peak)
{
	struct lull_set *set = open_gpu(vram);
	struct lull_error error = { 0 };
	const char *least;
	int err;

	if (!set)
		return LULL_DEVICE;
	err = prove_on_gpu(set, s, want, vram ? &watch : NULL, &error);
	if (err && err != LULL_NOMEM)
		TEST_FAIL_("%s", error.msg);
	least = err ? strstr(error.msg, LEAST_TEXT) : NULL;
	if (err &&
	    (!least || sscanf(least, LEAST_TEXT "%llu bytes", ret_least) != 1))
		TEST_FAIL_("no numbers: %s", error.msg);
	*ret_peak = lull_set_peak_bytes(set);
	EXPECT_TRUE(!vram || *ret_peak <= vram);
	lull_set_close(set);
	return err;
}

/* Less and less, until there is no plan any more; the refusal's number is
 * enough, and a byte less is not. */
TEST(small_budgets)
{
	struct scene s;
	unsigned long long least = 0;
	unsigned int nr_fit = 0;
	struct sums want;
	uint64_t vram, peak = 0;
	int err;

	set_up();
	s = is_brief() ? make_scene(9, 600, 400, RANDOM, EVEN, MIXED)
		       : make_scene(12, 5000, 3000, RANDOM, EVEN, MIXED);
	prove_on_cpu(&s, &want);
	err = prove_within(0, &s, &want, &least, &peak);
	if (test_skipped)
		return;
	EXPECT_TRUE(strstr(plan_text, "2 proofs at a time"));
	for (vram = is_brief() ? 8192 : peak; !err && vram > 4096;
	     vram = vram / 16 * 15) {
		err = prove_within(vram, &s, &want, &least, &peak);
		nr_fit += !err;
	}
	printf("# %u budgets fit\n", nr_fit);
	vram_judge(&watch);
	EXPECT_TRUE(err == LULL_NOMEM && (is_brief() || nr_fit > 1));
	EXPECT_EQ(LULL_OK, prove_within(least, &s, &want, &least, &peak));
	printf("# %s\n", plan_text);
	EXPECT_TRUE(strstr(plan_text, " A streamed in ") &&
		    strstr(plan_text, " B2 streamed in "));
	EXPECT_EQ(LULL_NOMEM,
		  prove_within(least - 1, &s, &want, &least, &peak));
	free_scene(&s);
}

/* ---- several at once --------------------------------------------------- */

struct job {
	const struct lull_backend_ops *ops;
	void *key;
	const struct scene *scene;
	const struct sums *want;
	int err;
};

static void *prove_job(void *arg)
{
	struct lull_workers *pool = NULL;
	struct job *job = arg;
	struct sums got;
	int i;

	job->err = lull_workers_create(1, &pool, NULL);
	for (i = is_brief() ? 3 : 0; i < 4 && !job->err; i++) {
		memset(&got, 0, sizeof(got));
		job->err = run_stages(job->ops, job->key, job->scene, pool,
				      &got, NULL);
		expect_sums(job->want, &got);
	}
	lull_workers_destroy(pool);
	return NULL;
}

/* Of one key, whose seats they share, with rows and densities of their own. */
TEST(proofs_beside_each_other)
{
	struct lull_set *set = open_gpu(0);
	struct scene s[2];
	struct sums want[2];
	struct job jobs[3];
	pthread_t threads[3];
	size_t nr_jobs = is_brief() ? 2 : LULL_ARRAY_SIZE(jobs), i;
	void *key = NULL;

	if (!set)
		return;
	s[0] = make_scene(8, 200, 150, EVEN, EVEN, MIXED);
	s[1] = make_scene(8, 200, 250, EVEN, EVEN, FULL);
	s[1].arrays.row_step = s[0].arrays.row_step;
	jobs[0].ops = set->devices[0].backend->ops(CURVE_ID);
	ASSERT_EQ(LULL_OK,
		  jobs[0].ops->key_attach(set->devices[0].handle, &s[0].arrays,
					  workers, &key, NULL));
	for (i = 0; i < 2; i++) {
		struct scene same_key = s[i];

		same_key.arrays = s[0].arrays;
		prove_on_cpu(&same_key, &want[i]);
	}
	for (i = 0; i < nr_jobs; i++) {
		jobs[i] = (struct job){ jobs[0].ops, key, &s[i % 2],
					&want[i % 2], 0 };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, prove_job,
					    &jobs[i]));
	}
	for (i = 0; i < nr_jobs; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(LULL_OK, jobs[i].err);
	}
	jobs[0].ops->key_detach(key);
	lull_set_close(set);
	free_scene(&s[0]);
	free_scene(&s[1]);
}

/* Both on this thread: the stages of one are begun while those of the other may
 * still run, and whoever began first is waited for last. */
static int run_two(const struct lull_backend_ops *ops, void *key,
		   const struct scene scenes[2], struct sums got[2])
{
	struct lull_backend_span spans[LULL_NR_STAGES];
	struct lull_stage_args args[2] = { 0 };
	struct lull_vec scratch[2];
	enum lull_stage stage;
	int err = LULL_OK, i;

	for (i = 0; i < 2; i++) {
		scratch[i] = test_vec(ops->scratch_bytes(key, NR_THREADS));
		args[i] = (struct lull_stage_args){
			.witness = scenes[i].witness,
			.assigned = &scenes[i].assigned,
			.workers = workers,
			.scratch = scratch[i].ptr,
		};
		err |= ops->run(key, LULL_STAGE_LOAD, &args[i], NULL);
	}
	for (i = 0; i < 2; i++)
		for (stage = LULL_STAGE_SPMV; stage <= LULL_STAGE_MSM_H;
		     stage++) {
			args[i].ret_point =
				got[i].points[lull_max(stage, LULL_STAGE_MSM_A) -
					      LULL_STAGE_MSM_A];
			err |= ops->run(key, stage, &args[i], NULL);
		}
	for (i = 1; i >= 0; i--) {
		err |= ops->wait(key, &args[i], spans, NULL);
		err |= ops->run(key, LULL_STAGE_RETIRE, &args[i], NULL);
		lull_arena_retire(&scratch[i]);
	}
	return err;
}

/* The same key's proofs, where the plan has room for two. */
static bool prove_two(uint64_t vram, const struct scene scenes[2],
		      const struct sums want[2], uint64_t *ret_peak)
{
	const struct lull_backend_ops *ops;
	struct sums got[2] = { 0 };
	struct lull_set *set = open_gpu(vram);
	void *key = NULL;
	int err, i;

	if (!set)
		return false;
	ops = set->devices[0].backend->ops(CURVE_ID);
	err = ops->key_attach(set->devices[0].handle, &scenes[0].arrays,
			      workers, &key, NULL);
	if (!err && strstr(plan_text, " 2 proofs at a time")) {
		EXPECT_EQ(LULL_OK, run_two(ops, key, scenes, got));
		for (i = 0; i < 2; i++)
			expect_sums(&want[i], &got[i]);
	}
	ops->key_detach(key);
	*ret_peak = lull_set_peak_bytes(set);
	lull_set_close(set);
	return !err;
}

/* With less and less memory two proofs compute beside each other, then in turn,
 * then in turn over lists that share room. */
TEST(stages_of_two_proofs)
{
	struct lull_set *set = open_gpu(0);
	unsigned int log2 = is_brief() ? 7 : 11, nr_turns = 0;
	size_t n = (size_t)1 << log2;
	struct scene s[2];
	struct sums want[2];
	uint64_t vram, peak;
	int i;

	if (!set)
		return;
	lull_set_close(set);
	s[0] = make_scene(log2, n - n / 32, n / 4 * 3, EVEN, EVEN, MIXED);
	s[1] = make_scene(log2, n - n / 32, n, EVEN, EVEN, FULL);
	s[1].arrays = s[0].arrays;
	for (i = 0; i < 2; i++)
		prove_on_cpu(&s[i], &want[i]);
	ASSERT_TRUE(prove_two(0, s, want, &peak));
	/* Brief: with a byte less than two take beside each other. */
	for (vram = is_brief() ? peak - 1 : peak;
	     prove_two(vram, s, want, &peak) && !test_failed;
	     vram = vram / 16 * 15) {
		nr_turns += !!strstr(plan_text, " 2 proofs at a time in turn");
		if (is_brief())
			break;
	}
	printf("# %u plans in turn\n", nr_turns);
	EXPECT_TRUE(nr_turns);
	for (i = 0; i < 2; i++)
		free_scene(&s[i]);
}

TEST_MAIN
