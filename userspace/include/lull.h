/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lull.h - the public interface of liblull, a Groth16 prover
 *
 * Every function that can fail returns LULL_OK or a negative enum lull_status
 * and takes a struct lull_error as its last argument, which it fills on
 * failure only and which may be NULL.  Outputs are written on success only.
 * The library never prints and never exits.  A member size is exactly that of
 * this version, or LULL_USAGE: more would ask for what is not known here (struct
 * lull_ctx_opts alone may be older, or have zeros behind it).
 *
 * Of the paths that files are written to, one that names a descriptor of the
 * process (/dev/stdout, /dev/fd/5) is that descriptor, written to from where it
 * stands, and one that is a device or a pipe is written to directly.
 */
#ifndef LULL_H
#define LULL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this header; lull_version() is the library's. */
#define LULL_VERSION "0.1.0"

#define LULL_API __attribute__((visibility("default")))

/**
 * enum lull_status - what every function returns
 * @LULL_OK: done
 * @LULL_NOMEM: memory could not be had
 * @LULL_IO: the system refused a read, a write or an open; sys_errno is set
 * @LULL_FORMAT: a file is not what its format says
 * @LULL_RANGE: a value, an index or a point is outside its range
 * @LULL_MISMATCH: two inputs do not belong together
 * @LULL_UNSATISFIED: the witness does not satisfy the circuit
 * @LULL_INVALID: the proof does not verify
 * @LULL_UNSUPPORTED: well-formed, but not something this build can do
 * @LULL_USAGE: the caller's arguments contradict the interface
 * @LULL_INTERNAL: a check of our own failed; report it
 * @LULL_DEVICE: a GPU, or the driver of one, failed
 * @LULL_CANCELED: somebody asked for that
 */
enum lull_status {
	LULL_OK = 0,
	LULL_NOMEM = -1,
	LULL_IO = -2,
	LULL_FORMAT = -3,
	LULL_RANGE = -4,
	LULL_MISMATCH = -5,
	LULL_UNSATISFIED = -6,
	LULL_INVALID = -7,
	LULL_UNSUPPORTED = -8,
	LULL_USAGE = -9,
	LULL_INTERNAL = -10,
	LULL_DEVICE = -11,
	LULL_CANCELED = -12,
};

/**
 * struct lull_error - why a call failed
 * @code: the enum lull_status that the call returned
 * @sys_errno: errno of the system call behind it, or 0
 * @msg: one line for a person: file, section, offset, expected and found
 */
struct lull_error {
	int code;
	int sys_errno;
	char msg[256];
};

/**
 * enum lull_curve - the pairing-friendly curves
 * @LULL_CURVE_BN254: snarkjs's "bn128"
 * @LULL_CURVE_BLS12_381: snarkjs's "bls12381"
 */
enum lull_curve {
	LULL_CURVE_BN254 = 1,
	LULL_CURVE_BLS12_381 = 2,
};

struct lull_ctx;
struct lull_key;
struct lull_wtns;
struct lull_proof;

/**
 * lull_version - version of the library that runs
 *
 * Return: text such as "0.1.0", static.
 */
LULL_API const char *lull_version(void);

/**
 * lull_status_str - a code in words
 * @status: an enum lull_status
 *
 * Return: static text; never NULL.
 */
LULL_API const char *lull_status_str(int status);

