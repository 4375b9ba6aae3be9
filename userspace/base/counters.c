// SPDX-License-Identifier: Apache-2.0
/*
 * counters.c - reads /proc/interrupts and getrusage(2); see counters.h
 */
#include "base/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* The sum over CPUs of one row. */
static uint64_t sum_row(const char *at)
{
	uint64_t sum = 0, value;
	char *end;

	for (;;) {
		value = strtoull(at, &end, 10);
		if (end == at)
			return sum;
		sum += value;
		at = end;
	}
}

static void read_interrupts(struct lull_counters *counters)
{
	FILE *file = fopen("/proc/interrupts", "re");
	size_t bytes = 0;
	char *line = NULL;
	const char *name;

	if (!file)
		return;
	while (getline(&line, &bytes, file) > 0) {
		name = line + strspn(line, " ");
		if (!strncmp(name, "TLB:", strlen("TLB:")))
			counters->ipis_tlb = sum_row(name + strlen("TLB:"));
		else if (!strncmp(name, "CAL:", strlen("CAL:")))
			counters->ipis_cal = sum_row(name + strlen("CAL:"));
	}
	free(line);
	fclose(file);
}

void lull_counters_read(struct lull_counters *ret_counters)
{
	struct lull_counters counters = { 0 };
	struct rusage usage;

	read_interrupts(&counters);
	if (!getrusage(RUSAGE_SELF, &usage))
		counters.faults =
			(uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
	*ret_counters = counters;
}
