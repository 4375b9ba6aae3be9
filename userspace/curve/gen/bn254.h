/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BN254 constants, written by scripts/gen-curves.py: do not edit.
 * Initialiser lists, so that C and CUDA read the same header.
 */
#ifndef LULL_CURVE_GEN_BN254_H
#define LULL_CURVE_GEN_BN254_H

/* 64-bit limbs */
#define BN254_FR_LIMBS 4

/* bits of r */
#define BN254_FR_BITS 254

/* r */
#define BN254_FR_P { \
	0x43e1f593f0000001u, 0x2833e84879b97091u, 0xb85045b68181585du, \
	0x30644e72e131a029u }

/* -r^-1 mod 2^64 */
#define BN254_FR_INV 0xc2e1f593efffffffu

/* 2^256 mod r */
#define BN254_FR_R { \
	0xac96341c4ffffffbu, 0x36fc76959f60cd29u, 0x666ea36f7879462eu, \
	0x0e0a77c19a07df2fu }

/* 2^512 mod r */
#define BN254_FR_R2 { \
	0x1bb8e645ae216da7u, 0x53fe3ab1e35c59e3u, 0x8c49833d53bb8085u, \
	0x0216d0b17f4e44a5u }

/* r - 2: the exponent that inverts */
#define BN254_FR_P_MINUS_2 { \
	0x43e1f593efffffffu, 0x2833e84879b97091u, 0xb85045b68181585du, \
	0x30644e72e131a029u }

/* 52-bit limbs, for AVX-512 IFMA */
#define BN254_FR_LIMBS52 5

/* r, in 52-bit limbs */
#define BN254_FR_P52 { \
	0x0001f593f0000001u, 0x0004879b9709143eu, 0x000181585d2833e8u, \
	0x000a029b85045b68u, 0x000030644e72e131u }

/* -r^-1 mod 2^52 */
#define BN254_FR_INV52 0x0001f593efffffffu

/* 2^260 mod r, in 52-bit limbs */
#define BN254_FR_R52 { \
	0x000b6b753fffffacu, 0x000380f271055b9du, 0x00018f016ecef7c8u, \
	0x000724f85a9201d8u, 0x00001f16424e1bb7u }

/* 2^(2*260-256) mod r: from R = 2^256 to R = 2^260 */
#define BN254_FR_TO52 { \
	0x00031f8c9ffffab6u, 0x000ac31329faef6eu, 0x0009e2a3495d7570u, \
	0x000e357276f48b70u, 0x00000d791464ef86u }

/* 2^256 mod r: from R = 2^260 to R = 2^256 */
#define BN254_FR_FROM52 { \
	0x0006341c4ffffffbu, 0x000959f60cd29ac9u, 0x000879462e36fc76u, \
	0x000df2f666ea36f7u, 0x00000e0a77c19a07u }

/* the s of r - 1 = 2^s t, t odd */
#define BN254_FR_TWO_ADICITY 28

/* smallest non-residue g */
#define BN254_FR_NON_RESIDUE 5

/* g^t: a primitive 2^s-th root of unity, times 2^256 mod r */
#define BN254_FR_ROOT { \
	0x636e735580d13d9cu, 0xa22bf3742445ffd6u, 0x56452ac01eb203d8u, \
	0x1860ef942963f9e7u }

/* g^-t, times 2^256 mod r */
#define BN254_FR_ROOT_INV { \
	0x89bcc016584bb683u, 0xe8d9887f0164a50cu, 0x755e95cb795eda3du, \
	0x0f572b871323b130u }

/* g^2: the coset's shift where 2^(s+1)-th roots would be needed, times 2^256 mod r */
#define BN254_FR_SHIFT { \
	0xff7d5fb83fffff7cu, 0x453c3aa13c61f518u, 0xf69c0de5394e6ff7u, \
	0x0c478cc3e2696a7cu }

/* lambda with (beta x, y) = lambda (x, y) on G1, plain */
#define BN254_FR_LAMBDA { \
	0x8b17ea66b99c90ddu, 0x5bfc41088d8daaa7u, 0xb3c4d79d41a91758u, \
	0x0000000000000000u }

/* 64-bit limbs */
#define BN254_FP_LIMBS 4

/* bits of p */
#define BN254_FP_BITS 254

