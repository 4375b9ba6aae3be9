/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters.h - what the kernel counts, read for the tests of the arena module:
 * faults, smaps, page frames, remote TLB flushes, files of one value
 */
#ifndef LULL_SELFTESTS_KMOD_COUNTERS_H
#define LULL_SELFTESTS_KMOD_COUNTERS_H

#include <ctype.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <linux/kernel-page-flags.h>
#include <linux/perf_event.h>

#define SYSFS "/sys/class/misc/lull_arena/"
#define LINE_BYTES 512
/* Of a /proc/PID/pagemap entry (Documentation/admin-guide/mm/pagemap.rst). */
#define PAGEMAP_PRESENT ((uint64_t)1 << 63)
#define PAGEMAP_FRAME (((uint64_t)1 << 55) - 1)
#define BLOCK_PAGES (SLOT / PAGE)

#define EVENT_CPUS_MAX 64
/* A tracepoint, counted on every processor. */
struct event_counter {
	int fd[EVENT_CPUS_MAX];
	unsigned int nr;
};
/* Threads that keep this process on other CPUs, so that flushes are remote. */
struct bystanders {
	pthread_t *thread;
	unsigned int nr;
	volatile bool stop;
};

/* -errno, or the text without its newline in ret. */
static inline int file_read(const char *path, char *ret, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, ret, bytes - 1);
	if (n < 0)
		rc = -errno;
	close(fd);
	if (n < 0)
		return rc;
	while (n > 0 && isspace((unsigned char)ret[n - 1]))
		n--;
	ret[n] = '\0';
	return 0;
}

static inline int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

/* An attribute of the device: a number. */
static inline uint64_t sysfs_read(const char *name)
{
	char path[LINE_BYTES], text[LINE_BYTES];

	snprintf(path, sizeof(path), SYSFS "%s", name);
	if (file_read(path, text, sizeof(text))) {
		TEST_FAIL_("cannot read %s", path);
		return 0;
	}
	return strtoull(text, NULL, 10);
}

static inline int sysfs_write(const char *name, uint64_t value)
{
	char path[LINE_BYTES], text[LINE_BYTES];

	snprintf(path, sizeof(path), SYSFS "%s", name);
	snprintf(text, sizeof(text), "%" PRIu64, value);
	return file_write(path, text);
}

static inline unsigned long minor_faults(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return (unsigned long)use.ru_minflt;
}

/* The number after FIELD in LINE, which is in kB. */
static inline bool read_kb(const char *line, const char *field,
			   uint64_t *ret_bytes)
{
	size_t n = strlen(field);

	if (strncmp(line, field, n))
		return false;
	*ret_bytes = strtoull(line + n, NULL, 10) << 10;
	return true;
}

/* The line of the mapping at P that begins with FIELD, without that. */
static inline bool smaps_line(const void *p, const char *field, char *ret)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	bool inside = false, found = false;
	size_t n = strlen(field);
	uint64_t start, end;

	while (f && !found && fgets(ret, LINE_BYTES, f)) {
		if (sscanf(ret, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2)
			inside = start <= (uintptr_t)p && (uintptr_t)p < end;
		found = inside && !strncmp(ret, field, n);
	}
	if (found)
		memmove(ret, ret + n, strlen(ret + n) + 1);
	if (f)
		fclose(f);
	return found;
}

/* "FilePmdMapped:", say, of the mapping at P. */
static inline uint64_t smaps_bytes(const void *p, const char *field)
{
	char line[LINE_BYTES];

	return smaps_line(p, field, line) ? strtoull(line, NULL, 10) << 10 : 0;
}

static inline uint64_t meminfo_bytes(const char *field)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[LINE_BYTES];
	uint64_t bytes = 0;

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f) && !read_kb(line, field, &bytes))
		;
	fclose(f);
	return bytes;
}

/* The physical page of P, 0 when there is none. */
static inline uint64_t page_frame(const void *p)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	if (fd < 0)
		return 0;
	if (pread(fd, &entry, sizeof(entry),
		  (off_t)((uintptr_t)p / PAGE * sizeof(entry))) !=
	    (ssize_t)sizeof(entry))
		entry = 0;
	close(fd);
	return entry & PAGEMAP_PRESENT ? entry & PAGEMAP_FRAME : 0;
}

