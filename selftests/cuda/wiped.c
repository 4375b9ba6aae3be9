// SPDX-License-Identifier: Apache-2.0
/*
 * wiped.c - what a proof leaves on a device while others are under way
 *
 * The word that is looked for is of a witness value that is no bit, which sums
 * leave among their scratch; the other proofs' witnesses do not have it.  Emulated
 * devices say what they hold; skips on others.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include "gpu_ctx.h"

#define NAME "bn128-chain1000"
#define WORD_BYTES sizeof(uint64_t)
#define NR_STOPS 2
#define STOP_S 60
#define NR_OVERWRITTEN 4
/* As work.cu has it: proofs in a block that never rests. */
#define NR_LEFT_MAX 16
/* One more than there are seats. */
#define NR_THREADS 3
#define ROUNDS (4 * NR_LEFT_MAX)

static bool (*holds)(const void *bytes, size_t nr);

/* The one whose traces are looked for, one that differs in that word, and one that
 * is hardly anything but zeros. */
enum witness { SECRET, OTHER, ZEROS, NR_WITNESSES };

/* A key on a device, and witnesses. */
struct bench {
	struct golden golden;
	struct blob bytes[NR_WITNESSES];
	struct lull_ctx *ctx;
	struct lull_key *key;
	struct lull_wtns *wtns[NR_WITNESSES];
	char want[NR_WITNESSES][TEXT_BYTES];
	const uint8_t *word;
};

/* Without the check by pairing, which two of them do not satisfy. */
static void prove(const struct bench *b, enum witness witness,
		  void (*progress)(void *arg, const char *stage), void *arg,
		  char text[TEXT_BYTES])
{
	const struct lull_prove_opts opts = { .size = sizeof(opts),
					      .flags = LULL_PROVE_NO_VERIFY,
					      .progress = progress,
					      .progress_arg = arg };
	struct lull_proof *proof = NULL;
	struct lull_error error = { 0 };

	text[0] = '\0';
	if (lull_prove_blinded(b->ctx, b->key, b->wtns[witness], &opts,
			       b->golden.r, b->golden.s, &proof, &error))
		TEST_FAIL_("%s", error.msg);
	else
		lull_proof_json(proof, text, TEXT_BYTES);
	lull_proof_free(proof);
}

static void open_witnesses(struct bench *b)
{
	const size_t end = b->golden.wtns.bytes;
	const size_t word = end - LULL_FR_BYTES + WORD_BYTES;
	unsigned int i;

	for (i = 0; i < NR_WITNESSES; i++)
		b->bytes[i] = blob_copy(b->golden.wtns.data, end);
	b->word = b->bytes[SECRET].data + word;
	EXPECT_TRUE(b->word[0]);
	b->bytes[OTHER].data[word] ^= 0xff;
	memset(b->bytes[ZEROS].data + VALUES_AT + LULL_FR_BYTES, 0,
	       end - VALUES_AT - LULL_FR_BYTES);
	for (i = 0; i < NR_WITNESSES; i++)
		EXPECT_EQ(LULL_OK,
			  lull_wtns_open_mem(b->ctx, b->bytes[i].data, end,
					     &b->wtns[i], NULL));
}

/* In so much memory; false and the test is skipped where it cannot be. */
static bool bench_open(struct bench *b, uint64_t vram_bytes, const char *plan)
{
	struct lull_error error = { 0 };
	unsigned int i;

	*b = (struct bench){ .ctx = open_gpu(vram_bytes) };
	if (!b->ctx)
		return false;
	if (!find_emulated("emulated_holds", &holds)) {
		test_skipped = "real devices do not say what they hold";
		lull_ctx_destroy(b->ctx);
		return false;
	}
	b->golden = golden_load(NAME, 0);
	if (lull_key_open_mem(b->ctx, b->golden.key.data, b->golden.key.bytes,
			      &b->key, &error))
		TEST_FAIL_("%s", error.msg);
	if (!strstr(plan_text, plan))
		TEST_FAIL_("no '%s' in %s", plan, plan_text);
	open_witnesses(b);
	for (i = 0; i < NR_WITNESSES; i++)
		prove(b, i, NULL, NULL, b->want[i]);
	EXPECT_STREQ(b->golden.proof, b->want[SECRET]);
	return true;
}

