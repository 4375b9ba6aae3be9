// SPDX-License-Identifier: Apache-2.0
/*
 * load.c - every loader on every kind of input, bytes and margins compared
 */
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/statvfs.h>

#include "arena/node.h"
#include "load/cache.h"
#include "load/variants.h"

/* One extent, read and compared. */
static void try_extent(struct lull_loader *loader, const struct test_file *file,
		       uint64_t offset, size_t bytes, size_t shift,
		       const char *what)
{
	struct place place = make_place(test_arena(), bytes, shift);
	struct lull_file_extent extent = extent_of(file, offset, bytes, &place);
	const struct lull_load load = { .extents = &extent, .nr_extents = 1 };
	size_t wrong;

	expect_read(loader, &load, what);
	wrong = count_wrong(file, offset, place.to, bytes);
	if (wrong)
		TEST_FAIL_("%s: offset %llu, %zu bytes, memory + %zu: %zu "
			   "bytes are wrong",
			   what, (unsigned long long)offset, bytes, shift,
			   wrong);
	expect_margins(&place);
	lull_arena_retire(&place.vec);
}

static const size_t sizes[] = {
	0,    1,    2,	  31,	 32,	33,    511,	512,
	513,  1023, 1024, 1025,	 4095,	4096,  4097,	8191,
	8192, 8193, 9000, 65535, 65536, 65537, MIB - 1, 5 * MIB + 123,
};

TEST(whole_files_of_every_size)
{
	unsigned int fds = nr_open_files();
	struct lull_loader *loader;
	struct test_file file;
	uint64_t used = arena_used();
	size_t i, v;

	for (v = next_variant(0); v < NR_VARIANTS; v = next_variant(v + 1)) {
		loader = open_variant(v);
		ASSERT_TRUE(loader != NULL);
		for (i = 0; i < LULL_ARRAY_SIZE(sizes); i++) {
			file = make_file((unsigned int)i, sizes[i]);
			try_extent(loader, &file, 0, sizes[i], 0,
				   variants[v].name);
			end_file(&file);
		}
		lull_loader_close(loader);
	}
	EXPECT_TRUE(!more_files_stay_open(fds));
	EXPECT_EQ(used, arena_used());
}

/* File and memory aligned and not, in every combination. */
TEST(every_alignment)
{
	static const size_t offsets[] = { 0,   1,    76,   511, 512,
					  513, 4095, 4096, 4100 };
	static const size_t lengths[] = { 1,	511,  512,  513,
					  4095, 4096, 4097, 20000 };
	static const size_t shifts[] = { 0, 1, 4, 63, 64, 436, 512, 3584 };
	struct test_file file = make_file(7, 30000);
	struct lull_loader *loader;
	size_t v, i, k, l;

	for (v = next_variant(0); v < NR_VARIANTS; v = next_variant(v + 1)) {
		loader = open_variant(v);
		ASSERT_TRUE(loader != NULL);
		for (i = 0; i < LULL_ARRAY_SIZE(offsets); i++)
			for (k = 0; k < LULL_ARRAY_SIZE(lengths); k++)
				for (l = 0; l < LULL_ARRAY_SIZE(shifts); l++)
					try_extent(loader, &file, offsets[i],
						   lengths[k], shifts[l],
						   variants[v].name);
		/* Up to the last byte, which is within a sector. */
		try_extent(loader, &file, 29999, 1, 3, variants[v].name);
		try_extent(loader, &file, 29696, 304, 0, variants[v].name);
		try_extent(loader, &file, 30000, 0, 0, variants[v].name);
		lull_loader_close(loader);
	}
	end_file(&file);
}

/* ---- many at once ------------------------------------------------------ */

/* More than the ring has registered places for. */
#define NR_FILES 90
#define NR_EXTENTS (3 * NR_FILES)

struct many {
	struct test_file files[NR_FILES];
	struct place places[NR_EXTENTS];
	struct lull_file_extent extents[NR_EXTENTS];
	atomic_uint nr_done[NR_EXTENTS];
};

static void count_done(void *arg, const struct lull_file_extent *extent)
{
	struct many *many = arg;
	size_t i = (size_t)(extent - many->extents);

	atomic_fetch_add(&many->nr_done[i], 1);
	/* It is there, whole. */
	if (extent->bytes &&
	    ((uint8_t *)extent->to)[extent->bytes - 1] !=
		    file_byte(many->files[i % NR_FILES].seed,
			      extent->offset + extent->bytes - 1))
		TEST_FAIL_("extent %zu: told before its end was there", i);
}

