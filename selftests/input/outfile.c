// SPDX-License-Identifier: Apache-2.0
/*
 * outfile.c - outputs: whole or not at all, whatever fails on the way
 */
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "input/files.h"
#include "input/outfile.h"

static char folder[] = "/tmp/lull-outfile-XXXXXX";

/* Four at a time may be in use. */
static const char *in_folder(const char *name)
{
	static char paths[4][128];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static unsigned int nr_files(void)
{
	DIR *dir = opendir(folder);
	unsigned int nr = 0;

	if (!dir)
		return 0;
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr - 2; /* "." and ".." */
}

static void expect_content(const char *path, const char *want)
{
	struct blob b = blob_read(path);

	EXPECT_EQ(strlen(want), b.bytes);
	if (b.bytes == strlen(want))
		EXPECT_MEMEQ(want, b.data, b.bytes);
	blob_free(&b);
}

static void write_file(const char *path, const char *text)
{
	struct blob b = blob_copy(text, strlen(text));

	blob_write(&b, path);
	blob_free(&b);
}

/* Without a name where there are such files, and under a temporary one. */
static unsigned int how;

static int open_out(const char *path, unsigned int flags,
		    struct lull_outfile *out, struct lull_error *error)
{
	return lull_outfile_open(path, flags | how, out, error);
}

static void both_ways(void (*check)(void))
{
	check();
	how = LULL_OUTFILE_NAMED;
	check();
	how = 0;
}

static void expect_open_refused(const char *path, int sys_errno,
				const char *msg)
{
	struct lull_outfile out;
	struct lull_error err;

	memset(&out, POISON, sizeof(out));
	EXPECT_EQ(LULL_IO, lull_outfile_open(path, 0, &out, &err));
	EXPECT_EQ(LULL_IO, err.code);
	EXPECT_EQ(sys_errno, err.sys_errno);
	EXPECT_STREQ(msg, err.msg);
	EXPECT_TRUE(untouched(&out, sizeof(out)));
}

TEST(folder)
{
	ASSERT_TRUE(mkdtemp(folder) != NULL);
}

static void check_new_file(void)
{
	const char *path = in_folder("new.json");
	struct lull_outfile out;
	struct lull_error err;
	struct stat st;
	mode_t mask = umask(027);

	ASSERT_EQ(LULL_OK, open_out(path, 0, &out, &err));
	EXPECT_EQ(-1, access(path, F_OK));
	EXPECT_EQ(LULL_OK, lull_outfile_write(&out, "ab", 2, &err));
	EXPECT_EQ(LULL_OK, lull_outfile_write(&out, "", 0, &err));
	EXPECT_EQ(LULL_OK, lull_outfile_write(&out, "cd\n", 3, &err));
	EXPECT_EQ(-1, access(path, F_OK));
	EXPECT_EQ(LULL_OK, lull_outfile_commit(&out, 1, &err));
	umask(mask);
	expect_content(path, "abcd\n");
	ASSERT_EQ(0, stat(path, &st));
	EXPECT_EQ(0640, st.st_mode & 07777);
	EXPECT_EQ(1, nr_files());
	EXPECT_EQ(-1, out.fd);
	lull_outfile_discard(&out);
	expect_content(path, "abcd\n");
	unlink(path);
}

TEST(new_file)
{
	both_ways(check_new_file);
}

static void check_replaced_file(void)
{
	const char *path = in_folder("old.json");
	struct lull_outfile out;
	struct stat st;

	write_file(path, "older and longer");
	ASSERT_EQ(0, chmod(path, 0604));
	ASSERT_EQ(LULL_OK, open_out(path, LULL_OUTFILE_FSYNC, &out, NULL));
	/* Before it has what the older file's readers alone may see. */
	ASSERT_EQ(0, fstat(out.fd, &st));
	EXPECT_EQ(0604, st.st_mode & 07777);
	EXPECT_EQ(LULL_OK, lull_outfile_write(&out, "new", 3, NULL));
	expect_content(path, "older and longer");
	EXPECT_EQ(LULL_OK, lull_outfile_commit(&out, 1, NULL));
	expect_content(path, "new");
	ASSERT_EQ(0, stat(path, &st));
	EXPECT_EQ(0604, st.st_mode & 07777);
	EXPECT_EQ(1, nr_files());
	unlink(path);
}

TEST(replaced_file)
{
	both_ways(check_replaced_file);
}

static void check_discarded(void)
{
	const char *path = in_folder("old.json");
	struct lull_outfile out, empty = LULL_OUTFILE_EMPTY;

	write_file(path, "old");
	ASSERT_EQ(LULL_OK, open_out(path, 0, &out, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_write(&out, "new", 3, NULL));
	EXPECT_EQ(out.temp ? 2 : 1, nr_files());
	EXPECT_TRUE(out.temp || !how);
	lull_outfile_discard(&out);
	EXPECT_EQ(1, nr_files());
	lull_outfile_discard(&out);
	lull_outfile_discard(&empty);
	expect_content(path, "old");
	unlink(path);
}

TEST(discarded)
{
	both_ways(check_discarded);
}

static void check_a_name_alone(void)
{
	char here[4096];
	struct lull_outfile out;

	ASSERT_TRUE(getcwd(here, sizeof(here)) != NULL);
	ASSERT_EQ(0, chdir(folder));
	EXPECT_EQ(LULL_OK, open_out("name", LULL_OUTFILE_FSYNC, &out, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_write(&out, "x", 1, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_commit(&out, 1, NULL));
	expect_content("name", "x");
	EXPECT_EQ(0, unlink("name"));
	ASSERT_EQ(0, chdir(here));
	EXPECT_EQ(0, nr_files());
}

TEST(a_name_alone)
{
	both_ways(check_a_name_alone);
}

static void check_a_link_stays_a_link(void)
{
	const char *path = in_folder("link"), *file = in_folder("file");
	struct lull_outfile out;
	struct stat st;

	write_file(file, "old");
	ASSERT_EQ(0, symlink("file", path));
	ASSERT_EQ(LULL_OK, open_out(path, 0, &out, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_write(&out, "new", 3, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_commit(&out, 1, NULL));
	expect_content(file, "new");
	EXPECT_EQ(0, lstat(path, &st));
	EXPECT_TRUE(S_ISLNK(st.st_mode));
	unlink(path);
	unlink(file);
}

TEST(a_link_stays_a_link)
{
	both_ways(check_a_link_stays_a_link);
}

TEST(refused_paths)
{
	char msg[256];

	snprintf(msg, sizeof(msg),
		 "%s/none/p.json: creating a file in its directory: No such "
		 "file or directory",
		 folder);
	expect_open_refused(in_folder("none/p.json"), ENOENT, msg);
	snprintf(msg, sizeof(msg), "%s: Is a directory", folder);
	expect_open_refused(folder, EISDIR, msg);
	snprintf(msg, sizeof(msg), "%s/none/: Is a directory", folder);
	expect_open_refused(in_folder("none/"), EISDIR, msg);
	expect_open_refused("", ENOENT,
			    "an empty name for an output: No such file or "
			    "directory");
	expect_open_refused("/dev/null/p.json", ENOTDIR,
			    "/dev/null/p.json: Not a directory");
	EXPECT_EQ(0, nr_files());
}

/* Root may write every file, so a test run by root is someone else here. */
TEST(a_file_that_may_not_be_written)
{
	const uid_t nobody = 65534, self = geteuid();
	const char *path = in_folder("read-only");
	char msg[256];

	write_file(path, "old");
	ASSERT_EQ(0, chmod(path, 0444));
	ASSERT_EQ(0, chmod(folder, 0777));
	if (!self && seteuid(nobody)) {
		unlink(path);
		SKIP("root may write every file and cannot be someone else");
	}
	snprintf(msg, sizeof(msg), "%s: Permission denied", path);
	expect_open_refused(path, EACCES, msg);
	EXPECT_EQ(1, nr_files());
	ASSERT_EQ(0, seteuid(self));
	ASSERT_EQ(0, chmod(folder, 0700));
	expect_content(path, "old");
	unlink(path);
}

TEST(devices_are_written_directly)
{
	struct lull_outfile out;
	struct lull_error err;

	ASSERT_EQ(LULL_OK, lull_outfile_open("/dev/null", LULL_OUTFILE_FSYNC,
					     &out, &err));
	EXPECT_TRUE(!out.temp && !out.path);
	EXPECT_EQ(LULL_OK, lull_outfile_write(&out, "x", 1, &err));
	EXPECT_EQ(LULL_OK, lull_outfile_commit(&out, 1, &err));
	EXPECT_TRUE(!lull_outfile_same("/dev/null", "/dev/null"));
}

TEST(devices_are_refused_where_a_file_is_wanted)
{
	struct lull_outfile out;
	struct lull_error err;

	memset(&out, POISON, sizeof(out));
	EXPECT_EQ(LULL_USAGE,
		  lull_outfile_open("/dev/null", LULL_OUTFILE_REGULAR, &out,
				    &err));
	EXPECT_STREQ("/dev/null: it is written at many places at once: "
		     "expected a regular file, found a device or pipe",
		     err.msg);
	EXPECT_TRUE(untouched(&out, sizeof(out)));
}

/* A process that is killed at any point of an output. */
static void write_until_killed(const char *path, unsigned int flags)
{
	struct lull_outfile out;
	pid_t child = fork();
	int status;

	ASSERT_TRUE(child >= 0);
	if (!child) {
		if (!lull_outfile_open(path, flags, &out, NULL) &&
		    !lull_outfile_write(&out, "new", 3, NULL))
			raise(SIGKILL);
		_exit(1);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(nothing_is_left_by_a_kill)
{
	const char *path = in_folder("old.json");
	struct lull_outfile out;
	bool named;

	ASSERT_EQ(LULL_OK, lull_outfile_open(path, 0, &out, NULL));
	named = out.temp;
	lull_outfile_discard(&out);
	if (named)
		SKIP("no files without a name in /tmp");
	write_until_killed(path, 0);
	EXPECT_EQ(0, nr_files());
	write_file(path, "old");
	write_until_killed(path, LULL_OUTFILE_FSYNC);
	EXPECT_EQ(1, nr_files());
	expect_content(path, "old");
	unlink(path);
}

/* The name that an output has between two calls. */
static const char *temp_of(const char *base)
{
	uint8_t hash[LULL_HASH_BYTES];
	char name[64];

	lull_hash(base, strlen(base), hash);
	snprintf(name, sizeof(name), ".lull-%016llx",
		 (unsigned long long)lull_load_u64(hash));
	return in_folder(name);
}

/* What a kill between two calls leaves goes with the next output. */
TEST(what_is_left_is_removed)
{
	const char *path = in_folder("old.json");
	const char *temp = temp_of("old.json");
	struct lull_outfile out;

	write_file(path, "old");
	write_file(temp, "left");
	ASSERT_EQ(LULL_OK, lull_outfile_open(path, 0, &out, NULL));
	if (out.temp) {
		lull_outfile_discard(&out);
		unlink(temp);
		unlink(path);
		SKIP("no files without a name in /tmp");
	}
	EXPECT_EQ(LULL_OK, lull_outfile_write(&out, "new", 3, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_commit(&out, 1, NULL));
	expect_content(path, "new");
	EXPECT_EQ(1, nr_files());
	unlink(path);
}

/* As another's file in a folder like /tmp, which cannot be removed either. */
TEST(what_cannot_be_removed_is_left)
{
	const char *path = in_folder("old.json");
	const char *temp = temp_of("old.json");
	struct lull_outfile out;
	struct lull_error err;

	write_file(path, "old");
	ASSERT_EQ(0, mkdir(temp, 0700));
	ASSERT_EQ(LULL_OK, lull_outfile_open(path, 0, &out, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_write(&out, "new", 3, NULL));
	if (lull_outfile_commit(&out, 1, &err))
		TEST_FAIL_("%s", err.msg);
	expect_content(path, "new");
	EXPECT_EQ(0, rmdir(temp));
	EXPECT_EQ(1, nr_files());
	unlink(path);
}

/* A file that is open, of @flags, and its name by way of that. */
static int open_as_descriptor(const char *path, int flags, char of_fd[64])
{
	int fd = open(path, flags | O_CREAT | O_CLOEXEC, 0600);

	snprintf(of_fd, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static void write_new(const char *path, unsigned int flags)
{
	struct lull_outfile out = LULL_OUTFILE_EMPTY;

	ASSERT_EQ(LULL_OK, lull_outfile_open(path, flags, &out, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_write(&out, "new", 3, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_commit(&out, 1, NULL));
}

/* The caller's file stays, and what it has is kept. */
TEST(descriptors_are_written_to_where_they_stand)
{
	const char *path = in_folder("log"), *link = in_folder("link");
	char of_fd[64];
	struct stat was, is;
	int fd;

	write_file(path, "old");
	ASSERT_EQ(0, stat(path, &was));
	fd = open_as_descriptor(path, O_WRONLY | O_APPEND, of_fd);
	ASSERT_TRUE(fd >= 0);
	write_new(of_fd, LULL_OUTFILE_FSYNC);
	expect_content(path, "oldnew");
	ASSERT_EQ(0, symlink(of_fd, link));
	write_new(link, 0);
	expect_content(path, "oldnewnew");
	snprintf(of_fd, sizeof(of_fd), "/dev/fd/%d", fd);
	if (!access("/dev/fd", F_OK))
		write_new(of_fd, 0);
	else
		EXPECT_EQ(3, write(fd, "new", 3));
	expect_content(path, "oldnewnewnew");
	ASSERT_EQ(0, stat(path, &is));
	EXPECT_EQ(was.st_ino, is.st_ino);
	EXPECT_EQ(2, nr_files());
	close(fd);
	unlink(link);
	unlink(path);
}

TEST(descriptors_that_take_nothing)
{
	const char *path = in_folder("log");
	char of_fd[64], msg[128];
	int fd;

	write_file(path, "old");
	fd = open_as_descriptor(path, O_RDONLY, of_fd);
	ASSERT_TRUE(fd >= 0);
	snprintf(msg, sizeof(msg), "%s: Bad file descriptor", of_fd);
	expect_open_refused(of_fd, EBADF, msg);
	close(fd);
	expect_open_refused(of_fd, EBADF, msg);
	expect_content(path, "old");
	EXPECT_EQ(1, nr_files());
	unlink(path);
}

/* What is written at many places takes a descriptor of a file that has no name,
 * to which a finished one could be renamed, and no other. */
TEST(files_without_a_name_are_written_directly)
{
	unsigned int before = nr_files();
	const char *path = in_folder("vanishes");
	struct lull_outfile out;
	struct lull_error err;
	char of_fd[64];
	int fd = open_as_descriptor(path, O_RDWR, of_fd);

	ASSERT_TRUE(fd >= 0);
	EXPECT_EQ(9, write(fd, "was there", 9));
	EXPECT_EQ(LULL_USAGE,
		  lull_outfile_open(of_fd, LULL_OUTFILE_REGULAR, &out, &err));
	EXPECT_TRUE(strstr(err.msg, "expected a regular file, found a "
				    "descriptor") != NULL);
	unlink(path);
	ASSERT_EQ(LULL_OK,
		  lull_outfile_open(of_fd, LULL_OUTFILE_REGULAR, &out, &err));
	EXPECT_EQ(LULL_OK, lull_outfile_write_at(&out, 2, "new", 3, &err));
	EXPECT_EQ(LULL_OK, lull_outfile_write(&out, "ab", 2, &err));
	EXPECT_EQ(LULL_OK, lull_outfile_commit(&out, 1, &err));
	EXPECT_EQ(before, nr_files());
	expect_content(of_fd, "abnew");
	ASSERT_EQ(5, lseek(fd, 0, SEEK_END));
	write_new(of_fd, 0);
	expect_content(of_fd, "abnewnew");
	close(fd);
}

/* What lies in memory is mapped, and written as any other. */
TEST(files_in_memory_are_mapped)
{
	static const char want[] = "0123456789";
	int fd = memfd_create("outfile", MFD_CLOEXEC);
	struct lull_outfile out = LULL_OUTFILE_EMPTY;
	char by_fd[64], got[sizeof(want)];

	ASSERT_TRUE(fd >= 0);
	snprintf(by_fd, sizeof(by_fd), "/proc/self/fd/%d", fd);
	ASSERT_EQ(LULL_OK,
		  lull_outfile_open(by_fd, LULL_OUTFILE_REGULAR, &out, NULL));
	ASSERT_EQ(LULL_OK, lull_outfile_resize(&out, 8, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_check_room(&out, UINT64_MAX, NULL));
	lull_outfile_map(&out, 8);
	ASSERT_TRUE(out.mapped);
	EXPECT_EQ(LULL_OK, lull_outfile_write_at(&out, 4, want + 4, 4, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_write_at(&out, 0, want, 4, NULL));
	/* Beyond the mapping, and over its end. */
	EXPECT_EQ(LULL_OK, lull_outfile_write_at(&out, 8, want + 8, 3, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_write_at(&out, 7, want + 7, 2, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_read_at(&out, 0, got, 11, NULL));
	EXPECT_STREQ(want, got);
	EXPECT_EQ(LULL_OK, lull_outfile_commit(&out, 1, NULL));
	EXPECT_EQ(11, pread(fd, got, sizeof(got), 0));
	EXPECT_STREQ(want, got);
	close(fd);
	ASSERT_EQ(LULL_OK, open_out(in_folder("on-disk"), LULL_OUTFILE_REGULAR,
				    &out, NULL));
	ASSERT_EQ(LULL_OK, lull_outfile_resize(&out, 8, NULL));
	lull_outfile_map(&out, 8);
	EXPECT_TRUE(!out.mapped);
	lull_outfile_discard(&out);
}

TEST(full_disk)
{
	struct lull_outfile out;
	struct lull_error err;

	if (access("/dev/full", W_OK))
		SKIP("there is no /dev/full");
	ASSERT_EQ(LULL_OK, lull_outfile_open("/dev/full", 0, &out, &err));
	EXPECT_EQ(LULL_IO, lull_outfile_write(&out, "x", 1, &err));
	EXPECT_EQ(ENOSPC, err.sys_errno);
	EXPECT_STREQ("/dev/full: writing: No space left on device", err.msg);
	lull_outfile_discard(&out);
}

static void check_file_size_limit(void)
{
	const char *path = in_folder("old.json");
	struct rlimit old, limit;
	struct lull_outfile out;
	struct lull_error err;
	char msg[256];

	write_file(path, "old");
	ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &old));
	signal(SIGXFSZ, SIG_IGN);
	limit = old;
	limit.rlim_cur = 4;
	ASSERT_EQ(LULL_OK, open_out(path, 0, &out, &err));
	ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
	/* Four bytes fit, so the first write is short and the next one fails:
	 * no success may be made of that. */
	EXPECT_EQ(LULL_IO, lull_outfile_write(&out, "12345", 5, &err));
	EXPECT_EQ(LULL_IO, lull_outfile_write_at(&out, 2, "345", 3, NULL));
	setrlimit(RLIMIT_FSIZE, &old);
	EXPECT_EQ(EFBIG, err.sys_errno);
	snprintf(msg, sizeof(msg), "%s: writing: File too large", path);
	EXPECT_STREQ(msg, err.msg);
	lull_outfile_discard(&out);
	expect_content(path, "old");
	EXPECT_EQ(1, nr_files());
	unlink(path);
}

TEST(file_size_limit)
{
	both_ways(check_file_size_limit);
}

static void check_write_at(void)
{
	const char *path = in_folder("at");
	struct lull_outfile out;
	uint8_t read[6];
	struct blob b;

	ASSERT_EQ(LULL_OK, open_out(path, 0, &out, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_write_at(&out, 6, "cd", 2, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_write_at(&out, 0, "ab", 2, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_read_at(&out, 1, read, 6, NULL));
	EXPECT_MEMEQ("b\0\0\0\0c", read, 6);
	EXPECT_EQ(LULL_IO, lull_outfile_read_at(&out, 4, read, 5, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_commit(&out, 1, NULL));
	b = blob_read(path);
	EXPECT_EQ(8, b.bytes);
	EXPECT_MEMEQ("ab\0\0\0\0cd", b.data, 8);
	blob_free(&b);
	unlink(path);
}

TEST(write_at)
{
	both_ways(check_write_at);
}

static void check_two_together(void)
{
	const char *a = in_folder("a"), *b = in_folder("b");
	struct lull_outfile outs[2];

	ASSERT_EQ(LULL_OK, open_out(a, 0, &outs[0], NULL));
	ASSERT_EQ(LULL_OK, open_out(b, 0, &outs[1], NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_write(&outs[0], "A", 1, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_write(&outs[1], "B", 1, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_commit(outs, 2, NULL));
	expect_content(a, "A");
	expect_content(b, "B");
	EXPECT_EQ(2, nr_files());
	unlink(a);
	unlink(b);
}

TEST(two_together)
{
	both_ways(check_two_together);
}

static void check_neither_when_one_cannot_be_renamed(void)
{
	const char *a = in_folder("a"), *b = in_folder("b");
	struct lull_outfile outs[2];
	struct lull_error err;
	char msg[256];

	ASSERT_EQ(LULL_OK, open_out(a, 0, &outs[0], NULL));
	ASSERT_EQ(LULL_OK, open_out(b, 0, &outs[1], NULL));
	/* Someone makes a directory of that name meanwhile. */
	ASSERT_EQ(0, mkdir(b, 0700));
	EXPECT_EQ(LULL_IO, lull_outfile_commit(outs, 2, &err));
	EXPECT_EQ(EISDIR, err.sys_errno);
	snprintf(msg, sizeof(msg),
		 "%s: renaming the finished file: Is a directory", b);
	EXPECT_STREQ(msg, err.msg);
	EXPECT_EQ(1, nr_files());
	EXPECT_EQ(-1, outs[0].fd);
	EXPECT_EQ(-1, outs[1].fd);
	rmdir(b);
}

TEST(neither_when_one_cannot_be_renamed)
{
	both_ways(check_neither_when_one_cannot_be_renamed);
}

/* Whichever of the names a directory has taken. */
static void check_older_files_come_back(void)
{
	const char *paths[3] = { in_folder("a"), in_folder("b"),
				 in_folder("c") };
	struct lull_outfile outs[3];
	struct stat was, is;
	unsigned int taken, i;

	for (taken = 0; taken < 3; taken++) {
		for (i = 0; i < 3; i++) {
			write_file(paths[i], "old");
			ASSERT_EQ(LULL_OK,
				  open_out(paths[i], 0, &outs[i], NULL));
			lull_outfile_write(&outs[i], "new", 3, NULL);
		}
		ASSERT_EQ(0, stat(paths[!taken], &was));
		unlink(paths[taken]);
		ASSERT_EQ(0, mkdir(paths[taken], 0700));
		EXPECT_EQ(LULL_IO, lull_outfile_commit(outs, 3, NULL));
		EXPECT_EQ(0, rmdir(paths[taken]));
		expect_content(paths[!taken], "old");
		ASSERT_EQ(0, stat(paths[!taken], &is));
		EXPECT_EQ(was.st_ino, is.st_ino);
		expect_content(paths[taken == 2 ? 1 : 2], "old");
		EXPECT_EQ(2, nr_files());
	}
	for (i = 0; i < 3; i++)
		unlink(paths[i]);
}

TEST(older_files_come_back)
{
	both_ways(check_older_files_come_back);
}

/* As a try leaves it whose own name another writer took away: the next one keeps
 * the file that is there then. */
static void check_one_older_file_is_kept(void)
{
	const char *a = in_folder("a"), *b = in_folder("b");
	const char *kept = in_folder("kept");
	struct lull_outfile outs[2];

	write_file(a, "old");
	ASSERT_EQ(LULL_OK, open_out(a, 0, &outs[0], NULL));
	ASSERT_EQ(LULL_OK, open_out(b, 0, &outs[1], NULL));
	ASSERT_EQ(0, link(a, kept));
	outs[0].old = strdup(kept);
	EXPECT_EQ(LULL_OK, lull_outfile_commit(outs, 2, NULL));
	EXPECT_EQ(2, nr_files());
	unlink(kept);
	unlink(a);
	unlink(b);
}

TEST(one_older_file_is_kept)
{
	both_ways(check_one_older_file_is_kept);
}

static void check_neither_when_one_cannot_be_closed(void)
{
	const char *a = in_folder("a"), *b = in_folder("b");
	struct lull_outfile outs[2];
	struct lull_error err;

	write_file(a, "old");
	ASSERT_EQ(LULL_OK, open_out(a, 0, &outs[0], NULL));
	ASSERT_EQ(LULL_OK, open_out(b, 0, &outs[1], NULL));
	/* Stands for the file system that fails at close. */
	ASSERT_EQ(0, close(outs[1].fd));
	EXPECT_EQ(LULL_IO, lull_outfile_commit(outs, 2, &err));
	EXPECT_EQ(EBADF, err.sys_errno);
	expect_content(a, "old");
	EXPECT_EQ(1, nr_files());
	unlink(a);
}

TEST(neither_when_one_cannot_be_closed)
{
	both_ways(check_neither_when_one_cannot_be_closed);
}

TEST(same)
{
	const char *a = in_folder("a"), *b = in_folder("b");
	const char *dotted = in_folder("./a");

	EXPECT_TRUE(lull_outfile_same(a, a));
	EXPECT_TRUE(lull_outfile_same(a, dotted));
	EXPECT_TRUE(!lull_outfile_same(a, b));
	EXPECT_TRUE(!lull_outfile_same(a, "a"));
	EXPECT_TRUE(lull_outfile_same("lull-none", "./lull-none"));
	write_file(a, "");
	EXPECT_TRUE(lull_outfile_same(a, dotted));
	EXPECT_TRUE(!lull_outfile_same(a, b));
	ASSERT_EQ(0, symlink("a", b));
	EXPECT_TRUE(lull_outfile_same(a, b));
	unlink(b);
	ASSERT_EQ(0, link(a, b));
	EXPECT_TRUE(lull_outfile_same(b, a));
	unlink(b);
	write_file(b, "");
	EXPECT_TRUE(!lull_outfile_same(a, b));
	unlink(a);
	unlink(b);
}

TEST(folder_is_empty_again)
{
	EXPECT_EQ(0, rmdir(folder));
}

TEST_MAIN