static void bench_close(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < NR_WITNESSES; i++) {
		lull_wtns_close(b->wtns[i]);
		blob_free(&b->bytes[i]);
	}
	lull_key_close(b->key);
	lull_ctx_destroy(b->ctx);
	golden_free(&b->golden);
}

static bool is_left(const struct bench *b)
{
	return holds(b->word, WORD_BYTES);
}

/* ---- proofs that stop on their way --------------------------------------- */

/* A proof in a thread of its own, which stops as some stages begin. */
struct held {
	const struct bench *bench;
	enum witness witness;
	const char *stops[NR_STOPS];
	unsigned int nr_stops;
	sem_t came, go;
	pthread_t thread;
};

static void wait_for(sem_t *sem)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += STOP_S;
	while (sem_timedwait(sem, &until))
		if (errno != EINTR) {
			TEST_FAIL_("nobody came in %d s", STOP_S);
			return;
		}
}

static void stop_at(void *arg, const char *stage)
{
	struct held *h = arg;

	if (h->nr_stops == NR_STOPS || !h->stops[h->nr_stops] ||
	    strcmp(stage, h->stops[h->nr_stops]))
		return;
	h->nr_stops++;
	sem_post(&h->came);
	wait_for(&h->go);
}

static void *prove_held(void *arg)
{
	struct held *h = arg;
	char text[TEXT_BYTES];

	prove(h->bench, h->witness, stop_at, h, text);
	EXPECT_STREQ(h->bench->want[h->witness], text);
	return NULL;
}

/* Until its first stop. */
static void begin(struct held *h, const struct bench *bench,
		  enum witness witness, const char *first, const char *second)
{
	*h = (struct held){ .bench = bench, .witness = witness,
			    .stops = { first, second } };
	sem_init(&h->came, 0, 0);
	sem_init(&h->go, 0, 0);
	ASSERT_EQ(0, pthread_create(&h->thread, NULL, prove_held, h));
	wait_for(&h->came);
}

/* Until its second. */
static void go_on(struct held *h)
{
	sem_post(&h->go);
	wait_for(&h->came);
}

static void end(struct held *h)
{
	sem_post(&h->go);
	pthread_join(h->thread, NULL);
	sem_destroy(&h->came);
	sem_destroy(&h->go);
}

/* ---- the tests ----------------------------------------------------------- */

/* One proof ends while the other, in a block of its own, is in the middle of its
 * sums: in either block. */
TEST(wiped_while_another_proves)
{
	struct held a, b;
	struct bench bench;
	unsigned int i;

	if (!bench_open(&bench, 0, " 2 proofs at a time, "))
		return;
	for (i = 0; i < 2; i++) {
		if (i)
			begin(&a, &bench, SECRET, "msm_a", NULL);
		begin(&b, &bench, OTHER, "msm_a", NULL);
		if (!i)
			begin(&a, &bench, SECRET, "msm_a", NULL);
		EXPECT_TRUE(is_left(&bench));
		end(&a);
		EXPECT_TRUE(!is_left(&bench));
		end(&b);
	}
	bench_close(&bench);
}

/* A block is left as it is to a proof that is at hand, which takes that one and not
 * one that is clean. */
TEST(written_over_by_the_proof_at_hand)
{
	struct held a, b, c;
	struct bench bench;

	if (!bench_open(&bench, 0, " 2 proofs at a time, "))
		return;
	begin(&b, &bench, OTHER, "msm_a", NULL);
	begin(&a, &bench, SECRET, "msm_a", NULL);
	end(&b);
	begin(&c, &bench, OTHER, "spmv", "assemble");
	end(&a);
	EXPECT_TRUE(is_left(&bench));
	go_on(&c);
	EXPECT_TRUE(!is_left(&bench));
	end(&c);
	bench_close(&bench);
}

