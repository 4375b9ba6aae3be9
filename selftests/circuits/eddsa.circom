// SPDX-License-Identifier: Apache-2.0
// eddsa - an EdDSA signature over Baby Jubjub with Poseidon; BN254 only, for
// Baby Jubjub's constants belong to its scalar field
pragma circom 2.0.0;

include "circomlib/circuits/eddsaposeidon.circom";

template Signature() {
    signal input Ax;
    signal input Ay;
    signal input S;
    signal input R8x;
    signal input R8y;
    signal input M;
    component verifier = EdDSAPoseidonVerifier();

    verifier.enabled <== 1;
    verifier.Ax <== Ax;
    verifier.Ay <== Ay;
    verifier.S <== S;
    verifier.R8x <== R8x;
    verifier.R8y <== R8y;
    verifier.M <== M;
}

component main {public [Ax, Ay, M]} = Signature();
