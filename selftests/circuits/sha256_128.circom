// SPDX-License-Identifier: Apache-2.0
// sha256_128 - sha256.circom for a message of 128 bytes
pragma circom 2.0.0;

include "sha256.circom";

component main = Sha256Bytes(128);
