/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert_plan.h - what the files that convert a key share
 */
#ifndef LULL_PROVE_CONVERT_PLAN_H
#define LULL_PROVE_CONVERT_PLAN_H

#include "arena/arena.h"
#include "base/base.h"
#include "base/workers.h"
#include "input/lkey.h"
#include "input/outfile.h"
#include "input/r1cs.h"
#include "prove/convert.h"

/* Records and points that a task takes: some MiB, so that a loader that has the
 * choice reads what is not in the page cache from the disk; of an array that is
 * too short for that LULL_CONVERT_POINTS_MIN. */
#define LULL_CONVERT_RECORDS ((size_t)1 << 15)
#define LULL_CONVERT_POINTS ((size_t)1 << 14)
#define LULL_CONVERT_POINTS_MIN ((size_t)1 << 11)

/**
 * struct lull_converting - a key being converted
 * @source: where it comes from
 * @how: what is wanted
 * @head: of the file; its sections have their places once rows are counted
 * @out: the file
 * @workers: the pool
 * @arena: for memory
 */
struct lull_converting {
	const struct lull_source *source;
	const struct lull_convert_how *how;
	struct lull_lkey_head head;
	struct lull_outfile out;
	struct lull_workers *workers;
	struct lull_arena *arena;
};

/* Slots that as many tasks can have: the calling thread's, which may find none
 * left, and one of each thread that does one. */
static inline unsigned int lull_convert_slots(const struct lull_converting *c,
					      size_t nr_tasks)
{
	return (unsigned int)lull_min(nr_tasks + 1,
				      lull_workers_nr(c->workers));
}

/* Of a thread that counts records, or writes them, at most. */
#define LULL_CONVERT_SLOT_BYTES ((size_t)5 << 20)

/* Tasks in portions, with progress between them; ends with the portion in which
 * one fails. */
int lull_convert_run(const struct lull_converting *c, const char *what,
		     size_t nr_tasks,
		     int (*fn)(void *arg, size_t task, unsigned int slot,
			       struct lull_error *reterr),
		     void *arg, struct lull_error *reterr);

/*
 * Says what memory a conversion takes at most, and refuses what the machine has
 * not, or its cgroups leave not: LULL_OK or LULL_NOMEM.  @source has its sizes, and
 * @own_bytes is what it holds itself.  For n rows, w wires and points of g bytes
 * that is, beside some MiB for each thread that a key of this size has tasks for,
 *
 *	@own_bytes + the larger of	108 w + 116 n	with a circuit
 *					2 g w + g n	to fold C in
 */
int lull_convert_need(const struct lull_converting *c,
		      const struct lull_source *source, uint64_t own_bytes,
		      struct lull_error *reterr);

/* Reads all sections back and hashes them. */
int lull_convert_hash(struct lull_converting *c, struct lull_error *reterr);
/* The head, which makes a file of it: the last to be written. */
int lull_convert_write_head(struct lull_converting *c,
			    struct lull_error *reterr);

/* ---- rows.c ------------------------------------------------------------- */

/* Sums of hashes of records, one for each half. */
struct lull_circuit_sum {
	uint64_t half[2];
};

/* Adds a record.  The order of records makes no difference. */
void lull_circuit_add(struct lull_circuit_sum *sum, const uint8_t *record);

/* The digest of a circuit. */
void lull_circuit_digest(const struct lull_circuit_sum *sum,
			 const struct lull_lkey_head *head,
			 uint8_t ret_digest[LULL_HASH_BYTES]);

struct lull_rows;

/* Reads all records once: what is in the head about them, and the digest.
 * *ret_rows is owned by the caller; end it with lull_rows_destroy(). */
int lull_rows_count(struct lull_converting *c, struct lull_rows **ret_rows,
		    struct lull_error *reterr);
/* Reads them again and writes coefficients, rows, columns and numbers. */
int lull_rows_write(struct lull_converting *c, const struct lull_rows *rows,
		    struct lull_error *reterr);
/* Takes NULL. */
void lull_rows_destroy(struct lull_rows *rows);

/* ---- compare_tmpl.c ----------------------------------------------------- */

/* Adds to @sum what the records of a circuit's key would add: those of A and B
 * and the rows of the public wires.  The key has as many wires. */
void lull_bn254_circuit_sum(const struct lull_source *source,
			    const struct lull_r1cs *r1cs,
			    struct lull_circuit_sum *sum);
void lull_bls12_381_circuit_sum(const struct lull_source *source,
				const struct lull_r1cs *r1cs,
				struct lull_circuit_sum *sum);

/* What a comparison has at a time beside what grows with rows and wires. */
uint64_t lull_bn254_circuit_bytes(const struct lull_source *source,
				  unsigned int nr_threads);
uint64_t lull_bls12_381_circuit_bytes(const struct lull_source *source,
				      unsigned int nr_threads);

/* Compares a key's points, which are checked, with a circuit of its sizes:
 * LULL_OK, LULL_MISMATCH, LULL_IO or LULL_NOMEM. */
int lull_bn254_circuit_compare(struct lull_converting *c,
			       const struct lull_r1cs *r1cs,
			       struct lull_error *reterr);
int lull_bls12_381_circuit_compare(struct lull_converting *c,
				   const struct lull_r1cs *r1cs,
				   struct lull_error *reterr);

/* ---- fold_tmpl.c -------------------------------------------------------- */

/* Writes L with C folded in, from points that are checked. */
int lull_bn254_fold(struct lull_converting *c, const struct lull_r1cs *r1cs,
		    struct lull_error *reterr);
int lull_bls12_381_fold(struct lull_converting *c, const struct lull_r1cs *r1cs,
			struct lull_error *reterr);

#endif
