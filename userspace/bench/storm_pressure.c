// SPDX-License-Identifier: Apache-2.0
/*
 * storm_pressure.c - somebody else wants the memory
 *
 * For `lull bench storm --pressure`.  A hog, in a process of its own, takes
 * pages until the kernel has to reclaim (large ones while there is plenty),
 * says so, and goes on asking for as long as it is let.  It looks at the memory
 * before each step and waits when what is free is near the kernel's minimum or
 * file pages are down to half of the page cache, so that an arm that gives
 * nothing back starves the hog and does not bring the OOM killer; should that
 * come all the same, the hog is the first it takes.
 *
 * While it waits it asks for pages of 2 MiB, for which the kernel reclaims but
 * does not kill.  Without that it would wait for kswapd, and kswapd, when it
 * has come back with nothing sixteen times (from an arm before this one),
 * sleeps until somebody who allocates has reclaimed something by himself.
 */
#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arena/host.h"
#include "base/base.h"
#include "base/error.h"
#include "bench/storm.h"

#define LINE_BYTES 256
/* Between two looks at the free memory; below every watermark. */
#define STEP_BYTES ((size_t)256 << 10)
/* While there is plenty. */
#define LARGE_STEP_BYTES ((size_t)8 << 20)
#define WAIT_MS 1
#define LOOK_MS 5
/* Between two times that a waiting hog asks for large pages. */
#define ASK_MS 100
/* That much above the mark the hog goes on with 4 KiB pages. */
#define PLENTY_BYTES ((size_t)128 << 20)
/* A hog that never meets reclaim gives up. */
#define HOG_MAX_NS (900 * (uint64_t)LULL_NS_PER_S)
/* Which entry of "protection" in /proc/zoneinfo counts for user memory. */
#define MOVABLE_ZONE 3

/**
 * struct marks - of all zones together, in bytes
 * @low: below it the kernel reclaims
 * @min: below it only the kernel itself allocates
 */
struct marks {
	uint64_t low;
	uint64_t min;
};

static void read_marks(struct marks *ret_marks)
{
	FILE *file = fopen("/proc/zoneinfo", "re");
	unsigned long long value, zones[MOVABLE_ZONE + 1];
	struct marks pages = { 0 };
	char line[LINE_BYTES];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, " min %llu", &value) == 1)
			pages.min += value;
		else if (sscanf(line, " low %llu", &value) == 1)
			pages.low += value;
		else if (sscanf(line, " protection: (%llu, %llu, %llu, %llu",
				&zones[0], &zones[1], &zones[2],
				&zones[MOVABLE_ZONE]) == MOVABLE_ZONE + 1) {
			pages.min += zones[MOVABLE_ZONE];
			pages.low += zones[MOVABLE_ZONE];
		}
	}
	if (file)
		fclose(file);
	ret_marks->low = pages.low * STORM_PAGE_BYTES;
	ret_marks->min = pages.min * STORM_PAGE_BYTES;
}

/**
 * struct meminfo - what /proc/meminfo says, in bytes
 * @free: memory that nobody has
 * @file: page cache, programs' text among it
 * @lists: what waits in the kernel's lists of file pages: page cache, and what
 *	MADV_FREE has freed
 */
struct meminfo {
	uint64_t free;
	uint64_t file;
	uint64_t lists;
};

static void read_meminfo(struct meminfo *ret_info)
{
	FILE *file = fopen("/proc/meminfo", "re");
	struct meminfo kib = { 0 };
	unsigned long long value;
	char line[LINE_BYTES];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemFree: %llu kB", &value) == 1)
			kib.free = value;
		else if (sscanf(line, "Cached: %llu kB", &value) == 1)
			kib.file = value;
		else if (sscanf(line, "Shmem: %llu kB", &value) == 1)
			kib.file -= lull_min(value, kib.file);
		else if (sscanf(line, "Active(file): %llu kB", &value) == 1 ||
			 sscanf(line, "Inactive(file): %llu kB", &value) == 1)
			kib.lists += value;
	if (file)
		fclose(file);
	ret_info->free = kib.free * LULL_BYTES_PER_KIB;
	ret_info->lists = kib.lists * LULL_BYTES_PER_KIB;
	ret_info->file = kib.file * LULL_BYTES_PER_KIB;
}

