/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BLS12-381 constants, written by scripts/gen-curves.py: do not edit.
 * Initialiser lists, so that C and CUDA read the same header.
 */
#ifndef LULL_CURVE_GEN_BLS12_381_H
#define LULL_CURVE_GEN_BLS12_381_H

/* 64-bit limbs */
#define BLS12_381_FR_LIMBS 4

/* bits of r */
#define BLS12_381_FR_BITS 255

/* r */
#define BLS12_381_FR_P { \
	0xffffffff00000001u, 0x53bda402fffe5bfeu, 0x3339d80809a1d805u, \
	0x73eda753299d7d48u }

/* -r^-1 mod 2^64 */
#define BLS12_381_FR_INV 0xfffffffeffffffffu

/* 2^256 mod r */
#define BLS12_381_FR_R { \
	0x00000001fffffffeu, 0x5884b7fa00034802u, 0x998c4fefecbc4ff5u, \
	0x1824b159acc5056fu }

/* 2^512 mod r */
#define BLS12_381_FR_R2 { \
	0xc999e990f3f29c6du, 0x2b6cedcb87925c23u, 0x05d314967254398fu, \
	0x0748d9d99f59ff11u }

/* r - 2: the exponent that inverts */
#define BLS12_381_FR_P_MINUS_2 { \
	0xfffffffeffffffffu, 0x53bda402fffe5bfeu, 0x3339d80809a1d805u, \
	0x73eda753299d7d48u }

/* 52-bit limbs, for AVX-512 IFMA */
#define BLS12_381_FR_LIMBS52 5

/* r, in 52-bit limbs */
#define BLS12_381_FR_P52 { \
	0x000fffff00000001u, 0x00002fffe5bfefffu, 0x0009a1d80553bda4u, \
	0x0007d483339d8080u, 0x000073eda753299du }

/* -r^-1 mod 2^52 */
#define BLS12_381_FR_INV52 0x000ffffeffffffffu

/* 2^260 mod r, in 52-bit limbs */
#define BLS12_381_FR_R52 { \
	0x00000022ffffffddu, 0x0009700396c23000u, 0x000edf77458d1293u, \
	0x000df20ff1776e6au, 0x000026821fa14f77u }

/* 2^(2*260-256) mod r: from R = 2^256 to R = 2^260 */
#define BLS12_381_FR_TO52 { \
	0x00000234fffffdcbu, 0x00061039ef635000u, 0x000dce3c3e2e7505u, \
	0x0007fa6f1563642bu, 0x0000247db575276au }

/* 2^256 mod r: from R = 2^260 to R = 2^256 */
#define BLS12_381_FR_FROM52 { \
	0x00000001fffffffeu, 0x000fa00034802000u, 0x000cbc4ff55884b7u, \
	0x000056f998c4fefeu, 0x00001824b159acc5u }

/* the s of r - 1 = 2^s t, t odd */
#define BLS12_381_FR_TWO_ADICITY 32

/* smallest non-residue g */
#define BLS12_381_FR_NON_RESIDUE 5

/* g^t: a primitive 2^s-th root of unity, times 2^256 mod r */
#define BLS12_381_FR_ROOT { \
	0x9cab6d5c0c17f47cu, 0x1ce1e93dfd4b71e5u, 0x0d6db230471dd505u, \
	0x3f0ee990743a3b6au }

/* g^-t, times 2^256 mod r */
#define BLS12_381_FR_ROOT_INV { \
	0x55a9e082b3082d19u, 0x082f90b2c7dc4a13u, 0x76ce3accc76b052cu, \
	0x15c39d956e54185du }

/* g^2: the coset's shift where 2^(s+1)-th roots would be needed, times 2^256 mod r */
#define BLS12_381_FR_SHIFT { \
	0x00000036ffffffc9u, 0x0241c35b005a3c37u, 0xfe929645ee3a96dbu, \
	0x17f10d220f2a157cu }

