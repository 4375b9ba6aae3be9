// SPDX-License-Identifier: Apache-2.0
/*
 * doctor.c - looks at what an arena needs; see doctor.h
 */
#include "arena/doctor.h"

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arena/arena.h"
#include "arena/cgroup.h"
#include "arena/host.h"
#include "arena/node.h"
#include "base/base.h"

#define PATH_BYTES 512
#define PAGE_BYTES 4096
#define HUGE_ORDER 9 /* 2 MiB are 2^9 pages */
/* What a proof of a middle-sized circuit needs at least. */
#define ENOUGH_BYTES (4 * LULL_BYTES_PER_GIB)
/* Of the free memory, this part in 2 MiB pages is no fragmentation to speak of:
 * the rest is small pages that any busy host has. */
#define HUGE_PERCENT_MIN 25
#define SECURE_BOOT                                                            \
	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-"        \
	"00e098032b8c"
/* An EFI variable begins with four bytes of attributes. */
#define EFI_VALUE_OFFSET 4

__attribute__((format(printf, 2, 3))) static void
put(char buf[LULL_ARENA_FINDING_BYTES], const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf, LULL_ARENA_FINDING_BYTES, fmt, args);
	va_end(args);
}

static bool exists(const char *root, const char *path)
{
	char full[PATH_BYTES];

	return snprintf(full, sizeof(full), "%s%s", root, path) <
		       (int)sizeof(full) &&
	       !access(full, F_OK);
}

static bool may_use(const char *root, const char *path)
{
	char full[PATH_BYTES];

	return snprintf(full, sizeof(full), "%s%s", root, path) <
		       (int)sizeof(full) &&
	       !access(full, R_OK | W_OK);
}

/* ---- the module -------------------------------------------------------- */

/* Whether depmod knows the module for the running kernel. */
static bool is_installed(const char *root, const char *release)
{
	char path[PATH_BYTES], line[1024];
	bool found = false;
	FILE *file;

	if (snprintf(path, sizeof(path), "%s/lib/modules/%s/modules.dep", root,
		     release) >= (int)sizeof(path))
		return false;
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, "lull_arena.ko") &&
			strcspn(line, ":") >
				(size_t)(strstr(line, "lull_arena.ko") - line);
	if (file)
		fclose(file);
	return found;
}

static bool secure_boot(const char *root)
{
	uint8_t value[EFI_VALUE_OFFSET + 1] = { 0 };
	char path[PATH_BYTES];
	FILE *file;
	size_t got;

	if (snprintf(path, sizeof(path), "%s%s", root, SECURE_BOOT) >=
	    (int)sizeof(path))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	got = fread(value, 1, sizeof(value), file);
	fclose(file);
	return got == sizeof(value) && value[EFI_VALUE_OFFSET] == 1;
}

static void look_at_module(const char *root, struct lull_arena_finding *f)
{
	struct utsname uts;
	const char *signature =
		" (Secure Boot is on: if this says \"Key was rejected by "
		"service\": mokutil --import /var/lib/dkms/mok.pub, and "
		"restart)";

	f->name = "module";
	uname(&uts);
	if (exists(root, LULL_ARENA_SYSFS)) {
		f->ok = true;
		put(f->what, "lull_arena is loaded");
	} else if (is_installed(root, uts.release)) {
		put(f->what, "lull_arena is installed for %.64s and not loaded",
		    uts.release);
		put(f->cure, "modprobe lull_arena%s",
		    secure_boot(root) ? signature : "");
	} else {
		put(f->what, "lull_arena is not built for this kernel, %.64s",
		    uts.release);
		put(f->cure,
		    "apt-get install linux-headers-%.64s && make dkms-install "
		    "&& modprobe lull_arena%s",
		    uts.release, secure_boot(root) ? signature : "");
	}
}

static void look_at_device(const char *root, struct lull_arena_finding *f)
{
	f->name = "device";
	if (!exists(root, LULL_ARENA_DEVICE)) {
		f->ok = !exists(root, LULL_ARENA_SYSFS);
		put(f->what, "%s",
		    f->ok ? "there is none without the module"
			  : "the module is loaded and " LULL_ARENA_DEVICE
			    " is not there");
		if (!f->ok)
			put(f->cure, "udevadm trigger --subsystem-match=misc "
				     "(in a container: hand the arena in as a "
				     "file descriptor, or the device)");
	} else if (may_use(root, LULL_ARENA_DEVICE)) {
		f->ok = true;
		put(f->what, "this user may use " LULL_ARENA_DEVICE);
	} else if (!getgrnam("lull")) {
		put(f->what,
		    "there is no group lull to give " LULL_ARENA_DEVICE " to");
		put(f->cure, "groupadd --system lull && udevadm trigger "
			     "--subsystem-match=misc && usermod -aG lull "
			     "USER, and log in again");
	} else {
		put(f->what, "this user is not of the group lull, "
			     "whose " LULL_ARENA_DEVICE " is");
		put(f->cure, "usermod -aG lull USER, and log in again");
	}
}