/**
 * struct lull_ctx_opts - how a context works
 * @size: sizeof(struct lull_ctx_opts)
 * @nr_threads: threads that work on one proof; 0 for one a usable CPU
 * @warn: called with one line for each thing worth knowing that is no error
 *	(trailing bytes, a key from a known trapdoor, a device that is left out);
 *	may be NULL.  Called on the thread that called into the library, and by
 *	a pipeline on threads of its own, several at once where several devices
 *	fail.
 * @warn_arg: handed to @warn
 * @say: called with one line for each thing that was decided: which backend
 *	was taken and why, how a device's memory is shared out, which arena and
 *	which loader was taken and why no better one, on which NUMA node they
 *	and each GPU are; may be NULL.  Called as @warn is.
 * @say_arg: handed to @say
 * @backend: who computes: "cpu", "cuda", "null" (which computes nothing, for
 *	measuring), "auto" for cuda where it works and else the CPU; NULL for
 *	"cpu"
 * @fallback_cpu: not 0: the CPU takes over when no device is left, and
 *	lull_proof_backend() says so
 * @gpus: numbers of the GPUs to use; a proof runs on one of them, each has a
 *	copy of the key
 * @nr_gpus: how many; 0 for the first alone
 * @vram_bytes: the most device memory to use, on each GPU; 0 for what is free,
 *	less a reserve of 512 MiB, and never more than that
 * @arena: where memory comes from: "module", "hugetlb", "thp", and for
 *	comparison "malloc" or "malloc-serial"; NULL or "auto" for the best
 *	that works
 * @arena_bytes: more memory than this is never held; 0 for no bound
 * @loader: how files are read: "uring", "pread", "mmap"; NULL or "auto" for
 *	io_uring where it works and the file is neither small nor in the page
 *	cache, and else pread(2) by several threads
 * @vram_key_bytes: of @vram_bytes, the most that one key takes with its proofs,
 *	on each GPU; 0 for all that other keys have left.  A key puts to use
 *	what it may take, to be faster: for several keys in one context this is
 *	a share
 *
 * No field says the NUMA node: lull_ctx_create() has how it is chosen, which a
 * caller does by the CPUs or the memory policy of its thread.
 *
 * A caller built against an older version, with fewer fields, is understood.
 */
struct lull_ctx_opts {
	size_t size;
	unsigned int nr_threads;
	void (*warn)(void *arg, const char *msg);
	void *warn_arg;
	void (*say)(void *arg, const char *msg);
	void *say_arg;
	const char *backend;
	int fallback_cpu;
	const unsigned int *gpus;
	unsigned int nr_gpus;
	uint64_t vram_bytes;
	const char *arena;
	size_t arena_bytes;
	const char *loader;
	uint64_t vram_key_bytes;
};

/**
 * lull_ctx_create - threads and what else proofs share
 * @opts: NULL for the defaults
 * @ret_ctx: owned by the caller; end it with lull_ctx_destroy()
 * @reterr: filled on failure
 *
 * Keys, witnesses and what proofs need lie in the context's arena: memory that
 * is kept when it is given back, so that from the second proof of a key on
 * nothing is mapped, faulted, zeroed or unmapped.  lull_ctx_stats() counts.
 *
 * Memory comes from one NUMA node, and threads that read files run on its CPUs:
 * that of the CPUs that the calling thread may use, if these are of one, as on a
 * host of one node; else, if the calling thread has no memory policy either, that
 * of the first GPU that is used, if it is known; else none in particular.  GPUs
 * on other nodes read across: there is one arena.  Threads that compute run
 * wherever they may.
 *
 * Context: a context may be used from several threads at once; their proofs
 * share its workers.
 * Return: LULL_OK, LULL_NOMEM, LULL_IO, LULL_USAGE, LULL_UNSUPPORTED when the
 * backend is not to be had or the host has no such arena, or LULL_DEVICE.
 */
LULL_API int lull_ctx_create(const struct lull_ctx_opts *opts,
			     struct lull_ctx **ret_ctx,
			     struct lull_error *reterr);

/**
 * lull_ctx_destroy - end a context; every key of it is closed before
 * @ctx: may be NULL
 */
LULL_API void lull_ctx_destroy(struct lull_ctx *ctx);

/**
 * struct lull_ctx_stats - what a context's arena holds and has done
 * @size: sizeof(struct lull_ctx_stats), set by the caller
 * @arena: "module (2 MiB, node 0)" or the like
 * @held_bytes: memory that it has
 * @used_bytes: of it in use
 * @used_bytes_max: the most that this was
 * @pinned_bytes: registered with a device
 * @nr_carves: blocks that were taken
 * @faulted_bytes: memory faulted in
 * @zeroed_bytes: memory zeroed, by the kernel for that or for a block that
 *	had to be
 * @wiped_bytes: secrets overwritten as they were given back
 * @retired_bytes: memory given back that the kernel may take
 * @kept_bytes: memory used again that it had not taken
 * @fresh_bytes: memory used again that it had
 * @unmapped_bytes: memory given back to the system
 * @flushes: calls, and runs of the module, that flush the TLBs of other CPUs
 * @munmaps: of them munmap(2)
 * @registered_bytes: memory registered with a device, each time again
 *
 * From @nr_carves on all are counters, which only rise.
 */
