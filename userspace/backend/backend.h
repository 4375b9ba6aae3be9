/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.h - who computes the stages of a proof
 *
 * A backend opens devices; on a device it has one table of functions per
 * curve.  The prover attaches a key once, asks how much scratch a proof needs,
 * and runs the stages; every backend that computes gives the same points for
 * the same key and witness.
 *
 * For C and for CUDA's C++: liblull_cuda.so is built from this header alone
 * and gives liblull a struct lull_backend.  Whatever changes a struct or an
 * enum here, in base/classes.h, in base/csr.h or in base/stage.h raises
 * LULL_BACKEND_ABI.
 */
#ifndef LULL_BACKEND_BACKEND_H
#define LULL_BACKEND_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/arena.h"
#include "base/classes.h"
#include "base/csr.h"
#include "base/stage.h"
#include "lull.h"

struct lull_workers;

#define LULL_BACKEND_ABI 6u

/* The largest affine point, G2 of BLS12-381: 4 coordinates of 48 bytes. */
#define LULL_POINT_BYTES_MAX 192
/* Name of a device with its numbers, and reasons, for people. */
#define LULL_BACKEND_TEXT_BYTES 160

/**
 * struct lull_key_arrays - a key by roles, checked, at any alignment
 * @curve: the curve
 * @log2_domain: the domain has 1 << log2_domain rows
 * @nr_vars: wires, the constant one among them
 * @nr_public: public signals, without the constant one
 * @nr_coefs: entries of @coefs
 * @coefs_sorted: by constraint
 * @coefs: the matrices A and B as section 4 of a .zkey has them; NULL when
 *	@csr has them
 * @csr: the matrices by rows, when @coefs is NULL
 * @a: nr_vars points of G1, affine, Montgomery, infinity all zero
 * @b1: nr_vars points of G1
 * @b2: nr_vars points of G2
 * @l: @nr_l points of G1, those of the last wires
 * @nr_l: nr_vars - nr_public - 1; for a folded key nr_vars
 * @h: 1 << log2_domain points of G1
 * @folded: C is folded into L: H takes a b alone (fr_quotient_folded())
 * @assigned: bellman's parameters: there are no matrices, every proof comes
 *	with a struct lull_assigned; @a has @nr_a points, @b1 and @b2 have
 *	@nr_b, none at infinity; @h has (1 << log2_domain) - 1, tau^i Z(tau) /
 *	delta
 * @nr_a: of an assigned key
 * @nr_b: of an assigned key
 * @row_step: of an assigned key: row i belongs to the (row_step i)-th power of
 *	the domain's root; odd
 * @arena: what a backend carves its part of the key from; the arrays and
 *	witnesses lie in it, or in memory of the caller's
 */
struct lull_key_arrays {
	enum lull_curve curve;
	unsigned int log2_domain;
	size_t nr_vars;
	size_t nr_public;
	size_t nr_coefs;
	bool coefs_sorted;
	const uint8_t *coefs, *a, *b1, *b2, *l, *h;
	size_t nr_l;
	struct lull_csr csr;
	bool folded;
	bool assigned;
	size_t nr_a;
	size_t nr_b;
	uint64_t row_step;
	struct lull_arena *arena;
};

/**
 * struct lull_assigned - what a proof brings that a key does not hold
 * @a: @nr_rows evaluations of A w, Montgomery, canonical, any alignment; rows
 *	from there on are zero
 * @b: of B w
 * @nr_rows: at most 1 << log2_domain
 * @dense_a: bit i % 64 of word i / 64: variable i has a point in the key's a;
 *	as many bits as the key's nr_a are set
 * @dense_b: of b1 and b2
 */
struct lull_assigned {
	const uint8_t *a, *b;
	size_t nr_rows;
	const uint64_t *dense_a, *dense_b;
};

/**
 * struct lull_stage_args - what a stage works on
 * @witness: nr_vars plain canonical integers of 32 bytes, at any alignment
 * @classes: of these; NULL where they are not known, as of an assigned key's
 * @assigned: of an assigned key's proof; else NULL
 * @workers: the pool
 * @scratch: of scratch_bytes(), aligned to 64 bytes, holding anything; the
 *	same for all stages of one proof, which keep in it what one stage leaves
 *	for another
 * @ret_point: where the LULL_STAGE_MSM_* put their sum, affine, Montgomery;
 *	valid until wait() has returned
 */
struct lull_stage_args {
	const uint8_t *witness;
	const struct lull_classes *classes;
	const struct lull_assigned *assigned;
	struct lull_workers *workers;
	void *scratch;
	uint8_t *ret_point;
};

/**
 * struct lull_backend_span - when a stage ran on a device
 * @start_ns: since the proof's LULL_STAGE_LOAD was begun
 * @ns: how long; spans of stages that ran beside each other overlap
 */
