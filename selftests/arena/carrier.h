/* SPDX-License-Identifier: Apache-2.0 */
/*
 * carrier.h - the tests that every carrier has to pass
 *
 * A program defines CARRIER, includes this file once and ends with TEST_MAIN.
 * Where the host does not have the carrier, every test is skipped with the
 * reason that the library gives.
 */
#ifndef LULL_SELFTESTS_ARENA_CARRIER_H
#define LULL_SELFTESTS_ARENA_CARRIER_H

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "arena/arena.h"
#include "base/base.h"
#include "base/error.h"
#include "lull.h"

#include "harness.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define SLOT LULL_ARENA_SLOT_BYTES
#define NR_THREADS 4

static const bool has_slabs =
	CARRIER != LULL_ARENA_MALLOC && CARRIER != LULL_ARENA_MALLOC_SERIAL;

/* The host's word on why there is no such arena. */
static struct lull_error absent;

static struct lull_arena *open_arena(size_t bytes_max)
{
	const struct lull_arena_opts opts = {
		.carrier = CARRIER,
		.bytes_max = bytes_max,
		.node = LULL_ARENA_NODE_ANY,
		.secret = true,
	};
	struct lull_arena *arena = NULL;

	lull_arena_open(&opts, &arena, &absent);
	return arena;
}

/* Ends the test when the host does not have the carrier. */
#define OPEN_OR_SKIP(arena, bytes_max)                                         \
	do {                                                                   \
		(arena) = open_arena(bytes_max);                               \
		if (!(arena))                                                  \
			SKIP(absent.msg);                                      \
	} while (0)

static struct lull_vec carve(struct lull_arena *arena, size_t bytes,
			     unsigned int flags)
{
	struct lull_vec vec = { 0 };
	struct lull_error error;

	if (lull_arena_carve(arena, bytes, flags, "test", &vec, &error))
		TEST_FAIL_("%zu bytes: %s", bytes, error.msg);
	return vec;
}

static struct lull_arena_stats stats_of(struct lull_arena *arena)
{
	struct lull_arena_stats stats;

	lull_arena_stats(arena, &stats);
	return stats;
}

/* One byte in every 4 KiB, the first and the last: @seed and where it is. */
static void mark(const struct lull_vec *vec, uint8_t seed)
{
	uint8_t *p = vec->ptr;
	size_t i;

	for (i = 0; i < vec->bytes; i += 4 * KIB)
		p[i] = (uint8_t)(seed + i / (4 * KIB));
	p[vec->bytes - 1] = seed;
}

static bool is_marked(const struct lull_vec *vec, uint8_t seed)
{
	const uint8_t *p = vec->ptr;
	size_t i;

	for (i = 0; i < vec->bytes - 1; i += 4 * KIB)
		if (p[i] != (uint8_t)(seed + i / (4 * KIB)))
			return false;
	return p[vec->bytes - 1] == seed;
}

static bool is_zero(const struct lull_vec *vec)
{
	const uint8_t *p = vec->ptr;

	return !p[0] && !memcmp(p, p + 1, vec->bytes - 1);
}

/* ---- carving ----------------------------------------------------------- */

TEST(blocks_are_aligned_and_apart)
{
	static const size_t sizes[] = {
		1,	  63,	     64,	65,	  4096,
		100000,	  256 * KIB, 300 * KIB, SLOT - 1, SLOT,
		SLOT + 1, 3 * MIB,   5 * MIB,	17 * KIB, 256 * KIB - 1,
	};
	struct lull_vec vecs[LULL_ARRAY_SIZE(sizes)];
	struct lull_arena *arena;
	size_t i, page;

	OPEN_OR_SKIP(arena, 0);
	EXPECT_EQ(CARRIER, lull_arena_carrier(arena));
	for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++) {
		vecs[i] = carve(arena, sizes[i], 0);
		EXPECT_EQ(sizes[i], vecs[i].bytes);
		page = sizes[i] < LULL_ARENA_PACKED_BYTES ? LULL_ARENA_ALIGN
							  : 4 * KIB;
		if (!has_slabs)
			page = LULL_ARENA_ALIGN;
		EXPECT_EQ(0, (uintptr_t)vecs[i].ptr % page);
		mark(&vecs[i], (uint8_t)i);
	}
	for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++) {
		if (!is_marked(&vecs[i], (uint8_t)i))
			TEST_FAIL_("block %zu of %zu bytes", i, sizes[i]);
		lull_arena_retire(&vecs[i]);
		EXPECT_TRUE(!vecs[i].ptr && !vecs[i].bytes && !vecs[i].extent);
	}
	EXPECT_EQ(0, stats_of(arena).used_bytes);
	lull_arena_close(arena);
}