struct lull_ctx_stats {
	size_t size;
	char arena[64];
	uint64_t held_bytes;
	uint64_t used_bytes;
	uint64_t used_bytes_max;
	uint64_t pinned_bytes;
	uint64_t nr_carves;
	uint64_t faulted_bytes;
	uint64_t zeroed_bytes;
	uint64_t wiped_bytes;
	uint64_t retired_bytes;
	uint64_t kept_bytes;
	uint64_t fresh_bytes;
	uint64_t unmapped_bytes;
	uint64_t flushes;
	uint64_t munmaps;
	uint64_t registered_bytes;
};

/**
 * lull_ctx_stats - copy a context's counters
 * @ctx: the context
 * @stats: @stats->size set by the caller; the rest is written
 * @reterr: filled on failure
 *
 * Return: LULL_OK, or LULL_USAGE for another size.
 */
LULL_API int lull_ctx_stats(struct lull_ctx *ctx, struct lull_ctx_stats *stats,
			    struct lull_error *reterr);

/**
 * lull_ctx_backend - who computes, and why
 * @ctx: the context
 *
 * Return: a line for people, such as "cuda: GPU 0, NVIDIA H200"; lives as long
 * as @ctx.
 */
LULL_API const char *lull_ctx_backend(const struct lull_ctx *ctx);

/**
 * lull_ctx_device_peak_bytes - the most device memory allocated at one time
 * @ctx: the context
 *
 * Return: of the device that used most; 0 for the CPU.
 */
LULL_API uint64_t lull_ctx_device_peak_bytes(const struct lull_ctx *ctx);

/**
 * struct lull_device_stats - what a context's devices hold and have done
 * @size: sizeof(struct lull_device_stats), set by the caller
 * @nr_devices: that it was opened with
 * @used_bytes: memory allocated now, of the device that has most
 * @peak_bytes: the most that was at one time, likewise
 * @proof_bytes: of it for one proof at a time, of the key that has most for that
 * @up_bytes: copied to devices
 * @down_bytes: copied from them
 * @busy_ns: some stage ran, by the devices' own clocks; of several devices the
 *	sum
 *
 * From @up_bytes on all are counters.  All but @nr_devices are 0 for the CPU.
 */
struct lull_device_stats {
	size_t size;
	uint64_t nr_devices;
	uint64_t used_bytes;
	uint64_t peak_bytes;
	uint64_t proof_bytes;
	uint64_t up_bytes;
	uint64_t down_bytes;
	uint64_t busy_ns;
};

/**
 * lull_ctx_device_stats - copy what is counted of devices
 * @ctx: the context
 * @stats: @stats->size set by the caller; the rest is written
 * @reterr: filled on failure
 *
 * Return: LULL_OK, or LULL_USAGE for another size.
 */
LULL_API int lull_ctx_device_stats(const struct lull_ctx *ctx,
				   struct lull_device_stats *stats,
				   struct lull_error *reterr);

/**
 * lull_key_open - read a Groth16 .zkey or .lkey and check it
 * @ctx: the context; outlives the key
 * @path: the file; free to change once this has returned
 * @ret_key: owned by the caller; end it with lull_key_close()
 * @reterr: filled on failure
 *
 * Checks every section, size, index and coefficient, of a .lkey the hashes, too,
 * and that every point has canonical coordinates and lies on its curve;
 * lull_key_check() adds the subgroups.  A file that changes while it is read is
 * refused with LULL_IO.
 *
 * Context: any thread.  An open key is read-only and may be used by any
 * number of proofs at once.
 * Return: LULL_OK, LULL_IO, LULL_FORMAT, LULL_RANGE, LULL_UNSUPPORTED or
 * LULL_NOMEM.
 */
LULL_API int lull_key_open(struct lull_ctx *ctx, const char *path,
			   struct lull_key **ret_key,
			   struct lull_error *reterr);

/**
 * lull_key_open_mem - the same for a key in the caller's memory
 * @ctx: the context; outlives the key
 * @data: the bytes of a .zkey or .lkey, at any alignment; outlive the key
 * @bytes: how many
 * @ret_key: owned by the caller; end it with lull_key_close()
 * @reterr: filled on failure
 *
 * Return: as lull_key_open().
 */
