// SPDX-License-Identifier: Apache-2.0
/*
 * binfile.c - containers as files: what is no file, names, and 4 GiB
 */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/files.h"
#include "input/wtns.h"
#include "input/zkey.h"

static char folder[] = "/tmp/lull-input-XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void expect_refused(const char *path, int code, int sys_errno,
			   const char *end)
{
	struct lull_zkey key;
	struct lull_error err;
	char msg[256];

	memset(&key, POISON, sizeof(key));
	snprintf(msg, sizeof(msg), "%s: %s", path, end);
	EXPECT_EQ(code, lull_zkey_open(path, 0, NULL, &key, &err));
	EXPECT_EQ(code, err.code);
	EXPECT_EQ(sys_errno, err.sys_errno);
	EXPECT_STREQ(msg, err.msg);
	EXPECT_TRUE(untouched(&key, sizeof(key)));
}

TEST(folder)
{
	ASSERT_TRUE(mkdtemp(folder) != NULL);
}

TEST(no_regular_file)
{
	struct blob none = { must_alloc(0), 0 };

	expect_refused(in_folder("absent"), LULL_IO, ENOENT,
		       "No such file or directory");
	expect_refused(in_folder(""), LULL_USAGE, 0, "a directory, not a file");
	expect_refused("/dev/null", LULL_USAGE, 0, "not a regular file");
	ASSERT_EQ(0, mkfifo(in_folder("pipe"), 0600));
	expect_refused(in_folder("pipe"), LULL_USAGE, 0, "not a regular file");
	unlink(in_folder("pipe"));
	blob_write(&none, in_folder("empty"));
	expect_refused(in_folder("empty"), LULL_FORMAT, 0, "empty file");
	unlink(in_folder("empty"));
	blob_free(&none);
}

TEST(descriptors_are_closed)
{
	struct lull_zkey key;
	int before = open("/dev/null", O_RDONLY | O_CLOEXEC), after;

	ASSERT_TRUE(before >= 0);
	close(before);
	/* One that is mapped stays open, for it is asked whether it changed. */
	ASSERT_EQ(LULL_OK, lull_zkey_open(GOLDEN "bn128-mul2.zkey", 0, NULL,
					  &key, NULL));
	EXPECT_EQ(LULL_FORMAT, lull_zkey_open(GOLDEN "bn128-mul2.wtns", 0, NULL,
					      &key, NULL));
	lull_zkey_close(&key);
	after = open("/dev/null", O_RDONLY | O_CLOEXEC);
	EXPECT_EQ(before, after);
	close(after);
}

TEST(long_names_keep_their_end)
{
	char path[600], want[LULL_INFILE_NAME_BYTES];
	char name[LULL_INFILE_NAME_BYTES];
	struct lull_error err;
	struct lull_zkey key;
	struct blob b = blob_read(GOLDEN "bn128-mul2.zkey");

	memset(path, 'd', sizeof(path));
	memcpy(path + sizeof(path) - 10, "/end.zkey", 10);
	lull_infile_name(path, name);
	EXPECT_EQ(LULL_INFILE_NAME_BYTES - 1, strlen(name));
	EXPECT_EQ(0, strncmp(name, "...ddd", 6));
	EXPECT_STREQ("d/end.zkey", name + strlen(name) - 10);
	/* The longest message of all still ends as it should. */
	blob_put_u32(&b, 0x28, 0xffffffff);
	EXPECT_EQ(LULL_FORMAT,
		  lull_zkey_open_mem(b.data, b.bytes, path, 0, &key, &err));
	snprintf(want, sizeof(want), "expected 4294967295 bytes, found 656");
	EXPECT_STREQ(want, err.msg + strlen(err.msg) - strlen(want));
	blob_free(&b);
	lull_infile_name("a\nb\x1b[0m\x7f", name);
	EXPECT_STREQ("a?b?[0m?", name);
	lull_infile_name(NULL, name);
	EXPECT_STREQ("(memory)", name);
	memset(path, 'e', LULL_INFILE_NAME_BYTES - 1);
	path[LULL_INFILE_NAME_BYTES - 1] = '\0';
	lull_infile_name(path, name);
	EXPECT_STREQ(path, name);
}

static void write_all_at(int fd, const void *data, size_t bytes, off_t at)
{
	if (pwrite(fd, data, bytes, at) != (ssize_t)bytes)
		TEST_FAIL_("writing %zu bytes at %lld failed", bytes,
			   (long long)at);
}

/* A file whose first section is a hole of 5 GiB and whose others follow it. */
static bool write_sparse(const char *path, const struct blob *b, off_t gap)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint32_t type = 99;
	uint64_t size = (uint64_t)gap;
	struct blob header = blob_copy(b->data, 12);
	bool done;

	blob_put_u32(&header, 8, lull_load_u32(b->data + 8) + 1);
	done = fd >= 0 && !ftruncate(fd, (off_t)b->bytes + 12 + gap);
	if (done) {
		write_all_at(fd, header.data, 12, 0);
		write_all_at(fd, &type, 4, 12);
		write_all_at(fd, &size, 8, 16);
		write_all_at(fd, b->data + 12, b->bytes - 12, 24 + gap);
	}
	if (fd >= 0)
		close(fd);
	blob_free(&header);
	return done;
}

