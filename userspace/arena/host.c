// SPDX-License-Identifier: Apache-2.0
/*
 * host.c - reads what the host has for an arena; see host.h
 */
#include "arena/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "arena/arena.h"
#include "base/base.h"

#define PATH_BYTES 512
#define POOL "/sys/kernel/mm/hugepages/hugepages-%zukB/%s"
#define POOL_OF_NODE                                                           \
	"/sys/devices/system/node/node%d/hugepages/hugepages-%zukB/%s"
#define THP_ENABLED "/sys/kernel/mm/transparent_hugepage/enabled"

uint64_t lull_arena_host_memory_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);

	return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : 0;
}

uint64_t lull_arena_host_backing_bytes(void)
{
	uint64_t memory = lull_arena_host_memory_bytes();
	struct sysinfo info;

	if (!memory || sysinfo(&info))
		return memory;
	return memory + (uint64_t)info.totalswap * info.mem_unit;
}

/* The first line of a file, without its end. */
static bool read_text(const char *root, const char *path, char *buf,
		      size_t bytes)
{
	char full[PATH_BYTES];
	FILE *file;
	bool got;

	if (snprintf(full, sizeof(full), "%s%s", root, path) >=
	    (int)sizeof(full))
		return false;
	file = fopen(full, "re");
	if (!file)
		return false;
	got = fgets(buf, (int)bytes, file);
	fclose(file);
	if (got)
		buf[strcspn(buf, "\n")] = '\0';
	return got;
}

bool lull_arena_host_number(const char *root, const char *path,
			    uint64_t *ret_number)
{
	char text[32], *end;
	uint64_t number;

	if (!read_text(root, path, text, sizeof(text)))
		return false;
	number = strtoull(text, &end, 10);
	if (end == text)
		return false;
	*ret_number = number;
	return true;
}

static bool pool_number(const char *root, size_t page_bytes, int node,
			const char *name, uint64_t *ret_number)
{
	char path[PATH_BYTES];

	if (node == LULL_ARENA_NODE_ANY)
		snprintf(path, sizeof(path), POOL, page_bytes >> 10, name);
	else
		snprintf(path, sizeof(path), POOL_OF_NODE, node,
			 page_bytes >> 10, name);
	return lull_arena_host_number(root, path, ret_number);
}

bool lull_arena_host_hugetlb_of(const char *root, size_t page_bytes, int node,
				struct lull_arena_hugetlb_pool *ret_pool)
{
	struct lull_arena_hugetlb_pool pool = { 0 };
	uint64_t promised = 0, surplus = 0;

	if (!pool_number(root, page_bytes, node, "nr_hugepages",
			 &pool.nr_total) ||
	    !pool_number(root, page_bytes, node, "free_hugepages",
			 &pool.nr_free))
		return false;
	/* Promises and what may exceed the pool are told for all nodes. */
	node = LULL_ARENA_NODE_ANY;
	pool_number(root, page_bytes, node, "resv_hugepages", &promised);
	pool.nr_free -= lull_min(pool.nr_free, promised);
	pool_number(root, page_bytes, node, "nr_overcommit_hugepages",
		    &pool.nr_overcommit);
	pool_number(root, page_bytes, node, "surplus_hugepages", &surplus);
	pool.nr_overcommit -= lull_min(pool.nr_overcommit, surplus);
	*ret_pool = pool;
	return true;
}

bool lull_arena_host_hugetlb(const char *root, int node,
			     struct lull_arena_hugetlb_pool *ret_pool)
{
	return lull_arena_host_hugetlb_of(root, LULL_ARENA_HUGETLB_BYTES, node,
					  ret_pool);
}

enum lull_arena_thp lull_arena_host_thp(const char *root)
{
	char text[64];

	if (!read_text(root, THP_ENABLED, text, sizeof(text)))
		return LULL_ARENA_THP_ABSENT;
	if (strstr(text, "[never]"))
		return LULL_ARENA_THP_NEVER;
	if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1)
		return LULL_ARENA_THP_PROCESS;
	return strstr(text, "[always]") ? LULL_ARENA_THP_ALWAYS
					: LULL_ARENA_THP_MADVISE;
}

bool lull_arena_host_ipc_lock(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capget, &header, data) &&
	       data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective &
		       CAP_TO_MASK(CAP_IPC_LOCK);
}
