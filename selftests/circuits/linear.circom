// SPDX-License-Identifier: Apache-2.0
// linear - no non-linear constraint: B is empty, every point of B1 and B2 is
// the point at infinity
pragma circom 2.0.0;

template Linear() {
    signal input a;
    signal input b;
    signal output c;

    c <== a + 2 * b + 3;
}

component main {public [a]} = Linear();
