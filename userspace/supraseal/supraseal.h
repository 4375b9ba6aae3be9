/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supraseal.h - the C interface that bellperson calls with cuda-supraseal
 *
 * For liblull_supraseal.so, which a Filecoin host links in place of
 * supraseal-c2's own library.  Names and layouts are that crate's (0.1), as its
 * users see them; what stands behind them is lull.  Everything is of
 * BLS12-381: field elements are little-endian words in Montgomery form, points
 * affine (x, y), infinity all zero.
 *
 * Errors are returned by value: @code is 0 or an errno, @message NULL or text
 * from malloc(3), which the caller frees.
 */
#ifndef LULL_SUPRASEAL_SUPRASEAL_H
#define LULL_SUPRASEAL_SUPRASEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lull_supraseal_error {
	int code;
	char *message;
};

/* Parameters in memory: one reference to them. */
struct lull_supraseal_srs {
	void *ptr;
};

#define LULL_SUPRASEAL_FR_WORDS 4
#define LULL_SUPRASEAL_FP_WORDS 6

struct lull_supraseal_fr {
	uint64_t words[LULL_SUPRASEAL_FR_WORDS];
};

/* a and c are points of G1 and b is one of G2, x.c0, x.c1, y.c0, y.c1. */
struct lull_supraseal_proof {
	uint64_t a[2 * LULL_SUPRASEAL_FP_WORDS];
	uint64_t b[4 * LULL_SUPRASEAL_FP_WORDS];
	uint64_t c[2 * LULL_SUPRASEAL_FP_WORDS];
};

/**
 * struct lull_supraseal_assignment - one circuit's share
 * @a_aux_density: bit i % 64 of word i / 64: private variable i is in A
 * @a_aux_bit_len: @aux_assignment_size
 * @a_aux_popcount: bits set
 * @b_inp_density: of inputs in B
 * @b_inp_bit_len: @inp_assignment_size
 * @b_inp_popcount: bits set
 * @b_aux_density: of private variables in B
 * @b_aux_bit_len: @aux_assignment_size
 * @b_aux_popcount: bits set
 * @a: evaluations of A
 * @b: of B
 * @c: of C
 * @abc_size: of each
 * @inp_assignment_data: values of the inputs, the constant one first
 * @inp_assignment_size: how many
 * @aux_assignment_data: values of the private variables
 * @aux_assignment_size: how many
 */
struct lull_supraseal_assignment {
	const uint64_t *a_aux_density;
	size_t a_aux_bit_len;
	size_t a_aux_popcount;
	const uint64_t *b_inp_density;
	size_t b_inp_bit_len;
	size_t b_inp_popcount;
	const uint64_t *b_aux_density;
	size_t b_aux_bit_len;
	size_t b_aux_popcount;
	const struct lull_supraseal_fr *a, *b, *c;
	size_t abc_size;
	const struct lull_supraseal_fr *inp_assignment_data;
	size_t inp_assignment_size;
	const struct lull_supraseal_fr *aux_assignment_data;
	size_t aux_assignment_size;
};

/**
 * create_SRS - read a parameters file
 * @ret: receives a reference; end it with drop_SRS()
 * @path: the file
 * @cache: give the one that an earlier call with @cache read from that path,
 *	and keep this one for later calls
 *
 * Without a GPU this fails with ENODEV, "No CUDA devices available", unless
 * LULL_BACKEND is cpu or auto.
 *
 * Context: any thread; one file is read at a time.  The other functions never
 * wait for that.
 * Return: an error; what @ret holds is then as it was.
 */
struct lull_supraseal_error create_SRS(struct lull_supraseal_srs *ret,
				       const char *path, bool cache);

/* Forgets the path, so that the next create_SRS() reads it again. */
void evict_SRS(const struct lull_supraseal_srs *ref);

/* Ends a reference; the last one gives the memory back.  Takes an empty one. */
void drop_SRS(struct lull_supraseal_srs *ref);

/* One more reference to the same. */
struct lull_supraseal_srs clone_SRS(const struct lull_supraseal_srs *ref);

/**
 * generate_groth16_proofs_c - a proof for each circuit
 * @provers: @num_circuits of them
 * @num_circuits: how many
 * @r_s: blinding scalars, one a circuit; NULL with @s_s for fresh ones
 * @s_s: the others
 * @proofs: @num_circuits; written when all are made
 * @srs: the parameters
 *
 * Every proof is verified before it is returned.  A circuit whose r and s are
 * both zero is refused.
 *
 * Context: any thread.  Circuits of all callers are served in the order that they
 * came, two at a time on a GPU, for which a call starts a thread beside its own,
 * and one on the CPU.
 * Return: an error that names the first circuit that failed.
 */
struct lull_supraseal_error
generate_groth16_proofs_c(const struct lull_supraseal_assignment *provers,
			  size_t num_circuits,
			  const struct lull_supraseal_fr *r_s,
			  const struct lull_supraseal_fr *s_s,
			  struct lull_supraseal_proof *proofs,
			  const struct lull_supraseal_srs *srs);

#ifdef __cplusplus
}
#endif

#endif
