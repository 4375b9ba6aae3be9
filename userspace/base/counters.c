// SPDX-License-Identifier: Apache-2.0
/*
 * counters.c - reads /proc/interrupts and getrusage(2); see counters.h
 */
#include "base/counters.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define NAME_BYTES 16

/* The first word of a row, without its blanks; how the row goes on. */
static int read_name(FILE *file, char name[NAME_BYTES])
{
	size_t nr = 0;
	int c;

	while ((c = getc_unlocked(file)) == ' ')
		;
	for (; c != ':' && c != '\n' && c != EOF; c = getc_unlocked(file))
		if (nr + 1 < NAME_BYTES)
			name[nr++] = (char)c;
	name[nr] = '\0';
	return c;
}

/* The sum over CPUs of a row, and what is left of it passed over.  There may be
 * thousands of CPUs: no row is kept. */
static uint64_t sum_row(FILE *file)
{
	uint64_t sum = 0, value = 0;
	int c;

	while ((c = getc_unlocked(file)) == ' ' || (c >= '0' && c <= '9')) {
		if (c == ' ') {
			sum += value;
			value = 0;
		} else {
			value = value * 10 + (uint64_t)(c - '0');
		}
	}
	sum += value;
	while (c != '\n' && c != EOF)
		c = getc_unlocked(file);
	return sum;
}

static void read_interrupts(struct lull_counters *counters)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char name[NAME_BYTES];
	uint64_t sum;
	int c;

	if (!file)
		return;
	while ((c = read_name(file, name)) != EOF) {
		if (c == '\n')
			continue;
		sum = sum_row(file);
		if (!strcmp(name, "TLB"))
			counters->ipis_tlb = sum;
		else if (!strcmp(name, "CAL"))
			counters->ipis_cal = sum;
	}
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
