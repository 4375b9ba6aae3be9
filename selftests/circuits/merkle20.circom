// SPDX-License-Identifier: Apache-2.0
// merkle20 - a leaf is in a Poseidon Merkle tree of 20 levels with this root
pragma circom 2.0.0;

include "circomlib/circuits/poseidon.circom";
include "circomlib/circuits/mux1.circom";

template MerklePath(levels) {
    signal input leaf;
    signal input index[levels];
    signal input siblings[levels];
    signal output root;
    signal node[levels + 1];
    component order[levels];
    component hash[levels];

    node[0] <== leaf;
    for (var i = 0; i < levels; i++) {
        // One bit a level: 1 when the node is its parent's right child.
        index[i] * (1 - index[i]) === 0;
        order[i] = MultiMux1(2);
        order[i].c[0][0] <== node[i];
        order[i].c[0][1] <== siblings[i];
        order[i].c[1][0] <== siblings[i];
        order[i].c[1][1] <== node[i];
        order[i].s <== index[i];
        hash[i] = Poseidon(2);
        hash[i].inputs[0] <== order[i].out[0];
        hash[i].inputs[1] <== order[i].out[1];
        node[i + 1] <== hash[i].out;
    }
    root <== node[levels];
}

component main = MerklePath(20);
