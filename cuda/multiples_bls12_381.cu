// SPDX-License-Identifier: Apache-2.0
/* multiples_bls12_381.cu - multiples of one point, over both groups of the curve */
#include "multiples_kernels.cuh"

namespace lull
{

MULTIPLES_INSTANTIATE(bls12_381_g1);
MULTIPLES_INSTANTIATE(bls12_381_g2);

} /* namespace lull */
