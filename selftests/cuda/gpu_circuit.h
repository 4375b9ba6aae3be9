/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_circuit.h - circuits that are made for a test, and proofs of them
 */
#ifndef LULL_SELFTESTS_CUDA_GPU_CIRCUIT_H
#define LULL_SELFTESTS_CUDA_GPU_CIRCUIT_H

#include "gpu_ctx.h"

struct circuit {
	char key[PATH_BYTES];
	char wtns[PATH_BYTES];
};

static inline bool make_key(struct lull_ctx *cpu, const char *shape, const char *curve,
		     unsigned int log2, struct circuit *circuit)
{
	char r1cs[PATH_BYTES], name[64];

	snprintf(name, sizeof(name), "%s-%s-%u.zkey", curve, shape, log2);
	scratch_path(circuit->key, name);
	return make_circuit(shape, curve, log2, r1cs, circuit->wtns) &&
	       !lull_key_generate_toxic(cpu, r1cs, circuit->key, NULL);
}

/* proof.json for the given r and s; empty when it fails. */
static inline void prove_text(struct lull_ctx *ctx, const struct lull_key *key,
		       const struct lull_wtns *wtns, const uint8_t *r,
		       const uint8_t *s, char text[TEXT_BYTES])
{
	struct lull_proof *proof = NULL;
	struct lull_error error = { 0 };

	text[0] = '\0';
	if (lull_prove_blinded(ctx, key, wtns, NULL, r, s, &proof, &error))
		TEST_FAIL_("%s", error.msg);
	else
		lull_proof_json(proof, text, TEXT_BYTES);
	lull_proof_free(proof);
}

static inline void draw_scalar(uint8_t scalar[LULL_FR_BYTES])
{
	size_t i;

	for (i = 0; i < LULL_FR_BYTES; i++)
		scalar[i] = (uint8_t)(test_random() >> 32);
	scalar[LULL_FR_BYTES - 1] &= 0xf; /* below r on both curves */
}

#endif
