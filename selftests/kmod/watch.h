/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - a test that hangs says where, and is ended
 *
 * Beside a test program runs a second process, with all that it needs locked
 * in memory: a kernel that is short of it takes programs' text first.  When a
 * test has begun and not ended in time, that process prints, as comments, where
 * the program's threads are, and its children's, and whoever else is at work;
 * what the kernel counts of memory, and what of that moves.  The kernel's own
 * view goes to the console, where scripts/vm finds it when nothing else comes
 * out of the VM.  Then the program is ended by SIGALRM.
 */
#ifndef LULL_SELFTESTS_KMOD_WATCH_H
#define LULL_SELFTESTS_KMOD_WATCH_H

#include <dirent.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/* The word by which a test program becomes what watches it. */
#define WATCH "--watch"
#define TEST_SECONDS_MAX 240
#define WATCH_NAME_BYTES 64
#define WATCH_NUMBER_BYTES 16
#define WATCH_PATH_BYTES 96
#define WATCH_TEXT_BYTES 16384
/* Between two looks at what is counted. */
#define WATCH_LOOK_MS 1000
/* How long an ended program may take to be gone. */
#define WATCH_END_MS 10000
/* Of a parent's parent's ..., so that a change meanwhile makes no circle. */
#define WATCH_DEPTH 32

static int watch_fd = -1;

/* Starts the process: tests may take that many seconds each. */
static inline void watch_start(unsigned int seconds)
{
	char end[WATCH_NUMBER_BYTES], limit[WATCH_NUMBER_BYTES];
	char pid[WATCH_NUMBER_BYTES], word[] = WATCH;
	char *argv[] = { word, word, end, limit, pid, NULL };
	int ends[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends)) {
		TEST_FAIL_("no socket to watch by");
		return;
	}
	watch_fd = fcntl(ends[1], F_DUPFD_CLOEXEC, 0);
	close(ends[1]);
	snprintf(end, sizeof(end), "%d", ends[0]);
	snprintf(limit, sizeof(limit), "%u", seconds);
	snprintf(pid, sizeof(pid), "%d", getpid());
	/* No fork: pages to be copied are faults, which tests count. */
	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ))
		TEST_FAIL_("cannot watch the tests");
	close(ends[0]);
}

/* Tells it of the test that begins. */
static inline void watch_test(const char *name)
{
	char text[WATCH_NAME_BYTES] = "";

	snprintf(text, sizeof(text), "%s", name);
	if (send(watch_fd, text, sizeof(text), MSG_NOSIGNAL) != sizeof(text))
		TEST_FAIL_("nobody watches the tests");
}

/* A file as comments, each line behind WHAT. */
static inline void watch_print(const char *path, const char *what)
{
	static char text[WATCH_TEXT_BYTES];
	char *line, *save = NULL;

	if (file_read(path, text, sizeof(text)))
		return;
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		printf("# %s%s\n", what, line);
}

/* State and parent of a thread, from /proc/PID/task/TID/stat. */
static inline bool watch_stat(const char *task, char *ret_comm, char *ret_state,
			      pid_t *ret_parent)
{
	char path[WATCH_PATH_BYTES], text[LINE_BYTES], *at, *end;

	snprintf(path, sizeof(path), "/proc/%.64s/stat", task);
	if (file_read(path, text, sizeof(text)))
		return false;
	/* "PID (COMM) STATE PARENT", where COMM may hold anything. */
	at = strchr(text, '(');
	end = strrchr(text, ')');
	if (!at || !end || end - at > WATCH_NAME_BYTES)
		return false;
	memcpy(ret_comm, at, (size_t)(end + 1 - at));
	ret_comm[end + 1 - at] = '\0';
	*ret_state = end[2];
	*ret_parent = (pid_t)strtol(end + 3, NULL, 10);
	return true;
}

static inline bool watch_is_under(pid_t pid, pid_t program)
{
	char name[WATCH_NUMBER_BYTES], comm[WATCH_NAME_BYTES + 1], state;
	int depth;

	for (depth = 0; pid > 1 && depth < WATCH_DEPTH; depth++) {
		if (pid == program)
			return true;
		snprintf(name, sizeof(name), "%d", pid);
		if (!watch_stat(name, comm, &state, &pid))
			return false;
	}
	return false;
}