/* k with 7^t = g^(t k): bellman's root of unity is the k-th power of ours */
#define BLS12_381_FR_BELLMAN_STEP 192310269

/* lambda with (beta x, y) = lambda (x, y) on G1, plain */
#define BLS12_381_FR_LAMBDA { \
	0x00000000ffffffffu, 0xac45a4010001a402u, 0x0000000000000000u, \
	0x0000000000000000u }

/* 64-bit limbs */
#define BLS12_381_FP_LIMBS 6

/* bits of p */
#define BLS12_381_FP_BITS 381

/* p */
#define BLS12_381_FP_P { \
	0xb9feffffffffaaabu, 0x1eabfffeb153ffffu, 0x6730d2a0f6b0f624u, \
	0x64774b84f38512bfu, 0x4b1ba7b6434bacd7u, 0x1a0111ea397fe69au }

/* -p^-1 mod 2^64 */
#define BLS12_381_FP_INV 0x89f3fffcfffcfffdu

/* 2^384 mod p */
#define BLS12_381_FP_R { \
	0x760900000002fffdu, 0xebf4000bc40c0002u, 0x5f48985753c758bau, \
	0x77ce585370525745u, 0x5c071a97a256ec6du, 0x15f65ec3fa80e493u }

/* 2^768 mod p */
#define BLS12_381_FP_R2 { \
	0xf4df1f341c341746u, 0x0a76e6a609d104f1u, 0x8de5476c4c95b6d5u, \
	0x67eb88a9939d83c0u, 0x9a793e85b519952du, 0x11988fe592cae3aau }

/* p - 2: the exponent that inverts */
#define BLS12_381_FP_P_MINUS_2 { \
	0xb9feffffffffaaa9u, 0x1eabfffeb153ffffu, 0x6730d2a0f6b0f624u, \
	0x64774b84f38512bfu, 0x4b1ba7b6434bacd7u, 0x1a0111ea397fe69au }

/* 52-bit limbs, for AVX-512 IFMA */
#define BLS12_381_FP_LIMBS52 8

/* p, in 52-bit limbs */
#define BLS12_381_FP_P52 { \
	0x000effffffffaaabu, 0x000feb153ffffb9fu, 0x0006b0f6241eabffu, \
	0x00012bf6730d2a0fu, 0x000764774b84f385u, 0x0001ba7b6434bacdu, \
	0x0001ea397fe69a4bu, 0x000000000001a011u }

/* -p^-1 mod 2^52 */
#define BLS12_381_FP_INV52 0x0003fffcfffcfffdu

/* 2^416 mod p, in 52-bit limbs */
#define BLS12_381_FP_R52 { \
	0x0006480ea8e9b9afu, 0x00065766c8fe444fu, 0x0008b540fea96f7du, \
	0x0003b2ee82efd422u, 0x000a6723e5f0ade5u, 0x000ff6eb6fdd4230u, \
	0x000e06ef23c24a25u, 0x0000000000014c8eu }

/* 2^(2*416-384) mod p: from R = 2^384 to R = 2^416 */
#define BLS12_381_FP_TO52 { \
	0x0007fde37dba9366u, 0x0004e27525bc342bu, 0x0001f5b1e9778489u, \
	0x000b872b2b91b9dcu, 0x000b206f497dfcafu, 0x0004137cc89a9b0bu, \
	0x000d9d20d7e39959u, 0x000000000000411cu }

/* 2^384 mod p: from R = 2^416 to R = 2^384 */
#define BLS12_381_FP_FROM52 { \
	0x000900000002fffdu, 0x0000bc40c0002760u, 0x0003c758baebf400u, \
	0x00057455f4898575u, 0x000d77ce58537052u, 0x000071a97a256ec6u, \
	0x000ec3fa80e4935cu, 0x0000000000015f65u }

