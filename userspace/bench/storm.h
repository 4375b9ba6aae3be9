/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storm.h - what the files of `lull bench storm` share
 *
 * One arm is one way to give a partition's vectors back and to have them
 * again.  Each arm runs in a process of its own, with the environment that it
 * wants; there lull_bench_storm_measure() drives it round by round.
 */
#ifndef LULL_BENCH_STORM_H
#define LULL_BENCH_STORM_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/bench.h"

#define STORM_PAGE_BYTES ((size_t)4096)
#define STORM_SLOT_BYTES ((size_t)2 << 20)
#define STORM_TEXT_BYTES 200
/* Ranges that one process_madvise() takes: UIO_MAXIOV of the kernel. */
#define STORM_IOVECS_MAX 1024
/* Bytes that we give it: it takes 2 GiB less a page, which cuts a huge page. */
#define STORM_VECTOR_BYTES_MAX ((size_t)1 << 30)

/**
 * struct storm_plan - the vectors of one partition, scaled
 * @nr: how many
 * @bytes: of each, a multiple of the page size
 * @offset: of each in an arena that has them all
 * @kept: those that are not freed in a round
 * @bytes_all: of all
 * @bytes_freed: of those that are freed
 * @region_bytes: of the arena, a multiple of the slot size
 * @nr_shares: threads
 * @first: share s has the vectors first[s] .. first[s + 1] - 1; no two shares
 *	meet in a slot
 */
struct storm_plan {
	size_t nr;
	size_t *bytes;
	size_t *offset;
	bool *kept;
	size_t bytes_all;
	size_t bytes_freed;
	size_t region_bytes;
	unsigned int nr_shares;
	size_t *first;
};

int lull_bench_storm_plan(const struct lull_bench_storm_opts *opts,
			  struct storm_plan *ret_plan,
			  struct lull_error *reterr);
void lull_bench_storm_plan_done(struct storm_plan *plan);

/**
 * enum storm_law - how many flushes a free phase causes
 * @STORM_LAW_NONE: no formula
 * @STORM_LAW_ZERO: nothing is unmapped
 * @STORM_LAW_CALLS: at least one for each vector
 * @STORM_LAW_RUNS: one for each run, of 2 MiB mappings
 * @STORM_LAW_MERGED: the same, and runs of several threads are merged
 * @STORM_LAW_ONE: one in all
 * @STORM_LAW_RUNS_4K: each run of 4 KiB pages, by batches of the kernel
 * @STORM_LAW_RUNS_4K_TABLES: the same, and the page tables go as well
 * @STORM_LAW_ALL_4K: all runs in one gathering
 * @STORM_LAW_LAZY_THP: MADV_FREE of 2 MiB mappings
 */
enum storm_law {
	STORM_LAW_NONE,
	STORM_LAW_ZERO,
	STORM_LAW_CALLS,
	STORM_LAW_RUNS,
	STORM_LAW_MERGED,
	STORM_LAW_ONE,
	STORM_LAW_RUNS_4K,
	STORM_LAW_RUNS_4K_TABLES,
	STORM_LAW_ALL_4K,
	STORM_LAW_LAZY_THP,
};

/**
 * struct storm_run - one arm under way
 * @arm: which
 * @opts: what was asked for
 * @plan: the vectors
 * @vec: where each is now; NULL when freed
 * @region: of pools: where the arena lies, aligned to the slot size
 * @slot_live: of pools: vectors that lie in each slot and are in use
 * @shares: one a thread
 * @state: the arm's own
 * @error_lock: guards @error and @failed
 * @failed: a status; the first failure of any thread
 * @error: belongs to it
 */
struct storm_run {
	const struct storm_arm *arm;
	const struct lull_bench_storm_opts *opts;
	struct storm_plan plan;
	void **vec;
	char *region;
	uint32_t *slot_live;
	struct storm_share *shares;
	void *state;
	pthread_mutex_t error_lock;
	atomic_int failed;
	struct lull_error error;
};

/**
 * struct storm_share - what one thread allocates and frees
 * @run: of which it is part
 * @index: its number
 * @call_ns: how long each free call took, all rounds
 * @nr_calls: how many there were
 * @max_calls: room for
 */
struct storm_share {
	struct storm_run *run;
	unsigned int index;
	uint64_t *call_ns;
	size_t nr_calls;
	size_t max_calls;
};

/**
 * struct storm_ops - what a way to free consists of
 * @open: reserves what the arm reserves once
 * @close: ends what open() began; also after a failed open()
 * @alloc: memory for the vectors of a share that have none
 * @free: gives back those of a share that the plan does not keep; notes calls
 * @settle: waits until what free() began is over; NULL: nothing is left
 * @report: adds what only the arm knows to its row; NULL: nothing
 *
 * alloc() and free() run in the share's thread and fail by
 * lull_bench_storm_fail().
 */
