// SPDX-License-Identifier: Apache-2.0
/*
 * doctor.c - what is said of hosts that have this or that fault
 *
 * A host is a directory with the files that would be in /sys, /proc and /dev.
 */
#include "arena/doctor.h"

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arena/host.h"
#include "base/base.h"

#include "fake_host.h"
#include "harness.h"

#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/"
#define LARGE_POOL "/sys/kernel/mm/hugepages/hugepages-1048576kB/"
#define THP "/sys/kernel/mm/transparent_hugepage/enabled"

static struct lull_arena_finding found[LULL_ARENA_NR_FINDINGS];

static const struct lull_arena_finding *look(const char *name)
{
	size_t i;

	memset(found, 0xcc, sizeof(found));
	lull_arena_doctor(root, found);
	for (i = 0; i < LULL_ARENA_NR_FINDINGS; i++) {
		/* What is wrong has a cure, and nothing else has. */
		EXPECT_EQ(found[i].ok, !found[i].cure[0]);
		EXPECT_TRUE(found[i].what[0] != '\0');
	}
	for (i = 0; i < LULL_ARENA_NR_FINDINGS; i++)
		if (!strcmp(found[i].name, name))
			return &found[i];
	TEST_FAIL_("%s is not looked at", name);
	return &found[0];
}

static void expect(const char *name, bool ok, const char *what,
		   const char *cure)
{
	const struct lull_arena_finding *f = look(name);

	EXPECT_EQ(ok, f->ok);
	if (!strstr(f->what, what))
		TEST_FAIL_("%s: expected '%s', found '%s'", name, what,
			   f->what);
	if (!strstr(f->cure, cure))
		TEST_FAIL_("%s: expected '%s', found '%s'", name, cure,
			   f->cure);
}

TEST(the_module)
{
	char path[PATH_BYTES];
	struct utsname uts;

	uname(&uts);
	new_host();
	expect("module", false, "lull_arena is not built for this kernel",
	       "make dkms-install");
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep",
		 uts.release);
	put(path, "kernel/a.ko:\nkernel/b.ko: updates/lull_arena.ko\n");
	expect("module", false, "is not built", "linux-headers-");
	put(path, "kernel/a.ko:\nupdates/dkms/lull_arena.ko.xz:\n");
	expect("module", false, "is installed for", "modprobe lull_arena");
	EXPECT_TRUE(!strstr(look("module")->cure, "Secure Boot"));
	put("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-"
	    "00e098032b8c",
	    "\6\1\1\1\1");
	expect("module", false, "is installed for", "mokutil --import");
	put(LULL_ARENA_SYSFS "/arenas", "0\n");
	expect("module", true, "lull_arena is loaded", "");
	end_host();
}

TEST(the_device)
{
	new_host();
	expect("device", true, "there is none without the module", "");
	put(LULL_ARENA_SYSFS "/arenas", "0\n");
	expect("device", false, "is not there", "udevadm trigger");
	put(LULL_ARENA_DEVICE, "");
	expect("device", true, "this user may use " LULL_ARENA_DEVICE, "");
	if (!geteuid()) {
		end_host();
		SKIP("root may use every device");
	}
	run("chmod 0 '%s'" LULL_ARENA_DEVICE);
	expect("device", false, "lull", "usermod -aG lull");
	end_host();
}

