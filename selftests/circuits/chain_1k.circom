// SPDX-License-Identifier: Apache-2.0
// chain_1k - chain.circom with 1000 constraints
pragma circom 2.0.0;

include "chain.circom";

component main = Chain(1000);
