/* SPDX-License-Identifier: Apache-2.0 */
/*
 * denied.h - what a container may forbid, and the tests of it there
 *
 * What needs it is left out and the test is told as skipped, with the reason; its
 * twins are tried as before.
 */
#ifndef LULL_SELFTESTS_DENIED_H
#define LULL_SELFTESTS_DENIED_H

#include <errno.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "harness.h"

#include "arena/arena.h"
#include "arena/host.h"
#include "load/loader.h"

/* One ring after another: the kernel frees them some time after they are closed,
 * and until then they count against RLIMIT_MEMLOCK. */
#define RINGS_BYTES ((rlim_t)1 << 20)

static inline bool room_for_rings(void)
{
	struct rlimit limit;

	return lull_arena_host_ipc_lock() ||
	       getrlimit(RLIMIT_MEMLOCK, &limit) ||
	       limit.rlim_cur >= RINGS_BYTES;
}

/* NULL, or why there is no io_uring here, in the loader's own words.  What else
 * is wrong is for a test to find. */
static inline const char *no_uring(void)
{
	const struct lull_loader_opts opts = { .kind = LULL_LOADER_URING,
					       .node = LULL_ARENA_NODE_ANY };
	struct lull_loader *loader = NULL;
	static struct lull_error error;
	int err;

	if (!room_for_rings())
		return "RLIMIT_MEMLOCK has no room for one ring after another";
	err = lull_loader_open(&opts, &loader, &error);
	lull_loader_close(loader);
	return err == LULL_UNSUPPORTED ? error.msg : NULL;
}

/* Whether a loader of this name is left out, which is then said of the test. */
static inline bool left_out(const char *loader)
{
	const char *why = NULL;

	if (loader && !strcmp(loader, "uring"))
		why = no_uring();
	if (why)
		test_skipped = why;
	return why;
}

/* Whether this process may not copy its own memory by process_vm_readv(2), which
 * is then said of the test. */
static inline bool no_vm_readv(void)
{
	char from = 1, to;
	struct iovec local = { &to, 1 }, remote = { &from, 1 };
	bool denied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0) < 0 &&
		      (errno == EPERM || errno == ENOSYS);

	if (denied)
		test_skipped = "process_vm_readv() is not permitted to this "
			       "process (seccomp, as in containers)";
	return denied;
}

#endif
