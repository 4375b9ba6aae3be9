/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters.h - what the kernel counts of this host and this process
 */
#ifndef LULL_BASE_COUNTERS_H
#define LULL_BASE_COUNTERS_H

#include <stdint.h>

/**
 * struct lull_counters - numbers that only rise
 * @ipis_tlb: row TLB of /proc/interrupts, all CPUs: shootdowns received
 * @ipis_cal: row CAL: function calls, by which some hosts do them
 * @faults: page faults of this process
 */
struct lull_counters {
	uint64_t ipis_tlb;
	uint64_t ipis_cal;
	uint64_t faults;
};

/* What cannot be read is 0.  Context: any thread. */
void lull_counters_read(struct lull_counters *ret_counters);

#endif
