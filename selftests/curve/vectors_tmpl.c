// SPDX-License-Identifier: Apache-2.0
/*
 * vectors_tmpl.c - values that others published
 *
 * BN254: the multiples and pairings that the Ethereum precompiles of EIP-196
 * and EIP-197 are tested with.  BLS12-381: those of EIP-2537.  Coordinates are
 * big-endian hexadecimal, c0 before c1.
 */
#include "curve/pairing.h"
#include "harness.h"

/* scalar * point = result; x then y. */
struct multiple {
	const char *point, *scalar, *result;
};

/* Two pairs, G1 then G2; is the product of their pairings 1? */
struct product {
	const char *pairs;
	bool is_one;
};

/* clang-format off */
#if LULL_CURVE_ID == LULL_ID_bn254
static const struct multiple multiples_g1[] = {
	{
		"0000000000000000000000000000000000000000000000000000000000000001"
		"0000000000000000000000000000000000000000000000000000000000000002",
		"0000000000000000000000000000000000000000000000000000000000000002",
		"030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3"
		"15ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4",
	},
	{
		"2bd3e6d0f3b142924f5ca7b49ce5b9d54c4703d7ae5648e61d02268b1a0a9fb7"
		"21611ce0a6af85915e2f1d70300909ce2e49dfad4a4619c8390cae66cefdb204",
		"00000000000000000000000000000000000000000000000011138ce750fa15c2",
		"070a8d6a982153cae4be29d434e8faef8a47b274a053f5a4ee2a6c9c13c31e5c"
		"031b8ce914eba3a9ffb989f9cdd5b0f01943074bf4f0f315690ec3cec6981afc",
	},
	{
		"070a8d6a982153cae4be29d434e8faef8a47b274a053f5a4ee2a6c9c13c31e5c"
		"031b8ce914eba3a9ffb989f9cdd5b0f01943074bf4f0f315690ec3cec6981afc",
		"30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd46",
		"025a6f4181d2b4ea8b724290ffb40156eb0adb514c688556eb79cdea0752c2bb"
		"2eff3f31dea215f1eb86023a133a996eb6300b44da664d64251d05381bb8a02e",
	},
	{
		"025a6f4181d2b4ea8b724290ffb40156eb0adb514c688556eb79cdea0752c2bb"
		"2eff3f31dea215f1eb86023a133a996eb6300b44da664d64251d05381bb8a02e",
		"183227397098d014dc2822db40c0ac2ecbc0b548b438e5469e10460b6c3e7ea3",
		"14789d0d4a730b354403b5fac948113739e276c23e0258d8596ee72f9cd9d323"
		"0af18a63153e0ec25ff9f2951dd3fa90ed0197bfef6e2a1a62b5095b9d2b4a27",
	},
	{
		"1a87b0584ce92f4593d161480614f2989035225609f08058ccfa3d0f940febe3"
		"1a2f3c951f6dadcc7ee9007dff81504b0fcd6d7cf59996efdc33d92bf7f9f8f6",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"2cde5879ba6f13c0b5aa4ef627f159a3347df9722efce88a9afbb20b763b4c41"
		"1aa7e43076f6aee272755a7f9b84832e71559ba0d2e0b17d5f9f01755e5b0d11",
	},
};
static const struct product products[] = {
	{
		"1c76476f4def4bb94541d57ebba1193381ffa7aa76ada664dd31c16024c43f59"
		"3034dd2920f673e204fee2811c678745fc819b55d3e9d294e45c9b03a76aef41"
		"04bf11ca01483bfa8b34b43561848d28905960114c8ac04049af4b6315a41678"
		"209dd15ebff5d46c4bd888e51a93cf99a7329636c63514396b4a452003a35bf7"
		"120a2a4cf30c1bf9845f20c6fe39e07ea2cce61f0c9bb048165fe5e4de877550"
		"2bb8324af6cfc93537a2ad1a445cfd0ca2a71acd7ac41fadbf933c2a51be344d"
		"111e129f1cf1097710d41c4ac70fcdfa5ba2023c6ff1cbeac322de49d1b6df7c"
		"2032c61a830e3c17286de9462bf242fca2883585b93870a73853face6a6bf411"
		"1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed"
		"198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"
		"12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa"
		"090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b",
		true,
	},
	{
		"1c76476f4def4bb94541d57ebba1193381ffa7aa76ada664dd31c16024c43f59"
		"3034dd2920f673e204fee2811c678745fc819b55d3e9d294e45c9b03a76aef41"
		"04bf11ca01483bfa8b34b43561848d28905960114c8ac04049af4b6315a41678"
		"209dd15ebff5d46c4bd888e51a93cf99a7329636c63514396b4a452003a35bf7"
		"120a2a4cf30c1bf9845f20c6fe39e07ea2cce61f0c9bb048165fe5e4de877550"
		"2bb8324af6cfc93537a2ad1a445cfd0ca2a71acd7ac41fadbf933c2a51be344d"
		"111e129f1cf1097710d41c4ac70fcdfa5ba2023c6ff1cbeac322de49d1b6df7c"
		"103188585e2364128fe25c70558f1560f4f9350baf3959e603cc91486e110936"
		"1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed"
		"198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"
		"12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa"
		"090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b",
		false,
	},
	{
		"0000000000000000000000000000000000000000000000000000000000000001"
		"0000000000000000000000000000000000000000000000000000000000000002"
		"27dc7234fd11d3e8c36c59277c3e6f149d5cd3cfa9a62aee49f8130962b4b3b9"
		"203e205db4f19b37b60121b83a7333706db86431c6d835849957ed8c3928ad79"
		"04bb53b8977e5f92a0bc372742c4830944a59b4fe6b1c0466e2a6dad122b5d2e"
		"195e8aa5b7827463722b8c153931579d3505566b4edf48d498e185f0509de152"
		"030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3"
		"1a76dae6d3272396d0cbe61fced2bc532edac647851e3ac53ce1cc9c7e645a83"
		"1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed"
		"198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"
		"12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa"
		"090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b",
		true,
	},
};
#else
static const struct multiple multiples_g1[] = {
	{
		"17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac58"
		"6c55e83ff97a1aeffb3af00adb22c6bb08b3f481e3aaa0f1a09e30ed741d8ae4"
		"fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1",
		"0000000000000000000000000000000000000000000000000000000000000011",
		"1098f178f84fc753a76bb63709e9be91eec3ff5f7f3a5f4836f34fe8a1a6d6c5"
		"578d8fd820573cef3a01e2bfef3eaf3a0ea923110b733b531006075f796cc936"
		"8f2477fe26020f465468efbb380ce1f8eebaf5c770f31d320f9bd378dc758436",
	},
	{
		"12196c5a43d69224d8713389285f26b98f86ee910ab3dd668e413738282003cc"
		"5b7357af9a7af54bb713d62255e80f5606ba8102bfbeea4416b710c73e8cce30"
		"32c31c6269c44906f8ac4f7874ce99fb17559992486528963884ce429a992fee",
		"b3c940fe79b6966489b527955de7599194a9ac69a6ff58b8d99e7b1084f0464e",
		"0f1f230329be03ac700ba718bc43c8ee59a4b2d1e20c7de95b22df14e7867eae"
		"4658ed2f2dfed4f775d4dcedb4235cf012924104fdb82fb074cfc868bdd22012"
		"694b5bae2c0141851a5d6a97d8bc6f22ecb2f6ddec18cba6483f2e73faa5b942",
	},
};
static const struct multiple multiples_g2[] = {
	{
		"024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d177"
		"0bac0326a805bbefd48056c8c121bdb813e02b6052719f607dacd3a088274f65"
		"596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
		"0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c"
		"923ac9cc3baca289e193548608b828010606c4a02ea734cc32acd2b02bc28b99"
		"cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be",
		"0000000000000000000000000000000000000000000000000000000000000011",
		"0ef786ebdcda12e142a32f091307f2fedf52f6c36beb278b0007a03ad81bf9fe"
		"e3710a04928e43e541d02c9be44722e80d05ceb0be53d2624a796a7a033aec59"
		"d9463c18d672c451ec4f2e679daef882cab7d8dd88789065156a1340ca9d4265"
		"118ed350274bc45e63eaaa4b8ddf119b3bf38418b5b9748597edfc456d9bc3e8"
		"64ec7283426e840fd29fa84e7d89c9341594b866a28946b6d444bf0481558812"
		"769ea3222f5dfc961ca33e78e0ea62ee8ba63fd1ece9cc3e315abfa96d536944",
	},
	{
		"039b10ccd664da6f273ea134bb55ee48f09ba585a7e2bb95b5aec610631ac498"
		"10d5d616f67ba0147e6d1be476ea220e00fbcdff4e48e07d1f73ec42fe7eb026"
		"f5c30407cfd2f22bbbfe5b2a09e8a7bb4884178cb6afd1c95f80e646929d3004"
		"01ed3b0e71acb0adbf44643374edbf4405af87cfc0507db7e8978889c6c3afbe"
		"9754d1182e98ac3060d64994d31ef5761681a2bf65b83be5a2ca50430949b6e2"
		"a099977482e9405b593f34d2ed877a3f0d1bddc37d0cec4d59d7df74b2b8f2df",
		"b3c940fe79b6966489b527955de7599194a9ac69a6ff58b8d99e7b1084f0464e",
		"06334ba1e361fd94bbd98f44b75ae9ec00ecb4d3467b5528870b1a1fa9a7d044"
		"49f12af90bd4c7a1e3f29e717d6d19d30bf4cc1626393956915845ea7ca43d30"
		"a59c7196fbe309f2d5ee6de7e40c191d29821dd6aae46abecf634b904de8f749"
		"14aeb09e252cc74610ab956057d4ac5af95cbea8a6baba9e5062643dc037d684"
		"1044cb38b22d7dfb978fe0b58f94cc3a00fdcd73452fc1ced1c06e6271410a48"
		"dea05afbe889a692905e1baab8d72418c62531aab8b74842b51016f0a9cbb93d",
	},
};
static const struct product products[] = {
	{
		"0572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62a"
		"e28f75bb8f1c7c42c39a8c5529bf0f4e166a9d8cabc673a322fda673779d8e38"
		"22ba3ecb8670e461f73bb9021d5fd76a4c56d9d4cd16bd1bba86881979749d28"
		"122915c824a0857e2ee414a3dccb23ae691ae54329781315a0c75df1c04d6d7a"
		"50a030fc866f09d516020ef82324afae09380275bbc8e5dcea7dc4dd7e0550ff"
		"2ac480905396eda55062650f8d251c96eb480673937cc6d9d6a44aaa56ca66dc"
		"0b21da7955969e61010c7a1abc1a6f0136961d1e3b20b1a7326ac738fef5c721"
		"479dfd948b52fdf2455e44813ecfd89208f239ba329b3967fe48d718a36cfe5f"
		"62a7e42e0bf1c1ed714150a166bfbd6bcf6b3b58b975b9edea56d53f23a0e849"
		"06e82f6da4520f85c5d27d8f329eccfa05944fd1096b20734c894966d12a9e2a"
		"9a9744529d7212d33883113a0cadb90917d81038f7d60bee9110d9c0d6d1102f"
		"e2d998c957f28e31ec284cc04134df8e47e8f82ff3af2e60a6d9688a4563477c"
		"024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d177"
		"0bac0326a805bbefd48056c8c121bdb813e02b6052719f607dacd3a088274f65"
		"596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
		"0d1b3cc2c7027888be51d9ef691d77bcb679afda66c73f17f9ee3837a55024f7"
		"8c71363275a75d75d86bab79f74782aa13fa4d4a0ad8b1ce186ed5061789213d"
		"993923066dddaf1040bc3ff59f825c78df74f2d75467e25e0f55f8a00fa030ed",
		true,
	},
	{
		"0572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62a"
		"e28f75bb8f1c7c42c39a8c5529bf0f4e166a9d8cabc673a322fda673779d8e38"
		"22ba3ecb8670e461f73bb9021d5fd76a4c56d9d4cd16bd1bba86881979749d28"
		"122915c824a0857e2ee414a3dccb23ae691ae54329781315a0c75df1c04d6d7a"
		"50a030fc866f09d516020ef82324afae09380275bbc8e5dcea7dc4dd7e0550ff"
		"2ac480905396eda55062650f8d251c96eb480673937cc6d9d6a44aaa56ca66dc"
		"0b21da7955969e61010c7a1abc1a6f0136961d1e3b20b1a7326ac738fef5c721"
		"479dfd948b52fdf2455e44813ecfd89208f239ba329b3967fe48d718a36cfe5f"
		"62a7e42e0bf1c1ed714150a166bfbd6bcf6b3b58b975b9edea56d53f23a0e849"
		"10e7791fb972fe014159aa33a98622da3cdc98ff707965e536d8636b5fcc5ac7"
		"a91a8c46e59a00dca575af0f18fb13dc16ba437edcc6551e30c10512367494bf"
		"b6b01cc6681e8a4c3cd2501832ab5c4abc40b4578b85cbaffbf0bcd70d67c6e2"
		"024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d177"
		"0bac0326a805bbefd48056c8c121bdb813e02b6052719f607dacd3a088274f65"
		"596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
		"0d1b3cc2c7027888be51d9ef691d77bcb679afda66c73f17f9ee3837a55024f7"
		"8c71363275a75d75d86bab79f74782aa13fa4d4a0ad8b1ce186ed5061789213d"
		"993923066dddaf1040bc3ff59f825c78df74f2d75467e25e0f55f8a00fa030ed",
		false,
	},
};
#endif
/* clang-format on */

