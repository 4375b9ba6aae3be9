// SPDX-License-Identifier: Apache-2.0
/*
 * outfile_others.c - outputs into what others have: open descriptors, older files
 */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "input/outfile.h"

#define LONG_BYTES (1u << 20) /* more than any pipe of ours has room for */
#define LATE_US 50000	      /* a reader that lets the pipe be full */

/* Reads all that comes; its exit status tells whether that is as long. */
static pid_t read_late(const int ends[2])
{
	pid_t child = fork();
	static char got[4096];
	size_t bytes = 0;
	ssize_t nr;

	if (child)
		return child;
	close(ends[1]);
	usleep(LATE_US);
	while ((nr = read(ends[0], got, sizeof(got))) > 0)
		bytes += (size_t)nr;
	_exit(bytes != LONG_BYTES);
}

static void write_long(const char *path, bool stream)
{
	static const char text[LONG_BYTES];
	struct lull_outfile out = LULL_OUTFILE_EMPTY;
	struct lull_error err = { 0 };
	FILE *to;

	ASSERT_EQ(LULL_OK, lull_outfile_open(path, 0, &out, NULL));
	if (!stream) {
		EXPECT_EQ(LULL_OK, lull_outfile_write(&out, text, sizeof(text),
						      &err));
		EXPECT_STREQ("", err.msg);
	} else {
		ASSERT_EQ(LULL_OK, lull_outfile_stream(&out, &to, NULL));
		EXPECT_EQ(sizeof(text), fwrite(text, 1, sizeof(text), to));
		EXPECT_EQ(0, fclose(to));
	}
	EXPECT_EQ(LULL_OK, lull_outfile_commit(&out, 1, NULL));
}

/* As a caller with an event loop has them. */
TEST(descriptors_that_do_not_block)
{
	int stream, ends[2], status;
	char of_fd[64];
	pid_t child;

	for (stream = 0; stream < 2; stream++) {
		ASSERT_EQ(0, pipe2(ends, O_NONBLOCK | O_CLOEXEC));
		EXPECT_EQ(0, fcntl(ends[0], F_SETFL, 0));
		child = read_late(ends);
		ASSERT_TRUE(child > 0);
		close(ends[0]);
		snprintf(of_fd, sizeof(of_fd), "/dev/fd/%d", ends[1]);
		write_long(of_fd, stream);
		close(ends[1]);
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_EQ(0, status);
	}
}

TEST(streams_tell_of_a_full_disk)
{
	struct lull_outfile out = LULL_OUTFILE_EMPTY;
	FILE *to;

	if (access("/dev/full", W_OK))
		SKIP("there is no /dev/full");
	ASSERT_EQ(LULL_OK, lull_outfile_open("/dev/full", 0, &out, NULL));
	ASSERT_EQ(LULL_OK, lull_outfile_stream(&out, &to, NULL));
	EXPECT_EQ(1, fwrite("x", 1, 1, to));
	EXPECT_EQ(EOF, fflush(to));
	EXPECT_EQ(ENOSPC, errno);
	fclose(to);
	lull_outfile_discard(&out);
}

/* ---- who may read a file that replaces one ----------------------------- */

#define OTHER_USER 65534
#define OTHER_GROUP 65533

/* A file of another group is replaced by somebody who is of it, or is not; of what
 * mode is the one that is there then? */
static void replace(mode_t mode, uid_t user, gid_t want_group, mode_t want)
{
	struct lull_outfile out = LULL_OUTFILE_EMPTY;
	struct stat st;
	int fd = open("old", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	ASSERT_TRUE(fd >= 0);
	EXPECT_EQ(0, fchown(fd, user, OTHER_GROUP));
	EXPECT_EQ(0, fchmod(fd, mode));
	close(fd);
	EXPECT_EQ(0, seteuid(user));
	EXPECT_EQ(LULL_OK, lull_outfile_open("old", 0, &out, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_commit(&out, 1, NULL));
	EXPECT_EQ(0, seteuid(0));
	EXPECT_EQ(0, stat("old", &st));
	EXPECT_EQ(want_group, st.st_gid);
	EXPECT_EQ(want, st.st_mode & 07777);
	unlink("old");
}

static bool in_folder_of_all(char *folder)
{
	return mkdtemp(folder) && !chmod(folder, 0777) && !chdir(folder);
}

TEST(the_group_of_the_older_file)
{
	char folder[] = "/tmp/lull-outfile-XXXXXX";

	if (geteuid() || seteuid(OTHER_USER) || seteuid(0))
		SKIP("only root may give files away");
	ASSERT_TRUE(in_folder_of_all(folder));
	replace(0640, 0, OTHER_GROUP, 0640);
	replace(0604, 0, OTHER_GROUP, 0604);
	/* Who may not hand on the group gives what is the group's to nobody: not
	 * to a group of the writer's, nor what the group alone may not to all. */
	replace(0664, OTHER_USER, getegid(), 0604);
	replace(0640, OTHER_USER, getegid(), 0600);
	replace(0604, OTHER_USER, getegid(), 0600);
	EXPECT_EQ(0, chdir("/"));
	EXPECT_EQ(0, rmdir(folder));
}

/* An ACL's mask stands where the group's bits do: here "all that anybody named may"
 * is what one user may, and the group nothing. */
TEST(the_rights_of_an_acl_are_not_the_groups)
{
	static const struct {
		uint32_t version;
		struct {
			uint16_t tag, perm;
			uint32_t id;
		} entries[5];
	} acl = { 2,
		  { { 1, 6, -1u },
		    { 2, 4, OTHER_USER },
		    { 4, 0, -1u },
		    { 16, 4, -1u },
		    { 32, 0, -1u } } };
	char folder[] = "/tmp/lull-outfile-XXXXXX";
	struct lull_outfile out = LULL_OUTFILE_EMPTY;
	struct stat st;

	ASSERT_TRUE(in_folder_of_all(folder));
	close(open("old", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	if (setxattr("old", "system.posix_acl_access", &acl, sizeof(acl), 0)) {
		unlink("old");
		rmdir(folder);
		SKIP("no access control lists in /tmp");
	}
	EXPECT_EQ(0, stat("old", &st));
	EXPECT_EQ(0640, st.st_mode & 07777);
	EXPECT_EQ(LULL_OK, lull_outfile_open("old", 0, &out, NULL));
	EXPECT_EQ(LULL_OK, lull_outfile_commit(&out, 1, NULL));
	EXPECT_EQ(0, stat("old", &st));
	EXPECT_EQ(0600, st.st_mode & 07777);
	unlink("old");
	EXPECT_EQ(0, chdir("/"));
	EXPECT_EQ(0, rmdir(folder));
}

TEST_MAIN
