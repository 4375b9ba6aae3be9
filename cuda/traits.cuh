/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traits.cuh - the curves and their fields as types
 *
 * For every .cu file.  A field trait is what fe<F> in field.cuh is a template
 * on; a curve trait names its fields.  All constants come from
 * userspace/curve/gen/, which scripts/gen-curves.py writes.  They are read as
 * 32-bit words with a literal index, so that they become immediates.
 */
#ifndef LULL_CUDA_TRAITS_CUH
#define LULL_CUDA_TRAITS_CUH

#include <cstddef>
#include <cstdint>

#include "curve/gen/bls12_381.h"
#include "curve/gen/bn254.h"
#include "lull.h"

#define LULL_HD __host__ __device__ __forceinline__

namespace lull
{

/* Word i, of 32 bits, of an array of limbs of 64. */
template <unsigned int NR>
LULL_HD constexpr uint32_t word_of(const uint64_t (&limbs)[NR], unsigned int i)
{
	return (uint32_t)(limbs[i / 2] >> (32 * (i % 2)));
}

/*
 * A field trait: nr_words 32-bit words, bits of the modulus, and by word: the
 * modulus p, one = R mod p, r2 = R^2 mod p, p_minus_2, where R is
 * 2^(32 nr_words); inv = -p^-1 mod 2^32.
 */
struct bn254_fp {
	static constexpr unsigned int nr_words = 2 * BN254_FP_LIMBS;
	static constexpr unsigned int bits = BN254_FP_BITS;
	static constexpr uint32_t inv = (uint32_t)BN254_FP_INV;
	static LULL_HD constexpr uint32_t p(unsigned int i)
	{
		constexpr uint64_t limbs[] = BN254_FP_P;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t one(unsigned int i)
	{
		constexpr uint64_t limbs[] = BN254_FP_R;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t r2(unsigned int i)
	{
		constexpr uint64_t limbs[] = BN254_FP_R2;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t p_minus_2(unsigned int i)
	{
		constexpr uint64_t limbs[] = BN254_FP_P_MINUS_2;
		return word_of(limbs, i);
	}
};

struct bn254_fr {
	static constexpr unsigned int nr_words = 2 * BN254_FR_LIMBS;
	static constexpr unsigned int bits = BN254_FR_BITS;
	static constexpr uint32_t inv = (uint32_t)BN254_FR_INV;
	static constexpr unsigned int two_adicity = BN254_FR_TWO_ADICITY;
	static LULL_HD constexpr uint32_t p(unsigned int i)
	{
		constexpr uint64_t limbs[] = BN254_FR_P;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t one(unsigned int i)
	{
		constexpr uint64_t limbs[] = BN254_FR_R;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t r2(unsigned int i)
	{
		constexpr uint64_t limbs[] = BN254_FR_R2;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t p_minus_2(unsigned int i)
	{
		constexpr uint64_t limbs[] = BN254_FR_P_MINUS_2;
		return word_of(limbs, i);
	}
	/* A primitive 2^two_adicity-th root of unity, its inverse, and the
	 * coset's shift, all Montgomery. */
	static LULL_HD constexpr uint32_t root(unsigned int i)
	{
		constexpr uint64_t limbs[] = BN254_FR_ROOT;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t root_inv(unsigned int i)
	{
		constexpr uint64_t limbs[] = BN254_FR_ROOT_INV;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t shift(unsigned int i)
	{
		constexpr uint64_t limbs[] = BN254_FR_SHIFT;
		return word_of(limbs, i);
	}
};

struct bls12_381_fp {
	static constexpr unsigned int nr_words = 2 * BLS12_381_FP_LIMBS;
	static constexpr unsigned int bits = BLS12_381_FP_BITS;
	static constexpr uint32_t inv = (uint32_t)BLS12_381_FP_INV;
	static LULL_HD constexpr uint32_t p(unsigned int i)
	{
		constexpr uint64_t limbs[] = BLS12_381_FP_P;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t one(unsigned int i)
	{
		constexpr uint64_t limbs[] = BLS12_381_FP_R;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t r2(unsigned int i)
	{
		constexpr uint64_t limbs[] = BLS12_381_FP_R2;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t p_minus_2(unsigned int i)
	{
		constexpr uint64_t limbs[] = BLS12_381_FP_P_MINUS_2;
		return word_of(limbs, i);
	}
};

struct bls12_381_fr {
	static constexpr unsigned int nr_words = 2 * BLS12_381_FR_LIMBS;
	static constexpr unsigned int bits = BLS12_381_FR_BITS;
	static constexpr uint32_t inv = (uint32_t)BLS12_381_FR_INV;
	static constexpr unsigned int two_adicity = BLS12_381_FR_TWO_ADICITY;
	static LULL_HD constexpr uint32_t p(unsigned int i)
	{
		constexpr uint64_t limbs[] = BLS12_381_FR_P;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t one(unsigned int i)
	{
		constexpr uint64_t limbs[] = BLS12_381_FR_R;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t r2(unsigned int i)
	{
		constexpr uint64_t limbs[] = BLS12_381_FR_R2;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t p_minus_2(unsigned int i)
	{
		constexpr uint64_t limbs[] = BLS12_381_FR_P_MINUS_2;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t root(unsigned int i)
	{
		constexpr uint64_t limbs[] = BLS12_381_FR_ROOT;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t root_inv(unsigned int i)
	{
		constexpr uint64_t limbs[] = BLS12_381_FR_ROOT_INV;
		return word_of(limbs, i);
	}
	static LULL_HD constexpr uint32_t shift(unsigned int i)
	{
		constexpr uint64_t limbs[] = BLS12_381_FR_SHIFT;
		return word_of(limbs, i);
	}
};

/* A curve trait: its fields, its public id and its name. */
struct bn254 {
	using fp = bn254_fp;
	using fr = bn254_fr;
	static constexpr enum lull_curve id = LULL_CURVE_BN254;
	static constexpr const char *name = "bn254";
};

struct bls12_381 {
	using fp = bls12_381_fp;
	using fr = bls12_381_fr;
	static constexpr enum lull_curve id = LULL_CURVE_BLS12_381;
	static constexpr const char *name = "bls12_381";
};

} /* namespace lull */

#endif
