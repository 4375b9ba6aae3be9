/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage.h - the stages of a proof, one list for spans, rows and messages
 */
#ifndef LULL_BASE_STAGE_H
#define LULL_BASE_STAGE_H

enum lull_stage {
	LULL_STAGE_LOAD,     /* key and witness are where compute reads them */
	LULL_STAGE_SPMV,     /* a = A w, b = B w */
	LULL_STAGE_H,	     /* the quotient on the coset */
	LULL_STAGE_MSM_A,    /* sum w_i A_i in G1 */
	LULL_STAGE_MSM_B1,   /* sum w_i B_i in G1 */
	LULL_STAGE_MSM_B2,   /* sum w_i B_i in G2 */
	LULL_STAGE_MSM_L,    /* sum of the private w_i L_i in G1 */
	LULL_STAGE_MSM_H,    /* sum h_i H_i in G1 */
	LULL_STAGE_ASSEMBLE, /* blinding and the last additions */
	LULL_STAGE_CHECK,    /* the pairing check */
	LULL_STAGE_RETIRE,   /* memory goes back */
	LULL_NR_STAGES,
};

/* "load", "spmv", ... */
const char *lull_stage_name(enum lull_stage stage);

#endif