TEST(empty_blocks)
{
	struct lull_vec vec = { .bytes = 1 };
	struct lull_arena *arena;

	OPEN_OR_SKIP(arena, 0);
	EXPECT_EQ(LULL_OK, lull_arena_carve(arena, 0, 0, "none", &vec, NULL));
	EXPECT_TRUE(!vec.ptr && !vec.bytes);
	lull_arena_idle(&vec);
	EXPECT_EQ(LULL_OK, lull_arena_revive(&vec, NULL));
	lull_arena_retire(&vec);
	lull_arena_release(&vec);
	EXPECT_EQ(0, stats_of(arena).nr_carves);
	lull_arena_close(arena);
	lull_arena_close(NULL);
}

TEST(zeroed_when_asked)
{
	static const size_t sizes[] = { 1, 4097, 300 * KIB, SLOT, 5 * MIB };
	struct lull_arena *arena;
	struct lull_vec vec, low;
	size_t i;

	OPEN_OR_SKIP(arena, 0);
	for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++) {
		vec = carve(arena, sizes[i], LULL_CARVE_ZERO);
		EXPECT_TRUE(is_zero(&vec));
		memset(vec.ptr, 0xff, vec.bytes);
		lull_arena_retire(&vec);
		/* What was used and what never was, in one block. */
		vec = carve(arena, sizes[i] + 3 * MIB, LULL_CARVE_ZERO);
		EXPECT_TRUE(is_zero(&vec));
		memset(vec.ptr, 0xff, vec.bytes);
		low = carve(arena, sizes[i], LULL_CARVE_ZERO);
		EXPECT_TRUE(is_zero(&low));
		memset(low.ptr, 0xff, low.bytes);
		lull_arena_release(&vec);
		vec = carve(arena, sizes[i] + 3 * MIB, LULL_CARVE_ZERO);
		EXPECT_TRUE(is_zero(&vec));
		lull_arena_retire(&vec);
		lull_arena_retire(&low);
	}
	lull_arena_close(arena);
}

TEST(sizes_that_no_host_has)
{
	static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 4096, SIZE_MAX / 2,
					(size_t)1 << 60 };
	struct lull_vec vec;
	struct lull_arena *arena;
	struct lull_error error;
	size_t i, j;

	if (test_sanitized() && !has_slabs)
		SKIP("a sanitizer's malloc ends the program");
	OPEN_OR_SKIP(arena, 0);
	for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++) {
		memset(&vec, 0xcc, sizeof(vec));
		EXPECT_EQ(LULL_NOMEM, lull_arena_carve(arena, sizes[i], 0,
						       "rows", &vec, &error));
		EXPECT_TRUE(strstr(error.msg, "rows: ") == error.msg);
		for (j = 0; j < sizeof(vec); j++)
			EXPECT_EQ(0xcc, ((uint8_t *)&vec)[j]);
		EXPECT_EQ(LULL_NOMEM, lull_arena_carve(arena, sizes[i], 0,
						       "rows", &vec, NULL));
	}
	/* It works as before. */
	vec = carve(arena, MIB, 0);
	lull_arena_retire(&vec);
	lull_arena_close(arena);
}

TEST(a_bound_holds)
{
	struct lull_vec vecs[9], more = { .bytes = 7 };
	struct lull_arena *arena;
	struct lull_error error;
	size_t nr = 0;

	OPEN_OR_SKIP(arena, 8 * MIB);
	while (nr < LULL_ARRAY_SIZE(vecs) &&
	       !lull_arena_carve(arena, MIB, 0, "a part", &vecs[nr], &error))
		nr++;
	EXPECT_EQ(8, nr);
	EXPECT_STREQ("a part: 1048576 bytes of memory could not be had: the "
		     "arena holds 8388608 bytes of at most 8388608",
		     error.msg);
	EXPECT_EQ(LULL_NOMEM,
		  lull_arena_carve(arena, MIB, 0, "a part", &more, NULL));
	EXPECT_EQ(7, more.bytes);
	lull_arena_retire(&vecs[3]);
	vecs[3] = carve(arena, MIB, 0);
	while (nr)
		lull_arena_retire(&vecs[--nr]);
	/* In one piece again. */
	vecs[0] = carve(arena, 8 * MIB, 0);
	lull_arena_retire(&vecs[0]);
	lull_arena_close(arena);
}

