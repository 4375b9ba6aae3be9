// SPDX-License-Identifier: Apache-2.0
/*
 * packed.c - witnesses that go up packed, and those that go up whole
 *
 * Byte for byte the CPU's proofs, with as many full-size values as the test wants:
 * what such a witness stands for satisfies no circuit, so proofs are not checked.
 * By the bytes that go up it is told which way was taken, and emulated devices are
 * looked at for what came of them.  Skips where there is no GPU.
 */
#include "gpu_circuit.h"

#include "base/classes.h"
#include "lull_pipeline.h"

/* Values whose others have one place (cuda/classify.cuh). */
#define GROUP 256
/* Of 1002 values: the last word and the last group are filled in part. */
#define BN254 "bn128-chain1000"
#define BLS12_381 "bls12381-chain1000"
#define WAIT_MS 120000

/* A key, and a witness of which values but the first are the test's. */
struct scene {
	struct lull_ctx *cpu;
	struct lull_key *cpu_key;
	struct circuit circuit;
	struct blob wtns;
	size_t nr;
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
};

static bool open_scene(struct scene *s, const char *name)
{
	struct lull_ctx *gpu = open_gpu(0);

	memset(s, 0, sizeof(*s));
	if (!gpu)
		return false;
	lull_ctx_destroy(gpu);
	if (strcmp(backend_name(), "cuda")) {
		test_skipped = "the CPU is sent nothing";
		return false;
	}
	s->cpu = make_ctx(0);
	golden_path(s->circuit.key, name, "zkey");
	if (lull_key_open(s->cpu, s->circuit.key, &s->cpu_key, NULL)) {
		printf("Bail out! no key\n");
		exit(1);
	}
	golden_path(s->circuit.wtns, name, "wtns");
	s->wtns = blob_read(s->circuit.wtns);
	scratch_path(s->circuit.wtns, "filled.wtns");
	s->nr = (s->wtns.bytes - VALUES_AT) / LULL_FR_BYTES;
	draw_scalar(s->r);
	draw_scalar(s->s);
	return true;
}

static void close_scene(struct scene *s)
{
	lull_key_close(s->cpu_key);
	lull_ctx_destroy(s->cpu);
	blob_free(&s->wtns);
	scratch_clear();
}

enum where { ANYWHERE, FIRST, LAST };

/* So many others among zeros and ones. */
static void fill(struct scene *s, size_t nr_others, enum where where)
{
	size_t i, left = nr_others, behind;
	uint8_t *value;

	for (i = 1; i < s->nr; i++) {
		value = s->wtns.data + VALUES_AT + i * LULL_FR_BYTES;
		behind = s->nr - i;
		memset(value, 0, LULL_FR_BYTES);
		if (where == FIRST  ? left > 0
		    : where == LAST ? left >= behind
				    : test_random() % behind < left) {
			draw_scalar(value);
			value[8] |= 1; /* a draw may be anything */
			left--;
		} else {
			value[0] = test_random() % 2;
		}
	}
	EXPECT_EQ(0, left);
	blob_write(&s->wtns, s->circuit.wtns);
}

/* What an emulated device must have once a proof computes: its witness, and the map
 * of that where it came packed. */
struct look {
	bool (*holds)(const void *bytes, size_t nr);
	const uint8_t *values;
	size_t nr;
	bool packed;
	unsigned int nr_looks;
};

static enum lull_class class_of(const uint8_t value[LULL_FR_BYTES])
{
	uint8_t bit[LULL_FR_BYTES] = { value[0] & 1 };

	if (memcmp(value, bit, sizeof(bit)))
		return LULL_CLASS_OTHER;
	return bit[0] ? LULL_CLASS_ONE : LULL_CLASS_ZERO;
}

static bool holds_map(const struct look *look)
{
	size_t bytes = lull_classes_bytes(look->nr), i;
	uint32_t *map = calloc(1, bytes);
	bool held;

	for (i = 0; i < look->nr; i++)
		map[i / LULL_CLASSES_PER_WORD] |=
			(uint32_t)class_of(look->values + i * LULL_FR_BYTES)
			<< LULL_CLASS_BITS * (i % LULL_CLASSES_PER_WORD);
	held = look->holds(map, bytes);
	free(map);
	return held;
}