/* How often the kernel began to reclaim. */
static uint64_t count_reclaims(void)
{
	FILE *file = fopen("/proc/vmstat", "re");
	unsigned long long value;
	uint64_t sum = 0;
	char line[LINE_BYTES];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "pageoutrun %llu", &value) == 1 ||
		    sscanf(line, "allocstall_normal %llu", &value) == 1 ||
		    sscanf(line, "allocstall_movable %llu", &value) == 1 ||
		    sscanf(line, "allocstall_dma32 %llu", &value) == 1)
			sum += value;
	if (file)
		fclose(file);
	return sum;
}

static void be_first_victim(void)
{
	FILE *file = fopen("/proc/self/oom_score_adj", "we");

	if (!file)
		return;
	fputs("1000", file);
	fclose(file);
}

/* Has the other side closed our standard input, or waited too long? */
static bool is_over(uint64_t start)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&in, 1, 0) > 0 || lull_bench_now_ns() - start > HOG_MAX_NS;
}

static void wait_ms(unsigned int ms)
{
	struct timespec ts = { 0, (long)ms * LULL_NS_PER_MS };

	nanosleep(&ts, NULL);
}

/* The first part may be large pages, which are faster had. */
static char *map_everything(size_t bytes, size_t large_bytes)
{
	char *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		return NULL;
	madvise(mem, bytes, MADV_NOHUGEPAGE);
	madvise(mem, large_bytes & ~(STORM_SLOT_BYTES - 1), MADV_HUGEPAGE);
	return mem;
}

/**
 * struct large - where a waiting hog asks for pages of 2 MiB
 * @mem: addresses of some
 * @bytes: of more than it can have without reclaim
 * @asked_ns: when it did last
 */
struct large {
	char *mem;
	size_t bytes;
	uint64_t asked_ns;
};

/*
 * Up to the one that the kernel has not, in spite of reclaim, and gives a page
 * of 4 KiB for.  What is had goes back: the hog takes it in its own steps.
 */
static void ask_for_large(struct large *large)
{
	uint64_t now = lull_bench_now_ns();
	unsigned char is_large = 1;
	size_t at;

	if (now - large->asked_ns < ASK_MS * (uint64_t)LULL_NS_PER_MS)
		return;
	for (at = 0; at < large->bytes && is_large; at += STORM_SLOT_BYTES) {
		*(volatile char *)(large->mem + at) = 1;
		if (mincore(large->mem + at + STORM_PAGE_BYTES,
			    STORM_PAGE_BYTES, &is_large))
			break;
	}
	madvise(large->mem, large->bytes, MADV_DONTNEED);
	large->asked_ns = lull_bench_now_ns();
}

int lull_bench_storm_hog(struct lull_error *reterr)
{
	size_t all = (size_t)lull_arena_host_memory_bytes(), at = 0;
	uint64_t start = lull_bench_now_ns(), before = count_reclaims();
	uint64_t floor, file_floor, nr_waits = 0, plenty;
	struct large large = { 0 };
	size_t step, mapped_bytes;
	struct meminfo info;
	struct marks marks;
	bool begun = false;
	char *mem;

	be_first_victim();
	read_marks(&marks);
	read_meminfo(&info);
	floor = marks.min + (marks.low - marks.min) / 2 + STEP_BYTES;
	/*
	 * To take all of the page cache is to stop every program.  While the
	 * lists hold other pages, those are there to be had.
	 */
	file_floor = info.file / 2;
	plenty = marks.low + PLENTY_BYTES;
	large.bytes = lull_align_up(floor - marks.min, STORM_SLOT_BYTES) +
		      STORM_SLOT_BYTES;
	mapped_bytes = all + large.bytes + STORM_SLOT_BYTES;
	mem = map_everything(mapped_bytes,
			     info.free > plenty ? info.free - plenty : 0);
	if (!mem)
		return lull_fail_errno(reterr, LULL_NOMEM, errno, "hog");
	large.mem = mem + mapped_bytes - large.bytes;
	large.mem -= (uintptr_t)large.mem & (STORM_SLOT_BYTES - 1);
	madvise(large.mem, large.bytes, MADV_HUGEPAGE);
	while (!is_over(start) && at < all) {
		read_meminfo(&info);
		if (!begun &&
		    (info.free < marks.low || count_reclaims() > before)) {
			begun = true;
			printf("reclaim\n");
			fflush(stdout);
		}
		if (info.free < floor || info.lists < file_floor) {
			nr_waits++;
			if (info.lists >= file_floor)
				ask_for_large(&large);
			wait_ms(WAIT_MS);
			continue;
		}
		step = info.free > plenty ? LARGE_STEP_BYTES : STEP_BYTES;
		memset(mem + at, 1, lull_min(step, all - at));
		at += lull_min(step, all - at);
	}
	printf("%zu %llu\n", at, (unsigned long long)nr_waits);
	munmap(mem, mapped_bytes);
	return LULL_OK;
}