/* The same files every time: a file that was just written is slow to read
 * behind the page cache's back. */
static void make_files(struct test_file *files)
{
	static struct test_file made[NR_FILES];
	size_t i;

	for (i = 0; i < NR_FILES && !made[NR_FILES - 1].source.name; i++)
		made[i] = make_file((unsigned int)i, test_random() % 40000);
	memcpy(files, made, sizeof(made));
}

static void draw_many(struct many *many)
{
	uint64_t offset;
	size_t i, bytes;

	memset(many, 0, sizeof(*many));
	make_files(many->files);
	for (i = 0; i < NR_EXTENTS; i++) {
		const struct test_file *file = &many->files[i % NR_FILES];

		offset = test_random() % (file->source.bytes + 1);
		bytes = test_random() % (file->source.bytes - offset + 1);
		many->places[i] =
			make_place(test_arena(), bytes, test_random() % 600);
		many->extents[i] =
			extent_of(file, offset, bytes, &many->places[i]);
	}
}

static void end_many(struct many *many)
{
	size_t i;

	for (i = 0; i < NR_EXTENTS; i++) {
		EXPECT_EQ(1, atomic_load(&many->nr_done[i]));
		EXPECT_EQ(0, count_wrong(&many->files[i % NR_FILES],
					 many->extents[i].offset,
					 many->extents[i].to,
					 many->extents[i].bytes));
		expect_margins(&many->places[i]);
		lull_arena_retire(&many->places[i].vec);
	}
}

static void read_many(struct lull_loader *loader, struct many *many,
		      const char *what)
{
	const struct lull_load load = { .extents = many->extents,
					.nr_extents = NR_EXTENTS,
					.done = count_done,
					.arg = many,
					.secret = true };

	expect_read(loader, &load, what);
}

TEST(many_files_at_once)
{
	static struct many many;
	struct lull_loader_stats stats;
	struct lull_loader *loader;
	uint64_t bytes;
	size_t v, i;

	for (v = next_variant(0); v < NR_VARIANTS; v = next_variant(v + 1)) {
		loader = open_variant(v);
		ASSERT_TRUE(loader != NULL);
		draw_many(&many);
		read_many(loader, &many, variants[v].name);
		for (i = 0, bytes = 0; i < NR_EXTENTS; i++)
			bytes += many.extents[i].bytes;
		lull_loader_stats(loader, &stats);
		EXPECT_EQ(bytes, stats.bytes);
		EXPECT_EQ(1, stats.loads);
		EXPECT_EQ(0, stats.short_reads);
		end_many(&many);
		lull_loader_close(loader);
	}
}

#define NR_CALLERS 4

struct caller {
	struct lull_loader *loader;
	struct many many;
	pthread_t thread;
};

static void *call(void *arg)
{
	struct caller *caller = arg;

	read_many(caller->loader, &caller->many, "one of several");
	return NULL;
}

TEST(several_callers)
{
	static struct caller callers[NR_CALLERS];
	struct lull_loader *loader;
	size_t v, i;

	for (v = next_variant(0); v < NR_VARIANTS; v = next_variant(v + 1)) {
		loader = open_variant(v);
		ASSERT_TRUE(loader != NULL);
		for (i = 0; i < NR_CALLERS; i++) {
			callers[i].loader = loader;
			draw_many(&callers[i].many);
		}
		for (i = 0; i < NR_CALLERS; i++)
			ASSERT_EQ(0, pthread_create(&callers[i].thread, NULL,
						    call, &callers[i]));
		for (i = 0; i < NR_CALLERS; i++)
			pthread_join(callers[i].thread, NULL);
		for (i = 0; i < NR_CALLERS; i++)
			end_many(&callers[i].many);
		lull_loader_close(loader);
	}
}

/* ---- what cannot be read ----------------------------------------------- */

static void expect_refused(struct lull_loader *loader,
			   const struct lull_load_file *source, uint64_t offset,
			   size_t bytes, int code, const char *msg)
{
	struct place place = make_place(test_arena(), 64, 0);
	const struct lull_file_extent extent = { .source = source,
						 .offset = offset,
						 .bytes = bytes,
						 .to = place.to };
	const struct lull_load load = { .extents = &extent, .nr_extents = 1 };
	struct lull_error error = { .msg = "" };

	EXPECT_EQ(code, lull_loader_read(loader, &load, &error));
	EXPECT_STREQ(msg, error.msg);
	place.bytes = 0; /* not a byte was written */
	expect_margins(&place);
	lull_arena_retire(&place.vec);
}

