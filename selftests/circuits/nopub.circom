// SPDX-License-Identifier: Apache-2.0
// nopub - no public signal at all: public.json is [], nPublic is 0
pragma circom 2.0.0;

template NoPublic() {
    signal input a;
    signal input b;
    signal c;

    c <== a * b;
    c === 33;
}

component main = NoPublic();
