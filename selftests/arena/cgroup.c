// SPDX-License-Identifier: Apache-2.0
/*
 * cgroup.c - what memory cgroups leave a process
 *
 * A host is a directory with the files that would be in /proc and /sys; at last a
 * cgroup is made on this one, where that is permitted.
 */
#include "arena/cgroup.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

#include "fake_host.h"
#include "harness.h"

#define GIB LULL_BYTES_PER_GIB
#define MIB LULL_BYTES_PER_MIB
#define CGROUPS "/sys/fs/cgroup"
/* What version 1 writes where there is no limit. */
#define UNLIMITED "9223372036854771712\n"

static struct lull_arena_cgroup found;
static const struct lull_arena_cgroup_bound *bound;

/* What there is of a machine's 16 GiB and 4 of swap, with so much own memory. */
static uint64_t backing(uint64_t own)
{
	memset(&found, 0xcc, sizeof(found));
	lull_arena_cgroup_read(root, &found);
	return lull_arena_cgroup_backing(&found, 16 * GIB, 4 * GIB, own,
					 &bound);
}

static void expect(uint64_t bytes, const char *file)
{
	char path[2 * PATH_BYTES] = "";

	EXPECT_EQ(bytes, backing(0));
	if (bound)
		snprintf(path, sizeof(path), "%s/%s", bound->dir, bound->file);
	EXPECT_STREQ(file, path);
}

static void expect_limit(uint64_t bytes)
{
	EXPECT_EQ(bytes, bound ? bound->limit_bytes : 0);
}

static void put_bytes(const char *path, uint64_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)bytes);
	put(path, text);
}

static void new_host_of(const char *cgroup, const char *mountinfo)
{
	new_host();
	put("/proc/self/cgroup", cgroup);
	put("/proc/self/mountinfo", mountinfo);
}

TEST(nothing_is_known)
{
	new_host();
	expect(20 * GIB, "");
	put("/proc/self/cgroup", "0::/a\n");
	expect(20 * GIB, "");
	put("/proc/self/mountinfo", "x\n");
	expect(20 * GIB, "");
	put("/proc/self/mountinfo", VERSION_2);
	expect(20 * GIB, "");
	EXPECT_EQ(UINT64_MAX, found.memory.room_bytes);
	EXPECT_EQ(UINT64_MAX, found.swap.room_bytes);
	EXPECT_EQ(UINT64_MAX, found.both.room_bytes);
	EXPECT_TRUE(!found.memory.file && !found.swap.file && !found.both.file);
	end_host();
}

/* Its cgroup is the mount itself. */
TEST(container)
{
	new_host_of("0::/\n", VERSION_2);
	put(CGROUPS "/memory.max", "max\n");
	put(CGROUPS "/memory.high", "4096\n");
	expect(20 * GIB, "");
	put_bytes(CGROUPS "/memory.max", 8 * GIB);
	expect(12 * GIB, CGROUPS "/memory.max");
	expect_limit(8 * GIB);
	put_bytes(CGROUPS "/memory.current", 5 * GIB);
	expect(7 * GIB, CGROUPS "/memory.max");
	put(CGROUPS "/memory.stat",
	    "anon 1\nfile 5368709120\ninactive_file 2147483648\n"
	    "active_file 1073741824\nunevictable 4294967296\n");
	expect(10 * GIB, CGROUPS "/memory.max");
	/* More cache than is charged is a cgroup in motion. */
	put_bytes(CGROUPS "/memory.current", GIB);
	expect(12 * GIB, CGROUPS "/memory.max");
	put_bytes(CGROUPS "/memory.current", 12 * GIB);
	expect(4 * GIB, CGROUPS "/memory.max");
	/* More than the machine has. */
	put_bytes(CGROUPS "/memory.max", 64 * GIB);
	expect(20 * GIB, "");
	end_host();
}

TEST(swap_of_its_own)
{
	new_host_of("0::/\n", VERSION_2);
	put(CGROUPS "/memory.max", "max\n");
	put_bytes(CGROUPS "/memory.swap.max", 3 * GIB);
	put_bytes(CGROUPS "/memory.swap.current", GIB);
	/* Is no memory. */
	put(CGROUPS "/memory.stat", "inactive_file 1073741824\n");
	expect(18 * GIB, CGROUPS "/memory.swap.max");
	put_bytes(CGROUPS "/memory.max", 8 * GIB);
	expect(10 * GIB, CGROUPS "/memory.max");
	put(CGROUPS "/memory.swap.max", "0\n");
	expect(8 * GIB, CGROUPS "/memory.max");
	end_host();
}

