// SPDX-License-Identifier: Apache-2.0
/*
 * reading.c - files that are read into an arena, and what may happen meanwhile
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

#include "base/base.h"
#include "base/workers.h"
#include "input/files.h"
#include "input/infile.h"
#include "test_arena.h"

#define PATH_BYTES 256
#define FILE_BYTES ((5u << 20) + 123) /* three tasks, the last a short one */

static struct lull_workers *workers;
static char path[PATH_BYTES];
static int nr_checks;

static void make_file(void)
{
	struct blob b = { malloc(FILE_BYTES), FILE_BYTES };
	const char *base = getenv("TMPDIR");
	size_t i;
	int fd;

	if (!workers && lull_workers_create(3, &workers, NULL))
		abort();
	snprintf(path, sizeof(path), "%.64s/lull-selftest-XXXXXX",
		 base ? base : "/tmp");
	fd = mkstemp(path);
	if (fd < 0 || !b.data)
		abort();
	close(fd);
	for (i = 0; i < b.bytes; i++)
		b.data[i] = (uint8_t)(i * 2654435761u >> 13);
	blob_write(&b, path);
	blob_free(&b);
	nr_checks = 0;
}

static int read_file(int (*check)(const void *, const struct lull_infile *,
				  struct lull_error *),
		     unsigned int flags, struct lull_infile *file,
		     struct lull_error *error)
{
	const struct lull_infile_memory memory = { .arena = test_arena(),
						   .workers = workers,
						   .flags = flags };

	return lull_infile_read(path, &memory, check, &nr_checks, file, error);
}

static int accept(const void *arg, const struct lull_infile *head,
		  struct lull_error *reterr)
{
	(void)reterr;
	nr_checks++;
	EXPECT_TRUE(arg == &nr_checks);
	EXPECT_EQ(FILE_BYTES, head->bytes);
	EXPECT_EQ((uint8_t)(5 * 2654435761u >> 13), head->data[5]);
	return LULL_OK;
}

TEST(every_byte)
{
	struct lull_infile file;
	size_t i, wrong = 0;

	make_file();
	ASSERT_EQ(LULL_OK, read_file(accept, 0, &file, NULL));
	EXPECT_EQ(1, nr_checks);
	EXPECT_EQ(FILE_BYTES, file.bytes);
	for (i = 0; i < FILE_BYTES; i++)
		wrong += file.data[i] != (uint8_t)(i * 2654435761u >> 13);
	EXPECT_EQ(0, wrong);
	/* What happens to it now does not matter. */
	EXPECT_EQ(0, truncate(path, 0));
	EXPECT_EQ((uint8_t)((FILE_BYTES - 1) * 2654435761u >> 13),
		  file.data[FILE_BYTES - 1]);
	lull_infile_close(&file);
	EXPECT_TRUE(!file.data && !file.bytes);
	unlink(path);
}

static int refuse(const void *arg, const struct lull_infile *head,
		  struct lull_error *reterr)
{
	(void)arg;
	(void)head;
	if (reterr)
		*reterr =
			(struct lull_error){ .code = LULL_FORMAT, .msg = "no" };
	return LULL_FORMAT;
}

/* Before memory is taken for it. */
TEST(refused_by_its_head)
{
	struct lull_arena_stats was, is;
	struct lull_infile file;
	struct lull_error error;

	make_file();
	lull_arena_stats(test_arena(), &was);
	memset(&file, 0xcc, sizeof(file));
	EXPECT_EQ(LULL_FORMAT, read_file(refuse, 0, &file, &error));
	EXPECT_STREQ("no", error.msg);
	EXPECT_EQ(0xcc, *(uint8_t *)&file);
	lull_arena_stats(test_arena(), &is);
	EXPECT_EQ(was.nr_carves, is.nr_carves);
	unlink(path);
}

/* The file is cut short when its size is known and the rest is not read. */
static int cut_short(const void *arg, const struct lull_infile *head,
		     struct lull_error *reterr)
{
	(void)reterr;
	(void)arg;
	EXPECT_EQ(FILE_BYTES, head->bytes);
	return truncate(path, 3 << 20) ? LULL_IO : LULL_OK;
}

TEST(cut_short_meanwhile)
{
	struct lull_arena_stats stats;
	struct lull_infile file;
	struct lull_error error;
	char msg[2 * PATH_BYTES];

	make_file();
	memset(&file, 0xcc, sizeof(file));
	EXPECT_EQ(LULL_IO, read_file(cut_short, 0, &file, &error));
	snprintf(msg, sizeof(msg),
		 "%s: offset 0x300000: expected %u bytes in all, found the "
		 "end: the file was cut short while it was read",
		 path, FILE_BYTES);
	EXPECT_STREQ(msg, error.msg);
	EXPECT_EQ(0xcc, *(uint8_t *)&file);
	lull_arena_stats(test_arena(), &stats);
	EXPECT_EQ(0, stats.used_bytes);
	unlink(path);
}

static int write_over(const void *arg, const struct lull_infile *head,
		      struct lull_error *reterr)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   { .tv_sec = 1000000000 } };

	(void)arg;
	(void)head;
	(void)reterr;
	return utimensat(AT_FDCWD, path, times, 0) ? LULL_IO : LULL_OK;
}

TEST(changed_meanwhile)
{
	struct lull_arena_stats stats;
	struct lull_infile file;
	struct lull_error error;
	char msg[2 * PATH_BYTES];

	make_file();
	EXPECT_EQ(LULL_IO,
		  read_file(write_over, LULL_CARVE_SECRET, &file, &error));
	snprintf(msg, sizeof(msg), "%s: the file changed while it was read",
		 path);
	EXPECT_STREQ(msg, error.msg);
	lull_arena_stats(test_arena(), &stats);
	EXPECT_EQ(0, stats.used_bytes);
	EXPECT_EQ(FILE_BYTES / 4096 * 4096 + 4096, stats.wiped_bytes);
	unlink(path);
}

TEST(no_file_to_read)
{
	struct lull_infile file;
	struct lull_error error;

	make_file();
	EXPECT_EQ(0, truncate(path, 0));
	EXPECT_EQ(LULL_FORMAT, read_file(accept, 0, &file, &error));
	unlink(path);
	EXPECT_EQ(LULL_IO, read_file(accept, 0, &file, &error));
	EXPECT_EQ(ENOENT, error.sys_errno);
	EXPECT_EQ(0, mkfifo(path, 0600));
	EXPECT_EQ(LULL_USAGE, read_file(accept, 0, &file, &error));
	unlink(path);
	EXPECT_EQ(0, nr_checks);
	lull_workers_destroy(workers);
	workers = NULL;
}

TEST_MAIN
