// SPDX-License-Identifier: Apache-2.0
/*
 * classes.c - the classes of values, by any runs and by several threads, against
 * a plain loop
 */
#include "harness.h"

#include <pthread.h>

#include "curve/facts.h"
#include "input/classes.h"
#include "input/files.h"

#define NR_MAX 4200
#define NR_THREADS 4

/* At an odd address; behind the map nothing is to be written. */
static uint8_t memory[NR_MAX * LULL_FR_BYTES + 1];
static uint8_t *const values = memory + 1;
static uint32_t map[NR_MAX / LULL_CLASSES_PER_WORD + 4];

static uint8_t *value(size_t i)
{
	return values + i * LULL_FR_BYTES;
}

enum filling { MIXED, ZEROS, ONES, OTHERS, SINGLE_BITS, NR_FILLINGS };

/* SINGLE_BITS: one bit somewhere, which is a 1 only at the lowest place.  The
 * highest byte has its turn as well, with what keeps the value below both r. */
static void fill(size_t nr, enum filling filling)
{
	uint64_t dice;
	size_t i, at;
	bool top;

	memset(values, 0, NR_MAX * LULL_FR_BYTES);
	for (i = 0; i < nr; i++) {
		dice = test_random();
		at = dice % LULL_FR_BYTES;
		top = at == LULL_FR_BYTES - 1;
		if (filling == ONES)
			value(i)[0] = 1;
		else if (filling == OTHERS)
			value(i)[at] = top ? 1 + dice / 64 % 0x2f
					   : 2 + dice / 64 % 254;
		else if (filling == SINGLE_BITS)
			value(i)[at] =
				(uint8_t)(1 << dice / 64 % (top ? 6 : 8));
		else if (filling == MIXED)
			value(i)[0] = (uint8_t)(dice % 3);
	}
}

static enum lull_class class_of(size_t i)
{
	const uint8_t zero[LULL_FR_BYTES] = { 0 }, one[LULL_FR_BYTES] = { 1 };

	if (!memcmp(value(i), zero, sizeof(zero)))
		return LULL_CLASS_ZERO;
	return memcmp(value(i), one, sizeof(one)) ? LULL_CLASS_OTHER
						  : LULL_CLASS_ONE;
}

static uint32_t mapped(size_t i)
{
	return map[i / LULL_CLASSES_PER_WORD] >>
		       LULL_CLASS_BITS * (i % LULL_CLASSES_PER_WORD) &
	       3;
}

/* The map of the first @nr values, and nothing behind it. */
static void expect_map(size_t nr)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(map) * LULL_CLASSES_PER_WORD; i++)
		ASSERT_EQ(i < nr ? class_of(i) : 0, mapped(i));
}

/* Rubbish where classes are to come, and nothing behind. */
static void spoil_map(size_t nr)
{
	const size_t per_word = LULL_CLASSES_PER_WORD;
	size_t i;

	memset(map, 0, sizeof(map));
	for (i = 0; i < nr; i++)
		map[i / per_word] |= (uint32_t)(test_random() % 4)
				     << LULL_CLASS_BITS * (i % per_word);
}

static struct lull_classes count(size_t first, size_t last)
{
	struct lull_classes counts = { 0 };
	size_t i;

	for (i = first; i < last; i++) {
		counts.nr_ones += class_of(i) == LULL_CLASS_ONE;
		counts.nr_others += class_of(i) == LULL_CLASS_OTHER;
	}
	return counts;
}

static const uint8_t *prime_of(enum lull_curve curve)
{
	return lull_curve_facts(curve)->fr_prime;
}

/* In runs that begin and end anywhere. */
static void classify_in_runs(size_t nr, size_t run_max)
{
	struct lull_classes found, sum = { 0 }, want = count(0, nr);
	size_t first, last;

	spoil_map(nr);
	for (first = 0; first < nr; first = last) {
		last = lull_min(nr, first + 1 + test_random() % run_max);
		ASSERT_EQ(last, lull_input_classify(values,
						    prime_of(LULL_CURVE_BN254),
						    first, last, map, &found));
		sum.nr_ones += found.nr_ones;
		sum.nr_others += found.nr_others;
	}
	EXPECT_EQ(want.nr_ones, sum.nr_ones);
	EXPECT_EQ(want.nr_others, sum.nr_others);
	expect_map(nr);
}

static const size_t sizes[] = { 0,  1,	2,  3,	  15,	16,   17,  31,
				32, 33, 63, 1023, 1024, 1025, 4097 };