/* Each may be the one that leaves the least, of memory and of swap. */
TEST(cgroups_above)
{
	new_host_of("0::/a.slice/b.slice/c.service\n", VERSION_2);
	put_bytes(CGROUPS "/a.slice/b.slice/c.service/memory.max", 8 * GIB);
	expect(12 * GIB, CGROUPS "/a.slice/b.slice/c.service/memory.max");
	put_bytes(CGROUPS "/a.slice/b.slice/memory.max", 9 * GIB);
	expect(12 * GIB, CGROUPS "/a.slice/b.slice/c.service/memory.max");
	put_bytes(CGROUPS "/a.slice/b.slice/memory.current", 2 * GIB);
	expect(11 * GIB, CGROUPS "/a.slice/b.slice/memory.max");
	put_bytes(CGROUPS "/memory.max", 6 * GIB);
	expect(10 * GIB, CGROUPS "/memory.max");
	put_bytes(CGROUPS "/a.slice/memory.swap.max", GIB);
	expect(7 * GIB, CGROUPS "/memory.max");
	/* Beside it, and a name that begins as a folder of its own. */
	put("/sys/fs/memory.max", "0\n");
	put(CGROUPS "/a.slice/b.slice/c/memory.max", "0\n");
	expect(7 * GIB, CGROUPS "/memory.max");
	end_host();
}

/* A part of the hierarchy is mounted, as of a container without a namespace. */
TEST(part_of_the_hierarchy)
{
	const char *mounted =
		"35 31 0:30 /docker/12 " CGROUPS " rw - cgroup2 cgroup rw\n";
	const char *const not_below[] = { "0::/docker/123/in\n",
					  "0::/docker/1/in\n",
					  "0::/docker/21/in\n",
					  "0::/../../in\n" };
	size_t i;

	new_host_of("0::/docker/12\n", mounted);
	put_bytes(CGROUPS "/memory.max", 8 * GIB);
	put_bytes(CGROUPS "/in/memory.max", 4 * GIB);
	put("/sys/fs/cgroup/docker/12/memory.max", "0\n");
	expect(12 * GIB, CGROUPS "/memory.max");
	put("/proc/self/cgroup", "0::/docker/12/in\n");
	expect(8 * GIB, CGROUPS "/in/memory.max");
	for (i = 0; i < LULL_ARRAY_SIZE(not_below); i++) {
		put("/proc/self/cgroup", not_below[i]);
		expect(12 * GIB, CGROUPS "/memory.max");
	}
	end_host();
}

#define V1 "/cg/memory"

/* Version 1, where version 2 is mounted beside it, without a controller. */
TEST(version_1)
{
	new_host_of("3:memory_x:/c\n4:cpu,memory:/a/b\n0::/d\n",
		    "31 23 0:28 / /cg rw - tmpfs tmpfs rw,memory\n"
		    "32 31 0:29 / /cg/x rw - cgroup cgroup rw,memory_x\n"
		    "33 31 0:30 / " V1 " rw - cgroup cgroup rw,cpu,memory\n"
		    "34 31 0:31 / /cg/unified rw - cgroup2 cgroup2 rw\n");
	put(V1 "/memory.limit_in_bytes", UNLIMITED);
	put(V1 "/memory.memsw.limit_in_bytes", UNLIMITED);
	put("/cg/x/c/memory.limit_in_bytes", "0\n");
	expect(20 * GIB, "");
	EXPECT_TRUE(!found.memory.file && !found.both.file);
	put_bytes(V1 "/a/memory.limit_in_bytes", 8 * GIB);
	put_bytes(V1 "/a/memory.usage_in_bytes", 5 * GIB);
	put(V1 "/a/memory.stat",
	    "inactive_file 1\nactive_file 1\ntotal_inactive_file 1073741824\n"
	    "total_active_file 1073741824\n");
	expect(9 * GIB, V1 "/a/memory.limit_in_bytes");
	put_bytes(V1 "/a/memory.memsw.limit_in_bytes", 8 * GIB);
	put_bytes(V1 "/a/memory.memsw.usage_in_bytes", 6 * GIB);
	expect(4 * GIB, V1 "/a/memory.memsw.limit_in_bytes");
	expect_limit(8 * GIB);
	put_bytes(V1 "/a/b/memory.limit_in_bytes", GIB);
	put_bytes(V1 "/a/b/memory.memsw.limit_in_bytes", 64 * GIB);
	expect(4 * GIB, V1 "/a/memory.memsw.limit_in_bytes");
	put_bytes(V1 "/a/memory.memsw.usage_in_bytes", 0);
	expect(5 * GIB, V1 "/a/b/memory.limit_in_bytes");
	end_host();
}

