// SPDX-License-Identifier: Apache-2.0
/*
 * units.c - units land once, in place; faults and cancellations end a load
 */
#include "arena/node.h"
#include "load/variants.h"

#define UNITS_MAX 70000

/* Counts each unit, compares it with the file and turns it round in place. */
struct landing {
	const struct test_file *file;
	atomic_uchar nr_landed[UNITS_MAX];
	atomic_uint nr_wrong;
	uint64_t bad[2]; /* units that are refused; UINT64_MAX for none */
	atomic_bool *cancel_at_first;
};

static int land(void *arg, const struct lull_file_extent *extent,
		uint64_t first, size_t nr, uint8_t *units,
		struct lull_error *reterr)
{
	struct landing *landing = arg;
	size_t unit = extent->unit_bytes, i, k;

	if (landing->cancel_at_first)
		atomic_store(landing->cancel_at_first, true);
	for (i = 0; i < nr; i++, units += unit) {
		if (first + i == landing->bad[0] ||
		    first + i == landing->bad[1]) {
			reterr->code = LULL_RANGE;
			reterr->sys_errno = 0;
			snprintf(reterr->msg, sizeof(reterr->msg), "unit %llu",
				 (unsigned long long)(first + i));
			return LULL_RANGE;
		}
		atomic_fetch_add(&landing->nr_landed[first + i], 1);
		if (count_wrong(landing->file,
				extent->offset + (first + i) * unit, units,
				unit))
			atomic_fetch_add(&landing->nr_wrong, 1);
		for (k = 0; k < unit; k++)
			units[k] ^= 0xff;
	}
	return LULL_OK;
}

static struct landing landing;

static void reset_landing(const struct test_file *file)
{
	memset(&landing, 0, sizeof(landing));
	landing.file = file;
	landing.bad[0] = landing.bad[1] = UINT64_MAX;
}

static void try_units(struct lull_loader *loader, const struct test_file *file,
		      uint64_t offset, size_t unit, size_t nr, size_t shift)
{
	struct place place = make_place(test_arena(), nr * unit, shift);
	struct lull_file_extent extent =
		extent_of(file, offset, nr * unit, &place);
	const struct lull_load load = { .extents = &extent,
					.nr_extents = 1,
					.land = land,
					.arg = &landing };
	size_t i, wrong = 0;

	extent.kind = LULL_EXTENT_SCALARS;
	extent.unit_bytes = unit;
	reset_landing(file);
	expect_read(loader, &load, "units");
	EXPECT_EQ(0, landing.nr_wrong);
	for (i = 0; i < UNITS_MAX; i++)
		wrong += landing.nr_landed[i] != (i < nr);
	EXPECT_EQ(0, wrong);
	for (i = 0; i < nr * unit; i++)
		wrong += (place.to[i] ^ file_byte(file->seed, offset + i)) !=
			 0xff;
	if (wrong)
		TEST_FAIL_("offset %llu, %zu units of %zu: %zu are wrong",
			   (unsigned long long)offset, nr, unit, wrong);
	expect_margins(&place);
	lull_arena_retire(&place.vec);
}

/* Units across sectors and chunks, each handed over once. */
TEST(units_land_once)
{
	static const size_t units[] = { 1, 32, 44, 48, 96, 192, 511, 512 };
	struct test_file file = make_file(3, 70000);
	struct lull_loader *loader;
	size_t v, u, i, nr, offset;

	for (v = next_variant(0); v < NR_VARIANTS; v = next_variant(v + 1)) {
		loader = open_variant(v);
		ASSERT_TRUE(loader != NULL);
		for (u = 0; u < LULL_ARRAY_SIZE(units); u++) {
			try_units(loader, &file, 76, units[u], 1, 0);
			try_units(loader, &file, 500, units[u],
				  69000 / units[u], 0);
			for (i = 0; i < 6; i++) {
				offset = test_random() % 5000;
				nr = test_random() % (65000 / units[u]);
				try_units(loader, &file, offset, units[u], nr,
					  test_random() % 600);
			}
		}
		lull_loader_close(loader);
	}
	end_file(&file);
}