static void look_at(void *arg, const char *stage)
{
	struct look *look = arg;

	if (strcmp(stage, "spmv"))
		return;
	look->nr_looks++;
	EXPECT_TRUE(look->holds(look->values, look->nr * LULL_FR_BYTES));
	EXPECT_TRUE(!look->packed || holds_map(look));
}

/* @look: NULL for none. */
static void prove(struct lull_ctx *ctx, const struct lull_key *key,
		  const struct lull_wtns *wtns, const struct scene *s,
		  struct look *look, char text[TEXT_BYTES],
		  char backend[TEXT_BYTES])
{
	const struct lull_prove_opts opts = {
		.size = sizeof(opts),
		.flags = LULL_PROVE_NO_VERIFY,
		.progress = look ? look_at : NULL,
		.progress_arg = look,
	};
	struct lull_proof *proof = NULL;
	struct lull_error error = { 0 };

	text[0] = backend[0] = '\0';
	if (lull_prove_blinded(ctx, key, wtns, &opts, s->r, s->s, &proof,
			       &error)) {
		TEST_FAIL_("%s", error.msg);
		return;
	}
	lull_proof_json(proof, text, TEXT_BYTES);
	snprintf(backend, TEXT_BYTES, "%s", lull_proof_backend(proof));
	lull_proof_free(proof);
}

static void prove_on_cpu(const struct scene *s, char text[TEXT_BYTES])
{
	struct lull_wtns *wtns = NULL;
	char backend[TEXT_BYTES];

	ASSERT_EQ(LULL_OK,
		  lull_wtns_open(s->cpu, s->circuit.wtns, &wtns, NULL));
	prove(s->cpu, s->cpu_key, wtns, s, NULL, text, backend);
	lull_wtns_close(wtns);
}

/* What went up until now, as the backend counts it and as emulated devices do. */
struct sent {
	uint64_t counted, seen;
};

static struct sent sent_by(struct lull_ctx *ctx)
{
	struct sent sent = { .counted = device_stats(ctx).up_bytes };
	uint64_t down;

	emulation_saw(&sent.seen, &down);
	return sent;
}

static uint64_t sent_since(struct lull_ctx *ctx, struct sent was)
{
	struct sent is = sent_by(ctx);

	if (is.seen)
		EXPECT_EQ(is.seen - was.seen, is.counted - was.counted);
	return is.counted - was.counted;
}

static uint64_t packed_bytes(const struct scene *s, size_t nr_others)
{
	return lull_classes_bytes(s->nr) +
	       lull_div_up(s->nr, GROUP) * sizeof(uint32_t) +
	       nr_others * LULL_FR_BYTES;
}

/* Twice, as one that went up leaves the next what it had; nothing of either is
 * left on the host.  The first is looked at, if any.  Returns what one sent. */
static uint64_t prove_on_gpu(struct lull_ctx *gpu, const struct lull_key *key,
			     const struct lull_wtns *wtns,
			     const struct scene *s, const char *want,
			     struct look *look)
{
	char got[TEXT_BYTES], backend[TEXT_BYTES];
	uint64_t sent = 0, (*left)(void);
	struct sent was;
	int i;

	for (i = 0; i < 2; i++) {
		was = sent_by(gpu);
		prove(gpu, key, wtns, s, i ? NULL : look, got, backend);
		EXPECT_STREQ(want, got);
		sent = sent_since(gpu, was);
		if (find_emulated("emulated_left_on_host", &left))
			EXPECT_EQ(0, left());
	}
	return sent;
}

/* From a file, whose values land in the arena, and from memory. */
static void expect_way(struct lull_ctx *gpu, const struct lull_key *key,
		       struct scene *s, size_t nr_others, enum where where)
{
	struct lull_wtns *wtns[2] = { NULL, NULL };
	struct look look = { .values = s->wtns.data + VALUES_AT,
			     .nr = s->nr,
			     .packed = nr_others <= s->nr / 8 };
	/* It takes a while: where one way ends and where the other begins. */
	bool looks = nr_others - s->nr / 8 <= 1 &&
		     find_emulated("emulated_holds", &look.holds);
	uint64_t want = look.packed ? packed_bytes(s, nr_others)
				    : s->nr * LULL_FR_BYTES;
	char text[TEXT_BYTES];
	int i;