/* (p + 1) / 4: the exponent of a square root, p = 3 mod 4 */
#define BLS12_381_FP_SQRT_EXP { \
	0xee7fbfffffffeaabu, 0x07aaffffac54ffffu, 0xd9cc34a83dac3d89u, \
	0xd91dd2e13ce144afu, 0x92c6e9ed90d2eb35u, 0x0680447a8e5ff9a6u }

/* beta, a cube root of unity, times 2^384 mod p */
#define BLS12_381_FP_BETA { \
	0xcd03c9e48671f071u, 0x5dab22461fcda5d2u, 0x587042afd3851b95u, \
	0x8eb60ebe01bacb9eu, 0x03f97d6e83d050d2u, 0x18f0206554638741u }

/* b of y^2 = x^3 + b, times 2^384 mod p */
#define BLS12_381_G1_B { \
	0xaa270000000cfff3u, 0x53cc0032fc34000au, 0x478fe97a6b0a807fu, \
	0xb1d37ebee6ba24d7u, 0x8ec9733bbf78ab2fu, 0x09d645513d83de7eu }

/* x of the generator of G1, times 2^384 mod p */
#define BLS12_381_G1_X { \
	0x5cb38790fd530c16u, 0x7817fc679976fff5u, 0x154f95c7143ba1c1u, \
	0xf0ae6acdf3d0e747u, 0xedce6ecc21dbf440u, 0x120177419e0bfb75u }

/* y of the generator of G1, times 2^384 mod p */
#define BLS12_381_G1_Y { \
	0xbaac93d50ce72271u, 0x8c22631a7918fd8eu, 0xdd595f13570725ceu, \
	0x51ac582950405194u, 0x0e1c8c3fad0059c0u, 0x0bbc3efc5008a26au }

/* b of the twist (M-type): b * xi, times 2^384 mod p */
#define BLS12_381_G2_B { { { \
	0xaa270000000cfff3u, 0x53cc0032fc34000au, 0x478fe97a6b0a807fu, \
	0xb1d37ebee6ba24d7u, 0x8ec9733bbf78ab2fu, 0x09d645513d83de7eu } }, \
	{ { \
	0xaa270000000cfff3u, 0x53cc0032fc34000au, 0x478fe97a6b0a807fu, \
	0xb1d37ebee6ba24d7u, 0x8ec9733bbf78ab2fu, 0x09d645513d83de7eu } } }

/* x of the generator of G2, times 2^384 mod p */
#define BLS12_381_G2_X { { { \
	0xf5f28fa202940a10u, 0xb3f5fb2687b4961au, 0xa1a893b53e2ae580u, \
	0x9894999d1a3caee9u, 0x6f67b7631863366bu, 0x058191924350bcd7u } }, \
	{ { \
	0xa5a9c0759e23f606u, 0xaaa0c59dbccd60c3u, 0x3bb17e18e2867806u, \
	0x1b1ab6cc8541b367u, 0xc2b6ed0ef2158547u, 0x11922a097360edf3u } } }

/* y of the generator of G2, times 2^384 mod p */
#define BLS12_381_G2_Y { { { \
	0x4c730af860494c4au, 0x597cfa1f5e369c5au, 0xe7e6856caa0a635au, \
	0xbbefb5e96e0d495fu, 0x07d3a975f0ef25a2u, 0x0083fd8e7e80dae5u } }, \
	{ { \
	0xadc0fc92df64b05du, 0x18aa270a2b1461dcu, 0x86adac6a3be4eba0u, \
	0x79495c4ec93da33au, 0xe7175850a43ccaedu, 0x0b2bc2a163de1bf2u } } }

/* 1: D-type twist, 0: M-type */
#define BLS12_381_TWIST_IS_D 0

/* xi = c0 + c1 u, c0 */
#define BLS12_381_XI_C0 1

/* xi = c0 + c1 u, c1 */
#define BLS12_381_XI_C1 1

/* |curve parameter| */
#define BLS12_381_PARAM_ABS 0xd201000000010000u

/* 1: the parameter is < 0 */
#define BLS12_381_PARAM_NEGATIVE 1

