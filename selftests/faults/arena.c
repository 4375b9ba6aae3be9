// SPDX-License-Identifier: Apache-2.0
/*
 * arena.c - an arena with one call to the system failing after another
 *
 * A call that fails is told of, or does not matter: the work then goes on with
 * its data intact.  In either case nothing is left behind.
 */
#include <string.h>

#include "arena/arena.h"
#include "base/base.h"
#include "harness.h"
#include "lull.h"

#include "../arena/pool.h"
#include "wrap.h"

#define MIB ((size_t)1 << 20)
#define NR_FAULTS_MAX 400

static enum lull_arena_carrier carrier;
static struct lull_error absent;

static void mark(const struct lull_vec *vec, int value)
{
	memset(vec->ptr, value, vec->bytes);
}

static bool is_marked(const struct lull_vec *vec, int value)
{
	const uint8_t *p = vec->ptr;

	return p[0] == value && !memcmp(p, p + 1, vec->bytes - 1);
}

/* Blocks of every kind, taken and given back in every way. */
static int work(struct lull_arena *arena, struct lull_error *error)
{
	struct lull_vec a, b, c;
	uint64_t start = lull_arena_checkpoint(arena);
	int err;

	err = lull_arena_carve(arena, 5 * MIB, 0, "a", &a, error);
	if (!err)
		err = lull_arena_carve(arena, 3 * MIB, LULL_CARVE_SECRET, "b",
				       &b, error);
	if (!err)
		err = lull_arena_carve(arena, 77, LULL_CARVE_ZERO, "c", &c,
				       error);
	if (err)
		goto roll_back;
	mark(&a, 1);
	mark(&b, 2);
	mark(&c, 3);
	lull_arena_idle(&a);
	err = lull_arena_revive(&a, error);
	if (err)
		goto roll_back;
	EXPECT_TRUE(a.fresh_bytes || is_marked(&a, 1));
	lull_arena_retire(&a);
	EXPECT_TRUE(is_marked(&b, 2) && is_marked(&c, 3));
	err = lull_arena_carve(arena, 4 * MIB, LULL_CARVE_ZERO, "a", &a, error);
	if (err)
		goto roll_back;
	EXPECT_TRUE(is_marked(&a, 0));
	EXPECT_TRUE(is_marked(&b, 2) && is_marked(&c, 3));
	lull_arena_release(&a);
	err = lull_arena_flush(arena, LULL_ARENA_WAIT_ALWAYS, error);
	if (!err)
		err = lull_arena_carve(arena, 7 * MIB, LULL_CARVE_ZERO, "a", &a,
				       error);
	if (!err)
		EXPECT_TRUE(is_marked(&a, 0));
	EXPECT_TRUE(is_marked(&b, 2) && is_marked(&c, 3));

roll_back:
	lull_arena_roll_back(arena, start);
	return err;
}

static int open_and_work(struct lull_error *error)
{
	const struct lull_arena_opts opts = { .carrier = carrier,
					      .bytes_max = 64 * MIB,
					      .node = LULL_ARENA_NODE_ANY,
					      .secret = true };
	struct lull_arena *arena = (void *)&carrier;
	int err;

	err = lull_arena_open(&opts, &arena, error);
	if (err) {
		EXPECT_TRUE(arena == (void *)&carrier);
		return err;
	}
	err = work(arena, error);
	/* Whatever went wrong, once more it goes well. */
	wrapped.fault = FAULT_NONE;
	if (err)
		EXPECT_EQ(LULL_OK, work(arena, NULL));
	lull_arena_close(arena);
	return err;
}

static void expect_told(int err, const struct lull_error *error,
			const char *met, unsigned int nth)
{
	if (err >= 0 || error->code != err || !error->msg[0] ||
	    strchr(error->msg, '\n'))
		TEST_FAIL_("%s, call %u: returns %d, error says %d", met, nth,
			   err, error->code);
}

static void try_carrier(enum lull_arena_carrier which, unsigned int nr_least)
{
	struct lull_error error;
	unsigned int nth;
	const char *met;
	int err;

	carrier = which;
	if (open_and_work(&absent))
		SKIP(absent.msg);
	for (nth = 1; nth < NR_FAULTS_MAX; nth++) {
		memset(&error, 0xcc, sizeof(error));
		wrap_arm(FAULT_FAIL, nth, EIO);
		err = open_and_work(&error);
		met = wrap_disarm();
		if (wrapped.blocks || wrapped.mapped)
			TEST_FAIL_("%s, call %u: %ld blocks and %ld mapped "
				   "bytes are left",
				   met, nth, wrapped.blocks, wrapped.mapped);
		if (!met)
			break;
		if (err)
			expect_told(err, &error, met, nth);
	}
	EXPECT_EQ(LULL_OK, err);
	if (nth <= nr_least || nth == NR_FAULTS_MAX)
		TEST_FAIL_("%u calls that can fail", nth - 1);
}

TEST(thp)
{
	try_carrier(LULL_ARENA_THP, 6);
}

TEST(hugetlb)
{
	if (small_pool())
		SKIP(small_pool());
	try_carrier(LULL_ARENA_HUGETLB, 8);
}

TEST(module)
{
	try_carrier(LULL_ARENA_MODULE, 12);
}

TEST(malloc)
{
	try_carrier(LULL_ARENA_MALLOC, 8);
}

TEST(malloc_serial)
{
	try_carrier(LULL_ARENA_MALLOC_SERIAL, 6);
}

/* auto goes on to the next carrier. */
TEST(automatic)
{
	try_carrier(LULL_ARENA_AUTO, 6);
}

TEST_MAIN
