// SPDX-License-Identifier: Apache-2.0
// chain_10k - chain.circom with 10000 constraints
pragma circom 2.0.0;

include "chain.circom";

component main = Chain(10000);
