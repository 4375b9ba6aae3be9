// SPDX-License-Identifier: Apache-2.0
/*
 * storm_counters.c - flushes, interrupts, faults and resident memory
 *
 * For `lull bench storm`.  Flushes are events of the tracepoint tlb:tlb_flush
 * with reason 4, "remote IPI send", counted by perf events on every CPU, and
 * once more those by threads that are called as ours are.  Where the kernel does not allow that, no
 * figure is made up: the reason is kept, with its cure.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"
#include "base/counters.h"
#include "bench/storm.h"

#define LINE_BYTES 512
/* TLB_REMOTE_SEND_IPI */
#define FILTER "reason==4"
#define THREAD_NAME "lull-storm"
#define FILTER_OWN "reason==4 && comm==\"" THREAD_NAME "\""

static const char *const event_ids[] = {
	"/sys/kernel/tracing/events/tlb/tlb_flush/id",
	"/sys/kernel/debug/tracing/events/tlb/tlb_flush/id",
};

void lull_bench_storm_read_text(const char *path, char *text, size_t bytes)
{
	FILE *file = fopen(path, "re");
	size_t nr = 0;

	if (file) {
		nr = fread(text, 1, bytes - 1, file);
		fclose(file);
	}
	text[nr] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

/* The tracepoint's number; 0 and why if it cannot be had. */
static uint64_t find_event(char why[STORM_TEXT_BYTES])
{
	char text[LINE_BYTES];
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(event_ids); i++) {
		lull_bench_storm_read_text(event_ids[i], text, sizeof(text));
		if (*text)
			return strtoull(text, NULL, 10);
	}
	snprintf(why, STORM_TEXT_BYTES, "%s",
		 access("/sys/kernel/tracing/events", F_OK)
			 ? "no tracefs is mounted or readable; as root: "
			   "mount -t tracefs tracefs /sys/kernel/tracing"
			 : "this kernel has no tracepoint tlb:tlb_flush, or "
			   "only root may read it");
	return 0;
}

/* On one CPU, whoever runs there.  Not by an event of the process: the kernel
 * would patch its scheduler for that. */
static int open_event(uint64_t id, int cpu, const char *filter,
		      char why[STORM_TEXT_BYTES])
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);
	int error = errno;
	char paranoid[LINE_BYTES];

	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter)) {
		snprintf(why, STORM_TEXT_BYTES, "the filter %s: %s", filter,
			 strerror(errno));
		close(fd);
		return -1;
	}
	if (fd < 0 && error != ENODEV) {
		lull_bench_storm_read_text(
			"/proc/sys/kernel/perf_event_paranoid", paranoid,
			sizeof(paranoid));
		snprintf(why, STORM_TEXT_BYTES,
			 "perf_event_open: %s (kernel.perf_event_paranoid is "
			 "%.8s; wants root or CAP_PERFMON)",
			 strerror(error), *paranoid ? paranoid : "absent");
	}
	return fd;
}

void lull_bench_storm_counters_open(struct storm_counters *c)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t id;
	long cpu;
	int fd, own_fd;

	*c = (struct storm_counters){ 0 };
	/* Threads to come have the name as well. */
	prctl(PR_SET_NAME, THREAD_NAME);
	id = find_event(c->why);
	if (!id)
		return;
	c->fds = calloc((size_t)nr_cpus, sizeof(*c->fds));
	for (cpu = 0; c->fds && cpu < nr_cpus && !*c->why; cpu++) {
		fd = open_event(id, (int)cpu, FILTER, c->why);
		/* A CPU that is off has none. */
		if (fd < 0)
			continue;
		own_fd = open_event(id, (int)cpu, FILTER_OWN, c->why);
		if (own_fd < 0)
			close(fd);
		else
			c->fds[c->nr_cpus++] =
				(struct storm_counter_fds){ fd, own_fd };
	}
	if (!c->nr_cpus && !*c->why)
		snprintf(c->why, sizeof(c->why), "no CPU could be counted");
}

void lull_bench_storm_counters_close(struct storm_counters *c)
{
	size_t i;

	for (i = 0; i < c->nr_cpus; i++) {
		close(c->fds[i].all);
		close(c->fds[i].own);
	}
	free(c->fds);
	c->fds = NULL;
	c->nr_cpus = 0;
}

static uint64_t read_event(int fd)
{
	uint64_t value = 0;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return 0;
	return value;
}

/* Walks the page tables, so that it is exact; hugetlb is no part of Rss. */
static void read_resident(struct storm_counts *counts)
{
	static const char *const resident[] = { "Rss:", "Shared_Hugetlb:",
						"Private_Hugetlb:" };
	static const char *const huge[] = { "AnonHugePages:", "FilePmdMapped:",
					    "Shared_Hugetlb:",
					    "Private_Hugetlb:" };
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	unsigned long long kib;
	char line[LINE_BYTES], name[LINE_BYTES];
	size_t i;

	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%511s %llu kB", name, &kib) != 2)
			continue;
		for (i = 0; i < LULL_ARRAY_SIZE(resident); i++)
			if (!strcmp(name, resident[i]))
				counts->resident_bytes +=
					kib * LULL_BYTES_PER_KIB;
		for (i = 0; i < LULL_ARRAY_SIZE(huge); i++)
			if (!strcmp(name, huge[i]))
				counts->huge_bytes += kib * LULL_BYTES_PER_KIB;
	}
	fclose(file);
}

uint64_t lull_bench_storm_resident_bytes(void)
{
	struct storm_counts counts = { 0 };

	read_resident(&counts);
	return counts.resident_bytes;
}

void lull_bench_storm_counters_read(const struct storm_counters *c,
				    struct storm_counts *ret_counts)
{
	struct storm_counts counts = { 0 };
	struct lull_counters host;
	size_t i;

	for (i = 0; i < c->nr_cpus; i++) {
		counts.flushes += read_event(c->fds[i].all);
		counts.flushes_own += read_event(c->fds[i].own);
	}
	lull_counters_read(&host);
	counts.ipis_tlb = host.ipis_tlb;
	counts.ipis_cal = host.ipis_cal;
	counts.faults = host.faults;
	read_resident(&counts);
	*ret_counts = counts;
}