struct storm_ops {
	int (*open)(struct storm_run *run, struct lull_error *reterr);
	void (*close)(struct storm_run *run);
	void (*alloc)(struct storm_share *share);
	void (*free)(struct storm_share *share);
	void (*settle)(struct storm_run *run);
	int (*report)(struct storm_run *run, json_t *row);
};

/**
 * struct storm_arm - one way to free
 * @name: for --arms
 * @about: one line for people
 * @how: a number for the ops
 * @law: how its flushes are predicted
 * @preload: library that its process is started with, or NULL
 * @package: where Debian has it
 * @env: NAME=VALUE of that process, ended by NULL
 * @by_kernel: threads of the kernel send its flushes: all of the host's count
 * @no_thp: that process is started with PR_SET_THP_DISABLE
 * @probe: true if the arm can run here, else the reason in @why.  NULL: it can
 * @ops: what it does
 */
struct storm_arm {
	const char *name;
	const char *about;
	int how;
	enum storm_law law;
	const char *preload;
	const char *package;
	const char *env[6];
	bool by_kernel;
	bool no_thp;
	bool (*probe)(const struct storm_arm *arm,
		      const struct lull_bench_storm_opts *opts,
		      char why[STORM_TEXT_BYTES]);
	const struct storm_ops *ops;
};

/* A probe: huge pages can be had by madvise(). */
bool lull_bench_storm_probe_thp(const struct storm_arm *arm,
				const struct lull_bench_storm_opts *opts,
				char why[STORM_TEXT_BYTES]);

/*
 * Have glibc map and unmap each vector, as it does the gigabytes of a real
 * partition.  Its threshold is kept where it is when a process starts: left
 * alone it rises with the first mapping that is freed, up to 32 MiB, and from
 * the second round on scaled vectors would come from the heap.
 */
void lull_bench_storm_map_each(void);

/* storm_malloc.c, storm_pool.c, storm_module.c, storm_arena.c: their arms. */
extern const struct storm_arm lull_bench_storm_malloc_arms[];
extern const size_t lull_bench_storm_nr_malloc_arms;
extern const struct storm_arm lull_bench_storm_pool_arms[];
extern const size_t lull_bench_storm_nr_pool_arms;
extern const struct storm_arm lull_bench_storm_module_arms[];
extern const size_t lull_bench_storm_nr_module_arms;
extern const struct storm_arm lull_bench_storm_arena_arms[];
extern const size_t lull_bench_storm_nr_arena_arms;

/**
 * struct storm_walk - over the runs of slots that a share has to move
 * @share: whose
 * @at: first slot of the next run
 * @end: behind the last slot of the share
 */
struct storm_walk {
	struct storm_share *share;
	size_t at;
	size_t end;
};

/* Marks of slot_live: no vector of the slot is in use, and its memory has
 * been given back (or was never had). */
#define STORM_SLOT_GONE UINT32_MAX

struct storm_walk lull_bench_storm_walk(struct storm_share *share);
/* The next run of slots that all have @live; marks them @mark. */
bool lull_bench_storm_next_run(struct storm_walk *walk, uint32_t live,
			       uint32_t mark, char **ret_at, size_t *ret_bytes);
/* One vector more (1) or less (UINT32_MAX) in each slot that it lies in. */
void lull_bench_storm_count_slots(struct storm_run *run, size_t vec,
				  uint32_t by);

/* Runs one arm in this process and gives its row. */
int lull_bench_storm_measure(const struct storm_arm *arm,
			     const struct lull_bench_storm_opts *opts,
			     json_t **ret_row, struct lull_error *reterr);

/* Ends the run after this phase. */
void lull_bench_storm_fail(struct storm_run *run, int code, int sys_errno,
			   const char *what);
/* One free call took this long. */
void lull_bench_storm_note(struct storm_share *share, uint64_t ns);

/**
 * struct storm_counts - what has been counted so far
 * @flushes: TLB flushes that were sent to other CPUs, of the whole host
 * @flushes_own: of them those that a thread of this bench sent
 * @ipis_tlb: row TLB of /proc/interrupts: received
 * @ipis_cal: row CAL
 * @faults: page faults of this process
 * @resident_bytes: of this process, hugetlb pages included
 * @huge_bytes: of them those in 2 MiB mappings
 */
struct storm_counts {
	uint64_t flushes;
	uint64_t flushes_own;
	uint64_t ipis_tlb;
	uint64_t ipis_cal;
	uint64_t faults;
	uint64_t resident_bytes;
	uint64_t huge_bytes;
};