LULL_API int lull_key_open_mem(struct lull_ctx *ctx, const void *data,
			       size_t bytes, struct lull_key **ret_key,
			       struct lull_error *reterr);

/**
 * lull_key_close - give a key's memory back; no proof on it may be under way
 * @key: may be NULL
 */
LULL_API void lull_key_close(struct lull_key *key);

/**
 * struct lull_key_info - what a key is for
 * @size: sizeof(struct lull_key_info), set by the caller
 * @curve: an enum lull_curve
 * @nr_vars: wires, the constant one among them
 * @nr_public: public signals, without the constant one
 * @domain_size: a power of two
 * @nr_coefs: entries of the matrices A and B
 * @nr_contributions: to the ceremony's second phase
 * @nr_inf_a: points at infinity in section 5 (A)
 * @nr_inf_b1: in section 6 (B1)
 * @nr_inf_b2: in section 7 (B2)
 * @nr_inf_l: in section 8 (snarkjs's C, a .lkey's L)
 * @toxic: not 0: made from a known trapdoor, insecure, for tests only
 * @native: not 0: a .lkey
 * @folded: not 0: a .lkey into whose points C is folded
 * @file_bytes: size of the file
 */
struct lull_key_info {
	size_t size;
	int curve;
	uint32_t nr_vars;
	uint32_t nr_public;
	uint32_t domain_size;
	uint32_t nr_coefs;
	uint32_t nr_contributions;
	uint32_t nr_inf_a;
	uint32_t nr_inf_b1;
	uint32_t nr_inf_b2;
	uint32_t nr_inf_l;
	int toxic;
	int native;
	int folded;
	uint64_t file_bytes;
};

/**
 * lull_key_info - describe an open key
 * @key: the key
 * @info: @info->size set by the caller; the rest is written
 * @reterr: filled on failure
 *
 * Return: LULL_OK, or LULL_USAGE for another size.
 */
LULL_API int lull_key_info(const struct lull_key *key,
			   struct lull_key_info *info,
			   struct lull_error *reterr);

/**
 * lull_key_check - the checks that are too slow for every open
 * @key: the key
 * @reterr: filled on failure
 *
 * Every point of every section is in the subgroup of order r.
 *
 * Return: LULL_OK or LULL_RANGE.
 */
LULL_API int lull_key_check(const struct lull_key *key,
			    struct lull_error *reterr);

/**
 * lull_key_vkey_write - write the key's verification_key.json
 * @key: the key
 * @path: appears whole or not at all
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_USAGE when @path is the key itself, or
 * LULL_NOMEM.
 */
LULL_API int lull_key_vkey_write(const struct lull_key *key, const char *path,
				 struct lull_error *reterr);

/**
 * lull_key_generate_toxic - a key from a known trapdoor, for tests only
 * @ctx: whose threads and devices to use
 * @r1cs_path: the circuit
 * @zkey_path: appears whole or not at all
 * @reterr: filled on failure
 *
 * The key is marked as insecure inside the file.  Points are made on the context's
 * device where it can; the key does not depend on that.  Takes 32 bytes a row and
 * 96 a wire; where the machine has less, or a memory cgroup leaves less, LULL_NOMEM.
 *
 * Return: LULL_OK, LULL_NOMEM, LULL_DEVICE, or any code of reading and writing
 * files.
 */
LULL_API int lull_key_generate_toxic(struct lull_ctx *ctx,
				     const char *r1cs_path,
				     const char *zkey_path,
				     struct lull_error *reterr);

/* A, B and C. */
#define LULL_TOXIC_MATRICES 3

/**
 * struct lull_toxic_lc - one linear combination
 * @nr_terms: at most 65535
 * @wires: of each term
 * @coefs: its coefficient's number
 */
struct lull_toxic_lc {
	uint32_t nr_terms;
	const uint32_t *wires;
	const uint16_t *coefs;
};

/**
 * struct lull_toxic_row - one constraint: <A, w> <B, w> = <C, w>
 * @lcs: A, B and C
 * @nr_wires: wires that there are by now, the constant one among them; at least
 *	as many as in the row before.  The last row's are the circuit's
 */