TEST(any_runs)
{
	static const size_t runs[] = { 1, 3, 20, 200, NR_MAX };
	size_t i, k;
	int f;

	for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++)
		for (f = 0; f < NR_FILLINGS; f++) {
			fill(sizes[i], (enum filling)f);
			for (k = 0; k < LULL_ARRAY_SIZE(runs); k++)
				classify_in_runs(sizes[i], runs[k]);
		}
}

TEST(bytes_of_a_map)
{
	size_t nr;

	EXPECT_EQ(0, lull_classes_bytes(0));
	for (nr = 1; nr < 200; nr++) {
		EXPECT_TRUE(lull_classes_bytes(nr) * 4 >= nr);
		EXPECT_TRUE(lull_classes_bytes(nr) * 4 < nr + 32);
		EXPECT_EQ(0, lull_classes_bytes(nr) % sizeof(uint64_t));
	}
}

/* Every thread's runs are neighbours of the others' in each word. */
#define RUN 5

static void *classify_some(void *arg)
{
	size_t first = *(const size_t *)arg * RUN;
	struct lull_classes found;

	for (; first < NR_MAX; first += NR_THREADS * RUN)
		lull_input_classify(values, prime_of(LULL_CURVE_BN254), first,
				    lull_min(NR_MAX, first + RUN), map, &found);
	return NULL;
}

TEST(several_threads)
{
	size_t numbers[NR_THREADS], i, round;
	pthread_t threads[NR_THREADS];

	for (round = 0; round < 20; round++) {
		fill(NR_MAX, MIXED);
		spoil_map(NR_MAX);
		for (i = 0; i < NR_THREADS; i++) {
			numbers[i] = i;
			ASSERT_EQ(0,
				  pthread_create(&threads[i], NULL,
						 classify_some, &numbers[i]));
		}
		for (i = 0; i < NR_THREADS; i++)
			pthread_join(threads[i], NULL);
		expect_map(NR_MAX);
	}
}

/* Ends at @bad, and all that comes before it is counted and in the map. */
static void expect_end(enum lull_curve curve, size_t first, size_t bad)
{
	const struct lull_classes want = count(first, bad);
	struct lull_classes found;
	size_t i;

	spoil_map(NR_MAX);
	ASSERT_EQ(bad, lull_input_classify(values, prime_of(curve), first,
					   NR_MAX, map, &found));
	EXPECT_EQ(want.nr_ones, found.nr_ones);
	EXPECT_EQ(want.nr_others, found.nr_others);
	for (i = first; i < bad; i++)
		ASSERT_EQ(class_of(i), mapped(i));
}

/* The first one that is not below r, and what comes before it; r - 1 is. */
static void expect_primes_end(enum lull_curve curve, size_t first, size_t bad)
{
	fill(NR_MAX, MIXED);
	memcpy(value(bad), prime_of(curve), LULL_FR_BYTES);
	memset(value(bad + 2), 0xff, LULL_FR_BYTES);
	expect_end(curve, first, bad);
	value(bad)[0]--; /* odd primes */
	expect_end(curve, first, bad + 2);
	EXPECT_EQ(LULL_CLASS_OTHER, class_of(bad));
}

/* Too large by its highest word, with the sign bit and without; no other value
 * of its word is, which would have the word looked at more closely. */
static void expect_tops_end(enum lull_curve curve, size_t first, size_t bad)
{
	const uint8_t tops[] = { curve == LULL_CURVE_BN254 ? 0x40 : 0x74, 0x7f,
				 0x80, 0xff };
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(tops); i++) {
		fill(NR_MAX, MIXED);
		memset(value(bad), 0, LULL_FR_BYTES);
		value(bad)[LULL_FR_BYTES - 1] = tops[i];
		expect_end(curve, first, bad);
		memset(value(bad) + LULL_FR_BYTES - 4, 0xff, 3);
		expect_end(curve, first, bad);
	}
}

static void expect_ends(size_t bad)
{
	static const enum lull_curve curves[] = { LULL_CURVE_BN254,
						  LULL_CURVE_BLS12_381 };
	size_t i, first;

	for (i = 0; i < LULL_ARRAY_SIZE(curves); i++)
		for (first = 0; first < 4; first++) {
			expect_primes_end(curves[i], first, bad);
			expect_tops_end(curves[i], first, bad);
		}
}

TEST(too_large)
{
	static const size_t bad[] = { 3, 15, 16, 17, 500, NR_MAX - 3 };
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(bad); i++)
		expect_ends(bad[i]);
	for (i = 0; i < LULL_CLASSES_PER_WORD; i++)
		expect_ends(2 * LULL_CLASSES_PER_WORD + i);
}

TEST_MAIN