/* Those of the program, and whoever is not asleep. */
static inline void watch_task(const char *task, bool ours)
{
	char path[WATCH_PATH_BYTES], comm[WATCH_NAME_BYTES + 1], state;
	pid_t parent;

	if (!watch_stat(task, comm, &state, &parent) ||
	    (!ours && state != 'R' && state != 'D'))
		return;
	printf("# %s %s %c\n", task, comm, state);
	snprintf(path, sizeof(path), "/proc/%.64s/syscall", task);
	watch_print(path, "  syscall ");
	snprintf(path, sizeof(path), "/proc/%.64s/stack", task);
	watch_print(path, "  ");
}

static inline void watch_process(const char *pid, pid_t program)
{
	bool ours = watch_is_under((pid_t)strtol(pid, NULL, 10), program);
	char path[WATCH_PATH_BYTES];
	struct dirent *thread;
	DIR *dir;

	if (strtol(pid, NULL, 10) == getpid())
		return;
	snprintf(path, sizeof(path), "/proc/%.16s/task", pid);
	dir = opendir(path);
	while (dir && (thread = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "%.16s/task/%.16s", pid,
			 thread->d_name);
		if (isdigit((unsigned char)*thread->d_name))
			watch_task(path, ours);
	}
	if (dir)
		closedir(dir);
}

static inline void watch_processes(pid_t program)
{
	DIR *dir = opendir("/proc");
	struct dirent *process;

	while (dir && (process = readdir(dir)) != NULL)
		if (isdigit((unsigned char)*process->d_name))
			watch_process(process->d_name, program);
	if (dir)
		closedir(dir);
}

/* The counters that moved between two texts of /proc/vmstat. */
static inline void watch_moved(char *before, char *after)
{
	char *old, *now, *save_old = NULL, *save_now = NULL;
	long long by;

	old = strtok_r(before, "\n", &save_old);
	now = strtok_r(after, "\n", &save_now);
	while (old && now) {
		by = strtoll(now + strcspn(now, " "), NULL, 10) -
		     strtoll(old + strcspn(old, " "), NULL, 10);
		if (by)
			printf("# vmstat %s (%+lld)\n", now, by);
		old = strtok_r(NULL, "\n", &save_old);
		now = strtok_r(NULL, "\n", &save_now);
	}
}

static inline void watch_report(const char *name, pid_t program)
{
	static char before[WATCH_TEXT_BYTES], after[WATCH_TEXT_BYTES];
	const char *key;

	printf("# %s has not ended: what is running and where\n", name);
	watch_processes(program);
	file_read("/proc/vmstat", before, sizeof(before));
	poll(NULL, 0, WATCH_LOOK_MS);
	file_read("/proc/vmstat", after, sizeof(after));
	/* Of an idle machine there may be nothing. */
	printf("# what the kernel counted in %d ms:\n", WATCH_LOOK_MS);
	watch_moved(before, after);
	watch_print("/proc/pressure/memory", "pressure ");
	watch_print("/proc/meminfo", "");
	printf("# and again\n");
	watch_processes(program);
	/* All levels to the console; CPUs, blocked tasks, memory. */
	for (key = "9lwm"; *key; key++) {
		char text[2] = { *key };

		file_write("/proc/sysrq-trigger", text);
	}
}

/* main() of the process that watches: WATCH, fd, seconds, pid. */
static inline int watch_main(int argc, char **argv)
{
	char name[WATCH_NAME_BYTES] = "nothing";
	struct pollfd begun = { .events = POLLIN };
	int seconds;
	pid_t program;

	if (argc != 5)
		return 2;
	begun.fd = (int)strtol(argv[2], NULL, 10);
	seconds = (int)strtol(argv[3], NULL, 10);
	program = (pid_t)strtol(argv[4], NULL, 10);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != program || mlockall(MCL_CURRENT | MCL_FUTURE))
		return 1;
	while (poll(&begun, 1, seconds * 1000) > 0)
		if (read(begun.fd, name, sizeof(name)) != sizeof(name))
			return 0;
	watch_report(name, program);
	kill(program, SIGALRM);
	poll(NULL, 0, WATCH_END_MS);
	printf("# and does not end\n");
	watch_processes(program);
	return 1;
}

#endif
