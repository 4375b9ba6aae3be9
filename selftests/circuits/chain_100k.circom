// SPDX-License-Identifier: Apache-2.0
// chain_100k - chain.circom with 100000 constraints
pragma circom 2.0.0;

include "chain.circom";

component main = Chain(100000);
