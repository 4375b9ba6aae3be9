// SPDX-License-Identifier: Apache-2.0
// chain - x <- x * x + i, n times: n constraints and a witness of full-width
// values, the dense opposite of a bit-wise hash; chain_1k, _10k, _100k fix n
pragma circom 2.0.0;

template Chain(n) {
    signal input x;
    signal output out;
    signal state[n + 1];

    state[0] <== x;
    for (var i = 0; i < n; i++) {
        state[i + 1] <== state[i] * state[i] + i;
    }
    out <== state[n];
}
