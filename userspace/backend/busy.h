/* SPDX-License-Identifier: Apache-2.0 */
/*
 * busy.h - how long something was at work, however its pieces overlap
 *
 * For what a device did: stages of a proof run beside each other, and proofs
 * beside proofs, and they are told of when each proof ends.
 */
#ifndef LULL_BACKEND_BUSY_H
#define LULL_BACKEND_BUSY_H

#include <stdint.h>

/* Stretches that are remembered; those of the past never touch new ones. */
#define LULL_BUSY_SPANS 64

/**
 * struct lull_busy - the union of intervals, as a length; all zero is none
 * @start_ns: of each stretch that is remembered, in order, apart
 * @end_ns: likewise
 * @nr: how many
 * @ns: the length of all stretches, also of those forgotten
 */
struct lull_busy {
	uint64_t start_ns[LULL_BUSY_SPANS];
	uint64_t end_ns[LULL_BUSY_SPANS];
	unsigned int nr;
	uint64_t ns;
};

/* Adds an interval, which may be empty.  Where there are too many stretches the
 * earliest is forgotten, and what overlaps it later counts twice. */
void lull_busy_add(struct lull_busy *busy, uint64_t start_ns, uint64_t end_ns);

#endif
