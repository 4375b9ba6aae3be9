// SPDX-License-Identifier: Apache-2.0
/*
 * secrets_tmpl.c - nothing of witness, r and s stays behind a proof
 *
 * Proves with marked values, wipes what the test itself held and looks through
 * every writable page of the process for them: plain, as the files have them,
 * and in Montgomery form, as the field has them.  Markers are kept under a mask
 * so that the search does not find itself.
 */
#include "prove.h"

#include "denied.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "base/mem.h"
#include "curve/fr.h"

#if LULL_CURVE_ID == LULL_ID_bn254
#define CIRCUIT "bn128-poseidon2"
#else
#define CIRCUIT "bls12381-poseidon2"
#endif

#define NR_PRIVATE_FROM 2 /* of the circuit: the constant one and an output */
#define MASK 0x6b
#define STACK_BYTES ((size_t)8 << 20)

enum { MARK_WITNESS, MARK_R, MARK_S, NR_MARKS };

static const char *const mark_names[] = { "a witness value", "r", "s" };

/* Both forms of a mark, each byte xor MASK. */
struct mark {
	uint8_t plain[LULL_FR_BYTES];
	uint8_t montgomery[LULL_FR_BYTES];
};

static struct mark marks[NR_MARKS];

/* Not a constant for the compiler, which would undo the mask ahead. */
static volatile uint8_t mask = MASK;

__attribute__((noinline)) static void draw_marks(void)
{
	limb_t plain[FR_LIMBS];
	struct fr montgomery;
	size_t i, j;

	for (i = 0; i < NR_MARKS; i++) {
		for (j = 0; j < FR_LIMBS; j++)
			plain[j] = test_random();
		plain[FR_LIMBS - 1] >>= 4; /* below r of both curves */
		fr_from_plain(&montgomery, plain);
		memcpy(marks[i].plain, plain, sizeof(plain));
		memcpy(marks[i].montgomery, &montgomery, sizeof(montgomery));
		for (j = 0; j < LULL_FR_BYTES; j++) {
			marks[i].plain[j] ^= mask;
			marks[i].montgomery[j] ^= mask;
		}
	}
	lull_wipe(plain, sizeof(plain));
	lull_wipe(&montgomery, sizeof(montgomery));
}

static void unmask(uint8_t *out, const struct mark *mark)
{
	size_t i;

	for (i = 0; i < LULL_FR_BYTES; i++)
		out[i] = mark->plain[i] ^ mask;
}

/* ---- the search -------------------------------------------------------- */

#define HUGE_PAGE ((size_t)2 << 20)
#define PIECE 16 /* half a value: two limbs, one vector register */

static bool is_piece(const volatile uint8_t *p, const uint8_t *masked)
{
	size_t i;

	for (i = 0; i < PIECE; i++)
		if ((p[i] ^ mask) != masked[i])
			return false;
	return true;
}

/* Halves of the value of a mark between two addresses, at whole limbs. */
__attribute__((noinline)) static unsigned int
search_range(uintptr_t from, uintptr_t to, const uint8_t *masked)
{
	const uint8_t first = masked[0] ^ mask, third = masked[PIECE] ^ mask;
	unsigned int nr = 0;
	uintptr_t at;

	for (at = from; at + PIECE <= to; at++) {
		const volatile uint8_t *p = (const volatile uint8_t *)at;

		if (*p != first && *p != third)
			continue;
		nr += is_piece(p, masked) || is_piece(p, masked + PIECE);
	}
	return nr;
}

/* Of hugetlb, a page that the arena does not hold raises SIGBUS. */
static bool is_readable(uintptr_t at)
{
	char byte;
	struct iovec to = { &byte, 1 }, from = { (void *)at, 1 };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

/* The end of what can be read from an address on, a huge page at a time. */
static uintptr_t readable_end(uintptr_t from, uintptr_t to)
{
	while (from < to && is_readable(from))
		from = lull_min(to, lull_align_up(from + 1, HUGE_PAGE));
	return from;
}

static unsigned int search_mapping(uintptr_t from, uintptr_t to,
				   const uint8_t *masked)
{
	unsigned int nr = 0;
	uintptr_t end;

	for (; from < to; from = lull_align_up(end + 1, HUGE_PAGE)) {
		end = readable_end(from, to);
		nr += search_range(from, end, masked);
	}
	return nr;
}

struct found {
	unsigned int plain[NR_MARKS], montgomery[NR_MARKS];
};

/* Looks through every mapping that can be written. */
static struct found search(bool tell)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct found found = { 0 };
	unsigned long from, to;
	char line[512], rights[8];
	unsigned int i;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3 ||
		    strncmp(rights, "rw", 2))
			continue;
		for (i = 0; i < NR_MARKS; i++) {
			unsigned int p =
				search_mapping(from, to, marks[i].plain);
			unsigned int m =
				search_mapping(from, to, marks[i].montgomery);

			found.plain[i] += p;
			found.montgomery[i] += m;
			if (tell && (p || m))
				printf("# %s: %u plain, %u Montgomery in %s",
				       mark_names[i], p, m, line);
		}
	}
	if (maps)
		fclose(maps);
	else
		TEST_FAIL_("/proc/self/maps cannot be read");
	return found;
}

