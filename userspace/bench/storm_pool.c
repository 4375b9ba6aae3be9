// SPDX-License-Identifier: Apache-2.0
/*
 * storm_pool.c - arms with an arena in user space: one region, reserved once
 *
 * For `lull bench storm`.  Vectors lie side by side.  A slot of 2 MiB is given
 * back when the last vector in it is, and neighbouring slots with one call, as
 * an allocator that cares would do; "each" arms call for every vector instead.
 */
#include <errno.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "bench/storm.h"

/* Since 6.16; older headers do not have it, and older kernels say EBADF. */
#define STORM_PIDFD_SELF (-10000)

/* What a run of slots is given back by. */
#define VERB_KEEP 0
#define VERB_UNMAP 1
#define VERB_DONTNEED 2
#define VERB_FREE 3
#define VERB_VECTOR 4
#define VERB_MASK 7
/* What the region is made of. */
#define POOL_THP 8
#define POOL_HUGETLB 16
#define POOL_EACH 32

static int verb_of(const struct storm_run *run)
{
	return run->arm->how & VERB_MASK;
}

static int map_anonymous(struct storm_run *run, struct lull_error *reterr)
{
	size_t bytes = run->plan.region_bytes + STORM_SLOT_BYTES;
	char *all, *region;

	all = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all == MAP_FAILED)
		return lull_fail_errno(reterr, LULL_NOMEM, errno,
				       "mapping %zu bytes", bytes);
	region = (char *)lull_align_up((uintptr_t)all, STORM_SLOT_BYTES);
	/* Only the aligned part stays, so that close() knows all of it. */
	if (region > all)
		munmap(all, (size_t)(region - all));
	munmap(region + run->plan.region_bytes,
	       STORM_SLOT_BYTES - (size_t)(region - all));
	run->region = region;
	return LULL_OK;
}

static int map_hugetlb(struct storm_run *run, struct lull_error *reterr)
{
	int fd = memfd_create("lull-storm",
			      MFD_CLOEXEC | MFD_HUGETLB | MFD_HUGE_2MB);
	void *region = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, (off_t)run->plan.region_bytes))
		region = mmap(NULL, run->plan.region_bytes,
			      PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (region == MAP_FAILED)
		lull_fail_errno(reterr, LULL_NOMEM, errno,
				"mapping %zu bytes of hugetlb pages",
				run->plan.region_bytes);
	else
		run->region = region;
	if (fd >= 0)
		close(fd);
	return region == MAP_FAILED ? LULL_NOMEM : LULL_OK;
}

static void advise(struct storm_run *run, char *at, size_t bytes)
{
	if (!(run->arm->how & POOL_HUGETLB))
		madvise(at, bytes,
			run->arm->how & POOL_THP ? MADV_HUGEPAGE
						 : MADV_NOHUGEPAGE);
}

static int open_pool(struct storm_run *run, struct lull_error *reterr)
{
	int err;

	run->slot_live = calloc(run->plan.region_bytes / STORM_SLOT_BYTES,
				sizeof(*run->slot_live));
	if (!run->slot_live)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	err = run->arm->how & POOL_HUGETLB ? map_hugetlb(run, reterr)
					   : map_anonymous(run, reterr);
	if (!err)
		advise(run, run->region, run->plan.region_bytes);
	return err;
}

static void close_pool(struct storm_run *run)
{
	if (run->region)
		munmap(run->region, run->plan.region_bytes);
	run->region = NULL;
	free(run->slot_live);
	run->slot_live = NULL;
}

