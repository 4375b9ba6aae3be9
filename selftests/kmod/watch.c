// SPDX-License-Identifier: Apache-2.0
/*
 * watch.c - a test that hangs says where it is and is ended; one that takes
 * its time is left alone
 *
 * Needs the virtual machine for its root, not for the module.
 */
#include "kmod/arena.h"

#define SAID_BYTES ((size_t)1 << 20)
/* An emulated processor may stand still for seconds. */
#define SHORT_S 5
#define LONG_S 8
/* Longer than LONG_S in all. */
#define NAPS 9
#define NAP_US 1000000

struct watched {
	void (*fn)(void);
	unsigned int seconds;
	int out;
	int silent;
};

/* The child's child, which the report must find too. */
static void sleep_beside(void)
{
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static int silent_fd;

static void hang(void)
{
	char byte;

	sleep_beside();
	watch_test("one_that_hangs");
	if (read(silent_fd, &byte, 1) == 1)
		printf("# went on\n");
}

static void take_time(void)
{
	int i;

	for (i = 0; i < NAPS; i++) {
		watch_test("one_that_takes_time");
		usleep(NAP_US);
	}
}

static void count(void)
{
	char before[] = "nr_still 1\nnr_up 5\nnr_down 9\n";
	char after[] = "nr_still 1\nnr_up 7\nnr_down 0\n";

	watch_moved(before, after);
	fflush(stdout);
}

static void be_watched(void *arg)
{
	struct watched *w = arg;

	dup2(w->out, STDOUT_FILENO);
	close(w->out);
	silent_fd = w->silent;
	watch_start(w->seconds);
	w->fn();
}

/* FN under a watch of its own: its status, and what was printed. */
static int watched(void (*fn)(void), unsigned int seconds, char *ret_said)
{
	struct watched w = { .fn = fn, .seconds = seconds };
	int out[2], silent[2], status;
	size_t used = 0;
	ssize_t n;

	*ret_said = '\0';
	if (pipe(out) || pipe(silent)) {
		TEST_FAIL_("no pipes");
		return -1;
	}
	/* What is said must fit: it is read when all is over. */
	fcntl(out[1], F_SETPIPE_SZ, SAID_BYTES);
	w.out = out[1];
	w.silent = silent[0];
	status = in_child_status(be_watched, &w, (uid_t)-1);
	close(out[1]);
	do {
		n = read(out[0], ret_said + used, SAID_BYTES - 1 - used);
		used += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	ret_said[used] = '\0';
	close(out[0]);
	close(silent[0]);
	close(silent[1]);
	return status;
}

static void expect_said(const char *said, const char *what)
{
	if (!strstr(said, what))
		TEST_FAIL_("nothing of '%s' was said", what);
}

TEST(hang_says_where)
{
	static char said[SAID_BYTES];
	int status = watched(hang, SHORT_S, said);

	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGALRM, WTERMSIG(status));
	expect_said(said, "# one_that_hangs has not ended");
	expect_said(said, "(watch) S\n#   syscall 0 ");
	expect_said(said, "pipe_read");
	expect_said(said, "(watch) S\n#   syscall 34 ");
	expect_said(said, "# MemFree:");
	expect_said(said, "# what the kernel counted in 1000 ms:\n");
	/* For whoever sees the console only. */
	EXPECT_TRUE(kmsg_seen("Show Blocked State"));
	EXPECT_TRUE(kmsg_seen("Mem-Info:"));
}

TEST(taking_time_is_no_hang)
{
	static char said[SAID_BYTES];
	int status = watched(take_time, LONG_S, said);

	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_STREQ("", said);
}

TEST(counters_that_move_are_said)
{
	static char said[SAID_BYTES];

	watched(count, LONG_S, said);
	EXPECT_STREQ("# vmstat nr_up 7 (+2)\n# vmstat nr_down 0 (-9)\n", said);
}

KMOD_TEST_MAIN
