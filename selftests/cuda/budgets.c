// SPDX-License-Identifier: Apache-2.0
/*
 * budgets.c - whole proofs with less and less device memory
 *
 * Byte for byte the CPU's for the same r and s, whatever the plan.  Skips where
 * there is no GPU.  LULL_TEST_BACKEND=cpu tries the test itself.
 */
#include "gpu_circuit.h"

#include "bench/circuit.h"
#include "cuda/vram_watch.h"
#include "input/lkey_blob.h"

static struct vram_watch watch;

/* With @vram bytes: LULL_OK and the same bytes, or LULL_NOMEM and how many there
 * should be; never more than that was allocated, by the backend's count and by
 * the driver's. */
static int prove_within(uint64_t vram, const struct circuit *circuit,
			const char *want, const uint8_t *r, const uint8_t *s,
			unsigned long long *ret_least)
{
	struct lull_ctx *gpu = open_gpu(vram);
	struct lull_error error = { 0 };
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	char got[TEXT_BYTES];
	const char *least;
	int err, i;

	if (!gpu)
		return LULL_DEVICE;
	vram_begin(&watch);
	err = lull_key_open(gpu, circuit->key, &key, &error);
	if (!err)
		err = lull_wtns_open(gpu, circuit->wtns, &wtns, &error);
	/* Again, behind what the first one leaves to be done. */
	for (i = 0; i < 2 && !err; i++) {
		prove_text(gpu, key, wtns, r, s, got);
		EXPECT_STREQ(want, got);
	}
	if (err && err != LULL_NOMEM)
		TEST_FAIL_("%s", error.msg);
	least = err ? strstr(error.msg, "expected at least ") : NULL;
	if (err && (!least || sscanf(least, "expected at least %llu bytes",
				     ret_least) != 1))
		TEST_FAIL_("no numbers: %s", error.msg);
	if (lull_ctx_device_peak_bytes(gpu) > vram)
		TEST_FAIL_("%" PRIu64 " bytes of %" PRIu64,
			   lull_ctx_device_peak_bytes(gpu), vram);
	if (!err && !strcmp(backend_name(), "cuda"))
		vram_end(&watch, vram);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(gpu);
	return err;
}

/* Exactly what the refusal asked for is enough, and a byte less is not; all
 * points and the matrices are streamed then. */
static void prove_with_least(unsigned long long least,
			     const struct circuit *circuit, const char *want,
			     const uint8_t *r, const uint8_t *s)
{
	static const char *const streamed[] = { " A streamed in ",
						" B2 streamed in ",
						" matrices streamed in " };
	const char *plan;
	size_t i;

	EXPECT_EQ(LULL_OK, prove_within(least, circuit, want, r, s, &least));
	plan = strstr(plan_text, "plan: ");
	ASSERT_TRUE(plan);
	printf("# %.*s\n", (int)strcspn(plan, "\n"), plan);
	for (i = 0; i < LULL_ARRAY_SIZE(streamed); i++)
		EXPECT_TRUE(strstr(plan_text, streamed[i]));
	EXPECT_EQ(LULL_NOMEM,
		  prove_within(least - 1, circuit, want, r, s, &least));
}

/* How plans come out, from the largest budget to the least. */
struct plans {
	unsigned int nr_fit, nr_compact, nr_mixed, nr_streamed;
};

/* Tables without points at infinity, and sections that are streamed. */
static void count_plan(struct plans *plans)
{
	bool compact = strstr(plan_text, " %,");
	bool streamed = strstr(plan_text, " streamed in ");

	plans->nr_fit++;
	plans->nr_compact += compact;
	plans->nr_mixed += compact && streamed;
	plans->nr_streamed += !!strstr(plan_text, " B2 streamed in ");
}

/* Or the test is skipped. */
static bool has_gpu(void)
{
	struct lull_ctx *gpu = open_gpu(0);

	lull_ctx_destroy(gpu);
	return gpu;
}

/* What the CPU proves for the r and s. */
static void prove_on_cpu(struct lull_ctx *cpu, const struct circuit *circuit,
			 const uint8_t *r, const uint8_t *s,
			 char want[TEXT_BYTES])
{
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;

	ASSERT_EQ(LULL_OK, lull_key_open(cpu, circuit->key, &key, NULL));
	ASSERT_EQ(LULL_OK, lull_wtns_open(cpu, circuit->wtns, &wtns, NULL));
	prove_text(cpu, key, wtns, r, s, want);
	lull_wtns_close(wtns);
	lull_key_close(key);
}

