// SPDX-License-Identifier: Apache-2.0
/*
 * stage.c - the names behind stage.h
 */
#include "base/stage.h"

#include "base/base.h"

const char *lull_stage_name(enum lull_stage stage)
{
	static const char *const names[LULL_NR_STAGES] = {
		[LULL_STAGE_LOAD] = "load",
		[LULL_STAGE_SPMV] = "spmv",
		[LULL_STAGE_H] = "h",
		[LULL_STAGE_MSM_A] = "msm_a",
		[LULL_STAGE_MSM_B1] = "msm_b1",
		[LULL_STAGE_MSM_B2] = "msm_b2",
		[LULL_STAGE_MSM_L] = "msm_l",
		[LULL_STAGE_MSM_H] = "msm_h",
		[LULL_STAGE_ASSEMBLE] = "assemble",
		[LULL_STAGE_CHECK] = "check",
		[LULL_STAGE_RETIRE] = "retire",
	};

	assert(stage < LULL_NR_STAGES);
	return names[stage];
}
