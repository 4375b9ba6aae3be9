// SPDX-License-Identifier: Apache-2.0
// mul2 - the smallest circuit with a public output: c = a * b
pragma circom 2.0.0;

template Mul2() {
    signal input a;
    signal input b;
    signal output c;

    c <== a * b;
}

component main = Mul2();
