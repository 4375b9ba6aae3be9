// SPDX-License-Identifier: Apache-2.0
/*
 * samples.c - median, spread and the host they belong to
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"
#include "bench/bench.h"

#define LINE_BYTES 256

#ifdef __clang__
#define COMPILER_NAME "clang "
#else
#define COMPILER_NAME "gcc "
#endif

uint64_t lull_bench_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * LULL_NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t lull_bench_peak_rss_bytes(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long kib = 0;
	char line[LINE_BYTES];

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %llu kB", &kib) == 1)
			break;
	fclose(file);
	return kib * LULL_BYTES_PER_KIB;
}

void lull_bench_ctx_stats(struct lull_ctx *ctx,
			  struct lull_ctx_stats *ret_stats)
{
	lull_ctx_stats(ctx, ret_stats, NULL);
	ret_stats->munmaps += lull_unmaps();
}

void lull_bench_peak_rss_reset(void)
{
	FILE *file = fopen("/proc/self/clear_refs", "we");

	/* 5: the peak of the resident set, since Linux 4.0. */
	if (file) {
		fputs("5\n", file);
		fclose(file);
	}
}

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t lull_bench_median(const struct lull_bench_samples *samples)
{
	size_t mid = samples->nr / 2;

	assert(samples->nr);
	if (samples->nr % 2)
		return samples->ns[mid];
	return (samples->ns[mid - 1] + samples->ns[mid]) / 2;
}

/* The processor's name as Linux has it on x86; elsewhere it has none. */
static void read_cpu_name(char name[LINE_BYTES])
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[LINE_BYTES];
	const char *value;

	snprintf(name, LINE_BYTES, "unknown");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, "model name", strlen("model name")))
			continue;
		value = strchr(line, ':');
		if (value)
			snprintf(name, LINE_BYTES, "%.*s",
				 (int)strcspn(value + 2, "\n"), value + 2);
		break;
	}
	fclose(file);
}

json_t *lull_bench_host(void)
{
	char cpu[LINE_BYTES];
	struct utsname uts;
	cpu_set_t set;

	read_cpu_name(cpu);
	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) || uname(&uts))
		return NULL;
	return json_pack("{s:s, s:i, s:s, s:s}", "cpu", cpu, "cores",
			 CPU_COUNT(&set), "kernel", uts.release, "compiler",
			 COMPILER_NAME __VERSION__);
}

void lull_bench_sort(struct lull_bench_samples *samples)
{
	qsort(samples->ns, samples->nr, sizeof(*samples->ns), compare_ns);
}

int lull_bench_describe(json_t *row, struct lull_bench_samples *samples,
			struct lull_error *reterr)
{
	json_t *more;
	int failed;

	assert(samples->nr);
	lull_bench_sort(samples);
	more = json_pack("{s:I, s:I, s:I, s:I, s:o}", "runs",
			 (json_int_t)samples->nr, "median_ns",
			 (json_int_t)lull_bench_median(samples), "min_ns",
			 (json_int_t)samples->ns[0], "max_ns",
			 (json_int_t)samples->ns[samples->nr - 1], "host",
			 lull_bench_host());
	failed = !row || !more || json_object_update(row, more);
	json_decref(more);
	if (failed)
		return lull_fail(reterr, LULL_NOMEM, "out of memory for a row");
	return LULL_OK;
}