/* -x: the Miller loop's count */
#define BLS12_381_LOOP { \
	0xd201000000010000u, 0x0000000000000000u }

/* bits of the loop count */
#define BLS12_381_LOOP_BITS 64

/* xi^(1 (p^1 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB1_1 { { { \
	0x07089552b319d465u, 0xc6695f92b50a8313u, 0x97e83cccd117228fu, \
	0xa35baecab2dc29eeu, 0x1ce393ea5daace4du, 0x08f2220fb0fb66ebu } }, \
	{ { \
	0xb2f66aad4ce5d646u, 0x5842a06bfc497cecu, 0xcf4895d42599d394u, \
	0xc11b9cba40a8e8d0u, 0x2e3813cbe5a0de89u, 0x110eefda88847fafu } } }

/* xi^(2 (p^1 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB1_2 { { { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } }, \
	{ { \
	0xcd03c9e48671f071u, 0x5dab22461fcda5d2u, 0x587042afd3851b95u, \
	0x8eb60ebe01bacb9eu, 0x03f97d6e83d050d2u, 0x18f0206554638741u } } }

/* xi^(3 (p^1 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB1_3 { { { \
	0x7bcfa7a25aa30fdau, 0xdc17dec12a927e7cu, 0x2f088dd86b4ebef1u, \
	0xd1ca2087da74d4a7u, 0x2da2596696cebc1du, 0x0e2b7eedbbfd87d2u } }, \
	{ { \
	0x7bcfa7a25aa30fdau, 0xdc17dec12a927e7cu, 0x2f088dd86b4ebef1u, \
	0xd1ca2087da74d4a7u, 0x2da2596696cebc1du, 0x0e2b7eedbbfd87d2u } } }

/* xi^(4 (p^1 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB1_4 { { { \
	0x890dc9e4867545c3u, 0x2af322533285a5d5u, 0x50880866309b7e2cu, \
	0xa20d1b8c7e881024u, 0x14e4f04fe2db9068u, 0x14e56d3f1564853au } }, \
	{ { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } }

/* xi^(5 (p^1 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB1_5 { { { \
	0x82d83cf50dbce43fu, 0xa2813e53df9d018fu, 0xc6f0caa53c65e181u, \
	0x7525cf528d50fe95u, 0x4a85ed50f4798a6bu, 0x171da0fd6cf8eebdu } }, \
	{ { \
	0x3726c30af242c66cu, 0x7c2ac1aad1b6fe70u, 0xa04007fbba4b14a2u, \
	0xef517c3266341429u, 0x0095ba654ed2226bu, 0x02e370eccc86f7ddu } } }

/* xi^(1 (p^2 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB2_1 { { { \
	0xecfb361b798dba3au, 0xc100ddb891865a2cu, 0x0ec08ff1232bda8eu, \
	0xd5c13cc6f1ca4721u, 0x47222a47bf7b5c04u, 0x0110f184e51c5f59u } }, \
	{ { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } }

/* xi^(2 (p^2 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB2_2 { { { \
	0x30f1361b798a64e8u, 0xf3b8ddab7ece5a2au, 0x16a8ca3ac61577f7u, \
	0xc26a2ff874fd029bu, 0x3636b76660701c6eu, 0x051ba4ab241b6160u } }, \
	{ { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } }

/* xi^(3 (p^2 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB2_3 { { { \
	0x43f5fffffffcaaaeu, 0x32b7fff2ed47fffdu, 0x07e83a49a2e99d69u, \
	0xeca8f3318332bb7au, 0xef148d1ea0f4c069u, 0x040ab3263eff0206u } }, \
	{ { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } }

/* xi^(4 (p^2 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB2_4 { { { \
	0xcd03c9e48671f071u, 0x5dab22461fcda5d2u, 0x587042afd3851b95u, \
	0x8eb60ebe01bacb9eu, 0x03f97d6e83d050d2u, 0x18f0206554638741u } }, \
	{ { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } }

/* xi^(5 (p^2 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB2_5 { { { \
	0x890dc9e4867545c3u, 0x2af322533285a5d5u, 0x50880866309b7e2cu, \
	0xa20d1b8c7e881024u, 0x14e4f04fe2db9068u, 0x14e56d3f1564853au } }, \
	{ { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } }

/* xi^(1 (p^3 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB3_1 { { { \
	0x3e2f585da55c9ad1u, 0x4294213d86c18183u, 0x382844c88b623732u, \
	0x92ad2afd19103e18u, 0x1d794e4fac7cf0b9u, 0x0bd592fc7d825ec8u } }, \
	{ { \
	0x7bcfa7a25aa30fdau, 0xdc17dec12a927e7cu, 0x2f088dd86b4ebef1u, \
	0xd1ca2087da74d4a7u, 0x2da2596696cebc1du, 0x0e2b7eedbbfd87d2u } } }

/* xi^(2 (p^3 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB3_2 { { { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } }, \
	{ { \
	0x760900000002fffdu, 0xebf4000bc40c0002u, 0x5f48985753c758bau, \
	0x77ce585370525745u, 0x5c071a97a256ec6du, 0x15f65ec3fa80e493u } } }

/* xi^(3 (p^3 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB3_3 { { { \
	0x3e2f585da55c9ad1u, 0x4294213d86c18183u, 0x382844c88b623732u, \
	0x92ad2afd19103e18u, 0x1d794e4fac7cf0b9u, 0x0bd592fc7d825ec8u } }, \
	{ { \
	0x3e2f585da55c9ad1u, 0x4294213d86c18183u, 0x382844c88b623732u, \
	0x92ad2afd19103e18u, 0x1d794e4fac7cf0b9u, 0x0bd592fc7d825ec8u } } }

/* xi^(4 (p^3 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB3_4 { { { \
	0x43f5fffffffcaaaeu, 0x32b7fff2ed47fffdu, 0x07e83a49a2e99d69u, \
	0xeca8f3318332bb7au, 0xef148d1ea0f4c069u, 0x040ab3263eff0206u } }, \
	{ { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } } }

/* xi^(5 (p^3 - 1) / 6), times 2^384 mod p */
#define BLS12_381_FROB3_5 { { { \
	0x7bcfa7a25aa30fdau, 0xdc17dec12a927e7cu, 0x2f088dd86b4ebef1u, \
	0xd1ca2087da74d4a7u, 0x2da2596696cebc1du, 0x0e2b7eedbbfd87d2u } }, \
	{ { \
	0x3e2f585da55c9ad1u, 0x4294213d86c18183u, 0x382844c88b623732u, \
	0x92ad2afd19103e18u, 0x1d794e4fac7cf0b9u, 0x0bd592fc7d825ec8u } } }

/* xi^(-(p - 1) / 3): psi(x, y).x = conj(x) *, times 2^384 mod p */
#define BLS12_381_PSI_X { { { \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u, \
	0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u } }, \
	{ { \
	0x890dc9e4867545c3u, 0x2af322533285a5d5u, 0x50880866309b7e2cu, \
	0xa20d1b8c7e881024u, 0x14e4f04fe2db9068u, 0x14e56d3f1564853au } } }

/* xi^(-(p - 1) / 2): psi(x, y).y = conj(y) *, times 2^384 mod p */
#define BLS12_381_PSI_Y { { { \
	0x3e2f585da55c9ad1u, 0x4294213d86c18183u, 0x382844c88b623732u, \
	0x92ad2afd19103e18u, 0x1d794e4fac7cf0b9u, 0x0bd592fc7d825ec8u } }, \
	{ { \
	0x7bcfa7a25aa30fdau, 0xdc17dec12a927e7cu, 0x2f088dd86b4ebef1u, \
	0xd1ca2087da74d4a7u, 0x2da2596696cebc1du, 0x0e2b7eedbbfd87d2u } } }

#endif