/* Of a key with so much memory, how much it takes; its plan is heard. */
static uint64_t plan_within(uint64_t vram, const struct circuit *circuit)
{
	struct lull_ctx *gpu = open_gpu(vram);
	struct lull_key *key = NULL;
	uint64_t peak;

	EXPECT_EQ(LULL_OK, lull_key_open(gpu, circuit->key, &key, NULL));
	peak = lull_ctx_device_peak_bytes(gpu);
	lull_key_close(key);
	lull_ctx_destroy(gpu);
	return peak;
}

/* Less and less, until there is no plan any more. */
static void shrink(const char *curve, const char *shape, unsigned int log2,
		   struct plans *ret_plans)
{
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
	unsigned long long least = 0;
	struct circuit circuit;
	char want[TEXT_BYTES];
	struct lull_ctx *cpu;
	uint64_t vram;
	int err = LULL_OK;

	memset(ret_plans, 0, sizeof(*ret_plans));
	if (!has_gpu())
		return;
	cpu = make_ctx(0);
	draw_scalar(r);
	draw_scalar(s);
	ASSERT_TRUE(make_key(cpu, shape, curve, log2, &circuit));
	prove_on_cpu(cpu, &circuit, r, s, want);
	vram = plan_within(0, &circuit);
	while (!err && vram > 4096) {
		err = prove_within(vram, &circuit, want, r, s, &least);
		if (!err)
			count_plan(ret_plans);
		vram = vram / 16 * 15;
	}
	printf("# %s: %u budgets fit\n", curve, ret_plans->nr_fit);
	vram_judge(&watch);
	watch.nr = 0;
	if (!strcmp(backend_name(), "cuda")) {
		EXPECT_TRUE(err == LULL_NOMEM && ret_plans->nr_fit > 1);
		prove_with_least(least, &circuit, want, r, s);
	}
	lull_ctx_destroy(cpu);
	scratch_clear();
}

static void shrink_dense(const char *curve)
{
	struct plans plans;

	shrink(curve, "dense", 13, &plans);
	EXPECT_EQ(0, plans.nr_compact);
}

TEST(small_budgets_bn254)
{
	shrink_dense("bn128");
}

TEST(small_budgets_bls12_381)
{
	shrink_dense("bls12381");
}

/* Many wires are not in A and most not in B. */
TEST(small_budgets_without_points_at_infinity)
{
	struct plans plans;

	shrink("bls12381", "sha", 13, &plans);
	printf("# %u compact, %u of them stream, %u stream B2\n",
	       plans.nr_compact, plans.nr_mixed, plans.nr_streamed);
	if (!test_skipped && !strcmp(backend_name(), "cuda"))
		EXPECT_TRUE(plans.nr_compact);
}

/* ---- few full-size scalars ----------------------------------------------- */

static bool make_porep(struct lull_ctx *cpu, enum lull_curve curve,
		       unsigned int log2, struct circuit *ret_circuit)
{
	struct lull_circuit porep;
	char r1cs[PATH_BYTES];

	scratch_path(r1cs, "porep.r1cs");
	scratch_path(ret_circuit->key, "porep.zkey");
	scratch_path(ret_circuit->wtns, "porep.wtns");
	lull_circuit_init(LULL_CIRCUIT_POREP, curve, log2, test_random(),
			  &porep);
	return !lull_circuit_write_r1cs(&porep, r1cs, NULL, NULL) &&
	       !lull_circuit_write_wtns(&porep, test_random(),
					ret_circuit->wtns, NULL) &&
	       !lull_key_generate_toxic(cpu, r1cs, ret_circuit->key, NULL);
}

/* A thirty-second of a witness's values, and no more, is neither 0 nor 1. */
static void expect_few_others(const char *path)
{
	struct blob wtns = blob_read(path);
	size_t nr = (wtns.bytes - VALUES_AT) / LULL_FR_BYTES, nr_others = 0;
	const uint8_t bits[LULL_FR_BYTES] = { 0 };
	const uint8_t *value;
	size_t i;

	ASSERT_TRUE(wtns.data);
	for (i = 0; i < nr; i++) {
		value = wtns.data + VALUES_AT + i * LULL_FR_BYTES;
		nr_others += value[0] > 1 ||
			     memcmp(value + 1, bits, LULL_FR_BYTES - 1);
	}
	printf("# %zu of %zu are neither 0 nor 1\n", nr_others, nr);
	EXPECT_TRUE(nr_others && nr_others <= nr / 32);
	blob_free(&wtns);
}

/* Copies of a table by the plan that was heard, where the sum has a plan for few
 * too; 0 where it has not. */
static unsigned int copies_beside_few(const char *section)
{
	const char *at = strstr(plan_text, section);
	unsigned int nr = 0;
	int end = 0;

	if (!at || sscanf(at + strlen(section), "%u/few%n", &nr, &end) != 1)
		return 0;
	return end ? nr : 0;
}