/* ---- secrets ----------------------------------------------------------- */

/* Free space is poisoned under AddressSanitizer. */
__attribute__((no_sanitize("address"))) static bool
holds(const volatile uint8_t *p, size_t bytes, uint8_t value)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (p[i] == value)
			return true;
	return false;
}

TEST(secrets_are_wiped)
{
	static const size_t sizes[] = { 32, 100 * KIB, 3 * MIB };
	struct lull_arena *arena;
	struct lull_vec vec;
	uint64_t wiped = 0;
	uint8_t *p;
	size_t i;

	OPEN_OR_SKIP(arena, 0);
	for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++) {
		vec = carve(arena, sizes[i], LULL_CARVE_SECRET);
		memset(vec.ptr, 0x5e, vec.bytes);
		p = vec.ptr;
		lull_arena_retire(&vec);
		/* Freed memory of malloc is not ours to look at. */
		if (has_slabs)
			EXPECT_TRUE(!holds(p, sizes[i], 0x5e));
		EXPECT_TRUE(stats_of(arena).wiped_bytes >= wiped + sizes[i]);
		wiped = stats_of(arena).wiped_bytes;
		/* What is no secret is left alone. */
		vec = carve(arena, sizes[i], 0);
		memset(vec.ptr, 0x5f, vec.bytes);
		p = vec.ptr;
		lull_arena_retire(&vec);
		if (has_slabs)
			EXPECT_TRUE(holds(p, sizes[i], 0x5f));
		EXPECT_EQ(wiped, stats_of(arena).wiped_bytes);
	}
	lull_arena_close(arena);
}

/* ---- used again -------------------------------------------------------- */

static long nr_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

/* A round of a prover: a small block that stays, a few large ones that go. */
static void round_of_work(struct lull_arena *arena, struct lull_vec *ret_small)
{
	struct lull_vec a = carve(arena, 5 * MIB + 1, LULL_CARVE_SECRET);
	struct lull_vec b = carve(arena, 300 * KIB, 0);
	struct lull_vec c;

	*ret_small = carve(arena, 96, 0);
	mark(&a, 1);
	mark(&b, 2);
	lull_arena_retire(&a);
	c = carve(arena, 9 * MIB, 0);
	mark(&c, 3);
	lull_arena_retire(&b);
	lull_arena_retire(&c);
}

TEST(equal_rounds_are_silent)
{
	struct lull_arena_stats was, is;
	struct lull_vec small[8];
	struct lull_arena *arena;
	long faults = 0;
	size_t i;

	OPEN_OR_SKIP(arena, 0);
	if (!has_slabs) {
		lull_arena_close(arena);
		SKIP("malloc's rounds are not silent");
	}
	for (i = 0; i < LULL_ARRAY_SIZE(small); i++) {
		round_of_work(arena, &small[i]);
		if (i) {
			faults = nr_faults() - faults;
			lull_arena_stats(arena, &is);
			EXPECT_EQ(was.faulted_bytes, is.faulted_bytes);
			EXPECT_EQ(was.zeroed_bytes, is.zeroed_bytes);
			EXPECT_EQ(was.held_bytes, is.held_bytes);
			EXPECT_EQ(was.fresh_bytes, is.fresh_bytes);
			EXPECT_EQ(0, is.unmapped_bytes);
			EXPECT_EQ(0, is.flushes);
			EXPECT_EQ(0, is.munmaps);
			EXPECT_TRUE(is.retired_bytes > was.retired_bytes);
			EXPECT_TRUE(is.kept_bytes > was.kept_bytes);
			if (!test_sanitized() && faults)
				TEST_FAIL_("round %zu: %ld page faults", i,
					   faults);
		}
		lull_arena_stats(arena, &was);
		faults = nr_faults();
	}
	for (i = 0; i < LULL_ARRAY_SIZE(small); i++)
		lull_arena_retire(&small[i]);
	lull_arena_close(arena);
}