#define DIGITS_A_LIMB 16
#define SCALAR_LIMBS 4

static void read_limbs(limb_t *r, const char *hex, unsigned int nr)
{
	char digits[DIGITS_A_LIMB + 1];

	digits[DIGITS_A_LIMB] = '\0';
	while (nr--) {
		memcpy(digits, hex, DIGITS_A_LIMB);
		hex += DIGITS_A_LIMB;
		r[nr] = strtoull(digits, NULL, 16);
	}
}

/* nr coordinates of Fp. */
static void read_coordinates(void *point, const char *hex, unsigned int nr)
{
	limb_t plain[FP_LIMBS];
	struct fp c;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		read_limbs(plain, hex + i * FP_LIMBS * DIGITS_A_LIMB, FP_LIMBS);
		fp_from_plain(&c, plain);
		memcpy((unsigned char *)point + i * sizeof(c), &c, sizeof(c));
	}
}

static void expect_multiple_g1(const struct multiple *m)
{
	struct g1_affine p, want, got;
	limb_t k[SCALAR_LIMBS];
	struct g1_xyzz r;

	read_coordinates(&p, m->point, 2);
	read_coordinates(&want, m->result, 2);
	read_limbs(k, m->scalar, SCALAR_LIMBS);
	EXPECT_EQ(LULL_POINT_OK, g1_affine_check(&p));
	EXPECT_EQ(LULL_POINT_OK, g1_affine_check(&want));
	g1_mul_var(&r, &p, k, SCALAR_LIMBS);
	g1_xyzz_to_affine(&got, &r);
	EXPECT_MEMEQ(&want, &got, sizeof(want));
	g1_mul(&r, &p, k);
	g1_xyzz_to_affine(&got, &r);
	EXPECT_MEMEQ(&want, &got, sizeof(want));
}