/**
 * struct hog - the other process
 * @pid: it
 * @ask: closed to end it
 * @said: what it says
 */
struct hog {
	pid_t pid;
	int ask;
	FILE *said;
};

/* Not by fork(): that would write-protect what is to be measured. */
static int start_hog(struct hog *hog, struct lull_error *reterr)
{
	char *const words[] = { "lull",		"bench", "storm",
				"--in-process", "hog",	 NULL };
	posix_spawn_file_actions_t actions;
	int in[2], out[2], err;

	if (pipe(in))
		return lull_fail_errno(reterr, LULL_IO, errno, "pipe");
	if (pipe(out)) {
		err = errno;
		close(in[0]);
		close(in[1]);
		return lull_fail_errno(reterr, LULL_IO, err, "pipe");
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, in[1]);
	posix_spawn_file_actions_addclose(&actions, out[0]);
	err = posix_spawn(&hog->pid, "/proc/self/exe", &actions, NULL, words,
			  environ);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	hog->ask = in[1];
	hog->said = err ? NULL : fdopen(out[0], "r");
	if (hog->said)
		return LULL_OK;
	close(in[1]);
	close(out[0]);
	return lull_fail_errno(reterr, LULL_IO, err ? err : errno,
			       "starting the hog");
}

static void watch_memory(const struct lull_bench_storm_opts *opts,
			 uint64_t baseline, struct storm_pressure *p)
{
	uint64_t start = lull_bench_now_ns(), now_bytes;
	uint64_t end = start + opts->pressure_s * (uint64_t)LULL_NS_PER_S;

	do {
		wait_ms(LOOK_MS);
		now_bytes = lull_bench_storm_resident_bytes();
		now_bytes = now_bytes > baseline ? now_bytes - baseline : 0;
		p->returned_bytes = p->held_bytes > now_bytes
					    ? p->held_bytes - now_bytes
					    : 0;
		p->ns = lull_bench_now_ns() - start;
	} while (p->returned_bytes < p->held_bytes - p->held_bytes / 100 &&
		 lull_bench_now_ns() < end);
}

int lull_bench_storm_pressure(const struct storm_run *run, uint64_t baseline,
			      struct storm_pressure *ret_pressure,
			      struct lull_error *reterr)
{
	struct storm_pressure p = { 0 };
	unsigned long long bytes = 0;
	unsigned long long nr_waits = 0;
	int err, got;
	char line[LINE_BYTES];
	struct hog hog;

	p.held_bytes = lull_bench_storm_resident_bytes();
	p.held_bytes = p.held_bytes > baseline ? p.held_bytes - baseline : 0;
	err = start_hog(&hog, reterr);
	if (err)
		return err;
	if (fgets(line, sizeof(line), hog.said) && !strcmp(line, "reclaim\n"))
		watch_memory(run->opts, baseline, &p);
	close(hog.ask);
	got = fscanf(hog.said, "%llu %llu", &bytes, &nr_waits);
	fclose(hog.said);
	while (waitpid(hog.pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	if (got != 2)
		return lull_fail(reterr, LULL_IO,
				 "the hog ended by itself, or met no reclaim");
	p.hog_bytes = bytes;
	p.nr_waits = nr_waits;
	*ret_pressure = p;
	return LULL_OK;
}