static void expect_nothing_left(const char *when)
{
	struct found found = search(true);
	unsigned int i;

	for (i = 0; i < NR_MARKS; i++)
		if (found.plain[i] || found.montgomery[i])
			TEST_FAIL_("%s: %s is still in memory", when,
				   mark_names[i]);
}

/* ---- proofs ------------------------------------------------------------ */

/* A witness whose private values are all the same mark. */
__attribute__((noinline)) static void mark_witness(struct blob *b)
{
	uint8_t *values = b->data + blob_payload(b, 2);
	size_t i, nr = (b->bytes - (size_t)(values - b->data)) / LULL_FR_BYTES;

	for (i = NR_PRIVATE_FROM; i < nr; i++)
		unmask(values + i * LULL_FR_BYTES, &marks[MARK_WITNESS]);
}

/* What the thread of a proof works with. */
struct job {
	struct lull_ctx *ctx;
	struct lull_key *key;
};

static void *prove_marked(void *arg)
{
	const struct job *job = arg;
	struct lull_ctx *ctx = job->ctx;
	struct lull_prove_opts opts = { .size = sizeof(opts),
					.flags = LULL_PROVE_NO_VERIFY };
	struct blob b = blob_read(GOLDEN CIRCUIT ".wtns");
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;
	struct found found;

	mark_witness(&b);
	unmask(r, &marks[MARK_R]);
	unmask(s, &marks[MARK_S]);
	EXPECT_EQ(LULL_OK,
		  lull_wtns_open_mem(ctx, b.data, b.bytes, &wtns, NULL));
	/* The search finds what is there; now, and not behind the proof, whose
	 * stack it would overwrite. */
	found = search(false);
	EXPECT_TRUE(found.plain[MARK_WITNESS] >= 2 * 500);
	EXPECT_TRUE(found.plain[MARK_R] >= 2);
	EXPECT_TRUE(found.plain[MARK_S] >= 2);
	EXPECT_EQ(LULL_OK, lull_prove_blinded(ctx, job->key, wtns, &opts, r, s,
					      &proof, NULL));
	lull_proof_free(proof);
	lull_wtns_close(wtns);
	lull_wipe(r, sizeof(r));
	lull_wipe(s, sizeof(s));
	lull_wipe(b.data, b.bytes);
	blob_free(&b);
	return NULL;
}

/* On a stack of its own that outlives the thread: the search would overwrite
 * what calls left on the stack it runs on. */
static void prove_apart(struct job *job)
{
	void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	ASSERT_TRUE(stack != MAP_FAILED);
	pthread_attr_init(&attr);
	EXPECT_EQ(0, pthread_attr_setstack(&attr, stack, STACK_BYTES));
	ASSERT_EQ(0, pthread_create(&thread, &attr, prove_marked, job));
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	expect_nothing_left("behind a proof");
	munmap(stack, STACK_BYTES);
}

static void prove_and_search(unsigned int nr_threads)
{
	struct job job = { .ctx = make_ctx(nr_threads) };

	draw_marks();
	EXPECT_EQ(LULL_OK, lull_key_open(job.ctx, GOLDEN CIRCUIT ".zkey",
					 &job.key, NULL));
	ASSERT_TRUE(job.key != NULL);
	prove_apart(&job);
	lull_key_close(job.key);
	lull_ctx_destroy(job.ctx);
	expect_nothing_left("behind a context");
}

TEST(one_thread)
{
	if (test_sanitized())
		SKIP("a sanitizer keeps copies and shadows of its own");
	if (no_vm_readv())
		return;
	prove_and_search(1);
}

TEST(several_threads)
{
	if (test_sanitized())
		SKIP("a sanitizer keeps copies and shadows of its own");
	if (no_vm_readv())
		return;
	prove_and_search(4);
}

TEST_MAIN
