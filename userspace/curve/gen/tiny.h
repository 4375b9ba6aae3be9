/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small groups on y^2 = x^3 + b', for exhaustive tests of the group law,
 * written by scripts/gen-curves.py: do not edit.  Montgomery form.
 */
#ifndef LULL_CURVE_GEN_TINY_H
#define LULL_CURVE_GEN_TINY_H

/* BN254: { order, b', { x, y } } over Fp */
#define BN254_TINY_G1 { \
	{ 7, \
	{ { \
	0xe4b1c5ae034e46cau, 0x9cdb2d3b64716da7u, 0x47d8eb76d8dd067eu, \
	0x15d0085520f5bbc3u } }, \
	{ { { \
	0xfa3c48a2871743d5u, 0x078b5afff06ec6e9u, 0x713a6a48dd7d3e9cu, \
	0x0d4dffe59f990250u } }, \
	{ { \
	0x9e05d12f70115a8fu, 0xc15dea48470d1b78u, 0x2f887cc4e19dfaa4u, \
	0x1c5d9fe21c4d071cu } } } }, \
	{ 13, \
	{ { \
	0xd35d438dc58f0d9du, 0x0a78eb28f5c70b3du, 0x666ea36f7879462cu, \
	0x0e0a77c19a07df2fu } }, \
	{ { { \
	0xc761d67303448861u, 0xe584892ff06fcee3u, 0xbf13a9562a83e77du, \
	0x016edf7cf29f0b95u } }, \
	{ { \
	0x52f8edb4e4aa6333u, 0x9c23f309338f032cu, 0x0b2d6cd822ffcb9fu, \
	0x0963096b6bc4fc36u } } } }, \
	{ 19, \
	{ { \
	0xd35d438dc58f0d9du, 0x0a78eb28f5c70b3du, 0x666ea36f7879462cu, \
	0x0e0a77c19a07df2fu } }, \
	{ { { \
	0x4bb8115bde41d33cu, 0x085109390b83393du, 0x6550e2dfd23b9aa5u, \
	0x305a0cd931c1aa8bu } }, \
	{ { \
	0x9221ef70a0fbe2e8u, 0x8d42f98b59b4bdc1u, 0x15489a1390dfbde5u, \
	0x117ad637664180bbu } } } }, \
	{ 31, \
	{ { \
	0x4f4bc0b2b5ef64bdu, 0x1a4b98fbe78db996u, 0x5c65ec9f484e3a79u, \
	0x0180a96573d3d9f8u } }, \
	{ { { \
	0xfaafc8f2b6ae43dbu, 0xfc4f6918eb750638u, 0x87a1c5a9f9afd112u, \
	0x127a3813ec893149u } }, \
	{ { \
	0x9e3a793eb01f9c55u, 0x067609ee54423e15u, 0x4a8353bd65ca8c13u, \
	0x058d36af9f2aeda7u } } } }, \
	{ 37, \
	{ { \
	0xd35d438dc58f0d9du, 0x0a78eb28f5c70b3du, 0x666ea36f7879462cu, \
	0x0e0a77c19a07df2fu } }, \
	{ { { \
	0x17332c77f52676adu, 0xf5a5e765ddf6fb94u, 0x8c36a2ec37ba49ccu, \
	0x28fccfa92ecb9392u } }, \
	{ { \
	0xa1bf9e0162bbb40fu, 0x3800ca3dbaf9d1b0u, 0x52128d64835a81a0u, \
	0x1cd633db6a3aa8c2u } } } } }