TEST(malloc_is_not_silent)
{
	struct lull_arena_stats stats;
	struct lull_arena *arena;
	struct lull_vec small[2];

	OPEN_OR_SKIP(arena, 0);
	if (has_slabs) {
		lull_arena_close(arena);
		SKIP("of malloc carriers");
	}
	round_of_work(arena, &small[0]);
	round_of_work(arena, &small[1]);
	EXPECT_EQ(LULL_OK,
		  lull_arena_flush(arena, LULL_ARENA_WAIT_ALWAYS, NULL));
	lull_arena_stats(arena, &stats);
	EXPECT_EQ(6, stats.munmaps);
	EXPECT_EQ(6, stats.flushes);
	EXPECT_EQ(2 * (5 * MIB + 1 + 300 * KIB + 9 * MIB),
		  stats.unmapped_bytes);
	EXPECT_EQ(stats.unmapped_bytes + 2 * 96, stats.faulted_bytes);
	/* The two small ones are still held; closing waits for nobody. */
	lull_arena_close(arena);
	lull_arena_retire(&small[0]);
	lull_arena_retire(&small[1]);
}

TEST(idle_blocks_keep_their_data)
{
	struct lull_arena *arena;
	struct lull_vec vec, secret, small;

	OPEN_OR_SKIP(arena, 0);
	vec = carve(arena, 7 * MIB, 0);
	secret = carve(arena, 3 * MIB, LULL_CARVE_SECRET);
	small = carve(arena, 100, 0);
	mark(&vec, 1);
	mark(&secret, 2);
	mark(&small, 3);
	lull_arena_idle(&vec);
	lull_arena_idle(&vec);
	lull_arena_idle(&secret);
	lull_arena_idle(&small);
	/* Nobody else gets it meanwhile. */
	EXPECT_EQ(10 * MIB + (has_slabs ? 128 : 100),
		  stats_of(arena).used_bytes);
	EXPECT_EQ(LULL_OK, lull_arena_revive(&small, NULL));
	EXPECT_EQ(LULL_OK, lull_arena_revive(&secret, NULL));
	EXPECT_EQ(LULL_OK, lull_arena_revive(&vec, NULL));
	EXPECT_EQ(0, vec.fresh_bytes);
	EXPECT_EQ(LULL_OK, lull_arena_revive(&vec, NULL));
	EXPECT_TRUE(is_marked(&vec, 1));
	EXPECT_TRUE(is_marked(&secret, 2));
	EXPECT_TRUE(is_marked(&small, 3));
	/* An idle block may be given back as it is. */
	lull_arena_idle(&vec);
	lull_arena_retire(&vec);
	lull_arena_retire(&secret);
	lull_arena_retire(&small);
	lull_arena_close(arena);
}

/* ---- given back -------------------------------------------------------- */

TEST(flush_lets_everything_go)
{
	struct lull_arena_stats stats;
	struct lull_arena *arena;
	struct lull_vec a, b, c;

	OPEN_OR_SKIP(arena, 0);
	a = carve(arena, 4 * SLOT, 0);
	b = carve(arena, 4 * SLOT, 0);
	c = carve(arena, 4 * SLOT, 0);
	mark(&a, 1);
	mark(&b, 2);
	mark(&c, 3);
	lull_arena_retire(&a);
	lull_arena_retire(&c);
	EXPECT_EQ(LULL_OK,
		  lull_arena_flush(arena, LULL_ARENA_WAIT_ALWAYS, NULL));
	lull_arena_stats(arena, &stats);
	EXPECT_EQ(8 * SLOT, stats.unmapped_bytes);
	EXPECT_EQ(2, stats.flushes);
	if (has_slabs)
		EXPECT_EQ(4 * SLOT, stats.held_bytes);
	EXPECT_TRUE(is_marked(&b, 2));
	/* What went is new when it comes back. */
	a = carve(arena, 4 * SLOT, LULL_CARVE_ZERO);
	EXPECT_TRUE(is_zero(&a));
	if (has_slabs)
		EXPECT_EQ(4 * SLOT, a.fresh_bytes);
	mark(&a, 4);
	EXPECT_TRUE(is_marked(&a, 4));
	lull_arena_release(&a);
	lull_arena_release(&b);
	EXPECT_EQ(LULL_OK,
		  lull_arena_flush(arena, LULL_ARENA_WAIT_ALWAYS, NULL));
	lull_arena_stats(arena, &stats);
	EXPECT_EQ(16 * SLOT, stats.unmapped_bytes);
	if (has_slabs)
		EXPECT_EQ(0, stats.held_bytes);
	/* Nothing is left to let go. */
	EXPECT_EQ(LULL_OK, lull_arena_flush(arena, 100, NULL));
	EXPECT_EQ(16 * SLOT, stats_of(arena).unmapped_bytes);
	lull_arena_close(arena);
}

