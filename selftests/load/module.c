// SPDX-License-Identifier: Apache-2.0
/*
 * module.c - loaders and memory of /dev/lull_arena; for a virtual machine
 *
 * Kernels from 6.5 on take it for fixed buffers, older ones refuse, and then
 * reads go to plain buffers.  Either way every byte is right, and memory that
 * is registered stays where it is.
 */
#include <sys/utsname.h>

#include "load/variants.h"

#define FILE_BYTES (9 * MIB + 700)
#define CYCLES 4

static struct lull_arena *arena;

/* False, and the reason, where there is no such memory. */
static bool open_arena(struct lull_error *error)
{
	const struct lull_arena_opts opts = {
		.carrier = LULL_ARENA_MODULE,
		.node = LULL_ARENA_NODE_ANY,
	};

	return !lull_arena_open(&opts, &arena, error);
}

static struct lull_loader *open_loader(enum lull_loader_kind kind)
{
	const struct lull_loader_opts opts = { .kind = kind,
					       .arena = arena,
					       .nr_threads = 2,
					       .node = LULL_ARENA_NODE_ANY,
					       .fixed_bytes_min = 1 };
	struct lull_loader *loader = NULL;
	struct lull_error error;

	if (lull_loader_open(&opts, &loader, &error))
		TEST_FAIL_("%s", error.msg);
	return loader;
}

/* Reads the file into memory that is carved for it and retired again. */
static void read_file(struct lull_loader *loader, const struct test_file *file)
{
	struct place place = make_place(arena, FILE_BYTES, 0);
	struct lull_file_extent extent = extent_of(file, 0, FILE_BYTES, &place);
	const struct lull_load load = { .extents = &extent, .nr_extents = 1 };

	expect_read(loader, &load, "module");
	EXPECT_EQ(0, count_wrong(file, 0, place.to, FILE_BYTES));
	expect_margins(&place);
	lull_arena_retire(&place.vec);
}

static bool kernel_has_fixed(void)
{
	struct utsname uts;
	unsigned int major = 0, minor = 0;

	uname(&uts);
	sscanf(uts.release, "%u.%u", &major, &minor);
	return major > 6 || (major == 6 && minor >= 5);
}

static uint64_t unmapped(void)
{
	struct lull_arena_stats stats;

	lull_arena_stats(arena, &stats);
	return stats.unmapped_bytes;
}

static void try_uring(const struct test_file *file)
{
	struct lull_loader *loader = open_loader(LULL_LOADER_URING);
	struct lull_loader_stats stats;
	const char *note;
	unsigned int i;

	ASSERT_TRUE(loader != NULL);
	for (i = 0; i < CYCLES; i++)
		read_file(loader, file);
	lull_loader_stats(loader, &stats);
	printf("# %llu bytes direct, %llu fixed\n",
	       (unsigned long long)stats.direct_bytes,
	       (unsigned long long)stats.fixed_bytes);
	if (kernel_has_fixed()) {
		EXPECT_EQ(stats.direct_bytes + stats.buffered_bytes,
			  stats.fixed_bytes);
		EXPECT_TRUE(stats.registered_bytes >= FILE_BYTES);
		/* Registered: it stays, and is read into again. */
		EXPECT_EQ(LULL_OK, lull_arena_flush(arena, 5000, NULL));
		EXPECT_EQ(0, unmapped());
		read_file(loader, file);
		lull_loader_unregister(loader);
		EXPECT_EQ(LULL_OK, lull_arena_flush(arena, 5000, NULL));
		/* But what lies in a slot with small blocks, of buffers. */
		EXPECT_TRUE(unmapped() >= FILE_BYTES - LULL_ARENA_SLOT_BYTES);
		read_file(loader, file);
	} else {
		lull_loader_stats(loader, &stats);
		note = lull_loader_note(loader, 0);
		EXPECT_EQ(0, stats.fixed_bytes);
		EXPECT_EQ(0, stats.registered_bytes);
		EXPECT_STREQ("uring: fixed buffers: Operation not supported "
			     "(kernels before 6.5 refuse the module's memory): "
			     "plain ones",
			     note ? note : "");
	}
	lull_loader_close(loader);
}

TEST(fixed_buffers_of_the_module)
{
	struct test_file file;
	struct lull_error error;
	static char why[256];

	if (left_out("uring"))
		return;
	if (!open_arena(&error)) {
		snprintf(why, sizeof(why), "%s", error.msg);
		SKIP(why);
	}
	file = make_file(21, FILE_BYTES);
	try_uring(&file);
	end_file(&file);
	lull_arena_close(arena);
}

TEST(twins)
{
	static const enum lull_loader_kind kinds[] = { LULL_LOADER_PREAD,
						       LULL_LOADER_MMAP,
						       LULL_LOADER_AUTO };
	struct lull_loader *loader;
	struct test_file file;
	struct lull_error error;
	static char why[256];
	size_t i;

	if (!open_arena(&error)) {
		snprintf(why, sizeof(why), "%s", error.msg);
		SKIP(why);
	}
	file = make_file(22, FILE_BYTES);
	for (i = 0; i < LULL_ARRAY_SIZE(kinds); i++) {
		loader = open_loader(kinds[i]);
		ASSERT_TRUE(loader != NULL);
		read_file(loader, &file);
		lull_loader_close(loader);
	}
	end_file(&file);
	lull_arena_close(arena);
}

TEST_MAIN