	fill(s, nr_others, where);
	prove_on_cpu(s, text);
	ASSERT_EQ(LULL_OK,
		  lull_wtns_open(gpu, s->circuit.wtns, &wtns[0], NULL));
	ASSERT_EQ(LULL_OK, lull_wtns_open_mem(gpu, s->wtns.data, s->wtns.bytes,
					      &wtns[1], NULL));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(want, prove_on_gpu(gpu, key, wtns[i], s, text,
					     looks && !i ? &look : NULL));
		lull_wtns_close(wtns[i]);
	}
	EXPECT_EQ(looks, look.nr_looks);
}

/* Of a GPU whose arena is of that kind. */
static void try_ways(struct scene *s, const char *arena,
		     const size_t *nr_others, size_t nr)
{
	struct lull_ctx *gpu = open_gpu_in(0, arena);
	struct lull_key *key = NULL;
	size_t i;

	ASSERT_TRUE(gpu);
	ASSERT_EQ(LULL_OK, lull_key_open(gpu, s->circuit.key, &key, NULL));
	EXPECT_TRUE(strstr(plan_text, ", witness packed in up to "));
	for (i = 0; i < nr; i++)
		expect_way(gpu, key, s, nr_others[i], (enum where)(i % 3));
	lull_key_close(key);
	lull_ctx_destroy(gpu);
}

TEST(both_ways_bn254)
{
	struct scene s;

	if (!open_scene(&s, BN254))
		return;
	const size_t nr_others[] = { 0,		1,
				     s.nr / 50, s.nr / 8 - 1,
				     s.nr / 8,	s.nr / 8 + 1,
				     s.nr / 2,	s.nr - 1 };

	try_ways(&s, "thp", nr_others, LULL_ARRAY_SIZE(nr_others));
	close_scene(&s);
}

static void try_the_share(const char *name, const char *arena)
{
	struct scene s;

	if (!open_scene(&s, name))
		return;
	const size_t nr_others[] = { s.nr / 8 + 1, s.nr / 8, s.nr / 8 };

	try_ways(&s, arena, nr_others, LULL_ARRAY_SIZE(nr_others));
	close_scene(&s);
}

TEST(both_ways_bls12_381)
{
	try_the_share(BLS12_381, "thp");
}

/* Nothing is registered: the map is staged too. */
TEST(both_ways_without_registration)
{
	try_the_share(BN254, "malloc-serial");
}

/* Less and less memory, until there is no plan: lists are shared, then points and
 * matrices are streamed. */
TEST(small_budgets)
{
	char want[2][TEXT_BYTES], path[PATH_BYTES];
	struct lull_wtns *wtns[2] = { NULL, NULL };
	uint64_t vram, sent[2];
	struct lull_key *key;
	struct lull_ctx *gpu;
	unsigned int nr = 0;
	struct scene s;
	int err = LULL_OK, i;

	if (!open_scene(&s, BLS12_381))
		return;
	scratch_path(path, "other.wtns");
	fill(&s, s.nr / 4, ANYWHERE);
	blob_write(&s.wtns, path);
	prove_on_cpu(&s, want[1]);
	fill(&s, s.nr / 10, ANYWHERE);
	prove_on_cpu(&s, want[0]);
	gpu = open_gpu(0);
	key = NULL;
	EXPECT_EQ(LULL_OK, lull_key_open(gpu, s.circuit.key, &key, NULL));
	vram = lull_ctx_device_peak_bytes(gpu);
	lull_key_close(key);
	lull_ctx_destroy(gpu);
	for (; !err; vram = vram / 3 * 2) {
		gpu = open_gpu(vram);
		key = NULL;
		err = lull_key_open(gpu, s.circuit.key, &key, NULL);
		if (!err) {
			EXPECT_EQ(LULL_OK, lull_wtns_open(gpu, s.circuit.wtns,
							  &wtns[0], NULL));
			EXPECT_EQ(LULL_OK,
				  lull_wtns_open(gpu, path, &wtns[1], NULL));
			nr++;
		}
		for (i = 0; i < 2 && !err; i++) {
			sent[i] = prove_on_gpu(gpu, key, wtns[i], &s, want[i],
					       NULL);
			lull_wtns_close(wtns[i]);
		}
		if (!err)
			EXPECT_EQ(s.nr * LULL_FR_BYTES -
					  packed_bytes(&s, s.nr / 10),
				  sent[1] - sent[0]);
		lull_key_close(key);
		lull_ctx_destroy(gpu);
	}
	printf("# %u budgets\n", nr);
	EXPECT_EQ(LULL_NOMEM, err);
	EXPECT_TRUE(nr > 2);
	close_scene(&s);
}

