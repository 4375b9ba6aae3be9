// SPDX-License-Identifier: Apache-2.0
/*
 * supraseal_turns.c - many circuits at liblull_supraseal.so's door
 */
#include <signal.h>
#include <sys/mman.h>

#include "supraseal_host.h"

#define CIRCUITS 5

/* Densities that nobody may read until the test says so: a circuit that was
 * admitted stands still at its own. */
static uint8_t *pages[CIRCUITS];
static atomic_int nr_reading, may_read;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	const struct timespec look = { 0, LOOK_NS };
	uint8_t *page = info->si_addr;
	unsigned int i;

	(void)signal;
	(void)context;
	page -= (uintptr_t)page % (size_t)sysconf(_SC_PAGESIZE);
	for (i = 0; i < CIRCUITS && pages[i] != page; i++)
		;
	if (i == CIRCUITS)
		abort();
	atomic_fetch_add(&nr_reading, 1);
	while (!atomic_load(&may_read))
		nanosleep(&look, NULL);
	if (mprotect(page, (size_t)sysconf(_SC_PAGESIZE), PROT_READ))
		abort();
}

static struct lull_supraseal_assignment guarded(unsigned int i)
{
	struct lull_supraseal_assignment circuit = provers[0];

	circuit.a_aux_density = (const void *)pages[i];
	return circuit;
}

static void *prove_one(void *arg)
{
	struct lull_supraseal_srs *srs = arg;
	static atomic_int nr;
	struct lull_supraseal_assignment mine =
		guarded((unsigned int)atomic_fetch_add(&nr, 1) % CIRCUITS);
	struct lull_supraseal_proof proof;

	expect_ok(lib.generate(&mine, 1, NULL, NULL, &proof, srs));
	return NULL;
}

static void *prove_one_call(void *arg)
{
	struct lull_supraseal_srs *srs = arg;
	struct lull_supraseal_assignment all[CIRCUITS];
	struct lull_supraseal_proof proofs[CIRCUITS];
	unsigned int i;

	for (i = 0; i < CIRCUITS; i++)
		all[i] = guarded(i);
	expect_ok(lib.generate(all, CIRCUITS, NULL, NULL, proofs, srs));
	return NULL;
}

static struct sigaction was_on_fault;

static void guard(void)
{
	struct sigaction act = { .sa_sigaction = on_fault,
				 .sa_flags = SA_SIGINFO | SA_NODEFER };
	const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	unsigned int i;

	atomic_store(&nr_reading, 0);
	atomic_store(&may_read, 0);
	for (i = 0; i < CIRCUITS; i++) {
		pages[i] = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ASSERT_TRUE(pages[i] != MAP_FAILED);
		memcpy(pages[i], poseidon.a_aux, (poseidon.nr_aux + 7) / 8);
		mprotect(pages[i], bytes, PROT_NONE);
	}
	sigaction(SIGSEGV, &act, &was_on_fault);
}

/* When every caller is done: which thread reads which page is not said. */
static void unguard(void)
{
	unsigned int i;

	sigaction(SIGSEGV, &was_on_fault, NULL);
	for (i = 0; i < CIRCUITS; i++)
		munmap(pages[i], (size_t)sysconf(_SC_PAGESIZE));
}

static void a_while(void)
{
	const struct timespec more = { 0, 200 * 1000 * 1000 };

	nanosleep(&more, NULL);
}

/* Of the circuits that @nr_callers bring, so many are worked at. */
static void expect_admitted(struct lull_supraseal_srs srs,
			    unsigned int nr_callers, void *(*caller)(void *),
			    int most)
{
	pthread_t threads[CIRCUITS];
	unsigned int i;

	guard();
	for (i = 0; i < nr_callers; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, caller, &srs));
	EXPECT_TRUE(comes_to(&nr_reading, most));
	a_while();
	EXPECT_EQ(most, atomic_load(&nr_reading));
	atomic_store(&may_read, 1);
	for (i = 0; i < nr_callers; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(CIRCUITS, atomic_load(&nr_reading));
	unguard();
	lib.drop(&srs);
}

TEST(callers_in_turn)
{
	expect_admitted(open_srs(false), CIRCUITS, prove_one, 1);
}

TEST(circuits_of_a_call_in_turn)
{
	expect_admitted(open_srs(false), 1, prove_one_call, 1);
}

TEST(gpu_callers_in_turn)
{
	struct lull_supraseal_srs srs = { NULL };

	if (open_srs_on_gpu(&srs))
		expect_admitted(srs, CIRCUITS, prove_one, 2);
}

TEST(gpu_circuits_of_a_call_in_turn)
{
	struct lull_supraseal_srs srs = { NULL };

	if (open_srs_on_gpu(&srs))
		expect_admitted(srs, 1, prove_one_call, 2);
}

/* Circuits 0 and 1 are both wrong. */
static void *prove_two_wrong(void *arg)
{
	struct lull_supraseal_srs *srs = arg;
	struct lull_supraseal_assignment two[2] = { guarded(0), provers[0] };
	struct lull_supraseal_proof proofs[2];

	two[0].a = two[0].b;
	two[1].a_aux_bit_len--;
	expect_error(lib.generate(two, 2, NULL, NULL, proofs, srs), EINVAL,
		     "circuit 0 of 2: ");
	return NULL;
}

/* The second circuit is found wrong at once, while the first stands still: it is
 * the first that is named. */
TEST(gpu_the_first_failure_is_named)
{
	struct lull_supraseal_srs srs = { NULL };
	pthread_t thread;

	if (!open_srs_on_gpu(&srs))
		return;
	guard();
	ASSERT_EQ(0, pthread_create(&thread, NULL, prove_two_wrong, &srs));
	EXPECT_TRUE(comes_to(&nr_reading, 1));
	a_while();
	atomic_store(&may_read, 1);
	pthread_join(thread, NULL);
	unguard();
	lib.drop(&srs);
}

static void *prove_thread(void *arg)
{
	struct lull_supraseal_srs srs = lib.clone(arg);
	struct lull_supraseal_proof proofs[NR];

	expect_ok(lib.generate(provers, NR, NULL, NULL, proofs, &srs));
	lib.drop(&srs);
	return NULL;
}

TEST(several_callers_at_once)
{
	struct lull_supraseal_srs srs = open_srs(true);
	pthread_t threads[3];
	unsigned int i;

	for (i = 0; i < LULL_ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, prove_thread,
					    &srs));
	for (i = 0; i < LULL_ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	lib.evict(&srs);
	lib.drop(&srs);
}

TEST_MAIN