struct lull_toxic_row {
	struct lull_toxic_lc lcs[LULL_TOXIC_MATRICES];
	uint32_t nr_wires;
};

/**
 * struct lull_toxic_circuit - a circuit that is given row by row
 * @size: sizeof(struct lull_toxic_circuit), set by the caller
 * @name: what messages call it
 * @curve: an enum lull_curve
 * @nr_wires: wires before the first row: the constant one and inputs
 * @nr_public: wires 1 .. @nr_public are public
 * @nr_values: coefficients, at most 65535
 * @values: of each 32 bytes: plain, little-endian, below the curve's r
 * @next: fills in the next row, which is used until it is called again; 0
 *	behind the last
 * @arg: handed to @next
 */
struct lull_toxic_circuit {
	size_t size;
	const char *name;
	enum lull_curve curve;
	uint32_t nr_wires;
	uint32_t nr_public;
	uint32_t nr_values;
	const uint8_t *values;
	int (*next)(void *arg, struct lull_toxic_row *ret_row);
	void *arg;
};

/**
 * struct lull_toxic_opts - how to make a native key
 * @size: sizeof(struct lull_toxic_opts), set by the caller
 * @fold_c: not 0: with C folded in, as struct lull_convert_opts has it; costs
 *	nothing here
 * @beside_bytes: room that must be left on the key's file system: for what the
 *	caller is going to write there
 * @seed: 32 bytes that give the same key every time, for tests of the generator;
 *	NULL for random ones
 */
struct lull_toxic_opts {
	size_t size;
	int fold_c;
	uint64_t beside_bytes;
	const uint8_t *seed;
};

/**
 * lull_key_generate_toxic_native - the .lkey of a circuit that has no file
 * @ctx: whose threads and devices to use
 * @circuit: asked for each of its rows once, by the calling thread
 * @lkey_path: appears whole or not at all
 * @opts: may be NULL
 * @reterr: filled on failure
 *
 * Writes the bytes that lull_key_convert() would make of what
 * lull_key_generate_toxic() makes of the circuit, from the same trapdoor, without
 * the files between.  Holds 6 bytes a term and a row, one number a row and three
 * a wire.  Room is asked for before anything is written.
 *
 * Return: as lull_key_generate_toxic(), or LULL_RANGE or LULL_UNSUPPORTED when
 * a row, or the circuit, is none.
 */
LULL_API int lull_key_generate_toxic_native(
	struct lull_ctx *ctx, const struct lull_toxic_circuit *circuit,
	const char *lkey_path, const struct lull_toxic_opts *opts,
	struct lull_error *reterr);

/**
 * struct lull_convert_opts - how to convert a key
 * @size: sizeof(struct lull_convert_opts), set by the caller
 * @r1cs_path: the circuit, which must be the key's; may be NULL
 * @fold_c: not 0: fold the circuit's matrix C into the key, so that proofs need
 *	four transforms instead of six; needs @r1cs_path and takes some
 *	n log2 n multiples of points, n the domain's size
 * @progress: called by the calling thread with what is being done, as step
 *	@nr_done of @nr_all (0 when that is not known); may be NULL
 * @progress_arg: handed to it
 *
 * For n rows, w wires and points of g = 64 (BN254) or 96 bytes it takes some MiB a
 * thread, for a small key of fewer threads, and: with a circuit 108 w + 116 n, to
 * fold C the larger of that and 2 g w + g n; beside that, 48 a coefficient and 4 n
 * for a .zkey whose coefficients are not sorted, 108 n and 3/8 w for bellman's
 * parameters.
 * &struct lull_ctx_opts.say hears the need before it begins, and what is more than
 * the machine, swap included, the context's arena or a memory cgroup leaves is
 * refused with LULL_NOMEM.
 */
struct lull_convert_opts {
	size_t size;
	const char *r1cs_path;
	int fold_c;
	void (*progress)(void *arg, const char *what, unsigned int nr_done,
			 unsigned int nr_all);
	void *progress_arg;
};

