/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - touches that survive a signal, and patterns that tell whose a
 * word is, for the tests of the arena module
 */
#ifndef LULL_SELFTESTS_KMOD_MEMORY_H
#define LULL_SELFTESTS_KMOD_MEMORY_H

#include <setjmp.h>

/* A word: mark, seed, place. */
#define PATTERN_MARK 0x5a5aull
#define PATTERN_MARK_SHIFT 48
#define PATTERN_SEED_SHIFT 32
#define FAULT_TEXT_BYTES 128

static __thread sigjmp_buf touch_back;
static __thread volatile sig_atomic_t touching;

static inline void on_fault(int sig, siginfo_t *info, void *context)
{
	char text[FAULT_TEXT_BYTES];
	int n;

	(void)context;
	if (touching)
		siglongjmp(touch_back, sig);
	n = snprintf(text, sizeof(text), "# %s at %p\n", strsignal(sig),
		     info->si_addr);
	if (write(STDOUT_FILENO, text, (size_t)n) == n)
		signal(sig, SIG_DFL);
	raise(sig);
}

static inline void catch_faults(void)
{
	/* SA_NODEFER: siglongjmp restores the mask anyway. */
	struct sigaction act = { .sa_sigaction = on_fault,
				 .sa_flags = SA_NODEFER | SA_SIGINFO };

	/* What was printed must be seen when a program dies. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGBUS, &act, NULL);
	sigaction(SIGSEGV, &act, NULL);
}

__attribute__((constructor)) static void catch_faults_at_start(void)
{
	catch_faults();
}

/* 0, or the signal (SIGBUS, SIGSEGV) that a touch raised. */
static inline int touch_read(const volatile void *p, uint64_t *ret_word)
{
	int sig = sigsetjmp(touch_back, 1);
	uint64_t word;

	if (!sig) {
		touching = 1;
		word = *(const volatile uint64_t *)p;
		touching = 0;
		if (ret_word)
			*ret_word = word;
	}
	touching = 0;
	return sig;
}

static inline int touch_write(volatile void *p, uint64_t word)
{
	int sig = sigsetjmp(touch_back, 1);

	if (!sig) {
		touching = 1;
		*(volatile uint64_t *)p = word;
	}
	touching = 0;
	return sig;
}

static inline uint64_t pattern_head(uint64_t seed)
{
	return PATTERN_MARK << (PATTERN_MARK_SHIFT - PATTERN_SEED_SHIFT) |
	       (seed & UINT16_MAX);
}

/* Each word says whose it is and where: no two are alike. */
static inline void pattern_fill(void *p, uint64_t bytes, uint64_t seed)
{
	uint64_t head = pattern_head(seed) << PATTERN_SEED_SHIFT, i;
	uint64_t *word = p;

	for (i = 0; i < bytes / sizeof(*word); i++)
		word[i] = head | i;
}

static inline bool pattern_holds(const void *p, uint64_t bytes, uint64_t seed)
{
	uint64_t head = pattern_head(seed) << PATTERN_SEED_SHIFT, i;
	const uint64_t *word = p;

	for (i = 0; i < bytes / sizeof(*word); i++)
		if (word[i] != (head | i))
			return false;
	return true;
}

/* How many words of [p, p + bytes) are of SEED's pattern, at any place. */
static inline uint64_t pattern_search(const void *p, uint64_t bytes,
				      uint64_t seed)
{
	uint64_t head = pattern_head(seed), found = 0, i;
	const uint64_t *word = p;

	for (i = 0; i < bytes / sizeof(*word); i++)
		found += word[i] >> PATTERN_SEED_SHIFT == head;
	return found;
}

static inline bool all_zero(const void *p, uint64_t bytes)
{
	const uint64_t *word = p;
	uint64_t i;

	for (i = 0; i < bytes / sizeof(*word); i++)
		if (word[i])
			return false;
	return true;
}

#endif
