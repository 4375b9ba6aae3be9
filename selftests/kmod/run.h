/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - children, users, passed descriptors and the kernel's log, for the
 * tests of the arena module
 *
 * A test after which the log holds a complaint has failed.
 */
#ifndef LULL_SELFTESTS_KMOD_RUN_H
#define LULL_SELFTESTS_KMOD_RUN_H

#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

/* One record of /dev/kmsg (CONSOLE_EXT_LOG_MAX is 8192). */
#define RECORD_BYTES 8193
#define LOG_BYTES 65536
#define COMMAND_BYTES 256

static int kmsg_fd = -1;
static uint64_t test_started_ms;
/* What came since the last test, for kmsg_seen(). */
static char kmsg_text[LOG_BYTES];
static size_t kmsg_used;

static const char *const complaints[] = {
	"BUG:",
	"WARNING:",
	"Oops",
	"Kernel panic",
	"leak",
	"Bad page",
	"Bad rss-counter",
	"refcount_t:",
	"KASAN",
	"UBSAN",
	"general protection",
	"INFO: task",
	"possible circular",
	"suspicious RCU",
	"inconsistent lock state",
};

/* Of the kernel's own, about a fault that it makes again. */
#define NO_COMPLAINT "VM_FAULT_OOM leaked out to the #PF handler"

/* KASAN, lockdep and kmemleak (make check-debug) make all this slower. */
#define DEBUG_KERNEL_TIMES 8

static inline unsigned int slowness(void)
{
	return access("/sys/kernel/debug/kmemleak", F_OK) ? 1
							  : DEBUG_KERNEL_TIMES;
}

static inline uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static inline void kmsg_start(void)
{
	kmsg_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg_fd >= 0)
		lseek(kmsg_fd, 0, SEEK_END);
	test_started_ms = now_ms();
}

static inline void kmsg_read_on(void)
{
	char record[RECORD_BYTES];
	ssize_t n;

	for (;;) {
		n = read(kmsg_fd, record, sizeof(record) - 1);
		/* EPIPE: records were overwritten before we read them. */
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			return;
		record[n] = '\0';
		if (strstr(record, NO_COMPLAINT))
			continue;
		if (kmsg_used + (size_t)n >= sizeof(kmsg_text))
			kmsg_used = 0;
		memcpy(kmsg_text + kmsg_used, record, (size_t)n);
		kmsg_used += (size_t)n;
		kmsg_text[kmsg_used] = '\0';
	}
}

/* True when a line since the last test has WHAT in it. */
static inline bool kmsg_seen(const char *what)
{
	kmsg_read_on();
	return strstr(kmsg_text, what) != NULL;
}

static inline void test_check_log(void)
{
	char *line, *save = NULL;
	bool shown = false;
	size_t i;

	if (kmsg_fd < 0)
		TEST_FAIL_("cannot read /dev/kmsg");
	kmsg_read_on();
	for (i = 0; i < sizeof(complaints) / sizeof(*complaints); i++)
		if (strstr(kmsg_text, complaints[i]))
			shown = true;
	if (shown) {
		TEST_FAIL_("the kernel complains:");
		for (line = strtok_r(kmsg_text, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			printf("# %s\n", line);
	}
	kmsg_used = 0;
	kmsg_text[0] = '\0';
	printf("# %" PRIu64 " ms\n", now_ms() - test_started_ms);
	test_started_ms = now_ms();
}

/* Leaves the test of that name alone in the list; all, for NULL. */
static inline void test_select(const char *name)
{
	struct test_case **at = &test_first;

	if (!name)
		return;
	while (*at) {
		if (strcmp((*at)->name, name))
			*at = (*at)->next;
		else
			at = &(*at)->next;
	}
}

static inline void become(uid_t uid)
{
	if (uid == (uid_t)-1)
		return;
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid))
		TEST_FAIL_("cannot become user %u", uid);
}

/* FN in a child, as UID unless that is -1; returns the wait status. */
static inline int in_child_status(void (*fn)(void *arg), void *arg, uid_t uid)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		test_failed = false;
		become(uid);
		if (!test_failed)
			fn(arg);
		fflush(stdout);
		_exit(test_failed);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		TEST_FAIL_("no child");
	return status;
}

/* The same for a child that must end well: its failures are the test's. */
static inline void in_child(void (*fn)(void *arg), void *arg, uid_t uid)
{
	int status = in_child_status(fn, arg, uid);

	if (!WIFEXITED(status))
		TEST_FAIL_("the child was ended by signal %d",
			   WTERMSIG(status));
	else if (WEXITSTATUS(status))
		test_failed = true;
}

static inline int fd_send(int sock, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(fd))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	memset(control, 0, sizeof(control));
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(sock, &msg, 0) == 1 ? 0 : -errno;
}

static inline int fd_receive(int sock)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	int fd = -EBADMSG;

	if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) != 1)
		return -errno;
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static inline bool kernel_at_least(unsigned int major, unsigned int minor)
{
	unsigned int have_major = 0, have_minor = 0;
	struct utsname name;

	uname(&name);
	sscanf(name.release, "%u.%u", &have_major, &have_minor);
	return have_major > major ||
	       (have_major == major && have_minor >= minor);
}

/* True when the module is there (again, with these options). */
static inline bool module_load(const char *name, const char *options)
{
	char command[COMMAND_BYTES];

	snprintf(command, sizeof(command),
		 "PATH=$PATH:/usr/sbin:/sbin modprobe -q %s %s", name, options);
	return system(command) == 0;
}

#endif
