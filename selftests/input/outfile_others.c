// SPDX-License-Identifier: Apache-2.0
/*
 * outfile_others.c - outputs into what others have: open descriptors, older files
 */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

TEST_MAIN