TEST(multiples)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(multiples_g1); i++)
		expect_multiple_g1(&multiples_g1[i]);
}

#if LULL_CURVE_ID == LULL_ID_bls12_381
static void expect_multiple_g2(const struct multiple *m)
{
	struct g2_affine p, want, got;
	limb_t k[SCALAR_LIMBS];
	struct g2_xyzz r;

	read_coordinates(&p, m->point, 4);
	read_coordinates(&want, m->result, 4);
	read_limbs(k, m->scalar, SCALAR_LIMBS);
	EXPECT_EQ(LULL_POINT_OK, g2_affine_check(&p));
	EXPECT_EQ(LULL_POINT_OK, g2_affine_check(&want));
	g2_mul_var(&r, &p, k, SCALAR_LIMBS);
	g2_xyzz_to_affine(&got, &r);
	EXPECT_MEMEQ(&want, &got, sizeof(want));
	g2_mul(&r, &p, k);
	g2_xyzz_to_affine(&got, &r);
	EXPECT_MEMEQ(&want, &got, sizeof(want));
}

TEST(multiples_in_g2)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(multiples_g2); i++)
		expect_multiple_g2(&multiples_g2[i]);
}
#endif

TEST(pairings)
{
	/* a pair is six coordinates */
	const size_t stride = (size_t)6 * FP_LIMBS * DIGITS_A_LIMB;
	struct g1_affine p[2];
	struct g2_affine q[2];
	size_t i, j;

	for (i = 0; i < LULL_ARRAY_SIZE(products); i++) {
		for (j = 0; j < 2; j++) {
			const char *pair = products[i].pairs + j * stride;

			read_coordinates(&p[j], pair, 2);
			read_coordinates(&q[j], pair + stride / 3, 4);
			EXPECT_EQ(LULL_POINT_OK, g1_affine_check(&p[j]));
			EXPECT_EQ(LULL_POINT_OK, g2_affine_check(&q[j]));
			EXPECT_TRUE(g1_in_subgroup(&p[j]));
			EXPECT_TRUE(g2_in_subgroup(&q[j]));
		}
		EXPECT_EQ(products[i].is_one, pairing_product_is_one(p, q, 2));
	}
}

TEST_MAIN