struct lull_backend_span {
	uint64_t start_ns;
	uint64_t ns;
};

/**
 * struct lull_backend_kernel - something that `lull bench kernels` measures
 * @name: in rows, the same for every backend
 * @sized: measured at every size; else once
 * @prepare: operands for 1 << @log2_n items on a device; *ret_nr_items is what
 *	one run works through
 * @run: once, and how long it took by the device's clock; again and again
 * @done: undo prepare
 */
struct lull_backend_kernel {
	const char *name;
	bool sized;
	int (*prepare)(void *device, unsigned int log2_n, void **ret_state,
		       size_t *ret_nr_items, struct lull_error *reterr);
	int (*run)(void *state, uint64_t *ret_ns, struct lull_error *reterr);
	void (*done)(void *state);
};

/* Batches of multiples that may be under way at once: one is filled, one is
 * computed, one is used. */
#define LULL_MULTIPLES_SLOTS 3

/**
 * struct lull_multiples_want - multiples of one point
 * @group: 1 or 2
 * @base: the point, affine, Montgomery, not infinity
 * @nr: how many multiples there will be: tables are made to suit
 * @arena: what host memory is carved from
 */
struct lull_multiples_want {
	int group;
	const uint8_t *base;
	uint64_t nr;
	struct lull_arena *arena;
};

/**
 * struct lull_multiples_slot - a batch of multiples
 * @scalars: residues of 32 bytes, Montgomery, canonical; the caller fills them
 * @points: affine, Montgomery, infinity all zero
 */
struct lull_multiples_slot {
	uint8_t *scalars;
	uint8_t *points;
};

/**
 * struct lull_multiples - batches of multiples of one point, on a device
 * @batch: multiples of a batch, at most
 * @slots: in pinned memory
 */
struct lull_multiples {
	size_t batch;
	struct lull_multiples_slot slots[LULL_MULTIPLES_SLOTS];
};

/**
 * struct lull_backend_ops - a backend for one curve
 * @key_attach: place what a key needs on a device; the arrays outlive it.
 *	LULL_NOMEM with the numbers when the device's budget is too small,
 *	LULL_UNSUPPORTED for an assigned key where the backend has none.
 * @key_detach: undo it; takes NULL; works on a device that has failed
 * @scratch_bytes: of host memory, of one proof over so many threads
 * @run: begin one stage, which may still run when this returns.  A proof
 *	begins with LULL_STAGE_LOAD and, once that was LULL_OK, ends with
 *	LULL_STAGE_RETIRE, whatever failed in between; SPMV comes before H and
 *	H before MSM_H, which is the last: what a device computes with may then
 *	be another proof's.  RETIRE fails where what the proof left could not be
 *	overwritten, on a device that has not failed before.  LULL_DEVICE: the
 *	device has failed and is of no more use; its text has file, line and
 *	expression.
 *	Context: any number of proofs at once, each with its own scratch; a
 *	backend that has room for fewer lets LULL_STAGE_LOAD wait.
 * @wait: until the stages begun have ended and their points are written, then
 *	fill @spans, LULL_NR_STAGES of them; called before RETIRE.  NULL when
 *	run() ends what it begins.
 * @kernels: for `lull bench kernels`; NULL when it has none
 * @nr_kernels: how many
 * @multiples_open: tables and memory for multiples of one point.  NULL, with
 *	the three below, where the backend has none.  LULL_NOMEM with the
 *	numbers when the device's budget is too small.
 * @multiples_begin: begin points[i] = scalars[i] base for the first @nr of a
 *	slot, which is left alone until multiples_wait()
 * @multiples_wait: until a slot's points are there.  LULL_DEVICE, as with run:
 *	the device has failed.
 * @multiples_close: undo it, wiping scalars; takes NULL; works on a device that
 *	has failed.  Context: the four are called by one thread at a time.
 */
struct lull_backend_ops {
	int (*key_attach)(void *device, const struct lull_key_arrays *arrays,
			  struct lull_workers *workers, void **ret_key,
			  struct lull_error *reterr);
	void (*key_detach)(void *key);
	size_t (*scratch_bytes)(const void *key, unsigned int nr_threads);
	int (*run)(void *key, enum lull_stage stage,
		   const struct lull_stage_args *args,
		   struct lull_error *reterr);
	int (*wait)(void *key, const struct lull_stage_args *args,
		    struct lull_backend_span *spans, struct lull_error *reterr);
	const struct lull_backend_kernel *kernels;
	size_t nr_kernels;
	int (*multiples_open)(void *device,
			      const struct lull_multiples_want *want,
			      struct lull_multiples **ret_multiples,
			      struct lull_error *reterr);
	int (*multiples_begin)(struct lull_multiples *multiples,
			       unsigned int slot, size_t nr,
			       struct lull_error *reterr);
	int (*multiples_wait)(struct lull_multiples *multiples,
			      unsigned int slot, struct lull_error *reterr);
	void (*multiples_close)(struct lull_multiples *multiples);
};