/* One run of slots is needed again; only what was unmapped is not there. */
static void get_run(struct storm_run *run, char *at, size_t bytes)
{
	if (verb_of(run) != VERB_UNMAP)
		return;
	if (mmap(at, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		lull_bench_storm_fail(run, LULL_NOMEM, errno, "mmap");
	else
		advise(run, at, bytes);
}

static void put_run(struct storm_run *run, char *at, size_t bytes)
{
	int failed = 0;

	switch (verb_of(run)) {
	case VERB_UNMAP:
		failed = munmap(at, bytes);
		break;
	case VERB_DONTNEED:
		failed = madvise(at, bytes, MADV_DONTNEED);
		break;
	case VERB_FREE:
		failed = madvise(at, bytes, MADV_FREE);
		break;
	default:
		break;
	}
	if (failed)
		lull_bench_storm_fail(run, LULL_IO, errno, "munmap or madvise");
}

/* Cut off the front of @iov what one call takes; returns its entries. */
static size_t next_part(struct iovec **iov, size_t *nr, struct iovec *part,
			size_t *ret_bytes)
{
	size_t left = STORM_VECTOR_BYTES_MAX, nr_part = 0;

	while (*nr && left) {
		struct iovec *front = *iov;
		size_t bytes = lull_min(front->iov_len, left);

		part[nr_part++] = (struct iovec){ front->iov_base, bytes };
		left -= bytes;
		front->iov_base = (char *)front->iov_base + bytes;
		front->iov_len -= bytes;
		if (!front->iov_len) {
			++*iov;
			--*nr;
		}
	}
	*ret_bytes = STORM_VECTOR_BYTES_MAX - left;
	return nr_part;
}

static void put_vector(struct storm_run *run, struct iovec *iov, size_t nr)
{
	struct iovec part[STORM_IOVECS_MAX];

	while (nr) {
		size_t bytes, nr_part = next_part(&iov, &nr, part, &bytes);
		ssize_t done = syscall(SYS_process_madvise, STORM_PIDFD_SELF,
				       part, nr_part, MADV_DONTNEED, 0);

		if (done == (ssize_t)bytes)
			continue;
		lull_bench_storm_fail(run, LULL_IO, done < 0 ? errno : EIO,
				      "process_madvise");
		return;
	}
}

static void alloc_pool(struct storm_share *share)
{
	struct storm_run *run = share->run;
	struct storm_walk walk = lull_bench_storm_walk(share);
	size_t i, bytes;
	char *at;

	/* Slots that were never had count as gone in the first round: then
	 * they are 0 and a mapping is there already. */
	while (lull_bench_storm_next_run(&walk, STORM_SLOT_GONE, 0, &at,
					 &bytes))
		get_run(run, at, bytes);
	for (i = run->plan.first[share->index];
	     i < run->plan.first[share->index + 1]; i++) {
		if (run->vec[i])
			continue;
		run->vec[i] = run->region + run->plan.offset[i];
		lull_bench_storm_count_slots(run, i, 1);
	}
}

static void put_all_runs(struct storm_share *share)
{
	struct storm_walk walk = lull_bench_storm_walk(share);
	uint64_t start;
	size_t bytes;
	char *at;

	for (;;) {
		start = lull_bench_now_ns();
		if (!lull_bench_storm_next_run(&walk, 0, STORM_SLOT_GONE, &at,
					       &bytes))
			break;
		put_run(share->run, at, bytes);
		lull_bench_storm_note(share, lull_bench_now_ns() - start);
	}
}

static void put_all_by_vector(struct storm_share *share)
{
	struct storm_walk walk = lull_bench_storm_walk(share);
	struct iovec iov[STORM_IOVECS_MAX];
	uint64_t start;
	size_t nr, bytes;
	char *at;

	do {
		start = lull_bench_now_ns();
		for (nr = 0; nr < STORM_IOVECS_MAX &&
			     lull_bench_storm_next_run(
				     &walk, 0, STORM_SLOT_GONE, &at, &bytes);
		     nr++)
			iov[nr] = (struct iovec){ at, bytes };
		if (!nr)
			break;
		put_vector(share->run, iov, nr);
		lull_bench_storm_note(share, lull_bench_now_ns() - start);
	} while (nr == STORM_IOVECS_MAX);
}

static void free_pool(struct storm_share *share)
{
	struct storm_run *run = share->run;
	bool each = run->arm->how & POOL_EACH;
	uint64_t start;
	size_t i;

	for (i = run->plan.first[share->index];
	     i < run->plan.first[share->index + 1]; i++) {
		if (run->plan.kept[i] || !run->vec[i])
			continue;
		if (each) {
			start = lull_bench_now_ns();
			put_run(run, run->vec[i], run->plan.bytes[i]);
			lull_bench_storm_note(share,
					      lull_bench_now_ns() - start);
		}
		lull_bench_storm_count_slots(run, i, UINT32_MAX); /* one less */
		run->vec[i] = NULL;
	}
	if (each)
		return;
	if (verb_of(run) == VERB_VECTOR)
		put_all_by_vector(share);
	else
		put_all_runs(share);
}

static bool probe_hugetlb(const struct storm_arm *arm,
			  const struct lull_bench_storm_opts *opts,
			  char why[STORM_TEXT_BYTES])
{
	static const char path[] =
		"/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages";
	struct storm_plan plan;
	char text[STORM_TEXT_BYTES];
	size_t free_pages, want = 0;

	(void)arm;
	if (!lull_bench_storm_plan(opts, &plan, NULL)) {
		want = plan.region_bytes / STORM_SLOT_BYTES;
		lull_bench_storm_plan_done(&plan);
	}
	lull_bench_storm_read_text(path, text, sizeof(text));
	free_pages = strtoull(text, NULL, 10);
	if (*text && free_pages >= want)
		return true;
	snprintf(why, STORM_TEXT_BYTES,
		 "%zu hugetlb pages of 2 MiB are free, %zu are wanted; as "
		 "root: sysctl vm.nr_hugepages=%zu",
		 free_pages, want, want);
	return false;
}

bool lull_bench_storm_probe_thp(const struct storm_arm *arm,
				const struct lull_bench_storm_opts *opts,
				char why[STORM_TEXT_BYTES])
{
	char text[STORM_TEXT_BYTES];

	(void)arm;
	(void)opts;
	lull_bench_storm_read_text(
		"/sys/kernel/mm/transparent_hugepage/enabled", text,
		sizeof(text));
	if (*text && !strstr(text, "[never]"))
		return true;
	snprintf(why, STORM_TEXT_BYTES,
		 "/sys/kernel/mm/transparent_hugepage/enabled says never");
	return false;
}

static bool probe_vector(const struct storm_arm *arm,
			 const struct lull_bench_storm_opts *opts,
			 char why[STORM_TEXT_BYTES])
{
	void *page;
	struct iovec iov;
	ssize_t done = -1;

	page = mmap(NULL, STORM_PAGE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page != MAP_FAILED) {
		iov = (struct iovec){ page, STORM_PAGE_BYTES };
		done = syscall(SYS_process_madvise, STORM_PIDFD_SELF, &iov, 1,
			       MADV_DONTNEED, 0);
		snprintf(why, STORM_TEXT_BYTES,
			 "process_madvise(self, MADV_DONTNEED): %s; kernels "
			 "before 6.16 do not take it",
			 strerror(errno));
		munmap(page, STORM_PAGE_BYTES);
	}
	if (arm->how & POOL_THP && done >= 0)
		return lull_bench_storm_probe_thp(arm, opts, why);
	return done >= 0;
}

static const struct storm_ops pool_ops = {
	.open = open_pool,
	.close = close_pool,
	.alloc = alloc_pool,
	.free = free_pool,
};

const struct storm_arm lull_bench_storm_pool_arms[] = {
	{
		.name = "munmap-4k",
		.about = "one mapping of 4 KiB pages, unmapped by runs",
		.how = VERB_UNMAP,
		.law = STORM_LAW_RUNS_4K_TABLES,
		.ops = &pool_ops,
	},
	{
		.name = "munmap-thp",
		.about = "one mapping of huge pages, unmapped by runs",
		.how = VERB_UNMAP | POOL_THP,
		.law = STORM_LAW_RUNS,
		.probe = lull_bench_storm_probe_thp,
		.ops = &pool_ops,
	},
	{
		.name = "dontneed-4k",
		.about = "4 KiB pages, MADV_DONTNEED by runs",
		.how = VERB_DONTNEED,
		.law = STORM_LAW_RUNS_4K,
		.ops = &pool_ops,
	},
	{
		.name = "dontneed-4k-each",
		.about = "4 KiB pages, MADV_DONTNEED by vectors",
		.how = VERB_DONTNEED | POOL_EACH,
		.law = STORM_LAW_CALLS,
		.ops = &pool_ops,
	},
	{
		.name = "dontneed-thp",
		.about = "huge pages, MADV_DONTNEED by runs",
		.how = VERB_DONTNEED | POOL_THP,
		.law = STORM_LAW_RUNS,
		.probe = lull_bench_storm_probe_thp,
		.ops = &pool_ops,
	},
	{
		.name = "free-4k",
		.about = "4 KiB pages, MADV_FREE by runs",
		.how = VERB_FREE,
		.law = STORM_LAW_RUNS,
		.ops = &pool_ops,
	},
	{
		.name = "free-thp",
		.about = "huge pages, MADV_FREE by runs",
		.how = VERB_FREE | POOL_THP,
		.law = STORM_LAW_LAZY_THP,
		.probe = lull_bench_storm_probe_thp,
		.ops = &pool_ops,
	},
	{
		.name = "vector-4k",
		.about = "4 KiB pages, one process_madvise()",
		.how = VERB_VECTOR,
		.law = STORM_LAW_ALL_4K,
		.probe = probe_vector,
		.ops = &pool_ops,
	},
	{
		.name = "vector-thp",
		.about = "huge pages, one process_madvise()",
		.how = VERB_VECTOR | POOL_THP,
		.law = STORM_LAW_ONE,
		.probe = probe_vector,
		.ops = &pool_ops,
	},
	{
		.name = "hugetlb-pool",
		.about = "hugetlb memfd, never freed",
		.how = VERB_KEEP | POOL_HUGETLB,
		.law = STORM_LAW_ZERO,
		.probe = probe_hugetlb,
		.ops = &pool_ops,
	},
	{
		.name = "thp-pool",
		.about = "huge pages, never freed",
		.how = VERB_KEEP | POOL_THP,
		.law = STORM_LAW_ZERO,
		.probe = lull_bench_storm_probe_thp,
		.ops = &pool_ops,
	},
};

const size_t lull_bench_storm_nr_pool_arms =
	LULL_ARRAY_SIZE(lull_bench_storm_pool_arms);
