// SPDX-License-Identifier: Apache-2.0
/* multiples_bn254.cu - multiples of one point, over both groups of the curve */
#include "multiples_kernels.cuh"

namespace lull
{

MULTIPLES_INSTANTIATE(bn254_g1);
MULTIPLES_INSTANTIATE(bn254_g2);

} /* namespace lull */