/* p */
#define BN254_FP_P { \
	0x3c208c16d87cfd47u, 0x97816a916871ca8du, 0xb85045b68181585du, \
	0x30644e72e131a029u }

/* -p^-1 mod 2^64 */
#define BN254_FP_INV 0x87d20782e4866389u

/* 2^256 mod p */
#define BN254_FP_R { \
	0xd35d438dc58f0d9du, 0x0a78eb28f5c70b3du, 0x666ea36f7879462cu, \
	0x0e0a77c19a07df2fu }

/* 2^512 mod p */
#define BN254_FP_R2 { \
	0xf32cfc5b538afa89u, 0xb5e71911d44501fbu, 0x47ab1eff0a417ff6u, \
	0x06d89f71cab8351fu }

/* p - 2: the exponent that inverts */
#define BN254_FP_P_MINUS_2 { \
	0x3c208c16d87cfd45u, 0x97816a916871ca8du, 0xb85045b68181585du, \
	0x30644e72e131a029u }

/* 52-bit limbs, for AVX-512 IFMA */
#define BN254_FP_LIMBS52 5

/* p, in 52-bit limbs */
#define BN254_FP_P52 { \
	0x00008c16d87cfd47u, 0x000916871ca8d3c2u, 0x000181585d97816au, \
	0x000a029b85045b68u, 0x000030644e72e131u }

/* -p^-1 mod 2^52 */
#define BN254_FP_INV52 0x00020782e4866389u

/* 2^260 mod p, in 52-bit limbs */
#define BN254_FP_R52 { \
	0x00020880f6fce4b4u, 0x00049baa989a8455u, 0x00018f014a498908u, \
	0x000724f85a9201d8u, 0x00001f16424e1bb7u }

/* 2^(2*260-256) mod p: from R = 2^256 to R = 2^260 */
#define BN254_FP_TO52 { \
	0x000b0f2afaec667au, 0x000ed9626b0fffbdu, 0x0009e2a0fcad825au, \
	0x000e357276f48b70u, 0x00000d791464ef86u }

/* 2^256 mod p: from R = 2^260 to R = 2^256 */
#define BN254_FP_FROM52 { \
	0x000d438dc58f0d9du, 0x00028f5c70b3dd35u, 0x000879462c0a78ebu, \
	0x000df2f666ea36f7u, 0x00000e0a77c19a07u }

/* (p + 1) / 4: the exponent of a square root, p = 3 mod 4 */
#define BN254_FP_SQRT_EXP { \
	0x4f082305b61f3f52u, 0x65e05aa45a1c72a3u, 0x6e14116da0605617u, \
	0x0c19139cb84c680au }

/* beta, a cube root of unity, times 2^256 mod p */
#define BN254_FP_BETA { \
	0x71930c11d782e155u, 0xa6bb947cffbe3323u, 0xaa303344d4741444u, \
	0x2c3b3f0d26594943u }

/* b of y^2 = x^3 + b, times 2^256 mod p */
#define BN254_G1_B { \
	0x7a17caa950ad28d7u, 0x1f6ac17ae15521b9u, 0x334bea4e696bd284u, \
	0x2a1f6744ce179d8eu }

/* x of the generator of G1, times 2^256 mod p */
#define BN254_G1_X { \
	0xd35d438dc58f0d9du, 0x0a78eb28f5c70b3du, 0x666ea36f7879462cu, \
	0x0e0a77c19a07df2fu }

/* y of the generator of G1, times 2^256 mod p */
#define BN254_G1_Y { \
	0xa6ba871b8b1e1b3au, 0x14f1d651eb8e167bu, 0xccdd46def0f28c58u, \
	0x1c14ef83340fbe5eu }

/* b of the twist (D-type): b / xi, times 2^256 mod p */
#define BN254_G2_B { { { \
	0x3bf938e377b802a8u, 0x020b1b273633535du, 0x26b7edf049755260u, \
	0x2514c6324384a86du } }, \
	{ { \
	0x38e7ecccd1dcff67u, 0x65f0b37d93ce0d3eu, 0xd749d0dd22ac00aau, \
	0x0141b9ce4a688d4du } } }

/* x of the generator of G2, times 2^256 mod p */
#define BN254_G2_X { { { \
	0x8e83b5d102bc2026u, 0xdceb1935497b0172u, 0xfbb8264797811adfu, \
	0x19573841af96503bu } }, \
	{ { \
	0xafb4737da84c6140u, 0x6043dd5a5802d8c4u, 0x09e950fc52a02f86u, \
	0x14fef0833aea7b6bu } } }