static inline uint64_t kpageflags_read(int fd, uint64_t frame)
{
	uint64_t flags = 0;

	if (pread(fd, &flags, sizeof(flags), (off_t)(frame * sizeof(flags))) !=
	    (ssize_t)sizeof(flags))
		return (uint64_t)1 << KPF_NOPAGE;
	return flags;
}

/*
 * Bytes in pages of 2 MiB that are no process's memory, no page cache, no
 * hugetlb, no slab and not the page of zeros: the module's, wherever they are.
 * Exact, where MemAvailable is not: that leaves out what waits free in per-CPU
 * lists, which may be more than 100 MiB.  0, and a failed test, when it cannot be read.
 */
static inline uint64_t module_pages_bytes(void)
{
	const uint64_t others = 1 << KPF_SLAB | 1 << KPF_LRU | 1 << KPF_ANON |
				1 << KPF_BUDDY | 1 << KPF_HUGE |
				1 << KPF_NOPAGE | 1 << KPF_ZERO_PAGE;
	int fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	uint64_t frame, first, count = 0, end;

	/* Addresses end below twice the memory: the hole below 4 GiB. */
	end = (meminfo_bytes("MemTotal:") + ((uint64_t)4 << 30)) / PAGE;
	for (frame = 0; fd >= 0 && frame < end; frame += BLOCK_PAGES) {
		first = kpageflags_read(fd, frame);
		count += first & 1 << KPF_COMPOUND_HEAD && !(first & others) &&
			 kpageflags_read(fd, frame + BLOCK_PAGES - 1) &
				 1 << KPF_COMPOUND_TAIL;
	}
	if (fd < 0)
		TEST_FAIL_("cannot read /proc/kpageflags");
	else
		close(fd);
	return count * SLOT;
}

static inline int event_open(uint64_t id, const char *filter, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0 && filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter)) {
		close(fd);
		return -1;
	}
	return fd;
}

static inline uint64_t event_id(const char *name)
{
	char path[LINE_BYTES], text[LINE_BYTES];

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	if (file_read(path, text, sizeof(text))) {
		snprintf(path, sizeof(path),
			 "/sys/kernel/debug/tracing/events/%s/id", name);
		if (file_read(path, text, sizeof(text)))
			return 0;
	}
	return strtoull(text, NULL, 10);
}

static inline void event_counter_close(struct event_counter *c)
{
	while (c->nr)
		close(c->fd[--c->nr]);
}

static inline bool event_counter_open(struct event_counter *c,
				      const char *event, const char *filter)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), i;
	uint64_t id = event_id(event);

	c->nr = 0;
	if (!id)
		return false;
	for (i = 0; i < cpus && i < EVENT_CPUS_MAX; i++) {
		c->fd[i] = event_open(id, filter, (int)i);
		if (c->fd[i] < 0) {
			event_counter_close(c);
			return false;
		}
		c->nr++;
	}
	return true;
}

/*
 * Every remote TLB flush on the machine: reason 4 is TLB_REMOTE_SEND_IPI, one
 * a flush, counted where it is sent.
 */
static inline bool flush_counter_open(struct event_counter *c)
{
	return event_counter_open(c, "tlb/tlb_flush", "reason == 4");
}

static inline uint64_t event_counter_read(const struct event_counter *c)
{
	uint64_t sum = 0, count;
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		if (read(c->fd[i], &count, sizeof(count)) ==
		    (ssize_t)sizeof(count))
			sum += count;
	return sum;
}

static inline void *stand_by(void *arg)
{
	struct bystanders *b = arg;

	while (!b->stop)
		__builtin_ia32_pause();
	return NULL;
}

static inline void bystanders_start(struct bystanders *b, unsigned int nr)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int i;
	cpu_set_t set;

	b->stop = false;
	b->nr = 0;
	b->thread = calloc(nr, sizeof(*b->thread));
	for (i = 0; b->thread && i < nr; i++) {
		if (pthread_create(&b->thread[i], NULL, stand_by, b))
			break;
		CPU_ZERO(&set);
		CPU_SET((int)((i + 1) % (unsigned long)cpus), &set);
		pthread_setaffinity_np(b->thread[i], sizeof(set), &set);
		b->nr++;
	}
}

static inline void bystanders_stop(struct bystanders *b)
{
	b->stop = true;
	while (b->nr)
		pthread_join(b->thread[--b->nr], NULL);
	free(b->thread);
	b->thread = NULL;
}

#endif