/* With so much memory; emulated devices count sums by plans for few: A's and
 * L's, of two proofs. */
static void prove_few_within(uint64_t vram, const struct circuit *circuit,
			     const char *want, const uint8_t *r,
			     const uint8_t *s)
{
	unsigned int (*nr_few)(void), before = 0;
	const char *plan = strstr(plan_text, "plan: ");
	unsigned long long least;

	if (plan)
		printf("# %.*s\n", (int)strcspn(plan, "\n"), plan);
	EXPECT_TRUE(!strstr(plan_text, " streamed in "));
	if (find_emulated("emulated_nr_few", &nr_few))
		before = nr_few();
	EXPECT_EQ(LULL_OK, prove_within(vram, circuit, want, r, s, &least));
	if (nr_few)
		EXPECT_TRUE(nr_few() - before >= 4);
}

/* Where A and L have copies, and where they have none, sums of so few scalars have
 * a plan of their own. */
static void prove_few(enum lull_curve curve)
{
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
	bool cuda = !strcmp(backend_name(), "cuda");
	struct circuit circuit;
	char want[TEXT_BYTES];
	struct lull_ctx *cpu;
	uint64_t vram;

	if (!has_gpu())
		return;
	cpu = make_ctx(0);
	ASSERT_TRUE(make_porep(cpu, curve, 13, &circuit));
	expect_few_others(circuit.wtns);
	draw_scalar(r);
	draw_scalar(s);
	prove_on_cpu(cpu, &circuit, r, s, want);
	vram = plan_within(0, &circuit);
	while (cuda && (!copies_beside_few(" A x") || !copies_beside_few(" L x")))
		vram = plan_within(vram / 64 * 63, &circuit);
	EXPECT_TRUE(!cuda || copies_beside_few(" A x") > 1);
	prove_few_within(vram, &circuit, want, r, s);
	while (cuda && (copies_beside_few(" A x") != 1 ||
			copies_beside_few(" L x") != 1))
		vram = plan_within(vram / 64 * 63, &circuit);
	prove_few_within(vram, &circuit, want, r, s);
	lull_ctx_destroy(cpu);
	scratch_clear();
}

TEST(few_full_size_scalars_bn254)
{
	prove_few(LULL_CURVE_BN254);
}

TEST(few_full_size_scalars_bls12_381)
{
	prove_few(LULL_CURVE_BLS12_381);
}

/* ---- several keys -------------------------------------------------------- */

#define NR_KEYS 2

/* Keys of both curves, and what the CPU proves with them. */
struct pair {
	struct circuit circuits[NR_KEYS];
	char want[NR_KEYS][TEXT_BYTES];
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
};

static void make_pair(struct pair *pair)
{
	static const char *const curves[NR_KEYS] = { "bn128", "bls12381" };
	struct lull_ctx *cpu = make_ctx(0);
	size_t i;

	draw_scalar(pair->r);
	draw_scalar(pair->s);
	for (i = 0; i < NR_KEYS; i++) {
		ASSERT_TRUE(make_key(cpu, "dense", curves[i], 12,
				     &pair->circuits[i]));
		prove_on_cpu(cpu, &pair->circuits[i], pair->r, pair->s,
			     pair->want[i]);
	}
	lull_ctx_destroy(cpu);
}

/* Both at once, in turn, where each may take half. */
static void prove_side_by_side(const struct pair *pair, uint64_t vram)
{
	const struct lull_ctx_opts opts = { .vram_bytes = vram,
					    .vram_key_bytes = vram / NR_KEYS };
	struct lull_ctx *gpu = open_gpu_by(opts);
	struct lull_wtns *wtns[NR_KEYS] = { NULL };
	struct lull_key *keys[NR_KEYS] = { NULL };
	struct lull_error error = { 0 };
	char got[TEXT_BYTES];
	size_t i;

	for (i = 0; i < NR_KEYS; i++) {
		if (lull_key_open(gpu, pair->circuits[i].key, &keys[i], &error))
			TEST_FAIL_("%s", error.msg);
		EXPECT_EQ(LULL_OK, lull_wtns_open(gpu, pair->circuits[i].wtns,
						  &wtns[i], NULL));
		EXPECT_TRUE(device_stats(gpu).used_bytes <=
			    (i + 1) * opts.vram_key_bytes);
	}
	for (i = 0; i < 2 * NR_KEYS && !test_failed; i++) {
		prove_text(gpu, keys[i % NR_KEYS], wtns[i % NR_KEYS], pair->r,
			   pair->s, got);
		EXPECT_STREQ(pair->want[i % NR_KEYS], got);
	}
	for (i = 0; i < NR_KEYS; i++) {
		lull_wtns_close(wtns[i]);
		lull_key_close(keys[i]);
	}
	lull_ctx_destroy(gpu);
}