static void look_at_memlock(const char *root, struct lull_arena_finding *f)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	(void)root;
	f->name = "memlock";
	getrlimit(RLIMIT_MEMLOCK, &limit);
	f->ok = lull_arena_host_ipc_lock() || limit.rlim_cur == RLIM_INFINITY ||
		limit.rlim_cur >= ENOUGH_BYTES;
	if (limit.rlim_cur == RLIM_INFINITY)
		put(f->what, "RLIMIT_MEMLOCK sets no bound");
	else
		put(f->what, "RLIMIT_MEMLOCK is %" PRIu64 " KiB%s",
		    (uint64_t)limit.rlim_cur / 1024,
		    lull_arena_host_ipc_lock()
			    ? ", which does not bind this user"
			    : "; the module's memory counts against it");
	if (!f->ok)
		put(f->cure, "echo '@lull - memlock unlimited' > "
			     "/etc/security/limits.d/lull.conf, and log in "
			     "again; LimitMEMLOCK=infinity for a service");
}

/* ---- memory ------------------------------------------------------------ */

static void look_at_thp(const char *root, struct lull_arena_finding *f)
{
	static const char *const texts[] = {
		[LULL_ARENA_THP_ALWAYS] =
			"transparent huge pages are always on",
		[LULL_ARENA_THP_MADVISE] = "transparent huge pages are on for "
					   "memory that asks, as an arena's "
					   "does",
		[LULL_ARENA_THP_NEVER] = "transparent huge pages are off",
		[LULL_ARENA_THP_PROCESS] = "transparent huge pages are off for "
					   "this process (PR_SET_THP_DISABLE)",
		[LULL_ARENA_THP_ABSENT] = "this kernel has no transparent huge "
					  "pages",
	};
	enum lull_arena_thp thp = lull_arena_host_thp(root);

	f->name = "thp";
	f->ok = thp <= LULL_ARENA_THP_MADVISE;
	put(f->what, "%s", texts[thp]);
	if (thp == LULL_ARENA_THP_NEVER)
		put(f->cure, "echo madvise > "
			     "/sys/kernel/mm/transparent_hugepage/enabled");
	else if (thp == LULL_ARENA_THP_PROCESS)
		put(f->cure, "start lull from a shell or a service that does "
			     "not switch them off");
	else if (!f->ok)
		put(f->cure, "a kernel with CONFIG_TRANSPARENT_HUGEPAGE");
}

/* Free bytes in all, and of them in 2 MiB pages, by /proc/buddyinfo. */
static bool free_bytes(const char *root, uint64_t *ret_all, uint64_t *ret_huge)
{
	char path[PATH_BYTES], line[512], *p, *end;
	uint64_t all = 0, huge = 0, pages;
	unsigned int order;
	FILE *file;

	if (snprintf(path, sizeof(path), "%s/proc/buddyinfo", root) >=
	    (int)sizeof(path))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		p = strstr(line, "zone");
		if (!p)
			continue;
		p += strlen("zone");
		p += strspn(p, " ");
		p += strcspn(p, " ");
		for (order = 0;; order++, p = end) {
			pages = strtoull(p, &end, 10);
			if (end == p)
				break;
			pages <<= order;
			all += pages * PAGE_BYTES;
			if (order >= HUGE_ORDER)
				huge += pages * PAGE_BYTES;
		}
	}
	fclose(file);
	*ret_all = all;
	*ret_huge = huge;
	return true;
}

static void look_at_fragments(const char *root, struct lull_arena_finding *f)
{
	uint64_t all, huge;

	f->name = "fragmentation";
	f->ok = true;
	if (!free_bytes(root, &all, &huge)) {
		put(f->what, "/proc/buddyinfo cannot be read");
		return;
	}
	f->ok = huge >= all / 100 * HUGE_PERCENT_MIN || huge >= ENOUGH_BYTES;
	put(f->what,
	    "%" PRIu64 " of %" PRIu64 " MiB of free memory are in "
	    "2 MiB pages",
	    huge / LULL_BYTES_PER_MIB, all / LULL_BYTES_PER_MIB);
	if (!f->ok)
		put(f->cure, "echo 1 > /proc/sys/vm/compact_memory");
}