/**
 * lull_key_convert - make a .lkey of a .zkey
 * @ctx: whose memory and threads to use
 * @zkey_path: the key; not to be written to meanwhile
 * @lkey_path: appears whole or not at all
 * @opts: may be NULL
 * @reterr: filled on failure
 *
 * Every point is checked as by lull_key_check().  Proofs under a .lkey are
 * those under the key it comes from, byte for byte for the same blinding.
 *
 * Return: LULL_OK, LULL_RANGE for a point, LULL_MISMATCH for a circuit that is
 * not the key's, or any code of reading and writing files.
 */
LULL_API int lull_key_convert(struct lull_ctx *ctx, const char *zkey_path,
			      const char *lkey_path,
			      const struct lull_convert_opts *opts,
			      struct lull_error *reterr);

/**
 * struct lull_circuit_info - what an .r1cs holds
 * @size: sizeof(struct lull_circuit_info), set by the caller
 * @curve: an enum lull_curve
 * @nr_wires: the constant one among them
 * @nr_outputs: public outputs
 * @nr_public_inputs: public inputs
 * @nr_private_inputs: private inputs
 * @nr_constraints: all
 * @nr_linear: those whose A or B is empty
 * @nr_terms: entries of A, B and C together
 * @nr_labels: signals before optimisation
 * @domain_size: of a key for it
 */
struct lull_circuit_info {
	size_t size;
	int curve;
	uint32_t nr_wires;
	uint32_t nr_outputs;
	uint32_t nr_public_inputs;
	uint32_t nr_private_inputs;
	uint32_t nr_constraints;
	uint32_t nr_linear;
	uint64_t nr_terms;
	uint64_t nr_labels;
	uint64_t domain_size;
};

/**
 * lull_circuit_info - read and check an .r1cs
 * @path: the file
 * @info: @info->size set by the caller; the rest is written
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_FORMAT, LULL_RANGE or LULL_UNSUPPORTED.
 */
LULL_API int lull_circuit_info(const char *path, struct lull_circuit_info *info,
			       struct lull_error *reterr);

/**
 * lull_wtns_open - read a .wtns and check it
 * @ctx: whose memory, threads and warnings to use; outlives the witness
 * @path: the file; free to change once this has returned
 * @ret_wtns: owned by the caller; end it with lull_wtns_close()
 * @reterr: filled on failure
 *
 * Checks sizes, w[0] = 1 and that every value is below r.  Beside the values two
 * bits are kept for each: whether it is 0, 1 or another.
 *
 * Return: LULL_OK, LULL_IO, LULL_FORMAT, LULL_RANGE or LULL_NOMEM.
 */
LULL_API int lull_wtns_open(struct lull_ctx *ctx, const char *path,
			    struct lull_wtns **ret_wtns,
			    struct lull_error *reterr);

/**
 * lull_wtns_open_mem - the same for a witness in the caller's memory
 * @ctx: whose memory, threads and warnings to use; outlives the witness
 * @data: the bytes of a .wtns, at any alignment; outlive the witness
 * @bytes: how many
 * @ret_wtns: owned by the caller; end it with lull_wtns_close()
 * @reterr: filled on failure
 *
 * Return: as lull_wtns_open().
 */
LULL_API int lull_wtns_open_mem(struct lull_ctx *ctx, const void *data,
				size_t bytes, struct lull_wtns **ret_wtns,
				struct lull_error *reterr);

/**
 * lull_wtns_close - give a witness's memory back, wiped if it was read; no
 *	proof from it may be under way
 * @wtns: may be NULL
 */
LULL_API void lull_wtns_close(struct lull_wtns *wtns);

/**
 * lull_wtns_check - does a witness satisfy a circuit?
 * @wtns: the witness
 * @r1cs_path: the circuit
 * @reterr: filled on failure; names the first unsatisfied constraint
 *
 * Return: LULL_OK, LULL_UNSATISFIED, LULL_MISMATCH when curve or number of
 * wires differ, or the codes of reading an .r1cs.
 */
LULL_API int lull_wtns_check(const struct lull_wtns *wtns,
			     const char *r1cs_path, struct lull_error *reterr);

/* The pairing check before a proof is returned is left out. */
#define LULL_PROVE_NO_VERIFY 1u

/**
 * struct lull_prove_opts - how to prove
 * @size: sizeof(struct lull_prove_opts)
 * @flags: LULL_PROVE_*
 * @progress: called as each stage begins, with its name; may be NULL.  Called
 *	on the thread that called lull_prove().
 * @progress_arg: handed to @progress
 */