static void try_refused(struct lull_loader *loader)
{
	struct test_file file = make_file(6, 1000);
	struct lull_load_file other = { .bytes = 64, .name = "other" };
	int pair[2];

	expect_refused(loader, &file.source, 990, 11, LULL_RANGE,
		       "test.bin: offset 0x3de: expected 11 bytes, found a "
		       "file of 1000");
	expect_refused(loader, &file.source, UINT64_MAX, 2, LULL_RANGE,
		       "test.bin: offset 0xffffffffffffffff: expected 2 bytes, "
		       "found a file of 1000");
	ASSERT_EQ(0, pipe(pair));
	other.fd = pair[0];
	expect_refused(loader, &other, 0, 64, LULL_USAGE,
		       "other: expected a file that can be read at any offset, "
		       "found a pipe");
	close(pair[0]);
	close(pair[1]);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	other.fd = pair[0];
	expect_refused(loader, &other, 0, 64, LULL_USAGE,
		       "other: expected a file that can be read at any offset, "
		       "found a socket");
	close(pair[0]);
	close(pair[1]);
	other.fd = open("/dev/zero", O_RDONLY);
	expect_refused(loader, &other, 0, 64, LULL_USAGE,
		       "other: expected a file that can be read at any offset, "
		       "found a device");
	close(other.fd);
	other.fd = open("/", O_RDONLY);
	expect_refused(loader, &other, 0, 64, LULL_USAGE,
		       "other: expected a file that can be read at any offset, "
		       "found a directory");
	close(other.fd);
	other.fd = -1;
	expect_refused(loader, &other, 0, 64, LULL_IO,
		       "other: Bad file descriptor");
	end_file(&file);
}

TEST(what_cannot_be_read)
{
	struct lull_loader *loader;
	size_t v;

	for (v = next_variant(0); v < NR_VARIANTS; v = next_variant(v + 1)) {
		loader = open_variant(v);
		ASSERT_TRUE(loader != NULL);
		try_refused(loader);
		lull_loader_close(loader);
	}
}

/* The size that the caller knows is the file's no more. */
TEST(cut_short)
{
	static const size_t kept[] = { 0, 1, 5000, 40000, 65536 };
	struct place place = make_place(test_arena(), 100000, 0);
	struct lull_file_extent extent;
	const struct lull_load load = { .extents = &extent, .nr_extents = 1 };
	struct lull_loader *loader;
	struct lull_error error;
	struct test_file file;
	char msg[256];
	size_t v, i;

	for (v = next_variant(0); v < NR_VARIANTS; v = next_variant(v + 1)) {
		loader = open_variant(v);
		ASSERT_TRUE(loader != NULL);
		for (i = 0; i < LULL_ARRAY_SIZE(kept); i++) {
			file = make_file(8, 100000);
			extent = extent_of(&file, 0, 100000, &place);
			ASSERT_EQ(0, ftruncate(file.source.fd, (off_t)kept[i]));
			memset(&error, 0, sizeof(error));
			EXPECT_EQ(LULL_IO,
				  lull_loader_read(loader, &load, &error));
			snprintf(msg, sizeof(msg),
				 "test.bin: offset 0x%zx: expected 100000 "
				 "bytes in all, found the end: the file was "
				 "cut short while it was read",
				 kept[i]);
			/* A mapping ends with a page. */
			if (variants[v].opts.kind != LULL_LOADER_MMAP)
				EXPECT_STREQ(msg, error.msg);
			else
				EXPECT_TRUE(strstr(error.msg, "cut short"));
			end_file(&file);
		}
		lull_loader_close(loader);
	}
	expect_margins(&place);
	lull_arena_retire(&place.vec);
}

