/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - what the tests of /dev/lull_arena share: the ioctls as calls, a
 * fixture in kselftest's vocabulary, touches that survive SIGBUS, and readers
 * of what the kernel counts
 *
 * For selftests/kmod/ alone.  The tests run as root, one program at a time,
 * in a virtual machine that may be spoiled.  Nothing here refuses anything:
 * errors come back as -errno for the test to judge.
 */
#ifndef LULL_SELFTESTS_KMOD_ARENA_H
#define LULL_SELFTESTS_KMOD_ARENA_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <linux/lull_arena.h>

#include "harness.h"

#define SLOT ((uint64_t)2 << 20)
#define PAGE ((uint64_t)4096)
#define DEVICE "/dev/lull_arena"

/* kselftest's words for a test with something set up before it. */
#define FIXTURE(id) struct id
#define FIXTURE_SETUP(id) static void id##_setup(struct id *self)
#define FIXTURE_TEARDOWN(id) static void id##_teardown(struct id *self)
#define TEST_F(id, what)                                                       \
	static void id##_##what(struct id *self);                              \
	TEST(what)                                                             \
	{                                                                      \
		struct id self = { 0 };                                        \
                                                                               \
		id##_setup(&self);                                             \
		if (!test_failed && !test_skipped)                             \
			id##_##what(&self);                                    \
		id##_teardown(&self);                                          \
	}                                                                      \
	static void id##_##what(struct id *self)

#include "kmod/calls.h"
#include "kmod/memory.h"
#include "kmod/counters.h"
#include "kmod/run.h"
#include "kmod/watch.h"

/*
 * main() of a test program.  With a word, only the test of that name runs.
 * After each test the kernel's log must have no complaint in it.
 */
static inline int kmod_test_main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], WATCH))
		return watch_main(argc, argv);
	test_select(argc > 1 ? argv[1] : NULL);
	watch_start(TEST_SECONDS_MAX * slowness());
	test_before_each = watch_test;
	test_after_each = test_check_log;
	kmsg_start();
	return test_main();
}

#define KMOD_TEST_MAIN                                                         \
	int main(int argc, char **argv)                                        \
	{                                                                      \
		return kmod_test_main(argc, argv);                             \
	}

#endif