TEST(sections_behind_4_gib)
{
	const uint64_t gap = ((uint64_t)5 << 30) + 7;
	struct blob b = blob_read(GOLDEN "bn128-mul2.zkey");
	struct lull_error err;
	struct lull_zkey key;

	if (!write_sparse(in_folder("sparse.zkey"), &b, (off_t)gap)) {
		unlink(in_folder("sparse.zkey"));
		blob_free(&b);
		SKIP("this file system has no sparse files of 5 GiB");
	}
	if (lull_zkey_open(in_folder("sparse.zkey"), 0, NULL, &key, &err)) {
		TEST_FAIL_("%s", err.msg);
	} else {
		EXPECT_EQ(4, key.nr_vars);
		EXPECT_EQ(0x5ac + 12 + gap, lull_zkey_offset(&key, key.a));
		EXPECT_MEMEQ(b.data + 0x5ac, key.a, 256);
		EXPECT_MEMEQ(b.data + 0x414, key.h, 256);
		EXPECT_EQ(0, key.file.trailing_bytes);
		lull_zkey_close(&key);
	}
	unlink(in_folder("sparse.zkey"));
	blob_free(&b);
}

/* A witness of 2^27 + 2 values: more than 4 GiB in one section. */
TEST(section_larger_than_4_gib)
{
	const uint32_t nr = (1u << 27) + 2;
	const uint64_t bytes = (uint64_t)nr * LULL_WTNS_VALUE_BYTES;
	struct blob b = blob_read(GOLDEN "bn128-mul2.wtns");
	const char *path = in_folder("large.wtns");
	struct lull_error err;
	struct lull_wtnsfile wtns;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)(0x4c + bytes))) {
		blob_free(&b);
		SKIP("this file system has no sparse files of 4 GiB");
	}
	blob_put_u32(&b, 0x3c, nr);
	blob_put_u64(&b, 0x44, bytes);
	write_all_at(fd, b.data, 0x4c + 32, 0);
	/* The last value is one; a size of 32 bits would stop far before. */
	write_all_at(fd, b.data + 0x4c, 32, (off_t)(0x4c + bytes - 32));
	close(fd);
	if (lull_wtnsfile_open(path, NULL, LULL_WTNS_DEFER_VALUES, NULL, &wtns,
			       &err)) {
		TEST_FAIL_("%s", err.msg);
	} else {
		EXPECT_EQ(nr, wtns.nr_values);
		EXPECT_EQ(LULL_OK, lull_wtnsfile_check_values(&wtns, nr - 100,
							      nr, &err));
		EXPECT_EQ(1, wtns.values[bytes - 32]);
		lull_wtnsfile_close(&wtns);
	}
	/* One byte short, which only 64 bits can tell. */
	EXPECT_EQ(0, truncate(path, (off_t)(0x4c + bytes - 1)));
	EXPECT_EQ(LULL_FORMAT,
		  lull_wtnsfile_open(path, NULL, 0, NULL, &wtns, &err));
	EXPECT_TRUE(strstr(err.msg, "expected 4294967360 bytes, found "
				    "4294967359 before the end") != NULL);
	unlink(path);
	blob_free(&b);
}

/* 2^28 points of H, 16 GiB of them: the most that BN254 allows. */
TEST(largest_domain)
{
	const uint32_t domain = 1u << 28;
	const uint64_t bytes = (uint64_t)domain * 64;
	const uint32_t order[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 0 };
	struct blob b = blob_read(GOLDEN "bn128-mul2.zkey");
	struct blob last = blob_reorder(&b, order);
	const char *path = in_folder("large.zkey");
	struct lull_error err;
	struct lull_zkey key;
	size_t at = blob_payload(&last, 9);

	blob_put_u32(&last, 0x28 + 80, domain);
	blob_put_u64(&last, at - 8, bytes);
	blob_write(&last, path);
	if (truncate(path, (off_t)(at + bytes))) {
		unlink(path);
		blob_free(&last);
		blob_free(&b);
		SKIP("this file system has no sparse files of 16 GiB");
	}
	if (lull_zkey_open(path, 0, NULL, &key, &err)) {
		TEST_FAIL_("%s", err.msg);
	} else {
		EXPECT_EQ(domain, key.domain_size);
		EXPECT_EQ(28, key.log2_domain);
		EXPECT_EQ(0, key.h[bytes - 1]);
		lull_zkey_close(&key);
	}
	unlink(path);
	blob_free(&last);
	blob_free(&b);
}

TEST(folder_is_empty_again)
{
	EXPECT_EQ(0, rmdir(folder));
}

TEST_MAIN
