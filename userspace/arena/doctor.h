/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.h - what keeps a host from the best arena, and what mends it
 *
 * For `lull arena doctor`.  Reads only, and changes nothing.
 */
#ifndef LULL_ARENA_DOCTOR_H
#define LULL_ARENA_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#define LULL_ARENA_FINDING_BYTES 320

/**
 * struct lull_arena_finding - one thing that was looked at
 * @name: "module", "device", ...
 * @ok: nothing to mend
 * @what: how it is
 * @cure: the command that mends it; empty when @ok
 */
struct lull_arena_finding {
	const char *name;
	bool ok;
	char what[LULL_ARENA_FINDING_BYTES];
	char cure[LULL_ARENA_FINDING_BYTES];
};

/* module, device, memlock, thp, fragmentation, hugetlb, cgroup, numa */
#define LULL_ARENA_NR_FINDINGS 8

/**
 * lull_arena_doctor - look at everything
 * @root: stands before every path; "" for the host
 * @ret_findings: one of each
 */
void lull_arena_doctor(
	const char *root,
	struct lull_arena_finding ret_findings[LULL_ARENA_NR_FINDINGS]);

#endif