/* ---- marks ------------------------------------------------------------- */

static void *carve_elsewhere(void *arg)
{
	struct lull_vec *vec = arg;

	*vec = carve(vec->arena, MIB, 0);
	mark(vec, 9);
	return NULL;
}

TEST(rolled_back_to_a_mark)
{
	struct lull_vec first, before, other;
	struct lull_arena *arena;
	uint64_t outer, inner;
	pthread_t thread;
	unsigned int i;

	OPEN_OR_SKIP(arena, 0);
	first = carve(arena, 3 * MIB, 0);
	mark(&first, 1);
	outer = lull_arena_checkpoint(arena);
	before = carve(arena, 100, LULL_CARVE_SECRET);
	mark(&before, 2);
	inner = lull_arena_checkpoint(arena);
	other.arena = arena;
	ASSERT_EQ(0, pthread_create(&thread, NULL, carve_elsewhere, &other));
	pthread_join(thread, NULL);
	for (i = 0; i < 20; i++)
		carve(arena, 1 + i * 70 * KIB, 0);
	lull_arena_roll_back(arena, inner);
	lull_arena_roll_back(arena, inner);
	EXPECT_TRUE(is_marked(&before, 2));
	EXPECT_TRUE(is_marked(&first, 1));
	EXPECT_TRUE(is_marked(&other, 9));
	EXPECT_EQ(4 * MIB + (has_slabs ? 128 : 100),
		  stats_of(arena).used_bytes);
	lull_arena_roll_back(arena, outer);
	EXPECT_EQ(4 * MIB, stats_of(arena).used_bytes);
	EXPECT_TRUE(is_marked(&first, 1));
	lull_arena_retire(&first);
	lull_arena_retire(&other);
	EXPECT_EQ(0, stats_of(arena).used_bytes);
	lull_arena_close(arena);
}

TEST(blocks_outlive_a_closed_arena)
{
	struct lull_arena *arena;
	struct lull_vec a, b;

	OPEN_OR_SKIP(arena, 0);
	a = carve(arena, 3 * MIB, 0);
	b = carve(arena, 40, 0);
	mark(&a, 1);
	mark(&b, 2);
	lull_arena_close(arena);
	EXPECT_TRUE(is_marked(&a, 1));
	lull_arena_retire(&a);
	EXPECT_TRUE(is_marked(&b, 2));
	lull_arena_retire(&b);
}

/* ---- registered -------------------------------------------------------- */

#define PINS_MAX 64

static struct pins {
	struct {
		void *ptr;
		size_t bytes;
	} pieces[PINS_MAX];
	size_t nr, nr_undone;
	bool refuse;
} pins;

static int note_pin(void *arg, void *ptr, size_t bytes,
		    struct lull_error *reterr)
{
	struct pins *p = arg;

	if (p->refuse || p->nr == PINS_MAX)
		return lull_fail(reterr, LULL_DEVICE, "no more today");
	p->pieces[p->nr].ptr = ptr;
	p->pieces[p->nr++].bytes = bytes;
	return 0;
}

static void note_unpin(void *arg, void *ptr, size_t bytes)
{
	struct pins *p = arg;
	size_t i;

	for (i = 0; i < p->nr; i++)
		if (p->pieces[i].ptr == ptr && p->pieces[i].bytes == bytes)
			break;
	EXPECT_TRUE(i < p->nr);
	p->nr_undone++;
}

static const struct lull_arena_pin_ops pin_ops = {
	.pin = note_pin,
	.unpin = note_unpin,
};