TEST(wrong_units_and_options)
{
	struct test_file file = make_file(9, 1000);
	struct place place = make_place(test_arena(), 1000, 0);
	struct lull_file_extent extent = extent_of(&file, 0, 1000, &place);
	const struct lull_load load = { .extents = &extent, .nr_extents = 1 };
	const struct lull_load nothing = { .nr_extents = 0 };
	struct lull_loader_opts opts = { .kind = LULL_LOADER_PREAD,
					 .arena = test_arena(),
					 .node = LULL_ARENA_NODE_ANY };
	struct lull_loader *loader = open_variant(NR_VARIANTS - 1);
	struct lull_loader *made = NULL;
	struct lull_error error;

	ASSERT_TRUE(loader != NULL);
	extent.unit_bytes = 999;
	EXPECT_EQ(LULL_USAGE, lull_loader_read(loader, &load, &error));
	extent.unit_bytes = 300;
	EXPECT_EQ(LULL_USAGE, lull_loader_read(loader, &load, &error));
	EXPECT_STREQ("test.bin: offset 0x0: 1000 bytes cannot be handed over "
		     "in units of 300",
		     error.msg);
	EXPECT_EQ(LULL_OK, lull_loader_read(loader, &nothing, &error));
	lull_loader_close(loader);
	opts.chunk_bytes = 5000;
	EXPECT_EQ(LULL_USAGE, lull_loader_open(&opts, &made, &error));
	opts.chunk_bytes = 2048;
	EXPECT_EQ(LULL_USAGE, lull_loader_open(&opts, &made, &error));
	opts.chunk_bytes = 0;
	opts.depth = LULL_LOADER_DEPTH_MAX + 1;
	EXPECT_EQ(LULL_USAGE, lull_loader_open(&opts, &made, &error));
	opts.depth = 0;
	opts.kind = LULL_LOADER_NR_KINDS;
	EXPECT_EQ(LULL_USAGE, lull_loader_open(&opts, &made, &error));
	opts.kind = LULL_LOADER_PREAD;
	opts.node = 1000;
	EXPECT_EQ(LULL_UNSUPPORTED, lull_loader_open(&opts, &made, &error));
	EXPECT_TRUE(!made);
	lull_arena_retire(&place.vec);
	end_file(&file);
}

/* ---- other kinds of files ---------------------------------------------- */

static void try_file(const struct test_file *file, const char *what)
{
	struct lull_loader *loader;
	size_t v;

	for (v = next_variant(0); v < NR_VARIANTS; v = next_variant(v + 1)) {
		loader = open_variant(v);
		if (!loader)
			TEST_FAIL_("%s: no loader", what);
		try_extent(loader, file, 0, file->source.bytes, 0, what);
		try_extent(loader, file, 77, file->source.bytes - 99, 5, what);
		lull_loader_close(loader);
	}
}

TEST(memfd)
{
	struct test_file file = { { .bytes = 50001, .name = "memfd" }, 11 };

	file.source.fd = memfd_create("lull-selftest", MFD_CLOEXEC);
	ASSERT_TRUE(file.source.fd >= 0);
	fill_file(file.source.fd, 11, 50001);
	try_file(&file, "memfd");
	close(file.source.fd);
}

TEST(memory_file_system)
{
	struct test_file file;
	struct statvfs fs;

	if (access("/dev/shm", W_OK) || statvfs("/dev/shm", &fs))
		SKIP("no /dev/shm");
	if (fs.f_bavail * fs.f_frsize < 1 << 16)
		SKIP("no room in /dev/shm");
	file = make_file_in("/dev/shm", 12, 50001);
	try_file(&file, "tmpfs");
	end_file(&file);
}

/* io_uring fails such a descriptor's reads with EAGAIN instead of waiting. */
TEST(descriptor_that_does_not_wait)
{
	struct test_file file = make_file(13, 300000);
	struct lull_loader *loader;
	size_t v;

	EXPECT_EQ(0, fcntl(file.source.fd, F_SETFL, O_NONBLOCK));
	for (v = next_variant(0); v < NR_VARIANTS; v = next_variant(v + 1)) {
		loader = open_variant(v);
		ASSERT_TRUE(loader != NULL);
		make_cold(&file);
		try_extent(loader, &file, 3, 299990, 0, variants[v].name);
		lull_loader_close(loader);
	}
	EXPECT_EQ(O_NONBLOCK, fcntl(file.source.fd, F_GETFL) & O_NONBLOCK);
	end_file(&file);
}

/* ---- ways of reading --------------------------------------------------- */

static bool is_cold(const struct test_file *file)
{
	uint64_t cached;

	return lull_load_cached(file->source.fd, 0, file->source.bytes,
				&cached) &&
	       cached < file->source.bytes / 2;
}