/* What the caller has is charged and not lacking; a limit stays one. */
TEST(own_memory)
{
	new_host_of("0::/\n", VERSION_2);
	put("/sys/fs/cgroup/memory.swap.max", "0\n");
	put_bytes(CGROUPS "/memory.max", 8 * GIB);
	put_bytes(CGROUPS "/memory.current", 5 * GIB);
	EXPECT_EQ(3 * GIB, backing(0));
	EXPECT_EQ(7 * GIB, backing(4 * GIB));
	EXPECT_EQ(8 * GIB, backing(6 * GIB));
	put(CGROUPS "/memory.max", "max\n");
	EXPECT_EQ(16 * GIB, backing(UINT64_MAX));
	end_host();
}

/* ---- this host ---------------------------------------------------------- */

#define LIMIT (64 * MIB)
#define TOUCHED (16 * MIB)

static bool write_number(const char *dir, const char *name, uint64_t nr)
{
	char path[2 * PATH_BYTES];
	FILE *file;
	bool done;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	/* Makes no file: what looks like a cgroup may be a folder. */
	file = fopen(path, "r+e");
	done = file && fprintf(file, "%llu", (unsigned long long)nr) > 0;
	return file && !fclose(file) && done;
}

/* A cgroup with LIMIT, below this process's or the nearest above it that has the
 * controller for others. */
static bool make_cgroup(const char *mount, const char *list, const char *limit,
			char dir[PATH_BYTES])
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[PATH_BYTES / 2], *path = NULL;

	while (file && !path && fgets(line, sizeof(line), file)) {
		path = strstr(line, list);
		line[strcspn(line, "\n")] = '\0';
	}
	if (file)
		fclose(file);
	if (path)
		path += strlen(list) + !strcmp(path + strlen(list), "/");
	while (path) {
		snprintf(dir, PATH_BYTES, "%.64s%s/lull-selftest-%d", mount,
			 path, getpid());
		if (!mkdir(dir, 0755) && write_number(dir, limit, LIMIT))
			return true;
		rmdir(dir);
		if (!*path)
			break;
		*strrchr(path, '/') = '\0';
	}
	return false;
}

/* In the cgroup: what is seen there, for the parent. */
static int child(const char *dir)
{
	const struct lull_arena_cgroup_bound *b = &found.memory;
	void *memory;

	if (!write_number(dir, "cgroup.procs", 0))
		return 2;
	memory = mmap(NULL, TOUCHED, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 2;
	memset(memory, 1, TOUCHED);
	lull_arena_cgroup_read("", &found);
	if (!strcmp(b->dir, dir) && b->limit_bytes == LIMIT &&
	    b->room_bytes <= LIMIT - TOUCHED && b->room_bytes > LIMIT / 2)
		return 0;
	printf("# expected %s, found %s/%s leaves %llu of %llu\n", dir, b->dir,
	       b->file ? b->file : "", (unsigned long long)b->room_bytes,
	       (unsigned long long)b->limit_bytes);
	fflush(stdout);
	return 1;
}

TEST(this_host)
{
	char dir[PATH_BYTES];
	int status = -1;
	pid_t pid;

	if (!make_cgroup(CGROUPS, "0::", "memory.max", dir) &&
	    !make_cgroup(CGROUPS "/memory", ":memory:", "memory.limit_in_bytes",
			 dir))
		SKIP("no memory cgroup may be made here");
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(child(dir));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, rmdir(dir));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		SKIP("no process may enter a memory cgroup here");
	EXPECT_EQ(0, status);
}

TEST_MAIN
