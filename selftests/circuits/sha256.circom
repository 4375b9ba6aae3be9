// SPDX-License-Identifier: Apache-2.0
// sha256 - the SHA-256 digest of a private message of n bytes, as two public
// halves of 128 bits; sha256_64, _128 and _256 fix n
pragma circom 2.0.0;

include "circomlib/circuits/sha256/sha256.circom";
include "circomlib/circuits/bitify.circom";

template Sha256Bytes(n) {
    signal input in[n];
    signal output out[2];
    component bits[n];
    component hash = Sha256(8 * n);
    component halves[2];

    for (var i = 0; i < n; i++) {
        bits[i] = Num2Bits(8);
        bits[i].in <== in[i];
        for (var j = 0; j < 8; j++) {
            hash.in[8 * i + j] <== bits[i].out[7 - j];
        }
    }
    for (var h = 0; h < 2; h++) {
        halves[h] = Bits2Num(128);
        for (var j = 0; j < 128; j++) {
            halves[h].in[127 - j] <== hash.out[128 * h + j];
        }
        out[h] <== halves[h].out;
    }
}
