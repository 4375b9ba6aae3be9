/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.h - files with known bytes, and memory around which nobody may write
 *
 * For the tests of load/.  Byte i of a file is file_byte(seed, i); every block of
 * memory has a margin, which a test finds as it was.
 */
#ifndef LULL_SELFTESTS_LOAD_FILES_H
#define LULL_SELFTESTS_LOAD_FILES_H

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "open_files.h"

#include "base/base.h"
#include "input/extent.h"
#include "load/loader.h"
#include "test_arena.h"

#define PATH_BYTES 256
#define MARGIN ((size_t)8192)
#define MARGIN_BYTE 0x5a
#define PAGE ((size_t)4096)

static inline uint8_t file_byte(unsigned int seed, uint64_t i)
{
	uint64_t x = (i + seed * 1000003u) * 2654435761u;

	return (uint8_t)(x >> 15 ^ x >> 7);
}

/* A file that is open, and gone from its folder. */
struct test_file {
	struct lull_load_file source;
	unsigned int seed;
};

static inline void fill_file(int fd, unsigned int seed, uint64_t bytes)
{
	static uint8_t block[1 << 16];
	uint64_t at, n, i;

	for (at = 0; at < bytes; at += n) {
		n = lull_min(sizeof(block), bytes - at);
		for (i = 0; i < n; i++)
			block[i] = file_byte(seed, at + i);
		if (pwrite(fd, block, n, (off_t)at) != (ssize_t)n) {
			printf("Bail out! no room for a file\n");
			exit(1);
		}
	}
}

static inline struct test_file make_file_in(const char *folder,
					    unsigned int seed, uint64_t bytes)
{
	struct test_file file = { { .bytes = bytes, .name = "test.bin" },
				  seed };
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%.200s/lull-selftest-XXXXXX", folder);
	file.source.fd = mkstemp(path);
	if (file.source.fd < 0) {
		printf("Bail out! no file in %s\n", folder);
		exit(1);
	}
	unlink(path);
	fill_file(file.source.fd, seed, bytes);
	return file;
}

static inline struct test_file make_file(unsigned int seed, uint64_t bytes)
{
	const char *folder = getenv("TMPDIR");

	return make_file_in(folder ? folder : "/tmp", seed, bytes);
}

static inline void end_file(struct test_file *file)
{
	close(file->source.fd);
}

/* Has the file be read from the disk, as far as the kernel goes along. */
static inline void make_cold(const struct test_file *file)
{
	fsync(file->source.fd);
	posix_fadvise(file->source.fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* ---- memory ------------------------------------------------------------ */

/* Memory for @bytes at @shift behind a page, with margins. */
struct place {
	struct lull_vec vec;
	uint8_t *to;
	size_t bytes;
};

static inline struct place make_place(struct lull_arena *arena, size_t bytes,
				      size_t shift)
{
	struct place place = { .bytes = bytes };

	if (lull_arena_carve(arena, bytes + shift + 2 * MARGIN + PAGE, 0,
			     "test", &place.vec, NULL)) {
		printf("Bail out! no memory for a test\n");
		exit(1);
	}
	memset(place.vec.ptr, MARGIN_BYTE, place.vec.bytes);
	place.to = (uint8_t *)lull_align_up((uintptr_t)place.vec.ptr + MARGIN,
					    PAGE) +
		   shift;
	return place;
}

static inline void expect_margins(const struct place *place)
{
	const uint8_t *p = place->vec.ptr, *end = p + place->vec.bytes;
	size_t nr = 0;

	for (; p < end; p++)
		if (p < place->to || p >= place->to + place->bytes)
			nr += *p != MARGIN_BYTE;
	EXPECT_EQ(0, nr);
}

/* How many bytes differ from the file's. */
static inline size_t count_wrong(const struct test_file *file, uint64_t offset,
				 const uint8_t *p, size_t bytes)
{
	size_t i, nr = 0;

	for (i = 0; i < bytes; i++)
		nr += p[i] != file_byte(file->seed, offset + i);
	return nr;
}

static inline struct lull_file_extent extent_of(const struct test_file *file,
						uint64_t offset, size_t bytes,
						const struct place *place)
{
	return (struct lull_file_extent){ .source = &file->source,
					  .offset = offset,
					  .bytes = bytes,
					  .to = place->to };
}

static inline uint64_t arena_used(void)
{
	struct lull_arena_stats stats;

	lull_arena_stats(test_arena(), &stats);
	return stats.used_bytes;
}

#endif