/* BN254: { order, b', { x, y } } over Fp2 */
#define BN254_TINY_G2 { \
	{ 61, \
	{ { { \
	0x075ac9ee7eccb924u, 0xc19fb16041c6327cu, 0x0aad7b8599a48723u, \
	0x255b297c2ed174ebu } }, \
	{ { \
	0xd35d438dc58f0d9du, 0x0a78eb28f5c70b3du, 0x666ea36f7879462cu, \
	0x0e0a77c19a07df2fu } } }, \
	{ { { { \
	0x9a61361aa9da19a0u, 0xe881b61ba11e41d4u, 0x23fb2db126fd0bf8u, \
	0x0ceff60f965f9554u } }, \
	{ { \
	0x83add732fda30761u, 0x3a92d0e8cd5b7e19u, 0x9d4fb4069851524cu, \
	0x266a99513e30837au } } }, \
	{ { { \
	0xb68f502ee5379c28u, 0x8b8a7a427e5898c1u, 0xc776e5a7b4383b80u, \
	0x0550f4c08c6d2394u } }, \
	{ { \
	0x290f131fc1a649e4u, 0x7093113b4eb15243u, 0xb4c4c2a140556bafu, \
	0x0b8dd43abcba0e8du } } } } }, \
	{ 73, \
	{ { { \
	0xa6ba871b8b1e1b3au, 0x14f1d651eb8e167bu, 0xccdd46def0f28c58u, \
	0x1c14ef83340fbe5eu } }, \
	{ { \
	0xd35d438dc58f0d9du, 0x0a78eb28f5c70b3du, 0x666ea36f7879462cu, \
	0x0e0a77c19a07df2fu } } }, \
	{ { { { \
	0x8e074869f771f161u, 0xd79c2d180b3c7272u, 0x920508dd0ec7d7b5u, \
	0x27d841a5bb8f6755u } }, \
	{ { \
	0x83a1c46c6907e2bbu, 0xede5d6b7fd2985dau, 0x578067ba40cb0f84u, \
	0x2d74abe5dd35dbcbu } } }, \
	{ { { \
	0xf990e43fa37e5bfdu, 0x555ddc57a3a230d2u, 0xb747ceca401627b1u, \
	0x2443b12dd09153feu } }, \
	{ { \
	0x6b941d4d4e21ed61u, 0xd4811f4c5201e413u, 0x5bdc5bb7af21eb12u, \
	0x232b876577e17187u } } } } } }

/* BLS12-381: { order, b', { x, y } } over Fp */
#define BLS12_381_TINY_G1 { \
	{ 7, \
	{ { \
	0x321300000006554fu, 0xb93c0018d6c40005u, 0x57605e0db0ddbb51u, \
	0x8b256521ed1f9bcbu, 0x6cf28d7901622c03u, 0x11ebab9dbb81e28cu } }, \
	{ { { \
	0x99c7a560b487229bu, 0x71d0d428d7f169a9u, 0x07894180d211431au, \
	0xbb750a9b9cff6e92u, 0x86254062f106a5a9u, 0x0a846a06d1c265f3u } }, \
	{ { \
	0xebee71843f9ddef2u, 0xc1eb715fe2ad0541u, 0x95da7ffce4f0db89u, \
	0x5d5cefd014bb3002u, 0x265f1d0f6b64131bu, 0x06f04fdbf7be6f2du } } } }, \
	{ 11, \
	{ { \
	0xaa270000000cfff3u, 0x53cc0032fc34000au, 0x478fe97a6b0a807fu, \
	0xb1d37ebee6ba24d7u, 0x8ec9733bbf78ab2fu, 0x09d645513d83de7eu } }, \
	{ { { \
	0xf096ffc69d0d13aeu, 0x9b11001f21a6dda4u, 0x6132d9038e5643a0u, \
	0x22460c55a88c25a6u, 0x3d2649e2a0f9e8f2u, 0x16aaaff2ab1f1c42u } }, \
	{ { \
	0x1b86ac2815e0a053u, 0xbd2889cf91a4e6e3u, 0xcebc9890fa8552d1u, \
	0x334eade6d80fe2e5u, 0x728df2626a6bca94u, 0x0214f57db7e4dbd8u } } } }, \
	{ 67, \
	{ { \
	0x321300000006554fu, 0xb93c0018d6c40005u, 0x57605e0db0ddbb51u, \
	0x8b256521ed1f9bcbu, 0x6cf28d7901622c03u, 0x11ebab9dbb81e28cu } }, \
	{ { { \
	0x12250420f1957bb8u, 0x102ae4910bd8d375u, 0x827be3c8e4911670u, \
	0x9032810920c059f2u, 0x3f3a6a761660f30eu, 0x0b6ea8fab7c4e63eu } }, \
	{ { \
	0x1e7e639220e9d54du, 0xda27685106faa2b0u, 0x7e9749646b1c4fa0u, \
	0xf0cb56b790d781e2u, 0x960dc35b1d0ca7b0u, 0x0360378ce3cd355bu } } } } }