/* All of it, piece by piece. */
static bool is_pinned(struct lull_arena *arena, const uint8_t *ptr,
		      size_t bytes)
{
	size_t run;

	while (bytes) {
		if (!lull_arena_pinned_run(arena, ptr, bytes, &run))
			return false;
		EXPECT_TRUE(run && run <= bytes);
		ptr += run;
		bytes -= run;
	}
	return true;
}

/* What is not registered ends where something registered begins. */
static void expect_runs(struct lull_arena *arena)
{
	uint8_t *first = pins.pieces[0].ptr;
	size_t bytes = pins.pieces[0].bytes, run;

	EXPECT_TRUE(!lull_arena_pinned_run(arena, first - 5, 3, &run));
	EXPECT_EQ(3, run);
	EXPECT_TRUE(!lull_arena_pinned_run(arena, first - 5, 5 + bytes, &run));
	EXPECT_EQ(5, run);
	EXPECT_TRUE(lull_arena_pinned_run(arena, first, bytes + 1, &run));
	EXPECT_EQ(bytes, run);
	EXPECT_TRUE(lull_arena_pinned_run(arena, first + bytes - 1, 1, &run));
	EXPECT_EQ(1, run);
}

static bool is_noted(const struct lull_arena *arena, const char *text)
{
	const char *note;
	size_t i;

	for (i = 0; (note = lull_arena_note(arena, i)); i++)
		if (strstr(note, text))
			return true;
	return false;
}

TEST(registered_once)
{
	struct lull_arena_stats stats;
	struct lull_arena *arena;
	struct lull_error error;
	struct lull_vec a, b;
	size_t nr;

	OPEN_OR_SKIP(arena, 0);
	memset(&pins, 0, sizeof(pins));
	if (!has_slabs) {
		EXPECT_EQ(LULL_UNSUPPORTED,
			  lull_arena_pin(arena, &pin_ops, &pins, &error));
		lull_arena_close(arena);
		return;
	}
	a = carve(arena, 2 * SLOT, 0);
	mark(&a, 1);
	EXPECT_EQ(LULL_OK, lull_arena_pin(arena, &pin_ops, &pins, NULL));
	EXPECT_EQ(LULL_USAGE, lull_arena_pin(arena, &pin_ops, &pins, &error));
	EXPECT_EQ(1, pins.nr);
	EXPECT_TRUE(is_pinned(arena, a.ptr, a.bytes));
	expect_runs(arena);
	b = carve(arena, 3 * SLOT, 0);
	EXPECT_TRUE(is_pinned(arena, b.ptr, b.bytes));
	EXPECT_TRUE(!is_pinned(arena, (uint8_t *)&pins, sizeof(pins)));
	EXPECT_TRUE(!is_pinned(arena, b.ptr, 64 * SLOT));
	nr = pins.nr;
	lull_arena_retire(&a);
	lull_arena_release(&b);
	EXPECT_EQ(LULL_OK, lull_arena_flush(arena, 1000, NULL));
	lull_arena_stats(arena, &stats);
	EXPECT_EQ(0, stats.unmapped_bytes);
	/* The module goes by the pins of the kernel, of which there are none. */
	if (CARRIER != LULL_ARENA_MODULE)
		EXPECT_EQ(stats.held_bytes, stats.pinned_bytes);
	a = carve(arena, 5 * SLOT, 0);
	EXPECT_EQ(nr, pins.nr);
	EXPECT_TRUE(is_pinned(arena, a.ptr, a.bytes));
	EXPECT_TRUE(!is_noted(arena, "no more today"));
	/* Who cannot register does not hinder. */
	pins.refuse = true;
	b = carve(arena, 64 * SLOT, 0);
	EXPECT_TRUE(!is_pinned(arena, b.ptr, b.bytes));
	EXPECT_TRUE(is_noted(arena, "failed, as others may: no more today"));
	EXPECT_EQ(LULL_OK, lull_arena_pin(arena, NULL, NULL, NULL));
	EXPECT_EQ(pins.nr, pins.nr_undone);
	EXPECT_EQ(0, stats_of(arena).pinned_bytes);
	EXPECT_TRUE(!is_pinned(arena, a.ptr, a.bytes));
	/* One that is still there when the arena ends. */
	pins.refuse = false;
	EXPECT_EQ(LULL_OK, lull_arena_pin(arena, &pin_ops, &pins, NULL));
	lull_arena_retire(&a);
	lull_arena_retire(&b);
	lull_arena_close(arena);
	EXPECT_EQ(pins.nr, pins.nr_undone);
}

