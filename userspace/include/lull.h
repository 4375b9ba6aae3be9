/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lull.h - the public interface of liblull, a Groth16 prover
 *
 * Every function that can fail returns LULL_OK or a negative enum lull_status
 * and takes a struct lull_error as its last argument, which it fills on
 * failure only and which may be NULL.  Outputs are written on success only.
 * The library never prints and never exits.
 */
#ifndef LULL_H
#define LULL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