/**
 * struct lull_backend_host - what a backend may call of liblull
 * @workers_run: lull_workers_run()
 * @workers_nr: lull_workers_nr()
 * @workers_split: lull_workers_split()
 * @arena_carve: lull_arena_carve()
 * @arena_retire: lull_arena_retire()
 * @arena_pinned_run: lull_arena_pinned_run()
 * @node_of_slot: lull_arena_node_of_slot() of the host's own sysfs
 */
struct lull_backend_host {
	void (*workers_run)(struct lull_workers *workers, size_t nr_tasks,
			    void (*fn)(void *arg, size_t task,
				       unsigned int slot),
			    void *arg);
	unsigned int (*workers_nr)(const struct lull_workers *workers);
	void (*workers_split)(size_t n, size_t nr_tasks, size_t task,
			      size_t grain, size_t *ret_lo, size_t *ret_hi);
	int (*arena_carve)(struct lull_arena *arena, size_t bytes,
			   unsigned int flags, const char *what,
			   struct lull_vec *ret_vec, struct lull_error *reterr);
	void (*arena_retire)(struct lull_vec *vec);
	bool (*arena_pinned_run)(struct lull_arena *arena, const void *ptr,
				 size_t bytes, size_t *ret_bytes);
	int (*node_of_slot)(const char *slot);
};

/**
 * struct lull_device_opts - how to open a device
 * @gpu: its number, below what probe() counted
 * @vram_bytes: the most of its memory to use, over all its keys; 0 for what is
 *	free, less a reserve, which is the most in any case
 * @vram_key_bytes: of that, the most for one key and its proofs; 0 for what is
 *	left
 * @host: outlives the device
 * @say: takes one line about what was decided, such as the memory plan of a
 *	key; may be NULL.  Called on the thread that attaches the key.
 * @say_arg: handed to @say
 */
struct lull_device_opts {
	unsigned int gpu;
	uint64_t vram_bytes;
	uint64_t vram_key_bytes;
	const struct lull_backend_host *host;
	void (*say)(void *arg, const char *line);
	void *say_arg;
};

/**
 * struct lull_backend_stats - what a device holds and has done
 * @used_bytes: of its memory, allocated now
 * @peak_bytes: the most that was at one time
 * @proof_bytes: of what is allocated, for each proof at a time; of the key that
 *	has most for that
 * @up_bytes: counter: copied to it
 * @down_bytes: counter: copied from it
 *
 * All 0 where proofs take host memory alone.
 */
struct lull_backend_stats {
	uint64_t used_bytes;
	uint64_t peak_bytes;
	uint64_t proof_bytes;
	uint64_t up_bytes;
	uint64_t down_bytes;
};

/**
 * struct lull_backend - one backend
 * @abi: LULL_BACKEND_ABI
 * @struct_bytes: sizeof(struct lull_backend)
 * @name: "cpu", "cuda", "null"
 * @version: of the liblull that it was built with
 * @probe: how many devices can be opened; 0 and a reason in @text
 *	(LULL_BACKEND_TEXT_BYTES) when there is none
 * @open: one device
 * @describe: a device in a few words
 * @node: the NUMA node that a device is on; LULL_ARENA_NODE_ANY where that is
 *	not known.  NULL for what is no device of its own.
 * @stats: of a device, at any time
 * @close: end a device; every key is detached before
 * @ops: the table of a curve; never NULL for a curve of the enum
 * @pin: registers an arena with all the backend's devices; called with one that
 *	is open.  NULL when none reads by DMA.
 */
struct lull_backend {
	uint32_t abi;
	uint32_t struct_bytes;
	const char *name;
	const char *version;
	unsigned int (*probe)(char *text);
	int (*open)(const struct lull_device_opts *opts, void **ret_device,
		    struct lull_error *reterr);
	const char *(*describe)(const void *device);
	int (*node)(const void *device);
	void (*stats)(void *device, struct lull_backend_stats *ret_stats);
	void (*close)(void *device);
	const struct lull_backend_ops *(*ops)(enum lull_curve curve);
	const struct lull_arena_pin_ops *pin;
};

/* The symbol of liblull_cuda.so: a const struct lull_backend. */
#define LULL_BACKEND_CUDA_LIBRARY "liblull_cuda.so"
#define LULL_BACKEND_CUDA_SYMBOL "lull_backend_cuda"

/* Those that are part of liblull. */
extern const struct lull_backend lull_backend_cpu;
extern const struct lull_backend lull_backend_null;

/* For tests: the nodes of the null backend's devices, from number 0 on, that are
 * opened from now on; of the others none is known. */
void lull_backend_null_nodes(const int *nodes, unsigned int nr);

#endif
