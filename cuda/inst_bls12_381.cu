// SPDX-License-Identifier: Apache-2.0
/*
 * inst_bls12_381.cu - BLS12-381's table and its benches
 */
#include "bench.cuh"

namespace lull
{

template <>
struct generator<bls12_381_g1> {
	static affine<fe<bls12_381_fp>> get(void)
	{
		const uint64_t x[] = BLS12_381_G1_X, y[] = BLS12_381_G1_Y;

		return affine_of<bls12_381_g1>(x, y);
	}
};

template <>
struct generator<bls12_381_g2> {
	static affine<fe2<bls12_381_fp>> get(void)
	{
		const struct limbs_of_fp2<BLS12_381_FP_LIMBS> x = BLS12_381_G2_X,
							      y = BLS12_381_G2_Y;

		return affine_of<bls12_381_g2>(&x, &y);
	}
};

const struct curve_ops curve_bls12_381 = curve_ops_of<bls12_381, bls12_381_g1, bls12_381_g2>();

const struct lull_backend_kernel curve_bls12_381_kernels[nr_curve_kernels] =
	LULL_CURVE_KERNELS(bls12_381, curve_bls12_381);

} /* namespace lull */