/* The second key, beside the first: how it would find room. */
static void refuse_beside_first(struct lull_ctx *gpu, const struct pair *pair,
				struct lull_error *reterr)
{
	struct lull_key *first = NULL, *second = NULL;

	EXPECT_EQ(LULL_OK,
		  lull_key_open(gpu, pair->circuits[0].key, &first, NULL));
	EXPECT_EQ(LULL_NOMEM, lull_key_open(gpu, pair->circuits[1].key, &second,
					    reterr));
	EXPECT_TRUE(
		strstr(reterr->msg, "expected at least ") &&
		strstr(reterr->msg, "; other keys have ") &&
		strstr(reterr->msg, "vram_key_bytes of struct lull_ctx_opts"));
	lull_key_close(first);
}

/* With as much as the first key puts to use, of which nothing is counted any more
 * when it has been closed. */
static void refuse_second(const struct pair *pair, uint64_t vram)
{
	struct lull_ctx *gpu = open_gpu(vram);
	struct lull_error error = { 0 }, again = { 0 };
	struct lull_key *key = NULL;

	refuse_beside_first(gpu, pair, &error);
	printf("# %s\n", error.msg);
	EXPECT_EQ(LULL_OK,
		  lull_key_open(gpu, pair->circuits[1].key, &key, NULL));
	lull_key_close(key);
	refuse_beside_first(gpu, pair, &again);
	EXPECT_STREQ(error.msg, again.msg);
	lull_ctx_destroy(gpu);
}

/* No key, and the option is too little for one. */
static void refuse_first(const struct pair *pair)
{
	const struct lull_ctx_opts opts = { .vram_key_bytes = 4096 };
	struct lull_ctx *gpu = open_gpu_by(opts);
	struct lull_key *key = NULL;
	struct lull_error error = { 0 };

	EXPECT_EQ(LULL_NOMEM,
		  lull_key_open(gpu, pair->circuits[0].key, &key, &error));
	printf("# %s\n", error.msg);
	EXPECT_TRUE(strstr(error.msg, "found 4096, which is vram_key_bytes"));
	lull_ctx_destroy(gpu);
}

TEST(two_keys_in_one_context)
{
	struct pair pair;
	uint64_t vram;

	if (!has_gpu() || strcmp(backend_name(), "cuda"))
		return;
	make_pair(&pair);
	vram = plan_within(0, &pair.circuits[0]);
	refuse_first(&pair);
	refuse_second(&pair, vram);
	prove_side_by_side(&pair, vram);
	scratch_clear();
}

/* A folded key in the least memory: blocks of rows are not as many as rows. */
TEST(folded_key_is_streamed)
{
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
	char want[TEXT_BYTES], got[TEXT_BYTES], r1cs[PATH_BYTES];
	struct lull_ctx *cpu, *gpu;
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	struct blob zkey, folded;
	struct circuit circuit;
	unsigned int nr = 0;
	const char *plan;

	if (!has_gpu() || strcmp(backend_name(), "cuda"))
		return;
	cpu = make_ctx(0);
	ASSERT_TRUE(make_key(cpu, "dense", "bn128", 12, &circuit));
	scratch_path(r1cs, "bn128-dense-12.r1cs");
	draw_scalar(r);
	draw_scalar(s);
	prove_on_cpu(cpu, &circuit, r, s, want);
	zkey = blob_read(circuit.key);
	folded = lkey_of(&zkey, r1cs, 1);
	ASSERT_TRUE(folded.data);
	gpu = open_gpu(least_bytes_of(&folded));
	ASSERT_EQ(LULL_OK, lull_key_open_mem(gpu, folded.data, folded.bytes,
					     &key, NULL));
	ASSERT_EQ(LULL_OK, lull_wtns_open(gpu, circuit.wtns, &wtns, NULL));
	prove_text(gpu, key, wtns, r, s, got);
	EXPECT_STREQ(want, got);
	plan = strstr(plan_text, "matrices streamed in ");
	EXPECT_TRUE(plan && sscanf(plan, "matrices streamed in %u", &nr) == 1);
	printf("# in %u blocks\n", nr);
	EXPECT_TRUE(nr > 1 && nr <= 20);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(gpu);
	lull_ctx_destroy(cpu);
	blob_free(&folded);
	blob_free(&zkey);
	scratch_clear();
}

TEST_MAIN