/* The first of two faults is told, whichever was met before. */
TEST(units_that_are_refused)
{
	struct test_file file = make_file(4, 3 * MIB);
	const size_t nr = 3 * MIB / 512 - 1;
	struct place place = make_place(test_arena(), nr * 512, 0);
	struct lull_file_extent extent = extent_of(&file, 76, nr * 512, &place);
	const struct lull_load load = { .extents = &extent,
					.nr_extents = 1,
					.land = land,
					.arg = &landing };
	uint64_t used = arena_used();
	struct lull_loader *loader;
	struct lull_error error;
	unsigned int fds = nr_open_files(), round;
	size_t v;

	extent.unit_bytes = 512;
	for (v = next_variant(0); v < NR_VARIANTS; v = next_variant(v + 1)) {
		loader = open_variant(v);
		ASSERT_TRUE(loader != NULL);
		for (round = 0; round < 20; round++) {
			reset_landing(&file);
			landing.bad[0] = 6000 - round;
			landing.bad[1] = 137 * round;
			memset(&error, 0xcc, sizeof(error));
			EXPECT_EQ(LULL_RANGE,
				  lull_loader_read(loader, &load, &error));
			EXPECT_EQ(LULL_RANGE, error.code);
			EXPECT_EQ(landing.bad[1],
				  strtoull(error.msg + strlen("unit "), NULL,
					   10));
		}
		/* And then it goes well again. */
		reset_landing(&file);
		expect_read(loader, &load, variants[v].name);
		lull_loader_close(loader);
		EXPECT_EQ(used, arena_used());
		EXPECT_TRUE(!more_files_stay_open(fds));
	}
	expect_margins(&place);
	lull_arena_retire(&place.vec);
	end_file(&file);
}

TEST(canceled)
{
	struct test_file file = make_file(5, 8 * MIB);
	struct place place = make_place(test_arena(), 8 * MIB, 0);
	struct lull_file_extent extent = extent_of(&file, 0, 8 * MIB, &place);
	atomic_bool cancel = true;
	const struct lull_load load = { .extents = &extent,
					.nr_extents = 1,
					.land = land,
					.arg = &landing,
					.cancel = &cancel };
	uint64_t used = arena_used();
	struct lull_loader *loader;
	struct lull_error error;
	size_t v;

	extent.unit_bytes = 512;
	for (v = next_variant(0); v < NR_VARIANTS; v = next_variant(v + 1)) {
		loader = open_variant(v);
		ASSERT_TRUE(loader != NULL);
		/* Before it began. */
		reset_landing(&file);
		atomic_store(&cancel, true);
		EXPECT_EQ(LULL_CANCELED,
			  lull_loader_read(loader, &load, &error));
		EXPECT_STREQ("canceled while reading test.bin", error.msg);
		EXPECT_EQ(used, arena_used());
		/* Never. */
		atomic_store(&cancel, false);
		expect_read(loader, &load, variants[v].name);
		/* Meanwhile: some may already be over. */
		landing.cancel_at_first = &cancel;
		lull_loader_read(loader, &load, &error);
		EXPECT_TRUE(atomic_load(&cancel));
		lull_loader_close(loader);
		EXPECT_EQ(used, arena_used());
	}
	expect_margins(&place);
	lull_arena_retire(&place.vec);
	end_file(&file);
}

/* ---- threads on a node ------------------------------------------------- */

static int land_on_node(void *arg, const struct lull_file_extent *extent,
			uint64_t first, size_t nr, uint8_t *units,
			struct lull_error *reterr)
{
	const int *node = arg;

	(void)extent;
	(void)first;
	(void)nr;
	(void)units;
	(void)reterr;
	/* Of the CPUs that this thread may use. */
	EXPECT_EQ(*node, lull_arena_node_here());
	return LULL_OK;
}

TEST(threads_on_a_node)
{
	struct test_file file = make_file(6, 100000);
	struct place place = make_place(test_arena(), 100000, 0);
	struct lull_file_extent extent = extent_of(&file, 0, 100000, &place);
	struct lull_loader_opts opts;
	struct lull_loader *loader;
	int node, nr = 0;
	const struct lull_load load = { .extents = &extent,
					.nr_extents = 1,
					.land = land_on_node,
					.arg = &node };
	size_t v;

	extent.unit_bytes = 32;
	for (node = 0; !lull_arena_node_check(node, NULL); node++, nr++) {
		for (v = next_variant(0); v < NR_VARIANTS;
		     v = next_variant(v + 1)) {
			opts = variants[v].opts;
			opts.arena = test_arena();
			opts.nr_threads = 2;
			opts.node = node;
			ASSERT_EQ(LULL_OK,
				  lull_loader_open(&opts, &loader, NULL));
			expect_read(loader, &load, variants[v].name);
			EXPECT_EQ(0, count_wrong(&file, 0, place.to, 100000));
			lull_loader_close(loader);
		}
	}
	printf("# %d nodes\n", nr);
	EXPECT_TRUE(nr > 0);
	lull_arena_retire(&place.vec);
	end_file(&file);
}

TEST_MAIN