/* y of the generator of G2, times 2^256 mod p */
#define BN254_G2_Y { { { \
	0x619dfa9d886be9f6u, 0xfe7fd297f59e9b78u, 0xff9e1a62231b7dfeu, \
	0x28fd7eebae9e4206u } }, \
	{ { \
	0x64095b56c71856eeu, 0xdc57f922327d3cbbu, 0x55f935be33351076u, \
	0x0da4a0e693fd6482u } } }

/* 1: D-type twist, 0: M-type */
#define BN254_TWIST_IS_D 1

/* xi = c0 + c1 u, c0 */
#define BN254_XI_C0 9

/* xi = c0 + c1 u, c1 */
#define BN254_XI_C1 1

/* |curve parameter| */
#define BN254_PARAM_ABS 0x44e992b44a6909f1u

/* 1: the parameter is < 0 */
#define BN254_PARAM_NEGATIVE 0

/* 6 u + 2: the Miller loop's count */
#define BN254_LOOP { \
	0x9d797039be763ba8u, 0x0000000000000001u }

/* bits of the loop count */
#define BN254_LOOP_BITS 65

/* xi^(1 (p^1 - 1) / 6), times 2^256 mod p */
#define BN254_FROB1_1 { { { \
	0xaf9ba69633144907u, 0xca6b1d7387afb78au, 0x11bded5ef08a2087u, \
	0x02f34d751a1f3a7cu } }, \
	{ { \
	0xa222ae234c492d72u, 0xd00f02a4565de15bu, 0xdc2ff3a253dfc926u, \
	0x10a75716b3899551u } } }

/* xi^(2 (p^1 - 1) / 6), times 2^256 mod p */
#define BN254_FROB1_2 { { { \
	0xb5773b104563ab30u, 0x347f91c8a9aa6454u, 0x7a007127242e0991u, \
	0x1956bcd8118214ecu } }, \
	{ { \
	0x6e849f1ea0aa4757u, 0xaa1c7b6d89f89141u, 0xb6e713cdfae0ca3au, \
	0x26694fbb4e82ebc3u } } }

/* xi^(3 (p^1 - 1) / 6), times 2^256 mod p */
#define BN254_FROB1_3 { { { \
	0xe4bbdd0c2936b629u, 0xbb30f162e133bacbu, 0x31a9d1b6f9645366u, \
	0x253570bea500f8ddu } }, \
	{ { \
	0xa1d77ce45ffe77c7u, 0x07affd117826d1dbu, 0x6d16bd27bb7edc6bu, \
	0x2c87200285defeccu } } }

/* xi^(4 (p^1 - 1) / 6), times 2^256 mod p */
#define BN254_FROB1_4 { { { \
	0x7361d77f843abe92u, 0xa5bb2bd3273411fbu, 0x9c941f314b3e2399u, \
	0x15df9cddbb9fd3ecu } }, \
	{ { \
	0x5dddfd154bd8c949u, 0x62cb29a5a4445b60u, 0x37bc870a0c7dd2b9u, \
	0x24830a9d3171f0fdu } } }

/* xi^(5 (p^1 - 1) / 6), times 2^256 mod p */
#define BN254_FROB1_5 { { { \
	0xc970692f41690fe7u, 0xe240342127694b0bu, 0x32bee66b83c459e8u, \
	0x12aabced0ab08841u } }, \
	{ { \
	0x0d485d2340aebfa9u, 0x05193418ab2fcc57u, 0xd3b0a40b8a4910f5u, \
	0x2f21ebb535d2925au } } }

/* xi^(1 (p^2 - 1) / 6), times 2^256 mod p */
#define BN254_FROB2_1 { { { \
	0xca8d800500fa1bf2u, 0xf0c5d61468b39769u, 0x0e201271ad0d4418u, \
	0x04290f65bad856e6u } }, \
	{ { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u } } }

/* xi^(2 (p^2 - 1) / 6), times 2^256 mod p */
#define BN254_FROB2_2 { { { \
	0x3350c88e13e80b9cu, 0x7dce557cdb5e56b9u, 0x6001b4b8b615564au, \
	0x2682e617020217e0u } }, \
	{ { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u } } }

