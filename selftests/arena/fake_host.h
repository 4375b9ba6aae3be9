/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_host.h - a host is a directory with the files that would be in /sys, /proc
 * and /dev
 */
#ifndef LULL_SELFTESTS_ARENA_FAKE_HOST_H
#define LULL_SELFTESTS_ARENA_FAKE_HOST_H

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness.h"

#define PATH_BYTES 512

/* /proc/self/mountinfo where cgroups are of version 2. */
#define VERSION_2                                                              \
	"23 1 0:21 / / rw - overlay overlay rw,lowerdir=/a/very/long/one\n"    \
	"31 23 0:28 / /proc rw,nosuid shared:5 - proc proc rw\n"               \
	"35 31 0:30 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n"

static char root[PATH_BYTES / 2];

static inline void run(const char *command)
{
	char line[2 * PATH_BYTES];

	snprintf(line, sizeof(line), command, root);
	EXPECT_EQ(0, system(line));
}

static inline void new_host(void)
{
	const char *base = getenv("TMPDIR");

	snprintf(root, sizeof(root), "%.64s/lull-selftest-XXXXXX",
		 base ? base : "/tmp");
	if (!mkdtemp(root))
		abort();
}

static inline void end_host(void)
{
	run("rm -rf '%s'");
}

/* Makes a file and the directories above it. */
static inline void put(const char *path, const char *text)
{
	char full[2 * PATH_BYTES], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (slash = full + strlen(root) + 1; (slash = strchr(slash, '/'));
	     slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	file = fopen(full, "we");
	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

#endif
