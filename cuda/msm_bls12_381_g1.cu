// SPDX-License-Identifier: Apache-2.0
/* msm_bls12_381_g1.cu - multi-scalar multiplication over this group */
#include "msm_inst.cuh"

namespace lull
{

MSM_INSTANTIATE(bls12_381_g1);

} /* namespace lull */