/* ---- at random, and all at once ---------------------------------------- */

#define HELD_MAX 24

static size_t draw_size(uint64_t r)
{
	/* From bytes to a few MiB, small ones as often as large ones. */
	return 1 + (r >> 8) % ((size_t)16 << r % 19);
}

static void step(struct lull_arena *arena, struct lull_vec *held,
		 uint8_t *seeds, uint64_t r)
{
	size_t i = r % HELD_MAX;
	unsigned int flags = (unsigned int)(r >> 40) & 3;

	r = r / HELD_MAX;
	if (!held[i].ptr) {
		held[i] = carve(arena, draw_size(r), flags);
		if (flags & LULL_CARVE_ZERO && !is_zero(&held[i]))
			TEST_FAIL_("%zu bytes are not zero", held[i].bytes);
		seeds[i] = (uint8_t)(r >> 3);
		mark(&held[i], seeds[i]);
		return;
	}
	if (!is_marked(&held[i], seeds[i]))
		TEST_FAIL_("a block of %zu bytes has changed", held[i].bytes);
	switch (r % 8) {
	case 0:
		lull_arena_idle(&held[i]);
		if (lull_arena_revive(&held[i], NULL))
			TEST_FAIL_("not revived");
		if (held[i].fresh_bytes)
			mark(&held[i], seeds[i]);
		return;
	case 1:
		lull_arena_release(&held[i]);
		return;
	case 2:
		if (r % 64 == 2)
			lull_arena_flush(arena, LULL_ARENA_WAIT_ALWAYS, NULL);
		return;
	default:
		lull_arena_retire(&held[i]);
	}
}

struct walk {
	struct lull_arena *arena;
	uint64_t seed;
	unsigned int nr_steps;
};

static void *walk(void *arg)
{
	struct lull_vec held[HELD_MAX] = { 0 };
	uint8_t seeds[HELD_MAX] = { 0 };
	struct walk *w = arg;
	uint64_t x = w->seed;
	unsigned int i;

	for (i = 0; i < w->nr_steps; i++) {
		/* splitmix64's finish: every bit depends on every other. */
		x += 0x9e3779b97f4a7c15u;
		step(w->arena, held, seeds,
		     (x ^ x >> 30) * 0xbf58476d1ce4e5b9u >> 3);
	}
	for (i = 0; i < HELD_MAX; i++)
		lull_arena_retire(&held[i]);
	return NULL;
}

#define NR_PIECES 64

/* Given back in another order, free pieces become the one they were. */
TEST(free_space_is_joined)
{
	const size_t piece = 300 * KIB;
	struct lull_vec vecs[NR_PIECES], whole;
	struct lull_arena *arena;
	uint8_t *first;
	size_t i;

	OPEN_OR_SKIP(arena, 0);
	for (i = 0; i < NR_PIECES; i++)
		vecs[i] = carve(arena, piece, 0);
	first = vecs[0].ptr;
	for (i = 0; i < NR_PIECES; i++)
		lull_arena_retire(&vecs[i * 37 % NR_PIECES]);
	whole = carve(arena, NR_PIECES * piece, 0);
	if (has_slabs)
		EXPECT_TRUE(whole.ptr == first);
	lull_arena_retire(&whole);
	lull_arena_close(arena);
}

TEST(at_random)
{
	struct walk w = { .seed = 1, .nr_steps = 1500 };

	OPEN_OR_SKIP(w.arena, 0);
	walk(&w);
	EXPECT_EQ(0, stats_of(w.arena).used_bytes);
	lull_arena_close(w.arena);
}

TEST(from_many_threads)
{
	pthread_t threads[NR_THREADS];
	struct walk walks[NR_THREADS];
	struct lull_arena *arena;
	size_t i;

	OPEN_OR_SKIP(arena, 0);
	for (i = 0; i < NR_THREADS; i++) {
		walks[i] = (struct walk){ arena, 100 + i, 1000 };
		ASSERT_EQ(0,
			  pthread_create(&threads[i], NULL, walk, &walks[i]));
	}
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, stats_of(arena).used_bytes);
	lull_arena_close(arena);
}

#endif