/* Less than what two proofs at a time take, each with a block to compute in. */
static uint64_t bytes_in_turn(void)
{
	struct bench bench;
	uint64_t peak;

	if (!bench_open(&bench, 0, " 2 proofs at a time, "))
		return 0;
	peak = lull_ctx_device_peak_bytes(bench.ctx);
	bench_close(&bench);
	return peak - 1;
}

/* Each proof takes the only block before the one before has ended, and writes over
 * little of it.  What overwrites it at last comes between two that compute. */
TEST(a_block_that_never_rests)
{
	uint64_t vram_bytes = bytes_in_turn();
	unsigned int nr = 0;
	struct bench bench;
	struct held h[2];

	if (!vram_bytes ||
	    !bench_open(&bench, vram_bytes, " 2 proofs at a time in turn, "))
		return;
	begin(&h[0], &bench, SECRET, "retire", NULL);
	do {
		nr++;
		begin(&h[nr % 2], &bench, ZEROS, "msm_a", "retire");
		end(&h[(nr - 1) % 2]);
		go_on(&h[nr % 2]);
	} while (is_left(&bench) && nr <= NR_LEFT_MAX && !test_failed);
	/* No other one does it. */
	EXPECT_EQ(NR_LEFT_MAX, nr);
	end(&h[nr % 2]);
	bench_close(&bench);
}

/* What is overwritten, in order; whoever asks first is kept. */
static struct {
	atomic_uint nr;
	const void *of[NR_OVERWRITTEN];
	sem_t came, go;
} overwritten;

static void note_memset(const void *to)
{
	unsigned int nr = atomic_fetch_add(&overwritten.nr, 1);

	if (nr < NR_OVERWRITTEN)
		overwritten.of[nr] = to;
	if (nr)
		return;
	sem_post(&overwritten.came);
	wait_for(&overwritten.go);
}

/* A proof leaves while one that left before is about to overwrite a block: that one
 * is not its to overwrite, for the next proof may compute in it by then. */
TEST(overwritten_by_one_of_two_that_leave)
{
	void (*at_memset)(void (*fn)(const void *to));
	unsigned int i, j;
	struct bench bench;
	struct held a, b;

	if (!bench_open(&bench, 0, " 2 proofs at a time, "))
		return;
	ASSERT_TRUE(find_emulated("emulated_at_memset", &at_memset));
	sem_init(&overwritten.came, 0, 0);
	sem_init(&overwritten.go, 0, 0);
	begin(&a, &bench, SECRET, "retire", NULL);
	begin(&b, &bench, OTHER, "retire", NULL);
	at_memset(note_memset);
	sem_post(&a.go);
	wait_for(&overwritten.came);
	end(&b);
	sem_post(&overwritten.go);
	end(&a);
	at_memset(NULL);
	/* Of each a block that it computed in, and its seat's. */
	EXPECT_EQ(NR_OVERWRITTEN, atomic_load(&overwritten.nr));
	for (i = 1; i < NR_OVERWRITTEN; i++)
		for (j = 0; j < i; j++)
			EXPECT_TRUE(overwritten.of[i] != overwritten.of[j]);
	EXPECT_TRUE(!is_left(&bench));
	bench_close(&bench);
}

static void *prove_rounds(void *arg)
{
	const struct bench *b = arg;
	char text[TEXT_BYTES];
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		prove(b, OTHER, NULL, NULL, text);
		EXPECT_STREQ(b->want[OTHER], text);
	}
	return NULL;
}

/* What overwrites it then waits for the one before and is waited for. */
TEST(proofs_behind_each_other_are_right)
{
	uint64_t vram_bytes = bytes_in_turn();
	pthread_t threads[NR_THREADS];
	struct bench bench;
	unsigned int i;

	if (!vram_bytes || !bench_open(&bench, vram_bytes, " in turn, "))
		return;
	for (i = 0; i < NR_THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, prove_rounds,
					    &bench));
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	bench_close(&bench);
}

TEST_MAIN