/**
 * struct storm_counter_fds - perf events of one CPU
 * @all: of whoever runs there
 * @own: of threads that are called as ours are
 */
struct storm_counter_fds {
	int all;
	int own;
};

/**
 * struct storm_counters - the counters behind
 * @fds: one pair a CPU
 * @nr_cpus: how many
 * @why: the tracepoint cannot be counted; "" if it can
 */
struct storm_counters {
	struct storm_counter_fds *fds;
	size_t nr_cpus;
	char why[STORM_TEXT_BYTES];
};

/* Never fails: what cannot be counted is said in why.  To be called before
 * the threads that are to be counted exist. */
void lull_bench_storm_counters_open(struct storm_counters *counters);
void lull_bench_storm_counters_close(struct storm_counters *counters);
void lull_bench_storm_counters_read(const struct storm_counters *counters,
				    struct storm_counts *ret_counts);
/* Resident memory alone. */
uint64_t lull_bench_storm_resident_bytes(void);

/* The first words of a file, blanks squeezed; "" if there is none. */
void lull_bench_storm_read_text(const char *path, char *text, size_t bytes);

/* Two kinds of bystanders, told apart by what they read. */
enum storm_bystander_kind {
	STORM_BYSTANDER_TLB,	/* as many pages as a second-level TLB holds */
	STORM_BYSTANDER_MEMORY, /* far more than any cache */
	STORM_NR_BYSTANDER_KINDS,
};

struct storm_bystanders;

/* Starts @nr threads that read at random on the CPUs after the first
 * @nr_workers.  *ret_bystanders is NULL for none. */
int lull_bench_storm_bystanders_start(unsigned int nr, unsigned int nr_workers,
				      struct storm_bystanders **ret_bystanders,
				      struct lull_error *reterr);
void lull_bench_storm_bystanders_stop(struct storm_bystanders *bystanders);
/* Reads so far, by kind. */
void lull_bench_storm_bystanders_read(
	const struct storm_bystanders *bystanders,
	uint64_t ret_work[STORM_NR_BYSTANDER_KINDS]);
/* The nth CPU that this process may use, modulo their number. */
void lull_bench_storm_pin(unsigned int nth);

/* How sharp a prediction is. */
enum storm_kind {
	STORM_NO_FORMULA,
	STORM_EXACT,
	STORM_AT_LEAST,
	STORM_ABOUT,
};

/* "none", "exact", "at least", "about". */
const char *lull_bench_storm_kind_name(enum storm_kind kind);

/**
 * struct storm_prediction - flushes of one free phase by formula
 * @kind: how sharp
 * @flushes: how many
 * @formula: in words
 */
struct storm_prediction {
	enum storm_kind kind;
	uint64_t flushes;
	char formula[STORM_TEXT_BYTES];
};

void lull_bench_storm_predict(const struct storm_arm *arm,
			      const struct storm_plan *plan,
			      struct storm_prediction *ret_prediction);
/* True if a count is what was predicted. */
bool lull_bench_storm_holds(const struct storm_prediction *prediction,
			    uint64_t flushes);

/* Contiguous runs of slots that a round frees; @merged: over all threads, as a
 * batch of the module sees them. */
size_t lull_bench_storm_nr_runs(const struct storm_plan *plan, bool merged);
/* Vectors that a round frees. */
size_t lull_bench_storm_nr_freed(const struct storm_plan *plan);

/**
 * struct storm_pressure - what a memory hog could get out of an arm
 * @held_bytes: resident before
 * @returned_bytes: of them gone when the time was over
 * @ns: how long the hog asked, from the moment the kernel began to reclaim
 * @hog_bytes: what the hog had then
 * @nr_waits: how often it had to wait a millisecond for free memory
 */
struct storm_pressure {
	uint64_t held_bytes;
	uint64_t returned_bytes;
	uint64_t ns;
	uint64_t hog_bytes;
	uint64_t nr_waits;
};

/* Starts a hog in a process of its own, for opts->pressure_s seconds. */
int lull_bench_storm_pressure(const struct storm_run *run,
			      uint64_t baseline_bytes,
			      struct storm_pressure *ret_pressure,
			      struct lull_error *reterr);
/* Is that process. */
int lull_bench_storm_hog(struct lull_error *reterr);

/* cudaHostRegister, once and every time: rows for --cuda-register. */
int lull_bench_storm_cuda(const struct lull_bench_storm_opts *opts,
			  struct lull_error *reterr);

/* Draws rows that were emitted; LULL_OK, LULL_IO or LULL_NOMEM. */
int lull_bench_storm_svg(const char *path, const json_t *rows,
			 struct lull_error *reterr);

#endif