struct lull_prove_opts {
	size_t size;
	unsigned int flags;
	void (*progress)(void *arg, const char *stage);
	void *progress_arg;
};

/**
 * lull_prove - make a proof and check it
 * @ctx: whose threads to use
 * @key: the circuit's key
 * @wtns: a full assignment of its wires
 * @opts: NULL for the defaults
 * @ret_proof: owned by the caller; end it with lull_proof_free()
 * @reterr: filled on failure
 *
 * Blocks.  r and s come from getrandom(2) and are wiped.  Before it returns,
 * the proof is verified against the key and the witness's public signals.
 *
 * Context: any thread; any number of proofs at once on one key.
 * Return: LULL_OK, LULL_MISMATCH when curve or number of wires differ,
 * LULL_UNSATISFIED when the proof does not verify, LULL_NOMEM, LULL_IO, or
 * LULL_DEVICE when no device is left.
 */
LULL_API int lull_prove(struct lull_ctx *ctx, const struct lull_key *key,
			const struct lull_wtns *wtns,
			const struct lull_prove_opts *opts,
			struct lull_proof **ret_proof,
			struct lull_error *reterr);

/**
 * lull_proof_free - free a proof
 * @proof: may be NULL
 */
LULL_API void lull_proof_free(struct lull_proof *proof);

/**
 * lull_proof_backend - who computed it
 * @proof: the proof
 *
 * Return: a line for people, such as "cuda: GPU 0, NVIDIA H200", which begins
 * with "cpu (fallback: " where the CPU took over; lives as long as @proof.
 */
LULL_API const char *lull_proof_backend(const struct lull_proof *proof);

/**
 * lull_proof_json - the proof as snarkjs writes it
 * @proof: the proof
 * @buf: receives the text and a final NUL; may be NULL when @bytes is 0
 * @bytes: size of @buf
 *
 * Return: bytes of the text without the NUL; when that is @bytes or more,
 * @buf is not written.
 */
LULL_API size_t lull_proof_json(const struct lull_proof *proof, char *buf,
				size_t bytes);

/**
 * lull_public_json - the public signals as snarkjs writes them
 * @proof: the proof
 * @buf: receives the text and a final NUL; may be NULL when @bytes is 0
 * @bytes: size of @buf
 *
 * Return: as lull_proof_json().
 */
LULL_API size_t lull_public_json(const struct lull_proof *proof, char *buf,
				 size_t bytes);

/**
 * lull_proof_write - write proof.json and public.json
 * @proof: the proof
 * @proof_path: appears whole or not at all
 * @public_path: likewise; both files are complete before either is renamed
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO, LULL_NOMEM, or LULL_USAGE when the two are one
 * file.
 */
LULL_API int lull_proof_write(const struct lull_proof *proof,
			      const char *proof_path, const char *public_path,
			      struct lull_error *reterr);

/**
 * struct lull_stage_time - one stage of one proof
 * @name: load, spmv, h, msm_a, msm_b1, msm_b2, msm_l, msm_h, assemble, check
 *	or retire
 * @start_ns: since the call of lull_prove()
 * @ns: how long it took
 */
struct lull_stage_time {
	const char *name;
	uint64_t start_ns;
	uint64_t ns;
};

/**
 * lull_proof_stages - where a proof's time went
 * @proof: the proof
 * @ret_nr: how many stages; may be NULL
 *
 * Return: the stages in the order they ran; lives as long as @proof.
 */
LULL_API const struct lull_stage_time *
lull_proof_stages(const struct lull_proof *proof, unsigned int *ret_nr);

/**
 * lull_verify - is a proof valid?
 * @vkey_path: verification_key.json
 * @public_path: public.json
 * @proof_path: proof.json, snarkjs's or rapidsnark's
 * @reterr: filled on failure
 *
 * Every point is checked to lie in its subgroup, every public signal to be
 * below r, and their number to be the key's.
 *
 * Return: LULL_OK when valid, LULL_INVALID when not, otherwise what is wrong
 * with the files.
 */
LULL_API int lull_verify(const char *vkey_path, const char *public_path,
			 const char *proof_path, struct lull_error *reterr);

#ifdef __cplusplus
}
#endif

#include "lull_bellman.h"

#endif