static void read_once(struct lull_loader *loader, const struct test_file *file,
		      struct lull_loader_stats *ret_stats)
{
	try_extent(loader, file, 0, file->source.bytes, 0, "read once");
	lull_loader_stats(loader, ret_stats);
}

TEST(chosen_by_size_and_cache)
{
	struct test_file small, large;
	struct lull_loader_stats stats;
	struct lull_loader *loader;
	uint64_t cached = 0;

	if (left_out("uring"))
		return;
	small = make_file(14, 100000);
	large = make_file(15, 4 * MIB);
	loader = open_variant(NR_VARIANTS - 1);
	ASSERT_TRUE(loader != NULL);
	EXPECT_EQ(LULL_LOADER_URING, lull_loader_kind(loader));
	make_cold(&small);
	read_once(loader, &small, &stats);
	EXPECT_EQ(100000, stats.plain_bytes);
	EXPECT_EQ(0, stats.direct_bytes);
	if (lull_load_cached(large.source.fd, 0, 4 * MIB, &cached) &&
	    cached == 4 * MIB) {
		read_once(loader, &large, &stats);
		EXPECT_EQ(100000 + 4 * MIB, stats.plain_bytes);
	}
	make_cold(&large);
	if (is_cold(&large)) {
		read_once(loader, &large, &stats);
		if (!lull_loader_note(loader, 0))
			EXPECT_EQ(4 * MIB, stats.direct_bytes);
		/* Nor did that fill the page cache. */
		EXPECT_TRUE(lull_loader_note(loader, 0) || is_cold(&large));
	} else {
		printf("# the page cache keeps what it was asked to drop\n");
	}
	lull_loader_close(loader);
	end_file(&small);
	end_file(&large);
}

TEST(fixed_buffers)
{
	struct lull_loader_stats stats;
	struct lull_loader *loader;
	struct test_file file;
	struct lull_vec vec;

	if (left_out("uring"))
		return;
	file = make_file(16, 6 * MIB + 700);
	loader = open_variant(1);
	ASSERT_TRUE(loader != NULL);
	read_once(loader, &file, &stats);
	if (!stats.registered_bytes) {
		const char *why = lull_loader_note(loader, 0);

		EXPECT_TRUE(why != NULL);
		EXPECT_EQ(0, stats.fixed_bytes);
		lull_loader_close(loader);
		end_file(&file);
		SKIP(why ? "no fixed buffers: see RLIMIT_MEMLOCK" : "?");
	}
	EXPECT_EQ(stats.direct_bytes + stats.buffered_bytes, stats.fixed_bytes);
	/* Pages that the arena gave away and has anew are not read into. */
	vec = test_vec(8 * MIB);
	lull_arena_release(&vec);
	EXPECT_EQ(LULL_OK, lull_arena_flush(test_arena(), 1000, NULL));
	try_extent(loader, &file, 0, 6 * MIB + 700, 0, "fixed");
	try_extent(loader, &file, 5, 6 * MIB, 3, "fixed, by way of buffers");
	/* Idle, and at work again. */
	lull_loader_unregister(loader);
	lull_loader_stats(loader, &stats);
	EXPECT_EQ(0, stats.registered_bytes);
	EXPECT_EQ(LULL_OK, lull_arena_flush(test_arena(), 1000, NULL));
	try_extent(loader, &file, 0, 6 * MIB + 700, 0, "fixed again");
	lull_loader_stats(loader, &stats);
	EXPECT_TRUE(stats.registered_bytes > 0);
	lull_loader_close(loader);
	EXPECT_EQ(LULL_OK, lull_arena_flush(test_arena(), 1000, NULL));
	end_file(&file);
}

/* A file into one block of an arena of its own, header and rest: what was in use
 * beside the block at one time. */
static uint64_t read_beside(const struct test_file *file,
			    struct lull_loader *loader,
			    struct lull_arena *arena)
{
	const size_t head = 76, bytes = (size_t)file->source.bytes;
	struct lull_arena_stats stats;
	struct lull_vec vec;
	uint64_t used;