/* BLS12-381: { order, b', { x, y } } over Fp2 */
#define BLS12_381_TINY_G2 { \
	{ 13, \
	{ { { \
	0x321300000006554fu, 0xb93c0018d6c40005u, 0x57605e0db0ddbb51u, \
	0x8b256521ed1f9bcbu, 0x6cf28d7901622c03u, 0x11ebab9dbb81e28cu } }, \
	{ { \
	0x760900000002fffdu, 0xebf4000bc40c0002u, 0x5f48985753c758bau, \
	0x77ce585370525745u, 0x5c071a97a256ec6du, 0x15f65ec3fa80e493u } } }, \
	{ { { { \
	0x26e1c2641e6ae379u, 0x621fc80c6223c387u, 0x9db97f71157db16cu, \
	0xe40b5c2770e7e874u, 0x5c2dadb63b8ec956u, 0x15358cfc15138df7u } }, \
	{ { \
	0x23e8d8e38f097557u, 0x49b146db0089b50fu, 0xbd61ad009cfe90d4u, \
	0xccaf16eefd77f97eu, 0xf6688eb36a8f19e1u, 0x0be236ae46f9b58eu } } }, \
	{ { { \
	0x83d76361b6ad3f7fu, 0x2207b6cbb4acb78cu, 0x3f834f2559efba21u, \
	0xdebf489c97780fccu, 0xa02475ed779d8539u, 0x0da78cb38a7631adu } }, \
	{ { \
	0x6150a282f1fe2142u, 0x150e10b3262e9660u, 0x26c7a69d561e53f6u, \
	0x008d05dcfde950e6u, 0x3b1a51a6408fe1deu, 0x0db348f23690255au } } } } }, \
	{ 23, \
	{ { { \
	0x321300000006554fu, 0xb93c0018d6c40005u, 0x57605e0db0ddbb51u, \
	0x8b256521ed1f9bcbu, 0x6cf28d7901622c03u, 0x11ebab9dbb81e28cu } }, \
	{ { \
	0x760900000002fffdu, 0xebf4000bc40c0002u, 0x5f48985753c758bau, \
	0x77ce585370525745u, 0x5c071a97a256ec6du, 0x15f65ec3fa80e493u } } }, \
	{ { { { \
	0x71d6a550304029fbu, 0x48df2b6a55a9c538u, 0xd7bd8018bc9c0361u, \
	0x2c9ddbd2ec08cf14u, 0xe08ee2c567177be8u, 0x11698a66803dbd52u } }, \
	{ { \
	0xeac260518bb6cbdcu, 0x803088eb32b85edeu, 0x9c0aff6cfe8e0edeu, \
	0x2cde4e40fc280c5au, 0x3ce4e7fb57a12389u, 0x0e6fe0ca3ec0639au } } }, \
	{ { { \
	0xe513db2c8eed4483u, 0xa633041f66cef271u, 0xbe6ef694d75cfec8u, \
	0xb531e2c42d75a310u, 0x6f2b039c1657d984u, 0x0a2acd842a8da43du } }, \
	{ { \
	0x7579e546f9d9517du, 0x66d05e2789b5632au, 0x11474cd8c2c19d92u, \
	0xa9f3e5de6c934433u, 0x24d6b4a64c13f3bbu, 0x0027a28346aa5948u } } } } } }

#endif