/* The same of a pipeline's partitions, which it reads itself. */
TEST(partitions)
{
	struct lull_pipeline_opts opts = { .size = sizeof(opts) };
	const char *paths[3];
	const struct lull_job_opts job_opts = { .size = sizeof(job_opts),
						.flags = LULL_PROVE_NO_VERIFY,
						.nr_partitions = 3,
						.paths = paths };
	struct lull_pipeline *pipeline = NULL;
	struct lull_key *key = NULL;
	struct lull_job *job = NULL;
	struct lull_ctx *gpu;
	struct scene s;
	struct sent was;

	if (!open_scene(&s, BN254))
		return;
	fill(&s, s.nr / 50, ANYWHERE);
	paths[0] = paths[1] = paths[2] = s.circuit.wtns;
	gpu = open_gpu(0);
	ASSERT_EQ(LULL_OK, lull_key_open(gpu, s.circuit.key, &key, NULL));
	ASSERT_EQ(LULL_OK, lull_pipeline_create(gpu, &opts, &pipeline, NULL));
	was = sent_by(gpu);
	ASSERT_EQ(LULL_OK,
		  lull_job_submit(pipeline, key, &job_opts, &job, NULL));
	EXPECT_EQ(1, lull_job_wait(job, WAIT_MS));
	EXPECT_TRUE(lull_job_proof(job, 0, NULL) &&
		    lull_job_proof(job, 2, NULL));
	EXPECT_EQ(3 * packed_bytes(&s, s.nr / 50), sent_since(gpu, was));
	lull_job_free(job);
	lull_pipeline_destroy(pipeline);
	lull_key_close(key);
	lull_ctx_destroy(gpu);
	close_scene(&s);
}

/* A device that fails while a packed witness comes: the CPU has all of it. */
TEST(fallback_has_the_whole_witness)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .backend = "cuda",
					    .fallback_cpu = true };
	char want[TEXT_BYTES], got[TEXT_BYTES], backend[TEXT_BYTES];
	bool (*refuse)(const char *, unsigned int);
	struct lull_wtns *wtns;
	struct lull_key *key;
	struct lull_ctx *ctx;
	unsigned int nth;
	struct scene s;

	if (!open_scene(&s, BN254))
		return;
	if (!find_emulated("emulated_refuse", &refuse)) {
		close_scene(&s);
		SKIP("real devices refuse nothing when told to");
	}
	fill(&s, s.nr / 10, ANYWHERE);
	prove_on_cpu(&s, want);
	for (nth = 1; nth <= 6; nth++) {
		ctx = NULL, key = NULL, wtns = NULL;
		ASSERT_EQ(LULL_OK, lull_ctx_create(&opts, &ctx, NULL));
		ASSERT_EQ(LULL_OK,
			  lull_key_open(ctx, s.circuit.key, &key, NULL));
		ASSERT_EQ(LULL_OK,
			  lull_wtns_open(ctx, s.circuit.wtns, &wtns, NULL));
		refuse("cudaEventRecord", nth);
		prove(ctx, key, wtns, &s, NULL, got, backend);
		EXPECT_STREQ(want, got);
		if (strncmp(backend, "cpu (fallback: ", 15))
			TEST_FAIL_("by %s", backend);
		EXPECT_TRUE(!refuse("cudaEventRecord", 0));
		lull_wtns_close(wtns);
		lull_key_close(key);
		lull_ctx_destroy(ctx);
	}
	close_scene(&s);
}

TEST_MAIN