	EXPECT_EQ(LULL_OK,
		  lull_arena_carve(arena, bytes, 0, "a file", &vec, NULL));
	lull_arena_stats(arena, &stats);
	used = stats.used_bytes;
	{
		const struct lull_file_extent extents[] = {
			{ .source = &file->source,
			  .bytes = head,
			  .to = vec.ptr },
			{ .source = &file->source,
			  .offset = head,
			  .bytes = bytes - head,
			  .to = (uint8_t *)vec.ptr + head },
		};
		const struct lull_load load = { .extents = extents,
						.nr_extents = 2 };

		expect_read(loader, &load, "beside");
	}
	EXPECT_EQ(0, count_wrong(file, 0, vec.ptr, bytes));
	lull_arena_stats(arena, &stats);
	lull_arena_retire(&vec);
	return stats.used_bytes_max - used;
}

/* What reads past the page cache need beside their places, a pipeline has
 * before it begins (sched/reserve.c). */
TEST(buffers_are_told_of)
{
	static const size_t files[] = { 100,	    4096,	16716,
					200 * 1024, 300 * 1024, 5 * MIB + 76 };
	const struct lull_arena_opts arena_opts = {
		.carrier = LULL_ARENA_THP, .node = LULL_ARENA_NODE_ANY
	};
	struct lull_loader_opts opts = { .kind = LULL_LOADER_URING,
					 .node = LULL_ARENA_NODE_ANY };
	struct lull_loader_stats stats;
	struct lull_loader *loader;
	struct test_file file;
	uint64_t beside, told;
	size_t i;

	if (left_out("uring"))
		return;
	for (i = 0; i < LULL_ARRAY_SIZE(files); i++) {
		ASSERT_EQ(LULL_OK,
			  lull_arena_open(&arena_opts, &opts.arena, NULL));
		ASSERT_EQ(LULL_OK, lull_loader_open(&opts, &loader, NULL));
		file = make_file((unsigned int)i, files[i]);
		told = lull_loader_buffers_bytes(loader, files[i]);
		beside = read_beside(&file, loader, opts.arena);
		lull_loader_stats(loader, &stats);
		EXPECT_TRUE(beside <= told);
		EXPECT_TRUE(beside > 0 || !stats.direct_bytes);
		/* No more than twelve sectors, or as many small files. */
		EXPECT_TRUE(told <=
			    13 * (lull_min(files[i], 256 * 1024) + 2 * PAGE));
		end_file(&file);
		lull_loader_close(loader);
		lull_arena_close(opts.arena);
	}
}

/* Memory that has no slabs to register. */
TEST(arena_of_malloc)
{
	const struct lull_arena_opts arena_opts = {
		.carrier = LULL_ARENA_MALLOC_SERIAL,
		.node = LULL_ARENA_NODE_ANY,
	};
	struct lull_loader_opts opts = variants[1].opts;
	struct lull_file_extent extent;
	const struct lull_load load = { .extents = &extent, .nr_extents = 1 };
	struct lull_loader *loader;
	struct lull_arena *arena;
	struct test_file file;
	struct place place;

	if (left_out("uring"))
		return;
	file = make_file(17, 100000);
	ASSERT_EQ(LULL_OK, lull_arena_open(&arena_opts, &arena, NULL));
	place = make_place(arena, 100000, 0);
	extent = extent_of(&file, 0, 100000, &place);
	opts.arena = arena;
	opts.node = lull_arena_node_here();
	ASSERT_EQ(LULL_OK, lull_loader_open(&opts, &loader, NULL));
	expect_read(loader, &load, "malloc");
	EXPECT_EQ(0, count_wrong(&file, 0, place.to, 100000));
	EXPECT_TRUE(lull_loader_note(loader, 0) != NULL);
	lull_loader_close(loader);
	lull_arena_retire(&place.vec);
	lull_arena_close(arena);
	end_file(&file);
}

TEST(names)
{
	enum lull_loader_kind kind, found;
	struct lull_loader *loader;
	char text[80];

	for (kind = 0; kind < LULL_LOADER_NR_KINDS; kind++) {
		EXPECT_TRUE(lull_loader_kind_find(lull_loader_kind_name(kind),
						  &found));
		EXPECT_EQ(kind, found);
	}
	EXPECT_TRUE(!lull_loader_kind_find("aio", &found));
	lull_loader_close(NULL);
	if (left_out("uring"))
		return;
	loader = open_variant(2);
	ASSERT_TRUE(loader != NULL);
	lull_loader_describe(loader, text, sizeof(text));
	EXPECT_STREQ("uring (1 reads of 64 KiB in flight)", text);
	lull_loader_close(loader);
}

TEST_MAIN