/* xi^(3 (p^2 - 1) / 6), times 2^256 mod p */
#define BN254_FROB2_3 { { { \
	0x68c3488912edefaau, 0x8d087f6872aabf4fu, 0x51e1a24709081231u, \
	0x2259d6b14729c0fau } }, \
	{ { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u } } }

/* xi^(4 (p^2 - 1) / 6), times 2^256 mod p */
#define BN254_FROB2_4 { { { \
	0x71930c11d782e155u, 0xa6bb947cffbe3323u, 0xaa303344d4741444u, \
	0x2c3b3f0d26594943u } }, \
	{ { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u } } }

/* xi^(5 (p^2 - 1) / 6), times 2^256 mod p */
#define BN254_FROB2_5 { { { \
	0x08cfc388c494f1abu, 0x19b315148d1373d4u, 0x584e90fdcb6c0213u, \
	0x09e1685bdf2f8849u } }, \
	{ { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u } } }

/* xi^(1 (p^3 - 1) / 6), times 2^256 mod p */
#define BN254_FROB3_1 { { { \
	0x365316184e46d97du, 0x0af7129ed4c96d9fu, 0x659da72fca1009b5u, \
	0x08116d8983a20d23u } }, \
	{ { \
	0xb1df4af7c39c1939u, 0x3d9f02878a73bf7fu, 0x9b2220928caf0ae0u, \
	0x26684515eff054a6u } } }

/* xi^(2 (p^3 - 1) / 6), times 2^256 mod p */
#define BN254_FROB3_2 { { { \
	0xc9af22f716ad6badu, 0xb311782a4aa662b2u, 0x19eeaf64e248c7f4u, \
	0x20273e77e3439f82u } }, \
	{ { \
	0xacc02860f7ce93acu, 0x3933d5817ba76b4cu, 0x69e6188b446c8467u, \
	0x0a46036d4417cc55u } } }

/* xi^(3 (p^3 - 1) / 6), times 2^256 mod p */
#define BN254_FROB3_3 { { { \
	0x5764af0aaf46471eu, 0xdc50792e873e0fc1u, 0x86a673ff881d04f6u, \
	0x0b2eddb43c30a74cu } }, \
	{ { \
	0x9a490f32787e8580u, 0x8fd16d7ff04af8b1u, 0x4b39888ec6027bf2u, \
	0x03dd2e705b52a15du } } }

/* xi^(4 (p^3 - 1) / 6), times 2^256 mod p */
#define BN254_FROB3_4 { { { \
	0x448a93a57b6762dfu, 0xbfd62df528fdeadfu, 0xd858f5d00e9bd47au, \
	0x06b03d4d3476ec58u } }, \
	{ { \
	0x2b19daf4bcc936d1u, 0xa1a54e7a56f4299fu, 0xb533eee05adeaef1u, \
	0x170c812b84dda0b2u } } }

/* xi^(5 (p^3 - 1) / 6), times 2^256 mod p */
#define BN254_FROB3_5 { { { \
	0xe0bc4b2275cf559fu, 0xc238b945c154e60fu, 0x803982a5929a7d5eu, \
	0x15ce052df7e4a37eu } }, \
	{ { \
	0x2d28efbdbf3799a7u, 0x9b097e3c1ad60773u, 0x982d4113af4a535bu, \
	0x24e18991e3056063u } } }

/* xi^((p - 1) / 3): psi(x, y).x = conj(x) *, times 2^256 mod p */
#define BN254_PSI_X { { { \
	0xb5773b104563ab30u, 0x347f91c8a9aa6454u, 0x7a007127242e0991u, \
	0x1956bcd8118214ecu } }, \
	{ { \
	0x6e849f1ea0aa4757u, 0xaa1c7b6d89f89141u, 0xb6e713cdfae0ca3au, \
	0x26694fbb4e82ebc3u } } }

/* xi^((p - 1) / 2): psi(x, y).y = conj(y) *, times 2^256 mod p */
#define BN254_PSI_Y { { { \
	0xe4bbdd0c2936b629u, 0xbb30f162e133bacbu, 0x31a9d1b6f9645366u, \
	0x253570bea500f8ddu } }, \
	{ { \
	0xa1d77ce45ffe77c7u, 0x07affd117826d1dbu, 0x6d16bd27bb7edc6bu, \
	0x2c87200285defeccu } } }

#endif
