/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof_trace.h - the trace of one proof that no pipeline makes
 *
 * For `lull prove --trace`.  Nothing is recorded while the proof is computed
 * but numbers, as each stage begins: when its stages ran the proof says itself,
 * afterwards.
 */
#ifndef LULL_BENCH_PROOF_TRACE_H
#define LULL_BENCH_PROOF_TRACE_H

#include <stdint.h>

#include "lull.h"

struct lull_proof_trace;

/* Begins now.  LULL_OK or LULL_NOMEM; the caller ends it. */
int lull_proof_trace_begin(struct lull_proof_trace **ret_trace,
			   struct lull_error *reterr);

/* Takes NULL, as all of these do, and then does nothing. */
void lull_proof_trace_end(struct lull_proof_trace *trace);

/* The witness, and then the key, have been read since @start_ns. */
void lull_proof_trace_witness(struct lull_proof_trace *trace,
			      uint64_t start_ns);
void lull_proof_trace_key(struct lull_proof_trace *trace, uint64_t start_ns);

/* A stage begins: samples what the context and the host count.  The first call
 * is taken for the beginning of the proof. */
void lull_proof_trace_stage(struct lull_proof_trace *trace,
			    struct lull_ctx *ctx);

/**
 * lull_proof_trace_write - write it
 * @trace: the trace
 * @ctx: of the proof
 * @proof: whose stages these were
 * @path: appears whole or not at all
 * @reterr: filled on failure
 *
 * Return: LULL_OK, LULL_IO or LULL_NOMEM.
 */
int lull_proof_trace_write(struct lull_proof_trace *trace, struct lull_ctx *ctx,
			   const struct lull_proof *proof, const char *path,
			   struct lull_error *reterr);

#endif
