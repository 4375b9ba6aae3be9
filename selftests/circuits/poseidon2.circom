// SPDX-License-Identifier: Apache-2.0
// poseidon2 - the Poseidon hash of two private inputs
pragma circom 2.0.0;

include "circomlib/circuits/poseidon.circom";

template Poseidon2() {
    signal input in[2];
    signal output out;
    component hash = Poseidon(2);

    hash.inputs[0] <== in[0];
    hash.inputs[1] <== in[1];
    out <== hash.out;
}

component main = Poseidon2();