TEST(huge_pages)
{
	new_host();
	expect("thp", false, "this kernel has no transparent huge pages",
	       "CONFIG_TRANSPARENT_HUGEPAGE");
	put(THP, "always madvise [never]\n");
	expect("thp", false, "transparent huge pages are off",
	       "echo madvise > " THP);
	put(THP, "always [madvise] never\n");
	expect("thp", true, "for memory that asks", "");
	put(THP, "[always] madvise never\n");
	expect("thp", true, "always on", "");
	expect("hugetlb", true, "no 2 MiB hugetlb pages", "");
	put(POOL "nr_hugepages", "0\n");
	put(POOL "free_hugepages", "0\n");
	put(POOL "resv_hugepages", "0\n");
	expect("hugetlb", true, "0 pages of 2 MiB are reserved, 0 of them free",
	       "");
	put(POOL "nr_hugepages", "10\n");
	put(POOL "free_hugepages", "4\n");
	put(POOL "resv_hugepages", "3\n");
	expect("hugetlb", true, "10 pages of 2 MiB are reserved, 1 of", "");
	put(POOL "resv_hugepages", "4\n");
	expect("hugetlb", false, "10 pages of 2 MiB are reserved, 0 of",
	       "more than 20M");
	put(POOL "nr_overcommit_hugepages", "2\n");
	expect("hugetlb", true, "10 pages of 2 MiB", "");
	put(POOL "surplus_hugepages", "2\n");
	expect("hugetlb", false, "10 pages of 2 MiB", "lull arena reserve");
	put(LARGE_POOL "nr_hugepages", "3\n");
	put(LARGE_POOL "free_hugepages", "2\n");
	expect("hugetlb", true, "0 of them free, 3 of 1 GiB, 2 of them free",
	       "");
	end_host();
}

TEST(fragmented_memory)
{
	new_host();
	expect("fragmentation", true, "cannot be read", "");
	/* 1024 pages of 2 MiB and 4 MiB, hardly anything else. */
	put("/proc/buddyinfo",
	    "Node 0, zone   Normal  9 0 0 0 0 0 0 0 0 512 256\n");
	expect("fragmentation", true, "2048 of 2048 MiB of free memory", "");
	put("/proc/buddyinfo",
	    "Node 0, zone      DMA  0 0 0 0 0 0 0 0 0 0 1\n"
	    "Node 0, zone   Normal  500000 250000 0 0 0 0 0 0 0 3 1\n");
	expect("fragmentation", false, "14 of 3920 MiB",
	       "echo 1 > /proc/sys/vm/compact_memory");
	end_host();
}

TEST(memory_cgroups)
{
	new_host();
	expect("cgroup", true, "no memory cgroup sets a bound", "");
	put("/proc/self/cgroup", "0::/a.slice/b.service\n");
	put("/proc/self/mountinfo", VERSION_2);
	expect("cgroup", true, "no memory cgroup sets a bound", "");
	put("/sys/fs/cgroup/a.slice/b.service/memory.max", "max\n");
	expect("cgroup", true, "no memory cgroup sets a bound", "");
	put("/sys/fs/cgroup/a.slice/memory.max", "8589934592\n");
	put("/sys/fs/cgroup/a.slice/memory.current", "1073741824\n");
	expect("cgroup", true, "/a.slice leaves 7168 of 8192 MiB", "");
	put("/sys/fs/cgroup/a.slice/b.service/memory.max", "2147483648\n");
	put("/sys/fs/cgroup/a.slice/b.service/memory.current", "2147483648\n");
	expect("cgroup", false, "/a.slice/b.service leaves 0 of 2048 MiB",
	       "systemctl set-property b.service MemoryMax=infinity");
	/* In a container. */
	put("/proc/self/cgroup", "0::/\n");
	put("/sys/fs/cgroup/memory.max", "1073741824\n");
	put("/sys/fs/cgroup/memory.current", "1073741824\n");
	put("/sys/fs/cgroup/memory.stat", "inactive_file 536870912\n");
	expect("cgroup", false, "/sys/fs/cgroup leaves 512 of 1024 MiB",
	       "systemctl set-property UNIT MemoryMax=infinity (in a "
	       "container: a larger --memory)");
	end_host();
}

TEST(this_host)
{
	struct lull_arena_finding here[LULL_ARENA_NR_FINDINGS];

	lull_arena_doctor("", here);
	EXPECT_STREQ("memlock", here[2].name);
	EXPECT_TRUE(strstr(here[2].what, "RLIMIT_MEMLOCK") != NULL);
}

TEST_MAIN