static void look_at_hugetlb(const char *root, struct lull_arena_finding *f)
{
	struct lull_arena_hugetlb_pool pool, large = { 0 };
	char more[64] = "";

	f->name = "hugetlb";
	/* Nobody has to use it: an empty pool is no fault. */
	f->ok = true;
	if (!lull_arena_host_hugetlb(root, LULL_ARENA_NODE_ANY, &pool)) {
		put(f->what, "this kernel has no 2 MiB hugetlb pages");
		return;
	}
	lull_arena_host_hugetlb_of(root, LULL_ARENA_GIGANTIC_BYTES,
				   LULL_ARENA_NODE_ANY, &large);
	if (large.nr_total)
		snprintf(more, sizeof(more),
			 ", %" PRIu64 " of 1 GiB, %" PRIu64 " of them free",
			 large.nr_total, large.nr_free);
	else if (!pool.nr_total)
		snprintf(more, sizeof(more),
			 " (`lull arena reserve 8G --carrier hugetlb` "
			 "reserves some)");
	put(f->what,
	    "%" PRIu64 " pages of 2 MiB are reserved, %" PRIu64
	    " of them free%s",
	    pool.nr_total, pool.nr_free, more);
	f->ok = !pool.nr_total || pool.nr_free || pool.nr_overcommit ||
		large.nr_free;
	if (!f->ok)
		put(f->cure,
		    "lull arena reserve BYTES --carrier hugetlb, with "
		    "more than %" PRIu64 "M",
		    pool.nr_total * 2);
}

/* ---- memory cgroups ---------------------------------------------------- */

static void look_at_cgroup(const char *root, struct lull_arena_finding *f)
{
	struct lull_arena_cgroup cgroup;
	const struct lull_arena_cgroup_bound *bound = &cgroup.memory;
	const char *unit;

	f->name = "cgroup";
	f->ok = true;
	lull_arena_cgroup_read(root, &cgroup);
	if (!bound->file) {
		put(f->what, "no memory cgroup sets a bound");
		return;
	}
	f->ok = bound->room_bytes >= ENOUGH_BYTES;
	put(f->what, "the cgroup %.140s leaves %" PRIu64 " of %" PRIu64 " MiB",
	    bound->dir, bound->room_bytes / LULL_BYTES_PER_MIB,
	    bound->limit_bytes / LULL_BYTES_PER_MIB);
	/* A unit's name has a dot; the folder of the mount has none. */
	unit = strrchr(bound->dir, '/');
	if (!f->ok)
		put(f->cure,
		    "systemctl set-property %.120s MemoryMax=infinity "
		    "(in a container: a larger --memory)",
		    unit && strchr(unit, '.') ? unit + 1 : "UNIT");
}

/* ---- nodes -------------------------------------------------------------- */

static void look_at_numa(const char *root, struct lull_arena_finding *f)
{
	int err = lull_arena_node_denied();

	(void)root;
	f->name = "numa";
	f->ok = !err;
	if (err) {
		put(f->what,
		    "this process may bind no memory: %s (seccomp, as in "
		    "containers): memory other than the module's may lie on "
		    "any node, and is slower where that is another",
		    strerrordesc_np(err));
		put(f->cure,
		    "docker run --cap-add SYS_NICE, or a seccomp profile that "
		    "allows get_mempolicy, set_mempolicy and mbind");
	} else if (lull_arena_node_single()) {
		put(f->what, "this host has one node of memory");
	} else {
		put(f->what, "this process may bind memory to a node");
	}
}

void lull_arena_doctor(
	const char *root,
	struct lull_arena_finding ret_findings[LULL_ARENA_NR_FINDINGS])
{
	static void (*const looks[LULL_ARENA_NR_FINDINGS])(
		const char *root, struct lull_arena_finding *finding) = {
		look_at_module, look_at_device,	   look_at_memlock,
		look_at_thp,	look_at_fragments, look_at_hugetlb,
		look_at_cgroup, look_at_numa,
	};
	size_t i;

	for (i = 0; i < LULL_ARENA_NR_FINDINGS; i++) {
		ret_findings[i] = (struct lull_arena_finding){ 0 };
		looks[i](root, &ret_findings[i]);
	}
}
