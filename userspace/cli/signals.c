// SPDX-License-Identifier: Apache-2.0
/*
 * signals.c - what SIGINT and SIGTERM do to the `lull` command
 *
 * They end it at once: the library has no state worth unwinding but the
 * temporary files that outputs are written to, and those are removed here.
 * A command that has more to say than that catches them.  SIGXFSZ is ignored: a
 * limit on the size of files is then an error with the name of the file.
 * Their names are read back from /proc/self/fd, because a signal handler can
 * reach neither the library's memory nor the heap.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/cli.h"

/* Temporary outputs are named so (userspace/input/outfile.h). */
#define TEMP_PREFIX ".lull-"
#define TEMP_DIGITS 16
/* The command opens a handful of files; descriptors are handed out upwards. */
#define FDS_SEARCHED 64
#define PATH_BYTES 4096

/* "/proc/self/fd/N", with what a signal handler may call. */
static void name_fd(char *buf, size_t bytes, unsigned int fd)
{
	static const char head[] = "/proc/self/fd/";
	char digits[4];
	size_t nr = 0, at = sizeof(head) - 1;

	memcpy(buf, head, at);
	do {
		digits[nr++] = (char)('0' + fd % 10);
		fd /= 10;
	} while (fd);
	while (nr && at < bytes - 1)
		buf[at++] = digits[--nr];
	buf[at] = '\0';
}

/* Whether an output was given this name: the caller's own files may begin so. */
static bool is_temporary(const char *name)
{
	const size_t len = sizeof(TEMP_PREFIX) - 1;

	return !strncmp(name, TEMP_PREFIX, len) &&
	       strspn(name + len, "0123456789abcdef") == TEMP_DIGITS &&
	       !name[len + TEMP_DIGITS];
}

/* An output is open for reading too; what is open for that alone is an input. */
static bool is_written(unsigned int fd)
{
	const int flags = fcntl((int)fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) == O_RDWR;
}

static void remove_temporaries(void)
{
	static char path[PATH_BYTES];
	char link[32];
	const char *base;
	unsigned int fd;
	ssize_t len;

	for (fd = STDERR_FILENO + 1; fd < FDS_SEARCHED; fd++) {
		name_fd(link, sizeof(link), fd);
		len = readlink(link, path, sizeof(path) - 1);
		if (len <= 0)
			continue;
		path[len] = '\0';
		base = strrchr(path, '/');
		if (base && is_temporary(base + 1) && is_written(fd))
			unlink(path);
	}
}

static void end_command(int signal_nr)
{
	remove_temporaries();
	_exit(signal_nr == SIGTERM ? LULL_EXIT_TERMINATED
				   : LULL_EXIT_INTERRUPTED);
}

static volatile sig_atomic_t caught;

static void note_signal(int signal_nr)
{
	if (caught)
		end_command(signal_nr);
	caught = signal_nr;
}

static void fill_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

/* One that the caller ignores (nohup, a shell's background job) stays so. */
static void handle_by(void (*handler)(int))
{
	static const int numbers[] = { SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = handler }, old;
	size_t i;

	fill_set(&action.sa_mask);
	for (i = 0; i < LULL_ARRAY_SIZE(numbers); i++)
		if (!sigaction(numbers[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

void lull_cli_signals_install(void)
{
	handle_by(end_command);
	signal(SIGXFSZ, SIG_IGN);
}

void lull_cli_signals_catch(void)
{
	handle_by(note_signal);
}

int lull_cli_signals_caught(void)
{
	return caught;
}

void lull_cli_signals_hold(void)
{
	sigset_t set;

	fill_set(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void lull_cli_signals_hold_for(const char *const *outputs, size_t nr)
{
	struct stat st;
	size_t i;

	for (i = 0; i < nr; i++)
		if (!stat(outputs[i], &st) && !S_ISREG(st.st_mode))
			return;
	lull_cli_signals_hold();
}

void lull_cli_signals_release(void)
{
	sigset_t set;

	fill_set(&set);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
