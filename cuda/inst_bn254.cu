// SPDX-License-Identifier: Apache-2.0
/*
 * inst_bn254.cu - BN254's table and its benches
 */
#include "bench.cuh"

namespace lull
{

template <>
struct generator<bn254_g1> {
	static affine<fe<bn254_fp>> get(void)
	{
		const uint64_t x[] = BN254_G1_X, y[] = BN254_G1_Y;

		return affine_of<bn254_g1>(x, y);
	}
};

template <>
struct generator<bn254_g2> {
	static affine<fe2<bn254_fp>> get(void)
	{
		const struct limbs_of_fp2<BN254_FP_LIMBS> x = BN254_G2_X, y = BN254_G2_Y;

		return affine_of<bn254_g2>(&x, &y);
	}
};

const struct curve_ops curve_bn254 = curve_ops_of<bn254, bn254_g1, bn254_g2>();

const struct lull_backend_kernel curve_bn254_kernels[nr_curve_kernels] =
	LULL_CURVE_KERNELS(bn254, curve_bn254);

} /* namespace lull */
